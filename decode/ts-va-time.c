/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-time.c: from time stamps to ticks of the recording.
 *
 * Each stream has its own clock (`now`, 64 bit). It is mapped onto the recording's clock by an
 * anchor (a pair of times that are the same moment) and the ratio of the rates, which is 1 but for
 * a second sender or a later session with another clock.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-stream-private.h"

/* Steps of the 32-bit stamp from here on are small steps back. Source: viewalyzer-wire.md
 * section 10.2. */
#define FIRST_STEP_BACK 0xF0000000u
/* No clock of legacy v1 gets here; only damage does. */
#define WIDE_LIMIT ((guint64) 1 << 56)
/* A silence of so many seconds, or ticks where the rate is not known, is damage or another clock. */
#define MAX_SILENCE_S 86400
#define MAX_SILENCE ((guint64) 1 << 44)
/* Steps back, in long steps, that are still believed: a quarter of a second. */
#define MAX_STEP_BACK 25
/* Stamps in a row far ahead that the next one may still refute. */
#define MAX_JUMPS 3
/* Stamps in a row far off the clock after which the clock was restarted unseen. */
#define MAX_FAR_OFF 8

void
_ts_va_time_init (TsVaStream *self)
{
  self->long_step = TS_VA_DEFAULT_STEP;
  self->jump_index = G_MAXUINT64;
  self->marker_count = G_MAXUINT64;
  _ts_va_time_new_epoch (self);
}

/* The next stamp is a new base, placed after the last known time. Source: viewalyzer-wire.md
 * section 10.2. */
void
_ts_va_time_new_epoch (TsVaStream *self)
{
  self->has_time = FALSE;
  self->is_soft = FALSE;
  self->step = 0;
  self->jump_index = G_MAXUINT64;
  self->n_far_back = 0;
}

/* Own ticks to ticks of the recording. */
static gint64
map_time (TsVaStream *self, gint64 own)
{
  gint64 shift = self->decoder->window.shift;

  if (!self->is_scaled)
    return own + self->offset + shift;
  return self->anchor_out + shift
         + (gint64) ((__int128) (own - self->anchor_own) * (gint64) self->decoder->ref_hz
                     / (gint64) self->hz);
}

/* From here on, own time @own is time @out of the recording (without the window's shift). */
static void
set_anchor (TsVaStream *self, gint64 own, gint64 out)
{
  self->anchor_own = own;
  self->anchor_out = out;
  self->offset = out - own;
  self->step = self->is_scaled || self->is_soft ? 0 : self->long_step;
}

/* Where the recording stands: the time for something new. */
static gint64
get_frontier (TsVaStream *self)
{
  gint64 newest = self->decoder->window.newest;

  return newest == G_MININT64 ? self->decoder->window.shift : newest;
}

static gint64
set_base (TsVaStream *self, guint64 stamp)
{
  gint64 frontier = get_frontier (self);

  self->now = (gint64) stamp;
  self->has_time = TRUE;
  set_anchor (self, self->now, frontier - self->decoder->window.shift);
  return frontier;
}

/* Time of the stream's last stamp, for something without a stamp of its own. */
gint64
_ts_va_time_of_now (TsVaStream *self)
{
  if (self->has_time)
    return map_time (self, self->now);
  if (self->decoder->window.newest != G_MININT64)
    return get_frontier (self);

  /* the very first event has no clock's time (a PC's first checkpoint): the clock counts from 0 */
  self->is_soft = TRUE;
  return set_base (self, 0);
}

/* Another stamp far off the clock: whether there were so many in a row that the clock must have been
 * restarted unseen. */
static gboolean
is_far_off_for_good (TsVaStream *self)
{
  guint64 index = _ts_event_window_next_index (&self->decoder->window);

  if (self->far_back_index + 1 != index)
    self->n_far_back = 0;
  self->far_back_index = index;
  return ++self->n_far_back > MAX_FAR_OFF;
}

/* Where in the window the event is that jumped ahead, if nothing but further jumps and rows of the
 * host came since; G_MAXUINT: it left, or the time went on from there. */
static guint
find_jump (TsVaStream *self)
{
  TsEventWindow *window = &self->decoder->window;
  guint n_counted = 0;
  guint first;

  if (self->jump_index == G_MAXUINT64 || self->jump_index >= _ts_event_window_next_index (window)
      || !_ts_event_window_is_held (window, self->jump_index))
    return G_MAXUINT;
  first = (guint) (self->jump_index - window->n_delivered);
  for (guint i = first; i < window->n_events && n_counted <= self->n_jumps; i++)
    n_counted += ts_event_is_counted (&window->events[i]);
  return n_counted == self->n_jumps ? first : G_MAXUINT;
}

/* Whether the events that jumped ahead left the window, and nothing of the target came since. */
static gboolean
has_jump_left (TsVaStream *self)
{
  TsEventWindow *window = &self->decoder->window;

  return self->jump_index < window->n_delivered
         && window->n_counted - self->counted_before_jump == self->n_jumps;
}

/* The events before this one jumped ahead, and this one is back where the time stood before: their
 * stamps were damaged. Puts them back too, if they have not left yet; if they have, what follows
 * waits for the time that they told, and later times are right again. */
static gboolean
undo_jump (TsVaStream *self, guint64 behind)
{
  TsEventWindow *window = &self->decoder->window;
  guint64 jump = (guint64) (self->now - self->before_jump);
  guint first;
  gint64 time;

  if (self->jump_index == G_MAXUINT64 || behind >= jump || behind > G_MAXUINT32 - FIRST_STEP_BACK)
    return FALSE;
  if (has_jump_left (self))
    {
      self->now = self->before_jump;
      self->jump_index = G_MAXUINT64;
      return TRUE;
    }
  first = find_jump (self);
  time = map_time (self, self->before_jump);
  if (first == G_MAXUINT || window->events[first].time < time)
    return FALSE;

  if (first > 0)
    time = MAX (time, window->events[first - 1].time);
  else if (window->is_settled)
    time = MAX (time, window->last_out);
  for (guint i = first; i < window->n_events; i++)
    {
      window->events[i].time = time;
      window->events[i].flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
    }
  window->newest = time;
  self->now = self->before_jump;
  self->jump_index = G_MAXUINT64;
  return TRUE;
}

static gint64
step_forward (TsVaStream *self, guint64 step)
{
  if (step >= self->long_step && self->n_jumps < MAX_JUMPS
      && (find_jump (self) != G_MAXUINT || has_jump_left (self)))
    self->n_jumps++;
  else if (step >= self->long_step)
    {
      self->before_jump = self->now;
      self->jump_index = _ts_event_window_next_index (&self->decoder->window);
      self->n_jumps = 1;
      self->counted_before_jump = self->decoder->window.n_counted;
      self->decoder->window.held = self->jump_index;
    }
  self->now += (gint64) step;
  if (self->is_soft)
    {
      self->is_soft = FALSE;
      self->jump_index = G_MAXUINT64;
      self->step = self->is_scaled ? 0 : self->long_step;
    }
  return map_time (self, self->now);
}

/* Source: viewalyzer-wire.md section 10.2. */
static gint64
take_narrow (TsVaStream *self, guint32 stamp)
{
  guint32 step = stamp - (guint32) self->now;

  if (self->is_soft)
    return step_forward (self, step);
  if (step >= self->long_step && undo_jump (self, (guint32) (stamp - (guint32) self->before_jump)))
    step = stamp - (guint32) self->now;
  if (step < FIRST_STEP_BACK)
    return step_forward (self, step);
  if ((guint32) -step <= MAX_STEP_BACK * self->long_step)
    return map_time (self, self->now - (gint64) (guint32) -step);

  /* no sender steps back so far: one damaged stamp, or a clock that was restarted unseen */
  if (is_far_off_for_good (self))
    {
      _ts_va_time_new_epoch (self);
      return set_base (self, stamp);
    }
  self->next_flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
  return map_time (self, self->now);
}

/* The longest step that a counter of 64 bits is believed to take between two packets. */
static guint64
get_max_silence (const TsVaStream *self)
{
  return self->hz > 0 && self->hz < MAX_SILENCE / MAX_SILENCE_S ? self->hz * MAX_SILENCE_S
                                                                : MAX_SILENCE;
}

/* Legacy v1: the stamp is the whole counter. Source: viewalyzer-wire.md section 2.3. */
static gint64
take_wide (TsVaStream *self, guint64 stamp)
{
  guint64 back;

  if (stamp >= WIDE_LIMIT)
    {
      self->next_flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
      return map_time (self, self->now);
    }
  if (stamp >= (guint64) self->now)
    {
      if (stamp - (guint64) self->now >= self->long_step && stamp >= (guint64) self->before_jump)
        undo_jump (self, stamp - (guint64) self->before_jump);
      if (!self->is_soft && stamp - (guint64) self->now > get_max_silence (self))
        {
          if (is_far_off_for_good (self))
            {
              _ts_va_time_new_epoch (self);
              return set_base (self, stamp);
            }
          self->next_flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
          return map_time (self, self->now);
        }
      return step_forward (self, stamp - (guint64) self->now);
    }

  back = (guint64) self->now - stamp;
  if (back < self->long_step)
    return map_time (self, (gint64) stamp);

  /* the upper half was read before the lower one wrapped */
  if (back > G_MAXUINT32 - self->long_step && back <= G_MAXUINT32 + self->long_step)
    {
      stamp += (guint64) 1 << 32;
      if (stamp >= (guint64) self->now)
        return step_forward (self, stamp - (guint64) self->now);
      return map_time (self, (gint64) stamp);
    }
  if (stamp >= (guint64) self->before_jump && undo_jump (self, stamp - (guint64) self->before_jump))
    return step_forward (self, stamp - (guint64) self->now);

  /* recorders before SES:START was known: a marker, and the clock begins anew */
  if (self->marker_count == self->decoder->window.n_counted || is_far_off_for_good (self))
    {
      _ts_va_stream_new_epoch (self);
      return set_base (self, stamp);
    }
  self->next_flags |= TS_EVENT_FLAG_TIME_ESTIMATED;
  return map_time (self, self->now);
}

/* Time of an event whose stamp is not a short step ahead of the last one. */
gint64
_ts_va_time_take_slowly (TsVaStream *self, guint64 stamp)
{
  if (!self->has_time)
    return set_base (self, stamp);
  return self->layout->ts_bytes == 8 ? take_wide (self, stamp)
                                     : take_narrow (self, (guint32) stamp);
}

/* The stream tells its rate. The first rate told is the recording's; others are converted. A
 * different rate in the middle of a session must be told twice: on a damaged line it is more likely
 * a flipped digit. Source: events.md section 1. */
void
_ts_va_time_set_clock (TsVaStream *self, guint64 hz)
{
  TsVaDecoder *decoder = self->decoder;
  gint64 out;

  if (hz == 0)
    return;
  if (self->has_session_clock && hz != self->hz && hz != self->doubted_hz)
    {
      self->doubted_hz = hz;
      return;
    }
  self->doubted_hz = 0;
  self->has_session_clock = TRUE;
  if (hz == self->hz && decoder->ref_hz != 0)
    return;

  out = self->has_time ? map_time (self, self->now) - decoder->window.shift : 0;
  self->hz = hz;
  self->long_step = CLAMP (hz / 100, 1000, 1 << 28);
  if (decoder->ref_hz == 0 || decoder->ref_is_given)
    {
      decoder->ref_hz = hz;
      decoder->ref_is_given = FALSE;
      decoder->parent.sink->iface->set_clock (decoder->parent.sink, hz);
    }
  self->is_scaled = hz != decoder->ref_hz;
  if (self->has_time)
    set_anchor (self, self->now, out);
}
