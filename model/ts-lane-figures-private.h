/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-figures-private.h: what each node of a lane of tasks, interrupts, spans or the scheduler
 * keeps of the durations in it, so that figures of any range need no look at every slice.
 *
 * A duration belongs to the node in which it becomes known. One that may have begun before (in a
 * node before) is kept apart: whether it belongs to a range is known when the range is.
 * Table `ts_figures`, by the key of the node's blob.
 */
#pragma once

#include "ts-lane-node-private.h"
#include "ts-lane-walk-private.h"

G_BEGIN_DECLS

/** How many durations lie in a bucket. */
typedef struct
{
  guint32 bucket;
  guint32 reserved;
  guint64 count;
} TsBucketCount;

/**
 * TsLaneFigures:
 * @n_runs, @preemptions, @blocks, @ticks, @longest_block_object: as in #TsLaneStatistics
 * @measures: count, sum and extremes of the durations
 * @firsts: the first one of each measure that spans slices; not in @measures; @begin -1: none
 * @end: where the lane is after the node
 * @is_nested: slices began before ones that came earlier: periods are not told
 * @buckets: (nullable) (element-type TsBucketCount): of @measures, by bucket
 */
typedef struct
{
  guint64 n_runs;
  guint64 preemptions;
  guint64 blocks;
  gint64 ticks;
  guint32 longest_block_object;
  gboolean is_nested;
  TsFigure measures[TS_N_MEASURES];
  TsFirstSample firsts[TS_N_MEASURES];
  TsActivation end;
  GArray *buckets[TS_N_MEASURES];
} TsLaneFigures;

/**
 * TsFigureMaker: makes the figures of a lane's nodes, one after the other.
 */
typedef struct
{
  TsLaneWalk walk;
  TsLaneStatistics statistics;
  TsFirstSample firsts[TS_N_MEASURES];
} TsFigureMaker;

static inline gboolean
_ts_lane_kind_has_figures (TsLaneKind kind)
{
  return kind == TS_LANE_TASK || kind == TS_LANE_ISR || kind == TS_LANE_SPAN
         || kind == TS_LANE_RTOS;
}

void _ts_figures_init (TsLaneFigures *self);
void _ts_figures_clear (TsLaneFigures *self);
void _ts_figures_merge (TsLaneFigures *self,
                        const TsLaneFigures *next);
void _ts_figure_merge (TsFigure *figure,
                       const TsFigure *next,
                       guint32 *object,
                       guint32 next_object);
GBytes *_ts_figures_encode (const TsLaneFigures *self);
gboolean _ts_figures_decode (GBytes *bytes,
                             TsLaneFigures *self);

TsFigureMaker *_ts_figure_maker_new (TsLaneKind kind);
void _ts_figure_maker_free (TsFigureMaker *self);
void _ts_figure_maker_make (TsFigureMaker *self,
                            const TsSlice *slices,
                            guint n_slices,
                            const GByteArray *locks,
                            TsBuckets *scratch,
                            TsLaneFigures *figures);

G_END_DECLS
