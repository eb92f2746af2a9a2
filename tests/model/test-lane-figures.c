/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-figures.c: what nodes keep of durations and of their slices: buckets, merging, bytes,
 * damage, the way past nodes. (That ranges come out right: test-analysis.c.) */
#include "config.h"

#include <string.h>

#include "lane-fixture.h"

#include "model/ts-lane-skip-private.h"

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
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
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
      TsFigureMaker *in_sections = _ts_figure_maker_new (kind);
      const TsSlice *slices;
      TsLaneFigures whole;
      TsLaneFigures sum;
      TsNodeSections sections;

      while (lane->slices->len < 3000)
        lane_step (lane, store, rand);
      slices = (const TsSlice *) (gpointer) lane->slices->data;
      _ts_figure_maker_make (at_once, slices, lane->slices->len, locks, NULL, 0, scratch,
                             &whole, NULL);
      _ts_sections_init (&sections);
      _ts_figure_maker_make (in_sections, slices, lane->slices->len, locks, NULL, 0, scratch,
                             &sum, &sections);
      assert_same (&sum, &whole);
      _ts_figures_clear (&sum);
      _ts_sections_clear (&sections);
      for (guint m = 0; m < TS_N_SCRATCH_BUCKETS; m++)
        g_assert_null (_ts_buckets_pack (&scratch[m]));
      _ts_figures_init (&sum);
      for (guint at = 0; at < lane->slices->len;)
        {
          guint wanted = (guint) g_rand_int_range (rand, 0, round % 3 == 0 ? 4 : 900);
          guint n = MIN (wanted, lane->slices->len - at);
          g_autoptr (GBytes) bytes = NULL;
          TsLaneFigures piece;
          TsLaneFigures back;

          _ts_figure_maker_make (in_pieces, slices + at, n, locks, NULL, 0, scratch, &piece, NULL);
          bytes = _ts_figures_encode (&piece);
          g_assert_true (_ts_figures_decode (bytes, &back, NULL));
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
      _ts_figure_maker_free (in_sections);
      lane_free (lane);
      ts_lane_store_unref (store);
    }
}

/* The most interrupts in a window that ends with one of [@first, @last) and in which they took long
 * enough, from a look at all of them. */
static guint64
count_storm (const TsSlice *slices,
             guint first,
             guint last,
             gint64 window)
{
  guint64 most = 0;

  for (guint i = first; i < last; i++)
    {
      guint64 count = 0;
      gint64 ticks = 0;

      for (guint k = i + 1; k-- > 0 && slices[k].begin >= slices[i].begin - window;)
        {
          count++;
          ticks += slices[k].end - slices[k].begin;
        }
      if (count >= 50 && ticks * 5 >= window)
        most = MAX (most, count);
    }
  return most;
}

/* What nodes of any size tell of storms is what a look at all interrupts tells; together too. */
static void
test_storms (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
  g_autofree TsSlice *slices = g_new0 (TsSlice, 12000);
  guint n_nodes[2] = { 0 };

  for (guint round = 0; round < 12; round++)
    {
      TsFigureMaker *maker = _ts_figure_maker_new (TS_LANE_ISR);
      gint64 window = g_rand_int_range (rand, 1000, 20000);
      gint64 time = 0;
      gint32 gap = 10;
      TsLaneFigures sum;

      _ts_figures_init (&sum);
      for (guint i = 0; i < 12000; i++)
        {
          if (g_rand_int_range (rand, 0, 200) == 0)
            gap = g_rand_int_range (rand, 2, 500);
          time += g_rand_int_range (rand, 0, gap);
          slices[i] = (TsSlice){ .begin = time, .state = TS_STATE_RUNNING };
          time += g_rand_int_range (rand, 0, gap);
          slices[i].end = time;
        }
      for (guint at = 0, n = 0; at < 12000; at += n)
        {
          TsLaneFigures piece;
          TsLaneFigures back;
          g_autoptr (GBytes) bytes = NULL;

          n = (guint) g_rand_int_range (rand, 1, round % 2 == 0 ? 300 : 4097);
          n = MIN (n, 12000 - at);
          _ts_figure_maker_make (maker, slices + at, n, NULL, NULL, window, scratch, &piece, NULL);
          bytes = _ts_figures_encode (&piece);
          g_assert_true (_ts_figures_decode (bytes, &back, NULL));
          g_assert_cmpint (back.head.storm_window, ==, window);
          g_assert_cmpuint (back.head.storm_count, ==, count_storm (slices, at, at + n, window));
          n_nodes[back.head.storm_count > 0]++;
          _ts_figures_merge (&sum, &back);
          _ts_figures_clear (&piece);
          _ts_figures_clear (&back);
        }
      g_assert_cmpint (sum.head.storm_window, ==, window);
      g_assert_cmpuint (sum.head.storm_count, ==, count_storm (slices, 0, 12000, window));
      _ts_figures_clear (&sum);
      _ts_figure_maker_free (maker);
    }
  g_test_message ("%u nodes without a storm, %u with one", n_nodes[0], n_nodes[1]);
  g_assert_cmpuint (MIN (n_nodes[0], n_nodes[1]), >, 0);
}

/* A clock that changes, or that nobody knows, is no ground for a number. */
static void
test_storm_clock (void)
{
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
  TsFigureMaker *maker = _ts_figure_maker_new (TS_LANE_ISR);
  TsSlice slice = { .begin = 5, .end = 9, .state = TS_STATE_RUNNING };
  static const gint64 windows[] = { 100, 100, 0, 200 };
  TsLaneFigures sum;

  _ts_figures_init (&sum);
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    {
      TsLaneFigures piece;

      slice.begin += 1000;
      slice.end += 1000;
      _ts_figure_maker_make (maker, &slice, 1, NULL, NULL, windows[i], scratch, &piece, NULL);
      g_assert_cmpint (piece.head.storm_window, ==, windows[i]);
      _ts_figures_merge (&sum, &piece);
      g_assert_cmpint (sum.head.storm_window, ==, i < 2 ? 100 : 0);
      _ts_figures_clear (&piece);
    }
  _ts_figures_clear (&sum);
  _ts_figure_maker_free (maker);
}

/* A node whose windows reach back to before the clock was known, or was another, tells no number: it
 * has not seen all of them. The next one that has does. */
static void
test_storm_late_clock (void)
{
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
  TsSlice slices[120];
  /* the middle of the storm lies where the second node begins */
  static const guint stops[] = { 0, 30, 60, 61, 120 };
  static const gboolean is_known[] = { FALSE, FALSE, TRUE, TRUE };

  for (guint i = 0; i < 120; i++)
    slices[i] = (TsSlice){ .begin = i * 10 + (i < 60 ? 0 : 100000) + (i < 61 ? 0 : 100000),
                           .state = TS_STATE_RUNNING };
  for (guint i = 0; i < 120; i++)
    slices[i].end = slices[i].begin + 5;
  g_assert_cmpuint (count_storm (slices, 30, 60, 1000), ==, 60);

  for (gint64 before = 0; before <= 500; before += 500)
    {
      TsFigureMaker *maker = _ts_figure_maker_new (TS_LANE_ISR);

      for (guint node = 0; node < G_N_ELEMENTS (is_known); node++)
        {
          guint first = stops[node];
          TsLaneFigures piece;

          _ts_figure_maker_make (maker, slices + first, stops[node + 1] - first, NULL, NULL,
                                 node == 0 ? before : 1000, scratch, &piece, NULL);
          g_assert_cmpint (piece.head.storm_window, ==,
                           is_known[node] ? 1000 : node == 0 ? before : 0);
          if (is_known[node])
            g_assert_cmpuint (piece.head.storm_count, ==,
                              count_storm (slices, first, stops[node + 1], 1000));
          _ts_figures_clear (&piece);
        }
      _ts_figure_maker_free (maker);
    }
}

/* Damaged bytes give damaged figures or none, and nothing else. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree TsBuckets *scratch = g_new0 (TsBuckets, TS_N_SCRATCH_BUCKETS);
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
                         NULL, 0, scratch, &figures, NULL);
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
      if (_ts_figures_decode (bad, &figures, NULL))
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

/* ---- heads: against a look at every slice ---- */

/* 2 * 16 + 2: the last two are in a node of level 1 that is in none of level 2, but there is one
 * of level 3. */
#define N_NODES 34
/* Longer than random ones. */
#define LONG_WAIT ((gint64) 1 << 42)

/* Interrupts one after the other, in bursts. */
static void
add_interrupt (Lane *lane,
               TsLaneStore *store,
               GRand *rand)
{
  TsSlice slice = { .state = TS_STATE_RUNNING };

  lane->now += g_rand_int_range (rand, 0, 300) == 0 ? random_length (rand) : 0;
  slice.begin = lane->now + g_rand_int_range (rand, 1, 90);
  slice.end = slice.begin + g_rand_int_range (rand, 0, 50);
  lane_add (lane, store, &slice);
  lane->now = slice.end;
}

static const TsSlice *
get_slice (const Lane *lane,
           guint i)
{
  return &g_array_index (lane->slices, TsSlice, i);
}

static int
compare_acts (gconstpointer a,
              gconstpointer b)
{
  guint64 left = *(const guint64 *) a;
  guint64 right = *(const guint64 *) b;

  return left < right ? -1 : left > right;
}

/* What the head of slices [@first, @last) has to say. */
static void
make_head (const Lane *lane,
           guint first,
           guint last,
           TsLaneHead *head)
{
  memset (head, 0, sizeof *head);
  head->crowd = G_MAXINT64;
  head->acts = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint i = first; i < last; i++)
    {
      const TsSlice *slice = get_slice (lane, i);
      gint64 ticks = slice->end - slice->begin;
      guint64 act = TS_HEAD_ACT (slice->kind & TS_SLICE_KIND_MASK, slice->arg);
      gboolean is_first = (head->states & 1u << slice->state) == 0;
      guint k = 0;

      while (k < head->acts->len && g_array_index (head->acts, guint64, k) != act)
        k++;
      if (lane->info.kind == TS_LANE_OBJECT)
        {
          if (k == head->acts->len)
            g_array_append_val (head->acts, act);
          continue;
        }
      head->states |= 1u << slice->state;
      if (is_first || ticks < head->shortest[slice->state])
        head->shortest[slice->state] = ticks;
      if (is_first || ticks > head->longest[slice->state])
        head->longest[slice->state] = ticks;
      if (lane->info.kind == TS_LANE_ISR && i >= TS_HEAD_CROWD - 1)
        head->crowd = MIN (head->crowd,
                           slice->begin - get_slice (lane, i - (TS_HEAD_CROWD - 1))->begin);
    }
  g_array_sort (head->acts, compare_acts);
}

static void
assert_same_head (const TsLaneHead *head,
                  const TsLaneHead *wanted)
{
  g_assert_cmpuint (head->states, ==, wanted->states);
  for (guint s = 0; s < TS_N_STATES; s++)
    if ((wanted->states & 1u << s) != 0)
      {
        g_assert_cmpint (head->shortest[s], ==, wanted->shortest[s]);
        g_assert_cmpint (head->longest[s], ==, wanted->longest[s]);
      }
  g_assert_cmpint (head->crowd, ==, wanted->crowd);
  g_assert_cmpuint (head->acts != NULL ? head->acts->len : 0, ==, wanted->acts->len);
  for (guint i = 0; i < wanted->acts->len; i++)
    g_assert_cmpuint (g_array_index (head->acts, guint64, i), ==,
                      g_array_index (wanted->acts, guint64, i));
}

typedef struct
{
  gint64 longer_than;
  guint state;
  gint64 after;
  gint64 before;
} Wanted;

static gboolean
lies_between (const TsNodeInfo *info,
              gpointer user_data)
{
  const Wanted *self = user_data;

  return info->end >= self->after && info->begin <= self->before;
}

static gboolean
holds_longer (const TsLaneHead *head,
              gpointer user_data)
{
  const Wanted *self = user_data;

  return (head->states & 1u << self->state) != 0 && head->longest[self->state] > self->longer_than;
}

/* The way past nodes meets the same ones as a look at each of them. */
static void
check_way (const Lane *lane,
           TsLaneReader *reader,
           const TsReaderLane *found,
           GRand *rand)
{
  for (guint round = 0; round < 300; round++)
    {
      guint n = _ts_reader_lane_n_nodes (found, 0);
      guint run = (guint) g_rand_int_range (rand, 0, (gint32) n + 2);
      int direction = g_rand_boolean (rand) ? 1 : -1;
      Wanted wanted = { (gint64) 1 << g_rand_int_range (rand, 5, 40),
                        (guint) g_rand_int_range (rand, TS_STATE_RUNNING, TS_STATE_SUSPENDED + 1),
                        0, G_MAXINT64 };
      TsNodeQuestion question = { lies_between, holds_longer, &wanted };
      guint at;

      /* The longest wait of all is the last slice. */
      if (round == 0)
        {
          run = 0;
          direction = 1;
          wanted.state = TS_STATE_READY;
          wanted.longer_than = LONG_WAIT - 1;
        }
      at = run;
      if (round % 3 == 1)
        wanted.after = get_slice (lane, (guint) g_rand_int_range (rand, 0, 110000))->begin;
      if (round % 5 == 2)
        wanted.before = get_slice (lane, (guint) g_rand_int_range (rand, 20000, 130000))->end;
      for (; at < n; at += (guint) direction)
        {
          const TsSlice *slices = get_slice (lane, at * TS_NODE_SLICES);
          guint n_slices = MIN (TS_NODE_SLICES, lane->slices->len - at * TS_NODE_SLICES);
          guint i = 0;

          while (i < n_slices
                 && (slices[i].state != wanted.state
                     || slices[i].end - slices[i].begin <= wanted.longer_than))
            i++;
          if (i < n_slices && slices[n_slices - 1].end >= wanted.after
              && slices[0].begin <= wanted.before)
            break;
        }
      g_assert_cmpuint (_ts_lane_find_run (reader, found, run, direction, &question), ==, at);
    }
}

static void
test_heads (void)
{
  static const TsLaneKind kinds[]
      = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_SPAN, TS_LANE_OBJECT, TS_LANE_TOGGLE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      TsLaneStore *store = ts_lane_store_new ();
      Lane *lane = lane_new (store, 7, kinds[k]);
      TsLaneReader *reader = ts_lane_reader_new_live (store, NULL, NULL);
      const TsReaderLane *found;

      while (lane->slices->len < N_NODES * TS_NODE_SLICES - 1000)
        if (kinds[k] == TS_LANE_ISR)
          add_interrupt (lane, store, rand);
        else
          lane_step (lane, store, rand);
      if (kinds[k] == TS_LANE_TASK)
        {
          TsSlice slice = { .begin = lane->now, .end = lane->now + LONG_WAIT,
                            .state = TS_STATE_READY };

          lane_add (lane, store, &slice);
          lane->now = slice.end;
        }
      ts_lane_store_seal_all (store);
      ts_lane_store_publish (store, lane->now);
      ts_lane_reader_sync (reader);
      found = _ts_lane_reader_find_lane (reader, 7);
      g_assert_cmpuint (_ts_reader_lane_n_nodes (found, 0), ==, N_NODES);
      g_assert_cmpuint (_ts_reader_lane_n_nodes (found, 1), ==, 9);
      g_assert_cmpuint (_ts_reader_lane_n_nodes (found, 2), ==, 2);
      g_assert_cmpuint (_ts_reader_lane_n_nodes (found, 3), ==, 1);

      for (guint level = 0; level < 3; level++)
        for (guint i = 0; i < _ts_reader_lane_n_nodes (found, level); i++)
          {
            guint width = TS_NODE_SLICES << 2 * level;
            TsLaneHead head;
            TsLaneHead wanted;

            g_assert_true (
                _ts_lane_read_head (reader, _ts_reader_lane_node (found, level, i), &head));
            make_head (lane, i * width, MIN ((i + 1) * width, lane->slices->len), &wanted);
            assert_same_head (&head, &wanted);
            _ts_head_clear (&head);
            g_array_unref (wanted.acts);
          }
      if (kinds[k] == TS_LANE_TASK)
        check_way (lane, reader, found, rand);
      ts_lane_reader_free (reader);
      lane_free (lane);
      ts_lane_store_unref (store);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/lane-figures/buckets", test_buckets);
  g_test_add_func ("/model/lane-figures/merged", test_merged);
  g_test_add_func ("/model/lane-figures/damaged", test_damaged);
  g_test_add_func ("/model/lane-figures/storms", test_storms);
  g_test_add_func ("/model/lane-figures/storm-clock", test_storm_clock);
  g_test_add_func ("/model/lane-figures/storm-late-clock", test_storm_late_clock);
  g_test_add_func ("/model/lane-figures/heads", test_heads);
  return g_test_run ();
}
