/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-raw.c: packets that follow one another without framing (ITM, RTT, RAM ring).
 *
 * The state machine of viewalyzer-wire.md section 8.2. No decision is taken on bytes that are not
 * there yet: what is undecided waits in `carry`, so that any slicing of the stream gives the same
 * packets.
 */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-stream-private.h"

/* Sequence bytes further ahead are more likely damage than loss. Source: viewalyzer-wire.md
 * section 8.2. */
#define MAX_AHEAD 64
/* Packets that make a chain; without sequence bytes it takes more to be sure. */
#define CHAIN_WITH_SEQ 3
#define CHAIN_WITHOUT_SEQ 5
#define CHAIN_OF_UNKNOWN 8
/* Bytes copied behind undecided ones, to get over them. */
#define CARRY_STEP 4096
/* Steps of time between neighbours that are no surprise: half a minute at 70 MHz, or a small step
 * back. */
#define MAX_CHAIN_STEP ((gint64) 1 << 31)

typedef enum
{
  ANSWER_NO,
  ANSWER_YES,
  ANSWER_MORE,
} Answer;

/* Whether a chain begins at @bytes: valid, sound packets that follow one another directly, a marker
 * between them allowed, with rising sequence bytes, or in dialects without them with plausible
 * times. */
static Answer
chain_begins (const TsVaStream *self, const TsVaLayout *layout, const guint8 *bytes, gsize n_bytes)
{
  int wanted = layout->has_seq        ? CHAIN_WITH_SEQ
               : self->layout == NULL ? CHAIN_OF_UNKNOWN
                                      : CHAIN_WITHOUT_SEQ;
  guint string_bits = layout == self->layout                 ? self->string_bits
                      : layout->dialect == TS_VA_WIRE_LEGACY ? 0
                                                             : 16;
  gint64 time = -1;
  guint expected = TS_VA_NO_SEQ;
  gsize at = 0;

  for (int n = 0; n < wanted; n++)
    {
      int len;

      if (n > 0 && at < n_bytes && bytes[at] == 'V')
        {
          int marker = _ts_va_marker_at (bytes + at, n_bytes - at);

          if (marker == TS_VA_MORE)
            return ANSWER_MORE;
          if (marker > 0)
            at += TS_VA_MARKER_LEN;
        }
      if (at >= n_bytes)
        return ANSWER_MORE;
      if (!layout->known[bytes[at]])
        return ANSWER_NO;
      if (layout->has_seq)
        {
          if (at + 1 >= n_bytes)
            return ANSWER_MORE;
          if (expected != TS_VA_NO_SEQ && bytes[at + 1] != expected)
            return ANSWER_NO;
          expected = (bytes[at + 1] + 1u) & 0xFF;
        }
      len = _ts_va_measure (layout, string_bits, bytes + at, n_bytes - at);
      if (len == TS_VA_INVALID)
        return ANSWER_NO;
      if (len == TS_VA_MORE || (gsize) len > n_bytes - at)
        return ANSWER_MORE;
      if (!_ts_va_looks_sound (layout, bytes + at, (gsize) len))
        return ANSWER_NO;
      if (!layout->has_seq)
        {
          gint64 t = _ts_va_packet_time (layout, bytes + at, (gsize) len);

          if (t >= 0 && time >= 0
              && ABS (layout->ts_bytes == 8 ? t - time : (gint32) (guint32) (t - time))
                     > MAX_CHAIN_STEP)
            return ANSWER_NO;
          time = t >= 0 ? t : time;
        }
      at += (gsize) len;
    }
  return ANSWER_YES;
}

/* Full marker that begins inside the packet @packet, behind its first byte: its offset, 0 if there
 * is none, -1 if that takes more. */
static gssize
find_marker_inside (const guint8 *packet, gsize n_packet, gsize n_bytes, TsVaOutlook outlook)
{
  for (gsize at = 1; at < n_packet; at++)
    {
      int marker;

      if (packet[at] != 'V')
        continue;
      marker = _ts_va_marker_at (packet + at, n_bytes - at);
      if (marker == TS_VA_MORE && outlook == TS_VA_MORE_COMES)
        return -1;
      if (marker > 0)
        return (gssize) at;
    }
  return 0;
}

/* The same for a chain that goes on where the stream stands. */
static gssize
find_chain_inside (const TsVaStream *self,
                   const guint8 *packet,
                   gsize n_packet,
                   gsize n_bytes,
                   TsVaOutlook outlook)
{
  const TsVaLayout *layout = self->layout;

  for (gsize at = 1; at < n_packet; at++)
    {
      Answer answer;

      if (!layout->known[packet[at]])
        continue;
      if (layout->has_seq && self->expected != TS_VA_NO_SEQ && at + 1 < n_bytes
          && ((packet[at + 1] - self->expected) & 0xFF) > MAX_AHEAD)
        continue;
      answer = chain_begins (self, layout, packet + at, n_bytes - at);
      if (answer == ANSWER_MORE && outlook == TS_VA_MORE_COMES)
        return -1;
      if (answer == ANSWER_YES)
        return (gssize) at;
    }
  return 0;
}

/* Whether what follows a packet with sequence byte @seq at @bytes confirms it. */
static Answer
is_confirmed (const TsVaStream *self, guint seq, const guint8 *bytes, gsize n_bytes)
{
  if (n_bytes == 0)
    return ANSWER_MORE;
  if (bytes[0] == 'V')
    {
      int marker = _ts_va_marker_at (bytes, n_bytes);

      return marker == TS_VA_MORE ? ANSWER_MORE : marker > 0 ? ANSWER_YES : ANSWER_NO;
    }
  if (!self->layout->known[bytes[0]])
    return ANSWER_NO;
  if (!self->layout->has_seq)
    return ANSWER_YES;
  if (n_bytes < 2)
    return ANSWER_MORE;
  return bytes[1] == ((seq + 1) & 0xFF) ? ANSWER_YES : ANSWER_NO;
}

static void
lock (TsVaStream *self)
{
  self->is_searching = FALSE;
  if (!self->was_locked)
    {
      self->was_locked = TRUE;
      self->n_bad = 0;
    }
}

/* A full marker of @version stands at @bytes. Settles the dialect of what follows. Returns the
 * bytes used, 0: more are needed. */
static gsize
take_marker (TsVaStream *self, int version, const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  TsVaWire dialect = version == 2 ? TS_VA_WIRE_V2 : version == 3 ? TS_VA_WIRE_V3 : TS_VA_WIRE_NONE;
  const guint8 *next = bytes + TS_VA_MARKER_LEN;
  gsize n_next = n_bytes - TS_VA_MARKER_LEN;

  if (dialect == TS_VA_WIRE_NONE)
    {
      int told = _ts_va_dialect_after_marker (next, n_next);
      gboolean is_open = self->layout == NULL || self->layout->dialect == TS_VA_WIRE_V2
                         || self->layout->dialect == TS_VA_WIRE_V3;

      if (told == TS_VA_MORE && outlook != TS_VA_END)
        return 0;
      if (told == TS_VA_MORE && is_open)
        told = TS_VA_WIRE_1; /* too little to tell: the current one */
      if (told == TS_VA_WIRE_NONE && is_open)
        told = _ts_va_score_layouts (next, n_next,
                                     outlook == TS_VA_END ? TS_VA_END : TS_VA_MORE_COMES);
      if (told == TS_VA_MORE && outlook != TS_VA_END)
        return 0;
      if (told > TS_VA_WIRE_NONE)
        dialect = (TsVaWire) told;
    }
  if (dialect != TS_VA_WIRE_NONE)
    _ts_va_stream_set_dialect (self, dialect);
  lock (self);
  _ts_va_stream_marker (self);
  return TS_VA_MARKER_LEN;
}

/* Whether a chain of the stream's dialect begins at @bytes, or of any as long as none is known; it
 * goes to @dialect. (v3 has the layout of wire 1; only its marker tells.) */
static Answer
any_chain_begins (const TsVaStream *self,
                  const guint8 *bytes,
                  gsize n_bytes,
                  TsVaOutlook outlook,
                  TsVaWire *dialect)
{
  static const TsVaWire candidates[] = { TS_VA_WIRE_1, TS_VA_WIRE_LEGACY, TS_VA_WIRE_V2 };

  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      const TsVaLayout *layout
          = self->layout != NULL ? self->layout : _ts_va_layout_get (candidates[i]);
      Answer answer = chain_begins (self, layout, bytes, n_bytes);

      *dialect = layout->dialect;
      if (answer == ANSWER_YES || (answer == ANSWER_MORE && outlook != TS_VA_END))
        return answer;
      if (self->layout != NULL)
        break;
    }
  return ANSWER_NO;
}

/* Goes on to the next boundary. Returns the bytes used, 0: more are needed. */
static gsize
search (TsVaStream *self, const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  TsVaWire found = TS_VA_WIRE_NONE;
  gsize at;

  for (at = 0; at < n_bytes; at++)
    {
      TsVaWire dialect;
      Answer answer;

      if (bytes[at] == 'V')
        {
          int marker = _ts_va_marker_at (bytes + at, n_bytes - at);

          if (marker > 0 || (marker == TS_VA_MORE && outlook != TS_VA_END))
            {
              self->is_searching = marker == TS_VA_MORE;
              break;
            }
        }
      dialect = TS_VA_WIRE_NONE;
      answer = any_chain_begins (self, bytes + at, n_bytes - at, outlook, &dialect);
      if (answer == ANSWER_NO)
        continue;
      if (answer == ANSWER_YES)
        {
          self->is_searching = FALSE;
          found = dialect;
        }
      break;
    }
  if (at > 0)
    _ts_va_stream_bad_bytes (self, at);
  if (found != TS_VA_WIRE_NONE)
    {
      _ts_va_stream_set_dialect (self, found);
      lock (self);
    }
  return at;
}

static gsize
start_search (TsVaStream *self)
{
  self->is_searching = TRUE;
  _ts_va_stream_bad_bytes (self, 1);
  return 1;
}

static gsize
take_packet (TsVaStream *self, const guint8 *packet, gsize n_packet)
{
  self->after_marker = FALSE;
  if (self->string_bits == 0 && (packet[0] & 0x7F) == TS_VA_CODE_STRING)
    {
      guint string_bits = 0;

      if (_ts_va_frame_fits (self->layout, packet, n_packet, &string_bits))
        _ts_va_stream_set_string_bits (self, string_bits);
    }
  _ts_va_stream_packet (self, packet, n_packet);
  return n_packet;
}

/* Locked: the packet at @bytes, by the rules of viewalyzer-wire.md section 8.2, which are numbered
 * here as there. Returns the bytes used, 0: more are needed. */
static gsize
step (TsVaStream *self, const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  int len;
  guint seq;
  gssize inside;

  if (bytes[0] == 'V')
    {
      int marker = _ts_va_marker_at (bytes, n_bytes);

      if (marker > 0)
        return take_marker (self, marker, bytes, n_bytes, outlook);
      if (marker == TS_VA_MORE && outlook != TS_VA_END)
        return 0;
      return start_search (self);
    }

  /* 1 */
  len = _ts_va_measure (self->layout, self->string_bits, bytes, n_bytes);
  if (len == TS_VA_MORE || (len > 0 && (gsize) len > n_bytes))
    {
      if (outlook != TS_VA_END)
        {
          /* a packet that claims much more than is there may be a cut one that swallows a marker */
          inside = len > 0 ? find_marker_inside (bytes, n_bytes, n_bytes, TS_VA_IDLE) : 0;
          if (inside <= 0)
            return 0;
          _ts_va_stream_bad_bytes (self, (guint64) inside);
          return (gsize) inside;
        }
      return start_search (self);
    }
  if (len == TS_VA_INVALID)
    return start_search (self);

  /* 2 */
  inside = find_marker_inside (bytes, (gsize) len, n_bytes, outlook);
  if (inside > 0)
    {
      _ts_va_stream_bad_bytes (self, (guint64) inside);
      return (gsize) inside;
    }
  if (inside < 0)
    return 0;

  /* 3 */
  seq = self->layout->has_seq ? bytes[1] : TS_VA_NO_SEQ;
  if (self->layout->has_seq && self->expected != TS_VA_NO_SEQ
      && ((seq - self->expected) & 0xFF) > MAX_AHEAD
      && !(bytes[0] == TS_VA_CODE_CHECKPOINT && self->after_marker))
    {
      Answer answer = chain_begins (self, self->layout, bytes, n_bytes);

      if (answer == ANSWER_MORE && outlook != TS_VA_END)
        return 0;
      return answer == ANSWER_YES ? take_packet (self, bytes, (gsize) len) : start_search (self);
    }

  /* 4 */
  switch (is_confirmed (self, seq, bytes + len, n_bytes - (gsize) len))
    {
    case ANSWER_YES:
      return take_packet (self, bytes, (gsize) len);
    case ANSWER_MORE:
      return outlook == TS_VA_MORE_COMES ? 0 : take_packet (self, bytes, (gsize) len);
    case ANSWER_NO:
    default:
      break;
    }
  inside = find_chain_inside (self, bytes, (gsize) len, n_bytes, outlook);
  if (inside < 0)
    return 0;
  if (inside > 0)
    {
      _ts_va_stream_bad_bytes (self, (guint64) inside);
      return (gsize) inside;
    }
  return take_packet (self, bytes, (gsize) len);
}

/* The plain case, as fast as it goes: a packet of fixed length with the expected number, confirmed
 * by the next one, no marker inside. */
static const guint8 *
run (TsVaStream *self, const guint8 *p, const guint8 *end, const guint8 *marker)
{
  const TsVaLayout *layout = self->layout;

  while (end - p >= 64)
    {
      guint len = layout->fixed[p[0]];
      const guint8 *next = p + len;

      if (len == 0 || p[1] != self->expected || next[1] != (guint8) (p[1] + 1)
          || !layout->known[next[0]] || next > marker)
        break;
      self->after_marker = FALSE;
      _ts_va_stream_packet (self, p, len);
      p = next;
    }
  return p;
}

/* Takes what can be decided of @bytes; returns how many were used. */
static gsize
process (TsVaStream *self, const guint8 *bytes, gsize n_bytes, TsVaOutlook outlook)
{
  const guint8 *p = bytes;
  const guint8 *end;
  const guint8 *marker;

  if (n_bytes == 0)
    return 0;
  end = bytes + n_bytes;
  marker = _ts_va_find_marker (p, end);
  while (p < end)
    {
      gsize used;

      if (p > marker)
        marker = _ts_va_find_marker (p, end);
      if (!self->is_searching && self->layout != NULL && self->layout->has_seq && end - p >= 64
          && self->layout->fixed[p[0]] != 0)
        {
          const guint8 *q = run (self, p, end, marker);

          if (q != p)
            {
              p = q;
              continue;
            }
        }
      used = self->is_searching ? search (self, p, (gsize) (end - p), outlook)
                                : step (self, p, (gsize) (end - p), outlook);
      /* a search that ends where it began has found the boundary: the packet there is next */
      if (used == 0 && !self->is_searching)
        used = step (self, p, (gsize) (end - p), outlook);
      if (used == 0)
        break;
      p += used;
    }
  return (gsize) (p - bytes);
}

/* Takes the next bytes of a stream without framing. */
void
_ts_va_raw_push (TsVaStream *self, const guint8 *bytes, gsize n_bytes)
{
  gsize at = 0;

  while (self->carry->len > 0 && at < n_bytes)
    {
      guint n_carried = self->carry->len;
      gsize n = MIN (n_bytes - at, CARRY_STEP);
      gsize used;

      g_byte_array_append (self->carry, bytes + at, (guint) n);
      used = process (self, self->carry->data, self->carry->len, TS_VA_MORE_COMES);
      if (used >= n_carried)
        {
          g_byte_array_set_size (self->carry, 0);
          at += used - n_carried;
          break;
        }
      g_byte_array_remove_range (self->carry, 0, (guint) used);
      at += n;
    }
  if (at >= n_bytes)
    return;
  at += process (self, bytes + at, n_bytes - at, TS_VA_MORE_COMES);
  if (at < n_bytes)
    g_byte_array_append (self->carry, bytes + at, (guint) (n_bytes - at));
}

/* Nothing comes for now, or ever. */
void
_ts_va_raw_settle (TsVaStream *self, TsVaOutlook outlook)
{
  gsize used = process (self, self->carry->data, self->carry->len, outlook);

  if (outlook == TS_VA_END)
    {
      if (used < self->carry->len)
        _ts_va_stream_bad_bytes (self, self->carry->len - used);
      g_byte_array_set_size (self->carry, 0);
      self->is_searching = TRUE;
      return;
    }
  g_byte_array_remove_range (self->carry, 0, (guint) used);
}

/* Bytes are missing here. */
void
_ts_va_raw_lose (TsVaStream *self)
{
  _ts_va_raw_settle (self, TS_VA_END);
}
