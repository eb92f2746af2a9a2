/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-many.c: a store of more lanes than can be kept open. */
#include "config.h"

#include "lane-fixture.h"

/* As many slices in a window as there should be, and as much time of each state. */
static void
check_window (TsLaneReader *reader,
              const Lane *lane,
              gint64 begin,
              gint64 end)
{
  enum
  {
    N_COLUMNS = 100,
  };
  TsColumn columns[N_COLUMNS];
  const TsSlice *slices = (const TsSlice *) (gpointer) lane->slices->data;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  Totals want = brute_totals (slices, lane->slices->len, lane->info.kind, begin, end);
  Totals got;
  int detail = ts_lane_reader_query (reader, lane->info.id, begin, end, N_COLUMNS, columns, found,
                                     0, NULL);

  if (detail == TS_LANE_DETAIL_COLUMNS)
    {
      got = column_totals (columns, N_COLUMNS, lane->info.kind);
      assert_totals_equal (&got, &want);
      return;
    }
  g_assert_cmpint (detail, ==, TS_LANE_DETAIL_SLICES);
  for (guint i = 0, at = 0; i < lane->slices->len; i++)
    if (is_in_window (&slices[i], begin, end))
      g_assert_cmpmem (&g_array_index (found, TsSlice, at++), sizeof (TsSlice), &slices[i],
                       sizeof (TsSlice));
}

/* A few slices at a time become nodes, and what comes later goes on behind them. */
static void
test_many_lanes (void)
{
  enum
  {
    N_OTHERS = 700,
    N_FILL = 2100,
    N_ROUNDS = 6,
  };
  g_autoptr (GRand) rand = new_rand ();
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, 7, TS_LANE_TASK);
  TsLaneReader *reader;
  guint n_nodes = 0;
  gint64 now = 0;

  for (guint i = 0; i < N_OTHERS; i++)
    {
      TsLaneInfo info = { .id = 8 + i, .kind = TS_LANE_TASK };

      ts_lane_store_define_lane (store, &info);
    }
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      for (guint i = 0; i < 300; i++)
        lane_step (lane, store, rand);
      for (guint j = 0; j < N_FILL; j++)
        {
          TsSlice slice = { .begin = now, .end = now + 1, .state = TS_STATE_RUNNING };

          now++;
          for (guint i = 0; i < N_OTHERS; i++)
            ts_lane_store_add_slice (store, 8 + i, &slice);
        }
      for (guint i = 0; i < 20; i++)
        blob_store_save (blobs, store);
      g_assert_cmpuint (blobs->nodes->len, >=, n_nodes + N_OTHERS + 1);
      n_nodes = blobs->nodes->len;
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, MAX (lane->now, now));
  for (guint round = 0; round < 400; round++)
    {
      gint64 begin = (gint64) (g_rand_double (rand) * (double) lane->now);
      gint64 span = lane->now >> g_rand_int_range (rand, 0, 30);

      check_window (reader, lane, begin, begin + span + 1);
    }
  check_window (reader, lane, 0, lane->now + 1);

  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

/* Of a lane's first node of level 1, what it would be made of waits as it is: lanes of any small
 * number of nodes, that end with the last of them or a little later, say what was put into them. */
static void
test_few_nodes (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint n_full = 0; n_full <= 6; n_full++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        TsLaneStore *store = ts_lane_store_new ();
        BlobStore *blobs = blob_store_new ();
        Lane *lane = lane_new (store, 7, kinds[k]);
        guint n_slices = n_full * TS_NODE_SLICES
                         + (guint) (n_full > 0 && g_rand_boolean (rand)
                                        ? 0
                                        : g_rand_int_range (rand, 1, TS_NODE_SLICES));
        guint n_nodes;
        guint n_above = 0;
        guint n_want;
        TsLaneReader *reader;

        while (lane->slices->len < n_slices)
          lane_step (lane, store, rand);
        n_nodes = (lane->slices->len + TS_NODE_SLICES - 1) / TS_NODE_SLICES;
        ts_lane_store_seal_all (store);
        blob_store_save (blobs, store);
        for (guint i = 0; i < blobs->nodes->len; i++)
          n_above += g_array_index (blobs->nodes, TsNodeInfo, i).level > 0;
        g_assert_cmpuint (blobs->nodes->len - n_above, ==, n_nodes);
        /* Fours, and what is left of a lane that has one: of level 1, and of level 2 above two. */
        n_want = n_nodes / 4 + (n_nodes > 4 && n_nodes % 4 > 1);
        g_assert_cmpuint (n_above, ==, n_want + (n_want > 1));

        reader = blob_store_read (blobs, store, lane->now);
        for (guint round = 0; round < 60; round++)
          {
            gint64 begin = (gint64) (g_rand_double (rand) * (double) lane->now);
            gint64 span = lane->now >> g_rand_int_range (rand, 0, 20);

            check_window (reader, lane, begin, begin + span + 1);
          }
        check_window (reader, lane, 0, lane->now + 1);
        ts_lane_reader_free (reader);
        lane_free (lane);
        blob_store_free (blobs);
        ts_lane_store_unref (store);
      }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/lane-many/many-lanes", test_many_lanes);
  g_test_add_func ("/model/lane-many/few-nodes", test_few_nodes);
  return g_test_run ();
}
