/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-itm-time.c: when the packets of an ITM stream happened.
 *
 * A local time stamp tells the time of the packets before it, so events wait for the next one. In a
 * stream without time stamps the bytes of the line stand for time, and events say so.
 *
 * Where a recorder writes into the same stream, the recording's clock is the recorder's. Both
 * clocks are seen together whenever a recorder packet is followed by a local time stamp: that pair
 * is an anchor, and what the one clock counts between two anchors is compared with the other.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-itm-stream-private.h"

/* Ticks of the recorder between the first anchor and one that can tell the ratio of the clocks. */
#define RATIO_TICKS (1 << 21)
/* Ratios that differ less from 1 than this (as 1 / n) are 1: what is left is the way of a packet to
 * the line. */
#define RATIO_NEAR 32
/* An anchor that is off by more (ticks) means that one of the clocks jumped. */
#define ANCHOR_JUMP (1 << 24)
/* What the recorder's counter counts before it begins anew. */
#define WRAP ((gint64) 1 << 32)
/* Jumps of the recorder's clock in a row that are taken back; more of them are true. */
#define MAX_TAKEN_BACK 2

/* Time @own of the stream's clock on that of the recording, with the window's shift. */
static gint64
map_time (TsItmStream *self, gint64 own)
{
  gint64 passed = own - self->anchor_now;

  if (self->is_scaled && self->anchor_now > self->first_now)
    passed = (gint64) ((__int128) passed * (self->anchor_out - self->first_out)
                       / (self->anchor_now - self->first_now));
  return self->anchor_out + passed + self->decoder->window->shift;
}

/* Time @own of the stream's clock on that of the recording, without the window's shift. The stream
 * has time stamps, or no recorder. */
gint64
_ts_itm_stream_map_time (TsItmStream *self, gint64 own)
{
  if (self->decoder->va == NULL)
    return _ts_itm_stream_scale_clock (self, own);
  return map_time (self, own) - self->decoder->window->shift;
}

/* Whether the last event of the recorder jumped ahead: the next one shows whether its time stamp was
 * damaged, and nothing may come between them. */
gboolean
_ts_itm_stream_is_in_doubt (const TsItmStream *self)
{
  const TsVaDecoder *va = self->decoder->va;

  return va != NULL && va->streams[0]->jump_index != G_MAXUINT64
         && va->streams[0]->jump_index + 1 == _ts_event_window_next_index (&va->window);
}

/* Takes back a jump of the recorder's clock that this clock did not see: the packet was damaged. */
void
_ts_itm_stream_check_recorder (TsItmStream *self)
{
  TsEventWindow *window = self->decoder->window;
  TsVaStream *recorder;
  TsEvent *last;
  gint64 time;

  if (!self->has_time || !self->has_anchor || !_ts_itm_stream_is_in_doubt (self) || window->n_events == 0)
    return;
  recorder = self->decoder->va->streams[0];
  last = &window->events[window->n_events - 1];
  time = map_time (self, self->now);
  if (last->time - time <= ANCHOR_JUMP || self->n_taken_back >= MAX_TAKEN_BACK)
    return;
  self->n_taken_back++;
  if (window->n_events > 1)
    time = MAX (time, last[-1].time);
  last->time = MAX (time, window->last_out);
  last->flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
  window->newest = last->time;
  recorder->now = recorder->before_jump;
  recorder->jump_index = G_MAXUINT64;
}

/* A damaged time stamp far ahead, and the next good one looks as if the recorder's counter had
 * wrapped. This clock knows better: puts the events back that came since. */
static void
take_back_wrap (TsItmStream *self)
{
  TsEventWindow *window = self->decoder->window;
  TsVaStream *recorder = self->decoder->va->streams[0];
  gint64 limit = map_time (self, self->now) + ANCHOR_JUMP;
  guint64 total = _ts_event_window_next_index (window);
  guint64 floor = MAX (total > window->depth ? total - window->depth : 0, window->barrier);
  guint first = (guint) (floor - window->n_delivered);
  gint64 before = first > 0 ? window->events[first - 1].time : window->last_out;

  for (guint i = first; i < window->n_events; i++)
    {
      TsEvent *event = &window->events[i];

      if (event->time > limit)
        {
          event->time = MAX (event->time - WRAP, before);
          event->flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
        }
      before = event->time;
    }
  window->newest = MAX (window->newest - WRAP, before);
  recorder->now -= WRAP;
  recorder->jump_index = G_MAXUINT64;
}

/* The recorder's clock and this one at the same moment, if the recorder told a new time since the
 * last time stamp. Its packets are stamped before they are sent, so they can only lie behind. */
static void
take_anchor (TsItmStream *self)
{
  TsVaStream *recorder = self->decoder->va->streams[0];
  TsEventWindow *window = self->decoder->window;
  gint64 out;
  gint64 late;

  if (!recorder->has_time || recorder->now == self->recorder_now || _ts_itm_stream_is_in_doubt (self))
    return;
  self->recorder_now = recorder->now;
  self->n_taken_back = 0;
  out = _ts_va_time_of_now (recorder) - window->shift;
  late = map_time (self, self->now) - window->shift - out;
  if (self->has_anchor && !self->is_scaled && !recorder->is_scaled
      && ABS (late + WRAP) < ANCHOR_JUMP && recorder->now >= WRAP)
    {
      take_back_wrap (self);
      self->recorder_now = recorder->now;
      out -= WRAP;
      late += WRAP;
    }
  if (!self->has_anchor || self->is_anchor_loose || late > ANCHOR_JUMP || late < -ANCHOR_JUMP)
    {
      self->has_anchor = TRUE;
      self->is_anchor_loose = FALSE;
      self->is_scaled = FALSE;
      self->anchor_now = self->first_now = self->now;
      self->anchor_out = self->first_out = out;
      return;
    }
  if (out - self->first_out >= RATIO_TICKS && self->now > self->first_now)
    {
      gint64 passed = self->now - self->first_now;
      gint64 difference = out - self->first_out - passed;

      self->is_scaled = ABS (difference) > passed / RATIO_NEAR;
    }
  if (late < 0 || self->is_scaled)
    {
      self->anchor_now = self->now;
      self->anchor_out = out;
    }
}

/* The time of a waiting event on the stream's clock. Without time stamps the bytes of the line stand
 * for it. */
static gint64
get_time (TsItmStream *self, const TsEvent *event)
{
  if (!self->has_time)
    self->now = MAX (self->now, event->time);
  return self->now;
}

/* Puts the events that have a time into the window. */
static void
flush_timed (TsItmStream *self)
{
  TsEventWindow *window = self->decoder->window;
  guint n_own = 0;

  for (guint i = 0; i < self->n_timed; i++)
    {
      TsEvent *event;

      _ts_event_window_make_room (window);
      event = _ts_event_window_reserve (window);
      *event = self->pending[i];
      /* without any clock of its own the stream follows the recorder's */
      if (self->decoder->va == NULL)
        event->time = _ts_itm_stream_scale_clock (self, event->time) + window->shift;
      else if (self->has_time)
        event->time = map_time (self, event->time);
      else
        event->time = window->newest != G_MININT64 ? window->newest : window->shift;
      if (event->kind == TS_EVENT_ITM_TEXT)
        _ts_itm_stream_finish_text (self, event);
      n_own += event->kind == TS_EVENT_SWO_LOAD;
      _ts_event_window_commit (window);
      /* the recorder counts its own events there */
      window->n_counted--;
    }
  self->decoder->counted.events += self->n_timed - n_own;
  self->n_pending -= self->n_timed;
  if (self->n_pending > 0)
    memmove (self->pending, self->pending + self->n_timed,
             self->n_pending * sizeof self->pending[0]);
  self->n_timed = 0;
}

/* As _ts_itm_stream_settle_pending(), for events that stand in the window: no other clock has a say
 * about them, and none is later. */
static inline void
settle_in_place (TsItmStream *self, guint8 flags)
{
  TsEventWindow *window = self->decoder->window;
  TsEvent *events = window->events + window->n_events;

  if (self->has_time)
    {
      gint64 time = _ts_itm_stream_scale_clock (self, self->now) + window->shift;

      /* how many wait is anybody's guess: a few are always written, there is room for them */
      for (guint i = 0; i < TS_EVENT_WINDOW_SPARE; i++)
        {
          events[i].time = time;
          events[i].flags |= flags;
        }
      for (guint i = TS_EVENT_WINDOW_SPARE; i < self->n_pending; i++)
        {
          events[i].time = time;
          events[i].flags |= flags;
        }
    }
  else
    for (guint i = 0; i < self->n_pending; i++)
      {
        events[i].time = _ts_itm_stream_scale_clock (self, get_time (self, &events[i])) + window->shift;
        events[i].flags |= flags | TS_EVENT_FLAG_TIME_ESTIMATED;
      }
  if (self->n_pending > 0)
    window->newest = events[self->n_pending - 1].time;
  if (G_UNLIKELY (self->n_texts > 0))
    _ts_itm_stream_finish_texts (self, events, self->n_pending);
  /* what the load is stands alone there */
  if (self->n_pending != 1 || events[0].kind != TS_EVENT_SWO_LOAD)
    self->decoder->counted.events += self->n_pending;
  window->n_events += self->n_pending;
  self->n_pending = 0;
}

/* Makes room for one more event that waits. */
void
_ts_itm_stream_make_room (TsItmStream *self)
{
  if (self->n_pending >= TS_ITM_MAX_PENDING)
    _ts_itm_stream_settle_pending (self, TS_EVENT_FLAG_TIME_ESTIMATED);
  if (self->is_in_place)
    _ts_itm_stream_deliver (self);
}

/* Delivers the events that nothing can be put before any more; those that wait behind them move
 * along. */
void
_ts_itm_stream_deliver (TsItmStream *self)
{
  TsEventWindow *window = self->decoder->window;

  window->n_open = self->n_pending;
  _ts_event_window_deliver (window);
  window->n_open = 0;
}

/* The events that waited happened at the time that it is now. */
void
_ts_itm_stream_settle_pending (TsItmStream *self, guint8 flags)
{
  if (G_UNLIKELY (self->has_young))
    _ts_itm_stream_age_lines (self);
  if (self->is_in_place)
    {
      settle_in_place (self, flags);
      return;
    }
  if (self->decoder->recorder == self)
    _ts_itm_decoder_push_gathered (self->decoder);
  if (!self->has_time)
    flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
  for (; self->n_timed < self->n_pending; self->n_timed++)
    {
      TsEvent *event = &self->pending[self->n_timed];

      event->time = get_time (self, event);
      event->flags |= flags;
    }
  if (self->n_timed > 0 && (!_ts_itm_stream_is_in_doubt (self) || self->n_timed >= TS_ITM_MAX_PENDING))
    flush_timed (self);
}

/* Gives out everything that waits, with the times that there are. */
void
_ts_itm_stream_give_out (TsItmStream *self)
{
  _ts_itm_stream_settle_pending (self, TS_EVENT_FLAG_TIME_ESTIMATED);
  flush_timed (self);
}

/* Source: itm-dwt.md sections 2.3 and 3 */
void
_ts_itm_stream_local_time (TsItmStream *self, const TsItmPacket *packet)
{
  gboolean is_guess = packet->tc != 0 || self->is_scaled || self->is_tentative;
  guint8 flags = is_guess ? TS_EVENT_FLAG_TIME_ESTIMATED : 0;

  if (G_UNLIKELY (!self->has_time))
    {
      self->has_time = TRUE;
      _ts_itm_stream_renew_lines (self);
      _ts_itm_stream_forget_load (self);
    }
  if (self->lessons != NULL)
    self->reader.take = _ts_itm_stream_take_bytes;
  self->now += (gint64) (packet->value * self->prescaler);
  if (self->decoder->va != NULL && self->decoder->recorder == self)
    {
      _ts_itm_decoder_push_gathered (self->decoder);
      _ts_itm_stream_check_recorder (self);
      take_anchor (self);
    }
  _ts_itm_stream_settle_pending (self, flags);
  if (_ts_itm_stream_is_load_due (self, self->now, packet->offset))
    _ts_itm_stream_note_load (self, packet, flags);
}

/* Something is missing: the next time stamps count from an unknown moment. */
void
_ts_itm_stream_time_lost (TsItmStream *self)
{
  _ts_itm_stream_settle_pending (self, TS_EVENT_FLAG_TIME_ESTIMATED);
  self->next_flags |= TS_EVENT_FLAG_AFTER_LOSS;
  /* the recorder's clock tells how long the gap was */
  self->is_anchor_loose = TRUE;
}
