/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tracker-values.c: samples, toggles, spans, operations on objects, messages and losses. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-tracker-state-private.h"

/* The open slice of a toggle or value lane ends and a new one begins. */
static void
next_slice (TsTracker *self,
            TsEntry *entry,
            gint64 time,
            guint8 state,
            double value)
{
  if (entry->state != TS_STATE_NONE)
    {
      TsSlice slice
          = { .begin = entry->since, .end = time, .value = entry->value, .state = entry->state };

      ts_lane_store_add_slice (self->store, entry->id, &slice);
    }
  entry->state = state;
  entry->since = time;
  entry->value = value;
}

/* A level of a toggle or pin. Every event begins a slice, also one that repeats the level: it
 * happened. One that was carried in is shown, but is no sample. */
static void
set_level (TsTracker *self,
           TsEntry *entry,
           gint64 time,
           gboolean is_high,
           gboolean is_counted)
{
  if (is_counted)
    _ts_tracker_count_sample (self, entry, time, is_high ? 1 : 0);
  next_slice (self, entry, time, is_high ? TS_STATE_RUNNING : TS_STATE_LOW, 0);
}

static void
set_value (TsTracker *self,
           TsEntry *entry,
           gint64 time,
           double value,
           gboolean is_counted)
{
  if (is_counted)
    _ts_tracker_count_sample (self, entry, time, value);
  next_slice (self, entry, time, TS_STATE_POINT, value);
}

/* A value of a channel, counter or heap. */
void
_ts_tracker_sample (TsTracker *self,
                    const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  double value = ts_event_get_double (event);
  gboolean is_counted = (event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0;

  if (entry == NULL)
    return;
  if (!entry->has_lane)
    _ts_tracker_define_lane (self, entry, TS_LANE_VALUE);
  if (entry->kind == TS_LANE_VALUE)
    set_value (self, entry, self->now, value, is_counted);
  else if (entry->kind == TS_LANE_TOGGLE)
    set_level (self, entry, self->now, value != 0, is_counted);
}

/* Level of a toggle or pin. A channel that also carries values shows it as one. */
void
_ts_tracker_toggle (TsTracker *self,
                    const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  gboolean is_counted = (event->flags & TS_EVENT_FLAG_SYNTHETIC) == 0;

  if (entry == NULL)
    return;
  if (!entry->has_lane)
    _ts_tracker_define_lane (self, entry, TS_LANE_TOGGLE);
  if (entry->kind == TS_LANE_TOGGLE)
    set_level (self, entry, self->now, event->value != 0, is_counted);
  else if (entry->kind == TS_LANE_VALUE)
    set_value (self, entry, self->now, event->value != 0 ? 1 : 0, is_counted);
}

static void
end_span (TsTracker *self,
          TsEntry *entry,
          gint64 time,
          guint kind_flags)
{
  TsSlice slice = { .end = time, .state = TS_STATE_RUNNING, .kind = (guint16) kind_flags };

  entry->n_begins--;
  entry->n_partial = MIN (entry->n_partial, entry->n_begins);
  slice.begin = entry->begins[entry->n_begins];
  slice.depth = (guint8) entry->n_begins;
  ts_lane_store_add_slice (self->store, entry->id, &slice);
}

/* Start or end of a user event. An end belongs to the last start; one without a start is ignored.
 * Source: viewalyzer-wire.md section 13.6. */
void
_ts_tracker_span (TsTracker *self,
                  const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  TsTaskStats *stats;

  if (entry == NULL)
    return;
  if (!entry->has_lane)
    {
      _ts_tracker_define_lane (self, entry, TS_LANE_SPAN);
      entry->begins = g_new (gint64, TS_MAX_NESTING);
      entry->stats = _ts_tracker_add_task_stats (self, entry->id, entry->id);
    }
  if (entry->kind != TS_LANE_SPAN)
    return;

  stats = _ts_tracker_stats (self, entry->stats);
  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      gboolean is_partial = (event->flags & TS_EVENT_FLAG_SYNTHETIC) != 0;

      if (!is_partial)
        {
          stats->run_count++;
          _ts_tracker_count_activation (stats, &entry->last_activation, self->now);
        }
      if (entry->n_begins < TS_MAX_NESTING)
        {
          if (is_partial && entry->n_partial == entry->n_begins)
            entry->n_partial++;
          entry->begins[entry->n_begins++] = self->now;
        }
    }
  else if (entry->n_begins > 0)
    {
      gint64 ticks = self->now - entry->begins[entry->n_begins - 1];

      if (entry->n_begins <= entry->n_partial)
        _ts_tracker_count_partial_run (stats, ticks);
      else
        _ts_tracker_count_run (stats, ticks, ticks);
      end_span (self, entry, self->now, 0);
    }
}

/* Ends all spans of @entry without counting them as completed. */
void
_ts_tracker_close_spans (TsTracker *self,
                         TsEntry *entry,
                         gint64 time,
                         guint kind_flags)
{
  while (entry->n_begins > 0)
    end_span (self, entry, time, kind_flags);
}

/* A sample of the program counter. Its function is taken to run from here to the first sample that
 * lies elsewhere: an estimate, as good as the samples are frequent. */
void
_ts_tracker_pc_sample (TsTracker *self,
                       TsCore *core,
                       const TsEvent *event)
{
  TsEvent edge = { .time = event->time, .kind = TS_EVENT_USER_EVENT, .core = event->core };

  if (event->object == core->sampled)
    return;
  if (core->sampled != 0)
    {
      edge.object = core->sampled;
      edge.flags = TS_EVENT_FLAG_END;
      _ts_tracker_span (self, &edge);
    }
  core->sampled = event->object;
  if (core->sampled != 0)
    {
      edge.object = core->sampled;
      edge.flags = TS_EVENT_FLAG_START | (event->flags & TS_EVENT_FLAG_SYNTHETIC);
      _ts_tracker_span (self, &edge);
    }
}

/* Nothing is known from @time on: samples were lost. */
void
_ts_tracker_forget_sample (TsTracker *self,
                           TsCore *core,
                           gint64 time)
{
  TsEntry *entry = core->sampled != 0 ? _ts_tracker_entry (self, core->sampled) : NULL;

  core->sampled = 0;
  if (entry != NULL && entry->has_lane && entry->kind == TS_LANE_SPAN)
    _ts_tracker_close_spans (self, entry, time, 0);
}

static void
add_point (TsTracker *self,
           TsEntry *entry,
           gint64 time,
           guint32 arg,
           guint kind)
{
  TsSlice slice
      = { .begin = time, .end = time, .arg = arg, .state = TS_STATE_POINT, .kind = (guint16) kind };

  ts_lane_store_add_slice (self->store, entry->id, &slice);
  if (entry->kind == TS_LANE_OBJECT && self->comms != NULL
      && _ts_match_is_act (kind & TS_SLICE_KIND_MASK))
    _ts_comms_feed_point (self->comms, entry->id, &slice);
}

/* A text. */
void
_ts_tracker_message (TsTracker *self,
                     const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);

  if (entry == NULL)
    return;
  if (!entry->has_lane)
    _ts_tracker_define_lane (self, entry, TS_LANE_MESSAGE);
  if (entry->kind == TS_LANE_MESSAGE)
    add_point (self, entry, self->now, ts_event_get_text_id (event), 0);
}

/* An operation on a kernel object: an instant, with who did it: the interrupt that is open, else
 * the running task.
 * Source: viewalyzer-wire.md section 13.8 item 3. */
void
_ts_tracker_operation (TsTracker *self,
                       const TsCore *core,
                       const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  guint32 actor = 0;

  if (entry == NULL || entry->object->type == TS_OBJECT_TASK)
    return;
  if (!entry->has_lane)
    _ts_tracker_define_lane (self, entry, TS_LANE_OBJECT);
  if (entry->kind != TS_LANE_OBJECT)
    return;

  if (core->n_interrupts > 0)
    actor = core->interrupts[core->n_interrupts - 1].entry->id;
  else if (core->running != NULL)
    actor = core->running->id;
  add_point (self, entry, self->now, actor,
             (event->kind & TS_SLICE_KIND_MASK)
                 | ((event->flags & TS_EVENT_FLAG_START) != 0 ? TS_SLICE_START : 0));
}

/* A loss or damage: from the last good event, @begin, to the next one. */
void
_ts_tracker_begin_loss (TsTracker *self,
                        const TsEvent *event,
                        gint64 begin)
{
  TsOpenLoss loss = { .begin = begin };

  if (event->kind == TS_EVENT_DATA_LOSS)
    {
      ts_lane_store_add_loss (self->store, begin);
      loss.state = TS_STATE_LOSS;
      loss.arg = event->value < 0 ? G_MAXUINT32 : (guint32) MIN (event->value, G_MAXUINT32 - 1);
    }
  else
    {
      loss.state = TS_STATE_CORRUPT;
      loss.arg = (guint32) CLAMP (event->value, 0, G_MAXUINT32 - 1);
    }

  if (!self->has_loss_lane)
    {
      _ts_tracker_define_special (self, TS_LANE_ID_LOSS, TS_LANE_LOSS, 0, "Data loss");
      self->has_loss_lane = TRUE;
    }
  if (self->n_losses == TS_MAX_OPEN_LOSSES)
    _ts_tracker_end_losses (self, self->now);
  self->losses[self->n_losses++] = loss;
}

void
_ts_tracker_end_losses (TsTracker *self,
                        gint64 time)
{
  for (guint i = 0; i < self->n_losses; i++)
    {
      TsSlice slice = { .begin = self->losses[i].begin,
                        .end = MAX (time, self->losses[i].begin),
                        .arg = self->losses[i].arg,
                        .state = self->losses[i].state };

      ts_lane_store_add_slice (self->store, TS_LANE_ID_LOSS, &slice);
    }
  self->n_losses = 0;
}

/* End of the recording for a lane that is no task. */
void
_ts_tracker_finish_value (TsTracker *self,
                          TsEntry *entry,
                          gint64 end)
{
  if (entry->kind == TS_LANE_SPAN)
    {
      _ts_tracker_close_spans (self, entry, end, TS_SLICE_OPEN);
    }
  else if ((entry->kind == TS_LANE_TOGGLE || entry->kind == TS_LANE_VALUE)
           && entry->state != TS_STATE_NONE)
    {
      TsSlice slice = { .begin = entry->since,
                        .end = end,
                        .value = entry->value,
                        .state = entry->state,
                        .kind = TS_SLICE_OPEN };

      ts_lane_store_add_slice (self->store, entry->id, &slice);
      entry->state = TS_STATE_NONE;
    }
}

/* Shows live readers what is open. */
void
_ts_tracker_publish_value (TsTracker *self,
                           const TsEntry *entry)
{
  TsSlice open[TS_LANE_MAX_OPEN] = { { 0 } };
  guint n_open = 0;

  if (entry->kind == TS_LANE_SPAN)
    {
      for (; n_open < MIN (entry->n_begins, TS_LANE_MAX_OPEN); n_open++)
        open[n_open] = (TsSlice){ .begin = entry->begins[n_open],
                                  .end = G_MAXINT64,
                                  .state = TS_STATE_RUNNING,
                                  .depth = (guint8) n_open };
    }
  else if (entry->state != TS_STATE_NONE)
    {
      open[n_open++] = (TsSlice){
        .begin = entry->since, .end = G_MAXINT64, .value = entry->value, .state = entry->state
      };
    }
  ts_lane_store_set_open_slices (self->store, entry->id, open, n_open);
}
