/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-statistics.c: figures of all lanes over a range: which parts to look at, and percentiles. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-analysis-private.h"
#include "ts-lane-figures-private.h"
#include "ts-query-private.h"

static const char *const measure_names[TS_N_MEASURES]
    = { "run", "execution", "response", "period", "block", "latency" };

/**
 * ts_measure_get_name:
 * @measure: a measure
 *
 * Thread: safe
 *
 * Returns: (transfer none): its name in answers
 */
const char *
ts_measure_get_name (TsMeasure measure)
{
  g_return_val_if_fail (measure < TS_N_MEASURES, NULL);

  return measure_names[measure];
}

/* The value of rank @rank (0: smallest), by partitioning. */
static gint64
select_rank (gint64 *values,
             guint n,
             guint rank)
{
  guint low = 0;
  guint high = n - 1;

  while (low < high)
    {
      gint64 pivot = values[low + (high - low) / 2];
      guint i = low;
      guint k = high;

      while (i <= k)
        {
          while (values[i] < pivot)
            i++;
          while (values[k] > pivot)
            k--;
          if (i <= k)
            {
              gint64 swap = values[i];

              values[i++] = values[k];
              values[k] = swap;
              if (k == 0)
                break;
              k--;
            }
        }
      if (rank <= k && k < n)
        high = k;
      else if (rank >= i)
        low = i;
      else
        return values[rank];
    }
  return values[low];
}

/**
 * _ts_analysis_percentile:
 * @values: (array length=n): numbers; their order changes
 * @n: how many
 * @percent: 1 to 100
 *
 * Nearest rank: the smallest value that at least @percent of all do not exceed.
 *
 * Returns: the value, -1 if there are none
 */
gint64
_ts_analysis_percentile (gint64 *values,
                         guint n,
                         guint percent)
{
  guint64 rank = ((guint64) n * percent + 99) / 100;

  return n > 0 ? select_rank (values, n, (guint) MAX (rank, 1) - 1) : -1;
}

static gboolean
is_measured (const TsLaneInfo *lane)
{
  return lane->kind == TS_LANE_TASK || lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN
         || lane->kind == TS_LANE_RTOS;
}

static int
compare_lanes (gconstpointer a,
               gconstpointer b)
{
  const TsLaneStatistics *left = a;
  const TsLaneStatistics *right = b;

  return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static void
list_lanes (TsStatistics *self,
            TsRecording *recording)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  self->lanes = g_new0 (TsLaneStatistics, n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    {
      TsLaneStatistics *lane = &self->lanes[self->n_lanes];
      const TsObject *object = ts_recording_get_object (recording, lanes[i].object);

      if (!is_measured (&lanes[i]))
        continue;
      lane->lane = lanes[i].id;
      lane->kind = lanes[i].kind;
      lane->core = lanes[i].core;
      lane->object = lanes[i].object;
      lane->is_idle = lanes[i].is_idle;
      lane->priority = lanes[i].priority;
      lane->stack_used = -1;
      lane->stack_size
          = object != NULL && object->stack_bytes > 0 ? object->stack_bytes : -1;
      lane->is_exact = TRUE;
      for (guint m = 0; m < TS_N_MEASURES; m++)
        lane->measures[m]
            = (TsFigure) { .min = -1, .max = -1, .p50 = -1, .p95 = -1, .p99 = -1 };
      self->n_lanes++;
    }
  /* Without lanes there is no array either. */
  if (self->n_lanes > 0)
    qsort (self->lanes, self->n_lanes, sizeof *self->lanes, compare_lanes);
  self->samples = g_new0 (GArray *, (gsize) self->n_lanes * TS_N_MEASURES + 1);
  self->buckets = g_new0 (GArray *, (gsize) self->n_lanes * TS_N_MEASURES + 1);
}

/* Processors that have a CPU lane or a measured one. */
static void
list_loads (TsStatistics *self,
            TsRecording *recording)
{
  gboolean seen[256] = { FALSE };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_CPU
        || (lanes[i].kind == TS_LANE_TASK && lanes[i].n_slices > 0) || lanes[i].kind == TS_LANE_ISR)
      seen[lanes[i].core] = TRUE;
  self->loads = g_new0 (TsLoad, G_N_ELEMENTS (seen));
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    if (seen[i])
      self->loads[self->n_loads++].core = (guint8) i;
}

/* What only the writer's table tells: stacks. */
static void
read_table (TsStatistics *self,
            TsRecording *recording)
{
  sqlite3 *db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, NULL);
  sqlite3_stmt *stmt = NULL;

  if (db != NULL
      && sqlite3_prepare_v2 (
             db, "SELECT lane,stack_used_bytes FROM va_task_stats", -1, &stmt, NULL)
             == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          guint32 id = (guint32) sqlite3_column_int64 (stmt, 0);
          TsLaneStatistics *lane = (TsLaneStatistics *) ts_statistics_find (self, id);

          if (lane == NULL)
            continue;
          if (sqlite3_column_type (stmt, 1) == SQLITE_INTEGER)
            lane->stack_used = sqlite3_column_int64 (stmt, 1);
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
}

/* Operations that failed, by who tried. */
static void
count_failures (TsStatistics *self,
                TsRecording *recording,
                GCancellable *cancellable)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  if (!_ts_analysis_has_kind (recording, TS_EVENT_OP_FAILED))
    return;
  for (guint i = 0; i < n_lanes && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const TsSlice *slice;

      if (lanes[i].kind != TS_LANE_OBJECT)
        continue;
      _ts_slice_cursor_init (cursor, recording, lanes[i].id, self->begin, self->end);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        {
          TsLaneStatistics *lane;

          if ((slice->kind & TS_SLICE_KIND_MASK) != TS_EVENT_OP_FAILED)
            continue;
          lane = (TsLaneStatistics *) ts_statistics_find (self, slice->arg);
          if (lane != NULL)
            lane->failures++;
        }
    }
}

static gboolean
is_outlier (const TsFigure *periods,
            gint64 ticks)
{
  return ticks < periods->p50 / 2 || ticks > periods->p50 + periods->p50 / 2;
}

static void
finish_samples (TsLaneStatistics *lane,
                guint measure,
                GArray *samples)
{
  gint64 *values;
  TsFigure *figure = &lane->measures[measure];

  if (samples == NULL)
    return;
  values = (gint64 *) (gpointer) samples->data;
  figure->p50 = _ts_analysis_percentile (values, samples->len, 50);
  figure->p95 = _ts_analysis_percentile (values, samples->len, 95);
  figure->p99 = _ts_analysis_percentile (values, samples->len, 99);
  for (guint k = 0; measure == TS_MEASURE_PERIOD && k < samples->len; k++)
    lane->n_period_outliers += is_outlier (figure, values[k]);
}

/* Nearest rank among durations of which the bucket is known. */
static gint64
get_percentile (const TsFigure *figure,
                const GArray *buckets,
                guint percent)
{
  guint64 rank = (guint64) (((unsigned __int128) figure->count * percent + 99) / 100);
  guint64 below = 0;

  for (guint i = 0; i < buckets->len; i++)
    {
      const TsBucketCount *count = &g_array_index (buckets, TsBucketCount, i);

      below += count->count;
      if (below >= MAX (rank, 1))
        return CLAMP (_ts_bucket_middle (count->bucket), figure->min, figure->max);
    }
  return -1;
}

static void
finish_buckets (TsLaneStatistics *lane,
                guint measure,
                const GArray *buckets)
{
  TsFigure *figure = &lane->measures[measure];

  figure->p50 = get_percentile (figure, buckets, 50);
  figure->p95 = get_percentile (figure, buckets, 95);
  figure->p99 = get_percentile (figure, buckets, 99);
  for (guint k = 0; measure == TS_MEASURE_PERIOD && k < buckets->len; k++)
    {
      const TsBucketCount *count = &g_array_index (buckets, TsBucketCount, k);

      if (is_outlier (figure, _ts_bucket_middle (count->bucket)))
        lane->n_period_outliers += count->count;
    }
}

/* Percentiles, from the durations of lane @i. Thread: any, one a lane */
void
_ts_statistics_finish_lane (TsStatistics *self,
                            guint i)
{
  for (guint m = 0; m < TS_N_MEASURES; m++)
    {
      const GArray *buckets = self->buckets[i * TS_N_MEASURES + m];

      if (buckets != NULL)
        finish_buckets (&self->lanes[i], m, buckets);
      else
        finish_samples (&self->lanes[i], m, self->samples[i * TS_N_MEASURES + m]);
    }
}

static void
finish (TsStatistics *self)
{
  for (guint i = 0; i < self->n_loads; i++)
    {
      TsLoad *load = &self->loads[i];

      if (load->known == 0)
        {
          load->known = load->busy;
          for (guint k = 0; k < self->n_lanes; k++)
            if (self->lanes[k].is_idle && self->lanes[k].core == load->core)
              load->known += self->lanes[k].ticks;
        }
      load->percent
          = load->known > 0 ? 100.0 * (double) load->busy / (double) load->known : 0.0;
      for (guint k = 0; k < self->n_lanes; k++)
        if (self->lanes[k].core == load->core && load->known > 0)
          self->lanes[k].share = 100.0 * (double) self->lanes[k].ticks / (double) load->known;
    }

  self->is_exact = TRUE;
  for (guint i = 0; i < self->n_lanes; i++)
    {
      TsLaneStatistics *lane = &self->lanes[i];

      self->is_exact = self->is_exact && lane->is_exact;
      if (lane->kind == TS_LANE_TASK)
        {
          self->switches += lane->n_runs;
          self->preemptions += lane->preemptions;
        }
    }
}

/* @max_exact: slices up to which all are looked at */
TsStatistics *
_ts_statistics_new_with_limit (TsRecording *recording,
                               gint64 begin,
                               gint64 end,
                               gint64 load_window,
                               guint64 max_exact,
                               GCancellable *cancellable,
                               GError **error)
{
  g_autoptr (TsStatistics) self = NULL;
  g_autoptr (GArray) losses = NULL;

  self = g_new0 (TsStatistics, 1);
  self->begin = MAX (begin, 0);
  self->end = MAX (MIN (end, ts_recording_get_duration (recording) + 1), self->begin);
  list_lanes (self, recording);
  list_loads (self, recording);
  losses = _ts_analysis_read_losses (recording, self->begin, self->end);
  for (guint i = 0; i < self->n_loads; i++)
    {
      self->loads[i].window = load_window;
      _ts_analysis_load (recording, self->begin, self->end, &self->loads[i]);
    }
  _ts_statistics_fill_lanes (self, recording, max_exact, losses, cancellable);
  read_table (self, recording);
  count_failures (self, recording, cancellable);
  finish (self);

  if (!_ts_query_check_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * ts_statistics_new:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last; beyond the end of the recording counts as its end, inclusive
 * @load_window: length of the sliding window for the load, in ticks; 0: none
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Makes the figures of every task, interrupt and span. Definitions: #TsMeasure and
 * #TsLaneStatistics.
 *
 * Up to a million slices in the range all are looked at. Above that, counts, sums, shares and
 * extremes are the same, from what nodes of the pyramid keep; percentiles are within 1 %.
 *
 * Cost: some 60 ns a slice up to a million slices, then that of the nodes across the range's edges;
 *   shared among up to four threads unless the recording is being written
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED
 *
 * Returns: (transfer full) (nullable): ts_statistics_free()
 */
TsStatistics *
ts_statistics_new (TsRecording *recording,
                   gint64 begin,
                   gint64 end,
                   gint64 load_window,
                   GCancellable *cancellable,
                   GError **error)
{
  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  return _ts_statistics_new_with_limit (recording, begin, end, load_window, TS_ANALYSIS_MAX_EXACT,
                                        cancellable, error);
}

static guint
get_n_measures (const TsStatistics *self)
{
  return self->n_lanes * TS_N_MEASURES;
}

static void
clear_durations (TsStatistics *self)
{
  for (guint i = 0; self->samples != NULL && i < get_n_measures (self); i++)
    {
      g_clear_pointer (&self->samples[i], g_array_unref);
      g_clear_pointer (&self->buckets[i], g_array_unref);
    }
  g_clear_pointer (&self->samples, g_free);
  g_clear_pointer (&self->buckets, g_free);
}

/**
 * ts_statistics_free:
 * @self: (nullable) (transfer full): figures
 */
void
ts_statistics_free (TsStatistics *self)
{
  if (self == NULL)
    return;

  clear_durations (self);
  for (guint i = 0; self->packed != NULL && i < get_n_measures (self); i++)
    g_clear_pointer (&self->packed[i], g_bytes_unref);
  g_free (self->packed);
  g_free (self->lanes);
  g_free (self->loads);
  g_free (self);
}

/* How many samples and the samples; how many buckets, and their numbers, each less the one before, and
 * counts. */
static GBytes *
pack_durations (const GArray *samples,
                const GArray *buckets)
{
  TsPackWriter writer = { g_byte_array_new (), 0, 0 };
  guint32 before = 0;
  GBytes *bytes;

  _ts_pack_uint (&writer, samples != NULL ? samples->len : 0);
  for (guint i = 0; samples != NULL && i < samples->len; i++)
    _ts_pack_int (&writer, g_array_index (samples, gint64, i));
  _ts_pack_uint (&writer, buckets != NULL ? buckets->len : 0);
  for (guint i = 0; buckets != NULL && i < buckets->len; i++)
    {
      const TsBucketCount *count = &g_array_index (buckets, TsBucketCount, i);

      _ts_pack_uint (&writer, count->bucket - before);
      _ts_pack_uint (&writer, count->count);
      before = count->bucket;
    }
  _ts_pack_finish (&writer);
  /* without the room that the array has to grow */
  bytes = g_bytes_new (writer.bytes->data, writer.bytes->len);
  g_byte_array_unref (writer.bytes);
  return bytes;
}

/**
 * ts_statistics_pack:
 * @self: figures
 *
 * For who keeps figures: what ts_statistics_histogram() needs of them takes a fifth of the memory from
 * now on, 3 in place of 18 MB of a recording with 215 lanes; a histogram takes longer, some 10 ns a
 * value.
 *
 * Thread: any
 */
void
ts_statistics_pack (TsStatistics *self)
{
  g_return_if_fail (self != NULL);

  if (self->packed != NULL)
    return;
  self->packed = g_new0 (GBytes *, get_n_measures (self) + 1);
  for (guint i = 0; i < get_n_measures (self); i++)
    if (self->samples[i] != NULL || self->buckets[i] != NULL)
      self->packed[i] = pack_durations (self->samples[i], self->buckets[i]);
  clear_durations (self);
}

/**
 * ts_statistics_find:
 * @self: figures
 * @lane: id of a lane
 *
 * Returns: (transfer none) (nullable): the figures of @lane
 */
const TsLaneStatistics *
ts_statistics_find (const TsStatistics *self,
                    guint32 lane)
{
  TsLaneStatistics key = { .lane = lane };

  g_return_val_if_fail (self != NULL, NULL);

  return self->n_lanes > 0
             ? bsearch (&key, self->lanes, self->n_lanes, sizeof key, compare_lanes)
             : NULL;
}

/* Bins of equal width from @low on, @span in all. */
typedef struct
{
  guint64 *bins;
  guint n_bins;
  gint64 low;
  gint64 span;
} Bins;

static void
count_values (const Bins *self,
              gint64 value,
              guint64 count)
{
  guint64 offset = (guint64) CLAMP (value - self->low, 0, self->span - 1);

  self->bins[(guint) ((unsigned __int128) offset * self->n_bins / (guint64) self->span)] += count;
}

static void
count_packed (const Bins *bins,
              GBytes *packed)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (packed, &size);
  TsPackReader reader = { data, data + size, 0, 0, FALSE };
  guint32 bucket = 0;
  guint64 n;

  n = _ts_unpack_uint (&reader);
  for (guint64 i = 0; i < n && !reader.is_bad; i++)
    count_values (bins, _ts_unzigzag (_ts_unpack_uint (&reader)), 1);
  n = _ts_unpack_uint (&reader);
  for (guint64 i = 0; i < n && !reader.is_bad; i++)
    {
      bucket += (guint32) _ts_unpack_uint (&reader);
      count_values (bins, _ts_bucket_middle (bucket), _ts_unpack_uint (&reader));
    }
}

/**
 * ts_statistics_histogram:
 * @self: figures
 * @lane: id of a lane
 * @measure: what of it
 * @n_bins: number of bins, at least 1
 * @bins: (out caller-allocates) (array length=n_bins): how many values fall into each
 * @low: (out): smallest value, the begin of the first bin
 * @high: (out): one more than the largest, the end of the last bin
 *
 * Counts the durations behind a figure in bins of equal width: bin i holds the values from
 * low + i * (high - low) / n on. Values are in ticks. Where the figures are not exact, values are
 * known to 1 %.
 *
 * Returns: %FALSE if there are no values
 */
gboolean
ts_statistics_histogram (const TsStatistics *self,
                         guint32 lane,
                         TsMeasure measure,
                         guint n_bins,
                         guint64 *bins,
                         gint64 *low,
                         gint64 *high)
{
  const TsLaneStatistics *statistics;
  const TsFigure *figure;
  const GArray *samples;
  const GArray *buckets;
  guint place;
  Bins to;

  g_return_val_if_fail (self != NULL && n_bins > 0 && bins != NULL, FALSE);
  g_return_val_if_fail (measure < TS_N_MEASURES && low != NULL && high != NULL, FALSE);

  memset (bins, 0, n_bins * sizeof *bins);
  statistics = ts_statistics_find (self, lane);
  if (statistics == NULL || statistics->measures[measure].count == 0)
    return FALSE;

  figure = &statistics->measures[measure];
  *low = figure->min;
  *high = figure->max + 1;
  to = (Bins){ bins, n_bins, *low, *high - *low };
  place = (guint) (statistics - self->lanes) * TS_N_MEASURES + measure;
  if (self->packed != NULL)
    {
      if (self->packed[place] != NULL)
        count_packed (&to, self->packed[place]);
      return TRUE;
    }
  samples = self->samples[place];
  buckets = self->buckets[place];
  for (guint i = 0; buckets != NULL && i < buckets->len; i++)
    {
      const TsBucketCount *count = &g_array_index (buckets, TsBucketCount, i);

      count_values (&to, _ts_bucket_middle (count->bucket), count->count);
    }
  for (guint i = 0; samples != NULL && i < samples->len; i++)
    count_values (&to, g_array_index (samples, gint64, i), 1);
  return TRUE;
}
