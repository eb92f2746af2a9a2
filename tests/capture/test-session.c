/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session.c: captures from start to stop, as the main thread sees them, and what is on disk
 * afterwards. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture-test-util.h"

#define DEADLINE_S 60

/* A session with everything it told. */
typedef struct
{
  char *folder;
  char *output;
  TsCaptureSession *session;
  GArray *states;
  guint n_data;
  gint64 data_us;
  gint64 shortest_us;
  guint n_ended;
  guint n_after_end;
  guint n_notified;
} Fixture;

static void
on_state (GObject *object,
          GParamSpec *pspec,
          gpointer user_data)
{
  Fixture *fixture = user_data;
  int state = 0;

  g_object_get (object, "state", &state, NULL);
  g_assert_cmpint (state, ==, ts_capture_session_get_state (fixture->session));
  g_array_append_val (fixture->states, state);
  fixture->n_after_end += fixture->n_ended;
}

static void
on_events (GObject *object,
           GParamSpec *pspec,
           gpointer user_data)
{
  Fixture *fixture = user_data;

  fixture->n_notified++;
  fixture->n_after_end += fixture->n_ended;
}

static void
on_data (TsCaptureSession *session,
         gpointer user_data)
{
  Fixture *fixture = user_data;
  gint64 now_us = g_get_monotonic_time ();

  if (fixture->n_data > 0)
    fixture->shortest_us = MIN (fixture->shortest_us, now_us - fixture->data_us);
  fixture->data_us = now_us;
  fixture->n_data++;
  fixture->n_after_end += fixture->n_ended;
}

static void
on_ended (TsCaptureSession *session,
          gpointer user_data)
{
  Fixture *fixture = user_data;

  g_assert_cmpint (ts_capture_session_get_state (session), >=, TS_CAPTURE_STOPPED);
  fixture->n_ended++;
}

static TsConnection *
make_connection (const char *config)
{
  TsConnection *connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (ts_connection_load_data (connection, config, -1, "test", FALSE, &error));
  g_assert_no_error (error);

  return connection;
}

static Fixture *
fixture_new (const char *config,
             const TsCaptureOptions *options)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autoptr (TsConnection) connection = make_connection (config);
  TsCaptureOptions copy = { .keep_raw_log = TRUE };

  if (options != NULL)
    copy = *options;
  self->folder = test_folder_new ();
  self->output = g_build_filename (self->folder, "capture.vadb", NULL);
  self->states = g_array_new (FALSE, FALSE, sizeof (int));
  self->shortest_us = G_MAXINT64;
  if (copy.output == NULL)
    copy.output = self->output;
  self->session = ts_capture_session_new (connection, &copy);
  g_signal_connect (self->session, "notify::state", G_CALLBACK (on_state), self);
  g_signal_connect (self->session, "notify::events", G_CALLBACK (on_events), self);
  g_signal_connect (self->session, "data", G_CALLBACK (on_data), self);
  g_signal_connect (self->session, "ended", G_CALLBACK (on_ended), self);

  return self;
}

static void
fixture_start (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ts_capture_session_start (self->session, &error));
  g_assert_no_error (error);
}

static void
fixture_free (Fixture *self)
{
  g_assert_cmpuint (self->n_after_end, ==, 0);
  g_clear_object (&self->session);
  g_array_unref (self->states);
  g_free (self->output);
  test_folder_free (self->folder);
  g_free (self);
}

static gboolean
on_deadline (gpointer user_data)
{
  g_error ("nothing happened in a minute: %s", (const char *) user_data);

  return G_SOURCE_REMOVE;
}

typedef gboolean (*Condition) (Fixture *self);

static void
wait_for (Fixture *self,
          Condition condition,
          const char *what)
{
  guint deadline = g_timeout_add_seconds (DEADLINE_S, on_deadline, (gpointer) what);

  while (!condition (self))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
}

#define WAIT(fixture, condition) wait_for (fixture, condition, #condition)

static gboolean
has_ended (Fixture *self)
{
  return self->n_ended > 0;
}

static gboolean
is_capturing (Fixture *self)
{
  return ts_capture_session_get_state (self->session) >= TS_CAPTURE_CAPTURING;
}

static gboolean
has_some_events (Fixture *self)
{
  TsCaptureStats stats;

  ts_capture_session_get_stats (self->session, &stats);

  return stats.events >= 5000 || self->n_ended > 0;
}

static gboolean
has_overrun (Fixture *self)
{
  TsCaptureStats stats;

  ts_capture_session_get_stats (self->session, &stats);

  return stats.ring_overruns > 0;
}

static void
assert_failed (Fixture *self,
               TsCaptureError code,
               const char *const *words)
{
  const GError *error = ts_capture_session_get_error (self->session);
  const char *message = ts_capture_session_get_message (self->session);

  g_test_message ("%s", message);
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_FAILED);
  g_assert_error (error, TS_CAPTURE_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
  for (gsize i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (message, words[i]));
}

#define ASSERT_FAILED(fixture, code, ...)                                                          \
  assert_failed (fixture, code, (const char *const[]){ __VA_ARGS__, NULL })

static void
assert_stopped (Fixture *self)
{
  g_assert_no_error (ts_capture_session_get_error (self->session));
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_STOPPED);
}

/* ---- UDP ---- */

static guint16
find_free_port (void)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &address, &length), ==, 0);
  close (fd);

  return ntohs (address.sin_port);
}

static int
make_sender (guint16 port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);

  return fd;
}

static char *
udp_config (guint16 port)
{
  return g_strdup_printf ("{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u}",
                          port);
}

/* Sends the datagrams of a record file to all of @fds, waiting for the session now and then so that
 * nothing runs over. Returns bytes. */
static gsize
send_records (Fixture *self,
              const char *name,
              const int *fds,
              guint n_fds,
              gboolean is_gentle)
{
  g_autoptr (GBytes) file = test_data_bytes (name);
  gsize length = 0, n_sent = 0;
  const guint8 *data = g_bytes_get_data (file, &length);
  guint n_datagrams = 0;

  for (gsize i = 0; i + 6 <= length; n_datagrams++)
    {
      gsize n = (gsize) (data[i + 4] | data[i + 5] << 8);

      for (guint k = 0; k < n_fds; k++)
        g_assert_cmpint (send (fds[k], data + i + 6, n, 0), ==, (gssize) n);
      n_sent += n_fds * n;
      i += 6 + n;

      while (is_gentle && (n_datagrams % 16 == 15 || i + 6 > length))
        {
          TsCaptureStats stats;

          ts_capture_session_get_stats (self->session, &stats);
          if (stats.bytes >= n_sent)
            break;
          g_main_context_iteration (NULL, TRUE);
        }
    }

  return n_sent;
}

/* ---- tests ---- */

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
  int fd;

  fixture_start (self);
  WAIT (self, has_ended);
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_EMPTY, "No byte", number, "firewall");
  g_assert_false (ts_capture_session_get_summary (self->session, &summary));
  g_assert_null (ts_capture_session_dup_recording (self->session, NULL));
  g_assert_cmpuint (test_folder_count (self->folder), ==, 0);
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
    { "{\"transport\": \"stlink-rambuf\"}", TS_CAPTURE_ERROR_NOT_BUILT },
    { "{\"transport\": \"swo-tcp\", \"swo-tcp-port\": 3344}", TS_CAPTURE_ERROR_NOT_BUILT },
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
  ASSERT_FAILED (self, TS_CAPTURE_ERROR_WRITE, "x.vadb");
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
  TsRecording *recording;
  g_autoptr (GError) error = NULL;

  g_setenv ("TASKSCOPE_TEST_OUTPUT", output, TRUE);
  g_test_trap_subprocess (path, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  if (must_pass)
    g_test_trap_assert_passed ();
  else
    g_test_trap_assert_failed ();
  recording = ts_recording_open (output, &error);
  g_assert_no_error (error);

  return recording;
}

static void
test_disk_full (void)
{
  char *folder = test_folder_new ();
  g_autoptr (TsRecording) recording
      = run_child ("/capture/session/disk-full/subprocess", folder, TRUE);

  /* 6 MiB hold a hundred thousand rows with their bytes */
  g_assert_cmpuint (ts_recording_get_n_events (recording), >, 1000);
  g_clear_object (&recording);
  test_folder_free (folder);
}

static void
test_kill (void)
{
  char *folder = test_folder_new ();
  g_autoptr (TsRecording) recording = run_child ("/capture/session/kill/subprocess", folder, FALSE);
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

  g_test_add_func ("/capture/session/start-stop", test_start_stop);
  g_test_add_func ("/capture/session/signal-rate", test_signal_rate);
  g_test_add_func ("/capture/session/duration", test_duration);
  g_test_add_func ("/capture/session/file-equals-import", test_file_equals_import);
  g_test_add_func ("/capture/session/udp", test_udp);
  g_test_add_func ("/capture/session/udp-two-senders", test_udp_two_senders);
  g_test_add_data_func ("/capture/session/overrun-linear", GINT_TO_POINTER (TS_RING_LINEAR),
                        test_overrun);
  g_test_add_data_func ("/capture/session/overrun-overwrite", GINT_TO_POINTER (TS_RING_OVERWRITE),
                        test_overrun);
  g_test_add_func ("/capture/session/empty", test_empty);
  g_test_add_func ("/capture/session/port-in-use", test_port_in_use);
  g_test_add_func ("/capture/session/cannot-write", test_cannot_write);
  g_test_add_func ("/capture/session/stop-while-connecting", test_stop_while_connecting);
  g_test_add_func ("/capture/session/cannot-start", test_cannot_start);
  g_test_add_func ("/capture/session/vanished-device", test_vanished_device);
  g_test_add_func ("/capture/session/drop-while-running", test_drop_while_running);
  g_test_add_func ("/capture/session/disk-full", test_disk_full);
  g_test_add_func ("/capture/session/disk-full/subprocess", test_disk_full_child);
  g_test_add_func ("/capture/session/kill", test_kill);
  g_test_add_func ("/capture/session/kill/subprocess", test_kill_child);

  return g_test_run ();
}
