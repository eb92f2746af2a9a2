/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-live-private.h: what the lane store shows to live readers.
 *
 * The writer fills chunks and seals nodes on its own; ts_lane_store_publish() then copies a few
 * numbers and pointers of each changed lane under the store's lock, and a reader copies them out
 * again. Slices are never copied: entries of a chunk below the published number are never written
 * again, and a chunk lives as long as anyone refers to it.
 */
#pragma once

#include "ts-lane-node-private.h"

G_BEGIN_DECLS

/**
 * TsLaneChunk: slices of a node that is not sealed yet.
 * @slices: @capacity entries; those below a published number are immutable
 */
typedef struct
{
  gint ref_count; /* atomic */
  guint capacity;
  TsSlice slices[];
} TsLaneChunk;

TsLaneChunk *_ts_lane_chunk_new (guint capacity);
TsLaneChunk *_ts_lane_chunk_ref (TsLaneChunk *self);
void _ts_lane_chunk_unref (TsLaneChunk *self);

/**
 * TsStoredNode: a sealed node. Lives as long as its store; @info.blob and @bytes are protected by
 * the store's lock.
 */
typedef struct
{
  TsNodeInfo info;
  GBytes *bytes; /* (nullable): the blob, until storage has it for good */
  GBytes *figures; /* (nullable): the same of its figures */
  GBytes *sections; /* (nullable): and of its sections */
} TsStoredNode;

/**
 * TsLaneTail: the published state of one lane; protected by the store's lock.
 * @generation: of the publication that changed it last
 * @n_nodes: sealed nodes per level that readers may see
 * @chunk, @n_chunk: (nullable): open slices
 * @extra: buckets of the open node that do not follow from its slices (INTERRUPTED; counts of the
 *   density lane)
 * @extra_begin, @extra_end: where those lie
 * @open: (nullable): slices that have begun
 */
typedef struct
{
  guint64 generation;
  TsLaneInfo info;
  guint32 n_nodes[TS_NODE_MAX_LEVEL + 1];
  TsLaneChunk *chunk;
  guint n_chunk;
  TsFold extra;
  gint64 extra_begin;
  gint64 extra_end;
  TsSlice *open;
  guint n_open;
} TsLaneTail;

/**
 * TsLaneVisitor:
 * @tail: a lane that changed, under the store's lock: copy and return
 * @nodes: (array): per level the array of nodes; entries below @tail->n_nodes are valid
 */
typedef void (*TsLaneVisitor) (const TsLaneTail *tail,
                               TsStoredNode *const *const *nodes,
                               gpointer user_data);

guint64 _ts_lane_store_visit (TsLaneStore *self,
                              guint64 since_generation,
                              gint64 *end_time,
                              TsLaneVisitor visitor,
                              gpointer user_data);
GBytes *_ts_lane_store_ref_bytes (TsLaneStore *self,
                                  const TsStoredNode *node,
                                  gint64 *blob);
GBytes *_ts_lane_store_ref_figures (TsLaneStore *self,
                                    const TsStoredNode *node,
                                    gint64 *blob);
GBytes *_ts_lane_store_ref_sections (TsLaneStore *self,
                                     const TsStoredNode *node,
                                     gint64 *blob);

G_END_DECLS
