/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-rebuild.c: lanes of recordings that were not closed, or that somebody else wrote:
 * made again in memory. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-recording-private.h"
#include "ts-tracker-private.h"

/* Foreign rows are kept in memory whole. */
#define MAX_FOREIGN_ROWS 2000000
#define REBUILD_LIMIT_US (60 * G_USEC_PER_SEC)
#define BATCH 4096

static void
rebuilt_clear (gpointer data)
{
  TsRebuilt *self = data;

  g_clear_pointer (&self->store, ts_lane_store_unref);
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->strings, g_ptr_array_unref);
  g_clear_pointer (&self->objects, g_ptr_array_unref);
}

/* Thread: safe */
TsRebuilt *
_ts_rebuilt_ref (TsRebuilt *self)
{
  return g_atomic_rc_box_acquire (self);
}

/* Thread: safe */
void
_ts_rebuilt_unref (TsRebuilt *self)
{
  g_atomic_rc_box_release_full (self, rebuilt_clear);
}

/* Takes over into a reader what was found while making lanes. */
void
_ts_rebuilt_adopt (TsRebuilt *self,
                   TsRecording *recording)
{
  recording->duration = MAX (recording->duration, self->end_time);
  if (self->events == NULL)
    return;

  recording->n_rows = self->events->len;
  if (recording->n_events == 0)
    recording->n_events = self->events->len;

  for (guint i = 0; i < self->objects->len; i++)
    {
      const TsObject *object = g_ptr_array_index (self->objects, i);

      if (!g_hash_table_contains (recording->objects, GUINT_TO_POINTER (object->id)))
        g_hash_table_insert (recording->objects, GUINT_TO_POINTER (object->id),
                             ts_object_copy (object));
      recording->n_objects = MAX (recording->n_objects, object->id);
    }
}

static TsTracker *
make_tracker (TsRecording *recording,
              TsRebuilt *self)
{
  TsTracker *tracker = ts_tracker_new (self->store);
  g_autofree char *os = ts_recording_dup_meta (recording, "va_os");

  if (os != NULL)
    ts_tracker_set_os (tracker, os);

  for (guint32 id = 1; id != 0 && id <= recording->n_objects; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object != NULL)
        ts_tracker_set_object (tracker, object);
    }

  return tracker;
}

/* Our own rows through the tracker once more. */
static TsRebuilt *
rebuild_rows (TsRecording *recording)
{
  TsRebuilt *self = g_atomic_rc_box_new0 (TsRebuilt);
  g_autofree TsEvent *events = g_new (TsEvent, BATCH);
  gint64 deadline_us = g_get_monotonic_time () + REBUILD_LIMIT_US;
  TsTracker *tracker;
  guint64 row = 1;

  self->store = ts_lane_store_new ();
  tracker = make_tracker (recording, self);

  while (row <= recording->n_rows && g_get_monotonic_time () < deadline_us)
    {
      guint n = 0;

      if (!ts_recording_read_events (recording, row, BATCH, events, &n, NULL) || n == 0)
        break;

      /* A file that lies about its order must not upset the tracker. */
      for (guint i = 0; i < n; i++)
        {
          events[i].time = CLAMP (events[i].time, self->end_time, G_MAXINT64 / 2);
          self->end_time = events[i].time;
        }

      ts_tracker_events (tracker, events, n);
      row += n;
    }

  ts_tracker_finish (tracker, self->end_time);
  ts_lane_store_seal_all (self->store);
  ts_lane_store_publish (self->store, self->end_time);
  ts_tracker_free (tracker);
  return self;
}

typedef struct
{
  int id;
  int time;
  int kind;
  int start;
  int object_id;
  int object;
  int core;
  int value;
  int detail;
  int text;
  int flags;
} ForeignColumns;

static void
find_columns (sqlite3_stmt *stmt,
              ForeignColumns *columns)
{
  const struct
  {
    const char *name;
    int *column;
  } wanted[] = {
    { "id", &columns->id },
    { "t_cycles", &columns->time },
    { "kind", &columns->kind },
    { "start", &columns->start },
    { "object_id", &columns->object_id },
    { "object", &columns->object },
    { "core", &columns->core },
    { "value", &columns->value },
    { "detail", &columns->detail },
    { "text", &columns->text },
    { "flags", &columns->flags },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      *wanted[i].column = -1;
      for (int c = 0; c < sqlite3_column_count (stmt); c++)
        {
          if (g_ascii_strcasecmp (sqlite3_column_name (stmt, c), wanted[i].name) == 0)
            *wanted[i].column = c;
        }
    }
}

static gint64
foreign_int (sqlite3_stmt *stmt,
             int column)
{
  return column >= 0 ? sqlite3_column_int64 (stmt, column) : 0;
}

/* One row of somebody else's va_events, by column names. Source: events.md section 1;
 * viewalyzer-host.md section 1.8. */
static void
read_foreign (TsRebuilt *self,
              sqlite3_stmt *stmt,
              const ForeignColumns *columns,
              TsEvent *event)
{
  const char *kind = (const char *) sqlite3_column_text (stmt, columns->kind);

  memset (event, 0, sizeof *event);
  event->time = foreign_int (stmt, columns->time);
  event->kind = (guint16) ts_event_kind_from_name (kind);
  event->object = (guint32) CLAMP (foreign_int (stmt, columns->object_id), 0, 16 << 20);
  event->core = (guint8) CLAMP (foreign_int (stmt, columns->core), 0, 255);
  event->flags = (guint8) (foreign_int (stmt, columns->flags) & TS_EVENT_FLAGS_PUBLIC);

  if (columns->start >= 0 && sqlite3_column_type (stmt, columns->start) != SQLITE_NULL)
    event->flags
        |= sqlite3_column_int (stmt, columns->start) != 0 ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;

  if (columns->value >= 0 && sqlite3_column_type (stmt, columns->value) == SQLITE_FLOAT)
    {
      union
      {
        gint64 i;
        double d;
      } u = { .d = sqlite3_column_double (stmt, columns->value) };

      event->value = u.i;
      event->flags |= TS_EVENT_FLAG_FLOAT;
    }
  else
    {
      event->value = foreign_int (stmt, columns->value);
    }

  event->detail = foreign_int (stmt, columns->detail);
  if (columns->text >= 0 && sqlite3_column_type (stmt, columns->text) == SQLITE_TEXT)
    {
      g_ptr_array_add (self->strings, _ts_column_dup_text (stmt, columns->text));
      event->flags |= TS_EVENT_FLAG_TEXT;
      event->detail = (gint64) ((guint64) self->strings->len << 32 | (guint32) event->detail);
    }
}

/* An object of which only the events speak. */
static void
note_object (TsRebuilt *self,
             GHashTable *known,
             sqlite3_stmt *stmt,
             const ForeignColumns *columns,
             const TsEvent *event)
{
  TsObject object = TS_OBJECT_INIT;

  if (event->object == 0 || !g_hash_table_add (known, GUINT_TO_POINTER (event->object)))
    return;

  object.id = event->object;
  object.core = event->core;
  object.type = event->kind == TS_EVENT_ISR           ? TS_OBJECT_ISR
                : event->kind == TS_EVENT_TASK_SWITCH ? TS_OBJECT_TASK
                : event->kind == TS_EVENT_USER_EVENT  ? TS_OBJECT_USER_EVENT
                : event->kind == TS_EVENT_USER_TRACE || event->kind == TS_EVENT_FLOAT_TRACE
                    ? TS_OBJECT_USER_TRACE
                    : TS_OBJECT_NONE;
  object.name = columns->object >= 0 ? _ts_column_dup_text (stmt, columns->object) : NULL;
  object.is_named = object.name != NULL;
  if (object.name == NULL)
    object.name = g_strdup_printf ("%u", event->object);
  g_ptr_array_add (self->objects, g_memdup2 (&object, sizeof object));
}

static int
compare_time (gconstpointer a,
              gconstpointer b)
{
  const TsEvent *left = a;
  const TsEvent *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

/* Reads somebody else's events into memory; FALSE if there are none or too many. */
static gboolean
read_foreign_events (TsRecording *recording,
                     TsRebuilt *self)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  sqlite3 *db = _ts_recording_begin_read (recording, REBUILD_LIMIT_US, NULL);
  sqlite3_stmt *stmt = NULL;
  ForeignColumns columns;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, recording->objects);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (known, key);

  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT * FROM va_events", -1, &stmt, NULL) == SQLITE_OK)
    {
      find_columns (stmt, &columns);
      while (columns.kind >= 0 && columns.time >= 0 && self->events->len <= MAX_FOREIGN_ROWS
             && sqlite3_step (stmt) == SQLITE_ROW)
        {
          TsEvent event;

          read_foreign (self, stmt, &columns, &event);
          note_object (self, known, stmt, &columns, &event);
          g_array_append_val (self->events, event);
        }
    }

  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
  return self->events->len > 0 && self->events->len <= MAX_FOREIGN_ROWS;
}

static TsRebuilt *
rebuild_foreign (TsRecording *recording)
{
  TsRebuilt *self = g_atomic_rc_box_new0 (TsRebuilt);
  TsTracker *tracker;
  TsEvent *events;
  gint64 origin;

  self->store = ts_lane_store_new ();
  self->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  self->strings = g_ptr_array_new_with_free_func (g_free);
  self->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_object_free);

  if (!read_foreign_events (recording, self))
    {
      _ts_rebuilt_unref (self);
      return NULL;
    }

  /* The origin is open in the contract: readers subtract the smallest (viewalyzer-host.md
   * section 1.2). */
  g_array_sort (self->events, compare_time);
  events = (TsEvent *) self->events->data;
  origin = events[0].time;
  for (guint i = 0; i < self->events->len; i++)
    {
      guint64 time = (guint64) events[i].time - (guint64) origin;

      events[i].time = (gint64) MIN (time, (guint64) G_MAXINT64 / 2);
    }
  self->end_time = events[self->events->len - 1].time;

  tracker = make_tracker (recording, self);
  for (guint i = 0; i < self->objects->len; i++)
    ts_tracker_set_object (tracker, g_ptr_array_index (self->objects, i));
  ts_tracker_events (tracker, events, self->events->len);
  ts_tracker_finish (tracker, self->end_time);
  ts_lane_store_seal_all (self->store);
  ts_lane_store_publish (self->store, self->end_time);
  ts_tracker_free (tracker);
  return self;
}

/**
 * _ts_recording_rebuild:
 * @recording: a recording whose file holds no lanes, or not all
 *
 * Makes the lanes from the events, in memory.
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable): the lanes; %NULL when there are no events or more than can
 * be kept
 */
TsRebuilt *
_ts_recording_rebuild (TsRecording *recording)
{
  if (recording->tables.has_rows)
    return recording->n_rows > 0 && recording->n_rows <= TS_REBUILD_MAX_ROWS
               ? rebuild_rows (recording)
               : NULL;

  return recording->tables.has_view ? rebuild_foreign (recording) : NULL;
}
