/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tracker.c: events in, states out: dispatch of events, objects and their lanes. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-recording-schema.h"
#include "ts-tracker-state-private.h"

/* Latest time that lanes can hold. */
#define LAST_TIME (((gint64) 1 << 60) - 1)

static void
entry_free (gpointer data)
{
  TsEntry *entry = data;

  if (entry == NULL)
    return;
  ts_object_free (entry->object);
  g_free (entry->begins);
  g_free (entry);
}

static void
core_free (gpointer data)
{
  TsCore *core = data;

  if (core == NULL)
    return;
  g_clear_pointer (&core->pending, g_array_unref);
  g_free (core);
}

/**
 * ts_tracker_new:
 * @store: where slices go (a reference is taken)
 *
 * Thread: any; then only one
 *
 * Returns: (transfer full): ts_tracker_free()
 */
TsTracker *
ts_tracker_new (TsLaneStore *store)
{
  TsTracker *self;

  g_return_val_if_fail (store != NULL, NULL);

  self = g_new0 (TsTracker, 1);
  self->store = ts_lane_store_ref (store);
  self->clock_hz = TS_SCHEMA_DEFAULT_HZ;
  ts_lane_store_set_clock (store, TS_SCHEMA_DEFAULT_HZ);
  self->rates_due = G_MAXINT64;
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->cores = g_ptr_array_new_with_free_func (core_free);
  self->task_stats = g_array_new (FALSE, FALSE, sizeof (TsTaskStats));
  self->trace_stats = g_array_new (FALSE, FALSE, sizeof (TsTraceStats));
  return self;
}

/**
 * ts_tracker_free:
 * @self: (nullable) (transfer full): a tracker
 *
 * Thread: owner
 */
void
ts_tracker_free (TsTracker *self)
{
  if (self == NULL)
    return;

  _ts_comms_feed_free (self->comms);
  _ts_tracker_free_rates (self);
  g_clear_pointer (&self->tasks_by_name, g_hash_table_unref);
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->cores);
  g_array_unref (self->task_stats);
  g_array_unref (self->trace_stats);
  ts_lane_store_unref (self->store);
  g_free (self);
}

/**
 * ts_tracker_set_os:
 * @self: a tracker
 * @os: (nullable): name of the RTOS, as the stream told it
 *
 * Zephyr calls the smaller priority number the more urgent one; everyone else the larger.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 13.3
 */
void
ts_tracker_set_os (TsTracker *self,
                   const char *os)
{
  g_return_if_fail (self != NULL);

  self->smaller_is_urgent = os != NULL && g_ascii_strncasecmp (os, "zephyr", 6) == 0;
}

/**
 * ts_tracker_set_excerpt:
 * @self: a tracker that has got no event yet
 *
 * The events are those of some lanes only: between a task that leaves and the next that comes others
 * may have run, so that this is no time of the scheduler, and the processor is as busy as those
 * lanes make it.
 *
 * Thread: owner
 */
void
ts_tracker_set_excerpt (TsTracker *self)
{
  g_return_if_fail (self != NULL);

  self->is_excerpt = TRUE;
}

/* ---- communication ---- */

static TsObjectType
get_type (guint32 object,
          gpointer types)
{
  const TsEntry *entry = _ts_tracker_entry (types, object);

  return entry != NULL ? entry->object->type : TS_OBJECT_NONE;
}

static guint32
find_task (const char *name,
           gpointer types)
{
  TsTracker *self = types;

  if (self->tasks_by_name == NULL)
    {
      self->tasks_by_name = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < self->entries->len; i++)
        {
          const TsEntry *entry = self->entries->pdata[i];

          if (entry != NULL && entry->object->type == TS_OBJECT_TASK && entry->object->name != NULL)
            g_hash_table_insert (self->tasks_by_name, entry->object->name,
                                 GUINT_TO_POINTER (entry->id));
        }
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->tasks_by_name, name));
}

/**
 * ts_tracker_keep_comms:
 * @self: a tracker without events yet
 *
 * From now on operations are matched: ts_tracker_get_comms().
 *
 * Cost: some 50 ns an operation on an object, and 20 ns a wait
 * Thread: owner
 */
void
ts_tracker_keep_comms (TsTracker *self)
{
  g_return_if_fail (self != NULL && self->comms == NULL);

  self->comms = _ts_comms_feed_new (get_type, find_task, self);
}

/**
 * ts_tracker_get_comms:
 * @self: a tracker
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): operations matched so far
 */
TsCommsFeed *
ts_tracker_get_comms (TsTracker *self)
{
  return self->comms;
}

static const TsOpenInterrupt *
get_newest (const TsOpenInterrupt *stack,
            guint n,
            const TsOpenInterrupt *found)
{
  for (guint i = 0; i < n; i++)
    if (found == NULL || stack[i].begin > found->begin
        || (stack[i].begin == found->begin && stack[i].entry->id < found->entry->id))
      found = &stack[i];
  return found;
}

/* The handler that was entered last of those that are open; of several in one tick the one with
 * the lowest id, as a walk through lanes has it. */
static guint32
get_interrupt (const TsTracker *self)
{
  const TsOpenInterrupt *found = NULL;

  for (guint i = 0; i < self->cores->len; i++)
    {
      const TsCore *core = self->cores->pdata[i];

      if (core == NULL)
        continue;
      found = get_newest (core->interrupts, core->n_interrupts, found);
      found = get_newest (core->exceptions, core->n_exceptions, found);
    }
  return found != NULL ? found->entry->id : 0;
}

/* ---- lanes ---- */

static void
write_lane (TsTracker *self,
            const TsEntry *entry)
{
  g_autofree char *name = ts_object_dup_lane_name (entry->object);
  TsLaneInfo info = {
    .id = entry->id,
    .kind = (TsLaneKind) entry->kind,
    .core = entry->core,
    .object = entry->id,
    .name = name,
    .priority = entry->kind == TS_LANE_TASK ? entry->priority : TS_OBJECT_UNKNOWN,
    .is_idle = entry->is_idle,
    .type = entry->object->type,
    .color = entry->color,
    .first_seen = entry->first_seen,
  };

  ts_lane_store_define_lane (self->store, &info);
}

/* Gives an object its lane. */
void
_ts_tracker_define_lane (TsTracker *self,
                         TsEntry *entry,
                         TsLaneKind kind)
{
  entry->has_lane = TRUE;
  entry->kind = (guint8) kind;
  entry->color = self->colors[kind]++;
  entry->first_seen = self->now;
  if (kind == TS_LANE_TASK)
    entry->stats = _ts_tracker_add_task_stats (self, entry->id, entry->id);
  write_lane (self, entry);
}

/* Defines a lane without an object. */
void
_ts_tracker_define_special (TsTracker *self,
                            guint32 id,
                            TsLaneKind kind,
                            guint8 core,
                            const char *name)
{
  g_autofree char *copy = g_strdup (name);
  TsLaneInfo info = {
    .id = id,
    .kind = kind,
    .core = core,
    .name = copy,
    .priority = TS_OBJECT_UNKNOWN,
    .color = self->colors[kind]++,
    .first_seen = self->now,
  };

  ts_lane_store_define_lane (self->store, &info);
}

/**
 * ts_tracker_set_object:
 * @self: a tracker
 * @object: an object with its id, new or changed (copied)
 *
 * Tasks get their lane at once; other objects with their first event. Ids are small numbers
 * without big holes.
 *
 * Thread: owner
 */
void
ts_tracker_set_object (TsTracker *self,
                       const TsObject *object)
{
  TsEntry *entry;

  g_return_if_fail (self != NULL && object != NULL);
  g_return_if_fail (object->id > 0 && object->id < TS_LANE_ID_SPECIAL);

  if (object->id >= self->entries->len)
    g_ptr_array_set_size (self->entries, (gint) object->id + 1);

  entry = self->entries->pdata[object->id];
  if (entry == NULL)
    {
      entry = g_new0 (TsEntry, 1);
      entry->id = object->id;
      entry->stats = -1;
      entry->trace = -1;
      entry->on_core = -1;
      entry->last_activation = -1;
      entry->first_give = -1;
      self->entries->pdata[object->id] = entry;
    }

  ts_object_free (entry->object);
  entry->object = ts_object_copy (object);
  if (self->comms != NULL)
    _ts_comms_feed_type_changed (self->comms, object->id, object->type);
  g_clear_pointer (&self->tasks_by_name, g_hash_table_unref);
  entry->priority = object->priority;
  entry->core = object->core;
  ts_lane_store_set_lock (self->store, object->id, ts_object_type_is_lock (object->type));
  _ts_tracker_set_idle (self, entry, object->is_idle);

  if (entry->has_lane)
    write_lane (self, entry);
  else if (object->type == TS_OBJECT_TASK)
    _ts_tracker_define_lane (self, entry, TS_LANE_TASK);
}

/* ---- events ---- */

/* Remembers when an object was first given since it was last taken; tasks that wait for it are
 * ready from then on. */
static inline void
note_give (TsTracker *self,
           const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  gboolean is_give = (event->flags & TS_EVENT_FLAG_START) != 0;

  if (entry == NULL)
    return;
  if (event->kind == TS_EVENT_MUTEX && (event->flags & TS_EVENT_FLAG_START_TAKES) != 0)
    is_give = !is_give;
  if (!is_give)
    entry->first_give = -1;
  else if (entry->first_give < 0)
    entry->first_give = self->now;
}

static void
track_task_data (TsTracker *self,
                 const TsEvent *event)
{
  TsEntry *task = _ts_tracker_entry (self, event->object);

  if (task == NULL || task->kind != TS_LANE_TASK || !task->has_lane)
    return;

  if (event->kind == TS_EVENT_STACK_USAGE)
    {
      TsTaskStats *stats = _ts_tracker_stats (self, task->stats);

      stats->stack_used = MAX (stats->stack_used, event->value);
    }
  else if (task->priority != event->value)
    {
      task->priority = event->value;
      write_lane (self, task);
    }
}

/* An event made by the host. @before: time of the event before it. */
static void
track_host_event (TsTracker *self,
                  TsCore *core,
                  const TsEvent *event,
                  gint64 before)
{
  switch (event->kind)
    {
    case TS_EVENT_DATA_LOSS:
      _ts_tracker_forget_core (self, core, before);
      _ts_tracker_forget_sample (self, core, before);
      _ts_tracker_begin_loss (self, event, before);
      _ts_tracker_forget_rates (self);
      break;

    case TS_EVENT_CORRUPT:
      _ts_tracker_close_exceptions (self, core, before, 0);
      _ts_tracker_forget_sample (self, core, before);
      _ts_tracker_begin_loss (self, event, before);
      _ts_tracker_forget_rates (self);
      break;

    case TS_EVENT_SWO_LOAD:
      _ts_tracker_load (self, core, event);
      break;

    case TS_EVENT_SESSION_START:
      _ts_tracker_forget_core (self, core, before);
      _ts_tracker_forget_sample (self, core, before);
      _ts_tracker_forget_rates (self);
      break;

    default:
      break;
    }
}

/* The running task has something to explain: is this an act of it? What trace hardware tells is
 * none. */
static void
watch_event (TsTracker *self,
             TsCore *core,
             const TsEvent *event)
{
  if (core->n_interrupts > 0 || event->kind >= TS_EVENT_DWT_PC)
    return;

  switch (event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
    case TS_EVENT_ISR:
    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_SLEEP:
    case TS_EVENT_TASK_STATE:
    case TS_EVENT_TASK_PRIORITY:
      break;
    default:
      _ts_tracker_act (self, core, event);
      break;
    }
}

/* What trace hardware alone tells. @before: time of the event before it. */
static inline void
track_hardware_event (TsTracker *self,
                      TsCore *core,
                      const TsEvent *event,
                      gint64 before)
{
  switch (event->kind)
    {
    case TS_EVENT_DWT_EXC:
      _ts_tracker_exception (self, core, event);
      break;

    case TS_EVENT_DWT_PC:
      _ts_tracker_pc_sample (self, core, event);
      break;

    case TS_EVENT_DWT_COUNTERS:
      _ts_tracker_counters (self, core, event);
      break;

    case TS_EVENT_ITM_OVERFLOW:
      _ts_tracker_close_exceptions (self, core, self->now, 0);
      _ts_tracker_forget_sample (self, core, self->now);
      _ts_tracker_overflow (self, core, before);
      break;

    default:
      break;
    }
}

static inline void
track_event (TsTracker *self,
             TsCore *core,
             const TsEvent *event,
             gint64 before)
{
  if (G_UNLIKELY (core->is_watching))
    watch_event (self, core, event);

  switch (event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
      _ts_tracker_task_switch (self, core, event);
      break;

    case TS_EVENT_ISR:
      _ts_tracker_interrupt (self, core, event);
      break;

    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_DWT_DATA:
    case TS_EVENT_ITM_DATA:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
      _ts_tracker_sample (self, event);
      break;

    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
      _ts_tracker_toggle (self, event);
      break;

    case TS_EVENT_USER_EVENT:
      _ts_tracker_span (self, event);
      break;

    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_MUTEX:
    case TS_EVENT_QUEUE:
    case TS_EVENT_EVENT_FLAG:
      note_give (self, event);
      _ts_tracker_operation (self, core, event);
      break;

    case TS_EVENT_TASK_NOTIFY:
      _ts_tracker_notify (self, event);
      break;

    case TS_EVENT_MUTEX_CONTENTION:
      _ts_tracker_contention (self, event);
      _ts_tracker_operation (self, core, event);
      break;

    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_TASK_PRIORITY:
      track_task_data (self, event);
      break;

    case TS_EVENT_SLEEP:
      _ts_tracker_sleep (self, core, event);
      break;

    case TS_EVENT_TASK_STATE:
      _ts_tracker_task_state (self, core, event);
      break;

    case TS_EVENT_STRING:
    case TS_EVENT_ITM_TEXT:
      _ts_tracker_message (self, event);
      break;

    case TS_EVENT_TIMER:
    case TS_EVENT_PM_SUSPEND:
    case TS_EVENT_HEAP_FAIL:
    case TS_EVENT_OP_FAILED:
    case TS_EVENT_WORK:
    case TS_EVENT_TIMER_ARM:
    case TS_EVENT_TIMER_CALLBACK:
    case TS_EVENT_STREAM_BUFFER:
    case TS_EVENT_MEM_SLAB:
    case TS_EVENT_CONDVAR:
    case TS_EVENT_POLL:
    case TS_EVENT_QUEUE_DETAILS:
    case TS_EVENT_FLAG_DETAILS:
      _ts_tracker_operation (self, core, event);
      break;

    default:
      track_hardware_event (self, core, event, before);
      break;
    }
}

/**
 * ts_tracker_events:
 * @self: a tracker
 * @events: (array length=n_events): events in order of time
 * @n_events: how many
 *
 * Takes what happened. A time before the one of the event before counts as that one's.
 *
 * Cost: some 30 to 60 ns an event, slices included
 * Thread: owner
 */
void
ts_tracker_events (TsTracker *self,
                   const TsEvent *events,
                   gsize n_events)
{
  g_return_if_fail (self != NULL && (events != NULL || n_events == 0));

  for (gsize i = 0; i < n_events; i++)
    {
      const TsEvent *event = &events[i];
      gint64 before = self->now;
      TsCore *core;

      self->now = CLAMP (event->time, before, LAST_TIME);
      if (G_UNLIKELY (event->core >= self->cores->len || self->cores->pdata[event->core] == NULL))
        _ts_tracker_add_core (self, event->core);
      core = self->cores->pdata[event->core];

      if (G_UNLIKELY (self->now > before && self->comms != NULL
                      && _ts_comms_feed_is_holding (self->comms)))
        _ts_comms_feed_release (self->comms, get_interrupt (self));
      if (G_UNLIKELY (!self->has_density_lane))
        {
          _ts_tracker_define_special (self, TS_LANE_ID_DENSITY, TS_LANE_DENSITY, 0, "Events");
          self->has_density_lane = TRUE;
        }
      ts_lane_store_add_count (self->store, TS_LANE_ID_DENSITY, self->now);

      if (G_UNLIKELY (event->kind >= TS_EVENT_DATA_LOSS))
        {
          track_host_event (self, core, event, before);
          continue;
        }
      if (G_UNLIKELY (self->n_losses > 0) && ts_event_is_counted (event))
        _ts_tracker_end_losses (self, self->now);
      if (G_UNLIKELY (core->span_begin < 0))
        core->span_begin = self->now;
      if (G_UNLIKELY (self->now >= self->rates_due))
        _ts_tracker_advance_rates (self);
      if (self->comms != NULL && _ts_comms_feed_wants (event->kind))
        _ts_comms_feed_event (self->comms, event, self->now);
      track_event (self, core, event, before);
    }
}

/**
 * ts_tracker_publish_open:
 * @self: a tracker
 *
 * Tells the store what is open: running tasks, handlers, spans, levels, held values. Before
 * ts_lane_store_publish().
 *
 * Cost: some 20 ns a lane
 * Thread: owner
 */
void
ts_tracker_publish_open (TsTracker *self)
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; i < self->entries->len; i++)
    {
      const TsEntry *entry = self->entries->pdata[i];

      if (entry == NULL || !entry->has_lane)
        continue;
      if (entry->kind == TS_LANE_TASK)
        _ts_tracker_publish_task (self, entry);
      else if (entry->kind == TS_LANE_SPAN || entry->kind == TS_LANE_TOGGLE
               || entry->kind == TS_LANE_VALUE)
        _ts_tracker_publish_value (self, entry);
      else if (entry->kind == TS_LANE_ISR && entry->n_begins == 0)
        ts_lane_store_set_open_slices (self->store, entry->id, NULL, 0);
    }

  for (guint i = 0; i < self->cores->len; i++)
    if (self->cores->pdata[i] != NULL)
      {
        _ts_tracker_publish_core (self, self->cores->pdata[i]);
        _ts_tracker_publish_exceptions (self, self->cores->pdata[i]);
      }
}

/**
 * ts_tracker_finish:
 * @self: a tracker
 * @end: end of the recording
 *
 * Closes everything that is open, at @end or at the newest event if that is later; such slices
 * carry TS_SLICE_OPEN. Only figures may be asked for afterwards.
 *
 * Thread: owner
 */
void
ts_tracker_finish (TsTracker *self,
                   gint64 end)
{
  g_return_if_fail (self != NULL);

  end = CLAMP (end, self->now, LAST_TIME);
  if (self->comms != NULL)
    {
      /* A handler that is open at the end is so until then, and not in the last tick. */
      _ts_comms_feed_release (self->comms, end > self->now ? get_interrupt (self) : 0);
      _ts_comms_feed_finish (self->comms);
    }
  self->now = end;
  _ts_tracker_end_losses (self, end);
  _ts_tracker_finish_rates (self, end);

  for (guint i = 0; i < self->cores->len; i++)
    if (self->cores->pdata[i] != NULL)
      {
        _ts_tracker_close_exceptions (self, self->cores->pdata[i], end, TS_SLICE_OPEN);
        _ts_tracker_finish_core (self, self->cores->pdata[i], end);
      }

  for (guint i = 0; i < self->entries->len; i++)
    {
      TsEntry *entry = self->entries->pdata[i];

      if (entry == NULL || !entry->has_lane)
        continue;
      if (entry->kind == TS_LANE_TASK)
        _ts_tracker_finish_task (self, entry, end);
      else
        _ts_tracker_finish_value (self, entry, end);
    }
  ts_tracker_publish_open (self);
}
