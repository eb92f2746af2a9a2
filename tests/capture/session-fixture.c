/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session-fixture.c: starts a capture session, waits for what it tells, and sends it datagrams. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session-fixture.h"

#define DEADLINE_S 60


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

Fixture *
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

void
fixture_start (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ts_capture_session_start (self->session, &error));
  g_assert_no_error (error);
}

void
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

void
wait_for (Fixture *self,
          Condition condition,
          const char *what)
{
  guint deadline = g_timeout_add_seconds (DEADLINE_S, on_deadline, (gpointer) what);

  while (!condition (self))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
}

gboolean
has_ended (Fixture *self)
{
  return self->n_ended > 0;
}

gboolean
is_capturing (Fixture *self)
{
  return ts_capture_session_get_state (self->session) >= TS_CAPTURE_CAPTURING;
}

gboolean
has_some_events (Fixture *self)
{
  TsCaptureStats stats;

  ts_capture_session_get_stats (self->session, &stats);

  return stats.events >= 5000 || self->n_ended > 0;
}

gboolean
has_overrun (Fixture *self)
{
  TsCaptureStats stats;

  ts_capture_session_get_stats (self->session, &stats);

  return stats.ring_overruns > 0;
}

void
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

void
assert_stopped (Fixture *self)
{
  g_assert_no_error (ts_capture_session_get_error (self->session));
  g_assert_cmpint (ts_capture_session_get_state (self->session), ==, TS_CAPTURE_STOPPED);
}

/* ---- UDP ---- */

guint16
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

int
make_sender (guint16 port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);

  return fd;
}

char *
udp_config (guint16 port)
{
  return g_strdup_printf ("{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u}",
                          port);
}

/* Sends the datagrams of a record file to all of @fds, waiting for the session now and then so that
 * nothing runs over. Returns bytes. */
gsize
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
