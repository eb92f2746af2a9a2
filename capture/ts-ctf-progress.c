/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctf-progress.c: how far libbabeltrace2 is in the files of a trace, which it does not tell.
 *
 * It maps a part of each stream, of 8 MiB, and moves on when it has read that (2.0.4 and 2.1.1). So
 * the kernel knows: where the part begins, and how much of it was touched.
 *
 * Source: proc_pid_smaps(5) for the form of /proc/self/smaps
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ts-ctf-pad-private.h"
#include "ts-ctf-progress-private.h"

#define MAPS "/proc/self/smaps"

/* A stream's file. */
typedef struct
{
  guint64 size;
  guint64 read;
} File;

struct _TsCtfProgress
{
  GHashTable *files; /* path as the kernel says it: File */
  guint64 n_bytes;
  guint64 n_read;
};

static void
add_file (TsCtfProgress *self,
          const char *path)
{
  char *real = realpath (path, NULL);
  GStatBuf info;
  File *file;

  if (real != NULL && g_stat (real, &info) == 0 && info.st_size > 0
      && !g_hash_table_contains (self->files, real))
    {
      file = g_new0 (File, 1);
      file->size = (guint64) info.st_size;
      self->n_bytes += file->size;
      g_hash_table_insert (self->files, g_strdup (real), file);
    }
  free (real);
}

/*
 * _ts_ctf_progress_new:
 * @folders: (array zero-terminated=1): folders of the traces that are read
 *
 * Thread: any
 *
 * Returns: (transfer full): figures, to be freed by _ts_ctf_progress_free()
 */
TsCtfProgress *
_ts_ctf_progress_new (char **folders)
{
  TsCtfProgress *self = g_new0 (TsCtfProgress, 1);

  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) streams = _ts_ctf_list_streams (folders[i]);

      for (guint k = 0; k < streams->len; k++)
        add_file (self, g_ptr_array_index (streams, k));
    }
  return self;
}

/*
 * _ts_ctf_progress_free:
 * @self: (nullable): figures
 */
void
_ts_ctf_progress_free (TsCtfProgress *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->files);
  g_free (self);
}

/* The file of a part of memory, and where in it that begins. NULL: none of ours. */
static File *
find_file (TsCtfProgress *self,
           const char *line,
           guint64 *offset)
{
  int at = 0;

  if (sscanf (line, "%*x-%*x %*s %" SCNx64 " %*s %*u %n", offset, &at) != 1 || at == 0)
    return NULL;
  return g_hash_table_lookup (self->files, line + at);
}

/*
 * _ts_ctf_progress_get:
 * @self: figures
 *
 * Thread: any; reads what the kernel says of this process, about a millisecond
 *
 * Returns: which part of the bytes was read, 0 to 1; never less than before
 */
double
_ts_ctf_progress_get (TsCtfProgress *self)
{
  g_autofree char *text = NULL;
  File *file = NULL;
  guint64 offset = 0;
  char *rest;

  if (!g_file_get_contents (MAPS, &text, NULL, NULL))
    return 0;
  rest = text;
  for (char *line = strsep (&rest, "\n"); line != NULL; line = strsep (&rest, "\n"))
    {
      guint64 n_kib;

      /* addresses are in lower case, words that follow them are not */
      if (g_ascii_isdigit (*line) || g_ascii_islower (*line))
        file = find_file (self, line, &offset);
      else if (file != NULL && sscanf (line, "Rss: %" SCNu64, &n_kib) == 1)
        {
          guint64 read = MIN (offset + n_kib * 1024, file->size);

          if (read > file->read)
            {
              self->n_read += read - file->read;
              file->read = read;
            }
        }
    }
  return (double) self->n_read / (double) MAX (self->n_bytes, 1);
}
