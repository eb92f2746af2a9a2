/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-older.c: what becomes of an older recording whose name a new one takes.
 *
 * It is set aside under a name of its own before anything is written, and stays there until the new
 * one is known to be good: then it goes. A new one that holds nothing gives its name back; one that
 * ended badly leaves both. At no moment is the older one gone while the new one is not whole, so
 * that a killed program costs neither.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-recording-writer-private.h"

/* How often, and how long apart, a locked file is looked at before it counts as being written. */
#define LOCK_TRIES 5
#define LOCK_PAUSE_US 20000
/* Names that are tried for the older one; so many killed programs in a row are not expected. */
#define MAX_ASIDE 1000

/* A database and what a killed writer may have left beside it. */
static const char *const suffixes[] = { "", "-wal", "-journal", "-shm" };

/* Whether somebody has a lock that one of @type would meet. Source: SQLite, "File Locking And
 * Concurrency": the lock bytes begin at 0x40000000 and are 512. */
static gboolean
meets_lock (int fd,
            short type)
{
  struct flock lock
      = { .l_type = type, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };

  return fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* A recording that has been finished; while it is written it is in WAL mode. Source: SQLite, "Database
 * File Format", bytes 18 and 19 of the header. */
static gboolean
is_finished (int fd)
{
  guint8 versions[2] = { 0 };

  return pread (fd, versions, sizeof versions, 18) == sizeof versions && versions[0] == 1
         && versions[1] == 1;
}

/* Whether a database is being written: it is locked then all the time. One that is read is locked now
 * and then, or for as long as a program leaves a statement open; it goes on with what it has. */
static gboolean
is_locked (const char *path)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  gboolean is_locked = FALSE;

  if (fd < 0)
    return FALSE;

  for (guint i = 0; i < LOCK_TRIES; i++)
    {
      is_locked = meets_lock (fd, F_RDLCK) || (meets_lock (fd, F_WRLCK) && !is_finished (fd));
      if (!is_locked)
        break;
      g_usleep (LOCK_PAUSE_US);
    }
  close (fd);
  return is_locked;
}

/* Moves a database with its side files. FALSE with errno: nothing was moved. */
static gboolean
move (const char *from,
      const char *to)
{
  if (g_rename (from, to) != 0)
    return FALSE;

  for (guint i = 1; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *old_name = g_strconcat (from, suffixes[i], NULL);
      g_autofree char *new_name = g_strconcat (to, suffixes[i], NULL);

      if (g_rename (old_name, new_name) != 0 && errno != ENOENT)
        g_debug ("a side file of the older recording stays: %s", g_strerror (errno));
    }
  return TRUE;
}

/* A name beside @path that nobody has. */
static char *
dup_free_name (const char *path)
{
  for (guint i = 1; i < MAX_ASIDE; i++)
    {
      g_autofree char *name
          = i == 1 ? g_strconcat (path, "~", NULL) : g_strdup_printf ("%s~%u", path, i);
      GStatBuf buf;

      if (g_lstat (name, &buf) != 0 && errno == ENOENT)
        return g_steal_pointer (&name);
    }

  errno = EEXIST;
  return NULL;
}

/**
 * _ts_older_set_aside:
 * @path: name of a recording to be made
 * @display_name: as it is told
 * @aside: (out) (transfer full) (nullable): where the older recording of that name is now, %NULL if
 * there was none
 * @error: return location
 *
 * Makes the name free. A file that is being recorded into, or that is none, is refused, and nothing
 * is changed.
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_older_set_aside (const char *path,
                     const char *display_name,
                     char **aside,
                     GError **error)
{
  g_autofree char *name = NULL;
  GStatBuf buf;

  *aside = NULL;
  if (g_stat (path, &buf) == 0 && !S_ISREG (buf.st_mode))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   S_ISDIR (buf.st_mode) ? _("Cannot write %s: it is a folder.")
                                         : _("Cannot write %s: it is not a file."),
                   display_name);
      return FALSE;
    }

  if (is_locked (path))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   _("Cannot write %s: it is being recorded into already; give another name."),
                   display_name);
      return FALSE;
    }

  if (g_lstat (path, &buf) != 0)
    {
      /* no recording, but perhaps side files of one that somebody removed */
      _ts_older_remove (path);
      return TRUE;
    }

  name = dup_free_name (path);
  if (name == NULL || !move (path, name))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."),
                   display_name, g_strerror (errno));
      return FALSE;
    }

  *aside = g_steal_pointer (&name);
  return TRUE;
}

/**
 * _ts_older_put_back:
 * @aside: where the older recording is
 * @path: its name
 *
 * Gives the older recording its name back; whatever has that name now stays, and so does the older
 * one where it is.
 *
 * Thread: any
 */
void
_ts_older_put_back (const char *aside,
                    const char *path)
{
  GStatBuf buf;

  if (g_lstat (path, &buf) == 0 || !move (aside, path))
    g_debug ("the older recording stays as %s", aside);
}

/**
 * _ts_older_remove:
 * @path: a recording
 *
 * Removes it with its side files.
 *
 * Thread: any
 */
void
_ts_older_remove (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *name = g_strconcat (path, suffixes[i], NULL);

      if (g_unlink (name) != 0 && errno != ENOENT)
        g_debug ("%s stays: %s", name, g_strerror (errno));
    }
}
