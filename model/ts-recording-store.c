/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-store.c: the writer's database: creating it, storing rows, committing, and what
 * happens when that fails. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-recording-writer-private.h"

#define TABLES_INTERVAL_US (900 * 1000)
/* With very many lanes they take long: no more than one in so many seconds goes into them. */
#define TABLES_SHARE 20
#define PAGE_BYTES 4096
/* Pages that gather in the WAL before they move into the file: 16 MB. More saves little, and a full
 * disk must hold it twice. */
#define WAL_PAGES 4000
#define WAL_PAGES_TIGHT 256

static void
set_write_error (TsRecordingWriter *self,
                 const char *reason)
{
  gint64 ms;

  if (self->error != NULL)
    return;

  if (self->n_rows_committed == 0 || self->options.is_all_or_nothing)
    {
      g_set_error (&self->error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."),
                   self->display_name, reason);
      return;
    }

  ms = _ts_scale_ticks (self->last_time_committed, 1000, self->clock_hz);
  /* Translators: a file name, a reason, and seconds of the recording, such as "12.3" */
  g_set_error (&self->error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
               _("Cannot write %s: %s; everything up to %d.%d s is kept."), self->display_name,
               reason, (int) (ms / 1000), (int) (ms % 1000 / 100));
}

/* Keeps the first failure of the database and gives up the uncommitted rest; what was committed
 * stays. */
void
_ts_writer_fail (TsRecordingWriter *self,
                 int rc)
{
  int code = sqlite3_system_errno (self->db);
  g_autofree char *words = g_strdup (sqlite3_errmsg (self->db));

  if ((rc & 0xFF) == SQLITE_FULL || code == ENOSPC || code == EDQUOT)
    set_write_error (self, _("the disk is full"));
  else if (code == EFBIG)
    set_write_error (self, _("the file cannot grow further here"));
  else if ((rc & 0xFF) == SQLITE_IOERR && code != 0)
    set_write_error (self, g_strerror (code));
  else
    set_write_error (self, words);

  if (sqlite3_get_autocommit (self->db) == 0)
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  self->in_transaction = FALSE;
  self->n_pending = 0;
  self->n_uncommitted = 0;
  self->n_rows = self->n_rows_committed;
  self->n_events = self->n_events_committed;
  self->last_time = self->last_time_committed;
}

gboolean
_ts_writer_check (TsRecordingWriter *self,
                  int rc)
{
  if (rc == SQLITE_OK || rc == SQLITE_DONE)
    return TRUE;

  _ts_writer_fail (self, rc);
  return FALSE;
}

gboolean
_ts_writer_begin (TsRecordingWriter *self)
{
  if (self->error != NULL || self->db == NULL)
    return FALSE;
  if (self->in_transaction)
    return TRUE;

  if (!_ts_writer_check (self, sqlite3_exec (self->db, "BEGIN IMMEDIATE", NULL, NULL, NULL)))
    return FALSE;

  self->in_transaction = TRUE;
  return TRUE;
}

/* Stores the gathered events as rows. */
gboolean
_ts_writer_store_pending (TsRecordingWriter *self)
{
  int rc;

  if (self->n_pending == 0)
    return self->error == NULL;
  if (!_ts_writer_begin (self))
    return FALSE;

  self->feed.events = self->pending;
  self->feed.n_events = self->n_pending;
  rc = sqlite3_step (self->insert_events);
  sqlite3_reset (self->insert_events);
  if (!_ts_writer_check (self, rc))
    return FALSE;

  self->n_pending = 0;
  return TRUE;
}

gboolean
_ts_writer_store_raw (TsRecordingWriter *self)
{
  int rc;

  if (self->raw->len == 0)
    return self->error == NULL;
  if (!_ts_writer_begin (self))
    return FALSE;

  sqlite3_bind_int64 (self->insert_raw, 1, self->raw_host_us);
  sqlite3_bind_int64 (self->insert_raw, 2, self->raw_source);
  sqlite3_bind_blob64 (self->insert_raw, 3, self->raw->data, self->raw->len, SQLITE_STATIC);
  rc = sqlite3_step (self->insert_raw);
  sqlite3_reset (self->insert_raw);
  sqlite3_clear_bindings (self->insert_raw);
  if (!_ts_writer_check (self, rc))
    return FALSE;

  g_byte_array_set_size (self->raw, 0);
  return TRUE;
}

void
_ts_writer_publish (TsRecordingWriter *self,
                    gint64 now_us)
{
  self->published_at_us = now_us;
  ts_tracker_publish_open (self->tracker);
  ts_lane_store_publish (self->store,
                         _ts_hold_is_waiting (&self->hold) ? self->hold.begin : self->last_time);
  _ts_live_publish (self->live, self->n_events, self->last_time, self->clock_hz);
}

/* Moves the WAL into the file. SQLite then cuts the file to its size, and the reserve with it. */
static void
move_wal (TsRecordingWriter *self)
{
  int n_log = 0;
  int n_moved = 0;

  if (sqlite3_wal_checkpoint_v2 (self->db, "main", SQLITE_CHECKPOINT_PASSIVE, &n_log, &n_moved)
          == SQLITE_OK
      && n_moved >= 0)
    {
      self->wal_moved = n_moved;
      self->reserve.end = 0;
    }
}

/* After each commit: how much of the WAL is not in the file yet. */
static int
note_commit (void *data,
             sqlite3 *db,
             const char *name,
             int n_frames)
{
  TsRecordingWriter *self = data;

  if (n_frames < self->wal_frames)
    {
      self->wal_frames = 0;
      self->wal_moved = 0;
    }
  self->wal_largest = MAX (self->wal_largest, n_frames - self->wal_frames);
  self->wal_frames = n_frames;

  if (n_frames - self->wal_moved >= (self->reserve.is_tight ? WAL_PAGES_TIGHT : WAL_PAGES))
    move_wal (self);
  return SQLITE_OK;
}

/* Whether what is in the WAL, and half as much again as the largest commit, could still move into
 * the file. */
static gboolean
has_space (TsRecordingWriter *self)
{
  gint64 n_frames = self->wal_frames - self->wal_moved + self->wal_largest + self->wal_largest / 2;

  return _ts_reserve_advance (&self->reserve, n_frames * PAGE_BYTES);
}

/* Stops in time when the disk is full, so that the recording can still be finished properly. */
static void
check_space (TsRecordingWriter *self)
{
  if (self->is_finishing || has_space (self))
    return;

  move_wal (self);
  if (has_space (self))
    return;

  set_write_error (self, _("the disk is full"));
  self->is_full = TRUE;
}

/* Whether the recording's name still means the file that is being written. */
gboolean
_ts_writer_is_in_place (TsRecordingWriter *self)
{
  GStatBuf buf;

  return g_stat (self->path, &buf) == 0 && buf.st_dev == self->device && buf.st_ino == self->inode;
}

/* A file that is written under no name, or under another one, is found by nobody: say so at once,
 * and end it properly where it is. */
static void
check_place (TsRecordingWriter *self)
{
  if (self->error != NULL || _ts_writer_is_in_place (self))
    return;

  g_set_error (&self->error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
               _("%s was deleted, moved or replaced while it was being written, and ends there."),
               self->display_name);
  self->is_full = TRUE;
}

/* Makes everything so far durable. @with_tables: statistics too. */
gboolean
_ts_writer_commit (TsRecordingWriter *self,
                   gboolean with_tables,
                   gint64 now_us)
{
  if (!_ts_writer_store_pending (self) || !_ts_writer_store_raw (self) || !_ts_writer_begin (self))
    return FALSE;
  if (!_ts_writer_write_objects (self) || !_ts_writer_write_nodes (self)
      || !_ts_writer_write_summary (self))
    return FALSE;

  if (with_tables
      || now_us - self->tables_at_us
             >= MAX (TABLES_INTERVAL_US, self->tables_took_us * TABLES_SHARE))
    {
      gint64 begin_us = g_get_monotonic_time ();

      if (!_ts_writer_write_statistics (self))
        return FALSE;
      self->tables_at_us = g_get_monotonic_time ();
      self->tables_took_us = self->tables_at_us - begin_us;
    }

  if (!_ts_writer_check (self, sqlite3_exec (self->db, "COMMIT", NULL, NULL, NULL)))
    return FALSE;

  self->in_transaction = FALSE;
  self->committed_at_us = now_us;
  self->n_uncommitted = 0;
  self->n_rows_committed = self->n_rows;
  self->n_events_committed = self->n_events;
  self->last_time_committed = self->last_time;
  ts_lane_store_committed (self->store);
  if (self->live != NULL)
    {
      _ts_writer_publish_keys (self);
      _ts_live_committed (self->live, self->n_rows, self->n_events);
    }
  check_space (self);
  check_place (self);
  return TRUE;
}

static gboolean
prepare (TsRecordingWriter *self,
         const char *sql,
         sqlite3_stmt **stmt,
         GError **error)
{
  if (sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL) == SQLITE_OK)
    return TRUE;

  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, sqlite3_errmsg (self->db));
  return FALSE;
}

static gboolean
prepare_statements (TsRecordingWriter *self,
                    GError **error)
{
  return prepare (self, TS_FEED_INSERT_SQL, &self->insert_events, error)
         && prepare (self, "INSERT INTO ts_strings VALUES(?1,?2)", &self->insert_string, error)
         && prepare (self, "INSERT INTO raw_log(t_host_us,source,bytes) VALUES(?1,?2,?3)",
                     &self->insert_raw, error)
         && prepare (self, "INSERT INTO ts_blobs(data) VALUES(?1)", &self->insert_blob, error)
         && prepare (self, "INSERT INTO ts_nodes VALUES(?1,?2,?3,?4,?5,?6,?7,?8)",
                     &self->insert_node, error)
         && prepare (self, "INSERT INTO ts_figures VALUES(?1,?2)", &self->insert_figures, error)
         && prepare (self, "INSERT INTO ts_sections VALUES(?1,?2)", &self->insert_sections, error)
         && prepare (self, "INSERT INTO ts_row_blocks VALUES(?1,?2)", &self->insert_row_block,
                     error)
         && prepare (self,
                     "INSERT OR REPLACE INTO va_objects "
                     "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
                     &self->upsert_object, error);
}

/* Creates the file. Returns FALSE with the bare reason. */
gboolean
_ts_writer_create_file (TsRecordingWriter *self,
                        GError **error)
{
  GStatBuf buf;
  int fd = g_open (self->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

  /* SQLite tries again for reading, and tells why that failed instead. */
  if (fd < 0)
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, g_strerror (errno));
      return FALSE;
    }
  close (fd);

  if (sqlite3_open_v2 (self->path, &self->db,
                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)
      != SQLITE_OK)
    {
      int code = sqlite3_system_errno (self->db);

      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                           code != 0 ? g_strerror (code) : sqlite3_errmsg (self->db));
      return FALSE;
    }

  sqlite3_extended_result_codes (self->db, 1);
  sqlite3_busy_timeout (self->db, 5000);
  if (!_ts_db_exec (self->db,
                    "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE; PRAGMA encoding='UTF-8'; "
                    "PRAGMA journal_mode=WAL;"
                    "PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;"
                    "PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=OFF;",
                    error)
      || !_ts_db_exec (self->db, "BEGIN IMMEDIATE", error) || !_ts_schema_create (self->db, error)
      || !_ts_feed_register (self->db, &self->feed, error) || !prepare_statements (self, error)
      || !_ts_db_exec (self->db, "COMMIT", error))
    {
      if (error != NULL && sqlite3_errcode (self->db) == SQLITE_FULL)
        {
          g_clear_error (error);
          g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("the disk is full"));
        }
      return FALSE;
    }

  if (g_stat (self->path, &buf) == 0)
    {
      self->device = buf.st_dev;
      self->inode = buf.st_ino;
    }
  sqlite3_wal_hook (self->db, note_commit, self);
  _ts_reserve_open (&self->reserve, self->path);
  return TRUE;
}

void
_ts_writer_close_database (TsRecordingWriter *self)
{
  g_clear_pointer (&self->insert_events, sqlite3_finalize);
  g_clear_pointer (&self->insert_string, sqlite3_finalize);
  g_clear_pointer (&self->insert_raw, sqlite3_finalize);
  g_clear_pointer (&self->insert_blob, sqlite3_finalize);
  g_clear_pointer (&self->insert_node, sqlite3_finalize);
  g_clear_pointer (&self->insert_row_block, sqlite3_finalize);
  g_clear_pointer (&self->insert_figures, sqlite3_finalize);
  g_clear_pointer (&self->insert_sections, sqlite3_finalize);
  g_clear_pointer (&self->upsert_object, sqlite3_finalize);
  g_clear_pointer (&self->db, sqlite3_close);
  _ts_reserve_close (&self->reserve);
}
