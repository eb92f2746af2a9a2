/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-decoder.c: the decoder of recorder streams: one stream per sender, one window of events for
 * all. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-decoder-private.h"
#include "ts-va-stream-private.h"

/* How far an event may go back. Firmware steps back over the packet before (09 after 01 and 1C);
 * the PC senders over those of one turn; legacy v1 over a whole bundle, up to 255 tasks, and only
 * there; several senders over what came from the others. Few, because what can still be passed is
 * held back. Source: viewalyzer-wire.md sections 10.3, 2.3. */
#define DEPTH_FIRMWARE 8
#define DEPTH_UDP 64
#define DEPTH_SENDERS 64
#define DEPTH_LEGACY TS_EVENT_WINDOW_MAX_DEPTH

/* Bytes after which automatic detection decides; if it cannot, it tries again with more of them,
 * and in the end lets go of the oldest. */
#define DETECT_FIRST 4096
#define DETECT_LAST 65536
/* Fewer bytes than these say nothing when the stream falls silent. */
#define DETECT_LEAST 1024

static TsVaDecoder *
va (TsDecoder *decoder)
{
  return (TsVaDecoder *) decoder;
}

TsVaStream *
_ts_va_stream_new (TsVaDecoder *decoder, guint32 source, guint core)
{
  TsVaStream *self = g_new0 (TsVaStream, 1);

  self->decoder = decoder;
  self->source = source;
  self->core = (guint8) core;
  self->expected = TS_VA_NO_SEQ;
  self->string_bits = 16;
  self->is_searching = TRUE;
  self->bundle_end = G_MAXUINT64;
  self->is_datagrams = decoder->framing == TS_VA_INPUT_RECORDS;
  self->carry = g_byte_array_new ();
  self->undecided = g_byte_array_new ();
  memset (self->sync_space, TS_VA_SPACE_NONE, sizeof self->sync_space);
  memset (self->sync_used, TS_VA_SPACE_NONE, sizeof self->sync_used);
  _ts_va_time_init (self);
  return self;
}

void
_ts_va_stream_free (TsVaStream *self)
{
  _ts_va_objects_clear (self);
  g_byte_array_unref (self->carry);
  g_byte_array_unref (self->undecided);
  g_free (self);
}

/* Tells the sink a fact about the stream, once: bundles repeat them. */
static void
tell (TsVaDecoder *self, const char *key, const char *value)
{
  gboolean is_list = strcmp (key, "error") == 0 || strcmp (key, "info") == 0;
  g_autofree char *slot = is_list ? g_strconcat (key, ":", value, NULL) : g_strdup (key);

  if (g_strcmp0 (g_hash_table_lookup (self->infos, slot), value) == 0)
    return;
  g_hash_table_replace (self->infos, g_steal_pointer (&slot), g_strdup (value));
  self->parent.sink->iface->set_info (self->parent.sink, key, value);
}

/* A fact about one sender. The recording's are those of the first. */
void
_ts_va_stream_tell (TsVaStream *self, const char *key, const char *value)
{
  if (self->core == 0 || strcmp (key, "error") == 0)
    tell (self->decoder, key, value);
}

/* How much reordering the senders need. */
void
_ts_va_decoder_update_depth (TsVaDecoder *self)
{
  guint depth = self->n_streams > 1 ? DEPTH_SENDERS : DEPTH_FIRMWARE;

  for (guint i = 0; i < self->n_streams; i++)
    {
      const TsVaStream *stream = self->streams[i];

      if (stream->bundle_end != G_MAXUINT64)
        depth = DEPTH_LEGACY;
      else if (stream->sender == TS_VA_SENDER_UDP)
        depth = MAX (depth, DEPTH_UDP);
    }
  if (depth != self->window.depth)
    _ts_event_window_set_depth (&self->window, depth);
}

static TsVaStream *
get_stream (TsVaDecoder *self, guint32 source)
{
  for (guint i = 0; i < self->n_streams; i++)
    if (self->streams[i]->source == source)
      return self->streams[i];
  if (self->n_streams == G_N_ELEMENTS (self->streams))
    return NULL;
  self->streams[self->n_streams] = _ts_va_stream_new (self, source, self->n_streams);
  self->n_streams++;
  _ts_va_decoder_update_depth (self);
  return self->streams[self->n_streams - 1];
}

/* Where time 0 lies on the first sender's clock, as soon as that is final. */
static void
tell_origin (TsVaDecoder *self)
{
  const TsVaStream *first = self->streams[0];
  char text[32];

  self->origin_told = TRUE;
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, -(first->offset + self->window.shift));
  tell (self, "t0_ticks", text);
}

static void
deliver (TsVaDecoder *self, gboolean all)
{
  if (G_UNLIKELY (self->ref_hz == 0 && self->parent.options.clock_hz != 0
                  && self->window.n_events > 0))
    {
      self->ref_hz = self->parent.options.clock_hz;
      self->ref_is_given = TRUE;
      self->parent.sink->iface->set_clock (self->parent.sink, self->ref_hz);
    }
  if (all)
    _ts_event_window_deliver_all (&self->window);
  else
    _ts_event_window_deliver (&self->window);
  if (G_UNLIKELY (!self->origin_told && self->window.is_settled))
    tell_origin (self);
}

static void
push_stream (TsVaDecoder *self, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  TsVaStream *stream = get_stream (self, source);

  if (stream == NULL)
    {
      self->parent.counters.corrupt_bytes += n_bytes;
      return;
    }
  switch (self->framing)
    {
    case TS_VA_INPUT_RAW:
      _ts_va_raw_push (stream, bytes, n_bytes);
      break;
    case TS_VA_INPUT_COBS:
      _ts_va_frames_push (stream, bytes, n_bytes);
      break;
    case TS_VA_INPUT_RECORDS:
      _ts_va_records_push (stream, bytes, n_bytes);
      break;
    case TS_VA_INPUT_AUTO:
    default:
      g_assert_not_reached ();
    }
}

/* The framing is @framing: decodes what was kept. */
static void
settle_framing (TsVaDecoder *self, TsVaInput framing)
{
  g_autoptr (GByteArray) unread = g_steal_pointer (&self->unread);
  gsize at = 0;

  self->unread = g_byte_array_new ();
  self->n_unread = 0;
  self->framing = framing;
  self->parent.format = framing == TS_VA_INPUT_RECORDS ? "va-udprec"
                        : framing == TS_VA_INPUT_COBS  ? "va-cobs"
                                                       : "va";
  while (at + 8 <= unread->len)
    {
      guint32 n = _ts_va_u32 (unread->data + at + 4);

      push_stream (self, _ts_va_u32 (unread->data + at), unread->data + at + 8, n);
      at += 8 + n;
    }
}

/* The bytes kept of the first sender, in one piece. */
static GByteArray *
gather_unread (TsVaDecoder *self)
{
  GByteArray *first = g_byte_array_new ();
  gsize at = 0;

  while (at + 8 <= self->unread->len)
    {
      guint32 n = _ts_va_u32 (self->unread->data + at + 4);

      if (memcmp (self->unread->data + at, self->unread->data, 4) == 0)
        g_byte_array_append (first, self->unread->data + at + 8, n);
      at += 8 + n;
    }
  return first;
}

static void
drop_unread (TsVaDecoder *self)
{
  gsize at = 0;

  while (at + 8 <= self->unread->len)
    {
      guint32 n = _ts_va_u32 (self->unread->data + at + 4);

      self->n_dropped += n;
      self->parent.counters.corrupt_bytes += n;
      at += 8 + n;
    }
  g_byte_array_set_size (self->unread, 0);
  self->n_unread = 0;
}

/* It is a trace stream of @format: another decoder takes what was kept, and all that comes. */
static void
settle_trace (TsVaDecoder *self, const char *format)
{
  g_autoptr (GByteArray) unread = g_steal_pointer (&self->unread);
  gsize at = 0;

  self->unread = g_byte_array_new ();
  self->n_unread = 0;
  self->trace = _ts_itm_decoder_create (format, self->parent.sink, &self->parent.options);
  self->parent.format = format;
  while (at + 8 <= unread->len)
    {
      guint32 n = _ts_va_u32 (unread->data + at + 4);

      ts_decoder_push (self->trace, _ts_va_u32 (unread->data + at), unread->data + at + 8, n);
      at += 8 + n;
    }
}

static void
try_detect (TsVaDecoder *self, gboolean can_wait)
{
  g_autoptr (GByteArray) first = gather_unread (self);
  const TsDecoderOptions *options = &self->parent.options;
  const char *trace;
  TsVaInput framing;

  if (self->n_dropped == 0)
    self->is_foreign = _ts_itm_is_foreign (first->data, first->len);
  if (self->is_foreign || _ts_itm_is_text (first->data, first->len))
    return;
  trace = _ts_itm_detect (first->data, first->len, options->has_itm_port ? options->itm_port : 1);
  if (trace != NULL)
    {
      settle_trace (self, trace);
      return;
    }
  framing = _ts_va_detect (first->data, first->len, can_wait);
  if (framing != TS_VA_INPUT_AUTO)
    settle_framing (self, framing);
}

/* Keeps bytes until the framing is known. Only amounts decide when it is looked for, so that slices
 * do not matter. */
static void
push_unread (TsVaDecoder *self, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  while (n_bytes > 0)
    {
      gsize limit = DETECT_FIRST;
      gboolean is_first = self->unread->len == 0 || _ts_va_u32 (self->unread->data) == source;
      gsize n = n_bytes;
      guint32 header[2];

      if (self->trace != NULL)
        {
          ts_decoder_push (self->trace, source, bytes, n_bytes);
          return;
        }
      if (self->framing != TS_VA_INPUT_AUTO)
        {
          push_stream (self, source, bytes, n_bytes);
          return;
        }
      while (limit <= self->n_unread)
        limit *= 4;
      if (is_first)
        n = MIN (n, limit - self->n_unread);
      n = MIN (n, DETECT_LAST);
      header[0] = GUINT32_TO_LE (source);
      header[1] = GUINT32_TO_LE ((guint32) n);
      g_byte_array_append (self->unread, (const guint8 *) header, sizeof header);
      g_byte_array_append (self->unread, bytes, (guint) n);
      bytes += n;
      n_bytes -= n;
      if (is_first)
        self->n_unread += n;
      if (is_first && self->n_unread == limit)
        try_detect (self, FALSE);
      if (self->framing == TS_VA_INPUT_AUTO && self->trace == NULL
          && (self->n_unread >= DETECT_LAST || self->unread->len >= 16 * DETECT_LAST))
        drop_unread (self);
    }
}

static void
va_push (TsDecoder *decoder, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  TsVaDecoder *self = va (decoder);

  if (G_UNLIKELY (self->trace != NULL))
    {
      ts_decoder_push (self->trace, source, bytes, n_bytes);
      return;
    }
  if (G_UNLIKELY (self->framing == TS_VA_INPUT_AUTO))
    push_unread (self, source, bytes, n_bytes);
  else
    push_stream (self, source, bytes, n_bytes);
  if (self->trace == NULL)
    deliver (self, FALSE);
}

static void
settle_streams (TsVaDecoder *self, TsVaOutlook outlook)
{
  for (guint i = 0; i < self->n_streams; i++)
    {
      TsVaStream *stream = self->streams[i];

      if (self->framing == TS_VA_INPUT_RAW)
        _ts_va_raw_settle (stream, outlook);
      else if (self->framing == TS_VA_INPUT_COBS)
        _ts_va_frames_settle (stream, outlook);
      else if (self->framing == TS_VA_INPUT_RECORDS)
        _ts_va_records_settle (stream, outlook);
    }
}

static void
va_idle (TsDecoder *decoder)
{
  TsVaDecoder *self = va (decoder);

  if (self->framing == TS_VA_INPUT_AUTO && self->n_unread >= DETECT_LEAST)
    try_detect (self, TRUE);
  if (self->trace != NULL)
    {
      ts_decoder_idle (self->trace);
      return;
    }
  settle_streams (self, TS_VA_IDLE);
  deliver (self, TRUE);
}

static void
va_mark_loss (TsDecoder *decoder, guint32 source, guint64 n_bytes)
{
  TsVaDecoder *self = va (decoder);
  TsVaStream *stream;

  if (self->framing == TS_VA_INPUT_AUTO && self->trace == NULL)
    {
      /* what is there may not be joined with what comes */
      try_detect (self, FALSE);
      if (self->framing == TS_VA_INPUT_AUTO && self->trace == NULL)
        drop_unread (self);
    }
  if (self->trace != NULL)
    {
      ts_decoder_mark_loss (self->trace, source, n_bytes);
      return;
    }
  stream = get_stream (self, source);
  if (stream == NULL)
    return;
  if (self->framing == TS_VA_INPUT_RAW)
    _ts_va_raw_lose (stream);
  else if (self->framing != TS_VA_INPUT_AUTO)
    _ts_va_frames_lose (stream);
  stream->n_record = 0;
  stream->n_payload = 0;
  stream->has_host_loss = TRUE;
  stream->n_host_lost += n_bytes;
  stream->is_dirty = TRUE;
  deliver (self, FALSE);
}

static void
va_flush (TsDecoder *decoder)
{
  TsVaDecoder *self = va (decoder);
  TsDecodeCounters *counters = &self->parent.counters;

  if (self->framing == TS_VA_INPUT_AUTO && self->n_unread > 0)
    {
      try_detect (self, FALSE);
      if (self->framing == TS_VA_INPUT_AUTO && self->trace == NULL)
        drop_unread (self);
    }
  if (self->trace != NULL)
    {
      ts_decoder_flush (self->trace);
      return;
    }
  settle_streams (self, TS_VA_END);
  for (guint i = 0; i < self->n_streams; i++)
    {
      TsVaStream *stream = self->streams[i];

      if (!stream->was_locked && stream->n_bad > 0)
        {
          /* no boundary in all of it: this was no late start */
          stream->was_locked = TRUE;
          stream->is_dirty = TRUE;
          counters->skipped_bytes -= stream->n_bad;
          counters->corrupt_bytes += stream->n_bad;
        }
      if (stream->is_dirty)
        _ts_va_stream_tell_damage (stream);
      if (stream->layout != NULL)
        _ts_va_objects_complete (stream);
    }
  deliver (self, TRUE);
}

static void
clear (TsVaDecoder *self)
{
  for (guint i = 0; i < self->n_streams; i++)
    _ts_va_stream_free (g_steal_pointer (&self->streams[i]));
  self->n_streams = 0;
  _ts_event_window_clear (&self->window);
  g_clear_pointer (&self->infos, g_hash_table_unref);
  g_clear_pointer (&self->unread, g_byte_array_unref);
  g_clear_pointer (&self->trace, ts_decoder_free);
}

static void
set_up (TsVaDecoder *self, const char *format)
{
  self->framing = strcmp (format, "va") == 0          ? TS_VA_INPUT_RAW
                  : strcmp (format, "va-cobs") == 0   ? TS_VA_INPUT_COBS
                  : strcmp (format, "va-udprec") == 0 ? TS_VA_INPUT_RECORDS
                                                      : TS_VA_INPUT_AUTO;
  self->parent.format = format;
  memset (&self->parent.counters, 0, sizeof self->parent.counters);
  _ts_event_window_init (&self->window, self->parent.sink);
  _ts_event_window_set_depth (&self->window, DEPTH_FIRMWARE);
  self->ref_hz = 0;
  self->ref_is_given = FALSE;
  self->origin_told = FALSE;
  self->infos = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->unread = g_byte_array_new ();
  self->n_unread = 0;
  self->n_dropped = 0;
  self->is_foreign = FALSE;
}

static void
va_reset (TsDecoder *decoder)
{
  TsVaDecoder *self = va (decoder);

  clear (self);
  set_up (self, self->asked_format);
}

static void
va_free (TsDecoder *decoder)
{
  clear (va (decoder));
  g_free (decoder);
}

static void
va_prepare_counters (TsDecoder *decoder)
{
  TsVaDecoder *self = va (decoder);
  guint64 bytes = decoder->counters.bytes;

  if (self->trace == NULL)
    return;
  decoder->counters = *ts_decoder_get_counters (self->trace);
  decoder->counters.bytes = bytes;
  decoder->counters.corrupt_bytes += self->n_dropped;
}

static const TsDecoderClass va_class = {
  .free = va_free,
  .push = va_push,
  .idle = va_idle,
  .mark_loss = va_mark_loss,
  .flush = va_flush,
  .reset = va_reset,
  .prepare_counters = va_prepare_counters,
};

/* Makes a decoder of recorder streams. @format: "va", "va-cobs", "va-udprec" or "auto", a static
 * string. */
TsDecoder *
_ts_va_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options)
{
  TsVaDecoder *self = g_new0 (TsVaDecoder, 1);

  self->parent.klass = &va_class;
  self->parent.sink = sink;
  self->parent.options = *options;
  self->asked_format = format;
  set_up (self, format);
  return &self->parent;
}
