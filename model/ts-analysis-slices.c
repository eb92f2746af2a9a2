/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-slices.c: walking through the slices of one lane, and of several in order of time. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

/* ---- one lane ---- */

static void
init (TsSliceCursor *self,
      TsLaneReader *reader,
      TsLaneAccess *access,
      guint32 lane,
      gint64 begin,
      gint64 end)
{
  self->reader = reader;
  self->access = access;
  self->lane = _ts_lane_reader_find_lane (reader, lane);
  self->begin = begin;
  self->end = end;
  self->run = 0;
  self->at = 0;
  self->n = 0;
  self->i = 0;
  self->capacity = TS_SLICE_BATCH;
  self->is_done = self->lane == NULL || end <= begin || self->lane->info.kind == TS_LANE_DENSITY;
  if (!self->is_done)
    self->run = _ts_lane_reader_first_ending_after (self->lane, begin - 1);
}

/**
 * _ts_slice_cursor_init:
 * @self: a cursor
 * @recording: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 *
 * Valid until the recording is refreshed. Needs no clearing.
 *
 * Cost: some 20 ns a slice
 * Thread: owner of @recording
 */
void
_ts_slice_cursor_init (TsSliceCursor *self,
                       TsRecording *recording,
                       guint32 lane,
                       gint64 begin,
                       gint64 end)
{
  init (self, recording->lanes, NULL, lane, begin, end);
}

/**
 * _ts_slice_cursor_init_apart:
 * @self: a cursor
 * @access: where slices come from, which is not used otherwise meanwhile
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 *
 * As _ts_slice_cursor_init(), past the reader's cache.
 *
 * Thread: that of @access
 */
void
_ts_slice_cursor_init_apart (TsSliceCursor *self,
                             TsLaneAccess *access,
                             guint32 lane,
                             gint64 begin,
                             gint64 end)
{
  init (self, access->reader, access, lane, begin, end);
}

/* The slices of one run of the lane: a node, the open chunk, or what is open. */
static const TsSlice *
get_run (TsSliceCursor *self,
         guint *n_slices)
{
  const TsReaderLane *lane = self->lane;
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (self->run < n_nodes && self->access != NULL)
    return _ts_lane_access_read_slices (self->access, _ts_reader_lane_node (lane, 0, self->run),
                                        n_slices);
  if (self->run < n_nodes)
    return _ts_lane_reader_get_slices (self->reader, _ts_reader_lane_node (lane, 0, self->run),
                                       n_slices);
  *n_slices = self->run == n_nodes ? lane->n_chunk : lane->n_open;
  if (self->run > n_nodes)
    return lane->open;
  return lane->chunk != NULL ? lane->chunk->slices : NULL;
}

/* Whether @slice has any part in the range. */
static inline gboolean
overlaps (const TsSliceCursor *self,
          const TsSlice *slice)
{
  if (slice->begin >= self->end || slice->end < self->begin)
    return FALSE;
  return slice->end > self->begin || slice->begin == slice->end;
}

/* Copies the next slices of the range: what the reader gives lives only until its next node. */
static void
fill (TsSliceCursor *self)
{
  guint n_runs = _ts_reader_lane_n_nodes (self->lane, 0) + 2;
  gboolean may_overlap = self->lane->may_overlap;

  self->n = 0;
  self->i = 0;
  while (self->n == 0 && !self->is_done)
    {
      guint n_slices = 0;
      const TsSlice *slices;

      if (self->run >= n_runs)
        {
          self->is_done = TRUE;
          return;
        }
      slices = get_run (self, &n_slices);
      if (slices == NULL)
        n_slices = 0;
      if (self->at == 0 && n_slices > 0 && self->run + 1 < n_runs)
        self->at = _ts_slices_first_ending_after (slices, n_slices, self->begin - 1);

      for (; self->at < n_slices && self->n < self->capacity; self->at++)
        {
          TsSlice slice = slices[self->at];

          if (self->run + 1 == n_runs)
            {
              slice.end = MAX (MIN (slice.end, ts_lane_reader_get_end (self->reader)), slice.begin);
              slice.kind |= TS_SLICE_OPEN;
            }
          if (overlaps (self, &slice))
            self->batch[self->n++] = slice;
          else if (slice.begin >= self->end && (!may_overlap || slice.depth == 0))
            {
              /* Whatever ends later began later; open ones are few and looked at all. */
              if (self->run + 1 < n_runs)
                self->run = n_runs - 2;
              self->at = n_slices;
              break;
            }
        }
      if (self->at >= n_slices)
        {
          self->run++;
          self->at = 0;
        }
    }
}

/**
 * _ts_slice_cursor_next:
 * @self: a cursor
 *
 * Returns: (nullable): the next slice, valid until the call after this one
 */
const TsSlice *
_ts_slice_cursor_next (TsSliceCursor *self)
{
  if (G_UNLIKELY (self->i == self->n))
    {
      if (self->is_done)
        return NULL;
      fill (self);
      if (self->n == 0)
        return NULL;
    }
  return &self->batch[self->i++];
}

/**
 * _ts_slice_cursor_next_batch:
 * @self: a cursor
 * @n_slices: (out): how many
 *
 * Returns: (array length=n_slices) (nullable): some of the next slices, valid until the next call
 */
const TsSlice *
_ts_slice_cursor_next_batch (TsSliceCursor *self,
                             guint *n_slices)
{
  const TsSlice *first = _ts_slice_cursor_next (self);

  *n_slices = first != NULL ? self->n - self->i + 1 : 0;
  self->i = self->n;
  return first;
}

/* Slices of nodes [@first, @last) of level 0, by as few nodes of any level as cover them. */
static guint64
count_nodes (const TsReaderLane *lane,
             guint first,
             guint last)
{
  guint64 n = 0;

  while (first < last)
    {
      guint level = 0;
      guint width = 1;

      while (level < TS_NODE_MAX_LEVEL && first % (width * TS_NODE_FANOUT) == 0
             && first + width * TS_NODE_FANOUT <= last
             && first / (width * TS_NODE_FANOUT) < _ts_reader_lane_n_nodes (lane, level + 1))
        {
          level++;
          width *= TS_NODE_FANOUT;
        }
      n += MIN (_ts_reader_lane_node (lane, level, first / width)->info.n_slices,
                (guint64) width * TS_NODE_SLICES);
      first += width;
    }
  return n;
}

/**
 * _ts_analysis_count_slices:
 * @recording: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 *
 * Cost: a search in the directory; of lanes whose slices may nest a look at all that is in range
 * Thread: owner of @recording
 *
 * Returns: about how many slices a walk through the range meets: too many by two nodes at most
 */
guint64
_ts_analysis_count_slices (TsRecording *recording,
                           guint32 lane_id,
                           gint64 begin,
                           gint64 end)
{
  TsReaderLane *lane = _ts_lane_reader_find_lane (recording->lanes, lane_id);
  guint64 n = 0;
  guint first;
  guint last;

  if (lane == NULL || end <= begin)
    return 0;

  first = _ts_lane_reader_first_ending_after (lane, begin - 1);
  last = _ts_reader_lane_n_nodes (lane, 0);
  if (!lane->may_overlap)
    {
      /* The node that ends behind the range may begin in it. */
      last = MIN (_ts_lane_reader_first_ending_after (lane, end - 1) + 1, last);
      if (last > first && _ts_reader_lane_node (lane, 0, last - 1)->info.begin >= end)
        last--;
      n = count_nodes (lane, first, last);
    }
  else
    for (guint i = first; i < last; i++)
      {
        const TsNodeInfo *info = &_ts_reader_lane_node (lane, 0, i)->info;

        if (info->begin < end)
          n += MIN (info->n_slices, TS_NODE_SLICES);
      }
  return n + lane->n_chunk + lane->n_open;
}

/* ---- several lanes ---- */

/**
 * Source:
 * @cursor: (nullable): %NULL: not begun; there may be 200 000 lanes that do not live long
 * @slice: the next slice; of one that has not begun the earliest end that it can have
 */
typedef struct
{
  TsSliceCursor *cursor;
  TsSlice slice;
  const TsLaneInfo *info;
  guint32 states;
  guint8 order;
} Source;

struct _TsSliceMerge
{
  TsRecording *recording;
  gint64 begin;
  gint64 end;
  GPtrArray *heap; /* of Source; the first is the next */
  TsSlice current;
  Source *last;    /* gave the current slice; not advanced yet */
};

static void
source_free (gpointer data)
{
  g_free (((Source *) data)->cursor);
  g_free (data);
}

/**
 * _ts_slice_merge_new:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 *
 * Returns: (transfer full): a walk without lanes; _ts_slice_merge_free()
 */
TsSliceMerge *
_ts_slice_merge_new (TsRecording *recording,
                     gint64 begin,
                     gint64 end)
{
  TsSliceMerge *self = g_new0 (TsSliceMerge, 1);

  self->recording = recording;
  self->begin = begin;
  self->end = end;
  self->heap = g_ptr_array_new_with_free_func (source_free);
  return self;
}

void
_ts_slice_merge_free (TsSliceMerge *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->heap);
  g_free (self);
}

static inline gboolean
is_before (const Source *left,
           const Source *right)
{
  if (left->slice.end != right->slice.end)
    return left->slice.end < right->slice.end;
  if (left->order != right->order)
    return left->order < right->order;
  if (left->slice.begin != right->slice.begin)
    return left->slice.begin > right->slice.begin;
  return left->info->id < right->info->id;
}

static void
sift_down (GPtrArray *heap,
           guint i)
{
  gpointer *data = heap->pdata;

  for (;;)
    {
      guint child = 2 * i + 1;
      gpointer swap;

      if (child >= heap->len)
        return;
      if (child + 1 < heap->len && is_before (data[child + 1], data[child]))
        child++;
      if (is_before (data[i], data[child]))
        return;
      swap = data[i];
      data[i] = data[child];
      data[child] = swap;
      i = child;
    }
}

static inline const TsSlice *
next_of_source (Source *self)
{
  const TsSlice *slice;

  while ((slice = _ts_slice_cursor_next (self->cursor)) != NULL
         && (self->states & 1u << slice->state) == 0)
    ;
  return slice;
}

/**
 * _ts_slice_merge_add:
 * @self: a walk that has not begun
 * @lane: id of a lane to go through
 */
void
_ts_slice_merge_add (TsSliceMerge *self,
                     guint32 lane)
{
  _ts_slice_merge_add_states (self, lane, G_MAXUINT32);
}

/**
 * _ts_slice_merge_add_states:
 * @self: a walk that has not begun
 * @lane: id of a lane to go through
 * @states: bit for each state; slices of others are left out
 */
void
_ts_slice_merge_add_states (TsSliceMerge *self,
                            guint32 lane,
                            guint32 states)
{
  const TsReaderLane *found = _ts_lane_reader_find_lane (self->recording->lanes, lane);
  Source *source;
  guint first;

  if (found == NULL)
    return;
  source = g_new0 (Source, 1);
  source->states = states;
  source->info = &found->info;
  first = _ts_lane_reader_first_ending_after (found, self->begin - 1);
  source->slice.end = self->begin;
  if (first < _ts_reader_lane_n_nodes (found, 0))
    source->slice.end
        = MAX (source->slice.end, _ts_reader_lane_node (found, 0, first)->info.begin);
  /* Of those that end at one time it comes first. */
  source->slice.begin = G_MAXINT64;
  g_ptr_array_add (self->heap, source);
  for (guint i = self->heap->len - 1; i > 0;)
    {
      guint parent = (i - 1) / 2;
      gpointer swap = self->heap->pdata[i];

      if (!is_before (swap, self->heap->pdata[parent]))
        break;
      self->heap->pdata[i] = self->heap->pdata[parent];
      self->heap->pdata[parent] = swap;
      i = parent;
    }
}

/* A cursor with room for as much as there is to come. */
static void
begin_source (TsSliceMerge *self,
              Source *source)
{
  guint64 count
      = _ts_analysis_count_slices (self->recording, source->info->id, self->begin, self->end);
  guint capacity = (guint) MIN (count + 1, TS_SLICE_BATCH);

  source->cursor
      = g_malloc (G_STRUCT_OFFSET (TsSliceCursor, batch) + capacity * sizeof (TsSlice));
  _ts_slice_cursor_init (source->cursor, self->recording, source->info->id, self->begin, self->end);
  source->cursor->capacity = capacity;
  source->order = source->info->kind == TS_LANE_TASK ? 0 : 1;
}

/* The first source goes on to its next slice; one that has none is gone. */
static void
advance (TsSliceMerge *self)
{
  Source *source = self->heap->pdata[0];
  const TsSlice *next = next_of_source (source);

  if (next != NULL)
    source->slice = *next;
  else
    {
      self->heap->pdata[0] = self->heap->pdata[self->heap->len - 1];
      self->heap->pdata[self->heap->len - 1] = source;
      g_ptr_array_set_size (self->heap, (gint) self->heap->len - 1);
    }
  sift_down (self->heap, 0);
}

/**
 * _ts_slice_merge_next:
 * @self: a walk
 * @lane: (out): the lane of the slice
 *
 * Cost: some 20 ns and a comparison per doubling of the number of lanes
 *
 * Returns: (nullable): the next slice, valid until the call after this one
 */
const TsSlice *
_ts_slice_merge_next (TsSliceMerge *self,
                      const TsLaneInfo **lane)
{
  Source *source;

  if (self->last != NULL)
    advance (self);
  self->last = NULL;
  while (self->heap->len > 0 && (source = self->heap->pdata[0])->cursor == NULL)
    {
      begin_source (self, source);
      advance (self);
    }
  if (self->heap->len == 0)
    return NULL;

  source = self->heap->pdata[0];
  self->last = source;
  *lane = source->info;
  return &source->slice;
}
