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
 * Communication:
 * @us: length of the range
 * @comms: all paths, and what they go through; latencies of the paths in nanoseconds, not ticks
 * @names: names of objects by id
 */
typedef struct
{
  gint64 us;
  TsComms *comms;
  GHashTable *names;
} Communication;

static void
communication_free (gpointer data)
{
  Communication *self = data;

  ts_comms_free (self->comms);
  g_hash_table_unref (self->names);
  g_free (self);
}

static const TsPath *
get_path (const Communication *self,
          guint row)
{
  return &g_array_index (self->comms->paths, TsPath, row);
}

/* Objects come in order of their ids, then those of notifications. */
static gboolean
is_before (const TsResource *resource,
           const TsPath *path)
{
  if (resource->is_notification != path->is_notification)
    return path->is_notification;
  return resource->object < path->resource;
}

/* Figures of what the path goes through. */
static const TsResource *
get_resource (const Communication *self,
              const TsPath *path)
{
  const GArray *resources = self->comms->resources;
  const TsResource *found;
  guint low = 0;
  guint high = resources->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (is_before (&g_array_index (resources, TsResource, middle), path))
        low = middle + 1;
      else
        high = middle;
    }
  if (low == resources->len)
    return NULL;
  found = &g_array_index (resources, TsResource, low);
  return found->object == path->resource && found->is_notification == path->is_notification ? found
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
  const TsPath *path = get_path (data, row);

  *place = (TsTablePlace) { path->resource, path->first, path->first };
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
  const TsPath *path = get_path (data, row);
  const TsResource *resource = get_resource (data, path);

  switch (column)
    {
    case COMM_COUNT:
    case COMM_RATE:
      return (double) path->count;
    case COMM_P50:
      return (double) path->p50;
    case COMM_P99:
      return (double) path->p99;
    case COMM_MAX:
      return (double) path->max;
    case COMM_WAITED:
      return (double) path->n_blocked;
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
  const TsPath *path = get_path (data, row);

  switch (column)
    {
    case COMM_FROM:
      return get_name (data, path->producer);
    case COMM_THROUGH:
      return path->is_notification ? _ ("notification") : get_name (data, path->resource);
    case COMM_TO:
      return get_name (data, path->consumer);
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
      g_autofree char *pending = ts_format_count ((guint64) MAX (resource->pending, 0));
      g_autofree char *most = ts_format_count ((guint64) MAX (resource->max_depth, 0));

      ts_table_row_set_number (row, COMM_BACKLOG, g_strconcat (pending, " / ", most, NULL),
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
  const TsPath *path = get_path (self, number);
  const TsResource *resource = get_resource (self, path);

  for (guint column = COMM_FROM; column <= COMM_TO; column++)
    ts_table_row_set_text (row, column, g_strdup (get_text (self, number, column)));
  _ts_report_set_count (row, COMM_COUNT, path->count);
  if (self->us > 0)
    ts_table_row_set_number (row, COMM_RATE,
                             ts_format_per_s ((double) path->count * 1e6 / (double) self->us),
                             (double) path->count);
  set_ns (row, COMM_P50, path->p50);
  set_ns (row, COMM_P99, path->p99);
  set_ns (row, COMM_MAX, path->max);
  if (path->max >= 0)
    ts_table_row_set_link (row, COMM_MAX, path->max_begin, path->max_end);
  _ts_report_set_count (row, COMM_WAITED, path->n_blocked);
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
add_path (Communication *self,
          TsRecording *recording,
          TsPath *path)
{
  path->p50 = to_ns (recording, path->p50);
  path->p99 = to_ns (recording, path->p99);
  path->max = to_ns (recording, path->max);
  add_name (self, recording, path->producer);
  add_name (self, recording, path->resource);
  add_name (self, recording, path->consumer);
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
  for (guint i = 0; i < comms->paths->len; i++)
    add_path (self, recording, &g_array_index (comms->paths, TsPath, i));
  /* there may be a hundred thousand of them: they are not copied */
  self->comms = g_steal_pointer (&comms);
  result->row_set
      = ts_table_rows_new (&funcs, self->comms->paths->len, COMM_N, self, communication_free);
  return TRUE;
}
