/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-foreign.c: events of recordings that somebody else wrote, row by row or by samples.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-counters-private.h"
#include "ts-recording-foreign-private.h"
#include "ts-tracker-private.h"

/* A first look at a long recording: so many places, so many rows at each; fewer places where that
 * would take longer than the first time, and none where they cannot be found within the second. */
#define N_SAMPLES 1000
#define SAMPLE_ROWS 400
#define SAMPLE_US (800 * 1000)
#define SAMPLE_LIMIT_US (1600 * 1000)

static void
find_columns (TsForeign *self)
{
  const struct
  {
    const char *name;
    int *column;
  } wanted[] = {
    { "id", &self->id },
    { "t_cycles", &self->time },
    { "kind", &self->kind },
    { "start", &self->start },
    { "object_id", &self->object_id },
    { "object", &self->object },
    { "core", &self->core },
    { "value", &self->value },
    { "detail", &self->detail },
    { "text", &self->text },
    { "flags", &self->flags },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      *wanted[i].column = -1;
      for (int c = 0; c < sqlite3_column_count (self->stmt); c++)
        {
          if (g_ascii_strcasecmp (sqlite3_column_name (self->stmt, c), wanted[i].name) == 0)
            *wanted[i].column = c;
        }
    }
}

/**
 * _ts_foreign_begin:
 * @self: (out caller-allocates): _ts_foreign_end()
 * @db: (nullable): a locked connection
 * @with_row: the numbers of the rows too, in the first column: a table that has them
 * @rest: what follows the name of the table: conditions, order
 *
 * Returns: %FALSE if the table lacks what an event needs; nothing is to be ended then
 */
gboolean
_ts_foreign_begin (TsForeign *self,
                   sqlite3 *db,
                   gboolean with_row,
                   const char *rest)
{
  g_autofree char *sql = g_strconcat (with_row ? "SELECT rowid AS '',* " : "SELECT * ",
                                      "FROM va_events ", rest, NULL);

  memset (self, 0, sizeof *self);
  if (db == NULL || sqlite3_prepare_v2 (db, sql, -1, &self->stmt, NULL) != SQLITE_OK)
    return FALSE;

  find_columns (self);
  if (self->kind >= 0 && self->time >= 0)
    return TRUE;

  _ts_foreign_end (self);
  return FALSE;
}

void
_ts_foreign_end (TsForeign *self)
{
  g_clear_pointer (&self->stmt, sqlite3_finalize);
}

static gint64
get_int (TsForeign *self,
         int column)
{
  return column >= 0 ? sqlite3_column_int64 (self->stmt, column) : 0;
}

/**
 * _ts_foreign_next:
 * @self: rows
 * @event: (out caller-allocates): the next one; without a text
 * @text: (out): its text, or %NULL
 *
 * Source: events.md section 1; viewalyzer-host.md section 1.8
 *
 * Returns: SQLITE_ROW, SQLITE_DONE, or an error
 */
int
_ts_foreign_next (TsForeign *self,
                  TsEvent *event,
                  char **text)
{
  sqlite3_stmt *stmt = self->stmt;
  int rc = sqlite3_step (stmt);

  *text = NULL;
  if (rc != SQLITE_ROW)
    return rc;

  memset (event, 0, sizeof *event);
  event->time = get_int (self, self->time);
  event->kind
      = (guint16) ts_event_kind_from_name ((const char *) sqlite3_column_text (stmt, self->kind));
  event->object = (guint32) CLAMP (get_int (self, self->object_id), 0, TS_FOREIGN_MAX_OBJECT_ID);
  event->core = (guint8) CLAMP (get_int (self, self->core), 0, 255);
  event->flags = (guint8) (get_int (self, self->flags) & TS_EVENT_FLAGS_PUBLIC);

  if (self->start >= 0 && sqlite3_column_type (stmt, self->start) != SQLITE_NULL)
    event->flags |= sqlite3_column_int (stmt, self->start) != 0 ? TS_EVENT_FLAG_START
                                                                : TS_EVENT_FLAG_END;

  if (self->value >= 0 && sqlite3_column_type (stmt, self->value) == SQLITE_FLOAT)
    {
      union
      {
        gint64 i;
        double d;
      } u = { .d = sqlite3_column_double (stmt, self->value) };

      event->value = u.i;
      event->flags |= TS_EVENT_FLAG_FLOAT;
    }
  else
    {
      event->value = get_int (self, self->value);
    }

  event->detail = get_int (self, self->detail);
  if (self->text >= 0 && sqlite3_column_type (stmt, self->text) == SQLITE_TEXT)
    *text = _ts_column_dup_text (stmt, self->text);
  return rc;
}

/**
 * _ts_foreign_make_object:
 * @self: rows
 * @event: the current one
 *
 * Returns: (transfer full): the object it is about, as far as events speak of it
 */
TsObject *
_ts_foreign_make_object (TsForeign *self,
                         const TsEvent *event)
{
  TsObject object = TS_OBJECT_INIT;

  object.id = event->object;
  object.core = event->core;
  object.type
      = event->kind == TS_EVENT_ISR           ? TS_OBJECT_ISR
        : event->kind == TS_EVENT_TASK_SWITCH ? TS_OBJECT_TASK
        : event->kind == TS_EVENT_USER_EVENT  ? TS_OBJECT_USER_EVENT
        : event->kind == TS_EVENT_USER_TRACE || event->kind == TS_EVENT_FLOAT_TRACE
            ? TS_OBJECT_USER_TRACE
            : TS_OBJECT_NONE;
  object.name = self->object >= 0 ? _ts_column_dup_text (self->stmt, self->object) : NULL;
  object.is_named = object.name != NULL;
  if (object.name == NULL)
    object.name = g_strdup_printf ("%u", event->object);
  object.is_idle = object.type == TS_OBJECT_TASK && _ts_is_idle_name (object.name);
  return g_memdup2 (&object, sizeof object);
}

/* ---- a first look ---- */

typedef struct
{
  TsRecording *recording;
  TsRebuilt *rebuilt;
  TsTracker *tracker;
  GHashTable *known;
  gint64 origin;
  gint64 last;
  gint64 last_id;
  gboolean by_rowid;
} Sample;

/* Rows from @id on. FALSE: they are not in order, or time is over. */
static gboolean
take_sample (Sample *self,
             TsForeign *rows,
             gint64 id,
             gboolean is_first)
{
  TsEvent begin = { .kind = TS_EVENT_SESSION_START, .flags = TS_EVENT_FLAG_SYNTHETIC };
  TsEvent event;
  char *text = NULL;
  guint n = 0;
  int rc;

  id = MAX (id, MIN (self->last_id, G_MAXINT64 - 1) + 1);
  sqlite3_reset (rows->stmt);
  sqlite3_bind_int64 (rows->stmt, 1, id);
  while ((rc = _ts_foreign_next (rows, &event, &text)) == SQLITE_ROW)
    {
      g_free (text);
      if (is_first && n == 0)
        self->origin = event.time;
      if (__builtin_sub_overflow (event.time, self->origin, &event.time)
          || event.time < self->last || event.time > G_MAXINT64 / 2)
        return FALSE;

      if (event.object != 0 && g_hash_table_add (self->known, GUINT_TO_POINTER (event.object)))
        {
          TsObject *object = _ts_foreign_make_object (rows, &event);

          g_ptr_array_add (self->rebuilt->objects, object);
          ts_tracker_set_object (self->tracker, object);
        }
      /* What lies between is not known. */
      begin.time = event.time;
      if (n++ == 0 && !is_first)
        ts_tracker_events (self->tracker, &begin, 1);
      ts_tracker_events (self->tracker, &event, 1);
      self->last = event.time;
      self->last_id = self->by_rowid ? id + (gint64) MIN (n - 1, (guint64) (G_MAXINT64 - id))
                                     : get_int (rows, rows->id);
    }
  return rc == SQLITE_DONE;
}

/* Pieces from @first to @last, as many as there is time for. */
static gboolean
take_samples (Sample *self,
              TsForeign *rows,
              gint64 first,
              gint64 last)
{
  gint64 begin_us = g_get_monotonic_time ();
  guint n_taken = 0;
  guint step;

  for (guint i = 0; i < N_SAMPLES; i += step)
    {
      gint64 used_us;
      gint64 left_us;

      if (!take_sample (self, rows, first + (gint64) ((__int128) (last - first) * i / N_SAMPLES),
                        i == 0))
        return FALSE;
      n_taken++;
      used_us = g_get_monotonic_time () - begin_us;
      left_us = MAX (SAMPLE_US - used_us, SAMPLE_US / 20);
      step = (guint) CLAMP ((N_SAMPLES - i) * used_us / n_taken / left_us, 1, N_SAMPLES / 8);
    }
  return take_sample (self, rows, MAX (last - SAMPLE_ROWS + 1, first), FALSE);
}

/* A table is found by the numbers of its rows, whatever its columns are: "id" need not be its key. */
static const char *
get_key (sqlite3 *db)
{
  static const char sql[]
      = "SELECT count(*) FROM sqlite_master WHERE type='table' AND lower(name)='va_events' "
        "AND sql NOT LIKE '%WITHOUT ROWID%'";

  return db != NULL && _ts_db_get_int (db, sql, 0) == 1 ? "rowid" : "id";
}

/* Whether rows can be shown by their numbers: few of which are missing, as far as it is known. */
static gboolean
is_listable (TsRecording *recording,
             gint64 first,
             gint64 last)
{
  guint64 n = (guint64) last - (guint64) first + 1;

  return n < G_MAXUINT32 && (recording->n_events == 0 || n / 2 <= recording->n_events);
}

/**
 * _ts_foreign_sample:
 * @recording: a recording whose rows are too many to be kept
 *
 * Lanes from short pieces spread over the recording: enough for a first picture of who runs when,
 * and of where much happens.
 *
 * Cost: some 0.8 s, at most 1.6
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (nullable): the lanes; %NULL where rows cannot be found by number, or
 *   are not in order of time
 */
TsRebuilt *
_ts_foreign_sample (TsRecording *recording)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Sample self = { .recording = recording, .known = known, .last_id = -1 };
  /* read before the connection is held below */
  guint64 line_rate = _ts_recording_get_line_rate (recording);
  sqlite3 *db = _ts_recording_begin_read (recording, SAMPLE_LIMIT_US, NULL);
  const char *key_name = get_key (db);
  g_autofree char *min = g_strdup_printf ("SELECT min(%s) FROM va_events", key_name);
  g_autofree char *max = g_strdup_printf ("SELECT max(%s) FROM va_events", key_name);
  g_autofree char *rest = g_strdup_printf ("WHERE %s>=?1 ORDER BY %s LIMIT %d", key_name, key_name,
                                           SAMPLE_ROWS);
  gint64 first = db != NULL ? _ts_db_get_int (db, min, -1) : -1;
  gint64 last = first >= 0 ? _ts_db_get_int (db, max, -1) : -1;
  gboolean ok = FALSE;
  TsForeign rows;
  GHashTableIter iter;
  gpointer key;

  self.by_rowid = g_str_equal (key_name, "rowid");
  self.rebuilt = g_atomic_rc_box_new0 (TsRebuilt);
  self.rebuilt->is_sample = TRUE;
  self.rebuilt->store = ts_lane_store_new ();
  self.rebuilt->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);
  self.tracker = ts_tracker_new (self.rebuilt->store);
  ts_tracker_set_clock (self.tracker, ts_recording_get_clock_hz (recording));
  ts_tracker_set_line_rate (self.tracker, line_rate);
  g_hash_table_iter_init (&iter, recording->objects);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_hash_table_add (known, key);
      ts_tracker_set_object (self.tracker, g_hash_table_lookup (recording->objects, key));
    }

  if (last > first && _ts_foreign_begin (&rows, db, FALSE, rest))
    {
      ok = take_samples (&self, &rows, first, last);
      _ts_foreign_end (&rows);
    }
  _ts_recording_end_read (recording);

  self.rebuilt->end_time = self.last;
  self.rebuilt->origin = self.origin;
  if (ok && self.by_rowid && is_listable (recording, first, last))
    {
      self.rebuilt->first_id = first;
      self.rebuilt->n_listed = (guint64) (last - first) + 1;
    }
  ts_tracker_finish (self.tracker, self.last);
  ts_lane_store_seal_all (self.rebuilt->store);
  ts_lane_store_publish (self.rebuilt->store, self.last);
  ts_tracker_free (self.tracker);
  if (ok)
    return self.rebuilt;

  _ts_rebuilt_unref (self.rebuilt);
  return NULL;
}
