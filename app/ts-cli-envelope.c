/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-envelope.c: JSON answers, error envelopes, and the one table from errors to their public
 * codes. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/ts-decoder.h"

#include "ts-cli.h"

G_DEFINE_QUARK (ts-cli-error-quark, ts_cli_error)

#define ANY_CODE -1

typedef struct
{
  GQuark (*domain) (void);
  int code;
  const char *name;
} ErrorName;

static GQuark
io_error_quark (void)
{
  return G_IO_ERROR;
}

/* Source: viewalyzer-host.md section 3.6. The first row that fits counts. */
static const ErrorName error_names[] = {
  { ts_cli_error_quark, TS_CLI_ERROR_BAD_ARGUMENTS, "bad_arguments" },
  { ts_cli_error_quark, TS_CLI_ERROR_NO_SUCH_RECORDING, "no_such_recording" },
  { ts_cli_error_quark, TS_CLI_ERROR_FILE_NOT_FOUND, "file_not_found" },
  { ts_cli_error_quark, TS_CLI_ERROR_UNSUPPORTED, "unsupported" },
  { ts_cli_error_quark, TS_CLI_ERROR_ETM_NOT_PRESENT, "etm_not_present" },
  { ts_cli_error_quark, TS_CLI_ERROR_EMPTY_SNAPSHOT, "empty_snapshot" },
  { ts_cli_error_quark, TS_CLI_ERROR_SNAPSHOT_FAILED, "snapshot_failed" },
  { ts_model_error_quark, TS_MODEL_ERROR_NO_SUCH_RECORDING, "no_such_recording" },
  { ts_model_error_quark, TS_MODEL_ERROR_BAD_RECORDING, "bad_recording" },
  { ts_model_error_quark, TS_MODEL_ERROR_WRITE, "capture_failed" },
  { ts_model_error_quark, TS_MODEL_ERROR_BAD_SQL, "bad_sql" },
  { ts_model_error_quark, TS_MODEL_ERROR_BAD_ARGUMENTS, "bad_arguments" },
  { ts_model_error_quark, TS_MODEL_ERROR_WINDOW_TOO_WIDE, "window_too_wide" },
  { ts_model_error_quark, TS_MODEL_ERROR_NO_HW_TRACE, "no_hw_trace" },
  { ts_model_error_quark, TS_MODEL_ERROR_CANCELLED, "cancelled" },
  { ts_decode_error_quark, ANY_CODE, "bad_arguments" },
  { ts_capture_error_quark, TS_CAPTURE_ERROR_BAD_CONFIG, "bad_config" },
  { ts_capture_error_quark, TS_CAPTURE_ERROR_EMPTY, "empty_capture" },
  { ts_capture_error_quark, TS_CAPTURE_ERROR_NO_SYMBOL, "symbol_not_found" },
  { ts_capture_error_quark, ANY_CODE, "capture_failed" },
  { io_error_quark, G_IO_ERROR_NOT_FOUND, "file_not_found" },
  { g_file_error_quark, G_FILE_ERROR_NOENT, "file_not_found" },
  { g_file_error_quark, ANY_CODE, "bad_arguments" },
  { io_error_quark, G_IO_ERROR_CANCELLED, "cancelled" },
};

static const char *
name_error (const GError *error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (error_names); i++)
    if (error->domain == error_names[i].domain ()
        && (error_names[i].code == ANY_CODE || error_names[i].code == error->code))
      return error_names[i].name;
  return "internal";
}

/**
 * ts_cli_get_schema_version:
 * @args: arguments
 *
 * Suites written for older programs compare the version with 1; --schema 1, or the environment
 * variable TASKSCOPE_SCHEMA, lets every answer tell that. Nothing else changes: answers hold the
 * spellings of both.
 *
 * Source: viewalyzer-host.md section 3.11
 *
 * Returns: 2, or 1 if asked for
 */
int
ts_cli_get_schema_version (TsCliArgs *args)
{
  const char *wanted = ts_cli_args_get (args, "schema");

  if (wanted == NULL)
    wanted = g_getenv ("TASKSCOPE_SCHEMA");
  return g_strcmp0 (wanted, "1") == 0 ? 1 : TS_CLI_SCHEMA_VERSION;
}

/**
 * ts_cli_envelope_new:
 *
 * Returns: (transfer full): an object with the schema version
 */
JsonObject *
ts_cli_envelope_new (void)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "schema_version", TS_CLI_SCHEMA_VERSION);
  return object;
}

/**
 * ts_cli_envelope_add_text:
 * @object: an object
 * @key: name of a member
 * @text: (nullable): bytes that should be UTF-8, such as a path; broken ones are replaced
 */
void
ts_cli_envelope_add_text (JsonObject *object,
                          const char *key,
                          const char *text)
{
  g_autofree char *valid = NULL;

  if (text == NULL)
    {
      json_object_set_null_member (object, key);
      return;
    }
  valid = g_utf8_make_valid (text, -1);
  json_object_set_string_member (object, key, valid);
}

/**
 * ts_cli_dup_json:
 * @node: a value
 * @is_pretty: indented, on lines of its own
 *
 * JSON as it is printed, whatever a name out of a file, a symbol table or an argument held:
 * valid UTF-8, and every control character escaped; json-glib 1.6 leaves U+001F as it is.
 *
 * Source: RFC 8259 section 7
 *
 * Returns: (transfer full): the text
 */
char *
ts_cli_dup_json (JsonNode *node,
                 gboolean is_pretty)
{
  g_autofree char *text = json_to_string (node, is_pretty);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) parts = NULL;

  if (strchr (valid, 0x1F) == NULL)
    return g_steal_pointer (&valid);
  parts = g_strsplit (valid, "\x1f", -1);
  return g_strjoinv ("\\u001f", parts);
}

/**
 * ts_cli_envelope_print:
 * @args: arguments, for --pretty
 * @object: (transfer none): what to print
 *
 * Prints one JSON value, one line unless --pretty was given.
 */
void
ts_cli_envelope_print (TsCliArgs *args,
                       JsonObject *object)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *text = NULL;

  if (json_object_has_member (object, "schema_version"))
    json_object_set_int_member (object, "schema_version", ts_cli_get_schema_version (args));
  json_node_set_object (node, object);
  text = ts_cli_dup_json (node, args->is_pretty);
  ts_cli_print_line ("%s", text);
}

/* What to ask instead of a window that is too wide: numbers where the query could tell them. */
static JsonObject *
make_suggestion (TsCliArgs *args)
{
  const TsQuerySuggestion *known = &args->suggestion;
  const char *budget = ts_cli_args_get (args, "budget");
  JsonObject *suggestion = json_object_new ();

  if (known->t_end_us > 0)
    {
      json_object_set_int_member (suggestion, "t_start_us", known->t_start_us);
      json_object_set_int_member (suggestion, "t_end_us", known->t_end_us);
    }
  if (known->bucket_us > 0)
    json_object_set_int_member (suggestion, "bucket_us", known->bucket_us);
  if (known->lanes[0] != '\0')
    json_object_set_string_member (suggestion, "lanes", known->lanes);
  json_object_set_string_member (suggestion, "window",
                                 _("Ask for a narrower window (--t-start-us, --t-end-us)."));
  if (budget == NULL || !g_str_equal (budget, "high"))
    json_object_set_string_member (suggestion, "budget", "high");
  json_object_set_string_member (suggestion, "kinds",
                                 _("Ask for fewer kinds of events (--kinds)."));
  return suggestion;
}

/**
 * ts_cli_envelope_print_error:
 * @args: arguments, for --pretty
 * @error: what went wrong
 *
 * Prints an error envelope.
 *
 * Source: viewalyzer-host.md section 3.6
 */
void
ts_cli_envelope_print_error (TsCliArgs *args,
                             const GError *error)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();

  ts_cli_envelope_add_text (object, "error", name_error (error));
  ts_cli_envelope_add_text (object, "message", error->message);
  if (g_error_matches (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE))
    json_object_set_object_member (object, "suggestion", make_suggestion (args));
  ts_cli_envelope_print (args, object);
}

/**
 * ts_cli_summary_to_json:
 * @summary: figures of a recording
 *
 * Returns: (transfer full): them as `decode`, `demo` and `capture` tell them; `null` where the
 * stream cannot tell a loss
 */
JsonObject *
ts_cli_summary_to_json (const TsRecordingSummary *summary)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "events", (gint64) summary->events);
  if (summary->lost_events >= 0)
    json_object_set_int_member (object, "lost_events", summary->lost_events);
  else
    json_object_set_null_member (object, "lost_events");
  if (summary->seq_gaps >= 0)
    json_object_set_int_member (object, "seq_gaps", summary->seq_gaps);
  else
    json_object_set_null_member (object, "seq_gaps");
  json_object_set_int_member (object, "corrupt_bytes", (gint64) summary->corrupt_bytes);
  json_object_set_int_member (object, "duration_us", summary->duration_us);
  ts_cli_envelope_add_text (object, "os", summary->os);
  json_object_set_int_member (object, "cpu_hz", (gint64) summary->cpu_hz);
  json_object_set_int_member (object, "bytes", (gint64) summary->raw_bytes);
  return object;
}

/**
 * ts_cli_dup_printable:
 * @text: one line
 *
 * What comes from outside (names of files, of devices) may hold control characters, which would move
 * the terminal's cursor or fake a line of ours: they are shown as \x1B. Tabs stay.
 *
 * Returns: (transfer full): the line, without an end of line
 */
char *
ts_cli_dup_printable (const char *text)
{
  GString *line = g_string_sized_new (strlen (text) + 1);

  for (const char *p = text; *p != '\0';)
    {
      gunichar c = g_utf8_get_char_validated (p, -1);
      const char *next = (gint32) c < 0 ? p + 1 : g_utf8_next_char (p);

      if ((gint32) c < 0)
        g_string_append_printf (line, "\\x%02X", (guint8) *p);
      else if ((c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0))
        g_string_append_printf (line, "\\x%02X", c);
      else
        g_string_append_len (line, p, next - p);
      p = next;
    }

  return g_string_free (line, FALSE);
}

/**
 * ts_cli_print_line:
 * @format: printf format
 * @...: its arguments
 *
 * Prints one line of UTF-8 to standard output at once, whatever the locale.
 */
void
ts_cli_print_line (const char *format,
                   ...)
{
  va_list arguments;

  va_start (arguments, format);
  vfprintf (stdout, format, arguments);
  va_end (arguments);
  fputc ('\n', stdout);
  fflush (stdout);
}

/**
 * ts_cli_remark:
 * @format: printf format
 * @...: its arguments
 *
 * Prints one line for people to standard error, see ts_cli_dup_printable().
 */
void
ts_cli_remark (const char *format,
               ...)
{
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = ts_cli_dup_printable (text);
  fprintf (stderr, "%s\n", line);
}
