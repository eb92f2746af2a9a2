/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-window.c: puts events in order of time and hands them on in batches. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-event-window-private.h"

#define CAPACITY (TS_EVENT_WINDOW_BATCH + TS_EVENT_WINDOW_MAX_DEPTH)

/* Time of host-made events before the first event of the target, until that is known. */
#define TIME_UNKNOWN G_MININT64

void
_ts_event_window_init (TsEventWindow *self, TsEventSink *sink)
{
  memset (self, 0, sizeof *self);
  self->sink = sink;
  self->events = g_new0 (TsEvent, CAPACITY + TS_EVENT_WINDOW_SPARE);
  self->newest = TIME_UNKNOWN;
  self->last_out = TIME_UNKNOWN;
  self->held = G_MAXUINT64;
}

void
_ts_event_window_clear (TsEventWindow *self)
{
  g_clear_pointer (&self->events, g_free);
}

/* How many events one may go back past. What was out of reach stays so. */
void
_ts_event_window_set_depth (TsEventWindow *self, guint depth)
{
  guint64 total = _ts_event_window_next_index (self);

  g_return_if_fail (depth <= TS_EVENT_WINDOW_MAX_DEPTH);

  if (total > self->depth)
    self->barrier = MAX (self->barrier, total - self->depth);
  self->depth = depth;
}

/* Index in events[] before which a new event cannot go. */
static guint
get_floor (const TsEventWindow *self)
{
  guint64 total = _ts_event_window_next_index (self);
  guint64 floor = total > self->depth ? total - self->depth : 0;

  floor = MAX (floor, self->barrier);
  return (guint) (floor - self->n_delivered);
}

/* The first counted event leaves: it becomes time 0. Steps back before the first event of the
 * stream may have made it negative. */
static void
settle (TsEventWindow *self, guint n_out)
{
  guint first = 0;
  gint64 shift;

  while (first < n_out && !ts_event_is_counted (&self->events[first]))
    first++;
  if (first == n_out)
    {
      for (guint i = 0; i < n_out; i++)
        self->events[i].time = 0;
      return;
    }

  shift = -self->events[first].time;
  for (guint i = 0; i < self->n_events; i++)
    self->events[i].time = self->events[i].time == TIME_UNKNOWN ? 0 : self->events[i].time + shift;
  self->newest += shift;
  self->shift += shift;
  self->is_settled = TRUE;
}

static void
deliver (TsEventWindow *self, guint n_out)
{
  guint begin = 0;

  if (n_out == 0)
    return;
  if (!self->is_settled)
    settle (self, n_out);
  if (self->is_settled)
    self->last_out = self->events[n_out - 1].time;
  while (begin < n_out)
    {
      guint n = MIN (n_out - begin, TS_EVENT_WINDOW_BATCH);

      self->sink->iface->events (self->sink, self->events + begin, n);
      begin += n;
    }
  memmove (self->events, self->events + n_out,
           (self->n_events + self->n_open - n_out) * sizeof *self->events);
  self->n_events -= n_out;
  self->n_delivered += n_out;
}

/* Whether the event with @index, held before, is still there to be changed: depends on how many
 * were added since alone, not on when batches were delivered. */
gboolean
_ts_event_window_is_held (const TsEventWindow *self, guint64 index)
{
  return index == self->held && index >= self->n_delivered
         && _ts_event_window_next_index (self) - index <= TS_EVENT_WINDOW_MAX_HELD;
}

/* Delivers the events that nothing can be put before any more. */
void
_ts_event_window_deliver (TsEventWindow *self)
{
  guint n_out = get_floor (self);

  if (_ts_event_window_is_held (self, self->held))
    n_out = MIN (n_out, (guint) (self->held - self->n_delivered));
  deliver (self, n_out);
}

/* Delivers all events; nothing can be put before them any more. */
void
_ts_event_window_deliver_all (TsEventWindow *self)
{
  self->barrier = _ts_event_window_next_index (self);
  deliver (self, self->n_events);
}

/* Adds the reserved event, whose time lies before that of the last one, where it belongs. */
void
_ts_event_window_place (TsEventWindow *self)
{
  TsEvent event = self->events[self->n_events];
  guint floor = get_floor (self);
  guint at = self->n_events;

  while (at > floor && self->events[at - 1].time > event.time)
    at--;
  if (at == floor)
    {
      gint64 least = at > 0 ? self->events[at - 1].time : self->last_out;

      if (event.time < least)
        {
          event.time = least;
          event.flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
        }
    }
  memmove (self->events + at + 1, self->events + at, (self->n_events - at) * sizeof *self->events);
  self->events[at] = event;
  self->n_events++;
}

/* Adds an event made by the host behind all others; nothing that comes later is put before it. */
void
_ts_event_window_add_host_made (
    TsEventWindow *self, TsEventKind kind, guint core, gint64 value, gint64 detail)
{
  TsEvent *event = _ts_event_window_reserve (self);

  *event = (TsEvent){
    .time = self->newest,
    .kind = (guint16) kind,
    .core = (guint8) core,
    .flags = TS_EVENT_FLAG_SYNTHETIC,
    .value = value,
    .detail = detail,
  };
  self->n_events++;
  self->barrier = _ts_event_window_next_index (self);
}
