/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-frame-stats.h: durations of the window's own work, kept to answer "how long did a frame take".
 *
 * A fixed ring of the latest durations; adding one costs two stores and nothing is formatted until
 * somebody asks.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How many of the latest durations are kept. */
#define TS_FRAME_STATS_SIZE 8192

/**
 * TsFrameStats:
 * @n_total: durations ever added
 * @max_us: longest ever
 * @samples: ring of the latest ones, microseconds
 */
typedef struct
{
  guint64 n_total;
  guint32 max_us;
  guint32 samples[TS_FRAME_STATS_SIZE];
} TsFrameStats;

void ts_frame_stats_add (TsFrameStats *self,
                         gint64 duration_us);
guint32 ts_frame_stats_get_percentile (const TsFrameStats *self,
                                       guint percent);
void ts_frame_stats_print (const TsFrameStats *self,
                           const char *what);

G_END_DECLS
