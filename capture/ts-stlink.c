/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-stlink.c: ST-LINK V2, V2-1 and V3 over libusb: which there are, attaching, speed, and trace.
 *
 * Facts: probes.md section 1.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-stlink-private.h"

#define ST_VENDOR 0x0483
#define SWO_BUFFER_V2 4096
#define SWO_BUFFER_V3 16384
/* Most the receivers can. Source: probes.md section 1.10 */
#define MAX_SWO_HZ_V2 2000000
#define MAX_SWO_HZ_V3 24000000
/* Older firmware has bugs when it changes modes. Source: probes.md section 1.3 */
#define LEAST_V2 26
#define LEAST_V3 3
/* Access ports that are tried when the first has no core. Source: probes.md section 1.9 */
#define N_PORTS 4
#define PORT_IDR 0xFC
#define PORT_CLASS_MASK 0x1E000
#define PORT_CLASS_MEMORY (8 << 13)

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

static gboolean
fail (GError **error,
      int code,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);

  return FALSE;
}

/* ---- the probe itself ---- */

static int
stlink_get_voltage (TsProbe *probe,
                    GError **error)
{
  return _ts_stlink_get_voltage ((TsStlink *) probe, error);
}

/* Source: probes.md section 1.3 */
static gboolean
read_version (TsStlink *self,
              GError **error)
{
  static const guint8 ask[] = { CMD_VERSION };
  static const guint8 ask_3[] = { CMD_VERSION_3 };
  guint8 answer[12];
  guint version;

  if (!_ts_stlink_command (self, ask, sizeof ask, answer, 6, error))
    return FALSE;
  version = (guint) answer[0] << 8 | answer[1];
  self->generation = version >> 12;
  self->firmware = version >> 6 & 0x3F;
  self->extra = version & 0x3F;
  if (self->generation >= 3)
    {
      if (!_ts_stlink_command (self, ask_3, sizeof ask_3, answer, 12, error))
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
  TsStlink *self = (TsStlink *) probe;

  return g_strdup_printf ("V%uJ%uM%u", self->generation, self->firmware, self->extra);
}

/* A former owner may have left it in any mode. */
static gboolean
leave_mode (TsStlink *self,
            GError **error)
{
  static const guint8 ask[] = { CMD_MODE };
  static const guint8 leave_dfu[] = { CMD_DFU, 0x07 };
  static const guint8 leave_swim[] = { CMD_SWIM, 0x01 };
  static const guint8 leave_debug[] = { CMD_DEBUG, DEBUG_EXIT };
  guint8 mode[2];

  if (!_ts_stlink_command (self, ask, sizeof ask, mode, sizeof mode, error))
    return FALSE;
  switch (mode[0])
    {
    case MODE_DFU:
      return _ts_stlink_command (self, leave_dfu, sizeof leave_dfu, NULL, 0, error);
    case MODE_SWIM:
      return _ts_stlink_command (self, leave_swim, sizeof leave_swim, NULL, 0, error);
    case MODE_DEBUG:
      return _ts_stlink_command (self, leave_debug, sizeof leave_debug, NULL, 0, error);
    case MODE_BOOT:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The ST-LINK is in its boot loader: plug it in again."));
    default:
      return TRUE;
    }
}

/* Largest speed not above the wish. Source: probes.md section 1.6 */
static gboolean
set_speed (TsStlink *self,
           guint wish_khz,
           GError **error)
{
  static const struct
  {
    guint16 khz, divisor;
  } v2[] = { { 4000, 0 },  { 1800, 1 },  { 1200, 2 },  { 950, 3 },  { 650, 5 },   { 480, 7 },
             { 400, 9 },   { 360, 10 },  { 240, 15 },  { 150, 25 }, { 125, 31 },  { 100, 40 },
             { 50, 79 },   { 25, 158 },  { 15, 265 },  { 5, 798 } };
  guint8 ask[8] = { CMD_DEBUG, DEBUG_SPEED_V2 };
  guint8 answer[52];
  guint best = 0;

  if (wish_khz == 0)
    wish_khz = self->generation >= 3 ? 24000 : 4000;

  if (self->generation < 3)
    {
      guint i = 0;

      while (i + 1 < G_N_ELEMENTS (v2) && v2[i].khz > wish_khz)
        i++;
      self->parent.speed_khz = v2[i].khz;
      ask[2] = (guint8) v2[i].divisor;
      ask[3] = (guint8) (v2[i].divisor >> 8);
      return _ts_stlink_debug_command (self, ask, 4, answer, 2, error);
    }

  ask[1] = DEBUG_SPEEDS_V3;
  if (!_ts_stlink_debug_command (self, ask, 3, answer, 52, error))
    return FALSE;
  for (guint i = 0; i < MIN (_ts_probe_get_u32 (answer + 8), 10); i++)
    {
      guint khz = _ts_probe_get_u32 (answer + 12 + 4 * i);

      if (best == 0 || (khz <= wish_khz ? khz > best || best > wish_khz : khz < best))
        best = khz;
    }
  if (best == 0)
    return TRUE;
  self->parent.speed_khz = best;
  ask[1] = DEBUG_SPEED_SET_V3;
  ask[2] = 0;
  ask[3] = 0;
  _ts_probe_put_u32 (ask + 4, best);

  return _ts_stlink_debug_command (self, ask, 8, answer, 8, error);
}

/* Enters debug mode; under reset, if that is wanted, and then the line stays held. */
static gboolean
enter (TsStlink *self,
       GError **error)
{
  static const guint8 ask[] = { CMD_DEBUG, DEBUG_ENTER, ENTER_SWD_NO_RESET };
  static const guint8 line[] = { CMD_DEBUG, DEBUG_NRST, NRST_HIGH };
  gboolean is_held = self->wish.is_under_reset && !self->is_recovering;
  guint8 answer[2];

  if (is_held && !_ts_probe_set_reset (&self->parent, TRUE, error))
    return FALSE;
  if (!_ts_stlink_debug_command (self, ask, sizeof ask, answer, sizeof answer, error))
    return FALSE;
  self->is_attached = TRUE;
  /* a former owner may have left the target in reset */
  return is_held
         || _ts_stlink_debug_command (self, line, sizeof line, answer, sizeof answer, error);
}

/* Whether a core answers behind @port. */
static gboolean
has_core (TsStlink *self,
          guint port,
          GError **error)
{
  guint8 open_port[] = { CMD_DEBUG, DEBUG_OPEN_AP, (guint8) port };
  guint8 read_port[] = { CMD_DEBUG, DEBUG_READ_PORT, (guint8) port, 0, PORT_IDR, 0 };
  guint8 answer[8];
  guint32 cpuid = 0;

  self->parent.access_port = port;
  if (_ts_stlink_has (self, 28, 0)
      && !_ts_stlink_debug_command (self, open_port, sizeof open_port, answer, 2, error))
    return FALSE;
  if (port > 0
      && !_ts_stlink_debug_command (self, read_port, sizeof read_port, answer, sizeof answer,
                                    error))
    return FALSE;
  if (port == 0
      || (_ts_probe_get_u32 (answer + 4) & PORT_CLASS_MASK) == PORT_CLASS_MEMORY)
    {
      if (!ts_probe_read_word (&self->parent, TS_CORE_CPUID, &cpuid, error))
        return FALSE;
      if (cpuid >> 24 == 0x41)
        return TRUE;
    }
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("No Arm core answers behind access port %u (CPUID 0x%08x): check “stlink-apid”."),
               port, cpuid);

  return FALSE;
}

/* Finds the core: behind the port that was asked for; where that is the first, which is also what
 * nobody asked for, behind one of the next. Source: probes.md section 1.9 */
static gboolean
find_core (TsStlink *self,
           GError **error)
{
  static const guint8 open_first[] = { CMD_DEBUG, DEBUG_OPEN_AP, 0 };
  guint wish = self->wish.access_port;
  g_autoptr (GError) first = NULL;
  guint8 answer[2];

  if (wish > 0 && !_ts_stlink_has (self, 28, 0))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The firmware V%uJ%u of this ST-LINK reaches access port 0 only: update the "
                     "probe firmware with ST's updater."),
                   self->generation, self->firmware);
      return FALSE;
    }
  /* what belongs to the whole chip is behind the first, also where the core is not */
  if (wish > 0 && !_ts_stlink_command (self, open_first, sizeof open_first, answer, 2, error))
    return FALSE;
  if (has_core (self, wish, &first))
    return TRUE;
  for (guint port = 1; wish == 0 && _ts_stlink_has (self, 28, 0) && port < N_PORTS; port++)
    if (!self->parent.is_gone && has_core (self, port, NULL))
      return TRUE;

  self->parent.access_port = wish;
  g_propagate_error (error, g_steal_pointer (&first));

  return FALSE;
}

/* Source: probes.md section 1.5 */
static gboolean
attach (TsStlink *self,
        GError **error)
{
  if (!leave_mode (self, error) || !read_version (self, error))
    return FALSE;
  if (!set_speed (self, self->wish.speed_khz, error) || !enter (self, error))
    return FALSE;

  /* entering may restore the default */
  return set_speed (self, self->wish.speed_khz, error) && find_core (self, error);
}

static gboolean
stlink_set_reset (TsProbe *probe,
                  gboolean is_held,
                  GError **error)
{
  const guint8 line[] = { CMD_DEBUG, DEBUG_NRST, is_held ? NRST_LOW : NRST_HIGH };
  guint8 answer[2];

  return _ts_stlink_debug_command ((TsStlink *) probe, line, sizeof line, answer, sizeof answer,
                                   error);
}

/* ---- SWO ---- */

static void
stlink_swo_stop (TsProbe *probe)
{
  static const guint8 stop[] = { CMD_DEBUG, DEBUG_SWO_STOP };
  TsStlink *self = (TsStlink *) probe;
  guint8 answer[2];

  if (self->is_swo_running)
    (void) _ts_stlink_command (self, stop, sizeof stop, answer, sizeof answer, NULL);
  self->is_swo_running = FALSE;
}

static guint
stlink_get_swo_max_hz (TsProbe *probe)
{
  return ((TsStlink *) probe)->generation >= 3 ? MAX_SWO_HZ_V3 : MAX_SWO_HZ_V2;
}

static gboolean
stlink_swo_start (TsProbe *probe,
                  guint hz,
                  GError **error)
{
  TsStlink *self = (TsStlink *) probe;
  guint size = self->generation >= 3 ? SWO_BUFFER_V3 : SWO_BUFFER_V2;
  guint8 start[8] = { CMD_DEBUG, DEBUG_SWO_START, (guint8) size, (guint8) (size >> 8) };
  guint8 answer[2];

  if (self->swo == 0)
    return fail (error, TS_CAPTURE_ERROR_CONNECT,
                 _("This ST-LINK cannot receive SWO: read a RAM ring or RTT instead."));
  stlink_swo_stop (probe);
  _ts_probe_put_u32 (start + 4, hz);
  self->is_swo_running
      = _ts_stlink_debug_command (self, start, sizeof start, answer, sizeof answer, error);

  return self->is_swo_running;
}

static gssize
stlink_swo_read (TsProbe *probe,
                 guint8 *bytes,
                 gsize n_bytes,
                 GError **error)
{
  static const guint8 ask[] = { CMD_DEBUG, DEBUG_SWO_COUNT };
  TsStlink *self = (TsStlink *) probe;
  guint8 answer[2];
  gsize n, n_done = 0;

  if (!_ts_stlink_command (self, ask, sizeof ask, answer, sizeof answer, error))
    return -1;
  n = MIN ((gsize) answer[0] | (gsize) answer[1] << 8, n_bytes);
  if (n > 0 && !_ts_stlink_receive (self, self->swo, bytes, n, &n_done, error))
    return -1;

  return (gssize) n_done;
}

/* ---- USB ---- */

static void
stlink_close (TsProbe *probe)
{
  static const guint8 leave_debug[] = { CMD_DEBUG, DEBUG_EXIT };
  TsStlink *self = (TsStlink *) probe;

  stlink_swo_stop (probe);
  if (!self->parent.is_gone)
    (void) _ts_probe_set_reset (probe, FALSE, NULL);
  if (self->is_attached && !self->parent.is_gone)
    {
      self->is_recovering = TRUE; /* nothing begins anew now */
      (void) _ts_stlink_command (self, leave_debug, sizeof leave_debug, NULL, 0, NULL);
    }
  _ts_usb_close (&self->usb);
  g_free (self);
}

/* What firmware of any age can do. */
#define METHODS                                                                                    \
  .type = "stlink",                                                                                \
  .max_read = TS_STLINK_MAX_READ,                                                                  \
  .read_words = _ts_stlink_read_words,                                                             \
  .write_word = _ts_stlink_write_word,                                                             \
  .read_units = _ts_stlink_read_units,                                                             \
  .write_units = _ts_stlink_write_units,                                                           \
  .set_reset = stlink_set_reset,                                                                   \
  .recover = _ts_stlink_recover,                                                                   \
  .get_voltage = stlink_get_voltage,                                                               \
  .get_swo_max_hz = stlink_get_swo_max_hz,                                                         \
  .swo_start = stlink_swo_start,                                                                   \
  .swo_read = stlink_swo_read,                                                                     \
  .swo_stop = stlink_swo_stop,                                                                     \
  .dup_version = stlink_dup_version,                                                               \
  .close = stlink_close

static const TsProbeClass stlink_class = {
  METHODS,
  .max_batch = TS_STLINK_MAX_BATCH,
  .run_batch = _ts_stlink_run_batch,
};

/* Without batches. */
static const TsProbeClass old_stlink_class = { METHODS };

static gboolean
identify (libusb_device *device,
          const struct libusb_device_descriptor *descriptor,
          TsProbeInfo *info)
{
  if (descriptor->idVendor != ST_VENDOR)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    if (products[i].pid == descriptor->idProduct)
      {
        info->description = g_strdup (products[i].name);
        if (products[i].problem != NULL)
          info->problem = g_strdup (_(products[i].problem));
        return TRUE;
      }

  return FALSE;
}

static gboolean
stlink_list (GPtrArray *probes,
             GError **error)
{
  return _ts_usb_list ("stlink", identify, probes, error);
}

/* The endpoints of interface 0, in the order of probes.md section 1.1. */
static gboolean
find_endpoints (TsStlink *self)
{
  struct libusb_config_descriptor *config = NULL;
  gboolean is_found = FALSE;

  if (libusb_get_active_config_descriptor (libusb_get_device (self->usb.handle), &config) != 0)
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

/* Attaches; when a former owner broke off in the middle of an answer, a second time after a reset
 * of the probe's USB side. */
static gboolean
begin (TsStlink *self,
       GError **error)
{
  g_autoptr (GError) first = NULL;

  if (attach (self, &first))
    return TRUE;
  if (self->parent.is_gone && !self->is_recovering && _ts_usb_reset (&self->usb))
    {
      self->parent.is_gone = FALSE;
      return attach (self, error);
    }
  g_propagate_error (error, g_steal_pointer (&first));

  return FALSE;
}

static TsProbe *
stlink_open (const TsProbeOptions *options,
             GError **error)
{
  TsStlink *self = g_new0 (TsStlink, 1);

  self->parent.klass = &old_stlink_class;
  self->wish = *options;
  self->wish.serial = NULL; /* not ours to keep */
  self->begin = attach;
  if (_ts_usb_open (&self->usb, "stlink", "ST-LINK", identify, options->serial, error)
      && _ts_usb_claim (&self->usb, 0, error))
    {
      if (!find_endpoints (self))
        fail (error, TS_CAPTURE_ERROR_CONNECT,
              _("The ST-LINK does not describe itself as one: plug it in again."));
      else if (begin (self, error))
        {
          /* Source: probes.md section 1.3 */
          if (_ts_stlink_has (self, 32, 2))
            self->parent.klass = &stlink_class;
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
