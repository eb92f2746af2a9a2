/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctf-pad.c: CTF traces without packets, in a form that every version of Babeltrace reads.
 *
 * Zephyr writes events and nothing else: a file is one packet without a header and a context. From
 * 2.1 on libbabeltrace2 aborts on it (seen with 2.1.1: the packet's beginning gets a time that its
 * class does not declare). So the trace is copied, with a context that declares one, of 64 bits,
 * and eight zeros before the events: where the clock begins anyway. They leave all as aligned as it
 * was.
 *
 * Source: CTF 1.8.3 sections 5.2 and 8.3 (packets, their context), 7.3 and Annex C (metadata)
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/ts-export-folder.h"
#include "ts-capture-session.h"
#include "ts-ctf-pad-private.h"

#define METADATA "metadata"
/* What metadata in text begins with. */
#define SIGNATURE "/* CTF 1."
#define CONTEXT                                                                                    \
  " packet.context := struct {"                                                                    \
  " integer { size = 64; align = 8; signed = false; } timestamp_begin; };"
#define N_PADDING 8
#define CHUNK 65536
#define MAX_METADATA (16 * 1024 * 1024)

struct _TsCtfPad
{
  GPtrArray *folders; /* of traces, as they are or copied */
  GPtrArray *copies;  /* TsExportFolder */
};

/* ---- metadata ---- */

/* The end of what begins at @at and is no token: white space, a comment; @at where it is one. */
static const char *
skip_blank (const char *at)
{
  const char *end = NULL;

  if (g_ascii_isspace (*at))
    return at + 1;
  if (g_str_has_prefix (at, "/*"))
    end = (end = strstr (at + 2, "*/")) != NULL ? end + 2 : at + strlen (at);
  else if (g_str_has_prefix (at, "//"))
    end = at + strcspn (at, "\n");
  return end != NULL ? end : at;
}

/* The end of the token at @at: a word, a text in quotes, or one character. */
static const char *
skip_token (const char *at)
{
  const char *end = at;

  while (g_ascii_isalnum (*end) || *end == '_')
    end++;
  if (end > at)
    return end;
  if (*at != '"' && *at != '\'')
    return at + 1;
  for (end = at + 1; *end != '\0' && *end != *at; end++)
    if (*end == '\\' && end[1] != '\0')
      end++;
  return *end != '\0' ? end + 1 : end;
}

static gboolean
is_word (const char *token,
         gsize length,
         const char *word)
{
  return length == strlen (word) && strncmp (token, word, length) == 0;
}

/*
 * _ts_ctf_pad_metadata:
 * @text: metadata
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): @text with a context of packets that holds a time, %NULL
 *   where it declares something of packets itself, has no times or is no text
 */
char *
_ts_ctf_pad_metadata (const char *text)
{
  g_autoptr (GString) padded = g_string_new (NULL);
  gboolean has_stream = FALSE;
  gboolean has_time = FALSE;
  const char *before[2] = { "", "" };
  gsize lengths[2] = { 0, 0 };
  const char *copied = text;
  guint depth = 0;
  const char *at = text;

  if (!g_str_has_prefix (text, SIGNATURE))
    return NULL;
  while (*at != '\0')
    {
      const char *end = skip_blank (at);

      if (end > at)
        {
          at = end;
          continue;
        }
      end = skip_token (at);
      /* `packet.header`, `packet.context` */
      if (is_word (before[1], lengths[1], "packet") && *at == '.')
        return NULL;
      has_time |= is_word (at, (gsize) (end - at), "timestamp");
      if (*at == '{')
        {
          if (depth++ == 0 && is_word (before[1], lengths[1], "stream")
              && (lengths[0] == 0 || *before[0] == ';'))
            {
              g_string_append_len (padded, copied, end - copied);
              g_string_append (padded, CONTEXT);
              copied = end;
              has_stream = TRUE;
            }
        }
      else if (*at == '}' && depth > 0)
        depth--;
      before[0] = before[1];
      lengths[0] = lengths[1];
      before[1] = at;
      lengths[1] = (gsize) (end - at);
      at = end;
    }
  if (!has_stream || !has_time)
    return NULL;
  g_string_append (padded, copied);
  return g_string_free (g_steal_pointer (&padded), FALSE);
}

/* ---- files ---- */

/*
 * _ts_ctf_list_streams:
 * @folder: a trace
 *
 * Thread: any; reads a folder
 *
 * Returns: (transfer full) (element-type filename): its streams, the way Babeltrace finds them: all
 *   files but the hidden
 */
GPtrArray *
_ts_ctf_list_streams (const char *folder)
{
  GPtrArray *streams = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (*name != '.' && strcmp (name, METADATA) != 0
          && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (streams, g_steal_pointer (&path));
    }
  return streams;
}

static gboolean
copy_bytes (TsExportFolder *copy,
            int from,
            int to,
            const char *path,
            GCancellable *cancellable,
            GError **error)
{
  g_autofree char *buffer = g_malloc0 (CHUNK);
  /* zeros first */
  gssize n = N_PADDING;

  do
    {
      if (!ts_export_folder_write (copy, to, buffer, (gsize) n, error)
          || g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      do
        n = read (from, buffer, CHUNK);
      while (n < 0 && errno == EINTR);
    }
  while (n > 0);
  if (n == 0)
    return TRUE;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, _("Cannot read “%s”: %s."), path,
               g_strerror (errno));
  return FALSE;
}

static gboolean
copy_stream (TsExportFolder *copy,
             const char *path,
             GCancellable *cancellable,
             GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  GStatBuf info;
  int from = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  int to;
  gboolean ok;

  /* an empty file is no packet; what cannot be read, Babeltrace tells of */
  if (from < 0 || fstat (from, &info) != 0 || info.st_size == 0)
    {
      if (from >= 0)
        close (from);
      return TRUE;
    }
  to = ts_export_folder_create (copy, name, error);
  ok = to >= 0 && copy_bytes (copy, from, to, path, cancellable, error);
  close (from);
  if (ok)
    return ts_export_folder_close (copy, to, error);
  if (to >= 0)
    close (to);
  return FALSE;
}

/* Copies the trace in @folder, where it has no packets, to a folder beside @output. */
static gboolean
pad (TsCtfPad *self,
     const char *folder,
     const char *output,
     GCancellable *cancellable,
     GError **error)
{
  g_autofree char *path = g_build_filename (folder, METADATA, NULL);
  g_autofree char *target = g_strconcat (output, "-trace", NULL);
  g_autofree char *text = NULL;
  g_autofree char *padded = NULL;
  g_autoptr (GPtrArray) streams = NULL;
  TsExportFolder *copy;
  GStatBuf info;
  int fd;

  if (g_stat (path, &info) == 0 && info.st_size <= MAX_METADATA
      && g_file_get_contents (path, &text, NULL, NULL))
    padded = _ts_ctf_pad_metadata (text);
  if (padded == NULL)
    {
      g_ptr_array_add (self->folders, g_strdup (folder));
      return TRUE;
    }
  copy = g_new0 (TsExportFolder, 1);
  g_ptr_array_add (self->copies, copy);
  if (!ts_export_folder_open (copy, target, METADATA, error))
    return FALSE;
  g_ptr_array_add (self->folders, g_strdup (copy->temporary));
  fd = ts_export_folder_create (copy, METADATA, error);
  if (fd < 0)
    return FALSE;
  if (!ts_export_folder_write (copy, fd, padded, strlen (padded), error))
    {
      close (fd);
      return FALSE;
    }
  if (!ts_export_folder_close (copy, fd, error))
    return FALSE;
  streams = _ts_ctf_list_streams (folder);
  for (guint i = 0; i < streams->len; i++)
    if (!copy_stream (copy, g_ptr_array_index (streams, i), cancellable, error))
      return FALSE;
  return TRUE;
}

static void
copy_free (gpointer data)
{
  ts_export_folder_clear (data);
  g_free (data);
}

/*
 * _ts_ctf_pad_free:
 * @self: (nullable): copies, which are removed
 */
void
_ts_ctf_pad_free (TsCtfPad *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->copies);
  g_ptr_array_unref (self->folders);
  g_free (self);
}

/*
 * _ts_ctf_pad_new:
 * @folders: (array zero-terminated=1): folders of traces
 * @output: path that the copies lie beside until _ts_ctf_pad_free()
 * @cancellable: (nullable): stops copying
 * @error: return location
 *
 * Copies those of the traces that have no packets.
 *
 * Thread: any; reads and writes files
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_CAPTURE_ERROR_CONNECT, %G_IO_ERROR_CANCELLED
 *
 * Returns: (transfer full) (nullable): the traces to read; %NULL with @error set
 */
TsCtfPad *
_ts_ctf_pad_new (char **folders,
                 const char *output,
                 GCancellable *cancellable,
                 GError **error)
{
  TsCtfPad *self = g_new0 (TsCtfPad, 1);

  self->folders = g_ptr_array_new_with_free_func (g_free);
  self->copies = g_ptr_array_new_with_free_func (copy_free);
  for (guint i = 0; folders[i] != NULL; i++)
    if (!pad (self, folders[i], output, cancellable, error))
      {
        _ts_ctf_pad_free (self);
        return NULL;
      }
  g_ptr_array_add (self->folders, NULL);
  return self;
}

/*
 * _ts_ctf_pad_get_folders:
 * @self: copies
 *
 * Returns: (transfer none) (array zero-terminated=1): folders of the traces to read
 */
char **
_ts_ctf_pad_get_folders (TsCtfPad *self)
{
  return (char **) self->folders->pdata;
}
