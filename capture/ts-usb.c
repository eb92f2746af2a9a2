/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-usb.c: finds, opens and talks to devices over libusb. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-usb-private.h"

/* Characters of a serial number in full, and of the raw form that old boot loaders tell. Source:
 * probes.md section 1.11 */
#define SERIAL_LEN 24
#define RAW_SERIAL_LEN 12
#define RAW_DESCRIPTOR_LEN (2 + 2 * RAW_SERIAL_LEN)
#define ENGLISH 0x0409
#define MAX_PORTS 7

static gboolean
fail (GError **error,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, sentence);

  return FALSE;
}

/* ---- names ---- */

/*
 * _ts_usb_dup_text:
 * @handle: an opened device
 * @index: number of a string descriptor
 *
 * A text of the device. Twelve raw bytes in place of a serial number become their digits.
 *
 * Source: probes.md section 1.11
 *
 * Returns: (transfer full) (nullable): printable ASCII; %NULL: there is none
 */
char *
_ts_usb_dup_text (libusb_device_handle *handle,
                  guint8 index)
{
  guint8 raw[255];
  GString *text;
  gboolean is_raw = FALSE;
  int n;

  if (index == 0)
    return NULL;
  n = libusb_get_string_descriptor (handle, index, ENGLISH, raw, sizeof raw);
  if (n < 4)
    return NULL;
  n = MIN (n, raw[0]);
  if (n == RAW_DESCRIPTOR_LEN)
    for (int i = 2; i + 1 < n; i += 2)
      is_raw = is_raw || !g_ascii_isprint (raw[i]) || raw[i + 1] != 0;
  text = g_string_new (NULL);
  for (int i = 2; i + 1 < n; i += 2)
    if (is_raw)
      g_string_append_printf (text, "%02X", raw[i]);
    else
      g_string_append_c (text, g_ascii_isprint (raw[i]) && raw[i + 1] == 0 ? (char) raw[i] : '?');

  return g_string_free (text, FALSE);
}

/* The digits of what a user wrote as twelve raw characters, or as "\x54\xFF...". NULL: neither. */
static char *
dup_digits (const char *wish)
{
  GString *digits = g_string_new (NULL);

  for (const char *p = wish; *p != '\0';)
    if (p[0] == '\\' && p[1] == 'x' && g_ascii_isxdigit (p[2]) && g_ascii_isxdigit (p[3]))
      {
        g_string_append_len (digits, p + 2, 2);
        p += 4;
      }
    else
      {
        gunichar c = g_utf8_get_char_validated (p, -1);

        if (c == (gunichar) -1 || c == (gunichar) -2)
          c = (guint8) *p;
        g_string_append_printf (digits, "%02X", c & 0xFF);
        p += c == (guint8) *p ? 1 : g_utf8_next_char (p) - p;
      }

  if (digits->len == SERIAL_LEN)
    return g_string_free (digits, FALSE);
  g_string_free (digits, TRUE);

  return NULL;
}

/*
 * _ts_usb_is_same_serial:
 * @serial: (nullable): as _ts_usb_dup_text() tells it
 * @wish: what the user wrote
 *
 * Compares serial numbers. Old ones may be written as other programs print them: in raw bytes, or
 * with "\x" before each pair of digits. Zeros in front of a number of digits do not count.
 *
 * Source: probes.md section 1.11
 *
 * Returns: whether the same one is meant
 */
gboolean
_ts_usb_is_same_serial (const char *serial,
                        const char *wish)
{
  g_autofree char *digits = NULL;

  if (serial == NULL)
    return FALSE;
  if (g_ascii_strcasecmp (serial, wish) == 0)
    return TRUE;
  if (strspn (serial, "0123456789") == strlen (serial)
      && strspn (wish, "0123456789") == strlen (wish) && *wish != '\0')
    return strcmp (serial + strspn (serial, "0"), wish + strspn (wish, "0")) == 0;
  digits = dup_digits (wish);

  return digits != NULL && g_ascii_strcasecmp (serial, digits) == 0;
}

/* Where it is plugged in, for those without a serial number: "1-4.2", as the kernel names it. */
static char *
dup_location (libusb_device *device)
{
  guint8 ports[MAX_PORTS];
  int n = libusb_get_port_numbers (device, ports, sizeof ports);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%u", libusb_get_bus_number (device));
  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%c%u", i == 0 ? '-' : '.', ports[i]);

  return g_string_free (text, FALSE);
}

static char *
dup_node (libusb_device *device)
{
  return g_strdup_printf ("/dev/bus/usb/%03u/%03u", libusb_get_bus_number (device),
                          libusb_get_device_address (device));
}

/* ---- why not ---- */

/* The program that has @node open, as far as this user may know: "openocd (4711)". */
static char *
dup_holder (const char *node)
{
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *number;

  while (processes != NULL && (number = g_dir_read_name (processes)) != NULL)
    {
      g_autofree char *folder = g_build_filename ("/proc", number, "fd", NULL);
      g_autoptr (GDir) files = NULL;
      const char *file;

      if (!g_ascii_isdigit (*number) || g_ascii_strtoull (number, NULL, 10) == (guint64) getpid ())
        continue;
      files = g_dir_open (folder, 0, NULL);
      while (files != NULL && (file = g_dir_read_name (files)) != NULL)
        {
          g_autofree char *link = g_build_filename (folder, file, NULL);
          g_autofree char *target = g_file_read_link (link, NULL);
          g_autofree char *path = NULL;
          g_autofree char *name = NULL;

          if (g_strcmp0 (target, node) != 0)
            continue;
          path = g_build_filename ("/proc", number, "comm", NULL);
          if (!g_file_get_contents (path, &name, NULL, NULL))
            return NULL;
          return g_strdup_printf ("%s (%s)", g_strchomp (name), number);
        }
    }

  return NULL;
}

/*
 * _ts_usb_dup_open_problem:
 * @code: libusb's, of opening or claiming
 * @name: of the probe
 * @node: its file in /dev
 *
 * Source: probes.md section 8
 *
 * Returns: (transfer full): one sentence that says what to do
 */
char *
_ts_usb_dup_open_problem (int code,
                          const char *name,
                          const char *node)
{
  if (code == LIBUSB_ERROR_ACCESS)
    {
      g_autofree char *rule = ts_probe_dup_udev_rule ();

      if (rule != NULL)
        return g_strdup_printf (
            _("No permission to use the %s, though %s is installed: plug the probe in again; it "
              "belongs to whoever is logged in at this machine's own screen."),
            name, rule);
      return g_strdup_printf (
          _("No permission to use the %s: copy 70-taskscope.rules to /etc/udev/rules.d and plug the "
            "probe in again."),
          name);
    }
  if (code == LIBUSB_ERROR_BUSY)
    {
      g_autofree char *holder = dup_holder (node);

      if (holder != NULL)
        return g_strdup_printf (_("The %s is in use by another program, %s: end it first."), name,
                                holder);
      return g_strdup_printf (_("The %s is in use by another program: end it first."), name);
    }

  return g_strdup_printf (_("Cannot open the %s: %s"), name, libusb_strerror (code));
}

/*
 * _ts_usb_fail:
 * @self: a device
 * @code: what a transfer ended with
 * @error: return location
 *
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %FALSE
 */
gboolean
_ts_usb_fail (TsUsb *self,
              int code,
              GError **error)
{
  if (code == LIBUSB_ERROR_NO_DEVICE)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                 _("The %s was unplugged. What arrived before is kept."), self->name);
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                 _("The %s does not answer as it should (%s): plug it in again."), self->name,
                 code != 0 ? libusb_strerror (code) : _("short transfer"));

  return FALSE;
}

/* ---- finding ---- */

/* What is known of one device. @handle: it, opened, or NULL with a problem. */
static TsProbeInfo *
look_at (const char *type,
         libusb_device *device,
         TsUsbIdentify identify,
         libusb_device_handle **handle)
{
  struct libusb_device_descriptor descriptor;
  TsProbeInfo *info = g_new0 (TsProbeInfo, 1);
  int code;

  *handle = NULL;
  info->location = dup_location (device);
  if (libusb_get_device_descriptor (device, &descriptor) != 0
      || !identify (device, &descriptor, info))
    {
      ts_probe_info_free (info);
      return NULL;
    }
  info->type = g_strdup (type);
  info->vid = descriptor.idVendor;
  info->pid = descriptor.idProduct;
  code = libusb_open (device, handle);
  if (code == 0)
    info->serial = _ts_usb_dup_text (*handle, descriptor.iSerialNumber);
  else
    {
      g_autofree char *node = dup_node (device);

      *handle = NULL;
      if (info->problem == NULL)
        info->problem = _ts_usb_dup_open_problem (code, info->description, node);
    }

  return info;
}

/*
 * _ts_usb_list:
 * @type: of the probes
 * @identify: which devices they are
 * @probes: (element-type TsProbeInfo): where to add them
 * @error: return location
 *
 * Errors: %TS_CAPTURE_ERROR_CONNECT
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_usb_list (const char *type,
              TsUsbIdentify identify,
              GPtrArray *probes,
              GError **error)
{
  libusb_context *context = NULL;
  libusb_device **devices = NULL;
  gssize n;

  if (libusb_init (&context) != 0)
    return fail (error, _("USB cannot be used on this machine."));

  n = libusb_get_device_list (context, &devices);
  for (gssize i = 0; i < n; i++)
    {
      libusb_device_handle *handle;
      TsProbeInfo *info = look_at (type, devices[i], identify, &handle);

      if (handle != NULL)
        libusb_close (handle);
      if (info != NULL)
        g_ptr_array_add (probes, info);
    }
  if (n >= 0)
    libusb_free_device_list (devices, 1);
  libusb_exit (context);

  return TRUE;
}

/* Whether @info is meant by @wish: a serial number, or where it is plugged in; nothing: any. */
static gboolean
is_meant (const TsProbeInfo *info,
          const char *wish)
{
  return wish == NULL || *wish == '\0' || _ts_usb_is_same_serial (info->serial, wish)
         || g_strcmp0 (info->location, wish) == 0;
}

/*
 * _ts_usb_open:
 * @self: to be filled in; to be closed also after a failure
 * @type: "stlink", for the name of a key
 * @name: "ST-LINK", for sentences
 * @identify: which devices come into question
 * @wish: (nullable): serial number, or bus and port path
 * @error: return location
 *
 * Opens the one device that is meant.
 *
 * Errors: %TS_CAPTURE_ERROR_CONNECT
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_usb_open (TsUsb *self,
              const char *type,
              const char *name,
              TsUsbIdentify identify,
              const char *wish,
              GError **error)
{
  libusb_device **devices = NULL;
  g_autofree char *problem = NULL;
  guint n_probes = 0, n_matches = 0;
  gssize n;

  self->name = name;
  self->number = -1;
  if (libusb_init (&self->context) != 0)
    {
      self->context = NULL;
      return fail (error, _("USB cannot be used on this machine."));
    }

  n = libusb_get_device_list (self->context, &devices);
  for (gssize i = 0; i < n; i++)
    {
      libusb_device_handle *handle;
      TsProbeInfo *info = look_at (type, devices[i], identify, &handle);
      gboolean is_match = info != NULL && handle != NULL && is_meant (info, wish);

      n_probes += info != NULL;
      if (info != NULL && info->problem != NULL && (handle == NULL || is_match))
        {
          g_free (problem);
          problem = g_strdup (info->problem);
          is_match = FALSE;
        }
      if (is_match && n_matches++ == 0)
        self->handle = g_steal_pointer (&handle);
      if (handle != NULL)
        libusb_close (handle);
      if (info != NULL)
        ts_probe_info_free (info);
    }
  if (n >= 0)
    libusb_free_device_list (devices, 1);

  if (n_matches == 1)
    return TRUE;
  if (n_matches > 1)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("More than one %s is plugged in: choose one with “%s-serial” (the verb “probes” "
                   "lists them)."),
                 name, type);
  else if (problem != NULL)
    g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, problem);
  else if (n_probes > 0)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("No %s has the serial number “%s” (the verb “probes” lists those that are "
                   "plugged in)."),
                 name, wish);
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("No %s is plugged in: connect the probe, and check its cable."), name);

  return FALSE;
}

/* Whether @device is plugged in there. */
gboolean
_ts_usb_is_at (libusb_device *device,
               guint8 bus,
               const guint8 *ports,
               gsize n_ports)
{
  guint8 own_ports[MAX_PORTS];
  int n = libusb_get_port_numbers (device, own_ports, sizeof own_ports);

  return libusb_get_bus_number (device) == bus && n >= 0 && (gsize) n == n_ports
         && memcmp (own_ports, ports, n_ports) == 0;
}

/*
 * _ts_usb_open_at:
 * @self: to be filled in; to be closed also after a failure
 * @name: "J-Link", for sentences
 * @bus: where it is plugged in
 * @ports: (array length=n_ports): and there
 * @n_ports: how many hubs and ports
 *
 * Opens the device at one place, whatever it is.
 *
 * Returns: whether there is one that may be opened
 */
gboolean
_ts_usb_open_at (TsUsb *self,
                 const char *name,
                 guint8 bus,
                 const guint8 *ports,
                 gsize n_ports)
{
  libusb_device **devices = NULL;
  gssize n;

  self->name = name;
  self->number = -1;
  if (libusb_init (&self->context) != 0)
    {
      self->context = NULL;
      return FALSE;
    }
  n = libusb_get_device_list (self->context, &devices);
  for (gssize i = 0; i < n && self->handle == NULL; i++)
    if (_ts_usb_is_at (devices[i], bus, ports, n_ports)
        && libusb_open (devices[i], &self->handle) != 0)
      self->handle = NULL;
  if (n >= 0)
    libusb_free_device_list (devices, 1);

  return self->handle != NULL;
}

/*
 * _ts_usb_find_interface:
 * @self: an opened device
 * @klass: class of the interface
 *
 * Returns: number of the first interface of that class, -1: none
 */
int
_ts_usb_find_interface (TsUsb *self,
                        guint8 klass)
{
  struct libusb_config_descriptor *config = NULL;
  int number = -1;

  if (libusb_get_active_config_descriptor (libusb_get_device (self->handle), &config) != 0)
    return -1;
  for (guint i = 0; i < config->bNumInterfaces && number < 0; i++)
    if (config->interface[i].num_altsetting > 0
        && config->interface[i].altsetting[0].bInterfaceClass == klass)
      number = config->interface[i].altsetting[0].bInterfaceNumber;
  libusb_free_config_descriptor (config);

  return number;
}

/*
 * _ts_usb_claim:
 * @self: an opened device
 * @number: of the interface
 * @error: return location
 *
 * Takes an interface. A driver of the kernel makes way; another program never does.
 *
 * Errors: %TS_CAPTURE_ERROR_CONNECT
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_usb_claim (TsUsb *self,
               int number,
               GError **error)
{
  int code;

  (void) libusb_set_auto_detach_kernel_driver (self->handle, 1);
  code = libusb_claim_interface (self->handle, number);
  if (code != 0)
    {
      g_autofree char *node = dup_node (libusb_get_device (self->handle));
      g_autofree char *problem = _ts_usb_dup_open_problem (code, self->name, node);

      return fail (error, problem);
    }
  self->number = number;

  return TRUE;
}

/*
 * _ts_usb_reset:
 * @self: a device that is out of step
 *
 * Resets the device's USB side, so that a new conversation can begin.
 *
 * Returns: %FALSE: it is gone
 */
gboolean
_ts_usb_reset (TsUsb *self)
{
  int number = self->number;

  return libusb_reset_device (self->handle) == 0
         && (number < 0 || libusb_claim_interface (self->handle, number) == 0);
}

/* Lets go of everything; @self may be half open. */
void
_ts_usb_close (TsUsb *self)
{
  if (self->handle != NULL && self->number >= 0)
    libusb_release_interface (self->handle, self->number);
  g_clear_pointer (&self->handle, libusb_close);
  g_clear_pointer (&self->context, libusb_exit);
}

/* ---- transfers ---- */

static int
get_code (const struct libusb_transfer *transfer)
{
  switch (transfer->status)
    {
    case LIBUSB_TRANSFER_COMPLETED:
      return 0;
    case LIBUSB_TRANSFER_TIMED_OUT:
      return LIBUSB_ERROR_TIMEOUT;
    case LIBUSB_TRANSFER_STALL:
      return LIBUSB_ERROR_PIPE;
    case LIBUSB_TRANSFER_NO_DEVICE:
      return LIBUSB_ERROR_NO_DEVICE;
    case LIBUSB_TRANSFER_OVERFLOW:
      return LIBUSB_ERROR_OVERFLOW;
    case LIBUSB_TRANSFER_CANCELLED:
      return LIBUSB_ERROR_INTERRUPTED;
    case LIBUSB_TRANSFER_ERROR:
    default:
      return LIBUSB_ERROR_IO;
    }
}

static void
on_done (struct libusb_transfer *transfer)
{
  *(int *) transfer->user_data = TRUE;
}

/* Handles events until @is_done; a transfer that cannot be handled any more is cancelled. */
static void
wait_done (TsUsb *self,
           struct libusb_transfer *transfer,
           int *is_done)
{
  while (!*is_done)
    {
      int code = libusb_handle_events_completed (self->context, is_done);

      if (code != 0 && code != LIBUSB_ERROR_INTERRUPTED)
        (void) libusb_cancel_transfer (transfer);
    }
}

/*
 * _ts_usb_exchange:
 * @self: a device
 * @out_endpoint: where to send
 * @out: (array length=n_out): a command
 * @n_out: its length
 * @in_endpoint: where the answer comes from
 * @in: (array length=n_in): room for it
 * @n_in: most that may come
 * @n_done: (out): what came
 * @timeout_ms: for each of the two
 *
 * Command and answer, both handed to the controller at once: a round trip less for the host than
 * one after the other.
 *
 * Source: probes.md section 1.2
 *
 * Returns: 0, or libusb's code
 */
int
_ts_usb_exchange (TsUsb *self,
                  guint8 out_endpoint,
                  guint8 *out,
                  gsize n_out,
                  guint8 in_endpoint,
                  guint8 *in,
                  gsize n_in,
                  gsize *n_done,
                  guint timeout_ms)
{
  struct libusb_transfer *send = libusb_alloc_transfer (0);
  struct libusb_transfer *receive = libusb_alloc_transfer (0);
  int is_sent = FALSE, is_received = FALSE;
  int code;

  *n_done = 0;
  libusb_fill_bulk_transfer (send, self->handle, out_endpoint, out, (int) n_out, on_done,
                             &is_sent, timeout_ms);
  libusb_fill_bulk_transfer (receive, self->handle, in_endpoint, in, (int) n_in, on_done,
                             &is_received, timeout_ms);
  if (self->is_interrupt)
    send->type = receive->type = LIBUSB_TRANSFER_TYPE_INTERRUPT;
  code = libusb_submit_transfer (send);
  if (code == 0)
    {
      code = libusb_submit_transfer (receive);
      if (code != 0)
        (void) libusb_cancel_transfer (send);
      wait_done (self, send, &is_sent);
      if (code == 0)
        {
          code = get_code (send);
          if (code != 0)
            (void) libusb_cancel_transfer (receive);
          wait_done (self, receive, &is_received);
          code = code != 0 ? code : get_code (receive);
          *n_done = (gsize) MAX (receive->actual_length, 0);
        }
    }
  libusb_free_transfer (send);
  libusb_free_transfer (receive);

  return code;
}
