/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-scan.c: events of the few kinds that no lane shows, and facts about the recording. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-analysis-private.h"
#include "ts-query-private.h"

#define BATCH 4096
/* One search costs as much as looking through so many rows. */
#define ROWS_PER_SEARCH 500

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

  /* what the host made is not counted */
  if (recording->rebuilt != NULL || !recording->tables.has_counts || recording->is_live
      || ts_event_kind_is_host_made (kind))
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
  g_autoptr (GString) sql
      = g_string_new ("SELECT rowid,t,x,v,d FROM ts_events WHERE rowid>=?1 AND rowid<?2 AND (x&");

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
        g_set_error_literal (
            error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
            _ ("The window holds more events than can be looked through in time; narrow it with "
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

/* ---- by way of lanes ---- */

/* Kinds that every recording shows as instants in lanes of objects.
 * Source: ts-tracker.c, operations */
static gboolean
is_in_lanes (TsEventKind kind)
{
  switch (kind)
    {
    case TS_EVENT_MUTEX_CONTENTION:
    case TS_EVENT_OP_FAILED:
    case TS_EVENT_TIMER:
    case TS_EVENT_TIMER_ARM:
    case TS_EVENT_TIMER_CALLBACK:
    case TS_EVENT_QUEUE_DETAILS:
    case TS_EVENT_STREAM_BUFFER:
    case TS_EVENT_MEM_SLAB:
      return TRUE;

    default:
      return FALSE;
    }
}

/* A look through the lanes and a search of the rows for each event beats a look through all rows
 * when so few of them are wanted. */
static gboolean
is_rare (TsRecording *recording,
         const TsEventKind *kinds,
         guint n_kinds)
{
  g_autoptr (GString) sql = g_string_new ("SELECT SUM(count) FROM ts_kind_counts WHERE kind IN (");
  gint64 n = G_MAXINT64;
  sqlite3 *db;

  if (recording->rebuilt != NULL || !recording->tables.has_counts || recording->is_live)
    return FALSE;
  for (guint i = 0; i < n_kinds; i++)
    {
      if (!is_in_lanes (kinds[i]))
        return FALSE;
      g_string_append_printf (sql, "%s%u", i > 0 ? "," : "", (guint) kinds[i]);
    }
  g_string_append (sql, ")");

  db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, NULL);
  if (db != NULL)
    n = _ts_db_get_int (db, sql->str, 0);
  _ts_recording_end_read (recording);
  return n < (gint64) (recording->n_rows / ROWS_PER_SEARCH);
}

/* Events of the wanted kinds at exactly @time. FALSE ends the scan. */
static gboolean
deliver_time (Scan *scan,
              gint64 time,
              TsAnalysisEventFunc func,
              gpointer user_data,
              GError **error)
{
  guint64 row = ts_recording_row_at_time (scan->recording, time);

  for (;;)
    {
      guint n = 0;

      if (!ts_recording_read_events (scan->recording, row, 16, scan->events, &n, error) || n == 0)
        return n == 0;
      for (guint i = 0; i < n; i++)
        {
          const TsEvent event = scan->events[i];

          if (event.time != time)
            return TRUE;
          for (guint k = 0; k < scan->n_kinds; k++)
            if (event.kind == scan->kinds[k] && !func (row + i, &event, user_data))
              return FALSE;
        }
      row += n;
    }
}

static gboolean
scan_lanes (Scan *scan,
            gint64 begin,
            gint64 end,
            TsAnalysisEventFunc func,
            gpointer user_data,
            GError **error)
{
  TsSliceMerge *merge = _ts_slice_merge_new (scan->recording, begin, end);
  g_autoptr (GError) failure = NULL;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (scan->recording, &n_lanes);
  const TsLaneInfo *lane;
  const TsSlice *slice;
  gint64 last = -1;

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_OBJECT)
      _ts_slice_merge_add (merge, lanes[i].id);

  while ((slice = _ts_slice_merge_next (merge, &lane)) != NULL
         && !g_cancellable_is_cancelled (scan->cancellable))
    {
      TsEventKind kind = slice->kind & TS_SLICE_KIND_MASK;
      guint k = 0;

      while (k < scan->n_kinds && scan->kinds[k] != kind)
        k++;
      if (k == scan->n_kinds || slice->begin == last)
        continue;
      last = slice->begin;
      if (!deliver_time (scan, last, func, user_data, &failure))
        break;
    }
  _ts_slice_merge_free (merge);

  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return _ts_query_check_cancelled (scan->cancellable, error);
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
 * Cost: some 100 ns a row of the range, and 300 ns an event that is wanted; for few events of kinds
 *   that lanes show, 30 ns an instant of all such lanes, and some 100 us an event that is wanted
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
  if (is_rare (recording, wanted, n_wanted))
    return scan_lanes (scan, begin, end, func, user_data, error);

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
