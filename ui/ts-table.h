/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-table.h: a table of figures that can be sorted by any column and leads to places.
 *
 * Rows are made by whoever computed them (on any thread) and only shown here. A cell can be a link
 * to a place of its own; a click on the rest of a row leads to the row's place.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

#include "ui/ts-table-row.h"

G_BEGIN_DECLS

#define TS_TYPE_TABLE (ts_table_get_type ())
G_DECLARE_FINAL_TYPE (TsTable, ts_table, TS, TABLE, GtkWidget)

/* Signal "go-to" (guint lane, gint64 begin, gint64 end): a place was asked for; begin -1: only the
 * lane. */
GtkWidget *ts_table_new (const char *name);
void ts_table_add_column (TsTable *self,
                          const char *title,
                          int width,
                          gboolean is_number);
void ts_table_expand_column (TsTable *self,
                             guint column);
void ts_table_set_time_column (TsTable *self,
                               guint column,
                               TsViewState *view);
void ts_table_set_rows (TsTable *self,
                        GPtrArray *rows);
void ts_table_set_row_set (TsTable *self,
                           TsTableRows *rows);
guint ts_table_get_n_rows (TsTable *self);
TsTableRow *ts_table_get_row (TsTable *self,
                              guint position);
void ts_table_sort (TsTable *self,
                    guint column,
                    GtkSortType direction);
void ts_table_activate (TsTable *self,
                        guint position,
                        int column);
GtkSingleSelection *ts_table_get_selection (TsTable *self);
guint ts_table_get_n_made (TsTable *self);

G_END_DECLS
