/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-events.c: events by row. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-recording-foreign-private.h"

/* A search of rows of another program's may take so long while somebody waits for it. */
#define FOREIGN_LIMIT_US G_USEC_PER_SEC

/**
 * ts_recording_get_n_rows:
 * @self: a recording
 *
 * Thread: owner
 *
 * Returns: rows, host-made ones included; a live recording counts committed rows (at most 250 ms
 * old)
 */
guint64
ts_recording_get_n_rows (TsRecording *self)
{
  return self->n_rows;
}

/**
 * ts_recording_get_n_listed_rows:
 * @self: a recording
 *
 * Rows that can be read one by one: of somebody else's long recording, of which there is no index
 * yet, these are its own, while ts_recording_get_n_rows() is 0. Few of them may be missing: they
 * are read as %TS_EVENT_INVALID. They will keep their numbers if they are in order of time and none
 * is missing.
 *
 * Thread: owner
 *
 * Returns: rows for ts_recording_read_events() and ts_recording_row_at_time()
 */
guint64
ts_recording_get_n_listed_rows (TsRecording *self)
{
  g_return_val_if_fail (TS_IS_RECORDING (self), 0);

  return self->n_rows == 0 && self->rebuilt != NULL ? self->rebuilt->n_listed : self->n_rows;
}

/* Rows of @stmt, whose first column is their number: @events begin with @first_row. Those that
 * somebody took out of the file are told from what lies around them. */
static int
read_rows (sqlite3_stmt *stmt,
           guint64 first_row,
           guint n,
           TsEvent *events,
           guint *n_read)
{
  gint64 last_time = -1;
  guint done = 0;
  int rc;

  while (done < n && (rc = sqlite3_step (stmt)) == SQLITE_ROW)
    {
      guint64 row = (guint64) sqlite3_column_int64 (stmt, 0);
      guint place = (guint) CLAMP (row - first_row, done, n - 1);
      TsEvent event;

      _ts_row_read (stmt, 1, &event);
      for (; done < place; done++)
        events[done] = (TsEvent) { .time = last_time >= 0 ? last_time : event.time };
      last_time = event.time;
      events[done++] = event;
    }
  *n_read = done;
  if (done == n)
    return SQLITE_ROW;
  for (; rc == SQLITE_DONE && done < n; done++)
    events[done] = (TsEvent) { .time = MAX (last_time, 0) };
  if (rc == SQLITE_DONE)
    *n_read = n;
  return rc;
}

/**
 * ts_recording_read_events:
 * @self: a recording
 * @first_row: first row id, from 1
 * @n: how many are wanted
 * @events: (out caller-allocates) (array length=n): filled
 * @n_read: (out): how many there were
 * @error: return location
 *
 * Reads consecutive rows. A row that is missing in a damaged file is a %TS_EVENT_INVALID of which
 * nothing but a time is told.
 *
 * Cost: one seek, then about half a microsecond a row
 * Thread: owner
 * Errors: %TS_MODEL_ERROR_BAD_RECORDING when the file cannot be read there
 *
 * Returns: %TRUE, also when there are no such rows (@n_read is 0)
 */
gboolean
ts_recording_read_events (TsRecording *self,
                          guint64 first_row,
                          guint n,
                          TsEvent *events,
                          guint *n_read,
                          GError **error)
{
  sqlite3_stmt *stmt;
  guint64 end;
  int rc = SQLITE_DONE;
  sqlite3 *db;

  *n_read = 0;
  if (first_row == 0 || first_row > ts_recording_get_n_listed_rows (self) || n == 0)
    return TRUE;

  if (self->n_rows == 0)
    {
      n = (guint) MIN (n, self->rebuilt->n_listed - first_row + 1);
      if (!_ts_foreign_read_rows (self, first_row, n, events, error))
        return FALSE;
      *n_read = n;
      return TRUE;
    }

  end = first_row + MIN (n, self->n_rows - first_row + 1);
  if (self->rebuilt != NULL && self->rebuilt->events != NULL)
    {
      *n_read = (guint) (end - first_row);
      memcpy (events, &g_array_index (self->rebuilt->events, TsEvent, first_row - 1),
              *n_read * sizeof *events);
      return TRUE;
    }

  db = _ts_reader_db_lock (self->rdb);
  stmt = _ts_reader_db_get_statement (self->rdb, TS_STATEMENT_ROWS);
  if (stmt != NULL)
    {
      sqlite3_bind_int64 (stmt, 1, (gint64) first_row);
      sqlite3_bind_int64 (stmt, 2, (gint64) end);
      rc = read_rows (stmt, first_row, (guint) (end - first_row), events, n_read);
    }

  if (stmt == NULL || (rc != SQLITE_DONE && rc != SQLITE_ROW))
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The events of “%s” cannot be read from row %" PRIu64 " on: %s."),
                 self->path, first_row + *n_read,
                 db != NULL ? sqlite3_errmsg (db) : _("the file cannot be opened"));
  _ts_reader_db_unlock (self->rdb);
  return stmt != NULL && (rc == SQLITE_DONE || rc == SQLITE_ROW);
}

static gint64
get_row_time (TsRecording *self,
              sqlite3_stmt *stmt,
              guint64 row)
{
  gint64 time = 0;

  if (stmt == NULL)
    return g_array_index (self->rebuilt->events, TsEvent, row - 1).time;

  sqlite3_reset (stmt);
  sqlite3_bind_int64 (stmt, 1, (gint64) row);
  switch (sqlite3_step (stmt))
    {
    case SQLITE_ROW:
      time = sqlite3_column_int64 (stmt, 0);
      break;
    case SQLITE_DONE: /* it, and what follows, is missing */
      time = G_MAXINT64;
      break;
    default:
      break;
    }
  return MAX (time, 0);
}

/**
 * ts_recording_row_at_time:
 * @self: a recording
 * @time: tick
 *
 * Cost: a seek for each step of a search that guesses by time, at most two for each doubling of
 *   the number of rows
 * Thread: owner
 *
 * Returns: the first row that is not before @time; number of rows + 1 when all are; 0: not known yet,
 *   of a recording of another program that is not indexed and could not be searched within a second
 */
guint64
ts_recording_row_at_time (TsRecording *self,
                          gint64 time)
{
  guint64 low = 1;
  guint64 high = self->n_rows + 1;
  gint64 low_time = 0;
  gint64 high_time = self->duration;
  gboolean by_time = TRUE;
  gboolean in_memory = self->rebuilt != NULL && self->rebuilt->events != NULL;
  sqlite3_stmt *stmt = NULL;

  if (time <= 0 || ts_recording_get_n_listed_rows (self) == 0)
    return 1;
  if (self->n_rows == 0)
    return _ts_foreign_row_at_time (self, time, FOREIGN_LIMIT_US);

  if (!in_memory)
    {
      _ts_reader_db_lock (self->rdb);
      stmt = _ts_reader_db_get_statement (self->rdb, TS_STATEMENT_ROW_TIME);
    }

  while (low < high && (stmt != NULL || in_memory))
    {
      guint64 probe = low + (high - low) / 2;
      gint64 found;

      /* Events are spread evenly more often than not; every other step halves, so a lie costs
       * little. */
      if (by_time && time > low_time && time < high_time)
        probe = low
                + (guint64) ((__int128) (high - low - 1) * (time - low_time)
                             / (high_time - low_time));
      by_time = !by_time;

      found = get_row_time (self, stmt, probe);
      if (found < time)
        {
          low = probe + 1;
          low_time = MAX (low_time, found);
        }
      else
        {
          high = probe;
          high_time = MIN (high_time, found);
        }
    }

  if (!in_memory)
    _ts_reader_db_unlock (self->rdb);
  return low;
}

/**
 * ts_recording_list_kinds:
 * @self: a recording
 *
 * Reads a small table that closed recordings have.
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable) (element-type guint): kinds (#TsEventKind) of which it has
 * events, by number; %NULL where nobody has counted them: while it is written, and of other programs
 */
GArray *
ts_recording_list_kinds (TsRecording *self)
{
  g_autoptr (GArray) kinds = g_array_new (FALSE, FALSE, sizeof (guint));
  sqlite3_stmt *stmt = NULL;
  sqlite3 *db;

  g_return_val_if_fail (TS_IS_RECORDING (self), NULL);

  if (!self->tables.has_counts || self->rebuilt != NULL || ts_recording_is_live (self))
    return NULL;

  db = _ts_recording_begin_read (self, 0, NULL);
  if (db != NULL
      && sqlite3_prepare_v2 (
             db, "SELECT DISTINCT kind FROM ts_kind_counts WHERE count>0 ORDER BY kind", -1, &stmt,
             NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          guint kind = (guint) sqlite3_column_int (stmt, 0);

          if (ts_event_kind_get_name (kind) != NULL)
            g_array_append_val (kinds, kind);
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self);
  return kinds->len > 0 ? g_steal_pointer (&kinds) : NULL;
}
