/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-export.c: a recording of two million events as a recording and as trace events, beside a
 * bare SQLite insert of the same rows.
 *
 * The bare insert is what anybody would write: one prepared INSERT per row, with the same journal,
 * page size and commit interval. Ratios are taken within each round, the median of the rounds is
 * told.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/ts-demo-shape.h"
#include "model/ts-export-perfetto.h"
#include "model/ts-export-vadb.h"

#define N_EVENTS 2000000
#define N_ROUNDS 5
#define COMMIT_ROWS 65536

static void
exec (sqlite3 *db,
      const char *sql)
{
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
}

static double
get_seconds_since (gint64 begin_us)
{
  return (double) (g_get_monotonic_time () - begin_us) / 1e6;
}

/* Seconds for the bare insert of all rows, closing included. */
static double
insert_bare (const char *path,
             const TsEvent *events,
             guint n)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  gint64 begin = g_get_monotonic_time ();

  g_unlink (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  exec (db, "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
            "PRAGMA wal_autocheckpoint=4000; PRAGMA cache_size=-16000; "
            "CREATE TABLE e(id INTEGER PRIMARY KEY,t,k,o,v,d); BEGIN");
  g_assert_cmpint (
      sqlite3_prepare_v2 (db, "INSERT INTO e(t,k,o,v,d) VALUES(?,?,?,?,?)", -1, &stmt, NULL), ==,
      SQLITE_OK);

  for (guint i = 0; i < n; i++)
    {
      const TsEvent *event = &events[i];

      sqlite3_bind_int64 (stmt, 1, event->time);
      sqlite3_bind_int64 (stmt, 2, event->kind | event->flags << 16 | event->core << 24);
      sqlite3_bind_int64 (stmt, 3, event->object);
      if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
        sqlite3_bind_double (stmt, 4, ts_event_get_double (event));
      else if (ts_event_kind_get_n_operands (event->kind) > 0)
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
  return get_seconds_since (begin);
}

static int
compare_doubles (const void *a,
                 const void *b)
{
  double left = *(const double *) a;
  double right = *(const double *) b;

  return (left > right) - (left < right);
}

static double
median (double *values)
{
  qsort (values, N_ROUNDS, sizeof *values, compare_doubles);
  return values[N_ROUNDS / 2];
}

int
main (void)
{
  g_autofree char *dir = g_dir_make_tmp ("bench-export-XXXXXX", NULL);
  g_autofree char *whole = g_build_filename (dir, "whole.vadb", NULL);
  g_autofree char *part = g_build_filename (dir, "part.vadb", NULL);
  g_autofree char *bare = g_build_filename (dir, "bare.db", NULL);
  g_autofree char *trace = g_build_filename (dir, "trace.json", NULL);
  g_autofree TsEvent *events = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  double bare_rate[N_ROUNDS];
  double part_rate[N_ROUNDS];
  double ratio[N_ROUNDS];
  double cut[N_ROUNDS];
  guint64 n_written = 0;
  guint n = 0;
  gint64 begin;
  double seconds;
  GStatBuf buf;

  setlocale (LC_ALL, "C.UTF-8");
  if (!ts_demo_shape_record (whole, N_EVENTS, 1, NULL, NULL, NULL, NULL, &error)
      || (recording = ts_recording_open (whole, &error)) == NULL)
    {
      printf ("%s\n", error->message);
      return 77;
    }
  events = g_new (TsEvent, ts_recording_get_n_rows (recording));
  ts_recording_read_events (recording, 1, (guint) ts_recording_get_n_rows (recording), events, &n,
                            NULL);

  options.t_start_us = ts_recording_ticks_to_us (recording, events[n - 1000].time);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      double a = insert_bare (bare, events, n);
      double b;

      begin = g_get_monotonic_time ();
      ts_export_vadb (recording, part, NULL, FALSE, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      b = get_seconds_since (begin);
      bare_rate[round] = n / a / 1e3;
      part_rate[round] = n / b / 1e3;
      ratio[round] = a / b;

      begin = g_get_monotonic_time ();
      ts_export_vadb (recording, part, &options, FALSE, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      cut[round] = get_seconds_since (begin) * 1e3;
    }

  begin = g_get_monotonic_time ();
  ts_export_perfetto (recording, trace, NULL, FALSE, NULL, NULL, NULL, &n_written, &error);
  g_assert_no_error (error);
  seconds = get_seconds_since (begin);
  g_assert_cmpint (g_stat (trace, &buf), ==, 0);

  printf ("bare SQLite insert\t%.0f\tk rows/s\t\tone prepared INSERT per row\n",
          median (bare_rate));
  printf ("export to .vadb\t%.0f\tk rows/s\t\tread, written, statistics, lanes, closed\n",
          median (part_rate));
  printf ("export / bare insert\t%.2f\tx\t>= 0.5\n", median (ratio));
  printf ("the last thousand events\t%.0f\tms\t\tstate of 250 lanes carried in\n", median (cut));
  printf ("export to trace events\t%.0f\tk events/s\t\t%.0f MB/s\n",
          (double) n_written / seconds / 1e3, (double) buf.st_size / seconds / 1e6);

  g_unlink (whole);
  g_unlink (part);
  g_unlink (bare);
  g_unlink (trace);
  g_rmdir (dir);
  return 0;
}
