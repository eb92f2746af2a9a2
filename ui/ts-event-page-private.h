/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-page-private.h: pages of the event list, as a worker reads them.
 */
#pragma once

#include "ui/ts-event-model.h"
#include "ui/ts-worker.h"

G_BEGIN_DECLS

/** Pages that one request may ask for. */
#define TS_EVENT_PAGE_MAX_ASKED 8

/**
 * TsEventPage:
 * @first_line: its first line, from 1
 * @known: how many lines the list had when it was asked for
 * @used: when it was looked at last
 * @n: how many lines are in it; the last page of a live recording grows
 * @events: the event of each
 * @deltas: ticks since the row before, -1 for the first row
 */
typedef struct
{
  guint64 first_line;
  guint64 known;
  guint64 used;
  guint n;
  TsEvent events[TS_EVENT_MODEL_PAGE_ROWS];
  gint64 deltas[TS_EVENT_MODEL_PAGE_ROWS];
} TsEventPage;

/**
 * TsEventPageRequest:
 * @lines: (nullable): row ids of the lines; %NULL: lines are row ids
 * @rows: (nullable): of lines that are sorted: the same rows in order of time; %NULL: all rows
 * @is_sorted: lines do not stand in order of time
 * @n_lines: how many lines there are
 * @first_lines: of the pages, most urgent first
 */
typedef struct
{
  GArray *lines;
  GArray *rows;
  gboolean is_sorted;
  guint64 n_lines;
  guint n_pages;
  guint64 first_lines[TS_EVENT_PAGE_MAX_ASKED];
} TsEventPageRequest;

TsEventPageRequest *_ts_event_page_request_new (GArray *lines,
                                                GArray *rows,
                                                gboolean is_sorted,
                                                guint64 n_lines);
void _ts_event_page_request_add (TsEventPageRequest *self,
                                 guint64 first_line);
void _ts_event_page_request_free (gpointer self);
/** A #TsWorkerFunc; its result is a #GPtrArray of #TsEventPage. */
gpointer _ts_event_page_thread (TsRecording *recording,
                                gpointer data,
                                GCancellable *cancellable,
                                GError **error);
/** Index of the first of ascending @rows that is not before @row. */
guint _ts_event_rows_find (const GArray *rows,
                           guint64 row);

G_END_DECLS
