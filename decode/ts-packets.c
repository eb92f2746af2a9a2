/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-packets.c: counts the packets of trace streams. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-decoder.h"
#include "ts-deframer-private.h"
#include "ts-itm-reader-private.h"
#include "ts-packets.h"

typedef struct
{
  TsPackets *owner;
  guint id;
  guint64 bytes;
  guint64 unsynced_bytes;
  guint64 errors;
  guint64 counts[64]; /* by #TsItmType, or by code of a recorder */
  TsItmReader reader;
} Stream;

/* Types of a recorder's packets: events by their code, then these. */
enum
{
  VA_SETUP = TS_EVENT_FLAG_DETAILS + 1,
  VA_MARKER,
  VA_N_TYPES
};

/* Counts what the decoder of a recorder finds. */
typedef struct
{
  TsEventSink parent;
  TsPackets *owner;
  guint32 n_objects;
} RecorderSink;

struct _TsPackets
{
  TsDecoder *recorder; /* NULL: trace streams */
  RecorderSink sink;
  TsItmPolicy policy;
  gboolean is_framed;
  TsPacketsLineFunc func;
  gpointer user_data;
  TsDeframer deframer;
  guint64 no_id_bytes;
  guint64 null_bytes;
  guint64 reserved_bytes;
  Stream *by_id[TS_TPIU_N_IDS];
  GPtrArray *streams; /* Stream, in order of id */
};

/* ---- one line per packet ---- */

static void
describe_data (GString *line, const TsItmPacket *packet)
{
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_SWIT:
      g_string_append_printf (line, " port=%u value=0x%0*" G_GINT64_MODIFIER "x", packet->port,
                              2 * packet->size, packet->value);
      break;
    case TS_ITM_LTS1:
    case TS_ITM_LTS2:
      g_string_append_printf (line, " tc=%u ticks=%" G_GUINT64_FORMAT, packet->tc, packet->value);
      break;
    case TS_ITM_GTS1:
    case TS_ITM_GTS2:
      g_string_append_printf (line, " value=%" G_GUINT64_FORMAT "%s%s", packet->value,
                              (packet->flags & TS_ITM_GTS_WRAP) != 0 ? " wrap" : "",
                              (packet->flags & TS_ITM_GTS_CLOCK_CHANGE) != 0 ? " clock-change" : "");
      break;
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
    case TS_ITM_EXCEPTION_RESERVED:
      g_string_append_printf (line, " number=%u", packet->port);
      break;
    case TS_ITM_DATA_PC:
    case TS_ITM_DATA_ADDRESS:
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      g_string_append_printf (line, " comparator=%u value=0x%0*" G_GINT64_MODIFIER "x",
                              packet->port, 2 * packet->size, packet->value);
      break;
    case TS_ITM_DATA_MATCH:
      g_string_append_printf (line, " comparator=%u", packet->port);
      break;
    case TS_ITM_HW_RESERVED_DISC:
      g_string_append_printf (line, " discriminator=%u", packet->port);
      break;
    case TS_ITM_EXTENSION:
    case TS_ITM_EVENT_COUNTER:
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PMU_OVERFLOW:
      g_string_append_printf (line, " value=0x%0*" G_GINT64_MODIFIER "x",
                              MAX (2 * packet->size, 2), packet->value);
      break;
    case TS_ITM_RESERVED:
      g_string_append_printf (line, " header=0x%02x", packet->header);
      break;
    case TS_ITM_SYNC:
    case TS_ITM_OVERFLOW:
    case TS_ITM_PC_SLEEP:
    case TS_ITM_PC_PROHIBITED:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_EXCEPTION_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
    case TS_ITM_BAD_SEQUENCE:
    case TS_ITM_INCOMPLETE:
    case TS_ITM_UNSYNCED:
    case TS_ITM_N_TYPES:
    default:
      break;
    }
}

static void
tell_line (Stream *stream, const TsItmPacket *packet)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_printf (line, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s", packet->offset,
                   packet->length, _ts_itm_type_get_name (packet->type));
  describe_data (line, packet);
  stream->owner->func (stream->id, line->str, stream->owner->user_data);
}

static void
count_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data)
{
  Stream *stream = user_data;

  for (gsize i = 0; i < n_packets; i++)
    {
      const TsItmPacket *packet = &packets[i];

      if (packet->type == TS_ITM_UNSYNCED)
        stream->unsynced_bytes += packet->length;
      else
        stream->counts[packet->type]++;
      stream->errors += _ts_itm_type_is_error (packet->type);
      if (stream->owner->func != NULL)
        tell_line (stream, packet);
    }
}

/* ---- streams ---- */

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  const Stream *left = *(Stream *const *) a;
  const Stream *right = *(Stream *const *) b;

  return (int) left->id - (int) right->id;
}

static Stream *
get_stream (TsPackets *self, guint id);

/* ---- a recorder's packets ---- */

static void
count_recorder_events (TsEventSink *sink, const TsEvent *events, gsize n_events)
{
  TsPackets *self = ((RecorderSink *) sink)->owner;
  Stream *stream = get_stream (self, TS_PACKETS_NO_ID);

  for (gsize i = 0; i < n_events; i++)
    {
      const TsEvent *event = &events[i];

      stream->errors += event->kind == TS_EVENT_CORRUPT;
      if (ts_event_is_counted (event) && event->kind < VA_SETUP)
        stream->counts[event->kind]++;
      if (self->func != NULL)
        {
          g_autofree char *line
              = g_strdup_printf ("%" G_GINT64_FORMAT " %s%s object=%u value=%" G_GINT64_FORMAT,
                                 event->time, ts_event_kind_get_name (event->kind),
                                 (event->flags & TS_EVENT_FLAG_START) != 0 ? " start"
                                 : (event->flags & TS_EVENT_FLAG_END) != 0 ? " end"
                                                                           : "",
                                 event->object, event->value);

          self->func (TS_PACKETS_NO_ID, line, self->user_data);
        }
    }
}

static guint32
count_object (TsEventSink *sink, const TsObject *object)
{
  return ++((RecorderSink *) sink)->n_objects;
}

static void
ignore_object (TsEventSink *sink, const TsObject *object)
{
}

static guint32
ignore_text (TsEventSink *sink, const char *text, gssize n)
{
  return 1;
}

static void
ignore_clock (TsEventSink *sink, guint64 hz)
{
}

static void
ignore_info (TsEventSink *sink, const char *key, const char *value)
{
}

static const TsEventSinkInterface recorder_sink_iface = {
  count_recorder_events, count_object, ignore_object, ignore_text, ignore_clock, ignore_info,
};

/* What only the counters of the decoder tell. */
static void
finish_recorder (TsPackets *self)
{
  Stream *stream = get_stream (self, TS_PACKETS_NO_ID);
  const TsDecodeCounters *counters;

  ts_decoder_flush (self->recorder);
  counters = ts_decoder_get_counters (self->recorder);
  stream->bytes = counters->bytes;
  stream->unsynced_bytes = counters->skipped_bytes;
  stream->counts[VA_SETUP] = counters->packets - MIN (counters->packets, counters->events);
  stream->counts[VA_MARKER] = counters->markers;
}

static Stream *
get_stream (TsPackets *self, guint id)
{
  Stream *stream = self->by_id[id];

  if (stream != NULL)
    return stream;
  stream = self->by_id[id] = g_new0 (Stream, 1);
  stream->owner = self;
  stream->id = id;
  _ts_itm_reader_init (&stream->reader, self->policy, count_packets, stream);
  g_ptr_array_add (self->streams, stream);
  g_ptr_array_sort (self->streams, compare_ids);
  return stream;
}

static void
push_stream (TsPackets *self, guint id, const guint8 *bytes, gsize n_bytes)
{
  Stream *stream = get_stream (self, id);

  stream->bytes += n_bytes;
  _ts_itm_reader_push (&stream->reader, bytes, n_bytes);
}

/* Bytes of a source, or of none. */
static void
take_bytes (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsPackets *self = user_data;

  if (!self->is_framed)
    push_stream (self, TS_PACKETS_NO_ID, bytes, n_bytes);
  else if (id == TS_TPIU_NO_ID)
    self->no_id_bytes += n_bytes;
  else if (id == 0)
    self->null_bytes += n_bytes;
  else if (id >= TS_TPIU_FIRST_RESERVED)
    self->reserved_bytes += n_bytes;
  else
    push_stream (self, id, bytes, n_bytes);
}

/**
 * ts_packets_new:
 * @format: "itm", or "tpiu" for ITM in formatter frames; "va", "va-cobs" or "va-udprec" for a
 *   recorder's packets
 * @sync: "strict": nothing before a synchronisation packet; "aligned": the first byte is a header;
 *   "auto": as aligned; after an error once a few packets in a row are plausible
 * @func: (nullable): called for each packet
 * @user_data: for @func
 * @error: return location
 *
 * Thread: any; afterwards owner
 * Errors: %TS_DECODE_ERROR_UNKNOWN_FORMAT for a format or a way to synchronise that does not exist
 * Source: events.md section 4, `packets`
 *
 * Returns: (transfer full): a counter, or %NULL with @error set
 */
TsPackets *
ts_packets_new (const char *format,
                const char *sync,
                TsPacketsLineFunc func,
                gpointer user_data,
                GError **error)
{
  static const char *const recorders[] = { "va", "va-cobs", "va-udprec", NULL };
  TsPackets *self;
  TsItmPolicy policy;
  gboolean is_recorder;

  g_return_val_if_fail (format != NULL, NULL);
  g_return_val_if_fail (sync != NULL, NULL);

  if (strcmp (sync, "strict") == 0)
    policy = TS_ITM_STRICT;
  else if (strcmp (sync, "aligned") == 0)
    policy = TS_ITM_ALIGNED;
  else if (strcmp (sync, "auto") == 0)
    policy = TS_ITM_AUTO;
  else
    {
      g_set_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT,
                   _ ("There is no way to synchronise “%s”; use strict, aligned or auto."), sync);
      return NULL;
    }
  is_recorder = g_strv_contains (recorders, format);
  if (!is_recorder && strcmp (format, "itm") != 0 && strcmp (format, "tpiu") != 0)
    {
      g_set_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT,
                   _ ("Packets of the format “%s” cannot be counted; use itm, tpiu, va, va-cobs or "
                      "va-udprec."),
                   format);
      return NULL;
    }

  self = g_new0 (TsPackets, 1);
  self->sink = (RecorderSink){ { &recorder_sink_iface }, self, 0 };
  if (is_recorder)
    self->recorder = ts_decoder_new (format, &self->sink.parent, NULL, NULL);
  self->policy = policy;
  self->is_framed = strcmp (format, "tpiu") == 0;
  self->func = func;
  self->user_data = user_data;
  self->streams = g_ptr_array_new_with_free_func (g_free);
  G_STATIC_ASSERT (VA_N_TYPES <= 64 && TS_ITM_N_TYPES <= 64);
  _ts_deframer_init (&self->deframer, self->is_framed, TRUE, take_bytes, self);
  if (!self->is_framed)
    get_stream (self, TS_PACKETS_NO_ID);
  return self;
}

/**
 * ts_packets_free:
 * @self: (transfer full) (nullable): a counter
 *
 * Thread: owner
 */
void
ts_packets_free (TsPackets *self)
{
  if (self == NULL)
    return;
  ts_decoder_free (self->recorder);
  _ts_deframer_clear (&self->deframer);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

/**
 * ts_packets_push:
 * @self: a counter
 * @bytes: (array length=n_bytes): the next bytes
 * @n_bytes: how many
 *
 * Thread: owner
 */
void
ts_packets_push (TsPackets *self, const guint8 *bytes, gsize n_bytes)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (bytes != NULL || n_bytes == 0);

  if (n_bytes == 0)
    return;
  if (self->recorder != NULL)
    ts_decoder_push (self->recorder, 0, bytes, n_bytes);
  else
    _ts_deframer_push (&self->deframer, bytes, n_bytes);
}

/**
 * ts_packets_finish:
 * @self: a counter
 *
 * The end of the data: counts what was begun.
 *
 * Thread: owner
 */
void
ts_packets_finish (TsPackets *self)
{
  g_return_if_fail (self != NULL);

  if (self->recorder != NULL)
    {
      finish_recorder (self);
      return;
    }
  _ts_deframer_finish (&self->deframer);
  for (guint i = 0; i < self->streams->len; i++)
    _ts_itm_reader_finish (&((Stream *) g_ptr_array_index (self->streams, i))->reader);
}

/**
 * ts_packets_get_n_streams:
 * @self: a counter
 *
 * Thread: owner
 *
 * Returns: number of streams: 1 without a formatter, else one for each source that sent bytes
 */
guint
ts_packets_get_n_streams (TsPackets *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->streams->len;
}

/**
 * ts_packets_get_stream:
 * @self: a counter
 * @index: which, in order of id
 * @stream: (out caller-allocates): its figures; counts are borrowed until the next push
 *
 * Thread: owner
 */
void
ts_packets_get_stream (TsPackets *self, guint index, TsPacketsStream *stream)
{
  const Stream *from;

  g_return_if_fail (self != NULL);
  g_return_if_fail (index < self->streams->len);

  from = g_ptr_array_index (self->streams, index);
  *stream = (TsPacketsStream){
    .id = from->id,
    .bytes = from->bytes,
    .unsynced_bytes = from->unsynced_bytes,
    .errors = from->errors,
    .counts = from->counts,
    .n_types = self->recorder != NULL ? VA_N_TYPES : TS_ITM_UNSYNCED,
  };
}

/**
 * ts_packets_get_frames:
 * @self: a counter
 * @frames: (out caller-allocates): figures of the formatter
 *
 * Thread: owner
 *
 * Returns: whether there is a formatter
 */
gboolean
ts_packets_get_frames (TsPackets *self, TsPacketsFrames *frames)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!self->is_framed)
    return FALSE;
  *frames = (TsPacketsFrames){
    .frames = self->deframer.tpiu.n_frames,
    .id_changes = _ts_deframer_get_n_id_changes (&self->deframer),
    .dropped_bytes = self->deframer.tpiu.n_dropped,
    .no_id_bytes = self->no_id_bytes,
    .null_bytes = self->null_bytes,
    .reserved_bytes = self->reserved_bytes,
    .full_syncs = self->deframer.tpiu.n_full_syncs,
    .half_syncs = self->deframer.tpiu.n_half_syncs,
  };
  return TRUE;
}

/**
 * ts_packets_get_type_name:
 * @self: a counter
 * @type: index into the counts of a stream
 *
 * Thread: safe
 * Source: events.md section 4, `packets`
 *
 * Returns: (transfer none): name of the type
 */
const char *
ts_packets_get_type_name (TsPackets *self, guint type)
{
  if (self->recorder == NULL)
    return _ts_itm_type_get_name (type);
  if (type >= VA_SETUP)
    return type == VA_SETUP ? "setup" : "sync_marker";
  return ts_event_kind_get_name (type);
}
