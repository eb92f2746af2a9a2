/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-objects.c: what the ids of a stream stand for.
 *
 * A task becomes an object when it is announced, everything else when the first event needs it: the
 * kind of an event is the last word on what an id is (a FreeRTOS mutex is announced as a queue
 * first; a UDP sender's semaphore 0, mutex 0 and queue 0 are three objects). What was announced and
 * never used is told at the end.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-stream-private.h"

/* Type and made-up name of an object of each space, until the target tells. */
static const struct
{
  TsObjectType type;
  const char *word;
} spaces[TS_VA_N_SPACES] = {
  [TS_VA_SPACE_TASK] = { TS_OBJECT_TASK, "Task" },
  [TS_VA_SPACE_ISR] = { TS_OBJECT_ISR, "ISR" },
  [TS_VA_SPACE_SEM] = { TS_OBJECT_SEMAPHORE, "Semaphore" },
  [TS_VA_SPACE_MUTEX] = { TS_OBJECT_MUTEX, "Mutex" },
  [TS_VA_SPACE_QUEUE] = { TS_OBJECT_QUEUE, "Queue" },
  [TS_VA_SPACE_TIMER] = { TS_OBJECT_TIMER, "Timer" },
  [TS_VA_SPACE_HEAP] = { TS_OBJECT_HEAP, "Heap" },
  [TS_VA_SPACE_POWER] = { TS_OBJECT_POWER, "Power" },
  [TS_VA_SPACE_TRACE] = { TS_OBJECT_USER_TRACE, "Trace" },
  [TS_VA_SPACE_TOGGLE] = { TS_OBJECT_USER_TOGGLE, "Toggle" },
  [TS_VA_SPACE_COUNTER] = { TS_OBJECT_COUNTER, "Counter" },
  [TS_VA_SPACE_SPAN] = { TS_OBJECT_USER_EVENT, "Event" },
  [TS_VA_SPACE_GPIO] = { TS_OBJECT_GPIO, "GPIO" },
  [TS_VA_SPACE_GAUGE] = { TS_OBJECT_HEAP_GAUGE, "Heap gauge" },
  [TS_VA_SPACE_STRING] = { TS_OBJECT_STRING_CHANNEL, "Channel" },
};

/* Object types of `7E` kind 3. Source: viewalyzer-wire.md section 7. */
static const TsObjectType wire_types[] = {
  TS_OBJECT_QUEUE,         TS_OBJECT_MUTEX,           TS_OBJECT_COUNTING_SEM,
  TS_OBJECT_BINARY_SEM,    TS_OBJECT_RECURSIVE_MUTEX, TS_OBJECT_TIMER,
  TS_OBJECT_HEAP,          TS_OBJECT_POWER,           TS_OBJECT_EVENT_FLAG,
  TS_OBJECT_STREAM_BUFFER, TS_OBJECT_MESSAGE_BUFFER,  TS_OBJECT_MEM_SLAB,
  TS_OBJECT_CONDVAR,       TS_OBJECT_POLL_SIGNAL,
};

/* Display types of `72`. Source: viewalyzer-wire.md section 7. */
static const char *const displays[] = {
  "graph", "bar", "gauge", "counter", "table", "histogram", "toggle", "task", "isr", "register",
};

#define DISPLAY_TOGGLE 6
/* Toggle, in recorders that have no histogram yet. */
#define DISPLAY_OLD_TOGGLE 5

static gboolean
is_sync (TsVaSpace space)
{
  return space >= TS_VA_SPACE_FIRST_SYNC && space <= TS_VA_SPACE_LAST_SYNC;
}

static gboolean
is_trace (TsVaSpace space)
{
  return space == TS_VA_SPACE_TRACE || space == TS_VA_SPACE_TOGGLE || space == TS_VA_SPACE_COUNTER;
}

/* Source: viewalyzer-wire.md section 13.8 (the idle task: by name). */
static gboolean
is_idle_name (const char *name)
{
  const char *rest = name + 4;

  if (g_ascii_strncasecmp (name, "idle", 4) != 0)
    return FALSE;
  if (*rest == ' ' || *rest == '_' || *rest == '-')
    rest++;
  return *rest == '\0' || g_ascii_isdigit (*rest) || g_ascii_strcasecmp (rest, "task") == 0
         || g_ascii_strcasecmp (rest, "thread") == 0;
}

/* Source: viewalyzer-wire.md section 13.2: Zephyr numbers interrupts by exception. */
static char *
dup_exception_name (guint number)
{
  static const char *const names[16] = {
    [1] = "Reset",      [2] = "NMI",     [3] = "HardFault",     [4] = "MemManage", [5] = "BusFault",
    [6] = "UsageFault", [11] = "SVCall", [12] = "DebugMonitor", [14] = "PendSV",   [15] = "SysTick",
  };

  if (number >= 16)
    return g_strdup_printf ("IRQ %u", number - 16);
  return names[number] != NULL ? g_strdup (names[number]) : g_strdup_printf ("ISR %u", number);
}

static char *
dup_placeholder (TsVaStream *self, TsVaSpace space, guint id)
{
  if (space == TS_VA_SPACE_ISR && self->is_zephyr)
    return dup_exception_name (id);
  return g_strdup_printf ("%s %u", spaces[space].word, id);
}

static TsVaObject *
ensure (TsVaStream *self, TsVaSpace space, guint id)
{
  TsVaObject *known = self->objects[space][id];
  static const TsObject init = TS_OBJECT_INIT;

  if (known != NULL)
    return known;
  known = g_new0 (TsVaObject, 1);
  known->object = init;
  known->object.type = spaces[space].type;
  known->object.core = self->core;
  known->object.wire_id = (gint32) id;
  self->objects[space][id] = known;
  self->n_known++;
  return known;
}

static void
drop (TsVaStream *self, TsVaSpace space, guint id)
{
  TsVaObject *known = g_steal_pointer (&self->objects[space][id]);

  self->ids[space][id] = 0;
  if (known == NULL)
    return;
  self->n_known--;
  ts_object_clear (&known->object);
  g_free (known);
}

static void
update (TsVaStream *self, TsVaObject *known)
{
  TsEventSink *sink = self->decoder->parent.sink;

  if (known->object.id != 0)
    sink->iface->update_object (sink, &known->object);
}

static void
define (TsVaStream *self, TsVaSpace space, guint id)
{
  TsEventSink *sink = self->decoder->parent.sink;
  TsVaObject *known = ensure (self, space, id);

  if (known->object.id != 0)
    return;
  if (known->object.name == NULL)
    known->object.name = dup_placeholder (self, space, id);
  known->object.id = sink->iface->define_object (sink, &known->object);
  self->ids[space][id] = known->object.id;
}

/* Sets a field of a known object; says whether that changed it. */
static gboolean
set_number (gint64 *field, gint64 value)
{
  if (*field == value)
    return FALSE;
  *field = value;
  return TRUE;
}

/* Takes @name from the target. A name that differs from that of an earlier session, or of a deleted
 * task, is another object's. */
static void
set_name (TsVaStream *self, TsVaSpace space, guint id, char *name)
{
  TsVaObject *known = self->objects[space][id];

  if (*name == '\0')
    {
      /* legal, but nothing to show: the made-up name is better */
      g_free (name);
      ensure (self, space, id);
      return;
    }
  if (known != NULL && known->object.is_named
      && (known->is_dead || (known->is_stale && strcmp (known->object.name, name) != 0)))
    drop (self, space, id);
  known = ensure (self, space, id);
  known->is_stale = FALSE;
  if (known->object.is_named && strcmp (known->object.name, name) == 0)
    {
      g_free (name);
      return;
    }
  g_free (known->object.name);
  known->object.name = name;
  known->object.is_named = TRUE;
  if (space == TS_VA_SPACE_TASK)
    known->object.is_idle = is_idle_name (name);
  if (space == TS_VA_SPACE_QUEUE && known->object.type == TS_OBJECT_QUEUE
      && (strstr (name, "EventFlag") != NULL || strstr (name, "EvtFlag") != NULL))
    known->object.type = TS_OBJECT_EVENT_FLAG;
  memset (self->texts, 0, sizeof self->texts);
  update (self, known);
}

/* Display of a trace as it is now known to be of @space. Source: viewalyzer-wire.md section 7. */
static const char *
display_name (TsVaStream *self, TsVaSpace space, guint display)
{
  if (space == TS_VA_SPACE_TOGGLE && display == DISPLAY_OLD_TOGGLE
      && self->layout->dialect == TS_VA_WIRE_LEGACY && !self->has_session && !self->has_os)
    display = DISPLAY_TOGGLE;
  return display < G_N_ELEMENTS (displays) ? displays[display] : NULL;
}

static void
apply_trace_name (TsVaStream *self, TsVaSpace space, guint id)
{
  const TsVaTraceName *trace = &self->traces[id];
  const char *display = display_name (self, space, trace->display);
  TsVaObject *known;

  if (trace->name == NULL)
    return;
  known = self->objects[space][id];
  if (known != NULL && known->object.id != 0 && known->object.is_named
      && strcmp (known->object.name, trace->name) == 0
      && g_strcmp0 (known->object.display, display) == 0)
    {
      known->is_stale = FALSE;
      return;
    }
  set_name (self, space, id, g_strdup (trace->name));
  known = self->objects[space][id];
  if (g_strcmp0 (known->object.display, display) != 0)
    {
      g_free (known->object.display);
      known->object.display = g_strdup (display);
      update (self, known);
    }
}

/* Makes the object known to the sink; the slow side of _ts_va_object(). */
guint32
_ts_va_objects_need (TsVaStream *self, TsVaSpace space, guint id)
{
  if (is_trace (space))
    apply_trace_name (self, space, id);
  if (space == TS_VA_SPACE_ISR && self->is_zephyr && id == 1 && self->objects[space][id] != NULL
      && g_strcmp0 (self->objects[space][id]->object.name, "SysTick") == 0)
    drop (self, space, id); /* the prelude's name is no exception number */
  define (self, space, id);
  return self->ids[space][id];
}

/* Kind of the kernel object that @id means in an event which does not tell: that of its last event,
 * else of its last announcement. */
TsVaSpace
_ts_va_objects_find_sync (TsVaStream *self, guint id)
{
  if (self->sync_used[id] != TS_VA_SPACE_NONE)
    return self->sync_used[id];
  return self->sync_space[id] != TS_VA_SPACE_NONE ? self->sync_space[id] : TS_VA_SPACE_QUEUE;
}

/* A kernel object is announced again as another kind. In firmware that corrects the first
 * announcement; what is known of it holds, and if it has a row it keeps it. Source:
 * viewalyzer-wire.md sections 6.5, 3.6. */
static void
correct_kind (TsVaStream *self, TsVaSpace old, TsVaSpace space, guint id)
{
  TsVaObject *was = self->objects[old][id];
  TsVaObject *now;

  if (was == NULL || self->sender == TS_VA_SENDER_UDP || was->is_stale)
    return;
  if (was->object.id != 0)
    {
      if (self->ids[space][id] != 0)
        return;
      drop (self, space, id);
      self->objects[space][id] = g_steal_pointer (&self->objects[old][id]);
      self->ids[space][id] = self->ids[old][id];
      self->ids[old][id] = 0;
      was->object.type = spaces[space].type;
      self->sync_used[id] = (guint8) space;
      update (self, was);
      return;
    }
  now = ensure (self, space, id);
  now->object.address = was->object.address;
  if (!was->object.is_named)
    now->object.capacity = was->object.capacity;
}

/* A map packet: @id of @space has this name. Source: viewalyzer-wire.md sections 6.1, 6.5. */
void
_ts_va_objects_map (TsVaStream *self, TsVaSpace space, guint id, const char *name, gsize n_name)
{
  if (is_sync (space))
    {
      TsVaSpace old = self->sync_space[id];

      if (old != TS_VA_SPACE_NONE && old != space)
        correct_kind (self, old, space, id);
      self->sync_space[id] = (guint8) space;
    }
  set_name (self, space, id, _ts_va_text_dup_valid (name, n_name));
  if (space == TS_VA_SPACE_TASK)
    define (self, space, id);
}

void
_ts_va_objects_map_trace (TsVaStream *self, guint id, guint display, const char *name, gsize n_name)
{
  TsVaTraceName *trace = &self->traces[id];

  if (trace->name == NULL)
    self->n_traces++;
  g_free (trace->name);
  trace->name = _ts_va_text_dup_valid (name, n_name);
  trace->display = (guint8) display;
  for (guint space = TS_VA_SPACE_TRACE; space <= TS_VA_SPACE_COUNTER; space++)
    if (self->ids[space][id] != 0)
      apply_trace_name (self, space, id);
}

/* `79`: a gauge, or in pre-reset 1.3.0 the capacity of the kernel heap of that name. Source:
 * viewalyzer-wire.md section 2.3. */
void
_ts_va_objects_map_gauge (TsVaStream *self, guint id, guint32 total, const char *name, gsize n_name)
{
  g_autofree char *valid = _ts_va_text_dup_valid (name, n_name);
  TsVaObject *known = self->objects[TS_VA_SPACE_HEAP][id];
  TsVaSpace space = TS_VA_SPACE_GAUGE;

  if (self->layout->dialect != TS_VA_WIRE_1 && known != NULL && known->object.is_named
      && strcmp (known->object.name, valid) == 0)
    space = TS_VA_SPACE_HEAP;
  else
    set_name (self, space, id, g_steal_pointer (&valid));
  known = ensure (self, space, id);
  if (set_number (&known->object.capacity, total))
    update (self, known);
}

/* `7E`. Source: viewalyzer-wire.md section 6.4. */
void
_ts_va_objects_info (TsVaStream *self, guint id, guint kind, guint32 value)
{
  TsVaSpace space
      = self->sync_space[id] != TS_VA_SPACE_NONE ? self->sync_space[id] : TS_VA_SPACE_QUEUE;
  TsVaObject *known = ensure (self, space, id);
  gboolean changed = FALSE;

  switch (kind)
    {
    case 1:
      changed = set_number (&known->object.capacity, value);
      break;
    case 2:
      changed = set_number (&known->object.address, value);
      break;
    case 3:
      if (value < G_N_ELEMENTS (wire_types) && known->object.type != wire_types[value])
        {
          known->object.type = wire_types[value];
          changed = TRUE;
        }
      break;
    case 4:
      changed
          = set_number (&known->object.capacity, value != 0 ? (gint64) value : TS_OBJECT_UNKNOWN);
      break;
    default:
      break;
    }
  if (changed)
    update (self, known);
}

/* Whether FreeRTOS sends the stack size of `03` in words here. The old recorders' OS packet may be
 * missing. Source: viewalyzer-wire.md section 13.3. */
static gboolean
stack_is_words (const TsVaStream *self)
{
  if (self->has_os)
    return self->is_freertos;
  return self->layout->dialect != TS_VA_WIRE_1;
}

/* Whether `09` is in words. Source: viewalyzer-wire.md sections 2.3, 13.3. */
gboolean
_ts_va_objects_sizes_are_words (const TsVaStream *self)
{
  if (!stack_is_words (self))
    return FALSE;
  return self->layout->dialect != TS_VA_WIRE_1
         || (self->version != 0 && self->version <= 0x00010000);
}

static gboolean
set_stack (TsVaStream *self, TsVaObject *known)
{
  return set_number (&known->object.stack_bytes,
                     (gint64) known->raw_stack * (stack_is_words (self) ? 4 : 1));
}

/* `03`: also repeated in bundles. Source: viewalyzer-wire.md section 11.2. */
void
_ts_va_objects_task (
    TsVaStream *self, guint id, gint32 priority, gint32 base_priority, guint32 stack)
{
  TsVaObject *known = ensure (self, TS_VA_SPACE_TASK, id);
  gboolean changed = FALSE;

  changed |= set_number (&known->object.priority, priority);
  changed |= set_number (&known->object.base_priority, base_priority);
  known->raw_stack = stack;
  known->has_stack = TRUE;
  changed |= set_stack (self, known);
  if (changed)
    update (self, known);
}

void
_ts_va_objects_task_priority (TsVaStream *self, guint id, gint32 priority, gint32 base_priority)
{
  TsVaObject *known = ensure (self, TS_VA_SPACE_TASK, id);
  gboolean changed = set_number (&known->object.priority, priority);

  if (base_priority != G_MININT32)
    changed |= set_number (&known->object.base_priority, base_priority);
  if (changed)
    update (self, known);
}

void
_ts_va_objects_task_deleted (TsVaStream *self, guint id)
{
  ensure (self, TS_VA_SPACE_TASK, id)->is_dead = TRUE;
}

/* An event of @kind concerns QUEUE object @id: says what it is where the announcement did not.
 * Source: viewalyzer-wire.md 6.5. */
void
_ts_va_objects_queue_is (TsVaStream *self, guint id, guint kind)
{
  TsVaObject *known = ensure (self, TS_VA_SPACE_QUEUE, id);
  TsObjectType type = TS_OBJECT_QUEUE;

  self->queue_kind[id] = (guint8) kind;
  switch (kind)
    {
    case TS_EVENT_EVENT_FLAG:
    case TS_EVENT_FLAG_DETAILS:
      type = TS_OBJECT_EVENT_FLAG;
      break;
    case TS_EVENT_STREAM_BUFFER:
      type = TS_OBJECT_STREAM_BUFFER;
      break;
    case TS_EVENT_MEM_SLAB:
      type = TS_OBJECT_MEM_SLAB;
      break;
    case TS_EVENT_CONDVAR:
      type = TS_OBJECT_CONDVAR;
      break;
    case TS_EVENT_POLL:
      type = TS_OBJECT_POLL_SIGNAL;
      break;
    default:
      break;
    }
  if (known->object.type != TS_OBJECT_QUEUE || type == TS_OBJECT_QUEUE)
    return;
  known->object.type = type;
  update (self, known);
}

/* Now that the OS is known, sizes and exception names are. */
void
_ts_va_objects_os_changed (TsVaStream *self)
{
  for (guint id = 0; id < 256; id++)
    {
      TsVaObject *task = self->objects[TS_VA_SPACE_TASK][id];
      TsVaObject *isr = self->objects[TS_VA_SPACE_ISR][id];

      if (task != NULL && task->has_stack && set_stack (self, task))
        update (self, task);
      if (isr != NULL && isr->object.id != 0 && !isr->object.is_named)
        {
          g_autofree char *name = dup_placeholder (self, TS_VA_SPACE_ISR, id);

          if (strcmp (name, isr->object.name) != 0)
            {
              g_free (isr->object.name);
              isr->object.name = g_steal_pointer (&name);
              update (self, isr);
            }
        }
    }
}

/* What was learned so far belongs to an earlier session. */
void
_ts_va_objects_new_session (TsVaStream *self)
{
  if (self->n_known == 0)
    return;
  for (guint space = 0; space < TS_VA_N_SPACES; space++)
    for (guint id = 0; id < 256; id++)
      if (self->objects[space][id] != NULL)
        self->objects[space][id]->is_stale = TRUE;
  memset (self->sync_space, TS_VA_SPACE_NONE, sizeof self->sync_space);
  memset (self->sync_used, TS_VA_SPACE_NONE, sizeof self->sync_used);
  memset (self->texts, 0, sizeof self->texts);
}

/* The end: tells the sink about what was announced and never used. A kernel object that has a name
 * of one kind and events of another is hidden; in firmware the last announcement counts. Source:
 * viewalyzer-wire.md section 3.6. */
void
_ts_va_objects_complete (TsVaStream *self)
{
  if (self->n_known == 0 && self->n_traces == 0)
    return;
  for (guint id = 0; id < 256; id++)
    {
      gboolean has_events = FALSE;
      gboolean has_trace = self->ids[TS_VA_SPACE_TRACE][id] != 0
                           || self->ids[TS_VA_SPACE_TOGGLE][id] != 0
                           || self->ids[TS_VA_SPACE_COUNTER][id] != 0;

      for (guint space = TS_VA_SPACE_FIRST_SYNC; space <= TS_VA_SPACE_LAST_SYNC; space++)
        has_events |= self->ids[space][id] != 0;
      for (guint space = 0; space < TS_VA_N_SPACES; space++)
        {
          const TsVaObject *known = self->objects[space][id];

          if (known == NULL || !known->object.is_named || known->object.id != 0 || is_trace (space))
            continue;
          if (is_sync (space)
              && (has_events
                  || (self->sender != TS_VA_SENDER_UDP && self->sync_space[id] != space)))
            continue;
          if (space == TS_VA_SPACE_ISR && self->is_zephyr && id == 1)
            continue;
          define (self, space, id);
        }
      if (self->traces[id].name != NULL && !has_trace)
        _ts_va_objects_need (self,
                             self->traces[id].display == DISPLAY_TOGGLE ? TS_VA_SPACE_TOGGLE
                                                                        : TS_VA_SPACE_TRACE,
                             id);
    }
}

/* Name of an object if it has one already, NULL if not. */
const char *
_ts_va_objects_peek_name (TsVaStream *self, TsVaSpace space, guint id)
{
  const TsVaObject *known = self->objects[space][id];

  return known != NULL ? known->object.name : NULL;
}

void
_ts_va_objects_clear (TsVaStream *self)
{
  if (self->n_known == 0 && self->n_traces == 0)
    return;
  for (guint id = 0; id < 256; id++)
    {
      for (guint space = 0; space < TS_VA_N_SPACES; space++)
        if (self->objects[space][id] != NULL)
          drop (self, space, id);
      g_clear_pointer (&self->traces[id].name, g_free);
    }
}
