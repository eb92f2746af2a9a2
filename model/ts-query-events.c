/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-events.c: how many events of which kind, when, and the events themselves. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"

#define N_KINDS 0x400
#define N_TOP 20

typedef struct
{
  guint64 total;
  guint64 kinds[N_KINDS];
  GHashTable *objects; /* id to count + 1 as pointer */
} Counts;

static void
add_count (Counts *counts,
           guint kind,
           guint64 n)
{
  counts->total += n;
  if (kind < N_KINDS)
    counts->kinds[kind] += n;
}

static void
add_object_count (Counts *counts,
                  guint32 object,
                  guint64 n)
{
  if (object != 0)
    {
      gpointer key = GUINT_TO_POINTER (object);
      gsize before = GPOINTER_TO_SIZE (g_hash_table_lookup (counts->objects, key));

      g_hash_table_insert (counts->objects, key, GSIZE_TO_POINTER (before + n));
    }
}

static gboolean
count_event (guint64 row,
             const TsEvent *event,
             gpointer user_data)
{
  Counts *counts = user_data;

  if (ts_event_is_counted (event))
    {
      add_count (counts, event->kind, 1);
      add_object_count (counts, event->object, 1);
    }
  return TRUE;
}

/* A file of others whose events are too many to be kept in memory: SQLite counts them by name. */
static gboolean
count_from_view (TsQuery *query,
                 Counts *counts)
{
  TsRecording *recording = query->recording;
  sqlite3_stmt *stmt = NULL;
  sqlite3 *db;

  if (recording->tables.has_rows || recording->rebuilt != NULL || !recording->tables.has_view)
    return FALSE;

  db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, query->cancellable);
  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT kind,COUNT(*) FROM va_events GROUP BY kind", -1, &stmt,
                             NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          TsEventKind kind = ts_event_kind_from_name ((const char *) sqlite3_column_text (stmt, 0));

          if (!ts_event_kind_is_host_made (kind))
            add_count (counts, kind, (guint64) sqlite3_column_int64 (stmt, 1));
        }
    }

  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
  return TRUE;
}

/* The whole recording from its tables. FALSE if they are missing or cannot tell. */
static gboolean
count_from_tables (TsQuery *query,
                   const TsEventFilter *filter,
                   Counts *counts)
{
  sqlite3_stmt *stmt = NULL;
  sqlite3 *db;

  /* An unclosed recording's tables are a second behind its rows; objects by kind are in no table.
   */
  if (!query->recording->tables.has_counts || query->recording->rebuilt != NULL || filter->has_kinds
      || !_ts_event_filter_is_whole (filter, query->recording))
    return FALSE;

  db = _ts_recording_begin_read (query->recording, TS_QUERY_LIMIT_US, query->cancellable);
  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT kind,count FROM ts_kind_counts", -1, &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        add_count (counts, (guint) sqlite3_column_int (stmt, 0),
                   (guint64) MAX (sqlite3_column_int64 (stmt, 1), 0));
    }
  g_clear_pointer (&stmt, sqlite3_finalize);

  if (db != NULL
      && sqlite3_prepare_v2 (db, "SELECT object,count FROM ts_object_counts", -1, &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        add_object_count (counts, (guint32) sqlite3_column_int64 (stmt, 0),
                          (guint64) MAX (sqlite3_column_int64 (stmt, 1), 0));
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (query->recording);
  return db != NULL;
}

typedef struct
{
  guint32 object;
  guint64 n;
} TopObject;

static int
compare_top (gconstpointer a,
             gconstpointer b)
{
  const TopObject *left = a;
  const TopObject *right = b;

  if (left->n != right->n)
    return left->n > right->n ? -1 : 1;
  return left->object < right->object ? -1 : 1;
}

static void
add_top_objects (TsQuery *query,
                 const Counts *counts)
{
  g_autoptr (GArray) top = g_array_new (FALSE, FALSE, sizeof (TopObject));
  JsonArray *array = json_array_new ();
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_hash_table_iter_init (&iter, counts->objects);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      TopObject object = { GPOINTER_TO_UINT (key), GPOINTER_TO_SIZE (value) };

      g_array_append_val (top, object);
    }
  g_array_sort (top, compare_top);

  for (guint i = 0; i < MIN (top->len, N_TOP); i++)
    {
      const TopObject *entry = &g_array_index (top, TopObject, i);
      const TsObject *object = ts_recording_get_object (query->recording, entry->object);
      JsonObject *item = json_object_new ();

      json_object_set_int_member (item, "object_id", entry->object);
      _ts_json_set_text (item, "name", object != NULL ? object->name : NULL);
      _ts_json_set_text (item, "type",
                         object != NULL ? ts_object_type_get_name (object->type) : NULL);
      json_object_set_int_member (item, "count", (gint64) entry->n);
      json_array_add_object_element (array, item);
    }

  json_object_set_array_member (query->answer, "top_objects", array);
}

static void
add_kind_counts (JsonObject *answer,
                 const char *key,
                 const Counts *counts)
{
  JsonObject *by_kind = json_object_new ();

  for (guint kind = 0; kind < N_KINDS; kind++)
    {
      const char *name = ts_event_kind_get_name ((TsEventKind) kind);

      if (counts->kinds[kind] > 0 && name != NULL)
        json_object_set_int_member (by_kind, name, (gint64) counts->kinds[kind]);
    }

  json_object_set_object_member (answer, key, by_kind);
}

static gboolean
run_summary (TsQuery *query,
             const TsEventFilter *filter,
             GError **error)
{
  g_autofree Counts *counts = g_new0 (Counts, 1);
  g_autoptr (GHashTable) objects = g_hash_table_new (NULL, NULL);

  counts->objects = objects;
  if (!count_from_tables (query, filter, counts) && !count_from_view (query, counts)
      && !_ts_event_filter_scan (filter, query->recording, TS_QUERY_LIMIT_US, count_event, counts,
                                 query->cancellable, error))
    return FALSE;

  json_object_set_int_member (query->answer, "total", (gint64) counts->total);
  add_kind_counts (query->answer, "by_kind", counts);
  add_kind_counts (query->answer, "counts_by_kind", counts);
  add_top_objects (query, counts);
  return TRUE;
}

typedef struct
{
  TsQuery *query;
  const gint64 *edges; /* n_buckets + 1 */
  gint64 bucket;
  guint64 *counts;
} Buckets;

static gboolean
count_in_bucket (guint64 row,
                 const TsEvent *event,
                 gpointer user_data)
{
  Buckets *buckets = user_data;

  if (!ts_event_is_counted (event))
    return TRUE;

  /* Events come in order of time. */
  while (buckets->bucket + 1 < buckets->query->n_buckets
         && event->time >= buckets->edges[buckets->bucket + 1])
    buckets->bucket++;
  buckets->counts[buckets->bucket]++;
  return TRUE;
}

static gboolean
run_bucketed (TsQuery *query,
              const TsEventFilter *filter,
              GError **error)
{
  g_autofree gint64 *edges = NULL;
  g_autofree guint64 *counts = NULL;
  Buckets buckets = { .query = query };
  JsonArray *array;

  if (!_ts_query_check_buckets (query, 1, error))
    return FALSE;

  edges = g_new (gint64, query->n_buckets + 1);
  counts = g_new0 (guint64, query->n_buckets);
  for (gint64 i = 0; i <= query->n_buckets; i++)
    edges[i] = ts_recording_us_to_ticks (query->recording, query->begin_us + i * query->bucket_us);

  buckets.edges = edges;
  buckets.counts = counts;
  if (!_ts_event_filter_scan (filter, query->recording, TS_QUERY_LIMIT_US, count_in_bucket,
                              &buckets, query->cancellable, error))
    return FALSE;

  array = json_array_new ();
  for (gint64 i = 0; i < query->n_buckets; i++)
    {
      JsonObject *item = json_object_new ();

      json_object_set_int_member (item, "t_us", query->begin_us + i * query->bucket_us);
      json_object_set_int_member (item, "count", (gint64) counts[i]);
      json_array_add_object_element (array, item);
    }

  json_object_set_array_member (query->answer, "buckets", array);
  return TRUE;
}

typedef struct
{
  TsQuery *query;
  JsonArray *array;
} Rows;

static gboolean
add_row (guint64 row,
         const TsEvent *event,
         gpointer user_data)
{
  Rows *rows = user_data;
  JsonObject *item;

  item = json_object_new ();
  _ts_json_set_event (item, rows->query->recording, row, event);
  json_array_add_object_element (rows->array, item);
  rows->query->reached_us = ts_recording_ticks_to_us (rows->query->recording, event->time);
  return json_array_get_length (rows->array) <= rows->query->max_rows;
}

static gboolean
run_raw (TsQuery *query,
         const TsEventFilter *filter,
         GError **error)
{
  Rows rows = { .query = query, .array = json_array_new () };

  json_object_set_array_member (query->answer, "events", rows.array);
  if (!_ts_event_filter_scan (filter, query->recording, TS_QUERY_LIMIT_US, add_row, &rows,
                              query->cancellable, error)
      || !_ts_query_check_budget (query, json_array_get_length (rows.array), _("events"), error))
    return FALSE;

  json_object_set_int_member (query->answer, "count", json_array_get_length (rows.array));
  return TRUE;
}

gboolean
_ts_query_events (TsQuery *query,
                  GError **error)
{
  TsEventFilter filter;
  gboolean ok;

  if (!_ts_event_filter_init (&filter, query->recording, query->options, error))
    return FALSE;

  ok = query->tier == TS_TIER_SUMMARY    ? run_summary (query, &filter, error)
       : query->tier == TS_TIER_BUCKETED ? run_bucketed (query, &filter, error)
                                         : run_raw (query, &filter, error);
  _ts_event_filter_clear (&filter);
  return ok;
}
