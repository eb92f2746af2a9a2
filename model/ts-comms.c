/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms.c: matching gives and takes, in one walk through the lanes in order of time. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-comms-private.h"
#include "ts-query-private.h"

/* Gives that wait for their take; older ones are forgotten. */
#define MAX_PENDING 65536
/* Latencies of a path that are kept for percentiles. */
#define MAX_LATENCIES 1000000

/* How takes find their gives. */
typedef enum
{
  MATCH_FIRST, /* a queue of gives */
  MATCH_LAST,  /* the newest */
  MATCH_HOLDER /* a mutex */
} Match;

typedef struct
{
  gint64 time;
  guint32 actor;
} Give;

typedef struct
{
  TsResource resource;
  Match match;
  GArray *gives; /* of Give; the oldest at @first */
  guint first;
  gint64 depth;
  gint64 least;  /* lowest depth: as far below 0 as there was something at the begin */
} Resource;

typedef struct
{
  TsPath path;
  GArray *latencies; /* of gint64 */
} Path;

/* The last wait of a task. */
typedef struct
{
  guint32 object;
  gint64 begin;
  gint64 end;
} Wait;

typedef struct
{
  TsRecording *recording;
  TsComms *comms;
  GHashTable *resources; /* object id (notifications: above 2^32) to Resource */
  GHashTable *paths;     /* Path itself as key */
  GHashTable *waits;     /* task to Wait */
  gboolean mutex_start_takes;
  TsTransferFunc func;   /* nullable: told of every transfer */
  gpointer user_data;
  guint32 only;          /* the one object looked at; 0: all */
} Matcher;

static void
resource_free (gpointer data)
{
  Resource *resource = data;

  g_array_unref (resource->gives);
  g_free (resource);
}

static void
path_free (gpointer data)
{
  Path *path = data;

  g_array_unref (path->latencies);
  g_free (path);
}

static guint
path_hash (gconstpointer key)
{
  const TsPath *path = key;

  return path->producer * 2654435761u ^ path->resource * 40503u ^ path->consumer * 2246822519u
         ^ (guint) path->is_notification;
}

static gboolean
path_equal (gconstpointer a,
            gconstpointer b)
{
  const TsPath *left = a;
  const TsPath *right = b;

  return left->producer == right->producer && left->resource == right->resource
         && left->consumer == right->consumer && left->is_notification == right->is_notification;
}

static Match
match_of (TsObjectType type)
{
  switch (type)
    {
    case TS_OBJECT_MUTEX:
    case TS_OBJECT_RECURSIVE_MUTEX:
      return MATCH_HOLDER;

    case TS_OBJECT_EVENT_FLAG:
    case TS_OBJECT_CONDVAR:
    case TS_OBJECT_POLL_SIGNAL:
      return MATCH_LAST;

    default:
      return MATCH_FIRST;
    }
}

static Resource *
find_resource (Matcher *self,
               guint32 object,
               gboolean is_notification)
{
  gsize number = object | (is_notification ? (gsize) 1 << 32 : 0);
  gpointer key = GSIZE_TO_POINTER (number);
  Resource *resource = g_hash_table_lookup (self->resources, key);
  const TsObject *info;

  if (resource != NULL)
    return resource;

  info = ts_recording_get_object (self->recording, object);
  resource = g_new0 (Resource, 1);
  resource->resource.object = object;
  resource->resource.is_notification = is_notification;
  resource->match
      = is_notification ? MATCH_LAST : match_of (info != NULL ? info->type : TS_OBJECT_NONE);
  resource->resource.has_depth = resource->match == MATCH_FIRST;
  resource->gives = g_array_new (FALSE, FALSE, sizeof (Give));
  if (resource->resource.has_depth && self->comms->n_buckets > 0)
    {
      resource->resource.depths = g_new (gint64, self->comms->n_buckets);
      for (guint i = 0; i < self->comms->n_buckets; i++)
        resource->resource.depths[i] = G_MININT64;
    }
  g_hash_table_insert (self->resources, key, resource);
  return resource;
}

static void
set_depth (Matcher *self,
           Resource *resource,
           gint64 time,
           gint64 change)
{
  gint64 *depths = resource->resource.depths;
  gint64 before = resource->depth;

  resource->depth += change;
  resource->least = MIN (resource->least, resource->depth);
  if (resource->depth > resource->resource.max_depth)
    {
      resource->resource.max_depth = resource->depth;
      resource->resource.max_depth_time = time;
    }
  if (depths != NULL)
    {
      guint bucket = (guint) ((time - self->comms->begin) / self->comms->bucket);

      bucket = MIN (bucket, self->comms->n_buckets - 1);
      if (depths[bucket] == G_MININT64)
        depths[bucket] = before;
      depths[bucket] = MAX (depths[bucket], resource->depth);
    }
}

/* Whether @actor waited for the object just before @time; a wait counts once. */
static gboolean
take_wait (Matcher *self,
           guint32 actor,
           guint32 object,
           Wait *wait)
{
  Wait *last = g_hash_table_lookup (self->waits, GUINT_TO_POINTER (actor));

  if (last == NULL || last->object != object || object == 0)
    return FALSE;
  *wait = *last;
  last->object = 0;
  return TRUE;
}

static void
add_transfer (Matcher *self,
              const Resource *resource,
              guint32 producer,
              guint32 consumer,
              gint64 time,
              gint64 given,
              gboolean is_blocked)
{
  TsPath key = { .producer = producer,
                 .resource = resource->resource.object,
                 .consumer = consumer,
                 .is_notification = resource->resource.is_notification };
  Path *path = g_hash_table_lookup (self->paths, &key);

  if (path == NULL)
    {
      path = g_new0 (Path, 1);
      path->path = key;
      path->path.max = -1;
      path->path.first = time;
      path->latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (self->paths, &path->path, path);
    }
  path->path.count++;
  path->path.n_blocked += is_blocked;
  path->path.last = time;
  if (given >= 0)
    {
      gint64 latency = time - given;

      if (latency > path->path.max)
        {
          path->path.max = latency;
          path->path.max_begin = given;
          path->path.max_end = time;
        }
      if (path->latencies->len < MAX_LATENCIES)
        g_array_append_val (path->latencies, latency);
    }
}

static void
tell (Matcher *self,
      const Resource *resource,
      const Give *given,
      guint32 actor,
      gint64 time)
{
  TsTransfer transfer = { .producer = given != NULL ? given->actor : 0,
                          .resource = resource->resource.object,
                          .consumer = actor,
                          .is_notification = resource->resource.is_notification,
                          .give_time = given != NULL ? given->time : -1,
                          .take_time = time };

  if (self->func != NULL)
    self->func (&transfer, self->user_data);
}

static void
give (Matcher *self,
      Resource *resource,
      guint32 actor,
      gint64 time)
{
  Give fresh = { time, actor };
  Wait wait;

  resource->resource.given++;
  resource->resource.blocked_gives += take_wait (self, actor, resource->resource.object, &wait);
  if (resource->match != MATCH_FIRST)
    {
      g_array_set_size (resource->gives, 0);
      resource->first = 0;
    }
  else
    {
      if (resource->gives->len - resource->first >= MAX_PENDING)
        resource->first++;
      if (resource->first >= 1024 && resource->first * 2 > resource->gives->len)
        {
          g_array_remove_range (resource->gives, 0, resource->first);
          resource->first = 0;
        }
      set_depth (self, resource, time, 1);
    }
  g_array_append_val (resource->gives, fresh);
}

static void
take (Matcher *self,
      Resource *resource,
      guint32 actor,
      gint64 time)
{
  const Give *given = resource->first < resource->gives->len
                          ? &g_array_index (resource->gives, Give, resource->first)
                          : NULL;
  Wait wait = { 0 };
  guint32 object = resource->resource.object;
  gboolean is_blocked = take_wait (self, actor, object, &wait);

  resource->resource.taken++;
  resource->resource.blocked_takes += is_blocked;
  tell (self, resource, given, actor, time);
  switch (resource->match)
    {
    case MATCH_FIRST:
      add_transfer (self, resource, given != NULL ? given->actor : 0, actor, time,
                    given != NULL ? given->time : -1, is_blocked);
      if (given != NULL)
        resource->first++;
      set_depth (self, resource, time, -1);
      break;

    case MATCH_LAST:
      add_transfer (self, resource, given != NULL ? given->actor : 0, actor, time,
                    given != NULL ? given->time : -1, is_blocked);
      break;

    case MATCH_HOLDER:
      /* The first give, by the kernel that makes the mutex, hands it to nobody. */
      if (given != NULL && given->actor != 0 && given->actor != actor)
        add_transfer (self, resource, given->actor, actor, time,
                      is_blocked && wait.begin <= given->time ? given->time : -1, is_blocked);
      break;

    default:
      break;
    }
}

static void
fail (Matcher *self,
      Resource *resource,
      guint32 actor,
      gboolean is_give)
{
  Wait wait;

  /* It waited, and in vain: the wait belongs to this. */
  take_wait (self, actor, resource->resource.object, &wait);
  if (is_give)
    resource->resource.failed_gives++;
  else
    resource->resource.failed_takes++;
}

static void
note_point (Matcher *self,
            const TsLaneInfo *lane,
            const TsSlice *slice)
{
  gboolean is_give = (slice->kind & TS_SLICE_START) != 0;

  switch (slice->kind & TS_SLICE_KIND_MASK)
    {
    case TS_EVENT_MUTEX:
      if (self->mutex_start_takes)
        is_give = !is_give;
      break;

    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_QUEUE:
    case TS_EVENT_EVENT_FLAG:
      break;

    case TS_EVENT_OP_FAILED:
      fail (self, find_resource (self, lane->object, FALSE), slice->arg, is_give);
      return;

    default:
      return;
    }

  if (is_give)
    give (self, find_resource (self, lane->object, FALSE), slice->arg, slice->begin);
  else
    take (self, find_resource (self, lane->object, FALSE), slice->arg, slice->begin);
}

static void
note_operation (Matcher *self,
                const TsOperation *operation)
{
  Resource *resource = find_resource (self, operation->object, operation->is_notification);

  if (operation->is_failed)
    fail (self, resource, operation->actor, operation->is_give);
  else if (operation->is_give)
    give (self, resource, operation->actor, operation->time);
  else
    take (self, resource, operation->actor, operation->time);
}

static void
note_wait (Matcher *self,
           const TsLaneInfo *lane,
           const TsSlice *slice)
{
  gpointer key = GUINT_TO_POINTER (lane->object);
  Wait *wait = g_hash_table_lookup (self->waits, key);

  if (wait == NULL)
    {
      wait = g_new (Wait, 1);
      g_hash_table_insert (self->waits, key, wait);
    }
  *wait = (Wait) { slice->state == TS_STATE_BLOCKED ? slice->arg : 0, slice->begin, slice->end };
}

static int
compare_paths (gconstpointer a,
               gconstpointer b)
{
  const TsPath *left = a;
  const TsPath *right = b;

  if (left->count != right->count)
    return left->count > right->count ? -1 : 1;
  if (left->resource != right->resource)
    return left->resource < right->resource ? -1 : 1;
  if (left->producer != right->producer)
    return left->producer < right->producer ? -1 : 1;
  return left->consumer < right->consumer ? -1 : left->consumer > right->consumer;
}

static int
compare_resources (gconstpointer a,
                   gconstpointer b)
{
  const TsResource *left = a;
  const TsResource *right = b;

  if (left->is_notification != right->is_notification)
    return left->is_notification ? 1 : -1;
  return left->object < right->object ? -1 : left->object > right->object;
}

/* Depths so far count from the begin of the range; nothing can be less than empty. */
static void
finish_resource (Matcher *self,
                 Resource *resource)
{
  TsResource *out = &resource->resource;

  if (out->has_depth)
    {
      gint64 depth = -resource->least;

      out->pending = resource->depth - resource->least;
      out->max_depth -= resource->least;
      for (guint i = 0; out->depths != NULL && i < self->comms->n_buckets; i++)
        {
          if (out->depths[i] == G_MININT64)
            out->depths[i] = depth;
          else
            depth = out->depths[i] -= resource->least;
        }
    }
  g_array_append_vals (self->comms->resources, out, 1);
}

static void
finish (Matcher *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Path *path = value;
      gint64 *latencies = (gint64 *) (gpointer) path->latencies->data;

      path->path.p50 = _ts_analysis_percentile (latencies, path->latencies->len, 50);
      path->path.p99 = _ts_analysis_percentile (latencies, path->latencies->len, 99);
      g_array_append_vals (self->comms->paths, &path->path, 1);
    }
  g_hash_table_iter_init (&iter, self->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    finish_resource (self, value);
  g_array_sort (self->comms->paths, compare_paths);
  g_array_sort (self->comms->resources, compare_resources);
}

/* FALSE if it takes too long. */
static gboolean
walk (Matcher *self,
      const GArray *operations,
      GCancellable *cancellable)
{
  gint64 deadline_us = g_get_monotonic_time () + TS_QUERY_LIMIT_US;
  TsSliceMerge *merge
      = _ts_slice_merge_new (self->recording, self->comms->begin, self->comms->end);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  const TsLaneInfo *lane;
  const TsSlice *slice;
  guint at = 0;
  guint n = 0;

  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_OBJECT && (self->only == 0 || lanes[i].object == self->only))
      _ts_slice_merge_add (merge, lanes[i].id);
    else if (lanes[i].kind == TS_LANE_TASK && self->only == 0)
      _ts_slice_merge_add_states (merge, lanes[i].id,
                                  1u << TS_STATE_BLOCKED | 1u << TS_STATE_SLEEPING
                                      | 1u << TS_STATE_SUSPENDED);

  while ((slice = _ts_slice_merge_next (merge, &lane)) != NULL)
    {
      if (++n % 65536 == 0
          && (g_cancellable_is_cancelled (cancellable) || g_get_monotonic_time () > deadline_us))
        break;
      while (at < operations->len
             && g_array_index (operations, TsOperation, at).time < slice->end)
        note_operation (self, &g_array_index (operations, TsOperation, at++));
      if (lane->kind == TS_LANE_OBJECT)
        note_point (self, lane, slice);
      else
        note_wait (self, lane, slice);
    }
  while (at < operations->len)
    note_operation (self, &g_array_index (operations, TsOperation, at++));
  _ts_slice_merge_free (merge);
  return slice == NULL;
}

static TsComms *
match (TsRecording *recording,
       gint64 begin,
       gint64 end,
       gint64 bucket,
       guint32 only,
       TsTransferFunc func,
       gpointer user_data,
       GCancellable *cancellable,
       GError **error)
{
  g_autoptr (TsComms) comms = NULL;
  g_autoptr (GArray) operations = NULL;
  Matcher self = { .recording = recording, .only = only, .func = func, .user_data = user_data };
  gboolean is_complete;

  begin = MAX (begin, 0);
  end = MAX (MIN (end, ts_recording_get_duration (recording) + 1), begin);
  operations = _ts_comms_read_operations (recording, begin, end, cancellable, error);
  if (operations == NULL)
    return NULL;

  comms = g_new0 (TsComms, 1);
  comms->begin = begin;
  comms->end = end;
  comms->bucket = MAX (bucket, 0);
  comms->n_buckets
      = bucket > 0 ? (guint) MIN ((end - begin + bucket - 1) / bucket, G_MAXUINT32 / 2) : 0;
  comms->paths = g_array_new (FALSE, FALSE, sizeof (TsPath));
  comms->resources = g_array_new (FALSE, FALSE, sizeof (TsResource));

  self.comms = comms;
  self.mutex_start_takes = _ts_analysis_mutex_start_takes (recording);
  self.resources = g_hash_table_new_full (NULL, NULL, NULL, resource_free);
  self.paths = g_hash_table_new_full (path_hash, path_equal, NULL, path_free);
  self.waits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  is_complete = walk (&self, operations, cancellable);
  finish (&self);
  g_hash_table_unref (self.resources);
  g_hash_table_unref (self.paths);
  g_hash_table_unref (self.waits);

  if (!_ts_query_check_cancelled (cancellable, error))
    return NULL;
  if (!is_complete)
    {
      g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
                           _("The window holds more than can be looked through in time; narrow it "
                             "with --t-start-us and --t-end-us."));
      return NULL;
    }
  return g_steal_pointer (&comms);
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
 * Finds the take of a give, or the give of a take, by the rules of #TsPath: from the begin of the
 * recording, since what a take gets depends on all that was given before.
 *
 * Cost: some 50 ns for each operation on @object; with notifications or stream buffers a scan of
 *   the rows too
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
  g_autoptr (TsComms) comms = NULL;
  Finding finding = { object, consumer, time, is_give, FALSE, transfer };

  g_return_val_if_fail (TS_IS_RECORDING (recording) && transfer != NULL, FALSE);
  g_return_val_if_fail (object != 0, FALSE);

  comms = match (recording, 0, ts_recording_get_duration (recording) + 1, 0, object,
                 note_transfer, &finding, cancellable, error);
  return comms != NULL && finding.is_found;
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
 * Finds who gave what to whom in the range. Definitions: #TsPath, #TsResource.
 *
 * Cost: some 50 ns a slice of tasks and objects; with notifications or stream buffers a scan of
 *   the rows too
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

  return match (recording, begin, end, bucket, 0, NULL, NULL, cancellable, error);
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
