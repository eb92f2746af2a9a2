/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-drain.c: the recorder's ring read through a TsProbe whose memory is in this process.
 *
 * Behind the probe lies a live ring that is as full as the rate and the time say, and never ends:
 * its bytes are a real capture, repeated. Three questions: what draining at 700 KiB/s costs this
 * processor; how fast bytes go from the ring to events when the probe costs nothing; and, with a
 * probe that takes the time of an STLINK-V3, how near its ceiling the protocol comes.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "capture/ts-ring-drain-private.h"
#include "decode/ts-decoder.h"

#include "counting-sink.h"

#define RAM 0x20000000u
#define RAM_SIZE 0x20000u
#define BLOCK_AT 0x4CCu
#define RING_AT 0x14A9u
#define BLOCK_LEN 48
#define MAX_READ 6144
#define RATE (700 * 1024)
#define RATE_SECONDS 3
#define FULL_BYTES (64u * 1024 * 1024)
#define V3_BYTES (16u * 1024 * 1024)
#define POLL_US 2000
/* STLINK-V3: 6 microseconds for a word, 1.5 for a byte, is what its firmware takes (probes.md section
 * 3); a command and its answer cross a high-speed bus in two microframes of 125 microseconds. */
#define V3_TRIP_NS 250000
#define V3_BYTE_NS 1500
#define V3_CEILING_KB_S 640

typedef struct
{
  TsProbe parent;
  const guint8 *stream;
  gsize n_stream;
  guint32 ring_size;
  guint64 n_written; /* bytes since the beginning */
  guint64 n_read;
  guint rate; /* 0: the ring is always full */
  gint64 begin_us;
  guint64 busy_ns; /* of an STLINK-V3 */
  guint64 n_commands;
} FakeProbe;

/* ---- the probe ---- */

static void
put_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

/* What a real probe would be busy for; nobody sleeps, so that the machine's clock has no part in it. */
static void
spend (FakeProbe *self, guint n_trips, gsize n_bytes)
{
  self->parent.counters.n_trips += n_trips;
  self->busy_ns += (guint64) n_trips * V3_TRIP_NS + (guint64) n_bytes * V3_BYTE_NS;
  self->n_commands++;
}

static void
fill_ring (FakeProbe *self)
{
  guint64 most = self->n_read + self->ring_size - 1;

  if (self->rate == 0)
    self->n_written = most;
  else
    self->n_written = MIN ((guint64) (g_get_monotonic_time () - self->begin_us) * self->rate
                               / G_USEC_PER_SEC,
                           most);
}

static void
make_block (FakeProbe *self, guint8 *block)
{
  memset (block, 0, BLOCK_LEN);
  memcpy (block, "ViewAlyzerRB01", 14);
  put_u32 (block + 16, RAM + RING_AT);
  put_u32 (block + 20, self->ring_size);
  put_u32 (block + 24, (guint32) (self->n_written % self->ring_size));
  put_u32 (block + 28, (guint32) (self->n_read % self->ring_size));
  put_u32 (block + 40, 25000000);
  block[44] = 1;
  block[45] = 4;
  block[47] = 1;
}

/* What lies at @at of the ring: the byte of the stream that was written there last. */
static void
copy_ring (FakeProbe *self, guint32 at, guint8 *bytes, gsize n_bytes)
{
  guint64 begin = self->n_read - self->n_read % self->ring_size + at;

  if (at < self->n_read % self->ring_size)
    begin += self->ring_size;
  while (n_bytes > 0)
    {
      gsize from = (gsize) (begin % self->n_stream);
      gsize n = MIN (n_bytes, self->n_stream - from);

      memcpy (bytes, self->stream + from, n);
      bytes += n;
      begin += n;
      n_bytes -= n;
    }
}

/* Bytes of target memory as they are now. */
static void
load (FakeProbe *self, guint32 address, guint8 *bytes, gsize n_bytes)
{
  guint8 block[BLOCK_LEN];
  guint32 at = address - RAM;

  make_block (self, block);
  for (gsize i = 0; i < n_bytes;)
    {
      guint32 here = at + (guint32) i;
      gsize n = n_bytes - i;

      if (here >= BLOCK_AT && here < BLOCK_AT + BLOCK_LEN)
        {
          n = MIN (n, BLOCK_AT + BLOCK_LEN - here);
          memcpy (bytes + i, block + (here - BLOCK_AT), n);
        }
      else if (here >= RING_AT && here < RING_AT + self->ring_size)
        {
          guint32 rd = (guint32) (self->n_read % self->ring_size);

          /* before the read offset lies what comes a round later */
          n = MIN (n, (here - RING_AT < rd ? RING_AT + rd : RING_AT + self->ring_size) - here);
          copy_ring (self, here - RING_AT, bytes + i, n);
        }
      else
        {
          n = 1;
          bytes[i] = 0;
        }
      i += n;
    }
}

/* Nothing is ever written but the read offset. */
static void
store (FakeProbe *self, guint32 address, guint32 value)
{
  g_assert_cmphex (address, ==, RAM + BLOCK_AT + TS_VA_BLOCK_READ_OFFSET_AT);
  self->n_read += (value + self->ring_size - self->n_read % self->ring_size) % self->ring_size;
}

static gboolean
fake_read_words (TsProbe *probe, guint32 address, guint8 *bytes, gsize n_bytes, GError **error)
{
  FakeProbe *self = (FakeProbe *) probe;

  spend (self, 2, n_bytes); /* the memory and its status */
  fill_ring (self);
  load (self, address, bytes, n_bytes);
  return TRUE;
}

static gboolean
fake_write_word (TsProbe *probe, guint32 address, guint32 value, GError **error)
{
  spend ((FakeProbe *) probe, 2, 4);
  store ((FakeProbe *) probe, address, value);
  return TRUE;
}

static gboolean
fake_run_batch (TsProbe *probe, TsProbeAccess *accesses, gsize n_accesses, GError **error)
{
  FakeProbe *self = (FakeProbe *) probe;

  spend (self, 2, 4 * n_accesses); /* the batch and its results */
  fill_ring (self);
  for (gsize i = 0; i < n_accesses; i++)
    if (accesses[i].is_write)
      store (self, accesses[i].address, accesses[i].value);
    else
      {
        guint32 word;

        load (self, accesses[i].address, (guint8 *) &word, sizeof word);
        accesses[i].value = GUINT32_FROM_LE (word);
      }
  return TRUE;
}

static void
fake_close (TsProbe *probe)
{
  g_free (probe);
}

static const TsProbeClass fake_class = {
  .type = "fake",
  .max_read = MAX_READ,
  .read_words = fake_read_words,
  .write_word = fake_write_word,
  .max_batch = 64,
  .run_batch = fake_run_batch,
  .close = fake_close,
};

/* ---- measuring ---- */

static gint64
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

typedef struct
{
  double wall_s;
  double cpu_s;
  guint64 n_bytes;
  guint64 n_events;
  guint64 n_polls;
  TsProbeCounters counters;
  double busy_s;
  guint64 n_commands;
} Figures;

/* Drains until @n_bytes came or @seconds have passed, as the source does; with @is_decoding every
 * byte becomes events. */
static Figures
drain (GBytes *stream,
       guint32 ring_size,
       guint rate,
       gboolean is_decoding,
       guint64 n_bytes,
       guint seconds)
{
  FakeProbe *probe = g_new0 (FakeProbe, 1);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  CountingSink sink = { { &counting_iface }, 0, 0 };
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("va", &sink.parent, NULL, NULL);
  TsTargetMemory memory
      = { .probe = &probe->parent, .scan_start = RAM, .scan_size = RAM_SIZE };
  TsRingDrain ring = { .memory = &memory };
  g_autoptr (GArray) rings = NULL;
  Figures f = { 0 };
  gint64 begin_us, begin_cpu;

  probe->parent.klass = &fake_class;
  probe->stream = g_bytes_get_data (stream, &probe->n_stream);
  probe->ring_size = ring_size;
  probe->rate = rate;
  rings = _ts_ring_scan (&ring, NULL);
  g_assert_cmpuint (rings->len, ==, 1);
  _ts_ring_drain_choose (&ring, &g_array_index (rings, TsTargetRing, 0));

  memset (&probe->parent.counters, 0, sizeof probe->parent.counters);
  probe->busy_ns = 0;
  probe->n_commands = 0;
  ring.n_looks = 0;
  probe->begin_us = begin_us = g_get_monotonic_time ();
  begin_cpu = thread_time ();
  while (ring.n_bytes < n_bytes
         && g_get_monotonic_time () - begin_us < (gint64) seconds * G_USEC_PER_SEC)
    {
      TsDrainResult result;

      g_byte_array_set_size (out, 0);
      g_assert_true (_ts_ring_drain_step (&ring, out, &result, NULL));
      if (is_decoding)
        ts_decoder_push (decoder, 0, out->data, out->len);
      if (result == TS_DRAIN_BYTES)
        g_assert_true (_ts_ring_drain_release (&ring, out->len > ring_size / 4, NULL));
      if (rate != 0 && out->len <= ring_size / 4)
        g_usleep (POLL_US);
    }
  f.cpu_s = MAX (thread_time () - begin_cpu, 1) / 1e6;
  f.wall_s = (g_get_monotonic_time () - begin_us) / 1e6;
  f.n_bytes = ring.n_bytes;
  f.n_events = sink.n_events;
  f.n_polls = ring.n_looks;
  f.counters = probe->parent.counters;
  f.busy_s = probe->busy_ns / 1e9;
  f.n_commands = MAX (probe->n_commands, 1);
  if (is_decoding)
    g_assert_cmpuint (ts_decoder_get_counters (decoder)->lost_packets, ==, 0);
  ts_probe_close (&probe->parent);
  return f;
}

static void
measure_rate (GBytes *stream)
{
  Figures f = drain (stream, 16384, RATE, FALSE, G_MAXUINT64, RATE_SECONDS);

  printf ("drain at 700 KiB/s, of one core\t%.2f\t%%\t<= 10\t%.0f KiB/s came, %.0f looks a second, "
          "%.0f bytes a look\n",
          100 * f.cpu_s / f.wall_s, f.n_bytes / 1024.0 / f.wall_s, f.n_polls / f.wall_s,
          (double) f.n_bytes / f.n_polls);
}

static void
measure_full (GBytes *stream)
{
  Figures bare = drain (stream, 16384, 0, FALSE, FULL_BYTES, 60);
  Figures f = drain (stream, 16384, 0, TRUE, FULL_BYTES, 60);

  printf ("ring to bytes, probe at no cost\t%.1f\tMB/s\n", bare.n_bytes / 1e6 / bare.cpu_s);
  printf ("ring to events, probe at no cost\t%.1f\tMB/s\t>= 7\t%.2f M events/s\n",
          f.n_bytes / 1e6 / f.cpu_s, f.n_events / f.cpu_s / 1e6);
}

/* The probe's time is computed, the host's is measured; both make the rate. The arithmetic is
 * printed with it. */
static void
measure_v3 (GBytes *stream, guint32 ring_size)
{
  Figures f = drain (stream, ring_size, 0, FALSE, V3_BYTES, 60);
  double trips = (double) f.counters.n_trips / f.n_polls;
  double bytes = (double) f.n_bytes / f.n_polls;
  double cycle_ms = trips * V3_TRIP_NS / 1e6 + (bytes + BLOCK_LEN + 4) * V3_BYTE_NS / 1e6;

  printf ("STLINK-V3, ring of %u KiB\t%.0f\tkB/s\t\tof %d; %.1f trips x %.2f ms + %.0f bytes x %.1f us "
          "= %.2f ms for %.0f bytes\n",
          ring_size / 1024, f.n_bytes / 1e3 / (f.busy_s + f.cpu_s), V3_CEILING_KB_S, trips,
          V3_TRIP_NS / 1e6, bytes + BLOCK_LEN + 4, V3_BYTE_NS / 1e3, cycle_ms, bytes);
  printf ("  bytes a round trip\t%.0f\tbytes\n", (double) f.n_bytes / f.counters.n_trips);
  printf ("  probe idle between commands\t%.2f\tus\t\t%.4f %% of the time\n",
          f.cpu_s * 1e6 / f.n_commands, 100 * f.cpu_s / (f.busy_s + f.cpu_s));
}

int
main (void)
{
  const char *own = g_getenv ("TASKSCOPE_TEST_DATA");
  g_autofree char *path
      = g_build_filename (own != NULL ? own : "tests/data", "m4_short.raw", NULL);
  g_autoptr (GBytes) stream = NULL;
  char *bytes;
  gsize n;

  if (!g_file_get_contents (path, &bytes, &n, NULL))
    {
      printf ("no capture to measure with\n");
      return 77;
    }
  stream = g_bytes_new_take (bytes, n);
  measure_rate (stream);
  measure_full (stream);
  measure_v3 (stream, 8192);
  measure_v3 (stream, 65536);
  return 0;
}
