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

#include "ts-lane-reader-private.h"
#include "ts-recording.h"

/* Nodes of level 0 that are unpacked to find out whether there are few slices. */
#define MAX_SLICE_NODES 3

typedef struct
{
  TsLaneReader *reader;
  const TsReaderLane *lane;
  TsColumn *columns;
  const gint64 *edges; /* n_columns + 1 */
  guint n_columns;
  gint64 begin;
  gint64 end;
  gint64 width;        /* ticks per column, rounded down */
  gint64 deadline_us;
  gboolean is_late;
  gboolean is_coarse;
  gboolean has_values;
  guint hint;          /* column of the last lookup */
  guint states;        /* bits of the states that any column may hold */
} Query;

/* Edges of the columns: edges[i] = begin + floor (i * (end - begin) / n), without a division per
 * column. */
static const gint64 *
get_edges (TsLaneReader *self,
           gint64 begin,
           gint64 end,
           guint n_columns)
{
  guint64 span = (guint64) (end - begin);
  guint64 whole = span / n_columns;
  guint64 part = span % n_columns;
  guint64 remainder = 0;
  gint64 edge = begin;

  if (self->edges != NULL && self->n_columns == n_columns && self->edges_begin == begin
      && self->edges_end == end)
    return self->edges;

  self->edges = g_renew (gint64, self->edges, (gsize) n_columns + 1);
  for (guint i = 0; i <= n_columns; i++)
    {
      self->edges[i] = edge;
      edge += (gint64) whole;
      remainder += part;
      if (remainder >= n_columns)
        {
          remainder -= n_columns;
          edge++;
        }
    }
  self->n_columns = n_columns;
  self->edges_begin = begin;
  self->edges_end = end;
  return self->edges;
}

/* The column of a time within the window. */
static inline guint
find_column (Query *query,
             gint64 time)
{
  guint i = query->hint;

  if (time < query->edges[i] || (i + 4 < query->n_columns && time >= query->edges[i + 4]))
    {
      guint64 offset = (guint64) (time - query->begin);
      guint64 span = (guint64) (query->end - query->begin);

      if (G_LIKELY (offset < ((guint64) 1 << 40) && query->n_columns < (1u << 20)))
        i = (guint) (offset * query->n_columns / span);
      else
        i = (guint) ((unsigned __int128) offset * query->n_columns / span);
    }
  while (query->edges[i + 1] <= time)
    i++;
  query->hint = i;
  return i;
}

static inline void
add_ticks (TsColumn *column,
           guint state,
           gint64 ticks)
{
  /* Sums of a damaged file may overflow; they must only be harmless. */
  column->ticks[state] = (gint64) ((guint64) column->ticks[state] + (guint64) ticks);
}

static inline void
add_sample (TsColumn *column,
            guint32 count,
            double min,
            double max,
            double last)
{
  if (column->count == 0)
    {
      column->min = min;
      column->max = max;
    }
  else
    {
      column->min = MIN (column->min, min);
      column->max = MAX (column->max, max);
    }
  column->last = last;
  column->count += count;
}

/* Shares of a bucket: @ticks of [@begin, @end) that lie before @time. */
static inline gint64
share_before (gint64 ticks,
              gint64 begin,
              gint64 end,
              gint64 time)
{
  guint64 part = (guint64) (time - begin);
  guint64 whole = (guint64) (end - begin);

  if (((guint64) ticks | part) < ((guint64) 1 << 31))
    return (gint64) ((guint64) ticks * part / whole);
  return (gint64) ((unsigned __int128) (guint64) ticks * part / whole);
}

/* Adds @ticks that lie evenly in [@begin, @end) to the columns, as far as it is within [@low,
 * @high). */
static void
spread_ticks (Query *query,
              guint state,
              gint64 ticks,
              gint64 begin,
              gint64 end,
              gint64 low,
              gint64 high)
{
  gint64 from = MAX (begin, low);
  gint64 to = MIN (end, high);
  gint64 done;
  guint i;

  if (from >= to)
    return;

  query->states |= 1u << state;
  done = share_before (ticks, begin, end, from);
  for (i = find_column (query, from); query->edges[i + 1] < to; i++)
    {
      gint64 next = share_before (ticks, begin, end, query->edges[i + 1]);

      add_ticks (&query->columns[i], state, next - done);
      done = next;
    }
  add_ticks (&query->columns[i], state, share_before (ticks, begin, end, to) - done);
}

/* Adds buckets [@first, @last) of @fold (indices in it), which lie within [@low, @high), or whose
 * contents do: buckets that stick out are then taken whole. */
static void
add_buckets (Query *query,
             const TsFold *fold,
             guint first,
             guint last,
             gint64 low,
             gint64 high)
{
  guint w = fold->width_log2;
  const gint64 *planes[TS_N_TIMED_STATES];
  guint8 states[TS_N_TIMED_STATES];
  guint n_planes = 0;

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      if (fold->ticks[s] == NULL)
        continue;
      planes[n_planes] = fold->ticks[s];
      states[n_planes++] = (guint8) s;
      query->states |= 1u << s;
    }

  for (guint b = first; b < last; b++)
    {
      guint32 count = fold->count != NULL ? fold->count[b] : 0;
      gint64 used = 0;
      gint64 begin;
      gint64 end;
      guint i;

      for (guint p = 0; p < n_planes; p++)
        used |= planes[p][b];
      if (count == 0 && used == 0)
        continue;

      begin = MAX ((fold->first + b) << w, low);
      end = MIN ((fold->first + b + 1) << w, high);
      if (G_UNLIKELY (begin >= end))
        {
          /* Only a damaged file has anything outside the hull that its directory tells. */
          continue;
        }

      i = find_column (query, begin);
      if (count != 0)
        {
          TsColumn *column = &query->columns[i];

          if (query->has_values && fold->min != NULL)
            add_sample (column, count, fold->min[b], fold->max[b], fold->last[b]);
          else
            column->count += count;
          if (fold->lost != NULL)
            column->n_lost = (gint64) ((guint64) column->n_lost + (guint64) fold->lost[b]);
        }
      if (used == 0)
        continue;

      if (end <= query->edges[i + 1])
        {
          for (guint p = 0; p < n_planes; p++)
            add_ticks (&query->columns[i], states[p], planes[p][b]);
        }
      else if (G_LIKELY (i + 2 <= query->n_columns && end <= query->edges[i + 2]
                         && end - begin == (gint64) 1 << w))
        {
          guint64 part = (guint64) (query->edges[i + 1] - begin);

          for (guint p = 0; p < n_planes; p++)
            {
              gint64 ticks = planes[p][b];
              gint64 head = (gint64) ((unsigned __int128) (guint64) ticks * part >> w);

              add_ticks (&query->columns[i], states[p], head);
              add_ticks (&query->columns[i + 1], states[p], ticks - head);
            }
        }
      else
        {
          for (guint p = 0; p < n_planes; p++)
            if (planes[p][b] != 0)
              spread_ticks (query, states[p], planes[p][b], begin, end, begin, end);
        }
    }
}

/* Adds the part of bucket @b that lies within [@low, @high): time in proportion, and what it
 * counts whole, so that nothing at the edge of the window is hidden. All of it lies within
 * [@hull_begin, @hull_end). */
static void
add_edge_bucket (Query *query,
                 const TsFold *fold,
                 guint b,
                 gint64 hull_begin,
                 gint64 hull_end,
                 gint64 low,
                 gint64 high)
{
  gint64 begin = MAX ((fold->first + b) << fold->width_log2, hull_begin);
  gint64 end = MIN ((fold->first + b + 1) << fold->width_log2, hull_end);
  guint32 count = fold->count != NULL ? fold->count[b] : 0;

  if (MAX (begin, low) >= MIN (end, high))
    return;

  if (count != 0)
    {
      TsColumn *column = &query->columns[find_column (query, MAX (begin, low))];

      if (query->has_values && fold->min != NULL)
        add_sample (column, count, fold->min[b], fold->max[b], fold->last[b]);
      else
        column->count += count;
      if (fold->lost != NULL)
        column->n_lost = (gint64) ((guint64) column->n_lost + (guint64) fold->lost[b]);
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (fold->ticks[s] != NULL && fold->ticks[s][b] != 0)
      spread_ticks (query, s, fold->ticks[s][b], begin, end, low, high);
}

/* Adds the parts of slices that lie within [@low, @high): exact. */
static void
add_slices (Query *query,
            const TsSlice *slices,
            guint n_slices,
            gint64 low,
            gint64 high)
{
  guint i = _ts_slices_first_ending_after (slices, n_slices, low - 1);

  for (; i < n_slices; i++)
    {
      const TsSlice *slice = &slices[i];
      gint64 begin = MAX (slice->begin, low);
      gint64 end = MIN (slice->end, high);
      guint column;

      if (slice->begin >= high)
        {
          if (!query->lane->may_overlap)
            break;
          continue;
        }

      if (slice->begin >= low)
        {
          column = find_column (query, slice->begin);
          if (query->has_values)
            {
              add_sample (&query->columns[column], 1, slice->value, slice->value, slice->value);
            }
          else
            {
              query->columns[column].count++;
              if (slice->state == TS_STATE_LOSS && slice->arg != G_MAXUINT32)
                query->columns[column].n_lost += slice->arg;
            }
        }

      if (query->has_values || slice->state >= TS_N_TIMED_STATES || begin >= end)
        continue;
      query->states |= 1u << slice->state;
      for (column = find_column (query, begin); query->edges[column + 1] < end; column++)
        {
          add_ticks (&query->columns[column], slice->state, query->edges[column + 1] - begin);
          begin = query->edges[column + 1];
        }
      add_ticks (&query->columns[column], slice->state, end - begin);
    }
}

/* Adds interrupted time, which only buckets tell, within [@low, @high). None of it lies outside
 * of [@hull_begin, @hull_end). */
static void
add_interrupted (Query *query,
                 const TsFold *fold,
                 gint64 hull_begin,
                 gint64 hull_end,
                 gint64 low,
                 gint64 high)
{
  const gint64 *ticks = fold->ticks[TS_STATE_INTERRUPTED];

  if (ticks == NULL)
    return;

  for (guint b = 0; b < fold->n; b++)
    {
      gint64 begin = MAX ((fold->first + b) << fold->width_log2, hull_begin);
      gint64 end = MIN ((fold->first + b + 1) << fold->width_log2, hull_end);

      if (ticks[b] != 0 && begin < end)
        spread_ticks (query, TS_STATE_INTERRUPTED, ticks[b], begin, end, low, high);
    }
}

static void add_node (Query *query,
                      guint level,
                      guint i,
                      gint64 low,
                      gint64 high,
                      gint64 width);

/* What lies below a node: the nodes of the level beneath, or slices. */
static void
add_children (Query *query,
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
        add_slices (query, slices, n_slices, low, high);

      /* Time that no slice tells. Fetched last: it may push the slices out of the cache. */
      if (query->lane->info.kind == TS_LANE_TASK || query->lane->info.kind == TS_LANE_ISR)
        {
          fold = _ts_lane_reader_get_fold (query->reader, node);
          if (fold != NULL)
            add_interrupted (query, fold, node->info.begin, node->info.end, low, high);
        }
      else if (n_slices == 0)
        {
          fold = _ts_lane_reader_get_fold (query->reader, node);
          for (guint b = 0; fold != NULL && b < fold->n; b++)
            add_edge_bucket (query, fold, b, node->info.begin, node->info.end + 1, low, high);
        }
      return;
    }

  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (query->lane, level - 1);
       child++)
    add_node (query, level - 1, child, low, high, width);
}

/* Uses the buckets of a node for [@low, @high). FALSE if they cannot be read. */
static gboolean
add_fold (Query *query,
          guint level,
          guint i,
          gint64 low,
          gint64 high,
          gint64 width)
{
  TsReaderNode *node = _ts_reader_lane_node (query->lane, level, i);
  const TsFold *fold = _ts_lane_reader_get_fold (query->reader, node);
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
      add_buckets (query, fold, 0, fold->n, hull_low, hull_high);
      return TRUE;
    }

  /* Buckets that lie wholly in the window; those across its edges need a closer look. */
  bucket_width = (gint64) 1 << fold->width_log2;
  first_whole = (low + bucket_width - 1) >> fold->width_log2;
  last_whole = high >> fold->width_log2;
  first = (guint) CLAMP (first_whole - fold->first, 0, (gint64) fold->n);
  last = (guint) CLAMP (last_whole - fold->first, 0, (gint64) fold->n);

  if (query->deadline_us != 0)
    {
      if (first > 0)
        add_edge_bucket (query, fold, first - 1, node->info.begin, node->info.end + 1, low, high);
      if (first < last)
        add_buckets (query, fold, first, last, hull_low, hull_high);
      if (last < fold->n && (last >= first || first == 0))
        add_edge_bucket (query, fold, last, node->info.begin, node->info.end + 1, low, high);
      return TRUE;
    }

  if (first_whole >= last_whole)
    {
      add_children (query, level, i, low, high, width);
      return TRUE;
    }

  /* In order of time, because the last sample of a column counts. */
  if (low < first_whole * bucket_width)
    {
      add_children (query, level, i, low, first_whole * bucket_width, width);
      fold = _ts_lane_reader_get_fold (query->reader, node);
    }
  if (fold != NULL && first < last)
    add_buckets (query, fold, first, last, hull_low, hull_high);
  if (last_whole * bucket_width < high)
    add_children (query, level, i, last_whole * bucket_width, high, width);
  return TRUE;
}

/* Whether descending below a node costs no reading. */
static gboolean
has_cached_children (const Query *query,
                     guint level,
                     guint i,
                     gint64 low,
                     gint64 high)
{
  if (level == 0)
    return _ts_reader_lane_node (query->lane, 0, i)->slices != NULL;

  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (query->lane, level - 1);
       child++)
    {
      const TsReaderNode *node = _ts_reader_lane_node (query->lane, level - 1, child);

      if (node->info.begin < high && node->info.end >= low && node->fold == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Adds what of a node lies within [@low, @high), from buckets no wider than @width. */
static void
add_node (Query *query,
          guint level,
          guint i,
          gint64 low,
          gint64 high,
          gint64 width)
{
  const TsReaderNode *node = _ts_reader_lane_node (query->lane, level, i);

  if (node->info.begin >= high || node->info.end < low)
    return;

  if (query->deadline_us != 0 && !query->is_late && node->fold == NULL)
    query->is_late = g_get_monotonic_time () >= query->deadline_us;

  if (node->info.width_log2 < 62 && (gint64) 1 << node->info.width_log2 <= width)
    {
      if (add_fold (query, level, i, low, high, width))
        return;
    }
  else if (query->is_late && !has_cached_children (query, level, i, low, high))
    {
      query->is_coarse = TRUE;
      if (add_fold (query, level, i, low, high, width))
        return;
    }

  add_children (query, level, i, low, high, width);
}

/* The value held before the window, for the columns before its first sample. */
static gboolean
find_held_value (Query *query,
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
  if (query->is_late && _ts_reader_lane_node (lane, 0, run)->slices == NULL)
    {
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
finish_values (Query *query)
{
  double held = 0;
  gboolean has_held = find_held_value (query, &held);

  for (guint i = 0; i < query->n_columns; i++)
    {
      TsColumn *column = &query->columns[i];

      if (column->count > 0)
        {
          column->has_value = TRUE;
          column->top_state = TS_STATE_POINT;
          held = column->last;
          has_held = TRUE;
        }
      else if (has_held)
        {
          column->has_value = TRUE;
          column->min = column->max = column->last = held;
        }
    }
}

static void
finish_states (Query *query)
{
  guint8 states[TS_N_TIMED_STATES];
  guint n_states = 0;

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if ((query->states & 1u << s) != 0 && s != TS_STATE_INTERRUPTED)
      states[n_states++] = (guint8) s;

  for (guint i = 0; i < query->n_columns; i++)
    {
      TsColumn *column = &query->columns[i];
      gint64 most = 0;
      guint8 top = column->count > 0 ? TS_STATE_POINT : TS_STATE_NONE;

      for (guint s = 0; s < n_states; s++)
        {
          if (column->ticks[states[s]] > most)
            {
              most = column->ticks[states[s]];
              top = states[s];
            }
        }
      column->top_state = top;
    }
}

static void
fill_columns (Query *query)
{
  const TsReaderLane *lane = query->lane;

  memset (query->columns, 0, query->n_columns * sizeof query->columns[0]);

  for (guint level = TS_NODE_MAX_LEVEL + 1; level-- > 0;)
    {
      guint n = _ts_reader_lane_n_nodes (lane, level);

      /* Roots: nodes that no node of the next level holds. */
      for (guint i = MIN (_ts_reader_lane_n_nodes (lane, level + 1) * TS_NODE_FANOUT, n); i < n;
           i++)
        add_node (query, level, i, query->begin, query->end, query->width);
    }

  if (lane->n_chunk > 0)
    add_slices (query, lane->chunk->slices, lane->n_chunk, query->begin, query->end);
  add_interrupted (query, &lane->extra, lane->extra_begin, lane->extra_end, query->begin,
                   query->end);
  for (guint b = 0; lane->extra.count != NULL && b < lane->extra.n; b++)
    add_edge_bucket (query, &lane->extra, b, lane->extra_begin, lane->extra_end + 1, query->begin,
                     query->end);
  add_slices (query, lane->open, lane->n_open, query->begin, query->end);

  if (query->has_values)
    finish_values (query);
  else
    finish_states (query);
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
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  guint found[MAX_SLICE_NODES];
  guint n_found = 0;
  guint n_inside = 0;

  if (lane->info.kind == TS_LANE_DENSITY)
    return FALSE;

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
      if (n_found == MAX_SLICE_NODES || n_inside > max)
        return FALSE;
      found[n_found++] = i;
    }

  for (guint i = 0; i < n_found; i++)
    {
      TsReaderNode *node = _ts_reader_lane_node (lane, 0, found[i]);
      const TsSlice *slices;
      guint n_slices;

      if (node->slices == NULL && deadline_us != 0 && g_get_monotonic_time () >= deadline_us)
        return FALSE;
      slices = _ts_lane_reader_get_slices (self, node, &n_slices);
      if (!collect (lane, slices, n_slices, begin, end, max, out))
        return FALSE;
    }

  return collect (lane, lane->chunk != NULL ? lane->chunk->slices : NULL, lane->n_chunk, begin, end,
                  max, out)
         && collect (lane, lane->open, lane->n_open, begin, end, max, out);
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
 *   buckets fill the rest
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
  Query query = { 0 };
  TsReaderLane *lane;

  g_return_val_if_fail (self != NULL && columns != NULL && slices != NULL, TS_LANE_DETAIL_FAILED);

  g_array_set_size (slices, 0);
  if (is_coarse != NULL)
    *is_coarse = FALSE;

  lane = _ts_lane_reader_find_lane (self, lane_id);
  if (lane == NULL || n_columns == 0 || end <= begin || begin < -TS_NODE_MAX_TIME
      || end > TS_NODE_MAX_TIME)
    return TS_LANE_DETAIL_FAILED;

  if (collect_slices (self, lane, begin, end, n_columns / 2, deadline_us, slices))
    return TS_LANE_DETAIL_SLICES;
  g_array_set_size (slices, 0);

  query.reader = self;
  query.lane = lane;
  query.columns = columns;
  query.edges = get_edges (self, begin, end, n_columns);
  query.n_columns = n_columns;
  query.begin = begin;
  query.end = end;
  query.width = (end - begin) / n_columns;
  query.deadline_us = deadline_us;
  query.has_values = lane->info.kind == TS_LANE_VALUE;
  fill_columns (&query);
  if (is_coarse != NULL)
    *is_coarse = query.is_coarse;
  return TS_LANE_DETAIL_COLUMNS;
}
