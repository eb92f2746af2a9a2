/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-poll-merge-private.h: puts values that the host polled between the events that the target sent,
 * on the target's clock; inside capture only.
 *
 * The target's bytes arrive later than they were written, never earlier: the shortest way that was
 * seen of late ties the host's clock to the target's. A polled value waits until an event of a later
 * time has come, or for a moment if none comes; its time is marked as estimated.
 */
#pragma once

#include "model/ts-event-sink.h"

G_BEGIN_DECLS

typedef struct _TsPollMerge TsPollMerge;

TsPollMerge *_ts_poll_merge_new (TsEventSink *out);
void _ts_poll_merge_free (TsPollMerge *self);
TsEventSink *_ts_poll_merge_get_target_sink (TsPollMerge *self);
TsEventSink *_ts_poll_merge_get_polled_sink (TsPollMerge *self);
void _ts_poll_merge_arrived (TsPollMerge *self,
                             gint64 host_us);
void _ts_poll_merge_settle (TsPollMerge *self,
                            gint64 host_us);
void _ts_poll_merge_flush (TsPollMerge *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPollMerge, _ts_poll_merge_free)

G_END_DECLS
