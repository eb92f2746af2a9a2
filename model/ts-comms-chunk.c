/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-chunk.c: a stretch of matched operations as bytes, and back. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-comms-private.h"
#include "ts-lane-figures-private.h"

#define VERSION 1
/* What any number is below, so that sums of many chunks cannot overflow; only damage has others. */
#define MAX_NUMBER ((guint64) 1 << 60)
#define MAX_COUNT ((guint64) 1 << 44)

/* ---- writing ---- */

static void
encode_path (TsPackWriter *writer,
             const TsMatchedPath *matched,
             gint64 begin,
             GArray *counts)
{
  const TsPath *path = &matched->path;

  _ts_pack_uint (writer, path->producer);
  _ts_pack_uint (writer, path->resource);
  _ts_pack_uint (writer, path->consumer);
  _ts_pack_uint (writer, path->is_notification != FALSE);
  _ts_pack_uint (writer, path->count);
  _ts_pack_uint (writer, path->n_blocked);
  _ts_pack_int (writer, path->first - begin);
  _ts_pack_int (writer, path->last - path->first);
  _ts_pack_int (writer, path->max);
  if (path->max >= 0)
    _ts_pack_int (writer, path->max_begin - begin);
  _ts_matched_buckets_unpack (matched, counts);
  _ts_bucket_counts_encode (writer, counts, FALSE);
}

static void
encode_sums (TsPackWriter *writer,
             const TsMatchedResource *matched,
             gint64 begin)
{
  const TsResource *resource = &matched->resource;

  _ts_pack_uint (writer, resource->object);
  _ts_pack_uint (writer, resource->is_notification != FALSE);
  _ts_pack_uint (writer, resource->given);
  _ts_pack_uint (writer, resource->taken);
  _ts_pack_uint (writer, resource->failed_gives);
  _ts_pack_uint (writer, resource->failed_takes);
  _ts_pack_uint (writer, resource->blocked_gives);
  _ts_pack_uint (writer, resource->blocked_takes);
  _ts_pack_int (writer, resource->max_depth);
  _ts_pack_int (writer, resource->max_depth_time - begin);
}

static void
encode_state (TsPackWriter *writer,
              const TsMatchedResource *matched,
              gint64 begin)
{
  guint n = matched->gives->len - matched->first;
  const TsGive *gives = (const TsGive *) (gpointer) matched->gives->data + matched->first;
  g_autofree guint64 *run = g_new (guint64, MAX (n, 1));

  _ts_pack_uint (writer, matched->resource.object);
  _ts_pack_uint (writer, matched->resource.is_notification != FALSE);
  _ts_pack_int (writer, matched->depth);
  _ts_pack_int (writer, matched->least);
  _ts_pack_uint (writer, n);
  if (n == 0)
    return;
  _ts_pack_int (writer, gives[0].time - begin);
  for (guint i = 1; i < n; i++)
    run[i] = (guint64) MAX (gives[i].time - gives[i - 1].time, 0);
  run[0] = 0;
  _ts_pack_run (writer, run, n);
  for (guint i = 0; i < n; i++)
    run[i] = gives[i].actor;
  _ts_pack_run (writer, run, n);
}

static void
encode_wait (TsPackWriter *writer,
             guint32 task,
             const TsMatchWait *wait,
             gint64 begin)
{
  _ts_pack_uint (writer, task);
  _ts_pack_uint (writer, wait->object);
  _ts_pack_int (writer, wait->begin - begin);
  _ts_pack_int (writer, wait->end - wait->begin);
}

static void
encode_paths (TsPackWriter *writer,
              TsMatcher *matcher,
              gint64 begin)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (TsBucketCount));
  GHashTableIter iter;
  gpointer value;

  _ts_pack_uint (writer, VERSION);
  _ts_pack_uint (writer, g_hash_table_size (matcher->paths));
  g_hash_table_iter_init (&iter, matcher->paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    encode_path (writer, value, begin, counts);
}

/**
 * _ts_comms_paths_encode:
 * @matcher: paths, of which buckets are kept
 * @begin: none of them has anything before it
 *
 * What _ts_comms_chunk_decode() takes for %TS_CHUNK_PATHS: a tenth of what the paths take in memory.
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
_ts_comms_paths_encode (TsMatcher *matcher,
                        gint64 begin)
{
  TsPackWriter writer = { g_byte_array_sized_new (1024), 0, 0 };

  encode_paths (&writer, matcher, begin);
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

/**
 * _ts_comms_chunk_encode:
 * @matcher: what was counted since @begin, and the state now
 * @late: (element-type TsLateWait): waits that were over before @begin
 * @begin: first tick of the chunk
 *
 * Returns: (transfer full): the bytes to store
 */
GBytes *
_ts_comms_chunk_encode (TsMatcher *matcher,
                        const GArray *late,
                        gint64 begin)
{
  TsPackWriter writer = { g_byte_array_sized_new (1024), 0, 0 };
  GHashTableIter iter;
  gpointer key;
  gpointer value;
  guint n_counted = 0;

  encode_paths (&writer, matcher, begin);
  g_hash_table_iter_init (&iter, matcher->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    n_counted += ((TsMatchedResource *) value)->is_counted;
  _ts_pack_uint (&writer, n_counted);
  g_hash_table_iter_init (&iter, matcher->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((TsMatchedResource *) value)->is_counted)
      encode_sums (&writer, value, begin);

  _ts_pack_uint (&writer, g_hash_table_size (matcher->resources));
  g_hash_table_iter_init (&iter, matcher->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    encode_state (&writer, value, begin);

  _ts_pack_uint (&writer, g_hash_table_size (matcher->waits));
  g_hash_table_iter_init (&iter, matcher->waits);
  while (g_hash_table_iter_next (&iter, &key, &value))
    encode_wait (&writer, GPOINTER_TO_UINT (key), value, begin);

  _ts_pack_uint (&writer, late->len);
  for (guint i = 0; i < late->len; i++)
    {
      const TsLateWait *one = &g_array_index (late, TsLateWait, i);

      encode_wait (&writer, one->task, &one->wait, begin);
    }
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

/* ---- reading ---- */

typedef struct
{
  TsPackReader reader;
  gint64 begin;
  TsMatcher *into;
  TsChunkParts parts;
  guint64 n_gives; /* so far */
} Decoder;

static guint64
take_number (Decoder *self,
             guint64 limit)
{
  guint64 value = _ts_unpack_uint (&self->reader);

  if (value >= limit)
    self->reader.is_bad = TRUE;
  return self->reader.is_bad ? 0 : value;
}

static gint64
take_signed (Decoder *self)
{
  return _ts_unzigzag (take_number (self, MAX_NUMBER));
}

/* How many things follow: no more than there are bits for. */
static guint
take_length (Decoder *self)
{
  guint64 n_left = (guint64) (self->reader.end - self->reader.next) * 8 + 64;

  return (guint) take_number (self, MIN (n_left + 1, G_MAXINT32));
}

/* A run of @n numbers; %NULL if it is damaged. */
static guint64 *
take_run (Decoder *self,
          guint n)
{
  guint64 *run = g_new (guint64, MAX (n, 1));

  if (n == 0 || _ts_unpack_run (&self->reader, run, n) == n)
    return run;
  self->reader.is_bad = TRUE;
  g_free (run);
  return NULL;
}

/* As long as a run of one repeated number, a run costs few bits: its length is believed up to
 * @limit only. */
static guint
take_run_length (Decoder *self,
                 guint limit)
{
  return (guint) take_number (self, (guint64) limit + 1);
}

static void
decode_path (Decoder *self)
{
  gboolean is_wanted = (self->parts & TS_CHUNK_PATHS) != 0;
  TsPath path = { .producer = (guint32) take_number (self, G_MAXUINT32),
                  .resource = (guint32) take_number (self, G_MAXUINT32),
                  .consumer = (guint32) take_number (self, G_MAXUINT32),
                  .is_notification = take_number (self, 2) != 0 };
  TsMatchedPath *matched = NULL;
  g_autofree guint64 *buckets = NULL;
  g_autofree guint64 *counts = NULL;
  guint64 bucket = 0;
  guint n;

  path.count = take_number (self, MAX_COUNT);
  path.n_blocked = take_number (self, MAX_COUNT);
  path.first = self->begin + take_signed (self);
  path.last = path.first + take_signed (self);
  path.max = take_signed (self);
  path.max_begin = path.max >= 0 ? self->begin + take_signed (self) : 0;
  path.max_end = path.max_begin + MAX (path.max, 0);
  n = take_run_length (self, TS_N_BUCKETS);
  buckets = take_run (self, n);
  counts = take_run (self, n);
  if (self->reader.is_bad || !is_wanted || path.count == 0
      || (self->into->n_shares > 1
          && _ts_comms_path_hash (&path) % self->into->n_shares != self->into->share))
    return;

  /* they come in any order */
  matched = _ts_matcher_find_path (self->into, &path);
  if (matched->path.count == 0 || path.first < matched->path.first)
    matched->path.first = path.first;
  if (matched->path.count == 0 || path.last > matched->path.last)
    matched->path.last = path.last;
  matched->path.count += path.count;
  matched->path.n_blocked += path.n_blocked;
  if (path.max > matched->path.max
      || (path.max == matched->path.max && path.max_begin < matched->path.max_begin))
    {
      matched->path.max = path.max;
      matched->path.max_begin = path.max_begin;
      matched->path.max_end = path.max_end;
    }
  for (guint i = 0; i < n; i++)
    {
      bucket += MIN (buckets[i], TS_N_BUCKETS);
      if (bucket < TS_N_BUCKETS && counts[i] < MAX_COUNT)
        _ts_matched_buckets_add (matched, (guint) bucket, counts[i]);
    }
}

static void
decode_sums (Decoder *self)
{
  guint32 object = (guint32) take_number (self, G_MAXUINT32);
  gboolean is_notification = take_number (self, 2) != 0;
  guint64 counts[6];
  gint64 max_depth;
  gint64 max_depth_time;
  TsMatchedResource *matched;

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    counts[i] = take_number (self, MAX_COUNT);
  max_depth = take_signed (self);
  max_depth_time = self->begin + take_signed (self);
  if (self->reader.is_bad || (self->parts & TS_CHUNK_COUNTS) == 0)
    return;

  matched = _ts_matcher_find_resource (self->into, object, is_notification);
  matched->is_counted = TRUE;
  matched->resource.given += counts[0];
  matched->resource.taken += counts[1];
  matched->resource.failed_gives += counts[2];
  matched->resource.failed_takes += counts[3];
  matched->resource.blocked_gives += counts[4];
  matched->resource.blocked_takes += counts[5];
  if (max_depth > matched->resource.max_depth)
    {
      matched->resource.max_depth = max_depth;
      matched->resource.max_depth_time = max_depth_time;
    }
}

static void
decode_state (Decoder *self)
{
  guint32 object = (guint32) take_number (self, G_MAXUINT32);
  gboolean is_notification = take_number (self, 2) != 0;
  gint64 depth = take_signed (self);
  gint64 least = take_signed (self);
  guint n = take_run_length (self, 1 << 17);
  g_autofree guint64 *times = NULL;
  g_autofree guint64 *actors = NULL;
  TsMatchedResource *matched;
  gint64 time;

  time = n > 0 ? self->begin + take_signed (self) : 0;
  self->n_gives += n;
  if (self->n_gives > TS_CHUNK_MAX_GIVES)
    self->reader.is_bad = TRUE;
  if (n > 0 && !self->reader.is_bad)
    {
      times = take_run (self, n);
      actors = take_run (self, n);
    }
  if (self->reader.is_bad || (self->parts & TS_CHUNK_STATE) == 0)
    return;

  matched = _ts_matcher_find_resource (self->into, object, is_notification);
  matched->depth = depth;
  matched->least = MIN (least, 0);
  matched->first = 0;
  g_array_set_size (matched->gives, 0);
  for (guint i = 0; i < n; i++)
    {
      TsGive give;

      time += (gint64) MIN (times[i], MAX_NUMBER);
      give = (TsGive){ MIN (time, (gint64) MAX_NUMBER), (guint32) actors[i] };
      time = give.time;
      g_array_append_val (matched->gives, give);
    }
}

static void
decode_wait (Decoder *self,
             TsChunkParts part)
{
  guint32 task = (guint32) take_number (self, G_MAXUINT32);
  guint32 object = (guint32) take_number (self, G_MAXUINT32);
  gint64 begin = self->begin + take_signed (self);
  gint64 end = begin + take_signed (self);

  if (!self->reader.is_bad && (self->parts & part) != 0
      && (part != TS_CHUNK_LATE || end <= self->into->late_until))
    {
      TsSlice slice
          = { .begin = begin, .end = end, .arg = object, .state = TS_STATE_BLOCKED };

      _ts_matcher_wait (self->into, task, &slice);
    }
}

/**
 * _ts_comms_chunk_decode:
 * @data: any bytes
 * @n_bytes: how many
 * @begin: first tick of the chunk
 * @parts: what of it is wanted
 * @into: gets it
 *
 * Returns: %FALSE if the bytes are damaged; @into is worth nothing then
 */
gboolean
_ts_comms_chunk_decode (gconstpointer data,
                        gsize n_bytes,
                        gint64 begin,
                        TsChunkParts parts,
                        TsMatcher *into)
{
  Decoder self = { { data, (const guint8 *) data + n_bytes, 0, 0, FALSE }, begin, into, parts, 0 };
  guint n;

  if (n_bytes == 0 || begin < 0 || begin >= (gint64) MAX_NUMBER
      || _ts_unpack_uint (&self.reader) != VERSION)
    return FALSE;

  n = take_length (&self);
  for (guint i = 0; i < n && !self.reader.is_bad; i++)
    decode_path (&self);
  if (parts == TS_CHUNK_PATHS)
    return !self.reader.is_bad;

  n = take_length (&self);
  for (guint i = 0; i < n && !self.reader.is_bad; i++)
    decode_sums (&self);
  if ((parts & (TS_CHUNK_STATE | TS_CHUNK_LATE)) == 0)
    return !self.reader.is_bad;

  n = take_length (&self);
  if ((parts & TS_CHUNK_STATE) != 0)
    g_hash_table_remove_all (into->waits);
  for (guint i = 0; i < n && !self.reader.is_bad; i++)
    decode_state (&self);
  n = take_length (&self);
  for (guint i = 0; i < n && !self.reader.is_bad; i++)
    decode_wait (&self, TS_CHUNK_STATE);
  n = take_length (&self);
  for (guint i = 0; i < n && !self.reader.is_bad; i++)
    decode_wait (&self, TS_CHUNK_LATE);
  return !self.reader.is_bad;
}
