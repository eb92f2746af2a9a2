/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-core-watch.c: why a core says nothing, and whether it is the one that was meant. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-core-watch-private.h"
#include "ts-target-ids-private.h"
#include "ts-target-list.h"
#include "ts-trace-target-private.h"

/*
 * _ts_core_explain_silence:
 * @probe: a probe
 *
 * Looks at what the core does; nothing is changed.
 *
 * Source: probes.md section 2, DHCSR
 *
 * Returns: (nullable) (transfer none): one sentence, %NULL when the core simply runs
 */
const char *
_ts_core_explain_silence (TsProbe *probe)
{
  guint32 dhcsr;

  if (!ts_probe_read_word (probe, TS_CORE_DHCSR, &dhcsr, NULL))
    return _("The core does not answer any more: does it have power?");
  if ((dhcsr & TS_DHCSR_S_HALT) != 0)
    return _("The core is halted: a breakpoint or another debugger stopped it. Let it run on, or "
             "capture with a reset.");
  if ((dhcsr & TS_DHCSR_S_LOCKUP) != 0)
    return _("The core is locked up: its firmware faulted inside of its fault handler.");
  if ((dhcsr & TS_DHCSR_S_SLEEP) != 0)
    return _("The core sleeps. Some chips cannot be read meanwhile: let the firmware set the debug "
             "bits for sleep modes (DBGMCU), or use the recorder's busy idle.");

  return NULL;
}

/* Whether the chip has the core, the device number and the flash that its name means. */
static char *
dup_chip_mismatch (TsProbe *probe,
                   const char *name,
                   guint32 cpuid)
{
  const TsTargetIds *wanted = _ts_target_find_ids (name);
  guint core = _ts_target_find_core (name), part = cpuid >> 4 & 0xFFF;
  guint32 size_at = _ts_target_get_flash_size_address (name), word;
  guint kib = _ts_target_get_flash_kib (name), told, id;

  if (core != 0 && core != part && _ts_target_get_core_name (part) != NULL)
    /* translators: cores are Cortex-M4 and the like */
    return g_strdup_printf (_("The connection is for “%.64s”, whose core is a %s, but the core behind "
                              "the probe is a %s: is it the right board? (“target-device”)"),
                            name, _ts_target_get_core_name (core), _ts_target_get_core_name (part));

  id = wanted != NULL ? _ts_trace_target_read_id (probe) : 0;
  if (id != 0)
    {
      g_autofree char *names = _ts_target_dup_names_of_id (id);
      gboolean is_wanted = FALSE;

      for (guint i = 0; i < TS_TARGET_MAX_IDS; i++)
        is_wanted = is_wanted || wanted->ids[i] == id;
      if (!is_wanted && names != NULL)
        return g_strdup_printf (_("The connection is for “%.64s”, but the chip behind the probe says "
                                  "that it is an %s (0x%03x): is it the right board? "
                                  "(“target-device”)"),
                                name, names, id);
    }

  if (id == 0 || kib == 0 || size_at == 0
      || !ts_probe_read_word (probe, size_at & ~3u, &word, NULL))
    return NULL;
  told = word >> (8 * (size_at & 2)) & 0xFFFF;
  if (told == 0 || told == 0xFFFF || told == kib)
    return NULL;

  return g_strdup_printf (_("The connection is for “%.64s” with %u KiB of flash, but the chip behind the "
                            "probe has %u KiB: is it the right board? (“target-device”)"),
                          name, kib, told);
}

/*
 * _ts_core_dup_mismatch:
 * @probe: a probe
 * @connection: a connection that may name the chip: `target-device`
 *
 * Whether core and chip can be what the name says: the architecture and the part number of the core,
 * and of ST's chips the device number and the size of the flash. Nothing else depends on the name.
 *
 * Source: viewalyzer-host.md section 2.2, `target-device`; probes.md sections 2, CPUID, and 9.2,
 * DBGMCU_IDCODE
 *
 * Returns: (transfer full) (nullable): one sentence, %NULL when it can, or when nobody knows
 */
char *
_ts_core_dup_mismatch (TsProbe *probe,
                       TsConnection *connection)
{
  const char *name = ts_connection_get_string (connection, "target-device");
  TsTraceArch wanted, arch;
  guint32 cpuid;

  /* other ports are those of other cores of the chip */
  if (name == NULL || probe->access_port != 0
      || !ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, NULL))
    return NULL;
  if (!ts_target_find_arch (name, &wanted) || !ts_trace_arch_from_cpuid (cpuid, &arch)
      || arch == wanted)
    return dup_chip_mismatch (probe, name, cpuid);

  /* translators: the architectures are written v6m, v7m or v8m */
  return g_strdup_printf (_("The connection is for “%.64s”, whose core is %s, but the core behind the "
                            "probe is %s: is it the right board? (“target-device”)"),
                          name, ts_trace_arch_get_name (wanted), ts_trace_arch_get_name (arch));
}
