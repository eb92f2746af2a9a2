/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include "ui/ts-event-page-private.h"
#include "ui/ts-event-model.h"

/* --- one row ---------------------------------------------------------------------------------- */

struct _TsEventItem
{
  GObject parent_instance;

  guint64 row;
  TsEvent event;
  gint64 delta;
  gboolean is_pending;
};

static guint item_changed;
static guint loaded_signal;

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
  self->event.kind = TS_EVENT_INVALID;
  self->delta = -1;
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

/**
 * ts_event_item_is_pending:
 * @self: an item
 *
 * Thread: main
 *
 * Returns: whether its event is still to come: it has that of the row it showed before
 */
gboolean
ts_event_item_is_pending (TsEventItem *self)
{
  g_return_val_if_fail (TS_IS_EVENT_ITEM (self), FALSE);
  return self->is_pending;
}

/**
 * ts_event_item_blank:
 * @self: an item that is pending
 *
 * It takes long: what it showed before is forgotten.
 *
 * Thread: main
 */
void
ts_event_item_blank (TsEventItem *self)
{
  g_return_if_fail (TS_IS_EVENT_ITEM (self));
  if (!self->is_pending || self->event.kind == TS_EVENT_INVALID)
    return;
  self->event = (TsEvent) { .kind = TS_EVENT_INVALID };
  self->delta = -1;
  g_signal_emit (self, item_changed, 0);
}

/* --- the list --------------------------------------------------------------------------------- */

/**
 * TsEventModel:
 * @rows: (nullable): the only rows, ascending
 * @order: (nullable): the same rows, or all, as they were sorted
 * @pages: (element-type TsEventPage): those in memory, by first line
 * @clock: counts looks at pages
 * @worker: reads pages
 * @wanted: first lines of pages on screen that are not in memory, most urgent first
 * @wanted_line: a line elsewhere that somebody waits for; 0: none
 * @is_urgent: what the worker reads now, somebody waits for; else it may be wanted soon
 * @asked, @n_asked: first lines of the pages it reads
 * @shown_line, @n_shown: lines on screen
 * @is_upwards: where they moved last
 */
struct _TsEventModel
{
  GObject parent_instance;

  TsRecording *recording;
  guint n_items;
  GArray *rows;
  GArray *order;
  GHashTable *pages;
  guint64 clock;
  guint64 n_reads;

  TsWorker *worker;
  GArray *wanted;
  guint64 wanted_line;
  gboolean is_urgent;
  guint64 asked[TS_EVENT_PAGE_MAX_ASKED];
  guint n_asked;
  guint64 shown_line;
  guint n_shown;
  gboolean is_upwards;
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

static guint64
get_page_line (guint64 line)
{
  return (line - 1) / TS_EVENT_MODEL_PAGE_ROWS * TS_EVENT_MODEL_PAGE_ROWS + 1;
}

static TsEventPage *
find_page (TsEventModel *self,
           guint64 line)
{
  guint64 first = get_page_line (line);

  return g_hash_table_lookup (self->pages, &first);
}

/* The one not looked at longest goes. */
static void
drop_oldest (TsEventModel *self)
{
  TsEventPage *oldest = NULL;
  GHashTableIter iter;
  gpointer page;

  g_hash_table_iter_init (&iter, self->pages);
  while (g_hash_table_iter_next (&iter, NULL, &page))
    if (oldest == NULL || ((TsEventPage *) page)->used < oldest->used)
      oldest = page;
  if (oldest != NULL)
    g_hash_table_remove (self->pages, &oldest->first_line);
}

/* Whether a page may still bring the line: it was not read since there are so many lines. */
static gboolean
is_to_come (TsEventModel *self,
            const TsEventPage *page,
            guint64 line)
{
  if (page == NULL)
    return TRUE;
  return line - page->first_line >= page->n && page->known < self->n_items;
}

/* What was read is about other lines, or about another recording. */
static void
drop_pages (TsEventModel *self)
{
  ts_worker_cancel (self->worker);
  g_hash_table_remove_all (self->pages);
  g_array_set_size (self->wanted, 0);
  self->wanted_line = 0;
}

/* --- asking for pages ------------------------------------------------------------------------- */

static void ask (TsEventModel *self);

static void
take_page (TsEventModel *self,
           TsEventPage *page)
{
  if (g_hash_table_lookup (self->pages, &page->first_line) == NULL
      && g_hash_table_size (self->pages) >= TS_EVENT_MODEL_N_PAGES)
    drop_oldest (self);
  page->used = ++self->clock;
  g_hash_table_replace (self->pages, &page->first_line, page);
}

static void
on_pages (gpointer result,
          const GError *error,
          gpointer user_data)
{
  g_autoptr (TsEventModel) self = g_object_ref (user_data);
  g_autoptr (GPtrArray) pages = result;

  for (; pages != NULL && pages->len > 0; self->n_reads++)
    take_page (self, g_ptr_array_steal_index (pages, 0));
  /* what cannot be read is not asked for again and again */
  for (guint i = 0; i < self->n_asked && pages == NULL; i++)
    {
      TsEventPage *page = g_new0 (TsEventPage, 1);

      page->first_line = self->asked[i];
      page->known = self->n_items;
      take_page (self, page);
    }
  if (self->is_urgent)
    g_signal_emit (self, loaded_signal, 0);
  if (!ts_worker_is_busy (self->worker))
    ask (self);
}

static gboolean
is_missing (TsEventModel *self,
            guint64 line)
{
  return line > 0 && line <= self->n_items && is_to_come (self, find_page (self, line), line);
}

/* Pages round what is on screen, those that scrolling comes to first. */
static void
add_pages_around (TsEventModel *self,
                  TsEventPageRequest *request)
{
  gint64 top = (gint64) get_page_line (MAX (self->shown_line, 1));
  gint64 bottom = (gint64) get_page_line (MAX (self->shown_line + self->n_shown, 2) - 1);

  for (gint64 i = 1; i <= TS_EVENT_MODEL_AHEAD; i++)
    {
      gint64 up = top - i * TS_EVENT_MODEL_PAGE_ROWS;
      gint64 down = bottom + i * TS_EVENT_MODEL_PAGE_ROWS;
      gint64 ahead = self->is_upwards ? up : down;
      gint64 behind = self->is_upwards ? down : up;

      if (ahead > 0 && is_missing (self, (guint64) ahead))
        _ts_event_page_request_add (request, (guint64) ahead);
      if (i == 1 && behind > 0 && is_missing (self, (guint64) behind))
        _ts_event_page_request_add (request, (guint64) behind);
    }
}

/* Asks for what somebody waits for, else for what may be wanted soon. Of what was wanted before and
 * is not any more nothing is asked. */
static void
ask (TsEventModel *self)
{
  TsEventPageRequest *request;

  if (self->recording == NULL || self->n_items == 0)
    return;
  request = _ts_event_page_request_new (self->order != NULL ? self->order : self->rows,
                                        self->order != NULL ? self->rows : NULL,
                                        self->order != NULL, self->n_items);
  for (guint i = 0; i < self->wanted->len; i++)
    if (is_missing (self, g_array_index (self->wanted, guint64, i)))
      _ts_event_page_request_add (request,
                                  get_page_line (g_array_index (self->wanted, guint64, i)));
  if (is_missing (self, self->wanted_line))
    _ts_event_page_request_add (request, get_page_line (self->wanted_line));
  g_array_set_size (self->wanted, 0);
  self->wanted_line = 0;
  self->is_urgent = request->n_pages > 0;
  if (!self->is_urgent && self->n_shown > 0)
    add_pages_around (self, request);
  if (request->n_pages == 0)
    {
      _ts_event_page_request_free (request);
      return;
    }
  self->n_asked = request->n_pages;
  memcpy (self->asked, request->first_lines, sizeof self->asked);
  ts_worker_set_recording (self->worker, self->recording);
  ts_worker_ask (self->worker, _ts_event_page_thread, request, _ts_event_page_request_free,
                 (GDestroyNotify) g_ptr_array_unref, on_pages, self);
}

/* What is read ahead gives way to what somebody waits for; that is waited for in turn, it is short. */
static void
ask_soon (TsEventModel *self)
{
  if (!ts_worker_is_busy (self->worker)
      || (!self->is_urgent && (self->wanted->len > 0 || self->wanted_line != 0)))
    ask (self);
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
  guint at;

  if (self->rows == NULL)
    return row - 1;
  at = _ts_event_rows_find (self->rows, row);
  return at > 0 ? g_array_index (self->rows, guint64, at - 1) : 0;
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

  if (self->worker != NULL)
    drop_pages (self);
  g_clear_object (&self->worker);
  g_clear_object (&self->recording);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->order, g_array_unref);
  G_OBJECT_CLASS (ts_event_model_parent_class)->dispose (object);
}

static void
ts_event_model_finalize (GObject *object)
{
  TsEventModel *self = TS_EVENT_MODEL (object);

  g_hash_table_unref (self->pages);
  g_array_unref (self->wanted);
  G_OBJECT_CLASS (ts_event_model_parent_class)->finalize (object);
}

static void
ts_event_model_class_init (TsEventModelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_event_model_dispose;
  G_OBJECT_CLASS (klass)->finalize = ts_event_model_finalize;
  /**
   * TsEventModel::loaded:
   *
   * Events that were read in vain have come: ts_event_model_read() again.
   */
  loaded_signal = g_signal_new ("loaded", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_event_model_init (TsEventModel *self)
{
  self->worker = ts_worker_new ("[ts-ui] rows of the list");
  self->wanted = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->pages = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
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
  gboolean is_same;
  guint before;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  /* a capture that ended is opened again as a file: its rows are known already */
  is_same = recording != NULL && self->recording != NULL && self->rows == NULL
            && self->order == NULL && *ts_recording_get_id (recording) != '\0'
            && g_str_equal (ts_recording_get_id (recording), ts_recording_get_id (self->recording));
  if (!g_set_object (&self->recording, recording))
    return;
  before = self->n_items;
  if (!is_same)
    drop_pages (self);
  ts_worker_set_recording (self->worker, recording);
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

/* The page that has the line; NULL: it is asked for, unless there is nothing to be had. */
static TsEventPage *
look_up (TsEventModel *self,
         guint64 line)
{
  TsEventPage *page = find_page (self, line);

  if (page != NULL)
    page->used = ++self->clock;
  if (page != NULL && line - page->first_line < page->n)
    return page;
  if (is_to_come (self, page, line))
    {
      self->wanted_line = line;
      ask_soon (self);
    }
  return NULL;
}

/**
 * ts_event_model_read:
 * @self: a list
 * @line: line of the list, from 1: the row id, unless only some rows are shown
 * @event: (out caller-allocates): the event
 *
 * Does not wait: what is not in memory is read by a worker, and #TsEventModel::loaded tells when it
 * has come. Of several that are read in vain one after the other only the last is sure to come.
 *
 * Cost: O(1)
 * Thread: main
 *
 * Returns: %FALSE if there is no such line, if it is still to come (ts_event_model_is_pending()), or
 *   if it cannot be read
 */
gboolean
ts_event_model_read (TsEventModel *self,
                     guint64 line,
                     TsEvent *event)
{
  TsEventPage *page;

  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), FALSE);
  if (self->recording == NULL || line == 0 || line > self->n_items)
    return FALSE;
  page = look_up (self, line);
  if (page == NULL)
    return FALSE;
  *event = page->events[line - page->first_line];
  return TRUE;
}

/**
 * ts_event_model_is_pending:
 * @self: a list
 * @line: a line, from 1
 *
 * Thread: main
 *
 * Returns: whether the event of the line is not in memory and may come
 */
gboolean
ts_event_model_is_pending (TsEventModel *self,
                           guint64 line)
{
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), FALSE);
  return self->recording != NULL && is_missing (self, line);
}

/**
 * ts_event_model_show:
 * @self: a list
 * @line: first line on screen, from 1
 * @n_lines: how many are
 *
 * Asks for what is not in memory of these lines, and in place of all that was asked for lines that
 * are on screen no more; then for some pages round them.
 *
 * Thread: main
 */
void
ts_event_model_show (TsEventModel *self,
                     guint64 line,
                     guint n_lines)
{
  guint64 last;

  g_return_if_fail (TS_IS_EVENT_MODEL (self));
  if (line != self->shown_line)
    self->is_upwards = line < self->shown_line;
  self->shown_line = line;
  self->n_shown = n_lines;
  g_array_set_size (self->wanted, 0);
  if (self->recording == NULL || line == 0 || line > self->n_items || n_lines == 0)
    return;
  last = MIN (line + n_lines - 1, self->n_items);
  for (guint64 first = get_page_line (line); first <= last; first += TS_EVENT_MODEL_PAGE_ROWS)
    {
      /* the last one that is seen of the page: one that grows may have the others already */
      guint64 end = MIN (first + TS_EVENT_MODEL_PAGE_ROWS - 1, last);

      if (is_missing (self, end))
        g_array_append_val (self->wanted, end);
    }
  ask_soon (self);
}

/**
 * ts_event_model_fill:
 * @self: a list
 * @line: line of the list, from 1
 * @item: becomes what that line shows, and says so if that is something else than before; if it is
 *   still to come it keeps what it showed, and is pending
 *
 * Thread: main
 */
void
ts_event_model_fill (TsEventModel *self,
                     guint64 line,
                     TsEventItem *item)
{
  TsEvent event = { 0 };
  TsEventPage *page = NULL;
  gboolean was_pending;
  guint64 row;
  gint64 delta = -1;

  g_return_if_fail (TS_IS_EVENT_MODEL (self) && TS_IS_EVENT_ITEM (item));
  row = ts_event_model_get_row (self, line);
  was_pending = item->is_pending;
  item->is_pending = ts_event_model_is_pending (self, line);
  if (item->is_pending)
    {
      item->row = row;
      return;
    }
  if (row != 0)
    page = look_up (self, line);
  if (page == NULL)
    event.kind = TS_EVENT_INVALID;
  else
    {
      event = page->events[line - page->first_line];
      delta = page->deltas[line - page->first_line];
    }
  if (!was_pending && item->row == row && item->delta == delta
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
  drop_pages (self);
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
  drop_pages (self);
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
  g_return_val_if_fail (TS_IS_EVENT_MODEL (self), 1);
  if (self->order != NULL)
    {
      for (guint i = 0; i < self->order->len; i++)
        if (g_array_index (self->order, guint64, i) == row)
          return (guint64) i + 1;
      return (guint64) self->order->len + 1;
    }
  return self->rows != NULL ? (guint64) _ts_event_rows_find (self->rows, row) + 1 : row;
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
