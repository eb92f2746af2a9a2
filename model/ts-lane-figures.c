/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-figures.c: figures of nodes: made of slices, merged, as bytes and back. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-figures-private.h"

/* Version 1 has no head, and periods across losses; 2 and 3 tell nothing of storms. In version 3 the
 * number of bytes follows, and sections come behind them. */
#define VERSION 4
#define VERSION_WITHOUT_HEAD 1
#define VERSION_WITHOUT_STORMS 2
#define VERSION_WITH_SECTIONS 3
/* More of them are not counted one by one. */
#define MAX_STORM_ENTRIES 65536

/* Beside the number of buckets: they are in flat runs, which few are not, nor those of older
 * recordings. */
#define FLAT_BUCKETS 0x2000
#define FLAT_MIN_BUCKETS 6
G_STATIC_ASSERT (TS_N_BUCKETS < FLAT_BUCKETS);

void
_ts_figures_init (TsLaneFigures *self)
{
  memset (self, 0, sizeof *self);
  _ts_head_init (&self->head);
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      self->measures[m] = (TsFigure){ .min = -1, .max = -1 };
      self->firsts[m].begin = -1;
    }
  self->end = (TsActivation){ .ready = -1, .last = -1, .before_end = -1 };
}

void
_ts_figures_clear (TsLaneFigures *self)
{
  _ts_head_clear (&self->head);
  for (guint m = 0; m < TS_N_MEASURES; m++)
    g_clear_pointer (&self->buckets[m], g_array_unref);
}

/* ---- merging ---- */

/**
 * _ts_figure_merge:
 * @figure: durations
 * @next: later ones
 * @object: (inout): what the longest of @figure is about
 * @next_object: the same of @next
 *
 * Of equal extremes the earlier one stays.
 */
void
_ts_figure_merge (TsFigure *figure,
                  const TsFigure *next,
                  guint32 *object,
                  guint32 next_object)
{
  if (next->count == 0)
    return;
  if (figure->count == 0 || next->min < figure->min)
    {
      figure->min = next->min;
      figure->min_begin = next->min_begin;
      figure->min_end = next->min_end;
    }
  if (figure->count == 0 || next->max > figure->max)
    {
      figure->max = next->max;
      figure->max_begin = next->max_begin;
      figure->max_end = next->max_end;
      *object = next_object;
    }
  figure->count += next->count;
  figure->sum += next->sum;
}

static GArray *
merge_buckets (GArray *left,
               const GArray *right)
{
  const TsBucketCount *a;
  const TsBucketCount *a_end;
  const TsBucketCount *b;
  const TsBucketCount *b_end;
  TsBucketCount *sum;
  GArray *both;

  if (right == NULL || right->len == 0)
    return left;
  if (left == NULL)
    return g_array_append_vals (g_array_sized_new (FALSE, FALSE, sizeof *sum, right->len),
                                right->data, right->len);
  both = g_array_sized_new (FALSE, FALSE, sizeof *sum, left->len + right->len);
  g_array_set_size (both, left->len + right->len);
  sum = (TsBucketCount *) (gpointer) both->data;
  a = (const TsBucketCount *) (gpointer) left->data;
  a_end = a + left->len;
  b = (const TsBucketCount *) (gpointer) right->data;
  b_end = b + right->len;
  while (a < a_end && b < b_end)
    {
      guint32 bucket = MIN (a->bucket, b->bucket);
      gboolean is_left = a->bucket == bucket;
      gboolean is_right = b->bucket == bucket;

      *sum++ = (TsBucketCount){ bucket, 0, (is_left ? a->count : 0) + (is_right ? b->count : 0) };
      a += is_left;
      b += is_right;
    }
  while (a < a_end)
    *sum++ = *a++;
  while (b < b_end)
    *sum++ = *b++;
  g_array_set_size (both, (guint) (sum - (TsBucketCount *) (gpointer) both->data));
  g_array_unref (left);
  return both;
}

static void
add_to_bucket (TsLaneFigures *self,
               guint measure,
               gint64 ticks)
{
  TsBucketCount one = { _ts_bucket_of (ticks), 0, 1 };
  GArray *array;
  guint i = 0;

  if (self->buckets[measure] == NULL)
    self->buckets[measure] = g_array_new (FALSE, FALSE, sizeof (TsBucketCount));
  array = self->buckets[measure];
  while (i < array->len && g_array_index (array, TsBucketCount, i).bucket < one.bucket)
    i++;
  if (i < array->len && g_array_index (array, TsBucketCount, i).bucket == one.bucket)
    g_array_index (array, TsBucketCount, i).count++;
  else
    g_array_insert_val (array, i, one);
}

/* @into: (nullable): where all buckets of @self are, those of @next already */
static void
merge_durations (TsLaneFigures *self,
                 const TsLaneFigures *next,
                 TsBuckets *into)
{
  self->n_runs += next->n_runs;
  self->preemptions += next->preemptions;
  self->blocks += next->blocks;
  self->ticks += next->ticks;
  self->is_nested |= next->is_nested;
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      const TsFirstSample *first = &next->firsts[m];
      guint32 other = 0;

      if (first->begin >= 0 && self->firsts[m].begin < 0)
        self->firsts[m] = *first;
      else if (first->begin >= 0)
        {
          _ts_figure_add (&self->measures[m], first->ticks, first->begin, first->end);
          if (into != NULL)
            _ts_buckets_add (&into[m], first->ticks);
          else
            add_to_bucket (self, m, first->ticks);
        }
      _ts_figure_merge (&self->measures[m], &next->measures[m],
                        m == TS_MEASURE_BLOCK ? &self->longest_block_object : &other,
                        next->longest_block_object);
      if (into == NULL)
        self->buckets[m] = merge_buckets (self->buckets[m], next->buckets[m]);
    }
  self->end = next->end;
}

/**
 * _ts_figures_merge:
 * @self: figures of nodes
 * @next: figures of the node behind them
 *
 * Adds them. What became known first in @next began in @self or later: it is no longer kept apart.
 */
void
_ts_figures_merge (TsLaneFigures *self,
                   const TsLaneFigures *next)
{
  _ts_head_merge (&self->head, &next->head);
  self->has_durations = next->has_durations;
  if (next->has_durations)
    merge_durations (self, next, NULL);
}

/* ---- bytes ---- */

static void
put_run (TsPackWriter *writer,
         const guint64 *run,
         guint n,
         gboolean is_flat)
{
  if (is_flat)
    _ts_pack_flat_run (writer, run, n);
  else
    _ts_pack_run (writer, run, n);
}

/* How many lie in each bucket, @buckets in order; NULL: none. */
void
_ts_bucket_counts_encode (TsPackWriter *writer,
                          const GArray *buckets,
                          gboolean may_be_flat)
{
  guint n = buckets != NULL ? buckets->len : 0;
  gboolean is_flat = may_be_flat && n >= FLAT_MIN_BUCKETS;
  g_autofree guint64 *run = g_new (guint64, MAX (n, 1));
  guint before = 0;

  _ts_pack_uint (writer, is_flat ? n | FLAT_BUCKETS : n);
  for (guint i = 0; i < n; i++)
    {
      run[i] = g_array_index (buckets, TsBucketCount, i).bucket - before;
      before = g_array_index (buckets, TsBucketCount, i).bucket;
    }
  put_run (writer, run, n, is_flat);
  for (guint i = 0; i < n; i++)
    run[i] = g_array_index (buckets, TsBucketCount, i).count;
  put_run (writer, run, n, is_flat);
}

/* A time that may be none, below 0; @base: about when, below 0: not known. */
static void
put_time (TsPackWriter *writer,
          gint64 time,
          gint64 base)
{
  if (base < 0)
    _ts_pack_int (writer, time);
  else
    _ts_pack_uint (writer, time < 0 ? 0 : _ts_zigzag (time - base) + 1);
}

/**
 * _ts_figures_encode_durations:
 * @self: figures
 * @writer: where to
 * @base: times are written from it; below 0: as they are
 *
 * Writes all but the head.
 */
void
_ts_figures_encode_durations (const TsLaneFigures *self,
                              TsPackWriter *writer,
                              gint64 base)
{
  _ts_pack_uint (writer, self->is_nested != FALSE);
  _ts_pack_uint (writer, self->n_runs);
  _ts_pack_uint (writer, self->preemptions);
  _ts_pack_uint (writer, self->blocks);
  _ts_pack_int (writer, self->ticks);
  _ts_pack_uint (writer, self->longest_block_object);
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      const TsFigure *figure = &self->measures[m];
      const TsFirstSample *first = &self->firsts[m];

      put_time (writer, first->begin, base);
      if (first->begin >= 0)
        {
          _ts_pack_int (writer, first->end - first->begin);
          _ts_pack_int (writer, first->ticks);
        }
      _ts_pack_uint (writer, figure->count);
      if (figure->count == 0)
        continue;
      _ts_pack_int (writer, figure->sum);
      _ts_pack_int (writer, figure->min);
      _ts_pack_int (writer, figure->max);
      put_time (writer, figure->min_begin, base);
      _ts_pack_int (writer, figure->min_end - figure->min_begin);
      put_time (writer, figure->max_begin, base);
      _ts_pack_int (writer, figure->max_end - figure->max_begin);
      _ts_bucket_counts_encode (writer, self->buckets[m], TRUE);
    }
  put_time (writer, self->end.ready, base);
  _ts_pack_int (writer, self->end.execution);
  put_time (writer, self->end.last, base);
  put_time (writer, self->end.before_end, base);
  _ts_pack_uint (writer, self->end.before);
  _ts_pack_uint (writer, (self->end.has_run ? 1 : 0) | (self->end.is_waiting ? 2 : 0));
}

/**
 * _ts_figures_encode:
 * @self: figures
 *
 * Returns: (transfer full): the bytes to store
 */
GBytes *
_ts_figures_encode (const TsLaneFigures *self)
{
  TsPackWriter writer = { g_byte_array_sized_new (512), 0, 0 };

  _ts_pack_uint (&writer, VERSION);
  _ts_pack_finish (&writer);
  _ts_pack_uint (&writer, self->has_durations != FALSE);
  _ts_head_encode (&self->head, &writer);
  if (self->has_durations)
    _ts_figures_encode_durations (self, &writer, -1);
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

/* Numbers are kept small enough for sums of many nodes; only a damaged file has others. */
static gint64
take (TsPackReader *reader)
{
  gint64 value = _ts_unzigzag (_ts_unpack_uint (reader));

  if (value < -TS_NODE_MAX_TIME || value > TS_NODE_MAX_TIME)
    reader->is_bad = TRUE;
  return reader->is_bad ? 0 : value;
}

static guint64
take_uint (TsPackReader *reader)
{
  guint64 value = _ts_unpack_uint (reader);

  if (value > (guint64) TS_NODE_MAX_TIME)
    reader->is_bad = TRUE;
  return reader->is_bad ? 0 : value;
}

static gint64
take_time (TsPackReader *reader,
           gint64 base)
{
  guint64 value;
  gint64 time;

  if (base < 0)
    return take (reader);
  value = take_uint (reader);
  if (value == 0)
    return -1;
  time = base + _ts_unzigzag (value - 1);
  if (time < 0 || time > TS_NODE_MAX_TIME)
    reader->is_bad = TRUE;
  return reader->is_bad ? 0 : time;
}

/* Into @into, or as an array that is returned. */
static GArray *
decode_buckets (TsPackReader *reader,
                TsBuckets *into)
{
  guint64 gaps[TS_N_BUCKETS];
  guint64 counts[TS_N_BUCKETS];
  guint64 n = take_uint (reader);
  gboolean is_flat = (n & FLAT_BUCKETS) != 0;
  guint64 bucket = 0;
  guint64 most = 0;
  TsBucketCount *array;
  GArray *buckets = NULL;

  n &= ~(guint64) FLAT_BUCKETS;
  if (reader->is_bad || n > TS_N_BUCKETS
      || !(is_flat ? _ts_unpack_flat_run (reader, gaps, (guint) n)
                         && _ts_unpack_flat_run (reader, counts, (guint) n)
                   : _ts_unpack_run (reader, gaps, (guint) n) == n
                         && _ts_unpack_run (reader, counts, (guint) n) == n))
    {
      reader->is_bad = TRUE;
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      most |= gaps[i] >> 16 | counts[i] >> 60;
      bucket += gaps[i] & 0xFFFF;
    }
  if (most != 0 || bucket >= TS_N_BUCKETS)
    {
      reader->is_bad = TRUE;
      return NULL;
    }

  bucket = 0;
  if (into != NULL)
    {
      for (guint i = 0; i < n; i++)
        {
          bucket += gaps[i];
          _ts_buckets_add_many (into, (guint) bucket, counts[i]);
        }
      return NULL;
    }
  buckets = g_array_sized_new (FALSE, FALSE, sizeof (TsBucketCount), (guint) n);
  g_array_set_size (buckets, (guint) n);
  array = (TsBucketCount *) (gpointer) buckets->data;
  for (guint i = 0; i < n; i++)
    {
      bucket += gaps[i];
      array[i] = (TsBucketCount){ (guint32) bucket, 0, counts[i] };
    }
  return buckets;
}

static void
decode_measure (TsPackReader *reader,
                gint64 base,
                TsFigure *figure,
                TsFirstSample *first,
                GArray **buckets,
                TsBuckets *into)
{
  first->begin = take_time (reader, base);
  if (first->begin >= 0 && !reader->is_bad)
    {
      first->end = first->begin + take (reader);
      first->ticks = take (reader);
    }
  figure->count = take_uint (reader);
  if (figure->count == 0)
    return;
  figure->sum = take (reader);
  figure->min = take (reader);
  figure->max = take (reader);
  figure->min_begin = take_time (reader, base);
  figure->min_end = figure->min_begin + take (reader);
  figure->max_begin = take_time (reader, base);
  figure->max_end = figure->max_begin + take (reader);
  *buckets = decode_buckets (reader, into);
}

/* What comes before the durations. */
static gboolean
decode_begin (TsPackReader *reader,
              TsLaneFigures *self)
{
  guint64 version = reader->next < reader->end ? _ts_unpack_uint (reader) : 0;

  _ts_figures_init (self);
  self->has_durations = TRUE;
  if (version == VERSION_WITHOUT_HEAD)
    return TRUE;
  if (version == VERSION_WITH_SECTIONS)
    take_uint (reader);
  else if (version != VERSION && version != VERSION_WITHOUT_STORMS)
    return FALSE;
  self->has_durations = _ts_unpack_uint (reader) != 0;
  _ts_head_decode (&self->head, reader);
  return !reader->is_bad;
}

/**
 * _ts_figures_decode_durations:
 * @self: figures that were initialized
 * @reader: where from
 * @base: what was given to _ts_figures_encode_durations()
 * @into: (nullable) (array fixed-size=6): buckets go there and not into @self, unless they nest
 *
 * Returns: %FALSE if they are damaged (@into may have got some buckets)
 */
gboolean
_ts_figures_decode_durations (TsLaneFigures *self,
                              TsPackReader *reader,
                              gint64 base,
                              TsBuckets *into)
{
  guint64 flags;

  self->has_durations = TRUE;
  self->is_nested = take_uint (reader) != 0;
  self->n_runs = take_uint (reader);
  self->preemptions = take_uint (reader);
  self->blocks = take_uint (reader);
  self->ticks = take (reader);
  self->longest_block_object = (guint32) take_uint (reader);
  for (guint m = 0; m < TS_N_MEASURES && !reader->is_bad; m++)
    decode_measure (reader, base, &self->measures[m], &self->firsts[m], &self->buckets[m],
                    into != NULL && !self->is_nested ? &into[m] : NULL);
  self->end.ready = take_time (reader, base);
  self->end.execution = take (reader);
  self->end.last = take_time (reader, base);
  self->end.before_end = take_time (reader, base);
  self->end.before = (guint8) take_uint (reader);
  flags = take_uint (reader);
  self->end.has_run = (flags & 1) != 0;
  self->end.is_waiting = (flags & 2) != 0;
  return !reader->is_bad;
}

/**
 * _ts_figures_decode:
 * @bytes: any bytes
 * @self: (out caller-allocates): _ts_figures_clear(), also when damaged
 * @into: (nullable) (array fixed-size=6): buckets go there and not into @self, unless they nest
 *
 * Cost: some 5 us, most of them for the buckets
 *
 * Returns: %FALSE if they are damaged (@into may have got some buckets), or tell no durations
 */
gboolean
_ts_figures_decode (GBytes *bytes,
                    TsLaneFigures *self,
                    TsBuckets *into)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  TsPackReader reader = { data, data + size, 0, 0, FALSE };

  return decode_begin (&reader, self) && self->has_durations
         && _ts_figures_decode_durations (self, &reader, -1, into);
}

/**
 * _ts_figures_find_sections:
 * @bytes: any bytes
 * @size: (out): bytes of the sections
 *
 * Returns: (nullable): where the sections are that older recordings have behind the figures of a
 *   node; %NULL: there are none
 */
const guint8 *
_ts_figures_find_sections (GBytes *bytes,
                           gsize *size)
{
  const guint8 *data = g_bytes_get_data (bytes, size);
  TsPackReader reader = { data, data + *size, 0, 0, FALSE };
  guint64 n;

  if (*size == 0 || _ts_unpack_uint (&reader) != VERSION_WITH_SECTIONS)
    return NULL;
  n = take_uint (&reader);
  *size = _ts_unpack_get_left (&reader);
  if (reader.is_bad || n >= *size)
    return NULL;
  *size -= n;
  return reader.end - *size;
}

/* Whether no period of them goes across a loss; those of older recordings may. */
gboolean
_ts_figures_know_losses (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return size > 0 && data[0] != VERSION_WITHOUT_HEAD;
}

/**
 * _ts_figures_decode_head:
 * @bytes: any bytes
 * @head: (out caller-allocates): _ts_head_clear(), also when damaged
 *
 * Cost: some 0.1 us, and 3 ns an act
 *
 * Returns: %FALSE if nothing is known
 */
gboolean
_ts_figures_decode_head (GBytes *bytes,
                         TsLaneHead *head)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  TsPackReader reader = { data, data + size, 0, 0, FALSE };
  TsLaneFigures figures;
  gboolean is_good = decode_begin (&reader, &figures);

  *head = figures.head;
  return is_good && head->is_known;
}

/* ---- making ---- */

TsFigureMaker *
_ts_figure_maker_new (TsLaneKind kind)
{
  TsFigureMaker *self = g_new0 (TsFigureMaker, 1);

  self->last = G_MININT64;
  self->statistics.kind = kind;
  self->walk = (TsLaneWalk){ .statistics = &self->statistics,
                             .begin = 0,
                             .end = G_MAXINT64,
                             .with_totals = TRUE,
                             .wants_net = TRUE,
                             .firsts = self->firsts };
  _ts_lane_walk_begin (&self->walk);
  return self;
}

void
_ts_figure_maker_free (TsFigureMaker *self)
{
  if (self != NULL)
    _ts_storm_window_clear (&self->storms);
  g_free (self);
}

/* The buckets that are in use (element-type TsBucketCount); NULL: none. @into: (nullable): they are
 * added there too */
static GArray *
pack_buckets (const TsBuckets *buckets,
              TsBuckets *into)
{
  guint n = 0;
  TsBucketCount *counts;
  GArray *array;

  for (guint power = 0; power < TS_BUCKET_POWERS; power++)
    if (buckets->used[power] != 0)
      n += (guint) __builtin_popcountll (buckets->used[power]);
  if (n == 0)
    return NULL;
  /* There are thousands of these in the figures of a recording. */
  array = g_array_sized_new (FALSE, FALSE, sizeof (TsBucketCount), n);
  g_array_set_size (array, n);
  counts = (TsBucketCount *) (gpointer) array->data;
  for (guint power = 0; power < TS_BUCKET_POWERS; power++)
    {
      for (guint64 used = buckets->used[power]; used != 0; used &= used - 1)
        {
          guint i = (power << TS_BUCKET_STEPS_LOG2) + (guint) __builtin_ctzll (used);

          *counts++ = (TsBucketCount){ i, 0, buckets->counts[i] };
          if (into != NULL)
            into->counts[i] += buckets->counts[i];
        }
      if (into != NULL)
        into->used[power] |= buckets->used[power];
    }
  return array;
}

/* The buckets that are in use (element-type TsBucketCount); NULL: none. */
GArray *
_ts_buckets_pack (const TsBuckets *buckets)
{
  return pack_buckets (buckets, NULL);
}

/* The closest that begins come to each other in the node; the first ones of it to those of the
 * node before. */
static void
add_crowd (TsFigureMaker *self,
           const TsSlice *slices,
           guint n_slices,
           TsLaneHead *head)
{
  const guint n_apart = TS_HEAD_CROWD - 1;
  guint n_old = MIN (self->n_recent, n_apart - MIN (n_slices, n_apart));

  for (guint i = 0; i < MIN (n_slices, n_apart); i++)
    if (self->n_recent + i >= n_apart)
      head->crowd
          = MIN (head->crowd, slices[i].begin - self->recent[self->n_recent + i - n_apart]);
  for (guint i = n_apart; i < n_slices; i++)
    head->crowd = MIN (head->crowd, slices[i].begin - slices[i - n_apart].begin);

  memmove (self->recent, self->recent + self->n_recent - n_old, n_old * sizeof self->recent[0]);
  self->n_recent = n_old;
  for (guint i = n_slices - MIN (n_slices, n_apart); i < n_slices; i++)
    self->recent[self->n_recent++] = slices[i].begin;
  head->crowd = MAX (head->crowd, 0);
}

/* The most that came in a window of those that count. */
static void
add_storms (TsFigureMaker *self,
            const TsSlice *slices,
            guint n_slices,
            gint64 window,
            TsLaneHead *head)
{
  TsStormWindow *storms = &self->storms;
  gboolean sees_all = TRUE;

  if (window <= 0 || self->is_crowded)
    return;
  if (storms->window != window)
    {
      _ts_storm_window_clear (storms);
      _ts_storm_window_init (storms, window);
      self->not_seen = self->last;
    }
  for (guint i = 0; i < n_slices; i++)
    {
      guint count = _ts_storm_window_add (storms, &slices[i]);

      sees_all = sees_all && slices[i].begin - window > self->not_seen;
      if (count >= TS_STORM_MIN_COUNT && count > head->storm_count
          && _ts_storm_window_is_busy (storms))
        head->storm_count = count;
    }
  self->is_crowded = storms->recent->len - storms->first > MAX_STORM_ENTRIES;
  if (sees_all)
    head->storm_window = window;
  else
    head->storm_count = 0;
}

/* The durations of the next slices. @into: (nullable): buckets are added there too */
static void
make_durations (TsFigureMaker *self,
                const TsSlice *slices,
                guint n_slices,
                TsBuckets *scratch,
                TsLaneFigures *figures,
                TsBuckets *into)
{
  TsLaneKind kind = self->statistics.kind;

  memset (&self->statistics, 0, sizeof self->statistics);
  self->statistics.kind = kind;
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      self->statistics.measures[m] = (TsFigure){ .min = -1, .max = -1 };
      self->firsts[m].begin = -1;
    }
  self->walk.buckets = scratch;
  self->walk.is_nested = FALSE;
  _ts_lane_walk_slices (&self->walk, slices, n_slices);

  figures->n_runs = self->statistics.n_runs;
  figures->preemptions = self->statistics.preemptions;
  figures->blocks = self->statistics.blocks;
  figures->ticks = self->statistics.ticks;
  figures->longest_block_object = self->statistics.longest_block_object;
  figures->is_nested = self->walk.is_nested;
  memcpy (figures->measures, self->statistics.measures, sizeof figures->measures);
  memcpy (figures->firsts, self->firsts, sizeof figures->firsts);
  figures->end = self->walk.activation;
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      figures->buckets[m] = pack_buckets (&scratch[m], into != NULL ? &into[m] : NULL);
      _ts_buckets_clear (&scratch[m]);
    }
}

/* The durations of the next slices, and of each section of them. */
static void
make_sections (TsFigureMaker *self,
               const TsSlice *slices,
               guint n_slices,
               TsBuckets *scratch,
               TsLaneFigures *figures,
               TsNodeSections *sections)
{
  TsBuckets *all = scratch + TS_N_MEASURES;

  for (guint at = 0; at < n_slices; at += TS_SECTION_SLICES)
    {
      guint n = MIN (TS_SECTION_SLICES, n_slices - at);
      guint8 before = self->walk.activation.before;
      TsLaneFigures part;

      _ts_figures_init (&part);
      make_durations (self, slices + at, n, scratch, &part, all);
      _ts_sections_add (sections, slices + at, n, before, &part);
      merge_durations (figures, &part, all);
      _ts_figures_clear (&part);
    }
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      figures->buckets[m] = _ts_buckets_pack (&all[m]);
      _ts_buckets_clear (&all[m]);
    }
}

/**
 * _ts_figure_maker_make:
 * @self: a lane's
 * @slices: (array length=n_slices): slices of its next node
 * @n_slices: how many
 * @locks: 1 for objects that are mutexes
 * @losses: (nullable) (element-type gint64): begins of the losses so far, ordered
 * @storm_window: %TS_STORM_WINDOW_US in ticks; 0: not known
 * @scratch: (array fixed-size=12): %TS_N_SCRATCH_BUCKETS that are empty, and empty again
 * @figures: (out caller-allocates): _ts_figures_clear()
 * @sections: (nullable) (inout): figures of each section are added
 *
 * Cost: some 10 ns a slice, and some 20 with sections
 */
void
_ts_figure_maker_make (TsFigureMaker *self,
                       const TsSlice *slices,
                       guint n_slices,
                       const GByteArray *locks,
                       const GArray *losses,
                       gint64 storm_window,
                       TsBuckets *scratch,
                       TsLaneFigures *figures,
                       TsNodeSections *sections)
{
  TsLaneKind kind = self->statistics.kind;

  _ts_figures_init (figures);
  _ts_head_add_slices (&figures->head, kind, slices, n_slices);
  figures->has_durations = _ts_lane_kind_has_durations (kind);
  if (!figures->has_durations)
    return;
  if (kind == TS_LANE_ISR)
    {
      add_crowd (self, slices, n_slices, &figures->head);
      add_storms (self, slices, n_slices, storm_window, &figures->head);
      if (n_slices > 0)
        self->last = slices[n_slices - 1].end;
    }
  self->walk.locks = locks;
  self->walk.losses = losses;
  if (sections != NULL && n_slices > TS_SECTION_SLICES)
    make_sections (self, slices, n_slices, scratch, figures, sections);
  else
    make_durations (self, slices, n_slices, scratch, figures, NULL);
  /* Begins are in no order then. */
  if (figures->is_nested && kind == TS_LANE_ISR)
    figures->head.crowd = 0;
}
