/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-tracker-exceptions.c: exceptions told by trace hardware, on lanes of interrupts. */
#include "config.h"

#include "tracker-fixture.h"

enum
{
  THREAD = N_OBJECTS,
  EXC15,
  EXC20,
};

enum
{
  ENTERED = 1,
  EXITED,
  RETURNED,
};

static void
define (Scene *scene,
        guint32 id,
        const char *name)
{
  TsObject object = TS_OBJECT_INIT;

  object.id = id;
  object.type = TS_OBJECT_EXCEPTION;
  object.name = (char *) name;
  ts_tracker_set_object (scene->tracker, &object);
}

static void
set_up_exceptions (Scene *scene,
                   gconstpointer data)
{
  set_up (scene, data);
  define (scene, THREAD, "Thread Mode");
  define (scene, EXC15, "SysTick");
  define (scene, EXC20, "IRQ 4");
}

static void
exception (Scene *scene,
           gint64 time,
           guint32 object,
           gint64 function)
{
  gint64 number = object == THREAD ? 0 : object == EXC15 ? 15 : 20;

  event (scene, time, TS_EVENT_DWT_EXC, object, function == ENTERED ? START : 0, number, function);
}

/* Enter, nested enter, both exits, returns: own time of the outer one is net. */
static void
test_nested (Scene *scene,
             gconstpointer data)
{
  exception (scene, 100, EXC20, ENTERED);
  exception (scene, 130, EXC15, ENTERED);
  exception (scene, 150, EXC15, EXITED);
  exception (scene, 151, EXC20, RETURNED);
  exception (scene, 190, EXC20, EXITED);
  exception (scene, 191, THREAD, RETURNED);

  ASSERT_LANE (scene, EXC20, { 100, 190, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, EXC15, { 130, 150, TS_STATE_RUNNING, 0 });
  g_assert_cmpint (find_stats (scene, EXC20)->sum_ticks, ==, 90);
  g_assert_cmpint (find_stats (scene, EXC20)->run_ticks, ==, 70);
  g_assert_cmpuint (find_stats (scene, EXC15)->run_count, ==, 1);
}

/* Tail chaining: the next handler begins where the one before ends, without a return. */
static void
test_tail_chain (Scene *scene,
                 gconstpointer data)
{
  exception (scene, 10, EXC15, ENTERED);
  exception (scene, 30, EXC15, EXITED);
  exception (scene, 32, EXC20, ENTERED);
  exception (scene, 50, EXC20, EXITED);
  exception (scene, 52, THREAD, RETURNED);

  ASSERT_LANE (scene, EXC15, { 10, 30, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, EXC20, { 32, 50, TS_STATE_RUNNING, 0 });
}

/* Some targets send no exits: the return ends the handler. */
static void
test_no_exits (Scene *scene,
               gconstpointer data)
{
  exception (scene, 10, EXC15, ENTERED);
  exception (scene, 40, THREAD, RETURNED);
  exception (scene, 60, EXC20, ENTERED);
  exception (scene, 70, EXC15, ENTERED);
  exception (scene, 75, EXC20, RETURNED);
  exception (scene, 90, THREAD, RETURNED);

  ASSERT_LANE (scene, EXC15, { 10, 40, TS_STATE_RUNNING, 0 }, { 70, 75, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, EXC20, { 60, 90, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, EXC15)->n_runs, ==, 2);
}

/* A capture that begins inside a handler, and an overflow that hides an exit. */
static void
test_gaps (Scene *scene,
           gconstpointer data)
{
  exception (scene, 10, EXC20, RETURNED);
  exception (scene, 30, EXC20, EXITED);
  exception (scene, 40, EXC15, ENTERED);
  event (scene, 60, TS_EVENT_ITM_OVERFLOW, 0, 0, 0, 0);
  exception (scene, 80, EXC15, EXITED);

  ASSERT_LANE (scene, EXC20, { 10, 30, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, EXC15, { 40, 60, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, EXC20)->run_count, ==, 0);
  g_assert_cmpuint (find_stats (scene, EXC15)->n_runs, ==, 0);
}

/* Trace hardware tells nothing about what a task does, and its handlers do not count as the
 * firmware's. */
static void
test_beside_tasks (Scene *scene,
                   gconstpointer data)
{
  in (scene, 0, LOW);
  exception (scene, 10, EXC15, ENTERED);
  isr (scene, 12, SYSTICK, START);
  exception (scene, 20, EXC15, EXITED);
  isr (scene, 22, SYSTICK, END);
  out (scene, 100, LOW);

  ASSERT_LANE (scene, EXC15, { 10, 20, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, SYSTICK, { 12, 22, TS_STATE_RUNNING, 0 });
  g_assert_cmpint (find_stats (scene, LOW)->run_ticks, ==, 90);
}

static void
add (const char *path,
     void (*test) (Scene *scene,
                   gconstpointer data))
{
  g_test_add (path, Scene, NULL, set_up_exceptions, test, tear_down);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("/model/tracker-exceptions/nested", test_nested);
  add ("/model/tracker-exceptions/tail-chain", test_tail_chain);
  add ("/model/tracker-exceptions/no-exits", test_no_exits);
  add ("/model/tracker-exceptions/gaps", test_gaps);
  add ("/model/tracker-exceptions/beside-tasks", test_beside_tasks);
  return g_test_run ();
}
