/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-tracker.c: states and figures of small scenarios, each worked out by hand from the rules
 * of the wire description. */
#include "config.h"

#include "tracker-fixture.h"

/* Example 3 of the wire description: total 0x90 ticks, own time 0x60. */
static void
test_nested_interrupts (Scene *scene,
                        gconstpointer data)
{
  const TsTaskStats *stats;

  isr (scene, 0x1000, IRQ21, START);
  isr (scene, 0x1020, SYSTICK, START);
  isr (scene, 0x1050, SYSTICK, END);
  isr (scene, 0x1090, IRQ21, END);

  ASSERT_LANE (scene, IRQ21, { 0x1000, 0x1090, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, SYSTICK, { 0x1020, 0x1050, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, TS_LANE_ID_CPU (0), { 0x1000, 0x1090, TS_STATE_RUNNING, 0 });

  stats = find_stats (scene, IRQ21);
  g_assert_cmpuint (stats->run_count, ==, 1);
  g_assert_cmpuint (stats->n_runs, ==, 1);
  g_assert_cmpint (stats->sum_ticks, ==, 0x90);
  g_assert_cmpint (stats->min_ticks, ==, 0x90);
  g_assert_cmpint (stats->max_ticks, ==, 0x90);
  g_assert_cmpint (stats->run_ticks, ==, 0x60);
  stats = find_stats (scene, SYSTICK);
  g_assert_cmpint (stats->sum_ticks, ==, 0x30);
  g_assert_cmpint (stats->run_ticks, ==, 0x30);
  g_assert_cmpint (interrupted_ticks (scene, IRQ21), ==, 0x30);
}

static void
test_odd_interrupts (Scene *scene,
                     gconstpointer data)
{
  /* An exit without an enter; an enter within itself; an outer exit that also ends a lost inner
   * one. */
  isr (scene, 5, SYSTICK, END);
  isr (scene, 10, SYSTICK, START);
  isr (scene, 20, SYSTICK, START);
  isr (scene, 30, SYSTICK, END);
  isr (scene, 40, SYSTICK, END);
  isr (scene, 100, IRQ21, START);
  isr (scene, 110, SYSTICK, START);
  isr (scene, 150, IRQ21, END);
  isr (scene, 160, SYSTICK, END);

  ASSERT_LANE (scene, SYSTICK, { 20, 30, TS_STATE_RUNNING, 0 }, { 10, 40, TS_STATE_RUNNING, 0 },
               { 110, 150, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, IRQ21, { 100, 150, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, SYSTICK)->run_count, ==, 3);
  g_assert_cmpuint (find_stats (scene, SYSTICK)->n_runs, ==, 2);
  g_assert_cmpint (find_stats (scene, SYSTICK)->sum_ticks, ==, 40);
  g_assert_cmpint (find_stats (scene, SYSTICK)->max_ticks, ==, 30);
  g_assert_cmpint (find_stats (scene, SYSTICK)->min_period, ==, 10);
  g_assert_cmpint (find_stats (scene, SYSTICK)->max_period, ==, 90);

  /* Deeper than anyone nests: as many exits are ignored as enters were. */
  for (guint i = 0; i < 100; i++)
    isr (scene, 1000 + i, SYSTICK, START);
  for (guint i = 0; i < 100; i++)
    isr (scene, 2000 + i, SYSTICK, END);
  isr (scene, 2200, IRQ21, START);
  isr (scene, 2210, IRQ21, END);
  g_assert_cmpint (find_stats (scene, IRQ21)->max_ticks, ==, 50);
  g_assert_cmpint (find_stats (scene, IRQ21)->min_ticks, ==, 10);
}

/* Run time is net of interrupts; slices are not cut by them. */
static void
test_interrupted_task (Scene *scene,
                       gconstpointer data)
{
  TsCoreStats core;

  in (scene, 100, LOW);
  isr (scene, 150, IRQ21, START);
  isr (scene, 160, SYSTICK, START);
  isr (scene, 170, SYSTICK, END);
  isr (scene, 190, IRQ21, END);
  out (scene, 300, LOW);
  in (scene, 310, IDLE);
  isr (scene, 400, SYSTICK, START);
  isr (scene, 420, SYSTICK, END);
  out (scene, 500, IDLE);
  in (scene, 510, LOW);

  g_assert_cmpint (find_stats (scene, LOW)->run_ticks, ==, 200 - 40);
  g_assert_cmpint (find_stats (scene, LOW)->max_ticks, ==, 160);
  g_assert_cmpuint (find_stats (scene, LOW)->run_count, ==, 2);
  g_assert_cmpuint (find_stats (scene, LOW)->n_runs, ==, 1);
  g_assert_cmpint (find_stats (scene, IDLE)->run_ticks, ==, 190 - 20);
  g_assert_cmpint (find_stats (scene, TS_LANE_ID_RTOS (0))->sum_ticks, ==, 20);
  g_assert_cmpuint (find_stats (scene, TS_LANE_ID_RTOS (0))->run_count, ==, 2);
  ASSERT_LANE (scene, TS_LANE_ID_RTOS (0), { 300, 310, TS_STATE_RUNNING, 0 },
               { 500, 510, TS_STATE_RUNNING, 0 });
  /* Busy but for the idle task itself. */
  ASSERT_LANE (scene, TS_LANE_ID_CPU (0), { 100, 310, TS_STATE_RUNNING, 0 },
               { 400, 420, TS_STATE_RUNNING, 0 }, { 500, 510, TS_STATE_RUNNING, 0 });
  g_assert_cmpint (interrupted_ticks (scene, LOW), ==, 40);
  g_assert_cmpint (interrupted_ticks (scene, IDLE), ==, 20);

  ts_tracker_get_core_stats (scene->tracker, 0, &core);
  g_assert_cmpint (core.known_ticks, ==, 510 - 100);
  g_assert_cmpint (core.busy_ticks, ==, 410 - (190 - 20));
  g_assert_cmpuint (core.context_switches, ==, 3);
}

/* Example 6 of the wire description, with the switches around it. */
static void
test_contention (Scene *scene,
                 gconstpointer data)
{
  in (scene, 100, LOW);
  event (scene, 110, TS_EVENT_MUTEX, MUTEX, END, 0, 0);
  out (scene, 200, LOW);
  in (scene, 210, HIGH);
  event (scene, 230, TS_EVENT_MUTEX_CONTENTION, MUTEX, 0, HIGH, LOW);
  out (scene, 240, HIGH);
  in (scene, 250, LOW);
  event (scene, 300, TS_EVENT_MUTEX, MUTEX, START, 0, 0);
  out (scene, 310, LOW);
  in (scene, 320, HIGH);
  event (scene, 330, TS_EVENT_MUTEX, MUTEX, END, 0, 0);

  /* Low's first act at 300 is a give: it was preempted by the more urgent one from 200 to 250. */
  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 250, TS_STATE_READY, 0 },
               { 250, 310, TS_STATE_RUNNING, 0 }, { 310, 330, TS_STATE_READY, 0 });
  /* High waits for the mutex until it is given, then for the CPU. */
  ASSERT_LANE (scene, HIGH, { 210, 240, TS_STATE_RUNNING, 0 },
               { 240, 300, TS_STATE_BLOCKED, MUTEX }, { 300, 320, TS_STATE_READY, 0 },
               { 320, 330, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, HIGH)->mutex_contentions, ==, 1);
  g_assert_cmpuint (find_stats (scene, HIGH)->preemptions, ==, 0);
  g_assert_cmpuint (find_stats (scene, LOW)->preemptions, ==, 1);
  ASSERT_LANE (scene, MUTEX, { 110, 110, TS_STATE_POINT, LOW }, { 230, 230, TS_STATE_POINT, HIGH },
               { 300, 300, TS_STATE_POINT, LOW }, { 330, 330, TS_STATE_POINT, HIGH });
}

/* The same from a sender whose START means acquire. */
static void
test_contention_udp (Scene *scene,
                     gconstpointer data)
{
  in (scene, 100, LOW);
  event (scene, 110, TS_EVENT_MUTEX, MUTEX, START | TS_EVENT_FLAG_START_TAKES, 0, 0);
  out (scene, 200, LOW);
  in (scene, 210, HIGH);
  event (scene, 230, TS_EVENT_MUTEX_CONTENTION, MUTEX, 0, HIGH, LOW);
  out (scene, 240, HIGH);
  in (scene, 250, LOW);
  event (scene, 300, TS_EVENT_MUTEX, MUTEX, END | TS_EVENT_FLAG_START_TAKES, 0, 0);
  out (scene, 310, LOW);
  in (scene, 320, HIGH);
  event (scene, 330, TS_EVENT_MUTEX, MUTEX, START | TS_EVENT_FLAG_START_TAKES, 0, 0);

  ASSERT_LANE (scene, HIGH, { 210, 240, TS_STATE_RUNNING, 0 },
               { 240, 300, TS_STATE_BLOCKED, MUTEX }, { 300, 320, TS_STATE_READY, 0 },
               { 320, 330, TS_STATE_RUNNING, 0 });
}

/* A wait shows by the first act after it; given from an interrupt. */
static void
test_first_act (Scene *scene,
                gconstpointer data)
{
  in (scene, 100, HIGH);
  out (scene, 120, HIGH);
  in (scene, 130, LOW);
  isr (scene, 200, IRQ21, START);
  event (scene, 210, TS_EVENT_QUEUE, QUEUE, START, 0, 0);
  isr (scene, 220, IRQ21, END);
  out (scene, 230, LOW);
  in (scene, 240, HIGH);
  /* Before it acts nothing tells why it waited. */
  ASSERT_LANE (scene, HIGH, { 100, 120, TS_STATE_RUNNING, 0 }, { 120, 240, TS_STATE_BLOCKED, 0 },
               { 240, 240, TS_STATE_RUNNING, 0 });
  event (scene, 250, TS_EVENT_STACK_USAGE, LOW, 0, 300, 1000); /* the kernel's, no act */
  event (scene, 260, TS_EVENT_QUEUE, QUEUE, END, 0, 0);
  out (scene, 270, HIGH);
  in (scene, 280, LOW);
  event (scene, 290, TS_EVENT_QUEUE, QUEUE, START, 0, 0);
  out (scene, 300, LOW);
  in (scene, 310, HIGH);
  event (scene, 320, TS_EVENT_OP_FAILED, SEM, END, 0,
         0); /* it had waited for something else, in vain */

  ASSERT_LANE (scene, HIGH, { 100, 120, TS_STATE_RUNNING, 0 },
               { 120, 210, TS_STATE_BLOCKED, QUEUE }, { 210, 240, TS_STATE_READY, 0 },
               { 240, 270, TS_STATE_RUNNING, 0 }, { 270, 310, TS_STATE_BLOCKED, SEM },
               { 310, 320, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, QUEUE, { 210, 210, TS_STATE_POINT, IRQ21 },
               { 260, 260, TS_STATE_POINT, HIGH }, { 290, 290, TS_STATE_POINT, LOW });
  g_assert_cmpint (find_stats (scene, LOW)->stack_used, ==, 300);
  g_assert_cmpint (find_stats (scene, HIGH)->stack_used, ==, -1);
  /* Activations at 100, 240, 310. */
  g_assert_cmpuint (find_stats (scene, HIGH)->n_periods, ==, 2);
  g_assert_cmpint (find_stats (scene, HIGH)->min_period, ==, 70);
  g_assert_cmpint (find_stats (scene, HIGH)->max_period, ==, 140);
  /* Low was preempted; being switched in again is no activation. */
  g_assert_cmpuint (find_stats (scene, LOW)->n_periods, ==, 0);
  g_assert_cmpuint (find_stats (scene, LOW)->preemptions, ==, 1);
}

static void
test_notification (Scene *scene,
                   gconstpointer data)
{
  in (scene, 100, HIGH);
  out (scene, 120, HIGH);
  in (scene, 130, LOW);
  event (scene, 150, TS_EVENT_TASK_NOTIFY, LOW, START, 1, HIGH);
  out (scene, 160, LOW);
  in (scene, 170, HIGH);
  event (scene, 180, TS_EVENT_TASK_NOTIFY, HIGH, END, 1, LOW);

  ASSERT_LANE (scene, HIGH, { 100, 120, TS_STATE_RUNNING, 0 }, { 120, 150, TS_STATE_BLOCKED, HIGH },
               { 150, 170, TS_STATE_READY, 0 }, { 170, 180, TS_STATE_RUNNING, 0 });
}

/* Who is more urgent depends on the kernel. */
static void
test_preemption (Scene *scene,
                 gconstpointer data)
{
  in (scene, 100, LOW);
  out (scene, 200, LOW);
  in (scene, 210, MID);
  out (scene, 300, MID);
  in (scene, 310, LOW);
  event (scene, 320, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  out (scene, 330, LOW);
  in (scene, 340, MID);
  event (scene, 350, TS_EVENT_USER_TRACE, TRACE, 0, 2, 0);

  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 310, TS_STATE_READY, 0 },
               { 310, 330, TS_STATE_RUNNING, 0 }, { 330, 350, TS_STATE_READY, 0 });
  /* Low is less urgent: Mid left for a reason that nothing tells. */
  ASSERT_LANE (scene, MID, { 210, 300, TS_STATE_RUNNING, 0 }, { 300, 340, TS_STATE_BLOCKED, 0 },
               { 340, 350, TS_STATE_RUNNING, 0 });
}

static void
test_preemption_zephyr (Scene *scene,
                        gconstpointer data)
{
  ts_tracker_set_os (scene->tracker, "Zephyr");
  in (scene, 100, HIGH); /* 6: less urgent than 4 here */
  out (scene, 200, HIGH);
  in (scene, 210, MID);
  event (scene, 220, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  out (scene, 300, MID);
  in (scene, 310, HIGH);
  event (scene, 320, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);

  ASSERT_LANE (scene, HIGH, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 310, TS_STATE_READY, 0 },
               { 310, 320, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, HIGH)->preemptions, ==, 1);
}

static void
test_sleep (Scene *scene,
            gconstpointer data)
{
  in (scene, 100, LOW);
  event (scene, 190, TS_EVENT_SLEEP, LOW, START, 0, 0);
  out (scene, 200, LOW);
  in (scene, 210, IDLE);
  out (scene, 300, IDLE);
  event (scene, 305, TS_EVENT_SLEEP, LOW, END, 0, 0);
  in (scene, 310, LOW);
  out (scene, 320, LOW);
  in (scene, 330, IDLE);
  /* Suspended and resumed by someone else. */
  event (scene, 340, TS_EVENT_SLEEP, MID, END, 0, 0);
  event (scene, 350, TS_EVENT_SLEEP, LOW, START, 0, 0);
  event (scene, 360, TS_EVENT_SLEEP, LOW, END, 0, 0);
  out (scene, 370, IDLE);
  in (scene, 380, LOW);

  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 310, TS_STATE_SLEEPING, 0 },
               { 310, 320, TS_STATE_RUNNING, 0 }, { 320, 350, TS_STATE_BLOCKED, 0 },
               { 350, 360, TS_STATE_SLEEPING, 0 }, { 360, 380, TS_STATE_READY, 0 },
               { 380, 380, TS_STATE_RUNNING, 0 });
  g_assert_cmpint (find_stats (scene, LOW)->max_period, ==, 210);
}

/* The same task out and in again; in without an out; out of another than ran. */
static void
test_odd_switches (Scene *scene,
                   gconstpointer data)
{
  in (scene, 100, LOW);
  out (scene, 200, LOW);
  in (scene, 210, LOW);
  in (scene, 300, MID);
  out (scene, 400, HIGH);
  in (scene, 410, LOW);
  event (scene, 420, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);

  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 210, TS_STATE_READY, 0 },
               { 210, 300, TS_STATE_RUNNING, 0 }, { 300, 410, TS_STATE_READY, 0 },
               { 410, 420, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, MID, { 300, 400, TS_STATE_RUNNING, 0 }, { 400, 420, TS_STATE_BLOCKED, 0 });
  g_assert_cmpuint (find_stats (scene, LOW)->run_count, ==, 3);

  /* An enter that never exits ends with the switch. */
  isr (scene, 430, IRQ21, START);
  out (scene, 440, LOW);
  in (scene, 450, MID);
  ASSERT_LANE (scene, IRQ21, { 430, 440, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, IRQ21)->n_runs, ==, 0);
}

/* Section 13.7: states as recorder 1.2.0 tells them. */
static void
test_task_states (Scene *scene,
                  gconstpointer data)
{
  in (scene, 100, MID);
  event (scene, 150, TS_EVENT_TASK_STATE, HIGH, TS_EVENT_FLAG_TEXT, 1, (gint64) 7 << 32);
  out (scene, 160, MID);
  event (scene, 165, TS_EVENT_TASK_STATE, MID, TS_EVENT_FLAG_TEXT, 1, (gint64) 7 << 32);
  in (scene, 170, HIGH);
  event (scene, 200, TS_EVENT_TASK_STATE, HIGH, TS_EVENT_FLAG_TEXT, 3, (gint64) 8 << 32 | QUEUE);
  out (scene, 210, HIGH);
  in (scene, 220, MID);
  event (scene, 230, TS_EVENT_TASK_STATE, HIGH, TS_EVENT_FLAG_TEXT, 1, (gint64) 7 << 32);
  event (scene, 240, TS_EVENT_TASK_STATE, MID, TS_EVENT_FLAG_TEXT, 4, (gint64) 9 << 32);
  event (scene, 241, TS_EVENT_TASK_STATE, MID, TS_EVENT_FLAG_TEXT, 3,
         (gint64) 9 << 32); /* never replaces sleeping */
  out (scene, 250, MID);
  in (scene, 260, HIGH);
  event (scene, 270, TS_EVENT_TASK_STATE, LOW, TS_EVENT_FLAG_TEXT, 5, (gint64) 9 << 32);
  event (scene, 280, TS_EVENT_TASK_STATE, LOW, TS_EVENT_FLAG_TEXT, 6, (gint64) 9 << 32);
  event (scene, 290, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);

  ASSERT_LANE (scene, MID, { 100, 160, TS_STATE_RUNNING, 0 }, { 160, 220, TS_STATE_READY, 0 },
               { 220, 250, TS_STATE_RUNNING, 0 }, { 250, 290, TS_STATE_SLEEPING, 0 });
  ASSERT_LANE (scene, HIGH, { 150, 170, TS_STATE_READY, 0 }, { 170, 210, TS_STATE_RUNNING, 0 },
               { 210, 230, TS_STATE_BLOCKED, QUEUE }, { 230, 260, TS_STATE_READY, 0 },
               { 260, 290, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, LOW, { 270, 280, TS_STATE_SUSPENDED, 0 });
  g_assert_cmpuint (find_stats (scene, MID)->preemptions, ==, 1);
  g_assert_cmpuint (find_stats (scene, HIGH)->preemptions, ==, 0);
}

/* A task that deletes itself: DELETED, then the switch-out (viewalyzer-wire.md section 13.7). */
static void
test_deleted (Scene *scene,
              gconstpointer data)
{
  in (scene, 100, LOW);
  event (scene, 190, TS_EVENT_TASK_STATE, LOW, 0, 6, 0);
  out (scene, 200, LOW);
  in (scene, 210, MID);
  event (scene, 220, TS_EVENT_USER_TRACE, TRACE, 0, 1, 0);
  out (scene, 300, MID);

  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 });
}

/* After a loss nothing is known until the next switch-in. */
static void
test_loss (Scene *scene,
           gconstpointer data)
{
  TsCoreStats core;

  in (scene, 100, LOW);
  event (scene, 110, TS_EVENT_USER_EVENT, SPAN, START, 0, 0);
  out (scene, 200, LOW);
  in (scene, 210, MID);
  isr (scene, 300, IRQ21, START);
  event (scene, 300, TS_EVENT_DATA_LOSS, 0, TS_EVENT_FLAG_SYNTHETIC, 12, 0);
  event (scene, 300, TS_EVENT_CORRUPT, 0, TS_EVENT_FLAG_SYNTHETIC, 40, 0);
  isr (scene, 500, IRQ21, END);
  event (scene, 520, TS_EVENT_USER_EVENT, SPAN, END, 0, 0);
  event (scene, 530, TS_EVENT_QUEUE, QUEUE, START, 0, 0);
  out (scene, 600, MID);
  in (scene, 610, LOW);
  event (scene, 700, TS_EVENT_DATA_LOSS, 0, TS_EVENT_FLAG_SYNTHETIC, -1, 0);

  ASSERT_LANE (scene, LOW, { 100, 200, TS_STATE_RUNNING, 0 }, { 200, 300, TS_STATE_READY, 0 },
               { 610, 610, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, MID, { 210, 300, TS_STATE_RUNNING, 0 }, { 600, 610, TS_STATE_BLOCKED, 0 });
  ASSERT_LANE (scene, IRQ21, { 300, 300, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, SPAN, { 110, 300, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, QUEUE, { 530, 530, TS_STATE_POINT, 0 });
  ASSERT_LANE (scene, TS_LANE_ID_LOSS, { 300, 500, TS_STATE_LOSS, 12 },
               { 300, 500, TS_STATE_CORRUPT, 40 });
  ASSERT_LANE (scene, TS_LANE_ID_CPU (0), { 100, 300, TS_STATE_RUNNING, 0 },
               { 600, 610, TS_STATE_RUNNING, 0 });
  g_assert_cmpuint (find_stats (scene, MID)->n_runs, ==, 0);
  g_assert_cmpuint (find_stats (scene, SPAN)->n_runs, ==, 0);
  g_assert_cmpuint (find_stats (scene, SPAN)->run_count, ==, 1);
  ts_tracker_get_core_stats (scene->tracker, 0, &core);
  g_assert_cmpint (core.known_ticks, ==, 200 + 10);

  ts_tracker_finish (scene->tracker, 800);
  scene->now = 800;
  ASSERT_LANE (scene, TS_LANE_ID_LOSS, { 300, 500, TS_STATE_LOSS, 12 },
               { 300, 500, TS_STATE_CORRUPT, 40 }, { 610, 800, TS_STATE_LOSS, G_MAXUINT32 });
}

static void
test_session_start (Scene *scene,
                    gconstpointer data)
{
  in (scene, 100, LOW);
  event (scene, 150, TS_EVENT_USER_TOGGLE, TOGGLE, 0, 1, 0);
  event (scene, 200, TS_EVENT_SESSION_START, 0, TS_EVENT_FLAG_SYNTHETIC, 0, 0);
  in (scene, 300, MID);
  out (scene, 310, MID);

  ASSERT_LANE (scene, LOW, { 100, 150, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, MID, { 300, 310, TS_STATE_RUNNING, 0 }, { 310, 310, TS_STATE_BLOCKED, 0 });
  /* Levels stay. */
  ASSERT_LANE (scene, TOGGLE, { 150, 310, TS_STATE_RUNNING, 0 });
}

/* The name that tells the idle task comes late: the load is right all the same. */
static void
test_late_idle (Scene *scene,
                gconstpointer data)
{
  char name[] = "IDLE";
  TsObject object = TS_OBJECT_INIT;
  TsCoreStats core;

  in (scene, 100, LOW);
  out (scene, 200, LOW);
  in (scene, 210, MID);
  isr (scene, 220, IRQ21, START);
  isr (scene, 230, IRQ21, END);
  out (scene, 300, MID);
  in (scene, 310, LOW);
  out (scene, 400, LOW);
  in (scene, 410, MID);
  isr (scene, 500, IRQ21, START);
  isr (scene, 505, IRQ21, END);
  isr (scene, 550, IRQ21, START);
  scene->now = 560;
  event (scene, 560, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  object.id = MID;
  object.type = TS_OBJECT_TASK;
  object.name = name;
  object.is_idle = TRUE;
  ts_tracker_set_object (scene->tracker, &object);
  isr (scene, 570, IRQ21, END);
  out (scene, 600, MID);

  ts_tracker_get_core_stats (scene->tracker, 0, &core);
  g_assert_cmpint (core.known_ticks, ==, 500);
  /* Idle net of interrupts: 90 - 10, then 190 - 5 - 20. */
  g_assert_cmpint (core.busy_ticks, ==, 500 - 80 - 165);
}

/* An idle task that gets its name before anything is known of its processor: the processor is known
 * from its first event on, not from then. */
static void
test_idle_before_all (Scene *unused,
                      gconstpointer data)
{
  TsObject object = TS_OBJECT_INIT;
  char name[] = "IDLE";
  TsCoreStats core;
  Scene scene;

  set_up_with (&scene, FALSE);
  object.id = IDLE;
  object.type = TS_OBJECT_TASK;
  object.name = name;
  object.is_idle = TRUE;
  ts_tracker_set_object (scene.tracker, &object);
  isr (&scene, 30, SYSTICK, START);
  isr (&scene, 50, SYSTICK, END);
  ts_tracker_get_core_stats (scene.tracker, 0, &core);
  g_assert_cmpint (core.known_ticks, ==, 20);
  tear_down (&scene, NULL);
}

/* What a processor's lane shows. */
static GArray *
get_cpu_lane (Scene *scene)
{
  g_autofree TsColumn *columns = g_new (TsColumn, 1000);
  GArray *slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));

  ts_tracker_publish_open (scene->tracker);
  ts_lane_store_publish (scene->store, scene->now);
  ts_lane_reader_sync (scene->reader);
  ts_lane_reader_query (scene->reader, TS_LANE_ID_CPU (0), 0, scene->now + 1, 1000, columns, slices,
                        0, NULL);
  return slices;
}

/* Whenever it turns out which task is the idle one: the lane and the sums are those of a tracker
 * that knew it from the begin. */
static void
test_late_idle_lane (Scene *unused,
                     gconstpointer data)
{
  for (guint round = 0; round < 200; round++)
    {
      guint32 seed = g_test_rand_int ();
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      guint n_events = (guint) g_rand_int_range (rand, 5, 150);
      guint late_at = (guint) g_rand_int_range (rand, 0, (gint32) n_events + 1);
      gboolean is_finished = g_rand_boolean (rand);
      GArray *lanes[2];
      TsCoreStats cores[2] = { { 0 } };
      gint64 time = 0;
      Scene scenes[2];

      g_test_message ("seed %u: %u events, known after %u", seed, n_events, late_at);
      set_up_with (&scenes[0], TRUE);
      set_up_with (&scenes[1], FALSE);
      for (guint i = 0; i <= n_events; i++)
        {
          guint kind = (guint) g_rand_int_range (rand, 0, 8);
          guint32 task = (guint32) g_rand_int_range (rand, IDLE, HIGH + 1);
          guint32 handler = g_rand_boolean (rand) ? SYSTICK : IRQ21;

          if (i == late_at)
            {
              char name[] = "IDLE";
              TsObject object = TS_OBJECT_INIT;

              object.id = IDLE;
              object.type = TS_OBJECT_TASK;
              object.name = name;
              object.priority = 0;
              object.is_idle = TRUE;
              ts_tracker_set_object (scenes[1].tracker, &object);
            }
          time += g_rand_int_range (rand, 0, 20);
          for (guint k = 0; k < 2; k++)
            {
              if (kind == 7 && i % 20 == 3)
                event (&scenes[k], time, TS_EVENT_DATA_LOSS, 0, 0, 1, 0);
              else if (kind < 3)
                in (&scenes[k], time, task);
              else if (kind < 5)
                out (&scenes[k], time, task);
              else
                isr (&scenes[k], time, handler, kind == 5 ? START : END);
            }
        }
      for (guint k = 0; k < 2; k++)
        {
          if (is_finished)
            ts_tracker_finish (scenes[k].tracker, time);
          lanes[k] = get_cpu_lane (&scenes[k]);
          ts_tracker_get_core_stats (scenes[k].tracker, 0, &cores[k]);
          tear_down (&scenes[k], NULL);
        }
      g_assert_cmpint (cores[0].busy_ticks, ==, cores[1].busy_ticks);
      g_assert_cmpint (cores[0].known_ticks, ==, cores[1].known_ticks);
      g_assert_cmpuint (lanes[0]->len, ==, lanes[1]->len);
      for (guint i = 0; i < lanes[0]->len; i++)
        {
          g_assert_cmpint (g_array_index (lanes[0], TsSlice, i).begin, ==,
                           g_array_index (lanes[1], TsSlice, i).begin);
          g_assert_cmpint (g_array_index (lanes[0], TsSlice, i).end, ==,
                           g_array_index (lanes[1], TsSlice, i).end);
        }
      g_array_unref (lanes[0]);
      g_array_unref (lanes[1]);
    }
}

static void
test_finish (Scene *scene,
             gconstpointer data)
{
  TsCoreStats core;
  TsSlice slice;

  in (scene, 100, IDLE);
  out (scene, 200, IDLE);
  in (scene, 210, LOW);
  event (scene, 250, TS_EVENT_USER_TRACE, TRACE, 0, 5, 0);
  isr (scene, 280, IRQ21, START);
  ts_tracker_finish (scene->tracker, 400);
  scene->now = 400;

  ASSERT_LANE (scene, LOW, { 210, 400, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, IRQ21, { 280, 400, TS_STATE_RUNNING, 0 });
  ASSERT_LANE (scene, TRACE, { 250, 400, TS_STATE_POINT, 0 });
  ASSERT_LANE (scene, TS_LANE_ID_CPU (0), { 200, 400, TS_STATE_RUNNING, 0 });
  g_assert_true (ts_lane_reader_find (scene->reader, LOW, 300, 0, &slice));
  g_assert_cmpint (slice.kind, ==, TS_SLICE_OPEN);
  g_assert_cmpint (find_stats (scene, LOW)->run_ticks, ==, 0);
  g_assert_cmpuint (find_stats (scene, LOW)->run_count, ==, 1);
  ts_tracker_get_core_stats (scene->tracker, 0, &core);
  g_assert_cmpint (core.known_ticks, ==, 300);
  g_assert_cmpint (core.busy_ticks, ==, 200);
}

/* No kernel: interrupts are all that is known to keep the CPU busy, and all time but losses is
 * known. */
static void
test_bare_metal (Scene *scene,
                 gconstpointer data)
{
  TsCoreStats core;

  event (scene, 100, TS_EVENT_USER_TRACE, TRACE, 0, 5, 0);
  isr (scene, 200, IRQ21, START);
  isr (scene, 230, IRQ21, END);
  event (scene, 300, TS_EVENT_DATA_LOSS, 0, TS_EVENT_FLAG_SYNTHETIC, 1, 0);
  isr (scene, 400, IRQ21, START);
  isr (scene, 410, IRQ21, END);
  ts_tracker_finish (scene->tracker, 500);
  ts_tracker_get_core_stats (scene->tracker, 0, &core);
  g_assert_cmpint (core.busy_ticks, ==, 40);
  g_assert_cmpint (core.known_ticks, ==, 130 + 100);
  g_assert_cmpuint (core.context_switches, ==, 0);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/tracker/" name, Scene, NULL, set_up, function, tear_down)
  ADD ("nested-interrupts", test_nested_interrupts);
  ADD ("odd-interrupts", test_odd_interrupts);
  ADD ("interrupted-task", test_interrupted_task);
  ADD ("contention", test_contention);
  ADD ("contention-udp", test_contention_udp);
  ADD ("first-act", test_first_act);
  ADD ("notification", test_notification);
  ADD ("preemption", test_preemption);
  ADD ("preemption-zephyr", test_preemption_zephyr);
  ADD ("sleep", test_sleep);
  ADD ("odd-switches", test_odd_switches);
  ADD ("task-states", test_task_states);
  ADD ("deleted", test_deleted);
  ADD ("loss", test_loss);
  ADD ("session-start", test_session_start);
  ADD ("late-idle", test_late_idle);
  ADD ("idle-before-all", test_idle_before_all);
  ADD ("late-idle-lane", test_late_idle_lane);
  ADD ("finish", test_finish);
  ADD ("bare-metal", test_bare_metal);
#undef ADD

  return g_test_run ();
}
