/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-probe-monitor.h: which debug probes are plugged in, kept up to date while people plug and
 * unplug.
 *
 * A thread of its own waits for USB to tell of a change, looks for probes, and hands the list over;
 * everything a caller sees happens in the main context in which the monitor was made.
 *
 * TsProbeMonitor::changed: the list of ts_probe_monitor_get_probes() is another one now; also
 * emitted once when the first look is over, whatever it found.
 */
#pragma once

#include <gio/gio.h>

#include "ts-probe.h"

G_BEGIN_DECLS

#define TS_TYPE_PROBE_MONITOR (ts_probe_monitor_get_type ())
G_DECLARE_FINAL_TYPE (TsProbeMonitor, ts_probe_monitor, TS, PROBE_MONITOR, GObject)

TsProbeMonitor *ts_probe_monitor_new (void);
GPtrArray *ts_probe_monitor_get_probes (TsProbeMonitor *self);
gboolean ts_probe_monitor_is_ready (TsProbeMonitor *self);
void ts_probe_monitor_refresh (TsProbeMonitor *self);

G_END_DECLS
