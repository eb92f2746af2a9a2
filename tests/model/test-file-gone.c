/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-file-gone.c: what is done on other threads with a recording whose file has been removed, or
 * replaced by another one, since it was opened, is done with the recording.
 */
#include "config.h"

#include "analysis-fixture.h"
#include "model/ts-analysis-private.h"
#include "model/ts-statistics.h"

#define N_COLUMNS 500
#define N_PARTS 150
#define WAIT_US (20 * G_USEC_PER_SEC)

typedef enum
{
  FATE_KEPT,
  FATE_REMOVED,
  FATE_REPLACED,
  FATE_REPLACED_BY_NONSENSE,
  N_FATES
} Fate;

typedef struct
{
  char *dir;
  char *path;
  char *other;
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  self->dir = g_dir_make_tmp ("ts-gone-XXXXXX", NULL);
  self->path = g_build_filename (self->dir, "one.vadb", NULL);
  self->other = g_build_filename (self->dir, "other.vadb", NULL);
  sim_write_long (self->path, N_PARTS);
}

static void
tear_down (Fixture *self,
           gconstpointer data)
{
  g_unlink (self->path);
  g_unlink (self->other);
  g_rmdir (self->dir);
  g_free (self->path);
  g_free (self->other);
  g_free (self->dir);
}

static void
let_happen (Fixture *self,
            Fate fate)
{
  if (fate == FATE_REMOVED)
    g_assert_cmpint (g_unlink (self->path), ==, 0);
  if (fate == FATE_REPLACED)
    {
      /* lanes and nodes of the same numbers, with other slices */
      sim_write_long (self->other, N_PARTS);
      g_assert_cmpint (g_rename (self->other, self->path), ==, 0);
    }
  if (fate == FATE_REPLACED_BY_NONSENSE)
    {
      g_assert_true (g_file_set_contents (self->other, "no recording at all", -1, NULL));
      g_assert_cmpint (g_rename (self->other, self->path), ==, 0);
    }
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
wait_for_worker (TsRecording *recording)
{
  gint64 deadline = g_get_monotonic_time () + WAIT_US;

  ts_recording_send_fetches (recording);
  while (ts_recording_is_fetching (recording))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      ts_recording_take_fetched (recording);
      g_thread_yield ();
    }
  ts_recording_take_fetched (recording);
}

/* A picture of @late, which has a worker, against one of @patient, which reads what it needs. */
static void
check_picture (TsRecording *late,
               TsRecording *patient,
               guint32 lane,
               gint64 begin,
               gint64 end)
{
  g_autoptr (GArray) left = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  g_autoptr (GArray) right = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsColumn left_columns[N_COLUMNS];
  TsColumn right_columns[N_COLUMNS];
  gboolean is_coarse = FALSE;
  guint n_rounds = 0;
  TsLaneDetail wanted;
  TsLaneDetail got;

  wanted = ts_recording_query_lane (patient, lane, begin, end, N_COLUMNS, right_columns, right,
                                    G_MAXINT64, NULL);
  got = ts_recording_query_lane (late, lane, begin, end, N_COLUMNS, left_columns, left, 1,
                                 &is_coarse);
  while (is_coarse || got != wanted)
    {
      g_assert_cmpuint (n_rounds++, <, 50);
      wait_for_worker (late);
      got = ts_recording_query_lane (late, lane, begin, end, N_COLUMNS, left_columns, left, 1,
                                     &is_coarse);
    }
  g_assert_cmpint (wanted, !=, TS_LANE_DETAIL_FAILED);
  if (wanted == TS_LANE_DETAIL_COLUMNS)
    for (guint i = 0; i < N_COLUMNS; i++)
      {
        g_assert_cmpuint (left_columns[i].count, ==, right_columns[i].count);
        g_assert_cmpmem (left_columns[i].ticks, sizeof left_columns[i].ticks,
                         right_columns[i].ticks, sizeof right_columns[i].ticks);
      }
  else
    {
      g_assert_cmpuint (left->len, ==, right->len);
      for (guint i = 0; i < left->len; i++)
        {
          const TsSlice *a = &g_array_index (left, TsSlice, i);
          const TsSlice *b = &g_array_index (right, TsSlice, i);

          g_assert_cmpint (a->begin, ==, b->begin);
          g_assert_cmpint (a->end, ==, b->end);
          g_assert_cmpuint (a->state, ==, b->state);
        }
    }
}

/* The worker's connection is made by the name of the file: it must not show another one. */
static void
test_pictures (Fixture *self,
               gconstpointer data)
{
  Fate fate = (Fate) GPOINTER_TO_UINT (data);
  g_autoptr (TsRecording) late = open_recording (self->path);
  g_autoptr (TsRecording) patient = open_recording (self->path);
  gint64 end = ts_recording_get_duration (late);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (late, &n_lanes);

  let_happen (self, fate);
  ts_recording_start_fetching (late, NULL, NULL);
  for (guint i = 0; i < n_lanes; i++)
    for (gint64 span = end; span > 2000; span /= 7)
      {
        gint64 begin = (gint64) (g_test_rand_double () * (double) (end - span));

        check_picture (late, patient, lanes[i].id, begin, begin + span);
      }
  ts_recording_stop_fetching (late);
}

static void
check_same (const TsStatistics *left,
            const TsStatistics *right)
{
  g_assert_cmpuint (left->n_lanes, ==, right->n_lanes);
  g_assert_cmpuint (left->switches, ==, right->switches);
  g_assert_cmpuint (left->preemptions, ==, right->preemptions);
  for (guint i = 0; i < left->n_lanes; i++)
    {
      const TsLaneStatistics *a = &left->lanes[i];
      const TsLaneStatistics *b = &right->lanes[i];

      g_assert_cmpuint (a->n_runs, ==, b->n_runs);
      g_assert_cmpint (a->ticks, ==, b->ticks);
      for (TsMeasure m = 0; m < TS_N_MEASURES; m++)
        {
          g_assert_cmpuint (a->measures[m].count, ==, b->measures[m].count);
          g_assert_cmpint (a->measures[m].sum, ==, b->measures[m].sum);
          g_assert_cmpint (a->measures[m].max, ==, b->measures[m].max);
          g_assert_cmpint (a->measures[m].p99, ==, b->measures[m].p99);
        }
    }
}

/* Figures of several threads, each with a connection of its own. */
static void
test_figures (Fixture *self,
              gconstpointer data)
{
  Fate fate = (Fate) GPOINTER_TO_UINT (data);
  g_autoptr (TsRecording) before = open_recording (self->path);
  g_autoptr (TsRecording) after = open_recording (self->path);
  g_autoptr (TsStatistics) wanted = NULL;
  g_autoptr (TsStatistics) got = NULL;

  for (guint limit = 0; limit < 2; limit++)
    {
      g_clear_pointer (&wanted, ts_statistics_free);
      wanted = _ts_statistics_new_with_limit (before, 0, G_MAXINT64, 0, limit * G_MAXINT64, NULL,
                                              NULL);
      if (limit == 0)
        let_happen (self, fate);
      g_clear_pointer (&got, ts_statistics_free);
      got = _ts_statistics_new_with_limit (after, 0, G_MAXINT64, 0, limit * G_MAXINT64, NULL, NULL);
      check_same (got, wanted);
    }
}

int
main (int argc,
      char **argv)
{
  static const char *const names[N_FATES] = { "kept", "removed", "replaced", "nonsense" };

  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  for (guint fate = 0; fate < N_FATES; fate++)
    {
      g_autofree char *pictures = g_strconcat ("/model/file-gone/pictures/", names[fate], NULL);
      g_autofree char *figures = g_strconcat ("/model/file-gone/figures/", names[fate], NULL);

      g_test_add (pictures, Fixture, GUINT_TO_POINTER (fate), set_up, test_pictures, tear_down);
      g_test_add (figures, Fixture, GUINT_TO_POINTER (fate), set_up, test_figures, tear_down);
    }
  return g_test_run ();
}
