/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-comms-depths.c: how much was pending in each stretch of time, on as many threads as there are
 * processors for: how deep an object is depends on its own lane only.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-comms-private.h"

/* Fewer operations than this are done before a thread has begun. */
#define N_WORTH_THREADS 30000

/**
 * Job: one object.
 * @lane: (nullable): where its operations are
 * @operations: (nullable) (element-type TsOperation): those that no lane shows, in order of time
 * @depth: what is in it where the walk begins
 * @least: the least that ever was
 * @n_slices: about how many there are to walk through
 */
typedef struct
{
  gint64 *depths;
  const TsLaneInfo *lane;
  GArray *operations;
  gint64 depth;
  gint64 least;
  guint64 n_slices;
} Job;

/**
 * Work:
 * @jobs: (element-type Job): those with most to do first
 * @is_late: it takes too long; atomic
 */
typedef struct
{
  const TsComms *comms;
  GArray *jobs;
  gint64 from;
  gboolean mutex_start_takes;
  gint is_late;
  gint64 deadline_us;
  GCancellable *cancellable;
} Work;

/* Where in time a walk is. */
typedef struct
{
  const TsComms *comms;
  gint64 *depths;
  gint64 depth;
  guint n_filled;
  guint bucket;
  gint64 bucket_end;
} Depth;

static inline void
change (Depth *self,
        gint64 time,
        gboolean is_give)
{
  const TsComms *comms = self->comms;
  gint64 before = self->depth;

  self->depth += is_give ? 1 : -1;
  if (time < comms->begin)
    return;
  if (time >= self->bucket_end)
    {
      self->bucket = (guint) MIN ((time - comms->begin) / comms->bucket, comms->n_buckets - 1);
      self->bucket_end = self->bucket + 1 == comms->n_buckets
                             ? G_MAXINT64
                             : comms->begin + (gint64) (self->bucket + 1) * comms->bucket;
    }
  if (G_UNLIKELY (self->n_filled <= self->bucket))
    _ts_comms_note_depth (self->depths, &self->n_filled, self->bucket, before, self->depth);
  else if (self->depth > self->depths[self->bucket])
    self->depths[self->bucket] = self->depth;
}

/* Operations before @end. */
static guint
add_operations (Depth *depth,
                const GArray *operations,
                guint at,
                gint64 end)
{
  for (; operations != NULL && at < operations->len; at++)
    {
      const TsOperation *operation = &g_array_index (operations, TsOperation, at);

      if (operation->time >= end)
        break;
      if (!operation->is_failed)
        change (depth, operation->time, operation->is_give);
    }
  return at;
}

/* Waits are no matter: what an object holds changes when something is given or taken. */
static void
walk (guint piece,
      TsLaneAccess *access,
      gpointer user_data)
{
  Work *work = user_data;
  const Job *job = &g_array_index (work->jobs, Job, piece);
  const TsComms *comms = work->comms;
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  Depth depth = { comms, job->depths, job->depth, 0, 0, G_MININT64 };
  const TsSlice *slices;
  guint n_slices = 0;
  guint at = 0;
  guint n = 0;

  if (g_atomic_int_get (&work->is_late))
    return;
  if (job->lane != NULL)
    _ts_slice_cursor_init_apart (cursor, access, job->lane->id, work->from, comms->end);
  while (job->lane != NULL
         && (slices = _ts_slice_cursor_next_batch (cursor, &n_slices)) != NULL)
    {
      if (++n % 1024 == 0
          && (g_cancellable_is_cancelled (work->cancellable)
              || g_get_monotonic_time () > work->deadline_us))
        {
          g_atomic_int_set (&work->is_late, TRUE);
          return;
        }
      for (guint i = 0; i < n_slices; i++)
        {
          guint kind = slices[i].kind & TS_SLICE_KIND_MASK;
          gboolean is_give = (slices[i].kind & TS_SLICE_START) != 0;

          if (job->operations != NULL)
            at = add_operations (&depth, job->operations, at, slices[i].end);
          if (!_ts_match_is_act (kind) || kind == TS_EVENT_OP_FAILED)
            continue;
          if (kind == TS_EVENT_MUTEX && work->mutex_start_takes)
            is_give = !is_give;
          change (&depth, slices[i].begin, is_give);
        }
    }
  add_operations (&depth, job->operations, at, G_MAXINT64);

  _ts_comms_note_depth (depth.depths, &depth.n_filled, comms->n_buckets - 1, depth.depth,
                        depth.depth);
  for (guint i = 0; i < comms->n_buckets; i++)
    depth.depths[i] -= job->least;
}

static int
compare_jobs (gconstpointer a,
              gconstpointer b)
{
  guint64 left = ((const Job *) a)->n_slices;
  guint64 right = ((const Job *) b)->n_slices;

  return left > right ? -1 : left < right;
}

static void
get_state (TsMatcher *matcher,
           guint32 object,
           gint64 *depth,
           gint64 *least)
{
  const TsMatchedResource *state
      = g_hash_table_lookup (matcher->resources, GSIZE_TO_POINTER ((gsize) object));

  *depth = state != NULL ? state->depth : 0;
  *least = state != NULL ? state->least : 0;
}

/* One job for each object that holds what it is given, and room for its depths. */
static void
list_jobs (Work *self,
           TsRecording *recording,
           TsComms *comms,
           TsMatcher *from_state,
           TsMatcher *end_state,
           const GArray *operations)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < comms->resources->len; i++)
    {
      TsResource *resource = &g_array_index (comms->resources, TsResource, i);
      Job job = { 0 };
      gint64 nothing;

      if (!resource->has_depth)
        continue;
      job.depths = resource->depths = g_new (gint64, comms->n_buckets);
      get_state (from_state, resource->object, &job.depth, &nothing);
      get_state (end_state, resource->object, &nothing, &job.least);
      g_array_append_val (self->jobs, job);
      g_hash_table_insert (places, GUINT_TO_POINTER (resource->object),
                           GUINT_TO_POINTER (self->jobs->len));
    }
  for (guint i = 0; i < n_lanes; i++)
    {
      guint place = lanes[i].kind == TS_LANE_OBJECT
                        ? GPOINTER_TO_UINT (g_hash_table_lookup (
                              places, GUINT_TO_POINTER (lanes[i].object)))
                        : 0;
      Job *job;

      if (place == 0)
        continue;
      job = &g_array_index (self->jobs, Job, place - 1);
      job->lane = &lanes[i];
      job->n_slices = _ts_analysis_count_slices (recording, lanes[i].id, self->from, comms->end);
    }
  for (guint i = 0; i < operations->len; i++)
    {
      const TsOperation *operation = &g_array_index (operations, TsOperation, i);
      guint place = operation->is_notification
                        ? 0
                        : GPOINTER_TO_UINT (g_hash_table_lookup (
                              places, GUINT_TO_POINTER (operation->object)));
      Job *job;

      if (place == 0)
        continue;
      job = &g_array_index (self->jobs, Job, place - 1);
      if (job->operations == NULL)
        job->operations = g_array_new (FALSE, FALSE, sizeof (TsOperation));
      g_array_append_vals (job->operations, operation, 1);
    }
}

/**
 * _ts_comms_fill_depths:
 * @recording: a recording
 * @comms: an answer without depths
 * @from_state: the state at @from
 * @from: no later than the begin of @comms
 * @end_state: the state at the end of @comms
 * @operations: (element-type TsOperation): what no lane shows, from @from on
 * @deadline_us: monotonic time to give up at
 * @cancellable: (nullable): ends it early
 *
 * Gives the resources of an answer their depths over time, by the rules of matching.
 *
 * Cost: some 20 ns for each operation since @from on an object that has a depth, on up to four
 *   threads
 * Thread: owner of @recording
 *
 * Returns: %FALSE if it was ended
 */
gboolean
_ts_comms_fill_depths (TsRecording *recording,
                       TsComms *comms,
                       TsMatcher *from_state,
                       gint64 from,
                       TsMatcher *end_state,
                       const GArray *operations,
                       gint64 deadline_us,
                       GCancellable *cancellable)
{
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (Job));
  Work work = { .comms = comms,
                .jobs = jobs,
                .from = from,
                .mutex_start_takes = _ts_analysis_mutex_start_takes (recording),
                .deadline_us = deadline_us,
                .cancellable = cancellable };
  guint64 n_slices = 0;

  list_jobs (&work, recording, comms, from_state, end_state, operations);
  g_array_sort (jobs, compare_jobs);
  for (guint i = 0; i < jobs->len; i++)
    n_slices += g_array_index (jobs, Job, i).n_slices;
  _ts_analysis_share_out (recording, jobs->len, n_slices >= N_WORTH_THREADS, walk, &work);

  for (guint i = 0; i < jobs->len; i++)
    g_clear_pointer (&g_array_index (jobs, Job, i).operations, g_array_unref);
  return !work.is_late;
}
