/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pointer, a wheel and two fingers do in the timeline, each at a place worked out. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include "timeline-fixture.h"

#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

static void
move_pointer (GtkWidget *timeline,
              double x,
              double y)
{
  g_signal_emit_by_name (gui_test_find_controller (timeline, GTK_TYPE_EVENT_CONTROLLER_MOTION, 0),
                         "motion", x, y);
}

/* The time at x, as a click there says it. */
static gint64
click_tick (Fixture *fixture,
            double x,
            double y)
{
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, x, y, 0, 0);
  return ts_view_state_get_cursor (fixture->view);
}

/* The place under the pointer stays, and its share of the view to the left: @before ticks are
 * @after now. */
static void
check_zoomed (Fixture *fixture,
              gint64 tick,
              gint64 begin,
              gint64 before,
              gint64 after)
{
  /* each step rounds to a whole tick */
  g_assert_cmpint (ABS (ts_view_state_get_span (fixture->view) - after), <=, 4);
  /* a tick lies within a pixel of some hundreds */
  g_assert_cmpint (ABS (ts_view_state_get_begin (fixture->view) -
                        (tick - (tick - begin) * after / before)),
                   <=, before / 400);
}

/* GTK's own part of it asks for the fingers, of which there are none. */
static void
stop_begin (GtkGesture *gesture,
            gpointer sequence,
            gpointer user_data)
{
  g_signal_stop_emission_by_name (gesture, "begin");
}

/* Two fingers apart: twice as large about the pointer; together again: as before. */
static void
test_pinch (Fixture *fixture,
            gconstpointer data)
{
  static const double places[] = { 400, 800, 950 };
  GtkEventController *pinch =
      gui_test_find_controller (fixture->timeline, GTK_TYPE_GESTURE_ZOOM, 0);
  guint32 lane;
  double y;

  g_assert_nonnull (pinch);
  g_signal_connect (pinch, "begin", G_CALLBACK (stop_begin), NULL);
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      gint64 tick;

      ts_view_state_set_visible (fixture->view, 5000000, 4000000);
      gtk_test_widget_wait_for_draw (fixture->timeline);
      tick = click_tick (fixture, places[i], y);
      move_pointer (fixture->timeline, places[i], y);
      g_signal_emit_by_name (pinch, "begin", NULL);
      g_signal_emit_by_name (pinch, "scale-changed", 1.25);
      g_signal_emit_by_name (pinch, "scale-changed", 2.0);
      check_zoomed (fixture, tick, 5000000, 4000000, 2000000);
      g_assert_cmpint (ABS (click_tick (fixture, places[i], y) - tick), <=, 4000000 / 400);
      /* scales count from the gesture's begin */
      g_signal_emit_by_name (pinch, "begin", NULL);
      g_signal_emit_by_name (pinch, "scale-changed", 0.5);
      check_zoomed (fixture, tick, 5000000, 4000000, 4000000);
    }
}

#ifdef GDK_WINDOWING_X11
typedef struct
{
  TsViewState *view;
  gint64 span;
} Zoom;

static gboolean
is_zoomed (gpointer user_data)
{
  const Zoom *zoom = user_data;

  return ABS (ts_view_state_get_span (zoom->view) - zoom->span) <= 4;
}

/* Real events: @n clicks of a wheel's button with Ctrl held, at a place of the timeline. */
static void
turn_wheel (Fixture *fixture,
            double x,
            double y,
            const char *button,
            const char *n)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (fixture->window));
  g_autofree char *window = g_strdup_printf ("%lu", gdk_x11_surface_get_xid (surface));
  g_autofree char *window_x = NULL;
  g_autofree char *window_y = NULL;
  graphene_point_t point;
  double left;
  double top;

  g_assert_true (gtk_widget_compute_point (fixture->timeline, GTK_WIDGET (fixture->window),
                                           &GRAPHENE_POINT_INIT ((float) x, (float) y), &point));
  gtk_native_get_surface_transform (GTK_NATIVE (fixture->window), &left, &top);
  window_x = g_strdup_printf ("%d", (int) (point.x + left));
  window_y = g_strdup_printf ("%d", (int) (point.y + top));
  gui_test_run ((const char *const[]){ "xdotool", "mousemove", "--window", window, window_x, window_y,
                                       "keydown", "ctrl", "click", "--repeat", n, "--delay", "20",
                                       button, "keyup", "ctrl", "mousemove", "1279", "799", NULL });
}

/* Ctrl and the wheel: a quarter larger at each click, about the pointer, and back. */
static void
test_wheel (Fixture *fixture,
            gconstpointer data)
{
  static const double places[] = { 400, 900 };
  g_autofree char *program = g_find_program_in_path ("xdotool");
  guint32 lane;
  double y;

  if (program == NULL || !GDK_IS_X11_DISPLAY (gdk_display_get_default ()))
    {
      g_test_skip ("there is no xdotool: ./dev deps installs it");
      return;
    }
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      Zoom zoom = { fixture->view, 3200000 };
      gint64 tick;

      ts_view_state_set_visible (fixture->view, 5000000, 5000000);
      gtk_test_widget_wait_for_draw (fixture->timeline);
      tick = click_tick (fixture, places[i], y);
      /* 5000000 / 1.25 / 1.25 */
      turn_wheel (fixture, places[i], y, "4", "2");
      gui_test_wait (is_zoomed, &zoom);
      check_zoomed (fixture, tick, 5000000, 5000000, 3200000);
      zoom.span = 5000000;
      turn_wheel (fixture, places[i], y, "5", "2");
      gui_test_wait (is_zoomed, &zoom);
      check_zoomed (fixture, tick, 5000000, 5000000, 5000000);
    }
}
#endif

/* An edge of a range within six pixels of a state's edge is that edge; farther away it is not. */
static void
test_snap (Fixture *fixture,
           gconstpointer data)
{
  gint64 time = 25000000;
  gint64 length;
  gint64 pixel;
  gint64 begin;
  gint64 end;
  double scale;
  double from;
  double to;
  double y;
  guint32 lane;
  TsSlice slice;

  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  do
    {
      g_assert_true (ts_recording_next_slice (fixture->recording, lane, time, 1, &slice));
      time = slice.begin;
    }
  while (slice.end - slice.begin < 10000);
  length = slice.end - slice.begin;
  /* inside of the state, where no edge catches what measures */
  ts_view_state_set_visible (fixture->view, slice.begin + length / 3, length / 3);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  begin = click_tick (fixture, 400, y);
  end = click_tick (fixture, 800, y);
  g_assert_cmpint (end, >, begin);
  g_assert_cmpint (end, <, slice.end);
  scale = 9.0 * (double) (end - begin) / 400;
  /* the state fills a third of the lanes */
  from = 400 - 9 * (double) (begin - slice.begin - length / 3) / scale + (double) length / scale;
  to = from + (double) length / scale;
  pixel = (gint64) scale;
  ts_view_state_set_visible (fixture->view, slice.begin - length, 3 * length);
  gtk_test_widget_wait_for_draw (fixture->timeline);

  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, from + 4, y, to - from - 8, 0);
  g_assert_true (ts_view_state_get_range (fixture->view, &begin, &end));
  g_assert_cmpint (begin, ==, slice.begin);
  g_assert_cmpint (end, ==, slice.end);
  gtk_widget_activate_action (fixture->timeline, "timeline.clear", NULL);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, from + 20, y, to - from - 50, 0);
  g_assert_true (ts_view_state_get_range (fixture->view, &begin, &end));
  g_assert_cmpint (ABS (begin - slice.begin - 20 * pixel), <=, 2 * pixel);
  g_assert_cmpint (ABS (slice.end - end - 30 * pixel), <=, 2 * pixel);
}

/* The card of a pointer at rest goes when the timeline gets another size. */
static gboolean
has_no_card (gpointer timeline)
{
  for (GtkWidget *child = gtk_widget_get_first_child (timeline); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_has_css_class (child, "hover-card") && gtk_widget_get_visible (child))
      return FALSE;
  return TRUE;
}

static gboolean
has_card (gpointer timeline)
{
  return !has_no_card (timeline);
}

static gboolean
is_lower (gpointer timeline)
{
  return gtk_widget_get_height (timeline) <= 600 && has_no_card (timeline);
}

static void
test_card (Fixture *fixture,
           gconstpointer data)
{
  guint32 lane;
  double y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  GtkWidget *bar = gtk_label_new ("bar");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  g_object_ref (fixture->timeline);
  gtk_window_set_child (fixture->window, NULL);
  gtk_widget_set_size_request (bar, -1, 100);
  gtk_widget_set_visible (bar, FALSE);
  gtk_widget_set_vexpand (fixture->timeline, TRUE);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), fixture->timeline);
  gtk_window_set_child (fixture->window, box);
  g_object_unref (fixture->timeline);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  g_assert_cmpint (gtk_widget_get_height (fixture->timeline), >, 600);
  move_pointer (fixture->timeline, 500, y);
  gui_test_wait (has_card, fixture->timeline);
  gtk_widget_set_visible (bar, TRUE);
  gui_test_wait (is_lower, fixture->timeline);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  g_assert_true (has_no_card (fixture->timeline));
  move_pointer (fixture->timeline, 501, y);
  gui_test_wait (has_card, fixture->timeline);
}

/* The text of the card; NULL: it is not shown. */
static const char *
get_card (GtkWidget *timeline)
{
  for (GtkWidget *child = gtk_widget_get_first_child (timeline); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_has_css_class (child, "hover-card") && gtk_widget_get_visible (child))
      return gtk_label_get_text (GTK_LABEL (child));
  return NULL;
}

/* Of a file of which only the coarse picture is in memory: the card is there at once and whole when
 * the slice has come; a click selects the lane, and then the slice; three steps are three events
 * further, whether the first was made or not when the next one came. */
static void
test_far (Fixture *fixture,
          gconstpointer data)
{
  g_autofree char *path = gui_test_make_demo (400000);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  g_autoptr (TsRecording) other = ts_recording_open (path, &error);
  const TsViewRow *rows;
  guint n_rows;
  guint n_pending = 0;
  int header;

  g_assert_no_error (error);
  ts_recording_read_coarse (recording);
  ts_view_state_set_recording (fixture->view, recording);
  ts_view_state_fit (fixture->view);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  header = gtk_widget_get_height (fixture->timeline) -
           (int) gtk_adjustment_get_page_size (
               ts_timeline_get_vadjustment (TS_TIMELINE (fixture->timeline)));
  rows = ts_view_state_get_rows (fixture->view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      double y = header + rows[i].y + rows[i].height / 2.0;
      guint32 lane = rows[i].lane;
      gint64 tick;
      TsSlice slice;
      TsSlice wanted;

      if (rows[i].is_header || y >= gtk_widget_get_height (fixture->timeline) ||
          ts_recording_get_lane (recording, lane)->kind != TS_LANE_TASK)
        continue;
      move_pointer (fixture->timeline, 600, y);
      g_assert_nonnull (get_card (fixture->timeline));
      n_pending += strstr (get_card (fixture->timeline), "…") != NULL;
      gui_test_settle (fixture->timeline);
      g_assert_null (strstr (get_card (fixture->timeline), "…"));

      tick = click_tick (fixture, 300, y);
      g_assert_cmpuint (ts_view_state_get_selected_lane (fixture->view), ==, lane);
      if (ts_recording_find_slice (other, lane, tick, 0, &wanted))
        {
          g_assert_true (ts_view_state_get_selected_slice (fixture->view, &slice));
          g_assert_cmpint (slice.begin, ==, wanted.begin);
        }

      ts_view_state_set_cursor (fixture->view, ts_recording_get_duration (recording) * 4 / 5);
      tick = ts_view_state_get_cursor (fixture->view);
      for (guint k = 0; k < 3; k++)
        {
          gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
          if (ts_recording_next_slice (other, lane, tick, 1, &wanted))
            tick = wanted.begin;
        }
      gui_test_settle (fixture->timeline);
      g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, tick);
      ts_view_state_fit (fixture->view);
    }
  g_assert_cmpuint (n_pending, >, 0);

  /* no lane: whatever happens next */
  ts_view_state_select_lane (fixture->view, 0);
  ts_view_state_set_cursor (fixture->view, ts_recording_get_duration (recording) / 3);
  {
    gint64 tick = ts_view_state_get_cursor (fixture->view);
    TsEvent event = { 0 };
    guint n_read;

    for (guint k = 0; k < 3; k++)
      {
        gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
        g_assert_true (ts_recording_read_events (other, ts_recording_row_at_time (other, tick + 1),
                                                 1, &event, &n_read, NULL));
        tick = event.time;
      }
    gui_test_settle (fixture->timeline);
    g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, tick);
  }
  ts_view_state_set_recording (fixture->view, fixture->recording);
  gui_test_settle (fixture->timeline);
}

int
main (int argc,
      char **argv)
{
  if (!gui_test_init (&argc, &argv))
    return 0;
#define ADD(name, func)                                                                            \
  g_test_add ("/gui/pointer/" name, Fixture, NULL, set_up, func, tear_down)
#ifdef GDK_WINDOWING_X11
  /* first: with the one real pointer, which is out of the way then */
  ADD ("wheel", test_wheel);
#endif
  ADD ("pinch", test_pinch);
  ADD ("snap", test_snap);
  ADD ("card", test_card);
  ADD ("far", test_far);
  return g_test_run ();
}
