/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session-failures.c: captures that go wrong: each ends with one clear sentence, and what was
 * captured before is kept. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session-fixture.h"

/* A source that is always ahead of the decoder: the duration, a stop and a file without a packet are
 * noticed all the same. */
static void
test_endless_file (void)
{
  char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "huge.bin", NULL);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"file\", \"file-path\": \"%s\", \"file-format\": \"va-cobs\"}", path);
  g_autoptr (GBytes) bytes = test_data_bytes ("m4_short.cobs");
  int fd = open (path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  TsCaptureStats stats;
  Fixture *self;

  if (ftruncate (fd, G_GINT64_CONSTANT (1099511627776)) != 0)
    {
      g_test_skip ("no sparse files here");
      close (fd);
      test_folder_free (folder);
      return;
    }

  self = fixture_new (config, NULL);
  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_EMPTY, "huge.bin");
  fixture_free (self);

  /* packets, then a terabyte of nothing */
  g_assert_cmpint (pwrite (fd, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 0), ==,
                   (gssize) g_bytes_get_size (bytes));
  self = fixture_new (config, &(TsCaptureOptions) { .duration_ms = 200 });
  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  ts_capture_session_get_stats (self->session, &stats);
  g_assert_cmpuint (stats.events, ==,
                    test_expected_events ("m4_short.expected.json", "decoded"));
  fixture_free (self);

  self = fixture_new (config, &(TsCaptureOptions) { .keep_raw_log = FALSE });
  fixture_start (self);
  WAIT (self, has_some_events);
  ts_capture_session_stop (self->session);
  WAIT (self, has_ended);
  assert_stopped (self);
  fixture_free (self);

  close (fd);
  test_folder_free (folder);
}

/* A ring much too small: what is lost is counted to the byte and marked in place. */
static void
test_overrun (gconstpointer data)
{
  TsRingMode mode = (TsRingMode) GPOINTER_TO_INT (data);
  guint16 port = find_free_port ();
  g_autofree char *config = udp_config (port);
  Fixture *self = fixture_new (
      config, &(TsCaptureOptions){ .ring_mode = mode, .ring_bytes = 1, .keep_raw_log = TRUE });
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) rows = NULL;
  TsCaptureStats stats;
  guint n_marks;
  int fd;

  fixture_start (self);
  WAIT (self, is_capturing);
  fd = make_sender (port);
  while (!has_overrun (self))
    {
      send_records (self, "m4_short_udp.udprec", &fd, 1, FALSE);
      g_main_context_iteration (NULL, FALSE);
    }
  ts_capture_session_stop (self->session);
  WAIT (self, has_ended);
  assert_stopped (self);

  ts_capture_session_get_stats (self->session, &stats);
  g_assert_cmpuint (stats.ring_overruns, >, 0);
  g_assert_cmpuint (stats.ring_dropped_bytes, >, 0);
  recording = ts_recording_open (self->output, NULL);
  g_assert_cmpint (test_health (recording, "ring_overruns"), ==, (gint64) stats.ring_overruns);
  g_assert_cmpint (test_health (recording, "ring_dropped_bytes"), ==,
                   (gint64) stats.ring_dropped_bytes);
  g_assert_cmpint (test_health (recording, "raw_bytes") + (gint64) stats.ring_dropped_bytes, ==,
                   (gint64) stats.bytes);
  rows = test_rows (recording);
  n_marks = test_count_kind (rows, TS_EVENT_DATA_LOSS) + test_count_kind (rows, TS_EVENT_CORRUPT);
  g_assert_cmpuint (n_marks, >, 0);
  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  " bytes dropped in %" G_GUINT64_FORMAT " overruns, %u marks",
                  stats.ring_dropped_bytes, stats.bytes, stats.ring_overruns, n_marks);
  g_clear_object (&recording);
  close (fd);
  fixture_free (self);
}

static void
test_empty (void)
{
  guint16 port = find_free_port ();
  g_autofree char *config = udp_config (port);
  g_autofree char *number = g_strdup_printf ("%u", port);
  TsRecordingSummary summary;
  Fixture *self = fixture_new (config, &(TsCaptureOptions) { .duration_ms = 50 });
  g_autofree char *kept = NULL;
  int fd;

  /* a capture that brings nothing does not cost the older recording of that name */
  g_assert_true (g_file_set_contents (self->output, "older", -1, NULL));
  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_EMPTY, "No byte", number, "firewall");
  g_assert_false (ts_capture_session_get_summary (self->session, &summary));
  g_assert_null (ts_capture_session_dup_recording (self->session, NULL));
  g_assert_cmpuint (test_folder_count (self->folder), ==, 1);
  g_assert_true (g_file_get_contents (self->output, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "older");
  fixture_free (self);

  self = fixture_new (config, NULL);
  fixture_start (self);
  WAIT (self, is_capturing);
  fd = make_sender (port);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (send (fd, "this is not a recorder", 22, 0), ==, 22);
  /* a stop takes in what has arrived */
  ts_capture_session_stop (self->session);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_EMPTY, "440 bytes", "cobs");
  g_assert_cmpuint (test_folder_count (self->folder), ==, 0);
  close (fd);
  fixture_free (self);
}

static void
test_port_in_use (void)
{
  guint16 port = find_free_port ();
  g_autofree char *config = udp_config (port);
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  Fixture *self = fixture_new (config, NULL);
  g_autofree char *kept = NULL;

  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_true (g_file_set_contents (self->output, "older", -1, NULL));
  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_CONNECT, "in use");
  /* a capture that never began does not cost the older recording of that name */
  g_assert_true (g_file_get_contents (self->output, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "older");
  close (fd);
  fixture_free (self);
}

static void
test_cannot_write (void)
{
  g_autofree char *file = test_data_path ("m4_short.cobs");
  g_autofree char *below_a_file = g_build_filename (file, "x.vadb", NULL);
  Fixture *self
      = fixture_new ("{\"transport\": \"demo\"}", &(TsCaptureOptions){ .output = below_a_file });

  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_WRITE, "x.vadb");
  fixture_free (self);

  self = fixture_new ("{\"transport\": \"demo\"}", &(TsCaptureOptions){ .output = "/proc/x.vadb" });
  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_WRITE, "x.vadb");
  fixture_free (self);
}

static void
test_stop_while_connecting (void)
{
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"tcp\", \"tcp-host\": \"127.0.0.1\", \"tcp-port\": %u}", find_free_port ());
  Fixture *self = fixture_new (config, NULL);

  fixture_start (self);
  ts_capture_session_stop (self->session);
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_STOPPING);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_EMPTY, "127.0.0.1");
  g_assert_cmpuint (test_folder_count (self->folder), ==, 0);
  fixture_free (self);
}

static void
test_cannot_start (void)
{
  static const struct
  {
    const char *config;
    TsCaptureError code;
  } cases[] = {
#ifndef TS_HAVE_JAYLINK
    { "{\"transport\": \"jlink-rambuf\"}", TS_CAPTURE_ERROR_NOT_BUILT },
#endif
    { "{\"transport\": \"swo-tcp\"}", TS_CAPTURE_ERROR_BAD_CONFIG },
    { "{\"transport\": \"serial\"}", TS_CAPTURE_ERROR_BAD_CONFIG },
    { "{}", TS_CAPTURE_ERROR_BAD_CONFIG },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Fixture *self = fixture_new (cases[i].config, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (ts_capture_session_start (self->session, &error));
      g_assert_error (error, TS_CAPTURE_ERROR, (gint) cases[i].code);
      g_test_message ("%s", error->message);
      g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_FAILED);
      g_assert_cmpstr (ts_capture_session_get_message (self->session), ==, error->message);
      ts_capture_session_stop (self->session);
      fixture_free (self);
    }
}

static void
test_vanished_device (void)
{
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_autoptr (GBytes) file = test_data_bytes ("m4_short.cobs");
  gsize length = 0, n_written = 0;
  const guint8 *data = g_bytes_get_data (file, &length);
  g_autofree char *config = NULL;
  g_autofree char *reason = NULL;
  g_autoptr (TsRecording) recording = NULL;
  TsRecordingSummary summary = { 0 };
  TsCaptureStats stats = { 0 };
  Fixture *self;

  g_assert_cmpint (grantpt (master), ==, 0);
  g_assert_cmpint (unlockpt (master), ==, 0);
  config
      = g_strdup_printf ("{\"transport\": \"serial\", \"serial-port\": \"%s\"}", ptsname (master));
  self = fixture_new (config, NULL);
  fixture_start (self);
  WAIT (self, is_capturing);
  while (n_written < length)
    {
      gssize n = write (master, data + n_written, MIN (length - n_written, 4096));

      g_assert_cmpint (n, >, 0);
      n_written += (gsize) n;
    }
  while (stats.bytes < length)
    {
      g_main_context_iteration (NULL, TRUE);
      ts_capture_session_get_stats (self->session, &stats);
    }
  close (master);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_LOST, "vanished", "kept");

  g_assert_true (ts_capture_session_get_summary (self->session, &summary));
  g_assert_cmpuint (summary.events, ==, test_expected_events ("m4_short.expected.json", "decoded"));
  recording = ts_recording_open (self->output, NULL);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, summary.events);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_nonnull (strstr (reason, "vanished"));
  g_clear_object (&recording);
  ts_recording_summary_clear (&summary);
  fixture_free (self);
}

/* A full disk, played by a limit on the size of files. */
static void
test_disk_full_child (void)
{
  const char *output = g_getenv ("TASKSCOPE_TEST_OUTPUT");
  /* some commits fit, even if the first comes late: what is not committed is lost, as on a real
   * disk */
  struct rlimit limit = { 6 * 1024 * 1024, 6 * 1024 * 1024 };
  Fixture *self;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  self = fixture_new ("{\"transport\": \"demo\", \"demo-rate\": 60000}",
                      &(TsCaptureOptions){ .output = output, .keep_raw_log = TRUE });
  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_WRITE, "x.vadb", "kept as", "x.vadb~");
  fixture_free (self);
}

static void
test_kill_child (void)
{
  const char *output = g_getenv ("TASKSCOPE_TEST_OUTPUT");
  Fixture *self = fixture_new (
      "{\"transport\": \"demo\", \"demo-rate\": 50000}",
      &(TsCaptureOptions){ .output = output, .keep_raw_log = TRUE, .duration_ms = 60000 });

  fixture_start (self);
  for (;;)
    {
      TsCaptureStats stats;

      g_main_context_iteration (NULL, TRUE);
      ts_capture_session_get_stats (self->session, &stats);
      if (stats.events >= 50000)
        kill (getpid (), SIGKILL);
    }
}

static TsRecording *
run_child (const char *path,
           const char *folder,
           gboolean must_pass)
{
  g_autofree char *output = g_build_filename (folder, "x.vadb", NULL);
  g_autofree char *aside = g_strconcat (output, "~", NULL);
  g_autofree char *kept = NULL;
  TsRecording *recording;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (output, "older", -1, NULL));
  g_setenv ("TASKSCOPE_TEST_OUTPUT", output, TRUE);
  g_test_trap_subprocess (path, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  if (must_pass)
    g_test_trap_assert_passed ();
  else
    g_test_trap_assert_failed ();
  recording = ts_recording_open (output, &error);
  g_assert_no_error (error);

  /* it ended badly, so what had that name before is there too */
  g_assert_true (g_file_get_contents (aside, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "older");

  return recording;
}

static void
test_disk_full (void)
{
  char *folder = test_folder_new ();
  g_autoptr (TsRecording) recording
      = run_child ("/capture/session-failures/disk-full/subprocess", folder, TRUE);

  /* 6 MiB hold a hundred thousand rows with their bytes */
  g_assert_cmpuint (ts_recording_get_n_events (recording), >, 1000);
  g_clear_object (&recording);
  test_folder_free (folder);
}

static void
test_kill (void)
{
  char *folder = test_folder_new ();
  g_autoptr (TsRecording) recording = run_child ("/capture/session-failures/kill/subprocess", folder, FALSE);
  g_autofree char *reason = ts_recording_dup_health (recording, "end_reason");

  /* at most the last 250 ms are missing, at 50 000 events/s; health is as old as the rows */
  g_assert_cmpuint (ts_recording_get_n_events (recording), >, 25000);
  g_assert_cmpint (test_health (recording, "raw_bytes"), >, 100000);
  g_assert_cmpint (test_health (recording, "lost_events"), ==, 0);
  g_assert_cmpstr (reason, ==, "not closed");
  g_clear_object (&recording);
  test_folder_free (folder);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/capture/session-failures/endless-file", test_endless_file);
  g_test_add_data_func ("/capture/session-failures/overrun-linear", GINT_TO_POINTER (TS_RING_LINEAR),
                        test_overrun);
  g_test_add_data_func ("/capture/session-failures/overrun-overwrite", GINT_TO_POINTER (TS_RING_OVERWRITE),
                        test_overrun);
  g_test_add_func ("/capture/session-failures/empty", test_empty);
  g_test_add_func ("/capture/session-failures/port-in-use", test_port_in_use);
  g_test_add_func ("/capture/session-failures/cannot-write", test_cannot_write);
  g_test_add_func ("/capture/session-failures/stop-while-connecting", test_stop_while_connecting);
  g_test_add_func ("/capture/session-failures/cannot-start", test_cannot_start);
  g_test_add_func ("/capture/session-failures/vanished-device", test_vanished_device);
  g_test_add_func ("/capture/session-failures/disk-full", test_disk_full);
  g_test_add_func ("/capture/session-failures/disk-full/subprocess", test_disk_full_child);
  g_test_add_func ("/capture/session-failures/kill", test_kill);
  g_test_add_func ("/capture/session-failures/kill/subprocess", test_kill_child);

  return g_test_run ();
}
