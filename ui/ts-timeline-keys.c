/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-timeline-keys.c: going from event to event, measuring between two cursors, and arranging lanes
 * without a mouse. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include <glib/gi18n.h>

#include "ui/ts-timeline-private.h"

/* Heights of lanes, in percent. */
#define MIN_LANE_PERCENT 60
#define MAX_LANE_PERCENT 600
/* By the arrow keys, in screens. */
#define KEY_PAN_STEP 0.2
/* So near a mark one means it. */
#define MARK_REACH_PX 8

static TsRecording *
get_recording (TsTimeline *self)
{
  return self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
}

/* Shows an instant or a slice: cursor there, selected, in sight. */
void
_ts_timeline_land_on (TsTimeline *self,
                      guint32 lane,
                      gint64 tick)
{
  TsRecording *recording = get_recording (self);

  ts_view_state_set_following (self->view, FALSE);
  ts_view_state_set_cursor (self->view, tick);
  if (lane != 0 && ts_recording_get_lane (recording, lane) != NULL)
    {
      _ts_timeline_select_at (self, lane, tick);
      ts_timeline_reveal_lane (self, lane);
    }
  ts_timeline_reveal (self, tick);
}

/* --- event by event --------------------------------------------------------------------------- */

/* Events, slices, states of the range and links: each after the one before it has been made. */
static void
move_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  static const char * const names[] = {
    [TS_MOVE_EVENT] = "timeline.event",
    [TS_MOVE_SLICE] = "timeline.step",
    [TS_MOVE_GROW] = "timeline.grow",
    [TS_MOVE_LINK] = "timeline.link",
  };
  TsTimeline *self = TS_TIMELINE (widget);
  int direction = g_variant_get_int32 (parameter);

  if (get_recording (self) == NULL)
    return;
  /* without a lane there are no slices to go to: the view moves */
  if (ts_view_state_get_selected_lane (self->view) == 0 && g_str_equal (name, names[TS_MOVE_SLICE]))
    {
      gtk_widget_activate_action (widget, "timeline.pan", "d", direction * KEY_PAN_STEP);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      _ts_timeline_move (self, i, direction);
}

/* --- views ------------------------------------------------------------------------------------ */

/* What is selected fills the timeline; again: everything. */
static void
focus_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 span = ts_view_state_get_span (self->view);
  gint64 from = -1;
  gint64 to = -1;
  TsSlice slice;

  if (get_recording (self) == NULL)
    return;
  if (ts_view_state_get_selected_slice (self->view, &slice))
    {
      from = slice.begin;
      to = slice.end;
    }
  if (ts_view_state_get_range (self->view, &begin, &to))
    from = begin;
  else if (g_str_equal (name, "timeline.zoom-selection") && from < 0)
    return;
  begin = ts_view_state_get_begin (self->view);
  if (from >= 0 && to > from)
    {
      ts_timeline_zoom_to (self, from, to);
      if (ts_view_state_get_begin (self->view) != begin ||
          ts_view_state_get_span (self->view) != span)
        return;
    }
  if (g_str_equal (name, "timeline.focus"))
    {
      ts_view_state_set_following (self->view, FALSE);
      ts_view_state_fit (self->view);
    }
}

static void
redo_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);

  if (self->view != NULL)
    ts_view_state_redo (self->view);
}

/*
 * _ts_timeline_zoom_lanes:
 * @steps: positive: higher lanes
 */
void
_ts_timeline_zoom_lanes (TsTimeline *self,
                         double steps)
{
  double percent = self->lane_percent * pow (1.1, steps);

  self->lane_percent = CLAMP (percent, MIN_LANE_PERCENT, MAX_LANE_PERCENT);
  _ts_timeline_update_rows (self);
}

static void
lanes_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  double steps = g_variant_get_double (parameter);

  if (steps != 0.0)
    {
      _ts_timeline_zoom_lanes (self, steps);
      return;
    }
  self->lane_percent = 100;
  _ts_timeline_update_rows (self);
}

/* --- cursors ---------------------------------------------------------------------------------- */

/* The time under the pointer, if it is in the lanes or on the ruler. */
static gboolean
get_pointer_tick (TsTimeline *self,
                  TsSnapWhat what,
                  gint64 *tick)
{
  double x = _ts_timeline_get_plot_x (self, self->pointer_x);
  TsHit hit;

  if (self->pointer_x < 0 || x <= 0)
    return FALSE;
  _ts_timeline_hit (self, self->pointer_x, self->pointer_y, &hit);
  if (hit.part != 4 && hit.part != 2)
    return FALSE;
  *tick = _ts_timeline_snap (self, what, hit.lane,
                             ts_view_state_x_to_tick (self->view, x,
                                                      _ts_timeline_get_lanes_width (self)));
  return TRUE;
}

/**
 * ts_timeline_get_place:
 * @self: a timeline
 *
 * The time that a command without one is about: the cursor if it is seen, else where the pointer
 * is, else the middle of the view.
 *
 * Thread: main
 *
 * Returns: ticks, within the recording; 0 without one
 */
gint64
ts_timeline_get_place (TsTimeline *self)
{
  gint64 cursor;
  gint64 begin;
  gint64 span;
  gint64 place;

  g_return_val_if_fail (TS_IS_TIMELINE (self), 0);
  if (get_recording (self) == NULL)
    return 0;
  cursor = ts_view_state_get_cursor (self->view);
  begin = ts_view_state_get_begin (self->view);
  span = ts_view_state_get_span (self->view);
  if (cursor >= 0 && cursor >= begin && cursor - begin <= span)
    return cursor;
  if (!get_pointer_tick (self, TS_SNAP_NOTHING, &place))
    place = begin + span / 2;
  return CLAMP (place, 0, MAX (ts_recording_get_duration (get_recording (self)), 0));
}

/**
 * ts_timeline_find_mark:
 * @self: a timeline
 *
 * The mark that a command without one is about: the one under the pointer, else the nearest to
 * ts_timeline_get_place(), within some pixels.
 *
 * Thread: main
 *
 * Returns: its tick; -1: there is none
 */
gint64
ts_timeline_find_mark (TsTimeline *self)
{
  gint64 places[2] = { -1, -1 };
  const gint64 *marks;
  gint64 reach;
  guint n;

  g_return_val_if_fail (TS_IS_TIMELINE (self), -1);
  if (get_recording (self) == NULL)
    return -1;
  marks = ts_view_state_get_marks (self->view, &n);
  reach = (gint64) ((__int128) ts_view_state_get_span (self->view) * MARK_REACH_PX
                    / _ts_timeline_get_lanes_width (self));
  if (self->pointer_x >= 0 && _ts_timeline_get_plot_x (self, self->pointer_x) > 0)
    places[0] = ts_view_state_x_to_tick (self->view,
                                         _ts_timeline_get_plot_x (self, self->pointer_x),
                                         _ts_timeline_get_lanes_width (self));
  places[1] = ts_timeline_get_place (self);
  for (guint p = 0; p < G_N_ELEMENTS (places); p++)
    {
      gint64 found = -1;

      for (guint i = 0; places[p] >= 0 && i < n; i++)
        if (ABS (marks[i] - places[p]) <= reach
            && (found < 0 || ABS (marks[i] - places[p]) < ABS (found - places[p])))
          found = marks[i];
      if (found >= 0)
        return found;
    }
  return -1;
}

/* The second cursor: where the pointer is, else it changes places with the first. */
static void
second_cursor_action (GtkWidget *widget,
                      const char *name,
                      GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  gint64 cursor;

  if (get_recording (self) == NULL)
    return;
  if (get_pointer_tick (self, TS_SNAP_SECOND_CURSOR, &cursor))
    {
      ts_view_state_set_second_cursor (self->view, cursor);
      return;
    }
  cursor = ts_view_state_get_cursor (self->view);
  if (ts_view_state_get_second_cursor (self->view) >= 0)
    ts_view_state_set_cursor (self->view, ts_view_state_get_second_cursor (self->view));
  ts_view_state_set_second_cursor (self->view, cursor);
}

/* --- lanes ------------------------------------------------------------------------------------ */

/* The next or previous lane is selected. */
static void
select_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  int direction = g_variant_get_int32 (parameter);
  const TsViewRow *rows;
  guint32 lane;
  guint32 before = 0;
  gboolean is_next = FALSE;
  guint n_rows;

  if (get_recording (self) == NULL)
    return;
  lane = ts_view_state_get_selected_lane (self->view);
  rows = ts_view_state_get_rows (self->view, &n_rows);
  if (lane == 0)
    is_next = TRUE;
  for (guint i = 0; i < n_rows; i++)
    {
      if (rows[i].is_header)
        continue;
      if (is_next || (direction < 0 && rows[i].lane == lane && before != 0))
        {
          lane = is_next ? rows[i].lane : before;
          ts_view_state_select_lane (self->view, lane);
          ts_timeline_reveal_lane (self, lane);
          return;
        }
      is_next = direction > 0 && rows[i].lane == lane;
      before = rows[i].lane;
    }
}

static void
arrange_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  guint32 lane;

  if (get_recording (self) == NULL)
    return;
  lane = ts_view_state_get_selected_lane (self->view);
  if (lane == 0)
    return;
  if (g_str_equal (name, "timeline.pin"))
    ts_view_state_set_lane_pinned (self->view, lane,
                                   !ts_view_state_is_lane_pinned (self->view, lane));
  else if (g_str_equal (name, "timeline.hide"))
    {
      ts_view_state_select_lane (self->view, 0);
      ts_view_state_set_lane_hidden (self->view, lane, TRUE);
    }
  else if (g_str_equal (name, "timeline.lane-up"))
    ts_view_state_shift_lane (self->view, lane, -1);
  else
    ts_view_state_shift_lane (self->view, lane, 1);
}

/* How a value lane is drawn, and whether it shares the row of the one above. */
static void
plot_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  static const char * const styles[TS_PLOT_N_STYLES] = { "step", "line", "toggle", "histogram" };
  TsTimeline *self = TS_TIMELINE (widget);
  const char *style = g_variant_get_string (parameter, NULL);
  guint32 lane = self->view != NULL ? ts_view_state_get_selected_lane (self->view) : 0;
  const TsViewRow *rows;
  guint32 above = 0;
  guint n_rows;

  if (lane == 0)
    return;
  for (guint i = 0; i < TS_PLOT_N_STYLES; i++)
    if (g_str_equal (style, styles[i]))
      ts_view_state_set_plot_style (self->view, lane, i);
  if (g_str_equal (style, "apart"))
    {
      g_autoptr (GArray) guests = ts_view_state_get_plot_guests (self->view, lane);

      for (guint i = 0; guests != NULL && i < guests->len; i++)
        ts_view_state_set_plot_host (self->view, g_array_index (guests, guint32, i), 0);
    }
  if (!g_str_equal (style, "above"))
    return;
  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      if (!rows[i].is_header && rows[i].lane == lane && above != 0 &&
          ts_view_state_set_plot_host (self->view, lane, above))
        {
          ts_view_state_select_lane (self->view, above);
          return;
        }
      above = rows[i].is_header ? 0 : rows[i].lane;
    }
}

static void
append_plot_menu (TsTimeline *self,
                  GMenu *menu,
                  guint32 lane)
{
  static const char * const styles[][2] = {
    { N_ ("_Steps"), "timeline.plot::step" },
    { N_ ("_Lines"), "timeline.plot::line" },
    { N_ ("_High or Low"), "timeline.plot::toggle" },
    { N_ ("Steps and _Distribution"), "timeline.plot::histogram" },
  };
  g_autoptr (GMenu) plot = g_menu_new ();
  g_autoptr (GArray) guests = ts_view_state_get_plot_guests (self->view, lane);

  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    g_menu_append (plot, _ (styles[i][0]), styles[i][1]);
  g_menu_append_submenu (menu, _ ("Plot _as"), G_MENU_MODEL (plot));
  g_menu_append (menu, _ ("Draw in the Lane A_bove"), "timeline.plot::above");
  if (guests != NULL)
    g_menu_append (menu, _ ("Draw A_part"), "timeline.plot::apart");
}

static void
sort_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  static const char * const names[TS_LANE_N_SORTS] = { "priority", "name", "share", "first-seen" };
  TsTimeline *self = TS_TIMELINE (widget);
  const char *sort = g_variant_get_string (parameter, NULL);

  for (guint i = 0; i < TS_LANE_N_SORTS && self->view != NULL; i++)
    if (g_str_equal (sort, names[i]))
      ts_view_state_set_lane_sort (self->view, i);
}

/* --- menu of a lane --------------------------------------------------------------------------- */

static void
on_menu_closed (GtkPopover *popover,
                TsTimeline *self)
{
  /* not before the chosen action has run */
  g_idle_add_once ((GSourceOnceFunc) gtk_widget_unparent, popover);
}

/* What can be done with what was hit; its lane is selected, so that the actions know which. */
static void
open_menu (TsTimeline *self,
           const TsHit *hit,
           double x,
           double y)
{
  static const char * const sorts[][2] = {
    { N_ ("Priority"), "timeline.sort::priority" },
    { N_ ("Name"), "timeline.sort::name" },
    { N_ ("CPU Share"), "timeline.sort::share" },
    { N_ ("First Seen"), "timeline.sort::first-seen" },
  };
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) lane = g_menu_new ();
  g_autoptr (GMenu) sort = g_menu_new ();
  g_autoptr (GMenu) marks = g_menu_new ();
  GtkWidget *popover;

  if (hit->part == 3 || hit->part == 4)
    {
      const TsLaneInfo *info = ts_recording_get_lane (get_recording (self), hit->lane);

      ts_view_state_select_lane (self->view, hit->lane);
      g_menu_append (lane,
                     ts_view_state_is_lane_pinned (self->view, hit->lane) ? _ ("Un_pin")
                                                                         : _ ("_Pin to the Top"),
                     "timeline.pin");
      g_menu_append (lane, _ ("_Hide"), "timeline.hide");
      g_menu_append (lane, _ ("Move _Up"), "timeline.lane-up");
      g_menu_append (lane, _ ("Move _Down"), "timeline.lane-down");
      g_menu_append (lane, _ ("_Fold Its Group"), "timeline.fold");
      if (info != NULL && info->kind == TS_LANE_VALUE)
        append_plot_menu (self, lane, hit->lane);
      g_menu_append_section (menu, NULL, G_MENU_MODEL (lane));
    }
  if (hit->part == 4)
    {
      ts_view_state_set_cursor (
          self->view, _ts_timeline_snap (self, TS_SNAP_CURSOR, hit->lane, hit->time));
      g_menu_append (marks, _ ("Set a _Mark…"), "win.mark");
      g_menu_append_section (menu, NULL, G_MENU_MODEL (marks));
    }
  for (guint i = 0; i < G_N_ELEMENTS (sorts); i++)
    g_menu_append (sort, _ (sorts[i][0]), sorts[i][1]);
  g_menu_append_submenu (menu, _ ("_Sort Lanes by"), G_MENU_MODEL (sort));
  if (ts_view_state_get_n_hidden (self->view) > 0)
    g_menu_append (menu, _ ("Show _All Lanes"), "timeline.show-all");
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_widget_set_parent (popover, GTK_WIDGET (self));
  g_signal_connect (popover, "closed", G_CALLBACK (on_menu_closed), self);
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
on_secondary (GtkGestureClick *gesture,
              int n_press,
              double x,
              double y,
              TsTimeline *self)
{
  TsHit hit;

  if (get_recording (self) == NULL)
    return;
  _ts_timeline_hit (self, x, y, &hit);
  if (hit.part >= 3)
    open_menu (self, &hit, x, y);
}

/* The row of the selected lane; NULL: it is not shown. */
static const TsViewRow *
get_selected_row (TsTimeline *self)
{
  guint32 lane = ts_view_state_get_selected_lane (self->view);
  const TsViewRow *rows;
  guint n_rows;

  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint i = 0; lane != 0 && i < n_rows; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      return &rows[i];
  return NULL;
}

/* By key: the menu stands where the selected lane is named; without one it is that of all lanes. */
static void
menu_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  double scale = _ts_timeline_get_scale (self);
  int header = self->options.overview_height + self->options.ruler_height;
  const TsViewRow *row;
  TsHit hit = { .group = -1, .part = 5 };
  double y = header;

  if (get_recording (self) == NULL)
    return;
  if (ts_view_state_get_selected_lane (self->view) != 0)
    ts_timeline_reveal_lane (self, ts_view_state_get_selected_lane (self->view));
  row = get_selected_row (self);
  if (row != NULL)
    {
      hit.part = 3;
      hit.lane = row->lane;
      y += ts_view_state_get_row_y (self->view, row, self->options.height - header) + row->height;
    }
  open_menu (self, &hit,
             self->options.is_mirrored ? gtk_widget_get_width (widget) - 24 : 24, y / scale);
}

/* Folds the group of the selected lane; again: unfolds it, since the lane stays selected. */
static void
fold_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  const TsViewRow *row;

  if (get_recording (self) == NULL)
    return;
  row = get_selected_row (self);
  if (row != NULL)
    ts_view_state_set_group_folded (self->view, row->group, TRUE);
  else if (ts_view_state_get_selected_lane (self->view) != 0)
    ts_timeline_reveal_lane (self, ts_view_state_get_selected_lane (self->view));
}

void
_ts_timeline_init_keys (TsTimeline *self)
{
  GtkGesture *gesture = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect (gesture, "pressed", G_CALLBACK (on_secondary), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (gesture));
}

static void
show_all_action (GtkWidget *widget,
                 const char *name,
                 GVariant *parameter)
{
  if (TS_TIMELINE (widget)->view != NULL)
    ts_view_state_show_all_lanes (TS_TIMELINE (widget)->view);
}

static void
add (GtkWidgetClass *widget_class,
     guint keyval,
     GdkModifierType modifiers,
     const char *action,
     int direction)
{
  if (direction != 0)
    gtk_widget_class_add_binding_action (widget_class, keyval, modifiers, action, "i", direction);
  else
    gtk_widget_class_add_binding_action (widget_class, keyval, modifiers, action, NULL);
}

/* Keys and actions of this file. */
void
_ts_timeline_install_keys (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "timeline.event", "i", move_action);
  gtk_widget_class_install_action (widget_class, "timeline.step", "i", move_action);
  gtk_widget_class_install_action (widget_class, "timeline.grow", "i", move_action);
  gtk_widget_class_install_action (widget_class, "timeline.link", "i", move_action);
  gtk_widget_class_install_action (widget_class, "timeline.focus", NULL, focus_action);
  gtk_widget_class_install_action (widget_class, "timeline.zoom-selection", NULL, focus_action);
  gtk_widget_class_install_action (widget_class, "timeline.redo", NULL, redo_action);
  gtk_widget_class_install_action (widget_class, "timeline.lane-height", "d", lanes_action);
  gtk_widget_class_install_action (widget_class, "timeline.second-cursor", NULL,
                                   second_cursor_action);
  gtk_widget_class_install_action (widget_class, "timeline.select-lane", "i", select_action);
  gtk_widget_class_install_action (widget_class, "timeline.pin", NULL, arrange_action);
  gtk_widget_class_install_action (widget_class, "timeline.hide", NULL, arrange_action);
  gtk_widget_class_install_action (widget_class, "timeline.lane-up", NULL, arrange_action);
  gtk_widget_class_install_action (widget_class, "timeline.lane-down", NULL, arrange_action);
  gtk_widget_class_install_action (widget_class, "timeline.show-all", NULL, show_all_action);
  gtk_widget_class_install_action (widget_class, "timeline.menu", NULL, menu_action);
  gtk_widget_class_install_action (widget_class, "timeline.fold", NULL, fold_action);
  gtk_widget_class_install_action (widget_class, "timeline.sort", "s", sort_action);
  gtk_widget_class_install_action (widget_class, "timeline.plot", "s", plot_action);

  add (widget_class, GDK_KEY_period, 0, "timeline.event", 1);
  add (widget_class, GDK_KEY_comma, 0, "timeline.event", -1);
  add (widget_class, GDK_KEY_Left, GDK_SHIFT_MASK, "timeline.grow", -1);
  add (widget_class, GDK_KEY_Right, GDK_SHIFT_MASK, "timeline.grow", 1);
  add (widget_class, GDK_KEY_bracketleft, 0, "timeline.link", -1);
  add (widget_class, GDK_KEY_bracketright, 0, "timeline.link", 1);
  add (widget_class, GDK_KEY_z, 0, "timeline.zoom-selection", 0);
  add (widget_class, GDK_KEY_f, 0, "timeline.focus", 0);
  add (widget_class, GDK_KEY_c, 0, "timeline.second-cursor", 0);
  add (widget_class, GDK_KEY_Up, GDK_CONTROL_MASK, "timeline.select-lane", -1);
  add (widget_class, GDK_KEY_Down, GDK_CONTROL_MASK, "timeline.select-lane", 1);
  add (widget_class, GDK_KEY_p, 0, "timeline.pin", 0);
  add (widget_class, GDK_KEY_h, 0, "timeline.hide", 0);
  add (widget_class, GDK_KEY_h, GDK_SHIFT_MASK, "timeline.show-all", 0);
  add (widget_class, GDK_KEY_Up, GDK_ALT_MASK, "timeline.lane-up", 0);
  add (widget_class, GDK_KEY_Down, GDK_ALT_MASK, "timeline.lane-down", 0);
  add (widget_class, GDK_KEY_Menu, 0, "timeline.menu", 0);
  add (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, "timeline.menu", 0);
  add (widget_class, GDK_KEY_g, 0, "timeline.fold", 0);
  add (widget_class, GDK_KEY_o, 0, "win.time-zero", 0);
  add (widget_class, GDK_KEY_m, 0, "win.mark", 0);
  add (widget_class, GDK_KEY_m, GDK_SHIFT_MASK, "win.remove-mark", 0);
  add (widget_class, GDK_KEY_Page_Down, GDK_CONTROL_MASK, "win.next-mark", 0);
  add (widget_class, GDK_KEY_Page_Up, GDK_CONTROL_MASK, "win.previous-mark", 0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_plus,
                                       GDK_CONTROL_MASK | GDK_SHIFT_MASK, "timeline.lane-height",
                                       "d", 1.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_minus, GDK_CONTROL_MASK,
                                       "timeline.lane-height", "d", -1.0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_plus, GDK_CONTROL_MASK,
                                       "timeline.lane-height", "d", 1.0);
}

/**
 * ts_timeline_get_lane_percent:
 * @self: a timeline
 *
 * Thread: main
 *
 * Returns: height of lanes, 100: as the font says
 */
double
ts_timeline_get_lane_percent (TsTimeline *self)
{
  g_return_val_if_fail (TS_IS_TIMELINE (self), 100);
  return self->lane_percent;
}

/**
 * ts_timeline_set_lane_percent:
 * @self: a timeline
 * @percent: height of lanes, 100: as the font says
 *
 * Thread: main
 */
void
ts_timeline_set_lane_percent (TsTimeline *self,
                              double percent)
{
  g_return_if_fail (TS_IS_TIMELINE (self));
  self->lane_percent = CLAMP (percent, MIN_LANE_PERCENT, MAX_LANE_PERCENT);
  _ts_timeline_update_rows (self);
}

/**
 * ts_timeline_set_drag_pans:
 * @self: a timeline
 * @drag_pans: a plain drag over the lanes moves the view, with Shift it selects a range; else the
 *   other way round
 *
 * Thread: main
 */
void
ts_timeline_set_drag_pans (TsTimeline *self,
                           gboolean drag_pans)
{
  g_return_if_fail (TS_IS_TIMELINE (self));
  self->drag_pans = drag_pans;
}
