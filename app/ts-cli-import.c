/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-import.c: an instrument's series into a recording: `import`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>

#include "ts-cli.h"

/**
 * ts_cli_instrument_report_to_json:
 * @report: how an instrument's clock fits
 *
 * Returns: (transfer full): its figures
 */
JsonObject *
ts_cli_instrument_report_to_json (const TsInstrumentReport *report)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "channels", report->n_channels);
  json_object_set_int_member (object, "samples", (gint64) report->n_samples);
  json_object_set_int_member (object, "marks", report->n_marks);
  json_object_set_int_member (object, "matched_pairs", report->n_matched);
  json_object_set_double_member (object, "offset_us", report->offset_us);
  json_object_set_double_member (object, "drift_ppm", report->drift_ppm);
  json_object_set_double_member (object, "mean_resid_us", report->mean_resid_us);
  json_object_set_double_member (object, "max_resid_us", report->max_resid_us);
  return object;
}

/* A folder, or the file that stands for one with a CTF trace: no recording. */
static gboolean
is_trace (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return g_file_test (path, G_FILE_TEST_IS_DIR) || g_str_equal (name, "metadata");
}

/**
 * ts_cli_import:
 * @args: arguments
 * @error: return location
 *
 * Merges an instrument's series into a recording, its clock laid on the recording's by marks that
 * both know. The recording is replaced when all of it is written, or another one made (--output).
 * With a trace and no series it is `decode`, under the name that reading a trace has elsewhere.
 *
 * Errors: those of the recording and of the series
 * Source: viewalyzer-host.md section 3.2, `import`; the format of the series is ours
 *
 * Returns: exit status
 */
int
ts_cli_import (TsCliArgs *args,
               GError **error)
{
  const char *series = ts_cli_args_get (args, "series");
  const char *output = ts_cli_args_get (args, "output");
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsInstrument) instrument = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  g_autoptr (JsonObject) object = NULL;
  g_autofree char *path = NULL;
  g_autofree char *id = NULL;
  TsInstrumentReport report;
  gint64 max_resid_us;
  gboolean ok;

  if ((series == NULL || *series == '\0') && args->positional->len > 0
      && is_trace (ts_cli_args_get_positional (args, 0)))
    return ts_cli_decode (args, error);
  if (!ts_cli_args_get_int (args, "max-resid-us", 1, 1000000000, 0, &max_resid_us, error))
    return 1;
  if (series == NULL || *series == '\0')
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“import” needs --series with the file of an instrument."));
      return 1;
    }
  recording = ts_cli_open_recording (args, error);
  if (recording == NULL || (instrument = ts_instrument_load (series, error)) == NULL)
    return 1;
  cancellable = ts_cli_interrupt_new ();
  if (!ts_instrument_fit (instrument, recording, (double) max_resid_us, &report, cancellable,
                          error))
    return 1;
  path = output != NULL && *output != '\0' ? ts_cli_dup_vadb_path (output)
                                           : g_strdup (ts_recording_get_path (recording));
  ok = ts_instrument_merge (instrument, recording, path, ts_cli_show_progress, NULL, cancellable,
                            error);
  ts_cli_end_progress ();
  if (!ok)
    return 1;

  ts_cli_remark_claims (path);
  id = ts_cli_dup_recording_id (path);
  object = ts_cli_envelope_new ();
  ts_cli_envelope_add_text (object, "path", path);
  ts_cli_envelope_add_text (object, "recording_id", id);
  json_object_set_object_member (object, "summary", ts_cli_instrument_report_to_json (&report));
  ts_cli_envelope_print (args, object);
  return 0;
}
