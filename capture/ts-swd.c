/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-swd.c: target memory through the registers of Arm's debug port and memory access port.
 *
 * Facts: probes.md section 5. Every piece of memory is one batch that begins with SELECT, CSW and
 * TAR, so that it can be repeated whole after a WAIT.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe-private.h"
#include "ts-swd-private.h"

#define MAX_TRIES 9
#define MAX_FAILURES 3
#define MAX_BEGINNINGS 2
#define POWER_US (200 * 1000)
#define N_PORTS 4
#define LOW_MV 1500
#define ABORT_CLEAR_ALL 0x1Eu
#define POWER_REQUEST 0x50000000u
#define POWER_READY 0xF0000000u
#define ORUNDETECT 1u
/* Master type debug, privileged data; single increment. The width is in the lowest bits. */
#define CSW_BASE 0x23000050u
/* Source: probes.md sections 2 and 5: 4 KiB on M3 and M4, else what every core has */
#define WINDOW 1024u
#define WINDOW_M3_M4 4096u
#define PART_M3 0xC23
#define PART_M4 0xC24
#define PORT_IDR 0xFCu
#define PORT_CLASS_MASK 0x1E000u
#define PORT_CLASS_MEMORY (8u << 13)

/* SELECT, CSW and TAR stand before everything of memory. */
#define N_START 3

/* A list of accesses on the way into one transfer. */
typedef struct
{
  TsSwdAccess list[1024];
  gsize n;
} Batch;

static gboolean
fail (GError **error,
      int code,
      const char *sentence)
{
  g_set_error_literal (error, TS_CAPTURE_ERROR, code, sentence);

  return FALSE;
}

static void
add (Batch *batch,
     guint8 request,
     guint32 value)
{
  g_assert (batch->n < G_N_ELEMENTS (batch->list));
  batch->list[batch->n].request = request;
  batch->list[batch->n++].value = value;
}

static void
add_port_write (Batch *batch,
                guint8 number,
                guint32 value)
{
  add (batch, TS_SWD_PORT | number, value);
}

/* Which port, which bank: before anything of an access port. */
static void
add_select (TsSwd *self,
            Batch *batch,
            guint port,
            guint number)
{
  add (batch, TS_SWD_DP_SELECT, (guint32) port << 24 | (number & 0xF0));
}

/* ---- the wire ---- */

/* Line reset, from JTAG to SWD, line reset, idle; then DPIDR, which is all that is answered before
 * it. Older parts know it as the switch, newer ones are asleep and need the alert before. */
static gboolean
connect_line (TsSwd *self,
              gboolean is_asleep,
              TsSwdAck *ack,
              GError **error)
{
  /* 56 ones, 0xE79E, 56 ones, 8 zeros. Source: probes.md section 5 */
  static const guint8 sequence[] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x9E, 0xE7,
                                     0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00 };
  /* Source: Arm IHI 0031 B5.3.4: eight ones, the selection alert of 128 bits, four zeros and the
   * activation code 0x1A, then a line reset */
  static const guint8 alert[] = { 0xFF, 0x92, 0xF3, 0x09, 0x62, 0x95, 0x2D, 0x85, 0x86, 0xE9,
                                  0xAF, 0xDD, 0xE3, 0xA2, 0x0E, 0xBC, 0x19, 0xA0, 0xF1, 0xFF,
                                  0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00 };
  TsSwdAccess access = { TS_SWD_READ | TS_SWD_DP_IDR, 0 };
  const guint8 *bits = is_asleep ? alert : sequence;
  gsize n_done;

  if (!self->klass->sequence (self, bits,
                              8u * (guint) (is_asleep ? sizeof alert : sizeof sequence), error)
      || !self->klass->transfer (self, &access, 1, &n_done, ack, error))
    return FALSE;
  if (*ack == TS_SWD_OK)
    self->dpidr = access.value;

  return TRUE;
}

/* Clears what stands in the way after an access that failed; whether the line answers. */
static gboolean
clear (TsSwd *self,
       TsSwdAck *ack,
       GError **error)
{
  TsSwdAccess access = { TS_SWD_DP_ABORT, ABORT_CLEAR_ALL };
  gsize n_done;

  if (!self->klass->transfer (self, &access, 1, &n_done, ack, error))
    return FALSE;
  if (*ack == TS_SWD_OK)
    return TRUE;

  return connect_line (self, FALSE, ack, error)
         && (*ack != TS_SWD_OK || self->klass->transfer (self, &access, 1, &n_done, ack, error));
}

static gboolean
fail_no_target (TsSwd *self,
                GError **error)
{
  int millivolts = ts_probe_get_voltage (&self->parent);

  if (millivolts >= 0 && millivolts < LOW_MV)
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("The target has no power: the %s measures %d.%02d V."), self->klass->name,
                 millivolts / 1000, millivolts % 1000 / 10);
  else
    g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                 _("The %s finds no target: check cable, power and reset line."),
                 self->klass->name);

  return FALSE;
}

/* The conversation broke, as @local_error says: %TRUE: it began anew, and the batch is to be repeated
 * whole. Source: probes.md section 1.2 */
static gboolean
is_mended (TsSwd *self,
           GError **local_error,
           GError **error)
{
  if (self->parent.is_gone && !self->is_recovering && self->dpidr != 0
      && ++self->n_failures < MAX_FAILURES && _ts_swd_recover (&self->parent))
    {
      g_debug ("begun anew: %s", (*local_error)->message);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (local_error));

  return FALSE;
}

/* Carries a batch out, or its beginning when the target asks to wait: @n_done tells how far it got,
 * and the caller begins there again. @n_tries: of the caller, how often nothing at all was done.
 * Source: probes.md section 5 */
static gboolean
run_some (TsSwd *self,
          Batch *batch,
          guint32 address,
          gsize *n_done,
          guint *n_tries,
          GError **error)
{
  TsSwdAck ack = TS_SWD_NONE, cleared;
  g_autoptr (GError) local_error = NULL;

  if (!self->klass->transfer (self, batch->list, batch->n, n_done, &ack, &local_error)
      || (ack != TS_SWD_OK && !clear (self, &cleared, &local_error)))
    {
      *n_done = 0;
      return is_mended (self, &local_error, error);
    }
  /* That a new beginning works does not tell that what broke does now. */
  if (!self->is_recovering)
    self->n_failures = 0;
  if (ack == TS_SWD_OK)
    return TRUE;
  if (cleared != TS_SWD_OK)
    return fail_no_target (self, error);
  if (ack == TS_SWD_FAULT)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_LOST,
                   _("The target refuses access to memory at 0x%08x: is the address right, and the "
                     "core awake?"),
                   address);
      return FALSE;
    }
  *n_tries = *n_done > N_START ? 0 : *n_tries + 1;
  if (*n_tries == MAX_TRIES)
    return fail (error, TS_CAPTURE_ERROR_LOST,
                 _("The target's memory stays busy: the core may sleep with its clocks off."));
  self->parent.counters.n_retries++;
  if (*n_tries > 0)
    g_usleep (500u << *n_tries);

  return TRUE;
}

/* As run_some(), all of it. */
static gboolean
run (TsSwd *self,
     Batch *batch,
     GError **error)
{
  guint n_tries = 0;
  gsize n_done = 0;

  while (n_done < batch->n)
    if (!run_some (self, batch, 0, &n_done, &n_tries, error))
      return FALSE;

  return TRUE;
}

/* ---- attaching ---- */

/* Switches the debug port's power on. */
static gboolean
power_up (TsSwd *self,
          GError **error)
{
  gint64 deadline = g_get_monotonic_time () + POWER_US;
  guint32 request = POWER_REQUEST | (self->klass->needs_overrun ? ORUNDETECT : 0);

  for (;;)
    {
      g_autofree Batch *batch = g_new0 (Batch, 1);

      add (batch, TS_SWD_DP_ABORT, ABORT_CLEAR_ALL);
      add (batch, TS_SWD_DP_SELECT, 0);
      add (batch, TS_SWD_DP_CTRL_STAT, request);
      add (batch, TS_SWD_READ | TS_SWD_DP_CTRL_STAT, 0);
      if (!run (self, batch, error))
        return FALSE;
      if ((batch->list[3].value & POWER_READY) == POWER_READY)
        return TRUE;
      if (g_get_monotonic_time () > deadline)
        return fail (error, TS_CAPTURE_ERROR_CONNECT,
                     _("The target's debug port stays off: it is in deep sleep or "
                       "read-protected."));
      g_usleep (1000);
    }
}

/* Whether a core answers behind @port. */
static gboolean
has_core (TsSwd *self,
          guint port,
          GError **error)
{
  g_autofree Batch *batch = g_new0 (Batch, 1);
  guint32 cpuid = 0;

  self->parent.access_port = port;
  add_select (self, batch, port, PORT_IDR);
  add (batch, TS_SWD_PORT | TS_SWD_READ | (PORT_IDR & 0xC), 0);
  if (!run (self, batch, error))
    return FALSE;
  if ((batch->list[1].value & PORT_CLASS_MASK) == PORT_CLASS_MEMORY)
    {
      guint part;

      if (!ts_probe_read_word (&self->parent, TS_CORE_CPUID, &cpuid, error))
        return FALSE;
      part = cpuid >> 4 & 0xFFF;
      self->window = part == PART_M3 || part == PART_M4 ? WINDOW_M3_M4 : WINDOW;
      if (cpuid >> 24 == 0x41)
        return TRUE;
    }
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
               _("No Arm core answers behind access port %u (CPUID 0x%08x)."), port, cpuid);

  return FALSE;
}

/* Wakes the debug port and finds the core behind @wish, or behind one of the next where that is the
 * first; nothing halts or resets it. Source: probes.md sections 1.9 and 5 */
static gboolean
attach (TsSwd *self,
        guint wish,
        GError **error)
{
  g_autoptr (GError) first = NULL;
  TsSwdAck ack;

  self->window = WINDOW;
  self->dpidr = 0;
  if (!connect_line (self, FALSE, &ack, error))
    return FALSE;
  if (ack != TS_SWD_OK && !connect_line (self, TRUE, &ack, error))
    return FALSE;
  if (ack != TS_SWD_OK)
    return fail_no_target (self, error);
  if (!power_up (self, error))
    return FALSE;

  if (has_core (self, wish, &first))
    return TRUE;
  for (guint port = 1; wish == 0 && port < N_PORTS && !self->parent.is_gone; port++)
    if (has_core (self, port, NULL))
      return TRUE;
  self->parent.access_port = wish;
  g_propagate_error (error, g_steal_pointer (&first));

  return FALSE;
}

/* From a device that is open to a core that is found. */
static gboolean
begin (TsSwd *self,
       gboolean (*start) (TsSwd *self,
                          GError **error),
       guint port,
       GError **error)
{
  return start (self, error)
         && (!self->wish.is_under_reset || _ts_probe_set_reset (&self->parent, TRUE, error))
         && attach (self, port, error);
}

/*
 * _ts_swd_begin:
 * @self: a probe whose device is open
 * @options: what is wanted
 * @start: greets the probe and makes the wire ready
 * @error: return location
 *
 * Begins the conversation; a second time after a reset of the probe's USB side, when a former owner
 * broke off in the middle of an answer. What was attached under reset stays in it.
 *
 * Errors: %TS_CAPTURE_ERROR_CONNECT, %TS_CAPTURE_ERROR_LOST
 * Source: probes.md sections 1.2, 1.9 and 5
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_swd_begin (TsSwd *self,
               const TsProbeOptions *options,
               gboolean (*start) (TsSwd *self,
                                  GError **error),
               GError **error)
{
  g_autoptr (GError) first = NULL;
  gboolean is_good;

  self->wish = *options;
  self->wish.serial = NULL; /* not ours to keep */
  self->is_recovering = TRUE;
  is_good = begin (self, start, options->access_port, &first);
  if (!is_good && self->parent.is_gone)
    {
      self->parent.is_gone = FALSE;
      is_good = begin (self, self->klass->restart, options->access_port, NULL);
    }
  self->is_recovering = FALSE;
  if (!is_good)
    g_propagate_error (error, g_steal_pointer (&first));

  return is_good;
}

/*
 * _ts_swd_recover:
 * @probe: a probe whose conversation broke
 *
 * Begins it anew: the probe's USB side is reset, the core attached to where it was found. What comes
 * too late once more is given a second chance.
 *
 * Source: probes.md section 1.2
 *
 * Returns: %FALSE when the probe is gone for good
 */
gboolean
_ts_swd_recover (TsProbe *probe)
{
  TsSwd *self = (TsSwd *) probe;
  gboolean is_good = FALSE;

  self->is_recovering = TRUE;
  self->wish.is_under_reset = FALSE;
  for (guint i = 0; i < MAX_BEGINNINGS && !is_good; i++)
    {
      probe->is_gone = FALSE;
      is_good = begin (self, self->klass->restart, probe->access_port, NULL);
    }
  self->is_recovering = FALSE;
  if (is_good)
    probe->counters.n_recoveries++;
  else
    probe->is_gone = TRUE;

  return is_good;
}

/* ---- memory ---- */

static guint32
get_csw (guint unit)
{
  return CSW_BASE | (unit == 4 ? 2 : unit == 2 ? 1 : 0);
}

/* Before anything of memory: which port, how wide, and where. */
static void
add_start (TsSwd *self,
           Batch *batch,
           guint32 address,
           guint unit)
{
  add_select (self, batch, self->parent.access_port, 0);
  add_port_write (batch, TS_SWD_AP_CSW, get_csw (unit));
  add_port_write (batch, TS_SWD_AP_TAR, address);
}

static gboolean
read_units (TsSwd *self,
            guint32 address,
            guint unit,
            guint8 *bytes,
            gsize n_bytes,
            GError **error)
{
  g_autofree Batch *batch = g_new0 (Batch, 1);
  gsize most = MIN (self->n_most, G_N_ELEMENTS (batch->list));
  guint n_tries = 0;

  for (gsize at = 0; at < n_bytes;)
    {
      guint32 begin = address + (guint32) at;
      gsize n_first = at, n_done = 0;

      batch->n = 0;
      add_start (self, batch, begin, unit);
      while (at < n_bytes && batch->n < most)
        {
          guint32 here = address + (guint32) at;

          /* TAR does not count beyond its window */
          if (here != begin && here % self->window == 0)
            {
              if (batch->n + 2 > most)
                break;
              add_port_write (batch, TS_SWD_AP_TAR, here);
            }
          add (batch, TS_SWD_PORT | TS_SWD_READ | TS_SWD_AP_DRW, 0);
          at += unit;
        }
      if (!run_some (self, batch, begin, &n_done, &n_tries, error))
        return FALSE;
      at = n_first;
      for (gsize i = 0; i < n_done; i++)
        {
          guint32 here = address + (guint32) at;
          guint32 word;

          if ((batch->list[i].request & TS_SWD_READ) == 0)
            continue;
          /* narrow accesses use the lane of their address */
          word = GUINT32_TO_LE (batch->list[i].value >> (unit < 4 ? 8 * (here & 3) : 0));
          memcpy (bytes + at, &word, unit);
          at += unit;
        }
    }

  return TRUE;
}

gboolean
_ts_swd_read_words (TsProbe *probe,
                    guint32 address,
                    guint8 *bytes,
                    gsize n_bytes,
                    GError **error)
{
  return read_units ((TsSwd *) probe, address, 4, bytes, n_bytes, error);
}

gboolean
_ts_swd_read_units (TsProbe *probe,
                    guint32 address,
                    guint unit,
                    guint8 *bytes,
                    gsize n_bytes,
                    GError **error)
{
  return read_units ((TsSwd *) probe, address, unit, bytes, n_bytes, error);
}

gboolean
_ts_swd_write_units (TsProbe *probe,
                     guint32 address,
                     guint unit,
                     const guint8 *bytes,
                     gsize n_bytes,
                     GError **error)
{
  TsSwd *self = (TsSwd *) probe;
  g_autofree Batch *batch = g_new0 (Batch, 1);
  gsize most = MIN (self->n_most, G_N_ELEMENTS (batch->list));
  guint n_tries = 0;

  for (gsize at = 0; at < n_bytes;)
    {
      guint32 begin = address + (guint32) at;
      gsize n_first = at, n_done = 0;

      batch->n = 0;
      add_start (self, batch, begin, unit);
      /* the last read brings a fault of the write before it to light */
      while (at < n_bytes && batch->n + 2 < most)
        {
          guint32 here = address + (guint32) at;
          guint32 word = 0;

          if (here != begin && here % self->window == 0)
            add_port_write (batch, TS_SWD_AP_TAR, here);
          memcpy (&word, bytes + at, unit);
          add_port_write (batch, TS_SWD_AP_DRW,
                          GUINT32_FROM_LE (word) << (unit < 4 ? 8 * (here & 3) : 0));
          at += unit;
        }
      add (batch, TS_SWD_READ | TS_SWD_DP_RDBUFF, 0);
      if (!run_some (self, batch, begin, &n_done, &n_tries, error))
        return FALSE;
      if (n_done == batch->n)
        continue;
      at = n_first;
      for (gsize i = 0; i < n_done; i++)
        at += batch->list[i].request == (TS_SWD_PORT | TS_SWD_AP_DRW) ? unit : 0;
      at = MIN (at, n_bytes - unit); /* the last one is to be proved */
    }

  return TRUE;
}

gboolean
_ts_swd_write_word (TsProbe *probe,
                    guint32 address,
                    guint32 value,
                    GError **error)
{
  guint32 word = GUINT32_TO_LE (value);

  return _ts_swd_write_units (probe, address, 4, (const guint8 *) &word, sizeof word, error);
}

gboolean
_ts_swd_run_batch (TsProbe *probe,
                   TsProbeAccess *accesses,
                   gsize n_accesses,
                   GError **error)
{
  TsSwd *self = (TsSwd *) probe;
  g_autofree Batch *batch = g_new0 (Batch, 1);
  gsize most = MIN (self->n_most, G_N_ELEMENTS (batch->list));
  guint n_tries = 0;

  for (gsize at = 0; at < n_accesses;)
    {
      gsize first = at, n_done = 0;
      guint32 address = accesses[at].address;
      guint32 next = address;

      batch->n = 0;
      add_start (self, batch, address, 4);
      while (at < n_accesses && batch->n + 3 <= most)
        {
          const TsProbeAccess *access = &accesses[at++];

          if (access->address != next || (access->address != address && next % self->window == 0))
            add_port_write (batch, TS_SWD_AP_TAR, access->address);
          add (batch, TS_SWD_PORT | TS_SWD_AP_DRW | (access->is_write ? 0 : TS_SWD_READ),
               access->value);
          next = access->address + 4;
        }
      add (batch, TS_SWD_READ | TS_SWD_DP_RDBUFF, 0);
      if (!run_some (self, batch, address, &n_done, &n_tries, error))
        return FALSE;
      at = first;
      for (gsize i = 0; i < n_done; i++)
        if ((batch->list[i].request & ~TS_SWD_READ) == (TS_SWD_PORT | TS_SWD_AP_DRW))
          {
            if ((batch->list[i].request & TS_SWD_READ) != 0)
              accesses[at].value = batch->list[i].value;
            at++;
          }
      if (n_done < batch->n && at == n_accesses)
        at--; /* the last one is to be proved */
    }

  return TRUE;
}
