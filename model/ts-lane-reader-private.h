/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-reader-private.h: the reader's view of the pyramid, shared by finding slices
 * (ts-lane-reader.c) and filling columns (ts-lane-query.c).
 */
#pragma once

#include "ts-lane-books-private.h"
#include "ts-lane-fetch-private.h"
#include "ts-lane-live-private.h"

G_BEGIN_DECLS

/** Bytes of unpacked nodes that a reader keeps, unless it is told otherwise. */
#define TS_READER_CACHE_BYTES (64u << 20)

/** Nodes of level 0 that are unpacked to find out whether there are few slices. */
#define TS_READER_MAX_SLICE_NODES 3

/**
 * TsReaderNode: a node of the directory, with what has been unpacked of it.
 * @info: directory entry
 * @stored: (nullable): the store's node, for live readers
 * @fold: (nullable): its buckets
 * @coarser: (nullable): those merged by 2, 4, 8: columns between the widths of two levels would
 *   otherwise add up to eight buckets each
 * @slices, @n_slices: (nullable): its slices (level 0)
 * @is_bad: a closed recording does not hold it; not tried again
 * @is_kept: one that no coarser one stands for: never forgotten
 * @asked: round of requests to the worker in which it was asked for last, doubled; plus 1: with its
 *   slices
 * @newer, @older: neighbours in the list of unpacked nodes
 */
typedef struct _TsReaderNode TsReaderNode;
struct _TsReaderNode
{
  TsNodeInfo info;
  const TsStoredNode *stored;
  TsFold *fold;
  TsFold *coarser[TS_READER_MAX_DOUBLINGS];
  TsSlice *slices;
  guint n_slices;
  gboolean is_bad;
  gboolean is_kept;
  guint cost;
  guint asked;
  TsReaderNode *newer;
  TsReaderNode *older;
};

/**
 * TsReaderLane: one lane: nodes per level, and the published tail of a live one.
 */
typedef struct
{
  TsLaneInfo info;
  guint index; /* in the reader's lane array */
  gboolean may_overlap;
  guint edge; /* where the last search among the nodes of level 0 ended */
  GPtrArray *nodes[TS_NODE_MAX_LEVEL + 1]; /* of TsReaderNode; NULL where there are none */
  TsLaneChunk *chunk;
  guint n_chunk;
  TsFold extra;
  gint64 extra_begin;
  gint64 extra_end;
  TsSlice open[TS_LANE_MAX_OPEN];
  guint n_open;
} TsReaderLane;

struct _TsLaneReader
{
  TsLaneStore *store; /* NULL: closed */
  guint64 generation;
  TsNodeLoad load;
  TsNodeLoad load_figures;
  TsNodeLoad load_sections;
  TsNodeLoad load_book;
  TsBook books[TS_BOOK_PARTS]; /* the last ones */
  gpointer user_data;

  GPtrArray *lanes;   /* of TsReaderLane */
  GHashTable *by_id;  /* lane id to TsReaderLane */
  GArray *infos;      /* of TsLaneInfo; names borrowed from lanes */
  gint64 end;

  TsReaderNode *newest;
  TsReaderNode *oldest;
  gsize cache_bytes;
  gsize max_cache_bytes;
  TsSlice *scratch;   /* TS_NODE_SLICES */

  /* A worker that unpacks nodes, what it is asked for next, and how often it was asked. */
  TsLaneFetcher *fetcher;
  GArray *dead;   /* TsNodeParts: forgotten, to be freed by the worker */
  GArray *wanted; /* TsFetchItem */
  guint round;
  gboolean has_asked;

  /* While somebody looks who does not wait: what the worker is to be asked for before all else. */
  guint look;         /* a TsLook; 0: who reads waits */
  gboolean is_quiet;  /* nothing is asked for */
  gboolean is_missing;
  GArray *looked;     /* TsFetchItem */

  /* Edges of the pixel columns of the last query: most queries of a frame share them. */
  gint64 *edges;
  guint n_columns;
  gint64 edges_begin;
  gint64 edges_end;

  /* Arrays of columns while they are filled, with room for n_arrays columns, one of them spare. */
  gint64 *arrays;
  guint n_arrays;
};

TsReaderLane *_ts_lane_reader_find_lane (TsLaneReader *self,
                                         guint32 lane);
const TsFold *_ts_lane_reader_get_fold (TsLaneReader *self,
                                        TsReaderNode *node,
                                        guint doublings);
void _ts_lane_reader_keep (TsLaneReader *self,
                           TsReaderNode *node);
void _ts_lane_reader_read_roots (TsLaneReader *self);
void _ts_lane_reader_limit (TsLaneReader *self,
                            gsize max_bytes);
void _ts_lane_reader_trim (TsLaneReader *self,
                           gsize max_bytes);
GBytes *_ts_lane_reader_dup_figures (TsLaneReader *self,
                                     TsReaderNode *node);
const TsSlice *_ts_lane_reader_get_slices (TsLaneReader *self,
                                           TsReaderNode *node,
                                           guint *n_slices);
const TsSlice *_ts_lane_reader_borrow_slices (TsLaneReader *self,
                                              TsReaderNode *node,
                                              guint *n_slices);
guint _ts_lane_reader_find_slice_nodes (const TsReaderLane *lane,
                                        gint64 begin,
                                        gint64 end,
                                        guint max,
                                        guint *found);
void _ts_lane_reader_bury (TsLaneReader *self,
                           GPtrArray *taken);
void _ts_lane_reader_install (TsLaneReader *self,
                              TsReaderNode *node,
                              TsFetched *fetched);

/* ts-lane-plan.c */
void _ts_lane_reader_set_fetcher (TsLaneReader *self,
                                  TsLaneFetcher *fetcher);
void _ts_lane_reader_want (TsLaneReader *self,
                           const TsReaderLane *lane,
                           TsReaderNode *node,
                           gboolean wants_slices,
                           gboolean is_now);
void _ts_lane_reader_plan (TsLaneReader *self,
                           guint32 lane_id,
                           gint64 begin,
                           gint64 end,
                           guint n_columns);
void _ts_lane_reader_begin_look (TsLaneReader *self,
                                 guint look);
gboolean _ts_lane_reader_end_look (TsLaneReader *self);
gboolean _ts_lane_reader_must_wait (TsLaneReader *self,
                                    const TsReaderLane *lane,
                                    TsReaderNode *node);
void _ts_lane_reader_send (TsLaneReader *self);
gboolean _ts_lane_reader_adopt (TsLaneReader *self);

guint _ts_lane_reader_first_ending_after (const TsReaderLane *lane,
                                          gint64 time);
guint _ts_slices_first_ending_after (const TsSlice *slices,
                                     guint n_slices,
                                     gint64 time);

static inline guint
_ts_reader_lane_n_nodes (const TsReaderLane *lane,
                         guint level)
{
  return level <= TS_NODE_MAX_LEVEL && lane->nodes[level] != NULL ? lane->nodes[level]->len : 0;
}

static inline TsReaderNode *
_ts_reader_lane_node (const TsReaderLane *lane,
                      guint level,
                      guint i)
{
  return lane->nodes[level]->pdata[i];
}

G_END_DECLS
