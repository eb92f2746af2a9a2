/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-walk-private.h: figures of one lane while its slices go by, and durations in buckets. */
#pragma once

#include "ts-lane.h"
#include "ts-statistics.h"

G_BEGIN_DECLS

/** Buckets of durations: exact below 64 ticks, then 64 to each power of two: the middle of one is
 * within 0.8 % of what lies in it. Persisted. */
#define TS_BUCKET_STEPS_LOG2 6
#define TS_BUCKET_STEPS (1u << TS_BUCKET_STEPS_LOG2)
#define TS_BUCKET_POWERS 56
#define TS_N_BUCKETS (TS_BUCKET_STEPS * TS_BUCKET_POWERS)

/**
 * TsBuckets:
 * @counts: how many durations lie in each bucket
 * @used: bit for each bucket in use, by power of two
 */
typedef struct
{
  guint64 counts[TS_N_BUCKETS];
  guint64 used[TS_BUCKET_POWERS];
} TsBuckets;

G_STATIC_ASSERT (TS_BUCKET_STEPS == 64);

static inline guint
_ts_bucket_of (gint64 ticks)
{
  guint64 value = (guint64) MAX (ticks, 0);
  guint log2;

  if (value < TS_BUCKET_STEPS)
    return (guint) value;
  log2 = 63 - (guint) __builtin_clzll (value);
  return MIN (((log2 - TS_BUCKET_STEPS_LOG2 + 1) << TS_BUCKET_STEPS_LOG2)
                  + (guint) (value >> (log2 - TS_BUCKET_STEPS_LOG2) & (TS_BUCKET_STEPS - 1)),
              TS_N_BUCKETS - 1);
}

static inline void
_ts_buckets_add_many (TsBuckets *self,
                      guint bucket,
                      guint64 count)
{
  self->used[bucket >> TS_BUCKET_STEPS_LOG2] |= (guint64) (count > 0)
                                                << (bucket & (TS_BUCKET_STEPS - 1));
  self->counts[bucket] += count;
}

static inline void
_ts_buckets_add (TsBuckets *self,
                 gint64 ticks)
{
  _ts_buckets_add_many (self, _ts_bucket_of (ticks), 1);
}

void _ts_buckets_clear (TsBuckets *self);
gint64 _ts_bucket_middle (guint bucket);
GArray *_ts_buckets_pack (const TsBuckets *self);

/**
 * TsActivation: where a task is between two waits; of other lanes @last only.
 * @ready: when it got ready; -1: not in this range
 * @execution: processor time so far
 * @has_run: it ran since then
 * @is_waiting: it waits, or waited until now
 * @last: switch-in of the activation before, begin of the slice before; -1 none
 * @before, @before_end: state and end of the slice before; -1 none
 */
typedef struct
{
  gint64 ready;
  gint64 execution;
  gint64 last;
  gint64 before_end;
  guint8 before;
  gboolean has_run;
  gboolean is_waiting;
} TsActivation;

/** A duration that began before what is looked at, perhaps. @begin is -1: none so far. */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 ticks;
} TsFirstSample;

typedef struct _TsInterruptTime TsInterruptTime;

/* A duration of a lane that became known. */
typedef void (*TsSampleFunc) (TsMeasure measure,
                              gint64 ticks,
                              gint64 begin,
                              gint64 end,
                              gpointer user_data);

/**
 * TsLaneWalk:
 * @statistics: where totals and durations go
 * @begin, @end: the range that is looked at
 * @with_totals: count ticks and events too
 * @wants_net: times are net of interrupts
 * @locks: (nullable): 1 for objects that are mutexes
 * @samples: (nullable) (array length=TS_N_MEASURES): every duration; %NULL where there are none
 *   yet
 * @buckets: (nullable) (array length=TS_N_MEASURES): durations in buckets
 * @firsts: (nullable) (array length=TS_N_MEASURES): takes the first one of each measure that may
 *   span several slices, instead of the figures
 * @begins: (nullable): begins of interrupts and spans; periods come at the end. Without it they
 *   come at once, which is right unless @is_nested
 * @interrupts: (nullable): looked up for runs that are cut by the range
 * @losses: (nullable): begins of losses, ordered: no period goes across one
 * @note, @user_data: (nullable): told each duration; of a walk through nodes those in nodes that
 *   hold a period of more than @above ticks, and of no more than @upto
 * @above, @upto: see @note
 * @activation: state, kept from slice to slice
 * @is_nested: slices began before ones that came earlier
 */
typedef struct
{
  TsLaneStatistics *statistics;
  gint64 begin;
  gint64 end;
  gboolean with_totals;
  gboolean wants_net;
  const GByteArray *locks;
  GArray **samples;
  TsBuckets *buckets;
  TsFirstSample *firsts;
  GArray *begins;
  TsInterruptTime *interrupts;
  const GArray *losses;
  TsSampleFunc note;
  gpointer user_data;
  gint64 above;
  gint64 upto;
  TsActivation activation;
  gboolean is_nested;
} TsLaneWalk;

void _ts_lane_walk_begin (TsLaneWalk *self);
void _ts_lane_walk_slices (TsLaneWalk *self,
                           const TsSlice *slices,
                           guint n_slices);
void _ts_lane_walk_finish (TsLaneWalk *self);
void _ts_figure_add (TsFigure *figure,
                     gint64 ticks,
                     gint64 begin,
                     gint64 end);
gboolean _ts_is_lost_between (const GArray *losses,
                              gint64 begin,
                              gint64 end);

G_END_DECLS
