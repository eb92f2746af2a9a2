/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline.h: the timeline: overview, ruler and lanes of one recording.
 *
 * A widget of its own. It turns a view state into a display list, paints that into an image surface
 * it keeps, and shows the surface; it repaints only when something changed. Pointer and keys change
 * the view state and nothing else.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-frame-stats.h"

G_BEGIN_DECLS

#define TS_TYPE_TIMELINE (ts_timeline_get_type ())
G_DECLARE_FINAL_TYPE (TsTimeline, ts_timeline, TS, TIMELINE, GtkWidget)

GtkWidget *ts_timeline_new (void);
void ts_timeline_set_view (TsTimeline *self,
                           TsViewState *view);
TsViewState *ts_timeline_get_view (TsTimeline *self);
GtkAdjustment *ts_timeline_get_vadjustment (TsTimeline *self);
void ts_timeline_mark_data (TsTimeline *self,
                            gint64 arrival_us);
const TsFrameStats *ts_timeline_get_frame_stats (TsTimeline *self);
const TsFrameStats *ts_timeline_get_latency_stats (TsTimeline *self);
void ts_timeline_reveal (TsTimeline *self,
                         gint64 tick);
gint64 ts_timeline_find_mark (TsTimeline *self);
gint64 ts_timeline_get_place (TsTimeline *self);
GdkTexture *ts_timeline_dup_texture (TsTimeline *self);
void ts_timeline_set_drag_pans (TsTimeline *self,
                                gboolean drag_pans);
double ts_timeline_get_lane_percent (TsTimeline *self);
void ts_timeline_set_lane_percent (TsTimeline *self,
                                   double percent);
void ts_timeline_reveal_lane (TsTimeline *self,
                              guint32 lane);
void ts_timeline_go_to (TsTimeline *self,
                        guint32 lane,
                        gint64 begin,
                        gint64 end);
void ts_timeline_zoom_to (TsTimeline *self,
                          gint64 begin,
                          gint64 end);

G_END_DECLS
