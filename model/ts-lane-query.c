/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-query.c: a window of a lane as single slices, where they are few, or as pixel columns.
 *
 * Columns are filled from the coarsest nodes whose buckets are no wider than a column, walking
 * down the tree of nodes from its roots; where even the buckets of level 0 are too wide, from its
 * slices. A bucket that lies across the edge of two columns is shared between them in proportion,
 * in integers, so that nothing is lost or counted twice.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-columns-private.h"
#include "ts-recording.h"

/* About what it takes to read and unpack a node; one that is not read for want of it, the worker
 * reads. */
#define READ_US 150

static void add_node (TsColumnQuery *query,
                      guint level,
                      guint i,
                      gint64 low,
                      gint64 high,
                      gint64 width);

static gboolean add_finer (TsColumnQuery *query,
                           guint level,
                           guint i,
                           gint64 low,
                           gint64 high,
                           gint64 width,
                           guint doublings);

/* What lies below a node: the nodes of the level beneath, or slices. */
static void
add_children (TsColumnQuery *query,
              guint level,
              guint i,
              gint64 low,
              gint64 high,
              gint64 width)
{
  if (level == 0)
    {
      TsReaderNode *node = _ts_reader_lane_node (query->lane, 0, i);
      guint n_slices;
      const TsSlice *slices = _ts_lane_reader_get_slices (query->reader, node, &n_slices);
      const TsFold *fold;

      if (slices != NULL)
        _ts_columns_add_slices (query, slices, n_slices, low, high);

      /* Time that no slice tells. Fetched last: it may push the slices out of the cache. */
      if (query->lane->info.kind == TS_LANE_TASK || query->lane->info.kind == TS_LANE_ISR)
        {
          fold = _ts_lane_reader_get_fold (query->reader, node, 0);
          if (fold != NULL)
            _ts_columns_add_interrupted (query, fold, node->info.begin, node->info.end, low, high);
        }
      else if (n_slices == 0)
        {
          fold = _ts_lane_reader_get_fold (query->reader, node, 0);
          for (guint b = 0; fold != NULL && b < fold->n; b++)
            _ts_columns_add_edge_bucket (query, fold, b, node->info.begin, node->info.end + 1, low,
                                         high);
        }
      return;
    }

  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (query->lane, level - 1);
       child++)
    add_node (query, level - 1, child, low, high, width);
}

/* Uses the buckets of a node, merged @doublings times, for [@low, @high). FALSE if they cannot be
 * read. */
static gboolean
add_fold (TsColumnQuery *query,
          guint level,
          guint i,
          gint64 low,
          gint64 high,
          gint64 width,
          guint doublings)
{
  TsReaderNode *node = _ts_reader_lane_node (query->lane, level, i);
  const TsFold *fold = _ts_lane_reader_get_fold (query->reader, node, doublings);
  /* What the node holds lies within these: it must not be shown earlier than the end of the node
   * before it. */
  gint64 hull_low = MAX (low, node->info.begin);
  gint64 hull_high = MIN (high, node->info.end + 1);
  gint64 bucket_width;
  gint64 first_whole;
  gint64 last_whole;
  guint first;
  guint last;

  if (fold == NULL)
    return FALSE;
  if (fold->n == 0)
    return TRUE;

  if (node->info.begin >= low && node->info.end < high)
    {
      _ts_columns_add_buckets (query, fold, 0, fold->n, hull_low, hull_high);
      return TRUE;
    }

  /* Buckets that lie wholly in the window; those across its edges need a closer look. */
  bucket_width = (gint64) 1 << fold->width_log2;
  first_whole = (low + bucket_width - 1) >> fold->width_log2;
  last_whole = high >> fold->width_log2;
  first = (guint) CLAMP (first_whole - fold->first, 0, (gint64) fold->n);
  last = (guint) CLAMP (last_whole - fold->first, 0, (gint64) fold->n);

  if (doublings == 0 && query->deadline_us != 0)
    {
      if (first > 0)
        _ts_columns_add_edge_bucket (query, fold, first - 1, node->info.begin, node->info.end + 1,
                                     low, high);
      if (first < last)
        _ts_columns_add_buckets (query, fold, first, last, hull_low, hull_high);
      if (last < fold->n && (last >= first || first == 0))
        _ts_columns_add_edge_bucket (query, fold, last, node->info.begin, node->info.end + 1, low,
                                     high);
      return TRUE;
    }

  if (first_whole >= last_whole)
    return add_finer (query, level, i, low, high, width, doublings);

  /* In order of time, because the last sample of a column counts. */
  if (low < first_whole * bucket_width)
    {
      add_finer (query, level, i, low, first_whole * bucket_width, width, doublings);
      fold = _ts_lane_reader_get_fold (query->reader, node, doublings);
    }
  if (fold != NULL && first < last)
    _ts_columns_add_buckets (query, fold, first, last, hull_low, hull_high);
  if (last_whole * bucket_width < high)
    add_finer (query, level, i, last_whole * bucket_width, high, width, doublings);
  return TRUE;
}

/* The closer look: at the unmerged buckets, and below those at the node's children. */
static gboolean
add_finer (TsColumnQuery *query,
           guint level,
           guint i,
           gint64 low,
           gint64 high,
           gint64 width,
           guint doublings)
{
  if (doublings > 0)
    return add_fold (query, level, i, low, high, width, 0);

  add_children (query, level, i, low, high, width);
  return TRUE;
}

static gboolean
is_fine_enough (const TsReaderNode *node,
                gint64 width)
{
  return node->info.width_log2 < 62 && (gint64) 1 << node->info.width_log2 <= width;
}

/* How many nodes must be read to descend below one: each child is known by its own buckets, or by
 * what lies below it. */
static guint
count_missing_children (const TsColumnQuery *query,
                        guint level,
                        guint i,
                        gint64 low,
                        gint64 high,
                        gint64 width)
{
  guint n_missing = 0;

  if (level == 0)
    return _ts_reader_lane_node (query->lane, 0, i)->slices == NULL;

  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (query->lane, level - 1);
       child++)
    {
      const TsReaderNode *node = _ts_reader_lane_node (query->lane, level - 1, child);

      if (node->info.begin < high && node->info.end >= low && node->fold == NULL)
        n_missing += is_fine_enough (node, width)
                     || count_missing_children (query, level - 1, child, low, high, width) > 0;
    }
  return n_missing;
}

/* Whether reading is the worker's: who has a deadline must not wait for a disk. Of a live recording
 * what is wanted has just been written, and is in memory. */
static gboolean
has_reader (const TsLaneReader *self,
            gint64 deadline_us)
{
  return deadline_us != 0 && self->fetcher != NULL && self->store == NULL;
}

/* Whether there is no time to read so many nodes. Once that is so, nothing more is read. */
static gboolean
is_too_late (TsColumnQuery *query,
             guint n_missing)
{
  if (query->deadline_us == 0 || n_missing == 0)
    return FALSE;
  if (has_reader (query->reader, query->deadline_us))
    return TRUE;
  if (!query->is_late)
    query->is_late = g_get_monotonic_time () + n_missing * READ_US > query->deadline_us;
  return query->is_late;
}

/* Asks the worker for what is missing below a node. */
static void
want_children (const TsColumnQuery *query,
               guint level,
               guint i,
               gint64 low,
               gint64 high)
{
  if (level == 0)
    {
      _ts_lane_reader_want (query->reader, query->lane, _ts_reader_lane_node (query->lane, 0, i),
                            TRUE, TRUE);
      return;
    }

  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (query->lane, level - 1);
       child++)
    {
      TsReaderNode *node = _ts_reader_lane_node (query->lane, level - 1, child);

      if (node->info.begin < high && node->info.end >= low)
        _ts_lane_reader_want (query->reader, query->lane, node, FALSE, TRUE);
    }
}

/* Adds what of a node lies within [@low, @high), from buckets no wider than @width. */
static void
add_node (TsColumnQuery *query,
          guint level,
          guint i,
          gint64 low,
          gint64 high,
          gint64 width)
{
  const TsReaderNode *node = _ts_reader_lane_node (query->lane, level, i);

  if (node->info.begin >= high || node->info.end < low)
    return;

  if (is_fine_enough (node, width))
    {
      guint doublings = 0;

      while (doublings < TS_READER_MAX_DOUBLINGS &&
             (gint64) 2 << (node->info.width_log2 + doublings) <= width)
        doublings++;
      if (add_fold (query, level, i, low, high, width, doublings))
        return;
    }
  else if (is_too_late (query, count_missing_children (query, level, i, low, high, width)))
    {
      query->is_coarse = TRUE;
      want_children (query, level, i, low, high);
      if (add_fold (query, level, i, low, high, width, 0))
        return;
    }

  add_children (query, level, i, low, high, width);
}

/* The value held before the window, for the columns before its first sample. */
static gboolean
find_held_value (TsColumnQuery *query,
                 double *held)
{
  const TsReaderLane *lane = query->lane;
  guint run;

  for (guint i = lane->n_open; i-- > 0;)
    {
      if (lane->open[i].begin < query->begin)
        {
          *held = lane->open[i].value;
          return TRUE;
        }
    }

  for (guint i = lane->n_chunk; i-- > 0;)
    {
      if (lane->chunk->slices[i].begin < query->begin)
        {
          *held = lane->chunk->slices[i].value;
          return TRUE;
        }
    }

  /* Samples are ordered, so it is in the last node that begins before the window. */
  run = _ts_lane_reader_first_ending_after (lane, query->begin - 1);
  if (run == _ts_reader_lane_n_nodes (lane, 0)
      || _ts_reader_lane_node (lane, 0, run)->info.begin >= query->begin)
    {
      if (run == 0)
        return FALSE;
      run--;
    }
  if (is_too_late (query, _ts_reader_lane_node (lane, 0, run)->slices == NULL))
    {
      _ts_lane_reader_want (query->reader, lane, _ts_reader_lane_node (lane, 0, run), TRUE, TRUE);
      query->is_coarse = TRUE;
      return FALSE;
    }

  {
    guint n_slices;
    const TsSlice *slices = _ts_lane_reader_get_slices (
        query->reader, _ts_reader_lane_node (lane, 0, run), &n_slices);
    guint at = 0;

    while (at < n_slices && slices[at].begin < query->begin)
      at++;
    if (at == 0)
      return FALSE;
    *held = slices[at - 1].value;
    return TRUE;
  }
}

static void
fill_columns (TsColumnQuery *query,
              TsColumn *columns)
{
  const TsReaderLane *lane = query->lane;

  _ts_columns_begin (query);

  for (guint level = TS_NODE_MAX_LEVEL + 1; level-- > 0;)
    {
      guint n = _ts_reader_lane_n_nodes (lane, level);

      /* Roots: nodes that no node of the next level holds. */
      for (guint i = MIN (_ts_reader_lane_n_nodes (lane, level + 1) * TS_NODE_FANOUT, n); i < n;
           i++)
        {
          _ts_lane_reader_keep (query->reader, _ts_reader_lane_node (lane, level, i));
          add_node (query, level, i, query->begin, query->end, query->width);
        }
    }

  if (lane->n_chunk > 0)
    _ts_columns_add_slices (query, lane->chunk->slices, lane->n_chunk, query->begin, query->end);
  _ts_columns_add_interrupted (query, &lane->extra, lane->extra_begin, lane->extra_end,
                               query->begin, query->end);
  for (guint b = 0; lane->extra.count != NULL && b < lane->extra.n; b++)
    _ts_columns_add_edge_bucket (query, &lane->extra, b, lane->extra_begin, lane->extra_end + 1,
                                 query->begin, query->end);
  _ts_columns_add_slices (query, lane->open, lane->n_open, query->begin, query->end);

  /* At once: a compiler clears a single column with a slow string instruction. */
  memset (columns, 0, query->n_columns * sizeof *columns);
  if (query->has_values)
    {
      double held = 0;
      gboolean has_held = find_held_value (query, &held);

      _ts_columns_finish_values (query, has_held, held, columns);
    }
  else
    {
      _ts_columns_finish_states (query, columns);
    }
}

/* Appends the slices that overlap the window; FALSE once there are more than @max. */
static gboolean
collect (const TsReaderLane *lane,
         const TsSlice *slices,
         guint n_slices,
         gint64 begin,
         gint64 end,
         guint max,
         GArray *out)
{
  /* An instant overlaps if it lies in the window; an interval if any of its ticks does. */
  for (guint i = _ts_slices_first_ending_after (slices, n_slices, begin - 1); i < n_slices; i++)
    {
      const TsSlice *slice = &slices[i];

      if (slice->begin >= end)
        {
          if (!lane->may_overlap)
            break;
          continue;
        }
      if (slice->end == begin && slice->begin < begin)
        continue;
      if (out->len >= max)
        return FALSE;
      g_array_append_vals (out, slice, 1);
    }
  return TRUE;
}

/* Nodes of level 0 that hold the slices of a window, in @found; more than
 * TS_READER_MAX_SLICE_NODES: too many nodes, or certainly more than @max slices. */
guint
_ts_lane_reader_find_slice_nodes (const TsReaderLane *lane,
                                  gint64 begin,
                                  gint64 end,
                                  guint max,
                                  guint *found)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  guint n_found = 0;
  guint n_inside = 0;

  for (guint i = _ts_lane_reader_first_ending_after (lane, begin - 1); i < n_nodes; i++)
    {
      const TsNodeInfo *info = &_ts_reader_lane_node (lane, 0, i)->info;

      if (info->begin >= end)
        {
          if (!lane->may_overlap)
            break;
          continue;
        }
      if (info->begin >= begin && info->end < end)
        n_inside += (guint) MIN (info->n_slices, TS_NODE_SLICES);
      if (n_found == TS_READER_MAX_SLICE_NODES || n_inside > max)
        return TS_READER_MAX_SLICE_NODES + 1;
      found[n_found++] = i;
    }
  return n_found;
}

/* Fills @out with the slices of the window if there are at most @max of them and few nodes must
 * be looked at. */
static gboolean
collect_slices (TsLaneReader *self,
                const TsReaderLane *lane,
                gint64 begin,
                gint64 end,
                guint max,
                gint64 deadline_us,
                GArray *out)
{
  guint found[TS_READER_MAX_SLICE_NODES];
  gboolean is_late = FALSE;
  guint n_found;

  if (lane->info.kind == TS_LANE_DENSITY)
    return FALSE;

  n_found = _ts_lane_reader_find_slice_nodes (lane, begin, end, max, found);
  if (n_found > TS_READER_MAX_SLICE_NODES)
    return FALSE;

  for (guint i = 0; i < n_found; i++)
    {
      TsReaderNode *node = _ts_reader_lane_node (lane, 0, found[i]);
      const TsSlice *slices;
      guint n_slices;

      if (node->slices == NULL && deadline_us != 0
          && (is_late || has_reader (self, deadline_us)
              || g_get_monotonic_time () >= deadline_us))
        {
          is_late = TRUE;
          _ts_lane_reader_want (self, lane, node, TRUE, TRUE);
        }
      if (is_late)
        continue;
      slices = _ts_lane_reader_get_slices (self, node, &n_slices);
      if (!collect (lane, slices, n_slices, begin, end, max, out))
        return FALSE;
    }

  return !is_late
         && collect (lane, lane->chunk != NULL ? lane->chunk->slices : NULL, lane->n_chunk, begin, end,
                  max, out)
         && collect (lane, lane->open, lane->n_open, begin, end, max, out);
}

/* log2 of the width of columns that are powers of two, on absolute multiples of it; else -1. */
static int
get_shift (gint64 begin,
           gint64 end,
           guint n_columns)
{
  gint64 width = (end - begin) / n_columns;

  if (width <= 0 || width * n_columns != end - begin || (width & (width - 1)) != 0
      || (begin & (width - 1)) != 0)
    return -1;
  return __builtin_ctzll ((guint64) width);
}

/**
 * ts_lane_reader_query:
 * @self: a reader
 * @lane_id: a lane
 * @begin: first tick of the window
 * @end: tick after the last
 * @n_columns: number of pixel columns, at least 1
 * @columns: (out caller-allocates) (array length=n_columns): filled unless slices are
 * @slices: (element-type TsSlice): set to the slices that overlap the window (those across its
 *   edges too), or emptied
 * @deadline_us: 0, or a time of g_get_monotonic_time() after which nothing more is read: coarser
 *   buckets fill the rest. Of a closed recording with a worker nothing is read but nodes that no
 *   coarser one stands for (see _ts_lane_reader_read_roots())
 * @is_coarse: (out) (optional): %TRUE if the deadline made the answer coarser than the columns
 *
 * What is in a window of a lane: single slices when there are at most half as many as columns,
 * else columns.
 *
 * Column i covers [begin + i*(end - begin)/n, begin + (i + 1)*(end - begin)/n). Every count falls
 * into exactly one column; times are exact but for buckets across the edge of two columns, which
 * are shared in proportion. With a deadline of 0 the edges of the window are exact (as if every
 * slice had been looked at; interrupted time excepted): sums over all columns are true for any
 * window. With a deadline, buckets across the window's edges count whole and give time in
 * proportion, which reads less.
 *
 * Cost: about two buckets a column, some 30 us a lane when cached; reading a node some 50 us
 * Thread: owner
 *
 * Returns: a #TsLaneDetail
 */
int
ts_lane_reader_query (TsLaneReader *self,
                      guint32 lane_id,
                      gint64 begin,
                      gint64 end,
                      guint n_columns,
                      TsColumn *columns,
                      GArray *slices,
                      gint64 deadline_us,
                      gboolean *is_coarse)
{
  TsColumnQuery query = { 0 };
  TsReaderLane *lane;

  g_return_val_if_fail (self != NULL && columns != NULL && slices != NULL, TS_LANE_DETAIL_FAILED);

  g_array_set_size (slices, 0);
  if (is_coarse != NULL)
    *is_coarse = FALSE;

  lane = _ts_lane_reader_find_lane (self, lane_id);
  if (lane == NULL || n_columns == 0 || end <= begin || begin < -TS_NODE_MAX_TIME
      || end > TS_NODE_MAX_TIME)
    return TS_LANE_DETAIL_FAILED;

  self->is_quiet = self->look != 0 && deadline_us != 0;
  if (self->look != 0 && deadline_us == 0)
    deadline_us = 1;
  if (collect_slices (self, lane, begin, end, n_columns / 2, deadline_us, slices))
    {
      self->is_quiet = FALSE;
      return TS_LANE_DETAIL_SLICES;
    }
  g_array_set_size (slices, 0);

  query.reader = self;
  query.lane = lane;
  query.n_columns = n_columns;
  query.begin = begin;
  query.end = end;
  query.width = (end - begin) / n_columns;
  query.shift = get_shift (begin, end, n_columns);
  query.deadline_us = deadline_us;
  query.has_values = lane->info.kind == TS_LANE_VALUE;
  fill_columns (&query, columns);
  self->is_quiet = FALSE;
  if (is_coarse != NULL)
    *is_coarse = query.is_coarse;
  return TS_LANE_DETAIL_COLUMNS;
}
