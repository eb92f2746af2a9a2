/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-demo-target.h: a simulated RTOS that produces real recorder bytes.
 *
 * Deterministic for a seed: eight or more tasks of different priorities, four interrupts (one
 * nesting), a queue, a mutex with a priority inversion now and then, semaphores, timers, heap,
 * values (int and float), toggles, spans, messages. No threads, no I/O, no real time: the caller
 * asks for bytes up to a point of target time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Ticks per second of the demo target. */
#define TS_DEMO_TARGET_HZ 100000000

typedef struct _TsDemoTarget TsDemoTarget;

TsDemoTarget *ts_demo_target_new (guint32 seed,
                                  guint rate,
                                  gboolean cobs);
void ts_demo_target_free (TsDemoTarget *self);
gsize ts_demo_target_run (TsDemoTarget *self,
                          gint64 until_us,
                          gsize max_bytes,
                          GByteArray *out);
gint64 ts_demo_target_get_time_us (TsDemoTarget *self);
guint64 ts_demo_target_get_n_events (TsDemoTarget *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDemoTarget, ts_demo_target_free)

G_END_DECLS
