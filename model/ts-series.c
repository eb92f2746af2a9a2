/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-series.c: figures over time. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-analysis-private.h"
#include "ts-series.h"

static void
add_point (GArray *points,
           gint64 time,
           double value)
{
  TsPoint point = { time, value };

  g_array_append_val (points, point);
}

static GArray *
new_points (void)
{
  return g_array_new (FALSE, FALSE, sizeof (TsPoint));
}

static void
free_points (gpointer data)
{
  g_array_unref (data);
}

static gint64
bucket_begin (gint64 begin,
              gint64 end,
              guint n_buckets,
              guint i)
{
  return begin + (gint64) ((__int128) (end - begin) * i / n_buckets);
}

/**
 * _ts_analysis_fill_columns:
 * @recording: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 * @n_columns: equal parts, at least 1
 * @columns: (out caller-allocates) (array length=n_columns): counts and ticks
 *
 * As ts_recording_query_lane(), but always columns.
 *
 * Thread: owner of @recording
 */
void
_ts_analysis_fill_columns (TsRecording *recording,
                           guint32 lane,
                           gint64 begin,
                           gint64 end,
                           guint n_columns,
                           TsColumn *columns)
{
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsLaneDetail detail;

  memset (columns, 0, n_columns * sizeof *columns);
  detail = ts_recording_query_lane (recording, lane, begin, end, n_columns, columns, slices, 0,
                                    NULL);
  if (detail != TS_LANE_DETAIL_SLICES)
    return;

  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);
      gint64 low = MAX (slice->begin, begin);
      gint64 high = MIN (slice->end, end);
      guint column
          = (guint) ((unsigned __int128) (guint64) (low - begin) * n_columns
                     / (guint64) (end - begin));

      while (column + 1 < n_columns && bucket_begin (begin, end, n_columns, column + 1) <= low)
        column++;
      if (slice->begin >= begin)
        columns[column].count++;
      for (; slice->state < TS_N_TIMED_STATES && low < high && column < n_columns; column++)
        {
          gint64 edge = MIN (bucket_begin (begin, end, n_columns, column + 1), high);

          columns[column].ticks[slice->state] += edge - low;
          low = edge;
        }
    }
}

/* Running time of a lane in each bucket, net of interrupts for tasks: from its slices. */
static void
add_from_slices (TsRecording *recording,
                 const TsLaneInfo *lane,
                 gint64 begin,
                 gint64 end,
                 guint n_buckets,
                 gint64 *ticks)
{
  TsInterruptTime interrupts;
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  gboolean is_task = lane->kind == TS_LANE_TASK;
  const TsSlice *slice;
  guint i = 0;

  _ts_interrupt_time_init (&interrupts, recording, lane->core);
  if (is_task)
    _ts_interrupt_time_set_range (&interrupts, begin, end);
  _ts_slice_cursor_init (cursor, recording, lane->id, begin, end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      if (slice->state != TS_STATE_RUNNING || slice->depth > 0)
        continue;
      while (i + 1 < n_buckets && bucket_begin (begin, end, n_buckets, i + 1) <= slice->begin)
        i++;
      for (guint k = i; k < n_buckets; k++)
        {
          gint64 low = MAX (bucket_begin (begin, end, n_buckets, k), slice->begin);
          gint64 high = MIN (bucket_begin (begin, end, n_buckets, k + 1), slice->end);

          if (low >= high)
            break;
          ticks[k] += high - low;
          if (is_task)
            ticks[k] -= _ts_interrupt_time_within (&interrupts, low, high);
        }
    }
  _ts_interrupt_time_clear (&interrupts);
}

/* The same from the buckets of the pyramid; between two of ours they are shared out evenly. */
static void
add_from_columns (TsRecording *recording,
                  const TsLaneInfo *lane,
                  gint64 begin,
                  gint64 end,
                  guint n_buckets,
                  gint64 *ticks)
{
  g_autofree TsColumn *columns = g_new (TsColumn, n_buckets);

  _ts_analysis_fill_columns (recording, lane->id, begin, end, n_buckets, columns);
  for (guint i = 0; i < n_buckets; i++)
    {
      ticks[i] += columns[i].ticks[TS_STATE_RUNNING];
      if (lane->kind == TS_LANE_TASK)
        ticks[i] -= columns[i].ticks[TS_STATE_INTERRUPTED];
    }
}

/**
 * ts_series_load:
 * @recording: a recording
 * @lane: a lane, or 0 for the load of all processors
 * @begin: first tick
 * @end: tick after the last
 * @n_buckets: equal parts of the range
 *
 * Load over time: of all processors the mean of their busy time (the union of everything but idle
 * tasks), of a lane its running time net of interrupts, in percent of each bucket. Exact up to a
 * million slices; beyond, time at the edges of the buckets is shared out evenly.
 *
 * Cost: some 30 ns a slice up to a million, then that of @n_buckets columns
 * Thread: owner of @recording
 */
GArray *
ts_series_load (TsRecording *recording,
                guint32 lane,
                gint64 begin,
                gint64 end,
                guint n_buckets)
{
  GArray *points = new_points ();
  g_autofree gint64 *ticks = g_new0 (gint64, n_buckets);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  guint n = 0;

  for (guint i = 0; i < n_lanes; i++)
    {
      if (lane != 0 ? lanes[i].id != lane : lanes[i].kind != TS_LANE_CPU)
        continue;
      n++;
      if (_ts_analysis_count_slices (recording, lanes[i].id, begin, end) <= TS_ANALYSIS_MAX_EXACT)
        add_from_slices (recording, &lanes[i], begin, end, n_buckets, ticks);
      else
        add_from_columns (recording, &lanes[i], begin, end, n_buckets, ticks);
    }

  for (guint i = 0; i < n_buckets; i++)
    {
      gint64 low = bucket_begin (begin, end, n_buckets, i);
      gint64 high = bucket_begin (begin, end, n_buckets, i + 1);

      add_point (points, low,
                 high > low && n > 0
                     ? 100.0 * (double) ticks[i] / (double) (high - low) / (double) n
                     : 0.0);
    }
  return points;
}

/**
 * ts_series_event_rate:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @n_buckets: equal parts of the range
 *
 * Events per second, host-made ones included. At the edges of the buckets an event may fall to the
 * other side: only the pyramid's own buckets tell.
 *
 * Thread: owner of @recording
 */
GArray *
ts_series_event_rate (TsRecording *recording,
                      gint64 begin,
                      gint64 end,
                      guint n_buckets)
{
  GArray *points = new_points ();
  g_autofree TsColumn *columns = g_new (TsColumn, n_buckets);
  double hz = (double) ts_recording_get_clock_hz (recording);

  _ts_analysis_fill_columns (recording, TS_LANE_ID_DENSITY, begin, end, n_buckets, columns);
  for (guint i = 0; i < n_buckets; i++)
    {
      gint64 low = bucket_begin (begin, end, n_buckets, i);
      gint64 high = bucket_begin (begin, end, n_buckets, i + 1);

      add_point (points, low,
                 high > low ? (double) columns[i].count * hz / (double) (high - low) : 0.0);
    }
  return points;
}

/**
 * ts_series_values:
 * @recording: a recording
 * @lane: id of a lane with values
 * @begin: first tick
 * @end: tick after the last
 *
 * The samples of a channel, counter or heap.
 *
 * Thread: owner of @recording
 */
GArray *
ts_series_values (TsRecording *recording,
                  guint32 lane,
                  gint64 begin,
                  gint64 end)
{
  GArray *points = new_points ();
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, recording, lane, begin, end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    if (slice->begin >= begin)
      add_point (points, slice->begin,
                 slice->state == TS_STATE_POINT ? slice->value
                                                : (slice->state == TS_STATE_RUNNING ? 1.0 : 0.0));
  return points;
}

static gboolean
note_stack (guint64 row,
            const TsEvent *event,
            gpointer user_data)
{
  gpointer key = GUINT_TO_POINTER (event->object);
  GArray *points = g_hash_table_lookup (user_data, key);

  if (points == NULL)
    {
      points = new_points ();
      g_hash_table_insert (user_data, key, points);
    }
  add_point (points, event->time, (double) event->value);
  return TRUE;
}

/**
 * ts_series_stacks:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Most bytes of stack ever used by each task, each time the target told it.
 *
 * Thread: owner of @recording
 * Errors: those of _ts_analysis_scan()
 *
 * Returns: (transfer full) (element-type guint GArray) (nullable): object id of a task to its
 *   points
 */
GHashTable *
ts_series_stacks (TsRecording *recording,
                  gint64 begin,
                  gint64 end,
                  GCancellable *cancellable,
                  GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_STACK_USAGE };
  GHashTable *by_task = g_hash_table_new_full (NULL, NULL, NULL, free_points);

  if (!_ts_analysis_scan (recording, kinds, 1, begin, end, note_stack, by_task, cancellable, error))
    g_clear_pointer (&by_task, g_hash_table_unref);
  return by_task;
}

static void
note_measure (TsMeasure measure,
              gint64 ticks,
              gint64 begin,
              gint64 end,
              gpointer user_data)
{
  GArray **by_measure = user_data;
  double *us_per_tick = (double *) by_measure[TS_N_MEASURES];

  if (by_measure[measure] != NULL)
    add_point (by_measure[measure], measure == TS_MEASURE_PERIOD ? end : begin,
               (double) ticks * *us_per_tick);
}

/**
 * ts_series_measure:
 * @recording: a recording
 * @lane: id of the lane of a task, interrupt or span
 * @measure: what of it
 * @begin: first tick
 * @end: tick after the last
 *
 * A duration, in microseconds, each time it can be told: at its begin; a period at its end.
 *
 * Cost: some 80 ns a slice
 * Thread: owner of @recording
 */
GArray *
ts_series_measure (TsRecording *recording,
                   guint32 lane,
                   TsMeasure measure,
                   gint64 begin,
                   gint64 end)
{
  const TsLaneInfo *info = ts_recording_get_lane (recording, lane);
  GArray *points = new_points ();
  double us_per_tick = 1e6 / (double) ts_recording_get_clock_hz (recording);
  gpointer by_measure[TS_N_MEASURES + 1] = { NULL };

  by_measure[measure] = points;
  by_measure[TS_N_MEASURES] = &us_per_tick;
  if (info != NULL)
    _ts_lane_walk_samples (recording, info, begin, end,
                           measure == TS_MEASURE_RUN || measure == TS_MEASURE_EXECUTION,
                           note_measure, by_measure);
  return points;
}

typedef struct
{
  TsSliceCursor cursor;
  TsEndpoint kind;
  gint64 begin;
} EndpointWalk;

/* The next time of an endpoint; -1 at the end. */
static gint64
next_time (EndpointWalk *walk,
           gboolean start_takes)
{
  const TsSlice *slice;

  while ((slice = _ts_slice_cursor_next (&walk->cursor)) != NULL)
    {
      TsEventKind kind = slice->kind & TS_SLICE_KIND_MASK;
      gboolean is_give = (slice->kind & TS_SLICE_START) != 0;

      if (slice->begin < walk->begin)
        continue;
      switch (walk->kind)
        {
        case TS_ENDPOINT_TASK:
          if (slice->state == TS_STATE_RUNNING)
            return slice->begin;
          break;

        case TS_ENDPOINT_TRACE:
          return slice->begin;

        default:
          if (kind == TS_EVENT_MUTEX && start_takes)
            is_give = !is_give;
          if ((kind == TS_EVENT_MUTEX || kind == TS_EVENT_SEMAPHORE || kind == TS_EVENT_QUEUE
               || kind == TS_EVENT_EVENT_FLAG || kind == TS_EVENT_TIMER)
              && is_give == (walk->kind == TS_ENDPOINT_GIVE))
            return slice->begin;
          break;
        }
    }
  return -1;
}

/**
 * ts_series_interval:
 * @recording: a recording
 * @from: id of the lane that begins
 * @from_kind: what of it
 * @to: id of the lane that ends
 * @to_kind: what of it
 * @begin: first tick
 * @end: tick after the last
 *
 * How long it is, in microseconds, from each @from to the first @to after it (or at the same
 * time, if the two are not the same endpoint), if there is one before the next @from; told at the
 * time of @from.
 *
 * Cost: some 30 ns a slice of both lanes
 * Thread: owner of @recording
 */
GArray *
ts_series_interval (TsRecording *recording,
                    guint32 from,
                    TsEndpoint from_kind,
                    guint32 to,
                    TsEndpoint to_kind,
                    gint64 begin,
                    gint64 end)
{
  GArray *points = new_points ();
  g_autofree EndpointWalk *walks = g_new0 (EndpointWalk, 2);
  gboolean is_same = from == to && from_kind == to_kind;
  gboolean start_takes = _ts_analysis_mutex_start_takes (recording);
  double us_per_tick = 1e6 / (double) ts_recording_get_clock_hz (recording);
  gint64 start;
  gint64 stop;

  for (guint i = 0; i < 2; i++)
    {
      _ts_slice_cursor_init (&walks[i].cursor, recording, i == 0 ? from : to, begin, end);
      walks[i].kind = i == 0 ? from_kind : to_kind;
      walks[i].begin = begin;
    }

  start = next_time (&walks[0], start_takes);
  stop = next_time (&walks[1], start_takes);
  while (start >= 0)
    {
      gint64 next = next_time (&walks[0], start_takes);

      while (stop >= 0 && (stop < start || (is_same && stop == start)))
        stop = next_time (&walks[1], start_takes);
      if (stop < 0)
        break;
      if (next < 0 || stop < next || (is_same && stop == next))
        add_point (points, start, (double) (stop - start) * us_per_tick);
      start = next;
    }
  return points;
}

/**
 * ts_series_thin_out:
 * @points: (element-type TsPoint): points in order of time
 * @max_points: how many may stay, at least 1
 *
 * Keeps, of each of at most @max_points equal parts of the points, the largest.
 *
 * Returns: whether any point was dropped
 */
gboolean
ts_series_thin_out (GArray *points,
                    guint max_points)
{
  guint n = points->len;

  g_return_val_if_fail (max_points > 0, FALSE);

  if (n <= max_points)
    return FALSE;
  for (guint i = 0; i < max_points; i++)
    {
      guint from = (guint) ((guint64) n * i / max_points);
      guint to = (guint) ((guint64) n * (i + 1) / max_points);
      guint largest = from;

      for (guint k = from; k < to; k++)
        if (g_array_index (points, TsPoint, k).value
            > g_array_index (points, TsPoint, largest).value)
          largest = k;
      g_array_index (points, TsPoint, i) = g_array_index (points, TsPoint, largest);
    }
  g_array_set_size (points, max_points);
  return TRUE;
}
