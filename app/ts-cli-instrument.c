/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-instrument.c: an instrument that runs beside a capture: `--instrument-cmd` and
 * `--instrument-series`.
 *
 * The command records the instrument for as long as the capture lasts; when that is over, the series
 * it left is merged into the recording, as `import` does. Whatever becomes of the instrument, the
 * capture is kept.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ts-cli.h"

/* How long a command may take to end after it was asked to, by each signal. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)
#define MAX_REMARK_BYTES 400
/* How long after the stop of a capture its series may still be merged: clients wait 15 s for all of it,
 * and the end of the merge and the answer take some. Source: viewalyzer-host.md section 3.5 */
#define MERGE_SECONDS 9.0
#define MAX_MERGE_SECONDS 86400.0
#define MAX_KEPT 100
/* From here on the rate of a merge is known well enough to give it up before its time is over. */
#define RATE_KNOWN_US (G_USEC_PER_SEC / 2)

struct _TsCliInstrument
{
  char *command; /* NULL: the series comes from elsewhere */
  char *series;
  char *own;     /* temporary file with what the command prints; NULL: the series is named */
  char *log;     /* temporary file with the rest of what it says */
  GPid pid;      /* 0: not running */
  GStatBuf before;
  gboolean was_there;
  double max_resid_us;
};

static char *
make_temporary (GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("taskscope-instrument-XXXXXX", &path, error);

  if (fd < 0)
    return NULL;
  close (fd);
  return g_steal_pointer (&path);
}

/**
 * ts_cli_instrument_new:
 * @args: arguments of a capture
 * @instrument: (out) (nullable): what they say of an instrument; %NULL: nothing
 * @error: return location
 *
 * With a command and no series, what the command prints is the series.
 *
 * Source: viewalyzer-host.md section 3.2, `capture`
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_instrument_new (TsCliArgs *args,
                       TsCliInstrument **instrument,
                       GError **error)
{
  const char *command = ts_cli_args_get (args, "instrument-cmd");
  const char *series = ts_cli_args_get (args, "instrument-series");
  g_autoptr (TsCliInstrument) self = NULL;
  gint64 max_resid_us;

  *instrument = NULL;
  if (!ts_cli_args_get_int (args, "max-resid-us", 1, 1000000000, 0, &max_resid_us, error))
    return FALSE;
  if (command == NULL && series == NULL)
    return TRUE;
  self = g_new0 (TsCliInstrument, 1);
  self->max_resid_us = (double) max_resid_us;
  self->command = command != NULL && *command != '\0' ? g_strdup (command) : NULL;
  if (series != NULL && *series != '\0')
    self->series = g_strdup (series);
  else if (self->command != NULL)
    {
      self->own = make_temporary (error);
      if (self->own == NULL)
        return FALSE;
      self->series = g_strdup (self->own);
    }
  else
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("--instrument-cmd needs a command, --instrument-series the path of the "
                             "file that it writes."));
      return FALSE;
    }
  *instrument = g_steal_pointer (&self);
  return TRUE;
}

/* In the child: a group of its own, so that all of it can be ended and Ctrl+C at the terminal is the
 * capture's, and signals as a program expects them. */
static void
set_up_child (gpointer data)
{
  sigset_t none;

  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  signal (SIGPIPE, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

static int
open_for_child (const char *path)
{
  return g_open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/**
 * ts_cli_instrument_start:
 * @self: an instrument
 * @error: return location
 *
 * Starts its command, if it has one.
 *
 * Errors: %TS_CLI_ERROR_INTERNAL if no shell can be started
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_instrument_start (TsCliInstrument *self,
                         GError **error)
{
  const char *argv[] = { "/bin/sh", "-c", self->command, NULL };
  g_autoptr (GError) cause = NULL;
  int out, log;
  gboolean ok;

  self->was_there = g_stat (self->series, &self->before) == 0;
  if (self->command == NULL)
    return TRUE;
  self->log = make_temporary (error);
  if (self->log == NULL)
    return FALSE;
  log = open_for_child (self->log);
  out = open_for_child (self->own != NULL ? self->own : "/dev/null");
  ok = g_spawn_async_with_fds (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                               NULL, &self->pid, -1, out, log, &cause);
  close (log);
  close (out);
  if (!ok)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL,
                 _("Cannot start the command of --instrument-cmd: %s"), cause->message);
  return ok;
}

static gboolean
wait_for_end (TsCliInstrument *self,
              gint64 patience_us,
              int *status)
{
  gint64 end = g_get_monotonic_time () + patience_us;
  pid_t pid;

  while ((pid = waitpid (self->pid, status, WNOHANG)) == 0 || (pid < 0 && errno == EINTR))
    {
      if (g_get_monotonic_time () >= end)
        return FALSE;
      g_usleep (10000);
    }
  return TRUE;
}

/* The last thing that it said. */
static void
tell_log (TsCliInstrument *self)
{
  g_autofree char *text = NULL;
  const char *last;
  gsize length;

  if (!g_file_get_contents (self->log, &text, &length, NULL) || *g_strchomp (text) == '\0')
    return;
  last = strrchr (text, '\n');
  last = last != NULL ? last + 1 : text;
  ts_cli_remark ("[instrument] %.*s", MAX_REMARK_BYTES, last);
}

/**
 * ts_cli_instrument_stop:
 * @self: an instrument
 *
 * Ends its command, as Ctrl+C would, and all that it started; what does not listen is killed.
 */
void
ts_cli_instrument_stop (TsCliInstrument *self)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGKILL };
  gboolean was_asked = FALSE;
  int status = 0;

  if (self->pid == 0)
    return;
  if (!wait_for_end (self, 0, &status))
    {
      was_asked = TRUE;
      for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
        {
          kill (-self->pid, signals[i]);
          if (wait_for_end (self, i == 0 ? PATIENCE_US : G_USEC_PER_SEC, &status))
            break;
        }
    }
  /* What its shell left behind. */
  kill (-self->pid, SIGTERM);
  self->pid = 0;
  tell_log (self);
  if (!was_asked && WIFEXITED (status) && WEXITSTATUS (status) != 0)
    ts_cli_remark (_("WARNING: the command of --instrument-cmd ended with status %d."),
                   WEXITSTATUS (status));
}

static gboolean
check_series (TsCliInstrument *self,
              GError **error)
{
  GStatBuf now;

  if (g_stat (self->series, &now) != 0)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND,
                 _("The instrument left no series in %s."), self->series);
  else if (self->command != NULL && self->was_there && now.st_ino == self->before.st_ino
           && now.st_size == self->before.st_size
           && now.st_mtim.tv_sec == self->before.st_mtim.tv_sec
           && now.st_mtim.tv_nsec == self->before.st_mtim.tv_nsec)
    g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                 _("%s is of before the capture: the instrument did not write it."), self->series);
  else
    return TRUE;
  return FALSE;
}

/* A merge that must be over at a time. Its rate is that since the first word of its progress: what
 * goes before, the bytes, is none of it. */
typedef struct
{
  gint64 end_us;
  gint64 first_us; /* 0: no word yet */
  double first;
  gboolean is_late;
  GCancellable *cancellable;
} Merge;

/* Whether what went from @first to @fraction since @first_us ends after @end_us. */
static gboolean
will_be_late (const Merge *self,
              gint64 now,
              double fraction)
{
  double spent = (double) (now - self->first_us);

  if (now >= self->end_us)
    return TRUE;
  return now - self->first_us >= RATE_KNOWN_US
         && spent * (1.0 - fraction) > (double) (self->end_us - now) * (fraction - self->first);
}

/* Gives up what will not be done in time: the time that is lost with it is the client's. */
static void
on_merge_progress (double fraction,
                   gpointer user_data)
{
  Merge *self = user_data;
  gint64 now = g_get_monotonic_time ();

  ts_cli_show_progress (fraction, NULL);
  if (self->first_us == 0)
    {
      self->first_us = now;
      self->first = fraction;
    }
  if (!will_be_late (self, now, fraction))
    return;
  self->is_late = TRUE;
  g_cancellable_cancel (self->cancellable);
}

static gint64
get_merge_limit_us (void)
{
  const char *text = g_getenv ("TASKSCOPE_MERGE_SECONDS");
  char *end = NULL;
  double seconds = text != NULL ? g_ascii_strtod (text, &end) : MERGE_SECONDS;

  if (end == text || (end != NULL && *end != '\0') || !(seconds >= 0))
    seconds = MERGE_SECONDS;
  return (gint64) (MIN (seconds, MAX_MERGE_SECONDS) * G_USEC_PER_SEC);
}

static gboolean
merge (TsCliInstrument *self,
       const char *path,
       Merge *limit,
       TsInstrumentReport *report,
       GError **error)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsInstrument) series = NULL;
  g_autoptr (GCancellable) cancellable = NULL;
  gboolean ok;

  if (!check_series (self, error) || (series = ts_instrument_load (self->series, error)) == NULL
      || (recording = ts_recording_open (path, error)) == NULL)
    return FALSE;
  cancellable = ts_cli_interrupt_new_until (limit->end_us);
  limit->cancellable = cancellable;
  ok = ts_instrument_fit (series, recording, self->max_resid_us, report, cancellable, error);
  ok = ok
       && ts_instrument_merge (series, recording, path, on_merge_progress, limit, cancellable,
                               error);
  ts_cli_end_progress ();
  limit->is_late = !ok && (limit->is_late || g_get_monotonic_time () >= limit->end_us)
                   && g_cancellable_is_cancelled (cancellable);
  limit->cancellable = NULL;
  return ok;
}

/* The series that the command printed goes beside the recording: it is still wanted. */
static void
keep_own_series (TsCliInstrument *self,
                 const char *path)
{
  g_autoptr (GFile) from = g_file_new_for_path (self->own);
  g_autofree char *stem
      = g_strndup (path, strlen (path) - (g_str_has_suffix (path, ".vadb") ? strlen (".vadb") : 0));

  for (guint i = 0; i < MAX_KEPT; i++)
    {
      g_autofree char *name = i == 0 ? g_strconcat (stem, ".instrument.ndjson", NULL)
                                     : g_strdup_printf ("%s.instrument-%u.ndjson", stem, i);
      g_autoptr (GFile) to = g_file_new_for_path (name);

      if (g_file_move (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL))
        {
          g_free (self->series);
          self->series = g_steal_pointer (&name);
          break;
        }
    }
  /* where it cannot go there it stays where it is */
  g_clear_pointer (&self->own, g_free);
}

/* What merges the series after all. */
static char *
dup_command (TsCliInstrument *self,
             const char *path)
{
  g_autofree char *recording = g_canonicalize_filename (path, NULL);
  g_autofree char *series = g_canonicalize_filename (self->series, NULL);
  g_autofree char *quoted_recording = g_shell_quote (recording);
  g_autofree char *quoted_series = g_shell_quote (series);
  GString *command = g_string_new (NULL);

  g_string_printf (command, "taskscope-cli import %s --series %s", quoted_recording, quoted_series);
  if (self->max_resid_us > 0)
    g_string_append_printf (command, " --max-resid-us %.0f", self->max_resid_us);
  return g_string_free (command, FALSE);
}

/**
 * ts_cli_instrument_merge:
 * @self: an instrument that has stopped
 * @path: the recording of the capture, which is replaced when all of it is written
 * @since_us: when the capture was stopped, g_get_monotonic_time()
 *
 * Merges the series. What does not work is told and costs the series alone; where it would take
 * longer than a client waits it is given up, and the answer has the command that does it later.
 *
 * Returns: (transfer full) (nullable): how it went, for the answer
 */
JsonObject *
ts_cli_instrument_merge (TsCliInstrument *self,
                         const char *path,
                         gint64 since_us)
{
  TsInstrumentReport report = { 0 };
  Merge limit = { .end_us = since_us + get_merge_limit_us () };
  g_autofree char *command = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *object;

  if (merge (self, path, &limit, &report, &error))
    {
      object = ts_cli_instrument_report_to_json (&report);
      json_object_set_boolean_member (object, "merged", TRUE);
      return object;
    }
  if (limit.is_late)
    {
      if (self->own != NULL)
        keep_own_series (self, path);
      command = dup_command (self, path);
      g_clear_error (&error);
      g_set_error (&error, TS_CLI_ERROR, TS_CLI_ERROR_INTERNAL,
                   _("merging it would take longer than a client waits for the end of a capture. "
                     "This does it: %s"),
                   command);
    }
  ts_cli_remark (_("WARNING: the recording is without the instrument: %s"), error->message);
  object = json_object_new ();
  json_object_set_boolean_member (object, "merged", FALSE);
  ts_cli_envelope_add_text (object, "message", error->message);
  if (command != NULL)
    ts_cli_envelope_add_text (object, "command", command);
  return object;
}

/**
 * ts_cli_instrument_free:
 * @self: (nullable) (transfer full): an instrument; its command is ended
 */
void
ts_cli_instrument_free (TsCliInstrument *self)
{
  if (self == NULL)
    return;
  ts_cli_instrument_stop (self);
  if (self->own != NULL)
    g_unlink (self->own);
  if (self->log != NULL)
    g_unlink (self->log);
  g_free (self->command);
  g_free (self->series);
  g_free (self->own);
  g_free (self->log);
  g_free (self);
}
