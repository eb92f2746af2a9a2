/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-report.h: a page below the timeline with figures of the recording or of the selected range:
 * statistics, findings, communication.
 *
 * Computed on a thread of its own when the page is looked at, and anew when the range or the
 * recording changes; what was asked for before is given up. Findings are looked for in any case,
 * in the whole recording; the page shows those of the range.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

#include "ui/ts-table.h"

G_BEGIN_DECLS

typedef enum
{
  TS_REPORT_STATISTICS,
  TS_REPORT_FINDINGS,
  TS_REPORT_COMMUNICATION,
  TS_N_REPORTS
} TsReportKind;

#define TS_TYPE_REPORT (ts_report_get_type ())
G_DECLARE_FINAL_TYPE (TsReport, ts_report, TS, REPORT, GtkWidget)

/* Signals: "go-to" (guint lane, gint64 begin, gint64 end); "updated": other rows are shown. */
GtkWidget *ts_report_new (TsReportKind kind);
void ts_report_set_view (TsReport *self,
                         TsViewState *view);
void ts_report_refresh (TsReport *self);
TsTable *ts_report_get_table (TsReport *self);
GtkWidget *ts_report_get_status (TsReport *self);
gboolean ts_report_is_busy (TsReport *self);
guint ts_report_get_n_findings (TsReport *self);

G_END_DECLS
