/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-query-many.c: answers about recordings of many lanes, and the writer of large answers. */
#include "config.h"

#include <gio/gio.h>
#include <math.h>

#include "model/ts-json-writer-private.h"
#include "model/ts-query.h"

#include "open-fixture.h"

#define N_TASKS 2500

/* Every task runs twice, 10 us each time, one after the other; of every hundredth the second run is
 * its last, the others run once more. */
static void
write_many (const char *path)
{
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  gint64 time = 0;

  sink->iface->set_clock (sink, FIXTURE_HZ);
  for (guint i = 0; i < N_TASKS; i++)
    {
      g_autofree char *name = g_strdup_printf ("task %u", i);
      TsObject object = TS_OBJECT_INIT;

      object.type = TS_OBJECT_TASK;
      object.name = name;
      object.wire_id = (gint32) i;
      object.priority = i % 7;
      object.is_named = TRUE;
      sink->iface->define_object (sink, &object);
    }
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < N_TASKS; i++)
      {
        TsEvent event;

        if (round == 2 && i % 100 == 0)
          continue;
        event = fixture_event (time, TS_EVENT_TASK_SWITCH, i + 1, TS_EVENT_FLAG_START);
        sink->iface->events (sink, &event, 1);
        time += 100;
        event = fixture_event (time, TS_EVENT_TASK_SWITCH, i + 1, TS_EVENT_FLAG_END);
        sink->iface->events (sink, &event, 1);
      }
  g_assert_true (ts_recording_writer_close (writer, "stopped", NULL));
  ts_recording_writer_free (writer);
}

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "answer");
  write_many (fixture->path);
  fixture_open (fixture);
}

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

/* A card for each, at both places, with the figures that were put in. */
static void
test_cards (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (JsonObject) answer = ask (fixture, "timeline", NULL);
  JsonObject *inner = json_object_get_object_member (answer, "data");
  JsonArray *tasks = json_object_get_array_member (answer, "tasks");
  JsonArray *again = json_object_get_array_member (inner, "tasks");
  guint n = 0;

  g_assert_true (json_node_equal (json_object_get_member (answer, "tasks"),
                                  json_object_get_member (inner, "tasks")));
  g_assert_true (json_node_equal (json_object_get_member (answer, "anomalies"),
                                  json_object_get_member (inner, "anomalies")));
  g_assert_cmpuint (json_array_get_length (tasks), ==, json_array_get_length (again));
  for (guint i = 0; i < json_array_get_length (tasks); i++)
    {
      JsonObject *task = json_array_get_object_element (tasks, i);
      const char *name = json_object_get_string_member (task, "name");
      gint64 runs = 3;

      if (!g_str_has_prefix (name, "task "))
        continue;
      n++;
      if (g_ascii_strtoll (name + 5, NULL, 10) % 100 == 0)
        runs = 2;
      g_assert_cmpint (json_object_get_int_member (task, "run_count"), ==, runs);
      g_assert_cmpint (json_object_get_int_member (task, "slices"), ==, runs);
      g_assert_cmpfloat (json_object_get_double_member (task, "p99_slice_us"), ==, 10.0);
      g_assert_true (json_object_has_member (
          json_object_get_object_member (answer, "task_legend"),
          json_object_get_string_member (task, "code")));
    }
  g_assert_cmpuint (n, ==, N_TASKS);
}

/* All slices in the order of their ends, from lanes that begin and end at any time. */
static void
test_slices (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (JsonObject) answer = ask (fixture, "slices", NULL);
  g_autoptr (JsonArray) slices = json_array_ref (json_object_get_array_member (answer, "slices"));
  guint at = 0;

  for (guint i = 0; i < json_array_get_length (slices); i++)
    {
      JsonObject *slice = json_array_get_object_element (slices, i);
      g_autofree char *want = NULL;

      if (!g_str_has_prefix (json_object_get_string_member (slice, "name"), "task ")
          || strcmp (json_object_get_string_member (slice, "state"), "running") != 0)
        continue;
      if (at >= 2 * N_TASKS && (at - 2 * N_TASKS) % 100 == 0)
        at++;
      want = g_strdup_printf ("task %u", at % N_TASKS);
      g_assert_cmpstr (json_object_get_string_member (slice, "name"), ==, want);
      g_assert_cmpfloat (json_object_get_double_member (slice, "duration_us"), ==, 10.0);
      at++;
    }
  g_assert_cmpuint (at, ==, 3 * N_TASKS);
}

/* No window and no bucket helps where the lanes are too many: some are named, and those fit. */
static void
test_too_many_lanes (Fixture *fixture,
                     gconstpointer data)
{
  static const char *const tiers[] = { "bucketed", "raw" };

  for (guint i = 0; i < G_N_ELEMENTS (tiers); i++)
    {
      TsQuerySuggestion suggestion = { 0 };
      TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonObject) answer = NULL;
      g_auto (GStrv) lanes = NULL;

      options.tier = tiers[i];
      options.t_start_us = 0;
      options.t_end_us = 50000;
      options.bucket_us = 1000;
      options.suggestion = &suggestion;
      g_assert_null (ts_query_run (fixture->recording, "timeline", &options, NULL, &error));
      g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE);
      lanes = g_strsplit (suggestion.lanes, ",", -1);
      g_assert_cmpuint (g_strv_length (lanes), >, 1);
      options.lanes = (const char *const *) lanes;
      answer = ask (fixture, "timeline", &options);
      g_assert_cmpuint (
          json_object_get_size (json_object_get_object_member (answer, "task_legend")), ==,
          g_strv_length (lanes));
    }
}

static char *
write_figure (double value)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  TsJsonWriter writer;
  char *text;

  _ts_json_writer_init (&writer, stream, FALSE, NULL);
  _ts_json_writer_figure_element (&writer, value);
  text = g_strdup (writer.text->str);
  _ts_json_writer_clear (&writer);
  return text;
}

/* What is read again is the value, rounded to six decimals where it is below 1e9; and a number with
 * a point is a real for clients that tell them apart. */
static void
test_figures (void)
{
  static const struct
  {
    double value;
    const char *text;
  } known[] = {
    { 0.0, "0.0" },         { 1.0, "1.0" },           { -1.5, "-1.5" },
    { 0.0000005, "0.000001" }, { 0.0000004, "0.0" },  { 33.9, "33.9" },
    { 999999999.5, "999999999.5" }, { NAN, "null" },  { INFINITY, "null" },
    { 1e15, "1000000000000000.0" }, { -0.0000001, "0.0" },
  };
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autofree char *text = write_figure (known[i].value);

      g_assert_cmpstr (text, ==, known[i].text);
    }
  for (guint i = 0; i < 20000; i++)
    {
      double value
          = ldexp (g_rand_double_range (rand, -1.0, 1.0), g_rand_int_range (rand, -30, 60));
      double want = fabs (value) < 1e9 ? round (value * 1e6) / 1e6 : value;
      g_autofree char *text = write_figure (value);

      if (g_ascii_strtod (text, NULL) != want || strpbrk (text, ".e") == NULL)
        g_error ("seed %u: %.17g became %s", seed, value, text);
    }
}

/* Indented or not, it says the same, whatever stands in texts. */
static void
test_pretty (Fixture *fixture,
             gconstpointer data)
{
  static const char *const lanes[] = { "T1", "T2", NULL };
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonObject) plain = NULL;
  g_autoptr (JsonObject) pretty = NULL;
  g_autoptr (JsonNode) left = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonNode) right = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autofree char *text = NULL;

  options.lanes = lanes;
  plain = ask (fixture, "timeline", &options);
  options.is_pretty = TRUE;
  pretty = ask (fixture, "timeline", &options);
  json_node_set_object (left, plain);
  json_node_set_object (right, pretty);
  g_assert_true (json_node_equal (left, right));

  g_assert_true (ts_query_stream (fixture->recording, "timeline", &options, stream, NULL, NULL));
  text = g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)),
                    g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)));
  g_assert_true (g_str_has_prefix (text, "{\n  \"schema_version\": 2,\n"));
  g_assert_nonnull (strstr (text, "\n  \"tasks\": [\n    {\n      \"code\": \"T1\",\n"));
  g_assert_true (g_str_has_suffix (text, "\n  ]\n}\n") || g_str_has_suffix (text, "[]\n}\n"));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/query-many/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("cards", test_cards);
  ADD ("slices", test_slices);
  ADD ("too-many-lanes", test_too_many_lanes);
  ADD ("pretty", test_pretty);
#undef ADD
  g_test_add_func ("/model/query-many/figures", test_figures);

  return g_test_run ();
}
