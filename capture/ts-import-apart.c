/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-import-apart.c: an import in a process of its own.
 *
 * A library that reads foreign files may abort the program on one that lies (libbabeltrace2 2.0.4:
 * `check_emit_msg_discarded_events`), or never come back. So the command line's program beside this
 * one does the reading: what happens to it is one sentence here, and to cancel is to end it.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <babeltrace2/babeltrace.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ts-capture-session.h"
#include "ts-import-apart-private.h"

#define PROGRAM "taskscope-cli"
/* Set for that program, which reads itself: the descriptor that it tells its progress to, then a
 * line for each folder that it reads, escaped. */
#define MARK "TASKSCOPE_IMPORTS_ITSELF"
/* That descriptor: the first after the three that every program has. */
#define PROGRESS_FD 3
/* Bytes of a line of progress at most. */
#define MAX_LINE 32

/*
 * _ts_apart_find_program:
 * @names: (nullable): names that the trace does not hold: files can be handed on, no others
 *
 * Returns: (transfer full) (nullable): path of the program that imports, %NULL: this one has to
 */
char *
_ts_apart_find_program (TsNames *names)
{
  g_autofree char *own = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = own != NULL ? g_path_get_dirname (own) : NULL;
  g_autofree char *program = folder != NULL ? g_build_filename (folder, PROGRAM, NULL) : NULL;

  if ((names != NULL && !ts_names_is_of_files (names)) || program == NULL || g_getenv (MARK) != NULL
      || !g_file_test (program, G_FILE_TEST_IS_EXECUTABLE))
    return NULL;
  return g_steal_pointer (&program);
}

static gint64
get_int (JsonObject *object,
         const char *name)
{
  return json_object_has_member (object, name)
                 && json_node_get_value_type (json_object_get_member (object, name)) == G_TYPE_INT64
             ? json_object_get_int_member (object, name)
             : -1;
}

/* The figures of an answer. */
static void
fill_summary (JsonObject *answer,
              TsRecordingSummary *summary)
{
  JsonObject *figures = json_object_get_object_member (answer, "summary");

  summary->events = (guint64) MAX (get_int (figures, "events"), 0);
  summary->lost_events = get_int (figures, "lost_events");
  summary->seq_gaps = get_int (figures, "seq_gaps");
  summary->corrupt_bytes = (guint64) MAX (get_int (figures, "corrupt_bytes"), 0);
  summary->duration_us = get_int (figures, "duration_us");
  summary->cpu_hz = (guint64) MAX (get_int (figures, "cpu_hz"), 0);
  summary->os = g_strdup (json_object_get_string_member_with_default (figures, "os", NULL));
}

static void
set_refusal (JsonObject *answer,
             GError **error)
{
  const char *code = json_object_get_string_member_with_default (answer, "error", "");
  int number = g_str_equal (code, "bad_config")      ? TS_CAPTURE_ERROR_BAD_CONFIG
               : g_str_equal (code, "empty_capture") ? TS_CAPTURE_ERROR_EMPTY
                                                     : TS_CAPTURE_ERROR_WRITE;

  g_set_error_literal (error, TS_CAPTURE_ERROR, number,
                       json_object_get_string_member_with_default (answer, "message", code));
}

/* Removes what a process left that did not end well, with SQLite's files beside it. */
static void
remove_rest (const char *path)
{
  static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *rest = g_strconcat (path, ends[i], NULL);

      g_unlink (rest);
    }
}

/*
 * _ts_apart_dup_folders:
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): in the program that imports for
 *   another: what that one gave it to read
 */
char **
_ts_apart_dup_folders (void)
{
  g_auto (GStrv) lines = g_strsplit (g_getenv (MARK) != NULL ? g_getenv (MARK) : "", "\n", -1);
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();

  if (lines[0] == NULL || lines[1] == NULL)
    return NULL;
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_autofree char *folder = g_strcompress (lines[i]);

      g_strv_builder_add (folders, folder);
    }
  return g_strv_builder_end (folders);
}

/*
 * _ts_apart_tell:
 * @fraction: progress
 *
 * In the program that imports for another: tells it how far it is.
 *
 * Thread: any
 */
void
_ts_apart_tell (double fraction)
{
  const char *mark = g_getenv (MARK);
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  char line[G_ASCII_DTOSTR_BUF_SIZE + 1];
  struct stat info;

  if (mark == NULL || atoi (mark) != PROGRESS_FD || fstat (PROGRESS_FD, &info) != 0
      || !S_ISFIFO (info.st_mode))
    return;
  g_ascii_formatd (digits, sizeof digits, "%.4f", fraction);
  g_snprintf (line, sizeof line, "%s\n", digits);
  /* where nobody reads any more, SIGPIPE ends this: nobody waits for it */
  (void) !write (PROGRESS_FD, line, strlen (line));
}

/* Hands on what a process tells of its progress, until it ends. FALSE: cancelled. */
static gboolean
follow (int fd,
        TsImportProgress progress,
        gpointer user_data,
        GCancellable *cancellable,
        GError **error)
{
  g_autoptr (GInputStream) stream = g_unix_input_stream_new (fd, TRUE);
  char buffer[512];
  char line[MAX_LINE + 1];
  gsize n_line = 0;
  gssize n;

  while ((n = g_input_stream_read (stream, buffer, sizeof buffer, cancellable, error)) > 0)
    for (gssize i = 0; i < n; i++)
      if (buffer[i] != '\n')
        {
          if (n_line < MAX_LINE)
            line[n_line++] = buffer[i];
        }
      else
        {
          double fraction;

          line[n_line] = '\0';
          n_line = 0;
          fraction = g_ascii_strtod (line, NULL);
          if (progress != NULL && fraction >= 0 && fraction <= 1)
            progress (fraction, user_data);
        }
  return n == 0;
}

/* Starts the program. @progress_fd: (out): where its progress is read. */
static GSubprocess *
start (const char *program,
       const char *path,
       char **folders,
       TsNames *names,
       const char *target,
       int *progress_fd,
       GError **error)
{
  /* as it was said, but for what looks like an option */
  g_autofree char *input = *path == '-' ? g_canonicalize_filename (path, NULL) : g_strdup (path);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GString) mark = g_string_new (G_STRINGIFY (PROGRESS_FD));
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  const char *const files[][2] = {
    { "--elf", names != NULL ? ts_names_get_elf_path (names) : NULL },
    { "--svd", names != NULL ? ts_names_get_svd_path (names) : NULL },
    { "--vaschema", names != NULL ? ts_names_get_schema_path (names) : NULL },
  };
  GSubprocess *process;
  int fds[2];

  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *escaped = g_strescape (folders[i], NULL);

      g_string_append_printf (mark, "\n%s", escaped);
    }
  g_subprocess_launcher_setenv (launcher, MARK, mark->str, TRUE);
  g_ptr_array_add (arguments, (char *) program);
  g_ptr_array_add (arguments, (char *) "decode");
  g_ptr_array_add (arguments, input);
  g_ptr_array_add (arguments, (char *) "--output");
  g_ptr_array_add (arguments, (char *) target);
  g_ptr_array_add (arguments, (char *) "--no-register");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (files[i][1] != NULL)
      {
        g_ptr_array_add (arguments, (char *) files[i][0]);
        g_ptr_array_add (arguments, (char *) files[i][1]);
      }
  g_ptr_array_add (arguments, NULL);
  if (!g_unix_open_pipe (fds, FD_CLOEXEC, error))
    return NULL;
  g_subprocess_launcher_take_fd (launcher, fds[1], PROGRESS_FD);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, error);
  /* the launcher's own end goes with it: the last writer is the program */
  g_subprocess_launcher_close (launcher);
  if (process == NULL)
    close (fds[0]);
  else
    *progress_fd = fds[0];
  return process;
}

/*
 * _ts_apart_import:
 * @program: what imports
 * @path: what it imports
 * @folders: (array zero-terminated=1): the traces that it reads
 * @names: (nullable): files of names
 * @output: path of the recording
 * @progress: (nullable): called with what it tells of its progress
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @summary: (out) (optional): figures
 * @error: return location
 *
 * Imports a file in a process of its own.
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG for a file that it breaks on; %TS_CAPTURE_ERROR_EMPTY,
 *   %TS_CAPTURE_ERROR_WRITE, %G_IO_ERROR_CANCELLED; those of starting a process
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_apart_import (const char *program,
                  const char *path,
                  char **folders,
                  TsNames *names,
                  const char *output,
                  TsImportProgress progress,
                  gpointer user_data,
                  GCancellable *cancellable,
                  TsRecordingSummary *summary,
                  GError **error)
{
  g_autofree char *target
      = *output == '-' ? g_canonicalize_filename (output, NULL) : g_strdup (output);
  g_autofree char *name = g_filename_display_name (path);
  /* what was there before may not have been touched yet */
  gboolean is_new = !g_file_test (target, G_FILE_TEST_EXISTS);
  g_autofree char *text = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  int progress_fd = -1;

  process = start (program, path, folders, names, target, &progress_fd, error);
  if (process == NULL)
    return FALSE;
  if (!follow (progress_fd, progress, user_data, cancellable, error)
      || !g_subprocess_communicate_utf8 (process, NULL, cancellable, &text, NULL, error))
    {
      g_subprocess_force_exit (process);
      g_subprocess_wait (process, NULL, NULL);
      if (is_new)
        remove_rest (target);
      return FALSE;
    }
  root = text != NULL && json_parser_load_from_data (parser, text, -1, NULL)
             ? json_parser_get_root (parser)
             : NULL;
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root)
      && json_object_has_member (json_node_get_object (root), "summary"))
    {
      if (summary != NULL)
        fill_summary (json_node_get_object (root), summary);
      return TRUE;
    }
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    {
      set_refusal (json_node_get_object (root), error);
      return FALSE;
    }
  if (is_new)
    remove_rest (target);
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               /* Translators: the numbers are the version */
               _("Cannot read the CTF trace “%s”: it is damaged, or Babeltrace %u.%u.%u has a fault "
                 "with it; try another version of Babeltrace."),
               name, bt_version_get_major (), bt_version_get_minor (), bt_version_get_patch ());
  return FALSE;
}
