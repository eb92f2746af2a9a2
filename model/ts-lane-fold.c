/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-fold.c: buckets of time whose width adapts to what they must hold. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-node-private.h"

/* A slice that covers more whole buckets than this goes through the difference array. */
#define FEW_BUCKETS 16

/* The widest bucket: first + n never overflows below it. */
#define MAX_WIDTH_LOG2 62

static gpointer
new_plane (const TsFold *self,
           gsize item_size)
{
  return g_malloc0_n (self->capacity, item_size);
}

static inline gint64 *
ensure_ticks (TsFold *self,
              guint state)
{
  if (G_UNLIKELY (self->ticks[state] == NULL))
    self->ticks[state] = new_plane (self, sizeof (gint64));
  return self->ticks[state];
}

static inline guint32 *
ensure_count (TsFold *self)
{
  if (G_UNLIKELY (self->count == NULL))
    self->count = new_plane (self, sizeof (guint32));
  return self->count;
}

static void
ensure_values (TsFold *self)
{
  if (self->min != NULL)
    return;

  self->min = new_plane (self, sizeof (double));
  self->max = new_plane (self, sizeof (double));
  self->last = new_plane (self, sizeof (double));
}

/* Calls @apply on every plane that exists. */
#define FOR_EACH_PLANE(self, apply) \
  G_STMT_START { \
    if ((self)->count != NULL) \
      apply ((self)->count); \
    for (guint plane_ = 0; plane_ < TS_N_TIMED_STATES; plane_++) \
      if ((self)->ticks[plane_] != NULL) \
        apply ((self)->ticks[plane_]); \
    if ((self)->min != NULL) \
      { \
        apply ((self)->min); \
        apply ((self)->max); \
        apply ((self)->last); \
      } \
    if ((self)->lost != NULL) \
      apply ((self)->lost); \
  } G_STMT_END

/**
 * _ts_fold_clear:
 * @self: a fold
 *
 * Frees its planes; it is then an empty fold (all zero).
 */
void
_ts_fold_clear (TsFold *self)
{
#define FREE_PLANE(plane) g_free (plane)
  FOR_EACH_PLANE (self, FREE_PLANE);
#undef FREE_PLANE
  memset (self, 0, sizeof *self);
}

/**
 * _ts_fold_reset:
 * @self: a fold
 *
 * Empties it and keeps the memory.
 */
void
_ts_fold_reset (TsFold *self)
{
#define ZERO_PLANE(plane) memset ((plane), 0, self->n * sizeof *(plane))
  FOR_EACH_PLANE (self, ZERO_PLANE);
#undef ZERO_PLANE
  self->n = 0;
  self->first = 0;
  self->width_log2 = 0;
}

/* Adds bucket @from of @other to bucket @to. Where both hold samples, those of @other are the
 * later ones. */
static void
add_bucket_values (TsFold *self,
                   guint to,
                   const TsFold *other,
                   guint from)
{
  if (other->count[from] == 0)
    return;

  if (self->count[to] == 0)
    {
      self->min[to] = other->min[from];
      self->max[to] = other->max[from];
    }
  else
    {
      self->min[to] = MIN (self->min[to], other->min[from]);
      self->max[to] = MAX (self->max[to], other->max[from]);
    }
  self->last[to] = other->last[from];
}

/* Merges neighbours until the width is 1 << @width_log2. Buckets that become free are zero again.
 * */
static void
rescale (TsFold *self,
         guint width_log2)
{
  guint shift = width_log2 - self->width_log2;
  gint64 first = self->first >> shift;
  guint n = self->n > 0 ? (guint) (((self->first + self->n - 1) >> shift) - first) + 1 : 0;

  if (shift == 0)
    return;

#define FOLD_PLANE(plane) \
  for (guint i = 0; i < self->n; i++) \
    { \
      guint to = (guint) (((self->first + i) >> shift) - first); \
      if (to != i) \
        { \
          (plane)[to] += (plane)[i]; \
          (plane)[i] = 0; \
        } \
    }

  /* Values first: they look at the counts. */
  if (self->min != NULL)
    {
      guint32 seen[TS_NODE_BUCKETS] = { 0 };

      for (guint i = 0; i < self->n; i++)
        {
          guint to = (guint) (((self->first + i) >> shift) - first);

          if (self->count[i] == 0)
            continue;
          self->min[to] = seen[to] != 0 ? MIN (self->min[to], self->min[i]) : self->min[i];
          self->max[to] = seen[to] != 0 ? MAX (self->max[to], self->max[i]) : self->max[i];
          self->last[to] = self->last[i];
          seen[to] = 1;
        }
    }
  if (self->count != NULL)
    FOLD_PLANE (self->count);
  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    if (self->ticks[s] != NULL)
      FOLD_PLANE (self->ticks[s]);
  if (self->lost != NULL)
    FOLD_PLANE (self->lost);
#undef FOLD_PLANE

  self->first = first;
  self->n = n;
  self->width_log2 = (guint8) width_log2;
}

/* Makes room for the buckets of all ticks from @begin to @last, inclusive; doubles the width as
 * often as it takes. */
static void
reserve (TsFold *self,
         gint64 begin,
         gint64 last,
         guint width_log2)
{
  gint64 low;
  gint64 high;

  if (self->capacity == 0)
    self->capacity = TS_NODE_BUCKETS;

  width_log2 = MAX (width_log2, self->width_log2);
  for (;; width_log2++)
    {
      guint shift = width_log2 - self->width_log2;

      low = begin >> width_log2;
      high = last >> width_log2;
      if (self->n > 0)
        {
          low = MIN (low, self->first >> shift);
          high = MAX (high, (self->first + self->n - 1) >> shift);
        }
      if (high - low < TS_NODE_BUCKETS || width_log2 >= MAX_WIDTH_LOG2)
        break;
    }

  rescale (self, width_log2);

  if (self->n == 0)
    {
      self->first = low;
    }
  else if (low < self->first)
    {
      guint shift = (guint) (self->first - low);

#define MOVE_PLANE(plane) \
      (memmove ((plane) + shift, (plane), self->n * sizeof *(plane)), \
       memset ((plane), 0, shift * sizeof *(plane)))
      FOR_EACH_PLANE (self, MOVE_PLANE);
#undef MOVE_PLANE
      self->first = low;
    }
  self->n = (guint) (high - low) + 1;
}

static inline gboolean
is_inside (const TsFold *self,
           gint64 begin,
           gint64 last)
{
  return self->n > 0 && begin >> self->width_log2 >= self->first &&
         last >> self->width_log2 < self->first + (gint64) self->n;
}

/**
 * _ts_fold_add_count:
 * @self: a fold
 * @time: when
 *
 * Counts one event. Cost: a few instructions unless the width must grow.
 */
void
_ts_fold_add_count (TsFold *self,
                    gint64 time)
{
  if (G_UNLIKELY (!is_inside (self, time, time)))
    reserve (self, time, time, 0);
  ensure_count (self)[(time >> self->width_log2) - self->first]++;
}

/* Adds @end - @begin ticks to the buckets between; the fold has room for them. @covered:
 * difference array for slices that cover many whole buckets: overlapping slices would cost slices
 * times buckets otherwise. */
static inline void
spread_ticks (TsFold *self,
              gint64 *plane,
              gint64 begin,
              gint64 end,
              gint32 *covered)
{
  guint w = self->width_log2;
  gint64 from = begin >> w;
  gint64 to = (end - 1) >> w;

  if (from == to)
    {
      plane[from - self->first] += end - begin;
      return;
    }

  plane[from - self->first] += ((from + 1) << w) - begin;
  plane[to - self->first] += end - (to << w);

  if (covered == NULL || to - from <= FEW_BUCKETS)
    {
      for (gint64 i = from + 1; i < to; i++)
        plane[i - self->first] += (gint64) 1 << w;
    }
  else
    {
      covered[from + 1 - self->first]++;
      covered[to - self->first]--;
    }
}

/**
 * _ts_fold_add_ticks:
 * @self: a fold
 * @state: a timed state
 * @begin: first tick
 * @end: tick after the last
 *
 * Adds time to one state's plane; no count.
 */
void
_ts_fold_add_ticks (TsFold *self,
                    TsLaneState state,
                    gint64 begin,
                    gint64 end)
{
  if (end <= begin)
    return;

  if (G_UNLIKELY (!is_inside (self, begin, end - 1)))
    reserve (self, begin, end - 1, 0);
  spread_ticks (self, ensure_ticks (self, state), begin, end, NULL);
}

/**
 * _ts_fold_merge:
 * @self: a fold
 * @other: buckets that come after those of @self, as far as samples are concerned
 * @min_width_log2: buckets shall be at least this wide
 *
 * Adds all of @other, both brought to a common width.
 */
void
_ts_fold_merge (TsFold *self,
                const TsFold *other,
                guint min_width_log2)
{
  guint shift;
  gint64 first;

  if (other->n == 0)
    return;

  reserve (self, other->first << other->width_log2,
           ((other->first + other->n) << other->width_log2) - 1,
           MAX (other->width_log2, min_width_log2));
  shift = self->width_log2 - other->width_log2;
  first = other->first;

  if (other->min != NULL)
    {
      ensure_values (self);
      ensure_count (self);
      for (guint i = 0; i < other->n; i++)
        {
          guint to = (guint) (((first + i) >> shift) - self->first);

          add_bucket_values (self, to, other, i);
          self->count[to] += other->count[i];
        }
    }
  else if (other->count != NULL)
    {
      guint32 *count = ensure_count (self);

      for (guint i = 0; i < other->n; i++)
        count[((first + i) >> shift) - self->first] += other->count[i];
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      gint64 *ticks;

      if (other->ticks[s] == NULL)
        continue;
      ticks = ensure_ticks (self, s);
      for (guint i = 0; i < other->n; i++)
        ticks[((first + i) >> shift) - self->first] += other->ticks[s][i];
    }

  if (other->lost != NULL)
    {
      if (self->lost == NULL)
        self->lost = new_plane (self, sizeof (gint64));
      for (guint i = 0; i < other->n; i++)
        self->lost[((first + i) >> shift) - self->first] += other->lost[i];
    }
}

/* First tick of the earliest slice and last tick of the latest (an instant's own tick counts). */
static void
get_hull (const TsSlice *slices,
          guint n_slices,
          gint64 *begin,
          gint64 *last)
{
  *begin = slices[0].begin;
  *last = slices[0].begin;
  for (guint i = 0; i < n_slices; i++)
    {
      *begin = MIN (*begin, slices[i].begin);
      *last = MAX (*last, MAX (slices[i].begin, slices[i].end - 1));
    }
}

/**
 * _ts_fold_make_room:
 * @self: a fold
 * @slices: (array length=n_slices): slices ordered by end
 * @n_slices: how many, at least one
 *
 * Makes the buckets that _ts_fold_add_slices() would fill, without what is in them.
 */
void
_ts_fold_make_room (TsFold *self,
                    const TsSlice *slices,
                    guint n_slices)
{
  gint64 begin;
  gint64 last;

  get_hull (slices, n_slices, &begin, &last);
  reserve (self, begin, last, 0);
}

static inline void
add_value (TsFold *self,
           guint bucket,
           double value)
{
  if (self->count[bucket] == 0)
    {
      self->min[bucket] = value;
      self->max[bucket] = value;
    }
  else
    {
      self->min[bucket] = MIN (self->min[bucket], value);
      self->max[bucket] = MAX (self->max[bucket], value);
    }
  self->last[bucket] = value;
}

/**
 * _ts_fold_add_slices:
 * @self: a fold; the finest width that holds all is chosen at once
 * @slices: (array length=n_slices): slices ordered by end
 * @n_slices: how many
 * @has_values: a value lane: samples instead of time per state
 *
 * Adds slices: a count where each begins and its time where it lies.
 */
void
_ts_fold_add_slices (TsFold *self,
                     const TsSlice *slices,
                     guint n_slices,
                     gboolean has_values)
{
  gint32 covered[TS_N_TIMED_STATES][TS_NODE_BUCKETS + 1];
  guint cleared = 0;
  guint32 *count;
  guint w;

  if (n_slices == 0)
    return;

  _ts_fold_make_room (self, slices, n_slices);
  count = ensure_count (self);
  if (has_values)
    ensure_values (self);
  w = self->width_log2;

  for (guint i = 0; i < n_slices; i++)
    {
      const TsSlice *slice = &slices[i];
      guint bucket = (guint) ((slice->begin >> w) - self->first);

      if (has_values)
        {
          add_value (self, bucket, slice->value);
        }
      else if (slice->state < TS_N_TIMED_STATES && slice->end > slice->begin)
        {
          guint state = slice->state;

          if ((cleared & (1u << state)) == 0)
            {
              memset (covered[state], 0, sizeof covered[state]);
              cleared |= 1u << state;
            }
          spread_ticks (self, ensure_ticks (self, state), slice->begin, slice->end, covered[state]);
        }
      else if (slice->state == TS_STATE_LOSS && slice->arg != G_MAXUINT32)
        {
          if (self->lost == NULL)
            self->lost = new_plane (self, sizeof (gint64));
          self->lost[bucket] += slice->arg;
        }
      count[bucket]++;
    }

  for (guint s = 0; s < TS_N_TIMED_STATES; s++)
    {
      gint64 n_covering = 0;

      if ((cleared & (1u << s)) == 0)
        continue;
      for (guint i = 0; i < self->n; i++)
        {
          n_covering += covered[s][i];
          self->ticks[s][i] += n_covering << w;
        }
    }
}

/**
 * _ts_fold_copy_into:
 * @self: a fold; its memory is used again where it suffices
 * @other: what it shall hold
 */
void
_ts_fold_copy_into (TsFold *self,
                    const TsFold *other)
{
  _ts_fold_reset (self);
  if (other->n == 0)
    return;
  if (self->capacity < other->n)
    _ts_fold_clear (self);
  _ts_fold_merge (self, other, 0);
}

/**
 * _ts_fold_trim:
 * @self: a fold that will only be read from now on
 *
 * Gives back the memory of buckets that are not in use.
 */
void
_ts_fold_trim (TsFold *self)
{
#define TRIM_PLANE(plane) ((plane) = g_realloc_n ((plane), MAX (self->n, 1), sizeof *(plane)))
  FOR_EACH_PLANE (self, TRIM_PLANE);
#undef TRIM_PLANE
  self->capacity = MAX (self->n, 1);
}

/**
 * _ts_fold_get_size:
 * @self: a fold
 *
 * Returns: bytes of memory that its planes take
 */
gsize
_ts_fold_get_size (const TsFold *self)
{
  gsize size = 0;

#define ADD_PLANE(plane) size += self->capacity * sizeof *(plane)
  FOR_EACH_PLANE (self, ADD_PLANE);
#undef ADD_PLANE
  return size;
}
