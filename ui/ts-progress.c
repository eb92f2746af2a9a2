/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <adwaita.h>

#include "ui/ts-progress.h"

/**
 * ts_progress_show:
 * @bar: a bar
 * @fraction: how much is done; negative: not known
 *
 * What is not known moves to and fro, one step for each call; not where the desktop asks for reduced
 * motion: there the bar stays full, and the words beside it say that work goes on.
 *
 * Thread: main
 */
void
ts_progress_show (GtkProgressBar *bar,
                  double fraction)
{
  g_return_if_fail (GTK_IS_PROGRESS_BAR (bar));

  if (fraction >= 0.0)
    gtk_progress_bar_set_fraction (bar, MIN (fraction, 1.0));
  else if (adw_get_enable_animations (GTK_WIDGET (bar)))
    gtk_progress_bar_pulse (bar);
  else
    gtk_progress_bar_set_fraction (bar, 1.0);
}
