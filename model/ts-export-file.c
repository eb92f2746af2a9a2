/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-file.c: a file that appears only when it is whole. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-export-private.h"

/* What SQLite keeps beside a database. */
static const char * const side_files[] = { "-wal", "-shm", "-journal" };

/*
 * _ts_export_set_errno:
 * @display_name: what could not be written
 * @code: errno
 * @error: return location
 *
 * Returns: %FALSE
 */
gboolean
_ts_export_set_errno (const char *display_name,
                      int code,
                      GError **error)
{
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."),
               display_name, g_strerror (code));
  return FALSE;
}

/*
 * _ts_export_dup_temporary: a template for a name beside @path, until it is complete.
 */
char *
_ts_export_dup_temporary (const char *path)
{
  return g_strconcat (path, ".XXXXXX", NULL);
}

static gboolean
is_same_file (const char *path,
              const char *other)
{
  GStatBuf left;
  GStatBuf right;

  return g_stat (path, &left) == 0 && g_stat (other, &right) == 0 && left.st_dev == right.st_dev
         && left.st_ino == right.st_ino;
}

/**
 * _ts_export_file_open:
 * @self: (out caller-allocates): _ts_export_file_clear(), also after a failure
 * @recording: (nullable): what is exported: never written over
 * @path: file to make; what it was stays until _ts_export_file_finish()
 * @error: return location
 *
 * Creates a file beside @path.
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_WRITE
 */
gboolean
_ts_export_file_open (TsExportFile *self,
                      TsRecording *recording,
                      const char *path,
                      GError **error)
{
  const char *source = recording != NULL ? ts_recording_get_path (recording) : NULL;
  GStatBuf older;

  self->path = g_strdup (path);
  self->display_name = g_filename_display_name (path);
  self->temporary = NULL;
  self->fd = -1;

  if (g_stat (path, &older) == 0 && !S_ISREG (older.st_mode))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   S_ISDIR (older.st_mode) ? _("Cannot write %s: it is a folder.")
                                           : _("Cannot write %s: it is not a file."),
                   self->display_name);
      return FALSE;
    }
  if (source != NULL && is_same_file (path, source))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   _("Cannot write %s: it is the recording itself; give another name."),
                   self->display_name);
      return FALSE;
    }

  self->temporary = _ts_export_dup_temporary (path);
  self->fd = g_mkstemp_full (self->temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (self->fd >= 0)
    return TRUE;

  g_clear_pointer (&self->temporary, g_free);
  return _ts_export_set_errno (self->display_name, errno, error);
}

/*
 * _ts_export_write_all:
 * @fd: a descriptor
 * @bytes: (array length=n_bytes): what to write
 * @n_bytes: how many
 *
 * Returns: 0, or the errno of what went wrong
 */
int
_ts_export_write_all (int fd,
                      const void *bytes,
                      gsize n_bytes)
{
  const char *next = bytes;

  while (n_bytes > 0)
    {
      gssize n = write (fd, next, n_bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno;
      next += n;
      n_bytes -= (gsize) n;
    }
  return 0;
}

/**
 * _ts_export_file_write:
 * @self: an open file
 * @bytes: (array length=n_bytes): what to append
 * @n_bytes: how many
 * @error: return location
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 */
gboolean
_ts_export_file_write (TsExportFile *self,
                       const char *bytes,
                       gsize n_bytes,
                       GError **error)
{
  int code = _ts_export_write_all (self->fd, bytes, n_bytes);

  return code == 0 || _ts_export_set_errno (self->display_name, code, error);
}

/**
 * _ts_export_file_finish:
 * @self: an open file
 * @error: return location
 *
 * Puts the file in its place. What an older recording of that name may have left beside it goes:
 * its WAL would be applied to the new one.
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 */
gboolean
_ts_export_file_finish (TsExportFile *self,
                        GError **error)
{
  int fd = self->fd;

  self->fd = -1;
  if (fd >= 0 && close (fd) != 0)
    return _ts_export_set_errno (self->display_name, errno, error);

  for (guint i = 0; i < G_N_ELEMENTS (side_files); i++)
    {
      g_autofree char *name = g_strconcat (self->path, side_files[i], NULL);

      if (g_unlink (name) != 0 && errno != ENOENT && errno != ENOTDIR)
        return _ts_export_set_errno (self->display_name, errno, error);
    }
  if (g_rename (self->temporary, self->path) != 0)
    return _ts_export_set_errno (self->display_name, errno, error);

  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}

/**
 * _ts_export_file_clear:
 * @self: a file, finished or not
 *
 * Removes what was not finished.
 */
void
_ts_export_file_clear (TsExportFile *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  if (self->temporary != NULL)
    {
      g_unlink (self->temporary);
      for (guint i = 0; i < G_N_ELEMENTS (side_files); i++)
        {
          g_autofree char *name = g_strconcat (self->temporary, side_files[i], NULL);

          g_unlink (name);
        }
    }
  g_clear_pointer (&self->temporary, g_free);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->display_name, g_free);
}
