/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-private.h: the reader's own state, shared by the files that make it and by queries
 * and exports. */
#pragma once

#include "ts-lane-store-private.h"
#include "ts-recording-live.h"
#include "ts-recording-schema.h"
#include "ts-recording.h"

G_BEGIN_DECLS

/** Rows up to which lanes that the file does not hold are made in memory. */
#define TS_REBUILD_MAX_ROWS 4000000

/**
 * TsRebuilt:
 * @store: lanes
 * @events: (nullable): #TsEvent rows of a file that has no ts_events
 * @strings: (nullable): texts of @events, index = id - 1
 * @objects: (nullable): objects found while reading @events
 * @end_time: time of the last event
 * @is_sample: made from pieces only, for a first picture
 * @first_id: of a sample: number of the first row of va_events
 * @n_listed: rows from there to the last; 0: they cannot be found by number
 * @origin: what times of va_events count from
 * @kind_counts: (nullable) (element-type guint64): events by kind, where tables may not have all
 *
 * Lanes made in memory for a recording that was not closed or is not ours. Immutable once made;
 * shared by reopened readers.
 */
typedef struct
{
  TsLaneStore *store;
  GArray *events;
  GPtrArray *strings;
  GPtrArray *objects;
  gint64 end_time;
  gboolean is_sample;
  gint64 first_id;
  guint64 n_listed;
  gint64 origin;
  GArray *kind_counts;
} TsRebuilt;

/** Which tables a file has. */
typedef struct
{
  gboolean has_rows; /* ts_events and what belongs to it */
  gboolean has_view; /* va_events */
  gboolean has_task_stats;
  gboolean has_trace_stats;
  gboolean has_counts;
  gboolean has_lanes;
  gboolean has_blocks;
  gboolean has_comms;
  gboolean has_objects;
  gboolean has_summary;
  gboolean has_health;
} TsRecordingTables;

typedef struct _TsRecordingFetch TsRecordingFetch;

struct _TsRecording
{
  GObject parent_instance;

  char *path;
  char *id;
  TsReaderDb *rdb;
  TsLive *live; /* nullable */
  gboolean is_live;
  TsRecordingTables tables;
  guint64 clock_hz;
  gint64 duration;
  guint64 n_events;
  guint64 n_rows;
  guint64 live_serial;
  GHashTable *objects; /* id to TsObject */
  guint n_objects;     /* highest id */
  GHashTable *strings; /* id to text; a cache */
  GHashTable *keys;    /* nullable: "table.key" to value, all of them, where they do not change */
  TsLaneReader *lanes;
  TsRecordingFetch *fetch; /* nullable */
  TsRebuilt *rebuilt; /* nullable */
  gboolean needs_index; /* lanes are missing, or made from samples */
};

void _ts_recording_emit_fetched (TsRecording *self);

/* Locks the connection for a query. _ts_recording_end_read() after it, always. */
sqlite3 *_ts_recording_begin_read (TsRecording *self,
                                   gint64 limit_us,
                                   GCancellable *cancellable);
void _ts_recording_end_read (TsRecording *self);

TsRebuilt *_ts_recording_rebuild (TsRecording *self);
void _ts_rebuilt_adopt (TsRebuilt *self,
                        TsRecording *recording);
TsRebuilt *_ts_rebuilt_ref (TsRebuilt *self);
void _ts_rebuilt_unref (TsRebuilt *self);
void _ts_recording_read_object (sqlite3_stmt *stmt,
                                TsObject *object);

/* Reading small tables (ts-recording-load.c); the connection is locked by the caller. */
char *_ts_column_dup_text (sqlite3_stmt *stmt,
                           int column);
char *_ts_db_dup_key (sqlite3 *db,
                      const char *table,
                      const char *key);
gint64 _ts_db_get_key_int (sqlite3 *db,
                           const char *table,
                           const char *key,
                           gint64 fallback);
gint64 _ts_db_get_int (sqlite3 *db,
                       const char *sql,
                       gint64 fallback);
gboolean _ts_db_can_prepare (sqlite3 *db,
                             const char *sql);
void _ts_recording_keep_small (TsRecording *self);
void _ts_recording_find_tables (TsRecording *self,
                                sqlite3 *db);
gboolean _ts_recording_check_version (TsRecording *self,
                                      sqlite3 *db,
                                      GError **error);
gboolean _ts_is_idle_name (const char *name);
void _ts_recording_load_objects (TsRecording *self,
                                 sqlite3 *db);
GArray *_ts_recording_read_lanes (sqlite3 *db);
GArray *_ts_recording_read_nodes (sqlite3 *db);
gint64 _ts_recording_read_duration (TsRecording *self,
                                    sqlite3 *db);

G_END_DECLS
