/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-finder.h: a popover that finds a lane by a part of its name. */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

#define TS_TYPE_LANE_FINDER (ts_lane_finder_get_type ())
G_DECLARE_FINAL_TYPE (TsLaneFinder, ts_lane_finder, TS, LANE_FINDER, GtkPopover)

/* Signal "chosen" (guint lane). */
GtkWidget *ts_lane_finder_new (void);
void ts_lane_finder_open (TsLaneFinder *self,
                          TsViewState *view);
void ts_lane_finder_set_text (TsLaneFinder *self,
                              const char *text);
void ts_lane_finder_choose (TsLaneFinder *self);

G_END_DECLS
