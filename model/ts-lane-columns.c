/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-columns.c: adds buckets and slices to pixel columns.
 *
 * A bucket that lies across the edge of two columns is shared between them in proportion, in
 * integers, so that nothing is lost or counted twice.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-columns-private.h"

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
find_column (TsColumnQuery *query,
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

/* The array of a state's time. */
static inline gint64 *
use_state (TsColumnQuery *query,
           guint state)
{
  if ((query->states & 1u << state) == 0)
    {
      memset (query->ticks[state], 0, (query->n_columns + 1) * sizeof (gint64));
      query->states |= 1u << state;
    }
  return query->ticks[state];
}

/* Sums of a damaged file may overflow; they must only be harmless. */
static inline void
add_to (gint64 *sum,
        gint64 value)
{
  *sum = (gint64) ((guint64) *sum + (guint64) value);
}

static inline void
add_lost (TsColumnQuery *query,
          guint column,
          gint64 n_lost)
{
  if (!query->has_lost)
    {
      memset (query->lost, 0, query->n_columns * sizeof (gint64));
      query->has_lost = TRUE;
    }
  add_to (&query->lost[column], n_lost);
}

static inline void
add_sample (TsColumnQuery *query,
            guint column,
            guint32 count,
            double min,
            double max,
            double last)
{
  if (query->count[column] == 0)
    {
      query->min[column] = min;
      query->max[column] = max;
    }
  else
    {
      query->min[column] = MIN (query->min[column], min);
      query->max[column] = MAX (query->max[column], max);
    }
  query->last[column] = last;
  query->count[column] += count;
}

/* What bucket @b counts, into one column. */
static inline void
add_count (TsColumnQuery *query,
           guint column,
           const TsFold *fold,
           guint b)
{
  if (query->has_values && fold->min != NULL)
    add_sample (query, column, fold->count[b], fold->min[b], fold->max[b], fold->last[b]);
  else
    query->count[column] += fold->count[b];
  if (fold->lost != NULL)
    add_lost (query, column, fold->lost[b]);
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
spread_ticks (TsColumnQuery *query,
              guint state,
              gint64 ticks,
              gint64 begin,
              gint64 end,
              gint64 low,
              gint64 high)
{
  gint64 from = MAX (begin, low);
  gint64 to = MIN (end, high);
  gint64 *plane;
  gint64 done;
  guint i;

  if (from >= to)
    return;

  plane = use_state (query, state);
  done = share_before (ticks, begin, end, from);
  for (i = find_column (query, from); query->edges[i + 1] < to; i++)
    {
      gint64 next = share_before (ticks, begin, end, query->edges[i + 1]);

      add_to (&plane[i], next - done);
      done = next;
    }
  add_to (&plane[i], share_before (ticks, begin, end, to) - done);
}

/* Adds bucket @b of @fold, of any width, all of whose contents lie within [@low, @high). */
static void
add_odd_bucket (TsColumnQuery *query,
                const TsFold *fold,
                guint b,
                gint64 low,
                gint64 high)
{
  gint64 begin = MAX ((fold->first + b) << fold->width_log2, low);
  gint64 end = MIN ((fold->first + b + 1) << fold->width_log2, high);

  /* Only a damaged file has anything outside the hull that its directory tells. */
  if (begin >= end)
    return;

  if (fold->count != NULL && fold->count[b] != 0)
    add_count (query, find_column (query, begin), fold, b);
  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (fold->ticks[s] != NULL && fold->ticks[s][b] != 0)
      spread_ticks (query, s, fold->ticks[s][b], begin, end, begin, end);
}

/* As add_whole_buckets(), where columns are powers of two on multiples of it, as buckets are: each
 * bucket lies in one column. */
static void
add_aligned_buckets (TsColumnQuery *query,
                     const TsFold *fold,
                     guint first,
                     guint last)
{
  guint w = fold->width_log2;
  guint shift = (guint) query->shift - w;
  guint base = (guint) (fold->first + first - (query->begin >> w));
  guint n = last - first;

  for (guint b = 0; fold->count != NULL && b < n; b++)
    {
      if (!query->has_values && fold->lost == NULL)
        query->count[(base + b) >> shift] += fold->count[first + b];
      else if (fold->count[first + b] != 0)
        add_count (query, (base + b) >> shift, fold, first + b);
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      const gint64 *from = fold->ticks[s];
      gint64 *to;

      if (from == NULL)
        continue;
      to = use_state (query, s);
      for (guint b = 0; b < n; b++)
        add_to (&to[(base + b) >> shift], from[first + b]);
    }
}

/* Adds buckets [@first, @last) of @fold, which lie within the window and are no wider than any
 * column. Columns first, then plane by plane without branches: this is where a frame's time goes.
 * */
static void
add_whole_buckets (TsColumnQuery *query,
                   const TsFold *fold,
                   guint first,
                   guint last)
{
  guint32 column[TS_NODE_BUCKETS];
  guint64 part[TS_NODE_BUCKETS]; /* of the bucket's width that lies in its first column */
  guint w = fold->width_log2;
  gint64 width = (gint64) 1 << w;
  gint64 begin = (fold->first + first) << w;
  guint n = last - first;
  guint i;

  if (query->shift >= (int) w)
    {
      add_aligned_buckets (query, fold, first, last);
      return;
    }
  i = find_column (query, begin);
  for (guint b = 0; b < n; b++, begin += width)
    {
      /* No column is narrower, so at most one edge is passed. */
      i += query->edges[i + 1] <= begin;
      column[b] = i;
      part[b] = (guint64) MIN (width, query->edges[i + 1] - begin);
    }
  query->hint = i;

  if (fold->count != NULL)
    {
      if (query->has_values || fold->lost != NULL)
        {
          for (guint b = 0; b < n; b++)
            if (fold->count[first + b] != 0)
              add_count (query, column[b], fold, first + b);
        }
      else
        {
          for (guint b = 0; b < n; b++)
            query->count[column[b]] += fold->count[first + b];
        }
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      const gint64 *from;
      gint64 *to;

      if (fold->ticks[s] == NULL)
        continue;

      from = fold->ticks[s] + first;
      to = use_state (query, s);
      for (guint b = 0; b < n; b++)
        {
          gint64 head = (gint64) ((unsigned __int128) (guint64) from[b] * part[b] >> w);

          /* The array has a place behind the last column; it gets nothing. */
          add_to (&to[column[b]], head);
          add_to (&to[column[b] + 1], from[b] - head);
        }
    }
}

/* Adds buckets [@first, @last) of @fold (indices in it), which lie within [@low, @high), or whose
 * contents do: buckets that stick out are then taken whole. */
void
_ts_columns_add_buckets (TsColumnQuery *query,
                         const TsFold *fold,
                         guint first,
                         guint last,
                         gint64 low,
                         gint64 high)
{
  guint w = fold->width_log2;

  for (; first < last && (fold->first + first) << w < low; first++)
    add_odd_bucket (query, fold, first, low, high);
  /* Only a damaged file has anything there. */
  while (first < last && (fold->first + last - 1) << w >= high)
    last--;

  if ((gint64) 1 << w > query->width)
    {
      for (guint b = first; b < last; b++)
        add_odd_bucket (query, fold, b, low, high);
      return;
    }

  if (first < last && (fold->first + last) << w > high)
    {
      add_whole_buckets (query, fold, first, last - 1);
      add_odd_bucket (query, fold, last - 1, low, high);
    }
  else if (first < last)
    {
      add_whole_buckets (query, fold, first, last);
    }
}

/* Adds the part of bucket @b that lies within [@low, @high): time in proportion, and what it
 * counts whole, so that nothing at the edge of the window is hidden. All of it lies within
 * [@hull_begin, @hull_end). */
void
_ts_columns_add_edge_bucket (TsColumnQuery *query,
                             const TsFold *fold,
                             guint b,
                             gint64 hull_begin,
                             gint64 hull_end,
                             gint64 low,
                             gint64 high)
{
  gint64 begin = MAX ((fold->first + b) << fold->width_log2, hull_begin);
  gint64 end = MIN ((fold->first + b + 1) << fold->width_log2, hull_end);

  if (MAX (begin, low) >= MIN (end, high))
    return;

  if (fold->count != NULL && fold->count[b] != 0)
    add_count (query, find_column (query, MAX (begin, low)), fold, b);

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (fold->ticks[s] != NULL && fold->ticks[s][b] != 0)
      spread_ticks (query, s, fold->ticks[s][b], begin, end, low, high);
}

/* Adds the parts of slices that lie within [@low, @high): exact. */
void
_ts_columns_add_slices (TsColumnQuery *query,
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
      gint64 *plane;
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
            add_sample (query, column, 1, slice->value, slice->value, slice->value);
          else
            query->count[column]++;
          if (slice->state == TS_STATE_LOSS && slice->arg != G_MAXUINT32)
            add_lost (query, column, slice->arg);
        }

      if (query->has_values || slice->state >= TS_N_TIMED_STATES || begin >= end)
        continue;
      plane = use_state (query, slice->state);
      for (column = find_column (query, begin); query->edges[column + 1] < end; column++)
        {
          add_to (&plane[column], query->edges[column + 1] - begin);
          begin = query->edges[column + 1];
        }
      add_to (&plane[column], end - begin);
    }
}

/* Adds interrupted time, which only buckets tell, within [@low, @high). None of it lies outside
 * of [@hull_begin, @hull_end). */
void
_ts_columns_add_interrupted (TsColumnQuery *query,
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

/* Fills @columns for a value lane. @held: value before the window. */
void
_ts_columns_finish_values (TsColumnQuery *query,
                           gboolean has_held,
                           double held,
                           TsColumn *columns)
{
  for (guint i = 0; i < query->n_columns; i++)
    {
      TsColumn *column = &columns[i];

      column->count = query->count[i];
      if (column->count > 0)
        {
          column->has_value = TRUE;
          column->top_state = TS_STATE_POINT;
          column->min = query->min[i];
          column->max = query->max[i];
          column->last = held = query->last[i];
          has_held = TRUE;
        }
      else if (has_held)
        {
          column->has_value = TRUE;
          column->min = column->max = column->last = held;
        }
    }
}

/* Fills @columns for any other lane. */
void
_ts_columns_finish_states (TsColumnQuery *query,
                           TsColumn *columns)
{
  guint8 states[TS_N_TIMED_STATES];
  guint n_states = 0;

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if ((query->states & 1u << s) != 0)
      states[n_states++] = (guint8) s;

  for (guint i = 0; i < query->n_columns; i++)
    {
      TsColumn *column = &columns[i];
      gint64 most = 0;

      column->count = query->count[i];
      column->top_state = column->count > 0 ? TS_STATE_POINT : TS_STATE_NONE;
      if (query->has_lost)
        column->n_lost = query->lost[i];
      for (guint s = 0; s < n_states; s++)
        {
          gint64 ticks = query->ticks[states[s]][i];

          column->ticks[states[s]] = ticks;
          if (ticks > most && states[s] != TS_STATE_INTERRUPTED)
            {
              most = ticks;
              column->top_state = states[s];
            }
        }
    }
}

/* Makes @query ready to be filled: its reader, window and n_columns are set. The reader keeps the
 * arrays for the next one. */
void
_ts_columns_begin (TsColumnQuery *query)
{
  TsLaneReader *reader = query->reader;
  gsize n = (gsize) query->n_columns + 1;
  gint64 *next;

  if (reader->n_arrays < n)
    {
      g_free (reader->arrays);
      reader->arrays = g_new (gint64, n * (TS_N_TIMED_STATES + 5));
      reader->n_arrays = (guint) n;
    }

  next = reader->arrays;
  for (guint s = 0; s < TS_N_TIMED_STATES; s++, next += n)
    query->ticks[s] = next;
  query->lost = next;
  query->min = (double *) (gpointer) (next + n);
  query->max = query->min + n;
  query->last = query->max + n;
  query->count = (guint32 *) (gpointer) (query->last + n);
  memset (query->count, 0, n * sizeof query->count[0]);
  query->edges = get_edges (reader, query->begin, query->end, query->n_columns);
}
