/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-window-settings.c: preferences as they hold in a window, at once and in all windows. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

/* Place of a text in a list of them, the first one if it is not there. */
static guint
find (GSettings *settings,
      const char *key,
      const char * const *values)
{
  g_autofree char *value = ts_settings_dup_string (settings, key);

  for (guint i = 0; values[i] != NULL; i++)
    if (g_strcmp0 (values[i], value) == 0)
      return i;
  return 0;
}

/* Everything about @view that is a preference; also for the view of a compared recording. */
void
_ts_window_apply_settings (TsWindow *self,
                           TsViewState *view,
                           TsTimeline *timeline)
{
  static const char * const colors[] = { "task", "state", NULL };
  static const char * const styles[] = { "begin", "zero", "day", NULL };
  static const char * const units[] = { "auto", "s", "ms", "us", "ticks", NULL };
  GSettings *settings = self->settings;

  ts_timeline_set_drag_pans (timeline, ts_settings_get_bool (settings, "drag-pans", FALSE));
  ts_view_state_set_color_by_state (view, find (settings, "color-by", colors) == 1);
  ts_view_state_set_state_labels (view, ts_settings_get_bool (settings, "state-labels", TRUE));
  ts_view_state_set_time_format (view, (TsTimeStyle) find (settings, "time-style", styles),
                                 (TsTimeUnit) find (settings, "time-unit", units));
  ts_view_state_set_follow_resume (view, ts_settings_get_bool (settings, "follow-resume", TRUE));
}

static void
on_changed (TsWindow *self)
{
  static const char * const scopes[] = { "both", "timeline", "list", NULL };

  _ts_window_apply_settings (self, self->view, self->timeline);
  if (self->compare != NULL)
    _ts_window_apply_settings (self, ts_compare_get_view (TS_COMPARE (self->compare)),
                               ts_compare_get_timeline (TS_COMPARE (self->compare)));
  ts_search_bar_set_scope (self->search_bar,
                           (TsFilterScope) find (self->settings, "filter-scope", scopes));
}

/* Where times count from: the cursor. Times are then told from there. */
static void
zero_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  gint64 cursor = ts_view_state_get_cursor (self->view);

  if (ts_view_state_get_recording (self->view) == NULL || cursor < 0)
    return;
  if (ts_view_state_get_time_zero (self->view) == cursor &&
      ts_view_state_get_time_style (self->view) == TS_TIME_SINCE_ZERO)
    {
      ts_settings_set_string (self->settings, "time-style", "begin");
      return;
    }
  ts_view_state_set_time_zero (self->view, cursor);
  ts_settings_set_string (self->settings, "time-style", "zero");
  if (self->settings == NULL)
    ts_view_state_set_time_format (self->view, TS_TIME_SINCE_ZERO,
                                   ts_view_state_get_time_unit (self->view));
}

void
_ts_window_init_settings (TsWindow *self)
{
  on_changed (self);
  if (self->settings != NULL)
    g_signal_connect_object (self->settings, "changed", G_CALLBACK (on_changed), self,
                             G_CONNECT_SWAPPED);
}

void
_ts_window_install_settings (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.time-zero", NULL, zero_action);
}
