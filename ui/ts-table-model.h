/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-table-model.h: rows of a table in the order in which they are shown, made on demand.
 *
 * What is kept of a row that nobody looks at is its number: a sorted list of a hundred thousand
 * takes 400 KB beside what the rows are made of. A row that somebody holds is always the same
 * object, wherever it moves, and stays one when rows of the same things come instead.
 */
#pragma once

#include <gio/gio.h>

#include "ui/ts-table-row.h"

G_BEGIN_DECLS

/**
 * TsTableOrder:
 * @column: a column
 * @is_number: of numbers, not of text
 * @is_descending: the largest first
 */
typedef struct
{
  guint column;
  gboolean is_number;
  gboolean is_descending;
} TsTableOrder;

#define TS_TYPE_TABLE_MODEL (ts_table_model_get_type ())
G_DECLARE_FINAL_TYPE (TsTableModel, ts_table_model, TS, TABLE_MODEL, GObject)

TsTableModel *ts_table_model_new (void);
void ts_table_model_set_rows (TsTableModel *self,
                              TsTableRows *rows);
void ts_table_model_set_order (TsTableModel *self,
                               const TsTableOrder *orders,
                               guint n_orders);
void ts_table_model_for_each_made (TsTableModel *self,
                                   GFunc func,
                                   gpointer user_data);
guint ts_table_model_find (TsTableModel *self,
                           TsTableRow *row);
guint ts_table_model_get_n_made (TsTableModel *self);

G_END_DECLS
