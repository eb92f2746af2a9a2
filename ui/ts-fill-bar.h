/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-fill-bar.h: how full a buffer is, and how full it ever was.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_FILL_BAR (ts_fill_bar_get_type ())
G_DECLARE_FINAL_TYPE (TsFillBar, ts_fill_bar, TS, FILL_BAR, GtkWidget)

GtkWidget *ts_fill_bar_new (void);
void ts_fill_bar_set (TsFillBar *self,
                      double fill,
                      double high_water);
void ts_fill_bar_set_is_goal (TsFillBar *self,
                              gboolean is_goal);

G_END_DECLS
