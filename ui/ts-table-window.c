/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-table-window.h"

/**
 * TsTableWindow:
 * @all: all rows
 * @rows: those in the window
 * @offset: where it stands in @all
 * @size: how many rows it has room for
 */
struct _TsTableWindow
{
  GObject parent_instance;

  GtkSelectionModel *all;
  GPtrArray *rows;
  guint offset;
  guint size;
};

static void list_model_init (GListModelInterface *iface);
static void selection_model_init (GtkSelectionModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TsTableWindow, ts_table_window, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init)
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SELECTION_MODEL,
                                                      selection_model_init))

/* --- as a list -------------------------------------------------------------------------------- */

static GType
get_item_type (GListModel *model)
{
  return g_list_model_get_item_type (G_LIST_MODEL (TS_TABLE_WINDOW (model)->all));
}

static guint
get_n_items (GListModel *model)
{
  return TS_TABLE_WINDOW (model)->rows->len;
}

static gpointer
get_item (GListModel *model,
          guint position)
{
  TsTableWindow *self = TS_TABLE_WINDOW (model);

  return position < self->rows->len ? g_object_ref (self->rows->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

/* --- as a selection: that of all rows --------------------------------------------------------- */

static gboolean
is_selected (GtkSelectionModel *model,
             guint position)
{
  TsTableWindow *self = TS_TABLE_WINDOW (model);

  return gtk_selection_model_is_selected (self->all, self->offset + position);
}

static GtkBitset *
get_selection_in_range (GtkSelectionModel *model,
                        guint position,
                        guint n_items)
{
  GtkBitset *selected = gtk_bitset_new_empty ();

  for (guint i = position; i < position + n_items; i++)
    if (is_selected (model, i))
      gtk_bitset_add (selected, i);
  return selected;
}

static gboolean
select_item (GtkSelectionModel *model,
             guint position,
             gboolean only_it)
{
  TsTableWindow *self = TS_TABLE_WINDOW (model);

  return gtk_selection_model_select_item (self->all, self->offset + position, only_it);
}

static gboolean
unselect_item (GtkSelectionModel *model,
               guint position)
{
  TsTableWindow *self = TS_TABLE_WINDOW (model);

  return gtk_selection_model_unselect_item (self->all, self->offset + position);
}

static void
selection_model_init (GtkSelectionModelInterface *iface)
{
  iface->is_selected = is_selected;
  iface->get_selection_in_range = get_selection_in_range;
  iface->select_item = select_item;
  iface->unselect_item = unselect_item;
}

static void
on_selected (GtkSelectionModel *all,
             guint position,
             guint n_items,
             TsTableWindow *self)
{
  guint64 begin = MAX (position, self->offset);
  guint64 end = MIN ((guint64) position + n_items, (guint64) self->offset + self->rows->len);

  if (begin < end)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self),
                                           (guint) (begin - self->offset), (guint) (end - begin));
}

/* --- life ------------------------------------------------------------------------------------- */

/* Shows what there is now; rows that stay are the same objects, and GTK keeps their widgets. */
static void
update (TsTableWindow *self)
{
  g_autoptr (GPtrArray) old = g_steal_pointer (&self->rows);
  guint n_all = g_list_model_get_n_items (G_LIST_MODEL (self->all));
  guint n = self->offset < n_all ? MIN (self->size, n_all - self->offset) : 0;
  guint n_both = MIN (n, old->len);
  guint top = 0;
  guint bottom = 0;

  self->rows = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->rows,
                     g_list_model_get_item (G_LIST_MODEL (self->all), self->offset + i));
  while (top < n_both && old->pdata[top] == self->rows->pdata[top])
    top++;
  while (bottom < n_both - top
         && old->pdata[old->len - bottom - 1] == self->rows->pdata[n - bottom - 1])
    bottom++;
  if (top + bottom < MAX (n, old->len))
    g_list_model_items_changed (G_LIST_MODEL (self), top, old->len - top - bottom,
                                n - top - bottom);
}

static void
on_items_changed (GListModel *all,
                  guint position,
                  guint n_removed,
                  guint n_added,
                  TsTableWindow *self)
{
  update (self);
}

static void
ts_table_window_dispose (GObject *object)
{
  TsTableWindow *self = TS_TABLE_WINDOW (object);

  g_ptr_array_set_size (self->rows, 0);
  g_clear_object (&self->all);
  G_OBJECT_CLASS (ts_table_window_parent_class)->dispose (object);
}

static void
ts_table_window_finalize (GObject *object)
{
  g_ptr_array_unref (TS_TABLE_WINDOW (object)->rows);
  G_OBJECT_CLASS (ts_table_window_parent_class)->finalize (object);
}

static void
ts_table_window_class_init (TsTableWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_table_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = ts_table_window_finalize;
}

static void
ts_table_window_init (TsTableWindow *self)
{
  self->rows = g_ptr_array_new_with_free_func (g_object_unref);
}

/**
 * ts_table_window_new:
 * @all: all rows (a reference is taken)
 *
 * Thread: main
 *
 * Returns: (transfer full): a window without room, at the first row
 */
TsTableWindow *
ts_table_window_new (GtkSelectionModel *all)
{
  TsTableWindow *self;

  g_return_val_if_fail (GTK_IS_SELECTION_MODEL (all), NULL);
  self = g_object_new (TS_TYPE_TABLE_WINDOW, NULL);
  self->all = g_object_ref (all);
  g_signal_connect_object (all, "items-changed", G_CALLBACK (on_items_changed), self, 0);
  g_signal_connect_object (all, "selection-changed", G_CALLBACK (on_selected), self, 0);
  return self;
}

/**
 * ts_table_window_get_offset:
 * @self: a window
 *
 * Thread: main
 *
 * Returns: rows before its first one
 */
guint
ts_table_window_get_offset (TsTableWindow *self)
{
  g_return_val_if_fail (TS_IS_TABLE_WINDOW (self), 0);
  return self->offset;
}

/**
 * ts_table_window_move:
 * @self: a window
 * @offset: rows before its first one
 * @size: how many rows it has room for
 *
 * Thread: main
 */
void
ts_table_window_move (TsTableWindow *self,
                      guint offset,
                      guint size)
{
  g_return_if_fail (TS_IS_TABLE_WINDOW (self));
  if (self->offset == offset && self->size == size)
    return;
  self->offset = offset;
  self->size = size;
  update (self);
}
