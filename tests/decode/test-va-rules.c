/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-va-rules.c: rules of the recorder stream that no capture shows, with streams from the
 * encoder.
 *
 * The encoder was written from the description alone and knows nothing of the decoder.
 */
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-va-encoder.h"

typedef struct
{
  GByteArray *out;
  TsVaEncoder encoder;
  CollectSink *sink;
  TsDecoder *decoder;
} Fixture;

static const TsVaSetup freertos
    = { .clock_hz = 1000000, .os = "FreeRTOS", .build_flags = 4, .version = 0x00010005 };

static void
start (Fixture *fixture, TsVaDialect dialect, TsVaFraming framing, const char *format)
{
  g_byte_array_set_size (fixture->out, 0);
  ts_va_encoder_init (&fixture->encoder, fixture->out, dialect, framing);
  g_clear_pointer (&fixture->decoder, ts_decoder_free);
  g_clear_pointer (&fixture->sink, collect_sink_free);
  fixture->sink = collect_sink_new ();
  fixture->decoder = ts_decoder_new (format, &fixture->sink->parent, NULL, NULL);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->out = g_byte_array_new ();
  start (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, "va-cobs");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  ts_decoder_free (fixture->decoder);
  collect_sink_free (fixture->sink);
  g_byte_array_unref (fixture->out);
}

/* Gives the decoder what the encoder wrote since the last time. */
static void
send_from (Fixture *fixture, guint32 source)
{
  ts_decoder_push (fixture->decoder, source, fixture->out->data, fixture->out->len);
  g_byte_array_set_size (fixture->out, 0);
}

static void
send (Fixture *fixture)
{
  send_from (fixture, 0);
}

static const TsDecodeCounters *
finish (Fixture *fixture)
{
  send (fixture);
  ts_decoder_flush (fixture->decoder);
  return ts_decoder_get_counters (fixture->decoder);
}

static const TsEvent *
nth_of (Fixture *fixture, TsEventKind kind, guint n)
{
  for (guint i = 0; i < fixture->sink->events->len; i++)
    if (collect_sink_nth (fixture->sink, i)->kind == kind && n-- == 0)
      return collect_sink_nth (fixture->sink, i);
  g_error ("no event of kind %s", ts_event_kind_get_name (kind));
}

static const TsObject *
object_of (Fixture *fixture, const TsEvent *event)
{
  return collect_sink_object (fixture->sink, event->object);
}

/* The prelude of a PC sender: no build flags, a checkpoint without a time. */
static void
udp_prelude (Fixture *fixture)
{
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_marker (e);
  ts_va_encoder_info (e, "SES:START");
  ts_va_encoder_checkpoint (e, 0);
  ts_va_encoder_clock (e, 1000000);
}

/* Every code with both sides and with texts of any length, in every dialect that has it. */
static void
test_all_codes (Fixture *fixture, gconstpointer data)
{
  static const guint8 sizes[0x26]
      = { [0x01] = 0,  [0x02] = 0,  [0x04] = 4,  [0x06] = 0,  [0x07] = 0,  [0x08] = 0,  [0x0A] = 1,
          [0x0B] = 0,  [0x0E] = 4,  [0x0F] = 4,  [0x10] = 4,  [0x11] = 4,  [0x12] = 0,  [0x13] = 0,
          [0x14] = 4,  [0x15] = 0,  [0x17] = 4,  [0x18] = 4,  [0x19] = 4,  [0x1A] = 8,  [0x1B] = 8,
          [0x1C] = 8,  [0x1D] = 12, [0x1E] = 8,  [0x1F] = 12, [0x20] = 12, [0x21] = 12, [0x22] = 12,
          [0x23] = 12, [0x24] = 12, [0x25] = 12, [0x03] = 12, [0x09] = 8 };
  static const guint last_code[] = { [TS_VA_DIALECT_LEGACY_EARLY] = 0x15,
                                     [TS_VA_DIALECT_LEGACY] = 0x15,
                                     [TS_VA_DIALECT_V2] = 0x15,
                                     [TS_VA_DIALECT_V3] = 0x17,
                                     [TS_VA_DIALECT_WIRE1] = 0x25 };
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
  char text[1024];

  for (guint i = 0; i < sizeof text; i++)
    text[i] = letters[i % 26];

  for (guint dialect = 0; dialect <= TS_VA_DIALECT_WIRE1; dialect++)
    for (guint framing = TS_VA_FRAMING_RAW; framing <= TS_VA_FRAMING_COBS; framing++)
      {
        gsize longest = dialect == TS_VA_DIALECT_LEGACY_EARLY ? 200 : 1024;
        TsVaEncoder *e = &fixture->encoder;
        guint64 n_events;
        guint64 time = G_GUINT64_CONSTANT (0xFFFFF000);

        start (fixture, dialect, framing, framing == TS_VA_FRAMING_RAW ? "va" : "va-cobs");
        ts_va_encoder_prelude (e, &freertos, time);
        for (guint round = 0; round < 12; round++)
          {
            for (guint code = 1; code <= last_code[dialect]; code++)
              for (guint side = 0; side < 2; side++)
                {
                  guint8 type = (guint8) (code | (side != 0 ? TS_VA_START : 0));
                  guint8 id = (guint8) (round == 0 ? 0 : round == 1 ? 255 : round * 3);

                  time += 997;
                  if (code == TS_VA_TASK_NOTIFY)
                    ts_va_encoder_notify (e, side != 0, id, 4, time, 77);
                  else if (code == TS_VA_MUTEX_CONTENTION)
                    ts_va_encoder_contention (e, id, 2, 3, time);
                  else if (code == TS_VA_STRING_EVENT)
                    ts_va_encoder_string (e, id, time, text,
                                          (gssize) ((round * 2 + side) * longest / 23));
                  else if (code == TS_VA_SEQ_CHECKPOINT)
                    ts_va_encoder_checkpoint (e, time);
                  else if (sizes[code] == 0)
                    ts_va_encoder_event (e, type, id, time);
                  else if (sizes[code] == 1)
                    ts_va_encoder_event_u8 (e, type, id, time, (guint8) side);
                  else if (sizes[code] == 4)
                    ts_va_encoder_event_u32 (e, type, id, time, 0x01020304);
                  else if (sizes[code] == 8)
                    ts_va_encoder_event_2u32 (e, type, id, time, 0x01020304, 5);
                  else
                    ts_va_encoder_event_3u32 (e, type, id, time, 0x01020301, 5, 6);
                }
            ts_va_encoder_name (e, TS_VA_TASK_MAP, (guint8) (100 + round), text, round * 255 / 11);
            ts_va_encoder_user_trace (e, (guint8) (100 + round), 3, text, round * 255 / 11);
            ts_va_encoder_heap_info (e, (guint8) (100 + round), 4096, text, round * 255 / 11);
          }
        n_events = e->n_events;
        finish (fixture);
        g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->corrupt_bytes, ==, 0);
        g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);
        g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->events, ==, n_events);
        g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->packets, ==, e->n_packets);
        g_assert_cmpint (
            collect_sink_nth (fixture->sink, fixture->sink->events->len - 1)->time, ==,
            (gint64) (time - G_GUINT64_CONSTANT (0xFFFFF000))
                - (collect_sink_nth (fixture->sink, 1)->kind == TS_EVENT_SEQ_CHECKPOINT ? 0 : 997));
        /* a name of no length is none */
        g_assert_null (collect_sink_find (fixture->sink, TS_OBJECT_NONE, ""));
        g_assert_nonnull (collect_sink_find (fixture->sink, TS_OBJECT_TASK, "Task 100"));
      }
}

/* Semaphore 0, mutex 0 and queue 0 of a PC sender are three; START of a mutex takes it; 0 is a
 * normal id. */
static void
test_udp_sender (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  const TsEvent *mutex;

  udp_prelude (fixture);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 0, "Main", -1);
  ts_va_encoder_name (e, TS_VA_SEMAPHORE_MAP, 0, "Ready", -1);
  ts_va_encoder_name (e, TS_VA_MUTEX_MAP, 0, "Bus", -1);
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 0, "Cmd", -1);
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 1, "Unused", -1);
  ts_va_encoder_name (e, TS_VA_SEMAPHORE_MAP, 1, "Used", -1);
  ts_va_encoder_event_3u32 (e, TS_VA_TASK_CREATE | TS_VA_START, 0, 1000, 3, 3, 4096);
  ts_va_encoder_event (e, TS_VA_MUTEX | TS_VA_START, 0, 1010);
  ts_va_encoder_event (e, TS_VA_QUEUE | TS_VA_START, 0, 1020);
  ts_va_encoder_event (e, TS_VA_SEMAPHORE, 0, 1030);
  ts_va_encoder_event (e, TS_VA_SEMAPHORE, 1, 1035);
  ts_va_encoder_notify (e, TRUE, 0, 0, 1040, 1);
  ts_va_encoder_event_u32 (e, TS_VA_USER_TRACE | TS_VA_START, 0, 1050, 7);
  finish (fixture);

  mutex = nth_of (fixture, TS_EVENT_MUTEX, 0);
  g_assert_cmpuint (mutex->flags, ==, TS_EVENT_FLAG_START | TS_EVENT_FLAG_START_TAKES);
  g_assert_cmpstr (object_of (fixture, mutex)->name, ==, "Bus");
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_QUEUE, 0))->name, ==, "Cmd");
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_SEMAPHORE, 0))->name, ==, "Ready");
  g_assert_cmpuint (nth_of (fixture, TS_EVENT_QUEUE, 0)->flags, ==, TS_EVENT_FLAG_START);
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_NOTIFY, 0))->name, ==,
                   "Main");
  g_assert_cmpuint (nth_of (fixture, TS_EVENT_USER_TRACE, 0)->flags, ==, 0);
  g_assert_cmpuint (nth_of (fixture, TS_EVENT_TASK_CREATE, 0)->flags, ==, 0);
  g_assert_cmpint (collect_sink_find (fixture->sink, TS_OBJECT_TASK, "Main")->stack_bytes, ==,
                   4096);
  /* a kind with a name and no event, where another kind of that id has events */
  g_assert_null (collect_sink_find (fixture->sink, TS_OBJECT_QUEUE, "Unused"));
  /* the checkpoint stands at 0, the clock counts from there */
  g_assert_cmpint (nth_of (fixture, TS_EVENT_SEQ_CHECKPOINT, 0)->time, ==, 0);
  g_assert_cmpint (mutex->time, ==, 1010);
}

/* The prelude once more in mid-stream: sequence, time and names go on. */
static void
test_repeated_prelude (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  guint n_objects;

  udp_prelude (fixture);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 0, "Main", -1);
  for (guint i = 0; i < 300; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 0, 1000 + i * 10);
  udp_prelude (fixture);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 0, "Main", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 0, 5000);
  finish (fixture);
  n_objects = fixture->sink->objects->len;

  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->sessions, ==, 2);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_SESSION_START), ==, 2);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 300)->time, ==, 5000);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_SEQ_CHECKPOINT, 1)->time, ==, 1000 + 299 * 10);
  g_assert_cmpuint (n_objects, ==, 1);
}

/* A real restart: time goes on from the last known one, rows of equal names are kept, other names
 * get new rows. */
static void
test_new_session (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  guint32 first;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 1, "Same", -1);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 2, "Old", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 2, 500000);
  send (fixture);
  e->sequence = 0;
  ts_va_encoder_prelude (e, &freertos, 70);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 1, "Same", -1);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 2, "New", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 170);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 2, 270);
  finish (fixture);

  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_SESSION_START, 1)->time, ==, 499000);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_SEQ_CHECKPOINT, 1)->time, ==, 499000);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 2)->time, ==, 499100);
  first = nth_of (fixture, TS_EVENT_TASK_SWITCH, 0)->object;
  g_assert_cmpuint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 2)->object, ==, first);
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_SWITCH, 1))->name, ==, "Old");
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_SWITCH, 3))->name, ==, "New");
}

/* A later session with another clock: its ticks are converted to the first rate. */
static void
test_other_clock (Fixture *fixture, gconstpointer data)
{
  TsVaSetup slow = freertos;
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000);
  send (fixture);
  e->sequence = 0;
  slow.clock_hz = 32768;
  ts_va_encoder_prelude (e, &slow, 0xFFFFFF00);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 0xFFFFFF00 + 1024);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 0xFFFFFF00 + 32768);
  finish (fixture);

  g_assert_cmpuint (fixture->sink->hz, ==, 1000000);
  g_assert_cmpuint (fixture->sink->n_clocks, ==, 1);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 1)->time, ==, 1000 + 31250);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 2)->time, ==, 1000 + 1000000);
}

/* Two senders: objects and cores of their own, the second one's clock converted and placed where it
 * arrived. */
static void
test_two_clocks (Fixture *fixture, gconstpointer data)
{
  TsVaSetup fast = freertos;
  TsVaEncoder *e = &fixture->encoder;
  const TsEvent *a;
  const TsEvent *b;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 1, "A", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 6000);
  send_from (fixture, 4711);
  e->sequence = 0;
  fast.clock_hz = 4000000;
  ts_va_encoder_prelude (e, &fast, 900000);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 1, "B", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 904000);
  send_from (fixture, 4712);
  ts_decoder_flush (fixture->decoder);

  a = nth_of (fixture, TS_EVENT_TASK_SWITCH, 0);
  b = nth_of (fixture, TS_EVENT_TASK_SWITCH, 1);
  g_assert_cmpstr (object_of (fixture, a)->name, ==, "A");
  g_assert_cmpstr (object_of (fixture, b)->name, ==, "B");
  g_assert_cmpuint (a->core, ==, 0);
  g_assert_cmpuint (b->core, ==, 1);
  g_assert_cmpuint (object_of (fixture, b)->core, ==, 1);
  g_assert_cmpint (a->time, ==, 5000);
  g_assert_cmpint (b->time, ==, 6000);
  g_assert_cmpuint (fixture->sink->hz, ==, 1000000);
}

/* A rate that is told once in the middle of a session is damage; told twice it is so. */
static void
test_doubted_clock (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_clock (e, 9000000);
  ts_va_encoder_clock (e, 1000000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000);
  ts_va_encoder_clock (e, 2000000);
  ts_va_encoder_clock (e, 2000000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 4000);
  finish (fixture);
  g_assert_cmpuint (fixture->sink->hz, ==, 1000000);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 0)->time, ==, 1000);
  g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 1)->time, ==, 2000);
}

/* A datagram overtaken by the next one is no loss of 250. */
static void
test_late_datagram (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  g_autoptr (GByteArray) late = g_byte_array_new ();

  udp_prelude (fixture);
  for (guint i = 0; i < 20; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 1000 + i);
  send (fixture);
  for (guint i = 0; i < 6; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 1100 + i);
  g_byte_array_append (late, fixture->out->data, fixture->out->len);
  g_byte_array_set_size (fixture->out, 0);
  for (guint i = 0; i < 6; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 1200 + i);
  send (fixture);
  g_byte_array_append (fixture->out, late->data, late->len);
  send (fixture);
  for (guint i = 0; i < 6; i++)
    ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 1300 + i);
  ts_va_encoder_checkpoint (e, 0);
  finish (fixture);

  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 38);
  for (guint i = 0; i < 6; i++)
    {
      /* late ones cannot pass the mark of the loss they seemed to be */
      g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 20 + i)->time, <=, 1105);
      g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, 32 + i)->time, ==, 1300 + i);
    }
}

/* Whole frames with codes of a newer recorder are skipped and counted; their numbers are not
 * missing. */
static void
test_unknown_code (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_prelude (e, &freertos, 1000);
  for (guint i = 0; i < 5; i++)
    {
      guint8 packet[9] = { 0x30, (guint8) e->sequence, 1, 2, 3, 4, 5, 6, 7 };

      ts_va_encoder_raw (e, packet, sizeof packet);
      e->sequence++;
      ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000 + i);
    }
  ts_va_encoder_checkpoint (e, 3000);
  finish (fixture);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->unknown_packets, ==, 5);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->corrupt_bytes, ==, 0);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 5);
}

/* A sequence byte that was damaged is seen by the next frame: one packet lost, not 256. */
static void
test_damaged_number (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_prelude (e, &freertos, 1000);
  for (guint i = 0; i < 9; i++)
    {
      guint32 sequence = e->sequence;

      if (i == 4)
        e->sequence ^= 0x40;
      ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000 + i);
      e->sequence = sequence + 1;
    }
  finish (fixture);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 1);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->seq_gaps, ==, 1);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->corrupt_bytes, >, 0);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 8);
}

/* One damaged time stamp, far ahead or far behind, moves its own event only. */
static void
test_damaged_stamp (Fixture *fixture, gconstpointer data)
{
  static const guint bits[] = { 20, 24, 28, 30, 31 };

  for (guint b = 0; b < G_N_ELEMENTS (bits); b++)
    for (guint upper = 0; upper < 2; upper++)
      {
        TsVaEncoder *e = &fixture->encoder;
        guint32 base = upper != 0 ? 0xF5F5F5F5 : 0x00001000;

        start (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, "va-cobs");
        ts_va_encoder_prelude (e, &freertos, base);
        for (guint i = 1; i < 9; i++)
          ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1,
                               i == 4 ? (base + i * 100) ^ (1u << bits[b]) : base + i * 100);
        finish (fixture);
        for (guint i = 1; i < 9; i++)
          if (i != 4)
            {
              guint n = i - 1;

              g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, n)->time, <=, 800);
            }
        g_assert_cmpint (collect_sink_nth (fixture->sink, fixture->sink->events->len - 1)->time, ==,
                         800);
      }
}

/* Damage seldom comes alone: several stamps in a row, and packets missing in between. */
static void
test_damaged_stamps (Fixture *fixture, gconstpointer data)
{
  for (guint n_bad = 1; n_bad <= 3; n_bad++)
    for (guint gap = 0; gap < 2; gap++)
      {
        TsVaEncoder *e = &fixture->encoder;

        start (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, "va-cobs");
        ts_va_encoder_prelude (e, &freertos, 0x1000);
        for (guint i = 1; i < 12; i++)
          {
            guint32 stamp = 0x1000 + i * 100;

            if (gap != 0 && i == 4 + n_bad)
              e->sequence += 5;
            ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1,
                                 i >= 4 && i < 4 + n_bad ? stamp ^ (0x41000000u << (i - 4)) : stamp);
          }
        finish (fixture);
        g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_DATA_LOSS), ==, gap);
        for (guint i = 1; i < 12; i++)
          {
            const TsEvent *event = nth_of (fixture, TS_EVENT_TASK_SWITCH, i - 1);

            if (i < 4 || i >= 4 + n_bad)
              g_assert_cmpint (event->time, ==, i * 100);
            else
              g_assert_true (event->time >= 300 && event->time <= 1100
                             && (event->flags & TS_EVENT_FLAG_TIME_ESTIMATED) != 0);
          }
      }
}

/* Events after a long silence are no damage. */
static void
test_sparse (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  guint64 time = 1000;

  udp_prelude (fixture);
  for (guint i = 0; i < 20; i++)
    {
      ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, time);
      time += 30000000;
    }
  finish (fixture);
  for (guint i = 0; i < 20; i++)
    {
      g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_SWITCH, i)->time, ==,
                       1000 + (gint64) i * 30000000);
      g_assert_cmpuint (nth_of (fixture, TS_EVENT_TASK_SWITCH, i)->flags, ==, TS_EVENT_FLAG_START);
    }
}

/* `7E` refines, `70` renames, a deleted task's number is another task's. */
static void
test_objects (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  const TsObject *object;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 5, 1100);
  send (fixture);
  ts_decoder_idle (fixture->decoder);
  g_assert_nonnull (collect_sink_find (fixture->sink, TS_OBJECT_TASK, "Task 5"));
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 5, "Late", -1);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 5, "Renamed", -1);
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 3, "Buf", -1);
  ts_va_encoder_object_info (e, 3, 3, 10);
  ts_va_encoder_object_info (e, 3, 4, 512);
  ts_va_encoder_object_info (e, 3, 2, 0x20001000);
  ts_va_encoder_object_info (e, 3, 99, 1);
  ts_va_encoder_operation (e, TS_VA_STREAM_BUFFER, 3, 1200, 1, 5, 0, 16, 16);
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 3, "Buf", -1);
  ts_va_encoder_name (e, TS_VA_SEMAPHORE_MAP, 4, "Sem", -1);
  ts_va_encoder_object_info (e, 4, 3, 3);
  ts_va_encoder_event (e, TS_VA_SEMAPHORE, 4, 1300);
  ts_va_encoder_event_u32 (e, TS_VA_OP_FAILED, 4, 1310, 0);
  ts_va_encoder_event_u32 (e, TS_VA_EVENTFLAG, 6, 1320, 3);
  ts_va_encoder_name (e, TS_VA_QUEUE_MAP, 7, "Queue_EvtFlag", -1);
  ts_va_encoder_task_state (e, 5, 1400, 6, 0, 0, 0);
  ts_va_encoder_name (e, TS_VA_TASK_MAP, 5, "Successor", -1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 5, 1500);
  finish (fixture);

  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_SWITCH, 0))->name, ==,
                   "Renamed");
  g_assert_cmpstr (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_SWITCH, 1))->name, ==,
                   "Successor");
  object = object_of (fixture, nth_of (fixture, TS_EVENT_STREAM_BUFFER, 0));
  g_assert_cmpint (object->type, ==, TS_OBJECT_MESSAGE_BUFFER);
  g_assert_cmpint (object->capacity, ==, 512);
  g_assert_cmpint (object->address, ==, 0x20001000);
  g_assert_cmpstr (collect_sink_text (fixture->sink, nth_of (fixture, TS_EVENT_STREAM_BUFFER, 0)),
                   ==, "send by Renamed");
  object = object_of (fixture, nth_of (fixture, TS_EVENT_OP_FAILED, 0));
  g_assert_cmpint (object->type, ==, TS_OBJECT_BINARY_SEM);
  g_assert_cmpstr (object->name, ==, "Sem");
  g_assert_cmpint (object_of (fixture, nth_of (fixture, TS_EVENT_EVENT_FLAG, 0))->type, ==,
                   TS_OBJECT_EVENT_FLAG);
  g_assert_nonnull (collect_sink_find (fixture->sink, TS_OBJECT_EVENT_FLAG, "Queue_EvtFlag"));
  g_assert_cmpstr (collect_sink_text (fixture->sink, nth_of (fixture, TS_EVENT_TASK_STATE, 0)), ==,
                   "deleted");
}

/* Bytes, never words: by OS, dialect and version. */
static void
test_units (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    TsVaDialect dialect;
    const char *os;
    guint32 version;
    gint64 stack;
    gint64 used;
  } cases[] = {
    { TS_VA_DIALECT_WIRE1, "FreeRTOS", 0x00010005, 400, 60 },
    { TS_VA_DIALECT_WIRE1, "FreeRTOS", 0x00010000, 400, 240 },
    { TS_VA_DIALECT_WIRE1, "Zephyr", 0x00010005, 100, 60 },
    { TS_VA_DIALECT_WIRE1, "Zephyr", 0x00010000, 100, 60 },
    { TS_VA_DIALECT_V3, "FreeRTOS", 0, 400, 240 },
    { TS_VA_DIALECT_V2, "FreeRTOS", 0, 400, 240 },
    { TS_VA_DIALECT_LEGACY, "FreeRTOS", 0, 400, 240 },
    { TS_VA_DIALECT_LEGACY, "Zephyr", 0, 100, 60 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TsVaSetup setup = freertos;
      TsVaEncoder *e = &fixture->encoder;

      start (fixture, cases[i].dialect, TS_VA_FRAMING_COBS, "va-cobs");
      setup.os = cases[i].os;
      setup.version = cases[i].version;
      ts_va_encoder_prelude (e, &setup, 1000);
      ts_va_encoder_event_3u32 (e, TS_VA_TASK_CREATE, 1, 1100, (guint32) -3, 5, 100);
      ts_va_encoder_event_2u32 (e, TS_VA_STACK_USAGE, 1, 1200, 60, 100);
      finish (fixture);
      g_assert_cmpint (object_of (fixture, nth_of (fixture, TS_EVENT_TASK_CREATE, 0))->stack_bytes,
                       ==, cases[i].stack);
      g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_CREATE, 0)->value, ==, -3);
      g_assert_cmpint (nth_of (fixture, TS_EVENT_TASK_CREATE, 0)->detail, ==, 5);
      g_assert_cmpint (nth_of (fixture, TS_EVENT_STACK_USAGE, 0)->value, ==, cases[i].used);
    }
}

/* Error texts, once each however often they are repeated; texts nobody knows. */
static void
test_texts (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;
  guint n_errors = 0;

  ts_va_encoder_prelude (e, &freertos, 1000);
  for (guint i = 0; i < 3; i++)
    {
      ts_va_encoder_info (e, "ERR:TASKMAPFULL");
      ts_va_encoder_info (e, "ERR:OBJMAPFULL");
      ts_va_encoder_info (e, "CLK:12x");
      ts_va_encoder_info (e, "NEW:thing");
      ts_va_encoder_config_flags (e, 9, 1);
    }
  finish (fixture);
  for (guint i = 0; i < fixture->sink->infos->len; i++)
    n_errors += g_str_has_prefix (fixture->sink->infos->pdata[i], "error=ERR:");
  g_assert_cmpuint (n_errors, ==, 2);
  g_assert_cmpstr (collect_sink_info (fixture->sink, "info"), ==, "NEW:thing");
  g_assert_cmpuint (fixture->sink->hz, ==, 1000000);
}

/* A pause gives out what waits: a raw stream's last packet, the window's events. */
static void
test_idle (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  start (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_RAW, "va");
  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000);
  send (fixture);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 0);
  ts_decoder_idle (fixture->decoder);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 1);
  ts_decoder_idle (fixture->decoder);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 1);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 1, 2100);
  finish (fixture);
  g_assert_cmpuint (collect_sink_count (fixture->sink, TS_EVENT_TASK_SWITCH), ==, 2);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->corrupt_bytes, ==, 0);
}

/* A doubtful checkpoint (three of its four bytes are unprotected) is no loss of millions. */
static void
test_doubted_checkpoint (Fixture *fixture, gconstpointer data)
{
  TsVaEncoder *e = &fixture->encoder;

  ts_va_encoder_prelude (e, &freertos, 1000);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH | TS_VA_START, 1, 2000);
  e->sequence += 0x01000000;
  ts_va_encoder_checkpoint (e, 2100);
  e->sequence -= 0x01000000;
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 1, 2200);
  ts_va_encoder_checkpoint (e, 2300);
  finish (fixture);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 0);

  start (fixture, TS_VA_DIALECT_WIRE1, TS_VA_FRAMING_COBS, "va-cobs");
  ts_va_encoder_prelude (e, &freertos, 1000);
  e->sequence += 1000000;
  ts_va_encoder_checkpoint (e, 2100);
  ts_va_encoder_event (e, TS_VA_TASK_SWITCH, 1, 2200);
  ts_va_encoder_checkpoint (e, 2300);
  finish (fixture);
  g_assert_cmpuint (ts_decoder_get_counters (fixture->decoder)->lost_packets, ==, 1000000);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/decode/rules/all-codes", test_all_codes },
    { "/decode/rules/udp-sender", test_udp_sender },
    { "/decode/rules/repeated-prelude", test_repeated_prelude },
    { "/decode/rules/new-session", test_new_session },
    { "/decode/rules/other-clock", test_other_clock },
    { "/decode/rules/two-clocks", test_two_clocks },
    { "/decode/rules/doubted-clock", test_doubted_clock },
    { "/decode/rules/late-datagram", test_late_datagram },
    { "/decode/rules/unknown-code", test_unknown_code },
    { "/decode/rules/damaged-number", test_damaged_number },
    { "/decode/rules/damaged-stamp", test_damaged_stamp },
    { "/decode/rules/damaged-stamps", test_damaged_stamps },
    { "/decode/rules/sparse", test_sparse },
    { "/decode/rules/objects", test_objects },
    { "/decode/rules/units", test_units },
    { "/decode/rules/texts", test_texts },
    { "/decode/rules/idle", test_idle },
    { "/decode/rules/doubted-checkpoint", test_doubted_checkpoint },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
