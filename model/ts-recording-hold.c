/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-hold.c: the begin of a recording that joins a running target.
 *
 * Names and priorities of tasks come with the recorder's next setup, two seconds later at most.
 * Whether a task that left the processor was preempted depends on them, so what is made of the
 * events waits until the tasks that were seen are known. Rows are stored meanwhile.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-recording-writer-private.h"

/* No more events wait, and of a live recording none for longer: who sends no names has none. */
#define MAX_HELD 262144
/* Priorities come right behind the names, or there are none. */
#define MAX_HELD_NAMED 2048
#define MAX_HELD_US (3 * G_USEC_PER_SEC)

void
_ts_hold_clear (TsHold *self)
{
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->unknown, g_hash_table_unref);
}

/* Whether events wait. */
gboolean
_ts_hold_is_waiting (const TsHold *self)
{
  return self->events != NULL && self->events->len > 0;
}

static gboolean
is_unknown (TsRecordingWriter *self,
            const TsEvent *event)
{
  const TsObject *object = event->object > 0 && event->object <= self->objects->len
                               ? g_ptr_array_index (self->objects, event->object - 1)
                               : NULL;

  return event->kind == TS_EVENT_TASK_SWITCH && object != NULL
         && object->type == TS_OBJECT_TASK && !object->is_named
         && object->priority == TS_OBJECT_UNKNOWN;
}

/**
 * _ts_writer_end_hold:
 * @self: a writer
 *
 * Makes lanes of all that waits. From now on nothing does.
 *
 * Thread: owner
 */
void
_ts_writer_end_hold (TsRecordingWriter *self)
{
  TsHold *hold = &self->hold;

  hold->is_over = TRUE;
  if (_ts_hold_is_waiting (hold))
    ts_tracker_events (self->tracker, (const TsEvent *) (gpointer) hold->events->data,
                       hold->events->len);
  _ts_hold_clear (hold);
}

/* Whether somebody has been looking at nothing for long enough. */
static gboolean
is_late (TsRecordingWriter *self,
         gint64 now_us)
{
  return self->live != NULL && now_us - self->hold.begin_us > MAX_HELD_US;
}

/* Notes the tasks of switches. */
static void
note_tasks (TsRecordingWriter *self,
            const TsEvent *events,
            gsize n_events)
{
  TsHold *hold = &self->hold;

  for (gsize i = 0; i < n_events && !hold->is_over; i++)
    if (is_unknown (self, &events[i]))
      {
        gpointer id = GUINT_TO_POINTER (events[i].object);

        if (hold->unknown == NULL)
          hold->unknown = g_hash_table_new (NULL, NULL);
        if (!g_hash_table_contains (hold->unknown, id))
          {
            g_hash_table_insert (hold->unknown, id, GUINT_TO_POINTER (TRUE));
            hold->n_unnamed++;
          }
      }
    /* The first one is known: it did not join in the middle. */
    else if (events[i].kind == TS_EVENT_TASK_SWITCH && hold->unknown == NULL)
      hold->is_over = TRUE;
}

/**
 * _ts_writer_track:
 * @self: a writer
 * @events: (array length=n_events): what comes next
 * @n_events: how many, at least one
 *
 * Makes lanes of events, or keeps them until the tasks of the first switches are known.
 *
 * Thread: owner
 */
void
_ts_writer_track (TsRecordingWriter *self,
                  const TsEvent *events,
                  gsize n_events)
{
  TsHold *hold = &self->hold;

  if (G_UNLIKELY (!hold->is_over))
    note_tasks (self, events, n_events);
  if (G_LIKELY (hold->is_over) || hold->unknown == NULL)
    {
      ts_tracker_events (self->tracker, events, n_events);
      return;
    }

  if (hold->events == NULL)
    {
      hold->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
      hold->begin_us = g_get_monotonic_time ();
      hold->begin = events[0].time;
    }
  g_array_append_vals (hold->events, events, (guint) n_events);
  if (hold->events->len >= MAX_HELD
      || (hold->n_unnamed == 0 && hold->events->len >= hold->n_named_at + MAX_HELD_NAMED)
      || is_late (self, g_get_monotonic_time ()))
    _ts_writer_end_hold (self);
}

/**
 * _ts_writer_check_hold:
 * @self: a writer
 * @now_us: monotonic time
 *
 * Events of a live recording wait no longer than they may, also when no more come.
 *
 * Thread: owner
 */
void
_ts_writer_check_hold (TsRecordingWriter *self,
                       gint64 now_us)
{
  if (_ts_hold_is_waiting (&self->hold) && is_late (self, now_us))
    _ts_writer_end_hold (self);
}

/**
 * _ts_writer_note_known:
 * @self: a writer
 * @object: an object that was defined or has changed
 *
 * Thread: owner
 */
void
_ts_writer_note_known (TsRecordingWriter *self,
                       const TsObject *object)
{
  TsHold *hold = &self->hold;
  gpointer id = GUINT_TO_POINTER (object->id);
  gpointer is_unnamed = NULL;

  if (hold->is_over || hold->unknown == NULL || !object->is_named
      || !g_hash_table_lookup_extended (hold->unknown, id, NULL, &is_unnamed))
    return;
  if (is_unnamed != NULL)
    {
      g_hash_table_insert (hold->unknown, id, NULL);
      if (--hold->n_unnamed == 0)
        hold->n_named_at = hold->events != NULL ? hold->events->len : 0;
    }
  if (object->priority != TS_OBJECT_UNKNOWN)
    g_hash_table_remove (hold->unknown, id);
  if (g_hash_table_size (hold->unknown) == 0)
    _ts_writer_end_hold (self);
}
