/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-timeline-private.h: what the tiers of `timeline` share. Private to the model. */
#pragma once

#include "ts-query-stream-private.h"

G_BEGIN_DECLS

/**
 * TsLaneCard: one lane of the timeline.
 * @code: T1, T2 ... over the whole recording
 * @lane: id of the lane
 */
typedef struct
{
  char code[16];
  guint32 lane;
  TsLaneKind kind;
  char *name;
  gboolean is_wanted;
} TsLaneCard;

/* The window in ticks. */
void _ts_timeline_get_window (TsQuery *query,
                              gint64 *begin,
                              gint64 *end);
gint64 _ts_timeline_running_ticks (TsQuery *query,
                                   const TsLaneCard *card,
                                   gint64 begin,
                                   gint64 end);
void _ts_timeline_write_legend (TsQueryStream *stream,
                                GArray *cards);
void _ts_timeline_write_head (TsJsonWriter *writer,
                              const TsLaneCard *card);

gboolean _ts_timeline_run_bucketed (TsQueryStream *stream,
                                    GArray *cards,
                                    GError **error);
gboolean _ts_timeline_run_raw (TsQueryStream *stream,
                               GArray *cards,
                               GError **error);

G_END_DECLS
