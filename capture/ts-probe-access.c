/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-probe-access.c: the probe that a connection means, batches of accesses, reset with the core
 * held, and trace bytes. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-probe-private.h"

#define HOLD_US (500 * 1000)
#define AIRCR_RESET 0x05FA0004u
/* How often the receiving of trace bytes begins anew without a byte in between. */
#define MAX_SWO_FAILURES 3

static const struct
{
  const char *prefix;
  const char *type;
  const char *serial_key;
  const char *name;
} kinds[] = {
  { "stlink-", "stlink", "stlink-serial", "ST-LINK" },
  { "jlink-", "jlink", "jlink-serial", "J-Link" },
  { "cmsis-dap-", "cmsis-dap", "cmsis-dap-serial", "CMSIS-DAP" },
};

/* Row of the table, or -1. */
static int
find_kind (const char *transport)
{
  for (guint i = 0; transport != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (transport, kinds[i].prefix))
      return (int) i;

  return -1;
}

/**
 * ts_probe_type_of_transport:
 * @transport: (nullable): name of a transport
 *
 * Returns: (nullable): "stlink", "jlink" or "cmsis-dap" when it goes through such a probe, else
 * %NULL
 */
const char *
ts_probe_type_of_transport (const char *transport)
{
  int kind = find_kind (transport);

  return kind >= 0 ? kinds[kind].type : NULL;
}

/**
 * ts_probe_serial_key_of_transport:
 * @transport: (nullable): name of a transport
 *
 * Returns: (nullable): the connection's key for the serial number of such a probe
 */
const char *
ts_probe_serial_key_of_transport (const char *transport)
{
  int kind = find_kind (transport);

  return kind >= 0 ? kinds[kind].serial_key : NULL;
}

/**
 * ts_probe_dup_connection_name:
 * @connection: a connection whose transport is a probe's
 *
 * Returns: (transfer full): the probe as a person calls it: its kind, and its serial number if the
 * connection names it
 */
char *
ts_probe_dup_connection_name (TsConnection *connection)
{
  int kind = find_kind (ts_connection_get_transport (connection));
  const char *serial
      = kind >= 0 ? ts_connection_get_string (connection, kinds[kind].serial_key) : NULL;

  return g_strdup_printf ("%s%s%s", kind >= 0 ? kinds[kind].name : "", serial != NULL ? " " : "",
                          serial != NULL ? serial : "");
}

static TsProbe *
open_connection (TsConnection *connection,
                 gboolean may_reset,
                 GError **error)
{
  int kind = find_kind (ts_connection_get_transport (connection));
  gpointer user_data = NULL;
  TsProbeMaker maker = _ts_connection_get_probe_maker (connection, &user_data);
  TsProbeOptions options = {
    .speed_khz = (guint) ts_connection_get_int (connection, "speed-khz"),
    .access_port = (guint) ts_connection_get_int (connection, "stlink-apid"),
    .is_under_reset = may_reset && ts_connection_get_bool (connection, "connect-under-reset"),
  };

  if (g_ascii_strcasecmp (ts_connection_get_string (connection, "interface"), "SWD") != 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("Probes are driven over SWD only: “interface” cannot be “%.32s”."),
                   ts_connection_get_string (connection, "interface"));
      return NULL;
    }
  if (maker != NULL)
    return maker (user_data, error);
  if (kind < 0)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("The transport “%s” has no probe: choose one of stlink-..., jlink-... or "
                     "cmsis-dap-...."),
                   ts_connection_get_transport (connection));
      return NULL;
    }
  options.serial = ts_connection_get_string (connection, kinds[kind].serial_key);

  return ts_probe_open (kinds[kind].type, &options, error);
}

/**
 * ts_probe_open_connection:
 * @connection: a connection whose transport is a probe's
 * @error: return location
 *
 * ts_probe_open() with the settings of a connection. The target is not reset, whatever they say.
 *
 * Thread: the caller's becomes the owner
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG for a transport without a probe; those of ts_probe_open()
 * Source: viewalyzer-host.md section 2.2
 *
 * Returns: (transfer full): a probe, or %NULL with @error set
 */
TsProbe *
ts_probe_open_connection (TsConnection *connection,
                          GError **error)
{
  return open_connection (connection, FALSE, error);
}

/**
 * ts_probe_open_connection_to_reset:
 * @connection: a connection whose transport is a probe's
 * @error: return location
 *
 * As ts_probe_open_connection(), for those who reset the target afterwards: the key
 * `connect-under-reset` counts, so that the core may stand until ts_probe_reset().
 *
 * Thread: the caller's becomes the owner
 * Errors: as ts_probe_open_connection()
 * Source: probes.md section 1.5
 *
 * Returns: (transfer full): a probe, or %NULL with @error set
 */
TsProbe *
ts_probe_open_connection_to_reset (TsConnection *connection,
                                   GError **error)
{
  return open_connection (connection, TRUE, error);
}

/**
 * ts_probe_is_gone:
 * @self: a probe
 *
 * Returns: whether the probe was unplugged or its connection broke, so that nothing can be done with
 *   it any more
 */
gboolean
ts_probe_is_gone (TsProbe *self)
{
  return self->is_gone;
}

/**
 * ts_probe_has_batch:
 * @self: a probe
 * @n_accesses: how many accesses belong together
 *
 * Returns: whether the probe does them in one round trip
 */
gboolean
ts_probe_has_batch (TsProbe *self,
                    gsize n_accesses)
{
  return self->klass->run_batch != NULL && n_accesses <= self->klass->max_batch;
}

/**
 * ts_probe_run_batch:
 * @self: a probe
 * @accesses: (array length=n_accesses): word accesses, done in this order
 * @n_accesses: how many
 * @error: return location
 *
 * Does accesses in as few round trips as the probe can.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 1.8
 *
 * Returns: %TRUE, or %FALSE with @error set; some accesses may have been done then
 */
gboolean
ts_probe_run_batch (TsProbe *self,
                    TsProbeAccess *accesses,
                    gsize n_accesses,
                    GError **error)
{
  for (gsize i = 0; i < n_accesses; i++)
    g_return_val_if_fail (accesses[i].address % 4 == 0, FALSE);

  if (ts_probe_has_batch (self, n_accesses))
    {
      if (!self->klass->run_batch (self, accesses, n_accesses, error))
        return FALSE;
      for (gsize i = 0; i < n_accesses; i++)
        self->counters.n_bytes_read += accesses[i].is_write ? 0 : 4;
      return TRUE;
    }

  for (gsize i = 0; i < n_accesses; i++)
    {
      TsProbeAccess *access = &accesses[i];
      gboolean is_ok = access->is_write
                           ? ts_probe_write_word (self, access->address, access->value, error)
                           : ts_probe_read_word (self, access->address, &access->value, error);

      if (!is_ok)
        return FALSE;
    }

  return TRUE;
}

/*
 * _ts_probe_set_reset:
 * @self: a probe
 * @is_held: low, else let go
 * @error: return location
 *
 * The reset line. What was held is let go at the latest by the driver's close().
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_probe_set_reset (TsProbe *self,
                     gboolean is_held,
                     GError **error)
{
  if (is_held == self->is_reset_held && !is_held)
    return TRUE;
  if (!self->klass->set_reset (self, is_held, error))
    return FALSE;
  self->is_reset_held = is_held;

  return TRUE;
}

/*
 * _ts_probe_catch_core:
 * @self: a probe
 * @is_line: the reset line is held: it is let go; else the core is asked to reset
 * @error: return location
 *
 * Out of a reset with the core at its first instruction. A core that runs on after its line was let
 * go is no failure: it is attached to.
 *
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md sections 1.5 and 2, "Reset and hold"
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_probe_catch_core (TsProbe *self,
                      gboolean is_line,
                      GError **error)
{
  gint64 deadline;
  guint32 dhcsr, demcr;

  if (!ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error)
      || !ts_probe_read_word (self, TS_CORE_DEMCR, &demcr, error))
    return FALSE;
  if ((dhcsr & TS_DHCSR_C_DEBUGEN) == 0)
    self->is_debug_enabled = TRUE;
  if (!ts_probe_write_word (self, TS_CORE_DHCSR, TS_DHCSR_KEY | TS_DHCSR_C_DEBUGEN, error)
      || !ts_probe_write_word (self, TS_CORE_DEMCR, demcr | TS_DEMCR_VC_CORERESET, error)
      || !(is_line ? _ts_probe_set_reset (self, FALSE, error)
                   : ts_probe_write_word (self, TS_CORE_AIRCR, AIRCR_RESET, error)))
    return FALSE;
  deadline = g_get_monotonic_time () + HOLD_US;
  do
    {
      if (!ts_probe_read_word (self, TS_CORE_DHCSR, &dhcsr, error))
        return FALSE;
      if ((dhcsr & TS_DHCSR_S_HALT) != 0)
        return ts_probe_write_word (self, TS_CORE_DEMCR, demcr & ~TS_DEMCR_VC_CORERESET, error);
      g_usleep (500);
    }
  while (g_get_monotonic_time () < deadline);

  if (!ts_probe_write_word (self, TS_CORE_DEMCR, demcr & ~TS_DEMCR_VC_CORERESET, error))
    return FALSE;
  if (is_line)
    return TRUE;
  g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                       _("The core does not stop after the reset: is its reset line held, or is "
                         "it read-protected? “no-reset” attaches without one."));

  return FALSE;
}

/**
 * ts_probe_reset_and_hold:
 * @self: a probe
 * @error: return location
 *
 * Resets the target and keeps the core at its first instruction, so that the trace hardware can be
 * set up before the firmware runs; ts_probe_resume() lets it go.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 2, "Reset and hold"
 *
 * Returns: %TRUE when the core stands, or %FALSE with @error set
 */
gboolean
ts_probe_reset_and_hold (TsProbe *self,
                         GError **error)
{
  return _ts_probe_catch_core (self, FALSE, error);
}

/**
 * ts_probe_get_swo_max_hz:
 * @self: a probe
 *
 * Returns: fastest SWO rate that it can receive, in bits per second; 0: it receives none
 */
guint
ts_probe_get_swo_max_hz (TsProbe *self)
{
  if (self->klass->swo_start == NULL || self->klass->swo_read == NULL)
    return 0;

  return self->klass->get_swo_max_hz != NULL ? self->klass->get_swo_max_hz (self) : 2000000;
}

/**
 * ts_probe_swo_start:
 * @self: a probe
 * @hz: bits per second of the pin, NRZ
 * @error: return location
 *
 * Begins to receive trace bytes.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_CONNECT when the probe cannot receive at that rate
 * Source: probes.md section 1.10
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_probe_swo_start (TsProbe *self,
                    guint hz,
                    GError **error)
{
  guint max_hz = ts_probe_get_swo_max_hz (self);

  if (max_hz == 0)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                           _("This probe does not receive SWO: use the RAM ring or RTT."));
      return FALSE;
    }
  if (hz > max_hz)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("This probe receives SWO at no more than %u Hz, not %u: lower "
                     "“swo-freq-hz”, in the firmware too if it sets the rate."),
                   max_hz, hz);
      return FALSE;
    }

  if (!self->klass->swo_start (self, hz, error))
    return FALSE;
  self->swo_hz = hz;
  self->n_swo_recoveries = self->counters.n_recoveries;
  self->n_swo_failures = 0;

  return TRUE;
}

/**
 * ts_probe_swo_read:
 * @self: a probe that receives trace bytes
 * @bytes: (array length=n_bytes): where to put them
 * @n_bytes: room there
 * @error: return location
 *
 * Takes the bytes that arrived at the probe. They must be taken often enough: what does not fit
 * into the probe is gone. After a broken transfer the receiving begins anew, if the probe can do
 * that: @self's counters tell. When it breaks again and again without a byte in between it is given
 * up.
 *
 * Thread: owner
 * Errors: %TS_CAPTURE_ERROR_LOST
 *
 * Returns: how many bytes, none: 0; -1 with @error set
 */
gssize
ts_probe_swo_read (TsProbe *self,
                   guint8 *bytes,
                   gsize n_bytes,
                   GError **error)
{
  g_autoptr (GError) local_error = NULL;
  gssize n = self->klass->swo_read (self, bytes, n_bytes, &local_error);

  if (n > 0)
    self->n_swo_failures = 0;
  if (n < 0 && self->n_swo_failures == MAX_SWO_FAILURES)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("The probe does not hand over its trace bytes, though it was asked anew %u "
                     "times: plug it in again, or read a RAM ring or RTT instead. What arrived "
                     "before is kept."),
                   self->n_swo_failures);
      return -1;
    }
  if (n < 0 && (self->klass->recover == NULL || !self->klass->recover (self)))
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return -1;
    }
  if (self->counters.n_recoveries != self->n_swo_recoveries)
    {
      self->n_swo_recoveries = self->counters.n_recoveries;
      self->n_swo_failures++;
      if (!self->klass->swo_start (self, self->swo_hz, error))
        return -1;
    }

  return MAX (n, 0);
}

/**
 * ts_probe_swo_stop:
 * @self: a probe
 *
 * Ends the receiving of trace bytes.
 *
 * Thread: owner
 */
void
ts_probe_swo_stop (TsProbe *self)
{
  self->swo_hz = 0;
  if (self->klass->swo_stop != NULL)
    self->klass->swo_stop (self);
}
