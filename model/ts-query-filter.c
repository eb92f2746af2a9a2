/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-filter.c: which events a query or an export is about. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-query-private.h"

#define BATCH 4096

static gboolean
add_kind (TsEventFilter *self,
          const char *name,
          GError **error)
{
  guint8 sides = 0;
  TsEventKind kind = ts_event_kind_parse (name, &sides);

  self->has_kinds = TRUE;
  if (kind != TS_EVENT_INVALID && kind < G_N_ELEMENTS (self->kinds))
    {
      self->kinds[kind] |= sides;
      return TRUE;
    }

  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("--kinds: there is no kind “%s”; kinds are named as in va_events.kind, such as "
                  "task_switch, isr_enter or "
                  "user_trace."),
               name);
  return FALSE;
}

/* Objects whose lane, name, or `type:name` is @name. Source: events.md section 4, `--lanes` */
static gboolean
add_lane (TsEventFilter *self,
          TsRecording *recording,
          const char *name,
          GError **error)
{
  gboolean found = strcmp (name, "_RTOS_") == 0;
  GHashTableIter iter;
  gpointer value;
  guint n_lanes = 0;
  const TsLaneInfo *lanes;

  g_hash_table_iter_init (&iter, recording->objects);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const TsObject *object = value;

      if (ts_object_is_called (object, name))
        {
          g_hash_table_add (self->objects, GUINT_TO_POINTER (object->id));
          found = TRUE;
        }
    }

  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (guint i = 0; !found && i < n_lanes; i++)
    found = strcmp (lanes[i].name, name) == 0;

  if (!found)
    g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                 _("--lanes: the recording has no lane “%s”; names are those of va_task_stats and "
                    "va_objects."),
                 name);
  return found;
}

static void
find_rows (TsEventFilter *self,
           TsRecording *recording,
           const TsQueryOptions *options)
{
  self->begin_ticks
      = options->t_start_us >= 0 ? ts_recording_us_to_ticks (recording, options->t_start_us) : 0;
  self->end_ticks = G_MAXINT64;
  self->first_row
      = options->t_start_us > 0 ? ts_recording_row_at_time (recording, self->begin_ticks) : 1;
  self->end_row = ts_recording_get_n_rows (recording) + 1;

  if (options->t_end_us >= 0)
    {
      /* The last tick that is not after t_end_us. */
      __int128 end = (__int128) options->t_end_us * (__int128) ts_recording_get_clock_hz (recording)
                     / G_USEC_PER_SEC;

      self->end_ticks = end < G_MAXINT64 ? (gint64) end : G_MAXINT64 - 1;
      self->end_row = ts_recording_row_at_time (recording, self->end_ticks + 1);
    }

  self->first_row = MAX (self->first_row, 1);
  if (self->end_row < self->first_row)
    self->end_row = self->first_row;
}

/**
 * _ts_event_filter_init:
 * @self: a filter
 * @recording: a recording
 * @options: kinds, lanes and times
 * @error: return location
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS naming the flag
 */
gboolean
_ts_event_filter_init (TsEventFilter *self,
                       TsRecording *recording,
                       const TsQueryOptions *options,
                       GError **error)
{
  memset (self, 0, sizeof *self);

  if (options->t_start_us >= 0 && options->t_end_us >= 0 && options->t_end_us < options->t_start_us)
    {
      g_set_error (
          error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
          _("--t-end-us (%" PRId64 ") is before --t-start-us (%" PRId64 ")."),
          options->t_end_us, options->t_start_us);
      return FALSE;
    }

  for (guint i = 0; options->kinds != NULL && options->kinds[i] != NULL; i++)
    {
      if (!add_kind (self, options->kinds[i], error))
        return FALSE;
    }

  if (options->lanes != NULL && options->lanes[0] != NULL)
    {
      self->objects = g_hash_table_new (NULL, NULL);
      for (guint i = 0; options->lanes[i] != NULL; i++)
        {
          if (!add_lane (self, recording, options->lanes[i], error))
            {
              _ts_event_filter_clear (self);
              return FALSE;
            }
        }
    }

  find_rows (self, recording, options);
  return TRUE;
}

void
_ts_event_filter_clear (TsEventFilter *self)
{
  g_clear_pointer (&self->objects, g_hash_table_unref);
}

gboolean
_ts_event_filter_matches (const TsEventFilter *self,
                          const TsEvent *event)
{
  /* a place whose row is missing */
  if (event->kind == TS_EVENT_INVALID && event->object == 0 && event->value == 0
      && event->detail == 0)
    return FALSE;

  if (self->has_kinds)
    {
      guint8 side = ts_event_get_side (event);

      if (event->kind >= G_N_ELEMENTS (self->kinds) || (self->kinds[event->kind] & side) == 0)
        return FALSE;
    }

  return self->objects == NULL
         || g_hash_table_contains (self->objects, GUINT_TO_POINTER (event->object));
}

/* Whether every row passes, so that tables can answer. */
gboolean
_ts_event_filter_is_whole (const TsEventFilter *self,
                           TsRecording *recording)
{
  return self->objects == NULL && self->first_row == 1
         && self->end_row > ts_recording_get_n_rows (recording);
}

gboolean
_ts_query_check_cancelled (GCancellable *cancellable,
                           GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return TRUE;

  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED, _("Cancelled."));
  return FALSE;
}

/**
 * _ts_event_filter_scan:
 * @self: a filter
 * @recording: a recording
 * @limit_us: gives up after that time; 0 never
 * @func: called for each matching event
 * @user_data: for @func
 * @cancellable: (nullable): checked every few thousand events
 * @error: return location
 *
 * Cost: about half a microsecond a row of the window, matching or not
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_WINDOW_TOO_WIDE, %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
_ts_event_filter_scan (const TsEventFilter *self,
                       TsRecording *recording,
                       gint64 limit_us,
                       TsEventFunc func,
                       gpointer user_data,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autofree TsEvent *events = g_new (TsEvent, BATCH);
  gint64 deadline_us = limit_us > 0 ? g_get_monotonic_time () + limit_us : G_MAXINT64;
  guint64 row = self->first_row;

  while (row < self->end_row)
    {
      guint n = 0;

      if (!_ts_query_check_cancelled (cancellable, error))
        return FALSE;
      if (g_get_monotonic_time () > deadline_us)
        {
          g_set_error_literal (
              error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
              _("The window holds more events than can be looked through in time; narrow it with "
                 "--t-start-us and --t-end-us."));
          return FALSE;
        }

      if (!ts_recording_read_events (recording, row, (guint) MIN (self->end_row - row, BATCH),
                                     events, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;

      for (guint i = 0; i < n; i++)
        {
          if (_ts_event_filter_matches (self, &events[i]) && !func (row + i, &events[i], user_data))
            return TRUE;
        }
      row += n;
    }

  return TRUE;
}
