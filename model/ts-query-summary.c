/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-summary.c: a recording in one object. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-query-private.h"

/* Keys of the key/value tables and their names in the answer. Source: viewalyzer-host.md
 * section 3.7, `summary` */
static const struct
{
  const char *table;
  const char *key;
  const char *name;
  char type; /* i: integer, r: real, s: text */
} members[] = {
  { "va_summary", "context_switches", "context_switches", 'i' },
  { "va_summary", "preemptions", "preemptions", 'i' },
  { "va_summary", "cpu_load_percent", "cpu_load_pct", 'r' },
  { "va_summary", "lost_events", "lost_events", 'i' },
  { "va_summary", "seq_gaps", "seq_gaps", 'i' },
  { "va_summary", "seq_present", "seq_present", 'i' },
  { "va_summary", "corrupt_bytes", "corrupt_bytes", 'i' },
  { "va_summary", "bytes_per_s_avg", "bytes_per_s_avg", 'r' },
  { "va_summary", "bytes_per_s_peak", "bytes_per_s_peak", 'r' },
  { "health", "raw_bytes", "raw_bytes", 'i' },
  { "health", "sessions", "sessions", 'i' },
  { "health", "end_reason", "end_reason", 's' },
  { "meta", "va_os", "os", 's' },
  { "meta", "capture_source", "capture_source", 's' },
  { "meta", "created_utc", "created_utc", 's' },
};

/* Classes of events, for a person's first look. */
static const char *
get_class (TsEventKind kind)
{
  switch (kind)
    {
    case TS_EVENT_TASK_SWITCH:
    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_TASK_STATE:
    case TS_EVENT_TASK_PRIORITY:
    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_SLEEP:
    case TS_EVENT_THREAD_STATE:
    case TS_EVENT_PROCESS:
      return "tasks";

    case TS_EVENT_ISR:
    case TS_EVENT_DWT_EXC:
      return "interrupts";

    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_USER_EVENT:
    case TS_EVENT_STRING:
    case TS_EVENT_GPIO:
    case TS_EVENT_COUNTER:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
    case TS_EVENT_ITM_TEXT:
    case TS_EVENT_ITM_DATA:
      return "user";

    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_HEAP_FAIL:
    case TS_EVENT_MEM_SLAB:
      return "memory";

    case TS_EVENT_TIMER:
    case TS_EVENT_TIMER_ARM:
    case TS_EVENT_TIMER_CALLBACK:
    case TS_EVENT_WORK:
      return "timers";

    case TS_EVENT_TASK_NOTIFY:
    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_MUTEX:
    case TS_EVENT_QUEUE:
    case TS_EVENT_MUTEX_CONTENTION:
    case TS_EVENT_EVENT_FLAG:
    case TS_EVENT_OP_FAILED:
    case TS_EVENT_STREAM_BUFFER:
    case TS_EVENT_CONDVAR:
    case TS_EVENT_POLL:
    case TS_EVENT_QUEUE_DETAILS:
    case TS_EVENT_NOTIFY_DETAILS:
    case TS_EVENT_FLAG_DETAILS:
      return "sync";

    default:
      return "other";
    }
}

static void
add_keys (JsonObject *data,
          sqlite3 *db)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      g_autofree char *text = _ts_db_dup_key (db, members[i].table, members[i].key);

      if (text == NULL)
        json_object_set_null_member (data, members[i].name);
      else if (members[i].type == 'i')
        json_object_set_int_member (data, members[i].name, g_ascii_strtoll (text, NULL, 10));
      else if (members[i].type == 'r')
        _ts_json_set_real (data, members[i].name, g_ascii_strtod (text, NULL));
      else
        json_object_set_string_member (data, members[i].name, text);
    }
}

static void
add_count (JsonObject *classes,
           TsEventKind kind,
           gint64 count)
{
  const char *name = get_class (kind);
  gint64 before = json_object_get_int_member_with_default (classes, name, 0);
  gint64 sum;

  /* Counts of a damaged recording are anything. */
  if (__builtin_add_overflow (before, count, &sum))
    sum = G_MAXINT64;
  json_object_set_int_member (classes, name, sum);
}

static void
add_counts (TsQuery *query,
            JsonObject *data,
            sqlite3 *db)
{
  const TsRebuilt *rebuilt = query->recording->rebuilt;
  const GArray *counts = rebuilt != NULL ? rebuilt->kind_counts : NULL;
  JsonObject *classes = json_object_new ();
  sqlite3_stmt *stmt = NULL;

  json_object_set_object_member (data, "events_by_class", classes);
  for (guint kind = 0; counts != NULL && kind < counts->len; kind++)
    if (g_array_index (counts, guint64, kind) > 0)
      add_count (classes, kind, (gint64) g_array_index (counts, guint64, kind));
  if (counts == NULL && query->recording->tables.has_counts
      && sqlite3_prepare_v2 (
             db, "SELECT kind, SUM(count) FROM ts_kind_counts GROUP BY kind ORDER BY kind", -1,
             &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        add_count (classes, (TsEventKind) (sqlite3_column_int (stmt, 0) & 0xFFFF),
                   sqlite3_column_int64 (stmt, 1));
    }

  sqlite3_finalize (stmt);
}

gboolean
_ts_query_summary (TsQuery *query,
                   GError **error)
{
  TsRecording *recording = query->recording;
  JsonObject *data = _ts_query_add_data (query);
  gint64 duration = ts_recording_get_duration (recording);
  guint n_tasks = 0;
  guint n_isrs = 0;
  GHashTableIter iter;
  gpointer value;
  sqlite3 *db;

  g_hash_table_iter_init (&iter, recording->objects);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      n_tasks += ((TsObject *) value)->type == TS_OBJECT_TASK;
      n_isrs += ((TsObject *) value)->type == TS_OBJECT_ISR
                || ((TsObject *) value)->type == TS_OBJECT_EXCEPTION;
    }

  json_object_set_int_member (data, "duration_us", ts_recording_ticks_to_us (recording, duration));
  json_object_set_int_member (data, "events", (gint64) ts_recording_get_n_events (recording));
  json_object_set_int_member (data, "cpu_hz", (gint64) ts_recording_get_clock_hz (recording));
  json_object_set_int_member (data, "tasks", n_tasks);
  json_object_set_int_member (data, "interrupts", n_isrs);

  db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, query->cancellable);
  if (db != NULL)
    {
      json_object_set_int_member (data, "channels",
                                  _ts_db_get_int (db, "SELECT COUNT(*) FROM va_trace_stats", 0));
      add_keys (data, db);
      add_counts (query, data, db);
    }
  _ts_recording_end_read (recording);
  return _ts_query_check_cancelled (query->cancellable, error);
}
