/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-column-title.h"

/**
 * ts_column_title_align_end:
 * @view: a table
 * @column: number of a column that it has already
 *
 * Sets the title over figures that stand at the end of their cells. GTK has no function for it: the
 * first row of a table holds a widget for each title, in the order of the columns.
 *
 * Thread: main
 */
void
ts_column_title_align_end (GtkColumnView *view,
                           guint column)
{
  GtkWidget *header;
  GtkWidget *title;
  GtkWidget *content;

  g_return_if_fail (GTK_IS_COLUMN_VIEW (view));

  header = gtk_widget_get_first_child (GTK_WIDGET (view));
  title = header != NULL ? gtk_widget_get_first_child (header) : NULL;
  for (guint i = 0; i < column && title != NULL; i++)
    title = gtk_widget_get_next_sibling (title);
  content = title != NULL ? gtk_widget_get_first_child (title) : NULL;
  if (content != NULL)
    gtk_widget_set_halign (content, GTK_ALIGN_END);
}

/**
 * ts_column_view_get_list:
 * @view: a table
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): the part of it with the rows, which are its children
 */
GtkWidget *
ts_column_view_get_list (GtkColumnView *view)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (view));

  while (child != NULL && !GTK_IS_LIST_VIEW (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}
