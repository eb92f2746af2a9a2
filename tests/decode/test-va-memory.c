/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-va-memory.c: control blocks, rings, names and the metadata table in target memory. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-cobs.h"
#include "decode/ts-va-memory.h"

#define LIVE_MAGIC "ViewAlyzerRB01\0"
#define PM_MAGIC "ViewAlyzerPM01\0"

static void
put_u32 (guint8 *at,
         guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static void
make_live_block (guint8 *bytes,
                 guint32 buffer,
                 guint32 size,
                 guint32 wr,
                 guint32 rd)
{
  memset (bytes, 0, TS_VA_LIVE_BLOCK_LEN);
  memcpy (bytes, LIVE_MAGIC, 16);
  put_u32 (bytes + 16, buffer);
  put_u32 (bytes + 20, size);
  put_u32 (bytes + 24, wr);
  put_u32 (bytes + 28, rd);
  bytes[44] = 1;
  bytes[45] = 4;
}

/* Frames of a COBS stream, decoded, each in front of its length. */
static GPtrArray *
split_cobs (GByteArray *stream)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize from = 0;

  for (gsize i = 0; i < stream->len; i++)
    if (stream->data[i] == 0)
      {
        guint8 out[2048];
        gssize n = ts_cobs_decode (stream->data + from, i - from, out, sizeof out);

        g_ptr_array_add (frames, g_bytes_new (out, n < 0 ? 0 : (gsize) n));
        from = i + 1;
      }
  g_assert_cmpuint (from, ==, stream->len);

  return frames;
}

static void
assert_frame (GPtrArray *frames,
              guint i,
              const char *expected,
              gsize n_expected)
{
  gsize n;
  gconstpointer bytes = g_bytes_get_data (g_ptr_array_index (frames, i), &n);

  g_assert_cmpmem (bytes, n, expected, n_expected);
}

/* Source: viewalyzer-wire.md section 16, example 18 */
static void
test_example_18 (void)
{
  static const guint8 head[] = { 0x00, 0x00, 0x07, 0x01, 0x91, 0x02, 0x40, 0x10, 0x00, 0x00 };
  static const guint8 tail[] = { 0x07, 0x81, 0x90, 0x02, 0x00, 0x10 };
  TsVaBlock block = { .kind = TS_VA_BLOCK_POST_MORTEM,
                      .size = 32,
                      .read_offset = 26,
                      .write_offset = 10,
                      .wire_version = 1 };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (GPtrArray) frames = NULL;
  guint8 ring[32];
  TsVaWalk walk;

  memset (ring, 0xEE, sizeof ring);
  memcpy (ring, head, sizeof head);
  memcpy (ring + 26, tail, sizeof tail);
  g_assert_cmpuint (ts_va_block_get_used (&block), ==, 16);

  ts_va_post_mortem_to_cobs (&block, ring, NULL, out, &walk);
  g_assert_cmpuint (walk.n_window, ==, 16);
  g_assert_cmpuint (walk.n_frames, ==, 2);
  g_assert_cmpuint (walk.n_damaged, ==, 0);
  frames = split_cobs (out);
  g_assert_cmpuint (frames->len, ==, 2);
  assert_frame (frames, 0, "\x81\x90\x02\x00\x10\x00\x00", 7);
  assert_frame (frames, 1, "\x01\x91\x02\x40\x10\x00\x00", 7);
}

/* Source: viewalyzer-wire.md section 16, example 19 */
static void
test_example_19 (void)
{
  static const guint8 bytes[TS_VA_LIVE_BLOCK_LEN] = {
    0x56, 0x69, 0x65, 0x77, 0x41, 0x6C, 0x79, 0x7A, 0x65, 0x72, 0x52, 0x42, 0x30, 0x31, 0x00, 0x00,
    0x00, 0x04, 0x00, 0x20, 0x00, 0x20, 0x00, 0x00, 0x23, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x80, 0xFE, 0x21, 0x0A, 0x01, 0x04, 0x02, 0x01,
  };
  TsVaBlock block;

  g_assert_true (ts_va_block_parse (0x20000100, bytes, sizeof bytes, &block));
  g_assert_cmpint (block.kind, ==, TS_VA_BLOCK_LIVE);
  g_assert_cmphex (block.address, ==, 0x20000100);
  g_assert_cmphex (block.buffer, ==, 0x20000400);
  g_assert_cmpuint (block.size, ==, 8192);
  g_assert_cmphex (block.write_offset, ==, 0x123);
  g_assert_cmphex (block.read_offset, ==, 0x100);
  g_assert_cmpuint (ts_va_block_get_used (&block), ==, 35);
  g_assert_cmpuint (block.dropped, ==, 2);
  g_assert_false (block.is_blocking);
  g_assert_true (block.has_metadata);
  g_assert_cmpuint (block.clock_hz, ==, 170000000);
  g_assert_cmpuint (block.wire_version, ==, 1);
  g_assert_cmphex (block.version, ==, 0x102);

  /* older recorders: the block ends after the flags */
  g_assert_true (ts_va_block_parse (0x20000100, bytes, TS_VA_OLD_LIVE_BLOCK_LEN, &block));
  g_assert_cmpuint (block.clock_hz, ==, 0);
  g_assert_false (ts_va_block_parse (0x20000100, bytes, TS_VA_OLD_LIVE_BLOCK_LEN - 1, &block));
}

/* Source: viewalyzer-wire.md section 16, example 20 */
static void
test_example_20 (void)
{
  static const guint8 table[] = {
    0x10, 0x00, 0x7F, 0x00, 0x00, 0x0C, 0x43, 0x4C, 0x4B, 0x3A, 0x34, 0x38, 0x30, 0x30, 0x30, 0x30,
    0x30, 0x30, 0x08, 0x00, 0x70, 0x00, 0x01, 0x04, 0x6D, 0x61, 0x69, 0x6E, 0x13, 0x00, 0x03, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
    0x00,
  };
  static const guint8 marker[] = { 'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55 };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint n_packets;
  /* the answer of the example, behind a packet that was there before */
  static const guint8 answer[] = {
    0x01, 0x2B, 0x02, 0x00, 0x20, 0x00, 0x00, 0x56, 0x41, 0x5A, 0x01, 0x53, 0x59,
    0x4E, 0x43, 0x30, 0x31, 0xAA, 0x55, 0x16, 0x2C, 0x00, 0x00, 0x30, 0x00, 0x00,
    0x2C, 0x01, 0x00, 0x00, 0x81, 0x2D, 0x01, 0x00, 0x30, 0x00, 0x00,
  };
  gsize at = 0;
  guint32 ticks = 0;

  g_assert_cmpuint (sizeof table, ==, 49);
  g_assert_true (ts_va_metadata_find_answer (answer, sizeof answer, 300, &at, &ticks));
  g_assert_cmpuint (at, ==, 7);
  g_assert_cmphex (ticks, ==, 0x3000);
  g_assert_false (ts_va_metadata_find_answer (answer, sizeof answer, 301, &at, &ticks));
  g_assert_false (ts_va_metadata_find_answer (answer, sizeof answer, 300 + 256, &at, &ticks));
  g_assert_false (ts_va_metadata_find_answer (answer, 7 + 12 + 10, 300, &at, &ticks));

  g_assert_true (ts_va_metadata_table_to_raw (table, sizeof table, 300, &ticks, out, &n_packets));
  g_assert_cmpuint (n_packets, ==, 3);
  g_assert_cmpuint (out->len, ==, 12 + 16 + 8 + 19);
  g_assert_cmpmem (out->data, 12, marker, 12);
  /* numbered up to the checkpoint's 0x2C; the one with a time has the checkpoint's */
  g_assert_cmpmem (out->data + 12, 4, "\x7F\x29\x00\x0C", 4);
  g_assert_cmpmem (out->data + 28, 8, "\x70\x2A\x01\x04main", 8);
  g_assert_cmpmem (out->data + 36, 7, "\x03\x2B\x01\x00\x30\x00\x00", 7);

  /* without a time that packet is left out */
  g_byte_array_set_size (out, 0);
  g_assert_true (ts_va_metadata_table_to_raw (table, sizeof table, 1, NULL, out, &n_packets));
  g_assert_cmpuint (n_packets, ==, 2);
  g_assert_cmpmem (out->data + 12, 4, "\x7F\xFF\x00\x0C", 4);
  g_assert_cmpmem (out->data + 28, 8, "\x70\x00\x01\x04main", 8);
  g_assert_cmpuint (out->len, ==, 12 + 16 + 8);

  for (gsize n = 0; n < sizeof table; n++)
    {
      g_byte_array_set_size (out, 0);
      g_assert_cmpint (ts_va_metadata_table_to_raw (table, n, 0, &ticks, out, &n_packets), ==,
                       n == 0 || n == 18 || n == 28);
      g_assert_cmpuint (n_packets, ==, n < 18 ? 0 : n < 28 ? 1 : 2);
    }
}

/* Names first, numbered so that the oldest frame follows them. Source: viewalyzer-wire.md section
 * 12.3 */
static void
test_names (void)
{
  static const guint8 ring[32] = { 7, 0x81, 0x02, 1, 0x00, 0x10, 0, 0 };
  static const guint8 names[] = "VAZ\x01SYNC01\xAA\x55"
                                "\x70\x77\x01\x04main"
                                "\x71\x50\x19\x02up"
                                "\x33";
  TsVaBlock block = { .kind = TS_VA_BLOCK_POST_MORTEM,
                      .size = 32,
                      .write_offset = 8,
                      .wire_version = 1,
                      .n_names = sizeof names - 1 };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autoptr (GPtrArray) frames = NULL;
  g_autoptr (TsDecoder) decoder = NULL;
  g_autoptr (CollectSink) sink = collect_sink_new ();
  const TsDecodeCounters *counters;
  TsVaWalk walk;

  ts_va_post_mortem_to_cobs (&block, ring, names, out, &walk);
  g_assert_cmpuint (walk.n_names, ==, 2);
  g_assert_cmpuint (walk.n_names_damaged, ==, 1);
  g_assert_cmpuint (walk.n_frames, ==, 1);
  frames = split_cobs (out);
  g_assert_cmpuint (frames->len, ==, 4);
  assert_frame (frames, 1, "\x70\x00\x01\x04main", 8);
  assert_frame (frames, 2, "\x71\x01\x19\x02up", 6);
  assert_frame (frames, 3, "\x81\x02\x01\x00\x10\x00\x00", 7);

  decoder = ts_decoder_new ("va-cobs", (TsEventSink *) sink, NULL, NULL);
  ts_decoder_push (decoder, 0, out->data, out->len);
  ts_decoder_flush (decoder);
  counters = ts_decoder_get_counters (decoder);
  g_assert_cmpuint (counters->events, ==, 1);
  g_assert_cmpuint (counters->lost_packets, ==, 0);
  g_assert_cmpuint (counters->corrupt_bytes, ==, 0);
}

/* A chain of frames with one of them spoilt: the others are found again. */
static void
test_damaged_frame (void)
{
  enum { N = 20 };
  guint8 ring[256];
  TsVaBlock block = { .kind = TS_VA_BLOCK_POST_MORTEM,
                      .size = sizeof ring,
                      .read_offset = 200,
                      .write_offset = (200 + N * 8) % sizeof ring,
                      .wire_version = 1 };

  for (guint spoilt = 0; spoilt < N; spoilt++)
    {
      g_autoptr (GByteArray) out = g_byte_array_new ();
      TsVaWalk walk;

      memset (ring, 0xFF, sizeof ring);
      for (guint i = 0; i < N; i++)
        {
          const guint8 frame[8] = {
            7, i % 2 == 0 ? 0x81 : 0x01, (guint8) i, 1, (guint8) (i * 16), 0x10, 0, 0,
          };

          for (guint k = 0; k < sizeof frame; k++)
            ring[(200 + i * 8 + k) % sizeof ring] = frame[k];
        }
      ring[(200 + spoilt * 8) % sizeof ring] = 200; /* the length byte */

      ts_va_post_mortem_to_cobs (&block, ring, NULL, out, &walk);
      g_assert_cmpuint (walk.n_window, ==, N * 8);
      g_assert_cmpuint (walk.n_frames, ==, N - 1);
      g_assert_cmpuint (walk.n_damaged, ==, 8);
    }
}

/* Fields that make no sense are refused, one at a time. */
static void
test_hostile_blocks (void)
{
  static const struct
  {
    guint32 buffer, size, wr, rd, flags;
  } bad[] = {
    { 0, 1024, 0, 0, 0 },
    { 0x20000000, 0, 0, 0, 0 },
    { 0x20000000, 16, 0, 0, 0 },
    { 0x20000000, TS_VA_MAX_RING + 1, 0, 0, 0 },
    { 0xFFFFFF00, 1024, 0, 0, 0 },
    { 0x20000000, 1024, 1024, 0, 0 },
    { 0x20000000, 1024, 0, 1024, 0 },
    { 0x20000000, 1024, 0xFFFFFFFF, 0, 0 },
    { 0x20000000, 1024, 0, 0, 2 },
    { 0x20000000, 1024, 0, 0, 0x80000000 },
  };
  guint8 bytes[TS_VA_LIVE_BLOCK_LEN];
  TsVaBlock block;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      make_live_block (bytes, bad[i].buffer, bad[i].size, bad[i].wr, bad[i].rd);
      put_u32 (bytes + 36, bad[i].flags);
      g_assert_false (ts_va_block_parse (0x20000000, bytes, sizeof bytes, &block));
    }
  make_live_block (bytes, 0x20000000, 1024, 1023, 1023);
  g_assert_true (ts_va_block_parse (0x20000000, bytes, sizeof bytes, &block));
  g_assert_cmpuint (ts_va_block_get_used (&block), ==, 0);
  bytes[15] = 1;
  g_assert_false (ts_va_block_parse (0x20000000, bytes, sizeof bytes, &block));
}

static void
test_image (void)
{
  guint8 memory[256] = { 0 };
  TsVaImage image = { 0x20000002, memory, sizeof memory };
  TsVaBlockKind kind;
  gsize at = 0;

  memcpy (memory + 20, LIVE_MAGIC, 16);  /* not at an address divisible by four */
  memcpy (memory + 66, PM_MAGIC, 16);    /* 0x20000044 */
  memcpy (memory + 246, LIVE_MAGIC, 10); /* cut off */
  g_assert_true (ts_va_image_find (&image, &at, &kind));
  g_assert_cmpuint (at, ==, 66);
  g_assert_cmpint (kind, ==, TS_VA_BLOCK_POST_MORTEM);
  at += 16;
  g_assert_false (ts_va_image_find (&image, &at, &kind));

  g_assert_true (ts_va_image_get (&image, 0x20000002, 256) == memory);
  g_assert_true (ts_va_image_get (&image, 0x20000101, 1) == memory + 255);
  g_assert_null (ts_va_image_get (&image, 0x20000001, 1));
  g_assert_null (ts_va_image_get (&image, 0x20000102, 1));
  g_assert_null (ts_va_image_get (&image, 0x20000101, 2));
  g_assert_null (ts_va_image_get (&image, 0xFFFFFFFF, G_MAXSIZE));
}

/* Any ring gives frames that a decoder takes without an event too many. */
static void
test_random_rings (void)
{
  for (guint round = 0; round < 300; round++)
    {
      guint32 size = (guint32) g_test_rand_int_range (TS_VA_MIN_RING, 600);
      g_autofree guint8 *ring = g_malloc (size);
      g_autoptr (GByteArray) out = g_byte_array_new ();
      g_autoptr (CollectSink) sink = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new ("va-cobs", (TsEventSink *) sink, NULL, NULL);
      guint8 names[64];
      TsVaBlock block = { .kind = TS_VA_BLOCK_POST_MORTEM,
                          .size = size,
                          .read_offset = (guint32) g_test_rand_int_range (0, (gint32) size),
                          .write_offset = (guint32) g_test_rand_int_range (0, (gint32) size),
                          .wire_version = 1 + round % 3,
                          .n_names = sizeof names };
      TsVaWalk walk;

      for (guint i = 0; i < size; i++)
        ring[i] = (guint8) (round % 2 == 0 ? g_test_rand_int () : g_test_rand_int_range (0, 9));
      for (guint i = 0; i < sizeof names; i++)
        names[i] = (guint8) g_test_rand_int ();
      ts_va_post_mortem_to_cobs (&block, ring, names, out, &walk);
      g_assert_cmpuint (walk.n_window, ==, ts_va_block_get_used (&block));
      g_assert_cmpuint (walk.n_damaged, <=, walk.n_window);
      ts_decoder_push (decoder, 0, out->data, out->len);
      ts_decoder_flush (decoder);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/va-memory/example-18", test_example_18);
  g_test_add_func ("/decode/va-memory/example-19", test_example_19);
  g_test_add_func ("/decode/va-memory/example-20", test_example_20);
  g_test_add_func ("/decode/va-memory/names", test_names);
  g_test_add_func ("/decode/va-memory/damaged-frame", test_damaged_frame);
  g_test_add_func ("/decode/va-memory/hostile-blocks", test_hostile_blocks);
  g_test_add_func ("/decode/va-memory/image", test_image);
  g_test_add_func ("/decode/va-memory/random-rings", test_random_rings);

  return g_test_run ();
}
