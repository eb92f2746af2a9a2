/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-find.c: finding single slices of a lane.
 *
 * The slices of a lane are a sequence ordered by end: those of the nodes of level 0, then the
 * open chunk, then what is open. Slices of one lane either do not overlap or nest; both facts end
 * searches early.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-reader-private.h"

/* Index of the first slice with end > @time. */
guint
_ts_slices_first_ending_after (const TsSlice *slices,
                               guint n_slices,
                               gint64 time)
{
  guint low = 0;
  guint high = n_slices;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (slices[middle].end > time)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static inline gboolean
ends_after (const TsReaderLane *lane,
            guint node,
            gint64 time)
{
  return _ts_reader_lane_node (lane, 0, node)->info.end > time;
}

/* Narrows [@low, @high], where the first node is that ends after @time, by strides that double, away
 * from where the last search of this lane ended: a window moves by little from picture to picture. */
static void
gallop (const TsReaderLane *lane,
        gint64 time,
        guint *low,
        guint *high)
{
  guint from = MIN (lane->edge, *high);
  guint stride = 1;

  if (from < *high && !ends_after (lane, from, time))
    {
      for (*low = from + 1; stride < *high - from; stride *= 2)
        {
          if (ends_after (lane, from + stride, time))
            {
              *high = from + stride;
              return;
            }
          *low = from + stride + 1;
        }
      return;
    }
  for (*high = from; stride <= from; stride *= 2)
    {
      if (!ends_after (lane, from - stride, time))
        {
          *low = from - stride + 1;
          return;
        }
      *high = from - stride;
    }
}

/* Index of the first node of level 0 with end > @time: by a galloping search from where the last one
 * ended, and bisection of what is left. */
guint
_ts_lane_reader_first_ending_after (const TsReaderLane *lane,
                                    gint64 time)
{
  guint low = 0;
  guint high = _ts_reader_lane_n_nodes (lane, 0);

  gallop (lane, time, &low, &high);
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (ends_after (lane, middle, time))
        high = middle;
      else
        low = middle + 1;
    }
  /* only how long the next search takes depends on it: for who asks, the lane stays as it is */
  ((TsReaderLane *) lane)->edge = low;
  return low;
}

/* The lane as a sequence of runs of slices: nodes of level 0, then the chunk, then what is open. */
static guint
n_runs (const TsReaderLane *lane)
{
  return _ts_reader_lane_n_nodes (lane, 0) + 2;
}

/* FALSE: it is not there yet, and who asks does not wait. */
static gboolean
get_run (TsLaneReader *self,
         const TsReaderLane *lane,
         guint run,
         const TsSlice **slices,
         guint *n_slices)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (run < n_nodes)
    {
      TsReaderNode *node = _ts_reader_lane_node (lane, 0, run);

      if (_ts_lane_reader_must_wait (self, lane, node))
        return FALSE;
      *slices = _ts_lane_reader_get_slices (self, node, n_slices);
      return TRUE;
    }

  *n_slices = run == n_nodes ? lane->n_chunk : lane->n_open;
  *slices = run > n_nodes ? lane->open : lane->chunk != NULL ? lane->chunk->slices : NULL;
  return TRUE;
}

/* Earliest begin in a run, without unpacking it. Of the chunk it is not known: time 0. */
static gint64
get_run_begin (const TsReaderLane *lane,
               guint run)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (run < n_nodes)
    return _ts_reader_lane_node (lane, 0, run)->info.begin;
  if (run == n_nodes)
    return lane->n_chunk == 0 ? G_MAXINT64 : lane->may_overlap ? 0 : lane->chunk->slices[0].begin;
  return lane->n_open == 0 ? G_MAXINT64 : lane->open[0].begin;
}

/* What one pass over the slices round a time collects. */
typedef struct
{
  gboolean is_unknown;     /* it is not there yet, who asks does not wait */
  gboolean has_containing; /* innermost slice with begin <= time < end */
  gboolean has_before;     /* slice with end <= time that ends last */
  gboolean has_after;      /* slice with begin > time that begins first */
  TsSlice containing;
  TsSlice before;
  TsSlice after;
} Around;

/* The slices that end after @time: containing and after. Ordered by end, the first that contains
 * @time is the innermost; a slice that begins after @time but before the first one found must
 * contain it, so it comes later. */
static void
look_ahead (TsLaneReader *self,
            const TsReaderLane *lane,
            gint64 time,
            Around *around)
{
  guint n = n_runs (lane);

  for (guint run = _ts_lane_reader_first_ending_after (lane, time); run < n; run++)
    {
      gint64 run_begin = get_run_begin (lane, run);
      gint64 limit = around->has_after ? around->after.begin : G_MAXINT64;
      const TsSlice *slices;
      guint n_slices;

      /* Nothing in it begins before what is already found; nor do later runs of a lane without
       * overlaps. */
      if (run_begin >= limit)
        {
          if (!lane->may_overlap)
            break;
          continue;
        }
      if (around->has_containing && around->has_after && !lane->may_overlap)
        break;

      if (!get_run (self, lane, run, &slices, &n_slices))
        {
          around->is_unknown = TRUE;
          return;
        }
      for (guint i = _ts_slices_first_ending_after (slices, n_slices, time); i < n_slices; i++)
        {
          const TsSlice *slice = &slices[i];

          if (slice->begin <= time)
            {
              if (!around->has_containing || slice->begin > around->containing.begin)
                around->containing = *slice;
              around->has_containing = TRUE;
            }
          else if (!around->has_after || slice->begin < around->after.begin)
            {
              around->after = *slice;
              around->has_after = TRUE;
            }
          else if (!lane->may_overlap)
            {
              return;
            }
        }
    }
}

/* The slice that ended last at or before @time. */
static void
look_behind (TsLaneReader *self,
             const TsReaderLane *lane,
             gint64 time,
             Around *around)
{
  guint run = _ts_lane_reader_first_ending_after (lane, time);

  /* The chunk and what is open may also hold slices that end before @time. */
  run = run < _ts_reader_lane_n_nodes (lane, 0) ? run + 1 : n_runs (lane);
  while (run-- > 0)
    {
      guint n_slices;
      const TsSlice *slices;
      guint i;

      if (!get_run (self, lane, run, &slices, &n_slices))
        {
          around->is_unknown = TRUE;
          return;
        }
      i = _ts_slices_first_ending_after (slices, n_slices, time);
      if (i == 0)
        continue;
      around->before = slices[i - 1];
      around->has_before = TRUE;
      return;
    }
}

/**
 * ts_lane_reader_find:
 * @self: a reader
 * @lane_id: a lane
 * @time: where
 * @tolerance: ticks
 * @slice: (out caller-allocates): what was found
 *
 * The slice that contains @time, the innermost where they nest; else the one nearest to it within
 * @tolerance ticks.
 *
 * Cost: unpacks one or two nodes when they are not cached: some 50 us each
 * Thread: owner
 *
 * Returns: %FALSE if there is none
 */
gboolean
ts_lane_reader_find (TsLaneReader *self,
                     guint32 lane_id,
                     gint64 time,
                     gint64 tolerance,
                     TsSlice *slice)
{
  TsReaderLane *lane;
  Around around = { 0 };
  gint64 nearest = G_MAXINT64;

  g_return_val_if_fail (self != NULL && slice != NULL, FALSE);

  lane = _ts_lane_reader_find_lane (self, lane_id);
  if (lane == NULL || time < 0 || lane->info.kind == TS_LANE_DENSITY)
    return FALSE;

  look_ahead (self, lane, time, &around);
  if (around.is_unknown)
    return FALSE;
  if (around.has_containing)
    {
      *slice = around.containing;
      return TRUE;
    }

  look_behind (self, lane, time, &around);
  if (around.is_unknown)
    return FALSE;
  if (around.has_after)
    {
      nearest = around.after.begin - time;
      *slice = around.after;
    }
  if (around.has_before && time - around.before.end <= nearest)
    {
      nearest = time - around.before.end;
      *slice = around.before;
    }
  return nearest <= tolerance;
}

/* The slice with the largest begin < @time. Candidates end after the best begin found so far, so
 * the search is short: going back through the ends, each slice that begins later raises the bar.
 * */
static gboolean
find_previous (TsLaneReader *self,
               const TsReaderLane *lane,
               gint64 time,
               TsSlice *slice)
{
  guint first = _ts_lane_reader_first_ending_after (lane, time);
  guint n = n_runs (lane);
  gboolean found = FALSE;

  /* Those that end after @time: the innermost that contains it is in the first run that has any. */
  for (guint run = first; run < n && !found; run++)
    {
      guint n_slices;
      const TsSlice *slices;

      if (get_run_begin (lane, run) >= time)
        {
          if (!lane->may_overlap)
            break;
          continue;
        }
      if (!get_run (self, lane, run, &slices, &n_slices))
        return FALSE;
      for (guint i = _ts_slices_first_ending_after (slices, n_slices, time); i < n_slices; i++)
        {
          if (slices[i].begin < time && (!found || slices[i].begin > slice->begin))
            {
              *slice = slices[i];
              found = TRUE;
            }
          else if (!lane->may_overlap)
            {
              break;
            }
        }
    }

  for (guint run = first < _ts_reader_lane_n_nodes (lane, 0) ? first + 1 : n; run-- > 0;)
    {
      guint n_slices;
      const TsSlice *slices;

      if (!get_run (self, lane, run, &slices, &n_slices))
        return FALSE;
      for (guint i = _ts_slices_first_ending_after (slices, n_slices, time); i-- > 0;)
        {
          if (found && slices[i].end <= slice->begin)
            return TRUE;
          if (slices[i].begin < time && (!found || slices[i].begin > slice->begin))
            {
              *slice = slices[i];
              found = TRUE;
            }
        }
    }
  return found;
}

/**
 * ts_lane_reader_next:
 * @self: a reader
 * @lane_id: a lane
 * @time: from where
 * @direction: +1: the first slice that begins after @time; -1: the last one that begins before it
 * @slice: (out caller-allocates): what was found
 *
 * Cost: unpacks one or two nodes when they are not cached: some 50 us each
 * Thread: owner
 *
 * Returns: %FALSE if there is none
 */
gboolean
ts_lane_reader_next (TsLaneReader *self,
                     guint32 lane_id,
                     gint64 time,
                     int direction,
                     TsSlice *slice)
{
  TsReaderLane *lane;
  Around around = { 0 };

  g_return_val_if_fail (self != NULL && slice != NULL, FALSE);
  g_return_val_if_fail (direction == 1 || direction == -1, FALSE);

  lane = _ts_lane_reader_find_lane (self, lane_id);
  if (lane == NULL || lane->info.kind == TS_LANE_DENSITY)
    return FALSE;

  if (direction < 0)
    return find_previous (self, lane, time, slice);

  look_ahead (self, lane, time, &around);
  if (around.is_unknown || !around.has_after)
    return FALSE;
  *slice = around.after;
  return TRUE;
}
