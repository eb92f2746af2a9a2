/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-timers.c: fires of software timers against the times they were armed for. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-analysis-private.h"
#include "ts-query-private.h"
#include "ts-timers.h"

/* Runs of at least so many fires are freed of a drift between the clocks. */
#define MIN_DRIFT_FIRES 16
#define MAX_PREDICTED 100000
#define MAX_BLAMED 2000

/* One start of a timer and the fires up to the next one. */
typedef struct
{
  gint64 begin;
  gint64 first;  /* ticks until the first fire; -1 unknown */
  gint64 period; /* ticks; 0: one-shot; -1 unknown */
  guint fire;    /* index of its first fire */
  guint n_fires;
  gint64 stop;   /* -1: not stopped */
} Run;

typedef struct
{
  TsTimer timer;
  GArray *runs;
  gint64 callback_begin;
  GArray *callbacks; /* durations */
} Entry;

typedef struct
{
  TsRecording *recording;
  GPtrArray *entries;
  GHashTable *by_key;
  gboolean has_expiries; /* the bare event is an expiry (FreeRTOS) */
} Reader;

static void
figure_init (TsFigure *figure)
{
  *figure = (TsFigure) { .min = -1, .max = -1, .p50 = -1, .p95 = -1, .p99 = -1 };
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_array_unref (entry->timer.fires);
  g_array_unref (entry->timer.marks);
  g_array_unref (entry->runs);
  g_array_unref (entry->callbacks);
  g_free (entry);
}

static Entry *
find_entry (Reader *self,
            guint32 object,
            gint64 handler,
            gboolean is_work)
{
  gint64 key = is_work ? handler | ((gint64) 1 << 40) : (gint64) object;
  Entry *entry = g_hash_table_lookup (self->by_key, &key);

  if (entry != NULL)
    return entry;
  entry = g_new0 (Entry, 1);
  entry->timer.object = object;
  entry->timer.handler = handler;
  entry->timer.is_work = is_work;
  entry->timer.fires = g_array_new (FALSE, TRUE, sizeof (TsTimerFire));
  entry->timer.marks = g_array_new (FALSE, TRUE, sizeof (TsTimerMark));
  entry->runs = g_array_new (FALSE, TRUE, sizeof (Run));
  entry->callbacks = g_array_new (FALSE, FALSE, sizeof (gint64));
  entry->callback_begin = -1;
  figure_init (&entry->timer.lateness);
  figure_init (&entry->timer.run);
  g_ptr_array_add (self->entries, entry);
  g_hash_table_insert (self->by_key, g_memdup2 (&key, sizeof key), entry);
  return entry;
}

static Run *
last_run (Entry *entry)
{
  return entry->runs->len > 0 ? &g_array_index (entry->runs, Run, entry->runs->len - 1) : NULL;
}

static void
begin_run (Entry *entry,
           gint64 time)
{
  Run run
      = { .begin = time, .first = -1, .period = -1, .fire = entry->timer.fires->len, .stop = -1 };

  g_array_append_val (entry->runs, run);
}

static void
add_fire (Entry *entry,
          gint64 time)
{
  TsTimerFire fire = { .time = time, .expected = time };
  Run *run;

  if (entry->runs->len == 0)
    begin_run (entry, time);
  run = last_run (entry);
  g_array_append_val (entry->timer.fires, fire);
  run->n_fires++;
}

static void
add_mark (Entry *entry,
          const TsEvent *event,
          TsEventKind kind,
          gboolean is_start,
          gint64 first_ms,
          gint64 period_ms)
{
  TsTimerMark mark = { event->time, kind, is_start, first_ms, period_ms };

  g_array_append_val (entry->timer.marks, mark);
}

static gint64
ms_to_ticks (const Reader *self,
             gint64 ms)
{
  return ts_recording_us_to_ticks (self->recording, CLAMP (ms, 0, G_MAXINT32) * 1000);
}

/* The bare event on FreeRTOS: an expiry, unless it comes much too early for one: a stop. */
static gboolean
is_stop (const Entry *entry,
         gint64 time)
{
  const Run *run = last_run ((Entry *) entry);
  gint64 since;
  gint64 length;

  if (run == NULL || run->period < 0)
    return FALSE;
  length = run->n_fires == 0 ? run->first : run->period;
  since = run->n_fires == 0
              ? run->begin
              : g_array_index (entry->timer.fires, TsTimerFire, entry->timer.fires->len - 1).time;
  return length > 0 && time - since < length / 2;
}

static void
note_timer (Reader *self,
            Entry *entry,
            const TsEvent *event)
{
  if ((event->flags & TS_EVENT_FLAG_START) != 0)
    {
      entry->timer.n_starts++;
      begin_run (entry, event->time);
    }
  else if (self->has_expiries && !is_stop (entry, event->time))
    {
      add_fire (entry, event->time);
    }
  else
    {
      entry->timer.n_stops++;
      add_mark (entry, event, TS_EVENT_TIMER, FALSE, 0, 0);
      if (last_run (entry) != NULL)
        last_run (entry)->stop = event->time;
    }
}

static gboolean
note_event (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  Reader *self = user_data;
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  gint64 detail = ts_event_get_detail (event);
  Entry *entry;

  if (event->kind == TS_EVENT_WORK)
    entry = find_entry (self, 0, event->value & G_MAXUINT32, TRUE);
  else
    entry = find_entry (self, event->object, 0, FALSE);

  switch (event->kind)
    {
    case TS_EVENT_TIMER:
      note_timer (self, entry, event);
      break;

    case TS_EVENT_TIMER_ARM:
      if (entry->runs->len == 0)
        begin_run (entry, event->time);
      last_run (entry)->first = ms_to_ticks (self, event->value);
      last_run (entry)->period = ms_to_ticks (self, detail);
      add_mark (entry, event, TS_EVENT_TIMER_ARM, TRUE, event->value, detail);
      break;

    case TS_EVENT_TIMER_CALLBACK:
      if (is_start)
        {
          entry->callback_begin = event->time;
          if (event->value == 0 && !self->has_expiries)
            add_fire (entry, event->time);
        }
      else if (entry->callback_begin >= 0)
        {
          gint64 ticks = event->time - entry->callback_begin;

          _ts_figure_add (&entry->timer.run, ticks, entry->callback_begin, event->time);
          g_array_append_val (entry->callbacks, ticks);
          entry->callback_begin = -1;
        }
      break;

    case TS_EVENT_WORK:
      add_mark (entry, event, TS_EVENT_WORK, is_start, detail, 0);
      entry->timer.n_starts += is_start;
      entry->timer.n_stops += !is_start;
      if (is_start)
        {
          begin_run (entry, event->time);
          last_run (entry)->first = ms_to_ticks (self, detail);
          last_run (entry)->period = 0;
        }
      else if (last_run (entry) != NULL)
        last_run (entry)->stop = event->time;
      break;

    default:
      break;
    }
  return TRUE;
}

/* Median distance of the fires within runs. */
static gint64
observe_period (Entry *entry)
{
  g_autoptr (GArray) periods = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < entry->runs->len; i++)
    {
      const Run *run = &g_array_index (entry->runs, Run, i);

      for (guint k = 1; k < run->n_fires; k++)
        {
          gint64 period = g_array_index (entry->timer.fires, TsTimerFire, run->fire + k).time
                          - g_array_index (entry->timer.fires, TsTimerFire, run->fire + k - 1).time;

          g_array_append_val (periods, period);
        }
    }
  return _ts_analysis_percentile ((gint64 *) (gpointer) periods->data, periods->len, 50);
}

/* Residuals of a run's fires from a grid that begins with its first fire. */
static gint64 *
find_residuals (Entry *entry,
                const Run *run,
                gint64 period)
{
  gint64 *residuals = g_new0 (gint64, run->n_fires);
  TsTimerFire *fires = &g_array_index (entry->timer.fires, TsTimerFire, run->fire);
  gint64 grid = fires[0].time;

  for (guint i = 1; i < run->n_fires; i++)
    {
      gint64 steps = 1;

      if (period > 0)
        {
          /* Whole periods from the last fire's place in the grid. */
          gint64 distance = fires[i].time - grid - residuals[i - 1];

          steps = MAX ((distance + period / 2) / period, 1);
          fires[i].n_missed = (guint64) steps - 1;
        }
      grid += steps * period;
      residuals[i] = fires[i].time - grid;
    }
  return residuals;
}

/* The earliest fire of a part of a run. */
static guint
find_earliest (const gint64 *residuals,
               guint from,
               guint to)
{
  guint earliest = from;

  for (guint i = from; i < to; i++)
    if (residuals[i] < residuals[earliest])
      earliest = i;
  return earliest;
}

static void
measure_run (Entry *entry,
             const Run *run,
             gint64 period)
{
  TsTimerFire *fires = &g_array_index (entry->timer.fires, TsTimerFire, run->fire);
  g_autofree gint64 *residuals = find_residuals (entry, run, period);
  guint low = find_earliest (residuals, 0, run->n_fires);
  guint high = low;
  gint64 least = 0;

  if (run->n_fires >= MIN_DRIFT_FIRES)
    {
      low = find_earliest (residuals, 0, run->n_fires / 3);
      high = find_earliest (residuals, run->n_fires - run->n_fires / 3, run->n_fires);
    }
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < run->n_fires; i++)
        {
          gint64 base = residuals[low];

          if (high > low)
            base += (gint64) ((__int128) (residuals[high] - residuals[low])
                              * (fires[i].time - fires[low].time)
                              / (fires[high].time - fires[low].time));
          if (pass == 0)
            least = MIN (least, residuals[i] - base);
          else
            fires[i].lateness = residuals[i] - base - least;
        }
    }
}

/* One-shots, and the first fires of all runs: how long after the start, less what was asked. */
static void
measure_one_shots (Entry *entry)
{
  gint64 least = G_MAXINT64;

  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < entry->runs->len; i++)
        {
          const Run *run = &g_array_index (entry->runs, Run, i);
          TsTimerFire *fire = &g_array_index (entry->timer.fires, TsTimerFire, run->fire);
          gint64 residual;

          if (run->n_fires != 1 || run->first < 0)
            continue;
          residual = fire->time - run->begin - run->first;
          if (pass == 0)
            least = MIN (least, residual);
          else
            fire->lateness = residual - least;
        }
    }
}

static void
measure (Entry *entry,
         gint64 threshold)
{
  TsTimer *timer = &entry->timer;
  gint64 observed = observe_period (entry);
  g_autoptr (GArray) lateness = g_array_new (FALSE, FALSE, sizeof (gint64));

  timer->period = -1;
  for (guint i = 0; i < entry->runs->len; i++)
    {
      const Run *run = &g_array_index (entry->runs, Run, i);

      if (run->period >= 0)
        timer->period = run->period;
      if (run->n_fires > 1)
        measure_run (entry, run, run->period > 0 ? run->period : observed);
    }
  measure_one_shots (entry);
  if (timer->period < 0)
    {
      timer->is_period_observed = TRUE;
      timer->period = MAX (observed, 0);
    }

  for (guint i = 0; i < timer->fires->len; i++)
    {
      TsTimerFire *fire = &g_array_index (timer->fires, TsTimerFire, i);

      fire->expected = fire->time - fire->lateness;
      fire->is_violation = fire->lateness > threshold;
      timer->n_missed += fire->n_missed;
      timer->n_violations += fire->is_violation;
      _ts_figure_add (&timer->lateness, fire->lateness, fire->expected, fire->time);
      g_array_append_val (lateness, fire->lateness);
    }
  timer->lateness.p50
      = _ts_analysis_percentile ((gint64 *) (gpointer) lateness->data, lateness->len, 50);
  timer->lateness.p95
      = _ts_analysis_percentile ((gint64 *) (gpointer) lateness->data, lateness->len, 95);
  timer->lateness.p99
      = _ts_analysis_percentile ((gint64 *) (gpointer) lateness->data, lateness->len, 99);
  timer->run.p50 = _ts_analysis_percentile ((gint64 *) (gpointer) entry->callbacks->data,
                                            entry->callbacks->len, 50);
  timer->run.p95 = _ts_analysis_percentile ((gint64 *) (gpointer) entry->callbacks->data,
                                            entry->callbacks->len, 95);
  timer->run.p99 = _ts_analysis_percentile ((gint64 *) (gpointer) entry->callbacks->data,
                                            entry->callbacks->len, 99);
}

/* What a kernel that does not tell of expiries must have done.
 * Source: viewalyzer-wire.md section 13.8 item 5 */
static void
predict (Entry *entry,
         gint64 end)
{
  TsTimer *timer = &entry->timer;

  for (guint i = 0; i < entry->runs->len; i++)
    {
      const Run *run = &g_array_index (entry->runs, Run, i);
      gint64 until = run->stop >= 0 ? run->stop : end;
      gint64 time = run->begin + MAX (run->first, 0);

      if (i + 1 < entry->runs->len)
        until = MIN (until, g_array_index (entry->runs, Run, i + 1).begin);
      for (; run->first >= 0 && time < until && timer->fires->len < MAX_PREDICTED;
           time += run->period)
        {
          TsTimerFire fire = { .time = time, .expected = time, .is_predicted = TRUE };

          g_array_append_val (timer->fires, fire);
          if (run->period <= 0)
            break;
        }
    }
  timer->is_predicted = TRUE;
  timer->period = MAX (entry->runs->len > 0 ? last_run (entry)->period : 0, 0);
}

static void
blame (TsRecording *recording,
       TsTimer *timer,
       guint *n_blamed)
{
  for (guint i = 0; i < timer->fires->len && *n_blamed < MAX_BLAMED; i++)
    {
      TsTimerFire *fire = &g_array_index (timer->fires, TsTimerFire, i);

      if (!fire->is_violation)
        continue;
      fire->culprit = _ts_analysis_find_busiest (recording, fire->expected, fire->time, 0,
                                                 &fire->culprit_ticks);
      (*n_blamed)++;
    }
}

/**
 * ts_timers_list:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @threshold: fires later than this are violations
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * All timers and work items that did anything in the range. Definition of lateness: #TsTimer.
 *
 * Cost: that of _ts_analysis_scan(), and some 20 us a violation for the first 2000
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE, %TS_MODEL_ERROR_BAD_RECORDING
 * Source: viewalyzer-host.md section 3.7, `timers`; viewalyzer-wire.md sections 13.4, 13.8 item 5
 *
 * Returns: (transfer full) (element-type TsTimer) (nullable): in order of appearance
 */
GPtrArray *
ts_timers_list (TsRecording *recording,
                gint64 begin,
                gint64 end,
                gint64 threshold,
                GCancellable *cancellable,
                GError **error)
{
  static const TsEventKind kinds[]
      = { TS_EVENT_TIMER, TS_EVENT_TIMER_ARM, TS_EVENT_TIMER_CALLBACK, TS_EVENT_WORK };
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Reader self = { .recording = recording, .entries = entries, .by_key = by_key };
  guint n_blamed = 0;

  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  end = MIN (end, ts_recording_get_duration (recording) + 1);
  self.has_expiries = !_ts_analysis_smaller_is_urgent (recording);
  if (!_ts_analysis_scan (recording, kinds, G_N_ELEMENTS (kinds), begin, end, note_event, &self,
                          cancellable, error))
    return NULL;

  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (entries, i);

      if (entry->timer.fires->len > 0)
        measure (entry, threshold);
      else if (entry->timer.is_work || !self.has_expiries)
        predict (entry, end);
      blame (recording, &entry->timer, &n_blamed);
    }
  if (!_ts_query_check_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&entries);
}
