/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-event-window.c: events in order of time, whenever batches leave. */
#include "config.h"

#include <string.h>

#include "collect-sink.h"
#include "decode/ts-event-window-private.h"

typedef struct
{
  CollectSink *sink;
  TsEventWindow window;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->sink = collect_sink_new ();
  _ts_event_window_init (&fixture->window, &fixture->sink->parent);
  _ts_event_window_set_depth (&fixture->window, 4);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  _ts_event_window_clear (&fixture->window);
  collect_sink_free (fixture->sink);
}

/* Adds an event whose value tells its turn. */
static void
add (TsEventWindow *window, gint64 time, gint64 turn)
{
  TsEvent *event;

  _ts_event_window_make_room (window);
  event = _ts_event_window_reserve (window);
  *event = (TsEvent){ .time = time + window->shift, .kind = TS_EVENT_TASK_SWITCH, .value = turn };
  _ts_event_window_commit (window);
}

static void
expect (CollectSink *sink, guint n, gint64 time, gint64 turn)
{
  g_assert_cmpint (collect_sink_nth (sink, n)->time, ==, time);
  g_assert_cmpint (collect_sink_nth (sink, n)->value, ==, turn);
}

static void
test_in_order (Fixture *fixture, gconstpointer data)
{
  for (int i = 0; i < 10; i++)
    add (&fixture->window, 1000 + i / 2, i);
  _ts_event_window_deliver (&fixture->window);
  g_assert_cmpuint (fixture->sink->events->len, ==, 6);
  _ts_event_window_deliver_all (&fixture->window);
  g_assert_cmpuint (fixture->sink->events->len, ==, 10);
  for (int i = 0; i < 10; i++)
    expect (fixture->sink, (guint) i, i / 2, i);
  g_assert_cmpuint (fixture->window.n_counted, ==, 10);
}

static void
test_step_back (Fixture *fixture, gconstpointer data)
{
  add (&fixture->window, 10, 0);
  add (&fixture->window, 30, 1);
  add (&fixture->window, 40, 2);
  add (&fixture->window, 25, 3);
  add (&fixture->window, 40, 4);
  _ts_event_window_deliver_all (&fixture->window);
  expect (fixture->sink, 0, 0, 0);
  expect (fixture->sink, 1, 15, 3);
  expect (fixture->sink, 2, 20, 1);
  expect (fixture->sink, 3, 30, 2);
  expect (fixture->sink, 4, 30, 4);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (collect_sink_nth (fixture->sink, i)->flags, ==, 0);
}

/* Too far back: not past the four before, and the time says so. */
static void
test_too_far (Fixture *fixture, gconstpointer data)
{
  for (int i = 0; i < 6; i++)
    add (&fixture->window, 100 + i * 10, i);
  add (&fixture->window, 101, 6);
  _ts_event_window_deliver_all (&fixture->window);
  expect (fixture->sink, 1, 10, 1);
  expect (fixture->sink, 2, 10, 6);
  g_assert_cmpuint (collect_sink_nth (fixture->sink, 2)->flags, ==, TS_EVENT_FLAG_TIME_ESTIMATED);
  expect (fixture->sink, 3, 20, 2);
}

/* The first events of all may come in the wrong order too: time 0 is the earliest. */
static void
test_before_first (Fixture *fixture, gconstpointer data)
{
  _ts_event_window_add_host_made (&fixture->window, TS_EVENT_SESSION_START, 0, 0, 0);
  add (&fixture->window, 500, 0);
  add (&fixture->window, 480, 1);
  add (&fixture->window, 510, 2);
  _ts_event_window_deliver_all (&fixture->window);
  g_assert_cmpuint (collect_sink_nth (fixture->sink, 0)->kind, ==, TS_EVENT_SESSION_START);
  expect (fixture->sink, 0, 0, 0);
  expect (fixture->sink, 1, 0, 1);
  expect (fixture->sink, 2, 20, 0);
  expect (fixture->sink, 3, 30, 2);
  add (&fixture->window, 520, 3);
  _ts_event_window_deliver_all (&fixture->window);
  expect (fixture->sink, 4, 40, 3);
}

/* Nothing gets in front of a loss. */
static void
test_barrier (Fixture *fixture, gconstpointer data)
{
  add (&fixture->window, 0, 0);
  add (&fixture->window, 100, 1);
  _ts_event_window_add_host_made (&fixture->window, TS_EVENT_DATA_LOSS, 3, 7, 9);
  add (&fixture->window, 50, 2);
  _ts_event_window_deliver_all (&fixture->window);
  g_assert_cmpuint (collect_sink_nth (fixture->sink, 2)->kind, ==, TS_EVENT_DATA_LOSS);
  expect (fixture->sink, 2, 100, 7);
  g_assert_cmpint (collect_sink_nth (fixture->sink, 2)->detail, ==, 9);
  g_assert_cmpuint (collect_sink_nth (fixture->sink, 2)->core, ==, 3);
  expect (fixture->sink, 3, 100, 2);
  g_assert_cmpuint (fixture->window.n_counted, ==, 3);
}

/* Whatever the order and the moments of delivery: sorted, complete, and the same. */
static void
test_random (Fixture *fixture, gconstpointer data)
{
  g_autofree gint64 *times = g_new (gint64, 3000);

  for (guint round = 0; round < 30; round++)
    {
      CollectSink *sinks[2] = { collect_sink_new (), collect_sink_new () };
      guint depth = (guint) g_test_rand_int_range (0, TS_EVENT_WINDOW_MAX_DEPTH + 1);
      guint second_depth = (guint) g_test_rand_int_range (0, TS_EVENT_WINDOW_MAX_DEPTH + 1);
      int back = g_test_rand_int_range (1, 600);

      for (guint i = 0; i < 3000; i++)
        times[i] = (gint64) i * 3 - g_test_rand_int_range (0, back);
      for (guint s = 0; s < 2; s++)
        {
          TsEventWindow window;

          _ts_event_window_init (&window, &sinks[s]->parent);
          _ts_event_window_set_depth (&window, depth);
          for (guint i = 0; i < 3000; i++)
            {
              add (&window, times[i], i);
              if (i == 1500)
                _ts_event_window_set_depth (&window, second_depth);
              if (i % 700 == 600)
                _ts_event_window_add_host_made (&window, TS_EVENT_CORRUPT, 0, 1, 0);
              if (s == 1 && g_test_rand_int_range (0, 20) == 0)
                _ts_event_window_deliver (&window);
            }
          _ts_event_window_deliver_all (&window);
          _ts_event_window_clear (&window);
        }
      g_assert_cmpuint (sinks[0]->events->len, ==, 3004);
      collect_sink_assert_equal (sinks[0], sinks[1]);
      collect_sink_free (g_steal_pointer (&sinks[0]));
      collect_sink_free (g_steal_pointer (&sinks[1]));
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/decode/event-window/in-order", test_in_order },
    { "/decode/event-window/step-back", test_step_back },
    { "/decode/event-window/too-far", test_too_far },
    { "/decode/event-window/before-first", test_before_first },
    { "/decode/event-window/barrier", test_barrier },
    { "/decode/event-window/random", test_random },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
