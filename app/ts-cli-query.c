/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-query.c: questions to a recording: `query`, `print`, `export`, `render`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <gio/gunixoutputstream.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/ts-export-ctf.h"
#include "model/ts-export-perfetto.h"
#include "model/ts-export-vadb.h"
#include "ui/draw/ts-painter.h"

#include "ts-cli.h"

/* Source: viewalyzer-host.md section 3.7 */
static const char *const query_verbs[] = {
  "summary",  "timeline",    "events",        "user-traces", "sql",
  "timers",   "cpu",         "comms",         "series",      "inversions",
  "verdicts", "slices",      "slice-details", "events-all",  "user-traces-all",
  "profile",  "itm-console", "dwt-data",      "dwt-exc",     "dwt-counters",
  "swo-load", "fingerprint", "compare",       "etm",         NULL,
};

/**
 * ts_cli_list_queries:
 *
 * Returns: (transfer none) (array zero-terminated=1): what `query` can be asked
 */
const char *const *
ts_cli_list_queries (void)
{
  return query_verbs;
}

static gboolean
check_query_verb (const char *verb,
                  GError **error)
{
  g_autofree char *known = g_strjoinv (", ", (char **) query_verbs);
  const char *nearest;

  if (verb == NULL)
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“query” needs a question: %s."), known);
      return FALSE;
    }
  if (ts_query_is_known (verb))
    return TRUE;
  if (g_str_equal (verb, "etm"))
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_ETM_NOT_PRESENT,
                         _("This recording format has no instruction trace queries."));
  else if ((nearest = ts_cli_nearest (verb, query_verbs)) != NULL)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no query “%s”; did you mean “%s”?"), verb, nearest);
  else
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no query “%s”; there are %s."), verb, known);
  return FALSE;
}

static gboolean
get_percent (TsCliArgs *args,
             const char *name,
             double *value,
             GError **error)
{
  const char *text = ts_cli_args_get (args, name);
  char *end = NULL;

  *value = -1.0;
  if (text == NULL)
    return TRUE;
  *value = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *value >= 0.0 && *value <= 1e6)
    return TRUE;
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
               _("--%s is “%s”; it must be a number of percent, 0 or more."), name, text);
  return FALSE;
}

/* Flags of `query` alone; the lists are owned by the caller. */
static gboolean
read_query_options (TsCliArgs *args,
                    TsQueryOptions *options,
                    char ***runs,
                    char ***sections,
                    GError **error)
{
  const char *form = ts_cli_args_get (args, "as");

  if (!ts_cli_args_get_int (args, "threshold-us", 0, G_MAXINT64 / 2, -1, &options->threshold_us,
                            error)
      || !ts_cli_args_get_int (args, "port", 0, 31, -1, &options->port, error)
      || !get_percent (args, "tolerance-pct", &options->tolerance_pct, error)
      || !get_percent (args, "warn-pct", &options->warn_pct, error))
    return FALSE;
  options->kind = ts_cli_args_get (args, "kind");
  options->task = ts_cli_args_get (args, "task");
  options->metric = ts_cli_args_get (args, "metric");
  options->from = ts_cli_args_get (args, "from");
  options->to = ts_cli_args_get (args, "to");
  options->out = ts_cli_args_get (args, "out");
  options->baseline = ts_cli_args_get (args, "baseline");
  options->elf = ts_cli_args_get (args, "elf");
  options->svd = ts_cli_args_get (args, "svd");
  *runs = ts_cli_args_dup_list (args, "runs");
  *sections = ts_cli_args_dup_list (args, "sections");
  options->runs = (const char * const *) *runs;
  options->sections = (const char * const *) *sections;
  options->schema_version = ts_cli_get_schema_version (args);
  /* A row of the other forms is a line. */
  options->is_pretty
      = args->is_pretty && (form == NULL || g_str_equal (form, "json"));
  options->suggestion = &args->suggestion;
  return TRUE;
}

/* Flags to options; the lists are owned by the caller. */
static gboolean
read_options (TsCliArgs *args,
              TsQueryOptions *options,
              char ***kinds,
              char ***channels,
              char ***lanes,
              GError **error)
{
  if (!ts_cli_get_window (args, &options->t_start_us, &options->t_end_us, error)
      || !ts_cli_args_get_int (args, "bucket-us", 1, G_MAXINT64 / 2, -1, &options->bucket_us, error)
      || !ts_cli_args_get_int (args, "max-slices", 1, G_MAXINT64 / 2, -1, &options->max_slices,
                               error))
    return FALSE;
  options->tier = ts_cli_args_get (args, "tier");
  options->budget = ts_cli_args_get (args, "budget");
  options->sql = ts_cli_args_get (args, "sql");
  *kinds = ts_cli_args_dup_list (args, "kinds");
  *channels = ts_cli_args_dup_list (args, "channels");
  *lanes = ts_cli_args_dup_list (args, "lanes");
  options->kinds = (const char * const *) *kinds;
  options->channels = (const char * const *) *channels;
  options->lanes = (const char * const *) *lanes;
  return TRUE;
}

/* Recordings named by id or path become paths; each that is none is named. */
static gboolean
resolve_recordings (char **references,
                    GError **error)
{
  g_autoptr (GString) wrong = g_string_new (NULL);
  g_autoptr (GError) first = NULL;

  for (gsize i = 0; references != NULL && references[i] != NULL; i++)
    {
      g_autoptr (GError) cause = NULL;
      char *path = ts_cli_index_dup_path (references[i], &cause);

      if (path != NULL)
        {
          g_free (references[i]);
          references[i] = path;
          continue;
        }
      g_string_append_printf (wrong, "%s%s", wrong->len > 0 ? " " : "", cause->message);
      if (first == NULL)
        first = g_steal_pointer (&cause);
    }
  if (first == NULL)
    return TRUE;
  g_set_error_literal (error, first->domain, first->code, wrong->str);
  return FALSE;
}

static gboolean
stream_answer (TsCliArgs *args,
               TsRecording *recording,
               const char *verb,
               const TsQueryOptions *options,
               GCancellable *cancellable,
               GError **error)
{
  const char *form = ts_cli_args_get (args, "as");
  g_autoptr (GOutputStream) stream = NULL;

  if (form == NULL || g_str_equal (form, "json"))
    stream = g_unix_output_stream_new (STDOUT_FILENO, FALSE);
  else
    stream = ts_cli_rows_stream_new (g_str_equal (form, "table"));
  return ts_query_stream (recording, verb, options, stream, cancellable, error)
         && g_output_stream_close (stream, NULL, error);
}

/* Status 2: the comparison failed, and that is an answer. Source: viewalyzer-host.md section 3.4 */
static int
find_status (JsonObject *answer)
{
  const char *verdict = json_object_get_string_member_with_default (answer, "verdict", NULL);

  return g_strcmp0 (verdict, "fail") == 0 ? 2 : 0;
}

/**
 * ts_cli_query:
 * @args: arguments
 * @error: return location
 *
 * Source: viewalyzer-host.md section 3.7
 *
 * Returns: exit status
 */
int
ts_cli_query (TsCliArgs *args,
              GError **error)
{
  const char *verb = ts_cli_args_get_positional (args, 0);
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (JsonNode) answer = NULL;
  g_auto (GStrv) kinds = NULL;
  g_auto (GStrv) channels = NULL;
  g_auto (GStrv) lanes = NULL;
  g_auto (GStrv) runs = NULL;
  g_auto (GStrv) sections = NULL;

  if (!check_query_verb (verb, error) || !ts_cli_as_check (args, verb, error)
      || !read_options (args, &options, &kinds, &channels, &lanes, error)
      || !read_query_options (args, &options, &runs, &sections, error)
      || !resolve_recordings (runs, error))
    return 1;
  recording = ts_cli_open_recording (args, error);
  if (recording == NULL)
    return 1;
  cancellable = ts_cli_interrupt_new ();
  if (ts_query_is_stream (verb))
    return stream_answer (args, recording, verb, &options, cancellable, error) ? 0 : 1;
  answer = ts_query_run (recording, verb, &options, cancellable, error);
  if (answer == NULL)
    return 1;
  ts_cli_as_print (args, json_node_get_object (answer), recording);
  return find_status (json_node_get_object (answer));
}

/**
 * ts_cli_print:
 * @args: arguments
 * @error: return location
 *
 * Prints one line per event to standard output.
 *
 * Source: events.md section 4, `print`
 *
 * Returns: exit status
 */
int
ts_cli_print (TsCliArgs *args,
              GError **error)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (GOutputStream) standard = NULL;
  g_autoptr (GOutputStream) stream = NULL;
  g_auto (GStrv) kinds = NULL;
  g_auto (GStrv) channels = NULL;
  g_auto (GStrv) lanes = NULL;
  guint64 n_events;

  if (!read_options (args, &options, &kinds, &channels, &lanes, error))
    return 1;
  recording = ts_cli_open_recording (args, error);
  if (recording == NULL)
    return 1;
  cancellable = ts_cli_interrupt_new ();
  standard = g_unix_output_stream_new (STDOUT_FILENO, FALSE);
  stream = g_buffered_output_stream_new_sized (standard, 1 << 16);
  if (!ts_export_print (recording, stream, &options, cancellable, &n_events, error))
    return 1;
  return g_output_stream_flush (stream, NULL, error) ? 0 : 1;
}

static gboolean
export_picture (TsCliArgs *args,
                TsRecording *recording,
                const char *path,
                const char *format,
                const TsQueryOptions *options,
                GCancellable *cancellable,
                GError **error)
{
  TsPictureOptions picture = { .format = format,
                               .t_start_us = options->t_start_us,
                               .t_end_us = options->t_end_us,
                               .lanes = options->lanes,
                               .dark = ts_cli_args_has (args, "dark"),
                               .progress = ts_cli_show_progress,
                               .cancellable = cancellable };
  gint64 width;
  gint64 height;

  if (!ts_cli_args_get_int (args, "width", 64, 16384, 1600, &width, error)
      || !ts_cli_args_get_int (args, "height", 64, 16384, 900, &height, error))
    return FALSE;
  picture.width = (int) width;
  picture.height = (int) height;
  return ts_picture_export (recording, path, &picture, error);
}

/* What to write: --to, else the extension of the output, else png for `render`. */
static const char *
find_target (TsCliArgs *args,
             const char *output,
             GError **error)
{
  static const char * const built[] = { "vadb", "csv", "perfetto", "ctf", "png", "svg", "pdf",
                                        NULL };
  const char *to = ts_cli_args_get (args, "to");
  const char *nearest;

  if (to == NULL && g_str_equal (args->verb, "render"))
    to = "png";
  if (to == NULL && g_str_has_suffix (output, ".json"))
    to = "perfetto";
  for (gsize i = 0; to == NULL && built[i] != NULL; i++)
    {
      g_autofree char *suffix = g_strconcat (".", built[i], NULL);

      if (g_str_has_suffix (output, suffix))
        to = built[i];
    }
  if (to == NULL)
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                         _("“export” needs --to: vadb, csv, perfetto, ctf, png, svg or pdf."));
  else if (g_strv_contains (built, to))
    return to;
  else if ((nearest = ts_cli_nearest (to, built)) != NULL)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no export to “%s”; did you mean “%s”?"), to, nearest);
  else
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no export to “%s”; there are vadb, csv, perfetto, ctf, png, svg and "
                   "pdf."),
                 to);
  return NULL;
}

/* A picture is renamed onto its target: that must not be the recording, nor a device or a FIFO. */
static gboolean
check_target_file (TsRecording *recording,
                   const char *output,
                   GError **error)
{
  g_autofree char *name = g_filename_display_name (output);
  GStatBuf target, source;

  if (g_stat (output, &target) != 0 || S_ISDIR (target.st_mode))
    return TRUE;
  if (!S_ISREG (target.st_mode))
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                 _("Cannot write %s: it is not a file."), name);
  else if (g_stat (ts_recording_get_path (recording), &source) == 0
           && source.st_dev == target.st_dev && source.st_ino == target.st_ino)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                 _("Cannot write %s: it is the recording itself; give another name."), name);
  else
    return TRUE;
  return FALSE;
}

/**
 * ts_cli_export:
 * @args: arguments
 * @error: return location
 *
 * Writes a recording, or a part of it, in another form.
 *
 * Source: events.md section 4, `export`
 *
 * Returns: exit status
 */
int
ts_cli_export (TsCliArgs *args,
               GError **error)
{
  const char *output = ts_cli_args_get (args, "output");
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_auto (GStrv) kinds = NULL;
  g_auto (GStrv) channels = NULL;
  g_auto (GStrv) lanes = NULL;
  const char *to;
  guint64 n_events = 0;
  gboolean ok;

  if (output == NULL || *output == '\0')
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” needs --output with the path of the file to write."), args->verb);
      return 1;
    }
  to = find_target (args, output, error);
  if (to == NULL || !read_options (args, &options, &kinds, &channels, &lanes, error))
    return 1;
  recording = ts_cli_open_recording (args, error);
  if (recording == NULL)
    return 1;
  cancellable = ts_cli_interrupt_new ();
  if (g_str_equal (to, "csv"))
    ok = ts_export_csv (recording, output, &options, ts_cli_args_has (args, "rebase"),
                        ts_cli_show_progress, NULL, cancellable, &n_events, error);
  else if (g_str_equal (to, "vadb"))
    ok = ts_export_vadb (recording, output, &options, ts_cli_args_has (args, "rebase"),
                         ts_cli_show_progress, NULL, cancellable, &n_events, error);
  else if (g_str_equal (to, "perfetto"))
    ok = ts_export_perfetto (recording, output, &options, ts_cli_args_has (args, "rebase"),
                             ts_cli_show_progress, NULL, cancellable, &n_events, error);
  else if (g_str_equal (to, "ctf"))
    ok = ts_export_ctf (recording, output, &options, ts_cli_args_has (args, "rebase"),
                        ts_cli_show_progress, NULL, cancellable, &n_events, error);
  else
    {
      ok = check_target_file (recording, output, error)
           && export_picture (args, recording, output, to, &options, cancellable, error);
      n_events = ts_recording_get_n_events (recording);
    }
  ts_cli_end_progress ();
  if (!ok)
    return 1;
  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", output);
  json_object_set_int_member (object, "events", (gint64) n_events);
  ts_cli_envelope_print (args, object);
  return 0;
}
