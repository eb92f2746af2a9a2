/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-writer.h: the one writer of a recording.
 *
 * Takes events through its sink, keeps objects, statistics, lanes (slices and buckets) and the raw
 * log, and writes the public
 * `.vadb` tables (viewalyzer-host.md section 1, events.md). WAL while recording, a commit every 250
 * ms or 64k events, back to a rollback journal without side files when closed. Everything but the
 * live reader's view is owned by the thread that created it.
 */
#pragma once

#include <gio/gio.h>

#include "ts-event-sink.h"
#include "ts-model-error.h"

G_BEGIN_DECLS

/**
 * TsWriterOptions:
 * @keep_raw_log: store pushed raw bytes in `raw_log`
 * @raw_format: (nullable): format of the raw bytes as `decode --format` names it
 * (`meta.ts_raw_format`)
 * @capture_source: (nullable): `meta.capture_source`: the transport, or "file"
 * @live: publish the uncommitted tail for ts_recording_open_live()
 * @is_all_or_nothing: the caller removes a file that is not whole: failures do not tell what is kept
 * @shown_path: (nullable): the path that messages name, of a file that will be renamed to it
 */
typedef struct
{
  gboolean keep_raw_log;
  const char *raw_format;
  const char *capture_source;
  gboolean live;
  gboolean is_all_or_nothing;
  const char *shown_path;
} TsWriterOptions;

/**
 * TsRecordingSummary:
 *
 * The figures of the `summary` object that `decode`, `demo` and `capture` print. Strings are owned
 * (ts_recording_summary_clear()).
 * @lost_events, @seq_gaps: -1 when the stream has no sequence bytes.
 */
typedef struct
{
  guint64 events;
  gint64 lost_events;
  gint64 seq_gaps;
  guint64 corrupt_bytes;
  gint64 duration_us;
  guint64 cpu_hz;
  guint64 raw_bytes;
  char *os;
} TsRecordingSummary;

typedef struct _TsRecordingWriter TsRecordingWriter;

TsRecordingWriter *
ts_recording_writer_new (const char *path,
                         const TsWriterOptions *options,
                         GError **error);
void ts_recording_writer_free (TsRecordingWriter *self);
TsEventSink *ts_recording_writer_get_sink (TsRecordingWriter *self);
const char *ts_recording_writer_get_path (TsRecordingWriter *self);
void ts_recording_writer_push_raw (TsRecordingWriter *self,
                                   gint64 host_us,
                                   guint32 source,
                                   const guint8 *bytes,
                                   gsize n_bytes);
void ts_recording_writer_set_meta (TsRecordingWriter *self,
                                   const char *key,
                                   const char *value);
void ts_recording_writer_set_health (TsRecordingWriter *self,
                                     const char *key,
                                     const char *value);
gboolean ts_recording_writer_tick (TsRecordingWriter *self,
                                   gboolean force,
                                   GError **error);
gboolean
ts_recording_writer_close (TsRecordingWriter *self,
                           const char *end_reason,
                           GError **error);
void ts_recording_writer_discard (TsRecordingWriter *self);
const char *ts_recording_writer_keep_older (TsRecordingWriter *self);
guint64 ts_recording_writer_get_n_events (TsRecordingWriter *self);
void ts_recording_writer_get_summary (TsRecordingWriter *self,
                                      TsRecordingSummary *summary);
void ts_recording_summary_clear (TsRecordingSummary *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsRecordingWriter, ts_recording_writer_free)

G_END_DECLS
