/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-packet.c: one packet, known to be complete and valid, becomes one event. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-stream-private.h"

/* What stands behind the time stamp. */
typedef enum
{
  OPERANDS_NONE,
  OPERANDS_U8,
  OPERANDS_I32,
  OPERANDS_U32,
  OPERANDS_2U32,
  OPERANDS_SPECIAL,
} Operands;

/* What the id of an event names, what follows, and whether its START flag means something (column
 * F). Source: viewalyzer-wire.md sections 5.1, 6.5; events.md section 1 (operands). */
typedef struct
{
  guint8 space;    /* a TsVaSpace; NONE: no object, or one that takes a closer look */
  guint8 operands; /* an Operands */
  guint8 has_sides;
} Shape;

static const Shape shapes[0x26] = {
  [TS_EVENT_INVALID] = { TS_VA_SPACE_NONE, OPERANDS_NONE, FALSE },
  [TS_EVENT_TASK_SWITCH] = { TS_VA_SPACE_TASK, OPERANDS_NONE, TRUE },
  [TS_EVENT_ISR] = { TS_VA_SPACE_ISR, OPERANDS_NONE, TRUE },
  [TS_EVENT_TASK_CREATE] = { TS_VA_SPACE_TASK, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_USER_TRACE] = { TS_VA_SPACE_TRACE, OPERANDS_I32, FALSE },
  [TS_EVENT_TASK_NOTIFY] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, TRUE },
  [TS_EVENT_SEMAPHORE] = { TS_VA_SPACE_SEM, OPERANDS_NONE, TRUE },
  [TS_EVENT_MUTEX] = { TS_VA_SPACE_MUTEX, OPERANDS_SPECIAL, TRUE },
  [TS_EVENT_QUEUE] = { TS_VA_SPACE_QUEUE, OPERANDS_NONE, TRUE },
  [TS_EVENT_STACK_USAGE] = { TS_VA_SPACE_TASK, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_USER_TOGGLE] = { TS_VA_SPACE_TOGGLE, OPERANDS_U8, FALSE },
  [TS_EVENT_USER_EVENT] = { TS_VA_SPACE_SPAN, OPERANDS_NONE, TRUE },
  [TS_EVENT_MUTEX_CONTENTION] = { TS_VA_SPACE_MUTEX, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_STRING] = { TS_VA_SPACE_STRING, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_FLOAT_TRACE] = { TS_VA_SPACE_TRACE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_GPIO] = { TS_VA_SPACE_GPIO, OPERANDS_U32, FALSE },
  [TS_EVENT_COUNTER] = { TS_VA_SPACE_COUNTER, OPERANDS_U32, FALSE },
  [TS_EVENT_HEAP] = { TS_VA_SPACE_GAUGE, OPERANDS_U32, FALSE },
  [TS_EVENT_SLEEP] = { TS_VA_SPACE_TASK, OPERANDS_NONE, TRUE },
  [TS_EVENT_TIMER] = { TS_VA_SPACE_TIMER, OPERANDS_NONE, TRUE },
  [TS_EVENT_HEAP_SYNC] = { TS_VA_SPACE_HEAP, OPERANDS_U32, TRUE },
  [TS_EVENT_PM_SUSPEND] = { TS_VA_SPACE_POWER, OPERANDS_NONE, TRUE },
  [TS_EVENT_SEQ_CHECKPOINT] = { TS_VA_SPACE_NONE, OPERANDS_NONE, FALSE },
  [TS_EVENT_HEAP_FAIL] = { TS_VA_SPACE_HEAP, OPERANDS_U32, FALSE },
  [TS_EVENT_EVENT_FLAG] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, TRUE },
  [TS_EVENT_OP_FAILED] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, TRUE },
  [TS_EVENT_WORK] = { TS_VA_SPACE_NONE, OPERANDS_2U32, TRUE },
  [TS_EVENT_TIMER_ARM] = { TS_VA_SPACE_TIMER, OPERANDS_2U32, FALSE },
  [TS_EVENT_TASK_STATE] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_TASK_PRIORITY] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_TIMER_CALLBACK] = { TS_VA_SPACE_TIMER, OPERANDS_2U32, TRUE },
  [TS_EVENT_STREAM_BUFFER] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_MEM_SLAB] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_CONDVAR] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_POLL] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_QUEUE_DETAILS] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_NOTIFY_DETAILS] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
  [TS_EVENT_FLAG_DETAILS] = { TS_VA_SPACE_NONE, OPERANDS_SPECIAL, FALSE },
};

static inline void
set_text (TsEvent *event, guint32 text, guint32 low)
{
  event->flags |= TS_EVENT_FLAG_TEXT;
  event->detail = (gint64) ((guint64) text << 32 | low);
}

/* Loss text of buffered mode. Source: viewalyzer-wire.md section 6.2. */
static void
take_drop_report (TsVaStream *self, const guint8 *text, gsize n_text)
{
  guint64 n = 0;

  for (gsize i = 5; i < n_text; i++)
    {
      if (!g_ascii_isdigit (text[i]) || n > G_MAXUINT32)
        return;
      n = n * 10 + (guint64) (text[i] - '0');
    }
  self->decoder->parent.counters.dropped_reported += n;
}

static void
fill_string (TsVaStream *self, TsEvent *event, guint id, const guint8 *packet, gsize n_packet)
{
  gsize at = self->layout->body_at + (self->string_bits == 8 ? 1u : 2u);
  gsize n = n_packet > at ? n_packet - at : 0;

  if (id == 0 && n > 5 && memcmp (packet + at, "DROP:", 5) == 0)
    take_drop_report (self, packet + at, n);
  event->value = id;
  set_text (event, _ts_va_text_intern (self->decoder->parent.sink, (const char *) packet + at, n), 0);
}

/* Object of an operation that may concern any kind of kernel object. */
static guint32
any_sync_object (TsVaStream *self, guint id)
{
  return _ts_va_object (self, _ts_va_objects_find_sync (self, id), id);
}

/* Object of kind QUEUE on the wire, which event @code says more about. */
static guint32
queue_object (TsVaStream *self, guint code, guint id)
{
  if (G_UNLIKELY (self->queue_kind[id] != code))
    _ts_va_objects_queue_is (self, id, code);
  self->sync_used[id] = TS_VA_SPACE_QUEUE;
  return _ts_va_object (self, TS_VA_SPACE_QUEUE, id);
}

/* Operands of the 1.2.0 details. Source: viewalyzer-wire.md sections 5.3, 5.4, 13.7. */
static void
fill_details (TsVaStream *self, TsEvent *event, guint code, guint id, const guint8 *body)
{
  guint operation = body[0];
  guint task = body[1];
  guint exception = _ts_va_u16 (body + 2);

  switch (code)
    {
    case TS_EVENT_TASK_STATE:
      {
        guint32 packed = _ts_va_u32 (body);
        guint sync = packed >> 16 & 0xFF;

        event->object = _ts_va_object (self, TS_VA_SPACE_TASK, id);
        event->value = packed & 0xFF;
        set_text (event, _ts_va_text_state (self, packed, _ts_va_u32 (body + 4)),
                  sync != 0 ? any_sync_object (self, sync) : 0);
        if ((packed & 0xFF) == 6)
          _ts_va_objects_task_deleted (self, id);
        return;
      }

    case TS_EVENT_TASK_PRIORITY:
      {
        guint32 base = _ts_va_u32 (body + 4);
        guint32 cause = _ts_va_u32 (body + 8);

        event->object = _ts_va_object (self, TS_VA_SPACE_TASK, id);
        event->value = (gint32) _ts_va_u32 (body);
        event->detail = (gint32) base;
        if (cause != 0)
          set_text (event, _ts_va_text_cause (self, cause), base);
        if (cause == 1 || cause == 0)
          _ts_va_objects_task_priority (self, id, (gint32) event->value, (gint32) base);
        return;
      }

    case TS_EVENT_NOTIFY_DETAILS:
      event->object = _ts_va_object (self, TS_VA_SPACE_TASK, id);
      break;

    case TS_EVENT_POLL:
      event->object = operation == 9 || operation == 10 ? _ts_va_object (self, TS_VA_SPACE_TASK, id)
                                                        : queue_object (self, code, id);
      break;

    default:
      event->object = queue_object (self, code, id);
      break;
    }
  event->value = _ts_va_u32 (body + 4);
  set_text (event, _ts_va_text_operation (self, code, operation, task, exception),
            _ts_va_u32 (body + 8));
}

/* Checkpoint. A time of 0 is no time: PC senders that were given none. Source: viewalyzer-wire.md
 * sections 3.6, 10.2. */
static void
fill_checkpoint (TsVaStream *self, TsEvent *event, guint32 stamp, guint32 number)
{
  _ts_va_stream_checkpoint (self, number);
  if (stamp == 0)
    {
      if (self->sender == TS_VA_SENDER_UNKNOWN && !self->has_time)
        _ts_va_stream_set_sender (self, TS_VA_SENDER_UDP);
      event->time = _ts_va_time_of_now (self);
    }
  else
    event->time = _ts_va_time_take (self, stamp, FALSE);
  event->value = number;
}

/* Events with operands that follow no pattern, from @body, the bytes behind the time stamp. */
static void
fill_special (TsVaStream *self, TsEvent *event, guint id, const guint8 *packet, gsize n_packet)
{
  const guint8 *body = packet + self->layout->body_at;
  guint id_at = self->layout->id_at;

  switch (event->kind)
    {
    case TS_EVENT_TASK_CREATE:
      event->value = (gint32) _ts_va_u32 (body);
      event->detail = (gint32) _ts_va_u32 (body + 4);
      _ts_va_objects_task (self, id, (gint32) event->value, (gint32) event->detail,
                           _ts_va_u32 (body + 8));
      break;

    case TS_EVENT_FLOAT_TRACE:
      {
        union
        {
          guint32 i;
          float f;
        } in = { .i = _ts_va_u32 (body) };
        union
        {
          double d;
          gint64 i;
        } out = { .d = in.f };

        event->value = out.i;
        event->flags |= TS_EVENT_FLAG_FLOAT;
        break;
      }

    case TS_EVENT_TASK_NOTIFY:
      event->object = _ts_va_object_or_none (self, TS_VA_SPACE_TASK, id);
      event->value = _ts_va_u32 (body + 1);
      event->detail = _ts_va_object_or_none (self, TS_VA_SPACE_TASK, packet[id_at + 1]);
      break;

    case TS_EVENT_MUTEX:
      if (self->sender == TS_VA_SENDER_UDP)
        event->flags |= TS_EVENT_FLAG_START_TAKES;
      break;

    case TS_EVENT_STACK_USAGE:
      {
        guint unit = _ts_va_objects_sizes_are_words (self) ? 4 : 1;

        event->value = (gint64) _ts_va_u32 (body) * unit;
        event->detail = (gint64) _ts_va_u32 (body + 4) * unit;
        break;
      }

    case TS_EVENT_MUTEX_CONTENTION:
      event->value = _ts_va_object_or_none (self, TS_VA_SPACE_TASK, packet[id_at + 1]);
      event->detail = _ts_va_object_or_none (self, TS_VA_SPACE_TASK, packet[id_at + 2]);
      break;

    case TS_EVENT_STRING:
      fill_string (self, event, id, packet, n_packet);
      break;

    case TS_EVENT_EVENT_FLAG:
      event->object = queue_object (self, event->kind, id);
      event->value = _ts_va_u32 (body);
      break;

    case TS_EVENT_OP_FAILED:
      event->object = any_sync_object (self, id);
      event->value = _ts_va_u32 (body);
      break;

    default:
      fill_details (self, event, event->kind, id, body);
      break;
    }
}

/* Object and operands of everything but the checkpoint. */
static inline void
fill_event (TsVaStream *self, TsEvent *event, guint id, const guint8 *packet, gsize n_packet)
{
  const guint8 *body = packet + self->layout->body_at;
  const Shape *shape = &shapes[event->kind];

  if (shape->space != TS_VA_SPACE_NONE)
    {
      if (shape->space >= TS_VA_SPACE_FIRST_SYNC && shape->space <= TS_VA_SPACE_LAST_SYNC)
        self->sync_used[id] = shape->space;
      event->object = _ts_va_object (self, shape->space, id);
    }
  switch (shape->operands)
    {
    case OPERANDS_NONE:
      break;
    case OPERANDS_U8:
      event->value = body[0];
      break;
    case OPERANDS_I32:
      event->value = (gint32) _ts_va_u32 (body);
      break;
    case OPERANDS_U32:
      event->value = _ts_va_u32 (body);
      break;
    case OPERANDS_2U32:
      event->value = _ts_va_u32 (body);
      event->detail = _ts_va_u32 (body + 4);
      break;
    case OPERANDS_SPECIAL:
    default:
      fill_special (self, event, id, packet, n_packet);
      break;
    }
}

/* Takes one complete, valid packet of the stream's dialect. */
void
_ts_va_stream_packet (TsVaStream *self, const guint8 *packet, gsize n_packet)
{
  const TsVaLayout *layout = self->layout;
  TsDecodeCounters *counters = &self->decoder->parent.counters;
  TsEventWindow *window = &self->decoder->window;
  guint code = packet[0] & 0x7F;
  gboolean start = (packet[0] & TS_VA_START_FLAG) != 0;
  guint id;
  TsEvent event;

  counters->packets++;
  if (layout->has_seq)
    {
      self->n_seq++;
      if (G_LIKELY (packet[1] == self->expected && !self->is_dirty))
        self->expected = (packet[1] + 1) & 0xFF;
      else
        _ts_va_stream_break (self, packet, n_packet);
    }
  else if (G_UNLIKELY (self->is_dirty))
    _ts_va_stream_break (self, packet, n_packet);

  if (G_UNLIKELY (code >= TS_VA_CODE_SETUP))
    {
      _ts_va_stream_setup (self, packet, n_packet);
      return;
    }

  /* only PC senders set the flag on these. Source: viewalyzer-wire.md section 3.6 */
  if (G_UNLIKELY (start
                  && (code == TS_EVENT_USER_TRACE || code == TS_EVENT_FLOAT_TRACE
                      || code == TS_EVENT_TASK_CREATE)
                  && self->sender == TS_VA_SENDER_UNKNOWN))
    _ts_va_stream_set_sender (self, TS_VA_SENDER_UDP);

  /* before the time is known: delivering may shift all times */
  _ts_event_window_make_room (window);
  id = packet[layout->id_at];
  event.object = 0;
  event.kind = (guint16) code;
  event.core = self->core;
  event.flags = shapes[code].has_sides ? (start ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END) : 0;
  event.value = 0;
  event.detail = 0;
  if (G_UNLIKELY (code == TS_VA_CODE_CHECKPOINT))
    fill_checkpoint (self, &event, _ts_va_u32 (packet + 3), _ts_va_u32 (packet + 7));
  else
    {
      const guint8 *stamp = packet + layout->id_at + 1
                            + (code == TS_EVENT_TASK_NOTIFY        ? 1
                               : code == TS_EVENT_MUTEX_CONTENTION ? 2
                                                                   : 0);

      event.time = layout->ts_bytes == 8 ? _ts_va_time_take (self, _ts_va_u64 (stamp), TRUE)
                                         : _ts_va_time_take (self, _ts_va_u32 (stamp), FALSE);
      fill_event (self, &event, id, packet, n_packet);
    }
  event.flags |= self->next_flags;
  self->next_flags = 0;
  counters->events++;

  *_ts_event_window_reserve (window) = event;
  _ts_event_window_commit (window);
  if (G_UNLIKELY (window->n_counted >= self->bundle_end))
    {
      self->bundle_end = G_MAXUINT64;
      _ts_va_decoder_update_depth (self->decoder);
    }
}
