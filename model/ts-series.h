/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-series.h: figures over time, as points: load, rates, stacks, heaps, durations. */
#pragma once

#include "ts-recording.h"
#include "ts-statistics.h"

G_BEGIN_DECLS

/**
 * TsPoint:
 * @time: tick
 * @value: in the unit of the series
 */
typedef struct
{
  gint64 time;
  double value;
} TsPoint;

/**
 * TsEndpoint:
 * @TS_ENDPOINT_TASK: each time the task, interrupt or span begins to run
 * @TS_ENDPOINT_TRACE: each sample of the channel
 * @TS_ENDPOINT_GIVE: each successful give, send or set of the object
 * @TS_ENDPOINT_TAKE: each successful take, receive or wait of the object
 */
typedef enum
{
  TS_ENDPOINT_TASK,
  TS_ENDPOINT_TRACE,
  TS_ENDPOINT_GIVE,
  TS_ENDPOINT_TAKE,
} TsEndpoint;

/* All but the stacks return a (transfer full) (element-type TsPoint) array in order of time. */
GArray *ts_series_load (TsRecording *recording,
                        guint32 lane,
                        gint64 begin,
                        gint64 end,
                        guint n_buckets);
GArray *ts_series_event_rate (TsRecording *recording,
                              gint64 begin,
                              gint64 end,
                              guint n_buckets);
GArray *ts_series_values (TsRecording *recording,
                          guint32 lane,
                          gint64 begin,
                          gint64 end);
GHashTable *ts_series_stacks (TsRecording *recording,
                              gint64 begin,
                              gint64 end,
                              GCancellable *cancellable,
                              GError **error);
GArray *ts_series_measure (TsRecording *recording,
                           guint32 lane,
                           TsMeasure measure,
                           gint64 begin,
                           gint64 end);
GArray *ts_series_interval (TsRecording *recording,
                            guint32 from,
                            TsEndpoint from_kind,
                            guint32 to,
                            TsEndpoint to_kind,
                            gint64 begin,
                            gint64 end);
gboolean ts_series_thin_out (GArray *points,
                             guint max_points);

G_END_DECLS
