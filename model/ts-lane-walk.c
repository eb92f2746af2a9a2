/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-walk.c: what the slices of one lane tell, one after the other: runs, activations, waits,
 * periods.
 *
 * The same steps make the figures of a range, and, while a recording is written, those that each
 * node of a lane keeps (ts-lane-figures.c).
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-analysis-private.h"

/* One more duration; of equal ones the first stays the extreme. */
void
_ts_figure_add (TsFigure *figure,
                gint64 ticks,
                gint64 begin,
                gint64 end)
{
  if (figure->count == 0 || ticks < figure->min)
    {
      figure->min = ticks;
      figure->min_begin = begin;
      figure->min_end = end;
    }
  if (figure->count == 0 || ticks > figure->max)
    {
      figure->max = ticks;
      figure->max_begin = begin;
      figure->max_end = end;
    }
  figure->count++;
  figure->sum += ticks;
}

void
_ts_buckets_clear (TsBuckets *self)
{
  for (guint power = 0; power < TS_BUCKET_POWERS; power++)
    if (self->used[power] != 0)
      memset (self->counts + (power << TS_BUCKET_STEPS_LOG2), 0,
              TS_BUCKET_STEPS * sizeof self->counts[0]);
  memset (self->used, 0, sizeof self->used);
}

/* A duration in the middle of a bucket. */
gint64
_ts_bucket_middle (guint bucket)
{
  guint shift = bucket >> TS_BUCKET_STEPS_LOG2;

  if (shift == 0)
    return bucket;
  shift--;
  return ((gint64) (TS_BUCKET_STEPS + (bucket & (TS_BUCKET_STEPS - 1))) << shift)
         + (((gint64) 1 << shift) >> 1);
}

static void
add_sample (TsLaneWalk *self,
            TsMeasure measure,
            gint64 ticks,
            gint64 begin,
            gint64 end)
{
  TsFigure *figure = &self->statistics->measures[measure];

  if (self->note != NULL)
    self->note (measure, ticks, begin, end, self->user_data);
  if (self->firsts != NULL && measure != TS_MEASURE_RUN && measure != TS_MEASURE_BLOCK
      && self->firsts[measure].begin < 0)
    {
      self->firsts[measure] = (TsFirstSample){ begin, end, ticks };
      return;
    }
  if (self->buckets != NULL)
    _ts_buckets_add (&self->buckets[measure], ticks);
  _ts_figure_add (figure, ticks, begin, end);
  if (self->samples != NULL)
    {
      if (self->samples[measure] == NULL)
        self->samples[measure] = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_array_append_val (self->samples[measure], ticks);
    }
}

/* Whether anything was lost between two times. */
gboolean
_ts_is_lost_between (const GArray *losses,
                     gint64 begin,
                     gint64 end)
{
  guint low = 0;
  guint high = losses->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (losses, gint64, middle) < begin)
        low = middle + 1;
      else
        high = middle;
    }
  return low < losses->len && g_array_index (losses, gint64, low) < end;
}

static void
begin_activation (const TsLaneWalk *self,
                  TsActivation *activation,
                  gint64 time)
{
  activation->ready = time >= self->begin ? time : -1;
  activation->execution = 0;
  activation->has_run = FALSE;
}

/* What interrupts took of a run. */
static inline gint64
get_interrupted (const TsLaneWalk *self,
                 const TsSlice *slice)
{
  if (!self->wants_net)
    return 0;
  if (G_LIKELY (slice->arg != TS_SLICE_MANY_TICKS))
    return slice->arg;
  if (self->interrupts == NULL)
    return 0;
  return self->statistics->kind == TS_LANE_ISR
             ? _ts_interrupt_time_nested (self->interrupts, slice, slice->begin, slice->end)
             : _ts_interrupt_time_within (self->interrupts, slice->begin, slice->end);
}

static void
walk_run (TsLaneWalk *self,
          TsActivation *activation,
          const TsSlice *slice)
{
  gint64 net = slice->end - slice->begin - get_interrupted (self, slice);
  gboolean is_in_range = slice->begin >= self->begin;

  if (self->with_totals)
    {
      gint64 begin = MAX (slice->begin, self->begin);
      gint64 end = MIN (slice->end, self->end);

      self->statistics->n_runs += is_in_range;
      self->statistics->ticks += end - begin;
      if (begin == slice->begin && end == slice->end)
        self->statistics->ticks -= slice->end - slice->begin - net;
      else if (self->interrupts != NULL)
        self->statistics->ticks -= _ts_interrupt_time_within (self->interrupts, begin, end);
    }
  if (is_in_range && (slice->kind & TS_SLICE_OPEN) == 0)
    add_sample (self, TS_MEASURE_RUN, net, slice->begin, slice->end);

  if (activation->is_waiting && activation->before != TS_STATE_READY)
    begin_activation (self, activation, slice->begin);
  if (activation->is_waiting && activation->ready >= 0)
    add_sample (self, TS_MEASURE_LATENCY, slice->begin - activation->ready, activation->ready,
                slice->begin);
  /* At the very begin of a part of the recording nothing is known of the time before. */
  if (is_in_range
      && (activation->is_waiting
          || (activation->before == TS_STATE_NONE
              && (slice->begin > self->begin || self->begin == 0))))
    {
      if (activation->last >= 0)
        add_sample (self, TS_MEASURE_PERIOD, slice->begin - activation->last, activation->last,
                    slice->begin);
      activation->last = slice->begin;
    }
  activation->is_waiting = FALSE;
  activation->has_run = TRUE;
  activation->execution += net;
}

/* A wait for a lock is part of the work that needs it. */
static inline gboolean
is_lock_wait (const TsLaneWalk *self,
              const TsSlice *slice)
{
  return slice->state == TS_STATE_BLOCKED && self->locks != NULL && slice->arg < self->locks->len
         && self->locks->data[slice->arg];
}

static void
walk_wait (TsLaneWalk *self,
           TsActivation *activation,
           const TsSlice *slice)
{
  if (!is_lock_wait (self, slice))
    {
      if (activation->ready >= 0 && activation->has_run)
        {
          add_sample (self, TS_MEASURE_RESPONSE, slice->begin - activation->ready,
                      activation->ready, slice->begin);
          add_sample (self, TS_MEASURE_EXECUTION, activation->execution, activation->ready,
                      slice->begin);
        }
      activation->ready = -1;
      activation->is_waiting = TRUE;
    }

  if (slice->state != TS_STATE_BLOCKED || slice->begin < self->begin)
    return;
  if (self->with_totals)
    self->statistics->blocks++;
  if ((slice->kind & TS_SLICE_OPEN) != 0)
    return;
  add_sample (self, TS_MEASURE_BLOCK, slice->end - slice->begin, slice->begin, slice->end);
  if (self->statistics->measures[TS_MEASURE_BLOCK].max_begin == slice->begin)
    self->statistics->longest_block_object = slice->arg;
}

static inline void
step_task (TsLaneWalk *self,
           const TsSlice *slice)
{
  TsActivation *activation = &self->activation;

  if (slice->begin != activation->before_end && activation->before_end >= 0)
    {
      /* Nothing is known of the time between: a loss, or it was deleted. */
      activation->before = TS_STATE_NONE;
      activation->ready = -1;
      activation->last = -1;
      activation->is_waiting = FALSE;
    }

  switch (slice->state)
    {
    case TS_STATE_RUNNING:
      walk_run (self, activation, slice);
      break;

    case TS_STATE_READY:
      if (activation->is_waiting && activation->before != TS_STATE_READY)
        begin_activation (self, activation, slice->begin);
      else if (activation->before == TS_STATE_RUNNING && self->with_totals
               && slice->begin >= self->begin && slice->arg != TS_SLICE_CHOSEN_AGAIN)
        self->statistics->preemptions++;
      break;

    case TS_STATE_BLOCKED:
    case TS_STATE_SLEEPING:
    case TS_STATE_SUSPENDED:
      walk_wait (self, activation, slice);
      break;

    default:
      break;
    }
  activation->before = slice->state;
  activation->before_end = slice->end;
}

static inline gboolean
is_lost_since (const TsLaneWalk *self,
               gint64 begin,
               gint64 end)
{
  const GArray *losses = self->losses;

  /* Mostly all losses lie before. */
  return losses != NULL && losses->len > 0
         && g_array_index (losses, gint64, losses->len - 1) >= begin
         && _ts_is_lost_between (losses, begin, end);
}

/* Interrupts and spans: runs, and periods from begin to begin. */
static inline void
step_span (TsLaneWalk *self,
           const TsSlice *slice)
{
  gint64 begin = MAX (slice->begin, self->begin);
  gint64 end = MIN (slice->end, self->end);
  gint64 *last = &self->activation.last;

  /* Interrupts' own time leaves out those nested in them. */
  if (self->with_totals && self->statistics->kind == TS_LANE_ISR)
    self->statistics->ticks
        += end - begin
           - (begin == slice->begin && end == slice->end
                  ? get_interrupted (self, slice)
                  : _ts_interrupt_time_nested (self->interrupts, slice, begin, end));
  else if (self->with_totals && slice->depth == 0)
    self->statistics->ticks += end - begin;
  if (slice->begin < self->begin)
    return;

  if (self->with_totals)
    self->statistics->n_runs++;
  if ((slice->kind & TS_SLICE_OPEN) == 0)
    add_sample (self, TS_MEASURE_RUN, slice->end - slice->begin, slice->begin, slice->end);
  if (self->begins != NULL)
    {
      g_array_append_val (self->begins, slice->begin);
      return;
    }
  if (*last > slice->begin)
    {
      self->is_nested = TRUE;
      return;
    }
  if (*last >= 0 && !is_lost_since (self, *last, slice->begin))
    add_sample (self, TS_MEASURE_PERIOD, slice->begin - *last, *last, slice->begin);
  *last = slice->begin;
}

static int
compare_ticks (gconstpointer a,
               gconstpointer b)
{
  gint64 left = *(const gint64 *) a;
  gint64 right = *(const gint64 *) b;

  return left < right ? -1 : left > right;
}

/**
 * _ts_lane_walk_finish:
 * @self: a walk through a lane whose slices may nest, that has met them all
 *
 * Periods come from begins, which only then are known in their order.
 */
void
_ts_lane_walk_finish (TsLaneWalk *self)
{
  if (self->begins == NULL)
    return;

  g_array_sort (self->begins, compare_ticks);
  for (guint i = 1; i < self->begins->len; i++)
    {
      gint64 from = g_array_index (self->begins, gint64, i - 1);
      gint64 to = g_array_index (self->begins, gint64, i);

      if (self->losses == NULL || !_ts_is_lost_between (self->losses, from, to))
        add_sample (self, TS_MEASURE_PERIOD, to - from, from, to);
    }
}

/* The scheduler: its work between two tasks, net of interrupts in its share, gross as a run. */
static inline void
step_scheduler (TsLaneWalk *self,
                const TsSlice *slice)
{
  gint64 begin = MAX (slice->begin, self->begin);
  gint64 end = MIN (slice->end, self->end);

  if (self->with_totals)
    {
      self->statistics->n_runs += slice->begin >= self->begin;
      self->statistics->ticks += end - begin;
      if (begin == slice->begin && end == slice->end)
        self->statistics->ticks -= get_interrupted (self, slice);
      else if (self->interrupts != NULL)
        self->statistics->ticks -= _ts_interrupt_time_within (self->interrupts, begin, end);
    }
  if (slice->begin >= self->begin && (slice->kind & TS_SLICE_OPEN) == 0)
    add_sample (self, TS_MEASURE_RUN, slice->end - slice->begin, slice->begin, slice->end);
}

/**
 * _ts_lane_walk_begin:
 * @self: a walk; its range and where its figures go are set
 *
 * Nothing is known of the time before.
 */
void
_ts_lane_walk_begin (TsLaneWalk *self)
{
  self->activation
      = (TsActivation){ .ready = -1, .last = -1, .before = TS_STATE_NONE, .before_end = -1 };
  self->is_nested = FALSE;
}

/**
 * _ts_lane_walk_slices:
 * @self: a walk
 * @slices: (array length=n_slices): the next slices of the lane, all of which overlap the range
 * @n_slices: how many
 *
 * Adds what they tell to the figures. Definitions: #TsMeasure.
 *
 * Cost: some 10 ns a slice
 */
void
_ts_lane_walk_slices (TsLaneWalk *self,
                      const TsSlice *slices,
                      guint n_slices)
{
  if (self->statistics->kind == TS_LANE_TASK)
    for (guint i = 0; i < n_slices; i++)
      step_task (self, &slices[i]);
  else if (self->statistics->kind == TS_LANE_RTOS)
    for (guint i = 0; i < n_slices; i++)
      step_scheduler (self, &slices[i]);
  else
    for (guint i = 0; i < n_slices; i++)
      step_span (self, &slices[i]);
}
