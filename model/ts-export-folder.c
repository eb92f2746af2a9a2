/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-folder.c: a folder that appears only when it is whole. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-export-folder.h"
#include "ts-export-private.h"

/* Whether the folder is empty, or one of ours: plain files, and the marker among them. */
static gboolean
is_replaceable (const char *path,
                const char *marker)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  gboolean is_empty = TRUE;
  gboolean has_marker = FALSE;
  const char *name;

  if (folder == NULL)
    return FALSE;
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      GStatBuf info;

      if (g_lstat (file, &info) != 0 || !S_ISREG (info.st_mode))
        return FALSE;
      is_empty = FALSE;
      has_marker |= g_str_equal (name, marker);
    }
  return is_empty || has_marker;
}

/* Removes a folder of plain files. */
static void
remove_folder (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_unlink (file);
    }
  g_rmdir (path);
}

/**
 * ts_export_folder_open:
 * @self: (out caller-allocates): ts_export_folder_clear(), also after a failure
 * @path: folder to make; what it was stays until ts_export_folder_finish()
 * @marker: name of a file that every folder of this kind holds: only such a folder, or an empty
 *   one, is replaced
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_export_folder_open (TsExportFolder *self,
                       const char *path,
                       const char *marker,
                       GError **error)
{
  gsize n = strlen (path);
  GStatBuf older;

  while (n > 1 && path[n - 1] == G_DIR_SEPARATOR)
    n--;
  self->path = g_strndup (path, n);
  self->display_name = g_filename_display_name (self->path);
  self->temporary = NULL;

  if (g_lstat (self->path, &older) == 0
      && (!S_ISDIR (older.st_mode) || !is_replaceable (self->path, marker)))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   S_ISDIR (older.st_mode)
                       ? _("Cannot write %s: the folder holds other things; give another name.")
                       : _("Cannot write %s: it is not a folder."),
                   self->display_name);
      return FALSE;
    }

  self->temporary = _ts_export_dup_temporary (self->path);
  if (g_mkdtemp_full (self->temporary, 0777) != NULL)
    return TRUE;

  g_clear_pointer (&self->temporary, g_free);
  return _ts_export_set_errno (self->display_name, errno, error);
}

/**
 * ts_export_folder_create:
 * @self: an open folder
 * @name: plain name of a file in it
 * @error: return location
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: a descriptor to write to and to close, or -1 with @error set
 */
int
ts_export_folder_create (TsExportFolder *self,
                         const char *name,
                         GError **error)
{
  g_autofree char *path = g_build_filename (self->temporary, name, NULL);
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  if (fd < 0)
    _ts_export_set_errno (self->display_name, errno, error);
  return fd;
}

/**
 * ts_export_folder_write:
 * @self: an open folder
 * @fd: from ts_export_folder_create()
 * @bytes: (array length=n_bytes): what to append
 * @n_bytes: how many
 * @error: return location
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_export_folder_write (TsExportFolder *self,
                        int fd,
                        const void *bytes,
                        gsize n_bytes,
                        GError **error)
{
  int code = _ts_export_write_all (fd, bytes, n_bytes);

  return code == 0 || _ts_export_set_errno (self->display_name, code, error);
}

/**
 * ts_export_folder_close:
 * @self: an open folder
 * @fd: from ts_export_folder_create()
 * @error: return location
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set; @fd is closed in any case
 */
gboolean
ts_export_folder_close (TsExportFolder *self,
                        int fd,
                        GError **error)
{
  return close (fd) == 0 || _ts_export_set_errno (self->display_name, errno, error);
}

/**
 * ts_export_folder_finish:
 * @self: an open folder
 * @error: return location
 *
 * Puts the folder in its place. Files must be closed.
 *
 * Errors: %TS_MODEL_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_export_folder_finish (TsExportFolder *self,
                         GError **error)
{
  g_autofree char *aside = NULL;

  if (g_rename (self->temporary, self->path) == 0)
    {
      g_clear_pointer (&self->temporary, g_free);
      return TRUE;
    }
  if (errno != ENOTEMPTY && errno != EEXIST)
    return _ts_export_set_errno (self->display_name, errno, error);

  /* the older one goes aside first: a folder with files in it cannot be renamed onto */
  aside = g_strconcat (self->temporary, ".old", NULL);
  if (g_rename (self->path, aside) != 0)
    return _ts_export_set_errno (self->display_name, errno, error);
  if (g_rename (self->temporary, self->path) != 0)
    {
      int code = errno;

      (void) g_rename (aside, self->path);
      return _ts_export_set_errno (self->display_name, code, error);
    }
  g_clear_pointer (&self->temporary, g_free);
  remove_folder (aside);
  return TRUE;
}

/**
 * ts_export_folder_clear:
 * @self: a folder, finished or not
 *
 * Removes what was not finished.
 */
void
ts_export_folder_clear (TsExportFolder *self)
{
  if (self->temporary != NULL)
    remove_folder (self->temporary);
  g_clear_pointer (&self->temporary, g_free);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->display_name, g_free);
}
