/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-columns.h: what the event list can tell of an event, for people and for programs. No GTK.
 */
#pragma once

#include "ui/draw/ts-view-state.h"

G_BEGIN_DECLS

/** Columns in their order; the last one takes what room is left. */
typedef enum
{
  TS_EVENT_COLUMN_ROW,
  TS_EVENT_COLUMN_TIME,
  TS_EVENT_COLUMN_RELATIVE, /* since the cursor */
  TS_EVENT_COLUMN_DELTA,    /* since the row before */
  TS_EVENT_COLUMN_LANE,
  TS_EVENT_COLUMN_KIND,
  TS_EVENT_COLUMN_CORE,
  TS_EVENT_COLUMN_VALUE,
  TS_EVENT_COLUMN_DETAIL,
  TS_EVENT_COLUMN_WHAT,
  TS_EVENT_N_COLUMNS
} TsEventColumn;

/**
 * TsEventCell: what a cell is made from.
 * @view: of the recording
 * @row: row id
 * @event: the event
 * @delta: ticks since the row before it in the list, -1: none
 * @cursor: what relative times count from, -1: none
 */
typedef struct
{
  TsViewState *view;
  guint64 row;
  const TsEvent *event;
  gint64 delta;
  gint64 cursor;
} TsEventCell;

const char *ts_event_column_get_id (TsEventColumn column);
const char *ts_event_column_get_title (TsEventColumn column);
int ts_event_column_get_width (TsEventColumn column);
gboolean ts_event_column_is_number (TsEventColumn column);
gboolean ts_event_column_can_sort (TsEventColumn column);
char *ts_event_column_format (TsEventColumn column,
                              const TsEventCell *cell);
char *ts_event_column_format_plain (TsEventColumn column,
                                    const TsEventCell *cell);

/**
 * TsEventRows: lines of a list, in the order in which they stand.
 * @rows: (nullable) (element-type guint64): their row ids; %NULL: all
 * @first: first line, from 1
 * @n: how many
 */
typedef struct
{
  GArray *rows;
  guint64 first;
  guint64 n;
} TsEventRows;

GArray *ts_event_rows_sort (TsRecording *recording,
                            const TsEventRows *lines,
                            TsEventColumn column,
                            gboolean is_descending,
                            GCancellable *cancellable,
                            GError **error);
char *ts_event_rows_to_text (TsViewState *view,
                             const TsEventRows *lines,
                             guint wanted,
                             gboolean is_csv,
                             gint64 cursor,
                             GCancellable *cancellable,
                             GError **error);

G_END_DECLS
