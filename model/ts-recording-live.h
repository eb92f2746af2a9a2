/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-live.h: what a writer shows to live readers, and the connection of a reader.
 *
 * Private to the model. #TsLive is the small shared state between one writer and any number of live
 * readers: a mutex, never held over I/O, protects its fields. #TsReaderDb is one read-only
 * connection with its statements; while the writer turns the file into a plain rollback-journal
 * database it closes the live readers' connections, which open again by themselves.
 */
#pragma once

#include <gio/gio.h>
#include <sqlite3.h>

#include "ts-lane-store-private.h"
#include "ts-object.h"
#include "ts-recording-writer.h"

G_BEGIN_DECLS

typedef struct _TsLive TsLive;
typedef struct _TsReaderDb TsReaderDb;

/**
 * TsReaderStatement: the statements a reader keeps prepared.
 */
typedef enum
{
  TS_STATEMENT_ROWS,
  TS_STATEMENT_ROW_TIME,
  TS_STATEMENT_STRING,
  TS_STATEMENT_BLOB,
  TS_STATEMENT_ROW_BLOCK,
  TS_STATEMENT_FIGURES,
  TS_STATEMENT_SECTIONS,
  TS_STATEMENT_BOOK,
  TS_STATEMENT_N
} TsReaderStatement;

/**
 * TsReaderDb:
 * @mutex: protects @db and @statements
 * @db: (nullable): the connection, opened on demand
 * @statements: prepared on demand
 * @missing: bit for each statement that the file has no table for
 * @uri: what is opened
 * @index_uri: (nullable): a file whose tables of ours are read in place of the file's own
 * @index_fd: while the index is read it is locked by this, so that it is not trimmed; -1: it is not
 * @temp_dir: (nullable): folder of a private copy, removed at the end
 * @deadline_us: monotonic time at which a statement is interrupted, 0 never
 * @cancellable: (nullable): borrowed; interrupts a statement when cancelled
 * @live: (nullable): the writer's state
 * @n_reads: how often it was asked for something
 */
struct _TsReaderDb
{
  GMutex mutex;
  sqlite3 *db;
  sqlite3_stmt *statements[TS_STATEMENT_N];
  guint32 missing;
  char *uri;
  char *index_uri;
  int index_fd;
  char *temp_dir;
  gint64 deadline_us;
  GCancellable *cancellable;
  TsLive *live;
  guint64 n_reads;
};

/**
 * TsLive:
 * @mutex: protects everything below
 * @path: file (constant)
 * @id: recording id (constant)
 * @store: lanes (constant; locks itself)
 * @objects: copies of #TsObject, index = id - 1
 * @changed: serial of the last change of each object
 * @serial: counts changes of objects
 * @keys: values of meta, health and va_summary by "table.key", as of the last commit
 * @fresh_strings: texts by id that are not committed yet
 * @n_events: counted events, uncommitted ones included
 * @n_rows: committed rows
 * @end_time: time of the last event
 * @clock_hz: ticks per second, 0 unknown
 * @is_closing: the writer wants the file for itself for a moment
 * @is_closed: the file is complete and no longer written
 * @readers: connections of the live readers
 */
struct _TsLive
{
  GMutex mutex;
  char *path;
  char *id;
  TsLaneStore *store;
  GPtrArray *objects;
  GArray *changed;
  guint64 serial;
  GHashTable *keys;
  GHashTable *fresh_strings;
  guint64 n_events;
  guint64 n_rows;
  gint64 end_time;
  guint64 clock_hz;
  gboolean is_closing;
  gboolean is_closed;
  GPtrArray *readers;
};

/* The shared state of a writer, if it publishes one. */
TsLive *_ts_recording_writer_get_live (TsRecordingWriter *writer);
TsLive *_ts_live_new (const char *path,
                      const char *id,
                      TsLaneStore *store);
TsLive *_ts_live_ref (TsLive *self);
void _ts_live_unref (TsLive *self);
void _ts_live_set_object (TsLive *self,
                          const TsObject *object);
void _ts_live_add_string (TsLive *self,
                          guint32 id,
                          const char *text);
void _ts_live_publish (TsLive *self,
                       guint64 n_events,
                       gint64 end_time,
                       guint64 clock_hz);
void _ts_live_committed (TsLive *self,
                         guint64 n_rows,
                         guint64 n_events);
void _ts_live_take_keys (TsLive *self,
                         GHashTable *keys);
char *_ts_live_dup_key (TsLive *self,
                        const char *table,
                        const char *key);
char *_ts_live_dup_string (TsLive *self,
                           guint32 id);
void _ts_live_begin_close (TsLive *self);
void _ts_live_end_close (TsLive *self);

TsReaderDb *_ts_reader_db_ref (TsReaderDb *self);
void _ts_reader_db_unref (TsReaderDb *self);
TsReaderDb *_ts_reader_db_new (const char *path,
                               GError **error);
TsReaderDb *_ts_reader_db_new_live (TsLive *live);
TsReaderDb *_ts_reader_db_dup (TsReaderDb *self);
GBytes *_ts_reader_db_dup_blob (TsReaderDb *self,
                                TsReaderStatement which,
                                gint64 id);
gboolean _ts_reader_db_is_twin (TsReaderDb *self,
                                TsReaderDb *origin);
void _ts_reader_db_hold (TsReaderDb *self);
void _ts_reader_db_release (TsReaderDb *self);
void _ts_reader_db_trim (TsReaderDb *self);
void _ts_reader_db_limit_cache (TsReaderDb *self,
                                guint kib);
gboolean _ts_reader_db_attach (TsReaderDb *self,
                               const char *path);
gboolean _ts_reader_db_is_attached (TsReaderDb *self);
void _ts_reader_db_close (TsReaderDb *self);
void _ts_reader_db_detach (TsReaderDb *self);
sqlite3 *_ts_reader_db_lock (TsReaderDb *self);
void _ts_reader_db_unlock (TsReaderDb *self);
sqlite3_stmt *_ts_reader_db_get_statement (TsReaderDb *self,
                                           TsReaderStatement which);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsReaderDb, _ts_reader_db_unref)

G_END_DECLS
