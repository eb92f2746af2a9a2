/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-select.c: what is selected in a view: a lane, a slice, a range, the cursor. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include "ts-view-state-private.h"

/**
 * ts_view_state_select_lane:
 * @self: a view state
 * @lane: a lane, 0 for none
 *
 * Selects a lane; a selected slice of another one is let go.
 *
 * Thread: owner
 */
void
ts_view_state_select_lane (TsViewState *self,
                           guint32 lane)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (lane == self->selected_lane && !self->has_slice)
    return;
  self->selected_lane = lane;
  self->has_slice = FALSE;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_selected_lane:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: the selected lane, 0 for none
 */
guint32
ts_view_state_get_selected_lane (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);

  return self->selected_lane;
}

/**
 * ts_view_state_select_slice:
 * @self: a view state
 * @lane: its lane
 * @slice: (nullable): a slice (copied), %NULL to select the lane only
 *
 * Thread: owner
 */
void
ts_view_state_select_slice (TsViewState *self,
                            guint32 lane,
                            const TsSlice *slice)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (slice == NULL)
    {
      ts_view_state_select_lane (self, lane);
      return;
    }
  self->selected_lane = lane;
  self->has_slice = TRUE;
  self->slice = *slice;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_selected_slice:
 * @self: a view state
 * @slice: (out) (optional): place for it
 *
 * Thread: owner
 *
 * Returns: whether a slice is selected
 */
gboolean
ts_view_state_get_selected_slice (TsViewState *self,
                                  TsSlice *slice)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);

  if (self->has_slice && slice != NULL)
    *slice = self->slice;
  return self->has_slice;
}

/**
 * ts_view_state_set_range:
 * @self: a view state
 * @begin: one end
 * @end: the other; the two may come in any order
 *
 * Selects a range of time. Nothing is before time 0: what begins sooner begins there.
 *
 * Thread: owner
 */
void
ts_view_state_set_range (TsViewState *self,
                         gint64 begin,
                         gint64 end)
{
  gint64 first = MAX (MIN (begin, end), 0);
  gint64 last = MAX (MAX (begin, end), 0);

  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (self->has_range && self->range_begin == first && self->range_end == last)
    return;
  self->has_range = TRUE;
  self->range_begin = first;
  self->range_end = last;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_range:
 * @self: a view state
 * @begin: (out) (optional): first tick
 * @end: (out) (optional): tick after the last
 *
 * Thread: owner
 *
 * Returns: whether a range is selected
 */
gboolean
ts_view_state_get_range (TsViewState *self,
                         gint64 *begin,
                         gint64 *end)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);

  if (self->has_range && begin != NULL)
    *begin = self->range_begin;
  if (self->has_range && end != NULL)
    *end = self->range_end;
  return self->has_range;
}

/**
 * ts_view_state_clear_range:
 * @self: a view state
 *
 * Thread: owner
 */
void
ts_view_state_clear_range (TsViewState *self)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (!self->has_range)
    return;
  self->has_range = FALSE;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_set_cursor:
 * @self: a view state
 * @tick: where the cursor line stands, -1 for none
 *
 * Thread: owner
 */
void
ts_view_state_set_cursor (TsViewState *self,
                          gint64 tick)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (self->cursor == tick)
    return;
  self->cursor = tick;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_cursor:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: where the cursor line stands, -1 for none
 */
gint64
ts_view_state_get_cursor (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), -1);

  return self->cursor;
}

/**
 * ts_view_state_set_event:
 * @self: a view state
 * @row: row id of an event, 0 for none
 * @tick: its time
 *
 * Selects an event; it is let go when the cursor leaves its time.
 *
 * Thread: owner
 */
void
ts_view_state_set_event (TsViewState *self,
                         guint64 row,
                         gint64 tick)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (self->event_row == row && self->event_tick == tick)
    return;
  self->event_row = row;
  self->event_tick = tick;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_event:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: row id of the selected event, 0 for none
 */
guint64
ts_view_state_get_event (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  return self->event_tick == self->cursor ? self->event_row : 0;
}
