/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-histogram.h: how often something took how long.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Bars of a histogram. */
#define TS_HISTOGRAM_BINS 32

#define TS_TYPE_HISTOGRAM (ts_histogram_get_type ())
G_DECLARE_FINAL_TYPE (TsHistogram, ts_histogram, TS, HISTOGRAM, GtkWidget)

GtkWidget *ts_histogram_new (void);
void ts_histogram_set (TsHistogram *self,
                       const guint64 *bins,
                       guint n_bins,
                       guint first_outlier);

G_END_DECLS
