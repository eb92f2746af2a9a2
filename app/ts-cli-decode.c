/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-decode.c: bytes of files to a recording. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capture/ts-ctrace-run.h"
#include "decode/ts-decoder.h"

#include "ts-cli.h"

/* A format that does not exist, told with the nearest one that does. */
static gboolean
check_format (const char *format,
              GError **error)
{
  const char * const *known = ts_decoder_list_formats ();
  g_autofree char *name = g_strndup (format, strcspn (format, ":"));
  const char *nearest;

  if (g_str_equal (format, "snapshot") || g_strv_contains (known, name))
    return TRUE;
  nearest = ts_cli_nearest (name, known);
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
               _("There is no format “%s”; did you mean “%s”?"), format,
               nearest != NULL ? nearest : "auto");
  return FALSE;
}

/* The format with what the flags say about trace streams behind it. */
static char *
dup_full_format (TsCliArgs *args,
                 const char *format)
{
  static const struct
  {
    const char *flag;
    const char *parameter;
  } parameters[] = { { "itm-port", "port" }, { "trace-id", "id" }, { "sync", "sync" } };
  GString *full = g_string_new (format);

  for (gsize i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (ts_cli_args_has (args, parameters[i].flag))
      g_string_append_printf (full, "%c%s=%s", strchr (full->str, ':') != NULL ? ',' : ':',
                              parameters[i].parameter, ts_cli_args_get (args, parameters[i].flag));
  return g_string_free (full, FALSE);
}

/* A trace run may have several captures, and one was decoded. */
static void
remark_on_captures (const char *path)
{
  g_auto (GStrv) captures = ts_import_list_captures (path);
  g_autofree char *list = NULL;

  if (captures == NULL || captures[0] == NULL || captures[1] == NULL)
    return;
  list = g_strjoinv (", ", captures + 1);
  ts_cli_remark (_("[info] the set has several captures: “%s” was decoded; decode the others by "
                   "their own names: %s"),
                 captures[0], list);
}

/**
 * ts_cli_decode:
 * @args: arguments
 * @error: return location
 *
 * Decodes files, parts of one stream in order, into a recording.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND, those of ts_import_files()
 * Source: events.md section 4, `decode`
 *
 * Returns: exit status
 */
int
ts_cli_decode (TsCliArgs *args,
               GError **error)
{
  const char *format = ts_cli_args_get (args, "format");
  const char *output = ts_cli_args_get (args, "output");
  g_autofree char *path = NULL;
  g_autofree char *used_format = NULL;
  g_autofree char *full_format = NULL;
  g_autofree char *id = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (TsNames) names = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  g_autoptr (GString) missing = g_string_new (NULL);
  TsRecordingSummary summary = { 0 };
  JsonObject *figures;
  gint64 clock_hz;
  gboolean ok;

  if (args->positional->len == 0)
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“decode” needs at least one file."));
      return 1;
    }
  if (g_strcmp0 (format, "snapshot") == 0)
    {
      if (args->positional->len == 1)
        return ts_cli_snapshot_image (args, ts_cli_args_get_positional (args, 0), "file", error);
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("A snapshot is one memory image: give one FILE@ADDRESS."));
      return 1;
    }
  if (!ts_cli_args_get_int (args, "clock-hz", 1, G_GINT64_CONSTANT (100000000000), 0, &clock_hz,
                            error)
      || !check_format (format != NULL ? format : "auto", error))
    return 1;
  for (guint i = 0; i < args->positional->len; i++)
    {
      const char *file = ts_cli_args_get_positional (args, i);

      if (!g_file_test (file, G_FILE_TEST_EXISTS))
        g_string_append_printf (missing, "%s%s", missing->len > 0 ? "”, “" : "", file);
      g_ptr_array_add (files, (gpointer) file);
    }
  if (missing->len > 0)
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("There is no file “%s”."),
                   missing->str);
      return 1;
    }
  g_ptr_array_add (files, NULL);
  /* Without --output the recording goes beside the first file. */
  path = ts_cli_dup_vadb_path (output != NULL && *output != '\0' ? output
                                                                 : g_ptr_array_index (files, 0));

  cancellable = ts_cli_interrupt_new ();
  full_format = dup_full_format (args, format != NULL ? format : "auto");
  names = ts_cli_names_new (args, FALSE, error);
  if (names == NULL)
    return 1;
  ok = ts_import_files_with_names ((const char * const *) files->pdata, full_format,
                                   (guint64) clock_hz, !ts_cli_args_has (args, "no-raw-log"), names,
                                   path, ts_cli_show_progress, NULL, cancellable, &summary,
                                   &used_format, error);
  ts_cli_end_progress ();
  if (!ok)
    return 1;

  if (g_str_has_suffix (g_ptr_array_index (files, 0), TS_CTRACE_RUN_SUFFIX))
    remark_on_captures (g_ptr_array_index (files, 0));
  id = ts_cli_dup_recording_id (path);
  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", path);
  ts_cli_envelope_add_text (object, "recording_id", id);
  figures = ts_cli_summary_to_json (&summary);
  ts_cli_envelope_add_text (figures, "format", used_format);
  json_object_set_object_member (object, "summary", figures);
  ts_cli_envelope_print (args, object);
  ts_recording_summary_clear (&summary);
  return 0;
}
