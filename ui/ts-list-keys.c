/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include "ui/ts-list-keys.h"

/* For each step of a wheel. */
#define WHEEL_ROWS 3.0

/**
 * ts_list_key_move:
 * @keyval: a key
 * @n_rows: rows of the list, at least 1
 * @page: rows that are seen at once
 * @row: (inout): the row chosen, from 0; one beside the list counts as its end
 *
 * The keys of a number pad lead to where those with the same signs do.
 *
 * Thread: main
 *
 * Returns: %FALSE for a key that does not move; @row is as it was
 */
gboolean
ts_list_key_move (guint keyval,
                  gint64 n_rows,
                  gint64 page,
                  gint64 *row)
{
  gint64 to = *row;

  switch (keyval)
    {
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      to--;
      break;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      to++;
      break;
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      to -= page;
      break;
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      to += page;
      break;
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
      to = 0;
      break;
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
      to = n_rows - 1;
      break;
    default:
      return FALSE;
    }
  *row = CLAMP (to, 0, n_rows - 1);
  return TRUE;
}

/**
 * ts_list_wheel_move:
 * @controller: what was turned
 * @dy: how far, in its unit
 * @row_height: height of a row, pixels
 * @rest: (inout): part of a row that is left from before
 *
 * Thread: main
 *
 * Returns: whole rows to go, downwards
 */
double
ts_list_wheel_move (GtkEventControllerScroll *controller,
                    double dy,
                    int row_height,
                    double *rest)
{
  double rows = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE
                    ? dy / row_height
                    : dy * WHEEL_ROWS;
  double whole = trunc (*rest + rows);

  *rest += rows - whole;
  return whole;
}

/**
 * ts_list_get_row_height:
 * @list: (nullable): the widget whose children are rows
 * @usual: what to take while there is no row that has been laid out
 *
 * Thread: main
 *
 * Returns: height of a row, pixels
 */
int
ts_list_get_row_height (GtkWidget *list,
                        int usual)
{
  GtkWidget *row = list != NULL ? gtk_widget_get_first_child (list) : NULL;
  int height = row != NULL ? gtk_widget_get_allocated_height (row) : 0;

  return height > 4 ? height : usual;
}
