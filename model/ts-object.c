/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-object.c: copying and naming objects. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-object.h"

/* Persisted names. Source: events.md section 3. */
static const char * const type_names[TS_OBJECT_N_TYPES] = {
  [TS_OBJECT_NONE] = NULL,
  [TS_OBJECT_TASK] = "task",
  [TS_OBJECT_ISR] = "isr",
  [TS_OBJECT_QUEUE] = "queue",
  [TS_OBJECT_MUTEX] = "mutex",
  [TS_OBJECT_RECURSIVE_MUTEX] = "recursive_mutex",
  [TS_OBJECT_BINARY_SEM] = "binary_sem",
  [TS_OBJECT_COUNTING_SEM] = "counting_sem",
  [TS_OBJECT_SEMAPHORE] = "semaphore",
  [TS_OBJECT_TIMER] = "timer",
  [TS_OBJECT_HEAP] = "heap",
  [TS_OBJECT_POWER] = "power",
  [TS_OBJECT_EVENT_FLAG] = "event_flag",
  [TS_OBJECT_STREAM_BUFFER] = "stream_buffer",
  [TS_OBJECT_MESSAGE_BUFFER] = "message_buffer",
  [TS_OBJECT_MEM_SLAB] = "mem_slab",
  [TS_OBJECT_CONDVAR] = "condvar",
  [TS_OBJECT_POLL_SIGNAL] = "poll_signal",
  [TS_OBJECT_HEAP_GAUGE] = "heap_gauge",
  [TS_OBJECT_STRING_CHANNEL] = "string_channel",
  [TS_OBJECT_USER_TRACE] = "user_trace",
  [TS_OBJECT_USER_EVENT] = "user_event",
  [TS_OBJECT_USER_TOGGLE] = "user_toggle",
  [TS_OBJECT_GPIO] = "gpio",
  [TS_OBJECT_COUNTER] = "counter",
  [TS_OBJECT_CORE] = "core",
  [TS_OBJECT_EXCEPTION] = "exception",
  [TS_OBJECT_FUNCTION] = "function",
  [TS_OBJECT_WATCH] = "watch",
  [TS_OBJECT_ITM_PORT] = "itm_port",
  [TS_OBJECT_PROCESS] = "process",
  [TS_OBJECT_THREAD] = "thread",
  [TS_OBJECT_POLLED] = "polled_symbol",
};

/**
 * ts_object_copy:
 * @object: (nullable): an object
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): a deep copy; ts_object_free()
 */
TsObject *
ts_object_copy (const TsObject *object)
{
  TsObject *copy;

  if (object == NULL)
    return NULL;

  copy = g_memdup2 (object, sizeof *object);
  copy->name = g_strdup (object->name);
  copy->unit = g_strdup (object->unit);
  copy->display = g_strdup (object->display);
  return copy;
}

/**
 * ts_object_clear:
 * @object: an object, such as one on the stack
 *
 * Frees its strings and makes it an undefined object (%TS_OBJECT_INIT).
 *
 * Thread: any
 */
void
ts_object_clear (TsObject *object)
{
  g_return_if_fail (object != NULL);

  g_free (object->name);
  g_free (object->unit);
  g_free (object->display);
  *object = (TsObject) TS_OBJECT_INIT;
}

/**
 * ts_object_free:
 * @object: (transfer full) (nullable): an object of ts_object_copy()
 *
 * Thread: any
 */
void
ts_object_free (TsObject *object)
{
  if (object == NULL)
    return;

  ts_object_clear (object);
  g_free (object);
}

/**
 * ts_object_type_get_name:
 * @type: a type
 *
 * Thread: safe
 * Source: events.md section 3
 *
 * Returns: (transfer none) (nullable): the persisted name; %NULL for %TS_OBJECT_NONE and numbers
 * that are no type
 */
const char *
ts_object_type_get_name (TsObjectType type)
{
  return (guint) type < TS_OBJECT_N_TYPES ? type_names[type] : NULL;
}

/**
 * ts_object_type_from_name:
 * @name: (nullable): a persisted name
 *
 * Thread: safe
 *
 * Returns: the type, or %TS_OBJECT_NONE
 */
TsObjectType
ts_object_type_from_name (const char *name)
{
  if (name == NULL)
    return TS_OBJECT_NONE;

  for (guint i = 1; i < TS_OBJECT_N_TYPES; i++)
    {
      if (strcmp (type_names[i], name) == 0)
        return i;
    }

  return TS_OBJECT_NONE;
}

/**
 * ts_object_dup_lane_name:
 * @object: an object
 *
 * The name of its lane as `va_task_stats` shows it: a task's own name, `ISR:<name>` for
 * interrupts and exceptions, `Fn:<name>` for user event spans and functions, else the object's
 * name.
 *
 * Thread: any
 * Source: viewalyzer-host.md section 1.4
 *
 * Returns: (transfer full): the name, never %NULL
 */
char *
ts_object_dup_lane_name (const TsObject *object)
{
  const char *name;

  g_return_val_if_fail (object != NULL, NULL);

  name = object->name != NULL ? object->name : "";

  switch (object->type)
    {
    case TS_OBJECT_ISR:
    case TS_OBJECT_EXCEPTION:
      return g_strconcat ("ISR:", name, NULL);

    case TS_OBJECT_USER_EVENT:
    case TS_OBJECT_FUNCTION:
      return g_strconcat ("Fn:", name, NULL);

    default:
      return g_strdup (name);
    }
}

/**
 * ts_object_is_called:
 * @object: an object
 * @name: what somebody calls it
 *
 * Whether its lane, its name, or `type:name` is @name.
 *
 * Thread: any
 * Source: events.md section 4, `--lanes`
 *
 * Returns: %TRUE if it is
 */
gboolean
ts_object_is_called (const TsObject *object,
                     const char *name)
{
  g_autofree char *lane = NULL;
  const char *type;
  gsize n;

  g_return_val_if_fail (object != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (object->name != NULL && strcmp (object->name, name) == 0)
    return TRUE;

  lane = ts_object_dup_lane_name (object);
  if (strcmp (lane, name) == 0)
    return TRUE;

  type = ts_object_type_get_name (object->type);
  n = type != NULL ? strlen (type) : 0;

  return n > 0 && strncmp (name, type, n) == 0 && name[n] == ':' && object->name != NULL
         && strcmp (name + n + 1, object->name) == 0;
}
