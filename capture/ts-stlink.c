/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-stlink.c: ST-LINK V2, V2-1 and V3 over libusb.
 *
 * Facts: probes.md section 1. One command at a time: 16 bytes out, data out or in, done.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <libusb.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-stlink-private.h"

#define ST_VENDOR 0x0483
#define COMMAND_LEN 16
#define TIMEOUT_MS 1000
#define MAX_READ 6144
#define SWO_BUFFER 4096
#define SWO_BUFFER_V3 16384
#define MAX_TRIES 9
/* Older firmware has bugs when it changes modes. Source: probes.md section 1.3 */
#define LEAST_V2 26
#define LEAST_V3 3
#define LOW_MV 1500
/* Firmware that knows batches of accesses. Source: probes.md section 1.3 */
#define BATCH_SINCE_V2 32
#define BATCH_SINCE_V3 2

/* Commands. Source: probes.md section 1.4 */
enum
{
  CMD_VERSION = 0xF1,
  CMD_DEBUG = 0xF2,
  CMD_DFU = 0xF3,
  CMD_SWIM = 0xF4,
  CMD_MODE = 0xF5,
  CMD_VOLTAGE = 0xF7,
  CMD_VERSION_3 = 0xFB,

  DEBUG_READ_32 = 0x07,
  DEBUG_WRITE_32 = 0x08,
  DEBUG_EXIT = 0x21,
  DEBUG_ENTER = 0x30,
  DEBUG_WRITE_REG = 0x35,
  DEBUG_READ_REG = 0x36,
  DEBUG_NRST = 0x3C,
  DEBUG_STATUS = 0x3E,
  DEBUG_SWO_START = 0x40,
  DEBUG_SWO_STOP = 0x41,
  DEBUG_SWO_COUNT = 0x42,
  DEBUG_SPEED_V2 = 0x43,
  DEBUG_OPEN_AP = 0x4B,
  DEBUG_BATCH_OUT = 0x51,
  DEBUG_BATCH_IN = 0x52,
  DEBUG_SPEED_SET_V3 = 0x61,
  DEBUG_SPEEDS_V3 = 0x62,

  ENTER_SWD_NO_RESET = 0xA3,
  MODE_DFU = 0,
  MODE_DEBUG = 2,
  MODE_SWIM = 3,
  MODE_BOOT = 4,

  STATUS_OK = 0x80,
  STATUS_AP_WAIT = 0x10,
  STATUS_DP_WAIT = 0x14,
};

#define IN_BOOT_LOADER                                                                             \
  N_("The STLINK-V3 is in its boot loader: plug it in again, or update its firmware.")

/* Source: probes.md section 1.1 */
static const struct
{
  guint16 pid;
  const char *name;
  const char *problem;
} products[] = {
  { 0x3744, "ST-LINK/V1",
    N_("The ST-LINK/V1 is too old: it cannot read memory while a core runs.") },
  { 0x3748, "ST-LINK/V2", NULL },
  { 0x374A, "ST-LINK/V2-1", NULL },
  { 0x374B, "ST-LINK/V2-1", NULL },
  { 0x3742, "ST-LINK/V2-1", NULL },
  { 0x3752, "ST-LINK/V2-1", NULL },
  { 0x374D, "STLINK-V3", IN_BOOT_LOADER },
  { 0x3755, "STLINK-V3", IN_BOOT_LOADER },
  { 0x374E, "STLINK-V3", NULL },
  { 0x374F, "STLINK-V3", NULL },
  { 0x3753, "STLINK-V3", NULL },
  { 0x3754, "STLINK-V3", NULL },
  { 0x3757, "STLINK-V3PWR", NULL },
};

typedef struct
{
  TsProbe parent;
  libusb_context *usb;
  libusb_device_handle *handle;
  guint8 out;
  guint8 in;
  guint8 swo;
  guint generation;
  guint firmware; /* J */
  guint extra;    /* M or B */
  guint access_port;
  guint speed_khz;
  gboolean is_claimed;
  gboolean is_attached;
  gboolean is_swo_running;
} Stlink;

static gboolean
fail (GError **error,
      int code,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);

  return FALSE;
}

/* ---- transfers ---- */

static gboolean
bulk (Stlink *self,
      guint8 endpoint,
      guint8 *bytes,
      gsize n_bytes,
      gsize *n_done,
      GError **error)
{
  int n = 0;
  int code = libusb_bulk_transfer (self->handle, endpoint, bytes, (int) n_bytes, &n, TIMEOUT_MS);

  if (n_done != NULL)
    *n_done = (gsize) MAX (n, 0);
  if (code == 0 && (n_done != NULL || (gsize) n == n_bytes))
    return TRUE;

  self->parent.is_gone = TRUE;
  if (code == LIBUSB_ERROR_NO_DEVICE)
    return fail (error, TS_CAPTURE_ERROR_LOST,
                 _("The ST-LINK was unplugged. What arrived before is kept."));
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
               _("The ST-LINK does not answer as it should (%s): plug it in again."),
               code != 0 ? libusb_strerror (code) : _("short transfer"));

  return FALSE;
}

/* One command and its answer of exactly @n_in bytes. */
static gboolean
command (Stlink *self,
         const guint8 *bytes,
         gsize n_bytes,
         guint8 *in,
         gsize n_in,
         GError **error)
{
  guint8 padded[COMMAND_LEN] = { 0 };

  if (self->parent.is_gone)
    return fail (error, TS_CAPTURE_ERROR_LOST, _("The connection to the ST-LINK broke earlier."));

  memcpy (padded, bytes, n_bytes);
  self->parent.counters.n_trips++;

  return bulk (self, self->out, padded, sizeof padded, NULL, error)
         && (n_in == 0 || bulk (self, self->in, in, n_in, NULL, error));
}

/* A debug command whose answer begins with a status byte. */
static gboolean
debug_command (Stlink *self,
               const guint8 *bytes,
               gsize n_bytes,
               guint8 *in,
               gsize n_in,
               GError **error)
{
  for (guint i = 0;; i++)
    {
      if (!command (self, bytes, n_bytes, in, n_in, error))
        return FALSE;
      if (in[0] == STATUS_OK)
        return TRUE;
      if ((in[0] != STATUS_AP_WAIT && in[0] != STATUS_DP_WAIT) || i + 1 == MAX_TRIES)
        return _ts_stlink_fail_status (in[0], 0, error);
      self->parent.counters.n_retries++;
      g_usleep (1000u << MIN (i, 7));
    }
}

static void
put_u32 (guint8 *at,
         guint32 value)
{
  at[0] = (guint8) value;
  at[1] = (guint8) (value >> 8);
  at[2] = (guint8) (value >> 16);
  at[3] = (guint8) (value >> 24);
}

static guint32
get_u32 (const guint8 *at)
{
  return (guint32) at[0] | (guint32) at[1] << 8 | (guint32) at[2] << 16 | (guint32) at[3] << 24;
}

/* Source: probes.md section 1.7: a memory command has no status of its own. */
static gboolean
memory_status (Stlink *self,
               guint *status,
               guint32 *address,
               GError **error)
{
  static const guint8 ask[] = { CMD_DEBUG, DEBUG_STATUS };
  guint8 answer[12];

  if (!command (self, ask, sizeof ask, answer, sizeof answer, error))
    return FALSE;
  *status = answer[0];
  *address = get_u32 (answer + 4);

  return TRUE;
}

static gboolean
is_core_register (guint32 address)
{
  return address >= 0xE0000000;
}

static gboolean
stlink_read_words (TsProbe *probe,
                   guint32 address,
                   guint8 *bytes,
                   gsize n_bytes,
                   GError **error)
{
  Stlink *self = (Stlink *) probe;
  guint8 ask[COMMAND_LEN] = { CMD_DEBUG, DEBUG_READ_32 };

  if (n_bytes == 4 && is_core_register (address) && self->access_port == 0)
    {
      guint8 answer[8];

      ask[1] = DEBUG_READ_REG;
      put_u32 (ask + 2, address);
      if (!debug_command (self, ask, 6, answer, sizeof answer, error))
        return FALSE;
      memcpy (bytes, answer + 4, 4);
      return TRUE;
    }

  put_u32 (ask + 2, address);
  ask[6] = (guint8) n_bytes;
  ask[7] = (guint8) (n_bytes >> 8);
  ask[8] = (guint8) self->access_port;
  for (guint i = 0;; i++)
    {
      guint status;
      guint32 fault;

      if (!command (self, ask, COMMAND_LEN, bytes, n_bytes, error)
          || !memory_status (self, &status, &fault, error))
        return FALSE;
      if (status == STATUS_OK)
        return TRUE;
      if ((status != STATUS_AP_WAIT && status != STATUS_DP_WAIT) || i + 1 == MAX_TRIES)
        return _ts_stlink_fail_status (status, fault, error);
      probe->counters.n_retries++;
      g_usleep (1000u << MIN (i, 7));
    }
}

static gboolean
stlink_write_word (TsProbe *probe,
                   guint32 address,
                   guint32 value,
                   GError **error)
{
  Stlink *self = (Stlink *) probe;
  guint8 ask[COMMAND_LEN] = { CMD_DEBUG, DEBUG_WRITE_32 };
  guint8 word[4];

  if (is_core_register (address) && self->access_port == 0)
    {
      guint8 answer[2];

      ask[1] = DEBUG_WRITE_REG;
      put_u32 (ask + 2, address);
      put_u32 (ask + 6, value);
      return debug_command (self, ask, 10, answer, sizeof answer, error);
    }

  put_u32 (ask + 2, address);
  ask[6] = sizeof word;
  ask[8] = (guint8) self->access_port;
  put_u32 (word, value);
  for (guint i = 0;; i++)
    {
      guint status;
      guint32 fault;

      if (!command (self, ask, COMMAND_LEN, NULL, 0, error)
          || !bulk (self, self->out, word, sizeof word, NULL, error)
          || !memory_status (self, &status, &fault, error))
        return FALSE;
      if (status == STATUS_OK)
        return TRUE;
      if ((status != STATUS_AP_WAIT && status != STATUS_DP_WAIT) || i + 1 == MAX_TRIES)
        return _ts_stlink_fail_status (status, fault, error);
      probe->counters.n_retries++;
      g_usleep (1000u << MIN (i, 7));
    }
}

/* Source: probes.md section 1.8 */
static gboolean
stlink_run_batch (TsProbe *probe,
                  TsProbeAccess *accesses,
                  gsize n_accesses,
                  GError **error)
{
  static const guint8 fetch[] = { CMD_DEBUG, DEBUG_BATCH_IN };
  Stlink *self = (Stlink *) probe;
  guint8 ask[6] = { CMD_DEBUG, DEBUG_BATCH_OUT };
  guint8 data[TS_STLINK_BATCH_BYTES], answer[8 * TS_STLINK_MAX_BATCH];
  gsize n_data;
  guint n = _ts_stlink_batch_encode (accesses, n_accesses, self->access_port, data, &n_data);
  guint status;
  guint32 address;

  put_u32 (ask + 2, n);
  if (!command (self, ask, sizeof ask, NULL, 0, error)
      || !bulk (self, self->out, data, n_data, NULL, error)
      || !command (self, fetch, sizeof fetch, answer, 8 * n, error))
    return FALSE;
  status = _ts_stlink_batch_decode (accesses, n_accesses, answer, n, &address);
  if (status == STATUS_OK)
    return TRUE;
  if (status != STATUS_AP_WAIT && status != STATUS_DP_WAIT)
    return _ts_stlink_fail_status (status, address, error);

  /* a target that asks to wait now and then gets its accesses one by one, each repeated alone */
  probe->counters.n_retries++;
  for (gsize i = 0; i < n_accesses; i++)
    {
      TsProbeAccess *access = &accesses[i];
      guint8 word[4];

      if (access->is_write
              ? !stlink_write_word (probe, access->address, access->value, error)
              : !stlink_read_words (probe, access->address, word, sizeof word, error))
        return FALSE;
      if (!access->is_write)
        access->value = get_u32 (word);
    }

  return TRUE;
}

/* ---- the probe itself ---- */

static int
stlink_get_voltage (TsProbe *probe,
                    GError **error)
{
  static const guint8 ask[] = { CMD_VOLTAGE };
  guint8 answer[8];
  guint32 reference, reading;

  if (!command ((Stlink *) probe, ask, sizeof ask, answer, sizeof answer, error))
    return -1;
  reference = get_u32 (answer);
  reading = get_u32 (answer + 4);
  if (reference == 0)
    return -1;

  return (int) MIN ((guint64) reading * 2400 / reference, 100000);
}

/* Source: probes.md section 1.3 */
static gboolean
read_version (Stlink *self,
              GError **error)
{
  static const guint8 ask[] = { CMD_VERSION };
  static const guint8 ask_3[] = { CMD_VERSION_3 };
  guint8 answer[12];
  guint version;

  if (!command (self, ask, sizeof ask, answer, 6, error))
    return FALSE;
  version = (guint) answer[0] << 8 | answer[1];
  self->generation = version >> 12;
  self->firmware = version >> 6 & 0x3F;
  self->extra = version & 0x3F;
  if (self->generation >= 3)
    {
      if (!command (self, ask_3, sizeof ask_3, answer, 12, error))
        return FALSE;
      self->generation = answer[0];
      self->firmware = answer[2];
      self->extra = answer[3];
    }
  if (self->firmware >= (self->generation >= 3 ? LEAST_V3 : LEAST_V2))
    return TRUE;

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("The firmware V%uJ%u of this ST-LINK is too old: update the probe firmware with "
                 "ST's updater."),
               self->generation, self->firmware);

  return FALSE;
}

static char *
stlink_dup_version (TsProbe *probe)
{
  Stlink *self = (Stlink *) probe;

  return g_strdup_printf ("V%uJ%uM%u", self->generation, self->firmware, self->extra);
}

/* A former owner may have left it in any mode. */
static gboolean
leave_mode (Stlink *self,
            GError **error)
{
  static const guint8 ask[] = { CMD_MODE };
  static const guint8 leave_dfu[] = { CMD_DFU, 0x07 };
  static const guint8 leave_swim[] = { CMD_SWIM, 0x01 };
  static const guint8 leave_debug[] = { CMD_DEBUG, DEBUG_EXIT };
  guint8 mode[2];

  if (!command (self, ask, sizeof ask, mode, sizeof mode, error))
    return FALSE;
  switch (mode[0])
    {
    case MODE_DFU:
      return command (self, leave_dfu, sizeof leave_dfu, NULL, 0, error);
    case MODE_SWIM:
      return command (self, leave_swim, sizeof leave_swim, NULL, 0, error);
    case MODE_DEBUG:
      return command (self, leave_debug, sizeof leave_debug, NULL, 0, error);
    case MODE_BOOT:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The ST-LINK is in its boot loader: plug it in again."));
    default:
      return TRUE;
    }
}

/* Largest speed not above the wish. Source: probes.md section 1.6 */
static gboolean
set_speed (Stlink *self,
           guint wish_khz,
           GError **error)
{
  guint8 ask[8] = { CMD_DEBUG, DEBUG_SPEED_V2 };
  guint8 answer[52];
  guint best = 0;

  if (wish_khz == 0)
    wish_khz = self->generation >= 3 ? 24000 : 4000;

  if (self->generation < 3)
    {
      guint divisor = _ts_stlink_choose_divisor (wish_khz, &self->speed_khz);

      ask[2] = (guint8) divisor;
      ask[3] = (guint8) (divisor >> 8);
      return debug_command (self, ask, 4, answer, 2, error);
    }

  ask[1] = DEBUG_SPEEDS_V3;
  if (!debug_command (self, ask, 3, answer, 52, error))
    return FALSE;
  for (guint i = 0; i < MIN (get_u32 (answer + 8), 10); i++)
    {
      guint khz = get_u32 (answer + 12 + 4 * i);

      if (best == 0 || (khz <= wish_khz ? khz > best || best > wish_khz : khz < best))
        best = khz;
    }
  if (best == 0)
    return TRUE;
  self->speed_khz = best;
  ask[1] = DEBUG_SPEED_SET_V3;
  ask[2] = 0;
  ask[3] = 0;
  put_u32 (ask + 4, best);

  return debug_command (self, ask, 8, answer, 8, error);
}

/* Source: probes.md section 1.5 */
static gboolean
attach (Stlink *self,
        const TsProbeOptions *options,
        GError **error)
{
  static const guint8 enter[] = { CMD_DEBUG, DEBUG_ENTER, ENTER_SWD_NO_RESET };
  guint8 open_ap[] = { CMD_DEBUG, DEBUG_OPEN_AP, (guint8) options->access_port };
  guint8 answer[2];
  guint32 cpuid;
  int millivolts;

  self->access_port = options->access_port;
  if (!leave_mode (self, error) || !read_version (self, error))
    return FALSE;
  millivolts = stlink_get_voltage (&self->parent, error);
  if (self->parent.is_gone)
    return FALSE;
  if (!set_speed (self, options->speed_khz, error))
    return FALSE;
  if (!debug_command (self, enter, sizeof enter, answer, sizeof answer, error))
    {
      if (millivolts >= 0 && millivolts < LOW_MV && !self->parent.is_gone)
        {
          g_clear_error (error);
          g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                       _("The target has no power: the ST-LINK measures %d.%02d V."),
                       millivolts / 1000, millivolts % 1000 / 10);
        }
      return FALSE;
    }
  self->is_attached = TRUE;
  /* entering may restore the default */
  if (!set_speed (self, options->speed_khz, error))
    return FALSE;
  if ((self->generation >= 3 || self->firmware >= 28)
      && !debug_command (self, open_ap, sizeof open_ap, answer, sizeof answer, error))
    return FALSE;
  if (!ts_probe_read_word (&self->parent, TS_CORE_CPUID, &cpuid, error))
    return FALSE;
  if (cpuid >> 24 == 0x41)
    return TRUE;

  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("No Arm core answers behind access port %u (CPUID 0x%08x): check “stlink-apid”."),
               self->access_port, cpuid);

  return FALSE;
}

/* ---- SWO ---- */

static void
stlink_swo_stop (TsProbe *probe)
{
  static const guint8 stop[] = { CMD_DEBUG, DEBUG_SWO_STOP };
  Stlink *self = (Stlink *) probe;
  guint8 answer[2];

  if (self->is_swo_running)
    (void) command (self, stop, sizeof stop, answer, sizeof answer, NULL);
  self->is_swo_running = FALSE;
}

static gboolean
stlink_swo_start (TsProbe *probe,
                  guint hz,
                  GError **error)
{
  Stlink *self = (Stlink *) probe;
  guint size = self->generation >= 3 ? SWO_BUFFER_V3 : SWO_BUFFER;
  guint8 start[8] = { CMD_DEBUG, DEBUG_SWO_START, (guint8) size, (guint8) (size >> 8) };
  guint8 answer[2];

  stlink_swo_stop (probe);
  put_u32 (start + 4, hz);
  self->is_swo_running = debug_command (self, start, sizeof start, answer, sizeof answer, error);

  return self->is_swo_running;
}

static gssize
stlink_swo_read (TsProbe *probe,
                 guint8 *bytes,
                 gsize n_bytes,
                 GError **error)
{
  static const guint8 ask[] = { CMD_DEBUG, DEBUG_SWO_COUNT };
  Stlink *self = (Stlink *) probe;
  guint8 answer[2];
  gsize n, n_done = 0;

  if (!command (self, ask, sizeof ask, answer, sizeof answer, error))
    return -1;
  n = MIN ((gsize) answer[0] | (gsize) answer[1] << 8, n_bytes);
  if (n > 0 && !bulk (self, self->swo, bytes, n, &n_done, error))
    return -1;

  return (gssize) n_done;
}

/* ---- USB ---- */

static void
stlink_close (TsProbe *probe)
{
  static const guint8 leave_debug[] = { CMD_DEBUG, DEBUG_EXIT };
  Stlink *self = (Stlink *) probe;

  stlink_swo_stop (probe);
  if (self->is_attached)
    (void) command (self, leave_debug, sizeof leave_debug, NULL, 0, NULL);
  if (self->is_claimed)
    libusb_release_interface (self->handle, 0);
  if (self->handle != NULL)
    libusb_close (self->handle);
  if (self->usb != NULL)
    libusb_exit (self->usb);
  g_free (self);
}

/* Source: probes.md section 1.10 */
static guint
stlink_get_swo_max_hz (TsProbe *probe)
{
  return ((Stlink *) probe)->generation >= 3 ? 24000000 : 2000000;
}

static const TsProbeClass stlink_class = {
  .type = "stlink",
  .max_read = MAX_READ,
  .read_words = stlink_read_words,
  .write_word = stlink_write_word,
  .max_batch = (TS_STLINK_MAX_BATCH - 1) / 2,
  .run_batch = stlink_run_batch,
  .get_voltage = stlink_get_voltage,
  .get_swo_max_hz = stlink_get_swo_max_hz,
  .swo_start = stlink_swo_start,
  .swo_read = stlink_swo_read,
  .swo_stop = stlink_swo_stop,
  .dup_version = stlink_dup_version,
  .close = stlink_close,
};

/* Firmware without batches. */
static const TsProbeClass stlink_old_class = {
  .type = "stlink",
  .max_read = MAX_READ,
  .read_words = stlink_read_words,
  .write_word = stlink_write_word,
  .get_voltage = stlink_get_voltage,
  .get_swo_max_hz = stlink_get_swo_max_hz,
  .swo_start = stlink_swo_start,
  .swo_read = stlink_swo_read,
  .swo_stop = stlink_swo_stop,
  .dup_version = stlink_dup_version,
  .close = stlink_close,
};

static int
find_product (const struct libusb_device_descriptor *descriptor)
{
  if (descriptor->idVendor != ST_VENDOR)
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    if (products[i].pid == descriptor->idProduct)
      return (int) i;

  return -1;
}

/* Serial number of an opened probe. Old boot loaders put 12 raw bytes into the string. Source:
 * probes.md section 1.11 */
static char *
dup_serial (libusb_device_handle *handle,
            guint8 index)
{
  guint8 raw[255];
  GString *text;
  int n;

  if (index == 0)
    return NULL;
  n = libusb_get_string_descriptor (handle, index, 0x0409, raw, sizeof raw);
  if (n < 4)
    return NULL;
  n = MIN (n, raw[0]);
  text = g_string_new (NULL);
  for (int i = 2; i + 1 < n; i += 2)
    if (n == 26)
      g_string_append_printf (text, "%02X", raw[i]);
    else
      g_string_append_c (text, g_ascii_isprint (raw[i]) && raw[i + 1] == 0 ? (char) raw[i] : '?');

  return g_string_free (text, FALSE);
}

static char *
dup_open_problem (int code,
                  const char *name)
{
  if (code == LIBUSB_ERROR_ACCESS)
    return g_strdup_printf (
        _("No permission to use the %s: copy 70-taskscope.rules to /etc/udev/rules.d and plug the "
          "probe in again."),
        name);
  if (code == LIBUSB_ERROR_BUSY)
    return g_strdup_printf (_("The %s is in use by another program: end it first."), name);

  return g_strdup_printf (_("Cannot open the %s: %s"), name, libusb_strerror (code));
}

static gboolean
stlink_list (GPtrArray *probes,
             GError **error)
{
  libusb_context *usb = NULL;
  libusb_device **devices = NULL;
  gssize n;

  if (libusb_init (&usb) != 0)
    return fail (error, TS_CAPTURE_ERROR_CONNECT, _("USB cannot be used on this machine."));

  n = libusb_get_device_list (usb, &devices);
  for (gssize i = 0; i < n; i++)
    {
      struct libusb_device_descriptor descriptor;
      libusb_device_handle *handle = NULL;
      TsProbeInfo *info;
      int product, code;

      if (libusb_get_device_descriptor (devices[i], &descriptor) != 0
          || (product = find_product (&descriptor)) < 0)
        continue;
      info = g_new0 (TsProbeInfo, 1);
      info->type = g_strdup ("stlink");
      info->description = g_strdup (products[product].name);
      info->vid = descriptor.idVendor;
      info->pid = descriptor.idProduct;
      code = libusb_open (devices[i], &handle);
      if (code == 0)
        {
          info->serial = dup_serial (handle, descriptor.iSerialNumber);
          libusb_close (handle);
        }
      info->problem = products[product].problem != NULL ? g_strdup (_(products[product].problem))
                      : code != 0 ? dup_open_problem (code, info->description)
                                  : NULL;
      g_ptr_array_add (probes, info);
    }
  if (n >= 0)
    libusb_free_device_list (devices, 1);
  libusb_exit (usb);

  return TRUE;
}

/* The endpoints of interface 0, in the table's order. */
static gboolean
find_endpoints (Stlink *self)
{
  struct libusb_config_descriptor *config = NULL;
  gboolean is_found = FALSE;

  if (libusb_get_active_config_descriptor (libusb_get_device (self->handle), &config) != 0)
    return FALSE;
  if (config->bNumInterfaces > 0 && config->interface[0].num_altsetting > 0)
    {
      const struct libusb_interface_descriptor *interface = &config->interface[0].altsetting[0];

      for (guint i = 0; i < interface->bNumEndpoints; i++)
        {
          guint8 address = interface->endpoint[i].bEndpointAddress;

          if ((address & LIBUSB_ENDPOINT_IN) == 0)
            self->out = self->out == 0 ? address : self->out;
          else if (self->in == 0)
            self->in = address;
          else if (self->swo == 0)
            self->swo = address;
        }
      is_found = self->out != 0 && self->in != 0;
    }
  libusb_free_config_descriptor (config);

  return is_found;
}

/* Opens the probe that @options mean. */
static gboolean
open_device (Stlink *self,
             const TsProbeOptions *options,
             GError **error)
{
  libusb_device **devices = NULL;
  gssize n = libusb_get_device_list (self->usb, &devices);
  guint n_probes = 0, n_matches = 0;
  g_autofree char *problem = NULL;

  for (gssize i = 0; i < n; i++)
    {
      struct libusb_device_descriptor descriptor;
      libusb_device_handle *handle = NULL;
      g_autofree char *serial = NULL;
      int product, code;

      if (libusb_get_device_descriptor (devices[i], &descriptor) != 0
          || (product = find_product (&descriptor)) < 0)
        continue;
      n_probes++;
      code = products[product].problem == NULL ? libusb_open (devices[i], &handle) : 0;
      if (handle == NULL)
        {
          g_free (problem);
          problem = code != 0 ? dup_open_problem (code, products[product].name)
                              : g_strdup (_(products[product].problem));
          continue;
        }
      serial = dup_serial (handle, descriptor.iSerialNumber);
      if (options->serial != NULL && *options->serial != '\0'
          && (serial == NULL || g_ascii_strcasecmp (serial, options->serial) != 0))
        {
          libusb_close (handle);
          continue;
        }
      n_matches++;
      if (self->handle != NULL)
        libusb_close (self->handle);
      self->handle = handle;
    }
  if (n >= 0)
    libusb_free_device_list (devices, 1);

  if (n_matches == 1)
    return TRUE;
  if (n_matches > 1)
    return fail (error, TS_CAPTURE_ERROR_CONNECT,
                 _("More than one ST-LINK is plugged in: choose one with “stlink-serial” (the verb "
                   "“probes” lists them)."));
  if (problem != NULL)
    return fail (error, TS_CAPTURE_ERROR_CONNECT, problem);
  if (n_probes > 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("No ST-LINK has the serial number “%s” (the verb “probes” lists those that "
                     "are plugged in)."),
                   options->serial);
      return FALSE;
    }

  return fail (error, TS_CAPTURE_ERROR_CONNECT,
               _("No ST-LINK is plugged in: connect the probe, and check its cable."));
}

static TsProbe *
stlink_open (const TsProbeOptions *options,
             GError **error)
{
  Stlink *self = g_new0 (Stlink, 1);
  int code;

  self->parent.klass = &stlink_class;
  if (libusb_init (&self->usb) != 0)
    {
      self->usb = NULL;
      fail (error, TS_CAPTURE_ERROR_CONNECT, _("USB cannot be used on this machine."));
    }
  else if (open_device (self, options, error))
    {
      code = libusb_claim_interface (self->handle, 0);
      self->is_claimed = code == 0;
      if (code != 0)
        {
          g_autofree char *problem = dup_open_problem (code, "ST-LINK");

          fail (error, TS_CAPTURE_ERROR_CONNECT, problem);
        }
      else if (!find_endpoints (self))
        fail (error, TS_CAPTURE_ERROR_CONNECT,
              _("The ST-LINK does not describe itself as one: plug it in again."));
      else if (attach (self, options, error))
        {
          if (self->firmware < (self->generation >= 3 ? BATCH_SINCE_V3 : BATCH_SINCE_V2))
            self->parent.klass = &stlink_old_class;
          return &self->parent;
        }
    }
  stlink_close (&self->parent);

  return NULL;
}

const TsProbeDriver _ts_stlink_driver = {
  .type = "stlink",
  .list = stlink_list,
  .open = stlink_open,
};
