/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-match.c: matching gives and takes, as they go by in order of time. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-comms-private.h"
#include "ts-lane-figures-private.h"

/* Gives that wait for their take; older ones are forgotten. */
#define MAX_PENDING 65536

static void
resource_free (gpointer data)
{
  TsMatchedResource *resource = data;

  g_array_unref (resource->gives);
  g_free (resource->resource.depths);
  g_free (resource);
}

static void
path_free (gpointer data)
{
  TsMatchedPath *path = data;

  g_clear_pointer (&path->latencies, g_array_unref);
  g_free (path->buckets);
  g_free (path);
}

guint
_ts_comms_path_hash (gconstpointer key)
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

/* Gives @self its tables; everything else is the caller's to set. */
void
_ts_matcher_init (TsMatcher *self)
{
  self->resources = g_hash_table_new_full (NULL, NULL, NULL, resource_free);
  self->paths = g_hash_table_new_full (_ts_comms_path_hash, path_equal, NULL, path_free);
  self->waits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
}

void
_ts_matcher_clear (TsMatcher *self)
{
  g_clear_pointer (&self->resources, g_hash_table_unref);
  g_clear_pointer (&self->paths, g_hash_table_unref);
  g_clear_pointer (&self->waits, g_hash_table_unref);
}

TsMatch
_ts_match_of (TsObjectType type)
{
  switch (type)
    {
    case TS_OBJECT_MUTEX:
    case TS_OBJECT_RECURSIVE_MUTEX:
      return TS_MATCH_HOLDER;

    case TS_OBJECT_EVENT_FLAG:
    case TS_OBJECT_CONDVAR:
    case TS_OBJECT_POLL_SIGNAL:
      return TS_MATCH_LAST;

    default:
      return TS_MATCH_FIRST;
    }
}

TsMatchedResource *
_ts_matcher_find_resource (TsMatcher *self,
                           guint32 object,
                           gboolean is_notification)
{
  gsize number = object | (is_notification ? (gsize) 1 << 32 : 0);
  gpointer key = GSIZE_TO_POINTER (number);
  TsMatchedResource *resource = g_hash_table_lookup (self->resources, key);

  if (resource != NULL)
    return resource;

  resource = g_new0 (TsMatchedResource, 1);
  resource->resource.object = object;
  resource->resource.is_notification = is_notification;
  resource->match
      = is_notification ? TS_MATCH_LAST : _ts_match_of (self->get_type (object, self->types));
  resource->resource.has_depth = resource->match == TS_MATCH_FIRST;
  resource->resource.max_depth_time = self->begin;
  resource->gives = g_array_new (FALSE, FALSE, sizeof (TsGive));
  if (resource->resource.has_depth && self->n_buckets > 0)
    {
      resource->resource.depths = g_new (gint64, self->n_buckets);
    }
  g_hash_table_insert (self->resources, key, resource);
  return resource;
}

/* The path with the giver, object and taker of @key; a new one has nothing but these. */
TsMatchedPath *
_ts_matcher_find_path (TsMatcher *self,
                       const TsPath *key)
{
  TsMatchedPath *path = g_hash_table_lookup (self->paths, key);

  if (path != NULL)
    return path;

  path = g_new0 (TsMatchedPath, 1);
  path->path = (TsPath){ .producer = key->producer,
                         .resource = key->resource,
                         .consumer = key->consumer,
                         .is_notification = key->is_notification,
                         .max = -1 };
  if (self->is_exact)
    path->latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_hash_table_insert (self->paths, &path->path, path);
  return path;
}

/**
 * _ts_matcher_begin:
 * @self: a matcher
 * @time: first tick that counts
 *
 * What goes by from now on is counted; depths begin as they are.
 */
void
_ts_matcher_begin (TsMatcher *self,
                   gint64 time)
{
  GHashTableIter iter;
  gpointer value;

  self->is_counting = TRUE;
  self->begin = time;
  g_hash_table_iter_init (&iter, self->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      TsMatchedResource *resource = value;

      resource->resource.max_depth = resource->depth;
      resource->resource.max_depth_time = time;
    }
}

/**
 * _ts_comms_note_depth:
 * @depths: (array): the most in each bucket
 * @n_filled: (inout): buckets that have a figure
 * @bucket: where something happens now; it is no earlier than the one before
 * @before: the depth until then
 * @depth: the depth from then on
 */
void
_ts_comms_note_depth (gint64 *depths,
                      guint *n_filled,
                      guint bucket,
                      gint64 before,
                      gint64 depth)
{
  /* What was there when the last one ended is there in the next ones, until something happens. */
  while (*n_filled <= bucket)
    depths[(*n_filled)++] = before;
  depths[bucket] = MAX (depths[bucket], depth);
}

static void
set_depth (TsMatcher *self,
           TsMatchedResource *resource,
           gint64 time,
           gint64 change)
{
  gint64 *depths = resource->resource.depths;
  gint64 before = resource->depth;

  resource->depth += change;
  resource->least = MIN (resource->least, resource->depth);
  if (!self->is_counting)
    return;
  if (resource->depth > resource->resource.max_depth)
    {
      resource->resource.max_depth = resource->depth;
      resource->resource.max_depth_time = time;
    }
  if (depths != NULL)
    {
      guint bucket = (guint) ((time - self->begin) / self->bucket);

      _ts_comms_note_depth (depths, &resource->n_filled, MIN (bucket, self->n_buckets - 1), before,
                            resource->depth);
    }
}

/* Whether @actor waited for the object just before; a wait counts once. */
static gboolean
take_wait (TsMatcher *self,
           guint32 actor,
           guint32 object,
           TsMatchWait *wait)
{
  TsMatchWait *last = g_hash_table_lookup (self->waits, GUINT_TO_POINTER (actor));

  if (last == NULL || last->object != object || object == 0)
    return FALSE;
  *wait = *last;
  last->object = 0;
  return TRUE;
}

/* A bucket and how many lie in it, in one number, in order of buckets. */
#define COUNT_BITS 48
#define MAX_COUNT (((guint64) 1 << COUNT_BITS) - 1)

G_STATIC_ASSERT (TS_N_BUCKETS <= 1 << (64 - COUNT_BITS));

static guint
packed_bucket (guint64 packed)
{
  return (guint) (packed >> COUNT_BITS);
}

/* Most paths have few: room grows by a quarter, to sizes that malloc() has without waste. */
static void
make_room (TsMatchedPath *path,
           guint at)
{
  if (path->n_buckets == path->n_allocated)
    {
      path->n_allocated = (path->n_allocated + path->n_allocated / 4 + 2) | 1;
      path->buckets = g_renew (guint64, path->buckets, path->n_allocated);
    }
  memmove (path->buckets + at + 1, path->buckets + at,
           (path->n_buckets - at) * sizeof *path->buckets);
  path->n_buckets++;
}

/**
 * _ts_matched_buckets_add:
 * @path: a path
 * @bucket: one of %TS_N_BUCKETS
 * @count: so many more lie in it; no more than 2^48 are counted
 */
void
_ts_matched_buckets_add (TsMatchedPath *path,
                         guint bucket,
                         guint64 count)
{
  guint64 before = 0;
  guint low = 0;
  guint high = path->n_buckets;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (packed_bucket (path->buckets[middle]) < bucket)
        low = middle + 1;
      else
        high = middle;
    }
  if (low < path->n_buckets && packed_bucket (path->buckets[low]) == bucket)
    before = path->buckets[low] & MAX_COUNT;
  else
    make_room (path, low);
  path->buckets[low] = (guint64) bucket << COUNT_BITS | MIN (before + count, MAX_COUNT);
}

/**
 * _ts_matched_buckets_unpack:
 * @path: a path
 * @counts: (element-type TsBucketCount): gets its buckets in place of what it holds
 */
void
_ts_matched_buckets_unpack (const TsMatchedPath *path,
                            GArray *counts)
{
  g_array_set_size (counts, path->n_buckets);
  for (guint i = 0; i < path->n_buckets; i++)
    g_array_index (counts, TsBucketCount, i)
        = (TsBucketCount){ packed_bucket (path->buckets[i]), 0, path->buckets[i] & MAX_COUNT };
}

/* The duration that @percent of all do not exceed, within 1 %; -1 if there are none. */
gint64
_ts_matched_buckets_percentile (const TsMatchedPath *path,
                                guint percent)
{
  guint64 n = 0;
  guint64 rank;

  for (guint i = 0; i < path->n_buckets; i++)
    n += path->buckets[i] & MAX_COUNT;
  if (n == 0)
    return -1;

  rank = (guint64) (((__int128) n * percent + 99) / 100);
  for (guint i = 0; i < path->n_buckets; i++)
    {
      guint64 count = path->buckets[i] & MAX_COUNT;

      if (count >= rank)
        return MIN (_ts_bucket_middle (packed_bucket (path->buckets[i])), path->path.max);
      rank -= count;
    }
  return path->path.max;
}

static void
add_transfer (TsMatcher *self,
              const TsMatchedResource *resource,
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
  TsMatchedPath *path;

  if (!self->is_counting)
    return;

  path = _ts_matcher_find_path (self, &key);
  if (path->path.count++ == 0)
    path->path.first = time;
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
      if (path->latencies != NULL)
        g_array_append_val (path->latencies, latency);
      else
        _ts_matched_buckets_add (path, _ts_bucket_of (latency), 1);
    }
}

static void
tell (TsMatcher *self,
      const TsMatchedResource *resource,
      const TsGive *given,
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
give (TsMatcher *self,
      TsMatchedResource *resource,
      guint32 actor,
      gint64 time)
{
  TsGive fresh = { time, actor };
  TsMatchWait wait;
  gboolean is_blocked = take_wait (self, actor, resource->resource.object, &wait);

  if (self->is_counting)
    {
      resource->is_counted = TRUE;
      resource->resource.given++;
      resource->resource.blocked_gives += is_blocked;
    }
  if (resource->match != TS_MATCH_FIRST)
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
take (TsMatcher *self,
      TsMatchedResource *resource,
      guint32 actor,
      gint64 time)
{
  const TsGive *given = resource->first < resource->gives->len
                            ? &g_array_index (resource->gives, TsGive, resource->first)
                            : NULL;
  TsMatchWait wait = { 0 };
  gboolean is_blocked = take_wait (self, actor, resource->resource.object, &wait);

  if (self->is_counting)
    {
      resource->is_counted = TRUE;
      resource->resource.taken++;
      resource->resource.blocked_takes += is_blocked;
    }
  tell (self, resource, given, actor, time);
  switch (resource->match)
    {
    case TS_MATCH_FIRST:
      add_transfer (self, resource, given != NULL ? given->actor : 0, actor, time,
                    given != NULL ? given->time : -1, is_blocked);
      if (given != NULL)
        resource->first++;
      set_depth (self, resource, time, -1);
      break;

    case TS_MATCH_LAST:
      add_transfer (self, resource, given != NULL ? given->actor : 0, actor, time,
                    given != NULL ? given->time : -1, is_blocked);
      break;

    case TS_MATCH_HOLDER:
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
fail (TsMatcher *self,
      TsMatchedResource *resource,
      guint32 actor,
      gboolean is_give)
{
  TsMatchWait wait;

  /* It waited, and in vain: the wait belongs to this. */
  take_wait (self, actor, resource->resource.object, &wait);
  if (!self->is_counting)
    return;
  resource->is_counted = TRUE;
  if (is_give)
    resource->resource.failed_gives++;
  else
    resource->resource.failed_takes++;
}

/* An operation, as the lane of an object shows it. */
void
_ts_matcher_point (TsMatcher *self,
                   guint32 object,
                   const TsSlice *slice)
{
  guint kind = slice->kind & TS_SLICE_KIND_MASK;
  gboolean is_give = (slice->kind & TS_SLICE_START) != 0;
  TsMatchedResource *resource;

  if (!_ts_match_is_act (kind))
    return;

  resource = _ts_matcher_find_resource (self, object, FALSE);
  if (kind == TS_EVENT_MUTEX && self->mutex_start_takes)
    is_give = !is_give;
  if (kind == TS_EVENT_OP_FAILED)
    fail (self, resource, slice->arg, is_give);
  else if (is_give)
    give (self, resource, slice->arg, slice->begin);
  else
    take (self, resource, slice->arg, slice->begin);
}

/* An operation that no lane shows. */
void
_ts_matcher_operation (TsMatcher *self,
                       const TsOperation *operation)
{
  TsMatchedResource *resource
      = _ts_matcher_find_resource (self, operation->object, operation->is_notification);

  if (operation->is_failed)
    fail (self, resource, operation->actor, operation->is_give);
  else if (operation->is_give)
    give (self, resource, operation->actor, operation->time);
  else
    take (self, resource, operation->actor, operation->time);
}

/* A wait of a task that is over. */
void
_ts_matcher_wait (TsMatcher *self,
                  guint32 task,
                  const TsSlice *slice)
{
  gpointer key = GUINT_TO_POINTER (task);
  TsMatchWait *wait = g_hash_table_lookup (self->waits, key);

  if (wait == NULL)
    {
      wait = g_new (TsMatchWait, 1);
      g_hash_table_insert (self->waits, key, wait);
    }
  *wait = (TsMatchWait){ slice->state == TS_STATE_BLOCKED ? slice->arg : 0, slice->begin,
                         slice->end };
}
