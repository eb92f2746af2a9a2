/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-slice-feed.h: the slices of a recording that is still being made, as they are completed. */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

typedef struct _TsSliceFeed TsSliceFeed;

/**
 * TsFedSlice:
 * @lane: id of its lane
 * @slice: a completed slice
 */
typedef struct
{
  guint32 lane;
  TsSlice slice;
} TsFedSlice;

TsSliceFeed *ts_slice_feed_new (guint kinds);
void ts_slice_feed_free (TsSliceFeed *self);
void ts_slice_feed_read (TsSliceFeed *self,
                         TsRecording *recording,
                         guint max_slices,
                         GArray *slices);

/** Tasks, interrupts, spans and schedulers. */
#define TS_SLICE_FEED_RUNNING \
  (1u << TS_LANE_TASK | 1u << TS_LANE_ISR | 1u << TS_LANE_SPAN | 1u << TS_LANE_RTOS)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSliceFeed, ts_slice_feed_free)

G_END_DECLS
