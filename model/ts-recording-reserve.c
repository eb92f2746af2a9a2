/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-reserve.c: disk space kept back for the end of a recording.
 *
 * What was committed lies in the WAL until it moves into the file, and a full disk would keep it
 * there for good: a recording in two pieces. So blocks are reserved behind the file's end, as many
 * as the WAL may hold, without changing its size. When the disk is full, the WAL moves into them,
 * which frees its own blocks for the last words. What is left is given back on closing.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "ts-recording-writer-private.h"

/* The WAL's 16 MB and the largest transaction beyond them. */
#define RESERVE_BYTES (24 << 20)
/* What is tried on a disk that has not so much, where little is committed and the WAL kept short.
 */
#define TIGHT_RESERVE_BYTES (2 << 20)
#define MIN_RESERVE_BYTES (256 << 10)

/**
 * _ts_reserve_open:
 * @self: a reserve
 * @path: the database file, opened by SQLite already
 *
 * Nothing is reserved where the file system cannot; that is no error.
 *
 * Thread: owner
 */
void
_ts_reserve_open (TsReserve *self,
                  const char *path)
{
  self->fd = g_open (path, O_RDWR | O_CLOEXEC, 0);
  self->end = 0;
  _ts_reserve_advance (self, 0);
}

/**
 * _ts_reserve_advance:
 * @self: a reserve
 * @needed_bytes: how much the file may have to grow at once
 *
 * Reserves blocks behind the file as it is now; to be called as it grows, cheap when nothing is to
 * be done.
 *
 * Thread: owner
 *
 * Returns: %FALSE when the disk is so full that the file could not grow by @needed_bytes
 */
gboolean
_ts_reserve_advance (TsReserve *self,
                     gint64 needed_bytes)
{
  /* A fast source may have more waiting than the usual reserve holds. */
  gint64 wanted = MAX (RESERVE_BYTES, needed_bytes + RESERVE_BYTES / 2);
  struct stat info;

  if (self->fd < 0 || self->is_unable || fstat (self->fd, &info) != 0)
    return TRUE;
  if (self->end >= info.st_size + MAX (RESERVE_BYTES / 2, needed_bytes))
    return TRUE;

  self->is_tight = TRUE;
  for (gint64 n_bytes = wanted; n_bytes >= MIN_RESERVE_BYTES;
       n_bytes = n_bytes == wanted
                     ? CLAMP (needed_bytes, TIGHT_RESERVE_BYTES, RESERVE_BYTES / 2)
                     : n_bytes / 2)
    {
      gint64 begin = MAX (self->end, info.st_size);
      gint64 end = info.st_size + n_bytes;

      if (end <= begin)
        break;
      if (fallocate (self->fd, FALLOC_FL_KEEP_SIZE, begin, end - begin) == 0)
        {
          self->end = end;
          self->is_tight = n_bytes < wanted;
          break;
        }
      if (errno != ENOSPC && errno != EDQUOT)
        {
          /* The file system keeps nothing back; then nothing can be foretold. The descriptor stays:
           * closing it would drop the locks, and another program could move the WAL away. */
          self->is_unable = TRUE;
          self->is_tight = FALSE;
          return TRUE;
        }
    }

  return self->end >= info.st_size + needed_bytes;
}

/**
 * _ts_reserve_close:
 * @self: a reserve
 *
 * Gives back what is left. Only after SQLite has closed the file: closing any descriptor of it
 * drops the locks that this process holds.
 *
 * Thread: owner
 */
void
_ts_reserve_close (TsReserve *self)
{
  struct stat info;

  if (self->fd < 0)
    return;

  if (self->end > 0 && fstat (self->fd, &info) == 0 && info.st_size < self->end
      && ftruncate (self->fd, info.st_size) != 0)
    g_debug ("blocks behind the recording's end stay reserved");
  close (self->fd);
  self->fd = -1;
}
