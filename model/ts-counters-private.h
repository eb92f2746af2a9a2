/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-counters-private.h: the event counters of a core: names, and how much one packet stands for.
 *
 * A value of %TS_EVENT_DWT_COUNTERS has one bit for every counter that wrapped.
 */
#pragma once

#include <glib.h>

#include "ts-recording.h"

G_BEGIN_DECLS

#define TS_N_COUNTERS 6
/** Cycles between two wraps of the cycle counter's event, as our register image sets it up. */
#define TS_CYC_INTERVAL 16384

/* ts-tracker-rates.c */
const char *_ts_counter_get_name (guint counter); /* by bit: "CPI", "EXC" ... */
/* Counts from one packet to the next. Source: itm-dwt.md section 2.5 */
gint64 _ts_counter_get_range (guint counter);

/* Bits per second of the trace pin, of `meta.hardware_trace` (@text, nullable); 0: not told. */
guint64 _ts_trace_get_line_rate (const char *text);
guint64 _ts_recording_get_line_rate (TsRecording *recording);

G_END_DECLS
