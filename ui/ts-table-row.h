/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-table-row.h: one row of a table of figures, and rows by the hundred thousand.
 *
 * A row is what a table binds its widgets to: cells of text, each with a number to sort by and
 * perhaps a place it leads to. Of many rows nobody reads more than a screen, so a set of rows is
 * whatever its maker computed, and rows are made of it when they are looked at.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define TS_TYPE_TABLE_ROW (ts_table_row_get_type ())
G_DECLARE_FINAL_TYPE (TsTableRow, ts_table_row, TS, TABLE_ROW, GObject)

/* Signal "changed": its cells say something else. */
TsTableRow *ts_table_row_new (guint n_cells,
                              guint32 lane,
                              gint64 begin,
                              gint64 end);
void ts_table_row_set_text (TsTableRow *self,
                            guint column,
                            char *text);
void ts_table_row_set_number (TsTableRow *self,
                              guint column,
                              char *text,
                              double key);
void ts_table_row_set_link (TsTableRow *self,
                            guint column,
                            gint64 begin,
                            gint64 end);
const char *ts_table_row_get_text (TsTableRow *self,
                                   guint column);
double ts_table_row_get_key (TsTableRow *self,
                             guint column);
gboolean ts_table_row_get_link (TsTableRow *self,
                                guint column,
                                gint64 *begin,
                                gint64 *end);
guint32 ts_table_row_get_lane (TsTableRow *self);
gboolean ts_table_row_get_place (TsTableRow *self,
                                 gint64 *begin,
                                 gint64 *end);

/**
 * TsTablePlace:
 * @lane: lane a row is about, 0 none
 * @begin: first tick of its place, -1 if it has none
 * @end: tick after the last
 *
 * Rows of the same lane and begin tell of the same thing, then and later.
 */
typedef struct
{
  guint32 lane;
  gint64 begin;
  gint64 end;
} TsTablePlace;

/**
 * TsTableRowsFuncs:
 * @get_place: what row @row of @data is about
 * @get_key: what its cell of a number is sorted by
 * @get_text: (nullable result): what its cell of text says; lives as long as @data
 * @fill: writes the cells of a new row
 *
 * Thread: any, one at a time
 */
typedef struct
{
  void (*get_place) (gconstpointer data,
                     guint row,
                     TsTablePlace *place);
  double (*get_key) (gconstpointer data,
                     guint row,
                     guint column);
  const char *(*get_text) (gconstpointer data,
                           guint row,
                           guint column);
  void (*fill) (gconstpointer data,
                guint row,
                TsTableRow *into);
} TsTableRowsFuncs;

/**
 * TsTableRows: a set of rows that does not change.
 */
typedef struct _TsTableRows TsTableRows;

TsTableRows *ts_table_rows_new (const TsTableRowsFuncs *funcs,
                                guint n_rows,
                                guint n_columns,
                                gpointer data,
                                GDestroyNotify data_free);
TsTableRows *ts_table_rows_new_from_array (GPtrArray *rows);
TsTableRows *ts_table_rows_ref (TsTableRows *self);
void ts_table_rows_unref (TsTableRows *self);
guint ts_table_rows_get_n_rows (const TsTableRows *self);
void ts_table_rows_get_place (const TsTableRows *self,
                              guint row,
                              TsTablePlace *place);
double ts_table_rows_get_key (const TsTableRows *self,
                              guint row,
                              guint column);
const char *ts_table_rows_get_text (const TsTableRows *self,
                                    guint row,
                                    guint column);
TsTableRow *ts_table_rows_make_row (TsTableRows *self,
                                    guint row);
gboolean _ts_table_row_take_over (TsTableRow *self,
                                  TsTableRows *rows,
                                  guint row);
guint _ts_table_row_get_index (TsTableRow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsTableRows, ts_table_rows_unref)

G_END_DECLS
