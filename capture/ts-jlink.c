/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-jlink.c: J-Link through libjaylink, which has no commands for memory: ts-swd.c makes them out
 * of the bits of the wire.
 *
 * Facts: probes.md section 5.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <libjaylink/libjaylink.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-swd-private.h"
#include "ts-usb-private.h"

#define SEGGER_VENDOR 0x1366
#define FASTEST_KHZ 4000
#define SWO_BUFFER 4096
/* Bits of one request to the library: it counts them in 16 bits, and a probe has a buffer for
 * commands of some KiB, of which direction and data take two bytes for eight bits. */
#define COMMAND_BYTES 4096
#define MOST_BITS ((COMMAND_BYTES - 16) / 2 * 8)
/* Source: probes.md section 5: request, acknowledge with the turns, data with parity */
#define REQUEST_BITS 8
#define READ_BITS 38
#define WRITE_ACK_BITS 5
#define WRITE_BITS 33
#define ACK_AT 0
#define DATA_AT 3
#define PARITY_AT 35
#define IDLE_BITS 2
#define END_BITS 8
#define ACCESS_BITS (REQUEST_BITS + WRITE_ACK_BITS + WRITE_BITS + IDLE_BITS)
#define MOST_ACCESSES 512

typedef struct
{
  TsSwd swd;
  struct jaylink_context *context;
  struct jaylink_device *device; /* for a new beginning */
  struct jaylink_device_handle *handle;
  guint8 caps[JAYLINK_DEV_EXT_CAPS_SIZE];
  struct jaylink_connection connection;
  gboolean is_registered;
  gboolean is_swo_running;
  char *version;
} Jlink;

/* Bits on their way out, and what is to be made of those that come in. */
typedef struct
{
  guint8 direction[MOST_BITS / 8];
  guint8 out[MOST_BITS / 8];
  guint8 in[MOST_BITS / 8 + 1];
  guint n_bits;
  struct
  {
    guint ack_at;
    TsSwdAccess *access; /* NULL: nobody wants the data */
    gboolean is_read;
    gsize n_complete; /* accesses that are done when this is acknowledged */
  } answers[MOST_BITS / (REQUEST_BITS + READ_BITS) + 1];
  guint n_answers;
} Bits;

static gboolean
fail_device (Jlink *self,
             int code,
             GError **error)
{
  self->swd.parent.is_gone = TRUE;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
               _("The J-Link does not answer any more (%s): is it still plugged in? What arrived "
                 "before is kept."),
               jaylink_strerror (code));

  return FALSE;
}

/* ---- bits ---- */

static void
put (Bits *bits,
     gboolean is_driven,
     guint64 value,
     guint n)
{
  for (guint i = 0; i < n; i++, bits->n_bits++)
    {
      guint8 mask = (guint8) (1u << (bits->n_bits % 8));

      if (is_driven)
        bits->direction[bits->n_bits / 8] |= mask;
      if ((value >> i & 1) != 0)
        bits->out[bits->n_bits / 8] |= mask;
    }
}

static guint32
take (const Bits *bits,
      guint at,
      guint n)
{
  guint32 value = 0;

  for (guint i = 0; i < n; i++, at++)
    value |= (guint32) (bits->in[at / 8] >> (at % 8) & 1) << i;

  return value;
}

static guint
get_parity (guint32 value)
{
  return (guint) __builtin_popcount (value) & 1;
}

/* Appends one access to the wire. @owner: whose data an answer brings; @n_complete: how many of the
 * caller's accesses are done then. */
static void
put_access (Bits *bits,
            guint8 request,
            guint32 value,
            TsSwdAccess *owner,
            gsize n_complete)
{
  gboolean is_read = (request & TS_SWD_READ) != 0;
  /* start 1, the four bits of the request, their parity, stop 0, park 1 */
  guint32 head = 1u | (guint32) (request & 0xF) << 1 | get_parity (request & 0xF) << 5 | 1u << 7;

  put (bits, TRUE, head, REQUEST_BITS);
  bits->answers[bits->n_answers].ack_at = bits->n_bits + ACK_AT;
  bits->answers[bits->n_answers].access = owner;
  bits->answers[bits->n_answers].n_complete = n_complete;
  bits->answers[bits->n_answers++].is_read = is_read;
  if (is_read)
    put (bits, FALSE, 0, READ_BITS);
  else
    {
      put (bits, FALSE, 0, WRITE_ACK_BITS);
      put (bits, TRUE, (guint64) get_parity (value) << 32 | value, WRITE_BITS);
    }
  if ((request & TS_SWD_PORT) != 0)
    put (bits, TRUE, 0, IDLE_BITS);
}

/* Sends what has gathered and sorts the answers; @ack: of the first that is not good. */
static gboolean
flush (Jlink *self,
       Bits *bits,
       gsize *n_done,
       TsSwdAck *ack,
       GError **error)
{
  int code;

  if (bits->n_answers == 0)
    return TRUE;
  if (self->handle == NULL)
    return fail_device (self, JAYLINK_ERR_DEV_NOT_AVAILABLE, error);
  put (bits, TRUE, 0, END_BITS);
  self->swd.parent.counters.n_trips++;
  code = jaylink_swd_io (self->handle, bits->direction, bits->out, bits->in,
                         (guint16) bits->n_bits);
  if (code != JAYLINK_OK)
    return fail_device (self, code, error);

  for (guint i = 0; i < bits->n_answers && *ack == TS_SWD_OK; i++)
    {
      guint at = bits->answers[i].ack_at;
      guint32 value;

      *ack = (TsSwdAck) take (bits, at, 3);
      if (*ack == TS_SWD_OK && bits->answers[i].is_read)
        {
          value = take (bits, at + DATA_AT, 32);
          if (take (bits, at + PARITY_AT, 1) != get_parity (value))
            *ack = TS_SWD_WAIT; /* a disturbed wire: once more */
          else if (bits->answers[i].access != NULL)
            bits->answers[i].access->value = value;
        }
      if (*ack == TS_SWD_OK)
        *n_done = bits->answers[i].n_complete;
    }
  if (*ack != TS_SWD_OK && *ack != TS_SWD_WAIT && *ack != TS_SWD_FAULT)
    *ack = TS_SWD_NONE;
  memset (bits, 0, sizeof *bits);

  return TRUE;
}

/* A read of the access port brings what the one before it read; the last is fetched from RDBUFF.
 * Source: probes.md section 5 */
static gboolean
jlink_transfer (TsSwd *swd,
                TsSwdAccess *accesses,
                gsize n_accesses,
                gsize *n_done,
                TsSwdAck *ack,
                GError **error)
{
  Jlink *self = (Jlink *) swd;
  g_autofree Bits *bits = g_new0 (Bits, 1);
  TsSwdAccess *posted = NULL;

  *n_done = 0;
  *ack = TS_SWD_OK;
  for (gsize i = 0; i <= n_accesses && *ack == TS_SWD_OK; i++)
    {
      TsSwdAccess *access = i < n_accesses ? &accesses[i] : NULL;
      gboolean is_port_read
          = access != NULL && (access->request & 3) == (TS_SWD_PORT | TS_SWD_READ);

      if (bits->n_bits + 2 * ACCESS_BITS + END_BITS > MOST_BITS
          && !flush (self, bits, n_done, ack, error))
        return FALSE;
      if (posted != NULL && !is_port_read)
        {
          put_access (bits, TS_SWD_READ | TS_SWD_DP_RDBUFF, 0, posted, i);
          posted = NULL;
        }
      if (access == NULL)
        break;
      if (is_port_read)
        {
          put_access (bits, access->request, 0, posted, i);
          posted = access;
        }
      else
        put_access (bits, access->request, access->value,
                    (access->request & TS_SWD_READ) != 0 ? access : NULL, i + 1);
    }

  return *ack != TS_SWD_OK || flush (self, bits, n_done, ack, error);
}

static gboolean
jlink_sequence (TsSwd *swd,
                const guint8 *sequence,
                guint n_bits,
                GError **error)
{
  Jlink *self = (Jlink *) swd;
  gsize n_bytes = (n_bits + 7) / 8;
  g_autofree guint8 *direction = g_malloc (n_bytes);
  g_autofree guint8 *in = g_malloc (n_bytes + 1);
  int code;

  if (self->handle == NULL)
    return fail_device (self, JAYLINK_ERR_DEV_NOT_AVAILABLE, error);
  memset (direction, 0xFF, n_bytes);
  self->swd.parent.counters.n_trips++;
  code = jaylink_swd_io (self->handle, direction, sequence, in, (guint16) n_bits);

  return code == JAYLINK_OK || fail_device (self, code, error);
}

static gboolean jlink_restart (TsSwd *swd,
                               GError **error);

static const TsSwdClass jlink_wire = {
  .name = "J-Link",
  .sequence = jlink_sequence,
  .transfer = jlink_transfer,
  .restart = jlink_restart,
  .needs_overrun = TRUE,
};

/* ---- the probe itself ---- */

static int
jlink_get_voltage (TsProbe *probe,
                   GError **error)
{
  Jlink *self = (Jlink *) probe;
  struct jaylink_hardware_status status;

  if (self->handle == NULL || jaylink_get_hardware_status (self->handle, &status) != JAYLINK_OK)
    return -1;

  return status.target_voltage;
}

static gboolean
jlink_set_reset (TsProbe *probe,
                 gboolean is_held,
                 GError **error)
{
  Jlink *self = (Jlink *) probe;
  int code = self->handle == NULL ? JAYLINK_ERR_DEV_NOT_AVAILABLE
             : is_held            ? jaylink_clear_reset (self->handle)
                                  : jaylink_set_reset (self->handle);

  return code == JAYLINK_OK || fail_device (self, code, error);
}

static char *
jlink_dup_version (TsProbe *probe)
{
  return g_strdup (((Jlink *) probe)->version);
}

static void
jlink_swo_stop (TsProbe *probe)
{
  Jlink *self = (Jlink *) probe;

  if (self->is_swo_running && self->handle != NULL && !self->swd.parent.is_gone)
    (void) jaylink_swo_stop (self->handle);
  self->is_swo_running = FALSE;
}

static guint
jlink_get_swo_max_hz (TsProbe *probe)
{
  Jlink *self = (Jlink *) probe;
  struct jaylink_swo_speed speed;

  if (self->handle == NULL || !jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_SWO)
      || jaylink_swo_get_speeds (self->handle, JAYLINK_SWO_MODE_UART, &speed) != JAYLINK_OK)
    return 0;

  return speed.freq / MAX (speed.min_div, 1);
}

/* Source: probes.md section 5: the rate is the base clock over a divider, UART only */
static gboolean
jlink_swo_start (TsProbe *probe,
                 guint hz,
                 GError **error)
{
  Jlink *self = (Jlink *) probe;
  struct jaylink_swo_speed speed;
  guint32 divider;
  int code;

  if (hz == 0 || !jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_SWO))
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                           _("This J-Link cannot receive SWO: read a RAM ring or RTT instead."));
      return FALSE;
    }
  code = jaylink_swo_get_speeds (self->handle, JAYLINK_SWO_MODE_UART, &speed);
  if (code != JAYLINK_OK)
    return fail_device (self, code, error);
  divider = (guint32) MIN (((guint64) speed.freq + hz / 2) / hz, G_MAXUINT32);
  divider = CLAMP (divider, MAX (speed.min_div, 1), MAX (speed.max_div, 1));
  if (ABS ((gint64) speed.freq / divider - (gint64) hz) * 100 > (gint64) hz * 3)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("This J-Link cannot receive at %u Hz, the nearest is %u Hz: choose another "
                     "“swo-freq-hz”."),
                   hz, speed.freq / divider);
      return FALSE;
    }
  jlink_swo_stop (probe);
  /* a former owner may have left it running */
  (void) jaylink_swo_stop (self->handle);
  code = jaylink_swo_start (self->handle, JAYLINK_SWO_MODE_UART, hz, SWO_BUFFER);
  if (code != JAYLINK_OK)
    return fail_device (self, code, error);
  self->is_swo_running = TRUE;

  return TRUE;
}

static gssize
jlink_swo_read (TsProbe *probe,
                guint8 *bytes,
                gsize n_bytes,
                GError **error)
{
  Jlink *self = (Jlink *) probe;
  guint32 n = (guint32) MIN (n_bytes, SWO_BUFFER);
  int code;

  probe->counters.n_trips++;
  code = self->handle != NULL ? jaylink_swo_read (self->handle, bytes, &n)
                              : JAYLINK_ERR_DEV_NOT_AVAILABLE;
  if (code == JAYLINK_OK)
    return n;
  fail_device (self, code, error);

  return -1;
}

static void
jlink_close (TsProbe *probe)
{
  Jlink *self = (Jlink *) probe;
  struct jaylink_connection connections[JAYLINK_MAX_CONNECTIONS];
  size_t n;

  jlink_swo_stop (probe);
  if (self->handle != NULL && !probe->is_gone)
    {
      (void) _ts_probe_set_reset (probe, FALSE, NULL);
      if (self->is_registered)
        (void) jaylink_unregister (self->handle, &self->connection, connections, &n);
    }
  if (self->handle != NULL)
    (void) jaylink_close (self->handle);
  if (self->device != NULL)
    jaylink_unref_device (self->device);
  if (self->context != NULL)
    (void) jaylink_exit (self->context);
  g_free (self->version);
  g_free (self);
}

static const TsProbeClass jlink_class = {
  .type = "jlink",
  TS_SWD_PROBE_METHODS,
  .set_reset = jlink_set_reset,
  .get_voltage = jlink_get_voltage,
  .get_swo_max_hz = jlink_get_swo_max_hz,
  .swo_start = jlink_swo_start,
  .swo_read = jlink_swo_read,
  .swo_stop = jlink_swo_stop,
  .dup_version = jlink_dup_version,
  .close = jlink_close,
};

/* ---- finding and opening ---- */

/* Source: probes.md section 5 */
static gboolean
identify (libusb_device *device,
          const struct libusb_device_descriptor *descriptor,
          TsProbeInfo *info)
{
  guint16 pid = descriptor->idProduct;

  if (descriptor->idVendor != SEGGER_VENDOR
      || !((pid >= 0x0101 && pid <= 0x0108) || (pid >= 0x1010 && pid <= 0x1020) || pid == 0x1055))
    return FALSE;
  info->description = g_strdup ("J-Link");

  return TRUE;
}

static gboolean
jlink_list (GPtrArray *probes,
            GError **error)
{
  return _ts_usb_list ("jlink", identify, probes, error);
}

/* Finds the library's device that sits where @usb does. */
static struct jaylink_device *
find_device (Jlink *self,
             TsUsb *usb)
{
  struct jaylink_device **devices = NULL;
  struct jaylink_device *found = NULL;
  size_t n = 0;

  if (jaylink_discovery_scan (self->context, JAYLINK_HIF_USB) != JAYLINK_OK
      || jaylink_get_devices (self->context, &devices, &n) != JAYLINK_OK)
    return NULL;
  for (size_t i = 0; i < n; i++)
    {
      guint8 bus, *ports = NULL;
      size_t n_ports = 0;

      if (found == NULL
          && jaylink_device_get_usb_bus_ports (devices[i], &bus, &ports, &n_ports) == JAYLINK_OK
          && _ts_usb_is_at (libusb_get_device (usb->handle), bus, ports, n_ports))
        found = jaylink_ref_device (devices[i]);
      free (ports);
    }
  jaylink_free_devices (devices, true);

  return found;
}

/* Opens the one that is meant; who is not there, or held by another program, is told by name. */
static gboolean
open_device (Jlink *self,
             const char *wish,
             GError **error)
{
  TsUsb usb = { NULL };
  int code = JAYLINK_ERR_DEV_NOT_AVAILABLE;

  if (!_ts_usb_open (&usb, "jlink", "J-Link", identify, wish, error))
    {
      _ts_usb_close (&usb);
      return FALSE;
    }
  if (jaylink_init (&self->context) == JAYLINK_OK)
    {
      (void) jaylink_log_set_level (self->context, JAYLINK_LOG_LEVEL_NONE);
      self->device = find_device (self, &usb);
    }
  else
    self->context = NULL;
  if (!_ts_usb_claim (&usb, _ts_usb_find_interface (&usb, LIBUSB_CLASS_VENDOR_SPEC), error))
    {
      _ts_usb_close (&usb);
      return FALSE;
    }
  _ts_usb_close (&usb); /* the library wants it for itself */

  if (self->device != NULL)
    code = jaylink_open (self->device, &self->handle);
  if (code == JAYLINK_OK)
    return TRUE;
  self->handle = NULL;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, _("Cannot open the J-Link: %s"),
               jaylink_strerror (code));

  return FALSE;
}

/* What the probe can, and who we are. Source: probes.md section 5 */
static gboolean
greet (Jlink *self,
       GError **error)
{
  struct jaylink_connection connections[JAYLINK_MAX_CONNECTIONS];
  char *version = NULL;
  size_t length = 0, n = 0;
  int code = jaylink_get_firmware_version (self->handle, &version, &length);

  g_clear_pointer (&self->version, g_free);
  if (code == JAYLINK_OK && length > 0)
    self->version = g_strndup (version, length);
  free (version);
  if (self->version == NULL)
    self->version = g_strdup ("J-Link");
  if (code == JAYLINK_OK)
    code = jaylink_get_caps (self->handle, self->caps);
  if (code == JAYLINK_OK && jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_GET_EXT_CAPS))
    code = jaylink_get_extended_caps (self->handle, self->caps);
  if (code != JAYLINK_OK)
    return fail_device (self, code, error);

  if (jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_REGISTER))
    {
      g_strlcpy (self->connection.hid, "0.0.0.0", sizeof self->connection.hid);
      self->is_registered
          = jaylink_register (self->handle, &self->connection, connections, &n) == JAYLINK_OK;
    }

  return TRUE;
}

/* SWD, at the speed that was wished or the fastest. */
static gboolean
prepare_wire (Jlink *self,
              GError **error)
{
  const TsProbeOptions *options = &self->swd.wish;
  struct jaylink_speed speed;
  guint khz = options->speed_khz != 0 ? options->speed_khz : FASTEST_KHZ;
  int code = JAYLINK_OK;

  if (jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_SELECT_TIF))
    code = jaylink_select_interface (self->handle, JAYLINK_TIF_SWD, NULL);
  if (code == JAYLINK_OK && jaylink_has_cap (self->caps, JAYLINK_DEV_CAP_GET_SPEEDS)
      && jaylink_get_speeds (self->handle, &speed) == JAYLINK_OK && speed.div > 0)
    khz = MIN (khz, speed.freq / speed.div / 1000);
  khz = CLAMP (khz, 1, JAYLINK_SPEED_ADAPTIVE_CLOCKING - 1);
  if (code == JAYLINK_OK)
    code = jaylink_set_speed (self->handle, (guint16) khz);
  self->swd.parent.speed_khz = khz;

  return code == JAYLINK_OK || fail_device (self, code, error);
}

static gboolean
jlink_start (TsSwd *swd,
             GError **error)
{
  Jlink *self = (Jlink *) swd;

  return greet (self, error) && prepare_wire (self, error);
}

/* Resets the USB side of the device that the library knows; it cannot do that itself. */
static gboolean
reset_device (Jlink *self)
{
  TsUsb usb = { NULL };
  guint8 bus, *ports = NULL;
  size_t n_ports = 0;
  gboolean is_reset = FALSE;

  if (jaylink_device_get_usb_bus_ports (self->device, &bus, &ports, &n_ports) != JAYLINK_OK)
    return FALSE;
  if (_ts_usb_open_at (&usb, "J-Link", bus, ports, n_ports))
    is_reset = _ts_usb_reset (&usb);
  _ts_usb_close (&usb);
  free (ports);

  return is_reset;
}

/* What was on its way is not told apart from what comes next, so that the device is let go of,
 * reset, and opened anew. */
static gboolean
jlink_restart (TsSwd *swd,
               GError **error)
{
  Jlink *self = (Jlink *) swd;
  int code;

  self->is_swo_running = FALSE;
  self->is_registered = FALSE;
  if (self->handle != NULL)
    (void) jaylink_close (self->handle);
  self->handle = NULL;
  code = reset_device (self) ? jaylink_open (self->device, &self->handle)
                             : JAYLINK_ERR_DEV_NOT_AVAILABLE;
  if (code != JAYLINK_OK)
    {
      self->handle = NULL;
      return fail_device (self, code, error);
    }

  return jlink_start (swd, error);
}

static TsProbe *
jlink_open (const TsProbeOptions *options,
            GError **error)
{
  Jlink *self = g_new0 (Jlink, 1);

  self->swd.parent.klass = &jlink_class;
  self->swd.klass = &jlink_wire;
  self->swd.n_most = MOST_ACCESSES;
  if (open_device (self, options->serial, error)
      && _ts_swd_begin (&self->swd, options, jlink_start, error))
    return &self->swd.parent;
  jlink_close (&self->swd.parent);

  return NULL;
}

const TsProbeDriver _ts_jlink_driver = {
  .type = "jlink",
  .list = jlink_list,
  .open = jlink_open,
};
