/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings-times.c: what came too late, not at all, or too often. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>

#include "ts-findings-private.h"
#include "ts-lane-skip-private.h"
#include "ts-timers.h"

#define TIMER_LATE_US 500
/* A lane is regular if it has so many periods, and 95 of 100 lie within so many percent of the
 * median; what is longer than one and a half of it is then an outlier. */
#define REGULAR_MIN_PERIODS 20
#define REGULAR_PERCENT 20
/* What keeps its rhythm for less than so many percent of the time comes in bursts. Between bursts
 * it pauses, and nothing is late: a gap of more than so many periods is no outlier then. */
#define BURSTS_PERCENT 10
#define PAUSE_PERIODS 100
#define STORM_FACTOR 5

gboolean
_ts_findings_timers (TsFinder *self,
                     GError **error)
{
  g_autoptr (GPtrArray) timers = ts_timers_list (
      self->recording, self->begin, self->end,
      ts_recording_us_to_ticks (self->recording, TIMER_LATE_US), self->cancellable, error);

  if (timers == NULL)
    return FALSE;
  for (guint i = 0; i < timers->len; i++)
    {
      const TsTimer *timer = g_ptr_array_index (timers, i);
      const char *name = _ts_finder_name (self, timer->object);

      for (guint k = 0; k < timer->fires->len; k++)
        {
          const TsTimerFire *fire = &g_array_index (timer->fires, TsTimerFire, k);
          g_autofree char *late = _ts_finder_duration (self, fire->lateness);
          TsFinding *finding;

          if (fire->is_violation)
            {
              finding = _ts_finder_add (
                  self, TS_FINDING_TIMER_LATE, TS_SEVERITY_WARNING, fire->expected, fire->time,
                  fire->lateness,
                  fire->culprit != 0 ? _("Timer %s fired %s late; %s had the processor.")
                                     : _("Timer %s fired %s late."),
                  name, late, fire->culprit != 0 ? _ts_finder_name (self, fire->culprit) : "");
              _ts_finding_add_lane (finding, timer->object);
              _ts_finding_add_lane (finding, fire->culprit);
            }
          if (fire->n_missed > 0)
            {
              gint64 gap = (gint64) fire->n_missed * timer->period;

              finding = _ts_finder_add (
                  self, TS_FINDING_TIMER_MISSED, TS_SEVERITY_ERROR, MAX (fire->expected - gap, 0),
                  fire->time, gap, _("Timer %s did not fire %" PRIu64 " times in a row."),
                  name, fire->n_missed);
              finding->count = fire->n_missed;
              _ts_finding_add_lane (finding, timer->object);
            }
        }
    }
  return TRUE;
}

/* ---- periods ---- */

typedef struct
{
  TsFinder *finder;
  const TsLaneInfo *lane;
  gint64 median;
  gint64 pause; /* what is longer is a pause */
} PeriodFinder;

static void
note_period (TsMeasure measure,
             gint64 ticks,
             gint64 begin,
             gint64 end,
             gpointer user_data)
{
  PeriodFinder *self = user_data;
  g_autofree char *length = NULL;
  g_autofree char *usual = NULL;
  TsFinding *finding;

  if (measure != TS_MEASURE_PERIOD || ticks <= self->median + self->median / 2
      || ticks > self->pause)
    return;
  length = _ts_finder_duration (self->finder, ticks);
  usual = _ts_finder_duration (self->finder, self->median);
  finding = _ts_finder_add (self->finder, TS_FINDING_PERIOD, TS_SEVERITY_WARNING, begin, end,
                            ticks - self->median,
                            _("%s came again after %s; it usually does after %s."),
                            self->lane->name, length, usual);
  _ts_finding_add_lane (finding, self->lane->id);
}

/* @max_exact: slices up to which all are looked at */
gboolean
_ts_findings_periods_with_limit (TsFinder *self,
                                 guint64 max_exact,
                                 GError **error)
{
  const TsStatistics *statistics = self->statistics;
  g_autoptr (TsStatistics) own = NULL;

  if (statistics == NULL)
    statistics = own
        = _ts_statistics_new_with_limit (self->recording, self->begin, self->end, 0, max_exact,
                                         self->cancellable, error);
  if (statistics == NULL)
    return FALSE;
  for (guint i = 0; i < statistics->n_lanes; i++)
    {
      const TsLaneStatistics *lane = &statistics->lanes[i];
      const TsFigure *period = &lane->measures[TS_MEASURE_PERIOD];
      __int128 in_rhythm = (__int128) period->p50 * period->count;
      PeriodFinder finder = { self, ts_recording_get_lane (self->recording, lane->lane),
                              period->p50, G_MAXINT64 };
      guint n_before = self->findings->len;

      if (period->count < REGULAR_MIN_PERIODS || lane->is_idle || lane->kind == TS_LANE_RTOS
          || period->p95 > period->p50 + period->p50 * REGULAR_PERCENT / 100
          || (lane->is_exact && period->max <= period->p50 + period->p50 / 2))
        continue;
      if (in_rhythm * 100 < (__int128) period->sum * BURSTS_PERCENT
          && period->p50 < G_MAXINT64 / PAUSE_PERIODS)
        finder.pause = period->p50 * PAUSE_PERIODS;
      if (lane->is_exact
          || !_ts_lane_walk_long_periods (self->recording, finder.lane, self->begin, self->end,
                                          period->p50 + period->p50 / 2, finder.pause,
                                          note_period, &finder, self->cancellable))
        {
          g_ptr_array_set_size (self->findings, (gint) n_before);
          _ts_lane_walk_samples (self->recording, finder.lane, self->begin, self->end, FALSE,
                                 note_period, &finder);
        }
    }
  return TRUE;
}

gboolean
_ts_findings_periods (TsFinder *self,
                      GError **error)
{
  return _ts_findings_periods_with_limit (self, TS_ANALYSIS_MAX_EXACT, error);
}

/* ---- storms ---- */

/**
 * Stretch: a stretch of time in which there may be a storm.
 * @usual: how many come in a window on average
 * @findings: (element-type TsFinding): storms
 */
typedef struct
{
  const TsLaneInfo *lane;
  double usual;
  gint64 begin;
  gint64 end;
  GPtrArray *findings;
} Stretch;

typedef struct
{
  const TsFinder *finder;
  GArray *stretches;
} Stretches;

static gint64
get_storm_window (TsRecording *recording)
{
  return ts_recording_us_to_ticks (recording, TS_STORM_WINDOW_US);
}

/* Whether @count in a window are so many, where @usual come on average. */
static gboolean
are_storm (guint64 count,
           double usual)
{
  return count >= TS_STORM_MIN_COUNT && (double) count >= STORM_FACTOR * usual;
}

/* Windows of one interrupt within a stretch of time: ten milliseconds from each enter on. */
static void
find_storms (guint piece,
             TsLaneAccess *access,
             gpointer user_data)
{
  const Stretches *stretches = user_data;
  const Stretch *stretch = &g_array_index (stretches->stretches, Stretch, piece);
  const TsLaneInfo *lane = stretch->lane;
  TsFinder own = *stretches->finder;
  TsFinder *self = &own;
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  gint64 window = get_storm_window (self->recording);
  TsStormWindow recent;
  TsFinding *storm = NULL;
  const TsSlice *slice;

  own.findings = stretch->findings;
  _ts_storm_window_init (&recent, window);
  _ts_slice_cursor_init_apart (cursor, access, lane->id, stretch->begin, stretch->end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      guint count = _ts_storm_window_add (&recent, slice);

      if (!are_storm (count, stretch->usual) || !_ts_storm_window_is_busy (&recent))
        continue;

      if (storm != NULL && slice->begin - window <= storm->end)
        {
          storm->end = slice->end;
          storm->count++;
          continue;
        }
      storm = _ts_finder_add (
          self, TS_FINDING_INTERRUPT_STORM, TS_SEVERITY_WARNING,
          _ts_storm_window_get_begin (&recent), slice->end, (gint64) count,
          _("%s came %u times in 10 ms and took %.0f %% of the processor."),
          lane->name, count, 100.0 * (double) recent.ticks / (double) window);
      storm->count = count;
      _ts_finding_add_lane (storm, lane->id);
    }
  _ts_storm_window_clear (&recent);
}

/**
 * Storm: what a node must hold for a storm to end in it.
 * @usual: how many come in a window on average
 * @buckets: (array fixed-size=6): empty
 */
typedef struct
{
  TsFinder *finder;
  TsLaneAccess *access;
  const TsReaderLane *lane;
  gint64 window;
  double usual;
  TsBuckets *buckets;
} Storm;

static gboolean
may_lie (const TsNodeInfo *info,
         gpointer user_data)
{
  const TsFinder *self = ((Storm *) user_data)->finder;

  return info->end > self->begin && info->begin < self->end;
}

/* Whether so many come in one of the windows that take long enough; in older recordings, as many as
 * a storm needs as close together as in one. In a range that begins meanwhile they are fewer. */
static gboolean
may_storm (const TsLaneHead *head,
           gpointer user_data)
{
  const Storm *self = user_data;

  return head->storm_window == self->window ? are_storm (head->storm_count, self->usual)
                                            : head->crowd <= self->window;
}

/* The time that the longest @n of some runs take, or a little more. */
static gint64
sum_longest (const TsBuckets *buckets,
             guint64 n)
{
  gint64 ticks = 0;

  for (guint power = TS_BUCKET_POWERS; power-- > 0 && n > 0;)
    {
      guint64 used = buckets->used[power];

      while (used != 0 && n > 0)
        {
          guint step = 63 - (guint) __builtin_clzll (used);
          guint bucket = (power << TS_BUCKET_STEPS_LOG2) + step;
          guint64 count = MIN (buckets->counts[bucket], n);
          gint64 middle = _ts_bucket_middle (bucket);

          /* Nobody counts on for longer than some windows. */
          ticks += (gint64) count * MIN (middle + middle / 64 + 1, G_MAXINT64 >> 32);
          n -= count;
          used &= ~((guint64) 1 << step);
        }
    }
  return ticks;
}

static gboolean
knows_storms (Storm *self,
              guint run)
{
  TsLaneHead head;
  gboolean is_known
      = _ts_lane_read_head (self->finder->recording->lanes,
                            _ts_reader_lane_node (self->lane, 0, run), &head)
        && head.storm_window == self->window;

  _ts_head_clear (&head);
  return is_known;
}

/* Whether a storm can end in a node: whether so many can lie in a window of it and of what comes
 * before, and take long enough. */
static gboolean
may_end_storm (Storm *self,
               guint run)
{
  guint least = (guint) CLAMP (STORM_FACTOR * self->usual, TS_STORM_MIN_COUNT, TS_NODE_SLICES / 2);
  const TsReaderLane *lane = self->lane;
  gboolean is_known = TRUE;
  gint64 crowd = G_MAXINT64;
  gint64 most_ticks;
  guint64 n_slices = 0;
  guint64 most;

  if (run >= _ts_reader_lane_n_nodes (lane, 0))
    return TRUE;
  /* Counted already. */
  if (knows_storms (self, run))
    return TRUE;
  /* The node, and those that so many reach back to. */
  for (guint i = run + 1; i-- > 0 && is_known && (i + 1 >= run || n_slices < least);)
    {
      TsReaderNode *node = _ts_reader_lane_node (lane, 0, i);
      g_autoptr (GBytes) bytes = _ts_lane_access_dup_figures (self->access, node);
      TsLaneFigures figures;

      if (bytes == NULL)
        is_known = FALSE;
      else
        {
          is_known = _ts_figures_decode (bytes, &figures, self->buckets) && figures.head.is_known
                     && !figures.is_nested;
          crowd = MIN (crowd, figures.head.crowd);
          _ts_figures_clear (&figures);
        }
      if (i < run)
        n_slices += node->info.n_slices;
    }

  /* From each to the 49th behind it no time is shorter than that. */
  most = (guint64) MIN (self->window / MAX (crowd, 1), TS_NODE_SLICES) + 1;
  most *= TS_HEAD_CROWD - 1;
  most_ticks = sum_longest (&self->buckets[TS_MEASURE_RUN], most);
  for (guint m = 0; m < TS_N_MEASURES; m++)
    _ts_buckets_clear (&self->buckets[m]);
  return !is_known || crowd == 0
         || (most >= least
             && (__int128) most_ticks * 100 >= (__int128) self->window * TS_STORM_PERCENT);
}

/* When the first slice of a part of a lane begins, or a little before. */
static gint64
get_run_begin (const TsReaderLane *lane,
               guint run)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  gint64 begin;

  if (run == 0)
    return 0;
  begin = _ts_reader_lane_node (lane, 0, MIN (run, n_nodes) - 1)->info.end;
  if (run < n_nodes)
    return MIN (begin, _ts_reader_lane_node (lane, 0, run)->info.begin);
  for (guint i = 0; lane->chunk != NULL && i < lane->n_chunk; i++)
    begin = MIN (begin, lane->chunk->slices[i].begin);
  for (guint i = 0; i < lane->n_open; i++)
    begin = MIN (begin, lane->open[i].begin);
  return begin;
}

/* The next part of a lane in which a storm can end. */
static guint
find_suspect (Storm *self,
              guint run)
{
  TsLaneReader *reader = self->finder->recording->lanes;
  TsNodeQuestion question = { may_lie, may_storm, self };

  while ((run = _ts_lane_find_run (reader, self->lane, run, 1, &question))
             < _ts_lane_n_runs (self->lane)
         && !may_end_storm (self, run))
    run++;
  return run;
}

/* Stretches of time in which there may be a storm. Those that lie so close together that one storm
 * may go through both are one. */
static void
find_suspects (TsFinder *self,
               const TsLaneInfo *info,
               GArray *stretches)
{
  gint64 window = MAX (get_storm_window (self->recording), 1);
  guint64 total = _ts_analysis_count_slices (self->recording, info->id, self->begin, self->end);
  double usual = (double) total * (double) window / (double) MAX (self->end - self->begin, 1);
  const TsReaderLane *lane = _ts_lane_reader_find_lane (self->recording->lanes, info->id);
  g_autoptr (TsLaneAccess) access = _ts_lane_access_new (self->recording, FALSE);
  g_autofree TsBuckets *buckets = g_new0 (TsBuckets, TS_N_MEASURES);
  Storm storm = { self, access, lane, window, usual, buckets };
  guint n_nodes = lane != NULL ? _ts_reader_lane_n_nodes (lane, 0) : 0;
  guint n_runs = lane != NULL ? _ts_lane_n_runs (lane) : 0;
  guint run = lane != NULL ? find_suspect (&storm, 0) : 0;

  G_STATIC_ASSERT (TS_HEAD_CROWD <= TS_STORM_MIN_COUNT);
  while (run < n_runs)
    {
      Stretch stretch = { info, usual, self->begin, self->end, NULL };
      guint next = n_runs;

      if (run > 0)
        stretch.begin = MAX (get_run_begin (lane, run) - window, self->begin);
      /* What is in no node yet is looked at to the end. */
      while (run < n_nodes)
        {
          gint64 end = _ts_reader_lane_node (lane, 0, run)->info.end;

          next = find_suspect (&storm, run + 1);
          if (next >= n_runs || get_run_begin (lane, next) - window > end)
            {
              stretch.end = MIN (end + 1, self->end);
              break;
            }
          run = next;
          next = n_runs;
        }
      stretch.findings = g_ptr_array_new ();
      g_array_append_val (stretches, stretch);
      run = next;
    }
}

gboolean
_ts_findings_storms (TsFinder *self,
                     GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Stretch));
  Stretches stretches = { self, list };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes && !g_cancellable_is_cancelled (self->cancellable); i++)
    if (lanes[i].kind == TS_LANE_ISR)
      find_suspects (self, &lanes[i], list);
  _ts_analysis_share_out (self->recording, list->len, list->len > 1, find_storms, &stretches);
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_extend_and_steal (self->findings, g_array_index (list, Stretch, i).findings);
  return TRUE;
}
