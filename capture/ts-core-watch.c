/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-core-watch.c: why a core says nothing. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-core-watch-private.h"

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
