/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-batch.c: the bytes of a stream, many packets at a time, to events.
 *
 * Which packet a target sends next cannot be foretold, so asking what each one is costs more than
 * all the rest. Here every packet takes the same way: its header finds what was learned about
 * such ones, and masks choose: text goes to the line of its port, a time stamp ends a section, a
 * PC waits for its value, all others write an event. The events get their times when all packets were seen.
 * Whatever needs more (an object that is new, odd text, damage ...) is taken one by one by
 * ts-itm-reader.c and ts-itm-events.c, and learned from; the result is the same.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

#define ALL G_MAXUINT32

/**
 * Outcome: what the event is that a packet becomes
 * @word: its fields from @object to @flags as they lie in it; 0: not known
 */
typedef struct
{
  guint64 word;
  guint64 detail;
} Outcome;

#define WORD_OFFSET G_STRUCT_OFFSET (TsEvent, object)

G_STATIC_ASSERT (G_STRUCT_OFFSET (TsEvent, value) == WORD_OFFSET + sizeof (guint64));

/* Word of packets that become no event. */
#define NO_EVENT 1

/* Bits of an exception's payload that say which one, and what became of it. Source: itm-dwt.md
 * section 2.7 */
#define EXCEPTION_NUMBER (TS_ITM_N_EXCEPTIONS - 1)
#define EXCEPTION_FUNCTION 0x3000
#define N_EXCEPTION_OUTCOMES ((EXCEPTION_FUNCTION | EXCEPTION_NUMBER) + 1)
/* Values of a PC sample of one byte: the core sleeps, or it may not be looked at. */
#define N_SLEEP_OUTCOMES 256

/* A header and all the payload that may follow. */
#define MAX_LENGTH 5
/* Bytes that are taken before events get their times. */
#define MAX_BYTES 768

/**
 * TsItmLesson: what becomes of the packets with a header
 * @length: of the packet; where the payload says how long it is, the least
 * @fixed, @mask, @continued: as in #TsItmHeader
 * @overlong: bit that is set in the last byte of a payload that has no end; 0 for others
 * @outcomes, @outcome_mask: what the event is, by these bits of the value
 * @outcome: the only one, for most
 * @forbidden: bits of comparators that must not wait for a value
 * @value_mask: bits of the value that belong to the event
 * @pc_mask, @access_mask: set for the PC of an access, and for the value of one
 * @scale: ticks in one of a time stamp, 0 for what is none
 * @is_stamp: 1 for a time stamp
 * @stamp_flags: of events before it
 * @text_mask, @text_pad: of the value as text, and what stands in the bytes that are none
 * @line: where the text goes
 * @line_step: how much of it is text
 * @line_limit: how much may wait before it, less one: a line that is empty begins
 * @waiting: the comparator that waits after it
 * @is_event: 1 if there is an event
 * @is_stimulus, @number: a stimulus port, with its page; else a comparator
 */
struct _TsItmLesson
{
  guint32 length;
  guint32 fixed;
  guint32 mask;
  guint32 continued;
  const Outcome *outcomes;
  TsItmLine *line;
  guint32 outcome_mask;
  guint32 overlong;
  guint32 forbidden;
  guint32 waiting;
  guint32 text_mask;
  guint32 text_pad;
  guint32 value_mask;
  guint32 pc_mask;
  guint32 access_mask;
  guint32 is_event;
  guint32 is_stamp;
  guint16 line_step;
  guint16 line_limit;
  guint64 scale;
  Outcome outcome;
  guint16 number;
  guint8 stamp_flags;
  guint8 is_stimulus;
  guint32 reserved[5];
};

/* found by a shift */
G_STATIC_ASSERT (sizeof (TsItmLesson) == 128);

struct _TsItmLessons
{
  TsItmLesson lessons[256];
  Outcome exceptions[N_EXCEPTION_OUTCOMES];
  Outcome sleep[N_SLEEP_OUTCOMES];
  TsItmLine no_line;
  guint page; /* of the reader, when they were learned */
  guint n_unlearned;
  guint8 texts[TS_ITM_MAX_PENDING]; /* events of a batch that are lines */
  guint16 stamps[MAX_BYTES + MAX_LENGTH]; /* where its time stamps begin */
  gint64 times[MAX_BYTES + MAX_LENGTH]; /* at the end of each section */
  guint8 flags[MAX_BYTES + MAX_LENGTH]; /* of what happened in it */
};

/* Nothing is known about the packets of @lesson. */
static void
clear (TsItmLessons *self, TsItmLesson *lesson)
{
  memset (lesson, 0, sizeof *lesson);
  lesson->outcomes = &lesson->outcome;
  lesson->line = &self->no_line;
  lesson->line_limit = G_MAXUINT16;
  lesson->text_pad = 0x20202020;
  lesson->length = 1;
}

static void
clear_all (TsItmLessons *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->lessons); i++)
    clear (self, &self->lessons[i]);
}

/* Nothing learned yet. Free with g_free(). */
TsItmLessons *
_ts_itm_lessons_new (void)
{
  TsItmLessons *self = g_new0 (TsItmLessons, 1);

  clear_all (self);
  return self;
}

static void
set_event (
    const TsItmStream *self, Outcome *outcome, TsEventKind kind, guint32 object, guint8 flags)
{
  TsEvent event = { .object = object, .kind = (guint16) kind, .core = self->core, .flags = flags };

  memcpy (&outcome->word, (const guint8 *) &event + WORD_OFFSET, sizeof outcome->word);
}

/* An exception whose object is known. Source: itm-dwt.md section 2.7 */
static void
learn_exception (TsItmStream *self, const TsItmPacket *packet, TsItmLesson *lesson)
{
  guint8 flags = packet->type == TS_ITM_EXCEPTION_ENTERED  ? TS_EVENT_FLAG_START
                 : packet->type == TS_ITM_EXCEPTION_EXITED ? TS_EVENT_FLAG_END
                                                           : 0;

  Outcome *outcome;

  lesson->outcomes = self->lessons->exceptions;
  lesson->outcome_mask = EXCEPTION_FUNCTION | EXCEPTION_NUMBER;
  lesson->value_mask = EXCEPTION_NUMBER;
  outcome = &self->lessons->exceptions[packet->value & lesson->outcome_mask];
  set_event (self, outcome, TS_EVENT_DWT_EXC, self->exceptions[packet->port], flags);
  outcome->detail = packet->type - TS_ITM_EXCEPTION_ENTERED + 1;
}

/* What a packet of hardware becomes. Source: itm-dwt.md section 2.7 */
static void
learn_hardware (TsItmStream *self, const TsItmPacket *packet, TsItmLesson *lesson)
{
  guint8 flags = TS_EVENT_FLAG_END;

  lesson->is_event = 1;
  switch ((TsItmType) packet->type)
    {
    case TS_ITM_EXCEPTION_ENTERED:
    case TS_ITM_EXCEPTION_EXITED:
    case TS_ITM_EXCEPTION_RETURNED:
      learn_exception (self, packet, lesson);
      break;
    case TS_ITM_PC_SLEEP:
      lesson->outcomes = self->lessons->sleep;
      lesson->outcome_mask = N_SLEEP_OUTCOMES - 1;
      set_event (self, &self->lessons->sleep[0], TS_EVENT_DWT_PC, 0, 0);
      break;
    case TS_ITM_PC_SAMPLE:
      set_event (self, &lesson->outcome, TS_EVENT_DWT_PC, 0, 0);
      break;
    case TS_ITM_EVENT_COUNTER:
      set_event (self, &lesson->outcome, TS_EVENT_DWT_COUNTERS, 0, 0);
      break;
    case TS_ITM_PMU_OVERFLOW:
      set_event (self, &lesson->outcome, TS_EVENT_PMU_OVERFLOW, 0, 0);
      break;
    case TS_ITM_DATA_VALUE_READ:
    case TS_ITM_DATA_VALUE_WRITE:
      if (packet->type == TS_ITM_DATA_VALUE_WRITE)
        flags = TS_EVENT_FLAG_START;
      set_event (self, &lesson->outcome, TS_EVENT_DWT_DATA, self->watches[packet->port], flags);
      lesson->access_mask = ALL;
      lesson->forbidden = ~(1u << packet->port);
      lesson->number = packet->port;
      break;
    default:
      break;
    }
}

/* What stimulus becomes, now that it is known what its port is for. */
static void
learn_stimulus (TsItmStream *self, const TsItmPacket *packet, TsItmLesson *lesson)
{
  const TsItmPort *port = &self->ports[packet->port];

  /* the reader may be on another page by now */
  if (packet->port / 32 != self->lessons->page)
    return;
  lesson->number = packet->port;
  lesson->is_stimulus = TRUE;
  if (port->use == TS_ITM_PORT_TEXT && port->line != NULL)
    {
      lesson->line = port->line;
      lesson->line_step = packet->size;
      lesson->line_limit = TS_ITM_MAX_LINE - 2 - packet->size;
      lesson->text_mask = ALL;
      lesson->text_pad = (guint32) (G_GUINT64_CONSTANT (0x20202020) << (8 * packet->size));
      lesson->outcome.word = NO_EVENT;
    }
  else if (port->use == TS_ITM_PORT_DATA && port->object != 0)
    {
      lesson->is_event = 1;
      lesson->outcome.detail = packet->size;
      set_event (self, &lesson->outcome, TS_EVENT_ITM_DATA, port->object, 0);
    }
}

/* Learns from a packet that was just taken one by one. */
void
_ts_itm_stream_learn (TsItmStream *self, const TsItmPacket *packet)
{
  TsItmLesson *lesson = &self->lessons->lessons[packet->header];
  const TsItmHeader *header = &self->reader.headers[packet->header];

  /* an error has some header, a synchronisation packet has none */
  if (!_ts_itm_header_is_known (header) || packet->type == TS_ITM_SYNC
      || packet->type >= TS_ITM_RESERVED)
    return;
  clear (self->lessons, lesson);
  lesson->length = header->size + 1u + (header->continued & 1);
  lesson->fixed = header->fixed;
  lesson->mask = header->mask;
  lesson->continued = header->continued;
  lesson->overlong = header->continued & 0x80000000u;
  lesson->value_mask = ALL;
  lesson->forbidden = ALL;
  if (packet->type == TS_ITM_SWIT)
    learn_stimulus (self, packet, lesson);
  else if (packet->type == TS_ITM_LTS1 || packet->type == TS_ITM_LTS2)
    {
      lesson->is_stamp = 1;
      lesson->scale = self->prescaler;
      lesson->stamp_flags = packet->tc != 0 ? TS_EVENT_FLAG_TIME_ESTIMATED : 0;
      lesson->outcome.word = NO_EVENT;
    }
  else if (packet->type == TS_ITM_DATA_PC && packet->size > 1)
    {
      lesson->pc_mask = ALL;
      lesson->waiting = 1u << packet->port;
      lesson->outcome.word = NO_EVENT;
    }
  else
    learn_hardware (self, packet, lesson);
}

/* Forgets what was learned about the packets of a stimulus port, or of a comparator. */
void
_ts_itm_stream_forget (TsItmStream *self, gboolean is_stimulus, guint number)
{
  for (guint i = 0; self->lessons != NULL && i < G_N_ELEMENTS (self->lessons->lessons); i++)
    {
      TsItmLesson *lesson = &self->lessons->lessons[i];

      if (lesson->number == number
          && (is_stimulus ? lesson->is_stimulus != 0 : lesson->access_mask != 0))
        clear (self->lessons, lesson);
    }
}

/* Not 0 if a character that is not a plain one may be among four. */
static inline guint32
find_odd (guint32 bytes)
{
  /* the highest bit of a byte tells that one is below 20h, or above 7Eh, if any is */
  return ((bytes - 0x20202020u) | (bytes + 0x01010101u)) & 0x80808080u;
}

/* The bits 6 to 0 of four bytes in a row. */
static inline guint32
squeeze (guint32 bytes)
{
  bytes &= 0x7F7F7F7Fu;
  bytes -= (bytes & 0x7F007F00u) >> 1;
  return bytes - (bytes >> 16) * (0x10000u - 0x4000u);
}

/* The first events behind those in the window, as far as a section ended after them, get its time.
 * Returns how many of @n_events are left. @n_loads: how many of them count as none; @n_texts: how many
 * are lines; @guess: flags of all. */
static guint
settle (TsItmStream *self,
        gsize n_sections,
        guint n_events,
        guint n_loads,
        guint n_texts,
        guint8 guess)
{
  TsItmLessons *lessons = self->lessons;
  TsEventWindow *window = self->decoder->window;
  TsEvent *events = window->events + window->n_events;
  guint n_settled = n_events;

  while (n_settled > 0 && events[n_settled - 1].time == (gint64) n_sections)
    n_settled--;
  if (n_settled == 0)
    return n_events;
  for (gsize i = 0; i < n_sections; i++)
    lessons->times[i] = _ts_itm_stream_scale_clock (self, lessons->times[i]) + window->shift;
  for (guint i = 0; i < n_settled; i++)
    {
      guint section = (guint) events[i].time;

      events[i].time = lessons->times[section];
      events[i].flags |= lessons->flags[section] | guess;
    }
  for (guint i = 0; i < n_texts && lessons->texts[i] < n_settled; i++)
    _ts_itm_stream_finish_text (self, &events[lessons->texts[i]]);
  window->newest = events[n_settled - 1].time;
  window->n_events += n_settled;
  self->decoder->counted.events += n_settled - n_loads;
  return n_events - n_settled;
}

/* Finds the lines among events. Returns how many there are. */
static guint
find_texts (TsItmStream *self, const TsEvent *events, guint n_events)
{
  guint n = 0;

  for (guint i = 0; i < n_events && n < TS_ITM_MAX_PENDING; i++)
    if (events[i].kind == TS_EVENT_ITM_TEXT)
      self->lessons->texts[n++] = (guint8) i;
  return n;
}

/* All packets were seen: what is known now of when lines began goes to them and to those of the
 * events that are lines. */
static void
finish_lines (TsItmStream *self, TsEvent *events, gsize n_sections, guint n_texts)
{
  const TsItmLessons *lessons = self->lessons;

  _ts_itm_stream_end_batch_lines (self, lessons->times, (guint) n_sections);
  for (guint i = 0; i < n_texts; i++)
    {
      TsEvent *event = &events[lessons->texts[i]];
      guint section;

      if (!TS_ITM_IS_SECTION (event->value))
        continue;
      section = (guint) (event->value - TS_ITM_BEGAN_IN_SECTION);
      event->value = section == (guint) event->time ? TS_ITM_BEGAN_NOW : lessons->times[section];
    }
}

/* The load is due after the sections of a batch, which begins at @offset: tells it behind the events
 * before the time stamps where it was. Returns how many events came in between. */
static guint
add_loads (TsItmStream *self, gsize n_sections, guint64 offset, TsEvent *events, guint n)
{
  TsItmLessons *lessons = self->lessons;
  guint n_before = n;
  guint at = 0;

  for (gsize i = 0; i < n_sections; i++)
    {
      TsEvent load;

      if (!_ts_itm_stream_is_load_due (self, lessons->times[i], offset + lessons->stamps[i]))
        continue;
      while (at < n && events[at].time <= (gint64) i)
        at++;
      if (!_ts_itm_stream_tell_load (self, lessons->times[i], offset + lessons->stamps[i],
                                     at > 0 || self->decoder->counted.events > 0, &load))
        continue;
      load.time = (gint64) i;
      memmove (&events[at + 1], &events[at], (n - at) * sizeof *events);
      events[at++] = load;
      n++;
    }
  return n - n_before;
}

/* Text that is more than plain characters. Returns how many events there are of it, -1: the packet
 * cannot be taken here. */
static int
take_odd_text (TsItmStream *self,
               const TsItmLesson *lesson,
               guint32 value,
               guint section,
               TsEvent *event)
{
  TsItmLine *line = lesson->line;
  guint shift = 8u * lesson->line_step - 8;
  gboolean ends = value >> shift == '\n';
  guint32 before = ends ? value ^ ((guint32) ('\n' ^ ' ') << shift) : value;
  guint32 le_value = GUINT32_TO_LE (value);
  TsItmPacket packet = {
    .type = TS_ITM_SWIT,
    .port = lesson->number,
    .size = (guint8) lesson->line_step,
    .value = value,
  };

  if (find_odd (before | lesson->text_pad) != 0
      || (line->n > 0 && line->n - 1 > lesson->line_limit))
    return _ts_itm_stream_take_text (self, &packet, section, event);
  if (line->n == 0)
    line->section = section;
  memcpy (line->text + line->n, &le_value, sizeof le_value);
  line->n += lesson->line_step;
  if (!ends)
    return 0;
  _ts_itm_stream_end_line (self, lesson->number, event);
  return 1;
}

/* Room in the window for the events of a batch. Returns where it begins, with those that wait for
 * their time; @n_texts: how many of them are texts. */
static TsEvent *
begin_batch (TsItmStream *self,
             guint *n_texts)
{
  TsEventWindow *window = self->decoder->window;
  TsEvent *events;

  if (window->n_events > TS_ITM_MAX_IN_WINDOW - TS_ITM_MAX_PENDING)
    _ts_itm_stream_deliver (self);
  events = window->events + window->n_events;
  for (guint i = 0; i < self->n_pending; i++)
    events[i].time = 0;
  *n_texts = self->n_texts > 0 ? find_texts (self, events, self->n_pending) : 0;
  if (self->has_young)
    _ts_itm_stream_begin_batch_lines (self);
  return events;
}

/* Takes as many packets as the window has room for. Returns where the first one begins that was not
 * taken; @offset: of @bytes in the stream; @last: where the last one did that was. */
static const guint8 *
take_some (TsItmStream *self,
           const guint8 *bytes,
           const guint8 *end,
           guint64 offset,
           const guint8 **last)
{
  const guint8 *begin = bytes;
  TsItmLessons *lessons = self->lessons;
  guint waiting = self->waiting;
  guint comparator = waiting != 0 ? (guint) __builtin_ctz (waiting) & 3 : 0;
  guint32 pc = self->fragments[comparator].pc;
  guint64 now = (guint64) self->now;
  const guint8 *stop = end - MAX_LENGTH;
  gsize n_packets = 0;
  gsize n_sections = 0;
  gsize length = 0;
  guint n_texts;
  guint n_loads = 0;
  guint n_events;
  TsEvent *events;
  TsEvent *event;
  TsEvent *last_event;

  events = begin_batch (self, &n_texts);
  event = events + self->n_pending;
  last_event = events + TS_ITM_MAX_PENDING;
  if (stop - bytes > MAX_BYTES)
    stop = bytes + MAX_BYTES;

  for (; bytes <= stop && event < last_event; bytes += length)
    {
      const TsItmLesson *lesson = &lessons->lessons[*bytes];
      TsItmLine *line = lesson->line;
      const Outcome *outcome;
      guint32 payload;
      guint32 ends;
      guint32 packed;
      guint32 value;
      guint32 le_value;

      memcpy (&payload, bytes + 1, sizeof payload);
      payload = GUINT32_FROM_LE (payload);
      /* where bit 7 tells whether another byte follows: up to the first that none does */
      ends = (~payload & 0x00808080u) | 0x80000000u;
      packed = payload & (ends ^ (ends - 1));
      value = lesson->fixed | (payload & lesson->mask) | (squeeze (packed) & lesson->continued);
      outcome = &lesson->outcomes[value & lesson->outcome_mask];
      if (G_UNLIKELY (outcome->word == 0)
          || G_UNLIKELY (((waiting & lesson->forbidden) | (packed & lesson->overlong)) != 0))
        break;
      if (G_UNLIKELY (find_odd ((value & lesson->text_mask) | lesson->text_pad) != 0)
          || G_UNLIKELY ((guint16) (line->n - 1) > lesson->line_limit))
        {
          int n = take_odd_text (self, lesson, value, (guint) n_sections, event);

          if (n < 0)
            break;
          event->time = (gint64) n_sections;
          lessons->texts[n_texts] = (guint8) (event - events);
          n_texts += (guint) n;
          event += n;
          n_packets++;
          length = lesson->length;
          continue;
        }

      le_value = GUINT32_TO_LE (value);
      memcpy (line->text + line->n, &le_value, sizeof le_value);
      line->n += lesson->line_step;

      event->time = (gint64) n_sections;
      memcpy ((guint8 *) event + WORD_OFFSET, &outcome->word, sizeof outcome->word);
      event->value = value & lesson->value_mask;
      event->detail = (gint64) (outcome->detail | (pc & lesson->access_mask));
      event += lesson->is_event;

      pc = value & lesson->pc_mask;
      waiting = lesson->waiting;

      now += value * lesson->scale;
      lessons->times[n_sections] = (gint64) now;
      lessons->stamps[n_sections] = (guint16) (bytes - begin);
      lessons->flags[n_sections] = lesson->stamp_flags;
      n_sections += lesson->is_stamp;

      n_packets++;
      length = lesson->length + ((guint) __builtin_ctz (ends) / 8 & lesson->continued);
    }
  finish_lines (self, events, n_sections, n_texts);
  if (n_packets == 0)
    return bytes;

  n_events = (guint) (event - events);
  if (_ts_itm_stream_is_load_due (self, (gint64) now, offset + (guint64) (bytes - begin)))
    n_loads = add_loads (self, n_sections, offset, events, n_events);
  if (n_loads > 0)
    n_texts = find_texts (self, events, n_events + n_loads);
  *last = bytes - length;
  if (self->waiting != 0)
    memset (&self->fragments[comparator], 0, sizeof self->fragments[0]);
  if (waiting != 0)
    self->fragments[__builtin_ctz (waiting)] = (TsItmFragment){ .has_pc = TRUE, .pc = pc };
  self->now = (gint64) now;
  self->waiting = waiting;
  self->decoder->counted.packets += n_packets;
  self->n_pending = settle (self, n_sections, n_events + n_loads, n_loads, n_texts,
                            self->is_tentative ? TS_EVENT_FLAG_TIME_ESTIMATED : 0);
  return bytes;
}

/*
 * Takes packets from a boundary on, as long as they are such as were learned; the stream stands in
 * its window and has a clock. Returns where the first one begins that was not taken; @last: where
 * the last one did that was.
 */
const guint8 *
_ts_itm_stream_take_bytes (const guint8 *bytes,
                           const guint8 *end,
                           const guint8 **last,
                           gpointer user_data)
{
  TsItmStream *self = user_data;
  TsItmLessons *lessons = self->lessons;
  const guint8 *first = bytes;

  if (self->next_flags != 0)
    return bytes;
  if (lessons->page != self->reader.page || lessons->n_unlearned != self->reader.n_unlearned)
    {
      lessons->page = self->reader.page;
      lessons->n_unlearned = self->reader.n_unlearned;
      clear_all (lessons);
    }
  while (end - bytes >= MAX_LENGTH)
    {
      const TsItmLesson *lesson = &lessons->lessons[*bytes];
      const guint8 *begin = bytes;

      if (lesson->outcomes == &lesson->outcome && lesson->outcome.word == 0)
        break;
      bytes = take_some (self, bytes, end, self->reader.offset + (guint64) (bytes - first), last);
      if (bytes == begin)
        break;
    }
  return bytes;
}
