/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane-fixture.h: random lanes, and answers about them found by looking at every slice. */
#pragma once

#include <string.h>

#include "model/ts-lane-store-private.h"
#include "model/ts-recording.h"

/* A store of blobs: keys are 1, 2, 3 ... */
typedef struct
{
  GPtrArray *blobs;  /* of GBytes */
  GArray *nodes;     /* of TsNodeInfo */
  gint n_loads;      /* atomic */
} BlobStore;

static inline BlobStore *
blob_store_new (void)
{
  BlobStore *self = g_new0 (BlobStore, 1);

  self->blobs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->nodes = g_array_new (FALSE, FALSE, sizeof (TsNodeInfo));
  return self;
}

static inline void
blob_store_free (BlobStore *self)
{
  g_ptr_array_unref (self->blobs);
  g_array_unref (self->nodes);
  g_free (self);
}

static inline GBytes *
blob_store_load (gint64 blob,
                 gpointer user_data)
{
  BlobStore *self = user_data;

  g_assert_cmpint (blob, >=, 1);
  g_assert_cmpint (blob, <=, self->blobs->len);
  g_atomic_int_inc (&self->n_loads);
  return g_bytes_ref (self->blobs->pdata[blob - 1]);
}

/* Stores what is sealed, as a writer does. Returns the bytes written. */
static inline gsize
blob_store_save (BlobStore *self,
                 TsLaneStore *store)
{
  TsNodeInfo info;
  GBytes *blob;
  gsize size = 0;

  while (ts_lane_store_next_unsaved (store, &info, &blob))
    {
      size += g_bytes_get_size (blob);
      g_ptr_array_add (self->blobs, blob);
      info.blob = self->blobs->len;
      g_array_append_val (self->nodes, info);
      ts_lane_store_set_blob (store, &info, info.blob);
    }
  ts_lane_store_committed (store);
  return size;
}

static inline TsLaneReader *
blob_store_read (BlobStore *self,
                 TsLaneStore *store,
                 gint64 end)
{
  guint n_lanes;
  const TsLaneInfo *lanes = ts_lane_store_get_lanes (store, &n_lanes);

  return ts_lane_reader_new (lanes, n_lanes, (const TsNodeInfo *) (gpointer) self->nodes->data,
                             self->nodes->len, end, blob_store_load, self);
}

/* A lane whose slices are known. */
typedef struct
{
  TsLaneInfo info;
  GArray *slices; /* of TsSlice, in order of end */
  gint64 now;
  GArray *begins; /* spans: begins of the open ones */
} Lane;

static inline Lane *
lane_new (TsLaneStore *store,
          guint32 id,
          TsLaneKind kind)
{
  Lane *self = g_new0 (Lane, 1);
  char name[] = "lane";

  self->info = (TsLaneInfo){
    .id = id, .kind = kind, .object = id, .name = name, .priority = TS_OBJECT_UNKNOWN
  };
  self->slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  self->begins = g_array_new (FALSE, FALSE, sizeof (gint64));
  ts_lane_store_define_lane (store, &self->info);
  self->info.name = NULL;
  return self;
}

static inline void
lane_free (Lane *self)
{
  g_array_unref (self->slices);
  g_array_unref (self->begins);
  g_free (self);
}

/* A length between nothing and hours: every power of two alike, now and then a very long one. */
static inline gint64
random_length (GRand *rand)
{
  guint bits = g_rand_int_range (rand, 0, g_rand_int_range (rand, 0, 200) == 0 ? 40 : 17);

  return (gint64) ((guint64) g_rand_int (rand) << 8 & (((guint64) 1 << bits) - 1));
}

static inline void
lane_add (Lane *self,
          TsLaneStore *store,
          const TsSlice *slice)
{
  g_array_append_vals (self->slices, slice, 1);
  ts_lane_store_add_slice (store, self->info.id, slice);
}

/* One more slice (spans: a begin or an end). */
static inline void
lane_step (Lane *self,
           TsLaneStore *store,
           GRand *rand)
{
  TsSlice slice = { .begin = self->now };

  switch (self->info.kind)
    {
    case TS_LANE_TASK:
      /* Without gaps most of the time. */
      if (g_rand_int_range (rand, 0, 50) == 0)
        slice.begin += random_length (rand);
      slice.end = slice.begin + random_length (rand) + 1;
      slice.state = (guint8) g_rand_int_range (rand, TS_STATE_RUNNING, TS_STATE_INTERRUPTED);
      slice.arg = slice.state == TS_STATE_BLOCKED ? (guint32) g_rand_int_range (rand, 0, 9) : 0;
      /* What interrupts took of it. */
      if (slice.state == TS_STATE_RUNNING && g_rand_boolean (rand))
        slice.arg = (guint32) ((slice.end - slice.begin) / 3);
      break;

    case TS_LANE_VALUE:
      slice.end = slice.begin + random_length (rand);
      slice.state = TS_STATE_POINT;
      slice.value = g_rand_int_range (rand, -1000, 1000) / (g_rand_boolean (rand) ? 1.0 : 8.0);
      break;

    case TS_LANE_OBJECT:
    case TS_LANE_MESSAGE:
      slice.begin = slice.end = self->now + random_length (rand);
      slice.state = TS_STATE_POINT;
      slice.arg = self->info.kind == TS_LANE_MESSAGE ? g_rand_int (rand)
                                                     : (guint32) g_rand_int_range (rand, 0, 5);
      slice.kind = (guint16) (g_rand_boolean (rand) ? TS_SLICE_START | 8 : 8);
      break;

    case TS_LANE_LOSS:
      slice.begin += random_length (rand);
      slice.end = slice.begin + random_length (rand);
      slice.state = g_rand_boolean (rand) ? TS_STATE_LOSS : TS_STATE_CORRUPT;
      slice.arg = g_rand_int_range (rand, 0, 10) == 0 ? G_MAXUINT32
                                                      : (guint32) g_rand_int_range (rand, 0, 500);
      break;

    case TS_LANE_SPAN:
    default:
      self->now += random_length (rand);
      if (self->begins->len == 0 || (self->begins->len < 6 && g_rand_boolean (rand)))
        {
          g_array_append_val (self->begins, self->now);
          return;
        }
      slice.end = self->now;
      slice.begin = g_array_index (self->begins, gint64, self->begins->len - 1);
      slice.depth = (guint8) (self->begins->len - 1);
      slice.state = TS_STATE_RUNNING;
      g_array_set_size (self->begins, self->begins->len - 1);
      break;
    }

  lane_add (self, store, &slice);
  self->now = slice.end;
}

/* ---- answers by looking at every slice ---- */

static inline gboolean
is_in_window (const TsSlice *slice,
              gint64 begin,
              gint64 end)
{
  return slice->begin < end
         && (slice->end > begin || (slice->begin == slice->end && slice->end >= begin)
             || slice->begin == begin);
}

typedef struct
{
  guint64 count;
  gint64 ticks[TS_N_TIMED_STATES];
  gint64 n_lost;
  gboolean has_value;
  double min;
  double max;
  double last;
} Totals;

static inline Totals
brute_totals (const TsSlice *slices,
              guint n,
              TsLaneKind kind,
              gint64 begin,
              gint64 end)
{
  Totals totals = { 0 };

  for (guint i = 0; i < n; i++)
    {
      const TsSlice *s = &slices[i];
      gint64 from = MAX (s->begin, begin);
      gint64 to = MIN (s->end, end);

      if (s->begin >= begin && s->begin < end)
        {
          if (kind == TS_LANE_VALUE)
            {
              totals.min = totals.has_value ? MIN (totals.min, s->value) : s->value;
              totals.max = totals.has_value ? MAX (totals.max, s->value) : s->value;
              totals.last = s->value;
              totals.has_value = TRUE;
            }
          totals.count++;
          if (s->state == TS_STATE_LOSS && s->arg != G_MAXUINT32)
            totals.n_lost += s->arg;
        }
      if (kind != TS_LANE_VALUE && s->state < TS_N_TIMED_STATES && to > from)
        totals.ticks[s->state] += to - from;
    }
  return totals;
}

static inline Totals
column_totals (const TsColumn *columns,
               guint n,
               TsLaneKind kind)
{
  Totals totals = { 0 };

  for (guint i = 0; i < n; i++)
    {
      totals.count += columns[i].count;
      totals.n_lost += columns[i].n_lost;
      for (guint s = 0; s < TS_N_TIMED_STATES; s++)
        totals.ticks[s] += columns[i].ticks[s];
      if (kind == TS_LANE_VALUE && columns[i].count > 0)
        {
          totals.min = totals.has_value ? MIN (totals.min, columns[i].min) : columns[i].min;
          totals.max = totals.has_value ? MAX (totals.max, columns[i].max) : columns[i].max;
          totals.last = columns[i].last;
          totals.has_value = TRUE;
        }
    }
  return totals;
}

static inline void
assert_totals_equal (const Totals *got,
                     const Totals *want)
{
  g_assert_cmpuint (got->count, ==, want->count);
  g_assert_cmpint (got->n_lost, ==, want->n_lost);
  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (s != TS_STATE_INTERRUPTED)
      g_assert_cmpint (got->ticks[s], ==, want->ticks[s]);
  g_assert_cmpint (got->has_value, ==, want->has_value);
  if (want->has_value)
    {
      g_assert_cmpfloat (got->min, ==, want->min);
      g_assert_cmpfloat (got->max, ==, want->max);
      g_assert_cmpfloat (got->last, ==, want->last);
    }
}

/* Seeds come from the test framework (--seed), so a failure can be repeated. */
static inline GRand *
new_rand (void)
{
  guint32 seed = (guint32) g_test_rand_int ();

  g_test_message ("seed %u", seed);
  return g_rand_new_with_seed (seed);
}
