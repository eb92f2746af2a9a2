/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-list.h: the events as a table, in step with the timeline.
 *
 * Only the rows on screen are in the GTK list; a scroll bar of our own counts rows, so that a
 * hundred million of them scroll as exactly as a hundred.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

#include "ui/ts-event-model.h"

G_BEGIN_DECLS

#define TS_TYPE_EVENT_LIST (ts_event_list_get_type ())
G_DECLARE_FINAL_TYPE (TsEventList, ts_event_list, TS, EVENT_LIST, GtkBox)

/* Signals: "event-selected" (gint64 tick, guint object id): the user chose a row; "filter" (text): a
 * filter was asked for; "notice" (text): something to tell the user. */
GtkWidget *ts_event_list_new (void);
void ts_event_list_set_view (TsEventList *self,
                             TsViewState *view);
void ts_event_list_refresh (TsEventList *self);
void ts_event_list_set_rows (TsEventList *self,
                             GArray *rows);
TsEventModel *ts_event_list_get_model (TsEventList *self);
GtkWidget *ts_event_list_get_status (TsEventList *self);
guint64 ts_event_list_get_first_row (TsEventList *self);
guint64 ts_event_list_get_selected_row (TsEventList *self);
void ts_event_list_show_row (TsEventList *self,
                             guint64 row,
                             gboolean select);

G_END_DECLS
