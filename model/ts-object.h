/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-object.h: what events are about: tasks, interrupts, queues, channels ...
 *
 * One #TsObject is one row of `va_objects`. Types are persisted by name; the numbers are internal.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsObjectType:
 *
 * Type of an object; ts_object_type_get_name() gives the persisted name (events.md section 3).
 */
typedef enum
{
  TS_OBJECT_NONE,
  TS_OBJECT_TASK,
  TS_OBJECT_ISR,
  TS_OBJECT_QUEUE,
  TS_OBJECT_MUTEX,
  TS_OBJECT_RECURSIVE_MUTEX,
  TS_OBJECT_BINARY_SEM,
  TS_OBJECT_COUNTING_SEM,
  TS_OBJECT_SEMAPHORE,
  TS_OBJECT_TIMER,
  TS_OBJECT_HEAP,
  TS_OBJECT_POWER,
  TS_OBJECT_EVENT_FLAG,
  TS_OBJECT_STREAM_BUFFER,
  TS_OBJECT_MESSAGE_BUFFER,
  TS_OBJECT_MEM_SLAB,
  TS_OBJECT_CONDVAR,
  TS_OBJECT_POLL_SIGNAL,
  TS_OBJECT_HEAP_GAUGE,
  TS_OBJECT_STRING_CHANNEL,
  TS_OBJECT_USER_TRACE,
  TS_OBJECT_USER_EVENT,
  TS_OBJECT_USER_TOGGLE,
  TS_OBJECT_GPIO,
  TS_OBJECT_COUNTER,
  TS_OBJECT_CORE,
  TS_OBJECT_EXCEPTION,
  TS_OBJECT_FUNCTION,
  TS_OBJECT_WATCH,
  TS_OBJECT_ITM_PORT,
  TS_OBJECT_PROCESS,
  TS_OBJECT_THREAD,
  TS_OBJECT_POLLED,
  TS_OBJECT_N_TYPES
} TsObjectType;

/** "not known" for the signed fields of #TsObject (NULL in the file). */
#define TS_OBJECT_UNKNOWN G_MININT64

/**
 * TsObject:
 * @id: row of `va_objects`, given by the sink (1, 2, 3 ...); 0 in a definition not yet made
 * @type: what it is; may change (a FreeRTOS queue corrected to a mutex)
 * @core: processor (or sender) it belongs to
 * @is_named: the name came from the target; %FALSE: the host made one up ("Task 5") until the target sends one
 * @is_idle: an idle task (by name)
 * @wire_id: number on the wire, -1 if none
 * @name: UTF-8, owned, never %NULL once defined
 * @priority: effective priority; tasks only
 * @base_priority: base priority; tasks only
 * @stack_bytes: stack size in bytes (converted from words where the target sends words)
 * @capacity: bytes, blocks or slots; of a watch the bytes of an access
 * @address: address of the native handle
 * @unit: (nullable): unit of a value channel
 * @display: (nullable): display type of a user trace: graph bar gauge counter table histogram toggle task isr register
 */
typedef struct
{
  guint32 id;
  TsObjectType type;
  guint8 core;
  gboolean is_named;
  gboolean is_idle;
  gint32 wire_id;
  char *name;
  gint64 priority;
  gint64 base_priority;
  gint64 stack_bytes;
  gint64 capacity;
  gint64 address;
  char *unit;
  char *display;
} TsObject;

#define TS_OBJECT_INIT { 0, TS_OBJECT_NONE, 0, FALSE, FALSE, -1, NULL, TS_OBJECT_UNKNOWN, TS_OBJECT_UNKNOWN, \
                         TS_OBJECT_UNKNOWN, TS_OBJECT_UNKNOWN, TS_OBJECT_UNKNOWN, NULL, NULL }

TsObject *ts_object_copy (const TsObject *object);
void ts_object_free (TsObject *object);
void ts_object_clear (TsObject *object);

const char *ts_object_type_get_name (TsObjectType type);
TsObjectType ts_object_type_from_name (const char *name);
char *ts_object_dup_lane_name (const TsObject *object);
gboolean ts_object_is_called (const TsObject *object,
                              const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsObject, ts_object_free)

/** Whether an object of this type is a lock: waiting for it is part of the work that needs it. */
static inline gboolean
ts_object_type_is_lock (TsObjectType type)
{
  return type == TS_OBJECT_MUTEX || type == TS_OBJECT_RECURSIVE_MUTEX;
}

G_END_DECLS
