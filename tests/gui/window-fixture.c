/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include "window-fixture.h"

static TsApplication *application;

/* The main() of a test of windows. @add_tests: calls g_test_add() */
int
window_fixture_run (int argc,
                    char **argv,
                    void (*add_tests) (void))
{
  int status;

  if (!gui_test_init (&argc, &argv))
    return 0;
  application = ts_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, NULL));
  add_tests ();
  status = g_test_run ();
  g_clear_object (&application);
  return status;
}

GtkApplication *
window_fixture_get_application (void)
{
  return GTK_APPLICATION (application);
}

gboolean
window_fixture_has_recording (gpointer window)
{
  return ts_view_state_get_recording (ts_window_get_view (window)) != NULL;
}

/* A window without a recording. */
TsWindow *
window_fixture_new (void)
{
  TsWindow *window = ts_window_new (GTK_APPLICATION (application));

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/* Opens a file; does not wait for it. */
void
window_fixture_load (TsWindow *window,
                     const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  ts_window_open (window, file);
}

/* A window that shows a recording. */
TsWindow *
window_fixture_open (const char *path)
{
  TsWindow *window = window_fixture_new ();

  window_fixture_load (window, path);
  gui_test_wait (window_fixture_has_recording, window);
  return window;
}

/* A window with every part of it seen; @data_name: captured bytes it shows, NULL for none. */
TsWindow *
window_fixture_show (const char *data_name)
{
  TsWindow *window = ts_window_new (GTK_APPLICATION (application));

  gtk_window_set_default_size (GTK_WINDOW (window), 1270, 780);
  gtk_window_present (GTK_WINDOW (window));
  if (data_name != NULL)
    {
      g_autofree char *path = gui_test_make_recording (data_name);
      g_autoptr (GFile) file = g_file_new_for_path (path);

      ts_window_open (window, file);
      gui_test_wait (window_fixture_has_recording, window);
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-capture", NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  gui_test_iterate (100);
  return window;
}
