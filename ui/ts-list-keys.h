/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-list-keys.h: where keys and the wheel lead, in every list that moves by itself. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean ts_list_key_move (guint keyval,
                           gint64 n_rows,
                           gint64 page,
                           gint64 *row);

double ts_list_wheel_move (GtkEventControllerScroll *controller,
                           double dy,
                           int row_height,
                           double *rest);
int ts_list_get_row_height (GtkWidget *list,
                            int usual);

G_END_DECLS
