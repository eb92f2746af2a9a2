/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include <glib/gi18n.h>

#include "ui/ts-timeline-private.h"

/* One click of a wheel or one press of a key. */
#define ZOOM_STEP 1.25
#define KEY_ZOOM_STEP 1.5
#define PAN_STEP 0.1
#define KEY_PAN_STEP 0.2
/* A press that moves less than this many widget pixels is a click. */
#define DRAG_THRESHOLD 4.0
/* So near to an edge of the range, a press takes the edge. */
#define EDGE_GRAB 5.0

/* Keys by place on the keyboard, whatever letter is printed there: evdev codes + 8, as X11 and
 * GDK's Wayland backend report them. */
enum
{
  KEYCODE_W = 25,
  KEYCODE_A = 38,
  KEYCODE_S = 39,
  KEYCODE_D = 40,
  KEYCODE_Z = 52,
};

/* --- moving the view -------------------------------------------------------------------------- */

/* Following ends by moving away from the live end, and is taken up again by coming back to it. */
static void
settle_following (TsTimeline *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 end = ts_view_state_get_begin (self->view) + ts_view_state_get_span (self->view);

  if (recording == NULL || !ts_recording_is_live (recording) ||
      !ts_view_state_can_resume (self->view))
    return;
  ts_view_state_set_following (self->view, end >= ts_recording_get_duration (recording));
}

static void
pan (TsTimeline *self,
     double screens)
{
  if (self->view == NULL || screens == 0.0)
    return;
  if (screens < 0.0)
    ts_view_state_set_following (self->view, FALSE);
  ts_view_state_pan (self->view, screens);
  settle_following (self);
}

/* @times > 1 shows less time, larger. */
static void
zoom (TsTimeline *self,
      double times,
      double anchor)
{
  if (self->view == NULL || !(times > 0.0))
    return;
  if (ts_view_state_is_following (self->view))
    anchor = 1.0;
  ts_view_state_zoom (self->view, times, anchor);
}

/* Where in the lanes a widget coordinate lies, 0 left, 1 right. */
static double
anchor_at (TsTimeline *self,
           double x)
{
  return CLAMP (_ts_timeline_get_plot_x (self, x) / _ts_timeline_get_lanes_width (self), 0.0, 1.0);
}

/* Keys zoom about the pointer when it is in the lanes, else about the cursor, else the middle. */
static double
key_anchor (TsTimeline *self)
{
  gint64 cursor = ts_view_state_get_cursor (self->view);
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 span = ts_view_state_get_span (self->view);

  if (self->pointer_x >= 0 && _ts_timeline_get_plot_x (self, self->pointer_x) > 0)
    return anchor_at (self, self->pointer_x);
  if (cursor >= begin && cursor < begin + span && cursor > 0)
    return ts_view_state_tick_to_x (self->view, cursor, 1000) / 1000.0;
  return 0.5;
}

static gint64
tick_at (TsTimeline *self,
         double x)
{
  return ts_view_state_x_to_tick (self->view, _ts_timeline_get_plot_x (self, x),
                                  _ts_timeline_get_lanes_width (self));
}

static double
x_of_tick (TsTimeline *self,
           gint64 tick)
{
  double x = ts_view_state_tick_to_x (self->view, tick, _ts_timeline_get_lanes_width (self));

  return x / _ts_timeline_get_scale (self) + _ts_timeline_get_plot_left (self);
}

static void
scroll_rows (TsTimeline *self,
             double lines)
{
  double value = gtk_adjustment_get_value (self->vadjustment);
  double step = gtk_adjustment_get_step_increment (self->vadjustment);

  gtk_adjustment_set_value (self->vadjustment, value + lines * step);
}

/* --- hover card ------------------------------------------------------------------------------- */

static void
hide_card (TsTimeline *self)
{
  if (gtk_widget_get_visible (self->card))
    gtk_widget_set_visible (self->card, FALSE);
  self->is_card_pending = FALSE;
}

void
_ts_timeline_update_card (TsTimeline *self)
{
  g_autofree char *text = NULL;
  TsHit hit;

  if (self->view == NULL || self->pointer_x < 0 || self->drag_mode > TS_DRAG_PENDING)
    {
      hide_card (self);
      return;
    }
  _ts_timeline_hit (self, self->pointer_x, self->pointer_y, &hit);
  self->is_card_pending = hit.is_pending;
  /* a press may follow: then the edges round it are known */
  if (hit.part == 4 && self->drag_mode == TS_DRAG_NONE)
    _ts_timeline_snap (self, TS_SNAP_NOTHING, hit.lane, hit.time);
  text = ts_display_list_describe_hit (self->view, &hit);
  if (text == NULL || *text == '\0')
    {
      hide_card (self);
      return;
    }
  if (g_strcmp0 (text, self->card_text) != 0)
    {
      gtk_label_set_text (GTK_LABEL (self->card), text);
      g_free (self->card_text);
      self->card_text = g_steal_pointer (&text);
    }
  gtk_widget_set_visible (self->card, TRUE);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
update_pointer_cursor (TsTimeline *self)
{
  gint64 begin;
  gint64 end;
  const char *name = NULL;
  TsHit hit;

  _ts_timeline_hit (self, self->pointer_x, self->pointer_y, &hit);
  if (self->drag_mode == TS_DRAG_PAN || self->drag_mode == TS_DRAG_OVERVIEW)
    name = "grabbing";
  else if (hit.part == 1 || hit.part == 2)
    name = "grab";
  else if (hit.part == 5 || hit.part == 3)
    name = "pointer";
  else if (hit.part == 4 && ts_view_state_get_range (self->view, &begin, &end) &&
           (fabs (x_of_tick (self, begin) - self->pointer_x) <= EDGE_GRAB ||
            fabs (x_of_tick (self, end) - self->pointer_x) <= EDGE_GRAB))
    name = "ew-resize";
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), name);
}

static void
on_motion (GtkEventControllerMotion *controller,
           double x,
           double y,
           TsTimeline *self)
{
  if (x == self->pointer_x && y == self->pointer_y)
    return;
  self->pointer_x = x;
  self->pointer_y = y;
  if (self->view == NULL)
    return;
  update_pointer_cursor (self);
  _ts_timeline_update_card (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller,
          TsTimeline *self)
{
  self->pointer_x = -1;
  self->pointer_y = -1;
  hide_card (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* --- wheel and pinch -------------------------------------------------------------------------- */

static gboolean
on_scroll (GtkEventControllerScroll *controller,
           double dx,
           double dy,
           TsTimeline *self)
{
  GdkModifierType state;
  gboolean is_surface;
  double unit;

  if (self->view == NULL)
    return GDK_EVENT_PROPAGATE;
  state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  is_surface = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE;
  /* a wheel counts clicks, a touchpad pixels */
  unit = is_surface ? 1.0 / 40.0 : 1.0;
  if ((state & GDK_CONTROL_MASK) != 0 && (state & GDK_SHIFT_MASK) != 0)
    {
      _ts_timeline_zoom_lanes (self, -(dy + dx) * unit);
      return GDK_EVENT_STOP;
    }
  if ((state & GDK_CONTROL_MASK) != 0)
    {
      zoom (self, pow (ZOOM_STEP, -(dy + dx) * unit), anchor_at (self, MAX (self->pointer_x, 0)));
      return GDK_EVENT_STOP;
    }
  if ((state & GDK_SHIFT_MASK) != 0)
    {
      dx += dy;
      dy = 0;
    }
  if (dx != 0.0)
    {
      if (is_surface)
        pan (self, dx * _ts_timeline_get_scale (self) / _ts_timeline_get_lanes_width (self));
      else
        pan (self, dx * PAN_STEP);
    }
  if (dy != 0.0)
    scroll_rows (self, dy * (is_surface ? 0.05 : 3.0));
  return GDK_EVENT_STOP;
}

static void
on_pinch_begin (GtkGesture *gesture,
                GdkEventSequence *sequence,
                TsTimeline *self)
{
  self->pinch_scale = 1.0;
}

static void
on_pinch (GtkGestureZoom *gesture,
          double scale,
          TsTimeline *self)
{
  double x = self->pointer_x;
  double y;

  if (!(scale > 0.0) || !(self->pinch_scale > 0.0))
    return;
  if (gtk_gesture_is_recognized (GTK_GESTURE (gesture)))
    gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y);
  zoom (self, scale / self->pinch_scale, anchor_at (self, x));
  self->pinch_scale = scale;
}

/* --- press, drag, release --------------------------------------------------------------------- */

static void
begin_pan (TsTimeline *self)
{
  self->drag_mode = TS_DRAG_PAN;
  self->drag_begin = ts_view_state_get_begin (self->view);
  self->drag_was_following = ts_view_state_is_following (self->view);
}

static void
move_pan (TsTimeline *self,
          double offset_x)
{
  gint64 span = ts_view_state_get_span (self->view);
  /* device pixels, of which a pointer knows parts; times are whole numbers from there on */
  gint64 moved = (gint64) (offset_x * _ts_timeline_get_scale (self) * 256.0);

  if (self->drag_was_following && fabs (offset_x) < DRAG_THRESHOLD)
    return;
  ts_view_state_set_following (self->view, FALSE);
  moved = (gint64) ((__int128) span * moved / ((gint64) _ts_timeline_get_lanes_width (self) * 256));
  ts_view_state_set_visible (self->view, self->drag_begin - moved, span);
}

/* Puts the view's frame where the pointer is in the overview. */
static void
move_overview (TsTimeline *self,
               double x)
{
  gint64 span = ts_view_state_get_span (self->view);
  double left = _ts_timeline_get_plot_left (self);
  double width = _ts_timeline_get_lanes_width (self) / _ts_timeline_get_scale (self);
  TsHit hit;

  _ts_timeline_hit (self, CLAMP (x, left, left + width - 1), 1, &hit);
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_visible (self->view, hit.time - self->drag_tick, span);
}

static void
begin_overview (TsTimeline *self,
                double x,
                gint64 tick)
{
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 span = ts_view_state_get_span (self->view);

  self->drag_mode = TS_DRAG_OVERVIEW;
  self->drag_tick = tick >= begin && tick < begin + span ? tick - begin : span / 2;
  move_overview (self, x);
}

/* The lane changes places with the one the pointer has come to: the result is seen at once. */
static void
move_lane (TsTimeline *self,
           double y)
{
  const TsViewRow *rows;
  guint n_rows;
  int own = -1;
  int other = -1;
  double scale = _ts_timeline_get_scale (self);
  int header = self->options.overview_height + self->options.ruler_height;
  int page = self->options.height - header;
  int at = (int) (y * scale) - header;

  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      int top;

      if (rows[i].is_header)
        continue;
      if (rows[i].lane == self->drag_lane)
        own = (int) i;
      /* past its middle: no flicker between rows of different heights */
      top = ts_view_state_get_row_y (self->view, &rows[i], page);
      if (at >= top + rows[i].height / 4 && at < top + rows[i].height * 3 / 4)
        other = (int) i;
    }
  if (own < 0 || other < 0 || own == other || rows[own].group != rows[other].group)
    return;
  ts_view_state_shift_lane (self->view, self->drag_lane, other < own ? -1 : 1);
}

static void
on_drag_begin (GtkGestureDrag *gesture,
               double x,
               double y,
               TsTimeline *self)
{
  gint64 begin;
  gint64 end;
  TsHit hit;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  self->drag_mode = TS_DRAG_NONE;
  self->drag_x = x;
  self->drag_y = y;
  if (self->view == NULL || ts_view_state_get_recording (self->view) == NULL)
    return;
  _ts_timeline_hit (self, x, y, &hit);
  switch (hit.part)
    {
    case 1:
      begin_overview (self, x, hit.time);
      break;
    case 2:
      begin_pan (self);
      break;
    case 3:
      ts_view_state_select_lane (self->view, hit.lane);
      self->drag_mode = TS_DRAG_LANE;
      self->drag_lane = hit.lane;
      break;
    case 4:
      self->drag_mode = TS_DRAG_PENDING;
      self->drag_tick = _ts_timeline_snap (self, TS_SNAP_ANCHOR, hit.lane, tick_at (self, x));
      if (ts_view_state_get_range (self->view, &begin, &end))
        {
          if (fabs (x_of_tick (self, begin) - x) <= EDGE_GRAB)
            self->drag_tick = end;
          else if (fabs (x_of_tick (self, end) - x) <= EDGE_GRAB)
            self->drag_tick = begin;
        }
      break;
    case 5:
      ts_view_state_set_group_folded (self->view, hit.group,
                                      !ts_view_state_is_group_folded (self->view, hit.group));
      break;
    default:
      break;
    }
  update_pointer_cursor (self);
}

static void
on_drag_update (GtkGestureDrag *gesture,
                double offset_x,
                double offset_y,
                TsTimeline *self)
{
  double x = self->drag_x;
  gint64 tick;
  TsHit hit;

  if (self->view == NULL)
    return;
  if (self->drag_mode == TS_DRAG_PENDING && fabs (offset_x) >= DRAG_THRESHOLD)
    {
      gboolean has_shift =
          (gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture)) &
           GDK_SHIFT_MASK) != 0;

      if (self->drag_pans && !has_shift)
        begin_pan (self);
      else
        self->drag_mode = TS_DRAG_RANGE;
      hide_card (self);
    }
  switch (self->drag_mode)
    {
    case TS_DRAG_RANGE:
      _ts_timeline_hit (self, x + offset_x, self->drag_y + offset_y, &hit);
      tick = _ts_timeline_snap (self, TS_SNAP_EDGE, hit.part == 4 ? hit.lane : 0,
                                tick_at (self, x + offset_x));
      ts_view_state_set_range (self->view, MIN (tick, self->drag_tick),
                               MAX (tick, self->drag_tick));
      break;
    case TS_DRAG_PAN:
      move_pan (self, offset_x);
      break;
    case TS_DRAG_OVERVIEW:
      move_overview (self, x + offset_x);
      break;
    case TS_DRAG_LANE:
      move_lane (self, self->drag_y + offset_y);
      break;
    case TS_DRAG_NONE:
    case TS_DRAG_PENDING:
    default:
      break;
    }
}

/* A click: cursor, lane and slice under the pointer. */
static void
click (TsTimeline *self,
       double x,
       double y)
{
  TsHit hit;

  _ts_timeline_hit (self, x, y, &hit);
  if (hit.part != 4)
    return;
  if ((gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (self->drag)) &
       GDK_SHIFT_MASK) != 0)
    {
      ts_view_state_set_second_cursor (
          self->view, _ts_timeline_snap (self, TS_SNAP_SECOND_CURSOR, hit.lane, hit.time));
      return;
    }
  ts_view_state_clear_range (self->view);
  ts_view_state_set_cursor (self->view, hit.time);
  _ts_timeline_select_hit (self, &hit, x, y);
}

static void
on_drag_end (GtkGestureDrag *gesture,
             double offset_x,
             double offset_y,
             TsTimeline *self)
{
  TsDragMode mode = self->drag_mode;

  self->drag_mode = TS_DRAG_NONE;
  if (self->view == NULL)
    return;
  if (mode == TS_DRAG_PENDING)
    click (self, self->drag_x, self->drag_y);
  if (mode == TS_DRAG_PAN || mode == TS_DRAG_OVERVIEW)
    settle_following (self);
  update_pointer_cursor (self);
  _ts_timeline_update_card (self);
}

static void
on_drag_cancel (GtkGesture *gesture,
                GdkEventSequence *sequence,
                TsTimeline *self)
{
  self->drag_mode = TS_DRAG_NONE;
}

static void
on_middle_begin (GtkGestureDrag *gesture,
                 double x,
                 double y,
                 TsTimeline *self)
{
  self->drag_x = x;
  self->drag_y = y;
  if (self->view != NULL && ts_view_state_get_recording (self->view) != NULL)
    begin_pan (self);
}

/* A second press on a slice shows the slice at full width. */
static void
on_pressed (GtkGestureClick *gesture,
            int n_press,
            double x,
            double y,
            TsTimeline *self)
{
  TsHit hit;

  if (n_press != 2 || self->view == NULL)
    return;
  _ts_timeline_hit (self, x, y, &hit);
  if (hit.part == 4 && hit.has_slice && hit.slice.end > hit.slice.begin)
    ts_timeline_zoom_to (self, hit.slice.begin, hit.slice.end);
}

/* --- keys ------------------------------------------------------------------------------------- */

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        TsTimeline *self)
{
  if (self->view == NULL || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (keycode)
    {
    case KEYCODE_W:
      zoom (self, KEY_ZOOM_STEP, key_anchor (self));
      return GDK_EVENT_STOP;
    case KEYCODE_S:
      zoom (self, 1.0 / KEY_ZOOM_STEP, key_anchor (self));
      return GDK_EVENT_STOP;
    case KEYCODE_A:
      pan (self, -KEY_PAN_STEP);
      return GDK_EVENT_STOP;
    case KEYCODE_D:
      pan (self, KEY_PAN_STEP);
      return GDK_EVENT_STOP;
    case KEYCODE_Z:
      /* where the letters W and Z have changed places, Z is a W by place: so is W a Z */
      if (keyval != GDK_KEY_w && keyval != GDK_KEY_W)
        return GDK_EVENT_PROPAGATE;
      gtk_widget_activate_action (GTK_WIDGET (self), "timeline.zoom-selection", NULL);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static void
zoom_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);

  if (self->view != NULL)
    zoom (self, g_str_equal (name, "timeline.zoom-in") ? KEY_ZOOM_STEP : 1.0 / KEY_ZOOM_STEP,
          key_anchor (self));
}

static void
fit_action (GtkWidget *widget,
            const char *name,
            GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);

  if (self->view == NULL)
    return;
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_fit (self->view);
}

static void
undo_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);

  if (self->view == NULL)
    return;
  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_undo (self->view);
}

static void
pan_action (GtkWidget *widget,
            const char *name,
            GVariant *parameter)
{
  pan (TS_TIMELINE (widget), g_variant_get_double (parameter));
}

static void
scroll_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  scroll_rows (TS_TIMELINE (widget), g_variant_get_double (parameter));
}

static void
jump_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  gint64 span;

  if (recording == NULL)
    return;
  span = ts_view_state_get_span (self->view);
  ts_view_state_set_following (self->view, FALSE);
  if (g_str_equal (name, "timeline.to-begin"))
    ts_view_state_set_visible (self->view, 0, span);
  else
    ts_view_state_set_visible (self->view, ts_recording_get_duration (recording) - span, span);
  settle_following (self);
}

static void
clear_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);

  if (self->view == NULL)
    return;
  ts_view_state_clear_range (self->view);
  ts_view_state_set_second_cursor (self->view, -1);
  ts_view_state_select_slice (self->view, 0, NULL);
  ts_view_state_select_lane (self->view, 0);
}

static void
bind (GtkWidgetClass *widget_class,
      guint keyval,
      GdkModifierType modifiers,
      const char *action)
{
  gtk_widget_class_add_binding_action (widget_class, keyval, modifiers, action, NULL);
}

/* The keys of the timeline; the letters W A S D go by place and are in on_key(). */
void
_ts_timeline_install_input (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "timeline.zoom-in", NULL, zoom_action);
  gtk_widget_class_install_action (widget_class, "timeline.zoom-out", NULL, zoom_action);
  gtk_widget_class_install_action (widget_class, "timeline.fit", NULL, fit_action);
  gtk_widget_class_install_action (widget_class, "timeline.undo", NULL, undo_action);
  gtk_widget_class_install_action (widget_class, "timeline.pan", "d", pan_action);
  gtk_widget_class_install_action (widget_class, "timeline.scroll", "d", scroll_action);
  gtk_widget_class_install_action (widget_class, "timeline.to-begin", NULL, jump_action);
  gtk_widget_class_install_action (widget_class, "timeline.to-end", NULL, jump_action);
  gtk_widget_class_install_action (widget_class, "timeline.clear", NULL, clear_action);

  bind (widget_class, GDK_KEY_plus, 0, "timeline.zoom-in");
  bind (widget_class, GDK_KEY_plus, GDK_SHIFT_MASK, "timeline.zoom-in");
  bind (widget_class, GDK_KEY_equal, 0, "timeline.zoom-in");
  bind (widget_class, GDK_KEY_KP_Add, 0, "timeline.zoom-in");
  bind (widget_class, GDK_KEY_minus, 0, "timeline.zoom-out");
  bind (widget_class, GDK_KEY_KP_Subtract, 0, "timeline.zoom-out");
  bind (widget_class, GDK_KEY_0, 0, "timeline.fit");
  bind (widget_class, GDK_KEY_KP_0, 0, "timeline.fit");
  bind (widget_class, GDK_KEY_Home, 0, "timeline.to-begin");
  bind (widget_class, GDK_KEY_End, 0, "timeline.to-end");
  bind (widget_class, GDK_KEY_Escape, 0, "timeline.clear");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, 0, "timeline.step", "i", -1);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, 0, "timeline.step", "i", 1);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Up, 0, "timeline.pan", "d", -0.9);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Page_Down, 0, "timeline.pan", "d",
                                       0.9);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Up, 0, "timeline.scroll", "d", -1.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Down, 0, "timeline.scroll", "d", 1.0);
}

void
_ts_timeline_init_input (TsTimeline *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *controller;
  GtkGesture *gesture;

  controller = gtk_event_controller_motion_new ();
  g_signal_connect (controller, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (controller, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (controller, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (widget, controller);

  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect (controller, "scroll", G_CALLBACK (on_scroll), self);
  gtk_widget_add_controller (widget, controller);

  gesture = gtk_gesture_zoom_new ();
  g_signal_connect (gesture, "begin", G_CALLBACK (on_pinch_begin), self);
  g_signal_connect (gesture, "scale-changed", G_CALLBACK (on_pinch), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  gesture = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_PRIMARY);
  g_signal_connect (gesture, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  self->drag = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (self->drag), GDK_BUTTON_PRIMARY);
  g_signal_connect (self->drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (self->drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (self->drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (self->drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->drag));

  self->pan = gtk_gesture_drag_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (self->pan), GDK_BUTTON_MIDDLE);
  g_signal_connect (self->pan, "drag-begin", G_CALLBACK (on_middle_begin), self);
  g_signal_connect (self->pan, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (self->pan, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (self->pan, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (self->pan));

  controller = gtk_event_controller_key_new ();
  g_signal_connect (controller, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, controller);
}
