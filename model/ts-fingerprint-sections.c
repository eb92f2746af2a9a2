/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-fingerprint-sections.c: the numbers of a fingerprint. Counts are told as rates, so that
 * recordings of different lengths compare. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-comms.h"
#include "ts-fingerprint-private.h"
#include "ts-query-private.h"
#include "ts-statistics.h"
#include "ts-timers.h"

/* A metric that some fewer events carry says little. */
#define MIN_COUNT 3
#define TIMER_THRESHOLD_US 500

typedef struct
{
  TsFingerprint *fingerprint;
  TsRecording *recording;
  double seconds;
  double us_per_tick;
  GCancellable *cancellable;
} Measure;

static double
get_number (TsRecording *recording,
            const char *key)
{
  g_autofree char *text = ts_recording_dup_summary (recording, key);

  return text != NULL ? g_ascii_strtod (text, NULL) : -1.0;
}

static gboolean
measure_summary (Measure *self,
                 GError **error)
{
  double load = get_number (self->recording, "cpu_load_percent");
  double switches = get_number (self->recording, "context_switches");
  double preemptions = get_number (self->recording, "preemptions");

  _ts_fingerprint_add (self->fingerprint, "summary", NULL, "event_rate_hz",
                       (double) ts_recording_get_n_events (self->recording) / self->seconds);
  if (load >= 0)
    _ts_fingerprint_add (self->fingerprint, "summary", NULL, "cpu_load_pct", load);
  if (switches >= 0)
    _ts_fingerprint_add (self->fingerprint, "summary", NULL, "context_switch_rate_hz",
                         switches / self->seconds);
  if (preemptions >= 0)
    _ts_fingerprint_add (self->fingerprint, "summary", NULL, "preemption_rate_hz",
                         preemptions / self->seconds);
  return TRUE;
}

static gboolean
measure_health (Measure *self,
                GError **error)
{
  double lost = get_number (self->recording, "lost_events");
  double corrupt = get_number (self->recording, "corrupt_bytes");

  if (lost >= 0)
    _ts_fingerprint_add (self->fingerprint, "health", NULL, "lost_event_rate_hz",
                         lost / self->seconds);
  if (corrupt >= 0)
    _ts_fingerprint_add (self->fingerprint, "health", NULL, "corrupt_byte_rate_hz",
                         corrupt / self->seconds);
  return TRUE;
}

static void
add_figure (Measure *self,
            const char *item,
            const TsFigure *figure,
            const char *average,
            const char *high)
{
  if (figure->count < MIN_COUNT)
    return;
  _ts_fingerprint_add (self->fingerprint, "tasks", item, average,
                       (double) figure->sum / (double) figure->count * self->us_per_tick);
  if (high != NULL)
    _ts_fingerprint_add (self->fingerprint, "tasks", item, high,
                         (double) figure->p99 * self->us_per_tick);
}

static gboolean
measure_tasks (Measure *self,
               GError **error)
{
  g_autoptr (TsStatistics) statistics
      = ts_statistics_new (self->recording, 0, G_MAXINT64, 0, self->cancellable, error);

  if (statistics == NULL)
    return FALSE;
  for (guint i = 0; i < statistics->n_lanes; i++)
    {
      const TsLaneStatistics *lane = &statistics->lanes[i];
      const TsLaneInfo *info = ts_recording_get_lane (self->recording, lane->lane);
      const char *name = lane->kind == TS_LANE_RTOS ? "_RTOS_" : info->name;

      if (lane->n_runs < MIN_COUNT)
        continue;
      _ts_fingerprint_add (self->fingerprint, "tasks", name, "cpu_percent", lane->share);
      _ts_fingerprint_add (self->fingerprint, "tasks", name, "run_rate_hz",
                           (double) lane->n_runs / self->seconds);
      if (lane->is_idle)
        continue;
      add_figure (self, name, &lane->measures[TS_MEASURE_RUN], "run_avg_us", "run_p99_us");
      add_figure (self, name, &lane->measures[TS_MEASURE_RESPONSE], "response_avg_us",
                  "response_p99_us");
      add_figure (self, name, &lane->measures[TS_MEASURE_PERIOD], "period_avg_us", NULL);
      if (lane->kind == TS_LANE_TASK && lane->stack_used > 0)
        _ts_fingerprint_add (self->fingerprint, "tasks", name, "stack_used_bytes",
                             (double) lane->stack_used);
    }
  return TRUE;
}

static gboolean
measure_traces (Measure *self,
                GError **error)
{
  static const char *const metrics[] = { "min", "max", "mean", "rate_hz" };
  sqlite3 *db = _ts_recording_begin_read (self->recording, TS_QUERY_LIMIT_US, self->cancellable);
  sqlite3_stmt *stmt = NULL;

  if (db != NULL
      && sqlite3_prepare_v2 (db,
                             "SELECT name,min,max,mean,rate_hz FROM va_trace_stats WHERE count>=3",
                             -1, &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          g_autofree char *name = _ts_column_dup_text (stmt, 0);

          for (guint i = 0; name != NULL && i < G_N_ELEMENTS (metrics); i++)
            if (sqlite3_column_type (stmt, (int) i + 1) != SQLITE_NULL)
              _ts_fingerprint_add (self->fingerprint, "traces", name, metrics[i],
                                   sqlite3_column_double (stmt, (int) i + 1));
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self->recording);
  return TRUE;
}

static gboolean
measure_timers (Measure *self,
                GError **error)
{
  gint64 threshold = ts_recording_us_to_ticks (self->recording, TIMER_THRESHOLD_US);
  g_autoptr (GPtrArray) timers
      = ts_timers_list (self->recording, 0, G_MAXINT64, threshold, self->cancellable, error);

  if (timers == NULL)
    return FALSE;
  for (guint i = 0; i < timers->len; i++)
    {
      const TsTimer *timer = g_ptr_array_index (timers, i);
      const TsObject *object = ts_recording_get_object (self->recording, timer->object);

      if (timer->is_work || timer->is_predicted || object == NULL
          || timer->lateness.count < MIN_COUNT)
        continue;
      _ts_fingerprint_add (self->fingerprint, "timers", object->name, "fire_rate_hz",
                           (double) timer->lateness.count / self->seconds);
      _ts_fingerprint_add (self->fingerprint, "timers", object->name, "lateness_p99_us",
                           (double) timer->lateness.p99 * self->us_per_tick);
      _ts_fingerprint_add (self->fingerprint, "timers", object->name, "violation_rate_hz",
                           (double) timer->n_violations / self->seconds);
    }
  return TRUE;
}

static char *
dup_actor (Measure *self,
           guint32 id)
{
  const TsObject *object = ts_recording_get_object (self->recording, id);

  return object != NULL ? ts_object_dup_lane_name (object) : g_strdup ("?");
}

static gboolean
measure_comms (Measure *self,
               GError **error)
{
  g_autoptr (TsComms) comms
      = ts_comms_new (self->recording, 0, G_MAXINT64, 0, self->cancellable, error);

  if (comms == NULL)
    return FALSE;
  for (guint i = 0; i < comms->paths->len; i++)
    {
      const TsPath *path = &g_array_index (comms->paths, TsPath, i);
      const TsObject *resource = ts_recording_get_object (self->recording, path->resource);
      g_autofree char *producer = dup_actor (self, path->producer);
      g_autofree char *consumer = dup_actor (self, path->consumer);
      g_autofree char *item = NULL;

      if (path->count < MIN_COUNT || resource == NULL || path->producer == 0)
        continue;
      item = g_strdup_printf ("%s>%s>%s", producer, resource->name, consumer);
      _ts_fingerprint_add (self->fingerprint, "comms", item, "rate_hz",
                           (double) path->count / self->seconds);
      if (path->p50 >= 0)
        _ts_fingerprint_add (self->fingerprint, "comms", item, "latency_median_us",
                             (double) path->p50 * self->us_per_tick);
    }
  return TRUE;
}

/* Source: viewalyzer-host.md section 3.8, sections */
static const struct
{
  const char *name;
  gboolean (*measure) (Measure *self,
                       GError **error);
} sections_known[] = {
  { "summary", measure_summary }, { "tasks", measure_tasks }, { "traces", measure_traces },
  { "timers", measure_timers },   { "comms", measure_comms }, { "health", measure_health },
};

/* Puts the numbers of the sections, which exist, into a fingerprint. */
gboolean
_ts_fingerprint_measure (TsFingerprint *self,
                         TsRecording *recording,
                         const char *const *sections,
                         GCancellable *cancellable,
                         GError **error)
{
  double hz = (double) ts_recording_get_clock_hz (recording);
  double ticks = (double) MAX (ts_recording_get_duration (recording), 1);
  Measure measure = { self, recording, ticks / hz, 1e6 / hz, cancellable };

  for (guint i = 0; i < G_N_ELEMENTS (sections_known); i++)
    if (g_strv_contains (sections, sections_known[i].name)
        && !sections_known[i].measure (&measure, error))
      return FALSE;
  return _ts_query_check_cancelled (cancellable, error);
}
