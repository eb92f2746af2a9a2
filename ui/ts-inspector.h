/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-inspector.h: all about what is selected: a task, a slice of it, a range, else the recording.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

#define TS_TYPE_INSPECTOR (ts_inspector_get_type ())
G_DECLARE_FINAL_TYPE (TsInspector, ts_inspector, TS, INSPECTOR, GtkWidget)

/* Signal "go-to" (gint64 begin, gint64 end): the user asked for a place, in ticks. */
GtkWidget *ts_inspector_new (void);
void ts_inspector_set_view (TsInspector *self,
                            TsViewState *view);
TsViewState *ts_inspector_get_view (TsInspector *self);
void ts_inspector_set_mark (TsInspector *self,
                            const char *mark);
void ts_inspector_refresh (TsInspector *self);

G_END_DECLS
