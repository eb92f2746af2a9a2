/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-slices.c: looks for slices: lane by lane, past nodes that hold none long enough. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-lane-skip-private.h"
#include "ts-search-private.h"

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
get_run (TsRecording *recording,
         const TsReaderLane *lane,
         guint run,
         guint *n_slices)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (run < n_nodes)
    return _ts_lane_reader_get_slices (recording->lanes, _ts_reader_lane_node (lane, 0, run),
                                       n_slices);
  *n_slices = run == n_nodes ? lane->n_chunk : lane->n_open;
  if (run > n_nodes)
    return lane->open;
  return lane->chunk != NULL ? lane->chunk->slices : NULL;
}

/* ---- past nodes ---- */

/* What the lane's slices have to be, for a look into a node to be worth it. */
typedef struct
{
  Finder *finder;
  gint64 longest; /* of the node asked last; G_MAXINT64: not known */
} Question;

/* Slices lie within the hull of their node: beyond the place, and nearer than the best. */
static gboolean
may_lie (const TsNodeInfo *info,
         gpointer user_data)
{
  const Finder *self = ((Question *) user_data)->finder;

  if (self->direction > 0)
    return info->end >= self->from.begin && (!self->found || info->begin <= self->best.begin);
  return info->begin <= self->from.begin && (!self->found || info->end >= self->best.begin);
}

static gboolean
may_hold (const TsLaneHead *head,
          gpointer user_data)
{
  Question *self = user_data;

  self->longest = 0;
  for (guint state = 0; state < TS_N_STATES; state++)
    if ((head->states & 1u << state) != 0)
      self->longest = MAX (self->longest, head->longest[state]);
  return _ts_search_may_match_head (self->finder->search, self->finder->recording, head);
}

/* Slices of a run come in order of their ends, and begin no longer than @longest before. */
static void
look_at_run (Finder *self,
             const TsReaderLane *lane,
             guint run,
             gint64 longest)
{
  guint n_slices = 0;
  const TsSlice *slices = get_run (self->recording, lane, run, &n_slices);
  gint64 time = self->from.begin;
  gboolean is_open = run > _ts_reader_lane_n_nodes (lane, 0);
  guint at;

  if (slices == NULL || n_slices == 0)
    return;
  if (is_open)
    {
      for (guint i = 0; i < n_slices; i++)
        take_slice (self, lane->info.id, &slices[i]);
      return;
    }
  if (self->direction > 0)
    {
      for (at = _ts_slices_first_ending_after (slices, n_slices, time - 1); at < n_slices; at++)
        {
          gboolean is_beyond_best = take_slice (self, lane->info.id, &slices[at]);

          if (self->found
              && (lane->may_overlap ? slices[at].end - self->best.begin > longest : is_beyond_best))
            return;
        }
      return;
    }

  at = n_slices;
  if (!lane->may_overlap)
    {
      at = _ts_slices_first_ending_after (slices, n_slices, time - 1);
      while (at < n_slices && slices[at].begin <= time)
        at++;
    }
  else if (longest < G_MAXINT64 - time)
    at = _ts_slices_first_ending_after (slices, n_slices, time + longest);
  while (at-- > 0)
    {
      gboolean is_beyond_best = take_slice (self, lane->info.id, &slices[at]);

      if (self->found
          && (lane->may_overlap ? slices[at].end < self->best.begin : is_beyond_best))
        return;
    }
}

static void
find_in_lane (Finder *self,
              const TsReaderLane *lane)
{
  Question about = { self, G_MAXINT64 };
  TsNodeQuestion question = { may_lie, may_hold, &about };
  guint n_runs = _ts_lane_n_runs (lane);
  guint run = self->direction > 0
                  ? _ts_lane_reader_first_ending_after (lane, self->from.begin - 1)
                  : n_runs - 1;

  for (; run < n_runs && !g_cancellable_is_cancelled (self->cancellable);
       run += (guint) self->direction)
    {
      about.longest = G_MAXINT64;
      run = _ts_lane_find_run (self->recording->lanes, lane, run, self->direction, &question);
      if (run >= n_runs)
        return;
      look_at_run (self, lane, run, about.longest);
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

      if (lane != NULL && _ts_search_matches_lane (self, &lanes[i]))
        find_in_lane (&finder, lane);
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

/** A look for all hits. */
typedef struct
{
  TsSearch *search;
  TsRecording *recording;
  GCancellable *cancellable;
  guint max_hits;
  TsSearchResult *result;
} All;

static gboolean
may_hold_any (const TsLaneHead *head,
              gpointer user_data)
{
  All *self = user_data;

  return _ts_search_may_match_head (self->search, self->recording, head);
}

static void
take_all (All *self,
          guint32 lane,
          const TsSlice *slices,
          guint n_slices)
{
  GArray *hits = self->result->hits;

  for (guint i = 0; i < n_slices; i++)
    {
      TsSearchHit hit = make_hit (lane, &slices[i]);

      if (!_ts_search_matches_slice (self->search, self->recording, &slices[i]))
        continue;
      self->result->n_found++;
      g_array_append_val (hits, hit);
      /* Only the first ones by time are kept, whichever lane they are of. */
      if (hits->len / 2 > self->max_hits)
        {
          g_array_sort (hits, compare_hits);
          g_array_set_size (hits, self->max_hits);
        }
    }
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
  All all = { self, recording, cancellable, max_hits, result };
  TsNodeQuestion question = { NULL, may_hold_any, &all };
  g_autofree TsSlice *slices = g_new (TsSlice, TS_NODE_SLICES);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsReaderLane *lane = _ts_lane_reader_find_lane (recording->lanes, lanes[i].id);
      guint run = 0;

      if (lane == NULL || !_ts_search_matches_lane (self, &lanes[i]))
        continue;
      while ((run = _ts_lane_find_run (recording->lanes, lane, run, 1, &question))
             < _ts_lane_n_runs (lane))
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          take_all (&all, lanes[i].id, slices,
                    _ts_lane_copy_run (recording->lanes, lane, run, slices));
          run++;
        }
    }
  g_array_sort (result->hits, compare_hits);
  if (result->hits->len > max_hits)
    g_array_set_size (result->hits, max_hits);
  return TRUE;
}
