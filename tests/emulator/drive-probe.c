/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drive-probe.c: everything a TsProbe offers, on an emulated probe whose RAM is an image:
 * `drive-probe TYPE IMAGE [SERIAL]`. Prints what the probe tells of itself.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "capture/ts-probe.h"

#define RAM 0x20000000u

static void
test_reads (TsProbe *probe,
            const guint8 *image)
{
  g_autofree guint8 *bytes = g_malloc (0x20000);
  g_autoptr (GError) error = NULL;
  gint64 begin_us;

  begin_us = g_get_monotonic_time ();
  /* all of it, then pieces around the limits of commands and of address counters */
  ts_probe_read (probe, RAM, bytes, 0x20000, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, 0x20000, image, 0x20000);
  printf ("milliseconds %" G_GINT64_FORMAT "\n", (g_get_monotonic_time () - begin_us) / 1000);
  for (guint at = 0x3F0; at < 0x410; at += 5)
    for (guint n = 1; n < 40; n += 7)
      {
        ts_probe_read (probe, RAM + at, bytes, n, &error);
        g_assert_no_error (error);
        g_assert_cmpmem (bytes, n, image + at, n);
      }
  for (guint unit = 1; unit <= 4; unit *= 2)
    for (guint n = unit; n < 600; n = n * 3 + unit)
      {
        guint at = 0x1000 - 2 * unit;

        n -= n % unit;
        ts_probe_read_units (probe, RAM + at, unit, bytes, n, &error);
        g_assert_no_error (error);
        g_assert_cmpmem (bytes, n, image + at, n);
      }
  g_assert_false (ts_probe_read (probe, 0x70000000, bytes, 4, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
  g_assert_nonnull (strstr (error->message, "0x70000000"));
  g_clear_error (&error);
  g_assert_false (ts_probe_read_units (probe, RAM + 1, 2, bytes, 2, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
  g_clear_error (&error);
  /* and it still works */
  ts_probe_read (probe, RAM, bytes, 16, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (bytes, 16, image, 16);
}

static void
test_writes (TsProbe *probe)
{
  guint8 bytes[300], back[300];
  g_autoptr (GError) error = NULL;
  guint32 word;

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (i * 7 + 3);
  for (guint unit = 1; unit <= 4; unit *= 2)
    {
      ts_probe_write_units (probe, RAM + 0x2FC0 + unit, unit, bytes, 200, &error);
      g_assert_no_error (error);
      ts_probe_read (probe, RAM + 0x2FC0 + unit, back, 200, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (back, 200, bytes, 200);
    }
  ts_probe_write_word (probe, RAM + 0x3000, 0x12345678, &error);
  g_assert_no_error (error);
  ts_probe_read_word (probe, RAM + 0x3000, &word, &error);
  g_assert_no_error (error);
  g_assert_cmphex (word, ==, 0x12345678);
  g_assert_false (ts_probe_write_word (probe, 0x70000000, 1, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
}

static void
test_batch (TsProbe *probe)
{
  TsProbeAccess accesses[40];
  g_autoptr (GError) error = NULL;
  guint64 before;

  for (guint i = 0; i < G_N_ELEMENTS (accesses); i++)
    accesses[i] = (TsProbeAccess){ i % 2 == 0, RAM + 0x4000 + 8 * (i / 2), 0xA0000000 + i };
  before = ts_probe_get_counters (probe)->n_trips;
  ts_probe_run_batch (probe, accesses, G_N_ELEMENTS (accesses), &error);
  g_assert_no_error (error);
  for (guint i = 1; i < G_N_ELEMENTS (accesses); i += 2)
    g_assert_cmphex (accesses[i].value, ==, 0xA0000000 + i - 1);
  printf ("batch of %u: %" G_GUINT64_FORMAT " trips\n", (guint) G_N_ELEMENTS (accesses),
          ts_probe_get_counters (probe)->n_trips - before);
}

static void
test_core (TsProbe *probe)
{
  g_autoptr (GError) error = NULL;
  gboolean was_running = FALSE;
  guint32 value;

  ts_probe_read_word (probe, TS_CORE_CPUID, &value, &error);
  g_assert_no_error (error);
  g_assert_cmphex (value, ==, 0x410FC241);
  ts_probe_halt (probe, &was_running, &error);
  g_assert_no_error (error);
  g_assert_true (was_running);
  ts_probe_write_register (probe, 3, 0xCAFE0003, &error);
  g_assert_no_error (error);
  ts_probe_read_register (probe, 3, &value, &error);
  g_assert_no_error (error);
  g_assert_cmphex (value, ==, 0xCAFE0003);
  ts_probe_read_register (probe, 15, &value, &error);
  g_assert_no_error (error);
  g_assert_cmphex (value, ==, 0x08000100);
  ts_probe_resume (probe, &error);
  g_assert_no_error (error);
  ts_probe_read_word (probe, TS_CORE_DHCSR, &value, &error);
  g_assert_no_error (error);
  g_assert_cmphex (value & TS_DHCSR_S_HALT, ==, 0);
  ts_probe_reset (probe, &error);
  g_assert_no_error (error);
}

/* The first word of the flash, or why it cannot be read. */
static void
tell_flash (TsProbe *probe)
{
  g_autoptr (GError) error = NULL;
  guint32 word;

  if (ts_probe_read_word (probe, 0x08000000, &word, &error))
    printf ("flash %08x\n", word);
  else
    printf ("flash %s\n", error->message);
}

int
main (int argc,
      char **argv)
{
  TsProbeOptions options = { argc > 3 ? argv[3] : NULL, 4000, 0, FALSE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsProbe) probe = NULL;
  g_autofree char *image = NULL;
  g_autofree char *version = NULL;
  gsize n;

  g_assert_cmpint (argc, >=, 3);
  if (!g_file_get_contents (argv[2], &image, &n, &error)
      || (probe = ts_probe_open (argv[1], &options, &error)) == NULL)
    {
      printf ("error: %s\n", error->message);
      return 1;
    }
  g_assert_cmpuint (n, ==, 0x20000);
  version = ts_probe_dup_version (probe);
  printf ("version %s\nvoltage %d\nspeed %u\nport %u\n", version, ts_probe_get_voltage (probe),
          probe->speed_khz, probe->access_port);
  test_reads (probe, (const guint8 *) image);
  test_core (probe);
  test_writes (probe);
  test_batch (probe);
  tell_flash (probe);
  printf ("retries %" G_GUINT64_FORMAT "\nrecoveries %" G_GUINT64_FORMAT "\n",
          ts_probe_get_counters (probe)->n_retries, ts_probe_get_counters (probe)->n_recoveries);

  return 0;
}
