/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-words.c: what an event says in words: in English for files and programs, in the user's
 * language on screen. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>

#include <glib/gi18n-lib.h>

#include "ts-counters-private.h"
#include "ts-recording-private.h"

/**
 * Words:
 * @recording: whose events
 * @is_translated: in the user's language
 */
typedef struct
{
  TsRecording *recording;
  gboolean is_translated;
} Words;

/* One of the words below in the language that is wanted. */
static const char *say (const Words *self, const char *text) G_GNUC_FORMAT (2);

static const char *
say (const Words *self, const char *text)
{
  return self->is_translated ? g_dpgettext2 (GETTEXT_PACKAGE, "event", text) : text;
}

static const char *
get_name (const Words *self, guint32 id)
{
  const TsObject *object = ts_recording_get_object (self->recording, id);

  return object != NULL ? object->name : "?";
}

static const char *
get_value_name (const Words *self, gint64 id)
{
  return id > 0 && id <= G_MAXUINT32 ? get_name (self, (guint32) id) : "?";
}

static char *
describe_value (const Words *self, const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self->recording, event->object);
  const char *name = object != NULL ? object->name : "?";
  const char *space = object != NULL && object->unit != NULL && *object->unit != '\0' ? " " : "";
  const char *unit = object != NULL && object->unit != NULL ? object->unit : "";
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if ((event->flags & TS_EVENT_FLAG_FLOAT) == 0)
    return g_strdup_printf ("%s = %" PRId64 "%s%s", name, event->value, space, unit);

  g_ascii_formatd (text, sizeof text, "%.7g", ts_event_get_double (event));
  return g_strdup_printf ("%s = %s%s%s", name, text, space, unit);
}

/* Who gives and who takes. A public UDP sender's mutex START means "acquire". Source:
 * viewalyzer-wire.md sections 3.6, 5.1 */
static char *
describe_exchange (const Words *self, const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *name = get_name (self, event->object);
  const char *other;

  if ((event->flags & TS_EVENT_FLAG_START_TAKES) != 0)
    is_start = !is_start;

  switch (event->kind)
    {
    case TS_EVENT_QUEUE:
      /* translators: to a queue, and from one */
      return g_strdup_printf (is_start ? say (self, NC_ ("event", "send %s"))
                                       : say (self, NC_ ("event", "receive %s")),
                              name);

    case TS_EVENT_TASK_NOTIFY:
      if (event->object == 0)
        name = say (self, NC_ ("event", "interrupt"));
      other = get_value_name (self, ts_event_get_detail (event));
      if (is_start)
        /* translators: a task, who notifies it, and a value */
        return g_strdup_printf (say (self, NC_ ("event", "notify %s from %s (%" PRId64 ")")), other,
                                name, event->value);
      return g_strdup_printf (say (self, NC_ ("event", "%s notified by %s (%" PRId64 ")")), name,
                              other, event->value);

    case TS_EVENT_EVENT_FLAG:
      /* translators: event flags: their name and bits */
      return g_strdup_printf (is_start
                                  ? say (self, NC_ ("event", "set %s (0x%" PRIx64 ")"))
                                  : say (self, NC_ ("event", "wait satisfied %s (0x%" PRIx64 ")")),
                              name, (guint64) event->value);

    case TS_EVENT_OP_FAILED:
      return g_strdup_printf (is_start ? say (self, NC_ ("event", "give failed on %s"))
                                       : say (self, NC_ ("event", "take failed on %s")),
                              name);

    default:
      /* translators: a mutex or semaphore */
      return g_strdup_printf (is_start ? say (self, NC_ ("event", "give %s"))
                                       : say (self, NC_ ("event", "take %s")),
                              name);
    }
}

static char *
describe_memory (const Words *self, const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  gint64 detail = ts_event_get_detail (event);
  const char *name = get_name (self, event->object);

  switch (event->kind)
    {
    case TS_EVENT_STACK_USAGE:
      return g_strdup_printf (
          say (self, NC_ ("event", "stack %" PRId64 " of %" PRId64 " bytes used")), event->value,
          detail);

    case TS_EVENT_HEAP:
      return g_strdup_printf (say (self, NC_ ("event", "%s = %" PRId64 " bytes used")), name,
                              event->value);

    case TS_EVENT_HEAP_SYNC:
      /* translators: a heap, and how many bytes */
      return g_strdup_printf (is_start
                                  ? say (self, NC_ ("event", "allocated from %s (%" PRId64 ")"))
                                  : say (self, NC_ ("event", "freed to %s (%" PRId64 ")")),
                              name, event->value);

    case TS_EVENT_HEAP_FAIL:
      return g_strdup_printf (
          say (self, NC_ ("event", "allocation of %" PRId64 " bytes from %s failed")), event->value,
          name);

    default:
      return g_strdup_printf ("%s (%" PRId64 ", %" PRId64 ")", name, event->value, detail);
    }
}

static char *
describe_host (const Words *self, const TsEvent *event, const char *text)
{
  switch (event->kind)
    {
    case TS_EVENT_DATA_LOSS:
      if (event->value < 0)
        return g_strdup (say (self, NC_ ("event", "data lost, amount unknown")));
      return g_strdup_printf (say (self, NC_ ("event", "%" PRId64 " packets lost")), event->value);

    case TS_EVENT_CORRUPT:
      return g_strdup_printf (say (self, NC_ ("event", "%" PRId64 " bytes could not be decoded")),
                              event->value);

    case TS_EVENT_SESSION_START:
      return g_strdup (say (self, NC_ ("event", "recorder started")));

    case TS_EVENT_SWO_LOAD:
      /* translators: of a trace stream, since the last such event */
      return g_strdup_printf (say (self, NC_ ("event", "%" PRId64 " bytes came")), event->value);

    case TS_EVENT_CAPTURE_END:
      /* translators: why */
      return text != NULL ? g_strdup_printf (say (self, NC_ ("event", "capture ended: %s")), text)
                          : g_strdup (say (self, NC_ ("event", "capture ended")));

    default:
      return g_strdup (text != NULL ? text : say (self, NC_ ("event", "mark")));
    }
}

static char *
describe_task (const Words *self, const TsEvent *event, const char *text)
{
  static const char *const states[]
      = { NC_ ("event", "unknown"), NC_ ("event", "ready"),    NC_ ("event", "running"),
          NC_ ("event", "blocked"), NC_ ("event", "sleeping"), NC_ ("event", "suspended"),
          NC_ ("event", "deleted") };
  gint64 waits_for = ts_event_get_detail (event);

  switch (event->kind)
    {
    case TS_EVENT_TASK_CREATE:
      return g_strdup_printf (say (self, NC_ ("event", "created, priority %" PRId64)),
                              event->value);

    case TS_EVENT_TASK_PRIORITY:
      {
        g_autofree char *words
            = g_strdup_printf (say (self, NC_ ("event", "priority %" PRId64 ", base %" PRId64)),
                               event->value, ts_event_get_detail (event));

        return text != NULL ? g_strdup_printf ("%s (%s)", words, text) : g_steal_pointer (&words);
      }

    default:
      {
        guint state = (guint) (event->value & 0xFF);

        if (state == 3 && waits_for > 0)
          return g_strdup_printf (say (self, NC_ ("event", "blocked on %s")),
                                  get_value_name (self, waits_for));
        return g_strdup (say (self, state < G_N_ELEMENTS (states) ? states[state] : states[0]));
      }
    }
}

static char *
describe_timer (const Words *self, const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *name = get_name (self, event->object);
  gint64 detail = ts_event_get_detail (event);

  switch (event->kind)
    {
    case TS_EVENT_TIMER:
      /* translators: a timer */
      return g_strdup_printf (is_start ? say (self, NC_ ("event", "start %s"))
                                       : say (self, NC_ ("event", "expire %s")),
                              name);

    case TS_EVENT_TIMER_ARM:
      if (detail > 0)
        return g_strdup_printf (
            say (self, NC_ ("event", "arm %s: in %" PRId64 " ms, every %" PRId64 " ms")), name,
            event->value, detail);
      return g_strdup_printf (say (self, NC_ ("event", "arm %s: once in %" PRId64 " ms")), name,
                              event->value);

    case TS_EVENT_TIMER_CALLBACK:
      /* translators: a timer */
      return g_strdup_printf (is_start ? say (self, NC_ ("event", "enter callback of %s"))
                                       : say (self, NC_ ("event", "leave callback of %s")),
                              name);

    default:
      /* translators: a work item: its address, and when it is due */
      return g_strdup_printf (
          is_start ? say (self, NC_ ("event", "arm work 0x%" PRIx64 ", %" PRId64 " ms"))
                   : say (self, NC_ ("event", "cancel work 0x%" PRIx64 ", %" PRId64 " ms")),
          (guint64) event->value, detail);
    }
}

/* Kinds without words of their own: object, operands and text as they are. */
static char *
describe_plain (const Words *self, const TsEvent *event, const char *text)
{
  g_autoptr (GString) words = g_string_new (NULL);
  guint n_operands = ts_event_kind_get_n_operands (event->kind);

  if (event->object != 0)
    g_string_append (words, get_name (self, event->object));
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "",
                            (event->flags & TS_EVENT_FLAG_START) != 0
                                ? say (self, NC_ ("event", "start"))
                                : say (self, NC_ ("event", "end")));
  if (n_operands > 0)
    g_string_append_printf (words, "%s%" PRId64, words->len > 0 ? " " : "", event->value);
  if (n_operands > 1)
    g_string_append_printf (words, ", %" PRId64, ts_event_get_detail (event));
  if (text != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? ": " : "", text);

  return g_string_free (g_steal_pointer (&words), FALSE);
}

/* What a comparator saw without a value: the instruction that accessed, the address that it accessed,
 * or both. Of two that are linked (ARMv8-M) the one sends the instruction's, the other the data's. */
static char *
describe_fragments (const Words *self, const TsEvent *event, const char *text)
{
  guint32 pc = (guint32) event->value;
  guint32 address = (guint32) ts_event_get_detail (event);
  g_autoptr (GString) words = g_string_new (get_name (self, event->object));

  if (address != 0)
    g_string_append_printf (words, ": 0x%08X", address);
  if (pc != 0 && text != NULL)
    g_string_append_printf (words, " (%s, 0x%08X)", text, pc);
  else if (pc != 0)
    g_string_append_printf (words, " (0x%08X)", pc);
  return g_string_free (g_steal_pointer (&words), FALSE);
}

/* A sample of the program counter, or what a comparator saw: addresses are read in hexadecimal.
 * Source: events.md section 1, itm-dwt.md section 2.7 */
static char *
describe_access (const Words *self, const TsEvent *event, const char *text)
{
  guint32 first = (guint32) event->value;
  guint32 second = (guint32) ts_event_get_detail (event);
  g_autofree char *value = NULL;

  if (event->kind == TS_EVENT_DWT_PC)
    return event->value > 0 ? g_strdup_printf ("0x%08X", first) : describe_plain (self, event, NULL);
  if (event->kind == TS_EVENT_DWT_DATA_PC)
    return describe_fragments (self, event, text);
  value = describe_value (self, event);
  if (second == 0)
    return g_steal_pointer (&value);
  /* the function that the instruction is in, where it is known */
  return text != NULL ? g_strdup_printf ("%s (%s, 0x%08X)", value, text, second)
                      : g_strdup_printf ("%s (0x%08X)", value, second);
}

/* What trace hardware tells beside accesses. Source: itm-dwt.md sections 2.5 and 2.7 */
static char *
describe_hardware (const Words *self, const TsEvent *event, const char *text)
{
  gint64 detail = ts_event_get_detail (event);
  g_autoptr (GString) words = g_string_new (NULL);

  switch (event->kind)
    {
    case TS_EVENT_DWT_EXC:
      if (detail < 1 || detail > 3)
        break;
      return g_strdup (detail == 1   ? say (self, NC_ ("event", "enter"))
                       : detail == 2 ? say (self, NC_ ("event", "exit"))
                                     /* translators: an interrupt or thread goes on */
                                     : say (self, NC_ ("event", "return to it")));

    case TS_EVENT_DWT_COUNTERS:
      for (guint i = 0; i < TS_N_COUNTERS; i++)
        if ((event->value >> i & 1) != 0)
          g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "",
                                  _ts_counter_get_name (i));
      return g_string_free (g_steal_pointer (&words), FALSE);

    case TS_EVENT_ITM_DATA:
      if (detail != 1 && detail != 2 && detail != 4)
        break;
      return g_strdup_printf ("%s = %" PRId64 " (0x%0*" PRIX64 ")", get_name (self, event->object),
                              event->value, (int) (2 * detail), (guint64) event->value);

    case TS_EVENT_ITM_OVERFLOW:
      return g_strdup (say (self, NC_ ("event", "packets were lost on the chip")));

    default:
      break;
    }
  return describe_plain (self, event, text);
}

static char *
describe (const Words *self, const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  const char *text = ts_recording_get_string (self->recording, ts_event_get_text_id (event));

  switch (event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
      /* translators: a task is switched in, or out */
      return g_strdup (is_start ? say (self, NC_ ("event", "in"))
                                : say (self, NC_ ("event", "out")));

    case TS_EVENT_ISR:
      /* translators: an interrupt is entered, or left */
      return g_strdup (is_start ? say (self, NC_ ("event", "enter"))
                                : say (self, NC_ ("event", "exit")));

    case TS_EVENT_USER_EVENT:
      return g_strdup (is_start ? say (self, NC_ ("event", "start"))
                                : say (self, NC_ ("event", "end")));

    case TS_EVENT_SLEEP:
      return g_strdup (is_start ? say (self, NC_ ("event", "falls asleep"))
                                : say (self, NC_ ("event", "sleep over")));

    case TS_EVENT_PM_SUSPEND:
      return g_strdup (is_start ? say (self, NC_ ("event", "enters low power"))
                                : say (self, NC_ ("event", "leaves low power")));

    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
      return describe_value (self, event);

    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
      /* translators: a pin or a toggle */
      return g_strdup_printf (event->value != 0 ? say (self, NC_ ("event", "%s high"))
                                                : say (self, NC_ ("event", "%s low")),
                              get_name (self, event->object));

    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_MUTEX:
    case TS_EVENT_QUEUE:
    case TS_EVENT_TASK_NOTIFY:
    case TS_EVENT_EVENT_FLAG:
    case TS_EVENT_OP_FAILED:
      return describe_exchange (self, event);

    case TS_EVENT_MUTEX_CONTENTION:
      /* translators: a task, a mutex, and the task that has it */
      return g_strdup_printf (say (self, NC_ ("event", "%s waits for %s, held by %s")),
                              get_value_name (self, event->value), get_name (self, event->object),
                              get_value_name (self, ts_event_get_detail (event)));

    case TS_EVENT_STRING:
    case TS_EVENT_ITM_TEXT:
      return g_strdup (text != NULL ? text : "");

    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_HEAP_FAIL:
      return describe_memory (self, event);

    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_TASK_STATE:
    case TS_EVENT_TASK_PRIORITY:
      return describe_task (self, event, text);

    case TS_EVENT_TIMER:
    case TS_EVENT_TIMER_ARM:
    case TS_EVENT_TIMER_CALLBACK:
    case TS_EVENT_WORK:
      return describe_timer (self, event);

    case TS_EVENT_SEQ_CHECKPOINT:
      return g_strdup_printf (say (self, NC_ ("event", "sequence number %" PRId64)), event->value);

    case TS_EVENT_DWT_PC:
    case TS_EVENT_DWT_DATA:
    case TS_EVENT_DWT_DATA_PC:
      return describe_access (self, event, text);

    case TS_EVENT_DWT_EXC:
    case TS_EVENT_DWT_COUNTERS:
    case TS_EVENT_ITM_DATA:
    case TS_EVENT_ITM_OVERFLOW:
      return describe_hardware (self, event, text);

    default:
      if (ts_event_kind_is_host_made (event->kind))
        return describe_host (self, event, text);
      return describe_plain (self, event, text);
    }
}

/**
 * ts_recording_describe_event:
 * @self: a recording
 * @event: one of its events
 *
 * What the event says, in a few words ("give BusMtx", "in", "motor_current = 3.412", the text of a
 * message), for the column "What" of listings and files: in English, whatever the user speaks. The
 * lane and the kind are shown beside it and not repeated.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 5.1 to 5.4; events.md section 1 for the operands
 *
 * Returns: (transfer full): the text
 */
char *
ts_recording_describe_event (TsRecording *self, const TsEvent *event)
{
  const Words words = { self, FALSE };

  return describe (&words, event);
}

/**
 * ts_recording_tell_event:
 * @self: a recording
 * @event: one of its events
 *
 * As ts_recording_describe_event(), in the user's language: for the screen.
 *
 * Thread: owner
 *
 * Returns: (transfer full): the text
 */
char *
ts_recording_tell_event (TsRecording *self, const TsEvent *event)
{
  const Words words = { self, TRUE };

  return describe (&words, event);
}
