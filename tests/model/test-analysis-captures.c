/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-analysis-captures.c: analyses of a real capture against what an independent decoder and the
 * firmware itself counted, and the queries that answer with them.
 *
 * Source of the figures: m4_short.expected.json; the README beside it says how each is meant.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "decode/ts-decoder.h"
#include "model/ts-comms.h"
#include "model/ts-contention.h"
#include "model/ts-findings.h"
#include "model/ts-fingerprint.h"
#include "model/ts-query.h"
#include "model/ts-recording-writer.h"
#include "model/ts-statistics.h"
#include "model/ts-timers.h"

typedef struct
{
  char *dir;
  char *path;
  TsRecording *recording;
  JsonParser *parser;
  JsonObject *expected; /* its `decoded` */
  JsonObject *firmware; /* what the firmware counted itself */
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  const char *folder = g_getenv ("TASKSCOPE_TEST_DATA");
  g_autofree char *capture = g_build_filename (folder, "m4_short.cobs", NULL);
  g_autofree char *json = g_build_filename (folder, "m4_short.expected.json", NULL);
  g_autofree char *bytes = NULL;
  TsWriterOptions options = { .raw_format = "va-cobs", .capture_source = "file" };
  TsDecoderOptions decoder_options = { 0 };
  TsRecordingWriter *writer;
  TsDecoder *decoder;
  GError *error = NULL;
  gsize n_bytes = 0;

  self->dir = g_dir_make_tmp ("ts-analysis-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->dir, "m4_short.vadb", NULL);
  g_assert_true (g_file_get_contents (capture, &bytes, &n_bytes, &error));
  writer = ts_recording_writer_new (self->path, &options, &error);
  g_assert_no_error (error);
  decoder = ts_decoder_new ("va-cobs", ts_recording_writer_get_sink (writer), &decoder_options,
                            &error);
  g_assert_no_error (error);
  ts_decoder_push (decoder, 0, (const guint8 *) bytes, n_bytes);
  ts_decoder_flush (decoder);
  ts_decoder_free (decoder);
  g_assert_true (ts_recording_writer_close (writer, "end", &error));
  ts_recording_writer_free (writer);
  self->recording = ts_recording_open (self->path, &error);
  g_assert_no_error (error);

  self->parser = json_parser_new ();
  g_assert_true (json_parser_load_from_file (self->parser, json, &error));
  self->expected = json_object_get_object_member (
      json_node_get_object (json_parser_get_root (self->parser)), "decoded");
  self->firmware = json_object_get_object_member (
      json_node_get_object (json_parser_get_root (self->parser)), "firmware_counters");
}

static void
tear_down (Fixture *self,
           gconstpointer data)
{
  g_object_unref (self->recording);
  g_object_unref (self->parser);
  g_unlink (self->path);
  g_rmdir (self->dir);
  g_free (self->path);
  g_free (self->dir);
}

static const TsLaneInfo *
find_lane (Fixture *self,
           const char *name)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (g_str_equal (lanes[i].name, name))
      return &lanes[i];
  return NULL;
}

static const TsLaneStatistics *
find_statistics (Fixture *self,
                 const TsStatistics *statistics,
                 const char *name)
{
  const TsLaneInfo *lane = find_lane (self, name);

  g_assert_nonnull (lane);
  return ts_statistics_find (statistics, lane->id);
}

/* The table that the tracker wrote, event by event, tells the same as the slices. */
static void
check_table (Fixture *self,
             const TsStatistics *statistics)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonNode) node = NULL;
  JsonArray *rows;

  options.sql
      = "SELECT lane,cpu_percent,run_count,preemptions,avg_period_us,min_us,max_us,run_ticks"
        " FROM va_task_stats";
  node = ts_query_run (self->recording, "sql", &options, NULL, NULL);
  g_assert_nonnull (node);
  rows = json_object_get_array_member (json_node_get_object (node), "rows");
  g_assert_cmpint (json_array_get_length (rows), >, 15);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);
      const TsLaneStatistics *lane
          = ts_statistics_find (statistics, (guint32) json_array_get_int_element (row, 0));
      const TsFigure *period = &lane->measures[TS_MEASURE_PERIOD];
      const TsFigure *run = &lane->measures[TS_MEASURE_RUN];

      g_assert_cmpfloat_with_epsilon (lane->share, json_array_get_double_element (row, 1), 0.05);
      g_assert_cmpint ((gint64) lane->n_runs, ==, json_array_get_int_element (row, 2));
      /* Who was off the processor at the end, and looked preempted, counts in the lane only. */
      g_assert_cmpint ((gint64) lane->preemptions, >=, json_array_get_int_element (row, 3));
      g_assert_cmpint ((gint64) lane->preemptions, <=, json_array_get_int_element (row, 3) + 1);
      if (!json_array_get_null_element (row, 4) && period->count > 0)
        g_assert_cmpfloat_with_epsilon ((double) period->sum / (double) period->count / 25.0,
                                        json_array_get_double_element (row, 4), 1e-3);
      if (!json_array_get_null_element (row, 5))
        {
          g_assert_cmpfloat_with_epsilon ((double) run->min / 25.0,
                                          json_array_get_double_element (row, 5), 1e-3);
          g_assert_cmpfloat_with_epsilon ((double) run->max / 25.0,
                                          json_array_get_double_element (row, 6), 1e-3);
        }
    }
}

static void
test_lanes (Fixture *self,
            gconstpointer data)
{
  g_autoptr (TsStatistics) statistics
      = ts_statistics_new (self->recording, 0, G_MAXINT64, 250000, NULL, NULL);
  g_autofree char *load = ts_recording_dup_summary (self->recording, "cpu_load_percent");
  JsonArray *isrs = json_object_get_array_member (self->expected, "isrs");
  JsonArray *tasks = json_object_get_array_member (self->expected, "tasks");
  JsonArray *spans = json_object_get_array_member (self->expected, "user_events");

  g_assert_true (statistics->is_exact);
  for (guint i = 0; i < json_array_get_length (isrs); i++)
    {
      JsonObject *isr = json_array_get_object_element (isrs, i);
      g_autofree char *name
          = g_strconcat ("ISR:", json_object_get_string_member (isr, "name"), NULL);
      const TsLaneStatistics *lane = find_statistics (self, statistics, name);
      const TsFigure *run = &lane->measures[TS_MEASURE_RUN];

      g_assert_cmpint ((gint64) run->count, ==, json_object_get_int_member (isr, "count"));
      g_assert_cmpint (run->sum, ==, json_object_get_int_member (isr, "total_ticks"));
      g_assert_cmpint (run->min, ==, json_object_get_int_member (isr, "min_ticks"));
      g_assert_cmpint (run->max, ==, json_object_get_int_member (isr, "max_ticks"));
      g_assert_cmpint (run->max_end - run->max_begin, ==, run->max);
    }
  for (guint i = 0; i < json_array_get_length (tasks); i++)
    {
      JsonObject *task = json_array_get_object_element (tasks, i);
      const TsLaneStatistics *lane
          = find_statistics (self, statistics, json_object_get_string_member (task, "name"));

      g_assert_cmpint ((gint64) lane->n_runs, ==, json_object_get_int_member (task, "switch_ins"));
      if (json_object_has_member (task, "stack_used_last")
          && !JSON_NODE_HOLDS_NULL (json_object_get_member (task, "stack_used_last")))
        g_assert_cmpint (lane->stack_used, ==,
                         json_object_get_int_member (task, "stack_used_last"));
      /* Expected run time is that of closed slices, interrupts included. */
      g_assert_cmpint (lane->measures[TS_MEASURE_RUN].sum, <=,
                       json_object_get_int_member (task, "run_ticks"));
    }
  for (guint i = 0; i < json_array_get_length (spans); i++)
    {
      JsonObject *span = json_array_get_object_element (spans, i);
      g_autofree char *name
          = g_strconcat ("Fn:", json_object_get_string_member (span, "name"), NULL);
      const TsFigure *run = &find_statistics (self, statistics, name)->measures[TS_MEASURE_RUN];

      g_assert_cmpint ((gint64) run->count, ==, json_object_get_int_member (span, "count"));
      g_assert_cmpint (run->min, ==, json_object_get_int_member (span, "min_ticks"));
      g_assert_cmpint (run->max, ==, json_object_get_int_member (span, "max_ticks"));
      g_assert_cmpint (run->sum, ==, json_object_get_int_member (span, "total_ticks"));
    }
  /* Control runs every 20 ms; its waits for BusMtx do not make it run more often. */
  g_assert_cmpint (find_statistics (self, statistics, "Ctrl")->measures[TS_MEASURE_PERIOD].p50, >,
                   19900 * 25);
  g_assert_cmpint (
      (gint64) find_statistics (self, statistics, "Ctrl")->measures[TS_MEASURE_PERIOD].count, ==,
      json_object_get_int_member (self->firmware, "app.n_ctrl"));
  check_table (self, statistics);
  g_assert_cmpuint (statistics->n_loads, ==, 1);
  g_assert_cmpfloat_with_epsilon (statistics->loads[0].percent, g_ascii_strtod (load, NULL), 1e-4);
  g_assert_cmpfloat (statistics->loads[0].min_percent, <=, statistics->loads[0].percent);
  g_assert_cmpfloat (statistics->loads[0].max_percent, >=, statistics->loads[0].percent);
}

static void
test_contention (Fixture *self,
                 gconstpointer data)
{
  g_autoptr (GArray) list = ts_contention_list (self->recording, 0, G_MAXINT64, NULL, NULL);
  JsonArray *expected = json_object_get_array_member (self->expected, "mutex_contention");

  /* One pair: task 1 (Ctrl, 5) waits for mutex 5 (BusMtx) that task 4 (Logger, 1) holds. */
  g_assert_cmpuint (json_array_get_length (expected), ==, 1);
  g_assert_cmpint (list->len, ==,
                   json_object_get_int_member (json_array_get_object_element (expected, 0),
                                               "count"));
  for (guint i = 0; i < list->len; i++)
    {
      const TsContention *contention = &g_array_index (list, TsContention, i);

      g_assert_cmpstr (ts_recording_get_object (self->recording, contention->waiter)->name, ==,
                       "Ctrl");
      g_assert_cmpstr (ts_recording_get_object (self->recording, contention->holder)->name, ==,
                       "Logger");
      g_assert_cmpstr (ts_recording_get_object (self->recording, contention->mutex)->name, ==,
                       "BusMtx");
      g_assert_true (contention->is_inversion);
      g_assert_cmpint (contention->waiter_priority, ==, 5);
      g_assert_cmpint (contention->holder_priority, ==, 1);
      g_assert_cmpint (contention->end, >, contention->begin);
      g_assert_false (contention->is_open);
      /* The kernel lifts the holder: nobody between the two runs. */
      g_assert_cmpuint (contention->third, ==, 0);
    }
}

static gint64
get_count (JsonObject *object,
           const char *prefix,
           const char *suffix)
{
  JsonObject *operations = json_object_get_object_member (object, "ops");
  g_autofree char *key = g_strconcat (prefix, suffix, NULL);

  return json_object_get_int_member_with_default (operations, key, 0);
}

static void
test_comms (Fixture *self,
            gconstpointer data)
{
  g_autoptr (TsComms) comms = ts_comms_new (self->recording, 0, G_MAXINT64, 0, NULL, NULL);
  JsonArray *objects = json_object_get_array_member (self->expected, "objects");
  JsonArray *notifications = json_object_get_array_member (self->expected, "notifications");
  guint n_checked = 0;
  gint64 n_notified = 0;

  for (guint i = 0; i < comms->resources->len; i++)
    {
      const TsResource *resource = &g_array_index (comms->resources, TsResource, i);
      const char *name = ts_recording_get_object (self->recording, resource->object)->name;

      if (resource->is_notification)
        {
          n_notified += (gint64) (resource->given + resource->taken);
          continue;
        }
      for (guint k = 0; k < json_array_get_length (objects); k++)
        {
          static const char *const prefixes[] = { "SEMAPHORE", "MUTEX", "QUEUE", "EVENTFLAG" };
          JsonObject *object = json_array_get_object_element (objects, k);
          gint64 given = 0;
          gint64 taken = 0;

          if (!g_str_equal (json_object_get_string_member (object, "name"), name))
            continue;
          for (guint p = 0; p < G_N_ELEMENTS (prefixes); p++)
            {
              given += get_count (object, prefixes[p], "_give");
              taken += get_count (object, prefixes[p], "_take");
            }
          g_assert_cmpint ((gint64) resource->given, ==, given);
          g_assert_cmpint ((gint64) resource->taken, ==, taken);
          g_assert_cmpint ((gint64) resource->failed_takes, ==,
                           get_count (object, "OP_FAILED", "_take"));
          n_checked++;
        }
    }
  g_assert_cmpuint (n_checked, ==, 9);
  for (guint i = 0; i < json_array_get_length (notifications); i++)
    n_notified -= json_object_get_int_member (json_array_get_object_element (notifications, i),
                                              "count");
  g_assert_cmpint (n_notified, ==, 0);

  /* The application's chain: the timer interrupt gives SampSem to Sensor, which sends to Filter. */
  for (guint i = 0; i < comms->paths->len; i++)
    {
      const TsPath *path = &g_array_index (comms->paths, TsPath, i);
      const TsObject *producer = ts_recording_get_object (self->recording, path->producer);

      if (!g_str_equal (ts_recording_get_object (self->recording, path->resource)->name, "SampSem"))
        continue;
      g_assert_cmpstr (producer->name, ==, "TIM1_Sample");
      g_assert_cmpstr (ts_recording_get_object (self->recording, path->consumer)->name, ==,
                       "Sensor");
      g_assert_cmpuint (path->count, ==, 200);
      g_assert_cmpuint (path->n_blocked, ==, 200);
    }
}

static void
test_timers (Fixture *self,
             gconstpointer data)
{
  /* 25 ticks are a microsecond. */
  g_autoptr (GPtrArray) timers
      = ts_timers_list (self->recording, 0, G_MAXINT64, 50 * 25, NULL, NULL);
  const TsTimer *blink = g_ptr_array_index (timers, 0);
  const TsTimer *once = g_ptr_array_index (timers, 1);

  g_assert_cmpuint (timers->len, ==, 2);
  g_assert_cmpstr (ts_recording_get_object (self->recording, blink->object)->name, ==, "Blink");
  /* 22 expiries and 5 starts in all. */
  g_assert_cmpuint (blink->fires->len + once->fires->len, ==, 22);
  g_assert_cmpuint (blink->n_starts + once->n_starts, ==, 5);
  g_assert_cmpint (blink->period, ==, 100 * 25000);
  g_assert_cmpint (once->period, ==, 40 * 25000);
  g_assert_cmpuint (blink->n_missed, ==, 0);
  /* One fire, the 15th, is 55 us late; the others keep to the tick but for one of 5 us. */
  g_assert_cmpuint (blink->n_violations, ==, 1);
  g_assert_true (g_array_index (blink->fires, TsTimerFire, 14).is_violation);
  g_assert_cmpint (blink->lateness.max, >, 55 * 25);
  g_assert_cmpint (blink->lateness.max, <, 56 * 25);
  g_assert_cmpint (blink->lateness.p50, <, 25);
  g_assert_cmpint (once->lateness.max, <, 25);
}

/* Waits of the high task for the plain semaphore in which a task between the two ran; the firmware
 * counts those above 4 ms. */
static void
test_findings (Fixture *self,
               gconstpointer data)
{
  g_autoptr (GPtrArray) findings = ts_findings_list (self->recording, 0, G_MAXINT64, NULL, NULL);
  guint n_inversions = 0;
  guint n_locks = 0;
  guint n_long = 0;

  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);

      g_assert_nonnull (finding->text);
      g_assert_cmpint (finding->begin, <=, finding->end);
      g_assert_cmpuint (finding->n_lanes, >, 0);
      n_inversions += finding->kind == TS_FINDING_INVERSION;
      if (finding->kind != TS_FINDING_LOCK_INVERSION)
        continue;
      n_locks++;
      n_long += finding->weight > 4 * 25000;
      g_assert_cmpuint (finding->n_lanes, ==, 4);
      g_assert_cmpstr (ts_recording_get_lane (self->recording, finding->lanes[0])->name, ==,
                       "InvHi");
      g_assert_cmpstr (ts_recording_get_lane (self->recording, finding->lanes[1])->name, ==,
                       "InvLo");
    }
  g_assert_cmpuint (n_inversions, ==, 13);
  g_assert_cmpuint (n_locks, >=, n_long);
  g_assert_cmpint (n_long, ==, json_object_get_int_member (self->firmware, "app.n_invbad"));
}

static void
test_fingerprint (Fixture *self,
                  gconstpointer data)
{
  g_autoptr (TsFingerprint) fingerprint = ts_fingerprint_new (self->recording, NULL, NULL, NULL);
  g_autoptr (TsFingerprint) loaded = NULL;
  g_autofree char *path = g_build_filename (self->dir, "g.vafp.json", NULL);
  g_autoptr (GError) error = NULL;
  const TsMetric *rate = ts_fingerprint_find (fingerprint, "summary.event_rate_hz");
  double seconds = (double) json_object_get_int_member (self->expected, "duration_ticks") / 25e6;
  TsMetric changed;
  double deviation;

  g_assert_nonnull (rate);
  g_assert_cmpfloat_with_epsilon (rate->value, 9760 / seconds, 0.01);
  g_assert_true (ts_fingerprint_save (fingerprint, path, &error));
  g_assert_no_error (error);
  loaded = ts_fingerprint_load (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_assert_cmpuint (ts_fingerprint_get_n_metrics (loaded), ==,
                    ts_fingerprint_get_n_metrics (fingerprint));
  g_assert_cmpuint (ts_fingerprint_get_n_metrics (loaded), >, 100);
  for (guint i = 0; i < ts_fingerprint_get_n_metrics (loaded); i++)
    {
      const TsMetric *metric = ts_fingerprint_get_metric (loaded, i);

      g_assert_cmpint (ts_metric_compare (metric, ts_fingerprint_find (fingerprint, metric->name),
                                          &deviation),
                       ==, TS_COMPARISON_PASS);
    }

  /* 10 % warn, 25 % fail unless told otherwise. */
  changed = *rate;
  changed.value = rate->value * 1.09;
  g_assert_cmpint (ts_metric_compare (rate, &changed, &deviation), ==, TS_COMPARISON_PASS);
  changed.value = rate->value * 0.85;
  g_assert_cmpint (ts_metric_compare (rate, &changed, &deviation), ==, TS_COMPARISON_WARN);
  g_assert_cmpfloat_with_epsilon (deviation, -15.0, 1e-6);
  changed.value = rate->value * 1.3;
  g_assert_cmpint (ts_metric_compare (rate, &changed, &deviation), ==, TS_COMPARISON_FAIL);
  g_assert_cmpint (ts_metric_compare (rate, NULL, &deviation), ==, TS_COMPARISON_MISSING);

  /* A second run widens the envelope. */
  changed.value = rate->value;
  ts_fingerprint_merge (fingerprint, loaded);
  g_assert_cmpuint (ts_fingerprint_get_n_runs (fingerprint), ==, 2);
  g_assert_cmpfloat_with_epsilon (ts_fingerprint_find (fingerprint, rate->name)->value,
                                  changed.value, changed.value * 1e-5);
}

static JsonObject *
run_query (Fixture *self,
           const char *verb,
           TsQueryOptions options)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = ts_query_run (self->recording, verb, &options, NULL, &error);
  JsonObject *object;

  g_assert_no_error (error);
  object = json_object_ref (json_node_get_object (node));
  json_node_unref (node);
  g_assert_cmpstr (json_object_get_string_member (object, "query"), ==, verb);
  return object;
}

static void
expect_error (Fixture *self,
              const char *verb,
              TsQueryOptions options,
              TsModelError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (ts_query_run (self->recording, verb, &options, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, (int) code);
}

static void
test_queries (Fixture *self,
              gconstpointer data)
{
  static const char *const hardware[]
      = { "profile", "itm-console", "dwt-data", "dwt-exc", "dwt-counters", "swo-load" };
  static const char *const kinds[] = { "cpu-load", "stack", "heap", "event-rate" };
  TsQueryOptions plain = TS_QUERY_OPTIONS_INIT;
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonObject) inversions = run_query (self, "inversions", plain);
  g_autoptr (JsonObject) verdicts = run_query (self, "verdicts", plain);
  g_autoptr (JsonObject) cpu = run_query (self, "cpu", plain);

  g_assert_cmpint (json_array_get_length (json_object_get_array_member (inversions, "inversions")),
                   ==, 13);
  g_assert_cmpint (json_object_get_int_member (verdicts, "count"), ==, 0);
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (
                       json_object_get_object_member (cpu, "data"), "tasks")),
                   >, 14);
  for (guint i = 0; i < G_N_ELEMENTS (hardware); i++)
    expect_error (self, hardware[i], plain, TS_MODEL_ERROR_NO_HW_TRACE);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (JsonObject) series = NULL;

      options.kind = kinds[i];
      series = run_query (self, "series", options);
      g_assert_cmpstr (json_object_get_string_member (series, "kind"), ==, kinds[i]);
      g_assert_cmpint (json_array_get_length (json_object_get_array_member (series, "points")), >,
                       1);
      g_assert_true (
          json_object_has_member (json_object_get_object_member (series, "data"), "points"));
    }
  options.kind = "task-timing";
  expect_error (self, "series", options, TS_MODEL_ERROR_BAD_ARGUMENTS);
  options.kind = "interval";
  expect_error (self, "series", options, TS_MODEL_ERROR_BAD_ARGUMENTS);
  options.kind = "nonsense";
  expect_error (self, "series", options, TS_MODEL_ERROR_BAD_ARGUMENTS);
  expect_error (self, "series", plain, TS_MODEL_ERROR_BAD_ARGUMENTS);
  expect_error (self, "compare", plain, TS_MODEL_ERROR_BAD_ARGUMENTS);
}

/* The rows of an answer that is written row by row. */
static guint
stream_rows (Fixture *self,
             const char *verb,
             const char *rows,
             const TsQueryOptions *options)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonObject *object;
  guint n;

  g_assert_true (ts_query_is_stream (verb));
  g_assert_true (ts_query_stream (self->recording, verb, options, stream, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (json_parser_load_from_data (
      parser, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)),
      (gssize) g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)), &error));
  g_assert_no_error (error);
  object = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (object, "query"), ==, verb);
  n = json_array_get_length (json_object_get_array_member (object, rows));
  g_assert_cmpint (n, ==, json_object_get_int_member (object, "count"));
  return n;
}

static void
test_streams (Fixture *self,
              gconstpointer data)
{
  static const char *const mutex[] = { "mutex", NULL };
  static const char *const scaled[] = { "scaled", NULL };
  static const char *const nothing[] = { "no such channel", NULL };
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (stream_rows (self, "events-all", "events", &options), ==,
                    ts_recording_get_n_rows (self->recording));
  options.kinds = mutex;
  /* 147 takes and 149 gives. */
  g_assert_cmpuint (stream_rows (self, "events-all", "events", &options), ==, 147 + 149);
  options.kinds = NULL;
  options.channels = scaled;
  g_assert_cmpuint (stream_rows (self, "user-traces-all", "samples", &options), ==, 99);
  options.channels = nothing;
  g_assert_false (
      ts_query_stream (self->recording, "user-traces-all", &options, stream, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS);
  g_assert_cmpuint (g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)), ==, 0);
  options.channels = NULL;
  g_assert_cmpuint (stream_rows (self, "slices", "slices", &options), ==,
                    stream_rows (self, "slice-details", "slices", &options));
  options.max_slices = 50;
  g_assert_cmpuint (stream_rows (self, "slice-details", "slices", &options), ==, 50);
}

static const char domain_text[]
    = "{\"id\":\"t.x\",\"name\":\"X\",\"version\":\"1\",\"domain_api\":1,"
      " \"derived\":[{\"type\":\"rate\",\"name\":\"sample_rate\",\"source\":\"samples\"}],"
      " \"channels\":[{\"match\":{\"ns\":\"user_trace\",\"name\":\"led\"},\"names\":{\"0\":\"Off\","
      "\"1\":\"On\"}}],"
      " \"verdicts\":["
      "  "
      "{\"id\":\"advanced\",\"severity\":\"error\",\"when\":{\"type\":\"counter_advanced\","
      "\"channel\":\"samples\"},"
      "   \"evidence\":[\"samples\",\"led\"]},"
      "  "
      "{\"id\":\"on\",\"when\":{\"type\":\"value_in\",\"channel\":\"led\",\"values\":[1]},"
      "\"evidence\":[\"led\"]},"
      "  "
      "{\"id\":\"high\",\"when\":{\"type\":\"sustained_at_or_above\",\"channel\":\"setpoint\","
      "\"value\":15841,\"sustained_ms\":5}},"
      "  {\"id\":\"none\",\"when\":{\"type\":\"counter_advanced\",\"channel\":\"no such "
      "channel\"}}]}";

static void
test_verdicts (Fixture *self,
               gconstpointer data)
{
  TsQueryOptions plain = TS_QUERY_OPTIONS_INIT;
  g_autofree char *path = g_build_filename (self->dir, "a.vadomain", NULL);
  g_autofree char *bad = g_build_filename (self->dir, "b.vadomain", NULL);
  g_autoptr (JsonObject) answer = NULL;
  JsonArray *verdicts;
  guint n_on = 0;
  guint n_high = 0;

  g_assert_true (g_file_set_contents (path, domain_text, -1, NULL));
  g_assert_true (g_file_set_contents (bad, "{\"id\": 1}", -1, NULL));
  g_setenv ("VA_DOMAINS_DIR", self->dir, TRUE);
  answer = run_query (self, "verdicts", plain);
  g_unsetenv ("VA_DOMAINS_DIR");
  g_unlink (path);
  g_unlink (bad);

  g_assert_cmpint (json_array_get_length (json_object_get_array_member (answer, "warnings")), ==,
                   1);
  verdicts = json_object_get_array_member (answer, "verdicts");
  for (guint i = 0; i < json_array_get_length (verdicts); i++)
    {
      JsonObject *verdict = json_array_get_object_element (verdicts, i);
      const char *id = json_object_get_string_member (verdict, "id");
      JsonArray *evidence = json_object_get_array_member (verdict, "evidence");

      g_assert_cmpstr (id, !=, "none");
      n_on += g_str_equal (id, "on");
      n_high += g_str_equal (id, "high");
      if (g_str_equal (id, "advanced"))
        {
          JsonObject *first = json_array_get_object_element (evidence, 0);

          /* 1 to 200. */
          g_assert_cmpfloat (json_object_get_double_member (verdict, "peak"), ==, 199.0);
          g_assert_cmpstr (json_object_get_string_member (verdict, "severity"), ==, "error");
          g_assert_cmpstr (json_object_get_string_member (first, "summary"), ==,
                           "samples: 2 → 200");
        }
      if (g_str_equal (id, "on") && n_on == 1)
        g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (evidence, 0),
                                                        "label_start"),
                         ==, "On");
    }
  /* The lamp changes 19 times and is on at first and at last; the set point reaches its maximum
   * once. */
  g_assert_cmpuint (n_on, ==, 10);
  g_assert_cmpuint (n_high, ==, 1);
}

int
main (int argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "lanes", test_lanes },             { "contention", test_contention },
    { "comms", test_comms },             { "timers", test_timers },
    { "findings", test_findings },       { "fingerprint", test_fingerprint },
    { "queries", test_queries },         { "row-by-row", test_streams },
    { "trace-domains", test_verdicts },
  };

  /* No Trace Domains of whoever runs this. */
  g_setenv ("XDG_DATA_HOME", "/nonexistent", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/model/analysis-captures/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, set_up, tests[i].func, tear_down);
    }
  return g_test_run ();
}
