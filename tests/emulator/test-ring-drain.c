/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-ring-drain.c: the live ring drained from a fake target, no USB between them. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "capture/ts-ring-drain-private.h"
#include "fake-target.h"

/* A probe that reaches the fake target at once. */
typedef struct
{
  TsProbe parent;
  FakeTarget target;
  TsTargetMemory memory;
  gsize read_outside; /* reads beyond RAM */
  guint n_writes;
  guint32 last_write;
} FakeProbe;

static gboolean
fake_read_words (TsProbe *probe,
                 guint32 address,
                 guint8 *bytes,
                 gsize n_bytes,
                 GError **error)
{
  FakeProbe *self = (FakeProbe *) probe;

  g_assert_cmpuint (address % 4, ==, 0);
  g_assert_cmpuint (n_bytes % 4, ==, 0);
  g_assert_cmpuint (n_bytes, <=, probe->klass->max_read);
  if (fake_target_read (&self->target, address, bytes, n_bytes))
    return TRUE;
  self->read_outside++;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "no memory at 0x%08x", address);

  return FALSE;
}

static gboolean
fake_write_word (TsProbe *probe,
                 guint32 address,
                 guint32 value,
                 GError **error)
{
  FakeProbe *self = (FakeProbe *) probe;
  guint32 word = GUINT32_TO_LE (value);

  self->n_writes++;
  self->last_write = address;

  return fake_target_write (&self->target, address, (const guint8 *) &word, sizeof word);
}

static void
fake_close (TsProbe *probe)
{
  g_free (probe);
}

static const TsProbeClass fake_class = {
  .type = "fake",
  .max_read = 512,
  .read_words = fake_read_words,
  .write_word = fake_write_word,
  .close = fake_close,
};

static FakeProbe *
fake_probe_new (GBytes *packets,
                guint32 ring_size,
                gboolean is_blocking)
{
  FakeProbe *self = g_new0 (FakeProbe, 1);
  gsize n = 0;
  const guint8 *bytes = packets != NULL ? g_bytes_get_data (packets, &n) : NULL;

  self->parent.klass = &fake_class;
  fake_target_init (&self->target, bytes, n, ring_size, is_blocking);

  return self;
}

static GBytes *
read_packets (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("TASKSCOPE_TEST_DATA"), "m4_short.raw", NULL);
  g_autoptr (GError) error = NULL;
  char *bytes = NULL;
  gsize n = 0;

  g_file_get_contents (path, &bytes, &n, &error);
  g_assert_no_error (error);

  return g_bytes_new_take (bytes, n);
}

static TsRingDrain
make_drain (FakeProbe *probe)
{
  probe->memory = (TsTargetMemory){ .probe = &probe->parent,
                                    .scan_start = FAKE_RAM_BASE,
                                    .scan_size = FAKE_RAM_SIZE };

  return (TsRingDrain){ .memory = &probe->memory };
}

static gboolean
find_once (TsRingDrain *drain)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) rings = _ts_ring_scan (drain, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (rings->len, <=, 1);
  _ts_ring_drain_choose (drain, rings->len > 0 ? &g_array_index (rings, TsTargetRing, 0) : NULL);

  return drain->is_found;
}

static void
find (TsRingDrain *drain)
{
  gboolean is_found = FALSE;

  for (guint i = 0; i < 100 && !is_found; i++)
    is_found = find_once (drain);
  g_assert_true (is_found);
}

/* Drains until @n_polls looks in a row found nothing. */
static guint
drain_all (TsRingDrain *drain,
           GByteArray *out)
{
  guint n_idle = 0, n_restarts = 0;

  while (n_idle < 8)
    {
      TsDrainResult result;
      g_autoptr (GError) error = NULL;

      g_assert_true (_ts_ring_drain_step (drain, out, &result, &error));
      g_assert_no_error (error);
      n_idle = result == TS_DRAIN_EMPTY ? n_idle + 1 : 0;
      n_restarts += result == TS_DRAIN_RESTARTED;
      if (result == TS_DRAIN_BYTES)
        g_assert_true (_ts_ring_drain_release (drain, FALSE, NULL));
    }

  return n_restarts;
}

/* Every byte arrives, in order, whatever the size of the ring. */
static void
test_blocking (void)
{
  static const guint32 sizes[] = { 128, 601, 1024, 8192, 65536 };
  g_autoptr (GBytes) packets = read_packets ();

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (TsProbe) probe = (TsProbe *) fake_probe_new (packets, sizes[i], TRUE);
      FakeProbe *fake = (FakeProbe *) probe;
      TsRingDrain drain = make_drain (fake);
      g_autoptr (GByteArray) out = g_byte_array_new ();
      gsize n;
      gconstpointer bytes = g_bytes_get_data (packets, &n);

      find (&drain);
      g_assert_cmphex (drain.ring.block, ==, FAKE_RAM_BASE + 0x4CC);
      g_assert_cmpuint (drain.ring.size, ==, sizes[i]);
      g_assert_cmpuint (drain_all (&drain, out), ==, 0);
      g_assert_cmpmem (out->data, out->len, bytes, n);
      /* nothing is ever written but the read offset */
      g_assert_cmphex (fake->last_write, ==, drain.ring.block + TS_VA_BLOCK_READ_OFFSET_AT);
      g_assert_cmpuint (fake->read_outside, ==, 0);
    }
}

/* DROP: what was in the ring is whole packets from the first on. */
static void
test_dropping (void)
{
  g_autoptr (GBytes) packets = read_packets ();
  g_autoptr (TsProbe) probe = (TsProbe *) fake_probe_new (packets, 4096, FALSE);
  TsRingDrain drain = make_drain ((FakeProbe *) probe);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint n_packets;

  find (&drain);
  drain_all (&drain, out);
  g_assert_cmpuint (out->len, >, 3900);
  g_assert_cmpuint (out->len, <, 4096);
  g_assert_cmpuint (drain.ring.dropped, >, 0);
  g_assert_cmpuint (ts_va_live_measure (&drain.ring.va, out->data, out->len, &n_packets), ==,
                    out->len);
}

/* A reset in the middle: noticed, and the new run is read from its beginning. */
static void
test_restart (void)
{
  g_autoptr (GBytes) packets = read_packets ();
  g_autoptr (TsProbe) probe = (TsProbe *) fake_probe_new (packets, 1024, TRUE);
  FakeProbe *fake = (FakeProbe *) probe;
  TsRingDrain drain = make_drain (fake);
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) after = g_byte_array_new ();
  gsize n;
  gconstpointer bytes = g_bytes_get_data (packets, &n);

  find (&drain);
  for (guint i = 0; i < 20; i++)
    {
      TsDrainResult result;

      g_assert_true (_ts_ring_drain_step (&drain, before, &result, NULL));
      g_assert_cmpint (result, ==, TS_DRAIN_BYTES);
      g_assert_true (_ts_ring_drain_release (&drain, FALSE, NULL));
    }
  g_assert_cmpmem (before->data, before->len, bytes, before->len);

  g_assert_true (ts_probe_reset (probe, NULL));
  g_assert_cmpuint (fake->target.n_resets, ==, 1);
  g_assert_cmpuint (drain_all (&drain, after), ==, 1);
  g_assert_cmpuint (drain.n_restarts, ==, 1);
  g_assert_cmpmem (after->data, after->len, bytes, n);
}

/* Blocks that would lead out of RAM are no rings. */
static void
test_hostile (void)
{
  static const guint32 buffers[] = { 0x1FFFFFF0, 0x20020000 - 100, 0x40000000,
                                      0xE000E000, 0x08000000,       0 };

  for (gsize i = 0; i < G_N_ELEMENTS (buffers); i++)
    {
      g_autoptr (TsProbe) probe = (TsProbe *) fake_probe_new (NULL, 1024, TRUE);
      FakeProbe *fake = (FakeProbe *) probe;
      TsRingDrain drain = make_drain (fake);
      guint32 word = GUINT32_TO_LE (buffers[i]);

      find (&drain);
      memcpy (fake->target.ram + 0x4CC + 16, &word, sizeof word);
      /* a ring that moves while it is drained */
      {
        g_autoptr (GByteArray) out = g_byte_array_new ();
        TsDrainResult result;

        g_assert_true (_ts_ring_drain_step (&drain, out, &result, NULL));
        g_assert_cmpint (result, ==, TS_DRAIN_RESTARTING);
        g_assert_cmpuint (out->len, ==, 0);
      }
      g_assert_false (find_once (&drain));
      g_assert_cmpuint (fake->read_outside, ==, 0);
      g_assert_cmpuint (fake->n_writes, ==, 0);
    }
}

/* Halt, registers' way, resume; and reads of any alignment. */
static void
test_core (void)
{
  g_autoptr (TsProbe) probe = (TsProbe *) fake_probe_new (NULL, 1024, TRUE);
  FakeProbe *fake = (FakeProbe *) probe;
  gboolean was_running = FALSE;
  guint8 bytes[64];
  guint32 cpuid;

  g_assert_true (ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, NULL));
  g_assert_cmphex (cpuid, ==, 0x410FC241);
  g_assert_true (ts_probe_halt (probe, &was_running, NULL));
  g_assert_true (was_running);
  g_assert_false (fake->target.is_running);
  g_assert_true (ts_probe_halt (probe, &was_running, NULL));
  g_assert_false (was_running);
  g_assert_true (ts_probe_resume (probe, NULL));
  g_assert_true (fake->target.is_running);
  g_assert_false (fake->target.is_debug);

  for (guint i = 0; i < 256; i++)
    fake->target.ram[0x8000 + i] = (guint8) i;
  for (guint start = 0; start < 8; start++)
    for (guint n = 0; n < sizeof bytes; n++)
      {
        g_assert_true (ts_probe_read (probe, FAKE_RAM_BASE + 0x8000 + start, bytes, n, NULL));
        g_assert_cmpmem (bytes, n, fake->target.ram + 0x8000 + start, n);
      }
  g_assert_false (ts_probe_read (probe, 0xFFFFFFFE, bytes, 8, NULL));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/ring-drain/blocking", test_blocking);
  g_test_add_func ("/capture/ring-drain/dropping", test_dropping);
  g_test_add_func ("/capture/ring-drain/restart", test_restart);
  g_test_add_func ("/capture/ring-drain/hostile", test_hostile);
  g_test_add_func ("/capture/ring-drain/core", test_core);

  return g_test_run ();
}
