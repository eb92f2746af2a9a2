/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-index-rows.c: making an index: events of others into rows and lanes, our own rows into lanes
 * again. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-counters-private.h"
#include "ts-index-private.h"
#include "ts-lane-books-private.h"
#include "ts-query-private.h"
#include "ts-recording-foreign-private.h"
#include "ts-recording-writer-private.h"

#define BATCH 4096
/* Events between two looks at what lanes have to be stored. */
#define STORE_EVENTS (64 * 1024)

static void
tell (TsIndexWork *work,
      guint64 done,
      guint64 total)
{
  if (work->progress != NULL)
    work->progress (total > 0 ? MIN ((double) done / (double) total, 1.0) : 0, work->user_data);
}

/* ---- somebody else's events ---- */

typedef struct
{
  TsIndexWork *work;
  TsRecordingWriter *writer;
  TsEventSink *sink;
  GHashTable *known;      /* ids of objects that are more than a place */
  guint32 n_objects;
  TsEvent events[BATCH];
  guint n;
  gint64 origin;
  gint64 last;
  guint64 n_done;
} Import;

/* Ids stay as they are: what the recording leaves out becomes a place without a name. */
static void
define_objects (Import *self,
                guint32 id)
{
  TsObject place = TS_OBJECT_INIT;

  while (self->n_objects < id)
    {
      const TsObject *object
          = ts_recording_get_object (self->work->recording, self->n_objects + 1);

      if (object != NULL)
        g_hash_table_add (self->known, GUINT_TO_POINTER (self->n_objects + 1));
      self->n_objects = self->sink->iface->define_object (self->sink,
                                                          object != NULL ? object : &place);
    }
}

static void
flush (Import *self)
{
  if (self->n > 0)
    self->sink->iface->events (self->sink, self->events, self->n);
  self->n = 0;
}

static void
import_event (Import *self,
              TsForeign *rows,
              TsEvent *event,
              char *text)
{
  if (__builtin_sub_overflow (event->time, self->origin, &event->time))
    event->time = G_MAXINT64 / 2;
  event->time = MIN (event->time, G_MAXINT64 / 2);
  if (text != NULL)
    {
      guint32 id = self->sink->iface->intern (self->sink, text, -1);

      event->flags |= TS_EVENT_FLAG_TEXT;
      event->detail = (gint64) ((guint64) id << 32 | (guint32) event->detail);
    }
  if (event->object != 0 && !g_hash_table_contains (self->known, GUINT_TO_POINTER (event->object)))
    {
      g_autoptr (TsObject) object = _ts_foreign_make_object (rows, event);

      flush (self);
      define_objects (self, event->object);
      if (g_hash_table_add (self->known, GUINT_TO_POINTER (event->object)))
        self->sink->iface->update_object (self->sink, object);
    }
  self->events[self->n++] = *event;
  if (self->n == BATCH)
    flush (self);
  self->n_done++;
}

/* All rows. FALSE with *@is_unordered: they go back in time, so they have to be sorted first. */
static gboolean
import_rows (Import *self,
             TsForeign *rows,
             guint64 total,
             gboolean *is_unordered,
             GError **error)
{
  TsEvent event;
  char *text = NULL;
  int rc;

  *is_unordered = FALSE;
  while ((rc = _ts_foreign_next (rows, &event, &text)) == SQLITE_ROW)
    {
      g_autofree char *owned = text;

      if (self->n_done == 0)
        self->last = self->origin = event.time;
      if (event.time < self->last)
        {
          *is_unordered = TRUE;
          return FALSE;
        }
      self->last = event.time;
      import_event (self, rows, &event, owned);
      if (self->n_done % BATCH == 0)
        {
          if (!_ts_query_check_cancelled (self->work->cancellable, error)
              || !ts_recording_writer_tick (self->writer, FALSE, error))
            return FALSE;
          tell (self->work, self->n_done, total);
        }
    }
  flush (self);

  if (!_ts_query_check_cancelled (self->work->cancellable, error))
    return FALSE;
  if (rc == SQLITE_DONE && self->n_done > 0)
    return TRUE;
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
               _("The events of “%s” cannot be read from row %" PRIu64 " on: %s."),
               self->work->recording->path, self->n_done + 1, sqlite3_errstr (rc));
  return FALSE;
}

static gboolean
import (TsIndexWork *work,
        const char *path,
        const char *rest,
        gboolean *is_unordered,
        GError **error)
{
  TsRecording *recording = work->recording;
  g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (path, NULL, error);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autofree Import *self = g_new0 (Import, 1);
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");
  gboolean ok = FALSE;
  TsForeign rows;
  sqlite3 *db;

  *is_unordered = FALSE;
  if (writer == NULL)
    return FALSE;

  self->work = work;
  self->writer = writer;
  self->sink = ts_recording_writer_get_sink (writer);
  self->known = known;
  self->sink->iface->set_clock (self->sink, ts_recording_get_clock_hz (recording));
  if (os != NULL)
    self->sink->iface->set_info (self->sink, "os", os);
  ts_recording_writer_set_meta (writer, "ts_index_of", recording->path);
  define_objects (self, MIN (recording->n_objects, TS_FOREIGN_MAX_OBJECT_ID));

  db = _ts_recording_begin_read (recording, 0, work->cancellable);
  if (_ts_foreign_begin (&rows, db, FALSE, rest))
    {
      ok = import_rows (self, &rows, recording->n_events, is_unordered, error);
      _ts_foreign_end (&rows);
    }
  else
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("“%s” has no events that can be read."), recording->path);
    }
  _ts_recording_end_read (recording);
  return ok && ts_recording_writer_close (writer, NULL, error);
}

/* Rows, texts, lanes and statistics of somebody else's recording, as a recording of ours. */
gboolean
_ts_index_write_foreign (TsIndexWork *work,
                         const char *path,
                         GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean is_unordered = FALSE;

  if (import (work, path, "", &is_unordered, &reason))
    return TRUE;
  if (is_unordered)
    {
      g_clear_error (&reason);
      /* as the numbers that they are read as: texts and blobs come behind all numbers else */
      if (import (work, path, "ORDER BY coalesce(CAST(t_cycles AS INTEGER),0)", &is_unordered,
                  &reason))
        return TRUE;
    }
  if (is_unordered)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("“%s” has no events that can be read."), work->recording->path);
      return FALSE;
    }
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* ---- our own rows ---- */

/* As much of a writer as keeps lanes and figures. */
static TsRecordingWriter *
keeper_new (TsRecording *recording)
{
  TsRecordingWriter *self = g_new0 (TsRecordingWriter, 1);
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");
  g_autofree char *cut_lanes = ts_recording_dup_meta (recording, TS_META_CUT_LANES);

  self->reserve.fd = -1;
  self->display_name = g_filename_display_name (recording->path);
  self->clock_hz = ts_recording_get_clock_hz (recording);
  self->store = ts_lane_store_new ();
  self->tracker = ts_tracker_new (self->store);
  ts_tracker_set_clock (self->tracker, self->clock_hz);
  ts_tracker_set_line_rate (self->tracker, _ts_recording_get_line_rate (recording));
  ts_tracker_keep_comms (self->tracker);
  self->kind_counts = g_new0 (guint64, TS_WRITER_N_KINDS * 3);
  self->object_counts = g_array_new (FALSE, TRUE, sizeof (guint64));
  self->row_counter = _ts_row_counter_new ();
  g_queue_init (&self->row_blocks);
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  _ts_key_table_init (&self->meta, "meta");
  _ts_key_table_init (&self->health, "health");
  _ts_key_table_init (&self->summary, "va_summary");
  if (os != NULL)
    ts_tracker_set_os (self->tracker, os);
  if (cut_lanes != NULL)
    ts_tracker_set_excerpt (self->tracker);

  g_ptr_array_set_size (self->objects, (int) recording->n_objects);
  g_array_set_size (self->object_counts, recording->n_objects + 1);
  for (guint32 id = 1; id <= recording->n_objects; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object == NULL)
        continue;
      g_ptr_array_index (self->objects, id - 1) = ts_object_copy (object);
      ts_tracker_set_object (self->tracker, object);
    }
  return self;
}

static void
keeper_free (TsRecordingWriter *self)
{
  g_clear_pointer (&self->insert_blob, sqlite3_finalize);
  g_clear_pointer (&self->insert_node, sqlite3_finalize);
  g_clear_pointer (&self->insert_row_block, sqlite3_finalize);
  g_clear_pointer (&self->insert_figures, sqlite3_finalize);
  g_clear_pointer (&self->insert_sections, sqlite3_finalize);
  _ts_row_counter_free (self->row_counter);
  g_queue_clear_full (&self->row_blocks, (GDestroyNotify) g_bytes_unref);
  ts_tracker_free (self->tracker);
  ts_lane_store_unref (self->store);
  g_free (self->kind_counts);
  g_array_unref (self->object_counts);
  g_ptr_array_unref (self->objects);
  _ts_key_table_clear (&self->meta);
  _ts_key_table_clear (&self->health);
  _ts_key_table_clear (&self->summary);
  g_clear_error (&self->error);
  g_free (self->display_name);
  g_free (self);
}

static gboolean
check (TsRecordingWriter *self,
       int rc,
       GError **error)
{
  if (_ts_writer_check (self, rc))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

static gboolean
run_sql (TsRecordingWriter *self,
         const char *sql,
         GError **error)
{
  return check (self, sqlite3_exec (self->db, sql, NULL, NULL, NULL), error);
}

/* The next rows: of the database that is written, or as the recording reads them. */
static gboolean
read_rows (TsIndexWork *work,
           sqlite3_stmt *stmt,
           guint64 row,
           TsEvent *events,
           guint *n,
           GError **error)
{
  int rc = SQLITE_DONE;

  if (stmt == NULL)
    return ts_recording_read_events (work->recording, row, BATCH, events, n, error);

  *n = 0;
  sqlite3_reset (stmt);
  sqlite3_bind_int64 (stmt, 1, (gint64) row);
  sqlite3_bind_int64 (stmt, 2, (gint64) row + BATCH);
  while (*n < BATCH && (rc = sqlite3_step (stmt)) == SQLITE_ROW)
    _ts_row_read (stmt, 1, &events[(*n)++]);
  sqlite3_reset (stmt);
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return TRUE;
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
               _("The events of “%s” cannot be read from row %" PRIu64 " on: %s."),
               work->recording->path, row + *n, sqlite3_errstr (rc));
  return FALSE;
}

/* Texts that tell of operations, for those events that do. */
static void
tell_texts (TsIndexWork *work,
            TsRecordingWriter *self,
            sqlite3_stmt *texts,
            const TsEvent *events,
            guint n)
{
  TsCommsFeed *comms = ts_tracker_get_comms (self->tracker);

  for (guint i = 0; i < n; i++)
    {
      guint32 id = ts_event_get_text_id (&events[i]);

      if (id == 0 || !_ts_comms_feed_wants (events[i].kind)
          || _ts_comms_feed_knows_text (comms, id))
        continue;
      if (texts == NULL)
        {
          _ts_comms_feed_add_text (comms, id, ts_recording_get_string (work->recording, id));
          continue;
        }
      sqlite3_bind_int64 (texts, 1, id);
      if (sqlite3_step (texts) == SQLITE_ROW)
        _ts_comms_feed_add_text (comms, id, (const char *) sqlite3_column_text (texts, 0));
      sqlite3_reset (texts);
    }
}

/* Rows through the tracker once more; lanes are stored as they fill. */
static gboolean
track_rows (TsIndexWork *work,
            TsRecordingWriter *self,
            sqlite3_stmt *stmt,
            sqlite3_stmt *texts,
            GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, BATCH);
  guint64 n_rows = ts_recording_get_n_rows (work->recording);
  guint64 stored_at = 0;
  guint64 row = 1;

  while (row <= n_rows)
    {
      guint n = 0;

      if (!_ts_query_check_cancelled (work->cancellable, error)
          || !read_rows (work, stmt, row, events, &n, error))
        return FALSE;
      if (n == 0)
        break;

      /* A file that lies about its order must not upset the tracker. */
      for (guint i = 0; i < n; i++)
        {
          events[i].time = CLAMP (events[i].time, self->last_time, G_MAXINT64 / 2);
          self->last_time = events[i].time;
        }
      tell_texts (work, self, texts, events, n);
      ts_tracker_events (self->tracker, events, n);
      _ts_writer_count_events (self, events, n);
      row += n;

      if (row - stored_at >= STORE_EVENTS)
        {
          stored_at = row;
          if (!_ts_writer_write_nodes (self))
            return check (self, SQLITE_ERROR, error);
          ts_lane_store_committed (self->store);
          tell (work, row, n_rows);
        }
    }

  ts_tracker_finish (self->tracker, self->last_time);
  while (ts_lane_store_seal_some (self->store))
    {
      if (!_ts_writer_write_nodes (self))
        return check (self, SQLITE_ERROR, error);
      ts_lane_store_committed (self->store);
    }
  if (_ts_writer_write_nodes (self) && _ts_writer_write_statistics (self))
    return TRUE;
  return check (self, SQLITE_ERROR, error);
}

static gboolean
prepare (TsRecordingWriter *self,
         GError **error)
{
  return check (self,
                sqlite3_prepare_v2 (self->db, "INSERT INTO ts_blobs(data) VALUES(?1)", -1,
                                    &self->insert_blob, NULL),
                error)
         && check (self,
                   sqlite3_prepare_v2 (self->db,
                                       "INSERT INTO ts_nodes VALUES(?1,?2,?3,?4,?5,?6,?7,?8)", -1,
                                       &self->insert_node, NULL),
                   error)
         && check (self,
                   sqlite3_prepare_v2 (self->db, "INSERT INTO ts_row_blocks VALUES(?1,?2)", -1,
                                       &self->insert_row_block, NULL),
                   error)
         && check (self,
                   sqlite3_prepare_v2 (self->db, "INSERT INTO ts_figures VALUES(?1,?2)", -1,
                                       &self->insert_figures, NULL),
                   error)
         && check (self,
                   sqlite3_prepare_v2 (self->db, "INSERT INTO ts_sections VALUES(?1,?2)", -1,
                                       &self->insert_sections, NULL),
                   error);
}

/* Lanes and counts of one of our recordings in a file of their own. */
gboolean
_ts_index_write_lanes (TsIndexWork *work,
                       const char *path,
                       GError **error)
{
  sqlite3 *db = NULL;
  TsRecordingWriter *keeper;
  gboolean ok;

  g_unlink (path);
  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."), path,
                   sqlite3_errmsg (db));
      sqlite3_close (db);
      return FALSE;
    }

  /* It has its name only when it is whole: what may have to be undone need not outlive a crash. */
  keeper = keeper_new (work->recording);
  keeper->db = db;
  ok = run_sql (keeper, "PRAGMA page_size=4096; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; "
                        "BEGIN", error)
       && _ts_schema_create (db, error) && prepare (keeper, error)
       && track_rows (work, keeper, NULL, NULL, error);
  if (ok)
    {
      _ts_key_table_set (&keeper->meta, "format", "va-recording");
      _ts_key_table_set (&keeper->meta, "ts_index_of", work->recording->path);
      _ts_books_write (db, TS_BOOKS_LIMIT_US);
      ok = check (keeper, _ts_key_table_write (&keeper->meta, db), error)
           && run_sql (keeper, "COMMIT", error);
    }
  keeper_free (keeper);
  sqlite3_close (db);
  return ok;
}

/* What a recording says of itself that cannot be made again from its rows. */
static void
keep_words (TsRecordingWriter *self)
{
  static const char * const keys[] = { "raw_bytes", "seq_present", "lost_events", "seq_gaps",
                                       "corrupt_bytes" };
  g_autofree char *peak = _ts_db_dup_key (self->db, "va_summary", "bytes_per_s_peak");

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *value = _ts_db_dup_key (self->db, "health", keys[i]);

      if (value != NULL)
        _ts_key_table_set (&self->health, keys[i], value);
    }
  self->throughput.total = (guint64) MAX (_ts_key_table_get_int (&self->health, "raw_bytes", 0), 0);
  if (peak != NULL)
    self->throughput.peak = (guint64) MAX (g_ascii_strtod (peak, NULL), 0.0);
  _ts_key_table_set (&self->meta, "ts_complete", "1");
}

static gboolean
rewrite (TsIndexWork *work,
         TsRecordingWriter *self,
         GError **error)
{
  sqlite3_stmt *stmt = NULL;
  sqlite3_stmt *texts = NULL;
  gboolean ok
      = run_sql (self,
                 "DELETE FROM ts_nodes; DELETE FROM ts_blobs; DELETE FROM ts_lanes; "
                 "DELETE FROM ts_object_counts; DELETE FROM va_trace_stats; "
                 TS_SCHEMA_SUMMARIES " DELETE FROM ts_row_blocks; DELETE FROM ts_figures; "
                 "DELETE FROM ts_sections; DELETE FROM ts_books; DELETE FROM ts_comms;", error)
        && prepare (self, error)
        && check (self,
                  sqlite3_prepare_v2 (self->db,
                                      "SELECT rowid,t,x,v,d FROM ts_events WHERE rowid>=?1 AND "
                                      "rowid<?2 ORDER BY rowid", -1, &stmt, NULL),
                  error)
        && check (self,
                  sqlite3_prepare_v2 (self->db, "SELECT text FROM ts_strings WHERE id=?1", -1,
                                      &texts, NULL),
                  error)
        && track_rows (work, self, stmt, texts, error);

  sqlite3_finalize (stmt);
  sqlite3_finalize (texts);
  if (!ok)
    return FALSE;
  /* A full disk may have taken everything back, and what follows would be written for itself. */
  if (!_ts_books_write (self->db, TS_BOOKS_LIMIT_US) && sqlite3_get_autocommit (self->db))
    return check (self, SQLITE_FULL, error);
  keep_words (self);
  if (!_ts_writer_write_summary (self))
    return check (self, SQLITE_ERROR, error);
  return TRUE;
}

/* Lanes, counts and figures of one of our recordings, in its own tables: all or nothing. */
gboolean
_ts_index_rewrite_tables (TsIndexWork *work,
                          guint64 *n_events,
                          GError **error)
{
  TsRecording *recording = work->recording;
  g_autofree char *name = g_filename_display_name (recording->path);
  TsRecordingWriter *keeper;
  sqlite3 *db = NULL;
  gboolean ok;
  int rc;

  /* Our own reading must not stand in the way of a lock on the whole file. */
  keeper = keeper_new (recording);
  _ts_reader_db_close (recording->rdb);
  rc = sqlite3_open_v2 (recording->path, &db, SQLITE_OPEN_READWRITE, NULL);
  if (rc == SQLITE_OK)
    {
      sqlite3_extended_result_codes (db, 1);
      sqlite3_busy_timeout (db, 2000);
      rc = sqlite3_exec (db,
                         "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; "
                         "PRAGMA cache_size=-32000; BEGIN EXCLUSIVE", NULL, NULL, NULL);
    }
  if (rc != SQLITE_OK)
    {
      if ((rc & 0xFF) == SQLITE_BUSY || (rc & 0xFF) == SQLITE_LOCKED)
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                     _("Cannot write %s: another program has it open."), name);
      else
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."), name,
                     sqlite3_errmsg (db));
      keeper_free (keeper);
      sqlite3_close (db);
      return FALSE;
    }

  keeper->db = db;
  keeper->in_transaction = TRUE;
  ok = rewrite (work, keeper, error) && run_sql (keeper, "COMMIT", error);
  if (!ok && sqlite3_get_autocommit (db) == 0)
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  if (ok && n_events != NULL)
    *n_events = keeper->n_events;
  if (ok && work->progress != NULL)
    work->progress (1.0, work->user_data);
  keeper_free (keeper);
  sqlite3_close (db);
  return ok;
}
