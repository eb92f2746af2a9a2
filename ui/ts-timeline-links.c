/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-links.c: from cause to effect and back: ready to running, give to take, what woke a
 * task. What belongs together is what the model says (ts-comms.h), found on a thread.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "model/ts-comms.h"

#include "ui/ts-timeline-private.h"

/* Rows of one run that are looked through for an operation. */
#define MAX_ROWS 4096
#define CHUNK_ROWS 256

/**
 * Link:
 * @lane, @tick: from where; then, if @is_found, to where
 * @direction: 1: to the effect, -1: to the cause
 */
typedef struct
{
  guint32 lane;
  gint64 tick;
  int direction;
  gboolean is_found;
} Link;

/**
 * Operation: one of which the other side is wanted.
 * @consumer: who took, 0: anybody
 * @is_give: @time is that of the give
 * @stays: the result is shown in the lane of the object; else in that of whoever did it
 */
typedef struct
{
  guint32 object;
  guint32 consumer;
  gint64 time;
  gboolean is_give;
  gboolean stays;
} Operation;

static void
lead_to (Link *link,
         guint32 lane,
         gint64 tick)
{
  link->lane = lane;
  link->tick = tick;
  link->is_found = TRUE;
}

static void
follow_transfer (TsRecording *recording,
                 Link *link,
                 const Operation *operation,
                 GCancellable *cancellable,
                 GError **error)
{
  TsTransfer transfer;
  gint64 time;
  guint32 lane;

  if (!ts_comms_find_transfer (recording, operation->object, operation->consumer, operation->time,
                               operation->is_give, &transfer, cancellable, error))
    return;
  time = operation->is_give ? transfer.take_time : transfer.give_time;
  lane = operation->is_give ? transfer.consumer : transfer.producer;
  if (time < 0)
    return;
  if (operation->stays || lane == 0)
    lane = transfer.is_notification ? lane : transfer.resource;
  lead_to (link, lane, time);
}

/* Whether an event gives something to somebody or takes it; FALSE: neither. */
static gboolean
is_operation (const TsEvent *event,
              gboolean *is_give)
{
  switch (event->kind)
    {
    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_QUEUE:
    case TS_EVENT_EVENT_FLAG:
    case TS_EVENT_STREAM_BUFFER:
    case TS_EVENT_TASK_NOTIFY:
    case TS_EVENT_MUTEX:
      *is_give = (event->flags & TS_EVENT_FLAG_START) != 0;
      if (event->kind == TS_EVENT_MUTEX && (event->flags & TS_EVENT_FLAG_START_TAKES) != 0)
        *is_give = !*is_give;
      return event->object != 0;
    default:
      return FALSE;
    }
}

/* The first operation of the wanted side in [begin, end], forwards a give, backwards a take: what
 * happens while a task or interrupt runs is its doing. */
static gboolean
find_operation (TsRecording *recording,
                guint32 object,
                gint64 begin,
                gint64 end,
                int direction,
                TsEvent *found,
                gboolean *found_give)
{
  TsEvent events[CHUNK_ROWS];
  guint64 first = ts_recording_row_at_time (recording, begin);
  guint64 after = ts_recording_row_at_time (recording, end + 1);

  if (first == 0)
    return FALSE;
  for (guint looked = 0; looked < MAX_ROWS && first < after; looked += CHUNK_ROWS)
    {
      guint want = (guint) MIN (after - first, CHUNK_ROWS);
      guint64 from = direction > 0 ? first : after - want;
      guint n_read = 0;

      if (!ts_recording_read_events (recording, from, want, events, &n_read, NULL) || n_read == 0)
        return FALSE;
      for (guint i = 0; i < n_read; i++)
        {
          const TsEvent *event = &events[direction > 0 ? i : n_read - 1 - i];

          if (!is_operation (event, found_give) || (object != 0 && event->object != object) ||
              (object == 0 && *found_give != (direction > 0)))
            continue;
          *found = *event;
          return TRUE;
        }
      if (direction > 0)
        first = from + n_read;
      else
        after = from;
    }
  return FALSE;
}

/* In the lane of an object: from a give to its take and on to who took, and back. */
static void
follow_object (TsRecording *recording,
               const TsLaneInfo *lane,
               Link *link,
               GCancellable *cancellable,
               GError **error)
{
  gboolean is_give;
  TsSlice slice;
  TsEvent event;

  if (!find_operation (recording, lane->object, link->tick, link->tick, 1, &event, &is_give))
    return;
  if (is_give == (link->direction > 0))
    {
      Operation operation = { .object = lane->object, .time = event.time, .is_give = is_give,
                              .stays = TRUE };

      follow_transfer (recording, link, &operation, cancellable, error);
      return;
    }
  /* the other way it leads to who did it */
  if (ts_recording_find_slice (recording, lane->id, link->tick, 0, &slice) && slice.arg != 0
      && ts_recording_get_lane (recording, slice.arg) != NULL)
    lead_to (link, slice.arg, link->tick);
}

/* What ended the wait before a task got ready: who gave what it waited for. FALSE: it waited for
 * nothing. */
static gboolean
follow_wakeup (TsRecording *recording,
               const TsLaneInfo *lane,
               const TsSlice *ready,
               Link *link,
               GCancellable *cancellable,
               GError **error)
{
  Operation operation = { .consumer = lane->object };
  TsSlice wait;

  if (!ts_recording_next_slice (recording, lane->id, ready->begin, -1, &wait)
      || wait.state != TS_STATE_BLOCKED || wait.arg == 0)
    return FALSE;
  operation.object = wait.arg;
  operation.time = wait.end;
  follow_transfer (recording, link, &operation, cancellable, error);
  return TRUE;
}

/* In the lane of a task or interrupt. */
static void
follow_actor (TsRecording *recording,
              const TsLaneInfo *lane,
              Link *link,
              GCancellable *cancellable,
              GError **error)
{
  int direction = link->direction;
  gboolean is_give;
  TsSlice slice;
  TsSlice other;
  TsEvent event;

  if (!ts_recording_find_slice (recording, lane->id, link->tick, 0, &slice))
    return;
  if (slice.state == TS_STATE_BLOCKED && direction < 0 && slice.arg != 0
      && ts_recording_get_lane (recording, slice.arg) != NULL)
    {
      lead_to (link, slice.arg, slice.begin);
      return;
    }
  if (slice.state == TS_STATE_RUNNING
      && find_operation (recording, 0, direction > 0 ? link->tick : slice.begin,
                         direction > 0 ? slice.end : link->tick, direction, &event, &is_give))
    {
      /* a take under way: only its own */
      Operation operation = { .object = event.object, .time = event.time, .is_give = is_give,
                              .consumer = is_give ? 0 : lane->object };

      follow_transfer (recording, link, &operation, cancellable, error);
      return;
    }
  if (slice.state == TS_STATE_READY && direction < 0
      && follow_wakeup (recording, lane, &slice, link, cancellable, error))
    return;
  if (slice.state != TS_STATE_READY && slice.state != TS_STATE_RUNNING
      && slice.state != TS_STATE_BLOCKED)
    return;
  if (ts_recording_next_slice (recording, lane->id, slice.begin, direction, &other))
    lead_to (link, lane->id, other.begin);
}

static gpointer
link_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  Link *link = g_memdup2 (data, sizeof (Link));
  const TsLaneInfo *lane = ts_recording_get_lane (recording, link->lane);

  if (lane != NULL && lane->kind == TS_LANE_OBJECT)
    follow_object (recording, lane, link, cancellable, error);
  else if (lane != NULL && (lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR))
    follow_actor (recording, lane, link, cancellable, error);
  if (link->is_found)
    g_clear_error (error);
  else
    g_clear_pointer (&link, g_free);
  return link;
}

static void
on_linked (gpointer result,
           const GError *error,
           gpointer user_data)
{
  TsTimeline *self = user_data;
  g_autofree Link *link = result;

  if (link == NULL)
    gtk_widget_error_bell (GTK_WIDGET (self));
  _ts_timeline_finish_move (self, link != NULL, link != NULL ? link->lane : 0,
                            link != NULL ? link->tick : 0);
}

/*
 * _ts_timeline_find_link: asks where the cause or the effect of what is at the cursor, in the
 * selected lane, lies; _ts_timeline_finish_move() hears of it.
 */
void
_ts_timeline_find_link (TsTimeline *self,
                        int direction)
{
  Link link = { .lane = ts_view_state_get_selected_lane (self->view),
                .tick = ts_view_state_get_cursor (self->view),
                .direction = direction };

  ts_worker_set_recording (self->linker, ts_view_state_get_recording (self->view));
  ts_worker_ask (self->linker, link_thread, g_memdup2 (&link, sizeof link), g_free, g_free,
                 on_linked, self);
}
