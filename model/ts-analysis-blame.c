/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-blame.c: who had the processor while something else should have. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

/* More slices than these are not walked; their buckets tell it to one part in SUM_COLUMNS of the
 * range at either end. */
#define MAX_WALK 16384
#define SUM_COLUMNS 1024

/* From the buckets of a lane without nesting. */
static gint64
sum_columns (TsRecording *recording,
             guint32 lane,
             gint64 begin,
             gint64 end)
{
  g_autofree TsColumn *columns = g_new (TsColumn, SUM_COLUMNS);
  gint64 ticks = 0;

  _ts_analysis_fill_columns (recording, lane, begin, end, SUM_COLUMNS, columns);
  for (guint i = 0; i < SUM_COLUMNS; i++)
    ticks += columns[i].ticks[TS_STATE_RUNNING];
  return MIN (ticks, end - begin);
}

/**
 * _ts_analysis_running_ticks:
 * @recording: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 *
 * Cost: a walk through the slices of the range, or, of a task with many there, a look at its buckets
 *
 * Returns: time of the lane's RUNNING slices in the range, those nested in others left out
 */
gint64
_ts_analysis_running_ticks (TsRecording *recording,
                            guint32 lane,
                            gint64 begin,
                            gint64 end)
{
  TsSliceCursor cursor;
  const TsSlice *slice;
  const TsLaneInfo *info = ts_recording_get_lane (recording, lane);
  gint64 ticks = 0;

  if (info != NULL && info->kind == TS_LANE_TASK
      && _ts_analysis_count_slices (recording, lane, begin, end) > MAX_WALK)
    return sum_columns (recording, lane, begin, end);

  _ts_slice_cursor_init (&cursor, recording, lane, begin, end);
  while ((slice = _ts_slice_cursor_next (&cursor)) != NULL)
    if (slice->state == TS_STATE_RUNNING && slice->depth == 0)
      ticks += MIN (slice->end, end) - MAX (slice->begin, begin);
  return ticks;
}

/**
 * _ts_analysis_find_busiest:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @except: a lane that is not meant
 * @ticks: (out): how long it ran
 *
 * Cost: a search per lane of a task or interrupt
 *
 * Returns: the task (not idle) or interrupt that ran longest in the range; 0 none
 */
guint32
_ts_analysis_find_busiest (TsRecording *recording,
                           gint64 begin,
                           gint64 end,
                           guint32 except,
                           gint64 *ticks)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  guint32 busiest = 0;

  *ticks = 0;
  for (guint i = 0; i < n_lanes; i++)
    {
      gint64 ran;

      if ((lanes[i].kind != TS_LANE_TASK && lanes[i].kind != TS_LANE_ISR) || lanes[i].is_idle
          || lanes[i].id == except)
        continue;
      ran = _ts_analysis_running_ticks (recording, lanes[i].id, begin, end);
      if (ran > *ticks)
        {
          *ticks = ran;
          busiest = lanes[i].id;
        }
    }
  return busiest;
}
