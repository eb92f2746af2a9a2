/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-auto.c: format `auto` tells streams of the recorder, traces, and what is neither apart. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

/* What every capture is, by the descriptions beside them. */
static const struct
{
  const char *file;
  const char *format;
} captures[] = {
  { "itm-decode-itm.bin", "itm" },
  { "opencsd-itm_testdata.bin", "itm" },
  { "discovery-itm.txt", "itm" },
  { "Arm-reset/Arm.SWO.raw", "itm" },
  { "Blinky+Arm/Blinky+Arm.SWO.raw", "itm" },
  { "trace-compressed-dwt/trace-compressed-dwt.raw", "itm" },
  { "trace-match/trace-match.raw", "itm" },
  { "trace-pc-sample/trace-pc-sample.raw", "itm" },
  { "opencsd-itm_testdata_ID_0x14.bin", "tpiu" },
  { "orbuculum-fastitm.tpiu.bin", "tpiu" },
  { "sigrok-stm32f105-trace_example.tpiu.bin", "tpiu" },
  { "Blinky+Arm/Blinky+Arm.TB.raw", "tpiu" },
  { "TB-Trace/Blinky+Arm.TB.raw", "tpiu" },
  { "formatted-synthetic/Synthetic.TB.raw", "tpiu" },
  { "m4_short.itm_corrupt.bin", "va-itm" },
  { "m4_short.itm_min.bin", "va-itm" },
  { "m4_short.itm_mixed.bin", "va-itm" },
  { "m4_short.itm_overflow.bin", "va-itm" },
  { "legacy_oldest.itm.bin", "va-itm" },
  { "m4_short.tpiu.bin", "va-tpiu" },
  { "m3_baremetal.cobs", "va-cobs" },
  { "m3_late_init.cobs", "va-cobs" },
  { "m3_systick.cobs", "va-cobs" },
  { "m4_late_attach.cobs", "va-cobs" },
  { "m4_loss.cobs", "va-cobs" },
  { "m4_noisy.cobs", "va-cobs" },
  { "m4_reset.cobs", "va-cobs" },
  { "m4_short.cobs", "va-cobs" },
  { "ring_snapshot.cobs", "va-cobs" },
  { "legacy_bare.cobs", "va-cobs" },
  { "legacy_early.cobs", "va-cobs" },
  { "legacy_u16.cobs", "va-cobs" },
  { "legacy_u16_late.cobs", "va-cobs" },
  { "reflash_legacy_to_wire1.cobs", "va-cobs" },
  { "v2_100.cobs", "va-cobs" },
  { "v3_110.cobs", "va-cobs" },
  { "v3_110_loss.cobs", "va-cobs" },
  { "v3_130.cobs", "va-cobs" },
  { "m4_short.raw", "va" },
  { "ring_drop_drained.drained.raw", "va" },
  { "legacy_early.raw", "va" },
  { "legacy_oldest.raw", "va" },
  { "legacy_u16.raw", "va" },
  { "v2_100.raw", "va" },
  { "v3_130.raw", "va" },
  { "m4_short_udp.udprec", "va-udprec" },
  { "m4_short_udp_loss.udprec", "va-udprec" },
  { "udp_cpp_current.udprec", "va-udprec" },
  { "udp_python_legacy.udprec", "va-udprec" },
  /* a text of nibbles, a packed file, descriptions */
  { "orbuculum-fastitm.dat", "auto" },
  { "sigrok-stm32f105-trace_example.sr", "auto" },
  { "README.md", "auto" },
  { "m4_short.expected.json", "auto" },
  { "Blinky+Arm/Blinky+Arm.SWO.csv", "auto" },
  { "Blinky+Arm/Blinky+Arm.ctrace-run.yml", "auto" },
};

static const char *
find_format (const guint8 *bytes, gsize n_bytes)
{
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("auto", &sink->parent, NULL, NULL);

  ts_decoder_push (decoder, 0, bytes, n_bytes);
  ts_decoder_flush (decoder);
  return ts_decoder_get_format (decoder);
}

static void
assert_no_trace (const guint8 *bytes, gsize n_bytes)
{
  const char *format = find_format (bytes, n_bytes);

  g_assert_null (strstr (format, "itm"));
  g_assert_null (strstr (format, "tpiu"));
}

/* Each capture is what it is, and decodes as if that had been said. */
static void
test_captures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (captures); i++)
    {
      g_autoptr (GBytes) capture = read_capture (captures[i].file);
      const guint8 *bytes;
      gsize n_bytes;
      TsDecodeCounters counters;
      TsDecodeCounters expected_counters;
      g_autoptr (CollectSink) sink = NULL;
      g_autoptr (CollectSink) expected = NULL;

      if (capture == NULL)
        return;
      bytes = g_bytes_get_data (capture, &n_bytes);
      if (strcmp (find_format (bytes, n_bytes), captures[i].format) != 0)
        g_error ("%s is taken for %s", captures[i].file, find_format (bytes, n_bytes));
      sink = decode_bytes ("auto", bytes, n_bytes, &counters);
      if (strcmp (captures[i].format, "auto") == 0)
        {
          g_assert_cmpuint (sink->events->len, ==, 0);
          g_assert_cmpuint (counters.corrupt_bytes, ==, n_bytes);
          continue;
        }
      expected = decode_bytes (captures[i].format, bytes, n_bytes, &expected_counters);
      g_assert_cmpuint (expected_counters.events, >, 0);
      collect_sink_assert_equal (expected, sink);
      g_assert_cmpmem (&counters, sizeof counters, &expected_counters, sizeof counters);
    }
}

/* No piece of a stream of the recorder is taken for a trace, wherever it begins and ends. */
static void
test_pieces (void)
{
  static const gsize sizes[] = { 20, 40, 90, 200, 300, 1024, 5000 };

  for (guint i = 0; i < G_N_ELEMENTS (captures); i++)
    {
      g_autoptr (GBytes) capture = NULL;
      const guint8 *bytes;
      gsize n_bytes;

      if (!g_str_has_prefix (captures[i].format, "va") || strstr (captures[i].format, "itm") != NULL
          || strstr (captures[i].format, "tpiu") != NULL)
        continue;
      capture = read_capture (captures[i].file);
      if (capture == NULL)
        return;
      bytes = g_bytes_get_data (capture, &n_bytes);
      for (guint n = 0; n < 200; n++)
        {
          gsize size = MIN (sizes[n % G_N_ELEMENTS (sizes)], n_bytes);
          gsize at = (gsize) g_test_rand_int_range (0, (gint32) (n_bytes - size) + 1);

          g_test_message ("%s: %" G_GSIZE_FORMAT " bytes at %" G_GSIZE_FORMAT, captures[i].file,
                          size, at);
          assert_no_trace (bytes + at, size);
        }
    }
}

/* Neither noise nor one and the same byte is a trace. */
static void
test_noise (void)
{
  g_autofree guint8 *bytes = g_malloc (20000);
  guint n_taken = 0;

  for (guint i = 0; i < 300; i++)
    {
      gsize n = (gsize) g_test_rand_int_range (1, i % 10 == 0 ? 20000 : 3000);

      for (gsize k = 0; k < n; k++)
        bytes[k] = (guint8) g_test_rand_int_range (0, 256);
      assert_no_trace (bytes, n);
      if (n >= 4096)
        g_assert_cmpstr (find_format (bytes, n), ==, "auto");
    }
  /* short pieces are hardly ever taken for a stream: 1 of 500 may be */
  for (guint i = 0; i < 5000; i++)
    {
      gsize n = (gsize) g_test_rand_int_range (20, 400);

      for (gsize k = 0; k < n; k++)
        bytes[k] = (guint8) g_test_rand_int_range (0, 256);
      assert_no_trace (bytes, n);
      n_taken += strcmp (find_format (bytes, n), "auto") != 0;
    }
  g_assert_cmpuint (n_taken, <, 40);
  for (guint i = 0; i < 256; i++)
    {
      memset (bytes, (int) i, 5000);
      assert_no_trace (bytes, 5000);
    }
}

/* Files of other kinds, whatever follows their first bytes. */
static void
test_foreign (void)
{
  static const char *const magics[]
      = { "\177ELF\002\001\001", "\211PNG\r\n\032\n", "PK\003\004", "\037\213\010\010" };
  g_autoptr (GBytes) capture = read_capture ("m4_short.cobs");

  if (capture == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (magics); i++)
    {
      g_autoptr (GByteArray) file = g_byte_array_new ();

      g_byte_array_append (file, (const guint8 *) magics[i], (guint) strlen (magics[i]));
      g_byte_array_append (file, g_bytes_get_data (capture, NULL),
                           (guint) g_bytes_get_size (capture));
      g_assert_cmpstr (find_format (file->data, file->len), ==, "auto");
    }
}

/* Packets without numbers are believed if their times go on; in a table of a program that looks like
 * them they are any. Here: switches to task 1 and 2, as v2 writes them. */
static void
test_times (void)
{
  for (guint is_table = 0; is_table < 2; is_table++)
    {
      g_autoptr (GByteArray) packets = g_byte_array_new ();
      g_autoptr (GRand) rand = g_rand_new_with_seed (7);
      guint32 time = 0xFFF00000;

      for (guint i = 0; i < 300; i++)
        {
          guint32 stamp;
          guint8 head[] = { 0x81, (guint8) (1 + i % 2) };

          time = is_table ? g_rand_int (rand) : time + (guint32) g_rand_int_range (rand, 1, 90000);
          stamp = GUINT32_TO_LE (time);
          g_byte_array_append (packets, head, sizeof head);
          g_byte_array_append (packets, (const guint8 *) &stamp, sizeof stamp);
        }
      g_assert_cmpstr (find_format (packets->data, packets->len), ==, is_table ? "auto" : "va");
    }
}

/* Noise of these seeds, where a text of random length came after a packet without a number, was a
 * stream of the recorder of 4096 bytes. */
static void
test_unlucky (void)
{
  static const guint32 seeds[] = { 3010, 6258, 8589, 10913, 18130, 26446, 26768, 27041 };
  guint8 bytes[4096];

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seeds[i]);

      for (gsize k = 0; k < sizeof bytes; k++)
        bytes[k] = (guint8) g_rand_int (rand);
      g_assert_cmpstr (find_format (bytes, sizeof bytes), ==, "auto");
    }
}

/* Synchronisation makes few packets enough; without it 16 are needed, and no byte beside them. */
static void
test_least (void)
{
  /* synchronisation; port 0 "Hi"; a local time stamp of 5; exception 15 entered, returned to 0 */
  static const guint8 synced[] = { 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x48, 0x01, 0x69,
                                   0x50, 0x0E, 0x0F, 0x10, 0x20, 0x0E, 0x00, 0x30, 0x30 };
  guint8 packets[64 * 3];

  for (guint i = 0; i < 64; i++)
    {
      packets[3 * i] = 0x01;
      packets[3 * i + 1] = (guint8) i;
      packets[3 * i + 2] = 0x50;
    }
  g_assert_cmpstr (find_format (synced, sizeof synced), ==, "itm");
  assert_no_trace (packets, 7 * 3);
  for (guint n = 8; n < 64; n++)
    g_assert_cmpstr (find_format (packets, 3 * n), ==, "itm");
  /* a port's packet that is cut off says nothing; a byte that is of none does */
  g_assert_cmpstr (find_format (packets, 3 * 20 + 1), ==, "itm");
  packets[3 * 10] = 0;
  assert_no_trace (packets, 3 * 20);
}

/* Bytes of short dumps of a trace that was switched on: text with the time behind it, a watched
 * variable, exceptions. */
static void
test_short (void)
{
  static const char text[] = "boot ok, 3 tasks";
  g_autoptr (GByteArray) dump = g_byte_array_new ();
  guint n_taken = 0;

  for (guint i = 0; text[i] != '\0'; i++)
    {
      const guint8 packets[] = { 0x01, (guint8) text[i], (guint8) (0x10 + 0x10 * (i % 6)) };

      g_byte_array_append (dump, packets, sizeof packets);
    }
  g_assert_cmpstr (find_format (dump->data, dump->len), ==, "itm");
  g_byte_array_set_size (dump, 0);
  for (guint i = 0; i < 9; i++)
    {
      /* comparator 0 wrote a half-word; SysTick was entered, left, thread mode again */
      const guint8 packets[] = { 0x86, (guint8) (3 * i + 1), 0x01, 0x20, 0x0E, 0x0F, 0x10,
                                 0x30, 0x0E, 0x0F, 0x20, 0x10, 0x0E, 0x00, 0x30, 0x40 };

      g_byte_array_append (dump, packets, sizeof packets);
    }
  for (gsize n = 70; n <= dump->len; n++)
    n_taken += strcmp (find_format (dump->data, n), "itm") == 0;
  g_test_message ("%u of %u lengths", n_taken, dump->len - 69);
  g_assert_cmpuint (n_taken, >, 0);
}

/* What it turned out to be is forgotten at a reset. */
static void
test_reset (void)
{
  g_autoptr (GBytes) trace = read_capture ("discovery-itm.txt");
  g_autoptr (GBytes) stream = read_capture ("m4_short.cobs");
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("auto", &sink->parent, NULL, NULL);

  if (trace == NULL || stream == NULL)
    return;
  ts_decoder_push (decoder, 0, g_bytes_get_data (trace, NULL), g_bytes_get_size (trace));
  ts_decoder_flush (decoder);
  g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "itm");
  ts_decoder_reset (decoder);
  g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "auto");
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->bytes, ==, 0);
  g_array_set_size (sink->events, 0);
  ts_decoder_push (decoder, 0, g_bytes_get_data (stream, NULL), 5000);
  g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "va-cobs");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/auto/captures", test_captures);
  g_test_add_func ("/auto/pieces", test_pieces);
  g_test_add_func ("/auto/noise", test_noise);
  g_test_add_func ("/auto/foreign", test_foreign);
  g_test_add_func ("/auto/times", test_times);
  g_test_add_func ("/auto/unlucky", test_unlucky);
  g_test_add_func ("/auto/least", test_least);
  g_test_add_func ("/auto/short", test_short);
  g_test_add_func ("/auto/reset", test_reset);
  return g_test_run ();
}
