/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-fingerprint.c: golden runs: `fingerprint` and `compare`. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-fingerprint.h"
#include "ts-query-private.h"

/* Names of files may be other bytes than UTF-8, an answer may not. */
static void
add_path (JsonObject *object,
          const char *key,
          const char *path)
{
  g_autofree char *valid = g_utf8_make_valid (path, -1);

  json_object_set_string_member (object, key, valid);
}

static JsonArray *
make_list (const char *const *texts)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; texts[i] != NULL; i++)
    json_array_add_string_element (array, texts[i]);
  return array;
}

/* Further runs widen the envelope. */
static gboolean
merge_runs (TsQuery *query,
            TsFingerprint *fingerprint,
            GError **error)
{
  const char *const *runs = query->options->runs;

  for (guint i = 0; runs != NULL && runs[i] != NULL; i++)
    {
      g_autoptr (TsRecording) recording = ts_recording_open (runs[i], error);
      g_autoptr (TsFingerprint) other = NULL;

      if (recording == NULL)
        return FALSE;
      other = ts_fingerprint_new (recording, query->options->sections, query->cancellable, error);
      if (other == NULL)
        return FALSE;
      ts_fingerprint_merge (fingerprint, other);
    }
  return TRUE;
}

/* Source: viewalyzer-host.md section 3.8 */
gboolean
_ts_query_fingerprint (TsQuery *query,
                       GError **error)
{
  const TsQueryOptions *options = query->options;
  g_autoptr (TsFingerprint) fingerprint
      = ts_fingerprint_new (query->recording, options->sections, query->cancellable, error);

  if (fingerprint == NULL || !merge_runs (query, fingerprint, error))
    return FALSE;
  ts_fingerprint_set_tolerance (fingerprint, options->tolerance_pct, options->warn_pct);
  ts_fingerprint_limit (fingerprint);

  json_object_set_array_member (query->answer, "sections",
                                make_list (ts_fingerprint_get_sections (fingerprint)));
  json_object_set_int_member (query->answer, "runs_merged",
                              ts_fingerprint_get_n_runs (fingerprint));
  json_object_set_int_member (query->answer, "items_left_out",
                              ts_fingerprint_get_n_left_out (fingerprint));
  json_object_set_object_member (query->answer, "provenance",
                                 json_object_ref (ts_fingerprint_get_provenance (fingerprint)));
  json_object_set_object_member (query->answer, "metrics",
                                 ts_fingerprint_metrics_to_json (fingerprint));
  if (options->out != NULL)
    {
      if (!ts_fingerprint_save (fingerprint, options->out, error))
        return FALSE;
      add_path (query->answer, "out", options->out);
    }
  return TRUE;
}

static TsFingerprint *
load_baseline (TsQuery *query,
               GError **error)
{
  const char *path = query->options->baseline;
  g_autoptr (TsRecording) recording = NULL;
  TsFingerprint *fingerprint;

  if (!g_str_has_suffix (path, ".vadb"))
    return ts_fingerprint_load (path, error);
  recording = ts_recording_open (path, error);
  if (recording == NULL)
    return NULL;
  fingerprint
      = ts_fingerprint_new (recording, query->options->sections, query->cancellable, error);
  if (fingerprint != NULL)
    ts_fingerprint_limit (fingerprint);
  return fingerprint;
}

/* What makes the two hard to compare. */
static JsonArray *
find_warnings (JsonObject *baseline,
               JsonObject *current)
{
  static const char *const texts[] = { "os", "recorder_version", "capture_source" };
  JsonArray *warnings = json_array_new ();
  gint64 then = json_object_get_int_member_with_default (baseline, "duration_us", 0);
  gint64 now = json_object_get_int_member_with_default (current, "duration_us", 0);
  gint64 hz_then = json_object_get_int_member_with_default (baseline, "cpu_hz", 0);
  gint64 hz_now = json_object_get_int_member_with_default (current, "cpu_hz", 0);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *left = json_object_get_string_member_with_default (baseline, texts[i], NULL);
      const char *right = json_object_get_string_member_with_default (current, texts[i], NULL);

      if (g_strcmp0 (left, right) != 0)
        {
          g_autofree char *text
              = g_strdup_printf (_("%s differs: “%s” in the baseline, “%s” now."), texts[i],
                                 left != NULL ? left : "", right != NULL ? right : "");

          json_array_add_string_element (warnings, text);
        }
    }
  if (hz_then != hz_now)
    {
      g_autofree char *text = g_strdup_printf (
          _("The clock differs: %" PRId64 " Hz in the baseline, %" PRId64
            " Hz now."),
          hz_then, hz_now);

      json_array_add_string_element (warnings, text);
    }
  if (then > 2 * now || now > 2 * then)
    {
      g_autofree char *text = g_strdup_printf (
          _("The lengths differ much: %.1f s in the baseline, %.1f s now."), (double) then / 1e6,
          (double) now / 1e6);

      json_array_add_string_element (warnings, text);
    }
  return warnings;
}

static gboolean
is_compared (TsQuery *query,
             const char *name)
{
  const char *const *sections = query->options->sections;

  if (sections == NULL || sections[0] == NULL)
    return TRUE;
  for (guint i = 0; sections[i] != NULL; i++)
    if (g_str_has_prefix (name, sections[i]) && name[strlen (sections[i])] == '.')
      return TRUE;
  return FALSE;
}

static JsonObject *
make_result (const TsMetric *expected,
             const TsMetric *found,
             TsComparison comparison,
             double deviation)
{
  JsonObject *item = json_object_new ();

  json_object_set_string_member (item, "metric", expected->name);
  json_object_set_string_member (item, "status", ts_comparison_get_name (comparison));
  _ts_json_set_real (item, "baseline", expected->value);
  _ts_json_set_real (item, "min", expected->min);
  _ts_json_set_real (item, "max", expected->max);
  if (found != NULL)
    _ts_json_set_real (item, "value", found->value);
  else
    json_object_set_null_member (item, "value");
  _ts_json_set_real (item, "deviation_pct", deviation);
  _ts_json_set_real (item, "warn_pct", expected->warn_pct);
  _ts_json_set_real (item, "fail_pct", expected->fail_pct);
  return item;
}

static void
add_new_metrics (TsQuery *query,
                 TsFingerprint *baseline,
                 TsFingerprint *current)
{
  JsonArray *fresh = json_array_new ();

  for (guint i = 0; i < ts_fingerprint_get_n_metrics (current); i++)
    {
      const TsMetric *metric = ts_fingerprint_get_metric (current, i);

      if (is_compared (query, metric->name) && ts_fingerprint_find (baseline, metric->name) == NULL)
        json_array_add_string_element (fresh, metric->name);
    }
  json_object_set_array_member (query->answer, "new", fresh);
}

/* The verdict is that of the worst metric; one that is missing fails. New ones are told only.
 * Source: viewalyzer-host.md section 3.8 */
gboolean
_ts_query_compare (TsQuery *query,
                   GError **error)
{
  const TsQueryOptions *options = query->options;
  g_autoptr (TsFingerprint) baseline = NULL;
  g_autoptr (TsFingerprint) current = NULL;
  JsonArray *results = json_array_new ();
  JsonArray *missing = json_array_new ();
  guint counts[4] = { 0 };

  json_object_set_array_member (query->answer, "results", results);
  json_object_set_array_member (query->answer, "missing", missing);
  if (options->baseline == NULL)
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                           _("“compare” needs --baseline with a .vafp.json or a recording."));
      return FALSE;
    }
  baseline = load_baseline (query, error);
  if (baseline == NULL)
    return FALSE;
  current = ts_fingerprint_new (query->recording,
                                options->sections != NULL && options->sections[0] != NULL
                                    ? options->sections
                                    : ts_fingerprint_get_sections (baseline),
                                query->cancellable, error);
  if (current == NULL)
    return FALSE;
  ts_fingerprint_set_tolerance (baseline, options->tolerance_pct, options->warn_pct);

  for (guint i = 0; i < ts_fingerprint_get_n_metrics (baseline); i++)
    {
      const TsMetric *expected = ts_fingerprint_get_metric (baseline, i);
      const TsMetric *found = ts_fingerprint_find (current, expected->name);
      double deviation;
      TsComparison comparison;

      if (!is_compared (query, expected->name))
        continue;
      comparison = ts_metric_compare (expected, found, &deviation);
      counts[comparison]++;
      if (comparison == TS_COMPARISON_MISSING)
        json_array_add_string_element (missing, expected->name);
      json_array_add_object_element (results,
                                     make_result (expected, found, comparison, deviation));
    }

  /* Of what is new the busiest. */
  ts_fingerprint_limit (current);
  add_new_metrics (query, baseline, current);
  add_path (query->answer, "baseline", options->baseline);
  json_object_set_string_member (
      query->answer, "verdict",
      counts[TS_COMPARISON_FAIL] + counts[TS_COMPARISON_MISSING] > 0 ? "fail"
      : counts[TS_COMPARISON_WARN] > 0                               ? "warn"
                                                                     : "pass");
  for (TsComparison i = TS_COMPARISON_PASS; i <= TS_COMPARISON_MISSING; i++)
    {
      g_autofree char *key = g_strdup_printf ("n_%s", ts_comparison_get_name (i));

      json_object_set_int_member (query->answer, key, counts[i]);
    }
  json_object_set_array_member (query->answer, "warnings",
                                find_warnings (ts_fingerprint_get_provenance (baseline),
                                               ts_fingerprint_get_provenance (current)));
  return TRUE;
}
