/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-report-findings.c: what is out of the ordinary, each with its place and its reason. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-contention.h"
#include "model/ts-statistics.h"
#include "model/ts-timers.h"
#include "ui/draw/ts-display-list.h"

#include "ui/ts-numbers.h"
#include "ui/ts-report-private.h"

/* Rows beyond this are told as a number. */
#define MAX_ROWS 5000
/* A stack of which less than this is left is worth a row. */
#define STACK_LEFT_PERCENT 10
/* A software timer may be late by this before it is said. */
#define LATE_US 1000

/* Columns of the findings. */
enum
{
  FIND_TIME,
  FIND_WHAT,
  FIND_LANE,
  FIND_DURATION,
  FIND_REASON,
  FIND_N
};

typedef struct
{
  TsRecording *recording;
  TsReportResult *result;
  guint n_left_out;
} Collector;

/* One finding; @reason is taken. */
static void
add (Collector *self,
     const char *what,
     guint32 lane,
     gint64 begin,
     gint64 end,
     char *reason)
{
  const TsLaneInfo *info = lane != 0 ? ts_recording_get_lane (self->recording, lane) : NULL;
  TsViewSpan span = { lane, begin, end };
  TsTableRow *row;

  if (self->result->rows->len >= MAX_ROWS)
    {
      self->n_left_out++;
      g_free (reason);
      return;
    }
  row = ts_table_row_new (FIND_N, lane, begin, end);
  ts_table_row_set_number (row, FIND_TIME, ts_format_time (self->recording, begin),
                           (double) begin);
  ts_table_row_set_text (row, FIND_WHAT, g_strdup (what));
  ts_table_row_set_text (row, FIND_LANE, g_strdup (info != NULL ? info->name : ""));
  if (end > begin)
    ts_table_row_set_number (row, FIND_DURATION,
                             _ts_report_dup_ticks (self->recording, end - begin),
                             (double) (end - begin));
  ts_table_row_set_text (row, FIND_REASON, reason);
  g_ptr_array_add (self->result->rows, row);
  g_array_append_val (self->result->spans, span);
}

/* Losses and what could not be decoded. */
static void
add_losses (Collector *self,
            gint64 begin,
            gint64 end,
            GCancellable *cancellable)
{
  gint64 time = begin - 1;
  TsSlice slice;

  while (self->result->rows->len < MAX_ROWS && !g_cancellable_is_cancelled (cancellable) &&
         ts_recording_next_slice (self->recording, TS_LANE_ID_LOSS, time, 1, &slice) &&
         slice.begin < end && slice.begin > time)
    {
      time = slice.begin;
      if (slice.state == TS_STATE_CORRUPT)
        add (self, _ ("Undecodable bytes"), 0, slice.begin, slice.end,
             g_strdup_printf (_ ("%u bytes could not be decoded."), slice.arg));
      else if (slice.arg == G_MAXUINT32)
        add (self, _ ("Data loss"), 0, slice.begin, slice.end,
             g_strdup (_ ("Packets were lost; how many is not known.")));
      else
        add (self, _ ("Data loss"), 0, slice.begin, slice.end,
             g_strdup_printf (_ ("%u packets were lost."), slice.arg));
    }
}

static gboolean
add_inversions (Collector *self,
                gint64 begin,
                gint64 end,
                GCancellable *cancellable,
                GError **error)
{
  g_autoptr (GArray) list = ts_contention_list (self->recording, begin, end, cancellable, error);

  if (list == NULL)
    return FALSE;
  for (guint i = 0; i < list->len; i++)
    {
      const TsContention *it = &g_array_index (list, TsContention, i);
      const char *waiter = _ts_report_get_name (self->recording, it->waiter);
      const char *holder = _ts_report_get_name (self->recording, it->holder);
      const char *mutex = _ts_report_get_name (self->recording, it->mutex);
      char *reason;

      if (!it->is_inversion)
        continue;
      if (it->third != 0)
        /* translators: tasks: waiter, holder; a mutex; a third task */
        reason = g_strdup_printf (_ ("%s waits for %s, which holds %s, while %s runs."), waiter,
                                  holder, mutex,
                                  _ts_report_get_name (self->recording, it->third));
      else
        reason = g_strdup_printf (_ ("%s waits for the less urgent %s, which holds %s."), waiter,
                                  holder, mutex);
      add (self, _ ("Priority inversion"), it->waiter, it->begin, it->end, reason);
    }
  return TRUE;
}

static gboolean
add_timers (Collector *self,
            gint64 begin,
            gint64 end,
            GCancellable *cancellable,
            GError **error)
{
  gint64 threshold = ts_recording_us_to_ticks (self->recording, LATE_US);
  g_autoptr (GPtrArray) timers = NULL;

  timers = ts_timers_list (self->recording, begin, end, threshold, cancellable, error);
  if (timers == NULL)
    return FALSE;
  for (guint i = 0; i < timers->len; i++)
    {
      const TsTimer *timer = g_ptr_array_index (timers, i);

      for (guint j = 0; j < timer->fires->len; j++)
        {
          const TsTimerFire *fire = &g_array_index (timer->fires, TsTimerFire, j);
          const TsLaneInfo *culprit =
              fire->culprit != 0 ? ts_recording_get_lane (self->recording, fire->culprit) : NULL;
          const char *name = _ts_report_get_name (self->recording, timer->object);

          if (fire->n_missed > 0)
            add (self, _ ("Missed timer"), timer->object, fire->expected, fire->time,
                 g_strdup_printf (_ ("%s did not fire %" G_GUINT64_FORMAT " times."), name,
                                  fire->n_missed));
          if (!fire->is_violation)
            continue;
          add (self, _ ("Late timer"), timer->object, fire->expected, fire->time,
               culprit != NULL
                   ? g_strdup_printf (_ ("%s fired late while %s ran."), name, culprit->name)
                   : g_strdup_printf (_ ("%s fired late."), name));
        }
    }
  return TRUE;
}

static void
add_lane (Collector *self,
          const TsLaneStatistics *lane,
          gint64 begin)
{
  const TsFigure *period = &lane->measures[TS_MEASURE_PERIOD];
  const TsLaneInfo *info = ts_recording_get_lane (self->recording, lane->lane);
  const char *name = info != NULL ? info->name : "";

  if (lane->n_period_outliers > 0 && period->count > 0 && !lane->is_idle)
    {
      g_autofree char *median = _ts_report_dup_ticks (self->recording, period->p50);

      add (self, _ ("Irregular period"), lane->lane, period->max_begin, period->max_end,
           g_strdup_printf (_ ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                               " periods of %s are far from %s; this is the longest."),
                            lane->n_period_outliers, period->count, name, median));
    }
  if (lane->failures > 0)
    add (self, _ ("Failed operations"), lane->lane, begin, begin,
         g_strdup_printf (_ ("%" G_GUINT64_FORMAT " operations of %s failed."), lane->failures,
                          name));
  if (lane->stack_used >= 0 && lane->stack_size > 0 &&
      (lane->stack_size - lane->stack_used) * 100 < lane->stack_size * STACK_LEFT_PERCENT)
    add (self, _ ("Stack near its end"), lane->lane, begin, begin,
         g_strdup_printf (_ ("%s has used %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes."),
                          name, lane->stack_used, lane->stack_size));
}

gboolean
_ts_report_findings (TsRecording *recording,
                     gint64 begin,
                     gint64 end,
                     TsReportResult *result,
                     GCancellable *cancellable,
                     GError **error)
{
  Collector self = { recording, result, 0 };
  g_autoptr (TsStatistics) statistics = NULL;

  result->spans = g_array_new (FALSE, FALSE, sizeof (TsViewSpan));
  add_losses (&self, begin, end, cancellable);
  if (!add_inversions (&self, begin, end, cancellable, error) ||
      !add_timers (&self, begin, end, cancellable, error))
    return FALSE;
  statistics = ts_statistics_new (recording, begin, end, 0, cancellable, error);
  if (statistics == NULL)
    return FALSE;
  for (guint i = 0; i < statistics->n_lanes; i++)
    add_lane (&self, &statistics->lanes[i], begin);
  if (self.n_left_out > 0)
    result->note = g_strdup_printf (_ ("the first %u"), result->rows->len);
  return TRUE;
}
