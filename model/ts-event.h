/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event.h: the one language that every decoder speaks.
 *
 * A decoder turns bytes into arrays of #TsEvent; everything above it (recording, timeline, queries) knows events only
 * and no wire format. Kinds, flags and their numbers are persisted in recordings: append, never renumber.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsEventKind:
 *
 * What happened. The recorder's event codes 01 to 25 (hexadecimal) keep their numbers; other sources start at 0x100;
 * events made by the host itself start at 0x200. Names: ts_event_kind_get_name(). Append-only, persisted.
 *
 * Source: events.md section 2 (names), viewalyzer-wire.md section 5.1 (codes).
 */
typedef enum
{
  TS_EVENT_INVALID = 0x00,
  TS_EVENT_TASK_SWITCH = 0x01,
  TS_EVENT_ISR = 0x02,
  TS_EVENT_TASK_CREATE = 0x03,
  TS_EVENT_USER_TRACE = 0x04,
  TS_EVENT_TASK_NOTIFY = 0x05,
  TS_EVENT_SEMAPHORE = 0x06,
  TS_EVENT_MUTEX = 0x07,
  TS_EVENT_QUEUE = 0x08,
  TS_EVENT_STACK_USAGE = 0x09,
  TS_EVENT_USER_TOGGLE = 0x0A,
  TS_EVENT_USER_EVENT = 0x0B,
  TS_EVENT_MUTEX_CONTENTION = 0x0C,
  TS_EVENT_STRING = 0x0D,
  TS_EVENT_FLOAT_TRACE = 0x0E,
  TS_EVENT_GPIO = 0x0F,
  TS_EVENT_COUNTER = 0x10,
  TS_EVENT_HEAP = 0x11,
  TS_EVENT_SLEEP = 0x12,
  TS_EVENT_TIMER = 0x13,
  TS_EVENT_HEAP_SYNC = 0x14,
  TS_EVENT_PM_SUSPEND = 0x15,
  TS_EVENT_SEQ_CHECKPOINT = 0x16,
  TS_EVENT_HEAP_FAIL = 0x17,
  TS_EVENT_EVENT_FLAG = 0x18,
  TS_EVENT_OP_FAILED = 0x19,
  TS_EVENT_WORK = 0x1A,
  TS_EVENT_TIMER_ARM = 0x1B,
  TS_EVENT_TASK_STATE = 0x1C,
  TS_EVENT_TASK_PRIORITY = 0x1D,
  TS_EVENT_TIMER_CALLBACK = 0x1E,
  TS_EVENT_STREAM_BUFFER = 0x1F,
  TS_EVENT_MEM_SLAB = 0x20,
  TS_EVENT_CONDVAR = 0x21,
  TS_EVENT_POLL = 0x22,
  TS_EVENT_QUEUE_DETAILS = 0x23,
  TS_EVENT_NOTIFY_DETAILS = 0x24,
  TS_EVENT_FLAG_DETAILS = 0x25,

  TS_EVENT_DWT_PC = 0x100,
  TS_EVENT_DWT_EXC = 0x101,
  TS_EVENT_DWT_DATA = 0x102,
  TS_EVENT_DWT_DATA_PC = 0x103,
  TS_EVENT_DWT_MATCH = 0x104,
  TS_EVENT_DWT_COUNTERS = 0x105,
  TS_EVENT_PMU_OVERFLOW = 0x106,
  TS_EVENT_ITM_TEXT = 0x107,
  TS_EVENT_ITM_DATA = 0x108,
  TS_EVENT_ITM_OVERFLOW = 0x109,
  TS_EVENT_GLOBAL_TS = 0x10A,
  TS_EVENT_POLL_TRACE = 0x10B,
  TS_EVENT_FUNCTION = 0x10C,
  TS_EVENT_THREAD_STATE = 0x10D,
  TS_EVENT_KERNEL_CALL = 0x10E,
  TS_EVENT_PROCESS = 0x10F,
  TS_EVENT_MESSAGE = 0x110,
  TS_EVENT_EXTERNAL_TRACE = 0x111,

  TS_EVENT_DATA_LOSS = 0x200,     /* value: packets lost, -1 unknown; detail: bytes */
  TS_EVENT_CORRUPT = 0x201,       /* value: bytes that could not be decoded */
  TS_EVENT_SESSION_START = 0x202, /* the recorder was (re)initialised */
  TS_EVENT_CAPTURE_END = 0x203,   /* text: the reason */
  TS_EVENT_MARK = 0x204,          /* text: a user's note */
  TS_EVENT_SWO_LOAD = 0x205,      /* value: bytes of a trace stream; detail: ticks in which they came, up to its time */
} TsEventKind;

/**
 * TsEventFlags:
 * @TS_EVENT_FLAG_TIME_ESTIMATED: public bit 0: the time is a guess
 * @TS_EVENT_FLAG_AFTER_LOSS: public bit 1: first event after a loss
 * @TS_EVENT_FLAG_SYNTHETIC: public bit 2: made by the host, not sent by the target; never counted in totals
 * @TS_EVENT_FLAG_START: the START side (give, enter, in), as sent on the wire
 * @TS_EVENT_FLAG_END: the other side (take, exit, out); neither flag: the kind has no sides (column `start` is NULL)
 * @TS_EVENT_FLAG_FLOAT: @value holds the bits of a double (use ts_event_get_double())
 * @TS_EVENT_FLAG_START_TAKES: a mutex event of a sender whose START side means "acquire" (the public UDP senders)
 * @TS_EVENT_FLAG_TEXT: the upper 32 bits of @detail are the id of an interned string, the lower 32 bits the second operand
 */
typedef enum
{
  TS_EVENT_FLAG_TIME_ESTIMATED = 1 << 0,
  TS_EVENT_FLAG_AFTER_LOSS = 1 << 1,
  TS_EVENT_FLAG_SYNTHETIC = 1 << 2,
  TS_EVENT_FLAG_START = 1 << 3,
  TS_EVENT_FLAG_END = 1 << 4,
  TS_EVENT_FLAG_FLOAT = 1 << 5,
  TS_EVENT_FLAG_START_TAKES = 1 << 6,
  TS_EVENT_FLAG_TEXT = 1 << 7,
} TsEventFlags;

/** The flag bits that the public column `va_events.flags` shows. */
#define TS_EVENT_FLAGS_PUBLIC 0x07

/**
 * TsEvent:
 * @time: ticks of the recording's clock since its first event (>= 0), 64 bit, never decreasing from event to event
 * @object: id from ts_event_sink_define_object() of the task, ISR, queue, channel ... it is about; 0: none
 * @kind: a #TsEventKind
 * @core: processor, 0 for single-core sources
 * @flags: #TsEventFlags
 * @value: the kind's first operand (see events.md section 1: "Operands beyond the plain one"); object ids where it names an object
 * @detail: the kind's second operand (plain int64), or with %TS_EVENT_FLAG_TEXT string id << 32 | operand (low 32 bits)
 *
 * 32 bytes, passed in arrays, never allocated one by one. value, detail: whether an operand exists for a kind (else the public
 * column is NULL) is a property of the kind: ts_event_kind_get_n_operands().
 */
typedef struct
{
  gint64 time;
  guint32 object;
  guint16 kind;
  guint8 core;
  guint8 flags;
  gint64 value;
  gint64 detail;
} TsEvent;

G_STATIC_ASSERT (sizeof (TsEvent) == 32);

const char *ts_event_kind_get_name (TsEventKind kind);
TsEventKind ts_event_kind_from_name (const char *name);

/** Sides of a kind, as ts_event_kind_parse() tells them. */
#define TS_EVENT_SIDE_NONE 1
#define TS_EVENT_SIDE_START 2
#define TS_EVENT_SIDE_END 4
TsEventKind ts_event_kind_parse (const char *name,
                                 guint8 *sides);
guint ts_event_kind_get_n_operands (TsEventKind kind);
gboolean ts_event_kind_is_host_made (TsEventKind kind);

/** The side of @event, as ts_event_kind_parse() tells sides. */
static inline guint8
ts_event_get_side (const TsEvent *event)
{
  return (event->flags & TS_EVENT_FLAG_START) != 0 ? TS_EVENT_SIDE_START
         : (event->flags & TS_EVENT_FLAG_END) != 0 ? TS_EVENT_SIDE_END
                                                   : TS_EVENT_SIDE_NONE;
}

/** Id of the interned text of @event, 0 if it has none. */
static inline guint32
ts_event_get_text_id (const TsEvent *event)
{
  return (event->flags & TS_EVENT_FLAG_TEXT) != 0 ? (guint32) ((guint64) event->detail >> 32) : 0;
}

/** Second operand of @event without the text id. */
static inline gint64
ts_event_get_detail (const TsEvent *event)
{
  return (event->flags & TS_EVENT_FLAG_TEXT) != 0 ? (gint64) (guint32) event->detail : event->detail;
}

/** First operand as a number, whether it is stored as a double or an integer. */
static inline double
ts_event_get_double (const TsEvent *event)
{
  union { gint64 i; double d; } u = { .i = event->value };

  return (event->flags & TS_EVENT_FLAG_FLOAT) != 0 ? u.d : (double) event->value;
}

/** What a comparator saw, as the bits that were sent: @size bytes (1, 2 or 4) of it. What an ELF file knows to be signed
 * or of floating point is stored as the number that it is. */
static inline guint32
ts_event_get_raw (const TsEvent *event,
                  guint size)
{
  union { guint32 i; float f; } u = { .f = 0 };

  if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
    {
      u.f = (float) ts_event_get_double (event);
      return u.i;
    }
  return (guint32) event->value & (event->value < 0 && size < 4 ? (1u << 8 * size) - 1 : G_MAXUINT32);
}

/* Ages from here on are rounded. */
#define TS_EVENT_AGE_EXACT ((gint64) 1 << 31)
#define TS_EVENT_AGE_BITS 26

/** How long before its event a line of %TS_EVENT_ITM_TEXT began, in ticks, as its second operand (32 bits): exact below
 * 2^31, else within 2^-25 of it. */
static inline guint32
ts_event_pack_age (gint64 age)
{
  guint shift = 0;

  if (age < TS_EVENT_AGE_EXACT)
    return (guint32) MAX (age, 0);
  while (age >> shift >= (gint64) 1 << TS_EVENT_AGE_BITS && shift < 31)
    shift++;
  return 1u << 31 | shift << TS_EVENT_AGE_BITS
         | (guint32) MIN (age >> shift, ((gint64) 1 << TS_EVENT_AGE_BITS) - 1);
}

/** When the line of @event, a %TS_EVENT_ITM_TEXT, began: the time of its first byte. */
static inline gint64
ts_event_get_line_begin (const TsEvent *event)
{
  guint32 packed = (guint32) ts_event_get_detail (event);
  gint64 age = packed;

  if ((packed >> 31) != 0)
    age = (gint64) (packed & ((1u << TS_EVENT_AGE_BITS) - 1)) << (packed >> TS_EVENT_AGE_BITS & 31);
  return MAX (event->time - age, 0);
}

/** Whether @event counts in `total_events`: it came from the target. */
static inline gboolean
ts_event_is_counted (const TsEvent *event)
{
  return event->kind < TS_EVENT_DATA_LOSS && (event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0;
}

G_END_DECLS
