/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-timers.h: software timers: when they should have fired, when they did, and why not then. */
#pragma once

#include "ts-recording.h"
#include "ts-statistics.h"

G_BEGIN_DECLS

/**
 * TsTimerFire:
 * @time: when it fired; of a predicted one, when it should
 * @expected: when it should have, after removing the phase
 * @lateness: @time - @expected, never negative
 * @n_missed: periods without a fire just before it
 * @is_violation: later than the threshold
 * @is_predicted: nothing tells that it fired
 * @culprit: of a violation: lane that ran longest between @expected and @time; 0 unknown
 * @culprit_ticks: how long
 */
typedef struct
{
  gint64 time;
  gint64 expected;
  gint64 lateness;
  guint64 n_missed;
  gboolean is_violation;
  gboolean is_predicted;
  guint32 culprit;
  gint64 culprit_ticks;
} TsTimerFire;

/**
 * TsTimerMark:
 * @time: when
 * @kind: %TS_EVENT_TIMER_ARM (started with a time), %TS_EVENT_TIMER (stopped), %TS_EVENT_WORK
 * @is_start: started or submitted, not stopped or cancelled
 * @first_ms, @period_ms: what it was armed with
 */
typedef struct
{
  gint64 time;
  TsEventKind kind;
  gboolean is_start;
  gint64 first_ms;
  gint64 period_ms;
} TsTimerMark;

/**
 * TsTimer:
 * @object: object id; 0 of a work item
 * @handler: handler address of a work item
 * @is_work: a work item (deferred work of Zephyr)
 * @is_predicted: it has no fires but predicted ones
 * @period: ticks; the last one it was armed with, else the median of what was seen; 0 one-shot
 * @is_period_observed: nothing told the period
 * @n_starts, @n_stops: starts and resets; stops
 * @n_missed: periods without a fire, while it ran
 * @n_violations: fires later than the threshold
 * @lateness: of the fires
 * @run: of its callback, where the recorder tells it
 * @fires: (element-type TsTimerFire)
 * @marks: (element-type TsTimerMark)
 *
 * Lateness: a fire's distance from the grid of its timer. The grid begins with each start and has
 * the period the timer was armed with; its phase is unknown (the kernel's tick is not on the
 * wire), so that the earliest fires are taken to be in time, in long runs the earliest of the
 * first and of the last third, which also takes out a drift between the two clocks. One-shot
 * timers: the phase is that of the earliest one of all.
 */
typedef struct
{
  guint32 object;
  gint64 handler;
  gboolean is_work;
  gboolean is_predicted;
  gint64 period;
  gboolean is_period_observed;
  guint64 n_starts;
  guint64 n_stops;
  guint64 n_missed;
  guint64 n_violations;
  TsFigure lateness;
  TsFigure run;
  GArray *fires;
  GArray *marks;
} TsTimer;

GPtrArray *ts_timers_list (TsRecording *recording,
                           gint64 begin,
                           gint64 end,
                           gint64 threshold,
                           GCancellable *cancellable,
                           GError **error);

G_END_DECLS
