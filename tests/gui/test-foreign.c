/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long recording of another program: shown from samples at once, completed in the background. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <sqlite3.h>
#include <string.h>

#include "model/ts-index.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

/* The public tables only. It says that it is long: that decides how it is opened. */
static char *
make_foreign (void)
{
  g_autofree char *from = gui_test_make_recording ("m4_short.cobs");
  char *path = g_strconcat (from, ".foreign.vadb", NULL);
  g_autofree char *sql = g_strdup_printf (
      "ATTACH '%s' AS m; CREATE TABLE meta(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO meta SELECT * FROM m.meta WHERE key IN ('format','va_cpu_hz','va_os','has_va');"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO va_summary VALUES('total_events','3000000');"
      "CREATE TABLE va_objects AS SELECT id,type,wire_id,name,priority FROM m.va_objects;"
      "CREATE TABLE va_events AS SELECT * FROM m.va_events;",
      from);
  sqlite3 *db;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
  return path;
}

static TsRecording *
get_recording (gpointer window)
{
  return ts_view_state_get_recording (ts_window_get_view (window));
}

static gboolean
is_complete (gpointer window)
{
  return !ts_index_is_needed (get_recording (window));
}

/* The bar that tells of the work; NULL: there is none. */
static GtkWidget *
find_bar (GtkWidget *widget)
{
  if (GTK_IS_REVEALER (widget))
    {
      GtkWidget *label = gui_test_find (widget, GTK_TYPE_LABEL);

      return gtk_revealer_get_reveal_child (GTK_REVEALER (widget)) && label != NULL &&
                     g_str_has_prefix (gtk_label_get_text (GTK_LABEL (label)), "A first picture")
                 ? widget
                 : NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_bar (child);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* What is shown stays, from samples; nothing comes later. */
static void
test_cancel (void)
{
  g_autofree char *path = make_foreign ();
  TsWindow *window = window_fixture_open (path);
  TsRecording *recording = get_recording (window);
  GtkWidget *bar = find_bar (GTK_WIDGET (window));

  g_assert_true (ts_index_is_needed (recording));
  g_assert_nonnull (bar);
  g_assert_nonnull (gui_test_find (bar, GTK_TYPE_PROGRESS_BAR));
  g_assert_cmpstr (gtk_actionable_get_action_name (
                       GTK_ACTIONABLE (gui_test_find (bar, GTK_TYPE_BUTTON))),
                   ==, "win.cancel-index");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel-index", NULL);
  g_assert_null (find_bar (GTK_WIDGET (window)));
  gui_test_iterate (500);
  g_assert_true (get_recording (window) == recording);
  g_assert_true (ts_index_is_needed (recording));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The picture is completed where it is: the view, the cursor and the chosen lane stay. The next time all
 * of it is there at once. */
static void
test_complete (void)
{
  g_autofree char *path = make_foreign ();
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  gint64 half = ts_recording_get_duration (get_recording (window)) / 2;
  guint n_lanes;

  g_assert_nonnull (find_bar (GTK_WIDGET (window)));
  ts_view_state_set_visible (view, half, 1000000);
  ts_view_state_set_cursor (view, half + 300000);
  gui_test_wait (is_complete, window);
  g_assert_null (find_bar (GTK_WIDGET (window)));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, half);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1000000);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, half + 300000);
  ts_recording_get_lanes (get_recording (window), &n_lanes);
  g_assert_cmpuint (n_lanes, >=, 15);
  g_assert_cmpuint (ts_recording_get_n_rows (get_recording (window)), >, 9000);
  gtk_window_destroy (GTK_WINDOW (window));

  window = window_fixture_open (path);
  g_assert_false (ts_index_is_needed (get_recording (window)));
  g_assert_null (find_bar (GTK_WIDGET (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/foreign/cancel", test_cancel);
  g_test_add_func ("/gui/foreign/complete", test_complete);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
