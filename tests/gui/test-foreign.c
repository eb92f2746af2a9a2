/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long recording of another program: shown from samples at once, completed in the background. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "model/ts-index.h"
#include "ui/ts-preferences.h"
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

/* An index of so many bytes that nobody reads, used at @used. */
static char *
make_old (const char *name,
          gint64 n_bytes,
          gint64 used)
{
  g_autofree char *folder = ts_index_dup_folder ();
  char *path = g_build_filename (folder, name, NULL);
  struct utimbuf times = { used, used };

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_cmpint (truncate (path, n_bytes), ==, 0);
  g_assert_cmpint (g_utime (path, &times), ==, 0);
  return path;
}

/* All that is kept looks as if it were used at @used. */
static void
make_all_old (gint64 used)
{
  g_autoptr (GPtrArray) entries = ts_index_list ();
  struct utimbuf times = { used, used };

  for (guint i = 0; i < entries->len; i++)
    g_assert_cmpint (g_utime (((TsIndexEntry *) entries->pdata[i])->path, &times), ==, 0);
}

static GtkWidget *
find_button (GtkWidget *widget,
             const char *label)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_gone (gpointer path)
{
  return !g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
has_two (gpointer user_data)
{
  g_autoptr (GPtrArray) left = ts_index_list ();

  return left->len == 2;
}

/* What is kept may take 8 GB as it comes. When another is added the oldest go, but not that of a
 * recording that a window shows; nor does that when the preferences clear the rest. */
static void
test_bound (void)
{
  g_autofree char *first = make_foreign ();
  g_autofree char *second = make_foreign ();
  TsWindow *window = window_fixture_open (first);
  TsWindow *other;
  GtkWindow *preferences;
  g_autoptr (TsRecording) again = NULL;
  g_autofree char *oldest = NULL;
  g_autofree char *old = NULL;

  gui_test_wait (is_complete, window);
  make_all_old (1000);
  oldest = make_old ("oldest.vadb", G_GINT64_CONSTANT (5) << 30, 2000);
  old = make_old ("old.vadb", G_GINT64_CONSTANT (5) << 30, 3000);
  other = window_fixture_open (second);
  gui_test_wait (is_complete, other);
  g_assert_true (is_gone (oldest));
  g_assert_false (is_gone (old));

  preferences = ts_preferences_show (GTK_WINDOW (window));
  g_signal_emit_by_name (find_button (GTK_WIDGET (preferences), "_Clear"), "clicked");
  gui_test_wait (is_gone, old);
  gui_test_wait (has_two, NULL);
  gtk_window_destroy (preferences);
  again = ts_recording_reopen (get_recording (window), NULL);
  g_assert_false (ts_index_is_needed (again));
  gtk_window_destroy (GTK_WINDOW (other));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/foreign/cancel", test_cancel);
  g_test_add_func ("/gui/foreign/complete", test_complete);
  g_test_add_func ("/gui/foreign/bound", test_bound);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
