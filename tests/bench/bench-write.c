/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-write.c: events to a finished recording (rows, statistics, lanes, raw log), beside a bare
 * SQLite insert of the same rows.
 *
 * The bare insert is what anybody would write: one prepared INSERT per row into id INTEGER PRIMARY
 * KEY, t, k, o, v, d, with the same journal, page size and commit interval, and nothing else.
 * Ratios are taken within each round, the median of the rounds is told.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "model/ts-recording-writer.h"
#include "model/ts-recording.h"

#define N_EVENTS 2000000
#define N_ROUNDS 5
#define N_TASKS 12
#define N_ISRS 4
#define N_OBJECTS (N_TASKS + N_ISRS + 3)
#define CHUNK 512
#define COMMIT_ROWS 65536
#define RAW_PER_EVENT 8

enum
{
  OBJECT_MUTEX = N_TASKS + N_ISRS + 1,
  OBJECT_QUEUE,
  OBJECT_VALUE
};

static TsEvent *
add (TsEvent *event,
     gint64 *time,
     guint32 step,
     TsEventKind kind,
     guint32 object,
     guint8 flags)
{
  *time += step;
  *event = (TsEvent){ .time = *time, .kind = (guint16) kind, .object = object, .flags = flags };
  return event + 1;
}

/* Switches, interrupts, a mutex, a queue, a value channel: the shape of a busy FreeRTOS target at
 * 168 MHz. */
static TsEvent *
make_events (void)
{
  TsEvent *events = g_new0 (TsEvent, N_EVENTS + 16);
  TsEvent *event = events;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gint64 time = 0;
  guint32 task = 1;

  while (event < events + N_EVENTS)
    {
      guint32 next = (guint32) g_rand_int_range (rand, 1, N_TASKS + 1);
      guint32 isr = N_TASKS + (guint32) g_rand_int_range (rand, 1, N_ISRS + 1);
      guint32 step = (guint32) g_rand_int_range (rand, 200, 6000);

      event = add (event, &time, step, TS_EVENT_ISR, isr, TS_EVENT_FLAG_START);
      if (next % 3 == 0)
        event = add (event, &time, 90, TS_EVENT_QUEUE, OBJECT_QUEUE, TS_EVENT_FLAG_START);
      event = add (event, &time, step / 8, TS_EVENT_ISR, isr, TS_EVENT_FLAG_END);
      event = add (event, &time, 60, TS_EVENT_TASK_SWITCH, task, TS_EVENT_FLAG_END);
      event = add (event, &time, 110, TS_EVENT_TASK_SWITCH, next, TS_EVENT_FLAG_START);
      task = next;
      if (next % 4 == 0)
        {
          event = add (event, &time, step / 3, TS_EVENT_MUTEX, OBJECT_MUTEX, TS_EVENT_FLAG_END);
          event = add (event, &time, step / 2, TS_EVENT_MUTEX, OBJECT_MUTEX, TS_EVENT_FLAG_START);
        }
      if (next % 5 == 0)
        {
          event = add (event, &time, step / 4, TS_EVENT_USER_TRACE, OBJECT_VALUE, 0);
          event[-1].value = g_rand_int_range (rand, -2000, 2000);
        }
    }

  return events;
}

static gint64
file_size (const char *path)
{
  GStatBuf buf;

  return g_stat (path, &buf) == 0 ? (gint64) buf.st_size : 0;
}

static void
exec (sqlite3 *db,
      const char *sql)
{
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
}

/* Seconds for the bare insert, closing included. */
static double
insert_bare (const char *path,
             const TsEvent *events,
             gint64 *n_bytes)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  gint64 begin = g_get_monotonic_time ();

  g_unlink (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  exec (db, "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA "
            "wal_autocheckpoint=4000;"
            "PRAGMA cache_size=-16000; CREATE TABLE e(id INTEGER PRIMARY KEY,t,k,o,v,d); BEGIN");
  g_assert_cmpint (
      sqlite3_prepare_v2 (db, "INSERT INTO e(t,k,o,v,d) VALUES(?,?,?,?,?)", -1, &stmt, NULL), ==,
      SQLITE_OK);

  for (guint i = 0; i < N_EVENTS; i++)
    {
      const TsEvent *event = &events[i];

      sqlite3_bind_int64 (stmt, 1, event->time);
      sqlite3_bind_int64 (stmt, 2, event->kind | event->flags << 16 | event->core << 24);
      sqlite3_bind_int64 (stmt, 3, event->object);
      if (event->kind == TS_EVENT_USER_TRACE)
        sqlite3_bind_int64 (stmt, 4, event->value);
      else
        sqlite3_bind_null (stmt, 4);
      sqlite3_bind_null (stmt, 5);
      sqlite3_step (stmt);
      sqlite3_reset (stmt);
      if (i % COMMIT_ROWS == COMMIT_ROWS - 1)
        exec (db, "COMMIT; BEGIN");
    }

  exec (db, "COMMIT");
  sqlite3_finalize (stmt);
  exec (db, "PRAGMA journal_mode=DELETE");
  sqlite3_close (db);
  *n_bytes = file_size (path);
  return (double) (g_get_monotonic_time () - begin) / 1e6;
}

static void
define_objects (TsEventSink *sink)
{
  for (guint i = 1; i <= N_OBJECTS; i++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = i <= N_TASKS            ? TS_OBJECT_TASK
                    : i <= N_TASKS + N_ISRS ? TS_OBJECT_ISR
                    : i == OBJECT_MUTEX     ? TS_OBJECT_MUTEX
                    : i == OBJECT_QUEUE     ? TS_OBJECT_QUEUE
                                            : TS_OBJECT_USER_TRACE;
      object.name = g_strdup_printf ("object %u", i);
      object.wire_id = (gint32) i;
      object.priority = i <= N_TASKS ? i : TS_OBJECT_UNKNOWN;
      object.is_idle = i == 1;
      sink->iface->define_object (sink, &object);
      g_free (object.name);
    }
}

/* Seconds for the writer with everything it keeps, closing included. */
static double
write_recording (const char *path,
                 const TsEvent *events,
                 gboolean keep_raw_log,
                 double *close_seconds,
                 gint64 *n_bytes)
{
  static guint8 raw[CHUNK * RAW_PER_EVENT];
  TsWriterOptions options = { .keep_raw_log = keep_raw_log };
  gint64 begin = g_get_monotonic_time ();
  gint64 closing;
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);

  sink->iface->set_clock (sink, 168000000);
  define_objects (sink);
  for (guint i = 0; i < N_EVENTS; i += CHUNK)
    {
      guint n = MIN (CHUNK, N_EVENTS - i);

      ts_recording_writer_push_raw (writer, i, 0, raw, n * RAW_PER_EVENT);
      sink->iface->events (sink, events + i, n);
      ts_recording_writer_tick (writer, FALSE, NULL);
    }

  closing = g_get_monotonic_time ();
  if (!ts_recording_writer_close (writer, "end", NULL))
    g_error ("cannot write %s", path);
  *close_seconds = (double) (g_get_monotonic_time () - closing) / 1e6;
  ts_recording_writer_free (writer);
  *n_bytes = file_size (path);
  return (double) (g_get_monotonic_time () - begin) / 1e6;
}

static int
compare_doubles (const void *a,
                 const void *b)
{
  double left = *(const double *) a;
  double right = *(const double *) b;

  return left < right ? -1 : left > right;
}

static double
median (double *values)
{
  qsort (values, N_ROUNDS, sizeof *values, compare_doubles);
  return values[N_ROUNDS / 2];
}

/* Bytes of a table with its share of the tree, by SQLite's own count where it is built with it;
 * else 0. */
static double
table_bytes (const char *path,
             const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT sum(pgsize) FROM dbstat WHERE name='%s'", table);
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  double bytes = 0.0;

  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
      && sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) == SQLITE_OK
      && sqlite3_step (stmt) == SQLITE_ROW)
    bytes = sqlite3_column_double (stmt, 0);
  sqlite3_finalize (stmt);
  sqlite3_close (db);
  return bytes;
}

int
main (void)
{
  g_autofree TsEvent *events = make_events ();
  g_autofree char *dir = g_dir_make_tmp ("bench-write-XXXXXX", NULL);
  g_autofree char *bare = g_build_filename (dir, "bare.db", NULL);
  g_autofree char *full = g_build_filename (dir, "full.vadb", NULL);
  double bare_rate[N_ROUNDS];
  double full_rate[N_ROUNDS];
  double ratio[N_ROUNDS];
  double closing[N_ROUNDS];
  gint64 bare_bytes = 0;
  gint64 full_bytes = 0;

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      double a = insert_bare (bare, events, &bare_bytes);
      double b = write_recording (full, events, TRUE, &closing[round], &full_bytes);

      bare_rate[round] = N_EVENTS / a / 1e3;
      full_rate[round] = N_EVENTS / b / 1e3;
      ratio[round] = a / b;
    }

  g_print ("bare SQLite insert\t%.0f\tk rows/s\t\tone prepared INSERT per row\n",
           median (bare_rate));
  g_print ("recording writer\t%.0f\tk rows/s\t\trows, statistics, lanes, raw log, closed\n",
           median (full_rate));
  g_print ("writer / bare insert\t%.2f\tx\t>= 0.6\n", median (ratio));
  g_print ("closing\t%.3f\ts\t<= 2\n", median (closing));
  g_print ("bare row\t%.1f\tbytes\n", (double) bare_bytes / N_EVENTS);
  g_print ("public row\t%.1f\tbytes\t<= 22\n", table_bytes (full, "ts_events") / N_EVENTS);
  g_print ("slices and buckets\t%.2f\tbytes/event\t<= 4\n",
           table_bytes (full, "ts_blobs") / N_EVENTS);
  g_print ("all but the raw log\t%.1f\tbytes/event\t<= 30\n",
           ((double) full_bytes - table_bytes (full, "raw_log")) / N_EVENTS);

  g_unlink (bare);
  g_unlink (full);
  g_rmdir (dir);
  return 0;
}
