/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-figures-private.h: what each node of a lane of tasks, interrupts, spans or the scheduler
 * keeps of the durations in it, so that figures of any range need no look at every slice; and what
 * nodes of these, of toggles and of kernel objects tell of their slices, so that a search need not
 * look at them.
 *
 * A duration belongs to the node in which it becomes known. One that may have begun before (in a
 * node before) is kept apart: whether it belongs to a range is known when the range is.
 * Table `ts_figures`, by the key of the node's blob.
 *
 * Nodes of level 0 keep the same for sections of their slices: where the edge of a range goes
 * through a node, the slices of one section are looked at. Table `ts_sections`, by the same key;
 * in older recordings behind the figures of the node.
 */
#pragma once

#include "ts-lane-node-private.h"
#include "ts-lane-walk-private.h"

G_BEGIN_DECLS

/** How many begins make a crowd. Persisted. */
#define TS_HEAD_CROWD 50
/** A storm of an interrupt: at least so many begin within so many microseconds, and take at least
 * that share of them. Nodes keep what was counted by these. */
#define TS_STORM_WINDOW_US 10000
#define TS_STORM_MIN_COUNT 50
#define TS_STORM_PERCENT 20
/** Acts that a node tells apart; of more it tells nothing. */
#define TS_HEAD_MAX_ACTS 8192

/**
 * TsLaneHead: what tells whether a look at the slices of a node is worth it.
 * @is_known: nothing of it is known otherwise (older recordings)
 * @states: bit for each state that has slices
 * @shortest, @longest: durations of the slices of a state, interrupts not taken off
 * @crowd: shortest time from the begin of a slice to that of the 49th before it, which may be in
 *   nodes before; interrupts only; %G_MAXINT64: there are not so many; 0: not known
 * @storm_window: ticks that @storm_count goes by; 0: it is not known
 * @storm_count: the most interrupts that were counted in a window which ends with one of the node
 *   and in which they took as long as in a storm; 0: in none
 * @has_acts: @acts is complete
 * @acts: (nullable) (element-type guint64): kinds of operations, from bit 32, and who did them;
 *   ordered, each once
 */
typedef struct
{
  gboolean is_known;
  guint32 states;
  gint64 shortest[TS_N_STATES];
  gint64 longest[TS_N_STATES];
  gint64 crowd;
  gint64 storm_window;
  guint64 storm_count;
  gboolean has_acts;
  GArray *acts;
} TsLaneHead;

#define TS_HEAD_ACT(kind, actor) ((guint64) (kind) << 32 | (guint32) (actor))
#define TS_HEAD_ACT_KIND(act) ((guint) ((act) >> 32))
#define TS_HEAD_ACT_ACTOR(act) ((guint32) (act))

/** How many durations lie in a bucket. */
typedef struct
{
  guint32 bucket;
  guint32 reserved;
  guint64 count;
} TsBucketCount;

/**
 * TsLaneFigures:
 * @head: what slices there are
 * @has_durations: the rest is there: of tasks, interrupts, spans and the scheduler
 * @n_runs, @preemptions, @blocks, @ticks, @longest_block_object: as in #TsLaneStatistics
 * @measures: count, sum and extremes of the durations
 * @firsts: the first one of each measure that spans slices; not in @measures; @begin -1: none
 * @end: where the lane is after the node
 * @is_nested: slices began before ones that came earlier: periods are not told
 * @buckets: (nullable) (element-type TsBucketCount): of @measures, by bucket
 */
typedef struct
{
  TsLaneHead head;
  gboolean has_durations;
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
 * TsNodeSections: what a node of level 0 keeps of parts of its slices.
 * @places: how many there are, and where their slices are
 * @begin: the earliest begin in a section
 * @end: the end of its last slice
 * @before: state of the slice before it, as far as the lane goes on
 * @stops: where its figures end in the bytes of all
 * @made: (nullable): the bytes, when they are made: _ts_sections_clear()
 * @bytes: (nullable): when they are read
 */
typedef struct
{
  TsNodePlaces places;
  gint64 begin[TS_NODE_MAX_SECTIONS];
  gint64 end[TS_NODE_MAX_SECTIONS];
  guint8 before[TS_NODE_MAX_SECTIONS];
  gsize stops[TS_NODE_MAX_SECTIONS];
  guint n_made;
  GByteArray *made;
  const guint8 *bytes;
} TsNodeSections;

/** What a window of storms holds of one interrupt. */
typedef struct
{
  gint64 begin;
  gint64 ticks;
} TsStormEntry;

/**
 * TsStormWindow: interrupts of one lane in a window that ends with the last one.
 * @window: its length in ticks
 * @recent: (element-type TsStormEntry): in order of their ends; those from @first on are in it
 * @ticks: how long these took, nested ones not counted twice
 */
typedef struct
{
  gint64 window;
  GArray *recent;
  guint first;
  gint64 ticks;
} TsStormWindow;

/**
 * TsFigureMaker: makes the figures of a lane's nodes, one after the other.
 * @recent, @n_recent: begins of the last slices before the node
 * @storms: interrupts only
 * @last: end of the last slice before the node; %G_MININT64: there is none
 * @not_seen: what began up to then is not in @storms, as its clock was not known
 * @is_crowded: more are in a window of @storms than are kept
 */
typedef struct
{
  TsLaneWalk walk;
  TsLaneStatistics statistics;
  TsFirstSample firsts[TS_N_MEASURES];
  gint64 recent[TS_HEAD_CROWD - 1];
  guint n_recent;
  TsStormWindow storms;
  gint64 last;
  gint64 not_seen;
  gboolean is_crowded;
} TsFigureMaker;

/** Buckets that a maker needs: of a section, and of the node. */
#define TS_N_SCRATCH_BUCKETS (2 * TS_N_MEASURES)

static inline gboolean
_ts_lane_kind_has_durations (TsLaneKind kind)
{
  return kind == TS_LANE_TASK || kind == TS_LANE_ISR || kind == TS_LANE_SPAN
         || kind == TS_LANE_RTOS;
}

static inline gboolean
_ts_lane_kind_has_figures (TsLaneKind kind)
{
  return _ts_lane_kind_has_durations (kind) || kind == TS_LANE_TOGGLE || kind == TS_LANE_OBJECT;
}

void _ts_bucket_counts_encode (TsPackWriter *writer,
                               const GArray *buckets,
                               gboolean may_be_flat);
void _ts_figures_init (TsLaneFigures *self);
void _ts_figures_clear (TsLaneFigures *self);
void _ts_figures_merge (TsLaneFigures *self,
                        const TsLaneFigures *next);
void _ts_figure_merge (TsFigure *figure,
                       const TsFigure *next,
                       guint32 *object,
                       guint32 next_object);
void _ts_figures_encode_durations (const TsLaneFigures *self,
                                   TsPackWriter *writer,
                                   gint64 base);
gboolean _ts_figures_decode_durations (TsLaneFigures *self,
                                       TsPackReader *reader,
                                       gint64 base,
                                       TsBuckets *into);
GBytes *_ts_figures_encode (const TsLaneFigures *self);
const guint8 *_ts_figures_find_sections (GBytes *bytes,
                                         gsize *size);
gboolean _ts_figures_decode (GBytes *bytes,
                             TsLaneFigures *self,
                             TsBuckets *into);
gboolean _ts_figures_know_losses (GBytes *bytes);
gboolean _ts_figures_decode_head (GBytes *bytes,
                                  TsLaneHead *head);

TsFigureMaker *_ts_figure_maker_new (TsLaneKind kind);
void _ts_figure_maker_free (TsFigureMaker *self);
void _ts_figure_maker_make (TsFigureMaker *self,
                            const TsSlice *slices,
                            guint n_slices,
                            const GByteArray *locks,
                            const GArray *losses,
                            gint64 storm_window,
                            TsBuckets *scratch,
                            TsLaneFigures *figures,
                            TsNodeSections *sections);

/* ts-lane-sections.c */
void _ts_sections_init (TsNodeSections *self);
void _ts_sections_clear (TsNodeSections *self);
void _ts_sections_add (TsNodeSections *self,
                       const TsSlice *slices,
                       guint n_slices,
                       guint8 before,
                       const TsLaneFigures *figures);
GBytes *_ts_sections_encode (const TsNodeSections *self);
gboolean _ts_sections_decode (GBytes *bytes,
                              TsNodeSections *self);
gboolean _ts_sections_decode_older (GBytes *bytes,
                                    TsNodeSections *self);
gboolean _ts_sections_decode_figures (const TsNodeSections *self,
                                      guint section,
                                      TsLaneFigures *figures,
                                      TsBuckets *into);

/* ts-lane-storms.c */
void _ts_storm_window_init (TsStormWindow *self,
                            gint64 window);
void _ts_storm_window_clear (TsStormWindow *self);
guint _ts_storm_window_add (TsStormWindow *self,
                            const TsSlice *slice);
gboolean _ts_storm_window_is_busy (const TsStormWindow *self);
gint64 _ts_storm_window_get_begin (const TsStormWindow *self);

/* ts-lane-heads.c */
void _ts_head_init (TsLaneHead *self);
void _ts_head_clear (TsLaneHead *self);
void _ts_head_add_slices (TsLaneHead *self,
                          TsLaneKind kind,
                          const TsSlice *slices,
                          guint n_slices);
void _ts_head_merge (TsLaneHead *self,
                     const TsLaneHead *next);
void _ts_head_encode (const TsLaneHead *self,
                      TsPackWriter *writer);
void _ts_head_decode (TsLaneHead *self,
                      TsPackReader *reader);

G_END_DECLS
