/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-analysis.c: figures of tasks, interrupts and communication against counting every tick. */
#include "config.h"

#include <math.h>

#include "figures-fixture.h"
#include "model/ts-series.h"
#include "model/ts-statistics.h"

#define N_RECORDINGS 12
#define N_WINDOWS 8

static int
compare_ticks (gconstpointer a,
               gconstpointer b)
{
  gint64 left = *(const gint64 *) a;
  gint64 right = *(const gint64 *) b;

  return left < right ? -1 : left > right;
}

/* A figure against all its values. Percentile: nearest rank. */
static void
check_figure (const TsFigure *figure,
              GArray *values)
{
  gint64 sum = 0;

  g_assert_cmpuint (figure->count, ==, values->len);
  if (values->len == 0)
    {
      g_assert_cmpint (figure->max, ==, -1);
      g_assert_cmpint (figure->p99, ==, -1);
      return;
    }
  g_array_sort (values, compare_ticks);
  for (guint i = 0; i < values->len; i++)
    sum += g_array_index (values, gint64, i);
  g_assert_cmpint (figure->sum, ==, sum);
  g_assert_cmpint (figure->min, ==, g_array_index (values, gint64, 0));
  g_assert_cmpint (figure->max, ==, g_array_index (values, gint64, values->len - 1));
  for (guint percent = 50; percent <= 99; percent += percent == 50 ? 45 : 4)
    {
      gint64 found = percent == 50 ? figure->p50 : percent == 95 ? figure->p95 : figure->p99;
      guint n = 0;

      for (guint i = 0; i < values->len; i++)
        n += g_array_index (values, gint64, i) <= found;
      g_assert_cmpuint (n * 100, >=, percent * values->len);
      n = 0;
      for (guint i = 0; i < values->len; i++)
        n += g_array_index (values, gint64, i) < found;
      g_assert_cmpuint (n * 100, <, percent * values->len);
    }
}

static gboolean
is_in (gint64 time,
       gint64 begin,
       gint64 end)
{
  return time >= begin && time < end;
}

/* What is known of the state just at the begin of a part of the recording is nothing. */
static gboolean
is_after (gint64 time,
          gint64 begin,
          gint64 end)
{
  return time >= 0 && (time > begin || begin == 0) && time < end;
}

static void
check_task (const Sim *sim,
            const TsLaneStatistics *lane,
            gint64 begin,
            gint64 end)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint64 n_runs = 0;
  guint64 n_preemptions = 0;
  guint64 n_at_begin = 0;
  guint64 n_blocks = 0;

  for (guint i = 0; i < sim->runs->len; i++)
    {
      const SimRun *run = &g_array_index (sim->runs, SimRun, i);
      gint64 net;

      if (run->lane != lane->lane || !is_in (run->begin, begin, end))
        continue;
      n_runs++;
      net = sim_count_owner (sim, run->lane, run->begin, run->end);
      if (!run->is_open)
        g_array_append_val (values, net);
    }
  g_assert_cmpuint (lane->n_runs, ==, n_runs);
  check_figure (&lane->measures[TS_MEASURE_RUN], values);

  for (guint i = 0; i < sim->preemptions->len; i++)
    {
      const SimMark *mark = &g_array_index (sim->preemptions, SimMark, i);

      n_preemptions += mark->task == lane->lane && is_after (mark->time, begin, end);
      n_at_begin += mark->task == lane->lane && mark->time == begin;
    }
  /* At the very begin of a range it can only be told if the run before had no length. */
  g_assert_cmpuint (lane->preemptions, >=, n_preemptions);
  g_assert_cmpuint (lane->preemptions, <=, n_preemptions + n_at_begin);

  g_array_set_size (values, 0);
  for (guint i = 0; i < sim->waits->len; i++)
    {
      const SimWait *wait = &g_array_index (sim->waits, SimWait, i);
      gint64 ticks = wait->end - wait->begin;

      /* A wait of no time is none. */
      if (wait->task != lane->lane || wait->object == 0 || !is_in (wait->begin, begin, end)
          || ticks == 0 || (wait->end < 0 && wait->begin == sim->end))
        continue;
      n_blocks++;
      if (wait->end >= 0)
        g_array_append_val (values, ticks);
    }
  g_assert_cmpuint (lane->blocks, ==, n_blocks);
  check_figure (&lane->measures[TS_MEASURE_BLOCK], values);
}

/* Waits for a mutex do not end an activation: join the parts of it. */
static GArray *
join_activations (const Sim *sim,
                  guint32 task)
{
  GArray *joined = g_array_new (FALSE, FALSE, sizeof (SimActivation));

  for (guint i = 0; i < sim->activations->len; i++)
    {
      const SimActivation *activation = &g_array_index (sim->activations, SimActivation, i);
      SimActivation *before = joined->len > 0
                                  ? &g_array_index (joined, SimActivation, joined->len - 1)
                                  : NULL;
      gboolean is_continued = FALSE;

      if (activation->task != task)
        continue;
      for (guint k = 0; before != NULL && k < sim->waits->len; k++)
        {
          const SimWait *wait = &g_array_index (sim->waits, SimWait, k);

          is_continued = is_continued
                         || (wait->task == task && wait->end == activation->ready
                             && wait->begin == before->end && sim_is_lock (wait->object));
        }
      if (is_continued)
        before->end = activation->end;
      else
        g_array_append_val (joined, *activation);
    }
  for (guint k = 0; joined->len > 0 && k < sim->waits->len; k++)
    {
      const SimWait *wait = &g_array_index (sim->waits, SimWait, k);

      /* It waits for a lock to the end: it has not ended. */
      if (wait->task == task && wait->end < 0 && sim_is_lock (wait->object))
        g_array_index (joined, SimActivation, joined->len - 1).end = -1;
    }
  return joined;
}

static void
check_activations (const Sim *sim,
                   const TsLaneStatistics *lane,
                   gint64 begin,
                   gint64 end)
{
  g_autoptr (GArray) joined = join_activations (sim, lane->lane);
  g_autoptr (GArray) responses = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) executions = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) periods = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 last = -1;

  for (guint i = 0; i < joined->len; i++)
    {
      const SimActivation *activation = &g_array_index (joined, SimActivation, i);
      gint64 ticks;

      /* One that got ready before the range may be any part of an activation. */
      if (activation->run >= 0 && activation->run < end
          && is_after (activation->ready >= 0 ? activation->ready : activation->run, begin, end))
        {
          ticks = activation->run - last;
          if (last >= 0)
            g_array_append_val (periods, ticks);
          last = activation->run;
        }
      if (activation->ready < 0 || activation->run < 0 || !is_after (activation->ready, begin, end))
        continue;
      if (activation->run < end)
        {
          ticks = activation->run - activation->ready;
          g_array_append_val (latencies, ticks);
        }
      if (activation->end < 0 || activation->end >= end)
        continue;
      ticks = activation->end - activation->ready;
      g_array_append_val (responses, ticks);
      ticks = sim_count_owner (sim, activation->task, activation->ready, activation->end);
      g_array_append_val (executions, ticks);
    }
  check_figure (&lane->measures[TS_MEASURE_RESPONSE], responses);
  check_figure (&lane->measures[TS_MEASURE_EXECUTION], executions);
  check_figure (&lane->measures[TS_MEASURE_LATENCY], latencies);
  check_figure (&lane->measures[TS_MEASURE_PERIOD], periods);
}

static void
check_interrupt (const Sim *sim,
                 const TsLaneStatistics *lane,
                 gint64 begin,
                 gint64 end)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) periods = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 last = -1;

  for (guint i = 0; i < sim->runs->len; i++)
    {
      const SimRun *run = &g_array_index (sim->runs, SimRun, i);
      gint64 ticks = run->end - run->begin;

      if (run->lane != lane->lane || !is_in (run->begin, begin, end))
        continue;
      if (!run->is_open)
        g_array_append_val (values, ticks);
      if (last >= 0)
        {
          gint64 period = run->begin - last;

          g_array_append_val (periods, period);
        }
      last = run->begin;
    }
  check_figure (&lane->measures[TS_MEASURE_RUN], values);
  check_figure (&lane->measures[TS_MEASURE_PERIOD], periods);
}

static void
check_load (const Sim *sim,
            const TsLoad *load,
            gint64 begin,
            gint64 end)
{
  gint64 idle = sim_count_owner (sim, SIM_IDLE, begin, end);
  gint64 all = MIN (end, sim->end) - MAX (begin, 0);
  double least = 1000;
  double most = -1;

  g_assert_cmpint (load->busy, ==, all - idle);
  g_assert_cmpint (load->known, ==, all);
  if (load->window > end - begin)
    return;
  for (gint64 at = begin; at + load->window <= end; at++)
    {
      gint64 busy = 0;
      double percent;

      for (gint64 t = at; t < at + load->window; t++)
        busy += t < sim->end && sim->owner[t] != SIM_IDLE;
      percent = 100.0 * (double) busy / (double) load->window;
      least = MIN (least, percent);
      most = MAX (most, percent);
    }
  g_assert_cmpfloat_with_epsilon (load->min_percent, least, 1e-9);
  g_assert_cmpfloat_with_epsilon (load->max_percent, most, 1e-9);
}

static void
check_statistics (const Sim *sim,
                  TsRecording *recording,
                  gint64 begin,
                  gint64 end)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsStatistics) statistics
      = ts_statistics_new (recording, begin, end, 150, NULL, &error);
  gint64 sum = 0;

  g_assert_no_error (error);
  g_assert_true (statistics->is_exact);
  g_assert_cmpuint (statistics->n_loads, ==, 1);
  check_load (sim, &statistics->loads[0], begin, statistics->end);
  for (guint i = 0; i < statistics->n_lanes; i++)
    {
      const TsLaneStatistics *lane = &statistics->lanes[i];

      g_assert_cmpint (lane->ticks, ==, sim_count_owner (sim, lane->lane, begin, end));
      sum += lane->ticks;
      if (lane->kind == TS_LANE_TASK)
        {
          check_task (sim, lane, begin, end);
          check_activations (sim, lane, begin, end);
        }
      else if (lane->kind == TS_LANE_ISR)
        check_interrupt (sim, lane, begin, end);
    }
  g_assert_cmpint (sum, ==, statistics->loads[0].known);
}

/* Every figure over the whole recording and over any part of it. */
static void
test_statistics (void)
{
  for (guint i = 0; i < N_RECORDINGS; i++)
    {
      guint32 seed = g_test_rand_int ();
      Sim *sim = sim_new (seed);
      g_autoptr (TsRecording) recording = sim_record (sim);

      g_test_message ("seed %u", seed);
      g_assert_cmpint (ts_recording_get_duration (recording), ==, sim->end);
      check_statistics (sim, recording, 0, G_MAXINT64);
      for (guint k = 0; k < N_WINDOWS; k++)
        {
          gint64 begin = g_test_rand_int_range (0, (gint32) sim->end);
          gint64 end = g_test_rand_int_range ((gint32) begin + 1, (gint32) sim->end + 1);

          g_test_message ("window %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, begin, end);
          check_statistics (sim, recording, begin, end);
        }
      sim_free (sim);
    }
}

static TsRecording *
record_long (guint n_parts)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-analysis-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "long.vadb", NULL);
  g_autoptr (GError) error = NULL;
  TsRecording *recording;

  sim_write_long (path, n_parts);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (dir);
  return recording;
}

static void
test_nodes (void)
{
  g_autoptr (TsRecording) recording = record_long (450);
  gint64 end = ts_recording_get_duration (recording) + 1;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  g_autoptr (TsStatistics) whole = NULL;
  guint64 most = 0;

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_TASK)
      most = MAX (most, lanes[i].n_slices);
  /* Nodes hold 4096 slices, and four of them make one of the next level. */
  g_assert_cmpuint (most, >, 5 * 4096);
  whole = _ts_statistics_new_with_limit (recording, 0, G_MAXINT64, 0, 0, NULL, NULL);
  g_assert_false (whole->is_exact);
  check_nodes (recording, 0, G_MAXINT64);
  for (guint i = 0; i < 40; i++)
    {
      gint64 begin = (gint64) (g_test_rand_double () * (double) end);

      check_nodes (recording, begin, begin + 1 + (gint64) (g_test_rand_double ()
                                                           * (double) (end - begin)));
    }
}

/* Parts of a recording of which nothing has been unpacked: what interrupts took of a run across an
 * edge is looked up while the slices of the task go by. */
static void
test_nodes_cold (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-analysis-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "long.vadb", NULL);

  sim_write_long (path, 250);
  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
      gint64 end;
      gint64 begin;

      g_assert_no_error (error);
      end = ts_recording_get_duration (recording) + 1;
      begin = (gint64) (g_test_rand_double () * (double) end);
      check_nodes (recording, begin,
                   begin + 1 + (gint64) (g_test_rand_double () * (double) (end - begin)));
    }
  g_unlink (path);
  g_rmdir (dir);
}

/* A recording without lanes has figures too: none. */
static void
test_no_lanes (void)
{
  g_autoptr (TsRecording) recording = record_long (0);
  g_autoptr (TsStatistics) statistics = ts_statistics_new (recording, 0, 1000, 0, NULL, NULL);

  g_assert_nonnull (statistics);
  g_assert_null (ts_statistics_find (statistics, 1234567));
}

/* ---- series ---- */

static void
test_series (void)
{
  guint32 seed = g_test_rand_int ();
  Sim *sim = sim_new (seed);
  g_autoptr (TsRecording) recording = sim_record (sim);

  g_test_message ("seed %u", seed);
  for (guint k = 0; k < 20; k++)
    {
      gint64 begin = g_test_rand_int_range (0, (gint32) sim->end - 100);
      guint n = (guint) g_test_rand_int_range (1, 12);
      gint64 end = begin + n * g_test_rand_int_range (1, (gint32) ((sim->end - begin) / n) + 1);
      guint32 lane = (guint32) g_test_rand_int_range (1, SIM_TASKS);
      g_autoptr (GArray) load = ts_series_load (recording, 0, begin, end, n);
      g_autoptr (GArray) task = ts_series_load (recording, lane, begin, end, n);
      g_autoptr (GArray) rate = ts_series_event_rate (recording, begin, end, n);

      g_assert_cmpuint (load->len, ==, n);
      for (guint i = 0; i < n; i++)
        {
          gint64 low = begin + (end - begin) * i / n;
          gint64 high = begin + (end - begin) * (i + 1) / n;
          double idle = (double) sim_count_owner (sim, SIM_IDLE, low, high);
          double own = (double) sim_count_owner (sim, lane, low, high);
          double span = (double) (high - low);
          guint events = 0;

          for (guint e = 0; e < sim->events->len; e++)
            events += is_in (g_array_index (sim->events, TsEvent, e).time, low, high);
          g_assert_cmpfloat_with_epsilon (g_array_index (load, TsPoint, i).value,
                                          100.0 * (span - idle) / span, 1e-9);
          g_assert_cmpfloat_with_epsilon (g_array_index (task, TsPoint, i).value,
                                          100.0 * own / span, 1e-9);
          /* Events at the edges of two buckets fall into one of them. */
          g_assert_cmpfloat (fabs (g_array_index (rate, TsPoint, i).value * span / SIM_HZ - events),
                             <, 40.0);
          g_assert_cmpint (g_array_index (load, TsPoint, i).time, ==, low);
        }
    }
  sim_free (sim);
}

/* From each run of one task to the first run of another one before the next. */
static void
test_interval (void)
{
  guint32 seed = g_test_rand_int ();
  Sim *sim = sim_new (seed);
  g_autoptr (TsRecording) recording = sim_record (sim);
  g_autoptr (GArray) points
      = ts_series_interval (recording, 1, TS_ENDPOINT_TASK, 2, TS_ENDPOINT_TASK, 0, G_MAXINT64);
  guint n = 0;

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < sim->runs->len; i++)
    {
      const SimRun *from = &g_array_index (sim->runs, SimRun, i);

      if (from->lane != 1)
        continue;
      for (guint k = i + 1; k < sim->runs->len; k++)
        {
          const SimRun *to = &g_array_index (sim->runs, SimRun, k);

          if (to->lane == 1)
            break;
          if (to->lane == 2)
            {
              g_assert_cmpuint (n, <, points->len);
              g_assert_cmpint (g_array_index (points, TsPoint, n).time, ==, from->begin);
              g_assert_cmpfloat_with_epsilon (g_array_index (points, TsPoint, n).value,
                                              (double) (to->begin - from->begin) / 10.0, 1e-9);
              n++;
              break;
            }
        }
    }
  g_assert_cmpuint (n, ==, points->len);
  sim_free (sim);
}

/* The points of a duration are the values of its figure. */
static void
test_measure_series (void)
{
  guint32 seed = g_test_rand_int ();
  Sim *sim = sim_new (seed);
  g_autoptr (TsRecording) recording = sim_record (sim);
  g_autoptr (TsStatistics) statistics
      = ts_statistics_new (recording, 0, G_MAXINT64, 0, NULL, NULL);

  g_test_message ("seed %u", seed);
  for (guint32 lane = 1; lane < SIM_OBJECT (0); lane++)
    for (TsMeasure measure = 0; measure < TS_N_MEASURES; measure++)
      {
        const TsLaneStatistics *figures = ts_statistics_find (statistics, lane);
        g_autoptr (GArray) points
            = ts_series_measure (recording, lane, measure, 0, G_MAXINT64);
        double sum = 0;
        guint64 bins[7];
        guint64 n = 0;
        gint64 low;
        gint64 high;

        if (figures == NULL)
          continue;
        g_assert_cmpuint (points->len, ==, figures->measures[measure].count);
        for (guint i = 0; i < points->len; i++)
          sum += g_array_index (points, TsPoint, i).value;
        g_assert_cmpfloat_with_epsilon (sum, (double) figures->measures[measure].sum / 10.0, 1e-3);

        if (!ts_statistics_histogram (statistics, lane, measure, 7, bins, &low, &high))
          continue;
        for (guint i = 0; i < 7; i++)
          n += bins[i];
        g_assert_cmpuint (n, ==, points->len);
        g_assert_cmpint (low, ==, figures->measures[measure].min);
        g_assert_cmpint (high, ==, figures->measures[measure].max + 1);
        g_assert_cmpuint (bins[0], >, 0);
      }
  sim_free (sim);
}

/* Histograms of packed figures are those of the same figures as they were, exact or of buckets. */
static void
test_packed (void)
{
  guint32 seed = g_test_rand_int ();
  Sim *sim = sim_new (seed);
  g_autoptr (TsRecording) recording = sim_record (sim);
  guint n_seen = 0;

  g_test_message ("seed %u", seed);
  for (guint64 max_exact = 0; max_exact <= G_MAXINT32; max_exact += G_MAXINT32)
    {
      g_autoptr (TsStatistics) whole
          = _ts_statistics_new_with_limit (recording, 0, G_MAXINT64, 0, max_exact, NULL, NULL);
      g_autoptr (TsStatistics) packed
          = _ts_statistics_new_with_limit (recording, 0, G_MAXINT64, 0, max_exact, NULL, NULL);

      ts_statistics_pack (packed);
      ts_statistics_pack (packed);
      for (guint i = 0; i < whole->n_lanes; i++)
        for (TsMeasure measure = 0; measure < TS_N_MEASURES; measure++)
          {
            guint64 bins[2][9];
            gint64 ends[2][2] = { 0 };
            gboolean is_known = ts_statistics_histogram (whole, whole->lanes[i].lane, measure, 9,
                                                         bins[0], &ends[0][0], &ends[0][1]);

            g_assert_cmpint (ts_statistics_histogram (packed, whole->lanes[i].lane, measure, 9,
                                                      bins[1], &ends[1][0], &ends[1][1]),
                             ==, is_known);
            g_assert_cmpmem (bins[0], sizeof bins[0], bins[1], sizeof bins[1]);
            g_assert_cmpmem (ends[0], sizeof ends[0], ends[1], sizeof ends[1]);
            n_seen += is_known;
          }
    }
  g_assert_cmpuint (n_seen, >, 4);
  sim_free (sim);
}

static void
test_thin_out (void)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (TsPoint));

  for (gint64 i = 0; i < 10; i++)
    {
      TsPoint point = { i, (double) ((i * 7) % 10) };

      g_array_append_val (points, point);
    }
  g_assert_false (ts_series_thin_out (points, 10));
  g_assert_true (ts_series_thin_out (points, 2));
  /* 0 7 4 1 8 and 5 2 9 6 3 */
  g_assert_cmpuint (points->len, ==, 2);
  g_assert_cmpint (g_array_index (points, TsPoint, 0).time, ==, 4);
  g_assert_cmpint (g_array_index (points, TsPoint, 1).time, ==, 7);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/analysis/statistics-against-counting", test_statistics);
  g_test_add_func ("/model/analysis/parts-of-a-long-recording", test_nodes);
  g_test_add_func ("/model/analysis/parts-that-were-not-unpacked", test_nodes_cold);
  g_test_add_func ("/model/analysis/no-lanes", test_no_lanes);
  g_test_add_func ("/model/analysis/load-and-rate-over-time", test_series);
  g_test_add_func ("/model/analysis/intervals", test_interval);
  g_test_add_func ("/model/analysis/durations-and-histograms", test_measure_series);
  g_test_add_func ("/model/analysis/packed-figures", test_packed);
  g_test_add_func ("/model/analysis/thin-out-keeps-the-largest", test_thin_out);
  return g_test_run ();
}
