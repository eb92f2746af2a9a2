/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-kind-words.h"

/* By the number of the kind, from 1, from 0x100 and from 0x200 on. */
static const char *const of_recorder[] = {
  NC_ ("kind of event", "Task switch"),
  NC_ ("kind of event", "Interrupt"),
  NC_ ("kind of event", "Task created"),
  NC_ ("kind of event", "Value"),
  NC_ ("kind of event", "Task notification"),
  NC_ ("kind of event", "Semaphore"),
  NC_ ("kind of event", "Mutex"),
  NC_ ("kind of event", "Queue"),
  NC_ ("kind of event", "Stack use"),
  NC_ ("kind of event", "User toggle"),
  NC_ ("kind of event", "User event"),
  NC_ ("kind of event", "Wait for a mutex"),
  NC_ ("kind of event", "Text message"),
  NC_ ("kind of event", "Value with a fraction"),
  NC_ ("kind of event", "Pin"),
  NC_ ("kind of event", "Counter"),
  NC_ ("kind of event", "Heap"),
  NC_ ("kind of event", "Sleep"),
  NC_ ("kind of event", "Timer"),
  NC_ ("kind of event", "Heap in use"),
  NC_ ("kind of event", "Power-saving state"),
  NC_ ("kind of event", "Number of the packet"),
  NC_ ("kind of event", "Heap exhausted"),
  NC_ ("kind of event", "Event flags"),
  NC_ ("kind of event", "Failed operation"),
  NC_ ("kind of event", "Work item"),
  NC_ ("kind of event", "Timer armed"),
  NC_ ("kind of event", "State of a task"),
  NC_ ("kind of event", "Priority of a task"),
  NC_ ("kind of event", "Timer callback"),
  NC_ ("kind of event", "Stream buffer"),
  NC_ ("kind of event", "Memory pool"),
  NC_ ("kind of event", "Condition variable"),
  NC_ ("kind of event", "Poll"),
  NC_ ("kind of event", "Fill level of a queue"),
  NC_ ("kind of event", "Details of a notification"),
  NC_ ("kind of event", "Details of event flags"),
};

static const char *const of_processor[] = {
  NC_ ("kind of event", "Program counter sample"),
  NC_ ("kind of event", "Exception"),
  NC_ ("kind of event", "Data access"),
  NC_ ("kind of event", "Data access with its place"),
  NC_ ("kind of event", "Watchpoint"),
  NC_ ("kind of event", "Event counter wrapped"),
  NC_ ("kind of event", "Performance counter overflow"),
  NC_ ("kind of event", "Printed text"),
  NC_ ("kind of event", "Stimulus port"),
  NC_ ("kind of event", "Trace overflow"),
  NC_ ("kind of event", "Global time stamp"),
  NC_ ("kind of event", "Polled value"),
  NC_ ("kind of event", "Function"),
  NC_ ("kind of event", "State of a thread"),
  NC_ ("kind of event", "Kernel call"),
  NC_ ("kind of event", "Process"),
  NC_ ("kind of event", "Message"),
  NC_ ("kind of event", "Sample of an instrument"),
};

static const char *const of_host[] = {
  NC_ ("kind of event", "Data loss"),
  NC_ ("kind of event", "Damaged bytes"),
  NC_ ("kind of event", "Begin of a session"),
  NC_ ("kind of event", "End of the capture"),
  NC_ ("kind of event", "Mark"),
  NC_ ("kind of event", "Trace pin load"),
};

/**
 * ts_kind_describe:
 * @kind: a kind, any number
 *
 * The list of events, filters and files know kinds by their identifiers, ts_event_kind_get_name();
 * these are the words beside them.
 *
 * Thread: any
 *
 * Returns: (transfer none): what it is, in the user's language; its identifier if there is no word,
 *   "" for a number that is no kind
 */
const char *
ts_kind_describe (TsEventKind kind)
{
  const char *name = ts_event_kind_get_name (kind);
  const char *words = NULL;

  if (kind >= TS_EVENT_TASK_SWITCH && kind - TS_EVENT_TASK_SWITCH < G_N_ELEMENTS (of_recorder))
    words = of_recorder[kind - TS_EVENT_TASK_SWITCH];
  else if (kind >= TS_EVENT_DWT_PC && kind - TS_EVENT_DWT_PC < G_N_ELEMENTS (of_processor))
    words = of_processor[kind - TS_EVENT_DWT_PC];
  else if (kind >= TS_EVENT_DATA_LOSS && kind - TS_EVENT_DATA_LOSS < G_N_ELEMENTS (of_host))
    words = of_host[kind - TS_EVENT_DATA_LOSS];
  if (words != NULL)
    return g_dpgettext2 (GETTEXT_PACKAGE, "kind of event", words);
  return name != NULL ? name : "";
}
