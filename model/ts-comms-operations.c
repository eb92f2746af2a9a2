/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-operations.c: notifications, stream buffers and detailed flag operations, which only
 * events tell. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-comms-private.h"

/* @slices: those that have not ended; a handler inside itself comes before the one around it, so
 * they go as far as the next one that is in no other. */
typedef struct
{
  TsSliceCursor cursor;
  GArray *slices; /* of TsSlice */
} Handler;

typedef struct
{
  TsRecording *recording;
  GArray *operations;
  GPtrArray *handlers; /* of Handler, one per interrupt */
} Reader;

static void
handler_free (gpointer data)
{
  Handler *self = data;

  g_array_unref (self->slices);
  g_free (self);
}

/* Lets go of what has ended at @time, and reads on until all that is open then is there. */
static void
move_handler (Handler *self,
              gint64 time)
{
  const TsSlice *slice;
  guint n = 0;

  for (guint i = 0; i < self->slices->len; i++)
    if (g_array_index (self->slices, TsSlice, i).end > time)
      g_array_index (self->slices, TsSlice, n++) = g_array_index (self->slices, TsSlice, i);
  g_array_set_size (self->slices, n);
  if (n > 0 && g_array_index (self->slices, TsSlice, n - 1).depth == 0)
    return;

  while ((slice = _ts_slice_cursor_next (&self->cursor)) != NULL)
    if (slice->end > time)
      {
        g_array_append_vals (self->slices, slice, 1);
        if (slice->depth == 0)
          return;
      }
}

/* The interrupt that is in its handler at @time; times never decrease. */
static guint32
find_interrupt (Reader *reader,
                gint64 time)
{
  guint32 found = 0;
  gint64 found_begin = -1;

  for (guint i = 0; i < reader->handlers->len; i++)
    {
      Handler *handler = g_ptr_array_index (reader->handlers, i);

      move_handler (handler, time);
      for (guint k = 0; k < handler->slices->len; k++)
        {
          const TsSlice *slice = &g_array_index (handler->slices, TsSlice, k);

          if (slice->begin > time || slice->begin < found_begin)
            continue;
          /* Of several that begin in one tick it cannot be told which is inside. */
          if (slice->begin > found_begin || handler->cursor.lane->info.id < found)
            found = handler->cursor.lane->info.id;
          found_begin = slice->begin;
        }
    }
  return found;
}

/* What an operation is, from the words that the decoder found for it.
 * Source: viewalyzer-wire.md sections 5.4 and 7. FALSE: nothing is given or taken. */
gboolean
_ts_comms_parse_words (const char *words,
                       TsOperation *operation)
{
  static const struct
  {
    const char *word;
    gboolean is_give;
    gboolean is_failed;
  } known[] = {
    { "send failed", TRUE, TRUE },   { "receive failed", FALSE, TRUE },
    { "send", TRUE, FALSE },         { "receive", FALSE, FALSE },
    { "no action", TRUE, FALSE },    { "set bits", TRUE, FALSE },
    { "increment", TRUE, FALSE },    { "overwrite", TRUE, FALSE },
    { "no overwrite", TRUE, FALSE }, { "failed", TRUE, TRUE },
    { "wait ok", FALSE, FALSE },     { "wait timeout", FALSE, TRUE },
    { "take timeout", FALSE, TRUE }, { "take", FALSE, FALSE },
    { "set deferred", TRUE, FALSE }, { "set", TRUE, FALSE },
  };

  for (guint i = 0; words != NULL && i < G_N_ELEMENTS (known); i++)
    {
      gsize n = strlen (known[i].word);

      if (strncmp (words, known[i].word, n) == 0
          && (words[n] == '\0' || words[n] == ' ' || words[n] == ','))
        {
          operation->is_give = known[i].is_give;
          operation->is_failed = known[i].is_failed;
          return TRUE;
        }
    }
  return FALSE;
}

/* The name of the task that the words name after "by"; NULL: none. */
const char *
_ts_comms_find_actor (const char *words)
{
  const char *name = strstr (words, " by ");

  return name != NULL ? name + strlen (" by ") : NULL;
}

static guint32
parse_actor (Reader *reader,
             const char *words)
{
  const char *name = _ts_comms_find_actor (words);
  GHashTableIter iter;
  gpointer value;

  if (name == NULL)
    return 0;
  g_hash_table_iter_init (&iter, reader->recording->objects);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const TsObject *object = value;

      if (object->type == TS_OBJECT_TASK && g_strcmp0 (object->name, name) == 0)
        return object->id;
    }
  return 0;
}

static gboolean
note_operation (guint64 row,
                const TsEvent *event,
                gpointer user_data)
{
  Reader *reader = user_data;
  TsOperation operation = { .time = event->time, .object = event->object };

  if (event->kind == TS_EVENT_TASK_NOTIFY)
    {
      operation.is_notification = TRUE;
      operation.is_give = (event->flags & TS_EVENT_FLAG_START) != 0;
      if (operation.is_give)
        {
          operation.object = (guint32) ts_event_get_detail (event);
          operation.actor
              = event->object != 0 ? event->object : find_interrupt (reader, event->time);
        }
      else
        operation.actor = event->object;
    }
  else
    {
      const char *words
          = ts_recording_get_string (reader->recording, ts_event_get_text_id (event));

      if (!_ts_comms_parse_words (words, &operation))
        return TRUE;
      operation.is_notification = event->kind == TS_EVENT_NOTIFY_DETAILS;
      operation.actor = operation.is_notification && !operation.is_give
                            ? event->object
                            : parse_actor (reader, words);
      if (operation.actor == 0)
        operation.actor = find_interrupt (reader, event->time);
    }

  if (operation.object != 0)
    g_array_append_val (reader->operations, operation);
  return TRUE;
}

/**
 * _ts_comms_read_operations:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Cost: that of _ts_analysis_scan() and of all interrupts of the range, if there are any
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (element-type TsOperation) (nullable): operations in order of time
 */
GArray *
_ts_comms_read_operations (TsRecording *recording,
                           gint64 begin,
                           gint64 end,
                           GCancellable *cancellable,
                           GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_TASK_NOTIFY, TS_EVENT_NOTIFY_DETAILS,
                                       TS_EVENT_STREAM_BUFFER, TS_EVENT_FLAG_DETAILS };
  g_autoptr (GArray) operations = g_array_new (FALSE, FALSE, sizeof (TsOperation));
  g_autoptr (GPtrArray) handlers = g_ptr_array_new_with_free_func (handler_free);
  Reader reader = { recording, operations, handlers };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      Handler *handler;

      if (lanes[i].kind != TS_LANE_ISR)
        continue;
      handler = g_new0 (Handler, 1);
      handler->slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
      _ts_slice_cursor_init (&handler->cursor, recording, lanes[i].id, begin, end);
      g_ptr_array_add (handlers, handler);
    }

  if (!_ts_analysis_scan (recording, kinds, G_N_ELEMENTS (kinds), begin, end, note_operation,
                          &reader, cancellable, error))
    return NULL;
  return g_steal_pointer (&operations);
}
