/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-poll-decoder.c: decoder of polled values: the host's readings of variables and of the program
 * counter become events on a clock of microseconds.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-decoder-private.h"
#include "ts-poll-records.h"
#include "ts-va-wire-private.h"

#define HEAD_LEN 9 /* tag, and a time or what a channel begins with */
#define MAX_RECORD (11 + 4 * TS_POLL_MAX_CHANNELS)
#define CLOCK_HZ 1000000

typedef struct
{
  guint32 object;
  TsPollType type;
} Channel;

typedef struct
{
  TsDecoder parent;
  GByteArray *carry;
  Channel channels[TS_POLL_MAX_CHANNELS];
  guint n_channels;
  gint64 origin_us;
  gint64 last_us;
  gboolean has_origin;
  GArray *events; /* of TsEvent */
} PollDecoder;

static guint64
get_u64 (const guint8 *at)
{
  return (guint64) _ts_va_u32 (at) | (guint64) _ts_va_u32 (at + 4) << 32;
}

/* Bytes of the record at @bytes; 0: not enough of it; -1: none begins here. */
static int
measure (const guint8 *bytes,
         gsize n_bytes)
{
  int n;

  switch (bytes[0])
    {
    case 'C':
      if (n_bytes < HEAD_LEN)
        return 0;
      n = HEAD_LEN + bytes[8];
      return bytes[1] >= TS_POLL_N_TYPES || _ts_va_u16 (bytes + 2) >= TS_POLL_MAX_CHANNELS ? -1
             : (gsize) n <= n_bytes                                                        ? n
                                                                                           : 0;
    case 'V':
      if (n_bytes < 3)
        return 0;
      n = 11 + 4 * _ts_va_u16 (bytes + 1);
      return n > MAX_RECORD ? -1 : (gsize) n <= n_bytes ? n : 0;
    case 'P':
    case 'L':
      return n_bytes >= 13 ? 13 : 0;
    default:
      return -1;
    }
}

/* Microseconds since the first record with a time. */
static gint64
take_time (PollDecoder *self,
           const guint8 *at)
{
  gint64 time_us = (gint64) (get_u64 (at) & G_MAXINT64);

  if (!self->has_origin)
    {
      char text[24];

      self->has_origin = TRUE;
      self->origin_us = self->last_us = time_us;
      g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, time_us);
      self->parent.sink->iface->set_clock (self->parent.sink, CLOCK_HZ);
      self->parent.sink->iface->set_info (self->parent.sink, "t0_ticks", text);
    }
  self->last_us = MAX (self->last_us, time_us);

  return self->last_us - self->origin_us;
}

static TsEvent *
add_event (PollDecoder *self,
           TsEventKind kind,
           guint32 object,
           gint64 time)
{
  TsEvent event = { .time = time, .kind = (guint16) kind, .object = object };

  g_array_append_val (self->events, event);

  return &g_array_index (self->events, TsEvent, self->events->len - 1);
}

static void
give_out (PollDecoder *self)
{
  if (self->events->len == 0)
    return;
  for (guint i = 0; i < self->events->len; i++)
    self->parent.counters.events
        += ts_event_is_counted (&g_array_index (self->events, TsEvent, i));
  self->parent.sink->iface->events (self->parent.sink, (TsEvent *) (gpointer) self->events->data,
                                    self->events->len);
  g_array_set_size (self->events, 0);
}

static void
take_channel (PollDecoder *self,
              const guint8 *record)
{
  guint number = _ts_va_u16 (record + 2);
  TsObject object = TS_OBJECT_INIT;
  g_autofree char *name = g_utf8_make_valid ((const char *) record + HEAD_LEN, record[8]);

  if (number != self->n_channels)
    return;
  object.type = TS_OBJECT_POLLED;
  object.is_named = TRUE;
  object.wire_id = (gint32) number;
  object.name = name;
  object.address = _ts_va_u32 (record + 4);
  object.display = (char *) "graph";
  object.unit = NULL;
  self->channels[number].type = (TsPollType) record[1];
  self->channels[number].object
      = self->parent.sink->iface->define_object (self->parent.sink, &object);
  self->n_channels++;
}

/* The value that a word of memory stands for. */
static void
set_value (TsEvent *event,
           TsPollType type,
           guint32 word)
{
  union { guint32 word; float number; } single = { .word = word };
  union { double number; gint64 bits; } wide;

  switch (type)
    {
    case TS_POLL_U8:
      event->value = (guint8) word;
      break;
    case TS_POLL_U16:
      event->value = (guint16) word;
      break;
    case TS_POLL_I8:
      event->value = (gint8) word;
      break;
    case TS_POLL_I16:
      event->value = (gint16) word;
      break;
    case TS_POLL_I32:
      event->value = (gint32) word;
      break;
    case TS_POLL_F32:
      wide.number = (double) single.number;
      event->value = wide.bits;
      event->flags |= TS_EVENT_FLAG_FLOAT;
      break;
    case TS_POLL_U32:
    case TS_POLL_N_TYPES:
    default:
      event->value = word;
      break;
    }
}

static void
take_record (PollDecoder *self,
             const guint8 *record)
{
  gint64 time;
  guint32 word;

  self->parent.counters.packets++;
  switch (record[0])
    {
    case 'C':
      take_channel (self, record);
      return;

    case 'V':
      time = take_time (self, record + 3);
      for (guint i = 0; i < MIN (_ts_va_u16 (record + 1), self->n_channels); i++)
        set_value (add_event (self, TS_EVENT_POLL_TRACE, self->channels[i].object, time),
                   self->channels[i].type, _ts_va_u32 (record + 11 + 4 * i));
      return;

    case 'P':
      /* all ones: halted, or not permitted. Source: probes.md section 2, PCSR */
      time = take_time (self, record + 1);
      word = _ts_va_u32 (record + 9);
      add_event (self, TS_EVENT_DWT_PC, 0, time)->value
          = word == G_MAXUINT32 ? -1 : (gint64) (word & ~1u);
      return;

    case 'L':
    default:
      (void) take_time (self, record + 1);
      self->parent.counters.dropped_reported += _ts_va_u32 (record + 9);
      return;
    }
}

static void
poll_push (TsDecoder *decoder, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  PollDecoder *self = (PollDecoder *) decoder;
  gsize at = 0;

  g_byte_array_append (self->carry, bytes, (guint) n_bytes);
  while (at < self->carry->len)
    {
      int n = measure (self->carry->data + at, self->carry->len - at);

      if (n == 0)
        break;
      if (n > 0)
        take_record (self, self->carry->data + at);
      else
        decoder->counters.corrupt_bytes++;
      at += (gsize) MAX (n, 1);
      if (self->events->len >= TS_POLL_MAX_CHANNELS)
        give_out (self);
    }
  g_byte_array_remove_range (self->carry, 0, (guint) at);
  give_out (self);
}

static void
poll_nothing (TsDecoder *decoder)
{
}

static void
poll_mark_loss (TsDecoder *decoder, guint32 source, guint64 n_bytes)
{
  PollDecoder *self = (PollDecoder *) decoder;
  gint64 time = self->has_origin ? self->last_us - self->origin_us : 0;
  TsEvent *event = add_event (self, TS_EVENT_DATA_LOSS, 0, time);

  decoder->counters.corrupt_bytes += self->carry->len;
  g_byte_array_set_size (self->carry, 0);
  event->value = -1;
  event->detail = (gint64) n_bytes;
  event->flags = TS_EVENT_FLAG_SYNTHETIC;
  give_out (self);
}

static void
poll_flush (TsDecoder *decoder)
{
  PollDecoder *self = (PollDecoder *) decoder;

  decoder->counters.corrupt_bytes += self->carry->len;
  g_byte_array_set_size (self->carry, 0);
}

static void
poll_reset (TsDecoder *decoder)
{
  PollDecoder *self = (PollDecoder *) decoder;

  g_byte_array_set_size (self->carry, 0);
  g_array_set_size (self->events, 0);
  self->n_channels = 0;
  self->has_origin = FALSE;
  memset (&decoder->counters, 0, sizeof decoder->counters);
}

static void
poll_free (TsDecoder *decoder)
{
  PollDecoder *self = (PollDecoder *) decoder;

  g_byte_array_unref (self->carry);
  g_array_unref (self->events);
  g_free (self);
}

static const TsDecoderClass poll_class = {
  .free = poll_free,
  .push = poll_push,
  .idle = poll_nothing,
  .mark_loss = poll_mark_loss,
  .flush = poll_flush,
  .reset = poll_reset,
  .prepare_counters = poll_nothing,
};

/* Makes a decoder of polled values. @format: "poll", a static string. */
TsDecoder *
_ts_poll_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options)
{
  PollDecoder *self = g_new0 (PollDecoder, 1);

  self->parent.klass = &poll_class;
  self->parent.format = format;
  self->parent.sink = sink;
  self->parent.options = *options;
  self->carry = g_byte_array_new ();
  self->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));

  return &self->parent;
}
