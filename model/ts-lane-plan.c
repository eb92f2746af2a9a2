/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-plan.c: which nodes a window needs that are not unpacked yet, and taking over those that
 * the worker has unpacked.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-reader-private.h"

/* Nodes that one look may ask for. */
#define MAX_LOOKED 64

/* Asks for a node, unless it is there. */
void
_ts_lane_reader_want (TsLaneReader *self,
                      const TsReaderLane *lane,
                      TsReaderNode *node,
                      gboolean wants_slices,
                      gboolean is_now)
{
  TsFetchItem item = { .lane = lane->info.id,
                       .seq = node->info.seq,
                       .level = node->info.level,
                       .wants_slices = wants_slices != FALSE,
                       .is_now = is_now != FALSE,
                       .blob = node->info.blob };

  if (self->look != 0)
    {
      if (self->is_quiet || node->is_bad)
        return;
      self->is_missing = TRUE;
      for (guint i = 0; i < self->looked->len; i++)
        {
          TsFetchItem *other = &g_array_index (self->looked, TsFetchItem, i);

          if (other->lane != item.lane || other->level != item.level || other->seq != item.seq)
            continue;
          other->wants_slices |= item.wants_slices;
          return;
        }
      if (self->looked->len < MAX_LOOKED)
        g_array_append_val (self->looked, item);
      return;
    }
  if (self->fetcher == NULL || node->is_bad || self->wanted->len >= TS_FETCH_MAX_ITEMS
      || node->asked >= 2 * self->round + (wants_slices != FALSE)
      || (node->fold != NULL && (!wants_slices || node->slices != NULL)))
    return;
  node->asked = 2 * self->round + (wants_slices != FALSE);
  if (node->stored != NULL)
    item.bytes = _ts_lane_store_ref_bytes (self->store, node->stored, &item.blob);
  g_array_append_val (self->wanted, item);
}

static void
plan_node (TsLaneReader *self,
           const TsReaderLane *lane,
           guint level,
           guint i,
           gint64 low,
           gint64 high,
           gint64 width)
{
  TsReaderNode *node = _ts_reader_lane_node (lane, level, i);

  if (node->info.begin >= high || node->info.end < low || self->wanted->len >= TS_FETCH_MAX_ITEMS)
    return;
  if (node->info.width_log2 < 62 && (gint64) 1 << node->info.width_log2 <= width)
    {
      _ts_lane_reader_want (self, lane, node, FALSE, FALSE);
      return;
    }
  if (level == 0)
    {
      _ts_lane_reader_want (self, lane, node, TRUE, FALSE);
      return;
    }
  /* The coarser level, which is shown first and when zooming out. */
  _ts_lane_reader_want (self, lane, node, FALSE, FALSE);
  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (lane, level - 1);
       child++)
    plan_node (self, lane, level - 1, child, low, high, width);
}

/* Nodes whose slices a window shows one by one. */
static void
plan_slices (TsLaneReader *self,
             const TsReaderLane *lane,
             gint64 begin,
             gint64 end,
             guint n_columns)
{
  guint found[TS_READER_MAX_SLICE_NODES];
  guint n = _ts_lane_reader_find_slice_nodes (lane, begin, end, n_columns / 2, found);

  for (guint i = 0; i < n && n <= TS_READER_MAX_SLICE_NODES; i++)
    _ts_lane_reader_want (self, lane, _ts_reader_lane_node (lane, 0, found[i]), TRUE, FALSE);
}

/**
 * _ts_lane_reader_plan:
 * @self: a reader with a worker
 * @lane_id: a lane
 * @begin: first tick of a window
 * @end: tick after the last
 * @n_columns: its width
 *
 * Asks for what a picture of the window would have to unpack; after what pictures wait for.
 *
 * Cost: a walk through the directory, some microseconds
 * Thread: owner
 */
void
_ts_lane_reader_plan (TsLaneReader *self,
                      guint32 lane_id,
                      gint64 begin,
                      gint64 end,
                      guint n_columns)
{
  const TsReaderLane *lane = _ts_lane_reader_find_lane (self, lane_id);
  gint64 width;

  if (self->fetcher == NULL || lane == NULL || n_columns == 0 || end <= begin
      || begin < -TS_NODE_MAX_TIME || end > TS_NODE_MAX_TIME)
    return;

  width = (end - begin) / n_columns;
  for (guint level = TS_NODE_MAX_LEVEL + 1; level-- > 0;)
    {
      guint n = _ts_reader_lane_n_nodes (lane, level);

      for (guint i = MIN (_ts_reader_lane_n_nodes (lane, level + 1) * TS_NODE_FANOUT, n); i < n;
           i++)
        plan_node (self, lane, level, i, begin, end, width);
    }
  if (lane->info.kind != TS_LANE_DENSITY)
    plan_slices (self, lane, begin, end, n_columns);
}

/**
 * _ts_lane_reader_send:
 * @self: a reader with a worker
 *
 * Sends what has been asked for since the last time; it replaces what is left of the request
 * before.
 *
 * Thread: owner
 */
void
_ts_lane_reader_send (TsLaneReader *self)
{
  if (self->fetcher == NULL || (self->wanted->len == 0 && !self->has_asked))
    return;

  _ts_lane_fetcher_ask (self->fetcher, (const TsFetchItem *) (gpointer) self->wanted->data,
                        self->wanted->len);
  self->has_asked = self->wanted->len > 0;
  g_array_set_size (self->wanted, 0);
  self->round++;
}

/**
 * _ts_lane_reader_begin_look:
 * @self: a reader
 * @look: who looks, not 0
 *
 * See ts_recording_begin_look().
 *
 * Thread: owner
 */
void
_ts_lane_reader_begin_look (TsLaneReader *self,
                            guint look)
{
  g_return_if_fail (self->look == 0);

  if (self->fetcher == NULL || self->store != NULL)
    return;
  _ts_lane_reader_adopt (self);
  self->look = look;
  self->is_missing = FALSE;
}

/**
 * _ts_lane_reader_end_look:
 * @self: a reader
 *
 * Thread: owner
 *
 * Returns: %TRUE if the worker has been asked for something
 */
gboolean
_ts_lane_reader_end_look (TsLaneReader *self)
{
  guint look = self->look;

  if (look == 0)
    return FALSE;
  /* Who lacks nothing takes nothing from who waits for an answer to the same look: without one he
   * would never look again. */
  if (self->looked->len > 0)
    _ts_lane_fetcher_ask_first (self->fetcher, look,
                                (const TsFetchItem *) (gpointer) self->looked->data,
                                self->looked->len);
  g_array_set_size (self->looked, 0);
  self->look = 0;
  return self->is_missing;
}

/* Whether the slices of a node of level 0 are not there for somebody who does not wait; they are
 * asked for then. */
gboolean
_ts_lane_reader_must_wait (TsLaneReader *self,
                           const TsReaderLane *lane,
                           TsReaderNode *node)
{
  if (self->look == 0 || node->slices != NULL || node->is_bad)
    return FALSE;
  _ts_lane_reader_want (self, lane, node, TRUE, TRUE);
  return TRUE;
}

/**
 * _ts_lane_reader_adopt:
 * @self: a reader
 *
 * Takes over what the worker has unpacked.
 *
 * Thread: owner
 *
 * Returns: %TRUE if there was anything
 */
gboolean
_ts_lane_reader_adopt (TsLaneReader *self)
{
  GPtrArray *done;

  if (self->fetcher == NULL)
    return FALSE;
  done = _ts_lane_fetcher_take (self->fetcher);
  if (done == NULL)
    return FALSE;

  for (guint i = 0; i < done->len; i++)
    {
      TsFetched *fetched = done->pdata[i];
      const TsFetchItem *item = &fetched->item;
      const TsReaderLane *lane = _ts_lane_reader_find_lane (self, item->lane);

      if (lane != NULL && item->seq < _ts_reader_lane_n_nodes (lane, item->level))
        _ts_lane_reader_install (self, _ts_reader_lane_node (lane, item->level, item->seq),
                                 fetched);
    }
  _ts_lane_reader_bury (self, done);
  return TRUE;
}

/**
 * _ts_lane_reader_set_fetcher:
 * @self: a reader
 * @fetcher: (nullable) (transfer full): its worker from now on
 *
 * Thread: owner
 */
void
_ts_lane_reader_set_fetcher (TsLaneReader *self,
                             TsLaneFetcher *fetcher)
{
  _ts_lane_reader_bury (self, NULL);
  g_clear_pointer (&self->fetcher, _ts_lane_fetcher_free);
  self->fetcher = fetcher;
  if (self->wanted == NULL)
    self->wanted = g_array_new (FALSE, FALSE, sizeof (TsFetchItem));
  if (self->looked == NULL)
    self->looked = g_array_new (FALSE, FALSE, sizeof (TsFetchItem));
  for (guint i = 0; i < self->wanted->len; i++)
    g_clear_pointer (&g_array_index (self->wanted, TsFetchItem, i).bytes, g_bytes_unref);
  g_array_set_size (self->wanted, 0);
  self->round++;
}
