/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-query.c: answers about a recording made by hand, every figure worked out on paper (see
 * recording-fixture.h). */
#include "config.h"

#include "model/ts-query.h"

#include "open-fixture.h"

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "answer");
  fixture_write (fixture->path);
  fixture_open (fixture);
}

/* The answer's top level; to be freed with json_object_unref(). */
static JsonObject *
ask (Fixture *fixture,
     const char *verb,
     const TsQueryOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = ts_query_run (fixture->recording, verb, options, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (node);
  return json_node_dup_object (node);
}

static void
assert_refused (Fixture *fixture,
                const char *verb,
                const TsQueryOptions *options,
                int code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = ts_query_run (fixture->recording, verb, options, NULL, &error);

  g_assert_null (node);
  g_assert_error (error, TS_MODEL_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", error->message, words);
}

static JsonObject *
find_named (JsonArray *array,
            const char *name)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      if (g_strcmp0 (json_object_get_string_member (object, "name"), name) == 0)
        return object;
    }

  g_error ("no element named %s", name);
}

static char *
to_text (JsonObject *object,
         const char *member)
{
  return json_to_string (json_object_get_member (object, member), FALSE);
}

static void
assert_member (JsonObject *object,
               const char *member,
               const char *expected)
{
  g_autofree char *text = to_text (object, member);

  g_assert_cmpstr (text, ==, expected);
}

/* Flags by name; the others as not given. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define OPTIONS(...)                                                                               \
  (&(TsQueryOptions){                                                                              \
      .t_start_us = -1, .t_end_us = -1, .bucket_us = -1, .max_slices = -1, __VA_ARGS__ })

static void
test_summary (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (JsonObject) answer = ask (fixture, "summary", NULL);
  JsonObject *figures = json_object_get_object_member (answer, "data");

  g_assert_cmpint (json_object_get_int_member (answer, "schema_version"), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (answer, "recording_id"), ==,
                   ts_recording_get_id (fixture->recording));
  g_assert_cmpstr (json_object_get_string_member (answer, "path"), ==, fixture->path);
  g_assert_cmpstr (json_object_get_string_member (answer, "query"), ==, "summary");
  g_assert_cmpstr (json_object_get_string_member (answer, "budget"), ==, "med");
  g_assert_false (json_object_has_member (answer, "error"));

  g_assert_cmpint (json_object_get_int_member (figures, "duration_us"), ==, 100);
  g_assert_cmpint (json_object_get_int_member (figures, "events"), ==, FIXTURE_N_EVENTS);
  g_assert_cmpint (json_object_get_int_member (figures, "channels"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (figures, "lost_events"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (figures, "seq_gaps"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (figures, "corrupt_bytes"), ==, 9);
  g_assert_cmpfloat (json_object_get_double_member (figures, "cpu_load_pct"), ==, 23.0);
  g_assert_cmpstr (json_object_get_string_member (figures, "os"), ==, "FreeRTOS");
  g_assert_cmpstr (json_object_get_string_member (figures, "end_reason"), ==, "stopped");
  g_assert_cmpint (json_object_get_int_member (figures, "tasks"), ==, 2);
  assert_member (figures, "events_by_class",
                 "{\"tasks\":7,\"interrupts\":4,\"sync\":1,\"user\":4}");
}

static void
test_events_summary (Fixture *fixture,
                     gconstpointer data)
{
  static const char * const enters[] = { "isr_enter", "task_in", NULL };
  static const char * const lane[] = { "ISR:SysTick", "mutex:BusMtx", NULL };
  g_autoptr (JsonObject) answer = ask (fixture, "events", NULL);
  g_autoptr (JsonObject) entered = ask (fixture, "events", OPTIONS (.kinds = enters));
  g_autoptr (JsonObject) one_lane = ask (fixture, "events", OPTIONS (.lanes = lane));
  g_autoptr (JsonObject) window
      = ask (fixture, "events", OPTIONS (.t_start_us = 10, .t_end_us = 17));
  JsonArray *top;
  JsonObject *first;

  assert_member (
      answer, "by_kind",
      "{\"task_switch\":6,\"isr\":4,\"mutex\":1,\"string\":1,\"float_trace\":2,\"task_priority\":1,"
      "\"poll_trace\":1}");
  assert_member (answer, "counts_by_kind",
                 "{\"task_switch\":6,\"isr\":4,\"mutex\":1,\"string\":1,\"float_trace\":2,"
                 "\"task_priority\":1,\"poll_trace\":1}");
  g_assert_cmpint (json_object_get_int_member (answer, "total"), ==, 16);
  g_assert_cmpstr (json_object_get_string_member (answer, "tier"), ==, "summary");
  top = json_object_get_array_member (answer, "top_objects");
  g_assert_cmpuint (json_array_get_length (top), ==, 6);
  first = json_array_get_object_element (top, 0);
  g_assert_cmpstr (json_object_get_string_member (first, "name"), ==, "IDLE");
  g_assert_cmpint (json_object_get_int_member (first, "count"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (find_named (top, "motor_current"), "count"), ==, 3);

  assert_member (entered, "by_kind", "{\"task_switch\":3,\"isr\":2}");
  assert_member (one_lane, "by_kind", "{\"isr\":4,\"mutex\":1}");
  /* 100 twice, 150 and 170 ticks: both ends belong to the window. */
  assert_member (window, "by_kind", "{\"task_switch\":2,\"isr\":2}");
  assert_member (window, "window", "{\"t_start_us\":10,\"t_end_us\":17}");
}

static void
test_events_bucketed (Fixture *fixture,
                      gconstpointer data)
{
  static const char * const kinds[] = { "task_switch", NULL };
  g_autoptr (JsonObject) all
      = ask (fixture, "events",
             OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = 100, .bucket_us = 25));
  g_autoptr (JsonObject) some = ask (fixture, "events",
                                     OPTIONS (.tier = "bucketed", .t_start_us = 5, .t_end_us = 35,
                                              .bucket_us = 20, .kinds = kinds));

  assert_member (all, "buckets",
                 "[{\"t_us\":0,\"count\":10},{\"t_us\":25,\"count\":3},{\"t_us\":50,\"count\":2},"
                 "{\"t_us\":75,\"count\":1}]");
  /* 50 to 250 ticks: 100 twice; 250 to 350: 300, 310. */
  assert_member (some, "buckets", "[{\"t_us\":5,\"count\":2},{\"t_us\":25,\"count\":2}]");
}

static void
test_events_raw (Fixture *fixture,
                 gconstpointer data)
{
  static const char * const kinds[] = { "string", "float_trace", "task_priority", NULL };
  g_autoptr (JsonObject) answer = ask (
      fixture, "events", OPTIONS (.tier = "raw", .t_start_us = 0, .t_end_us = 24, .kinds = kinds));

  g_assert_cmpint (json_object_get_int_member (answer, "count"), ==, 4);
  assert_member (answer, "events",
                 "[{\"id\":8,\"t_us\":21.0,\"kind\":\"float_trace\",\"object_id\":5,\"object\":"
                 "\"motor_current\",\"core\":0,"
                 "\"value\":1.5,\"flags\":0},"
                 "{\"id\":9,\"t_us\":22.0,\"kind\":\"string\",\"object_id\":7,\"object\":\"log\","
                 "\"core\":0,\"value\":7,"
                 "\"text\":\"hello, \\\"world\\\"\",\"flags\":2},"
                 "{\"id\":10,\"t_us\":23.0,\"kind\":\"float_trace\",\"object_id\":5,\"object\":"
                 "\"motor_current\",\"core\":0,"
                 "\"value\":2.5,\"flags\":0},"
                 "{\"id\":11,\"t_us\":24.0,\"kind\":\"task_priority\",\"object_id\":1,\"object\":"
                 "\"Ctrl\",\"core\":0,\"value\":6,"
                 "\"detail\":5,\"text\":\"inherited\",\"flags\":0}]");
}

static void
test_timeline_summary (Fixture *fixture,
                       gconstpointer data)
{
  g_autoptr (JsonObject) answer = ask (fixture, "timeline", NULL);
  JsonArray *tasks = json_object_get_array_member (answer, "tasks");
  JsonObject *legend = json_object_get_object_member (answer, "task_legend");
  JsonObject *ctrl = find_named (tasks, "Ctrl");
  JsonObject *isr = find_named (tasks, "ISR:SysTick");
  const char *code = json_object_get_string_member (ctrl, "code");

  find_named (
      json_object_get_array_member (json_object_get_object_member (answer, "data"), "tasks"),
      "IDLE");
  find_named (tasks, "_RTOS_");
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (legend, code), "name"), ==,
      "Ctrl");
  g_assert_cmpint (json_object_get_int_member (ctrl, "run_count"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (ctrl, "slices"), ==, 1);
  g_assert_cmpfloat (json_object_get_double_member (ctrl, "cpu_percent"), ==, 18.0);
  /* 20 us from switch-in to switch-out, 2 us of them in an interrupt; as max_us of its row. */
  g_assert_cmpfloat (json_object_get_double_member (ctrl, "p99_slice_us"), ==, 18.0);
  g_assert_cmpint (json_object_get_int_member (isr, "slices"), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (isr, "p50_slice_us"), ==, 2.0);
  g_assert_cmpfloat (json_object_get_double_member (isr, "max_jitter_us"), ==, 0.0);
  g_assert_true (json_object_get_boolean_member (isr, "percentiles_exact"));

  /* Lost and corrupt data are told. */
  {
    JsonArray *anomalies = json_object_get_array_member (answer, "anomalies");
    guint n_loss = 0;

    for (guint i = 0; i < json_array_get_length (anomalies); i++)
      {
        const char *type
            = json_object_get_string_member (json_array_get_object_element (anomalies, i), "type");

        n_loss += strcmp (type, "data_loss") == 0 || strcmp (type, "corrupt") == 0;
      }
    g_assert_cmpuint (n_loss, ==, 2);
  }
}

/* Ticks 100 to 200: Ctrl runs but for the interrupt from 150 to 170. */
static void
test_timeline_window (Fixture *fixture,
                      gconstpointer data)
{
  static const char * const lanes[] = { "Ctrl", "ISR:SysTick", NULL };
  g_autoptr (JsonObject) answer
      = ask (fixture, "timeline", OPTIONS (.t_start_us = 10, .t_end_us = 20, .lanes = lanes));
  JsonArray *tasks = json_object_get_array_member (answer, "tasks");

  g_assert_cmpuint (json_array_get_length (tasks), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (find_named (tasks, "Ctrl"), "cpu_percent"), ==,
                     80.0);
  g_assert_cmpfloat (
      json_object_get_double_member (find_named (tasks, "ISR:SysTick"), "cpu_percent"), ==, 20.0);
  g_assert_cmpint (json_object_get_int_member (find_named (tasks, "ISR:SysTick"), "run_count"), ==,
                   1);
}

static void
test_timeline_bucketed (Fixture *fixture,
                        gconstpointer data)
{
  g_autoptr (JsonObject) answer
      = ask (fixture, "timeline",
             OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = 40, .bucket_us = 10));
  JsonArray *tasks = json_object_get_array_member (answer, "tasks");

  assert_member (find_named (tasks, "Ctrl"), "cpu_percent", "[0.0,80.0,100.0,0.0]");
  assert_member (find_named (tasks, "IDLE"), "cpu_percent", "[100.0,0.0,0.0,90.0]");
  assert_member (find_named (tasks, "ISR:SysTick"), "cpu_percent", "[0.0,20.0,0.0,0.0]");
  assert_member (find_named (tasks, "_RTOS_"), "cpu_percent", "[0.0,0.0,0.0,10.0]");
  assert_member (json_object_get_object_member (answer, "data"), "t_us", "[0,10,20,30]");
}

static void
test_timeline_raw (Fixture *fixture,
                   gconstpointer data)
{
  static const char * const lanes[] = { "ISR:SysTick", "_RTOS_", NULL };
  g_autoptr (JsonObject) answer
      = ask (fixture, "timeline",
             OPTIONS (.tier = "raw", .t_start_us = 16, .t_end_us = 60, .lanes = lanes));
  JsonArray *slices = json_object_get_array_member (answer, "slices");

  /* The one that the edge cuts, the scheduler, the second interrupt. */
  g_assert_cmpuint (json_array_get_length (slices), ==, 3);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (slices, 0), "t_start_us"), ==,
      15.0);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (slices, 0), "t_end_us"), ==,
      17.0);
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (slices, 0), "state"), ==,
      "running");
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (slices, 1), "name"), ==,
      "_RTOS_");
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (slices, 1), "duration_us"), ==,
      1.0);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (slices, 2), "t_start_us"), ==,
      50.0);
}

static void
test_user_traces (Fixture *fixture,
                  gconstpointer data)
{
  static const char * const by_code[] = { "C1", NULL };
  static const char * const by_name[] = { "motor_current", NULL };
  g_autoptr (JsonObject) answer = ask (fixture, "user-traces", OPTIONS (.channels = by_name));
  g_autoptr (JsonObject) window
      = ask (fixture, "user-traces", OPTIONS (.channels = by_code, .t_start_us = 22));
  g_autoptr (JsonObject) raw
      = ask (fixture, "user-traces", OPTIONS (.tier = "raw", .t_start_us = 0, .t_end_us = 100));
  g_autoptr (JsonObject) bucketed
      = ask (fixture, "user-traces",
             OPTIONS (.tier = "bucketed", .t_start_us = 20, .t_end_us = 24, .bucket_us = 2));
  JsonObject *trace = find_named (json_object_get_array_member (answer, "traces"), "motor_current");
  JsonObject *channel
      = json_object_get_object_member (json_object_get_object_member (answer, "channels"), "C1");
  JsonObject *legend = json_object_get_object_member (
      json_object_get_object_member (answer, "trace_legend"), "C1");
  JsonArray *buckets;

  g_assert_cmpstr (json_object_get_string_member (trace, "code"), ==, "C1");
  g_assert_cmpint (json_object_get_int_member (trace, "count"), ==, 3);
  g_assert_cmpfloat (json_object_get_double_member (trace, "min"), ==, -3.0);
  g_assert_cmpfloat (json_object_get_double_member (channel, "max"), ==, 2.5);
  /* 1.5, 2.5 and the polled -3, two intervals in 19 us */
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (channel, "mean"), 0.333333, 1e-6);
  g_assert_cmpfloat (json_object_get_double_member (channel, "last"), ==, -3.0);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (channel, "std_dev"), 2.392117,
                                  1e-6);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (channel, "rms"), 2.415229, 1e-6);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (channel, "rate_hz"),
                                  105263.157895, 1e-5);
  g_assert_cmpstr (json_object_get_string_member (legend, "name"), ==, "motor_current");
  g_assert_cmpstr (json_object_get_string_member (legend, "unit"), ==, "A");

  channel
      = json_object_get_object_member (json_object_get_object_member (window, "channels"), "C1");
  g_assert_cmpint (json_object_get_int_member (channel, "count"), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (channel, "mean"), ==, -0.25);

  assert_member (raw, "samples",
                 "[{\"channel\":\"C1\",\"t_us\":21.0,\"value\":1.5},{\"channel\":\"C1\",\"t_us\":"
                 "23.0,\"value\":2.5},{\"channel\":\"C1\",\"t_us\":40.0,\"value\":-3}]");
  buckets = json_object_get_array_member (
      find_named (json_object_get_array_member (bucketed, "traces"), "motor_current"), "buckets");
  g_assert_cmpuint (json_array_get_length (buckets), ==, 2);
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (buckets, 1), "max"), ==, 2.5);
}

/* Counts that do not add up within 64 bits. */
static void
test_summary_damaged (Fixture *fixture,
                      gconstpointer data)
{
  g_autofree char *sql = g_strdup_printf (
      "DELETE FROM ts_kind_counts; INSERT INTO ts_kind_counts VALUES(%d,0,9223372036854775807),"
      "(%d,0,9223372036854775807)",
      TS_EVENT_TASK_SWITCH, TS_EVENT_TASK_CREATE);
  g_autoptr (JsonObject) answer = NULL;
  JsonObject *classes;
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (fixture->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  answer = ask (fixture, "summary", NULL);
  classes = json_object_get_object_member (json_object_get_object_member (answer, "data"),
                                           "events_by_class");
  g_assert_cmpint (json_object_get_int_member (classes, "tasks"), ==, G_MAXINT64);
}

static void
test_sql (Fixture *fixture,
          gconstpointer data)
{
  g_autoptr (JsonObject) answer
      = ask (fixture, "sql",
             OPTIONS (.sql = "SELECT kind, COUNT(*) n FROM va_events GROUP BY kind"
                             " ORDER BY n DESC, kind LIMIT 2; -- done"));
  g_autoptr (JsonObject) types
      = ask (fixture, "sql", OPTIONS (.sql = "SELECT NULL, 1.5, x'0aff', 'ä', 9e999"));
  g_autoptr (JsonObject) many
      = ask (fixture, "sql",
             OPTIONS (.budget = "low", .sql = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL"
                                              " SELECT i+1 FROM r LIMIT 100000) SELECT i FROM r"));

  assert_member (answer, "columns", "[\"kind\",\"n\"]");
  assert_member (answer, "rows", "[[\"task_switch\",6],[\"isr\",4]]");
  g_assert_cmpint (json_object_get_int_member (answer, "row_count"), ==, 2);
  g_assert_false (json_object_get_boolean_member (answer, "truncated"));
  assert_member (types, "rows", "[[null,1.5,\"0aff\",\"ä\",null]]");
  g_assert_cmpint (json_object_get_int_member (many, "row_count"), ==, 200);
  g_assert_true (json_object_get_boolean_member (many, "truncated"));
}

static void
test_sql_refused (Fixture *fixture,
                  gconstpointer data)
{
  static const char * const bad[] = {
    "DELETE FROM meta",
    "INSERT INTO meta VALUES('a','b')",
    "UPDATE meta SET value=1",
    "DROP TABLE meta",
    "CREATE TABLE t(a)",
    "PRAGMA journal_mode=WAL",
    "PRAGMA table_info(meta)",
    "ATTACH 'x.db' AS x",
    "BEGIN",
    "VACUUM",
    "SELECT 1; SELECT 2",
    "SELECT 1; DELETE FROM meta",
    "SELEC 1",
    "SELECT * FROM no_such_table",
    "-- nothing",
    "SELECT load_extension('x')",
    "WITH x AS (SELECT 1) DELETE FROM meta",
    "REINDEX",
    "EXPLAIN DELETE FROM meta",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_refused (fixture, "sql", OPTIONS (.sql = bad[i]), TS_MODEL_ERROR_BAD_SQL, "");
  assert_refused (fixture, "sql", NULL, TS_MODEL_ERROR_BAD_ARGUMENTS, "--sql");

  /* The reader works as before. */
  test_summary (fixture, data);
}

static void
test_arguments (Fixture *fixture,
                gconstpointer data)
{
  static const char * const no_kind[] = { "isr", "nonsense", NULL };
  static const char * const no_lane[] = { "Nobody", NULL };

  g_assert_true (ts_query_is_known ("timeline"));
  g_assert_false (ts_query_is_known ("nonsense"));
  g_assert_false (ts_query_is_known (NULL));
  assert_refused (fixture, "nonsense", NULL, TS_MODEL_ERROR_BAD_ARGUMENTS, "nonsense");
  assert_refused (fixture, "timeline", OPTIONS (.tier = "fine"), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "--tier");
  assert_refused (fixture, "summary", OPTIONS (.tier = "raw"), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "--tier");
  assert_refused (fixture, "events", OPTIONS (.budget = "huge"), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "--budget");
  assert_refused (fixture, "events", OPTIONS (.tier = "raw"), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "--t-start-us");
  assert_refused (fixture, "events", OPTIONS (.tier = "raw", .t_start_us = 0),
                  TS_MODEL_ERROR_BAD_ARGUMENTS, "--t-end-us");
  assert_refused (fixture, "timeline", OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = 9),
                  TS_MODEL_ERROR_BAD_ARGUMENTS, "--bucket-us");
  assert_refused (fixture, "events",
                  OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = 9, .bucket_us = 0),
                  TS_MODEL_ERROR_BAD_ARGUMENTS, "--bucket-us");
  assert_refused (fixture, "events", OPTIONS (.t_start_us = 9, .t_end_us = 5),
                  TS_MODEL_ERROR_BAD_ARGUMENTS, "--t-end-us");
  assert_refused (fixture, "events", OPTIONS (.kinds = no_kind), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "nonsense");
  assert_refused (fixture, "events", OPTIONS (.lanes = no_lane), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "Nobody");
  assert_refused (fixture, "timeline", OPTIONS (.lanes = no_lane), TS_MODEL_ERROR_BAD_ARGUMENTS,
                  "Nobody");
  assert_refused (fixture, "user-traces", OPTIONS (.channels = no_lane),
                  TS_MODEL_ERROR_BAD_ARGUMENTS, "Nobody");
  assert_refused (
      fixture, "events",
      OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = G_MAXINT64, .bucket_us = 1),
      TS_MODEL_ERROR_WINDOW_TOO_WIDE, "--budget");
  assert_refused (fixture, "timeline",
                  OPTIONS (.tier = "bucketed", .t_start_us = 0, .t_end_us = 10000, .bucket_us = 1),
                  TS_MODEL_ERROR_WINDOW_TOO_WIDE, "--budget");
}

/* More rows than the budget: said, not cut. */
static void
test_over_budget (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->dir, "long.vadb", NULL);
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  Fixture longer = { .path = path };
  g_autoptr (JsonObject) high = NULL;

  fixture_define (sink);
  for (guint i = 0; i < 6000; i++)
    {
      TsEvent event = fixture_event (i, TS_EVENT_ISR, OBJECT_SYSTICK,
                                     i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);

      sink->iface->events (sink, &event, 1);
    }
  g_assert_true (ts_recording_writer_close (writer, "stopped", NULL));
  ts_recording_writer_free (writer);

  longer.recording = ts_recording_open (path, NULL);
  assert_refused (&longer, "events", OPTIONS (.tier = "raw", .t_start_us = 0, .t_end_us = 6000),
                  TS_MODEL_ERROR_WINDOW_TOO_WIDE, "events");
  assert_refused (&longer, "timeline",
                  OPTIONS (.tier = "raw", .t_start_us = 0, .t_end_us = 6000, .budget = "low"),
                  TS_MODEL_ERROR_WINDOW_TOO_WIDE, "slices");
  high = ask (&longer, "timeline",
              OPTIONS (.tier = "raw", .t_start_us = 0, .t_end_us = 6000, .budget = "high"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (high, "slices")), ==,
                    3000);
  g_object_unref (longer.recording);
}

static void
test_cancelled (Fixture *fixture,
                gconstpointer data)
{
  static const char * const verbs[] = { "summary", "timeline", "user-traces", "sql" };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) node = ts_query_run (
          fixture->recording, verbs[i],
          OPTIONS (.t_start_us = 1,
                   .sql = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r)"
                          " SELECT max(i) FROM r"),
          cancellable, &error);

      g_assert_null (node);
      g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/query/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("summary", test_summary);
  ADD ("summary-damaged", test_summary_damaged);
  ADD ("events-summary", test_events_summary);
  ADD ("events-bucketed", test_events_bucketed);
  ADD ("events-raw", test_events_raw);
  ADD ("timeline-summary", test_timeline_summary);
  ADD ("timeline-window", test_timeline_window);
  ADD ("timeline-bucketed", test_timeline_bucketed);
  ADD ("timeline-raw", test_timeline_raw);
  ADD ("user-traces", test_user_traces);
  ADD ("sql", test_sql);
  ADD ("sql-refused", test_sql_refused);
  ADD ("arguments", test_arguments);
  ADD ("over-budget", test_over_budget);
  ADD ("cancelled", test_cancelled);
#undef ADD

  return g_test_run ();
}
