/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-index.c: recordings that bring no lanes, or not all: what is made of them and kept shows
 * what the recording with lanes shows.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#include "model/ts-analysis-private.h"
#include "model/ts-index-private.h"
#include "model/ts-recording-foreign-private.h"

#include "capture-fixture.h"

typedef struct
{
  char *dir;
  char *path;    /* with everything */
  char *foreign; /* the public tables only */
} Fixture;

static void
exec (const char *path,
      const char *sql)
{
  sqlite3 *db = NULL;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (db);
}

/* What somebody else would write: other ids for rows, times that begin anywhere, one object that is
 * in no table. */
static void
make_foreign (const char *from,
              const char *path,
              const char *order)
{
  g_autofree char *sql = g_strdup_printf (
      "ATTACH '%s' AS m; CREATE TABLE meta(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO meta SELECT * FROM m.meta WHERE key IN ('format','va_cpu_hz','va_os','has_va');"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO va_summary VALUES('total_events','9760');"
      "CREATE TABLE va_objects AS SELECT id,type,wire_id,name,priority FROM m.va_objects "
      "WHERE name<>'TIM1_Sample';"
      "CREATE TABLE va_task_stats(name TEXT,cpu_percent REAL);"
      "INSERT INTO va_task_stats VALUES('theirs',12.5);"
      "CREATE TABLE va_events(id INTEGER PRIMARY KEY,t_cycles INTEGER,kind TEXT,start INTEGER,"
      "object_id INTEGER,object TEXT,core INTEGER,value NUMERIC,detail NUMERIC,text TEXT,"
      "flags INTEGER);"
      "INSERT INTO va_events(t_cycles,kind,start,object_id,object,core,value,detail,text,flags) "
      "SELECT t_cycles+777,kind,start,object_id,object,core,value,detail,text,flags "
      "FROM m.va_events ORDER BY %s;",
      from, order);

  exec (path, sql);
}

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->dir = fixture_dir ();
  fixture->path = g_build_filename (fixture->dir, "whole.vadb", NULL);
  fixture->foreign = g_build_filename (fixture->dir, "foreign.vadb", NULL);
  fixture_decode ("m4_short.cobs", "va-cobs", fixture->path);
  ts_index_trim (0);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  ts_index_trim (0);
  fixture_remove_dir (fixture->dir);
  g_free (fixture->dir);
  g_free (fixture->path);
  g_free (fixture->foreign);
}

static TsRecording *
open_recording (const char *path)
{
  g_autoptr (GError) error = NULL;
  TsRecording *recording = ts_recording_open (path, &error);

  g_assert_no_error (error);
  return recording;
}

static void
build (const char *path)
{
  g_autoptr (TsRecording) recording = open_recording (path);
  g_autoptr (GError) error = NULL;

  ts_index_build (recording, TS_INDEX_DEFAULT_BYTES, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
check_same (const char *got,
            const char *expected)
{
  gsize i = 0;

  while (got[i] == expected[i] && got[i] != '\0')
    i++;
  if (got[i] == expected[i])
    return;
  while (i > 0 && got[i - 1] != '\n')
    i--;
  g_error ("\"%.80s\" instead of \"%.80s\"", got + i, expected + i);
}

static int
compare_lanes (gconstpointer a,
               gconstpointer b)
{
  guint32 left = (*(const TsLaneInfo * const *) a)->id;
  guint32 right = (*(const TsLaneInfo * const *) b)->id;

  return left < right ? -1 : left > right;
}

/* All slices, lane by lane. Texts are compared by what they say. */
static char *
dump_lanes (TsRecording *recording)
{
  GString *text = g_string_new (NULL);
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    g_ptr_array_add (sorted, (gpointer) &lanes[i]);
  g_ptr_array_sort (sorted, compare_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsLaneInfo *lane = g_ptr_array_index (sorted, i);
      const TsSlice *slice;

      if (lane->kind == TS_LANE_DENSITY)
        continue;
      g_string_append_printf (text, "%u %s %d\n", lane->id, lane->name, lane->kind);
      _ts_slice_cursor_init (cursor, recording, lane->id, 0, G_MAXINT64 / 16);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        g_string_append_printf (
            text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u %u %s %g\n", slice->begin,
            slice->end, slice->state, lane->kind == TS_LANE_MESSAGE ? 0 : slice->arg,
            lane->kind == TS_LANE_MESSAGE ? ts_recording_get_string (recording, slice->arg) : "",
            slice->value);
    }
  return g_string_free (text, FALSE);
}

/* A column of numbers keeps whole ones as integers: where a float was told is not compared. */
static char *
dump_events (TsRecording *recording)
{
  GString *text = g_string_new (NULL);
  guint64 n_rows = ts_recording_get_n_rows (recording);

  for (guint64 row = 1; row <= n_rows; row++)
    {
      g_autofree char *words = NULL;
      TsEvent event;
      guint n = 0;

      g_assert_true (ts_recording_read_events (recording, row, 1, &event, &n, NULL));
      g_assert_cmpuint (n, ==, 1);
      words = ts_recording_describe_event (recording, &event);
      g_string_append_printf (text, "%" G_GINT64_FORMAT " %u %u %u %s\n", event.time, event.kind,
                              event.object, event.flags & ~TS_EVENT_FLAG_FLOAT, words);
    }
  return g_string_free (text, FALSE);
}

static guint
count_entries (void)
{
  g_autoptr (GPtrArray) entries = ts_index_list ();

  return entries->len;
}

/* Figures of an index lie lane by lane, all of them. */
static void
check_books (void)
{
  g_autoptr (GPtrArray) entries = ts_index_list ();
  TsIndexEntry *entry = g_ptr_array_index (entries, 0);
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open_v2 (entry->path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (_ts_db_get_int (db, "SELECT count(*) FROM ts_books", -1), >, 0);
  g_assert_cmpint (_ts_db_get_int (db, "SELECT count(*) FROM ts_figures", -1), ==, 0);
  sqlite3_close (db);
}

static void
check_foreign (Fixture *fixture,
               const char *order)
{
  g_autoptr (TsRecording) before = NULL;
  g_autoptr (TsRecording) whole = open_recording (fixture->path);
  g_autoptr (TsRecording) after = NULL;
  g_autofree char *expected_lanes = NULL;
  g_autofree char *lanes = NULL;
  g_autofree char *expected_events = dump_events (whole);
  g_autofree char *events = NULL;
  g_autofree char *theirs = NULL;

  make_foreign (fixture->path, fixture->foreign, order);
  before = open_recording (fixture->foreign);
  g_assert_false (ts_index_is_needed (before)); /* it is short */
  expected_lanes = dump_lanes (before);
  g_assert_cmpuint (count_entries (), ==, 0);

  build (fixture->foreign);
  g_assert_cmpuint (count_entries (), ==, 1);
  check_books ();
  after = open_recording (fixture->foreign);
  g_assert_true (after->rebuilt == NULL);
  g_assert_false (ts_index_is_needed (after));
  lanes = dump_lanes (after);
  events = dump_events (after);
  check_same (lanes, expected_lanes);
  check_same (events, expected_events);
  g_assert_cmpuint (ts_recording_get_n_events (after), ==, 9760);
  g_assert_cmpint (ts_recording_get_duration (after), ==, ts_recording_get_duration (whole));
  g_assert_cmpint (ts_recording_row_at_time (after, 12500000), ==,
                   ts_recording_row_at_time (whole, 12500000));

  /* Who idles is told by the name. */
  g_assert_false (ts_recording_get_object (after, 1)->is_idle);
  for (guint i = 1; i <= ts_recording_get_n_objects (whole); i++)
    if (ts_recording_get_object (whole, i)->is_idle)
      g_assert_true (ts_recording_get_object (after, i)->is_idle);

  /* Their own tables stay theirs, and the file as it was. */
  theirs = fixture_sql (fixture->foreign, "SELECT name,cpu_percent FROM va_task_stats");
  g_assert_cmpstr (theirs, ==, "theirs|12.5");
}

static void
test_foreign (Fixture *fixture,
              gconstpointer data)
{
  check_foreign (fixture, "id");
}

/* Rows in any order: sorted by time while they are read. */
static void
test_foreign_unordered (Fixture *fixture,
                        gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *order = NULL;

  make_foreign (fixture->path, fixture->foreign, "-id");
  build (fixture->foreign);
  recording = open_recording (fixture->foreign);
  g_assert_true (recording->rebuilt == NULL);
  order = fixture_sql (fixture->foreign, "SELECT count(*) FROM va_events");
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, g_ascii_strtoull (order, NULL, 10));
}

/* Another size or time: another index. */
static void
test_changed (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;

  make_foreign (fixture->path, fixture->foreign, "id");
  build (fixture->foreign);
  exec (fixture->foreign, "CREATE TABLE padding AS SELECT zeroblob(100000)");
  recording = open_recording (fixture->foreign);
  g_assert_true (recording->rebuilt != NULL);
  g_assert_cmpuint (count_entries (), ==, 1);
}

/* One of ours that was not closed: lanes of its own come from the index, rows stay in the file. */
static void
test_unclosed (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (TsRecording) whole = open_recording (fixture->path);
  g_autofree char *expected = dump_lanes (whole);
  g_autofree char *expected_events = dump_events (whole);
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *lanes = NULL;
  g_autofree char *events = NULL;

  exec (fixture->path, "UPDATE meta SET value='0' WHERE key='ts_complete'; "
                       "DELETE FROM ts_nodes; UPDATE ts_lanes SET name='stale'");
  build (fixture->path);
  recording = open_recording (fixture->path);
  g_assert_true (recording->rebuilt == NULL);
  lanes = dump_lanes (recording);
  events = dump_events (recording);
  check_same (lanes, expected);
  check_same (events, expected_events);
}

/* Names came seconds after the first switches: the idle task was not known until then. Made again,
 * with all names from the begin, the processor is as busy as it was. */
static void
test_late_names (Fixture *fixture,
                 gconstpointer data)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  g_autofree char *capture = g_build_filename (shared != NULL ? shared : "../shared", "data",
                                               "viewalyzer", "m4_late_attach.cobs", NULL);
  TsLoad loads[2];

  if (!g_file_test (capture, G_FILE_TEST_EXISTS))
    {
      if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
        g_error ("%s is not there", capture);
      g_test_skip ("the shared captures are not there");
      return;
    }
  fixture_decode_file (capture, "va-cobs", fixture->path);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (TsStatistics) statistics = NULL;
      g_autoptr (GError) error = NULL;
      gint64 idle = 0;

      if (i == 1)
        ts_index_reindex (fixture->path, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      recording = open_recording (fixture->path);
      statistics = ts_statistics_new (recording, 0, G_MAXINT64, 250000, NULL, &error);
      g_assert_no_error (error);
      loads[i] = statistics->loads[0];
      for (guint k = 0; k < statistics->n_lanes; k++)
        idle += statistics->lanes[k].is_idle ? statistics->lanes[k].ticks : 0;
      g_assert_cmpint (idle, >, 0);
      g_assert_cmpint (loads[i].known, ==, loads[i].busy + idle);
      g_assert_cmpint (loads[i].known, <=, ts_recording_get_duration (recording));
    }
  g_assert_cmpint (loads[0].busy, ==, loads[1].busy);
  g_assert_cmpint (loads[0].known, ==, loads[1].known);
  g_assert_cmpint (loads[0].min_begin, ==, loads[1].min_begin);
  g_assert_cmpint (loads[0].max_begin, ==, loads[1].max_begin);
}

static void
test_reindex (Fixture *fixture,
              gconstpointer data)
{
  static const char nodes[] = "SELECT lane,level,seq,n_slices,begin,end,hex(data) FROM ts_nodes n "
                              "JOIN ts_blobs b ON b.id=n.blob ORDER BY 1,2,3";
  static const char * const sql[] = {
    "SELECT * FROM va_events",
    "SELECT * FROM va_objects",
    "SELECT * FROM va_task_stats",
    "SELECT * FROM va_trace_stats",
    "SELECT * FROM va_summary ORDER BY key",
    "SELECT * FROM health ORDER BY key",
    "SELECT * FROM meta ORDER BY key",
    "SELECT * FROM ts_lanes",
    "SELECT * FROM ts_kind_counts",
    "SELECT * FROM ts_object_counts",
    nodes,
    "SELECT * FROM strangers",
  };
  char *expected[G_N_ELEMENTS (sql)];
  g_autoptr (GError) error = NULL;
  guint64 n_events = 0;

  exec (fixture->path, "CREATE TABLE strangers AS SELECT 42 AS answer");
  for (guint i = 0; i < G_N_ELEMENTS (sql); i++)
    expected[i] = fixture_sql (fixture->path, sql[i]);

  exec (fixture->path,
        "DELETE FROM ts_nodes; DELETE FROM ts_blobs WHERE id%2; UPDATE ts_lanes SET name='x';"
        "DELETE FROM va_task_stats; UPDATE va_trace_stats SET mean=0; DELETE FROM ts_kind_counts;"
        "UPDATE va_summary SET value='1' WHERE key='total_events';"
        "UPDATE meta SET value='0' WHERE key='ts_complete'");
  ts_index_reindex (fixture->path, NULL, NULL, NULL, &n_events, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_events, ==, 9760);
  for (guint i = 0; i < G_N_ELEMENTS (sql); i++)
    {
      g_autofree char *got = fixture_sql (fixture->path, sql[i]);

      g_assert_cmpstr (got, ==, expected[i]);
      g_free (expected[i]);
    }
  g_assert_cmpuint (count_entries (), ==, 0);
}

static void
cancel_soon (double fraction,
             gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
test_cancelled (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autofree char *folder = ts_index_dup_folder ();
  g_autoptr (GDir) dir = NULL;
  const char *sql = "SELECT * FROM va_task_stats";

  make_foreign (fixture->path, fixture->foreign, "id");
  recording = open_recording (fixture->foreign);
  g_assert_false (ts_index_build (recording, TS_INDEX_DEFAULT_BYTES, cancel_soon, cancellable,
                                  cancellable, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  g_clear_error (&error);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_null (g_dir_read_name (dir));

  /* Reindexing is one transaction. */
  before = fixture_sql (fixture->path, sql);
  g_assert_false (ts_index_reindex (fixture->path, NULL, NULL, cancellable, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  after = fixture_sql (fixture->path, sql);
  g_assert_cmpstr (after, ==, before);
}

/* The indexes that were not used for the longest time go first. */
static void
test_trim (Fixture *fixture,
           gconstpointer data)
{
  g_autofree char *folder = ts_index_dup_folder ();
  struct
  {
    const char *name;
    gint64 used;
  } files[] = { { "a.vadb", 1000 }, { "b.vadb", 3000 }, { "c.vadb", 2000 },
                { "d.vadb.ABCDEF", 1500 } };
  g_autofree char *bytes = g_malloc0 (1000);
  g_autoptr (GPtrArray) entries = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
      struct utimbuf times = { files[i].used, files[i].used };

      g_assert_true (g_file_set_contents (path, bytes, 1000, NULL));
      g_assert_cmpint (g_utime (path, &times), ==, 0);
    }

  g_assert_cmpuint (ts_index_trim (2500), ==, 2000); /* a, and what a killed build left */
  entries = ts_index_list ();
  g_assert_cmpuint (entries->len, ==, 2);
  g_assert_true (g_str_has_suffix (((TsIndexEntry *) entries->pdata[0])->path, "b.vadb"));
  g_assert_true (g_str_has_suffix (((TsIndexEntry *) entries->pdata[1])->path, "c.vadb"));
  g_assert_cmpuint (ts_index_trim (500), ==, 1000); /* the last one stays */
  g_assert_cmpuint (ts_index_trim (0), ==, 1000);
  g_assert_cmpuint (count_entries (), ==, 0);
}

/* Makes an index that leaves no more than @max_bytes, as one that was used at @used. */
static guint64
build_within (const char *path,
              guint64 max_bytes,
              gint64 used)
{
  g_autoptr (TsRecording) recording = open_recording (path);
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GError) error = NULL;
  struct utimbuf times = { used, used };
  const TsIndexEntry *newest;

  ts_index_build (recording, max_bytes, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  entries = ts_index_list ();
  newest = entries->pdata[0];
  g_assert_cmpstr (newest->source, ==, path);
  g_assert_cmpint (g_utime (newest->path, &times), ==, 0);
  return newest->n_bytes;
}

static gboolean
has_index (const char *path)
{
  g_autoptr (GPtrArray) entries = ts_index_list ();

  for (guint i = 0; i < entries->len; i++)
    if (g_strcmp0 (((TsIndexEntry *) entries->pdata[i])->source, path) == 0)
      return TRUE;
  return FALSE;
}

/* Recordings of others whose indexes take more than they may: the oldest go, but for that of a
 * recording that is open, which a worker can open once more all the while. Clearing leaves it, too. */
static void
test_bound (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (TsRecording) open = NULL;
  g_autoptr (TsRecording) again = NULL;
  char *paths[5];
  guint64 size = 0;

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *name = g_strdup_printf ("foreign-%u.vadb", i);
      guint64 bound = size > 0 ? 5 * size / 2 : TS_INDEX_DEFAULT_BYTES;

      paths[i] = g_build_filename (fixture->dir, name, NULL);
      make_foreign (fixture->path, paths[i], "id");
      /* not in the order of their names: 0 is the oldest, then 2, 1, 4, 3 */
      size = MAX (size, build_within (paths[i], bound, 1000 + 10 * (i ^ (i > 0 ? 3 : 0))));
      if (i > 0)
        continue;
      open = open_recording (paths[0]);
      g_assert_true (open->rebuilt == NULL);
      /* opened, but long ago */
      {
        g_autoptr (GPtrArray) entries = ts_index_list ();
        struct utimbuf times = { 1000, 1000 };

        g_assert_cmpint (g_utime (((TsIndexEntry *) entries->pdata[0])->path, &times), ==, 0);
      }
    }
  /* two of the size fit: that of the open one, and the one made last */
  g_assert_cmpuint (count_entries (), ==, 2);
  g_assert_true (has_index (paths[0]));
  g_assert_true (has_index (paths[4]));

  again = ts_recording_reopen (open, NULL);
  g_assert_nonnull (again);
  g_assert_true (again->rebuilt == NULL);
  g_assert_false (ts_index_is_needed (again));
  g_clear_object (&again);

  ts_index_trim (0);
  g_assert_cmpuint (count_entries (), ==, 1);
  g_assert_true (has_index (paths[0]));
  again = ts_recording_reopen (open, NULL);
  g_assert_true (again->rebuilt == NULL);
  g_clear_object (&again);
  g_clear_object (&open);
  g_assert_cmpuint (ts_index_trim (0), >, 0);
  g_assert_cmpuint (count_entries (), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    g_free (paths[i]);
}

/* The row of a time of a recording that is known by samples; where there is no time to look for it,
 * it is not known, and none is told. */
static void
check_row_at_time (const char *path,
                   TsRecording *recording,
                   TsRebuilt *sample)
{
  TsRebuilt *own = recording->rebuilt;
  gint64 time = ts_recording_get_duration (recording) / 3;
  g_autofree char *sql = g_strdup_printf ("SELECT count(*)+1 FROM va_events WHERE t_cycles<%"
                                          G_GINT64_FORMAT, time + sample->origin);
  g_autofree char *expected = fixture_sql (path, sql);
  g_autofree char *row = NULL;

  recording->rebuilt = sample;
  row = g_strdup_printf ("%" G_GUINT64_FORMAT,
                         _ts_foreign_row_at_time (recording, time, 60 * G_USEC_PER_SEC));
  g_assert_cmpstr (row, ==, expected);
  g_assert_cmpuint (_ts_foreign_row_at_time (recording, time, -1), ==, 0);
  g_assert_cmpuint (_ts_foreign_row_at_time (recording, 0, -1), ==, 1);
  recording->rebuilt = own;
}

/* Samples: every lane is there, from the first row to the last; and rows that are not in order
 * give none. */
static void
test_samples (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *backwards = g_build_filename (fixture->dir, "backwards.vadb", NULL);
  g_autofree char *keyless = g_build_filename (fixture->dir, "keyless.vadb", NULL);
  g_autofree char *keyless_sql = NULL;
  g_autoptr (TsRecording) without_key = NULL;
  g_autoptr (TsRecording) other = NULL;
  TsRebuilt *sample;
  guint n_lanes = 0;
  guint n_sampled = 0;

  /* So many rows that the samples do not overlap. */
  make_foreign (fixture->path, fixture->foreign, "id");
  for (guint i = 0; i < 6; i++)
    exec (fixture->foreign,
          "INSERT INTO va_events SELECT id+(SELECT max(id) FROM va_events),t_cycles+(SELECT "
          "max(t_cycles) FROM va_events),kind,start,object_id,object,core,value,detail,text,flags "
          "FROM va_events");
  recording = open_recording (fixture->foreign);
  ts_recording_get_lanes (recording, &n_lanes);
  sample = _ts_foreign_sample (recording);
  g_assert_nonnull (sample);
  ts_lane_store_get_lanes (sample->store, &n_sampled);
  g_assert_cmpuint (n_sampled, >=, n_lanes);
  g_assert_cmpint (sample->end_time, ==, ts_recording_get_duration (recording));
  _ts_rebuilt_unref (sample);

  /* the same rows in a table without a key */
  keyless_sql = g_strdup_printf (
      "ATTACH '%s' AS m; CREATE TABLE meta AS SELECT * FROM m.meta;"
      "CREATE TABLE va_summary AS SELECT * FROM m.va_summary;"
      "CREATE TABLE va_objects AS SELECT * FROM m.va_objects;"
      "CREATE TABLE va_events AS SELECT * FROM m.va_events ORDER BY id;",
      fixture->foreign);
  exec (keyless, keyless_sql);
  /* there are more rows now than it tells, and such are not listed */
  exec (keyless, "DELETE FROM va_summary WHERE key='total_events'");
  without_key = open_recording (keyless);
  sample = _ts_foreign_sample (without_key);
  g_assert_nonnull (sample);
  g_assert_cmpuint (sample->n_listed, >, 1000);
  check_row_at_time (keyless, without_key, sample);
  ts_lane_store_get_lanes (sample->store, &n_sampled);
  g_assert_cmpuint (n_sampled, >=, n_lanes);
  g_assert_cmpint (sample->end_time, ==, ts_recording_get_duration (without_key));
  _ts_rebuilt_unref (sample);

  make_foreign (fixture->path, backwards, "-id");
  other = open_recording (backwards);
  g_assert_null (_ts_foreign_sample (other));
}

/* Rows whose numbers end where 64 bits do, in a table with a column called as ours is. */
static void
test_listed_hostile (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (TsRecording) ours = open_recording (fixture->path);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  guint n = (guint) ts_recording_get_n_rows (ours);
  g_autofree TsEvent *wanted = g_new (TsEvent, n);
  g_autofree TsEvent *got = g_new (TsEvent, n);
  guint n_read = 0;

  make_foreign (fixture->path, fixture->foreign, "id");
  exec (fixture->foreign, "UPDATE va_summary SET value='3000000'");
  exec (fixture->foreign, "UPDATE va_events SET id=id+"
                          "(9223372036854775807-(SELECT max(id) FROM va_events))");
  exec (fixture->foreign, "ALTER TABLE va_events ADD COLUMN ts_row INT DEFAULT -9223372036854775808");
  g_assert_true (ts_recording_read_events (ours, 1, n, wanted, &n_read, NULL));
  recording = open_recording (fixture->foreign);
  g_assert_cmpuint (ts_recording_get_n_listed_rows (recording), ==, n);
  g_assert_true (ts_recording_read_events (recording, 1, n, got, &n_read, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_read, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (got[i].time, ==, wanted[i].time);
}

/* Before there is an index rows are read from the other program's table: as they will be in the
 * index, but for those that are missing. */
static void
test_listed (Fixture *fixture,
             gconstpointer data)
{
  g_autofree char *keyless = g_build_filename (fixture->dir, "keyless.vadb", NULL);
  g_autofree char *sql = g_strdup_printf (
      "ATTACH '%s' AS m; CREATE TABLE meta AS SELECT * FROM m.meta;"
      "CREATE TABLE va_summary AS SELECT * FROM m.va_summary;"
      "CREATE TABLE va_objects AS SELECT * FROM m.va_objects;"
      "CREATE TABLE va_events AS SELECT id*7 AS id,t_cycles,kind,start,object_id,object,core,value,"
      "detail,text,flags FROM m.va_events ORDER BY m.va_events.id;",
      fixture->foreign);
  g_autoptr (TsRecording) ours = open_recording (fixture->path);
  guint n = (guint) ts_recording_get_n_rows (ours);
  g_autofree TsEvent *wanted = g_new (TsEvent, n);
  g_autofree TsEvent *got = g_new (TsEvent, n);
  guint n_read = 0;

  make_foreign (fixture->path, fixture->foreign, "id");
  /* it says that it is long */
  exec (fixture->foreign, "UPDATE va_summary SET value='3000000'");
  exec (keyless, sql);
  exec (fixture->foreign, "UPDATE va_events SET id=-id; UPDATE va_events SET id=5-id;"
                          "DELETE FROM va_events WHERE id%1000=500");
  g_assert_true (ts_recording_read_events (ours, 1, n, wanted, &n_read, NULL));
  g_assert_cmpuint (n_read, ==, n);
  g_assert_cmpint (wanted[0].time, ==, 0);

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (TsRecording) recording = open_recording (k == 0 ? fixture->foreign : keyless);
      g_autoptr (GError) error = NULL;

      g_assert_true (ts_index_is_needed (recording));
      g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 0);
      g_assert_cmpuint (ts_recording_get_n_listed_rows (recording), ==, n);
      /* in pieces that do not begin where rows are missing */
      for (guint i = 0; i < n; i += 700)
        {
          g_assert_true (ts_recording_read_events (recording, i + 1, 700, got + i, &n_read, &error));
          g_assert_no_error (error);
          g_assert_cmpuint (n_read, ==, MIN (700, n - i));
        }
      for (guint i = 0; i < n; i++)
        {
          g_autofree char *left = NULL;
          g_autofree char *right = NULL;

          if (k == 0 && (i + 1 + 5) % 1000 == 500)
            {
              g_assert_cmpuint (got[i].kind, ==, TS_EVENT_INVALID);
              continue;
            }
          g_assert_cmpint (got[i].time, ==, wanted[i].time);
          g_assert_cmpuint (got[i].kind, ==, wanted[i].kind);
          g_assert_cmpuint (got[i].object, ==, wanted[i].object);
          left = ts_recording_describe_event (recording, &got[i]);
          right = ts_recording_describe_event (ours, &wanted[i]);
          g_assert_cmpstr (left, ==, right);
        }
      for (guint i = 0; i < n; i += 97)
        g_assert_cmpuint (ts_recording_row_at_time (recording, wanted[i].time), ==,
                          ts_recording_row_at_time (ours, wanted[i].time));
      g_assert_cmpuint (
          ts_recording_row_at_time (recording, ts_recording_get_duration (recording) + 1), ==,
          n + 1);
      g_assert_true (ts_recording_read_events (recording, n + 1, 1, got, &n_read, NULL));
      g_assert_cmpuint (n_read, ==, 0);
    }
}

/* Times of every type, at both ends of what a time can be: in order as the numbers that they are
 * read as. */
static void
test_odd_times (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  guint64 n_events = 0;

  make_foreign (fixture->path, fixture->foreign, "m.va_events.id");
  exec (fixture->foreign,
        "UPDATE va_events SET t_cycles='text' WHERE id=40; UPDATE va_events SET t_cycles=x'61' "
        "WHERE id=50; UPDATE va_events SET t_cycles=NULL WHERE id=60; UPDATE va_events SET "
        "t_cycles=1e300 WHERE id=70; UPDATE va_events SET t_cycles=-9223372036854775808 WHERE id=80; "
        "UPDATE va_events SET t_cycles='  99' WHERE id=90");
  ts_index_reindex (fixture->foreign, NULL, NULL, NULL, &n_events, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_events, >, 9700);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/index/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("foreign", test_foreign);
  ADD ("foreign-unordered", test_foreign_unordered);
  ADD ("changed", test_changed);
  ADD ("unclosed", test_unclosed);
  ADD ("reindex", test_reindex);
  ADD ("late-names", test_late_names);
  ADD ("cancelled", test_cancelled);
  ADD ("trim", test_trim);
  ADD ("bound", test_bound);
  ADD ("samples", test_samples);
  ADD ("listed", test_listed);
  ADD ("listed-hostile", test_listed_hostile);
  ADD ("odd-times", test_odd_times);
#undef ADD

  return g_test_run ();
}
