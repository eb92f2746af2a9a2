/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event.c: names and shapes of the event kinds. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-event.h"

/* One row per kind: persisted name, number of operands that the public columns `value` and
 * `detail` show.
 * Source: events.md sections 1 (operands) and 2 (names). */
typedef struct
{
  guint16 kind;
  guint8 n_operands;
  const char *name;
} KindInfo;

static const KindInfo recorder_kinds[] = {
  { TS_EVENT_INVALID, 0, NULL },
  { TS_EVENT_TASK_SWITCH, 0, "task_switch" },
  { TS_EVENT_ISR, 0, "isr" },
  { TS_EVENT_TASK_CREATE, 2, "task_create" },
  { TS_EVENT_USER_TRACE, 1, "user_trace" },
  { TS_EVENT_TASK_NOTIFY, 2, "task_notify" },
  { TS_EVENT_SEMAPHORE, 0, "semaphore" },
  { TS_EVENT_MUTEX, 0, "mutex" },
  { TS_EVENT_QUEUE, 0, "queue" },
  { TS_EVENT_STACK_USAGE, 2, "stack_usage" },
  { TS_EVENT_USER_TOGGLE, 1, "user_toggle" },
  { TS_EVENT_USER_EVENT, 0, "user_event" },
  { TS_EVENT_MUTEX_CONTENTION, 2, "mutex_contention" },
  { TS_EVENT_STRING, 1, "string" },
  { TS_EVENT_FLOAT_TRACE, 1, "float_trace" },
  { TS_EVENT_GPIO, 1, "gpio" },
  { TS_EVENT_COUNTER, 1, "counter" },
  { TS_EVENT_HEAP, 1, "heap" },
  { TS_EVENT_SLEEP, 0, "sleep" },
  { TS_EVENT_TIMER, 0, "timer" },
  { TS_EVENT_HEAP_SYNC, 1, "heap_sync" },
  { TS_EVENT_PM_SUSPEND, 0, "pm_suspend" },
  { TS_EVENT_SEQ_CHECKPOINT, 1, "seq_checkpoint" },
  { TS_EVENT_HEAP_FAIL, 1, "heap_fail" },
  { TS_EVENT_EVENT_FLAG, 1, "event_flag" },
  { TS_EVENT_OP_FAILED, 1, "op_failed" },
  { TS_EVENT_WORK, 2, "work" },
  { TS_EVENT_TIMER_ARM, 2, "timer_arm" },
  { TS_EVENT_TASK_STATE, 1, "task_state" },
  { TS_EVENT_TASK_PRIORITY, 2, "task_priority" },
  { TS_EVENT_TIMER_CALLBACK, 2, "timer_callback" },
  { TS_EVENT_STREAM_BUFFER, 2, "stream_buffer" },
  { TS_EVENT_MEM_SLAB, 2, "mem_slab" },
  { TS_EVENT_CONDVAR, 2, "condvar" },
  { TS_EVENT_POLL, 2, "poll" },
  { TS_EVENT_QUEUE_DETAILS, 2, "queue_details" },
  { TS_EVENT_NOTIFY_DETAILS, 2, "notify_details" },
  { TS_EVENT_FLAG_DETAILS, 2, "flag_details" },
};

static const KindInfo source_kinds[] = {
  { TS_EVENT_DWT_PC, 1, "dwt_pc" },
  { TS_EVENT_DWT_EXC, 2, "dwt_exc" },
  { TS_EVENT_DWT_DATA, 2, "dwt_data" },
  { TS_EVENT_DWT_DATA_PC, 2, "dwt_data_pc" },
  { TS_EVENT_DWT_MATCH, 1, "dwt_match" },
  { TS_EVENT_DWT_COUNTERS, 1, "dwt_counters" },
  { TS_EVENT_PMU_OVERFLOW, 1, "pmu_overflow" },
  { TS_EVENT_ITM_TEXT, 1, "itm_text" },
  { TS_EVENT_ITM_DATA, 2, "itm_data" },
  { TS_EVENT_ITM_OVERFLOW, 0, "itm_overflow" },
  { TS_EVENT_GLOBAL_TS, 1, "global_ts" },
  { TS_EVENT_POLL_TRACE, 1, "poll_trace" },
  { TS_EVENT_FUNCTION, 2, "function" },
  { TS_EVENT_THREAD_STATE, 2, "thread_state" },
  { TS_EVENT_KERNEL_CALL, 2, "kernel_call" },
  { TS_EVENT_PROCESS, 2, "process" },
  { TS_EVENT_MESSAGE, 2, "message" },
  { TS_EVENT_EXTERNAL_TRACE, 1, "external_trace" },
};

static const KindInfo host_kinds[] = {
  { TS_EVENT_DATA_LOSS, 2, "data_loss" },
  { TS_EVENT_CORRUPT, 1, "corrupt" },
  { TS_EVENT_SESSION_START, 0, "session_start" },
  { TS_EVENT_CAPTURE_END, 0, "capture_end" },
  { TS_EVENT_MARK, 0, "mark" },
  { TS_EVENT_SWO_LOAD, 2, "swo_load" },
};

static const struct
{
  const KindInfo *kinds;
  guint n_kinds;
} tables[] = {
  { recorder_kinds, G_N_ELEMENTS (recorder_kinds) },
  { source_kinds, G_N_ELEMENTS (source_kinds) },
  { host_kinds, G_N_ELEMENTS (host_kinds) },
};

/* A kind's table is its upper byte, its row the lower one. */
static const KindInfo *
find_kind (guint kind)
{
  guint table = kind >> 8;
  guint row = kind & 0xFF;

  if (table >= G_N_ELEMENTS (tables) || row >= tables[table].n_kinds)
    return NULL;

  g_assert (tables[table].kinds[row].kind == kind);
  return tables[table].kinds[row].name != NULL ? &tables[table].kinds[row] : NULL;
}

/**
 * ts_event_kind_get_name:
 * @kind: a kind, any number
 *
 * The name that `va_events.kind` shows.
 *
 * Thread: safe
 * Source: events.md section 2
 *
 * Returns: (transfer none) (nullable): the name, or %NULL for a number that is no kind
 */
const char *
ts_event_kind_get_name (TsEventKind kind)
{
  const KindInfo *info = find_kind (kind);

  return info != NULL ? info->name : NULL;
}

/**
 * ts_event_kind_from_name:
 * @name: (nullable): a name as of ts_event_kind_get_name(), exactly
 *
 * Thread: safe
 *
 * Returns: the kind, or %TS_EVENT_INVALID
 */
TsEventKind
ts_event_kind_from_name (const char *name)
{
  if (name == NULL)
    return TS_EVENT_INVALID;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      for (guint i = 0; i < tables[t].n_kinds; i++)
        {
          const KindInfo *info = &tables[t].kinds[i];

          if (info->name != NULL && strcmp (info->name, name) == 0)
            return info->kind;
        }
    }

  return TS_EVENT_INVALID;
}

/**
 * ts_event_kind_parse:
 * @name: a name as of ts_event_kind_get_name(), or one of isr_enter, isr_exit, task_in and task_out
 * @sides: (out): sides that are meant, of %TS_EVENT_SIDE_NONE and so on; all for a plain kind
 *
 * Thread: safe
 * Source: events.md section 2
 *
 * Returns: the kind, or %TS_EVENT_INVALID
 */
TsEventKind
ts_event_kind_parse (const char *name,
                     guint8 *sides)
{
  static const struct
  {
    const char *name;
    TsEventKind kind;
    guint8 sides;
  } side_names[] = {
    { "isr_enter", TS_EVENT_ISR, TS_EVENT_SIDE_START },
    { "isr_exit", TS_EVENT_ISR, TS_EVENT_SIDE_END },
    { "task_in", TS_EVENT_TASK_SWITCH, TS_EVENT_SIDE_START },
    { "task_out", TS_EVENT_TASK_SWITCH, TS_EVENT_SIDE_END },
  };

  for (guint i = 0; i < G_N_ELEMENTS (side_names); i++)
    if (strcmp (side_names[i].name, name) == 0)
      {
        *sides = side_names[i].sides;
        return side_names[i].kind;
      }

  *sides = TS_EVENT_SIDE_NONE | TS_EVENT_SIDE_START | TS_EVENT_SIDE_END;
  return ts_event_kind_from_name (name);
}

/**
 * ts_event_kind_get_n_operands:
 * @kind: a kind, any number
 *
 * How many of @value and @detail mean something for the kind; the others are NULL in the public
 * columns.
 *
 * A kind that shows no second operand may still carry one for the model's own use in
 * #TsEvent.detail: task_state keeps the object that a blocked task waits for there.
 *
 * Thread: safe
 * Source: events.md section 1, "Operands beyond the plain one"
 *
 * Returns: 0, 1 or 2
 */
guint
ts_event_kind_get_n_operands (TsEventKind kind)
{
  const KindInfo *info = find_kind (kind);

  return info != NULL ? info->n_operands : 0;
}

/**
 * ts_event_kind_is_host_made:
 * @kind: a kind
 *
 * Whether events of the kind are made by the host and so never count in `total_events`.
 *
 * Thread: safe
 * Source: events.md section 2, last paragraph
 */
gboolean
ts_event_kind_is_host_made (TsEventKind kind)
{
  return kind >= TS_EVENT_DATA_LOSS && find_kind (kind) != NULL;
}
