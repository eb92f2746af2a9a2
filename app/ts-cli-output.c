/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-output.c: paths of recordings, the window of time, progress, and Ctrl-C for work that does
 * not run in a main loop. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ts-cli.h"

/**
 * ts_cli_dup_vadb_path:
 * @path: where a recording shall go
 *
 * Source: viewalyzer-host.md section 3.5, behaviour
 *
 * Returns: (transfer full): @path with its last extension replaced by `.vadb`, if it is another one
 */
char *
ts_cli_dup_vadb_path (const char *path)
{
  const char *slash = strrchr (path, G_DIR_SEPARATOR);
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr (name, '.');

  if (g_str_has_suffix (name, ".vadb"))
    return g_strdup (path);
  if (dot == NULL || dot == name)
    return g_strconcat (path, ".vadb", NULL);
  return g_strdup_printf ("%.*s.vadb", (int) (dot - path), path);
}

/**
 * ts_cli_open_recording:
 * @args: arguments with --recording or a second word
 * @error: return location
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_NO_SUCH_RECORDING, those of
 * ts_recording_open()
 *
 * Returns: (transfer full): the recording that @args name, or %NULL with @error set
 */
TsRecording *
ts_cli_open_recording (TsCliArgs *args,
                       GError **error)
{
  const char *reference = ts_cli_args_get (args, "recording");
  g_autofree char *path = NULL;

  if (reference == NULL)
    reference = ts_cli_args_get (args, "replay");
  if (reference == NULL)
    reference = ts_cli_args_get_positional (args, g_str_equal (args->verb, "query") ? 1 : 0);
  if (reference == NULL || *reference == '\0')
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” needs a recording: give --recording with a path or an id."), args->verb);
      return NULL;
    }
  path = ts_cli_index_dup_path (reference, error);
  return path != NULL ? ts_cli_open_indexed (path, error) : NULL;
}

/**
 * ts_cli_get_window:
 * @args: arguments
 * @t_start_us: (out): --t-start-us, -1 if not given
 * @t_end_us: (out): --t-end-us, -1 if not given
 * @error: return location
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, also when the end lies before the start
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_get_window (TsCliArgs *args,
                   gint64 *t_start_us,
                   gint64 *t_end_us,
                   GError **error)
{
  if (!ts_cli_args_get_int (args, "t-start-us", 0, G_MAXINT64 / 2, -1, t_start_us, error)
      || !ts_cli_args_get_int (args, "t-end-us", 0, G_MAXINT64 / 2, -1, t_end_us, error))
    return FALSE;
  if (*t_end_us >= 0 && *t_end_us < *t_start_us)
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("--t-end-us lies before --t-start-us."));
      return FALSE;
    }
  return TRUE;
}

/**
 * ts_cli_show_progress:
 * @fraction: 0 to 1
 * @user_data: unused
 *
 * Shows progress on standard error, if a person can see it.
 */
void
ts_cli_show_progress (double fraction,
                      gpointer user_data)
{
  if (isatty (STDERR_FILENO))
    fprintf (stderr, "\r%3.0f %%", CLAMP (fraction, 0, 1) * 100);
}

/**
 * ts_cli_end_progress:
 *
 * Wipes the progress line.
 */
void
ts_cli_end_progress (void)
{
  if (isatty (STDERR_FILENO))
    fputs ("\r\033[K", stderr);
}

static void
change_signals (int how)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGTERM);
  sigaddset (&set, SIGHUP);
  pthread_sigmask (how, &set, NULL);
}

/**
 * ts_cli_hold_signals:
 *
 * Signals that end a program wait until ts_cli_release_signals(): between its begin and the
 * moment in which it can act on them they would end it without an answer.
 *
 * Thread: main, before there are others
 */
void
ts_cli_hold_signals (void)
{
  change_signals (SIG_BLOCK);
}

/**
 * ts_cli_release_signals:
 *
 * Lets held signals in. Handlers are there.
 *
 * Thread: main
 */
void
ts_cli_release_signals (void)
{
  change_signals (SIG_UNBLOCK);
}

static gboolean
cancel (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_CONTINUE;
}

static gboolean
cancel_late (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

/* Waits for signals beside the thread that works; ends with the process. */
static gpointer
watch_signals (gpointer data)
{
  g_autoptr (GMainLoop) loop = data;

  g_main_loop_run (loop);
  return NULL;
}

/**
 * ts_cli_interrupt_new:
 *
 * Returns: (transfer full): a cancellable that Ctrl-C, SIGTERM and the end of the terminal cancel
 * from now on, until the process ends
 */
GCancellable *
ts_cli_interrupt_new (void)
{
  return ts_cli_interrupt_new_until (-1);
}

/**
 * ts_cli_interrupt_new_until:
 * @end_us: a time, g_get_monotonic_time(); -1: none
 *
 * Returns: (transfer full): one of ts_cli_interrupt_new() that is also cancelled at @end_us
 */
GCancellable *
ts_cli_interrupt_new_until (gint64 end_us)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  GCancellable *cancellable = g_cancellable_new ();
  g_autoptr (GMainContext) context = g_main_context_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GSource) source = g_unix_signal_source_new (signals[i]);

      g_source_set_callback (source, cancel, g_object_ref (cancellable), NULL);
      g_source_attach (source, context);
    }
  if (end_us >= 0)
    {
      gint64 left_us = MAX (end_us - g_get_monotonic_time (), 0);
      g_autoptr (GSource) source
          = g_timeout_source_new ((guint) MIN (left_us / 1000, (gint64) G_MAXINT));

      g_source_set_callback (source, cancel_late, g_object_ref (cancellable), g_object_unref);
      g_source_attach (source, context);
      if (left_us == 0)
        g_cancellable_cancel (cancellable);
    }
  g_thread_unref (g_thread_new ("signals", watch_signals, g_main_loop_new (context, FALSE)));
  ts_cli_release_signals ();
  return cancellable;
}

/**
 * ts_cli_dup_recording_id:
 * @path: a recording
 *
 * Returns: (transfer full) (nullable): its id, %NULL if it cannot be opened
 */
char *
ts_cli_dup_recording_id (const char *path)
{
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);

  return recording != NULL ? g_strdup (ts_recording_get_id (recording)) : NULL;
}
