/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-decoder.c: the table of formats and the verbs every decoder has. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

static void
test_formats (void)
{
  static const char *const later[]
      = { "rtic", "kev", "snapshot" };
  g_autoptr (CollectSink) sink = collect_sink_new ();
  const char *const *names = ts_decoder_list_formats ();

  g_assert_true (g_strv_contains (names, "auto"));
  g_assert_true (g_strv_contains (names, "va"));
  g_assert_true (g_strv_contains (names, "va-cobs"));
  g_assert_true (g_strv_contains (names, "va-udprec"));
  for (; *names != NULL; names++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TsDecoder) decoder = ts_decoder_new (*names, &sink->parent, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (ts_decoder_get_format (decoder), ==, *names);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->bytes, ==, 0);
      ts_decoder_idle (decoder);
      ts_decoder_flush (decoder);
      ts_decoder_reset (decoder);
      ts_decoder_mark_loss (decoder, 0, 0);
      ts_decoder_flush (decoder);
    }
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_TASK_SWITCH), ==, 0);

  for (guint i = 0; i < G_N_ELEMENTS (later); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ts_decoder_new (later[i], &sink->parent, NULL, &error));
      g_assert_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_NOT_BUILT);
      g_assert_nonnull (strstr (error->message, later[i]));
    }
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (ts_decoder_new ("vax", &sink->parent, NULL, &error));
    g_assert_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT);
    g_assert_nonnull (strstr (error->message, "vax"));
  }
  ts_decoder_free (NULL);
}

/* Recognised by its first 4096 bytes, or by all there is. */
static void
test_auto (void)
{
  static const struct
  {
    const char *file;
    const char *format;
    gsize n_bytes;
  } cases[] = {
    { "m4_short.cobs", "va-cobs", 5000 },
    { "m4_short.raw", "va", 5000 },
    { "m4_short_udp.udprec", "va-udprec", 5000 },
    { "m4_noisy.cobs", "va-cobs", 5000 },
    { "v2_100.cobs", "va-cobs", 5000 },
    { "legacy_u16.cobs", "va-cobs", 5000 },
    { "m4_short.cobs", "va-cobs", 200 },
    { "m4_short.raw", "va", 200 },
    { "m4_short_udp.udprec", "va-udprec", 2000 },
    { "m4_short.cobs", "va-cobs", 14 },
    { "m4_short.raw", "va", 12 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = read_capture (cases[i].file);
      g_autoptr (CollectSink) sink = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new ("auto", &sink->parent, NULL, NULL);

      if (bytes == NULL)
        return;
      ts_decoder_push (decoder, 0, g_bytes_get_data (bytes, NULL), cases[i].n_bytes);
      if (cases[i].n_bytes < 4096)
        {
          g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "auto");
          ts_decoder_flush (decoder);
        }
      g_assert_cmpstr (ts_decoder_get_format (decoder), ==, cases[i].format);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->markers, ==, 1);
    }
}

/* A file of text stays unrecognised, however long it is. */
static void
test_not_recognised (void)
{
  static const char line[] = "2026-01-01 12:00:00 INFO nothing to see here, move along\n";
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("auto", &sink->parent, NULL, NULL);
  gsize n = 0;

  for (guint i = 0; i < 20000; i++)
    {
      ts_decoder_push (decoder, 0, (const guint8 *) line, strlen (line));
      n += strlen (line);
    }
  ts_decoder_flush (decoder);
  g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "auto");
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->packets, ==, 0);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->corrupt_bytes, ==, n);
}

/* After a reset everything is as in a new decoder. */
static void
test_reset (void)
{
  static const char *const formats[] = { "va-cobs", "auto" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      g_autoptr (GBytes) bytes = read_capture ("m4_short.cobs");
      g_autoptr (CollectSink) sink = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new (formats[f], &sink->parent, NULL, NULL);
      guint n_events;

      if (bytes == NULL)
        return;
      ts_decoder_push (decoder, 0, g_bytes_get_data (bytes, NULL), 30001);
      ts_decoder_reset (decoder);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->bytes, ==, 0);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->packets, ==, 0);
      g_assert_cmpstr (ts_decoder_get_format (decoder), ==, formats[f]);
      g_array_set_size (sink->events, 0);
      n_events = sink->objects->len;
      ts_decoder_push (decoder, 0, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      ts_decoder_flush (decoder);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->packets, ==, 9896);
      g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->time, ==, 50085292);
      g_assert_cmpuint (collect_sink_nth (sink, 5)->object, >, n_events);
    }
}

/* Where the stream does not tell its clock, the caller's counts; where it does, the stream's. */
static void
test_given_clock (void)
{
  static const guint8 silent[]
      = { 'V', 'A', 'Z', 2, 'S', 'Y', 'N', 'C', '0', '2', 0xAA, 0x55, 0x81, 0x03, 1, 0, 0, 0 };
  TsDecoderOptions options = { .clock_hz = 32768 };
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("va", &sink->parent, &options, NULL);
  g_autoptr (CollectSink) told = collect_sink_new ();
  g_autoptr (TsDecoder) telling = ts_decoder_new ("va-cobs", &told->parent, &options, NULL);
  g_autoptr (GBytes) bytes = read_capture ("m4_short.cobs");

  ts_decoder_push (decoder, 0, silent, sizeof silent);
  ts_decoder_flush (decoder);
  g_assert_cmpuint (sink->hz, ==, 32768);
  if (bytes == NULL)
    return;
  ts_decoder_push (telling, 0, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  ts_decoder_flush (telling);
  g_assert_cmpuint (told->hz, ==, 25000000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/decoder/formats", test_formats);
  g_test_add_func ("/decode/decoder/auto", test_auto);
  g_test_add_func ("/decode/decoder/not-recognised", test_not_recognised);
  g_test_add_func ("/decode/decoder/reset", test_reset);
  g_test_add_func ("/decode/decoder/given-clock", test_given_clock);
  return g_test_run ();
}
