/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-node.c: packed numbers, buckets and node blobs, good and damaged. */
#include "config.h"

#include <math.h>

#include "lane-fixture.h"
#include "model/ts-lane-node-private.h"

static const TsLaneKind kinds[]
    = { TS_LANE_TASK, TS_LANE_SPAN, TS_LANE_VALUE, TS_LANE_OBJECT, TS_LANE_MESSAGE, TS_LANE_LOSS };

static void
test_pack (void)
{
  g_autoptr (GRand) rand = new_rand ();
  guint64 values[300];
  guint64 back[300];

  for (guint round = 0; round < 2000; round++)
    {
      TsPackWriter writer = { g_byte_array_new (), 0, 0 };
      TsPackReader reader;
      guint n = (guint) g_rand_int_range (rand, 1, G_N_ELEMENTS (values));
      guint max_bits = (guint) g_rand_int_range (rand, 0, 65);
      guint64 alone = (guint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 33);

      for (guint i = 0; i < n; i++)
        {
          guint bits = max_bits == 0 ? 0 : (guint) g_rand_int_range (rand, 0, (gint) max_bits + 1);

          values[i] = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
          values[i] = bits == 0 ? 0 : values[i] >> (64 - bits);
        }
      if (g_rand_int_range (rand, 0, 5) == 0)
        for (guint i = 1; i < n; i++)
          values[i] = values[0];

      _ts_pack_run (&writer, values, n);
      _ts_pack_uint (&writer, alone);
      _ts_pack_run (&writer, values, n);
      _ts_pack_finish (&writer);

      reader = (TsPackReader){ writer.bytes->data, writer.bytes->data + writer.bytes->len, 0, 0,
                               FALSE };
      g_assert_cmpuint (_ts_unpack_run (&reader, back, n), ==, n);
      g_assert_cmpmem (back, n * sizeof back[0], values, n * sizeof values[0]);
      g_assert_cmpuint (_ts_unpack_uint (&reader), ==, alone);
      g_assert_cmpuint (_ts_unpack_run (&reader, back, n), ==, n);
      g_assert_cmpmem (back, n * sizeof back[0], values, n * sizeof values[0]);
      g_assert_false (reader.is_bad);

      /* Flat ones too, at any bit. */
      {
        TsPackWriter flat = { g_byte_array_new (), 0, 0 };

        _ts_pack_run (&flat, values, n / 2);
        _ts_pack_flat_run (&flat, values, n);
        _ts_pack_uint (&flat, alone);
        _ts_pack_finish (&flat);
        reader = (TsPackReader){ flat.bytes->data, flat.bytes->data + flat.bytes->len, 0, 0,
                                 FALSE };
        g_assert_cmpuint (_ts_unpack_run (&reader, back, n / 2), ==, n / 2);
        g_assert_true (_ts_unpack_flat_run (&reader, back, n));
        g_assert_cmpmem (back, n * sizeof back[0], values, n * sizeof values[0]);
        g_assert_cmpuint (_ts_unpack_uint (&reader), ==, alone);
        g_assert_false (reader.is_bad);

        /* Cut or changed: any numbers, or none. */
        flat.bytes->data[g_rand_int_range (rand, 0, (gint) flat.bytes->len)]
            ^= (guint8) g_rand_int (rand);
        reader = (TsPackReader){ flat.bytes->data,
                                 flat.bytes->data
                                     + g_rand_int_range (rand, 0, (gint) flat.bytes->len),
                                 0, 0, FALSE };
        _ts_unpack_run (&reader, back, n / 2);
        if (!_ts_unpack_flat_run (&reader, back, n))
          g_assert_true (reader.is_bad);
        g_byte_array_unref (flat.bytes);
      }

      /* Cut anywhere: what is read is right, and the rest is zero. */
      reader = (TsPackReader){ writer.bytes->data,
                               writer.bytes->data
                                   + g_rand_int_range (rand, 0, (gint) writer.bytes->len),
                               0, 0, FALSE };
      {
        guint n_read = _ts_unpack_run (&reader, back, n);

        g_assert_cmpmem (back, n_read * sizeof back[0], values, n_read * sizeof values[0]);
        for (guint i = n_read; i < n; i++)
          g_assert_cmpuint (back[i], ==, 0);
      }
      g_byte_array_unref (writer.bytes);
    }
}

static void
assert_folds_equal (const TsFold *a,
                    const TsFold *b)
{
  g_assert_cmpint (a->n, ==, b->n);
  if (a->n == 0)
    return;
  g_assert_cmpint (a->first, ==, b->first);
  g_assert_cmpint (a->width_log2, ==, b->width_log2);
  g_assert_cmpmem (a->count, a->n * sizeof a->count[0], b->count, b->n * sizeof b->count[0]);
  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      g_assert_true ((a->ticks[s] == NULL) == (b->ticks[s] == NULL));
      if (a->ticks[s] != NULL)
        g_assert_cmpmem (a->ticks[s], a->n * sizeof (gint64), b->ticks[s], b->n * sizeof (gint64));
    }
  g_assert_true ((a->min == NULL) == (b->min == NULL));
  g_assert_true ((a->lost == NULL) == (b->lost == NULL));
  for (guint i = 0; i < a->n; i++)
    {
      if (a->min != NULL && a->count[i] != 0)
        {
          g_assert_cmpfloat (a->min[i], ==, b->min[i]);
          g_assert_cmpfloat (a->max[i], ==, b->max[i]);
          g_assert_cmpfloat (a->last[i], ==, b->last[i]);
        }
      if (a->lost != NULL)
        g_assert_cmpint (a->lost[i], ==, b->lost[i]);
    }
}

/* Slices of a random lane. */
static GArray *
random_slices (GRand *rand,
               TsLaneKind kind,
               guint n)
{
  TsLaneStore *store = ts_lane_store_new ();
  Lane *lane = lane_new (store, 1, kind);
  GArray *slices;

  while (lane->slices->len < n)
    lane_step (lane, store, rand);
  slices = g_array_ref (lane->slices);
  lane_free (lane);
  ts_lane_store_unref (store);
  return slices;
}

static void
test_node_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsSlice *back = g_new (TsSlice, TS_NODE_SLICES);
  const gdouble odd_values[]
      = { 0.1, -0.0, 1e300, 3.4e38, 5e-324, INFINITY, 16777217, 9007199254740993.0, -1e18 };

  for (guint round = 0; round < 200; round++)
    {
      TsLaneKind kind = kinds[round % G_N_ELEMENTS (kinds)];
      guint n = (guint) g_rand_int_range (rand, 1, round < 20 ? 4 : TS_NODE_SLICES + 1);
      g_autoptr (GArray) array = random_slices (rand, kind, n);
      TsSlice *slices = (TsSlice *) (gpointer) array->data;
      TsFold fold = { 0 };
      TsFold parent = { 0 };
      TsFold read = { 0 };
      g_autoptr (GBytes) blob = NULL;
      g_autoptr (GBytes) parent_blob = NULL;

      if (kind == TS_LANE_VALUE && round % 2 == 0)
        for (guint i = 0; i < n; i++)
          slices[i].value = odd_values[g_rand_int_range (rand, 0, G_N_ELEMENTS (odd_values))];
      if (kind == TS_LANE_TASK)
        for (guint i = 0; i < 100; i++)
          {
            const TsSlice *s = &slices[g_rand_int_range (rand, 0, (gint) n)];

            _ts_fold_add_ticks (&fold, TS_STATE_INTERRUPTED, s->begin, s->end);
          }
      _ts_fold_add_slices (&fold, slices, n, kind == TS_LANE_VALUE);

      blob = _ts_node_encode (slices, n, &fold, kind == TS_LANE_VALUE, NULL);
      memset (back, 0x55, sizeof *back * TS_NODE_SLICES);
      g_assert_cmpuint (_ts_node_decode_slices (blob, back), ==, n);
      g_assert_cmpmem (back, n * sizeof *back, slices, n * sizeof *slices);
      g_assert_true (_ts_node_decode_fold (blob, &read, back));
      assert_folds_equal (&read, &fold);
      _ts_fold_clear (&read);

      _ts_fold_merge (&parent, &fold, 0);
      parent_blob = _ts_node_encode (NULL, 0, &parent, kind == TS_LANE_VALUE, NULL);
      g_assert_cmpuint (_ts_node_decode_slices (parent_blob, back), ==, 0);
      g_assert_true (_ts_node_decode_fold (parent_blob, &read, back));
      assert_folds_equal (&read, &parent);
      _ts_fold_clear (&read);
      _ts_fold_clear (&parent);
      _ts_fold_clear (&fold);
    }
}

/* Two values of which one is exact as an integer and the other as a float: neither code holds
 * both. */
static void
test_mixed_values (void)
{
  TsSlice slices[2] = {
    { .begin = 0, .end = 5, .value = 16777217, .state = TS_STATE_POINT },
    { .begin = 5, .end = 9, .value = -0.0, .state = TS_STATE_POINT },
  };
  g_autofree TsSlice *back = g_new (TsSlice, TS_NODE_SLICES);
  TsFold fold = { 0 };
  g_autoptr (GBytes) blob = NULL;

  _ts_fold_add_slices (&fold, slices, 2, TRUE);
  blob = _ts_node_encode (slices, 2, &fold, TRUE, NULL);
  g_assert_cmpuint (_ts_node_decode_slices (blob, back), ==, 2);
  g_assert_cmpmem (back, sizeof slices, slices, sizeof slices);
  _ts_fold_clear (&fold);
}

/* Any bytes: no crash, no more than fits, slices in order. */
static void
test_node_damaged (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsSlice *back = g_new (TsSlice, TS_NODE_SLICES);
  guint n_rounds = g_test_slow () ? 200000 : 6000;

  for (guint round = 0; round < n_rounds; round++)
    {
      g_autoptr (GBytes) bad = NULL;
      TsFold read = { 0 };
      guint n_read;

      if (round % 4 == 0)
        {
          gsize size = (gsize) g_rand_int_range (rand, 0, 300);
          guint8 *bytes = g_malloc (size + 2);

          for (gsize i = 0; i < size; i++)
            bytes[i] = (guint8) g_rand_int (rand);
          if (size > 0)
            bytes[0] = 1;
          bad = g_bytes_new_take (bytes, size);
        }
      else
        {
          TsLaneKind kind = kinds[round % G_N_ELEMENTS (kinds)];
          guint n = (guint) g_rand_int_range (rand, 1, 200);
          g_autoptr (GArray) array = random_slices (rand, kind, n);
          const TsSlice *slices = (const TsSlice *) (gpointer) array->data;
          TsFold fold = { 0 };
          g_autoptr (GBytes) good = NULL;
          gsize size;
          guint8 *bytes;

          _ts_fold_add_slices (&fold, slices, n, kind == TS_LANE_VALUE);
          good = _ts_node_encode (slices, round % 4 == 1 ? 0 : n, &fold, kind == TS_LANE_VALUE,
                                  NULL);
          bytes = g_memdup2 (g_bytes_get_data (good, &size), g_bytes_get_size (good));
          size = g_bytes_get_size (good);
          for (gint flips = g_rand_int_range (rand, 0, 4); flips > 0; flips--)
            bytes[g_rand_int_range (rand, 0, (gint) size)]
                ^= (guint8) (1u << g_rand_int_range (rand, 0, 8));
          if (g_rand_boolean (rand))
            size = (gsize) g_rand_int_range (rand, 0, (gint) size);
          bad = g_bytes_new_take (bytes, size);
          _ts_fold_clear (&fold);
        }

      n_read = _ts_node_decode_slices (bad, back);
      g_assert_cmpuint (n_read, <=, TS_NODE_SLICES);
      for (guint i = 0; i < n_read; i++)
        {
          g_assert_cmpint (back[i].begin, >=, 0);
          g_assert_cmpint (back[i].begin, <=, back[i].end);
          g_assert_cmpint (back[i].state, <, TS_N_STATES);
          if (i > 0)
            g_assert_cmpint (back[i - 1].end, <=, back[i].end);
        }
      _ts_node_decode_fold (bad, &read, back);
      g_assert_cmpuint (read.n, <=, TS_NODE_BUCKETS);
      _ts_fold_clear (&read);
    }
}

/* The width doubles as a fold grows, in both directions, and nothing gets lost. */
static void
test_fold_grows (void)
{
  TsFold fold = { 0 };
  guint64 count = 0;
  gint64 ticks = 0;
  gint64 other = 0;

  _ts_fold_add_count (&fold, 5000);
  g_assert_cmpint (fold.width_log2, ==, 0);
  g_assert_cmpint (fold.first, ==, 5000);
  _ts_fold_add_count (&fold, 5000 + 1023);
  g_assert_cmpint (fold.width_log2, ==, 0);
  g_assert_cmpint (fold.n, ==, 1024);
  _ts_fold_add_count (&fold, 5000 + 1024);
  g_assert_cmpint (fold.width_log2, ==, 1);
  g_assert_cmpint (fold.first, ==, 2500);
  g_assert_cmpint (fold.n, ==, 513);

  /* Before all others: 100 .. 6024 needs buckets of 8 (741 of them). */
  _ts_fold_add_ticks (&fold, TS_STATE_RUNNING, 100, 300);
  g_assert_cmpint (fold.width_log2, ==, 3);
  g_assert_cmpint (fold.first, ==, 12);
  g_assert_cmpint (fold.n, ==, 6024 / 8 - 12 + 1);
  g_assert_cmpint (fold.ticks[TS_STATE_RUNNING][0], ==, 4);   /* 100 .. 104 */
  g_assert_cmpint (fold.ticks[TS_STATE_RUNNING][1], ==, 8);
  g_assert_cmpint (fold.ticks[TS_STATE_RUNNING][25], ==, 4);  /* 296 .. 300 */

  _ts_fold_add_ticks (&fold, TS_STATE_READY, 0, (gint64) 1 << 40);
  for (guint i = 0; i < fold.n; i++)
    {
      count += fold.count[i];
      ticks += fold.ticks[TS_STATE_RUNNING][i];
      other += fold.ticks[TS_STATE_READY][i];
    }
  g_assert_cmpuint (count, ==, 3);
  g_assert_cmpint (ticks, ==, 200);
  g_assert_cmpint (other, ==, (gint64) 1 << 40);
  g_assert_cmpint (fold.width_log2, ==, 30);
  _ts_fold_clear (&fold);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/model/lane-node/pack", test_pack);
  g_test_add_func ("/model/lane-node/node-round-trip", test_node_round_trip);
  g_test_add_func ("/model/lane-node/mixed-values", test_mixed_values);
  g_test_add_func ("/model/lane-node/node-damaged", test_node_damaged);
  g_test_add_func ("/model/lane-node/fold-grows", test_fold_grows);

  return g_test_run ();
}
