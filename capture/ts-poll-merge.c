/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-poll-merge.c: puts polled values between the events that the target sent. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-poll-merge-private.h"

/* Clocks drift apart: the shortest way counts for between one and two of these. */
#define WINDOW_US (5 * G_USEC_PER_SEC)
/* So long a polled value waits for an event that comes after it. */
#define WAIT_US (100 * 1000)
/* More are not kept: then the oldest are given out. */
#define MAX_WAITING 65536

typedef struct
{
  TsEventSink sink;
  TsPollMerge *merge;
} Side;

struct _TsPollMerge
{
  Side target;
  Side polled;
  TsEventSink *out;
  guint64 clock_hz;     /* of the target, 0: not known yet */
  gint64 arrival_us;    /* of the bytes that are being decoded */
  gint64 last_time;     /* given out */
  gboolean has_offset;
  gint64 offset_us;     /* host minus target, the least of this window */
  gint64 old_offset_us; /* of the window before */
  gint64 window_us;
  gint64 poll_origin_us;
  GArray *waiting;      /* of TsEvent: time is the host's microseconds */
};

static gint64
scale (gint64 value,
       guint64 to,
       guint64 from)
{
  return (gint64) ((__int128) value * to / from);
}

/* The target's time of a moment of the host's clock. */
static gint64
to_ticks (TsPollMerge *self,
          gint64 host_us)
{
  gint64 offset_us = MIN (self->offset_us, self->old_offset_us);

  return MAX (scale (host_us - offset_us, self->clock_hz, G_USEC_PER_SEC), 0);
}

/* Gives out waiting values: those before @limit (ticks), or that were read until @until_us. */
static void
give_out (TsPollMerge *self,
          gint64 limit,
          gint64 until_us)
{
  TsEvent *events = (TsEvent *) (gpointer) self->waiting->data;
  guint n = 0;

  while (n < self->waiting->len)
    {
      gint64 host_us = events[n].time;
      gint64 time = self->has_offset ? to_ticks (self, host_us) : self->last_time;

      if (time > limit && host_us > until_us && self->waiting->len - n <= MAX_WAITING)
        break;
      events[n].time = CLAMP (time, self->last_time, MAX (limit, self->last_time));
      events[n].flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
      self->last_time = events[n].time;
      n++;
    }
  if (n == 0)
    return;
  self->out->iface->events (self->out, events, n);
  g_array_remove_range (self->waiting, 0, n);
}

/* An event of the target's time @time arrived just now. */
static void
note_offset (TsPollMerge *self,
             gint64 time)
{
  gint64 offset_us = self->arrival_us - scale (time, G_USEC_PER_SEC, self->clock_hz);

  if (!self->has_offset)
    {
      self->has_offset = TRUE;
      self->offset_us = self->old_offset_us = offset_us;
      self->window_us = self->arrival_us;
    }
  else if (self->arrival_us - self->window_us > WINDOW_US)
    {
      self->old_offset_us = self->offset_us;
      self->offset_us = offset_us;
      self->window_us = self->arrival_us;
    }
  self->offset_us = MIN (self->offset_us, offset_us);
}

/* Time of the value that waits longest, in ticks. */
static gint64
get_next (TsPollMerge *self)
{
  return self->waiting->len > 0 && self->has_offset
             ? to_ticks (self, g_array_index (self->waiting, TsEvent, 0).time)
             : G_MAXINT64;
}

static void
target_events (TsEventSink *sink,
               const TsEvent *events,
               gsize n_events)
{
  TsPollMerge *self = ((Side *) sink)->merge;
  gsize begin = 0;
  gint64 next;

  if (n_events == 0)
    return;
  if (self->clock_hz > 0)
    note_offset (self, events[n_events - 1].time);

  /* what was given out for want of events may lie a little too late */
  for (; begin < n_events && events[begin].time < self->last_time; begin++)
    {
      TsEvent event = events[begin];

      event.time = self->last_time;
      event.flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
      self->out->iface->events (self->out, &event, 1);
    }

  next = get_next (self);
  for (gsize i = begin; i < n_events && next != G_MAXINT64; i++)
    {
      if (events[i].time <= next)
        continue;
      if (i > begin)
        {
          self->out->iface->events (self->out, events + begin, i - begin);
          self->last_time = events[i - 1].time;
        }
      begin = i;
      give_out (self, events[i].time, G_MININT64);
      next = get_next (self);
    }
  if (begin < n_events)
    {
      self->out->iface->events (self->out, events + begin, n_events - begin);
      self->last_time = events[n_events - 1].time;
    }
}

static void
polled_events (TsEventSink *sink,
               const TsEvent *events,
               gsize n_events)
{
  TsPollMerge *self = ((Side *) sink)->merge;

  for (gsize i = 0; i < n_events; i++)
    {
      TsEvent event = events[i];

      event.time += self->poll_origin_us;
      g_array_append_val (self->waiting, event);
    }
}

static guint32
pass_define (TsEventSink *sink,
             const TsObject *object)
{
  TsEventSink *out = ((Side *) sink)->merge->out;

  return out->iface->define_object (out, object);
}

static void
pass_update (TsEventSink *sink,
             const TsObject *object)
{
  TsEventSink *out = ((Side *) sink)->merge->out;

  out->iface->update_object (out, object);
}

static guint32
pass_intern (TsEventSink *sink,
             const char *text,
             gssize len)
{
  TsEventSink *out = ((Side *) sink)->merge->out;

  return out->iface->intern (out, text, len);
}

static void
target_clock (TsEventSink *sink,
              guint64 hz)
{
  TsPollMerge *self = ((Side *) sink)->merge;

  if (hz != self->clock_hz)
    self->has_offset = FALSE;
  self->clock_hz = hz;
  self->out->iface->set_clock (self->out, hz);
}

static void
target_info (TsEventSink *sink,
             const char *key,
             const char *value)
{
  TsEventSink *out = ((Side *) sink)->merge->out;

  out->iface->set_info (out, key, value);
}

static void
polled_clock (TsEventSink *sink,
              guint64 hz)
{
}

/* The host's time of the first polled value. */
static void
polled_info (TsEventSink *sink,
             const char *key,
             const char *value)
{
  if (strcmp (key, "t0_ticks") == 0)
    ((Side *) sink)->merge->poll_origin_us = g_ascii_strtoll (value, NULL, 10);
}

static const TsEventSinkInterface target_interface = {
  .events = target_events,
  .define_object = pass_define,
  .update_object = pass_update,
  .intern = pass_intern,
  .set_clock = target_clock,
  .set_info = target_info,
};

static const TsEventSinkInterface polled_interface = {
  .events = polled_events,
  .define_object = pass_define,
  .update_object = pass_update,
  .intern = pass_intern,
  .set_clock = polled_clock,
  .set_info = polled_info,
};

/*
 * _ts_poll_merge_new:
 * @out: where events go; borrowed
 *
 * Thread: the caller's becomes the owner
 *
 * Returns: (transfer full): a merge
 */
TsPollMerge *
_ts_poll_merge_new (TsEventSink *out)
{
  TsPollMerge *self = g_new0 (TsPollMerge, 1);

  self->out = out;
  self->target = (Side){ { &target_interface }, self };
  self->polled = (Side){ { &polled_interface }, self };
  self->waiting = g_array_new (FALSE, FALSE, sizeof (TsEvent));

  return self;
}

void
_ts_poll_merge_free (TsPollMerge *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->waiting);
  g_free (self);
}

/* For the decoder of what the target sent. */
TsEventSink *
_ts_poll_merge_get_target_sink (TsPollMerge *self)
{
  return &self->target.sink;
}

/* For the decoder of what was polled. */
TsEventSink *
_ts_poll_merge_get_polled_sink (TsPollMerge *self)
{
  return &self->polled.sink;
}

/* The bytes that are decoded next arrived at @host_us. */
void
_ts_poll_merge_arrived (TsPollMerge *self,
                        gint64 host_us)
{
  self->arrival_us = host_us;
}

/* It is @host_us: what waited long enough is given out. */
void
_ts_poll_merge_settle (TsPollMerge *self,
                       gint64 host_us)
{
  /* until the first event nothing says where the target's time lies */
  if (self->has_offset)
    give_out (self, G_MAXINT64 - 1, host_us - WAIT_US);
}

/* The end: everything is given out. */
void
_ts_poll_merge_flush (TsPollMerge *self)
{
  if (self->waiting->len == 0)
    return;
  if (!self->has_offset)
    {
      /* the target sent nothing: the polled values are all there is */
      self->clock_hz = self->clock_hz != 0 ? self->clock_hz : G_USEC_PER_SEC;
      self->out->iface->set_clock (self->out, self->clock_hz);
      self->has_offset = TRUE;
      self->offset_us = self->old_offset_us
          = g_array_index (self->waiting, TsEvent, 0).time
            - scale (self->last_time, G_USEC_PER_SEC, self->clock_hz);
    }
  give_out (self, G_MAXINT64 - 1, G_MAXINT64);
}
