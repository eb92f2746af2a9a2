/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-hint-bar.h"
#include "ui/ts-numbers.h"
#include "ui/ts-preferences.h"
#include "ui/ts-progress.h"
#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

/* A job shorter than this shows no progress: nothing flickers. */
#define JOB_DELAY_MS 150
#define JOB_INTERVAL_MS 80

enum
{
  PROP_0,
  PROP_SHOW_CAPTURE,
  PROP_SHOW_EVENTS,
  PROP_SHOW_INSPECTOR,
  PROP_FOLLOWING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (TsWindow, ts_window, ADW_TYPE_APPLICATION_WINDOW)

/* --- what the window says --------------------------------------------------------------------- */

static TsRecording *
get_recording (TsWindow *self)
{
  return ts_view_state_get_recording (self->view);
}

void
_ts_window_show_toast (TsWindow *self,
                       const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  adw_toast_overlay_add_toast (self->toasts, adw_toast_new (escaped));
}

/**
 * ts_window_show_error:
 * @self: a window
 * @message: one sentence: what failed, where, what to do
 *
 * Shows it above the timeline until it is closed, with details to copy.
 *
 * Thread: main
 */
void
ts_window_show_error (TsWindow *self,
                      const char *message)
{
  TsRecording *recording;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format_iso8601 (now);
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *all = NULL;

  g_return_if_fail (TS_IS_WINDOW (self));
  recording = get_recording (self);
  /* one that nobody has closed yet stays: of several bad files each is told */
  if (gtk_revealer_get_reveal_child (self->error_revealer))
    {
      const char *before = gtk_label_get_text (self->error_label);

      if (g_str_has_suffix (before, message))
        return;
      message = all = g_strconcat (before, "\n", message, NULL);
    }
  gtk_label_set_text (self->error_label, message);
  gtk_revealer_set_reveal_child (self->error_revealer, TRUE);
  g_free (self->error_details);
  self->error_details = g_strdup_printf (
      "%s\n\nTaskscope %s, GTK %u.%u.%u, %s\n%s\n%s%s\n", message, TS_VERSION,
      gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
      os != NULL ? os : "Linux", time, recording != NULL ? "recording: " : "",
      recording != NULL ? ts_recording_get_path (recording) : "");
}

void
_ts_window_update_title (TsWindow *self)
{
  TsRecording *recording = get_recording (self);
  g_autofree char *base = NULL;
  g_autofree char *os = NULL;
  g_autofree char *duration = NULL;
  g_autofree char *count = NULL;
  g_autoptr (GString) subtitle = g_string_new (NULL);
  gboolean is_capturing = ts_window_is_capturing (self);
  gboolean is_connecting = is_capturing && ts_capture_session_get_state (self->session) ==
                                               TS_CAPTURE_CONNECTING;

  if (recording == NULL)
    {
      adw_window_title_set_title (self->window_title, _ ("Taskscope"));
      adw_window_title_set_subtitle (self->window_title, is_connecting  ? _ ("connecting")
                                                         : is_capturing ? _ ("waiting for data")
                                                                        : "");
      gtk_window_set_title (GTK_WINDOW (self), _ ("Taskscope"));
      return;
    }
  base = g_path_get_basename (ts_recording_get_path (recording));
  os = ts_recording_dup_summary (recording, "os");
  duration = ts_format_seconds (
      ts_recording_ticks_to_us (recording, ts_recording_get_duration (recording)));
  count = ts_format_count (ts_recording_get_n_events (recording));
  if (os != NULL && *os != '\0' && g_ascii_strcasecmp (os, "unknown") != 0)
    g_string_append_printf (subtitle, "%s · ", os);
  g_string_append_printf (subtitle, _ ("%s · %s events"), duration, count);
  if (is_capturing && ts_recording_is_live (recording))
    g_string_append_printf (subtitle, " · %s", _ ("live"));
  adw_window_title_set_title (self->window_title, base);
  adw_window_title_set_subtitle (self->window_title, subtitle->str);
  gtk_window_set_title (GTK_WINDOW (self), base);
}

/* The range is that of the timeline in use. */
void
_ts_window_update_range_action (TsWindow *self)
{
  TsViewState *view = ts_timeline_get_view (_ts_window_get_used_timeline (self));
  gint64 begin;
  gint64 end;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.zoom-range",
                                 view != NULL && ts_view_state_get_recording (view) != NULL &&
                                     ts_view_state_get_range (view, &begin, &end));
}

void
_ts_window_update_actions (TsWindow *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  TsRecording *recording = get_recording (self);
  gboolean has_recording = recording != NULL;
  gboolean is_capturing = ts_window_is_capturing (self);
  gboolean is_stopping = self->session != NULL && ts_capture_session_get_state (self->session) ==
                                                      TS_CAPTURE_STOPPING;

  gtk_widget_action_set_enabled (widget, "win.fit", has_recording);
  gtk_widget_action_set_enabled (widget, "win.undo-view", has_recording);
  gtk_widget_action_set_enabled (widget, "win.export-picture", has_recording && !self->job);
  gtk_widget_action_set_enabled (widget, "win.export", has_recording && !self->job);
  gtk_widget_action_set_enabled (widget, "win.copy-picture", has_recording);
  gtk_widget_action_set_enabled (widget, "win.compare", has_recording && !self->job);
  gtk_widget_action_set_enabled (widget, "win.close-compare", self->compare != NULL);
  gtk_widget_action_set_enabled (widget, "win.export-csv", has_recording && !self->job);
  gtk_widget_action_set_enabled (widget, "win.export-to", has_recording && !self->job);
  _ts_window_update_range_action (self);
  gtk_widget_action_set_enabled (widget, "win.record", !is_stopping);
  gtk_widget_action_set_enabled (widget, "win.demo", !is_capturing);
  gtk_widget_action_set_enabled (widget, "win.nothing", FALSE);
  adw_button_content_set_label (self->record_content, is_capturing ? _ ("Stop") : _ ("Record"));
  adw_button_content_set_icon_name (self->record_content, is_capturing
                                                              ? "media-playback-stop-symbolic"
                                                              : "media-record-symbolic");
  gtk_widget_remove_css_class (self->record_button,
                               is_capturing ? "suggested-action" : "destructive-action");
  gtk_widget_add_css_class (self->record_button,
                            is_capturing ? "destructive-action" : "suggested-action");
  gtk_widget_set_visible (self->follow_button,
                          is_capturing && has_recording && ts_recording_is_live (recording));
  if (has_recording)
    gtk_stack_set_visible_child_name (self->pages, "recording");
  else
    gtk_stack_set_visible_child_name (self->pages, is_capturing ? "waiting" : "empty");
}

static void
on_view_changed (TsWindow *self)
{
  gboolean is_following = ts_view_state_is_following (self->view);

  _ts_window_update_range_action (self);
  if (is_following != self->was_following)
    {
      self->was_following = is_following;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLLOWING]);
    }
}

/* Shows or hides a pane at a side. Before the first frame it is there at once: a spring of libadwaita
 * 1.2 that begins then may have a first value that is no number, and widgets get sizes of it. */
void
_ts_window_reveal (AdwFlap *flap,
                   gboolean is_shown)
{
  GtkWidget *widget = GTK_WIDGET (flap);
  gboolean is_early = gtk_widget_get_mapped (widget) && gtk_widget_get_width (widget) == 0;

  if (is_early)
    gtk_widget_set_visible (widget, FALSE);
  adw_flap_set_reveal_flap (flap, is_shown);
  if (is_early)
    gtk_widget_set_visible (widget, TRUE);
}

/* Shows a recording; with @keep_view the place, the cursor and the selection stay. */
void
_ts_window_set_recording (TsWindow *self,
                          TsRecording *recording,
                          gboolean keep_view)
{
  gboolean had_recording = get_recording (self) != NULL;

  if (!keep_view)
    {
      _ts_window_end_compare (self);
      _ts_window_cancel_index (self);
      _ts_window_save_session (self);
    }
  else if (had_recording && self->session_state != NULL)
    ts_session_take_view (self->session_state, self->view);
  ts_view_state_set_recording (self->view, recording);
  if (recording != NULL && had_recording && keep_view && self->session_state != NULL)
    ts_session_apply_view (self->session_state, self->view);
  _ts_window_load_session (self, keep_view && had_recording);
  _ts_window_watch_file (self);
  _ts_window_update_actions (self);
  _ts_window_update_title (self);
  ts_inspector_refresh (self->inspector);
  if (recording != NULL && !had_recording)
    gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
  if (self->settings == NULL || ts_settings_get_bool (self->settings, "show-inspector", TRUE))
    _ts_window_reveal (self->inspector_flap,
                       recording != NULL && !adw_flap_get_folded (self->inspector_flap));
}

/* --- jobs ------------------------------------------------------------------------------------- */

static gboolean
on_job_timer (gpointer user_data)
{
  TsWindow *self = user_data;

  gtk_revealer_set_reveal_child (self->job_revealer, TRUE);
  ts_progress_show (self->job_progress, ts_job_get_fraction (self->job));
  g_source_remove (self->job_timer_id);
  self->job_timer_id = g_timeout_add (JOB_INTERVAL_MS, on_job_timer, self);
  return G_SOURCE_CONTINUE;
}

/* Takes the one place for long work; says so and returns %FALSE when it is taken. */
gboolean
_ts_window_begin_job (TsWindow *self,
                      TsJob *job)
{
  if (self->job != NULL)
    {
      g_autofree char *text = NULL;

      /* translators: what goes on, such as "Opening motor.vadb" */
      text = g_strdup_printf (_ ("%s: wait for it to end, or cancel it."),
                              ts_job_get_title (self->job));
      _ts_window_show_toast (self, text);
      return FALSE;
    }
  self->job = g_object_ref (job);
  gtk_label_set_text (self->job_label, ts_job_get_title (job));
  gtk_progress_bar_set_fraction (self->job_progress, 0.0);
  self->job_timer_id = g_timeout_add (JOB_DELAY_MS, on_job_timer, self);
  _ts_window_update_actions (self);
  return TRUE;
}

void
_ts_window_end_job (TsWindow *self)
{
  g_clear_handle_id (&self->job_timer_id, g_source_remove);
  g_clear_object (&self->job);
  if (gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  gtk_revealer_set_reveal_child (self->job_revealer, FALSE);
  _ts_window_update_actions (self);
}

/* --- actions ---------------------------------------------------------------------------------- */

static void
forward_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  const char *action = g_str_equal (name, "win.fit")         ? "timeline.fit"
                       : g_str_equal (name, "win.undo-view") ? "timeline.undo"
                                                             : "timeline.redo";

  gtk_widget_activate_action (GTK_WIDGET (self->timeline), action, NULL);
}

static void
zoom_range_action (GtkWidget *widget,
                   const char *name,
                   GVariant *parameter)
{
  TsTimeline *timeline = _ts_window_get_used_timeline (TS_WINDOW (widget));
  gint64 begin;
  gint64 end;

  if (ts_view_state_get_range (ts_timeline_get_view (timeline), &begin, &end))
    ts_timeline_zoom_to (timeline, begin, end);
}

static void
close_error_action (GtkWidget *widget,
                    const char *name,
                    GVariant *parameter)
{
  gtk_revealer_set_reveal_child (TS_WINDOW (widget)->error_revealer, FALSE);
}

static void
copy_error_action (GtkWidget *widget,
                   const char *name,
                   GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (self->error_details == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), self->error_details);
  _ts_window_show_toast (self, _ ("Copied"));
}

static void
preferences_action (GtkWidget *widget,
                    const char *name,
                    GVariant *parameter)
{
  ts_preferences_show (GTK_WINDOW (widget));
}

static void
nothing_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
}

/* A figure of the inspector leads to where it was. */
static void
on_go_to (TsInspector *inspector,
          gint64 begin,
          gint64 end,
          TsWindow *self)
{
  TsTimeline *timeline = _ts_window_get_used_timeline (self);

  ts_timeline_go_to (timeline, ts_view_state_get_selected_lane (ts_timeline_get_view (timeline)),
                     begin, end);
}

/* --- state ------------------------------------------------------------------------------------ */

static void
restore_state (TsWindow *self)
{
  gtk_window_set_default_size (GTK_WINDOW (self),
                               ts_settings_get_int (self->settings, "window-width", 1280),
                               ts_settings_get_int (self->settings, "window-height", 800));
  if (ts_settings_get_bool (self->settings, "window-maximized", FALSE))
    gtk_window_maximize (GTK_WINDOW (self));
  self->show_events = ts_settings_get_bool (self->settings, "show-events", TRUE);
  gtk_widget_set_visible (self->bottom_pane, self->show_events);
  _ts_window_reveal (self->capture_flap, FALSE);
  _ts_window_reveal (self->inspector_flap, FALSE);
}

static void
save_state (TsWindow *self)
{
  int width;
  int height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  ts_settings_set_int (self->settings, "window-width", CLAMP (width, 360, 16384));
  ts_settings_set_int (self->settings, "window-height", CLAMP (height, 360, 16384));
  ts_settings_set_bool (self->settings, "window-maximized",
                        gtk_window_is_maximized (GTK_WINDOW (self)));
  ts_settings_set_bool (self->settings, "show-events", self->show_events);
  if (gtk_widget_get_mapped (self->bottom_pane))
    ts_settings_set_int (self->settings, "events-height",
                         CLAMP (gtk_widget_get_height (self->bottom_pane), 80, 4096));
}

/* A running capture is stopped first; the window goes when everything is on disk. */
static gboolean
ts_window_close_request (GtkWindow *window)
{
  TsWindow *self = TS_WINDOW (window);

  save_state (self);
  _ts_window_save_session (self);
  if (ts_window_is_capturing (self))
    {
      self->is_closing = TRUE;
      ts_window_stop (self);
      return TRUE;
    }
  return GTK_WINDOW_CLASS (ts_window_parent_class)->close_request (window);
}

static void
ts_window_get_property (GObject *object,
                        guint id,
                        GValue *value,
                        GParamSpec *pspec)
{
  TsWindow *self = TS_WINDOW (object);

  switch (id)
    {
    case PROP_SHOW_CAPTURE:
      g_value_set_boolean (value, self->capture_flap != NULL &&
                                      adw_flap_get_reveal_flap (self->capture_flap));
      break;
    case PROP_SHOW_EVENTS:
      g_value_set_boolean (value, self->show_events);
      break;
    case PROP_SHOW_INSPECTOR:
      g_value_set_boolean (value, self->inspector_flap != NULL &&
                                      adw_flap_get_reveal_flap (self->inspector_flap));
      break;
    case PROP_FOLLOWING:
      g_value_set_boolean (value, self->view != NULL && ts_view_state_is_following (self->view));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
ts_window_set_property (GObject *object,
                        guint id,
                        const GValue *value,
                        GParamSpec *pspec)
{
  TsWindow *self = TS_WINDOW (object);
  gboolean is_on = g_value_get_boolean (value);

  switch (id)
    {
    case PROP_SHOW_CAPTURE:
      _ts_window_reveal (self->capture_flap, is_on);
      ts_settings_set_bool (self->settings, "show-capture", is_on);
      break;
    case PROP_SHOW_EVENTS:
      if (is_on == self->show_events)
        return;
      self->show_events = is_on;
      gtk_widget_set_visible (self->bottom_pane, is_on);
      g_object_notify_by_pspec (object, pspec);
      break;
    case PROP_SHOW_INSPECTOR:
      _ts_window_reveal (self->inspector_flap, is_on);
      ts_settings_set_bool (self->settings, "show-inspector", is_on);
      break;
    case PROP_FOLLOWING:
      ts_view_state_set_following (self->view, is_on);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
on_reveal_changed (AdwFlap *flap,
                   GParamSpec *pspec,
                   TsWindow *self)
{
  g_object_notify_by_pspec (G_OBJECT (self),
                            properties[flap == self->capture_flap ? PROP_SHOW_CAPTURE
                                                                  : PROP_SHOW_INSPECTOR]);
}

/* The paned's place is from the top; what is remembered is the height of the list. */
static void
on_paned_height (GtkPaned *paned,
                 GParamSpec *pspec,
                 TsWindow *self)
{
  int max;
  int events = ts_settings_get_int (self->settings, "events-height", 220);

  g_object_get (paned, "max-position", &max, NULL);
  if (max <= 0 || max == G_MAXINT)
    return;
  g_signal_handlers_disconnect_by_func (paned, on_paned_height, self);
  /* max-position leaves the list its smallest height */
  gtk_paned_set_position (paned, MAX (max + 90 - events, max / 2));
}

/* No scroll bar beside lanes that all fit. */
static void
on_lanes_changed (GtkAdjustment *adjustment,
                  TsWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->timeline_scrollbar),
                          gtk_adjustment_get_upper (adjustment) >
                              gtk_adjustment_get_page_size (adjustment) + 1.0);
}

static void
ts_window_dispose (GObject *object)
{
  TsWindow *self = TS_WINDOW (object);

  _ts_window_clear_capture (self);
  _ts_window_clear_files (self);
  _ts_window_unwatch_file (self);
  _ts_window_cancel_index (self);
  _ts_window_clear_session (self);
  g_clear_handle_id (&self->job_timer_id, g_source_remove);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (ts_window_parent_class)->dispose (object);
}

static void
ts_window_finalize (GObject *object)
{
  TsWindow *self = TS_WINDOW (object);

  g_clear_object (&self->job);
  g_clear_object (&self->view);
  g_clear_pointer (&self->error_details, g_free);
  G_OBJECT_CLASS (ts_window_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, TsWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, window_title);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, open_button);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, record_button);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, record_content);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, follow_button);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, error_label);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, job_revealer);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, job_label);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, job_progress);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, index_revealer);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, index_label);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, index_progress);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, capture_flap);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, inspector_flap);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, capture_panel);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, inspector);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, ways_in);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, waiting_page);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, paned);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, compare_paned);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, timeline);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, timeline_scrollbar);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, search_bar);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, bottom_pane);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, bottom_stack);
  gtk_widget_class_bind_template_child (widget_class, TsWindow, status_stack);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  properties[PROP_SHOW_CAPTURE] =
      g_param_spec_boolean ("show-capture", NULL, NULL, FALSE, flags);
  properties[PROP_SHOW_EVENTS] = g_param_spec_boolean ("show-events", NULL, NULL, TRUE, flags);
  properties[PROP_SHOW_INSPECTOR] =
      g_param_spec_boolean ("show-inspector", NULL, NULL, FALSE, flags);
  properties[PROP_FOLLOWING] = g_param_spec_boolean ("following", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ts_window_class_init (TsWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = ts_window_dispose;
  object_class->finalize = ts_window_finalize;
  object_class->get_property = ts_window_get_property;
  object_class->set_property = ts_window_set_property;
  GTK_WINDOW_CLASS (klass)->close_request = ts_window_close_request;
  install_properties (object_class);

  g_type_ensure (TS_TYPE_CAPTURE_PANEL);
  g_type_ensure (TS_TYPE_HINT_BAR);
  g_type_ensure (TS_TYPE_INSPECTOR);
  g_type_ensure (TS_TYPE_SEARCH_BAR);
  g_type_ensure (TS_TYPE_TIMELINE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/taskscope/Taskscope/ts-window.ui");
  bind_children (widget_class);

  _ts_window_install_capture (widget_class);
  _ts_window_install_files (widget_class);
  _ts_window_install_snapshot (widget_class);
  _ts_window_install_export (widget_class);
  _ts_window_install_desktop (widget_class);
  _ts_window_install_panes (widget_class);
  _ts_window_install_session (widget_class);
  _ts_window_install_index (widget_class);
  _ts_window_install_compare (widget_class);
  _ts_window_install_settings (widget_class);
  gtk_widget_class_install_action (widget_class, "win.fit", NULL, forward_action);
  gtk_widget_class_install_action (widget_class, "win.undo-view", NULL, forward_action);
  gtk_widget_class_install_action (widget_class, "win.redo-view", NULL, forward_action);
  gtk_widget_class_install_action (widget_class, "win.zoom-range", NULL, zoom_range_action);
  gtk_widget_class_install_action (widget_class, "win.close-error", NULL, close_error_action);
  gtk_widget_class_install_action (widget_class, "win.copy-error", NULL, copy_error_action);
  gtk_widget_class_install_action (widget_class, "win.preferences", NULL, preferences_action);
  gtk_widget_class_install_action (widget_class, "win.nothing", NULL, nothing_action);
  gtk_widget_class_install_property_action (widget_class, "win.show-capture", "show-capture");
  gtk_widget_class_install_property_action (widget_class, "win.show-events", "show-events");
  gtk_widget_class_install_property_action (widget_class, "win.show-inspector", "show-inspector");
  gtk_widget_class_install_property_action (widget_class, "win.follow", "following");
}

static void
ts_window_init (TsWindow *self)
{
  self->settings = ts_settings_new ();
  self->view = ts_view_state_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  restore_state (self);
  ts_timeline_set_view (self->timeline, self->view);
  _ts_window_init_panes (self);
  _ts_window_init_session (self);
  _ts_window_init_settings (self);
  ts_inspector_set_view (self->inspector, self->view);
  gtk_scrollbar_set_adjustment (self->timeline_scrollbar,
                                ts_timeline_get_vadjustment (self->timeline));
  g_signal_connect_object (ts_timeline_get_vadjustment (self->timeline), "changed",
                           G_CALLBACK (on_lanes_changed), self, 0);
  g_signal_connect_object (self->view, "changed", G_CALLBACK (on_view_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->inspector, "go-to", G_CALLBACK (on_go_to), self, 0);
  g_signal_connect_object (self->capture_flap, "notify::reveal-flap",
                           G_CALLBACK (on_reveal_changed), self, 0);
  g_signal_connect_object (self->inspector_flap, "notify::reveal-flap",
                           G_CALLBACK (on_reveal_changed), self, 0);
  g_signal_connect_object (self->paned, "notify::max-position", G_CALLBACK (on_paned_height), self,
                           0);
  _ts_window_init_capture (self);
  _ts_window_init_files (self);
  _ts_window_update_actions (self);
  _ts_window_update_title (self);
}

/**
 * ts_window_new:
 * @application: the application
 *
 * Thread: main
 *
 * Returns: (transfer none): an empty window, owned by GTK
 */
TsWindow *
ts_window_new (GtkApplication *application)
{
  return g_object_new (TS_TYPE_WINDOW, "application", application, NULL);
}

/**
 * ts_window_is_empty:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: whether it shows nothing and does nothing
 */
gboolean
ts_window_is_empty (TsWindow *self)
{
  g_return_val_if_fail (TS_IS_WINDOW (self), FALSE);
  return get_recording (self) == NULL && self->job == NULL && !ts_window_is_capturing (self);
}

/**
 * ts_window_is_busy:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: whether it opens, imports or writes something, which takes a while
 */
gboolean
ts_window_is_busy (TsWindow *self)
{
  g_return_val_if_fail (TS_IS_WINDOW (self), FALSE);
  return self->job != NULL;
}

/**
 * ts_window_get_view:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: (transfer none): what part of its recording is seen
 */
TsViewState *
ts_window_get_view (TsWindow *self)
{
  g_return_val_if_fail (TS_IS_WINDOW (self), NULL);
  return self->view;
}
