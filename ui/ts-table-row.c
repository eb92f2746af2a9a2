/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-table-row.h"

/* --- one row ---------------------------------------------------------------------------------- */

/**
 * TsTableCell:
 * @text: (nullable): what is shown
 * @key: what numbers are sorted by
 * @begin, @end: where a link leads; @begin -1: no link
 */
typedef struct
{
  char *text;
  double key;
  gint64 begin;
  gint64 end;
} TsTableCell;

/**
 * TsTableRow:
 * @source: (nullable): what it is a row of
 * @index: which of them
 * @cells: (nullable): %NULL until somebody reads them
 */
struct _TsTableRow
{
  GObject parent_instance;

  guint32 lane;
  gint64 begin;
  gint64 end;
  guint n_cells;
  TsTableCell *cells;
  TsTableRows *source;
  guint index;
};

struct _TsTableRows
{
  gatomicrefcount ref_count;
  const TsTableRowsFuncs *funcs;
  guint n_rows;
  guint n_columns;
  gpointer data;
  GDestroyNotify data_free;
};

static guint row_changed;

G_DEFINE_FINAL_TYPE (TsTableRow, ts_table_row, G_TYPE_OBJECT)

static void
clear_cells (TsTableRow *self)
{
  for (guint i = 0; self->cells != NULL && i < self->n_cells; i++)
    g_free (self->cells[i].text);
  g_clear_pointer (&self->cells, g_free);
}

static void
ts_table_row_finalize (GObject *object)
{
  TsTableRow *self = TS_TABLE_ROW (object);

  clear_cells (self);
  g_clear_pointer (&self->source, ts_table_rows_unref);
  G_OBJECT_CLASS (ts_table_row_parent_class)->finalize (object);
}

static void
ts_table_row_class_init (TsTableRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_table_row_finalize;
  /* Its cells say something else. */
  row_changed = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                              NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_table_row_init (TsTableRow *self)
{
}

static void
make_cells (TsTableRow *self)
{
  self->cells = g_new0 (TsTableCell, self->n_cells);
  for (guint i = 0; i < self->n_cells; i++)
    {
      self->cells[i].key = -1;
      self->cells[i].begin = -1;
    }
}

/* Cells are written when the first is read. */
static void
need_cells (TsTableRow *self)
{
  if (self->cells != NULL)
    return;
  make_cells (self);
  if (self->source != NULL)
    self->source->funcs->fill (self->source->data, self->index, self);
}

/**
 * ts_table_row_new:
 * @n_cells: number of columns
 * @lane: lane it is about, 0 none
 * @begin: first tick of its place, -1 if it has none
 * @end: tick after the last
 *
 * Thread: any
 *
 * Returns: (transfer full): a row of empty cells
 */
TsTableRow *
ts_table_row_new (guint n_cells,
                  guint32 lane,
                  gint64 begin,
                  gint64 end)
{
  TsTableRow *self = g_object_new (TS_TYPE_TABLE_ROW, NULL);

  self->lane = lane;
  self->begin = begin;
  self->end = end;
  self->n_cells = n_cells;
  make_cells (self);
  return self;
}

/**
 * ts_table_row_set_text:
 * @self: a row
 * @column: a column
 * @text: (transfer full) (nullable): what it says
 *
 * Thread: the one that made it, before it is shown
 */
void
ts_table_row_set_text (TsTableRow *self,
                       guint column,
                       char *text)
{
  g_return_if_fail (TS_IS_TABLE_ROW (self));
  g_return_if_fail (column < self->n_cells);
  g_free (self->cells[column].text);
  self->cells[column].text = text;
}

/**
 * ts_table_row_set_number:
 * @self: a row
 * @column: a column
 * @text: (transfer full) (nullable): what it says
 * @key: what it is sorted by
 *
 * Thread: the one that made it, before it is shown
 */
void
ts_table_row_set_number (TsTableRow *self,
                         guint column,
                         char *text,
                         double key)
{
  ts_table_row_set_text (self, column, text);
  self->cells[column].key = key;
}

/**
 * ts_table_row_set_link:
 * @self: a row
 * @column: a column
 * @begin: first tick
 * @end: tick after the last
 *
 * Makes the cell lead to a place.
 *
 * Thread: the one that made it, before it is shown
 */
void
ts_table_row_set_link (TsTableRow *self,
                       guint column,
                       gint64 begin,
                       gint64 end)
{
  g_return_if_fail (TS_IS_TABLE_ROW (self));
  g_return_if_fail (column < self->n_cells);
  self->cells[column].begin = begin;
  self->cells[column].end = end;
}

/**
 * ts_table_row_get_text:
 * @self: a row
 * @column: a column
 *
 * Thread: main
 *
 * Returns: (transfer none): what the cell says, "" if nothing
 */
const char *
ts_table_row_get_text (TsTableRow *self,
                       guint column)
{
  g_return_val_if_fail (TS_IS_TABLE_ROW (self), "");
  need_cells (self);
  if (column >= self->n_cells || self->cells[column].text == NULL)
    return "";
  return self->cells[column].text;
}

/**
 * ts_table_row_get_key:
 * @self: a row
 * @column: a column of numbers
 *
 * Thread: main
 *
 * Returns: what the cell is sorted by, -1 if it says nothing
 */
double
ts_table_row_get_key (TsTableRow *self,
                      guint column)
{
  g_return_val_if_fail (TS_IS_TABLE_ROW (self), -1);
  need_cells (self);
  return column < self->n_cells ? self->cells[column].key : -1;
}

/**
 * ts_table_row_get_link:
 * @self: a row
 * @column: a column
 * @begin: (out): first tick
 * @end: (out): tick after the last
 *
 * Thread: main
 *
 * Returns: whether the cell leads to a place
 */
gboolean
ts_table_row_get_link (TsTableRow *self,
                       guint column,
                       gint64 *begin,
                       gint64 *end)
{
  g_return_val_if_fail (TS_IS_TABLE_ROW (self), FALSE);
  need_cells (self);
  if (column >= self->n_cells || self->cells[column].begin < 0)
    return FALSE;
  *begin = self->cells[column].begin;
  *end = self->cells[column].end;
  return TRUE;
}

/**
 * ts_table_row_get_lane:
 * @self: a row
 *
 * Thread: main
 *
 * Returns: the lane it is about, 0 none
 */
guint32
ts_table_row_get_lane (TsTableRow *self)
{
  g_return_val_if_fail (TS_IS_TABLE_ROW (self), 0);
  return self->lane;
}

/**
 * ts_table_row_get_place:
 * @self: a row
 * @begin: (out): first tick
 * @end: (out): tick after the last
 *
 * Thread: main
 *
 * Returns: whether it has a place of its own
 */
gboolean
ts_table_row_get_place (TsTableRow *self,
                        gint64 *begin,
                        gint64 *end)
{
  g_return_val_if_fail (TS_IS_TABLE_ROW (self), FALSE);
  *begin = self->begin;
  *end = self->end;
  return self->begin >= 0;
}

static gboolean
says_the_same (const TsTableRow *self,
               const TsTableRow *other)
{
  if (self->end != other->end)
    return FALSE;
  for (guint i = 0; i < self->n_cells; i++)
    {
      const TsTableCell *a = &self->cells[i];
      const TsTableCell *b = &other->cells[i];

      if (a->key != b->key || a->begin != b->begin || a->end != b->end
          || g_strcmp0 (a->text, b->text) != 0)
        return FALSE;
    }
  return TRUE;
}

/*
 * _ts_table_row_take_over:
 * @self: a row that a table made
 * @rows: other rows
 * @row: the one of them that tells of the same thing
 *
 * Says what that one says.
 *
 * Thread: main
 *
 * Returns: whether that is something else
 */
gboolean
_ts_table_row_take_over (TsTableRow *self,
                         TsTableRows *rows,
                         guint row)
{
  g_autoptr (TsTableRow) other = ts_table_rows_make_row (rows, row);
  gboolean had_cells = self->cells != NULL;
  gboolean is_new = FALSE;

  if (had_cells)
    {
      need_cells (other);
      is_new = self->n_cells != other->n_cells || !says_the_same (self, other);
      clear_cells (self);
      self->cells = g_steal_pointer (&other->cells);
    }
  self->n_cells = other->n_cells;
  self->end = other->end;
  g_clear_pointer (&self->source, ts_table_rows_unref);
  self->source = ts_table_rows_ref (rows);
  self->index = row;
  if (is_new)
    g_signal_emit (self, row_changed, 0);
  return is_new;
}

/* Which of its rows it is. */
guint
_ts_table_row_get_index (TsTableRow *self)
{
  return self->index;
}

/* --- a set of rows ---------------------------------------------------------------------------- */

/**
 * ts_table_rows_new:
 * @funcs: (not nullable): how rows are made of @data; static
 * @n_rows: how many there are
 * @n_columns: cells of each
 * @data: (transfer full): what they are made of, not touched by anybody else from now on
 * @data_free: (nullable): frees it
 *
 * Thread: any
 *
 * Returns: (transfer full): the rows
 */
TsTableRows *
ts_table_rows_new (const TsTableRowsFuncs *funcs,
                   guint n_rows,
                   guint n_columns,
                   gpointer data,
                   GDestroyNotify data_free)
{
  TsTableRows *self = g_new0 (TsTableRows, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->funcs = funcs;
  self->n_rows = n_rows;
  self->n_columns = n_columns;
  self->data = data;
  self->data_free = data_free;
  return self;
}

static const TsTableRow *
peek (gconstpointer data,
      guint row)
{
  return ((const GPtrArray *) data)->pdata[row];
}

static void
array_get_place (gconstpointer data,
                 guint row,
                 TsTablePlace *place)
{
  const TsTableRow *given = peek (data, row);

  *place = (TsTablePlace) { given->lane, given->begin, given->end };
}

static double
array_get_key (gconstpointer data,
               guint row,
               guint column)
{
  const TsTableRow *given = peek (data, row);

  return column < given->n_cells ? given->cells[column].key : -1;
}

static const char *
array_get_text (gconstpointer data,
                guint row,
                guint column)
{
  const TsTableRow *given = peek (data, row);

  return column < given->n_cells ? given->cells[column].text : NULL;
}

/* The rows that were given are not the table's to change. */
static void
array_fill (gconstpointer data,
            guint row,
            TsTableRow *into)
{
  const TsTableRow *given = peek (data, row);

  for (guint i = 0; i < MIN (given->n_cells, into->n_cells); i++)
    {
      into->cells[i] = given->cells[i];
      into->cells[i].text = g_strdup (given->cells[i].text);
    }
}

static const TsTableRowsFuncs array_funcs = {
  array_get_place,
  array_get_key,
  array_get_text,
  array_fill,
};

/**
 * ts_table_rows_new_from_array:
 * @rows: (element-type TsTableRow): a few rows, ready made
 *
 * Thread: any
 *
 * Returns: (transfer full): the same as a set
 */
TsTableRows *
ts_table_rows_new_from_array (GPtrArray *rows)
{
  GPtrArray *own = g_ptr_array_new_full (rows->len, g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (own, g_object_ref (rows->pdata[i]));
  return ts_table_rows_new (&array_funcs, own->len, own->len > 0 ? peek (own, 0)->n_cells : 0, own,
                            (GDestroyNotify) g_ptr_array_unref);
}

/**
 * ts_table_rows_ref:
 * @self: a set of rows
 *
 * Thread: any
 *
 * Returns: (transfer full): the same
 */
TsTableRows *
ts_table_rows_ref (TsTableRows *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * ts_table_rows_unref:
 * @self: (transfer full): a set of rows
 *
 * Thread: any
 */
void
ts_table_rows_unref (TsTableRows *self)
{
  g_return_if_fail (self != NULL);
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  if (self->data_free != NULL)
    self->data_free (self->data);
  g_free (self);
}

/**
 * ts_table_rows_get_n_rows:
 * @self: a set of rows
 *
 * Thread: any
 *
 * Returns: how many there are
 */
guint
ts_table_rows_get_n_rows (const TsTableRows *self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->n_rows;
}

/**
 * ts_table_rows_get_place:
 * @self: a set of rows
 * @row: one of them
 * @place: (out): what it is about
 *
 * Thread: main
 */
void
ts_table_rows_get_place (const TsTableRows *self,
                         guint row,
                         TsTablePlace *place)
{
  g_return_if_fail (self != NULL && row < self->n_rows);
  self->funcs->get_place (self->data, row, place);
}

/**
 * ts_table_rows_get_key:
 * @self: a set of rows
 * @row: one of them
 * @column: a column of numbers
 *
 * Thread: main
 *
 * Returns: what the cell is sorted by
 */
double
ts_table_rows_get_key (const TsTableRows *self,
                       guint row,
                       guint column)
{
  g_return_val_if_fail (self != NULL && row < self->n_rows, -1);
  return self->funcs->get_key (self->data, row, column);
}

/**
 * ts_table_rows_get_text:
 * @self: a set of rows
 * @row: one of them
 * @column: a column of text
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): what the cell says
 */
const char *
ts_table_rows_get_text (const TsTableRows *self,
                        guint row,
                        guint column)
{
  g_return_val_if_fail (self != NULL && row < self->n_rows, NULL);
  return self->funcs->get_text (self->data, row, column);
}

/**
 * ts_table_rows_make_row:
 * @self: a set of rows
 * @row: one of them
 *
 * Thread: main
 *
 * Returns: (transfer full): the row; its cells are written when they are read
 */
TsTableRow *
ts_table_rows_make_row (TsTableRows *self,
                        guint row)
{
  TsTableRow *made;
  TsTablePlace place;

  g_return_val_if_fail (self != NULL && row < self->n_rows, NULL);
  made = g_object_new (TS_TYPE_TABLE_ROW, NULL);
  self->funcs->get_place (self->data, row, &place);
  made->lane = place.lane;
  made->begin = place.begin;
  made->end = place.end;
  made->n_cells = self->n_columns;
  made->source = ts_table_rows_ref (self);
  made->index = row;
  return made;
}
