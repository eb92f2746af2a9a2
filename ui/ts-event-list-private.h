/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-list-private.h: what the parts of the event list share: ts-event-list.c (the window of
 * rows), ts-event-list-places.c (in step with the view) and ts-event-list-actions.c (columns, order,
 * copying, the menu).
 */
#pragma once

#include "ui/ts-event-columns.h"
#include "ui/ts-event-list.h"
#include "ui/ts-event-window.h"
#include "ui/ts-worker.h"

G_BEGIN_DECLS

/** What is done with a line once its event is known, in this order. */
typedef enum
{
  TS_EVENT_AWAIT_NOTHING = 0,
  TS_EVENT_AWAIT_CHOOSE = 1 << 0,
  TS_EVENT_AWAIT_LANE = 1 << 1, /* a filter for its lane */
  TS_EVENT_AWAIT_KIND = 1 << 2, /* a filter for its kind */
} TsEventAwait;

/**
 * TsEventList:
 * @model: all lines
 * @window: the lines on screen
 * @rows: scroll bar, counted in lines
 * @widths: those of columns that are not seen
 * @selected_row: line chosen, 0 none; stays when it scrolls out of sight
 * @anchor_row: the other end of several chosen lines, 0: only the one
 * @finder: finds the row of a point in time
 * @deferred: (element-type guint): keys, each with its modifiers, pressed before that has come
 * @await, @await_line: what is to be done with a line when its event has come
 * @seen_cursor, @seen_slice_begin, @seen_lane, @seen_event: the view's place this list has answered to
 * @shown_cursor, @shown_serial: what the cells on screen were written with
 * @is_syncing: changes come from here, not from the user
 * @probed: while asking GTK which column it sorts by
 * @sort_column: what the lines are sorted by; %TS_EVENT_N_COLUMNS: time
 */
struct _TsEventList
{
  GtkBox parent_instance;

  TsViewState *view;
  GSignalGroup *view_signals;
  TsEventModel *model;
  TsEventWindow *window;
  GtkMultiSelection *selection;
  TsWorker *finder;
  GArray *deferred;
  TsEventAwait await;
  guint64 await_line;
  TsWorker *copier;
  TsWorker *sorter;
  GSettings *settings;

  GtkWidget *status;
  GtkWidget *count_label;
  GtkWidget *column_view;
  GtkWidget *scrolled;
  GtkColumnViewColumn *columns[TS_EVENT_N_COLUMNS];
  guint n_columns;
  GtkWidget *column_checks[TS_EVENT_N_COLUMNS];
  int widths[TS_EVENT_N_COLUMNS];
  GtkAdjustment *rows;
  int row_height;
  guint64 selected_row;
  guint64 anchor_row;
  gint64 seen_cursor;
  gint64 seen_slice_begin;
  guint32 seen_lane;
  guint64 seen_event;
  gint64 shown_cursor;
  guint shown_serial;
  double wheel_rest;
  guint follow_id;
  guint layout_id;
  gboolean is_syncing;
  int probed;
  TsEventColumn sort_column;
  gboolean is_descending;
};

void _ts_event_list_install_actions (GtkWidgetClass *widget_class);
void _ts_event_list_init_actions (TsEventList *self);
void _ts_event_list_clear_actions (TsEventList *self);
GtkSorter *_ts_event_list_new_sorter (TsEventList *self,
                                      TsEventColumn column);
/** Columns chosen, as a bit set. */
guint _ts_event_list_get_columns (TsEventList *self);
/** Shows the columns that are chosen and have room. */
void _ts_event_list_update_columns (TsEventList *self);
/** The lines are other ones: sorts them again if they were sorted. */
void _ts_event_list_resort (TsEventList *self);
/** Chooses a line as the user's doing: the timeline goes there, once the event is known. */
void _ts_event_list_choose (TsEventList *self,
                            guint64 line);
/** A filter for the lane or the kind of the chosen line, once its event is known. */
void _ts_event_list_filter_like (TsEventList *self,
                                 TsEventAwait what);
/** The lines are other ones: what waits for one of them is forgotten. */
void _ts_event_list_forget (TsEventList *self);
/** Goes where the view is; what happens while the list is not seen is caught up with. */
void _ts_event_list_follow_view (TsEventList *self);
/** Goes to the event that was chosen, else to the cursor. */
void _ts_event_list_show_cursor (TsEventList *self);
gboolean _ts_event_list_move (TsEventList *self,
                              guint keyval,
                              GdkModifierType state);
/** Whether a key is kept until the list is where the view is: it moves on from there. */
gboolean _ts_event_list_defer_key (TsEventList *self,
                                   guint keyval,
                                   GdkModifierType state);
void _ts_event_list_init_places (TsEventList *self);
void _ts_event_list_clear_places (TsEventList *self);
void _ts_event_list_emit_selected (TsEventList *self,
                                   const TsEvent *event);
void _ts_event_list_notice (TsEventList *self,
                            const char *text);
void _ts_event_list_filter (TsEventList *self,
                            const char *filter);
GtkWidget *_ts_event_list_get_lines (TsEventList *self);
/** How many lines there are, in words. */
void _ts_event_list_update_count (TsEventList *self);
/** Cells on screen are written anew. */
void _ts_event_list_rewrite (TsEventList *self);

G_END_DECLS
