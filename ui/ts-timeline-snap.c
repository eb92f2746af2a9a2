/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-snap.c: edges of states that cursors and ranges stick to. An edge that is not in memory
 * is not waited for: the time stays where it was put, and goes to the edge when that has come, unless
 * it has been put elsewhere by then.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-timeline-private.h"

/* So near an edge, in widget pixels, one means it. */
#define REACH_PX 6

/* The nearest begin or end of a slice of the lane, else the time itself. FALSE: it is to come. */
static gboolean
find_edge (TsRecording *recording,
           const TsSnap *snap,
           gint64 *edge)
{
  gint64 best = G_MAXINT64;
  TsSlice slices[3];
  guint n = 0;

  *edge = snap->tick;
  ts_recording_begin_look (recording, TS_LOOK_EDGE);
  if (ts_recording_find_slice (recording, snap->lane, snap->tick, snap->reach, &slices[n]))
    n++;
  if (ts_recording_next_slice (recording, snap->lane, snap->tick, 1, &slices[n]))
    n++;
  if (ts_recording_next_slice (recording, snap->lane, snap->tick, -1, &slices[n]))
    n++;
  if (ts_recording_end_look (recording))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      gint64 ends[2] = { slices[i].begin, slices[i].end };

      for (guint j = 0; j < 2; j++)
        if (ABS (ends[j] - snap->tick) < best && ABS (ends[j] - snap->tick) <= snap->reach)
          {
            best = ABS (ends[j] - snap->tick);
            *edge = ends[j];
          }
    }
  return TRUE;
}

/*
 * _ts_timeline_snap:
 * @what: what is put there; goes to the edge later where that is still to come
 * @lane: lane whose edges catch, 0: the selected one
 * @tick: a time
 *
 * Returns: the edge of a state near @tick, else @tick
 */
gint64
_ts_timeline_snap (TsTimeline *self,
                   TsSnapWhat what,
                   guint32 lane,
                   gint64 tick)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  TsSnap *snap = &self->snaps[what];
  gint64 edge;

  if (lane == 0 && recording != NULL)
    lane = ts_view_state_get_selected_lane (self->view);
  snap->lane = 0;
  if (recording == NULL || lane == 0 || ts_recording_get_lane (recording, lane) == NULL)
    return tick;
  snap->lane = lane;
  snap->tick = tick;
  snap->reach = (gint64) ((__int128) ts_view_state_get_span (self->view) * REACH_PX
                          * gtk_widget_get_scale_factor (GTK_WIDGET (self))
                          / _ts_timeline_get_lanes_width (self));
  snap->reach = MAX (snap->reach, 1);
  if (!find_edge (recording, snap, &edge))
    return tick;
  snap->lane = 0;
  return edge;
}

/* What stands where it was put goes to the edge. */
static void
apply (TsTimeline *self,
       TsSnapWhat what,
       gint64 tick,
       gint64 edge)
{
  gint64 begin;
  gint64 end;

  switch (what)
    {
    case TS_SNAP_CURSOR:
      if (ts_view_state_get_cursor (self->view) != tick)
        break;
      ts_view_state_set_cursor (self->view, edge);
      /* what waits there goes with it */
      if (self->await_tick == tick)
        self->await_tick = edge;
      break;
    case TS_SNAP_SECOND_CURSOR:
      if (ts_view_state_get_second_cursor (self->view) == tick)
        ts_view_state_set_second_cursor (self->view, edge);
      break;
    case TS_SNAP_ANCHOR:
    case TS_SNAP_EDGE:
      if (what == TS_SNAP_ANCHOR && self->drag_tick == tick)
        self->drag_tick = edge;
      if (!ts_view_state_get_range (self->view, &begin, &end) || (begin != tick && end != tick))
        break;
      end = begin == tick ? end : begin;
      ts_view_state_set_range (self->view, MIN (edge, end), MAX (edge, end));
      break;
    case TS_SNAP_NOTHING:
    case TS_SNAP_N:
    default:
      break;
    }
}

/*
 * _ts_timeline_resume_snaps: something has come from the disk.
 */
void
_ts_timeline_resume_snaps (TsTimeline *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;

  for (guint i = 0; i < TS_SNAP_N && recording != NULL; i++)
    {
      TsSnap snap = self->snaps[i];
      gint64 edge;

      if (snap.lane == 0)
        continue;
      /* one question at a time: the next one when this is answered */
      if (!find_edge (recording, &snap, &edge))
        return;
      self->snaps[i].lane = 0;
      apply (self, i, snap.tick, edge);
    }
}
