/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The demo target: the same bytes for a seed, sound packets, the rate asked for, and what the
 * timeline is meant to show. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "capture/ts-demo-target.h"

/* What a plain walk over the packets finds. Made from the length table of viewalyzer-wire.md
 * section 8.1, not from the decoder. */
typedef struct
{
  guint64 n_packets;
  guint64 n_events;
  guint64 n_markers;
  guint64 n_code[256];
  guint32 sequence;
  guint32 last_time;
  guint64 time;
  guint64 idle_ticks;
  guint64 isr_ticks;
  guint n_tasks;
  guint n_inversions;
  guint deepest_isr;
} Walk;

static guint
packet_length (const guint8 *p)
{
  switch (p[0] & 0x7F)
    {
    case 0x01:
    case 0x02:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x0B:
    case 0x12:
    case 0x13:
    case 0x15:
    case 0x77:
      return 7;
    case 0x0A: case 0x7E:
      return 8;
    case 0x0C:
      return 9;
    case 0x04:
    case 0x0E:
    case 0x0F:
    case 0x10:
    case 0x11:
    case 0x14:
    case 0x16:
    case 0x17:
    case 0x18:
    case 0x19:
      return 11;
    case 0x05:
      return 12;
    case 0x09: case 0x1A: case 0x1B: case 0x1C: case 0x1E:
      return 15;
    case 0x03:
    case 0x1D:
    case 0x1F:
    case 0x20:
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24:
    case 0x25:
      return 19;
    case 0x0D:
      return 9u + p[7] + 256u * p[8];
    case 0x72:
      return 5u + p[4];
    case 0x79:
      return 8u + p[7];
    case 0x70:
    case 0x71:
    case 0x73:
    case 0x74:
    case 0x75:
    case 0x76:
    case 0x78:
    case 0x7A:
    case 0x7B:
    case 0x7C:
    case 0x7D:
    case 0x7F:
      return 4u + p[3];
    default:
      g_error ("code %02x is not assigned", p[0]);
    }
}

static guint32
read_u32 (const guint8 *p)
{
  return p[0] | (guint32) p[1] << 8 | (guint32) p[2] << 16 | (guint32) p[3] << 24;
}

static void
walk_packets (const guint8 *bytes,
              gsize n_bytes,
              Walk *walk)
{
  static const guint8 marker[12]
      = { 0x56, 0x41, 0x5A, 1, 0x53, 0x59, 0x4E, 0x43, 0x30, 0x31, 0xAA, 0x55 };
  guint64 idle_since = 0;
  guint64 isr_since = 0;
  guint64 isr_in_idle = 0;
  gboolean is_idle = FALSE;
  gboolean control_waits = FALSE;
  guint depth = 0;
  guint8 running = 0;
  gsize at = 0;

  while (at < n_bytes)
    {
      const guint8 *p = bytes + at;
      guint8 code = p[0] & 0x7F;
      guint length;

      if (p[0] == 0x56)
        {
          g_assert_cmpuint (at + 12, <=, n_bytes);
          g_assert_cmpmem (p, 12, marker, 12);
          walk->n_markers++;
          at += 12;
          continue;
        }
      length = packet_length (p);
      g_assert_cmpuint (at + length, <=, n_bytes);
      g_assert_cmpuint (p[1], ==, walk->sequence & 0xFF);
      walk->n_packets++;
      walk->n_code[p[0]]++;
      if (code < 0x70)
        {
          guint32 time = read_u32 (p + (code == 0x05 ? 4 : code == 0x0C ? 5 : 3));

          g_assert_cmpuint (time - walk->last_time, <, 0x10000000);
          walk->time += time - walk->last_time;
          walk->last_time = time;
          walk->n_events++;
          if (code == 0x16)
            g_assert_cmpuint (read_u32 (p + 7), ==, walk->sequence);
        }
      walk->sequence++;
      if (p[0] == 0x82 && depth++ == 0)
        isr_since = walk->time;
      if (p[0] == 0x02)
        {
          g_assert_cmpuint (depth, >, 0);
          if (--depth == 0)
            {
              walk->isr_ticks += walk->time - isr_since;
              if (is_idle)
                isr_in_idle += walk->time - isr_since;
            }
        }
      walk->deepest_isr = MAX (walk->deepest_isr, depth);
      if (p[0] == 0x81)
        {
          g_assert_cmpuint (depth, ==, 0);
          running = p[2];
          if (running == 1)
            control_waits = FALSE;
          /* Control (1) waits for the mutex that Storage (7) holds, and somebody in between runs.
           */
          if (control_waits && running >= 3 && running <= 6)
            walk->n_inversions++;
          if (running == 8)
            {
              is_idle = TRUE;
              idle_since = walk->time;
              isr_in_idle = 0;
            }
        }
      if (p[0] == 0x01)
        {
          g_assert_cmpuint (p[2], ==, running);
          if (is_idle)
            walk->idle_ticks += walk->time - idle_since - isr_in_idle;
          is_idle = FALSE;
        }
      if (p[0] == 0x0C)
        {
          g_assert_cmpuint (p[3], ==, 1);
          g_assert_cmpuint (p[4], ==, 7);
          control_waits = TRUE;
        }
      at += length;
    }
}

static GByteArray *
run_for (guint32 seed,
         guint rate,
         gboolean cobs,
         gint64 us,
         gsize max_bytes,
         guint64 *n_events)
{
  g_autoptr (TsDemoTarget) target = ts_demo_target_new (seed, rate, cobs);
  GByteArray *out = g_byte_array_new ();

  while (ts_demo_target_get_time_us (target) < us)
    ts_demo_target_run (target, us, max_bytes, out);
  if (n_events != NULL)
    *n_events = ts_demo_target_get_n_events (target);
  return out;
}

static void
test_seed (void)
{
  g_autoptr (GByteArray) a = run_for (7, 20000, FALSE, 1000000, G_MAXSIZE, NULL);
  g_autoptr (GByteArray) b = run_for (7, 20000, FALSE, 1000000, G_MAXSIZE, NULL);
  g_autoptr (GByteArray) c = run_for (8, 20000, FALSE, 1000000, G_MAXSIZE, NULL);

  g_assert_cmpmem (a->data, a->len, b->data, b->len);
  g_assert_false (a->len == c->len && memcmp (a->data, c->data, a->len) == 0);
}

/* However the bytes are asked for, they are the same, in whole packets and within the limit. */
static void
test_slicing (void)
{
  g_autoptr (GByteArray) whole = run_for (3, 50000, TRUE, 400000, G_MAXSIZE, NULL);
  g_autoptr (TsDemoTarget) target = ts_demo_target_new (3, 50000, TRUE);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  gboolean is_first = TRUE;
  gint64 until = 0;

  while (ts_demo_target_get_time_us (target) < 400000)
    {
      gsize limit = 5000 + (gsize) g_rand_int_range (random, 0, 9000);
      gsize before = out->len;
      gsize n;

      until = MIN (until + g_rand_int_range (random, 0, 900), 400000);
      n = ts_demo_target_run (target, until, limit, out);
      g_assert_cmpuint (n, ==, out->len - before);
      if (!is_first)
        g_assert_cmpuint (n, <=, limit);
      g_assert_true (n == 0 || out->data[out->len - 1] == 0);
      is_first = FALSE;
    }
  g_assert_cmpmem (out->data, out->len, whole->data, whole->len);
}

/* A limit below one packet still gets on. */
static void
test_tiny_limit (void)
{
  g_autoptr (GByteArray) whole = run_for (3, 20000, FALSE, 20000, G_MAXSIZE, NULL);
  g_autoptr (GByteArray) tiny = run_for (3, 20000, FALSE, 20000, 1, NULL);

  g_assert_cmpmem (tiny->data, tiny->len, whole->data, whole->len);
}

static void
test_rate (gconstpointer data)
{
  guint rate = GPOINTER_TO_UINT (data);
  gint64 us = rate < 10000 ? 20000000 : 5000000;

  for (guint32 seed = 1; seed <= 4; seed++)
    {
      guint64 n_events;
      g_autoptr (GByteArray) out = run_for (seed, rate, FALSE, us, G_MAXSIZE, &n_events);
      Walk walk = { 0 };
      double got;
      double load;

      walk_packets (out->data, out->len, &walk);
      g_assert_cmpuint (walk.n_events, ==, n_events);
      got = (double) n_events * 1e6 / (double) us;
      load = 100.0 * (1.0 - (double) walk.idle_ticks / (double) walk.time);
      g_test_message (
          "seed %u rate %u: %.0f events/s, load %.1f %%, %.1f %% in interrupts, %u inversions",
          seed, rate, got, load, 100.0 * (double) walk.isr_ticks / (double) walk.time,
          walk.n_inversions);
      g_assert_cmpfloat (got, >, 0.9 * rate);
      g_assert_cmpfloat (got, <, 1.1 * rate);
      g_assert_cmpfloat (load, >, 50);
      g_assert_cmpfloat (load, <, 85);
      g_assert_cmpuint (walk.time, >, (guint64) us * 99);
      g_assert_cmpuint (walk.time, <=, (guint64) us * 100 + 1000000);
    }
}

static void
test_content (void)
{
  static const guint8 wanted[]
      = { 0x01, 0x81, 0x02, 0x82, 0x03, 0x04, 0x05, 0x85, 0x06, 0x86, 0x07, 0x87, 0x08,
          0x88, 0x09, 0x0A, 0x0B, 0x8B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x92,
          0x13, 0x93, 0x14, 0x94, 0x16, 0x17, 0x18, 0x98, 0x1B, 0x1C, 0x70, 0x71, 0x72,
          0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7E, 0x7F };
  g_autoptr (GByteArray) out = run_for (1, 20000, FALSE, 10000000, G_MAXSIZE, NULL);
  Walk walk = { 0 };

  walk_packets (out->data, out->len, &walk);
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (walk.n_code[wanted[i]] == 0)
      g_error ("no packet of type %02x in 10 s", wanted[i]);
  /* Marker of the prelude, and one bundle every 2 s. */
  g_assert_cmpuint (walk.n_markers, >=, 5);
  g_assert_cmpuint (walk.n_markers, <=, 6);
  g_assert_cmpuint (walk.n_inversions, >, 2);
  g_assert_cmpuint (walk.n_inversions, <, 200);
  g_assert_cmpuint (walk.deepest_isr, >=, 2);
}

static void
test_cobs (void)
{
  g_autoptr (GByteArray) raw = run_for (5, 20000, FALSE, 300000, G_MAXSIZE, NULL);
  g_autoptr (GByteArray) framed = run_for (5, 20000, TRUE, 300000, G_MAXSIZE, NULL);
  g_autoptr (GByteArray) undone = g_byte_array_new ();
  gsize at = 0;

  while (at < framed->len)
    {
      const guint8 *end = memchr (framed->data + at, 0, framed->len - at);
      gsize stop;

      g_assert_nonnull (end);
      stop = (gsize) (end - framed->data);
      while (at < stop)
        {
          guint8 code = framed->data[at];

          g_assert_cmpuint (at + code, <=, stop);
          g_byte_array_append (undone, framed->data + at + 1, code - 1u);
          at += code;
          if (code < 0xFF && at < stop)
            g_byte_array_append (undone, (const guint8 *) "", 1);
        }
      at = stop + 1;
    }
  g_assert_cmpmem (undone->data, undone->len, raw->data, raw->len);
}

static void
test_speed (void)
{
  g_autoptr (TsDemoTarget) target = NULL;
  g_autoptr (GByteArray) out = NULL;
  gint64 begin;
  double seconds;

  if (!g_test_perf ())
    {
      g_test_skip ("a measurement; run with -m perf");
      return;
    }
  target = ts_demo_target_new (1, 500000, FALSE);
  out = g_byte_array_sized_new (1 << 20);
  begin = g_get_monotonic_time ();
  while (ts_demo_target_get_n_events (target) < 10000000)
    {
      g_byte_array_set_size (out, 0);
      ts_demo_target_run (target, G_MAXINT64, 1 << 20, out);
    }
  seconds = (double) (g_get_monotonic_time () - begin) / 1e6;
  g_test_maximized_result ((double) ts_demo_target_get_n_events (target) / seconds / 1e6,
                           "%.1f M events/s",
                           (double) ts_demo_target_get_n_events (target) / seconds / 1e6);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/capture/demo-target/seed", test_seed);
  g_test_add_func ("/capture/demo-target/slicing", test_slicing);
  g_test_add_func ("/capture/demo-target/tiny-limit", test_tiny_limit);
  g_test_add_data_func ("/capture/demo-target/rate/1000", GUINT_TO_POINTER (1000), test_rate);
  g_test_add_data_func ("/capture/demo-target/rate/20000", GUINT_TO_POINTER (20000), test_rate);
  g_test_add_data_func ("/capture/demo-target/rate/100000", GUINT_TO_POINTER (100000), test_rate);
  g_test_add_data_func ("/capture/demo-target/rate/500000", GUINT_TO_POINTER (500000), test_rate);
  g_test_add_func ("/capture/demo-target/content", test_content);
  g_test_add_func ("/capture/demo-target/cobs", test_cobs);
  g_test_add_func ("/capture/demo-target/speed", test_speed);

  return g_test_run ();
}
