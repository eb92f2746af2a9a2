/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-timeline.c: what ran, how much and when: cards, buckets, slices. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-timeline-private.h"
#include "ts-statistics.h"

/* Limits of the anomalies. */
#define STACK_PERCENT 90
#define JITTER_PERIODS 1.0
#define LONG_RUN_FACTOR 10.0

static int
compare_cards (gconstpointer a,
               gconstpointer b)
{
  const TsLaneCard *left = a;
  const TsLaneCard *right = b;

  return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static void
card_clear (gpointer data)
{
  g_free (((TsLaneCard *) data)->name);
}

static double
ticks_to_us (TsQuery *query,
             gint64 ticks)
{
  return (double) ticks * 1e6 / (double) ts_recording_get_clock_hz (query->recording);
}

void
_ts_timeline_get_window (TsQuery *query,
                         gint64 *begin,
                         gint64 *end)
{
  *begin = ts_recording_us_to_ticks (query->recording, query->begin_us);
  *end = query->options->t_end_us >= 0 ? ts_recording_us_to_ticks (query->recording, query->end_us)
                                       : ts_recording_get_duration (query->recording);
  *end = MAX (*end, *begin);
}

/* Time of a lane's RUNNING state within a window, interrupts taken off (tasks). */
gint64
_ts_timeline_running_ticks (TsQuery *query,
                            const TsLaneCard *card,
                            gint64 begin,
                            gint64 end)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsColumn column = { 0 };

  if (end <= begin
      || ts_recording_query_lane (query->recording, card->lane, begin, end, 1, &column, slices, 0,
                                  NULL)
             != TS_LANE_DETAIL_COLUMNS)
    return 0;

  return column.ticks[TS_STATE_RUNNING]
         - (card->kind == TS_LANE_TASK ? column.ticks[TS_STATE_INTERRUPTED] : 0);
}

/* Percentiles of a card, and what else the figures tell of a window. */
static void
write_figures (TsQueryStream *stream,
               const TsStatistics *statistics,
               const TsLaneCard *card)
{
  TsQuery *query = stream->query;
  TsJsonWriter *writer = &stream->writer;
  const TsLaneStatistics *lane = ts_statistics_find (statistics, card->lane);
  const TsFigure *run;
  gboolean has_any;

  if (lane == NULL)
    return;
  run = &lane->measures[TS_MEASURE_RUN];
  has_any = run->count > 0;
  _ts_json_writer_int (writer, "slices", (gint64) run->count);
  _ts_json_writer_figure (writer, "p50_slice_us", has_any ? ticks_to_us (query, run->p50) : NAN);
  _ts_json_writer_figure (writer, "p95_slice_us", has_any ? ticks_to_us (query, run->p95) : NAN);
  _ts_json_writer_figure (writer, "p99_slice_us", has_any ? ticks_to_us (query, run->p99) : NAN);
  _ts_json_writer_bool (writer, "percentiles_exact", lane->is_exact);

  if (query->has_window)
    {
      gint64 begin;
      gint64 end;
      gint64 running;

      _ts_timeline_get_window (query, &begin, &end);
      running = _ts_timeline_running_ticks (query, card, begin, end);
      _ts_json_writer_figure (writer, "cpu_percent",
                              end > begin ? 100.0 * (double) running / (double) (end - begin)
                                          : 0.0);
      _ts_json_writer_int (writer, "run_count", (gint64) run->count);
      _ts_json_writer_figure (writer, "min_slice_us",
                              has_any ? ticks_to_us (query, run->min) : NAN);
      _ts_json_writer_figure (writer, "max_slice_us",
                              has_any ? ticks_to_us (query, run->max) : NAN);
      _ts_json_writer_figure (writer, "avg_slice_us",
                              has_any ? ticks_to_us (query, run->sum) / (double) run->count : NAN);
    }
}

/* ---- what a person should look at ---- */

typedef enum
{
  ANOMALY_JITTER,
  ANOMALY_LONG_RUN,
  ANOMALY_STACK,
} AnomalyType;

/**
 * Anomaly:
 * @card: index of the card
 * @figure, @usual: what is told of it
 */
typedef struct
{
  guint card;
  AnomalyType type;
  double figure;
  double usual;
} Anomaly;

static void
write_anomaly (TsJsonWriter *writer,
               const char *type,
               const char *severity,
               const TsLaneCard *card,
               const char *explain)
{
  _ts_json_writer_row (writer);
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_text (writer, "type", type);
  _ts_json_writer_text (writer, "severity", severity);
  if (card != NULL)
    {
      _ts_json_writer_text (writer, "task", card->name);
      _ts_json_writer_text (writer, "code", card->code);
    }
  _ts_json_writer_text (writer, "explain", explain);
  _ts_json_writer_end (writer, '}');
}

static void
write_card_anomaly (TsJsonWriter *writer,
                    const TsLaneCard *card,
                    const Anomaly *anomaly)
{
  g_autofree char *explain = NULL;

  switch (anomaly->type)
    {
    case ANOMALY_JITTER:
      explain = g_strdup_printf (
          "%s was once activated %.0f us later than its period of %.0f us.", card->name,
          anomaly->figure, anomaly->usual);
      write_anomaly (writer, "jitter", "warning", card, explain);
      break;

    case ANOMALY_LONG_RUN:
      explain = g_strdup_printf ("%s once ran for %.0f us; its average is %.0f us.", card->name,
                                 anomaly->figure, anomaly->usual);
      write_anomaly (writer, "long_run", "info", card, explain);
      break;

    case ANOMALY_STACK:
    default:
      explain = g_strdup_printf ("%s has used %.0f of %.0f bytes of its stack.", card->name,
                                 anomaly->figure, anomaly->usual);
      write_anomaly (writer, "stack", "warning", card, explain);
      break;
    }
}

static void
write_loss_anomaly (TsQueryStream *stream,
                    const char *key,
                    const char *type,
                    const char *format)
{
  g_autofree char *count = ts_recording_dup_summary (stream->query->recording, key);
  g_autofree char *explain = NULL;

  if (count == NULL || g_ascii_strtoll (count, NULL, 10) <= 0)
    return;
  explain = g_strconcat (count, format, NULL);
  write_anomaly (&stream->writer, type, "error", NULL, explain);
}

static void
write_anomalies (TsQueryStream *stream,
                 GArray *cards,
                 GArray *anomalies)
{
  _ts_json_writer_key (&stream->writer, "anomalies");
  _ts_json_writer_begin (&stream->writer, '[');
  for (guint i = 0; i < anomalies->len; i++)
    {
      const Anomaly *anomaly = &g_array_index (anomalies, Anomaly, i);

      write_card_anomaly (&stream->writer, &g_array_index (cards, TsLaneCard, anomaly->card),
                          anomaly);
    }
  write_loss_anomaly (stream, "lost_events", "data_loss", " events were lost on the way.");
  write_loss_anomaly (stream, "corrupt_bytes", "corrupt", " bytes could not be decoded.");
  _ts_json_writer_end (&stream->writer, ']');
}

/* ---- the lanes ---- */

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
      TsLaneCard card = { 0 };

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
      TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

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
    g_array_index (cards, TsLaneCard, i).is_wanted = all;

  for (guint k = 0; !all && wanted[k] != NULL; k++)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < cards->len; i++)
        {
          TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

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

void
_ts_timeline_write_legend (TsQueryStream *stream,
                           GArray *cards)
{
  TsJsonWriter *writer = &stream->writer;

  _ts_json_writer_key (writer, "task_legend");
  _ts_json_writer_begin (writer, '{');
  for (guint i = 0; i < cards->len; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);
      const TsLaneInfo *info = ts_recording_get_lane (stream->query->recording, card->lane);

      if (!card->is_wanted || info == NULL)
        continue;

      _ts_json_writer_key (writer, card->code);
      _ts_json_writer_begin (writer, '{');
      _ts_json_writer_text (writer, "name", card->name);
      _ts_json_writer_text (
          writer, "type",
          card->kind == TS_LANE_RTOS ? "rtos" : ts_object_type_get_name (info->type));
      _ts_json_writer_int (writer, "core", info->core);
      if (info->priority != TS_OBJECT_UNKNOWN)
        _ts_json_writer_int (writer, "priority", info->priority);
      _ts_json_writer_end (writer, '}');
    }
  _ts_json_writer_end (writer, '}');
}

void
_ts_timeline_write_head (TsJsonWriter *writer,
                         const TsLaneCard *card)
{
  _ts_json_writer_row (writer);
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_text (writer, "code", card->code);
  _ts_json_writer_text (writer, "name", card->name);
}

/* ---- rows of va_task_stats ---- */

/* Columns that anomalies are found by. */
enum
{
  COLUMN_MAX_JITTER,
  COLUMN_PERIOD,
  COLUMN_AVERAGE,
  COLUMN_LONGEST,
  COLUMN_STACK,
  COLUMN_OBJECT,
  N_COLUMNS
};

/**
 * StatsRows:
 * @by_lane: rows are found by the id of a lane, in older recordings by its name
 * @rows: row ids by what they are found by
 * @stmt: (nullable): the statement for one of them: to be made once, not for each of thousands of
 *   lanes; %NULL: there are none
 * @names: (array length=n_names): its columns; %NULL: told by the figures
 * @columns: -1: it has no such column
 */
typedef struct
{
  gboolean by_lane;
  GHashTable *rows;
  sqlite3_stmt *stmt;
  char **names;
  int n_names;
  int columns[N_COLUMNS];
  gboolean has_transaction;
} StatsRows;

/* One pass: the table has no index. */
static void
list_stats_rows (TsQuery *query,
                 sqlite3 *db,
                 StatsRows *self)
{
  sqlite3_stmt *stmt = NULL;

  self->by_lane = _ts_db_can_prepare (db, "SELECT lane FROM va_task_stats");
  self->rows = self->by_lane ? g_hash_table_new (NULL, NULL)
                             : g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (sqlite3_prepare_v2 (db,
                          self->by_lane ? "SELECT rowid,lane FROM va_task_stats"
                                        : "SELECT rowid,name FROM va_task_stats",
                          -1, &stmt, NULL)
      == SQLITE_OK)
    while (sqlite3_step (stmt) == SQLITE_ROW)
      {
        gpointer row = GSIZE_TO_POINTER ((gsize) sqlite3_column_int64 (stmt, 0));
        const char *name = (const char *) sqlite3_column_text (stmt, 1);

        if (name == NULL)
          continue;
        if (self->by_lane)
          {
            gpointer lane = GUINT_TO_POINTER ((guint32) sqlite3_column_int64 (stmt, 1));

            if (!g_hash_table_contains (self->rows, lane))
              g_hash_table_insert (self->rows, lane, row);
          }
        else if (!g_hash_table_contains (self->rows, name))
          g_hash_table_insert (self->rows, g_strdup (name), row);
      }
  sqlite3_finalize (stmt);
}

static void
list_columns (StatsRows *self)
{
  static const char *const wanted[N_COLUMNS]
      = { "max_jitter_us", "avg_period_us", "avg_us", "max_us", "stack_used_bytes", "object_id" };
  static const char *const figures[] = { "code",         "name",         "slices",
                                         "p50_slice_us", "p95_slice_us", "p99_slice_us",
                                         "percentiles_exact", NULL };

  self->n_names = sqlite3_column_count (self->stmt);
  self->names = g_new0 (char *, (gsize) self->n_names + 1);
  for (int i = 0; i < self->n_names; i++)
    {
      g_autofree char *name = g_utf8_make_valid (sqlite3_column_name (self->stmt, i), -1);

      for (guint k = 0; k < N_COLUMNS; k++)
        if (strcmp (name, wanted[k]) == 0)
          self->columns[k] = i;
      if (!g_strv_contains (figures, name))
        self->names[i] = g_steal_pointer (&name);
    }
}

/* A window has figures of its own. */
static void
stats_rows_init (StatsRows *self,
                 TsQuery *query)
{
  sqlite3 *db;

  *self = (StatsRows) { 0 };
  for (guint k = 0; k < N_COLUMNS; k++)
    self->columns[k] = -1;
  if (query->has_window || !query->recording->tables.has_task_stats)
    return;
  db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT * FROM va_task_stats WHERE rowid=?1", -1, &self->stmt,
                             NULL)
             == SQLITE_OK)
    {
      list_stats_rows (query, db, self);
      list_columns (self);
      /* One transaction, not one for each row. */
      self->has_transaction = sqlite3_exec (db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    }
  _ts_recording_end_read (query->recording);
}

static void
stats_rows_clear (StatsRows *self,
                  TsQuery *query)
{
  sqlite3 *db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, NULL);

  sqlite3_finalize (self->stmt);
  if (self->has_transaction)
    sqlite3_exec (db, "COMMIT", NULL, NULL, NULL);
  _ts_recording_end_read (query->recording);
  g_clear_pointer (&self->rows, g_hash_table_unref);
  for (int i = 0; i < self->n_names; i++)
    g_free (self->names[i]);
  g_free (self->names);
}

static double
get_column (const StatsRows *self,
            guint column)
{
  int i = self->columns[column];

  return i >= 0 && sqlite3_column_type (self->stmt, i) != SQLITE_NULL
             ? sqlite3_column_double (self->stmt, i)
             : NAN;
}

static void
add_anomaly (GArray *anomalies,
             guint card,
             AnomalyType type,
             double figure,
             double usual)
{
  Anomaly anomaly = { card, type, figure, usual };

  g_array_append_val (anomalies, anomaly);
}

/* From the card's own figures. */
static void
find_anomalies (const StatsRows *self,
                TsQuery *query,
                guint card,
                GArray *anomalies)
{
  double jitter = get_column (self, COLUMN_MAX_JITTER);
  double period = get_column (self, COLUMN_PERIOD);
  double average = get_column (self, COLUMN_AVERAGE);
  double longest = get_column (self, COLUMN_LONGEST);
  double stack_used = get_column (self, COLUMN_STACK);
  double id = get_column (self, COLUMN_OBJECT);
  const TsObject *object
      = ts_recording_get_object (query->recording, id > 0 && id <= G_MAXUINT32 ? (guint32) id : 0);

  if (object != NULL && object->is_idle)
    return;
  if (jitter > JITTER_PERIODS * period)
    add_anomaly (anomalies, card, ANOMALY_JITTER, jitter, period);
  if (longest > LONG_RUN_FACTOR * average)
    add_anomaly (anomalies, card, ANOMALY_LONG_RUN, longest, average);
  if (object != NULL && object->stack_bytes > 0
      && stack_used >= (double) (object->stack_bytes / 100 * STACK_PERCENT))
    add_anomaly (anomalies, card, ANOMALY_STACK, stack_used, (double) object->stack_bytes);
}

/* The row of va_task_stats that belongs to a lane, all columns by name. */
static void
write_stats_row (StatsRows *self,
                 TsQueryStream *stream,
                 const TsLaneCard *card,
                 guint index,
                 GArray *anomalies)
{
  TsQuery *query = stream->query;
  gconstpointer key = self->by_lane ? GUINT_TO_POINTER (card->lane) : (gconstpointer) card->name;
  gsize row;

  if (self->stmt == NULL)
    return;
  row = GPOINTER_TO_SIZE (g_hash_table_lookup (self->rows, key));
  if (row == 0)
    return;
  _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  sqlite3_bind_int64 (self->stmt, 1, (gint64) row);
  if (sqlite3_step (self->stmt) == SQLITE_ROW)
    {
      for (int i = 0; i < self->n_names; i++)
        if (self->names[i] != NULL)
          _ts_json_writer_column (&stream->writer, self->names[i], self->stmt, i);
      if (anomalies != NULL)
        find_anomalies (self, query, index, anomalies);
    }
  sqlite3_reset (self->stmt);
  _ts_recording_end_read (query->recording);
}

/* ---- cards ---- */

/* FALSE: it goes on no further. */
static gboolean
write_cards (TsQueryStream *stream,
             GArray *cards,
             const TsStatistics *statistics,
             StatsRows *rows,
             GArray *anomalies)
{
  gboolean may_go_on = TRUE;

  _ts_json_writer_key (&stream->writer, "tasks");
  _ts_json_writer_begin (&stream->writer, '[');
  for (guint i = 0; i < cards->len && may_go_on; i++)
    {
      const TsLaneCard *card = &g_array_index (cards, TsLaneCard, i);

      stream->done++;
      if (!card->is_wanted)
        continue;
      _ts_timeline_write_head (&stream->writer, card);
      write_stats_row (rows, stream, card, i, anomalies);
      write_figures (stream, statistics, card);
      _ts_json_writer_end (&stream->writer, '}');
      may_go_on = _ts_query_stream_may_go_on (stream);
    }
  _ts_json_writer_end (&stream->writer, ']');
  return may_go_on;
}

/* Cards stand at two places of the answer, as public texts have them at one or the other.
 * Source: viewalyzer-host.md section 3.7, "timeline rows" */
static gboolean
run_summary (TsQueryStream *stream,
             GArray *cards,
             GError **error)
{
  TsQuery *query = stream->query;
  TsJsonWriter *writer = &stream->writer;
  g_autofree char *load = ts_recording_dup_summary (query->recording, "cpu_load_percent");
  g_autoptr (GArray) anomalies = g_array_new (FALSE, FALSE, sizeof (Anomaly));
  g_autoptr (TsStatistics) statistics = NULL;
  StatsRows rows;
  gint64 begin;
  gint64 end;

  _ts_timeline_get_window (query, &begin, &end);
  statistics = ts_statistics_new (query->recording, begin, end + (query->has_window ? 0 : 1), 0,
                                  query->cancellable, error);
  if (statistics == NULL)
    return FALSE;
  stats_rows_init (&rows, query);
  _ts_timeline_write_legend (stream, cards);
  _ts_query_stream_begin_rows (stream, 2 * cards->len);
  _ts_json_writer_key (writer, "data");
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_int (writer, "duration_us", query->end_us - query->begin_us);
  if (load != NULL && !query->has_window)
    _ts_json_writer_figure (writer, "cpu_load_pct", g_ascii_strtod (load, NULL));
  if (write_cards (stream, cards, statistics, &rows, anomalies))
    {
      write_anomalies (stream, cards, anomalies);
      _ts_json_writer_end (writer, '}');
      if (write_cards (stream, cards, statistics, &rows, NULL))
        write_anomalies (stream, cards, anomalies);
    }
  stats_rows_clear (&rows, query);
  return TRUE;
}

gboolean
_ts_query_timeline (TsQueryStream *stream,
                    GError **error)
{
  TsQuery *query = stream->query;
  g_autoptr (GArray) cards = g_array_new (FALSE, TRUE, sizeof (TsLaneCard));

  g_array_set_clear_func (cards, card_clear);
  load_cards (query, cards);
  if (!select_cards (query, cards, error))
    return FALSE;

  switch (query->tier)
    {
    case TS_TIER_BUCKETED:
      return _ts_timeline_run_bucketed (stream, cards, error);

    case TS_TIER_RAW:
      return _ts_timeline_run_raw (stream, cards, error);

    default:
      return run_summary (stream, cards, error);
    }
}
