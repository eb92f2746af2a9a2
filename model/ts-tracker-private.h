/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tracker-private.h: events to states: what each task, interrupt, span and value did, and
 * figures about it.
 *
 * The tracker takes events in time order, keeps the state of everything, writes slices into a
 * lane store and keeps the statistics of `va_task_stats` and `va_trace_stats` up to date
 * incrementally. Independent of any source; rules: viewalyzer-wire.md section 13.
 */
#pragma once

#include "ts-comms-private.h"
#include "ts-event.h"
#include "ts-lane-store-private.h"

G_BEGIN_DECLS

/**
 * TsTaskStats: one row of `va_task_stats` (tasks, ISR:*, Fn:*, _RTOS_); -1 where unknown.
 * @lane: lane id
 * @object: object id, 0 for _RTOS_
 * @run_count: times switched in / entered / started
 * @run_ticks: net of interrupts (tasks); inclusive of nested ones for @min/@max/@sum of interrupts
 * @n_runs: completed runs (basis of min, sum, max)
 * @min_ticks, @max_ticks, @sum_ticks: task: switch-in to switch-out net of interrupts; interrupt:
 *   enter to its matching exit, nested included
 * @n_periods, @sum_period, @min_period, @max_period: ticks between consecutive activations
 *   (switch-ins that follow a wait, but not one for a mutex; enters; starts)
 * @preemptions: times it stopped running while still wanting the CPU
 * @stack_used: bytes, high-water
 * @mutex_contentions: times it waited for a mutex
 */
typedef struct
{
  guint32 lane;
  guint32 object;
  guint64 run_count;
  guint64 n_runs;
  gint64 run_ticks;
  gint64 min_ticks;
  gint64 max_ticks;
  gint64 sum_ticks;
  guint64 n_periods;
  gint64 sum_period;
  gint64 min_period;
  gint64 max_period;
  guint64 preemptions;
  gint64 stack_used;
  guint64 mutex_contentions;
} TsTaskStats;

/**
 * TsTraceStats: one row of `va_trace_stats` (value channels): Welford's running moments.
 */
typedef struct
{
  guint32 object;
  guint64 count;
  double min;
  double max;
  double last;
  double mean;
  double m2;
  double sum_squares;
  gint64 first_time;
  gint64 last_time;
} TsTraceStats;

/** Totals kept beside: busy ticks (not idle, interrupts included) per core, switches,
 * preemptions, events by kind and side. */
typedef struct
{
  gint64 busy_ticks;
  gint64 known_ticks;      /* time in which the CPU's state is known */
  guint64 context_switches;
  guint64 preemptions;
} TsCoreStats;

typedef struct _TsTracker TsTracker;

TsTracker *ts_tracker_new (TsLaneStore *store);
void ts_tracker_free (TsTracker *self);
/* Matches operations too, to be asked for with ts_tracker_get_comms(). Before the first event. */
void ts_tracker_keep_comms (TsTracker *self);
TsCommsFeed *ts_tracker_get_comms (TsTracker *self); /* NULL: they are not matched */
void ts_tracker_set_os (TsTracker *self,
                        const char *os); /* priority direction, naming of exceptions */
void ts_tracker_set_excerpt (TsTracker *self);
void ts_tracker_set_clock (TsTracker *self,
                           guint64 hz);
void ts_tracker_set_line_rate (TsTracker *self,
                               guint64 hz);
void ts_tracker_set_object (TsTracker *self,
                            const TsObject *object);        /* defined or updated; copied */
void ts_tracker_events (TsTracker *self,
                        const TsEvent *events,
                        gsize n_events);
/* Tells the store about open slices so that live readers see running tasks; before
 * ts_lane_store_publish(). */
void ts_tracker_publish_open (TsTracker *self);
/* End of the recording: closes open slices at @end (marked TS_SLICE_OPEN). */
void ts_tracker_finish (TsTracker *self,
                        gint64 end);
const TsTaskStats *ts_tracker_get_task_stats (TsTracker *self,
                                              guint *n_stats);
const TsTraceStats *ts_tracker_get_trace_stats (TsTracker *self,
                                                guint *n_stats);
void ts_tracker_get_core_stats (TsTracker *self,
                                guint core,
                                TsCoreStats *stats);
guint ts_tracker_get_n_cores (TsTracker *self);

G_END_DECLS
