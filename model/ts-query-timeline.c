/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-timeline.c: what ran, how much and when: cards, buckets, slices. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"
#include "ts-statistics.h"

/* As this many columns a window is asked for. */
#define WINDOW_COLUMNS 8192
/* Limits of the anomalies. */
#define STACK_PERCENT 90
#define JITTER_PERIODS 1.0
#define LONG_RUN_FACTOR 10.0

/**
 * LaneCard: one lane of the timeline.
 * @code: T1, T2 ... over the whole recording
 * @lane: id of the lane
 */
typedef struct
{
  char code[16];
  guint32 lane;
  TsLaneKind kind;
  char *name;
  gboolean is_wanted;
} LaneCard;

typedef gboolean (*SliceFunc) (const TsSlice *slice, gpointer user_data);

static int
compare_cards (gconstpointer a,
               gconstpointer b)
{
  const LaneCard *left = a;
  const LaneCard *right = b;

  return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static void
card_clear (gpointer data)
{
  g_free (((LaneCard *) data)->name);
}

/* One window of a lane. Splits where it holds more slices than one answer gives. FALSE ends the
 * walk. */
static gboolean
walk_window (TsQuery *query,
             guint32 lane,
             gint64 begin,
             gint64 end,
             TsColumn *columns,
             SliceFunc func,
             gpointer user_data)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneDetail detail = ts_recording_query_lane (query->recording, lane, begin, end, WINDOW_COLUMNS,
                                                 columns, slices, 0, NULL);

  if (g_cancellable_is_cancelled (query->cancellable))
    return FALSE;

  if (detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < slices->len; i++)
        {
          const TsSlice *slice = &g_array_index (slices, TsSlice, i);

          if (slice->begin >= begin && slice->begin < end && !func (slice, user_data))
            return FALSE;
        }
      return TRUE;
    }

  if (detail != TS_LANE_DETAIL_COLUMNS || end - begin < 2)
    return TRUE;

  return walk_window (query, lane, begin, begin + (end - begin) / 2, columns, func, user_data)
         && walk_window (query, lane, begin + (end - begin) / 2, end, columns, func, user_data);
}

/* Calls @func for the slices of a lane that begin within [@begin, @end), in order of windows. */
static void
walk_slices (TsQuery *query,
             guint32 lane,
             gint64 begin,
             gint64 end,
             SliceFunc func,
             gpointer user_data)
{
  g_autofree TsColumn *columns = g_new (TsColumn, WINDOW_COLUMNS);

  if (end > begin)
    walk_window (query, lane, begin, end, columns, func, user_data);
}

static double
ticks_to_us (TsQuery *query,
             gint64 ticks)
{
  return (double) ticks * 1e6 / (double) ts_recording_get_clock_hz (query->recording);
}

static void
window_ticks (TsQuery *query,
              gint64 *begin,
              gint64 *end)
{
  *begin = ts_recording_us_to_ticks (query->recording, query->begin_us);
  *end = query->options->t_end_us >= 0 ? ts_recording_us_to_ticks (query->recording, query->end_us)
                                       : ts_recording_get_duration (query->recording);
  *end = MAX (*end, *begin);
}

/* Time of a lane's RUNNING state within a window, interrupts taken off (tasks). */
static gint64
running_ticks (TsQuery *query,
               const LaneCard *card,
               gint64 begin,
               gint64 end,
               guint32 *count)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsColumn column = { 0 };

  if (count != NULL)
    *count = 0;
  if (end <= begin
      || ts_recording_query_lane (query->recording, card->lane, begin, end, 1, &column, slices, 0,
                                  NULL)
             != TS_LANE_DETAIL_COLUMNS)
    return 0;

  if (count != NULL)
    *count = column.count;
  return column.ticks[TS_STATE_RUNNING]
         - (card->kind == TS_LANE_TASK ? column.ticks[TS_STATE_INTERRUPTED] : 0);
}

/* Percentiles of a card, and what else the figures tell of a window. */
static void
add_slice_figures (TsQuery *query,
                   const TsStatistics *statistics,
                   const LaneCard *card,
                   JsonObject *item)
{
  const TsLaneStatistics *lane = ts_statistics_find (statistics, card->lane);
  const TsFigure *run;
  gboolean has_any;

  if (lane == NULL)
    return;
  run = &lane->measures[TS_MEASURE_RUN];
  has_any = run->count > 0;
  json_object_set_int_member (item, "slices", (gint64) run->count);
  _ts_json_set_real (item, "p50_slice_us", has_any ? ticks_to_us (query, run->p50) : NAN);
  _ts_json_set_real (item, "p95_slice_us", has_any ? ticks_to_us (query, run->p95) : NAN);
  _ts_json_set_real (item, "p99_slice_us", has_any ? ticks_to_us (query, run->p99) : NAN);
  json_object_set_boolean_member (item, "percentiles_exact", lane->is_exact);

  if (query->has_window)
    {
      gint64 begin;
      gint64 end;
      gint64 running;

      window_ticks (query, &begin, &end);
      running = running_ticks (query, card, begin, end, NULL);
      _ts_json_set_real (item, "cpu_percent",
                         end > begin ? 100.0 * (double) running / (double) (end - begin) : 0.0);
      json_object_set_int_member (item, "run_count", (gint64) run->count);
      _ts_json_set_real (item, "min_slice_us", has_any ? ticks_to_us (query, run->min) : NAN);
      _ts_json_set_real (item, "max_slice_us", has_any ? ticks_to_us (query, run->max) : NAN);
      _ts_json_set_real (item, "avg_slice_us",
                         has_any ? ticks_to_us (query, run->sum) / (double) run->count : NAN);
    }
}

static void
add_anomaly (JsonArray *anomalies,
             const char *type,
             const char *severity,
             const LaneCard *card,
             char *explain)
{
  JsonObject *item = json_object_new ();

  json_object_set_string_member (item, "type", type);
  json_object_set_string_member (item, "severity", severity);
  if (card != NULL)
    {
      json_object_set_string_member (item, "task", card->name);
      json_object_set_string_member (item, "code", card->code);
    }
  json_object_set_string_member (item, "explain", explain);
  json_array_add_object_element (anomalies, item);
  g_free (explain);
}

/* What a person should look at, from the card's own figures. */
static void
add_anomalies (TsQuery *query,
               JsonArray *anomalies,
               const LaneCard *card,
               JsonObject *item)
{
  double jitter = json_object_get_double_member_with_default (item, "max_jitter_us", NAN);
  double period = json_object_get_double_member_with_default (item, "avg_period_us", NAN);
  double average = json_object_get_double_member_with_default (item, "avg_us", NAN);
  double longest = json_object_get_double_member_with_default (item, "max_us", NAN);
  gint64 stack_used = json_object_get_int_member_with_default (item, "stack_used_bytes", 0);
  const TsObject *object = ts_recording_get_object (
      query->recording, (guint32) json_object_get_int_member_with_default (item, "object_id", 0));

  if (object != NULL && object->is_idle)
    return;

  if (jitter > JITTER_PERIODS * period)
    add_anomaly (anomalies, "jitter", "warning", card,
                 g_strdup_printf ("%s was once activated %.0f us later than its period of %.0f us.",
                                  card->name, jitter, period));
  if (longest > LONG_RUN_FACTOR * average)
    add_anomaly (anomalies, "long_run", "info", card,
                 g_strdup_printf ("%s once ran for %.0f us; its average is %.0f us.", card->name,
                                  longest, average));
  if (object != NULL && object->stack_bytes > 0
      && stack_used >= object->stack_bytes / 100 * STACK_PERCENT)
    add_anomaly (anomalies, "stack", "warning", card,
                 g_strdup_printf ("%s has used %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                                  " bytes of its stack.",
                                  card->name, stack_used, object->stack_bytes));
}

static void
add_loss_anomalies (TsQuery *query,
                    JsonArray *anomalies)
{
  g_autofree char *lost = ts_recording_dup_summary (query->recording, "lost_events");
  g_autofree char *corrupt = ts_recording_dup_summary (query->recording, "corrupt_bytes");

  if (lost != NULL && g_ascii_strtoll (lost, NULL, 10) > 0)
    add_anomaly (anomalies, "data_loss", "error", NULL,
                 g_strdup_printf ("%s events were lost on the way.", lost));
  if (corrupt != NULL && g_ascii_strtoll (corrupt, NULL, 10) > 0)
    add_anomaly (anomalies, "corrupt", "error", NULL,
                 g_strdup_printf ("%s bytes could not be decoded.", corrupt));
}

/* Lanes that run something, in the order of their ids; codes count all of them so that they stay
 * the same under a filter. */
static void
load_cards (TsQuery *query,
            GArray *cards)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (query->recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      LaneCard card = { 0 };

      if (lanes[i].kind != TS_LANE_TASK && lanes[i].kind != TS_LANE_ISR
          && lanes[i].kind != TS_LANE_SPAN && lanes[i].kind != TS_LANE_RTOS)
        continue;

      card.lane = lanes[i].id;
      card.kind = lanes[i].kind;
      card.name = lanes[i].kind == TS_LANE_RTOS ? g_strdup ("_RTOS_") : g_strdup (lanes[i].name);
      g_array_append_val (cards, card);
    }

  g_array_sort (cards, compare_cards);
  for (guint i = 0; i < cards->len; i++)
    {
      LaneCard *card = &g_array_index (cards, LaneCard, i);

      g_snprintf (card->code, sizeof card->code, "T%u", i + 1);
    }
}

static gboolean
select_cards (TsQuery *query,
              GArray *cards,
              GError **error)
{
  const char * const *wanted = query->options->lanes;
  gboolean all = wanted == NULL || wanted[0] == NULL;

  for (guint i = 0; i < cards->len; i++)
    g_array_index (cards, LaneCard, i).is_wanted = all;

  for (guint k = 0; !all && wanted[k] != NULL; k++)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < cards->len; i++)
        {
          LaneCard *card = &g_array_index (cards, LaneCard, i);

          if (strcmp (card->name, wanted[k]) == 0 || strcmp (card->code, wanted[k]) == 0)
            {
              card->is_wanted = TRUE;
              found = TRUE;
            }
        }

      if (!found)
        {
          g_set_error (
              error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
              _("--lanes: the recording has no lane “%s”; names are those of va_task_stats."),
              wanted[k]);
          return FALSE;
        }
    }

  return TRUE;
}

static void
add_legend (TsQuery *query,
            GArray *cards)
{
  JsonObject *legend = json_object_new ();

  for (guint i = 0; i < cards->len; i++)
    {
      const LaneCard *card = &g_array_index (cards, LaneCard, i);
      const TsLaneInfo *info = ts_recording_get_lane (query->recording, card->lane);
      JsonObject *item;

      if (!card->is_wanted || info == NULL)
        continue;

      item = json_object_new ();
      json_object_set_string_member (item, "name", card->name);
      _ts_json_set_text (
          item, "type", card->kind == TS_LANE_RTOS ? "rtos" : ts_object_type_get_name (info->type));
      json_object_set_int_member (item, "core", info->core);
      if (info->priority != TS_OBJECT_UNKNOWN)
        json_object_set_int_member (item, "priority", info->priority);
      json_object_set_object_member (legend, card->code, item);
    }

  json_object_set_object_member (query->answer, "task_legend", legend);
}

/* Rows of va_task_stats by what they are found by: id of a lane, or its name in older recordings.
 * One pass: the table has no index. */
static GHashTable *
list_stats_rows (TsQuery *query,
                 gboolean *by_lane)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sqlite3 *db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  sqlite3_stmt *stmt = NULL;

  *by_lane = db != NULL && _ts_db_can_prepare (db, "SELECT lane FROM va_task_stats");
  if (db != NULL && query->recording->tables.has_task_stats
      && sqlite3_prepare_v2 (db,
                             *by_lane ? "SELECT rowid,lane FROM va_task_stats"
                                      : "SELECT rowid,name FROM va_task_stats",
                             -1, &stmt, NULL)
             == SQLITE_OK)
    while (sqlite3_step (stmt) == SQLITE_ROW)
      {
        const char *key = (const char *) sqlite3_column_text (stmt, 1);

        if (key != NULL && !g_hash_table_contains (rows, key))
          g_hash_table_insert (rows, g_strdup (key),
                               GSIZE_TO_POINTER ((gsize) sqlite3_column_int64 (stmt, 0)));
      }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (query->recording);
  return rows;
}

/* The statement for one of these rows: to be made once, not for each of thousands of lanes. NULL: there
 * are none. */
static sqlite3_stmt *
prepare_stats_row (TsQuery *query)
{
  sqlite3 *db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  sqlite3_stmt *stmt = NULL;

  if (db != NULL && query->recording->tables.has_task_stats)
    sqlite3_prepare_v2 (db, "SELECT * FROM va_task_stats WHERE rowid=?1", -1, &stmt, NULL);
  _ts_recording_end_read (query->recording);
  return stmt;
}

static void
finalize_stats_row (TsQuery *query,
                    sqlite3_stmt *stmt)
{
  _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, NULL);
  sqlite3_finalize (stmt);
  _ts_recording_end_read (query->recording);
}

/* The row of va_task_stats that belongs to a lane, all columns by name. */
static void
add_stats_row (TsQuery *query,
               sqlite3_stmt *stmt,
               const LaneCard *card,
               GHashTable *rows,
               gboolean by_lane,
               JsonObject *item)
{
  g_autofree char *id = g_strdup_printf ("%u", card->lane);
  gsize row = GPOINTER_TO_SIZE (g_hash_table_lookup (rows, by_lane ? id : card->name));

  if (stmt == NULL || row == 0)
    return;
  _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  sqlite3_bind_int64 (stmt, 1, (gint64) row);
  if (sqlite3_step (stmt) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count (stmt); i++)
      {
        g_autofree char *name = g_utf8_make_valid (sqlite3_column_name (stmt, i), -1);

        _ts_json_set_column (item, name, stmt, i);
      }
  sqlite3_reset (stmt);
  _ts_recording_end_read (query->recording);
}

static gboolean
run_summary (TsQuery *query,
             GArray *cards,
             GError **error)
{
  JsonObject *data = _ts_query_add_data (query);
  JsonArray *tasks = json_array_new ();
  JsonArray *anomalies = json_array_new ();
  g_autofree char *load = ts_recording_dup_summary (query->recording, "cpu_load_percent");
  g_autoptr (TsStatistics) statistics = NULL;
  g_autoptr (GHashTable) rows = NULL;
  sqlite3_stmt *row;
  gboolean by_lane = FALSE;
  gint64 begin;
  gint64 end;

  window_ticks (query, &begin, &end);
  statistics = ts_statistics_new (query->recording, begin, end + (query->has_window ? 0 : 1), 0,
                                  query->cancellable, error);
  if (statistics == NULL)
    {
      json_array_unref (tasks);
      json_array_unref (anomalies);
      return FALSE;
    }

  rows = list_stats_rows (query, &by_lane);
  row = query->has_window ? NULL : prepare_stats_row (query);
  json_object_set_int_member (data, "duration_us", query->end_us - query->begin_us);
  if (load != NULL && !query->has_window)
    _ts_json_set_real (data, "cpu_load_pct", g_ascii_strtod (load, NULL));

  for (guint i = 0; i < cards->len; i++)
    {
      const LaneCard *card = &g_array_index (cards, LaneCard, i);
      JsonObject *item;

      if (!card->is_wanted)
        continue;
      if (!_ts_query_check_cancelled (query->cancellable, error))
        break;

      item = json_object_new ();
      json_object_set_string_member (item, "code", card->code);
      json_object_set_string_member (item, "name", card->name);
      if (!query->has_window)
        {
          add_stats_row (query, row, card, rows, by_lane, item);
          add_anomalies (query, anomalies, card, item);
        }
      add_slice_figures (query, statistics, card, item);
      json_array_add_object_element (tasks, item);
    }

  finalize_stats_row (query, row);
  add_loss_anomalies (query, anomalies);
  json_object_set_array_member (data, "tasks", json_array_ref (tasks));
  json_object_set_array_member (query->answer, "tasks", tasks);
  json_object_set_array_member (data, "anomalies", json_array_ref (anomalies));
  json_object_set_array_member (query->answer, "anomalies", anomalies);
  return (error == NULL || *error == NULL)
         && _ts_query_check_cancelled (query->cancellable, error);
}

static gboolean
run_bucketed (TsQuery *query,
              GArray *cards,
              GError **error)
{
  JsonObject *data;
  JsonObject *lanes = json_object_new ();
  JsonArray *tasks = json_array_new ();
  JsonArray *times = json_array_new ();
  gint64 n_wanted = 0;

  data = _ts_query_add_data (query);
  json_object_set_array_member (data, "t_us", times);
  json_object_set_object_member (data, "lanes", lanes);
  json_object_set_array_member (data, "tasks", json_array_ref (tasks));
  json_object_set_array_member (query->answer, "tasks", tasks);

  for (guint i = 0; i < cards->len; i++)
    n_wanted += g_array_index (cards, LaneCard, i).is_wanted;
  if (!_ts_query_check_budget (query, query->n_buckets, _("buckets"), error)
      || !_ts_query_check_budget (query, query->n_buckets * n_wanted, _("buckets"), error))
    return FALSE;

  for (gint64 k = 0; k < query->n_buckets; k++)
    json_array_add_int_element (times, query->begin_us + k * query->bucket_us);

  for (guint i = 0; i < cards->len; i++)
    {
      const LaneCard *card = &g_array_index (cards, LaneCard, i);
      JsonArray *shares;
      JsonObject *item;

      if (!card->is_wanted)
        continue;
      if (!_ts_query_check_cancelled (query->cancellable, error))
        return FALSE;

      shares = json_array_new ();
      for (gint64 k = 0; k < query->n_buckets; k++)
        {
          gint64 begin
              = ts_recording_us_to_ticks (query->recording, query->begin_us + k * query->bucket_us);
          gint64 end = ts_recording_us_to_ticks (query->recording,
                                                 query->begin_us + (k + 1) * query->bucket_us);
          gint64 running = running_ticks (query, card, begin, end, NULL);

          json_array_add_double_element (
              shares,
              end > begin ? round (1e8 * (double) running / (double) (end - begin)) / 1e6 : 0.0);
        }

      item = json_object_new ();
      json_object_set_string_member (item, "code", card->code);
      json_object_set_string_member (item, "name", card->name);
      json_object_set_array_member (item, "cpu_percent", json_array_ref (shares));
      json_array_add_object_element (tasks, item);
      json_object_set_array_member (lanes, card->code, shares);
    }

  return TRUE;
}

static const char * const state_names[TS_N_STATES]
    = { "none",        "running", "ready", "blocked", "sleeping", "suspended",
        "interrupted", "low",     "point", "loss",    "corrupt" };

typedef struct
{
  TsQuery *query;
  const LaneCard *card;
  GPtrArray *slices; /* JsonObject */
} RawSlices;

static gboolean
add_slice (const TsSlice *slice,
           gpointer user_data)
{
  RawSlices *raw = user_data;
  TsRecording *recording = raw->query->recording;
  const TsObject *waits_for
      = slice->state == TS_STATE_BLOCKED ? ts_recording_get_object (recording, slice->arg) : NULL;
  JsonObject *item;

  if (raw->query->options->max_slices >= 0
      && (gint64) raw->slices->len >= raw->query->options->max_slices)
    return FALSE;

  item = json_object_new ();
  json_object_set_string_member (item, "code", raw->card->code);
  json_object_set_string_member (item, "name", raw->card->name);
  _ts_json_set_real (item, "t_start_us",
                     (double) ts_recording_ticks_to_ns (recording, slice->begin) / 1000.0);
  _ts_json_set_real (item, "t_end_us",
                     (double) ts_recording_ticks_to_ns (recording, slice->end) / 1000.0);
  _ts_json_set_real (item, "duration_us",
                     (double) ts_recording_ticks_to_ns (recording, slice->end - slice->begin)
                         / 1000.0);
  json_object_set_string_member (item, "state",
                                 slice->state < TS_N_STATES ? state_names[slice->state] : "none");
  if (slice->depth > 0)
    json_object_set_int_member (item, "depth", slice->depth);
  if (waits_for != NULL)
    json_object_set_string_member (item, "waits_for", waits_for->name);
  if ((slice->kind & TS_SLICE_OPEN) != 0)
    json_object_set_boolean_member (item, "open", TRUE);
  g_ptr_array_add (raw->slices, item);

  return (gint64) raw->slices->len <= raw->query->max_rows;
}

static int
compare_slices (gconstpointer a,
                gconstpointer b)
{
  JsonObject *left = *(JsonObject * const *) a;
  JsonObject *right = *(JsonObject * const *) b;
  double begin_left = json_object_get_double_member (left, "t_start_us");
  double begin_right = json_object_get_double_member (right, "t_start_us");

  return begin_left < begin_right ? -1 : begin_left > begin_right;
}

static gboolean
run_raw (TsQuery *query,
         GArray *cards,
         GError **error)
{
  g_autoptr (GPtrArray) slices
      = g_ptr_array_new_with_free_func ((GDestroyNotify) json_object_unref);
  JsonArray *array;
  JsonObject *data;
  gint64 begin;
  gint64 end;

  window_ticks (query, &begin, &end);
  for (guint i = 0; i < cards->len && (gint64) slices->len <= query->max_rows; i++)
    {
      const LaneCard *card = &g_array_index (cards, LaneCard, i);
      RawSlices raw = { query, card, slices };
      TsSlice first;

      if (!card->is_wanted)
        continue;

      /* The slice that the window's edge cuts belongs to it. */
      if (ts_recording_find_slice (query->recording, card->lane, begin, 0, &first)
          && first.begin < begin && first.end > begin)
        add_slice (&first, &raw);
      walk_slices (query, card->lane, begin, end, add_slice, &raw);
    }

  if (!_ts_query_check_cancelled (query->cancellable, error)
      || !_ts_query_check_budget (query, slices->len, _("slices"), error))
    return FALSE;

  g_ptr_array_sort (slices, compare_slices);
  array = json_array_new ();
  for (guint i = 0; i < slices->len; i++)
    json_array_add_object_element (array, json_object_ref (g_ptr_array_index (slices, i)));

  data = _ts_query_add_data (query);
  json_object_set_int_member (data, "count", slices->len);
  json_object_set_array_member (data, "slices", json_array_ref (array));
  json_object_set_array_member (query->answer, "slices", array);
  return TRUE;
}

gboolean
_ts_query_timeline (TsQuery *query,
                    GError **error)
{
  g_autoptr (GArray) cards = g_array_new (FALSE, TRUE, sizeof (LaneCard));

  g_array_set_clear_func (cards, card_clear);
  load_cards (query, cards);
  if (!select_cards (query, cards, error))
    return FALSE;

  add_legend (query, cards);
  switch (query->tier)
    {
    case TS_TIER_BUCKETED:
      return run_bucketed (query, cards, error);

    case TS_TIER_RAW:
      return run_raw (query, cards, error);

    default:
      return run_summary (query, cards, error);
    }
}
