/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-operations.c: notifications, stream buffers and detailed flag operations, which only
 * events tell. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-comms-private.h"

typedef struct
{
  TsSliceCursor cursor;
  TsSlice slice;
  gboolean has_slice;
} Handler;

typedef struct
{
  TsRecording *recording;
  GArray *operations;
  GPtrArray *handlers; /* of Handler, one per interrupt */
} Reader;

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

      while (handler->has_slice && handler->slice.end <= time)
        {
          const TsSlice *next = _ts_slice_cursor_next (&handler->cursor);

          handler->has_slice = next != NULL;
          if (next != NULL)
            handler->slice = *next;
        }
      if (handler->has_slice && handler->slice.begin <= time
          && handler->slice.begin > found_begin)
        {
          found = handler->cursor.lane->info.id;
          found_begin = handler->slice.begin;
        }
    }
  return found;
}

/* What an operation is, from the words that the decoder found for it.
 * Source: viewalyzer-wire.md sections 5.4 and 7. FALSE: nothing is given or taken. */
static gboolean
parse_words (const char *words,
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

/* The task that the words name after "by". */
static guint32
parse_actor (Reader *reader,
             const char *words)
{
  const char *name = strstr (words, " by ");
  GHashTableIter iter;
  gpointer value;

  if (name == NULL)
    return 0;
  g_hash_table_iter_init (&iter, reader->recording->objects);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const TsObject *object = value;

      if (object->type == TS_OBJECT_TASK && g_strcmp0 (object->name, name + 4) == 0)
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

      if (!parse_words (words, &operation))
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
  g_autoptr (GPtrArray) handlers = g_ptr_array_new_with_free_func (g_free);
  Reader reader = { recording, operations, handlers };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      Handler *handler;

      if (lanes[i].kind != TS_LANE_ISR)
        continue;
      handler = g_new0 (Handler, 1);
      _ts_slice_cursor_init (&handler->cursor, recording, lanes[i].id, begin, end);
      handler->has_slice = handler->cursor.lane != NULL;
      g_ptr_array_add (handlers, handler);
    }

  if (!_ts_analysis_scan (recording, kinds, G_N_ELEMENTS (kinds), begin, end, note_operation,
                          &reader, cancellable, error))
    return NULL;
  return g_steal_pointer (&operations);
}
