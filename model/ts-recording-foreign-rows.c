/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-foreign-rows.c: rows of somebody else's long recording, straight from its table.
 *
 * Before an index is made of it there are no rows of ours. Its own are found by their numbers, and
 * numbered from the first on; where one is missing a row without a kind stands in its place.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>

#include <glib/gi18n-lib.h>

#include "ts-recording-foreign-private.h"

#define READ_LIMIT_US G_USEC_PER_SEC

/* The object an event is about becomes known; its text, under the number of its row. */
static void
keep_names (TsRecording *self,
            TsForeign *rows,
            TsEvent *event,
            char *text,
            guint64 row)
{
  if (event->object != 0
      && !g_hash_table_contains (self->objects, GUINT_TO_POINTER (event->object)))
    {
      g_hash_table_insert (self->objects, GUINT_TO_POINTER (event->object),
                           _ts_foreign_make_object (rows, event));
      self->n_objects = MAX (self->n_objects, event->object);
    }
  if (text == NULL)
    return;
  g_hash_table_replace (self->strings, GUINT_TO_POINTER ((guint32) row), text);
  event->flags |= TS_EVENT_FLAG_TEXT;
  event->detail = (gint64) (row << 32 | (guint32) event->detail);
}

/**
 * _ts_foreign_read_rows:
 * @self: a recording with rebuilt->n_listed
 * @first_row: first row, from 1
 * @n: how many; there are so many
 * @events: (out caller-allocates) (array length=n): filled
 * @error: return location
 *
 * Cost: one seek, then about a microsecond a row
 * Thread: owner
 * Errors: %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
_ts_foreign_read_rows (TsRecording *self,
                       guint64 first_row,
                       guint n,
                       TsEvent *events,
                       GError **error)
{
  gint64 first_id = self->rebuilt->first_id;
  gint64 begin_id = first_id + (gint64) (first_row - 1);
  g_autofree char *rest = g_strdup_printf ("WHERE rowid>=%" PRId64 " AND rowid<=%" PRId64
                                           " ORDER BY rowid",
                                           begin_id, begin_id + (gint64) (n - 1));
  sqlite3 *db = _ts_recording_begin_read (self, READ_LIMIT_US, NULL);
  gint64 last_time = 0;
  guint done = 0;
  int rc = SQLITE_ERROR;
  TsForeign rows;

  if (_ts_foreign_begin (&rows, db, TRUE, rest))
    {
      TsEvent event;
      char *text;

      while ((rc = _ts_foreign_next (&rows, &event, &text)) == SQLITE_ROW)
        {
          gint64 id = sqlite3_column_int64 (rows.stmt, 0);
          guint place = (guint) CLAMP (id - begin_id, (gint64) done, (gint64) n - 1);

          for (; done < place; done++)
            events[done] = (TsEvent) { .time = last_time, .kind = TS_EVENT_INVALID };
          event.time = (gint64) CLAMP ((__int128) event.time - self->rebuilt->origin, 0,
                                       G_MAXINT64 / 2);
          keep_names (self, &rows, &event, text, first_row + place);
          last_time = event.time;
          events[place] = event;
          done = place + 1;
          if (done == n)
            break;
        }
      _ts_foreign_end (&rows);
    }
  if (rc != SQLITE_DONE && rc != SQLITE_ROW)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                 _("The events of “%s” cannot be read from row %" PRIu64 " on: %s."), self->path,
                 first_row + done, db != NULL ? sqlite3_errmsg (db) : _("the file cannot be opened"));
  _ts_recording_end_read (self);
  for (; done < n; done++)
    events[done] = (TsEvent) { .time = last_time, .kind = TS_EVENT_INVALID };
  return rc == SQLITE_DONE || rc == SQLITE_ROW;
}

/**
 * _ts_foreign_row_at_time:
 * @self: a recording with rebuilt->n_listed
 * @time: tick
 * @limit_us: how long it may take, in microseconds
 *
 * Cost: a seek for each halving of the number of rows
 * Thread: owner
 *
 * Returns: the first row that is not before @time, as far as rows are in order of time; number of
 *   rows + 1 when all are; 0: not known, because there was no time left or a row cannot be read
 */
guint64
_ts_foreign_row_at_time (TsRecording *self,
                         gint64 time,
                         gint64 limit_us)
{
  guint64 low = 1;
  guint64 high = self->rebuilt->n_listed + 1;
  gint64 deadline_us = g_get_monotonic_time () + limit_us;
  sqlite3 *db = _ts_recording_begin_read (self, MAX (limit_us, 1), NULL);
  sqlite3_stmt *stmt = NULL;
  gboolean is_known
      = time <= 0
        || (db != NULL
            && sqlite3_prepare_v2 (
                   db, "SELECT t_cycles FROM va_events WHERE rowid>=?1 ORDER BY rowid LIMIT 1", -1,
                   &stmt, NULL)
                   == SQLITE_OK);

  while (time > 0 && is_known && low < high)
    {
      guint64 middle = low + (high - low) / 2;
      gint64 found = G_MAXINT64;
      int rc;

      sqlite3_reset (stmt);
      sqlite3_bind_int64 (stmt, 1, self->rebuilt->first_id + (gint64) (middle - 1));
      rc = sqlite3_step (stmt);
      if (rc == SQLITE_ROW)
        found = sqlite3_column_int64 (stmt, 0);
      is_known = (rc == SQLITE_ROW || rc == SQLITE_DONE) && g_get_monotonic_time () <= deadline_us;
      if ((__int128) found - self->rebuilt->origin < time)
        low = middle + 1;
      else
        high = middle;
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self);
  return is_known ? low : 0;
}
