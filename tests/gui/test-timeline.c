/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include "ui/ts-frame-stats.h"
#include "model/ts-statistics.h"

#include "timeline-fixture.h"

static void
test_accessible (Fixture *fixture,
                 gconstpointer data)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (fixture->timeline);

  gtk_test_accessible_assert_role (accessible, GTK_ACCESSIBLE_ROLE_LIST);
  gtk_test_accessible_assert_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, "Timeline");
  g_assert_true (gtk_widget_get_focusable (fixture->timeline));
  g_assert_true (gtk_widget_grab_focus (fixture->timeline));
}

static void
test_zoom (Fixture *fixture,
           gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 whole = ts_view_state_get_span (fixture->view);
  gint64 zoomed;

  g_assert_cmpint (whole, >=, duration);
  g_assert_true (gtk_widget_activate_action (fixture->timeline, "timeline.zoom-in", NULL));
  zoomed = ts_view_state_get_span (fixture->view);
  g_assert_cmpint (zoomed, <, whole);
  g_assert_true (gtk_widget_activate_action (fixture->timeline, "timeline.zoom-in", NULL));
  g_assert_cmpint (ts_view_state_get_span (fixture->view), <, zoomed);
  g_assert_true (gtk_widget_activate_action (fixture->timeline, "timeline.fit", NULL));
  g_assert_cmpint (ts_view_state_get_span (fixture->view), ==, whole);
  g_assert_true (gtk_widget_activate_action (fixture->timeline, "timeline.undo", NULL));
  g_assert_cmpint (ts_view_state_get_span (fixture->view), <, whole);
}

static void
test_pan (Fixture *fixture,
          gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 begin;

  ts_view_state_set_visible (fixture->view, duration / 2, duration / 10);
  begin = ts_view_state_get_begin (fixture->view);
  gtk_widget_activate_action (fixture->timeline, "timeline.pan", "d", 0.5);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), ==, begin + duration / 10 / 2);
  gtk_widget_activate_action (fixture->timeline, "timeline.pan", "d", -0.5);
  g_assert_cmpint (ABS (ts_view_state_get_begin (fixture->view) - begin), <=, 1);
  gtk_widget_activate_action (fixture->timeline, "timeline.to-begin", NULL);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), <=, 0);
  gtk_widget_activate_action (fixture->timeline, "timeline.to-end", NULL);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view) +
                       ts_view_state_get_span (fixture->view),
                   >=, duration);
}

/* W S A D by place: the letter printed on the key is of no account. */
static void
test_keys (Fixture *fixture,
           gconstpointer data)
{
  GtkEventController *keys;
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 begin;
  gint64 span;
  gboolean is_handled = FALSE;

  keys = gui_test_find_controller (fixture->timeline, GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  g_assert_nonnull (keys);
  ts_view_state_set_visible (fixture->view, duration / 2, duration / 10);
  span = ts_view_state_get_span (fixture->view);
  begin = ts_view_state_get_begin (fixture->view);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_z, 25u, 0, &is_handled);
  g_assert_true (is_handled);
  g_assert_cmpint (ts_view_state_get_span (fixture->view), <, span);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_s, 39u, 0, &is_handled);
  g_assert_cmpint (ABS (ts_view_state_get_span (fixture->view) - span), <=, 2);
  ts_view_state_set_visible (fixture->view, begin, span);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_q, 38u, 0, &is_handled);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), <, begin);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_d, 40u, 0, &is_handled);
  g_assert_cmpint (ABS (ts_view_state_get_begin (fixture->view) - begin), <=, 2);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_w, 25u, GDK_CONTROL_MASK,
                         &is_handled);
  g_assert_false (is_handled);
}

static void
test_range (Fixture *fixture,
            gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 begin;
  gint64 end;
  gint64 moved_begin;
  gint64 moved_end;
  guint32 lane;
  double y;

  ts_view_state_set_visible (fixture->view, 0, duration);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  g_assert_false (ts_view_state_get_range (fixture->view, &begin, &end));
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 400, y, 200, 0);
  g_assert_true (ts_view_state_get_range (fixture->view, &begin, &end));
  g_assert_cmpint (begin, >, 0);
  g_assert_cmpint (end, >, begin);
  g_assert_cmpint (end, <, duration);

  /* the right edge is taken and moved, the left one stays */
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 601, y, 100, 0);
  g_assert_true (ts_view_state_get_range (fixture->view, &moved_begin, &moved_end));
  g_assert_cmpint (moved_begin, ==, begin);
  g_assert_cmpint (moved_end, >, end);

  /* zooming to it shows all of it */
  ts_timeline_zoom_to (TS_TIMELINE (fixture->timeline), begin, end);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), <=, begin);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view) +
                       ts_view_state_get_span (fixture->view),
                   >=, end);
  gtk_widget_activate_action (fixture->timeline, "timeline.clear", NULL);
  g_assert_false (ts_view_state_get_range (fixture->view, &begin, &end));
}

static void
test_click (Fixture *fixture,
            gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  guint32 lane;
  guint32 next_lane;
  double y;
  TsSlice slice;

  ts_view_state_set_visible (fixture->view, duration / 4, duration / 50);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 500, y, 0, 0);
  g_assert_cmpuint (ts_view_state_get_selected_lane (fixture->view), ==, lane);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), >, duration / 4);
  g_assert_true (ts_view_state_get_selected_slice (fixture->view, &slice));
  g_assert_cmpint (slice.begin, <=, ts_view_state_get_cursor (fixture->view));

  /* the next slice of the lane, by key */
  gtk_widget_activate_action (fixture->timeline, "timeline.step", "i", 1);
  next_lane = ts_view_state_get_selected_lane (fixture->view);
  g_assert_cmpuint (next_lane, ==, lane);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), >, slice.begin);
}

static void
test_fold (Fixture *fixture,
           gconstpointer data)
{
  guint32 lane;
  double y;
  int height = ts_view_state_get_rows_height (fixture->view);

  y = gui_test_find_row_y (fixture->timeline, fixture->view, NULL, &lane);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 40, y, 0, 0);
  g_assert_cmpint (ts_view_state_get_rows_height (fixture->view), <, height);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 40, y, 0, 0);
  g_assert_cmpint (ts_view_state_get_rows_height (fixture->view), ==, height);
}

static void
test_pan_by_pointer (Fixture *fixture,
                     gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 begin;
  guint32 lane;
  double y;

  ts_view_state_set_visible (fixture->view, duration / 2, duration / 10);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  begin = ts_view_state_get_begin (fixture->view);
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  gui_test_drag (fixture->timeline, GDK_BUTTON_MIDDLE, 500, y, -100, 0);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), >, begin);
  gui_test_drag (fixture->timeline, GDK_BUTTON_MIDDLE, 500, y, 100, 0);
  g_assert_cmpint (ABS (ts_view_state_get_begin (fixture->view) - begin), <=, 2);
  /* the overview: the view's frame comes to where it is pressed */
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 300, 10, 0, 0);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), <, begin);
  g_assert_cmpint (ts_view_state_get_span (fixture->view), ==, duration / 10);
}

/* The picture is painted again only when something changed. */
static void
test_repaints (Fixture *fixture,
               gconstpointer data)
{
  const TsFrameStats *stats = ts_timeline_get_frame_stats (TS_TIMELINE (fixture->timeline));
  guint64 n;

  gui_test_iterate (300);
  n = stats->n_total;
  g_assert_cmpuint (n, >, 0);
  gtk_widget_queue_draw (fixture->timeline);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  g_assert_cmpuint (stats->n_total, ==, n);
  gtk_widget_activate_action (fixture->timeline, "timeline.zoom-in", NULL);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  g_assert_cmpuint (stats->n_total, >, n);
  g_test_message ("frame p50 %u us, p99 %u us", ts_frame_stats_get_percentile (stats, 50),
                  ts_frame_stats_get_percentile (stats, 99));
}

/* Worked by hand: nearest rank of 1 .. 100. */
static void
test_frame_stats (void)
{
  g_autofree TsFrameStats *stats = g_new0 (TsFrameStats, 1);
  int i;

  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 50), ==, 0);
  for (i = 100; i >= 1; i--)
    ts_frame_stats_add (stats, i);
  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 50), ==, 50);
  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 99), ==, 99);
  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 100), ==, 100);
  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 0), ==, 1);
  g_assert_cmpuint (stats->max_us, ==, 100);
  /* the ring forgets the oldest */
  for (i = 0; i < TS_FRAME_STATS_SIZE; i++)
    ts_frame_stats_add (stats, 7);
  g_assert_cmpuint (ts_frame_stats_get_percentile (stats, 100), ==, 7);
  g_assert_cmpuint (stats->n_total, ==, 100 + TS_FRAME_STATS_SIZE);
}

#define ADD(name, func)                                                                            \
  g_test_add ("/gui/timeline/" name, Fixture, NULL, set_up, func, tear_down)

static guint32
find_lane (TsRecording *recording,
           const char *name)
{
  guint n;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (lanes[i].name, name))
      return lanes[i].id;
  g_assert_not_reached ();
}

/* Event by event, a range state by state, what is selected at full width, and back. */
static void
test_steps (Fixture *fixture,
            gconstpointer data)
{
  TsViewState *view = fixture->view;
  guint32 ctrl = find_lane (fixture->recording, "Ctrl");
  gint64 whole = ts_view_state_get_span (view);
  gint64 begin;
  gint64 end;
  TsSlice first;
  TsSlice second;
  TsSlice slice;

  g_assert_true (ts_recording_next_slice (fixture->recording, ctrl, 25000000, 1, &first));
  g_assert_true (ts_recording_next_slice (fixture->recording, ctrl, first.begin, 1, &second));
  ts_view_state_select_lane (view, ctrl);
  ts_view_state_set_cursor (view, 25000000);
  gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, first.begin);
  g_assert_true (ts_view_state_get_selected_slice (view, &slice));
  gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, second.begin);
  gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", -1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, first.begin);

  gtk_widget_activate_action (fixture->timeline, "timeline.grow", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (begin, ==, first.begin);
  g_assert_cmpint (end, ==, first.end);
  gtk_widget_activate_action (fixture->timeline, "timeline.grow", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (begin, ==, first.begin);
  g_assert_cmpint (end, >, first.end);

  gtk_widget_activate_action (fixture->timeline, "timeline.zoom-selection", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), <, 2 * (end - begin) + 32);
  gtk_widget_activate_action (fixture->timeline, "timeline.undo", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), ==, whole);
  gtk_widget_activate_action (fixture->timeline, "timeline.redo", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), <, whole);
  /* focus on what has the focus shows everything */
  gtk_widget_activate_action (fixture->timeline, "timeline.focus", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), ==, whole);

  /* not beyond the end */
  ts_view_state_set_cursor (view, ts_recording_get_duration (fixture->recording) - 10);
  ts_view_state_select_slice (view, 0, NULL);
  ts_view_state_clear_range (view);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (fixture->timeline, "timeline.grow", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (end, ==, ts_recording_get_duration (fixture->recording));
}

/* A ready task leads to its run and back. */
static void
test_links (Fixture *fixture,
            gconstpointer data)
{
  guint32 ctrl = find_lane (fixture->recording, "Ctrl");
  gint64 time = 25000000;
  TsSlice ready;
  TsSlice run;

  do
    {
      g_assert_true (ts_recording_next_slice (fixture->recording, ctrl, time, 1, &ready));
      time = ready.begin;
    }
  while (ready.state != TS_STATE_READY);
  g_assert_true (ts_recording_next_slice (fixture->recording, ctrl, time, 1, &run));
  ts_view_state_select_lane (fixture->view, ctrl);
  ts_view_state_set_cursor (fixture->view, ready.begin);
  gtk_widget_activate_action (fixture->timeline, "timeline.link", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, run.begin);
  gtk_widget_activate_action (fixture->timeline, "timeline.link", "i", -1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, ready.begin);
}

/* Where moves have led to. */
typedef struct
{
  guint32 lane;
  gint64 cursor;
  gint64 begin;
  gint64 end;
} Place;

static void
get_place (TsViewState *view,
           Place *place)
{
  place->lane = ts_view_state_get_selected_lane (view);
  place->cursor = ts_view_state_get_cursor (view);
  if (!ts_view_state_get_range (view, &place->begin, &place->end))
    place->begin = place->end = -1;
}

/* Moves one after the other, waited for or not, of a file of which only the coarse picture is in
 * memory. */
static void
make_moves (Fixture *fixture,
            const char *path,
            guint32 seed,
            gboolean is_slow,
            Place *place)
{
  static const char * const moves[]
      = { "timeline.event", "timeline.step", "timeline.grow", "timeline.link" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  gint64 duration;

  g_assert_no_error (error);
  ts_recording_read_coarse (recording);
  duration = ts_recording_get_duration (recording);
  ts_view_state_set_recording (fixture->view, recording);
  ts_view_state_set_visible (fixture->view, duration / 3, duration / 50);
  ts_view_state_clear_range (fixture->view);
  ts_view_state_select_slice (fixture->view, 0, NULL);
  ts_view_state_select_lane (fixture->view,
                             g_rand_boolean (rand) ? find_lane (recording, "Control") : 0);
  ts_view_state_set_cursor (fixture->view,
                            duration / 4 + (gint64) (g_rand_double (rand) * (double) duration / 2));
  for (guint i = 0; i < 12; i++)
    {
      gtk_widget_activate_action (fixture->timeline,
                                  moves[g_rand_int_range (rand, 0, G_N_ELEMENTS (moves))], "i",
                                  g_rand_int_range (rand, 0, 3) > 0 ? 1 : -1);
      if (is_slow)
        gui_test_settle (fixture->timeline);
    }
  gui_test_settle (fixture->timeline);
  get_place (fixture->view, place);
  ts_view_state_set_recording (fixture->view, fixture->recording);
  gui_test_settle (fixture->timeline);
}

/* Keys pressed quickly lead to where keys pressed slowly lead to. */
static void
test_quick (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *path = gui_test_make_demo (100000);

  for (guint i = 0; i < 12; i++)
    {
      guint32 seed = (guint32) g_test_rand_int ();
      Place slow;
      Place quick;

      g_test_message ("seed %u", seed);
      make_moves (fixture, path, seed, TRUE, &slow);
      make_moves (fixture, path, seed, FALSE, &quick);
      g_assert_cmpuint (quick.lane, ==, slow.lane);
      g_assert_cmpint (quick.cursor, ==, slow.cursor);
      g_assert_cmpint (quick.begin, ==, slow.begin);
      g_assert_cmpint (quick.end, ==, slow.end);
    }
}

/* Who goes elsewhere meanwhile is not taken away from there. */
static void
test_elsewhere (Fixture *fixture,
                gconstpointer data)
{
  TsViewState *view = fixture->view;

  ts_view_state_select_lane (view, 0);
  ts_view_state_set_cursor (view, 25000000);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
  ts_view_state_set_cursor (view, 26000000);
  gui_test_iterate (50);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 26000000);
  /* and the next move begins there */
  gtk_widget_activate_action (fixture->timeline, "timeline.event", "i", 1);
  gui_test_settle (fixture->timeline);
  g_assert_cmpint (ts_view_state_get_cursor (view), >, 26000000);
}

static guint
row_of (TsViewState *view,
        guint32 lane)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (view, &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      return i;
  return G_MAXUINT;
}

/* Pinned lanes are on top, hidden ones gone until they are shown, moved ones moved. */
static void
test_lanes (Fixture *fixture,
            gconstpointer data)
{
  TsViewState *view = fixture->view;
  guint32 ctrl = find_lane (fixture->recording, "Ctrl");
  guint before = row_of (view, ctrl);
  int height = ts_view_state_get_rows_height (view);
  guint n;

  ts_view_state_select_lane (view, ctrl);
  gtk_widget_activate_action (fixture->timeline, "timeline.lane-down", NULL);
  g_assert_cmpuint (row_of (view, ctrl), ==, before + 1);
  gtk_widget_activate_action (fixture->timeline, "timeline.lane-up", NULL);
  g_assert_cmpuint (row_of (view, ctrl), ==, before);
  gtk_widget_activate_action (fixture->timeline, "timeline.pin", NULL);
  g_assert_cmpuint (row_of (view, ctrl), ==, 1);
  gtk_widget_activate_action (fixture->timeline, "timeline.pin", NULL);
  g_assert_cmpuint (row_of (view, ctrl), ==, before);
  gtk_widget_activate_action (fixture->timeline, "timeline.hide", NULL);
  g_assert_cmpuint (row_of (view, ctrl), ==, G_MAXUINT);
  g_assert_cmpuint (ts_view_state_get_n_hidden (view), ==, 1);
  ts_view_state_show_all_lanes (view);
  g_assert_cmpuint (row_of (view, ctrl), ==, before);
  gtk_widget_activate_action (fixture->timeline, "timeline.lane-height", "d", 5.0);
  g_assert_cmpint (ts_view_state_get_rows_height (view), >, height * 5 / 4);
  gtk_widget_activate_action (fixture->timeline, "timeline.lane-height", "d", 0.0);
  g_assert_cmpint (ts_view_state_get_rows_height (view), ==, height);

  gtk_widget_activate_action (fixture->timeline, "timeline.sort", "s", "name");
  {
    const TsViewRow *rows = ts_view_state_get_rows (view, &n);

    for (guint i = 1; i < n; i++)
      if (!rows[i].is_header && !rows[i - 1].is_header)
        g_assert_cmpstr (ts_recording_get_lane (fixture->recording, rows[i - 1].lane)->name, <=,
                         ts_recording_get_lane (fixture->recording, rows[i].lane)->name);
  }
}

/* A lane is moved by dragging its header: down past the one below, and back. */
static void
test_reorder (Fixture *fixture,
              gconstpointer data)
{
  TsViewState *view = fixture->view;
  guint32 lane;
  double y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  guint before = row_of (view, lane);
  const TsViewRow *rows;
  guint n;
  int height;

  rows = ts_view_state_get_rows (view, &n);
  height = rows[before].height;
  g_assert_false (rows[before + 1].is_header);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 40, y, 0, height);
  g_assert_cmpuint (row_of (view, lane), ==, before + 1);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  y = gui_test_find_row_y (fixture->timeline, fixture->view, "Ctrl", &lane);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 40, y, 0, -height);
  g_assert_cmpuint (row_of (view, lane), ==, before);
}

/* Lanes of a group by what the user wants: the figures say so. */
static void
test_sorts (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsStatistics) figures =
      ts_statistics_new (fixture->recording, 0,
                         ts_recording_get_duration (fixture->recording) + 1, 0, NULL, NULL);
  const TsViewRow *rows;
  guint n;
  guint n_compared = 0;

  gtk_widget_activate_action (fixture->timeline, "timeline.sort", "s", "share");
  rows = ts_view_state_get_rows (fixture->view, &n);
  for (guint i = 1; i < n; i++)
    {
      const TsLaneStatistics *above = ts_statistics_find (figures, rows[i - 1].lane);
      const TsLaneStatistics *below = ts_statistics_find (figures, rows[i].lane);

      if (rows[i - 1].is_header || rows[i].is_header || above == NULL || below == NULL ||
          above->kind != TS_LANE_TASK || below->kind != TS_LANE_TASK ||
          ts_recording_get_lane (fixture->recording, rows[i].lane)->is_idle)
        continue;
      g_assert_cmpfloat (above->share, >=, below->share);
      n_compared++;
    }
  g_assert_cmpuint (n_compared, >=, 2);

  gtk_widget_activate_action (fixture->timeline, "timeline.sort", "s", "priority");
  rows = ts_view_state_get_rows (fixture->view, &n);
  for (guint i = 1; i < n; i++)
    {
      const TsLaneInfo *above = ts_recording_get_lane (fixture->recording, rows[i - 1].lane);
      const TsLaneInfo *below = ts_recording_get_lane (fixture->recording, rows[i].lane);

      if (!rows[i - 1].is_header && !rows[i].is_header && above->kind == TS_LANE_TASK &&
          below->kind == TS_LANE_TASK && !below->is_idle)
        g_assert_cmpint (above->priority, >=, below->priority);
    }
}

/* Two cursors: the second is set where the first is, and they change places. */
static void
test_cursors (Fixture *fixture,
              gconstpointer data)
{
  TsViewState *view = fixture->view;

  ts_view_state_set_cursor (view, 5000);
  gtk_widget_activate_action (fixture->timeline, "timeline.second-cursor", NULL);
  g_assert_cmpint (ts_view_state_get_second_cursor (view), ==, 5000);
  ts_view_state_set_cursor (view, 9000);
  gtk_widget_activate_action (fixture->timeline, "timeline.second-cursor", NULL);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 5000);
  g_assert_cmpint (ts_view_state_get_second_cursor (view), ==, 9000);
}

static gboolean
has_menu_item (GtkWidget *widget,
               const char *text)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_menu_item (child, text))
      return TRUE;
  return FALSE;
}

static gboolean
has_plot_menu (gpointer timeline)
{
  return has_menu_item (timeline, "Plot as");
}

/* The menu of a value lane says how it is drawn, and several are drawn in one. */
static void
test_plots (Fixture *fixture,
            gconstpointer data)
{
  static const struct
  {
    const char *name;
    TsPlotStyle style;
  } styles[] = { { "line", TS_PLOT_LINE },
                 { "toggle", TS_PLOT_TOGGLE },
                 { "histogram", TS_PLOT_HISTOGRAM },
                 { "step", TS_PLOT_STEP } };
  TsViewState *view = fixture->view;
  const TsLaneInfo *lanes;
  guint32 values[2] = { 0, 0 };
  guint n_lanes;
  guint n_rows;
  guint n_values = 0;
  g_autoptr (GArray) guests = NULL;

  lanes = ts_recording_get_lanes (fixture->recording, &n_lanes);
  ts_view_state_get_rows (view, &n_rows);
  for (guint i = 0; i < n_lanes && n_values < 2; i++)
    if (lanes[i].kind == TS_LANE_VALUE && row_of (view, lanes[i].id) != G_MAXUINT)
      values[n_values++] = lanes[i].id;
  g_assert_cmpuint (n_values, ==, 2);
  if (row_of (view, values[0]) > row_of (view, values[1]))
    {
      guint32 first = values[1];

      values[1] = values[0];
      values[0] = first;
    }

  ts_view_state_select_lane (view, values[1]);
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      gtk_widget_activate_action (fixture->timeline, "timeline.plot", "s", styles[i].name);
      g_assert_cmpint (ts_view_state_get_plot_style (view, values[1]), ==, styles[i].style);
      gtk_test_widget_wait_for_draw (fixture->timeline);
    }
  g_assert_cmpint (ts_view_state_get_plot_style (view, values[0]), ==, TS_PLOT_STEP);

  /* drawn in the row of the one above, and apart again */
  gtk_widget_activate_action (fixture->timeline, "timeline.plot", "s", "above");
  g_assert_cmpuint (row_of (view, values[1]), ==, G_MAXUINT);
  guests = ts_view_state_get_plot_guests (view, ts_view_state_get_selected_lane (view));
  g_assert_nonnull (guests);
  g_assert_cmpuint (guests->len, ==, 1);
  g_assert_cmpuint (g_array_index (guests, guint32, 0), ==, values[1]);
  gtk_test_widget_wait_for_draw (fixture->timeline);
  gtk_widget_activate_action (fixture->timeline, "timeline.plot", "s", "apart");
  g_assert_cmpuint (row_of (view, values[1]), !=, G_MAXUINT);

  /* the menu, by its key */
  ts_view_state_select_lane (view, values[1]);
  ts_timeline_reveal_lane (TS_TIMELINE (fixture->timeline), values[1]);
  gtk_widget_activate_action (fixture->timeline, "timeline.menu", NULL);
  gui_test_wait (has_plot_menu, fixture->timeline);

  /* and the group of the lane is folded and unfolded by its key */
  gtk_widget_activate_action (fixture->timeline, "timeline.fold", NULL);
  g_assert_cmpuint (row_of (view, values[1]), ==, G_MAXUINT);
  gtk_widget_activate_action (fixture->timeline, "timeline.fold", NULL);
  g_assert_cmpuint (row_of (view, values[1]), !=, G_MAXUINT);
}

/* A preference turns what a drag over the lanes does. */
static void
test_drag_pans (Fixture *fixture,
                gconstpointer data)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 begin;

  ts_view_state_set_visible (fixture->view, duration / 2, duration / 10);
  begin = ts_view_state_get_begin (fixture->view);
  ts_timeline_set_drag_pans (TS_TIMELINE (fixture->timeline), TRUE);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 600, 300, -100, 0);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), >, begin);
  g_assert_false (ts_view_state_get_range (fixture->view, NULL, NULL));
  ts_timeline_set_drag_pans (TS_TIMELINE (fixture->timeline), FALSE);
  begin = ts_view_state_get_begin (fixture->view);
  gui_test_drag (fixture->timeline, GDK_BUTTON_PRIMARY, 600, 300, -100, 0);
  g_assert_cmpint (ts_view_state_get_begin (fixture->view), ==, begin);
  g_assert_true (ts_view_state_get_range (fixture->view, NULL, NULL));
}

/* Lanes of a group in the order in which the recording first says anything of them. */
static void
test_first_seen (Fixture *fixture,
                 gconstpointer data)
{
  const TsViewRow *rows;
  gint64 last = -1;
  guint n;
  guint n_compared = 0;
  gboolean is_other = FALSE;

  gtk_widget_activate_action (fixture->timeline, "timeline.sort", "s", "first-seen");
  rows = ts_view_state_get_rows (fixture->view, &n);
  for (guint i = 0; i < n; i++)
    {
      const TsLaneInfo *info =
          rows[i].is_header ? NULL : ts_recording_get_lane (fixture->recording, rows[i].lane);
      TsSlice slice;

      if (info == NULL)
        last = -1;
      if (info == NULL || info->kind != TS_LANE_TASK ||
          !ts_recording_next_slice (fixture->recording, info->id, -1, 1, &slice))
        continue;
      if (last >= 0)
        {
          g_assert_cmpint (slice.begin, >=, last);
          n_compared++;
          is_other |= slice.begin > last;
        }
      last = slice.begin;
    }
  g_assert_cmpuint (n_compared, >=, 2);
  g_assert_true (is_other);
}

int
main (int argc,
      char **argv)
{
  if (!gui_test_init (&argc, &argv))
    return 0;
  ADD ("accessible", test_accessible);
  ADD ("zoom", test_zoom);
  ADD ("pan", test_pan);
  ADD ("keys", test_keys);
  ADD ("range", test_range);
  ADD ("click", test_click);
  ADD ("fold", test_fold);
  ADD ("pan-by-pointer", test_pan_by_pointer);
  ADD ("steps", test_steps);
  ADD ("links", test_links);
  ADD ("quick", test_quick);
  ADD ("elsewhere", test_elsewhere);
  ADD ("lanes", test_lanes);
  ADD ("reorder", test_reorder);
  ADD ("sorts", test_sorts);
  ADD ("cursors", test_cursors);
  ADD ("plots", test_plots);
  ADD ("drag-pans", test_drag_pans);
  ADD ("first-seen", test_first_seen);
  ADD ("repaints", test_repaints);
  g_test_add_func ("/gui/frame-stats/percentiles", test_frame_stats);
  return g_test_run ();
}
