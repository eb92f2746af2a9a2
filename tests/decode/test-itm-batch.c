/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-itm-batch.c: packets taken many at a time become the same events as those taken one by one,
 * which are those behind a formatter: the same bytes in frames are the measure.
 */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

#define FRAME 16
#define PAYLOAD 15

/* The bytes as frames of source 1, whose last is filled with short time stamps in both.
 * Source: itm-dwt.md section 7.1 */
static GByteArray *
put_into_frames (GByteArray *bytes)
{
  GByteArray *frames = g_byte_array_new ();
  static const guint8 filler = 0x10;

  while ((bytes->len + 1) % PAYLOAD != 0)
    g_byte_array_append (bytes, &filler, 1);
  for (guint at = 0; at < bytes->len;)
    {
      guint8 frame[FRAME] = { 0 };
      guint first = at == 0 ? 1 : 0;

      frame[0] = 3;
      for (guint i = first; i < PAYLOAD; i++)
        {
          guint8 byte = bytes->data[at++];

          frame[i] = i % 2 == 0 ? byte & 0xFE : byte;
          if (i % 2 == 0)
            frame[PAYLOAD] |= (guint8) ((byte & 1) << (i / 2));
        }
      g_byte_array_append (frames, frame, FRAME);
    }
  return frames;
}

static void
compare (GByteArray *bytes, const char *parameters)
{
  static const gsize slices[] = { 1, 7, 100 };
  g_autofree char *raw_format = g_strconcat ("itm:", parameters, NULL);
  g_autofree char *framed_format = g_strconcat ("tpiu:id=1,", parameters, NULL);
  g_autoptr (GByteArray) frames = put_into_frames (bytes);
  TsDecodeCounters counters;
  TsDecodeCounters framed_counters;
  g_autoptr (CollectSink) raw = decode_bytes (raw_format, bytes->data, bytes->len, &counters);
  g_autoptr (CollectSink) framed
      = decode_bytes (framed_format, frames->data, frames->len, &framed_counters);

  collect_sink_assert_equal (raw, framed);
  g_assert_cmpuint (counters.events, ==, framed_counters.events);
  g_assert_cmpuint (counters.packets, ==, framed_counters.packets);
  g_assert_cmpuint (counters.corrupt_bytes, ==, framed_counters.corrupt_bytes);
  for (guint i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      g_autoptr (CollectSink) sliced = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new (raw_format, &sliced->parent, NULL, NULL);

      for (gsize at = 0; at < bytes->len; at += slices[i])
        ts_decoder_push (decoder, 0, bytes->data + at, MIN (slices[i], bytes->len - at));
      ts_decoder_flush (decoder);
      collect_sink_assert_equal (raw, sliced);
    }
}

static void
append_hex (GByteArray *bytes, const char *hex)
{
  g_autoptr (GBytes) more = bytes_from_hex (hex);

  g_byte_array_append (bytes, g_bytes_get_data (more, NULL), (guint) g_bytes_get_size (more));
}

/* Cases where what was learned of a packet is true no more. */
static void
test_changes (void)
{
  static const char *const cases[] = {
    /* a port of text becomes one of data, and its page is left and come back to */
    "0B41424344 C005 0B45464748 C005 0B01000000 C005 0B41424344 C005 18 0B41424344 C005 0B41424344"
    "C005 08 0B41424344 C005",
    /* an access of another size, and back */
    "8F01000000 C005 8F02000000 C005 8D03 C005 8F04000000 C005 8D05 C005 8E0600 C005",
    /* PC and value of other comparators, of the same, twice, and with an address */
    "47AAB80008 8F01000000 C005 47AAB80008 8F01000000 C005 47AAB80008 9F02000000 C005"
    "57AAB80008 47ABB80008 9F02000000 8F01000000 C005 47AAB80008 47ACB80008 8F01000000 C005"
    "4E2400 8F01000000 C005 4E2400 47AAB80008 8F01000000 C005 47AAB80008 0E0F10 8F01000000 C005",
    /* sleep, no sample, sample */
    "1500 C005 1500 C005 15FF C005 1500 C005 1734120008 C005 1500 C005",
    /* exceptions that were not seen before */
    "0E0F10 C005 0E0F20 C005 0E0030 C005 0E1010 C005 0E0F10 C005 0E0F20 C005 0E1130 C005 0EFF11 C005",
    /* lines that end in the middle and at the end of a packet, without one, with a null */
    "0341420A43 C005 0344450A00 C005 030A0A0A0A C005 02460A C005 0100 C005 0141 C005 010A C005",
    /* a loss, delayed time stamps */
    "0E0F10 C005 70 0E0F20 C005 70 70 0E0F10 D005 0E0F20 E005 0E0F10 F005 0E0F20 C005",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();

      append_hex (bytes, cases[i]);
      compare (bytes, "sync=aligned");
    }
}

/* More events than can wait for a time stamp: at the limit, about it, and far more. */
static void
test_many_waiting (void)
{
  static const guint counts[] = { 126, 127, 128, 129, 130, 255, 256, 257, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();

      append_hex (bytes, "0E0F10 C005 0E0F20 C005");
      for (guint j = 0; j < counts[i]; j++)
        append_hex (bytes, j % 3 == 0 ? "0E0F10" : "1734120008");
      append_hex (bytes, "C007 0E0F20 C005");
      compare (bytes, "sync=aligned");
    }
}

/* Long text without an end. */
static void
test_long_lines (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  append_hex (bytes, "0141 C005");
  for (guint i = 0; i < 1000; i++)
    append_hex (bytes, i % 7 == 0 ? "0142" : i % 5 == 0 ? "024344" : "0345464748");
  append_hex (bytes, "C005");
  compare (bytes, "sync=aligned");
}

/* Packets of every kind in any order, now and then a damaged byte. */
static void
test_random (void)
{
  static const char *const packets[] = {
    "0348656C6C", "026F0A", "0141", "010A", "0B11223344", "0901", "1341424344", "1B00000001",
    "47AAB80008", "57AAB80008", "46AAB8", "4501", "4534", "4E2400", "4D24", "5F24000020",
    "8F01000000", "8D02", "9E3322", "B507", "AF77665544", "8701000000",
    "0E0F10", "0E0F20", "0E0030", "0E1010", "0E1020", "0E2321", "0E0F00",
    "1734120008", "1500", "15FF", "0515", "0520", "1D81", "2E2203",
    "C005", "C0F7C904", "D00D", "E0C226", "F0DEFED03A", "10", "20", "60", "70",
    "94D6E8C807", "B4969A9200", "9482CFFA77", "28", "08", "000000000080", "04",
  };
  static const char *const parameters[]
      = { "sync=aligned", "sync=auto,clock=100000", "sync=strict,clock=72000000", "sync=auto,prescaler=16" };

  for (guint round = 0; round < 120; round++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      guint n_kinds = (guint) g_test_rand_int_range (3, G_N_ELEMENTS (packets));
      guint n = (guint) g_test_rand_int_range (10, 1500);
      guint stamps = (guint) g_test_rand_int_range (2, 200);
      gboolean is_damaged = round % 3 == 0;

      append_hex (bytes, "000000000080");
      for (guint i = 0; i < n; i++)
        {
          guint which = ((guint) g_test_rand_int_range (0, (gint) n_kinds) * 7 + round)
                        % G_N_ELEMENTS (packets);

          append_hex (bytes, i % stamps == 0 ? "C008" : packets[which]);
          if (is_damaged && g_test_rand_int_range (0, 100) == 0)
            bytes->data[bytes->len - 1] = (guint8) g_test_rand_int_range (0, 256);
        }
      compare (bytes, parameters[round % G_N_ELEMENTS (parameters)]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/itm-batch/changes", test_changes);
  g_test_add_func ("/decode/itm-batch/many-waiting", test_many_waiting);
  g_test_add_func ("/decode/itm-batch/long-lines", test_long_lines);
  g_test_add_func ("/decode/itm-batch/random", test_random);
  return g_test_run ();
}
