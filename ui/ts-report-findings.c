/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-report-findings.c: findings of the model as rows of a table and as hatched places. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-findings.h"
#include "ui/draw/ts-display-list.h"

#include "ui/ts-numbers.h"
#include "ui/ts-report-private.h"

/* Rows beyond this are told as a number. */
#define MAX_ROWS 5000

/* Columns of the findings. */
enum
{
  FIND_TIME,
  FIND_WHAT,
  FIND_LANE,
  FIND_DURATION,
  FIND_REASON,
  FIND_COUNT,
  FIND_N
};

/*
 * _ts_report_get_finding_title: what it is, in the user's language.
 */
const char *
_ts_report_get_finding_title (TsFindingKind kind)
{
  switch (kind)
    {
    case TS_FINDING_INVERSION:
      return _ ("Priority inversion");
    case TS_FINDING_LOCK_INVERSION:
      return _ ("Inversion by a semaphore");
    case TS_FINDING_STARVATION:
      return _ ("Starvation");
    case TS_FINDING_TIMER_LATE:
      return _ ("Late timer");
    case TS_FINDING_TIMER_MISSED:
      return _ ("Missed timer");
    case TS_FINDING_PERIOD:
      return _ ("Late period");
    case TS_FINDING_OPERATION_FAILED:
      return _ ("Failed operations");
    case TS_FINDING_QUEUE_OVERFLOW:
      return _ ("Overflow");
    case TS_FINDING_STACK:
      return _ ("Stack near its end");
    case TS_FINDING_INTERRUPT_STORM:
      return _ ("Interrupt storm");
    case TS_FINDING_HEAP_GROWTH:
      return _ ("Growing heap");
    case TS_FINDING_HEAP_FAIL:
      return _ ("Failed allocation");
    case TS_FINDING_DATA_LOSS:
      return _ ("Data loss");
    case TS_FINDING_CORRUPT:
      return _ ("Undecodable bytes");
    case TS_FINDING_N_KINDS:
    default:
      return "";
    }
}

static TsTableRow *
make_row (TsRecording *recording,
          const TsFinding *finding)
{
  guint32 lane = finding->n_lanes > 0 ? finding->lanes[0] : 0;
  const TsLaneInfo *info = lane != 0 ? ts_recording_get_lane (recording, lane) : NULL;
  TsTableRow *row = ts_table_row_new (FIND_N, lane, finding->begin, finding->end);

  ts_table_row_set_number (row, FIND_TIME, ts_format_time (recording, finding->begin),
                           (double) finding->begin);
  ts_table_row_set_text (row, FIND_WHAT, g_strdup (_ts_report_get_finding_title (finding->kind)));
  ts_table_row_set_text (row, FIND_LANE, g_strdup (info != NULL ? info->name : ""));
  if (finding->end > finding->begin)
    ts_table_row_set_number (row, FIND_DURATION,
                             _ts_report_dup_ticks (recording, finding->end - finding->begin),
                             (double) (finding->end - finding->begin));
  ts_table_row_set_text (row, FIND_REASON, ts_format_localize (g_strdup (finding->text)));
  ts_table_row_set_number (row, FIND_COUNT,
                           finding->count > 1 ? ts_format_count (finding->count) : NULL,
                           (double) finding->count);
  return row;
}

gboolean
_ts_report_findings (TsRecording *recording,
                     gint64 begin,
                     gint64 end,
                     TsReportResult *result,
                     GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (GPtrArray) findings = NULL;

  findings = ts_findings_list (recording, begin, end, cancellable, error);
  if (findings == NULL)
    return FALSE;
  result->spans = g_array_new (FALSE, FALSE, sizeof (TsViewSpan));
  for (guint i = 0; i < MIN (findings->len, MAX_ROWS); i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      TsViewSpan span = { finding->n_lanes > 0 ? finding->lanes[0] : 0, finding->begin,
                          finding->end };

      /* what failed now and then is not one long failure: its first place */
      if (finding->kind == TS_FINDING_OPERATION_FAILED || finding->kind == TS_FINDING_QUEUE_OVERFLOW)
        span.end = span.begin;
      g_ptr_array_add (result->rows, make_row (recording, finding));
      g_array_append_val (result->spans, span);
    }
  if (findings->len > MAX_ROWS)
    result->note = g_strdup_printf (_ ("the first %d of %u"), MAX_ROWS, findings->len);
  return TRUE;
}
