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
/* The receiver's clock may differ so much from the pin's. Source: probes.md section 1.10 */
#define MAX_ERROR_PERCENT 3

/* Source: viewalyzer-host.md section 2.5, "Vendor trace gate"; the device numbers of the first two
 * rows are DEV_ID of DBGMCU_IDCODE in ST's reference manuals (F1, F2, F3, F4, F7, L1, L4, G4, WB, WL;
 * L5, U5, U3, WBA). A chip that is not listed gets no write of this kind. */
static const TsTracePart parts[] = {
  { "STM32F/L/G/WB/WL", 0xE0042000u, 0xE0042004u, 0x27, 0, 0, 1,
    { 0x410, 0x411, 0x412, 0x413, 0x414, 0x415, 0x416, 0x418, 0x419, 0x420, 0x421,
      0x422, 0x423, 0x427, 0x428, 0x429, 0x431, 0x433, 0x434, 0x435, 0x436, 0 } },
  { "STM32F/L/G/WB/WL", 0xE0042000u, 0xE0042004u, 0x27, 0, 0, 1,
    { 0x430, 0x432, 0x437, 0x438, 0x439, 0x441, 0x446, 0x449, 0x451, 0x452, 0x458,
      0x461, 0x462, 0x463, 0x464, 0x468, 0x469, 0x470, 0x471, 0x479, 0x494, 0x495, 0x497, 0 } },
  { "STM32L5/U5/U3/WBA", 0xE0044000u, 0xE0044004u, 0x36, 0, 0, 1,
    { 0x472, 0x454, 0x455, 0x476, 0x481, 0x482, 0x492, 0x4B0, 0 } },
  { "STM32H5/C5", 0x44024000u, 0x44024004u, 0x36, 0, 0, 1, { 0x474, 0x484, 0x44E, 0 } },
  { "STM32H7", 0x5C001000u, 0x5C001004u, 0x00700000, 0x5C003000u, 0x5C004000u, 1,
    { 0x450, 0x480, 0x483, 0x484, 0 } },
  { "STM32H7R/S", 0x5C001000u, 0x5C001004u, 0x00700000, 0x5C003000u, 0x5C004000u, 3,
    { 0x485, 0 } },
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
find_part (TsProbe *probe)
{
  guint32 address = 0, word = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      if (parts[i].id_address != address)
        {
          address = parts[i].id_address;
          if (!ts_probe_read_word (probe, address, &word, NULL))
            word = 0;
        }
      if (word != 0 && word != G_MAXUINT32 && has_id (&parts[i], word & 0xFFF))
        return &parts[i];
    }

  return NULL;
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

  self->part = find_part (probe);
  if (self->part != NULL && !set_bits (probe, self->part->gate, self->part->gate_bits, error))
    return FALSE;
  if (self->part != NULL && self->part->clock_divider > 1
      && !ts_connection_has (connection, "trace-clock-hz"))
    {
      g_autofree char *text
          = g_strdup_printf ("%" G_GINT64_FORMAT,
                             ts_connection_get_int (connection, "cpu-clock-hz")
                                 / self->part->clock_divider);

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
           && set_bits (self->probe, self->part->funnel, 1, error);

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
  if (self->part != NULL && !set_bits (self->probe, self->part->gate, self->part->gate_bits, error))
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
