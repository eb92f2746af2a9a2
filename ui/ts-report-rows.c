/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-report-rows.c: statistics as rows of a table, and the columns of all reports. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-statistics.h"

#include "ui/draw/ts-display-list.h"
#include "ui/ts-numbers.h"
#include "ui/ts-report-private.h"

/* Columns of the statistics. */
enum
{
  STAT_LANE,
  STAT_KIND,
  STAT_SHARE,
  STAT_RUNS,
  STAT_RUN_MIN,
  STAT_RUN_AVG,
  STAT_RUN_P95,
  STAT_RUN_P99,
  STAT_RUN_MAX,
  STAT_RESPONSE_MIN,
  STAT_RESPONSE_AVG,
  STAT_RESPONSE_P95,
  STAT_RESPONSE_P99,
  STAT_RESPONSE_MAX,
  STAT_PERIOD_AVG,
  STAT_JITTER,
  STAT_BLOCK_MAX,
  STAT_BLOCK_ON,
  STAT_PREEMPTED,
  STAT_STACK,
  STAT_N
};

char *
_ts_report_dup_ticks (TsRecording *recording,
                      gint64 ticks)
{
  return ts_format_ns (ts_recording_ticks_to_ns (recording, ticks));
}

const char *
_ts_report_get_name (TsRecording *recording,
                     guint32 object)
{
  const TsObject *found = object != 0 ? ts_recording_get_object (recording, object) : NULL;

  return found != NULL && found->name != NULL ? found->name : "";
}

static void
set_ticks (TsTableRow *row,
           guint column,
           TsRecording *recording,
           gint64 ticks)
{
  if (ticks >= 0)
    ts_table_row_set_number (row, column, _ts_report_dup_ticks (recording, ticks), (double) ticks);
}

void
_ts_report_set_count (TsTableRow *row,
                      guint column,
                      guint64 count)
{
  ts_table_row_set_number (row, column, count > 0 ? ts_format_count (count) : NULL,
                           (double) count);
}

static void
set_largest (TsTableRow *row,
             guint column,
             TsRecording *recording,
             const TsFigure *figure)
{
  if (figure->count == 0)
    return;
  set_ticks (row, column, recording, figure->max);
  ts_table_row_set_link (row, column, figure->max_begin, figure->max_end);
}

static const char *
describe_kind (TsRecording *recording,
               const TsLaneStatistics *lane)
{
  const TsObject *object = ts_recording_get_object (recording, lane->object);

  switch (lane->kind)
    {
    case TS_LANE_TASK:
      return lane->is_idle ? _ ("Idle task") : _ ("Task");
    case TS_LANE_ISR:
      return _ ("Interrupt");
    case TS_LANE_SPAN:
      return object != NULL && object->type == TS_OBJECT_FUNCTION ? _ ("Function")
                                                                  : _ ("User event");
    case TS_LANE_RTOS:
      return _ ("Scheduler");
    default:
      return "";
    }
}

/* Five columns: smallest, mean, 95 and 99 of a hundred, largest; the ends lead to their places. */
static void
set_figure (TsTableRow *row,
            guint first,
            TsRecording *recording,
            const TsFigure *figure)
{
  if (figure->count == 0)
    return;
  set_ticks (row, first, recording, figure->min);
  ts_table_row_set_link (row, first, figure->min_begin, figure->min_end);
  set_ticks (row, first + 1, recording, figure->sum / (gint64) figure->count);
  set_ticks (row, first + 2, recording, figure->p95);
  set_ticks (row, first + 3, recording, figure->p99);
  set_largest (row, first + 4, recording, figure);
}

static void
set_durations (TsTableRow *row,
               TsRecording *recording,
               const TsLaneStatistics *lane)
{
  const TsFigure *period = &lane->measures[TS_MEASURE_PERIOD];

  set_figure (row, STAT_RUN_MIN, recording, &lane->measures[TS_MEASURE_RUN]);
  set_figure (row, STAT_RESPONSE_MIN, recording, &lane->measures[TS_MEASURE_RESPONSE]);
  if (period->count > 0)
    {
      set_ticks (row, STAT_PERIOD_AVG, recording, period->sum / (gint64) period->count);
      set_ticks (row, STAT_JITTER, recording, period->max - period->min);
      ts_table_row_set_link (row, STAT_JITTER, period->max_begin, period->max_end);
    }
  set_largest (row, STAT_BLOCK_MAX, recording, &lane->measures[TS_MEASURE_BLOCK]);
}

gboolean
_ts_report_statistics (TsRecording *recording,
                       gint64 begin,
                       gint64 end,
                       TsReportResult *result,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (TsStatistics) statistics = NULL;

  statistics = ts_statistics_new (recording, begin, end, 0, cancellable, error);
  if (statistics == NULL)
    return FALSE;
  for (guint i = 0; i < statistics->n_lanes; i++)
    {
      const TsLaneStatistics *lane = &statistics->lanes[i];
      const TsLaneInfo *info = ts_recording_get_lane (recording, lane->lane);
      TsTableRow *row;

      if (lane->n_runs == 0 && lane->ticks == 0 && lane->kind != TS_LANE_TASK)
        continue;
      row = ts_table_row_new (STAT_N, lane->lane, -1, -1);
      ts_table_row_set_text (row, STAT_LANE, g_strdup (info != NULL ? info->name : ""));
      ts_table_row_set_text (row, STAT_KIND, g_strdup (describe_kind (recording, lane)));
      ts_table_row_set_number (row, STAT_SHARE,
                               ts_format_localize (g_strdup_printf ("%.2f\xe2\x80\x89%%", lane->share)), lane->share);
      _ts_report_set_count (row, STAT_RUNS, lane->n_runs);
      set_durations (row, recording, lane);
      ts_table_row_set_text (
          row, STAT_BLOCK_ON,
          g_strdup (_ts_report_get_name (recording, lane->longest_block_object)));
      _ts_report_set_count (row, STAT_PREEMPTED, lane->preemptions);
      if (lane->stack_used >= 0 && lane->stack_size > 0)
        ts_table_row_set_number (row, STAT_STACK,
                                 ts_format_percent (lane->stack_used, lane->stack_size),
                                 (double) lane->stack_used / (double) lane->stack_size);
      g_ptr_array_add (result->rows, row);
    }
  if (!statistics->is_exact)
    result->note = g_strdup (_ ("percentiles within 1 %"));
  return TRUE;
}

/*
 * _ts_report_add_columns:
 * @table: an empty table
 * @kind: what its rows are
 *
 * The columns in the order in which the functions above fill them.
 */
void
_ts_report_add_columns (TsTable *table,
                        TsReportKind kind)
{
  static const struct
  {
    const char *title;
    int width;
    gboolean is_number;
  } columns[TS_N_REPORTS][24] = {
    {
        { N_ ("Lane"), 110, FALSE },
        { N_ ("Type"), 104, FALSE },
        { N_ ("CPU"), 74, TRUE },
        { N_ ("Runs"), 90, TRUE },
        { N_ ("Run min"), 82, TRUE },
        { N_ ("Run avg"), 82, TRUE },
        { N_ ("Run p95"), 82, TRUE },
        { N_ ("Run p99"), 82, TRUE },
        { N_ ("Run max"), 82, TRUE },
        { N_ ("Response min"), 104, TRUE },
        { N_ ("Response avg"), 104, TRUE },
        { N_ ("Response p95"), 104, TRUE },
        { N_ ("Response p99"), 104, TRUE },
        { N_ ("Response max"), 104, TRUE },
        { N_ ("Period avg"), 90, TRUE },
        { N_ ("Jitter"), 82, TRUE },
        { N_ ("Longest wait"), 100, TRUE },
        /* translators: column: what the longest wait was for */
        { N_ ("for"), 90, FALSE },
        { N_ ("Preempted"), 90, TRUE },
        { N_ ("Stack"), 70, TRUE },
    },
    {
        { N_ ("Time"), 148, TRUE },
        { N_ ("Finding"), 136, FALSE },
        { N_ ("Lane"), 110, FALSE },
        { N_ ("Duration"), 92, TRUE },
        { N_ ("Reason"), 0, FALSE },
        { N_ ("Count"), 70, TRUE },
    },
    {
        { N_ ("From"), 110, FALSE },
        { N_ ("Through"), 120, FALSE },
        { N_ ("To"), 110, FALSE },
        { N_ ("Count"), 90, TRUE },
        { N_ ("Rate"), 84, TRUE },
        { N_ ("Latency p50"), 96, TRUE },
        { N_ ("Latency p99"), 96, TRUE },
        { N_ ("Latency max"), 96, TRUE },
        { N_ ("Waited for"), 86, TRUE },
        { N_ ("Pending / most"), 124, TRUE },
        { N_ ("Failed"), 70, TRUE },
    },
  };

  g_return_if_fail (kind < TS_N_REPORTS);
  for (guint i = 0; columns[kind][i].title != NULL; i++)
    ts_table_add_column (table, _ (columns[kind][i].title), columns[kind][i].width,
                         columns[kind][i].is_number);
  if (kind == TS_REPORT_STATISTICS)
    {
      ts_table_expand_column (table, STAT_LANE);
      ts_table_sort (table, STAT_SHARE, GTK_SORT_DESCENDING);
    }
  else if (kind == TS_REPORT_COMMUNICATION)
    {
      for (guint i = 0; i < TS_REPORT_COMM_COUNT; i++)
        ts_table_expand_column (table, i);
      ts_table_sort (table, TS_REPORT_COMM_COUNT, GTK_SORT_DESCENDING);
    }
}
