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

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "ts-capture-session.h"
#include "ts-import-apart-private.h"

#define PROGRAM "taskscope-cli"
/* Set for that program: it reads itself. */
#define MARK "TASKSCOPE_IMPORTS_ITSELF"

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
 * _ts_apart_import:
 * @program: what imports
 * @path: what it imports
 * @names: (nullable): files of names
 * @output: path of the recording
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
                  TsNames *names,
                  const char *output,
                  GCancellable *cancellable,
                  TsRecordingSummary *summary,
                  GError **error)
{
  /* as they were said, but for those that look like an option */
  g_autofree char *input = *path == '-' ? g_canonicalize_filename (path, NULL) : g_strdup (path);
  g_autofree char *target
      = *output == '-' ? g_canonicalize_filename (output, NULL) : g_strdup (output);
  g_autofree char *name = g_filename_display_name (path);
  static const char *const files[] = { "--elf", "--svd" };
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  /* what was there before may not have been touched yet */
  gboolean is_new = !g_file_test (target, G_FILE_TEST_EXISTS);
  g_autofree char *text = NULL;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  g_subprocess_launcher_setenv (launcher, MARK, "1", TRUE);
  g_ptr_array_add (arguments, (char *) program);
  g_ptr_array_add (arguments, (char *) "decode");
  g_ptr_array_add (arguments, input);
  g_ptr_array_add (arguments, (char *) "--output");
  g_ptr_array_add (arguments, target);
  g_ptr_array_add (arguments, (char *) "--no-register");
  for (guint i = 0; names != NULL && i < G_N_ELEMENTS (files); i++)
    {
      const char *file = i == 0 ? ts_names_get_elf_path (names) : ts_names_get_svd_path (names);

      if (file == NULL)
        continue;
      g_ptr_array_add (arguments, (char *) files[i]);
      g_ptr_array_add (arguments, (char *) file);
    }
  g_ptr_array_add (arguments, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, error);
  if (process == NULL)
    return FALSE;
  if (!g_subprocess_communicate_utf8 (process, NULL, cancellable, &text, NULL, error))
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
               _("Cannot read the CTF trace “%s”: it is damaged in a way that ends Babeltrace."),
               name);
  return FALSE;
}
