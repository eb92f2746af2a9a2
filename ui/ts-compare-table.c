/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-compare-table.c: figures of two recordings side by side, with their differences. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"
#include "ui/ts-compare-private.h"
#include "ui/ts-numbers.h"

/* What is compared; three columns each: first, second, difference. */
typedef enum
{
  COMPARE_SHARE,
  COMPARE_RUNS,
  COMPARE_RUN_AVG,
  COMPARE_RUN_MAX,
  COMPARE_RESPONSE_MAX,
  COMPARE_PERIOD_AVG,
  COMPARE_JITTER,
  COMPARE_WAIT_MAX,
  COMPARE_PREEMPTIONS,
  N_FIGURES
} Figure;

static const char * const titles[N_FIGURES] = {
  N_ ("CPU"),          N_ ("Runs"),       N_ ("Run avg"), N_ ("Run max"),
  N_ ("Response max"), N_ ("Period avg"), N_ ("Jitter"),  N_ ("Longest wait"),
  N_ ("Preempted"),
};

#define FIRST_COLUMN 1
#define N_CELLS (FIRST_COLUMN + 3 * N_FIGURES)

void
_ts_compare_add_columns (TsTable *table)
{
  ts_table_add_column (table, _ ("Lane"), 110, FALSE);
  for (guint i = 0; i < N_FIGURES; i++)
    {
      g_autofree char *first = g_strdup_printf ("%s ①", _ (titles[i]));
      g_autofree char *second = g_strdup_printf ("%s ②", _ (titles[i]));

      ts_table_add_column (table, first, 124, TRUE);
      ts_table_add_column (table, second, 124, TRUE);
      ts_table_add_column (table, _ ("Δ"), 78, TRUE);
    }
}

/**
 * Value: one figure of one lane.
 * @number: nanoseconds, percent or how many; NAN: it has none
 * @begin, @end: where it was, -1: nowhere
 */
typedef struct
{
  double number;
  gint64 begin;
  gint64 end;
} Value;

static double
to_ns (const TsCompareSide *side,
       gint64 ticks)
{
  return (double) ts_recording_ticks_to_ns (side->recording, ticks);
}

static Value
get_max (const TsCompareSide *side,
         const TsFigure *figure)
{
  Value value = { NAN, -1, -1 };

  if (figure->count > 0)
    value = (Value) { to_ns (side, figure->max), figure->max_begin, figure->max_end };
  return value;
}

static Value
get_value (const TsCompareSide *side,
           const TsLaneStatistics *lane,
           Figure figure)
{
  Value value = { NAN, -1, -1 };
  const TsFigure *run;
  const TsFigure *period;

  if (lane == NULL)
    return value;
  run = &lane->measures[TS_MEASURE_RUN];
  period = &lane->measures[TS_MEASURE_PERIOD];
  switch (figure)
    {
    case COMPARE_SHARE:
      value.number = lane->share;
      break;
    case COMPARE_RUNS:
      value.number = (double) lane->n_runs;
      break;
    case COMPARE_RUN_AVG:
      if (run->count > 0)
        value.number = to_ns (side, run->sum / (gint64) run->count);
      break;
    case COMPARE_RUN_MAX:
      return get_max (side, run);
    case COMPARE_RESPONSE_MAX:
      return get_max (side, &lane->measures[TS_MEASURE_RESPONSE]);
    case COMPARE_PERIOD_AVG:
      if (period->count > 0)
        value.number = to_ns (side, period->sum / (gint64) period->count);
      break;
    case COMPARE_JITTER:
      if (period->count > 0)
        value = (Value) { to_ns (side, period->max - period->min), period->max_begin,
                          period->max_end };
      break;
    case COMPARE_WAIT_MAX:
      return get_max (side, &lane->measures[TS_MEASURE_BLOCK]);
    case COMPARE_PREEMPTIONS:
      if (lane->kind == TS_LANE_TASK)
        value.number = (double) lane->preemptions;
      break;
    case N_FIGURES:
    default:
      break;
    }
  return value;
}

static char *
format_value (Figure figure,
              double number)
{
  if (figure == COMPARE_SHARE)
    return ts_format_localize (g_strdup_printf ("%.2f\xe2\x80\x89%%", number));
  if (figure == COMPARE_RUNS || figure == COMPARE_PREEMPTIONS)
    return ts_format_count ((guint64) number);
  return ts_format_ns ((gint64) number);
}

/* Shares differ by percentage points, all else by percent of the first. */
static void
set_difference (TsTableRow *row,
                guint column,
                Figure figure,
                double first,
                double second)
{
  double difference;

  if (isnan (first) || isnan (second))
    return;
  if (figure == COMPARE_SHARE)
    {
      difference = second - first;
      /* translators: a difference of percentages, in percentage points */
      ts_table_row_set_number (row, column, g_strdup_printf (_ ("%+.2f pp"), difference),
                               fabs (difference));
      return;
    }
  if (first == second)
    {
      ts_table_row_set_number (row, column, g_strdup ("="), 0);
      return;
    }
  if (first == 0)
    {
      ts_table_row_set_number (row, column, g_strdup ("+∞"), G_MAXDOUBLE);
      return;
    }
  difference = (second - first) / first * 100;
  ts_table_row_set_number (row, column, ts_format_localize (g_strdup_printf ("%+.1f\xe2\x80\x89%%", difference)),
                           fabs (difference));
}

static TsTableRow *
make_row (const TsCompareSide *first,
          const TsCompareSide *second,
          const TsLaneStatistics *a,
          const TsLaneStatistics *b,
          TsCompareMap to_first,
          gpointer user_data)
{
  TsTableRow *row = ts_table_row_new (N_CELLS, a != NULL ? a->lane : 0, -1, -1);
  const TsLaneInfo *info = a != NULL ? ts_recording_get_lane (first->recording, a->lane)
                                     : ts_recording_get_lane (second->recording, b->lane);

  ts_table_row_set_text (row, 0, g_strdup (info != NULL ? info->name : ""));
  for (Figure i = 0; i < N_FIGURES; i++)
    {
      Value x = get_value (first, a, i);
      Value y = get_value (second, b, i);
      guint column = FIRST_COLUMN + 3 * i;

      if (!isnan (x.number))
        ts_table_row_set_number (row, column, format_value (i, x.number), x.number);
      if (!isnan (y.number))
        ts_table_row_set_number (row, column + 1, format_value (i, y.number), y.number);
      if (x.begin >= 0)
        ts_table_row_set_link (row, column, x.begin, x.end);
      /* the other timeline goes along */
      if (y.begin >= 0 && to_first (user_data, y.begin) >= 0)
        ts_table_row_set_link (row, column + 1, to_first (user_data, y.begin),
                               to_first (user_data, y.end));
      set_difference (row, column + 2, i, x.number, y.number);
    }
  return row;
}

/* Lanes belong together by kind and name: ids are of one recording only. */
static const TsLaneStatistics *
find_same (const TsCompareSide *side,
           TsLaneKind kind,
           const char *name)
{
  for (guint i = 0; i < side->statistics->n_lanes; i++)
    {
      const TsLaneStatistics *lane = &side->statistics->lanes[i];
      const TsLaneInfo *info = ts_recording_get_lane (side->recording, lane->lane);

      if (lane->kind == kind && info != NULL && g_strcmp0 (info->name, name) == 0)
        return lane;
    }
  return NULL;
}

static gboolean
is_worth_a_row (const TsLaneStatistics *lane)
{
  return lane->n_runs > 0 || lane->ticks > 0 || lane->kind == TS_LANE_TASK;
}

/*
 * _ts_compare_make_rows: one row for every lane that one of the two has.
 */
GPtrArray *
_ts_compare_make_rows (const TsCompareSide *first,
                       const TsCompareSide *second,
                       TsCompareMap to_first,
                       gpointer user_data)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint pass = 0; pass < 2; pass++)
    {
      const TsCompareSide *side = pass == 0 ? first : second;
      const TsCompareSide *other = pass == 0 ? second : first;

      for (guint i = 0; i < side->statistics->n_lanes; i++)
        {
          const TsLaneStatistics *lane = &side->statistics->lanes[i];
          const TsLaneInfo *info = ts_recording_get_lane (side->recording, lane->lane);
          const TsLaneStatistics *same =
              info != NULL ? find_same (other, lane->kind, info->name) : NULL;

          if (!is_worth_a_row (lane) || (pass == 1 && same != NULL && is_worth_a_row (same)))
            continue;
          g_ptr_array_add (rows, make_row (first, second, pass == 0 ? lane : same,
                                           pass == 0 ? same : lane, to_first, user_data));
        }
    }
  return rows;
}
