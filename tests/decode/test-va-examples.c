/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-va-examples.c: the worked examples of viewalyzer-wire.md section 16, and the rules around
 * them.
 *
 * Example 18 to 20 are about structures in target memory, which decoders do not read.
 */
#include "config.h"

#include <string.h>

#include "collect-sink.h"

/* Shorthand of the tests: a stream of wire 1 that a decoder takes at once. */
#define MARKER "56 41 5A 01 53 59 4E 43 30 31 AA 55\n"
#define MARKER_V2 "56 41 5A 02 53 59 4E 43 30 32 AA 55\n"
#define SES0 "7F 00 00 09 53 45 53 3A 53 54 41 52 54\n"
#define CHECK1 "16 01 00 40 01 00 00 01 00 00 00\n"
#define EXAMPLE1                                                                                   \
  MARKER SES0 CHECK1 "7F 02 00 0D 43 4C 4B 3A 31 37 30 30 30 30 30 30 30 | CLK\n"                  \
                     "71 03 01 07 53 79 73 54 69 63 6B\n"                                          \
                     "77 04 01 FF FF 07 00\n"                                                      \
                     "77 05 02 04 00 00 00\n"                                                      \
                     "77 06 03 05 00 01 00\n"                                                      \
                     "7A 07 00 08 46 72 65 65 52 54 4F 53\n"

/* The @n-th event of @kind. */
static const TsEvent *
nth_of (CollectSink *sink, TsEventKind kind, guint n)
{
  for (guint i = 0; i < sink->events->len; i++)
    if (collect_sink_nth (sink, i)->kind == kind && n-- == 0)
      return collect_sink_nth (sink, i);
  g_error ("no event of kind %s", ts_event_kind_get_name (kind));
}

static const TsObject *
object_of (CollectSink *sink, const TsEvent *event)
{
  return collect_sink_object (sink, event->object);
}

static guint
sides (const TsEvent *event)
{
  return event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END);
}

static gint64
origin (CollectSink *sink)
{
  return g_ascii_strtoll (collect_sink_info (sink, "t0_ticks"), NULL, 10);
}

static void
test_1_prelude (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_hex ("va", EXAMPLE1, &counters);
  const TsEvent *checkpoint = nth_of (sink, TS_EVENT_SEQ_CHECKPOINT, 0);

  g_assert_cmpuint (counters.packets, ==, 8);
  g_assert_cmpuint (counters.markers, ==, 1);
  g_assert_cmpuint (counters.sessions, ==, 1);
  g_assert_cmpuint (counters.events, ==, 1);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_true (counters.seq_present);
  g_assert_cmpuint (sink->hz, ==, 170000000);
  g_assert_cmpint (checkpoint->time, ==, 0);
  g_assert_cmpint (checkpoint->value, ==, 1);
  g_assert_cmpint (origin (sink), ==, 320);
  g_assert_cmpstr (collect_sink_info (sink, "dialect"), ==, "wire-1");
  g_assert_cmpstr (collect_sink_info (sink, "categories"), ==, "524287");
  g_assert_cmpstr (collect_sink_info (sink, "build_flags"), ==, "4");
  g_assert_cmpstr (collect_sink_info (sink, "recorder_version"), ==, "1.0.5");
  g_assert_cmpstr (collect_sink_info (sink, "os"), ==, "FreeRTOS");
  g_assert_cmpint (collect_sink_find (sink, TS_OBJECT_ISR, "SysTick")->wire_id, ==, 1);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_SESSION_START), ==, 1);
}

static void
test_2_task (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    EXAMPLE1 "70 08 03 04 49 44 4C 45\n"
                             "03 09 03 00 10 00 00 00 00 00 00 00 00 00 00 80 00 00 00\n"
                             "01 0A 02 00 00 01 00\n"
                             "81 0B 03 20 00 01 00\n",
                    NULL);
  const TsEvent *out = nth_of (sink, TS_EVENT_TASK_SWITCH, 0);
  const TsEvent *in = nth_of (sink, TS_EVENT_TASK_SWITCH, 1);
  const TsObject *idle = object_of (sink, in);
  const TsEvent *create = nth_of (sink, TS_EVENT_TASK_CREATE, 0);

  g_assert_cmpstr (idle->name, ==, "IDLE");
  g_assert_true (idle->is_idle);
  g_assert_true (idle->is_named);
  g_assert_cmpint (idle->priority, ==, 0);
  g_assert_cmpint (idle->base_priority, ==, 0);
  g_assert_cmpint (idle->stack_bytes, ==, 512); /* 128 words */
  g_assert_cmpuint (create->object, ==, idle->id);
  g_assert_cmpint (create->time, ==, 0x1000 - 320);
  g_assert_cmpuint (sides (create), ==, 0);
  g_assert_cmpuint (sides (out), ==, TS_EVENT_FLAG_END);
  g_assert_cmpuint (sides (in), ==, TS_EVENT_FLAG_START);
  g_assert_cmpint (in->time - out->time, ==, 32);
  g_assert_cmpint (in->time, ==, 0x10020 - 320);
  g_assert_cmpstr (object_of (sink, out)->name, ==, "Task 2");
  g_assert_false (object_of (sink, out)->is_named);
}

static void
test_3_interrupts (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    MARKER SES0 CHECK1 "71 02 01 07 53 79 73 54 69 63 6B\n"
                                       "7A 03 00 06 5A 65 70 68 79 72 | Zephyr\n"
                                       "82 04 25 00 10 00 00\n"
                                       "82 05 0F 20 10 00 00\n"
                                       "02 06 0F 50 10 00 00\n"
                                       "02 07 25 90 10 00 00\n",
                    NULL);

  g_assert_cmpstr (object_of (sink, nth_of (sink, TS_EVENT_ISR, 0))->name, ==, "IRQ 21");
  g_assert_cmpstr (object_of (sink, nth_of (sink, TS_EVENT_ISR, 1))->name, ==, "SysTick");
  g_assert_cmpint (object_of (sink, nth_of (sink, TS_EVENT_ISR, 1))->wire_id, ==, 15);
  g_assert_cmpint (nth_of (sink, TS_EVENT_ISR, 3)->time - nth_of (sink, TS_EVENT_ISR, 0)->time, ==,
                   0x90);
  g_assert_cmpuint (sides (nth_of (sink, TS_EVENT_ISR, 1)), ==, TS_EVENT_FLAG_START);
  g_assert_cmpuint (sides (nth_of (sink, TS_EVENT_ISR, 2)), ==, TS_EVENT_FLAG_END);

  /* the prelude's name of id 1 is no exception number: no second SysTick */
  for (guint i = 0; i < sink->objects->len; i++)
    g_assert_cmpint (((TsObject *) sink->objects->pdata[i])->wire_id, !=, 1);
}

static void
test_4_values (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink
      = decode_hex ("va-cobs", "0D 56 41 5A 01 53 59 4E 43 30 31 AA 55 00\n", NULL);
  g_autoptr (CollectSink) raw = decode_hex ("va",
                                            MARKER "16 27 00 00 00 01 00 27 00 00 00\n"
                                                   "72 28 05 00 05 73 70 65 65 64\n"
                                                   "04 29 05 78 56 34 12 FE FF FF FF\n"
                                                   "0E 2A 06 80 56 34 12 00 00 C0 3F\n"
                                                   "0A 2B 07 90 56 34 12 01\n"
                                                   "10 2C 01 A0 56 34 12 10 27 00 00\n"
                                                   "0F 2D 02 B0 56 34 12 01 00 00 00\n"
                                                   "79 2E 01 00 10 00 00 04 70 6F 6F 6C\n"
                                                   "11 2F 01 C0 56 34 12 34 12 00 00\n",
                                            &counters);
  const TsEvent *trace = nth_of (raw, TS_EVENT_USER_TRACE, 0);

  g_assert_cmpuint (sink->events->len, ==, 0);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpint (trace->value, ==, -2);
  g_assert_cmpint (trace->time, ==, 0x12345678 - 0x10000);
  g_assert_cmpstr (object_of (raw, trace)->name, ==, "speed");
  g_assert_cmpstr (object_of (raw, trace)->display, ==, "graph");
  g_assert_cmpint (object_of (raw, trace)->type, ==, TS_OBJECT_USER_TRACE);
  g_assert_cmpfloat (ts_event_get_double (nth_of (raw, TS_EVENT_FLOAT_TRACE, 0)), ==, 1.5);
  g_assert_cmpuint (nth_of (raw, TS_EVENT_FLOAT_TRACE, 0)->flags, ==, TS_EVENT_FLAG_FLOAT);
  g_assert_cmpint (nth_of (raw, TS_EVENT_USER_TOGGLE, 0)->value, ==, 1);
  g_assert_cmpint (object_of (raw, nth_of (raw, TS_EVENT_USER_TOGGLE, 0))->type, ==,
                   TS_OBJECT_USER_TOGGLE);
  g_assert_cmpstr (object_of (raw, nth_of (raw, TS_EVENT_USER_TOGGLE, 0))->name, ==, "Toggle 7");
  g_assert_cmpint (nth_of (raw, TS_EVENT_COUNTER, 0)->value, ==, 10000);
  g_assert_cmpint (nth_of (raw, TS_EVENT_GPIO, 0)->value, ==, 1);
  g_assert_cmpint (nth_of (raw, TS_EVENT_HEAP, 0)->value, ==, 0x1234);
  g_assert_cmpstr (object_of (raw, nth_of (raw, TS_EVENT_HEAP, 0))->name, ==, "pool");
  g_assert_cmpint (object_of (raw, nth_of (raw, TS_EVENT_HEAP, 0))->capacity, ==, 4096);
}

static void
test_5_notify (void)
{
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             EXAMPLE1 "85 08 00 03 C0 56 34 12 01 00 00 00\n"
                                                      "05 09 03 00 D0 56 34 12 01 00 00 00\n",
                                             NULL);
  const TsEvent *give = nth_of (sink, TS_EVENT_TASK_NOTIFY, 0);
  const TsEvent *take = nth_of (sink, TS_EVENT_TASK_NOTIFY, 1);

  g_assert_cmpuint (give->object, ==, 0); /* from an interrupt */
  g_assert_cmpint (collect_sink_object (sink, (guint32) give->detail)->wire_id, ==, 3);
  g_assert_cmpint (give->value, ==, 1);
  g_assert_cmpint (give->time, ==, 0x123456C0 - 320);
  g_assert_cmpuint (sides (give), ==, TS_EVENT_FLAG_START);
  g_assert_cmpint (object_of (sink, take)->wire_id, ==, 3);
  g_assert_cmpint (take->detail, ==, 0);
  g_assert_cmpuint (sides (take), ==, TS_EVENT_FLAG_END);
}

static void
test_6_contention (void)
{
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             EXAMPLE1 "07 08 04 00 57 34 12\n"
                                                      "0C 09 04 02 03 40 57 34 12\n"
                                                      "87 0A 04 00 58 34 12\n"
                                                      "07 0B 04 20 58 34 12\n",
                                             NULL);
  const TsEvent *contention = nth_of (sink, TS_EVENT_MUTEX_CONTENTION, 0);

  g_assert_cmpint (object_of (sink, contention)->wire_id, ==, 4);
  g_assert_cmpint (object_of (sink, contention)->type, ==, TS_OBJECT_MUTEX);
  g_assert_cmpint (collect_sink_object (sink, (guint32) contention->value)->wire_id, ==, 2);
  g_assert_cmpint (collect_sink_object (sink, (guint32) contention->detail)->wire_id, ==, 3);
  g_assert_cmpint (contention->time, ==, 0x12345740 - 320);
  g_assert_cmpuint (sides (contention), ==, 0);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_MUTEX, 1)->flags, ==,
                    TS_EVENT_FLAG_START); /* firmware: given */
}

static void
test_7_text (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    EXAMPLE1 "0D 08 01 00 60 34 12 02 00 48 69\n"
                             "0D 09 00 10 60 34 12 06 00 44 52 4F 50 3A 35\n"
                             "0D 0A 02 20 60 34 12 03 00 41 FF 42 | no UTF-8\n"
                             "0D 0B 02 30 60 34 12 00 00 | empty\n",
                    &counters);
  const TsEvent *hi = nth_of (sink, TS_EVENT_STRING, 0);

  g_assert_cmpstr (collect_sink_text (sink, hi), ==, "Hi");
  g_assert_cmpint (hi->value, ==, 1);
  g_assert_cmpint (ts_event_get_detail (hi), ==, 0);
  g_assert_cmpint (object_of (sink, hi)->type, ==, TS_OBJECT_STRING_CHANNEL);
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_STRING, 1)), ==, "DROP:5");
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_STRING, 2)), ==,
                   "A\357\277\275B");
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_STRING, 3)), ==, "");
  g_assert_cmpuint (counters.dropped_reported, ==, 5);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpuint (counters.events, ==, 5);
}

static void
test_8_heap (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    EXAMPLE1 "7C 08 01 0C 46 72 65 65 52 54 4F 53 48 65 61 70\n"
                             "7E 09 01 02 34 12 00 20\n"
                             "7E 0A 01 01 00 3C 00 00\n"
                             "94 0B 01 00 61 34 12 80 00 00 00\n"
                             "17 0C 01 10 61 34 12 00 40 00 00\n",
                    NULL);
  const TsEvent *alloc = nth_of (sink, TS_EVENT_HEAP_SYNC, 0);
  const TsEvent *fail = nth_of (sink, TS_EVENT_HEAP_FAIL, 0);
  const TsObject *heap = object_of (sink, alloc);

  g_assert_cmpint (heap->type, ==, TS_OBJECT_HEAP);
  g_assert_cmpstr (heap->name, ==, "FreeRTOSHeap");
  g_assert_cmpint (heap->address, ==, 0x20001234);
  g_assert_cmpint (heap->capacity, ==, 15360);
  g_assert_cmpint (alloc->value, ==, 128);
  g_assert_cmpint (fail->value, ==, 16384);
  g_assert_cmpuint (fail->object, ==, heap->id);
}

static void
test_9_timer (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    EXAMPLE1 "93 08 06 00 50 00 00\n"
                             "1B 09 06 00 50 00 00 F4 01 00 00 F4 01 00 00\n"
                             "13 0A 06 00 90 00 00\n"
                             "9A 0B 00 00 91 00 00 45 01 00 08 E8 03 00 00\n",
                    NULL);
  const TsEvent *arm = nth_of (sink, TS_EVENT_TIMER_ARM, 0);
  const TsEvent *work = nth_of (sink, TS_EVENT_WORK, 0);

  g_assert_cmpstr (object_of (sink, arm)->name, ==, "Timer 6");
  g_assert_cmpint (arm->value, ==, 500);
  g_assert_cmpint (arm->detail, ==, 500);
  g_assert_cmpuint (work->object, ==, 0);
  g_assert_cmpint (work->value, ==, 0x08000145);
  g_assert_cmpint (work->detail, ==, 1000);
  g_assert_cmpuint (sides (work), ==, TS_EVENT_FLAG_START);
}

static void
test_10_gap (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             MARKER "16 3F 00 00 00 01 00 3F 00 00 00\n"
                                                    "01 40 02 00 00 02 00\n"
                                                    "81 44 03 80 00 02 00\n"
                                                    "01 45 03 90 00 02 00\n",
                                             &counters);
  const TsEvent *loss = nth_of (sink, TS_EVENT_DATA_LOSS, 0);
  const TsEvent *next = nth_of (sink, TS_EVENT_TASK_SWITCH, 1);

  g_assert_cmpuint (counters.lost_packets, ==, 3);
  g_assert_cmpuint (counters.seq_gaps, ==, 1);
  g_assert_cmpint (loss->value, ==, 3);
  g_assert_cmpint (loss->time, ==, 0x10000);
  g_assert_cmpuint (loss->flags, ==, TS_EVENT_FLAG_SYNTHETIC);
  g_assert_cmpint (next->time, ==, 0x10080);
  g_assert_cmpuint (next->flags & TS_EVENT_FLAG_AFTER_LOSS, !=, 0);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_TASK_SWITCH, 2)->flags & TS_EVENT_FLAG_AFTER_LOSS, ==,
                    0);
}

/* 231 packets with numbers 257 to 487 arrive between the checkpoints 256 and 1000. */
static void
test_11_hidden_loss (void)
{
  static const char a[] = MARKER "16 00 00 00 00 10 00 00 01 00 00\n";
  static const char b[] = "16 E8 00 00 00 90 00 E8 03 00 00\n";
  g_autoptr (GString) hex = g_string_new (a);
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = NULL;

  for (guint i = 257; i <= 487; i++)
    g_string_append_printf (hex, "81 %02X 03 %02X 00 11 00\n", i & 0xFF, i - 257);
  g_string_append (hex, b);
  sink = decode_hex ("va", hex->str, &counters);
  g_assert_cmpuint (counters.lost_packets, ==, 512);
  g_assert_cmpuint (counters.seq_gaps, ==, 1);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DATA_LOSS, 0)->value, ==, 512);
  g_assert_cmpuint (nth_of (sink, TS_EVENT_SEQ_CHECKPOINT, 1)->flags & TS_EVENT_FLAG_AFTER_LOSS, !=,
                    0);
}

static void
test_12_wrap (void)
{
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             MARKER "16 4F 00 00 00 FF FF 4F 00 00 00\n"
                                                    "81 50 02 00 FF FF FF\n"
                                                    "01 51 02 00 01 00 00\n"
                                                    "09 52 02 F0 00 00 00 00 02 00 00 00 04 00 00\n"
                                                    "81 53 03 10 01 00 00\n",
                                             NULL);
  const TsEvent *in = nth_of (sink, TS_EVENT_TASK_SWITCH, 0);
  const TsEvent *out = nth_of (sink, TS_EVENT_TASK_SWITCH, 1);
  const TsEvent *stack = nth_of (sink, TS_EVENT_STACK_USAGE, 0);

  g_assert_cmpint (in->time, ==, 0xFF00);
  g_assert_cmpint (out->time, ==, 0xFF00 + 512);
  g_assert_cmpint (stack->time, ==, out->time - 16); /* in its place: before the switch */
  g_assert_true (stack < out);
  g_assert_cmpint (stack->value, ==, 512);
  g_assert_cmpint (stack->detail, ==, 1024);
  g_assert_cmpint (nth_of (sink, TS_EVENT_TASK_SWITCH, 2)->time, ==, out->time + 16);
  g_assert_cmpint (origin (sink), ==, 0xFFFF0000);
}

static void
test_13_14_cobs (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = collect_sink_new ();
  g_autoptr (TsDecoder) decoder = ts_decoder_new ("va-cobs", &sink->parent, NULL, NULL);
  g_autoptr (GBytes) first
      = bytes_from_hex ("0D 56 41 5A 01 53 59 4E 43 30 31 AA 55 00\n"
                        "03 16 63 01 01 02 01 02 63 01 01 01 00 | checkpoint 0x63\n"
                        "04 01 64 02 01 02 01 01 00 05 81 65\n");
  g_autoptr (GBytes) second
      = bytes_from_hex ("03 20 02 01 01 00\n"
                        "03 84 66 03 10 27 01 02 64 01 01 01 00 | int trace 0 = 100, flag set\n");

  ts_decoder_push (decoder, 0, g_bytes_get_data (first, NULL), g_bytes_get_size (first));
  ts_decoder_push (decoder, 0, g_bytes_get_data (second, NULL), g_bytes_get_size (second));
  ts_decoder_flush (decoder);
  counters = *ts_decoder_get_counters (decoder);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpuint (counters.events, ==, 4);
  g_assert_cmpuint (counters.lost_packets, ==, 0);
  g_assert_cmpint (nth_of (sink, TS_EVENT_TASK_SWITCH, 1)->time
                       - nth_of (sink, TS_EVENT_TASK_SWITCH, 0)->time,
                   ==, 0x20);
  g_assert_cmpint (object_of (sink, nth_of (sink, TS_EVENT_TASK_SWITCH, 1))->wire_id, ==, 3);
  g_assert_cmpint (nth_of (sink, TS_EVENT_USER_TRACE, 0)->value, ==, 100);
  g_assert_cmpuint (sides (nth_of (sink, TS_EVENT_USER_TRACE, 0)), ==, 0);
  g_assert_cmpint (object_of (sink, nth_of (sink, TS_EVENT_USER_TRACE, 0))->wire_id, ==, 0);
}

static void
test_15_dialects (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) legacy = decode_hex ("va",
                                               MARKER "7F 00 09 53 45 53 3A 53 54 41 52 54\n"
                                                      "81 03 20 00 01 00 00 00 00 00\n"
                                                      "0D 01 20 00 01 00 00 00 00 00 02 00 48 69\n",
                                               &counters);
  g_autoptr (CollectSink) v2 = NULL;
  g_autoptr (CollectSink) early = NULL;

  g_assert_cmpstr (collect_sink_info (legacy, "dialect"), ==, "legacy-v1");
  g_assert_cmpuint (counters.events, ==, 2);
  g_assert_cmpuint (counters.sessions, ==, 1);
  g_assert_false (counters.seq_present);
  g_assert_cmpint (origin (legacy), ==, 0x10020);
  g_assert_cmpstr (collect_sink_text (legacy, nth_of (legacy, TS_EVENT_STRING, 0)), ==, "Hi");

  v2 = decode_hex ("va", MARKER_V2 "81 03 20 00 01 00\n", &counters);
  g_assert_cmpstr (collect_sink_info (v2, "dialect"), ==, "v2");
  g_assert_cmpuint (counters.events, ==, 1);
  g_assert_cmpint (origin (v2), ==, 0x10020);

  /* the same text with a length of one byte */
  early = decode_hex ("va",
                      MARKER "7F 00 09 53 45 53 3A 53 54 41 52 54\n"
                             "0D 01 20 00 01 00 00 00 00 00 02 48 69\n"
                             "81 03 30 00 01 00 00 00 00 00\n",
                      &counters);
  g_assert_cmpstr (collect_sink_info (early, "dialect"), ==, "legacy-v1-early");
  g_assert_cmpuint (counters.events, ==, 2);
  g_assert_cmpstr (collect_sink_text (early, nth_of (early, TS_EVENT_STRING, 0)), ==, "Hi");
}

/* A counter of 64 bits does not stand still for a day: one stamp far ahead is damage, even where
 * nothing comes after it; many are another clock, which goes on from where the time stands. */
static void
test_far_ahead (void)
{
  static const char begin[] = MARKER "7F 00 09 53 45 53 3A 53 54 41 52 54\n"
                                     "81 03 20 00 01 00 00 00 00 00\n"
                                     "81 03 40 00 01 00 00 00 00 00\n";
  g_autofree char *one = g_strconcat (begin, "81 03 60 00 01 00 00 00 10 00\n", NULL);
  g_autoptr (GString) many = g_string_new (begin);
  TsDecodeCounters counters;
  g_autoptr (CollectSink) damaged = decode_hex ("va", one, &counters);
  g_autoptr (CollectSink) restarted = NULL;

  g_assert_cmpuint (counters.events, ==, 3);
  g_assert_cmpint (nth_of (damaged, TS_EVENT_TASK_SWITCH, 2)->time, ==, 0x20);
  g_assert_cmpuint (nth_of (damaged, TS_EVENT_TASK_SWITCH, 2)->flags & TS_EVENT_FLAG_TIME_ESTIMATED,
                    !=, 0);

  for (guint i = 0; i < 10; i++)
    g_string_append_printf (many, "81 03 %02X 00 01 00 00 00 10 00\n", 0x60 + i);
  restarted = decode_hex ("va", many->str, &counters);
  g_assert_cmpuint (counters.events, ==, 12);
  /* the ninth far off is the new clock's first, the tenth comes a tick later */
  g_assert_cmpint (nth_of (restarted, TS_EVENT_TASK_SWITCH, 10)->time, ==, 0x20);
  g_assert_cmpint (nth_of (restarted, TS_EVENT_TASK_SWITCH, 11)->time, ==, 0x21);
}

static void
test_16_cut_packet (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    MARKER "16 3F 00 00 00 04 00 3F 02 00 00 | good, 0x3F\n"
                           "04 40 05 00\n" MARKER "16 47 00 00 00 05 00 47 02 00 00\n",
                    &counters);

  g_assert_cmpuint (counters.corrupt_bytes, ==, 4);
  g_assert_cmpuint (counters.lost_packets, ==, 7);
  g_assert_cmpuint (counters.seq_gaps, ==, 1);
  g_assert_cmpuint (counters.markers, ==, 2);
  g_assert_cmpuint (counters.events, ==, 2);
  g_assert_cmpint (nth_of (sink, TS_EVENT_CORRUPT, 0)->value, ==, 4);
  g_assert_cmpint (nth_of (sink, TS_EVENT_DATA_LOSS, 0)->value, ==, 7);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_USER_TRACE), ==, 0);
}

static void
test_17_flipped_bit (void)
{
  TsDecodeCounters counters;
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             MARKER "16 64 00 00 00 01 00 64 00 00 00\n"
                                                    "81 65 03 20 00 01 00\n"
                                                    "41 66 03 60 00 01 00\n"
                                                    "81 67 02 80 00 01 00\n"
                                                    "01 68 02 C0 00 01 00\n"
                                                    "81 69 03 E0 00 01 00\n",
                                             &counters);

  g_assert_cmpuint (counters.corrupt_bytes, ==, 7);
  g_assert_cmpuint (counters.lost_packets, ==, 1);
  g_assert_cmpuint (counters.resyncs, ==, 1);
  g_assert_cmpuint (collect_sink_count (sink, TS_EVENT_TASK_SWITCH), ==, 4);
  g_assert_cmpuint (counters.events, ==, 5);
}

static void
test_21_details (void)
{
  g_autoptr (CollectSink) sink
      = decode_hex ("va",
                    EXAMPLE1 "70 08 02 04 43 74 72 6C | task 2 Ctrl\n"
                             "74 09 04 06 42 75 73 4D 74 78 | mutex 4 BusMtx\n"
                             "1C 0A 02 00 40 00 00 03 01 04 00 00 00 00 00\n"
                             "1D 0B 03 10 40 00 00 07 00 00 00 05 00 00 00 02 00 00 00\n"
                             "1C 0C 02 80 40 00 00 01 00 00 00 00 00 00 00\n"
                             "23 0D 05 90 40 00 00 01 02 00 00 03 00 00 00 01 00 00 00\n"
                             "23 0E 05 A0 40 00 00 02 00 16 00 02 00 00 00 01 00 00 00\n",
                    NULL);
  const TsEvent *blocked = nth_of (sink, TS_EVENT_TASK_STATE, 0);
  const TsEvent *priority = nth_of (sink, TS_EVENT_TASK_PRIORITY, 0);
  const TsEvent *send = nth_of (sink, TS_EVENT_QUEUE_DETAILS, 0);
  const TsEvent *receive = nth_of (sink, TS_EVENT_QUEUE_DETAILS, 1);

  g_assert_cmpstr (object_of (sink, blocked)->name, ==, "Ctrl");
  g_assert_cmpint (blocked->value, ==, 3);
  g_assert_cmpstr (collect_sink_text (sink, blocked), ==, "blocked on BusMtx (mutex)");
  g_assert_cmpstr (collect_sink_object (sink, (guint32) ts_event_get_detail (blocked))->name, ==,
                   "BusMtx");
  g_assert_cmpint (priority->value, ==, 7);
  g_assert_cmpint (ts_event_get_detail (priority), ==, 5);
  g_assert_cmpstr (collect_sink_text (sink, priority), ==, "inherited");
  g_assert_cmpint (nth_of (sink, TS_EVENT_TASK_STATE, 1)->value, ==, 1);
  g_assert_cmpstr (collect_sink_text (sink, nth_of (sink, TS_EVENT_TASK_STATE, 1)), ==, "ready");
  g_assert_cmpstr (object_of (sink, send)->name, ==, "Queue 5");
  g_assert_cmpstr (collect_sink_text (sink, send), ==, "send by Ctrl");
  g_assert_cmpint (send->value, ==, 3);
  g_assert_cmpint (ts_event_get_detail (send), ==, 1);
  g_assert_cmpstr (collect_sink_text (sink, receive), ==, "receive in exception 22");
  g_assert_cmpint (receive->value, ==, 2);
}

static void
test_22_correction (void)
{
  g_autoptr (CollectSink) sink = decode_hex ("va",
                                             EXAMPLE1 "75 08 02 05 51 75 65 75 65\n"
                                                      "7E 09 02 02 00 10 00 20\n"
                                                      "74 0A 02 05 4D 75 74 65 78\n"
                                                      "87 0B 02 00 10 00 00\n",
                                             NULL);
  const TsObject *mutex = object_of (sink, nth_of (sink, TS_EVENT_MUTEX, 0));

  g_assert_cmpint (mutex->type, ==, TS_OBJECT_MUTEX);
  g_assert_cmpstr (mutex->name, ==, "Mutex");
  g_assert_cmpint (mutex->address, ==, 0x20001000);
  g_assert_null (collect_sink_find (sink, TS_OBJECT_QUEUE, "Queue"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/examples/1-prelude", test_1_prelude);
  g_test_add_func ("/decode/examples/2-task", test_2_task);
  g_test_add_func ("/decode/examples/3-interrupts", test_3_interrupts);
  g_test_add_func ("/decode/examples/4-values", test_4_values);
  g_test_add_func ("/decode/examples/5-notify", test_5_notify);
  g_test_add_func ("/decode/examples/6-contention", test_6_contention);
  g_test_add_func ("/decode/examples/7-text", test_7_text);
  g_test_add_func ("/decode/examples/8-heap", test_8_heap);
  g_test_add_func ("/decode/examples/9-timer", test_9_timer);
  g_test_add_func ("/decode/examples/10-gap", test_10_gap);
  g_test_add_func ("/decode/examples/11-hidden-loss", test_11_hidden_loss);
  g_test_add_func ("/decode/examples/12-wrap", test_12_wrap);
  g_test_add_func ("/decode/examples/13-14-cobs", test_13_14_cobs);
  g_test_add_func ("/decode/examples/15-dialects", test_15_dialects);
  g_test_add_func ("/decode/examples/far-ahead", test_far_ahead);
  g_test_add_func ("/decode/examples/16-cut-packet", test_16_cut_packet);
  g_test_add_func ("/decode/examples/17-flipped-bit", test_17_flipped_bit);
  g_test_add_func ("/decode/examples/21-details", test_21_details);
  g_test_add_func ("/decode/examples/22-correction", test_22_correction);
  return g_test_run ();
}
