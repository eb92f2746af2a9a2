/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-tcp.c: bytes of a TCP server: QEMU's serial line, OpenOCD's RTT server, a bridge on the
 * desk. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/socket.h>

#include "ts-hardware-trace.h"
#include "ts-source-private.h"

#define CHUNK 65536
/* A server is often started after us, or restarted with the target: keep knocking for a while. */
#define CONNECT_MS 3000
#define RECONNECT_MS 2000
#define RETRY_MS 100
#define ATTEMPT_S 3

typedef struct
{
  TsSource parent;

  char *host;
  guint16 port;
  char *format;
  const char *keys; /* the settings that name the server, for messages */

  GSocketConnection *connection;
  guint8 buffer[CHUNK];
} Tcp;

static TsSource *
tcp_create (TsConnection *connection,
            GError **error)
{
  Tcp *self = g_new0 (Tcp, 1);

  self->parent.klass = &_ts_source_tcp_class;
  self->host = g_strdup (ts_connection_get_string (connection, "tcp-host"));
  self->port = (guint16) ts_connection_get_int (connection, "tcp-port");
  self->format = g_strdup (ts_connection_get_bool (connection, "cobs") ? "va-cobs" : "va");
  self->keys = _("“tcp-host” and “tcp-port”");

  return &self->parent;
}

/* The same with the bytes of a trace pin, as OpenOCD and other servers send them. */
static TsSource *
swo_tcp_create (TsConnection *connection,
                GError **error)
{
  Tcp *self = g_new0 (Tcp, 1);

  self->parent.klass = &_ts_source_swo_tcp_class;
  self->host = g_strdup (ts_connection_get_string (connection, "swo-tcp-host"));
  self->port = (guint16) ts_connection_get_int (connection, "swo-tcp-port");
  self->format = ts_hardware_trace_dup_format (connection);
  self->keys = _("“swo-tcp-host” and “swo-tcp-port”");

  return &self->parent;
}

/* Tries until @budget_ms is over. FALSE: @error says why the last attempt failed, or
 * G_IO_ERROR_CANCELLED. */
static gboolean
connect_with_retry (Tcp *self,
                    gint64 budget_ms,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  gint64 deadline = g_get_monotonic_time () + budget_ms * 1000;
  gboolean told = FALSE;

  g_socket_client_set_enable_proxy (client, FALSE);
  g_socket_client_set_timeout (client, ATTEMPT_S);

  for (;;)
    {
      g_autoptr (GError) local_error = NULL;

      self->connection = g_socket_client_connect_to_host (client, self->host, self->port,
                                                          cancellable, &local_error);
      if (self->connection != NULL)
        {
          g_socket_set_timeout (g_socket_connection_get_socket (self->connection), 0);
          return TRUE;
        }

      /* a name nobody knows does not become known by asking again */
      if (g_cancellable_is_cancelled (cancellable) || g_get_monotonic_time () >= deadline
          || g_error_matches (local_error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND))
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return FALSE;
        }

      if (!told)
        _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0, _("Waiting for %s:%u (%s)"),
                         self->host, self->port, local_error->message);
      told = TRUE;
      (void) _ts_source_wait (-1, RETRY_MS, cancellable, NULL);
    }
}

static gboolean
tcp_open (TsSource *source,
          GCancellable *cancellable,
          GError **error)
{
  Tcp *self = (Tcp *) source;
  g_autoptr (GError) local_error = NULL;

  if (connect_with_retry (self, CONNECT_MS, cancellable, &local_error))
    return TRUE;

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("Cannot connect to %s:%u: %s. Check that the server runs and that %s are right."),
               self->host, self->port, local_error->message, self->keys);

  return FALSE;
}

/* Reads until the connection ends. TRUE: cancelled. FALSE: it ended, errno 0 for an orderly close.
 */
static gboolean
read_connection (Tcp *self,
                 TsSourceEmit emit,
                 gpointer user_data,
                 GCancellable *cancellable)
{
  int fd = g_socket_get_fd (g_socket_connection_get_socket (self->connection));

  for (;;)
    {
      TsWaitResult result = _ts_source_wait (fd, -1, cancellable, NULL);
      gboolean is_cancelled = result == TS_WAIT_CANCELLED;
      gssize n;

      if (result == TS_WAIT_FAILED)
        return FALSE;

      do
        {
          n = recv (fd, self->buffer, sizeof self->buffer, MSG_DONTWAIT);
          if (n > 0)
            emit (0, g_get_monotonic_time (), self->buffer, (gsize) n, user_data);
        }
      while (n == (gssize) sizeof self->buffer && !is_cancelled);

      if (is_cancelled)
        return TRUE;
      if (n == 0)
        {
          errno = 0;
          return FALSE;
        }
      if (n < 0 && errno != EAGAIN && errno != EINTR)
        return FALSE;
    }
}

static gboolean
tcp_run (TsSource *source,
         TsSourceEmit emit,
         gpointer user_data,
         GCancellable *cancellable,
         GError **error)
{
  Tcp *self = (Tcp *) source;

  while (!read_connection (self, emit, user_data, cancellable))
    {
      int code = errno;
      const char *reason = code == 0 ? _("closed by the other side") : g_strerror (code);

      g_clear_object (&self->connection);
      _ts_source_note (source, TS_SOURCE_NOTE_MESSAGE, 0,
                       _("The connection to %s:%u was lost (%s): connecting again"), self->host,
                       self->port, reason);

      if (!connect_with_retry (self, RECONNECT_MS, cancellable, NULL))
        {
          if (g_cancellable_is_cancelled (cancellable) || code == 0)
            return TRUE;
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                       _("The connection to %s:%u was lost: %s. What arrived before is kept."),
                       self->host, self->port, reason);
          return FALSE;
        }
      _ts_source_note (source, TS_SOURCE_NOTE_RECONNECTED, 1, _("Connected again to %s:%u"),
                       self->host, self->port);
    }

  return TRUE;
}

static char *
tcp_describe (TsSource *source)
{
  Tcp *self = (Tcp *) source;

  return g_strdup_printf ("TCP %s:%u", self->host, self->port);
}

static const char *
tcp_format (TsSource *source)
{
  return ((Tcp *) source)->format;
}

static void
tcp_free (TsSource *source)
{
  Tcp *self = (Tcp *) source;

  g_clear_object (&self->connection);
  g_free (self->host);
  g_free (self->format);
  g_free (self);
}

const TsSourceClass _ts_source_tcp_class = {
  .transport = "tcp",
  .create = tcp_create,
  .open = tcp_open,
  .run = tcp_run,
  .describe = tcp_describe,
  .format = tcp_format,
  .lossless = TRUE,
  .free = tcp_free,
};

const TsSourceClass _ts_source_swo_tcp_class = {
  .transport = "swo-tcp",
  .create = swo_tcp_create,
  .open = tcp_open,
  .run = tcp_run,
  .describe = tcp_describe,
  .format = tcp_format,
  .lossless = TRUE,
  .free = tcp_free,
};
