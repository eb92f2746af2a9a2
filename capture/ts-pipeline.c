/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-pipeline.c: bytes through a decoder into a recording; the same for a live capture and for
 * files. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/ts-domain.h"
#include "ts-pipeline-private.h"
#include "ts-poll-merge-private.h"
#include "ts-source.h"

/* Bytes without one packet after which a file is said to hold none. */
#define HOPELESS_BYTES (4 * 1024 * 1024)

struct _TsPipeline
{
  TsRecordingWriter *writer;
  TsTriggerGate *gate; /* nullable: between decoder and writer */
  TsEventSink *names_sink; /* between decoder and writer */
  TsDecoder *decoder;
  TsPollMerge *merge;  /* nullable: between decoders and writer, where values are polled */
  TsDecoder *polled;
  TsDecodeCounters told;  /* what `health` says */
  gboolean is_told;
  char *told_format;      /* what `meta.ts_raw_format` says */
};

/* The rooms below speak of what failed; what it means for a capture is said here. */
static void
propagate_as_capture_error (GError **error,
                            GError *cause)
{
  TsCaptureError code = TS_CAPTURE_ERROR_WRITE;

  if (g_error_matches (cause, TS_DECODE_ERROR, TS_DECODE_ERROR_NOT_BUILT))
    code = TS_CAPTURE_ERROR_NOT_BUILT;
  else if (cause->domain == TS_DECODE_ERROR)
    code = TS_CAPTURE_ERROR_BAD_CONFIG;

  g_set_error_literal (error, TS_CAPTURE_ERROR, code, cause->message);
  g_error_free (cause);
}

/* A format nobody can decode must not cost an older recording of the same name: ask before the
 * writer makes the file. */
static gboolean
check_format (const char *format,
              const TsDecoderOptions *options,
              GError **error)
{
  static const TsEventSinkInterface no_interface = { 0 };
  TsEventSink no_sink = { &no_interface };
  g_autoptr (TsDecoder) decoder = ts_decoder_new (format, &no_sink, options, error);

  return decoder != NULL;
}

/*
 * _ts_pipeline_new:
 * @options: what to decode and where to write it
 * @error: return location
 *
 * Thread: the caller's becomes the owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG or %TS_CAPTURE_ERROR_NOT_BUILT for the format (before the
 * output is touched), %TS_CAPTURE_ERROR_WRITE for the output
 *
 * Returns: (transfer full): a pipeline, or %NULL with @error set
 */
TsPipeline *
_ts_pipeline_new (const TsPipelineOptions *options,
                  GError **error)
{
  g_autoptr (TsPipeline) self = g_new0 (TsPipeline, 1);
  TsDecoderOptions decoder_options = { .clock_hz = options->clock_hz };
  TsWriterOptions writer_options = {
    .keep_raw_log = options->keep_raw_log,
    .raw_format = options->format,
    .capture_source = options->capture_source,
    .live = options->live,
  };
  TsEventSink *sink;
  GError *local_error = NULL;

  if (!check_format (options->format, &decoder_options, &local_error))
    {
      propagate_as_capture_error (error, local_error);
      return NULL;
    }

  self->writer = ts_recording_writer_new (options->output, &writer_options, &local_error);
  if (self->writer == NULL)
    {
      propagate_as_capture_error (error, local_error);
      return NULL;
    }
  self->told_format = g_strdup (options->format);
  if (options->hardware_trace != NULL)
    ts_recording_writer_set_meta (self->writer, "hardware_trace", options->hardware_trace);

  if (options->trigger != NULL)
    self->gate = _ts_trigger_gate_new (options->trigger, self->writer, &local_error);
  sink = self->gate != NULL ? _ts_trigger_gate_get_sink (self->gate)
                            : ts_recording_writer_get_sink (self->writer);
  if (options->has_polled)
    {
      self->merge = _ts_poll_merge_new (sink);
      self->polled = ts_decoder_new ("poll", _ts_poll_merge_get_polled_sink (self->merge), NULL,
                                     NULL);
      sink = _ts_poll_merge_get_target_sink (self->merge);
    }
  if (local_error == NULL)
    {
      self->names_sink = ts_names_sink_new (options->names, sink);
      self->decoder
          = ts_decoder_new (options->format, self->names_sink, &decoder_options, &local_error);
    }
  if (self->decoder == NULL)
    {
      _ts_pipeline_discard (self);
      propagate_as_capture_error (error, local_error);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/* Frees the pipeline; a recording that was not closed is closed and keeps what it has. */
void
_ts_pipeline_free (TsPipeline *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->decoder, ts_decoder_free);
  g_clear_pointer (&self->names_sink, ts_names_sink_free);
  g_clear_pointer (&self->polled, ts_decoder_free);
  g_clear_pointer (&self->merge, _ts_poll_merge_free);
  g_clear_pointer (&self->gate, _ts_trigger_gate_free);
  g_clear_pointer (&self->writer, ts_recording_writer_free);
  g_free (self->told_format);
  g_free (self);
}

/* Takes bytes of @source that arrived at @host_us (monotonic, microseconds). */
void
_ts_pipeline_push (TsPipeline *self,
                   guint32 source,
                   gint64 host_us,
                   const guint8 *bytes,
                   gsize n_bytes)
{
  if (self->gate != NULL)
    _ts_trigger_gate_push_raw (self->gate, host_us, source, bytes, n_bytes);
  else
    ts_recording_writer_push_raw (self->writer, host_us, source, bytes, n_bytes);
  if (self->merge != NULL && source == TS_SOURCE_ID_POLLED)
    {
      ts_decoder_push (self->polled, 0, bytes, n_bytes);
      return;
    }
  if (self->merge != NULL)
    _ts_poll_merge_arrived (self->merge, host_us);
  ts_decoder_push (self->decoder, source, bytes, n_bytes);
}

/* Says that bytes of @source were lost here; 0: an unknown number. */
void
_ts_pipeline_mark_loss (TsPipeline *self,
                        guint32 source,
                        guint64 n_bytes)
{
  ts_decoder_mark_loss (self->merge != NULL && source == TS_SOURCE_ID_POLLED ? self->polled
                                                                             : self->decoder,
                        source, n_bytes);
}

/* Says that nothing has arrived for a while. */
void
_ts_pipeline_idle (TsPipeline *self)
{
  ts_decoder_idle (self->decoder);
}

/* Sets one number of `health`. */
void
_ts_pipeline_set_health (TsPipeline *self,
                         const char *key,
                         guint64 value)
{
  char text[24];

  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  ts_recording_writer_set_health (self->writer, key, text);
}

/* Tells `health` about the ring; `ring_high_water` is in per cent of its slots. */
void
_ts_pipeline_set_ring (TsPipeline *self,
                       const TsRingCounters *counters)
{
  _ts_pipeline_set_health (self, "ring_overruns", counters->overruns);
  _ts_pipeline_set_health (self, "ring_dropped_bytes", counters->bytes_dropped);
  _ts_pipeline_set_health (
      self, "ring_high_water",
      counters->n_slots > 0 ? (guint64) counters->high_water * 100 / counters->n_slots : 0);
}

/* Source: events.md section 3. Without sequence bytes there is no row of what only they can tell.
 */
static void
tell_health (TsPipeline *self)
{
  const TsDecodeCounters *counters = ts_decoder_get_counters (self->decoder);
  const char *format = ts_decoder_get_format (self->decoder);
  TsTriggerFigures left_out;
  gsize n_name;

  if (self->is_told && memcmp (&self->told, counters, sizeof self->told) == 0)
    return;

  self->told = *counters;
  self->is_told = TRUE;

  /* losses among what a trigger left out are none of the recording's */
  _ts_pipeline_get_trigger (self, &left_out);
  _ts_pipeline_set_health (self, "seq_present", counters->seq_present ? 1 : 0);
  if (counters->seq_present)
    {
      _ts_pipeline_set_health (self, "lost_events",
                               counters->lost_packets - MIN (left_out.lost, counters->lost_packets));
      _ts_pipeline_set_health (self, "seq_gaps",
                               counters->seq_gaps - MIN (left_out.gaps, counters->seq_gaps));
    }
  _ts_pipeline_set_health (self, "raw_bytes", counters->bytes);
  _ts_pipeline_set_health (self, "packets", counters->packets);
  _ts_pipeline_set_health (self, "sync_markers", counters->markers);
  _ts_pipeline_set_health (self, "corrupt_bytes",
                           counters->corrupt_bytes
                               - MIN (left_out.corrupt_bytes, counters->corrupt_bytes));
  _ts_pipeline_set_health (self, "skipped_bytes", counters->skipped_bytes);
  _ts_pipeline_set_health (self, "resyncs", counters->resyncs);
  _ts_pipeline_set_health (self, "unknown_packets", counters->unknown_packets);
  _ts_pipeline_set_health (self, "dropped_reported", counters->dropped_reported);
  _ts_pipeline_set_health (self, "sessions", counters->sessions);

  /* the parameters behind the name stay: without them the raw bytes would decode to something else */
  n_name = strcspn (self->told_format, ":");
  if (format != NULL && strcmp (format, "auto") != 0
      && (strlen (format) != n_name || strncmp (format, self->told_format, n_name) != 0))
    {
      g_autofree char *before = g_steal_pointer (&self->told_format);

      self->told_format = g_strconcat (format, before + n_name, NULL);
      ts_recording_writer_set_meta (self->writer, "ts_raw_format", self->told_format);
    }
}

/*
 * _ts_pipeline_tick:
 * @self: a pipeline
 * @force: commit now
 * @error: return location
 *
 * To be called every 10 ms or so: brings `health` up to date, publishes and commits.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_WRITE
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_pipeline_tick (TsPipeline *self,
                   gboolean force,
                   GError **error)
{
  GError *local_error = NULL;

  if (self->merge != NULL)
    _ts_poll_merge_settle (self->merge, g_get_monotonic_time ());
  if (self->gate != NULL)
    _ts_trigger_gate_idle (self->gate, g_get_monotonic_time ());
  tell_health (self);
  if (ts_recording_writer_tick (self->writer, force, &local_error))
    return TRUE;

  propagate_as_capture_error (error, local_error);

  return FALSE;
}

/*
 * _ts_pipeline_close:
 * @self: a pipeline
 * @end_reason: how it ended, for `health.end_reason` and the last row
 * @summary: (out) (optional): figures of the recording
 * @error: return location
 *
 * Takes what the decoder still holds and finishes the recording.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_WRITE; what was committed is kept
 *
 * Returns: %TRUE, or %FALSE with @error set; @summary is filled either way
 */
gboolean
_ts_pipeline_close (TsPipeline *self,
                    const char *end_reason,
                    TsRecordingSummary *summary,
                    GError **error)
{
  GError *local_error = NULL;
  gboolean is_written;

  ts_decoder_flush (self->decoder);
  if (self->merge != NULL)
    {
      ts_decoder_flush (self->polled);
      _ts_poll_merge_flush (self->merge);
    }
  if (self->gate != NULL)
    _ts_trigger_gate_finish (self->gate);
  self->is_told = FALSE;
  tell_health (self);
  ts_domain_note_claims (self->writer);
  is_written = ts_recording_writer_close (self->writer, end_reason, &local_error);
  if (summary != NULL)
    ts_recording_writer_get_summary (self->writer, summary);
  if (!is_written)
    propagate_as_capture_error (error, local_error);

  return is_written;
}

/* Closes the recording and removes its file: it holds nothing, or nobody wants it. */
void
_ts_pipeline_discard (TsPipeline *self)
{
  ts_recording_writer_discard (self->writer);
}

/* The recording ends because of @error, so the older one of its name must stay: says where, in what
 * it returns in place of @error (taken). To be called before closing; and again afterwards, when
 * closing failed. */
GError *
_ts_pipeline_keep_older (TsPipeline *self,
                         GError *error)
{
  const char *older = ts_recording_writer_keep_older (self->writer);
  g_autofree char *name = older != NULL ? g_filename_display_name (older) : NULL;
  GError *full;

  if (name == NULL || strstr (error->message, name) != NULL)
    return error;

  /* translators: a whole sentence, and the name of a file */
  full = g_error_new (error->domain, error->code,
                      _("%s The older recording of that name is kept as %s."), error->message,
                      name);
  g_error_free (error);
  return full;
}

/* Whether so much came in without one packet that going on makes no sense; for files, which do not
 * get better by waiting. */
gboolean
_ts_pipeline_is_hopeless (TsPipeline *self)
{
  const TsDecodeCounters *counters = ts_decoder_get_counters (self->decoder);

  return counters->packets == 0 && counters->markers == 0 && counters->bytes > HOPELESS_BYTES;
}

const TsDecodeCounters *
_ts_pipeline_get_counters (TsPipeline *self)
{
  return ts_decoder_get_counters (self->decoder);
}

/* The decoder's format, found out if "auto" was asked for. */
const char *
_ts_pipeline_get_format (TsPipeline *self)
{
  return ts_decoder_get_format (self->decoder);
}

guint64
_ts_pipeline_get_n_events (TsPipeline *self)
{
  return ts_recording_writer_get_n_events (self->writer);
}

/* How far the trigger is; all zero without one. */
void
_ts_pipeline_get_trigger (TsPipeline *self,
                          TsTriggerFigures *figures)
{
  if (self->gate != NULL)
    _ts_trigger_gate_get_figures (self->gate, figures);
  else
    memset (figures, 0, sizeof *figures);
}

TsRecordingWriter *
_ts_pipeline_get_writer (TsPipeline *self)
{
  return self->writer;
}

/* Whether two names mean one existing file: bytes that are being read must not be overwritten. */
gboolean
_ts_capture_is_same_file (const char *a,
                          const char *b)
{
  struct stat info_a, info_b;

  return stat (a, &info_a) == 0 && stat (b, &info_b) == 0 && info_a.st_dev == info_b.st_dev
         && info_a.st_ino == info_b.st_ino;
}
