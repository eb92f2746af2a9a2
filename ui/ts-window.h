/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-window.h: one window: a recording, or a capture that makes one.
 */
#pragma once

#include <adwaita.h>

#include "capture/ts-capture-session.h"
#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

#define TS_TYPE_WINDOW (ts_window_get_type ())
G_DECLARE_FINAL_TYPE (TsWindow, ts_window, TS, WINDOW, AdwApplicationWindow)

TsWindow *ts_window_new (GtkApplication *application);
void ts_window_open (TsWindow *self,
                     GFile *file);
void ts_window_start_demo (TsWindow *self);
gboolean ts_window_load_connection (TsWindow *self,
                                    GFile *file);
void ts_window_start_loaded_demo (TsWindow *self);
gboolean ts_window_start (TsWindow *self,
                          TsConnection *connection);
void ts_window_stop (TsWindow *self);
gboolean ts_window_is_capturing (TsWindow *self);
gboolean ts_window_is_empty (TsWindow *self);
gboolean ts_window_is_busy (TsWindow *self);
TsViewState *ts_window_get_view (TsWindow *self);
void ts_window_show_error (TsWindow *self,
                           const char *message);

void ts_window_take_image (TsWindow *self,
                           const char *path,
                           guint32 base);

G_END_DECLS
