/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-analysis-private.h: how analyses walk through a recording: slices of one lane, of several
 * lanes in order of time, events of some kinds, and the time that interrupts take.
 *
 * Walking is by nodes of the pyramid (some 20 ns a slice) and by rows of the event table for the
 * kinds that no lane shows. Private to the model.
 */
#pragma once

#include "ts-lane-access-private.h"
#include "ts-lane-reader-private.h"
#include "ts-lane-walk-private.h"
#include "ts-recording-private.h"
#include "ts-statistics.h"

G_BEGIN_DECLS

/** Slices of one range up to which every figure is computed from the slices themselves. */
#define TS_ANALYSIS_MAX_EXACT 1000000

#define TS_SLICE_BATCH 128

/**
 * TsSliceCursor:
 * @capacity: how much of @batch is there: less where very many are open at once
 *
 * The slices of a lane that overlap [begin, end), in order of their ends. Open ones come last,
 * ended at the recording's end and marked %TS_SLICE_OPEN.
 */
typedef struct
{
  TsLaneReader *reader;
  TsLaneAccess *access; /* nullable */
  TsReaderLane *lane;
  gint64 begin;
  gint64 end;
  guint run;
  guint at;
  guint n;
  guint i;
  guint capacity;
  gboolean is_done;
  TsSlice batch[TS_SLICE_BATCH];
} TsSliceCursor;

void _ts_slice_cursor_init (TsSliceCursor *self,
                            TsRecording *recording,
                            guint32 lane,
                            gint64 begin,
                            gint64 end);
void _ts_slice_cursor_init_apart (TsSliceCursor *self,
                                  TsLaneAccess *access,
                                  guint32 lane,
                                  gint64 begin,
                                  gint64 end);
const TsSlice *_ts_slice_cursor_next (TsSliceCursor *self);
const TsSlice *_ts_slice_cursor_next_batch (TsSliceCursor *self,
                                            guint *n_slices);
guint64 _ts_analysis_count_slices (TsRecording *recording,
                                   guint32 lane,
                                   gint64 begin,
                                   gint64 end);

/**
 * TsSliceMerge:
 *
 * The slices of several lanes, in order of their ends; at the same time states of tasks come
 * before instants, and inner slices before outer ones.
 */
typedef struct _TsSliceMerge TsSliceMerge;

TsSliceMerge *_ts_slice_merge_new (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end);
void _ts_slice_merge_add (TsSliceMerge *self,
                          guint32 lane);
void _ts_slice_merge_add_states (TsSliceMerge *self,
                                 guint32 lane,
                                 guint32 states);
const TsSlice *_ts_slice_merge_next (TsSliceMerge *self,
                                     const TsLaneInfo **lane);
void _ts_slice_merge_free (TsSliceMerge *self);

/**
 * TsIntervals:
 * @array: #TsInterval, disjoint, ordered
 * @hint: where the last question was
 *
 * A set of times, with sums.
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 before; /* sum of the lengths of all intervals before this one */
} TsInterval;

typedef struct
{
  GArray *array;
  guint hint;
} TsIntervals;

void _ts_intervals_init (TsIntervals *self);
void _ts_intervals_clear (TsIntervals *self);
void _ts_intervals_add_lane (TsIntervals *self,
                             TsRecording *recording,
                             guint32 lane,
                             gint64 begin,
                             gint64 end);
gint64 _ts_intervals_before (const TsIntervals *self,
                             gint64 time,
                             guint *hint);
gint64 _ts_intervals_covered (TsIntervals *self,
                              gint64 begin,
                              gint64 end);

/**
 * TsInterruptTime:
 * @lock: (nullable): protects the recording where several threads ask
 *
 * Time that interrupts of one processor take: the union of all handlers. Kept for one range;
 * what lies outside of it is looked up when asked for.
 */
struct _TsInterruptTime
{
  TsRecording *recording;
  GMutex *lock;
  guint core;
  gint64 begin;
  gint64 end;
  TsIntervals intervals;
};

void _ts_interrupt_time_init (TsInterruptTime *self,
                              TsRecording *recording,
                              guint core);
void _ts_interrupt_time_set_range (TsInterruptTime *self,
                                   gint64 begin,
                                   gint64 end);
gint64 _ts_interrupt_time_within (TsInterruptTime *self,
                                  gint64 begin,
                                  gint64 end);
gint64 _ts_interrupt_time_nested (TsInterruptTime *self,
                                  const TsSlice *slice,
                                  gint64 begin,
                                  gint64 end);
void _ts_interrupt_time_clear (TsInterruptTime *self);

/* One of several pieces of work; @access is that of its thread. */
typedef void (*TsAnalysisPieceFunc) (guint piece,
                                     TsLaneAccess *access,
                                     gpointer user_data);

void _ts_analysis_share_out (TsRecording *recording,
                             guint n_pieces,
                             gboolean is_worth_threads,
                             TsAnalysisPieceFunc func,
                             gpointer user_data);

/* Figures of a set of numbers; the order of @values changes. */
gint64 _ts_analysis_percentile (gint64 *values,
                                guint n,
                                guint percent);

TsStatistics *_ts_statistics_new_with_limit (TsRecording *recording,
                                             gint64 begin,
                                             gint64 end,
                                             gint64 load_window,
                                             guint64 max_exact,
                                             GCancellable *cancellable,
                                             GError **error);

void _ts_statistics_fill_lanes (TsStatistics *self,
                                TsRecording *recording,
                                guint64 max_exact,
                                const GArray *losses,
                                GCancellable *cancellable);
void _ts_statistics_finish_lane (TsStatistics *self,
                                 guint i);
void _ts_lane_walk_run (TsLaneWalk *self,
                        TsSliceCursor *cursor);
gboolean _ts_lane_walk_nodes (TsLaneWalk *walk,
                              TsLaneAccess *access,
                              TsBuckets *buckets,
                              GCancellable *cancellable);
GByteArray *_ts_analysis_list_locks (TsRecording *recording);
void _ts_lane_walk_samples (TsRecording *recording,
                            const TsLaneInfo *lane,
                            gint64 begin,
                            gint64 end,
                            gboolean needs_net,
                            TsSampleFunc note,
                            gpointer user_data);
gboolean _ts_lane_walk_long_periods (TsRecording *recording,
                                     const TsLaneInfo *lane,
                                     gint64 begin,
                                     gint64 end,
                                     gint64 above,
                                     gint64 upto,
                                     TsSampleFunc note,
                                     gpointer user_data,
                                     GCancellable *cancellable);
GArray *_ts_analysis_read_losses (TsRecording *recording,
                                  gint64 begin,
                                  gint64 end);
void _ts_analysis_fill_columns (TsRecording *recording,
                                guint32 lane,
                                gint64 begin,
                                gint64 end,
                                guint n_columns,
                                TsColumn *columns);
void _ts_analysis_own_interrupt_time (TsRecording *recording,
                                      guint core,
                                      gint64 begin,
                                      gint64 end,
                                      GHashTable *ticks_by_lane);
void _ts_analysis_load (TsRecording *recording,
                        gint64 begin,
                        gint64 end,
                        TsLoad *load);

/* Events of some kinds, in order, without looking at others more closely than SQLite must. */
typedef gboolean (*TsAnalysisEventFunc) (guint64 row,
                                         const TsEvent *event,
                                         gpointer user_data);

gboolean _ts_analysis_has_kind (TsRecording *recording,
                                TsEventKind kind);
gboolean _ts_analysis_scan (TsRecording *recording,
                            const TsEventKind *kinds,
                            guint n_kinds,
                            gint64 begin,
                            gint64 end,
                            TsAnalysisEventFunc func,
                            gpointer user_data,
                            GCancellable *cancellable,
                            GError **error);

/* Who had the processor. */
gint64 _ts_analysis_running_ticks (TsRecording *recording,
                                   guint32 lane,
                                   gint64 begin,
                                   gint64 end);
guint32 _ts_analysis_find_busiest (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   guint32 except,
                                   gint64 *ticks);

/* Urgency of tasks. */
typedef struct _TsPriorities TsPriorities;

TsPriorities *_ts_priorities_new (TsRecording *recording,
                                  gint64 end,
                                  GCancellable *cancellable,
                                  GError **error);
void _ts_priorities_free (TsPriorities *self);
gint64 _ts_priorities_get (TsPriorities *self,
                           guint32 task,
                           gint64 time);
gboolean _ts_priorities_is_more_urgent (TsPriorities *self,
                                        gint64 left,
                                        gint64 right);
gboolean _ts_analysis_smaller_is_urgent (TsRecording *recording);
gboolean _ts_analysis_mutex_start_takes (TsRecording *recording);

static inline double
_ts_analysis_us (TsRecording *recording,
                 gint64 ticks)
{
  return (double) ticks * 1e6 / (double) recording->clock_hz;
}

G_END_DECLS
