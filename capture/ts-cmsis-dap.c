/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cmsis-dap.c: CMSIS-DAP probes: version 2 (bulk) and version 1 (HID reports), over libusb.
 *
 * Facts: probes.md section 6, and Arm's public description of the commands (CMSIS-DAP, version 2.1).
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-swd-private.h"
#include "ts-usb-private.h"

#define TIMEOUT_MS 1000
#define FASTEST_KHZ 10000
#define PACKET_HID 64
#define PACKET_LEAST 64
#define PACKET_MOST 4096
#define REPORT_SET 0x0200 /* an output report, number 0 */
#define SYSFS "/sys/bus/usb/devices"
#define MARK "CMSIS-DAP"
#define MOST_ACCESSES 512
#define MOST_IN_TRANSFER 255
#define MOST_OUTSTANDING 4
/* How often the probe itself repeats an access that must wait. */
#define WAIT_RETRIES 64

enum
{
  DAP_INFO = 0x00,
  DAP_LED = 0x01,
  DAP_CONNECT = 0x02,
  DAP_DISCONNECT = 0x03,
  DAP_CONFIGURE = 0x04,
  DAP_TRANSFER = 0x05,
  DAP_BLOCK = 0x06,
  DAP_DELAY = 0x09,
  DAP_PINS = 0x10,
  DAP_CLOCK = 0x11,
  DAP_SEQUENCE = 0x12,
  DAP_SWD = 0x13,
  DAP_SWO_TRANSPORT = 0x17,
  DAP_SWO_MODE = 0x18,
  DAP_SWO_RATE = 0x19,
  DAP_SWO_CONTROL = 0x1A,
  DAP_SWO_DATA = 0x1C,

  INFO_VERSION = 0x04,
  INFO_CAPS = 0xF0,
  INFO_PACKETS = 0xFE,
  INFO_PACKET_SIZE = 0xFF,

  CAP_SWO_UART = 1 << 2,
  PORT_SWD = 1,
  PIN_RESET = 1 << 7,
};

typedef struct
{
  TsSwd swd;
  TsUsb usb;
  guint8 out; /* 0: reports go through the control pipe */
  guint8 in;
  gsize packet;
  guint n_outstanding;
  guint8 caps;
  gboolean is_swo_running;
  gboolean is_connected;
  guint n_owed;         /* packets whose answers have not come */
  gboolean is_pinged;   /* so has that of a ping */
  guint n_before_ping;  /* packets before it whose answers have not come */
  gboolean is_in_step;  /* nothing is on its way any more, after an answer that was lost */
  char *version;
  guint8 buffer[PACKET_MOST];
} Dap;

/* A packet of accesses on its way. */
typedef struct
{
  gsize first;
  gsize n;
  gboolean is_block;
} Piece;

/* ---- packets ---- */

static gboolean
send_packet (Dap *self,
             const guint8 *bytes,
             gsize n_bytes,
             GError **error)
{
  int code, n = 0;
  gsize length = self->usb.is_interrupt ? self->packet : n_bytes;

  if (self->swd.parent.is_gone)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                           _("The connection to the probe broke earlier."));
      return FALSE;
    }
  memset (self->buffer, 0, self->packet);
  memcpy (self->buffer, bytes, n_bytes);
  if (self->out == 0)
    {
      n = libusb_control_transfer (self->usb.handle,
                                   LIBUSB_ENDPOINT_OUT | LIBUSB_REQUEST_TYPE_CLASS
                                       | LIBUSB_RECIPIENT_INTERFACE,
                                   0x09, REPORT_SET, (guint16) self->usb.number, self->buffer,
                                   (guint16) length, TIMEOUT_MS);
      code = MIN (n, 0);
    }
  else if (self->usb.is_interrupt)
    code = libusb_interrupt_transfer (self->usb.handle, self->out, self->buffer, (int) length, &n,
                                      TIMEOUT_MS);
  else
    code = libusb_bulk_transfer (self->usb.handle, self->out, self->buffer, (int) length, &n,
                                 TIMEOUT_MS);
  if (code == 0 && (gsize) n == length)
    {
      self->n_owed++;
      return TRUE;
    }
  self->swd.parent.is_gone = TRUE;

  return _ts_usb_fail (&self->usb, code, error);
}

/* Whatever the probe says next goes to the buffer; libusb's code. */
static int
fetch (Dap *self,
       int *n)
{
  int code;

  *n = 0;
  code = self->usb.is_interrupt
             ? libusb_interrupt_transfer (self->usb.handle, self->in, self->buffer,
                                          (int) self->packet, n, TIMEOUT_MS)
             : libusb_bulk_transfer (self->usb.handle, self->in, self->buffer, (int) self->packet, n,
                                     TIMEOUT_MS);

  return code == LIBUSB_ERROR_TIMEOUT && *n > 0 ? 0 : code;
}

/* The probe has been silent for long: it is asked something that costs nothing, a delay of no
 * length. Answers come in the order of the packets, so that what comes next tells whether the
 * answer is late or lost. Source: CMSIS-DAP 2.1, DAP_Delay */
static gboolean
ping (Dap *self,
      GError **error)
{
  static const guint8 delay[] = { DAP_DELAY, 0, 0 };
  guint n_owed = self->n_owed;

  if (!send_packet (self, delay, sizeof delay, error))
    return FALSE;
  self->n_owed = n_owed;
  self->n_before_ping = n_owed;
  self->is_pinged = TRUE;

  return TRUE;
}

/* The next answer goes to the buffer; libusb's code. One that is late is waited for as long as the
 * probe shows that it lives; after one that was lost the two sides are in step. */
static int
fetch_answer (Dap *self,
              int *n,
              GError **error)
{
  for (;;)
    {
      int code = fetch (self, n);

      if (code == LIBUSB_ERROR_TIMEOUT && !self->is_pinged)
        {
          if (!ping (self, error))
            return LIBUSB_ERROR_OTHER;
          continue;
        }
      if (code != 0)
        return code;
      if (!self->is_pinged || *n < 1 || self->buffer[0] != DAP_DELAY)
        {
          self->n_owed -= MIN (self->n_owed, 1);
          self->n_before_ping -= MIN (self->n_before_ping, 1);
          return 0;
        }
      self->is_pinged = FALSE;
      if (self->n_before_ping > 0)
        {
          self->is_in_step = self->n_owed == self->n_before_ping;
          return LIBUSB_ERROR_TIMEOUT;
        }
    }
}

/* The next answer goes to the buffer, zeros behind it; it has to be one to @command. */
static gboolean
receive_packet (Dap *self,
                guint8 command,
                gsize *n_bytes,
                GError **error)
{
  g_autoptr (GError) local_error = NULL;
  int n = 0, code = fetch_answer (self, &n, &local_error);

  if (code != 0)
    {
      self->swd.parent.is_gone = TRUE;
      if (local_error == NULL)
        return _ts_usb_fail (&self->usb, code, error);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  *n_bytes = (gsize) CLAMP (n, 0, (int) self->packet);
  memset (self->buffer + *n_bytes, 0, self->packet - *n_bytes);
  if (*n_bytes >= 2 && self->buffer[0] == command)
    return TRUE;
  self->swd.parent.is_gone = TRUE; /* out of step */
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
               _("The CMSIS-DAP probe does not answer what it was asked (0x%02x): plug it in "
                 "again."),
               command);

  return FALSE;
}

/* One command; its answer is in the buffer. */
static gboolean
ask (Dap *self,
     const guint8 *bytes,
     gsize n_bytes,
     gsize *n_answer,
     GError **error)
{
  gsize n = 0;

  self->swd.parent.counters.n_trips++;
  if (!send_packet (self, bytes, n_bytes, error) || !receive_packet (self, bytes[0], &n, error))
    return FALSE;
  if (n_answer != NULL)
    *n_answer = n;

  return TRUE;
}

/* A command that answers with a status: 0 is good. */
static gboolean
order (Dap *self,
       const guint8 *bytes,
       gsize n_bytes,
       GError **error)
{
  if (!ask (self, bytes, n_bytes, NULL, error))
    return FALSE;
  if (self->buffer[1] == 0)
    return TRUE;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("The CMSIS-DAP probe refuses a command (0x%02x): update its firmware."), bytes[0]);

  return FALSE;
}

/* ---- accesses ---- */

/* Whether @accesses[0..n) are one register read again and again; how many. */
static gsize
count_block (const TsSwdAccess *accesses,
             gsize n_accesses,
             gsize most)
{
  gsize n = 0;

  if ((accesses[0].request & TS_SWD_READ) == 0)
    return 0;
  while (n < MIN (n_accesses, most) && accesses[n].request == accesses[0].request)
    n++;

  return n;
}

/* As many accesses as fit in one packet, both ways. */
static Piece
cut_piece (Dap *self,
           const TsSwdAccess *accesses,
           gsize first,
           gsize n_accesses)
{
  gsize most = (self->packet - 5) / 4;
  gsize n_block = count_block (accesses + first, n_accesses - first, most);
  gsize n_out = 3, n_in = 3;
  Piece piece = { first, n_block, TRUE };

  if (n_block > 3)
    return piece;
  piece.n = 0;
  piece.is_block = FALSE;
  for (gsize i = first; i < n_accesses && piece.n < MOST_IN_TRANSFER; i++)
    {
      gboolean is_read = (accesses[i].request & TS_SWD_READ) != 0;

      if (piece.n > 0 && count_block (accesses + i, n_accesses - i, most) > 3)
        break; /* better as a block */
      n_out += is_read ? 1 : 5;
      n_in += is_read ? 4 : 0;
      if (n_out > self->packet || n_in > self->packet)
        break;
      piece.n++;
    }

  return piece;
}

static gboolean
send_piece (Dap *self,
            const Piece *piece,
            const TsSwdAccess *accesses,
            GError **error)
{
  guint8 bytes[PACKET_MOST] = { DAP_TRANSFER, 0, (guint8) piece->n };
  gsize n = 3;

  if (piece->is_block)
    {
      bytes[0] = DAP_BLOCK;
      bytes[3] = (guint8) (piece->n >> 8);
      bytes[4] = accesses[piece->first].request;
      return send_packet (self, bytes, 5, error);
    }
  for (gsize i = piece->first; i < piece->first + piece->n; i++)
    {
      bytes[n++] = accesses[i].request;
      if ((accesses[i].request & TS_SWD_READ) != 0)
        continue;
      _ts_probe_put_u32 (bytes + n, accesses[i].value);
      n += 4;
    }

  return send_packet (self, bytes, n, error);
}

static gboolean
receive_piece (Dap *self,
               const Piece *piece,
               TsSwdAccess *accesses,
               gsize *n_done,
               TsSwdAck *ack,
               GError **error)
{
  const guint8 *b = self->buffer;
  gsize n_answer = 0, at = piece->is_block ? 4 : 3;

  if (!receive_packet (self, piece->is_block ? DAP_BLOCK : DAP_TRANSFER, &n_answer, error))
    return FALSE;
  *n_done = piece->is_block ? (gsize) b[1] | (gsize) b[2] << 8 : b[1];
  *n_done = MIN (*n_done, piece->n);
  *ack = (TsSwdAck) (b[at - 1] & 7);
  for (gsize i = piece->first; i < piece->first + *n_done; i++)
    if ((accesses[i].request & TS_SWD_READ) != 0)
      {
        if (at + 4 > n_answer)
          {
            *n_done = i - piece->first;
            break;
          }
        accesses[i].value = _ts_probe_get_u32 (b + at);
        at += 4;
      }
  if (*ack == TS_SWD_OK && *n_done != piece->n)
    *ack = TS_SWD_NONE;
  if (*ack != TS_SWD_OK && *ack != TS_SWD_WAIT && *ack != TS_SWD_FAULT)
    *ack = TS_SWD_NONE;

  return TRUE;
}

static gboolean
has_data_write (const TsSwdAccess *accesses,
                gsize n_accesses)
{
  for (gsize i = 0; i < n_accesses; i++)
    if (accesses[i].request == (TS_SWD_PORT | TS_SWD_AP_DRW))
      return TRUE;

  return FALSE;
}

/* Packets are sent before the answers to former ones are there, as many as the probe holds; but not
 * where memory is written: what follows a failed access must not go elsewhere. */
static gboolean
dap_transfer (TsSwd *swd,
              TsSwdAccess *accesses,
              gsize n_accesses,
              gsize *n_done,
              TsSwdAck *ack,
              GError **error)
{
  Dap *self = (Dap *) swd;
  guint n_most = has_data_write (accesses, n_accesses) ? 1 : self->n_outstanding;
  Piece pieces[MOST_OUTSTANDING];
  guint n_sent = 0, n_received = 0;
  gsize at = 0;

  *n_done = 0;
  *ack = TS_SWD_OK;
  swd->parent.counters.n_trips++;
  for (;;)
    {
      TsSwdAck answered;
      gsize n;

      while (*ack == TS_SWD_OK && at < n_accesses && n_sent - n_received < n_most)
        {
          Piece *piece = &pieces[n_sent++ % MOST_OUTSTANDING];

          *piece = cut_piece (self, accesses, at, n_accesses);
          if (!send_piece (self, piece, accesses, error))
            return FALSE;
          at += piece->n;
        }
      if (n_sent == n_received)
        return TRUE;
      if (!receive_piece (self, &pieces[n_received++ % MOST_OUTSTANDING], accesses, &n,
                          &answered, error))
        return FALSE;
      if (*ack != TS_SWD_OK)
        continue; /* sent before the failure was known */
      *ack = answered;
      *n_done += n;
    }
}

static gboolean
dap_sequence (TsSwd *swd,
              const guint8 *bits,
              guint n_bits,
              GError **error)
{
  guint8 bytes[2 + 256 / 8] = { DAP_SEQUENCE, (guint8) n_bits };

  g_return_val_if_fail (n_bits > 0 && n_bits < 256, FALSE);

  memcpy (bytes + 2, bits, (n_bits + 7) / 8);

  return order ((Dap *) swd, bytes, 2 + (n_bits + 7) / 8, error);
}

static gboolean dap_restart (TsSwd *swd,
                             GError **error);

static const TsSwdClass dap_wire = {
  .name = "CMSIS-DAP",
  .sequence = dap_sequence,
  .transfer = dap_transfer,
  .restart = dap_restart,
};

/* ---- the probe itself ---- */

static gboolean
dap_set_reset (TsProbe *probe,
               gboolean is_held,
               GError **error)
{
  const guint8 pins[7] = { DAP_PINS, is_held ? 0 : PIN_RESET, PIN_RESET };

  return ask ((Dap *) probe, pins, sizeof pins, NULL, error);
}

static char *
dap_dup_version (TsProbe *probe)
{
  return g_strdup (((Dap *) probe)->version);
}

static void
dap_swo_stop (TsProbe *probe)
{
  static const guint8 stop[] = { DAP_SWO_CONTROL, 0 };
  Dap *self = (Dap *) probe;

  if (self->is_swo_running && !self->swd.parent.is_gone)
    (void) order (self, stop, sizeof stop, NULL);
  self->is_swo_running = FALSE;
}

/* How fast is told when it is started. */
static guint
dap_get_swo_max_hz (TsProbe *probe)
{
  return (((Dap *) probe)->caps & CAP_SWO_UART) != 0 ? G_MAXUINT : 0;
}

static gboolean
dap_swo_start (TsProbe *probe,
               guint hz,
               GError **error)
{
  static const guint8 transport[] = { DAP_SWO_TRANSPORT, 1 }; /* through DAP_SWO_DATA */
  static const guint8 mode[] = { DAP_SWO_MODE, 1 };           /* UART */
  static const guint8 start[] = { DAP_SWO_CONTROL, 1 };
  guint8 rate[5] = { DAP_SWO_RATE };
  Dap *self = (Dap *) probe;
  guint32 actual;

  if ((self->caps & CAP_SWO_UART) == 0)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                           _("This CMSIS-DAP probe cannot receive SWO: read a RAM ring or RTT "
                             "instead."));
      return FALSE;
    }
  _ts_probe_put_u32 (rate + 1, hz);
  if (!order (self, transport, sizeof transport, error) || !order (self, mode, sizeof mode, error)
      || !ask (self, rate, sizeof rate, NULL, error))
    return FALSE;
  actual = _ts_probe_get_u32 (self->buffer + 1);
  if (ABS ((gint64) actual - (gint64) hz) * 100 > (gint64) hz * 3)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("This CMSIS-DAP probe cannot receive at %u Hz, the nearest is %u Hz: choose "
                     "another “swo-freq-hz”."),
                   hz, actual);
      return FALSE;
    }
  self->is_swo_running = order (self, start, sizeof start, error);

  return self->is_swo_running;
}

static gssize
dap_swo_read (TsProbe *probe,
              guint8 *bytes,
              gsize n_bytes,
              GError **error)
{
  Dap *self = (Dap *) probe;
  gsize n = MIN (n_bytes, self->packet - 4);
  const guint8 read[] = { DAP_SWO_DATA, (guint8) n, (guint8) (n >> 8) };
  gsize n_answer = 0, n_told;

  if (!ask (self, read, sizeof read, &n_answer, error))
    return -1;
  n_told = (gsize) self->buffer[2] | (gsize) self->buffer[3] << 8;
  n = MIN (MIN (n, n_told), n_answer > 4 ? n_answer - 4 : 0);
  memcpy (bytes, self->buffer + 4, n);

  return (gssize) n;
}

static void
dap_close (TsProbe *probe)
{
  static const guint8 led[] = { DAP_LED, 0, 0 };
  static const guint8 disconnect[] = { DAP_DISCONNECT };
  Dap *self = (Dap *) probe;

  dap_swo_stop (probe);
  if (self->is_connected && !self->swd.parent.is_gone)
    {
      (void) _ts_probe_set_reset (probe, FALSE, NULL);
      (void) ask (self, led, sizeof led, NULL, NULL);
      (void) ask (self, disconnect, sizeof disconnect, NULL, NULL);
    }
  _ts_usb_close (&self->usb);
  g_free (self->version);
  g_free (self);
}

static const TsProbeClass dap_class = {
  .type = "cmsis-dap",
  TS_SWD_PROBE_METHODS,
  .set_reset = dap_set_reset,
  .get_swo_max_hz = dap_get_swo_max_hz,
  .swo_start = dap_swo_start,
  .swo_read = dap_swo_read,
  .swo_stop = dap_swo_stop,
  .dup_version = dap_dup_version,
  .close = dap_close,
};

/* ---- finding and opening ---- */

/* A text that the kernel has read from a device when it was plugged in; nobody need open it. */
static gboolean
has_mark (const char *folder,
          const char *file)
{
  g_autofree char *path = g_build_filename (SYSFS, folder, file, NULL);
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && strstr (text, MARK) != NULL;
}

/* Source: probes.md section 6: the text of the interface, or of the product, contains the mark */
static gboolean
identify (libusb_device *device,
          const struct libusb_device_descriptor *descriptor,
          TsProbeInfo *info)
{
  struct libusb_config_descriptor *config = NULL;
  gboolean is_ours = has_mark (info->location, "product");

  if (!is_ours && libusb_get_active_config_descriptor (device, &config) == 0)
    {
      for (guint i = 0; i < config->bNumInterfaces && !is_ours; i++)
        if (config->interface[i].num_altsetting > 0)
          {
            g_autofree char *folder
                = g_strdup_printf ("%s:%u.%u", info->location, config->bConfigurationValue,
                                   config->interface[i].altsetting[0].bInterfaceNumber);

            is_ours = has_mark (folder, "interface");
          }
      libusb_free_config_descriptor (config);
    }
  if (is_ours)
    info->description = g_strdup (MARK);

  return is_ours;
}

static gboolean
dap_list (GPtrArray *probes,
          GError **error)
{
  return _ts_usb_list ("cmsis-dap", identify, probes, error);
}

/* Takes endpoints of @interface: bulk OUT and IN of version 2, or those of reports. */
static gboolean
take_endpoints (Dap *self,
                const struct libusb_interface_descriptor *interface,
                guint8 type)
{
  self->out = 0;
  self->in = 0;
  for (guint i = 0; i < interface->bNumEndpoints; i++)
    {
      const struct libusb_endpoint_descriptor *endpoint = &interface->endpoint[i];

      if ((endpoint->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) != type)
        continue;
      if ((endpoint->bEndpointAddress & LIBUSB_ENDPOINT_IN) == 0)
        self->out = self->out == 0 ? endpoint->bEndpointAddress : self->out;
      else if (self->in == 0)
        self->in = endpoint->bEndpointAddress;
    }
  self->usb.is_interrupt = type == LIBUSB_ENDPOINT_TRANSFER_TYPE_INTERRUPT;

  return self->in != 0 && (self->out != 0 || self->usb.is_interrupt);
}

/* The interface: bulk is faster, reports are what old probes have. -1: neither. */
static int
find_interface (Dap *self)
{
  struct libusb_config_descriptor *config = NULL;
  int number = -1;

  if (libusb_get_active_config_descriptor (libusb_get_device (self->usb.handle), &config) != 0)
    return -1;
  for (guint pass = 0; pass < 2 && number < 0; pass++)
    for (guint i = 0; i < config->bNumInterfaces && number < 0; i++)
      {
        const struct libusb_interface_descriptor *interface = config->interface[i].altsetting;

        if (config->interface[i].num_altsetting < 1)
          continue;
        if (pass == 0 ? interface->bInterfaceClass == LIBUSB_CLASS_VENDOR_SPEC
                            && interface->bInterfaceSubClass == 0
                            && take_endpoints (self, interface,
                                               LIBUSB_ENDPOINT_TRANSFER_TYPE_BULK)
                      : interface->bInterfaceClass == LIBUSB_CLASS_HID
                            && take_endpoints (self, interface,
                                               LIBUSB_ENDPOINT_TRANSFER_TYPE_INTERRUPT))
          number = interface->bInterfaceNumber;
      }
  libusb_free_config_descriptor (config);

  return number;
}

/* What the probe is and can: version, abilities, size and number of its packets. */
static gboolean
greet (Dap *self,
       GError **error)
{
  guint8 info[2] = { DAP_INFO, INFO_PACKET_SIZE };
  gsize told;

  self->packet = PACKET_HID; /* every probe can that */
  if (!ask (self, info, sizeof info, NULL, error))
    return FALSE;
  told = self->buffer[1] == 2 ? (gsize) self->buffer[2] | (gsize) self->buffer[3] << 8 : PACKET_HID;

  info[1] = INFO_PACKETS;
  if (!ask (self, info, sizeof info, NULL, error))
    return FALSE;
  self->n_outstanding
      = self->buffer[1] == 1 ? CLAMP (self->buffer[2], 1, MOST_OUTSTANDING) : 1;
  info[1] = INFO_CAPS;
  if (!ask (self, info, sizeof info, NULL, error))
    return FALSE;
  self->caps = self->buffer[1] >= 1 ? self->buffer[2] : 0;
  info[1] = INFO_VERSION;
  if (!ask (self, info, sizeof info, NULL, error))
    return FALSE;
  g_free (self->version);
  self->buffer[PACKET_HID - 1] = '\0';
  self->version = self->buffer[1] > 0 ? g_utf8_make_valid ((const char *) self->buffer + 2, -1)
                                      : g_strdup (MARK);
  if (!self->usb.is_interrupt)
    self->packet = CLAMP (told, PACKET_LEAST, PACKET_MOST);

  return TRUE;
}

/* SWD, at the speed that was wished or the fastest. */
static gboolean
prepare_wire (Dap *self,
              GError **error)
{
  static const guint8 connect[] = { DAP_CONNECT, PORT_SWD };
  static const guint8 configure[]
      = { DAP_CONFIGURE, 0, WAIT_RETRIES & 0xFF, WAIT_RETRIES >> 8, 0, 0 };
  static const guint8 swd[] = { DAP_SWD, 0 };
  static const guint8 led[] = { DAP_LED, 0, 1 };
  guint8 clock[5] = { DAP_CLOCK };
  guint wish = self->swd.wish.speed_khz;
  guint khz = MIN (wish != 0 ? wish : FASTEST_KHZ, 100000);

  if (!ask (self, connect, sizeof connect, NULL, error))
    return FALSE;
  if (self->buffer[1] != PORT_SWD)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                           _("This CMSIS-DAP probe does not do SWD."));
      return FALSE;
    }
  self->is_connected = TRUE;
  _ts_probe_put_u32 (clock + 1, khz * 1000);
  self->swd.parent.speed_khz = khz;

  return order (self, clock, sizeof clock, error) && order (self, configure, sizeof configure, error)
         && order (self, swd, sizeof swd, error) && ask (self, led, sizeof led, NULL, error);
}

static gboolean
dap_start (TsSwd *swd,
           GError **error)
{
  Dap *self = (Dap *) swd;

  return greet (self, error) && prepare_wire (self, error);
}

static gboolean
dap_restart (TsSwd *swd,
             GError **error)
{
  Dap *self = (Dap *) swd;
  gboolean is_in_step = self->is_in_step;

  self->is_swo_running = FALSE;
  self->is_in_step = FALSE;
  self->is_pinged = FALSE;
  self->n_owed = 0;
  self->n_before_ping = 0;
  if (is_in_step || _ts_usb_reset (&self->usb))
    return dap_start (swd, error);
  swd->parent.is_gone = TRUE;

  return _ts_usb_fail (&self->usb, LIBUSB_ERROR_NO_DEVICE, error);
}

static TsProbe *
dap_open (const TsProbeOptions *options,
          GError **error)
{
  Dap *self = g_new0 (Dap, 1);

  self->swd.parent.klass = &dap_class;
  self->swd.klass = &dap_wire;
  self->swd.n_most = MOST_ACCESSES;
  if (_ts_usb_open (&self->usb, "cmsis-dap", MARK, identify, options->serial, error)
      && _ts_usb_claim (&self->usb, find_interface (self), error)
      && _ts_swd_begin (&self->swd, options, dap_start, error))
    return &self->swd.parent;
  dap_close (&self->swd.parent);

  return NULL;
}

const TsProbeDriver _ts_cmsis_dap_driver = {
  .type = "cmsis-dap",
  .list = dap_list,
  .open = dap_open,
};
