/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-row-control.h"

static void
on_title (AdwPreferencesRow *row,
          GParamSpec *pspec,
          GtkWidget *control)
{
  const char *title = adw_preferences_row_get_title (row);
  g_autoptr (GString) name = g_string_new (title);

  if (adw_preferences_row_get_use_underline (row))
    g_string_replace (name, "_", "", 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name->str, -1);
}

/**
 * ts_row_control_take_name:
 * @control: a switch or another control in @row
 * @row: a row
 *
 * A screen reader calls @control as @row is titled, now and when the title changes: rows of libadwaita
 * 1.2 do not see to that.
 *
 * Thread: main
 */
void
ts_row_control_take_name (GtkWidget *control,
                          AdwPreferencesRow *row)
{
  g_return_if_fail (GTK_IS_ACCESSIBLE (control));
  g_return_if_fail (ADW_IS_PREFERENCES_ROW (row));

  g_signal_connect_object (row, "notify::title", G_CALLBACK (on_title), control, 0);
  on_title (row, NULL, control);
}

static GtkWidget *
find_switch (GtkWidget *widget)
{
  GtkWidget *found = GTK_IS_SWITCH (widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_switch (child);
  return found;
}

/**
 * ts_row_control_name_switch:
 * @row: a row without rows below it yet, with a title
 *
 * The same for the switch that @row has of its own.
 *
 * Thread: main
 */
void
ts_row_control_name_switch (AdwExpanderRow *row)
{
  GtkWidget *control;

  g_return_if_fail (ADW_IS_EXPANDER_ROW (row));

  control = find_switch (GTK_WIDGET (row));
  if (control != NULL)
    ts_row_control_take_name (control, ADW_PREFERENCES_ROW (row));
}
