/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session.c: captures from start to stop, as the main thread sees them, and what is on disk
 * afterwards. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <unistd.h>

#include "session-fixture.h"

static void
test_start_stop (void)
{
  Fixture *self = fixture_new ("{\"transport\": \"demo\", \"demo-rate\": 50000}", NULL);
  g_autofree char *description = NULL;
  g_autoptr (TsRecording) live = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };
  TsCaptureStats stats;
  guint64 n_seen;

  /* harmless before the start */
  ts_capture_session_stop (self->session);
  g_assert_null (ts_capture_session_dup_recording (self->session, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);
  g_clear_error (&error);
  g_assert_false (ts_capture_session_get_summary (self->session, &summary));

  fixture_start (self);
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_CONNECTING);
  description = ts_capture_session_dup_description (self->session);
  g_assert_nonnull (strstr (description, "50000"));
  WAIT (self, is_capturing);
  live = ts_capture_session_dup_recording (self->session, &error);
  g_assert_no_error (error);
  g_assert_true (ts_recording_is_live (live));
  WAIT (self, has_some_events);
  ts_recording_refresh (live);
  n_seen = ts_recording_get_n_events (live);
  ts_capture_session_get_stats (self->session, &stats);
  /* the figures are told after the events they count are there to be seen */
  g_assert_cmpuint (n_seen, >=, stats.events);

  ts_capture_session_stop (self->session);
  ts_capture_session_stop (self->session);
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_STOPPING);
  WAIT (self, has_ended);
  ts_capture_session_stop (self->session);
  assert_stopped (self);
  g_assert_cmpuint (self->n_ended, ==, 1);
  g_assert_cmpuint (self->states->len, ==, 4);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (g_array_index (self->states, int, i), ==, i + 1);
  g_assert_cmpuint (self->n_data, >, 2);
  g_test_message ("%u data signals, shortest distance %.1f ms", self->n_data,
                  (double) self->shortest_us / 1000.0);

  g_assert_true (ts_capture_session_get_summary (self->session, &summary));
  ts_capture_session_get_stats (self->session, &stats);
  g_assert_cmpuint (summary.events, ==, stats.events);
  g_assert_cmpuint (summary.events, >=, 5000);
  g_assert_cmpint (summary.lost_events, ==, 0);
  g_assert_cmpuint (stats.ring_overruns, ==, 0);
  g_assert_cmpuint (stats.corrupt_bytes, ==, 0);
  g_assert_cmpfloat (stats.high_water, >, 0.0);

  /* the live view follows to the end */
  ts_recording_refresh (live);
  g_assert_cmpuint (ts_recording_get_n_events (live), ==, summary.events);
  recording = ts_capture_session_dup_recording (self->session, &error);
  g_assert_no_error (error);
  g_assert_false (ts_recording_is_live (recording));
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, summary.events);
  rows = test_rows (recording);
  g_assert_cmpint (g_array_index (rows, TsEvent, rows->len - 1).kind, ==, TS_EVENT_CAPTURE_END);
  g_assert_cmpint (test_health (recording, "raw_bytes"), ==, (gint64) stats.bytes);
  g_assert_cmpint (test_health (recording, "ring_overruns"), ==, 0);
  g_clear_object (&live);
  g_clear_object (&recording);
  g_assert_cmpuint (test_folder_count (self->folder), ==, 1);
  ts_recording_summary_clear (&summary);
  fixture_free (self);
}

static void
test_signal_rate (void)
{
  Fixture *self = fixture_new ("{\"transport\": \"demo\", \"demo-rate\": 100000}",
                               &(TsCaptureOptions) { .duration_ms = 500 });
  gint64 begin_us = g_get_monotonic_time (), span_us;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  span_us = g_get_monotonic_time () - begin_us;
  /* "data" 16 ms apart, figures 50 ms apart; the first and the last of each come whatever the time
   */
  g_assert_cmpint (self->n_data, <=, span_us / 16000 + 2);
  g_assert_cmpint (self->n_notified, <=, span_us / 50000 + 2);
  g_assert_cmpint (self->n_data, >=, 3);
  fixture_free (self);
}

static void
test_duration (void)
{
  Fixture *self
      = fixture_new ("{\"transport\": \"demo\"}", &(TsCaptureOptions){ .duration_ms = 300 });
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *reason = NULL;
  TsCaptureStats stats;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  ts_capture_session_get_stats (self->session, &stats);
  g_assert_cmpint (stats.elapsed_us, >=, 300000);
  recording = ts_recording_open (self->output, NULL);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "duration");
  g_clear_object (&recording);
  fixture_free (self);
}

/* A capture of a file, and an import of it, give the same recording. */
static void
test_file_equals_import (void)
{
  g_autofree char *path = test_data_path ("m4_noisy.cobs");
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"file\", \"file-path\": \"%s\", \"file-format\": \"va-cobs\"}", path);
  const char *const paths[] = { path, NULL };
  Fixture *self = fixture_new (config, NULL);
  g_autofree char *imported = g_build_filename (self->folder, "import.vadb", NULL);
  g_autoptr (TsRecording) a = NULL;
  g_autoptr (TsRecording) b = NULL;
  g_autoptr (GError) error = NULL;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  g_assert_true (
      ts_import_files (paths, "va-cobs", 0, TRUE, imported, NULL, NULL, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  a = ts_recording_open (self->output, &error);
  b = ts_recording_open (imported, &error);
  g_assert_no_error (error);
  test_assert_same_recordings (a, b);
  g_assert_cmpint (test_health (a, "corrupt_bytes"), ==, test_health (b, "corrupt_bytes"));
  g_assert_cmpint (test_health (a, "corrupt_bytes"), >, 0);
  g_clear_object (&a);
  g_clear_object (&b);
  fixture_free (self);
}

static void
on_message (TsCaptureSession *session,
            GParamSpec *pspec,
            gpointer messages)
{
  g_ptr_array_add (messages, g_strdup (ts_capture_session_get_message (session)));
}

/* Whether a thread of a capture runs in this process. */
static gboolean
is_capture_running (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  const char *id;

  while ((id = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/task/%s/comm", id);
      g_autofree char *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL)
          && (g_str_has_prefix (name, "ts-io") || g_str_has_prefix (name, "ts-decode")))
        return TRUE;
    }
  return FALSE;
}

/* Who is not listened to for a while has still said everything. */
static void
test_messages (void)
{
  g_autofree char *path = test_data_path ("m4_short.cobs");
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"file\", \"file-path\": \"%s\", \"file-format\": \"va-cobs\"}", path);
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_free);
  gint64 deadline_us = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  g_signal_connect (self->session, "notify::message", G_CALLBACK (on_message), messages);
  fixture_start (self);
  while ((!g_file_test (self->output, G_FILE_TEST_EXISTS) || is_capture_running ())
         && g_get_monotonic_time () < deadline_us)
    g_thread_yield ();
  WAIT (self, has_ended);
  assert_stopped (self);
  g_assert_cmpuint (messages->len, >=, 3);
  g_assert_true (g_str_has_prefix (messages->pdata[0], "Connecting to "));
  g_assert_true (g_str_has_prefix (messages->pdata[1], "Capturing from "));
  g_assert_true (g_str_has_prefix (messages->pdata[messages->len - 1], "Stopped: "));
  fixture_free (self);
}

static void
test_udp (void)
{
  guint16 port = find_free_port ();
  g_autofree char *config = udp_config (port);
  Fixture *self = fixture_new (config, NULL);
  g_autofree char *path = test_data_path ("m4_short_udp.udprec");
  g_autofree char *imported = g_build_filename (self->folder, "import.vadb", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (TsRecording) a = NULL;
  g_autoptr (TsRecording) b = NULL;
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };
  gsize n_sent;
  int fd;

  fixture_start (self);
  WAIT (self, is_capturing);
  fd = make_sender (port);
  n_sent = send_records (self, "m4_short_udp.udprec", &fd, 1, TRUE);
  ts_capture_session_stop (self->session);
  WAIT (self, has_ended);
  assert_stopped (self);

  g_assert_true (ts_capture_session_get_summary (self->session, &summary));
  g_assert_cmpuint (summary.events, ==,
                    test_expected_events ("m4_short_udp.expected.json", "decoded"));
  g_assert_cmpint (summary.lost_events, ==, 0);
  g_assert_cmpuint (summary.raw_bytes, ==, n_sent);
  g_assert_true (ts_import_files (paths, "va-udprec", 0, TRUE, imported, NULL, NULL, NULL, NULL,
                                  NULL, &error));
  g_assert_no_error (error);
  a = ts_recording_open (self->output, &error);
  b = ts_recording_open (imported, &error);
  g_assert_no_error (error);
  test_assert_same_recordings (a, b);
  g_clear_object (&a);
  g_clear_object (&b);
  close (fd);
  ts_recording_summary_clear (&summary);
  fixture_free (self);
}

static void
test_udp_two_senders (void)
{
  guint16 port = find_free_port ();
  g_autofree char *config = udp_config (port);
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) rows = NULL;
  guint64 expected = test_expected_events ("m4_short_udp.expected.json", "decoded");
  guint64 n_of_core[2] = { 0, 0 };
  int fds[2];

  fixture_start (self);
  WAIT (self, is_capturing);
  fds[0] = make_sender (port);
  fds[1] = make_sender (port);
  send_records (self, "m4_short_udp.udprec", fds, 2, TRUE);
  ts_capture_session_stop (self->session);
  WAIT (self, has_ended);
  assert_stopped (self);

  recording = ts_recording_open (self->output, NULL);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 2 * expected);
  g_assert_cmpint (test_health (recording, "lost_events"), ==, 0);
  g_assert_cmpint (test_health (recording, "corrupt_bytes"), ==, 0);
  rows = test_rows (recording);
  for (guint i = 0; i < rows->len; i++)
    {
      const TsEvent *event = &g_array_index (rows, TsEvent, i);

      g_assert_cmpuint (event->core, <, 2);
      n_of_core[event->core] += ts_event_is_counted (event);
    }
  g_assert_cmpuint (n_of_core[0], ==, expected);
  g_assert_cmpuint (n_of_core[1], ==, expected);
  g_clear_object (&recording);
  close (fds[0]);
  close (fds[1]);
  fixture_free (self);
}

/* Dropping a running capture ends it properly, and no callback comes any more. */
static void
test_drop_while_running (void)
{
  Fixture *self = fixture_new ("{\"transport\": \"demo\", \"demo-rate\": 50000}", NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;

  fixture_start (self);
  WAIT (self, has_some_events);
  g_clear_object (&self->session);
  self->n_ended = 1; /* whatever comes now is too late */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  recording = ts_recording_open (self->output, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_events (recording), >=, 5000);
  g_clear_object (&recording);
  g_assert_cmpuint (test_folder_count (self->folder), ==, 1);
  fixture_free (self);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/capture/session/start-stop", test_start_stop);
  g_test_add_func ("/capture/session/signal-rate", test_signal_rate);
  g_test_add_func ("/capture/session/duration", test_duration);
  g_test_add_func ("/capture/session/file-equals-import", test_file_equals_import);
  g_test_add_func ("/capture/session/messages", test_messages);
  g_test_add_func ("/capture/session/udp", test_udp);
  g_test_add_func ("/capture/session/udp-two-senders", test_udp_two_senders);
  g_test_add_func ("/capture/session/drop-while-running", test_drop_while_running);

  return g_test_run ();
}
