/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-db.c: read-only connections to recordings, whatever state the file was left in. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-model-error.h"
#include "ts-recording-live.h"

/* A statement of the reader itself takes milliseconds; a hostile file must not hang the program for
 * longer than this. */
#define STATEMENT_LIMIT_US (15 * G_USEC_PER_SEC)
/* Recordings left by a killed writer in a folder that cannot be written are copied up to this size.
 */
#define MAX_COPY_BYTES ((goffset) 2 << 30)
#define MAX_VALUE_BYTES (256 << 20)

static const char * const statement_sql[TS_STATEMENT_N] = {
  [TS_STATEMENT_ROWS]
  = "SELECT rowid,t,x,v,d FROM ts_events WHERE rowid>=?1 AND rowid<?2 ORDER BY rowid",
  [TS_STATEMENT_ROW_TIME] = "SELECT t FROM ts_events WHERE rowid>=?1 ORDER BY rowid LIMIT 1",
  [TS_STATEMENT_STRING] = "SELECT text FROM ts_strings WHERE id=?1",
  [TS_STATEMENT_BLOB] = "SELECT data FROM ts_blobs WHERE id=?1",
  [TS_STATEMENT_FIGURES] = "SELECT data FROM ts_figures WHERE id=?1",
  [TS_STATEMENT_SECTIONS] = "SELECT data FROM ts_sections WHERE id=?1",
  [TS_STATEMENT_BOOK] = "SELECT data FROM ts_books WHERE id=?1",
  [TS_STATEMENT_ROW_BLOCK] = "SELECT data FROM ts_row_blocks WHERE first=?1",
};

static int
check_progress (void *data)
{
  TsReaderDb *self = data;

  return (self->deadline_us != 0 && g_get_monotonic_time () > self->deadline_us)
         || (self->cancellable != NULL && g_cancellable_is_cancelled (self->cancellable));
}

/* Tables of ours in an index, seen in place of those of the file. Rows only where the index has
 * them: then the file has none of ours. */
static int
attach_index (sqlite3 *db,
              const char *uri)
{
  static const char views[]
      = "CREATE TEMP VIEW ts_lanes AS SELECT * FROM ts_index.ts_lanes;"
        "CREATE TEMP VIEW ts_nodes AS SELECT * FROM ts_index.ts_nodes;"
        "CREATE TEMP VIEW ts_blobs AS SELECT * FROM ts_index.ts_blobs;"
        "CREATE TEMP VIEW ts_figures AS SELECT * FROM ts_index.ts_figures;"
        "CREATE TEMP VIEW ts_kind_counts AS SELECT * FROM ts_index.ts_kind_counts;"
        "CREATE TEMP VIEW ts_object_counts AS SELECT * FROM ts_index.ts_object_counts;";
  static const char row_views[]
      = "CREATE TEMP VIEW ts_events AS SELECT rowid AS rowid,t,x,v,d FROM ts_index.ts_events;"
        "CREATE TEMP VIEW ts_strings AS SELECT * FROM ts_index.ts_strings;";
  static const char block_view[]
      = "CREATE TEMP VIEW ts_row_blocks AS SELECT * FROM ts_index.ts_row_blocks;";
  static const char comms_view[]
      = "CREATE TEMP VIEW ts_comms AS SELECT * FROM ts_index.ts_comms;";
  static const char sections_view[]
      = "CREATE TEMP VIEW ts_sections AS SELECT * FROM ts_index.ts_sections;";
  static const char books_view[]
      = "CREATE TEMP VIEW ts_books AS SELECT * FROM ts_index.ts_books;";
  sqlite3_stmt *stmt = NULL;
  gboolean has_rows;
  int rc;

  rc = sqlite3_prepare_v2 (db, "ATTACH ?1 AS ts_index", -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    {
      sqlite3_bind_text (stmt, 1, uri, -1, SQLITE_STATIC);
      rc = sqlite3_step (stmt) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
      sqlite3_finalize (stmt);
    }
  if (rc != SQLITE_OK)
    return rc;

  rc = sqlite3_prepare_v2 (db, "SELECT 1 FROM ts_index.ts_events LIMIT 1", -1, &stmt, NULL);
  has_rows = rc == SQLITE_OK && sqlite3_step (stmt) == SQLITE_ROW;
  sqlite3_finalize (stmt);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec (db, "PRAGMA query_only=OFF", NULL, NULL, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec (db, views, NULL, NULL, NULL);
  if (rc == SQLITE_OK && has_rows)
    rc = sqlite3_exec (db, row_views, NULL, NULL, NULL);
  /* An index of an older version has none: then a search reads all rows, gives and takes are
   * matched when asked for, sections come with the figures, and those lie apart. */
  if (rc == SQLITE_OK)
    {
      sqlite3_exec (db, block_view, NULL, NULL, NULL);
      sqlite3_exec (db, comms_view, NULL, NULL, NULL);
      sqlite3_exec (db, sections_view, NULL, NULL, NULL);
      sqlite3_exec (db, books_view, NULL, NULL, NULL);
    }
  sqlite3_exec (db, "PRAGMA query_only=ON", NULL, NULL, NULL);
  return rc;
}

/* Opens @uri and reads the schema, so that a file that cannot be read is found out here. Returns
 * SQLite's code. */
static int
open_uri (TsReaderDb *self,
          const char *uri,
          char **message)
{
  sqlite3 *db = NULL;
  int rc = sqlite3_open_v2 (uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                            NULL);

  if (rc == SQLITE_OK)
    {
      sqlite3_extended_result_codes (db, 1);
      sqlite3_busy_timeout (db, 3000);
      sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
      sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
      self->deadline_us = g_get_monotonic_time () + STATEMENT_LIMIT_US;
      sqlite3_progress_handler (db, 20000, check_progress, self);
      rc = sqlite3_exec (db,
                         "PRAGMA cell_size_check=ON; PRAGMA cache_size=-2000; PRAGMA query_only=ON;"
                         "SELECT count(*) FROM sqlite_schema",
                         NULL, NULL, NULL);
    }

  if (rc == SQLITE_OK && self->index_uri != NULL)
    rc = attach_index (db, self->index_uri);
  if (rc == SQLITE_OK)
    {
      self->db = db;
      return rc;
    }

  if (message != NULL)
    *message = g_strdup (db != NULL ? sqlite3_errmsg (db) : sqlite3_errstr (rc));
  sqlite3_close (db);
  return rc;
}

static char *
make_uri (const char *path,
          const char *query)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *escaped = g_uri_escape_string (absolute, "/", FALSE);

  return g_strconcat ("file:", escaped, query, NULL);
}

static goffset
file_size (const char *path)
{
  GStatBuf buf;

  return g_stat (path, &buf) == 0 ? (goffset) buf.st_size : -1;
}

/* Copies the database and its WAL into a folder of our own, where SQLite may recover it. */
static gboolean
copy_aside (TsReaderDb *self,
            const char *path,
            const char *wal)
{
  g_autofree char *dir = NULL;
  g_autofree char *to = NULL;
  g_autofree char *to_wal = NULL;
  g_autoptr (GFile) from_file = g_file_new_for_path (path);
  g_autoptr (GFile) from_wal_file = g_file_new_for_path (wal);
  g_autoptr (GFile) to_file = NULL;
  g_autoptr (GFile) to_wal_file = NULL;

  if (file_size (path) + file_size (wal) > MAX_COPY_BYTES)
    return FALSE;

  dir = g_dir_make_tmp ("taskscope-XXXXXX", NULL);
  if (dir == NULL)
    return FALSE;

  to = g_build_filename (dir, "copy.vadb", NULL);
  to_wal = g_build_filename (dir, "copy.vadb-wal", NULL);
  to_file = g_file_new_for_path (to);
  to_wal_file = g_file_new_for_path (to_wal);
  self->temp_dir = g_steal_pointer (&dir);

  if (g_file_copy (from_file, to_file, G_FILE_COPY_TARGET_DEFAULT_PERMS, NULL, NULL, NULL, NULL)
      && g_file_copy (from_wal_file, to_wal_file, G_FILE_COPY_TARGET_DEFAULT_PERMS, NULL, NULL,
                      NULL, NULL))
    {
      g_free (self->uri);
      self->uri = make_uri (to, "?mode=ro");
      return TRUE;
    }

  return FALSE;
}

static void
remove_copy (TsReaderDb *self)
{
  static const char * const names[] = { "copy.vadb", "copy.vadb-wal", "copy.vadb-shm" };

  if (self->temp_dir == NULL)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = g_build_filename (self->temp_dir, names[i], NULL);

      g_unlink (name);
    }
  g_rmdir (self->temp_dir);
  g_clear_pointer (&self->temp_dir, g_free);
}

/* What is no database at all is told before SQLite sees it. */
static gboolean
check_file (const char *path,
            GError **error)
{
  static const char magic[16] = "SQLite format 3";
  g_autofree char *name = g_filename_display_name (path);
  GStatBuf buf;
  char head[sizeof magic] = { 0 };
  gssize n = -1;
  int fd;

  if (g_stat (path, &buf) != 0)
    {
      int code = errno;

      if (code == ENOENT || code == ENOTDIR)
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_NO_SUCH_RECORDING,
                     _("There is no recording “%s”."), name);
      else
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_NO_SUCH_RECORDING,
                     _("The recording “%s” cannot be reached: %s."), name, g_strerror (code));
      return FALSE;
    }

  if (!S_ISREG (buf.st_mode))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   S_ISDIR (buf.st_mode) ? _("“%s” is a folder, not a recording.")
                                         : _("“%s” is not a file, so it cannot be a recording."),
                   name);
      return FALSE;
    }

  if (buf.st_size == 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("The file “%s” is empty."), name);
      return FALSE;
    }

  fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0)
    n = read (fd, head, sizeof head);
  if (n < 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("The file “%s” cannot be read: %s."), name, g_strerror (errno));
      if (fd >= 0)
        close (fd);
      return FALSE;
    }
  close (fd);

  if (n < (gssize) sizeof magic || memcmp (head, magic, sizeof magic) != 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("“%s” is not a recording: it does not begin like a .vadb file; captured "
                      "bytes are made one by opening them in the window (give the file another name "
                      "than .vadb), or by “taskscope-cli decode”."),
                   name);
      return FALSE;
    }

  return TRUE;
}

static TsReaderDb *
reader_db_alloc (void)
{
  TsReaderDb *self = g_atomic_rc_box_new0 (TsReaderDb);

  g_mutex_init (&self->mutex);
  self->index_fd = -1;
  return self;
}

/**
 * _ts_reader_db_new:
 * @path: a file
 * @error: return location
 *
 * Opens a recording read-only. A file left in WAL mode by a killed writer is recovered by SQLite in
 * place where the folder can be written, else from a copy, else without the WAL.
 *
 * Thread: any
 * Errors: %TS_MODEL_ERROR_NO_SUCH_RECORDING, %TS_MODEL_ERROR_BAD_RECORDING
 *
 * Returns: (transfer full) (nullable): the connection
 */
TsReaderDb *
_ts_reader_db_new (const char *path,
                   GError **error)
{
  g_autoptr (TsReaderDb) self = NULL;
  g_autofree char *wal = g_strconcat (path, "-wal", NULL);
  g_autofree char *message = NULL;
  g_autofree char *name = NULL;
  int rc;

  if (!check_file (path, error))
    return NULL;

  self = reader_db_alloc ();
  self->uri = make_uri (path, "?mode=ro");
  rc = open_uri (self, self->uri, &message);

  if (rc != SQLITE_OK && (rc & 0xFF) != SQLITE_NOTADB && (rc & 0xFF) != SQLITE_CORRUPT)
    {
      if (file_size (wal) > 0 && copy_aside (self, path, wal))
        rc = open_uri (self, self->uri, NULL);
      if (rc != SQLITE_OK)
        {
          g_free (self->uri);
          self->uri = make_uri (path, "?mode=ro&immutable=1");
          rc = open_uri (self, self->uri, NULL);
        }
    }

  if (rc == SQLITE_OK)
    return g_steal_pointer (&self);

  name = g_filename_display_name (path);
  if ((rc & 0xFF) == SQLITE_NOTADB || (rc & 0xFF) == SQLITE_CORRUPT)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The recording “%s” is damaged: %s."), name, message);
  else
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The recording “%s” cannot be opened: %s."), name, message);
  return NULL;
}

/**
 * _ts_reader_db_new_live:
 * @live: a writer's shared state
 *
 * A connection to a file that is being written; opened when first used.
 *
 * Thread: any
 *
 * Returns: (transfer full): the connection
 */
TsReaderDb *
_ts_reader_db_new_live (TsLive *live)
{
  TsReaderDb *self = reader_db_alloc ();

  self->live = _ts_live_ref (live);
  self->uri = make_uri (live->path, "?mode=ro");

  g_mutex_lock (&live->mutex);
  g_ptr_array_add (live->readers, self);
  g_mutex_unlock (&live->mutex);
  return self;
}

/**
 * _ts_reader_db_dup:
 * @self: a connection to a closed recording
 *
 * Another connection to the same file, opened when first used. @self must outlive it.
 *
 * Thread: owner of the reader; the result may be used by any
 *
 * Returns: (transfer full): the connection
 */
TsReaderDb *
_ts_reader_db_dup (TsReaderDb *self)
{
  TsReaderDb *copy = reader_db_alloc ();

  copy->uri = g_strdup (self->uri);
  copy->index_uri = g_strdup (self->index_uri);
  return copy;
}

static void
close_locked (TsReaderDb *self)
{
  for (guint i = 0; i < TS_STATEMENT_N; i++)
    g_clear_pointer (&self->statements[i], sqlite3_finalize);
  self->missing = 0;
  g_clear_pointer (&self->db, sqlite3_close_v2);
}

static void
reader_db_clear (gpointer data)
{
  TsReaderDb *self = data;

  close_locked (self);
  remove_copy (self);
  if (self->index_fd >= 0)
    close (self->index_fd);
  g_mutex_clear (&self->mutex);
  g_free (self->index_uri);
  g_free (self->uri);
}

/* Thread: safe */
TsReaderDb *
_ts_reader_db_ref (TsReaderDb *self)
{
  return g_atomic_rc_box_acquire (self);
}

/* Thread: safe */
void
_ts_reader_db_unref (TsReaderDb *self)
{
  g_atomic_rc_box_release_full (self, reader_db_clear);
}

/**
 * _ts_reader_db_detach:
 * @self: (transfer full): a reader's connection
 *
 * The reader needs it no longer.
 *
 * Thread: owner
 */
void
_ts_reader_db_detach (TsReaderDb *self)
{
  TsLive *live = self->live;

  if (live != NULL)
    {
      g_mutex_lock (&live->mutex);
      g_ptr_array_remove_fast (live->readers, self);
      g_mutex_unlock (&live->mutex);
      g_mutex_lock (&self->mutex);
      self->live = NULL;
      g_mutex_unlock (&self->mutex);
      _ts_live_unref (live);
    }

  _ts_reader_db_unref (self);
}

/**
 * _ts_reader_db_attach:
 * @self: a reader's connection
 * @path: an index, made by us
 *
 * Reads our tables from an index from now on. Where that cannot be, nothing changes.
 *
 * Thread: owner of the reader
 */
gboolean
_ts_reader_db_attach (TsReaderDb *self,
                      const char *path)
{
  gboolean ok;

  g_mutex_lock (&self->mutex);
  close_locked (self);
  self->index_uri = make_uri (path, "?mode=ro");
  ok = open_uri (self, self->uri, NULL) == SQLITE_OK;
  if (!ok)
    {
      g_clear_pointer (&self->index_uri, g_free);
      open_uri (self, self->uri, NULL);
    }
  else if (self->index_fd < 0)
    {
      /* shared with all who read it; SQLite's own locks are of another kind */
      self->index_fd = open (path, O_RDONLY | O_CLOEXEC);
      if (self->index_fd >= 0)
        flock (self->index_fd, LOCK_SH | LOCK_NB);
    }
  g_mutex_unlock (&self->mutex);
  return ok;
}

/* Whether our tables come from an index. Thread: owner of the reader */
gboolean
_ts_reader_db_is_attached (TsReaderDb *self)
{
  return self->index_uri != NULL;
}

/* Closes the connection; it opens again at the next use. Thread: safe */
void
_ts_reader_db_close (TsReaderDb *self)
{
  g_mutex_lock (&self->mutex);
  close_locked (self);
  g_mutex_unlock (&self->mutex);
}

/**
 * _ts_reader_db_lock:
 * @self: a reader's connection
 *
 * Takes the connection until _ts_reader_db_unlock(); always to be paired. Statements are
 * interrupted after some seconds unless the caller sets @self->deadline_us.
 *
 * Thread: owner of the reader
 *
 * Returns: (nullable): the connection, or %NULL while the file cannot be opened
 */
sqlite3 *
_ts_reader_db_lock (TsReaderDb *self)
{
  g_mutex_lock (&self->mutex);

  if (self->db == NULL)
    {
      gboolean may_open = TRUE;

      if (self->live != NULL)
        {
          g_mutex_lock (&self->live->mutex);
          may_open = !self->live->is_closing;
          g_mutex_unlock (&self->live->mutex);
        }

      if (may_open)
        open_uri (self, self->uri, NULL);
    }

  self->deadline_us = g_get_monotonic_time () + STATEMENT_LIMIT_US;
  self->cancellable = NULL;
  return self->db;
}

/* Gives the connection back. Thread: owner of the reader */
void
_ts_reader_db_unlock (TsReaderDb *self)
{
  /* A statement left standing would hold back the writer's checkpoints. */
  for (guint i = 0; i < TS_STATEMENT_N; i++)
    sqlite3_reset (self->statements[i]);

  self->cancellable = NULL;
  g_mutex_unlock (&self->mutex);
}

/**
 * _ts_reader_db_get_statement:
 * @self: a locked connection
 * @which: which statement
 *
 * Thread: owner of the reader
 *
 * Returns: (nullable): the statement, reset; %NULL if the file has no such table
 */
sqlite3_stmt *
_ts_reader_db_get_statement (TsReaderDb *self,
                             TsReaderStatement which)
{
  self->n_reads++;
  if (self->db == NULL || (self->missing & 1u << which) != 0)
    return NULL;

  if (self->statements[which] == NULL)
    {
      /* A table that is not there now does not come. */
      if (sqlite3_prepare_v3 (self->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                              &self->statements[which], NULL) == SQLITE_ERROR)
        self->missing |= 1u << which;
    }
  else
    sqlite3_reset (self->statements[which]);

  return self->statements[which];
}

/**
 * _ts_reader_db_dup_blob:
 * @self: a connection
 * @which: a statement that gives one blob by its key
 * @id: the key
 *
 * Thread: owner of the reader
 *
 * Returns: (transfer full) (nullable): the bytes
 */
GBytes *
_ts_reader_db_dup_blob (TsReaderDb *self,
                        TsReaderStatement which,
                        gint64 id)
{
  GBytes *bytes = NULL;
  sqlite3_stmt *stmt;

  _ts_reader_db_lock (self);
  stmt = _ts_reader_db_get_statement (self, which);
  if (stmt != NULL)
    {
      sqlite3_bind_int64 (stmt, 1, id);
      if (sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_type (stmt, 0) == SQLITE_BLOB)
        bytes = g_bytes_new (sqlite3_column_blob (stmt, 0), (gsize) sqlite3_column_bytes (stmt, 0));
    }
  _ts_reader_db_unlock (self);
  return bytes;
}

static gboolean
has_moved (sqlite3 *db,
           const char *schema)
{
  int moved = 1;

  return sqlite3_file_control (db, schema, SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved;
}

/**
 * _ts_reader_db_is_twin:
 * @self: a connection
 * @origin: the one that it was made of with _ts_reader_db_dup()
 *
 * Thread: owner of the reader
 *
 * Returns: whether @self is open, and to the same file: not so when the file has been removed, or
 *   another one has come to its place
 */
gboolean
_ts_reader_db_is_twin (TsReaderDb *self,
                       TsReaderDb *origin)
{
  gboolean is_open = _ts_reader_db_lock (self) != NULL;
  sqlite3 *db;

  _ts_reader_db_unlock (self);
  if (!is_open)
    return FALSE;
  db = _ts_reader_db_lock (origin);
  is_open = db != NULL && !has_moved (db, "main")
            && (origin->index_uri == NULL || !has_moved (db, "ts_index"));
  _ts_reader_db_unlock (origin);
  return is_open;
}

/**
 * _ts_reader_db_hold:
 * @self: a connection to a closed recording
 *
 * What is read until _ts_reader_db_release() is read in one go: the file is locked and looked at
 * for changes once, not for every blob (a third of what reading a small one costs).
 *
 * Thread: owner of the reader
 */
void
_ts_reader_db_hold (TsReaderDb *self)
{
  sqlite3 *db = _ts_reader_db_lock (self);

  if (db != NULL && sqlite3_get_autocommit (db))
    sqlite3_exec (db, "BEGIN", NULL, NULL, NULL);
  _ts_reader_db_unlock (self);
}

/* Bounds the memory of pages of the file, until it is opened again. Thread: owner of the reader */
void
_ts_reader_db_limit_cache (TsReaderDb *self,
                           guint kib)
{
  g_autofree char *sql = g_strdup_printf ("PRAGMA cache_size=-%u", kib);
  sqlite3 *db = _ts_reader_db_lock (self);

  if (db != NULL)
    sqlite3_exec (db, sql, NULL, NULL, NULL);
  _ts_reader_db_unlock (self);
}

/* Gives back the memory of pages of the file. Thread: owner of the reader */
void
_ts_reader_db_trim (TsReaderDb *self)
{
  g_mutex_lock (&self->mutex);
  if (self->db != NULL)
    sqlite3_db_release_memory (self->db);
  g_mutex_unlock (&self->mutex);
}

/* Thread: owner of the reader */
void
_ts_reader_db_release (TsReaderDb *self)
{
  g_mutex_lock (&self->mutex);
  if (self->db != NULL && !sqlite3_get_autocommit (self->db))
    sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  g_mutex_unlock (&self->mutex);
}
