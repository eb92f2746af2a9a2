/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <errno.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

/* Figures in the title change no faster than this. */
#define SUBTITLE_INTERVAL_US 200000

static TsCaptureState
get_state (TsWindow *self)
{
  return self->session != NULL ? ts_capture_session_get_state (self->session) : TS_CAPTURE_IDLE;
}

/* --- live data -------------------------------------------------------------------------------- */

/* Takes in what the capture published since the last frame: at most once per frame. */
static void
take_in (TsWindow *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 now;

  if (recording == NULL)
    {
      g_autoptr (TsRecording) live = NULL;

      live = ts_capture_session_dup_recording (self->session, NULL);
      if (live == NULL)
        return;
      ts_recording_refresh (live);
      if (ts_recording_get_n_rows (live) == 0)
        return;
      ts_capture_panel_set_recording (self->capture_panel, live);
      _ts_window_set_recording (self, live, FALSE);
      if (!ts_settings_get_bool (self->settings, "follow-new", TRUE))
        ts_view_state_set_following (self->view, FALSE);
      return;
    }
  if (!ts_recording_is_live (recording) || !ts_recording_refresh (recording))
    return;
  ts_view_state_refresh (self->view);
  _ts_window_refresh_panes (self);
  ts_inspector_refresh (self->inspector);
  now = g_get_monotonic_time ();
  if (now - self->subtitle_us >= SUBTITLE_INTERVAL_US)
    {
      self->subtitle_us = now;
      _ts_window_update_title (self);
    }
}

static gboolean
on_frame (GtkWidget *widget,
          GdkFrameClock *clock,
          gpointer user_data)
{
  TsWindow *self = TS_WINDOW (widget);

  self->frame_id = 0;
  if (self->session != NULL)
    take_in (self);
  return G_SOURCE_REMOVE;
}

static void
on_data (TsCaptureSession *session,
         TsWindow *self)
{
  if (ts_view_state_get_recording (self->view) != NULL)
    ts_timeline_mark_data (self->timeline, g_get_monotonic_time ());
  if (self->frame_id == 0)
    self->frame_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_frame, NULL, NULL);
}

/* Nothing is recorded yet: how far it is with what is waited for. */
static void
on_trigger (TsCaptureSession *session,
            GParamSpec *pspec,
            TsWindow *self)
{
  const char *text = ts_capture_panel_get_trigger (self->capture_panel);

  if (*text == '\0')
    return;
  adw_status_page_set_title (self->waiting_page, _ ("Waiting for the Trigger"));
  adw_status_page_set_description (self->waiting_page, text);
}

static void
on_state (TsCaptureSession *session,
          GParamSpec *pspec,
          TsWindow *self)
{
  const char *message = ts_capture_session_get_message (session);

  if (message != NULL)
    adw_status_page_set_description (self->waiting_page, message);
  _ts_window_keep_awake (self, ts_window_is_capturing (self));
  _ts_window_update_actions (self);
  _ts_window_update_title (self);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The recording is complete on disk: from now on it is a file like any other. */
static void
on_ended (TsCaptureSession *session,
          TsWindow *self)
{
  TsRecordingSummary summary = { 0 };
  gboolean has_failed = get_state (self) == TS_CAPTURE_FAILED;
  gboolean has_events;

  _ts_window_keep_awake (self, FALSE);
  has_events = ts_capture_session_get_summary (session, &summary) && summary.events > 0;
  if (has_failed)
    {
      const char *message = ts_capture_session_get_message (session);

      /* where it happened: the connection, or in the middle of a recording */
      ts_capture_panel_show_problem (self->capture_panel, message);
      _ts_window_reveal (self->capture_flap, TRUE);
      if (has_events)
        ts_window_show_error (self, message);
      _ts_window_tell_ended (self, _ ("Capture Failed"), message);
    }
  if (self->is_closing)
    {
      gtk_window_destroy (GTK_WINDOW (self));
      ts_recording_summary_clear (&summary);
      return;
    }
  if (has_events && g_file_test (self->session_path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *base = g_path_get_basename (self->session_path);
      g_autofree char *text = g_strdup_printf (_ ("Saved as %s"), base);

      if (!has_failed)
        {
          _ts_window_show_toast (self, text);
          _ts_window_tell_ended (self, _ ("Capture Ended"), text);
        }
      _ts_window_open_path (self, self->session_path, TRUE);
    }
  else
    {
      _ts_window_set_recording (self, NULL, FALSE);
      if (!has_failed)
        ts_capture_panel_show_problem (self->capture_panel,
                                       _ ("Nothing arrived, so there is no recording. Check that "
                                          "the target runs and sends to this connection."));
    }
  ts_recording_summary_clear (&summary);
  _ts_window_update_actions (self);
  _ts_window_update_title (self);
}

/* --- the begin -------------------------------------------------------------------------------- */

/* A name that sorts by time and does not exist yet. */
static char *
dup_output_path (TsWindow *self,
                 TsConnection *connection)
{
  g_autofree char *folder = ts_capture_panel_dup_folder (self->capture_panel);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format (now, "%Y-%m-%d-%H%M%S");
  guint n;

  if (g_mkdir_with_parents (folder, 0755) != 0)
    {
      g_autofree char *message = NULL;

      message = g_strdup_printf (_ ("Cannot make the folder “%s” for recordings: %s. Choose another "
                                    "one under “Record to”."),
                                 folder, g_strerror (errno));
      ts_capture_panel_show_problem (self->capture_panel, message);
      _ts_window_reveal (self->capture_flap, TRUE);
      return NULL;
    }
  for (n = 1;; n++)
    {
      g_autofree char *base =
          n == 1 ? g_strdup_printf ("%s-%s.vadb", ts_connection_get_transport (connection), stamp)
                 : g_strdup_printf ("%s-%s-%u.vadb", ts_connection_get_transport (connection),
                                    stamp, n);
      g_autofree char *path = g_build_filename (folder, base, NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
}

static void
remember_connection (TsWindow *self,
                     TsConnection *connection)
{
  g_autoptr (JsonNode) node = ts_connection_to_json (connection);
  g_autofree char *json = json_to_string (node, FALSE);

  ts_settings_set_string (self->settings, "connection", json);
}

/**
 * ts_window_start:
 * @self: a window
 * @connection: what to capture from
 *
 * Starts a capture that this window shows. What is wrong is shown where it happened.
 *
 * Thread: main
 *
 * Returns: whether it started
 */
gboolean
ts_window_start (TsWindow *self,
                 TsConnection *connection)
{
  TsCaptureOptions options;
  g_autofree char *path = NULL;
  g_autoptr (TsCaptureSession) session = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (TS_IS_WINDOW (self), FALSE);
  if (ts_window_is_capturing (self))
    return FALSE;
  path = dup_output_path (self, connection);
  if (path == NULL)
    return FALSE;
  gtk_revealer_set_reveal_child (self->error_revealer, FALSE);
  ts_capture_panel_get_options (self->capture_panel, &options);
  options.output = path;
  session = ts_capture_session_new (connection, &options);
  g_set_object (&self->session, session);
  g_free (self->session_path);
  self->session_path = g_steal_pointer (&path);
  _ts_window_set_recording (self, NULL, FALSE);
  g_signal_group_set_target (self->session_signals, session);
  ts_capture_panel_set_session (self->capture_panel, session);
  adw_status_page_set_title (self->waiting_page, _ ("Waiting for the First Bytes"));
  adw_status_page_set_description (self->waiting_page, "");
  if (!ts_capture_session_start (session, &error))
    {
      ts_capture_panel_show_problem (self->capture_panel, error->message);
      _ts_window_reveal (self->capture_flap, TRUE);
      _ts_window_set_recording (self, NULL, FALSE);
      return FALSE;
    }
  remember_connection (self, connection);
  self->has_connection = TRUE;
  if (ts_settings_get_bool (self->settings, "show-capture", TRUE) &&
      !adw_flap_get_folded (self->capture_flap))
    _ts_window_reveal (self->capture_flap, TRUE);
  _ts_window_set_recording (self, NULL, FALSE);
  return TRUE;
}

/**
 * ts_window_stop:
 * @self: a window
 *
 * Stops the capture; what was captured is kept.
 *
 * Thread: main
 */
void
ts_window_stop (TsWindow *self)
{
  g_return_if_fail (TS_IS_WINDOW (self));
  if (ts_window_is_capturing (self))
    ts_capture_session_stop (self->session);
  _ts_window_update_actions (self);
}

/**
 * ts_window_is_capturing:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: whether a capture runs, from connecting until it has stopped
 */
gboolean
ts_window_is_capturing (TsWindow *self)
{
  TsCaptureState state;

  g_return_val_if_fail (TS_IS_WINDOW (self), FALSE);
  state = get_state (self);
  return state == TS_CAPTURE_CONNECTING || state == TS_CAPTURE_CAPTURING ||
         state == TS_CAPTURE_STOPPING;
}

/**
 * ts_window_start_demo:
 * @self: a window
 *
 * Starts a capture of the simulated target.
 *
 * Thread: main
 */
void
ts_window_start_demo (TsWindow *self)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  g_return_if_fail (TS_IS_WINDOW (self));
  if (!ts_connection_set_from_text (connection, "transport", "demo", &error))
    {
      ts_window_show_error (self, error->message);
      return;
    }
  ts_capture_panel_set_connection (self->capture_panel, connection, NULL);
  ts_window_start (self, connection);
}

/**
 * ts_window_load_connection:
 * @self: a window
 * @file: a connection file
 *
 * Fills the capture panel in and shows it.
 *
 * Thread: main
 *
 * Returns: whether it could be read
 */
gboolean
ts_window_load_connection (TsWindow *self,
                           GFile *file)
{
  g_return_val_if_fail (TS_IS_WINDOW (self), FALSE);
  _ts_window_reveal (self->capture_flap, TRUE);
  return ts_capture_panel_load (self->capture_panel, file);
}

/**
 * ts_window_start_loaded_demo:
 * @self: a window
 *
 * Starts a capture of the simulated target with the settings of the capture panel, which must be
 * those of a demo.
 *
 * Thread: main
 */
void
ts_window_start_loaded_demo (TsWindow *self)
{
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (GError) error = NULL;

  g_return_if_fail (TS_IS_WINDOW (self));
  connection = ts_capture_panel_dup_connection (self->capture_panel, &error);
  if (connection == NULL)
    ts_window_show_error (self, error->message);
  else if (g_strcmp0 (ts_connection_get_transport (connection), "demo") != 0)
    ts_window_show_error (self, _ ("The demo was asked for, but the connection is of another "
                                   "transport: leave out one of the two."));
  else
    ts_window_start (self, connection);
}

/* --- actions ---------------------------------------------------------------------------------- */

static void
record_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (GError) error = NULL;

  if (ts_window_is_capturing (self))
    {
      ts_window_stop (self);
      return;
    }
  /* never from something the user has not seen */
  if (!self->has_connection && !adw_flap_get_reveal_flap (self->capture_flap))
    {
      _ts_window_reveal (self->capture_flap, TRUE);
      return;
    }
  connection = ts_capture_panel_dup_connection (self->capture_panel, &error);
  if (connection == NULL)
    {
      ts_capture_panel_show_problem (self->capture_panel, error->message);
      _ts_window_reveal (self->capture_flap, TRUE);
      return;
    }
  ts_window_start (self, connection);
}

static void
demo_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  ts_window_start_demo (TS_WINDOW (widget));
}

static void
connect_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  g_autofree char *last = ts_settings_dup_string (self->settings, "connection");

  _ts_window_reveal (self->capture_flap, TRUE);
  if (last == NULL)
    ts_capture_panel_set_transport (self->capture_panel, "serial");
  gtk_widget_child_focus (GTK_WIDGET (self->capture_panel), GTK_DIR_TAB_FORWARD);
}

void
_ts_window_install_capture (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.record", NULL, record_action);
  gtk_widget_class_install_action (widget_class, "win.demo", NULL, demo_action);
  gtk_widget_class_install_action (widget_class, "win.connect", NULL, connect_action);
}

static void
on_panel_failed (TsCapturePanel *panel,
                 const char *message,
                 TsWindow *self)
{
  ts_window_show_error (self, message);
}

void
_ts_window_init_capture (TsWindow *self)
{
  g_autofree char *last = ts_settings_dup_string (self->settings, "connection");

  self->session_signals = g_signal_group_new (TS_TYPE_CAPTURE_SESSION);
  g_signal_group_connect (self->session_signals, "data", G_CALLBACK (on_data), self);
  g_signal_group_connect (self->session_signals, "ended", G_CALLBACK (on_ended), self);
  g_signal_group_connect (self->session_signals, "notify::state", G_CALLBACK (on_state), self);
  g_signal_group_connect (self->session_signals, "notify::message", G_CALLBACK (on_state), self);
  g_signal_group_connect (self->session_signals, "notify::trigger-held-us",
                          G_CALLBACK (on_trigger), self);
  g_signal_connect_object (self->capture_panel, "failed", G_CALLBACK (on_panel_failed), self, 0);
  if (last != NULL)
    {
      g_autoptr (TsConnection) connection = ts_connection_new ();

      if (ts_connection_load_data (connection, last, -1, "settings", TRUE, NULL))
        {
          ts_capture_panel_set_connection (self->capture_panel, connection, NULL);
          self->has_connection = TRUE;
        }
    }
}

void
_ts_window_clear_capture (TsWindow *self)
{
  if (self->session_signals != NULL)
    g_signal_group_set_target (self->session_signals, NULL);
  g_clear_object (&self->session_signals);
  _ts_window_keep_awake (self, FALSE);
  if (self->session != NULL)
    ts_capture_session_stop (self->session);
  g_clear_object (&self->session);
  g_clear_pointer (&self->session_path, g_free);
  if (self->frame_id != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->frame_id);
      self->frame_id = 0;
    }
}
