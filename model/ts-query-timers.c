/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-timers.c: software timers as JSON: how late, and every single fire. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"
#include "ts-timers.h"

/* Source: viewalyzer-host.md section 3.7, `timers` */
#define DEFAULT_THRESHOLD_US 500

/* Upper edges of the histogram's bins, in microseconds; one more bin holds the rest. */
static const gint64 edges_us[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000 };

static char *
dup_name (TsQuery *query,
          const TsTimer *timer)
{
  const char *name = _ts_query_object_name (query, timer->object);

  if (timer->is_work)
    return g_strdup_printf ("work 0x%08" G_GINT64_MODIFIER "x", (guint64) timer->handler);
  return g_strdup (name != NULL ? name : "");
}

static JsonArray *
make_histogram (TsQuery *query,
                const TsTimer *timer)
{
  JsonArray *array = json_array_new ();
  guint64 counts[G_N_ELEMENTS (edges_us) + 1] = { 0 };

  for (guint i = 0; i < timer->fires->len; i++)
    {
      const TsTimerFire *fire = &g_array_index (timer->fires, TsTimerFire, i);
      gint64 us = ts_recording_ticks_to_us (query->recording, fire->lateness);
      guint bin = 0;

      while (bin < G_N_ELEMENTS (edges_us) && us >= edges_us[bin])
        bin++;
      if (!fire->is_predicted)
        counts[bin]++;
    }
  for (guint i = 0; i <= G_N_ELEMENTS (edges_us); i++)
    {
      JsonObject *bin = json_object_new ();

      json_object_set_int_member (bin, "from_us", i > 0 ? edges_us[i - 1] : 0);
      if (i < G_N_ELEMENTS (edges_us))
        json_object_set_int_member (bin, "to_us", edges_us[i]);
      else
        json_object_set_null_member (bin, "to_us");
      json_object_set_int_member (bin, "count", (gint64) counts[i]);
      json_array_add_object_element (array, bin);
    }
  return array;
}

static JsonObject *
make_timer (TsQuery *query,
            const TsTimer *timer)
{
  JsonObject *item = json_object_new ();
  JsonObject *lateness = json_object_new ();
  g_autofree char *name = dup_name (query, timer);
  const TsFigure *figure = &timer->lateness;
  gboolean has_any = figure->count > 0;

  json_object_set_string_member (item, "name", name);
  json_object_set_string_member (item, "type", timer->is_work ? "work" : "timer");
  json_object_set_boolean_member (item, "predicted", timer->is_predicted);
  json_object_set_int_member (item, "fires", timer->is_predicted ? 0 : timer->fires->len);
  if (timer->is_predicted)
    json_object_set_int_member (item, "predicted_fires", timer->fires->len);
  json_object_set_int_member (item, "starts", (gint64) timer->n_starts);
  json_object_set_int_member (item, "stops", (gint64) timer->n_stops);
  json_object_set_int_member (item, "missed", (gint64) timer->n_missed);
  json_object_set_int_member (item, "violations", (gint64) timer->n_violations);
  _ts_json_set_real (item, "period_us", _ts_query_us (query, timer->period));
  json_object_set_boolean_member (item, "period_observed", timer->is_period_observed);
  _ts_json_set_real (lateness, "mean",
                     has_any ? _ts_query_us (query, figure->sum) / (double) figure->count : NAN);
  _ts_json_set_real (lateness, "p99", has_any ? _ts_query_us (query, figure->p99) : NAN);
  _ts_json_set_real (lateness, "max", has_any ? _ts_query_us (query, figure->max) : NAN);
  _ts_json_set_real (lateness, "max_t_us", has_any ? _ts_query_us (query, figure->max_end) : NAN);
  json_object_set_object_member (item, "lateness_us", lateness);
  if (timer->run.count > 0)
    {
      JsonObject *run = json_object_new ();

      json_object_set_int_member (run, "count", (gint64) timer->run.count);
      _ts_json_set_real (run, "mean",
                         _ts_query_us (query, timer->run.sum) / (double) timer->run.count);
      _ts_json_set_real (run, "p99", _ts_query_us (query, timer->run.p99));
      _ts_json_set_real (run, "max", _ts_query_us (query, timer->run.max));
      json_object_set_object_member (item, "callback_us", run);
    }
  json_object_set_array_member (item, "histogram", make_histogram (query, timer));
  return item;
}

static JsonObject *
make_fire (TsQuery *query,
           const char *name,
           const TsTimerFire *fire)
{
  JsonObject *item = json_object_new ();
  const TsLaneInfo *culprit
      = fire->culprit != 0 ? ts_recording_get_lane (query->recording, fire->culprit) : NULL;

  json_object_set_string_member (item, "timer", name);
  _ts_json_set_real (item, "t_us", _ts_query_us (query, fire->time));
  _ts_json_set_real (item, "expected_us", _ts_query_us (query, fire->expected));
  _ts_json_set_real (item, "lateness_us", _ts_query_us (query, fire->lateness));
  json_object_set_boolean_member (item, "violation", fire->is_violation);
  json_object_set_boolean_member (item, "predicted", fire->is_predicted);
  if (fire->n_missed > 0)
    json_object_set_int_member (item, "missed", (gint64) fire->n_missed);
  if (culprit != NULL)
    {
      g_autofree char *cause = g_strdup_printf (
          _("%s ran for %.1f µs of it."), culprit->name, _ts_query_us (query, fire->culprit_ticks));

      json_object_set_string_member (item, "cause", cause);
      json_object_set_string_member (item, "cause_lane", culprit->name);
    }
  else if (fire->is_violation)
    json_object_set_null_member (item, "cause");
  return item;
}

static JsonObject *
make_mark (TsQuery *query,
           const char *name,
           const TsTimerMark *mark)
{
  JsonObject *item = json_object_new ();

  json_object_set_string_member (item, "timer", name);
  _ts_json_set_real (item, "t_us", _ts_query_us (query, mark->time));
  json_object_set_string_member (item, "mark",
                                 mark->kind == TS_EVENT_WORK  ? (mark->is_start ? "work" : "cancel")
                                 : mark->is_start             ? "arm"
                                                              : "stop");
  if (mark->is_start)
    {
      json_object_set_int_member (item, "first_ms", mark->first_ms);
      if (mark->kind != TS_EVENT_WORK)
        json_object_set_int_member (item, "period_ms", mark->period_ms);
    }
  return item;
}

static gboolean
check_raw (TsQuery *query,
           GPtrArray *timers,
           GError **error)
{
  gint64 n_fires = 0;
  gint64 n_marks = 0;

  for (guint i = 0; i < timers->len; i++)
    {
      const TsTimer *timer = g_ptr_array_index (timers, i);

      n_fires += timer->fires->len;
      n_marks += timer->marks->len;
    }
  return _ts_query_check_budget (query, n_fires, _("fires"), error)
         && _ts_query_check_budget (query, n_marks, _("marks"), error);
}

/* Source: viewalyzer-host.md section 3.7, `timers`. Keys are ours. */
gboolean
_ts_query_timers (TsQuery *query,
                  GError **error)
{
  gint64 threshold_us
      = query->options->threshold_us >= 0 ? query->options->threshold_us : DEFAULT_THRESHOLD_US;
  JsonObject *data = _ts_query_add_data (query);
  JsonArray *array = json_array_new ();
  JsonArray *fires = json_array_new ();
  JsonArray *marks = json_array_new ();
  g_autoptr (GPtrArray) timers = NULL;
  gint64 begin;
  gint64 end;

  json_object_set_int_member (data, "threshold_us", threshold_us);
  json_object_set_array_member (data, "timers", array);
  json_object_set_array_member (data, "fires", fires);
  json_object_set_array_member (data, "marks", marks);
  _ts_query_get_range (query, &begin, &end);
  timers = ts_timers_list (query->recording, begin, end,
                           ts_recording_us_to_ticks (query->recording, threshold_us),
                           query->cancellable, error);
  if (timers == NULL)
    return FALSE;

  if (query->tier == TS_TIER_RAW && !check_raw (query, timers, error))
    return FALSE;
  for (guint i = 0; i < timers->len; i++)
    {
      const TsTimer *timer = g_ptr_array_index (timers, i);
      g_autofree char *name = dup_name (query, timer);

      json_array_add_object_element (array, make_timer (query, timer));
      if (query->tier != TS_TIER_RAW)
        continue;
      for (guint k = 0; k < timer->fires->len; k++)
        json_array_add_object_element (
            fires, make_fire (query, name, &g_array_index (timer->fires, TsTimerFire, k)));
      for (guint k = 0; k < timer->marks->len; k++)
        json_array_add_object_element (
            marks, make_mark (query, name, &g_array_index (timer->marks, TsTimerMark, k)));
    }
  if (query->tier != TS_TIER_RAW)
    {
      json_object_remove_member (data, "fires");
      json_object_remove_member (data, "marks");
    }
  return TRUE;
}
