/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-list-places.c: the event list in step with the view. Nothing here waits for the disk: the
 * row of a point in time is found by a worker, and what is to be done with an event that is not in
 * memory is done when it has come.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-event-at.h"
#include "ui/ts-event-list-private.h"
#include "ui/ts-event-page-private.h"

/* Keys that are kept: more come by themselves only, from a key that is held. */
#define MAX_DEFERRED 256

/* --- what waits for an event ------------------------------------------------------------------ */

static void
take_place (TsEventList *self)
{
  TsSlice slice;

  self->seen_cursor = ts_view_state_get_cursor (self->view);
  self->seen_lane = ts_view_state_get_selected_lane (self->view);
  self->seen_event = ts_view_state_get_event (self->view);
  self->seen_slice_begin
      = ts_view_state_get_selected_slice (self->view, &slice) ? slice.begin : -1;
}

/* The timeline goes to an event of the list. */
static void
tell_choice (TsEventList *self,
             guint64 line,
             const TsEvent *event)
{
  self->is_syncing = TRUE;
  _ts_event_list_emit_selected (self, event);
  self->is_syncing = FALSE;
  if (self->view == NULL)
    return;
  ts_view_state_set_event (self->view, ts_event_model_get_row (self->model, line), event->time);
  take_place (self);
}

/* Text for the search: quotes keep a name with spaces together. */
static void
filter_by (TsEventList *self,
           const TsEvent *event,
           TsEventAwait what)
{
  TsRecording *recording = ts_event_model_get_recording (self->model);
  const TsObject *object = ts_recording_get_object (recording, event->object);
  g_autofree char *filter = NULL;

  if (what == TS_EVENT_AWAIT_KIND)
    filter = g_strdup_printf ("kind:%s", ts_event_kind_get_name (event->kind));
  else if (object != NULL && object->name != NULL)
    filter = g_strdup_printf ("\"lane:%s\"", object->name);
  if (filter != NULL)
    _ts_event_list_filter (self, filter);
}

/* Does what waits for an event, if it is there. */
static void
do_awaited (TsEventList *self)
{
  guint64 line = self->await_line;
  TsEventAwait await = self->await;
  TsEvent event;

  if (await == TS_EVENT_AWAIT_NOTHING || ts_event_model_get_recording (self->model) == NULL)
    return;
  if (!ts_event_model_read (self->model, line, &event))
    {
      /* one that cannot be read leads nowhere */
      if (!ts_event_model_is_pending (self->model, line))
        self->await = TS_EVENT_AWAIT_NOTHING;
      return;
    }
  self->await = TS_EVENT_AWAIT_NOTHING;
  if ((await & TS_EVENT_AWAIT_CHOOSE) != 0)
    tell_choice (self, line, &event);
  if ((await & TS_EVENT_AWAIT_LANE) != 0)
    filter_by (self, &event, TS_EVENT_AWAIT_LANE);
  if ((await & TS_EVENT_AWAIT_KIND) != 0)
    filter_by (self, &event, TS_EVENT_AWAIT_KIND);
}

static void
wait_for (TsEventList *self,
          guint64 line,
          TsEventAwait what)
{
  if (self->await_line != line)
    self->await = TS_EVENT_AWAIT_NOTHING;
  self->await |= what;
  self->await_line = line;
  do_awaited (self);
}

void
_ts_event_list_choose (TsEventList *self,
                       guint64 line)
{
  ts_worker_cancel (self->finder);
  g_array_set_size (self->deferred, 0);
  self->selected_row = line;
  wait_for (self, line, TS_EVENT_AWAIT_CHOOSE);
}

void
_ts_event_list_filter_like (TsEventList *self,
                            TsEventAwait what)
{
  if (self->selected_row != 0)
    wait_for (self, self->selected_row, what);
}

void
_ts_event_list_forget (TsEventList *self)
{
  self->await = TS_EVENT_AWAIT_NOTHING;
  ts_worker_cancel (self->finder);
  g_array_set_size (self->deferred, 0);
}

/* --- the row of a place ----------------------------------------------------------------------- */

/**
 * Request:
 * @rows: (nullable): the only rows there are
 * @n_rows: of all
 * @tick: a point in time
 * @object: the row is to be about it, if one of that tick is; 0: about anything
 * @select: choose it, too
 */
typedef struct
{
  GArray *rows;
  guint64 n_rows;
  gint64 tick;
  guint32 object;
  gboolean select;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_clear_pointer (&request->rows, g_array_unref);
  g_free (request);
}

static gpointer
find_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  const Request *request = data;
  guint64 *found = g_new0 (guint64, 1);

  *found = ts_event_at_find (recording, request->rows, request->n_rows, request->tick,
                             request->object, cancellable);
  return found;
}

/* The line of a row; 0: it is not in the list. */
static guint64
find_line (TsEventList *self,
           guint64 row)
{
  guint64 line = row != 0 ? ts_event_model_find (self->model, row) : 0;

  return ts_event_model_get_row (self->model, line) == row ? line : 0;
}

static void
press_deferred (TsEventList *self)
{
  g_autoptr (GArray) keys = g_steal_pointer (&self->deferred);

  self->deferred = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i + 1 < keys->len; i += 2)
    _ts_event_list_move (self, g_array_index (keys, guint, i), g_array_index (keys, guint, i + 1));
}

static void
on_row_found (gpointer result,
              const GError *error,
              gpointer user_data,
              gboolean select)
{
  TsEventList *self = user_data;
  g_autofree guint64 *row = result;
  guint64 line = 0;

  if (row != NULL && *row != 0)
    line = find_line (self, *row);
  if (line != 0)
    ts_event_list_show_row (self, line, select);
  press_deferred (self);
}

static void
on_found (gpointer result,
          const GError *error,
          gpointer user_data)
{
  on_row_found (result, error, user_data, TRUE);
}

static void
on_found_only (gpointer result,
               const GError *error,
               gpointer user_data)
{
  on_row_found (result, error, user_data, FALSE);
}

static void
find_row (TsEventList *self,
          gint64 tick,
          guint32 object,
          gboolean select)
{
  Request *request = g_new0 (Request, 1);
  GArray *rows = ts_event_model_get_rows (self->model);

  request->rows = rows != NULL ? g_array_ref (rows) : NULL;
  request->n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  request->tick = tick;
  request->object = object;
  ts_worker_set_recording (self->finder, ts_event_model_get_recording (self->model));
  ts_worker_ask (self->finder, find_thread, request, request_free, g_free,
                 select ? on_found : on_found_only, self);
}

static guint32
lane_object (TsEventList *self,
             guint32 lane)
{
  TsRecording *recording = ts_event_model_get_recording (self->model);
  const TsLaneInfo *info = lane != 0 ? ts_recording_get_lane (recording, lane) : NULL;

  return info != NULL ? info->object : 0;
}

gboolean
_ts_event_list_defer_key (TsEventList *self,
                          guint keyval,
                          GdkModifierType state)
{
  guint modifiers = state;

  if (!ts_worker_is_busy (self->finder))
    return FALSE;
  if (self->deferred->len < 2 * MAX_DEFERRED)
    {
      g_array_append_val (self->deferred, keyval);
      g_array_append_val (self->deferred, modifiers);
    }
  return TRUE;
}

/* --- in step with the view -------------------------------------------------------------------- */

void
_ts_event_list_follow_view (TsEventList *self)
{
  gint64 cursor = ts_view_state_get_cursor (self->view);
  guint32 lane = ts_view_state_get_selected_lane (self->view);
  guint64 event = ts_view_state_get_event (self->view);
  gint64 slice_begin = -1;
  guint64 line;
  TsSlice slice;

  if (ts_view_state_get_selected_slice (self->view, &slice))
    slice_begin = slice.begin;
  if (cursor == self->seen_cursor && slice_begin == self->seen_slice_begin
      && lane == self->seen_lane && event == self->seen_event)
    return;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self))
      || g_list_model_get_n_items (G_LIST_MODEL (self->model)) == 0)
    return;
  take_place (self);
  _ts_event_list_forget (self);
  line = find_line (self, event);
  if (line != 0)
    ts_event_list_show_row (self, line, TRUE);
  else if (slice_begin >= 0 || cursor >= 0)
    find_row (self, slice_begin >= 0 ? slice_begin : cursor, lane_object (self, lane), TRUE);
}

void
_ts_event_list_show_cursor (TsEventList *self)
{
  gint64 cursor = ts_view_state_get_cursor (self->view);
  guint64 line = cursor >= 0 ? find_line (self, ts_view_state_get_event (self->view)) : 0;

  if (line != 0)
    ts_event_list_show_row (self, line, TRUE);
  else if (cursor >= 0)
    find_row (self, cursor, 0, FALSE);
}

/* --- life ------------------------------------------------------------------------------------- */

void
_ts_event_list_init_places (TsEventList *self)
{
  self->finder = ts_worker_new ("[ts-ui] row of a time");
  self->deferred = g_array_new (FALSE, FALSE, sizeof (guint));
  g_signal_connect_object (self->model, "loaded", G_CALLBACK (do_awaited), self,
                           G_CONNECT_SWAPPED);
}

void
_ts_event_list_clear_places (TsEventList *self)
{
  if (self->finder != NULL)
    ts_worker_cancel (self->finder);
  g_clear_object (&self->finder);
  g_clear_pointer (&self->deferred, g_array_unref);
}
