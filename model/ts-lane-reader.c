/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-reader.c: the reading side of the pyramid: directory and cache of unpacked nodes.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-reader-private.h"

/* So many forgotten nodes at most wait to be given to the worker, which frees them. */
#define MAX_DEAD 64

/* ---- lanes and directory ---- */

/* What was unpacked of a node, which has nothing then. */
static TsNodeParts
steal_parts (TsReaderNode *node)
{
  TsNodeParts parts = { { g_steal_pointer (&node->fold) }, g_steal_pointer (&node->slices) };

  for (guint i = 0; i < TS_READER_MAX_DOUBLINGS; i++)
    parts.folds[1 + i] = g_steal_pointer (&node->coarser[i]);
  node->n_slices = 0;
  return parts;
}

static void
reader_node_free (gpointer data)
{
  TsReaderNode *node = data;
  TsNodeParts parts = steal_parts (node);

  _ts_node_parts_clear (&parts);
  g_free (node);
}

static void
reader_lane_free (gpointer data)
{
  TsReaderLane *lane = data;

  for (guint level = 0; level <= TS_NODE_MAX_LEVEL; level++)
    g_clear_pointer (&lane->nodes[level], g_ptr_array_unref);
  _ts_lane_chunk_unref (lane->chunk);
  _ts_fold_clear (&lane->extra);
  g_free (lane->info.name);
  g_free (lane);
}

static TsReaderLane *
add_lane (TsLaneReader *self,
          guint32 id)
{
  TsReaderLane *lane = g_new0 (TsReaderLane, 1);

  lane->index = self->lanes->len;
  lane->info.id = id;
  g_ptr_array_add (self->lanes, lane);
  g_hash_table_insert (self->by_id, GUINT_TO_POINTER (id), lane);
  return lane;
}

static void
set_lane_info (TsReaderLane *lane,
               const TsLaneInfo *info)
{
  char *old_name = lane->info.name;

  lane->info = *info;
  if (g_strcmp0 (old_name, info->name) == 0)
    lane->info.name = old_name;
  else
    {
      lane->info.name = g_strdup (info->name);
      g_free (old_name);
    }
  if (lane->info.name == NULL)
    lane->info.name = g_strdup ("");
  lane->may_overlap = info->kind == TS_LANE_ISR || info->kind == TS_LANE_SPAN;
}

static void
update_infos (TsLaneReader *self)
{
  g_array_set_size (self->infos, self->lanes->len);
  for (guint i = 0; i < self->lanes->len; i++)
    g_array_index (self->infos, TsLaneInfo, i) = ((TsReaderLane *) self->lanes->pdata[i])->info;
}

static void
add_node (TsReaderLane *lane,
          const TsNodeInfo *info,
          const TsStoredNode *stored)
{
  TsReaderNode *node = g_new0 (TsReaderNode, 1);

  node->info = *info;
  node->stored = stored;
  if (lane->nodes[info->level] == NULL)
    lane->nodes[info->level] = g_ptr_array_new_with_free_func (reader_node_free);
  g_ptr_array_add (lane->nodes[info->level], node);
}

static TsLaneReader *
reader_new (TsNodeLoad load,
            gpointer user_data)
{
  TsLaneReader *self = g_new0 (TsLaneReader, 1);

  self->load = load;
  self->user_data = user_data;
  self->lanes = g_ptr_array_new_with_free_func (reader_lane_free);
  self->by_id = g_hash_table_new (NULL, NULL);
  self->infos = g_array_new (FALSE, FALSE, sizeof (TsLaneInfo));
  self->scratch = g_new (TsSlice, TS_NODE_SLICES);
  self->round = 1;
  self->max_cache_bytes = TS_READER_CACHE_BYTES;
  self->dead = g_array_new (FALSE, FALSE, sizeof (TsNodeParts));
  return self;
}

/* Whether a directory entry that comes from a file fits the ones before it. */
static gboolean
is_good_node (const TsReaderLane *lane,
              const TsNodeInfo *info)
{
  const TsReaderNode *before;
  guint n;

  if (info->level > TS_NODE_MAX_LEVEL || info->begin < 0 || info->end < info->begin
      || info->end >= TS_NODE_MAX_TIME || info->width_log2 > 62)
    return FALSE;

  n = _ts_reader_lane_n_nodes (lane, info->level);
  if (info->seq != n)
    return FALSE;
  if (n == 0)
    return TRUE;

  before = _ts_reader_lane_node (lane, info->level, n - 1);
  return before->info.end <= info->end;
}

/**
 * ts_lane_reader_new:
 * @lanes: (array length=n_lanes): lanes as stored (copied)
 * @n_lanes: how many
 * @nodes: (array length=n_nodes): the directory as stored (copied); in any order of lanes and
 *   levels, by seq within a level
 * @n_nodes: how many
 * @end_time: end of the recording
 * @load: reads a blob
 * @user_data: for @load
 *
 * A reader of a closed recording. Entries that do not fit (a damaged file) are left out.
 *
 * Thread: any; then only one at a time
 *
 * Returns: (transfer full): ts_lane_reader_free()
 */
TsLaneReader *
ts_lane_reader_new (const TsLaneInfo *lanes,
                    guint n_lanes,
                    const TsNodeInfo *nodes,
                    gsize n_nodes,
                    gint64 end_time,
                    TsNodeLoad load,
                    gpointer user_data)
{
  TsLaneReader *self;

  g_return_val_if_fail (load != NULL, NULL);

  self = reader_new (load, user_data);
  self->end = end_time;
  for (guint i = 0; i < n_lanes; i++)
    {
      if (_ts_lane_reader_find_lane (self, lanes[i].id) == NULL)
        set_lane_info (add_lane (self, lanes[i].id), &lanes[i]);
    }

  for (gsize i = 0; i < n_nodes; i++)
    {
      TsReaderLane *lane = _ts_lane_reader_find_lane (self, nodes[i].lane);

      if (lane == NULL || !is_good_node (lane, &nodes[i]))
        continue;
      add_node (lane, &nodes[i], NULL);
      self->end = MAX (self->end, nodes[i].end);
    }

  update_infos (self);
  return self;
}

/**
 * ts_lane_reader_new_live:
 * @store: a store (a reference is taken)
 * @load: (nullable): reads a blob that the store has given to storage; %NULL if it never does
 * @user_data: for @load
 *
 * Sees what was published at the last ts_lane_reader_sync(); at first nothing.
 *
 * Thread: any; then only one at a time
 *
 * Returns: (transfer full): ts_lane_reader_free()
 */
TsLaneReader *
ts_lane_reader_new_live (TsLaneStore *store,
                         TsNodeLoad load,
                         gpointer user_data)
{
  TsLaneReader *self;

  g_return_val_if_fail (store != NULL, NULL);

  self = reader_new (load, user_data);
  self->store = ts_lane_store_ref (store);
  return self;
}

/**
 * ts_lane_reader_free:
 * @self: (nullable) (transfer full): a reader
 *
 * Thread: owner
 */
void
ts_lane_reader_free (TsLaneReader *self)
{
  if (self == NULL)
    return;

  _ts_lane_reader_set_fetcher (self, NULL);
  for (guint i = 0; i < TS_BOOK_PARTS; i++)
    _ts_book_clear (&self->books[i]);
  g_array_unref (self->wanted);
  g_array_unref (self->looked);
  g_array_unref (self->dead);
  g_ptr_array_unref (self->lanes);
  g_hash_table_unref (self->by_id);
  g_array_unref (self->infos);
  g_clear_pointer (&self->store, ts_lane_store_unref);
  g_free (self->scratch);
  g_free (self->edges);
  g_free (self->arrays);
  g_free (self);
}

/* Takes over one changed lane; called under the store's lock. */
static void
sync_lane (const TsLaneTail *tail,
           TsStoredNode *const *const *nodes,
           gpointer user_data)
{
  TsLaneReader *self = user_data;
  TsReaderLane *lane = _ts_lane_reader_find_lane (self, tail->info.id);

  if (lane == NULL)
    lane = add_lane (self, tail->info.id);
  set_lane_info (lane, &tail->info);

  for (guint level = 0; level <= TS_NODE_MAX_LEVEL; level++)
    {
      for (guint i = _ts_reader_lane_n_nodes (lane, level); i < tail->n_nodes[level]; i++)
        add_node (lane, &nodes[level][i]->info, nodes[level][i]);
    }

  if (lane->chunk != tail->chunk)
    {
      g_clear_pointer (&lane->chunk, _ts_lane_chunk_unref);
      if (tail->chunk != NULL)
        lane->chunk = _ts_lane_chunk_ref (tail->chunk);
    }
  lane->n_chunk = tail->n_chunk;
  if (lane->extra.n > 0 || tail->extra.n > 0)
    _ts_fold_copy_into (&lane->extra, &tail->extra);
  lane->extra_begin = tail->extra_begin;
  lane->extra_end = tail->extra_end;
  if (tail->n_open > 0)
    memcpy (lane->open, tail->open, tail->n_open * sizeof tail->open[0]);
  lane->n_open = tail->n_open;
}

/**
 * ts_lane_reader_sync:
 * @self: a reader
 *
 * Takes over what the writer has published since the last time. Does nothing for a closed
 * recording. Cost: what changed; the writer waits meanwhile, some microseconds.
 *
 * Thread: owner
 *
 * Returns: %TRUE if something new was published
 */
gboolean
ts_lane_reader_sync (TsLaneReader *self)
{
  guint64 generation;

  g_return_val_if_fail (self != NULL, FALSE);

  if (self->store == NULL)
    return FALSE;

  generation = _ts_lane_store_visit (self->store, self->generation, &self->end, sync_lane, self);
  if (generation == self->generation)
    return FALSE;

  self->generation = generation;
  update_infos (self);
  for (guint i = 0; i < self->lanes->len; i++)
    {
      TsReaderLane *lane = self->lanes->pdata[i];

      for (guint k = 0; k < lane->n_open; k++)
        {
          if (lane->open[k].end != G_MAXINT64 && (lane->open[k].kind & TS_SLICE_OPEN) == 0)
            continue;
          lane->open[k].end = MAX (self->end, lane->open[k].begin);
          lane->open[k].kind |= TS_SLICE_OPEN;
        }
    }
  return TRUE;
}

/**
 * ts_lane_reader_get_end:
 * @self: a reader
 *
 * Thread: owner
 *
 * Returns: the live end of time, or the end of a closed recording
 */
gint64
ts_lane_reader_get_end (TsLaneReader *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->end;
}

/**
 * ts_lane_reader_get_lanes:
 * @self: a reader
 * @n_lanes: (out): how many
 *
 * Thread: owner
 *
 * Returns: (transfer none) (array length=n_lanes): all lanes, valid until the next sync
 */
const TsLaneInfo *
ts_lane_reader_get_lanes (TsLaneReader *self,
                          guint *n_lanes)
{
  g_return_val_if_fail (self != NULL && n_lanes != NULL, NULL);

  *n_lanes = self->infos->len;
  return (const TsLaneInfo *) (gpointer) self->infos->data;
}

/**
 * ts_lane_reader_get_lane:
 * @self: a reader
 * @lane: id of a lane
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): the lane, valid until the next sync
 */
const TsLaneInfo *
ts_lane_reader_get_lane (TsLaneReader *self,
                         guint32 lane)
{
  const TsReaderLane *found = _ts_lane_reader_find_lane (self, lane);

  return found != NULL ? &g_array_index (self->infos, TsLaneInfo, found->index) : NULL;
}

TsReaderLane *
_ts_lane_reader_find_lane (TsLaneReader *self,
                           guint32 lane)
{
  return g_hash_table_lookup (self->by_id, GUINT_TO_POINTER (lane));
}

/* ---- cache ---- */

static void
unlink_node (TsLaneReader *self,
             TsReaderNode *node)
{
  if (node->newer != NULL)
    node->newer->older = node->older;
  else
    self->newest = node->older;

  if (node->older != NULL)
    node->older->newer = node->newer;
  else
    self->oldest = node->newer;

  node->newer = node->older = NULL;
}

static void
link_newest (TsLaneReader *self,
             TsReaderNode *node)
{
  node->older = self->newest;
  if (self->newest != NULL)
    self->newest->newer = node;
  else
    self->oldest = node;
  self->newest = node;
}

static void
touch (TsLaneReader *self,
       TsReaderNode *node)
{
  if (self->newest == node || node->is_kept)
    return;
  unlink_node (self, node);
  link_newest (self, node);
}

/* A node that is in use, though what lies below it is shown: what is coarser stays at hand. */
void
_ts_lane_reader_keep (TsLaneReader *self,
                      TsReaderNode *node)
{
  if (node->cost > 0)
    touch (self, node);
}

static void
forget (TsLaneReader *self,
        TsReaderNode *node)
{
  TsNodeParts parts;

  unlink_node (self, node);
  self->cache_bytes -= node->cost;
  node->cost = 0;
  parts = steal_parts (node);
  if (self->fetcher != NULL)
    g_array_append_val (self->dead, parts);
  else
    _ts_node_parts_clear (&parts);
}

/* Gives the worker, if there is one, what was forgotten, and what is left of what it had unpacked:
 * it frees that. */
void
_ts_lane_reader_bury (TsLaneReader *self,
                      GPtrArray *taken)
{
  if (self->fetcher == NULL || (taken == NULL && self->dead->len == 0))
    return;
  _ts_lane_fetcher_give_back (self->fetcher, taken,
                              (const TsNodeParts *) (gpointer) self->dead->data, self->dead->len);
  g_array_set_size (self->dead, 0);
}

/* Accounts for @cost more bytes of @node, which becomes the newest, and forgets the oldest ones
 * beyond the limit. */
static void
charge (TsLaneReader *self,
        TsReaderNode *node,
        gsize cost)
{
  if (node->is_kept)
    return;
  if (node->cost == 0)
    link_newest (self, node);
  else
    touch (self, node);
  node->cost += (guint) cost;
  self->cache_bytes += cost;

  while (self->cache_bytes > self->max_cache_bytes && self->oldest != node)
    forget (self, self->oldest);
  if (self->dead->len > MAX_DEAD)
    _ts_lane_reader_bury (self, NULL);
}

/* Forgets the nodes not used for the longest time until no more than @max_bytes are unpacked. */
void
_ts_lane_reader_trim (TsLaneReader *self,
                      gsize max_bytes)
{
  while (self->cache_bytes > max_bytes && self->oldest != NULL)
    forget (self, self->oldest);
  _ts_lane_reader_bury (self, NULL);
}

/* From now on the longest unused are forgotten beyond @max_bytes. */
void
_ts_lane_reader_limit (TsLaneReader *self,
                       gsize max_bytes)
{
  self->max_cache_bytes = max_bytes;
  _ts_lane_reader_trim (self, max_bytes);
}

static const TsFold *get_finest_fold (TsLaneReader *self,
                                      TsReaderNode *node);

/**
 * _ts_lane_reader_read_roots:
 * @self: a reader of a closed recording
 *
 * Unpacks the nodes that no coarser node stands for, and keeps them: from then on any picture of any
 * lane has something to show without reading.
 *
 * Cost: some 50 us a lane when the disk is not waited for; some 30 KB a lane
 * Thread: owner
 */
void
_ts_lane_reader_read_roots (TsLaneReader *self)
{
  for (guint k = 0; k < self->lanes->len && self->store == NULL; k++)
    {
      const TsReaderLane *lane = self->lanes->pdata[k];

      for (guint level = 0; level <= TS_NODE_MAX_LEVEL; level++)
        {
          guint n = _ts_reader_lane_n_nodes (lane, level);

          for (guint i = MIN (_ts_reader_lane_n_nodes (lane, level + 1) * TS_NODE_FANOUT, n);
               i < n; i++)
            {
              TsReaderNode *node = _ts_reader_lane_node (lane, level, i);

              if (node->cost > 0)
                forget (self, node);
              node->is_kept = TRUE;
              get_finest_fold (self, node);
            }
        }
    }
}

static GBytes *
load_bytes (TsLaneReader *self,
            TsReaderNode *node)
{
  gint64 blob = node->info.blob;
  GBytes *bytes
      = node->stored != NULL ? _ts_lane_store_ref_bytes (self->store, node->stored, &blob) : NULL;

  if (bytes == NULL && self->load != NULL && blob != 0)
    bytes = self->load (blob, self->user_data);
  /* A live recording may just be closed by its writer, and the readers shut out meanwhile. */
  node->is_bad = bytes == NULL && self->store == NULL;
  return bytes;
}

/**
 * ts_lane_reader_set_load_figures:
 * @self: a reader
 * @load: reads figures by the key of a node's blob
 *
 * Thread: owner
 */
void
ts_lane_reader_set_load_figures (TsLaneReader *self,
                                 TsNodeLoad load)
{
  g_return_if_fail (self != NULL);

  self->load_figures = load;
}

/**
 * ts_lane_reader_set_load_sections:
 * @self: a reader
 * @load: reads sections by the key of a node's blob
 *
 * Thread: owner
 */
void
ts_lane_reader_set_load_sections (TsLaneReader *self,
                                  TsNodeLoad load)
{
  g_return_if_fail (self != NULL);

  self->load_sections = load;
}

/**
 * ts_lane_reader_set_load_book:
 * @self: a reader
 * @load: reads a chapter of figures by its key
 *
 * Thread: owner
 */
void
ts_lane_reader_set_load_book (TsLaneReader *self,
                              TsNodeLoad load)
{
  g_return_if_fail (self != NULL);

  self->load_book = load;
}

/* Figures of a node as bytes; NULL where there are none. */
GBytes *
_ts_lane_reader_dup_figures (TsLaneReader *self,
                             TsReaderNode *node)
{
  gint64 blob = node->info.blob;
  GBytes *figures
      = node->stored != NULL ? _ts_lane_store_ref_figures (self->store, node->stored, &blob) : NULL;

  if (figures == NULL && self->load_book != NULL && blob != 0)
    {
      gint64 key = _ts_book_get_key (&node->info);
      TsBook *book = &self->books[_ts_book_get_part (&node->info)];

      if (!_ts_book_is (book, key))
        _ts_book_read (book, key, self->load_book (key, self->user_data),
                       self->store != NULL);
      figures = _ts_book_dup_figures (book, &node->info);
    }
  if (figures == NULL && self->load_figures != NULL && blob != 0)
    figures = self->load_figures (blob, self->user_data);
  return figures;
}

static const TsFold *
get_finest_fold (TsLaneReader *self,
                 TsReaderNode *node)
{
  g_autoptr (GBytes) bytes = NULL;

  if (node->fold != NULL)
    {
      touch (self, node);
      return node->fold;
    }
  if (node->is_bad)
    return NULL;

  bytes = load_bytes (self, node);
  if (bytes == NULL)
    return NULL;

  node->fold = g_new0 (TsFold, 1);
  _ts_node_decode_fold (bytes, node->fold, self->scratch);
  _ts_fold_trim (node->fold);
  charge (self, node, _ts_fold_get_size (node->fold) + sizeof *node->fold);
  return node->fold;
}

/* Buckets of a node, their width doubled @doublings times; valid until the next node is unpacked.
 * NULL if it cannot be read. */
const TsFold *
_ts_lane_reader_get_fold (TsLaneReader *self,
                          TsReaderNode *node,
                          guint doublings)
{
  const TsFold *finest = get_finest_fold (self, node);
  TsFold **coarser;

  if (finest == NULL || finest->n == 0 || doublings == 0)
    return finest;

  coarser = &node->coarser[doublings - 1];
  if (*coarser == NULL)
    {
      *coarser = g_new0 (TsFold, 1);
      _ts_fold_merge (*coarser, finest, finest->width_log2 + doublings);
      _ts_fold_trim (*coarser);
      charge (self, node, _ts_fold_get_size (*coarser) + sizeof **coarser);
    }
  return *coarser;
}

/* Slices of a node of level 0; valid until the next node is unpacked. */
const TsSlice *
_ts_lane_reader_get_slices (TsLaneReader *self,
                            TsReaderNode *node,
                            guint *n_slices)
{
  g_autoptr (GBytes) bytes = NULL;

  *n_slices = node->n_slices;
  if (node->slices != NULL)
    {
      touch (self, node);
      return node->slices;
    }
  if (node->is_bad)
    return NULL;

  bytes = load_bytes (self, node);
  if (bytes == NULL)
    return NULL;

  node->n_slices = _ts_node_decode_slices (bytes, self->scratch);
  node->slices = g_new (TsSlice, MAX (node->n_slices, 1));
  memcpy (node->slices, self->scratch, node->n_slices * sizeof node->slices[0]);
  charge (self, node, MAX (node->n_slices, 1) * sizeof node->slices[0]);
  *n_slices = node->n_slices;
  return node->slices;
}

/* As _ts_lane_reader_get_slices(), for a walk that does not come back: they are not kept. Valid
 * until anything is unpacked. */
const TsSlice *
_ts_lane_reader_borrow_slices (TsLaneReader *self,
                               TsReaderNode *node,
                               guint *n_slices)
{
  g_autoptr (GBytes) bytes = NULL;

  if (node->slices != NULL || node->is_bad)
    return _ts_lane_reader_get_slices (self, node, n_slices);
  *n_slices = 0;
  bytes = load_bytes (self, node);
  if (bytes == NULL)
    return NULL;
  *n_slices = _ts_node_decode_slices (bytes, self->scratch);
  return self->scratch;
}

/* Takes over what the worker has unpacked of a node, as far as it is not there. */
void
_ts_lane_reader_install (TsLaneReader *self,
                         TsReaderNode *node,
                         TsFetched *fetched)
{
  gsize cost = 0;

  if (fetched->fold == NULL)
    {
      /* else who waits for its slices asks for them again and again, though its buckets are there */
      node->is_bad = self->store == NULL
                     && (fetched->item.wants_slices ? node->slices == NULL : node->fold == NULL);
      return;
    }
  if (node->fold == NULL)
    {
      node->fold = g_steal_pointer (&fetched->fold);
      cost += _ts_fold_get_size (node->fold) + sizeof *node->fold;
    }
  if (node->slices == NULL && fetched->slices != NULL)
    {
      node->slices = g_steal_pointer (&fetched->slices);
      node->n_slices = fetched->n_slices;
      cost += MAX (node->n_slices, 1) * sizeof node->slices[0];
    }
  if (cost > 0)
    charge (self, node, cost);
}
