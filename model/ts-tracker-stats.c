/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tracker-stats.c: figures about tasks, interrupts, spans and value channels, kept up to date
 * event by event. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include "ts-tracker-state-private.h"

/* Index of new figures of @lane. */
gint
_ts_tracker_add_task_stats (TsTracker *self,
                            guint32 lane,
                            guint32 object)
{
  TsTaskStats stats = { .lane = lane,
                        .object = object,
                        .min_ticks = -1,
                        .max_ticks = -1,
                        .min_period = -1,
                        .max_period = -1,
                        .stack_used = -1 };

  g_array_append_val (self->task_stats, stats);
  return (gint) self->task_stats->len - 1;
}

/* One completed run: @ticks as min, max and sum count it, @own_ticks as run time. */
void
_ts_tracker_count_run (TsTaskStats *stats,
                       gint64 ticks,
                       gint64 own_ticks)
{
  stats->n_runs++;
  stats->run_ticks += own_ticks;
  stats->sum_ticks += ticks;
  if (stats->min_ticks < 0 || ticks < stats->min_ticks)
    stats->min_ticks = ticks;
  if (ticks > stats->max_ticks)
    stats->max_ticks = ticks;
}

/* A run whose begin is not known: time, but no example of how long runs are. */
void
_ts_tracker_count_partial_run (TsTaskStats *stats,
                               gint64 own_ticks)
{
  stats->run_ticks += own_ticks;
}

/* An activation; @last_activation is -1 where the one before is not known. */
void
_ts_tracker_count_activation (TsTaskStats *stats,
                              gint64 *last_activation,
                              gint64 time)
{
  if (*last_activation >= 0)
    {
      gint64 period = time - *last_activation;

      stats->n_periods++;
      stats->sum_period += period;
      if (stats->min_period < 0 || period < stats->min_period)
        stats->min_period = period;
      if (period > stats->max_period)
        stats->max_period = period;
    }
  *last_activation = time;
}

/* A sample of a channel. Values that are no number are left out: they would make every figure
 * useless. */
void
_ts_tracker_count_sample (TsTracker *self,
                          TsEntry *entry,
                          gint64 time,
                          double value)
{
  TsTraceStats *stats;
  double delta;

  if (entry->trace < 0)
    {
      TsTraceStats fresh = { .object = entry->id };

      g_array_append_val (self->trace_stats, fresh);
      entry->trace = (gint) self->trace_stats->len - 1;
    }

  if (!isfinite (value))
    return;

  stats = &g_array_index (self->trace_stats, TsTraceStats, entry->trace);
  if (stats->count == 0)
    {
      stats->min = value;
      stats->max = value;
      stats->first_time = time;
    }
  stats->count++;
  stats->min = MIN (stats->min, value);
  stats->max = MAX (stats->max, value);
  stats->last = value;
  stats->last_time = time;
  delta = value - stats->mean;
  stats->mean += delta / (double) stats->count;
  stats->m2 += delta * (value - stats->mean);
  stats->sum_squares += value * value;
}

/**
 * ts_tracker_get_task_stats:
 * @self: a tracker
 * @n_stats: (out): how many
 *
 * Figures of every task announced and every interrupt, span and scheduler lane seen, in order of
 * appearance. A run that is still open, or whose end was lost, counts in @run_count but in
 * nothing else.
 *
 * Units: ticks
 * Thread: owner
 * Source: events.md section 3 (run_count, min, avg, max)
 *
 * Returns: (transfer none) (array length=n_stats): valid until the next events
 */
const TsTaskStats *
ts_tracker_get_task_stats (TsTracker *self,
                           guint *n_stats)
{
  g_return_val_if_fail (self != NULL && n_stats != NULL, NULL);

  *n_stats = self->task_stats->len;
  return (const TsTaskStats *) (gpointer) self->task_stats->data;
}

/**
 * ts_tracker_get_trace_stats:
 * @self: a tracker
 * @n_stats: (out): how many
 *
 * Figures of every channel that carries values: user traces, counters, heaps and gauges, toggles
 * and pins (as 0 and 1). Variance is
 * @m2 / @count. Samples that are not finite are left out.
 *
 * Thread: owner
 *
 * Returns: (transfer none) (array length=n_stats): valid until the next events
 */
const TsTraceStats *
ts_tracker_get_trace_stats (TsTracker *self,
                            guint *n_stats)
{
  g_return_val_if_fail (self != NULL && n_stats != NULL, NULL);

  *n_stats = self->trace_stats->len;
  return (const TsTraceStats *) (gpointer) self->trace_stats->data;
}

/**
 * ts_tracker_get_core_stats:
 * @self: a tracker
 * @core: processor, below ts_tracker_get_n_cores()
 * @stats: (out caller-allocates): its totals up to the newest event
 *
 * Busy is everything but the idle task itself: other tasks, the scheduler, interrupts. Known is
 * the time in which it is clear what the CPU did; a source without task switches is taken for
 * bare metal, where outside of interrupts the CPU counts as not busy, and all time but losses is
 * known. So it is of an excerpt, in which only the lanes that were chosen count.
 *
 * Thread: owner
 */
void
ts_tracker_get_core_stats (TsTracker *self,
                           guint core_index,
                           TsCoreStats *stats)
{
  const TsCore *core;

  g_return_if_fail (self != NULL && stats != NULL);

  *stats = (TsCoreStats) { 0 };
  if (core_index >= self->cores->len || self->cores->pdata[core_index] == NULL)
    return;

  core = self->cores->pdata[core_index];
  *stats = core->stats;
  if (core->busy_begin >= 0)
    stats->busy_ticks += self->now - core->busy_begin;
  if (core->has_switched && !self->is_excerpt)
    {
      if (core->known_begin >= 0)
        stats->known_ticks += self->now - core->known_begin;
    }
  else
    {
      stats->known_ticks
          = core->span_ticks + (core->span_begin >= 0 ? self->now - core->span_begin : 0);
    }
}

/**
 * ts_tracker_get_n_cores:
 * @self: a tracker
 *
 * Thread: owner
 *
 * Returns: one more than the highest processor number seen
 */
guint
ts_tracker_get_n_cores (TsTracker *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->cores->len;
}
