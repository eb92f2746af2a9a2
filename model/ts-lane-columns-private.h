/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-columns-private.h: pixel columns of one lane while buckets and slices are added to
 * them. */
#pragma once

#include "ts-lane-reader-private.h"

G_BEGIN_DECLS

/**
 * TsColumnQuery: columns while they are filled.
 * @count, @lost, @ticks, @min, @max, @last: one array per figure, because that stays in the nearest
 *   cache (a #TsColumn is large); each has a spare place behind the last column. Those of states
 *   and losses are cleared when they are first used
 * @edges: n_columns + 1 ticks
 * @width: ticks per column, rounded down
 * @shift: log2 of that, where columns lie on multiples of a power of two as buckets do; else -1
 * @hint: column of the last lookup
 * @states: bits of the states whose array is in use
 */
typedef struct
{
  TsLaneReader *reader;
  const TsReaderLane *lane;
  guint32 *count;
  gint64 *lost;
  gint64 *ticks[TS_N_TIMED_STATES];
  double *min;
  double *max;
  double *last;
  const gint64 *edges;
  guint n_columns;
  gint64 begin;
  gint64 end;
  gint64 width;
  int shift;
  gint64 deadline_us;
  gboolean is_late;
  gboolean is_coarse;
  gboolean has_values;
  guint hint;
  guint states;
  gboolean has_lost;
} TsColumnQuery;

void _ts_columns_begin (TsColumnQuery *query);
void _ts_columns_add_buckets (TsColumnQuery *query,
                              const TsFold *fold,
                              guint first,
                              guint last,
                              gint64 low,
                              gint64 high);
void _ts_columns_add_edge_bucket (TsColumnQuery *query,
                                  const TsFold *fold,
                                  guint b,
                                  gint64 hull_begin,
                                  gint64 hull_end,
                                  gint64 low,
                                  gint64 high);
void _ts_columns_add_slices (TsColumnQuery *query,
                             const TsSlice *slices,
                             guint n_slices,
                             gint64 low,
                             gint64 high);
void _ts_columns_add_interrupted (TsColumnQuery *query,
                                  const TsFold *fold,
                                  gint64 hull_begin,
                                  gint64 hull_end,
                                  gint64 low,
                                  gint64 high);
void _ts_columns_finish_values (TsColumnQuery *query,
                                gboolean has_held,
                                double held,
                                TsColumn *columns);
void _ts_columns_finish_states (TsColumnQuery *query,
                                TsColumn *columns);

G_END_DECLS
