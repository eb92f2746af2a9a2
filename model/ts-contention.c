/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-contention.c: waits for a mutex that somebody holds. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-contention.h"
#include "ts-query-private.h"

/* Looks into lanes of tasks, over all waits, longest first; what is left has no third task. */
#define MAX_LOOKS 1000000

static gboolean
note_contention (guint64 row,
                 const TsEvent *event,
                 gpointer user_data)
{
  GArray *list = user_data;
  TsContention contention = { .begin = event->time,
                              .end = event->time,
                              .mutex = event->object,
                              .waiter = (guint32) event->value,
                              .holder = (guint32) ts_event_get_detail (event),
                              .waiter_priority = TS_OBJECT_UNKNOWN,
                              .holder_priority = TS_OBJECT_UNKNOWN,
                              .third_priority = TS_OBJECT_UNKNOWN };

  if (ts_event_is_counted (event))
    g_array_append_val (list, contention);
  return TRUE;
}

/* The wait ends with the next run of the waiter after it stopped running. */
static void
find_end (TsRecording *recording,
          TsContention *contention)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  gboolean has_stopped = FALSE;
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, recording, contention->waiter, contention->begin, G_MAXINT64);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      if (slice->state == TS_STATE_RUNNING)
        {
          if (has_stopped)
            {
              contention->end = slice->begin;
              return;
            }
          /* Ran on: it did not have to wait. */
          if (slice->begin > contention->begin)
            return;
          continue;
        }
      if (!has_stopped && slice->begin >= contention->begin
          && (slice->state != TS_STATE_BLOCKED || slice->arg != contention->mutex)
          && slice->state != TS_STATE_READY)
        return;
      has_stopped = TRUE;
      contention->end = slice->end;
      contention->is_open = (slice->kind & TS_SLICE_OPEN) != 0;
    }
}

static void
find_third (TsRecording *recording,
            TsPriorities *priorities,
            TsContention *contention)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      gint64 priority;
      gint64 ticks;

      if (lanes[i].kind != TS_LANE_TASK || lanes[i].is_idle || lanes[i].id == contention->waiter
          || lanes[i].id == contention->holder)
        continue;
      priority = _ts_priorities_get (priorities, lanes[i].id, contention->begin);
      if (!_ts_priorities_is_more_urgent (priorities, contention->waiter_priority, priority))
        continue;
      ticks = _ts_analysis_running_ticks (recording, lanes[i].id, contention->begin,
                                          contention->end);
      if (ticks > contention->third_ticks)
        {
          contention->third = lanes[i].id;
          contention->third_ticks = ticks;
          contention->third_priority = priority;
        }
    }
}

static int
compare_length (gconstpointer a,
                gconstpointer b,
                gpointer user_data)
{
  const GArray *list = user_data;
  const TsContention *left = &g_array_index (list, TsContention, *(const guint *) a);
  const TsContention *right = &g_array_index (list, TsContention, *(const guint *) b);
  gint64 left_ticks = left->end - left->begin;
  gint64 right_ticks = right->end - right->begin;

  if (left_ticks != right_ticks)
    return left_ticks > right_ticks ? -1 : 1;
  return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/**
 * ts_contention_list:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * All waits for a held mutex that begin in the range, in order of time. Only what the recorder
 * tells with `mutex_contention` is a wait here.
 *
 * Cost: a scan of the range's rows if there is any contention; then some 10 us each
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE, %TS_MODEL_ERROR_BAD_RECORDING
 * Source: viewalyzer-wire.md section 13.4, contention; viewalyzer-host.md section 3.7, `inversions`
 *
 * Returns: (transfer full) (element-type TsContention) (nullable): the waits
 */
GArray *
ts_contention_list (TsRecording *recording,
                    gint64 begin,
                    gint64 end,
                    GCancellable *cancellable,
                    GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_MUTEX_CONTENTION };
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (TsContention));
  g_autofree guint *order = NULL;
  TsPriorities *priorities;
  guint n_lanes = 0;
  guint n_looks;

  if (!_ts_analysis_scan (recording, kinds, 1, begin, end, note_contention, list, cancellable,
                          error))
    return NULL;
  if (list->len == 0)
    return g_steal_pointer (&list);
  priorities = _ts_priorities_new (recording, end, cancellable, error);
  if (priorities == NULL)
    return NULL;

  ts_recording_get_lanes (recording, &n_lanes);
  order = g_new (guint, list->len);
  for (guint i = 0; i < list->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      TsContention *contention = &g_array_index (list, TsContention, i);

      order[i] = i;
      contention->waiter_priority
          = _ts_priorities_get (priorities, contention->waiter, contention->begin);
      contention->holder_priority
          = _ts_priorities_get (priorities, contention->holder, contention->begin);
      contention->is_inversion = _ts_priorities_is_more_urgent (
          priorities, contention->waiter_priority, contention->holder_priority);
      find_end (recording, contention);
    }

  n_looks = MIN (list->len, MAX_LOOKS / MAX (n_lanes, 1));
  if (n_looks < list->len)
    g_qsort_with_data (order, (gint) list->len, sizeof *order, compare_length, list);
  for (guint i = 0; i < n_looks && !g_cancellable_is_cancelled (cancellable); i++)
    find_third (recording, priorities, &g_array_index (list, TsContention, order[i]));

  _ts_priorities_free (priorities);
  if (!_ts_query_check_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&list);
}
