/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-findings-long.c: findings of lanes of many nodes, of which only those are looked at that may
 * hold one, against a look at everything. One tick is a microsecond. */
#include "config.h"

#include <glib/gstdio.h>

#include "model/ts-findings-private.h"
#include "model/ts-recording-writer.h"

#define MS 1000
#define PERIOD 1000
#define N_PERIODS 22000
#define N_ENTERS 30000

enum
{
  IDLE = 1,
  HIGH,
  TICK,
  N_OBJECTS
};

/** A place where something was found. */
typedef struct
{
  gint64 begin;
  gint64 end;
} Place;

static void
add (GArray *events,
     gint64 time,
     TsEventKind kind,
     guint32 object,
     guint flags,
     gint64 value)
{
  TsEvent event = { .time = time,
                    .object = object,
                    .kind = (guint16) kind,
                    .flags = (guint8) flags,
                    .value = value };

  g_array_append_val (events, event);
}

static TsRecording *
record (const GArray *events)
{
  static const TsObjectType types[N_OBJECTS] = { 0, TS_OBJECT_TASK, TS_OBJECT_TASK, TS_OBJECT_ISR };
  static const char *const names[N_OBJECTS] = { NULL, "IDLE", "High", "Tick" };
  g_autofree char *dir = g_dir_make_tmp ("ts-findings-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  GError *error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, &error);
  TsRecording *recording;
  TsEventSink *sink;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, 1000000);
  for (guint32 id = 1; id < N_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = types[id];
      object.name = (char *) names[id];
      object.wire_id = (gint32) id;
      object.is_named = TRUE;
      object.is_idle = id == IDLE;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
    }
  sink->iface->events (sink, (const TsEvent *) (gpointer) events->data, events->len);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  ts_recording_writer_free (writer);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (dir);
  return recording;
}

static void
add_gap (GArray *places,
         gint64 begin,
         gint64 end)
{
  Place place = { begin, end };

  g_array_append_val (places, place);
}

static void
check_places (const GPtrArray *findings,
              const GArray *places,
              guint32 lane)
{
  guint n = 0;

  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      const Place *place;

      if (finding->lanes[0] != lane)
        continue;
      g_assert_cmpuint (n, <, places->len);
      place = &g_array_index (places, Place, n++);
      g_assert_cmpint (finding->begin, ==, place->begin);
      g_assert_cmpint (finding->end, ==, place->end);
    }
  g_assert_cmpuint (n, ==, places->len);
}

/* A task and an interrupt every millisecond, give or take a little; sometimes one is late, and some
 * ranges begin or end where one is. */
static void
test_periods (void)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  g_autoptr (TsRecording) recording = NULL;
  guint rare = (guint) g_test_rand_int_range (50, 5000);
  g_autofree gint64 *begins = g_new (gint64, N_PERIODS);
  gint64 time = 0;

  add (events, 0, TS_EVENT_TASK_SWITCH, IDLE, TS_EVENT_FLAG_START, 0);
  for (guint i = 0; i < N_PERIODS; i++)
    {
      time += PERIOD + g_test_rand_int_range (-20, 20);
      if (g_test_rand_int_range (0, (gint32) rare) == 0)
        time += g_test_rand_int_range (PERIOD, 3 * PERIOD);
      begins[i] = time;
      add (events, time, TS_EVENT_ISR, TICK, TS_EVENT_FLAG_START, 0);
      add (events, time + 5, TS_EVENT_ISR, TICK, TS_EVENT_FLAG_END, 0);
      add (events, time + 10, TS_EVENT_TASK_SWITCH, IDLE, TS_EVENT_FLAG_END, 0);
      add (events, time + 10, TS_EVENT_TASK_SWITCH, HIGH, TS_EVENT_FLAG_START, 0);
      add (events, time + 60, TS_EVENT_TASK_STATE, HIGH, 0, 4);
      add (events, time + 60, TS_EVENT_TASK_SWITCH, HIGH, TS_EVENT_FLAG_END, 0);
      add (events, time + 60, TS_EVENT_TASK_SWITCH, IDLE, TS_EVENT_FLAG_START, 0);
    }
  recording = record (events);
  for (guint k = 0; k < 12; k++)
    {
      g_autoptr (GPtrArray) findings
          = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_finding_free);
      g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (Place));
      g_autoptr (GArray) late_runs = g_array_new (FALSE, FALSE, sizeof (Place));
      TsFinder finder = { .recording = recording, .findings = findings };
      guint first = k == 0 ? 0 : (guint) g_test_rand_int_range (0, N_PERIODS / 2);
      guint last = k == 0 ? N_PERIODS
                          : (guint) g_test_rand_int_range ((gint32) first + 200, N_PERIODS);

      /* Between two of them: the first one in the range is that of @first. */
      finder.begin = begins[first] - 300;
      finder.end = begins[last - 1] + 300;
      for (guint i = first + 1; i < last; i++)
        if (begins[i] - begins[i - 1] > PERIOD + PERIOD / 2)
          {
            add_gap (late, begins[i - 1], begins[i]);
            add_gap (late_runs, begins[i - 1] + 10, begins[i] + 10);
          }
      g_test_message ("%u to %u, %u late", first, last, late->len);
      g_assert_true (_ts_findings_periods_with_limit (&finder, k % 3 == 2 ? G_MAXUINT64 : 0, NULL));
      check_places (findings, late, TICK);
      check_places (findings, late_runs, HIGH);
    }
}

/* Storms as their definition has them, one enter after the other; @usual come on average. */
static GArray *
find_storms (const Place *runs,
             guint n,
             gint64 begin,
             gint64 end,
             double usual)
{
  GArray *storms = g_array_new (FALSE, FALSE, sizeof (Place));
  Place *storm = NULL;
  guint from = 0;

  /* one that ends just where the range begins is no part of it */
  while (from < n && runs[from].end <= begin)
    from++;
  for (guint i = from; i < n && runs[i].begin < end; i++)
    {
      gint64 ticks = 0;
      guint count = 0;
      guint first = i + 1;

      while (first > from && runs[first - 1].begin >= runs[i].begin - 10 * MS)
        {
          first--;
          ticks += runs[first].end - runs[first].begin;
          count++;
        }
      if (count < 50 || count < 5 * usual || ticks * 100 < 10 * MS * 20)
        continue;
      if (storm != NULL && runs[i].begin - 10 * MS <= storm->end)
        storm->end = runs[i].end;
      else
        {
          add_gap (storms, runs[first].begin, runs[i].end);
          storm = &g_array_index (storms, Place, storms->len - 1);
        }
    }
  return storms;
}

static void
check_storms (TsRecording *recording,
              const Place *runs,
              guint n,
              gint64 begin,
              gint64 end)
{
  g_autoptr (GPtrArray) findings
      = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_finding_free);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  TsFinder finder
      = { .recording = recording, .findings = findings, .begin = begin, .end = end };
  g_autoptr (GArray) storms = NULL;
  double usual = 0;

  /* Of a part it is known about only. */
  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_ISR)
      usual = (double) _ts_analysis_count_slices (recording, lanes[i].id, begin, end) * 10 * MS
              / (double) (end - begin);
  storms = find_storms (runs, n, begin, end, usual);
  g_assert_true (_ts_findings_storms (&finder, NULL));
  g_test_message ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ": %u storms", begin, end,
                  storms->len);
  check_places (findings, storms, TICK);
}

/* Bursts of an interrupt, dense or not, long or not, with long handlers or not. */
static void
test_storms (void)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  g_autofree Place *runs = g_new (Place, N_ENTERS);
  g_autoptr (TsRecording) recording = NULL;
  gint64 time = 1;
  gint64 end;
  guint n = 0;

  add (events, 0, TS_EVENT_TASK_SWITCH, IDLE, TS_EVENT_FLAG_START, 0);
  while (n < N_ENTERS)
    {
      guint n_burst = (guint) g_test_rand_int_range (1, g_test_rand_bit () ? 300 : 6000);
      gint32 gap = g_test_rand_int_range (80, 400);
      gint32 longest = g_test_rand_int_range (5, gap);

      for (guint i = 0; i < n_burst && n < N_ENTERS; i++)
        {
          gint64 ticks = g_test_rand_int_range (1, longest);

          runs[n++] = (Place){ time, time + ticks };
          add (events, time, TS_EVENT_ISR, TICK, TS_EVENT_FLAG_START, 0);
          add (events, time + ticks, TS_EVENT_ISR, TICK, TS_EVENT_FLAG_END, 0);
          time += ticks + g_test_rand_int_range (1, gap);
        }
      time += g_test_rand_int_range (10 * MS, 60000 * MS);
    }
  recording = record (events);
  end = ts_recording_get_duration (recording) + 1;
  check_storms (recording, runs, n, 0, end);
  for (guint k = 0; k < 20; k++)
    {
      gint64 begin = runs[g_test_rand_int_range (0, (gint32) n)].begin
                     + g_test_rand_int_range (-300, 300);
      gint64 length = g_test_rand_int_range (1, k % 2 == 0 ? 100 * MS : G_MAXINT32);

      begin = CLAMP (begin, 0, end - 1);
      check_storms (recording, runs, n, begin, MIN (begin + length, end));
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/findings-long/periods", test_periods);
  g_test_add_func ("/model/findings-long/storms", test_storms);
  return g_test_run ();
}
