/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-store-private.h: the timeline pyramid: slices and buckets of every lane, while writing
 * and while reading.
 *
 * Each lane is a tree of nodes. A node of level 0 holds up to TS_NODE_SLICES slices (delta-coded
 * blob) and up to TS_NODE_BUCKETS buckets of one power-of-two width that lie on absolute
 * multiples of that width; a node of level n holds the merged buckets of up to TS_NODE_FANOUT
 * nodes of level n-1. The bucket width adapts: when a node's time outgrows its buckets,
 * neighbours are merged and the width doubles, so a node is as fine as its density allows.
 * Drawing at w ticks per pixel reads the highest nodes whose width is <= w.
 *
 * Buckets of level 0 that follow from its slices are not stored but made again when the node is
 * read. A fan-out of 4 bounds what one screen reads: between one and four buckets a pixel column,
 * whatever the zoom, for 1/12 of a bucket stored per slice.
 *
 * No SQL here: sealed nodes are handed to the recording writer to be stored, and loaded back
 * through a function.
 */
#pragma once

#include "ts-lane.h"
#include "ts-model-error.h"

G_BEGIN_DECLS

#define TS_NODE_SLICES 4096
#define TS_NODE_BUCKETS 1024
#define TS_NODE_FANOUT 4
#define TS_NODE_MAX_LEVEL 12
/** Counts after which a node of a lane without slices (density) is sealed. */
#define TS_NODE_COUNTS 65536

/**
 * TsNodeInfo: directory entry of one sealed node (a row of the node table).
 * @lane, @level, @seq: key; seq counts 0, 1, 2 ... per lane and level, in order of time
 * @begin, @end: earliest begin and latest end of what it holds (child nodes included)
 * @n_slices: slices in it (children included)
 * @width_log2: bucket width = 1 << width_log2 ticks
 * @blob: key of the blob in storage, given by the storage (0: not stored yet)
 */
typedef struct
{
  guint32 lane;
  guint32 seq;
  guint8 level;
  guint8 width_log2;
  guint16 reserved;
  guint64 n_slices;
  gint64 begin;
  gint64 end;
  gint64 blob;
} TsNodeInfo;

typedef struct _TsLaneStore TsLaneStore;

/* ---- writing side: thread of the writer ---- */
TsLaneStore *ts_lane_store_new (void);
TsLaneStore *ts_lane_store_ref (TsLaneStore *self);   /* shared with live readers; atomic */
void ts_lane_store_unref (TsLaneStore *self);
void ts_lane_store_define_lane (TsLaneStore *self,
                                const TsLaneInfo *info); /* new or changed name/priority; copied */
void ts_lane_store_add_slice (TsLaneStore *self,
                              guint32 lane,
                              const TsSlice *slice);        /* in order of end */
void ts_lane_store_add_ticks (TsLaneStore *self,
                              guint32 lane,
                              TsLaneState state,
                              gint64 begin,
                              gint64 end);                  /* buckets only: TS_STATE_INTERRUPTED */
void ts_lane_store_add_count (TsLaneStore *self,
                              guint32 lane,
                              gint64 time);                 /* density lane: one event */
/* The slice of a lane that has begun but not ended (tracker's view), shown by live readers up to
 * the live end; NULL: none. */
void ts_lane_store_set_open (TsLaneStore *self,
                             guint32 lane,
                             const TsSlice *open);
/* As set_open() for lanes that may have several (nested spans; a wait whose cause is not known
 * yet before what runs now), ordered by begin; at most TS_LANE_MAX_OPEN are kept. An end of
 * G_MAXINT64: not known. */
#define TS_LANE_MAX_OPEN 8
void ts_lane_store_set_open_slices (TsLaneStore *self,
                                    guint32 lane,
                                    const TsSlice *open,
                                    guint n_open);
/* All lanes defined so far, with the number of slices added; borrowed until the next call that
 * changes the store. */
const TsLaneInfo *ts_lane_store_get_lanes (TsLaneStore *self,
                                           guint *n_lanes);
/* Makes all that was added visible to live readers, with the live end of time. Cheap; called at
 * most every few ms. */
void ts_lane_store_publish (TsLaneStore *self,
                            gint64 end_time);
/* Sealed nodes not stored yet, in the order they were sealed; encoded blob = slices + buckets. */
gboolean ts_lane_store_next_unsaved (TsLaneStore *self,
                                     TsNodeInfo *info,
                                     GBytes **blob);
/* Figures of a node just taken, to be stored under its blob's key; NULL where it has none. */
GBytes *ts_lane_store_dup_figures (TsLaneStore *self,
                                   const TsNodeInfo *info);
/* Sections of it, in the same way. */
GBytes *ts_lane_store_dup_sections (TsLaneStore *self,
                                    const TsNodeInfo *info);
/* The object is a lock: waiting for it ends no activation. */
void ts_lane_store_set_lock (TsLaneStore *self,
                             guint32 object,
                             gboolean is_lock);
/* Events were lost from here on: no period goes across it. */
void ts_lane_store_add_loss (TsLaneStore *self,
                             gint64 begin);
/* Ticks per second. */
void ts_lane_store_set_clock (TsLaneStore *self,
                              guint64 hz);
void ts_lane_store_set_blob (TsLaneStore *self,
                             const TsNodeInfo *info,
                             gint64 blob); /* storage key of the node just written */
/* All blobs set so far are durable: memory copies may go. */
void ts_lane_store_committed (TsLaneStore *self);
/* Seals every open node (closing); next_unsaved() then yields the rest. Nothing may be added
 * afterwards. */
void ts_lane_store_seal_all (TsLaneStore *self);
/* The same for some lanes; FALSE when all are done. */
gboolean ts_lane_store_seal_some (TsLaneStore *self);

/* ---- reading side: any one thread per reader ---- */
typedef struct _TsLaneReader TsLaneReader;

typedef GBytes *(*TsNodeLoad) (gint64 blob,
                               gpointer user_data);         /* NULL when it cannot be read */

/* From a closed recording: lanes and directory as stored (copied). */
TsLaneReader *ts_lane_reader_new (const TsLaneInfo *lanes,
                                  guint n_lanes,
                                  const TsNodeInfo *nodes,
                                  gsize n_nodes,
                                  gint64 end_time,
                                  TsNodeLoad load,
                                  gpointer user_data);
/* How figures of nodes are read; without it there are none. */
void ts_lane_reader_set_load_figures (TsLaneReader *self,
                                      TsNodeLoad load);
/* How their sections are read; the same. */
void ts_lane_reader_set_load_sections (TsLaneReader *self,
                                       TsNodeLoad load);
/* How figures of many nodes are read, by _ts_book_get_key(). */
void ts_lane_reader_set_load_book (TsLaneReader *self,
                                   TsNodeLoad load);
/* From a store that is still being written; sees what was published at the last sync. */
TsLaneReader *ts_lane_reader_new_live (TsLaneStore *store,
                                       TsNodeLoad load,
                                       gpointer user_data);
void ts_lane_reader_free (TsLaneReader *self);
gboolean ts_lane_reader_sync (TsLaneReader *self); /* TRUE if something new was published */
gint64 ts_lane_reader_get_end (TsLaneReader *self);
const TsLaneInfo *ts_lane_reader_get_lanes (TsLaneReader *self,
                                            guint *n_lanes);
const TsLaneInfo *ts_lane_reader_get_lane (TsLaneReader *self,
                                           guint32 lane);
/* Semantics of the three: see ts_recording_query_lane(), _find_slice(), _next_slice(). */
int ts_lane_reader_query (TsLaneReader *self,
                          guint32 lane,
                          gint64 begin,
                          gint64 end,
                          guint n_columns,
                          TsColumn *columns,
                          GArray *slices,
                          gint64 deadline_us,
                          gboolean *is_coarse);
gboolean ts_lane_reader_find (TsLaneReader *self,
                              guint32 lane,
                              gint64 time,
                              gint64 tolerance,
                              TsSlice *slice);
gboolean ts_lane_reader_next (TsLaneReader *self,
                              guint32 lane,
                              gint64 time,
                              int direction,
                              TsSlice *slice);

G_END_DECLS
