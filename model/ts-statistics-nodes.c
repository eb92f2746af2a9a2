/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-statistics-nodes.c: figures of a long range of a lane from what its nodes keep.
 *
 * Nodes that lie within the range tell their figures, those of the highest levels first; slices are
 * looked at in the nodes across its edges only. Counts, sums and extremes come out as if all slices
 * had been looked at.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-lane-figures-private.h"

/** How the range begins. */
typedef enum
{
  BEGIN_NOT_SEEN,
  BEGIN_IS_PLAIN,
  BEGIN_IN_DOUBT,
  BEGIN_DEPENDS, /* on the last slice of the node before */
} RangeBegin;

/**
 * Range:
 * @walk: through the slices at the edges; its figures are those of the whole
 * @buckets: (array fixed-size=6): durations of the whole
 * @may_overlap: periods are from begin to begin, and no loss may lie between
 * @range_begin: of a task
 * @is_unknown: the nodes do not tell: all slices have to be looked at
 */
typedef struct
{
  TsLaneWalk *walk;
  TsLaneAccess *access;
  TsReaderLane *lane;
  TsBuckets *buckets;
  gboolean may_overlap;
  RangeBegin range_begin;
  gboolean is_unknown;
} Range;

static gint64
get_run_end (const Range *self)
{
  return ts_lane_reader_get_end (self->access->reader);
}

/* Whether the range begins while a task is ready after a wait that it does not see: the run that
 * follows begins an activation for the nodes, but not for a walk that begins here. @first is what
 * lasts behind the begin, @before the state before it in the node, or none. */
static RangeBegin
judge_begin (const Range *self,
             const TsSlice *first,
             guint before)
{
  if (first->state != TS_STATE_READY || first->begin > self->walk->begin)
    return BEGIN_IS_PLAIN;
  if (before == TS_STATE_NONE)
    return BEGIN_DEPENDS;
  return before != TS_STATE_RUNNING ? BEGIN_IN_DOUBT : BEGIN_IS_PLAIN;
}

/* Slices of a lane without nesting; the next ones of a node whose last one was @before. FALSE:
 * what follows is behind the range. */
static gboolean
walk_slices (Range *self,
             const TsSlice *slices,
             guint n_slices,
             guint before)
{
  gint64 begin = self->walk->begin;
  guint first = 0;
  guint last = n_slices;

  /* Mostly all of them lie within the range. */
  if (slices[0].begin < begin)
    {
      first = _ts_slices_first_ending_after (slices, n_slices, begin - 1);
      while (first < n_slices && slices[first].end == begin && slices[first].begin < begin)
        first++;
    }
  if (self->range_begin == BEGIN_NOT_SEEN)
    {
      guint behind = _ts_slices_first_ending_after (slices, n_slices, begin);

      if (behind < n_slices)
        self->range_begin = judge_begin (self, &slices[behind],
                                         behind > 0 ? slices[behind - 1].state : before);
    }
  while (last > first && slices[last - 1].begin >= self->walk->end)
    last--;
  _ts_lane_walk_slices (self->walk, slices + first, last - first);
  return last == n_slices;
}

static void
walk_node (Range *self,
           TsReaderNode *node)
{
  TsSliceStream *stream = _ts_lane_access_begin_slices (self->access, node);
  TsSlice slices[TS_STREAM_SLICES];
  guint before = TS_STATE_NONE;
  guint n;

  while (stream != NULL && (n = _ts_slice_stream_next (stream, slices)) > 0)
    {
      /* What ends before the range is only gone through. */
      if (slices[n - 1].end >= self->walk->begin && !walk_slices (self, slices, n, before))
        break;
      before = slices[n - 1].state;
    }
  if (self->range_begin == BEGIN_NOT_SEEN && stream != NULL)
    self->range_begin = BEGIN_IS_PLAIN;
}

/* The slices of one run of the lane (a node of level 0, the open chunk, what is open). */
static void
walk_run (Range *self,
          guint run)
{
  const TsReaderLane *lane = self->lane;
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);
  gint64 begin = self->walk->begin;
  guint n_slices = 0;
  const TsSlice *slices;

  if (run < n_nodes && !self->may_overlap)
    {
      walk_node (self, _ts_reader_lane_node (lane, 0, run));
      return;
    }
  if (run < n_nodes)
    slices = _ts_lane_access_read_slices (self->access, _ts_reader_lane_node (lane, 0, run),
                                          &n_slices);
  else if (run == n_nodes)
    {
      slices = lane->chunk != NULL ? lane->chunk->slices : NULL;
      n_slices = lane->n_chunk;
    }
  else
    {
      for (guint i = 0; i < lane->n_open; i++)
        {
          TsSlice slice = lane->open[i];

          slice.end = MAX (MIN (slice.end, get_run_end (self)), slice.begin);
          slice.kind |= TS_SLICE_OPEN;
          if (slice.begin < self->walk->end && (slice.end > begin || slice.begin >= begin))
            _ts_lane_walk_slices (self->walk, &slice, 1);
        }
      return;
    }
  if (slices == NULL || n_slices == 0)
    return;

  if (!self->may_overlap)
    {
      walk_slices (self, slices, n_slices, TS_STATE_NONE);
      if (self->range_begin == BEGIN_NOT_SEEN)
        self->range_begin = BEGIN_IS_PLAIN;
      return;
    }
  /* An outer one may have begun before the end of the range and ended after it. */
  for (guint i = _ts_slices_first_ending_after (slices, n_slices, begin - 1); i < n_slices; i++)
    if (slices[i].begin < self->walk->end
        && (slices[i].end > begin || slices[i].begin == slices[i].end))
      _ts_lane_walk_slices (self->walk, &slices[i], 1);
}

/* Whether a duration that began at @time belongs to the range: at its very begin nothing is known
 * of what was before. */
static inline gboolean
is_in_range (const Range *self,
             gint64 time)
{
  return time > self->walk->begin || (self->walk->begin == 0 && time >= 0);
}

static void
absorb (Range *self,
        const TsLaneFigures *figures)
{
  TsLaneStatistics *to = self->walk->statistics;
  TsActivation *activation = &self->walk->activation;

  to->n_runs += figures->n_runs;
  to->preemptions += figures->preemptions;
  to->blocks += figures->blocks;
  to->ticks += figures->ticks;
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      const TsFirstSample *first = &figures->firsts[m];
      guint32 other = 0;

      if (first->begin >= 0 && is_in_range (self, first->begin)
          && !(self->may_overlap
               && _ts_is_lost_between (self->walk->losses, first->begin, first->end)))
        {
          _ts_figure_add (&to->measures[m], first->ticks, first->begin, first->end);
          _ts_buckets_add (&self->buckets[m], first->ticks);
        }
      _ts_figure_merge (&to->measures[m], &figures->measures[m],
                        m == TS_MEASURE_BLOCK ? &to->longest_block_object : &other,
                        figures->longest_block_object);
    }

  *activation = figures->end;
  if (!is_in_range (self, activation->ready))
    activation->ready = -1;
  if (!is_in_range (self, activation->last))
    activation->last = -1;
}

/* Whether a node may hold a period that is looked for. */
static gboolean
may_matter (const Range *self,
            const TsLaneFigures *figures)
{
  const TsLaneWalk *walk = self->walk;
  const TsFirstSample *first = &figures->firsts[TS_MEASURE_PERIOD];
  const GArray *buckets = figures->buckets[TS_MEASURE_PERIOD];
  guint low = _ts_bucket_of (walk->above);
  guint high = _ts_bucket_of (walk->upto);

  if (first->begin >= 0 && first->ticks > walk->above && first->ticks <= walk->upto)
    return TRUE;
  for (guint i = 0; buckets != NULL && i < buckets->len; i++)
    {
      const TsBucketCount *count = &g_array_index (buckets, TsBucketCount, i);

      if (count->bucket >= low && count->bucket <= high)
        return TRUE;
    }
  return FALSE;
}

/* What node @i of a level keeps; its children or slices where it does not tell, or where one of
 * them is looked for. */
static void
add_node (Range *self,
          guint level,
          guint i)
{
  TsReaderNode *node = _ts_reader_lane_node (self->lane, level, i);
  g_autoptr (GBytes) bytes = _ts_lane_access_dup_figures (self->access, node);
  gboolean must_look = FALSE;
  TsLaneFigures figures;

  /* Figures of older recordings have periods that go across losses. */
  if (bytes != NULL
      && (_ts_figures_know_losses (bytes) || !self->may_overlap
          || !_ts_is_lost_between (self->walk->losses, node->info.begin, node->info.end + 1)))
    {
      gboolean seeks = self->walk->note != NULL;

      /* What is damaged may have left buckets. */
      if (!_ts_figures_decode (bytes, &figures, seeks ? NULL : self->buckets)
          || figures.is_nested)
        self->is_unknown = TRUE;
      else if (seeks && may_matter (self, &figures))
        must_look = TRUE;
      else
        absorb (self, &figures);
      _ts_figures_clear (&figures);
      if (!must_look)
        return;
    }
  if (level == 0)
    {
      walk_run (self, i);
      return;
    }
  for (guint child = i * TS_NODE_FANOUT;
       child < (i + 1) * TS_NODE_FANOUT && child < _ts_reader_lane_n_nodes (self->lane, level - 1);
       child++)
    add_node (self, level - 1, child);
}

/* Nodes [@first, @last) of level 0, by as few nodes of any level as cover them. */
static void
add_nodes (Range *self,
           guint first,
           guint last,
           GCancellable *cancellable)
{
  while (first < last && !self->is_unknown && !g_cancellable_is_cancelled (cancellable))
    {
      guint level = 0;
      guint width = 1;

      while (level < TS_NODE_MAX_LEVEL && first % (width * TS_NODE_FANOUT) == 0
             && first + width * TS_NODE_FANOUT <= last
             && first / (width * TS_NODE_FANOUT) < _ts_reader_lane_n_nodes (self->lane, level + 1))
        {
          level++;
          width *= TS_NODE_FANOUT;
        }
      add_node (self, level, first / width);
      first += width;
    }
}

static gboolean
begins_in_doubt (const Range *self,
                 guint run)
{
  const TsSlice *before;
  guint n_slices = 0;

  if (self->range_begin != BEGIN_DEPENDS)
    return self->range_begin == BEGIN_IN_DOUBT;
  if (run == 0)
    return FALSE;
  before = _ts_lane_access_read_slices (self->access,
                                        _ts_reader_lane_node (self->lane, 0, run - 1), &n_slices);
  return before == NULL || n_slices == 0 || before[n_slices - 1].state != TS_STATE_RUNNING;
}

/**
 * _ts_lane_walk_nodes:
 * @walk: a lane and a range; without samples
 * @access: where it is
 * @buckets: (array fixed-size=6): empty; filled with the durations
 * @cancellable: (nullable): ends it early
 *
 * The figures of a long range; or, with @walk->note, long periods in it: figures are nothing then.
 *
 * Cost: some 5 us for each of about three nodes a level, and the slices of two nodes
 * Thread: that of @access
 *
 * Returns: %FALSE if the nodes do not tell: nothing is filled then, but @walk->note may have been
 *   called
 */
gboolean
_ts_lane_walk_nodes (TsLaneWalk *walk,
                     TsLaneAccess *access,
                     TsBuckets *buckets,
                     GCancellable *cancellable)
{
  TsLaneStatistics before = *walk->statistics;
  Range self = { .walk = walk, .access = access, .buckets = buckets };
  guint n_nodes;
  guint first;
  guint begin;
  guint end;

  self.lane = _ts_lane_reader_find_lane (access->reader, walk->statistics->lane);
  if (self.lane == NULL)
    return FALSE;
  self.may_overlap = self.lane->may_overlap;
  n_nodes = _ts_reader_lane_n_nodes (self.lane, 0);
  first = _ts_lane_reader_first_ending_after (self.lane, walk->begin - 1);
  for (begin = first; begin < n_nodes
                      && !is_in_range (&self, _ts_reader_lane_node (self.lane, 0, begin)->info.begin);)
    begin++;
  end = MIN (_ts_lane_reader_first_ending_after (self.lane, walk->end - 1), n_nodes);

  walk->buckets = buckets;
  _ts_lane_walk_begin (walk);
  begin = MIN (begin, MAX (first, end));
  for (guint run = first; run < begin; run++)
    walk_run (&self, run);
  /* Slices are looked at until both agree where the last activation began. */
  if (first < begin && begin < end && begins_in_doubt (&self, first))
    while (begin < end && walk->activation.last < 0)
      walk_run (&self, begin++);
  add_nodes (&self, begin, end, cancellable);
  for (guint run = MAX (begin, end); run < n_nodes + 2 && !self.is_unknown; run++)
    {
      if (run < n_nodes && _ts_reader_lane_node (self.lane, 0, run)->info.begin >= walk->end)
        {
          if (self.may_overlap)
            continue;
          run = n_nodes;
          if (self.lane->n_chunk > 0 && self.lane->chunk->slices[0].begin >= walk->end)
            break;
        }
      walk_run (&self, run);
    }
  if (self.is_unknown || walk->is_nested)
    {
      *walk->statistics = before;
      for (guint m = 0; m < TS_N_MEASURES; m++)
        _ts_buckets_clear (&buckets[m]);
      return FALSE;
    }
  return TRUE;
}
