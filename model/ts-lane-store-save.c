/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-store-save.c: how sealed nodes of a store leave it: to the storage, and to live readers. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-store-state-private.h"

/**
 * ts_lane_store_next_unsaved:
 * @self: a store
 * @info: (out caller-allocates): the node's directory entry
 * @blob: (out) (transfer full): its bytes
 *
 * Takes the next node to be stored, in the order in which they were sealed.
 *
 * Thread: writer
 *
 * Returns: %FALSE if there is none
 */
gboolean
ts_lane_store_next_unsaved (TsLaneStore *self,
                            TsNodeInfo *info,
                            GBytes **blob)
{
  TsStoredNode *node;

  g_return_val_if_fail (self != NULL && info != NULL && blob != NULL, FALSE);

  node = g_queue_pop_head (&self->unsaved);
  if (node == NULL)
    return FALSE;

  *info = node->info;
  *blob = g_bytes_ref (node->bytes);
  return TRUE;
}

static TsStoredNode *
find_node (TsLaneStore *self,
           const TsNodeInfo *info)
{
  Lane *lane = _ts_lane_store_find_lane (self, info->lane);

  g_return_val_if_fail (lane != NULL && info->level <= TS_NODE_MAX_LEVEL
                        && info->seq < lane->n_nodes[info->level], NULL);
  return lane->nodes[info->level][info->seq];
}

/**
 * ts_lane_store_dup_figures:
 * @self: a store
 * @info: as ts_lane_store_next_unsaved() gave it
 *
 * Thread: writer
 *
 * Returns: (transfer full) (nullable): figures of the node, to be stored under its blob's key
 */
GBytes *
ts_lane_store_dup_figures (TsLaneStore *self,
                           const TsNodeInfo *info)
{
  const TsStoredNode *node;

  g_return_val_if_fail (self != NULL && info != NULL, NULL);

  node = find_node (self, info);
  return node != NULL && node->figures != NULL ? g_bytes_ref (node->figures) : NULL;
}

/**
 * ts_lane_store_dup_sections:
 * @self: a store
 * @info: as ts_lane_store_next_unsaved() gave it
 *
 * Thread: writer
 *
 * Returns: (transfer full) (nullable): sections of the node, to be stored under its blob's key
 */
GBytes *
ts_lane_store_dup_sections (TsLaneStore *self,
                            const TsNodeInfo *info)
{
  const TsStoredNode *node;

  g_return_val_if_fail (self != NULL && info != NULL, NULL);

  node = find_node (self, info);
  return node != NULL && node->sections != NULL ? g_bytes_ref (node->sections) : NULL;
}

/**
 * ts_lane_store_set_blob:
 * @self: a store
 * @info: as ts_lane_store_next_unsaved() gave it
 * @blob: key under which the storage keeps it, not 0
 *
 * Thread: writer
 */
void
ts_lane_store_set_blob (TsLaneStore *self,
                        const TsNodeInfo *info,
                        gint64 blob)
{
  TsStoredNode *node;

  g_return_if_fail (self != NULL && info != NULL && blob != 0);

  node = find_node (self, info);
  if (node == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  node->info.blob = blob;
  pthread_mutex_unlock (&self->lock);
  g_ptr_array_add (self->written, node);
}

/**
 * ts_lane_store_committed:
 * @self: a store
 *
 * All blobs set so far can be read back by their keys: their copies in memory go. So does room for
 * lanes that nothing is added to any more.
 *
 * Thread: writer
 */
void
ts_lane_store_committed (TsLaneStore *self)
{
  g_return_if_fail (self != NULL);

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < self->written->len; i++)
    {
      TsStoredNode *node = self->written->pdata[i];

      g_clear_pointer (&node->bytes, g_bytes_unref);
      g_clear_pointer (&node->figures, g_bytes_unref);
      g_clear_pointer (&node->sections, g_bytes_unref);
    }
  pthread_mutex_unlock (&self->lock);
  g_ptr_array_set_size (self->written, 0);
  _ts_lane_store_trim (self);
}

/**
 * ts_lane_store_get_lanes:
 * @self: a store
 * @n_lanes: (out): how many
 *
 * Thread: writer
 *
 * Returns: (transfer none) (array length=n_lanes): lanes in order of definition, valid until the
 * store changes
 */
const TsLaneInfo *
ts_lane_store_get_lanes (TsLaneStore *self,
                         guint *n_lanes)
{
  g_return_val_if_fail (self != NULL && n_lanes != NULL, NULL);

  g_array_set_size (self->lane_infos, 0);
  for (guint i = 0; i < self->lanes->len; i++)
    g_array_append_val (self->lane_infos, ((Lane *) self->lanes->pdata[i])->info);
  *n_lanes = self->lane_infos->len;
  return (const TsLaneInfo *) (gpointer) self->lane_infos->data;
}

/* Makes @to a copy of @from; room for none is kept, as most lanes have none. */
void
_ts_lane_store_set_slices (TsSlice **to,
                           guint *n_to,
                           const TsSlice *from,
                           guint n_from)
{
  if (n_from == 0)
    g_clear_pointer (to, g_free);
  else if (n_from != *n_to)
    *to = g_renew (TsSlice, *to, n_from);
  if (n_from > 0)
    memcpy (*to, from, n_from * sizeof *from);
  *n_to = n_from;
}

static void
publish_lane (TsLaneStore *self,
              Lane *lane)
{
  TsLaneTail *tail = &lane->tail;

  if (tail->generation == 0)
    g_ptr_array_add (self->published, lane);
  tail->generation = self->generation;

  if (g_strcmp0 (tail->info.name, lane->info.name) != 0)
    {
      g_free (tail->info.name);
      tail->info.name = g_strdup (lane->info.name);
    }
  {
    char *name = tail->info.name;

    tail->info = lane->info;
    tail->info.name = name;
  }

  memcpy (tail->n_nodes, lane->n_nodes, sizeof tail->n_nodes);
  if (tail->chunk != lane->chunk)
    {
      g_clear_pointer (&tail->chunk, _ts_lane_chunk_unref);
      if (lane->chunk != NULL)
        tail->chunk = _ts_lane_chunk_ref (lane->chunk);
    }
  tail->n_chunk = lane->n_chunk;
  if (lane->is_extra_dirty && lane->extra.capacity == 0)
    _ts_fold_clear (&tail->extra);
  else if (lane->is_extra_dirty)
    _ts_fold_copy_into (&tail->extra, &lane->extra);
  tail->extra_begin = lane->extra_begin;
  tail->extra_end = lane->extra_end;
  lane->is_extra_dirty = FALSE;
  _ts_lane_store_set_slices (&tail->open, &tail->n_open, lane->open, lane->n_open);
  lane->is_dirty = FALSE;
}

/**
 * ts_lane_store_publish:
 * @self: a store
 * @end_time: the live end of time: no event after it has been added
 *
 * Makes all that was added visible to live readers. Cost: what changed since the last time: some
 * 100 ns a lane, and up to 8 kB copied for a task that was interrupted; meant to be called every
 * few milliseconds.
 *
 * Thread: writer
 */
void
ts_lane_store_publish (TsLaneStore *self,
                       gint64 end_time)
{
  g_return_if_fail (self != NULL);

  pthread_mutex_lock (&self->lock);
  self->generation++;
  for (guint i = 0; i < self->dirty->len; i++)
    publish_lane (self, self->dirty->pdata[i]);
  self->end_time = MAX (self->end_time, end_time);
  pthread_mutex_unlock (&self->lock);
  g_ptr_array_set_size (self->dirty, 0);
}

/* Calls @visitor for each lane published after @since_generation, under the lock. Returns the
 * generation seen. */
guint64
_ts_lane_store_visit (TsLaneStore *self,
                      guint64 since_generation,
                      gint64 *end_time,
                      TsLaneVisitor visitor,
                      gpointer user_data)
{
  guint64 generation;

  pthread_mutex_lock (&self->lock);
  generation = self->generation;
  if (generation != since_generation)
    {
      for (guint i = 0; i < self->published->len; i++)
        {
          const Lane *lane = self->published->pdata[i];

          if (lane->tail.generation > since_generation)
            visitor (&lane->tail, (TsStoredNode *const *const *) lane->nodes, user_data);
        }
      *end_time = self->end_time;
    }
  pthread_mutex_unlock (&self->lock);
  return generation;
}

static GBytes *
ref_bytes (TsLaneStore *self,
           const TsStoredNode *node,
           GBytes *const *bytes,
           gint64 *blob)
{
  GBytes *result;

  pthread_mutex_lock (&self->lock);
  result = *bytes != NULL ? g_bytes_ref (*bytes) : NULL;
  *blob = node->info.blob;
  pthread_mutex_unlock (&self->lock);
  return result;
}

/* The blob of a node if it is still in memory (transfer full), else NULL and its storage key. */
GBytes *
_ts_lane_store_ref_bytes (TsLaneStore *self,
                          const TsStoredNode *node,
                          gint64 *blob)
{
  return ref_bytes (self, node, &node->bytes, blob);
}

/* The figures of a node if they are still in memory (transfer full), else NULL and its key. */
GBytes *
_ts_lane_store_ref_figures (TsLaneStore *self,
                            const TsStoredNode *node,
                            gint64 *blob)
{
  return ref_bytes (self, node, &node->figures, blob);
}

/* The same of its sections. */
GBytes *
_ts_lane_store_ref_sections (TsLaneStore *self,
                             const TsStoredNode *node,
                             gint64 *blob)
{
  return ref_bytes (self, node, &node->sections, blob);
}
