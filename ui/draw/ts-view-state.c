/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-view-state.c: the one object that ruler, lanes, overview and lists observe.
 *
 * Times are 64-bit ticks; products are 128 bit. Zoom factors and anchors come in as doubles and
 * become 32.32 fixed point at the door, so that the same anchor names the same tick before and
 * after.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-view-state-private.h"

/** Most views kept to go back to. */
#define MAX_UNDO 64
/** No time lies beyond this: leaves room for sums of two. */
#define MAX_TICKS (G_GINT64_CONSTANT (1) << 61)
#define FIXED_ONE (G_GINT64_CONSTANT (1) << 32)

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsViewState, ts_view_state, G_TYPE_OBJECT)

void
_ts_view_state_emit_changed (TsViewState *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static gint64
get_end (TsViewState *self)
{
  gint64 end = self->recording != NULL ? ts_recording_get_duration (self->recording) : 0;

  return CLAMP (end, 0, MAX_TICKS);
}

static gboolean
is_live (TsViewState *self)
{
  return self->recording != NULL && ts_recording_is_live (self->recording);
}

/* Two seconds, the first view of a live recording. */
static gint64
get_live_span (TsViewState *self)
{
  guint64 hz = self->recording != NULL ? ts_recording_get_clock_hz (self->recording) : 0;

  return hz == 0 ? 1000000 : (gint64) MIN (2 * hz, (guint64) MAX_TICKS);
}

/* Keeps a view inside the recording: not narrower than a few ticks, not wider than the whole and a
 * margin, at most half empty. */
static TsView
clamp_view (TsViewState *self,
            gint64 begin,
            gint64 span)
{
  gint64 end = get_end (self);
  gint64 max_span = MAX_TICKS;
  TsView view;

  if (self->is_unbounded)
    {
      view.span = CLAMP (span, TS_VIEW_MIN_SPAN, MAX_TICKS);
      view.begin = CLAMP (begin, -MAX_TICKS, MAX_TICKS);
      return view;
    }
  if (end > 0)
    max_span = MAX (end + end / 8, TS_VIEW_MIN_SPAN);
  if (is_live (self))
    max_span = MAX (max_span, get_live_span (self));
  view.span = CLAMP (span, TS_VIEW_MIN_SPAN, max_span);
  if (end > 0)
    view.begin = CLAMP (begin, -(view.span / 2), end - view.span / 2);
  else
    view.begin = CLAMP (begin, -MAX_TICKS, MAX_TICKS);
  return view;
}

static gboolean
is_near (const TsView *a,
         const TsView *b)
{
  gint64 distance = ABS (a->begin - b->begin);

  return a->span <= 2 * b->span && b->span <= 2 * a->span && distance <= MIN (a->span, b->span) / 2;
}

/* A run of small steps (scrolling) makes one entry; a jump makes one of its own. */
static void
remember_view (TsViewState *self,
               gboolean is_jump)
{
  g_array_set_size (self->redo, 0);
  if (self->undo->len > 0)
    {
      const TsView *last = &g_array_index (self->undo, TsView, self->undo->len - 1);

      if (last->begin == self->view.begin && last->span == self->view.span)
        return;
      if (!is_jump && is_near (last, &self->view))
        return;
    }
  if (self->undo->len == MAX_UNDO)
    g_array_remove_index (self->undo, 0);
  g_array_append_val (self->undo, self->view);
}

/* Shows a view the user asked for: decides whether that leaves or resumes following. */
static void
go_to (TsViewState *self,
       gint64 begin,
       gint64 span,
       gboolean is_jump)
{
  TsView view = clamp_view (self, begin, span);
  gboolean following = FALSE;

  if (is_live (self))
    {
      gint64 end = get_end (self);

      following = view.begin + view.span >= end && (!self->no_resume || self->is_following);
      if (following)
        view.begin = end - view.span;
    }
  if (view.begin == self->view.begin && view.span == self->view.span &&
      following == self->is_following)
    return;
  remember_view (self, is_jump);
  self->view = view;
  self->is_following = following;
  _ts_view_state_emit_changed (self);
}

/* Rounded up: a pixel's edge that lies on a tick, such as 1/5 of 100 ticks, names that tick and not
 * the one before. */
static gint64
to_fixed (double value)
{
  return (gint64) ceil (value * (double) FIXED_ONE);
}

/* floor (ticks * share), share in 32.32 fixed point */
static gint64
multiply (gint64 ticks,
          gint64 share)
{
  return (gint64) (((__int128) ticks * share) >> 32);
}

static gboolean
has_row (TsViewState *self,
         const TsLaneInfo *lane)
{
  gboolean matches = FALSE;

  if (lane == NULL || g_hash_table_contains (self->hidden, GUINT_TO_POINTER (lane->id)))
    return FALSE;
  if (lane->kind == TS_LANE_VALUE && _ts_view_state_is_guest (self, lane->id))
    return FALSE;
  if (self->lanes.only != NULL && lane->kind != TS_LANE_CPU &&
      !g_hash_table_contains (self->lanes.only, GUINT_TO_POINTER (lane->id)))
    return FALSE;
  if (self->filter == NULL)
    return lane->n_slices > 0 || lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_CPU;
  for (guint i = 0; self->filter[i] != NULL && !matches; i++)
    matches = _ts_view_lane_matches (self->recording, lane, self->filter[i]);
  return matches;
}

/* Adds a lane at @y, below the header of its group if it is the first there; returns where the next
 * row begins. */
static int
add_row (TsViewState *self,
         const TsLaneInfo *lane,
         guint group,
         int *last_group,
         int y)
{
  TsViewRow row = { FALSE, group, lane->id, y, self->lane_px };

  if ((int) group != *last_group)
    {
      TsViewRow header = { TRUE, group, 0, y, self->header_px };

      *last_group = (int) group;
      g_array_append_val (self->rows, header);
      y += header.height;
      row.y = y;
    }
  if ((self->folded & (1u << group)) != 0)
    return y;
  if (lane->kind == TS_LANE_VALUE)
    row.height = self->plot_px;
  else if (lane->kind == TS_LANE_CPU)
    row.height = MAX ((self->lane_px + self->plot_px) / 2, self->lane_px * 4 / 3);
  g_array_append_val (self->rows, row);
  return y + row.height;
}

static void
update_rows (TsViewState *self)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = NULL;
  int group = -1;
  int y = 0;

  if (self->rows_are_valid)
    return;
  self->rows_are_valid = TRUE;
  g_array_set_size (self->rows, 0);
  if (self->recording != NULL)
    lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  if (self->recording != NULL && self->os == NULL)
    self->os = ts_recording_dup_meta (self->recording, "va_os");
  g_array_unref (self->order);
  self->order = _ts_view_sort_lanes (lanes, n_lanes, g_strcmp0 (self->os, "Zephyr") == 0);

  _ts_view_lanes_order (self, self->order);

  /* pinned lanes first, then the groups */
  for (guint i = 0; i < 2 * self->order->len; i++)
    {
      gboolean is_pinned = i < self->order->len;
      guint32 id = g_array_index (self->order, guint32, i % self->order->len);
      const TsLaneInfo *lane = ts_recording_get_lane (self->recording, id);

      if (is_pinned == ts_view_state_is_lane_pinned (self, id) && has_row (self, lane))
        y = add_row (self, lane,
                     is_pinned ? TS_GROUP_PINNED : (guint) _ts_view_group_of_lane (lane),
                     &group, y);
    }
  self->rows_height = y;
}

void
_ts_view_state_invalidate_rows (TsViewState *self)
{
  self->rows_are_valid = FALSE;
  _ts_view_state_emit_changed (self);
}

static void
ts_view_state_dispose (GObject *object)
{
  TsViewState *self = TS_VIEW_STATE (object);

  g_clear_object (&self->recording);
  G_OBJECT_CLASS (ts_view_state_parent_class)->dispose (object);
}

static void
ts_view_state_finalize (GObject *object)
{
  TsViewState *self = TS_VIEW_STATE (object);

  g_clear_pointer (&self->undo, g_array_unref);
  g_clear_pointer (&self->order, g_array_unref);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->hidden, g_hash_table_unref);
  g_clear_pointer (&self->filter, g_strfreev);
  g_clear_pointer (&self->os, g_free);
  _ts_view_notes_clear (&self->notes);
  _ts_view_lanes_clear (&self->lanes);
  g_clear_pointer (&self->redo, g_array_unref);
  G_OBJECT_CLASS (ts_view_state_parent_class)->finalize (object);
}

static void
ts_view_state_class_init (TsViewStateClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = ts_view_state_dispose;
  object_class->finalize = ts_view_state_finalize;

  /**
   * TsViewState::changed:
   * @self: the view state
   *
   * Something that is seen changed: span, rows, selection, data.
   */
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_view_state_init (TsViewState *self)
{
  self->undo = g_array_new (FALSE, FALSE, sizeof (TsView));
  self->order = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->rows = g_array_new (FALSE, TRUE, sizeof (TsViewRow));
  self->hidden = g_hash_table_new (NULL, NULL);
  self->view.span = 1000000;
  self->cursor = -1;
  _ts_view_notes_init (&self->notes);
  _ts_view_lanes_init (&self->lanes);
  self->look.has_labels = TRUE;
  _ts_view_look_reset (&self->look);
  self->redo = g_array_new (FALSE, FALSE, sizeof (TsView));
  self->lane_px = 24;
  self->header_px = 18;
  self->plot_px = 44;
}

/**
 * ts_view_state_new:
 *
 * Thread: owner, like everything here (the main thread in a window)
 *
 * Returns: (transfer full): a view of nothing
 */
TsViewState *
ts_view_state_new (void)
{
  return g_object_new (TS_TYPE_VIEW_STATE, NULL);
}

/**
 * ts_view_state_set_recording:
 * @self: a view state
 * @recording: (nullable) (transfer none): what to look at
 *
 * Looks at another recording: selection, undo, hidden lanes and scrolling start anew; folded groups
 * stay. A closed recording is shown whole; a live one at its end, following.
 *
 * Thread: owner
 */
void
ts_view_state_set_recording (TsViewState *self,
                             TsRecording *recording)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  g_set_object (&self->recording, recording);
  g_array_set_size (self->undo, 0);
  g_hash_table_remove_all (self->hidden);
  g_clear_pointer (&self->os, g_free);
  self->selected_lane = 0;
  self->has_slice = FALSE;
  self->has_range = FALSE;
  self->cursor = -1;
  self->event_row = 0;
  _ts_view_notes_reset (&self->notes);
  _ts_view_lanes_reset (&self->lanes);
  _ts_view_look_reset (&self->look);
  g_array_set_size (self->redo, 0);
  self->scroll_y = 0;
  self->is_following = is_live (self);
  if (self->is_following)
    {
      self->view.span = get_live_span (self);
      self->view.begin = get_end (self) - self->view.span;
    }
  else
    {
      gint64 end = get_end (self);

      self->view = clamp_view (self, 0, end > 0 ? end : self->view.span);
    }
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_get_recording:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: (nullable) (transfer none): the recording
 */
TsRecording *
ts_view_state_get_recording (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);

  return self->recording;
}

/**
 * ts_view_state_refresh:
 * @self: a view state
 *
 * To be called after ts_recording_refresh() told of something new: takes up new lanes and
 * priorities, and moves on when following.
 *
 * Thread: owner
 */
void
ts_view_state_refresh (TsViewState *self)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (self->is_following)
    self->view.begin = get_end (self) - self->view.span;
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_get_begin:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: first visible tick; may be negative (nothing is there)
 */
gint64
ts_view_state_get_begin (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);

  return self->view.begin;
}

/**
 * ts_view_state_get_span:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: number of visible ticks, at least 16
 */
gint64
ts_view_state_get_span (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 1);

  return self->view.span;
}

/**
 * ts_view_state_set_visible:
 * @self: a view state
 * @begin: first visible tick
 * @span: number of visible ticks
 *
 * Jumps to a span; it is moved and cut to what can be shown. The view before can be returned to by
 * ts_view_state_undo().
 *
 * Thread: owner
 */
void
ts_view_state_set_visible (TsViewState *self,
                           gint64 begin,
                           gint64 span)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  go_to (self, begin, span, TRUE);
}

/**
 * ts_view_state_zoom:
 * @self: a view state
 * @factor: 2 makes everything twice as large
 * @anchor: place that stays, 0 left edge to 1 right edge
 *
 * Zooms about a place: the tick under it (ts_view_state_x_to_tick() of anchor * width) is exactly
 * the same afterwards, unless an end of the recording is in the way.
 *
 * Thread: owner
 */
void
ts_view_state_zoom (TsViewState *self,
                    double factor,
                    double anchor)
{
  gint64 fixed_factor, fixed_anchor, span, tick;

  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (factor > 0 && isfinite (factor) && isfinite (anchor));

  fixed_factor = to_fixed (CLAMP (factor, 1e-6, 1e6));
  fixed_anchor = to_fixed (CLAMP (anchor, 0.0, 1.0));
  span = (gint64) MIN (((__int128) self->view.span << 32) / fixed_factor, (__int128) MAX_TICKS);
  if (span == self->view.span && fixed_factor < FIXED_ONE)
    span++;
  span = clamp_view (self, self->view.begin, span).span;
  if (span == self->view.span)
    return;
  tick = self->view.begin + multiply (self->view.span, fixed_anchor);
  go_to (self, tick - multiply (span, fixed_anchor), span, FALSE);
}

/**
 * ts_view_state_pan:
 * @self: a view state
 * @screens: widths of the view to go to later times; negative: earlier
 *
 * Thread: owner
 */
void
ts_view_state_pan (TsViewState *self,
                   double screens)
{
  gint64 step;

  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (isfinite (screens));

  step = multiply (self->view.span, to_fixed (CLAMP (screens, -1e6, 1e6)));
  step = CLAMP (step, -MAX_TICKS, MAX_TICKS);
  if (step == 0 && screens != 0)
    step = screens > 0 ? 1 : -1;
  go_to (self, self->view.begin + step, self->view.span, FALSE);
}

/**
 * ts_view_state_fit:
 * @self: a view state
 *
 * Shows the whole recording.
 *
 * Thread: owner
 */
void
ts_view_state_fit (TsViewState *self)
{
  gint64 end;

  g_return_if_fail (TS_IS_VIEW_STATE (self));

  end = get_end (self);
  if (end > 0)
    go_to (self, 0, end, TRUE);
}

/* Goes to the newest view of @from that is another one than the present, which is kept in @to. */
static gboolean
step_back (TsViewState *self,
           GArray *from,
           GArray *to)
{
  while (from->len > 0)
    {
      TsView last = g_array_index (from, TsView, from->len - 1);
      TsView view = clamp_view (self, last.begin, last.span);

      g_array_set_size (from, from->len - 1);
      if (view.begin == self->view.begin && view.span == self->view.span)
        continue;
      g_array_append_val (to, self->view);
      self->view = view;
      self->is_following =
          is_live (self) && !self->no_resume && view.begin + view.span >= get_end (self);
      _ts_view_state_emit_changed (self);
      return TRUE;
    }
  return FALSE;
}

/**
 * ts_view_state_undo:
 * @self: a view state
 *
 * Goes back to the view before the last jump or run of small steps.
 *
 * Thread: owner
 *
 * Returns: %FALSE if there is none
 */
gboolean
ts_view_state_undo (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);

  return step_back (self, self->undo, self->redo);
}

/**
 * ts_view_state_redo:
 * @self: a view state
 *
 * Takes back ts_view_state_undo(); any other move of the view forgets what could be.
 *
 * Thread: owner
 *
 * Returns: %FALSE if there is nothing to take back
 */
gboolean
ts_view_state_redo (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);

  return step_back (self, self->redo, self->undo);
}

/**
 * ts_view_state_x_to_tick:
 * @self: a view state
 * @x: pixels from the left edge of the plot; may lie outside
 * @width: width of the plot
 *
 * Thread: owner
 *
 * Returns: the tick under @x
 */
gint64
ts_view_state_x_to_tick (TsViewState *self,
                         double x,
                         int width)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  g_return_val_if_fail (width > 0, 0);

  return self->view.begin +
         multiply (self->view.span, to_fixed (CLAMP (x / width, -1024.0, 1024.0)));
}

/**
 * ts_view_state_tick_to_x:
 * @self: a view state
 * @tick: a time
 * @width: width of the plot
 *
 * Thread: owner
 *
 * Returns: pixels from the left edge of the plot; may lie far outside
 */
double
ts_view_state_tick_to_x (TsViewState *self,
                         gint64 tick,
                         int width)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);

  return (double) (tick - self->view.begin) * width / (double) self->view.span;
}

/**
 * ts_view_state_set_following:
 * @self: a view state
 * @following: whether the right edge stays at the live end
 *
 * Only a live recording can be followed; for others the view goes to the end and stays there.
 *
 * Thread: owner
 */
void
ts_view_state_set_following (TsViewState *self,
                             gboolean following)
{
  gboolean is_on;

  g_return_if_fail (TS_IS_VIEW_STATE (self));

  is_on = following && is_live (self);
  if (!following)
    {
      if (!self->is_following)
        return;
      self->is_following = FALSE;
      _ts_view_state_emit_changed (self);
      return;
    }
  if (is_on && self->is_following)
    return;
  remember_view (self, TRUE);
  self->is_following = is_on;
  self->view.begin = get_end (self) - self->view.span;
  if (!is_on)
    self->view = clamp_view (self, self->view.begin, self->view.span);
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_is_following:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: whether the right edge stays at the live end
 */
gboolean
ts_view_state_is_following (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);

  return self->is_following;
}

/**
 * ts_view_state_get_n_groups:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: number of groups, always the same
 */
guint
ts_view_state_get_n_groups (TsViewState *self)
{
  return TS_N_GROUPS;
}

/**
 * ts_view_state_get_group_name:
 * @self: a view state
 * @group: a group
 *
 * Thread: any
 *
 * Returns: (transfer none): its translated name
 */
const char *
ts_view_state_get_group_name (TsViewState *self,
                              guint group)
{
  static const char *const names[TS_N_GROUPS] = {
    N_ ("CPU"),    N_ ("Interrupts"), N_ ("Tasks"),    N_ ("Objects"),
    N_ ("Events"), N_ ("Values"),     N_ ("Messages"), N_ ("Pinned"),
    /* translators: group of lanes: functions of the firmware, from samples of the program counter */
    N_ ("Functions"),
  };

  g_return_val_if_fail (group < TS_N_GROUPS, "");

  return _(names[group]);
}

/**
 * ts_view_state_set_group_folded:
 * @self: a view state
 * @group: a group
 * @folded: whether only its header is shown
 *
 * Thread: owner
 */
void
ts_view_state_set_group_folded (TsViewState *self,
                                guint group,
                                gboolean folded)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (group < TS_N_GROUPS);

  if (ts_view_state_is_group_folded (self, group) == !!folded)
    return;
  self->folded ^= 1u << group;
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_is_group_folded:
 * @self: a view state
 * @group: a group
 *
 * Thread: owner
 *
 * Returns: whether only its header is shown
 */
gboolean
ts_view_state_is_group_folded (TsViewState *self,
                               guint group)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  g_return_val_if_fail (group < TS_N_GROUPS, FALSE);

  return (self->folded & (1u << group)) != 0;
}

/**
 * ts_view_state_set_row_height:
 * @self: a view state
 * @lane_px: height of a lane in pixels
 * @header_px: height of a group header
 * @plot_px: height of a value lane; CPU load stands between the two
 *
 * Thread: owner
 */
void
ts_view_state_set_row_height (TsViewState *self,
                              int lane_px,
                              int header_px,
                              int plot_px)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (lane_px > 0 && header_px > 0 && plot_px > 0);

  if (lane_px == self->lane_px && header_px == self->header_px && plot_px == self->plot_px)
    return;
  self->lane_px = lane_px;
  self->header_px = header_px;
  self->plot_px = plot_px;
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_get_rows:
 * @self: a view state
 * @n_rows: (out): number of rows
 *
 * Thread: owner
 *
 * Returns: (array length=n_rows) (transfer none): rows from top to bottom, until the next change
 */
const TsViewRow *
ts_view_state_get_rows (TsViewState *self,
                        guint *n_rows)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  g_return_val_if_fail (n_rows != NULL, NULL);

  update_rows (self);
  *n_rows = self->rows->len;
  return (const TsViewRow *) self->rows->data;
}

/**
 * ts_view_state_get_rows_height:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: height of all rows in pixels
 */
int
ts_view_state_get_rows_height (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);

  update_rows (self);
  return self->rows_height;
}

/**
 * ts_view_state_set_scroll_y:
 * @self: a view state
 * @y: pixels the rows are scrolled up; cut to the height of the rows
 *
 * Thread: owner
 */
void
ts_view_state_set_scroll_y (TsViewState *self,
                            int y)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  y = CLAMP (y, 0, ts_view_state_get_rows_height (self));
  if (y == self->scroll_y)
    return;
  self->scroll_y = y;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_scroll_y:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: pixels the rows are scrolled up
 */
int
ts_view_state_get_scroll_y (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);

  return self->scroll_y;
}

const guint32 *
_ts_view_state_get_lane_order (TsViewState *self,
                               guint *n_lanes)
{
  update_rows (self);
  *n_lanes = self->order->len;
  return (const guint32 *) self->order->data;
}
