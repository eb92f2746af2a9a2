/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-comms.c: who gives what to whom, as JSON. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include <glib/gi18n-lib.h>

#include "ts-comms.h"
#include "ts-query-private.h"

static double
known_us (TsQuery *query,
          gint64 ticks)
{
  return ticks >= 0 ? _ts_query_us (query, ticks) : NAN;
}

static const char *
type_of (TsQuery *query,
         guint32 id,
         gboolean is_notification)
{
  const TsObject *object = ts_recording_get_object (query->recording, id);

  if (is_notification)
    return "notification";
  return object != NULL ? ts_object_type_get_name (object->type) : NULL;
}

/* A task's name, or an interrupt's with its prefix, as lanes are named. */
static void
set_actor (TsQuery *query,
           JsonObject *item,
           const char *key,
           guint32 id)
{
  const TsObject *object = ts_recording_get_object (query->recording, id);
  g_autofree char *name = object != NULL ? ts_object_dup_lane_name (object) : NULL;

  _ts_json_set_text (item, key, name);
}

static JsonObject *
make_path (TsQuery *query,
           const TsComms *comms,
           const TsPath *path)
{
  JsonObject *item = json_object_new ();
  JsonObject *latency = json_object_new ();
  double seconds = _ts_query_us (query, comms->end - comms->begin) / 1e6;

  set_actor (query, item, "producer", path->producer);
  _ts_json_set_text (item, "resource", _ts_query_object_name (query, path->resource));
  _ts_json_set_text (item, "type", type_of (query, path->resource, path->is_notification));
  set_actor (query, item, "consumer", path->consumer);
  json_object_set_int_member (item, "count", (gint64) path->count);
  _ts_json_set_real (item, "rate_hz", seconds > 0.0 ? (double) path->count / seconds : NAN);
  json_object_set_int_member (item, "blocked", (gint64) path->n_blocked);
  _ts_json_set_real (latency, "median", known_us (query, path->p50));
  _ts_json_set_real (latency, "p99", known_us (query, path->p99));
  _ts_json_set_real (latency, "max", known_us (query, path->max));
  _ts_json_set_real (latency, "max_t_us",
                     path->max >= 0 ? _ts_query_us (query, path->max_begin) : NAN);
  json_object_set_object_member (item, "latency_us", latency);
  _ts_json_set_real (item, "first_t_us", _ts_query_us (query, path->first));
  _ts_json_set_real (item, "last_t_us", _ts_query_us (query, path->last));
  return item;
}

static JsonObject *
make_resource (TsQuery *query,
               const TsComms *comms,
               const TsResource *resource)
{
  JsonObject *item = json_object_new ();
  const TsObject *object = ts_recording_get_object (query->recording, resource->object);

  _ts_json_set_text (item, "name", _ts_query_object_name (query, resource->object));
  _ts_json_set_text (item, "type", type_of (query, resource->object, resource->is_notification));
  json_object_set_int_member (item, "object_id", resource->object);
  json_object_set_int_member (item, "sent", (gint64) resource->given);
  json_object_set_int_member (item, "received", (gint64) resource->taken);
  json_object_set_int_member (item, "failed_sends", (gint64) resource->failed_gives);
  json_object_set_int_member (item, "failed_receives", (gint64) resource->failed_takes);
  json_object_set_int_member (item, "blocked_sends", (gint64) resource->blocked_gives);
  json_object_set_int_member (item, "blocked_receives", (gint64) resource->blocked_takes);
  if (!resource->has_depth)
    {
      json_object_set_null_member (item, "pending");
      return item;
    }

  json_object_set_int_member (item, "pending", resource->pending);
  json_object_set_int_member (item, "max_depth", resource->max_depth);
  _ts_json_set_real (item, "max_depth_t_us", _ts_query_us (query, resource->max_depth_time));
  if (object != NULL && object->capacity > 0)
    json_object_set_int_member (item, "capacity", object->capacity);
  if (resource->depths != NULL)
    {
      JsonArray *depth = json_array_new ();

      for (guint i = 0; i < comms->n_buckets; i++)
        {
          JsonArray *point = json_array_new ();

          json_array_add_int_element (point,
                                      query->begin_us + (gint64) i * query->options->bucket_us);
          json_array_add_int_element (point, resource->depths[i]);
          json_array_add_array_element (depth, point);
        }
      json_object_set_array_member (item, "depth", depth);
    }
  return item;
}

static int
compare_traffic (gconstpointer a,
                 gconstpointer b)
{
  const TsResource *left = a;
  const TsResource *right = b;
  guint64 n_left = left->given + left->taken;
  guint64 n_right = right->given + right->taken;

  if (n_left != n_right)
    return n_left > n_right ? -1 : 1;
  return left->object < right->object ? -1 : left->object > right->object;
}

/* Source: viewalyzer-host.md section 3.7, `comms`. Keys are ours. */
gboolean
_ts_query_comms (TsQuery *query,
                 GError **error)
{
  JsonObject *data = _ts_query_add_data (query);
  JsonArray *paths = json_array_new ();
  JsonArray *resources = json_array_new ();
  g_autoptr (TsComms) comms = NULL;
  gint64 bucket_us = query->options->bucket_us;
  gint64 bucket = 0;
  gint64 begin;
  gint64 end;

  json_object_set_array_member (data, "paths", paths);
  json_object_set_array_member (data, "resources", resources);
  _ts_query_get_range (query, &begin, &end);
  if (bucket_us > 0)
    {
      if (!_ts_query_check_budget (query, (query->end_us - query->begin_us) / bucket_us,
                                   _("buckets"), error))
        return FALSE;
      bucket = ts_recording_us_to_ticks (query->recording, bucket_us);
      json_object_set_int_member (query->answer, "bucket_us", bucket_us);
    }

  comms = ts_comms_new (query->recording, begin, end, bucket, query->cancellable, error);
  if (comms == NULL)
    return FALSE;
  /* Of more paths than the budget allows the busiest ones, which come first. */
  json_object_set_int_member (data, "path_count", comms->paths->len);
  json_object_set_boolean_member (data, "paths_truncated", comms->paths->len > query->max_rows);
  json_object_set_boolean_member (data, "percentiles_exact", comms->is_exact);
  for (guint i = 0; i < comms->paths->len && i < query->max_rows; i++)
    json_array_add_object_element (
        paths, make_path (query, comms, &g_array_index (comms->paths, TsPath, i)));
  /* So with resources; otherwise they are in order of their ids. */
  json_object_set_int_member (data, "resource_count", comms->resources->len);
  json_object_set_boolean_member (data, "resources_truncated",
                                  comms->resources->len > query->max_rows);
  if (comms->resources->len > query->max_rows)
    g_array_sort (comms->resources, compare_traffic);
  for (guint i = 0; i < comms->resources->len && i < query->max_rows; i++)
    json_array_add_object_element (
        resources, make_resource (query, comms, &g_array_index (comms->resources, TsResource, i)));
  return TRUE;
}
