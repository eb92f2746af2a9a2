/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-missing-rows.c: recordings of which rows are missing. */
#include "config.h"

#include "model/ts-export-vadb.h"
#include "model/ts-export.h"

#include "capture-fixture.h"
#include "open-fixture.h"

static void
exec (const char *path,
      const char *sql)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "part.vadb");
  fixture_decode ("m4_short.cobs", "va-cobs", fixture->path);
  fixture_open (fixture);
}

static gboolean
is_missing (guint64 row)
{
  return (row >= 100 && row < 103) || (row >= 4090 && row < 4110) || row == 1;
}

#define MISSING "rowid=1 OR (rowid>=100 AND rowid<103) OR (rowid>=4090 AND rowid<4110)"
#define N_MISSING 24

/* Rows that somebody took out, or that a rescue of a damaged file did not find: the others keep their
 * numbers, and none is told twice. */
static void
test_missing_rows (Fixture *fixture,
                   gconstpointer data)
{
  guint n_rows = (guint) ts_recording_get_n_rows (fixture->recording);
  g_autofree TsEvent *whole = NULL;
  g_autofree TsEvent *events = g_new (TsEvent, n_rows);
  g_autofree char *csv = g_build_filename (fixture->dir, "rows.csv", NULL);
  g_autofree char *text = NULL;
  g_autoptr (TsRecording) part = NULL;
  guint64 n_exported = 0;
  guint n = 0;

  whole = g_new (TsEvent, n_rows);
  g_assert_true (ts_recording_read_events (fixture->recording, 1, n_rows, whole, &n, NULL));
  g_assert_cmpuint (n, ==, n_rows);
  g_clear_object (&fixture->recording);
  exec (fixture->path, "DELETE FROM ts_events WHERE " MISSING);
  fixture_open (fixture);
  g_assert_cmpuint (ts_recording_get_n_rows (fixture->recording), ==, n_rows);
  for (guint row = 1; row <= n_rows; row += n)
    {
      guint want = (guint) g_test_rand_int_range (1, 5000);

      want = MIN (want, n_rows - row + 1);
      g_assert_true (ts_recording_read_events (fixture->recording, row, want, events + row - 1, &n,
                                               NULL));
      g_assert_cmpuint (n, ==, want);
    }
  for (guint row = 1; row <= n_rows; row++)
    if (is_missing (row))
      g_assert_cmpuint (events[row - 1].kind, ==, TS_EVENT_INVALID);
    else
      g_assert_cmpmem (&events[row - 1], sizeof *events, &whole[row - 1], sizeof *events);

  for (guint row = 2; row <= n_rows; row += 13)
    {
      guint64 first = ts_recording_row_at_time (fixture->recording, whole[row - 1].time);

      if (is_missing (row))
        continue;
      g_assert_cmpuint (first, <=, row);
      for (; first < row; first++)
        g_assert_true (is_missing (first) || whole[first - 1].time == whole[row - 1].time);
    }

  g_assert_true (ts_export_csv (fixture->recording, csv, NULL, FALSE, NULL, NULL, NULL, &n_exported,
                                NULL));
  g_assert_cmpuint (n_exported, ==, n_rows - N_MISSING);
  g_assert_true (ts_export_vadb (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL, NULL,
                                 NULL, NULL));
  part = ts_recording_open (fixture->output, NULL);
  text = fixture_sql (fixture->output, "SELECT count(*) FROM va_events WHERE kind NOT NULL");
  g_assert_cmpuint (g_ascii_strtoull (text, NULL, 10), ==, n_rows - N_MISSING);
  g_assert_cmpuint (ts_recording_get_n_rows (part), ==, n_rows - N_MISSING);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

  g_test_add ("/model/missing-rows/are-told", Fixture, NULL, set_up, test_missing_rows, tear_down);

  return g_test_run ();
}
