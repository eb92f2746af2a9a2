/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-export-perfetto.c: a real recording as trace events, read back by a JSON parser and held
 * against its events.
 */
#include "config.h"

#include <json-glib/json-glib.h>
#include <math.h>

#include "model/ts-export-perfetto.h"

#include "capture-fixture.h"
#include "open-fixture.h"

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "trace.json");
  fixture_decode ("m4_short.cobs", "va-cobs", fixture->path);
  fixture_open (fixture);
}

/* The trace events of an export; @parser owns them. */
static JsonArray *
export_events (TsRecording *recording,
               const char *path,
               const TsQueryOptions *options,
               gboolean rebase,
               JsonParser *parser)
{
  g_autoptr (GError) error = NULL;
  JsonObject *top;
  JsonArray *array;
  guint64 n_events = 0;
  guint n_names = 0;

  ts_export_perfetto (recording, path, options, rebase, NULL, NULL, NULL, &n_events, &error);
  g_assert_no_error (error);
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  top = json_node_get_object (json_parser_get_root (parser));
  array = json_object_get_array_member (top, "traceEvents");

  for (guint i = 0; i < json_array_get_length (array); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (array, i), "ph"),
                     "M"))
      n_names++;
  g_assert_cmpuint (n_events + n_names, ==, json_array_get_length (array));
  return array;
}

/* pid * 2^32 + tid of the track of a name in a process of a name. */
static gint64
find_track (JsonArray *events,
            const char *process,
            const char *thread)
{
  gint64 pid = -1;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      const char *name = json_object_get_string_member (event, "name");
      JsonObject *args;

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "M"))
        continue;
      args = json_object_get_object_member (event, "args");
      if (g_str_equal (name, "process_name")
          && g_str_equal (json_object_get_string_member (args, "name"), process))
        pid = json_object_get_int_member (event, "pid");
      if (g_str_equal (name, "thread_name") && json_object_get_int_member (event, "pid") == pid
          && g_str_equal (json_object_get_string_member (args, "name"), thread))
        return pid << 32 | json_object_get_int_member (event, "tid");
    }
  return -1;
}

static gboolean
is_on (JsonObject *event,
       gint64 track)
{
  return json_object_get_int_member (event, "pid") == track >> 32
         && json_object_get_int_member (event, "tid") == (track & 0xFFFFFFFF);
}

static guint
count_named (JsonArray *events,
             const char *phase,
             gint64 track,
             const char *name)
{
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      if (g_str_equal (json_object_get_string_member (event, "ph"), phase)
          && (track < 0 || is_on (event, track))
          && (name == NULL
              || g_str_equal (json_object_get_string_member (event, "name"), name)))
        n++;
    }
  return n;
}

static guint
count_rows (Fixture *fixture,
            const char *where)
{
  g_autofree char *sql = g_strconcat ("SELECT count(*) FROM va_events WHERE ", where, NULL);
  g_autofree char *text = fixture_sql (fixture->path, sql);

  return (guint) g_ascii_strtoull (text, NULL, 10);
}

static void
test_slices (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *events = export_events (fixture->recording, fixture->output, NULL, FALSE, parser);
  gint64 ctrl = find_track (events, "Tasks", "Ctrl");
  gint64 cpu = find_track (events, "Processors", "CPU 0");
  gint64 isr = find_track (events, "Interrupts", "ISR:TIM1_Sample");
  gint64 bus = find_track (events, "Objects", "BusMtx");
  guint n_in = count_rows (fixture, "object='Ctrl' AND kind='task_switch' AND start=1");

  g_assert_cmpint (ctrl, !=, -1);
  g_assert_cmpint (isr, !=, -1);
  g_assert_cmpuint (n_in, >, 50);
  g_assert_cmpuint (count_named (events, "X", ctrl, "Running"), ==, n_in);
  g_assert_cmpuint (count_named (events, "X", cpu, "Ctrl"), ==, n_in);
  g_assert_cmpuint (count_named (events, "X", isr, NULL), ==,
                    count_rows (fixture, "object='TIM1_Sample' AND kind='isr' AND start=1"));
  g_assert_cmpuint (count_named (events, "i", bus, "give"), ==,
                    count_rows (fixture, "object='BusMtx' AND kind='mutex' AND start=1"));
  g_assert_cmpuint (count_named (events, "i", bus, "take"), ==,
                    count_rows (fixture, "object='BusMtx' AND kind='mutex' AND start=0"));
  g_assert_cmpuint (count_named (events, "C", -1, "setpoint"), ==,
                    count_rows (fixture, "object='setpoint'"));
  g_assert_cmpuint (count_named (events, "s", -1, NULL), ==, count_named (events, "f", -1, NULL));
  g_assert_cmpuint (count_named (events, "s", -1, "SampleQ"), >, 20);
}

/* The first run and the first sample where the events say. */
static void
test_times (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *events = export_events (fixture->recording, fixture->output, NULL, FALSE, parser);
  gint64 ctrl = find_track (events, "Tasks", "Ctrl");
  g_autofree char *times = fixture_sql (
      fixture->path, "SELECT (SELECT min(t_cycles) FROM va_events WHERE object='Ctrl' AND "
                     "kind='task_switch' AND start=1), (SELECT min(t_cycles) FROM va_events WHERE "
                     "object='Ctrl' AND kind='task_switch' AND start=0)");
  g_auto (GStrv) parts = g_strsplit (times, "|", 2);
  double begin = g_ascii_strtod (parts[0], NULL) / 25;
  double end = g_ascii_strtod (parts[1], NULL) / 25;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X") || !is_on (event, ctrl)
          || !g_str_equal (json_object_get_string_member (event, "name"), "Running"))
        continue;
      g_assert_cmpfloat_with_epsilon (json_object_get_double_member (event, "ts"), begin, 0.0006);
      g_assert_cmpfloat_with_epsilon (json_object_get_double_member (event, "dur"), end - begin,
                                      0.0011);
      return;
    }
  g_assert_not_reached ();
}

/* Slices of a track lie in each other or beside each other; arrows point forward. */
static void
test_shape (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GHashTable) ends
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GHashTable) starts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  JsonArray *events = export_events (fixture->recording, fixture->output, NULL, FALSE, parser);

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      const char *phase = json_object_get_string_member (event, "ph");
      gint64 pid = json_object_get_int_member (event, "pid");
      gint64 key = pid << 32 | json_object_get_int_member (event, "tid");

      if (g_str_equal (phase, "X") && pid == 2)
        {
          double ts = json_object_get_double_member (event, "ts");
          double *end = g_hash_table_lookup (ends, &key);
          double next = ts + json_object_get_double_member (event, "dur");

          /* States of a task follow each other. */
          g_assert_cmpfloat (ts, >=, end != NULL ? *end - 0.0001 : 0);
          g_hash_table_replace (ends, g_memdup2 (&key, sizeof key), g_memdup2 (&next, sizeof next));
        }
      else if (g_str_equal (phase, "s") || g_str_equal (phase, "f"))
        {
          gpointer id = GSIZE_TO_POINTER (json_object_get_int_member (event, "id"));
          double ts = json_object_get_double_member (event, "ts");
          double *start = g_hash_table_lookup (starts, id);

          if (*phase == 's')
            g_assert_null (start);
          else
            g_assert_cmpfloat (ts, >=, *start);
          if (*phase == 's')
            g_hash_table_insert (starts, id, g_memdup2 (&ts, sizeof ts));
        }
    }
}

static void
test_range (Fixture *fixture,
            gconstpointer data)
{
  static const char * const lanes[] = { "Ctrl", "setpoint", NULL };
  static const char * const kinds[] = { "task_switch", NULL };
  g_autoptr (JsonParser) parser = json_parser_new ();
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  JsonArray *events;
  guint n = 0;

  options.t_start_us = 500000;
  options.t_end_us = 600000;
  options.lanes = lanes;
  options.kinds = kinds;
  events = export_events (fixture->recording, fixture->output, &options, TRUE, parser);
  g_assert_cmpint (find_track (events, "Tasks", "Sensor"), ==, -1);
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      g_assert_false (g_str_equal (json_object_get_string_member (event, "ph"), "C"));
      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X"))
        continue;
      n++;
      g_assert_cmpfloat (json_object_get_double_member (event, "ts"), >=, 0);
      g_assert_cmpfloat (json_object_get_double_member (event, "ts")
                             + json_object_get_double_member (event, "dur"), <=, 100000.1);
    }
  g_assert_cmpuint (n, >, 10);
}

/* Names and texts that JSON has words of its own for. */
static void
test_texts (void)
{
  static const char odd[] = "a \"b\" \\ c\n\t\x01\x1f </script> \xc3\xa4\xe2\x80\xa8";
  g_autofree char *dir = fixture_dir ();
  g_autofree char *path = g_build_filename (dir, "t.vadb", NULL);
  g_autofree char *output = g_build_filename (dir, "t.json", NULL);
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (TsRecording) recording = NULL;
  TsObject object = TS_OBJECT_INIT;
  TsEvent events[5];
  JsonArray *array;

  object.type = TS_OBJECT_TASK;
  object.name = (char *) odd;
  sink->iface->define_object (sink, &object);
  object.type = TS_OBJECT_STRING_CHANNEL;
  sink->iface->define_object (sink, &object);
  object.type = TS_OBJECT_USER_TRACE;
  sink->iface->define_object (sink, &object);
  object.type = TS_OBJECT_COUNTER;
  sink->iface->define_object (sink, &object);
  events[0] = fixture_event (0, TS_EVENT_TASK_SWITCH, 1, TS_EVENT_FLAG_START);
  events[1] = fixture_event (10, TS_EVENT_STRING, 2, TS_EVENT_FLAG_TEXT);
  events[1].detail = (gint64) sink->iface->intern (sink, odd, -1) << 32;
  events[2] = fixture_float (20, NAN);
  events[2].object = 3;
  events[3] = fixture_float (30, 1e300);
  events[3].object = 3;
  events[4] = fixture_event (40, TS_EVENT_COUNTER, 4, 0);
  sink->iface->events (sink, events, 5);
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);

  recording = ts_recording_open (path, NULL);
  array = export_events (recording, output, NULL, FALSE, parser);
  g_assert_cmpint (find_track (array, "Tasks", odd), !=, -1);
  g_assert_cmpuint (count_named (array, "i", find_track (array, "Messages", odd), odd), ==, 1);
  /* No number of JSON's is NaN; of two counters of one name one has an id. */
  g_assert_cmpuint (count_named (array, "C", -1, odd), ==, 2);
  g_clear_object (&recording);
  fixture_remove_dir (dir);
}

/* One lane for each kind of value and trace hardware: of each kind, what was chosen and nothing else. */
static void
test_kinds (void)
{
  static const struct
  {
    TsObjectType type;
    const char *name;
    TsEventKind kind;
    const char *kind_name;
    const char *phase;
    guint family; /* objects of one may carry each other's kinds */
  } lanes[] = {
    { TS_OBJECT_USER_TRACE, "speed", TS_EVENT_USER_TRACE, "user_trace", "C", 1 },
    { TS_OBJECT_USER_TOGGLE, "led", TS_EVENT_USER_TOGGLE, "user_toggle", "C", 1 },
    { TS_OBJECT_GPIO, "pin", TS_EVENT_GPIO, "gpio", "C", 2 },
    { TS_OBJECT_COUNTER, "count", TS_EVENT_COUNTER, "counter", "C", 3 },
    { TS_OBJECT_HEAP, "heap", TS_EVENT_HEAP, "heap", "C", 4 },
    { TS_OBJECT_HEAP_GAUGE, "gauge", TS_EVENT_HEAP_SYNC, "heap_sync", "C", 4 },
    { TS_OBJECT_WATCH, "watch", TS_EVENT_DWT_DATA, "dwt_data", "C", 5 },
    { TS_OBJECT_ITM_PORT, "port", TS_EVENT_ITM_DATA, "itm_data", "C", 6 },
    { TS_OBJECT_POLLED, "polled", TS_EVENT_POLL_TRACE, "poll_trace", "C", 7 },
    { TS_OBJECT_USER_TRACE, "scope", TS_EVENT_EXTERNAL_TRACE, "external_trace", "C", 1 },
    { TS_OBJECT_EXCEPTION, "exception", TS_EVENT_DWT_EXC, "dwt_exc", "X", 8 },
    { TS_OBJECT_FUNCTION, "function", TS_EVENT_DWT_PC, "dwt_pc", "X", 9 },
    { TS_OBJECT_ITM_PORT, "printf", TS_EVENT_ITM_TEXT, "itm_text", "i", 6 },
    { TS_OBJECT_STRING_CHANNEL, "log", TS_EVENT_STRING, "string", "i", 10 },
    { TS_OBJECT_USER_EVENT, "span", TS_EVENT_USER_EVENT, "user_event", "X", 11 },
    { TS_OBJECT_ISR, "irq", TS_EVENT_ISR, "isr", "X", 12 },
  };
  g_autofree char *dir = fixture_dir ();
  g_autofree char *path = g_build_filename (dir, "t.vadb", NULL);
  g_autofree char *output = g_build_filename (dir, "t.json", NULL);
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (TsRecording) recording = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (lanes); i++)
    {
      TsObject object = TS_OBJECT_INIT;
      TsEvent event;

      object.type = lanes[i].type;
      object.name = (char *) lanes[i].name;
      sink->iface->define_object (sink, &object);
      event = fixture_event (i, lanes[i].kind, i + 1, TS_EVENT_FLAG_START);
      event.value = 17;
      event.detail = 1;
      sink->iface->events (sink, &event, 1);
    }
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);

  recording = ts_recording_open (path, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (lanes); i++)
    {
      const char *kinds[] = { lanes[i].kind_name, NULL };
      TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
      g_autoptr (JsonParser) parser = json_parser_new ();
      JsonArray *array;

      options.kinds = kinds;
      array = export_events (recording, output, &options, FALSE, parser);
      g_assert_cmpuint (count_named (array, lanes[i].phase, -1, NULL), >=, 1);
      for (guint k = 0; k < G_N_ELEMENTS (lanes); k++)
        if (lanes[k].phase[0] == 'C' && lanes[k].family != lanes[i].family)
          g_assert_cmpuint (count_named (array, "C", -1, lanes[k].name), ==, 0);
    }
  g_clear_object (&recording);
  fixture_remove_dir (dir);
}

static void
cancel_soon (double fraction,
             gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
test_failures (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (fixture->output, "before", -1, NULL));
  g_assert_false (ts_export_perfetto (fixture->recording, fixture->output, NULL, FALSE, cancel_soon,
                                      cancellable, cancellable, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "before");

  g_assert_false (ts_export_perfetto (fixture->recording, "/dev/full/x", NULL, FALSE, NULL, NULL,
                                      NULL, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/export-perfetto/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("slices", test_slices);
  ADD ("times", test_times);
  ADD ("shape", test_shape);
  ADD ("range", test_range);
  ADD ("failures", test_failures);
#undef ADD
  g_test_add_func ("/model/export-perfetto/texts", test_texts);
  g_test_add_func ("/model/export-perfetto/kinds", test_kinds);

  return g_test_run ();
}
