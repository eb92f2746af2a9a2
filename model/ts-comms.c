/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms.c: who gave what to whom in a range: sums of chunks, and a walk at its edges. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-comms-private.h"
#include "ts-query-private.h"

/* One row of ts_comms without its bytes. */
typedef struct
{
  gint64 id;
  gint64 begin;
  gint64 end;
  guint64 n_steps;
  gboolean is_last;
  gint64 n_bytes;
} ChunkInfo;

/* Which lanes a walk goes through. */
typedef enum
{
  WALK_ALL,
  WALK_ONE /* one object */
} Walk;

/**
 * Question:
 * @chunks: (element-type ChunkInfo): what the recording keeps, in order of time; may be empty
 * @is_damaged: that cannot be read
 * @only: the one object of %WALK_ONE
 * @is_done: (nullable): whether the walk has seen enough
 * @max_exact: acts and waits up to which all are looked at
 * @bytes_per_share: bytes of chunks for which paths are added up at once
 */
typedef struct
{
  TsRecording *recording;
  gint64 begin;
  gint64 end;
  GArray *chunks;
  gboolean is_damaged;
  guint32 only;
  const gboolean *is_done;
  guint64 max_exact;
  gint64 bytes_per_share;
  gint64 deadline_us;
  GCancellable *cancellable;
} Question;

/* ---- what the recording keeps ---- */

/* Rows that do not follow each other without a gap tell nothing. */
static GArray *
read_chunks (TsRecording *recording)
{
  GArray *chunks = g_array_new (FALSE, FALSE, sizeof (ChunkInfo));
  sqlite3_stmt *stmt = NULL;
  gint64 end = 0;
  sqlite3 *db;

  if (!recording->tables.has_comms || recording->is_live || recording->rebuilt != NULL)
    return chunks;

  db = _ts_recording_begin_read (recording, TS_QUERY_LIMIT_US, NULL);
  if (sqlite3_prepare_v2 (
          db, "SELECT id,begin,end,steps,is_last,length(data) FROM ts_comms WHERE id>0 ORDER BY id",
          -1, &stmt, NULL)
      == SQLITE_OK)
    {
      while (sqlite3_step (stmt) == SQLITE_ROW)
        {
          ChunkInfo chunk = { sqlite3_column_int64 (stmt, 0), sqlite3_column_int64 (stmt, 1),
                              sqlite3_column_int64 (stmt, 2),
                              (guint64) CLAMP (sqlite3_column_int64 (stmt, 3), 0, G_MAXINT32),
                              sqlite3_column_int (stmt, 4) != 0,
                              sqlite3_column_int64 (stmt, 5) };

          if (chunk.begin != end || chunk.end <= chunk.begin)
            {
              g_array_set_size (chunks, 0);
              break;
            }
          end = chunk.end;
          g_array_append_val (chunks, chunk);
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (recording);
  return chunks;
}

static void
read_chunk (Question *self,
            guint index,
            TsChunkParts parts,
            TsMatcher *into)
{
  const ChunkInfo *chunk = &g_array_index (self->chunks, ChunkInfo, index);
  sqlite3 *db = _ts_recording_begin_read (self->recording, TS_QUERY_LIMIT_US, self->cancellable);
  sqlite3_stmt *stmt = NULL;
  gboolean ok = FALSE;

  if (sqlite3_prepare_v2 (db, "SELECT data FROM ts_comms WHERE id=?1", -1, &stmt, NULL)
      == SQLITE_OK)
    {
      sqlite3_bind_int64 (stmt, 1, chunk->id);
      if (sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_bytes (stmt, 0) > 0)
        ok = _ts_comms_chunk_decode (sqlite3_column_blob (stmt, 0),
                                     (gsize) sqlite3_column_bytes (stmt, 0), chunk->begin, parts,
                                     into);
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self->recording);
  if (!ok)
    self->is_damaged = TRUE;
}

/* The state at the end of a chunk, for a walk from there to @to: a wait that was over by then may
 * have become known only later, at the next act of its task. */
static void
restore_behind (Question *self,
                guint index,
                gint64 to,
                TsMatcher *matcher)
{
  gint64 time = g_array_index (self->chunks, ChunkInfo, index).end;

  matcher->late_until = time;
  read_chunk (self, index, TS_CHUNK_STATE, matcher);
  for (guint i = index + 1; i < self->chunks->len && !self->is_damaged; i++)
    {
      if (g_array_index (self->chunks, ChunkInfo, i).begin >= to)
        break;
      read_chunk (self, i, TS_CHUNK_LATE, matcher);
    }
}

/* The state at or before @time, for a walk from there to @to; returns of when it is. */
static gint64
restore (Question *self,
         gint64 time,
         gint64 to,
         TsMatcher *matcher)
{
  guint n = 0;

  while (n < self->chunks->len && g_array_index (self->chunks, ChunkInfo, n).end <= time)
    n++;
  if (n == 0)
    return 0;
  restore_behind (self, n - 1, to, matcher);
  return g_array_index (self->chunks, ChunkInfo, n - 1).end;
}

/* ---- walking ---- */

static TsObjectType
get_type (guint32 object,
          gpointer recording)
{
  const TsObject *info = ts_recording_get_object (recording, object);

  return info != NULL ? info->type : TS_OBJECT_NONE;
}

static gboolean
is_walked (const Question *self,
           const TsLaneInfo *lane,
           Walk walk)
{
  if (lane->kind != TS_LANE_OBJECT)
    return lane->kind == TS_LANE_TASK && walk == WALK_ALL;
  return walk == WALK_ALL || lane->object == self->only;
}

/* Operations of the lanes and @operations from @from to @to; those from the question's begin on
 * count. Returns FALSE if it takes too long. */
static gboolean
go_through (Question *self,
            TsMatcher *matcher,
            Walk walk,
            gint64 from,
            gint64 to,
            const GArray *operations)
{
  TsSliceMerge *merge = _ts_slice_merge_new (self->recording, from, to);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  const TsLaneInfo *lane;
  const TsSlice *slice;
  gboolean is_complete = TRUE;
  guint at = 0;
  guint n = 0;

  for (guint i = 0; i < n_lanes; i++)
    if (is_walked (self, &lanes[i], walk))
      _ts_slice_merge_add_states (merge, lanes[i].id,
                                  lanes[i].kind == TS_LANE_TASK ? TS_MATCH_WAITS : G_MAXUINT32);

  do
    {
      slice = _ts_slice_merge_next (merge, &lane);
      if (++n % 65536 == 0
          && (g_cancellable_is_cancelled (self->cancellable)
              || g_get_monotonic_time () > self->deadline_us))
        {
          is_complete = FALSE;
          break;
        }
      for (; at < operations->len; at++)
        {
          const TsOperation *operation = &g_array_index (operations, TsOperation, at);

          if (slice != NULL && operation->time >= slice->end)
            break;
          if (!matcher->is_counting && operation->time >= self->begin)
            _ts_matcher_begin (matcher, self->begin);
          _ts_matcher_operation (matcher, operation);
        }
      if (slice == NULL)
        break;
      if (!matcher->is_counting && slice->end >= self->begin && lane->kind == TS_LANE_OBJECT)
        _ts_matcher_begin (matcher, self->begin);
      if (lane->kind == TS_LANE_OBJECT)
        _ts_matcher_point (matcher, lane->object, slice);
      else
        _ts_matcher_wait (matcher, lane->object, slice);
    }
  while (self->is_done == NULL || !*self->is_done);
  _ts_slice_merge_free (merge);
  return is_complete;
}

static gboolean
check_complete (Question *self,
                gboolean is_complete,
                GError **error)
{
  if (!_ts_query_check_cancelled (self->cancellable, error))
    return FALSE;
  if (is_complete)
    return TRUE;
  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
                       _("The window holds more than can be looked through in time; narrow it "
                         "with --t-start-us and --t-end-us."));
  return FALSE;
}

static gboolean
walk_through (Question *self,
              TsMatcher *matcher,
              Walk walk,
              gint64 from,
              gint64 to,
              GError **error)
{
  g_autoptr (GArray) operations = NULL;
  gboolean is_complete;

  if (from >= to)
    return TRUE;
  operations = _ts_comms_read_operations (self->recording, from, to, self->cancellable, error);
  if (operations == NULL)
    return FALSE;

  is_complete = go_through (self, matcher, walk, from, to, operations);
  return check_complete (self, is_complete, error);
}

/* ---- answers ---- */

/* How many acts and waits the range holds, about. */
static guint64
count_steps (const Question *self)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  gint64 begin = self->begin;
  guint64 n = 0;

  for (guint i = 0; i < self->chunks->len; i++)
    {
      const ChunkInfo *chunk = &g_array_index (self->chunks, ChunkInfo, i);

      if (chunk->end > self->begin && chunk->begin < self->end)
        n += chunk->n_steps;
      begin = MAX (begin, chunk->is_last ? self->end : chunk->end);
    }
  for (guint i = 0; i < n_lanes; i++)
    if (is_walked (self, &lanes[i], WALK_ALL))
      n += _ts_analysis_count_slices (self->recording, lanes[i].id, begin, self->end);
  return n;
}

/* The paths of what was walked through go to @edges, if they are added up in shares. */
static void
put_aside (Question *self,
           TsMatcher *matcher,
           GPtrArray *edges)
{
  if (matcher->n_shares <= 1 || g_hash_table_size (matcher->paths) == 0)
    return;
  g_ptr_array_add (edges, _ts_comms_paths_encode (matcher, self->begin));
  g_hash_table_remove_all (matcher->paths);
}

/* Adds up the paths at the edges and of the chunks from @first until before @next, one share after the
 * other: all of them at once take ten times the memory of the bytes. */
static void
add_shares (Question *self,
            guint first,
            guint next,
            GPtrArray *edges,
            TsMatcher *matcher,
            TsComms *comms)
{
  for (matcher->share = 0; matcher->share < matcher->n_shares && !self->is_damaged;
       matcher->share++)
    {
      for (guint i = 0; i < edges->len; i++)
        {
          gsize size;
          gconstpointer data = g_bytes_get_data (edges->pdata[i], &size);

          _ts_comms_chunk_decode (data, size, self->begin, TS_CHUNK_PATHS, matcher);
        }
      for (guint i = first; i < next && !self->is_damaged; i++)
        read_chunk (self, i, TS_CHUNK_PATHS, matcher);
      _ts_comms_finish_paths (comms, matcher);
    }
}

/* Adds up the chunks that the range contains, and walks through the rest of it. */
static gboolean
add_up (Question *self,
        TsMatcher *matcher,
        TsComms *comms,
        GError **error)
{
  const ChunkInfo *chunks = (const ChunkInfo *) (gpointer) self->chunks->data;
  g_autoptr (GPtrArray) edges = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gint64 n_bytes = 0;
  gint64 from;
  guint first = 0;
  guint next;

  while (first < self->chunks->len && chunks[first].begin < self->begin)
    first++;
  for (next = first; next < self->chunks->len && chunks[next].end <= self->end; next++)
    n_bytes += chunks[next].n_bytes;
  from = restore (self, self->begin, next > first ? chunks[first].begin : self->end, matcher);
  if (next == first)
    return walk_through (self, matcher, WALK_ALL, from, self->end, error);

  matcher->n_shares = _ts_comms_count_shares (n_bytes, self->bytes_per_share);
  if (from < self->begin
      && !walk_through (self, matcher, WALK_ALL, from, chunks[first].begin, error))
    return FALSE;
  if (!matcher->is_counting)
    _ts_matcher_begin (matcher, self->begin);
  put_aside (self, matcher, edges);
  for (guint i = first; i < next && !self->is_damaged; i++)
    read_chunk (self, i, matcher->n_shares > 1 ? TS_CHUNK_COUNTS : TS_CHUNK_SUMS, matcher);
  restore_behind (self, next - 1, self->end, matcher);
  if (!chunks[next - 1].is_last
      && !walk_through (self, matcher, WALK_ALL, chunks[next - 1].end, self->end, error))
    return FALSE;
  put_aside (self, matcher, edges);
  if (matcher->n_shares > 1)
    {
      /* what was walked through is not needed again */
      ts_recording_trim (self->recording, 0);
      add_shares (self, first, next, edges, matcher, comms);
    }
  return check_complete (self, TRUE, error);
}

/* Depths over time, of which chunks tell nothing. @matcher: the state at the end of the range */
static gboolean
add_depths (Question *self,
            TsComms *comms,
            TsMatcher *matcher,
            GError **error)
{
  TsMatcher before = { .begin = self->begin, .get_type = get_type, .types = self->recording };
  g_autoptr (GArray) operations = NULL;
  gboolean is_complete = FALSE;
  gint64 from;

  _ts_matcher_init (&before);
  from = restore (self, self->begin, 0, &before);
  operations
      = _ts_comms_read_operations (self->recording, from, self->end, self->cancellable, error);
  if (operations != NULL)
    is_complete = _ts_comms_fill_depths (self->recording, comms, &before, from, matcher, operations,
                                         self->deadline_us, self->cancellable);
  _ts_matcher_clear (&before);
  return operations != NULL && check_complete (self, is_complete, error);
}

/* The answer for the whole recording, if that is what is asked for and the recording keeps it. */
static gboolean
read_total (Question *self,
            TsMatcher *matcher,
            TsComms *comms)
{
  const ChunkInfo *last = &g_array_index (self->chunks, ChunkInfo, self->chunks->len - 1);
  gboolean ok = FALSE;
  sqlite3_stmt *stmt = NULL;
  sqlite3 *db;

  if (self->begin > 0 || !last->is_last || last->end > self->end)
    return FALSE;
  db = _ts_recording_begin_read (self->recording, TS_QUERY_LIMIT_US, self->cancellable);
  if (sqlite3_prepare_v2 (db, "SELECT data FROM ts_comms WHERE id=?1 AND begin=0 AND end=?2", -1,
                          &stmt, NULL)
      == SQLITE_OK)
    {
      sqlite3_bind_int64 (stmt, 1, TS_COMMS_TOTAL_ID);
      sqlite3_bind_int64 (stmt, 2, last->end);
      if (sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_bytes (stmt, 0) > 0)
        {
          ok = _ts_comms_total_decode (sqlite3_column_blob (stmt, 0),
                                       (gsize) sqlite3_column_bytes (stmt, 0), comms);
          self->is_damaged |= !ok;
        }
    }
  sqlite3_finalize (stmt);
  _ts_recording_end_read (self->recording);
  if (ok && comms->n_buckets > 0)
    restore_behind (self, self->chunks->len - 1, self->end, matcher);
  return ok;
}

static TsComms *
answer (Question *self,
        gint64 bucket,
        GError **error)
{
  g_autoptr (TsComms) comms = _ts_comms_alloc ();
  TsMatcher matcher = { .begin = self->begin, .get_type = get_type, .types = self->recording };
  gboolean adds_up;
  gboolean ok = TRUE;

  comms->begin = self->begin;
  comms->end = self->end;
  comms->bucket = MAX (bucket, 0);
  comms->n_buckets = bucket > 0 ? (guint) MIN ((self->end - self->begin + bucket - 1) / bucket,
                                               G_MAXUINT32 / 2)
                                : 0;

  matcher.mutex_start_takes = _ts_analysis_mutex_start_takes (self->recording);
  matcher.is_exact = count_steps (self) <= self->max_exact;
  adds_up = !matcher.is_exact && self->chunks->len > 0;
  matcher.bucket = comms->bucket;
  matcher.n_buckets = adds_up ? 0 : comms->n_buckets;
  _ts_matcher_init (&matcher);
  if (!adds_up || !read_total (self, &matcher, comms))
    {
      /* Without chunks nothing is known of what was before. */
      ok = adds_up ? add_up (self, &matcher, comms, error)
                   : walk_through (self, &matcher, WALK_ALL,
                                   self->chunks->len > 0
                                       ? restore (self, self->begin, self->end, &matcher)
                                       : self->begin,
                                   self->end, error);
      if (ok && !self->is_damaged)
        _ts_comms_finish (comms, &matcher);
    }
  if (ok && adds_up && comms->n_buckets > 0 && !self->is_damaged)
    ok = add_depths (self, comms, &matcher, error);
  _ts_matcher_clear (&matcher);
  return ok ? g_steal_pointer (&comms) : NULL;
}

/* What is looked for, and what was found so far. */
typedef struct
{
  guint32 object;
  guint32 consumer;
  gint64 time;
  gboolean is_give;
  gboolean is_found;
  TsTransfer *transfer;
} Finding;

static void
note_transfer (const TsTransfer *transfer,
               gpointer user_data)
{
  Finding *self = user_data;
  gint64 time = self->is_give ? transfer->give_time : transfer->take_time;

  if (transfer->resource != self->object || time < 0
      || (self->consumer != 0 && transfer->consumer != self->consumer))
    return;
  /* Of a give its first take, of a take the one at that time or the next after it. */
  if (self->is_give ? time != self->time : time < self->time)
    return;
  if (self->is_found && transfer->take_time >= self->transfer->take_time)
    return;
  self->is_found = TRUE;
  *self->transfer = *transfer;
}

/**
 * ts_comms_find_transfer:
 * @recording: a recording
 * @object: id of a semaphore, queue, mutex ...; of a notification the receiving task
 * @consumer: who took, 0: anybody
 * @time: tick
 * @is_give: @time is that of the give; else the take is the first at @time or after it
 * @transfer: (out caller-allocates): what belongs together
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Finds the take of a give, or the give of a take, by the rules of #TsPath: what a take gets depends
 * on all that was given before.
 *
 * Cost: some 50 ns for each operation on @object from a few thousand before @time to what is found,
 *   or from the begin of a recording that is being written, or by an older version
 * Thread: owner of @recording
 * Errors: as of ts_comms_new()
 *
 * Returns: %FALSE with @error set, or without where there is none
 */
gboolean
ts_comms_find_transfer (TsRecording *recording,
                        guint32 object,
                        guint32 consumer,
                        gint64 time,
                        gboolean is_give,
                        TsTransfer *transfer,
                        GCancellable *cancellable,
                        GError **error)
{
  Finding finding = { object, consumer, time, is_give, FALSE, transfer };
  g_autoptr (GArray) chunks = NULL;
  TsMatcher matcher = { .get_type = get_type,
                        .types = recording,
                        .func = note_transfer,
                        .user_data = &finding };
  Question question = { .recording = recording,
                        .begin = G_MAXINT64,
                        .only = object,
                        .is_done = &finding.is_found,
                        .cancellable = cancellable };
  gboolean ok;

  g_return_val_if_fail (TS_IS_RECORDING (recording) && transfer != NULL, FALSE);
  g_return_val_if_fail (object != 0, FALSE);

  question.end = ts_recording_get_duration (recording) + 1;
  question.deadline_us = g_get_monotonic_time () + TS_QUERY_LIMIT_US;
  question.chunks = chunks = read_chunks (recording);
  matcher.mutex_start_takes = _ts_analysis_mutex_start_takes (recording);
  do
    {
      question.is_damaged = FALSE;
      finding.is_found = FALSE;
      _ts_matcher_init (&matcher);
      ok = walk_through (&question, &matcher, WALK_ONE, restore (&question, time, 0, &matcher),
                         question.end, error);
      _ts_matcher_clear (&matcher);
      g_array_set_size (chunks, question.is_damaged ? 0 : chunks->len);
    }
  while (question.is_damaged);
  return ok && finding.is_found;
}

/* As ts_comms_new(), with the number of acts and waits up to which all are looked at, and bytes of
 * chunks for which paths are added up at once. */
TsComms *
_ts_comms_new_with_limit (TsRecording *recording,
                          gint64 begin,
                          gint64 end,
                          gint64 bucket,
                          guint64 max_exact,
                          gint64 bytes_per_share,
                          GCancellable *cancellable,
                          GError **error)
{
  g_autoptr (GArray) chunks = NULL;
  Question question = { .recording = recording,
                        .max_exact = max_exact,
                        .bytes_per_share = bytes_per_share,
                        .cancellable = cancellable };
  TsComms *comms;

  question.begin = MAX (begin, 0);
  question.end = MAX (MIN (end, ts_recording_get_duration (recording) + 1), question.begin);
  question.deadline_us = g_get_monotonic_time () + TS_QUERY_LIMIT_US;
  question.chunks = chunks = read_chunks (recording);
  comms = answer (&question, bucket, error);
  if (comms == NULL || !question.is_damaged)
    return comms;

  /* Nothing that the recording keeps is to be believed. */
  ts_comms_free (comms);
  g_array_set_size (chunks, 0);
  question.is_damaged = FALSE;
  return answer (&question, bucket, error);
}

/**
 * ts_comms_new:
 * @recording: a recording
 * @begin: first tick
 * @end: tick after the last
 * @bucket: ticks per bucket of the depth over time; 0: none
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Finds who gave what to whom in the range, by what was given before as well. Definitions: #TsPath,
 * #TsResource.
 *
 * Cost: up to a million acts and waits some 50 ns each. Above that some 30 us for each stretch of
 *   65536 that the range contains, and one or two walks through part of one, or 0.2 us for each path
 *   of a whole recording; with @bucket 20 ns for each operation on a semaphore, queue or buffer, on
 *   several threads. All of the range at 50 ns each in a recording that is being written, or by an
 *   older version, where what was given before it is not known
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE, %TS_MODEL_ERROR_BAD_RECORDING
 * Source: viewalyzer-host.md section 3.7, `comms`; viewalyzer-wire.md section 13.8 items 3, 6, 7
 *
 * Returns: (transfer full) (nullable): ts_comms_free()
 */
TsComms *
ts_comms_new (TsRecording *recording,
              gint64 begin,
              gint64 end,
              gint64 bucket,
              GCancellable *cancellable,
              GError **error)
{
  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  return _ts_comms_new_with_limit (recording, begin, end, bucket, TS_ANALYSIS_MAX_EXACT,
                                   TS_COMMS_BYTES_PER_PART_SHARE, cancellable, error);
}

/**
 * ts_comms_free:
 * @self: (nullable) (transfer full): paths and resources
 */
void
ts_comms_free (TsComms *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->resources->len; i++)
    g_free (g_array_index (self->resources, TsResource, i).depths);
  g_array_unref (self->paths);
  g_array_unref (self->resources);
  g_free (self);
}
