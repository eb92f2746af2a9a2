/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/ts-application.h"
#include "ui/ts-compare.h"
#include "ui/ts-table.h"
#include "ui/ts-window.h"

#include "gui-test-util.h"

static TsApplication *application;

static gboolean
has_recording (gpointer window)
{
  return ts_view_state_get_recording (ts_window_get_view (window)) != NULL;
}

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

static TsWindow *
open_window (const char *path)
{
  TsWindow *window = ts_window_new (GTK_APPLICATION (application));
  g_autoptr (GFile) file = g_file_new_for_path (path);

  gtk_window_present (GTK_WINDOW (window));
  ts_window_open (window, file);
  gui_test_wait (has_recording, window);
  return window;
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
  TsWindow *window = open_window (first);
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
  TsWindow *window = open_window (second);
  TsCompare *compare;

  ts_view_state_set_cursor (ts_window_get_view (window), 500);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "other");
  ts_view_state_set_cursor (ts_window_get_view (window), 7000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "boot");
  gtk_window_destroy (GTK_WINDOW (window));

  window = open_window (first);
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
  TsWindow *window = open_window (path);
  TsViewState *view = ts_window_get_view (window);
  TsCompare *compare = compare_with (window, path);
  TsTable *table = ts_compare_get_table (compare);
  guint n_differences = 0;

  gui_test_wait (is_idle, compare);
  g_assert_cmpuint (ts_table_get_n_rows (table), >=, 5);
  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    {
      TsTableRow *row = ts_table_get_row (table, i);

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
    n_differences += !g_str_equal (ts_table_row_get_text (ts_table_get_row (table, i), 3),
                                   "+0.00 pp");
  g_assert_cmpuint (n_differences, >, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc,
      char **argv)
{
  int status;

  if (!gui_test_init (&argc, &argv))
    return 0;
  application = ts_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  g_test_add_func ("/gui/compare/clocks", test_clocks);
  g_test_add_func ("/gui/compare/marks", test_marks);
  g_test_add_func ("/gui/compare/figures", test_figures);
  status = g_test_run ();
  g_clear_object (&application);
  return status;
}
