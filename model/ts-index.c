/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-index.c: the folder of indexes: which belongs to what, how much they may take. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-export-private.h"
#include "ts-index-private.h"

/* Part of every name: an index that other code made is not found. */
#define INDEX_VERSION 2
#define SUFFIX ".vadb"
/* What a build that was killed left behind goes after so long. */
#define ABANDONED_SECONDS (24 * 3600)

/**
 * ts_index_dup_folder:
 *
 * Thread: any
 *
 * Returns: (transfer full): where indexes are kept; it may not exist yet
 */
char *
ts_index_dup_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "taskscope", "indexes", NULL);
}

/* The name of the index of a file as it is now: another size or time, another name. */
static char *
dup_path (TsRecording *recording)
{
  g_autofree char *wal = g_strconcat (recording->path, "-wal", NULL);
  g_autofree char *folder = ts_index_dup_folder ();
  g_autofree char *key = NULL;
  g_autofree char *sum = NULL;
  g_autofree char *name = NULL;
  struct stat buf;
  struct stat wal_buf = { 0 };

  if (stat (recording->path, &buf) != 0)
    return NULL;
  if (stat (wal, &wal_buf) != 0)
    wal_buf.st_size = 0;

  key = g_strdup_printf ("%s\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT ".%09ld\n%" G_GUINT64_FORMAT
                         "\n%s\n%" G_GINT64_FORMAT "\n%d %d",
                         recording->path, (gint64) buf.st_size, (gint64) buf.st_mtim.tv_sec,
                         buf.st_mtim.tv_nsec, (guint64) buf.st_ino, recording->id,
                         (gint64) wal_buf.st_size, TS_SCHEMA_VERSION, INDEX_VERSION);
  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);
  name = g_strdup_printf ("%.32s" SUFFIX, sum);
  return g_build_filename (folder, name, NULL);
}

/* Objects that only the index knows: those that the recording's own table leaves out. */
static void
adopt_objects (TsRecording *self,
               sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;

  if (sqlite3_prepare_v2 (db,
                          "SELECT id,type,wire_id,name,priority,base_priority,stack_bytes,capacity,"
                          "address,unit,display,core,is_named,is_idle FROM ts_index.va_objects "
                          "WHERE type IS NOT NULL OR is_named",
                          -1, &stmt, NULL)
      == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          gint64 id = sqlite3_column_int64 (stmt, 0);
          TsObject object = TS_OBJECT_INIT;

          if (id <= 0 || id > G_MAXINT32
              || g_hash_table_contains (self->objects, GUINT_TO_POINTER ((guint32) id)))
            continue;
          _ts_recording_read_object (stmt, &object);
          g_hash_table_insert (self->objects, GUINT_TO_POINTER (object.id),
                               g_memdup2 (&object, sizeof object));
          self->n_objects = MAX (self->n_objects, object.id);
        }
    }
  sqlite3_finalize (stmt);
}

/* Finds the index of a recording; its tables are read in place of those that the recording lacks.
 */
gboolean
_ts_index_attach (TsRecording *self)
{
  g_autofree char *path = dup_path (self);
  sqlite3 *db;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !_ts_reader_db_attach (self->rdb, path))
    return FALSE;

  utime (path, NULL);
  db = _ts_recording_begin_read (self, TS_QUERY_LIMIT_US, NULL);
  if (!self->tables.has_rows)
    {
      self->tables.has_rows = TRUE;
      self->n_rows
          = (guint64) MAX (_ts_db_get_int (db, "SELECT max(rowid) FROM ts_events", 0), 0);
      self->duration = _ts_recording_read_duration (self, db);
      if (self->n_events == 0)
        self->n_events = (guint64) MAX (
            _ts_db_get_key_int (db, "ts_index.va_summary", "total_events", 0), 0);
      adopt_objects (self, db);
    }
  self->tables.has_lanes = TRUE;
  self->tables.has_counts = TRUE;
  self->tables.has_blocks = _ts_db_can_prepare (db, "SELECT first,data FROM ts_row_blocks");
  self->tables.has_comms
      = _ts_db_can_prepare (db, "SELECT id,begin,end,steps,is_last,data FROM ts_comms");
  _ts_recording_end_read (self);
  return TRUE;
}

/**
 * ts_index_is_needed:
 * @recording: a recording
 *
 * Whether lanes are missing, or made from samples only: ts_index_build() on a worker, then open it
 * again.
 *
 * Thread: owner of @recording
 */
gboolean
ts_index_is_needed (TsRecording *recording)
{
  g_return_val_if_fail (TS_IS_RECORDING (recording), FALSE);

  return recording->needs_index;
}

/**
 * ts_index_build:
 * @recording: a recording of the calling thread (ts_recording_reopen())
 * @max_bytes: what all indexes together may take afterwards; the oldest go
 * @progress: (nullable) (scope call): told how far it is, on the calling thread
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @error: return location
 *
 * Makes the index of a recording in the cache folder. @recording itself does not change: open it
 * again.
 *
 * Cost: about a microsecond an event
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
ts_index_build (TsRecording *recording,
                guint64 max_bytes,
                TsExportProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                GError **error)
{
  TsIndexWork work = { recording, progress, user_data, cancellable };
  g_autofree char *path = NULL;
  g_autofree char *folder = ts_index_dup_folder ();
  TsExportFile file = { .fd = -1 };
  gboolean ok;

  g_return_val_if_fail (TS_IS_RECORDING (recording), FALSE);

  path = dup_path (recording);
  if (path == NULL || g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE,
                   _("Cannot make the folder %s: %s."), folder, g_strerror (errno));
      return FALSE;
    }

  /* A name of its own: two programs may make the same index. */
  ok = _ts_export_file_open (&file, recording, path, error)
       && (recording->tables.has_rows
               ? _ts_index_write_lanes (&work, file.temporary, error)
               : _ts_index_write_foreign (&work, file.temporary, error))
       && _ts_export_file_finish (&file, error);
  _ts_export_file_clear (&file);
  if (ok)
    ts_index_trim (max_bytes);
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}

/**
 * ts_index_reindex:
 * @path: a recording
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; all is as it was
 * @n_events: (out) (optional): events of the target
 * @error: return location
 *
 * Makes lanes and statistics again from the events: of one of our recordings in its own tables, in
 * one transaction; of somebody else's in the cache folder.
 *
 * Thread: any
 * Errors: as of ts_recording_open() and ts_index_build(); %TS_MODEL_ERROR_WRITE also when another
 *   program has the recording open
 */
gboolean
ts_index_reindex (const char *path,
                  TsExportProgress progress,
                  gpointer user_data,
                  GCancellable *cancellable,
                  guint64 *n_events,
                  GError **error)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, error);
  TsIndexWork work = { recording, progress, user_data, cancellable };
  g_autofree char *index = NULL;

  if (recording == NULL)
    return FALSE;

  index = dup_path (recording);
  if (recording->tables.has_rows && !_ts_reader_db_is_attached (recording->rdb))
    return _ts_index_rewrite_tables (&work, n_events, error);

  if (n_events != NULL)
    *n_events = ts_recording_get_n_events (recording);
  if (_ts_reader_db_is_attached (recording->rdb))
    {
      g_unlink (index);
      g_clear_object (&recording);
      recording = work.recording = ts_recording_open (path, error);
      if (recording == NULL)
        return FALSE;
      if (recording->tables.has_rows)
        return _ts_index_rewrite_tables (&work, n_events, error);
    }
  return ts_index_build (recording, TS_INDEX_DEFAULT_BYTES, progress, user_data, cancellable,
                         error);
}

static void
entry_free (gpointer data)
{
  TsIndexEntry *entry = data;

  g_free (entry->path);
  g_free (entry->source);
  g_free (entry);
}

static char *
dup_source (const char *path)
{
  sqlite3 *db = NULL;
  char *source = NULL;

  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
    source = _ts_db_dup_key (db, "meta", "ts_index_of");
  sqlite3_close (db);
  return source;
}

static int
compare_used (gconstpointer a,
              gconstpointer b)
{
  const TsIndexEntry *left = *(const TsIndexEntry * const *) a;
  const TsIndexEntry *right = *(const TsIndexEntry * const *) b;

  return left->used > right->used ? -1 : left->used < right->used;
}

/* @with_rest: what killed builds left as well */
static GPtrArray *
list_files (gboolean with_rest)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);
  g_autofree char *folder = ts_index_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      TsIndexEntry *entry;
      GStatBuf buf;

      if (strstr (name, SUFFIX) == NULL || (!with_rest && !g_str_has_suffix (name, SUFFIX))
          || g_lstat (path, &buf) != 0 || !S_ISREG (buf.st_mode))
        continue;
      entry = g_new0 (TsIndexEntry, 1);
      entry->path = g_steal_pointer (&path);
      entry->n_bytes = (guint64) buf.st_size;
      entry->used = (gint64) buf.st_mtime;
      g_ptr_array_add (entries, entry);
    }
  g_ptr_array_sort (entries, compare_used);
  return entries;
}

/**
 * ts_index_list:
 *
 * Thread: any
 *
 * Returns: (transfer full) (element-type TsIndexEntry): what is kept, last used first
 */
GPtrArray *
ts_index_list (void)
{
  GPtrArray *entries = list_files (FALSE);

  for (guint i = 0; i < entries->len; i++)
    {
      TsIndexEntry *entry = g_ptr_array_index (entries, i);

      entry->source = dup_source (entry->path);
    }
  return entries;
}

/* Whether a recording that is open, here or in another program, reads the index. */
static gboolean
is_in_use (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gboolean is_locked = fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

  if (fd >= 0)
    close (fd);
  return is_locked;
}

/**
 * ts_index_trim:
 * @max_bytes: what may stay; 0: nothing
 *
 * Removes the indexes that were not used for the longest time until no more than @max_bytes are
 * left; the one used last stays in any case, unless @max_bytes is 0. Those of recordings that are open
 * stay, and are counted first.
 *
 * Thread: any
 *
 * Returns: bytes removed
 */
guint64
ts_index_trim (guint64 max_bytes)
{
  g_autoptr (GPtrArray) entries = list_files (TRUE);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  g_autofree gboolean *in_use = g_new0 (gboolean, entries->len + 1);
  guint64 kept = 0;
  guint64 removed = 0;
  gboolean has_one = FALSE;

  for (guint i = 0; i < entries->len; i++)
    {
      const TsIndexEntry *entry = g_ptr_array_index (entries, i);

      in_use[i] = is_in_use (entry->path);
      kept += in_use[i] ? entry->n_bytes : 0;
    }
  for (guint i = 0; i < entries->len; i++)
    {
      const TsIndexEntry *entry = g_ptr_array_index (entries, i);
      gboolean is_whole = g_str_has_suffix (entry->path, SUFFIX);
      gboolean is_kept = is_whole ? max_bytes > 0
                                        && (!has_one || kept + entry->n_bytes <= max_bytes)
                                  : max_bytes > 0 && now - entry->used < ABANDONED_SECONDS;

      if (in_use[i])
        {
          has_one = TRUE;
        }
      else if (is_kept)
        {
          kept += is_whole ? entry->n_bytes : 0;
          has_one |= is_whole;
        }
      else if (g_unlink (entry->path) == 0)
        {
          removed += entry->n_bytes;
        }
    }
  return removed;
}
