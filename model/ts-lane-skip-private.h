/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-skip-private.h: the way through a lane past nodes that hold nothing of what is looked
 * for. */
#pragma once

#include "ts-lane-figures-private.h"
#include "ts-lane-reader-private.h"

G_BEGIN_DECLS

G_STATIC_ASSERT (TS_NODE_FANOUT == 4);

/**
 * TsNodeQuestion:
 * @may_lie: (nullable): whether a node lies where it matters
 * @may_hold: (nullable): whether slices as of @head matter
 */
typedef struct
{
  gboolean (*may_lie) (const TsNodeInfo *info,
                       gpointer user_data);
  gboolean (*may_hold) (const TsLaneHead *head,
                        gpointer user_data);
  gpointer user_data;
} TsNodeQuestion;

/* Parts of a lane: its nodes, the slices that are in none yet, and those that have not ended. */
static inline guint
_ts_lane_n_runs (const TsReaderLane *lane)
{
  return _ts_reader_lane_n_nodes (lane, 0) + 2;
}

gboolean _ts_lane_read_head (TsLaneReader *reader,
                             TsReaderNode *node,
                             TsLaneHead *head);
guint _ts_lane_copy_run (TsLaneReader *reader,
                         const TsReaderLane *lane,
                         guint run,
                         TsSlice *slices);
guint _ts_lane_find_run (TsLaneReader *reader,
                         const TsReaderLane *lane,
                         guint run,
                         int direction,
                         const TsNodeQuestion *question);

G_END_DECLS
