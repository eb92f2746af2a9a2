/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-model.h: the events of a recording as a list model, read page by page.
 *
 * Position p is row id p + 1. An item is made only when somebody asks for it; behind it stands a
 * small cache of pages, so that millions of rows cost no more memory than a screen of them. Pages
 * are read on a worker: nothing here waits for the disk.
 */
#pragma once

#include <gio/gio.h>

#include "model/ts-recording.h"

G_BEGIN_DECLS

/** Rows read from the recording at once, pages kept, and pages read ahead where the list scrolls. */
#define TS_EVENT_MODEL_PAGE_ROWS 64
#define TS_EVENT_MODEL_N_PAGES 64
#define TS_EVENT_MODEL_AHEAD 4

#define TS_TYPE_EVENT_ITEM (ts_event_item_get_type ())
G_DECLARE_FINAL_TYPE (TsEventItem, ts_event_item, TS, EVENT_ITEM, GObject)

guint64 ts_event_item_get_row (TsEventItem *self);
const TsEvent *ts_event_item_get_event (TsEventItem *self);
gint64 ts_event_item_get_delta (TsEventItem *self);
gboolean ts_event_item_is_pending (TsEventItem *self);
void ts_event_item_blank (TsEventItem *self);

#define TS_TYPE_EVENT_MODEL (ts_event_model_get_type ())
G_DECLARE_FINAL_TYPE (TsEventModel, ts_event_model, TS, EVENT_MODEL, GObject)

TsEventModel *ts_event_model_new (void);
void ts_event_model_set_recording (TsEventModel *self,
                                   TsRecording *recording);
TsRecording *ts_event_model_get_recording (TsEventModel *self);
void ts_event_model_refresh (TsEventModel *self);
gboolean ts_event_model_read (TsEventModel *self,
                              guint64 line,
                              TsEvent *event);
gboolean ts_event_model_is_pending (TsEventModel *self,
                                    guint64 line);
void ts_event_model_show (TsEventModel *self,
                          guint64 line,
                          guint n_lines);
void ts_event_model_fill (TsEventModel *self,
                          guint64 line,
                          TsEventItem *item);
void ts_event_model_set_rows (TsEventModel *self,
                              GArray *rows);
GArray *ts_event_model_get_rows (TsEventModel *self);
GArray *ts_event_model_dup_lines (TsEventModel *self);
void ts_event_model_set_order (TsEventModel *self,
                               GArray *order);
gboolean ts_event_model_has_order (TsEventModel *self);
guint64 ts_event_model_get_row (TsEventModel *self,
                                guint64 line);
guint64 ts_event_model_find (TsEventModel *self,
                             guint64 row);
guint64 ts_event_model_find_before (TsEventModel *self,
                                    guint64 row);
guint64 ts_event_model_get_n_reads (TsEventModel *self);

G_END_DECLS
