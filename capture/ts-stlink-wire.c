/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-stlink-wire.c: the conversation with an ST-LINK: commands, statuses, memory, and a new
 * beginning when the two sides are out of step.
 *
 * Facts: probes.md section 1. One command at a time: 16 bytes out, data out or in, done.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-stlink-private.h"

#define TIMEOUT_MS 1000
#define MAX_TRIES 9
#define MAX_FAILURES 3
#define MAX_BEGINNINGS 2
#define LOW_MV 1500
#define FLASH_END 0x20000000u
/* Source: probes.md section 1.7 */
#define MAX_BYTES_V2 64
#define MAX_BYTES_V3 252
/* Batch commands and how many of them. Source: probes.md section 1.8 */
#define BATCH_ADDRESS 1
#define BATCH_WRITE 2
#define BATCH_READ 3
#define BATCH_PORT 5
#define MAX_BATCH 64

static gboolean
fail (GError **error,
      int code,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);

  return FALSE;
}

/*
 * _ts_stlink_has:
 * @self: an ST-LINK
 * @v2_since: first J of the second generation that can do it
 * @v3_since: first J of the third
 *
 * Source: probes.md section 1.3
 *
 * Returns: whether this one can
 */
gboolean
_ts_stlink_has (const TsStlink *self,
                guint v2_since,
                guint v3_since)
{
  return self->firmware >= (self->generation >= 3 ? v3_since : v2_since);
}

/* ---- transfers ---- */

/* Begins anew after a broken transfer: the device's USB side is reset, the target attached again.
 * Source: probes.md section 1.2 */
gboolean
_ts_stlink_recover (TsProbe *probe)
{
  TsStlink *self = (TsStlink *) probe;
  gboolean is_good = FALSE;

  self->is_recovering = TRUE;
  self->is_attached = FALSE;
  self->is_swo_running = FALSE;
  for (guint i = 0; i < MAX_BEGINNINGS && !is_good; i++)
    {
      self->parent.is_gone = FALSE;
      is_good = _ts_usb_reset (&self->usb) && self->begin (self, NULL);
    }
  self->is_recovering = FALSE;
  if (is_good)
    self->parent.counters.n_recoveries++;
  else
    self->parent.is_gone = TRUE;

  return is_good;
}

/* One command with its data; libusb's code, or LIBUSB_ERROR_OTHER for an answer of another length.
 */
static int
transact (TsStlink *self,
          const guint8 *bytes,
          gsize n_bytes,
          const guint8 *out,
          gsize n_out,
          guint8 *in,
          gsize n_in)
{
  guint8 padded[TS_STLINK_COMMAND_LEN] = { 0 };
  gsize n_done = 0;
  int n = 0, code;

  memcpy (padded, bytes, n_bytes);
  self->parent.counters.n_trips++;
  if (n_in > 0)
    {
      code = _ts_usb_exchange (&self->usb, self->out, padded, sizeof padded, self->in, in, n_in,
                               &n_done, TIMEOUT_MS);
      return code == 0 && n_done != n_in ? LIBUSB_ERROR_OTHER : code;
    }

  code = libusb_bulk_transfer (self->usb.handle, self->out, padded, sizeof padded, &n, TIMEOUT_MS);
  if (code == 0 && n_out > 0)
    {
      g_autofree guint8 *copy = g_memdup2 (out, n_out);

      code = libusb_bulk_transfer (self->usb.handle, self->out, copy, (int) n_out, &n, TIMEOUT_MS);
      if (code == 0 && (gsize) n != n_out)
        code = LIBUSB_ERROR_OTHER;
    }

  return code;
}

/* A transfer broke: %TRUE: the conversation began anew, and the command may be repeated. */
static gboolean
is_mended (TsStlink *self,
           int code,
           GError **error)
{
  if (code != LIBUSB_ERROR_NO_DEVICE && self->is_attached && !self->is_recovering
      && ++self->n_failures < MAX_FAILURES && _ts_stlink_recover (&self->parent))
    return TRUE;
  self->parent.is_gone = TRUE;

  return _ts_usb_fail (&self->usb, code == LIBUSB_ERROR_OTHER ? 0 : code, error);
}

static gboolean
command_with_data (TsStlink *self,
                   const guint8 *bytes,
                   gsize n_bytes,
                   const guint8 *out,
                   gsize n_out,
                   guint8 *in,
                   gsize n_in,
                   GError **error)
{
  for (;;)
    {
      int code;

      if (self->parent.is_gone)
        return fail (error, TS_CAPTURE_ERROR_LOST,
                     _("The connection to the ST-LINK broke earlier."));
      code = transact (self, bytes, n_bytes, out, n_out, in, n_in);
      if (code == 0)
        {
          /* that a new beginning works does not tell that what broke does now */
          if (!self->is_recovering)
            self->n_failures = 0;
          return TRUE;
        }
      if (!is_mended (self, code, error))
        return FALSE;
    }
}

/*
 * _ts_stlink_command:
 * @self: an ST-LINK
 * @bytes: (array length=n_bytes): a command without the zeros behind it
 * @n_bytes: its length
 * @in: (array length=n_in) (nullable): room for the answer
 * @n_in: exactly how long the answer is
 * @error: return location
 *
 * One command and its answer. After a broken transfer the conversation begins anew, a few times.
 *
 * Errors: %TS_CAPTURE_ERROR_LOST
 * Source: probes.md section 1.2
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_stlink_command (TsStlink *self,
                    const guint8 *bytes,
                    gsize n_bytes,
                    guint8 *in,
                    gsize n_in,
                    GError **error)
{
  return command_with_data (self, bytes, n_bytes, NULL, 0, in, n_in, error);
}

/* Bytes that follow an answer on another endpoint; perhaps fewer. */
gboolean
_ts_stlink_receive (TsStlink *self,
                    guint8 endpoint,
                    guint8 *bytes,
                    gsize n_bytes,
                    gsize *n_done,
                    GError **error)
{
  int n = 0;
  int code
      = libusb_bulk_transfer (self->usb.handle, endpoint, bytes, (int) n_bytes, &n, TIMEOUT_MS);

  *n_done = (gsize) MAX (n, 0);
  if (code == 0)
    return TRUE;
  self->parent.is_gone = TRUE;

  return _ts_usb_fail (&self->usb, code, error);
}

/* ---- statuses ---- */

/*
 * _ts_stlink_get_voltage:
 * @self: an ST-LINK
 * @error: return location
 *
 * Source: probes.md section 1.4, command F7
 *
 * Returns: target supply in millivolts, -1 when it is not told
 */
int
_ts_stlink_get_voltage (TsStlink *self,
                        GError **error)
{
  static const guint8 ask[] = { CMD_VOLTAGE };
  guint8 answer[8];
  guint32 reference, reading;

  if (!_ts_stlink_command (self, ask, sizeof ask, answer, sizeof answer, error))
    return -1;
  reference = _ts_probe_get_u32 (answer);
  reading = _ts_probe_get_u32 (answer + 4);
  if (reference == 0)
    return -1;

  return (int) MIN ((guint64) reading * 2400 / reference, 100000);
}

/* No target answers: perhaps because it has no power. */
static gboolean
fail_no_target (TsStlink *self,
                GError **error)
{
  int millivolts = self->parent.is_gone ? -1 : _ts_stlink_get_voltage (self, NULL);

  if (millivolts < 0 || millivolts >= LOW_MV)
    return fail (error, TS_CAPTURE_ERROR_CONNECT,
                 _("The ST-LINK finds no target: check cable, power and reset line."));
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("The target has no power: the ST-LINK measures %d.%02d V."), millivolts / 1000,
               millivolts % 1000 / 10);

  return FALSE;
}

/* What a status byte means to a person. Source: probes.md section 1.4 */
static gboolean
fail_status (TsStlink *self,
             guint status,
             guint32 address,
             GError **error)
{
  switch (status)
    {
    case 0x05:
    case 0x09:
      return fail_no_target (self, error);
    case 0x0B:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The target's debug port stays off: it is in deep sleep or read-protected."));
    case 0x1D:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The access port does not exist: choose another “stlink-apid”."));
    case 0x0E:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("Another program uses this ST-LINK: end it first."));
    case 0x20:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("This ST-LINK cannot receive SWO: read a RAM ring or RTT instead."));
    case 0x41:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The ST-LINK cannot receive at this rate: choose a lower “swo-freq-hz”."));
    case 0x42:
      return fail (error, TS_CAPTURE_ERROR_CONNECT,
                   _("The ST-LINK does not know a command: update the probe firmware with ST's "
                     "updater."));
    case STATUS_AP_WAIT:
    case STATUS_DP_WAIT:
      return fail (error, TS_CAPTURE_ERROR_LOST,
                   _("The target's memory stays busy: the core may sleep with its clocks off."));
    case 0x11:
    case 0x15:
    case 0x19:
      if (address > 0 && address < FLASH_END)
        g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                     _("The target refuses to tell its flash at 0x%08x: it is read-protected, or "
                       "there is none."),
                     address);
      else
        g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                     _("The target refuses access to memory at 0x%08x: is the address right, and "
                       "the core awake?"),
                     address);
      return FALSE;
    default:
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("The ST-LINK reports error 0x%02x at 0x%08x."), status, address);
      return FALSE;
    }
}

/* Whether what ended with @status is to be repeated, after a while, as try @i. */
static gboolean
must_repeat (TsStlink *self,
             guint status,
             guint i)
{
  if ((status != STATUS_AP_WAIT && status != STATUS_DP_WAIT) || i + 1 == MAX_TRIES)
    return FALSE;
  self->parent.counters.n_retries++;
  g_usleep (1000u << MIN (i, 7));

  return TRUE;
}

/* As _ts_stlink_command(), for an answer that begins with a status byte. */
gboolean
_ts_stlink_debug_command (TsStlink *self,
                          const guint8 *bytes,
                          gsize n_bytes,
                          guint8 *in,
                          gsize n_in,
                          GError **error)
{
  for (guint i = 0;; i++)
    {
      if (!_ts_stlink_command (self, bytes, n_bytes, in, n_in, error))
        return FALSE;
      if (in[0] == STATUS_OK)
        return TRUE;
      if (!must_repeat (self, in[0], i))
        return fail_status (self, in[0], 0, error);
    }
}

/* ---- memory ---- */

/* One memory command, repeated while the target asks to wait. Such a command has no status of its
 * own; and what was said before a new beginning tells nothing of what came before it. Source:
 * probes.md section 1.7 */
static gboolean
memory_command (TsStlink *self,
                guint8 code,
                guint32 address,
                gsize n_bytes,
                const guint8 *out,
                guint8 *in,
                gsize n_in,
                GError **error)
{
  static const guint8 ask_status[] = { CMD_DEBUG, DEBUG_STATUS };
  guint8 ask[9] = { CMD_DEBUG, code };

  _ts_probe_put_u32 (ask + 2, address);
  ask[6] = (guint8) n_bytes;
  ask[7] = (guint8) (n_bytes >> 8);
  ask[8] = (guint8) self->parent.access_port;
  for (guint i = 0;;)
    {
      guint64 n_recoveries = self->parent.counters.n_recoveries;
      guint8 answer[12];

      if (!command_with_data (self, ask, sizeof ask, out, out != NULL ? n_bytes : 0, in, n_in,
                              error))
        return FALSE;
      if (!_ts_stlink_command (self, ask_status, sizeof ask_status, answer, sizeof answer, error))
        return FALSE;
      if (self->parent.counters.n_recoveries != n_recoveries)
        continue;
      if (answer[0] == STATUS_OK)
        return TRUE;
      if (!must_repeat (self, answer[0], i++))
        return fail_status (self, answer[0], _ts_probe_get_u32 (answer + 4), error);
    }
}

/* The debug registers of the core have a way of their own, but only behind the first port. */
static gboolean
has_register_way (TsStlink *self,
                  guint32 address)
{
  return address >= 0xE0000000 && self->parent.access_port == 0;
}

gboolean
_ts_stlink_read_words (TsProbe *probe,
                       guint32 address,
                       guint8 *bytes,
                       gsize n_bytes,
                       GError **error)
{
  TsStlink *self = (TsStlink *) probe;

  if (n_bytes == 4 && has_register_way (self, address))
    {
      guint8 ask[6] = { CMD_DEBUG, DEBUG_READ_REG };
      guint8 answer[8];

      _ts_probe_put_u32 (ask + 2, address);
      if (!_ts_stlink_debug_command (self, ask, sizeof ask, answer, sizeof answer, error))
        return FALSE;
      memcpy (bytes, answer + 4, 4);
      return TRUE;
    }

  return memory_command (self, DEBUG_READ_32, address, n_bytes, NULL, bytes, n_bytes, error);
}

gboolean
_ts_stlink_write_word (TsProbe *probe,
                       guint32 address,
                       guint32 value,
                       GError **error)
{
  TsStlink *self = (TsStlink *) probe;
  guint8 word[4];

  if (has_register_way (self, address))
    {
      guint8 ask[10] = { CMD_DEBUG, DEBUG_WRITE_REG };
      guint8 answer[2];

      _ts_probe_put_u32 (ask + 2, address);
      _ts_probe_put_u32 (ask + 6, value);
      return _ts_stlink_debug_command (self, ask, sizeof ask, answer, sizeof answer, error);
    }
  _ts_probe_put_u32 (word, value);

  return memory_command (self, DEBUG_WRITE_32, address, sizeof word, word, NULL, 0, error);
}

/* Most bytes of one command. */
static gsize
get_limit (TsStlink *self,
           guint unit)
{
  if (unit > 1)
    return TS_STLINK_MAX_READ;

  return self->generation >= 3 && self->firmware >= 6 ? MAX_BYTES_V3 : MAX_BYTES_V2;
}

gboolean
_ts_stlink_read_units (TsProbe *probe,
                       guint32 address,
                       guint unit,
                       guint8 *bytes,
                       gsize n_bytes,
                       GError **error)
{
  TsStlink *self = (TsStlink *) probe;
  guint8 code = unit == 1 ? DEBUG_READ_8 : unit == 2 ? DEBUG_READ_16 : DEBUG_READ_32;

  for (gsize at = 0; at < n_bytes;)
    {
      gsize n = MIN (n_bytes - at, get_limit (self, unit));
      guint8 pair[2];
      /* one byte comes with another one behind it */
      gboolean is_single = n == 1;

      if (!memory_command (self, code, address + (guint32) at, n, NULL,
                           is_single ? pair : bytes + at, is_single ? sizeof pair : n, error))
        return FALSE;
      if (is_single)
        bytes[at] = pair[0];
      at += n;
    }

  return TRUE;
}

gboolean
_ts_stlink_write_units (TsProbe *probe,
                        guint32 address,
                        guint unit,
                        const guint8 *bytes,
                        gsize n_bytes,
                        GError **error)
{
  TsStlink *self = (TsStlink *) probe;
  guint8 code = unit == 1 ? DEBUG_WRITE_8 : unit == 2 ? DEBUG_WRITE_16 : DEBUG_WRITE_32;

  for (gsize at = 0; at < n_bytes;)
    {
      gsize n = MIN (n_bytes - at, get_limit (self, unit));

      if (!memory_command (self, code, address + (guint32) at, n, bytes + at, NULL, 0, error))
        return FALSE;
      at += n;
    }

  return TRUE;
}

/* ---- batches ---- */

/* Says @n_accesses in one command and asks for the results with another. @n_done: (out): how many
 * are good before the first that is not; @status: (out): of that one. */
static gboolean
say_batch (TsStlink *self,
           TsProbeAccess *accesses,
           gsize n_accesses,
           gsize *n_done,
           guint *status,
           GError **error)
{
  static const guint8 ask_result[] = { CMD_DEBUG, DEBUG_BATCH_RESULT };
  guint8 ask[6] = { CMD_DEBUG, DEBUG_BATCH };
  guint8 codes[MAX_BATCH] = { BATCH_PORT };
  guint32 words[MAX_BATCH] = { self->parent.access_port };
  guint8 out[5 * MAX_BATCH] = { 0 };
  guint8 answer[8 * MAX_BATCH];
  guint results[MAX_BATCH];
  gsize n = 1, n_padded;
  guint64 n_recoveries;

  for (gsize i = 0; i < n_accesses; i++)
    {
      codes[n] = accesses[i].is_write ? BATCH_ADDRESS : BATCH_READ;
      words[n++] = accesses[i].address;
      if (accesses[i].is_write)
        {
          codes[n] = BATCH_WRITE;
          words[n++] = accesses[i].value;
        }
      results[i] = (guint) n - 1;
    }
  n_padded = (n + 3) & ~(gsize) 3;
  memcpy (out, codes, n);
  for (gsize i = 0; i < n; i++)
    _ts_probe_put_u32 (out + n_padded + 4 * i, words[i]);
  _ts_probe_put_u32 (ask + 2, (guint32) n);

  do
    {
      n_recoveries = self->parent.counters.n_recoveries;
      if (!command_with_data (self, ask, sizeof ask, out, n_padded + 4 * n, NULL, 0, error)
          || !_ts_stlink_command (self, ask_result, sizeof ask_result, answer, 8 * n, error))
        return FALSE;
    }
  while (self->parent.counters.n_recoveries != n_recoveries);

  for (*n_done = 0; *n_done < n_accesses; (*n_done)++)
    {
      const guint8 *result = answer + 4 * results[*n_done];

      *status = _ts_probe_get_u32 (result + 4 * n) & 0xFF;
      if (*status != STATUS_OK)
        break;
      if (!accesses[*n_done].is_write)
        accesses[*n_done].value = _ts_probe_get_u32 (result);
    }

  return TRUE;
}

gboolean
_ts_stlink_run_batch (TsProbe *probe,
                      TsProbeAccess *accesses,
                      gsize n_accesses,
                      GError **error)
{
  TsStlink *self = (TsStlink *) probe;
  /* two commands for each access at most, and the port before them */
  const gsize most = (MAX_BATCH - 1) / 2;
  guint n_tries = 0;

  for (gsize at = 0; at < n_accesses;)
    {
      /* what must wait again and again may get through in other company */
      gsize n = MIN (MAX (most >> n_tries, 1), n_accesses - at), n_done = 0;
      guint status = STATUS_OK;

      if (!say_batch (self, accesses + at, n, &n_done, &status, error))
        return FALSE;
      n_tries = n_done > 0 ? 0 : n_tries;
      at += n_done;
      if (n_done < n && !must_repeat (self, status, n_tries++))
        return fail_status (self, status, accesses[at].address, error);
    }

  return TRUE;
}
