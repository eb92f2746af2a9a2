/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-tracker-values.c: samples, spans, points and lanes; and any events in any order. */
#include "config.h"

#include <math.h>

#include "tracker-fixture.h"

static void
test_spans (Scene *scene,
            gconstpointer data)
{
  const TsTaskStats *stats;

  event (scene, 50, TS_EVENT_USER_EVENT, SPAN, END, 0, 0);
  event (scene, 100, TS_EVENT_USER_EVENT, SPAN, START, 0, 0);
  event (scene, 120, TS_EVENT_USER_EVENT, SPAN, START, 0, 0);
  event (scene, 150, TS_EVENT_USER_EVENT, SPAN, END, 0, 0);
  event (scene, 220, TS_EVENT_USER_EVENT, SPAN, END, 0, 0);
  event (scene, 300, TS_EVENT_USER_EVENT, SPAN, START, 0, 0);
  event (scene, 310, TS_EVENT_USER_EVENT, SPAN, START, 0, 0);
  scene->now = 400;
  ASSERT_LANE (scene, SPAN, { 120, 150, TS_STATE_RUNNING, 0 }, { 100, 220, TS_STATE_RUNNING, 0 },
               { 300, 400, TS_STATE_RUNNING, 0 }, { 310, 400, TS_STATE_RUNNING, 0 });

  stats = find_stats (scene, SPAN);
  g_assert_cmpuint (stats->run_count, ==, 4);
  g_assert_cmpuint (stats->n_runs, ==, 2);
  g_assert_cmpint (stats->sum_ticks, ==, 30 + 120);
  g_assert_cmpint (stats->min_ticks, ==, 30);
  g_assert_cmpint (stats->max_ticks, ==, 120);
}

static void
test_values (Scene *scene,
             gconstpointer data)
{
  const TsTraceStats *stats;
  TsSlice slice;
  guint n;
  union { double d; gint64 i; } bits = { .d = 0.5 };
  union { double d; gint64 i; } nan = { .d = 0.0 / 0.0 };

  event (scene, 100, TS_EVENT_USER_TRACE, TRACE, 0, -2, 0);
  event (scene, 200, TS_EVENT_USER_TRACE, TRACE, 0, 4, 0);
  event (scene, 250, TS_EVENT_FLOAT_TRACE, TRACE, TS_EVENT_FLAG_FLOAT, bits.i, 0);
  event (scene, 260, TS_EVENT_FLOAT_TRACE, TRACE, TS_EVENT_FLAG_FLOAT, nan.i, 0);
  event (scene, 270, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  scene->now = 300;

  ASSERT_LANE (scene, TRACE, { 100, 200, TS_STATE_POINT, 0 }, { 200, 250, TS_STATE_POINT, 0 },
               { 250, 260, TS_STATE_POINT, 0 }, { 260, 270, TS_STATE_POINT, 0 },
               { 270, 300, TS_STATE_POINT, 0 });
  g_assert_true (ts_lane_reader_find (scene->reader, TRACE, 220, 0, &slice));
  g_assert_cmpfloat (slice.value, ==, 4);
  g_assert_true (ts_lane_reader_find (scene->reader, TRACE, 255, 0, &slice));
  g_assert_cmpfloat (slice.value, ==, 0.5);

  stats = ts_tracker_get_trace_stats (scene->tracker, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (stats->object, ==, TRACE);
  g_assert_cmpuint (stats->count, ==, 4);
  g_assert_cmpfloat (stats->min, ==, -2);
  g_assert_cmpfloat (stats->max, ==, 4);
  g_assert_cmpfloat (stats->last, ==, 1);
  g_assert_cmpfloat_with_epsilon (stats->mean, 3.5 / 4, 1e-12);
  /* Squares: 4 + 16 + 0.25 + 1; m2 = sum of squares - n * mean^2. */
  g_assert_cmpfloat_with_epsilon (stats->sum_squares, 21.25, 1e-12);
  g_assert_cmpfloat_with_epsilon (stats->m2, 21.25 - 4 * 0.875 * 0.875, 1e-12);
  g_assert_cmpint (stats->first_time, ==, 100);
  g_assert_cmpint (stats->last_time, ==, 270);
}

static void
test_points (Scene *scene,
             gconstpointer data)
{
  event (scene, 10, TS_EVENT_USER_TOGGLE, TOGGLE, 0, 1, 0);
  event (scene, 20, TS_EVENT_USER_TOGGLE, TOGGLE, 0, 1, 0);
  event (scene, 30, TS_EVENT_USER_TOGGLE, TOGGLE, 0, 0, 0);
  event (scene, 40, TS_EVENT_STRING, CHANNEL, TS_EVENT_FLAG_TEXT, 1, (gint64) 77 << 32);
  event (scene, 50, TS_EVENT_SEMAPHORE, SEM, START, 0, 0);
  event (scene, 60, TS_EVENT_SEMAPHORE, 0, START, 0, 0);
  event (scene, 60, TS_EVENT_SEMAPHORE, 999, START, 0, 0);

  ASSERT_LANE (scene, TOGGLE, { 10, 20, TS_STATE_RUNNING, 0 }, { 20, 30, TS_STATE_RUNNING, 0 },
               { 30, 60, TS_STATE_LOW, 0 });
  ASSERT_LANE (scene, CHANNEL, { 40, 40, TS_STATE_POINT, 77 });
  ASSERT_LANE (scene, SEM, { 50, 50, TS_STATE_POINT, 0 });
}

/* Objects without events have no lane, tasks always do; names follow the object. */
static void
test_lanes (Scene *scene,
            gconstpointer data)
{
  char renamed[] = "Tick";
  TsObject object = TS_OBJECT_INIT;
  const TsLaneInfo *lanes;
  guint n;

  lanes = ts_lane_store_get_lanes (scene->store, &n);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpstr (lanes[0].name, ==, "IDLE");
  g_assert_true (lanes[0].is_idle);
  g_assert_cmpint (lanes[3].priority, ==, 6);
  g_assert_cmpuint (lanes[3].color, ==, 3);

  isr (scene, 10, SYSTICK, START);
  event (scene, 11, TS_EVENT_TASK_PRIORITY, MID, 0, 9, 4);
  object.id = SYSTICK;
  object.type = TS_OBJECT_ISR;
  object.name = renamed;
  ts_tracker_set_object (scene->tracker, &object);

  lanes = ts_lane_store_get_lanes (scene->store, &n);
  g_assert_cmpuint (n, ==, 4 + 3);
  g_assert_cmpint (lanes[2].priority, ==, 9);
  for (guint i = 4; i < n; i++)
    {
      if (lanes[i].id == SYSTICK)
        {
          g_assert_cmpstr (lanes[i].name, ==, "ISR:Tick");
          g_assert_cmpint (lanes[i].first_seen, ==, 10);
          g_assert_cmpint (lanes[i].kind, ==, TS_LANE_ISR);
        }
      else
        {
          g_assert_true (lanes[i].id == TS_LANE_ID_CPU (0) || lanes[i].id == TS_LANE_ID_DENSITY);
        }
    }
}

/* Anything in any order: no crash, slices of a lane never overlap where they must not. */
static void
test_any_events (Scene *scene,
                 gconstpointer data)
{
  guint32 seed = (guint32) g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  gint64 time = 0;
  guint n;
  const TsLaneInfo *lanes;

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 200000; i++)
    {
      TsEvent e = {
        .time = time,
        .object = (guint32) g_rand_int_range (rand, 0, N_OBJECTS + 2),
        .core = g_rand_int_range (rand, 0, 50) == 0,
        .kind
        = (guint16) (g_rand_int_range (rand, 0, 100) == 0 ? 0x200 + g_rand_int_range (rand, 0, 7)
                                                          : g_rand_int_range (rand, 0, 0x28)),
        .flags = (guint8) g_rand_int (rand),
        .value = g_rand_int_range (rand, -3, 20),
        .detail = g_rand_int_range (rand, -3, 20),
      };

      if (g_rand_int_range (rand, 0, 3) == 0)
        e.kind = g_rand_boolean (rand) ? TS_EVENT_TASK_SWITCH : TS_EVENT_ISR;
      if (e.kind == TS_EVENT_TASK_SWITCH)
        e.object = (guint32) g_rand_int_range (rand, IDLE, HIGH + 1);
      e.flags &= (guint8) ~TS_EVENT_FLAG_FLOAT;
      ts_tracker_events (scene->tracker, &e, 1);
      time += g_rand_int_range (rand, -2, 20);
      time = MAX (time, 0);
    }
  ts_tracker_finish (scene->tracker, time);
  ts_lane_store_seal_all (scene->store);
  ts_lane_store_publish (scene->store, time);
  ts_lane_reader_sync (scene->reader);

  lanes = ts_lane_reader_get_lanes (scene->reader, &n);
  for (guint i = 0; i < n; i++)
    {
      TsSlice slice;
      gint64 at = -1;
      gint64 end = 0;
      guint64 n_seen = 0;

      if (lanes[i].kind != TS_LANE_TASK && lanes[i].kind != TS_LANE_CPU
          && lanes[i].kind != TS_LANE_RTOS)
        continue;
      while (ts_lane_reader_next (scene->reader, lanes[i].id, at, 1, &slice))
        {
          g_assert_cmpint (slice.begin, >, at);
          g_assert_cmpint (slice.begin, >=, end);
          end = slice.end;
          at = slice.begin;
          n_seen++;
        }
      g_assert_cmpuint (n_seen, <=, lanes[i].n_slices);
      g_assert_cmpuint (n_seen, >, 0);
    }
}

/* What a lane says from when on; NAN: nothing is known. */
typedef struct
{
  gint64 begin;
  gint64 end;
  double value;
} Rate;

static void
assert_slices (Scene *scene,
               guint32 lane,
               const Rate *want,
               guint n_want)
{
  gint64 at = -1;
  TsSlice slice;

  ts_lane_store_publish (scene->store, scene->now);
  ts_lane_reader_sync (scene->reader);
  for (guint i = 0; i < n_want; i++)
    {
      g_assert_true (ts_lane_reader_next (scene->reader, lane, at, 1, &slice));
      g_assert_cmpint (slice.begin, ==, want[i].begin);
      g_assert_cmpint (slice.end, ==, want[i].end);
      if (isnan (want[i].value))
        g_assert_true (isnan (slice.value));
      else
        g_assert_cmpfloat_with_epsilon (slice.value, want[i].value, 1e-6);
      at = slice.begin;
    }
  g_assert_false (ts_lane_reader_next (scene->reader, lane, at, 1, &slice));
}

#define ASSERT_RATES(scene, counter, ...) \
  G_STMT_START { \
    const Rate want_[] = { __VA_ARGS__ }; \
    assert_slices (scene, TS_LANE_ID_COUNTER (0, counter), want_, G_N_ELEMENTS (want_)); \
  } G_STMT_END

/* 100 kHz: 1000 ticks are 10 ms. A wrap of an 8-bit counter in one of these is 256 counts, or
 * 25600 a second; of the cycle counter 16384, or 1638400 a second. */
static void
test_rates (Scene *scene,
            gconstpointer data)
{
  const TsLaneInfo *lanes;
  guint n;

  ts_tracker_set_clock (scene->tracker, 100000);
  event (scene, 0, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  event (scene, 100, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 0, 0);
  event (scene, 999, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 0, 0);
  event (scene, 1000, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 0 | 1 << 2, 0);
  event (scene, 5500, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 5, 0);
  event (scene, 6000, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 0, 0);
  /* live: the interval that is open is not told yet */
  ASSERT_RATES (scene, 0, { 0, 1000, 51200 }, { 1000, 2000, 25600 }, { 2000, 5000, 0 },
                { 5000, 6000, 0 });
  ASSERT_RATES (scene, 2, { 0, 1000, 0 }, { 1000, 2000, 25600 }, { 2000, 5000, 0 },
                { 5000, 6000, 0 });
  ASSERT_RATES (scene, 5, { 0, 5000, 0 }, { 5000, 6000, 1638400 });

  /* what came in 7000 to 7300 is no rate, as there may have been more */
  event (scene, 7200, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 2, 0);
  event (scene, 7300, TS_EVENT_DATA_LOSS, 0, 0, 1, 0);
  event (scene, 9000, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  event (scene, 9100, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 0, 0);
  ts_tracker_finish (scene->tracker, 9640);
  scene->now = 9640;
  ASSERT_RATES (scene, 0, { 0, 1000, 51200 }, { 1000, 2000, 25600 }, { 2000, 5000, 0 },
                { 5000, 6000, 0 }, { 6000, 7000, 25600 }, { 7000, 9000, NAN },
                { 9000, 9640, 40000 });
  ASSERT_RATES (scene, 2, { 0, 1000, 0 }, { 1000, 2000, 25600 }, { 2000, 5000, 0 },
                { 5000, 6000, 0 }, { 6000, 7000, 0 }, { 7000, 9000, NAN }, { 9000, 9640, 0 });

  lanes = ts_lane_store_get_lanes (scene->store, &n);
  for (guint i = 0; i < n; i++)
    if (lanes[i].id == TS_LANE_ID_COUNTER (0, 5))
      {
        g_assert_cmpstr (lanes[i].name, ==, "CYC /s");
        g_assert_cmpint (lanes[i].kind, ==, TS_LANE_VALUE);
        g_assert_cmpuint (lanes[i].object, ==, 0);
      }
    else
      {
        g_assert_true (lanes[i].id != TS_LANE_ID_COUNTER (0, 1)); /* never wrapped */
      }
  /* a rate is worked out: no channel of the target */
  ts_tracker_get_trace_stats (scene->tracker, &n);
  g_assert_cmpuint (n, ==, 1);
}

/* 1 MHz, a line of 1 Mbit/s carries 100 kB/s. 500 bytes in 10 ms are 50 kB/s, half of it. */
static void
test_load (Scene *scene,
           gconstpointer share)
{
  gboolean is_share = GPOINTER_TO_INT (share);
  const Rate want[] = { { 1000, 11000, 50 }, { 11000, 21000, 10 }, { 21000, 30000, NAN },
                        { 30000, 40000, is_share ? 100 : 120 } };
  const Rate overflows[] = { { 21000, 22000, 0 } };
  const TsLaneInfo *lanes;
  gboolean is_found = FALSE;
  guint n;

  ts_tracker_set_clock (scene->tracker, 1000000);
  ts_tracker_set_line_rate (scene->tracker, is_share ? 1000000 : 0);
  event (scene, 1000, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  event (scene, 11000, TS_EVENT_SWO_LOAD, 0, TS_EVENT_FLAG_SYNTHETIC, 500, 10000);
  event (scene, 21000, TS_EVENT_SWO_LOAD, 0, TS_EVENT_FLAG_SYNTHETIC, 100, 10000);
  event (scene, 22000, TS_EVENT_ITM_OVERFLOW, 0, 0, 0, 0);
  /* time stamps were lost: a line cannot be more than full */
  event (scene, 40000, TS_EVENT_SWO_LOAD, 0, TS_EVENT_FLAG_SYNTHETIC, 1200, 10000);
  /* nonsense of a damaged file is passed over */
  event (scene, 40000, TS_EVENT_SWO_LOAD, 0, TS_EVENT_FLAG_SYNTHETIC, 1200, 0);
  event (scene, 41000, TS_EVENT_SWO_LOAD, 0, TS_EVENT_FLAG_SYNTHETIC, -5, 1000);
  assert_slices (scene, TS_LANE_ID_LOAD (0), want, G_N_ELEMENTS (want));
  assert_slices (scene, TS_LANE_ID_OVERFLOW (0), overflows, 1);
  lanes = ts_lane_store_get_lanes (scene->store, &n);
  for (guint i = 0; i < n; i++)
    if (lanes[i].id == TS_LANE_ID_LOAD (0))
      {
        is_found = TRUE;
        g_assert_cmpint (lanes[i].kind, ==, TS_LANE_VALUE);
        g_assert_cmpstr (lanes[i].name, ==, is_share ? "SWO load %" : "SWO load kB/s");
      }
  g_assert_true (is_found);
}

/* Hours of silence are one slice, and a rest of a few ticks is no rate. */
static void
test_rates_of_silence (Scene *scene,
                       gconstpointer data)
{
  ts_tracker_set_clock (scene->tracker, 100000);
  event (scene, 0, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 3, 0);
  event (scene, ((gint64) 1 << 50) * 1000 + 1, TS_EVENT_DWT_COUNTERS, 0, 0, 1 << 3, 0);
  ts_tracker_finish (scene->tracker, scene->now + 3);
  ASSERT_RATES (scene, 3, { 0, 1000, 25600 }, { 1000, ((gint64) 1 << 50) * 1000, 0 });
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function) \
  g_test_add ("/model/tracker-values/" name, Scene, NULL, set_up, function, tear_down)
  ADD ("spans", test_spans);
  ADD ("values", test_values);
  ADD ("points", test_points);
  ADD ("lanes", test_lanes);
  ADD ("any-events", test_any_events);
  ADD ("rates", test_rates);
  ADD ("rates-of-silence", test_rates_of_silence);
  g_test_add ("/model/tracker-values/load-rate", Scene, NULL, set_up, test_load, tear_down);
  g_test_add ("/model/tracker-values/load-share", Scene, GINT_TO_POINTER (1), set_up, test_load, tear_down);
#undef ADD

  return g_test_run ();
}
