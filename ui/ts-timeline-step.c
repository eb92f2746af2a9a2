/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-step.c: going from event to event, and selecting what is at a place. Nothing here
 * waits for the disk: what is not in memory is asked of a worker, and done when it has come, unless
 * the cursor is somewhere else by then.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-timeline-private.h"

static gboolean
is_still_there (TsTimeline *self)
{
  return ts_view_state_get_selected_lane (self->view) == self->await_lane
         && ts_view_state_get_cursor (self->view) == self->await_tick;
}

static void
wait_for (TsTimeline *self,
          TsAwait await,
          guint32 lane)
{
  self->await = await;
  self->await_lane = lane;
  self->await_tick = ts_view_state_get_cursor (self->view);
}

/* Selects the slice at the cursor; FALSE: it is to come. */
static gboolean
select_at (TsTimeline *self,
           guint32 lane,
           gint64 tick)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gboolean has_slice;
  TsSlice slice;

  ts_recording_begin_look (recording, TS_LOOK_STEP);
  has_slice = ts_recording_find_slice (recording, lane, tick, 0, &slice);
  if (ts_recording_end_look (recording))
    return FALSE;
  if (has_slice)
    ts_view_state_select_slice (self->view, lane, &slice);
  else
    ts_view_state_select_lane (self->view, lane);
  return TRUE;
}

/*
 * _ts_timeline_select_at: selects the slice of a lane at the cursor, where @tick is, else the lane.
 */
void
_ts_timeline_select_at (TsTimeline *self,
                        guint32 lane,
                        gint64 tick)
{
  self->await = TS_AWAIT_NOTHING;
  if (select_at (self, lane, tick))
    return;
  ts_view_state_select_lane (self->view, lane);
  wait_for (self, TS_AWAIT_SLICE, lane);
}

/*
 * _ts_timeline_select_hit: selects what was found at (@x, @y); what is to come, when it has come.
 */
void
_ts_timeline_select_hit (TsTimeline *self,
                         const TsHit *hit,
                         double x,
                         double y)
{
  self->await = TS_AWAIT_NOTHING;
  if (hit->has_slice)
    ts_view_state_select_slice (self->view, hit->lane, &hit->slice);
  else
    ts_view_state_select_lane (self->view, hit->lane);
  if (!hit->is_pending)
    return;
  wait_for (self, TS_AWAIT_CLICK, hit->lane);
  self->await_x = x;
  self->await_y = y;
}

/* --- events of a lane ------------------------------------------------------------------------- */

/* Goes as many events as are wanted and known; the others when they have come. */
static void
step_in_lane (TsTimeline *self,
              guint32 lane)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 tick = ts_view_state_get_cursor (self->view);
  gboolean has_moved = FALSE;
  gboolean is_missing = FALSE;
  int direction = self->n_steps > 0 ? 1 : -1;
  TsSlice slice;

  if (tick < 0)
    tick = ts_view_state_get_begin (self->view);
  while (self->n_steps != 0)
    {
      gboolean is_found;

      ts_recording_begin_look (recording, TS_LOOK_STEP);
      is_found = ts_recording_next_slice (recording, lane, tick, direction, &slice);
      is_missing = ts_recording_end_look (recording) && !is_found;
      if (is_missing)
        break;
      if (!is_found)
        {
          self->n_steps = 0;
          break;
        }
      tick = slice.begin;
      has_moved = TRUE;
      self->n_steps -= direction;
    }
  if (has_moved)
    {
      int n_steps = self->n_steps;

      _ts_timeline_land_on (self, lane, tick);
      self->n_steps = n_steps;
    }
  if (is_missing)
    {
      /* the question is asked anew: landing has asked another one */
      ts_recording_begin_look (recording, TS_LOOK_STEP);
      ts_recording_next_slice (recording, lane, tick, direction, &slice);
      ts_recording_end_look (recording);
      wait_for (self, TS_AWAIT_STEP, lane);
      return;
    }
  if (!has_moved || self->await != TS_AWAIT_NOTHING)
    return;
  /* what the next step will need */
  ts_recording_begin_look (recording, TS_LOOK_STEP);
  ts_recording_next_slice (recording, lane, tick, direction, &slice);
  ts_recording_end_look (recording);
}

/* --- events of all lanes ---------------------------------------------------------------------- */

typedef struct
{
  gint64 tick;
  int n_steps;
} RowRequest;

/* The time of the event so many steps away, of the last one on the way. */
static gpointer
step_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  const RowRequest *request = data;
  gint64 *found = NULL;
  gint64 tick = request->tick;

  for (int left = ABS (request->n_steps); left > 0; left--)
    {
      guint64 row
          = ts_recording_row_at_time (recording, request->n_steps > 0 ? tick + 1 : tick);
      TsEvent event;
      guint n_read = 0;

      if (row == 0 || (request->n_steps < 0 && row == 1))
        break;
      row -= request->n_steps < 0;
      if (!ts_recording_read_events (recording, row, 1, &event, &n_read, error) || n_read == 0)
        break;
      tick = event.time;
      if (found == NULL)
        found = g_new (gint64, 1);
      *found = tick;
    }
  /* an answer and an error cannot both be */
  if (found != NULL)
    g_clear_error (error);
  return found;
}

static void step_rows (TsTimeline *self);

static void
on_row_found (gpointer result,
              const GError *error,
              gpointer user_data)
{
  TsTimeline *self = user_data;
  g_autofree gint64 *tick = result;

  if (tick == NULL || self->view == NULL || !is_still_there (self))
    {
      self->n_steps = 0;
      return;
    }
  _ts_timeline_land_on (self, 0, *tick);
  if (self->n_steps != 0)
    step_rows (self);
}

static void
step_rows (TsTimeline *self)
{
  RowRequest *request = g_new0 (RowRequest, 1);

  wait_for (self, TS_AWAIT_NOTHING, 0);
  request->tick = self->await_tick >= 0 ? self->await_tick : ts_view_state_get_begin (self->view);
  request->n_steps = self->n_steps;
  self->n_steps = 0;
  ts_worker_set_recording (self->stepper, ts_view_state_get_recording (self->view));
  ts_worker_ask (self->stepper, step_thread, request, g_free, g_free, on_row_found, self);
}

/* --- both ------------------------------------------------------------------------------------- */

/*
 * _ts_timeline_step:
 * @direction: 1: to the next event of the selected lane, of all if none is; -1: to the one before
 *
 * A step that comes before the one before it has been made is made after it.
 */
void
_ts_timeline_step (TsTimeline *self,
                   int direction)
{
  guint32 lane = ts_view_state_get_selected_lane (self->view);

  if (lane != 0)
    {
      gboolean is_waiting = self->await == TS_AWAIT_STEP && is_still_there (self);

      ts_worker_cancel (self->stepper);
      self->n_steps = (is_waiting ? self->n_steps : 0) + direction;
      self->await = TS_AWAIT_NOTHING;
      if (self->n_steps != 0)
        step_in_lane (self, lane);
      return;
    }
  self->await = TS_AWAIT_NOTHING;
  if (ts_worker_is_busy (self->stepper) && is_still_there (self))
    {
      self->n_steps += direction;
      return;
    }
  self->n_steps = direction;
  step_rows (self);
}

/*
 * _ts_timeline_resume: something has come from the disk: does what waits for it.
 */
void
_ts_timeline_resume (TsTimeline *self)
{
  TsAwait await = self->await;
  TsSlice slice;
  TsHit hit;

  if (await == TS_AWAIT_NOTHING)
    return;
  self->await = TS_AWAIT_NOTHING;
  if (!is_still_there (self))
    return;
  switch (await)
    {
    case TS_AWAIT_STEP:
      step_in_lane (self, self->await_lane);
      /* where the last step went to was not there either, and there is no further one */
      if (self->await == TS_AWAIT_NOTHING && !ts_view_state_get_selected_slice (self->view, &slice))
        _ts_timeline_select_at (self, self->await_lane, ts_view_state_get_cursor (self->view));
      break;
    case TS_AWAIT_CLICK:
      _ts_timeline_hit (self, self->await_x, self->await_y, &hit);
      if (hit.part == 4 && hit.time == self->await_tick)
        {
          _ts_timeline_select_hit (self, &hit, self->await_x, self->await_y);
          break;
        }
      /* the view has moved on */
      _ts_timeline_select_at (self, self->await_lane, self->await_tick);
      break;
    case TS_AWAIT_SLICE:
      _ts_timeline_select_at (self, self->await_lane, self->await_tick);
      break;
    case TS_AWAIT_NOTHING:
    default:
      break;
    }
}
