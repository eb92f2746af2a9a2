/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include "ui/ts-table-model.h"

/* Numbers are sorted by so many bits at once. */
#define DIGIT_BITS 11
/* No such row. */
#define NONE G_MAXUINT32

/**
 * TsTableModel:
 * @rows: what is shown
 * @order: rows by their place from the top
 * @orders: (element-type TsTableOrder): what they are sorted by, the most important first
 * @made: by number those rows that are objects now; not owned
 */
struct _TsTableModel
{
  GObject parent_instance;

  TsTableRows *rows;
  GArray *order;
  GArray *orders;
  GHashTable *made;
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TsTableModel, ts_table_model, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* --- rows that somebody holds ------------------------------------------------------------------ */

static void
on_row_gone (gpointer user_data,
             GObject *row)
{
  TsTableModel *self = user_data;

  /* it is about to be finalized and says its number still */
  g_hash_table_remove (self->made,
                       GUINT_TO_POINTER (_ts_table_row_get_index ((TsTableRow *) row)));
}

static void
let_go (TsTableModel *self,
        TsTableRow *row)
{
  g_object_weak_unref (G_OBJECT (row), on_row_gone, self);
}

static TsTableRow *
get_row (TsTableModel *self,
         guint number)
{
  TsTableRow *row = g_hash_table_lookup (self->made, GUINT_TO_POINTER (number));

  if (row != NULL)
    return g_object_ref (row);
  row = ts_table_rows_make_row (self->rows, number);
  g_object_weak_ref (G_OBJECT (row), on_row_gone, self);
  g_hash_table_insert (self->made, GUINT_TO_POINTER (number), row);
  return row;
}

/* --- sorting ---------------------------------------------------------------------------------- */

static int
compare_texts (gconstpointer a,
               gconstpointer b)
{
  return g_utf8_collate (*(const char *const *) a, *(const char *const *) b);
}

/* Rows have few different texts: each is compared once, and sorted by its rank. */
static void
rank_texts (const TsTableRows *rows,
            guint column,
            double *keys)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  guint n = ts_table_rows_get_n_rows (rows);
  guint rank = 0;

  for (guint i = 0; i < n; i++)
    {
      const char *text = ts_table_rows_get_text (rows, i, column);

      if (g_hash_table_add (ranks, (gpointer) (text != NULL ? text : "")))
        g_ptr_array_add (texts, (gpointer) (text != NULL ? text : ""));
    }
  g_ptr_array_sort (texts, compare_texts);
  for (guint i = 0; i < texts->len; i++)
    {
      if (i > 0 && compare_texts (&texts->pdata[i - 1], &texts->pdata[i]) != 0)
        rank++;
      g_hash_table_replace (ranks, texts->pdata[i], GUINT_TO_POINTER (rank));
    }
  for (guint i = 0; i < n; i++)
    {
      const char *text = ts_table_rows_get_text (rows, i, column);

      keys[i] = GPOINTER_TO_UINT (g_hash_table_lookup (ranks, text != NULL ? text : ""));
    }
}

static void
fill_keys (const TsTableRows *rows,
           const TsTableOrder *order,
           double *keys)
{
  guint n = ts_table_rows_get_n_rows (rows);

  if (!order->is_number)
    {
      rank_texts (rows, order->column, keys);
      return;
    }
  for (guint i = 0; i < n; i++)
    keys[i] = ts_table_rows_get_key (rows, i, order->column);
}

/* Bits that stand in the order of the numbers they are of. */
static guint64
get_bits (double key,
          gboolean is_descending)
{
  guint64 bits;

  /* minus nought is nought */
  key += 0.0;
  memcpy (&bits, &key, sizeof bits);
  bits = (bits >> 63) != 0 ? ~bits : bits | G_GUINT64_CONSTANT (1) << 63;
  return is_descending ? ~bits : bits;
}

/* Sorts @rows by their keys, digit after digit, the least first; equal ones stay as they are. Some ten
 * times as fast as comparing: fifty thousand rows are sorted on the main thread. @bits, @spare: room
 * for a number and a row each. */
static void
sort_by (guint32 *rows,
         guint n,
         const double *keys,
         gboolean is_descending,
         guint64 *bits,
         guint32 *spare)
{
  for (guint i = 0; i < n; i++)
    bits[i] = get_bits (keys[i], is_descending);
  for (guint shift = 0; shift < 64; shift += DIGIT_BITS)
    {
      guint counts[1 << DIGIT_BITS] = { 0 };
      guint place = 0;

      for (guint i = 0; i < n; i++)
        counts[bits[i] >> shift & (G_N_ELEMENTS (counts) - 1)]++;
      if (counts[bits[0] >> shift & (G_N_ELEMENTS (counts) - 1)] == n)
        continue;
      for (guint digit = 0; digit < G_N_ELEMENTS (counts); digit++)
        {
          guint count = counts[digit];

          counts[digit] = place;
          place += count;
        }
      for (guint i = 0; i < n; i++)
        spare[counts[bits[rows[i]] >> shift & (G_N_ELEMENTS (counts) - 1)]++] = rows[i];
      memcpy (rows, spare, n * sizeof *rows);
    }
}

static GArray *
make_order (TsTableModel *self)
{
  guint n = self->rows != NULL ? ts_table_rows_get_n_rows (self->rows) : 0;
  GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n);
  g_autofree double *keys = NULL;
  g_autofree guint64 *bits = NULL;
  g_autofree guint32 *spare = NULL;

  for (guint32 i = 0; i < n; i++)
    g_array_append_val (order, i);
  if (self->orders->len == 0 || n < 2)
    return order;
  keys = g_new (double, n);
  bits = g_new (guint64, n);
  spare = g_new (guint32, n);
  /* the most important last: what is equal in it stays in the order of the others */
  for (guint k = self->orders->len; k-- > 0;)
    {
      const TsTableOrder *one = &g_array_index (self->orders, TsTableOrder, k);

      fill_keys (self->rows, one, keys);
      sort_by ((guint32 *) (gpointer) order->data, n, keys, one->is_descending, bits, spare);
    }
  return order;
}

/* --- what has changed ------------------------------------------------------------------------- */

/**
 * Change:
 * @first: as many rows from the first are still there
 * @last: and as many before the last
 * @n_old, @n_new: how many there were and are
 */
typedef struct
{
  guint first;
  guint last;
  guint n_old;
  guint n_new;
} Change;

static guint32
to_new (const Change *change,
        guint32 old)
{
  if (old < change->first)
    return old;
  if (old >= change->n_old - change->last)
    return old - change->n_old + change->n_new;
  return NONE;
}

static gboolean
is_same_thing (const TsTableRows *a,
               guint i,
               const TsTableRows *b,
               guint k)
{
  TsTablePlace x;
  TsTablePlace y;

  ts_table_rows_get_place (a, i, &x);
  ts_table_rows_get_place (b, k, &y);
  return x.lane == y.lane && x.begin == y.begin;
}

static Change
find_change (const TsTableRows *old,
             const TsTableRows *rows)
{
  Change change = { 0, 0, old != NULL ? ts_table_rows_get_n_rows (old) : 0,
                    ts_table_rows_get_n_rows (rows) };
  guint n = MIN (change.n_old, change.n_new);

  while (change.first < n && is_same_thing (old, change.first, rows, change.first))
    change.first++;
  while (change.last < n - change.first
         && is_same_thing (old, change.n_old - change.last - 1, rows,
                           change.n_new - change.last - 1))
    change.last++;
  return change;
}

/* Rows that are held say what the new ones say; of those that are gone nothing is heard again. */
static void
take_over (TsTableModel *self,
           const Change *change)
{
  g_autoptr (GHashTable) made = g_steal_pointer (&self->made);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer number;
  gpointer row;

  self->made = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, made);
  while (g_hash_table_iter_next (&iter, &number, &row))
    {
      guint32 now = to_new (change, GPOINTER_TO_UINT (number));

      if (now == NONE)
        {
          let_go (self, row);
          continue;
        }
      g_hash_table_insert (self->made, GUINT_TO_POINTER (now), row);
      g_ptr_array_add (kept, g_object_ref (row));
    }
  for (guint i = 0; i < kept->len; i++)
    {
      TsTableRow *held = kept->pdata[i];

      _ts_table_row_take_over (held, self->rows,
                               to_new (change, _ts_table_row_get_index (held)));
    }
}

/* Shows @order (taken over) and tells of what is not where it was. */
static void
show_order (TsTableModel *self,
            GArray *order,
            const Change *change)
{
  g_autoptr (GArray) old = g_steal_pointer (&self->order);
  const guint32 *was = (const guint32 *) (gpointer) old->data;
  const guint32 *is = (const guint32 *) (gpointer) order->data;
  guint n = MIN (old->len, order->len);
  guint top = 0;
  guint bottom = 0;

  self->order = order;
  while (top < n && to_new (change, was[top]) == is[top])
    top++;
  while (bottom < n - top
         && to_new (change, was[old->len - bottom - 1]) == is[order->len - bottom - 1])
    bottom++;
  if (old->len > top + bottom || order->len > top + bottom)
    g_list_model_items_changed (G_LIST_MODEL (self), top, old->len - top - bottom,
                                order->len - top - bottom);
}

/* --- as a list -------------------------------------------------------------------------------- */

static GType
get_item_type (GListModel *model)
{
  return TS_TYPE_TABLE_ROW;
}

static guint
get_n_items (GListModel *model)
{
  return TS_TABLE_MODEL (model)->order->len;
}

static gpointer
get_item (GListModel *model,
          guint position)
{
  TsTableModel *self = TS_TABLE_MODEL (model);

  if (position >= self->order->len)
    return NULL;
  return get_row (self, g_array_index (self->order, guint32, position));
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
ts_table_model_finalize (GObject *object)
{
  TsTableModel *self = TS_TABLE_MODEL (object);
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init (&iter, self->made);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    let_go (self, row);
  g_hash_table_unref (self->made);
  g_array_unref (self->order);
  g_array_unref (self->orders);
  g_clear_pointer (&self->rows, ts_table_rows_unref);
  G_OBJECT_CLASS (ts_table_model_parent_class)->finalize (object);
}

static void
ts_table_model_class_init (TsTableModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_table_model_finalize;
}

static void
ts_table_model_init (TsTableModel *self)
{
  self->order = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->orders = g_array_new (FALSE, FALSE, sizeof (TsTableOrder));
  self->made = g_hash_table_new (NULL, NULL);
}

/**
 * ts_table_model_new:
 *
 * Thread: main
 *
 * Returns: (transfer full): no rows, in the order in which they will be given
 */
TsTableModel *
ts_table_model_new (void)
{
  return g_object_new (TS_TYPE_TABLE_MODEL, NULL);
}

/**
 * ts_table_model_set_rows:
 * @self: a model
 * @rows: other rows
 *
 * Rows at the begin and at the end that tell of the same things as before stay the same objects;
 * those in the middle are exchanged.
 *
 * Cost: some 0.1 us a row and column to sort by
 * Thread: main
 */
void
ts_table_model_set_rows (TsTableModel *self,
                         TsTableRows *rows)
{
  g_autoptr (TsTableRows) old = NULL;
  Change change;

  g_return_if_fail (TS_IS_TABLE_MODEL (self));
  g_return_if_fail (rows != NULL);
  old = g_steal_pointer (&self->rows);
  self->rows = ts_table_rows_ref (rows);
  change = find_change (old, rows);
  take_over (self, &change);
  show_order (self, make_order (self), &change);
}

/**
 * ts_table_model_set_order:
 * @self: a model
 * @orders: (array length=n_orders): what to sort by, the most important first; rows equal in all of
 *   them stand as they were given
 * @n_orders: how many, 0: as they were given
 *
 * Thread: main
 */
void
ts_table_model_set_order (TsTableModel *self,
                          const TsTableOrder *orders,
                          guint n_orders)
{
  Change change = { 0 };

  g_return_if_fail (TS_IS_TABLE_MODEL (self));
  g_array_set_size (self->orders, 0);
  if (n_orders > 0)
    g_array_append_vals (self->orders, orders, n_orders);
  if (self->rows == NULL)
    return;
  change.n_old = change.n_new = change.first = ts_table_rows_get_n_rows (self->rows);
  show_order (self, make_order (self), &change);
}

/**
 * ts_table_model_for_each_made:
 * @self: a model
 * @func: (scope call): called with each row that is an object now
 * @user_data: its second argument
 *
 * Thread: main
 */
void
ts_table_model_for_each_made (TsTableModel *self,
                              GFunc func,
                              gpointer user_data)
{
  g_autoptr (GPtrArray) rows = NULL;
  GHashTableIter iter;
  gpointer row;

  g_return_if_fail (TS_IS_TABLE_MODEL (self));
  rows = g_ptr_array_new_with_free_func (g_object_unref);
  g_hash_table_iter_init (&iter, self->made);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    g_ptr_array_add (rows, g_object_ref (row));
  g_ptr_array_foreach (rows, func, user_data);
}

/**
 * ts_table_model_find:
 * @self: a model
 * @row: a row that it made
 *
 * Cost: a look at each place above it
 * Thread: main
 *
 * Returns: where it stands, %G_MAXUINT (%GTK_INVALID_LIST_POSITION) if it is gone
 */
guint
ts_table_model_find (TsTableModel *self,
                     TsTableRow *row)
{
  guint number;

  g_return_val_if_fail (TS_IS_TABLE_MODEL (self), G_MAXUINT);
  g_return_val_if_fail (TS_IS_TABLE_ROW (row), G_MAXUINT);
  number = _ts_table_row_get_index (row);
  if (g_hash_table_lookup (self->made, GUINT_TO_POINTER (number)) != row)
    return G_MAXUINT;
  for (guint i = 0; i < self->order->len; i++)
    if (g_array_index (self->order, guint32, i) == number)
      return i;
  return G_MAXUINT;
}

/**
 * ts_table_model_get_n_made:
 * @self: a model
 *
 * Thread: main
 *
 * Returns: how many of its rows are objects now
 */
guint
ts_table_model_get_n_made (TsTableModel *self)
{
  g_return_val_if_fail (TS_IS_TABLE_MODEL (self), 0);
  return g_hash_table_size (self->made);
}
