/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-intervals.c: sets of times: the union of lanes, and what interrupts take. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

void
_ts_intervals_init (TsIntervals *self)
{
  self->array = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  self->hint = 0;
}

void
_ts_intervals_clear (TsIntervals *self)
{
  g_clear_pointer (&self->array, g_array_unref);
}

/* The slices of a lane as disjoint intervals; an outer one comes after those it holds. */
static GArray *
read_lane (TsRecording *recording,
           guint32 lane,
           gint64 begin,
           gint64 end)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, recording, lane, begin, end);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      TsInterval interval = { slice->begin, slice->end, 0 };

      if (interval.end <= interval.begin)
        continue;
      while (array->len > 0)
        {
          const TsInterval *last = &g_array_index (array, TsInterval, array->len - 1);

          if (last->end < interval.begin)
            break;
          interval.begin = MIN (interval.begin, last->begin);
          interval.end = MAX (interval.end, last->end);
          g_array_set_size (array, array->len - 1);
        }
      g_array_append_val (array, interval);
    }
  return array;
}

static void
append (GArray *out,
        const TsInterval *interval)
{
  if (out->len > 0)
    {
      TsInterval *last = &g_array_index (out, TsInterval, out->len - 1);

      if (interval->begin <= last->end)
        {
          last->end = MAX (last->end, interval->end);
          return;
        }
    }
  g_array_append_vals (out, interval, 1);
}

static GArray *
merge (GArray *left,
       GArray *right)
{
  GArray *out = g_array_sized_new (FALSE, FALSE, sizeof (TsInterval), left->len + right->len);
  guint i = 0;
  guint k = 0;

  while (i < left->len || k < right->len)
    {
      const TsInterval *a = i < left->len ? &g_array_index (left, TsInterval, i) : NULL;
      const TsInterval *b = k < right->len ? &g_array_index (right, TsInterval, k) : NULL;

      if (b == NULL || (a != NULL && a->begin <= b->begin))
        {
          append (out, a);
          i++;
        }
      else
        {
          append (out, b);
          k++;
        }
    }
  return out;
}

static void
sum_up (GArray *array)
{
  gint64 before = 0;

  for (guint i = 0; i < array->len; i++)
    {
      TsInterval *interval = &g_array_index (array, TsInterval, i);

      interval->before = before;
      before += interval->end - interval->begin;
    }
}

/**
 * _ts_intervals_add_lane:
 * @self: a set
 * @recording: a recording
 * @lane: id of a lane
 * @begin: first tick
 * @end: tick after the last
 *
 * Adds the time of all slices of a lane that overlap the range; they are not cut at its edges.
 *
 * Thread: owner of @recording
 */
void
_ts_intervals_add_lane (TsIntervals *self,
                        TsRecording *recording,
                        guint32 lane,
                        gint64 begin,
                        gint64 end)
{
  g_autoptr (GArray) added = read_lane (recording, lane, begin, end);

  if (added->len == 0)
    return;
  if (self->array->len == 0)
    {
      g_array_unref (self->array);
      self->array = g_steal_pointer (&added);
    }
  else
    {
      GArray *both = merge (self->array, added);

      g_array_unref (self->array);
      self->array = both;
    }
  sum_up (self->array);
}

/* Index of the first interval that does not begin before @time, near @hint if it can be. */
static guint
find_interval (const GArray *array,
               gint64 time,
               guint hint)
{
  const TsInterval *intervals = (const TsInterval *) (gpointer) array->data;
  guint low = 0;
  guint high = array->len;

  if (hint <= high && (hint == 0 || intervals[hint - 1].begin < time))
    {
      low = hint;
      for (guint step = 1; low < high && step < array->len; step *= 2)
        {
          if (low + step >= high || intervals[low + step - 1].begin >= time)
            {
              high = MIN (low + step, high);
              break;
            }
          low += step;
        }
    }
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (intervals[middle].begin < time)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * _ts_intervals_before:
 * @self: a set
 * @time: a tick
 * @hint: (inout): where the last answer was; makes questions in order of time cheap
 *
 * Returns: ticks of the set before @time
 */
gint64
_ts_intervals_before (const TsIntervals *self,
                      gint64 time,
                      guint *hint)
{
  const TsInterval *interval;

  *hint = find_interval (self->array, time, *hint);
  if (*hint == 0)
    return 0;
  interval = &g_array_index (self->array, TsInterval, *hint - 1);
  return interval->before + MIN (time, interval->end) - interval->begin;
}

/**
 * _ts_intervals_covered:
 * @self: a set
 * @begin: first tick
 * @end: tick after the last
 *
 * Cost: two searches, cheap near the begin of the last question
 *
 * Returns: ticks of the range that are in the set
 */
gint64
_ts_intervals_covered (TsIntervals *self,
                       gint64 begin,
                       gint64 end)
{
  guint hint = self->hint;
  gint64 before;

  if (end <= begin || self->array->len == 0)
    return 0;
  before = _ts_intervals_before (self, begin, &hint);
  self->hint = hint;
  return _ts_intervals_before (self, end, &hint) - before;
}

/* ---- interrupts ---- */

void
_ts_interrupt_time_init (TsInterruptTime *self,
                         TsRecording *recording,
                         guint core)
{
  self->recording = recording;
  self->lock = NULL;
  self->core = core;
  self->begin = 0;
  self->end = 0;
  _ts_intervals_init (&self->intervals);
}

void
_ts_interrupt_time_clear (TsInterruptTime *self)
{
  _ts_intervals_clear (&self->intervals);
}

static void
read_range (TsInterruptTime *self,
            TsIntervals *intervals,
            gint64 begin,
            gint64 end)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_ISR && lanes[i].core == self->core)
      _ts_intervals_add_lane (intervals, self->recording, lanes[i].id, begin, end);
}

/**
 * _ts_interrupt_time_set_range:
 * @self: interrupts of a processor
 * @begin: first tick
 * @end: tick after the last
 *
 * Reads the interrupts of a range, so that questions about it need no more reading.
 *
 * Cost: some 30 ns an interrupt
 */
void
_ts_interrupt_time_set_range (TsInterruptTime *self,
                              gint64 begin,
                              gint64 end)
{
  g_array_set_size (self->intervals.array, 0);
  self->begin = begin;
  self->end = end;
  read_range (self, &self->intervals, begin, end);
}

/**
 * _ts_interrupt_time_within:
 * @self: interrupts of a processor
 * @begin: first tick
 * @end: tick after the last
 *
 * Returns: ticks of the range with any handler active
 */
gint64
_ts_interrupt_time_within (TsInterruptTime *self,
                           gint64 begin,
                           gint64 end)
{
  g_autoptr (GMutexLocker) locker = self->lock != NULL ? g_mutex_locker_new (self->lock) : NULL;
  TsIntervals outside;
  gint64 ticks = 0;
  gint64 low = MAX (begin, self->begin);
  gint64 high = MIN (end, self->end);

  if (end <= begin)
    return 0;
  if (low < high)
    ticks = _ts_intervals_covered (&self->intervals, low, high);
  if (low == begin && high == end)
    return ticks;

  _ts_intervals_init (&outside);
  if (low >= high)
    {
      read_range (self, &outside, begin, end);
      ticks = _ts_intervals_covered (&outside, begin, end);
    }
  else
    {
      if (begin < low)
        read_range (self, &outside, begin, low);
      ticks += _ts_intervals_covered (&outside, begin, low);
      g_array_set_size (outside.array, 0);
      if (high < end)
        read_range (self, &outside, high, end);
      ticks += _ts_intervals_covered (&outside, high, end);
    }
  _ts_intervals_clear (&outside);
  return ticks;
}

/**
 * _ts_interrupt_time_nested:
 * @self: (nullable): interrupts of a processor
 * @slice: one of them
 * @begin: first tick of a part of it
 * @end: tick after the last
 *
 * Cost: a look at each interrupt's lane
 *
 * Returns: ticks of the part with another handler active inside @slice
 */
gint64
_ts_interrupt_time_nested (TsInterruptTime *self,
                           const TsSlice *slice,
                           gint64 begin,
                           gint64 end)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  g_autoptr (GMutexLocker) locker = NULL;
  guint n_lanes = 0;
  const TsLaneInfo *lanes;
  gint64 ticks = 0;

  if (self == NULL || end <= begin)
    return 0;
  if (self->lock != NULL)
    locker = g_mutex_locker_new (self->lock);
  lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    {
      g_autoptr (GArray) one = NULL;
      const TsSlice *inner;

      if (lanes[i].kind != TS_LANE_ISR || lanes[i].core != self->core)
        continue;
      one = g_array_new (FALSE, FALSE, sizeof (TsInterval));
      _ts_slice_cursor_init (cursor, self->recording, lanes[i].id, begin, end);
      while ((inner = _ts_slice_cursor_next (cursor)) != NULL)
        if (inner->begin > slice->begin
            || (inner->begin == slice->begin && inner->end < slice->end))
          {
            TsInterval interval = { MAX (inner->begin, begin), MIN (inner->end, end), 0 };

            while (one->len > 0
                   && g_array_index (one, TsInterval, one->len - 1).end >= interval.begin)
              {
                interval.begin
                    = MIN (interval.begin, g_array_index (one, TsInterval, one->len - 1).begin);
                g_array_set_size (one, one->len - 1);
              }
            g_array_append_val (one, interval);
          }
      if (one->len > 0)
        {
          GArray *both = merge (all, one);

          g_array_unref (all);
          all = both;
        }
    }
  for (guint i = 0; i < all->len; i++)
    ticks += g_array_index (all, TsInterval, i).end - g_array_index (all, TsInterval, i).begin;
  return ticks;
}
