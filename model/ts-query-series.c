/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-series.c: points over time for a plot. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"
#include "ts-series.h"

/* Points of a plot over the whole window, unless --bucket-us tells otherwise. */
#define DEFAULT_BUCKETS 200

static void
bad_arguments (GError **error,
               const char *message)
{
  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS, message);
}

/* The lane of a name as in va_task_stats, else of an object, of a kind in @kinds (bits). */
static const TsLaneInfo *
find_lane (TsQuery *query,
           const char *name,
           guint kinds)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (query->recording, &n_lanes);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n_lanes; i++)
      {
        const TsObject *object = ts_recording_get_object (query->recording, lanes[i].object);
        const char *own = pass == 0 ? lanes[i].name : (object != NULL ? object->name : NULL);

        if ((kinds & 1u << lanes[i].kind) != 0 && g_strcmp0 (own, name) == 0)
          return &lanes[i];
      }
  return NULL;
}

#define RUNNING_KINDS \
  (1u << TS_LANE_TASK | 1u << TS_LANE_ISR | 1u << TS_LANE_SPAN | 1u << TS_LANE_RTOS)
#define VALUE_KINDS (1u << TS_LANE_VALUE | 1u << TS_LANE_TOGGLE)

static gboolean
find_task (TsQuery *query,
           gboolean is_required,
           const TsLaneInfo **lane,
           GError **error)
{
  const char *task = query->options->task;

  *lane = NULL;
  if (task == NULL)
    {
      if (is_required)
        bad_arguments (error, _("This kind of series needs --task with the name of a lane."));
      return !is_required;
    }
  *lane = find_lane (query, task, RUNNING_KINDS);
  if (*lane == NULL)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                 _("--task: the recording has no task, interrupt or span “%s”."), task);
  return *lane != NULL;
}

static JsonArray *
make_points (TsQuery *query,
             const GArray *points)
{
  JsonArray *array = json_array_sized_new (points->len);

  for (guint i = 0; i < points->len; i++)
    {
      const TsPoint *point = &g_array_index (points, TsPoint, i);
      JsonArray *pair = json_array_sized_new (2);

      json_array_add_double_element (pair, _ts_query_us (query, point->time));
      json_array_add_double_element (pair, point->value);
      json_array_add_array_element (array, pair);
    }
  return array;
}

/* One named series; the first one's points are also those of the answer. */
static void
add_series (TsQuery *query,
            JsonArray *series,
            const char *name,
            GArray *points)
{
  JsonObject *item = json_object_new ();
  gboolean is_thinned = ts_series_thin_out (points, (guint) query->max_rows);

  _ts_json_set_text (item, "name", name);
  json_object_set_boolean_member (item, "thinned", is_thinned);
  json_object_set_array_member (item, "points", make_points (query, points));
  json_array_add_object_element (series, item);
}

/* Number of buckets, and the end of the last one. */
static gboolean
find_buckets (TsQuery *query,
              gint64 *begin,
              gint64 *end,
              guint *n_buckets,
              GError **error)
{
  gint64 bucket_us = query->options->bucket_us;
  gint64 n;

  _ts_query_get_range (query, begin, end);
  *end = MAX (*end, *begin + 1);
  if (bucket_us <= 0)
    {
      *n_buckets = (guint) MIN (*end - *begin, DEFAULT_BUCKETS);
      return TRUE;
    }
  n = MAX ((query->end_us - query->begin_us + bucket_us - 1) / bucket_us, 1);
  if (!_ts_query_check_budget (query, n, _("points"), error))
    return FALSE;
  *n_buckets = (guint) n;
  *end = ts_recording_us_to_ticks (query->recording, query->begin_us + n * bucket_us);
  json_object_set_int_member (query->answer, "bucket_us", bucket_us);
  return TRUE;
}

static gboolean
run_load (TsQuery *query,
          JsonArray *series,
          GError **error)
{
  g_autoptr (GArray) points = NULL;
  const TsLaneInfo *lane;
  gint64 begin;
  gint64 end;
  guint n;

  if (!find_task (query, FALSE, &lane, error) || !find_buckets (query, &begin, &end, &n, error))
    return FALSE;
  points = ts_series_load (query->recording, lane != NULL ? lane->id : 0, begin, end, n);
  add_series (query, series, lane != NULL ? lane->name : "cpu", points);
  return TRUE;
}

static gboolean
run_rate (TsQuery *query,
          JsonArray *series,
          GError **error)
{
  g_autoptr (GArray) points = NULL;
  gint64 begin;
  gint64 end;
  guint n;

  if (!find_buckets (query, &begin, &end, &n, error))
    return FALSE;
  points = ts_series_event_rate (query->recording, begin, end, n);
  add_series (query, series, "events", points);
  return TRUE;
}

/* --task, else the task whose stack is fullest, first. */
static gboolean
run_stack (TsQuery *query,
           JsonArray *series,
           GError **error)
{
  const TsLaneInfo *wanted;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (query->recording, &n_lanes);
  g_autoptr (GHashTable) by_task = NULL;
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  double fullest = -1;
  gint64 begin;
  gint64 end;

  if (!find_task (query, FALSE, &wanted, error))
    return FALSE;
  _ts_query_get_range (query, &begin, &end);
  by_task = ts_series_stacks (query->recording, begin, end, query->cancellable, error);
  if (by_task == NULL)
    return FALSE;

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsObject *object = ts_recording_get_object (query->recording, lanes[i].object);
      const GArray *points = g_hash_table_lookup (by_task, GUINT_TO_POINTER (lanes[i].object));
      double share;

      if (lanes[i].kind != TS_LANE_TASK || points == NULL
          || (wanted != NULL && wanted->id != lanes[i].id))
        continue;
      share = g_array_index (points, TsPoint, points->len - 1).value
              / (object != NULL && object->stack_bytes > 0 ? (double) object->stack_bytes : 1e12);
      if (share > fullest)
        {
          fullest = share;
          g_array_prepend_val (order, i);
        }
      else
        g_array_append_val (order, i);
    }

  for (guint i = 0; i < order->len; i++)
    {
      const TsLaneInfo *lane = &lanes[g_array_index (order, guint, i)];

      add_series (query, series, lane->name,
                  g_hash_table_lookup (by_task, GUINT_TO_POINTER (lane->object)));
    }
  return TRUE;
}

static gboolean
run_heap (TsQuery *query,
          JsonArray *series,
          GError **error)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (query->recording, &n_lanes);
  gint64 begin;
  gint64 end;

  _ts_query_get_range (query, &begin, &end);
  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_VALUE
        && (lanes[i].type == TS_OBJECT_HEAP || lanes[i].type == TS_OBJECT_HEAP_GAUGE))
      {
        g_autoptr (GArray) points = ts_series_values (query->recording, lanes[i].id, begin, end);

        add_series (query, series, lanes[i].name, points);
      }
  return TRUE;
}

static gboolean
run_timing (TsQuery *query,
            JsonArray *series,
            GError **error)
{
  const char *metric = query->options->metric != NULL ? query->options->metric : "exec";
  TsMeasure measure = TS_N_MEASURES;
  g_autoptr (GArray) points = NULL;
  const TsLaneInfo *lane;
  gint64 begin;
  gint64 end;

  if (!find_task (query, TRUE, &lane, error))
    return FALSE;
  for (guint i = 0; i < TS_N_MEASURES; i++)
    if (strcmp (ts_measure_get_name (i), metric) == 0)
      measure = i;
  if (strcmp (metric, "exec") == 0)
    measure = lane->kind == TS_LANE_TASK ? TS_MEASURE_EXECUTION : TS_MEASURE_RUN;
  if (measure == TS_N_MEASURES)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("--metric is “%s”; it can be exec, period, run, response, latency or block."),
                   metric);
      return FALSE;
    }

  json_object_set_string_member (query->answer, "metric", metric);
  _ts_query_get_range (query, &begin, &end);
  points = ts_series_measure (query->recording, lane->id, measure, begin, end);
  add_series (query, series, lane->name, points);
  return TRUE;
}

/* `task:NAME`, `trace:NAME`, `resource:NAME`. Source: viewalyzer-host.md section 3.7, `series` */
static gboolean
parse_endpoint (TsQuery *query,
                const char *flag,
                const char *text,
                gboolean is_end,
                guint32 *lane,
                TsEndpoint *kind,
                GError **error)
{
  static const struct
  {
    const char *prefix;
    guint kinds;
    TsEndpoint start;
    TsEndpoint end;
  } forms[] = {
    { "task:", RUNNING_KINDS, TS_ENDPOINT_TASK, TS_ENDPOINT_TASK },
    { "isr:", RUNNING_KINDS, TS_ENDPOINT_TASK, TS_ENDPOINT_TASK },
    { "trace:", VALUE_KINDS, TS_ENDPOINT_TRACE, TS_ENDPOINT_TRACE },
    { "resource:", 1u << TS_LANE_OBJECT, TS_ENDPOINT_GIVE, TS_ENDPOINT_TAKE },
  };

  if (text == NULL)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("A series of intervals needs %s: task:NAME, trace:NAME or resource:NAME."),
                   flag);
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      const TsLaneInfo *info;

      if (!g_str_has_prefix (text, forms[i].prefix))
        continue;
      info = find_lane (query, text + strlen (forms[i].prefix), forms[i].kinds);
      if (info == NULL)
        {
          g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                       _("%s: the recording has nothing that is called “%s”."), flag, text);
          return FALSE;
        }
      *lane = info->id;
      *kind = is_end ? forms[i].end : forms[i].start;
      return TRUE;
    }
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("%s is “%s”; it can be task:NAME, trace:NAME or resource:NAME."), flag, text);
  return FALSE;
}

static gboolean
run_interval (TsQuery *query,
              JsonArray *series,
              GError **error)
{
  g_autoptr (GArray) points = NULL;
  g_autofree char *name = NULL;
  guint32 from = 0;
  guint32 to = 0;
  TsEndpoint from_kind = TS_ENDPOINT_TASK;
  TsEndpoint to_kind = TS_ENDPOINT_TASK;
  gint64 begin;
  gint64 end;

  if (!parse_endpoint (query, "--from", query->options->from, FALSE, &from, &from_kind, error)
      || !parse_endpoint (query, "--to", query->options->to, TRUE, &to, &to_kind, error))
    return FALSE;
  _ts_query_get_range (query, &begin, &end);
  points = ts_series_interval (query->recording, from, from_kind, to, to_kind, begin, end);
  name = g_strdup_printf ("%s > %s", query->options->from, query->options->to);
  add_series (query, series, name, points);
  return TRUE;
}

/* Source: viewalyzer-host.md section 3.7, `series`: points at the top level and under `data` */
gboolean
_ts_query_series (TsQuery *query,
                  GError **error)
{
  static const struct
  {
    const char *kind;
    const char *unit;
    gboolean (*run) (TsQuery *query,
                     JsonArray *series,
                     GError **error);
  } kinds[] = {
    { "cpu-load", "%", run_load },       { "stack", "bytes", run_stack },
    { "heap", "bytes", run_heap },       { "event-rate", "1/s", run_rate },
    { "task-timing", "us", run_timing }, { "interval", "us", run_interval },
  };
  const char *kind = query->options->kind;
  JsonObject *data = _ts_query_add_data (query);
  JsonArray *series = json_array_new ();
  JsonArray *points;

  json_object_set_array_member (data, "series", series);
  if (kind == NULL)
    {
      bad_arguments (error, _("“series” needs --kind: cpu-load, stack, heap, event-rate, "
                              "task-timing or interval."));
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (strcmp (kinds[i].kind, kind) != 0)
        continue;
      if (!kinds[i].run (query, series, error)
          || !_ts_query_check_cancelled (query->cancellable, error))
        return FALSE;

      points = json_array_get_length (series) > 0
                   ? json_array_ref (json_object_get_array_member (
                       json_array_get_object_element (series, 0), "points"))
                   : json_array_new ();
      json_object_set_string_member (query->answer, "kind", kind);
      json_object_set_string_member (query->answer, "unit", kinds[i].unit);
      json_object_set_array_member (query->answer, "points", json_array_ref (points));
      json_object_set_string_member (data, "kind", kind);
      json_object_set_array_member (data, "points", points);
      return TRUE;
    }
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("--kind is “%s”; it can be cpu-load, stack, heap, event-rate, task-timing or "
                 "interval."),
               kind);
  return FALSE;
}
