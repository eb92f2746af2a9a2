/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-cobs.c: COBS frames, against the worked examples and a slow encoder. */
#include "config.h"

#include <string.h>

#include "decode/ts-cobs.h"

static void
check (const guint8 *frame, gsize n_frame, const guint8 *wanted, gsize n_wanted)
{
  guint8 out[4096];
  gssize n = ts_cobs_decode (frame, n_frame, out, sizeof out);

  g_assert_cmpint (n, ==, (gssize) n_wanted);
  g_assert_cmpmem (out, (gsize) n, wanted, n_wanted);
}

/* viewalyzer-wire.md section 16, examples 13 and 14. */
static void
test_examples (void)
{
  static const guint8 frame[] = { 0x04, 0x01, 0x64, 0x02, 0x01, 0x02, 0x01, 0x01 };
  static const guint8 packet[] = { 0x01, 0x64, 0x02, 0x00, 0x00, 0x01, 0x00 };
  static const guint8 marker_frame[]
      = { 0x0D, 'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55 };
  static const guint8 second[] = { 0x05, 0x81, 0x65, 0x03, 0x20, 0x02, 0x01, 0x01 };
  static const guint8 second_packet[] = { 0x81, 0x65, 0x03, 0x20, 0x00, 0x01, 0x00 };

  check (frame, sizeof frame, packet, sizeof packet);
  check (marker_frame, sizeof marker_frame, marker_frame + 1, 12);
  check (second, sizeof second, second_packet, sizeof second_packet);
  check (NULL, 0, NULL, 0);
}

static void
test_errors (void)
{
  static const guint8 past_end[] = { 0x05, 1, 2, 3 };
  static const guint8 zero_inside[] = { 0x02, 1, 0x00, 1 };
  static const guint8 good[] = { 0x04, 1, 2, 3, 0x02, 5 };
  guint8 out[16];

  g_assert_cmpint (ts_cobs_decode (past_end, sizeof past_end, out, sizeof out), ==, -1);
  g_assert_cmpint (ts_cobs_decode (zero_inside, sizeof zero_inside, out, sizeof out), ==, -1);
  g_assert_cmpint (ts_cobs_decode (good, sizeof good, out, 5), ==, 5);
  g_assert_cmpint (ts_cobs_decode (good, sizeof good, out, 4), ==, -1);
  g_assert_cmpint (ts_cobs_decode (good, sizeof good, out, 3), ==, -1);
}

/* A block of 254 bytes without a zero, at the end of the data: with the final code 01 and without.
 */
static void
test_full_block (void)
{
  guint8 frame[300];
  guint8 data[254];

  for (guint i = 0; i < 254; i++)
    data[i] = (guint8) (i + 1);
  frame[0] = 0xFF;
  memcpy (frame + 1, data, 254);
  check (frame, 255, data, 254);
  frame[255] = 0x01;
  check (frame, 256, data, 254);

  /* more behind it: no zero between */
  frame[255] = 0x02;
  frame[256] = 0x77;
  {
    guint8 longer[255];

    memcpy (longer, data, 254);
    longer[254] = 0x77;
    check (frame, 257, longer, 255);
  }
}

/* One byte at a time, as the definition says. */
static gsize
encode (const guint8 *data, gsize n_data, guint8 *out)
{
  gsize code_at = 0;
  gsize n = 1;
  guint8 code = 1;

  for (gsize i = 0; i < n_data; i++)
    {
      if (data[i] != 0)
        {
          out[n++] = data[i];
          code++;
        }
      if (data[i] == 0 || code == 0xFF)
        {
          out[code_at] = code;
          code_at = n++;
          code = 1;
        }
    }
  out[code_at] = code;
  return n;
}

static void
test_round_trip (void)
{
  g_autofree guint8 *data = g_malloc (1200);
  g_autofree guint8 *frame = g_malloc (1300);

  for (guint round = 0; round < 2000; round++)
    {
      gsize n = (gsize) g_test_rand_int_range (1, 1200);
      int zeros = g_test_rand_int_range (1, 600);

      for (gsize i = 0; i < n; i++)
        data[i]
            = g_test_rand_int_range (0, zeros) == 0 ? 0 : (guint8) g_test_rand_int_range (1, 256);
      check (frame, encode (data, n, frame), data, n);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/cobs/examples", test_examples);
  g_test_add_func ("/decode/cobs/errors", test_errors);
  g_test_add_func ("/decode/cobs/full-block", test_full_block);
  g_test_add_func ("/decode/cobs/round-trip", test_round_trip);
  return g_test_run ();
}
