/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-load.c: load of a processor, and the busiest and the idlest moment of it. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-lane-skip-private.h"
#include "ts-recording-schema.h"

/* Equal parts of a range that is too long for its slices to be looked at. */
#define N_PARTS 8192

/* @hints: two, of a series of windows that only moves forward. */
static void
note_window (TsLoad *load,
             const TsIntervals *busy,
             gint64 from,
             gint64 begin,
             gint64 end,
             guint *hints)
{
  double percent;

  from = CLAMP (from, begin, end - load->window);
  percent = 100.0
            * (double) (_ts_intervals_before (busy, from + load->window, &hints[1])
                        - _ts_intervals_before (busy, from, &hints[0]))
            / (double) load->window;
  if (load->min_percent < 0 || percent < load->min_percent)
    {
      load->min_percent = percent;
      load->min_begin = from;
    }
  if (percent > load->max_percent)
    {
      load->max_percent = percent;
      load->max_begin = from;
    }
}

/* The load of a moving window is piecewise linear in its place: its extremes are where one of
 * its two edges meets an edge of a busy interval, or at the ends of the range. */
static void
slide (TsLoad *load,
       const TsIntervals *busy,
       gint64 begin,
       gint64 end)
{
  guint hints[4][2] = { { 0 } };
  guint last[2] = { 0 };

  note_window (load, busy, begin, begin, end, hints[0]);
  note_window (load, busy, end - load->window, begin, end, last);
  for (guint i = 0; i < busy->array->len; i++)
    {
      const TsInterval *interval = &g_array_index (busy->array, TsInterval, i);

      note_window (load, busy, interval->begin, begin, end, hints[0]);
      note_window (load, busy, interval->end - load->window, begin, end, hints[1]);
      note_window (load, busy, interval->end, begin, end, hints[2]);
      note_window (load, busy, interval->begin - load->window, begin, end, hints[3]);
    }
}

/* Time in which a node of a lane is in a state. */
static gint64
ticks_of_node (TsLaneReader *reader,
               TsReaderNode *node,
               TsLaneState state)
{
  const TsFold *fold = _ts_lane_reader_get_fold (reader, node, 0);
  gint64 ticks = 0;

  for (guint i = 0; fold != NULL && fold->ticks[state] != NULL && i < fold->n; i++)
    ticks += fold->ticks[state][i];
  return ticks;
}

static gint64
ticks_of_slices (const TsSlice *slices,
                 guint n_slices,
                 gint64 begin,
                 gint64 end,
                 TsLaneState state)
{
  gint64 ticks = 0;

  for (guint i = 0; i < n_slices; i++)
    if (slices[i].state == state && slices[i].begin < end && slices[i].end > begin)
      ticks += MIN (slices[i].end, end) - MAX (slices[i].begin, begin);
  return ticks;
}

/* Time in which a lane without nesting is in a state: from what nodes keep, and from slices at the
 * edges of the range. */
static gint64
ticks_of_lane (TsRecording *recording,
               guint32 id,
               gint64 begin,
               gint64 end,
               TsLaneState state)
{
  const TsReaderLane *lane = _ts_lane_reader_find_lane (recording->lanes, id);
  g_autofree TsSlice *slices = g_new (TsSlice, TS_NODE_SLICES);
  guint n_nodes;
  gint64 ticks = 0;

  if (lane == NULL)
    return 0;
  n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  for (guint run = _ts_lane_reader_first_ending_after (lane, begin);
       run < _ts_lane_n_runs (lane);)
    {
      guint level = 0;

      if (run < n_nodes && _ts_reader_lane_node (lane, 0, run)->info.begin >= end)
        run = n_nodes;
      if (run >= n_nodes || _ts_reader_lane_node (lane, 0, run)->info.begin < begin
          || _ts_reader_lane_node (lane, 0, run)->info.end > end)
        {
          guint n_slices = _ts_lane_copy_run (recording->lanes, lane, run++, slices);

          ticks += ticks_of_slices (slices, n_slices, begin, end, state);
          continue;
        }
      while (level < TS_NODE_MAX_LEVEL && run % (1u << 2 * (level + 1)) == 0
             && run + (1u << 2 * (level + 1)) <= n_nodes
             && run >> 2 * (level + 1) < _ts_reader_lane_n_nodes (lane, level + 1)
             && _ts_reader_lane_node (lane, level + 1, run >> 2 * (level + 1))->info.end <= end)
        level++;
      ticks += ticks_of_node (recording->lanes,
                              _ts_reader_lane_node (lane, level, run >> 2 * level), state);
      run = MIN (run + (1u << 2 * level), n_nodes);
    }
  return ticks;
}

/* Too many slices: windows begin at equal parts of the range only. */
static void
load_from_columns (TsRecording *recording,
                   gint64 begin,
                   gint64 end,
                   TsLoad *load)
{
  g_autofree TsColumn *columns = g_new0 (TsColumn, N_PARTS);
  gint64 width = (end - begin) / N_PARTS;
  guint n;
  gint64 sum = 0;

  load->busy = ticks_of_lane (recording, TS_LANE_ID_CPU (load->core), begin, end, TS_STATE_RUNNING);
  if (width < 1 || load->window < width)
    return;

  _ts_analysis_fill_columns (recording, TS_LANE_ID_CPU (load->core), begin, end, N_PARTS, columns);
  n = (guint) (load->window / width);
  load->window = n * width;
  for (guint i = 0; i < N_PARTS; i++)
    {
      double percent;

      sum += columns[i].ticks[TS_STATE_RUNNING];
      if (i >= n)
        sum -= columns[i - n].ticks[TS_STATE_RUNNING];
      if (i + 1 < n)
        continue;
      percent = MIN (100.0 * (double) sum / (double) load->window, 100.0);
      if (load->min_percent < 0 || percent < load->min_percent)
        {
          load->min_percent = percent;
          load->min_begin = begin + (gint64) (i + 1 - n) * width;
        }
      if (percent > load->max_percent)
        {
          load->max_percent = percent;
          load->max_begin = begin + (gint64) (i + 1 - n) * width;
        }
    }
}

/* Time of losses in the range. */
static gint64
lost_time (TsRecording *recording,
           gint64 begin,
           gint64 end)
{
  TsIntervals losses;
  gint64 ticks;

  _ts_intervals_init (&losses);
  _ts_intervals_add_lane (&losses, recording, TS_LANE_ID_LOSS, begin, end);
  ticks = _ts_intervals_covered (&losses, begin, end);
  _ts_intervals_clear (&losses);
  return ticks;
}

/**
 * _ts_analysis_load:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @load: (inout): @load->core and @load->window are given; all but @load->known is filled
 *
 * Busy time of a processor: the union of all but its idle task. Without a scheduler in the
 * recording (bare metal), the time outside of interrupts counts as not busy, and all time but
 * losses is known, and so in a part of which the lanes of some tasks only were chosen: its load is
 * that of these lanes. Then @load->known is filled too, else it is 0 and the caller adds the idle
 * tasks' time.
 *
 * Cost: without a window that of some nodes; with one 40 ns a busy interval up to a million, then
 *   that of 8192 columns
 * Thread: owner of @recording
 */
void
_ts_analysis_load (TsRecording *recording,
                   gint64 begin,
                   gint64 end,
                   TsLoad *load)
{
  guint32 lane = TS_LANE_ID_CPU (load->core);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  g_autofree char *cut_lanes = ts_recording_dup_meta (recording, TS_META_CUT_LANES);
  gboolean has_tasks = FALSE;

  load->busy = 0;
  load->known = 0;
  load->min_percent = -1;
  load->max_percent = -1;
  load->min_begin = begin;
  load->max_begin = begin;
  if (end <= begin)
    return;

  if (load->window == 0)
    load->busy = ticks_of_lane (recording, lane, begin, end, TS_STATE_RUNNING);
  else if (_ts_analysis_count_slices (recording, lane, begin, end) <= TS_ANALYSIS_MAX_EXACT)
    {
      TsIntervals busy;

      _ts_intervals_init (&busy);
      _ts_intervals_add_lane (&busy, recording, lane, begin, end);
      load->busy = _ts_intervals_covered (&busy, begin, end);
      if (load->window <= end - begin)
        slide (load, &busy, begin, end);
      _ts_intervals_clear (&busy);
    }
  else
    {
      load_from_columns (recording, begin, end, load);
    }

  for (guint i = 0; i < n_lanes && !has_tasks; i++)
    has_tasks = lanes[i].core == load->core && lanes[i].n_slices > 0
                && (lanes[i].kind == TS_LANE_TASK || lanes[i].kind == TS_LANE_RTOS);
  if (!has_tasks || cut_lanes != NULL)
    load->known = end - begin - lost_time (recording, begin, end);
}
