/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-import.c: files and the demo target to a recording, as fast as it goes, on the caller's
 * thread. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "ts-capture-session.h"
#include "ts-ctrace-run.h"
#include "ts-demo-target.h"
#include "ts-import-private.h"
#include "ts-pipeline-private.h"
#include "ts-source-private.h"

#define CHUNK 65536
#define TICK_US 10000
#define PROGRESS_US 50000
/* Target time made at once by the demo, and its bytes at most. */
#define DEMO_STEP_US 20000
#define DEMO_BYTES 65536

/* What both imports do between two portions of bytes. */
typedef struct
{
  TsPipeline *pipeline;
  TsImportProgress progress;
  gpointer user_data;
  GCancellable *cancellable;
  gint64 ticked_us;
  gint64 told_us;
} Import;

/* FALSE: cancelled, or the recording cannot be written. */
static gboolean
import_step (Import *self,
             double fraction,
             GError **error)
{
  gint64 now_us = g_get_monotonic_time ();

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;

  if (now_us - self->ticked_us >= TICK_US)
    {
      self->ticked_us = now_us;
      if (!_ts_pipeline_tick (self->pipeline, FALSE, error))
        return FALSE;
    }

  if (self->progress != NULL && now_us - self->told_us >= PROGRESS_US)
    {
      self->told_us = now_us;
      self->progress (CLAMP (fraction, 0.0, 1.0), self->user_data);
    }

  return TRUE;
}

/* Ends an import that got to its end. */
static gboolean
import_close (Import *self,
              const char *what,
              TsRecordingSummary *summary,
              GError **error)
{
  TsRecordingSummary local = { 0 };
  gboolean is_written = _ts_pipeline_close (self->pipeline, "end of source", &local, error);

  if (is_written && local.events == 0)
    {
      guint64 n_bytes = _ts_pipeline_get_counters (self->pipeline)->bytes;
      const char *format = _ts_pipeline_get_format (self->pipeline);

      if (strcmp (format, "auto") == 0)
        g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
                     _("No event was found in “%s” (%" PRIu64
                       " bytes, no known format): is it a capture of recorder bytes?"),
                     what, n_bytes);
      else
        g_set_error (
            error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY,
            _("No event was found in “%s” (%" PRIu64
              " bytes read as %s): is it a capture of recorder bytes, and is the format right?"),
            what, n_bytes, format);
      is_written = FALSE;
      _ts_pipeline_discard (self->pipeline);
    }

  if (is_written && summary != NULL)
    {
      *summary = local;
      local.os = NULL;
    }
  ts_recording_summary_clear (&local);
  if (is_written && self->progress != NULL)
    self->progress (1.0, self->user_data);

  return is_written;
}

/* Ends an import that failed on the way: what was committed is kept, as the message says; nothing is
 * left of what was cancelled, or of what holds no event. Takes @error; returns what to tell. */
static GError *
import_abort (Import *self,
              GError *error)
{
  TsRecordingSummary local = { 0 };

  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      ts_recording_writer_keep_older (_ts_pipeline_get_writer (self->pipeline));
      _ts_pipeline_close (self->pipeline, error->message, &local, NULL);
    }
  if (local.events == 0)
    _ts_pipeline_discard (self->pipeline);
  else
    error = _ts_pipeline_keep_older (self->pipeline, error);
  ts_recording_summary_clear (&local);

  return error;
}

/* Reads one part to its end. */
static gboolean
import_part (Import *self,
             int fd,
             const char *name,
             guint64 n_before,
             guint64 n_total,
             GError **error)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);

  for (;;)
    {
      gssize n = read (fd, buffer, CHUNK);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                       _("Cannot read “%s”: %s. What was read before is kept."), name,
                       g_strerror (errno));
          return FALSE;
        }
      if (n == 0)
        return TRUE;

      _ts_pipeline_push (self->pipeline, 0, g_get_monotonic_time (), buffer, (gsize) n);
      n_before += (guint64) n;
      if (_ts_pipeline_is_hopeless (self->pipeline))
        return TRUE;
      if (!import_step (self, (double) n_before / (double) MAX (n_total, 1), error))
        return FALSE;
    }
}

static void
close_all (GArray *fds)
{
  for (guint i = 0; i < fds->len; i++)
    close (g_array_index (fds, int, i));
  g_array_unref (fds);
}

/**
 * ts_import_files_with_names:
 * @paths: (array zero-terminated=1): parts of one stream, in order; or the configuration of a CMSIS
 *   trace run, which stands for the first of ts_import_list_captures(); with format "auto" a
 *   capture of a trace run is read as the configuration beside it says, and a folder with CTF traces,
 *   or the `metadata` of one, as such
 * @format: format as `decode --format` names it, "auto" to find out
 * @clock_hz: ticks per second where the stream does not say, 0: not given
 * @keep_raw_log: keep the bytes in the recording
 * @names: (nullable): names that the target does not send
 * @output: path of the recording
 * @progress: (nullable): called every 50 ms or so
 * @user_data: for @progress
 * @cancellable: (nullable): stops the import
 * @summary: (out) (optional): figures; ts_recording_summary_clear()
 * @used_format: (out) (optional) (transfer full): the format that was used
 * @error: return location
 *
 * Turns files of captured bytes into a recording, the way a capture goes. Memory does not grow with
 * the files. A stream that shows no packet in its first 4 MiB is given up. All parts are opened
 * before the output is touched. When reading or writing breaks, what was committed until then is
 * kept; a cancelled import, or one without an event, leaves no output.
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_CAPTURE_ERROR_CONNECT for a part that cannot be opened or is none;
 * %TS_CAPTURE_ERROR_EMPTY when a part or the whole holds nothing; %TS_CAPTURE_ERROR_LOST when
 * reading breaks; %TS_CAPTURE_ERROR_WRITE; %TS_CAPTURE_ERROR_BAD_CONFIG and
 *   %TS_CAPTURE_ERROR_NOT_BUILT for the format; %G_IO_ERROR_CANCELLED
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_import_files_with_names (const char * const *paths,
                            const char *format,
                            guint64 clock_hz,
                            gboolean keep_raw_log,
                            TsNames *names,
                            const char *output,
                            TsImportProgress progress,
                            gpointer user_data,
                            GCancellable *cancellable,
                            TsRecordingSummary *summary,
                            char **used_format,
                            GError **error)
{
  TsPipelineOptions options = { .output = output,
                                .format = format,
                                .clock_hz = clock_hz,
                                .keep_raw_log = keep_raw_log,
                                .capture_source = "file",
                                .names = names };
  const char *found[2] = { NULL, NULL };
  g_autofree char *capture = NULL;
  g_autofree char *own_format = NULL;
  g_auto (GStrv) traces = NULL;
  Import import = { .progress = progress, .user_data = user_data, .cancellable = cancellable };
  g_autoptr (TsPipeline) pipeline = NULL;
  g_autofree char *name = NULL;
  GArray *fds;
  guint64 n_total = 0, n_before = 0;
  GError *local_error = NULL;
  gboolean is_ok = TRUE;

  g_return_val_if_fail (paths != NULL && paths[0] != NULL, FALSE);
  g_return_val_if_fail (format != NULL, FALSE);
  g_return_val_if_fail (output != NULL, FALSE);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  if (paths[1] == NULL && strcmp (format, "auto") == 0
      && (traces = _ts_import_list_ctf_traces (paths[0])) != NULL)
    {
      if (used_format != NULL)
        *used_format = g_strdup ("ctf");
      return _ts_import_ctf (paths[0], traces, names, output, progress, user_data, cancellable,
                             summary, error);
    }
  if (g_str_has_suffix (paths[0], TS_CTRACE_RUN_SUFFIX))
    {
      found[0] = capture = _ts_import_find_trace_run (paths[0], &own_format, error);
      if (capture == NULL)
        return FALSE;
      paths = found;
      if (strcmp (format, "auto") == 0)
        options.format = own_format;
    }
  else if (strcmp (format, "auto") == 0 && paths[1] == NULL)
    {
      own_format = _ts_import_dup_capture_format (paths[0]);
      options.format = own_format != NULL ? own_format : format;
    }

  fds = g_array_new (FALSE, FALSE, sizeof (int));
  for (gsize i = 0; is_ok && paths[i] != NULL; i++)
    {
      guint64 size = 0;
      int fd = _ts_capture_file_open (paths[i], &size, error);

      is_ok = fd >= 0;
      if (is_ok)
        g_array_append_val (fds, fd);
      n_total += size;
      if (is_ok && _ts_capture_is_same_file (paths[i], output))
        {
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                       _("“%s” is both input and output: choose another output."), output);
          is_ok = FALSE;
        }
    }

  if (is_ok)
    pipeline = import.pipeline = _ts_pipeline_new (&options, error);
  if (pipeline == NULL)
    {
      close_all (fds);
      return FALSE;
    }

  for (gsize i = 0; is_ok && paths[i] != NULL && !_ts_pipeline_is_hopeless (pipeline); i++)
    {
      g_autofree char *part = g_filename_display_name (paths[i]);
      int fd = g_array_index (fds, int, i);

      is_ok = import_part (&import, fd, part, n_before, n_total, &local_error);
      n_before = _ts_pipeline_get_counters (pipeline)->bytes;
    }
  close_all (fds);

  name = g_filename_display_name (paths[0]);
  if (is_ok)
    is_ok = import_close (&import, name, summary, error);
  else
    {
      local_error = import_abort (&import, local_error);
      g_propagate_error (error, local_error);
    }

  if (is_ok && used_format != NULL)
    *used_format = g_strdup (_ts_pipeline_get_format (pipeline));

  return is_ok;
}

/**
 * ts_import_files:
 *
 * As ts_import_files_with_names(), without names.
 */
gboolean
ts_import_files (const char * const *paths,
                 const char *format,
                 guint64 clock_hz,
                 gboolean keep_raw_log,
                 const char *output,
                 TsImportProgress progress,
                 gpointer user_data,
                 GCancellable *cancellable,
                 TsRecordingSummary *summary,
                 char **used_format,
                 GError **error)
{
  return ts_import_files_with_names (paths, format, clock_hz, keep_raw_log, NULL, output, progress,
                                     user_data, cancellable, summary, used_format, error);
}

/**
 * ts_import_demo:
 * @n_events: events to make at least
 * @seed: the same seed gives the same recording
 * @rate: events per second of target time
 * @output: path of the recording
 * @progress: (nullable): called every 50 ms or so
 * @user_data: for @progress
 * @cancellable: (nullable): stops it
 * @summary: (out) (optional): figures; ts_recording_summary_clear()
 * @error: return location
 *
 * The demo target as fast as it goes, its wire bytes decoded like any other's.
 *
 * Thread: any; takes as long as it takes
 * Errors: %TS_CAPTURE_ERROR_WRITE (what was committed is kept), %G_IO_ERROR_CANCELLED (no output is
 * left)
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_import_demo (guint64 n_events,
                guint32 seed,
                guint rate,
                const char *output,
                TsImportProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                TsRecordingSummary *summary,
                GError **error)
{
  TsPipelineOptions options
      = { .output = output, .format = "va", .keep_raw_log = TRUE, .capture_source = "demo" };
  Import import = { .progress = progress, .user_data = user_data, .cancellable = cancellable };
  g_autoptr (TsPipeline) pipeline = NULL;
  g_autoptr (TsDemoTarget) target = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  GError *local_error = NULL;

  g_return_val_if_fail (n_events > 0, FALSE);
  g_return_val_if_fail (output != NULL, FALSE);

  pipeline = import.pipeline = _ts_pipeline_new (&options, error);
  if (pipeline == NULL)
    return FALSE;
  target = ts_demo_target_new (seed, rate, FALSE);
  bytes = g_byte_array_sized_new (DEMO_BYTES);

  while (_ts_pipeline_get_n_events (pipeline) < n_events)
    {
      gint64 until_us = ts_demo_target_get_time_us (target) + DEMO_STEP_US;

      g_byte_array_set_size (bytes, 0);
      ts_demo_target_run (target, until_us, DEMO_BYTES, bytes);
      _ts_pipeline_push (pipeline, 0, g_get_monotonic_time (), bytes->data, bytes->len);

      if (!import_step (&import, (double) _ts_pipeline_get_n_events (pipeline) / (double) n_events,
                        &local_error))
        {
          local_error = import_abort (&import, local_error);
          g_propagate_error (error, local_error);
          return FALSE;
        }
    }

  return import_close (&import, "demo", summary, error);
}
