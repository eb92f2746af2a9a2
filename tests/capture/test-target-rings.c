/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-target-rings.c: rings in target RAM through a probe in the same process: found, attached to,
 * drained, and not believed. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "../decode/collect-sink.h"
#include "capture/ts-connection-private.h"
#include "capture/ts-metadata-attach-private.h"
#include "capture/ts-ring-find-private.h"
#include "capture/ts-ring-pace-private.h"
#include "capture/ts-source.h"
#include "target-fixture.h"

#define CONFIG "{\"transport\": \"stlink-rambuf\", \"no-reset\": true, \"rambuf-scan-size\": 65536}"

static TsFoundHow
find_at (TsRingFinder *finder,
         gint64 now_us)
{
  g_autoptr (GError) error = NULL;
  TsFoundHow how;

  _ts_ring_finder_step (finder, now_us, &how, &error);
  g_assert_no_error (error);

  return how;
}

/* Of two rings the one that is written to is taken; one that an earlier firmware left is not. */
static void
test_stale (void)
{
  Host host;
  TsRingFinder finder;
  gboolean has_changed = TRUE;
  guint n_accesses;

  host_init (&host, FALSE, CONFIG);
  put_block (host.fake, BLOCK, RING, 512, 0);
  write_ring (host.fake, BLOCK, (const guint8 *) "old", 3);
  _ts_ring_finder_init (&finder, &host.drain, host.connection);
  g_assert_true (_ts_ring_finder_note_before (&finder, NULL));

  /* after the reset: the old one is as it was, and the new one comes */
  g_assert_cmpint (find_at (&finder, 1000), ==, TS_FOUND_NOT);
  put_block (host.fake, OTHER, RING + 0x1000, 512, 0);
  g_assert_cmpint (find_at (&finder, 50000), ==, TS_FOUND_NOT);
  g_assert_cmpint (find_at (&finder, 400000), ==, TS_FOUND_BY_SCAN);
  g_assert_cmphex (host.drain.ring.block, ==, OTHER);
  _ts_ring_finder_clear (&finder);

  /* the same firmware boots: its block is made anew where it was, which a look or two find */
  memset (host.fake->ram + (OTHER - FAKE_BASE), 0, 48);
  _ts_ring_finder_init (&finder, &host.drain, host.connection);
  g_assert_true (_ts_ring_finder_note_before (&finder, NULL));
  n_accesses = host.fake->n_accesses;
  g_assert_cmpint (find_at (&finder, 1000), ==, TS_FOUND_NOT);
  put_block (host.fake, BLOCK, RING, 512, 0);
  g_assert_cmpint (find_at (&finder, 21000), ==, TS_FOUND_BY_SCAN);
  g_assert_cmphex (host.drain.ring.block, ==, BLOCK);
  g_assert_cmpuint (host.fake->n_accesses - n_accesses, ==, 2);
  write_ring (host.fake, BLOCK, (const guint8 *) "old", 3);
  _ts_ring_finder_clear (&finder);

  /* without a reset: alone it is taken, and left for one that lives */
  memset (host.fake->ram + (OTHER - FAKE_BASE), 0, 48);
  _ts_ring_finder_init (&finder, &host.drain, host.connection);
  g_assert_cmpint (find_at (&finder, 1000), ==, TS_FOUND_BY_SCAN);
  g_assert_cmphex (host.drain.ring.block, ==, BLOCK);
  put_block (host.fake, OTHER, RING + 0x1000, 512, 0);
  g_assert_true (_ts_ring_finder_look_for_another (&finder, &has_changed, NULL));
  g_assert_true (has_changed);
  g_assert_cmphex (host.drain.ring.block, ==, OTHER);
  g_assert_true (_ts_ring_finder_look_for_another (&finder, &has_changed, NULL));
  g_assert_false (has_changed);
  _ts_ring_finder_clear (&finder);

  /* two at once: the one that is written to between two looks */
  _ts_ring_finder_init (&finder, &host.drain, host.connection);
  g_assert_cmpint (find_at (&finder, 1000), ==, TS_FOUND_NOT);
  write_ring (host.fake, OTHER, (const guint8 *) "new", 3);
  g_assert_cmpint (find_at (&finder, 21000), ==, TS_FOUND_BY_SCAN);
  g_assert_cmphex (host.drain.ring.block, ==, OTHER);
  _ts_ring_finder_clear (&finder);
  g_assert_cmpuint (host.fake->n_outside, ==, 0);
  g_assert_cmpuint (host.fake->writes->len, ==, 0);
  host_clear (&host);
}

/* An address that is wrong is told, and the ring found all the same. */
static void
test_wrong_address (void)
{
  Host host;
  TsRingFinder finder;

  host_init (&host, FALSE,
             "{\"transport\": \"stlink-rambuf\", \"rambuf-scan-size\": 65536, \"rambuf-address\": "
             "\"0x20000040\"}");
  put_block (host.fake, BLOCK, RING, 512, 0);
  _ts_ring_finder_init (&finder, &host.drain, host.connection);
  g_assert_cmpint (find_at (&finder, 1000), ==, TS_FOUND_NOT);
  g_assert_cmpint (find_at (&finder, 3000000), ==, TS_FOUND_BY_SCAN);
  g_assert_nonnull (strstr (finder.problem, "0x20000040"));
  g_assert_nonnull (strstr (finder.problem, "0x20000100"));
  _ts_ring_finder_clear (&finder);
  host_clear (&host);
}

/* Where @block is found by looking through all of RAM once; 0: nowhere. */
static guint32
scan_for (Host *host,
          GError **error)
{
  g_autoptr (GArray) rings = _ts_ring_scan (&host->drain, error);

  return rings != NULL && rings->len > 0 ? g_array_index (rings, TsTargetRing, 0).block : 0;
}

/* Memory is looked through behind what cannot be read: a hole, and a moment in which the core
 * slept; and up to the last word before its end. */
static void
test_scan_goes_on (void)
{
  /* from and to where there is no memory; where the block is */
  static const guint32 holes[][3] = { { 0x3000, 0x5000, 0x8000 }, { 0x3400, 0x8000, 0x8000 },
                                      { 0, 0x1000, 0x1000 },      { 0x5800, 0x10000, 0x57C4 },
                                      { 0x5000, 0x10000, 0x4FD0 }, { 0x2000, 0x2004, 0x1FD0 } };
  Host host;
  guint n_accesses;

  for (guint i = 0; i < G_N_ELEMENTS (holes); i++)
    {
      g_autoptr (GError) error = NULL;
      guint32 block = FAKE_BASE + holes[i][2];

      host_init (&host, FALSE, CONFIG);
      host.fake->hole_start = FAKE_BASE + holes[i][0];
      host.fake->hole_end = FAKE_BASE + holes[i][1];
      put_block (host.fake, block, RING, 512, 0);
      g_assert_cmphex (scan_for (&host, &error), ==, block);
      g_assert_no_error (error);
      host_clear (&host);
    }

  /* every access in turn fails, and some behind it: nothing begins from the start again */
  host_init (&host, FALSE, CONFIG);
  put_block (host.fake, FAKE_BASE + 0xF000, RING, 512, 0);
  g_assert_cmphex (scan_for (&host, NULL), ==, FAKE_BASE + 0xF000);
  n_accesses = host.fake->n_accesses;
  for (guint i = 0; i < n_accesses; i++)
    {
      guint before = host.fake->n_accesses;

      host.fake->fail_from = before + i;
      host.fake->n_fail = 3;
      g_assert_cmphex (scan_for (&host, NULL), ==, FAKE_BASE + 0xF000);
      g_assert_cmpuint (host.fake->n_accesses - before, <=, n_accesses + 20);
    }

  /* nothing at all can be read: that is told */
  {
    g_autoptr (GError) error = NULL;

    host.fake->hole_start = FAKE_BASE;
    host.fake->hole_end = FAKE_BASE + FAKE_SIZE;
    g_assert_cmphex (scan_for (&host, &error), ==, 0);
    g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
  }
  g_assert_cmpuint (host.fake->n_outside, ==, 0);
  host_clear (&host);
}

/* Whether every byte arrives whatever the probe can, and nothing but read offsets is written. */
static void
check_drain (gboolean has_batch,
             gboolean does_fail)
{
  Host host;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint8 next = 1;
  TsTargetRing ring;
  gboolean is_sane = FALSE;

  host_init (&host, has_batch, CONFIG);
  put_block (host.fake, BLOCK, RING, 256, 1);
  g_assert_true (_ts_ring_look (&host.drain, BLOCK, &ring, &is_sane, NULL));
  g_assert_true (is_sane);
  _ts_ring_drain_choose (&host.drain, &ring);
  for (guint i = 0; i < 400; i++)
    {
      TsDrainResult result;
      gsize before = out->len;

      while (get_free (host.fake, BLOCK) > 0 && i % 3 != 0)
        write_ring (host.fake, BLOCK, &(guint8){ next++ }, 1);
      if (does_fail && i % 7 == 3)
        {
          host.fake->fail_from = host.fake->n_accesses + i % 5;
          host.fake->n_fail = 1;
        }
      if (!_ts_ring_drain_step (&host.drain, out, &result, NULL))
        {
          g_assert_true (does_fail);
          g_assert_cmpuint (out->len, ==, before);
        }
      else if (result == TS_DRAIN_BYTES
               && !_ts_ring_drain_release (&host.drain, i % 2 == 0, NULL))
        g_assert_true (does_fail);
      else
        g_assert_cmpint (result, !=, TS_DRAIN_RESTARTED);
    }
  g_assert_cmpuint (out->len, >, 10000);
  for (guint i = 0; i < out->len; i++)
    g_assert_cmpuint (out->data[i], ==, (guint8) (i + 1));
  for (guint i = 0; i < host.fake->writes->len; i++)
    g_assert_cmphex (g_array_index (host.fake->writes, TsProbeAccess, i).address, ==, BLOCK + 28);
  g_assert_cmpuint (host.fake->n_batches > 0, ==, has_batch);
  g_assert_cmpuint (host.fake->n_outside, ==, 0);
  host_clear (&host);
}

static void
test_drain (void)
{
  for (guint i = 0; i < 4; i++)
    check_drain ((i & 1) != 0, (i & 2) != 0);
}

/* A target that begins anew while a store is due gets its own read offset back. */
static void
test_restart_before_release (void)
{
  Host host;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  TsTargetRing ring;
  TsDrainResult result;
  gboolean is_sane = FALSE;

  host_init (&host, TRUE, CONFIG);
  put_block (host.fake, BLOCK, RING, 256, 0);
  g_assert_true (_ts_ring_look (&host.drain, BLOCK, &ring, &is_sane, NULL));
  _ts_ring_drain_choose (&host.drain, &ring);
  write_ring (host.fake, BLOCK, (const guint8 *) "first", 5);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_true (_ts_ring_drain_release (&host.drain, FALSE, NULL));
  write_ring (host.fake, BLOCK, (const guint8 *) "second", 6);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_true (_ts_ring_drain_release (&host.drain, TRUE, NULL));
  g_assert_cmpmem (out->data, out->len, "firstsecond", 11);

  put_block (host.fake, BLOCK, RING, 256, 0);
  write_ring (host.fake, BLOCK, (const guint8 *) "anew", 4);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpint (result, ==, TS_DRAIN_RESTARTING);
  g_assert_cmpuint (fake_memory_get (host.fake, BLOCK + 28), ==, 0);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpint (result, ==, TS_DRAIN_RESTARTED);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpmem (out->data, out->len, "firstsecondanew", 15);
  host_clear (&host);
}

/* ---- names in RAM ---- */

static TsAttachState
attach (Host *host,
        TsMetadataAttach *attach,
        gint64 step_us)
{
  g_autoptr (GError) error = NULL;
  TsTargetRing ring;
  gboolean is_sane = FALSE;

  g_assert_true (_ts_ring_look (&host->drain, BLOCK, &ring, &is_sane, NULL));
  g_assert_true (is_sane && ring.va.has_metadata);
  _ts_ring_drain_choose (&host->drain, &ring);
  _ts_metadata_attach_init (attach, &host->drain, 0, &error);
  g_assert_no_error (error);
  for (gint64 now_us = 0; attach->state == TS_ATTACH_WAITING && now_us < 10000 * step_us;
       now_us += step_us)
    {
      _ts_metadata_attach_step (attach, now_us, &error);
      g_assert_no_error (error);
    }

  return attach->state;
}

/* The table, then the stream from the target's own checkpoint, with nothing lost and nothing told
 * twice, even if the table changes meanwhile. */
static void
test_attach (void)
{
  for (guint n_changes = 0; n_changes < 3; n_changes++)
    {
      Host host;
      Recorder recorder;
      TsMetadataAttach state;
      g_autoptr (GByteArray) out = g_byte_array_new ();
      g_autoptr (CollectSink) sink = NULL;
      TsDecodeCounters counters;
      const TsObject *task;
      guint n_names;

      host_init (&host, FALSE, CONFIG);
      recorder_init (&recorder, host.fake);
      recorder.n_changes = n_changes;
      recorder.n_rounds = 40;
      for (guint i = 0; i < 10; i++) /* what lies in the ring before anybody looks */
        run_recorder (host.fake);
      g_assert_cmpint (attach (&host, &state, 1000), ==, TS_ATTACH_DONE);
      _ts_metadata_attach_take (&state, out, &n_names);
      g_assert_cmpuint (n_names, ==, 3);
      g_assert_cmpuint (state.n_discarded, >=, 10 * 11);
      g_assert_null (state.problem);
      while (recorder.n_rounds > 0)
        {
          TsDrainResult result;

          g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
          if (result == TS_DRAIN_BYTES)
            g_assert_true (_ts_ring_drain_release (&host.drain, FALSE, NULL));
        }

      sink = decode_bytes ("va", out->data, out->len, &counters);
      g_assert_cmpuint (counters.lost_packets, ==, 0);
      g_assert_cmpuint (counters.seq_gaps, ==, 0);
      g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
      g_assert_cmpuint (counters.skipped_bytes, ==, 0);
      g_assert_cmpuint (sink->hz, ==, 48000000);
      task = collect_sink_find (sink, TS_OBJECT_TASK, "main");
      g_assert_nonnull (task);
      g_assert_cmpint (task->priority, ==, 2);
      g_assert_cmpint (task->stack_bytes, ==, 512);
      g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_SEQ_CHECKPOINT), ==, 1);
      g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_TASK_SWITCH), ==, 1);

      /* the generation was written first, then the request */
      g_assert_cmpuint (host.fake->n_outside, ==, 0);
      for (guint i = 0; i < host.fake->writes->len; i++)
        {
          const TsProbeAccess *write = &g_array_index (host.fake->writes, TsProbeAccess, i);

          g_assert_true (write->address == BLOCK + 28 || write->address == META + 40
                         || write->address == META + 44);
          if (write->address == META + 40)
            g_assert_cmphex (g_array_index (host.fake->writes, TsProbeAccess, i - 1).address, ==,
                             META + 44);
        }
      _ts_metadata_attach_clear (&state);
      g_byte_array_unref (recorder.packets);
      host_clear (&host);
    }
}

/* A target that never answers: the names are there all the same, and every byte of the ring. */
static void
test_attach_without_answer (void)
{
  Host host;
  Recorder recorder;
  TsMetadataAttach state;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (CollectSink) sink = NULL;
  TsDecodeCounters counters;
  guint n_names;

  host_init (&host, FALSE, CONFIG);
  recorder_init (&recorder, host.fake);
  recorder.answers = FALSE;
  recorder.n_rounds = 20;
  g_assert_cmpint (attach (&host, &state, 100000), ==, TS_ATTACH_PLAIN);
  _ts_metadata_attach_take (&state, out, &n_names);
  g_assert_cmpuint (n_names, ==, 2);
  g_assert_nonnull (state.problem);
  g_assert_cmpuint (state.n_discarded, ==, 0);
  sink = decode_bytes ("va", out->data, out->len, &counters);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_COUNTER), ==, 20);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_nonnull (collect_sink_find (sink, TS_OBJECT_TASK, "main"));
  _ts_metadata_attach_clear (&state);
  g_byte_array_unref (recorder.packets);
  host_clear (&host);
}

/* ---- RTT ---- */

static void
put_channel (FakeMemory *fake,
             guint number,
             guint32 name,
             guint32 buffer,
             guint32 size)
{
  guint32 at = RTT + 24 + 24 * number;

  memset (fake->ram + (at - FAKE_BASE), 0, 24);
  fake_memory_put (fake, at, name);
  fake_memory_put (fake, at + 4, buffer);
  fake_memory_put (fake, at + 8, size);
}

static void
put_rtt (FakeMemory *fake,
         guint n_up)
{
  memset (fake->ram + (RTT - FAKE_BASE), 0, 24 + 24 * 4);
  fake_memory_put (fake, RTT + 16, n_up);
  fake_memory_put (fake, RTT + 20, 1);
  memcpy (fake->ram + (RTT - FAKE_BASE), "SEGGER RTT", 10);
}

/* The channel of that name wins over the number; without it the number counts. */
static void
test_rtt (void)
{
  Host host;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  TsTargetRing ring;
  TsDrainResult result;
  gboolean is_sane = FALSE;

  host_init (&host, TRUE, "{\"transport\": \"stlink-rtt\", \"no-reset\": true}");
  host.memory.scan_size = FAKE_SIZE;
  host.fake->stated_end = FAKE_BASE + FAKE_SIZE;
  memcpy (host.fake->ram + 0x700, "Terminal\0ViewAlyzer", 20);
  put_rtt (host.fake, 3);
  put_channel (host.fake, 0, FAKE_BASE + 0x700, RING, 64);
  put_channel (host.fake, 1, 0, RING + 64, 64);
  put_channel (host.fake, 2, FAKE_BASE + 0x709, RING + 128, 64);
  g_assert_true (_ts_ring_look (&host.drain, RTT, &ring, &is_sane, NULL));
  g_assert_true (is_sane);
  g_assert_cmphex (ring.buffer, ==, RING + 128);

  put_channel (host.fake, 2, 0, RING + 128, 64);
  g_assert_true (_ts_ring_look (&host.drain, RTT, &ring, &is_sane, NULL));
  g_assert_true (is_sane);
  g_assert_cmphex (ring.buffer, ==, RING + 64);
  _ts_ring_drain_choose (&host.drain, &ring);
  memcpy (host.fake->ram + (RING + 64 - FAKE_BASE), "hello", 5);
  fake_memory_put (host.fake, RTT + 24 + 24 + 12, 5);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpint (result, ==, TS_DRAIN_BYTES);
  g_assert_true (_ts_ring_drain_release (&host.drain, TRUE, NULL));
  g_assert_cmpmem (out->data, out->len, "hello", 5);
  g_assert_cmpuint (fake_memory_get (host.fake, RTT + 24 + 24 + 16), ==, 5);
  g_assert_cmpuint (host.fake->writes->len, ==, 1);

  /* made anew by the target */
  put_rtt (host.fake, 3);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpint (result, ==, TS_DRAIN_RESTARTING);
  put_channel (host.fake, 1, 0, RING + 64, 64);
  g_assert_true (_ts_ring_drain_step (&host.drain, out, &result, NULL));
  g_assert_cmpint (result, ==, TS_DRAIN_RESTARTED);
  g_assert_cmpuint (host.fake->n_outside, ==, 0);
  host_clear (&host);
}

/* ---- bad input ---- */

static guint32
pick (GRand *rand)
{
  static const guint32 values[]
      = { 0,          1,          3,          31,         32,         0xFF,       0x1000,
          0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF, 0x20000000, 0x2000FFF0, 0x40000000,
          0xE000ED00, 0x1FFFFFFC, 0x08000000, BLOCK,      RING,       TABLE };

  return g_rand_boolean (rand) ? values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))]
                               : g_rand_int (rand);
}

/* Blocks of all kinds with fields of no sense: nothing is read or written outside of stated RAM,
 * whatever they say, and whatever they become while they are read. */
static void
garble (FakeMemory *fake)
{
  GRand *rand = fake->data;
  static const guint32 blocks[] = { BLOCK, META, RTT };
  guint32 block = blocks[g_rand_int_range (rand, 0, 3)];

  if (g_rand_int_range (rand, 0, 6) == 0)
    fake_memory_put (fake, block + 16 + 4 * (guint32) g_rand_int_range (rand, 0, 14), pick (rand));
}

static void
test_hostile (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint n_sane = 0;

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 3000; round++)
    {
      Host host;
      gboolean is_rtt = round % 3 == 2;
      TsRingFinder finder;
      TsFoundHow how = TS_FOUND_NOT;

      host_init (&host, round % 2 == 0,
                 is_rtt ? "{\"transport\": \"stlink-rtt\", \"no-reset\": true}"
                        : "{\"transport\": \"stlink-rambuf\", \"no-reset\": true}");
      host.memory.scan_size = 0x4000;
      host.fake->stated_end = FAKE_BASE + 0x4000;
      put_block (host.fake, BLOCK, RING, 512, 0x100);
      put_rtt (host.fake, 2);
      put_channel (host.fake, 0, FAKE_BASE + 0x700, RING, 64);
      put_channel (host.fake, 1, 0, RING + 64, 64);
      memset (host.fake->ram + (META - FAKE_BASE), 0, 64);
      fake_memory_put (host.fake, META + 16, 1);
      fake_memory_put (host.fake, META + 20, TABLE);
      fake_memory_put (host.fake, META + 24, 256);
      fake_memory_put (host.fake, META + 28, METADATA_TABLE_LEN);
      fake_memory_put (host.fake, META + 32, 12);
      memcpy (host.fake->ram + (META - FAKE_BASE), "ViewAlyzerMD01\0", 16);
      host.fake->data = rand;
      host.fake->run = garble;

      _ts_ring_finder_init (&finder, &host.drain, host.connection);
      for (guint i = 0; i < 4 && how == TS_FOUND_NOT; i++)
        _ts_ring_finder_step (&finder, 1 + i * G_USEC_PER_SEC, &how, NULL);
      if (how != TS_FOUND_NOT)
        {
          g_autoptr (GByteArray) out = g_byte_array_new ();
          TsDrainResult result;

          n_sane++;
          for (guint i = 0; i < 10; i++)
            if (_ts_ring_drain_step (&host.drain, out, &result, NULL) && result == TS_DRAIN_BYTES)
              _ts_ring_drain_release (&host.drain, i % 2 == 0, NULL);
          if (!is_rtt)
            {
              TsMetadataAttach state;
              guint n_names;

              if (_ts_metadata_attach_init (&state, &host.drain, 0, NULL))
                for (guint i = 0; i < 6 && state.state == TS_ATTACH_WAITING; i++)
                  if (!_ts_metadata_attach_step (&state, i * 500000, NULL))
                    break;
              _ts_metadata_attach_take (&state, out, &n_names);
              _ts_metadata_attach_clear (&state);
            }
        }
      _ts_ring_finder_clear (&finder);
      g_assert_cmpuint (host.fake->n_outside, ==, 0);
      g_assert_cmpuint (is_rtt ? 0 : host.fake->n_code, ==, 0);
      for (guint i = 0; i < host.fake->writes->len; i++)
        {
          guint32 at = g_array_index (host.fake->writes, TsProbeAccess, i).address;

          g_assert_true (at == BLOCK + 28 || at == META + 40 || at == META + 44
                         || (is_rtt && at >= RTT + 24 && at < RTT + 24 + 48));
        }
      host_clear (&host);
    }
  g_assert_cmpuint (n_sane, >, 100);
}

/* ---- pace ---- */

/* Source: probes.md section 3, step 4 */
static void
test_pace (void)
{
  TsRingPace pace = { 0 };

  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 0, 8192), ==, 2000);
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 3000, 8192), ==, 0);
  _ts_ring_pace_note (&pace, 1000000, 0);
  _ts_ring_pace_note (&pace, 2000000, 400000);
  /* 8192 / (4 * 400000) s = 5.12 ms */
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 100, 8192), ==, 5120);
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 100, 1024), ==, 1000);
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 100, 65536), ==, 20000);
  pace.fixed_us = 7000;
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 100, 8192), ==, 7000);
  g_assert_cmpint (_ts_ring_pace_get_pause (&pace, 4000, 8192), ==, 0);
}

/* ---- the whole source ---- */

typedef struct
{
  GByteArray *bytes;
  gsize wanted;
  GCancellable *cancellable;
  GString *messages;
  gpointer data;
} Taken;

static gboolean
take (guint32 source_id,
      gint64 host_us,
      const guint8 *bytes,
      gsize n_bytes,
      gpointer user_data)
{
  Taken *taken = user_data;

  g_byte_array_append (taken->bytes, bytes, (guint) n_bytes);
  if (taken->bytes->len >= taken->wanted)
    g_cancellable_cancel (taken->cancellable);

  return TRUE;
}

static void
note (TsSourceNote kind,
      guint64 n,
      const char *text,
      gpointer user_data)
{
  if (text != NULL && (kind == TS_SOURCE_NOTE_MESSAGE || kind == TS_SOURCE_NOTE_WARNING
                       || kind == TS_SOURCE_NOTE_RECONNECTED))
    g_string_append_printf (((Taken *) user_data)->messages, "%s\n", text);
}

/* A stand-in for start-up code that clears RAM, and a recorder that starts after it. */
static void
boot (FakeMemory *fake)
{
  memset (fake->ram, 0, sizeof fake->ram);
  put_block (fake, BLOCK, RING, 4096, 0);
  write_ring (fake, BLOCK, (const guint8 *) "from the boot on", 16);
}

/* Armed first, then reset: what the firmware says at its boot arrives; what lay there before does
 * not. */
static void
test_source_resets (void)
{
  Host host;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsSource) source = NULL;
  Taken taken = { g_byte_array_new (), 16, cancellable, g_string_new (NULL), NULL };

  host_init (&host, FALSE, "{\"transport\": \"stlink-rambuf\", \"rambuf-scan-size\": 65536}");
  put_block (host.fake, OTHER, RING, 512, 0);
  write_ring (host.fake, OTHER, (const guint8 *) "stale", 5);
  host.fake->reset = boot;
  source = ts_source_new (host.connection, &error);
  g_assert_no_error (error);
  source->notify = note;
  source->notify_data = &taken;
  g_assert_true (source->klass->open (source, cancellable, &error));
  g_assert_cmpuint (host.fake->n_resets, ==, 0);
  source->klass->run (source, take, &taken, cancellable, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (host.fake->n_resets, ==, 1);
  /* a stream that begins in the middle of a run is told what it is: a marker and the clock */
  g_assert_cmpuint (taken.bytes->len, ==, 12 + 4 + 12 + 16);
  g_assert_cmpmem (taken.bytes->data + 28, 16, "from the boot on", 16);
  g_byte_array_unref (taken.bytes);
  g_string_free (taken.messages, TRUE);
  g_clear_pointer (&source, ts_source_free); /* before the probe that it closes */
  host_clear (&host);
}

/* Cancelled from the source's own messages: they tell why nothing comes. */
static void
stop_when_told (TsSourceNote kind,
                guint64 n,
                const char *text,
                gpointer user_data)
{
  Taken *taken = user_data;

  note (kind, n, text, user_data);
  if (text != NULL && strstr (text, "halted") != NULL)
    g_cancellable_cancel (taken->cancellable);
}

/* A core that a breakpoint stopped: the reason is told, and is the error when nothing came. */
static void
test_source_halted (void)
{
  Host host;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsSource) source = NULL;
  Taken taken = { g_byte_array_new (), 16, cancellable, g_string_new (NULL), NULL };

  host_init (&host, FALSE, CONFIG);
  put_block (host.fake, BLOCK, RING, 512, 0);
  host.fake->is_halted = TRUE;
  source = ts_source_new (host.connection, &error);
  g_assert_no_error (error);
  source->notify = stop_when_told;
  source->notify_data = &taken;
  g_assert_true (source->klass->open (source, cancellable, &error));
  g_assert_false (source->klass->run (source, take, &taken, cancellable, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);
  g_assert_nonnull (strstr (error->message, "halted"));
  g_byte_array_unref (taken.bytes);
  g_string_free (taken.messages, TRUE);
  g_clear_pointer (&source, ts_source_free); /* before the probe that it closes */
  host_clear (&host);
}

static gboolean
take_until_recorded (guint32 source_id,
                     gint64 host_us,
                     const guint8 *bytes,
                     gsize n_bytes,
                     gpointer user_data)
{
  Taken *taken = user_data;
  Recorder *recorder = taken->data;

  g_byte_array_append (taken->bytes, bytes, (guint) n_bytes);
  if (recorder->n_rounds == 0)
    g_cancellable_cancel (taken->cancellable);

  return TRUE;
}

/* Attached to a running recorder that keeps names in RAM: names, then its events, none lost. */
static void
test_source_attaches (void)
{
  Host host;
  Recorder recorder;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsSource) source = NULL;
  g_autoptr (CollectSink) sink = NULL;
  Taken taken = { g_byte_array_new (), 0, cancellable, g_string_new (NULL), &recorder };
  TsDecodeCounters counters;

  host_init (&host, TRUE, CONFIG);
  recorder_init (&recorder, host.fake);
  recorder.n_rounds = 1500;
  source = ts_source_new (host.connection, &error);
  g_assert_no_error (error);
  source->notify = note;
  source->notify_data = &taken;
  g_assert_true (source->klass->open (source, cancellable, &error));
  g_assert_true (source->klass->run (source, take_until_recorded, &taken, cancellable, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (host.fake->n_resets, ==, 0);
  sink = decode_bytes ("va", taken.bytes->data, taken.bytes->len, &counters);
  g_assert_nonnull (collect_sink_find (sink, TS_OBJECT_TASK, "main"));
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_COUNTER), >, 20);
  /* the last one it recorded is the last one there is */
  g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->kind, ==, TS_EVENT_COUNTER);
  g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->value, ==, 0);
  g_byte_array_unref (taken.bytes);
  g_string_free (taken.messages, TRUE);
  g_byte_array_unref (recorder.packets);
  g_clear_pointer (&source, ts_source_free);
  host_clear (&host);
}

/* Another firmware was flashed: its ring lies elsewhere. Looking through RAM once takes some 150
 * accesses. */
static void
move_ring (FakeMemory *fake)
{
  if (fake->n_accesses < 220 || fake_memory_get (fake, OTHER) != 0)
    return;
  memset (fake->ram + (BLOCK - FAKE_BASE), 0, 48);
  if (fake->n_accesses < 250)
    return;
  put_block (fake, OTHER, RING + 0x1000, 512, 0);
  write_ring (fake, OTHER, (const guint8 *) "moved", 5);
}

static void
test_source_follows (void)
{
  Host host;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsSource) source = NULL;
  Taken taken = { g_byte_array_new (), 28 + 5 + 5, cancellable, g_string_new (NULL), NULL };

  host_init (&host, FALSE, CONFIG);
  put_block (host.fake, BLOCK, RING, 512, 0);
  write_ring (host.fake, BLOCK, (const guint8 *) "first", 5);
  host.fake->run = move_ring;
  source = ts_source_new (host.connection, &error);
  g_assert_no_error (error);
  source->notify = note;
  source->notify_data = &taken;
  g_assert_true (source->klass->open (source, cancellable, &error));
  g_assert_true (source->klass->run (source, take, &taken, cancellable, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (taken.bytes->len, ==, 28 + 5 + 5);
  g_assert_cmpmem (taken.bytes->data + 28, 10, "firstmoved", 10);
  g_assert_nonnull (strstr (taken.messages->str, "restarted"));
  g_byte_array_unref (taken.bytes);
  g_string_free (taken.messages, TRUE);
  g_clear_pointer (&source, ts_source_free);
  host_clear (&host);
}

/* A probe that is driven over SWD alone says so. */
static void
test_interface (void)
{
  Host host;
  g_autoptr (GError) error = NULL;

  host_init (&host, FALSE, "{\"transport\": \"stlink-rambuf\", \"interface\": \"JTAG\"}");
  g_assert_null (ts_probe_open_connection (host.connection, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_nonnull (strstr (error->message, "JTAG"));
  host_clear (&host);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/target-rings/stale", test_stale);
  g_test_add_func ("/capture/target-rings/wrong-address", test_wrong_address);
  g_test_add_func ("/capture/target-rings/scan-goes-on", test_scan_goes_on);
  g_test_add_func ("/capture/target-rings/drain", test_drain);
  g_test_add_func ("/capture/target-rings/restart-before-release", test_restart_before_release);
  g_test_add_func ("/capture/target-rings/attach", test_attach);
  g_test_add_func ("/capture/target-rings/attach-without-answer", test_attach_without_answer);
  g_test_add_func ("/capture/target-rings/rtt", test_rtt);
  g_test_add_func ("/capture/target-rings/hostile", test_hostile);
  g_test_add_func ("/capture/target-rings/pace", test_pace);
  g_test_add_func ("/capture/target-rings/source-resets", test_source_resets);
  g_test_add_func ("/capture/target-rings/source-halted", test_source_halted);
  g_test_add_func ("/capture/target-rings/source-attaches", test_source_attaches);
  g_test_add_func ("/capture/target-rings/source-follows", test_source_follows);
  g_test_add_func ("/capture/target-rings/interface", test_interface);

  return g_test_run ();
}
