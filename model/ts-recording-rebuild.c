/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-rebuild.c: lanes of recordings that were not closed, or that somebody else wrote:
 * made again in memory. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-counters-private.h"
#include "ts-recording-foreign-private.h"
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
  g_clear_pointer (&self->kind_counts, g_array_unref);
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
  if (self->events != NULL)
    recording->n_rows = self->events->len;
  if (self->events != NULL && recording->n_events == 0)
    recording->n_events = self->events->len;

  for (guint i = 0; self->objects != NULL && i < self->objects->len; i++)
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
  g_autofree char *cut_lanes = ts_recording_dup_meta (recording, TS_META_CUT_LANES);

  ts_tracker_set_clock (tracker, ts_recording_get_clock_hz (recording));
  ts_tracker_set_line_rate (tracker, _ts_recording_get_line_rate (recording));
  if (os != NULL)
    ts_tracker_set_os (tracker, os);
  if (cut_lanes != NULL)
    ts_tracker_set_excerpt (tracker);

  for (guint32 id = 1; id != 0 && id <= recording->n_objects; id++)
    {
      const TsObject *object = ts_recording_get_object (recording, id);

      if (object != NULL)
        ts_tracker_set_object (tracker, object);
    }

  return tracker;
}

/* The writer's tables are behind its rows when it is killed. */
static void
count_kind (GArray *counts,
            const TsEvent *event)
{
  guint kind = event->kind;

  if (!ts_event_is_counted (event))
    return;
  if (kind >= counts->len)
    g_array_set_size (counts, kind + 1);
  g_array_index (counts, guint64, kind)++;
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
  self->kind_counts = g_array_new (FALSE, TRUE, sizeof (guint64));
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
          count_kind (self->kind_counts, &events[i]);
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
  TsForeign rows;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, recording->objects);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (known, key);

  if (_ts_foreign_begin (&rows, db, FALSE, ""))
    {
      TsEvent event;
      char *text;

      while (self->events->len <= MAX_FOREIGN_ROWS
             && _ts_foreign_next (&rows, &event, &text) == SQLITE_ROW)
        {
          if (text != NULL)
            {
              g_ptr_array_add (self->strings, text);
              event.flags |= TS_EVENT_FLAG_TEXT;
              event.detail
                  = (gint64) ((guint64) self->strings->len << 32 | (guint32) event.detail);
            }
          if (event.object != 0 && g_hash_table_add (known, GUINT_TO_POINTER (event.object)))
            g_ptr_array_add (self->objects, _ts_foreign_make_object (&rows, &event));
          g_array_append_val (self->events, event);
        }
      _ts_foreign_end (&rows);
    }

  _ts_recording_end_read (recording);
  return self->events->len > 0 && self->events->len <= MAX_FOREIGN_ROWS;
}

/* Whether there are more foreign rows than are kept in memory. */
static gboolean
is_long (TsRecording *recording)
{
  g_autofree char *sql
      = g_strdup_printf ("SELECT 1 FROM va_events LIMIT 1 OFFSET %d", MAX_FOREIGN_ROWS);
  gboolean found = FALSE;
  sqlite3 *db;

  if (recording->n_events > MAX_FOREIGN_ROWS)
    return TRUE;

  db = _ts_recording_begin_read (recording, REBUILD_LIMIT_US, NULL);
  if (db != NULL)
    found = _ts_db_get_int (db, sql, 0) == 1;
  _ts_recording_end_read (recording);
  return found;
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
 * Makes the lanes from the events, in memory. Of somebody else's long recordings only samples are
 * looked at.
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
    {
      recording->needs_index = recording->n_rows > TS_REBUILD_MAX_ROWS;
      return recording->n_rows > 0 && !recording->needs_index ? rebuild_rows (recording) : NULL;
    }
  if (!recording->tables.has_view)
    return NULL;

  recording->needs_index = is_long (recording);
  return recording->needs_index ? _ts_foreign_sample (recording) : rebuild_foreign (recording);
}
