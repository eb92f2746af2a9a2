/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace.c: the packets of a trace run as rows of CSV.
 *
 * Packets become rows that wait for the next local time stamp. Whatever breaks the stream gets a
 * row of its own, whose note may name the next time stamp; everything is written in order.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-ctrace.h"
#include "ts-itm-reader-private.h"
#include "ts-tpiu-private.h"

/* Bytes are given to the decoder in blocks; one without a packet opens a gap. Source: ctrace.md
 * section 5.3 */
#define BLOCK 4096
#define N_COMPARATORS 4
/* Ports above have no column. Source: ctrace.md section 5.1 */
#define LAST_PORT 31

typedef enum
{
  ROW_ITM,
  ROW_DWT,
  ROW_EXCEPTION,
  ROW_PC,
  ROW_EVENT,
  ROW_PMU,
  ROW_GLOBAL_TIME,
  ROW_OVERFLOW,
  ROW_ERROR,
  ROW_INFO,
} RowType;

/* Source: ctrace.md section 1 */
static const char *const type_names[] = { "itm", "dwt", "exception", "pcsample", "event", "pmu",
                                          "global_ts", "overflow", "error", "info" };

typedef enum
{
  NOTE_NONE,
  NOTE_SLEEPING,
  NOTE_PROHIBITED,
  NOTE_OVERFLOW,
  NOTE_BAD_SEQUENCE,
  NOTE_BAD_HEADER,
  NOTE_LOSS,
  NOTE_CUT,
  NOTE_BAD_EXCEPTION,
  NOTE_BAD_SAMPLE,
  NOTE_BAD_COUNTER,
  NOTE_BAD_PMU,
  NOTE_BAD_SIZE,
  NOTE_SKIPPED,
} Note;

/* A number as wide as it was sent; 0 bytes: none. */
typedef struct
{
  guint32 value;
  guint8 size;
} Field;

/**
 * Row:
 * @is_fixed: its time stays what it is
 * @is_interval: its note names the next time stamp
 * @is_silent: an event that has no row
 */
typedef struct
{
  guint8 type; /* a RowType */
  guint8 note; /* a Note */
  guint8 digits;
  gboolean is_fixed;
  gboolean is_interval;
  gboolean is_silent;
  gboolean has_time;
  guint64 time;
  gint source; /* below 0: none */
  Field value;
  Field pc;
  Field address;
  guint64 number; /* of the note: an offset, bytes, an exception */
  guint64 upto;   /* of an interval, once known */
  gboolean has_upto;
} Row;

typedef struct
{
  Field value;
  Field pc;
  Field address;
  guint64 order; /* of its latest packet; 0: nothing waits */
} Fragment;

typedef struct
{
  TsCtrace *owner;
  guint id;
  guint prescaler;
  TsItmReader reader;
  guint64 now;
  gboolean has_time;
  GArray *pending; /* Row */
  Fragment fragments[N_COMPARATORS];
  guint64 n_orders;
  guint64 gts_low;
  guint64 gts_high;
  gboolean has_gts_high;
  gboolean is_after_error;
  guint64 n_unsynced;
  gboolean was_synced;
  guint64 masked;
} Stream;

struct _TsCtrace
{
  TsCtraceConfig *config;
  guint generation;
  gboolean is_formatted;
  GStrv types;
  GArray *streams;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
  TsTpiu tpiu;
  Stream *by_id[TS_CTRACE_LAST_STREAM + 1];
  guint64 skipped[TS_TPIU_N_IDS];
  guint64 n_no_id;
  GString *csv;
  guint64 n_events;
  guint64 n_overflows;
  guint64 first_overflow;
};

static void G_GNUC_PRINTF (3, 4)
tell (TsCtrace *self, TsCtraceLevel level, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->func == NULL)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  self->func (level, message, self->user_data);
}

/* ---- rows as text ---- */

static void
append_field (GString *csv, const Field *field, guint digits)
{
  if (field->size > 0)
    g_string_append_printf (csv, "0x%0*x", (int) (digits != 0 ? digits : 2u * field->size),
                            field->value);
}

/* Source: ctrace.md section 7, "Notes of errors" */
static void
append_note (TsCtrace *self, const Row *row)
{
  static const char *const short_notes[] = {
    [NOTE_OVERFLOW] = "Timestamp discontinuity",
    [NOTE_BAD_SEQUENCE] = "Invalid ITM packet sequence",
    [NOTE_BAD_HEADER] = "Invalid ITM packet header",
    [NOTE_CUT] = "Incomplete ITM packet at EOF",
    [NOTE_BAD_EXCEPTION] = "Invalid exception action",
    [NOTE_BAD_SAMPLE] = "Invalid PC sample",
    [NOTE_BAD_COUNTER] = "Invalid DWT counter",
    [NOTE_BAD_PMU] = "Invalid PMU counter",
    [NOTE_BAD_SIZE] = "Invalid DWT payload size",
  };
  static const char *const long_notes[] = {
    [NOTE_OVERFLOW]
    = "overflow: new timestamp segment; time across boundary may be unreliable",
    [NOTE_CUT] = "incomplete ITM packet at end of input",
    [NOTE_BAD_SAMPLE] = "invalid PC sample payload",
    [NOTE_BAD_COUNTER] = "invalid DWT event counter payload",
    [NOTE_BAD_PMU] = "invalid PMU overflow payload",
    [NOTE_BAD_SIZE] = "unsupported DWT data trace payload size",
  };
  gboolean is_short = self->generation >= 3;
  GString *csv = self->csv;

  switch ((Note) row->note)
    {
    case NOTE_NONE:
      break;
    case NOTE_SLEEPING:
      g_string_append (csv, "CPU Sleeping");
      break;
    case NOTE_PROHIBITED:
      g_string_append (csv, "Trace prohibited");
      break;
    case NOTE_LOSS:
      if (is_short)
        {
          g_string_append_printf (csv, "%" G_GUINT64_FORMAT " raw bytes without usable ITM packets",
                                  row->number);
          break;
        }
      g_string_append_printf (csv,
                              "OpenCSD consumed %" G_GUINT64_FORMAT " raw bytes while waiting for "
                              "usable ITM trace packets; data loss until a later sync/recovery "
                              "point; timestamp %" G_GUINT64_FORMAT " .. ",
                              row->number, row->time);
      if (row->has_upto)
        g_string_append_printf (csv, "%" G_GUINT64_FORMAT ".", row->upto);
      else
        g_string_append (csv, "unknown.");
      break;
    case NOTE_SKIPPED:
      g_string_append_printf (csv, "%" G_GUINT64_FORMAT " bytes skipped: %s", row->number,
                              row->source == TS_TPIU_NO_ID           ? "no source ID"
                              : row->source == 0                     ? "null source ID"
                              : row->source > TS_CTRACE_LAST_STREAM  ? "reserved source ID"
                                                                     : "unconfigured source ID");
      break;
    case NOTE_BAD_SEQUENCE:
    case NOTE_BAD_HEADER:
      if (is_short)
        g_string_append (csv, short_notes[row->note]);
      else
        g_string_append_printf (csv,
                                "OpenCSD detected an invalid ITM packet %s at raw offset "
                                "%" G_GUINT64_FORMAT ".",
                                row->note == NOTE_BAD_SEQUENCE ? "sequence" : "header",
                                row->number);
      break;
    case NOTE_BAD_EXCEPTION:
      if (is_short)
        g_string_append (csv, short_notes[row->note]);
      else
        g_string_append_printf (csv, "invalid exception action 0x0 for exception %" G_GUINT64_FORMAT,
                                row->number);
      break;
    case NOTE_OVERFLOW:
    case NOTE_CUT:
    case NOTE_BAD_SAMPLE:
    case NOTE_BAD_COUNTER:
    case NOTE_BAD_PMU:
    case NOTE_BAD_SIZE:
    default:
      g_string_append (csv, is_short ? short_notes[row->note] : long_notes[row->note]);
      break;
    }
}

static gboolean
is_selected (TsCtrace *self, const Row *row, guint stream)
{
  if (self->types != NULL
      && !g_strv_contains ((const char *const *) self->types, type_names[row->type]))
    return FALSE;
  if (self->streams == NULL || self->streams->len == 0)
    return TRUE;
  for (guint i = 0; i < self->streams->len; i++)
    if (g_array_index (self->streams, guint, i) == stream)
      return TRUE;
  return FALSE;
}

static void
write_row (TsCtrace *self, guint stream, const Row *row)
{
  GString *csv = self->csv;

  if (row->is_silent || !is_selected (self, row, stream))
    return;
  if (row->has_time)
    g_string_append_printf (csv, "%" G_GUINT64_FORMAT, row->time);
  g_string_append_c (csv, ',');
  if (stream != TS_CTRACE_UNFORMATTED)
    g_string_append_printf (csv, "%u", stream);
  g_string_append_printf (csv, ",%s,", type_names[row->type]);
  if (row->source >= 0 && row->type != ROW_INFO)
    g_string_append_printf (csv, "%d", row->source);
  g_string_append_c (csv, ',');
  append_field (csv, &row->value, row->digits);
  g_string_append_c (csv, ',');
  append_field (csv, &row->pc, 0);
  g_string_append_c (csv, ',');
  append_field (csv, &row->address, 0);
  g_string_append_c (csv, ',');
  append_note (self, row);
  g_string_append_c (csv, '\n');
}

/* ---- rows that wait ---- */

static void
write_pending (Stream *stream)
{
  for (guint i = 0; i < stream->pending->len; i++)
    write_row (stream->owner, stream->id, &g_array_index (stream->pending, Row, i));
  g_array_set_size (stream->pending, 0);
}

static Row *
add_row (Stream *stream, RowType type, gint source)
{
  Row row = {
    .type = (guint8) type,
    .source = source,
    .has_time = stream->has_time,
    .time = stream->now,
  };

  stream->owner->n_events++;
  g_array_append_val (stream->pending, row);
  return &g_array_index (stream->pending, Row, stream->pending->len - 1);
}

static void
finish_fragment (Stream *stream, guint comparator)
{
  Fragment *fragment = &stream->fragments[comparator];
  Row *row;

  if (fragment->order == 0)
    return;
  row = add_row (stream, ROW_DWT, (gint) comparator);
  row->value = fragment->value;
  row->pc = fragment->pc;
  row->address = fragment->address;
  memset (fragment, 0, sizeof *fragment);
}

/* All that wait, in the order of their latest packet. Source: ctrace.md section 5.5 */
static void
finish_fragments (Stream *stream)
{
  for (;;)
    {
      guint oldest = N_COMPARATORS;

      for (guint i = 0; i < N_COMPARATORS; i++)
        if (stream->fragments[i].order != 0
            && (oldest == N_COMPARATORS
                || stream->fragments[i].order < stream->fragments[oldest].order))
          oldest = i;
      if (oldest == N_COMPARATORS)
        return;
      finish_fragment (stream, oldest);
    }
}

/* What waits keeps the time that it has: the stream breaks here. Source: ctrace.md section 5.4 */
static void
fix_pending (Stream *stream)
{
  finish_fragments (stream);
  for (guint i = 0; i < stream->pending->len; i++)
    g_array_index (stream->pending, Row, i).is_fixed = TRUE;
}

static Row *
add_error (Stream *stream, Note note, guint64 number)
{
  Row *row = add_row (stream, ROW_ERROR, -1);

  row->note = (guint8) note;
  row->number = number;
  row->has_time = TRUE;
  row->is_fixed = TRUE;
  return row;
}

static void
take_local_time (Stream *stream, const TsItmPacket *packet)
{
  guint64 step;

  finish_fragments (stream);
  step = packet->value * stream->prescaler;
  stream->now = stream->now > G_MAXUINT64 - step ? G_MAXUINT64 : stream->now + step;
  stream->has_time = TRUE;
  for (guint i = 0; i < stream->pending->len; i++)
    {
      Row *row = &g_array_index (stream->pending, Row, i);

      if (!row->is_fixed)
        {
          row->time = stream->now;
          row->has_time = TRUE;
        }
      if (row->is_interval)
        {
          row->upto = stream->now;
          row->has_upto = TRUE;
        }
    }
  write_pending (stream);
  stream->owner->n_events++;
}

/* Bytes in which there was no packet. */
static void
add_loss (Stream *stream, guint64 n_bytes, guint64 offset)
{
  fix_pending (stream);
  add_error (stream, NOTE_LOSS, n_bytes)->is_interval = TRUE;
  tell (stream->owner, TS_CTRACE_FAILURE,
        _ ("%" G_GUINT64_FORMAT " raw bytes from raw offset %" G_GUINT64_FORMAT
           " could not be decoded before the next hardware ITM sync"),
        n_bytes, offset);
}

static void
take_error (Stream *stream, const TsItmPacket *packet)
{
  Note note = packet->type == TS_ITM_BAD_SEQUENCE ? NOTE_BAD_SEQUENCE
              : packet->type == TS_ITM_RESERVED   ? NOTE_BAD_HEADER
                                                  : NOTE_CUT;

  fix_pending (stream);
  add_error (stream, note, packet->offset);
  stream->has_gts_high = FALSE;
  stream->gts_low = 0;
  stream->is_after_error = note != NOTE_CUT;
  if (note == NOTE_CUT)
    tell (stream->owner, TS_CTRACE_FAILURE,
          _ ("incomplete ITM packet starting at raw offset %" G_GUINT64_FORMAT
             " at end of input"),
          packet->offset);
  else
    tell (stream->owner, TS_CTRACE_FAILURE,
          note == NOTE_BAD_HEADER
              ? _ ("invalid ITM packet header at raw offset %" G_GUINT64_FORMAT)
              : _ ("invalid ITM packet sequence at raw offset %" G_GUINT64_FORMAT),
          packet->offset);
}

/* Source: ctrace.md sections 5.2 and 5.3 */
static void
take_unsynced (Stream *stream, const TsItmPacket *packet, gboolean is_end)
{
  guint64 end = packet->offset + packet->length;

  stream->n_unsynced += packet->length;
  if (!stream->is_after_error && !is_end)
    {
      /* the synchronisation packet is at least six bytes; if it ends in the first block, that block
       * had a packet and there is no gap */
      if (end / BLOCK == packet->offset / BLOCK && (end + 5) / BLOCK == packet->offset / BLOCK)
        return;
    }
  if (!stream->is_after_error && is_end && packet->length == 0)
    return;
  add_loss (stream, packet->length, packet->offset);
}

/* ---- packets ---- */

static void
take_stimulus (Stream *stream, const TsItmPacket *packet)
{
  Row *row;

  finish_fragments (stream);
  row = add_row (stream, ROW_ITM, packet->port);
  row->value = (Field){ (guint32) packet->value, packet->size };
  row->is_silent = packet->port == 0 || packet->port > LAST_PORT;
}

static void
take_data (Stream *stream, const TsItmPacket *packet)
{
  Fragment *fragment = &stream->fragments[packet->port];
  Field field = { (guint32) packet->value, packet->size };
  guint generation = stream->owner->generation;
  gboolean is_pc = packet->type == TS_ITM_DATA_PC;
  gboolean is_address = packet->type == TS_ITM_DATA_ADDRESS;
  Field *place = is_pc ? &fragment->pc : is_address ? &fragment->address : &fragment->value;

  if (generation == 1 && ((is_pc && packet->size != 4) || (is_address && packet->size != 2)))
    {
      finish_fragments (stream);
      add_row (stream, ROW_ERROR, -1)->note = NOTE_BAD_SIZE;
      return;
    }
  if (fragment->order != 0 && place->size != 0)
    finish_fragment (stream, packet->port);
  *place = field;
  fragment->order = ++stream->n_orders;
  if (fragment->value.size != 0 && (fragment->pc.size != 0 || fragment->address.size != 0))
    finish_fragment (stream, packet->port);
}

static void
take_exception (Stream *stream, const TsItmPacket *packet)
{
  Row *row;

  finish_fragments (stream);
  if (packet->type == TS_ITM_EXCEPTION_RESERVED)
    {
      row = add_row (stream, ROW_ERROR, -1);
      row->note = NOTE_BAD_EXCEPTION;
      row->number = packet->port;
      return;
    }
  row = add_row (stream, ROW_EXCEPTION, packet->port);
  row->value = (Field){ (guint32) (packet->type - TS_ITM_EXCEPTION_ENTERED + 1), 1 };
  row->digits = 1;
}

/* PC samples, counters and PMU overflows; the first generation had none of them in its output. */
static void
take_sample (Stream *stream, const TsItmPacket *packet)
{
  gboolean is_first = stream->owner->generation == 1;
  Row *row;

  finish_fragments (stream);
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PC_SLEEP:
    case TS_ITM_PC_PROHIBITED:
      row = add_row (stream, ROW_PC, -1);
      if (packet->type == TS_ITM_PC_SAMPLE)
        row->pc = (Field){ (guint32) packet->value, packet->size };
      else
        row->note = packet->type == TS_ITM_PC_SLEEP ? NOTE_SLEEPING : NOTE_PROHIBITED;
      break;
    case TS_ITM_EVENT_COUNTER:
      row = add_row (stream, ROW_EVENT, 0);
      row->value = (Field){ (guint32) packet->value, packet->size };
      if (packet->value == 0 || packet->value > 0x3F)
        {
          row->type = ROW_ERROR;
          row->source = -1;
          row->value.size = 0;
          row->note = NOTE_BAD_COUNTER;
        }
      break;
    case TS_ITM_PMU_OVERFLOW:
      row = add_row (stream, ROW_PMU, 3);
      row->value = (Field){ (guint32) packet->value, packet->size };
      break;
    default:
      row = add_row (stream, ROW_ERROR, -1);
      row->note = packet->type == TS_ITM_PMU_BAD_SIZE             ? NOTE_BAD_PMU
                  : packet->type == TS_ITM_EVENT_COUNTER_BAD_SIZE ? NOTE_BAD_COUNTER
                                                                  : NOTE_BAD_SAMPLE;
      break;
    }
  row->is_silent = is_first;
}

/* Source: itm-dwt.md section 2.4 */
static void
take_global_time (Stream *stream, const TsItmPacket *packet)
{
  static const guint8 bits[] = { 0, 7, 14, 21, 26 };
  Row *row;

  if (packet->type == TS_ITM_GTS1)
    {
      guint64 mask = ((guint64) 1 << bits[packet->size]) - 1;

      stream->gts_low = (stream->gts_low & ~mask) | (packet->value & mask);
      if ((packet->flags & TS_ITM_GTS_WRAP) != 0)
        stream->has_gts_high = FALSE;
      if (!stream->has_gts_high)
        return;
    }
  else
    {
      stream->gts_high = packet->value;
      stream->has_gts_high = TRUE;
    }
  finish_fragments (stream);
  row = add_row (stream, ROW_GLOBAL_TIME, -1);
  row->has_time = TRUE;
  row->is_fixed = TRUE;
  row->time = stream->gts_high << 26 | stream->gts_low;
}

static void
take_overflow (Stream *stream)
{
  TsCtrace *self = stream->owner;
  Row *row;

  fix_pending (stream);
  row = add_row (stream, ROW_OVERFLOW, -1);
  row->note = NOTE_OVERFLOW;
  row->is_fixed = TRUE;
  if (self->n_overflows++ == 0)
    self->first_overflow = stream->now;
}

static void
take_packet (Stream *stream, const TsItmPacket *packet)
{
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_SYNC:
      stream->owner->n_events++;
      stream->is_after_error = FALSE;
      stream->was_synced = TRUE;
      break;
    case TS_ITM_LTS1:
    case TS_ITM_LTS2:
      take_local_time (stream, packet);
      break;
    case TS_ITM_GTS1:
    case TS_ITM_GTS2:
      take_global_time (stream, packet);
      break;
    case TS_ITM_OVERFLOW:
      take_overflow (stream);
      break;
    case TS_ITM_SWIT:
      take_stimulus (stream, packet);
      break;
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
    case TS_ITM_EXCEPTION_RESERVED:
      take_exception (stream, packet);
      break;
    case TS_ITM_DATA_PC:
    case TS_ITM_DATA_ADDRESS:
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      take_data (stream, packet);
      break;
    case TS_ITM_DATA_MATCH:
      finish_fragment (stream, packet->port);
      add_row (stream, ROW_DWT, packet->port);
      break;
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PC_SLEEP:
    case TS_ITM_PC_PROHIBITED:
    case TS_ITM_EVENT_COUNTER:
    case TS_ITM_PMU_OVERFLOW:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
    case TS_ITM_EXCEPTION_BAD_SIZE:
      take_sample (stream, packet);
      break;
    case TS_ITM_RESERVED:
    case TS_ITM_BAD_SEQUENCE:
    case TS_ITM_INCOMPLETE:
      take_error (stream, packet);
      break;
    case TS_ITM_UNSYNCED:
      take_unsynced (stream, packet, FALSE);
      break;
    case TS_ITM_HW_RESERVED_DISC:
      finish_fragments (stream);
      break;
    case TS_ITM_EXTENSION:
    case TS_ITM_N_TYPES:
    default:
      break;
    }
}

static void
take_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data)
{
  for (gsize i = 0; i < n_packets; i++)
    take_packet (user_data, &packets[i]);
}

/* ---- streams ---- */

static Stream *
get_stream (TsCtrace *self, guint id)
{
  Stream *stream = self->by_id[id];

  if (stream != NULL)
    return stream;
  stream = self->by_id[id] = g_new0 (Stream, 1);
  stream->owner = self;
  stream->id = id;
  stream->prescaler = ts_ctrace_config_get_prescaler (self->config, id);
  stream->pending = g_array_new (FALSE, FALSE, sizeof (Row));
  _ts_itm_reader_init (&stream->reader, TS_ITM_STRICT, take_packets, stream);
  stream->reader.is_lenient = TRUE;
  return stream;
}

static void
take_framed (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsCtrace *self = user_data;

  if (id == TS_TPIU_NO_ID)
    self->n_no_id += n_bytes;
  else if (id == 0 || id > TS_CTRACE_LAST_STREAM || !ts_ctrace_config_has_route (self->config, id))
    self->skipped[id] += n_bytes;
  else
    _ts_itm_reader_push (&get_stream (self, id)->reader, bytes, n_bytes);
}

/**
 * ts_ctrace_is_type:
 * @name: a word
 *
 * Returns: whether it names a type of events
 */
gboolean
ts_ctrace_is_type (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (type_names); i++)
    if (i != ROW_INFO && strcmp (type_names[i], name) == 0)
      return TRUE;
  return FALSE;
}

/**
 * ts_ctrace_new:
 * @config: a configuration; borrowed, must outlive the converter
 * @options: what to write; copied
 * @func: (nullable): takes diagnostics
 * @user_data: for @func
 *
 * Thread: any; afterwards owner
 * Source: ctrace.md sections 5 to 7
 *
 * Returns: (transfer full): a converter of one input
 */
TsCtrace *
ts_ctrace_new (TsCtraceConfig *config,
               const TsCtraceOptions *options,
               TsCtraceDiagnosticFunc func,
               gpointer user_data)
{
  TsCtrace *self = g_new0 (TsCtrace, 1);

  self->config = config;
  self->generation = options->generation;
  self->is_formatted = options->is_formatted;
  self->types = g_strdupv ((char **) options->types);
  self->streams = options->streams != NULL ? g_array_ref (options->streams) : NULL;
  self->func = func;
  self->user_data = user_data;
  self->csv = g_string_new (self->generation == 1
                                ? "cycles,stream,type,source,value,pc,offset,note\n"
                                : "cycles,stream,type,source,value,pc,address,note\n");
  _ts_tpiu_init (&self->tpiu, take_framed, self);
  self->tpiu.layout = TS_TPIU_MEMORY;
  return self;
}

/**
 * ts_ctrace_free:
 * @self: (transfer full) (nullable): a converter
 */
void
ts_ctrace_free (TsCtrace *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (self->by_id); i++)
    if (self->by_id[i] != NULL)
      {
        g_array_unref (self->by_id[i]->pending);
        g_free (self->by_id[i]);
      }
  g_strfreev (self->types);
  g_clear_pointer (&self->streams, g_array_unref);
  g_string_free (self->csv, TRUE);
  g_free (self);
}

/**
 * ts_ctrace_push:
 * @self: a converter
 * @bytes: (array length=n_bytes): the next bytes
 * @n_bytes: how many
 *
 * Thread: owner
 */
void
ts_ctrace_push (TsCtrace *self, const guint8 *bytes, gsize n_bytes)
{
  if (n_bytes == 0)
    return;
  if (self->is_formatted)
    _ts_tpiu_push (&self->tpiu, bytes, n_bytes);
  else
    _ts_itm_reader_push (&get_stream (self, TS_CTRACE_UNFORMATTED)->reader, bytes, n_bytes);
}

static void
tell_skipped (TsCtrace *self)
{
  for (guint id = 0; id <= TS_TPIU_N_IDS; id++)
    {
      gboolean is_none = id == TS_TPIU_N_IDS;
      guint64 n = is_none ? self->n_no_id : self->skipped[id];
      Row row = {
        .type = ROW_INFO,
        .note = NOTE_SKIPPED,
        .number = n,
        .source = is_none ? TS_TPIU_NO_ID : (gint) id,
      };

      if (n == 0)
        continue;
      if (self->generation >= 3)
        write_row (self, is_none ? 0 : id, &row);
      if (is_none)
        tell (self, TS_CTRACE_INFO, _ ("%" G_GUINT64_FORMAT " bytes skipped: no source ID"), n);
      else if (id != 0)
        tell (self, TS_CTRACE_WARNING,
              _ ("%" G_GUINT64_FORMAT " bytes skipped: no route for stream %u"), n, id);
    }
}

/**
 * ts_ctrace_finish:
 * @self: a converter
 *
 * The end of the input: writes everything that waited.
 *
 * Thread: owner
 */
void
ts_ctrace_finish (TsCtrace *self)
{
  if (self->is_formatted)
    _ts_tpiu_finish (&self->tpiu);
  for (guint i = 0; i < G_N_ELEMENTS (self->by_id); i++)
    {
      Stream *stream = self->by_id[i];

      if (stream == NULL)
        continue;
      _ts_itm_reader_finish (&stream->reader);
      finish_fragments (stream);
      write_pending (stream);
    }
  if (self->n_overflows > 0)
    tell (self, TS_CTRACE_WARNING,
          _ ("first overflow occurred at cycle timestamp %" G_GUINT64_FORMAT
             "; %" G_GUINT64_FORMAT " more occurred"),
          self->first_overflow, self->n_overflows - 1);
  tell_skipped (self);
}

/**
 * ts_ctrace_get_csv:
 * @self: a converter
 *
 * Thread: owner
 *
 * Returns: (transfer none): what was written so far; may be truncated by the caller once it is
 * stored
 */
GString *
ts_ctrace_get_csv (TsCtrace *self)
{
  return self->csv;
}

/**
 * ts_ctrace_get_n_events:
 * @self: a converter
 *
 * Thread: owner
 *
 * Returns: events, with synchronisation packets and time stamps, whether they have a row or not
 */
guint64
ts_ctrace_get_n_events (TsCtrace *self)
{
  return self->n_events;
}
