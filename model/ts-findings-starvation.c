/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings-starvation.c: tasks that were ready and did not get the processor. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-findings-private.h"
#include "ts-lane-skip-private.h"

#define STARVED_US 100000
#define STARVED_BADLY_US 1000000
/* Lanes looked at, for all waits together, to tell who ran meanwhile: some seconds. */
#define MAX_LOOKS 4000000

/* Slices of the idle task that are looked at before all of them are. */
#define N_SOON 256
/* Times of idleness that are remembered. */
#define N_IDLE 2048
/* Fewer nodes than this are looked at before a thread has begun. */
#define N_WORTH_THREADS 16
/* Nodes whose waits are in memory at once. */
#define N_AT_ONCE 4096

/**
 * LongWait: waits that are looked for.
 * @idle_lanes: (element-type guint32): lanes of idle tasks
 * @idle: (element-type TsInterval): runs of them that answered for a wait; the next wait is mostly
 *   at the same time
 * @slices: room for TS_NODE_SLICES
 * @n_looks: lanes looked at to tell who ran meanwhile
 */
typedef struct
{
  TsFinder *finder;
  gint64 least;
  GArray *idle_lanes;
  GArray *idle;
  TsSlice *slices;
  guint64 n_looks;
} LongWait;

/** Part of a wait. */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 enough;
} IdleTime;

static inline gint64
get_overlap (const IdleTime *self,
             gint64 begin,
             gint64 end)
{
  return MIN (end, self->end) - MAX (begin, self->begin);
}

/* The longest of some slices is remembered if it answers alone. */
static void
remember_idle (LongWait *self,
               const IdleTime *time,
               const TsSlice *slices,
               guint n_slices)
{
  TsInterval longest = { 0, 0, 0 };

  for (guint i = 0; i < n_slices; i++)
    if (slices[i].state == TS_STATE_RUNNING
        && slices[i].end - slices[i].begin > longest.end - longest.begin)
      longest = (TsInterval){ slices[i].begin, slices[i].end, 0 };
  if (get_overlap (time, longest.begin, longest.end) <= time->enough)
    return;
  if (self->idle->len == N_IDLE)
    g_array_remove_index_fast (self->idle, 0);
  g_array_append_val (self->idle, longest);
}

/* Whether the first slices of a lane run for long enough. */
static gboolean
runs_soon (LongWait *self,
           guint32 lane,
           const IdleTime *time)
{
  TsSliceCursor cursor;
  const TsSlice *slice;
  gint64 ticks = 0;
  guint n = 0;

  _ts_slice_cursor_init (&cursor, self->finder->recording, lane, time->begin, time->end);
  while (n < N_SOON && ticks <= time->enough && (slice = _ts_slice_cursor_next (&cursor)) != NULL)
    {
      self->slices[n++] = *slice;
      if (slice->state == TS_STATE_RUNNING)
        ticks += get_overlap (time, slice->begin, slice->end);
    }
  if (ticks > time->enough)
    remember_idle (self, time, self->slices, n);
  return ticks > time->enough;
}

static gboolean
may_idle_lie (const TsNodeInfo *info,
              gpointer user_data)
{
  const IdleTime *time = user_data;

  if (info->level == 0)
    return info->begin >= time->begin && info->end <= time->end;
  return info->end > time->begin && info->begin < time->end;
}

static gboolean
may_idle (const TsLaneHead *head,
          gpointer user_data)
{
  return head->longest[TS_STATE_RUNNING] > ((const IdleTime *) user_data)->enough;
}

/* Whether one slice of a lane runs for long enough, in a node that lies in the time. */
static gboolean
runs_at_once (LongWait *self,
              guint32 id,
              const IdleTime *time)
{
  TsLaneReader *reader = self->finder->recording->lanes;
  const TsReaderLane *lane = _ts_lane_reader_find_lane (reader, id);
  TsNodeQuestion question = { may_idle_lie, may_idle, (gpointer) time };
  guint run;

  if (lane == NULL)
    return FALSE;
  run = _ts_lane_find_run (reader, lane, _ts_lane_reader_first_ending_after (lane, time->begin), 1,
                           &question);
  if (run >= _ts_reader_lane_n_nodes (lane, 0))
    return FALSE;
  for (guint i = 0, n = _ts_lane_copy_run (reader, lane, run, self->slices); i < n; i++)
    if (self->slices[i].state == TS_STATE_RUNNING
        && self->slices[i].end - self->slices[i].begin > time->enough)
      {
        remember_idle (self, time, self->slices, n);
        return TRUE;
      }
  return FALSE;
}

/* Whether the processor had nothing better to do: then the task was not ready, whatever was
 * guessed of it (a task that has ended, for one). */
static gboolean
was_idle (LongWait *self,
          const TsSlice *slice)
{
  IdleTime time = { slice->begin, slice->end, (slice->end - slice->begin) / 100 };
  gint64 ticks = 0;

  for (guint i = 0; i < self->idle->len; i++)
    {
      const TsInterval *idle = &g_array_index (self->idle, TsInterval, i);

      if (get_overlap (&time, idle->begin, idle->end) > time.enough)
        return TRUE;
    }
  for (guint i = 0; i < self->idle_lanes->len; i++)
    if (runs_soon (self, g_array_index (self->idle_lanes, guint32, i), &time)
        || runs_at_once (self, g_array_index (self->idle_lanes, guint32, i), &time))
      return TRUE;
  for (guint i = 0; i < self->idle_lanes->len; i++)
    ticks += _ts_analysis_running_ticks (self->finder->recording,
                                         g_array_index (self->idle_lanes, guint32, i),
                                         slice->begin, slice->end);
  return ticks > time.enough;
}

/* @may_blame: there is time to look who ran meanwhile. */
static void
report_starvation (TsFinder *self,
                   const TsLaneInfo *lane,
                   const TsSlice *slice,
                   gboolean may_blame)
{
  gint64 ticks = slice->end - slice->begin;
  gint64 badly = ts_recording_us_to_ticks (self->recording, STARVED_BADLY_US);
  g_autofree char *length = _ts_finder_duration (self, ticks);
  g_autofree char *ran = NULL;
  TsFinding *finding;
  guint32 busiest;
  gint64 busiest_ticks;

  if (!may_blame)
    {
      finding = _ts_finder_add (
          self, TS_FINDING_STARVATION, ticks >= badly ? TS_SEVERITY_ERROR : TS_SEVERITY_WARNING,
          slice->begin, slice->end, ticks, _("%s was ready and did not run for %s."), lane->name,
          length);
      _ts_finding_add_lane (finding, lane->id);
      return;
    }
  busiest = _ts_analysis_find_busiest (self->recording, slice->begin, slice->end, lane->id,
                                       &busiest_ticks);
  ran = _ts_finder_duration (self, busiest_ticks);
  finding = _ts_finder_add (
      self, TS_FINDING_STARVATION, ticks >= badly ? TS_SEVERITY_ERROR : TS_SEVERITY_WARNING,
      slice->begin, slice->end, ticks,
      _ ("%s was ready and did not run for %s; %s ran for %s of it."), lane->name, length,
      busiest != 0 ? _ts_finder_name (self, busiest) : _ ("nothing known"), ran);
  _ts_finding_add_lane (finding, lane->id);
  _ts_finding_add_lane (finding, busiest);
}

static gboolean
may_lie (const TsNodeInfo *info,
         gpointer user_data)
{
  const TsFinder *self = ((LongWait *) user_data)->finder;

  return info->end > self->begin && info->begin < self->end;
}

static gboolean
may_starve (const TsLaneHead *head,
            gpointer user_data)
{
  return (head->states & 1u << TS_STATE_READY) != 0
         && head->longest[TS_STATE_READY] >= ((LongWait *) user_data)->least;
}

/* One part of a lane that may hold waits that are long enough, and those that it holds. */
typedef struct
{
  const TsReaderLane *lane;
  guint run;
  GArray *waits; /* of TsSlice */
} Suspect;

/* @n: how many */
typedef struct
{
  LongWait *wait;
  Suspect *suspects;
  guint n;
} Suspects;

static void
keep_long (LongWait *wait,
           const TsSlice *slices,
           guint n_slices,
           GArray *waits)
{
  const TsFinder *self = wait->finder;

  for (guint i = 0; i < n_slices; i++)
    {
      TsSlice slice = slices[i];

      slice.end = MIN (slice.end, self->end);
      if (slice.state == TS_STATE_READY && slice.end - slice.begin >= wait->least
          && slice.end > self->begin)
        g_array_append_val (waits, slice);
    }
}

/* The long waits of a node. */
static void
look_at_suspect (guint piece,
                 TsLaneAccess *access,
                 gpointer user_data)
{
  Suspects *suspects = user_data;
  LongWait *wait = suspects->wait;
  Suspect *suspect = &suspects->suspects[piece];
  TsSlice slices[TS_STREAM_SLICES];
  TsSliceStream *stream;
  guint n_slices;

  /* What is in no node is there already. */
  if (suspect->run >= _ts_reader_lane_n_nodes (suspect->lane, 0)
      || g_cancellable_is_cancelled (wait->finder->cancellable))
    return;
  suspect->waits = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  stream = _ts_lane_access_begin_slices (
      access, _ts_reader_lane_node (suspect->lane, 0, suspect->run));
  while (stream != NULL && (n_slices = _ts_slice_stream_next (stream, slices)) > 0)
    keep_long (wait, slices, n_slices, suspect->waits);
}

/* Parts of lanes of tasks that hold a wait as long as that. */
static void
list_suspects (LongWait *wait,
               GArray *suspects)
{
  TsFinder *self = wait->finder;
  TsLaneReader *reader = self->recording->lanes;
  TsNodeQuestion question = { may_lie, may_starve, wait };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes && !g_cancellable_is_cancelled (self->cancellable); i++)
    {
      const TsReaderLane *lane = _ts_lane_reader_find_lane (reader, lanes[i].id);

      if (lane == NULL || lanes[i].kind != TS_LANE_TASK || lanes[i].is_idle)
        continue;
      for (guint run = 0;
           (run = _ts_lane_find_run (reader, lane, run, 1, &question)) < _ts_lane_n_runs (lane);
           run++)
        {
          Suspect suspect = { lane, run, NULL };

          if (run >= _ts_reader_lane_n_nodes (lane, 0))
            {
              suspect.waits = g_array_new (FALSE, FALSE, sizeof (TsSlice));
              keep_long (wait, wait->slices,
                         _ts_lane_copy_run (reader, lane, run, wait->slices), suspect.waits);
            }
          g_array_append_val (suspects, suspect);
        }
    }
}

typedef struct
{
  TsSlice *slice;
  gint64 begin;
} WaitTime;

static int
compare_times (gconstpointer a,
               gconstpointer b)
{
  gint64 left = ((const WaitTime *) a)->begin;
  gint64 right = ((const WaitTime *) b)->begin;

  return left < right ? -1 : left > right;
}

/* Waits in which the processor was idle are none. In order of time one run of the idle task answers
 * for the waits of many tasks. */
static void
drop_idle (LongWait *wait,
           Suspects *suspects)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (WaitTime));

  for (guint i = 0; i < suspects->n; i++)
    {
      GArray *waits = suspects->suspects[i].waits;

      for (guint k = 0; waits != NULL && k < waits->len; k++)
        {
          TsSlice *slice = &g_array_index (waits, TsSlice, k);
          WaitTime time = { slice, slice->begin };

          g_array_append_val (times, time);
        }
    }
  g_array_sort (times, compare_times);
  for (guint i = 0; i < times->len; i++)
    {
      TsSlice *slice = g_array_index (times, WaitTime, i).slice;

      if (was_idle (wait, slice))
        slice->state = TS_STATE_BLOCKED;
    }
}

static void
report_suspects (LongWait *wait,
                 Suspects *suspects)
{
  guint n_lanes = 0;

  ts_recording_get_lanes (wait->finder->recording, &n_lanes);
  for (guint i = 0; i < suspects->n; i++)
    {
      const TsLaneInfo *lane = &suspects->suspects[i].lane->info;
      GArray *waits = suspects->suspects[i].waits;

      for (guint k = 0; waits != NULL && k < waits->len; k++)
        {
          const TsSlice *slice = &g_array_index (waits, TsSlice, k);

          if (slice->state != TS_STATE_READY)
            continue;
          wait->n_looks += n_lanes;
          report_starvation (wait->finder, lane, slice, wait->n_looks <= MAX_LOOKS);
        }
      g_clear_pointer (&suspects->suspects[i].waits, g_array_unref);
    }
}

/* Only nodes that hold a wait as long as that are looked at. */
gboolean
_ts_findings_starvation (TsFinder *self,
                         GError **error)
{
  g_autoptr (GArray) idle_lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) idle = g_array_new (FALSE, FALSE, sizeof (TsInterval));
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Suspect));
  g_autofree TsSlice *slices = g_new (TsSlice, TS_NODE_SLICES);
  LongWait wait = { self, MAX (ts_recording_us_to_ticks (self->recording, STARVED_US), 1),
                    idle_lanes, idle, slices, 0 };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_TASK && lanes[i].is_idle)
      g_array_append_val (idle_lanes, lanes[i].id);
  list_suspects (&wait, list);
  for (guint first = 0; first < list->len; first += N_AT_ONCE)
    {
      Suspects suspects = { &wait, &g_array_index (list, Suspect, first),
                            MIN (list->len - first, N_AT_ONCE) };

      _ts_analysis_share_out (self->recording, suspects.n, suspects.n >= N_WORTH_THREADS,
                              look_at_suspect, &suspects);
      drop_idle (&wait, &suspects);
      report_suspects (&wait, &suspects);
    }
  return TRUE;
}
