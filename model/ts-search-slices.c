/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-slices.c: looks for slices: lane by lane, past nodes that hold none long enough. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-search-private.h"

/* How often a request to stop is looked at. */
#define STEPS_PER_CHECK 4096

static TsSearchHit
make_hit (guint32 lane,
          const TsSlice *slice)
{
  return (TsSearchHit){ slice->begin, slice->end, 0, lane };
}

/* Whether @left is before @right: by begin, then by lane, then by end. */
static gboolean
is_before (const TsSearchHit *left,
           const TsSearchHit *right)
{
  if (left->begin != right->begin)
    return left->begin < right->begin;
  if (left->lane != right->lane)
    return left->lane < right->lane;
  return left->end < right->end;
}

/**
 * Finder: a look for the hit next to a place.
 * @from: the place
 * @best: the nearest hit so far
 */
typedef struct
{
  TsSearch *search;
  TsRecording *recording;
  TsSearchHit from;
  int direction;
  GCancellable *cancellable;
  TsSearchHit best;
  gboolean found;
} Finder;

static inline gboolean
is_beyond (const Finder *self,
           const TsSearchHit *place,
           const TsSearchHit *hit)
{
  return self->direction > 0 ? is_before (place, hit) : is_before (hit, place);
}

/* Takes a slice if it is the best hit so far. Returns whether it is beyond the best: nothing behind
 * it in its lane can be better. */
static gboolean
take_slice (Finder *self,
            guint32 lane,
            const TsSlice *slice)
{
  TsSearchHit hit = make_hit (lane, slice);

  if (self->found && !is_beyond (self, &hit, &self->best))
    return TRUE;
  if (!is_beyond (self, &self->from, &hit)
      || !_ts_search_matches_slice (self->search, self->recording, slice))
    return FALSE;
  self->best = hit;
  self->found = TRUE;
  return TRUE;
}

static const TsSlice *
get_run (Finder *self,
         const TsReaderLane *lane,
         guint run,
         guint *n_slices)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (run < n_nodes)
    return _ts_lane_reader_get_slices (self->recording->lanes,
                                       _ts_reader_lane_node (lane, 0, run), n_slices);
  *n_slices = run == n_nodes ? lane->n_chunk : lane->n_open;
  if (run > n_nodes)
    return lane->open;
  return lane->chunk != NULL ? lane->chunk->slices : NULL;
}

/* A lane whose slices follow one another: node by node. */
static void
find_in_order (Finder *self,
               const TsReaderLane *lane)
{
  guint n_runs = _ts_reader_lane_n_nodes (lane, 0) + 2;
  gint64 time = self->from.begin;
  guint run = _ts_lane_reader_first_ending_after (lane, time - 1);

  if (self->direction < 0)
    {
      /* The last run that begins at or before the place. */
      while (run + 1 < n_runs)
        {
          guint n_slices = 0;
          const TsSlice *slices = get_run (self, lane, run + 1, &n_slices);

          if (slices != NULL && n_slices > 0 && slices[0].begin > time)
            break;
          run++;
        }
    }

  for (; run < n_runs && !g_cancellable_is_cancelled (self->cancellable);
       run += (guint) self->direction)
    {
      guint n_slices = 0;
      const TsSlice *slices = get_run (self, lane, run, &n_slices);
      guint at;

      if (slices == NULL || n_slices == 0)
        continue;
      at = _ts_slices_first_ending_after (slices, n_slices, time - 1);
      if (self->direction < 0)
        {
          while (at < n_slices && slices[at].begin <= time)
            at++;
          at--;
        }
      for (; at < n_slices; at += (guint) self->direction)
        if (take_slice (self, lane->info.id, &slices[at]))
          return;
    }
}

/* A lane whose slices nest: they come in order of their ends, so begin by begin. */
static void
find_nested (Finder *self,
             const TsReaderLane *lane)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  gint64 time = self->from.begin - self->direction;
  TsSlice next;

  while (ts_recording_next_slice (self->recording, lane->info.id, time, self->direction, &next)
         && !g_cancellable_is_cancelled (self->cancellable))
    {
      gboolean is_done = FALSE;
      const TsSlice *slice;

      time = next.begin;
      if (self->found && (self->direction > 0 ? time > self->best.begin : time < self->best.begin))
        return;
      _ts_slice_cursor_init (cursor, self->recording, lane->info.id, time, time + 1);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        if (slice->begin == time)
          is_done |= take_slice (self, lane->info.id, slice);
      if (is_done)
        return;
    }
}

/* The hit next to @from in one direction. A @from without a lane is a time: what begins there lies
 * ahead of it going forward. */
gboolean
_ts_search_find_slice (TsSearch *self,
                       TsRecording *recording,
                       const TsSearchHit *from,
                       int direction,
                       TsSearchHit *hit,
                       GCancellable *cancellable,
                       GError **error)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  Finder finder = { self, recording, *from, direction, cancellable, { 0 }, FALSE };

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsReaderLane *lane = _ts_lane_reader_find_lane (recording->lanes, lanes[i].id);

      if (lane == NULL || !_ts_search_matches_lane (self, &lanes[i]))
        continue;
      if (lane->may_overlap)
        find_nested (&finder, lane);
      else
        find_in_order (&finder, lane);
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (finder.found)
    *hit = finder.best;
  return finder.found;
}

static int
compare_hits (gconstpointer a,
              gconstpointer b)
{
  return is_before (a, b) ? -1 : is_before (b, a);
}

/* All hits: the first @max_hits are kept, the rest is counted. */
gboolean
_ts_search_all_slices (TsSearch *self,
                       TsRecording *recording,
                       guint max_hits,
                       TsSearchResult *result,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  gint64 end = ts_recording_get_duration (recording) + 1;
  guint64 n_steps = 0;

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsSlice *slice;

      if (!_ts_search_matches_lane (self, &lanes[i]))
        continue;
      _ts_slice_cursor_init (cursor, recording, lanes[i].id, 0, end);
      while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
        {
          TsSearchHit hit = make_hit (lanes[i].id, slice);

          if (n_steps++ % STEPS_PER_CHECK == 0
              && g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          if (!_ts_search_matches_slice (self, recording, slice))
            continue;
          result->n_found++;
          g_array_append_val (result->hits, hit);
          /* Only the first ones by time are kept, whichever lane they are of. */
          if (result->hits->len / 2 > max_hits)
            {
              g_array_sort (result->hits, compare_hits);
              g_array_set_size (result->hits, max_hits);
            }
        }
    }
  g_array_sort (result->hits, compare_hits);
  if (result->hits->len > max_hits)
    g_array_set_size (result->hits, max_hits);
  return TRUE;
}
