/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-pipeline-private.h: the one way of the data: bytes through a decoder into a recording, with
 * the counters in its table `health`.
 *
 * A live capture and the import of a file both end here. Owned by the thread that created it;
 * inside capture only.
 */
#pragma once

#include "decode/ts-decoder.h"
#include "model/ts-names.h"
#include "model/ts-recording-writer.h"

#include "ts-buffer-ring.h"
#include "ts-connection.h"
#include "ts-trigger-private.h"

G_BEGIN_DECLS

/**
 * TsPipelineOptions:
 * @output: path of the recording
 * @format: decoder format
 * @clock_hz: ticks per second where the stream does not say, 0: not given
 * @keep_raw_log: keep raw bytes in the recording
 * @capture_source: transport, for `meta.capture_source`
 * @live: publish the tail to live readers
 * @trigger: (nullable): what to wait for; borrowed for the call
 * @has_polled: the bytes of sender %TS_SOURCE_ID_POLLED are polled values beside the others
 * @names: (nullable): names that the target does not send
 * @hardware_trace: (nullable): JSON text for `meta.hardware_trace`
 */
typedef struct
{
  const char *output;
  const char *format;
  guint64 clock_hz;
  gboolean keep_raw_log;
  const char *capture_source;
  gboolean live;
  const TsTriggerOptions *trigger;
  gboolean has_polled;
  TsNames *names;
  const char *hardware_trace;
} TsPipelineOptions;

typedef struct _TsPipeline TsPipeline;

TsPipeline *_ts_pipeline_new (const TsPipelineOptions *options,
                              GError **error);
void _ts_pipeline_free (TsPipeline *self);
void _ts_pipeline_push (TsPipeline *self,
                        guint32 source,
                        gint64 host_us,
                        const guint8 *bytes,
                        gsize n_bytes);
void _ts_pipeline_mark_loss (TsPipeline *self,
                             guint32 source,
                             guint64 n_bytes);
void _ts_pipeline_idle (TsPipeline *self);
void _ts_pipeline_set_ring (TsPipeline *self,
                            const TsRingCounters *counters);
void _ts_pipeline_set_health (TsPipeline *self,
                              const char *key,
                              guint64 value);
gboolean _ts_pipeline_tick (TsPipeline *self,
                            gboolean force,
                            GError **error);
gboolean _ts_pipeline_close (TsPipeline *self,
                             const char *end_reason,
                             TsRecordingSummary *summary,
                             GError **error);
void _ts_pipeline_discard (TsPipeline *self);
GError *_ts_pipeline_keep_older (TsPipeline *self,
                                 GError *error);
gboolean _ts_pipeline_is_hopeless (TsPipeline *self);
const TsDecodeCounters *_ts_pipeline_get_counters (TsPipeline *self);
const char *_ts_pipeline_get_format (TsPipeline *self);
guint64 _ts_pipeline_get_n_events (TsPipeline *self);
void _ts_pipeline_get_trigger (TsPipeline *self,
                               TsTriggerFigures *figures);
TsRecordingWriter *_ts_pipeline_get_writer (TsPipeline *self);

gboolean _ts_capture_is_same_file (const char *a,
                                   const char *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPipeline, _ts_pipeline_free)

G_END_DECLS
