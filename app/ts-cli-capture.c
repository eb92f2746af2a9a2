/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-capture.c: captures from start to stop: `capture` and the paced form of `demo`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/ts-demo-shape.h"
#include "capture/ts-poll.h"
#include "capture/ts-probe.h"
#include "capture/ts-vaschema.h"
#include "model/ts-domain.h"

#include "ts-cli.h"

/* How often the stop file is looked for. */
#define STOP_FILE_POLL_MS 50
#define PROGRESS_MS 500

/* One running capture. */
typedef struct
{
  TsCaptureSession *session;
  GMainLoop *loop;
  const char *stop_file;
  gboolean is_quiet;     /* no progress lines */
  gboolean is_aside;     /* they go to standard error, which leaves standard output to the envelope */
  gboolean is_verbose;
  gboolean said_recording;
  TsTriggerState trigger_state;
  guint64 trigger_fired;
  gint64 stop_us; /* when it began to end, monotonic */
  FILE *log;
  TsCliArgs *stream_args; /* not NULL: with live lines */
  const char *path;
  TsConnection *connection;
  TsCliStream *stream;
  TsCliInstrument *instrument;
  JsonObject *instrument_report;
  guint signals[3];
  guint stop_poll;
  guint progress;
  guint reader_watch;
} Capture;

static void say (Capture *self,
                 const char *format,
                 ...) G_GNUC_PRINTF (2, 3);

/* A progress line: standard output, or standard error, and the log. Source: viewalyzer-host.md
 * section 3.11 */
static void
say (Capture *self,
     const char *format,
     ...)
{
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = ts_cli_dup_printable (text);
  if (self->is_aside)
    ts_cli_remark ("%s", line);
  else if (!self->is_quiet)
    ts_cli_print_line ("%s", line);
  if (self->log != NULL)
    {
      fprintf (self->log, "%s\n", line);
      fflush (self->log);
    }
}

static void
request_stop (Capture *self)
{
  TsCaptureStats stats = { 0 };

  if (ts_capture_session_get_state (self->session) >= TS_CAPTURE_STOPPING)
    return;
  ts_capture_session_get_stats (self->session, &stats);
  say (self, "[headless] Stop requested at %.1f s. Finalizing partial recording...",
       (double) stats.elapsed_us / 1e6);
  ts_capture_session_stop (self->session);
}

static gboolean
on_signal (gpointer data)
{
  request_stop (data);
  return G_SOURCE_CONTINUE;
}

/* The pipe behind standard output has lost its reader. */
static gboolean
on_reader_gone (int fd,
                GIOCondition condition,
                gpointer data)
{
  Capture *self = data;

  self->reader_watch = 0;
  request_stop (self);
  return G_SOURCE_REMOVE;
}

static gboolean
on_stop_poll (gpointer data)
{
  Capture *self = data;

  if (g_file_test (self->stop_file, G_FILE_TEST_EXISTS))
    {
      self->stop_poll = 0;
      request_stop (self);
      return G_SOURCE_REMOVE;
    }
  return G_SOURCE_CONTINUE;
}

/* For a person who watches: how long, how much, what is lost. */
static gboolean
on_progress (gpointer data)
{
  Capture *self = data;
  TsCaptureStats stats = { 0 };

  ts_capture_session_get_stats (self->session, &stats);
  fprintf (stderr, "\r%.1f s  %" G_GUINT64_FORMAT " events  %.0f/s", (double) stats.elapsed_us / 1e6,
           stats.events, stats.events_per_s);
  if (stats.lost_events > 0)
    fprintf (stderr, _("  %" PRId64 " lost"), stats.lost_events);
  if (stats.trigger_state == TS_TRIGGER_WAITING)
    fprintf (stderr, _("  waiting for the trigger: %.1f of %.1f s before it are held"),
             (double) stats.trigger_held_us / 1e6, (double) stats.trigger_wanted_us / 1e6);
  else if (stats.trigger_state == TS_TRIGGER_AFTER)
    fprintf (stderr, _("  after the trigger: %.1f of %.1f s"),
             (double) stats.trigger_held_us / 1e6, (double) stats.trigger_wanted_us / 1e6);
  fputs ("\033[K", stderr);
  return G_SOURCE_CONTINUE;
}

static void
begin_stream (Capture *self)
{
  g_autoptr (TsRecording) recording = ts_capture_session_dup_recording (self->session, NULL);

  if (recording != NULL)
    self->stream = ts_cli_stream_new (self->stream_args, recording, self->path,
                                      self->connection);
}

static void
on_state (GObject *object,
          GParamSpec *property,
          gpointer data)
{
  Capture *self = data;
  TsCaptureState state = ts_capture_session_get_state (self->session);

  if (state == TS_CAPTURE_CAPTURING && !self->said_recording)
    {
      self->said_recording = TRUE;
      say (self, "[headless] Recording...");
    }
  if (state >= TS_CAPTURE_CAPTURING && self->stream_args != NULL && self->stream == NULL)
    begin_stream (self);
  if (state >= TS_CAPTURE_STOPPING && self->stop_us == 0)
    self->stop_us = g_get_monotonic_time ();
  if (state == TS_CAPTURE_STOPPED || state == TS_CAPTURE_FAILED)
    g_main_loop_quit (self->loop);
}

/* One line for each time the trigger changes. */
static void
on_trigger (GObject *object,
            GParamSpec *property,
            gpointer data)
{
  Capture *self = data;
  TsCaptureStats stats = { 0 };

  ts_capture_session_get_stats (self->session, &stats);
  if (stats.trigger_state == self->trigger_state && stats.trigger_fired == self->trigger_fired)
    return;
  if (stats.trigger_fired > self->trigger_fired)
    say (self, "[headless] Trigger fired (%" G_GUINT64_FORMAT ") at %.1f s.", stats.trigger_fired,
         (double) stats.elapsed_us / 1e6);
  if (stats.trigger_state == TS_TRIGGER_WAITING)
    say (self, "[headless] Waiting for the trigger...");
  self->trigger_state = stats.trigger_state;
  self->trigger_fired = stats.trigger_fired;
}

static void
on_message (GObject *object,
            GParamSpec *property,
            gpointer data)
{
  Capture *self = data;
  const char *message = ts_capture_session_get_message (self->session);

  if (self->is_verbose && message != NULL && *message != '\0')
    ts_cli_remark ("[capture] %s", message);
}

static void
on_ended (TsCaptureSession *session,
          gpointer data)
{
  g_main_loop_quit (((Capture *) data)->loop);
}

/* Runs the session until it has ended, however it ends. */
static gboolean
run_session (Capture *self,
             GError **error)
{
  TsCaptureState state;
  gboolean ok;

  self->loop = g_main_loop_new (NULL, FALSE);
  g_signal_connect (self->session, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect (self->session, "notify::message", G_CALLBACK (on_message), self);
  g_signal_connect (self->session, "notify::trigger-state", G_CALLBACK (on_trigger), self);
  g_signal_connect (self->session, "notify::trigger-fired", G_CALLBACK (on_trigger), self);
  g_signal_connect (self->session, "ended", G_CALLBACK (on_ended), self);
  self->signals[0] = g_unix_signal_add (SIGINT, on_signal, self);
  self->signals[1] = g_unix_signal_add (SIGTERM, on_signal, self);
  self->signals[2] = g_unix_signal_add (SIGHUP, on_signal, self);
  ts_cli_release_signals ();
  signal (SIGPIPE, SIG_IGN);
  if (fcntl (STDOUT_FILENO, F_GETFD) >= 0)
    self->reader_watch = g_unix_fd_add (STDOUT_FILENO, G_IO_ERR, on_reader_gone, self);
  if (isatty (STDERR_FILENO) && self->stream_args == NULL)
    self->progress = g_timeout_add (PROGRESS_MS, on_progress, self);
  if (self->stop_file != NULL)
    self->stop_poll = g_timeout_add (STOP_FILE_POLL_MS, on_stop_poll, self);

  say (self, "[headless] Connecting...");
  ok = (self->instrument == NULL || ts_cli_instrument_start (self->instrument, error))
       && ts_capture_session_start (self->session, error);
  if (ok)
    {
      state = ts_capture_session_get_state (self->session);
      if (state != TS_CAPTURE_STOPPED && state != TS_CAPTURE_FAILED)
        g_main_loop_run (self->loop);
    }

  /* The handlers of signals stay: one that comes while the answer is made must not cost it. */
  g_clear_handle_id (&self->progress, g_source_remove);
  if (isatty (STDERR_FILENO))
    ts_cli_end_progress ();
  g_clear_handle_id (&self->stop_poll, g_source_remove);
  g_clear_handle_id (&self->reader_watch, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_pointer (&self->loop, g_main_loop_unref);
  return ok;
}

/**
 * ts_cli_remark_warnings:
 * @connection: a connection that settings were read into
 *
 * Says on standard error what of the settings has no effect.
 */
void
ts_cli_remark_warnings (TsConnection *connection)
{
  const char *const *warnings = ts_connection_get_warnings (connection);

  for (gsize i = 0; warnings != NULL && warnings[i] != NULL; i++)
    ts_cli_remark ("[config] %s", warnings[i]);
}

/**
 * ts_cli_make_connection:
 * @args: arguments
 * @error: return location
 *
 * The connection of --config and of flags, which win over the file; with the ELF file of --elf.
 *
 * Source: viewalyzer-host.md section 2.1
 *
 * Returns: (transfer full): a connection that is valid, or %NULL with @error set
 */
TsConnection *
ts_cli_make_connection (TsCliArgs *args,
                        GError **error)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();

  if (!ts_cli_load_config (args, connection, error)
      || !ts_cli_set_keys (args, connection, NULL, error))
    return NULL;
  if (!ts_connection_validate (connection, error))
    return NULL;
  if (ts_probe_type_of_transport (ts_connection_get_transport (connection)) != NULL)
    ts_connection_set_elf (connection, ts_cli_args_get (args, "elf"));
  ts_cli_remark_warnings (connection);
  return g_steal_pointer (&connection);
}

/* Where the recording goes, and the folder it needs. */
static char *
make_output_path (TsCliArgs *args,
                  const char *output,
                  GError **error)
{
  g_autoptr (GDateTime) now = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *name = NULL;

  if (output != NULL && *output != '\0')
    return ts_cli_dup_vadb_path (output);
  now = g_date_time_new_now_local ();
  name = g_date_time_format (now, "capture-%Y%m%d-%H%M%S.vadb");
  folder = g_build_filename (g_get_user_data_dir (), "taskscope", "recordings", NULL);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE,
                   _("Cannot make the folder %s: %s; give --output with a path."), folder,
                   g_strerror (errno));
      return NULL;
    }
  return g_build_filename (folder, name, NULL);
}

static gboolean
read_options (TsCliArgs *args,
              TsCaptureOptions *options,
              GError **error)
{
  const char *ring = ts_cli_args_get (args, "ring");
  gint64 percent;

  if (!ts_cli_args_get_int (args, "high-water", 1, 100, 0, &percent, error)
      || !ts_cli_args_get_duration_ms (
          args, ts_cli_args_has (args, "duration") ? "duration" : "duration-s",
          &options->duration_ms, error))
    return FALSE;
  options->high_water_percent = (guint) percent;
  if (ring != NULL && !g_str_equal (ring, "linear") && !g_str_equal (ring, "ring"))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--ring is linear or ring, not “%s”."), ring);
      return FALSE;
    }
  options->ring_mode = g_strcmp0 (ring, "ring") == 0 ? TS_RING_OVERWRITE : TS_RING_LINEAR;
  options->keep_raw_log = !ts_cli_args_has (args, "no-raw-log");
  return TRUE;
}

/* Variables polled beside a capture, where there is a probe to do it. Source: viewalyzer-host.md
 * section 3.5, behaviour */
static gboolean
set_polling (TsCliArgs *args,
             TsConnection *connection,
             GError **error)
{
  const char *symbols = ts_cli_args_get (args, "symbols");
  const char *type = ts_probe_type_of_transport (ts_connection_get_transport (connection));
  gint64 hz;

  if (!ts_cli_args_get_int (args, "poll-hz", 1, TS_POLL_MAX_HZ, TS_POLL_DEFAULT_HZ, &hz, error))
    return FALSE;
  if (symbols != NULL && type != NULL && ts_cli_args_has (args, "elf"))
    ts_connection_set_polling (connection, symbols, (guint) hz, FALSE);
  else if (symbols != NULL)
    ts_cli_remark ("%s", type == NULL
                             ? _("WARNING: variables are polled through a debug probe; --symbols "
                                 "and --poll-hz have no effect with this transport.")
                             : _("WARNING: without --elf nothing is known of variables; --symbols "
                                 "and --poll-hz have no effect."));
  else if (ts_cli_args_has (args, "poll-hz"))
    ts_cli_remark ("%s", _("WARNING: --poll-hz has no effect without --symbols."));
  return TRUE;
}

/* What of the hardware trace is not in force. Source: viewalyzer-host.md section 2.4, last rule */
static void
tell_refusals (Capture *self,
               const char *path)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autofree char *text
      = recording != NULL ? ts_recording_dup_meta (recording, "hardware_trace") : NULL;
  g_autoptr (JsonNode) root = text != NULL ? json_from_string (text, NULL) : NULL;
  JsonArray *refused;

  if (root == NULL)
    return;
  refused = json_object_get_array_member (json_node_get_object (root), "refused");
  for (guint i = 0; i < json_array_get_length (refused); i++)
    {
      JsonObject *item = json_array_get_object_element (refused, i);

      say (self, "[hwtrace] %s not enabled: %s", json_object_get_string_member (item, "feature"),
           json_object_get_string_member (item, "reason"));
    }
}

/* Which Trace Domains claimed channels, and which could not be read. */
static void
tell_domains (Capture *self,
              const char *path)
{
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) domains = ts_domain_load_all (failures);
  g_auto (GStrv) lines = ts_cli_list_claims (path);

  for (gsize i = 0; lines[i] != NULL; i++)
    say (self, "%s", lines[i]);
  for (guint i = 0; i < failures->len; i++)
    ts_cli_remark ("WARNING: %s", (const char *) g_ptr_array_index (failures, i));
}

/* The two contract lines. Returns the id, NULL if the file cannot be read back. */
static char *
tell_recording (Capture *self,
                const char *path,
                const char *schema_name,
                gint64 duration_us,
                gboolean do_register)
{
  g_autofree char *id = ts_cli_dup_recording_id (path);
  g_autoptr (GError) error = NULL;
  GStatBuf status = { 0 };

  if (g_stat (path, &status) != 0)
    return NULL;
  tell_refusals (self, path);
  tell_domains (self, path);
  say (self, "[headless] Recording saved: %s (%" G_GINT64_FORMAT " KB)", path,
       (gint64) status.st_size / 1024);
  if (do_register && id != NULL)
    {
      if (ts_cli_index_register (path, id, schema_name, duration_us, &error))
        say (self, "[headless] Recording registered: id=%s", id);
      else
        ts_cli_remark ("%s", error->message);
    }
  return g_steal_pointer (&id);
}

/* An error for the envelope when the session ended badly; %TRUE when it ended well. */
static gboolean
check_end (Capture *self,
           const char *path,
           GError **error)
{
  const GError *failure = ts_capture_session_get_error (self->session);

  if (ts_capture_session_get_state (self->session) == TS_CAPTURE_STOPPED && failure == NULL)
    return TRUE;
  if (failure == NULL)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, "%s",
                 ts_capture_session_get_message (self->session));
  else
    g_propagate_error (error, g_error_copy (failure));
  return FALSE;
}

/* Whether the session left a recording worth keeping. */
static gboolean
has_recording (const char *path,
               const GError *failure)
{
  return !g_error_matches (failure, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY)
         && !g_error_matches (failure, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT)
         && !g_error_matches (failure, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NO_SYMBOL)
         && !g_error_matches (failure, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT)
         && !g_error_matches (failure, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG)
         && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static FILE *
open_log (TsCliArgs *args,
          GError **error)
{
  const char *path = ts_cli_args_get (args, "log");
  FILE *file = path != NULL ? g_fopen (path, "ae") : NULL;

  if (path != NULL && file == NULL)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS, _("Cannot write the log %s: %s"),
                 path, g_strerror (errno));
  return file;
}

/* Source: viewalyzer-host.md section 3.5, `poll` */
static JsonObject *
poll_figures_to_json (TsConnection *connection,
                      const char *path,
                      const TsRecordingSummary *summary)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autoptr (GArray) symbols = ts_poll_symbols_of_connection (connection, NULL);
  g_autofree char *rounds = NULL;
  g_autofree char *missed = NULL;
  JsonObject *object = json_object_new ();
  double n_rounds, n_missed;

  if (recording != NULL)
    {
      rounds = ts_recording_dup_health (recording, "poll_rounds");
      missed = ts_recording_dup_health (recording, "poll_missed");
    }
  n_rounds = rounds != NULL ? g_ascii_strtod (rounds, NULL) : 0;
  n_missed = missed != NULL ? g_ascii_strtod (missed, NULL) : 0;
  json_object_set_double_member (object, "span_seconds", (double) summary->duration_us / 1e6);
  json_object_set_int_member (object, "sample_count", (gint64) summary->events);
  json_object_set_double_member (
      object, "sample_loss_percent",
      n_rounds + n_missed > 0 ? 100.0 * n_missed / (n_rounds + n_missed) : 0.0);
  json_object_set_int_member (object, "symbols_polled", symbols != NULL ? symbols->len : 0);
  json_object_set_int_member (object, "poll_hz", ts_connection_get_poll_hz (connection));
  return object;
}

/* What the capture had to say that must not be missed. */
static void
tell_warnings (const char *path)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autofree char *text = recording != NULL ? ts_recording_dup_meta (recording, "ts_warnings") : NULL;
  g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;

  for (gsize i = 0; lines != NULL && lines[i] != NULL; i++)
    ts_cli_remark (g_str_has_prefix (lines[i], "[hwtrace]") ? "%s" : "WARNING: %s", lines[i]);
}

static int
tell_end (TsCliArgs *args,
          TsConnection *connection,
          const Capture *capture,
          const char *path,
          const char *id,
          const TsRecordingSummary *summary)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  JsonObject *figures = ts_connection_is_poll_alone (connection)
                            ? poll_figures_to_json (connection, path, summary)
                            : ts_cli_summary_to_json (summary);

  ts_cli_envelope_add_text (object, "recording_id", id);
  ts_cli_envelope_add_text (object, "path", path);
  json_object_set_string_member (figures, "transport", ts_connection_get_transport (connection));
  if (ts_connection_has (connection, "trigger"))
    json_object_set_int_member (figures, "triggers", (gint64) capture->trigger_fired);
  if (capture->instrument_report != NULL)
    json_object_set_object_member (figures, "instrument",
                                   json_object_ref (capture->instrument_report));
  json_object_set_object_member (object, "summary", figures);
  ts_cli_envelope_print (args, object);
  return 0;
}

/* Names beside the stream; what cannot be read costs a remark, never the capture. */
static TsNames *
make_names (TsCliArgs *args)
{
  TsNames *names = ts_cli_names_new (args, TRUE, NULL);
  const char *config = ts_cli_args_get (args, "config");
  g_autoptr (GError) error = NULL;

  if (config != NULL && g_str_has_suffix (config, ".vaschema")
      && !ts_vaschema_load (config, NULL, names, &error))
    ts_cli_remark ("WARNING: %s", error->message);
  return names;
}

/**
 * ts_cli_record:
 * @args: arguments
 * @connection: what to capture from, or to poll through
 * @options: how; its output is a path
 * @headline: (nullable): first line to print, then all of them go to standard error; %NULL: that of
 *   a capture
 * @error: return location
 *
 * Records until the duration has passed, the stop file exists, SIGINT, SIGTERM or SIGHUP arrives,
 * or nobody reads standard output any more; each of them ends it well.
 *
 * Errors: those of the session
 * Source: viewalyzer-host.md sections 3.2 to 3.5
 *
 * Returns: exit status
 */
int
ts_cli_record (TsCliArgs *args,
               TsConnection *connection,
               const TsCaptureOptions *options,
               const char *headline,
               GError **error)
{
  g_autoptr (TsCaptureSession) session = NULL;
  g_autoptr (TsCliInstrument) instrument = NULL;
  g_autoptr (TsNames) names = NULL;
  g_autofree char *description = NULL;
  g_autofree char *id = NULL;
  g_autoptr (GError) failure = NULL;
  TsCaptureOptions own_options;
  const char *path = options->output;
  const char *transport = ts_connection_get_transport (connection);
  TsRecordingSummary summary = { 0 };
  Capture capture = { 0 };
  gboolean ran;
  gboolean ok = FALSE;

  if (!ts_cli_instrument_new (args, &instrument, error))
    return 1;
  capture.log = open_log (args, error);
  if (capture.log == NULL && ts_cli_args_has (args, "log"))
    return 1;
  capture.instrument = instrument;
  capture.is_aside = headline != NULL;
  names = make_names (args);
  own_options = *options;
  own_options.names = names;
  session = ts_capture_session_new (connection, &own_options);
  capture.session = session;
  capture.stop_file = ts_cli_args_get (args, "stop-file");
  capture.is_verbose = ts_cli_args_has (args, "verbose");
  description = ts_capture_session_dup_description (session);
  if (headline != NULL)
    say (&capture, "%s", headline);
  else
    say (&capture, "[headless] Capture: %s%s%s", transport, description != NULL ? ", " : "",
         description != NULL ? description : "");
  if (ts_cli_args_has (args, "stream"))
    {
      ts_cli_stream_tell_start (args, connection);
      capture.stream_args = args;
      capture.path = path;
      capture.connection = connection;
    }
  ran = run_session (&capture, &failure);
  g_clear_pointer (&capture.stream, ts_cli_stream_finish);
  if (ran)
    ok = check_end (&capture, path, &failure);
  if (instrument != NULL)
    ts_cli_instrument_stop (instrument);
  if (instrument != NULL && ok && has_recording (path, failure))
    capture.instrument_report = ts_cli_instrument_merge (
        instrument, path,
        capture.stop_us != 0 ? capture.stop_us : g_get_monotonic_time ());
  if (ran && has_recording (path, failure) && ts_capture_session_get_summary (session, &summary))
    id = tell_recording (&capture, path, summary.os != NULL ? summary.os : transport,
                         summary.duration_us, !ts_cli_args_has (args, "no-register"));
  if (capture.log != NULL)
    {
      if (failure != NULL)
        {
          g_autofree char *line = ts_cli_dup_printable (failure->message);

          fprintf (capture.log, "[headless] ERROR: %s\n", line);
        }
      fclose (capture.log);
    }
  if (id != NULL)
    tell_warnings (path);
  if (ok)
    tell_end (args, connection, &capture, path, id, &summary);
  else
    g_propagate_error (error, g_steal_pointer (&failure));
  g_clear_pointer (&capture.instrument_report, json_object_unref);
  ts_recording_summary_clear (&summary);
  return ok ? 0 : 1;
}

/**
 * ts_cli_capture:
 * @args: arguments
 * @error: return location
 *
 * Captures from a target; see ts_cli_record() for how it ends.
 *
 * Errors: those of the connection and of the session
 * Source: viewalyzer-host.md sections 3.2 to 3.5
 *
 * Returns: exit status
 */
int
ts_cli_capture (TsCliArgs *args,
                GError **error)
{
  g_autoptr (TsConnection) connection = ts_cli_make_connection (args, error);
  g_autofree char *path = NULL;
  TsCaptureOptions options = { 0 };

  if (connection == NULL || !read_options (args, &options, error)
      || !set_polling (args, connection, error))
    return 1;
  path = make_output_path (args,
                           ts_cli_args_has (args, "output") ? ts_cli_args_get (args, "output")
                                                            : ts_cli_args_get (args, "record"),
                           error);
  if (path == NULL)
    return 1;
  options.output = path;
  return ts_cli_record (args, connection, &options, NULL, error);
}

static int
tell_demo (TsCliArgs *args,
           const char *path,
           TsRecordingSummary *summary)
{
  g_autoptr (JsonObject) object = ts_cli_envelope_new ();
  g_autofree char *id = ts_cli_dup_recording_id (path);
  JsonObject *figures = ts_cli_summary_to_json (summary);

  ts_cli_envelope_add_text (object, "path", path);
  ts_cli_envelope_add_text (object, "recording_id", id);
  json_object_set_string_member (figures, "format", "va-cobs");
  json_object_set_object_member (object, "summary", figures);
  ts_cli_envelope_print (args, object);
  ts_recording_summary_clear (summary);
  return 0;
}

static int
demo_paced (TsCliArgs *args,
            const char *path,
            gint64 seed,
            gint64 rate,
            gint64 duration_ms,
            GError **error)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (TsCaptureSession) session = NULL;
  g_autofree char *seed_text = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  g_autofree char *rate_text = g_strdup_printf ("%" G_GINT64_FORMAT, rate);
  TsCaptureOptions options = { .output = path, .keep_raw_log = TRUE, .duration_ms = duration_ms };
  TsRecordingSummary summary = { 0 };
  Capture capture = { .is_quiet = TRUE };

  if (!ts_connection_set_from_text (connection, "transport", "demo", error)
      || !ts_connection_set_from_text (connection, "demo-seed", seed_text, error)
      || !ts_connection_set_from_text (connection, "demo-rate", rate_text, error))
    return 1;
  session = ts_capture_session_new (connection, &options);
  capture.session = session;
  capture.stop_file = ts_cli_args_get (args, "stop-file");
  capture.is_verbose = ts_cli_args_has (args, "verbose");
  if (!run_session (&capture, error) || !check_end (&capture, path, error))
    return 1;
  ts_capture_session_get_summary (session, &summary);
  return tell_demo (args, path, &summary);
}

/* The demo target, or events of all shapes and no bytes. */
static gboolean
check_shape (TsCliArgs *args,
             gboolean is_paced,
             gboolean *is_mixed,
             GError **error)
{
  const char *shape = ts_cli_args_get (args, "shape");

  *is_mixed = g_strcmp0 (shape, "mixed") == 0;
  if (*is_mixed && is_paced)
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                         _("--shape mixed needs --events: it is not paced in real time."));
  else if (!*is_mixed && shape != NULL && !g_str_equal (shape, "demo"))
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("There is no shape “%s”; there are demo and mixed."), shape);
  else
    return TRUE;
  return FALSE;
}

/**
 * ts_cli_demo:
 * @args: arguments
 * @error: return location
 *
 * Records the demo target: paced in real time like a capture, or a number of events as fast as it
 * goes.
 *
 * Source: events.md section 4, `demo`
 *
 * Returns: exit status
 */
int
ts_cli_demo (TsCliArgs *args,
             GError **error)
{
  const char *output = ts_cli_args_get (args, "output");
  g_autofree char *path = NULL;
  TsRecordingSummary summary = { 0 };
  gboolean is_mixed = FALSE;
  gint64 duration_ms;
  gint64 n_events;
  gint64 seed;
  gint64 rate;

  if (!ts_cli_args_get_int (args, "seed", 0, G_MAXUINT32, 1, &seed, error)
      || !ts_cli_args_get_int (args, "rate", 100, 1000000, 20000, &rate, error)
      || !ts_cli_args_get_int (args, "events", 1, G_GINT64_CONSTANT (10000000000), 0, &n_events,
                               error)
      || !ts_cli_args_get_duration_ms (args, "duration", &duration_ms, error))
    return 1;
  if (output == NULL || *output == '\0')
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“demo” needs --output with the path of the recording."));
      return 1;
    }
  if ((duration_ms == 0) == (n_events == 0))
    {
      g_set_error_literal (
          error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
          _("“demo” needs either --duration with seconds or --events with a number."));
      return 1;
    }
  path = ts_cli_dup_vadb_path (output);
  if (!check_shape (args, duration_ms > 0, &is_mixed, error))
    return 1;
  if (duration_ms > 0)
    return demo_paced (args, path, seed, rate, duration_ms, error);
  {
    g_autoptr (GCancellable) cancellable = ts_cli_interrupt_new ();
    gboolean ok = is_mixed
                      ? ts_demo_shape_record (path, (guint64) n_events, (guint32) seed,
                                              ts_cli_show_progress, NULL, cancellable, &summary,
                                              error)
                      : ts_import_demo ((guint64) n_events, (guint32) seed, (guint) rate, path,
                                        ts_cli_show_progress, NULL, cancellable, &summary, error);

    ts_cli_end_progress ();
    return ok ? tell_demo (args, path, &summary) : 1;
  }
}
