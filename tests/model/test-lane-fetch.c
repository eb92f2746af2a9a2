/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-lane-fetch.c: a picture whose nodes a worker unpacks comes out as one that waited for them.
 */
#include "config.h"

#include <string.h>

#include "lane-fixture.h"

#include "model/ts-lane-reader-private.h"

#define N_COLUMNS 640
#define WAIT_US (20 * G_USEC_PER_SEC)

typedef struct
{
  TsLaneStore *store;
  BlobStore *blobs;
  Lane *lane;
  TsLaneReader *late;    /* has a worker and no time of its own */
  TsLaneReader *patient; /* reads what it needs */
  gint n_notices;
  TsColumn late_columns[N_COLUMNS];
  TsColumn patient_columns[N_COLUMNS];
  GArray *late_slices;
  GArray *patient_slices;
} Fixture;

static void
on_fetched (gpointer user_data)
{
  Fixture *self = user_data;

  g_atomic_int_inc (&self->n_notices);
}

static void
set_up (Fixture *self,
        TsLaneKind kind,
        GRand *rand)
{
  memset (self, 0, sizeof *self);
  self->store = ts_lane_store_new ();
  self->blobs = blob_store_new ();
  self->lane = lane_new (self->store, 7, kind);
  while (self->lane->slices->len < 60000)
    lane_step (self->lane, self->store, rand);
  ts_lane_store_seal_all (self->store);
  blob_store_save (self->blobs, self->store);
  self->late = blob_store_read (self->blobs, self->store, self->lane->now);
  self->patient = blob_store_read (self->blobs, self->store, self->lane->now);
  _ts_lane_reader_set_fetcher (
      self->late, _ts_lane_fetcher_new (blob_store_load, self->blobs, on_fetched, self));
  self->late_slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  self->patient_slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
}

static void
tear_down (Fixture *self)
{
  ts_lane_reader_free (self->late);
  ts_lane_reader_free (self->patient);
  lane_free (self->lane);
  blob_store_free (self->blobs);
  ts_lane_store_unref (self->store);
  g_array_unref (self->late_slices);
  g_array_unref (self->patient_slices);
}

static void
wait_for_worker (Fixture *self)
{
  gint64 deadline = g_get_monotonic_time () + WAIT_US;

  while (!_ts_lane_fetcher_is_idle (self->late->fetcher))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      /* What waits to be taken may be what it waits for. */
      _ts_lane_reader_adopt (self->late);
      g_thread_yield ();
    }
  _ts_lane_reader_adopt (self->late);
}

static int
query_late (Fixture *self,
            gint64 begin,
            gint64 end,
            gboolean *is_coarse)
{
  /* A deadline long past. */
  return ts_lane_reader_query (self->late, 7, begin, end, N_COLUMNS, self->late_columns,
                               self->late_slices, 1, is_coarse);
}

static gint64
count_columns (const TsColumn *columns)
{
  gint64 n = 0;

  for (guint i = 0; i < N_COLUMNS; i++)
    n += columns[i].count;
  return n;
}

/* Never blank on the way; in the end as if it had waited. */
static void
check_window (Fixture *self,
              gint64 begin,
              gint64 end)
{
  gboolean is_coarse = FALSE;
  int wanted = ts_lane_reader_query (self->patient, 7, begin, end, N_COLUMNS,
                                     self->patient_columns, self->patient_slices, G_MAXINT64, NULL);
  int got = query_late (self, begin, end, &is_coarse);
  guint n_rounds = 0;

  if (wanted == TS_LANE_DETAIL_COLUMNS && got == TS_LANE_DETAIL_COLUMNS
      && count_columns (self->patient_columns) > 0)
    g_assert_cmpint (count_columns (self->late_columns), >, 0);

  while (is_coarse || got != wanted)
    {
      g_assert_cmpuint (n_rounds++, <, TS_NODE_MAX_LEVEL + 2);
      _ts_lane_reader_send (self->late);
      wait_for_worker (self);
      got = query_late (self, begin, end, &is_coarse);
    }

  if (wanted == TS_LANE_DETAIL_SLICES)
    {
      g_assert_cmpuint (self->late_slices->len, ==, self->patient_slices->len);
      for (guint i = 0; i < self->late_slices->len; i++)
        {
          const TsSlice *left = &g_array_index (self->late_slices, TsSlice, i);
          const TsSlice *right = &g_array_index (self->patient_slices, TsSlice, i);

          g_assert_cmpint (left->begin, ==, right->begin);
          g_assert_cmpint (left->end, ==, right->end);
          g_assert_cmpuint (left->state, ==, right->state);
        }
      return;
    }
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      const TsColumn *left = &self->late_columns[i];
      const TsColumn *right = &self->patient_columns[i];

      g_assert_cmpuint (left->count, ==, right->count);
      g_assert_cmpuint (left->top_state, ==, right->top_state);
      for (guint s = 0; s < TS_N_TIMED_STATES; s++)
        g_assert_cmpint (left->ticks[s], ==, right->ticks[s]);
    }
}

static void
random_window (Fixture *self,
               GRand *rand,
               gint64 *begin,
               gint64 *end)
{
  guint bits = 1;

  while (((gint64) 1 << bits) < self->lane->now)
    bits++;
  *begin = (gint64) (g_rand_double (rand) * (double) self->lane->now);
  *end = *begin + 1 + ((gint64) 1 << g_rand_int_range (rand, 4, (gint) bits + 1));
}

static void
test_same (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_SPAN, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree Fixture *self = g_new (Fixture, 1);

      set_up (self, kinds[k], rand);
      for (guint i = 0; i < 60; i++)
        {
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          check_window (self, begin, end);
        }
      g_assert_cmpint (g_atomic_int_get (&self->n_notices), >, 0);
      tear_down (self);
    }
}

/* What was forgotten between two pictures is read again, and the pictures are the same. */
static void
test_trimmed (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_SPAN, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree Fixture *self = g_new (Fixture, 1);

      set_up (self, kinds[k], rand);
      for (guint i = 0; i < 30; i++)
        {
          gsize max_bytes = (gsize) g_rand_int_range (rand, 0, 3) * 20000;
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          check_window (self, begin, end);
          g_assert_cmpuint (self->patient->cache_bytes, >, 0);
          _ts_lane_reader_trim (self->patient, max_bytes);
          g_assert_cmpuint (self->patient->cache_bytes, <=, max_bytes);
        }

      /* with a limit it never keeps more in the first place; the node in use stays */
      _ts_lane_reader_limit (self->patient, 1);
      for (guint i = 0; i < 30; i++)
        {
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          check_window (self, begin, end);
          g_assert_true (self->patient->newest == self->patient->oldest);
        }
      tear_down (self);
    }
}

/* Once the coarsest nodes are there, a picture that has no time reads nothing at all, wherever it
 * looks: however many lanes there are, a frame stays short. */
static void
test_late (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_SPAN, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree Fixture *self = g_new (Fixture, 1);
      gint n_loads;

      set_up (self, kinds[k], rand);
      ts_lane_reader_query (self->patient, 7, 0, self->lane->now + 1, N_COLUMNS,
                            self->patient_columns, self->patient_slices, 1, NULL);
      n_loads = g_atomic_int_get (&self->blobs->n_loads);
      g_assert_cmpint (n_loads, >, 0);
      g_assert_cmpint (n_loads, <=, (TS_NODE_FANOUT - 1) * TS_NODE_MAX_LEVEL);
      for (guint i = 0; i < 200; i++)
        {
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          ts_lane_reader_query (self->patient, 7, begin, end, N_COLUMNS, self->patient_columns,
                                self->patient_slices, 1, NULL);
        }
      g_assert_cmpint (g_atomic_int_get (&self->blobs->n_loads), ==, n_loads);
      tear_down (self);
    }
}

/* What was planned is there when the picture is made: nothing is coarse, and nothing is left to
 * ask for. */
static void
test_planned (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);

  set_up (self, TS_LANE_TASK, rand);
  for (guint i = 0; i < 60; i++)
    {
      gboolean is_coarse = TRUE;
      gint64 begin;
      gint64 end;

      random_window (self, rand, &begin, &end);
      _ts_lane_reader_plan (self->late, 7, begin, end, N_COLUMNS);
      _ts_lane_reader_send (self->late);
      wait_for_worker (self);
      query_late (self, begin, end, &is_coarse);
      g_assert_false (is_coarse);
      _ts_lane_reader_plan (self->late, 7, begin, end, N_COLUMNS);
      g_assert_cmpuint (self->late->wanted->len, ==, 0);
    }
  tear_down (self);
}

/* A request replaces the one before; ending in the middle of one leaves nothing behind. */
static void
test_superseded (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);

  set_up (self, TS_LANE_TASK, rand);
  for (guint i = 0; i < 300; i++)
    {
      gint64 begin;
      gint64 end;

      random_window (self, rand, &begin, &end);
      _ts_lane_reader_plan (self->late, 7, begin, end, N_COLUMNS);
      _ts_lane_reader_send (self->late);
      if (i % 7 == 0)
        _ts_lane_reader_adopt (self->late);
    }
  _ts_lane_fetcher_ask (self->late->fetcher, NULL, 0);
  wait_for_worker (self);
  check_window (self, 0, self->lane->now);
  for (gint64 i = 0; i < 20; i++)
    _ts_lane_reader_plan (self->late, 7, i * self->lane->now / 20, (i + 1) * self->lane->now / 20,
                          N_COLUMNS);
  _ts_lane_reader_send (self->late);
  tear_down (self);
}

/* A frame of a closed recording that has a worker reads nothing, however much time it has: what no
 * coarser node stands for was read when it was opened. It is never blank, and whole once the worker
 * is asked. */
static void
test_reads_nothing (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_SPAN, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree Fixture *self = g_new (Fixture, 1);
      gint n_loads;

      set_up (self, kinds[k], rand);
      _ts_lane_reader_read_roots (self->late);
      n_loads = g_atomic_int_get (&self->blobs->n_loads);
      g_assert_cmpint (n_loads, >, 0);
      g_assert_cmpint (n_loads, <=, (TS_NODE_FANOUT - 1) * TS_NODE_MAX_LEVEL);
      for (guint i = 0; i < 200; i++)
        {
          gboolean is_coarse = FALSE;
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          ts_lane_reader_query (self->late, 7, begin, end, N_COLUMNS, self->late_columns,
                                self->late_slices, G_MAXINT64, &is_coarse);
          g_assert_cmpint (g_atomic_int_get (&self->blobs->n_loads), ==, n_loads);
        }
      for (guint i = 0; i < 20; i++)
        {
          gint64 begin;
          gint64 end;

          random_window (self, rand, &begin, &end);
          check_window (self, begin, end);
        }
      tear_down (self);
    }
}

/** Gate: a reader of blobs that stands still until it is let through. */
typedef struct
{
  BlobStore *blobs;
  GMutex mutex;
  GCond changed;
  guint n_loads;
  gboolean is_open;
} Gate;

static GBytes *
load_through (gint64 blob,
              gpointer user_data)
{
  Gate *gate = user_data;

  g_mutex_lock (&gate->mutex);
  gate->n_loads++;
  g_cond_broadcast (&gate->changed);
  while (!gate->is_open)
    g_cond_wait (&gate->changed, &gate->mutex);
  g_mutex_unlock (&gate->mutex);
  return blob_store_load (blob, gate->blobs);
}

/* What is no longer wanted is not read: but for the node the worker is at, only the last request. */
static void
test_cancelled (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);
  Gate gate = { 0 };
  guint n_before;
  guint n_wanted;

  set_up (self, TS_LANE_TASK, rand);
  gate.blobs = self->blobs;
  g_mutex_init (&gate.mutex);
  g_cond_init (&gate.changed);
  _ts_lane_reader_set_fetcher (self->late,
                               _ts_lane_fetcher_new (load_through, &gate, NULL, NULL));
  /* all but one of the leaves, and what is above them */
  _ts_lane_reader_plan (self->late, 7, self->lane->now / 10, self->lane->now, 64 * N_COLUMNS);
  n_before = self->late->wanted->len;
  _ts_lane_reader_send (self->late);
  g_mutex_lock (&gate.mutex);
  while (gate.n_loads == 0)
    g_cond_wait (&gate.changed, &gate.mutex);
  g_mutex_unlock (&gate.mutex);

  _ts_lane_reader_plan (self->late, 7, 0, self->lane->now / 100, N_COLUMNS);
  n_wanted = self->late->wanted->len;
  g_assert_cmpuint (n_wanted, >, 0);
  g_assert_cmpuint (n_wanted, <, n_before);
  _ts_lane_reader_send (self->late);
  g_mutex_lock (&gate.mutex);
  gate.is_open = TRUE;
  g_cond_broadcast (&gate.changed);
  g_mutex_unlock (&gate.mutex);
  wait_for_worker (self);
  g_assert_cmpuint (gate.n_loads, ==, 1 + n_wanted);
  tear_down (self);
  g_mutex_clear (&gate.mutex);
  g_cond_clear (&gate.changed);
}

/* As blob_store_load(), not counted: what the worker reads. */
static GBytes *
load_elsewhere (gint64 blob,
                gpointer user_data)
{
  BlobStore *blobs = user_data;

  return g_bytes_ref (blobs->blobs->pdata[blob - 1]);
}

/* @question: 0: what is at @time; else the event after or before it. */
static gboolean
answer (TsLaneReader *reader,
        int question,
        gint64 time,
        TsSlice *slice)
{
  return question == 0 ? ts_lane_reader_find (reader, 7, time, 100, slice)
                       : ts_lane_reader_next (reader, 7, time, question, slice);
}

/* Who looks at a place that is not in memory reads nothing himself; once the worker has been there
 * he finds what somebody finds who waits. */
static void
test_look (void)
{
  static const TsLaneKind kinds[] = { TS_LANE_TASK, TS_LANE_ISR, TS_LANE_SPAN, TS_LANE_VALUE };
  g_autoptr (GRand) rand = new_rand ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree Fixture *self = g_new (Fixture, 1);
      guint n_pending = 0;

      set_up (self, kinds[k], rand);
      _ts_lane_reader_set_fetcher (
          self->late, _ts_lane_fetcher_new (load_elsewhere, self->blobs, on_fetched, self));
      for (guint i = 0; i < 300; i++)
        {
          int question = (int) (i % 3) - 1;
          gint64 time = (gint64) (g_rand_double (rand) * (double) self->lane->now);
          TsSlice wanted = { 0 };
          TsSlice found = { 0 };
          gboolean has_wanted = answer (self->patient, question, time, &wanted);
          gint n_loads = g_atomic_int_get (&self->blobs->n_loads);
          gboolean is_pending;
          guint n_rounds = 0;

          for (;;)
            {
              gboolean has_found;

              _ts_lane_reader_begin_look (self->late, TS_LOOK_POINTER);
              has_found = answer (self->late, question, time, &found);
              is_pending = _ts_lane_reader_end_look (self->late);
              g_assert_cmpint (g_atomic_int_get (&self->blobs->n_loads), ==, n_loads);
              if (!is_pending)
                {
                  g_assert_cmpint (has_found, ==, has_wanted);
                  break;
                }
              n_pending++;
              g_assert_cmpuint (n_rounds++, <, 64);
              wait_for_worker (self);
            }
          if (!has_wanted)
            continue;
          g_assert_cmpint (found.begin, ==, wanted.begin);
          g_assert_cmpint (found.end, ==, wanted.end);
          g_assert_cmpuint (found.state, ==, wanted.state);
        }
      g_assert_cmpuint (n_pending, >, 0);
      g_assert_cmpint (g_atomic_int_get (&self->n_notices), >, 0);
      tear_down (self);
    }
}

/* Who looks elsewhere no longer wants what he looked for before; who else looks still does. */
static void
test_look_superseded (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);
  const TsReaderLane *lane;
  Gate gate = { 0 };

  set_up (self, TS_LANE_TASK, rand);
  gate.blobs = self->blobs;
  g_mutex_init (&gate.mutex);
  g_cond_init (&gate.changed);
  _ts_lane_reader_set_fetcher (self->late,
                               _ts_lane_fetcher_new (load_through, &gate, NULL, NULL));
  lane = _ts_lane_reader_find_lane (self->late, 7);
  g_assert_cmpuint (_ts_reader_lane_n_nodes (lane, 0), >=, 6);
  for (guint i = 0; i < 6; i++)
    {
      /* each in a leaf of its own */
      const TsNodeInfo *leaf = &_ts_reader_lane_node (lane, 0, i)->info;
      TsSlice slice;

      /* the first two have looks of their own */
      _ts_lane_reader_begin_look (self->late, i == 0   ? TS_LOOK_EDGE
                                              : i == 1 ? TS_LOOK_STEP
                                                       : TS_LOOK_POINTER);
      g_assert_false (ts_lane_reader_find (self->late, 7, leaf->end - 1, 0, &slice));
      g_assert_true (_ts_lane_reader_end_look (self->late));
      g_mutex_lock (&gate.mutex);
      while (gate.n_loads == 0)
        g_cond_wait (&gate.changed, &gate.mutex);
      g_mutex_unlock (&gate.mutex);
    }
  g_mutex_lock (&gate.mutex);
  gate.is_open = TRUE;
  g_cond_broadcast (&gate.changed);
  g_mutex_unlock (&gate.mutex);
  wait_for_worker (self);
  /* the one it was at, that of the step, and the last of the pointer's four */
  g_assert_cmpuint (gate.n_loads, ==, 3);
  tear_down (self);
  g_mutex_clear (&gate.mutex);
  g_cond_clear (&gate.changed);
}

/* Two wait for the node that is being unpacked, and one of them gave up the next one: both hear. */
static void
test_look_shared (void)
{
  static const TsLook looks[] = { TS_LOOK_POINTER, TS_LOOK_EDGE, TS_LOOK_POINTER };
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);
  const TsReaderLane *lane;
  gint64 deadline = g_get_monotonic_time () + WAIT_US;
  Gate gate = { 0 };

  set_up (self, TS_LANE_TASK, rand);
  gate.blobs = self->blobs;
  g_mutex_init (&gate.mutex);
  g_cond_init (&gate.changed);
  _ts_lane_reader_set_fetcher (self->late,
                               _ts_lane_fetcher_new (load_through, &gate, on_fetched, self));
  lane = _ts_lane_reader_find_lane (self->late, 7);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      TsSlice slice;

      _ts_lane_reader_begin_look (self->late, looks[i]);
      ts_lane_reader_find (self->late, 7, _ts_reader_lane_node (lane, 0, 0)->info.end - 1, 0,
                           &slice);
      if (i == 0)
        ts_lane_reader_find (self->late, 7, _ts_reader_lane_node (lane, 0, 3)->info.end - 1, 0,
                             &slice);
      g_assert_true (_ts_lane_reader_end_look (self->late));
      g_mutex_lock (&gate.mutex);
      while (gate.n_loads == 0)
        g_cond_wait (&gate.changed, &gate.mutex);
      g_mutex_unlock (&gate.mutex);
    }
  g_mutex_lock (&gate.mutex);
  gate.is_open = TRUE;
  g_cond_broadcast (&gate.changed);
  g_mutex_unlock (&gate.mutex);
  while (g_atomic_int_get (&self->n_notices) == 0 && g_get_monotonic_time () < deadline)
    g_thread_yield ();
  g_assert_cmpint (g_atomic_int_get (&self->n_notices), >, 0);
  g_assert_cmpuint (gate.n_loads, ==, 1);
  tear_down (self);
  g_mutex_clear (&gate.mutex);
  g_cond_clear (&gate.changed);
}

/** Broken: a store of blobs that cannot be read any more. */
typedef struct
{
  BlobStore *blobs;
  gint is_broken;
} Broken;

static GBytes *
load_unless_broken (gint64 blob,
                    gpointer user_data)
{
  Broken *broken = user_data;

  return g_atomic_int_get (&broken->is_broken) ? NULL : blob_store_load (blob, broken->blobs);
}

/* What cannot be read is not asked for for ever, also where the buckets of the node had been read. */
static void
test_look_broken (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);
  const TsReaderLane *lane;
  Broken broken = { 0 };
  TsFetchItem item = { .lane = 7 };
  TsSlice slice;
  guint n_looks = 0;
  gboolean is_pending;

  set_up (self, TS_LANE_TASK, rand);
  broken.blobs = self->blobs;
  _ts_lane_reader_set_fetcher (self->late,
                               _ts_lane_fetcher_new (load_unless_broken, &broken, NULL, NULL));
  lane = _ts_lane_reader_find_lane (self->late, 7);
  item.blob = _ts_reader_lane_node (lane, 0, 0)->info.blob;
  _ts_lane_fetcher_ask (self->late->fetcher, &item, 1);
  wait_for_worker (self);
  g_assert_nonnull (_ts_reader_lane_node (lane, 0, 0)->fold);
  g_atomic_int_set (&broken.is_broken, TRUE);
  do
    {
      /* it looks for another one in all others, which cannot be read either */
      g_assert_cmpuint (n_looks++, <, _ts_reader_lane_n_nodes (lane, 0) + 4);
      _ts_lane_reader_begin_look (self->late, TS_LOOK_POINTER);
      ts_lane_reader_find (self->late, 7, _ts_reader_lane_node (lane, 0, 0)->info.end - 1, 0,
                           &slice);
      is_pending = _ts_lane_reader_end_look (self->late);
      wait_for_worker (self);
    }
  while (is_pending);
  tear_down (self);
}

/* What a picture waits for may be more than is kept to be taken over: it is told of before the worker
 * stands still, and goes on with the rest. */
static void
test_much (void)
{
  enum { N_ITEMS = 400 };
  g_autoptr (GRand) rand = new_rand ();
  g_autofree Fixture *self = g_new (Fixture, 1);
  g_autofree TsFetchItem *items = g_new0 (TsFetchItem, N_ITEMS);
  const TsReaderLane *lane;
  gint64 deadline = g_get_monotonic_time () + WAIT_US;
  guint n_done = 0;
  gint n_notices = 0;

  set_up (self, TS_LANE_TASK, rand);
  lane = _ts_lane_reader_find_lane (self->late, 7);
  for (guint i = 0; i < N_ITEMS; i++)
    {
      items[i].lane = 7;
      items[i].wants_slices = TRUE;
      items[i].is_now = TRUE;
      items[i].blob = _ts_reader_lane_node (lane, 0, 0)->info.blob;
    }
  _ts_lane_fetcher_ask (self->late->fetcher, items, N_ITEMS);
  while (n_done < N_ITEMS)
    {
      g_autoptr (GPtrArray) done = NULL;

      /* as a window: nothing is taken over but when it was told */
      while (g_atomic_int_get (&self->n_notices) == n_notices)
        {
          g_assert_cmpint (g_get_monotonic_time (), <, deadline);
          g_thread_yield ();
        }
      n_notices = g_atomic_int_get (&self->n_notices);
      done = _ts_lane_fetcher_take (self->late->fetcher);
      n_done += done != NULL ? done->len : 0;
    }
  g_assert_cmpint (n_notices, >, 1);
  tear_down (self);
}

/* Where the search among the nodes of a lane began makes no difference, at borders and between them,
 * in lanes of any length. */
static void
test_edges (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (guint round = 0; round < 200; round++)
    {
      TsReaderLane lane = { 0 };
      guint n_nodes = (guint) g_rand_int_range (rand, 0, round < 20 ? 3 : 300);
      gint64 end = 0;

      lane.nodes[0] = g_ptr_array_new_with_free_func (g_free);
      for (guint i = 0; i < n_nodes; i++)
        {
          TsReaderNode *node = g_new0 (TsReaderNode, 1);

          /* several may end at the same time */
          end += g_rand_int_range (rand, 0, 4) * g_rand_int_range (rand, 0, 5);
          node->info.end = end;
          g_ptr_array_add (lane.nodes[0], node);
        }
      for (guint i = 0; i < 300; i++)
        {
          gint64 time = g_rand_int_range (rand, -2, (gint32) end + 3);
          guint at = n_nodes > 0 ? (guint) g_rand_int_range (rand, 0, (gint32) n_nodes) : 0;
          guint expected = 0;

          if (n_nodes > 0 && i % 2 == 0)
            time = _ts_reader_lane_node (&lane, 0, at)->info.end + g_rand_int_range (rand, -1, 2);
          /* also from where a longer directory ended */
          if (i % 3 == 0)
            lane.edge = (guint) g_rand_int_range (rand, 0, (gint32) n_nodes + 5);
          while (expected < n_nodes && _ts_reader_lane_node (&lane, 0, expected)->info.end <= time)
            expected++;
          g_assert_cmpuint (_ts_lane_reader_first_ending_after (&lane, time), ==, expected);
        }
      g_ptr_array_unref (lane.nodes[0]);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/lane-fetch/same", test_same);
  g_test_add_func ("/model/lane-fetch/trimmed", test_trimmed);
  g_test_add_func ("/model/lane-fetch/late", test_late);
  g_test_add_func ("/model/lane-fetch/reads-nothing", test_reads_nothing);
  g_test_add_func ("/model/lane-fetch/cancelled", test_cancelled);
  g_test_add_func ("/model/lane-fetch/look", test_look);
  g_test_add_func ("/model/lane-fetch/look-superseded", test_look_superseded);
  g_test_add_func ("/model/lane-fetch/look-shared", test_look_shared);
  g_test_add_func ("/model/lane-fetch/look-broken", test_look_broken);
  g_test_add_func ("/model/lane-fetch/much", test_much);
  g_test_add_func ("/model/lane-fetch/edges", test_edges);
  g_test_add_func ("/model/lane-fetch/planned", test_planned);
  g_test_add_func ("/model/lane-fetch/superseded", test_superseded);
  return g_test_run ();
}
