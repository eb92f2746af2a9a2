/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-search-events.c: looks for events.
 *
 * Two ways lead to them. Rows: block by block, past those whose summary tells that none of their
 * kinds and objects can match. Acts: what a task did to others is not in the rows but in the lanes
 * of objects, whose instants tell who acted; nodes without such an act are passed too. A walk
 * follows both and gives hits in order.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-skip-private.h"
#include "ts-search-private.h"

/* Rows read at once; a request to stop is looked at after each. A walk begins with few: mostly its
 * first hit is near. */
#define CHUNK_ROWS 4096
#define FIRST_CHUNK_ROWS 64

/**
 * Acts: where the walk is in the lane of an object.
 * @run: node, or the open chunk behind the last one
 * @asked: node that can hold an act that matches; %G_MAXUINT: not asked yet
 * @at: next instant to look at
 * @time: of the next act that can match
 * @row: the first row at that time; 0: not known
 */
typedef struct
{
  TsReaderLane *lane;
  guint run;
  guint asked;
  guint at;
  gint64 time;
  guint64 row;
  gboolean has_time;
} Acts;

/**
 * Walk:
 * @row: the next row to look at; 0 or n_rows + 1: none left
 * @events, @first_row, @n_events: rows that were read; @n_chunk: how many are read next
 * @groups, @n_groups, @block: summary of a block
 * @counted: (nullable): hits need only be counted
 * @acts: (element-type Acts)
 * @at_once: (element-type TsSearchHit): hits at one time, to be given one by one
 * @at_time: room for the rows of one time
 */
typedef struct
{
  TsSearch *search;
  TsRecording *recording;
  int direction;
  GCancellable *cancellable;
  guint64 n_rows;
  guint64 row;
  guint64 last_given;
  TsEvent *events;
  guint64 first_row;
  guint n_events;
  guint n_chunk;
  TsRowGroup *groups;
  guint n_groups;
  gint64 block;
  TsSearchResult *counted;
  GArray *acts;
  GArray *at_once;
  TsEvent *at_time;
  guint n_given;
} Walk;

static void
walk_clear (Walk *self)
{
  g_free (self->events);
  g_free (self->at_time);
  g_free (self->groups);
  g_array_unref (self->acts);
  g_array_unref (self->at_once);
}

/* ---- rows ---- */

static void
read_block (Walk *self,
            guint64 block)
{
  sqlite3_stmt *stmt;

  if (self->block == (gint64) block)
    return;
  self->block = (gint64) block;
  self->n_groups = 0;
  if (!self->recording->tables.has_blocks || self->recording->rebuilt != NULL)
    return;

  _ts_reader_db_lock (self->recording->rdb);
  stmt = _ts_reader_db_get_statement (self->recording->rdb, TS_STATEMENT_ROW_BLOCK);
  if (stmt != NULL)
    {
      sqlite3_bind_int64 (stmt, 1, (gint64) (block * TS_ROW_BLOCK + 1));
      if (sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_type (stmt, 0) == SQLITE_BLOB)
        self->n_groups = _ts_row_block_decode (sqlite3_column_blob (stmt, 0),
                                               (gsize) sqlite3_column_bytes (stmt, 0),
                                               self->groups);
    }
  _ts_reader_db_unlock (self->recording->rdb);
}

/* Whether any row of a block can match; unknown: it can. */
static gboolean
may_match_block (Walk *self,
                 guint64 block)
{
  read_block (self, block);
  for (guint i = 0; i < self->n_groups; i++)
    if (_ts_search_judge (self->search, self->groups[i].key, 0, TRUE) != TS_VERDICT_NO)
      return TRUE;
  return self->n_groups == 0;
}

/* Counts the hits of a whole block; FALSE: its summary alone does not tell them. */
static gboolean
count_block (Walk *self,
             guint64 block)
{
  guint64 n = 0;

  read_block (self, block);
  for (guint i = 0; i < self->n_groups; i++)
    switch (_ts_search_judge (self->search, self->groups[i].key, 0, TRUE))
      {
      case TS_VERDICT_MAYBE:
        return FALSE;
      case TS_VERDICT_YES:
        n += self->groups[i].count;
        break;
      case TS_VERDICT_NO:
      default:
        break;
      }
  if (self->n_groups > 0)
    self->counted->n_found += n;
  return self->n_groups > 0;
}

static gboolean
read_rows (Walk *self,
           guint64 first,
           guint64 last,
           GError **error)
{
  self->first_row = first;
  return ts_recording_read_events (self->recording, first, (guint) (last - first + 1),
                                   self->events, &self->n_events, error)
         && !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* Whether an act comes before the row, whatever that is. */
static inline gboolean
comes_before_row (const Walk *self,
                  const Acts *acts)
{
  return acts != NULL && acts->row > 0
         && (self->direction > 0 ? self->row >= acts->row : self->row < acts->row);
}

/* Goes to the next row that matches by itself. FALSE: there is none before @acts (nullable), or
 * @error. */
static gboolean
next_row (Walk *self,
          const Acts *acts,
          GError **error)
{
  while (self->row >= 1 && self->row <= self->n_rows && !comes_before_row (self, acts))
    {
      guint64 block = (self->row - 1) / TS_ROW_BLOCK;
      guint64 begin = block * TS_ROW_BLOCK + 1;
      guint64 end = MIN (begin + TS_ROW_BLOCK, self->n_rows + 1);

      if (self->row >= self->first_row && self->row - self->first_row < self->n_events)
        {
          if (_ts_search_matches_event (self->search, self->recording,
                                        &self->events[self->row - self->first_row], 0))
            return TRUE;
          self->row += (guint64) (gint64) self->direction;
          continue;
        }
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      if (!may_match_block (self, block)
          || (self->counted != NULL && self->row == begin && count_block (self, block)))
        {
          self->row = self->direction > 0 ? end : begin - 1;
          continue;
        }
      if (self->direction > 0
              ? !read_rows (self, self->row, MIN (end - 1, self->row + self->n_chunk - 1), error)
              : !read_rows (self, self->row - MIN (self->row - begin, self->n_chunk - 1), self->row,
                            error))
        return FALSE;
      self->n_chunk = MIN (4 * self->n_chunk, CHUNK_ROWS);
      /* A file that holds fewer rows than it says. */
      if (self->row - self->first_row >= self->n_events)
        self->row = self->direction > 0 ? end : self->first_row - 1;
    }
  return FALSE;
}

static gint64
get_row_time (const Walk *self)
{
  return self->events[self->row - self->first_row].time;
}

/* ---- acts ---- */

static guint
n_runs (const TsReaderLane *lane)
{
  return _ts_reader_lane_n_nodes (lane, 0) + 1;
}

static const TsSlice *
get_run (Walk *self,
         const TsReaderLane *lane,
         guint run,
         guint *n_slices)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  if (run < n_nodes)
    return _ts_lane_reader_get_slices (self->recording->lanes,
                                       _ts_reader_lane_node (lane, 0, run), n_slices);
  *n_slices = lane->n_chunk;
  return lane->chunk != NULL ? lane->chunk->slices : NULL;
}

static gboolean
is_wanted_act (Walk *self,
               const TsReaderLane *lane,
               guint kind,
               guint32 actor)
{
  guint64 group = _ts_row_group_key (kind, FALSE, lane->info.core, lane->info.object);

  return kind != 0
         && _ts_search_judge (self->search, group, actor, FALSE) != TS_VERDICT_NO;
}

typedef struct
{
  Walk *walk;
  const TsReaderLane *lane;
} ActQuestion;

/* Whether any of the acts of a node can match. */
static gboolean
may_hold (const TsLaneHead *head,
          gpointer user_data)
{
  const ActQuestion *self = user_data;

  for (guint i = 0; head->has_acts && i < head->acts->len; i++)
    {
      guint64 act = g_array_index (head->acts, guint64, i);

      if (is_wanted_act (self->walk, self->lane, TS_HEAD_ACT_KIND (act), TS_HEAD_ACT_ACTOR (act)))
        return TRUE;
    }
  return !head->has_acts;
}

/* Goes to the next act of a lane that can match. */
static void
next_act (Walk *self,
          Acts *acts)
{
  ActQuestion about = { self, acts->lane };
  TsNodeQuestion question = { NULL, may_hold, &about };

  acts->has_time = FALSE;
  while (acts->run < n_runs (acts->lane))
    {
      guint n_slices = 0;
      const TsSlice *slices;
      guint run;

      if (g_cancellable_is_cancelled (self->cancellable))
        return;
      run = acts->run;
      if (run != acts->asked)
        acts->asked = run = _ts_lane_find_run (self->recording->lanes, acts->lane, acts->run,
                                               self->direction, &question);
      if (run != acts->run)
        {
          acts->run = run;
          acts->at = self->direction > 0 ? 0 : G_MAXUINT;
          continue;
        }
      slices = get_run (self, acts->lane, acts->run, &n_slices);
      if (slices == NULL)
        n_slices = 0;
      if (self->direction < 0 && acts->at == G_MAXUINT)
        acts->at = n_slices - 1;

      for (; acts->at < n_slices; acts->at += (guint) self->direction)
        {
          gint64 time = slices[acts->at].begin;

          if (!is_wanted_act (self, acts->lane, slices[acts->at].kind & TS_SLICE_KIND_MASK,
                              slices[acts->at].arg))
            continue;
          /* One time is enough: all rows of it are looked at. */
          acts->has_time = TRUE;
          acts->time = time;
          acts->row = 0;
          while (acts->at < n_slices && slices[acts->at].begin == time)
            acts->at += (guint) self->direction;
          return;
        }
      acts->run += (guint) self->direction;
      acts->at = self->direction > 0 ? 0 : G_MAXUINT;
    }
}

/* Puts the walk through a lane's acts before or behind @time. */
static void
place_acts (Walk *self,
            Acts *acts,
            gint64 time)
{
  guint n_slices = 0;
  const TsSlice *slices;

  acts->run = _ts_lane_reader_first_ending_after (acts->lane, time - 1);
  slices = get_run (self, acts->lane, acts->run, &n_slices);
  acts->at = slices != NULL ? _ts_slices_first_ending_after (slices, n_slices, time - 1) : 0;
  if (self->direction < 0)
    {
      /* Those at @time too. */
      while (slices != NULL && acts->at < n_slices && slices[acts->at].begin <= time)
        acts->at++;
      acts->at--;
      if (acts->at == G_MAXUINT)
        acts->run--;
    }
  next_act (self, acts);
}

static void
begin_acts (Walk *self,
            gint64 time)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  if (!self->search->wants_actors)
    return;
  for (guint i = 0; i < n_lanes; i++)
    {
      Acts acts = { .asked = G_MAXUINT };

      if (lanes[i].kind != TS_LANE_OBJECT)
        continue;
      acts.lane = _ts_lane_reader_find_lane (self->recording->lanes, lanes[i].id);
      if (acts.lane == NULL)
        continue;
      place_acts (self, &acts, time);
      if (acts.has_time)
        g_array_append_val (self->acts, acts);
    }
}

static Acts *
find_next_act (Walk *self)
{
  Acts *best = NULL;

  for (guint i = 0; i < self->acts->len; i++)
    {
      Acts *acts = &g_array_index (self->acts, Acts, i);

      if (acts->has_time
          && (best == NULL
              || (self->direction > 0 ? acts->time < best->time : acts->time > best->time)))
        best = acts;
    }
  return best;
}

/* Who did @event, the @n_before-th of its object, kind and side at its time. */
static guint32
find_actor (Walk *self,
            const TsEvent *event,
            guint n_before)
{
  TsReaderLane *lane = _ts_lane_reader_find_lane (self->recording->lanes, event->object);
  guint kind = (event->kind & TS_SLICE_KIND_MASK)
               | ((event->flags & TS_EVENT_FLAG_START) != 0 ? TS_SLICE_START : 0);

  if (lane == NULL || lane->info.kind != TS_LANE_OBJECT)
    return 0;
  for (guint run = _ts_lane_reader_first_ending_after (lane, event->time - 1); run < n_runs (lane);
       run++)
    {
      guint n_slices = 0;
      const TsSlice *slices = get_run (self, lane, run, &n_slices);
      guint i = slices != NULL ? _ts_slices_first_ending_after (slices, n_slices, event->time - 1)
                               : n_slices;

      for (; i < n_slices; i++)
        {
          if (slices[i].begin > event->time)
            return 0;
          if (slices[i].kind == kind && n_before-- == 0)
            return slices[i].arg;
        }
    }
  return 0;
}

/* Looks at all rows of one time, from the first on; leaves hits in @self->at_once. */
static gboolean
look_at_time (Walk *self,
              gint64 time,
              guint64 first,
              GError **error)
{
  TsEvent *events = self->at_time;
  guint wanted = 1;
  guint n = 0;

  g_array_set_size (self->at_once, 0);
  self->n_given = 0;
  /* Mostly few events have the same time. */
  do
    {
      wanted = MIN (wanted * 8, CHUNK_ROWS);
      if (!ts_recording_read_events (self->recording, first, wanted, events, &n, error))
        return FALSE;
    }
  while (n == wanted && wanted < CHUNK_ROWS && events[n - 1].time == time);

  for (guint i = 0; i < n && events[i].time == time; i++)
    {
      TsSearchHit hit = { time, time, first + i, events[i].object };
      guint n_before = 0;

      for (guint k = 0; k < i; k++)
        n_before += events[k].object == events[i].object && events[k].kind == events[i].kind
                    && ((events[k].flags ^ events[i].flags) & TS_EVENT_FLAG_START) == 0;
      if (_ts_search_matches_event (self->search, self->recording, &events[i],
                                    find_actor (self, &events[i], n_before))
          && (self->last_given == 0
              || (self->direction > 0 ? hit.row > self->last_given : hit.row < self->last_given)))
        g_array_append_val (self->at_once, hit);
    }
  return TRUE;
}

/* ---- both ---- */

static gboolean
walk_begin (Walk *self,
            TsSearch *search,
            TsRecording *recording,
            guint64 row,
            int direction,
            GCancellable *cancellable)
{
  TsEvent event;
  guint n = 0;

  *self = (Walk){ .search = search,
                  .recording = recording,
                  .direction = direction,
                  .cancellable = cancellable,
                  .n_rows = ts_recording_get_n_rows (recording),
                  .row = row,
                  .n_chunk = FIRST_CHUNK_ROWS,
                  .block = -1 };
  self->events = g_new (TsEvent, CHUNK_ROWS);
  self->at_time = g_new (TsEvent, CHUNK_ROWS);
  self->groups = g_new (TsRowGroup, TS_ROW_BLOCK);
  self->acts = g_array_new (FALSE, FALSE, sizeof (Acts));
  self->at_once = g_array_new (FALSE, FALSE, sizeof (TsSearchHit));

  /* Hits lie at this row or beyond it. */
  self->last_given = direction > 0 ? row - 1 : row + 1;
  if (ts_recording_read_events (recording, row, 1, &event, &n, NULL) && n == 1)
    begin_acts (self, event.time);
  return n == 1;
}

/* The next hit. FALSE: there is none, or @error. */
static gboolean
walk_next (Walk *self,
           TsSearchHit *hit,
           GError **error)
{
  GError *reason = NULL;

  for (;;)
    {
      gboolean has_row;
      Acts *acts;

      if (self->n_given < self->at_once->len)
        {
          guint i = self->direction > 0 ? self->n_given : self->at_once->len - 1 - self->n_given;

          *hit = g_array_index (self->at_once, TsSearchHit, i);
          self->n_given++;
          self->last_given = hit->row;
          return TRUE;
        }

      acts = find_next_act (self);
      if (acts != NULL && acts->row == 0)
        acts->row = ts_recording_row_at_time (self->recording, acts->time);
      has_row = next_row (self, acts, &reason);
      if (reason == NULL)
        g_cancellable_set_error_if_cancelled (self->cancellable, &reason);
      if (reason != NULL)
        {
          g_propagate_error (error, reason);
          return FALSE;
        }
      if (acts != NULL
          && (!has_row
              || (self->direction > 0 ? acts->time <= get_row_time (self)
                                      : acts->time >= get_row_time (self))))
        {
          if (!look_at_time (self, acts->time, acts->row, error))
            return FALSE;
          next_act (self, acts);
          continue;
        }
      if (!has_row)
        return FALSE;

      *hit = (TsSearchHit){ get_row_time (self), get_row_time (self), self->row,
                            self->events[self->row - self->first_row].object };
      self->row += (guint64) (gint64) self->direction;
      /* Given before, as one of a time. */
      if (self->direction > 0 ? hit->row <= self->last_given : hit->row >= self->last_given)
        continue;
      self->last_given = hit->row;
      return TRUE;
    }
}

/* The first hit at @row or beyond it. */
gboolean
_ts_search_find_event (TsSearch *self,
                       TsRecording *recording,
                       guint64 row,
                       int direction,
                       TsSearchHit *hit,
                       GCancellable *cancellable,
                       GError **error)
{
  /* Of a long recording thousands of blocks are looked at. */
  gboolean is_held = recording->live == NULL && recording->rdb != NULL;
  Walk walk;
  gboolean found;

  if (row < 1 || row > ts_recording_get_n_rows (recording))
    return FALSE;
  if (is_held)
    _ts_reader_db_hold (recording->rdb);
  found = walk_begin (&walk, self, recording, row, direction, cancellable)
          && walk_next (&walk, hit, error);
  walk_clear (&walk);
  if (is_held)
    _ts_reader_db_release (recording->rdb);
  return found;
}

/* All hits: the first @max_hits are kept, the rest is counted. */
gboolean
_ts_search_all_events (TsSearch *self,
                       TsRecording *recording,
                       guint max_hits,
                       TsSearchResult *result,
                       GCancellable *cancellable,
                       GError **error)
{
  GError *reason = NULL;
  TsSearchHit hit;
  Walk walk;

  walk_begin (&walk, self, recording, 1, 1, cancellable);
  while (walk_next (&walk, &hit, &reason))
    {
      result->n_found++;
      if (result->hits->len < max_hits)
        g_array_append_val (result->hits, hit);
      else if (!self->wants_actors)
        walk.counted = result;
    }
  walk_clear (&walk);
  if (reason == NULL)
    g_cancellable_set_error_if_cancelled (cancellable, &reason);
  if (reason != NULL)
    g_propagate_error (error, reason);
  return reason == NULL;
}
