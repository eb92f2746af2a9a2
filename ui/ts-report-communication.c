/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-report-communication.c: who gives to whom, as rows of a table: a hundred thousand ways from
 * one task to another are figures here, and text only where somebody looks. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-comms.h"

#include "ui/draw/ts-display-list.h"
#include "ui/ts-numbers.h"
#include "ui/ts-report-private.h"

/* Its way has no figures of an object. */
#define NO_RESOURCE G_MAXUINT32

/* Columns of communication. */
enum
{
  COMM_FROM,
  COMM_THROUGH,
  COMM_TO,
  COMM_COUNT = TS_REPORT_COMM_COUNT,
  COMM_RATE,
  COMM_P50,
  COMM_P99,
  COMM_MAX,
  COMM_WAITED,
  COMM_BACKLOG,
  COMM_FAILED,
  COMM_N
};

/**
 * Way:
 * @producer, @resource, @consumer: object ids
 * @figures: number of the object's figures, or NO_RESOURCE
 * @is_notification: there is no object between the two
 * @count, @n_blocked: transfers, and those that were waited for
 * @p50_ns, @p99_ns, @max_ns: latencies, -1 if none is known
 * @max_begin, @max_end: the slowest
 * @first: the first transfer
 */
typedef struct
{
  guint32 producer;
  guint32 resource;
  guint32 consumer;
  guint32 figures;
  gboolean is_notification;
  guint64 count;
  guint64 n_blocked;
  gint64 p50_ns;
  gint64 p99_ns;
  gint64 max_ns;
  gint64 max_begin;
  gint64 max_end;
  gint64 first;
} Way;

/**
 * Communication:
 * @us: length of the range
 * @ways: (element-type Way): of all transfers
 * @resources: (element-type TsResource): what they went through
 * @names: names of objects by id
 */
typedef struct
{
  gint64 us;
  GArray *ways;
  GArray *resources;
  GHashTable *names;
} Communication;

static void
communication_free (gpointer data)
{
  Communication *self = data;

  g_array_unref (self->ways);
  g_array_unref (self->resources);
  g_hash_table_unref (self->names);
  g_free (self);
}

static const Way *
get_way (const Communication *self,
         guint row)
{
  return &g_array_index (self->ways, Way, row);
}

static const TsResource *
get_resource (const Communication *self,
              const Way *way)
{
  return way->figures != NO_RESOURCE ? &g_array_index (self->resources, TsResource, way->figures)
                                     : NULL;
}

static const char *
get_name (const Communication *self,
          guint32 object)
{
  const char *name = g_hash_table_lookup (self->names, GUINT_TO_POINTER (object));

  return name != NULL ? name : "";
}

static void
get_place (gconstpointer data,
           guint row,
           TsTablePlace *place)
{
  const Way *way = get_way (data, row);

  *place = (TsTablePlace) { way->resource, way->first, way->first };
}

static guint64
count_failed (const TsResource *resource)
{
  return resource->failed_gives + resource->failed_takes;
}

static double
get_key (gconstpointer data,
         guint row,
         guint column)
{
  const Way *way = get_way (data, row);
  const TsResource *resource = get_resource (data, way);

  switch (column)
    {
    case COMM_COUNT:
    case COMM_RATE:
      return (double) way->count;
    case COMM_P50:
      return (double) way->p50_ns;
    case COMM_P99:
      return (double) way->p99_ns;
    case COMM_MAX:
      return (double) way->max_ns;
    case COMM_WAITED:
      return (double) way->n_blocked;
    case COMM_BACKLOG:
      return resource != NULL && resource->has_depth ? (double) resource->max_depth : -1;
    case COMM_FAILED:
      return resource != NULL ? (double) count_failed (resource) : -1;
    default:
      return -1;
    }
}

static const char *
get_text (gconstpointer data,
          guint row,
          guint column)
{
  const Way *way = get_way (data, row);

  switch (column)
    {
    case COMM_FROM:
      return get_name (data, way->producer);
    case COMM_THROUGH:
      return way->is_notification ? _ ("notification") : get_name (data, way->resource);
    case COMM_TO:
      return get_name (data, way->consumer);
    default:
      return NULL;
    }
}

static void
set_ns (TsTableRow *row,
        guint column,
        gint64 ns)
{
  if (ns >= 0)
    ts_table_row_set_number (row, column, ts_format_ns (ns), (double) ns);
}

/* The most that was pending, as a link to where. */
static void
set_backlog (TsTableRow *row,
             const TsResource *resource)
{
  if (resource->has_depth)
    {
      ts_table_row_set_number (
          row, COMM_BACKLOG,
          g_strdup_printf ("%" G_GINT64_FORMAT " / %" G_GINT64_FORMAT, resource->pending,
                           resource->max_depth),
          (double) resource->max_depth);
      if (resource->max_depth > 0)
        ts_table_row_set_link (row, COMM_BACKLOG, resource->max_depth_time,
                               resource->max_depth_time);
    }
  _ts_report_set_count (row, COMM_FAILED, count_failed (resource));
}

static void
fill (gconstpointer data,
      guint number,
      TsTableRow *row)
{
  const Communication *self = data;
  const Way *way = get_way (self, number);
  const TsResource *resource = get_resource (self, way);

  for (guint column = COMM_FROM; column <= COMM_TO; column++)
    ts_table_row_set_text (row, column, g_strdup (get_text (self, number, column)));
  _ts_report_set_count (row, COMM_COUNT, way->count);
  if (self->us > 0)
    ts_table_row_set_number (row, COMM_RATE,
                             ts_format_per_s ((double) way->count * 1e6 / (double) self->us),
                             (double) way->count);
  set_ns (row, COMM_P50, way->p50_ns);
  set_ns (row, COMM_P99, way->p99_ns);
  set_ns (row, COMM_MAX, way->max_ns);
  if (way->max_ns >= 0)
    ts_table_row_set_link (row, COMM_MAX, way->max_begin, way->max_end);
  _ts_report_set_count (row, COMM_WAITED, way->n_blocked);
  if (resource != NULL)
    set_backlog (row, resource);
}

static const TsTableRowsFuncs funcs = {
  get_place,
  get_key,
  get_text,
  fill,
};

/* --- on the thread ---------------------------------------------------------------------------- */

/* Objects come in order of their ids, those of notifications among them. */
static guint32
find_resource (const TsComms *comms,
               const TsPath *path)
{
  guint low = 0;
  guint high = comms->resources->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (comms->resources, TsResource, middle).object < path->resource)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < comms->resources->len; low++)
    {
      const TsResource *resource = &g_array_index (comms->resources, TsResource, low);

      if (resource->object != path->resource)
        break;
      if (resource->is_notification == path->is_notification)
        return low;
    }
  return NO_RESOURCE;
}

static gint64
to_ns (TsRecording *recording,
       gint64 ticks)
{
  return ticks >= 0 ? ts_recording_ticks_to_ns (recording, ticks) : -1;
}

static void
add_name (Communication *self,
          TsRecording *recording,
          guint32 object)
{
  if (object != 0 && !g_hash_table_contains (self->names, GUINT_TO_POINTER (object)))
    g_hash_table_insert (self->names, GUINT_TO_POINTER (object),
                         g_strdup (_ts_report_get_name (recording, object)));
}

static void
add_way (Communication *self,
         TsRecording *recording,
         const TsComms *comms,
         const TsPath *path)
{
  Way way = {
    .producer = path->producer,
    .resource = path->resource,
    .consumer = path->consumer,
    .figures = find_resource (comms, path),
    .is_notification = path->is_notification,
    .count = path->count,
    .n_blocked = path->n_blocked,
    .p50_ns = to_ns (recording, path->p50),
    .p99_ns = to_ns (recording, path->p99),
    .max_ns = to_ns (recording, path->max),
    .max_begin = path->max_begin,
    .max_end = path->max_end,
    .first = path->first,
  };

  add_name (self, recording, way.producer);
  add_name (self, recording, way.resource);
  add_name (self, recording, way.consumer);
  g_array_append_val (self->ways, way);
}

gboolean
_ts_report_communication (TsRecording *recording,
                          gint64 begin,
                          gint64 end,
                          TsReportResult *result,
                          GCancellable *cancellable,
                          GError **error)
{
  g_autoptr (TsComms) comms = ts_comms_new (recording, begin, end, 0, cancellable, error);
  Communication *self;

  if (comms == NULL)
    return FALSE;
  self = g_new0 (Communication, 1);
  self->us = ts_recording_ticks_to_us (recording, end - begin);
  self->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->ways = g_array_sized_new (FALSE, FALSE, sizeof (Way), comms->paths->len);
  for (guint i = 0; i < comms->paths->len; i++)
    add_way (self, recording, comms, &g_array_index (comms->paths, TsPath, i));
  self->resources = g_array_ref (comms->resources);
  result->row_set = ts_table_rows_new (&funcs, self->ways->len, COMM_N, self, communication_free);
  return TRUE;
}
