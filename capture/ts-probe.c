/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe.c: the driver table of probes, and what all of them do with a core's registers. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe-private.h"

#define HALT_US (100 * 1000)
#define RESET_US (500 * 1000)
#define AIRCR_RESET 0x05FA0004u
#define DCRSR_WRITE (1u << 16)

static const TsProbeDriver * const drivers[] = {
#ifdef TS_HAVE_LIBUSB
  &_ts_stlink_driver,
#endif
#ifdef TS_HAVE_JAYLINK
  &_ts_jlink_driver,
#endif
#ifdef TS_HAVE_LIBUSB
  &_ts_cmsis_dap_driver,
#endif
  NULL,
};

static const TsProbeDriver *
find_driver (const char *type)
{
  for (gsize i = 0; drivers[i] != NULL; i++)
    if (strcmp (drivers[i]->type, type) == 0)
      return drivers[i];

  return NULL;
}

/**
 * ts_probe_list:
 * @warnings: (element-type utf8): sentences are appended, to be freed with g_free()
 *
 * Looks for probes; opens those it may open to ask for serial numbers, which disturbs nobody.
 *
 * Thread: any; some milliseconds for each probe
 *
 * Returns: (transfer full) (element-type TsProbeInfo): what is plugged in
 */
GPtrArray *
ts_probe_list (GPtrArray *warnings)
{
  GPtrArray *probes = g_ptr_array_new_with_free_func ((GDestroyNotify) ts_probe_info_free);

  if (drivers[0] == NULL)
    g_ptr_array_add (warnings, g_strdup (_("This version was built without libusb: debug probes "
                                           "are not looked for.")));
  for (gsize i = 0; drivers[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!drivers[i]->list (probes, &error))
        g_ptr_array_add (warnings, g_strdup (error->message));
    }
  for (guint i = 0; i < probes->len; i++)
    {
      const TsProbeInfo *info = g_ptr_array_index (probes, i);

      if (info->problem != NULL)
        g_ptr_array_add (warnings, g_strdup (info->problem));
    }

  return probes;
}

/**
 * ts_probe_info_free:
 * @info: (transfer full): an element of ts_probe_list()
 */
void
ts_probe_info_free (TsProbeInfo *info)
{
  g_free (info->type);
  g_free (info->serial);
  g_free (info->description);
  g_free (info->location);
  g_free (info->problem);
  g_free (info);
}

/**
 * ts_probe_dup_udev_rule:
 *
 * Thread: any
 * Source: probes.md section 8
 *
 * Returns: (transfer full) (nullable): path of the rule that lets people use probes, if it is
 * installed
 */
char *
ts_probe_dup_udev_rule (void)
{
  static const char *const folders[] = { "/etc/udev/rules.d", "/run/udev/rules.d",
                                         "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
                                         "/lib/udev/rules.d" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      char *path = g_build_filename (folders[i], "70-taskscope.rules", NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return path;
      g_free (path);
    }

  return NULL;
}

/**
 * ts_probe_is_built:
 * @type: "stlink" or "jlink"
 *
 * Returns: whether this version can drive such probes
 */
gboolean
ts_probe_is_built (const char *type)
{
  return find_driver (type) != NULL;
}

/**
 * ts_probe_open:
 * @type: "stlink" or "jlink"
 * @options: which one, and how
 * @error: return location
 *
 * Opens a probe and attaches to its target; the firmware keeps running, unless it was to be attached
 * under reset.
 *
 * Thread: the caller's becomes the owner
 * Errors: %TS_CAPTURE_ERROR_CONNECT with what a person can do, %TS_CAPTURE_ERROR_NOT_BUILT
 * Source: probes.md section 1.5
 *
 * Returns: (transfer full): a probe, or %NULL with @error set
 */
TsProbe *
ts_probe_open (const char *type,
               const TsProbeOptions *options,
               GError **error)
{
  const TsProbeDriver *driver = find_driver (type);
  g_autoptr (TsProbe) probe = NULL;

  if (driver == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
                   _("This version cannot drive probes of the kind “%s”: use an ST-LINK, or "
                     "serial, udp, tcp or file."),
                   type);
      return NULL;
    }

  probe = driver->open (options, error);
  if (probe == NULL || !options->is_under_reset)
    return g_steal_pointer (&probe);

  return _ts_probe_catch_core (probe, TRUE, error) ? g_steal_pointer (&probe) : NULL;
}

/**
 * ts_probe_close:
 * @self: (transfer full) (nullable): a probe
 *
 * Lets go of the target: a core that was left with debug enabled would treat breakpoints of its own
 * as halts.
 *
 * Thread: owner
 * Source: probes.md section 1.5, "Detach"
 */
void
ts_probe_close (TsProbe *self)
{
  if (self == NULL)
    return;

  if (self->is_debug_enabled && !self->is_gone)
    (void) self->klass->write_word (self, TS_CORE_DHCSR, TS_DHCSR_KEY, NULL);
  self->klass->close (self);
}

/**
 * ts_probe_read:
 * @self: a probe
 * @address: target address, any
 * @bytes: (array length=n_bytes): where to put them
 * @n_bytes: how many
 * @error: return location
 *
 * Reads memory while the core runs, in whole words: not for peripheral registers.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 1.7
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_read (TsProbe *self,
               guint32 address,
               guint8 *bytes,
               gsize n_bytes,
               GError **error)
{
  g_autofree guint8 *words = NULL;
  guint64 start = address & ~(guint32) 3;
  guint64 end = ((guint64) address + n_bytes + 3) & ~(guint64) 3;
  gboolean is_aligned = start == address && end == address + (guint64) n_bytes;
  guint8 *out;

  if (n_bytes == 0)
    return TRUE;
  if (end > G_GUINT64_CONSTANT (0x100000000))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("There is no memory of %zu bytes at 0x%08x."), n_bytes,
                   address);
      return FALSE;
    }

  if (!is_aligned)
    words = g_malloc (end - start);
  out = is_aligned ? bytes : words;
  for (guint64 at = start; at < end;)
    {
      gsize n = (gsize) MIN (end - at, self->klass->max_read);

      if (!self->klass->read_words (self, (guint32) at, out + (at - start), n, error))
        return FALSE;
      self->counters.n_bytes_read += n;
      at += n;
    }
  if (!is_aligned)
    memcpy (bytes, words + (address - start), n_bytes);

  return TRUE;
}

/**
 * ts_probe_read_word:
 * @self: a probe
 * @address: target address, divisible by four
 * @value: (out): the word there
 * @error: return location
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_read_word (TsProbe *self,
                    guint32 address,
                    guint32 *value,
                    GError **error)
{
  guint32 word = 0;

  g_return_val_if_fail (address % 4 == 0, FALSE);

  if (!self->klass->read_words (self, address, (guint8 *) &word, sizeof word, error))
    return FALSE;
  self->counters.n_bytes_read += sizeof word;
  *value = GUINT32_FROM_LE (word);

  return TRUE;
}

/**
 * ts_probe_write_word:
 * @self: a probe
 * @address: target address, divisible by four
 * @value: the new word
 * @error: return location
 *
 * One store, which the target sees whole.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_write_word (TsProbe *self,
                     guint32 address,
                     guint32 value,
                     GError **error)
{
  g_return_val_if_fail (address % 4 == 0, FALSE);

  return self->klass->write_word (self, address, value, error);
}

static gboolean
check_units (guint32 address,
             guint unit,
             gsize n_bytes,
             GError **error)
{
  g_return_val_if_fail (unit == 1 || unit == 2 || unit == 4, FALSE);

  if (address % unit == 0 && n_bytes % unit == 0
      && (guint64) address + n_bytes <= G_GUINT64_CONSTANT (0x100000000))
    return TRUE;
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
               _("%zu bytes at 0x%08x cannot be reached in accesses of %u bytes."),
               n_bytes, address, unit);

  return FALSE;
}

/**
 * ts_probe_read_units:
 * @self: a probe
 * @address: target address, divisible by @unit
 * @unit: width of each access: 1, 2 or 4 bytes
 * @bytes: (array length=n_bytes): where to put them
 * @n_bytes: how many, divisible by @unit
 * @error: return location
 *
 * Reads in accesses of one width, and nothing beyond: also for peripheral registers.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 1.7
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_read_units (TsProbe *self,
                     guint32 address,
                     guint unit,
                     guint8 *bytes,
                     gsize n_bytes,
                     GError **error)
{
  if (!check_units (address, unit, n_bytes, error))
    return FALSE;
  if (unit == 4)
    return ts_probe_read (self, address, bytes, n_bytes, error);
  if (self->klass->read_units == NULL)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
                           _("This probe reads nothing but whole words."));
      return FALSE;
    }
  if (!self->klass->read_units (self, address, unit, bytes, n_bytes, error))
    return FALSE;
  self->counters.n_bytes_read += n_bytes;

  return TRUE;
}

/**
 * ts_probe_write_units:
 * @self: a probe
 * @address: target address, divisible by @unit
 * @unit: width of each access: 1, 2 or 4 bytes
 * @bytes: (array length=n_bytes): what to write
 * @n_bytes: how many, divisible by @unit
 * @error: return location
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_write_units (TsProbe *self,
                      guint32 address,
                      guint unit,
                      const guint8 *bytes,
                      gsize n_bytes,
                      GError **error)
{
  if (!check_units (address, unit, n_bytes, error))
    return FALSE;
  if (self->klass->write_units != NULL)
    return self->klass->write_units (self, address, unit, bytes, n_bytes, error);
  if (unit != 4)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_NOT_BUILT,
                           _("This probe writes nothing but whole words."));
      return FALSE;
    }
  for (gsize i = 0; i < n_bytes; i += 4)
    {
      guint32 word;

      memcpy (&word, bytes + i, sizeof word);
      if (!self->klass->write_word (self, address + (guint32) i, GUINT32_FROM_LE (word), error))
        return FALSE;
    }

  return TRUE;
}

/* Waits until (DHCSR & @mask) == @wanted. */
static gboolean
wait_dhcsr (TsProbe *self,
            guint32 mask,
            guint32 wanted,
            gint64 timeout_us,
            const char *sentence,
            GError **error)
{
  gint64 deadline = g_get_monotonic_time () + timeout_us;

  for (;;)
    {
      guint32 dhcsr;

      if (!ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error))
        return FALSE;
      if ((dhcsr & mask) == wanted)
        return TRUE;
      if (g_get_monotonic_time () > deadline)
        {
          g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST, sentence);
          return FALSE;
        }
      g_usleep (500);
    }
}

/**
 * ts_probe_halt:
 * @self: a probe
 * @was_running: (out) (optional): whether the core ran before
 * @error: return location
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 2
 *
 * Returns: %TRUE when the core stands, or %FALSE with @error set
 */
gboolean
ts_probe_halt (TsProbe *self,
               gboolean *was_running,
               GError **error)
{
  guint32 dhcsr;

  if (!ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error))
    return FALSE;
  if (was_running != NULL)
    *was_running = (dhcsr & TS_DHCSR_S_HALT) == 0;
  if ((dhcsr & TS_DHCSR_S_HALT) != 0)
    return TRUE;
  if ((dhcsr & TS_DHCSR_C_DEBUGEN) == 0)
    self->is_debug_enabled = TRUE;

  return ts_probe_write_word (self, TS_CORE_DHCSR,
                              TS_DHCSR_KEY | TS_DHCSR_C_DEBUGEN | TS_DHCSR_C_HALT, error)
         && wait_dhcsr (self, TS_DHCSR_S_HALT, TS_DHCSR_S_HALT, HALT_US,
                        _("The core does not halt: is it read-protected or in deep sleep?"), error);
}

/**
 * ts_probe_resume:
 * @self: a probe
 * @error: return location
 *
 * Lets a halted core run on.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_resume (TsProbe *self,
                 GError **error)
{
  guint32 keep = self->is_debug_enabled ? 0 : TS_DHCSR_C_DEBUGEN;

  if (!ts_probe_write_word (self, TS_CORE_DHCSR, TS_DHCSR_KEY | TS_DHCSR_C_DEBUGEN, error)
      || !ts_probe_write_word (self, TS_CORE_DHCSR, TS_DHCSR_KEY | keep, error))
    return FALSE;
  self->is_debug_enabled = FALSE;

  return TRUE;
}

/**
 * ts_probe_reset:
 * @self: a probe
 * @error: return location
 *
 * Resets the target and lets it run, also one that stood before.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 2, "Reset"
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_reset (TsProbe *self,
                GError **error)
{
  guint32 dhcsr;

  /* reading clears the sticky bit, so that the one to come is this reset's */
  if (!ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error)
      || !ts_probe_write_word (self, TS_CORE_AIRCR, AIRCR_RESET, error)
      || !wait_dhcsr (self, TS_DHCSR_S_RESET_ST, 0, RESET_US,
                      _("The target stays in reset: is its reset line held?"), error))
    return FALSE;
  /* the request to halt outlives the reset on some cores */
  if ((dhcsr & TS_DHCSR_S_HALT) == 0)
    return TRUE;

  return ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error)
         && ((dhcsr & TS_DHCSR_S_HALT) == 0 || ts_probe_resume (self, error));
}

/**
 * ts_probe_read_register:
 * @self: a probe with a halted core
 * @number: 0 to 12 R0 to R12, 13 SP, 14 LR, 15 PC, 16 xPSR
 * @value: (out): its value
 * @error: return location
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_read_register (TsProbe *self,
                        guint number,
                        guint32 *value,
                        GError **error)
{
  return ts_probe_write_word (self, TS_CORE_DCRSR, number & 0x7F, error)
         && wait_dhcsr (self, TS_DHCSR_S_REGRDY, TS_DHCSR_S_REGRDY, HALT_US,
                        _("The core does not tell its registers: it has to be halted."), error)
         && ts_probe_read_word (self, TS_CORE_DCRDR, value, error);
}

/**
 * ts_probe_write_register:
 * @self: a probe with a halted core
 * @number: 0 to 12 R0 to R12, 13 SP, 14 LR, 15 PC, 16 xPSR
 * @value: its new value
 * @error: return location
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_write_register (TsProbe *self,
                         guint number,
                         guint32 value,
                         GError **error)
{
  return ts_probe_write_word (self, TS_CORE_DCRDR, value, error)
         && ts_probe_write_word (self, TS_CORE_DCRSR, (number & 0x7F) | DCRSR_WRITE, error)
         && wait_dhcsr (self, TS_DHCSR_S_REGRDY, TS_DHCSR_S_REGRDY, HALT_US,
                        _("The core does not take its registers: it has to be halted."), error);
}

/**
 * ts_probe_get_voltage:
 * @self: a probe
 *
 * Returns: target supply in millivolts, -1: not known
 */
int
ts_probe_get_voltage (TsProbe *self)
{
  return self->klass->get_voltage != NULL ? self->klass->get_voltage (self, NULL) : -1;
}

/**
 * ts_probe_dup_version:
 * @self: a probe
 *
 * Returns: (transfer full): the probe's firmware, as its maker writes it
 */
char *
ts_probe_dup_version (TsProbe *self)
{
  return self->klass->dup_version != NULL ? self->klass->dup_version (self) : g_strdup ("");
}

/**
 * ts_probe_get_counters:
 * @self: a probe
 *
 * Returns: (transfer none): what it has done so far
 */
const TsProbeCounters *
ts_probe_get_counters (TsProbe *self)
{
  return &self->counters;
}
