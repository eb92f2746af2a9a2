/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-capture-figures.h: how fast, how much, how full, and how far the trigger is. */
#pragma once

#include <gtk/gtk.h>

#include "capture/ts-capture-session.h"

G_BEGIN_DECLS

#define TS_TYPE_CAPTURE_FIGURES (ts_capture_figures_get_type ())
G_DECLARE_FINAL_TYPE (TsCaptureFigures, ts_capture_figures, TS, CAPTURE_FIGURES, GtkBox)

GtkWidget *ts_capture_figures_new (void);
void ts_capture_figures_set (TsCaptureFigures *self,
                             const TsCaptureStats *stats);
const char *ts_capture_figures_get_trigger (TsCaptureFigures *self);

G_END_DECLS
