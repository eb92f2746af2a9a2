/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-frames.c: one packet or one marker per COBS frame (serial, UDP, custom sinks).
 *
 * Boundaries are known, so nothing is searched for: a frame whose length is not that of its packet
 * is dropped. Two things wait for the next frame: a packet out of sequence (a real gap, or a
 * damaged sequence byte?), and everything until the dialect is known.
 *
 * Source: viewalyzer-wire.md sections 3.5, 8.2, 2.2.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-cobs.h"
#include "ts-va-stream-private.h"

/* Longest encoded frame, without its delimiter. */
#define MAX_ENCODED (TS_VA_MAX_PACKET + TS_VA_MAX_PACKET / 254 + 2)
/* Frames by which one dialect must fit better than the others, and the number of frames after which
 * the best one is taken. */
#define ENOUGH_LEAD 4
#define ENOUGH_FRAMES 64
/* Unknown codes whose sequence byte is further ahead are damage. */
#define MAX_AHEAD 64

static void take_frame (TsVaStream *self, const guint8 *frame, gsize n_frame, gsize n_encoded);

static void
lock (TsVaStream *self)
{
  if (self->was_locked)
    return;
  self->was_locked = TRUE;
  self->n_bad = 0;
}

static void
give_held (TsVaStream *self)
{
  gsize n = self->n_held;

  self->n_held = 0;
  if (n == 0)
    return;
  lock (self);
  _ts_va_stream_packet (self, self->held, n);
}

static void
drop_held (TsVaStream *self)
{
  self->n_held = 0;
  _ts_va_stream_bad_bytes (self, self->n_held_encoded);
}

/* Something else than a packet follows: a first packet that nothing confirms may be the tail of a
 * frame. */
static void
settle_held (TsVaStream *self)
{
  if (self->n_held == 0)
    return;
  if (self->was_locked)
    give_held (self);
  else
    drop_held (self);
}

/* Whether the frame could be a packet of a recorder newer than this decoder. */
static gboolean
is_unknown_packet (const TsVaStream *self, const guint8 *frame, gsize n_frame)
{
  guint code = frame[0] & 0x7F;

  return self->layout->dialect == TS_VA_WIRE_1 && n_frame >= 7 && code > 0x25
         && code < TS_VA_CODE_SETUP && self->expected != TS_VA_NO_SEQ
         && ((frame[1] - self->expected) & 0xFF) <= MAX_AHEAD;
}

/* A valid packet whose sequence byte is not the expected one. It waits for the next frame: if that
 * carries its number plus one, the gap is real; if that carries the number after the expected one,
 * this packet's number was damaged. */
static void
take_out_of_sequence (TsVaStream *self, const guint8 *frame, gsize n_frame, gsize n_encoded)
{
  if (self->n_held > 0)
    {
      gboolean follows = frame[1] == ((self->held[1] + 1) & 0xFF);
      gboolean ignores = frame[1] == self->expected || frame[1] == ((self->expected + 1) & 0xFF);

      if (follows || (self->was_locked && !ignores) || _ts_va_stream_is_late (self, self->held[1]))
        give_held (self);
      else
        drop_held (self);
    }
  if (frame[1] == self->expected || _ts_va_is_session_start (self->layout, frame, n_frame)
      || (frame[0] == TS_VA_CODE_CHECKPOINT && self->after_marker))
    {
      self->after_marker = FALSE;
      lock (self);
      _ts_va_stream_packet (self, frame, n_frame);
      return;
    }
  self->after_marker = FALSE;
  memcpy (self->held, frame, n_frame);
  self->n_held = n_frame;
  self->n_held_encoded = n_encoded;
}

/* A frame of a stream whose dialect is known, but for a marker. */
static void
take_packet_frame (TsVaStream *self, const guint8 *frame, gsize n_frame, gsize n_encoded)
{
  guint string_bits = self->string_bits;

  if (n_frame == 0 || !_ts_va_frame_fits (self->layout, frame, n_frame, &string_bits))
    {
      settle_held (self);
      if (n_frame > 0 && is_unknown_packet (self, frame, n_frame))
        _ts_va_stream_unknown_packet (self, frame[1]);
      else
        _ts_va_stream_bad_bytes (self, n_encoded);
      return;
    }
  if (string_bits != self->string_bits)
    _ts_va_stream_set_string_bits (self, string_bits);
  if (self->layout->has_seq && (frame[1] != self->expected || self->n_held > 0))
    {
      take_out_of_sequence (self, frame, n_frame, n_encoded);
      return;
    }
  self->after_marker = FALSE;
  lock (self);
  _ts_va_stream_packet (self, frame, n_frame);
}

/* A marker of @version. It is known dialect, or for version 1 the next frame tells whether it still
 * is. */
static void
take_marker_frame (TsVaStream *self, int version)
{
  give_held (self);
  if (version == 2)
    _ts_va_stream_set_dialect (self, TS_VA_WIRE_V2);
  else if (version == 3)
    _ts_va_stream_set_dialect (self, TS_VA_WIRE_V3);
  lock (self);
  _ts_va_stream_marker (self);
}

static void
replay_undecided (TsVaStream *self)
{
  g_autoptr (GByteArray) frames = g_steal_pointer (&self->undecided);
  gsize at = 0;

  self->undecided = g_byte_array_new ();
  self->n_undecided = 0;
  while (at + 4 <= frames->len)
    {
      gsize n_frame = _ts_va_u16 (frames->data + at);
      gsize n_encoded = _ts_va_u16 (frames->data + at + 2);

      take_frame (self, frames->data + at + 4, n_frame, n_encoded);
      at += 4 + n_frame;
    }
}

/* Nothing that was kept fits any dialect, but perhaps markers. */
static void
drop_undecided (TsVaStream *self)
{
  gsize at = 0;

  while (at + 4 <= self->undecided->len)
    {
      gsize n_frame = _ts_va_u16 (self->undecided->data + at);

      if (n_frame == TS_VA_MARKER_LEN
          && _ts_va_marker_at (self->undecided->data + at + 4, n_frame) > 0)
        {
          lock (self);
          _ts_va_stream_marker (self);
        }
      else
        _ts_va_stream_bad_bytes (self, _ts_va_u16 (self->undecided->data + at + 2));
      at += 4 + n_frame;
    }
  g_byte_array_set_size (self->undecided, 0);
  self->n_undecided = 0;
}

static TsVaWire
get_best (const TsVaStream *self, guint *lead)
{
  /* v3 has the layout of wire 1; only its marker tells */
  static const TsVaWire candidates[] = { TS_VA_WIRE_1, TS_VA_WIRE_LEGACY, TS_VA_WIRE_V2 };
  TsVaWire best = candidates[0];
  guint second = 0;

  for (guint i = 1; i < G_N_ELEMENTS (candidates); i++)
    {
      if (self->scores[candidates[i]] > self->scores[best])
        {
          second = MAX (second, self->scores[best]);
          best = candidates[i];
        }
      else
        second = MAX (second, self->scores[candidates[i]]);
    }
  *lead = self->scores[best] - second;
  return best;
}

static void
decide (TsVaStream *self, TsVaWire dialect)
{
  memset (self->scores, 0, sizeof self->scores);
  _ts_va_stream_set_dialect (self, dialect);
  replay_undecided (self);
}

/* A frame of a stream whose dialect is not known: kept, and scored. A frame's length is right in
 * few dialects. Source: viewalyzer-wire.md section 2.2. */
static void
take_undecided (TsVaStream *self, const guint8 *frame, gsize n_frame, gsize n_encoded)
{
  guint8 header[4] = { n_frame & 0xFF, n_frame >> 8, n_encoded & 0xFF, (n_encoded >> 8) & 0xFF };
  int version = _ts_va_marker_at (frame, n_frame);
  TsVaWire best;
  guint lead;

  g_byte_array_append (self->undecided, header, sizeof header);
  g_byte_array_append (self->undecided, frame, (guint) n_frame);
  self->n_undecided++;
  if (n_frame == TS_VA_MARKER_LEN && version > 0)
    {
      if (version != 1)
        decide (self, version == 2 ? TS_VA_WIRE_V2 : TS_VA_WIRE_V3);
      else
        self->after_marker = TRUE;
      return;
    }
  if (self->after_marker)
    {
      int told = _ts_va_dialect_after_marker (frame, n_frame);

      self->after_marker = FALSE;
      if (told > 0)
        {
          decide (self, (TsVaWire) told);
          return;
        }
    }
  for (guint d = TS_VA_WIRE_LEGACY; d < TS_VA_N_WIRES; d++)
    {
      guint string_bits = d == TS_VA_WIRE_LEGACY ? 0 : 16;

      if (n_frame > 0 && _ts_va_frame_fits (_ts_va_layout_get (d), frame, n_frame, &string_bits))
        self->scores[d]++;
    }
  best = get_best (self, &lead);
  if (lead >= ENOUGH_LEAD || self->n_undecided >= ENOUGH_FRAMES)
    decide (self, best);
}

static void
take_frame (TsVaStream *self, const guint8 *frame, gsize n_frame, gsize n_encoded)
{
  int version;

  if (self->layout == NULL)
    {
      take_undecided (self, frame, n_frame, n_encoded);
      return;
    }
  version = n_frame == TS_VA_MARKER_LEN ? _ts_va_marker_at (frame, n_frame) : 0;
  if (version > 0)
    {
      /* v2 and v3 firmware replaced by one whose marker says 1: open again */
      if (version == 1
          && (self->layout->dialect == TS_VA_WIRE_V2 || self->layout->dialect == TS_VA_WIRE_V3))
        {
          give_held (self);
          self->layout = NULL;
          take_undecided (self, frame, n_frame, n_encoded);
          return;
        }
      take_marker_frame (self, version);
      return;
    }
  if (G_UNLIKELY (self->after_marker))
    {
      int told = _ts_va_dialect_after_marker (frame, n_frame);

      if (told > 0 && told != self->layout->dialect && self->layout->dialect != TS_VA_WIRE_V2
          && self->layout->dialect != TS_VA_WIRE_V3)
        _ts_va_stream_set_dialect (self, (TsVaWire) told);
      if (!self->layout->has_seq)
        self->after_marker = FALSE;
    }
  take_packet_frame (self, frame, n_frame, n_encoded);
}

/* An encoded frame without its delimiter. */
static inline void
take_encoded (TsVaStream *self, const guint8 *encoded, gsize n_encoded)
{
  guint8 frame[MAX_ENCODED];
  gssize n;

  if (n_encoded == 0)
    return;
  if (n_encoded > MAX_ENCODED || (n = ts_cobs_decode (encoded, n_encoded, frame, sizeof frame)) < 0
      || n > TS_VA_MAX_PACKET)
    {
      settle_held (self);
      _ts_va_stream_bad_bytes (self, n_encoded + 1);
      return;
    }
  /* the plain case: an event of fixed length with the expected number */
  if (G_LIKELY (n > 0 && self->layout != NULL && self->layout->fixed[frame[0]] == n
                && frame[1] == self->expected && self->n_held == 0 && !self->after_marker
                && self->was_locked))
    {
      _ts_va_stream_packet (self, frame, (gsize) n);
      return;
    }
  take_frame (self, frame, (gsize) n, n_encoded + 1);
}

/* Takes the next bytes of a stream of COBS frames. */
void
_ts_va_frames_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes)
{
  const guint8 *p = bytes;
  const guint8 *end = bytes + n_bytes;

  while (p < end)
    {
      const guint8 *zero = memchr (p, 0, (gsize) (end - p));
      gsize n = (gsize) ((zero != NULL ? zero : end) - p);

      if (zero != NULL && self->carry->len == 0 && !self->is_overlong)
        {
          take_encoded (self, p, n);
          p = zero + 1;
          continue;
        }
      if (!self->is_overlong && self->carry->len + n > MAX_ENCODED)
        {
          self->is_overlong = TRUE;
          self->n_overlong = self->carry->len;
          g_byte_array_set_size (self->carry, 0);
        }
      if (self->is_overlong)
        self->n_overlong += n;
      else
        g_byte_array_append (self->carry, p, (guint) n);
      if (zero == NULL)
        return;
      if (self->is_overlong)
        {
          self->is_overlong = FALSE;
          settle_held (self);
          _ts_va_stream_bad_bytes (self, self->n_overlong + 1);
          self->n_overlong = 0;
        }
      else
        {
          take_encoded (self, self->carry->data, self->carry->len);
          g_byte_array_set_size (self->carry, 0);
        }
      p = zero + 1;
    }
}

/* Nothing comes for now, or ever. */
void
_ts_va_frames_settle (TsVaStream *self, TsVaOutlook outlook)
{
  if (self->layout == NULL && self->n_undecided > 0)
    {
      guint lead;
      TsVaWire best = get_best (self, &lead);

      if (self->scores[best] > 0 ? outlook == TS_VA_END || lead > 0 : FALSE)
        decide (self, best);
      else if (outlook == TS_VA_END)
        drop_undecided (self);
    }
  if (outlook == TS_VA_END || self->was_locked)
    give_held (self);
  if (outlook != TS_VA_END)
    return;

  if (self->carry->len > 0 || self->n_overlong > 0)
    _ts_va_stream_bad_bytes (self, self->carry->len + self->n_overlong);
  g_byte_array_set_size (self->carry, 0);
  self->n_overlong = 0;
  self->is_overlong = FALSE;
}

/* Bytes are missing here: what is there of a frame is lost, and so is the rest of it. */
void
_ts_va_frames_lose (TsVaStream *self)
{
  give_held (self);
  if (self->carry->len > 0 || self->n_overlong > 0)
    _ts_va_stream_bad_bytes (self, self->carry->len + self->n_overlong);
  g_byte_array_set_size (self->carry, 0);
  self->n_overlong = 0;
  self->is_overlong = FALSE;
}
