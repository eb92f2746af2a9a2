/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-pace-private.h: when to look at a ring again; inside capture only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TsRingPace:
 * @fixed_us: pause that was asked for, 0: found out
 * @window_us: begin of the present second
 * @n_bytes: since then
 * @rate: bytes per second of the last one
 * @busy_us: time spent with the probe
 * @idle_us: time paused
 */
typedef struct
{
  gint64 fixed_us;
  gint64 window_us;
  guint64 n_bytes;
  guint64 rate;
  gint64 busy_us;
  gint64 idle_us;
} TsRingPace;

void _ts_ring_pace_note (TsRingPace *self,
                         gint64 now_us,
                         gsize n_bytes);
gint64 _ts_ring_pace_get_pause (const TsRingPace *self,
                                gsize n_bytes,
                                gsize ring_size);

G_END_DECLS
