/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-tip.h"

static const char tip_key[] = "ts-tip";

static gboolean
on_query (GtkWidget *widget,
          int x,
          int y,
          gboolean is_by_keyboard,
          GtkTooltip *tooltip)
{
  const char *text = g_object_get_data (G_OBJECT (widget), tip_key);

  if (text == NULL)
    return FALSE;
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/**
 * ts_tip_set:
 * @widget: a widget
 * @text: (nullable): what is told of it when the pointer rests there, and to who cannot see it
 *
 * Cost: some microseconds; nobody is waited for
 * Thread: main
 */
void
ts_tip_set (GtkWidget *widget,
            const char *text)
{
  const char *before;

  g_return_if_fail (GTK_IS_WIDGET (widget));
  before = g_object_get_data (G_OBJECT (widget), tip_key);
  if (g_strcmp0 (before, text) == 0)
    return;
  if (!gtk_widget_get_has_tooltip (widget))
    {
      gtk_widget_set_has_tooltip (widget, TRUE);
      g_signal_connect (widget, "query-tooltip", G_CALLBACK (on_query), NULL);
    }
  g_object_set_data_full (G_OBJECT (widget), tip_key, g_strdup (text), g_free);
  if (text != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    text, -1);
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}
