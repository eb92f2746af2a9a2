/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session.c: the file that keeps how a recording is looked at, and its marks. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "ui/ts-session.h"
#include "ui/ts-window-private.h"

#include "window-fixture.h"

/* A file that was damaged, or made by somebody with other things in mind. */
static void
test_bad_session (void)
{
  static const char * const texts[] = {
    "", "{", "[]", "{\"version\":1,\"marks\":7,\"filters\":{},\"span\":\"x\"}",
    ("{\"version\":1,\"hidden\":[\"a\",-1,99999999999,[]],\"marks\":[1,{\"time\":-5},{}],"
     "\"begin\":9223372036854775807,\"span\":9223372036854775807,\"cursor\":-9}"),
  };
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autoptr (TsViewState) view = ts_view_state_new ();

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TsSession) session = ts_session_new (recording);
      g_autofree char *folder = g_path_get_dirname (ts_session_get_path (session));

      g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
      g_assert_true (g_file_set_contents (ts_session_get_path (session), texts[i], -1, NULL));
      ts_view_state_set_recording (view, recording);
      ts_session_load (session);
      ts_session_apply_view (session, view);
      g_assert_cmpuint (ts_session_get_n_marks (session), ==, 0);
      g_assert_cmpint (ts_view_state_get_span (view), >, 0);
      g_assert_cmpuint (ts_view_state_get_n_hidden (view), ==, 0);
    }
}

static void
assert_marks (TsSession *session,
              const char *expected)
{
  g_autoptr (GString) marks = g_string_new (NULL);

  for (guint i = 0; i < ts_session_get_n_marks (session); i++)
    {
      const TsMark *mark = ts_session_get_mark (session, i);

      g_string_append_printf (marks, "%d %s;", (int) mark->time, mark->note);
    }
  g_assert_cmpstr (marks->str, ==, expected);
}

/* Two windows on one recording: what is marked in one is not lost by what is marked in the other. */
static void
test_two_sessions (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autoptr (TsSession) left = ts_session_new (recording);
  g_autoptr (TsSession) right = ts_session_new (recording);
  g_autoptr (TsSession) later = ts_session_new (recording);

  ts_session_load (left);
  ts_session_load (right);
  ts_session_add_mark (left, 100, "a");
  g_assert_true (ts_session_save (left, NULL));
  ts_session_add_mark (right, 200, "b");
  g_assert_true (ts_session_save (right, NULL));
  assert_marks (right, "100 a;200 b;");
  /* one that is closed later writes nothing of its own */
  g_assert_true (ts_session_save (left, NULL));
  assert_marks (left, "100 a;200 b;");
  g_assert_true (ts_session_remove_mark (right, 100));
  ts_session_add_mark (right, 200, "c");
  g_assert_true (ts_session_save (right, NULL));
  ts_session_add_mark (left, 50, "d");
  g_assert_true (ts_session_save (left, NULL));
  g_assert_true (ts_session_load (later));
  assert_marks (later, "50 d;200 c;");

  /* a file that is gone is made again */
  g_assert_cmpint (g_unlink (ts_session_get_path (left)), ==, 0);
  g_assert_true (ts_session_save (left, NULL));
  assert_marks (left, "50 d;200 c;");
}

/* ---- the file of what is shown ---- */

/* The first label below @widget that says @words. */
static GtkWidget *
find_label (GtkWidget *widget,
            const char *words)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), words) != NULL)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, words);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
tells_change (gpointer window)
{
  return find_label (window, "was written to") != NULL;
}

static gboolean
is_watched (gpointer window)
{
  return ((TsWindow *) window)->file_info != NULL;
}

/* Written over where it is: told. Another one in its place, or none: what was opened is read on. */
static void
test_written_over (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *other = gui_test_make_recording ("m3_baremetal.cobs");
  g_autofree char *bytes = NULL;
  gsize n_bytes = 0;
  TsWindow *window = window_fixture_open (path);

  gui_test_wait (is_watched, window);
  g_assert_true (g_file_get_contents (other, &bytes, &n_bytes, NULL));
  g_assert_true (g_file_set_contents_full (path, bytes, (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE,
                                           0644, NULL));
  gui_test_wait (tells_change, window);
  gtk_window_destroy (GTK_WINDOW (window));

  window = window_fixture_open (other);
  gui_test_wait (is_watched, window);
  g_assert_cmpint (g_rename (path, other), ==, 0);
  g_assert_true (g_file_set_contents_full (other, "x", 1, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
  gui_test_iterate (1000);
  g_assert_false (tells_change (window));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/session/bad-file", test_bad_session);
  g_test_add_func ("/gui/session/two-windows", test_two_sessions);
  g_test_add_func ("/gui/session/written-over", test_written_over);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
