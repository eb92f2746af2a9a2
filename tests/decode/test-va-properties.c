/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-va-properties.c: what holds for any bytes: the same events for any slicing, no crash, every
 * byte accounted for, time that never goes back (the collecting sink checks that).
 *
 * The seed is the one that the test program prints; `--seed` repeats a run.
 */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

typedef struct
{
  const char *file;
  const char *format;
  gsize n_bytes; /* so much of the file, 0: all */
} Input;

static const Input inputs[] = {
  { "m4_short.cobs", "va-cobs", 0 },         { "m4_short.raw", "va", 0 },
  { "m4_short_udp.udprec", "va-udprec", 0 }, { "m4_short.cobs", "auto", 20000 },
  { "m4_short.raw", "auto", 20000 },         { "m4_short_udp.udprec", "auto", 20000 },
  { "m4_noisy.cobs", "va-cobs", 0 },         { "legacy_early.cobs", "va-cobs", 40000 },
  { "legacy_u16.cobs", "va-cobs", 0 },       { "v2_100.cobs", "va-cobs", 30000 },
  { "v3_130.cobs", "auto", 30000 },
  { "Blinky+Arm/Blinky+Arm.SWO.raw", "auto", 0 },
  { "m4_short.itm_mixed.bin", "auto", 20000 },
  { "m4_short.tpiu.bin", "auto", 20000 },
  { "orbuculum-fastitm.tpiu.bin", "auto", 0 },
};

static gboolean
has_printed_text (const Input *input)
{
  return strstr (input->file, "itm") != NULL || strstr (input->file, "tpiu") != NULL;
}

typedef enum
{
  CUT_BYTES,
  CUT_SMALL,
  CUT_LARGE,
} Cut;

static GBytes *
read_input (const Input *input)
{
  g_autoptr (GBytes) all = read_capture (input->file);

  if (all == NULL)
    return NULL;
  return g_bytes_new_from_bytes (all, 0,
                                 input->n_bytes != 0 ? MIN (input->n_bytes, g_bytes_get_size (all))
                                                     : g_bytes_get_size (all));
}

static CollectSink *
decode_sliced (
    const char *format, const guint8 *bytes, gsize n_bytes, Cut cut, TsDecodeCounters *counters)
{
  CollectSink *sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &sink->parent, NULL, NULL);
  gsize at = 0;

  while (at < n_bytes)
    {
      gsize n
          = cut == CUT_BYTES ? 1 : (gsize) g_test_rand_int_range (1, cut == CUT_SMALL ? 40 : 9000);

      n = MIN (n, n_bytes - at);
      {
        /* a copy of its own, so that a look beyond the slice is found by the sanitizer */
        g_autofree guint8 *slice = g_memdup2 (bytes + at, n);

        ts_decoder_push (decoder, 0, slice, n);
      }
      at += n;
    }
  ts_decoder_flush (decoder);
  *counters = *ts_decoder_get_counters (decoder);
  return sink;
}

static void
compare_slicings (const char *format, const guint8 *bytes, gsize n_bytes)
{
  TsDecodeCounters whole_counters;
  g_autoptr (CollectSink) whole = decode_bytes (format, bytes, n_bytes, &whole_counters);

  for (guint cut = CUT_BYTES; cut <= CUT_LARGE; cut++)
    {
      TsDecodeCounters counters;
      g_autoptr (CollectSink) sink = decode_sliced (format, bytes, n_bytes, cut, &counters);

      collect_sink_assert_equal (whole, sink);
      g_assert_cmpmem (&whole_counters, sizeof counters, &counters, sizeof counters);
    }
}

static void
test_slicing (gconstpointer data)
{
  const Input *input = data;
  g_autoptr (GBytes) bytes = read_input (input);

  if (bytes != NULL)
    compare_slicings (input->format, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* Flips, cuts, swaps and repeats pieces of @bytes. */
static GByteArray *
damage (const guint8 *bytes, gsize n_bytes, guint n_hits)
{
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, bytes, (guint) n_bytes);
  for (guint i = 0; i < n_hits && out->len > 200; i++)
    {
      guint at = (guint) g_test_rand_int_range (0, (gint32) out->len - 100);
      guint n = (guint) g_test_rand_int_range (1, 60);

      switch (g_test_rand_int_range (0, 5))
        {
        case 0:
          out->data[at] ^= (guint8) (1 << g_test_rand_int_range (0, 8));
          break;
        case 1:
          g_byte_array_remove_range (out, at, n);
          break;
        case 2:
          for (guint k = 0; k < n; k++)
            out->data[at + k] = (guint8) g_test_rand_int_range (0, 256);
          break;
        case 3:
          out->data[at] = 0;
          break;
        default:
          memmove (out->data + at, out->data + g_test_rand_int_range (0, (gint32) out->len - 100),
                   n);
          break;
        }
    }
  return out;
}

static void
test_corruption (gconstpointer data)
{
  const Input *input = data;
  g_autoptr (GBytes) bytes = read_input (input);

  if (bytes == NULL)
    return;
  for (guint round = 0; round < 25; round++)
    {
      gsize n = MIN (g_bytes_get_size (bytes), 12000);
      gsize from = (gsize) g_test_rand_int_range (0, (gint32) (g_bytes_get_size (bytes) - n + 1));
      g_autoptr (GByteArray) damaged
          = damage ((const guint8 *) g_bytes_get_data (bytes, NULL) + from, n,
                    (guint) g_test_rand_int_range (1, 60));

      compare_slicings (input->format, damaged->data, damaged->len);
    }
}

/* Bytes without any sense, of a few kinds. */
static void
test_noise (void)
{
  static const char *const formats[] = { "va", "va-cobs", "va-udprec", "auto" };
  g_autofree guint8 *noise = g_malloc (6000);

  for (guint round = 0; round < 60; round++)
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
      {
        gsize n = (gsize) g_test_rand_int_range (1, 6000);
        int span = g_test_rand_int_range (2, 257);

        for (gsize i = 0; i < n; i++)
          noise[i] = (guint8) g_test_rand_int_range (0, span);
        compare_slicings (formats[f], noise, n);
      }
}

/* A capture that ends anywhere: all packets before are there, what is cut is counted. */
static void
test_truncation (void)
{
  static const struct
  {
    const char *file;
    const char *format;
  } small[] = { { "m4_short.cobs", "va-cobs" },
                { "m4_short.raw", "va" },
                { "m4_short_udp.udprec", "va-udprec" },
                { "legacy_u16.cobs", "va-cobs" } };

  for (guint i = 0; i < G_N_ELEMENTS (small); i++)
    {
      g_autoptr (GBytes) bytes = read_capture (small[i].file);
      guint64 last = 0;

      if (bytes == NULL)
        return;
      for (gsize n = 1; n < 1500; n++)
        {
          TsDecodeCounters counters;
          g_autoptr (CollectSink) sink G_GNUC_UNUSED
              = decode_bytes (small[i].format, g_bytes_get_data (bytes, NULL), n, &counters);

          if (counters.packets < last)
            g_test_message ("%s cut at %" G_GSIZE_FORMAT, small[i].file, n);
          g_assert_cmpuint (counters.bytes, ==, n);
          g_assert_cmpuint (counters.packets, >=, last);
          g_assert_cmpuint (counters.packets, <=, last + 1);
          g_assert_cmpuint (counters.lost_packets, ==, 0);
          g_assert_cmpuint (counters.corrupt_bytes + counters.skipped_bytes, <=, 60);
          last = counters.packets;
        }
      g_assert_cmpuint (last, >, 30);
    }
}

/* A pause anywhere changes when events come, not which: the target's packets are the same. */
static void
test_pauses (gconstpointer data)
{
  const Input *input = data;
  g_autoptr (GBytes) bytes = read_input (input);
  TsDecodeCounters whole;
  g_autoptr (CollectSink) a = NULL;
  g_autoptr (CollectSink) b = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new (input->format, &b->parent, NULL, NULL);
  const guint8 *p;
  gsize n;

  if (bytes == NULL)
    return;
  p = g_bytes_get_data (bytes, NULL);
  n = g_bytes_get_size (bytes);
  a = decode_bytes (input->format, p, n, &whole);
  while (n > 0)
    {
      gsize len = (gsize) g_test_rand_int_range (1, 400);

      len = MIN (len, n);
      ts_decoder_push (decoder, 0, p, len);
      ts_decoder_idle (decoder);
      p += len;
      n -= len;
    }
  ts_decoder_flush (decoder);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->events, ==, whole.events);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->lost_packets, ==, whole.lost_packets);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->corrupt_bytes, ==, whole.corrupt_bytes);
  g_assert_cmpuint (a->events->len, ==, b->events->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      g_autofree char *slicing
          = g_strdup_printf ("/decode/properties/slicing/%s/%s", inputs[i].file, inputs[i].format);
      g_autofree char *corruption = g_strdup_printf ("/decode/properties/corruption/%s/%s",
                                                     inputs[i].file, inputs[i].format);
      g_autofree char *pauses
          = g_strdup_printf ("/decode/properties/pauses/%s/%s", inputs[i].file, inputs[i].format);

      g_test_add_data_func (slicing, &inputs[i], test_slicing);
      g_test_add_data_func (corruption, &inputs[i], test_corruption);
      /* what is printed on a port of a trace is a line at a pause, too */
      if (strcmp (inputs[i].file, "m4_noisy.cobs") != 0 && !has_printed_text (&inputs[i]))
        g_test_add_data_func (pauses, &inputs[i], test_pauses);
    }
  g_test_add_func ("/decode/properties/noise", test_noise);
  g_test_add_func ("/decode/properties/truncation", test_truncation);
  return g_test_run ();
}
