/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-schema.c: tables and views of a recording. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-model-error.h"
#include "ts-recording-schema.h"

/* Public tables. Source: viewalyzer-host.md sections 1.3 to 1.7; events.md sections 1 and 3.
 * Columns that the contract does not name are ours (meta.taskscope_schema tells). */
static const char public_tables[]
    = "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE health(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE va_task_stats(name TEXT, cpu_percent REAL, run_count INTEGER, avg_period_us "
      "REAL, min_jitter_us REAL,"
      " max_jitter_us REAL, priority INTEGER, stack_used_bytes INTEGER, mutex_contentions INTEGER, "
      "object_id INTEGER, type TEXT,"
      " run_ticks INTEGER, min_us REAL, avg_us REAL, max_us REAL, preemptions INTEGER, core "
      "INTEGER, lane INTEGER);"
      "CREATE TABLE va_objects(id INTEGER PRIMARY KEY, type TEXT, wire_id INTEGER, name TEXT, "
      "priority INTEGER,"
      " base_priority INTEGER, stack_bytes INTEGER, capacity INTEGER, address INTEGER, unit TEXT, "
      "display TEXT,"
      " core INTEGER, is_named INTEGER, is_idle INTEGER);"
      "CREATE TABLE va_trace_stats(object_id INTEGER PRIMARY KEY, name TEXT, type TEXT, unit TEXT, "
      "display TEXT,"
      " count INTEGER, min REAL, max REAL, mean REAL, last REAL, rms REAL, std_dev REAL, rate_hz "
      "REAL,"
      " first_us INTEGER, last_us INTEGER);"
      "CREATE TABLE raw_log(id INTEGER PRIMARY KEY, t_host_us INTEGER, source INTEGER, bytes "
      "BLOB);";

/* Our own tables. ts_events has no declared key on purpose: its row id costs no column, and rows
 * are only ever appended. */
static const char own_tables[]
    = "CREATE TABLE ts_events(t,x,v,d);"
      "CREATE TABLE ts_kinds(id INTEGER PRIMARY KEY, name TEXT, operands INTEGER);"
      "CREATE TABLE ts_strings(id INTEGER PRIMARY KEY, text TEXT);"
      "CREATE TABLE ts_kind_counts(kind INTEGER, side INTEGER, count INTEGER);"
      "CREATE TABLE ts_object_counts(object INTEGER PRIMARY KEY, count INTEGER);"
      "CREATE TABLE ts_lanes(id INTEGER PRIMARY KEY, kind INTEGER, core INTEGER, object INTEGER, "
      "name TEXT, priority INTEGER,"
      " is_idle INTEGER, type TEXT, color INTEGER, first_seen INTEGER, n_slices INTEGER);"
      "CREATE TABLE ts_nodes(lane INTEGER, level INTEGER, seq INTEGER, width_log2 INTEGER, "
      "n_slices INTEGER,"
      " begin INTEGER, end INTEGER, blob INTEGER);"
      "CREATE TABLE ts_blobs(id INTEGER PRIMARY KEY, data BLOB);" TS_SCHEMA_SUMMARIES;

/* poll_trace shows microseconds (viewalyzer-host.md section 1.2). A text's id is the upper half of
 * d, or -d where there is no second operand. Names come by scalar subqueries rather than joins:
 * columns that a query does not use then cost nothing (an aggregate over outer joins runs them all:
 * counting 1 M rows took 0.48 s of processor time, now under 0.01 s). */
#define HZ "(SELECT CAST(value AS INTEGER) FROM meta WHERE key='va_cpu_hz')"
static const char events_view[]
    = "CREATE VIEW va_events AS SELECT e.rowid AS id,"
      " CASE WHEN " TS_SQL_IS_POLL_TRACE " THEN (e.t/" HZ ")*1000000+(e.t%" HZ ")*1000000/" HZ
      " ELSE e.t END AS t_cycles,"
      " (SELECT n.name FROM ts_kinds n WHERE n.id=" TS_SQL_KIND ") AS kind,"
      " CASE e.x&3 WHEN 1 THEN 1 WHEN 2 THEN 0 END AS start,"
      " nullif(" TS_SQL_OBJECT ",0) AS object_id,"
      " (SELECT o.name FROM va_objects o WHERE o.id=" TS_SQL_OBJECT ") AS object,"
      " " TS_SQL_CORE " AS core,"
      " CASE WHEN e.x&2097152 THEN NULL ELSE e.v END AS value,"
      " CASE WHEN e.x&1048576 THEN NULL WHEN e.x&524288 THEN CASE WHEN e.d>=0 THEN e.d&4294967295 "
      "END ELSE e.d END AS detail,"
      " CASE WHEN e.x&524288 THEN (SELECT s.text FROM ts_strings s WHERE s.id=CASE WHEN e.d<0 THEN "
      "-e.d ELSE e.d>>32 END) END AS text,"
      " " TS_SQL_FLAGS " AS flags"
      " FROM ts_events e;";

/**
 * _ts_db_exec:
 * @db: a connection
 * @sql: statements without results
 * @error: return location
 *
 * Thread: owner of @db
 * Errors: %TS_MODEL_ERROR_WRITE with SQLite's own words
 */
gboolean
_ts_db_exec (sqlite3 *db,
             const char *sql,
             GError **error)
{
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) == SQLITE_OK)
    return TRUE;

  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, sqlite3_errmsg (db));
  return FALSE;
}

/* Every number that is a kind, with its name and shape, so that plain SQL can show them. */
static gboolean
fill_kinds (sqlite3 *db,
            GError **error)
{
  sqlite3_stmt *stmt = NULL;
  gboolean ok
      = sqlite3_prepare_v2 (db, "INSERT INTO ts_kinds VALUES(?,?,?)", -1, &stmt, NULL) == SQLITE_OK;

  for (guint kind = 1; ok && kind < 0x400; kind++)
    {
      const char *name = ts_event_kind_get_name (kind);

      if (name == NULL)
        continue;

      sqlite3_bind_int (stmt, 1, (int) kind);
      sqlite3_bind_text (stmt, 2, name, -1, SQLITE_STATIC);
      sqlite3_bind_int (stmt, 3, (int) ts_event_kind_get_n_operands (kind));
      ok = sqlite3_step (stmt) == SQLITE_DONE;
      sqlite3_reset (stmt);
    }

  if (!ok)
    g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, sqlite3_errmsg (db));
  sqlite3_finalize (stmt);
  return ok;
}

/**
 * _ts_schema_create:
 * @db: a connection to a new, empty database
 * @error: return location
 *
 * Creates every table and view of a recording and marks the file as ours, in the caller's
 * transaction.
 *
 * Thread: owner of @db
 */
gboolean
_ts_schema_create (sqlite3 *db,
                   GError **error)
{
  g_autofree char *marks = g_strdup_printf ("PRAGMA application_id=%d; PRAGMA user_version=%d;",
                                            TS_SCHEMA_APPLICATION_ID, TS_SCHEMA_VERSION);

  return _ts_db_exec (db, marks, error) && _ts_db_exec (db, public_tables, error)
         && _ts_db_exec (db, own_tables, error) && _ts_db_exec (db, events_view, error)
         && fill_kinds (db, error);
}
