/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-detect.c: datagram records, COBS frames or raw packets? By how much of the first bytes
 * makes sense as each. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-cobs.h"
#include "ts-va-stream-private.h"

/* Shares, in thousandths of the bytes, from which on a framing is believed. */
#define ENOUGH_RECORDS 500
#define ENOUGH 300
/* Records that fewer of are recognised only if they end with the last byte. */
#define MIN_RECORDS 3
/* Without a marker so many packets follow one another somewhere, where they are numbered and where
 * they are not. Noise: 1 and 5 in 20,000 pieces, and rarely a long packet or two that are a third of
 * it; streams: 6 and more in any 200 bytes but texts. */
#define LEAST_NUMBERED 2
#define LEAST_IN_A_ROW 6
/* Datagrams that are further apart are no sign of records. */
#define MAX_PAUSE_US 600000000u

static const TsVaWire layouts[] = { TS_VA_WIRE_1, TS_VA_WIRE_LEGACY, TS_VA_WIRE_V2 };

static gboolean
frame_makes_sense (const guint8 *encoded, gsize n_encoded)
{
  guint8 frame[2 * TS_VA_MAX_PACKET];
  gssize n;

  if (n_encoded > sizeof frame)
    return FALSE;
  n = ts_cobs_decode (encoded, n_encoded, frame, sizeof frame);
  if (n <= 0)
    return FALSE;
  if (n == TS_VA_MARKER_LEN && _ts_va_marker_at (frame, TS_VA_MARKER_LEN) > 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      guint string_bits = layouts[i] == TS_VA_WIRE_LEGACY ? 0 : 16;

      if (_ts_va_frame_fits (_ts_va_layout_get (layouts[i]), frame, (gsize) n, &string_bits))
        return TRUE;
    }
  return FALSE;
}

/* Share of @bytes in whole frames that make sense; a frame that is cut off at the end does not
 * count. */
static guint
rate_frames (const guint8 *bytes, gsize n_bytes)
{
  gsize at = 0;
  gsize good = 0;

  while (at < n_bytes)
    {
      const guint8 *zero = memchr (bytes + at, 0, n_bytes - at);
      gsize n;

      if (zero == NULL)
        break;
      n = (gsize) (zero - bytes) - at;
      if (n > 0 && frame_makes_sense (bytes + at, n))
        good += n + 1;
      at += n + 1;
    }
  return at > 0 ? (guint) (good * 1000 / at) : 0;
}

/* How the times of packets go on. */
typedef struct
{
  guint64 last;
  guint n_steps;
  guint n_forward; /* some, but not so far that it was chance: the smallest 64th of all steps */
} Times;

static void
take_time (Times *self, const TsVaLayout *layout, const guint8 *packet)
{
  const guint8 *stamp = packet + layout->body_at - layout->ts_bytes;
  guint unused = 64 - 8 * layout->ts_bytes;
  guint64 time;
  guint64 step;

  if ((packet[0] & 0x7F) >= TS_VA_CODE_SETUP)
    return;
  time = layout->ts_bytes == 8 ? _ts_va_u64 (stamp) : _ts_va_u32 (stamp);
  step = (time - self->last) << unused;
  self->last = time;
  self->n_steps++;
  self->n_forward += step > 0 && step < G_MAXUINT64 / 64;
}

static gboolean
go_on (const Times *self)
{
  return self->n_forward * 2 >= self->n_steps;
}

/* Share of @bytes in packets of @dialect that follow one another, in sequence where there are
 * sequence bytes. @is_likely: (out): whether they are more than chance makes. */
static guint
rate_packets (TsVaWire dialect, const guint8 *bytes, gsize n_bytes, gboolean *is_likely)
{
  const TsVaLayout *layout = _ts_va_layout_get (dialect);
  guint least = layout->has_seq ? LEAST_NUMBERED : LEAST_IN_A_ROW;
  guint expected = TS_VA_NO_SEQ;
  gboolean follows = FALSE;
  Times times = { 0 };
  guint n_in_a_row = 0;
  guint n_packets = 0;
  guint n_breaks = 0;
  guint longest = 0;
  gsize at = 0;
  gsize good = 0;

  while (at < n_bytes)
    {
      int marker = _ts_va_marker_at (bytes + at, n_bytes - at);
      int len = _ts_va_measure (layout, dialect == TS_VA_WIRE_LEGACY ? 0 : 16, bytes + at,
                                n_bytes - at);

      if (marker > 0)
        {
          good += TS_VA_MARKER_LEN;
          at += TS_VA_MARKER_LEN;
          follows = TRUE;
          longest = G_MAXUINT;
          continue;
        }
      if (marker == TS_VA_MORE || len == TS_VA_MORE || (len > 0 && (gsize) len > n_bytes - at))
        {
          if (follows)
            break;
          len = TS_VA_INVALID;
        }
      if (len == TS_VA_INVALID || !_ts_va_looks_sound (layout, bytes + at, (gsize) len))
        {
          n_breaks += follows;
          n_in_a_row = 0;
          follows = FALSE;
          expected = TS_VA_NO_SEQ;
          at++;
          continue;
        }
      if (layout->has_seq ? bytes[at + 1] == expected || (expected == TS_VA_NO_SEQ && follows)
                          : follows)
        {
          good += (gsize) len;
          take_time (&times, layout, bytes + at);
          n_packets++;
          longest = MAX (longest, ++n_in_a_row);
        }
      if (layout->has_seq)
        expected = (bytes[at + 1] + 1u) & 0xFF;
      follows = TRUE;
      at += (gsize) len;
    }
  *is_likely = longest == G_MAXUINT
               || (longest >= least && n_packets > n_breaks && go_on (&times));
  return at > 0 ? (guint) (good * 1000 / at) : 0;
}

/* Share of sense in the payloads of records; 0 if there is a header that is none, or too few to
 * tell: then @may_be is set. */
static guint
rate_records (const guint8 *bytes, gsize n_bytes, gboolean *may_be)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  guint32 time = 0;
  guint n_records = 0;
  gsize at = 0;

  *may_be = FALSE;
  while (at + 6 <= n_bytes)
    {
      guint32 t = _ts_va_u32 (bytes + at);
      gsize n = _ts_va_u16 (bytes + at + 4);

      if (n == 0 || n > TS_VA_MAX_DATAGRAM || (at > 0 && t - time > MAX_PAUSE_US))
        return 0;
      time = t;
      at += 6;
      g_byte_array_append (payload, bytes + at, (guint) MIN (n, n_bytes - at));
      at += n;
      n_records++;
    }
  if (n_records < MIN_RECORDS && at != n_bytes)
    {
      *may_be = TRUE;
      return 0;
    }
  if (payload->len == 0)
    return 0;
  return rate_frames (payload->data, payload->len);
}

/* Share of @bytes in packets of the dialect that fits best, in thousandths. @must_be_likely: what
 * chance may have made does not count. */
guint
_ts_va_rate_raw (const guint8 *bytes, gsize n_bytes, gboolean must_be_likely)
{
  guint packets = 0;

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      gboolean is_likely;
      guint share = rate_packets (layouts[i], bytes, n_bytes, &is_likely);

      if (is_likely || !must_be_likely)
        packets = MAX (packets, share);
    }
  return packets;
}

/* The framing that the first bytes of a stream show, TS_VA_INPUT_AUTO if none. @can_wait: rather
 * none than one that more bytes could refute. */
TsVaInput
_ts_va_detect (const guint8 *bytes, gsize n_bytes, gboolean can_wait)
{
  gboolean may_be;
  guint records = rate_records (bytes, n_bytes, &may_be);
  guint frames = rate_frames (bytes, n_bytes);
  guint packets;

  if (records >= ENOUGH_RECORDS && records >= frames)
    return TS_VA_INPUT_RECORDS;
  packets = _ts_va_rate_raw (bytes, n_bytes, TRUE);
  if (MAX (frames, packets) < ENOUGH || (can_wait && may_be))
    return TS_VA_INPUT_AUTO;
  return frames >= packets ? TS_VA_INPUT_COBS : TS_VA_INPUT_RAW;
}
