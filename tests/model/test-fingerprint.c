/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-fingerprint.c: a fingerprint stays as small as people can read, and keeps what is busy. */
#include "config.h"

#include <glib/gstdio.h>

#include "model/ts-fingerprint.h"

#define N_PATHS 1500
#define N_TASKS 1100
/* What the header promises. */
#define KEPT_PATHS 256
#define KEPT_TASKS 1024

/* Names may hold points. */
static char *
dup_name (const char *kind,
          guint i,
          const char *metric)
{
  return g_strdup_printf ("%s.a.%u>q.1>c.%s", kind, i, metric);
}

static gboolean
has (TsFingerprint *fingerprint,
     const char *kind,
     guint i,
     const char *metric)
{
  g_autofree char *name = dup_name (kind, i, metric);

  return ts_fingerprint_find (fingerprint, name) != NULL;
}

#define PATH "comms"
#define TASK "tasks"

/* Rates are a shuffle of 1 to n: who is among the first is plain. */
static guint
rate_of (guint i,
         guint n)
{
  return (guint) ((guint64) i * 7919 % n) + 1;
}

static void
add (GString *text,
     const char *kind,
     guint i,
     const char *metric,
     double value)
{
  g_autofree char *name = dup_name (kind, i, metric);

  g_string_append_printf (text, "\"%s\": {\"value\": %.1f},\n", name, value);
}

static void
test_limit (void)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-fingerprint-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "f.vafp.json", NULL);
  g_autoptr (GString) text = g_string_new ("{\"format\": \"vafp\", \"metrics\": {");
  g_autoptr (GError) error = NULL;
  TsFingerprint *fingerprint;
  TsFingerprint *again;

  G_STATIC_ASSERT (N_PATHS < 7919 && N_TASKS < 7919);
  for (guint i = 0; i < N_PATHS; i++)
    add (text, PATH, i, "rate_hz", rate_of (i, N_PATHS));
  /* Figures of an item need not follow each other, and only rates count. */
  for (guint i = 0; i < N_PATHS; i++)
    add (text, PATH, i, "latency_median_us", 1e6 - rate_of (i, N_PATHS));
  for (guint i = 0; i < N_TASKS; i++)
    {
      add (text, TASK, i, "cpu_percent", 50.0);
      add (text, TASK, i, "run_rate_hz", rate_of (i, N_TASKS));
    }
  for (guint i = 0; i < 40; i++)
    {
      add (text, "timers", i, "fire_rate_hz", 0.5);
      add (text, "timers", i, "violation_rate_hz", 0.0);
    }
  g_string_append (text, "\"summary.event_rate_hz\": {\"value\": 0.001}}}");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));

  fingerprint = ts_fingerprint_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_fingerprint_get_n_metrics (fingerprint), ==,
                    2 * N_PATHS + 2 * N_TASKS + 80 + 1);
  ts_fingerprint_limit (fingerprint);
  g_assert_cmpuint (ts_fingerprint_get_n_left_out (fingerprint), ==,
                    N_PATHS - KEPT_PATHS + N_TASKS - KEPT_TASKS);
  g_assert_cmpuint (ts_fingerprint_get_n_metrics (fingerprint), ==,
                    2 * KEPT_PATHS + 2 * KEPT_TASKS + 80 + 1);
  ts_fingerprint_limit (fingerprint);
  g_assert_true (ts_fingerprint_save (fingerprint, path, &error));
  g_assert_no_error (error);
  again = ts_fingerprint_load (path, &error);
  g_assert_no_error (error);
  for (guint turn = 0; turn < 2; turn++)
    {
      TsFingerprint *one = turn == 0 ? fingerprint : again;

      g_assert_cmpuint (ts_fingerprint_get_n_metrics (one), ==,
                        2 * KEPT_PATHS + 2 * KEPT_TASKS + 80 + 1);
      for (guint i = 0; i < N_PATHS; i++)
        {
          gboolean is_kept = rate_of (i, N_PATHS) > N_PATHS - KEPT_PATHS;

          g_assert_cmpint (has (one, PATH, i, "rate_hz"), ==, is_kept);
          g_assert_cmpint (has (one, PATH, i, "latency_median_us"), ==, is_kept);
        }
      for (guint i = 0; i < N_TASKS; i++)
        g_assert_cmpint (has (one, TASK, i, "cpu_percent"), ==,
                         rate_of (i, N_TASKS) > N_TASKS - KEPT_TASKS);
      for (guint i = 0; i < 40; i++)
        g_assert_true (has (one, "timers", i, "violation_rate_hz"));
      g_assert_nonnull (ts_fingerprint_find (one, "summary.event_rate_hz"));
    }
  ts_fingerprint_free (fingerprint);
  ts_fingerprint_free (again);
  g_unlink (path);
  g_rmdir (dir);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/fingerprint/limit", test_limit);
  return g_test_run ();
}
