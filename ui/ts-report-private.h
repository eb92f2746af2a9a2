/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-report-private.h: what the reports are computed from and shown as; see ts-report.h. */
#pragma once

#include "model/ts-findings.h"
#include "model/ts-recording.h"
#include "ui/draw/ts-view-state.h"

#include "ui/ts-report.h"
#include "ui/ts-table.h"

G_BEGIN_DECLS

/* The column of communication by which it is sorted at first. */
#define TS_REPORT_COMM_COUNT 3

/**
 * TsReportResult:
 * @rows: (element-type TsTableRow): what the table shows
 * @row_set: (nullable): shown instead, of what may be many
 * @spans: (nullable) (element-type TsViewSpan): what is hatched on the timeline
 * @note: (nullable): what the reader has to know, such as "from samples"
 */
typedef struct
{
  GPtrArray *rows;
  TsTableRows *row_set;
  GArray *spans;
  char *note;
} TsReportResult;

void _ts_report_result_free (TsReportResult *self);

/* On a thread of their own, with a recording of their own: rows of the range. */
typedef gboolean (*TsReportFunc) (TsRecording *recording,
                                  gint64 begin,
                                  gint64 end,
                                  TsReportResult *result,
                                  GCancellable *cancellable,
                                  GError **error);

gboolean _ts_report_statistics (TsRecording *recording,
                                gint64 begin,
                                gint64 end,
                                TsReportResult *result,
                                GCancellable *cancellable,
                                GError **error);
gboolean _ts_report_findings (TsRecording *recording,
                              gint64 begin,
                              gint64 end,
                              TsReportResult *result,
                              GCancellable *cancellable,
                              GError **error);
gboolean _ts_report_communication (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   TsReportResult *result,
                                   GCancellable *cancellable,
                                   GError **error);
const char *_ts_report_get_finding_title (TsFindingKind kind);
void _ts_report_add_columns (TsTable *table,
                             TsReportKind kind);
char *_ts_report_dup_ticks (TsRecording *recording,
                            gint64 ticks);
void _ts_report_set_count (TsTableRow *row,
                           guint column,
                           guint64 count);
const char *_ts_report_get_name (TsRecording *recording,
                                 guint32 object);

G_END_DECLS
