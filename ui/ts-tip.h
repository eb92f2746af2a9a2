/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tip.h: tooltips of cells, which are written by the hundred.
 *
 * gtk_widget_set_tooltip_text() asks the display server where the pointer is, each time, and waits for
 * the answer. These are looked up when somebody points at the cell.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ts_tip_set (GtkWidget *widget,
                 const char *text);

G_END_DECLS
