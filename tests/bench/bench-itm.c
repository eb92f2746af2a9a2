/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-itm.c: bytes of an ITM stream to packets, and to events, on one core, into sinks that only
 * count.
 *
 * The stream is a mixture as a busy target sends it: text in words and bytes, data trace with PC,
 * exceptions, PC samples, counters, local time stamps of all lengths, now and then a
 * synchronisation packet. Beside the figures stand a memcpy of the same bytes and a plain pump that
 * takes one byte after the other, as most tools have it; the best of several rounds counts.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decode/ts-decoder.h"
#include "decode/ts-itm-reader-private.h"

#include "counting-sink.h"
#include "itm-mixture.h"

#define CHUNK 65536
#define N_BYTES (48 * 1024 * 1024)
#define ROUNDS 5
#define PACKETS_MB_S 230
#define EVENTS_MB_S 120

static guint64
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (guint64) now.tv_sec * 1000000 + (guint64) now.tv_nsec / 1000;
}

/* ---- what is read ---- */

static GByteArray *
make_stream (void)
{
  GByteArray *bytes = g_byte_array_sized_new (N_BYTES + 64);
  ItmMixture mixture = { 0 };

  itm_mixture_append (&mixture, bytes, N_BYTES);
  return bytes;
}

/* ---- a plain pump ---- */

typedef struct
{
  guint n_left;
  guint n_zeros;
  gboolean is_continued;
  guint64 value;
  guint shift;
  guint64 n_packets;
} Pump;

static void __attribute__ ((noinline))
pump_byte (Pump *self, guint8 byte)
{
  if (self->is_continued)
    {
      self->value |= (guint64) (byte & 0x7F) << self->shift;
      self->shift += 7;
      self->is_continued = (byte & 0x80) != 0;
      self->n_packets += !self->is_continued;
    }
  else if (self->n_left > 0)
    {
      self->value |= (guint64) byte << self->shift;
      self->shift += 8;
      self->n_packets += --self->n_left == 0;
    }
  else if (byte == 0)
    self->n_zeros++;
  else if (self->n_zeros > 0)
    {
      self->n_packets += byte == 0x80 && self->n_zeros >= 5;
      self->n_zeros = 0;
    }
  else
    {
      self->value = 0;
      self->shift = 0;
      if ((byte & 3) != 0)
        self->n_left = (byte & 3) == 3 ? 4 : byte & 3;
      else if ((byte & 0x80) != 0)
        self->is_continued = TRUE;
      else
        self->n_packets++;
    }
}

static double
time_pump (const GByteArray *bytes, guint64 *n_packets)
{
  guint64 begin = thread_time ();
  Pump pump = { 0 };

  for (guint i = 0; i < bytes->len; i++)
    pump_byte (&pump, bytes->data[i]);
  *n_packets = pump.n_packets;
  return MAX (thread_time () - begin, 1) / 1e6;
}

/* ---- ours ---- */

static void
count_packets (const TsItmPacket *packets, gsize n_packets, gpointer user_data)
{
  guint64 *n = user_data;

  *n += n_packets;
}

static double
time_packets (const GByteArray *bytes, guint64 *n_packets)
{
  g_autofree TsItmReader *reader = g_new (TsItmReader, 1);
  guint64 begin = thread_time ();

  *n_packets = 0;
  _ts_itm_reader_init (reader, TS_ITM_STRICT, count_packets, n_packets);
  for (guint at = 0; at < bytes->len; at += CHUNK)
    _ts_itm_reader_push (reader, bytes->data + at, MIN (CHUNK, bytes->len - at));
  _ts_itm_reader_finish (reader);
  return MAX (thread_time () - begin, 1) / 1e6;
}

static double
time_events (const GByteArray *bytes, guint64 *n_events)
{
  CountingSink sink = { { &counting_iface }, 0, 0 };
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("itm:sync=strict", &sink.parent, NULL, NULL);
  guint64 begin = thread_time ();

  for (guint at = 0; at < bytes->len; at += CHUNK)
    ts_decoder_push (decoder, 0, bytes->data + at, MIN (CHUNK, bytes->len - at));
  ts_decoder_flush (decoder);
  *n_events = sink.n_events;
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->corrupt_bytes, ==, 0);
  return MAX (thread_time () - begin, 1) / 1e6;
}

static double
time_copy (const GByteArray *bytes, guint8 *to)
{
  guint64 begin = thread_time ();

  for (guint at = 0; at < bytes->len; at += CHUNK)
    {
      memcpy (to, bytes->data + at, MIN (CHUNK, bytes->len - at));
      __asm__ volatile("" : : "r"(to) : "memory");
    }
  return MAX (thread_time () - begin, 1) / 1e6;
}

int
main (void)
{
  g_autoptr (GByteArray) bytes = make_stream ();
  g_autofree guint8 *to = g_malloc (CHUNK);
  double best[4] = { G_MAXDOUBLE, G_MAXDOUBLE, G_MAXDOUBLE, G_MAXDOUBLE };
  double mb = bytes->len / 1e6;
  guint64 n_pumped = 0;
  guint64 n_packets = 0;
  guint64 n_events = 0;

  for (guint i = 0; i < ROUNDS; i++)
    {
      best[0] = MIN (best[0], time_copy (bytes, to));
      best[1] = MIN (best[1], time_pump (bytes, &n_pumped));
      best[2] = MIN (best[2], time_packets (bytes, &n_packets));
      best[3] = MIN (best[3], time_events (bytes, &n_events));
    }
  g_assert_cmpuint (n_packets, ==, n_pumped);
  printf ("itm, memcpy of the same bytes\t%.0f\tMB/s\n", mb / best[0]);
  printf ("itm, a plain pump byte by byte\t%.1f\tMB/s\n", mb / best[1]);
  printf ("itm, bytes to packets\t%.1f\tMB/s\t>= %d\t%.1f of the pump, %.4f of memcpy\n",
          mb / best[2], PACKETS_MB_S, best[1] / best[2], best[0] / best[2]);
  printf ("itm, bytes to events\t%.1f\tMB/s\t>= %d\t%.2f M events/s, %.1f of the pump, %.4f of "
          "memcpy\n",
          mb / best[3], EVENTS_MB_S, n_events / best[3] / 1e6, best[1] / best[3],
          best[0] / best[3]);
  return 0;
}
