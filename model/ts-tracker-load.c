/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-tracker-load.c: how much of its line a trace stream takes, and where it was too much. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include "ts-tracker-state-private.h"

/* Bits that a byte takes of the line (NRZ, with its start and stop bit). */
#define LINE_BITS 10.0

/**
 * ts_tracker_set_line_rate:
 * @self: a tracker
 * @hz: bits per second of the trace pin; 0: not known
 *
 * The load of a stream whose lane is made from now on is told in per cent of this; without it in
 * kB/s.
 *
 * Thread: owner
 */
void
ts_tracker_set_line_rate (TsTracker *self,
                          guint64 hz)
{
  g_return_if_fail (self != NULL);

  self->line_hz = hz;
}

static void
define_load_lane (TsTracker *self,
                  TsCore *core)
{
  g_autofree char *name = NULL;

  core->has_load_lane = TRUE;
  core->is_load_share = self->line_hz > 0;
  name = g_strdup_printf (core->is_load_share ? "SWO load %%" : "SWO load kB/s");
  if (core->index > 0)
    {
      g_autofree char *plain = g_steal_pointer (&name);

      name = g_strdup_printf ("%s, CPU %u", plain, core->index);
    }
  _ts_tracker_define_special (self, TS_LANE_ID_LOAD (core->index), TS_LANE_VALUE, core->index, name);
}

/* Bytes came in the time up to now. Where time stamps were lost it looks as if it was more than the
 * line can carry: it was full. */
void
_ts_tracker_load (TsTracker *self,
                  TsCore *core,
                  const TsEvent *event)
{
  gint64 ticks = ts_event_get_detail (event);
  TsSlice slice = { .end = self->now, .state = TS_STATE_POINT };

  if (ticks <= 0 || event->value < 0)
    return;
  if (!core->has_load_lane)
    define_load_lane (self, core);
  slice.begin = MAX (self->now - ticks, core->load_end);
  if (slice.begin >= slice.end)
    return;
  if (slice.begin > core->load_end && core->load_end > 0)
    {
      TsSlice gap
          = { .begin = core->load_end, .end = slice.begin, .value = NAN, .state = TS_STATE_POINT };

      ts_lane_store_add_slice (self->store, TS_LANE_ID_LOAD (core->index), &gap);
    }
  slice.value = (double) event->value * (double) self->clock_hz / (double) ticks;
  slice.value = core->is_load_share
                    ? MIN (slice.value * LINE_BITS * 100 / (double) self->line_hz, 100)
                    : slice.value / 1000;
  ts_lane_store_add_slice (self->store, TS_LANE_ID_LOAD (core->index), &slice);
  core->load_end = self->now;
}

/* Packets were lost on the chip between the event @before and this one. */
void
_ts_tracker_overflow (TsTracker *self,
                      TsCore *core,
                      gint64 before)
{
  TsSlice slice = {
    .begin = before,
    .end = self->now,
    .arg = G_MAXUINT32,
    .state = TS_STATE_LOSS,
  };

  if (!core->has_overflow_lane)
    {
      core->has_overflow_lane = TRUE;
      _ts_tracker_define_special (self, TS_LANE_ID_OVERFLOW (core->index), TS_LANE_LOSS, core->index,
                                  "SWO overflows");
    }
  ts_lane_store_add_slice (self->store, TS_LANE_ID_OVERFLOW (core->index), &slice);
}
