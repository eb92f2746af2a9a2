/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording.c: opening a recording and what it says about itself. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-index-private.h"
#include "ts-lane-reader-private.h"
#include "ts-recording-private.h"

#define LOAD_LIMIT_US (20 * G_USEC_PER_SEC)
#define MAX_CLOCK_HZ G_GINT64_CONSTANT (1000000000000)
#define MAX_CACHED_STRINGS 100000

static guint fetched_signal;

G_DEFINE_FINAL_TYPE (TsRecording, ts_recording, G_TYPE_OBJECT)

static void
ts_recording_dispose (GObject *object)
{
  TsRecording *self = TS_RECORDING (object);

  ts_recording_stop_fetching (self);
  g_clear_pointer (&self->lanes, ts_lane_reader_free);
  g_clear_pointer (&self->rdb, _ts_reader_db_detach);

  G_OBJECT_CLASS (ts_recording_parent_class)->dispose (object);
}

static void
ts_recording_finalize (GObject *object)
{
  TsRecording *self = TS_RECORDING (object);

  g_clear_pointer (&self->live, _ts_live_unref);
  g_clear_pointer (&self->rebuilt, _ts_rebuilt_unref);
  g_hash_table_unref (self->objects);
  g_hash_table_unref (self->strings);
  g_clear_pointer (&self->keys, g_hash_table_unref);
  g_free (self->path);
  g_free (self->id);

  G_OBJECT_CLASS (ts_recording_parent_class)->finalize (object);
}

static void
ts_recording_class_init (TsRecordingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = ts_recording_dispose;
  object_class->finalize = ts_recording_finalize;

  /**
   * TsRecording::fetched:
   *
   * Something has come that a picture was coarse for, or that ts_recording_end_look() asked for.
   */
  fetched_signal = g_signal_new ("fetched", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

void
_ts_recording_emit_fetched (TsRecording *self)
{
  g_signal_emit (self, fetched_signal, 0);
}

static void
ts_recording_init (TsRecording *self)
{
  self->objects = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ts_object_free);
  self->strings = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->clock_hz = TS_SCHEMA_DEFAULT_HZ;
}

sqlite3 *
_ts_recording_begin_read (TsRecording *self,
                          gint64 limit_us,
                          GCancellable *cancellable)
{
  sqlite3 *db = _ts_reader_db_lock (self->rdb);

  self->rdb->n_reads++;
  self->rdb->deadline_us = limit_us > 0 ? g_get_monotonic_time () + limit_us : 0;
  self->rdb->cancellable = cancellable;
  return db;
}

void
_ts_recording_end_read (TsRecording *self)
{
  _ts_reader_db_unlock (self->rdb);
}

static GBytes *
load_node (gint64 blob,
           gpointer user_data)
{
  TsRecording *self = user_data;

  return _ts_reader_db_dup_blob (self->rdb, TS_STATEMENT_BLOB, blob);
}

static GBytes *
load_figures (gint64 blob,
              gpointer user_data)
{
  TsRecording *self = user_data;

  return _ts_reader_db_dup_blob (self->rdb, TS_STATEMENT_FIGURES, blob);
}

static GBytes *
load_sections (gint64 blob,
               gpointer user_data)
{
  TsRecording *self = user_data;

  return _ts_reader_db_dup_blob (self->rdb, TS_STATEMENT_SECTIONS, blob);
}

static GBytes *
load_book (gint64 key,
           gpointer user_data)
{
  TsRecording *self = user_data;

  return _ts_reader_db_dup_blob (self->rdb, TS_STATEMENT_BOOK, key);
}

/* Lanes as the file holds them. */
static void
load_lanes (TsRecording *self)
{
  g_autoptr (GArray) lanes = NULL;
  g_autoptr (GArray) nodes = NULL;
  sqlite3 *db = _ts_recording_begin_read (self, LOAD_LIMIT_US, NULL);

  lanes = _ts_recording_read_lanes (db);
  nodes = _ts_recording_read_nodes (db);
  _ts_recording_end_read (self);

  self->lanes = ts_lane_reader_new ((const TsLaneInfo *) lanes->data, lanes->len,
                                    (const TsNodeInfo *) nodes->data, nodes->len, self->duration,
                                    load_node, self);
  ts_lane_reader_set_load_figures (self->lanes, load_figures);
  ts_lane_reader_set_load_sections (self->lanes, load_sections);
  ts_lane_reader_set_load_book (self->lanes, load_book);
}

static gboolean
load (TsRecording *self,
      GError **error)
{
  sqlite3 *db = _ts_recording_begin_read (self, LOAD_LIMIT_US, NULL);
  gboolean is_complete;
  gint64 hz;

  if (!_ts_recording_check_version (self, db, error))
    {
      _ts_recording_end_read (self);
      return FALSE;
    }

  _ts_recording_find_tables (self, db);
  hz = _ts_db_get_key_int (db, "meta", "va_cpu_hz", 0);
  self->clock_hz = hz > 0 && hz <= MAX_CLOCK_HZ ? (guint64) hz : TS_SCHEMA_DEFAULT_HZ;
  self->id = _ts_db_dup_key (db, "meta", "ts_recording_id");
  if (self->id == NULL)
    self->id = g_strdup ("");
  self->n_rows = self->tables.has_rows
                     ? (guint64) MAX (_ts_db_get_int (db, "SELECT max(rowid) FROM ts_events", 0), 0)
                     : 0;
  self->n_events = (guint64) MAX (_ts_db_get_key_int (db, "va_summary", "total_events", 0), 0);
  self->duration = _ts_recording_read_duration (self, db);
  _ts_recording_load_objects (self, db);
  is_complete = self->tables.has_lanes && _ts_db_get_key_int (db, "meta", "ts_complete", 0) == 1;
  _ts_recording_end_read (self);

  if (!is_complete)
    is_complete = _ts_index_attach (self);
  if (is_complete)
    {
      g_clear_pointer (&self->rebuilt, _ts_rebuilt_unref);
      load_lanes (self);
    }
  return TRUE;
}

/* Lanes of a recording that holds none or not all of them: made again in memory, or, where it is
 * too long for that, what its writer stored before it was killed. */
static void
provide_lanes (TsRecording *self)
{
  if (self->lanes != NULL)
    return;

  if (self->rebuilt == NULL)
    self->rebuilt = _ts_recording_rebuild (self);

  if (self->rebuilt == NULL)
    {
      load_lanes (self);
      return;
    }

  self->lanes = ts_lane_reader_new_live (self->rebuilt->store, NULL, NULL);
  ts_lane_reader_sync (self->lanes);
  self->needs_index = self->rebuilt->is_sample;
  _ts_rebuilt_adopt (self->rebuilt, self);
}

static TsRecording *
open_path (const char *path,
           TsRebuilt *rebuilt,
           GError **error)
{
  g_autoptr (TsRecording) self = g_object_new (TS_TYPE_RECORDING, NULL);

  self->path = g_canonicalize_filename (path, NULL);
  if (rebuilt != NULL)
    self->rebuilt = _ts_rebuilt_ref (rebuilt);

  self->rdb = _ts_reader_db_new (self->path, error);
  if (self->rdb == NULL || !load (self, error))
    return NULL;

  provide_lanes (self);
  return g_steal_pointer (&self);
}

/**
 * ts_recording_open:
 * @path: file
 * @error: return location
 *
 * Opens a recording; the file is never changed. One that was left behind by a killed program opens
 * with everything up to its last commit and says so (`health.end_reason`: "not closed").
 *
 * Thread: any; the caller's becomes the owner
 * Errors: %TS_MODEL_ERROR_NO_SUCH_RECORDING, %TS_MODEL_ERROR_BAD_RECORDING
 *
 * Returns: (transfer full) (nullable): the recording
 */
TsRecording *
ts_recording_open (const char *path,
                   GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);

  return open_path (path, NULL, error);
}

static TsRecording *
open_live (TsLive *live)
{
  TsRecording *self = g_object_new (TS_TYPE_RECORDING, NULL);

  self->live = _ts_live_ref (live);
  self->is_live = TRUE;
  self->path = g_strdup (live->path);
  self->id = g_strdup (live->id);
  self->rdb = _ts_reader_db_new_live (live);
  self->tables = (TsRecordingTables){ TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE, TRUE };
  self->lanes = ts_lane_reader_new_live (live->store, load_node, self);
  ts_lane_reader_set_load_figures (self->lanes, load_figures);
  ts_lane_reader_set_load_sections (self->lanes, load_sections);
  ts_lane_reader_set_load_book (self->lanes, load_book);
  ts_recording_refresh (self);
  return self;
}

/**
 * ts_recording_open_live:
 * @writer: a writer made with the option `live`
 * @error: return location
 *
 * Opens a recording while it is being written. It stays readable after the writer has closed it,
 * and after the writer is gone.
 *
 * Thread: the writer's owner calls this (or anybody while the writer certainly lives); the result
 * belongs to the thread that uses it first Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS when the writer
 * publishes nothing
 *
 * Returns: (transfer full) (nullable): the recording
 */
TsRecording *
ts_recording_open_live (TsRecordingWriter *writer,
                        GError **error)
{
  TsLive *live = _ts_recording_writer_get_live (writer);

  if (live != NULL)
    return open_live (live);

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("The recording “%s” is not published while it is written."),
               ts_recording_writer_get_path (writer));
  return NULL;
}

/**
 * ts_recording_reopen:
 * @self: a recording
 * @error: return location
 *
 * The same recording once more, for another thread.
 *
 * Thread: any, while somebody holds a reference of @self (it is not read from); the result belongs
 *   to the thread that uses it first
 *
 * Returns: (transfer full) (nullable): a recording of its own
 */
TsRecording *
ts_recording_reopen (TsRecording *self,
                     GError **error)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), NULL);

  return self->live != NULL ? open_live (self->live) : open_path (self->path, self->rebuilt, error);
}

/* A live recording follows what its writer published. */
static gboolean
refresh_live (TsRecording *self)
{
  TsLive *live = self->live;
  gboolean changed;

  g_mutex_lock (&live->mutex);
  changed = self->n_events != live->n_events || self->n_rows != live->n_rows
            || self->duration != live->end_time || self->live_serial != live->serial
            || (self->is_live && live->is_closed);
  self->n_events = live->n_events;
  self->n_rows = live->n_rows;
  self->duration = live->end_time;
  self->clock_hz = live->clock_hz > 0 ? live->clock_hz : TS_SCHEMA_DEFAULT_HZ;
  if (live->is_closed)
    self->is_live = FALSE;

  if (self->live_serial != live->serial)
    {
      for (guint i = 0; i < live->objects->len; i++)
        {
          const TsObject *object = g_ptr_array_index (live->objects, i);

          if (object != NULL && g_array_index (live->changed, guint64, i) > self->live_serial)
            g_hash_table_replace (self->objects, GUINT_TO_POINTER (object->id),
                                  ts_object_copy (object));
        }
      self->n_objects = live->objects->len;
      self->live_serial = live->serial;
    }
  g_mutex_unlock (&live->mutex);

  if (ts_lane_reader_sync (self->lanes))
    changed = TRUE;
  return changed;
}

/**
 * ts_recording_refresh:
 * @self: a recording
 *
 * Takes over what a live recording's writer published since the last time. Pointers got before are
 * no longer valid.
 *
 * Thread: owner
 *
 * Returns: %TRUE if anything changed
 */
gboolean
ts_recording_refresh (TsRecording *self)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), FALSE);

  if (g_hash_table_size (self->strings) > MAX_CACHED_STRINGS)
    g_hash_table_remove_all (self->strings);

  return self->live != NULL ? refresh_live (self) : FALSE;
}

/**
 * ts_recording_trim:
 * @self: a recording
 * @max_bytes: how much of what was unpacked of its lanes may stay in memory
 *
 * Forgets the rest, the longest unused first, and what SQLite keeps of the file. It is read again
 * when it is needed. For who has answered one question and may not be asked again soon.
 *
 * Thread: owner
 */
void
ts_recording_trim (TsRecording *self,
                   gsize max_bytes)
{
  g_return_if_fail (TS_IS_RECORDING (self));
  if (self->lanes != NULL)
    _ts_lane_reader_trim (self->lanes, max_bytes);
  if (self->rdb != NULL)
    _ts_reader_db_trim (self->rdb);
}

/**
 * ts_recording_limit_cache:
 * @self: a recording
 * @max_bytes: how much of what was unpacked of its lanes it keeps from now on, the longest unused
 *   forgotten; 64 MB if this is never called
 *
 * For programs with several copies of a recording at once. What pictures need at any rate, the
 * coarsest of every lane, is kept besides.
 *
 * Thread: owner
 */
void
ts_recording_limit_cache (TsRecording *self,
                          gsize max_bytes)
{
  g_return_if_fail (TS_IS_RECORDING (self));
  if (self->lanes != NULL)
    _ts_lane_reader_limit (self->lanes, max_bytes);
}

/**
 * ts_recording_is_live:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: %TRUE while its writer is at work (as of the last refresh)
 */
gboolean
ts_recording_is_live (TsRecording *self)
{
  return self->is_live;
}

/**
 * ts_recording_get_path:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: (transfer none): its file
 */
const char *
ts_recording_get_path (TsRecording *self)
{
  return self->path;
}

/**
 * ts_recording_get_id:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: (transfer none): its 12 hexadecimal digits (`meta.ts_recording_id`); empty for a file
 * not ours
 */
const char *
ts_recording_get_id (TsRecording *self)
{
  return self->id;
}

/**
 * ts_recording_get_clock_hz:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: ticks per second; 1 MHz is assumed where the stream did not tell
 */
guint64
ts_recording_get_clock_hz (TsRecording *self)
{
  return self->clock_hz;
}

/**
 * ts_recording_get_duration:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: time of the last event, in ticks
 */
gint64
ts_recording_get_duration (TsRecording *self)
{
  return self->duration;
}

/**
 * ts_recording_get_n_events:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: events that came from the target (`total_events`)
 */
guint64
ts_recording_get_n_events (TsRecording *self)
{
  return self->n_events;
}

static char *
dup_key (TsRecording *self,
         const char *table,
         const char *key)
{
  g_autofree char *name = NULL;
  sqlite3 *db;
  char *value;

  if (self->keys != NULL)
    {
      name = g_strconcat (table, ".", key, NULL);
      return g_strdup (g_hash_table_lookup (self->keys, name));
    }
  if (self->live != NULL)
    return _ts_live_dup_key (self->live, table, key);
  db = _ts_recording_begin_read (self, LOAD_LIMIT_US, NULL);
  value = _ts_db_dup_key (db, table, key);
  _ts_recording_end_read (self);
  return value;
}

/**
 * ts_recording_get_n_reads:
 * @self: a recording
 *
 * What workers read for it, with connections of their own, does not count.
 *
 * Thread: owner
 *
 * Returns: how often its owner has read from the file so far
 */
guint64
ts_recording_get_n_reads (TsRecording *self)
{
  guint64 n_reads;

  g_return_val_if_fail (TS_IS_RECORDING (self), 0);

  _ts_reader_db_lock (self->rdb);
  n_reads = self->rdb->n_reads;
  _ts_reader_db_unlock (self->rdb);
  return n_reads;
}

/**
 * ts_recording_dup_meta:
 * @self: a recording
 * @key: key of table `meta`
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable): the value, as of the last commit
 */
char *
ts_recording_dup_meta (TsRecording *self,
                       const char *key)
{
  return dup_key (self, "meta", key);
}

/**
 * ts_recording_dup_health:
 * @self: a recording
 * @key: key of table `health`
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable): the value, as of the last commit
 */
char *
ts_recording_dup_health (TsRecording *self,
                         const char *key)
{
  return dup_key (self, "health", key);
}

/**
 * ts_recording_dup_summary:
 * @self: a recording
 * @key: key of table `va_summary`
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable): the value, as of the last commit
 */
char *
ts_recording_dup_summary (TsRecording *self,
                          const char *key)
{
  return dup_key (self, "va_summary", key);
}

/**
 * ts_recording_ticks_to_us:
 * @self: a recording
 * @ticks: a time or a duration
 *
 * Thread: owner
 *
 * Returns: microseconds, rounded down
 */
gint64
ts_recording_ticks_to_us (TsRecording *self,
                          gint64 ticks)
{
  return _ts_scale_ticks (ticks, G_USEC_PER_SEC, self->clock_hz);
}

/**
 * ts_recording_ticks_to_ns:
 * @self: a recording
 * @ticks: a time or a duration
 *
 * Thread: owner
 *
 * Returns: nanoseconds, rounded down
 */
gint64
ts_recording_ticks_to_ns (TsRecording *self,
                          gint64 ticks)
{
  return _ts_scale_ticks (ticks, 1000000000, self->clock_hz);
}

/**
 * ts_recording_us_to_ticks:
 * @self: a recording
 * @us: microseconds
 *
 * Thread: owner
 *
 * Returns: the first tick that is not before @us
 */
gint64
ts_recording_us_to_ticks (TsRecording *self,
                          gint64 us)
{
  __int128 scaled = (__int128) us * (__int128) self->clock_hz;
  __int128 ticks = scaled / G_USEC_PER_SEC + (scaled % G_USEC_PER_SEC > 0 ? 1 : 0);

  return ticks > G_MAXINT64 ? G_MAXINT64 : ticks < G_MININT64 ? G_MININT64 : (gint64) ticks;
}

/**
 * ts_recording_get_object:
 * @self: a recording
 * @id: id of an object
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): the object, until the next refresh
 */
const TsObject *
ts_recording_get_object (TsRecording *self,
                         guint32 id)
{
  return id != 0 ? g_hash_table_lookup (self->objects, GUINT_TO_POINTER (id)) : NULL;
}

/**
 * ts_recording_get_n_objects:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: the highest object id; ids begin at 1
 */
guint
ts_recording_get_n_objects (TsRecording *self)
{
  return self->n_objects;
}

/**
 * ts_recording_get_string:
 * @self: a recording
 * @id: id of an interned text
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): the text, until the next refresh
 */
const char *
ts_recording_get_string (TsRecording *self,
                         guint32 id)
{
  const char *known;
  char *text = NULL;

  if (id == 0)
    return NULL;
  if (self->rebuilt != NULL && self->rebuilt->strings != NULL)
    return id <= self->rebuilt->strings->len ? g_ptr_array_index (self->rebuilt->strings, id - 1)
                                             : NULL;

  known = g_hash_table_lookup (self->strings, GUINT_TO_POINTER (id));
  if (known != NULL)
    return known;

  if (self->is_live)
    text = _ts_live_dup_string (self->live, id);
  if (text == NULL)
    {
      sqlite3_stmt *stmt;

      _ts_reader_db_lock (self->rdb);
      stmt = _ts_reader_db_get_statement (self->rdb, TS_STATEMENT_STRING);
      if (stmt != NULL)
        {
          sqlite3_bind_int64 (stmt, 1, id);
          if (sqlite3_step (stmt) == SQLITE_ROW)
            text = _ts_column_dup_text (stmt, 0);
        }
      _ts_reader_db_unlock (self->rdb);
    }

  if (text != NULL)
    g_hash_table_insert (self->strings, GUINT_TO_POINTER (id), text);
  return text;
}

/**
 * ts_recording_get_lanes:
 * @self: a recording
 * @n_lanes: (out): how many
 *
 * Thread: owner
 *
 * Returns: (transfer none) (array length=n_lanes): the lanes, until the next refresh
 */
const TsLaneInfo *
ts_recording_get_lanes (TsRecording *self,
                        guint *n_lanes)
{
  return ts_lane_reader_get_lanes (self->lanes, n_lanes);
}

/**
 * ts_recording_get_lane:
 * @self: a recording
 * @lane: id of a lane
 *
 * Thread: owner
 *
 * Returns: (transfer none) (nullable): the lane, until the next refresh
 */
const TsLaneInfo *
ts_recording_get_lane (TsRecording *self,
                       guint32 lane)
{
  return ts_lane_reader_get_lane (self->lanes, lane);
}

/**
 * ts_recording_query_lane:
 * @self: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 * @n_columns: number of equal parts of the range
 * @columns: (array length=n_columns): filled unless slices are
 * @slices: (nullable): emptied and filled with #TsSlice where they are few enough
 * @deadline_us: monotonic time after which a coarser answer is given; 0 none
 * @is_coarse: (out) (optional): the answer is coarser than asked for; ask again
 *
 * What a lane shows between two times, at the detail the columns need.
 *
 * Cost: depends on @n_columns, not on the length of the recording
 * Thread: owner
 *
 * Returns: which of the two was filled
 */
TsLaneDetail
ts_recording_query_lane (TsRecording *self,
                         guint32 lane,
                         gint64 begin,
                         gint64 end,
                         guint n_columns,
                         TsColumn *columns,
                         GArray *slices,
                         gint64 deadline_us,
                         gboolean *is_coarse)
{
  return (TsLaneDetail) ts_lane_reader_query (self->lanes, lane, begin, end, n_columns, columns,
                                              slices, deadline_us, is_coarse);
}

/**
 * ts_recording_find_slice:
 * @self: a recording
 * @lane: id of a lane
 * @time: tick
 * @tolerance: how far away a slice may be, in ticks
 * @slice: (out caller-allocates): the slice
 *
 * The slice at, else nearest to @time.
 *
 * Thread: owner
 *
 * Returns: %TRUE if there is one
 */
gboolean
ts_recording_find_slice (TsRecording *self,
                         guint32 lane,
                         gint64 time,
                         gint64 tolerance,
                         TsSlice *slice)
{
  return ts_lane_reader_find (self->lanes, lane, time, tolerance, slice);
}

/**
 * ts_recording_next_slice:
 * @self: a recording
 * @lane: id of a lane
 * @time: tick
 * @direction: +1: the first slice that begins after @time; -1: the last one that begins before it
 * @slice: (out caller-allocates): the slice
 *
 * Thread: owner
 *
 * Returns: %TRUE if there is one
 */
gboolean
ts_recording_next_slice (TsRecording *self,
                         guint32 lane,
                         gint64 time,
                         int direction,
                         TsSlice *slice)
{
  return ts_lane_reader_next (self->lanes, lane, time, direction, slice);
}

/* The connection, for a closed recording and the thread that owns it. */
gpointer
_ts_recording_get_db (TsRecording *self)
{
  gpointer db = _ts_reader_db_lock (self->rdb);

  _ts_reader_db_unlock (self->rdb);
  return db;
}
