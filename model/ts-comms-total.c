/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-total.c: from what was matched to an answer; the answer for a whole recording as bytes. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-comms-private.h"
#include "ts-lane-figures-private.h"

#define VERSION 1
#define MAX_NUMBER ((guint64) 1 << 60)

/* Without anything; ts_comms_free(). */
TsComms *
_ts_comms_alloc (void)
{
  TsComms *comms = g_new0 (TsComms, 1);

  comms->paths = g_array_new (FALSE, FALSE, sizeof (TsPath));
  comms->resources = g_array_new (FALSE, FALSE, sizeof (TsResource));
  return comms;
}

/* ---- finishing ---- */

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

/* Depths so far count from the begin of the recording; nothing can be less than empty. */
static void
finish_resource (TsComms *comms,
                 TsMatchedResource *matched)
{
  TsResource *out = &matched->resource;

  if (!matched->is_counted)
    return;
  if (out->has_depth)
    {
      out->pending = matched->depth - matched->least;
      out->max_depth -= matched->least;
      if (out->depths != NULL)
        {
          _ts_comms_note_depth (out->depths, &matched->n_filled, comms->n_buckets - 1,
                                matched->depth, matched->depth);
          for (guint i = 0; i < comms->n_buckets; i++)
            out->depths[i] -= matched->least;
        }
    }
  g_array_append_vals (comms->resources, out, 1);
  out->depths = NULL;
}

static void
finish_path (TsComms *comms,
             TsMatchedPath *matched)
{
  TsPath *path = &matched->path;

  if (matched->latencies != NULL)
    {
      gint64 *latencies = (gint64 *) (gpointer) matched->latencies->data;

      path->p50 = _ts_analysis_percentile (latencies, matched->latencies->len, 50);
      path->p99 = _ts_analysis_percentile (latencies, matched->latencies->len, 99);
    }
  else
    {
      path->p50 = _ts_matched_buckets_percentile (matched, 50);
      path->p99 = _ts_matched_buckets_percentile (matched, 99);
    }
  g_array_append_vals (comms->paths, path, 1);
}

/**
 * _ts_comms_finish_paths:
 * @comms: gets the paths
 * @matcher: has them, and none of them afterwards
 */
void
_ts_comms_finish_paths (TsComms *comms,
                        TsMatcher *matcher)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, matcher->paths);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    finish_path (comms, value);
  g_hash_table_remove_all (matcher->paths);
}

/* In how many shares the paths of so many bytes are added up. */
guint
_ts_comms_count_shares (gint64 n_bytes,
                        gint64 bytes_per_share)
{
  return (guint) CLAMP (n_bytes / bytes_per_share + 1, 1, TS_COMMS_MAX_SHARES);
}

static void
finish_resources (TsComms *comms,
                  TsMatcher *matcher)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, matcher->resources);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    finish_resource (comms, value);
}

/**
 * _ts_comms_finish:
 * @comms: an answer with its range and buckets only
 * @matcher: what was counted in it, and the state at its end
 */
void
_ts_comms_finish (TsComms *comms,
                  TsMatcher *matcher)
{
  comms->is_exact = matcher->is_exact;
  _ts_comms_finish_paths (comms, matcher);
  finish_resources (comms, matcher);
  g_array_sort (comms->paths, compare_paths);
  g_array_sort (comms->resources, compare_resources);
}

/* ---- a whole recording ---- */

static GBytes *
encode (const TsComms *comms)
{
  TsPackWriter writer = { g_byte_array_sized_new (4096), 0, 0 };

  _ts_pack_uint (&writer, VERSION);
  _ts_pack_uint (&writer, comms->paths->len);
  for (guint i = 0; i < comms->paths->len; i++)
    {
      const TsPath *path = &g_array_index (comms->paths, TsPath, i);

      _ts_pack_uint (&writer, path->producer);
      _ts_pack_uint (&writer, path->resource);
      _ts_pack_uint (&writer, path->consumer);
      _ts_pack_uint (&writer, path->is_notification != FALSE);
      _ts_pack_uint (&writer, path->count);
      _ts_pack_uint (&writer, path->n_blocked);
      _ts_pack_int (&writer, path->first);
      _ts_pack_int (&writer, path->last - path->first);
      _ts_pack_int (&writer, path->max);
      if (path->max < 0)
        continue;
      _ts_pack_int (&writer, path->max_begin);
      _ts_pack_int (&writer, path->p50);
      _ts_pack_int (&writer, path->p99);
    }
  _ts_pack_uint (&writer, comms->resources->len);
  for (guint i = 0; i < comms->resources->len; i++)
    {
      const TsResource *resource = &g_array_index (comms->resources, TsResource, i);

      _ts_pack_uint (&writer, resource->object);
      _ts_pack_uint (&writer, resource->is_notification != FALSE);
      _ts_pack_uint (&writer, resource->has_depth != FALSE);
      _ts_pack_uint (&writer, resource->given);
      _ts_pack_uint (&writer, resource->taken);
      _ts_pack_uint (&writer, resource->failed_gives);
      _ts_pack_uint (&writer, resource->failed_takes);
      _ts_pack_uint (&writer, resource->blocked_gives);
      _ts_pack_uint (&writer, resource->blocked_takes);
      _ts_pack_int (&writer, resource->pending);
      _ts_pack_int (&writer, resource->max_depth);
      _ts_pack_int (&writer, resource->max_depth_time);
    }
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

static guint64
take_number (TsPackReader *reader,
             guint64 limit)
{
  guint64 value = _ts_unpack_uint (reader);

  if (value >= limit)
    reader->is_bad = TRUE;
  return reader->is_bad ? 0 : value;
}

static gint64
take_signed (TsPackReader *reader)
{
  return _ts_unzigzag (take_number (reader, MAX_NUMBER));
}

static guint
take_length (TsPackReader *reader)
{
  return (guint) take_number (reader, MIN ((guint64) (reader->end - reader->next) + 8,
                                           G_MAXINT32));
}

static void
decode_path (TsPackReader *reader,
             TsComms *into)
{
  TsPath path = { .producer = (guint32) take_number (reader, G_MAXUINT32),
                  .resource = (guint32) take_number (reader, G_MAXUINT32),
                  .consumer = (guint32) take_number (reader, G_MAXUINT32),
                  .is_notification = take_number (reader, 2) != 0,
                  .p50 = -1,
                  .p99 = -1 };

  path.count = take_number (reader, MAX_NUMBER);
  path.n_blocked = take_number (reader, MAX_NUMBER);
  path.first = take_signed (reader);
  path.last = path.first + take_signed (reader);
  path.max = take_signed (reader);
  if (path.max >= 0)
    {
      path.max_begin = take_signed (reader);
      path.max_end = path.max_begin + path.max;
      path.p50 = take_signed (reader);
      path.p99 = take_signed (reader);
    }
  if (!reader->is_bad)
    g_array_append_val (into->paths, path);
}

static void
decode_resource (TsPackReader *reader,
                 TsComms *into)
{
  TsResource resource = { .object = (guint32) take_number (reader, G_MAXUINT32),
                          .is_notification = take_number (reader, 2) != 0,
                          .has_depth = take_number (reader, 2) != 0,
                          .given = take_number (reader, MAX_NUMBER),
                          .taken = take_number (reader, MAX_NUMBER),
                          .failed_gives = take_number (reader, MAX_NUMBER),
                          .failed_takes = take_number (reader, MAX_NUMBER),
                          .blocked_gives = take_number (reader, MAX_NUMBER),
                          .blocked_takes = take_number (reader, MAX_NUMBER) };

  resource.pending = take_signed (reader);
  resource.max_depth = take_signed (reader);
  resource.max_depth_time = take_signed (reader);
  if (!reader->is_bad)
    g_array_append_val (into->resources, resource);
}

/**
 * _ts_comms_total_decode:
 * @data: any bytes
 * @n_bytes: how many
 * @into: gets it: nothing, if the bytes are damaged
 *
 * Returns: %FALSE if the bytes are damaged
 */
gboolean
_ts_comms_total_decode (gconstpointer data,
                        gsize n_bytes,
                        TsComms *into)
{
  TsPackReader reader = { data, (const guint8 *) data + n_bytes, 0, 0, FALSE };
  guint n;

  if (n_bytes == 0 || _ts_unpack_uint (&reader) != VERSION)
    return FALSE;

  n = take_length (&reader);
  for (guint i = 0; i < n && !reader.is_bad; i++)
    decode_path (&reader, into);
  n = take_length (&reader);
  for (guint i = 0; i < n && !reader.is_bad; i++)
    decode_resource (&reader, into);
  if (reader.is_bad)
    {
      g_array_set_size (into->paths, 0);
      g_array_set_size (into->resources, 0);
    }
  return !reader.is_bad;
}

/* Adds the chunks up, one share of the paths after the other. */
static int
add_up (TsComms *comms,
        sqlite3_stmt *chunks,
        TsMatcher *matcher)
{
  int rc = SQLITE_DONE;

  for (; matcher->share < matcher->n_shares && rc == SQLITE_DONE; matcher->share++)
    {
      gboolean is_end = matcher->share + 1 == matcher->n_shares;
      gboolean ok = TRUE;

      g_hash_table_remove_all (matcher->resources);
      while (ok && (rc = sqlite3_step (chunks)) == SQLITE_ROW)
        ok = _ts_comms_chunk_decode (
            sqlite3_column_blob (chunks, 2), (gsize) sqlite3_column_bytes (chunks, 2),
            sqlite3_column_int64 (chunks, 0),
            TS_CHUNK_SUMS | (is_end && sqlite3_column_int (chunks, 1) ? TS_CHUNK_STATE : 0),
            matcher);
      sqlite3_reset (chunks);
      _ts_comms_finish_paths (comms, matcher);
      if (!ok)
        return SQLITE_CORRUPT;
    }
  finish_resources (comms, matcher);
  return rc;
}

/**
 * _ts_comms_total_save:
 * @db: a recording that is written, with all its chunks
 * @bytes_per_share: paths are added up in so many shares that the chunks have about so many bytes for
 *   each; what is in memory at once is some times that much
 * @get_type: type of an object
 * @types: for it
 *
 * Stores the answer for the whole recording.
 *
 * Cost: some 2 us for each path of each chunk
 *
 * Returns: an SQLite result code
 */
int
_ts_comms_total_save (sqlite3 *db,
                      gint64 bytes_per_share,
                      TsObjectType (*get_type) (guint32 object,
                                                gpointer types),
                      gpointer types)
{
  TsMatcher matcher = { .is_counting = TRUE, .get_type = get_type, .types = types };
  g_autoptr (TsComms) comms = _ts_comms_alloc ();
  sqlite3_stmt *stmt = NULL;
  gint64 n_bytes = 0;
  int rc;

  rc = sqlite3_prepare_v2 (db, "SELECT sum(length(data)) FROM ts_comms WHERE id>0", -1, &stmt,
                           NULL);
  if (rc == SQLITE_OK && sqlite3_step (stmt) == SQLITE_ROW)
    n_bytes = sqlite3_column_int64 (stmt, 0);
  sqlite3_finalize (stmt);
  if (rc != SQLITE_OK)
    return rc;

  matcher.n_shares = _ts_comms_count_shares (n_bytes, bytes_per_share);
  _ts_matcher_init (&matcher);
  rc = sqlite3_prepare_v2 (db, "SELECT begin,is_last,data FROM ts_comms WHERE id>0 ORDER BY id",
                           -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    rc = add_up (comms, stmt, &matcher);
  sqlite3_finalize (stmt);
  _ts_matcher_clear (&matcher);
  if (rc != SQLITE_DONE)
    return rc;

  g_array_sort (comms->paths, compare_paths);
  g_array_sort (comms->resources, compare_resources);
  rc = sqlite3_prepare_v2 (db,
                           "INSERT INTO ts_comms(id,begin,end,steps,is_last,data) "
                           "SELECT ?1,0,end,0,0,?2 FROM ts_comms WHERE is_last",
                           -1, &stmt, NULL);
  if (rc == SQLITE_OK)
    {
      g_autoptr (GBytes) bytes = encode (comms);
      gsize size = 0;
      gconstpointer data = g_bytes_get_data (bytes, &size);

      sqlite3_bind_int64 (stmt, 1, TS_COMMS_TOTAL_ID);
      sqlite3_bind_blob64 (stmt, 2, data, size, SQLITE_STATIC);
      sqlite3_step (stmt);
      rc = sqlite3_finalize (stmt);
    }
  return rc;
}
