/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-va-names.c: names that a ring dropped, put back from the recorder's table. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-va-encoder.h"
#include "decode/ts-va-names.h"

/* Example 20 of viewalyzer-wire.md: the clock, task 1 "main" and its data. */
static const guint8 table[49] = {
  0x10, 0x00, 0x7F, 0x00, 0x00, 0x0C, 0x43, 0x4C, 0x4B, 0x3A, 0x34, 0x38, 0x30, 0x30, 0x30, 0x30,
  0x30, 0x30, 0x08, 0x00, 0x70, 0x00, 0x01, 0x04, 0x6D, 0x61, 0x69, 0x6E, 0x13, 0x00, 0x03, 0x00,
  0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
  0x00,
};

/* A stream that begins with a marker, a session and a checkpoint, then @n events of which those from
 * @from to before @to are missing, and a last checkpoint. @n_first: bytes before the gap. */
static GByteArray *
make_stream (guint n,
             guint from,
             guint to,
             gsize *n_first)
{
  GByteArray *bytes = g_byte_array_new ();
  TsVaEncoder encoder;

  ts_va_encoder_init (&encoder, bytes, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW);
  ts_va_encoder_marker (&encoder);
  ts_va_encoder_info (&encoder, "SES:START");
  ts_va_encoder_checkpoint (&encoder, 1000);
  *n_first = 0;
  for (guint i = 0; i < n; i++)
    {
      guint before = bytes->len;

      ts_va_encoder_event_u32 (&encoder, TS_VA_COUNTER, 1, 2000 + 10 * i, i);
      if (i < from || i >= to)
        continue;
      *n_first = before;
      g_byte_array_set_size (bytes, before);
    }
  ts_va_encoder_checkpoint (&encoder, 2000 + 10 * n);

  return bytes;
}

/* Loss of what comes out when @n_told bytes of the stream were told before. */
static guint64
decode_put_back (const GByteArray *stream,
                 gsize n_told,
                 guint32 n_dropped,
                 guint n_expected)
{
  TsVaNames names;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (CollectSink) sink = NULL;
  TsDecodeCounters counters;
  guint n_names = 0;
  gboolean is_complete;

  ts_va_names_init (&names);
  ts_va_names_take (&names, stream->data, n_told);
  g_byte_array_append (out, stream->data, (guint) n_told);
  is_complete = ts_va_names_put_back (&names, stream->data + n_told, stream->len - n_told, table,
                                      sizeof table, n_dropped, out, &n_names);
  g_assert_cmpuint (n_names, ==, n_expected);
  g_assert_cmpint (is_complete, ==, n_expected == 3);
  /* a second time there is nothing to put back */
  if (is_complete)
    {
      gsize n_before = out->len;

      g_assert_true (ts_va_names_put_back (&names, stream->data, 0, table, sizeof table, 100, out,
                                           &n_names));
      g_assert_cmpuint (n_names, ==, 0);
      g_assert_cmpuint (out->len, ==, n_before);
    }
  ts_va_names_clear (&names);

  sink = decode_bytes ("va", out->data, out->len, &counters);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.skipped_bytes, ==, 0);
  g_assert_cmpuint (counters.sessions, ==, 1);
  if (is_complete)
    {
      const TsObject *task = collect_sink_find (sink, TS_OBJECT_TASK, "main");

      g_assert_nonnull (task);
      g_assert_cmpint (task->priority, ==, 2);
      g_assert_cmpuint (sink->hz, ==, 48000000);
    }

  return counters.lost_packets;
}

/* Three of those that are missing come back; the others are counted, as many as there are. */
static void
test_gap (void)
{
  static const guint sizes[] = { 3, 4, 40, 255, 256, 257, 258, 700 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gsize n_first;
      g_autoptr (GByteArray) stream = make_stream (900, 100, 100 + sizes[i], &n_first);
      gboolean is_seen = sizes[i] % 256 != 0;

      /* the gap within what is told now, at its beginning, and behind it */
      g_assert_cmpuint (decode_put_back (stream, 0, sizes[i], is_seen ? 3 : 0), ==,
                        is_seen ? sizes[i] - 3 : sizes[i]);
      g_assert_cmpuint (decode_put_back (stream, n_first, sizes[i], is_seen ? 3 : 0), ==,
                        is_seen ? sizes[i] - 3 : sizes[i]);
      g_assert_cmpuint (decode_put_back (stream, stream->len, sizes[i], 0), ==, sizes[i]);
    }
}

/* No room for all of them: as many as there is room for. */
static void
test_room (void)
{
  gsize n_first;
  g_autoptr (GByteArray) stream = make_stream (300, 100, 102, &n_first);

  g_assert_cmpuint (decode_put_back (stream, n_first, 2, 2), ==, 0);
}

/* What the stream tells is not put back. */
static void
test_told (void)
{
  TsVaNames names;
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (GByteArray) out = g_byte_array_new ();
  TsVaEncoder encoder;
  guint n_names = 9;

  ts_va_encoder_init (&encoder, stream, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW);
  for (gsize at = 0; at < sizeof table; at += 2u + table[at])
    {
      guint begin = stream->len;

      g_byte_array_append (stream, table + at + 2, table[at]);
      stream->data[begin + 1] = (guint8) (7 + begin % 3);
    }
  ts_va_names_init (&names);
  g_assert_true (ts_va_names_put_back (&names, stream->data, stream->len, table, sizeof table, 500,
                                       out, &n_names));
  g_assert_cmpuint (n_names, ==, 0);
  g_assert_cmpmem (out->data, out->len, stream->data, stream->len);
  /* the target began anew */
  ts_va_names_restart (&names);
  g_assert_false (ts_va_names_put_back (&names, NULL, 0, table, sizeof table, 500, out, &n_names));
  ts_va_names_clear (&names);
}

/* Tables and streams of no sense: every byte of the stream comes out, in order. */
static void
test_hostile (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 2000; round++)
    {
      gsize n_first;
      g_autoptr (GByteArray) stream = make_stream (40, 10, 25, &n_first);
      g_autoptr (GByteArray) out = g_byte_array_new ();
      guint8 bad[sizeof table];
      TsVaNames names;
      guint n_names;
      gsize at = 0;

      memcpy (bad, table, sizeof bad);
      for (guint i = g_rand_int_range (rand, 0, 4); i > 0; i--)
        bad[g_rand_int_range (rand, 0, sizeof bad)] = (guint8) g_rand_int (rand);
      for (guint i = g_rand_int_range (rand, 0, 4); i > 0; i--)
        stream->data[g_rand_int_range (rand, 0, (gint32) stream->len)] = (guint8) g_rand_int (rand);
      ts_va_names_init (&names);
      (void) ts_va_names_put_back (&names, stream->data, stream->len, bad,
                                   (gsize) g_rand_int_range (rand, 0, sizeof bad + 1),
                                   g_rand_int (rand), out, &n_names);
      ts_va_names_clear (&names);
      g_assert_cmpuint (out->len, >=, stream->len);
      for (guint i = 0; i < out->len && at < stream->len; i++)
        at += out->data[i] == stream->data[at];
      g_assert_cmpuint (at, ==, stream->len);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/va-names/gap", test_gap);
  g_test_add_func ("/decode/va-names/room", test_room);
  g_test_add_func ("/decode/va-names/told", test_told);
  g_test_add_func ("/decode/va-names/hostile", test_hostile);

  return g_test_run ();
}
