/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-trigger-gate.c: a sink before the recording that holds events back until a trigger fires.
 *
 * While it waits, the newest events (as many as were asked for, by the target's time) lie in a ring
 * of memory; names and other definitions go through at once, so that they are there when they are
 * needed. When the trigger fires, what is held goes to the recording, then a mark, then what comes in
 * the time after. Times of the recording begin at the first event that is kept. A recording that is
 * armed again has gaps; each is marked as a loss, so that nobody believes that nothing happened.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-trigger-private.h"

/* What a recording assumes as long as the stream does not tell its clock. */
#define DEFAULT_HZ 1000000
#define N_CORES 256
/* Most that is held: then the time before the trigger is shorter than asked for. */
#define MAX_EVENTS (8u << 20)
#define MAX_RAW_BYTES (128u << 20)
#define FIRST_EVENTS 4096
/* Events that are shifted in time at once. */
#define SCRATCH 1024
/* Nothing counts as silence before the host had time to bring it. */
#define DELIVERY_US 500000

/**
 * Raw: bytes that are held
 * @n_before: events held so far when they came
 */
typedef struct
{
  guint64 n_before;
  gint64 host_us;
  guint32 source;
  GBytes *bytes;
} Raw;

struct _TsTriggerGate
{
  TsEventSink sink;
  TsRecordingWriter *writer;
  TsEventSink *out;
  TsTrigger *trigger;
  char *expression;
  TsTriggerAction action;
  gint64 before_ms;
  gint64 after_ms;
  gboolean keep_raw_log;
  guint64 clock_hz;

  /* held, oldest first */
  TsEvent *ring;
  guint capacity; /* a power of two */
  guint first;
  guint n_held;
  guint64 n_dropped; /* events that left the ring unrecorded */
  GQueue raws;       /* of Raw */
  gsize n_raw_bytes;

  TsTriggerState state;
  guint64 n_fired;
  gint64 fired_at;   /* ticks of the stream */
  gint64 after_end;
  gint64 last_time;
  gint64 last_us;    /* host's time at which bytes were taken up last, 0 none yet */
  gboolean has_origin;
  gint64 origin;     /* ticks of the stream at which the recording begins */
  char *t0;          /* raw ticks of the stream's time 0, as told */
  TsTriggerFigures figures;
  guint64 left_out[N_CORES]; /* since the last release */
  gboolean is_core_seen[N_CORES];
};

/* ---- to the recording ---- */

static gint64
ms_to_ticks (TsTriggerGate *self,
             gint64 ms)
{
  __int128 ticks = (__int128) ms * (self->clock_hz > 0 ? self->clock_hz : DEFAULT_HZ) / 1000;

  return (gint64) MIN (ticks, G_MAXINT64 / 4);
}

static gint64
ticks_to_us (TsTriggerGate *self,
             gint64 ticks)
{
  return (gint64) ((__int128) MAX (ticks, 0) * G_USEC_PER_SEC
                   / (self->clock_hz > 0 ? self->clock_hz : DEFAULT_HZ));
}

static void
tell_origin (TsTriggerGate *self)
{
  guint64 t0 = 0;
  char text[24];

  if (self->t0 != NULL && !g_ascii_string_to_unsigned (self->t0, 10, 0, G_MAXUINT64, &t0, NULL))
    return;
  if (self->t0 == NULL && self->origin == 0)
    return;

  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, t0 + (guint64) self->origin);
  self->out->iface->set_info (self->out, "t0_ticks", text);
}

static void
forward (TsTriggerGate *self,
         const TsEvent *events,
         gsize n_events)
{
  TsEvent scratch[SCRATCH];

  if (n_events == 0)
    return;
  if (!self->has_origin)
    {
      self->has_origin = TRUE;
      self->origin = self->action != TS_TRIGGER_MARK ? events[0].time : 0;
      tell_origin (self);
    }
  if (self->origin == 0)
    {
      self->out->iface->events (self->out, events, n_events);
      return;
    }

  while (n_events > 0)
    {
      gsize n = MIN (n_events, SCRATCH);

      memcpy (scratch, events, n * sizeof *events);
      for (gsize i = 0; i < n; i++)
        scratch[i].time -= self->origin;
      self->out->iface->events (self->out, scratch, n);
      events += n;
      n_events -= n;
    }
}

static void
raw_free (Raw *raw)
{
  g_bytes_unref (raw->bytes);
  g_free (raw);
}

static void
drop_raw (TsTriggerGate *self)
{
  Raw *raw = g_queue_pop_head (&self->raws);

  self->n_raw_bytes -= g_bytes_get_size (raw->bytes);
  raw_free (raw);
}

/* Says that events between two kept pieces were left out. How many stands in the value, so that the
 * text is the same each time. */
static void
mark_gap (TsTriggerGate *self,
          gint64 time)
{
  const char *text = _("Events left out: the trigger was not met");
  guint64 n_all = 0;

  for (guint core = 0; core < N_CORES; core++)
    n_all += self->left_out[core];
  if (n_all == 0 || !self->has_origin)
    return;

  for (guint core = 0; core < N_CORES; core++)
    {
      TsEvent event = { .time = time,
                        .kind = TS_EVENT_DATA_LOSS,
                        .core = (guint8) core,
                        .flags = TS_EVENT_FLAG_SYNTHETIC | TS_EVENT_FLAG_TEXT,
                        .value = (gint64) self->left_out[core] };

      if (!self->is_core_seen[core])
        continue;
      event.detail = (gint64) ((guint64) self->out->iface->intern (self->out, text, -1) << 32);
      forward (self, &event, 1);
    }
}

/* Everything that is held goes to the recording. */
static void
release (TsTriggerGate *self)
{
  Raw *raw;

  if (self->n_held > 0)
    mark_gap (self, self->ring[self->first].time);
  memset (self->left_out, 0, sizeof self->left_out);

  while ((raw = g_queue_pop_head (&self->raws)) != NULL)
    {
      gsize n = 0;
      const guint8 *bytes = g_bytes_get_data (raw->bytes, &n);

      ts_recording_writer_push_raw (self->writer, raw->host_us, raw->source, bytes, n);
      raw_free (raw);
    }
  self->n_raw_bytes = 0;

  while (self->n_held > 0)
    {
      guint n = MIN (self->n_held, self->capacity - self->first);

      forward (self, self->ring + self->first, n);
      self->first = (self->first + n) & (self->capacity - 1);
      self->n_held -= n;
    }
}

static void
put_mark (TsTriggerGate *self,
          gint64 time)
{
  g_autofree char *text = NULL;
  TsEvent event = { .time = time,
                    .object = ts_trigger_get_object (self->trigger),
                    .kind = TS_EVENT_MARK,
                    .flags = TS_EVENT_FLAG_SYNTHETIC | TS_EVENT_FLAG_TEXT,
                    .value = (gint64) self->n_fired };

  /* translators: what a mark is called at which a trigger has fired; its condition */
  text = g_strdup_printf (_("Trigger: %s"), ts_trigger_get_reason (self->trigger));
  event.detail = (gint64) ((guint64) self->out->iface->intern (self->out, text, -1) << 32);
  forward (self, &event, 1);
}

/* ---- holding ---- */

static void
leave_out (TsTriggerGate *self,
           const TsEvent *event)
{
  self->n_dropped++;
  if (ts_event_is_counted (event))
    {
      self->figures.n_left_out++;
      self->left_out[event->core]++;
    }
  else if (event->kind == TS_EVENT_DATA_LOSS)
    {
      self->figures.gaps++;
      self->figures.lost += (guint64) MAX (event->value, 0);
    }
  else if (event->kind == TS_EVENT_CORRUPT)
    self->figures.corrupt_bytes += (guint64) MAX (event->value, 0);
}

static void
drop_oldest (TsTriggerGate *self)
{
  leave_out (self, &self->ring[self->first]);
  self->first = (self->first + 1) & (self->capacity - 1);
  self->n_held--;
}

/* What is older than the time before @now, or more than may be held, goes. */
static void
trim (TsTriggerGate *self,
      gint64 now)
{
  gint64 oldest = now - ms_to_ticks (self, self->before_ms);

  while (self->n_held > 0 && self->ring[self->first].time < oldest)
    drop_oldest (self);
  /* bytes are kept as long as one of their events may be */
  while (g_queue_get_length (&self->raws) > 1
         && ((const Raw *) self->raws.head->next->data)->n_before <= self->n_dropped)
    drop_raw (self);
  while (self->n_raw_bytes > MAX_RAW_BYTES)
    drop_raw (self);
}

static void
grow (TsTriggerGate *self)
{
  guint capacity = self->capacity > 0 ? self->capacity * 2 : FIRST_EVENTS;
  TsEvent *ring = g_new (TsEvent, capacity);
  guint n = MIN (self->n_held, self->capacity - self->first);

  if (self->n_held > 0)
    {
      memcpy (ring, self->ring + self->first, n * sizeof *ring);
      memcpy (ring + n, self->ring, (self->n_held - n) * sizeof *ring);
    }
  g_free (self->ring);
  self->ring = ring;
  self->capacity = capacity;
  self->first = 0;
}

static void
hold (TsTriggerGate *self,
      const TsEvent *events,
      gsize n_events)
{
  for (gsize i = 0; i < n_events; i++)
    {
      if (self->n_held == self->capacity)
        {
          if (self->capacity < MAX_EVENTS)
            grow (self);
          else
            drop_oldest (self);
        }
      self->ring[(self->first + self->n_held) & (self->capacity - 1)] = events[i];
      self->n_held++;
    }
}

/* ---- the way of the events ---- */

static void
fire (TsTriggerGate *self,
      gint64 time)
{
  self->n_fired++;
  self->fired_at = time;
  self->after_end = time + ms_to_ticks (self, self->after_ms);
  trim (self, time);
  release (self);
  put_mark (self, time);
  self->state = TS_TRIGGER_AFTER;
}

static void
end_after (TsTriggerGate *self)
{
  self->state = self->action == TS_TRIGGER_STOP ? TS_TRIGGER_DONE : TS_TRIGGER_WAITING;
}

/* Takes events while waiting. Returns how many. */
static gsize
take_waiting (TsTriggerGate *self,
              const TsEvent *events,
              gsize n_events)
{
  gsize i = ts_trigger_find (self->trigger, events, n_events);
  gsize n = MIN (i + 1, n_events);

  if (self->action == TS_TRIGGER_MARK)
    forward (self, events, n);
  else
    hold (self, events, n);
  if (i < n_events)
    fire (self, events[i].time);
  else
    trim (self, events[n - 1].time);

  return n;
}

/* Takes events of the time after. Returns how many; fewer: that time is over. */
static gsize
take_after (TsTriggerGate *self,
            const TsEvent *events,
            gsize n_events)
{
  gsize n = 0, at = 0;

  while (n < n_events && events[n].time <= self->after_end)
    n++;
  /* what fires meanwhile is in the recording anyway */
  while (at < n)
    at += ts_trigger_find (self->trigger, events + at, n - at) + 1;
  forward (self, events, n);
  if (n < n_events)
    end_after (self);

  return n;
}

static void
gate_events (TsEventSink *sink,
             const TsEvent *events,
             gsize n_events)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;

  if (n_events == 0)
    return;
  for (gsize i = 0; i < n_events; i++)
    self->is_core_seen[events[i].core] = TRUE;
  self->last_time = events[n_events - 1].time;

  while (n_events > 0 && self->state != TS_TRIGGER_DONE)
    {
      gsize n = self->state == TS_TRIGGER_WAITING ? take_waiting (self, events, n_events)
                                                  : take_after (self, events, n_events);

      events += n;
      n_events -= n;
    }
  for (gsize i = 0; i < n_events; i++)
    leave_out (self, &events[i]);
}

static guint32
gate_define_object (TsEventSink *sink,
                    const TsObject *object)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;
  TsObject copy = *object;

  copy.id = self->out->iface->define_object (self->out, object);
  ts_trigger_set_object (self->trigger, &copy);
  return copy.id;
}

static void
gate_update_object (TsEventSink *sink,
                    const TsObject *object)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;

  self->out->iface->update_object (self->out, object);
  ts_trigger_set_object (self->trigger, object);
}

static guint32
gate_intern (TsEventSink *sink,
             const char *text,
             gssize len)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;
  g_autofree char *copy = len >= 0 ? g_strndup (text, (gsize) len) : g_strdup (text);
  guint32 id = self->out->iface->intern (self->out, copy, -1);

  ts_trigger_set_string (self->trigger, id, copy);
  return id;
}

static void
gate_set_clock (TsEventSink *sink,
                guint64 hz)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;

  self->clock_hz = hz;
  ts_trigger_set_clock (self->trigger, hz);
  self->out->iface->set_clock (self->out, hz);
}

static void
gate_set_info (TsEventSink *sink,
               const char *key,
               const char *value)
{
  TsTriggerGate *self = (TsTriggerGate *) sink;

  if (strcmp (key, "t0_ticks") != 0)
    {
      self->out->iface->set_info (self->out, key, value);
      return;
    }
  g_free (self->t0);
  self->t0 = g_strdup (value);
  if (self->has_origin)
    tell_origin (self);
}

static const TsEventSinkInterface gate_interface = {
  .events = gate_events,
  .define_object = gate_define_object,
  .update_object = gate_update_object,
  .intern = gate_intern,
  .set_clock = gate_set_clock,
  .set_info = gate_set_info,
};

/* ---- for the pipeline ---- */

/*
 * _ts_trigger_gate_new:
 * @options: what to wait for
 * @writer: the recording; borrowed
 * @error: return location
 *
 * Thread: the caller's becomes the owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG for the expression
 *
 * Returns: (transfer full): a gate, or %NULL with @error set
 */
TsTriggerGate *
_ts_trigger_gate_new (const TsTriggerOptions *options,
                      TsRecordingWriter *writer,
                      GError **error)
{
  g_autoptr (TsTrigger) trigger = ts_trigger_new (options->expression, error);
  TsTriggerGate *self;

  if (trigger == NULL)
    return NULL;

  self = g_new0 (TsTriggerGate, 1);
  self->sink.iface = &gate_interface;
  self->writer = writer;
  self->out = ts_recording_writer_get_sink (writer);
  self->trigger = g_steal_pointer (&trigger);
  self->expression = g_strdup (options->expression);
  self->action = options->action;
  self->before_ms = options->before_ms;
  self->after_ms = options->after_ms;
  self->keep_raw_log = options->keep_raw_log;
  self->state = TS_TRIGGER_WAITING;
  g_queue_init (&self->raws);

  return self;
}

/* Only after _ts_trigger_gate_finish(), or when nobody wants what is held. */
void
_ts_trigger_gate_free (TsTriggerGate *self)
{
  if (self == NULL)
    return;

  g_queue_clear_full (&self->raws, (GDestroyNotify) raw_free);
  ts_trigger_free (self->trigger);
  g_free (self->expression);
  g_free (self->ring);
  g_free (self->t0);
  g_free (self);
}

TsEventSink *
_ts_trigger_gate_get_sink (TsTriggerGate *self)
{
  return &self->sink;
}

/* Raw bytes, before they are decoded. */
void
_ts_trigger_gate_push_raw (TsTriggerGate *self,
                           gint64 host_us,
                           guint32 source,
                           const guint8 *bytes,
                           gsize n_bytes)
{
  Raw *raw;

  /* not when they arrived: a busy machine may take them up late, with more behind them */
  self->last_us = g_get_monotonic_time ();
  if (self->action == TS_TRIGGER_MARK || !self->keep_raw_log || self->state == TS_TRIGGER_AFTER)
    {
      ts_recording_writer_push_raw (self->writer, host_us, source, bytes, n_bytes);
      return;
    }
  if (self->state == TS_TRIGGER_DONE)
    return;

  raw = g_new (Raw, 1);
  *raw = (Raw){ self->n_dropped + self->n_held, host_us, source, g_bytes_new (bytes, n_bytes) };
  g_queue_push_tail (&self->raws, raw);
  self->n_raw_bytes += n_bytes;
}

/* Nothing arrives: silence may be what is waited for, and the time after may be over.
 * @now_us: the host's monotonic time */
void
_ts_trigger_gate_idle (TsTriggerGate *self,
                       gint64 now_us)
{
  gint64 idle_us = now_us - self->last_us - DELIVERY_US;
  gint64 time;

  if (self->last_us == 0 || idle_us <= 0)
    return;

  time = self->last_time + ms_to_ticks (self, idle_us / 1000);
  /* the mark stands at the last event: later ones may still come, by the target's time */
  if (self->state == TS_TRIGGER_WAITING && ts_trigger_wait (self->trigger, time))
    fire (self, self->last_time);
  if (self->state == TS_TRIGGER_AFTER && time > self->after_end)
    end_after (self);
}

/* The stream has ended: what is held was the last of it, and is kept. */
void
_ts_trigger_gate_finish (TsTriggerGate *self)
{
  char text[24];

  release (self);
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, self->n_fired);
  ts_recording_writer_set_health (self->writer, "trigger_fired", text);
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, self->figures.n_left_out);
  ts_recording_writer_set_health (self->writer, "trigger_left_out", text);
  ts_recording_writer_set_meta (self->writer, "ts_trigger", self->expression);
  if (self->n_fired == 0)
    return;
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, self->fired_at - self->origin);
  ts_recording_writer_set_meta (self->writer, "ts_trigger_ticks", text);
}

void
_ts_trigger_gate_get_figures (TsTriggerGate *self,
                              TsTriggerFigures *figures)
{
  gint64 held = self->state == TS_TRIGGER_WAITING && self->n_held > 0
                    ? self->last_time - self->ring[self->first].time
                : self->state == TS_TRIGGER_AFTER ? self->last_time - self->fired_at
                                                  : 0;

  *figures = self->figures;
  figures->state = self->state;
  figures->n_fired = self->n_fired;
  figures->n_held = self->n_held;
  figures->held_us = ticks_to_us (self, held);
  figures->wanted_us
      = 1000 * (self->state == TS_TRIGGER_WAITING ? self->before_ms : self->after_ms);
}
