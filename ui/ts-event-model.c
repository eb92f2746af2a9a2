/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include "ui/ts-event-model.h"

/* --- one row ---------------------------------------------------------------------------------- */

struct _TsEventItem
{
  GObject parent_instance;

  guint64 row;
  TsEvent event;
  gint64 delta;
};

static guint item_changed;

G_DEFINE_FINAL_TYPE (TsEventItem, ts_event_item, G_TYPE_OBJECT)

static void
ts_event_item_class_init (TsEventItemClass *klass)
{
  /**
   * TsEventItem::changed:
   *
   * It shows another row, or what is written of it is to be written anew.
   */
  item_changed = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_event_item_init (TsEventItem *self)
{
}

/**
 * ts_event_item_get_row:
 * @self: an item
 *
 * Thread: main
 *
 * Returns: its row id in the recording, from 1
 */
guint64
ts_event_item_get_row (TsEventItem *self)
{
  g_return_val_if_fail (TS_IS_EVENT_ITEM (self), 0);
  return self->row;
}

/**
 * ts_event_item_get_event:
 * @self: an item
 *
 * Thread: main
 *
 * Returns: (transfer none): the event
 */
const TsEvent *
ts_event_item_get_event (TsEventItem *self)
{
  g_return_val_if_fail (TS_IS_EVENT_ITEM (self), NULL);
  return &self->event;
}

/**
 * ts_event_item_get_delta:
 * @self: an item
 *
 * Units: ticks since the row before
 * Thread: main
 *
 * Returns: the difference, -1 for the first row
 */
gint64
ts_event_item_get_delta (TsEventItem *self)
{
  g_return_val_if_fail (TS_IS_EVENT_ITEM (self), -1);
  return self->delta;
}

/* --- the list --------------------------------------------------------------------------------- */

/**
 * TsPage:
 * @first_row: row id of the first event, 0 for an unused page
 * @n: how many rows are in it; the last page of a live recording grows
 * @used: when it was asked for last
 */
typedef struct
{
  guint64 first_row;
  guint n;
  guint64 used;
  TsEvent events[TS_EVENT_MODEL_PAGE_ROWS];
} TsPage;

struct _TsEventModel
{
  GObject parent_instance;

  TsRecording *recording;
  guint n_items;
  GArray *rows;  /* the only rows, ascending */
  GArray *order; /* the same rows, or all, as they were sorted */
  TsPage *pages[TS_EVENT_MODEL_N_PAGES];
  guint64 clock;
  guint64 n_reads;
};

static void ts_event_model_list_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TsEventModel, ts_event_model, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ts_event_model_list_init))

/* All rows of the recording; GTK counts no further. */
static guint
count_rows (TsEventModel *self)
{
  return self->recording != NULL
             ? (guint) MIN (ts_recording_get_n_listed_rows (self->recording), G_MAXUINT - 1)
             : 0;
}

/* A page to fill: an unused one, else the one not asked for longest. */
static TsPage *
take_page (TsEventModel *self)
{
  guint oldest = 0;
  guint i;

  for (i = 0; i < TS_EVENT_MODEL_N_PAGES; i++)
    {
      if (self->pages[i] == NULL)
        {
          self->pages[i] = g_new0 (TsPage, 1);
          return self->pages[i];
        }
      if (self->pages[i]->used < self->pages[oldest]->used)
        oldest = i;
    }
  return self->pages[oldest];
}

static TsPage *
get_page (TsEventModel *self,
          guint64 row)
{
  guint64 first = (row - 1) / TS_EVENT_MODEL_PAGE_ROWS * TS_EVENT_MODEL_PAGE_ROWS + 1;
  TsPage *page = NULL;
  guint i;

  for (i = 0; i < TS_EVENT_MODEL_N_PAGES && page == NULL; i++)
    if (self->pages[i] != NULL && self->pages[i]->first_row == first)
      page = self->pages[i];
  if (page == NULL || row - first >= page->n)
    {
      if (page == NULL)
        page = take_page (self);
      page->first_row = first;
      page->n = 0;
      self->n_reads++;
      if (!ts_recording_read_events (self->recording, first, TS_EVENT_MODEL_PAGE_ROWS, page->events,
                                     &page->n, NULL))
        page->n = 0;
    }
  page->used = ++self->clock;
  return row - first < page->n ? page : NULL;
}

static void
drop_pages (TsEventModel *self)
{
  guint i;

  for (i = 0; i < TS_EVENT_MODEL_N_PAGES; i++)
    g_clear_pointer (&self->pages[i], g_free);
}

/* Row id of a line of the list. */
static guint64
get_row (TsEventModel *self,
         guint64 line)
{
  const GArray *rows = self->order != NULL ? self->order : self->rows;

  return rows != NULL ? g_array_index (rows, guint64, line - 1) : line;
}

/* The row before @row among those of the list, in order of time; 0: none. */
static guint64
get_row_before (TsEventModel *self,
                guint64 row)
{
  guint low = 0;
  guint high;

  if (self->rows == NULL)
    return row - 1;
  high = self->rows->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->rows, guint64, middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (self->rows, guint64, low - 1) : 0;
}

static gboolean
read_row (TsEventModel *self,
          guint64 row,
          TsEvent *event)
{
  TsPage *page = row != 0 ? get_page (self, row) : NULL;

  if (page == NULL)
    return FALSE;
  *event = page->events[row - page->first_row];
  return TRUE;
}

static GType
ts_event_model_get_item_type (GListModel *model)
{
  return TS_TYPE_EVENT_ITEM;
}

static guint
ts_event_model_get_n_items (GListModel *model)
{
  return TS_EVENT_MODEL (model)->n_items;
}

static gpointer
ts_event_model_get_item (GListModel *model,
                         guint position)
{
  TsEventModel *self = TS_EVENT_MODEL (model);
  TsEventItem *item;

  if (position >= self->n_items)
    return NULL;
  item = g_object_new (TS_TYPE_EVENT_ITEM, NULL);
  ts_event_model_fill (self, (guint64) position + 1, item);
  return item;
}

static void
ts_event_model_list_init (GListModelInterface *iface)
{
  iface->get_item_type = ts_event_model_get_item_type;
  iface->get_n_items = ts_event_model_get_n_items;
  iface->get_item = ts_event_model_get_item;
}

static void
ts_event_model_dispose (GObject *object)
{
  TsEventModel *self = TS_EVENT_MODEL (object);

  drop_pages (self);
  g_clear_object (&self->recording);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->order, g_array_unref);
  G_OBJECT_CLASS (ts_event_model_parent_class)->dispose (object);
}

static void
ts_event_model_class_init (TsEventModelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_event_model_dispose;
}

static void
ts_event_model_init (TsEventModel *self)
{
}

/**
 * ts_event_model_new:
 *
 * Thread: main
 *
 * Returns: (transfer full): an empty list
 */
TsEventModel *
ts_event_model_new (void)
{
  return g_object_new (TS_TYPE_EVENT_MODEL, NULL);
}

/**
 * ts_event_model_set_recording:
 * @self: a list
 * @recording: (nullable): what it shows from now on
 *
 * Thread: main
 */
void
ts_event_model_set_recording (TsEventModel *self,
                              TsRecording *recording)
{
  guint before;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  if (!g_set_object (&self->recording, recording))
    return;
  before = self->n_items;
  drop_pages (self);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->order, g_array_unref);
  self->n_items = count_rows (self);
  if (before > 0 || self->n_items > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, before, self->n_items);
}

/**
 * ts_event_model_get_recording:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): what it shows
 */
TsRecording *
ts_event_model_get_recording (TsEventModel *self)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), NULL);
  return self->recording;
}

/**
 * ts_event_model_refresh:
 * @self: a list
 *
 * Shows the rows that a live recording got since the last time.
 *
 * Cost: O(1), one items-changed for all new rows
 * Thread: main
 */
void
ts_event_model_refresh (TsEventModel *self)
{
  guint before;
  guint now;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  if (self->recording == NULL || self->rows != NULL || self->order != NULL)
    return;
  before = self->n_items;
  now = count_rows (self);
  if (now == before)
    return;
  self->n_items = now;
  if (now > before)
    {
      g_list_model_items_changed (G_LIST_MODEL (self), before, 0, now - before);
      return;
    }
  drop_pages (self);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, now);
}

/**
 * ts_event_model_read:
 * @self: a list
 * @row: line of the list, from 1: the row id, unless only some rows are shown
 * @event: (out caller-allocates): the event
 *
 * Cost: O(1) from the page cache, else one read of a page
 * Thread: main
 *
 * Returns: %FALSE if there is no such row or it cannot be read
 */
gboolean
ts_event_model_read (TsEventModel *self,
                     guint64 row,
                     TsEvent *event)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), FALSE);
  if (self->recording == NULL || row == 0 || row > self->n_items)
    return FALSE;
  return read_row (self, get_row (self, row), event);
}

/**
 * ts_event_model_fill:
 * @self: a list
 * @line: line of the list, from 1
 * @item: becomes what that line shows, and says so if that is something else than before
 *
 * Thread: main
 */
void
ts_event_model_fill (TsEventModel *self,
                     guint64 line,
                     TsEventItem *item)
{
  TsEvent event = { 0 };
  TsEvent before;
  guint64 row;
  gint64 delta = -1;

  g_return_if_fail (TS_IS_EVENT_MODEL (self) && TS_IS_EVENT_ITEM (item));
  row = ts_event_model_get_row (self, line);
  if (!ts_event_model_read (self, line, &event))
    event.kind = TS_EVENT_INVALID;
  else if (read_row (self, get_row_before (self, row), &before))
    delta = event.time - before.time;
  if (item->row == row && item->delta == delta
      && memcmp (&item->event, &event, sizeof event) == 0)
    return;
  item->row = row;
  item->event = event;
  item->delta = delta;
  g_signal_emit (item, item_changed, 0);
}

/**
 * ts_event_model_set_rows:
 * @self: a list
 * @rows: (nullable) (element-type guint64): the only rows it has, ascending; %NULL: all
 *
 * Thread: main
 */
void
ts_event_model_set_rows (TsEventModel *self,
                         GArray *rows)
{
  guint before;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  if (self->recording == NULL || (rows == NULL && self->rows == NULL && self->order == NULL))
    return;
  before = self->n_items;
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->order, g_array_unref);
  if (rows != NULL)
    self->rows = g_array_ref (rows);
  self->n_items = rows != NULL ? rows->len : count_rows (self);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, self->n_items);
}

/**
 * ts_event_model_get_rows:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable) (element-type guint64): what ts_event_model_set_rows() was
 *   given
 */
GArray *
ts_event_model_get_rows (TsEventModel *self)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), NULL);
  return self->rows;
}

/**
 * ts_event_model_dup_lines:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable) (element-type guint64): row ids of all lines as they stand,
 *   not to be changed; %NULL: lines are row ids
 */
GArray *
ts_event_model_dup_lines (TsEventModel *self)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), NULL);
  if (self->order != NULL)
    return g_array_ref (self->order);
  return self->rows != NULL ? g_array_ref (self->rows) : NULL;
}

/**
 * ts_event_model_set_order:
 * @self: a list
 * @order: (nullable) (element-type guint64): its rows in another order; %NULL: in order of time.
 *   Forgotten when there are other rows; new ones do not come meanwhile
 *
 * Thread: main
 */
void
ts_event_model_set_order (TsEventModel *self,
                          GArray *order)
{
  guint before;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  if (self->recording == NULL || order == self->order)
    return;
  before = self->n_items;
  g_clear_pointer (&self->order, g_array_unref);
  if (order != NULL)
    self->order = g_array_ref (order);
  self->n_items = order != NULL        ? order->len
                  : self->rows != NULL ? self->rows->len
                                       : count_rows (self);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, self->n_items);
}

/**
 * ts_event_model_has_order:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: whether its rows stand in another order than that of time
 */
gboolean
ts_event_model_has_order (TsEventModel *self)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), FALSE);
  return self->order != NULL;
}

/**
 * ts_event_model_get_row:
 * @self: a list
 * @line: a line, from 1
 *
 * Thread: main
 *
 * Returns: its row id, 0 if there is no such line
 */
guint64
ts_event_model_get_row (TsEventModel *self,
                        guint64 line)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), 0);
  return line == 0 || line > self->n_items ? 0 : get_row (self, line);
}

/**
 * ts_event_model_find:
 * @self: a list
 * @row: a row id
 *
 * Thread: main
 *
 * Returns: the first line, from 1, whose row is @row or a later one; in another order than that of
 *   time the line of just that row, behind the last if there is none
 */
guint64
ts_event_model_find (TsEventModel *self,
                     guint64 row)
{
  guint low = 0;
  guint high;

  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), 1);
  if (self->order != NULL)
    {
      for (guint i = 0; i < self->order->len; i++)
        if (g_array_index (self->order, guint64, i) == row)
          return (guint64) i + 1;
      return (guint64) self->order->len + 1;
    }
  if (self->rows == NULL)
    return row;
  high = self->rows->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->rows, guint64, middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
  return (guint64) low + 1;
}

/**
 * ts_event_model_find_before:
 * @self: a list
 * @row: a row id
 *
 * Thread: main
 *
 * Returns: the line, from 1, of the last row before @row; 0 if there is none
 */
guint64
ts_event_model_find_before (TsEventModel *self,
                            guint64 row)
{
  guint64 before;
  guint64 line;

  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), 0);
  if (row <= 1)
    return 0;
  if (self->order == NULL)
    return ts_event_model_find (self, row) - 1;
  before = get_row_before (self, row);
  line = before != 0 ? ts_event_model_find (self, before) : 0;
  return line <= self->order->len ? line : 0;
}

/**
 * ts_event_model_get_n_reads:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: how many pages were read from the recording so far
 */
guint64
ts_event_model_get_n_reads (TsEventModel *self)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), 0);
  return self->n_reads;
}
