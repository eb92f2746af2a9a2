/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-statistics-complete.c: the counts and extremes of a long range, which a sample cannot tell. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-query-private.h"

typedef struct
{
  TsFigure *figures; /* TS_N_MEASURES */
  TsInterruptTime *interrupts;
  gboolean is_task;
} Completion;

static void
note_extreme (TsFigure *figure,
              gint64 ticks,
              gint64 begin,
              gint64 end)
{
  if (figure->min < 0 || ticks < figure->min)
    {
      figure->min = ticks;
      figure->min_begin = begin;
      figure->min_end = end;
    }
  if (ticks > figure->max)
    {
      figure->max = ticks;
      figure->max_begin = begin;
      figure->max_end = end;
    }
}

/* Durations come gross. A run's net time is no longer, so only one that is longer than the longest
 * so far, or shorter than the shortest, needs a look at its interrupts. */
static void
note_duration (TsMeasure measure,
               gint64 ticks,
               gint64 begin,
               gint64 end,
               gpointer user_data)
{
  Completion *self = user_data;
  TsFigure *figure = &self->figures[measure];

  figure->count++;
  figure->sum += ticks;
  if (self->is_task && (measure == TS_MEASURE_RUN || measure == TS_MEASURE_EXECUTION))
    {
      if (measure == TS_MEASURE_RUN
          && (ticks > figure->max || ticks < figure->min || figure->min < 0))
        note_extreme (figure, ticks - _ts_interrupt_time_within (self->interrupts, begin, end),
                      begin, end);
      return;
    }
  note_extreme (figure, ticks, begin, end);
}

static void
complete_lane (TsRecording *recording,
               TsLaneStatistics *lane,
               gint64 begin,
               gint64 end)
{
  const TsLaneInfo *info = ts_recording_get_lane (recording, lane->lane);
  TsInterruptTime interrupts;
  TsFigure figures[TS_N_MEASURES];
  Completion completion = { figures, &interrupts, lane->kind == TS_LANE_TASK };

  for (guint m = 0; m < TS_N_MEASURES; m++)
    figures[m] = (TsFigure) { .min = -1, .max = -1 };
  _ts_interrupt_time_init (&interrupts, recording, lane->core);
  _ts_lane_walk_samples (recording, info, begin, end, FALSE, note_duration, &completion);
  _ts_interrupt_time_clear (&interrupts);

  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      TsFigure *figure = &lane->measures[m];
      TsFigure *full = &figures[m];

      if (completion.is_task && m == TS_MEASURE_EXECUTION)
        {
          /* Of these only the count is known; the sum follows from the mean of the sample. */
          figure->sum = figure->count > 0 ? (gint64) ((__int128) figure->sum * (gint64) full->count
                                                      / (gint64) figure->count)
                                          : 0;
          figure->count = full->count;
          continue;
        }
      full->p50 = figure->p50;
      full->p95 = figure->p95;
      full->p99 = figure->p99;
      /* Net of interrupts, but for runs cut by the edges of the range. */
      if (completion.is_task && m == TS_MEASURE_RUN)
        full->sum = MIN (lane->ticks, full->sum);
      *figure = *full;
    }
  lane->n_runs = MAX (lane->n_runs, lane->measures[TS_MEASURE_RUN].count);
  lane->is_complete = TRUE;
}

/**
 * ts_statistics_complete:
 * @self: figures
 * @recording: the recording they are of
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Makes counts, sums and extremes, with their places, come from every slice of the range where
 * ts_statistics_new() has looked at parts of it only. Percentiles stay; the longest and the
 * shortest execution stay those of the parts; the shortest run of a task is one of those that are
 * shortest before interrupts are taken off. Does nothing where the figures are exact.
 *
 * Cost: some 40 ns a slice
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED
 */
gboolean
ts_statistics_complete (TsStatistics *self,
                        TsRecording *recording,
                        GCancellable *cancellable,
                        GError **error)
{
  g_return_val_if_fail (self != NULL && TS_IS_RECORDING (recording), FALSE);

  for (guint i = 0; i < self->n_lanes && !g_cancellable_is_cancelled (cancellable); i++)
    if (!self->lanes[i].is_complete)
      complete_lane (recording, &self->lanes[i], self->begin, self->end);
  return _ts_query_check_cancelled (cancellable, error);
}
