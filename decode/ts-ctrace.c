/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctrace.c: the packets of a trace run as events with their times.
 *
 * Packets become events that wait for the next local time stamp. Whatever breaks the stream gives
 * out what waits, and gets an event of its own, whose note may name the next time stamp.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-ctrace.h"
#include "ts-deframer-private.h"
#include "ts-itm-reader-private.h"

/* Bytes are given to the decoder in blocks; one without a packet opens a gap. Source: ctrace.md
 * section 5.3 */
#define BLOCK 4096
/* Events that wait for a time stamp at most: where none ever comes, memory stays flat. */
#define MAX_PENDING (1 << 19)

typedef struct
{
  TsCtraceField value;
  TsCtraceField pc;
  TsCtraceField address;
  gboolean is_write;
  guint64 order; /* of its latest packet; 0: nothing waits */
} Fragment;

/**
 * Stream:
 * @now: cycles, the sum of the local time stamps
 * @has_time: one came
 * @is_lost: something was lost since the last one
 * @is_reliable: one came since something was lost
 * @is_broken: an error, and no packet since: @resume is where the search began
 * @resume: see @is_broken
 * @last_block: the block that had the last packet; -1: none
 */
typedef struct
{
  TsCtrace *owner;
  guint id;
  const TsCtraceStream *config;
  TsItmReader reader;
  guint64 now;
  gboolean has_time;
  gboolean is_lost;
  gboolean is_reliable;
  gboolean is_broken;
  gboolean was_synced;
  guint32 epoch;
  guint64 resume;
  gint64 last_block;
  GArray *pending; /* TsCtraceEvent */
  Fragment fragments[TS_CTRACE_N_COMPARATORS];
  guint64 n_orders;
  guint64 gts_low;
  guint64 gts_high;
  gboolean has_gts_high;
  gboolean has_clock_change;
  guint32 told_ports;
} Stream;

struct _TsCtrace
{
  TsCtraceConfig *config;
  TsCtraceOptions options;
  TsCtraceEventFunc event_func;
  TsCtraceDiagnosticFunc func;
  gpointer user_data;
  TsDeframer deframer;
  Stream *by_id[TS_CTRACE_LAST_STREAM + 1];
  guint64 skipped[TS_TPIU_N_IDS];
  guint64 n_no_id;
  guint64 n_faults[TS_CTRACE_N_NOTES];
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

static const char *
name_fault (TsCtraceNote note)
{
  switch (note)
    {
    case TS_CTRACE_NOTE_BAD_SEQUENCE:
      return _ ("invalid ITM packet sequence");
    case TS_CTRACE_NOTE_BAD_HEADER:
      return _ ("invalid ITM packet header");
    case TS_CTRACE_NOTE_BAD_EXCEPTION:
      return _ ("invalid exception action");
    case TS_CTRACE_NOTE_BAD_SAMPLE:
      return _ ("invalid PC sample");
    case TS_CTRACE_NOTE_BAD_COUNTER:
      return _ ("invalid DWT event counter");
    case TS_CTRACE_NOTE_BAD_PMU:
      return _ ("invalid PMU overflow");
    case TS_CTRACE_NOTE_BAD_SIZE:
      return _ ("unsupported DWT data trace payload size");
    default:
      return NULL;
    }
}

/* Tells of a fault; of the second and later ones of its kind only if every one is asked for. Source:
 * ctrace.md section 7, "Standard error" */
static void
tell_fault (Stream *stream, const TsCtraceEvent *event)
{
  TsCtrace *self = stream->owner;
  gboolean is_first = self->n_faults[event->note]++ == 0;
  g_autofree char *context
      = stream->id != TS_CTRACE_UNFORMATTED ? g_strdup_printf (": stream=%u", stream->id)
                                            : g_strdup ("");

  if (!is_first && self->options.generation >= 3 && !self->options.is_verbose)
    return;
  switch ((TsCtraceNote) event->note)
    {
    case TS_CTRACE_NOTE_LOSS:
      tell (self, TS_CTRACE_FAILURE,
            _ ("%" PRIu64 " raw bytes from raw offset %" PRIu64
               " could not be decoded before the next hardware ITM sync%s"),
            event->number, event->offset, context);
      break;
    case TS_CTRACE_NOTE_LOSS_TO_END:
      tell (self, TS_CTRACE_FAILURE,
            _ ("%" PRIu64 " raw bytes from raw offset %" PRIu64
               " could not be decoded: no hardware ITM sync came any more%s"),
            event->number, event->offset, context);
      break;
    case TS_CTRACE_NOTE_NEVER_SYNCED:
      tell (self, TS_CTRACE_FAILURE,
            _ ("no hardware ITM sync in %" PRIu64
               " raw bytes: is the baud rate right, does the target send synchronization packets, "
               "and is this ITM?%s"),
            event->number, context);
      break;
    case TS_CTRACE_NOTE_CUT:
      tell (self, TS_CTRACE_FAILURE,
            _ ("incomplete ITM packet starting at raw offset %" PRIu64
               " at end of input%s"),
            event->offset, context);
      break;
    default:
      tell (self, TS_CTRACE_FAILURE, _ ("%s at raw offset %" PRIu64 "%s"),
            name_fault ((TsCtraceNote) event->note), event->offset, context);
      break;
    }
}

/* ---- events that wait ---- */

static void
give (Stream *stream, const TsCtraceEvent *event)
{
  if (stream->owner->event_func != NULL)
    stream->owner->event_func (event, stream->owner->user_data);
}

/* Gives out what waits; faults keep the quality they have. Source: ctrace.md section 5.4, "Quality"
 */
static void
give_pending (Stream *stream, gboolean is_overflow, gboolean is_reliable)
{
  GArray *pending = stream->pending;

  for (guint i = 0; i < pending->len; i++)
    {
      TsCtraceEvent *event = &g_array_index (pending, TsCtraceEvent, i);

      event->is_overflow = is_overflow != FALSE;
      event->is_reliable = is_reliable != FALSE;
      event->is_early = !stream->has_time;
      event->epoch = stream->epoch;
      give (stream, event);
    }
  g_array_set_size (pending, 0);
}

/* An event that waits for its time. */
static TsCtraceEvent *
add (Stream *stream, TsCtraceType type, gint source)
{
  TsCtraceEvent event = {
    .type = (guint8) type,
    .stream = (guint8) stream->id,
    .source = source,
    .has_time = stream->has_time != FALSE,
    .time = stream->now,
  };

  if (stream->pending->len >= MAX_PENDING)
    give_pending (stream, stream->is_lost || !stream->is_reliable, FALSE);
  stream->owner->n_events++;
  g_array_append_val (stream->pending, event);
  return &g_array_index (stream->pending, TsCtraceEvent, stream->pending->len - 1);
}

static void
finish_fragment (Stream *stream, guint comparator)
{
  Fragment *fragment = &stream->fragments[comparator];
  TsCtraceEvent *event;

  if (fragment->order == 0)
    return;
  event = add (stream, TS_CTRACE_DWT, (gint) comparator);
  event->value = fragment->value;
  event->pc = fragment->pc;
  event->address = fragment->address;
  event->is_write = fragment->is_write != FALSE;
  memset (fragment, 0, sizeof *fragment);
}

/* All that wait, in the order of their latest packet. Source: ctrace.md section 5.5 */
static void
finish_fragments (Stream *stream)
{
  for (;;)
    {
      guint oldest = TS_CTRACE_N_COMPARATORS;

      for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
        if (stream->fragments[i].order != 0
            && (oldest == TS_CTRACE_N_COMPARATORS
                || stream->fragments[i].order < stream->fragments[oldest].order))
          oldest = i;
      if (oldest == TS_CTRACE_N_COMPARATORS)
        return;
      finish_fragment (stream, oldest);
    }
}

static void
take_local_time (Stream *stream, const TsItmPacket *packet)
{
  guint64 step;
  gboolean was_lost = stream->is_lost;

  finish_fragments (stream);
  step = packet->value * stream->config->prescaler;
  stream->now = stream->now > G_MAXUINT64 - step ? G_MAXUINT64 : stream->now + step;
  stream->has_time = TRUE;
  for (guint i = 0; i < stream->pending->len; i++)
    {
      TsCtraceEvent *event = &g_array_index (stream->pending, TsCtraceEvent, i);

      if (event->note == TS_CTRACE_NOTE_LOSS)
        {
          event->upto = stream->now;
          event->has_upto = TRUE;
        }
      else if (event->type != TS_CTRACE_BAD && event->type != TS_CTRACE_SYNC)
        {
          event->time = stream->now;
          event->has_time = TRUE;
        }
    }
  give_pending (stream, was_lost, !was_lost && packet->tc <= 1);
  stream->is_reliable = TRUE;
  stream->is_lost = FALSE;
  stream->owner->n_events++;
}

/* The times break here: what waits keeps those that it has. Source: ctrace.md section 5.4 */
static void
break_time (Stream *stream)
{
  stream->is_lost = TRUE;
  stream->is_reliable = FALSE;
  finish_fragments (stream);
  give_pending (stream, TRUE, FALSE);
}

/* A fault that breaks the stream. */
static TsCtraceEvent *
add_fault (Stream *stream, TsCtraceNote note, guint64 offset, guint64 number)
{
  TsCtraceEvent *event = add (stream, TS_CTRACE_BAD, -1);

  event->note = (guint8) note;
  event->offset = offset;
  event->number = number;
  event->has_time = TRUE;
  tell_fault (stream, event);
  return event;
}

/* Bytes in which there was no packet. A gap behind an error belongs to it. */
static void
add_gap (Stream *stream, TsCtraceNote note, guint64 begin, guint64 end)
{
  TsCtrace *self = stream->owner;

  if (note == TS_CTRACE_NOTE_LOSS && !stream->was_synced && self->options.is_formatted
      && self->options.generation >= 3)
    {
      TsCtraceEvent event = { .type = TS_CTRACE_SKIPPED,
                              .note = TS_CTRACE_NOTE_NO_SYNC,
                              .stream = (guint8) stream->id,
                              .source = -1,
                              .number = end - begin };

      give (stream, &event);
      tell (self, TS_CTRACE_WARNING, _ ("%" PRIu64 " bytes skipped: no SYNC: stream=%u"),
            end - begin, stream->id);
      return;
    }
  if (!stream->is_broken)
    stream->epoch++;
  break_time (stream);
  add_fault (stream, note, begin, end - begin);
}

static void
take_error (Stream *stream, const TsItmPacket *packet)
{
  TsCtraceNote note = packet->type == TS_ITM_BAD_SEQUENCE ? TS_CTRACE_NOTE_BAD_SEQUENCE
                      : packet->type == TS_ITM_RESERVED   ? TS_CTRACE_NOTE_BAD_HEADER
                                                          : TS_CTRACE_NOTE_CUT;

  if (note != TS_CTRACE_NOTE_CUT)
    stream->epoch++;
  break_time (stream);
  add_fault (stream, note, packet->offset, 0);
  stream->has_gts_high = FALSE;
  stream->gts_low = 0;
  stream->is_broken = note != TS_CTRACE_NOTE_CUT;
  stream->resume = packet->offset + packet->length;
}

/* Tells of a gap that ends with the packet, or with the input. Source: ctrace.md sections 5.2 and 5.3
 */
static void
check_gap (Stream *stream, guint64 offset, gboolean is_end)
{
  guint64 begin = stream->is_broken ? stream->resume : (guint64) (stream->last_block + 1) * BLOCK;
  TsCtraceNote note = !is_end              ? TS_CTRACE_NOTE_LOSS
                      : stream->was_synced ? TS_CTRACE_NOTE_LOSS_TO_END
                                           : TS_CTRACE_NOTE_NEVER_SYNCED;

  if (offset > begin)
    add_gap (stream, note, begin, offset);
  stream->is_broken = FALSE;
}

/* ---- packets ---- */

/* A packet: closes a gap if there is one. */
static void
take_place (Stream *stream, const TsItmPacket *packet)
{
  gint64 block = (gint64) ((packet->offset + packet->length - 1) / BLOCK);

  if (stream->is_broken || block > stream->last_block + 1)
    check_gap (stream, packet->offset, FALSE);
  stream->last_block = block;
}

static void
take_stimulus (Stream *stream, const TsItmPacket *packet)
{
  const TsCtraceStream *config = stream->config;
  TsCtraceEvent *event;
  guint port = packet->port;

  finish_fragments (stream);
  event = add (stream, TS_CTRACE_ITM, (gint) port);
  event->value = (TsCtraceField){ (guint32) packet->value, packet->size };
  if (!config->has_mask || port >= TS_CTRACE_N_PORTS || port == 0
      || ((config->mask | stream->told_ports) >> port & 1) != 0)
    return;
  stream->told_ports |= 1u << port;
  tell (stream->owner, TS_CTRACE_WARNING,
        _ ("data on ITM port %u, which the configuration does not enable: stream=%u"), port,
        stream->id);
}

static void
add_bad (Stream *stream, TsCtraceNote note, const TsItmPacket *packet)
{
  TsCtraceEvent *event = add (stream, TS_CTRACE_BAD, -1);

  event->note = (guint8) note;
  event->number = packet->port;
  event->offset = packet->offset;
  tell_fault (stream, event);
  if (stream->pending->len == 1)
    give_pending (stream, stream->is_lost, FALSE);
}

static void
take_data (Stream *stream, const TsItmPacket *packet)
{
  Fragment *fragment = &stream->fragments[packet->port];
  TsCtraceField field = { (guint32) packet->value, packet->size };
  guint generation = stream->owner->options.generation;
  gboolean is_pc = packet->type == TS_ITM_DATA_PC;
  gboolean is_address = packet->type == TS_ITM_DATA_ADDRESS;
  TsCtraceField *place = is_pc ? &fragment->pc : is_address ? &fragment->address : &fragment->value;

  if (generation == 1 && ((is_pc && packet->size != 4) || (is_address && packet->size != 2)))
    {
      finish_fragments (stream);
      add_bad (stream, TS_CTRACE_NOTE_BAD_SIZE, packet);
      return;
    }
  if (fragment->order != 0 && place->size != 0)
    finish_fragment (stream, packet->port);
  *place = field;
  if (!is_pc && !is_address)
    fragment->is_write = packet->type == TS_ITM_DATA_VALUE_WRITE;
  fragment->order = ++stream->n_orders;
  if (fragment->value.size != 0 && (fragment->pc.size != 0 || fragment->address.size != 0))
    finish_fragment (stream, packet->port);
}

static void
take_match (Stream *stream, const TsItmPacket *packet)
{
  if (stream->owner->options.generation == 1)
    {
      finish_fragments (stream);
      add_bad (stream, TS_CTRACE_NOTE_BAD_SIZE, packet);
      return;
    }
  finish_fragment (stream, packet->port);
  add (stream, TS_CTRACE_DWT, packet->port)->is_match = TRUE;
}

static void
take_exception (Stream *stream, const TsItmPacket *packet)
{
  finish_fragments (stream);
  if (packet->type == TS_ITM_EXCEPTION_RESERVED || packet->type == TS_ITM_EXCEPTION_BAD_SIZE)
    add_bad (stream, TS_CTRACE_NOTE_BAD_EXCEPTION, packet);
  else
    add (stream, TS_CTRACE_EXCEPTION, packet->port)->value
        = (TsCtraceField){ (guint32) (packet->type - TS_ITM_EXCEPTION_ENTERED + 1), 1 };
}

/* PC samples, counters and PMU overflows; the first generation decodes only the counters of them.
 * Source: ctrace.md section 5.6 */
static void
take_sample (Stream *stream, const TsItmPacket *packet)
{
  gboolean is_first = stream->owner->options.generation == 1;
  TsCtraceField field = { (guint32) packet->value, packet->size };
  TsCtraceEvent *event;

  finish_fragments (stream);
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_EVENT_COUNTER:
      if (packet->value == 0 || packet->value > 0x3F)
        add_bad (stream, TS_CTRACE_NOTE_BAD_COUNTER, packet);
      else
        add (stream, TS_CTRACE_COUNTER, 0)->value = field;
      return;
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
      add_bad (stream, TS_CTRACE_NOTE_BAD_COUNTER, packet);
      return;
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PC_SLEEP:
    case TS_ITM_PC_PROHIBITED:
      if (is_first)
        return;
      event = add (stream, TS_CTRACE_PC, -1);
      if (packet->type == TS_ITM_PC_SAMPLE)
        event->pc = field;
      else
        event->note = packet->type == TS_ITM_PC_SLEEP ? TS_CTRACE_NOTE_SLEEPING
                                                      : TS_CTRACE_NOTE_PROHIBITED;
      return;
    case TS_ITM_PMU_OVERFLOW:
      if (is_first)
        return;
      if (packet->value == 0)
        add_bad (stream, TS_CTRACE_NOTE_BAD_PMU, packet);
      else
        add (stream, TS_CTRACE_PMU, 3)->value = field;
      return;
    default:
      if (!is_first)
        add_bad (stream,
                 packet->type == TS_ITM_PMU_BAD_SIZE ? TS_CTRACE_NOTE_BAD_PMU
                                                     : TS_CTRACE_NOTE_BAD_SAMPLE,
                 packet);
      return;
    }
}

/* Source: itm-dwt.md section 2.4 */
static void
take_global_time (Stream *stream, const TsItmPacket *packet)
{
  static const guint8 bits[] = { 0, 7, 14, 21, 26 };
  TsCtraceEvent *event;

  if (packet->type == TS_ITM_GTS1)
    {
      guint64 mask = ((guint64) 1 << bits[packet->size]) - 1;

      stream->gts_low = (stream->gts_low & ~mask) | (packet->value & mask);
      stream->has_clock_change |= (packet->flags & TS_ITM_GTS_CLOCK_CHANGE) != 0;
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
  event = add (stream, TS_CTRACE_GLOBAL_TIME, -1);
  event->number = stream->gts_high << 26 | stream->gts_low;
  event->clock_changed = stream->has_clock_change != FALSE;
  stream->has_clock_change = FALSE;
}

static void
take_overflow (Stream *stream)
{
  TsCtrace *self = stream->owner;
  TsCtraceEvent *event;

  stream->epoch++;
  break_time (stream);
  event = add (stream, TS_CTRACE_OVERFLOW, -1);
  event->note = TS_CTRACE_NOTE_OVERFLOW;
  give_pending (stream, TRUE, FALSE);
  if (self->n_overflows++ == 0)
    self->first_overflow = stream->now;
}

static void
take_packet (Stream *stream, const TsItmPacket *packet)
{
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_SYNC:
      take_place (stream, packet);
      stream->was_synced = TRUE;
      add (stream, TS_CTRACE_SYNC, -1)->has_time = FALSE;
      if (stream->pending->len == 1)
        give_pending (stream, stream->is_lost, FALSE);
      return;
    case TS_ITM_RESERVED:
    case TS_ITM_BAD_SEQUENCE:
    case TS_ITM_INCOMPLETE:
      take_error (stream, packet);
      return;
    case TS_ITM_UNSYNCED:
    case TS_ITM_N_TYPES:
      return;
    default:
      break;
    }

  take_place (stream, packet);
  switch ((TsItmType) packet->type)
    {
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
    case TS_ITM_EXCEPTION_BAD_SIZE:
      take_exception (stream, packet);
      break;
    case TS_ITM_DATA_PC:
    case TS_ITM_DATA_ADDRESS:
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      take_data (stream, packet);
      break;
    case TS_ITM_DATA_MATCH:
      take_match (stream, packet);
      break;
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PC_SLEEP:
    case TS_ITM_PC_PROHIBITED:
    case TS_ITM_EVENT_COUNTER:
    case TS_ITM_PMU_OVERFLOW:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
      take_sample (stream, packet);
      break;
    case TS_ITM_HW_RESERVED_DISC:
      finish_fragments (stream);
      break;
    case TS_ITM_EXTENSION:
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
  stream->config = ts_ctrace_config_get_stream (self->config, id);
  stream->last_block = -1;
  stream->pending = g_array_new (FALSE, FALSE, sizeof (TsCtraceEvent));
  _ts_itm_reader_init (&stream->reader, TS_ITM_STRICT, take_packets, stream);
  stream->reader.is_lenient = TRUE;
  return stream;
}

/* Bytes of a source, or of none. */
static void
take_bytes (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data)
{
  TsCtrace *self = user_data;

  if (!self->options.is_formatted)
    _ts_itm_reader_push (&get_stream (self, TS_CTRACE_UNFORMATTED)->reader, bytes, n_bytes);
  else if (id == TS_TPIU_NO_ID)
    self->n_no_id += n_bytes;
  else if (id == 0 || id > TS_CTRACE_LAST_STREAM
           || !ts_ctrace_config_get_stream (self->config, id)->has_route)
    self->skipped[id] += n_bytes;
  else
    _ts_itm_reader_push (&get_stream (self, id)->reader, bytes, n_bytes);
}

/**
 * ts_ctrace_new:
 * @config: a configuration; borrowed, must outlive the converter
 * @options: what to write; its lists are borrowed
 * @event_func: (nullable): takes events, in order
 * @func: (nullable): takes diagnostics
 * @user_data: for both
 *
 * Thread: any; afterwards owner
 * Source: ctrace.md section 5
 *
 * Returns: (transfer full): a converter of one input
 */
TsCtrace *
ts_ctrace_new (TsCtraceConfig *config,
               const TsCtraceOptions *options,
               TsCtraceEventFunc event_func,
               TsCtraceDiagnosticFunc func,
               gpointer user_data)
{
  TsCtrace *self = g_new0 (TsCtrace, 1);

  self->config = config;
  self->options = *options;
  self->event_func = event_func;
  self->func = func;
  self->user_data = user_data;
  _ts_deframer_init (&self->deframer, self->options.is_formatted, TRUE, take_bytes, self);
  self->deframer.tpiu.layout = TS_TPIU_MEMORY;
  return self;
}

/**
 * ts_ctrace_free:
 * @self: (transfer full) (nullable): a converter
 *
 * Thread: owner
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
  _ts_deframer_clear (&self->deframer);
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
  _ts_deframer_push (&self->deframer, bytes, n_bytes);
}

/* Bytes that belong to nobody. Source: ctrace.md sections 3.4 and 7 */
static void
tell_skipped (TsCtrace *self)
{
  for (guint id = 0; id <= TS_TPIU_N_IDS; id++)
    {
      gboolean is_none = id == TS_TPIU_N_IDS;
      guint64 n = is_none ? self->n_no_id : self->skipped[id];
      TsCtraceEvent event = {
        .type = TS_CTRACE_SKIPPED,
        .note = TS_CTRACE_NOTE_NO_ROUTE,
        .stream = (guint8) (is_none ? TS_CTRACE_NO_STREAM : id),
        .source = -1,
        .number = n,
      };

      if (n == 0)
        continue;
      if (self->event_func != NULL)
        self->event_func (&event, self->user_data);
      if (is_none)
        tell (self, TS_CTRACE_INFO, _ ("%" PRIu64 " bytes skipped: no source ID"), n);
      else if (id > TS_CTRACE_LAST_STREAM)
        tell (self, TS_CTRACE_INFO,
              _ ("%" PRIu64 " bytes skipped: reserved source ID: stream=%u"), n, id);
      else if (id != 0)
        tell (self, TS_CTRACE_WARNING,
              _ ("%" PRIu64 " bytes skipped: unconfigured source ID: stream=%u"), n, id);
    }
}

/* Faults of which only the first was told. */
static void
tell_rest (TsCtrace *self)
{
  for (guint i = 0; i < TS_CTRACE_N_NOTES; i++)
    if (self->options.generation >= 3 && !self->options.is_verbose && self->n_faults[i] > 1)
      {
        const char *name = name_fault ((TsCtraceNote) i);

        tell (self, TS_CTRACE_FAILURE,
              ngettext ("%s: %" PRIu64 " more", "%s: %" PRIu64 " more",
                        (gulong) MIN (self->n_faults[i] - 1, G_MAXUINT)),
              name != NULL ? name : _ ("bytes that could not be decoded"), self->n_faults[i] - 1);
      }
}

/* Gives out everything that waited. */
static void
finish_streams (TsCtrace *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->by_id); i++)
    {
      Stream *stream = self->by_id[i];

      if (stream == NULL)
        continue;
      _ts_itm_reader_finish (&stream->reader);
      if (stream->reader.is_hunting
          && (stream->is_broken
              || stream->reader.offset > (guint64) (stream->last_block + 1) * BLOCK))
        check_gap (stream, stream->reader.offset, TRUE);
      finish_fragments (stream);
      give_pending (stream, stream->is_lost || !stream->is_reliable, FALSE);
    }
}

/**
 * ts_ctrace_finish:
 * @self: a converter
 *
 * The end of the input: gives out everything that waited.
 *
 * Thread: owner
 */
void
ts_ctrace_finish (TsCtrace *self)
{
  _ts_deframer_finish (&self->deframer);
  finish_streams (self);
  tell_rest (self);
  if (self->n_overflows > 0)
    tell (self, TS_CTRACE_WARNING,
          _ ("first overflow occurred at cycle timestamp %" PRIu64
             "; %" PRIu64 " more occurred"),
          self->first_overflow, self->n_overflows - 1);
  tell_skipped (self);
}

/**
 * ts_ctrace_abort:
 * @self: a finished converter
 *
 * The input could not be read to its end: says so in the output.
 *
 * Thread: owner
 */
void
ts_ctrace_abort (TsCtrace *self)
{
  TsCtraceEvent event = { .type = TS_CTRACE_BAD, .note = TS_CTRACE_NOTE_ABORTED, .source = -1 };

  if (self->event_func != NULL)
    self->event_func (&event, self->user_data);
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
