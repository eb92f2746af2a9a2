/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-itm-decoder.c: trace packets as events, and recorders behind ITM and formatter frames. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

static const TsEvent *
nth_of (CollectSink *sink, TsEventKind kind, guint n)
{
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (event->kind == kind && n-- == 0)
        return event;
    }
  g_assert_not_reached ();
}

/* Source: itm-dwt.md section 6 */
static void
test_times (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink
      = decode_hex ("itm", "000000000080 1734120008 10 1500 20 15FF 30 1778560008 40", &counters);
  static const struct
  {
    gint64 time;
    gint64 value;
  } want[] = { { 0, 0x08001234 }, { 2, 0 }, { 5, -1 }, { 9, 0x08005678 } };

  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_DWT_PC), ==, G_N_ELEMENTS (want));
  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    {
      const TsEvent *event = nth_of (sink, TS_EVENT_DWT_PC, i);

      g_assert_cmpint (event->time, ==, want[i].time);
      g_assert_cmpint (event->value, ==, want[i].value);
      g_assert_cmpuint (event->flags, ==, 0);
    }
  g_assert_cmpuint (counters.events, ==, 4);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
}

/* Time stamps that were delayed say so. */
static void
test_quality (void)
{
  g_autoptr (CollectSink) sink = decode_hex ("itm", "0E0F10 C005 0E0F20 D005 0E0030 E005", NULL);

  g_assert_cmpuint (nth_of (sink, TS_EVENT_DWT_EXC, 0)->flags, ==, TS_EVENT_FLAG_START);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_DWT_EXC, 1)->flags, ==,
                    TS_EVENT_FLAG_END | TS_EVENT_FLAG_TIME_ESTIMATED);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_DWT_EXC, 2)->flags, ==, TS_EVENT_FLAG_TIME_ESTIMATED);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_EXC, 2)->detail, ==, 3);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_EXC, 2)->time, ==, 10);
  g_assert_nonnull (collect_sink_find (sink, TS_OBJECT_EXCEPTION, "SysTick"));
}

static void
test_data (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("itm", "47AAB800088FC2000000 C001 4E24008D2A C001 B507 C001 47AAB80008 C001"
                           "4501 0520 1D81 70 C001",
                    NULL);
  const TsEvent *event = nth_of (sink, TS_EVENT_DWT_DATA, 0);

  g_assert_cmpint (event->value, ==, 0xC2);
  g_assert_cmpint (event->detail, ==, 0x0800B8AA);
  g_assert_cmpuint (event->flags, ==, TS_EVENT_FLAG_START);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_DATA, 1)->value, ==, 0x2A);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_DWT_DATA, 2)->flags, ==, TS_EVENT_FLAG_END);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_DATA_PC, 0)->detail, ==, 0x24);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_DATA_PC, 1)->value, ==, 0x0800B8AA);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_DWT_MATCH), ==, 1);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DWT_COUNTERS, 0)->value, ==, 0x20);
  g_assert_cmpint (nth_of (sink, TS_EVENT_PMU_OVERFLOW, 0)->value, ==, 0x81);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_ITM_OVERFLOW), ==, 1);
}

/* Source: itm-dwt.md section 5, example 20 */
static void
test_global_time (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("itm", "94D6E8C807 B49398A0A08000 947A C001", NULL);

  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_GLOBAL_TS), ==, 2);
  g_assert_cmpint (nth_of (sink, TS_EVENT_GLOBAL_TS, 0)->value, ==,
                   G_GINT64_CONSTANT (0x1020304CF23456));
  g_assert_cmpint (nth_of (sink, TS_EVENT_GLOBAL_TS, 1)->value, ==,
                   G_GINT64_CONSTANT (0x1020304CF2347A));
}

static void
test_console (void)
{
  /* "Hell", "o\n" on port 0, a number on port 3, text without an end on port 2 */
  g_autoptr (CollectSink) sink
      = decode_hex ("itm", "0348656C6C 026F0A C005 1B01000000 C005 1168 1169", NULL);

  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_ITM_TEXT), ==, 2);
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_ITM_TEXT, 0)), ==, "Hello\n");
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_ITM_TEXT, 1)), ==, "hi");
  g_assert_cmpint (nth_of (sink, TS_EVENT_ITM_DATA, 0)->value, ==, 1);
  g_assert_cmpint (nth_of (sink, TS_EVENT_ITM_DATA, 0)->detail, ==, 4);
}

/* Decodes in one go and byte by byte: the same. */
static CollectSink *
decode_hex_any (const char *format, const char *hex)
{
  g_autoptr (GBytes) bytes = bytes_from_hex (hex);
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  CollectSink *whole = decode_bytes (format, data, n_bytes, NULL);
  g_autoptr (CollectSink) sliced = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &sliced->parent, NULL, NULL);

  for (gsize i = 0; i < n_bytes; i++)
    ts_decoder_push (decoder, 0, data + i, 1);
  ts_decoder_flush (decoder);
  collect_sink_assert_equal (whole, sliced);
  return whole;
}

typedef struct
{
  const char *text;
  gint64 begin;
  gint64 time;
} Line;

static void
assert_lines (CollectSink *sink, const Line *lines, guint n_lines)
{
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_ITM_TEXT), ==, n_lines);
  for (guint i = 0; i < n_lines; i++)
    {
      const TsEvent *event = nth_of (sink, TS_EVENT_ITM_TEXT, i);

      g_assert_cmpstr (collect_sink_text (sink, event), ==, lines[i].text);
      g_assert_cmpint (event->time, ==, lines[i].time);
      g_assert_cmpint (ts_event_get_line_begin (event), ==, lines[i].begin);
    }
}

/* A line knows when its first byte came: that of the time stamp after it. Time 0 is the first event,
 * an exception. Source: viewalyzer-host.md section 3.7, itm-console */
static void
test_line_begins (void)
{
  /* two ports in turn; a packet that ends a line and begins the next; a line in one packet; one that
   * the end of the stream gives out */
  static const char interleaved[]
      = "0E0F10 C005" /* 0 */
        "0141 C00A"   /* 10: A of port 0 */
        "0978 C00A"   /* 20: x of port 1 */
        "0142 C00A"   /* 30 */
        "0979 C014"   /* 50 */
        "03430A4445 C00A" /* 60: ends ABC, begins DE */
        "090A C00A"   /* 70: ends xy */
        "0146 0E0F20 C00A" /* 80 */
        "010A C00A"   /* 90: ends DEF */
        "02470A C00A" /* 100: G */
        "0E0F10 C00A" /* 110 */
        "0148 C00A"   /* 120: H has no end */
        "0E0F20 C00A";
  static const Line lines[] = {
    { "ABC\n", 10, 60 }, { "xy\n", 20, 70 }, { "DEF\n", 60, 90 },
    { "G\n", 100, 100 }, { "H", 120, 130 },
  };
  /* a prompt that waits: 40 stamps of 2^28 - 1 ticks are more than 32 bits */
  g_autoptr (GString) prompt = g_string_new ("0E0F10 C005 013E C00A");
  g_autoptr (CollectSink) sink = decode_hex_any ("itm:sync=aligned", interleaved);
  g_autoptr (CollectSink) untimed = NULL;
  g_autoptr (CollectSink) waiting = NULL;
  gint64 end = 10 + 40 * (gint64) 0x0FFFFFFF + 5;
  const TsEvent *event;

  assert_lines (sink, lines, G_N_ELEMENTS (lines));
  for (guint i = 0; i < 40; i++)
    g_string_append (prompt, "C0FFFFFF7F");
  g_string_append (prompt, "010A C005");
  waiting = decode_hex_any ("itm:sync=aligned", prompt->str);
  event = nth_of (waiting, TS_EVENT_ITM_TEXT, 0);
  g_assert_cmpint (event->time, ==, end);
  /* rounded: within 2^-25 of some 10^10 ticks */
  g_assert_cmpint (ABS (ts_event_get_line_begin (event) - 10), <=, end >> 25);

  /* without time stamps the bytes of the line stand for time: the headers of the packets */
  untimed = decode_hex_any ("itm:sync=aligned", "0E0F10 0141 0E0F20 0142 010A 0E0F10");
  event = nth_of (untimed, TS_EVENT_ITM_TEXT, 0);
  g_assert_cmpstr (collect_sink_text (untimed, event), ==, "AB\n");
  g_assert_cmpint (event->time - ts_event_get_line_begin (event), ==, 10 - 3);
}

/* What the line carried is told every kB, or after a silence; nothing is missing in between. */
static void
test_load (void)
{
  g_autoptr (GString) hex = g_string_new ("0E0F10 C005");
  g_autoptr (CollectSink) sink = NULL;
  gint64 bytes = 0;
  gint64 ticks = 0;
  guint n;

  /* 5 + 2 bytes, 70 ticks: 100000 bytes a second */
  for (guint i = 0; i < 10000; i++)
    g_string_append (hex, "1734120008 C046");
  /* 5 + 5 bytes in a second of silence, and what is too little to tell */
  g_string_append (hex, "1734120008 C0C0843D 1734120008 C046");
  sink = decode_hex_any ("itm:sync=aligned,clock=1000000", hex->str);
  n = collect_sink_count (sink, TS_EVENT_SWO_LOAD);
  /* 1024 bytes are 147 packets, 10290 ticks of 700000; four packets are left */
  g_assert_cmpuint (n, ==, 68 + 1);
  for (guint i = 0; i < n; i++)
    {
      const TsEvent *event = nth_of (sink, TS_EVENT_SWO_LOAD, i);

      g_assert_false (ts_event_is_counted (event));
      if (i < 68)
        {
          g_assert_cmpint (event->detail, ==, 10290);
          g_assert_cmpint (event->value, ==, 1029);
          g_assert_cmpint (event->time, ==, (i + 1) * 10290);
        }
      bytes += event->value;
      ticks += event->detail;
    }
  /* all of them, from the header of the first time stamp to that of the one that told last */
  g_assert_cmpint (bytes, ==, 2 + 10000 * 7 + 5);
  g_assert_cmpint (ticks, ==, 10000 * 70 + 1000000);
}

/* ---- recorders ---- */

static GBytes *
read_shared (const char *name)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "../shared", "data", name, NULL);
  char *contents;
  gsize n;

  if (g_file_get_contents (path, &contents, &n, NULL))
    return g_bytes_new_take (contents, n);
  if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
    g_error ("%s is missing", path);
  g_test_skip ("the captures are not there");
  return NULL;
}

static CollectSink *
decode_sliced (const char *format, GBytes *bytes, gsize slice, TsDecodeCounters *counters)
{
  CollectSink *sink = collect_sink_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &sink->parent, NULL, &error);
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);

  g_assert_no_error (error);
  for (gsize at = 0; at < n_bytes; at += slice)
    ts_decoder_push (decoder, 0, data + at, MIN (slice, n_bytes - at));
  ts_decoder_flush (decoder);
  *counters = *ts_decoder_get_counters (decoder);
  return sink;
}

static guint
count_recorder (CollectSink *sink)
{
  guint n = 0;

  for (guint i = 0; i < sink->events->len; i++)
    n += collect_sink_nth (sink, i)->kind < TS_EVENT_DWT_PC;
  return n;
}

/* The recorder's events are those of the stream alone; the times too. */
static void
check_recorder (const char *format, const char *name, const char *plain_name)
{
  g_autoptr (GBytes) bytes = read_shared (name);
  g_autoptr (GBytes) plain_bytes = read_shared (plain_name);
  g_autoptr (CollectSink) sink = NULL;
  g_autoptr (CollectSink) plain = NULL;
  TsDecodeCounters counters;
  TsDecodeCounters plain_counters;
  const TsEvent *first = NULL;
  guint k = 0;

  if (bytes == NULL || plain_bytes == NULL)
    return;
  sink = decode_sliced (format, bytes, G_MAXINT32, &counters);
  plain = decode_sliced ("va", plain_bytes, G_MAXINT32, &plain_counters);
  g_assert_cmpuint (count_recorder (sink), ==, plain_counters.events);
  g_assert_cmpuint (counters.lost_packets, ==, plain_counters.lost_packets);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);
      const TsEvent *want;

      if (event->kind >= TS_EVENT_DWT_PC)
        continue;
      if (first == NULL)
        first = event;
      do
        want = collect_sink_nth (plain, k++);
      while (want->kind >= TS_EVENT_DWT_PC);
      g_assert_cmpuint (event->kind, ==, want->kind);
      g_assert_cmpint (event->time - first->time, ==, want->time);
    }
}

static void
test_recorder (gconstpointer data)
{
  g_auto (GStrv) words = g_strsplit (data, " ", 3);

  check_recorder (words[0], words[1], words[2]);
}

static void
test_slices (gconstpointer data)
{
  static const gsize slices[] = { 1, 3, 16, 61, 4096 };
  g_auto (GStrv) words = g_strsplit (data, " ", 2);
  g_autoptr (GBytes) bytes = read_shared (words[1]);
  g_autoptr (CollectSink) whole = NULL;
  TsDecodeCounters counters;

  if (bytes == NULL)
    return;
  whole = decode_sliced (words[0], bytes, G_MAXINT32, &counters);
  for (gsize i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      TsDecodeCounters sliced_counters;
      g_autoptr (CollectSink) sliced = decode_sliced (words[0], bytes, slices[i],
                                                      &sliced_counters);

      collect_sink_assert_equal (whole, sliced);
      g_assert_cmpuint (counters.events, ==, sliced_counters.events);
      g_assert_cmpuint (counters.corrupt_bytes, ==, sliced_counters.corrupt_bytes);
    }
}

/* Packets lost with an overflow are counted, those that arrived whole are there. The bar is the
 * one that the expectations of the capture suggest. */
static void
test_overflows (void)
{
  g_autoptr (GBytes) bytes = read_shared ("viewalyzer/m4_short.itm_overflow.bin");
  g_autoptr (CollectSink) sink = NULL;
  TsDecodeCounters counters;

  if (bytes == NULL)
    return;
  sink = decode_sliced ("va-itm", bytes, 4096, &counters);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_ITM_OVERFLOW), ==, 24);
  /* 9898 packets, two of them markers */
  g_assert_cmpuint (9898 - counters.lost_packets, >=, 9701);
  g_assert_cmpuint (counters.lost_packets, >=, 9898 - 9750);
}

static void
test_corrupt (void)
{
  g_autoptr (GBytes) bytes = read_shared ("viewalyzer/m4_short.itm_corrupt.bin");
  g_autoptr (CollectSink) sink = NULL;
  TsDecodeCounters counters;

  if (bytes == NULL)
    return;
  sink = decode_sliced ("va-itm", bytes, 4096, &counters);
  /* 9760 of the clean stream's packets are events */
  g_assert_cmpuint (count_recorder (sink), >=, 9760 - (9898 - 9813));
  g_assert_cmpuint (count_recorder (sink), <=, 9760 + 19);
}

/* Every prefix of a small stream is taken without harm. */
static void
test_prefixes (void)
{
  g_autoptr (GBytes) bytes = read_shared ("viewalyzer/m4_short.itm_mixed.bin");

  for (gsize n = 0; bytes != NULL && n < 3000; n += 7)
    {
      g_autoptr (GBytes) prefix = g_bytes_new_from_bytes (bytes, 0, n);
      TsDecodeCounters counters;
      g_autoptr (CollectSink) sink G_GNUC_UNUSED
          = decode_sliced ("va-itm", prefix, 64, &counters);

      g_assert_cmpuint (counters.bytes, ==, n);
      /* a packet of each that was begun */
      g_assert_cmpuint (counters.corrupt_bytes, <=, 5 + 64);
    }
}

/* ---- damage anywhere in the published captures ---- */

#define DAMAGE_ROUNDS 90
#define DAMAGE_WINDOW 16384
/* Events that one damaged byte may cost a stream without a recorder: what is needed to be believed
 * again, with what each of those packets takes along. In a long run of equal packets a time stamp
 * that lost its continuation bit (C0 FF 7F become 40 FF 7F) makes another reading of all that
 * follows as good as the right one, until something else comes: 65 events in a run of Arm-reset. */
#define DAMAGE_LOSS 200

static const char *const damaged[] = {
  "itm itm/itm-decode-itm.bin",
  "itm itm/opencsd-itm_testdata.bin",
  "itm ctrace/Blinky+Arm/Blinky+Arm.SWO.raw",
  "itm ctrace/Arm-reset/Arm.SWO.raw",
  "itm ctrace/trace-match/trace-match.raw",
  "itm ctrace/trace-pc-sample/trace-pc-sample.raw",
  "itm ctrace/trace-compressed-dwt/trace-compressed-dwt.raw",
  "tpiu itm/opencsd-itm_testdata_ID_0x14.bin",
  "tpiu itm/orbuculum-fastitm.tpiu.bin",
  "tpiu itm/sigrok-stm32f105-trace_example.tpiu.bin",
  "tpiu ctrace/TB-Trace/Blinky+Arm.TB.raw",
  "tpiu ctrace/Blinky+Arm/Blinky+Arm.TB.raw",
  "tpiu ctrace/formatted-synthetic/Synthetic.TB.raw",
  "va-itm viewalyzer/m4_short.itm_mixed.bin",
  "va-itm viewalyzer/m4_short.itm_overflow.bin",
  "va-tpiu viewalyzer/m4_short.tpiu.bin",
};

/* Decodes whole and in slices: the same; returns the number of events. */
static guint
decode_both (const char *format, const guint8 *bytes, gsize n_bytes, gsize slice)
{
  g_autoptr (GBytes) all = g_bytes_new_static (bytes, n_bytes);
  TsDecodeCounters counters;
  TsDecodeCounters others;
  g_autoptr (CollectSink) whole = decode_sliced (format, all, MAX (n_bytes, 1), &counters);
  g_autoptr (CollectSink) sliced = decode_sliced (format, all, slice, &others);

  collect_sink_assert_equal (whole, sliced);
  g_assert_cmpuint (counters.bytes, ==, n_bytes);
  g_assert_cmpuint (counters.packets, ==, others.packets);
  g_assert_cmpuint (counters.corrupt_bytes, ==, others.corrupt_bytes);
  g_assert_cmpuint (counters.skipped_bytes, ==, others.skipped_bytes);
  g_assert_cmpuint (counters.corrupt_bytes + counters.skipped_bytes, <=, n_bytes);
  return (guint) counters.events;
}

/* Cuts, single damaged bytes and splices at places all over the file: no harm, the same however the
 * bytes are cut, and one damaged byte costs little. */
static void
test_damaged (gconstpointer data)
{
  g_auto (GStrv) words = g_strsplit (data, " ", 2);
  g_autoptr (GBytes) file = read_shared (words[1]);
  gboolean is_plain = strcmp (words[0], "itm") == 0;
  const guint8 *bytes;
  gsize n_file;

  if (file == NULL)
    return;
  bytes = g_bytes_get_data (file, &n_file);
  for (gsize round = 0; round < DAMAGE_ROUNDS; round++)
    {
      /* evenly over the file, a little off each time */
      gsize off = (gsize) g_test_rand_int_range (0, 64);
      gsize place = MIN (n_file - 1, round * n_file / DAMAGE_ROUNDS + off);
      gsize from = place > DAMAGE_WINDOW / 2 ? (place - DAMAGE_WINDOW / 2) & ~(gsize) 15 : 0;
      gsize n = MIN (DAMAGE_WINDOW, n_file - from);
      gsize slice = (gsize) g_test_rand_int_range (1, 200);
      g_autofree guint8 *copy = g_memdup2 (bytes + from, n);
      guint n_clean;
      guint n_flipped;
      gsize other;

      place -= from;
      decode_both (words[0], copy, place, slice);
      n_clean = decode_both (words[0], copy, n, slice);
      copy[place] ^= (guint8) (1u << g_test_rand_int_range (0, 8));
      n_flipped = decode_both (words[0], copy, n, slice);
      if (is_plain && n_flipped + DAMAGE_LOSS < n_clean)
        g_error ("%s: byte %" G_GSIZE_FORMAT " damaged: %u events of %u", words[1], from + place,
                 n_flipped, n_clean);
      other = (gsize) g_test_rand_int_range (0, (gint32) n_file);
      memcpy (copy + place, bytes + other, MIN (MIN (n_file - other, n - place), 100));
      decode_both (words[0], copy, n, slice);
    }
}

/* A source that does not speak ITM is left out; the other is decoded. */
static void
test_other_source (void)
{
  g_autoptr (GBytes) bytes = read_shared ("itm/sigrok-stm32f105-trace_example.tpiu.bin");
  g_autoptr (CollectSink) sink = NULL;
  TsDecodeCounters counters;

  if (bytes == NULL)
    return;
  sink = decode_sliced ("tpiu", bytes, 100, &counters);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_DWT_PC), ==, 393);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_DWT_EXC), ==, 16);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_DWT_DATA), ==, 31);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_ITM_OVERFLOW), ==, 14);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
}

static void
test_parameters (void)
{
  static const char *const bad[] = { "itm:port=256", "itm:id=0",  "tpiu:id=112", "itm:sync=often",
                                     "itm:port=",    "itm:x=1" };
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("va-tpiu:id=1,port=2,sync=strict,clock=1000000",
                                                  &sink->parent, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (ts_decoder_get_format (decoder), ==, "va-tpiu");
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (ts_decoder_new (bad[i], &sink->parent, NULL, &error));
      g_assert_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_BAD_OPTION);
      g_clear_error (&error);
    }
}

/* Files of this size are damaged at every byte, in every bit. */
#define SMALL_FILE 400

/* Every prefix of a small capture, and every byte of it with each bit flipped, as 00 and as FF: no
 * harm, and the same whole and byte by byte. */
static void
test_every_byte (void)
{
  guint n_files = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (damaged); i++)
    {
      g_auto (GStrv) words = g_strsplit (damaged[i], " ", 2);
      g_autoptr (GBytes) file = read_shared (words[1]);
      g_autofree guint8 *copy = NULL;
      const guint8 *bytes;
      gsize n_bytes;

      if (file == NULL)
        return;
      bytes = g_bytes_get_data (file, &n_bytes);
      if (n_bytes > SMALL_FILE)
        continue;
      n_files++;
      copy = g_memdup2 (bytes, n_bytes);
      for (gsize n = 0; n < n_bytes; n++)
        {
          decode_both (words[0], bytes, n, 1);
          for (guint change = 0; change < 10; change++)
            {
              copy[n] = change == 8 ? 0 : change == 9 ? 0xFF : bytes[n] ^ (guint8) (1 << change);
              decode_both (words[0], copy, n_bytes, 1);
            }
          copy[n] = bytes[n];
        }
    }
  g_assert_cmpuint (n_files, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/itm-decoder/times", test_times);
  g_test_add_func ("/decode/itm-decoder/quality", test_quality);
  g_test_add_func ("/decode/itm-decoder/data", test_data);
  g_test_add_func ("/decode/itm-decoder/global-time", test_global_time);
  g_test_add_func ("/decode/itm-decoder/console", test_console);
  g_test_add_func ("/decode/itm-decoder/line-begins", test_line_begins);
  g_test_add_func ("/decode/itm-decoder/load", test_load);
  g_test_add_data_func ("/decode/itm-decoder/recorder/minimal",
                        "va-itm viewalyzer/m4_short.itm_min.bin viewalyzer/m4_short.raw",
                        test_recorder);
  g_test_add_data_func ("/decode/itm-decoder/recorder/mixed",
                        "va-itm viewalyzer/m4_short.itm_mixed.bin viewalyzer/m4_short.raw",
                        test_recorder);
  g_test_add_data_func ("/decode/itm-decoder/recorder/frames",
                        "va-tpiu:id=1 viewalyzer/m4_short.tpiu.bin viewalyzer/m4_short.raw",
                        test_recorder);
  g_test_add_data_func ("/decode/itm-decoder/recorder/frames-any",
                        "va-tpiu viewalyzer/m4_short.tpiu.bin viewalyzer/m4_short.raw",
                        test_recorder);
  g_test_add_data_func ("/decode/itm-decoder/recorder/oldest",
                        "va-itm viewalyzer-legacy/legacy_oldest.itm.bin "
                        "viewalyzer-legacy/legacy_oldest.raw",
                        test_recorder);
  g_test_add_data_func ("/decode/itm-decoder/slices/mixed",
                        "va-itm viewalyzer/m4_short.itm_mixed.bin", test_slices);
  g_test_add_data_func ("/decode/itm-decoder/slices/corrupt",
                        "va-itm viewalyzer/m4_short.itm_corrupt.bin", test_slices);
  g_test_add_data_func ("/decode/itm-decoder/slices/frames",
                        "tpiu itm/sigrok-stm32f105-trace_example.tpiu.bin", test_slices);
  g_test_add_func ("/decode/itm-decoder/overflows", test_overflows);
  g_test_add_func ("/decode/itm-decoder/corrupt", test_corrupt);
  g_test_add_func ("/decode/itm-decoder/prefixes", test_prefixes);
  g_test_add_func ("/decode/itm-decoder/other-source", test_other_source);
  g_test_add_func ("/decode/itm-decoder/parameters", test_parameters);
  g_test_add_func ("/decode/itm-decoder/every-byte", test_every_byte);
  for (gsize i = 0; i < G_N_ELEMENTS (damaged); i++)
    {
      g_autofree char *base = g_path_get_basename (damaged[i]);
      g_autofree char *path = g_strdup_printf ("/decode/itm-decoder/damaged/%" G_GSIZE_FORMAT "-%s",
                                               i, base);

      g_test_add_data_func (path, damaged[i], test_damaged);
    }
  return g_test_run ();
}
