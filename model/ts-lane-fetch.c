/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-fetch.c: the worker that unpacks nodes ahead of the pictures that need them. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-fetch-private.h"

/* What may wait to be taken over. */
#define MAX_WAITING_BYTES (24u << 20)
/* So many nodes of no use are freed before the next one is unpacked. */
#define MAX_DEAD 512

/**
 * TsLaneFetcher:
 * @load, @load_data, @notify, @notify_data: constant
 * @mutex: protects everything below
 * @changed: something to do, or the end
 * @asked: (element-type TsFetchItem): what is left of the request, from @next on
 * @first: (element-type TsFetchItem): what goes before it
 * @done: (element-type TsFetched): unpacked, not taken over
 * @done_bytes: their size
 * @dead: (element-type TsNodeParts): of no use any more, to be freed
 * @is_busy: a node is being unpacked
 * @current: that node
 * @looks: who waits for it: a bit for each #TsLook; 0: a picture only
 */
struct _TsLaneFetcher
{
  TsNodeLoad load;
  gpointer load_data;
  TsFetchedFunc notify;
  gpointer notify_data;
  GThread *thread;

  GMutex mutex;
  GCond changed;
  GArray *asked;
  GArray *first;
  guint next;
  GPtrArray *done;
  gsize done_bytes;
  GArray *dead;
  gboolean is_busy;
  TsFetchItem current;
  guint32 looks;
  gboolean is_ending;
};

static void
clear_item (gpointer data)
{
  TsFetchItem *item = data;

  g_clear_pointer (&item->bytes, g_bytes_unref);
}

/* Frees what was unpacked of a node. */
void
_ts_node_parts_clear (TsNodeParts *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->folds); i++)
    {
      if (self->folds[i] != NULL)
        _ts_fold_clear (self->folds[i]);
      g_clear_pointer (&self->folds[i], g_free);
    }
  g_clear_pointer (&self->slices, g_free);
}

static void
fetched_free (gpointer data)
{
  TsFetched *self = data;
  TsNodeParts parts = { { self->fold }, self->slices };

  _ts_node_parts_clear (&parts);
  g_free (self);
}

static GArray *
dead_new (void)
{
  GArray *dead = g_array_new (FALSE, FALSE, sizeof (TsNodeParts));

  g_array_set_clear_func (dead, (GDestroyNotify) _ts_node_parts_clear);
  return dead;
}

/* Unpacks one node; @scratch has room for TS_NODE_SLICES. */
static TsFetched *
unpack (TsLaneFetcher *self,
        const TsFetchItem *item,
        TsSlice *scratch)
{
  TsFetched *fetched = g_new0 (TsFetched, 1);
  g_autoptr (GBytes) bytes = item->bytes != NULL ? g_bytes_ref (item->bytes) : NULL;

  fetched->item = *item;
  fetched->item.bytes = NULL;
  if (bytes == NULL && item->blob != 0 && self->load != NULL)
    bytes = self->load (item->blob, self->load_data);
  if (bytes == NULL)
    return fetched;

  fetched->fold = g_new0 (TsFold, 1);
  _ts_node_decode_fold (bytes, fetched->fold, scratch);
  _ts_fold_trim (fetched->fold);
  if (item->wants_slices)
    {
      fetched->n_slices = _ts_node_decode_slices (bytes, scratch);
      fetched->slices = g_new (TsSlice, MAX (fetched->n_slices, 1));
      memcpy (fetched->slices, scratch, fetched->n_slices * sizeof *scratch);
    }
  return fetched;
}

static gsize
get_size (const TsFetched *fetched)
{
  return sizeof *fetched + fetched->n_slices * sizeof (TsSlice)
         + (fetched->fold != NULL ? _ts_fold_get_size (fetched->fold) : 0);
}

static gboolean
has_work (const TsLaneFetcher *self)
{
  return self->first->len > 0
         || (self->next < self->asked->len && self->done_bytes < MAX_WAITING_BYTES);
}

/* Whether somebody who waited for the node that is unpacked now waits for nothing else. */
static gboolean
is_look_over (const TsLaneFetcher *self)
{
  guint32 left = self->looks;

  for (guint i = 0; i < self->first->len; i++)
    left &= ~(1u << g_array_index (self->first, TsFetchItem, i).look);
  return left != 0;
}

/* The next node to unpack; @is_last: the picture that waits is to be told after it. */
static TsFetchItem
take_item (TsLaneFetcher *self,
           gboolean *is_last)
{
  TsFetchItem item;

  if (self->first->len > 0)
    {
      item = g_array_index (self->first, TsFetchItem, 0);
      g_array_index (self->first, TsFetchItem, 0).bytes = NULL;
      g_array_remove_index (self->first, 0);
      *is_last = FALSE;
      return item;
    }
  item = g_array_index (self->asked, TsFetchItem, self->next);
  g_array_index (self->asked, TsFetchItem, self->next).bytes = NULL;
  self->next++;
  *is_last = self->next == self->asked->len
             || !g_array_index (self->asked, TsFetchItem, self->next).is_now;
  return item;
}

/* Frees what nobody wants any more; with the mutex held, which it lets go meanwhile. */
static void
bury (TsLaneFetcher *self)
{
  GArray *dead = g_steal_pointer (&self->dead);

  self->dead = dead_new ();
  g_mutex_unlock (&self->mutex);
  g_array_unref (dead);
  g_mutex_lock (&self->mutex);
}

static gpointer
work (gpointer data)
{
  TsLaneFetcher *self = data;
  g_autofree TsSlice *scratch = g_new (TsSlice, TS_NODE_SLICES);

  g_mutex_lock (&self->mutex);
  for (;;)
    {
      TsFetchItem item;
      TsFetched *fetched;
      gboolean was_last;

      while (!self->is_ending && !has_work (self) && self->dead->len == 0)
        g_cond_wait (&self->changed, &self->mutex);
      if (self->is_ending)
        break;
      if (!has_work (self) || self->dead->len > MAX_DEAD)
        {
          bury (self);
          continue;
        }

      item = take_item (self, &was_last);
      self->is_busy = TRUE;
      self->current = item;
      self->looks = item.look != 0 ? 1u << item.look : 0;
      g_mutex_unlock (&self->mutex);

      fetched = unpack (self, &item, scratch);
      clear_item (&item);

      g_mutex_lock (&self->mutex);
      self->is_busy = FALSE;
      self->done_bytes += get_size (fetched);
      g_ptr_array_add (self->done, fetched);
      /* it goes on when that has been taken over, by whom it tells of it */
      was_last |= is_look_over (self) || self->done_bytes >= MAX_WAITING_BYTES;
      if (self->current.is_now && was_last && self->notify != NULL && !self->is_ending)
        {
          g_mutex_unlock (&self->mutex);
          self->notify (self->notify_data);
          g_mutex_lock (&self->mutex);
        }
    }
  g_mutex_unlock (&self->mutex);
  return NULL;
}

/**
 * _ts_lane_fetcher_new:
 * @load: (nullable): reads bytes, on the worker
 * @load_data: for @load
 * @notify: (nullable): see #TsFetchedFunc
 * @notify_data: for @notify
 *
 * Thread: any
 *
 * Returns: (transfer full): a worker; _ts_lane_fetcher_free()
 */
TsLaneFetcher *
_ts_lane_fetcher_new (TsNodeLoad load,
                      gpointer load_data,
                      TsFetchedFunc notify,
                      gpointer notify_data)
{
  TsLaneFetcher *self = g_new0 (TsLaneFetcher, 1);

  self->load = load;
  self->load_data = load_data;
  self->notify = notify;
  self->notify_data = notify_data;
  self->asked = g_array_new (FALSE, FALSE, sizeof (TsFetchItem));
  g_array_set_clear_func (self->asked, clear_item);
  self->done = g_ptr_array_new_with_free_func (fetched_free);
  self->dead = dead_new ();
  self->first = g_array_new (FALSE, FALSE, sizeof (TsFetchItem));
  g_array_set_clear_func (self->first, clear_item);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("ts-fetch", work, self);
  return self;
}

/**
 * _ts_lane_fetcher_free:
 * @self: (nullable) (transfer full): a worker; the node it is at is finished first
 *
 * Thread: the one that asks
 */
void
_ts_lane_fetcher_free (TsLaneFetcher *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->mutex);
  self->is_ending = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  g_thread_join (self->thread);
  g_array_unref (self->asked);
  g_array_unref (self->first);
  g_ptr_array_unref (self->done);
  g_array_unref (self->dead);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/**
 * _ts_lane_fetcher_ask:
 * @self: a worker
 * @items: (array length=n_items): the most urgent first; their bytes are taken over
 * @n_items: how many; 0: what was asked for is no longer wanted
 *
 * Replaces what is left of the request before.
 *
 * Thread: one
 */
void
_ts_lane_fetcher_ask (TsLaneFetcher *self,
                      const TsFetchItem *items,
                      guint n_items)
{
  g_mutex_lock (&self->mutex);
  g_array_set_size (self->asked, 0);
  if (n_items > 0)
    g_array_append_vals (self->asked, items, n_items);
  self->next = 0;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
}

/**
 * _ts_lane_fetcher_ask_first:
 * @self: a worker
 * @look: who waits, not 0
 * @items: (array length=n_items): what for; their bytes are taken over
 * @n_items: how many; 0: nothing any more
 *
 * Asks for nodes that go before those of _ts_lane_fetcher_ask(). Replaces what is left of the request
 * of the same @look.
 *
 * Thread: the one that asks
 */
void
_ts_lane_fetcher_ask_first (TsLaneFetcher *self,
                            guint look,
                            const TsFetchItem *items,
                            guint n_items)
{
  g_return_if_fail (look > 0 && look < 32);

  g_mutex_lock (&self->mutex);
  for (guint i = self->first->len; i-- > 0;)
    if (g_array_index (self->first, TsFetchItem, i).look == look)
      g_array_remove_index (self->first, i);
  for (guint i = n_items; i-- > 0;)
    {
      TsFetchItem item = items[i];

      item.look = (guint8) look;
      item.is_now = TRUE;
      /* It is at it: nobody wants it twice. */
      if (self->is_busy && self->current.lane == item.lane && self->current.level == item.level
          && self->current.seq == item.seq && self->current.wants_slices >= item.wants_slices)
        {
          self->looks |= 1u << look;
          self->current.is_now = TRUE;
          clear_item (&item);
          continue;
        }
      g_array_prepend_val (self->first, item);
    }
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
}

/**
 * _ts_lane_fetcher_is_idle:
 * @self: a worker
 *
 * Thread: the one that asks
 *
 * Returns: whether everything that was asked for has been unpacked
 */
gboolean
_ts_lane_fetcher_is_idle (TsLaneFetcher *self)
{
  gboolean is_idle;

  g_mutex_lock (&self->mutex);
  is_idle = !self->is_busy && !has_work (self);
  g_mutex_unlock (&self->mutex);
  return is_idle;
}

/**
 * _ts_lane_fetcher_take:
 * @self: a worker
 *
 * Thread: the one that asks
 *
 * Returns: (transfer full) (nullable) (element-type TsFetched): what has been unpacked since the
 *   last time
 */
GPtrArray *
_ts_lane_fetcher_take (TsLaneFetcher *self)
{
  GPtrArray *done = NULL;

  g_mutex_lock (&self->mutex);
  if (self->done->len > 0)
    {
      done = self->done;
      self->done = g_ptr_array_new_with_free_func (fetched_free);
      self->done_bytes = 0;
      g_cond_signal (&self->changed);
    }
  g_mutex_unlock (&self->mutex);
  return done;
}

/**
 * _ts_lane_fetcher_give_back:
 * @self: a worker
 * @taken: (nullable) (transfer full) (element-type TsFetched): what _ts_lane_fetcher_take() gave, and
 *   was not used of it
 * @parts: (array length=n_parts) (transfer full): what else is of no use any more
 * @n_parts: how many
 *
 * The worker frees what it has allocated: that is many pieces, and whoever frees them waits for it.
 *
 * Cost: a copy of the pointers
 * Thread: the one that asks
 */
void
_ts_lane_fetcher_give_back (TsLaneFetcher *self,
                            GPtrArray *taken,
                            const TsNodeParts *parts,
                            guint n_parts)
{
  g_mutex_lock (&self->mutex);
  for (guint i = 0; taken != NULL && i < taken->len; i++)
    {
      TsFetched *fetched = taken->pdata[i];
      TsNodeParts left = { { g_steal_pointer (&fetched->fold) },
                           g_steal_pointer (&fetched->slices) };

      if (left.folds[0] != NULL || left.slices != NULL)
        g_array_append_val (self->dead, left);
    }
  if (n_parts > 0)
    g_array_append_vals (self->dead, parts, n_parts);
  if (self->dead->len > 0)
    g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  g_clear_pointer (&taken, g_ptr_array_unref);
}
