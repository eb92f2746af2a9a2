/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-lanes.c: walks through lanes of a recording for their figures. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-analysis-private.h"

/* Objects that are mutexes: index is the id. */
GByteArray *
_ts_analysis_list_locks (TsRecording *recording)
{
  guint n = ts_recording_get_n_objects (recording);
  GByteArray *locks = g_byte_array_sized_new (n + 1);

  g_byte_array_set_size (locks, n + 1);
  memset (locks->data, 0, n + 1);
  for (guint32 id = 1; id <= n; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      locks->data[id] = object != NULL && ts_object_type_is_lock (object->type);
    }
  return locks;
}

/**
 * _ts_lane_walk_run:
 * @self: a lane and a range
 * @cursor: at the begin of them
 *
 * Walks through all of the lane's slices in the range.
 *
 * Cost: some 30 ns a slice
 * Thread: that of @cursor
 */
void
_ts_lane_walk_run (TsLaneWalk *self,
                   TsSliceCursor *cursor)
{
  const TsSlice *slices;
  guint n_slices;

  _ts_lane_walk_begin (self);
  while ((slices = _ts_slice_cursor_next_batch (cursor, &n_slices)) != NULL)
    _ts_lane_walk_slices (self, slices, n_slices);
  _ts_lane_walk_finish (self);
}

/**
 * _ts_lane_walk_samples:
 * @recording: a recording
 * @lane: a task, interrupt, span or scheduler
 * @begin: first tick
 * @end: tick after the last
 * @needs_net: runs and executions are net of interrupts
 * @note: called for each duration, in order of when it becomes known
 * @user_data: for @note
 *
 * Tells every duration of a lane.
 *
 * Cost: some 30 ns a slice
 * Thread: owner of @recording
 */
void
_ts_lane_walk_samples (TsRecording *recording,
                       const TsLaneInfo *lane,
                       gint64 begin,
                       gint64 end,
                       gboolean needs_net,
                       TsSampleFunc note,
                       gpointer user_data)
{
  TsInterruptTime interrupts;
  TsLaneStatistics statistics = { .lane = lane->id, .kind = lane->kind, .core = lane->core };
  g_autoptr (GArray) losses = _ts_analysis_read_losses (recording, begin, end);
  g_autoptr (GByteArray) locks = _ts_analysis_list_locks (recording);
  g_autoptr (GArray) begins = NULL;
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  TsLaneWalk walk = { .statistics = &statistics,
                      .begin = begin,
                      .end = end,
                      .wants_net = needs_net,
                      .interrupts = &interrupts,
                      .locks = locks,
                      .losses = losses,
                      .note = note,
                      .user_data = user_data };

  if (lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN)
    walk.begins = begins = g_array_new (FALSE, FALSE, sizeof (gint64));
  _ts_interrupt_time_init (&interrupts, recording, lane->core);
  _ts_slice_cursor_init (cursor, recording, lane->id, begin, end);
  _ts_lane_walk_run (&walk, cursor);
  _ts_interrupt_time_clear (&interrupts);
}

/**
 * _ts_lane_walk_long_periods:
 * @recording: a recording
 * @lane: a task, interrupt or span
 * @begin: first tick
 * @end: tick after the last
 * @above, @upto: periods longer than @above ticks and no longer than @upto are wanted
 * @note: called for each of them, and for others
 * @user_data: for @note
 * @cancellable: (nullable): ends it early
 *
 * Tells those periods of a lane, by a look at the slices of nodes only that hold any.
 *
 * Cost: some 10 us a node of the lane's highest levels, and 60 us for each node of level 0 that
 *   holds one
 * Thread: owner of @recording
 *
 * Returns: %FALSE if nodes do not tell; @note may have been called
 */
gboolean
_ts_lane_walk_long_periods (TsRecording *recording,
                            const TsLaneInfo *lane,
                            gint64 begin,
                            gint64 end,
                            gint64 above,
                            gint64 upto,
                            TsSampleFunc note,
                            gpointer user_data,
                            GCancellable *cancellable)
{
  TsLaneStatistics statistics = { .lane = lane->id, .kind = lane->kind, .core = lane->core };
  g_autoptr (TsLaneAccess) access = _ts_lane_access_new (recording, FALSE);
  g_autoptr (GArray) losses = _ts_analysis_read_losses (recording, begin, end);
  g_autoptr (GByteArray) locks = _ts_analysis_list_locks (recording);
  g_autofree TsBuckets *buckets = g_new0 (TsBuckets, TS_N_MEASURES);
  TsLaneWalk walk = { .statistics = &statistics,
                      .begin = begin,
                      .end = end,
                      .locks = locks,
                      .losses = losses,
                      .note = note,
                      .user_data = user_data,
                      .above = above,
                      .upto = upto };

  return _ts_lane_walk_nodes (&walk, access, buckets, cancellable);
}

/* Begins of the losses in a range, ordered. */
GArray *
_ts_analysis_read_losses (TsRecording *recording,
                          gint64 begin,
                          gint64 end)
{
  GArray *losses = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, recording, TS_LANE_ID_LOSS, begin, end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    if (slice->state == TS_STATE_LOSS)
      g_array_append_val (losses, slice->begin);
  return losses;
}

/**
 * _ts_analysis_own_interrupt_time:
 * @recording: a recording
 * @core: a processor
 * @begin: first tick
 * @end: tick after the last
 * @ticks_by_lane: (element-type guint gint64): filled: lane id to its ticks
 *
 * How long each interrupt had the processor in the range, nested ones taken off: the times of all
 * lanes add up to the time in which any handler was active.
 *
 * Cost: some 60 ns an interrupt
 * Thread: owner of @recording
 */
void
_ts_analysis_own_interrupt_time (TsRecording *recording,
                                 guint core,
                                 gint64 begin,
                                 gint64 end,
                                 GHashTable *ticks_by_lane)
{
  TsSliceMerge *merge = _ts_slice_merge_new (recording, begin, end);
  g_autoptr (GArray) inner = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  const TsSlice *slice;
  const TsLaneInfo *info;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_ISR && lanes[i].core == core)
      {
        _ts_slice_merge_add (merge, lanes[i].id);
        g_hash_table_insert (ticks_by_lane, GUINT_TO_POINTER (lanes[i].id), g_new0 (gint64, 1));
      }

  while ((slice = _ts_slice_merge_next (merge, &info)) != NULL)
    {
      TsInterval interval = { MAX (slice->begin, begin), MIN (slice->end, end), 0 };
      gint64 *ticks = g_hash_table_lookup (ticks_by_lane, GUINT_TO_POINTER (info->id));

      *ticks += interval.end - interval.begin;
      while (inner->len > 0)
        {
          const TsInterval *last = &g_array_index (inner, TsInterval, inner->len - 1);

          if (last->begin < interval.begin)
            break;
          *ticks -= last->end - last->begin;
          g_array_set_size (inner, inner->len - 1);
        }
      if (interval.end > interval.begin)
        g_array_append_val (inner, interval);
    }
  _ts_slice_merge_free (merge);
}
