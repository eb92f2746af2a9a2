/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-probe.c: probes that answer anything.
 *
 * libusb is replaced by this file: one device is plugged in, and whatever it is asked, its answers
 * are the input. The first byte chooses which probe it says it is; then each answer takes its length
 * (two bytes; 0xFFFF: a broken transfer, 0xFFFE: the probe is gone) and its bytes; what is missing
 * is zero. Whoever attaches in spite of that reads, writes, halts and resumes.
 */
#include "config.h"

#include <libusb.h>
#include <stdio.h>
#include <string.h>

#include "capture/ts-probe.h"
#include "fuzz-target.h"

#define MOST_CALLS 2000

static struct
{
  const uint8_t *bytes;
  size_t n_bytes;
  size_t at;
  guint n_calls;
  guint kind;
  libusb_transfer_cb_fn pending_callback;
  struct libusb_transfer *pending[4];
  guint n_pending;
} input;

static const struct
{
  const char *type;
  guint16 vid;
  guint16 pid;
  guint8 interface_class;
  guint8 endpoint_type;
  guint8 endpoints[3];
} kinds[] = {
  { "stlink", 0x0483, 0x3748, 0xFF, 2, { 0x81, 0x02, 0x83 } },
  { "stlink", 0x0483, 0x374B, 0xFF, 2, { 0x81, 0x01, 0x82 } },
  { "stlink", 0x0483, 0x374E, 0xFF, 2, { 0x81, 0x01, 0x82 } },
  { "cmsis-dap", 0x2E8A, 0x000C, 0xFF, 2, { 0x82, 0x01, 0x83 } },
  { "cmsis-dap", 0x2E8A, 0x000C, 0x03, 3, { 0x82, 0x01, 0x83 } },
};

static size_t
take (uint8_t *out, size_t n)
{
  size_t n_left = input.n_bytes - input.at;
  size_t n_taken = MIN (n, n_left);

  memset (out, 0, n);
  if (n_taken > 0)
    memcpy (out, input.bytes + input.at, n_taken);
  input.at += n_taken;
  return n_taken;
}

/* An answer: libusb's code, and how long it is. */
static int
answer (uint8_t *out, int room, int *n_done)
{
  uint8_t head[2];
  guint n;

  *n_done = 0;
  if (++input.n_calls > MOST_CALLS)
    return LIBUSB_ERROR_NO_DEVICE;
  if (take (head, 2) < 2)
    n = (guint) room; /* the input is at its end: zeros of the right length */
  else
    n = (guint) head[0] | (guint) head[1] << 8;
  if (n == 0xFFFF)
    return LIBUSB_ERROR_TIMEOUT;
  if (n == 0xFFFE)
    return LIBUSB_ERROR_NO_DEVICE;
  if (n > (guint) room)
    return LIBUSB_ERROR_OVERFLOW;
  take (out, n);
  *n_done = (int) n;
  return 0;
}

/* ---- libusb ---- */

int
libusb_init (libusb_context **context)
{
  *context = (libusb_context *) &input;
  return 0;
}

void
libusb_exit (libusb_context *context)
{
}

ssize_t
libusb_get_device_list (libusb_context *context, libusb_device ***list)
{
  *list = g_new0 (libusb_device *, 2);
  (*list)[0] = (libusb_device *) &input;
  return 1;
}

void
libusb_free_device_list (libusb_device **list, int unref)
{
  g_free (list);
}

int
libusb_get_device_descriptor (libusb_device *device, struct libusb_device_descriptor *descriptor)
{
  memset (descriptor, 0, sizeof *descriptor);
  descriptor->idVendor = kinds[input.kind].vid;
  descriptor->idProduct = kinds[input.kind].pid;
  descriptor->iSerialNumber = 3;
  return 0;
}

int
libusb_open (libusb_device *device, libusb_device_handle **handle)
{
  *handle = (libusb_device_handle *) &input;
  return 0;
}

void
libusb_close (libusb_device_handle *handle)
{
}

libusb_device *
libusb_get_device (libusb_device_handle *handle)
{
  return (libusb_device *) &input;
}

uint8_t
libusb_get_bus_number (libusb_device *device)
{
  return 1;
}

uint8_t
libusb_get_device_address (libusb_device *device)
{
  return 2;
}

int
libusb_get_port_numbers (libusb_device *device, uint8_t *ports, int n)
{
  ports[0] = 1;
  return 1;
}

int
libusb_get_active_config_descriptor (libusb_device *device,
                                     struct libusb_config_descriptor **config)
{
  struct
  {
    struct libusb_config_descriptor config;
    struct libusb_interface interface;
    struct libusb_interface_descriptor setting;
    struct libusb_endpoint_descriptor endpoints[3];
  } *all = g_malloc0 (sizeof *all);

  all->config.bNumInterfaces = 1;
  all->config.bConfigurationValue = 1;
  all->config.interface = &all->interface;
  all->interface.altsetting = &all->setting;
  all->interface.num_altsetting = 1;
  all->setting.bInterfaceClass = kinds[input.kind].interface_class;
  all->setting.bNumEndpoints = 3;
  all->setting.endpoint = all->endpoints;
  for (guint i = 0; i < 3; i++)
    {
      all->endpoints[i].bEndpointAddress = kinds[input.kind].endpoints[i];
      all->endpoints[i].bmAttributes = kinds[input.kind].endpoint_type;
    }
  *config = &all->config;
  return 0;
}

void
libusb_free_config_descriptor (struct libusb_config_descriptor *config)
{
  g_free (config);
}

int
libusb_set_auto_detach_kernel_driver (libusb_device_handle *handle, int enable)
{
  return 0;
}

int
libusb_claim_interface (libusb_device_handle *handle, int number)
{
  return 0;
}

int
libusb_release_interface (libusb_device_handle *handle, int number)
{
  return 0;
}

int
libusb_reset_device (libusb_device_handle *handle)
{
  return 0;
}

const char *
libusb_strerror (int code)
{
  return "told by the input";
}

int
libusb_control_transfer (libusb_device_handle *handle, uint8_t type, uint8_t request,
                         uint16_t value, uint16_t index, uint8_t *data, uint16_t length,
                         unsigned int timeout)
{
  int n, code;

  if ((type & LIBUSB_ENDPOINT_IN) == 0)
    return length;
  code = answer (data, length, &n);
  return code != 0 ? code : n;
}

int
libusb_bulk_transfer (libusb_device_handle *handle, uint8_t endpoint, uint8_t *data, int length,
                      int *n_done, unsigned int timeout)
{
  if ((endpoint & LIBUSB_ENDPOINT_IN) != 0)
    return answer (data, length, n_done);
  *n_done = length;
  return ++input.n_calls > MOST_CALLS ? LIBUSB_ERROR_NO_DEVICE : 0;
}

int
libusb_interrupt_transfer (libusb_device_handle *handle, uint8_t endpoint, uint8_t *data,
                           int length, int *n_done, unsigned int timeout)
{
  return libusb_bulk_transfer (handle, endpoint, data, length, n_done, timeout);
}

struct libusb_transfer *
libusb_alloc_transfer (int n_packets)
{
  return g_new0 (struct libusb_transfer, 1);
}

void
libusb_free_transfer (struct libusb_transfer *transfer)
{
  g_free (transfer);
}

int
libusb_submit_transfer (struct libusb_transfer *transfer)
{
  int n = transfer->length, code = 0;

  if ((transfer->endpoint & LIBUSB_ENDPOINT_IN) != 0)
    code = answer (transfer->buffer, transfer->length, &n);
  transfer->actual_length = n;
  transfer->status = code == 0                       ? LIBUSB_TRANSFER_COMPLETED
                     : code == LIBUSB_ERROR_NO_DEVICE ? LIBUSB_TRANSFER_NO_DEVICE
                     : code == LIBUSB_ERROR_OVERFLOW  ? LIBUSB_TRANSFER_OVERFLOW
                                                      : LIBUSB_TRANSFER_TIMED_OUT;
  g_assert (input.n_pending < G_N_ELEMENTS (input.pending));
  input.pending[input.n_pending++] = transfer;
  return 0;
}

int
libusb_cancel_transfer (struct libusb_transfer *transfer)
{
  return 0;
}

int
libusb_handle_events_completed (libusb_context *context, int *completed)
{
  g_assert (input.n_pending > 0);
  while (input.n_pending > 0)
    {
      struct libusb_transfer *transfer = input.pending[--input.n_pending];

      transfer->callback (transfer);
    }
  return 0;
}

/* Nobody waits for a target here. */
void
g_usleep (gulong microseconds)
{
}

/* What the kernel tells of a device: its product. Other files are files. */
gboolean
g_file_get_contents (const gchar *path, gchar **contents, gsize *length, GError **error)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 piece[4096];
  FILE *file = g_str_has_prefix (path, "/sys/") ? NULL : fopen (path, "rb");
  size_t n;

  if (g_str_has_prefix (path, "/sys/"))
    g_byte_array_append (bytes, (const guint8 *) "CMSIS-DAP", 9);
  else if (file == NULL)
    {
      g_byte_array_unref (bytes);
      g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, path);
      return FALSE;
    }
  while (file != NULL && (n = fread (piece, 1, sizeof piece, file)) > 0)
    g_byte_array_append (bytes, piece, (guint) n);
  if (file != NULL)
    fclose (file);
  if (length != NULL)
    *length = bytes->len;
  g_byte_array_append (bytes, (const guint8 *) "", 1);
  *contents = (gchar *) g_byte_array_free (bytes, FALSE);
  return TRUE;
}

/* ---- the target of the fuzzer ---- */

static void
use (TsProbe *probe)
{
  TsProbeAccess accesses[40] = { { TRUE, 0x20000000, 1 }, { FALSE, 0x20000010, 0 } };
  uint8_t bytes[7000];

  (void) ts_probe_get_voltage (probe);
  (void) ts_probe_read (probe, 0x20000001, bytes, sizeof bytes, NULL);
  (void) ts_probe_read_units (probe, 0x20000001, 1, bytes, 130, NULL);
  (void) ts_probe_write_units (probe, 0x20000002, 2, bytes, 130, NULL);
  (void) ts_probe_run_batch (probe, accesses, G_N_ELEMENTS (accesses), NULL);
  if (ts_probe_swo_start (probe, 2000000, NULL))
    {
      gssize n = ts_probe_swo_read (probe, bytes, sizeof bytes, NULL);

      g_assert (n <= (gssize) sizeof bytes);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TsProbeOptions options = { NULL, 0, 0, FALSE };
  GPtrArray *warnings;
  GError *error = NULL;
  TsProbe *probe;

  if (size < 1)
    return 0;
  memset (&input, 0, sizeof input);
  input.kind = data[0] % G_N_ELEMENTS (kinds);
  input.bytes = data + 1;
  input.n_bytes = size - 1;
  options.access_port = data[0] >> 6;
  options.is_under_reset = (data[0] & 0x20) != 0;

  warnings = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_unref (ts_probe_list (warnings));
  g_ptr_array_unref (warnings);
  probe = ts_probe_open (kinds[input.kind].type, &options, &error);
  g_assert ((probe == NULL) == (error != NULL));
  g_clear_error (&error);
  if (probe != NULL)
    {
      use (probe);
      ts_probe_close (probe);
    }
  return 0;
}
