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

/* What is the same for all that one call decodes. */
typedef struct
{
  TsCliArgs *args;
  const char *format;
  guint64 clock_hz;
  TsNames *names;
  GCancellable *cancellable;
} Decode;

/* One recording, and what is told of it; NULL with @error set. */
static JsonObject *
decode_one (const Decode *self,
            const char *const *files,
            const char *path,
            GError **error)
{
  g_autofree char *used_format = NULL;
  g_autofree char *id = NULL;
  TsRecordingSummary summary = { 0 };
  JsonObject *object;
  JsonObject *figures;
  gboolean ok;

  ok = ts_import_files_with_names (files, self->format, self->clock_hz,
                                   !ts_cli_args_has (self->args, "no-raw-log"), self->names, path,
                                   ts_cli_show_progress, NULL, self->cancellable, &summary,
                                   &used_format, error);
  ts_cli_end_progress ();
  if (!ok)
    return NULL;
  ts_cli_remark_claims (path);
  id = ts_cli_dup_recording_id (path);
  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", path);
  ts_cli_envelope_add_text (object, "recording_id", id);
  figures = ts_cli_summary_to_json (&summary);
  ts_cli_envelope_add_text (figures, "format", used_format);
  json_object_set_object_member (object, "summary", figures);
  ts_recording_summary_clear (&summary);
  return object;
}

/* Where the recording of another capture of a trace run goes: beside the first, its channel in the
 * name. */
static char *
dup_path_of_capture (const char *path,
                     const char *capture)
{
  g_autofree char *stem = g_strndup (capture, strlen (capture) - strlen (".raw"));
  g_autofree char *first
      = g_strndup (path, strlen (path) - (g_str_has_suffix (path, ".vadb") ? strlen (".vadb") : 0));
  const char *channel = strrchr (stem, '.');

  return g_strconcat (first, channel, ".vadb", NULL);
}

/* Decodes the other captures of a trace run, and lists all in @object. One that fails does not stop
 * those that follow; @error is that of the first. */
static gboolean
decode_others (const Decode *self,
               char **captures,
               const char *path,
               JsonObject *object,
               GError **error)
{
  JsonArray *list = json_array_new ();
  JsonObject *first = json_object_new ();
  GError *failure = NULL;

  json_object_set_string_member (first, "path", path);
  json_object_set_string_member (first, "capture", captures[0]);
  json_array_add_object_element (list, first);
  for (guint i = 1; captures[i] != NULL; i++)
    {
      g_autofree char *other = dup_path_of_capture (path, captures[i]);
      const char *files[] = { captures[i], NULL };
      JsonObject *told = decode_one (self, files, other, failure == NULL ? &failure : NULL);

      if (told == NULL)
        continue;
      json_object_remove_member (told, "schema_version");
      json_object_set_string_member (told, "capture", captures[i]);
      json_array_add_object_element (list, told);
    }
  json_object_set_array_member (object, "recordings", list);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

/**
 * ts_cli_decode:
 * @args: arguments
 * @error: return location
 *
 * Decodes files, parts of one stream in order, into a recording; the captures of a trace run into one
 * each.
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
  g_autofree char *full_format = NULL;
  g_auto (GStrv) captures = NULL;
  Decode decode = { .args = args };
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (TsNames) names = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  g_autoptr (GString) missing = g_string_new (NULL);
  gint64 clock_hz;

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
  decode.format = full_format;
  decode.clock_hz = (guint64) clock_hz;
  decode.names = names;
  decode.cancellable = cancellable;
  object = decode_one (&decode, (const char *const *) files->pdata, path, error);
  if (object == NULL)
    return 1;
  if (g_str_has_suffix (g_ptr_array_index (files, 0), TS_CTRACE_RUN_SUFFIX))
    captures = ts_import_list_captures (g_ptr_array_index (files, 0));
  if (captures != NULL && captures[0] != NULL && captures[1] != NULL
      && !decode_others (&decode, captures, path, object, error))
    return 1;
  ts_cli_envelope_print (args, object);
  return 0;
}
