/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-decode.c: wire bytes to events on one core, into a sink that only counts.
 *
 * The bytes are a real capture, repeated: each repetition begins with SES:START, as after a reset
 * of the target. A memcpy of the same bytes, in pieces of the same size, stands beside each figure;
 * the best of several rounds counts on both sides.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "decode/ts-cobs.h"
#include "decode/ts-decoder.h"

#include "counting-sink.h"

#define CHUNK 65536
#define LEAST_BYTES (64 * 1024 * 1024)
#define ROUNDS 5
#define TARGET_MB_S 120

/* A capture from the larger set, else the small one in the source tree. */
static GByteArray *
load (const char *large, const char *small)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  const char *own = g_getenv ("TASKSCOPE_TEST_DATA");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "../shared", "data", "viewalyzer", large, NULL);
  char *bytes;
  gsize n;

  if (!g_file_get_contents (path, &bytes, &n, NULL))
    {
      g_free (path);
      path = g_build_filename (own != NULL ? own : "tests/data", small, NULL);
      if (!g_file_get_contents (path, &bytes, &n, NULL))
        return NULL;
    }
  return g_byte_array_new_take ((guint8 *) bytes, n);
}

/* The packets of a COBS stream without their frames. */
static GByteArray *
strip_frames (const GByteArray *frames)
{
  GByteArray *raw = g_byte_array_new ();
  guint at = 0;

  while (at < frames->len)
    {
      const guint8 *zero = memchr (frames->data + at, 0, frames->len - at);
      guint8 packet[2048];
      gssize n;

      if (zero == NULL)
        break;
      n = ts_cobs_decode (frames->data + at, (gsize) (zero - frames->data) - at, packet,
                          sizeof packet);
      if (n > 0)
        g_byte_array_append (raw, packet, (guint) n);
      at = (guint) (zero - frames->data) + 1;
    }
  return raw;
}

static GByteArray *
repeat (const GByteArray *once)
{
  GByteArray *all = g_byte_array_new ();

  while (all->len < LEAST_BYTES)
    g_byte_array_append (all, once->data, once->len);
  return all;
}

/* Processor time of this thread in microseconds: what other programs take is not measured. */
static gint64
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static double
time_copy (const GByteArray *bytes, guint8 *to)
{
  gint64 begin = thread_time ();

  for (guint at = 0; at < bytes->len; at += CHUNK)
    {
      memcpy (to, bytes->data + at, MIN (CHUNK, bytes->len - at));
      __asm__ volatile("" : : "r"(to) : "memory");
    }
  return MAX (thread_time () - begin, 1) / 1e6;
}

static double
time_decode (const char *format,
             const GByteArray *bytes,
             guint64 *n_events,
             TsDecodeCounters *counters)
{
  CountingSink sink = { { &counting_iface }, 0, 0 };
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &sink.parent, NULL, NULL);
  gint64 begin = thread_time ();
  double seconds;

  for (guint at = 0; at < bytes->len; at += CHUNK)
    ts_decoder_push (decoder, 0, bytes->data + at, MIN (CHUNK, bytes->len - at));
  ts_decoder_flush (decoder);
  seconds = MAX (thread_time () - begin, 1) / 1e6;
  *n_events = sink.n_events;
  *counters = *ts_decoder_get_counters (decoder);
  return seconds;
}

static void
measure (const char *format, const GByteArray *bytes)
{
  g_autofree guint8 *to = g_malloc (CHUNK);
  double copy = G_MAXDOUBLE;
  double decode = G_MAXDOUBLE;
  guint64 n_events = 0;
  TsDecodeCounters counters;
  double mb = bytes->len / 1e6;

  for (guint i = 0; i < ROUNDS; i++)
    {
      copy = MIN (copy, time_copy (bytes, to));
      decode = MIN (decode, time_decode (format, bytes, &n_events, &counters));
    }
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  printf ("%s, memcpy of the same bytes\t%.0f\tMB/s\n", format, mb / copy);
  printf ("%s, wire bytes to events\t%.1f\tMB/s\t>= %d\t%.2f M events/s, %.1f bytes per event, "
          "%.4f of memcpy\n",
          format, mb / decode, TARGET_MB_S, n_events / decode / 1e6, (double) bytes->len / n_events,
          copy / decode);
}

int
main (void)
{
  g_autoptr (GByteArray) frames = load ("m4_long_wrap.cobs", "m4_short.cobs");
  g_autoptr (GByteArray) raw = NULL;
  g_autoptr (GByteArray) many_frames = NULL;
  g_autoptr (GByteArray) many_raw = NULL;

  if (frames == NULL)
    {
      printf ("no capture to measure with\n");
      return 77;
    }
  raw = strip_frames (frames);
  many_frames = repeat (frames);
  many_raw = repeat (raw);
  measure ("va", many_raw);
  measure ("va-cobs", many_frames);
  return 0;
}
