/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-va-damage.c: streams joined late, cut, noisy, reset, re-flashed, lost in part, of two
 * senders. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-cobs.h"

static guint64
sum_codes (JsonObject *expected)
{
  JsonObject *codes = json_object_get_object_member (expected, "events_by_code");
  g_autoptr (GList) names = json_object_get_members (codes);
  guint64 n = 0;

  for (GList *l = names; l != NULL; l = l->next)
    n += (guint64) json_object_get_int_member (codes, l->data);
  return n;
}

static CollectSink *
decode_file (const char *file, const char *format, TsDecodeCounters *counters)
{
  g_autoptr (GBytes) bytes = read_capture (file);

  return bytes == NULL ? NULL
                       : decode_bytes (format, g_bytes_get_data (bytes, NULL),
                                       g_bytes_get_size (bytes), counters);
}

/* First counted event from the @n-th on. */
static const TsEvent *
next_counted (CollectSink *sink, guint n)
{
  while (!ts_event_is_counted (collect_sink_nth (sink, n)))
    n++;
  return collect_sink_nth (sink, n);
}

static void
test_noisy (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("m4_noisy.cobs", "va-cobs", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("m4_noisy") : NULL;
  JsonObject *expected;
  guint64 wanted;
  guint64 corrupt = 0;
  gint64 last = 0;

  if (root == NULL)
    return;
  expected = json_node_get_object (root);
  wanted = sum_codes (json_object_get_object_member (expected, "intact"));
  g_assert_cmpuint (counters.events, >=, wanted - 3);
  g_assert_cmpuint (counters.events, <=,
                    wanted + (guint64) json_object_get_int_member (expected, "flips"));
  g_assert_cmpuint (counters.corrupt_bytes, >, 0);
  g_assert_cmpuint (counters.skipped_bytes, >, 0); /* the text before the first frame */
  g_assert_cmpuint (counters.sessions, ==, 1);

  /* 141 packets are damaged; a flip in a value may pass as whole */
  g_assert_cmpuint (counters.lost_packets, <=, 141);
  g_assert_cmpuint (counters.lost_packets, >=,
                    141 - (guint64) json_object_get_int_member (expected, "flips"));

  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (event->kind == TS_EVENT_CORRUPT)
        {
          g_assert_cmpint (event->value, >, 0);
          corrupt += (guint64) event->value;
        }
      last = event->time;
    }
  g_assert_cmpuint (corrupt, ==, counters.corrupt_bytes);

  /* flipped time stamps do not stretch the recording: 50090927 - 5635 ticks */
  g_assert_cmpint (last, >=, 50085292 - 250000);
  g_assert_cmpint (last, <=, 50085292 + 250000);
}

static void
test_late_attach (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("m4_late_attach.cobs", "va-cobs", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("m4_late_attach") : NULL;
  JsonObject *expected;
  guint64 wanted;

  if (root == NULL)
    return;
  expected = json_object_get_object_member (json_node_get_object (root), "decoded");
  wanted = sum_codes (expected);
  g_assert_cmpuint (counters.events, ==, wanted);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.skipped_bytes, >, 0);
  g_assert_cmpuint (counters.sessions, ==, 0);
  g_assert_nonnull (collect_sink_find (sink, TS_OBJECT_TASK, "Ctrl"));
  g_assert_null (collect_sink_find (sink, TS_OBJECT_TASK, "Task 1"));
  g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->time, ==,
                   json_object_get_int_member (expected, "duration_ticks"));
}

static void
test_reset (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("m4_reset.cobs", "va-cobs", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("m4_reset") : NULL;
  JsonObject *before;
  JsonObject *after;
  gint64 first_end;
  gint64 second;
  guint n_starts = 0;

  if (root == NULL)
    return;
  before = json_object_get_object_member (json_node_get_object (root), "before");
  after = json_object_get_object_member (json_node_get_object (root), "after");
  g_assert_cmpuint (counters.events, ==, sum_codes (before) + sum_codes (after));
  g_assert_cmpuint (counters.sessions, ==,
                    (guint64) json_object_get_int_member (json_node_get_object (root), "sessions"));
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpuint (counters.corrupt_bytes, >, 0);

  /* time goes on from where it was; the second session is as long as it is */
  first_end = json_object_get_int_member (before, "duration_ticks");
  second = json_object_get_int_member (after, "duration_ticks");
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (event->kind == TS_EVENT_SESSION_START && ++n_starts == 2)
        {
          gint64 at = sink->hz == 25000000 ? first_end : -1;

          g_assert_cmpint (event->time, ==, at);
          g_assert_cmpint (next_counted (sink, i)->time, ==, at);
        }
    }
  g_assert_cmpuint (n_starts, ==, 2);
  if (json_object_get_int_member (after, "tick_hz")
      == json_object_get_int_member (before, "tick_hz"))
    g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->time, ==, first_end + second);
}

static void
test_datagrams_missing (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("m4_short_udp_loss.udprec", "va-udprec", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("m4_short_udp_loss") : NULL;
  JsonObject *intact;
  guint n_after = 0;

  if (root == NULL)
    return;
  intact = json_object_get_object_member (json_node_get_object (root), "intact");
  g_assert_cmpuint (counters.events, ==, sum_codes (intact));
  g_assert_cmpuint (counters.lost_packets, ==,
                    (guint64) json_object_get_int_member (intact, "lost_packets"));
  g_assert_cmpuint (counters.seq_gaps, ==,
                    (guint64) json_object_get_int_member (intact, "gap_count"));
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      n_after += (event->flags & TS_EVENT_FLAG_AFTER_LOSS) != 0;
      if (event->kind == TS_EVENT_DATA_LOSS)
        {
          /* in place: at the last good event, and the next good one says so */
          g_assert_cmpint (event->time, ==, collect_sink_nth (sink, i - 1)->time);
          g_assert_cmpuint (next_counted (sink, i)->flags & TS_EVENT_FLAG_AFTER_LOSS, !=, 0);
        }
    }
  g_assert_cmpuint (n_after, ==, counters.seq_gaps);
}

static void
test_reflash (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("reflash_legacy_to_wire1.cobs", "va-cobs", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("reflash_legacy_to_wire1") : NULL;
  JsonArray *parts;
  JsonObject *first;
  JsonObject *second;

  if (root == NULL)
    return;
  parts = json_object_get_array_member (json_node_get_object (root), "parts");
  first = json_array_get_object_element (parts, 0);
  second = json_array_get_object_element (parts, 1);
  g_assert_cmpuint (counters.events, ==, sum_codes (first) + sum_codes (second));
  g_assert_cmpuint (counters.packets, ==,
                    (guint64) (json_object_get_int_member (first, "packets_total")
                               + json_object_get_int_member (second, "packets_total")));
  g_assert_cmpuint (counters.sessions, ==, 2);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpstr (collect_sink_info (sink, "dialect"), ==, "wire-1");
  g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->time, ==,
                   json_object_get_int_member (first, "duration_ticks")
                       + json_object_get_int_member (second, "duration_ticks"));
}

static void
test_legacy_late (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_file ("legacy_u16_late.cobs", "va-cobs", &counters);
  g_autoptr (JsonNode) root = sink != NULL ? read_expected ("legacy_u16_late") : NULL;
  JsonObject *all;

  if (root == NULL)
    return;
  all = json_object_get_object_member (json_node_get_object (root), "all");
  g_assert_cmpuint (counters.events, ==, sum_codes (all));
  g_assert_cmpuint (counters.packets, ==,
                    (guint64) json_object_get_int_member (all, "packets_total"));
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_false (counters.seq_present);
  g_assert_cmpint (collect_sink_nth (sink, sink->events->len - 1)->time, ==,
                   json_object_get_int_member (all, "duration_ticks"));
}

/* Two senders on one port, their datagrams taking turns: each is decoded as if it were alone. */
static void
test_two_senders (void)
{
  g_autoptr (GBytes) a = read_capture ("m4_short.cobs");
  g_autoptr (GBytes) b = read_capture ("m3_baremetal.cobs");
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (CollectSink) alone_a = NULL;
  g_autoptr (CollectSink) alone_b = NULL;
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("va-cobs", &sink->parent, NULL, NULL);
  const guint8 *bytes[2];
  gsize n[2];
  gsize at[2] = { 0, 0 };
  guint n_by_core[2] = { 0, 0 };
  TsDecodeCounters counters_a;
  TsDecodeCounters counters_b;

  if (a == NULL || b == NULL)
    return;
  bytes[0] = g_bytes_get_data (a, &n[0]);
  bytes[1] = g_bytes_get_data (b, &n[1]);
  while (at[0] < n[0] || at[1] < n[1])
    for (guint s = 0; s < 2; s++)
      {
        gsize len = MIN (1000, n[s] - at[s]);

        /* the second sender appears a little later */
        if (s == 1 && at[0] < 5000)
          continue;
        ts_decoder_push (decoder, 77 + s, bytes[s] + at[s], len);
        at[s] += len;
      }
  ts_decoder_flush (decoder);

  alone_a = decode_bytes ("va-cobs", bytes[0], n[0], &counters_a);
  alone_b = decode_bytes ("va-cobs", bytes[1], n[1], &counters_b);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->events, ==,
                    counters_a.events + counters_b.events);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->packets, ==,
                    counters_a.packets + counters_b.packets);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->lost_packets, ==, 0);
  g_assert_cmpuint (ts_decoder_get_counters (decoder)->corrupt_bytes, ==, 0);
  for (guint i = 0; i < sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (sink, i);

      if (!ts_event_is_counted (event))
        continue;
      g_assert_cmpuint (event->core, <, 2);
      n_by_core[event->core]++;
      if (event->object != 0)
        g_assert_cmpuint (collect_sink_object (sink, event->object)->core, ==, event->core);
    }
  g_assert_cmpuint (n_by_core[0], ==, counters_a.events);
  g_assert_cmpuint (n_by_core[1], ==, counters_b.events);
}

/* Bytes the host lost: a mark in place with their number, and decoding goes on. */
static void
test_host_loss (void)
{
  static const char *const formats[] = { "va-cobs", "va" };
  static const char *const files[] = { "m4_short.cobs", "m4_short.raw" };

  for (guint f = 0; f < 2; f++)
    {
      g_autoptr (GBytes) bytes = read_capture (files[f]);
      g_autoptr (CollectSink) sink = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new (formats[f], &sink->parent, NULL, NULL);
      const guint8 *data;
      gsize n;
      guint n_marks = 0;
      gint64 n_lost = 0;

      if (bytes == NULL)
        return;
      data = g_bytes_get_data (bytes, &n);
      ts_decoder_push (decoder, 0, data, 20003);
      ts_decoder_mark_loss (decoder, 0, 1000);
      ts_decoder_push (decoder, 0, data + 21003, n - 21003);
      ts_decoder_flush (decoder);
      for (guint i = 0; i < sink->events->len; i++)
        {
          const TsEvent *event = collect_sink_nth (sink, i);

          if (event->kind != TS_EVENT_DATA_LOSS)
            continue;
          n_marks++;
          n_lost += event->value;
          g_assert_cmpint (event->detail, ==, 1000);
        }
      g_assert_cmpuint (n_marks, ==, 1);
      g_assert_cmpint (n_lost, ==, (gint64) ts_decoder_get_counters (decoder)->lost_packets);
      g_assert_cmpuint (ts_decoder_get_counters (decoder)->packets + (guint64) n_lost, ==, 9896);
    }
}

static void
test_garbage (void)
{
  static const char *const formats[] = { "va", "va-cobs", "va-udprec", "auto" };
  g_autofree guint8 *garbage = g_malloc (300000);
  guint32 x = 12345;

  for (guint i = 0; i < 300000; i++)
    {
      x = x * 1664525 + 1013904223;
      garbage[i] = "the quick brown fox jumps over the lazy dog\n"[(x >> 16) % 44];
    }
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      TsDecodeCounters counters;
      g_autoptr (CollectSink) sink G_GNUC_UNUSED
          = decode_bytes (formats[f], garbage, 300000, &counters);

      g_assert_cmpuint (counters.events, ==, 0);
      /* six bytes of text may be the header of a record */
      g_assert_cmpuint (counters.corrupt_bytes, >=, f == 2 ? 299900 : 300000);
      g_assert_cmpuint (counters.corrupt_bytes, <=, 300000);
    }
}

/* The packets of a capture without their frames. */
static GByteArray *
strip_frames (GBytes *frames)
{
  GByteArray *raw = g_byte_array_new ();
  gsize n_bytes;
  const guint8 *p = g_bytes_get_data (frames, &n_bytes);
  const guint8 *end = p + n_bytes;
  const guint8 *zero;

  while ((zero = memchr (p, 0, (gsize) (end - p))) != NULL)
    {
      guint8 packet[2048];
      gssize n = ts_cobs_decode (p, (gsize) (zero - p), packet, sizeof packet);

      if (n > 0)
        g_byte_array_append (raw, packet, (guint) n);
      p = zero + 1;
    }
  return raw;
}

/* Without frames the same comes out: with losses, over a re-flash, joined late. */
static void
test_without_frames (void)
{
  static const char *const files[]
      = { "m4_loss.cobs",        "v3_110_loss.cobs",    "reflash_legacy_to_wire1.cobs",
          "m4_late_attach.cobs", "legacy_bare.cobs",    "m4_long_wrap.cobs",
          "v3_110.cobs",         "legacy_u16_late.cobs" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GBytes) bytes = read_capture (files[i]);
      g_autoptr (GByteArray) raw = NULL;
      g_autoptr (CollectSink) framed = NULL;
      g_autoptr (CollectSink) bare = NULL;
      TsDecodeCounters a;
      TsDecodeCounters b;

      if (bytes == NULL)
        return;
      raw = strip_frames (bytes);
      framed = decode_file (files[i], "va-cobs", &a);
      bare = decode_bytes ("va", raw->data, raw->len, &b);
      g_test_message ("%s: %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " without frames",
                      files[i], a.events, b.events);
      g_assert_cmpuint (a.packets, ==, b.packets);
      g_assert_cmpuint (a.lost_packets, ==, b.lost_packets);
      g_assert_cmpuint (a.seq_gaps, ==, b.seq_gaps);
      g_assert_cmpuint (a.sessions, ==, b.sessions);
      collect_sink_assert_equal (framed, bare);
    }
}

/* A packet that sets channel 1 at @stamp. */
static void
append_toggle (GByteArray *bytes, guint *sequence, guint32 stamp)
{
  /* code, sequence, id, time, state. Source: viewalyzer-wire.md section 5.1 */
  guint8 packet[8] = { 0x8A, (guint8) (*sequence)++, 1 };
  guint32 wire = GUINT32_TO_LE (stamp);

  memcpy (packet + 3, &wire, sizeof wire);
  packet[7] = 1;
  g_byte_array_append (bytes, packet, sizeof packet);
}

/* One bit of one stamp is damaged, and then the line is idle: what came goes to the screen and cannot
 * be taken back. Later times are as they were sent, once they have passed the wrong one; those before
 * it stand there and say that they are estimated. */
static void
test_damaged_before_idle (void)
{
  static const guint8 marker[] = { 0x56, 0x41, 0x5A, 0x01, 0x53, 0x59, 0x4E, 0x43, 0x30, 0x31, 0xAA, 0x55 };

  for (guint bit = 22; bit < 32; bit++)
    {
      g_autoptr (CollectSink) sink = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new ("va", &sink->parent, NULL, NULL);
      gint64 jump = (gint64) 1 << bit;
      gint64 damaged_at = 0;
      guint sequence = 0;
      guint n = 400;

      ts_decoder_push (decoder, 0, marker, sizeof marker);
      for (guint i = 0; i < n; i++)
        {
          g_autoptr (GByteArray) bytes = g_byte_array_new ();
          /* every 20 M ticks, so that the counter wraps and passes any wrong stamp */
          gint64 time = (gint64) i * 20000000;

          damaged_at = i == 100 ? time : damaged_at;
          append_toggle (bytes, &sequence, (guint32) time + (i == 100 ? (guint32) jump : 0));
          ts_decoder_push (decoder, 0, bytes->data, bytes->len);
          if (i % 10 == 0)
            ts_decoder_idle (decoder);
        }
      ts_decoder_flush (decoder);
      g_assert_cmpuint (sink->events->len, ==, n);
      for (guint i = 0; i < n; i++)
        {
          const TsEvent *event = collect_sink_nth (sink, i);
          gint64 time = (gint64) i * 20000000;
          gboolean is_early = i >= 100 && time < damaged_at + jump;

          g_assert_cmpint (event->time, ==, is_early ? damaged_at + jump : time);
          if (i > 100 && is_early)
            g_assert_cmpuint (event->flags & TS_EVENT_FLAG_TIME_ESTIMATED, !=, 0);
          else if (i != 100)
            g_assert_cmpuint (event->flags & TS_EVENT_FLAG_TIME_ESTIMATED, ==, 0);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/damage/damaged-before-idle", test_damaged_before_idle);
  g_test_add_func ("/decode/damage/noisy", test_noisy);
  g_test_add_func ("/decode/damage/late-attach", test_late_attach);
  g_test_add_func ("/decode/damage/reset", test_reset);
  g_test_add_func ("/decode/damage/datagrams-missing", test_datagrams_missing);
  g_test_add_func ("/decode/damage/reflash", test_reflash);
  g_test_add_func ("/decode/damage/legacy-late", test_legacy_late);
  g_test_add_func ("/decode/damage/two-senders", test_two_senders);
  g_test_add_func ("/decode/damage/host-loss", test_host_loss);
  g_test_add_func ("/decode/damage/garbage", test_garbage);
  g_test_add_func ("/decode/damage/without-frames", test_without_frames);
  return g_test_run ();
}
