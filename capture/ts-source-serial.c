/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-source-serial.c: serial ports; also pseudo-terminals and FIFOs, which libserialport does not
 * know. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <libserialport.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ts-source-private.h"

#define CHUNK 65536
/* How long a FIFO nobody writes to, or a terminal nobody holds the other end of, is left alone
 * before looking again. */
#define NOBODY_MS 50
/* A rate the driver could not set closely: 3 % is what an 8N1 receiver just tolerates. */
#define BAUD_TOLERANCE_PERCENT 3

#ifndef TIOCEXCL
#define TIOCEXCL 0x540C
#endif

typedef struct
{
  TsSource parent;

  char *path;
  guint baud;
  const char *format;

  struct sp_port *port; /* NULL: opened directly */
  int fd;
  gboolean is_terminal;
  guint8 buffer[CHUNK];
} Serial;

static TsSource *
serial_create (TsConnection *connection,
               GError **error)
{
  Serial *self = g_new0 (Serial, 1);

  self->parent.klass = &_ts_source_serial_class;
  self->fd = -1;
  self->path = g_strdup (ts_connection_get_string (connection, "serial-port"));
  self->baud = (guint) ts_connection_get_int (connection, "baud");
  self->format = ts_connection_get_bool (connection, "cobs") ? "va-cobs" : "va";

  return &self->parent;
}

static gboolean
fail_open (Serial *self,
           int code,
           GError **error)
{
  switch (code)
    {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      {
        g_auto (GStrv) ports = ts_source_list_serial_ports ();
        g_autofree char *known = g_strjoinv (", ", ports);

        g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                     _("There is no serial port “%s”: plug the device in or choose another "
                       "“serial-port” (found: %s)."),
                     self->path, *known != '\0' ? known : _("none"));
      }
      break;

    case EACCES:
    case EPERM:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("No permission to open the serial port “%s”: add yourself to the group "
                     "“dialout” and log in again."),
                   self->path);
      break;

    case EBUSY:
    case EWOULDBLOCK:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The serial port “%s” is in use by another program: close it there first."),
                   self->path);
      break;

    default:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("Cannot open the serial port “%s”: %s."), self->path, g_strerror (code));
      break;
    }

  return FALSE;
}

/* Nobody else may read from the same line: half of the bytes each is of use to neither. */
static gboolean
lock_exclusively (Serial *self,
                  GError **error)
{
  if (flock (self->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return fail_open (self, EBUSY, error);
  if (self->is_terminal)
    (void) ioctl (self->fd, TIOCEXCL);

  return TRUE;
}

static gboolean
open_known_port (Serial *self,
                 GError **error)
{
  guint actual = 0;

  if (sp_open (self->port, SP_MODE_READ) != SP_OK)
    return fail_open (self, sp_last_error_code (), error);

  if (sp_get_port_handle (self->port, &self->fd) != SP_OK)
    return fail_open (self, EIO, error);
  self->is_terminal = TRUE;
  if (!lock_exclusively (self, error))
    return FALSE;

  if (sp_set_baudrate (self->port, (int) self->baud) != SP_OK
      || sp_set_bits (self->port, 8) != SP_OK || sp_set_parity (self->port, SP_PARITY_NONE) != SP_OK
      || sp_set_stopbits (self->port, 1) != SP_OK
      || sp_set_flowcontrol (self->port, SP_FLOWCONTROL_NONE) != SP_OK)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The serial port “%s” cannot be set to %u baud, 8N1: choose another “baud”."),
                   self->path, self->baud);
      return FALSE;
    }

  /* leaves the modem lines alone on close; where the driver cannot, what libserialport set is good
   * enough */
  (void) _ts_serial_line_set_raw (self->fd, self->baud, &actual);

  return TRUE;
}

static gboolean
open_path (Serial *self,
           GError **error)
{
  struct stat info;
  guint actual = 0;

  if (stat (self->path, &info) != 0)
    return fail_open (self, errno, error);
  if (!S_ISCHR (info.st_mode) && !S_ISFIFO (info.st_mode))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("“%s” is no serial port, terminal or FIFO: for captured bytes in a file use "
                     "the transport “file”."),
                   self->path);
      return FALSE;
    }

  self->fd = open (self->path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (self->fd < 0)
    return fail_open (self, errno, error);
  self->is_terminal = isatty (self->fd) == 1;
  if (!self->is_terminal && S_ISCHR (info.st_mode))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("“%s” is a device, but no serial port: choose another “serial-port”."),
                   self->path);
      return FALSE;
    }
  if (!lock_exclusively (self, error))
    return FALSE;
  if (!self->is_terminal)
    return TRUE;

  if (!_ts_serial_line_set_raw (self->fd, self->baud, &actual))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The serial port “%s” cannot be set to %u baud, 8N1: %s."), self->path,
                   self->baud, g_strerror (errno));
      return FALSE;
    }
  if (ABS ((gint64) actual - (gint64) self->baud) * 100
      > (gint64) self->baud * BAUD_TOLERANCE_PERCENT)
    _ts_source_note (&self->parent, TS_SOURCE_NOTE_MESSAGE, 0,
                     _("“%s” runs at %u baud, not at the %u asked for"), self->path, actual,
                     self->baud);

  return TRUE;
}

static gboolean
serial_open (TsSource *source,
             GCancellable *cancellable,
             GError **error)
{
  Serial *self = (Serial *) source;

  if (sp_get_port_by_name (self->path, &self->port) == SP_OK)
    return open_known_port (self, error);

  self->port = NULL;

  return open_path (self, error);
}

static gboolean
fail_lost (Serial *self,
           const char *reason,
           GError **error)
{
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
               _("The serial port “%s” vanished while capturing (%s): plug the device in again. "
                 "What arrived before is kept."),
               self->path, reason);

  return FALSE;
}

static gboolean
serial_run (TsSource *source,
            TsSourceEmit emit,
            gpointer user_data,
            GCancellable *cancellable,
            GError **error)
{
  Serial *self = (Serial *) source;
  gboolean had_bytes = FALSE;

  for (;;)
    {
      short revents = 0;
      TsWaitResult result = _ts_source_wait (self->fd, -1, cancellable, &revents);
      gboolean got_bytes = FALSE;
      gssize n;

      if (result == TS_WAIT_FAILED)
        return fail_lost (self, g_strerror (errno), error);

      do
        {
          n = read (self->fd, self->buffer, sizeof self->buffer);
          if (n > 0)
            {
              got_bytes = had_bytes = TRUE;
              emit (0, g_get_monotonic_time (), self->buffer, (gsize) n, user_data);
            }
        }
      while (n > 0 && !g_cancellable_is_cancelled (cancellable));

      if (result == TS_WAIT_CANCELLED || g_cancellable_is_cancelled (cancellable))
        return TRUE;
      if (n < 0 && errno != EAGAIN && errno != EINTR)
        return fail_lost (self, g_strerror (errno), error);
      if (n == 0 && !self->is_terminal)
        {
          /* a FIFO ends when its last writer has gone, not before the first one came */
          if (had_bytes)
            return TRUE;
          (void) _ts_source_wait (-1, NOBODY_MS, cancellable, NULL);
        }
      else if ((n == 0 && !got_bytes) || (revents & (G_IO_HUP | G_IO_ERR | G_IO_NVAL)) != 0)
        return fail_lost (self, _("hung up"), error);
    }
}

static char *
serial_describe (TsSource *source)
{
  Serial *self = (Serial *) source;

  return g_strdup_printf (_("%s, %u baud"), self->path, self->baud);
}

static const char *
serial_format (TsSource *source)
{
  return ((Serial *) source)->format;
}

static void
serial_free (TsSource *source)
{
  Serial *self = (Serial *) source;

  if (self->port != NULL)
    {
      sp_close (self->port);
      sp_free_port (self->port);
    }
  else if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self);
}

const TsSourceClass _ts_source_serial_class = {
  .transport = "serial",
  .create = serial_create,
  .open = serial_open,
  .run = serial_run,
  .describe = serial_describe,
  .format = serial_format,
  .lossless = FALSE,
  .free = serial_free,
};
