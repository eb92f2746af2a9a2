/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-sources.c: each source alone: what it reads, how it ends, and what it says when it cannot.
 */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/ts-demo-target.h"
#include "capture/ts-source.h"

#define DEADLINE_US (60 * G_USEC_PER_SEC)
#define MAX_SOURCES 128

/* A source on a thread of its own, and what it gave out. */
typedef struct
{
  TsSource *source;
  GThread *thread;
  GCancellable *cancellable;
  GMutex lock;
  GCond changed;
  GByteArray *bytes[MAX_SOURCES];
  gsize n_bytes;
  gint64 first_us;
  gint64 last_us;
  guint n_reconnected;
  guint64 n_datagrams_dropped;
  guint64 n_ignored;
  GPtrArray *messages;
  gboolean is_ended;
  gboolean result;
  GError *error;
} Run;

static gboolean
run_emit (guint32 source_id,
          gint64 host_us,
          const guint8 *bytes,
          gsize n_bytes,
          gpointer user_data)
{
  Run *run = user_data;

  g_mutex_lock (&run->lock);
  g_assert_cmpuint (source_id, <, MAX_SOURCES);
  if (run->bytes[source_id] == NULL)
    run->bytes[source_id] = g_byte_array_new ();
  g_byte_array_append (run->bytes[source_id], bytes, (guint) n_bytes);
  if (run->n_bytes == 0)
    run->first_us = host_us;
  g_assert_cmpint (host_us, >=, run->last_us);
  run->last_us = host_us;
  run->n_bytes += n_bytes;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);

  return TRUE;
}

static void
run_note (TsSourceNote note,
          guint64 n,
          const char *text,
          gpointer user_data)
{
  Run *run = user_data;

  g_mutex_lock (&run->lock);
  if (note == TS_SOURCE_NOTE_RECONNECTED)
    run->n_reconnected += (guint) n;
  else if (note == TS_SOURCE_NOTE_DATAGRAMS_DROPPED)
    run->n_datagrams_dropped += n;
  else if (note == TS_SOURCE_NOTE_BYTES_IGNORED)
    run->n_ignored += n;
  if (text != NULL)
    g_ptr_array_add (run->messages, g_strdup (text));
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
}

static gpointer
run_main (gpointer data)
{
  Run *run = data;
  gboolean result;

  result = run->source->klass->run (run->source, run_emit, run, run->cancellable, &run->error);
  g_mutex_lock (&run->lock);
  run->result = result;
  run->is_ended = TRUE;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);

  return NULL;
}

static Run *
run_new (const char *config)
{
  Run *run = g_new0 (Run, 1);
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (ts_connection_load_data (connection, config, -1, "test", FALSE, &error));
  g_assert_no_error (error);
  run->source = ts_source_new (connection, &error);
  g_assert_no_error (error);
  run->cancellable = g_cancellable_new ();
  run->messages = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
  run->source->notify = run_note;
  run->source->notify_data = run;

  return run;
}

static gboolean
run_open (Run *run,
          GError **error)
{
  gboolean is_open = run->source->klass->open (run->source, run->cancellable, error);

  g_assert_true (is_open || error == NULL || *error != NULL);

  return is_open;
}

static void
run_start (Run *run)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (run_open (run, &error));
  g_assert_no_error (error);
  run->thread = g_thread_new ("source", run_main, run);
}

typedef gboolean (*RunCondition) (Run *run,
                                  gpointer data);

static void
run_wait (Run *run,
          RunCondition condition,
          gpointer data)
{
  gint64 deadline = g_get_monotonic_time () + DEADLINE_US;

  g_mutex_lock (&run->lock);
  while (!condition (run, data))
    if (!g_cond_wait_until (&run->changed, &run->lock, deadline))
      g_error ("nothing more came in a minute");
  g_mutex_unlock (&run->lock);
}

static gboolean
has_bytes (Run *run,
           gpointer data)
{
  return run->n_bytes >= GPOINTER_TO_SIZE (data);
}

static gboolean
is_ended (Run *run,
          gpointer data)
{
  return run->is_ended;
}

static gboolean
has_reconnected (Run *run,
                 gpointer data)
{
  return run->n_reconnected >= GPOINTER_TO_UINT (data);
}

static void
run_cancel (Run *run)
{
  g_cancellable_cancel (run->cancellable);
  run_wait (run, is_ended, NULL);
  g_assert_no_error (run->error);
  g_assert_true (run->result);
}

static void
run_free (Run *run)
{
  if (run->thread != NULL)
    g_thread_join (run->thread);
  ts_source_free (run->source);
  g_object_unref (run->cancellable);
  g_ptr_array_unref (run->messages);
  for (guint i = 0; i < MAX_SOURCES; i++)
    if (run->bytes[i] != NULL)
      g_byte_array_unref (run->bytes[i]);
  g_clear_error (&run->error);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->changed);
  g_free (run);
}

/* Opening must fail with a message that holds every one of the words. */
static void
assert_open_fails (const char *config,
                   TsCaptureError code,
                   const char *const *words)
{
  Run *run = run_new (config);
  g_autoptr (GError) error = NULL;

  g_assert_false (run_open (run, &error));
  g_test_message ("%s: %s", config, error->message);
  g_assert_error (error, TS_CAPTURE_ERROR, (gint) code);
  for (gsize i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
  run_free (run);
}

#define OPEN_FAILS(config, code, ...)                                                              \
  assert_open_fails (config, code, (const char *const[]){ __VA_ARGS__, NULL })

static GByteArray *
read_test_file (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("TASKSCOPE_TEST_DATA"), name, NULL);
  char *data = NULL;
  gsize length = 0;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);

  return g_byte_array_new_take ((guint8 *) data, length);
}

/* ---- UDP ---- */

static int
make_sender (int family)
{
  int fd = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (fd, >=, 0);

  return fd;
}

static guint16
find_free_port (int family,
                int type)
{
  struct sockaddr_storage address = { .ss_family = (sa_family_t) family };
  socklen_t length = sizeof address;
  int fd = socket (family, type | SOCK_CLOEXEC, 0);
  guint16 port;

  g_assert_cmpint (
      bind (fd, (struct sockaddr *) &address,
            family == AF_INET ? sizeof (struct sockaddr_in) : sizeof (struct sockaddr_in6)),
      ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &address, &length), ==, 0);
  port = family == AF_INET ? ((struct sockaddr_in *) &address)->sin_port
                           : ((struct sockaddr_in6 *) &address)->sin6_port;
  close (fd);

  return ntohs (port);
}

static void
send_to (int fd,
         guint16 port,
         const guint8 *bytes,
         gsize n_bytes)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };

  g_assert_cmpint (sendto (fd, bytes, n_bytes, 0, (struct sockaddr *) &address, sizeof address), ==,
                   (gssize) n_bytes);
}

static void
test_udp_two_senders (void)
{
  guint16 port = find_free_port (AF_INET, SOCK_DGRAM);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u}", port);
  g_autoptr (GByteArray) file = read_test_file ("m4_short_udp.udprec");
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  Run *run = run_new (config);
  int senders[2] = { make_sender (AF_INET), make_sender (AF_INET) };
  g_autofree char *description = run->source->klass->describe (run->source);
  gsize n_sent = 0;
  guint n_datagrams = 0;

  g_assert_cmpstr (run->source->klass->format (run->source), ==, "va-cobs");
  g_assert_nonnull (strstr (description, "127.0.0.1"));
  run_start (run);
  for (gsize i = 0; i + 6 <= file->len; n_datagrams++)
    {
      gsize n = (gsize) (file->data[i + 4] | file->data[i + 5] << 8);

      g_byte_array_append (payload, file->data + i + 6, (guint) n);
      send_to (senders[0], port, file->data + i + 6, n);
      send_to (senders[1], port, file->data + i + 6, n);
      n_sent += 2 * n;
      i += 6 + n;
      if (n_datagrams % 16 == 0)
        run_wait (run, has_bytes, GSIZE_TO_POINTER (n_sent));
    }
  run_wait (run, has_bytes, GSIZE_TO_POINTER (n_sent));
  run_cancel (run);

  /* m4_short_udp.expected.json: 214 datagrams in 97762 bytes of records with headers of 6 bytes */
  g_assert_cmpuint (n_datagrams, ==, 214);
  g_assert_cmpuint (payload->len, ==, 97762 - 214 * 6);
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, payload->data, payload->len);
  g_assert_cmpmem (run->bytes[1]->data, run->bytes[1]->len, payload->data, payload->len);
  g_assert_null (run->bytes[2]);
  g_assert_cmpuint (run->n_datagrams_dropped, ==, 0);

  close (senders[0]);
  close (senders[1]);
  run_free (run);
}

static void
test_udp_many_senders (void)
{
  guint16 port = find_free_port (AF_INET, SOCK_DGRAM);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u, \"cobs\": false}",
      port);
  Run *run = run_new (config);
  int fds[70];
  guint n_used = 0;

  g_assert_cmpstr (run->source->klass->format (run->source), ==, "va");
  run_start (run);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    {
      guint8 byte = (guint8) i;

      fds[i] = make_sender (AF_INET);
      send_to (fds[i], port, &byte, 1);
      if (i < 64)
        run_wait (run, has_bytes, GSIZE_TO_POINTER (i + 1));
    }
  /* the first sender again: after it, the six that are too many have been seen */
  send_to (fds[0], port, (const guint8 *) "x", 1);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (65));
  run_cancel (run);

  for (guint i = 0; i < MAX_SOURCES; i++)
    n_used += run->bytes[i] != NULL;
  g_assert_cmpuint (n_used, ==, 64);
  for (guint i = 1; i < 64; i++)
    g_assert_cmpmem (run->bytes[i]->data, run->bytes[i]->len, (&(guint8) { (guint8) i }), 1);
  g_assert_cmpuint (run->n_ignored, ==, 6);

  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    close (fds[i]);
  run_free (run);
}

static void
test_udp_system_drops (void)
{
  guint16 port = find_free_port (AF_INET, SOCK_DGRAM);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u}", port);
  Run *run = run_new (config);
  int fd = make_sender (AF_INET);
  guint8 datagram[1400] = { 0 };
  const guint n_sent = 40000;
  guint n_received;

  /* bound but not read: the socket's buffer must run over */
  g_assert_true (run_open (run, NULL));
  for (guint i = 0; i < n_sent; i++)
    send_to (fd, port, datagram, sizeof datagram);
  run->thread = g_thread_new ("source", run_main, run);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (sizeof datagram));
  run_cancel (run);
  n_received = (guint) (run->n_bytes / sizeof datagram);
  run_free (run);
  g_assert_cmpuint (n_received, <, n_sent);

  /* again, with one more datagram that carries the news */
  run = run_new (config);
  g_assert_true (run_open (run, NULL));
  for (guint i = 0; i < n_sent; i++)
    send_to (fd, port, datagram, sizeof datagram);
  run->thread = g_thread_new ("source", run_main, run);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (sizeof datagram));
  do
    {
      gsize n_before;

      g_mutex_lock (&run->lock);
      n_before = run->n_bytes;
      g_mutex_unlock (&run->lock);
      send_to (fd, port, (const guint8 *) "x", 1);
      run_wait (run, has_bytes, GSIZE_TO_POINTER (n_before + 1));
    }
  while (run->bytes[0]->data[run->bytes[0]->len - 1] != 'x');
  run_cancel (run);
  n_received = (guint) (run->n_bytes / sizeof datagram);
  g_assert_cmpuint (run->n_datagrams_dropped, >=, n_sent - n_received);
  g_assert_cmpuint (run->n_datagrams_dropped, <, n_sent);
  run_free (run);
  close (fd);
}

static void
test_udp_refusals (void)
{
  guint16 port = find_free_port (AF_INET, SOCK_DGRAM);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u}", port);
  g_autofree char *number = g_strdup_printf ("%u", port);
  Run *run = run_new (config);

  run_start (run);
  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, number, "in use", "udp-port");
  run_cancel (run);
  run_free (run);

  OPEN_FAILS ("{\"transport\": \"udp\", \"udp-ip\": \"somewhere\"}", TS_CAPTURE_ERROR_BAD_CONFIG,
              "udp-ip", "somewhere");
  OPEN_FAILS ("{\"transport\": \"udp\", \"udp-ip\": \"203.0.113.7\"}", TS_CAPTURE_ERROR_CONNECT,
              "203.0.113.7", "udp-ip");
}

static void
test_udp_ipv6 (void)
{
  struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
  int fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  g_autofree char *config = NULL;
  guint16 port;
  Run *run;
  int fd4;

  if (fd < 0 || bind (fd, (struct sockaddr *) &address, sizeof address) != 0)
    {
      g_test_skip ("no IPv6 here");
      return;
    }
  port = find_free_port (AF_INET6, SOCK_DGRAM);
  config = g_strdup_printf ("{\"transport\": \"udp\", \"udp-ip\": \"::\", \"udp-port\": %u}", port);
  run = run_new (config);
  run_start (run);

  address.sin6_port = htons (port);
  g_assert_cmpint (sendto (fd, "six", 3, 0, (struct sockaddr *) &address, sizeof address), ==, 3);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (3));
  /* "::" also takes IPv4 senders */
  fd4 = make_sender (AF_INET);
  send_to (fd4, port, (const guint8 *) "four", 4);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (7));
  run_cancel (run);
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, "six", 3);
  g_assert_cmpmem (run->bytes[1]->data, run->bytes[1]->len, "four", 4);
  run_free (run);
  close (fd);
  close (fd4);
}

/* ---- TCP ---- */

static int
make_listener (guint16 *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons (*port),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;

  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (listen (fd, 4), ==, 0);
  g_assert_cmpint (getsockname (fd, (struct sockaddr *) &address, &length), ==, 0);
  *port = ntohs (address.sin_port);

  return fd;
}

static void
write_all (int fd,
           const void *bytes,
           gsize n_bytes)
{
  const guint8 *p = bytes;

  while (n_bytes > 0)
    {
      gssize n = write (fd, p, n_bytes);

      g_assert_cmpint (n, >, 0);
      p += n;
      n_bytes -= (gsize) n;
    }
}

static void
test_tcp_reconnect (void)
{
  guint16 port = 0;
  int listener = make_listener (&port);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"tcp\", \"tcp-host\": \"127.0.0.1\", \"tcp-port\": %u}", port);
  Run *run = run_new (config);
  int peer;

  run_start (run);
  peer = accept (listener, NULL, NULL);
  write_all (peer, "first ", 6);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (6));
  close (peer);

  peer = accept (listener, NULL, NULL);
  run_wait (run, has_reconnected, GUINT_TO_POINTER (1));
  write_all (peer, "second", 6);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (12));

  /* closed for good, in order: the source has ended */
  close (listener);
  close (peer);
  run_wait (run, is_ended, NULL);
  g_assert_no_error (run->error);
  g_assert_true (run->result);
  g_assert_cmpuint (run->n_reconnected, ==, 1);
  g_assert_cmpuint (run->messages->len, >=, 2);
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, "first second", 12);
  run_free (run);
}

static void
test_tcp_reset (void)
{
  guint16 port = 0;
  int listener = make_listener (&port);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"tcp\", \"tcp-host\": \"127.0.0.1\", \"tcp-port\": %u}", port);
  struct linger linger = { 1, 0 };
  Run *run = run_new (config);
  int peer;

  run_start (run);
  peer = accept (listener, NULL, NULL);
  write_all (peer, "x", 1);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (1));
  close (listener);
  setsockopt (peer, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close (peer); /* a reset, not a close */
  run_wait (run, is_ended, NULL);
  g_assert_error (run->error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
  g_assert_nonnull (strstr (run->error->message, "kept"));
  run_free (run);
}

static gpointer
late_server_main (gpointer data)
{
  Run *run = data;
  guint16 port = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (run->cancellable), "port"));
  int listener, peer;

  /* not before the source has said that it waits */
  g_mutex_lock (&run->lock);
  while (run->messages->len == 0)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
  listener = make_listener (&port);
  peer = accept (listener, NULL, NULL);
  write_all (peer, "late", 4);
  close (listener);

  return GINT_TO_POINTER (peer);
}

static void
test_tcp_late_server (void)
{
  guint16 port = find_free_port (AF_INET, SOCK_STREAM);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"tcp\", \"tcp-host\": \"127.0.0.1\", \"tcp-port\": %u, \"cobs\": false}",
      port);
  g_autofree char *number = g_strdup_printf ("%u", port);
  Run *run = run_new (config);
  GThread *server;
  int peer;

  g_assert_cmpstr (run->source->klass->format (run->source), ==, "va");
  g_object_set_data (G_OBJECT (run->cancellable), "port", GUINT_TO_POINTER (port));
  server = g_thread_new ("server", late_server_main, run);
  run_start (run);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (4));
  peer = GPOINTER_TO_INT (g_thread_join (server));
  run_cancel (run);
  close (peer);
  run_free (run);

  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, "127.0.0.1", number, "tcp-port");
}

/* ---- serial ---- */

static int
make_pty (char **path)
{
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);

  g_assert_cmpint (master, >=, 0);
  g_assert_cmpint (grantpt (master), ==, 0);
  g_assert_cmpint (unlockpt (master), ==, 0);
  *path = g_strdup (ptsname (master));

  return master;
}

static void
test_serial_pty (void)
{
  g_autofree char *path = NULL;
  int master = make_pty (&path);
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"serial\", \"serial-port\": \"%s\", \"baud\": 250000}", path);
  g_autoptr (GByteArray) file = read_test_file ("m4_short.cobs");
  Run *run = run_new (config);
  guint8 all[256];

  for (guint i = 0; i < 256; i++)
    all[i] = (guint8) i;

  run_start (run);
  /* nothing else may read the same line */
  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, path, "in use");

  /* a terminal that is not raw would change some of these */
  write_all (master, all, sizeof all);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (sizeof all));
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, all, sizeof all);
  write_all (master, file->data, file->len);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (sizeof all + file->len));
  g_assert_cmpmem (run->bytes[0]->data + sizeof all, run->bytes[0]->len - sizeof all, file->data,
                   file->len);

  /* the device vanishes */
  close (master);
  run_wait (run, is_ended, NULL);
  g_assert_false (run->result);
  g_assert_error (run->error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST);
  g_assert_nonnull (strstr (run->error->message, path));
  g_assert_nonnull (strstr (run->error->message, "vanished"));
  g_test_message ("%s", run->error->message);
  run_free (run);
}

static void
test_serial_fifo (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-fifo-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "line", NULL);
  g_autofree char *config
      = g_strdup_printf ("{\"transport\": \"serial\", \"serial-port\": \"%s\"}", path);
  Run *run;
  int fd;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  run = run_new (config);
  run_start (run);
  fd = open (path, O_WRONLY | O_CLOEXEC);
  write_all (fd, "hello", 5);
  close (fd);
  run_wait (run, is_ended, NULL);
  g_assert_true (run->result);
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, "hello", 5);
  run_free (run);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_serial_refusals (void)
{
  g_autofree char *file
      = g_build_filename (g_getenv ("TASKSCOPE_TEST_DATA"), "m4_short.cobs", NULL);
  g_autofree char *config
      = g_strdup_printf ("{\"transport\": \"serial\", \"serial-port\": \"%s\"}", file);
  g_auto (GStrv) ports = ts_source_list_serial_ports ();

  OPEN_FAILS ("{\"transport\": \"serial\", \"serial-port\": \"/dev/ttyACM99\"}",
              TS_CAPTURE_ERROR_CONNECT, "/dev/ttyACM99", "no serial port");
  OPEN_FAILS ("{\"transport\": \"serial\", \"serial-port\": \"COM7\"}", TS_CAPTURE_ERROR_CONNECT,
              "COM7");
  OPEN_FAILS ("{\"transport\": \"serial\", \"serial-port\": \"/dev/null\"}",
              TS_CAPTURE_ERROR_CONNECT, "/dev/null", "no serial port");
  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, "m4_short.cobs", "file");
  g_assert_nonnull (ports);
}

/* ---- file ---- */

static Run *
run_file (const char *path,
          const char *more)
{
  g_autofree char *config
      = g_strdup_printf ("{\"transport\": \"file\", \"file-path\": \"%s\"%s}", path, more);
  Run *run = run_new (config);

  run_start (run);
  run_wait (run, is_ended, NULL);
  g_assert_no_error (run->error);
  g_assert_true (run->result);

  return run;
}

static void
test_file_whole (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("TASKSCOPE_TEST_DATA"), "legacy_u16.cobs", NULL);
  g_autoptr (GByteArray) file = read_test_file ("legacy_u16.cobs");
  Run *run = run_file (path, ", \"file-format\": \"va-cobs\"");

  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, file->data, file->len);
  g_assert_cmpstr (run->source->klass->format (run->source), ==, "va-cobs");
  run_free (run);
}

static void
test_file_paced (void)
{
  /* three records at 1 000 000, 1 030 000 and 1 060 000 us, and the time wrapping once between the
   * two last pairs */
  static const guint8 records[] = {
    0x40, 0x42, 0x0f, 0x00, 2,    0,    'a',  'b', 0x70, 0xb7, 0x0f,
    0x00, 0,    0,    0xa0, 0x2c, 0x10, 0x00, 1,   0,    'c',
  };
  static const guint8 wrapping[]
      = { 0xff, 0xff, 0xff, 0xff, 1, 0, 'a', 0x2f, 0x75, 0x00, 0x00, 1, 0, 'b', 9, 9, 9 };
  g_autofree char *folder = g_dir_make_tmp ("ts-paced-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.udprec", NULL);
  g_autofree guint8 *plain = g_malloc0 (1000);
  Run *run;

  g_assert_true (g_file_set_contents (path, (const char *) records, sizeof records, NULL));
  run = run_file (path, ", \"file-pace\": \"recorded\"");
  g_assert_cmpstr (run->source->klass->format (run->source), ==, "va-udprec");
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, records, sizeof records);
  g_assert_cmpint (run->last_us - run->first_us, >=, 60000);
  run_free (run);

  /* 0xffffffff to 0x752f: 30 000 us later; a cut record at the end is handed on */
  g_assert_true (g_file_set_contents (path, (const char *) wrapping, sizeof wrapping, NULL));
  run = run_file (path, ", \"file-pace\": \"recorded\"");
  g_assert_cmpmem (run->bytes[0]->data, run->bytes[0]->len, wrapping, sizeof wrapping);
  g_assert_cmpint (run->last_us - run->first_us, >=, 30000);
  run_free (run);

  /* 1000 bytes at 100 000 baud, 10 bits each: 100 ms, less the first portion */
  g_assert_true (g_file_set_contents (path, (const char *) plain, 1000, NULL));
  run = run_file (path, ", \"file-format\": \"va\", \"file-pace\": \"recorded\", \"baud\": 100000");
  g_assert_cmpuint (run->n_bytes, ==, 1000);
  g_assert_cmpint (run->last_us - run->first_us, >=, 80000);
  run_free (run);

  g_unlink (path);
  g_rmdir (folder);
}

static void
test_file_refusals (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-refused-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.bin", NULL);
  g_autofree char *config
      = g_strdup_printf ("{\"transport\": \"file\", \"file-path\": \"%s\"}", path);
  g_autofree char *folder_config
      = g_strdup_printf ("{\"transport\": \"file\", \"file-path\": \"%s\"}", folder);

  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, "x.bin", "No such file");
  OPEN_FAILS (folder_config, TS_CAPTURE_ERROR_CONNECT, "folder");
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  OPEN_FAILS (config, TS_CAPTURE_ERROR_EMPTY, "x.bin", "empty");
  g_assert_true (g_file_set_contents (path, "SQLite format 3\0 and so on", 26, NULL));
  OPEN_FAILS (config, TS_CAPTURE_ERROR_CONNECT, "recording");
  OPEN_FAILS ("{\"transport\": \"file\", \"file-path\": \"/dev/zero\"}", TS_CAPTURE_ERROR_CONNECT,
              "regular");
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- demo ---- */

static void
test_demo (void)
{
  Run *run = run_new ("{\"transport\": \"demo\", \"demo-seed\": 7, \"demo-rate\": 100000}");
  TsDemoTarget *target = ts_demo_target_new (7, 100000, FALSE);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gint64 span_us;
  gsize n;

  run_start (run);
  run_wait (run, has_bytes, GSIZE_TO_POINTER (100000));
  run_cancel (run);

  /* the same bytes as the target alone makes, and no faster than its own time */
  n = run->bytes[0]->len;
  while (bytes->len < n)
    ts_demo_target_run (target, ts_demo_target_get_time_us (target) + 5000, 1 << 20, bytes);
  g_assert_cmpmem (run->bytes[0]->data, n, bytes->data, n);
  span_us = run->last_us - run->first_us;
  g_test_message ("%" G_GSIZE_FORMAT " bytes in %" G_GINT64_FORMAT
                  " us, target time %" G_GINT64_FORMAT " us",
                  n, span_us, ts_demo_target_get_time_us (target));
  g_assert_cmpint (span_us, >=, ts_demo_target_get_time_us (target) - 30000);
  ts_demo_target_free (target);
  run_free (run);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/capture/source-udp/two-senders", test_udp_two_senders);
  g_test_add_func ("/capture/source-udp/many-senders", test_udp_many_senders);
  g_test_add_func ("/capture/source-udp/system-drops", test_udp_system_drops);
  g_test_add_func ("/capture/source-udp/refusals", test_udp_refusals);
  g_test_add_func ("/capture/source-udp/ipv6", test_udp_ipv6);
  g_test_add_func ("/capture/source-tcp/reconnect", test_tcp_reconnect);
  g_test_add_func ("/capture/source-tcp/reset", test_tcp_reset);
  g_test_add_func ("/capture/source-tcp/late-server", test_tcp_late_server);
  g_test_add_func ("/capture/source-serial/pty", test_serial_pty);
  g_test_add_func ("/capture/source-serial/fifo", test_serial_fifo);
  g_test_add_func ("/capture/source-serial/refusals", test_serial_refusals);
  g_test_add_func ("/capture/source-file/whole", test_file_whole);
  g_test_add_func ("/capture/source-file/paced", test_file_paced);
  g_test_add_func ("/capture/source-file/refusals", test_file_refusals);
  g_test_add_func ("/capture/source-demo/real-time", test_demo);

  return g_test_run ();
}
