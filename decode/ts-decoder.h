/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-decoder.h: bytes in, events out.
 *
 * A decoder is owned by one thread, does no I/O, gives the same events for any slicing of the same bytes, survives any bytes and
 * counts what it could not use. Decoders are found by the name of their format (events.md section 4, `decode --format`).
 */
#pragma once

#include <gio/gio.h>

#include "model/ts-event-sink.h"

G_BEGIN_DECLS

#define TS_DECODE_ERROR (ts_decode_error_quark ())
GQuark ts_decode_error_quark (void);

/**
 * TsDecodeError:
 * @TS_DECODE_ERROR_UNKNOWN_FORMAT: no decoder of that name
 * @TS_DECODE_ERROR_NOT_BUILT: the format is known but this version cannot decode it yet
 * @TS_DECODE_ERROR_UNRECOGNISED: automatic detection found nothing it knows
 * @TS_DECODE_ERROR_BAD_OPTION: a parameter behind the name of a format makes no sense
 */
typedef enum
{
  TS_DECODE_ERROR_UNKNOWN_FORMAT,
  TS_DECODE_ERROR_NOT_BUILT,
  TS_DECODE_ERROR_UNRECOGNISED,
  TS_DECODE_ERROR_BAD_OPTION,
} TsDecodeError;

/**
 * TsDecodeCounters:
 * @bytes: bytes pushed
 * @packets: packets decoded (events and setup, without markers)
 * @markers: sync markers
 * @events: counted events given to the sink (host-made ones not included)
 * @corrupt_bytes: bytes that could not be decoded
 * @skipped_bytes: bytes passed over before the first boundary of a stream joined in the middle (not corrupt)
 * @lost_packets: packets that the target sent and that never arrived (exact after checkpoints)
 * @seq_gaps: breaks in the sequence, as events.md section 3 defines them
 * @resyncs: how often the decoder had to search for a boundary
 * @unknown_packets: whole frames with a code that is not assigned
 * @dropped_reported: sum of the recorder's own DROP:<n> reports (information only)
 * @sessions: number of SES:START
 * @seq_present: the stream carries sequence bytes, so @lost_packets and @seq_gaps mean something
 */
typedef struct
{
  guint64 bytes;
  guint64 packets;
  guint64 markers;
  guint64 events;
  guint64 corrupt_bytes;
  guint64 skipped_bytes;
  guint64 lost_packets;
  guint64 seq_gaps;
  guint64 resyncs;
  guint64 unknown_packets;
  guint64 dropped_reported;
  guint64 sessions;
  gboolean seq_present;
} TsDecodeCounters;

/**
 * TsDecodeSync: what a trace stream needs before it is decoded; see itm-dwt.md section 8.3
 * @TS_DECODE_SYNC_AUTO: nothing, and a synchronisation packet is recognised wherever it lies
 * @TS_DECODE_SYNC_STRICT: a synchronisation packet, at the start and after every error
 * @TS_DECODE_SYNC_ALIGNED: nothing: the first byte begins a packet
 */
typedef enum
{
  TS_DECODE_SYNC_AUTO,
  TS_DECODE_SYNC_STRICT,
  TS_DECODE_SYNC_ALIGNED,
} TsDecodeSync;

/** Comparators, stimulus ports and trace ids that can be named or have a clock of their own. */
#define TS_DECODE_N_WATCHES 4
#define TS_DECODE_N_PORTS 32
#define TS_DECODE_N_IDS 112
/** Stimulus ports of single sources that can be named. */
#define TS_DECODE_N_ID_PORTS 128
/** Bytes of such a name, with the zero at its end. */
#define TS_DECODE_NAME 48

/** The name of a stimulus port of one source behind a formatter. */
typedef struct
{
  guint8 id;
  guint8 port;
  char name[TS_DECODE_NAME];
} TsDecodePortName;

/**
 * TsDecoderOptions:
 * @clock_hz: ticks per second where the stream does not say; 0: none given
 * @sync: what an ITM stream needs before it is decoded
 * @has_itm_port: @itm_port is given; else it is 1
 * @itm_port: stimulus port of the recorder
 * @trace_id: source behind a formatter, 1 to 111; 0: all that speak ITM
 * @itm_prescaler: ticks of the trace clock per tick of a local time stamp: 1, 4, 16, 64; 0: 1
 * @watch_names, @port_names: what comparators and stimulus ports are called; empty: by their number
 * @id_ports, @n_id_ports: names of ports of a source behind a formatter; they win over @port_names
 * @id_watch_names, @id_clock_hz, @id_prescaler: of a source behind a formatter, where they are not those of all
 */
typedef struct
{
  guint64 clock_hz;
  TsDecodeSync sync;
  gboolean has_itm_port;
  guint itm_port;
  guint trace_id;
  guint itm_prescaler;
  char watch_names[TS_DECODE_N_WATCHES][TS_DECODE_NAME];
  char port_names[TS_DECODE_N_PORTS][TS_DECODE_NAME];
  char id_watch_names[TS_DECODE_N_IDS][TS_DECODE_N_WATCHES][TS_DECODE_NAME];
  guint64 id_clock_hz[TS_DECODE_N_IDS];
  guint8 id_prescaler[TS_DECODE_N_IDS];
  guint n_id_ports;
  TsDecodePortName id_ports[TS_DECODE_N_ID_PORTS];
} TsDecoderOptions;

typedef struct _TsDecoder TsDecoder;

TsDecoder *ts_decoder_new (const char *format,
                           TsEventSink *sink,
                           const TsDecoderOptions *options,
                           GError **error);
void ts_decoder_free (TsDecoder *self);
void ts_decoder_push (TsDecoder *self,
                      guint32 source,
                      const guint8 *bytes,
                      gsize n_bytes);
void ts_decoder_idle (TsDecoder *self);
void ts_decoder_mark_loss (TsDecoder *self,
                           guint32 source,
                           guint64 n_bytes);
void ts_decoder_flush (TsDecoder *self);
void ts_decoder_reset (TsDecoder *self);
const TsDecodeCounters *ts_decoder_get_counters (TsDecoder *self);
const char *ts_decoder_get_format (TsDecoder *self);
const char * const *ts_decoder_list_formats (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDecoder, ts_decoder_free)

G_END_DECLS
