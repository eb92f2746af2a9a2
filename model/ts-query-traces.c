/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-traces.c: value channels: figures, buckets and samples. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"

/**
 * Moments: running figures of some samples (Welford).
 */
typedef struct
{
  guint64 count;
  double min;
  double max;
  double last;
  double mean;
  double m2;
  double sum_squares;
  gint64 first_time;
  gint64 last_time;
} Moments;

typedef struct
{
  guint32 object;
  char code[16];
  char *name;
  char *type;
  char *unit;
  char *display;
  gboolean is_wanted;
  Moments whole;
  Moments *buckets;
} Channel;

typedef struct
{
  TsQuery *query;
  GArray *channels;
  GHashTable *by_object; /* id to Channel */
  const gint64 *edges;
  gint64 bucket;
  JsonArray *samples;
} Traces;

static void
channel_clear (gpointer data)
{
  Channel *channel = data;

  g_free (channel->name);
  g_free (channel->type);
  g_free (channel->unit);
  g_free (channel->display);
  g_free (channel->buckets);
}

static void
add_sample (Moments *moments,
            gint64 time,
            double value)
{
  double before = moments->mean;

  if (moments->count == 0)
    {
      moments->min = value;
      moments->max = value;
      moments->first_time = time;
    }

  moments->count++;
  moments->min = MIN (moments->min, value);
  moments->max = MAX (moments->max, value);
  moments->last = value;
  moments->last_time = time;
  moments->mean += (value - before) / (double) moments->count;
  moments->m2 += (value - before) * (value - moments->mean);
  moments->sum_squares += value * value;
}

/* The kinds that va_trace_stats counts. */
static gboolean
is_sample (const TsEvent *event)
{
  switch (event->kind)
    {
    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_DWT_DATA:
    case TS_EVENT_ITM_DATA:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
      return TRUE;

    default:
      return FALSE;
    }
}

/* A statement of va_trace_stats: object_id, name, type, unit, display, count, min, max, mean, last,
 * rms, std_dev, rate_hz */
static void
add_channel (Traces *traces,
             sqlite3_stmt *stmt)
{
  Channel channel = { 0 };

  channel.object = (guint32) sqlite3_column_int64 (stmt, 0);
  g_snprintf (channel.code, sizeof channel.code, "C%u", traces->channels->len + 1);
  channel.name = _ts_column_dup_text (stmt, 1);
  if (channel.name == NULL)
    channel.name = g_strdup ("");
  channel.type = _ts_column_dup_text (stmt, 2);
  channel.unit = _ts_column_dup_text (stmt, 3);
  channel.display = _ts_column_dup_text (stmt, 4);
  g_array_append_val (traces->channels, channel);
}

static void
load_channels (Traces *traces)
{
  TsRecording *recording = traces->query->recording;
  sqlite3_stmt *stmt = NULL;
  sqlite3 *db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, traces->query->cancellable);

  if (db != NULL && recording->tables.has_trace_stats
      && sqlite3_prepare_v2 (db,
                             "SELECT object_id,name,type,unit,display FROM va_trace_stats ORDER BY "
                             "object_id LIMIT 100000",
                             -1, &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        add_channel (traces, stmt);
    }

  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
}

/* Marks the channels that --channels names, by name or code. */
static gboolean
select_channels (Traces *traces,
                 GError **error)
{
  const char * const *wanted = traces->query->options->channels;
  gboolean all = wanted == NULL || wanted[0] == NULL;

  for (guint i = 0; i < traces->channels->len; i++)
    g_array_index (traces->channels, Channel, i).is_wanted = all;

  for (guint k = 0; !all && wanted[k] != NULL; k++)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < traces->channels->len; i++)
        {
          Channel *channel = &g_array_index (traces->channels, Channel, i);

          if (strcmp (channel->name, wanted[k]) == 0 || strcmp (channel->code, wanted[k]) == 0)
            {
              channel->is_wanted = TRUE;
              found = TRUE;
            }
        }

      if (!found)
        {
          g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                       _("--channels: the recording has no channel “%s”."), wanted[k]);
          return FALSE;
        }
    }

  for (guint i = 0; i < traces->channels->len; i++)
    {
      Channel *channel = &g_array_index (traces->channels, Channel, i);

      if (channel->is_wanted)
        g_hash_table_insert (traces->by_object, GUINT_TO_POINTER (channel->object), channel);
    }
  return TRUE;
}

static void
add_legend (Traces *traces)
{
  JsonObject *legend = json_object_new ();

  for (guint i = 0; i < traces->channels->len; i++)
    {
      const Channel *channel = &g_array_index (traces->channels, Channel, i);
      JsonObject *item;

      if (!channel->is_wanted)
        continue;

      item = json_object_new ();
      json_object_set_string_member (item, "name", channel->name);
      _ts_json_set_text (item, "type", channel->type);
      _ts_json_set_text (item, "unit", channel->unit);
      _ts_json_set_text (item, "display", channel->display);
      json_object_set_int_member (item, "object_id", channel->object);
      json_object_set_object_member (legend, channel->code, item);
    }

  json_object_set_object_member (traces->query->answer, "trace_legend", legend);
}

static void
set_figures (JsonObject *item,
             const Moments *moments,
             guint64 hz)
{
  double n = (double) moments->count;
  gint64 span = moments->last_time - moments->first_time;

  json_object_set_int_member (item, "count", (gint64) moments->count);
  _ts_json_set_real (item, "min", n > 0.0 ? moments->min : NAN);
  _ts_json_set_real (item, "max", n > 0.0 ? moments->max : NAN);
  _ts_json_set_real (item, "mean", n > 0.0 ? moments->mean : NAN);
  _ts_json_set_real (item, "last", n > 0.0 ? moments->last : NAN);
  _ts_json_set_real (item, "rms", n > 0.0 ? sqrt (moments->sum_squares / n) : NAN);
  _ts_json_set_real (item, "std_dev", n > 0.0 ? sqrt (MAX (moments->m2 / n, 0.0)) : NAN);
  _ts_json_set_real (item, "rate_hz", span > 0 ? (n - 1.0) * (double) hz / (double) span : NAN);
}

/* The same figures of the whole recording, from the writer's table. */
static gboolean
figures_from_table (Traces *traces,
                    JsonObject *item,
                    guint32 object)
{
  static const char * const names[]
      = { "count", "min", "max", "mean", "last", "rms", "std_dev", "rate_hz" };
  sqlite3 *db = _ts_recording_begin_read (traces->query->recording, TS_QUERY_LIMIT_US,
                                          traces->query->cancellable);
  sqlite3_stmt *stmt = NULL;
  gboolean found = FALSE;

  if (db != NULL
      && sqlite3_prepare_v2 (db,
                             "SELECT count,min,max,mean,last,rms,std_dev,rate_hz FROM "
                             "va_trace_stats WHERE object_id=?1",
                             -1, &stmt, NULL)
             == SQLITE_OK)
    {
      sqlite3_bind_int64 (stmt, 1, object);
      found = sqlite3_step (stmt) == SQLITE_ROW;
      for (int i = 0; found && i < (int) G_N_ELEMENTS (names); i++)
        _ts_json_set_column (item, names[i], stmt, i);
    }

  sqlite3_finalize (stmt);
  _ts_recording_end_read (traces->query->recording);
  return found;
}

static gboolean
collect_sample (guint64 row,
                const TsEvent *event,
                gpointer user_data)
{
  Traces *traces = user_data;
  Channel *channel;

  if (!is_sample (event))
    return TRUE;
  channel = g_hash_table_lookup (traces->by_object, GUINT_TO_POINTER (event->object));
  if (channel == NULL)
    return TRUE;

  add_sample (&channel->whole, event->time, ts_event_get_double (event));
  if (channel->buckets != NULL)
    {
      while (traces->bucket + 1 < traces->query->n_buckets
             && event->time >= traces->edges[traces->bucket + 1])
        traces->bucket++;
      add_sample (&channel->buckets[traces->bucket], event->time, ts_event_get_double (event));
    }

  if (traces->samples != NULL)
    {
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "channel", channel->code);
      _ts_json_set_real (item, "t_us",
                         (double) ts_recording_ticks_to_ns (traces->query->recording, event->time)
                             / 1000.0);
      if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
        _ts_json_set_real (item, "value", ts_event_get_double (event));
      else
        json_object_set_int_member (item, "value", event->value);
      json_array_add_object_element (traces->samples, item);
      traces->query->reached_us
          = ts_recording_ticks_to_us (traces->query->recording, event->time);
      return json_array_get_length (traces->samples) <= traces->query->max_rows;
    }

  return TRUE;
}

static gboolean
scan (Traces *traces,
      GError **error)
{
  TsQueryOptions options = *traces->query->options;
  TsEventFilter filter;
  gboolean ok;

  options.kinds = NULL;
  options.lanes = NULL;
  if (!_ts_event_filter_init (&filter, traces->query->recording, &options, error))
    return FALSE;

  ok = _ts_event_filter_scan (&filter, traces->query->recording, TS_QUERY_LIMIT_US, collect_sample,
                              traces, traces->query->cancellable, error);
  _ts_event_filter_clear (&filter);
  return ok;
}

/* The answer's `channels`, by code, and `traces`, a list of the same. */
static gboolean
run_summary (Traces *traces,
             GError **error)
{
  TsQuery *query = traces->query;
  gboolean from_table = !query->has_window && query->recording->rebuilt == NULL;
  JsonObject *by_code = json_object_new ();
  JsonArray *list = json_array_new ();

  json_object_set_object_member (query->answer, "channels", by_code);
  json_object_set_array_member (query->answer, "traces", list);
  if (!from_table && !scan (traces, error))
    return FALSE;

  for (guint i = 0; i < traces->channels->len; i++)
    {
      const Channel *channel = &g_array_index (traces->channels, Channel, i);
      guint64 hz = ts_recording_get_clock_hz (query->recording);
      JsonObject *figures;
      JsonObject *item;

      if (!channel->is_wanted)
        continue;

      figures = json_object_new ();
      item = json_object_new ();
      json_object_set_string_member (item, "name", channel->name);
      json_object_set_string_member (item, "code", channel->code);
      _ts_json_set_text (item, "type", channel->type);
      _ts_json_set_text (item, "unit", channel->unit);
      if (!from_table || !figures_from_table (traces, figures, channel->object)
          || !figures_from_table (traces, item, channel->object))
        {
          set_figures (figures, &channel->whole, hz);
          set_figures (item, &channel->whole, hz);
        }
      json_object_set_object_member (by_code, channel->code, figures);
      json_array_add_object_element (list, item);
    }

  return TRUE;
}

static gboolean
run_bucketed (Traces *traces,
              GError **error)
{
  TsQuery *query = traces->query;
  guint64 hz = ts_recording_get_clock_hz (query->recording);
  g_autofree gint64 *edges = NULL;
  JsonObject *by_code = json_object_new ();
  JsonArray *list = json_array_new ();

  json_object_set_object_member (query->answer, "channels", by_code);
  json_object_set_array_member (query->answer, "traces", list);
  if (!_ts_query_check_buckets (query, g_hash_table_size (traces->by_object), error))
    return FALSE;

  edges = g_new (gint64, query->n_buckets + 1);
  for (gint64 i = 0; i <= query->n_buckets; i++)
    edges[i] = ts_recording_us_to_ticks (query->recording, query->begin_us + i * query->bucket_us);
  traces->edges = edges;
  for (guint i = 0; i < traces->channels->len; i++)
    {
      Channel *channel = &g_array_index (traces->channels, Channel, i);

      if (channel->is_wanted)
        channel->buckets = g_new0 (Moments, query->n_buckets);
    }

  if (!scan (traces, error))
    return FALSE;

  for (guint i = 0; i < traces->channels->len; i++)
    {
      const Channel *channel = &g_array_index (traces->channels, Channel, i);
      JsonArray *buckets;
      JsonObject *item;

      if (!channel->is_wanted)
        continue;

      buckets = json_array_new ();
      for (gint64 k = 0; k < query->n_buckets; k++)
        {
          JsonObject *bucket = json_object_new ();

          json_object_set_int_member (bucket, "t_us", query->begin_us + k * query->bucket_us);
          set_figures (bucket, &channel->buckets[k], hz);
          json_array_add_object_element (buckets, bucket);
        }

      item = json_object_new ();
      json_object_set_string_member (item, "name", channel->name);
      json_object_set_string_member (item, "code", channel->code);
      json_object_set_array_member (item, "buckets", json_array_ref (buckets));
      json_array_add_object_element (list, item);
      json_object_set_array_member (by_code, channel->code, buckets);
    }

  return TRUE;
}

static gboolean
run_raw (Traces *traces,
         GError **error)
{
  traces->samples = json_array_new ();
  json_object_set_array_member (traces->query->answer, "samples", traces->samples);

  return scan (traces, error)
         && _ts_query_check_budget (traces->query, json_array_get_length (traces->samples),
                                    _("samples"), error);
}

gboolean
_ts_query_user_traces (TsQuery *query,
                       GError **error)
{
  g_autoptr (GArray) channels = g_array_new (FALSE, TRUE, sizeof (Channel));
  g_autoptr (GHashTable) by_object = g_hash_table_new (NULL, NULL);
  Traces traces = { .query = query, .channels = channels, .by_object = by_object };

  g_array_set_clear_func (channels, channel_clear);
  load_channels (&traces);
  if (!select_channels (&traces, error))
    return FALSE;

  add_legend (&traces);
  switch (query->tier)
    {
    case TS_TIER_BUCKETED:
      return run_bucketed (&traces, error);

    case TS_TIER_RAW:
      return run_raw (&traces, error);

    default:
      return run_summary (&traces, error);
    }
}
