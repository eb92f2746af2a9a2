/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-trace-target.c: puts a register image of ITM, DWT and trace port in force on a target. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "ts-source-private.h"
#include "ts-trace-target-private.h"

#define TPIU_BASE 0xE0040000u
#define TPIU_END 0xE0041000u
#define TPIU_ACPR 0xE0040010u
#define TPIU_SPPR 0xE00400F0u
/* Registers of the SWO block of an STM32H7. Source: viewalyzer-host.md section 2.5 */
#define SWO_CODR 0x10u
#define SWO_SPPR 0xF0u
/* Registers of a trace memory controller, and what makes it a FIFO for hardware: it formats on its way
 * in and takes that back on its way out. Source: Arm DDI 0461, “CoreSight Trace Memory Controller” */
#define FIFO_CTL 0x020u
#define FIFO_MODE 0x028u
#define FIFO_FFCR 0x304u
#define FIFO_MODE_HARDWARE 2u
#define FIFO_FFCR_ENABLE 3u
/* Clock control of an STM32H72x: which clock drives the system, the core's prescaler, and dividers of
 * PLL1. Source: ST RM0468, RCC_CFGR, RCC_D1CFGR, RCC_PLL1DIVR */
#define RCC_CFGR 0x10u
#define RCC_D1CFGR 0x18u
#define RCC_PLL1DIVR 0x30u
#define RCC_SOURCE_PLL1 3u
/* DBGMCU_IDCODE of an STM32 with an Armv6-M core. Source: ST RM0091, “MCU device ID code” */
#define SMALL_IDCODE 0x40015800u
/* The receiver's clock may differ so much from the pin's. Source: probes.md section 1.10 */
#define MAX_ERROR_PERCENT 3

/* Source: viewalyzer-host.md section 2.5, "Vendor trace gate"; the device numbers of the first two
 * rows are DEV_ID of DBGMCU_IDCODE in ST's reference manuals (F1, F2, F3, F4, F7, L1, L4, G4, WB, WL;
 * L5, U5, U3, WBA). A chip that is not listed gets no write of this kind. */
static const TsTracePart parts[] = {
  { .name = "STM32F/L/G/WB/WL", .id_address = 0xE0042000u, .gate = 0xE0042004u, .gate_bits = 0x27,
    .clock_divider = 1,
    .ids = { 0x410, 0x411, 0x412, 0x413, 0x414, 0x415, 0x416, 0x418, 0x419, 0x420, 0x421,
             0x422, 0x423, 0x427, 0x428, 0x429, 0x431, 0x433, 0x434, 0x435, 0x436, 0 } },
  { .name = "STM32F/L/G/WB/WL", .id_address = 0xE0042000u, .gate = 0xE0042004u, .gate_bits = 0x27,
    .clock_divider = 1,
    .ids = { 0x430, 0x432, 0x437, 0x438, 0x439, 0x441, 0x446, 0x449, 0x451, 0x452, 0x458,
             0x461, 0x462, 0x463, 0x464, 0x468, 0x469, 0x470, 0x471, 0x479, 0x494, 0x495, 0x497,
             0 } },
  { .name = "STM32L5/U5/U3/WBA", .id_address = 0xE0044000u, .gate = 0xE0044004u, .gate_bits = 0x36,
    .clock_divider = 1, .ids = { 0x472, 0x454, 0x455, 0x476, 0x481, 0x482, 0x492, 0x4B0, 0 } },
  { .name = "STM32H5/C5", .id_address = 0x44024000u, .gate = 0x44024004u, .gate_bits = 0x36,
    .clock_divider = 1, .ids = { 0x474, 0x484, 0x44E, 0 } },
  { .name = "STM32H72/H73", .id_address = 0x5C001000u, .gate = 0x5C001004u, .gate_bits = 0x00700000,
    .swo_block = 0x5C003000u, .funnel = 0x5C004000u, .clock_divider = 1, .rcc = 0x58024400u,
    .ids = { 0x483, 0 } },
  { .name = "STM32H7", .id_address = 0x5C001000u, .gate = 0x5C001004u, .gate_bits = 0x00700000,
    .swo_block = 0x5C003000u, .funnel = 0x5C004000u, .clock_divider = 1,
    .ids = { 0x450, 0x480, 0x484, 0 } },
  { .name = "STM32H7R/S", .id_address = 0x5C001000u, .gate = 0x5C001004u, .gate_bits = 0x00700000,
    .swo_block = 0x5C003000u, .funnel = 0x5C004000u, .clock_divider = 3, .ids = { 0x485, 0 } },
  { .name = "STM32N6", .id_address = 0x44001000u, .is_id_on_port_0 = TRUE,
    .swo_block = 0xE008A000u, .funnel = 0xE0081000u, .fifo = 0xE0082000u, .clock_divider = 8,
    .ids = { 0x486, 0 } },
};

static gboolean
has_id (const TsTracePart *part,
        guint id)
{
  for (guint i = 0; part->ids[i] != 0; i++)
    if (part->ids[i] == id)
      return TRUE;

  return FALSE;
}

/* Which chip it is. Id words lie among peripherals that are there on every chip of the maker alone;
 * reading them elsewhere gives a fault, which is no more than an answer. The E004xxxx words are
 * asked first: they belong to the core's own bus. */
static const TsTracePart *
find_part (TsProbe *probe,
           guint *id)
{
  guint32 address = 0, word = 0;

  *id = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      if (parts[i].id_address != address)
        {
          guint port = probe->access_port;

          address = parts[i].id_address;
          if (parts[i].is_id_on_port_0)
            probe->access_port = 0;
          if (!ts_probe_read_word (probe, address, &word, NULL))
            word = 0;
          probe->access_port = port;
        }
      if (word != 0 && word != G_MAXUINT32 && has_id (&parts[i], word & 0xFFF))
        {
          *id = word & 0xFFF;
          return &parts[i];
        }
    }

  return NULL;
}

/*
 * _ts_trace_target_read_id:
 * @probe: a probe
 *
 * Asks a chip of ST's which one it is; nothing is changed.
 *
 * Source: viewalyzer-host.md section 2.5, id words; for cores without trace ST RM0091, “MCU device
 * ID code”
 *
 * Returns: its device number, 0: it does not tell, or is none that is known
 */
guint
_ts_trace_target_read_id (TsProbe *probe)
{
  guint32 cpuid, word;
  TsTraceArch arch;
  guint id;

  if (!ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, NULL) || !ts_trace_arch_from_cpuid (cpuid, &arch))
    return 0;
  if (arch == TS_TRACE_ARCH_V6M)
    return ts_probe_read_word (probe, SMALL_IDCODE, &word, NULL) ? word & 0xFFF : 0;
  (void) find_part (probe, &id);

  return id;
}

/* Core clock to trace clock where that follows the clock control: with PLL1 as the system's clock the
 * core has its output P, behind a prescaler, and the trace its output R; else the trace has the system's
 * clock before the prescaler. Source: viewalyzer-host.md section 2.5 */
static gboolean
read_trace_hz (TsProbe *probe,
               const TsTracePart *part,
               gint64 cpu_hz,
               gint64 *trace_hz,
               GError **error)
{
  /* 0 to 7: not divided */
  static const guint16 prescalers[] = { 2, 4, 8, 16, 64, 128, 256, 512 };
  guint32 cfgr, d1cfgr, pll;
  guint code;

  *trace_hz = cpu_hz / part->clock_divider;
  if (part->rcc == 0)
    return TRUE;
  if (!ts_probe_read_word (probe, part->rcc + RCC_CFGR, &cfgr, error)
      || !ts_probe_read_word (probe, part->rcc + RCC_D1CFGR, &d1cfgr, error)
      || !ts_probe_read_word (probe, part->rcc + RCC_PLL1DIVR, &pll, error))
    return FALSE;
  code = d1cfgr >> 8 & 0xF;
  *trace_hz = cpu_hz * (code >= 8 ? prescalers[code - 8] : 1);
  if ((cfgr >> 3 & 7) == RCC_SOURCE_PLL1)
    *trace_hz = *trace_hz * ((pll >> 9 & 0x7F) + 1) / ((pll >> 24 & 0x7F) + 1);

  return TRUE;
}

static gboolean
set_bits (TsProbe *probe,
          guint32 address,
          guint32 bits,
          GError **error)
{
  guint32 word;

  return ts_probe_read_word (probe, address, &word, error)
         && ts_probe_write_word (probe, address, word | bits, error);
}

/* What the maker wants before the trace hardware may be touched. */
static gboolean
open_gate (TsTraceTarget *self,
           GError **error)
{
  const TsTracePart *part = self->part;

  return part == NULL || part->gate == 0
         || set_bits (self->probe, part->gate, part->gate_bits, error);
}

/*
 * _ts_trace_target_prepare:
 * @self: (out caller-allocates): to be cleared with _ts_trace_target_clear()
 * @probe: a probe
 * @connection: what is wanted
 * @error: return location
 *
 * Looks at what core and chip there are, opens the maker's gate to the trace hardware, and makes the
 * image for them.
 *
 * Errors: %TS_CAPTURE_ERROR_CONNECT for a core without trace; those of the probe
 * Source: viewalyzer-host.md section 2.5
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_trace_target_prepare (TsTraceTarget *self,
                          TsProbe *probe,
                          TsConnection *connection,
                          GError **error)
{
  guint32 cpuid, demcr, dwt_ctrl;
  TsTraceCaps caps;
  guint id;

  memset (self, 0, sizeof *self);
  self->probe = probe;
  self->connection = connection;
  if (!ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, error))
    return FALSE;
  if (!ts_trace_arch_from_cpuid (cpuid, &self->arch))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("The core (CPUID 0x%08x) is not known: its trace hardware is not touched. Use "
                     "the RAM ring or RTT."),
                   cpuid);
      return FALSE;
    }

  self->part = find_part (probe, &id);
  if (!open_gate (self, error))
    return FALSE;
  if (self->part != NULL && (self->part->clock_divider > 1 || self->part->rcc != 0)
      && ts_connection_has (connection, "cpu-clock-hz")
      && !ts_connection_has (connection, "trace-clock-hz"))
    {
      g_autofree char *text = NULL;
      gint64 trace_hz;

      if (!read_trace_hz (probe, self->part, ts_connection_get_int (connection, "cpu-clock-hz"),
                          &trace_hz, error))
        return FALSE;
      text = g_strdup_printf ("%" G_GINT64_FORMAT, trace_hz);
      if (!ts_connection_set_from_text (connection, "trace-clock-hz", text, error))
        return FALSE;
    }

  /* without power the trace hardware does not say what it has */
  ts_trace_caps_init (&caps);
  if (!ts_probe_read_word (probe, TS_CORE_DEMCR, &demcr, error)
      || !ts_probe_write_word (probe, TS_CORE_DEMCR, demcr | TS_DEMCR_TRCENA, error)
      || !ts_probe_read_word (probe, TS_CORE_DWT_CTRL, &dwt_ctrl, error))
    return FALSE;
  if (self->arch != TS_TRACE_ARCH_V6M)
    ts_trace_caps_init_from_dwt_ctrl (&caps, dwt_ctrl);
  self->image = ts_trace_image_new (self->arch, &caps, connection);

  return TRUE;
}

static gboolean
open_fifo (TsProbe *probe,
           guint32 fifo,
           GError **error)
{
  return ts_probe_write_word (probe, fifo + FIFO_CTL, 0, error)
         && ts_probe_write_word (probe, fifo + FIFO_MODE, FIFO_MODE_HARDWARE, error)
         && ts_probe_write_word (probe, fifo + FIFO_FFCR, FIFO_FFCR_ENABLE, error)
         && ts_probe_write_word (probe, fifo + FIFO_CTL, 1, error);
}

/* Writes one register of the image; on chips with an SWO block of their own that stands in for the
 * TPIU. */
static gboolean
apply_write (TsTraceTarget *self,
             const TsTraceWrite *write,
             GError **error)
{
  guint32 block = self->part != NULL ? self->part->swo_block : 0;
  guint32 demcr;

  /* somebody else may have set vector catches there */
  if (write->address == TS_CORE_DEMCR)
    return ts_probe_read_word (self->probe, TS_CORE_DEMCR, &demcr, error)
           && ts_probe_write_word (self->probe, TS_CORE_DEMCR, demcr | write->value, error);
  if (block == 0 || write->address < TPIU_BASE || write->address >= TPIU_END)
    return ts_probe_write_word (self->probe, write->address, write->value, error);
  if (write->address == TPIU_ACPR)
    return ts_probe_write_word (self->probe, block + SWO_CODR, write->value, error);
  if (write->address == TPIU_SPPR)
    return ts_probe_write_word (self->probe, block + SWO_SPPR, write->value, error)
           && set_bits (self->probe, self->part->funnel, 1, error)
           && (self->part->fifo == 0 || open_fifo (self->probe, self->part->fifo, error));

  return TRUE;
}

/*
 * _ts_trace_target_apply:
 * @self: a target that was prepared
 * @error: return location
 *
 * Writes the image. May be done again after a reset, which stops the trace hardware.
 *
 * Errors: those of the probe
 * Source: viewalyzer-host.md section 2.5; probes.md section 1.10
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_trace_target_apply (TsTraceTarget *self,
                        GError **error)
{
  if (!open_gate (self, error))
    return FALSE;
  for (guint i = 0; i < self->image->writes->len; i++)
    {
      const TsTraceWrite *write = &g_array_index (self->image->writes, TsTraceWrite, i);

      if (!apply_write (self, write, error))
        {
          g_prefix_error (error, _("%s of the trace hardware cannot be written: "), write->name);
          return FALSE;
        }
    }

  return TRUE;
}

/*
 * _ts_trace_target_check_rate:
 * @self: a target that was prepared, whose pin is to be set up
 * @error: return location
 *
 * Whether the rate divides the trace clock closely enough for a receiver.
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG, which names rates that would do
 * Source: probes.md section 1.10
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_trace_target_check_rate (const TsTraceTarget *self,
                             GError **error)
{
  const TsTraceImage *image = self->image;
  gint64 difference = ABS (image->true_swo_hz - image->swo_hz);
  gint64 divider;

  if (image->trace_hz >= image->swo_hz && difference * 100 <= image->swo_hz * MAX_ERROR_PERCENT)
    return TRUE;

  divider = MAX (image->trace_hz / MAX (image->swo_hz, 1), 1);
  g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
               _("%" PRId64 " Hz of the SWO pin do not divide the trace clock of "
                 "%" PRId64 " Hz: set “swo-freq-hz” to %" PRId64
                 " or %" PRId64 ", or correct “trace-clock-hz”."),
               image->swo_hz, image->trace_hz, image->trace_hz / divider,
               image->trace_hz / (divider + 1));

  return FALSE;
}

/* Tells what was asked and the core cannot do, and keeps the image for the recording. Source:
 * viewalyzer-host.md sections 1.3 and 2.4 */
void
_ts_trace_target_tell (const TsTraceTarget *self,
                       TsSource *source)
{
  const TsTraceImage *image = self->image;
  g_autoptr (JsonObject) object = ts_trace_image_to_json (image);
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), object);
  g_autofree char *text = json_to_string (node, FALSE);

  for (guint i = 0; i < image->refused->len; i++)
    {
      const TsTraceRefusal *refusal = &g_array_index (image->refused, TsTraceRefusal, i);

      _ts_source_note (source, TS_SOURCE_NOTE_WARNING, 0, "[hwtrace] %s not enabled: %s",
                       refusal->feature, refusal->reason);
    }
  _ts_source_meta (source, "hardware_trace", text);
}

void
_ts_trace_target_clear (TsTraceTarget *self)
{
  g_clear_pointer (&self->image, ts_trace_image_free);
}
