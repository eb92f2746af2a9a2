/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source.c: the driver table of sources, and what all of them share. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <libserialport.h>
#include <stdarg.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-probe.h"
#include "ts-source-private.h"

static const TsSourceClass * const classes[] = {
  &_ts_source_serial_class,
  &_ts_source_udp_class,
  &_ts_source_tcp_class,
  &_ts_source_swo_tcp_class,
  &_ts_source_file_class,
  &_ts_source_demo_class,
  &_ts_source_stlink_rambuf_class,
  &_ts_source_stlink_rtt_class,
  &_ts_source_jlink_rambuf_class,
  &_ts_source_jlink_rtt_class,
  &_ts_source_stlink_swo_class,
  &_ts_source_jlink_swo_class,
  &_ts_source_cmsis_dap_rambuf_class,
  &_ts_source_cmsis_dap_rtt_class,
  &_ts_source_cmsis_dap_swo_class,
};

/*
 * _ts_source_wait:
 * @fd: descriptor to wait for, -1: only for the time
 * @timeout_ms: longest wait, -1: for ever
 * @cancellable: ends the wait
 * @revents: (out) (optional): poll's events of @fd
 *
 * Thread: I/O
 *
 * Returns: what ended the wait
 */
TsWaitResult
_ts_source_wait (int fd,
                 int timeout_ms,
                 GCancellable *cancellable,
                 short *revents)
{
  GPollFD fds[2] = { { .fd = -1, .events = G_IO_IN }, { .fd = fd, .events = G_IO_IN } };
  gboolean has_cancel_fd;
  int n, saved_errno;

  if (g_cancellable_is_cancelled (cancellable))
    return TS_WAIT_CANCELLED;

  has_cancel_fd = g_cancellable_make_pollfd (cancellable, &fds[0]);
  do
    n = g_poll (fds, fd >= 0 ? 2 : 1, timeout_ms);
  while (n < 0 && errno == EINTR && !g_cancellable_is_cancelled (cancellable));
  saved_errno = errno;
  if (has_cancel_fd)
    g_cancellable_release_fd (cancellable);

  if (revents != NULL)
    *revents = (short) fds[1].revents;
  if (g_cancellable_is_cancelled (cancellable))
    return TS_WAIT_CANCELLED;
  if (n < 0)
    {
      errno = saved_errno;
      return TS_WAIT_FAILED;
    }

  return n > 0 ? TS_WAIT_READY : TS_WAIT_TIMEOUT;
}

/* Tells the session something besides bytes. */
void
_ts_source_note (TsSource *source,
                 TsSourceNote note,
                 guint64 n,
                 const char *format,
                 ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (source->notify == NULL)
    return;

  if (format != NULL)
    {
      va_start (args, format);
      text = g_strdup_vprintf (format, args);
      va_end (args);
    }
  source->notify (note, n, text, source->notify_data);
}

/* Tells the session a figure; @key: a static string. */
void
_ts_source_figure (TsSource *source,
                   const char *key,
                   guint64 value)
{
  if (source->notify != NULL)
    source->notify (TS_SOURCE_NOTE_FIGURE, value, key, source->notify_data);
}

/* Tells the session a row for the table `meta`. */
void
_ts_source_meta (TsSource *source,
                 const char *key,
                 const char *value)
{
  g_autofree char *text = g_strconcat (key, "=", value, NULL);

  if (source->notify != NULL)
    source->notify (TS_SOURCE_NOTE_META, 0, text, source->notify_data);
}

/* Does nothing for a while, or until cancelled. */
void
_ts_source_pause (gint64 us,
                  GCancellable *cancellable)
{
  if (us >= 2000)
    (void) _ts_source_wait (-1, (int) (us / 1000), cancellable, NULL);
  else if (us > 0)
    g_usleep ((gulong) us);
}

/**
 * ts_source_new:
 * @connection: a connection
 * @error: return location
 *
 * Makes the source of a connection; it keeps no reference to @connection. Nothing is opened yet.
 *
 * Thread: owner of @connection; open() and run() then belong to one I/O thread
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG; %TS_CAPTURE_ERROR_NOT_BUILT for a transport this version
 * cannot use
 *
 * Returns: (transfer full): a source, or %NULL with @error set
 */
TsSource *
ts_source_new (TsConnection *connection,
               GError **error)
{
  const char *transport;
  gpointer user_data;

  g_return_val_if_fail (TS_IS_CONNECTION (connection), NULL);

  if (!ts_connection_validate (connection, error))
    return NULL;

  transport = ts_connection_get_transport (connection);
  if (ts_connection_is_poll_alone (connection))
    return _ts_source_poll_class.create (connection, error);
  if (!ts_connection_transport_is_built (transport)
      && _ts_connection_get_probe_maker (connection, &user_data) == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
                   _("The transport “%s” needs a probe, which this version cannot drive: use "
                     "another one, or serial, udp, tcp, swo-tcp or file."),
                   transport);
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strcmp (classes[i]->transport, transport) == 0)
      return classes[i]->create (connection, error);

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
               _("The transport “%s” is not built yet: use another one."), transport);

  return NULL;
}

/**
 * ts_source_free:
 * @source: (nullable): a source that is not running
 *
 * Thread: any
 */
void
ts_source_free (TsSource *source)
{
  if (source != NULL)
    source->klass->free (source);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char * const *) a, *(const char * const *) b);
}

/**
 * ts_source_list_serial_ports:
 *
 * Serial ports of this machine.
 *
 * Thread: any; asks the system, a few milliseconds
 *
 * Returns: (transfer full) (array zero-terminated=1): names such as /dev/ttyACM0, sorted
 */
char **
ts_source_list_serial_ports (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  struct sp_port **ports = NULL;

  if (sp_list_ports (&ports) == SP_OK)
    {
      for (gsize i = 0; ports[i] != NULL; i++)
        {
          const char *name = sp_get_port_name (ports[i]);

          if (name != NULL)
            g_ptr_array_add (names, g_strdup (name));
        }
      sp_free_port_list (ports);
    }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);

  return (char **) g_ptr_array_steal (names, NULL);
}
