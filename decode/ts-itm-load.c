/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-load.c: how many bytes a stream takes of its line, told now and then by an event.
 *
 * Bytes are counted from one time stamp to another, of packets of every kind and of what is no
 * packet: what the line carried. Told are they at the first time stamp 10 ms after the last one
 * that told, or later where they are few: this never becomes a large part of a recording.
 * Where these stand depends on the packets alone.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

/* Stretches in a second of the stream's clock. */
#define PER_SECOND 100
/* Fewer bytes wait for more, but not for longer than so many stretches. */
#define FEW_BYTES 1024
#define MAX_STRETCHES 5
/* The same where nobody tells how long a tick is. */
#define FEW_BYTES_UNKNOWN 4096
/* In any case so many are told at once: what is told takes less room than what came. */
#define LEAST_BYTES 8
/* The recorder's clock is looked at after so many bytes. */
#define LOOK_BYTES 256

/* Ticks of a stretch, 0: nobody tells how long a tick is. */
static gint64
get_width (const TsItmStream *self)
{
  const TsItmDecoder *decoder = self->decoder;
  guint64 hz = self->id < TS_DECODE_N_IDS ? decoder->parent.options.id_clock_hz[self->id] : 0;

  if (hz == 0)
    hz = decoder->parent.options.clock_hz;
  if (hz == 0 && decoder->va != NULL)
    hz = decoder->va->streams[0]->hz;
  return (gint64) MIN (hz / PER_SECOND, (guint64) 1 << 40);
}

/* Bytes or time are missing: the next time stamp begins anew. */
void
_ts_itm_stream_forget_load (TsItmStream *self)
{
  self->load.begin = G_MININT64;
}

static void
begin (TsItmStream *self, gint64 now, guint64 offset)
{
  self->load.begin = now;
  self->load.width = get_width (self);
  self->load.offset = offset;
}

/* Whether what came before @offset is to be told at @now, or a measurement is to begin. What is not
 * due at a time was not before. */
gboolean
_ts_itm_stream_is_load_due (const TsItmStream *self, gint64 now, guint64 offset)
{
  gint64 passed = now - self->load.begin;

  if (self->load.begin == G_MININT64)
    return TRUE;
  if (offset - self->load.offset >= (self->load.width > 0 ? FEW_BYTES : FEW_BYTES_UNKNOWN))
    return passed > self->load.width;
  if (offset - self->load.offset < LEAST_BYTES)
    return FALSE;
  return self->load.width > 0 && passed / MAX_STRETCHES >= self->load.width;
}

/* As _ts_itm_stream_note_load(), for a time stamp at @now that begins at @offset; @has_events: some
 * came before it. Returns whether @event was filled, but for its time. */
gboolean
_ts_itm_stream_tell_load (
    TsItmStream *self, gint64 now, guint64 offset, gboolean has_events, TsEvent *event)
{
  if (self->load.begin == G_MININT64)
    {
      /* not before time 0 */
      if (has_events)
        begin (self, now, offset);
      return FALSE;
    }
  *event = (TsEvent){
    .kind = TS_EVENT_SWO_LOAD,
    .core = self->core,
    .flags = TS_EVENT_FLAG_SYNTHETIC,
    .value = (gint64) (offset - self->load.offset),
    .detail = MAX (_ts_itm_stream_map_time (self, now)
                       - _ts_itm_stream_map_time (self, self->load.begin),
                   0),
  };
  begin (self, now, offset);
  return TRUE;
}

/* A time stamp was taken that is due, events before it have their times, with @flags. */
void
_ts_itm_stream_note_load (TsItmStream *self, const TsItmPacket *packet, guint8 flags)
{
  TsItmDecoder *decoder = self->decoder;
  guint8 next_flags = self->next_flags;
  TsEvent load;

  if (!_ts_itm_stream_tell_load (self, self->now, packet->offset,
                                 decoder->counted.events > 0 || decoder->window->n_counted > 0,
                                 &load))
    return;
  self->next_flags = 0;
  load.time = self->line_time;
  *_ts_itm_stream_add (self, TS_EVENT_SWO_LOAD, 0) = load;
  self->next_flags = next_flags;
  _ts_itm_stream_settle_pending (self, flags);
}

/* A packet of the recorder in a stream without time stamps: its clock tells when the bytes before
 * came. */
void
_ts_itm_stream_note_recorder_load (TsItmStream *self, const TsItmPacket *packet)
{
  TsEventWindow *window = self->decoder->window;
  TsEvent event;
  gint64 now;

  if (packet->offset - self->load.looked < LOOK_BYTES)
    return;
  self->load.looked = packet->offset;
  _ts_itm_decoder_push_gathered (self->decoder);
  if (window->newest == G_MININT64 || window->n_counted == 0 || _ts_itm_stream_is_in_doubt (self))
    return;
  now = window->newest - window->shift;
  if (self->load.begin == G_MININT64 || now < self->load.begin)
    {
      begin (self, now, packet->offset);
      return;
    }
  if (!_ts_itm_stream_is_load_due (self, now, packet->offset))
    return;
  event = (TsEvent){ .kind = TS_EVENT_SWO_LOAD,
                     .core = self->core,
                     .flags = TS_EVENT_FLAG_SYNTHETIC,
                     .time = window->newest,
                     .value = (gint64) (packet->offset - self->load.offset),
                     .detail = now - self->load.begin };
  *_ts_event_window_reserve (window) = event;
  _ts_event_window_commit (window);
  window->n_counted--;
  begin (self, now, packet->offset);
}
