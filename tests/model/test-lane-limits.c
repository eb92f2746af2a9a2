/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-limits.c: the pyramid where there is no time, and where its directory is damaged. */
#include "config.h"

#include "lane-fixture.h"

static void
test_deadline (void)
{
  g_autoptr (GRand) rand = new_rand ();
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, 1, TS_LANE_TASK);
  g_autofree TsColumn *columns = g_new (TsColumn, 1920);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneReader *reader;
  gboolean is_coarse;
  Totals want;
  Totals got;

  while (lane->slices->len < 100000)
    {
      TsSlice slice = { .begin = lane->now,
                        .end = lane->now + g_rand_int_range (rand, 1, 1000),
                        .state = TS_STATE_RUNNING };

      lane_add (lane, store, &slice);
      lane->now = slice.end;
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, lane->now);

  /* Long past: one node is read, and says all, only coarsely. */
  want = brute_totals ((const TsSlice *) (gpointer) lane->slices->data, lane->slices->len,
                       TS_LANE_TASK, 0, lane->now);
  g_assert_cmpint (
      ts_lane_reader_query (reader, 1, 0, lane->now + 1, 1920, columns, found, 1, &is_coarse), ==,
      TS_LANE_DETAIL_COLUMNS);
  g_assert_true (is_coarse);
  got = column_totals (columns, 1920, TS_LANE_TASK);
  assert_totals_equal (&got, &want);
  for (guint i = 0; i + 2 < 1920; i++)
    g_assert_cmpint (columns[i].top_state, ==, TS_STATE_RUNNING);

  /* In time: fine; and from then on what is cached is used whatever the time. */
  ts_lane_reader_query (reader, 1, 0, lane->now + 1, 1920, columns, found, G_MAXINT64, &is_coarse);
  g_assert_false (is_coarse);
  ts_lane_reader_query (reader, 1, 0, lane->now + 1, 1920, columns, found, 1, &is_coarse);
  g_assert_false (is_coarse);

  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

static GBytes *
load_nothing (gint64 blob,
              gpointer user_data)
{
  guint *n_loads = user_data;

  (*n_loads)++;
  return NULL;
}

/* A directory from a damaged file: nonsense is left out, nothing crashes. */
static void
test_bad_directory (void)
{
  g_autoptr (GRand) rand = new_rand ();
  char name[] = "x";
  TsLaneInfo lanes[2] = { { .id = 1, .kind = TS_LANE_TASK, .name = name },
                          { .id = 2, .kind = TS_LANE_SPAN, .name = NULL } };
  g_autofree TsColumn *columns = g_new (TsColumn, 100);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));

  for (guint round = 0; round < 2000; round++)
    {
      TsNodeInfo nodes[40];
      TsLaneReader *reader;
      guint n_loads = 0;
      TsSlice slice;

      for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
        {
          nodes[i] = (TsNodeInfo){
            .lane = (guint32) g_rand_int_range (rand, 0, 4),
            .seq = (guint32) g_rand_int_range (rand, 0, 6),
            .level = (guint8) g_rand_int_range (rand, 0, 20),
            .width_log2 = (guint8) g_rand_int_range (rand, 0, 256),
            .n_slices = g_rand_int (rand),
            .blob = g_rand_int_range (rand, -2, 3),
            .begin = g_rand_int_range (rand, -100, 10000),
            .end = g_rand_int_range (rand, -100, 20000),
          };
          if (i % 2 == 0)
            {
              nodes[i].level = 0;
              nodes[i].seq = i / 2;
            }
        }
      reader = ts_lane_reader_new (lanes, 2, nodes, G_N_ELEMENTS (nodes), 20000, load_nothing,
                                   &n_loads);
      for (guint32 id = 0; id < 4; id++)
        {
          gboolean is_known = id == 1 || id == 2;
          int detail = ts_lane_reader_query (reader, id, -50, 30000, 100, columns, found, 0, NULL);

          g_assert_cmpint (detail != TS_LANE_DETAIL_FAILED, ==, is_known);
          g_assert_false (ts_lane_reader_find (reader, id, 500, 100, &slice));
          g_assert_false (ts_lane_reader_next (reader, id, 500, 1, &slice));
          g_assert_false (ts_lane_reader_next (reader, id, 500, -1, &slice));
        }
      g_assert_cmpint (ts_lane_reader_query (reader, 1, 10, 10, 100, columns, found, 0, NULL), ==,
                       TS_LANE_DETAIL_FAILED);
      g_assert_cmpint (
          ts_lane_reader_query (reader, 1, G_MININT64, G_MAXINT64, 100, columns, found, 0, NULL),
          ==, TS_LANE_DETAIL_FAILED);
      ts_lane_reader_free (reader);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

  g_test_add_func ("/model/lane-limits/deadline", test_deadline);
  g_test_add_func ("/model/lane-limits/bad-directory", test_bad_directory);

  return g_test_run ();
}
