/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-column-title.h"
#include "ui/ts-table.h"
#include "ui/ts-text-scale.h"

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

struct _TsTableRow
{
  GObject parent_instance;

  guint32 lane;
  gint64 begin;
  gint64 end;
  guint n_cells;
  TsTableCell *cells;
};

static guint row_changed;

G_DEFINE_FINAL_TYPE (TsTableRow, ts_table_row, G_TYPE_OBJECT)

static void
clear_cells (TsTableRow *self)
{
  for (guint i = 0; i < self->n_cells; i++)
    g_free (self->cells[i].text);
  g_clear_pointer (&self->cells, g_free);
}

static void
ts_table_row_finalize (GObject *object)
{
  clear_cells (TS_TABLE_ROW (object));
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
  self->cells = g_new0 (TsTableCell, n_cells);
  for (guint i = 0; i < n_cells; i++)
    {
      self->cells[i].key = -1;
      self->cells[i].begin = -1;
    }
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
  if (column >= self->n_cells || self->cells[column].text == NULL)
    return "";
  return self->cells[column].text;
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

/* Whether @other tells of the same thing as @self, if perhaps something else. */
static gboolean
is_same_thing (const TsTableRow *self,
               const TsTableRow *other)
{
  return self->lane == other->lane && self->begin == other->begin
         && self->n_cells == other->n_cells;
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

static void
copy_cells (TsTableRow *self,
            const TsTableRow *other)
{
  clear_cells (self);
  self->n_cells = other->n_cells;
  self->cells = g_memdup2 (other->cells, other->n_cells * sizeof other->cells[0]);
  for (guint i = 0; i < self->n_cells; i++)
    self->cells[i].text = g_strdup (other->cells[i].text);
}

/* A row of the table's own: those it is given are not its to change. */
static TsTableRow *
copy_row (const TsTableRow *row)
{
  TsTableRow *self = g_object_new (TS_TYPE_TABLE_ROW, NULL);

  self->lane = row->lane;
  self->begin = row->begin;
  self->end = row->end;
  copy_cells (self, row);
  return self;
}

/* Says what @other says, a row about the same thing. */
static gboolean
take_over (TsTableRow *self,
           const TsTableRow *other)
{
  if (says_the_same (self, other))
    return FALSE;
  self->end = other->end;
  copy_cells (self, other);
  g_signal_emit (self, row_changed, 0);
  return TRUE;
}

/* --- the table -------------------------------------------------------------------------------- */

/**
 * TsTable:
 * @pending: (nullable) (element-type TsTableRow): what it shows once it is seen
 * @view: (nullable): how times are told in @time_column: those of the rows' places
 * @time_serial: what they were written with
 */
struct _TsTable
{
  GtkWidget parent_instance;

  GtkWidget *scrolled;
  GtkColumnView *column_view;
  GListStore *store;
  GtkSingleSelection *selection;
  GPtrArray *pending;
  guint n_columns;
  TsViewState *view;
  GSignalGroup *view_signals;
  guint time_column;
  guint time_serial;
};

enum
{
  SIGNAL_GO_TO,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsTable, ts_table, GTK_TYPE_WIDGET)

static void
go_to (TsTable *self,
       TsTableRow *row,
       int column)
{
  const TsTableCell *cell =
      column >= 0 && (guint) column < row->n_cells ? &row->cells[column] : NULL;

  if (cell != NULL && cell->begin >= 0)
    g_signal_emit (self, signals[SIGNAL_GO_TO], 0, row->lane, cell->begin, cell->end);
  else
    g_signal_emit (self, signals[SIGNAL_GO_TO], 0, row->lane, row->begin, row->end);
}

static gboolean
on_link (GtkLabel *label,
         const char *uri,
         GtkListItem *item)
{
  TsTableRow *row = gtk_list_item_get_item (item);
  TsTable *self = g_object_get_data (G_OBJECT (label), "table");

  if (row != NULL)
    go_to (self, row, (int) g_ascii_strtoll (uri, NULL, 10));
  return TRUE;
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          TsTable *self)
{
  GtkWidget *label = gtk_label_new (NULL);
  gboolean is_number = g_object_get_data (G_OBJECT (factory), "is-number") != NULL;

  gtk_label_set_xalign (GTK_LABEL (label), is_number ? 1.0 : 0.0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_set_data (G_OBJECT (label), "table", self);
  g_object_set_data (G_OBJECT (label), "column",
                     g_object_get_data (G_OBJECT (factory), "column"));
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), item);
  gtk_list_item_set_child (item, label);
}

static void
write_cell (GtkListItem *item,
            TsTableRow *row)
{
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));
  TsTable *self = g_object_get_data (G_OBJECT (label), "table");
  guint column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "column"));
  const char *text = ts_table_row_get_text (row, column);
  g_autofree char *time = NULL;

  if (self->view != NULL && column == self->time_column && row->begin >= 0 &&
      ts_view_state_get_recording (self->view) != NULL)
    text = time = ts_view_state_format_time (self->view, row->begin);
  if (*text != '\0' && row->cells[column].begin >= 0)
    {
      g_autofree char *markup = g_markup_printf_escaped ("<a href=\"%u\">%s</a>", column, text);

      gtk_label_set_markup (label, markup);
    }
  else
    {
      gtk_label_set_text (label, text);
    }
  gtk_widget_set_tooltip_text (GTK_WIDGET (label),
                               g_utf8_strlen (text, -1) > 24 ? text : NULL);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *item,
         TsTable *self)
{
  TsTableRow *row = gtk_list_item_get_item (item);

  g_signal_connect_object (row, "changed", G_CALLBACK (write_cell), item, G_CONNECT_SWAPPED);
  write_cell (item, row);
}

static void
on_unbind (GtkSignalListItemFactory *factory,
           GtkListItem *item,
           TsTable *self)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), write_cell, item);
}

static int
compare_rows (gconstpointer pa,
              gconstpointer pb,
              gpointer user_data)
{
  const TsTableRow *a = pa;
  const TsTableRow *b = pb;
  guint column = GPOINTER_TO_UINT (user_data) >> 1;
  const TsTableCell *x = &a->cells[column];
  const TsTableCell *y = &b->cells[column];

  if ((GPOINTER_TO_UINT (user_data) & 1) != 0)
    return (x->key > y->key) - (x->key < y->key);
  return g_utf8_collate (x->text != NULL ? x->text : "", y->text != NULL ? y->text : "");
}

static TsTableRow *
peek_row (TsTable *self,
          guint i)
{
  g_autoptr (TsTableRow) row = g_list_model_get_item (G_LIST_MODEL (self->store), i);

  return row;
}

/*
 * Shows what was given last. GTK makes all widgets of a row anew for every new item, and of some
 * two hundred rows, seen or not: rows that tell of the same thing as before stay and say something
 * else, and only the others, in the middle, are exchanged.
 */
static void
flush (TsTable *self)
{
  g_autoptr (GPtrArray) rows = g_steal_pointer (&self->pending);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->store));
  gboolean has_changed = FALSE;
  guint first = 0;
  guint last = 0;

  if (rows == NULL)
    return;
  for (; first < MIN (n, rows->len) && is_same_thing (peek_row (self, first), rows->pdata[first]);
       first++)
    has_changed |= take_over (peek_row (self, first), rows->pdata[first]);
  for (; last < MIN (n, rows->len) - first
         && is_same_thing (peek_row (self, n - last - 1), rows->pdata[rows->len - last - 1]);
       last++)
    has_changed |= take_over (peek_row (self, n - last - 1), rows->pdata[rows->len - last - 1]);
  if (n - first - last > 0 || rows->len - first - last > 0)
    {
      g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (g_object_unref);

      for (guint i = first; i < rows->len - last; i++)
        g_ptr_array_add (copies, copy_row (rows->pdata[i]));
      g_list_store_splice (self->store, first, n - first - last, copies->pdata, copies->len);
    }
  if (has_changed)
    gtk_sorter_changed (gtk_column_view_get_sorter (self->column_view),
                        GTK_SORTER_CHANGE_DIFFERENT);
}

static void
ts_table_map (GtkWidget *widget)
{
  flush (TS_TABLE (widget));
  GTK_WIDGET_CLASS (ts_table_parent_class)->map (widget);
}

static void
on_activate (GtkColumnView *view,
             guint position,
             TsTable *self)
{
  ts_table_activate (self, position, -1);
}

static void
ts_table_dispose (GObject *object)
{
  TsTable *self = TS_TABLE (object);

  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_object (&self->store);
  g_clear_pointer (&self->pending, g_ptr_array_unref);
  G_OBJECT_CLASS (ts_table_parent_class)->dispose (object);
}

static void
ts_table_class_init (TsTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_table_dispose;
  GTK_WIDGET_CLASS (klass)->map = ts_table_map;
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_INT64, G_TYPE_INT64);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "datatable");
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
ts_table_init (TsTable *self)
{
  GtkSortListModel *sorted;

  self->store = g_list_store_new (TS_TYPE_TABLE_ROW);
  self->column_view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->column_view), "event-table");
  gtk_column_view_set_single_click_activate (self->column_view, TRUE);
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (self->store)),
                                    g_object_ref (gtk_column_view_get_sorter (self->column_view)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (self->column_view, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->column_view, "activate", G_CALLBACK (on_activate), self, 0);
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled),
                                 GTK_WIDGET (self->column_view));
  gtk_widget_set_vexpand (self->scrolled, TRUE);
  gtk_widget_set_hexpand (self->scrolled, TRUE);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
}

/**
 * ts_table_new:
 * @name: what it is, for those who cannot see it
 *
 * Thread: main
 *
 * Returns: (transfer floating): a table without columns
 */
GtkWidget *
ts_table_new (const char *name)
{
  TsTable *self = g_object_new (TS_TYPE_TABLE, NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->column_view),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return GTK_WIDGET (self);
}

/**
 * ts_table_add_column:
 * @self: a table
 * @title: its title
 * @width: pixels at the usual size of text, 0: what is left
 * @is_number: aligned to the end and sorted by the cells' keys
 *
 * Thread: main
 */
void
ts_table_add_column (TsTable *self,
                     const char *title,
                     int width,
                     gboolean is_number)
{
  GtkListItemFactory *factory;
  GtkColumnViewColumn *column;
  GtkSorter *sorter;

  g_return_if_fail (TS_IS_TABLE (self));
  factory = gtk_signal_list_item_factory_new ();
  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (self->n_columns));
  g_object_set_data (G_OBJECT (factory), "is-number", GINT_TO_POINTER (is_number));
  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  if (width > 0)
    ts_text_scale_set_column_width (column, width);
  else
    gtk_column_view_column_set_expand (column, TRUE);
  sorter = GTK_SORTER (gtk_custom_sorter_new (
      compare_rows, GUINT_TO_POINTER (self->n_columns << 1 | (is_number ? 1u : 0u)), NULL));
  gtk_column_view_column_set_sorter (column, sorter);
  g_object_unref (sorter);
  gtk_column_view_append_column (self->column_view, column);
  g_object_unref (column);
  if (is_number)
    ts_column_title_align_end (self->column_view, self->n_columns);
  self->n_columns++;
}

/* Times are told another way: cells are written anew. */
static void
on_view_changed (TsTable *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->store));

  if (self->time_serial == ts_view_state_get_time_serial (self->view))
    return;
  self->time_serial = ts_view_state_get_time_serial (self->view);
  for (guint i = 0; i < n; i++)
    g_signal_emit (peek_row (self, i), row_changed, 0);
}

/**
 * ts_table_set_time_column:
 * @self: a table
 * @column: a column
 * @view: (nullable): tells the begins of the rows' places there as the user wants times told
 *
 * Thread: main
 */
void
ts_table_set_time_column (TsTable *self,
                          guint column,
                          TsViewState *view)
{
  g_return_if_fail (TS_IS_TABLE (self));
  self->time_column = column;
  if (!g_set_object (&self->view, view))
    return;
  if (self->view_signals == NULL)
    {
      self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
      g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                      self);
    }
  g_signal_group_set_target (self->view_signals, view);
}

/**
 * ts_table_set_rows:
 * @self: a table
 * @rows: (element-type TsTableRow): rows with a cell for each column
 *
 * Shows other rows; the order the user chose stays. A row about the same lane and place as the one
 * that stood there before takes its place. A table that is not seen shows them once it is.
 *
 * Thread: main
 */
void
ts_table_set_rows (TsTable *self,
                   GPtrArray *rows)
{
  g_return_if_fail (TS_IS_TABLE (self));
  g_return_if_fail (rows != NULL);
  g_clear_pointer (&self->pending, g_ptr_array_unref);
  self->pending = g_ptr_array_new_full (rows->len, g_object_unref);
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (self->pending, g_object_ref (rows->pdata[i]));
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    flush (self);
}

/**
 * ts_table_get_n_rows:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: how many rows it shows
 */
guint
ts_table_get_n_rows (TsTable *self)
{
  g_return_val_if_fail (TS_IS_TABLE (self), 0);
  flush (self);
  return g_list_model_get_n_items (G_LIST_MODEL (self->selection));
}

/**
 * ts_table_get_row:
 * @self: a table
 * @position: a place, from the top
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): the row
 */
TsTableRow *
ts_table_get_row (TsTable *self,
                  guint position)
{
  g_autoptr (TsTableRow) row = NULL;

  g_return_val_if_fail (TS_IS_TABLE (self), NULL);
  flush (self);
  row = g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  return row;
}

/**
 * ts_table_sort:
 * @self: a table
 * @column: a column
 * @direction: up or down
 *
 * Thread: main
 */
void
ts_table_sort (TsTable *self,
               guint column,
               GtkSortType direction)
{
  g_autoptr (GtkColumnViewColumn) found = NULL;

  g_return_if_fail (TS_IS_TABLE (self));
  found = g_list_model_get_item (gtk_column_view_get_columns (self->column_view), column);
  if (found != NULL)
    gtk_column_view_sort_by_column (self->column_view, found, direction);
}

/**
 * ts_table_activate:
 * @self: a table
 * @position: a row, from the top
 * @column: a link, -1: the row itself
 *
 * What a click does.
 *
 * Thread: main
 */
void
ts_table_activate (TsTable *self,
                   guint position,
                   int column)
{
  TsTableRow *row;

  g_return_if_fail (TS_IS_TABLE (self));
  row = ts_table_get_row (self, position);
  if (row != NULL)
    go_to (self, row, column);
}
