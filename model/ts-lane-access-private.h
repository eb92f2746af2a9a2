/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-access-private.h: slices and figures of nodes for a walk that does not come back, past
 * the reader's cache: in memory of its own and, on other threads than the reader's, through a
 * connection of its own.
 */
#pragma once

#include "ts-lane-books-private.h"
#include "ts-lane-reader-private.h"
#include "ts-recording-private.h"

G_BEGIN_DECLS

/**
 * TsLaneAccess:
 * @reader: the directory of nodes; it does not change meanwhile
 * @rdb: (nullable): where bytes come from; else from where the reader gets them
 * @node, @slices, @n_slices: what was unpacked last
 * @books: the chapters that figures came from last
 * @bytes, @stream_node: (nullable): what @stream is in, and the node it is of
 */
typedef struct
{
  TsLaneReader *reader;
  TsReaderDb *rdb;
  TsReaderNode *node;
  TsSlice *slices;
  guint n_slices;
  TsBook books[TS_BOOK_PARTS];
  GBytes *bytes;
  TsReaderNode *stream_node;
  TsSliceStream stream;
} TsLaneAccess;

TsLaneAccess *_ts_lane_access_new (TsRecording *recording,
                                   gboolean is_apart);
void _ts_lane_access_free (TsLaneAccess *self);
GBytes *_ts_lane_access_dup_figures (TsLaneAccess *self,
                                     TsReaderNode *node);
GBytes *_ts_lane_access_dup_sections (TsLaneAccess *self,
                                      TsReaderNode *node);
const TsSlice *_ts_lane_access_read_slices (TsLaneAccess *self,
                                            TsReaderNode *node,
                                            guint *n_slices);
TsSliceStream *_ts_lane_access_begin_slices (TsLaneAccess *self,
                                             TsReaderNode *node);
TsSliceStream *_ts_lane_access_begin_section (TsLaneAccess *self,
                                              TsReaderNode *node,
                                              const TsNodeSections *sections,
                                              guint section);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsLaneAccess, _ts_lane_access_free)

G_END_DECLS
