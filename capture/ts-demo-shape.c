/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-demo-shape.c: a simulated target of two hundred tasks whose load comes in all shapes.
 *
 * Seconds of ordinary work at some 60 k events/s, bursts of a million a second for milliseconds,
 * seconds to hours of quiet with little but a tick, interrupts that nest eight deep, a channel
 * sampled at 10 kHz whenever there is work, now and then a loss. Over time every task gets its
 * turn; at any moment some two dozen of them share the processor, the first of them most of it.
 */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-demo-shape.h"

#define N_TASKS TS_DEMO_SHAPE_TASKS
#define IDLE N_TASKS
#define N_ACTIVE 24
#define N_ISRS 8
#define N_SAME 6        /* objects of each further type */
#define N_CHANNELS 4
#define BUFFER 2048
#define US (TS_DEMO_SHAPE_HZ / 1000000)
#define SECOND ((gint64) TS_DEMO_SHAPE_HZ)
#define SAMPLE_TICKS (TS_DEMO_SHAPE_HZ / 10000)
#define N_TEXTS 256
#define EVENTS_PER_LOSS 2000000

/* First id of each type of object; ids count from 1. */
enum
{
  FIRST_ISR = N_TASKS + 1,
  FIRST_QUEUE = FIRST_ISR + N_ISRS,
  FIRST_MUTEX = FIRST_QUEUE + N_SAME,
  FIRST_SEMAPHORE = FIRST_MUTEX + N_SAME,
  FIRST_SPAN = FIRST_SEMAPHORE + N_SAME,
  FIRST_TRACE = FIRST_SPAN + N_SAME,
  FIRST_COUNTER = FIRST_TRACE + N_CHANNELS,
  FIRST_TOGGLE = FIRST_COUNTER + N_CHANNELS,
  FIRST_TEXT = FIRST_TOGGLE + N_CHANNELS,
  HEAP = FIRST_TEXT + 2,
  N_OBJECTS = HEAP
};

typedef enum
{
  PHASE_WORK,
  PHASE_BURST,
  PHASE_QUIET,
} Phase;

struct _TsDemoShape
{
  TsEventSink *sink;
  TsEvent events[BUFFER];
  guint n;
  guint64 random;
  guint64 n_events;
  guint64 n_lost;
  guint64 n_gaps;
  guint64 next_loss;
  gint64 now;
  gint64 next_sample;
  gint64 phase_end;
  Phase phase;
  guint n_phases;
  guint n_quiets;
  guint first_active;
  guint32 running;
  gboolean is_asleep[N_TASKS + 1];
  guint32 texts[N_TEXTS];
  double levels[N_CHANNELS];
  gint64 counters[N_CHANNELS];
  gint64 heap;
};

/* ---- numbers ---- */

static guint64
draw (TsDemoShape *self)
{
  guint64 x = (self->random += G_GUINT64_CONSTANT (0x9E3779B97F4A7C15));

  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* From @low to @high, both included. */
static gint64
draw_range (TsDemoShape *self,
            gint64 low,
            gint64 high)
{
  return low + (gint64) (((unsigned __int128) draw (self) * (guint64) (high - low + 1)) >> 64);
}

static gboolean
draw_chance (TsDemoShape *self,
             guint percent)
{
  return draw_range (self, 0, 99) < percent;
}

/* ---- events ---- */

static void
flush (TsDemoShape *self)
{
  if (self->n > 0)
    self->sink->iface->events (self->sink, self->events, self->n);
  self->n = 0;
}

static TsEvent *
emit (TsDemoShape *self,
      TsEventKind kind,
      guint32 object,
      guint flags)
{
  TsEvent *event;

  if (self->n == BUFFER)
    flush (self);
  event = &self->events[self->n++];
  *event = (TsEvent) { .time = self->now, .object = object, .kind = (guint16) kind,
                       .flags = (guint8) flags };
  self->n_events += ts_event_is_counted (event) ? 1 : 0;
  return event;
}

static void
emit_float (TsDemoShape *self,
            guint32 object,
            double value)
{
  union { double d; gint64 i; } u = { .d = (float) value };

  emit (self, TS_EVENT_FLOAT_TRACE, object, TS_EVENT_FLAG_FLOAT)->value = u.i;
}

/* Time passes. The sampling interrupt comes whenever it is due, whatever else goes on. */
static void
pass (TsDemoShape *self,
      gint64 ticks)
{
  gint64 until = self->now + ticks;

  while (self->phase != PHASE_QUIET && self->next_sample <= until)
    {
      self->now = MAX (self->now, self->next_sample);
      self->next_sample += SAMPLE_TICKS;
      self->levels[0] += (double) draw_range (self, -1000, 1000) / 500.0 - self->levels[0] / 200.0;
      emit (self, TS_EVENT_ISR, FIRST_ISR + N_ISRS - 1, TS_EVENT_FLAG_START);
      self->now += 40;
      emit_float (self, FIRST_TRACE, self->levels[0]);
      self->now += 60;
      emit (self, TS_EVENT_ISR, FIRST_ISR + N_ISRS - 1, TS_EVENT_FLAG_END);
    }
  self->now = MAX (self->now, until);
}

/* An interrupt, often interrupted by a more urgent one. */
static void
interrupt (TsDemoShape *self,
           guint index)
{
  guint32 isr = FIRST_ISR + index;

  emit (self, TS_EVENT_ISR, isr, TS_EVENT_FLAG_START);
  pass (self, draw_range (self, 30, 300));
  if (index + 2 < N_ISRS && draw_chance (self, index == 0 ? 30 : 60))
    {
      interrupt (self, index + 1);
      pass (self, draw_range (self, 20, 100));
    }
  if (draw_chance (self, 40))
    emit (self, TS_EVENT_SEMAPHORE, FIRST_SEMAPHORE + index % N_SAME, TS_EVENT_FLAG_START);
  pass (self, draw_range (self, 20, 200));
  emit (self, TS_EVENT_ISR, isr, TS_EVENT_FLAG_END);
}

static void
switch_to (TsDemoShape *self,
           guint32 next)
{
  if (self->running == next)
    return;

  if (self->running != 0)
    {
      if (self->running != IDLE && draw_chance (self, 60))
        {
          emit (self, TS_EVENT_SLEEP, self->running, TS_EVENT_FLAG_START);
          self->is_asleep[self->running] = TRUE;
          pass (self, 40);
        }
      emit (self, TS_EVENT_TASK_SWITCH, self->running, TS_EVENT_FLAG_END);
      pass (self, draw_range (self, 60, 180));
    }
  if (self->is_asleep[next])
    {
      self->is_asleep[next] = FALSE;
      emit (self, TS_EVENT_SLEEP, next, TS_EVENT_FLAG_END);
      pass (self, 20);
    }
  emit (self, TS_EVENT_TASK_SWITCH, next, TS_EVENT_FLAG_START);
  self->running = next;
}

/* Tasks of the moment, the first ones most often. */
static guint32
choose_task (TsDemoShape *self)
{
  gint64 i = draw_range (self, 0, N_ACTIVE - 1) * draw_range (self, 0, N_ACTIVE - 1) / N_ACTIVE;

  return (guint32) ((self->first_active + (guint) i) % (N_TASKS - 1)) + 1;
}

static void
say (TsDemoShape *self,
     guint channel)
{
  TsEvent *event = emit (self, TS_EVENT_STRING, FIRST_TEXT + channel, TS_EVENT_FLAG_TEXT);

  event->value = channel;
  event->detail = (gint64) ((guint64) self->texts[draw_range (self, 0, N_TEXTS - 1)] << 32);
}

/* One thing that a task does. */
static void
act (TsDemoShape *self,
     gint64 step)
{
  guint32 which = (guint32) draw_range (self, 0, N_SAME - 1);
  guint channel = (guint) draw_range (self, 1, N_CHANNELS - 1);

  switch (draw_range (self, 0, 15))
    {
    case 0:
    case 1:
    case 2:
      emit (self, TS_EVENT_QUEUE, FIRST_QUEUE + which,
            draw_chance (self, 50) ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END);
      break;

    case 3:
    case 4:
      emit (self, TS_EVENT_SEMAPHORE, FIRST_SEMAPHORE + which, TS_EVENT_FLAG_END);
      break;

    case 5:
    case 6:
      emit (self, TS_EVENT_MUTEX, FIRST_MUTEX + which, TS_EVENT_FLAG_END);
      pass (self, step);
      emit (self, TS_EVENT_MUTEX, FIRST_MUTEX + which, TS_EVENT_FLAG_START);
      break;

    case 7:
    case 8:
    case 9:
      emit (self, TS_EVENT_USER_EVENT, FIRST_SPAN + which, TS_EVENT_FLAG_START);
      pass (self, step);
      emit (self, TS_EVENT_USER_EVENT, FIRST_SPAN + which, TS_EVENT_FLAG_END);
      break;

    case 10:
      self->levels[channel] += (double) draw_range (self, -100, 100);
      emit (self, TS_EVENT_USER_TRACE, FIRST_TRACE + channel, 0)->value
          = (gint64) self->levels[channel];
      break;

    case 11:
      emit (self, TS_EVENT_COUNTER, FIRST_COUNTER + channel, 0)->value
          = ++self->counters[channel];
      break;

    case 12:
      emit (self, TS_EVENT_USER_TOGGLE, FIRST_TOGGLE + channel, 0)->value
          = draw_range (self, 0, 1);
      break;

    case 13:
      self->heap = CLAMP (self->heap + draw_range (self, -64, 64) * 8, 0, 65536);
      emit (self, TS_EVENT_HEAP, HEAP, 0)->value = self->heap;
      break;

    case 14:
      if (draw_chance (self, 20))
        say (self, channel % 2);
      break;

    default:
      break;
    }
  pass (self, step);
}

/* A task gets the processor, does something, and is interrupted now and then. */
static void
work (TsDemoShape *self)
{
  gboolean is_burst = self->phase == PHASE_BURST;
  gint64 step = is_burst ? draw_range (self, 20, 150) : draw_range (self, 2 * US, 25 * US);
  gint64 n_acts = draw_range (self, 1, is_burst ? 6 : 4);

  if (draw_chance (self, 25))
    interrupt (self, (guint) draw_range (self, 0, 2));
  switch_to (self, choose_task (self));
  pass (self, step);
  for (gint64 i = 0; i < n_acts; i++)
    {
      act (self, step);
      if (draw_chance (self, 8))
        interrupt (self, (guint) draw_range (self, 0, 4));
    }
  if (!is_burst && draw_chance (self, 50))
    {
      switch_to (self, IDLE);
      pass (self, draw_range (self, 20 * US, 300 * US));
    }
}

/* Nothing but a tick, further apart the longer it lasts. */
static void
rest (TsDemoShape *self)
{
  gint64 step = MAX (SECOND / 10, (self->phase_end - self->now) / 64);

  switch_to (self, IDLE);
  pass (self, step);
  emit (self, TS_EVENT_ISR, FIRST_ISR, TS_EVENT_FLAG_START);
  pass (self, 120);
  emit (self, TS_EVENT_ISR, FIRST_ISR, TS_EVENT_FLAG_END);
}

/* Something did not arrive: nobody knows who runs until the next switch. */
static void
lose (TsDemoShape *self)
{
  TsEvent *event;
  gint64 n = draw_range (self, 1, 400);

  pass (self, draw_range (self, 50 * US, 900 * US));
  event = emit (self, TS_EVENT_DATA_LOSS, 0, TS_EVENT_FLAG_SYNTHETIC);
  event->value = n;
  event->detail = n * 9;
  self->n_lost += (guint64) n;
  self->n_gaps++;
  self->running = 0;
  self->next_loss = self->n_events + EVENTS_PER_LOSS;
}

static void
next_phase (TsDemoShape *self)
{
  self->n_phases++;
  if (self->phase != PHASE_BURST && draw_chance (self, 40))
    {
      self->phase = PHASE_BURST;
      self->phase_end = self->now + draw_range (self, SECOND / 500, SECOND / 50);
    }
  else if (self->n_phases % 6 == 3)
    {
      gint64 kind = draw_range (self, 0, 9);

      self->phase = PHASE_QUIET;
      self->n_quiets++;
      if (self->n_quiets == 1 || kind == 0)
        self->phase_end = self->now + draw_range (self, 3600, 3 * 3600) * SECOND;
      else if (kind < 4)
        self->phase_end = self->now + draw_range (self, 60, 600) * SECOND;
      else
        self->phase_end = self->now + draw_range (self, 1, 30) * SECOND;
    }
  else
    {
      self->phase = PHASE_WORK;
      self->phase_end = self->now + draw_range (self, SECOND / 4, 2 * SECOND);
      self->first_active = (self->first_active + 7) % (N_TASKS - 1);
      self->next_sample = MAX (self->next_sample, self->now);
    }
  if (self->phase == PHASE_BURST)
    self->next_sample = MAX (self->next_sample, self->now);
}

/* ---- objects ---- */

static void
define (TsDemoShape *self,
        TsObjectType type,
        guint n,
        const char *name)
{
  for (guint i = 0; i < n; i++)
    {
      TsObject object = TS_OBJECT_INIT;
      g_autofree char *text = n > 1 ? g_strdup_printf ("%s%02u", name, i) : g_strdup (name);

      object.type = type;
      object.wire_id = (gint32) i + 1;
      object.is_named = TRUE;
      object.name = type == TS_OBJECT_TASK && i + 1 == IDLE ? (char *) "IDLE" : text;
      object.is_idle = type == TS_OBJECT_TASK && i + 1 == IDLE;
      if (type == TS_OBJECT_TASK)
        {
          object.priority = object.is_idle ? 0 : 1 + (gint64) (i % 12);
          object.base_priority = object.priority;
          object.stack_bytes = 1024;
        }
      self->sink->iface->define_object (self->sink, &object);
    }
}

/**
 * ts_demo_shape_new:
 * @seed: the same seed gives the same events
 * @sink: where they go; told the clock, objects and texts at once
 *
 * Thread: the sink's
 *
 * Returns: (transfer full): ts_demo_shape_free()
 */
TsDemoShape *
ts_demo_shape_new (guint32 seed,
                   TsEventSink *sink)
{
  TsDemoShape *self = g_new0 (TsDemoShape, 1);

  self->sink = sink;
  self->random = (guint64) seed * 0x10001 + 1;
  self->next_loss = EVENTS_PER_LOSS / 2;
  sink->iface->set_clock (sink, TS_DEMO_SHAPE_HZ);
  sink->iface->set_info (sink, "os", "FreeRTOS");
  define (self, TS_OBJECT_TASK, N_TASKS, "task");
  define (self, TS_OBJECT_ISR, N_ISRS, "irq");
  define (self, TS_OBJECT_QUEUE, N_SAME, "queue");
  define (self, TS_OBJECT_MUTEX, N_SAME, "mutex");
  define (self, TS_OBJECT_COUNTING_SEM, N_SAME, "sem");
  define (self, TS_OBJECT_USER_EVENT, N_SAME, "span");
  define (self, TS_OBJECT_USER_TRACE, N_CHANNELS, "value");
  define (self, TS_OBJECT_COUNTER, N_CHANNELS, "count");
  define (self, TS_OBJECT_USER_TOGGLE, N_CHANNELS, "pin");
  define (self, TS_OBJECT_STRING_CHANNEL, 2, "log");
  define (self, TS_OBJECT_HEAP, 1, "heap");
  for (guint i = 0; i < N_TEXTS; i++)
    {
      g_autofree char *text
          = g_strdup_printf ("message %u of the demo: state %u", i, i * 2654435761u >> 20);

      self->texts[i] = sink->iface->intern (sink, text, -1);
    }
  self->phase = PHASE_WORK;
  self->phase_end = SECOND;
  return self;
}

/**
 * ts_demo_shape_free:
 * @self: (nullable) (transfer full): a target
 */
void
ts_demo_shape_free (TsDemoShape *self)
{
  g_free (self);
}

/**
 * ts_demo_shape_run:
 * @self: a target
 * @n_events: goes on until at least so many events of the target have been made in all
 *
 * Everything that was made is in the sink afterwards.
 *
 * Cost: some 15 ns an event, beside what the sink does
 * Thread: the sink's
 */
void
ts_demo_shape_run (TsDemoShape *self,
                   guint64 n_events)
{
  while (self->n_events < n_events)
    {
      if (self->now >= self->phase_end)
        next_phase (self);
      if (self->n_events >= self->next_loss && self->phase != PHASE_QUIET)
        lose (self);
      if (self->phase == PHASE_QUIET)
        rest (self);
      else
        work (self);
    }
  flush (self);
}

/**
 * ts_demo_shape_get_n_events:
 * @self: a target
 *
 * Returns: events of the target so far
 */
guint64
ts_demo_shape_get_n_events (TsDemoShape *self)
{
  return self->n_events;
}

/**
 * ts_demo_shape_get_n_lost:
 * @self: a target
 * @n_gaps: (out) (optional): in how many losses
 *
 * Returns: packets that the losses so far stand for
 */
guint64
ts_demo_shape_get_n_lost (TsDemoShape *self,
                          guint64 *n_gaps)
{
  if (n_gaps != NULL)
    *n_gaps = self->n_gaps;
  return self->n_lost;
}

static void
set_health (TsRecordingWriter *writer,
            const char *key,
            guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  ts_recording_writer_set_health (writer, key, text);
}

/**
 * ts_demo_shape_record:
 * @path: recording to make; an older one is replaced
 * @n_events: events to make at least
 * @seed: the same seed gives the same recording
 * @progress: (nullable): called now and then
 * @user_data: for @progress
 * @cancellable: (nullable): stops it; nothing is left then
 * @summary: (out) (optional): figures; ts_recording_summary_clear()
 * @error: return location
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_MODEL_ERROR_WRITE (what was committed is kept), %TS_MODEL_ERROR_CANCELLED
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_demo_shape_record (const char *path,
                      guint64 n_events,
                      guint32 seed,
                      void (*progress) (double fraction,
                                        gpointer user_data),
                      gpointer user_data,
                      GCancellable *cancellable,
                      TsRecordingSummary *summary,
                      GError **error)
{
  static const TsWriterOptions options = { .capture_source = "demo" };
  g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (path, &options, error);
  g_autoptr (TsDemoShape) shape = NULL;
  guint64 n_gaps = 0;

  if (writer == NULL)
    return FALSE;

  shape = ts_demo_shape_new (seed, ts_recording_writer_get_sink (writer));
  while (shape->n_events < n_events)
    {
      ts_demo_shape_run (shape, MIN (shape->n_events + 20000, n_events));
      if (!ts_recording_writer_tick (writer, FALSE, error))
        return FALSE;
      if (progress != NULL)
        progress (MIN ((double) shape->n_events / (double) n_events, 1.0), user_data);
      if (g_cancellable_is_cancelled (cancellable))
        {
          ts_recording_writer_discard (writer);
          g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED, _("Cancelled."));
          return FALSE;
        }
    }

  set_health (writer, "seq_present", 1);
  set_health (writer, "lost_events", ts_demo_shape_get_n_lost (shape, &n_gaps));
  set_health (writer, "seq_gaps", n_gaps);
  if (!ts_recording_writer_close (writer, "demo", error))
    return FALSE;
  if (summary != NULL)
    ts_recording_writer_get_summary (writer, summary);
  return TRUE;
}
