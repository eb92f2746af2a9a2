/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-pace.c: when to look at a ring again. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include "ts-ring-pace-private.h"

/* Source: probes.md section 3, step 4 */
#define FIRST_US 2000
#define LEAST_US 1000
#define MOST_US 20000

/* @n_bytes came at @now_us. */
void
_ts_ring_pace_note (TsRingPace *self,
                    gint64 now_us,
                    gsize n_bytes)
{
  if (self->window_us == 0)
    self->window_us = now_us;
  self->n_bytes += n_bytes;
  if (now_us - self->window_us >= G_USEC_PER_SEC)
    {
      self->rate = self->n_bytes * G_USEC_PER_SEC / (guint64) (now_us - self->window_us);
      self->n_bytes = 0;
      self->window_us = now_us;
    }
}

/*
 * _ts_ring_pace_get_pause:
 * @self: a pace
 * @n_bytes: how many the last look gave
 * @ring_size: size of the ring
 *
 * Returns: microseconds until the next look; 0: at once
 */
gint64
_ts_ring_pace_get_pause (const TsRingPace *self,
                         gsize n_bytes,
                         gsize ring_size)
{
  if (n_bytes > ring_size / 4)
    return 0;
  if (self->fixed_us > 0)
    return self->fixed_us;
  if (self->rate == 0)
    return n_bytes > 0 || self->window_us == 0 ? FIRST_US : MOST_US / 4;

  return CLAMP ((gint64) (ring_size * (guint64) G_USEC_PER_SEC / (4 * self->rate)), LEAST_US,
                MOST_US);
}
