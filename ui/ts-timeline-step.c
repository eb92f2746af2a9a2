/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-step.c: moves from event to event, from state to state, and selecting what is at a
 * place. Nothing here waits for the disk: what is not in memory is asked of a worker, and done when
 * it has come, unless the cursor is somewhere else by then. A move begins where the one before it
 * has ended, however quickly the keys come.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-timeline-private.h"

/* Moves that are kept: more come by themselves only, from a key that is held. */
#define MAX_MOVES 256

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

/* What is chosen in another way than by a move is where the next move begins. */
static void
begin_selecting (TsTimeline *self)
{
  if (!self->is_moving)
    _ts_timeline_forget_moves (self);
  self->await = TS_AWAIT_NOTHING;
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
  begin_selecting (self);
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
  begin_selecting (self);
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

/* --- moves ------------------------------------------------------------------------------------ */

/* Where a move begins. */
static gint64
get_origin (TsTimeline *self)
{
  gint64 tick = ts_view_state_get_cursor (self->view);

  return tick >= 0 ? tick : ts_view_state_get_begin (self->view);
}

/* What a move would need that begins here, so that it does not wait. */
static void
look_ahead (TsTimeline *self,
            TsMoveKind kind,
            int direction,
            gint64 tick)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  guint32 lane = ts_view_state_get_selected_lane (self->view);
  TsSlice slice;

  if (lane == 0 || self->await != TS_AWAIT_NOTHING)
    return;
  ts_recording_begin_look (recording, TS_LOOK_STEP);
  if (kind == TS_MOVE_GROW && direction > 0)
    ts_recording_find_slice (recording, lane, tick, 0, &slice);
  ts_recording_next_slice (recording, lane, tick, direction, &slice);
  ts_recording_end_look (recording);
}

/* FALSE: it is to come. */
static gboolean
go_to_event (TsTimeline *self,
             guint32 lane,
             int direction)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gboolean is_found;
  TsSlice slice;

  ts_recording_begin_look (recording, TS_LOOK_STEP);
  is_found = ts_recording_next_slice (recording, lane, get_origin (self), direction, &slice);
  if (ts_recording_end_look (recording) && !is_found)
    return FALSE;
  if (is_found)
    _ts_timeline_land_on (self, lane, slice.begin);
  return TRUE;
}

/* FALSE: it is to come. */
static gboolean
go_to_slice (TsTimeline *self,
             guint32 lane,
             int direction)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 from = ts_view_state_get_cursor (self->view);
  gboolean is_found;
  TsSlice slice;

  if (ts_view_state_get_selected_slice (self->view, &slice))
    from = slice.begin;
  ts_recording_begin_look (recording, TS_LOOK_STEP);
  is_found = ts_recording_next_slice (recording, lane, from, direction, &slice);
  if (ts_recording_end_look (recording) && !is_found)
    return FALSE;
  if (!is_found)
    return TRUE;
  ts_view_state_set_cursor (self->view, slice.begin);
  ts_view_state_select_slice (self->view, lane, &slice);
  ts_timeline_reveal (self, slice.begin);
  return TRUE;
}

/* The range's fixed end, and the one that moves. */
static void
get_range (TsTimeline *self,
           gint64 *anchor,
           gint64 *end)
{
  gint64 range_begin;
  gint64 range_end;
  TsSlice slice;

  *anchor = ts_view_state_get_cursor (self->view);
  if (*anchor < 0)
    *anchor = ts_view_state_get_begin (self->view) + ts_view_state_get_span (self->view) / 2;
  if (ts_view_state_get_selected_slice (self->view, &slice))
    *anchor = slice.begin;
  *end = *anchor;
  if (ts_view_state_get_range (self->view, &range_begin, &range_end)
      && (range_begin == *anchor || range_end == *anchor))
    *end = range_begin == *anchor ? range_end : range_begin;
}

/* The range grows or shrinks at its moving end, state by state of the selected lane; without a lane
 * by a fiftieth of what is seen. FALSE: where to is to come. */
static gboolean
grow_range (TsTimeline *self,
            guint32 lane,
            int direction)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 anchor;
  gint64 end;
  gint64 to;
  TsSlice slice;

  get_range (self, &anchor, &end);
  to = end + direction * MAX (ts_view_state_get_span (self->view) / 50, 1);
  if (lane != 0)
    {
      ts_recording_begin_look (recording, TS_LOOK_STEP);
      if (direction > 0 && ts_recording_find_slice (recording, lane, end, 0, &slice)
          && slice.end > end)
        to = slice.end;
      else if (ts_recording_next_slice (recording, lane, end, direction, &slice))
        to = slice.begin;
      if (ts_recording_end_look (recording))
        return FALSE;
    }
  /* there is nothing beyond the ends */
  to = CLAMP (to, MIN (end, 0), MAX (end, ts_recording_get_duration (recording)));
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_cursor (self->view, anchor);
  ts_view_state_set_range (self->view, anchor, to);
  ts_timeline_reveal (self, to);
  return TRUE;
}

/* --- events of all lanes ---------------------------------------------------------------------- */

typedef struct
{
  gint64 tick;
  int direction;
  guint n_steps;
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

  for (guint left = request->n_steps; left > 0; left--)
    {
      guint64 row
          = ts_recording_row_at_time (recording, request->direction > 0 ? tick + 1 : tick);
      TsEvent event;
      guint n_read = 0;

      if (row == 0 || (request->direction < 0 && row == 1))
        break;
      row -= request->direction < 0;
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

static void
on_row_found (gpointer result,
              const GError *error,
              gpointer user_data)
{
  g_autofree gint64 *tick = result;

  _ts_timeline_finish_move (user_data, tick != NULL, 0, tick != NULL ? *tick : 0);
}

/* As many at once as lead the same way. */
static void
find_row (TsTimeline *self,
          int direction)
{
  RowRequest *request = g_new0 (RowRequest, 1);

  request->tick = get_origin (self);
  request->direction = direction;
  while (request->n_steps < self->moves->len)
    {
      const TsMove *move = &g_array_index (self->moves, TsMove, request->n_steps);

      if (move->kind != TS_MOVE_EVENT || move->direction != direction)
        break;
      request->n_steps++;
    }
  self->n_moves = request->n_steps;
  ts_worker_set_recording (self->stepper, ts_view_state_get_recording (self->view));
  ts_worker_ask (self->stepper, step_thread, request, g_free, g_free, on_row_found, self);
}

/* --- one after the other ---------------------------------------------------------------------- */

/* Makes the move, or sees to it that what it needs comes. FALSE: it is to come. */
static gboolean
make_move (TsTimeline *self,
           const TsMove *move)
{
  guint32 lane = ts_view_state_get_selected_lane (self->view);

  self->n_moves = 1;
  switch (move->kind)
    {
    case TS_MOVE_EVENT:
      if (lane != 0)
        return go_to_event (self, lane, move->direction);
      find_row (self, move->direction);
      return FALSE;
    case TS_MOVE_SLICE:
      return lane == 0 || go_to_slice (self, lane, move->direction);
    case TS_MOVE_GROW:
      return grow_range (self, lane, move->direction);
    case TS_MOVE_LINK:
    default:
      _ts_timeline_find_link (self, move->direction);
      return FALSE;
    }
}

/* Makes the moves, until one has to wait. */
static void
make_moves (TsTimeline *self)
{
  self->is_moving = TRUE;
  while (self->moves->len > 0 && self->await == TS_AWAIT_NOTHING)
    {
      const TsMove move = g_array_index (self->moves, TsMove, 0);
      gint64 anchor;
      gint64 end;

      if (!make_move (self, &move))
        {
          wait_for (self, TS_AWAIT_MOVE, ts_view_state_get_selected_lane (self->view));
          break;
        }
      g_array_remove_index (self->moves, 0);
      if (self->moves->len > 0)
        continue;
      get_range (self, &anchor, &end);
      look_ahead (self, move.kind, move.direction,
                  move.kind == TS_MOVE_GROW ? end : get_origin (self));
    }
  self->is_moving = FALSE;
}

/*
 * _ts_timeline_forget_moves: the cursor has been put elsewhere: nothing goes on from where it was.
 */
void
_ts_timeline_forget_moves (TsTimeline *self)
{
  ts_worker_cancel (self->stepper);
  ts_worker_cancel (self->linker);
  g_array_set_size (self->moves, 0);
  self->await = TS_AWAIT_NOTHING;
}

/*
 * _ts_timeline_move:
 * @kind: what to do
 * @direction: 1 or -1
 *
 * A move that comes before the one before it has been made is made after it, and from there.
 */
void
_ts_timeline_move (TsTimeline *self,
                   TsMoveKind kind,
                   int direction)
{
  TsMove move = { kind, direction };

  if (self->await != TS_AWAIT_NOTHING && !is_still_there (self))
    _ts_timeline_forget_moves (self);
  if (self->moves->len >= MAX_MOVES)
    return;
  g_array_append_val (self->moves, move);
  make_moves (self);
}

/*
 * _ts_timeline_finish_move: a worker has found where the first move leads to, or that it leads
 * nowhere.
 */
void
_ts_timeline_finish_move (TsTimeline *self,
                          gboolean is_found,
                          guint32 lane,
                          gint64 tick)
{
  if (self->view == NULL || self->await != TS_AWAIT_MOVE || !is_still_there (self))
    {
      _ts_timeline_forget_moves (self);
      return;
    }
  self->await = TS_AWAIT_NOTHING;
  g_array_remove_range (self->moves, 0, MIN (self->n_moves, self->moves->len));
  self->is_moving = TRUE;
  if (is_found)
    _ts_timeline_land_on (self, lane, tick);
  make_moves (self);
}

/*
 * _ts_timeline_resume: something has come from the disk: does what waits for it.
 */
void
_ts_timeline_resume (TsTimeline *self)
{
  TsAwait await = self->await;
  TsHit hit;

  /* that of a worker of the timeline's own */
  if (await == TS_AWAIT_NOTHING || ts_worker_is_busy (self->stepper)
      || ts_worker_is_busy (self->linker))
    return;
  if (!is_still_there (self))
    {
      _ts_timeline_forget_moves (self);
      return;
    }
  self->await = TS_AWAIT_NOTHING;
  self->is_moving = TRUE;
  switch (await)
    {
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
    case TS_AWAIT_MOVE:
    case TS_AWAIT_NOTHING:
    default:
      break;
    }
  make_moves (self);
}
