/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-window.h: the lines of the event table that are on screen, as a list model.
 *
 * Its items stay the same while it moves over the lines of a #TsEventModel: what they show changes,
 * and each says so. GTK makes new widgets for every new item of a list; a table that follows a
 * capture would make all of its cells anew several times a second.
 */
#pragma once

#include "ui/ts-event-model.h"

G_BEGIN_DECLS

#define TS_TYPE_EVENT_WINDOW (ts_event_window_get_type ())
G_DECLARE_FINAL_TYPE (TsEventWindow, ts_event_window, TS, EVENT_WINDOW, GObject)

TsEventWindow *ts_event_window_new (TsEventModel *model);
guint ts_event_window_get_offset (TsEventWindow *self);
void ts_event_window_set_offset (TsEventWindow *self,
                                 guint offset);
guint ts_event_window_get_size (TsEventWindow *self);
void ts_event_window_set_size (TsEventWindow *self,
                               guint size);
void ts_event_window_rewrite (TsEventWindow *self);

G_END_DECLS
