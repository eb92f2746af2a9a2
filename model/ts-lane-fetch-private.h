/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-fetch-private.h: unpacks nodes on a thread of its own, so that a frame need not wait.
 *
 * The reader's thread asks for nodes, the most urgent first; a later request replaces what is left
 * of the one before. What was unpacked is taken over by the reader when it likes. Nothing else is
 * shared: bytes come from a connection of the worker's own, or are handed over.
 */
#pragma once

#include "ts-lane-node-private.h"

G_BEGIN_DECLS

/** A reader also keeps the buckets of a node merged by 2, 4 and 8. */
#define TS_READER_MAX_DOUBLINGS 3

/** Nodes that one request may ask for. */
#define TS_FETCH_MAX_ITEMS 2048

/**
 * TsFetchItem: a node that is asked for.
 * @lane, @level, @seq: which
 * @wants_slices: its slices too
 * @is_now: a picture waits for it; else it may be wanted soon
 * @blob: key of its bytes
 * @look: somebody waits for it, see ts_recording_begin_look(); 0: a picture
 * @bytes: (nullable): its bytes, where they are still in memory
 */
typedef struct
{
  guint32 lane;
  guint32 seq;
  guint8 level;
  guint8 wants_slices;
  guint8 is_now;
  guint8 look;
  gint64 blob;
  GBytes *bytes;
} TsFetchItem;

/**
 * TsFetched: a node that was unpacked.
 * @item: what was asked for; @item.bytes is %NULL
 * @fold: (nullable): its buckets; %NULL: it cannot be read
 * @slices, @n_slices: (nullable): its slices
 */
typedef struct
{
  TsFetchItem item;
  TsFold *fold;
  TsSlice *slices;
  guint n_slices;
} TsFetched;

/**
 * TsNodeParts: what was unpacked of a node, and is of no use any more.
 * @folds: (nullable): its buckets, and those merged
 * @slices: (nullable): its slices
 */
typedef struct
{
  TsFold *folds[1 + TS_READER_MAX_DOUBLINGS];
  TsSlice *slices;
} TsNodeParts;

typedef struct _TsLaneFetcher TsLaneFetcher;

/* Called on the worker when a node has come that a picture waits for. */
typedef void (*TsFetchedFunc) (gpointer user_data);

TsLaneFetcher *_ts_lane_fetcher_new (TsNodeLoad load,
                                     gpointer load_data,
                                     TsFetchedFunc notify,
                                     gpointer notify_data);
void _ts_lane_fetcher_free (TsLaneFetcher *self);
void _ts_lane_fetcher_ask (TsLaneFetcher *self,
                           const TsFetchItem *items,
                           guint n_items);
void _ts_lane_fetcher_ask_first (TsLaneFetcher *self,
                                 guint look,
                                 const TsFetchItem *items,
                                 guint n_items);
gboolean _ts_lane_fetcher_is_idle (TsLaneFetcher *self);
GPtrArray *_ts_lane_fetcher_take (TsLaneFetcher *self);
void _ts_lane_fetcher_give_back (TsLaneFetcher *self,
                                 GPtrArray *taken,
                                 const TsNodeParts *parts,
                                 guint n_parts);
void _ts_node_parts_clear (TsNodeParts *self);

G_END_DECLS
