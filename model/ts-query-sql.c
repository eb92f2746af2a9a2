/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-query-sql.c: one read-only statement over the tables of a recording.
 *
 * SQLite asks between its own steps whether to go on, and one step can take very long or much
 * memory: a search in one long text for another, a pattern with thousands of wildcards, a common
 * table that names the one before it twice and so doubles thirty times over. Limits for the time of
 * the statement keep every single step short.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"

/* Clients give up after 30 s; on a busy machine what comes before and after takes some of them. */
#define STATEMENT_LIMIT_US (20 * G_USEC_PER_SEC)
#define MAX_ANSWER_BYTES (16 << 20)
#define MAX_BLOB_BYTES 4096
/* Of one value, also of one in between: nothing that a recording of ours holds is longer. */
#define MAX_VALUE_BYTES (1 << 20)
/* The same where functions look for one text in another, in a time that grows with the square; a
 * piece of the raw log is as long. */
#define MAX_SEARCHED_BYTES (64 * 1024)
/* What the statement may take beyond what SQLite has already. */
#define MAX_HEAP_BYTES (96 << 20)
/* Columns, functions and selects that one statement may name, after common tables and views are put
 * in place. */
#define MAX_NAMES 100000

static const struct
{
  int id;
  int value;
} limits[] = {
  { SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES },
  { SQLITE_LIMIT_SQL_LENGTH, 128 * 1024 },
  { SQLITE_LIMIT_EXPR_DEPTH, 200 },
  { SQLITE_LIMIT_COMPOUND_SELECT, 100 },
  { SQLITE_LIMIT_VDBE_OP, 1000000 },
  { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
  { SQLITE_LIMIT_ATTACHED, 0 },
};

typedef struct
{
  guint n_names;
  gboolean is_searching; /* has functions of squared time */
  gboolean is_too_large;
} Guard;

static gboolean
is_forbidden (const char *function)
{
  static const char *const names[] = { "load_extension", "fts3_tokenizer", NULL };

  for (gsize i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], function) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_search (const char *function)
{
  static const char *const names[] = { "instr", "replace", "trim", "ltrim", "rtrim", "like",
                                       "glob", NULL };

  for (gsize i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], function) == 0)
      return TRUE;
  return g_ascii_strncasecmp (function, "json", 4) == 0 || function[0] == '-';
}

/* Reading only. Source: viewalyzer-host.md section 3.6, `bad_sql` */
static int
authorize (void *data,
           int action,
           const char *first,
           const char *second,
           const char *database,
           const char *trigger)
{
  Guard *guard = data;

  if (++guard->n_names > MAX_NAMES)
    {
      guard->is_too_large = TRUE;
      return SQLITE_DENY;
    }
  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;

    case SQLITE_FUNCTION:
      guard->is_searching |= second != NULL && is_search (second);
      return second == NULL || is_forbidden (second) ? SQLITE_DENY : SQLITE_OK;

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
         const Guard *guard,
         GError **error)
{
  sqlite3_stmt *stmt = NULL;
  sqlite3_stmt *more = NULL;
  const char *tail = NULL;
  int rc = sqlite3_prepare_v2 (db, sql, -1, &stmt, &tail);

  if (guard->is_too_large || (rc & 0xFF) == SQLITE_NOMEM)
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
                           _("The statement grows too large; use fewer common tables, joins or "
                             "columns."));
      return NULL;
    }
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

  if ((rc & 0xFF) == SQLITE_NOMEM)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
                 _("The statement needs more than %d MB of memory; limit it to fewer rows."),
                 MAX_HEAP_BYTES >> 20);
  else if ((rc & 0xFF) == SQLITE_TOOBIG)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
                 _("A value in the statement is longer than %d KiB."),
                 sqlite3_limit (db, SQLITE_LIMIT_LENGTH, -1) >> 10);
  else if ((rc & 0xFF) == SQLITE_CORRUPT || (rc & 0xFF) == SQLITE_NOTADB)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The recording is damaged: %s."), sqlite3_errmsg (db));
  else if ((rc & 0xFF) != SQLITE_INTERRUPT)
    set_sql_error (error, _("The statement failed: %s."), sqlite3_errmsg (db));
  else if (_ts_query_check_cancelled (query->cancellable, error))
    g_set_error (
        error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_SQL,
        _("The statement took longer than %d s; limit it to fewer rows, for example by id."),
        (int) (STATEMENT_LIMIT_US / G_USEC_PER_SEC));
  return FALSE;
}

/* SQLite has one limit of memory, for the process; only this one also stops a single long step and
 * a statement that is still being compiled. One statement at a time sets it, so that it is always
 * put back as it was; what other threads ask of SQLite meanwhile shares the room above what was in
 * use, and would fail as when memory runs out. */
static GMutex limit_lock;

gboolean
_ts_query_sql (TsQuery *query,
               GError **error)
{
  const char *sql = query->options->sql;
  sqlite3_stmt *stmt;
  sqlite3 *db;
  gboolean ok = FALSE;
  int known[G_N_ELEMENTS (limits)];
  g_autoptr (GMutexLocker) locker = NULL;
  sqlite3_int64 heap;
  Guard guard = { 0 };

  if (sql == NULL || *sql == '\0')
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                           _("The query sql needs --sql."));
      return FALSE;
    }

  locker = g_mutex_locker_new (&limit_lock);
  db = _ts_recording_begin_read (query->recording, STATEMENT_LIMIT_US, query->cancellable);
  if (db == NULL)
    {
      _ts_recording_end_read (query->recording);
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                           _("The recording is being closed; try again."));
      return FALSE;
    }

  sqlite3_set_authorizer (db, authorize, &guard);
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    known[i] = sqlite3_limit (db, limits[i].id, limits[i].value);
  heap = sqlite3_hard_heap_limit64 (sqlite3_memory_used () + MAX_HEAP_BYTES);
  stmt = compile (db, sql, &guard, error);
  if (stmt != NULL)
    {
      if (guard.is_searching)
        sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_SEARCHED_BYTES);
      ok = run (query, db, stmt, error);
      sqlite3_finalize (stmt);
    }
  sqlite3_hard_heap_limit64 (heap);
  sqlite3_set_authorizer (db, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    sqlite3_limit (db, limits[i].id, known[i]);
  _ts_recording_end_read (query->recording);
  return ok;
}
