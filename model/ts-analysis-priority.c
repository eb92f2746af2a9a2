/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-priority.c: which priority a task had at a time. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

typedef struct
{
  gint64 time;
  gint64 priority;
} Change;

struct _TsPriorities
{
  TsRecording *recording;
  GHashTable *changes; /* task to GArray of Change */
  gboolean smaller_is_urgent;
};

static gboolean
note_change (guint64 row,
             const TsEvent *event,
             gpointer user_data)
{
  TsPriorities *self = user_data;
  gpointer key = GUINT_TO_POINTER (event->object);
  GArray *changes = g_hash_table_lookup (self->changes, key);
  Change change = { event->time, event->value };

  if (changes == NULL)
    {
      changes = g_array_new (FALSE, FALSE, sizeof (Change));
      g_hash_table_insert (self->changes, key, changes);
    }
  if (changes->len == 0
      || g_array_index (changes, Change, changes->len - 1).priority != change.priority)
    g_array_append_val (changes, change);
  return TRUE;
}

/**
 * _ts_priorities_new:
 * @recording: a recording
 * @end: times from there on are not asked for
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Reads the changes of all tasks' priorities. A recording without any (recorders before 1.2.0)
 * costs nothing: then a task's priority is the one it was created with.
 *
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (nullable): _ts_priorities_free()
 */
TsPriorities *
_ts_priorities_new (TsRecording *recording,
                    gint64 end,
                    GCancellable *cancellable,
                    GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_TASK_CREATE, TS_EVENT_TASK_PRIORITY };
  TsPriorities *self = g_new0 (TsPriorities, 1);

  self->recording = recording;
  self->smaller_is_urgent = _ts_analysis_smaller_is_urgent (recording);
  self->changes
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) (void (*) (void)) g_array_unref);
  if (_ts_analysis_has_kind (recording, TS_EVENT_TASK_PRIORITY)
      && !_ts_analysis_scan (recording, kinds, G_N_ELEMENTS (kinds), 0, end, note_change, self,
                             cancellable, error))
    g_clear_pointer (&self, _ts_priorities_free);
  return self;
}

void
_ts_priorities_free (TsPriorities *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->changes);
  g_free (self);
}

/* Effective priority of @task at @time; %TS_OBJECT_UNKNOWN. */
gint64
_ts_priorities_get (TsPriorities *self,
                    guint32 task,
                    gint64 time)
{
  const TsObject *object = ts_recording_get_object (self->recording, task);
  const GArray *changes = g_hash_table_lookup (self->changes, GUINT_TO_POINTER (task));
  guint low = 0;
  guint high = changes != NULL ? changes->len : 0;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (changes, Change, middle).time <= time)
        low = middle + 1;
      else
        high = middle;
    }
  if (low > 0)
    return g_array_index (changes, Change, low - 1).priority;
  if (object == NULL)
    return TS_OBJECT_UNKNOWN;
  return object->base_priority != TS_OBJECT_UNKNOWN ? object->base_priority : object->priority;
}

/* Whether priority @left is more urgent than @right; unknown ones never are. */
gboolean
_ts_priorities_is_more_urgent (TsPriorities *self,
                               gint64 left,
                               gint64 right)
{
  if (left == TS_OBJECT_UNKNOWN || right == TS_OBJECT_UNKNOWN)
    return FALSE;
  return self->smaller_is_urgent ? left < right : left > right;
}
