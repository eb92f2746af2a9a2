/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-capture-session.h: one capture from start to stop.
 *
 * Owns the I/O thread (source), the buffer ring and the decode thread (decoder, writer). The object
 * lives on the thread that created it (main); its signals and property notifications are delivered
 * in that thread's default main context, at most 20 times a second. After the state has become
 * stopped or failed nothing more is emitted and the recording is complete on disk.
 */
#pragma once

#include "model/ts-names.h"
#include "model/ts-recording.h"

#include "ts-buffer-ring.h"
#include "ts-connection.h"
#include "ts-trigger.h"

G_BEGIN_DECLS

/**
 * TsCaptureState:
 *
 * idle -> connecting -> capturing -> stopping -> stopped, or failed (with a reason) from any of
 * them. "failed" also keeps what was captured; only a capture without one event leaves no file, and
 * is failed with %TS_CAPTURE_ERROR_EMPTY.
 */
typedef enum
{
  TS_CAPTURE_IDLE,
  TS_CAPTURE_CONNECTING,
  TS_CAPTURE_CAPTURING,
  TS_CAPTURE_STOPPING,
  TS_CAPTURE_STOPPED,
  TS_CAPTURE_FAILED,
} TsCaptureState;

/**
 * TsCaptureOptions:
 * @output: path of the recording
 * @ring_mode: linear (a full ring drops what arrives) or overwrite (it drops the oldest that is not
 * decoded yet: of a burst that is too much, the end is kept). Both decode while capturing. A
 * trigger that freezes the ring would be a further mode, appended here.
 * @high_water_percent: 0: default of the mode (70 linear, 90 overwrite)
 * @ring_bytes: 0: default (16 MiB)
 * @keep_raw_log: keep raw bytes in the recording
 * @duration_ms: stop by itself after this time from the first state capturing; 0: never
 * @names: (nullable): names that the target does not send; a reference is taken, and watches of
 * the connection are entered
 */
typedef struct
{
  const char *output;
  TsRingMode ring_mode;
  guint high_water_percent;
  gsize ring_bytes;
  gboolean keep_raw_log;
  gint64 duration_ms;
  TsNames *names;
} TsCaptureOptions;

/**
 * TsCaptureStats:
 *
 * Snapshot of the figures of a capture: @events are those that are recorded, or held until a trigger
 * fires; @trigger_held_us is how much of the @trigger_wanted_us before the trigger is held, or of
 * those after it recorded; all also exist as read-only properties of the same names
 * (kebab case). Rates are those of the last half second; when the capture has ended, those of the
 * whole.
 */
typedef struct
{
  guint64 bytes;
  guint64 events;
  double bytes_per_s;
  double events_per_s;
  double fill;             /* share of the ring in use, 0 to 1 */
  double high_water;       /* largest share so far */
  guint64 ring_overruns;
  guint64 ring_dropped_bytes;
  gint64 lost_events;      /* -1 unknown */
  guint64 corrupt_bytes;
  gint64 elapsed_us;
  guint64 reconnects;
  TsTriggerState trigger_state;
  guint64 trigger_fired;
  gint64 trigger_held_us;
  gint64 trigger_wanted_us;
} TsCaptureStats;

#define TS_TYPE_CAPTURE_SESSION (ts_capture_session_get_type ())
G_DECLARE_FINAL_TYPE (TsCaptureSession, ts_capture_session, TS, CAPTURE_SESSION, GObject)

/* Properties: "state" (int), "message" (string: what is going on, or why it failed), and those of
 * TsCaptureStats. Signals: "data" (new events were published: refresh the recording; at most once
 * per 16 ms), "ended". */
TsCaptureSession *ts_capture_session_new (TsConnection *connection,
                                          const TsCaptureOptions *options);
gboolean ts_capture_session_start (TsCaptureSession *self,
                                   GError **error);
void ts_capture_session_stop (TsCaptureSession *self);
TsCaptureState ts_capture_session_get_state (TsCaptureSession *self);
const char *ts_capture_session_get_message (TsCaptureSession *self);
const GError *ts_capture_session_get_error (TsCaptureSession *self);
char *ts_capture_session_dup_description (TsCaptureSession *self);
void ts_capture_session_get_stats (TsCaptureSession *self,
                                   TsCaptureStats *stats);
TsRecording *ts_capture_session_dup_recording (TsCaptureSession *self,
                                               GError **error);
gboolean ts_capture_session_get_summary (TsCaptureSession *self,
                                         TsRecordingSummary *summary);

/* The same way of the data without threads: bytes of files to a recording, as fast as it goes. */
typedef void (*TsImportProgress) (double fraction,
                                  gpointer user_data);
gboolean ts_import_files (const char * const *paths,
                          const char *format,
                          guint64 clock_hz,
                          gboolean keep_raw_log,
                          const char *output,
                          TsImportProgress progress,
                          gpointer user_data,
                          GCancellable *cancellable,
                          TsRecordingSummary *summary,
                          char **used_format,
                          GError **error);
/* The same with names that the target does not send. */
gboolean ts_import_files_with_names (const char * const *paths,
                                     const char *format,
                                     guint64 clock_hz,
                                     gboolean keep_raw_log,
                                     TsNames *names,
                                     const char *output,
                                     TsImportProgress progress,
                                     gpointer user_data,
                                     GCancellable *cancellable,
                                     TsRecordingSummary *summary,
                                     char **used_format,
                                     GError **error);
/* The captures of a trace run, each a recording of its own. */
char **ts_import_list_captures (const char *path);
/* Demo target as fast as it goes: at least @n_events events. */
gboolean ts_import_demo (guint64 n_events,
                         guint32 seed,
                         guint rate,
                         const char *output,
                         TsImportProgress progress,
                         gpointer user_data,
                         GCancellable *cancellable,
                         TsRecordingSummary *summary,
                         GError **error);

G_END_DECLS
