/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-statistics-nodes.c: figures of a long range of a lane from what its nodes keep.
 *
 * Nodes that lie within the range tell their figures, those of the highest levels first, and so do
 * sections of the nodes across its edges; slices are looked at in the sections across them only.
 * Counts, sums and extremes come out as if all slices had been looked at.
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
 * @begin_run: the node in which that is seen
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
  guint begin_run;
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

/* What a node or a section tells. FALSE: its slices have to be looked at, because one of them is
 * looked for. */
static gboolean
take_figures (Range *self,
              gboolean is_good,
              const TsLaneFigures *figures)
{
  /* What is damaged may have left buckets. */
  if (!is_good || figures->is_nested)
    self->is_unknown = TRUE;
  else if (self->walk->note != NULL && may_matter (self, figures))
    return FALSE;
  else
    absorb (self, figures);
  return TRUE;
}

static TsBuckets *
get_buckets (const Range *self)
{
  return self->walk->note == NULL ? self->buckets : NULL;
}

static gboolean
take_section (Range *self,
              const TsNodeSections *sections,
              guint section)
{
  TsLaneFigures figures;
  gboolean is_good
      = _ts_sections_decode_figures (sections, section, &figures, get_buckets (self));
  gboolean is_taken = take_figures (self, is_good, &figures);

  _ts_figures_clear (&figures);
  return is_taken;
}

/* Figures of older recordings have periods that go across losses. */
static gboolean
knows_losses (const Range *self,
              const TsReaderNode *node,
              GBytes *figures)
{
  return !self->may_overlap || _ts_figures_know_losses (figures)
         || !_ts_is_lost_between (self->walk->losses, node->info.begin, node->info.end + 1);
}

/* Whether slices are to be looked at until nodes and slices agree where the last activation
 * began. */
static gboolean
is_in_doubt (Range *self)
{
  const TsSlice *before = NULL;
  guint n_slices = 0;

  if (self->range_begin == BEGIN_DEPENDS)
    {
      if (self->begin_run > 0)
        before = _ts_lane_access_read_slices (
            self->access, _ts_reader_lane_node (self->lane, 0, self->begin_run - 1), &n_slices);
      self->range_begin = self->begin_run > 0
                                  && (before == NULL || n_slices == 0
                                      || before[n_slices - 1].state != TS_STATE_RUNNING)
                              ? BEGIN_IN_DOUBT
                              : BEGIN_IS_PLAIN;
    }
  return self->range_begin == BEGIN_IN_DOUBT && self->walk->activation.last < 0;
}

/* Slices of a lane with nesting. */
static void
walk_overlapping (Range *self,
                  const TsSlice *slices,
                  guint n_slices)
{
  gint64 begin = self->walk->begin;

  /* An outer one may have begun before the end of the range and ended after it. */
  for (guint i = _ts_slices_first_ending_after (slices, n_slices, begin - 1); i < n_slices; i++)
    if (slices[i].begin < self->walk->end
        && (slices[i].end > begin || slices[i].begin == slices[i].end))
      _ts_lane_walk_slices (self->walk, &slices[i], 1);
}

/* The next slices of a node or a section, of which the last one before was @before; FALSE: what
 * follows is behind the range. */
static gboolean
walk_stream (Range *self,
             TsSliceStream *stream,
             guint before)
{
  TsSlice slices[TS_STREAM_SLICES];
  guint n;

  while (stream != NULL && (n = _ts_slice_stream_next (stream, slices)) > 0)
    {
      if (self->may_overlap)
        walk_overlapping (self, slices, n);
      else if (slices[n - 1].end >= self->walk->begin && !walk_slices (self, slices, n, before))
        return FALSE;
      before = slices[n - 1].state;
    }
  return TRUE;
}

/* A node that the edge of the range goes through: figures of sections that lie within the range,
 * slices of those that do not. */
static void
walk_sections (Range *self,
               TsReaderNode *node,
               const TsNodeSections *sections)
{
  const TsLaneWalk *walk = self->walk;

  for (guint i = 0; i < sections->places.n_sections && !self->is_unknown; i++)
    {
      gint64 begin = sections->begin[i];
      gint64 end = sections->end[i];
      gboolean is_within = is_in_range (self, begin) && end < walk->end;

      if (end < walk->begin || begin >= walk->end)
        continue;
      if (!is_within || is_in_doubt (self) || !take_section (self, sections, i))
        walk_stream (self, _ts_lane_access_begin_section (self->access, node, sections, i),
                     sections->before[i]);
    }
}

/* Sections of a node, if it has any. @bytes: (out): they lie in these; to be freed in any case */
static gboolean
read_sections (Range *self,
               TsReaderNode *node,
               TsNodeSections *sections,
               GBytes **bytes)
{
  *bytes = NULL;
  if (node->info.n_slices <= TS_SECTION_SLICES)
    return FALSE;
  *bytes = _ts_lane_access_dup_sections (self->access, node);
  if (*bytes != NULL)
    return _ts_sections_decode (*bytes, sections);
  *bytes = _ts_lane_access_dup_figures (self->access, node);
  return *bytes != NULL && knows_losses (self, node, *bytes)
         && _ts_sections_decode_older (*bytes, sections);
}

static void
walk_node (Range *self,
           TsReaderNode *node)
{
  g_autoptr (GBytes) bytes = NULL;
  TsNodeSections sections;

  if (read_sections (self, node, &sections, &bytes))
    walk_sections (self, node, &sections);
  else
    walk_stream (self, _ts_lane_access_begin_slices (self->access, node), TS_STATE_NONE);
  if (self->range_begin == BEGIN_NOT_SEEN && node->info.end > self->walk->begin)
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

  if (run < n_nodes)
    {
      if (self->range_begin == BEGIN_NOT_SEEN)
        self->begin_run = run;
      walk_node (self, _ts_reader_lane_node (lane, 0, run));
      return;
    }
  if (run == n_nodes)
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

  if (self->may_overlap)
    {
      walk_overlapping (self, slices, n_slices);
      return;
    }
  walk_slices (self, slices, n_slices, TS_STATE_NONE);
  if (self->range_begin == BEGIN_NOT_SEEN)
    self->range_begin = BEGIN_IS_PLAIN;
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

  if (bytes != NULL && knows_losses (self, node, bytes))
    {
      TsLaneFigures figures;
      gboolean is_good = _ts_figures_decode (bytes, &figures, get_buckets (self));
      gboolean is_taken = take_figures (self, is_good, &figures);

      _ts_figures_clear (&figures);
      if (is_taken)
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

/**
 * _ts_lane_walk_nodes:
 * @walk: a lane and a range; without samples
 * @access: where it is
 * @buckets: (array fixed-size=6): empty; filled with the durations
 * @cancellable: (nullable): ends it early
 *
 * The figures of a long range; or, with @walk->note, long periods in it: figures are nothing then.
 *
 * Cost: some 5 us for each of about three nodes a level, 2 us for each section of two nodes, and
 *   the slices of two sections; of two nodes in recordings without sections
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
                      && !is_in_range (&self,
                                       _ts_reader_lane_node (self.lane, 0, begin)->info.begin);)
    begin++;
  end = MIN (_ts_lane_reader_first_ending_after (self.lane, walk->end - 1), n_nodes);

  walk->buckets = buckets;
  _ts_lane_walk_begin (walk);
  begin = MIN (begin, MAX (first, end));
  for (guint run = first; run < begin; run++)
    walk_run (&self, run);
  while (first < begin && begin < end && is_in_doubt (&self))
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
