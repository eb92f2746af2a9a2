/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-batch.c: the packets of a stream, many at a time.
 *
 * Which packet a target sends next cannot be foretold, so asking what each one is costs more than
 * all the rest. Here every packet takes the same way: its key finds what was learned about such ones,
 * and masks choose: text goes to the line of its port, a time stamp ends a section, a PC waits for
 * its value, all others write an event. The events get their times when all packets were seen.
 * Whatever needs more (an object that is new, the end of a line, damage ...) is taken one by one by
 * ts-itm-events.c, and learned from; the result is the same.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

#define ALL G_MAXUINT32

/**
 * TsItmLesson: what becomes of the packets with a key
 * @line: where their text goes
 * @object, @kind, @core, @flags, @detail: of their events
 * @bad_mask: bits of the value that must not be set
 * @value_mask: bits of the value that belong to the event
 * @object_mask: set where the value names an exception: it is what the event is about
 * @stamp_mask, @pc_mask, @access_mask: set for a time stamp, the PC of an access, the value of one
 * @text_mask, @text_pad: of the value as text, and what stands in the bytes that are none
 * @port: of those that are stimulus, under @port_mask
 * @line_mask, @line_limit: set where there is text, and how much may wait before it
 * @allowed: bits of comparators that may wait for a value, %IS_KNOWN if the packets can be taken here
 * @waiting: the comparator that waits after it
 * @stamp_flags: of events before the time stamp
 */
struct _TsItmLesson
{
  TsItmLine *line;
  guint32 object;
  guint16 kind;
  guint8 core;
  guint8 flags;
  guint32 bad_mask;
  guint32 value_mask;
  guint32 object_mask;
  guint32 stamp_mask;
  guint32 pc_mask;
  guint32 access_mask;
  guint32 text_mask;
  guint32 text_pad;
  guint16 port;
  guint16 port_mask;
  guint16 line_mask;
  guint16 line_limit;
  guint16 allowed;
  guint8 detail;
  guint8 size;
  guint8 waiting;
  guint8 stamp_flags;
  guint8 is_event;
};

#define IS_KNOWN 0x100

struct _TsItmLessons
{
  TsItmLesson lessons[256];
  TsItmLine no_line;
  gint64 times[TS_ITM_BATCH + 1]; /* at the end of each section */
  guint8 flags[TS_ITM_BATCH + 1]; /* of what happened in it */
};

/* Nothing is known about the packets of @lesson. */
static void
clear (TsItmLessons *self, TsItmLesson *lesson)
{
  memset (lesson, 0, sizeof *lesson);
  lesson->line = &self->no_line;
  lesson->line_limit = G_MAXUINT16;
  lesson->text_pad = 0x20202020;
}

/* Nothing learned yet. Free with g_free(). */
TsItmLessons *
_ts_itm_lessons_new (void)
{
  TsItmLessons *self = g_new0 (TsItmLessons, 1);

  for (guint i = 0; i < G_N_ELEMENTS (self->lessons); i++)
    clear (self, &self->lessons[i]);
  return self;
}

/* What a packet of hardware becomes. Returns whether it is an event. Source: itm-dwt.md section 2.7 */
static gboolean
learn_hardware (TsItmStream *self, const TsItmPacket *packet, TsItmLesson *lesson)
{
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
      lesson->kind = TS_EVENT_DWT_EXC;
      lesson->detail = packet->type - TS_ITM_EXCEPTION_ENTERED + 1;
      lesson->flags = packet->type == TS_ITM_EXCEPTION_ENTERED  ? TS_EVENT_FLAG_START
                      : packet->type == TS_ITM_EXCEPTION_EXITED ? TS_EVENT_FLAG_END
                                                                : 0;
      lesson->value_mask = TS_ITM_N_EXCEPTIONS - 1;
      lesson->object_mask = ALL;
      return TRUE;
    case TS_ITM_PC_SLEEP:
      lesson->bad_mask = ALL;
      lesson->kind = TS_EVENT_DWT_PC;
      return TRUE;
    case TS_ITM_PC_SAMPLE:
      lesson->kind = TS_EVENT_DWT_PC;
      return TRUE;
    case TS_ITM_EVENT_COUNTER:
      lesson->kind = TS_EVENT_DWT_COUNTERS;
      return TRUE;
    case TS_ITM_PMU_OVERFLOW:
      lesson->kind = TS_EVENT_PMU_OVERFLOW;
      return TRUE;
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      lesson->kind = TS_EVENT_DWT_DATA;
      lesson->object = self->watches[packet->port];
      lesson->flags = packet->type == TS_ITM_DATA_VALUE_WRITE ? TS_EVENT_FLAG_START
                                                              : TS_EVENT_FLAG_END;
      lesson->access_mask = ALL;
      lesson->allowed |= 1u << packet->port;
      return TRUE;
    default:
      return FALSE;
    }
}

/* What stimulus becomes, now that it is known what its port is for. Returns whether it is. */
static gboolean
learn_stimulus (TsItmStream *self, const TsItmPacket *packet, TsItmLesson *lesson)
{
  const TsItmPort *port = &self->ports[packet->port];

  lesson->port = packet->port;
  lesson->port_mask = G_MAXUINT16;
  if (port->use == TS_ITM_PORT_TEXT && port->line != NULL)
    {
      lesson->line = port->line;
      lesson->line_mask = G_MAXUINT16;
      lesson->line_limit = TS_ITM_MAX_LINE - 1 - packet->size;
      lesson->text_mask = ALL;
      lesson->text_pad = (guint32) (G_GUINT64_CONSTANT (0x20202020) << (8 * packet->size));
      return TRUE;
    }
  lesson->is_event = TRUE;
  lesson->kind = TS_EVENT_ITM_DATA;
  lesson->object = port->object;
  lesson->detail = packet->size;
  return port->use == TS_ITM_PORT_DATA && port->object != 0;
}

/* Learns from a packet that was just taken one by one. */
void
_ts_itm_stream_learn (TsItmStream *self, const TsItmPacket *packet)
{
  TsItmLesson *lesson = &self->lessons->lessons[packet->key];
  gboolean is_known = TRUE;

  if ((lesson->allowed & IS_KNOWN) != 0
      && ((lesson->port ^ packet->port) & lesson->port_mask) == 0)
    return;
  clear (self->lessons, lesson);
  lesson->core = self->core;
  lesson->size = packet->size;
  lesson->value_mask = ALL;
  if (packet->type == TS_ITM_SWIT)
    is_known = learn_stimulus (self, packet, lesson);
  else if (packet->type == TS_ITM_LTS1 || packet->type == TS_ITM_LTS2)
    {
      lesson->stamp_mask = ALL;
      lesson->stamp_flags = packet->tc != 0 ? TS_EVENT_FLAG_TIME_ESTIMATED : 0;
    }
  else if (packet->type == TS_ITM_DATA_PC && packet->size > 1)
    {
      lesson->pc_mask = ALL;
      lesson->waiting = (guint8) (1u << packet->port);
    }
  else
    is_known = lesson->is_event = learn_hardware (self, packet, lesson);
  if (is_known)
    lesson->allowed |= IS_KNOWN;
}

/* Forgets what was learned about the packets of a stimulus port, or of a comparator. */
void
_ts_itm_stream_forget (TsItmStream *self, gboolean is_stimulus, guint number)
{
  for (guint i = 0; self->lessons != NULL && i < G_N_ELEMENTS (self->lessons->lessons); i++)
    {
      TsItmLesson *lesson = &self->lessons->lessons[i];

      if (is_stimulus ? lesson->port_mask != 0 && lesson->port == number
                      : lesson->access_mask != 0 && (lesson->allowed >> number & 1) != 0)
        clear (self->lessons, lesson);
    }
}

/* Not 0 if a control character is among four. */
static inline guint32
find_controls (guint32 bytes)
{
  guint32 is_del = bytes ^ 0x7F7F7F7Fu;

  /* the highest bit of a byte tells that one is below 20h, or 7Fh, if any is */
  return (((bytes - 0x20202020u) & ~bytes) | ((is_del - 0x01010101u) & ~is_del)) & 0x80808080u;
}

/* The first @n_settled events behind those in the window know their section: gives them its time. */
static void
settle (TsItmStream *self, guint n_sections, guint n_settled)
{
  TsItmLessons *lessons = self->lessons;
  TsEventWindow *window = self->decoder->window;
  TsEvent *events = window->events + window->n_events;

  if (n_settled == 0)
    return;
  for (guint i = 0; i < n_sections; i++)
    lessons->times[i] = _ts_itm_stream_scale_clock (self, lessons->times[i]) + window->shift;
  for (guint i = 0; i < n_settled; i++)
    {
      guint section = (guint) events[i].time;

      events[i].time = lessons->times[section];
      events[i].flags |= lessons->flags[section];
    }
  window->newest = events[n_settled - 1].time;
  window->n_events += n_settled;
  self->decoder->counted.events += n_settled;
}

/*
 * Takes packets as long as they are such as were learned; the stream stands in its window and has a
 * clock. Returns how many were taken.
 */
gsize
_ts_itm_stream_take_batch (TsItmStream *self, const TsItmPacket *packets, gsize n_packets)
{
  TsItmLessons *lessons = self->lessons;
  TsEventWindow *window = self->decoder->window;
  const guint32 *exceptions = self->exceptions;
  guint32 prescaler = self->prescaler;
  guint n_sections = 0;
  guint n_settled = 0;
  guint n_events = self->n_pending;
  guint waiting = self->waiting;
  guint comparator = waiting != 0 ? (guint) __builtin_ctz (waiting) & 3 : 0;
  guint32 pc = self->fragments[comparator].pc;
  guint8 guess = self->is_tentative ? TS_EVENT_FLAG_TIME_ESTIMATED : 0;
  gint64 now = self->now;
  TsEvent *events;
  gsize i;

  n_packets = MIN (n_packets, TS_ITM_MAX_PENDING - n_events);
  if (window->n_events > TS_ITM_MAX_IN_WINDOW - TS_ITM_MAX_PENDING)
    _ts_itm_stream_deliver (self);
  events = window->events + window->n_events;
  for (i = 0; i < n_events; i++)
    events[i].time = 0;

  for (i = 0; i < n_packets; i++)
    {
      const TsItmPacket *packet = &packets[i];
      const TsItmLesson *lesson = &lessons->lessons[packet->key];
      guint32 value = (guint32) packet->value;
      guint32 exception
          = exceptions[value & lesson->object_mask & (TS_ITM_N_EXCEPTIONS - 1)];
      TsItmLine *line = lesson->line;
      guint32 bytes = GUINT32_TO_LE (value);
      TsEvent *event = &events[n_events];

      if (G_UNLIKELY (((value & lesson->bad_mask) | ((waiting | IS_KNOWN) & ~lesson->allowed)
                       | ((packet->port ^ lesson->port) & lesson->port_mask)
                       | (lesson->object_mask & (exception == 0)))
                      != 0))
        break;
      if (G_UNLIKELY ((find_controls ((value & lesson->text_mask) | lesson->text_pad)
                       | (line->n > lesson->line_limit))
                      != 0))
        {
          int n = _ts_itm_stream_take_text (self, packet, event);

          if (n < 0)
            break;
          event->time = n_sections;
          n_events += (guint) n;
          continue;
        }

      memcpy (line->text + line->n, &bytes, sizeof bytes);
      line->n = (guint16) (line->n + lesson->size) & lesson->line_mask;

      event->time = n_sections;
      event->object = lesson->object | (exception & lesson->object_mask);
      event->kind = lesson->kind;
      event->core = lesson->core;
      event->flags = lesson->flags;
      event->value = (gint64) (value & lesson->value_mask);
      event->detail = lesson->detail | (pc & lesson->access_mask);
      n_events += lesson->is_event;

      pc = value & lesson->pc_mask;
      waiting = lesson->waiting;

      now += (gint64) ((value & lesson->stamp_mask) * (guint64) prescaler);
      lessons->times[n_sections] = now;
      lessons->flags[n_sections] = guess | lesson->stamp_flags;
      n_settled += (n_events - n_settled) & lesson->stamp_mask;
      n_sections += lesson->stamp_mask & 1;
    }
  if (i == 0)
    return 0;

  if (self->waiting != 0)
    memset (&self->fragments[comparator], 0, sizeof self->fragments[0]);
  if (waiting != 0)
    self->fragments[__builtin_ctz (waiting)] = (TsItmFragment){ .has_pc = TRUE, .pc = pc };
  self->now = now;
  self->waiting = waiting;
  self->n_pending = n_events - n_settled;
  settle (self, n_sections, n_settled);
  return i;
}
