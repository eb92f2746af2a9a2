/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-core-watch.c: why a core says nothing, and whether it is the one that was meant. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-core-watch-private.h"
#include "ts-target-list.h"

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

/*
 * _ts_core_dup_mismatch:
 * @probe: a probe
 * @connection: a connection that may name the chip: `target-device`
 *
 * Whether the core can be that chip's. Nothing else depends on the name: the chip itself is asked what
 * it is.
 *
 * Source: viewalyzer-host.md section 2.2, `target-device`; probes.md section 2, CPUID
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
  if (name == NULL || probe->access_port != 0 || !ts_target_find_arch (name, &wanted)
      || !ts_probe_read_word (probe, TS_CORE_CPUID, &cpuid, NULL)
      || !ts_trace_arch_from_cpuid (cpuid, &arch) || arch == wanted)
    return NULL;

  /* translators: the architectures are written v6m, v7m or v8m */
  return g_strdup_printf (_("The connection is for “%.64s”, whose core is %s, but the core behind the "
                            "probe is %s: is it the right board? (“target-device”)"),
                          name, ts_trace_arch_get_name (wanted), ts_trace_arch_get_name (arch));
}
