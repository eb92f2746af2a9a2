/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tracker-tasks.c: who has the CPU, why the others wait, and what interrupts take of it.
 *
 * Rules: viewalyzer-wire.md sections 13.1, 13.2, 13.4, 13.7 and 13.8. Before recorder 1.2.0
 * nothing tells why a task left the CPU, so the slice of such a wait is held back until the
 * task's first act after it runs again: a task that begins with a take was waiting for what it
 * takes.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-tracker-state-private.h"

/* Value of a task_state event. Source: viewalyzer-wire.md section 7. */
enum
{
  WIRE_READY = 1,
  WIRE_BLOCKED = 3,
  WIRE_SLEEPING = 4,
  WIRE_SUSPENDED = 5,
  WIRE_DELETED = 6,
};

/* ---- slices of tasks ---- */

static void
add_task_slice (TsTracker *self,
                const TsEntry *task,
                gint64 begin,
                gint64 end,
                guint state,
                guint32 arg,
                guint kind)
{
  TsSlice slice
      = { .begin = begin, .end = end, .arg = arg, .state = (guint8) state, .kind = (guint16) kind };

  /* A run is never hidden; any other state that lasted no tick says nothing. */
  if (state != TS_STATE_NONE && (end > begin || state == TS_STATE_RUNNING))
    {
      ts_lane_store_add_slice (self->store, task->id, &slice);
      if (self->comms != NULL && state != TS_STATE_RUNNING && state != TS_STATE_READY)
        _ts_comms_feed_wait (self->comms, task->id, &slice);
    }
}

/* A wait for @arg from @begin to @end: ready from the moment it was given, if that is known. */
static void
add_wait (TsTracker *self,
          const TsEntry *task,
          gint64 begin,
          gint64 end,
          guint32 arg)
{
  const TsEntry *object = _ts_tracker_entry (self, arg);
  gint64 given = object != NULL ? object->first_give : -1;

  if (given < begin || given > end)
    given = end;
  add_task_slice (self, task, begin, given, TS_STATE_BLOCKED, arg, 0);
  add_task_slice (self, task, given, end, TS_STATE_READY, 0, 0);
}

static void
update_watch (TsCore *core)
{
  core->is_watching = core->running != NULL && (core->running->has_wait || core->running->has_next);
}

static void
count_preemption (TsTracker *self,
                  TsCore *core,
                  TsEntry *task)
{
  _ts_tracker_stats (self, task->stats)->preemptions++;
  core->stats.preemptions++;
}

/* Whether a task that leaves the CPU for this state has done what it was activated for. A wait for
 * a lock is part of the work that needs it. */
static gboolean
ends_activation (TsTracker *self,
                 guint state,
                 guint32 arg)
{
  const TsEntry *object = state == TS_STATE_BLOCKED ? _ts_tracker_entry (self, arg) : NULL;

  if (object != NULL
      && (object->object->type == TS_OBJECT_MUTEX
          || object->object->type == TS_OBJECT_RECURSIVE_MUTEX))
    return FALSE;
  return state == TS_STATE_BLOCKED || state == TS_STATE_SLEEPING || state == TS_STATE_SUSPENDED;
}

/* What a wait that is over was: blocked on @arg, or preempted. */
static void
explain_wait (TsTracker *self,
              TsCore *core,
              TsEntry *task,
              guint state,
              guint32 arg)
{
  if (!task->has_wait)
    return;

  task->has_wait = FALSE;
  if (state == TS_STATE_READY)
    {
      add_task_slice (self, task, task->wait_begin, task->wait_end, TS_STATE_READY, 0, 0);
      count_preemption (self, core, task);
    }
  else
    {
      if (state == TS_STATE_BLOCKED)
        add_wait (self, task, task->wait_begin, task->wait_end, arg);
      else
        add_task_slice (self, task, task->wait_begin, task->wait_end, state, arg, 0);
      if (ends_activation (self, state, arg))
        _ts_tracker_count_activation (_ts_tracker_stats (self, task->stats),
                                      &task->last_activation, task->wait_end);
    }
  update_watch (core);
}

/* No act told what the wait was. */
static void
guess_wait (TsTracker *self,
            TsCore *core,
            TsEntry *task)
{
  explain_wait (self, core, task, task->was_preempted ? TS_STATE_READY : TS_STATE_BLOCKED, 0);
}

/* The open slice of a task that is off the CPU ends; a new state begins. */
static void
change_state (TsTracker *self,
              TsEntry *task,
              gint64 time,
              guint state,
              guint32 arg)
{
  if (task->state == TS_STATE_BLOCKED && task->arg != 0)
    add_wait (self, task, task->since, time, task->arg);
  else
    add_task_slice (self, task, task->since, time, task->state, task->arg, 0);
  task->state = (guint8) state;
  task->arg = arg;
  task->since = time;
  task->is_guess = FALSE;
  if (ends_activation (self, state, arg))
    task->was_waiting = TRUE;
}

/* ---- switches ---- */

/* Whether @task would be preferred to @other. */
static gboolean
is_more_urgent (const TsTracker *self,
                const TsEntry *task,
                const TsEntry *other)
{
  if (task->priority == TS_OBJECT_UNKNOWN || other->priority == TS_OBJECT_UNKNOWN || task->is_idle)
    return FALSE;
  if (other->is_idle)
    return TRUE;
  return self->smaller_is_urgent ? task->priority < other->priority
                                 : task->priority > other->priority;
}

/* The running task leaves the CPU at @time. */
static void
end_run (TsTracker *self,
         TsCore *core,
         gint64 time)
{
  TsEntry *task = core->running;
  gint64 interrupted;
  gint64 net;

  _ts_tracker_close_interrupts (self, core, time, 0);
  core->is_running = FALSE;
  core->running = NULL;
  core->is_watching = FALSE;
  if (task == NULL)
    return;

  task->on_core = -1;
  guess_wait (self, core, task);
  interrupted = core->interrupt_ticks - task->interrupts_at_in;
  add_task_slice (self, task, task->since, time, TS_STATE_RUNNING,
                  _ts_tracker_ticks_arg (interrupted), 0);
  net = time - task->since - interrupted;
  if (task->is_partial)
    _ts_tracker_count_partial_run (_ts_tracker_stats (self, task->stats), net);
  else
    _ts_tracker_count_run (_ts_tracker_stats (self, task->stats), net, net);
  task->is_partial = FALSE;

  task->since = time;
  task->was_waiting = FALSE;
  task->was_preempted = FALSE;
  if (task->has_next)
    {
      task->state = task->next_state;
      task->arg = task->next_arg;
      task->is_guess = FALSE;
      task->was_waiting = ends_activation (self, task->state, task->arg);
      if (task->state == TS_STATE_READY)
        count_preemption (self, core, task);
    }
  else
    {
      task->state = TS_STATE_BLOCKED;
      task->arg = 0;
      task->is_guess = TRUE;
    }
  task->has_next = FALSE;
  core->last_out = task;
}

/* The processor that @task runs on; NULL if it is off the CPU. */
static TsCore *
get_core_of (const TsTracker *self,
             const TsEntry *task)
{
  return task->on_core >= 0 ? self->cores->pdata[task->on_core] : NULL;
}

/* A task appears on a processor while it still runs on another: that one's switch was lost. */
static void
leave_other_core (TsTracker *self,
                  TsEntry *task,
                  gint64 time)
{
  TsCore *other = get_core_of (self, task);

  end_run (self, other, time);
  other->last_out = NULL;
  _ts_tracker_update_busy (self, other, time);
}

static void
switch_out (TsTracker *self,
            TsCore *core,
            TsEntry *task)
{
  gint64 time = self->now;
  /* A task that was told to be deleted leaves without a state and keeps none. */
  gboolean was_known = core->is_running && core->running == task;

  if (core->is_running)
    end_run (self, core, time);
  else
    _ts_tracker_close_interrupts (self, core, time, 0);

  /* A task that was not known to run (joined in the middle, after a loss): from now on it is off
   * the CPU. */
  if (task != NULL && !was_known && task->state == TS_STATE_NONE && task->kind == TS_LANE_TASK)
    {
      task->state = task->has_next ? task->next_state : TS_STATE_BLOCKED;
      task->arg = task->has_next ? task->next_arg : 0;
      task->is_guess = !task->has_next;
      task->has_next = FALSE;
      task->was_waiting = FALSE;
      task->was_preempted = FALSE;
      task->since = time;
      core->last_out = task;
    }

  core->is_switching = !self->is_excerpt;
  core->switch_begin = time;
  core->switch_interrupts = core->interrupt_ticks;
  _ts_tracker_update_busy (self, core, time);
}

static char *
name_for_core (const char *name,
               guint core)
{
  return core == 0 ? g_strdup (name) : g_strdup_printf ("%s %u", name, core);
}

/* The scheduler is done: its slice and figures. */
static void
end_switch (TsTracker *self,
            TsCore *core,
            gint64 time)
{
  gint64 interrupted = core->interrupt_ticks - core->switch_interrupts;
  TsSlice slice = { .begin = core->switch_begin,
                    .end = time,
                    .arg = _ts_tracker_ticks_arg (interrupted),
                    .state = TS_STATE_RUNNING };
  TsTaskStats *stats;

  if (!core->has_rtos_lane)
    {
      g_autofree char *name = name_for_core ("_RTOS_", core->index);

      _ts_tracker_define_special (self, TS_LANE_ID_RTOS (core->index), TS_LANE_RTOS, core->index,
                                  name);
      core->rtos_stats = _ts_tracker_add_task_stats (self, TS_LANE_ID_RTOS (core->index), 0);
      core->has_rtos_lane = TRUE;
    }
  ts_lane_store_add_slice (self->store, TS_LANE_ID_RTOS (core->index), &slice);

  stats = _ts_tracker_stats (self, core->rtos_stats);
  stats->run_count++;
  _ts_tracker_count_run (stats, time - core->switch_begin,
                         time - core->switch_begin - interrupted);
  core->is_switching = FALSE;
}

/* What the task that was switched out last is doing, now that its successor is known. */
static void
judge_last_out (TsTracker *self,
                TsCore *core,
                const TsEntry *next)
{
  TsEntry *last = core->last_out;

  core->last_out = NULL;
  if (last == NULL || !last->is_guess || last == next || next == NULL)
    return;

  if (is_more_urgent (self, next, last))
    last->was_preempted = TRUE;
  /* A recorder that tells states tells of every wait before the switch. */
  if (self->has_task_states)
    last->was_preempted = TRUE;
  if (last->was_preempted)
    last->state = TS_STATE_READY;
}

static void
switch_in (TsTracker *self,
           TsCore *core,
           TsEntry *task,
           gboolean is_counted)
{
  gint64 time = self->now;
  gboolean is_same = task != NULL && core->last_out == task;
  gboolean is_chosen_again;
  TsTaskStats *stats;

  if (core->is_running)
    end_run (self, core, time);
  if (G_UNLIKELY (task != NULL && task->on_core >= 0))
    leave_other_core (self, task, time);
  _ts_tracker_close_interrupts (self, core, time, 0);
  is_chosen_again = is_same && core->is_switching && task->since == core->switch_begin;
  if (core->is_switching)
    end_switch (self, core, time);
  judge_last_out (self, core, task);

  if (G_UNLIKELY (!core->has_switched && !self->has_idle))
    _ts_tracker_begin_pending (self, core, time);
  core->has_switched = TRUE;
  core->is_running = TRUE;
  core->running = task;
  if (is_counted)
    core->stats.context_switches++;

  if (task != NULL && task->kind == TS_LANE_TASK)
    {
      stats = _ts_tracker_stats (self, task->stats);
      if (is_counted)
        stats->run_count++;

      task->is_partial = !is_counted && task->state == TS_STATE_NONE;
      if (task->state == TS_STATE_NONE)
        {
          if (is_counted)
            _ts_tracker_count_activation (stats, &task->last_activation, time);
        }
      else if (!task->is_guess)
        {
          gboolean was_waiting = task->was_waiting;

          if (is_chosen_again && task->state == TS_STATE_READY)
            task->arg = TS_SLICE_CHOSEN_AGAIN;
          change_state (self, task, time, TS_STATE_RUNNING, 0);
          if (was_waiting)
            _ts_tracker_count_activation (stats, &task->last_activation, time);
        }
      else if (is_same)
        {
          /* Out and in again with nobody between: it never stopped wanting the CPU. */
          add_task_slice (self, task, task->since, time, TS_STATE_READY,
                          is_chosen_again ? TS_SLICE_CHOSEN_AGAIN : 0, 0);
        }
      else
        {
          task->has_wait = TRUE;
          task->wait_begin = task->since;
          task->wait_end = time;
        }
      task->state = TS_STATE_RUNNING;
      task->arg = 0;
      task->since = time;
      task->is_guess = FALSE;
      task->has_next = FALSE;
      task->interrupts_at_in = core->interrupt_ticks;
      task->on_core = core->index;
    }
  update_watch (core);
  _ts_tracker_update_busy (self, core, time);
}

/* Source: viewalyzer-wire.md section 13.1. */
void
_ts_tracker_task_switch (TsTracker *self,
                         TsCore *core,
                         const TsEvent *event)
{
  TsEntry *task = _ts_tracker_entry (self, event->object);

  if (task != NULL && G_UNLIKELY (!task->has_lane))
    _ts_tracker_define_lane (self, task, TS_LANE_TASK);
  if (task != NULL && task->kind != TS_LANE_TASK)
    task = NULL;

  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    switch_in (self, core, task, (event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0);
  else
    switch_out (self, core, task);
}

/* ---- why tasks wait ---- */

static void
declare_next (TsCore *core,
              TsEntry *task,
              guint state,
              guint32 arg)
{
  task->has_next = TRUE;
  task->next_state = (guint8) state;
  task->next_arg = arg;
  update_watch (core);
}

/* Falls asleep, or sleep over. Source: viewalyzer-wire.md section 13.4. */
void
_ts_tracker_sleep (TsTracker *self,
                   TsCore *core,
                   const TsEvent *event)
{
  TsEntry *task = _ts_tracker_entry (self, event->object);
  TsCore *running_on;

  if (task == NULL || task->kind != TS_LANE_TASK || !task->has_lane)
    return;

  running_on = get_core_of (self, task);
  if (running_on != NULL)
    {
      if ((event->flags & TS_EVENT_FLAG_START) != 0)
        {
          guess_wait (self, running_on, task);
          declare_next (running_on, task, TS_STATE_SLEEPING, 0);
        }
      else
        {
          /* The end of its sleep is its first act: it slept. */
          explain_wait (self, running_on, task, TS_STATE_SLEEPING, 0);
          task->has_next = FALSE;
          update_watch (running_on);
        }
    }
  else if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      /* Suspended by another. */
      if (task->state != TS_STATE_SUSPENDED)
        change_state (self, task, self->now, TS_STATE_SLEEPING, 0);
    }
  else if (!core->is_switching
           && (task->state == TS_STATE_SLEEPING || task->state == TS_STATE_SUSPENDED))
    {
      /* Resumed by another. Within a switch it is the task about to run: its sleep lasts until
       * then. */
      change_state (self, task, self->now, TS_STATE_READY, 0);
    }
  else if (core->is_switching && task->is_guess)
    {
      task->is_guess = FALSE;
      task->state = TS_STATE_SLEEPING;
      task->was_waiting = TRUE;
    }
}

/* State told by the recorder. Source: viewalyzer-wire.md sections 5.3, 13.7. */
void
_ts_tracker_task_state (TsTracker *self,
                        TsCore *core,
                        const TsEvent *event)
{
  TsEntry *task = _ts_tracker_entry (self, event->object);
  TsCore *running_on;
  guint32 arg = 0;
  guint state;
  guint now_state;

  if (task == NULL)
    return;
  if (!task->has_lane)
    _ts_tracker_define_lane (self, task, TS_LANE_TASK);
  if (task->kind != TS_LANE_TASK)
    return;

  /* A state carried into a part of a recording does not mean that the recorder tells states. */
  if ((event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0)
    self->has_task_states = TRUE;
  switch (event->value & 0xFF)
    {
    case WIRE_READY:
      state = TS_STATE_READY;
      break;
    case WIRE_BLOCKED:
      state = TS_STATE_BLOCKED;
      arg = (guint32) ts_event_get_detail (event);
      break;
    case WIRE_SLEEPING:
      state = TS_STATE_SLEEPING;
      break;
    case WIRE_SUSPENDED:
      state = TS_STATE_SUSPENDED;
      break;
    case WIRE_DELETED:
      state = TS_STATE_NONE;
      break;
    default:
      return;
    }

  running_on = get_core_of (self, task);
  if (running_on != NULL)
    {
      now_state = task->has_next ? task->next_state : TS_STATE_RUNNING;
      if (state == TS_STATE_BLOCKED
          && (now_state == TS_STATE_SLEEPING || now_state == TS_STATE_SUSPENDED))
        return;
      guess_wait (self, running_on, task);
      declare_next (running_on, task, state, arg);
      return;
    }

  now_state = task->state;
  if (state == TS_STATE_BLOCKED
      && (now_state == TS_STATE_SLEEPING || now_state == TS_STATE_SUSPENDED))
    return;

  if (task->is_guess && core->is_switching && core->last_out == task)
    {
      /* Right behind its switch-out: what it has been since then. */
      task->is_guess = FALSE;
      task->state = (guint8) state;
      task->arg = arg;
      task->was_waiting = ends_activation (self, state, arg);
      if (state == TS_STATE_READY)
        count_preemption (self, core, task);
      return;
    }
  change_state (self, task, self->now, state, arg);
}

/* @value is about to wait for the mutex. Source: viewalyzer-wire.md section 13.4. */
void
_ts_tracker_contention (TsTracker *self,
                        const TsEvent *event)
{
  TsEntry *task = _ts_tracker_entry (self, (guint32) event->value);
  TsCore *running_on;

  if (task == NULL || task->kind != TS_LANE_TASK || !task->has_lane)
    return;

  if ((event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0)
    _ts_tracker_stats (self, task->stats)->mutex_contentions++;
  running_on = get_core_of (self, task);
  if (running_on != NULL)
    {
      guess_wait (self, running_on, task);
      declare_next (running_on, task, TS_STATE_BLOCKED, event->object);
    }
}

/* A notification is given to @detail, or taken by @object. Source: viewalyzer-wire.md sections
 * 5.1, 13.4. */
void
_ts_tracker_notify (TsTracker *self,
                    const TsEvent *event)
{
  gboolean is_give = (event->flags & TS_EVENT_FLAG_START) != 0;
  TsEntry *receiver
      = _ts_tracker_entry (self, is_give ? (guint32) ts_event_get_detail (event) : event->object);

  if (receiver == NULL)
    return;
  if (!is_give)
    receiver->first_give = -1;
  else if (receiver->first_give < 0)
    receiver->first_give = self->now;
}

/* The running task did something, outside of interrupts: explains the wait before, if there is
 * one to explain.
 * Source: viewalyzer-wire.md section 13.8 item 2. */
void
_ts_tracker_act (TsTracker *self,
                 TsCore *core,
                 const TsEvent *event)
{
  TsEntry *task = core->running;
  gboolean is_take;

  switch (event->kind)
    {
    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_QUEUE:
    case TS_EVENT_EVENT_FLAG:
      is_take = (event->flags & TS_EVENT_FLAG_START) == 0;
      break;

    case TS_EVENT_MUTEX:
      is_take = ((event->flags & TS_EVENT_FLAG_START) != 0)
                == ((event->flags & TS_EVENT_FLAG_START_TAKES) != 0);
      break;

    case TS_EVENT_OP_FAILED:
      is_take = TRUE;
      break;

    case TS_EVENT_TASK_NOTIFY:
      is_take = (event->flags & TS_EVENT_FLAG_START) == 0 && event->object == task->id;
      break;

    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_SEQ_CHECKPOINT:
    case TS_EVENT_MUTEX_CONTENTION:
      /* Of the kernel's or the recorder's own; contention is handled where it is declared. */
      return;

    default:
      if (event->kind >= 0x100)
        return;
      is_take = FALSE;
      break;
    }

  if (is_take && event->object != 0)
    explain_wait (self, core, task, TS_STATE_BLOCKED, event->object);
  else
    guess_wait (self, core, task);

  /* It told of a wait and then went on without one. */
  task->has_next = FALSE;
  update_watch (core);
}

/* It turns out that @task is an idle task, or is not: names may come long after the first
 * switches. The figures are put right, and so is the CPU lane if no idle task was known before, for
 * as long as it waits; else it is from now on. */
void
_ts_tracker_set_idle (TsTracker *self,
                      TsEntry *task,
                      gboolean is_idle)
{
  TsCore *core = get_core_of (self, task);
  gint64 ticks;

  if (is_idle == (task->is_idle != FALSE))
    return;

  task->is_idle = is_idle != FALSE;
  self->has_idle |= is_idle != FALSE;
  if (task->stats < 0)
    {
      /* It has not run: all that did is something else. */
      if (is_idle && task->core < self->cores->len && self->cores->pdata[task->core] != NULL)
        _ts_tracker_end_pending (self, self->cores->pdata[task->core], self->now, task->id);
      return;
    }

  ticks = _ts_tracker_stats (self, task->stats)->run_ticks;
  if (core != NULL)
    ticks += self->now - task->since - (core->interrupt_ticks - task->interrupts_at_in) -
             (core->n_interrupts > 0 ? self->now - core->interrupts[0].begin : 0);
  else if (task->core < self->cores->len)
    core = self->cores->pdata[task->core];
  /* A processor of which nothing is known yet has nothing to put right. */
  if (core == NULL)
    return;
  if (!is_idle || !_ts_tracker_end_pending (self, core, self->now, task->id))
    core->stats.busy_ticks += is_idle ? -ticks : ticks;
  _ts_tracker_update_busy (self, core, self->now);
}

/* ---- losses, end, live view ---- */

/* Nothing is known of the tasks and interrupts of @core from @time on, until the next switch-in.
 * Source: viewalyzer-wire.md section 13.8 item 8. */
void
_ts_tracker_forget_core (TsTracker *self,
                         TsCore *core,
                         gint64 time)
{
  _ts_tracker_close_interrupts (self, core, time, 0);
  for (guint i = 0; i < self->entries->len; i++)
    {
      TsEntry *entry = self->entries->pdata[i];

      if (entry == NULL || (entry->on_core >= 0 ? entry->on_core : entry->core) != core->index)
        continue;

      entry->last_activation = -1;
      entry->first_give = -1;
      if (!entry->has_lane)
        continue;
      if (entry->kind == TS_LANE_SPAN)
        _ts_tracker_close_spans (self, entry, time, 0);
      if (entry->kind != TS_LANE_TASK)
        continue;

      if (entry->has_wait)
        guess_wait (self, core, entry);
      if (entry->state != TS_STATE_NONE)
        change_state (self, entry, time, TS_STATE_NONE, 0);
      entry->last_activation = -1;
      entry->has_next = FALSE;
      entry->was_waiting = FALSE;
      entry->on_core = -1;
    }

  core->running = NULL;
  core->last_out = NULL;
  core->is_running = FALSE;
  core->is_switching = FALSE;
  core->is_watching = FALSE;
  _ts_tracker_update_busy (self, core, time);
  if (core->span_begin >= 0)
    core->span_ticks += time - core->span_begin;
  core->span_begin = -1;
}

/* The argument of a task's open slice. */
static guint32
get_open_arg (const TsTracker *self,
              const TsCore *core,
              const TsEntry *task)
{
  if (task->state != TS_STATE_RUNNING || core == NULL)
    return task->arg;
  return _ts_tracker_ticks_arg (_ts_core_interrupt_ticks (self, core) - task->interrupts_at_in);
}

/* End of the recording for a task; after the processors. */
void
_ts_tracker_finish_task (TsTracker *self,
                         TsEntry *task,
                         gint64 end)
{
  const TsCore *core = get_core_of (self, task);

  if (task->has_wait)
    guess_wait (self, _ts_tracker_add_core (self, task->core), task);
  add_task_slice (self, task, task->since, end, task->state, get_open_arg (self, core, task),
                  TS_SLICE_OPEN);
  task->state = TS_STATE_NONE;
  task->on_core = -1;
}

/* Shows live readers a task's open slice, and before it a wait that is not explained yet. */
void
_ts_tracker_publish_task (TsTracker *self,
                          const TsEntry *task)
{
  TsSlice open[2] = { { 0 } };
  guint n_open = 0;

  if (task->has_wait)
    open[n_open++] = (TsSlice) { .begin = task->wait_begin, .end = task->wait_end,
                                 .state = task->was_preempted ? TS_STATE_READY : TS_STATE_BLOCKED };
  if (task->state != TS_STATE_NONE)
    open[n_open++] = (TsSlice){
      .begin = task->since, .end = G_MAXINT64, .state = task->state,
      .arg = get_open_arg (self, get_core_of (self, task), task)
    };
  ts_lane_store_set_open_slices (self->store, task->id, open, n_open);
}
