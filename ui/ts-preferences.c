/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-index.h"

#include "ui/ts-numbers.h"
#include "ui/ts-preferences.h"
#include "ui/ts-row-control.h"
#include "ui/ts-settings.h"
#include "ui/ts-text-scale.h"

#define WINDOW_WIDTH 640
#define WINDOW_HEIGHT 576

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
  ts_row_control_take_name (widget, ADW_PREFERENCES_ROW (row));
  gtk_switch_set_active (GTK_SWITCH (widget), ts_settings_get_bool (settings, key, fallback));
  g_object_set_data (G_OBJECT (widget), "key", (gpointer) key);
  if (settings != NULL)
    g_signal_connect_object (widget, "notify::active", G_CALLBACK (on_switched), settings, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), widget);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), widget);
  adw_preferences_group_add (group, row);
}

/**
 * Choice:
 * @value: of the key
 * @title: (nullable): untranslated; %NULL ends the array
 */
typedef struct
{
  const char *value;
  const char *title;
} Choice;

static void
on_chosen (AdwComboRow *row,
           GParamSpec *pspec,
           GSettings *settings)
{
  const Choice *choices = g_object_get_data (G_OBJECT (row), "choices");

  ts_settings_set_string (settings, g_object_get_data (G_OBJECT (row), "key"),
                          choices[adw_combo_row_get_selected (row)].value);
}

/* @choices: static */
static void
add_choice (AdwPreferencesGroup *group,
            GSettings *settings,
            const char *key,
            const Choice *choices,
            const char *title,
            const char *subtitle)
{
  GtkWidget *row = adw_combo_row_new ();
  g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);
  g_autofree char *value = ts_settings_dup_string (settings, key);
  guint selected = 0;

  for (guint i = 0; choices[i].title != NULL; i++)
    {
      gtk_string_list_append (model, _ (choices[i].title));
      if (g_strcmp0 (choices[i].value, value) == 0)
        selected = i;
    }
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), selected);
  g_object_set_data (G_OBJECT (row), "key", (gpointer) key);
  g_object_set_data (G_OBJECT (row), "choices", (gpointer) choices);
  if (settings != NULL)
    g_signal_connect_object (row, "notify::selected", G_CALLBACK (on_chosen), settings, 0);
  adw_preferences_group_add (group, row);
}

/* --- the cache -------------------------------------------------------------------------------- */

static void
trim_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  gint64 gigabytes = *(const gint64 *) data;
  g_autoptr (GPtrArray) entries = NULL;
  guint64 n_bytes = 0;

  if (gigabytes >= 0)
    ts_index_trim ((guint64) gigabytes << 30);
  entries = ts_index_list ();
  for (guint i = 0; i < entries->len; i++)
    n_bytes += ((const TsIndexEntry *) g_ptr_array_index (entries, i))->n_bytes;
  g_task_return_pointer (task, ts_format_bytes (n_bytes), g_free);
}

static void
on_trimmed (GObject *source,
            GAsyncResult *result,
            gpointer user_data)
{
  g_autofree char *size = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autofree char *text = NULL;

  /* translators: how much disk is used, such as 1.2 GB */
  text = g_strdup_printf (_ ("%s used"), size);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (source), text);
}

/* Removes what is beyond a size (0: everything, negative: nothing), and tells what is left. */
static void
trim_cache (AdwActionRow *row,
            gint64 gigabytes)
{
  g_autoptr (GTask) task = g_task_new (row, NULL, on_trimmed, NULL);

  g_task_set_source_tag (task, trim_cache);
  g_task_set_name (task, "[ts-ui] cache of indexes");
  g_task_set_task_data (task, g_memdup2 (&gigabytes, sizeof gigabytes), g_free);
  g_task_run_in_thread (task, trim_thread);
}

static void
on_clear_cache (GtkButton *button,
                AdwActionRow *row)
{
  trim_cache (row, 0);
}

static void
on_cache_size (GtkSpinButton *spin,
               AdwActionRow *row)
{
  GSettings *settings = g_object_get_data (G_OBJECT (spin), "settings");
  int gigabytes = gtk_spin_button_get_value_as_int (spin);

  ts_settings_set_int (settings, "cache-gigabytes", gigabytes);
  trim_cache (row, gigabytes);
}

static void
add_cache (AdwPreferencesGroup *group,
           GSettings *settings)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *spin = gtk_spin_button_new_with_range (1, 1000, 1);
  GtkWidget *clear = gtk_button_new_with_mnemonic (_ ("_Clear"));

  /* translators: indexes are lanes made once for recordings of other programs, kept on disk */
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Indexes of Other Recordings (GB)"));
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (clear, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (spin, _ ("What They May Take Together"));
  ts_row_control_take_name (spin, ADW_PREFERENCES_ROW (row));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin),
                             ts_settings_get_int (settings, "cache-gigabytes", 8));
  g_object_set_data (G_OBJECT (spin), "settings", settings);
  g_signal_connect_object (spin, "value-changed", G_CALLBACK (on_cache_size), row, 0);
  g_signal_connect_object (clear, "clicked", G_CALLBACK (on_clear_cache), row, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), clear);
  adw_preferences_group_add (group, row);
  trim_cache (ADW_ACTION_ROW (row), -1);
}

/* --- the window ------------------------------------------------------------------------------- */

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page,
           const char *title)
{
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());

  adw_preferences_group_set_title (group, title);
  adw_preferences_page_add (page, group);
  return group;
}

static void
add_timeline (AdwPreferencesPage *page,
              GSettings *settings)
{
  static const Choice colors[] = { { "task", N_ ("Its Own") }, { "state", N_ ("What It Does") },
                                  { NULL, NULL } };
  static const Choice scopes[] = { { "both", N_ ("Timeline and List") },
                                   { "timeline", N_ ("Timeline Only") },
                                   { "list", N_ ("List Only") },
                                   { NULL, NULL } };
  AdwPreferencesGroup *group = add_group (page, _ ("Timeline"));

  add_choice (group, settings, "color-by", colors, _ ("Colour of a Task"),
              _ ("By state: running green, ready yellow, blocked orange, asleep grey"));
  add_switch (group, settings, "state-labels", TRUE, _ ("Write States"),
              _ ("How long it ran, what it waits for, beside shape and colour"));
  add_switch (group, settings, "drag-pans", FALSE, _ ("Dragging Moves the View"),
              _ ("A range is then selected with Shift; else dragging selects a range"));
  add_choice (group, settings, "filter-scope", scopes, _ ("Filters Hold For"), "");
  add_switch (group, settings, "restore-session", TRUE, _ ("Come Back to the Last View"),
              _ ("Place, lanes, filters and cursors of a recording opened again; marks are always "
                 "kept"));
  add_switch (group, settings, "show-hints", TRUE, _ ("Show Hints"),
              _ ("A line above the timeline for those who are new here"));
}

static void
add_times (AdwPreferencesPage *page,
           GSettings *settings)
{
  static const Choice styles[] = { { "begin", N_ ("Begin of the Recording") },
                                   { "zero", N_ ("A Place of Your Choice (O)") },
                                   { "day", N_ ("Midnight (Time of Day)") },
                                   { NULL, NULL } };
  static const Choice units[] = { { "auto", N_ ("Automatic") }, { "s", N_ ("Seconds") },
                                  { "ms", N_ ("Milliseconds") }, { "us", N_ ("Microseconds") },
                                  { "ticks", N_ ("Ticks") },     { NULL, NULL } };
  AdwPreferencesGroup *group = add_group (page, _ ("Times"));

  add_choice (group, settings, "time-style", styles, _ ("Counted From"), "");
  add_choice (group, settings, "time-unit", units, _ ("Unit"), "");
}

static void
add_recording (AdwPreferencesPage *page,
               GSettings *settings)
{
  AdwPreferencesGroup *group = add_group (page, _ ("Recording"));

  add_switch (group, settings, "follow-new", TRUE, _ ("Follow a New Recording"),
              _ ("The view stays at the live end until you go back"));
  add_switch (group, settings, "follow-resume", TRUE, _ ("Follow Again at the Live End"),
              _ ("Coming back to the end takes up following"));
  add_switch (group, settings, "keep-raw-log", TRUE, _ ("Keep the Raw Bytes"),
              _ ("The file grows by what arrives; new captures begin with this choice"));
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

  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  ts_text_scale_set_window_size (GTK_WINDOW (window), WINDOW_WIDTH, WINDOW_HEIGHT);
  add_timeline (page, settings);
  add_times (page, settings);
  add_recording (page, settings);
  add_cache (add_group (page, _ ("Disk")), settings);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  if (settings != NULL)
    g_object_set_data_full (G_OBJECT (window), "settings", settings, g_object_unref);
  gtk_window_present (GTK_WINDOW (window));
  return GTK_WINDOW (window);
}
