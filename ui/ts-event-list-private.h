/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-list-private.h: what the parts of the event list share: ts-event-list.c (the window of
 * rows, in step with the view) and ts-event-list-actions.c (columns, order, copying, the menu).
 */
#pragma once

#include "ui/ts-event-columns.h"
#include "ui/ts-event-list.h"
#include "ui/ts-event-window.h"
#include "ui/ts-worker.h"

G_BEGIN_DECLS

/**
 * TsEventList:
 * @model: all lines
 * @window: the lines on screen
 * @rows: scroll bar, counted in lines
 * @widths: those of columns that are not seen
 * @selected_row: line chosen, 0 none; stays when it scrolls out of sight
 * @anchor_row: the other end of several chosen lines, 0: only the one
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
void _ts_event_list_choose (TsEventList *self,
                            guint64 line);
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
