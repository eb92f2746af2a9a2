/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-cpu.c: who used the processor, how long, how regularly; and who waited for a mutex. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-contention.h"
#include "ts-findings-private.h"
#include "ts-query-private.h"
#include "ts-statistics.h"

/* Sliding window for the load: a hundredth of a second, unless --bucket-us tells another. */
#define LOAD_WINDOW_US 10000

/* The window in ticks; without an end, the last event belongs to it. */
void
_ts_query_get_range (TsQuery *query,
                     gint64 *begin,
                     gint64 *end)
{
  *begin = ts_recording_us_to_ticks (query->recording, query->begin_us);
  *end = query->options->t_end_us >= 0
             ? ts_recording_us_to_ticks (query->recording, query->end_us)
             : ts_recording_get_duration (query->recording) + 1;
  *end = MAX (*end, *begin);
}

double
_ts_query_us (TsQuery *query,
              gint64 ticks)
{
  return (double) ticks * 1e6 / (double) ts_recording_get_clock_hz (query->recording);
}

const char *
_ts_query_object_name (TsQuery *query,
                       guint32 id)
{
  const TsObject *object = ts_recording_get_object (query->recording, id);

  return object != NULL ? object->name : NULL;
}

/* A set of durations: what it holds is microseconds. */
static void
add_figure (TsQuery *query,
            JsonObject *item,
            const char *key,
            const TsFigure *figure)
{
  JsonObject *object = json_object_new ();
  gboolean has_any = figure->count > 0;

  json_object_set_int_member (object, "count", (gint64) figure->count);
  _ts_json_set_real (object, "min_us", has_any ? _ts_query_us (query, figure->min) : NAN);
  _ts_json_set_real (object, "avg_us",
                     has_any ? _ts_query_us (query, figure->sum) / (double) figure->count : NAN);
  _ts_json_set_real (object, "p50_us", has_any ? _ts_query_us (query, figure->p50) : NAN);
  _ts_json_set_real (object, "p95_us", has_any ? _ts_query_us (query, figure->p95) : NAN);
  _ts_json_set_real (object, "p99_us", has_any ? _ts_query_us (query, figure->p99) : NAN);
  _ts_json_set_real (object, "max_us", has_any ? _ts_query_us (query, figure->max) : NAN);
  _ts_json_set_real (object, "max_t_us", has_any ? _ts_query_us (query, figure->max_begin) : NAN);
  json_object_set_object_member (item, key, object);
}

static void
add_period (TsQuery *query,
            JsonObject *item,
            const TsLaneStatistics *lane)
{
  const TsFigure *figure = &lane->measures[TS_MEASURE_PERIOD];
  double mean = figure->count > 0 ? (double) figure->sum / (double) figure->count : 0.0;
  double hz = (double) ts_recording_get_clock_hz (query->recording);
  JsonObject *object;

  add_figure (query, item, "period", figure);
  object = json_object_get_object_member (item, "period");
  _ts_json_set_real (object, "min_jitter_us",
                     figure->count > 0 ? ((double) figure->min - mean) * 1e6 / hz : NAN);
  _ts_json_set_real (object, "max_jitter_us",
                     figure->count > 0 ? ((double) figure->max - mean) * 1e6 / hz : NAN);
  json_object_set_int_member (object, "outliers", (gint64) lane->n_period_outliers);
}

static JsonObject *
make_card (TsQuery *query,
           const TsLaneStatistics *lane,
           GHashTable *inversions)
{
  const TsLaneInfo *info = ts_recording_get_lane (query->recording, lane->lane);
  const TsFigure *run = &lane->measures[TS_MEASURE_RUN];
  JsonObject *item = json_object_new ();

  json_object_set_string_member (item, "name",
                                 lane->kind == TS_LANE_RTOS ? "_RTOS_" : info->name);
  _ts_json_set_text (item, "type",
                     lane->kind == TS_LANE_RTOS ? "rtos" : ts_object_type_get_name (info->type));
  json_object_set_int_member (item, "core", lane->core);
  if (lane->priority != TS_OBJECT_UNKNOWN)
    json_object_set_int_member (item, "priority", lane->priority);
  _ts_json_set_real (item, "cpu_percent", lane->share);
  _ts_json_set_real (item, "cpu_us", _ts_query_us (query, lane->ticks));
  json_object_set_int_member (item, "run_count", (gint64) lane->n_runs);
  add_figure (query, item, "run", run);
  add_period (query, item, lane);
  if (lane->kind == TS_LANE_TASK)
    {
      add_figure (query, item, "execution", &lane->measures[TS_MEASURE_EXECUTION]);
      add_figure (query, item, "response", &lane->measures[TS_MEASURE_RESPONSE]);
      add_figure (query, item, "latency", &lane->measures[TS_MEASURE_LATENCY]);
      add_figure (query, item, "block", &lane->measures[TS_MEASURE_BLOCK]);
      _ts_json_set_text (json_object_get_object_member (item, "block"), "longest_on",
                         _ts_query_object_name (query, lane->longest_block_object));
      json_object_set_int_member (item, "preemptions", (gint64) lane->preemptions);
      json_object_set_int_member (item, "blocks", (gint64) lane->blocks);
      json_object_set_int_member (
          item, "inversions",
          GPOINTER_TO_SIZE (g_hash_table_lookup (inversions, GUINT_TO_POINTER (lane->object))));
      if (lane->stack_used >= 0)
        json_object_set_int_member (item, "stack_used_bytes", lane->stack_used);
      if (lane->stack_size > 0)
        {
          json_object_set_int_member (item, "stack_bytes", lane->stack_size);
          _ts_json_set_real (item, "stack_percent",
                             lane->stack_used >= 0
                                 ? 100.0 * (double) lane->stack_used / (double) lane->stack_size
                                 : NAN);
        }
    }
  json_object_set_int_member (item, "failed_operations", (gint64) lane->failures);
  json_object_set_boolean_member (item, "exact", lane->is_exact);
  json_object_set_boolean_member (item, "extremes_exact", TRUE);
  return item;
}

static void
set_load (TsQuery *query,
          JsonObject *object,
          const TsLoad *load)
{
  gboolean has_window = load->max_percent >= 0;

  _ts_json_set_real (object, "load_pct", load->percent);
  _ts_json_set_real (object, "busy_us", _ts_query_us (query, load->busy));
  _ts_json_set_real (object, "known_us", _ts_query_us (query, load->known));
  _ts_json_set_real (object, "load_window_us", _ts_query_us (query, load->window));
  _ts_json_set_real (object, "min_load_pct", has_window ? load->min_percent : NAN);
  _ts_json_set_real (object, "min_load_t_us",
                     has_window ? _ts_query_us (query, load->min_begin) : NAN);
  _ts_json_set_real (object, "max_load_pct", has_window ? load->max_percent : NAN);
  _ts_json_set_real (object, "max_load_t_us",
                     has_window ? _ts_query_us (query, load->max_begin) : NAN);
}

static void
add_loads (TsQuery *query,
           JsonObject *data,
           const TsStatistics *statistics)
{
  JsonArray *cores = json_array_new ();
  gint64 busy = 0;
  gint64 known = 0;

  for (guint i = 0; i < statistics->n_loads; i++)
    {
      JsonObject *core = json_object_new ();

      if (i == 0)
        set_load (query, data, &statistics->loads[i]);
      json_object_set_int_member (core, "core", statistics->loads[i].core);
      set_load (query, core, &statistics->loads[i]);
      json_array_add_object_element (cores, core);
      busy += statistics->loads[i].busy;
      known += statistics->loads[i].known;
    }
  if (statistics->n_loads > 1)
    _ts_json_set_real (data, "load_pct", known > 0 ? 100.0 * (double) busy / (double) known : 0.0);
  json_object_set_array_member (data, "cores", cores);
}

static gboolean
is_wanted (TsQuery *query,
           const TsLaneStatistics *lane)
{
  const TsLaneInfo *info = ts_recording_get_lane (query->recording, lane->lane);
  const char *task = query->options->task;

  return task == NULL || strcmp (info->name, task) == 0;
}

/* Waits of more urgent tasks, by who waited. */
static GHashTable *
count_inversions (TsQuery *query,
                  gint64 begin,
                  gint64 end,
                  GError **error)
{
  g_autoptr (GArray) list
      = ts_contention_list (query->recording, begin, end, query->cancellable, error);
  GHashTable *counts;

  if (list == NULL)
    return NULL;
  counts = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < list->len; i++)
    {
      const TsContention *contention = &g_array_index (list, TsContention, i);
      gpointer key = GUINT_TO_POINTER (contention->waiter);
      gsize before = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, key));

      if (contention->is_inversion)
        g_hash_table_insert (counts, key, GSIZE_TO_POINTER (before + 1));
    }
  return counts;
}

static gboolean
add_findings (TsQuery *query,
              JsonObject *data,
              gint64 begin,
              gint64 end,
              const TsStatistics *statistics,
              GError **error)
{
  g_autoptr (GPtrArray) findings = _ts_findings_list_with (
      query->recording, begin, end, statistics, query->cancellable, error);
  JsonArray *array = json_array_new ();

  json_object_set_array_member (data, "findings", array);
  if (findings == NULL)
    return FALSE;
  for (guint i = 0; i < findings->len && i < query->max_rows; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);
      JsonObject *item = json_object_new ();
      JsonArray *lanes = json_array_new ();

      json_object_set_string_member (item, "kind", ts_finding_kind_get_name (finding->kind));
      json_object_set_string_member (item, "severity", ts_severity_get_name (finding->severity));
      _ts_json_set_real (item, "t_start_us", _ts_query_us (query, finding->begin));
      _ts_json_set_real (item, "t_end_us", _ts_query_us (query, finding->end));
      json_object_set_int_member (item, "count", (gint64) finding->count);
      for (guint k = 0; k < finding->n_lanes; k++)
        {
          const TsLaneInfo *lane = ts_recording_get_lane (query->recording, finding->lanes[k]);

          if (lane != NULL)
            json_array_add_string_element (lanes, lane->name);
        }
      json_object_set_array_member (item, "lanes", lanes);
      json_object_set_string_member (item, "text", finding->text);
      json_array_add_object_element (array, item);
    }
  json_object_set_int_member (data, "finding_count", findings->len);
  return TRUE;
}

/* A card for each lane. Of more than the budget allows those that ran come first, and no more. */
static void
add_cards (TsQuery *query,
           JsonObject *data,
           JsonArray *tasks,
           const TsStatistics *statistics,
           GHashTable *inversions)
{
  guint n_wanted = 0;

  for (guint i = 0; i < statistics->n_lanes; i++)
    n_wanted += is_wanted (query, &statistics->lanes[i]);
  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; i < statistics->n_lanes; i++)
      {
        const TsLaneStatistics *lane = &statistics->lanes[i];
        gboolean has_run = lane->n_runs > 0 || lane->ticks > 0 || n_wanted <= query->max_rows;

        if (json_array_get_length (tasks) < query->max_rows && has_run == (turn == 0)
            && is_wanted (query, lane))
          json_array_add_object_element (tasks, make_card (query, lane, inversions));
      }
  json_object_set_int_member (data, "task_count", n_wanted);
  json_object_set_boolean_member (data, "tasks_truncated",
                                  json_array_get_length (tasks) < n_wanted);
}

/* Source: viewalyzer-host.md section 3.7, `cpu`. Keys are ours. */
gboolean
_ts_query_cpu (TsQuery *query,
               GError **error)
{
  gint64 window_us = query->options->bucket_us > 0 ? query->options->bucket_us : LOAD_WINDOW_US;
  g_autoptr (TsStatistics) statistics = NULL;
  g_autoptr (GHashTable) inversions = NULL;
  JsonObject *data = _ts_query_add_data (query);
  JsonArray *tasks = json_array_new ();
  gint64 begin;
  gint64 end;

  json_object_set_array_member (data, "tasks", tasks);
  _ts_query_get_range (query, &begin, &end);
  statistics = ts_statistics_new (query->recording, begin, end,
                                  ts_recording_us_to_ticks (query->recording, window_us),
                                  query->cancellable, error);
  if (statistics == NULL)
    return FALSE;
  inversions = count_inversions (query, begin, end, error);
  if (inversions == NULL)
    return FALSE;

  json_object_set_int_member (data, "duration_us", query->end_us - query->begin_us);
  add_loads (query, data, statistics);
  json_object_set_int_member (data, "context_switches", (gint64) statistics->switches);
  json_object_set_int_member (data, "preemptions", (gint64) statistics->preemptions);
  json_object_set_boolean_member (data, "exact", statistics->is_exact);
  add_cards (query, data, tasks, statistics, inversions);
  return add_findings (query, data, begin, end, statistics, error);
}

static void
set_priority (JsonObject *item,
              const char *key,
              gint64 priority)
{
  if (priority != TS_OBJECT_UNKNOWN)
    json_object_set_int_member (item, key, priority);
  else
    json_object_set_null_member (item, key);
}

/* All contentions. Source: viewalyzer-host.md section 3.7, `inversions`. Keys of an element but
 * `type` are ours. */
gboolean
_ts_query_inversions (TsQuery *query,
                      GError **error)
{
  g_autoptr (GArray) list = NULL;
  JsonArray *array = json_array_new ();
  gint64 n_inversions = 0;
  gint64 begin;
  gint64 end;

  json_object_set_array_member (query->answer, "inversions", array);
  _ts_query_get_range (query, &begin, &end);
  list = ts_contention_list (query->recording, begin, end, query->cancellable, error);
  if (list == NULL)
    return FALSE;
  if (list->len > query->max_rows)
    query->reached_us = ts_recording_ticks_to_us (
        query->recording, g_array_index (list, TsContention, query->max_rows).begin);
  if (!_ts_query_check_budget (query, list->len, _("contentions"), error))
    return FALSE;

  for (guint i = 0; i < list->len; i++)
    {
      const TsContention *contention = &g_array_index (list, TsContention, i);
      JsonObject *item = json_object_new ();

      n_inversions += contention->is_inversion;
      json_object_set_string_member (item, "type",
                                     contention->is_inversion ? "inversion" : "contention");
      _ts_json_set_real (item, "t_us", _ts_query_us (query, contention->begin));
      _ts_json_set_real (item, "t_end_us", _ts_query_us (query, contention->end));
      _ts_json_set_real (item, "wait_us",
                         _ts_query_us (query, contention->end - contention->begin));
      _ts_json_set_text (item, "mutex", _ts_query_object_name (query, contention->mutex));
      _ts_json_set_text (item, "waiter", _ts_query_object_name (query, contention->waiter));
      set_priority (item, "waiter_priority", contention->waiter_priority);
      _ts_json_set_text (item, "holder", _ts_query_object_name (query, contention->holder));
      set_priority (item, "holder_priority", contention->holder_priority);
      _ts_json_set_text (item, "third", _ts_query_object_name (query, contention->third));
      if (contention->third != 0)
        {
          set_priority (item, "third_priority", contention->third_priority);
          _ts_json_set_real (item, "third_us", _ts_query_us (query, contention->third_ticks));
        }
      if (contention->is_open)
        json_object_set_boolean_member (item, "open", TRUE);
      json_array_add_object_element (array, item);
    }
  json_object_set_int_member (query->answer, "count", list->len);
  json_object_set_int_member (query->answer, "inversion_count", n_inversions);
  return TRUE;
}
