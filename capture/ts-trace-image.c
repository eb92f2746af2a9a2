/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-trace-image.c: the registers of ITM, DWT and trace port that put a `hardware-trace` object in
 * force, and what of it the core cannot do.
 */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-hardware-trace.h"

/* Source: viewalyzer-host.md section 2.5, "Standard registers for the image" */
#define DEMCR 0xE000EDFCu
#define ITM_TER 0xE0000E00u
#define ITM_TPR 0xE0000E40u
#define ITM_TCR 0xE0000E80u
#define ITM_LAR 0xE0000FB0u
#define DWT_CTRL 0xE0001000u
#define DWT_CYCCNT 0xE0001004u
#define DWT_COMP 0xE0001020u
#define TPIU_CSPSR 0xE0040004u
#define TPIU_ACPR 0xE0040010u
#define TPIU_SPPR 0xE00400F0u
#define TPIU_FFCR 0xE0040304u

#define DEMCR_TRCENA (1u << 24)
#define ITM_UNLOCK 0xC5ACCE55u
#define TCR_ITMENA (1u << 0)
#define TCR_TSENA (1u << 1)
#define TCR_SYNCENA (1u << 2)
#define TCR_TXENA (1u << 3)
#define TCR_BUS_ID (1u << 16)
#define CTRL_CYCCNTENA (1u << 0)
#define CTRL_CYCTAP (1u << 9)
#define CTRL_SYNCTAP_24 (1u << 10)
#define CTRL_PCSAMPLENA (1u << 12)
#define CTRL_EXCTRCENA (1u << 16)
#define CTRL_COUNTERS_SHIFT 17
#define COUNTER_CYC (1u << 5)
/* Bits of the cycle counter at which synchronisation packets can be tapped. Source: ctrace.md
 * section 4: toggled twice they make an ARMv7-M send one. */
#define CYCCNT_TAPS 0x15000000u
/* The divider has 13 bits. */
#define MAX_DIVIDER 8192

static const char *const counter_names[] = { "cpi", "exc", "sleep", "lsu", "fold", "cyc" };

/* ---- the image ---- */

static void
clear_write (gpointer data)
{
  g_free (((TsTraceWrite *) data)->name);
}

static void
clear_refusal (gpointer data)
{
  TsTraceRefusal *refusal = data;

  g_free (refusal->feature);
  g_free (refusal->reason);
}

static void
put (TsTraceImage *self,
     guint32 address,
     guint32 value,
     const char *name)
{
  TsTraceWrite row = { address, value, g_strdup (name) };

  g_array_append_val (self->writes, row);
}

static void refuse (TsTraceImage *self,
                    const char *feature,
                    const char *format,
                    ...) G_GNUC_PRINTF (3, 4);

static void
refuse (TsTraceImage *self,
        const char *feature,
        const char *format,
        ...)
{
  TsTraceRefusal row = { .feature = g_strdup (feature) };
  va_list arguments;

  va_start (arguments, format);
  row.reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_array_append_val (self->refused, row);
}

/* Why no packet of the DWT can leave this core, or NULL. */
static const char *
find_obstacle (const TsTraceImage *self)
{
  if (self->arch == TS_TRACE_ARCH_V6M)
    return _("ARMv6-M has no trace packets: only the program counter can be polled (arch=v6m)");
  if (self->wanted.path == TS_TRACE_PATH_POLL || !self->uses_swo)
    return _("without the trace pin only the program counter can be sampled (path=poll)");
  if (!self->caps.itm)
    return _("the core has no ITM (itm=0)");
  if (self->caps.notrcpkt)
    return _("the core's DWT sends no packets (notrcpkt=1)");

  return NULL;
}

static gboolean
check_watch (TsTraceImage *self,
             const TsTraceWatch *watch,
             const char *label)
{
  gboolean is_power = (watch->size & (watch->size - 1)) == 0;

  if (!is_power || (watch->address & (watch->size - 1)) != 0)
    refuse (self, "dwt-watch",
            _("%s: a comparator watches 1, 2, 4, 8 ... bytes at a multiple of their number"),
            label);
  else if (self->arch == TS_TRACE_ARCH_V8M && watch->size > 4 && watch->function != TS_WATCH_ADDRESS)
    refuse (self, "dwt-watch", _("%s: ARMv8-M watches 1, 2 or 4 bytes (arch=v8m)"), label);
  else
    return TRUE;

  return FALSE;
}

/* Watches get comparators in their order: the stream id is 224 and the comparator's number. ARMv8-M
 * tells addresses where two comparators are linked: one that is even, and the next. */
static void
grant_watches (TsTraceImage *self)
{
  const char *obstacle = find_obstacle (self);

  guint n_free = MIN (self->caps.numcomp, TS_TRACE_MAX_WATCHES);
  guint next = 0;

  for (guint i = 0; i < self->wanted.n_watches; i++)
    {
      const TsTraceWatch *watch = &self->wanted.watches[i];
      gboolean is_pair = self->arch == TS_TRACE_ARCH_V8M && watch->function == TS_WATCH_ADDRESS;
      guint comparator = is_pair ? (next + 1) / 2 * 2 : next;
      g_autofree char *label = watch->name != NULL ? g_strdup (watch->name)
                                                   : g_strdup_printf ("0x%08X", watch->address);

      if (self->caps.numcomp == 0)
        refuse (self, "dwt-watch", _("%s: the core has no comparators (numcomp=0)"), label);
      else if (obstacle != NULL)
        refuse (self, "dwt-watch", "%s: %s", label, obstacle);
      else if (is_pair && comparator + 1 >= n_free)
        refuse (self, "dwt-watch",
                _("%s: ARMv8-M tells addresses with two comparators, and they are not left "
                  "(numcomp=%u); name this watch first"),
                label, self->caps.numcomp);
      else if (comparator >= n_free)
        refuse (self, "dwt-watch", _("%s: the core has only %u comparators (numcomp=%u)"), label,
                self->caps.numcomp, self->caps.numcomp);
      else if (check_watch (self, watch, label))
        {
          TsTraceWatch *granted = &self->granted.watches[self->granted.n_watches++];

          *granted = *watch;
          granted->name = g_strdup (watch->name);
          granted->comparator = comparator;
          granted->is_pair = is_pair;
          next = comparator + 1 + is_pair;
          if (watch->with_pc && watch->function == TS_WATCH_ADDRESS && !is_pair)
            {
              refuse (self, "dwt-watch-pc",
                      _("%s: a comparator that tells addresses cannot tell the instruction too"),
                      label);
              granted->with_pc = FALSE;
            }
        }
    }
}

/* The nearest interval that the counter can do. Source: viewalyzer-host.md section 2.5, "PC sample
 * interval" */
static guint
round_interval (guint cycles)
{
  guint step = cycles <= 1024 ? 64 : 1024;
  guint n = (cycles + step / 2) / step;

  return CLAMP (n, 1, 16) * step;
}

static void
grant_samples (TsTraceImage *self)
{
  const char *obstacle = find_obstacle (self);
  gboolean may_poll = self->wanted.path != TS_TRACE_PATH_SWO;

  if (self->wanted.pc_sample_cyc == 0)
    return;
  /* Reading DWT_PCSR needs a probe and nothing of the core's trace. */
  if (may_poll && (self->wanted.path == TS_TRACE_PATH_POLL || !self->uses_swo))
    {
      self->pc_by_polling = TRUE;
      self->granted.pc_sample_cyc = self->wanted.pc_sample_cyc;
    }
  else if (obstacle != NULL)
    {
      self->pc_by_polling = may_poll && self->arch == TS_TRACE_ARCH_V6M;
      if (self->pc_by_polling)
        self->granted.pc_sample_cyc = self->wanted.pc_sample_cyc;
      else
        refuse (self, "dwt-pc", "%s", obstacle);
    }
  else if (self->caps.nocyccnt)
    refuse (self, "dwt-pc", "%s", _("the core has no cycle counter (nocyccnt=1)"));
  else
    self->granted.pc_sample_cyc = round_interval (self->wanted.pc_sample_cyc);
}

static void
grant_counters (TsTraceImage *self)
{
  const char *obstacle = find_obstacle (self);
  guint counters = self->wanted.counters;
  gboolean is_sampling = self->granted.pc_sample_cyc != 0 && !self->pc_by_polling;

  if (counters == 0)
    return;
  if (obstacle != NULL)
    {
      refuse (self, "dwt-counters", "%s", obstacle);
      return;
    }
  if (self->caps.noprfcnt)
    {
      refuse (self, "dwt-counters", "%s", _("the core has no event counters (noprfcnt=1)"));
      return;
    }
  if ((counters & COUNTER_CYC) != 0 && is_sampling)
    {
      refuse (self, "dwt-counters", "%s",
              _("cyc: samples of the program counter use the same counter"));
      counters &= ~COUNTER_CYC;
    }
  if ((counters & COUNTER_CYC) != 0 && self->caps.nocyccnt)
    {
      refuse (self, "dwt-counters", "%s", _("cyc: the core has no cycle counter (nocyccnt=1)"));
      counters &= ~COUNTER_CYC;
    }
  self->granted.counters = counters;
}

static void
grant_itm (TsTraceImage *self)
{
  gboolean has_itm = self->caps.itm && self->arch != TS_TRACE_ARCH_V6M;
  const char *reason = self->arch == TS_TRACE_ARCH_V6M ? _("ARMv6-M has no ITM (arch=v6m)")
                                                       : _("the core has no ITM (itm=0)");

  if (!has_itm)
    {
      if (self->wanted.itm_ports >= 0 || self->init_swo)
        refuse (self, "itm-ports", "%s", reason);
      if (self->wanted.timestamps > 0)
        refuse (self, "itm-timestamps", "%s", reason);
      return;
    }
  /* Port 0 is for text; the recorder's own is never left out. */
  self->granted.itm_ports = (self->wanted.itm_ports >= 0 ? self->wanted.itm_ports : 1)
                            | G_GINT64_CONSTANT (1) << self->itm_port;
  self->granted.itm_privilege = self->wanted.itm_privilege;
  self->granted.timestamps = self->wanted.timestamps >= 0 ? self->wanted.timestamps
                             : self->granted.dwt          ? 1
                                                          : 0;
}

static void
grant (TsTraceImage *self)
{
  const TsHardwareTrace *wanted = &self->wanted;
  const char *obstacle = find_obstacle (self);

  if (wanted->dwt)
    {
      grant_watches (self);
      grant_samples (self);
      if (wanted->exception_trace && obstacle != NULL)
        refuse (self, "dwt-exc", "%s", obstacle);
      self->granted.exception_trace = wanted->exception_trace && obstacle == NULL;
      grant_counters (self);
      self->granted.dwt = obstacle == NULL || self->pc_by_polling;
    }
  if (self->uses_swo)
    grant_itm (self);
  if (self->init_swo && (!self->caps.tpiu || self->arch == TS_TRACE_ARCH_V6M))
    {
      refuse (self, "trace-port", "%s",
              self->arch == TS_TRACE_ARCH_V6M ? _("ARMv6-M has no trace port (arch=v6m)")
                                              : _("the core has no TPIU (tpiu=0)"));
      self->init_swo = FALSE;
    }
}

/* Source: viewalyzer-host.md section 2.5: ACPR = max(1, floor(clock / rate)) - 1 */
static void
put_trace_port (TsTraceImage *self)
{
  gint64 divider = self->swo_hz > 0 ? MAX (self->trace_hz / self->swo_hz, 1) : 1;

  if (divider > MAX_DIVIDER)
    {
      refuse (self, "trace-port", _("the pin cannot be slower than %" PRId64 " Hz"),
              self->trace_hz / MAX_DIVIDER);
      divider = MAX_DIVIDER;
    }
  self->true_swo_hz = self->trace_hz / divider;
  put (self, TPIU_ACPR, (guint32) (divider - 1), "TPIU_ACPR");
  put (self, TPIU_CSPSR, 1, "TPIU_CSPSR");
  put (self, TPIU_SPPR, self->wanted.is_manchester ? 1 : 2, "TPIU_SPPR");
  put (self, TPIU_FFCR, 1u << 8, "TPIU_FFCR"); /* formatter off, TrigIn as after reset */
}

/* Source: viewalyzer-host.md section 2.5, values of FUNCTION; v8-M after the Armv8-M
 * Architecture Reference Manual (DDI 0553), DWT_FUNCTIONn: MATCH 3:0 is 4 for a data address,
 * 12, 13, 14 for a data address with value (any access, writes, reads); ACTION 5:4 is 2 for a
 * match packet, or with value the value, and 3 for the instruction's address, or with value
 * both; DATAVSIZE 11:10 is 0, 1, 2 for 1, 2, 4 bytes, and 0 of a range. The comparator behind
 * one with MATCH 7 holds the last address of a range, and with ACTION 3 sends the address; the
 * first is left to the instruction's address, or to nothing. Checked against: CMSIS headers of
 * ARMv8-M cores, DWT_FUNCTION (MATCH at 0, ACTION at 4, DATAVSIZE at 10), and the register
 * writes of Arm's pyTS, coresight, DWT version 2 (4, 5, 6 and 12, 13, 14; actions 20h and 30h;
 * limit 7 or 37h). Public firmware for the Cortex-M33 tells DWT_FUNCTIONn.ID 01011b, 11010b,
 * 01010b, 11110b: only comparators 1 and 3 can hold a limit, so pairs begin with an even one.
 * Which of the two numbers the packet with the address bears none of them tells: both have the
 * name. */
#define V8M_LIMIT 0x37u

static guint32
function_of (const TsTraceImage *self,
             const TsTraceWatch *watch)
{
  static const guint8 v7m[][2] = { { 2, 3 }, { 12, 14 }, { 13, 15 }, { 1, 1 }, { 0x21, 0x21 } };
  static const guint8 v8m_match[] = { 12, 14, 13, 4, 4 };

  if (self->arch != TS_TRACE_ARCH_V8M)
    return v7m[watch->function][watch->with_pc];
  if (watch->is_pair)
    return v8m_match[watch->function] | (watch->with_pc ? 3u << 4 : 0);
  return v8m_match[watch->function]
         | (watch->with_pc || watch->function == TS_WATCH_PC ? 3u : 2u) << 4
         | (guint32) MIN (g_bit_nth_lsf (watch->size, -1), 2) << 10;
}

static void
put_watches (TsTraceImage *self)
{
  for (guint i = 0; i < self->granted.n_watches; i++)
    {
      const TsTraceWatch *watch = &self->granted.watches[i];
      guint n = watch->comparator;
      guint32 base = DWT_COMP + 16 * n;
      g_autofree char *comp = g_strdup_printf ("DWT_COMP%u", n);
      g_autofree char *mask = g_strdup_printf ("DWT_MASK%u", n);
      g_autofree char *function = g_strdup_printf ("DWT_FUNCTION%u", n);
      g_autofree char *limit = g_strdup_printf ("DWT_COMP%u", n + 1);
      g_autofree char *limit_function = g_strdup_printf ("DWT_FUNCTION%u", n + 1);

      if (watch->is_pair)
        {
          put (self, base + 16 + 8, 0, limit_function);
          put (self, base + 16, watch->address + watch->size - 1, limit);
        }
      put (self, base + 8, 0, function);
      put (self, base, watch->address, comp);
      if (self->arch != TS_TRACE_ARCH_V8M)
        put (self, base + 4, (guint32) g_bit_nth_lsf (watch->size, -1), mask);
      put (self, base + 8, function_of (self, watch), function);
      if (watch->is_pair)
        put (self, base + 16 + 8, V8M_LIMIT, limit_function);
    }
}

static guint32
control_of (const TsTraceImage *self)
{
  const TsHardwareTrace *granted = &self->granted;
  guint32 value = self->caps.nocyccnt ? 0 : CTRL_CYCCNTENA | CTRL_SYNCTAP_24;
  guint cycles = granted->pc_sample_cyc;

  if (cycles != 0 && !self->pc_by_polling)
    value |= CTRL_PCSAMPLENA;
  else if ((granted->counters & COUNTER_CYC) != 0)
    cycles = 16384; /* as seldom as can be */
  else
    cycles = 0;

  if (cycles > 1024)
    value |= CTRL_CYCTAP | (cycles / 1024 - 1) << 1 | (cycles / 1024 - 1) << 5;
  else if (cycles > 0)
    value |= (cycles / 64 - 1) << 1 | (cycles / 64 - 1) << 5;
  if (granted->exception_trace)
    value |= CTRL_EXCTRCENA;

  return value | granted->counters << CTRL_COUNTERS_SHIFT;
}

static void
put_itm (TsTraceImage *self)
{
  static const guint prescalers[] = { 1, 4, 16, 64 };
  guint32 value = TCR_ITMENA | TCR_BUS_ID;

  if (self->granted.dwt && !self->pc_by_polling)
    value |= TCR_TXENA;
  if (!self->caps.nocyccnt)
    value |= TCR_SYNCENA;
  for (guint i = 0; i < G_N_ELEMENTS (prescalers); i++)
    if (self->granted.timestamps == (int) prescalers[i])
      value |= TCR_TSENA | i << 8;
  put (self, ITM_TCR, value, "ITM_TCR");
}

/**
 * ts_trace_image_new:
 * @arch: architecture of the core
 * @caps: what the core has
 * @connection: a connection: `hardware-trace`, clocks, `swo-freq-hz`, `itm-port`, `init-swo`,
 * `no-reset`; its transport, where it has one, tells whether packets arrive at all
 *
 * The registers that put the connection's hardware trace in force, in the order in which to write
 * them: DEMCR first, then the trace port, DWT, and ITM last. The vendor's own trace gate comes
 * before all of them and is not here.
 *
 * A core that runs keeps its cycle counter (`no-reset`): firmware may tell time by it.
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.5
 *
 * Returns: (transfer full): the image
 */
TsTraceImage *
ts_trace_image_new (TsTraceArch arch,
                    const TsTraceCaps *caps,
                    TsConnection *connection)
{
  TsTraceImage *self;
  const char *transport;
  gboolean has_itm;

  g_return_val_if_fail (caps != NULL, NULL);
  g_return_val_if_fail (TS_IS_CONNECTION (connection), NULL);

  self = g_new0 (TsTraceImage, 1);
  transport = ts_connection_get_transport (connection);
  self->arch = arch;
  self->caps = *caps;
  self->writes = g_array_new (FALSE, FALSE, sizeof (TsTraceWrite));
  g_array_set_clear_func (self->writes, clear_write);
  self->refused = g_array_new (FALSE, FALSE, sizeof (TsTraceRefusal));
  g_array_set_clear_func (self->refused, clear_refusal);
  ts_hardware_trace_init (&self->granted);
  if (!ts_hardware_trace_read (&self->wanted,
                               ts_connection_get_object (connection, "hardware-trace"), NULL))
    ts_hardware_trace_init (&self->wanted);

  self->uses_swo = transport == NULL || strstr (transport, "swo") != NULL;
  self->init_swo = self->uses_swo && ts_connection_get_bool (connection, "init-swo");
  self->cpu_hz = ts_connection_get_int (connection, "cpu-clock-hz");
  self->trace_hz = ts_connection_get_int (connection, "trace-clock-hz");
  self->swo_hz = self->wanted.swo_hz > 0 && !ts_connection_has (connection, "swo-freq-hz")
                     ? self->wanted.swo_hz
                     : ts_connection_get_int (connection, "swo-freq-hz");
  self->itm_port = (guint) ts_connection_get_int (connection, "itm-port");

  grant (self);
  has_itm = self->granted.itm_ports >= 0
            && (self->init_swo || self->wanted.itm_ports >= 0 || self->wanted.timestamps >= 0
                || self->granted.dwt);

  if (self->init_swo || has_itm || self->granted.dwt)
    put (self, DEMCR, DEMCR_TRCENA, "DEMCR");
  if (self->init_swo)
    put_trace_port (self);
  else if (self->uses_swo)
    self->true_swo_hz = self->swo_hz; /* whoever sets it up is asked to do so */
  if (has_itm)
    {
      if (arch == TS_TRACE_ARCH_V7M)
        put (self, ITM_LAR, ITM_UNLOCK, "ITM_LAR");
      put (self, ITM_TCR, 0, "ITM_TCR");
      put (self, ITM_TER, (guint32) self->granted.itm_ports, "ITM_TER");
      put (self, ITM_TPR, self->granted.itm_privilege, "ITM_TPR");
    }
  if (has_itm || find_obstacle (self) == NULL)
    {
      put_watches (self);
      put (self, DWT_CTRL, control_of (self), "DWT_CTRL");
    }
  if (has_itm)
    {
      put_itm (self);
      if (arch == TS_TRACE_ARCH_V7M && !caps->nocyccnt
          && !ts_connection_get_bool (connection, "no-reset"))
        for (guint i = 0; i < 4; i++)
          put (self, DWT_CYCCNT, i % 2 == 0 ? CYCCNT_TAPS : 0, "DWT_CYCCNT");
    }

  return self;
}

/**
 * ts_trace_image_free:
 * @self: (nullable) (transfer full): an image
 *
 * Thread: any
 */
void
ts_trace_image_free (TsTraceImage *self)
{
  if (self == NULL)
    return;

  ts_hardware_trace_clear (&self->wanted);
  ts_hardware_trace_clear (&self->granted);
  g_array_unref (self->writes);
  g_array_unref (self->refused);
  g_free (self);
}

/* ---- JSON ---- */

static void
set_hex (JsonObject *object,
         const char *key,
         guint32 value)
{
  g_autofree char *text = g_strdup_printf ("0x%08X", value);

  json_object_set_string_member (object, key, text);
}

static JsonObject *
granted_to_json (const TsTraceImage *self)
{
  const TsHardwareTrace *granted = &self->granted;
  JsonObject *object = json_object_new ();
  JsonArray *counters = json_array_new ();
  JsonArray *watches = json_array_new ();

  json_object_set_boolean_member (object, "dwt", granted->dwt);
  json_object_set_boolean_member (object, "trace_port", self->init_swo);
  if (granted->itm_ports >= 0)
    {
      set_hex (object, "itm_ports", (guint32) granted->itm_ports);
      json_object_set_int_member (object, "itm_timestamps", granted->timestamps);
    }
  json_object_set_boolean_member (object, "exception_trace", granted->exception_trace);
  json_object_set_int_member (object, "pc_sample_cyc", granted->pc_sample_cyc);
  if (granted->pc_sample_cyc != 0)
    json_object_set_string_member (object, "pc_path", self->pc_by_polling ? "poll" : "swo");
  for (guint i = 0; i < G_N_ELEMENTS (counter_names); i++)
    if ((granted->counters >> i & 1) != 0)
      json_array_add_string_element (counters, counter_names[i]);
  json_object_set_array_member (object, "counters", counters);
  for (guint i = 0; i < granted->n_watches; i++)
    {
      const TsTraceWatch *watch = &granted->watches[i];
      JsonObject *item = json_object_new ();

      json_object_set_int_member (item, "cmp", watch->comparator);
      if (watch->is_pair)
        json_object_set_int_member (item, "cmp_limit", watch->comparator + 1);
      json_object_set_int_member (item, "id", TS_TRACE_WATCH_STREAM + watch->comparator);
      if (watch->name != NULL)
        json_object_set_string_member (item, "name", watch->name);
      set_hex (item, "addr", watch->address);
      json_object_set_int_member (item, "size", watch->size);
      json_object_set_string_member (item, "function",
                                     ts_watch_function_get_name (watch->function));
      json_object_set_boolean_member (item, "pc", watch->with_pc);
      json_array_add_object_element (watches, item);
    }
  json_object_set_array_member (object, "watch", watches);
  if (self->true_swo_hz > 0)
    {
      json_object_set_int_member (object, "true_swo_hz", self->true_swo_hz);
      json_object_set_double_member (
          object, "swo_error_pct",
          self->swo_hz > 0
              ? 100.0 * (double) (self->true_swo_hz - self->swo_hz) / (double) self->swo_hz
              : 0.0);
    }

  return object;
}

/**
 * ts_trace_image_to_json:
 * @self: an image
 *
 * The object that `hwtrace --dry-run` prints and a recording keeps in `meta.hardware_trace`: what
 * is written, what was refused, what is in force.
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.5; members of `applied` beside `dwt` are ours
 *
 * Returns: (transfer full): the object
 */
JsonObject *
ts_trace_image_to_json (const TsTraceImage *self)
{
  JsonObject *object = json_object_new ();
  JsonArray *writes = json_array_new ();
  JsonArray *refused = json_array_new ();

  g_return_val_if_fail (self != NULL, object);

  json_object_set_int_member (object, "schema", 1);
  json_object_set_string_member (object, "arch", ts_trace_arch_get_name (self->arch));
  json_object_set_int_member (object, "cpu_hz", self->cpu_hz);
  json_object_set_int_member (object, "trace_hz", self->trace_hz);
  json_object_set_int_member (object, "swo_hz", self->swo_hz);
  json_object_set_int_member (object, "itm_port", self->itm_port);
  for (guint i = 0; i < self->writes->len; i++)
    {
      const TsTraceWrite *row = &g_array_index (self->writes, TsTraceWrite, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "reg", row->name);
      set_hex (item, "addr", row->address);
      set_hex (item, "value", row->value);
      json_array_add_object_element (writes, item);
    }
  for (guint i = 0; i < self->refused->len; i++)
    {
      const TsTraceRefusal *row = &g_array_index (self->refused, TsTraceRefusal, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "feature", row->feature);
      json_object_set_string_member (item, "reason", row->reason);
      json_array_add_object_element (refused, item);
    }
  json_object_set_object_member (object, "caps", ts_trace_caps_to_json (&self->caps));
  json_object_set_array_member (object, "writes", writes);
  json_object_set_array_member (object, "refused", refused);
  json_object_set_object_member (object, "applied", granted_to_json (self));

  return object;
}

/**
 * ts_trace_image_name_watches:
 * @text: what ts_trace_image_to_json() made, as text
 * @names: a book
 *
 * Names the comparators as their watches are: which one a watch got is known only when the core is.
 *
 * Thread: owner of @names
 */
void
ts_trace_image_name_watches (const char *text,
                             TsNames *names)
{
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  JsonObject *applied;
  JsonArray *watches;

  g_return_if_fail (TS_IS_NAMES (names));

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)
      || !json_object_has_member (json_node_get_object (root), "applied"))
    return;
  applied = json_object_get_object_member (json_node_get_object (root), "applied");
  watches = json_object_get_array_member (applied, "watch");
  for (guint i = 0; i < TS_TRACE_MAX_WATCHES; i++)
    ts_names_set_watch (names, i, NULL, TS_OBJECT_UNKNOWN);
  for (guint i = 0; i < json_array_get_length (watches); i++)
    {
      JsonObject *item = json_array_get_object_element (watches, i);
      const char *name = json_object_get_string_member_with_default (item, "name", NULL);
      guint64 address = g_ascii_strtoull (json_object_get_string_member (item, "addr"), NULL, 16);
      gint64 comparator = json_object_get_int_member (item, "cmp");

      ts_names_set_watch (names, (guint) comparator, name, (gint64) address);
      if (json_object_has_member (item, "cmp_limit"))
        ts_names_set_watch (names, (guint) comparator + 1, name, (gint64) address);
    }
}

/**
 * ts_hardware_trace_dup_description:
 * @connection: a connection
 *
 * What a connection tells about a hardware trace that somebody else sets up (a debugger behind
 * `swo-tcp`, the firmware): rate of the pin, watches, what is traced; no registers.
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): JSON text for `meta.hardware_trace`, %NULL where there is
 * nothing to tell
 */
char *
ts_hardware_trace_dup_description (TsConnection *connection)
{
  const char *transport = ts_connection_get_transport (connection);
  g_autoptr (TsTraceImage) image = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;
  TsTraceCaps caps;

  if (!ts_connection_has (connection, "hardware-trace")
      && (transport == NULL || strstr (transport, "swo") == NULL))
    return NULL;

  ts_trace_caps_init (&caps);
  image = ts_trace_image_new (TS_TRACE_ARCH_V7M, &caps, connection);
  g_array_set_size (image->writes, 0);
  if (image->uses_swo)
    image->true_swo_hz = image->swo_hz;
  object = ts_trace_image_to_json (image);
  json_object_remove_member (object, "arch");
  json_object_remove_member (object, "caps");
  root = json_node_init_object (json_node_alloc (), object);
  json_object_unref (object);

  return json_to_string (root, FALSE);
}

/**
 * ts_hardware_trace_dup_format:
 * @connection: a connection of a trace pin
 *
 * Thread: any
 *
 * Returns: (transfer full): the decoder's format for its bytes: the recorder's port, and the
 * prescaler of time stamps
 */
char *
ts_hardware_trace_dup_format (TsConnection *connection)
{
  TsHardwareTrace trace;
  GString *format = g_string_new ("va-itm");

  g_string_append_printf (format, ":port=%d", (int) ts_connection_get_int (connection, "itm-port"));
  if (ts_hardware_trace_read (&trace, ts_connection_get_object (connection, "hardware-trace"), NULL)
      && trace.timestamps > 1)
    g_string_append_printf (format, ",prescaler=%d", trace.timestamps);
  ts_hardware_trace_clear (&trace);

  return g_string_free (format, FALSE);
}
