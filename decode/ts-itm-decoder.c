/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-decoder.c: the decoder of ITM streams, with and without formatter frames, with and without
 * a recorder that writes into one of the stimulus ports.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

/* How far an event may go back where several cores send. A recorder's window keeps its own depth. */
#define DEPTH 128
/* A source is taken for ITM if fewer than one in so many of its first packets are odd. */
#define PROBE_SHARE 8

static TsItmDecoder *
itm (TsDecoder *decoder)
{
  return (TsItmDecoder *) decoder;
}

/* The recorder's bytes gathered so far are decoded. */
void
_ts_itm_decoder_push_all_gathered (TsItmDecoder *self)
{
  guint n = self->n_gathered;

  self->n_gathered = 0;
  ts_decoder_push (&self->va->parent, 0, self->gathered, n);
}

static TsItmStream *
stream_new (TsItmDecoder *self, guint id)
{
  TsItmStream *stream = g_new0 (TsItmStream, 1);
  const TsDecoderOptions *options = &self->parent.options;
  guint own = id < TS_DECODE_N_IDS ? options->id_prescaler[id] : 0;

  stream->decoder = self;
  stream->id = id;
  stream->core = (guint8) self->n_streams;
  stream->prescaler = own != 0 ? own : MAX (options->itm_prescaler, 1);
  stream->is_in_place = self->va == NULL && !self->is_framed;
  stream->lessons = stream->is_in_place ? _ts_itm_lessons_new () : NULL;
  stream->recorder_now = G_MININT64;
  _ts_itm_stream_forget_load (stream);
  stream->probe = g_byte_array_new ();
  stream->is_probing = self->is_framed && self->parent.options.trace_id == 0;
  _ts_itm_reader_init (&stream->reader,
                       self->parent.options.sync == TS_DECODE_SYNC_STRICT    ? TS_ITM_STRICT
                       : self->parent.options.sync == TS_DECODE_SYNC_ALIGNED ? TS_ITM_ALIGNED
                                                                             : TS_ITM_AUTO,
                       _ts_itm_stream_packets, stream);
  stream->reader.has_one_page = self->va != NULL && self->parent.options.itm_port < 32;
  self->streams[self->n_streams++] = stream;
  return stream;
}

static void
stream_free (TsItmStream *stream)
{
  for (guint i = 0; i < TS_ITM_N_PORTS; i++)
    g_free (stream->ports[i].line);
  g_byte_array_unref (stream->probe);
  g_free (stream->lessons);
  g_free (stream);
}

/* ---- which sources are ITM ---- */

typedef struct
{
  guint n;
  guint n_odd;
} Probe;

/* Packets that no core sends in its right mind. Source: itm-dwt.md section 8.4 */
static void
probe_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data)
{
  Probe *probe = user_data;

  for (gsize i = 0; i < n_packets; i++)
    {
      const TsItmPacket *packet = &packets[i];
      gboolean is_odd = packet->type == TS_ITM_RESERVED || packet->type == TS_ITM_BAD_SEQUENCE
                        || (packet->type >= TS_ITM_HW_RESERVED_DISC
                            && packet->type <= TS_ITM_PMU_BAD_SIZE)
                        || packet->type == TS_ITM_EXCEPTION_RESERVED
                        || packet->type == TS_ITM_PMU_OVERFLOW
                        || (packet->type == TS_ITM_EXTENSION && packet->size > 0);

      probe->n++;
      probe->n_odd += is_odd;
    }
}

/* Decides with the bytes kept whether the source speaks ITM. */
static void
settle_probe (TsItmStream *stream)
{
  TsItmDecoder *self = stream->decoder;
  g_autoptr (GByteArray) bytes = g_steal_pointer (&stream->probe);
  TsItmReader reader;
  Probe probe = { 0, 0 };

  stream->probe = g_byte_array_new ();
  stream->is_probing = FALSE;
  _ts_itm_reader_init (&reader, TS_ITM_ALIGNED, probe_packets, &probe);
  _ts_itm_reader_push (&reader, bytes->data, bytes->len);
  if (probe.n_odd * PROBE_SHARE > probe.n)
    {
      g_autofree char *text = NULL;

      stream->is_ignored = TRUE;
      self->counted.skipped_bytes += bytes->len;
      text = g_strdup_printf ("source %u is not ITM: left out", stream->id);
      self->parent.sink->iface->set_info (self->parent.sink, "info", text);
      return;
    }
  if (self->va != NULL && self->recorder == NULL)
    self->recorder = stream;
  _ts_itm_reader_push (&stream->reader, bytes->data, bytes->len);
}

static void
push_stream (TsItmStream *stream, const guint8 *bytes, gsize n_bytes)
{
  if (stream->is_probing)
    {
      gsize n = MIN (n_bytes, TS_ITM_PROBE - stream->probe->len);

      g_byte_array_append (stream->probe, bytes, (guint) n);
      bytes += n;
      n_bytes -= n;
      if (stream->probe->len < TS_ITM_PROBE)
        return;
      settle_probe (stream);
    }
  if (stream->is_ignored)
    stream->decoder->counted.skipped_bytes += n_bytes;
  else if (n_bytes > 0)
    _ts_itm_reader_push (&stream->reader, bytes, n_bytes);
}

static TsItmStream *
get_stream (TsItmDecoder *self, guint id)
{
  for (guint i = 0; i < self->n_streams; i++)
    if (self->streams[i]->id == id)
      return self->streams[i];
  return stream_new (self, id);
}

/* Bytes of a source. */
static void
take_source (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsItmDecoder *self = user_data;
  guint wanted = self->parent.options.trace_id;

  if (!self->is_framed)
    push_stream (self->streams[0], bytes, n_bytes);
  else if (wanted == 0 || id == wanted)
    push_stream (get_stream (self, id), bytes, n_bytes);
}

/* ---- the verbs of a decoder ---- */

/* The rate of the clock, where the stream cannot tell. */
static void
tell_clock (TsItmDecoder *self)
{
  if (self->clock_told || self->va != NULL || self->parent.options.clock_hz == 0)
    return;
  self->clock_told = TRUE;
  self->parent.sink->iface->set_clock (self->parent.sink, self->parent.options.clock_hz);
}

static void
deliver (TsItmDecoder *self, gboolean all)
{
  if (self->va != NULL)
    {
      if (all)
        ts_decoder_idle (&self->va->parent);
      return;
    }
  tell_clock (self);
  if (all)
    _ts_event_window_deliver_all (self->window);
  else if (!self->is_framed)
    _ts_itm_stream_deliver (self->streams[0]);
  else
    _ts_event_window_deliver (self->window);
}

static void
itm_push (TsDecoder *decoder, guint32 source, const guint8 *bytes, gsize n_bytes)
{
  TsItmDecoder *self = itm (decoder);

  _ts_deframer_push (&self->deframer, bytes, n_bytes);
  deliver (self, FALSE);
}

/* Gives out what waits for more. */
static void
settle (TsItmDecoder *self)
{
  for (guint i = 0; i < self->n_streams; i++)
    {
      TsItmStream *stream = self->streams[i];

      if (stream->is_probing && stream->probe->len > 0)
        settle_probe (stream);
      _ts_itm_stream_finish_lines (stream);
      _ts_itm_stream_give_out (stream);
    }
}

static void
itm_idle (TsDecoder *decoder)
{
  TsItmDecoder *self = itm (decoder);

  _ts_deframer_settle (&self->deframer);
  settle (self);
  deliver (self, TRUE);
}

static void
itm_mark_loss (TsDecoder *decoder, guint32 source, guint64 n_bytes)
{
  TsItmDecoder *self = itm (decoder);

  _ts_deframer_lose (&self->deframer);
  for (guint i = 0; i < self->n_streams; i++)
    {
      TsItmStream *stream = self->streams[i];

      _ts_itm_reader_lose (&stream->reader);
      _ts_itm_stream_finish_fragments (stream);
      _ts_itm_stream_time_lost (stream);
      _ts_itm_stream_forget_load (stream);
    }
  if (self->va != NULL)
    ts_decoder_mark_loss (&self->va->parent, 0, n_bytes);
  else
    {
      _ts_event_window_make_room (self->window);
      _ts_event_window_add_host_made (self->window, TS_EVENT_DATA_LOSS, 0, -1, (gint64) n_bytes);
    }
}

static void
itm_flush (TsDecoder *decoder)
{
  TsItmDecoder *self = itm (decoder);

  _ts_deframer_finish (&self->deframer);
  for (guint i = 0; i < self->n_streams; i++)
    {
      TsItmStream *stream = self->streams[i];

      if (stream->is_probing)
        settle_probe (stream);
      _ts_itm_reader_finish (&stream->reader);
      _ts_itm_stream_finish_fragments (stream);
    }
  settle (self);
  if (self->va != NULL)
    ts_decoder_flush (&self->va->parent);
  deliver (self, TRUE);
}

static void
clear (TsItmDecoder *self)
{
  for (guint i = 0; i < self->n_streams; i++)
    stream_free (g_steal_pointer (&self->streams[i]));
  self->n_streams = 0;
  self->recorder = NULL;
  _ts_deframer_clear (&self->deframer);
  g_clear_pointer ((TsDecoder **) &self->va, ts_decoder_free);
  _ts_event_window_clear (&self->own_window);
}

static void
set_up (TsItmDecoder *self)
{
  static const guint8 nothing[1] = { 0 };
  gboolean has_recorder = g_str_has_prefix (self->parent.format, "va-");

  memset (&self->parent.counters, 0, sizeof self->parent.counters);
  memset (&self->counted, 0, sizeof self->counted);
  self->is_framed = g_str_has_suffix (self->parent.format, "tpiu");
  self->n_gathered = 0;
  self->clock_told = FALSE;
  _ts_deframer_init (&self->deframer, self->is_framed, FALSE, take_source, self);
  if (has_recorder)
    {
      self->va = (TsVaDecoder *) _ts_va_decoder_create ("va", self->parent.sink,
                                                        &self->parent.options);
      /* makes its stream: what it tells about the origin of time needs one */
      self->va->parent.klass->push (&self->va->parent, 0, nothing, 0);
      self->window = &self->va->window;
    }
  else
    {
      _ts_event_window_init (&self->own_window, self->parent.sink);
      self->window = &self->own_window;
      _ts_event_window_set_depth (self->window, DEPTH);
    }
  if (!self->is_framed)
    self->recorder = stream_new (self, 0);
  else if (self->parent.options.trace_id != 0)
    self->recorder = stream_new (self, self->parent.options.trace_id);
  if (!has_recorder)
    self->recorder = NULL;
}

static void
itm_reset (TsDecoder *decoder)
{
  clear (itm (decoder));
  set_up (itm (decoder));
}

static void
itm_free (TsDecoder *decoder)
{
  clear (itm (decoder));
  g_free (decoder);
}

static void
itm_prepare_counters (TsDecoder *decoder)
{
  TsItmDecoder *self = itm (decoder);
  TsDecodeCounters *all = &decoder->counters;
  guint64 bytes = all->bytes;

  *all = self->counted;
  all->bytes = bytes;
  all->skipped_bytes += self->deframer.tpiu.n_dropped;
  if (self->va != NULL)
    {
      const TsDecodeCounters *recorder = ts_decoder_get_counters (&self->va->parent);

      all->packets += recorder->packets;
      all->markers += recorder->markers;
      all->events += recorder->events;
      all->corrupt_bytes += recorder->corrupt_bytes;
      all->skipped_bytes += recorder->skipped_bytes;
      all->lost_packets = recorder->lost_packets;
      all->seq_gaps = recorder->seq_gaps;
      all->resyncs += recorder->resyncs;
      all->unknown_packets += recorder->unknown_packets;
      all->dropped_reported = recorder->dropped_reported;
      all->sessions = recorder->sessions;
      all->seq_present = recorder->seq_present;
    }
}

static const TsDecoderClass itm_class = {
  .free = itm_free,
  .push = itm_push,
  .idle = itm_idle,
  .mark_loss = itm_mark_loss,
  .flush = itm_flush,
  .reset = itm_reset,
  .prepare_counters = itm_prepare_counters,
};

/* Makes a decoder of ITM streams. @format: "itm", "tpiu", "va-itm" or "va-tpiu", a static string. */
TsDecoder *
_ts_itm_decoder_create (const char *format, TsEventSink *sink, const TsDecoderOptions *options)
{
  TsItmDecoder *self = g_new0 (TsItmDecoder, 1);

  self->parent.klass = &itm_class;
  self->parent.format = format;
  self->parent.sink = sink;
  self->parent.options = *options;
  if (!options->has_itm_port)
    self->parent.options.itm_port = 1;
  set_up (self);
  return &self->parent;
}
