/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-table-window.h: the rows of a table that are on screen, with what is selected of them.
 *
 * GTK makes widgets for two hundred rows of a list, seen or not: 4000 cells of a table with twenty
 * columns, half a second and 25 MB. Through a window it makes them for the rows that are seen.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_TABLE_WINDOW (ts_table_window_get_type ())
G_DECLARE_FINAL_TYPE (TsTableWindow, ts_table_window, TS, TABLE_WINDOW, GObject)

TsTableWindow *ts_table_window_new (GtkSelectionModel *all);
guint ts_table_window_get_offset (TsTableWindow *self);
void ts_table_window_move (TsTableWindow *self,
                           guint offset,
                           guint size);

G_END_DECLS
