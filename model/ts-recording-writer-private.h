/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-writer-private.h: the writer's own state, shared by the files that make it. Private
 * to the model. */
#pragma once

#include "ts-recording-live.h"
#include "ts-recording-schema.h"
#include "ts-recording-writer.h"
#include "ts-row-blocks-private.h"
#include "ts-tracker-private.h"

G_BEGIN_DECLS

/** Events gathered before one INSERT. */
#define TS_WRITER_BATCH 2048
/** Kinds that have counters of their own. */
#define TS_WRITER_N_KINDS 0x400

/**
 * TsKeyTable:
 * @name: name of the table
 * @values: key to value
 * @dirty: keys whose row is not up to date
 *
 * A key/value table (meta, health, va_summary) kept in memory; only changed rows are written.
 */
typedef struct
{
  const char *name;
  GHashTable *values;
  GHashTable *dirty;
} TsKeyTable;

void _ts_key_table_init (TsKeyTable *self,
                         const char *name);
void _ts_key_table_clear (TsKeyTable *self);
void _ts_key_table_set (TsKeyTable *self,
                        const char *key,
                        const char *value);
void _ts_key_table_set_uint (TsKeyTable *self,
                             const char *key,
                             guint64 value);
void _ts_key_table_set_double (TsKeyTable *self,
                               const char *key,
                               double value);
const char *_ts_key_table_get (TsKeyTable *self,
                               const char *key);
gint64 _ts_key_table_get_int (TsKeyTable *self,
                              const char *key,
                              gint64 fallback);
int _ts_key_table_write (TsKeyTable *self,
                         sqlite3 *db);

/**
 * TsThroughput: bytes per second of recording time, whole and in the fullest second.
 */
typedef struct
{
  guint64 total;
  gint64 second;
  guint64 in_second;
  guint64 peak;
} TsThroughput;

/**
 * TsReserve:
 * @fd: the database file, -1 none
 * @end: first byte behind the reserved blocks; 0 none
 * @is_unable: the file system cannot reserve
 * @is_tight: the disk had less than was asked for: commit little at a time
 */
typedef struct
{
  int fd;
  gint64 end;
  gboolean is_unable;
  gboolean is_tight;
} TsReserve;

void _ts_reserve_open (TsReserve *self,
                       const char *path);
gboolean _ts_reserve_advance (TsReserve *self,
                              gint64 needed_bytes);
void _ts_reserve_close (TsReserve *self);

/**
 * TsHold:
 * @events: (nullable) (element-type TsEvent): what waits
 * @unknown: (nullable): tasks that were seen and whose name or priority is not known yet: ids, to
 *   whether they have no name
 * @n_unnamed: of those, how many have no name
 * @n_named_at: how many events waited when the last of them got one
 * @begin: time of the first that waits
 * @begin_us: monotonic time at which it came
 * @is_over: nothing waits any more
 *
 * See _ts_writer_track().
 */
typedef struct
{
  GArray *events;
  GHashTable *unknown;
  guint n_unnamed;
  guint n_named_at;
  gint64 begin;
  gint64 begin_us;
  gboolean is_over;
} TsHold;

gboolean _ts_hold_is_waiting (const TsHold *self);
void _ts_hold_clear (TsHold *self);

struct _TsRecordingWriter
{
  TsEventSink sink;
  char *path;
  char *display_name;
  char *older;          /* nullable: where the recording is that had this name before */
  gboolean keeps_older; /* it stays there, even if this one is whole */
  TsWriterOptions options; /* strings not kept */
  sqlite3 *db;
  sqlite3_stmt *insert_events;
  sqlite3_stmt *insert_string;
  sqlite3_stmt *insert_raw;
  sqlite3_stmt *insert_blob;
  sqlite3_stmt *insert_node;
  sqlite3_stmt *insert_row_block;
  sqlite3_stmt *insert_figures;
  sqlite3_stmt *insert_sections;
  sqlite3_stmt *upsert_object;
  GError *error;    /* sticky */
  gboolean is_full; /* @error is set, but all until then is committed and can be finished */
  guint64 device; /* which file it is: its name may come to mean another */
  guint64 inode;
  TsReserve reserve;
  int wal_frames;  /* in the WAL, as of the last commit */
  int wal_moved;   /* of those, already in the file */
  int wal_largest; /* frames of the largest commit */
  gboolean in_transaction;
  gboolean is_finishing; /* closing; the last commit must try whatever the space */
  gboolean is_closed;

  TsLaneStore *store;
  TsTracker *tracker;
  TsHold hold;
  TsLive *live; /* nullable */

  TsFeed feed;
  TsEvent *pending;
  guint n_pending;
  guint64 n_uncommitted;
  guint64 n_rows;   /* all rows, stored or pending */
  guint64 n_events; /* counted */
  guint64 n_rows_committed;
  guint64 n_events_committed;
  gint64 last_time;
  gint64 last_time_committed;
  gboolean has_capture_end;
  guint64 clock_hz;
  gint64 committed_at_us;
  gint64 tables_at_us;
  gint64 tables_took_us;
  gint64 published_at_us;

  guint64 *kind_counts;  /* [TS_WRITER_N_KINDS * 3]: no side, start, end */
  GArray *object_counts; /* guint64 per object id */
  TsRowCounter *row_counter;
  GQueue row_blocks;         /* GBytes: full blocks that are not stored yet */
  guint64 n_row_blocks;      /* stored */
  GPtrArray *objects;    /* TsObject, index = id - 1 */
  GArray *dirty_objects; /* ids to be written */
  GByteArray *object_is_dirty;
  GHashTable *strings; /* text to id: recent texts only */
  guint32 n_strings;

  GByteArray *raw;
  gint64 raw_host_us;
  guint32 raw_source;
  TsThroughput throughput;

  TsKeyTable meta;
  TsKeyTable health;
  TsKeyTable summary;
};

void _ts_writer_count_events (TsRecordingWriter *self,
                              const TsEvent *events,
                              gsize n_events);
void _ts_writer_track (TsRecordingWriter *self,
                       const TsEvent *events,
                       gsize n_events);
void _ts_writer_note_known (TsRecordingWriter *self,
                            const TsObject *object);
void _ts_writer_end_hold (TsRecordingWriter *self);
void _ts_writer_check_hold (TsRecordingWriter *self,
                            gint64 now_us);
void _ts_writer_fail (TsRecordingWriter *self,
                      int rc);
gboolean _ts_writer_check (TsRecordingWriter *self,
                           int rc);
gboolean _ts_writer_begin (TsRecordingWriter *self);
gboolean _ts_writer_store_pending (TsRecordingWriter *self);
gboolean _ts_writer_store_raw (TsRecordingWriter *self);
void _ts_writer_publish (TsRecordingWriter *self,
                         gint64 now_us);
gboolean _ts_writer_commit (TsRecordingWriter *self,
                            gboolean with_tables,
                            gint64 now_us);
gboolean _ts_older_set_aside (const char *path,
                              const char *display_name,
                              char **aside,
                              GError **error);
void _ts_older_put_back (const char *aside,
                         const char *path);
void _ts_older_remove (const char *path);
gboolean _ts_writer_is_in_place (TsRecordingWriter *self);
gboolean _ts_writer_create_file (TsRecordingWriter *self,
                                 GError **error);
void _ts_writer_close_database (TsRecordingWriter *self);
gboolean _ts_writer_write_nodes (TsRecordingWriter *self);
gboolean _ts_writer_write_objects (TsRecordingWriter *self);
void _ts_writer_publish_keys (TsRecordingWriter *self);
gboolean _ts_writer_write_summary (TsRecordingWriter *self);
gboolean _ts_writer_write_statistics (TsRecordingWriter *self);

G_END_DECLS
