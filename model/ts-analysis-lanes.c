/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-lanes.c: what the slices of one lane tell: runs, activations, waits, periods. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

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
  if (self->samples != NULL)
    g_array_append_val (self->samples[measure], ticks);
}

/* Whether anything was lost between two times. */
static gboolean
is_lost_between (const GArray *losses,
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

/* Whether the scheduler worked from exactly @begin to @end: it chose the same task again. */
static gboolean
is_one_switch (const GArray *switches,
               gint64 begin,
               gint64 end)
{
  guint low = 0;
  guint high = switches->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (switches, TsInterval, middle).begin < begin)
        low = middle + 1;
      else
        high = middle;
    }
  return low < switches->len && g_array_index (switches, TsInterval, low).begin == begin
         && g_array_index (switches, TsInterval, low).end == end;
}

/**
 * Activation: where a task is between two waits.
 * @ready: when it got ready; -1: not in this range
 * @execution: processor time so far
 * @has_run: it ran since then
 * @is_waiting: it waits, or waited until now
 * @last: switch-in of the activation before; -1 none
 */
typedef struct
{
  gint64 ready;
  gint64 execution;
  gboolean has_run;
  gboolean is_waiting;
  gint64 last;
  guint8 before;
  gint64 before_end;
} Activation;

static void
begin_activation (const TsLaneWalk *self,
                  Activation *activation,
                  gint64 time)
{
  activation->ready = time >= self->begin ? time : -1;
  activation->execution = 0;
  activation->has_run = FALSE;
}

static void
walk_run (TsLaneWalk *self,
          Activation *activation,
          const TsSlice *slice)
{
  gint64 net
      = slice->end - slice->begin
        - (self->interrupts != NULL
               ? _ts_interrupt_time_within (self->interrupts, slice->begin, slice->end)
               : 0);
  gboolean is_in_range = slice->begin >= self->begin;

  if (self->with_totals)
    {
      gint64 begin = MAX (slice->begin, self->begin);
      gint64 end = MIN (slice->end, self->end);

      self->statistics->n_runs += is_in_range;
      self->statistics->ticks += end - begin;
      if (self->interrupts == NULL)
        ;
      else if (begin == slice->begin && end == slice->end)
        self->statistics->ticks -= slice->end - slice->begin - net;
      else
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
static gboolean
is_lock_wait (const TsLaneWalk *self,
              const TsSlice *slice)
{
  const TsObject *object = slice->state == TS_STATE_BLOCKED
                               ? ts_recording_get_object (self->recording, slice->arg)
                               : NULL;

  return object != NULL
         && (object->type == TS_OBJECT_MUTEX || object->type == TS_OBJECT_RECURSIVE_MUTEX);
}

static void
walk_wait (TsLaneWalk *self,
           Activation *activation,
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

static void
walk_task (TsLaneWalk *self,
           TsSliceCursor *cursor)
{
  Activation activation = { .ready = -1, .last = -1, .before = TS_STATE_NONE, .before_end = -1 };
  const TsSlice *slice;

  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      if (slice->begin != activation.before_end && activation.before_end >= 0)
        {
          /* Nothing is known of the time between: a loss, or it was deleted. */
          activation.before = TS_STATE_NONE;
          activation.ready = -1;
          activation.last = -1;
          activation.is_waiting = FALSE;
        }

      switch (slice->state)
        {
        case TS_STATE_RUNNING:
          walk_run (self, &activation, slice);
          break;

        case TS_STATE_READY:
          if (activation.is_waiting && activation.before != TS_STATE_READY)
            begin_activation (self, &activation, slice->begin);
          else if (activation.before == TS_STATE_RUNNING && self->with_totals
                   && slice->begin >= self->begin
                   && ((slice->kind & TS_SLICE_OPEN) != 0
                       || !is_one_switch (self->switches, slice->begin, slice->end)))
            self->statistics->preemptions++;
          break;

        case TS_STATE_BLOCKED:
        case TS_STATE_SLEEPING:
        case TS_STATE_SUSPENDED:
          walk_wait (self, &activation, slice);
          break;

        default:
          break;
        }
      activation.before = slice->state;
      activation.before_end = slice->end;
    }
}

static int
compare_ticks (gconstpointer a,
               gconstpointer b)
{
  gint64 left = *(const gint64 *) a;
  gint64 right = *(const gint64 *) b;

  return left < right ? -1 : left > right;
}

/* Interrupts and spans: runs, and periods from begin to begin. */
static void
walk_spans (TsLaneWalk *self,
            TsSliceCursor *cursor)
{
  gboolean is_interrupt = self->statistics->kind == TS_LANE_ISR;
  g_autoptr (GArray) begins = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean is_sorted = TRUE;
  const TsSlice *slice;

  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      gint64 begin = MAX (slice->begin, self->begin);
      gint64 end = MIN (slice->end, self->end);

      /* Interrupts' own time is shared out by _ts_analysis_own_interrupt_time(). */
      if (self->with_totals && !is_interrupt && slice->depth == 0)
        self->statistics->ticks += end - begin;
      if (slice->begin < self->begin)
        continue;

      if (self->with_totals)
        self->statistics->n_runs++;
      if ((slice->kind & TS_SLICE_OPEN) == 0)
        add_sample (self, TS_MEASURE_RUN, slice->end - slice->begin, slice->begin, slice->end);
      if (begins->len > 0 && g_array_index (begins, gint64, begins->len - 1) > slice->begin)
        is_sorted = FALSE;
      g_array_append_val (begins, slice->begin);
    }

  if (!is_sorted)
    g_array_sort (begins, compare_ticks);
  for (guint i = 1; i < begins->len; i++)
    {
      gint64 from = g_array_index (begins, gint64, i - 1);
      gint64 to = g_array_index (begins, gint64, i);

      if (!is_lost_between (self->losses, from, to))
        add_sample (self, TS_MEASURE_PERIOD, to - from, from, to);
    }
}

/* The scheduler: its work between two tasks, net of interrupts in its share, gross as a run. */
static void
walk_scheduler (TsLaneWalk *self,
                TsSliceCursor *cursor)
{
  const TsSlice *slice;

  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      gint64 begin = MAX (slice->begin, self->begin);
      gint64 end = MIN (slice->end, self->end);

      if (self->with_totals)
        {
          self->statistics->n_runs += slice->begin >= self->begin;
          self->statistics->ticks
              += end - begin - _ts_interrupt_time_within (self->interrupts, begin, end);
        }
      if (slice->begin >= self->begin && (slice->kind & TS_SLICE_OPEN) == 0)
        add_sample (self, TS_MEASURE_RUN, slice->end - slice->begin, slice->begin, slice->end);
    }
}

/**
 * _ts_lane_walk_run:
 * @self: a lane and a range
 *
 * Adds what the lane's slices in the range tell to its figures. Definitions: #TsMeasure.
 *
 * Cost: some 60 ns a slice
 * Thread: owner of the recording
 */
void
_ts_lane_walk_run (TsLaneWalk *self)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);

  _ts_slice_cursor_init (cursor, self->recording, self->statistics->lane, self->begin, self->end);
  if (self->statistics->kind == TS_LANE_TASK)
    walk_task (self, cursor);
  else if (self->statistics->kind == TS_LANE_RTOS)
    walk_scheduler (self, cursor);
  else
    walk_spans (self, cursor);
}

/**
 * _ts_lane_walk_samples:
 * @recording: a recording
 * @lane: a task, interrupt, span or scheduler
 * @begin: first tick
 * @end: tick after the last
 * @needs_net: runs and executions are wanted; else interrupts are not looked at, and these two
 *   tell nothing
 * @note: called for each duration, in order of when it becomes known
 * @user_data: for @note
 *
 * Tells every duration of a lane.
 *
 * Cost: some 60 ns a slice
 * Thread: owner of @recording
 */
void
_ts_lane_walk_samples (TsRecording *recording,
                       const TsLaneInfo *lane,
                       gint64 begin,
                       gint64 end,
                       gboolean needs_net,
                       TsSampleFunc note,
                       gpointer user_data)
{
  TsInterruptTime interrupts;
  TsLaneStatistics statistics = { .lane = lane->id, .kind = lane->kind, .core = lane->core };
  g_autoptr (GArray) switches = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  g_autoptr (GArray) losses = _ts_analysis_read_losses (recording, begin, end);
  TsLaneWalk walk = { .recording = recording,
                      .statistics = &statistics,
                      .begin = begin,
                      .end = end,
                      .interrupts = needs_net ? &interrupts : NULL,
                      .switches = switches,
                      .losses = losses,
                      .note = note,
                      .user_data = user_data };

  _ts_interrupt_time_init (&interrupts, recording, lane->core);
  if (needs_net && lane->kind == TS_LANE_TASK)
    _ts_interrupt_time_set_range (&interrupts, begin, end);
  _ts_lane_walk_run (&walk);
  _ts_interrupt_time_clear (&interrupts);
}

/* Begins of the losses in a range, ordered. */
GArray *
_ts_analysis_read_losses (TsRecording *recording,
                          gint64 begin,
                          gint64 end)
{
  GArray *losses = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, recording, TS_LANE_ID_LOSS, begin, end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    if (slice->state == TS_STATE_LOSS)
      g_array_append_val (losses, slice->begin);
  return losses;
}

/**
 * _ts_analysis_own_interrupt_time:
 * @recording: a recording
 * @core: a processor
 * @begin: first tick
 * @end: tick after the last
 * @ticks_by_lane: (element-type guint gint64): filled: lane id to its ticks
 *
 * How long each interrupt had the processor in the range, nested ones taken off: the times of all
 * lanes add up to the time in which any handler was active.
 *
 * Cost: some 60 ns an interrupt
 * Thread: owner of @recording
 */
void
_ts_analysis_own_interrupt_time (TsRecording *recording,
                                 guint core,
                                 gint64 begin,
                                 gint64 end,
                                 GHashTable *ticks_by_lane)
{
  TsSliceMerge *merge = _ts_slice_merge_new (recording, begin, end);
  g_autoptr (GArray) inner = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  const TsSlice *slice;
  const TsLaneInfo *info;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_ISR && lanes[i].core == core)
      {
        _ts_slice_merge_add (merge, lanes[i].id);
        g_hash_table_insert (ticks_by_lane, GUINT_TO_POINTER (lanes[i].id), g_new0 (gint64, 1));
      }

  while ((slice = _ts_slice_merge_next (merge, &info)) != NULL)
    {
      TsInterval interval = { MAX (slice->begin, begin), MIN (slice->end, end), 0 };
      gint64 *ticks = g_hash_table_lookup (ticks_by_lane, GUINT_TO_POINTER (info->id));

      *ticks += interval.end - interval.begin;
      while (inner->len > 0)
        {
          const TsInterval *last = &g_array_index (inner, TsInterval, inner->len - 1);

          if (last->begin < interval.begin)
            break;
          *ticks -= last->end - last->begin;
          g_array_set_size (inner, inner->len - 1);
        }
      if (interval.end > interval.begin)
        g_array_append_val (inner, interval);
    }
  _ts_slice_merge_free (merge);
}
