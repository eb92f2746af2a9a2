/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recording-files.h: a folder with a recording for each test, and what is in it. */
#pragma once

#include "recording-fixture.h"

typedef struct
{
  char *dir;
  char *path;
} Fixture;

static inline void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->dir = fixture_dir ();
  fixture->path = g_build_filename (fixture->dir, "r.vadb", NULL);
}

static inline void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  fixture_remove_dir (fixture->dir);
  g_free (fixture->dir);
  g_free (fixture->path);
}

static inline void
assert_sql (const char *path,
            const char *sql,
            const char *expected)
{
  g_autofree char *got = fixture_sql (path, sql);

  g_assert_cmpstr (got, ==, expected);
}

static inline void
assert_no_side_files (const char *path)
{
  static const char * const suffixes[] = { "-wal", "-shm", "-journal" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *name = g_strconcat (path, suffixes[i], NULL);

      g_assert_false (g_file_test (name, G_FILE_TEST_EXISTS));
    }
}

static inline void
exec_sql (const char *path,
          const char *sql)
{
  sqlite3 *db = NULL;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, &message) != SQLITE_OK)
    g_error ("%s: %s", sql, message);
  sqlite3_close (db);
}
