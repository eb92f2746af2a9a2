/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-statistics.h: figures of every task, interrupt and span over a recording or a part of it.
 *
 * One computation for the window's panels and the command line's `cpu` and `timeline`. Counts,
 * sums, shares and extremes are exact for any range. Percentiles are up to a million slices in the
 * range; above that they come from buckets that nodes of the pyramid keep: within 1 % (marked).
 */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TsFigure:
 * @count: how many
 * @sum: their sum
 * @min, @max: the extremes; -1 if there are none
 * @p50, @p95, @p99: the smallest value that at least so many percent do not exceed; -1 if none
 * @min_begin, @min_end: where the smallest is
 * @max_begin, @max_end: where the largest is: what a click lands on
 *
 * A set of durations in ticks.
 */
typedef struct
{
  guint64 count;
  gint64 sum;
  gint64 min;
  gint64 max;
  gint64 p50;
  gint64 p95;
  gint64 p99;
  gint64 min_begin;
  gint64 min_end;
  gint64 max_begin;
  gint64 max_end;
} TsFigure;

/**
 * TsMeasure:
 * @TS_MEASURE_RUN: tasks: from switch-in to switch-out, net of interrupts; interrupts: from enter
 *   to exit, nested ones included; spans: from start to end
 * @TS_MEASURE_EXECUTION: tasks: processor time of one activation: the sum of its runs, net of
 *   interrupts, without the time in which it was preempted
 * @TS_MEASURE_RESPONSE: tasks: from getting ready after a wait to the next wait
 * @TS_MEASURE_PERIOD: tasks: between the first switch-ins of two activations; interrupts and spans:
 *   between two begins
 * @TS_MEASURE_BLOCK: tasks: a wait for an object or an unknown cause (not sleep)
 * @TS_MEASURE_LATENCY: tasks: from getting ready after a wait to running
 *
 * An activation is what a task does between two waits (blocked, asleep, suspended); a wait for a
 * mutex is part of it. An activation belongs to the range if it begins in it; one whose end is not
 * known does not count.
 */
typedef enum
{
  TS_MEASURE_RUN,
  TS_MEASURE_EXECUTION,
  TS_MEASURE_RESPONSE,
  TS_MEASURE_PERIOD,
  TS_MEASURE_BLOCK,
  TS_MEASURE_LATENCY,
  TS_N_MEASURES
} TsMeasure;

/**
 * TsLaneStatistics:
 * @lane: id of the lane
 * @kind: task, interrupt, span or scheduler
 * @core: processor
 * @object: id of the object, 0 for the scheduler
 * @is_idle: an idle task
 * @ticks: time it had the processor in the range: tasks net of interrupts, interrupts net of
 *   nested ones, scheduler net of interrupts; spans: time with any of them open
 * @share: @ticks in percent of the time in which the processor's state is known
 * @measures: durations; a @count of 0 where the measure means nothing
 * @n_runs: runs that begin in the range, those without a known end included
 * @preemptions: times it stopped running though still ready; another task ran
 * @blocks: waits of %TS_MEASURE_BLOCK and, of those that began in the range, unfinished ones
 * @longest_block_object: what the longest wait was for; 0 unknown
 * @failures: operations that failed (19) while it was acting
 * @n_period_outliers: periods of less than half or more than one and a half of the median
 * @stack_used, @stack_size: bytes, of the whole recording; -1 unknown
 * @priority: %TS_OBJECT_UNKNOWN if unknown
 * @is_exact: percentiles are those of all slices of the range; else within 1 %. Counts, sums and
 *   extremes always are
 */
typedef struct
{
  guint32 lane;
  TsLaneKind kind;
  guint8 core;
  guint32 object;
  gboolean is_idle;
  gint64 ticks;
  double share;
  TsFigure measures[TS_N_MEASURES];
  guint64 n_runs;
  guint64 preemptions;
  guint64 blocks;
  guint32 longest_block_object;
  guint64 failures;
  guint64 n_period_outliers;
  gint64 stack_used;
  gint64 stack_size;
  gint64 priority;
  gboolean is_exact;
} TsLaneStatistics;

/**
 * TsLoad:
 * @busy: time in which anything but an idle task had the processor
 * @known: time in which it is known what the processor did
 * @percent: @busy in percent of @known
 * @window: length of the sliding window
 * @min_percent, @max_percent: lowest and highest load of any window of that length; -1 where the
 *   range is shorter or holds too much to tell
 * @min_begin, @max_begin: where those windows begin
 *
 * Load of one processor: the union of busy times, so nothing counts twice.
 */
typedef struct
{
  guint8 core;
  gint64 busy;
  gint64 known;
  double percent;
  gint64 window;
  double min_percent;
  double max_percent;
  gint64 min_begin;
  gint64 max_begin;
} TsLoad;

/**
 * TsStatistics:
 * @begin, @end: the range, in ticks
 * @lanes: (array length=n_lanes): in order of the lanes' ids
 * @loads: (array length=n_loads): one per processor
 * @switches: context switches in the range
 * @preemptions: sum over all tasks
 * @is_exact: all lanes are exact
 * @samples, @buckets: private: the durations behind the figures, one by one or by how many are near
 *   a value; @packed: in place of them
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  TsLaneStatistics *lanes;
  guint n_lanes;
  TsLoad *loads;
  guint n_loads;
  guint64 switches;
  guint64 preemptions;
  gboolean is_exact;
  GArray **samples;
  GArray **buckets;
  GBytes **packed;
} TsStatistics;

TsStatistics *ts_statistics_new (TsRecording *recording,
                                 gint64 begin,
                                 gint64 end,
                                 gint64 load_window,
                                 GCancellable *cancellable,
                                 GError **error);
void ts_statistics_free (TsStatistics *self);
void ts_statistics_pack (TsStatistics *self);
const TsLaneStatistics *ts_statistics_find (const TsStatistics *self,
                                            guint32 lane);
gboolean ts_statistics_histogram (const TsStatistics *self,
                                  guint32 lane,
                                  TsMeasure measure,
                                  guint n_bins,
                                  guint64 *bins,
                                  gint64 *low,
                                  gint64 *high);

const char *ts_measure_get_name (TsMeasure measure);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsStatistics, ts_statistics_free)

G_END_DECLS
