/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-figures.c: what nodes keep of durations: buckets, merging, bytes, damage. (That ranges
 * come out right: test-analysis.c.) */
#include "config.h"

#include <string.h>

#include "lane-fixture.h"

#include "model/ts-lane-figures-private.h"

/* Every duration lies within 0.8 % of the middle of its bucket, and buckets are in order. */
static void
test_buckets (void)
{
  g_autoptr (GRand) rand = new_rand ();
  guint last = 0;

  for (gint64 ticks = 0; ticks < 5000; ticks++)
    {
      guint bucket = _ts_bucket_of (ticks);

      g_assert_cmpuint (bucket, >=, last);
      g_assert_cmpuint (bucket, <=, last + 1);
      if (ticks < 64)
        g_assert_cmpint (_ts_bucket_middle (bucket), ==, ticks);
      last = bucket;
    }
  for (guint i = 0; i < 100000; i++)
    {
      gint64 ticks = (gint64) (((guint64) g_rand_int (rand) << 29 ^ g_rand_int (rand))
                               >> g_rand_int_range (rand, 2, 60));
      guint bucket = _ts_bucket_of (ticks);

      g_assert_cmpuint (bucket, <, TS_N_BUCKETS);
      g_assert_cmpint (ABS (_ts_bucket_middle (bucket) - ticks), <=, ticks / 125 + 1);
    }
}

static void
assert_same (const TsLaneFigures *left,
             const TsLaneFigures *right)
{
  g_assert_cmpuint (left->n_runs, ==, right->n_runs);
  g_assert_cmpuint (left->preemptions, ==, right->preemptions);
  g_assert_cmpuint (left->blocks, ==, right->blocks);
  g_assert_cmpint (left->ticks, ==, right->ticks);
  g_assert_cmpuint (left->longest_block_object, ==, right->longest_block_object);
  g_assert_cmpint (left->is_nested, ==, right->is_nested);
  g_assert_cmpint (left->end.ready, ==, right->end.ready);
  g_assert_cmpint (left->end.execution, ==, right->end.execution);
  g_assert_cmpint (left->end.last, ==, right->end.last);
  g_assert_cmpint (left->end.before_end, ==, right->end.before_end);
  g_assert_cmpuint (left->end.before, ==, right->end.before);
  g_assert_cmpint (left->end.has_run, ==, right->end.has_run);
  g_assert_cmpint (left->end.is_waiting, ==, right->end.is_waiting);
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      const TsFigure *a = &left->measures[m];
      const TsFigure *b = &right->measures[m];
      guint n = left->buckets[m] != NULL ? left->buckets[m]->len : 0;

      g_assert_cmpuint (a->count, ==, b->count);
      g_assert_cmpint (a->sum, ==, b->sum);
      g_assert_cmpint (a->min, ==, b->min);
      g_assert_cmpint (a->max, ==, b->max);
      g_assert_cmpint (a->min_begin, ==, b->min_begin);
      g_assert_cmpint (a->min_end, ==, b->min_end);
      g_assert_cmpint (a->max_begin, ==, b->max_begin);
      g_assert_cmpint (a->max_end, ==, b->max_end);
      g_assert_cmpint (left->firsts[m].begin, ==, right->firsts[m].begin);
      if (left->firsts[m].begin >= 0)
        {
          g_assert_cmpint (left->firsts[m].end, ==, right->firsts[m].end);
          g_assert_cmpint (left->firsts[m].ticks, ==, right->firsts[m].ticks);
        }
      g_assert_cmpuint (n, ==, right->buckets[m] != NULL ? right->buckets[m]->len : 0);
      for (guint i = 0; i < n; i++)
        {
          const TsBucketCount *from = &g_array_index (left->buckets[m], TsBucketCount, i);
          const TsBucketCount *to = &g_array_index (right->buckets[m], TsBucketCount, i);

          g_assert_cmpuint (from->bucket, ==, to->bucket);
          g_assert_cmpuint (from->count, ==, to->count);
        }
    }
}

/* Pieces of any size merge to the figures of the whole, also by way of bytes. */
static void
test_merged (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_SPAN };
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_MEASURES);
  g_autoptr (GByteArray) locks = g_byte_array_new ();

  g_byte_array_set_size (locks, 10);
  memset (locks->data, 0, 10);
  locks->data[3] = locks->data[7] = 1;
  for (guint round = 0; round < 60; round++)
    {
      TsLaneKind kind = kinds[round % G_N_ELEMENTS (kinds)];
      TsLaneStore *store = ts_lane_store_new ();
      Lane *lane = lane_new (store, 7, kind);
      TsFigureMaker *in_pieces = _ts_figure_maker_new (kind);
      TsFigureMaker *at_once = _ts_figure_maker_new (kind);
      const TsSlice *slices;
      TsLaneFigures whole;
      TsLaneFigures sum;

      while (lane->slices->len < 3000)
        lane_step (lane, store, rand);
      slices = (const TsSlice *) (gpointer) lane->slices->data;
      _ts_figure_maker_make (at_once, slices, lane->slices->len, locks, NULL, scratch, &whole);
      _ts_figures_init (&sum);
      for (guint at = 0; at < lane->slices->len;)
        {
          guint wanted = (guint) g_rand_int_range (rand, 0, round % 3 == 0 ? 4 : 900);
          guint n = MIN (wanted, lane->slices->len - at);
          g_autoptr (GBytes) bytes = NULL;
          TsLaneFigures piece;
          TsLaneFigures back;

          _ts_figure_maker_make (in_pieces, slices + at, n, locks, NULL, scratch, &piece);
          bytes = _ts_figures_encode (&piece);
          g_assert_true (_ts_figures_decode (bytes, &back));
          assert_same (&piece, &back);
          _ts_figures_merge (&sum, &back);
          _ts_figures_clear (&piece);
          _ts_figures_clear (&back);
          at += n;
        }
      assert_same (&sum, &whole);
      g_assert_cmpuint (whole.measures[TS_MEASURE_RUN].count, >, 0);
      _ts_figures_clear (&sum);
      _ts_figures_clear (&whole);
      _ts_figure_maker_free (in_pieces);
      _ts_figure_maker_free (at_once);
      lane_free (lane);
      ts_lane_store_unref (store);
    }
}

/* Damaged bytes give damaged figures or none, and nothing else. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_MEASURES);
  TsLaneStore *store = ts_lane_store_new ();
  Lane *lane = lane_new (store, 7, TS_LANE_TASK);
  TsFigureMaker *maker = _ts_figure_maker_new (TS_LANE_TASK);
  TsLaneFigures figures;
  g_autoptr (GBytes) good = NULL;
  gsize size = 0;
  const guint8 *data;

  while (lane->slices->len < 4000)
    lane_step (lane, store, rand);
  _ts_figure_maker_make (maker, (const TsSlice *) (gpointer) lane->slices->data, 4000, NULL,
                         NULL,
                         scratch, &figures);
  good = _ts_figures_encode (&figures);
  _ts_figures_clear (&figures);
  data = g_bytes_get_data (good, &size);
  for (guint round = 0; round < 4000; round++)
    {
      guint8 *copy = g_memdup2 (data, size);
      gsize n = round % 3 == 0 ? (gsize) g_rand_int_range (rand, 0, (gint32) size) : size;
      g_autoptr (GBytes) bad = NULL;

      for (guint i = 0; round % 3 != 0 && i < 1 + round % 5; i++)
        copy[g_rand_int_range (rand, 0, (gint32) size)] ^= (guint8) g_rand_int (rand);
      bad = g_bytes_new_take (copy, n);
      if (_ts_figures_decode (bad, &figures))
        {
          TsLaneFigures sum;

          _ts_figures_init (&sum);
          _ts_figures_merge (&sum, &figures);
          _ts_figures_clear (&sum);
        }
      _ts_figures_clear (&figures);
    }
  _ts_figure_maker_free (maker);
  lane_free (lane);
  ts_lane_store_unref (store);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/lane-figures/buckets", test_buckets);
  g_test_add_func ("/model/lane-figures/merged", test_merged);
  g_test_add_func ("/model/lane-figures/damaged", test_damaged);
  return g_test_run ();
}
