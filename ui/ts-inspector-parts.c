/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-event-at.h"
#include "ui/ts-inspector-parts.h"

/* What was known stays so long in place of what is not known yet: figures that blink while a range is
 * drawn are hard to read. */
#define STALE_MS 150

/**
 * TsInspectorAsker:
 * @recording: only compared
 * @wanted: what was asked for last
 * @parts: (nullable): what came last
 * @stale_id: it may be shown in place of @wanted until then
 */
struct _TsInspectorAsker
{
  void (*changed) (gpointer user_data);
  gpointer user_data;
  TsWorker *worker;
  gpointer recording;
  TsInspectorWanted wanted;
  TsInspectorParts *parts;
  guint stale_id;
};

/* --- on the worker ---------------------------------------------------------------------------- */

/* One column over a part of a lane: sums from the pyramid, exact at any size. A part without a
 * slice of its own is answered as an empty list of slices. */
static gboolean
query_column (TsRecording *recording,
              guint32 lane,
              gint64 begin,
              gint64 end,
              TsColumn *column)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneDetail detail;
  guint i;

  *column = (TsColumn) { 0 };
  if (end <= begin)
    return FALSE;
  detail = ts_recording_query_lane (recording, lane, begin, end, 1, column, slices, 0, NULL);
  if (detail == TS_LANE_DETAIL_FAILED)
    return FALSE;
  if (detail == TS_LANE_DETAIL_SLICES)
    *column = (TsColumn) { 0 };
  for (i = 0; detail == TS_LANE_DETAIL_SLICES && i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);

      if (slice->state < TS_N_TIMED_STATES)
        column->ticks[slice->state] += MIN (slice->end, end) - MAX (slice->begin, begin);
      column->count++;
    }
  return TRUE;
}

static void
add_range (TsRecording *recording,
           TsInspectorParts *parts)
{
  gint64 begin = parts->wanted.begin;
  gint64 end = parts->wanted.end;
  const TsLaneInfo *lanes;
  guint n_lanes;
  TsColumn column;

  parts->first_row = ts_recording_row_at_time (recording, begin);
  parts->row_after = ts_recording_row_at_time (recording, end);
  if (query_column (recording, TS_LANE_ID_LOSS, begin, end, &column))
    parts->n_lost = MAX (column.n_lost, 0);
  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_CPU && query_column (recording, lanes[i].id, begin, end, &column))
      {
        parts->busy += column.ticks[TS_STATE_RUNNING];
        parts->n_cores++;
      }
}

static void
parts_free (gpointer data)
{
  TsInspectorParts *parts = data;

  if (parts == NULL)
    return;
  g_free (parts->os);
  g_free (parts->lost);
  g_free (parts->corrupt);
  g_free (parts->source);
  g_free (parts->end_reason);
  g_free (parts);
}

static gboolean
read_event (TsRecording *recording,
            TsInspectorParts *parts,
            guint64 row)
{
  guint n_read = 0;

  parts->row = row;
  parts->has_event
      = row != 0 && ts_recording_read_events (recording, row, 1, &parts->event, &n_read, NULL)
        && n_read == 1;
  return parts->has_event;
}

/* The event that is chosen, else the one that stands exactly at the cursor, else at the begin of the
 * chosen slice. */
static void
add_event (TsRecording *recording,
           TsInspectorParts *parts,
           GCancellable *cancellable)
{
  const TsInspectorWanted *wanted = &parts->wanted;
  const gint64 places[] = { wanted->cursor, wanted->slice_begin };
  guint64 n_rows = ts_recording_get_n_rows (recording);

  if (wanted->row != 0)
    {
      read_event (recording, parts, wanted->row);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      guint64 row = places[i] >= 0 ? ts_event_at_find (recording, NULL, n_rows, places[i],
                                                       wanted->object, cancellable)
                                   : 0;

      if (read_event (recording, parts, row) && parts->event.time == places[i])
        return;
    }
  parts->has_event = FALSE;
  parts->row = 0;
}

static void
add_recording (TsRecording *recording,
               TsInspectorParts *parts)
{
  parts->os = ts_recording_dup_summary (recording, "os");
  parts->lost = ts_recording_dup_health (recording, "lost_events");
  parts->corrupt = ts_recording_dup_health (recording, "corrupt_bytes");
  parts->source = ts_recording_dup_meta (recording, "capture_source");
  parts->end_reason = ts_recording_dup_health (recording, "end_reason");
}

static gpointer
parts_thread (TsRecording *recording,
              gpointer data,
              GCancellable *cancellable,
              GError **error)
{
  const TsInspectorWanted *wanted = data;
  TsInspectorParts *parts = g_new0 (TsInspectorParts, 1);

  parts->wanted = *wanted;
  parts->n_lost = -1;
  if (wanted->has_state && wanted->cursor >= 0)
    parts->has_slice
        = ts_recording_find_slice (recording, wanted->lane, wanted->cursor, 0, &parts->slice);
  add_event (recording, parts, cancellable);
  if (wanted->has_recording)
    add_recording (recording, parts);
  if (wanted->has_column)
    parts->has_column
        = query_column (recording, wanted->lane, 0, ts_recording_get_duration (recording),
                        &parts->column);
  if (wanted->has_range && !g_cancellable_is_cancelled (cancellable))
    add_range (recording, parts);
  return parts;
}

/* --- on the main thread ----------------------------------------------------------------------- */

/* But for how far the recording has grown. */
static gboolean
is_same_thing (const TsInspectorWanted *a,
               const TsInspectorWanted *b)
{
  return a->lane == b->lane && a->cursor == b->cursor && a->has_state == b->has_state
         && a->has_column == b->has_column && a->row == b->row && a->object == b->object
         && a->slice_begin == b->slice_begin && a->has_recording == b->has_recording
         && a->has_range == b->has_range && a->begin == b->begin && a->end == b->end;
}

static gboolean
on_stale (gpointer user_data)
{
  TsInspectorAsker *self = user_data;

  self->stale_id = 0;
  self->changed (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
on_parts (gpointer result,
          const GError *error,
          gpointer user_data)
{
  TsInspectorAsker *self = user_data;

  g_clear_handle_id (&self->stale_id, g_source_remove);
  parts_free (self->parts);
  self->parts = result;
  self->changed (self->user_data);
}

/**
 * ts_inspector_parts_new:
 * @changed: called when what was asked for has come, or when what was known is too old
 * @user_data: for @changed
 *
 * Thread: main
 *
 * Returns: (transfer full): one that knows nothing
 */
TsInspectorAsker *
ts_inspector_parts_new (void (*changed) (gpointer user_data),
                        gpointer user_data)
{
  TsInspectorAsker *self = g_new0 (TsInspectorAsker, 1);

  self->changed = changed;
  self->user_data = user_data;
  self->worker = ts_worker_new ("[ts-ui] parts of the inspector");
  return self;
}

/**
 * ts_inspector_parts_free:
 * @self: (transfer full) (nullable): nothing is called any more
 *
 * Thread: main
 */
void
ts_inspector_parts_free (TsInspectorAsker *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->stale_id, g_source_remove);
  ts_worker_cancel (self->worker);
  g_object_unref (self->worker);
  parts_free (self->parts);
  g_free (self);
}

/**
 * ts_inspector_parts_ask:
 * @self: an asker
 * @recording: a recording
 * @wanted: what is wanted of it; without a range its ends are 0
 *
 * What is not known is asked for, in place of what was asked for before.
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): what is wanted; for a moment what was wanted before: see its
 *   `wanted`; %NULL: it is still to come
 */
const TsInspectorParts *
ts_inspector_parts_ask (TsInspectorAsker *self,
                        TsRecording *recording,
                        const TsInspectorWanted *wanted)
{
  gboolean is_other_thing = !is_same_thing (wanted, &self->wanted);
  /* of what grows an answer comes before the next question */
  gboolean is_other = is_other_thing
                      || (wanted->n_rows != self->wanted.n_rows && !ts_worker_is_busy (self->worker));

  g_return_val_if_fail (self != NULL && TS_IS_RECORDING (recording) && wanted != NULL, NULL);
  if ((gpointer) recording != self->recording)
    {
      g_clear_handle_id (&self->stale_id, g_source_remove);
      g_clear_pointer (&self->parts, parts_free);
      self->recording = recording;
      ts_worker_set_recording (self->worker, recording);
      is_other = is_other_thing = TRUE;
    }
  if (is_other)
    {
      self->wanted = *wanted;
      ts_worker_ask (self->worker, parts_thread, g_memdup2 (wanted, sizeof *wanted), g_free, parts_free,
                     on_parts, self);
      if (is_other_thing && self->stale_id == 0)
        self->stale_id = g_timeout_add (STALE_MS, on_stale, self);
    }
  if (self->parts != NULL && !is_same_thing (wanted, &self->parts->wanted)
      && self->stale_id == 0)
    return NULL;
  return self->parts;
}
