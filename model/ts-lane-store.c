/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-store.c: the writing side of the pyramid: chunks fill up, become nodes, and nodes
 * become nodes of the next level. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-store-state-private.h"

/* Capacities that a lane's first chunk goes through; later ones are full size at once. */
#define FIRST_CAPACITY 64
#define CAPACITY_STEP 2

/* With more bytes open, lanes that nothing was added to for some commits make nodes of what they
 * have; not all are looked through at every commit. */
#define MAX_OPEN_BYTES (32u << 20)
#define COLD_COMMITS 4
#define TRIM_COMMITS 8

/* Lanes that are sealed at once in the end. */
#define SEAL_LANES 1024

/* Planes of the buckets that do not follow from slices, about. */
#define EXTRA_BYTES (TS_NODE_BUCKETS * sizeof (gint64))

TsLaneChunk *
_ts_lane_chunk_new (guint capacity)
{
  TsLaneChunk *self = g_malloc (sizeof *self + capacity * sizeof self->slices[0]);

  self->ref_count = 1;
  self->capacity = capacity;
  return self;
}

TsLaneChunk *
_ts_lane_chunk_ref (TsLaneChunk *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
_ts_lane_chunk_unref (TsLaneChunk *self)
{
  if (self != NULL && g_atomic_int_dec_and_test (&self->ref_count))
    g_free (self);
}

static void
drop_waiting (Parent *parent)
{
  for (guint i = 0; i < parent->n_waiting; i++)
    {
      g_bytes_unref (parent->waiting[i].bytes);
      g_clear_pointer (&parent->waiting[i].figures, g_bytes_unref);
    }
  parent->n_waiting = 0;
}

static void
free_parent (Parent *parent)
{
  if (parent == NULL)
    return;
  drop_waiting (parent);
  if (parent->sum != NULL)
    {
      _ts_fold_clear (&parent->sum->fold);
      _ts_figures_clear (&parent->sum->figures);
      g_free (parent->sum);
    }
  g_free (parent);
}

static void
lane_free (gpointer data)
{
  Lane *lane = data;

  for (guint level = 0; level <= TS_NODE_MAX_LEVEL; level++)
    {
      for (guint i = 0; i < lane->n_nodes[level]; i++)
        {
          g_clear_pointer (&lane->nodes[level][i]->bytes, g_bytes_unref);
          g_clear_pointer (&lane->nodes[level][i]->figures, g_bytes_unref);
          g_clear_pointer (&lane->nodes[level][i]->sections, g_bytes_unref);
          g_free (lane->nodes[level][i]);
        }
      g_free (lane->nodes[level]);
      free_parent (lane->parents[level]);
    }

  _ts_figure_maker_free (lane->maker);
  _ts_lane_chunk_unref (lane->chunk);
  _ts_fold_clear (&lane->extra);
  _ts_lane_chunk_unref (lane->tail.chunk);
  _ts_fold_clear (&lane->tail.extra);
  g_free (lane->open);
  g_free (lane->tail.open);
  g_free (lane->tail.info.name);
  g_free (lane->info.name);
  g_free (lane);
}

/**
 * ts_lane_store_new:
 *
 * Thread: any; the one that adds is from then on the writer
 *
 * Returns: (transfer full): an empty store; ts_lane_store_unref()
 */
TsLaneStore *
ts_lane_store_new (void)
{
  TsLaneStore *self = g_new0 (TsLaneStore, 1);

  self->ref_count = 1;
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  self->objects = g_ptr_array_new ();
  self->dirty = g_ptr_array_new ();
  self->written = g_ptr_array_new ();
  self->published = g_ptr_array_new ();
  self->lane_infos = g_array_new (FALSE, FALSE, sizeof (TsLaneInfo));
  self->locks = g_byte_array_new ();
  self->losses = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->buckets = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
  self->scratch = g_new (TsSlice, TS_NODE_SLICES);
  g_queue_init (&self->unsaved);
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

/**
 * ts_lane_store_ref:
 * @self: a store
 *
 * Thread: safe
 *
 * Returns: (transfer full): @self
 */
TsLaneStore *
ts_lane_store_ref (TsLaneStore *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * ts_lane_store_unref:
 * @self: (nullable) (transfer full): a store
 *
 * Thread: safe
 */
void
ts_lane_store_unref (TsLaneStore *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;

  g_ptr_array_unref (self->lanes);
  g_ptr_array_unref (self->objects);
  g_ptr_array_unref (self->dirty);
  g_ptr_array_unref (self->written);
  g_ptr_array_unref (self->published);
  g_array_unref (self->lane_infos);
  g_byte_array_unref (self->locks);
  g_array_unref (self->losses);
  g_free (self->buckets);
  g_free (self->scratch);
  g_queue_clear (&self->unsaved);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* Where the lane of an id is kept; NULL for ids that cannot be a lane. */
static Lane **
find_slot (TsLaneStore *self,
           guint32 id)
{
  if (id < TS_LANE_ID_SPECIAL)
    {
      if (id >= self->objects->len)
        g_ptr_array_set_size (self->objects, (gint) MIN (MAX (id + 1, id + id / 2), G_MAXINT));
      return (Lane **) &self->objects->pdata[id];
    }

  if (id == TS_LANE_ID_LOSS)
    return &self->loss;
  if (id == TS_LANE_ID_DENSITY)
    return &self->density;
  if (id >= TS_LANE_ID_CPU (0) && id < TS_LANE_ID_CPU (N_CORES))
    return &self->cpu[id - TS_LANE_ID_CPU (0)];
  if (id >= TS_LANE_ID_RTOS (0) && id < TS_LANE_ID_RTOS (N_CORES))
    return &self->rtos[id - TS_LANE_ID_RTOS (0)];
  if (id >= TS_LANE_ID_COUNTER (0, 0) && id < TS_LANE_ID_COUNTER (N_CORES, 0))
    return &self->counters[id - TS_LANE_ID_COUNTER (0, 0)];
  if (id >= TS_LANE_ID_LOAD (0) && id < TS_LANE_ID_LOAD (N_CORES))
    return &self->loads[id - TS_LANE_ID_LOAD (0)];
  if (id >= TS_LANE_ID_OVERFLOW (0) && id < TS_LANE_ID_OVERFLOW (N_CORES))
    return &self->overflows[id - TS_LANE_ID_OVERFLOW (0)];
  return NULL;
}

static inline Lane *
find_lane (TsLaneStore *self,
           guint32 id)
{
  Lane **slot;

  if (G_LIKELY (id < self->objects->len))
    return self->objects->pdata[id];
  if (id == TS_LANE_ID_DENSITY)
    return self->density;
  if (id < TS_LANE_ID_SPECIAL)
    return NULL;

  slot = find_slot (self, id);
  return slot != NULL ? *slot : NULL;
}

/* As find_lane(), for the other file of the store. */
Lane *
_ts_lane_store_find_lane (TsLaneStore *self,
                          guint32 id)
{
  return find_lane (self, id);
}

static inline void
mark_dirty (TsLaneStore *self,
            Lane *lane)
{
  if (G_UNLIKELY (!lane->is_dirty))
    {
      lane->is_dirty = TRUE;
      g_ptr_array_add (self->dirty, lane);
    }
}

/**
 * ts_lane_store_define_lane:
 * @self: a store
 * @info: (transfer none): a lane, new or with a changed name, priority ...; its @n_slices is
 *   ignored
 *
 * Lane ids are object ids (small numbers without big holes) or one of the special ids.
 *
 * Thread: writer
 */
void
ts_lane_store_define_lane (TsLaneStore *self,
                           const TsLaneInfo *info)
{
  Lane **slot;
  Lane *lane;
  guint64 n_slices;

  g_return_if_fail (self != NULL && info != NULL);

  slot = find_slot (self, info->id);
  g_return_if_fail (slot != NULL);

  if (*slot == NULL)
    {
      *slot = g_new0 (Lane, 1);
      (*slot)->next_capacity = FIRST_CAPACITY;
      g_ptr_array_add (self->lanes, *slot);
    }

  lane = *slot;
  n_slices = lane->info.n_slices;
  g_free (lane->info.name);
  lane->info = *info;
  lane->info.name = g_strdup (info->name != NULL ? info->name : "");
  lane->info.n_slices = n_slices;
  lane->has_values = info->kind == TS_LANE_VALUE;
  mark_dirty (self, lane);
}

/* Appends a sealed node to the lane's directory and to the queue of what must be stored. */
static const TsStoredNode *
add_node (TsLaneStore *self,
          Lane *lane,
          guint level,
          const TsFold *fold,
          guint64 n_slices,
          gint64 begin,
          gint64 end,
          GBytes *bytes,
          const TsLaneFigures *figures,
          const TsNodeSections *sections)
{
  TsStoredNode *node = g_new0 (TsStoredNode, 1);
  guint32 n = lane->n_nodes[level];

  node->info = (TsNodeInfo){ .lane = lane->info.id,
                             .seq = n,
                             .level = (guint8) level,
                             .width_log2 = fold->width_log2,
                             .n_slices = n_slices,
                             .begin = begin,
                             .end = end };
  node->bytes = bytes;
  if (figures != NULL)
    node->figures = _ts_figures_encode (figures);
  if (sections != NULL)
    node->sections = _ts_sections_encode (sections);

  if ((n & (n - 1)) == 0)
    {
      pthread_mutex_lock (&self->lock);
      lane->nodes[level] = g_renew (TsStoredNode *, lane->nodes[level], MAX (2 * (gsize) n, 1));
      pthread_mutex_unlock (&self->lock);
    }
  /* Not visible to readers before it is published, so no lock. */
  lane->nodes[level][n] = node;
  lane->n_nodes[level] = n + 1;
  g_queue_push_tail (&self->unsaved, node);
  return node;
}

static void seal_parent (TsLaneStore *self,
                         Lane *lane,
                         guint level);

static void
add_to_sum (Sum *self,
            const TsFold *fold,
            const TsLaneFigures *figures)
{
  if (figures != NULL)
    _ts_figures_merge (&self->figures, figures);
  _ts_fold_merge (&self->fold, fold, 0);
}

/* More children come: takes apart those that waited. */
static void
unpack_waiting (TsLaneStore *self,
                Parent *parent)
{
  parent->sum = g_new0 (Sum, 1);
  _ts_figures_init (&parent->sum->figures);
  for (guint i = 0; i < parent->n_waiting; i++)
    {
      const Child *child = &parent->waiting[i];
      TsFold fold = { 0 };
      TsLaneFigures figures;

      if (_ts_node_decode_fold (child->bytes, &fold, self->scratch))
        add_to_sum (parent->sum, &fold, NULL);
      _ts_fold_clear (&fold);
      if (child->figures == NULL)
        continue;
      _ts_figures_decode (child->figures, &figures, NULL);
      _ts_figures_merge (&parent->sum->figures, &figures);
      _ts_figures_clear (&figures);
    }
  drop_waiting (parent);
}

/* Hands a node to the node of the next level that is being put together. */
static void
add_child (TsLaneStore *self,
           Lane *lane,
           const TsStoredNode *node,
           const TsFold *fold,
           const TsLaneFigures *figures)
{
  guint level = node->info.level + 1u;
  Parent *parent;

  if (level > TS_NODE_MAX_LEVEL)
    return;

  if (lane->parents[level] == NULL)
    lane->parents[level] = g_new0 (Parent, 1);
  parent = lane->parents[level];

  if (parent->n_children++ == 0)
    {
      parent->begin = node->info.begin;
      parent->end = node->info.end;
      parent->n_slices = 0;
    }
  parent->begin = MIN (parent->begin, node->info.begin);
  parent->end = MAX (parent->end, node->info.end);
  parent->n_slices += node->info.n_slices;

  /* Room for the sum is there from the parent before. */
  if (parent->sum == NULL && parent->n_waiting < MAX_WAITING)
    {
      Child *child = &parent->waiting[parent->n_waiting++];

      child->bytes = g_bytes_ref (node->bytes);
      child->figures = node->figures != NULL ? g_bytes_ref (node->figures) : NULL;
      return;
    }
  if (parent->sum == NULL)
    unpack_waiting (self, parent);
  add_to_sum (parent->sum, fold, figures);
  if (parent->n_children == TS_NODE_FANOUT)
    seal_parent (self, lane, level);
}

/* Whether the sum of the lane's nodes is still to be made, should it be made at all. */
static gboolean
is_waiting (const Lane *lane)
{
  const Parent *parent = lane->parents[1];

  return parent == NULL || (parent->sum == NULL && parent->n_waiting < MAX_WAITING);
}

/* None of its children waits. */
static void
seal_parent (TsLaneStore *self,
             Lane *lane,
             guint level)
{
  Parent *parent = lane->parents[level];
  const TsLaneFigures *figures = lane->maker != NULL ? &parent->sum->figures : NULL;
  const TsFold *fold = &parent->sum->fold;
  const TsStoredNode *node
      = add_node (self, lane, level, fold, parent->n_slices, parent->begin, parent->end,
                  _ts_node_encode (NULL, 0, fold, lane->has_values, NULL), figures, NULL);

  add_child (self, lane, node, fold, figures);
  _ts_fold_reset (&parent->sum->fold);
  _ts_figures_clear (&parent->sum->figures);
  _ts_figures_init (&parent->sum->figures);
  parent->n_children = 0;
}

/* Room for what the lane has open. */
static gsize
get_open_bytes (const Lane *lane)
{
  return (lane->chunk != NULL ? lane->chunk->capacity * sizeof lane->chunk->slices[0] : 0)
         + (lane->extra.n > 0 ? EXTRA_BYTES : 0);
}

/* Makes a node of level 0 of what the lane has open. */
static void
seal_chunk (TsLaneStore *self,
            Lane *lane)
{
  TsFold fold = { 0 };
  gboolean has_extra = lane->extra.n > 0;
  gint64 begin = has_extra ? lane->extra_begin : G_MAXINT64;
  gint64 end = has_extra ? lane->extra_end : 0;
  const TsStoredNode *node;
  gboolean has_figures = _ts_lane_kind_has_figures (lane->info.kind);
  gboolean has_sections
      = _ts_lane_kind_has_durations (lane->info.kind) && lane->n_chunk > TS_SECTION_SLICES;
  TsLaneFigures figures;
  TsNodeSections sections;

  if (lane->n_chunk == 0 && !has_extra)
    return;

  if (has_extra)
    _ts_fold_merge (&fold, &lane->extra, 0);
  if (lane->n_chunk > 0)
    {
      const TsSlice *slices = lane->chunk->slices;

      if (is_waiting (lane))
        _ts_fold_make_room (&fold, slices, lane->n_chunk);
      else
        _ts_fold_add_slices (&fold, slices, lane->n_chunk, lane->has_values);
      for (guint i = 0; i < lane->n_chunk; i++)
        begin = MIN (begin, slices[i].begin);
      end = MAX (end, slices[lane->n_chunk - 1].end);
    }

  if (has_figures)
    {
      _ts_sections_init (&sections);
      if (lane->maker == NULL)
        lane->maker = _ts_figure_maker_new (lane->info.kind);
      _ts_figure_maker_make (lane->maker, lane->chunk != NULL ? lane->chunk->slices : NULL,
                             lane->n_chunk, self->locks, self->losses, self->storm_window,
                             self->buckets, &figures, has_sections ? &sections : NULL);
    }
  node = add_node (self, lane, 0, &fold, lane->n_chunk, begin, end,
                   _ts_node_encode (lane->chunk != NULL ? lane->chunk->slices : NULL,
                                    lane->n_chunk, &fold, lane->has_values,
                                    has_sections ? &sections.places : NULL),
                   has_figures ? &figures : NULL, has_sections ? &sections : NULL);
  add_child (self, lane, node, &fold, has_figures ? &figures : NULL);
  if (has_figures)
    {
      _ts_figures_clear (&figures);
      _ts_sections_clear (&sections);
    }
  _ts_fold_clear (&fold);

  self->n_open_bytes -= get_open_bytes (lane);
  g_clear_pointer (&lane->chunk, _ts_lane_chunk_unref);
  lane->n_chunk = 0;
  lane->next_capacity = TS_NODE_SLICES;
  _ts_fold_reset (&lane->extra);
  lane->is_extra_dirty = TRUE;
  lane->n_counts = 0;
  mark_dirty (self, lane);
}

/* Room for one more slice. Readers may hold the old chunk, so it is never extended in place. */
static void
grow_chunk (TsLaneStore *self,
            Lane *lane)
{
  TsLaneChunk *chunk = _ts_lane_chunk_new (lane->next_capacity);

  self->n_open_bytes -= get_open_bytes (lane);
  if (lane->chunk != NULL)
    memcpy (chunk->slices, lane->chunk->slices, lane->n_chunk * sizeof chunk->slices[0]);
  _ts_lane_chunk_unref (lane->chunk);
  lane->chunk = chunk;
  self->n_open_bytes += get_open_bytes (lane);
  lane->next_capacity = MIN (lane->next_capacity * CAPACITY_STEP, TS_NODE_SLICES);
}

/**
 * ts_lane_store_add_slice:
 * @self: a store
 * @lane_id: a defined lane
 * @slice: a slice that ends no earlier than the one added before
 *
 * Times must be below 2^60. Cost: a copy of the slice; every 4096 slices of a lane are packed,
 * some 20 ns a slice.
 *
 * Thread: writer
 */
void
ts_lane_store_add_slice (TsLaneStore *self,
                         guint32 lane_id,
                         const TsSlice *slice)
{
  Lane *lane = find_lane (self, lane_id);

  g_return_if_fail (lane != NULL);
  g_return_if_fail (slice->begin >= 0 && slice->begin <= slice->end && slice->end >= lane->last_end
                    && slice->end < TS_NODE_MAX_TIME);

  if (G_UNLIKELY (lane->chunk == NULL || lane->n_chunk == lane->chunk->capacity))
    grow_chunk (self, lane);

  lane->chunk->slices[lane->n_chunk++] = *slice;
  lane->last_end = slice->end;
  lane->touched = self->n_commits;
  lane->info.n_slices++;
  mark_dirty (self, lane);

  if (G_UNLIKELY (lane->n_chunk == TS_NODE_SLICES))
    seal_chunk (self, lane);
}

static inline void
extend_extra (TsLaneStore *self,
              Lane *lane,
              gint64 begin,
              gint64 end)
{
  if (lane->extra.n == 0)
    {
      self->n_open_bytes += EXTRA_BYTES;
      lane->extra_begin = begin;
      lane->extra_end = end;
    }
  else
    {
      lane->extra_begin = MIN (lane->extra_begin, begin);
      lane->extra_end = MAX (lane->extra_end, end);
    }
  lane->is_extra_dirty = TRUE;
  lane->touched = self->n_commits;
}

/**
 * ts_lane_store_add_ticks:
 * @self: a store
 * @lane_id: a defined lane
 * @state: %TS_STATE_INTERRUPTED: a state that has no slices
 * @begin: first tick
 * @end: tick after the last
 *
 * Adds time to buckets only.
 *
 * Thread: writer
 */
void
ts_lane_store_add_ticks (TsLaneStore *self,
                         guint32 lane_id,
                         TsLaneState state,
                         gint64 begin,
                         gint64 end)
{
  Lane *lane = find_lane (self, lane_id);

  g_return_if_fail (lane != NULL);
  g_return_if_fail (state == TS_STATE_INTERRUPTED);
  g_return_if_fail (begin >= 0 && begin <= end && end < TS_NODE_MAX_TIME);

  if (begin == end)
    return;

  extend_extra (self, lane, begin, end);
  _ts_fold_add_ticks (&lane->extra, state, begin, end);
  mark_dirty (self, lane);
}

/**
 * ts_lane_store_add_count:
 * @self: a store
 * @lane_id: a defined lane that gets no slices (density)
 * @time: when; not before the one added last
 *
 * Counts one event.
 *
 * Thread: writer
 */
void
ts_lane_store_add_count (TsLaneStore *self,
                         guint32 lane_id,
                         gint64 time)
{
  Lane *lane = find_lane (self, lane_id);

  g_return_if_fail (lane != NULL);
  g_return_if_fail (time >= 0 && time < TS_NODE_MAX_TIME);

  extend_extra (self, lane, time, time);
  _ts_fold_add_count (&lane->extra, time);
  mark_dirty (self, lane);
  if (G_UNLIKELY (++lane->n_counts == TS_NODE_COUNTS))
    seal_chunk (self, lane);
}

/**
 * ts_lane_store_set_open_slices:
 * @self: a store
 * @lane_id: a defined lane
 * @open: (array length=n_open) (nullable): slices that were not added yet, outer ones first; an
 *   end of %G_MAXINT64 is not known, the slice goes on to the live end
 * @n_open: how many; the first TS_LANE_MAX_OPEN are shown
 *
 * What live readers see up to the live end, after the next publication.
 *
 * Thread: writer
 */
void
ts_lane_store_set_open_slices (TsLaneStore *self,
                               guint32 lane_id,
                               const TsSlice *open,
                               guint n_open)
{
  Lane *lane = find_lane (self, lane_id);

  g_return_if_fail (lane != NULL);

  n_open = MIN (n_open, TS_LANE_MAX_OPEN);
  if (n_open == lane->n_open
      && (n_open == 0 || memcmp (open, lane->open, n_open * sizeof *open) == 0))
    return;

  _ts_lane_store_set_slices (&lane->open, &lane->n_open, open, n_open);
  mark_dirty (self, lane);
}

/**
 * ts_lane_store_set_open:
 * @self: a store
 * @lane_id: a defined lane
 * @open: (nullable): the slice that has begun and not ended; %NULL: none
 *
 * See ts_lane_store_set_open_slices().
 *
 * Thread: writer
 */
void
ts_lane_store_set_open (TsLaneStore *self,
                        guint32 lane_id,
                        const TsSlice *open)
{
  TsSlice slice;

  if (open != NULL)
    {
      slice = *open;
      slice.end = G_MAXINT64;
    }
  ts_lane_store_set_open_slices (self, lane_id, &slice, open != NULL ? 1 : 0);
}

/* Makes a node of what the lane has open, and keeps no room for more. */
static void
seal_cold (TsLaneStore *self,
           Lane *lane)
{
  seal_chunk (self, lane);
  _ts_fold_clear (&lane->extra);
  lane->next_capacity = FIRST_CAPACITY;
}

/**
 * _ts_lane_store_trim:
 * @self: a store
 *
 * Once for each commit: where lanes have much open together, those that nothing was added to for
 * some time make nodes of it. A target that makes new tasks all the time leaves very many behind.
 *
 * Thread: writer
 */
void
_ts_lane_store_trim (TsLaneStore *self)
{
  self->n_commits++;
  if (self->n_open_bytes < MAX_OPEN_BYTES || self->n_commits < self->trimmed_at + TRIM_COMMITS)
    return;
  self->trimmed_at = self->n_commits;
  for (guint i = 0; i < self->lanes->len; i++)
    {
      Lane *lane = self->lanes->pdata[i];

      if (lane->touched + COLD_COMMITS < self->n_commits
          && get_open_bytes (lane) > FIRST_CAPACITY * sizeof (TsSlice))
        seal_cold (self, lane);
    }
}

/* All nodes of the lane; what is only there to make more of them goes. */
static void
seal_lane (TsLaneStore *self,
           Lane *lane)
{
  seal_cold (self, lane);
  for (guint level = 1; level <= TS_NODE_MAX_LEVEL; level++)
    {
      Parent *parent = lane->parents[level];

      /* Three nodes of level 0 are as good as one of level 1; above, pictures count on them. */
      if (parent != NULL && parent->sum == NULL && parent->n_waiting > 1 && level > 1)
        unpack_waiting (self, parent);
      if (parent != NULL && parent->sum != NULL && parent->n_children > 1)
        seal_parent (self, lane, level);
      g_clear_pointer (&lane->parents[level], free_parent);
    }
  g_clear_pointer (&lane->maker, _ts_figure_maker_free);
  mark_dirty (self, lane);
}

/**
 * ts_lane_store_seal_some:
 * @self: a store
 *
 * Makes nodes of all that some of the lanes have open, on every level; to be called until nothing
 * is left. A parent with a single child says nothing new and is left out; so is the only one of
 * level 1 with less than four. Nothing may be added after the first call. What was made can be stored
 * between two calls, so that it is not all in memory at once.
 *
 * Thread: writer
 *
 * Returns: whether there is more to do
 */
gboolean
ts_lane_store_seal_some (TsLaneStore *self)
{
  guint end;

  g_return_val_if_fail (self != NULL, FALSE);

  end = MIN (self->n_sealed + SEAL_LANES, self->lanes->len);
  for (; self->n_sealed < end; self->n_sealed++)
    seal_lane (self, self->lanes->pdata[self->n_sealed]);
  return self->n_sealed < self->lanes->len;
}

/**
 * ts_lane_store_seal_all:
 * @self: a store
 *
 * As ts_lane_store_seal_some() until nothing is left.
 *
 * Thread: writer
 */
void
ts_lane_store_seal_all (TsLaneStore *self)
{
  while (ts_lane_store_seal_some (self))
    ;
}
