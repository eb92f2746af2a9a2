/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-capture-core.c: the I/O thread and the decode thread of a capture. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "ts-capture-private.h"
#include "ts-connection-test.h"
#include "ts-hardware-trace.h"

/* The consumer works in portions of this time, or earlier when the ring fills. */
#define PORTION_MS 10
#define TICK_US 10000
#define IDLE_US 20000
#define TELL_US 50000
/* A bit more often than the session tells "data", so that its own 16 ms decide. */
#define DATA_US 8000
#define RATE_US 500000
/* Where a source tells what it put in force. */
#define HARDWARE_TRACE "hardware_trace="
/* Pause of a source that waits for room in the ring; then megabytes are queued. */
#define ROOM_PAUSE_US 500

/* Sentences that are kept for who listens; the oldest go. */
#define MAX_MESSAGES 64

/* ---- what the threads say ---- */

/* With the lock held. */
static void
add_message (TsCaptureCore *self,
             const char *message)
{
  if (self->news.messages->len >= MAX_MESSAGES)
    g_ptr_array_remove_index (self->news.messages, 0);
  g_ptr_array_add (self->news.messages, g_strdup (message));
}

static void
say (TsCaptureCore *self,
     TsCaptureState state,
     const char *message)
{
  g_mutex_lock (&self->lock);
  if (self->news.state < TS_CAPTURE_STOPPING)
    {
      self->news.state = state;
      add_message (self, message);
    }
  g_mutex_unlock (&self->lock);

  self->wake (self->wake_data);
}

static void
say_ended (TsCaptureCore *self,
           const TsCaptureStats *stats,
           GError *error)
{
  g_autofree char *message = NULL;

  if (error != NULL)
    message = g_strdup (error->message);
  else
    message = g_strdup_printf (_("Stopped: %" PRIu64 " events recorded"),
                               self->summary.events);

  g_mutex_lock (&self->lock);
  self->news.state = error != NULL ? TS_CAPTURE_FAILED : TS_CAPTURE_STOPPED;
  add_message (self, message);
  g_clear_error (&self->news.error);
  self->news.error = error;
  if (stats != NULL)
    self->news.stats = *stats;
  self->news.has_data = TRUE;
  self->news.is_ended = TRUE;
  g_mutex_unlock (&self->lock);

  self->wake (self->wake_data);
}

/* ---- I/O thread ---- */

static gboolean
take_bytes (guint32 source_id,
            gint64 host_us,
            const guint8 *bytes,
            gsize n_bytes,
            gpointer user_data)
{
  TsCaptureCore *self = user_data;
  gboolean is_taken = TRUE;

  atomic_fetch_add_explicit (&self->n_bytes, n_bytes, memory_order_relaxed);
  if (!self->is_waiting_source)
    return ts_buffer_ring_push (self->ring, source_id, host_us, bytes, n_bytes);

  while (n_bytes > 0)
    {
      gsize n = MIN (n_bytes, self->max_emit_bytes);

      while (!ts_buffer_ring_has_room (self->ring, n))
        {
          if (atomic_load (&self->is_consumer_gone))
            return FALSE;
          g_usleep (ROOM_PAUSE_US);
        }
      is_taken = ts_buffer_ring_push (self->ring, source_id, host_us, bytes, n) && is_taken;
      bytes += n;
      n_bytes -= n;
    }

  return is_taken;
}

static void
take_note (TsSourceNote note,
           guint64 n,
           const char *text,
           gpointer user_data)
{
  TsCaptureCore *self = user_data;

  switch (note)
    {
    case TS_SOURCE_NOTE_RECONNECTED:
      atomic_fetch_add (&self->n_reconnects, n);
      ts_buffer_ring_note_gap (self->ring);
      break;

    case TS_SOURCE_NOTE_DATAGRAMS_DROPPED:
      atomic_fetch_add (&self->n_datagrams_dropped, n);
      break;

    case TS_SOURCE_NOTE_BYTES_IGNORED:
      atomic_fetch_add (&self->n_bytes_ignored, n);
      break;

    case TS_SOURCE_NOTE_FIGURE:
      g_mutex_lock (&self->lock);
      g_hash_table_replace (self->figures, (gpointer) text, g_memdup2 (&n, sizeof n));
      g_mutex_unlock (&self->lock);
      return;

    case TS_SOURCE_NOTE_META:
      g_mutex_lock (&self->lock);
      g_ptr_array_add (self->metas, g_strdup (text));
      if (g_str_has_prefix (text, HARDWARE_TRACE))
        {
          g_free (self->image);
          self->image = g_strdup (text + strlen (HARDWARE_TRACE));
          atomic_store (&self->has_image, 1);
        }
      g_mutex_unlock (&self->lock);
      return;

    case TS_SOURCE_NOTE_WARNING:
      g_mutex_lock (&self->lock);
      g_string_append_printf (self->warnings, "%s%s", self->warnings->len > 0 ? "\n" : "", text);
      g_ptr_array_add (self->metas, g_strconcat ("ts_warnings=", self->warnings->str, NULL));
      g_mutex_unlock (&self->lock);
      break;

    case TS_SOURCE_NOTE_MESSAGE:
    default:
      break;
    }

  if (text != NULL)
    {
      g_mutex_lock (&self->lock);
      if (self->news.state < TS_CAPTURE_STOPPING)
        add_message (self, text);
      g_mutex_unlock (&self->lock);
      self->wake (self->wake_data);
    }
}

static gpointer decode_thread_main (gpointer data);

static gpointer
io_thread_main (gpointer data)
{
  TsCaptureCore *self = data;
  GError *error = NULL;

  self->source->notify = take_note;
  self->source->notify_data = self;

  if (!self->source->klass->open (self->source, self->cancellable, &error))
    {
      if (g_cancellable_is_cancelled (self->cancellable))
        {
          g_clear_error (&error);
          g_set_error (&error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                       _("Stopped before there was a connection to %s: nothing was recorded."),
                       self->description);
        }
      ts_buffer_ring_close (self->ring);
      say_ended (self, NULL, error);
      return NULL;
    }

  self->decode_thread = g_thread_try_new ("ts-decode", decode_thread_main, self, &error);
  if (self->decode_thread == NULL)
    {
      g_prefix_error (&error, "%s", _("Cannot start the decode thread: "));
      ts_buffer_ring_close (self->ring);
      say_ended (self, NULL, error);
      return NULL;
    }

  if (!self->source->klass->run (self->source, take_bytes, self, self->cancellable, &error))
    {
      g_mutex_lock (&self->lock);
      self->source_error = error;
      g_mutex_unlock (&self->lock);
    }
  ts_buffer_ring_close (self->ring);

  return NULL;
}

/* ---- decode thread ---- */

static void
tell_source_health (TsCaptureCore *self)
{
  TsRingCounters ring;
  GHashTableIter iter;
  gpointer key, value;

  ts_buffer_ring_get_counters (self->ring, &ring);
  _ts_pipeline_set_ring (self->pipeline, &ring);
  _ts_pipeline_set_health (self->pipeline, "reconnects", atomic_load (&self->n_reconnects));
  _ts_pipeline_set_health (self->pipeline, "datagrams_dropped",
                           atomic_load (&self->n_datagrams_dropped));
  _ts_pipeline_set_health (self->pipeline, "bytes_ignored", atomic_load (&self->n_bytes_ignored));
  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->figures);
  while (g_hash_table_iter_next (&iter, &key, &value))
    _ts_pipeline_set_health (self->pipeline, key, *(guint64 *) value);
  for (guint i = 0; i < self->metas->len; i++)
    {
      g_auto (GStrv) row = g_strsplit (g_ptr_array_index (self->metas, i), "=", 2);

      ts_recording_writer_set_meta (_ts_pipeline_get_writer (self->pipeline), row[0], row[1]);
    }
  g_ptr_array_set_size (self->metas, 0);
  g_mutex_unlock (&self->lock);
}

static void
collect_stats (TsCaptureCore *self,
               gint64 now_us,
               gboolean is_end,
               TsCaptureStats *stats)
{
  const TsDecodeCounters *counters = _ts_pipeline_get_counters (self->pipeline);
  TsRingCounters ring;
  TsTriggerFigures trigger;

  ts_buffer_ring_get_counters (self->ring, &ring);
  stats->bytes = atomic_load (&self->n_bytes);
  _ts_pipeline_get_trigger (self->pipeline, &trigger);
  stats->events = _ts_pipeline_get_n_events (self->pipeline) + trigger.n_held;
  stats->trigger_state = trigger.state;
  stats->trigger_fired = trigger.n_fired;
  stats->trigger_held_us = trigger.held_us;
  stats->trigger_wanted_us = trigger.wanted_us;
  stats->fill = (double) ring.used / ring.n_slots;
  stats->high_water = (double) ring.high_water / ring.n_slots;
  stats->ring_overruns = ring.overruns;
  stats->ring_dropped_bytes = ring.bytes_dropped;
  stats->lost_events = counters->seq_present ? (gint64) counters->lost_packets : -1;
  stats->corrupt_bytes = counters->corrupt_bytes;
  stats->elapsed_us = now_us - self->started_us;
  stats->reconnects = atomic_load (&self->n_reconnects);

  /* rates over the last half second; at the end, over the whole capture */
  if (is_end)
    {
      double seconds = (double) MAX (stats->elapsed_us, 1) / G_USEC_PER_SEC;

      stats->bytes_per_s = (double) stats->bytes / seconds;
      stats->events_per_s = (double) stats->events / seconds;
    }
  else if (now_us - self->rate_us >= RATE_US)
    {
      double seconds = (double) (now_us - self->rate_us) / G_USEC_PER_SEC;

      stats->bytes_per_s = (double) (stats->bytes - self->rate_bytes) / seconds;
      stats->events_per_s = (double) (stats->events - self->rate_events) / seconds;
      self->rate_us = now_us;
      self->rate_bytes = stats->bytes;
      self->rate_events = stats->events;
    }
}

/* Says so when the trigger has come to another state, and ends the capture when it is done. */
static void
follow_trigger (TsCaptureCore *self)
{
  TsTriggerFigures trigger;
  g_autofree char *message = NULL;

  _ts_pipeline_get_trigger (self->pipeline, &trigger);
  if (trigger.state == TS_TRIGGER_DONE)
    _ts_capture_core_stop (self, "trigger");
  if (trigger.state == self->trigger_state && trigger.n_fired == self->trigger_fired)
    return;

  self->trigger_state = trigger.state;
  self->trigger_fired = trigger.n_fired;
  if (trigger.state == TS_TRIGGER_WAITING)
    message = g_strdup_printf (_("Waiting for the trigger: %s"), self->trigger);
  else if (trigger.state == TS_TRIGGER_AFTER)
    message = g_strdup_printf (_("The trigger has fired (%" PRIu64 "): %s"),
                               trigger.n_fired, self->trigger);
  if (message != NULL)
    say (self, TS_CAPTURE_CAPTURING, message);
}

/* Publishes and commits, tells the session at most as often as a screen can show, and ends what has
 * lasted long enough: here, because a source that is always ahead leaves no other moment. FALSE:
 * cannot write. */
static gboolean
tick (TsCaptureCore *self,
      TsCaptureStats *stats,
      GError **error)
{
  gint64 now_us = g_get_monotonic_time ();
  guint64 n_events;

  self->ticked_us = now_us;
  tell_source_health (self);
  if (!_ts_pipeline_tick (self->pipeline, FALSE, error))
    return FALSE;

  if (self->trigger != NULL)
    follow_trigger (self);
  n_events = _ts_pipeline_get_n_events (self->pipeline);
  if (now_us - self->told_us >= (n_events != self->published_events ? DATA_US : TELL_US))
    {
      collect_stats (self, now_us, FALSE, stats);
      g_mutex_lock (&self->lock);
      self->news.stats = *stats;
      self->news.has_data = self->news.has_data || n_events != self->published_events;
      g_mutex_unlock (&self->lock);
      self->told_us = now_us;
      self->published_events = n_events;
      self->wake (self->wake_data);
    }

  if (self->duration_us > 0 && now_us - self->started_us >= self->duration_us)
    _ts_capture_core_stop (self, "duration");
  if (self->is_file && _ts_pipeline_is_hopeless (self->pipeline))
    _ts_capture_core_stop (self, "no packet");

  return TRUE;
}

/* The comparators that the watches got give them their names, before the first packet of one. */
static void
name_watches (TsCaptureCore *self)
{
  g_autofree char *image = NULL;

  g_mutex_lock (&self->lock);
  image = g_steal_pointer (&self->image);
  atomic_store (&self->has_image, 0);
  g_mutex_unlock (&self->lock);
  if (image != NULL && self->names != NULL)
    ts_trace_image_name_watches (image, self->names);
}

static gboolean
decode_what_is_there (TsCaptureCore *self,
                      TsCaptureStats *stats,
                      GError **error)
{
  TsRingSlot slot;

  while (ts_buffer_ring_peek (self->ring, &slot))
    {
      if (slot.lost_before > 0 || slot.gap_before)
        _ts_pipeline_mark_loss (self->pipeline, slot.source, slot.lost_before);
      if (G_UNLIKELY (atomic_load (&self->has_image) != 0))
        name_watches (self);
      _ts_pipeline_push (self->pipeline, slot.source, slot.host_us, slot.bytes, slot.n_bytes);
      ts_buffer_ring_release (self->ring);

      self->is_idle = FALSE;
      self->data_us = g_get_monotonic_time ();
      if (self->data_us - self->ticked_us >= TICK_US && !tick (self, stats, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
decode_until_closed (TsCaptureCore *self,
                     TsCaptureStats *stats,
                     GError **error)
{
  gboolean is_closed;

  do
    {
      gint64 now_us;

      ts_buffer_ring_wait (self->ring, PORTION_MS);
      /* asked before draining: what came before the close is drained after it */
      is_closed = ts_buffer_ring_is_closed (self->ring);
      if (!decode_what_is_there (self, stats, error))
        return FALSE;

      now_us = g_get_monotonic_time ();
      if (!self->is_idle && now_us - self->data_us >= IDLE_US)
        {
          _ts_pipeline_idle (self->pipeline);
          self->is_idle = TRUE;
        }
      if (!tick (self, stats, error))
        return FALSE;

    }
  while (!is_closed);

  return TRUE;
}

/* What was dropped after the last slot that came through has no slot to be told with. */
static void
mark_trailing_loss (TsCaptureCore *self)
{
  if (!ts_buffer_ring_is_closed (self->ring))
    return;
  for (guint32 source = 0; source < TS_RING_SOURCES; source++)
    {
      guint64 n_bytes = ts_buffer_ring_get_trailing_loss (self->ring, source);

      if (n_bytes > 0)
        _ts_pipeline_mark_loss (self->pipeline, source, n_bytes);
    }
}

/* Why a capture that ended has not one event: the likely cause, and what to do. */
static GError *
explain_empty (TsCaptureCore *self)
{
  guint64 n_bytes = atomic_load (&self->n_bytes);

  if (n_bytes > 0)
    return g_error_new (
        TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
        _("%" PRIu64
          " bytes arrived through %s, but no event was found in them (read as %s): check "
          "that the target runs the recorder, the baud rate, and the key “cobs” or the format."),
        n_bytes, self->description, _ts_pipeline_get_format (self->pipeline));

  return g_error_new (TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                      _("No byte arrived through %s: %s."), self->description,
                      ts_connection_explain_silence (self->transport));
}

/* Ends the recording. Takes @error; returns the reason to fail, NULL for none. */
static GError *
finish (TsCaptureCore *self,
        GError *error)
{
  GError *source_error;
  const char *end_reason;
  GError *write_error = NULL;

  g_mutex_lock (&self->lock);
  source_error = g_steal_pointer (&self->source_error);
  end_reason = self->end_reason;
  g_mutex_unlock (&self->lock);

  if (error == NULL)
    error = g_steal_pointer (&source_error);
  g_clear_error (&source_error);
  if (error != NULL)
    {
      end_reason = error->message;
      ts_recording_writer_keep_older (_ts_pipeline_get_writer (self->pipeline));
    }
  else if (end_reason == NULL)
    end_reason = "end of source";

  mark_trailing_loss (self);
  tell_source_health (self);
  if (!_ts_pipeline_close (self->pipeline, end_reason, &self->summary, &write_error)
      && error == NULL)
    error = g_steal_pointer (&write_error);
  g_clear_error (&write_error);

  if (self->summary.events == 0)
    {
      if (error == NULL)
        error = explain_empty (self);
      _ts_pipeline_discard (self->pipeline);
    }
  else
    {
      self->has_summary = TRUE;
      if (error != NULL)
        error = _ts_pipeline_keep_older (self->pipeline, error);
    }

  return error;
}

static gpointer
decode_thread_main (gpointer data)
{
  TsCaptureCore *self = data;
  TsPipelineOptions options = {
    .output = self->output,
    .format = self->source->klass->format (self->source),
    .clock_hz = self->clock_hz,
    .keep_raw_log = self->keep_raw_log,
    .capture_source = self->transport,
    .has_polled = self->has_polled,
    .live = TRUE,
    .trigger = self->trigger != NULL ? &self->trigger_options : NULL,
    .names = self->names,
    .hardware_trace = self->hardware_trace,
  };
  TsCaptureStats stats = { .lost_events = -1 };
  g_autofree char *message = NULL;
  TsPipeline *pipeline;
  GError *error = NULL;

  pipeline = _ts_pipeline_new (&options, &error);
  if (pipeline == NULL)
    {
      atomic_store (&self->is_consumer_gone, 1);
      g_cancellable_cancel (self->cancellable);
      say_ended (self, NULL, error);
      return NULL;
    }

  self->started_us = self->rate_us = self->data_us = g_get_monotonic_time ();
  self->is_idle = TRUE;
  g_mutex_lock (&self->lock);
  self->pipeline = pipeline;
  g_mutex_unlock (&self->lock);
  message = g_strdup_printf (_("Capturing from %s"), self->description);
  say (self, TS_CAPTURE_CAPTURING, message);

  if (!decode_until_closed (self, &stats, &error))
    {
      atomic_store (&self->is_consumer_gone, 1);
      g_cancellable_cancel (self->cancellable);
    }

  error = finish (self, error);
  collect_stats (self, g_get_monotonic_time (), TRUE, &stats);
  say_ended (self, &stats, error);

  return NULL;
}

/* ---- for the session ---- */

TsCaptureCore *
_ts_capture_core_new (void)
{
  TsCaptureCore *self = g_new0 (TsCaptureCore, 1);

  g_mutex_init (&self->lock);
  self->cancellable = g_cancellable_new ();
  self->warnings = g_string_new (NULL);
  self->metas = g_ptr_array_new_with_free_func (g_free);
  self->figures = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->news.messages = g_ptr_array_new_with_free_func (g_free);
  self->news.stats.lost_events = -1;

  return self;
}

/* Only without running threads. */
void
_ts_capture_core_free (TsCaptureCore *self)
{
  g_clear_pointer (&self->pipeline, _ts_pipeline_free);
  g_clear_pointer (&self->source, ts_source_free);
  g_clear_pointer (&self->ring, ts_buffer_ring_free);
  g_clear_object (&self->cancellable);
  g_string_free (self->warnings, TRUE);
  g_clear_pointer (&self->metas, g_ptr_array_unref);
  g_clear_pointer (&self->figures, g_hash_table_unref);
  ts_recording_summary_clear (&self->summary);
  _ts_capture_news_clear (&self->news);
  g_clear_error (&self->source_error);
  g_clear_object (&self->names);
  g_free (self->hardware_trace);
  g_free (self->image);
  g_free (self->output);
  g_free (self->trigger);
  g_free (self->transport);
  g_free (self->description);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Starts the I/O thread; the decode thread follows when the source is open. */
gboolean
_ts_capture_core_start (TsCaptureCore *self,
                        GError **error)
{
  self->news.state = TS_CAPTURE_CONNECTING;
  self->io_thread = g_thread_try_new ("ts-io", io_thread_main, self, error);

  return self->io_thread != NULL;
}

/* Asks for the end; the first reason given counts. Any thread, any number of times. */
void
_ts_capture_core_stop (TsCaptureCore *self,
                       const char *end_reason)
{
  gboolean is_first;

  g_mutex_lock (&self->lock);
  is_first = self->end_reason == NULL;
  if (is_first)
    self->end_reason = end_reason;
  g_mutex_unlock (&self->lock);

  if (!is_first)
    return;

  say (self, TS_CAPTURE_STOPPING, _("Stopping"));
  g_cancellable_cancel (self->cancellable);
}

/* Waits for both threads. */
void
_ts_capture_core_join (TsCaptureCore *self)
{
  if (self->io_thread != NULL)
    g_thread_join (g_steal_pointer (&self->io_thread));
  if (self->decode_thread != NULL)
    g_thread_join (g_steal_pointer (&self->decode_thread));
}

/* Copies what there is to say; what was said counts as told. */
void
_ts_capture_core_take_news (TsCaptureCore *self,
                            TsCaptureNews *news)
{
  g_mutex_lock (&self->lock);
  *news = self->news;
  self->news.messages = g_ptr_array_new_with_free_func (g_free);
  news->error = self->news.error != NULL ? g_error_copy (self->news.error) : NULL;
  self->news.has_data = FALSE;
  g_mutex_unlock (&self->lock);
}

void
_ts_capture_news_clear (TsCaptureNews *news)
{
  g_clear_pointer (&news->messages, g_ptr_array_unref);
  g_clear_error (&news->error);
}
