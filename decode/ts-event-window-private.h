/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-window-private.h: the last few events before they go to the sink, so that small steps
 * back in time find their place.
 *
 * Events are added in the order of arrival and leave in the order of time, in batches. An event may
 * go back past at most the
 * @depth events before it, and never past a barrier (a loss, a new session); one that should go
 * further is put there with its time raised and marked as estimated. Where an event ends up depends
 * on what was added before it alone, never on when batches were delivered (except that what was
 * delivered by _ts_event_window_deliver_all() cannot be passed any more). The last event that was
 * told to _ts_event_window_hold() stays within reach of its maker until
 * TS_EVENT_WINDOW_MAX_HELD events came after it.
 *
 * Time 0 is the first event that came from the target. Times handed in may be off by a constant
 * (@shift), which is fixed when the first such event leaves.
 */
#pragma once

#include "model/ts-event-sink.h"

G_BEGIN_DECLS

/** Largest depth of a window. */
#define TS_EVENT_WINDOW_MAX_DEPTH 256
/** How many events after one that is held may still change it. */
#define TS_EVENT_WINDOW_MAX_HELD 16
/** Room for events behind those that the window can hold. */
#define TS_EVENT_WINDOW_SPARE 4
/** Events delivered in one go at most. */
#define TS_EVENT_WINDOW_BATCH 512

typedef struct
{
  TsEventSink *sink;
  TsEvent *events;
  guint n_events;
  guint n_open; /* behind them, not added yet: they move along */
  guint depth;
  guint64 n_delivered; /* index, among all events, of events[0] */
  guint64 barrier;     /* events before this index cannot be passed */
  guint64 held;        /* this event stays, barrier or not, until enough came after it */
  guint64 n_counted;   /* events from the target, added so far */
  gint64 newest;       /* time of the last event, G_MININT64: none */
  gint64 last_out;     /* time of the last event delivered */
  gint64 shift;        /* what callers add to their times */
  gboolean is_settled; /* an event from the target was delivered: shift is final */
} TsEventWindow;

void _ts_event_window_init (TsEventWindow *self, TsEventSink *sink);
void _ts_event_window_clear (TsEventWindow *self);
void _ts_event_window_set_depth (TsEventWindow *self, guint depth);
void _ts_event_window_deliver (TsEventWindow *self);
void _ts_event_window_deliver_all (TsEventWindow *self);
void _ts_event_window_add_host_made (
    TsEventWindow *self, TsEventKind kind, guint core, gint64 value, gint64 detail);
void _ts_event_window_place (TsEventWindow *self);
gboolean _ts_event_window_is_held (const TsEventWindow *self, guint64 index);

/* Makes room for a few events, so that reserving them delivers none. */
static inline void
_ts_event_window_make_room (TsEventWindow *self)
{
  if (G_UNLIKELY (self->n_events > TS_EVENT_WINDOW_BATCH + TS_EVENT_WINDOW_MAX_DEPTH - 8))
    _ts_event_window_deliver (self);
}

/* Room for one more event, to be filled in place and then committed. */
static inline TsEvent *
_ts_event_window_reserve (TsEventWindow *self)
{
  if (G_UNLIKELY (self->n_events == TS_EVENT_WINDOW_BATCH + TS_EVENT_WINDOW_MAX_DEPTH))
    _ts_event_window_deliver (self);
  return &self->events[self->n_events];
}

/* Adds the reserved event, which came from the target. */
static inline void
_ts_event_window_commit (TsEventWindow *self)
{
  gint64 time = self->events[self->n_events].time;

  self->n_counted++;
  if (G_LIKELY (time >= self->newest))
    {
      self->newest = time;
      self->n_events++;
    }
  else
    _ts_event_window_place (self);
}

/* Index, among all events, that the next one gets. */
static inline guint64
_ts_event_window_next_index (const TsEventWindow *self)
{
  return self->n_delivered + self->n_events;
}

G_END_DECLS
