/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "model/ts-recording-writer.h"
#include "ui/ts-job.h"
#include "ui/ts-numbers.h"
#include "ui/ts-worker.h"

/* A job and the figures need no display. */

typedef struct
{
  GMainLoop *loop;
  gpointer result;
  GError *error;
  gboolean was_freed;
} Outcome;

static void
on_done (GObject *source,
         GAsyncResult *result,
         gpointer user_data)
{
  Outcome *outcome = user_data;

  outcome->result = ts_job_run_finish (TS_JOB (source), result, &outcome->error);
  g_main_loop_quit (outcome->loop);
}

static void
mark_freed (gpointer data)
{
  *(gboolean *) data = TRUE;
}

static gpointer
quick (TsJob *job,
       gpointer data,
       GCancellable *cancellable,
       GError **error)
{
  ts_job_set_fraction (job, 0.25);
  return g_strdup ("done");
}

/* Works until it is told to stop, like an import of a file without end. */
static gpointer
endless (TsJob *job,
         gpointer data,
         GCancellable *cancellable,
         GError **error)
{
  ts_job_set_fraction (job, 0.5);
  while (!g_cancellable_set_error_if_cancelled (cancellable, error))
    g_usleep (500);
  return NULL;
}

static gboolean
cancel_when_half (gpointer user_data)
{
  TsJob *job = user_data;

  if (ts_job_get_fraction (job) < 0.5)
    return G_SOURCE_CONTINUE;
  ts_job_cancel (job);
  return G_SOURCE_REMOVE;
}

static void
test_result (void)
{
  g_autoptr (TsJob) job = ts_job_new ("Quick");
  Outcome outcome = { .loop = g_main_loop_new (NULL, FALSE) };

  g_assert_cmpstr (ts_job_get_title (job), ==, "Quick");
  g_assert_cmpfloat (ts_job_get_fraction (job), <, 0.0);
  ts_job_run_async (job, quick, &outcome.was_freed, mark_freed, g_free, on_done, &outcome);
  g_main_loop_run (outcome.loop);
  g_assert_no_error (outcome.error);
  g_assert_cmpstr (outcome.result, ==, "done");
  g_assert_cmpfloat_with_epsilon (ts_job_get_fraction (job), 0.25, 0.001);
  while (!g_atomic_int_get (&outcome.was_freed))
    g_main_context_iteration (NULL, FALSE);
  g_free (outcome.result);
  g_main_loop_unref (outcome.loop);
}

static void
test_cancel (void)
{
  g_autoptr (TsJob) job = ts_job_new ("Endless");
  Outcome outcome = { .loop = g_main_loop_new (NULL, FALSE) };

  ts_job_run_async (job, endless, NULL, NULL, NULL, on_done, &outcome);
  g_timeout_add (1, cancel_when_half, job);
  g_main_loop_run (outcome.loop);
  g_assert_null (outcome.result);
  g_assert_error (outcome.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&outcome.error);
  g_main_loop_unref (outcome.loop);
}

static void
assert_text (char *text,
             const char *expected)
{
  g_autoptr (GString) plain = g_string_new (text);

  /* thin spaces are hard to tell apart in a source file */
  g_string_replace (plain, "\xe2\x80\x89", "_", 0);
  g_assert_cmpstr (plain->str, ==, expected);
  g_free (text);
}

static void
test_numbers (void)
{
  assert_text (ts_format_count (0), "0");
  assert_text (ts_format_count (999), "999");
  assert_text (ts_format_count (1000), "1_000");
  assert_text (ts_format_count (641280), "641_280");
  assert_text (ts_format_count (G_MAXUINT64), "18_446_744_073_709_551_615");
  assert_text (ts_format_bytes (0), "0_bytes");
  assert_text (ts_format_bytes (1023), "1023_bytes");
  assert_text (ts_format_bytes (1024), "1.00_KiB");
  assert_text (ts_format_bytes (421888), "412_KiB");
  assert_text (ts_format_bytes_per_s (3.0 * 1024 * 1024), "3.00_MiB/s");
  assert_text (ts_format_per_s (38400.0), "38_400_/s");
  assert_text (ts_format_per_s (0.0), "0_/s");
  assert_text (ts_format_per_s (2.5), "2.5_/s");
  assert_text (ts_format_hz (170000000), "170_MHz");
  assert_text (ts_format_hz (32768), "32.8_kHz");
  assert_text (ts_format_hz (999), "999_Hz");
  assert_text (ts_format_seconds (12418000), "12.418_s");
  assert_text (ts_format_seconds (61000000), "1 min 01 s");
  assert_text (ts_format_seconds (G_GINT64_CONSTANT (3723000000)), "1 h 02 min 03 s");
  assert_text (ts_format_ns (0), "0_ns");
  assert_text (ts_format_ns (999), "999_ns");
  assert_text (ts_format_ns (1000), "1.000_µs");
  assert_text (ts_format_ns (66020), "66.02_µs");
  assert_text (ts_format_ns (124922580), "124.9_ms");
  assert_text (ts_format_ns (999960), "1.000_ms");
  assert_text (ts_format_ns (G_GINT64_CONSTANT (12519839810)), "12.52_s");
  assert_text (ts_format_ns (G_GINT64_CONSTANT (999940000000)), "999.9_s");
  assert_text (ts_format_ns (G_GINT64_CONSTANT (1234567890000)), "1_235_s");
  assert_text (ts_format_ns (G_GINT64_CONSTANT (10023100000000)), "10_023_s");
  assert_text (ts_format_percent (307, 1000), "30.7_%");
  assert_text (ts_format_percent (1, 0), "–");
}

/**
 * Ending:
 * @has_ended: the program has come to its end
 * @was_freed: what its worker had open is closed
 */
typedef struct
{
  char *path;
  TsRecording *recording;
  TsWorker *worker;
  int has_ended;
  int was_freed;
} Ending;

/* Takes as long as it may to have the program end before it. */
static void
close_slowly (gpointer data)
{
  Ending *ending = data;
  gint64 deadline = g_get_monotonic_time () + G_USEC_PER_SEC / 3;

  while (g_atomic_int_get (&ending->has_ended) == 0 && g_get_monotonic_time () < deadline)
    g_usleep (1000);
  g_atomic_int_set (&ending->was_freed, TRUE);
}

static gpointer
look (TsRecording *recording,
      gpointer data,
      GCancellable *cancellable,
      GError **error)
{
  g_object_set_data_full (G_OBJECT (recording), "test", data, close_slowly);
  return NULL;
}

/* The last window closes. */
static void
on_looked (gpointer result,
           const GError *error,
           gpointer user_data)
{
  Ending *ending = user_data;

  g_assert_no_error (error);
  g_clear_object (&ending->worker);
  g_clear_object (&ending->recording);
  g_application_release (g_application_get_default ());
}

static void
on_activate (GApplication *application,
             Ending *ending)
{
  g_autoptr (GError) error = NULL;

  g_application_hold (application);
  ending->recording = ts_recording_open (ending->path, &error);
  g_assert_no_error (error);
  ending->worker = ts_worker_new ("test");
  ts_worker_set_recording (ending->worker, ending->recording);
  ts_worker_ask (ending->worker, look, ending, NULL, NULL, on_looked, ending);
}

/* Copies of a recording close, and remove what they have put aside, before the program is gone. */
static void
test_ending (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-job-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "job.vadb", NULL);
  g_autoptr (GApplication) application = g_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  Ending ending = { .path = path };
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);

  g_assert_true (ts_recording_writer_close (writer, "stopped", NULL));
  ts_recording_writer_free (writer);
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), &ending);
  g_assert_cmpint (g_application_run (application, 0, NULL), ==, 0);
  g_assert_true (g_atomic_int_get (&ending.was_freed));
  g_atomic_int_set (&ending.has_ended, TRUE);
  g_remove (path);
  g_rmdir (dir);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gui/job/result", test_result);
  g_test_add_func ("/gui/job/cancel", test_cancel);
  g_test_add_func ("/gui/job/ending", test_ending);
  g_test_add_func ("/gui/numbers", test_numbers);
  return g_test_run ();
}
