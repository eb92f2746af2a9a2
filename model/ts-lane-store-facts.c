/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-store-facts.c: what a store has to know beside slices: mutexes, losses, the clock. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-store-state-private.h"

/**
 * ts_lane_store_set_lock:
 * @self: a store
 * @object: id of an object, a small number
 * @is_lock: it is a mutex: waiting for it is part of an activation
 *
 * Thread: writer
 */
void
ts_lane_store_set_lock (TsLaneStore *self,
                        guint32 object,
                        gboolean is_lock)
{
  g_return_if_fail (self != NULL && object < TS_LANE_ID_SPECIAL);

  if (object >= self->locks->len)
    {
      guint n = self->locks->len;

      if (!is_lock)
        return;
      g_byte_array_set_size (self->locks, object + 1);
      memset (self->locks->data + n, 0, object + 1 - n);
    }
  self->locks->data[object] = is_lock != FALSE;
}

/**
 * ts_lane_store_add_loss:
 * @self: a store
 * @begin: since when events were lost; not before the loss told last
 *
 * No period goes across it. To be told before the slices behind it.
 *
 * Thread: writer
 */
void
ts_lane_store_add_loss (TsLaneStore *self,
                        gint64 begin)
{
  g_return_if_fail (self != NULL);

  g_array_append_val (self->losses, begin);
}

/**
 * ts_lane_store_set_clock:
 * @self: a store
 * @hz: ticks per second, not 0
 *
 * What nodes tell of storms goes by this clock, from the next one on. Without a clock they tell
 * nothing of them.
 *
 * Thread: writer
 */
void
ts_lane_store_set_clock (TsLaneStore *self,
                         guint64 hz)
{
  __int128 scaled = (__int128) TS_STORM_WINDOW_US * hz;

  g_return_if_fail (self != NULL && hz > 0);

  /* As ts_recording_us_to_ticks(): the first tick that is not before. */
  self->storm_window = (gint64) MIN ((scaled + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC, G_MAXINT64);
}
