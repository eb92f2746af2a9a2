/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-list-keys.h"

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
