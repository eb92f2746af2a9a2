/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-compare.h: a second recording below the first, seen at the same time: what one timeline shows,
 * the other shows too, whatever their clocks. The table beside it compares their figures.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/ts-session.h"
#include "ui/ts-table.h"
#include "ui/ts-timeline.h"

G_BEGIN_DECLS

/**
 * TsAlignment: which times of the two recordings stand below one another.
 * @TS_ALIGN_BEGIN: their begins
 * @TS_ALIGN_MARK: a mark of each: with the same note, else the first
 * @TS_ALIGN_CURSOR: their cursors
 * @TS_ALIGN_HAND: as it is; moving the lower one moves it alone
 */
typedef enum
{
  TS_ALIGN_BEGIN,
  TS_ALIGN_MARK,
  TS_ALIGN_CURSOR,
  TS_ALIGN_HAND,
  TS_N_ALIGNMENTS
} TsAlignment;

#define TS_TYPE_COMPARE (ts_compare_get_type ())
G_DECLARE_FINAL_TYPE (TsCompare, ts_compare, TS, COMPARE, GtkWidget)

/* Signal "align" (guint alignment): the user chose one. */
GtkWidget *ts_compare_new (TsViewState *first,
                           TsRecording *second);
gboolean ts_compare_align (TsCompare *self,
                           TsAlignment alignment,
                           TsSession *session);
TsAlignment ts_compare_get_alignment (TsCompare *self);
gint64 ts_compare_to_second (TsCompare *self,
                             gint64 tick);
gint64 ts_compare_to_first (TsCompare *self,
                            gint64 tick);
TsViewState *ts_compare_get_view (TsCompare *self);
TsTimeline *ts_compare_get_timeline (TsCompare *self);
TsTable *ts_compare_get_table (TsCompare *self);
GtkWidget *ts_compare_get_status (TsCompare *self);
TsTable *ts_compare_get_findings (TsCompare *self);
GtkWidget *ts_compare_get_findings_status (TsCompare *self);
void ts_compare_set_linked (TsCompare *self,
                            gboolean is_linked);
gboolean ts_compare_is_busy (TsCompare *self);

G_END_DECLS
