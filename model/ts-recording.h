/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording.h: reading a recording, closed or live.
 *
 * #TsRecording is what the window, the pictures, the queries and the exports read from. A live one
 * also sees what the writer has not committed yet. Opening never changes the file. One #TsRecording
 * is used by one thread at a time; open a second one for a worker (ts_recording_reopen()).
 */
#pragma once

#include <gio/gio.h>

#include "ts-event-sink.h"
#include "ts-lane.h"
#include "ts-model-error.h"
#include "ts-recording-writer.h"

G_BEGIN_DECLS

#define TS_TYPE_RECORDING (ts_recording_get_type ())
G_DECLARE_FINAL_TYPE (TsRecording, ts_recording, TS, RECORDING, GObject)

TsRecording *ts_recording_open (const char *path,
                                GError **error);
TsRecording *ts_recording_open_live (TsRecordingWriter *writer,
                                     GError **error);
TsRecording *ts_recording_reopen (TsRecording *self,
                                  GError **error);

/* What is there now. A live recording changes only inside ts_recording_refresh(), which returns
 * TRUE if anything did. */
gboolean ts_recording_refresh (TsRecording *self);
void ts_recording_trim (TsRecording *self,
                        gsize max_bytes);
void ts_recording_limit_cache (TsRecording *self,
                               gsize max_bytes);
gboolean ts_recording_is_live (TsRecording *self);
const char *ts_recording_get_path (TsRecording *self);
const char *ts_recording_get_id (TsRecording *self);
guint64 ts_recording_get_clock_hz (TsRecording *self);
gint64 ts_recording_get_duration (TsRecording *self);
guint64 ts_recording_get_n_events (TsRecording *self);
char *ts_recording_dup_meta (TsRecording *self,
                             const char *key);
char *ts_recording_dup_health (TsRecording *self,
                               const char *key);
char *ts_recording_dup_summary (TsRecording *self,
                                const char *key);

/* Time: ticks <-> microseconds, exact to rounding (128 bit inside). */
gint64 ts_recording_ticks_to_us (TsRecording *self,
                                 gint64 ticks);
gint64 ts_recording_ticks_to_ns (TsRecording *self,
                                 gint64 ticks);
gint64 ts_recording_us_to_ticks (TsRecording *self,
                                 gint64 us);

/* Objects, strings, lanes: arrays and strings borrowed until the next refresh. */
const TsObject *ts_recording_get_object (TsRecording *self,
                                         guint32 id);
guint ts_recording_get_n_objects (TsRecording *self);
const char *ts_recording_get_string (TsRecording *self,
                                     guint32 id);
const TsLaneInfo *ts_recording_get_lanes (TsRecording *self,
                                          guint *n_lanes);
const TsLaneInfo *ts_recording_get_lane (TsRecording *self,
                                         guint32 lane);

/**
 * TsLaneDetail:
 * @TS_LANE_DETAIL_FAILED: nothing could be read
 * @TS_LANE_DETAIL_SLICES: slices were few enough: the slice array is filled
 * @TS_LANE_DETAIL_COLUMNS: the column array is filled
 */
typedef enum
{
  TS_LANE_DETAIL_FAILED,
  TS_LANE_DETAIL_SLICES,
  TS_LANE_DETAIL_COLUMNS,
} TsLaneDetail;

TsLaneDetail ts_recording_query_lane (TsRecording *self,
                                      guint32 lane,
                                      gint64 begin,
                                      gint64 end,
                                      guint n_columns,
                                      TsColumn *columns,
                                      GArray *slices,
                                      gint64 deadline_us,
                                      gboolean *is_coarse);
gboolean ts_recording_find_slice (TsRecording *self,
                                  guint32 lane,
                                  gint64 time,
                                  gint64 tolerance,
                                  TsSlice *slice);
gboolean ts_recording_next_slice (TsRecording *self,
                                  guint32 lane,
                                  gint64 time,
                                  int direction,
                                  TsSlice *slice);

/**
 * TsLook:
 * @TS_LOOK_POINTER: what is under the pointer
 * @TS_LOOK_STEP: where to go next, and what is there
 * @TS_LOOK_EDGE: edges that cursors stick to
 *
 * Who looks at slices without waiting for the disk; each has one question at a time.
 */
typedef enum
{
  TS_LOOK_POINTER = 1,
  TS_LOOK_STEP,
  TS_LOOK_EDGE,
} TsLook;

/* Unpacking ahead, on a worker: for windows. */
typedef void (*TsRecordingFetched) (gpointer user_data);

void ts_recording_read_coarse (TsRecording *self);
guint64 ts_recording_get_n_reads (TsRecording *self);
void ts_recording_start_fetching (TsRecording *self,
                                  TsRecordingFetched notify,
                                  gpointer user_data);
void ts_recording_stop_fetching (TsRecording *self);
gboolean ts_recording_take_fetched (TsRecording *self);
void ts_recording_fetch_lane (TsRecording *self,
                              guint32 lane,
                              gint64 begin,
                              gint64 end,
                              guint n_columns);
void ts_recording_send_fetches (TsRecording *self);
void ts_recording_begin_look (TsRecording *self,
                              TsLook look);
gboolean ts_recording_end_look (TsRecording *self);
gboolean ts_recording_is_fetching (TsRecording *self);

/* Events by row. Row ids are 1 .. n_rows without holes, in time order; rows include host-made
 * events. */
guint64 ts_recording_get_n_rows (TsRecording *self);
guint64 ts_recording_get_n_listed_rows (TsRecording *self);
gboolean ts_recording_read_events (TsRecording *self,
                                   guint64 first_row,
                                   guint n,
                                   TsEvent *events,
                                   guint *n_read,
                                   GError **error);
GArray *ts_recording_list_kinds (TsRecording *self);
guint64 ts_recording_row_at_time (TsRecording *self,
                                  gint64 time);
char *ts_recording_describe_event (TsRecording *self,
                                   const TsEvent *event);
char *ts_recording_tell_event (TsRecording *self,
                               const TsEvent *event);

/* The file's tables by SQL, read-only; for ts-query.c and ts-export.c inside the model, not for ui.
 */
gpointer _ts_recording_get_db (TsRecording *self);

G_END_DECLS
