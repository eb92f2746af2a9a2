/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-poll.c: polled values as a stream of their own, and between the events of a target. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <string.h>

#include "../decode/collect-sink.h"
#include "capture/ts-poll-merge-private.h"
#include "decode/ts-poll-records.h"

/* Two channels, some rounds, a missed one, a program counter. */
static GByteArray *
make_stream (void)
{
  GByteArray *out = g_byte_array_new ();

  ts_poll_put_channel (out, 0, TS_POLL_I16, 0x20000004, "level");
  ts_poll_put_channel (out, 1, TS_POLL_F32, 0x20000008, "ratio");
  for (guint32 i = 0; i < 50; i++)
    ts_poll_put_values (out, 5000000 + 1000 * (gint64) i,
                        (const guint32[]){ 0xFFFF0000u | (0xFFF9u + i), 0x3FC00000 + i }, 2);
  ts_poll_put_missed (out, 5050000, 3);
  ts_poll_put_pc (out, 5050500, 0x08000101);
  ts_poll_put_pc (out, 5051000, 0xFFFFFFFF);

  return out;
}

static void
test_decoder (void)
{
  g_autoptr (GByteArray) stream = make_stream ();
  TsDecodeCounters counters;
  g_autoptr (CollectSink) whole = decode_bytes ("poll", stream->data, stream->len, &counters);
  const TsEvent *event;

  g_assert_cmpuint (whole->hz, ==, 1000000);
  g_assert_cmpuint (counters.events, ==, 102);
  g_assert_cmpuint (counters.dropped_reported, ==, 3);
  g_assert_cmpuint (counters.corrupt_bytes, ==, 0);
  g_assert_cmpstr (collect_sink_object (whole, 1)->name, ==, "level");
  g_assert_cmpint (collect_sink_object (whole, 1)->type, ==, TS_OBJECT_POLLED);
  g_assert_cmpint (collect_sink_object (whole, 2)->address, ==, 0x20000008);
  /* 0xFFF9 is -7 in 16 bits, whatever stands beside it */
  event = collect_sink_nth (whole, 0);
  g_assert_cmpint (event->time, ==, 0);
  g_assert_cmpint (event->value, ==, -7);
  event = collect_sink_nth (whole, 1);
  g_assert_cmpfloat (ts_event_get_double (event), ==, 1.5);
  event = collect_sink_nth (whole, 98);
  g_assert_cmpint (event->time, ==, 49000);
  g_assert_cmpint (event->value, ==, 42);
  event = collect_sink_nth (whole, 100);
  g_assert_cmpint (event->kind, ==, TS_EVENT_DWT_PC);
  g_assert_cmphex (event->value, ==, 0x08000100);
  g_assert_cmpint (collect_sink_nth (whole, 101)->value, ==, -1);

  /* any slicing gives the same */
  for (gsize n = 1; n < 40; n++)
    {
      g_autoptr (CollectSink) sliced = collect_sink_new ();
      g_autoptr (TsDecoder) decoder = ts_decoder_new ("poll", &sliced->parent, NULL, NULL);

      for (gsize at = 0; at < stream->len; at += n)
        ts_decoder_push (decoder, 0, stream->data + at, MIN (n, stream->len - at));
      ts_decoder_flush (decoder);
      collect_sink_assert_equal (whole, sliced);
    }
}

/* Damage costs no crash and no time that goes back. */
static void
test_damage (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 300; round++)
    {
      g_autoptr (GByteArray) stream = make_stream ();
      g_autoptr (CollectSink) sink = NULL;
      TsDecodeCounters counters;

      for (guint i = 0; i < 1 + round % 8; i++)
        stream->data[g_rand_int_range (rand, 0, (gint32) stream->len)] = (guint8) g_rand_int (rand);
      sink = decode_bytes ("poll", stream->data, stream->len, &counters);
      g_assert_cmpuint (counters.corrupt_bytes, <=, stream->len);
    }
}

/* ---- between the events of a target ---- */

typedef struct
{
  CollectSink *sink;
  TsPollMerge *merge;
  TsDecoder *polled;
  GByteArray *records;
  guint32 task;
} Scene;

static void
scene_init (Scene *scene)
{
  TsObject task = TS_OBJECT_INIT;

  memset (scene, 0, sizeof *scene);
  scene->sink = collect_sink_new ();
  scene->merge = _ts_poll_merge_new (&scene->sink->parent);
  scene->polled
      = ts_decoder_new ("poll", _ts_poll_merge_get_polled_sink (scene->merge), NULL, NULL);
  scene->records = g_byte_array_new ();
  task.type = TS_OBJECT_TASK;
  task.name = (char *) "main";
  scene->task = scene->sink->parent.iface->define_object (&scene->sink->parent, &task);
  ts_poll_put_channel (scene->records, 0, TS_POLL_U32, 0x20000000, "counter");
}

static void
scene_clear (Scene *scene)
{
  ts_decoder_free (scene->polled);
  _ts_poll_merge_free (scene->merge);
  collect_sink_free (scene->sink);
  g_byte_array_unref (scene->records);
}

static void
poll_at (Scene *scene,
         gint64 host_us,
         guint32 value)
{
  ts_poll_put_values (scene->records, host_us, &value, 1);
  ts_decoder_push (scene->polled, 0, scene->records->data, scene->records->len);
  g_byte_array_set_size (scene->records, 0);
}

/* Events of the target at @ticks, @ticks + @step ..., whose bytes arrive at @host_us. */
static void
arrive (Scene *scene,
        gint64 host_us,
        gint64 ticks,
        gint64 step,
        guint n)
{
  TsEventSink *sink = _ts_poll_merge_get_target_sink (scene->merge);

  _ts_poll_merge_arrived (scene->merge, host_us);
  for (guint i = 0; i < n; i++)
    {
      TsEvent event = { .time = ticks + step * i, .kind = TS_EVENT_TASK_SWITCH,
                        .object = scene->task };

      sink->iface->events (sink, &event, 1);
    }
}

/* A clock of 2 MHz that began at 1 s of the host's; bytes are 1 to 10 ms on their way. */
static void
test_merge (void)
{
  Scene scene;
  TsEventSink *sink;
  guint n_polled = 0;

  scene_init (&scene);
  sink = _ts_poll_merge_get_target_sink (scene.merge);
  sink->iface->set_clock (sink, 2000000);
  /* the shortest way: what was written at 0 ms arrives after 1 ms */
  arrive (&scene, 1001000, 0, 0, 1);
  for (gint64 ms = 10; ms <= 200; ms += 10)
    {
      poll_at (&scene, 1000000 + ms * 1000 - 3500, (guint32) ms);
      /* events of the last 10 ms, one each ms, that arrive 1 to 10 ms late */
      arrive (&scene, 1000000 + ms * 1000 + 1000, (ms - 9) * 2000, 2000, 10);
      _ts_poll_merge_settle (scene.merge, 1000000 + ms * 1000 + 1000);
    }
  _ts_poll_merge_flush (scene.merge);
  for (guint i = 0; i < scene.sink->events->len; i++)
    {
      const TsEvent *event = collect_sink_nth (scene.sink, i);

      if (event->kind != TS_EVENT_POLL_TRACE)
        continue;
      n_polled++;
      g_assert_true ((event->flags & TS_EVENT_FLAG_TIME_ESTIMATED) != 0);
      /* polled 3.5 ms before the round, seen through the shortest way of 1 ms: 4.5 ms before */
      g_assert_cmpint (event->time, ==, (event->value * 1000 - 4500) * 2);
      g_assert_cmpint (collect_sink_nth (scene.sink, i - 1)->time, <=, event->time);
    }
  g_assert_cmpuint (n_polled, ==, 20);
  g_assert_cmpuint (scene.sink->hz, ==, 2000000);
  scene_clear (&scene);
}

/* A target that falls silent: values are given out all the same, and in order. */
static void
test_silence (void)
{
  Scene scene;
  TsEventSink *sink;

  scene_init (&scene);
  sink = _ts_poll_merge_get_target_sink (scene.merge);
  sink->iface->set_clock (sink, 1000000);
  poll_at (&scene, 900000, 1); /* before the first event */
  _ts_poll_merge_settle (scene.merge, 1500000);
  g_assert_cmpuint (scene.sink->events->len, ==, 0);
  arrive (&scene, 2000000, 0, 0, 1);
  for (guint32 i = 0; i < 10; i++)
    poll_at (&scene, 2000000 + i * 100000, i);
  _ts_poll_merge_settle (scene.merge, 3000000);
  g_assert_cmpuint (collect_sink_count (scene.sink, TS_EVENT_POLL_TRACE), ==, 11);
  /* an event that should have come earlier is put behind, and marked */
  arrive (&scene, 3000001, 500000, 0, 1);
  _ts_poll_merge_flush (scene.merge);
  g_assert_cmpint (collect_sink_nth (scene.sink, 12)->time, ==, 900000);
  g_assert_true ((collect_sink_nth (scene.sink, 12)->flags & TS_EVENT_FLAG_TIME_ESTIMATED) != 0);
  scene_clear (&scene);
}

/* Nothing but polled values: they make a recording of microseconds. */
static void
test_alone (void)
{
  Scene scene;

  scene_init (&scene);
  for (guint32 i = 0; i < 5; i++)
    poll_at (&scene, 7000000 + i * 1000, i);
  _ts_poll_merge_flush (scene.merge);
  g_assert_cmpuint (scene.sink->hz, ==, 1000000);
  g_assert_cmpuint (scene.sink->events->len, ==, 5);
  g_assert_cmpint (collect_sink_nth (scene.sink, 0)->time, ==, 0);
  g_assert_cmpint (collect_sink_nth (scene.sink, 4)->time, ==, 4000);
  scene_clear (&scene);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/poll/decoder", test_decoder);
  g_test_add_func ("/capture/poll/damage", test_damage);
  g_test_add_func ("/capture/poll/merge", test_merge);
  g_test_add_func ("/capture/poll/silence", test_silence);
  g_test_add_func ("/capture/poll/alone", test_alone);

  return g_test_run ();
}
