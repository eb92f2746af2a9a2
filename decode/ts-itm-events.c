/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-itm-events.c: one packet of ITM or DWT becomes an event, or bytes of a recorder. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

/* External interrupts begin at this exception number. */
#define FIRST_INTERRUPT 16

/* ---- objects ---- */

/* Source: itm-dwt.md section 2.7 */
static char *
dup_exception_name (guint number)
{
  static const char *const names[FIRST_INTERRUPT] = {
    "Thread Mode",  "Reset",     "NMI",  "HardFault", "MemManage", "BusFault",
    "UsageFault",   "SecureFault", NULL, NULL,        NULL,        "SVCall",
    "DebugMonitor", NULL,        "PendSV", "SysTick",
  };

  if (number >= FIRST_INTERRUPT)
    return g_strdup_printf ("IRQ %u", number - FIRST_INTERRUPT);
  if (names[number] != NULL)
    return g_strdup (names[number]);
  return g_strdup_printf ("Exception %u", number);
}

/* Defines an object (@id 0) or tells it anew; with several streams the second one's names say whose
 * they are. */
static guint32
define (TsItmStream *self, guint32 id, TsObjectType type, guint wire_id, gint64 capacity, char *name)
{
  TsEventSink *sink = self->decoder->parent.sink;
  TsObject object = TS_OBJECT_INIT;
  g_autofree char *own = name;
  g_autofree char *full = NULL;

  if (self->core > 0)
    full = g_strdup_printf ("%s (%u)", name, self->core);
  object.id = id;
  object.type = type;
  object.core = self->core;
  object.wire_id = (gint32) wire_id;
  object.capacity = capacity;
  object.name = full != NULL ? full : own;
  if (id == 0)
    return sink->iface->define_object (sink, &object);
  sink->iface->update_object (sink, &object);
  return id;
}

static guint32
exception_object (TsItmStream *self, guint number)
{
  if (self->exceptions[number] == 0)
    self->exceptions[number]
        = define (self, 0, TS_OBJECT_EXCEPTION, number, TS_OBJECT_UNKNOWN,
                  dup_exception_name (number));
  return self->exceptions[number];
}

/* The watch's capacity are the bytes of an access, once a value came. */
static void
tell_watch (TsItmStream *self, guint comparator)
{
  const TsDecoderOptions *options = &self->decoder->parent.options;
  const char *own = self->id < TS_DECODE_N_IDS ? options->id_watch_names[self->id][comparator] : "";
  const char *name = *own != '\0' ? own : options->watch_names[comparator];
  guint size = self->watch_sizes[comparator];

  self->watches[comparator]
      = define (self, self->watches[comparator], TS_OBJECT_WATCH, comparator,
                size > 0 ? (gint64) size : TS_OBJECT_UNKNOWN,
                *name != '\0' ? g_strdup (name) : g_strdup_printf ("Watch %u", comparator));
}

static guint32
watch_object (TsItmStream *self, guint comparator)
{
  if (self->watches[comparator] == 0)
    tell_watch (self, comparator);
  return self->watches[comparator];
}

/* As watch_object(), of a value of @size bytes. */
static inline guint32
watch_of_size (TsItmStream *self, guint comparator, guint size)
{
  if (G_UNLIKELY (self->watch_sizes[comparator] != size))
    {
      self->watch_sizes[comparator] = (guint8) size;
      _ts_itm_stream_forget (self, FALSE, comparator);
      tell_watch (self, comparator);
    }
  return self->watches[comparator];
}

/* What the options call a port, "" if nothing. */
static const char *
get_port_name (const TsItmStream *self, guint port)
{
  const TsDecoderOptions *options = &self->decoder->parent.options;

  for (guint i = 0; i < options->n_id_ports; i++)
    if (options->id_ports[i].id == self->id && options->id_ports[i].port == port)
      return options->id_ports[i].name;
  return port < TS_DECODE_N_PORTS ? options->port_names[port] : "";
}

static guint32
port_object (TsItmStream *self, guint port)
{
  if (self->ports[port].object == 0)
    {
      const char *name = get_port_name (self, port);

      self->ports[port].object
          = define (self, 0, TS_OBJECT_ITM_PORT, port, TS_OBJECT_UNKNOWN,
                    *name != '\0' ? g_strdup (name) : g_strdup_printf ("ITM port %u", port));
    }
  return self->ports[port].object;
}

/* ---- stimulus ports ---- */

/* Puts the first @n bytes of the text that waits into an event that is about nothing yet. */
static void
fill_text (TsItmStream *self, guint number, gsize n, TsEvent *event)
{
  TsEventSink *sink = self->decoder->parent.sink;
  TsItmLine *line = self->ports[number].line;
  guint32 id = line->has_high ? _ts_va_text_intern (sink, line->text, n)
                              : sink->iface->intern (sink, line->text, (gssize) n);

  event->object = port_object (self, number);
  event->value = line->section == TS_ITM_NO_SECTION ? line->begin
                                                    : TS_ITM_BEGAN_IN_SECTION + line->section;
  event->flags |= TS_EVENT_FLAG_TEXT;
  event->detail = (gint64) ((guint64) id << 32 | number);
  self->n_texts++;
  line->n -= (guint16) n;
  if (line->n > 0)
    memmove (line->text, line->text + n, line->n);
  else
    line->has_high = FALSE;
}

/* A line of text has ended, and nothing came after it: fills it into @event but for its time. */
void
_ts_itm_stream_end_line (TsItmStream *self, guint number, TsEvent *event)
{
  *event = (TsEvent){ .kind = TS_EVENT_ITM_TEXT, .core = self->core };
  fill_text (self, number, self->ports[number].line->n, event);
}

static void
give_text (TsItmStream *self, guint number, gsize n)
{
  TsItmLine *line = self->ports[number].line;

  fill_text (self, number, n, _ts_itm_stream_add (self, TS_EVENT_ITM_TEXT, 0));
  if (line->n > 0)
    _ts_itm_stream_begin_line (self, line);
}

static void
finish_line (TsItmStream *self, guint number)
{
  TsItmLine *line = self->ports[number].line;

  if (line != NULL && line->n > 0)
    give_text (self, number, line->n);
}

/* Text that no end of line has come for. */
void
_ts_itm_stream_finish_lines (TsItmStream *self)
{
  for (guint i = 0; i < TS_ITM_N_PORTS; i++)
    finish_line (self, i);
}

/* Whether the bytes can be text: control characters other than those of a console are not. */
static gboolean
is_text (const TsItmPacket *packet)
{
  /* bits 7 to 13 and 27: those of a console; the rest below 20h is none */
  static const guint32 allowed = 0x08003F80 & ~(1u << '\v');

  for (guint i = 0; i < packet->size; i++)
    {
      guint8 byte = (guint8) (packet->value >> (8 * i));

      if (byte == 0x7F || (byte < 0x20 && (allowed >> byte & 1) == 0))
        return FALSE;
    }
  return TRUE;
}

/* Adds a payload to the text of a port. Returns how much of that is to be given out. */
static guint
append_text (TsItmLine *line, guint32 value, guint size)
{
  guint end = 0;

  for (guint i = 0; i < size; i++)
    {
      char byte = (char) (value >> (8 * i));

      if (byte == '\0')
        continue;
      line->text[line->n++] = byte;
      line->has_high |= (byte & 0x80) != 0;
      if (byte == '\n')
        end = line->n;
    }
  return line->n >= TS_ITM_MAX_LINE ? line->n : end;
}

static void
take_text (TsItmStream *self, guint number, const TsItmPacket *packet)
{
  TsItmPort *port = &self->ports[number];
  gboolean is_first;
  guint end;

  if (G_UNLIKELY (port->line == NULL))
    {
      port->line = g_new0 (TsItmLine, 1);
      port->line->section = TS_ITM_NO_SECTION;
      self->lines[self->n_lines++] = (guint8) number;
    }
  is_first = port->line->n == 0;
  end = append_text (port->line, (guint32) packet->value, packet->size);
  if (is_first && port->line->n > 0)
    _ts_itm_stream_begin_line (self, port->line);
  if (end > 0)
    give_text (self, number, end);
}

/* Takes text of a port that had some before, in this section of a batch. Returns whether there is an
 * event now, which is filled into @event but for its time; -1 if the port is none for text any more:
 * nothing was done. */
int
_ts_itm_stream_take_text (TsItmStream *self,
                          const TsItmPacket *packet,
                          guint section,
                          TsEvent *event)
{
  guint number = packet->port;
  TsItmLine *line = self->ports[number].line;
  guint end;

  if (number != 0 && !is_text (packet))
    return -1;
  if (line->n == 0)
    line->section = section;
  end = append_text (line, (guint32) packet->value, packet->size);
  if (end == 0)
    return 0;
  *event = (TsEvent){ .kind = TS_EVENT_ITM_TEXT, .core = self->core };
  fill_text (self, number, end, event);
  line->section = section;
  return 1;
}

/* Port 0 is a console; another port is one as long as it sends nothing but text, beginning with a
 * single character or with four of them. */
static void
take_stimulus (TsItmStream *self, const TsItmPacket *packet)
{
  TsItmDecoder *decoder = self->decoder;
  guint number = packet->port;
  TsItmPort *port = &self->ports[number];
  TsEvent *event;

  if (decoder->recorder == self && number == decoder->parent.options.itm_port)
    {
      if (decoder->n_gathered > sizeof decoder->gathered - 4)
        _ts_itm_decoder_push_gathered (decoder);
      if (!self->has_time && self->n_pending > 0)
        _ts_itm_stream_settle_pending (self, 0);
      if (!self->has_time)
        _ts_itm_stream_note_recorder_load (self, packet);
      for (guint i = 0; i < packet->size; i++)
        decoder->gathered[decoder->n_gathered++] = (guint8) (packet->value >> (8 * i));
      return;
    }
  if (port->use == TS_ITM_PORT_UNKNOWN)
    port->use = number == 0 || is_text (packet) ? TS_ITM_PORT_TEXT : TS_ITM_PORT_DATA;
  else if (port->use == TS_ITM_PORT_TEXT && number != 0
           && !is_text (packet))
    {
      finish_line (self, number);
      port->use = TS_ITM_PORT_DATA;
      _ts_itm_stream_forget (self, TRUE, number);
    }
  if (port->use == TS_ITM_PORT_TEXT)
    {
      take_text (self, number, packet);
      return;
    }
  event = _ts_itm_stream_add (self, TS_EVENT_ITM_DATA, port_object (self, number));
  event->value = (gint64) packet->value;
  event->detail = packet->size;
}

/* ---- data trace ---- */

/* An address or a PC that no value followed. */
static void
finish_fragment (TsItmStream *self, guint comparator)
{
  TsItmFragment *fragment = &self->fragments[comparator];
  TsEvent *event;

  if (!fragment->has_pc && !fragment->has_address)
    return;
  event = _ts_itm_stream_add (self, TS_EVENT_DWT_DATA_PC, watch_object (self, comparator));
  event->value = fragment->has_pc ? fragment->pc : 0;
  event->detail = fragment->has_address ? fragment->address : 0;
  memset (fragment, 0, sizeof *fragment);
  self->waiting &= ~(0x11u << comparator);
}

/* Anything that is no data trace packet ends the pairs. Source: ctrace.md section 5.5 */
void
_ts_itm_stream_finish_fragments (TsItmStream *self)
{
  for (guint i = 0; i < TS_ITM_N_COMPARATORS; i++)
    finish_fragment (self, i);
}

static void
take_data (TsItmStream *self, const TsItmPacket *packet)
{
  guint comparator = packet->port;
  TsItmFragment *fragment = &self->fragments[comparator];
  TsEvent *event;

  if (packet->type == TS_ITM_DATA_PC || packet->type == TS_ITM_DATA_ADDRESS)
    {
      gboolean is_pc = packet->type == TS_ITM_DATA_PC;

      if (is_pc ? fragment->has_pc : fragment->has_address)
        finish_fragment (self, comparator);
      if (is_pc)
        {
          fragment->has_pc = TRUE;
          fragment->pc = (guint32) packet->value;
        }
      else
        {
          fragment->has_address = TRUE;
          fragment->address = (guint32) packet->value;
        }
      self->waiting |= (is_pc ? 1u : 0x11u) << comparator;
      return;
    }
  if (fragment->has_address)
    {
      /* a data event has room for one more number: the address stands beside it */
      guint32 pc = fragment->pc;
      gboolean has_pc = fragment->has_pc;

      fragment->has_pc = FALSE;
      finish_fragment (self, comparator);
      fragment->has_pc = has_pc;
      fragment->pc = pc;
    }
  event = _ts_itm_stream_add (self, TS_EVENT_DWT_DATA,
                              watch_of_size (self, comparator, packet->size));
  event->value = (gint64) packet->value;
  event->detail = fragment->has_pc ? fragment->pc : 0;
  event->flags |= packet->type == TS_ITM_DATA_VALUE_WRITE ? TS_EVENT_FLAG_START
                                                          : TS_EVENT_FLAG_END;
  memset (fragment, 0, sizeof *fragment);
  self->waiting &= ~(0x11u << comparator);
}

/* ---- the rest ---- */

static void
take_value (TsItmStream *self, TsEventKind kind, gint64 value)
{
  _ts_itm_stream_add (self, kind, 0)->value = value;
}

/* Source: itm-dwt.md section 2.7 */
static void
take_exception (TsItmStream *self, const TsItmPacket *packet)
{
  TsEvent *event
      = _ts_itm_stream_add (self, TS_EVENT_DWT_EXC, exception_object (self, packet->port));

  event->value = packet->port;
  event->detail = packet->type - TS_ITM_EXCEPTION_ENTERED + 1;
  if (packet->type != TS_ITM_EXCEPTION_RETURNED)
    event->flags |= packet->type == TS_ITM_EXCEPTION_ENTERED ? TS_EVENT_FLAG_START
                                                             : TS_EVENT_FLAG_END;
}

/* Source: itm-dwt.md section 2.4 */
static void
take_global_time (TsItmStream *self, const TsItmPacket *packet)
{
  static const guint8 bits[] = { 0, 7, 14, 21, 26 };

  if (packet->type == TS_ITM_GTS1)
    {
      guint64 mask = ((guint64) 1 << bits[packet->size]) - 1;

      self->gts_low = (self->gts_low & ~mask) | (packet->value & mask);
      if ((packet->flags & TS_ITM_GTS_WRAP) != 0)
        self->has_gts_high = FALSE;
      if (!self->has_gts_high)
        return;
    }
  else
    {
      self->gts_high = packet->value;
      self->has_gts_high = TRUE;
    }
  take_value (self, TS_EVENT_GLOBAL_TS, (gint64) (self->gts_high << 26 | self->gts_low));
}

/* Something is missing here; @is_loss: the recorder's bytes may be concerned. */
static void
break_stream (TsItmStream *self, gboolean is_loss)
{
  TsItmDecoder *decoder = self->decoder;

  _ts_itm_stream_finish_fragments (self);
  _ts_itm_stream_settle_pending (self, TS_EVENT_FLAG_TIME_ESTIMATED);
  if (decoder->recorder == self)
    {
      _ts_itm_decoder_push_gathered (decoder);
      if (is_loss)
        ts_decoder_mark_loss (&decoder->va->parent, 0, 0);
      _ts_itm_stream_check_recorder (self);
    }
  _ts_itm_stream_time_lost (self);
}

/* Undecodable bytes, or bytes passed over. */
static void
take_damage (TsItmStream *self, const TsItmPacket *packet)
{
  TsItmDecoder *decoder = self->decoder;
  gboolean is_start = packet->type == TS_ITM_UNSYNCED && packet->offset == 0;

  decoder->counted.packets--;
  self->has_gts_high = FALSE;
  self->is_tentative = self->reader.policy == TS_ITM_AUTO;
  break_stream (self, !is_start);
  _ts_itm_stream_forget_load (self);
  if (is_start)
    {
      decoder->counted.skipped_bytes += packet->length;
      return;
    }
  decoder->counted.corrupt_bytes += packet->length;
  decoder->counted.resyncs += packet->type != TS_ITM_INCOMPLETE;
  _ts_event_window_make_room (decoder->window);
  _ts_event_window_add_host_made (decoder->window, TS_EVENT_CORRUPT, self->core,
                                  (gint64) packet->length, 0);
}

/* Data were lost in the target: how many is not known. Source: itm-dwt.md section 2.2 */
static void
take_overflow (TsItmStream *self)
{
  break_stream (self, TRUE);
  _ts_itm_stream_add (self, TS_EVENT_ITM_OVERFLOW, 0);
}

static void
take_packet (TsItmStream *self, const TsItmPacket *packet)
{
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_OVERFLOW:
      take_overflow (self);
      break;
    case TS_ITM_GTS1:
    case TS_ITM_GTS2:
      take_global_time (self, packet);
      break;
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
      take_exception (self, packet);
      break;
    case TS_ITM_PC_SAMPLE:
    case TS_ITM_PC_SLEEP:
      take_value (self, TS_EVENT_DWT_PC, (gint64) packet->value);
      break;
    case TS_ITM_EVENT_COUNTER:
      take_value (self, TS_EVENT_DWT_COUNTERS, (gint64) packet->value);
      break;
    case TS_ITM_PMU_OVERFLOW:
      take_value (self, TS_EVENT_PMU_OVERFLOW, (gint64) packet->value);
      break;
    case TS_ITM_PC_PROHIBITED:
      take_value (self, TS_EVENT_DWT_PC, -1);
      break;
    case TS_ITM_DATA_PC:
    case TS_ITM_DATA_ADDRESS:
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      take_data (self, packet);
      break;
    case TS_ITM_DATA_MATCH:
      finish_fragment (self, packet->port);
      _ts_itm_stream_add (self, TS_EVENT_DWT_MATCH, watch_object (self, packet->port))->value
          = packet->port;
      break;
    case TS_ITM_RESERVED:
    case TS_ITM_BAD_SEQUENCE:
    case TS_ITM_INCOMPLETE:
    case TS_ITM_UNSYNCED:
      take_damage (self, packet);
      break;
    case TS_ITM_EXCEPTION_RESERVED:
    case TS_ITM_HW_RESERVED_DISC:
    case TS_ITM_EVENT_COUNTER_BAD_SIZE:
    case TS_ITM_EXCEPTION_BAD_SIZE:
    case TS_ITM_PC_SAMPLE_BAD_SIZE:
    case TS_ITM_PMU_BAD_SIZE:
      self->decoder->counted.unknown_packets++;
      break;
    case TS_ITM_SYNC:
      self->decoder->counted.packets--;
      self->decoder->counted.markers++;
      self->is_tentative = FALSE;
      break;
    case TS_ITM_LTS1:
    case TS_ITM_LTS2:
      _ts_itm_stream_local_time (self, packet);
      break;
    case TS_ITM_SWIT:
      take_stimulus (self, packet);
      break;
    case TS_ITM_EXTENSION:
    case TS_ITM_N_TYPES:
    default:
      break;
    }
}

/* Takes the packets of a stream. */
void
_ts_itm_stream_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data)
{
  TsItmStream *self = user_data;
  TsItmDecoder *decoder = self->decoder;
  guint recorder_port = decoder->parent.options.itm_port;

  decoder->counted.packets += n_packets;
  for (gsize i = 0; i < n_packets; i++)
    {
      const TsItmPacket *packet = &packets[i];

      if (G_UNLIKELY (self->waiting != 0)
          && (packet->type < TS_ITM_DATA_PC || packet->type > TS_ITM_DATA_MATCH)
          && packet->type != TS_ITM_SYNC)
        _ts_itm_stream_finish_fragments (self);
      self->line_time = (gint64) packet->offset;
      /* what the recorder tells comes in the order of the stream, wherever it is cut */
      if (packet->type != TS_ITM_SWIT || packet->port != recorder_port)
        _ts_itm_decoder_push_gathered (decoder);
      take_packet (self, packet);
      if (self->lessons != NULL)
        _ts_itm_stream_learn (self, packet);
    }
  if (decoder->recorder == self)
    _ts_itm_decoder_push_gathered (decoder);
}
