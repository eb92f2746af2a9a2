/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-load.c: reading a recording's small tables; whatever they hold, what comes out is
 * well formed. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-recording-private.h"

#define MAX_OBJECTS 1000000
#define MAX_NAME_BYTES 1024
/* Ids count from 1 in our files; who loops over them must not loop for ever in a hostile one. */
#define MAX_OBJECT_ID (16 << 20)
#define MAX_LANES 1000000
#define MAX_NODES 50000000
#define MAX_DURATION (G_MAXINT64 / 2)
/* What of the small tables and of the texts is kept in memory; a text costs so much more than its
 * bytes. */
#define MAX_KEPT_KEYS 1000
#define MAX_KEPT_TEXT (2 << 20)
#define KEPT_OVERHEAD 64
#define KEEP_LIMIT_US (2 * G_USEC_PER_SEC)

/* Text of a column as valid UTF-8; NULL stays NULL. */
char *
_ts_column_dup_text (sqlite3_stmt *stmt,
                     int column)
{
  const char *text = (const char *) sqlite3_column_text (stmt, column);

  return text != NULL ? g_utf8_make_valid (text, -1) : NULL;
}

/* One value of a key/value table; @db locked. */
char *
_ts_db_dup_key (sqlite3 *db,
                const char *table,
                const char *key)
{
  g_autofree char *sql = g_strdup_printf ("SELECT value FROM %s WHERE key=?1 LIMIT 1", table);
  sqlite3_stmt *stmt = NULL;
  char *value = NULL;

  if (db != NULL && sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) == SQLITE_OK)
    {
      sqlite3_bind_text (stmt, 1, key, -1, SQLITE_STATIC);
      if (sqlite3_step (stmt) == SQLITE_ROW)
        value = _ts_column_dup_text (stmt, 0);
    }

  sqlite3_finalize (stmt);
  return value;
}

/* All rows of a small table; FALSE: it is not small. */
static gboolean
keep_keys (sqlite3 *db,
           const char *table,
           GHashTable *keys)
{
  g_autofree char *sql = g_strdup_printf ("SELECT key,value FROM %s LIMIT %d", table, MAX_KEPT_KEYS);
  sqlite3_stmt *stmt = NULL;
  guint n = 0;

  /* without the table there are no keys */
  if (sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) != SQLITE_OK)
    return TRUE;
  for (; sqlite3_step (stmt) == SQLITE_ROW; n++)
    {
      g_autofree char *key = _ts_column_dup_text (stmt, 0);
      char *value = _ts_column_dup_text (stmt, 1);
      g_autofree char *name = key != NULL ? g_strconcat (table, ".", key, NULL) : NULL;

      /* of two with the same name the first counts */
      if (name == NULL || value == NULL || g_hash_table_contains (keys, name))
        g_free (value);
      else
        g_hash_table_insert (keys, g_steal_pointer (&name), value);
    }
  sqlite3_finalize (stmt);
  return n < MAX_KEPT_KEYS;
}

static void
keep_strings (TsRecording *self,
              sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;
  gsize n_bytes = 0;

  if (sqlite3_prepare_v2 (db, "SELECT id,text FROM ts_strings ORDER BY id", -1, &stmt, NULL)
      != SQLITE_OK)
    return;
  while (n_bytes < MAX_KEPT_TEXT && sqlite3_step (stmt) == SQLITE_ROW)
    {
      gint64 id = sqlite3_column_int64 (stmt, 0);
      char *text = id > 0 && id <= G_MAXUINT32 ? _ts_column_dup_text (stmt, 1) : NULL;

      if (text == NULL)
        continue;
      n_bytes += strlen (text) + KEPT_OVERHEAD;
      g_hash_table_replace (self->strings, GUINT_TO_POINTER ((guint32) id), text);
    }
  sqlite3_finalize (stmt);
}

/*
 * _ts_recording_keep_small: reads what is told of the whole recording, and texts of events, so that
 * the main thread need not. Thread: owner
 */
void
_ts_recording_keep_small (TsRecording *self)
{
  static const char * const tables[] = { "meta", "health", "va_summary" };
  g_autoptr (GHashTable) keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  sqlite3 *db = _ts_recording_begin_read (self, KEEP_LIMIT_US, NULL);
  gboolean is_small = db != NULL && self->keys == NULL;

  for (guint i = 0; i < G_N_ELEMENTS (tables) && is_small; i++)
    is_small = keep_keys (db, tables[i], keys);
  if (is_small)
    self->keys = g_steal_pointer (&keys);
  if (db != NULL && self->tables.has_rows
      && (self->rebuilt == NULL || self->rebuilt->strings == NULL))
    keep_strings (self, db);
  _ts_recording_end_read (self);
}

gint64
_ts_db_get_key_int (sqlite3 *db,
                    const char *table,
                    const char *key,
                    gint64 fallback)
{
  g_autofree char *text = _ts_db_dup_key (db, table, key);
  char *end = NULL;
  gint64 value;

  if (text == NULL)
    return fallback;

  value = g_ascii_strtoll (text, &end, 10);
  return end != text ? value : fallback;
}

/* One number of a statement without parameters; @fallback when there is none. */
gint64
_ts_db_get_int (sqlite3 *db,
                const char *sql,
                gint64 fallback)
{
  sqlite3_stmt *stmt = NULL;
  gint64 value = fallback;

  if (sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) == SQLITE_OK
      && sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_type (stmt, 0) == SQLITE_INTEGER)
    value = sqlite3_column_int64 (stmt, 0);

  sqlite3_finalize (stmt);
  return value;
}

gboolean
_ts_db_can_prepare (sqlite3 *db,
                    const char *sql)
{
  sqlite3_stmt *stmt = NULL;
  gboolean ok = sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) == SQLITE_OK && stmt != NULL;

  sqlite3_finalize (stmt);
  return ok;
}

void
_ts_recording_find_tables (TsRecording *self,
                           sqlite3 *db)
{
  TsRecordingTables *tables = &self->tables;
  gboolean is_ours = _ts_db_get_int (db, "PRAGMA application_id", 0) == TS_SCHEMA_APPLICATION_ID;

  tables->has_rows = is_ours && _ts_db_can_prepare (db, "SELECT rowid,t,x,v,d FROM ts_events")
                     && _ts_db_can_prepare (db, "SELECT id,text FROM ts_strings");
  tables->has_view = _ts_db_can_prepare (db, "SELECT kind,t_cycles FROM va_events");
  tables->has_lanes
      = is_ours && _ts_db_can_prepare (db, "SELECT id,data FROM ts_blobs")
        && _ts_db_can_prepare (
            db, "SELECT lane,level,seq,width_log2,n_slices,begin,end,blob FROM ts_nodes")
        && _ts_db_can_prepare (
            db, "SELECT id,kind,core,object,name,priority,is_idle,type,color,first_seen,n_slices"
                " FROM ts_lanes")
        && _ts_db_can_prepare (db, "SELECT id,data FROM ts_figures");
  tables->has_blocks
      = is_ours && _ts_db_can_prepare (db, "SELECT first,data FROM ts_row_blocks");
  tables->has_comms
      = is_ours && _ts_db_can_prepare (db, "SELECT id,begin,end,steps,is_last,data FROM ts_comms");
  tables->has_counts = is_ours
                       && _ts_db_can_prepare (db, "SELECT kind,side,count FROM ts_kind_counts")
                       && _ts_db_can_prepare (db, "SELECT object,count FROM ts_object_counts");
  tables->has_objects = _ts_db_can_prepare (db, "SELECT id,type,name FROM va_objects");
  tables->has_task_stats = _ts_db_can_prepare (db, "SELECT name,cpu_percent FROM va_task_stats");
  tables->has_trace_stats = _ts_db_can_prepare (
      db, "SELECT object_id,name,type,unit,display,count,min,max,mean,last,rms,std_dev,"
          "rate_hz FROM va_trace_stats");
  tables->has_summary = _ts_db_can_prepare (db, "SELECT key,value FROM va_summary");
  tables->has_health = _ts_db_can_prepare (db, "SELECT key,value FROM health");
}

/* Whether the file is a recording of a version that we know. Source: viewalyzer-host.md
 * section 1.8; events.md. */
gboolean
_ts_recording_check_version (TsRecording *self,
                             sqlite3 *db,
                             GError **error)
{
  g_autofree char *format = _ts_db_dup_key (db, "meta", "format");
  g_autofree char *name = g_filename_display_name (self->path);
  gboolean is_ours = _ts_db_get_int (db, "PRAGMA application_id", 0) == TS_SCHEMA_APPLICATION_ID;
  gint64 version = MAX (is_ours ? _ts_db_get_int (db, "PRAGMA user_version", 0) : 0,
                        _ts_db_get_key_int (db, "meta", "taskscope_schema", 0));

  if (version > TS_SCHEMA_VERSION)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("“%s” was written by a newer Taskscope (schema %" PRId64
                      ", known up to %d); "
                      "install a newer version to open it."),
                   name, version, TS_SCHEMA_VERSION);
      return FALSE;
    }

  if (g_strcmp0 (format, "va-recording") != 0)
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING,
                   _("“%s” is an SQLite database but not a recording."), name);
      return FALSE;
    }

  return TRUE;
}

/* Names of what others wrote may be of any length; nobody reads more of one, and many places show
 * it with every event. */
static char *
dup_name (sqlite3_stmt *stmt,
          int column)
{
  g_autofree char *name = _ts_column_dup_text (stmt, column);
  const char *end;

  if (name == NULL || strlen (name) <= MAX_NAME_BYTES)
    return g_steal_pointer (&name);
  end = g_utf8_find_prev_char (name, name + MAX_NAME_BYTES + 1);
  return g_strdup_printf ("%.*s…", (int) (end - name), name);
}

static gint64
column_known (sqlite3_stmt *stmt,
              int column)
{
  return sqlite3_column_type (stmt, column) == SQLITE_INTEGER ? sqlite3_column_int64 (stmt, column)
                                                              : TS_OBJECT_UNKNOWN;
}

/* Columns 0 to 13 of va_objects; @object is to be cleared by the caller. */
void
_ts_recording_read_object (sqlite3_stmt *stmt,
                           TsObject *object)
{
  gint64 wire_id = column_known (stmt, 2);
  gint64 core = sqlite3_column_int64 (stmt, 11);

  object->id = (guint32) sqlite3_column_int64 (stmt, 0);
  object->type = ts_object_type_from_name ((const char *) sqlite3_column_text (stmt, 1));
  object->wire_id = wire_id >= 0 && wire_id <= G_MAXINT32 ? (gint32) wire_id : -1;
  object->name = dup_name (stmt, 3);
  if (object->name == NULL)
    object->name = g_strdup ("");
  object->priority = column_known (stmt, 4);
  object->base_priority = column_known (stmt, 5);
  object->stack_bytes = column_known (stmt, 6);
  object->capacity = column_known (stmt, 7);
  object->address = column_known (stmt, 8);
  object->unit = dup_name (stmt, 9);
  object->display = dup_name (stmt, 10);
  object->core = (guint8) CLAMP (core, 0, 255);
  object->is_named = sqlite3_column_int (stmt, 12) != 0;
  object->is_idle = sqlite3_column_int (stmt, 13) != 0;
}

/* What somebody else calls the idle task. Source: viewalyzer-wire.md section 13.8 */
gboolean
_ts_is_idle_name (const char *name)
{
  const char *rest = name + 4;

  if (g_ascii_strncasecmp (name, "idle", 4) != 0)
    return FALSE;
  if (*rest == ' ' || *rest == '_' || *rest == '-')
    rest++;
  return *rest == '\0' || g_ascii_isdigit (*rest) || g_ascii_strcasecmp (rest, "task") == 0
         || g_ascii_strcasecmp (rest, "thread") == 0;
}

static gboolean
has_column (sqlite3 *db,
            const char *table,
            const char *column)
{
  g_autofree char *sql = g_strdup_printf ("SELECT %s FROM %s", column, table);

  return _ts_db_can_prepare (db, sql);
}

void
_ts_recording_load_objects (TsRecording *self,
                            sqlite3 *db)
{
  static const char * const columns[]
      = { "id",       "type",    "wire_id", "name",    "priority", "base_priority", "stack_bytes",
          "capacity", "address", "unit",    "display", "core",     "is_named",      "is_idle" };
  g_autoptr (GString) sql = g_string_new ("SELECT ");
  gboolean tells_idle = has_column (db, "va_objects", "is_idle");
  sqlite3_stmt *stmt = NULL;

  if (!self->tables.has_objects)
    return;

  /* Foreign files may lack columns. */
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_string_append_printf (sql, "%s%s", i > 0 ? "," : "",
                            has_column (db, "va_objects", columns[i]) ? columns[i] : "NULL");
  g_string_append_printf (sql, " FROM va_objects LIMIT %d", MAX_OBJECTS);

  if (sqlite3_prepare_v2 (db, sql->str, -1, &stmt, NULL) == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          gint64 id = sqlite3_column_int64 (stmt, 0);
          TsObject object = TS_OBJECT_INIT;

          if (id <= 0 || id > MAX_OBJECT_ID)
            continue;

          _ts_recording_read_object (stmt, &object);
          if (!tells_idle && object.type == TS_OBJECT_TASK)
            object.is_idle = _ts_is_idle_name (object.name);
          g_hash_table_replace (self->objects, GUINT_TO_POINTER (object.id),
                                g_memdup2 (&object, sizeof object));
          self->n_objects = MAX (self->n_objects, object.id);
        }
    }

  sqlite3_finalize (stmt);
}

static void
lane_clear (gpointer data)
{
  g_free (((TsLaneInfo *) data)->name);
}

GArray *
_ts_recording_read_lanes (sqlite3 *db)
{
  GArray *lanes = g_array_new (FALSE, TRUE, sizeof (TsLaneInfo));
  sqlite3_stmt *stmt = NULL;

  g_array_set_clear_func (lanes, lane_clear);
  if (sqlite3_prepare_v2 (
          db,
          "SELECT id,kind,core,object,name,priority,is_idle,type,color,first_seen,n_slices"
          " FROM ts_lanes ORDER BY id",
          -1, &stmt, NULL)
      == SQLITE_OK)
    {
      while (lanes->len < MAX_LANES && sqlite3_step (stmt) == SQLITE_ROW)
        {
          gint64 id = sqlite3_column_int64 (stmt, 0);
          gint64 kind = sqlite3_column_int64 (stmt, 1);
          TsLaneInfo lane = { 0 };

          if (id <= 0 || id > G_MAXUINT32 || kind < 0 || kind >= TS_LANE_N_KINDS)
            continue;

          lane.id = (guint32) id;
          lane.kind = (TsLaneKind) kind;
          lane.core = (guint8) sqlite3_column_int (stmt, 2);
          lane.object = (guint32) sqlite3_column_int64 (stmt, 3);
          lane.name = dup_name (stmt, 4);
          if (lane.name == NULL)
            lane.name = g_strdup ("");
          lane.priority = column_known (stmt, 5);
          lane.is_idle = sqlite3_column_int (stmt, 6) != 0;
          lane.type = ts_object_type_from_name ((const char *) sqlite3_column_text (stmt, 7));
          lane.color = (guint) sqlite3_column_int (stmt, 8) & 0xFFFFFF;
          lane.first_seen = MAX (sqlite3_column_int64 (stmt, 9), 0);
          lane.n_slices = (guint64) MAX (sqlite3_column_int64 (stmt, 10), 0);
          g_array_append_val (lanes, lane);
        }
    }

  sqlite3_finalize (stmt);
  return lanes;
}

GArray *
_ts_recording_read_nodes (sqlite3 *db)
{
  GArray *nodes = g_array_new (FALSE, TRUE, sizeof (TsNodeInfo));
  sqlite3_stmt *stmt = NULL;

  if (sqlite3_prepare_v2 (db,
                          "SELECT lane,level,seq,width_log2,n_slices,begin,end,blob FROM ts_nodes",
                          -1, &stmt, NULL)
      == SQLITE_OK)
    {
      while (nodes->len < MAX_NODES && sqlite3_step (stmt) == SQLITE_ROW)
        {
          gint64 lane = sqlite3_column_int64 (stmt, 0);
          gint64 level = sqlite3_column_int64 (stmt, 1);
          gint64 seq = sqlite3_column_int64 (stmt, 2);
          gint64 width = sqlite3_column_int64 (stmt, 3);
          TsNodeInfo node = { 0 };

          if (lane <= 0 || lane > G_MAXUINT32 || level < 0 || level > TS_NODE_MAX_LEVEL || seq < 0
              || seq > G_MAXUINT32 || width < 0 || width > 62)
            continue;

          node.lane = (guint32) lane;
          node.level = (guint8) level;
          node.seq = (guint32) seq;
          node.width_log2 = (guint8) width;
          node.n_slices = (guint64) MAX (sqlite3_column_int64 (stmt, 4), 0);
          node.begin = MAX (sqlite3_column_int64 (stmt, 5), 0);
          node.end = MAX (sqlite3_column_int64 (stmt, 6), node.begin);
          node.blob = sqlite3_column_int64 (stmt, 7);
          g_array_append_val (nodes, node);
        }
    }

  sqlite3_finalize (stmt);
  return nodes;
}

/* Where the recording ends: its last row, or what it says itself; so far below the largest number
 * that a range may end behind it. */
gint64
_ts_recording_read_duration (TsRecording *self,
                             sqlite3 *db)
{
  g_autofree char *span = NULL;
  gint64 last = -1;
  double seconds;

  if (self->tables.has_rows)
    last = _ts_db_get_int (db, "SELECT t FROM ts_events ORDER BY rowid DESC LIMIT 1", -1);
  if (last >= 0)
    return MIN (last, MAX_DURATION);

  span = _ts_db_dup_key (db, "va_summary", "span_seconds");
  seconds = span != NULL ? g_ascii_strtod (span, NULL) : 0.0;
  if (!(seconds > 0.0) || seconds > 1e9)
    return 0;

  return (gint64) MIN ((__int128) (seconds * 1e6) * (__int128) self->clock_hz / G_USEC_PER_SEC,
                       (__int128) MAX_DURATION);
}
