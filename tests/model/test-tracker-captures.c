/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-tracker-captures.c: figures of real captures against what an independent decoder and the
 * firmware itself counted.
 *
 * Source of the figures: the *.expected.json files beside the captures; their README says how
 * each is meant.
 */
#include "config.h"

#include <json-glib/json-glib.h>

#include "decode/ts-decoder.h"
#include "model/ts-recording.h"
#include "model/ts-tracker-private.h"

/* A sink that feeds a tracker. */
typedef struct
{
  TsEventSink parent;
  TsLaneStore *store;
  TsTracker *tracker;
  GPtrArray *objects; /* of TsObject; [0] is object 1 */
  guint32 n_texts;
  gint64 last_time;
  guint32 running;
  gint64 running_since;
  GHashTable *unmatched; /* task name to ticks of runs that another id's switch-out ended */
} TrackSink;

/* The expected figures leave out runs whose switch-out names another task (one that deleted
 * itself is no longer registered and leaves as task 0); for the timeline such a run has ended all
 * the same (viewalyzer-wire.md section 13.1). */
static void
note_switch (TrackSink *self,
             const TsEvent *event)
{
  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      self->running = event->object;
      self->running_since = event->time;
      return;
    }
  if (self->running != 0 && self->running != event->object)
    {
      const TsObject *task = self->objects->pdata[self->running - 1];
      gint64 ticks = GPOINTER_TO_SIZE (g_hash_table_lookup (self->unmatched, task->name));

      g_hash_table_insert (self->unmatched, g_strdup (task->name),
                           GSIZE_TO_POINTER (ticks + event->time - self->running_since));
    }
  self->running = 0;
}

static void
sink_events (TsEventSink *sink,
             const TsEvent *events,
             gsize n_events)
{
  TrackSink *self = (TrackSink *) sink;

  ts_tracker_events (self->tracker, events, n_events);
  for (gsize i = 0; i < n_events; i++)
    {
      g_assert_cmpint (events[i].time, >=, self->last_time);
      self->last_time = events[i].time;
      if (events[i].kind == TS_EVENT_TASK_SWITCH)
        note_switch (self, &events[i]);
    }
}

static guint32
sink_define_object (TsEventSink *sink,
                    const TsObject *object)
{
  TrackSink *self = (TrackSink *) sink;
  TsObject *copy = ts_object_copy (object);

  g_ptr_array_add (self->objects, copy);
  copy->id = self->objects->len;
  ts_tracker_set_object (self->tracker, copy);
  return copy->id;
}

static void
sink_update_object (TsEventSink *sink,
                    const TsObject *object)
{
  TrackSink *self = (TrackSink *) sink;

  ts_object_free (self->objects->pdata[object->id - 1]);
  self->objects->pdata[object->id - 1] = ts_object_copy (object);
  ts_tracker_set_object (self->tracker, object);
}

static guint32
sink_intern (TsEventSink *sink,
             const char *text,
             gssize len)
{
  return ++((TrackSink *) sink)->n_texts;
}

static void
sink_set_clock (TsEventSink *sink,
                guint64 hz)
{
}

static void
sink_set_info (TsEventSink *sink,
               const char *key,
               const char *value)
{
  if (g_strcmp0 (key, "os") == 0)
    ts_tracker_set_os (((TrackSink *) sink)->tracker, value);
}

static const TsEventSinkInterface sink_iface = {
  sink_events, sink_define_object, sink_update_object, sink_intern, sink_set_clock, sink_set_info,
};

static TrackSink *
track_sink_new (void)
{
  TrackSink *self = g_new0 (TrackSink, 1);

  self->parent.iface = &sink_iface;
  self->store = ts_lane_store_new ();
  self->tracker = ts_tracker_new (self->store);
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  self->unmatched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

static void
track_sink_free (TrackSink *self)
{
  ts_tracker_free (self->tracker);
  ts_lane_store_unref (self->store);
  g_ptr_array_unref (self->objects);
  g_hash_table_unref (self->unmatched);
  g_free (self);
}

/* Path of a capture: small ones are in the tree, larger ones beside it. NULL: absent, and that
 * was dealt with. */
static char *
find_file (const char *name)
{
  const char *data = g_getenv ("TASKSCOPE_TEST_DATA");
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  char *path = g_build_filename (data != NULL ? data : "tests/data", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  path = g_build_filename (shared != NULL ? shared : "../shared", "data", "viewalyzer", name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
    g_error ("%s is missing", name);
  g_test_skip_printf ("%s is not here", name);
  return NULL;
}

/* Gross run time: what the lane shows of completed runs. */
static gint64
sum_running (TsLaneReader *reader,
             guint32 lane)
{
  gint64 sum = 0;
  gint64 at = -1;
  TsSlice slice;

  while (ts_lane_reader_next (reader, lane, at, 1, &slice))
    {
      if (slice.state == TS_STATE_RUNNING && (slice.kind & TS_SLICE_OPEN) == 0)
        sum += slice.end - slice.begin;
      at = slice.begin;
    }
  return sum;
}

/* Figures of all lanes of one name: short-lived tasks share theirs. */
typedef struct
{
  gint64 run_count;
  gint64 n_runs;
  gint64 sum;
  gint64 gross;
  gint64 min;
  gint64 max;
  gint64 contentions;
  gint64 net;
} Figures;

static Figures
get_figures (TrackSink *sink,
             TsLaneReader *reader,
             TsObjectType type,
             const char *name)
{
  Figures figures = { .min = G_MAXINT64, .max = -1 };
  guint n;
  const TsTaskStats *stats = ts_tracker_get_task_stats (sink->tracker, &n);

  for (guint i = 0; i < n; i++)
    {
      const TsObject *object
          = stats[i].object != 0 ? sink->objects->pdata[stats[i].object - 1] : NULL;

      if (object == NULL || object->type != type || g_strcmp0 (object->name, name) != 0)
        continue;
      figures.run_count += (gint64) stats[i].run_count;
      figures.n_runs += (gint64) stats[i].n_runs;
      figures.sum += stats[i].sum_ticks;
      figures.net += stats[i].run_ticks;
      figures.contentions += (gint64) stats[i].mutex_contentions;
      figures.gross += type == TS_OBJECT_TASK ? sum_running (reader, stats[i].lane) : 0;
      if (stats[i].n_runs > 0)
        {
          figures.min = MIN (figures.min, stats[i].min_ticks);
          figures.max = MAX (figures.max, stats[i].max_ticks);
        }
    }
  return figures;
}

static gint64
sum_of (JsonArray *array,
        const char *name,
        const char *member)
{
  gint64 sum = 0;

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *row = json_array_get_object_element (array, i);

      if (g_strcmp0 (json_object_get_string_member (row, "name"), name) == 0)
        sum += json_object_get_int_member (row, member);
    }
  return sum;
}

static void
check_tasks (TrackSink *sink,
             TsLaneReader *reader,
             JsonObject *decoded)
{
  JsonArray *tasks = json_object_get_array_member (decoded, "tasks");
  gint64 n_switches = 0;
  TsCoreStats core;

  for (guint i = 0; i < json_array_get_length (tasks); i++)
    {
      const char *name
          = json_object_get_string_member (json_array_get_object_element (tasks, i), "name");
      Figures figures = get_figures (sink, reader, TS_OBJECT_TASK, name);

      g_test_message ("task %s", name);
      g_assert_cmpint (figures.run_count, ==, sum_of (tasks, name, "switch_ins"));
      g_assert_cmpint (
          figures.gross, ==,
          sum_of (tasks, name, "run_ticks")
              + (gint64) GPOINTER_TO_SIZE (g_hash_table_lookup (sink->unmatched, name)));
      g_assert_cmpint (figures.net, <=, figures.gross);
      n_switches
          += json_object_get_int_member (json_array_get_object_element (tasks, i), "switch_ins");
    }

  ts_tracker_get_core_stats (sink->tracker, 0, &core);
  g_assert_cmpint ((gint64) core.context_switches, ==, n_switches);
  g_assert_cmpint (core.busy_ticks, <=, core.known_ticks);
  if (n_switches > 0)
    {
      /* Busy is what the idle task did not have. */
      Figures idle = get_figures (sink, reader, TS_OBJECT_TASK, "IDLE");
      gint64 idle_ticks = core.known_ticks - core.busy_ticks;

      g_assert_cmpint (idle_ticks, >=, idle.net);
      g_assert_cmpint (idle_ticks - idle.net, <=,
                       1000000); /* a run open at the end is no completed one */
    }
}

static void
check_pairs (TrackSink *sink,
             JsonArray *rows,
             TsObjectType type)
{
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      Figures figures = get_figures (sink, NULL, type, json_object_get_string_member (row, "name"));

      g_test_message ("%s", json_object_get_string_member (row, "name"));
      g_assert_cmpint (figures.n_runs, ==, json_object_get_int_member (row, "count"));
      g_assert_cmpint (figures.sum, ==, json_object_get_int_member (row, "total_ticks"));
      g_assert_cmpint (figures.min, ==, json_object_get_int_member (row, "min_ticks"));
      g_assert_cmpint (figures.max, ==, json_object_get_int_member (row, "max_ticks"));
    }
}

static void
check_traces (TrackSink *sink,
              JsonArray *rows)
{
  guint n;
  const TsTraceStats *stats = ts_tracker_get_trace_stats (sink->tracker, &n);

  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      const char *name = json_object_get_string_member (row, "name");
      gboolean is_found = FALSE;

      if (json_object_get_null_member (row, "min") || !json_object_has_member (row, "sum"))
        continue;
      for (guint k = 0; k < n; k++)
        {
          const TsObject *object = sink->objects->pdata[stats[k].object - 1];

          if (object->type != TS_OBJECT_USER_TRACE || g_strcmp0 (object->name, name) != 0)
            continue;
          is_found = TRUE;
          g_test_message ("channel %s", name);
          g_assert_cmpint ((gint64) stats[k].count, ==, json_object_get_int_member (row, "count"));
          g_assert_cmpfloat (stats[k].min, ==, json_object_get_double_member (row, "min"));
          g_assert_cmpfloat (stats[k].max, ==, json_object_get_double_member (row, "max"));
          g_assert_cmpfloat (stats[k].last, ==, json_object_get_double_member (row, "last"));
          g_assert_cmpfloat_with_epsilon (stats[k].mean * (double) stats[k].count,
                                          json_object_get_double_member (row, "sum"), 1e-3);
        }
      if (g_strcmp0 (json_object_get_string_member (row, "kind"), "USER_TRACE") == 0)
        g_assert_true (is_found);
    }
}

static void
check_contentions (TrackSink *sink,
                   TsLaneReader *reader,
                   JsonObject *decoded)
{
  JsonArray *rows = json_object_get_array_member (decoded, "mutex_contention");
  guint n;
  const TsTaskStats *stats = ts_tracker_get_task_stats (sink->tracker, &n);
  gint64 want = 0;
  gint64 got = 0;

  for (guint i = 0; i < json_array_get_length (rows); i++)
    want += json_object_get_int_member (json_array_get_object_element (rows, i), "count");
  for (guint i = 0; i < n; i++)
    got += (gint64) stats[i].mutex_contentions;
  g_assert_cmpint (got, ==, want);
}

/* Slices of every task lane follow each other without overlap, and known tasks leave no gap once
 * they were seen. */
static void
check_lanes (TrackSink *sink,
             TsLaneReader *reader)
{
  guint n;
  const TsLaneInfo *lanes = ts_lane_reader_get_lanes (reader, &n);

  for (guint i = 0; i < n; i++)
    {
      TsSlice slice;
      gint64 at = -1;
      gint64 end = -1;

      if (lanes[i].kind != TS_LANE_TASK)
        continue;
      while (ts_lane_reader_next (reader, lanes[i].id, at, 1, &slice))
        {
          if (end >= 0)
            g_assert_cmpint (slice.begin, ==, end);
          end = slice.end;
          at = slice.begin;
        }
    }
}

static void
test_capture (gconstpointer data)
{
  const char *name = data;
  g_autofree char *capture_name = g_strconcat (name, ".cobs", NULL);
  g_autofree char *expected_name = g_strconcat (name, ".expected.json", NULL);
  g_autofree char *capture = find_file (capture_name);
  g_autofree char *expected = capture != NULL ? find_file (expected_name) : NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsDecoder) decoder = NULL;
  g_autofree char *bytes = NULL;
  gsize n_bytes;
  JsonObject *decoded;
  TrackSink *sink;
  TsLaneReader *reader;

  if (expected == NULL)
    return;

  g_file_get_contents (capture, &bytes, &n_bytes, &error);
  g_assert_no_error (error);
  json_parser_load_from_file (parser, expected, &error);
  g_assert_no_error (error);
  decoded = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                           "decoded");

  sink = track_sink_new ();
  decoder = ts_decoder_new ("va-cobs", &sink->parent, &(TsDecoderOptions) { 0 }, &error);
  g_assert_no_error (error);
  ts_decoder_push (decoder, 0, (const guint8 *) bytes, n_bytes);
  ts_decoder_flush (decoder);
  ts_tracker_finish (sink->tracker, sink->last_time);
  ts_lane_store_publish (sink->store, sink->last_time);
  reader = ts_lane_reader_new_live (sink->store, NULL, NULL);
  ts_lane_reader_sync (reader);

  check_tasks (sink, reader, decoded);
  check_pairs (sink, json_object_get_array_member (decoded, "isrs"), TS_OBJECT_ISR);
  check_pairs (sink, json_object_get_array_member (decoded, "user_events"), TS_OBJECT_USER_EVENT);
  check_traces (sink, json_object_get_array_member (decoded, "user_traces"));
  check_contentions (sink, reader, decoded);
  check_lanes (sink, reader);

  ts_lane_reader_free (reader);
  g_clear_pointer (&decoder, ts_decoder_free);
  track_sink_free (sink);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

  g_test_add_data_func ("/model/tracker-captures/m4-short", "m4_short", test_capture);
  g_test_add_data_func ("/model/tracker-captures/m3-baremetal", "m3_baremetal", test_capture);
  g_test_add_data_func ("/model/tracker-captures/m3-systick", "m3_systick", test_capture);
  g_test_add_data_func ("/model/tracker-captures/m3-late-init", "m3_late_init", test_capture);
  g_test_add_data_func ("/model/tracker-captures/m4-late-attach", "m4_late_attach", test_capture);
  g_test_add_data_func ("/model/tracker-captures/m4-long-wrap", "m4_long_wrap", test_capture);

  return g_test_run ();
}
