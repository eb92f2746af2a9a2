/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "model/ts-findings.h"
#include "ui/ts-compare.h"
#include "ui/ts-inspector.h"
#include "ui/ts-table.h"

#include "window-fixture.h"

static gboolean
has_compare (gpointer window)
{
  return gui_test_find (window, TS_TYPE_COMPARE) != NULL;
}

static gboolean
is_idle (gpointer compare)
{
  return !ts_compare_is_busy (compare) &&
         ts_table_get_n_rows (ts_compare_get_table (compare)) > 0;
}

static TsCompare *
compare_with (TsWindow *window,
              const char *path)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare-with", "s", path);
  gui_test_wait (has_compare, window);
  return TS_COMPARE (gui_test_find (GTK_WIDGET (window), TS_TYPE_COMPARE));
}

/* Both show the same microseconds, though one clock ticks at 25 MHz and the other at 100 MHz. */
static void
test_clocks (void)
{
  g_autofree char *first = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *second = gui_test_make_demo (60000);
  TsWindow *window = window_fixture_open (first);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, second);
  TsViewState *other = ts_compare_get_view (compare);

  g_assert_cmpuint (ts_recording_get_clock_hz (ts_view_state_get_recording (view)), ==, 25000000);
  g_assert_cmpuint (ts_recording_get_clock_hz (ts_view_state_get_recording (other)), ==,
                    100000000);
  ts_view_state_set_visible (view, 1000000, 2500000);
  g_assert_cmpint (ts_view_state_get_begin (other), ==, 4000000);
  g_assert_cmpint (ts_view_state_get_span (other), ==, 10000000);
  /* and the other way */
  ts_view_state_set_visible (other, 8000000, 4000000);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 2000000);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1000000);

  /* by cursors: 3 000 000 of 25 MHz stand above 2 000 000 of 100 MHz */
  ts_view_state_set_cursor (view, 3000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "cursor");
  g_assert_cmpint (ts_compare_get_alignment (compare), ==, TS_ALIGN_BEGIN);
  ts_view_state_set_cursor (other, 2000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "cursor");
  g_assert_cmpint (ts_compare_get_alignment (compare), ==, TS_ALIGN_CURSOR);
  g_assert_cmpint (ts_compare_to_second (compare, 3000000), ==, 2000000);
  g_assert_cmpint (ts_compare_to_second (compare, 3000100), ==, 2000400);
  g_assert_cmpint (ts_compare_to_first (compare, 2000400), ==, 3000100);

  /* by hand: a move of the lower one leaves the upper one, a zoom takes it along */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "hand");
  ts_view_state_set_visible (view, 2000000, 1000000);
  ts_view_state_set_visible (other, 12345678, 4000000);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 2000000);
  g_assert_cmpint (ts_compare_to_second (compare, 2000000), ==, 12345678);
  ts_view_state_set_visible (other, 12345678, 2000000);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 500000);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 2000000);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-compare", NULL);
  g_assert_false (has_compare (window));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* By marks with the same note. */
static void
test_marks (void)
{
  g_autofree char *first = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *second = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (second);
  TsCompare *compare;

  ts_view_state_set_cursor (ts_window_get_view (window), 500);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "other");
  ts_view_state_set_cursor (ts_window_get_view (window), 7000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "boot");
  gtk_window_destroy (GTK_WINDOW (window));

  window = window_fixture_open (first);
  compare = compare_with (window, second);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "mark");
  g_assert_cmpint (ts_compare_get_alignment (compare), ==, TS_ALIGN_BEGIN);
  ts_view_state_set_cursor (ts_window_get_view (window), 4000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "boot");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "mark");
  g_assert_cmpint (ts_compare_get_alignment (compare), ==, TS_ALIGN_MARK);
  g_assert_cmpint (ts_compare_to_second (compare, 4000), ==, 7000);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A recording beside itself: every difference is nought; of another range it is not. */
static void
test_figures (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, path);
  TsTable *table = ts_compare_get_table (compare);
  guint n_differences = 0;

  gui_test_wait (is_idle, compare);
  g_assert_cmpuint (ts_table_get_n_rows (table), >=, 5);
  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    {
      g_autoptr (TsTableRow) row = ts_table_get_row (table, i);

      g_assert_cmpstr (ts_table_row_get_text (row, 1), ==, ts_table_row_get_text (row, 2));
      g_assert_cmpstr (ts_table_row_get_text (row, 3), ==, "+0.00 pp");
      g_assert_cmpstr (ts_table_row_get_text (row, 4), ==, ts_table_row_get_text (row, 5));
      g_assert_cmpstr (ts_table_row_get_text (row, 6), ==, "=");
    }
  ts_view_state_set_cursor (view, 0);
  ts_view_state_set_cursor (ts_compare_get_view (compare), 20000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.align", "s", "cursor");
  ts_view_state_set_range (view, 1000000, 6000000);
  g_assert_true (ts_compare_is_busy (compare));
  gui_test_wait (is_idle, compare);
  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    n_differences += !g_str_equal (gui_test_get_cell (table, i, 3),
                                   "+0.00 pp");
  g_assert_cmpuint (n_differences, >, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The first lane that is in sight, and how much of it is not. */
static guint32
get_top_lane (TsViewState *view,
              int *out_of_sight)
{
  const TsViewRow *rows;
  guint n;

  rows = ts_view_state_get_rows (view, &n);
  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].y + rows[i].height > ts_view_state_get_scroll_y (view))
      {
        *out_of_sight = ts_view_state_get_scroll_y (view) - rows[i].y;
        return rows[i].lane;
      }
  g_assert_not_reached ();
}

/* The same lane stands at the top of both, though one shows fewer lanes above it; unless they are told
 * apart. */
static void
test_scroll (void)
{
  g_autofree char *path = gui_test_make_demo (60000);
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, path);
  TsViewState *other = ts_compare_get_view (compare);
  int first = 0;
  int second = 0;
  guint32 lane;

  gui_test_wait (is_idle, compare);
  ts_view_state_set_group_folded (other, 0, TRUE);
  ts_view_state_set_scroll_y (view, 171);
  g_assert_cmpint (ts_view_state_get_scroll_y (view), ==, 171);
  lane = get_top_lane (view, &first);
  g_assert_cmpuint (get_top_lane (other, &second), ==, lane);
  g_assert_cmpint (first, ==, second);
  g_assert_cmpint (ts_view_state_get_scroll_y (other), <, 171);
  /* and the other way */
  ts_view_state_set_scroll_y (other, 60);
  lane = get_top_lane (other, &second);
  g_assert_cmpuint (get_top_lane (view, &first), ==, lane);
  g_assert_cmpint (first, ==, second);

  ts_compare_set_linked (compare, FALSE);
  first = ts_view_state_get_scroll_y (view);
  ts_view_state_set_scroll_y (other, 100);
  g_assert_cmpint (ts_view_state_get_scroll_y (view), ==, first);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_title (gpointer user_data)
{
  const char *title = g_object_get_data (user_data, "title");
  GtkWidget *inspector = gui_test_find (user_data, TS_TYPE_INSPECTOR);

  return g_strcmp0 (gtk_label_get_text (GTK_LABEL (gui_test_find (inspector, GTK_TYPE_LABEL))),
                    title) == 0;
}

static void
check_inspected (TsWindow *window,
                 const char *mark,
                 TsViewState *view,
                 guint32 lane)
{
  const TsLaneInfo *info = ts_recording_get_lane (ts_view_state_get_recording (view), lane);

  ts_view_state_select_lane (view, lane);
  g_object_set_data_full (G_OBJECT (window), "title", g_strdup_printf ("%s %s", mark, info->name),
                          g_free);
  gui_test_wait (has_title, window);
}

/* The inspector is about the timeline that was last used. */
static void
test_inspector (void)
{
  g_autofree char *first = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *second = gui_test_make_demo (60000);
  TsWindow *window = window_fixture_open (first);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, second);
  TsViewState *other = ts_compare_get_view (compare);
  TsInspector *inspector =
      TS_INSPECTOR (gui_test_find (GTK_WIDGET (window), TS_TYPE_INSPECTOR));
  TsTimeline *timeline = TS_TIMELINE (gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE));
  int unused;
  gint64 span;

  g_assert_true (ts_timeline_get_view (timeline) == view);
  g_object_set (window, "show-inspector", TRUE, NULL);
  check_inspected (window, "①", view, get_top_lane (view, &unused));
  gtk_widget_grab_focus (GTK_WIDGET (ts_compare_get_timeline (compare)));
  g_assert_true (ts_inspector_get_view (inspector) == other);
  check_inspected (window, "②", other, get_top_lane (other, &unused));
  /* and so is its button */
  ts_view_state_set_range (other, 1000, 21000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.zoom-range", NULL);
  span = ts_view_state_get_span (other);
  g_assert_cmpint (span, ==, 22000);
  gtk_widget_grab_focus (GTK_WIDGET (timeline));
  g_assert_true (ts_inspector_get_view (inspector) == view);
  gtk_widget_grab_focus (GTK_WIDGET (ts_compare_get_timeline (compare)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-compare", NULL);
  g_assert_true (ts_inspector_get_view (inspector) == view);
  gtk_window_destroy (GTK_WINDOW (window));
}

static guint
sum_column (TsTable *table,
            guint column)
{
  guint sum = 0;

  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    sum += (guint) g_ascii_strtoull (gui_test_get_cell (table, i, column),
                                     NULL, 10);
  return sum;
}

/* Every finding of either is in the table once. */
static void
test_findings (void)
{
  g_autofree char *first = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *second = gui_test_make_demo (60000);
  TsWindow *window = window_fixture_open (first);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, second);
  TsRecording *recordings[2] = { ts_view_state_get_recording (view),
                                 ts_view_state_get_recording (ts_compare_get_view (compare)) };
  TsTable *table = ts_compare_get_findings (compare);

  gui_test_wait (is_idle, compare);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) findings = ts_findings_list (
          recordings[i], 0, ts_recording_get_duration (recordings[i]) + 1, NULL, NULL);

      g_test_message ("%u findings", findings->len);
      g_assert_cmpuint (findings->len, >, i);
      g_assert_cmpuint (findings->len, <, 1000);
      g_assert_cmpuint (sum_column (table, 2 + i), ==, findings->len);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/compare/clocks", test_clocks);
  g_test_add_func ("/gui/compare/marks", test_marks);
  g_test_add_func ("/gui/compare/figures", test_figures);
  g_test_add_func ("/gui/compare/findings", test_findings);
  g_test_add_func ("/gui/compare/scroll", test_scroll);
  g_test_add_func ("/gui/compare/inspector", test_inspector);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
