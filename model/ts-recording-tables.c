/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-tables.c: the writer's small tables: keys, objects, lanes and statistics, kept in
 * memory and written now and then. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-recording-writer-private.h"

void
_ts_key_table_init (TsKeyTable *self,
                    const char *name)
{
  self->name = name;
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->dirty = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
_ts_key_table_clear (TsKeyTable *self)
{
  g_clear_pointer (&self->values, g_hash_table_unref);
  g_clear_pointer (&self->dirty, g_hash_table_unref);
}

/* A value of %NULL removes the row. */
void
_ts_key_table_set (TsKeyTable *self,
                   const char *key,
                   const char *value)
{
  if (g_strcmp0 (g_hash_table_lookup (self->values, key), value) == 0)
    return;

  if (value != NULL)
    g_hash_table_replace (self->values, g_strdup (key), g_utf8_make_valid (value, -1));
  else
    g_hash_table_remove (self->values, key);

  g_hash_table_add (self->dirty, g_strdup (key));
}

void
_ts_key_table_set_uint (TsKeyTable *self,
                        const char *key,
                        guint64 value)
{
  char text[24];

  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  _ts_key_table_set (self, key, text);
}

/* Up to six decimals, no exponent: readers take digits with a point for a float. */
void
_ts_key_table_set_double (TsKeyTable *self,
                          const char *key,
                          double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    value = 0.0;
  _ts_key_table_set (self, key, g_ascii_formatd (text, sizeof text, "%.6f", value));
}

const char *
_ts_key_table_get (TsKeyTable *self,
                   const char *key)
{
  return g_hash_table_lookup (self->values, key);
}

gint64
_ts_key_table_get_int (TsKeyTable *self,
                       const char *key,
                       gint64 fallback)
{
  const char *text = _ts_key_table_get (self, key);
  char *end = NULL;
  gint64 value;

  if (text == NULL)
    return fallback;

  value = g_ascii_strtoll (text, &end, 10);
  return end != text ? value : fallback;
}

/* Writes the changed rows. Returns SQLite's code. */
int
_ts_key_table_write (TsKeyTable *self,
                     sqlite3 *db)
{
  g_autofree char *replace = NULL;
  g_autofree char *remove = NULL;
  GHashTableIter iter;
  gpointer key;
  int rc = SQLITE_OK;

  if (g_hash_table_size (self->dirty) == 0)
    return SQLITE_OK;

  replace = g_strdup_printf ("INSERT OR REPLACE INTO %s(key,value) VALUES(?1,?2)", self->name);
  remove = g_strdup_printf ("DELETE FROM %s WHERE key=?1", self->name);

  g_hash_table_iter_init (&iter, self->dirty);
  while (rc == SQLITE_OK && g_hash_table_iter_next (&iter, &key, NULL))
    {
      const char *value = g_hash_table_lookup (self->values, key);
      sqlite3_stmt *stmt = NULL;

      rc = sqlite3_prepare_v2 (db, value != NULL ? replace : remove, -1, &stmt, NULL);
      if (rc == SQLITE_OK)
        {
          sqlite3_bind_text (stmt, 1, key, -1, SQLITE_STATIC);
          if (value != NULL)
            sqlite3_bind_text (stmt, 2, value, -1, SQLITE_STATIC);
          sqlite3_step (stmt);
          rc = sqlite3_finalize (stmt);
        }
    }

  if (rc == SQLITE_OK)
    g_hash_table_remove_all (self->dirty);
  return rc;
}

static void
bind_known (sqlite3_stmt *stmt,
            int column,
            gint64 value,
            gint64 unknown)
{
  if (value != unknown)
    sqlite3_bind_int64 (stmt, column, value);
  else
    sqlite3_bind_null (stmt, column);
}

static void
bind_us (sqlite3_stmt *stmt,
         int column,
         gboolean is_known,
         double ticks,
         double hz)
{
  if (is_known)
    sqlite3_bind_double (stmt, column, ticks * 1e6 / hz);
  else
    sqlite3_bind_null (stmt, column);
}

static int
step_and_reset (sqlite3_stmt *stmt)
{
  int rc = sqlite3_step (stmt);

  sqlite3_reset (stmt);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/**
 * _ts_writer_write_objects:
 * @self: a writer
 *
 * Writes the objects that are new or changed since the last commit.
 *
 * Thread: owner
 */
gboolean
_ts_writer_write_objects (TsRecordingWriter *self)
{
  for (guint i = 0; i < self->dirty_objects->len; i++)
    {
      guint32 id = g_array_index (self->dirty_objects, guint32, i);
      const TsObject *object = g_ptr_array_index (self->objects, id - 1);
      sqlite3_stmt *stmt = self->upsert_object;

      sqlite3_bind_int64 (stmt, 1, object->id);
      sqlite3_bind_text (stmt, 2, ts_object_type_get_name (object->type), -1, SQLITE_STATIC);
      bind_known (stmt, 3, object->wire_id, -1);
      sqlite3_bind_text (stmt, 4, object->name, -1, SQLITE_STATIC);
      bind_known (stmt, 5, object->priority, TS_OBJECT_UNKNOWN);
      bind_known (stmt, 6, object->base_priority, TS_OBJECT_UNKNOWN);
      bind_known (stmt, 7, object->stack_bytes, TS_OBJECT_UNKNOWN);
      bind_known (stmt, 8, object->capacity, TS_OBJECT_UNKNOWN);
      bind_known (stmt, 9, object->address, TS_OBJECT_UNKNOWN);
      sqlite3_bind_text (stmt, 10, object->unit, -1, SQLITE_STATIC);
      sqlite3_bind_text (stmt, 11, object->display, -1, SQLITE_STATIC);
      sqlite3_bind_int (stmt, 12, object->core);
      sqlite3_bind_int (stmt, 13, object->is_named != FALSE);
      sqlite3_bind_int (stmt, 14, object->is_idle != FALSE);

      if (!_ts_writer_check (self, step_and_reset (stmt)))
        return FALSE;
      self->object_is_dirty->data[id - 1] = 0;
    }

  g_array_set_size (self->dirty_objects, 0);
  return TRUE;
}

/* Stores what a node tells of its slices under the key of its blob. */
static gboolean
write_beside (TsRecordingWriter *self,
              sqlite3_stmt *stmt,
              gint64 key,
              GBytes *what)
{
  gsize n_bytes = 0;
  gconstpointer bytes;
  int rc;

  if (what == NULL)
    return TRUE;
  bytes = g_bytes_get_data (what, &n_bytes);
  sqlite3_bind_int64 (stmt, 1, key);
  sqlite3_bind_blob64 (stmt, 2, bytes, n_bytes, SQLITE_STATIC);
  rc = step_and_reset (stmt);
  sqlite3_clear_bindings (stmt);
  return _ts_writer_check (self, rc);
}

static gboolean
write_figures (TsRecordingWriter *self,
               const TsNodeInfo *info)
{
  g_autoptr (GBytes) figures = ts_lane_store_dup_figures (self->store, info);
  g_autoptr (GBytes) sections = ts_lane_store_dup_sections (self->store, info);

  return write_beside (self, self->insert_figures, info->blob, figures)
         && write_beside (self, self->insert_sections, info->blob, sections);
}

/* Stores what full blocks of rows hold. */
static gboolean
write_row_blocks (TsRecordingWriter *self)
{
  GBytes *block;

  while ((block = g_queue_pop_head (&self->row_blocks)) != NULL)
    {
      sqlite3_stmt *stmt = self->insert_row_block;
      gsize n_bytes = 0;
      gconstpointer bytes = g_bytes_get_data (block, &n_bytes);
      int rc;

      sqlite3_bind_int64 (stmt, 1, (gint64) (self->n_row_blocks++ * TS_ROW_BLOCK + 1));
      sqlite3_bind_blob64 (stmt, 2, bytes, n_bytes, SQLITE_STATIC);
      rc = step_and_reset (stmt);
      sqlite3_clear_bindings (stmt);
      g_bytes_unref (block);
      if (!_ts_writer_check (self, rc))
        return FALSE;
    }
  return TRUE;
}

/* Stores who gave what to whom, as far as it is known. */
static gboolean
write_comms (TsRecordingWriter *self)
{
  TsCommsFeed *comms = ts_tracker_get_comms (self->tracker);

  /* What waits is in none of it yet. */
  if (_ts_hold_is_waiting (&self->hold))
    return TRUE;
  return comms == NULL || _ts_writer_check (self, _ts_comms_feed_save (comms, self->db));
}

/**
 * _ts_writer_write_nodes:
 * @self: a writer
 *
 * Stores the parts of lanes that were sealed since the last time, what full blocks of rows hold,
 * and what was matched of operations.
 *
 * Thread: owner
 */
gboolean
_ts_writer_write_nodes (TsRecordingWriter *self)
{
  TsNodeInfo info;
  GBytes *blob = NULL;

  while (ts_lane_store_next_unsaved (self->store, &info, &blob))
    {
      gsize n_bytes = 0;
      gconstpointer bytes = g_bytes_get_data (blob, &n_bytes);
      sqlite3_stmt *stmt = self->insert_blob;
      int rc;

      sqlite3_bind_blob64 (stmt, 1, bytes != NULL ? bytes : "", n_bytes, SQLITE_STATIC);
      rc = step_and_reset (stmt);
      sqlite3_clear_bindings (stmt);
      g_clear_pointer (&blob, g_bytes_unref);
      if (!_ts_writer_check (self, rc))
        return FALSE;

      info.blob = sqlite3_last_insert_rowid (self->db);
      stmt = self->insert_node;
      sqlite3_bind_int64 (stmt, 1, info.lane);
      sqlite3_bind_int (stmt, 2, info.level);
      sqlite3_bind_int64 (stmt, 3, info.seq);
      sqlite3_bind_int (stmt, 4, info.width_log2);
      sqlite3_bind_int64 (stmt, 5, (gint64) info.n_slices);
      sqlite3_bind_int64 (stmt, 6, info.begin);
      sqlite3_bind_int64 (stmt, 7, info.end);
      sqlite3_bind_int64 (stmt, 8, info.blob);
      if (!_ts_writer_check (self, step_and_reset (stmt)) || !write_figures (self, &info))
        return FALSE;

      ts_lane_store_set_blob (self->store, &info, info.blob);
    }

  return write_row_blocks (self) && write_comms (self);
}

static double
writer_hz (TsRecordingWriter *self)
{
  return self->clock_hz > 0 ? (double) self->clock_hz : (double) TS_SCHEMA_DEFAULT_HZ;
}

/* Time in which a core's state is known; the whole where the tracker cannot tell. */
static double
core_span (TsRecordingWriter *self,
           guint core)
{
  TsCoreStats stats = { 0 };

  if (core < ts_tracker_get_n_cores (self->tracker))
    ts_tracker_get_core_stats (self->tracker, core, &stats);

  return (double) (stats.known_ticks > 0 ? stats.known_ticks : self->last_time);
}

/* Health values that va_summary repeats. Source: viewalyzer-host.md section 1.3. */
static void
mirror_health (TsRecordingWriter *self)
{
  gboolean has_seq = _ts_key_table_get_int (&self->health, "seq_present", 0) != 0;

  _ts_key_table_set (&self->health, "seq_present", has_seq ? "1" : "0");
  _ts_key_table_set (&self->summary, "seq_present", has_seq ? "1" : "0");
  _ts_key_table_set_uint (
      &self->summary, "corrupt_bytes",
      (guint64) MAX (_ts_key_table_get_int (&self->health, "corrupt_bytes", 0), 0));

  for (guint i = 0; i < 2; i++)
    {
      const char *key = i == 0 ? "lost_events" : "seq_gaps";

      if (!has_seq)
        {
          _ts_key_table_set (&self->summary, key, NULL);
          _ts_key_table_set (&self->health, key, NULL);
          continue;
        }

      if (_ts_key_table_get (&self->health, key) == NULL)
        _ts_key_table_set (&self->health, key, "0");
      _ts_key_table_set (&self->summary, key, _ts_key_table_get (&self->health, key));
    }
}

/* Shows live readers what is in the tables of keys. */
void
_ts_writer_publish_keys (TsRecordingWriter *self)
{
  const TsKeyTable *tables[] = { &self->meta, &self->health, &self->summary };
  GHashTable *keys;

  if (self->live == NULL)
    return;
  keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      GHashTableIter iter;
      gpointer key;
      gpointer value;

      g_hash_table_iter_init (&iter, tables[i]->values);
      while (g_hash_table_iter_next (&iter, &key, &value))
        g_hash_table_insert (keys, g_strconcat (tables[i]->name, ".", key, NULL), g_strdup (value));
    }
  _ts_live_take_keys (self->live, keys);
}

/**
 * _ts_writer_write_summary:
 * @self: a writer
 *
 * Brings health, va_summary and meta up to date: a few rows, at every commit, so that a killed
 * writer leaves true totals.
 *
 * Thread: owner
 */
gboolean
_ts_writer_write_summary (TsRecordingWriter *self)
{
  guint n_cores = ts_tracker_get_n_cores (self->tracker);
  double hz = writer_hz (self);
  double seconds = (double) self->last_time / hz;
  double busy = 0.0;
  double known = 0.0;
  guint64 switches = 0;
  guint64 preemptions = 0;
  double average = seconds > 0.0 ? (double) self->throughput.total / seconds : 0.0;

  for (guint core = 0; core < n_cores; core++)
    {
      TsCoreStats stats = { 0 };

      ts_tracker_get_core_stats (self->tracker, core, &stats);
      busy += (double) stats.busy_ticks;
      known += (double) stats.known_ticks;
      switches += stats.context_switches;
      preemptions += stats.preemptions;
    }

  _ts_key_table_set_uint (&self->health, "total_events", self->n_events);
  if (self->throughput.total > 0 || _ts_key_table_get (&self->health, "raw_bytes") == NULL)
    _ts_key_table_set_uint (&self->health, "raw_bytes", self->throughput.total);
  mirror_health (self);

  _ts_key_table_set_uint (&self->summary, "total_events", self->n_events);
  _ts_key_table_set_double (&self->summary, "cpu_load_percent",
                            known > 0.0 ? 100.0 * busy / known : 0.0);
  _ts_key_table_set_uint (&self->summary, "context_switches", switches);
  _ts_key_table_set_uint (&self->summary, "preemptions", preemptions);
  _ts_key_table_set_double (&self->summary, "span_seconds", seconds);
  _ts_key_table_set_double (&self->summary, "bytes_per_s_avg", average);
  _ts_key_table_set_double (
      &self->summary, "bytes_per_s_peak",
      MAX (average, (double) MAX (self->throughput.peak, self->throughput.in_second)));

  return _ts_writer_check (self, _ts_key_table_write (&self->meta, self->db))
         && _ts_writer_check (self, _ts_key_table_write (&self->health, self->db))
         && _ts_writer_check (self, _ts_key_table_write (&self->summary, self->db));
}

static const TsObject *
find_object (TsRecordingWriter *self,
             guint32 id)
{
  return id > 0 && id <= self->objects->len ? g_ptr_array_index (self->objects, id - 1) : NULL;
}

static guint
stats_core (const TsTaskStats *stats,
            const TsObject *object)
{
  return object != NULL ? object->core : (stats->lane & 0xFF);
}

static int
write_task_stats (TsRecordingWriter *self)
{
  guint n_stats = 0;
  const TsTaskStats *all = ts_tracker_get_task_stats (self->tracker, &n_stats);
  double hz = writer_hz (self);
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_exec (self->db, "DELETE FROM va_task_stats", NULL, NULL, NULL);

  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2 (
        self->db, "INSERT INTO va_task_stats VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
        &stmt, NULL);

  for (guint i = 0; rc == SQLITE_OK && i < n_stats; i++)
    {
      const TsTaskStats *stats = &all[i];
      const TsObject *object = find_object (self, stats->object);
      g_autofree char *name
          = object != NULL ? ts_object_dup_lane_name (object) : g_strdup ("_RTOS_");
      guint core = stats_core (stats, object);
      double span = core_span (self, core);
      double period
          = stats->n_periods > 0 ? (double) stats->sum_period / (double) stats->n_periods : 0.0;
      gboolean has_runs = stats->n_runs > 0;

      sqlite3_bind_text (stmt, 1, name, -1, SQLITE_TRANSIENT);
      sqlite3_bind_double (stmt, 2, span > 0.0 ? 100.0 * (double) stats->run_ticks / span : 0.0);
      sqlite3_bind_int64 (stmt, 3, (gint64) stats->run_count);
      bind_us (stmt, 4, stats->n_periods > 0, period, hz);
      bind_us (stmt, 5, stats->n_periods > 0, (double) stats->min_period - period, hz);
      bind_us (stmt, 6, stats->n_periods > 0, (double) stats->max_period - period, hz);
      bind_known (stmt, 7, object != NULL ? object->priority : TS_OBJECT_UNKNOWN,
                  TS_OBJECT_UNKNOWN);
      bind_known (stmt, 8, stats->stack_used, -1);
      sqlite3_bind_int64 (stmt, 9, (gint64) stats->mutex_contentions);
      bind_known (stmt, 10, stats->object, 0);
      sqlite3_bind_text (stmt, 11, object != NULL ? ts_object_type_get_name (object->type) : "rtos",
                         -1, SQLITE_STATIC);
      sqlite3_bind_int64 (stmt, 12, stats->run_ticks);
      bind_us (stmt, 13, has_runs, (double) stats->min_ticks, hz);
      bind_us (stmt, 14, has_runs,
               has_runs ? (double) stats->sum_ticks / (double) stats->n_runs : 0.0, hz);
      bind_us (stmt, 15, has_runs, (double) stats->max_ticks, hz);
      sqlite3_bind_int64 (stmt, 16, (gint64) stats->preemptions);
      sqlite3_bind_int (stmt, 17, (int) core);
      sqlite3_bind_int64 (stmt, 18, stats->lane);
      rc = step_and_reset (stmt);
    }

  sqlite3_finalize (stmt);
  return rc;
}

static int
write_trace_stats (TsRecordingWriter *self)
{
  guint n_stats = 0;
  const TsTraceStats *all = ts_tracker_get_trace_stats (self->tracker, &n_stats);
  double hz = writer_hz (self);
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2 (
      self->db, "INSERT OR REPLACE INTO va_trace_stats VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
      &stmt, NULL);

  for (guint i = 0; rc == SQLITE_OK && i < n_stats; i++)
    {
      const TsTraceStats *stats = &all[i];
      const TsObject *object = find_object (self, stats->object);
      double n = (double) stats->count;
      double span = (double) (stats->last_time - stats->first_time);

      if (object == NULL || stats->count == 0)
        continue;

      sqlite3_bind_int64 (stmt, 1, stats->object);
      sqlite3_bind_text (stmt, 2, object->name, -1, SQLITE_STATIC);
      sqlite3_bind_text (stmt, 3, ts_object_type_get_name (object->type), -1, SQLITE_STATIC);
      sqlite3_bind_text (stmt, 4, object->unit, -1, SQLITE_STATIC);
      sqlite3_bind_text (stmt, 5, object->display, -1, SQLITE_STATIC);
      sqlite3_bind_int64 (stmt, 6, (gint64) stats->count);
      sqlite3_bind_double (stmt, 7, stats->min);
      sqlite3_bind_double (stmt, 8, stats->max);
      sqlite3_bind_double (stmt, 9, stats->mean);
      sqlite3_bind_double (stmt, 10, stats->last);
      sqlite3_bind_double (stmt, 11, sqrt (MAX (stats->sum_squares / n, 0.0)));
      sqlite3_bind_double (stmt, 12, sqrt (MAX (stats->m2 / n, 0.0)));
      if (span > 0.0)
        sqlite3_bind_double (stmt, 13, (n - 1.0) * hz / span);
      else
        sqlite3_bind_null (stmt, 13);
      sqlite3_bind_int64 (stmt, 14,
                          _ts_scale_ticks (stats->first_time, G_USEC_PER_SEC, self->clock_hz));
      sqlite3_bind_int64 (stmt, 15,
                          _ts_scale_ticks (stats->last_time, G_USEC_PER_SEC, self->clock_hz));
      rc = step_and_reset (stmt);
    }

  sqlite3_finalize (stmt);
  return rc;
}

static int
write_counts (TsRecordingWriter *self)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_exec (self->db, "DELETE FROM ts_kind_counts", NULL, NULL, NULL);

  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2 (self->db, "INSERT INTO ts_kind_counts VALUES(?,?,?)", -1, &stmt, NULL);
  for (int i = 0; rc == SQLITE_OK && i < TS_WRITER_N_KINDS * 3; i++)
    {
      if (self->kind_counts[i] == 0)
        continue;

      sqlite3_bind_int (stmt, 1, i / 3);
      sqlite3_bind_int (stmt, 2, i % 3);
      sqlite3_bind_int64 (stmt, 3, (gint64) self->kind_counts[i]);
      rc = step_and_reset (stmt);
    }
  g_clear_pointer (&stmt, sqlite3_finalize);

  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2 (self->db, "INSERT OR REPLACE INTO ts_object_counts VALUES(?,?)", -1,
                             &stmt, NULL);
  for (guint i = 0; rc == SQLITE_OK && i < self->object_counts->len; i++)
    {
      guint64 n = g_array_index (self->object_counts, guint64, i);

      if (n == 0)
        continue;

      sqlite3_bind_int64 (stmt, 1, i);
      sqlite3_bind_int64 (stmt, 2, (gint64) n);
      rc = step_and_reset (stmt);
    }

  sqlite3_finalize (stmt);
  return rc;
}

static int
write_lanes (TsRecordingWriter *self)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes;
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2 (
      self->db, "INSERT OR REPLACE INTO ts_lanes VALUES(?,?,?,?,?,?,?,?,?,?,?)", -1, &stmt, NULL);

  lanes = ts_lane_store_get_lanes (self->store, &n_lanes);

  for (guint i = 0; rc == SQLITE_OK && i < n_lanes; i++)
    {
      const TsLaneInfo *lane = &lanes[i];

      sqlite3_bind_int64 (stmt, 1, lane->id);
      sqlite3_bind_int (stmt, 2, (int) lane->kind);
      sqlite3_bind_int (stmt, 3, lane->core);
      sqlite3_bind_int64 (stmt, 4, lane->object);
      sqlite3_bind_text (stmt, 5, lane->name, -1, SQLITE_STATIC);
      bind_known (stmt, 6, lane->priority, TS_OBJECT_UNKNOWN);
      sqlite3_bind_int (stmt, 7, lane->is_idle != FALSE);
      sqlite3_bind_text (stmt, 8, ts_object_type_get_name (lane->type), -1, SQLITE_STATIC);
      sqlite3_bind_int64 (stmt, 9, lane->color);
      sqlite3_bind_int64 (stmt, 10, lane->first_seen);
      sqlite3_bind_int64 (stmt, 11, (gint64) lane->n_slices);
      rc = step_and_reset (stmt);
    }

  sqlite3_finalize (stmt);
  return rc;
}

/**
 * _ts_writer_write_statistics:
 * @self: a writer
 *
 * Rewrites the tables of statistics from what the tracker keeps; their size depends on the number
 * of lanes, not of events.
 *
 * Thread: owner
 */
gboolean
_ts_writer_write_statistics (TsRecordingWriter *self)
{
  return _ts_writer_check (self, write_task_stats (self))
         && _ts_writer_check (self, write_trace_stats (self))
         && _ts_writer_check (self, write_counts (self))
         && _ts_writer_check (self, write_lanes (self));
}
