/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-sql.c: one read-only statement over the tables of a recording. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"

#define MAX_ANSWER_BYTES (16 << 20)
#define MAX_BLOB_BYTES 4096
/* Of one value, also of one in between: nothing that a recording holds is longer. */
#define MAX_VALUE_BYTES (16 << 20)

/* Reading only. Source: viewalyzer-host.md section 3.6, `bad_sql` */
static int
authorize (void *data,
           int action,
           const char *first,
           const char *second,
           const char *database,
           const char *trigger)
{
  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;

    case SQLITE_FUNCTION:
      return second != NULL && g_ascii_strcasecmp (second, "load_extension") == 0 ? SQLITE_DENY
                                                                                  : SQLITE_OK;

    default:
      return SQLITE_DENY;
    }
}

static void
set_sql_error (GError **error,
               const char *format,
               const char *words)
{
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL, format, words);
}

/* Compiles exactly one statement. */
static sqlite3_stmt *
compile (sqlite3 *db,
         const char *sql,
         GError **error)
{
  sqlite3_stmt *stmt = NULL;
  sqlite3_stmt *more = NULL;
  const char *tail = NULL;
  int rc = sqlite3_prepare_v2 (db, sql, -1, &stmt, &tail);

  if ((rc & 0xFF) == SQLITE_AUTH)
    {
      set_sql_error (error,
                     _("The statement does more than read: %s; only a single SELECT is allowed."),
                     sqlite3_errmsg (db));
      return NULL;
    }
  if (rc != SQLITE_OK)
    {
      set_sql_error (error, _("The statement is not valid SQL: %s."), sqlite3_errmsg (db));
      return NULL;
    }
  if (stmt == NULL)
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
                           _("--sql holds no statement."));
      return NULL;
    }

  /* Only blanks, semicolons and comments may follow. */
  while (tail != NULL && *tail != '\0')
    {
      const char *next = NULL;

      rc = sqlite3_prepare_v2 (db, tail, -1, &more, &next);
      if (rc != SQLITE_OK || more != NULL)
        {
          sqlite3_finalize (more);
          sqlite3_finalize (stmt);
          g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
                               _("--sql holds several statements; give one."));
          return NULL;
        }
      if (next == tail)
        break;
      tail = next;
    }

  if (!sqlite3_stmt_readonly (stmt) || sqlite3_column_count (stmt) == 0)
    {
      sqlite3_finalize (stmt);
      g_set_error_literal (
          error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
          _("The statement does more than read; only a single SELECT is allowed."));
      return NULL;
    }

  return stmt;
}

static void
add_value (JsonArray *row,
           sqlite3_stmt *stmt,
           int column,
           gsize *n_bytes)
{
  *n_bytes += 8;
  switch (sqlite3_column_type (stmt, column))
    {
    case SQLITE_INTEGER:
      json_array_add_int_element (row, sqlite3_column_int64 (stmt, column));
      break;

    case SQLITE_FLOAT:
      if (isfinite (sqlite3_column_double (stmt, column)))
        json_array_add_double_element (row, sqlite3_column_double (stmt, column));
      else
        json_array_add_null_element (row);
      break;

    case SQLITE_TEXT:
      {
        g_autofree char *text = _ts_column_dup_text (stmt, column);

        *n_bytes += strlen (text);
        json_array_add_string_element (row, text);
      }
      break;

    case SQLITE_BLOB:
      {
        const guint8 *bytes = sqlite3_column_blob (stmt, column);
        gsize n = MIN ((gsize) sqlite3_column_bytes (stmt, column), MAX_BLOB_BYTES);
        g_autoptr (GString) text = g_string_sized_new (2 * n);

        for (gsize i = 0; i < n; i++)
          g_string_append_printf (text, "%02x", bytes[i]);
        *n_bytes += text->len;
        json_array_add_string_element (row, text->str);
      }
      break;

    default:
      json_array_add_null_element (row);
      break;
    }
}

/* Runs the statement into @query->answer. */
static gboolean
run (TsQuery *query,
     sqlite3 *db,
     sqlite3_stmt *stmt,
     GError **error)
{
  JsonArray *columns = json_array_new ();
  JsonArray *rows = json_array_new ();
  gboolean is_truncated = FALSE;
  gsize n_bytes = 0;
  int rc;

  json_object_set_array_member (query->answer, "columns", columns);
  json_object_set_array_member (query->answer, "rows", rows);
  for (int i = 0; i < sqlite3_column_count (stmt); i++)
    {
      g_autofree char *name = g_utf8_make_valid (sqlite3_column_name (stmt, i), -1);

      json_array_add_string_element (columns, name);
    }

  while ((rc = sqlite3_step (stmt)) == SQLITE_ROW)
    {
      JsonArray *row;

      if (json_array_get_length (rows) >= query->max_rows || n_bytes > MAX_ANSWER_BYTES)
        {
          is_truncated = TRUE;
          rc = SQLITE_DONE;
          break;
        }

      row = json_array_new ();
      for (int i = 0; i < sqlite3_column_count (stmt); i++)
        add_value (row, stmt, i, &n_bytes);
      json_array_add_array_element (rows, row);
    }

  json_object_set_int_member (query->answer, "row_count", json_array_get_length (rows));
  json_object_set_boolean_member (query->answer, "truncated", is_truncated);

  if (rc == SQLITE_DONE)
    return TRUE;

  if ((rc & 0xFF) != SQLITE_INTERRUPT)
    set_sql_error (error, _("The statement failed: %s."), sqlite3_errmsg (db));
  else if (_ts_query_check_cancelled (query->cancellable, error))
    g_set_error (
        error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
        _("The statement took longer than %d s; limit it to fewer rows, for example by id."),
        (int) (TS_QUERY_LIMIT_US / G_USEC_PER_SEC));
  return FALSE;
}

gboolean
_ts_query_sql (TsQuery *query,
               GError **error)
{
  const char *sql = query->options->sql;
  sqlite3_stmt *stmt;
  sqlite3 *db;
  gboolean ok = FALSE;
  int limit;

  if (sql == NULL || *sql == '\0')
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                           _("The query sql needs --sql."));
      return FALSE;
    }

  db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  if (db == NULL)
    {
      _ts_recording_end_read (query->recording);
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                           _("The recording is being closed; try again."));
      return FALSE;
    }

  sqlite3_set_authorizer (db, authorize, NULL);
  limit = sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
  stmt = compile (db, sql, error);
  if (stmt != NULL)
    {
      ok = run (query, db, stmt, error);
      sqlite3_finalize (stmt);
    }
  sqlite3_set_authorizer (db, NULL, NULL);
  sqlite3_limit (db, SQLITE_LIMIT_LENGTH, limit);
  _ts_recording_end_read (query->recording);
  return ok;
}
