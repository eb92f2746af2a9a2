/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-scan.c: events of the few kinds that no lane shows, and facts about the recording. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-analysis-private.h"
#include "ts-query-private.h"

#define BATCH 4096

/**
 * _ts_analysis_has_kind:
 * @recording: a recording
 * @kind: a kind
 *
 * Cost: a look at a small table
 *
 * Returns: %FALSE if the recording has no event of @kind
 */
gboolean
_ts_analysis_has_kind (TsRecording *recording,
                       TsEventKind kind)
{
  g_autofree char *sql = NULL;
  gboolean has_kind = TRUE;
  sqlite3 *db;

  if (recording->rebuilt != NULL || !recording->tables.has_counts || recording->is_live)
    return TRUE;

  sql = g_strdup_printf ("SELECT SUM(count) FROM ts_kind_counts WHERE kind=%u", (guint) kind);
  db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, NULL);
  if (db != NULL)
    has_kind = _ts_db_get_int (db, sql, 0) > 0;
  _ts_recording_end_read (recording);
  return has_kind;
}

typedef struct
{
  TsRecording *recording;
  const TsEventKind *kinds;
  guint n_kinds;
  char *sql;
  gint64 deadline_us;
  GCancellable *cancellable;
  TsEvent events[BATCH];
  guint64 rows[BATCH];
} Scan;

/* The bits of ts_events.x that hold the kind. */
static gint64
pack_kind (guint kind)
{
  TsEvent event = { .kind = (guint16) kind };

  return _ts_row_pack (&event, 2);
}

static char *
make_sql (const TsEventKind *kinds,
          guint n_kinds)
{
  g_autoptr (GString) sql = g_string_new ("SELECT rowid,t,x,v,d FROM ts_events WHERE rowid>=?1 AND rowid<?2 AND (x&");

  g_string_append_printf (sql, "%" G_GINT64_FORMAT ")", pack_kind (0x3FFF));
  if (n_kinds == 1)
    g_string_append (sql, "=");
  else
    g_string_append (sql, " IN (");
  for (guint i = 0; i < n_kinds; i++)
    g_string_append_printf (sql, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", pack_kind (kinds[i]));
  if (n_kinds > 1)
    g_string_append (sql, ")");
  g_string_append_printf (sql, " LIMIT %d", BATCH);
  return g_string_free (g_steal_pointer (&sql), FALSE);
}

/* The next matching events of [@row, @end). @n is less than BATCH at the end only. */
static gboolean
read_file (Scan *scan,
           guint64 row,
           guint64 end,
           guint *n,
           GError **error)
{
  gint64 left_us = scan->deadline_us - g_get_monotonic_time ();
  sqlite3 *db = _ts_recording_begin_read (scan->recording, MAX (left_us, 1000), scan->cancellable);
  sqlite3_stmt *stmt = NULL;
  int rc = SQLITE_ERROR;

  *n = 0;
  if (db != NULL && (rc = sqlite3_prepare_v2 (db, scan->sql, -1, &stmt, NULL)) == SQLITE_OK)
    {
      sqlite3_bind_int64 (stmt, 1, (gint64) row);
      sqlite3_bind_int64 (stmt, 2, (gint64) end);
      while ((rc = sqlite3_step (stmt)) == SQLITE_ROW && *n < BATCH)
        {
          scan->rows[*n] = (guint64) sqlite3_column_int64 (stmt, 0);
          _ts_row_read (stmt, 1, &scan->events[(*n)++]);
        }
    }

  if (rc != SQLITE_ROW && rc != SQLITE_DONE && _ts_query_check_cancelled (scan->cancellable, error))
    {
      if (rc == SQLITE_INTERRUPT)
        g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
                             _("The window holds more events than can be looked through in time; narrow it with "
                               "--t-start-us and --t-end-us."));
      else
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                     _("The events of “%s” cannot be read: %s."), scan->recording->path,
                     db != NULL ? sqlite3_errmsg (db) : _("the file cannot be opened"));
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (scan->recording);
  return rc == SQLITE_ROW || rc == SQLITE_DONE;
}

static void
read_memory (Scan *scan,
             guint64 *row,
             guint64 end,
             guint *n)
{
  const GArray *events = scan->recording->rebuilt->events;

  *n = 0;
  for (; *row < end && *n < BATCH; (*row)++)
    {
      const TsEvent *event = &g_array_index (events, TsEvent, *row - 1);

      for (guint i = 0; i < scan->n_kinds; i++)
        {
          if (event->kind != scan->kinds[i])
            continue;
          scan->rows[*n] = *row;
          scan->events[(*n)++] = *event;
          break;
        }
    }
}

/**
 * _ts_analysis_scan:
 * @recording: a recording
 * @kinds: (array length=n_kinds): kinds that are wanted
 * @n_kinds: how many
 * @begin: first tick
 * @end: tick after the last
 * @func: called for each event; %FALSE ends the scan
 * @user_data: for @func
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Calls @func for the events of some kinds, in order of time. Kinds that the recording does not
 * have at all cost nothing.
 *
 * Cost: some 60 ns a row of the range, and 300 ns an event that is wanted
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE after 25 s,
 *   %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
_ts_analysis_scan (TsRecording *recording,
                   const TsEventKind *kinds,
                   guint n_kinds,
                   gint64 begin,
                   gint64 end,
                   TsAnalysisEventFunc func,
                   gpointer user_data,
                   GCancellable *cancellable,
                   GError **error)
{
  g_autofree Scan *scan = NULL;
  g_autofree TsEventKind *wanted = g_new (TsEventKind, n_kinds);
  g_autofree char *sql = NULL;
  gboolean in_memory = recording->rebuilt != NULL && recording->rebuilt->events != NULL;
  guint n_wanted = 0;
  guint64 row;
  guint64 end_row;

  for (guint i = 0; i < n_kinds; i++)
    if (_ts_analysis_has_kind (recording, kinds[i]))
      wanted[n_wanted++] = kinds[i];
  if (n_wanted == 0 || end <= begin || (!in_memory && !recording->tables.has_rows))
    return _ts_query_check_cancelled (cancellable, error);

  sql = make_sql (wanted, n_wanted);
  scan = g_new (Scan, 1);
  scan->recording = recording;
  scan->kinds = wanted;
  scan->n_kinds = n_wanted;
  scan->sql = sql;
  scan->deadline_us = g_get_monotonic_time () + TS_QUERY_LIMIT_US;
  scan->cancellable = cancellable;
  row = ts_recording_row_at_time (recording, begin);
  end_row = ts_recording_row_at_time (recording, end);

  while (row < end_row)
    {
      guint n = 0;

      if (!_ts_query_check_cancelled (cancellable, error))
        return FALSE;
      if (in_memory)
        read_memory (scan, &row, end_row, &n);
      else if (!read_file (scan, row, end_row, &n, error))
        return FALSE;
      for (guint i = 0; i < n; i++)
        if (!func (scan->rows[i], &scan->events[i], user_data))
          return TRUE;
      if (n < BATCH)
        return TRUE;
      if (!in_memory)
        row = scan->rows[n - 1] + 1;
    }
  return TRUE;
}

/**
 * _ts_analysis_smaller_is_urgent:
 * @recording: a recording
 *
 * Source: viewalyzer-wire.md section 13.3
 *
 * Returns: whether a task with a smaller priority number is the more urgent one
 */
gboolean
_ts_analysis_smaller_is_urgent (TsRecording *recording)
{
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");

  return os != NULL && g_ascii_strncasecmp (os, "zephyr", 6) == 0;
}

static gboolean
note_mutex (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  *(gboolean *) user_data = (event->flags & TS_EVENT_FLAG_START_TAKES) != 0;
  return FALSE;
}

/**
 * _ts_analysis_mutex_start_takes:
 * @recording: a recording
 *
 * Source: viewalyzer-wire.md section 3.6
 *
 * Returns: whether START of a mutex means that it is taken, as the public UDP senders mean it
 */
gboolean
_ts_analysis_mutex_start_takes (TsRecording *recording)
{
  static const TsEventKind kinds[] = { TS_EVENT_MUTEX };
  gboolean takes = FALSE;

  _ts_analysis_scan (recording, kinds, 1, 0, G_MAXINT64, note_mutex, &takes, NULL, NULL);
  return takes;
}
