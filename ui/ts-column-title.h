/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-column-title.h: titles of a table's columns, where the cells below them stand. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void ts_column_title_align_end (GtkColumnView *view,
                                guint column);
GtkWidget *ts_column_view_get_list (GtkColumnView *view);

G_END_DECLS
