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
 * Request: the other side of an operation.
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
  TsTransfer transfer;
} Request;

static gpointer
link_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  Request *request = g_memdup2 (data, sizeof (Request));

  if (ts_comms_find_transfer (recording, request->object, request->consumer, request->time,
                              request->is_give, &request->transfer, cancellable, error))
    return request;
  g_free (request);
  return NULL;
}

static void
on_linked (gpointer result,
           const GError *error,
           gpointer user_data)
{
  TsTimeline *self = user_data;
  g_autofree Request *request = result;
  const TsTransfer *transfer;
  gint64 time;
  guint32 lane;

  if (request == NULL || self->view == NULL)
    {
      gtk_widget_error_bell (GTK_WIDGET (self));
      return;
    }
  transfer = &request->transfer;
  time = request->is_give ? transfer->take_time : transfer->give_time;
  lane = request->is_give ? transfer->consumer : transfer->producer;
  if (time < 0)
    {
      gtk_widget_error_bell (GTK_WIDGET (self));
      return;
    }
  if (request->stays || lane == 0)
    lane = transfer->is_notification ? lane : transfer->resource;
  _ts_timeline_land_on (self, lane, time);
}

static void
ask (TsTimeline *self,
     const Request *request)
{
  ts_worker_set_recording (self->linker, ts_view_state_get_recording (self->view));
  ts_worker_ask (self->linker, link_thread, g_memdup2 (request, sizeof *request), g_free, g_free,
                 on_linked, self);
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
static gboolean
follow_object (TsTimeline *self,
               const TsLaneInfo *lane,
               gint64 cursor,
               int direction)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gboolean is_give;
  TsSlice slice;
  TsEvent event;

  if (!find_operation (recording, lane->object, cursor, cursor, 1, &event, &is_give))
    return FALSE;
  if (is_give == (direction > 0))
    {
      Request request = { .object = lane->object, .time = event.time, .is_give = is_give,
                          .stays = TRUE };

      ask (self, &request);
      return TRUE;
    }
  /* the other way it leads to who did it */
  if (!ts_recording_find_slice (recording, lane->id, cursor, 0, &slice) || slice.arg == 0 ||
      ts_recording_get_lane (recording, slice.arg) == NULL)
    return FALSE;
  _ts_timeline_land_on (self, slice.arg, cursor);
  return TRUE;
}

/* What ended the wait before a task got ready: who gave what it waited for. */
static gboolean
follow_wakeup (TsTimeline *self,
               const TsLaneInfo *lane,
               const TsSlice *ready)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  TsSlice wait;

  if (!ts_recording_next_slice (recording, lane->id, ready->begin, -1, &wait) ||
      wait.state != TS_STATE_BLOCKED || wait.arg == 0)
    return FALSE;
  {
    Request request = { .object = wait.arg, .consumer = lane->object, .time = wait.end };

    ask (self, &request);
  }
  return TRUE;
}

/* In the lane of a task or interrupt. */
static gboolean
follow_actor (TsTimeline *self,
              const TsLaneInfo *lane,
              gint64 cursor,
              int direction)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gboolean is_give;
  TsSlice slice;
  TsSlice other;
  TsEvent event;

  if (!ts_recording_find_slice (recording, lane->id, cursor, 0, &slice))
    return FALSE;
  if (slice.state == TS_STATE_BLOCKED && direction < 0 && slice.arg != 0 &&
      ts_recording_get_lane (recording, slice.arg) != NULL)
    {
      _ts_timeline_land_on (self, slice.arg, slice.begin);
      return TRUE;
    }
  if (slice.state == TS_STATE_RUNNING &&
      find_operation (recording, 0, direction > 0 ? cursor : slice.begin,
                      direction > 0 ? slice.end : cursor, direction, &event, &is_give))
    {
      Request request = { .object = event.object, .time = event.time, .is_give = is_give };

      /* a take under way: only its own */
      if (!is_give)
        request.consumer = lane->object;
      ask (self, &request);
      return TRUE;
    }
  if (slice.state == TS_STATE_READY && direction < 0 && follow_wakeup (self, lane, &slice))
    return TRUE;
  if (slice.state != TS_STATE_READY && slice.state != TS_STATE_RUNNING &&
      slice.state != TS_STATE_BLOCKED)
    return FALSE;
  if (!ts_recording_next_slice (recording, lane->id, slice.begin, direction, &other))
    return FALSE;
  _ts_timeline_land_on (self, lane->id, other.begin);
  return TRUE;
}

static void
link_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsTimeline *self = TS_TIMELINE (widget);
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  int direction = g_variant_get_int32 (parameter);
  const TsLaneInfo *lane;
  gint64 cursor;
  gboolean is_followed = FALSE;

  if (recording == NULL)
    return;
  cursor = ts_view_state_get_cursor (self->view);
  lane = ts_recording_get_lane (recording, ts_view_state_get_selected_lane (self->view));
  if (cursor < 0 || lane == NULL)
    return;
  if (lane->kind == TS_LANE_OBJECT)
    is_followed = follow_object (self, lane, cursor, direction);
  else if (lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR)
    is_followed = follow_actor (self, lane, cursor, direction);
  if (!is_followed)
    gtk_widget_error_bell (widget);
}

void
_ts_timeline_install_links (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "timeline.link", "i", link_action);
}
