/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-model"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>

#include "ts-raw-log.h"
#include "ts-model-error.h"
#include "ts-recording-private.h"

/**
 * ts_raw_log_read:
 * @recording: a recording
 * @after: id of the portion before; 0: none
 * @id: (out): id of the portion that was read; 0: there is none after @after
 * @source: (out): who sent it
 * @bytes: gets the bytes; what it held goes
 * @cancellable: (nullable): gives up
 * @error: return location
 *
 * The next portion of what arrived, in order, unchanged. A recording without `raw_log` has none.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_RECORDING when the file cannot be read there, or the portion is longer than
 *   %TS_RAW_LOG_MAX_BYTES or not numbered
 * Source: events.md section 3, `raw_log`
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_raw_log_read (TsRecording *recording,
                 gint64 after,
                 gint64 *id,
                 guint32 *source,
                 GByteArray *bytes,
                 GCancellable *cancellable,
                 GError **error)
{
  sqlite3_stmt *stmt = NULL;
  const char *reason = NULL;
  sqlite3 *db;
  int rc;

  g_return_val_if_fail (TS_IS_RECORDING (recording), FALSE);
  g_return_val_if_fail (id != NULL && source != NULL && bytes != NULL, FALSE);

  *id = 0;
  *source = 0;
  g_byte_array_set_size (bytes, 0);
  db = _ts_recording_begin_read (recording, 0, cancellable);
  if (!_ts_db_can_prepare (db, "SELECT id,source,bytes FROM raw_log"))
    {
      _ts_recording_end_read (recording);
      return TRUE;
    }
  rc = sqlite3_prepare_v2 (
      db, "SELECT id,source,bytes FROM raw_log WHERE id>?1 ORDER BY id LIMIT 1", -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    {
      sqlite3_bind_int64 (stmt, 1, after);
      rc = sqlite3_step (stmt);
    }
  /* Numbers that do not go up would be read for ever. */
  if (rc == SQLITE_ROW
      && (sqlite3_column_type (stmt, 0) != SQLITE_INTEGER
          || sqlite3_column_int64 (stmt, 0) <= MAX (after, 0)))
    reason = _("the portions are not numbered");
  else if (rc == SQLITE_ROW && sqlite3_column_bytes (stmt, 2) > TS_RAW_LOG_MAX_BYTES)
    reason = _("it is too long");
  else if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    reason = sqlite3_errmsg (db);
  else if (rc == SQLITE_ROW)
    {
      const void *blob = sqlite3_column_blob (stmt, 2);
      int n = sqlite3_column_bytes (stmt, 2);

      *id = sqlite3_column_int64 (stmt, 0);
      *source = (guint32) sqlite3_column_int64 (stmt, 1);
      if (blob != NULL && n > 0)
        g_byte_array_append (bytes, blob, (guint) n);
    }
  if (reason != NULL)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("“%s”: the bytes that arrived cannot be read after portion %" PRId64
                   " of raw_log: %s."),
                 ts_recording_get_path (recording), after, reason);
  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
  return reason == NULL;
}

/**
 * ts_raw_log_list:
 * @recording: a recording
 * @cancellable: (nullable): gives up
 *
 * Which portions there are; their bytes are not read. A recording without `raw_log`, or with one that
 * is not numbered from below upwards, has none.
 *
 * Cost: a seek for each portion, of 64 KiB mostly
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (element-type TsRawPortion): in the order of their arrival
 */
GArray *
ts_raw_log_list (TsRecording *recording,
                 GCancellable *cancellable)
{
  GArray *portions = g_array_new (FALSE, FALSE, sizeof (TsRawPortion));
  sqlite3_stmt *stmt = NULL;
  guint64 offset = 0;
  gint64 last = 0;
  sqlite3 *db;
  int rc = SQLITE_DONE;

  g_return_val_if_fail (TS_IS_RECORDING (recording), portions);

  db = _ts_recording_begin_read (recording, 0, cancellable);
  if (sqlite3_prepare_v2 (db, "SELECT id,source,length(bytes) FROM raw_log ORDER BY id", -1, &stmt,
                          NULL)
      == SQLITE_OK)
    while ((rc = sqlite3_step (stmt)) == SQLITE_ROW)
      {
        TsRawPortion portion = { sqlite3_column_int64 (stmt, 0),
                                 (guint32) sqlite3_column_int64 (stmt, 1), 0, offset };
        gint64 n_bytes = sqlite3_column_int64 (stmt, 2);

        if (portion.id <= last || n_bytes < 0 || n_bytes > TS_RAW_LOG_MAX_BYTES)
          break;
        last = portion.id;
        portion.n_bytes = (guint) n_bytes;
        offset += portion.n_bytes;
        g_array_append_val (portions, portion);
      }
  if (rc != SQLITE_DONE)
    g_array_set_size (portions, 0);
  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
  return portions;
}
