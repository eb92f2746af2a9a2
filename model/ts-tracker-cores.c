/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tracker-cores.c: processors: when they are busy, and the interrupts that nest on them.
 *
 * Rules: viewalyzer-wire.md section 13.2.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-tracker-state-private.h"

/* Changes of who has the CPU that are kept until an idle task is known. */
#define MAX_PENDING 65536
/* No task: the CPU was not busy. */
#define NOBODY G_MAXUINT32

/* The processor of number @core, made on first use. */
TsCore *
_ts_tracker_add_core (TsTracker *self,
                      guint core_index)
{
  TsCore *core;

  if (core_index >= self->cores->len)
    g_ptr_array_set_size (self->cores, (gint) core_index + 1);
  if (self->cores->pdata[core_index] != NULL)
    return self->cores->pdata[core_index];

  core = g_new0 (TsCore, 1);
  core->index = (guint8) core_index;
  core->rtos_stats = -1;
  core->busy_begin = -1;
  core->known_begin = -1;
  core->span_begin = self->now;
  self->cores->pdata[core_index] = core;
  return core;
}

/* ---- who kept the CPU busy, until it is known which task is the idle one ---- */

/* A task comes to run, and no task is known to be idle: names may come long after the first
 * switches. */
void
_ts_tracker_begin_pending (TsTracker *self,
                           TsCore *core,
                           gint64 time)
{
  core->pending = g_array_new (FALSE, FALSE, sizeof (TsPendingRun));
  core->pending_begin = core->busy_begin >= 0 ? core->busy_begin : time;
  core->is_pending_busy = core->busy_begin >= 0;
  core->pending_owner = 0;
}

/* From @time on it is busy with somebody else, or not. */
static void
note_pending (TsTracker *self,
              TsCore *core,
              gint64 time,
              gboolean is_busy)
{
  guint32 owner = core->is_running && core->running != NULL && !core->is_switching
                          && core->n_interrupts == 0
                      ? core->running->id
                      : 0;
  TsPendingRun *last = core->pending->len > 0
                           ? &g_array_index (core->pending, TsPendingRun, core->pending->len - 1)
                           : NULL;

  /* A slice ends where the CPU was not busy for no time at all, too. */
  if (!core->is_pending_busy && time == core->pending_begin)
    {
      TsPendingRun nobody = { time, time, NOBODY };

      g_array_append_val (core->pending, nobody);
    }
  else if (core->is_pending_busy && (time > core->pending_begin || core->pending_owner != 0))
    {
      if (last != NULL && last->end == core->pending_begin && last->owner == core->pending_owner)
        last->end = time;
      else
        {
          TsPendingRun run = { core->pending_begin, time, core->pending_owner };

          g_array_append_val (core->pending, run);
        }
    }
  core->pending_begin = time;
  core->pending_owner = owner;
  core->is_pending_busy = is_busy;
  /* There may be no idle task at all. */
  if (core->pending->len > MAX_PENDING)
    _ts_tracker_end_pending (self, core, time, 0);
}

/**
 * _ts_tracker_end_pending:
 * @self: a tracker
 * @core: a processor
 * @time: now
 * @idle: its idle task; 0: there is none
 *
 * Gives the CPU lane what it had to wait for, and takes the time of the idle task off what counts as
 * busy.
 *
 * Returns: whether anything had to wait
 */
gboolean
_ts_tracker_end_pending (TsTracker *self,
                         TsCore *core,
                         gint64 time,
                         guint32 idle)
{
  g_autoptr (GArray) pending = g_steal_pointer (&core->pending);
  TsPendingRun rest = { core->pending_begin, time, core->pending_owner };
  TsSlice slice = { .begin = -1, .state = TS_STATE_RUNNING };
  gboolean is_busy = core->is_pending_busy && (idle == 0 || core->pending_owner != idle);

  if (pending == NULL)
    return FALSE;
  if (core->is_pending_busy)
    g_array_append_val (pending, rest);
  for (guint i = 0; i < pending->len; i++)
    {
      const TsPendingRun *run = &g_array_index (pending, TsPendingRun, i);

      gboolean is_idle = run->owner == NOBODY || (idle != 0 && run->owner == idle);

      if (slice.begin >= 0 && (is_idle || slice.end < run->begin))
        {
          if (slice.end > slice.begin)
            ts_lane_store_add_slice (self->store, TS_LANE_ID_CPU (core->index), &slice);
          slice.begin = -1;
        }
      if (is_idle)
        {
          core->stats.busy_ticks -= run->end - run->begin;
          continue;
        }
      if (slice.begin < 0)
        slice.begin = run->begin;
      slice.end = run->end;
    }
  if (core->busy_begin >= 0)
    core->stats.busy_ticks += time - core->busy_begin;
  core->busy_begin = -1;
  if (is_busy)
    {
      core->busy_begin = slice.begin;
      core->stats.busy_ticks -= time - slice.begin;
    }
  else if (slice.begin >= 0 && slice.end > slice.begin)
    ts_lane_store_add_slice (self->store, TS_LANE_ID_CPU (core->index), &slice);
  return TRUE;
}

/* Opens or closes the slice of the CPU lane and the known time after a change at @time. */
void
_ts_tracker_update_busy (TsTracker *self,
                         TsCore *core,
                         gint64 time)
{
  gboolean is_known = core->is_running || core->is_switching || core->n_interrupts > 0;
  gboolean is_busy = core->is_switching || core->n_interrupts > 0 ||
                     (core->is_running && (core->running == NULL || !core->running->is_idle));

  if (is_known != (core->known_begin >= 0))
    {
      if (is_known)
        {
          core->known_begin = time;
        }
      else
        {
          core->stats.known_ticks += time - core->known_begin;
          core->known_begin = -1;
        }
    }

  if (G_UNLIKELY (core->pending != NULL))
    note_pending (self, core, time, is_busy);
  if (is_busy == (core->busy_begin >= 0))
    return;

  if (is_busy)
    {
      if (G_UNLIKELY (!core->has_cpu_lane))
        {
          g_autofree char *name = g_strdup_printf ("CPU %u", core->index);

          _ts_tracker_define_special (self, TS_LANE_ID_CPU (core->index), TS_LANE_CPU, core->index,
                                      name);
          core->has_cpu_lane = TRUE;
        }
      core->busy_begin = time;
    }
  else
    {
      TsSlice slice = { .begin = core->busy_begin, .end = time, .state = TS_STATE_RUNNING };

      if (time > core->busy_begin && core->pending == NULL)
        ts_lane_store_add_slice (self->store, TS_LANE_ID_CPU (core->index), &slice);
      core->stats.busy_ticks += time - core->busy_begin;
      core->busy_begin = -1;
    }
}

/* ---- interrupts ---- */

/**
 * _ts_tracker_push_open:
 * @self: a tracker
 * @entry: an interrupt or exception
 * @stack: those of a processor that are open
 * @n: (inout): how many are open
 * @is_partial: its begin was not seen, so it does not count
 *
 * One begins now.
 *
 * Returns: %FALSE if it is not kept: the object is something else, or too many are open
 */
gboolean
_ts_tracker_push_open (TsTracker *self,
                       TsEntry *entry,
                       TsOpenInterrupt *stack,
                       guint *n,
                       gboolean is_partial)
{
  if (G_UNLIKELY (!entry->has_lane))
    {
      _ts_tracker_define_lane (self, entry, TS_LANE_ISR);
      entry->stats = _ts_tracker_add_task_stats (self, entry->id, entry->id);
    }
  if (entry->kind != TS_LANE_ISR)
    return FALSE;

  if (!is_partial)
    {
      TsTaskStats *stats = _ts_tracker_stats (self, entry->stats);

      stats->run_count++;
      _ts_tracker_count_activation (stats, &entry->last_activation, self->now);
    }
  if (*n == TS_MAX_NESTING)
    return FALSE;
  stack[(*n)++] = (TsOpenInterrupt){ entry, self->now, 0, entry->n_begins++, is_partial };
  return TRUE;
}

/**
 * _ts_tracker_pop_open:
 * @self: a tracker
 * @stack: interrupts or exceptions of a processor
 * @n: (inout): how many are open, at least one
 * @time: when the innermost ends
 * @is_complete: its end was told, so it counts
 * @kind_flags: of its slice
 *
 * The innermost one ends.
 *
 * Returns: how long it took
 */
gint64
_ts_tracker_pop_open (TsTracker *self,
                      TsOpenInterrupt *stack,
                      guint *n,
                      gint64 time,
                      gboolean is_complete,
                      guint kind_flags)
{
  TsOpenInterrupt *open = &stack[--*n];
  TsEntry *entry = open->entry;
  gint64 ticks = time - open->begin;
  TsSlice slice = { .begin = open->begin,
                    .end = time,
                    .arg = _ts_tracker_ticks_arg (open->nested),
                    .state = TS_STATE_RUNNING,
                    .depth = (guint8) open->depth,
                    .kind = (guint16) kind_flags };

  ts_lane_store_add_slice (self->store, entry->id, &slice);
  entry->n_begins--;
  if (is_complete && open->is_partial)
    _ts_tracker_count_partial_run (_ts_tracker_stats (self, entry->stats), ticks - open->nested);
  else if (is_complete)
    _ts_tracker_count_run (_ts_tracker_stats (self, entry->stats), ticks, ticks - open->nested);

  if (*n > 0)
    {
      stack[*n - 1].nested += ticks;
      ts_lane_store_add_ticks (self->store, stack[*n - 1].entry->id, TS_STATE_INTERRUPTED,
                               open->begin, time);
    }
  return ticks;
}

/* The innermost interrupt ends. @is_complete: by its own exit, so it counts. */
static void
pop_interrupt (TsTracker *self,
               TsCore *core,
               gint64 time,
               gboolean is_complete,
               guint kind_flags)
{
  gint64 ticks = _ts_tracker_pop_open (self, core->interrupts, &core->n_interrupts, time,
                                       is_complete, kind_flags);

  if (core->n_interrupts > 0)
    return;
  core->interrupt_ticks += ticks;
  if (core->running != NULL)
    ts_lane_store_add_ticks (self->store, core->running->id, TS_STATE_INTERRUPTED, time - ticks,
                             time);
}

/* Ends all interrupts whose exits never came. */
void
_ts_tracker_close_interrupts (TsTracker *self,
                              TsCore *core,
                              gint64 time,
                              guint kind_flags)
{
  while (core->n_interrupts > 0)
    pop_interrupt (self, core, time, FALSE, kind_flags);
  core->n_ignored = 0;
}

/* Enter and exit of an interrupt. An exit ends the innermost enter of its id and whatever was
 * entered after that; one without an enter is ignored. Source: viewalyzer-wire.md section 13.2.
 * */
void
_ts_tracker_interrupt (TsTracker *self,
                       TsCore *core,
                       const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  guint at;

  if (entry == NULL)
    return;

  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      if (!_ts_tracker_push_open (self, entry, core->interrupts, &core->n_interrupts,
                                  (event->flags & TS_EVENT_FLAG_SYNTHETIC) != 0))
        {
          core->n_ignored += entry->kind == TS_LANE_ISR;
          return;
        }
      _ts_tracker_update_busy (self, core, self->now);
      return;
    }

  if (core->n_ignored > 0)
    {
      core->n_ignored--;
      return;
    }
  for (at = core->n_interrupts; at > 0; at--)
    if (core->interrupts[at - 1].entry == entry)
      break;
  if (at == 0)
    return;
  while (core->n_interrupts > at)
    pop_interrupt (self, core, self->now, FALSE, 0);
  pop_interrupt (self, core, self->now, TRUE, 0);
  _ts_tracker_update_busy (self, core, self->now);
}

/* End of the recording for a processor; before its tasks. */
void
_ts_tracker_finish_core (TsTracker *self,
                         TsCore *core,
                         gint64 end)
{
  _ts_tracker_close_interrupts (self, core, end, TS_SLICE_OPEN);
  if (core->is_switching && core->has_rtos_lane)
    {
      TsSlice slice = {
        .begin = core->switch_begin, .end = end, .state = TS_STATE_RUNNING, .kind = TS_SLICE_OPEN
      };

      slice.arg = _ts_tracker_ticks_arg (core->interrupt_ticks - core->switch_interrupts);
      ts_lane_store_add_slice (self->store, TS_LANE_ID_RTOS (core->index), &slice);
    }
  _ts_tracker_end_pending (self, core, end, 0);
  if (core->busy_begin >= 0)
    {
      TsSlice slice = {
        .begin = core->busy_begin, .end = end, .state = TS_STATE_RUNNING, .kind = TS_SLICE_OPEN
      };

      ts_lane_store_add_slice (self->store, TS_LANE_ID_CPU (core->index), &slice);
      core->stats.busy_ticks += end - core->busy_begin;
      core->busy_begin = -1;
    }
  if (core->known_begin >= 0)
    core->stats.known_ticks += end - core->known_begin;
  core->known_begin = -1;
  core->running = NULL;
  core->last_out = NULL;
  core->is_running = FALSE;
  core->is_switching = FALSE;
  core->is_watching = FALSE;
}

/* Shows live readers what a processor is doing: its CPU and scheduler lanes, and its interrupts. */
void
_ts_tracker_publish_core (TsTracker *self,
                          const TsCore *core)
{
  TsSlice open = { .end = G_MAXINT64, .state = TS_STATE_RUNNING };

  if (core->has_cpu_lane)
    {
      open.begin = core->busy_begin;
      ts_lane_store_set_open_slices (self->store, TS_LANE_ID_CPU (core->index), &open,
                                     core->busy_begin >= 0 ? 1 : 0);
    }
  if (core->has_rtos_lane)
    {
      open.begin = core->switch_begin;
      open.arg = _ts_tracker_ticks_arg (_ts_core_interrupt_ticks (self, core)
                                        - core->switch_interrupts);
      ts_lane_store_set_open_slices (self->store, TS_LANE_ID_RTOS (core->index), &open,
                                     core->is_switching ? 1 : 0);
    }

  for (guint i = 0; i < core->n_interrupts; i++)
    {
      const TsEntry *entry = core->interrupts[i].entry;
      TsSlice nested[TS_LANE_MAX_OPEN] = { { 0 } };
      guint n_nested = 0;

      for (guint k = 0; k < core->n_interrupts && n_nested < TS_LANE_MAX_OPEN; k++)
        if (core->interrupts[k].entry == entry)
          nested[n_nested++] = (TsSlice){ .begin = core->interrupts[k].begin,
                                          .end = G_MAXINT64,
                                          .arg = _ts_tracker_ticks_arg (_ts_open_nested_ticks (
                                              self, core->interrupts, core->n_interrupts, k)),
                                          .state = TS_STATE_RUNNING,
                                          .depth = (guint8) core->interrupts[k].depth };
      ts_lane_store_set_open_slices (self->store, entry->id, nested, n_nested);
    }
}
