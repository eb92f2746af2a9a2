/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <stdlib.h>

#include "ui/ts-frame-stats.h"

static int
compare_u32 (const void *a,
             const void *b)
{
  guint32 left = *(const guint32 *) a;
  guint32 right = *(const guint32 *) b;

  return left < right ? -1 : left > right;
}

/**
 * ts_frame_stats_add:
 * @self: statistics
 * @duration_us: how long it took
 *
 * Cost: O(1)
 * Thread: owner
 */
void
ts_frame_stats_add (TsFrameStats *self,
                    gint64 duration_us)
{
  guint32 clamped = (guint32) CLAMP (duration_us, 0, G_MAXUINT32);

  self->samples[self->n_total++ % TS_FRAME_STATS_SIZE] = clamped;
  self->max_us = MAX (self->max_us, clamped);
}

/**
 * ts_frame_stats_get_percentile:
 * @self: statistics
 * @percent: 0 to 100
 *
 * The smallest kept duration that at least @percent of the kept ones do not exceed (nearest rank).
 *
 * Units: microseconds
 * Thread: owner
 *
 * Returns: a duration, 0 if there is none
 */
guint32
ts_frame_stats_get_percentile (const TsFrameStats *self,
                               guint percent)
{
  gsize n = MIN (self->n_total, TS_FRAME_STATS_SIZE);
  g_autofree guint32 *sorted = NULL;
  gsize rank;

  if (n == 0)
    return 0;
  sorted = g_memdup2 (self->samples, n * sizeof (guint32));
  qsort (sorted, n, sizeof (guint32), compare_u32);
  rank = (n * MIN (percent, 100) + 99) / 100;
  return sorted[rank > 0 ? rank - 1 : 0];
}

/**
 * ts_frame_stats_print:
 * @self: statistics
 * @what: what was measured
 *
 * One line to standard error, for people who asked for it by `TASKSCOPE_FRAME_STATS`.
 *
 * Thread: owner
 */
void
ts_frame_stats_print (const TsFrameStats *self,
                      const char *what)
{
  g_printerr ("%s: n %" G_GUINT64_FORMAT ", p50 %.3f ms, p99 %.3f ms, max %.3f ms\n", what,
              self->n_total, ts_frame_stats_get_percentile (self, 50) / 1000.0,
              ts_frame_stats_get_percentile (self, 99) / 1000.0, self->max_us / 1000.0);
}
