/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-preferences.h"
#include "ui/ts-settings.h"

static void
on_switched (GtkSwitch *widget,
             GParamSpec *pspec,
             GSettings *settings)
{
  ts_settings_set_bool (settings, g_object_get_data (G_OBJECT (widget), "key"),
                        gtk_switch_get_active (widget));
}

static void
add_switch (AdwPreferencesGroup *group,
            GSettings *settings,
            const char *key,
            gboolean fallback,
            const char *title,
            const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *widget = gtk_switch_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_switch_set_active (GTK_SWITCH (widget), ts_settings_get_bool (settings, key, fallback));
  g_object_set_data (G_OBJECT (widget), "key", (gpointer) key);
  g_signal_connect_object (widget, "notify::active", G_CALLBACK (on_switched), settings, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), widget);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), widget);
  adw_preferences_group_add (group, row);
}

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page,
           const char *title)
{
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());

  adw_preferences_group_set_title (group, title);
  adw_preferences_page_add (page, group);
  return group;
}

/**
 * ts_preferences_show:
 * @parent: the window it belongs to
 *
 * What is switched holds at once, for all windows.
 *
 * Thread: main
 *
 * Returns: (transfer none): the window, owned by GTK
 */
GtkWindow *
ts_preferences_show (GtkWindow *parent)
{
  GtkWidget *window = adw_preferences_window_new ();
  AdwPreferencesPage *page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());
  GSettings *settings = ts_settings_new ();
  AdwPreferencesGroup *group;

  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  group = add_group (page, _ ("Timeline"));
  add_switch (group, settings, "drag-pans", FALSE, _ ("Dragging Moves the View"),
              _ ("A range is then selected with Shift; else dragging selects a range"));
  add_switch (group, settings, "restore-session", TRUE, _ ("Come Back to the Last View"),
              _ ("Place, lanes, filters and cursors of a recording opened again; marks are always "
                 "kept"));
  group = add_group (page, _ ("Recording"));
  add_switch (group, settings, "follow-new", TRUE, _ ("Follow a New Recording"),
              _ ("The view stays at the live end until you go back"));
  add_switch (group, settings, "keep-raw-log", TRUE, _ ("Keep the Raw Bytes"),
              _ ("The file grows by what arrives; new captures begin with this choice"));
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  if (settings != NULL)
    g_object_set_data_full (G_OBJECT (window), "settings", settings, g_object_unref);
  gtk_window_present (GTK_WINDOW (window));
  return GTK_WINDOW (window);
}
