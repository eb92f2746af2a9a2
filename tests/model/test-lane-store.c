/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-lane-store.c: the pyramid against brute force: any window, any width, live or closed. */
#include "config.h"

#include "lane-fixture.h"

static const TsLaneKind kinds[]
    = { TS_LANE_TASK, TS_LANE_SPAN, TS_LANE_VALUE, TS_LANE_OBJECT, TS_LANE_MESSAGE, TS_LANE_LOSS };

/* ---- windows ---- */

static const TsSlice *
random_slice (GRand *rand,
              const Lane *lane)
{
  return &g_array_index (lane->slices, TsSlice,
                         g_rand_int_range (rand, 0, (gint) lane->slices->len));
}

/* A window: anywhere, of any size; often small; begin and end on their own or on a slice's edge. */
static void
random_window (GRand *rand,
               const Lane *lane,
               gint64 *begin,
               gint64 *end)
{
  gint64 span = lane->now + 1;
  guint bits = 1;

  while (((gint64) 1 << bits) < span)
    bits++;
  span = (gint64) 1 << g_rand_int_range (rand, 0, (gint) bits + 1);
  span = 1 + (gint64) (g_rand_double (rand) * (double) span);
  *begin = (gint64) (g_rand_double (rand) * (double) lane->now * 1.2 - (double) lane->now * 0.1);
  if (g_rand_boolean (rand) && lane->slices->len > 0)
    *begin = random_slice (rand, lane)->begin;
  *end = *begin + span;
  if (g_rand_int_range (rand, 0, 3) == 0 && lane->slices->len > 0)
    {
      gint64 edge = random_slice (rand, lane)->end;

      if (edge > *begin)
        *end = edge;
    }
}

/* Whether @value_columns show held values where no sample lies. */
static void
check_held (const TsColumn *columns,
            guint n_columns,
            const TsSlice *slices,
            guint n_slices,
            gint64 begin)
{
  gboolean has_held = FALSE;
  double held = 0;

  for (guint i = 0; i < n_slices && slices[i].begin < begin; i++)
    {
      has_held = TRUE;
      held = slices[i].value;
    }
  for (guint i = 0; i < n_columns; i++)
    {
      if (columns[i].count > 0)
        {
          held = columns[i].last;
          has_held = TRUE;
        }
      g_assert_cmpint (columns[i].has_value, ==, has_held);
      if (columns[i].count == 0 && has_held)
        {
          g_assert_cmpfloat (columns[i].min, ==, held);
          g_assert_cmpfloat (columns[i].max, ==, held);
          g_assert_cmpfloat (columns[i].last, ==, held);
        }
    }
}

static void
check_query (TsLaneReader *reader,
             const Lane *lane,
             const TsSlice *slices,
             guint n_slices,
             gint64 begin,
             gint64 end,
             guint n_columns)
{
  g_autofree TsColumn *columns = g_new (TsColumn, n_columns);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  gboolean is_coarse = TRUE;
  Totals want = brute_totals (slices, n_slices, lane->info.kind, begin, end);
  guint n_in_window = 0;
  Totals got;
  int detail;

  memset (columns, 0x55, n_columns * sizeof *columns);
  for (guint i = 0; i < n_slices; i++)
    n_in_window += is_in_window (&slices[i], begin, end);

  detail = ts_lane_reader_query (reader, lane->info.id, begin, end, n_columns, columns, found, 0,
                                 &is_coarse);
  g_assert_false (is_coarse);
  if (detail == TS_LANE_DETAIL_SLICES)
    {
      guint at = 0;

      g_assert_cmpuint (found->len, <=, n_columns / 2);
      g_assert_cmpuint (found->len, ==, n_in_window);
      for (guint i = 0; i < n_slices; i++)
        if (is_in_window (&slices[i], begin, end))
          g_assert_cmpmem (&g_array_index (found, TsSlice, at++), sizeof (TsSlice), &slices[i],
                           sizeof (TsSlice));
      return;
    }

  g_assert_cmpint (detail, ==, TS_LANE_DETAIL_COLUMNS);
  g_assert_cmpuint (found->len, ==, 0);
  got = column_totals (columns, n_columns, lane->info.kind);
  assert_totals_equal (&got, &want);
  if (lane->info.kind == TS_LANE_VALUE)
    check_held (columns, n_columns, slices, n_slices, begin);

  /* With a deadline that never comes, nothing in the window is hidden, and nothing beyond one
   * bucket at its edges is added. */
  detail = ts_lane_reader_query (reader, lane->info.id, begin, end, n_columns, columns, found,
                                 G_MAXINT64, &is_coarse);
  g_assert_cmpint (detail, ==, TS_LANE_DETAIL_COLUMNS);
  g_assert_false (is_coarse);
  got = column_totals (columns, n_columns, lane->info.kind);
  g_assert_cmpuint (got.count, >=, want.count);

  /* And when the window holds everything, it is exact either way. */
  if (n_slices > 0 && begin <= 0 && end > slices[n_slices - 1].end)
    assert_totals_equal (&got, &want);
}

/* Columns that are powers of two of time, on multiples of it, as bins of dense lanes are: no bucket
 * lies across the edge of two, so each of them is exact. */
static void
check_bins (TsLaneReader *reader,
            const Lane *lane,
            gint64 first,
            guint shift,
            guint n_columns,
            gint64 deadline_us)
{
  const TsSlice *slices = (const TsSlice *) (gpointer) lane->slices->data;
  g_autofree TsColumn *columns = g_new (TsColumn, n_columns);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  gint64 width = (gint64) 1 << shift;
  int detail = ts_lane_reader_query (reader, lane->info.id, first * width,
                                     (first + n_columns) * width, n_columns, columns, found,
                                     deadline_us, NULL);

  for (guint i = 0; detail == TS_LANE_DETAIL_COLUMNS && i < n_columns; i++)
    {
      Totals want = brute_totals (slices, lane->slices->len, lane->info.kind, (first + i) * width,
                                  (first + i + 1) * width);
      Totals got = column_totals (&columns[i], 1, lane->info.kind);

      assert_totals_equal (&got, &want);
    }
}

static void
test_any_window (void)
{
  g_autoptr (GRand) rand = new_rand ();
  guint n_slices = g_test_slow () ? 200000 : 40000;

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      TsLaneStore *store = ts_lane_store_new ();
      BlobStore *blobs = blob_store_new ();
      Lane *lane = lane_new (store, 7, kinds[k]);
      TsLaneReader *reader;

      while (lane->slices->len < n_slices)
        lane_step (lane, store, rand);
      ts_lane_store_seal_all (store);
      blob_store_save (blobs, store);
      reader = blob_store_read (blobs, store, lane->now);

      for (guint round = 0; round < 400; round++)
        {
          gint64 begin;
          gint64 end;

          random_window (rand, lane, &begin, &end);
          if (round % 20 == 0)
            {
              begin = -g_rand_int_range (rand, 0, 1000);
              end = lane->now + g_rand_int_range (rand, 1, 1000);
            }
          check_query (reader, lane, (const TsSlice *) (gpointer) lane->slices->data,
                       lane->slices->len, begin, end, (guint) g_rand_int_range (rand, 1, 2000));
        }
      check_query (reader, lane, (const TsSlice *) (gpointer) lane->slices->data, lane->slices->len,
                   0, lane->now + 1, 1920);
      for (guint shift = 0; (lane->now >> shift) > 0; shift++)
        {
          gint64 first = (gint64) (g_rand_double (rand) * (double) (lane->now >> shift)) - 3;

          check_bins (reader, lane, first, shift, (guint) g_rand_int_range (rand, 1, 24), 0);
          check_bins (reader, lane, first, shift, (guint) g_rand_int_range (rand, 1, 24),
                      G_MAXINT64);
        }

      ts_lane_reader_free (reader);
      lane_free (lane);
      blob_store_free (blobs);
      ts_lane_store_unref (store);
    }
}

/* Columns so narrow that slices are read, but too many slices for the slice answer: each column
 * is exact. */
static void
test_exact_columns (void)
{
  g_autoptr (GRand) rand = new_rand ();
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, 3, TS_LANE_TASK);
  g_autofree TsColumn *columns = g_new (TsColumn, 1000);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneReader *reader;
  const TsSlice *slices;

  while (lane->slices->len < 9000)
    {
      TsSlice slice = { .begin = lane->now,
                        .end = lane->now + g_rand_int_range (rand, 1, 40),
                        .state = TS_STATE_RUNNING };

      slice.state = (guint8) g_rand_int_range (rand, 1, 6);
      lane_add (lane, store, &slice);
      lane->now = slice.end;
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, lane->now);
  slices = (const TsSlice *) (gpointer) lane->slices->data;

  for (guint round = 0; round < 50; round++)
    {
      gint64 begin = g_rand_int_range (rand, 0, (gint) lane->now / 2);
      gint64 end = begin + g_rand_int_range (rand, 11000, 40000);

      g_assert_cmpint (ts_lane_reader_query (reader, 3, begin, end, 1000, columns, found, 0, NULL),
                       ==, TS_LANE_DETAIL_COLUMNS);
      for (guint i = 0; i < 1000; i++)
        {
          gint64 from = begin + (gint64) i * (end - begin) / 1000;
          gint64 to = begin + (gint64) (i + 1) * (end - begin) / 1000;
          Totals want = brute_totals (slices, lane->slices->len, TS_LANE_TASK, from, to);
          Totals got = column_totals (&columns[i], 1, TS_LANE_TASK);

          /* Widths of up to 40 ticks are below the 64 or more of a bucket here. */
          assert_totals_equal (&got, &want);
        }
    }

  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

/* One tick in hours is seen at any zoom, and in one column. */
static void
test_lone_event (void)
{
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, 1, TS_LANE_ISR);
  g_autofree TsColumn *columns = g_new (TsColumn, 1920);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  const gint64 hour = G_GINT64_CONSTANT (3600) * 170000000;
  const gint64 lone = 3 * hour + 12345;
  TsLaneReader *reader;

  /* A burst, the lone one, and a burst many hours later. */
  for (guint i = 0; i < 30000; i++)
    {
      TsSlice slice = { .begin = i * 100, .end = i * 100 + 10, .state = TS_STATE_RUNNING };

      lane_add (lane, store, &slice);
    }
  lane_add (lane, store, &(TsSlice) { .begin = lone, .end = lone + 1, .state = TS_STATE_RUNNING });
  for (guint i = 0; i < 30000; i++)
    {
      TsSlice slice = { .begin = 9 * hour + i * 100,
                        .end = 9 * hour + i * 100 + 10,
                        .state = TS_STATE_RUNNING };

      lane_add (lane, store, &slice);
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, 10 * hour);

  for (gint64 span = 2; span < 18 * hour; span = span * 3 + 1)
    {
      for (guint shift = 0; shift < 4; shift++)
        {
          gint64 begin = lone - span * shift / 4;
          gint64 end = begin + span;

          for (guint with_deadline = 0; with_deadline < 2; with_deadline++)
            {
              int detail = ts_lane_reader_query (reader, 1, begin, end, 1920, columns, found,
                                                 with_deadline ? G_MAXINT64 : 0, NULL);
              guint n_seen = 0;

              if (begin > lone || end <= lone)
                continue;
              if (detail == TS_LANE_DETAIL_SLICES)
                {
                  for (guint i = 0; i < found->len; i++)
                    n_seen += g_array_index (found, TsSlice, i).begin == lone;
                }
              else
                {
                  for (guint i = 0; i < 1920; i++)
                    if (columns[i].count > 0
                        && begin + (gint64) ((__int128) i * span / 1920) > 2 * hour
                        && begin + (gint64) ((__int128) i * span / 1920) < 8 * hour)
                      {
                        n_seen += columns[i].count;
                        g_assert_cmpint (columns[i].ticks[TS_STATE_RUNNING], ==, 1);
                        g_assert_cmpint (columns[i].top_state, ==, TS_STATE_RUNNING);
                      }
                }
              g_assert_cmpuint (n_seen, ==, 1);
            }
        }
    }

  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

/* Interrupted time: true over any window that lies on bucket edges, and never lost. */
static void
test_interrupted (void)
{
  g_autoptr (GRand) rand = new_rand ();
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, 1, TS_LANE_TASK);
  g_autofree TsColumn *columns = g_new (TsColumn, 700);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  g_autoptr (GArray) interrupts = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneReader *live = ts_lane_reader_new_live (store, blob_store_load, blobs);
  TsLaneReader *reader;
  Totals want;
  Totals got;

  for (guint i = 0; i < 30000; i++)
    {
      TsSlice slice = { .begin = lane->now,
                        .end = lane->now + g_rand_int_range (rand, 20, 400),
                        .state = TS_STATE_RUNNING };
      TsSlice inner = { .begin = slice.begin + g_rand_int_range (rand, 0, 10),
                        .end = slice.begin + g_rand_int_range (rand, 10, 20),
                        .state = TS_STATE_INTERRUPTED };

      ts_lane_store_add_ticks (store, 1, TS_STATE_INTERRUPTED, inner.begin, inner.end);
      g_array_append_val (interrupts, inner);
      lane_add (lane, store, &slice);
      lane->now = slice.end + g_rand_int_range (rand, 0, 30);
      if (i % 7000 == 6999)
        {
          ts_lane_store_publish (store, lane->now);
          g_assert_true (ts_lane_reader_sync (live));
          g_assert_cmpint (
              ts_lane_reader_query (live, 1, 0, lane->now + 1, 700, columns, found, 0, NULL), ==,
              TS_LANE_DETAIL_COLUMNS);
          want = brute_totals ((const TsSlice *) (gpointer) interrupts->data, interrupts->len,
                               TS_LANE_TASK, 0, lane->now);
          got = column_totals (columns, 700, TS_LANE_TASK);
          g_assert_cmpint (got.ticks[TS_STATE_INTERRUPTED], ==, want.ticks[TS_STATE_INTERRUPTED]);
        }
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, lane->now);

  for (guint round = 0; round < 100; round++)
    {
      gint64 begin = (gint64) g_rand_int_range (rand, 0, (gint) (lane->now >> 14)) << 13;
      gint64 end = begin + ((gint64) g_rand_int_range (rand, 60, 100) << 13);

      if (ts_lane_reader_query (reader, 1, begin, end, 700, columns, found, 0, NULL)
          != TS_LANE_DETAIL_COLUMNS)
        continue;
      want = brute_totals ((const TsSlice *) (gpointer) interrupts->data, interrupts->len,
                           TS_LANE_TASK, begin, end);
      got = column_totals (columns, 700, TS_LANE_TASK);
      g_assert_cmpint (got.ticks[TS_STATE_INTERRUPTED], ==, want.ticks[TS_STATE_INTERRUPTED]);
      for (guint i = 0; i < 700; i++)
        g_assert_cmpint (columns[i].top_state, !=, TS_STATE_INTERRUPTED);
    }

  ts_lane_reader_free (live);
  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

static void
test_density (void)
{
  g_autoptr (GRand) rand = new_rand ();
  TsLaneStore *store = ts_lane_store_new ();
  BlobStore *blobs = blob_store_new ();
  Lane *lane = lane_new (store, TS_LANE_ID_DENSITY, TS_LANE_DENSITY);
  g_autofree TsColumn *columns = g_new (TsColumn, 1920);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneReader *live = ts_lane_reader_new_live (store, NULL, NULL);
  TsLaneReader *reader;
  const guint n = 1000000;

  for (guint i = 0; i < n; i++)
    {
      lane->now += g_rand_int_range (rand, 0, 60);
      ts_lane_store_add_count (store, TS_LANE_ID_DENSITY, lane->now);
      if (i % 300000 == 299999)
        {
          Totals got;

          ts_lane_store_publish (store, lane->now);
          g_assert_true (ts_lane_reader_sync (live));
          ts_lane_reader_query (live, TS_LANE_ID_DENSITY, 0, lane->now + 1, 1920, columns, found, 0,
                                NULL);
          got = column_totals (columns, 1920, TS_LANE_DENSITY);
          g_assert_cmpuint (got.count, ==, i + 1);
        }
    }
  ts_lane_store_seal_all (store);
  blob_store_save (blobs, store);
  reader = blob_store_read (blobs, store, lane->now);
  for (guint n_columns = 1; n_columns <= 1920; n_columns = n_columns * 7 + 1)
    {
      Totals got;

      g_assert_cmpint (ts_lane_reader_query (reader, TS_LANE_ID_DENSITY, 0, lane->now + 1,
                                             n_columns, columns, found, 0, NULL),
                       ==, TS_LANE_DETAIL_COLUMNS);
      got = column_totals (columns, n_columns, TS_LANE_DENSITY);
      g_assert_cmpuint (got.count, ==, n);
    }

  /* It holds no slices, which is known without reading any node. */
  ts_lane_reader_free (reader);
  reader = blob_store_read (blobs, store, lane->now);
  blobs->n_loads = 0;
  g_assert_false (ts_lane_reader_find (reader, TS_LANE_ID_DENSITY, lane->now - 1, 1000,
                                       &(TsSlice) { 0 }));
  g_assert_false (ts_lane_reader_next (reader, TS_LANE_ID_DENSITY, lane->now - 1, -1,
                                       &(TsSlice) { 0 }));
  g_assert_cmpint (blobs->n_loads, ==, 0);

  ts_lane_reader_free (live);
  ts_lane_reader_free (reader);
  lane_free (lane);
  blob_store_free (blobs);
  ts_lane_store_unref (store);
}

/* ---- live ---- */

/* While it is written, a reader sees what was published, no more, and the same as a closed one. */
static void
test_live (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      TsLaneStore *store = ts_lane_store_new ();
      BlobStore *blobs = blob_store_new ();
      Lane *lane = lane_new (store, 2, kinds[k]);
      TsLaneReader *reader = ts_lane_reader_new_live (store, blob_store_load, blobs);
      TsLaneReader *closed;
      guint n_lanes;

      g_assert_false (ts_lane_reader_sync (reader));
      for (guint round = 0; round < 60; round++)
        {
          guint n_published;
          gint64 published_end;

          for (gint i = g_rand_int_range (rand, 0, 1500); i >= 0; i--)
            lane_step (lane, store, rand);
          n_published = lane->slices->len;
          published_end = lane->now;
          ts_lane_store_publish (store, lane->now);

          /* Not for the reader's eyes yet. */
          for (gint i = g_rand_int_range (rand, 0, 300); i >= 0; i--)
            lane_step (lane, store, rand);
          if (g_rand_boolean (rand))
            blob_store_save (blobs, store);

          g_assert_true (ts_lane_reader_sync (reader));
          g_assert_false (ts_lane_reader_sync (reader));
          g_assert_cmpint (ts_lane_reader_get_end (reader), ==, published_end);
          g_assert_cmpuint (ts_lane_reader_get_lanes (reader, &n_lanes)->n_slices, ==, n_published);
          g_assert_cmpuint (n_lanes, ==, 1);

          for (guint query = 0; query < 5; query++)
            {
              gint64 begin;
              gint64 end;

              random_window (rand, lane, &begin, &end);
              check_query (reader, lane, (const TsSlice *) (gpointer) lane->slices->data,
                           n_published, begin, end, (guint) g_rand_int_range (rand, 1, 2000));
            }
        }

      /* Once all is sealed, the two are alike to the last bit. */
      ts_lane_store_seal_all (store);
      ts_lane_store_publish (store, lane->now);
      g_assert_true (ts_lane_reader_sync (reader));
      blob_store_save (blobs, store);
      closed = blob_store_read (blobs, store, lane->now);
      for (guint query = 0; query < 100; query++)
        {
          guint n_columns = (guint) g_rand_int_range (rand, 1, 2000);
          g_autofree TsColumn *a = g_new0 (TsColumn, n_columns);
          g_autofree TsColumn *b = g_new0 (TsColumn, n_columns);
          g_autoptr (GArray) found_a = g_array_new (FALSE, FALSE, sizeof (TsSlice));
          g_autoptr (GArray) found_b = g_array_new (FALSE, FALSE, sizeof (TsSlice));
          gint64 begin;
          gint64 end;

          random_window (rand, lane, &begin, &end);
          g_assert_cmpint (
              ts_lane_reader_query (reader, 2, begin, end, n_columns, a, found_a, 0, NULL), ==,
              ts_lane_reader_query (closed, 2, begin, end, n_columns, b, found_b, 0, NULL));
          g_assert_cmpmem (a, n_columns * sizeof *a, b, n_columns * sizeof *b);
          g_assert_cmpmem (found_a->data, found_a->len * sizeof (TsSlice), found_b->data,
                           found_b->len * sizeof (TsSlice));
        }

      ts_lane_reader_free (reader);
      ts_lane_reader_free (closed);
      lane_free (lane);
      blob_store_free (blobs);
      ts_lane_store_unref (store);
    }
}

static void
test_open_slices (void)
{
  TsLaneStore *store = ts_lane_store_new ();
  Lane *lane = lane_new (store, 1, TS_LANE_TASK);
  TsLaneReader *reader = ts_lane_reader_new_live (store, NULL, NULL);
  g_autofree TsColumn *columns = g_new (TsColumn, 100);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsSlice open[2] = { { .begin = 100, .end = 150, .state = TS_STATE_BLOCKED },
                      { .begin = 150, .end = G_MAXINT64, .state = TS_STATE_RUNNING } };
  TsSlice slice;

  lane_add (lane, store, &(TsSlice) { .begin = 0, .end = 100, .state = TS_STATE_RUNNING });
  ts_lane_store_set_open_slices (store, 1, open, 2);
  ts_lane_store_publish (store, 400);
  g_assert_true (ts_lane_reader_sync (reader));

  g_assert_cmpint (ts_lane_reader_query (reader, 1, 0, 1000, 100, columns, found, 0, NULL), ==,
                   TS_LANE_DETAIL_SLICES);
  g_assert_cmpuint (found->len, ==, 3);
  slice = g_array_index (found, TsSlice, 1);
  g_assert_cmpint (slice.end, ==, 150);
  g_assert_cmpint (slice.kind, ==, 0);
  slice = g_array_index (found, TsSlice, 2);
  g_assert_cmpint (slice.begin, ==, 150);
  g_assert_cmpint (slice.end, ==, 400);
  g_assert_cmpint (slice.kind, ==, TS_SLICE_OPEN);

  /* The end moves on although the lane did not change. */
  ts_lane_store_publish (store, 500);
  g_assert_true (ts_lane_reader_sync (reader));
  g_assert_cmpint (ts_lane_reader_query (reader, 1, 0, 1000, 4, columns, found, 0, NULL), ==,
                   TS_LANE_DETAIL_COLUMNS);
  g_assert_cmpint (columns[0].ticks[TS_STATE_RUNNING], ==, 100 + 100);
  g_assert_cmpint (columns[0].ticks[TS_STATE_BLOCKED], ==, 50);
  g_assert_cmpint (columns[1].ticks[TS_STATE_RUNNING], ==, 250);
  g_assert_cmpint (columns[2].ticks[TS_STATE_RUNNING], ==, 0);
  g_assert_cmpint (columns[2].top_state, ==, TS_STATE_NONE);

  g_assert_true (ts_lane_reader_find (reader, 1, 450, 0, &slice));
  g_assert_cmpint (slice.begin, ==, 150);
  g_assert_true (ts_lane_reader_next (reader, 1, 0, 1, &slice));
  g_assert_cmpint (slice.begin, ==, 100);

  ts_lane_store_set_open (store, 1, NULL);
  ts_lane_store_publish (store, 600);
  g_assert_true (ts_lane_reader_sync (reader));
  g_assert_cmpint (ts_lane_reader_query (reader, 1, 0, 1000, 100, columns, found, 0, NULL), ==,
                   TS_LANE_DETAIL_SLICES);
  g_assert_cmpuint (found->len, ==, 1);

  ts_lane_reader_free (reader);
  lane_free (lane);
  ts_lane_store_unref (store);
}

typedef struct
{
  TsLaneStore *store;
  gint done; /* atomic */
} Race;

static gpointer
write_all (gpointer data)
{
  Race *race = data;

  for (guint i = 0; i < 300000; i++)
    {
      for (guint32 id = 1; id <= 3; id++)
        {
          TsSlice slice
              = { .begin = i * 10, .end = i * 10 + 10, .state = (guint8) (1 + i % 5), .value = i };

          if (id == 1)
            ts_lane_store_add_ticks (race->store, id, TS_STATE_INTERRUPTED, slice.begin,
                                     slice.begin + 1);
          ts_lane_store_add_slice (race->store, id, &slice);
        }
      if (i % 500 == 0)
        ts_lane_store_publish (race->store, i * 10 + 10);
    }
  ts_lane_store_seal_all (race->store);
  ts_lane_store_publish (race->store, 3000000);
  g_atomic_int_set (&race->done, TRUE);
  return NULL;
}

/* A reader on another thread sees whole publications only. */
static void
test_threads (void)
{
  Race race = { ts_lane_store_new (), FALSE };
  TsLaneReader *reader = ts_lane_reader_new_live (race.store, NULL, NULL);
  g_autofree TsColumn *columns = g_new (TsColumn, 640);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  const TsLaneKind lane_kinds[] = { TS_LANE_TASK, TS_LANE_TASK, TS_LANE_VALUE };
  GThread *thread;
  gboolean is_done;
  guint n_checked = 0;

  for (guint32 id = 1; id <= 3; id++)
    lane_free (lane_new (race.store, id, lane_kinds[id - 1]));
  thread = g_thread_new ("[test-writer]", write_all, &race);

  do
    {
      guint n_lanes;
      const TsLaneInfo *lanes;

      is_done = g_atomic_int_get (&race.done);
      ts_lane_reader_sync (reader);
      lanes = ts_lane_reader_get_lanes (reader, &n_lanes);
      for (guint i = 0; i < n_lanes; i++)
        {
          gint64 end = ts_lane_reader_get_end (reader);
          Totals got;

          if (ts_lane_reader_query (reader, lanes[i].id, 0, end + 1, 640, columns, found, 0, NULL)
              != TS_LANE_DETAIL_COLUMNS)
            continue;
          got = column_totals (columns, 640, lanes[i].kind);
          g_assert_cmpuint (got.count, ==, lanes[i].n_slices);
          g_assert_cmpint (got.count * 10, ==, end);
          if (lanes[i].kind == TS_LANE_TASK)
            g_assert_cmpint (
                got.ticks[1] + got.ticks[2] + got.ticks[3] + got.ticks[4] + got.ticks[5], ==, end);
          if (lanes[i].id == 1)
            g_assert_cmpint (got.ticks[TS_STATE_INTERRUPTED] * 10, ==, end);
          n_checked++;
        }
    }
  while (!is_done);

  g_thread_join (thread);
  g_assert_cmpuint (n_checked, >, 3);
  g_assert_cmpint (ts_lane_reader_get_end (reader), ==, 3000000);
  ts_lane_reader_free (reader);
  ts_lane_store_unref (race.store);
}

/* ---- single slices ---- */

static void
test_find (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      TsLaneStore *store = ts_lane_store_new ();
      BlobStore *blobs = blob_store_new ();
      Lane *lane = lane_new (store, 5, kinds[k]);
      TsLaneReader *reader;
      const TsSlice *slices;
      guint n_slices;

      while (lane->slices->len < 20000)
        lane_step (lane, store, rand);
      ts_lane_store_seal_all (store);
      blob_store_save (blobs, store);
      reader = blob_store_read (blobs, store, lane->now);
      slices = (const TsSlice *) (gpointer) lane->slices->data;
      n_slices = lane->slices->len;

      for (guint round = 0; round < 300; round++)
        {
          gint64 time = (gint64) (g_rand_double (rand) * (double) lane->now);
          gint64 tolerance = random_length (rand);
          const TsSlice *containing = NULL;
          const TsSlice *after = NULL;
          const TsSlice *before = NULL;
          gint64 nearest = G_MAXINT64;
          TsSlice got;

          if (round % 2 == 0)
            time = slices[g_rand_int_range (rand, 0, (gint) n_slices)].begin
                   + g_rand_int_range (rand, -1, 2);
          time = MAX (time, 0);
          for (guint i = 0; i < n_slices; i++)
            {
              const TsSlice *s = &slices[i];

              if (s->begin <= time && time < s->end
                  && (containing == NULL || s->depth > containing->depth))
                containing = s;
              if (s->begin > time && (after == NULL || s->begin < after->begin))
                after = s;
              if (s->begin < time && (before == NULL || s->begin > before->begin))
                before = s;
              nearest = MIN (nearest, s->begin > time  ? s->begin - time
                                      : s->end <= time ? time - s->end
                                                       : 0);
            }

          g_assert_cmpint (ts_lane_reader_next (reader, 5, time, 1, &got), ==, after != NULL);
          if (after != NULL)
            g_assert_cmpint (got.begin, ==, after->begin);
          g_assert_cmpint (ts_lane_reader_next (reader, 5, time, -1, &got), ==, before != NULL);
          if (before != NULL)
            g_assert_cmpint (got.begin, ==, before->begin);

          if (containing != NULL)
            {
              g_assert_true (ts_lane_reader_find (reader, 5, time, 0, &got));
              g_assert_cmpint (got.depth, ==, containing->depth);
              g_assert_cmpint (got.begin, <=, time);
              g_assert_cmpint (got.end, >, time);
            }
          else
            {
              g_assert_cmpint (ts_lane_reader_find (reader, 5, time, tolerance, &got), ==,
                               nearest <= tolerance);
              if (nearest <= tolerance)
                g_assert_cmpint (got.begin > time ? got.begin - time : time - got.end, ==, nearest);
            }
        }
      g_assert_false (ts_lane_reader_find (reader, 99, 0, 1000, &(TsSlice) { 0 }));

      ts_lane_reader_free (reader);
      lane_free (lane);
      blob_store_free (blobs);
      ts_lane_store_unref (store);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

  g_test_add_func ("/model/lane-store/any-window", test_any_window);
  g_test_add_func ("/model/lane-store/exact-columns", test_exact_columns);
  g_test_add_func ("/model/lane-store/lone-event", test_lone_event);
  g_test_add_func ("/model/lane-store/interrupted", test_interrupted);
  g_test_add_func ("/model/lane-store/density", test_density);
  g_test_add_func ("/model/lane-store/live", test_live);
  g_test_add_func ("/model/lane-store/open-slices", test_open_slices);
  g_test_add_func ("/model/lane-store/threads", test_threads);
  g_test_add_func ("/model/lane-store/find", test_find);

  return g_test_run ();
}
