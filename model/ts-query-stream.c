/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-stream.c: large answers, written row by row: events, samples and slices. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-analysis-private.h"
#include "ts-query-stream-private.h"

/* When to judge how long the whole answer will take, and how long it may. */
#define JUDGE_AFTER_US G_USEC_PER_SEC
#define JUDGE_AFTER_BYTES (16 << 20)
#define MAX_SECONDS 22.0

static const char *const state_names[TS_N_STATES]
    = { "none",        "running", "ready", "blocked", "sleeping", "suspended",
        "interrupted", "low",     "point", "loss",    "corrupt" };

const char *
_ts_query_state_name (guint state)
{
  return state_names[state < TS_N_STATES ? state : 0];
}

/* The answer would take too long: what to ask instead. */
static void
refuse (TsQueryStream *self,
        double expected)
{
  TsQuery *query = self->query;

  if (query->options->suggestion != NULL)
    {
      query->options->suggestion->t_start_us = query->begin_us;
      query->options->suggestion->t_end_us = _ts_query_find_share (
          query, (gint64) (MAX_SECONDS / 3 * 1e6), (gint64) (MIN (expected, 1e9) * 1e6));
    }
  g_set_error (&self->error, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE,
               _("The answer would take about %.0f s; narrow the window with --t-start-us and "
                 "--t-end-us."),
               expected);
}

/* What comes now takes as long as there are rows. @total: how many will be looked at */
void
_ts_query_stream_begin_rows (TsQueryStream *self,
                             guint64 total)
{
  self->rows_us = g_get_monotonic_time ();
  self->rows_at = self->writer.text->len;
  self->total = total;
}

/* Whether the answer may go on; to be asked after each row. Judged once, before anything has left:
 * afterwards it is too late for an error. */
gboolean
_ts_query_stream_may_go_on (TsQueryStream *self)
{
  gint64 now;
  double expected;

  if (self->writer.error != NULL)
    return FALSE;
  if (self->writer.is_started)
    return self->done % 8192 != 0 || !g_cancellable_is_cancelled (self->query->cancellable);
  if (self->done % 1024 != 0)
    return TRUE;

  now = g_get_monotonic_time ();
  if (now - self->rows_us < JUDGE_AFTER_US
      && self->writer.text->len < self->rows_at + JUDGE_AFTER_BYTES)
    return !g_cancellable_is_cancelled (self->query->cancellable);

  expected = (double) (self->rows_us - self->begin_us) / 1e6
             + (double) (now - self->rows_us) / 1e6 * (double) self->total
                   / (double) MAX (self->done, 1);
  if (expected > MAX_SECONDS)
    {
      refuse (self, expected);
      return FALSE;
    }
  _ts_json_writer_start (&self->writer);
  return TRUE;
}

void
_ts_json_writer_column (TsJsonWriter *self,
                        const char *key,
                        sqlite3_stmt *stmt,
                        int column)
{
  g_autofree char *text = NULL;

  switch (sqlite3_column_type (stmt, column))
    {
    case SQLITE_INTEGER:
      _ts_json_writer_int (self, key, sqlite3_column_int64 (stmt, column));
      break;

    case SQLITE_FLOAT:
      _ts_json_writer_figure (self, key, sqlite3_column_double (stmt, column));
      break;

    case SQLITE_TEXT:
      text = _ts_column_dup_text (stmt, column);
      _ts_json_writer_text (self, key, text);
      break;

    default:
      _ts_json_writer_text (self, key, NULL);
      break;
    }
}

static void
write_time (TsQueryStream *self,
            const char *key,
            gint64 ticks)
{
  _ts_json_writer_figure (&self->writer, key, _ts_query_us (self->query, ticks));
}

/* ---- events and samples ---- */

static gboolean
is_sample (const TsEvent *event)
{
  switch (event->kind)
    {
    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
      return TRUE;

    default:
      return FALSE;
    }
}

static void
write_value (TsQueryStream *self,
             const TsEvent *event)
{
  if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
    _ts_json_writer_real (&self->writer, "value", ts_event_get_double (event));
  else
    _ts_json_writer_int (&self->writer, "value", event->value);
}

/* The same members as `events` of tier raw. */
static void
write_event (TsQueryStream *self,
             guint64 row,
             const TsEvent *event)
{
  TsRecording *recording = self->query->recording;
  TsJsonWriter *writer = &self->writer;
  const TsObject *object = ts_recording_get_object (recording, event->object);
  const char *text = ts_recording_get_string (recording, ts_event_get_text_id (event));
  guint n_operands = ts_event_kind_get_n_operands (event->kind);

  _ts_json_writer_row (writer);
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_int (writer, "id", (gint64) row);
  write_time (self, "t_us", event->time);
  _ts_json_writer_text (writer, "kind", ts_event_kind_get_name (event->kind));
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    _ts_json_writer_int (writer, "start", (event->flags & TS_EVENT_FLAG_START) != 0 ? 1 : 0);
  if (event->object != 0)
    {
      _ts_json_writer_int (writer, "object_id", event->object);
      _ts_json_writer_text (writer, "object", object != NULL ? object->name : NULL);
    }
  _ts_json_writer_int (writer, "core", event->core);
  if (n_operands > 0)
    write_value (self, event);
  if (n_operands > 1)
    _ts_json_writer_int (writer, "detail", ts_event_get_detail (event));
  if (text != NULL)
    _ts_json_writer_text (writer, "text", text);
  _ts_json_writer_int (writer, "flags", event->flags & TS_EVENT_FLAGS_PUBLIC);
  _ts_json_writer_end (writer, '}');
}

static void
write_sample (TsQueryStream *self,
              const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self->query->recording, event->object);

  _ts_json_writer_row (&self->writer);
  _ts_json_writer_begin (&self->writer, '{');
  _ts_json_writer_text (&self->writer, "channel", object != NULL ? object->name : NULL);
  write_time (self, "t_us", event->time);
  write_value (self, event);
  _ts_json_writer_end (&self->writer, '}');
}

static gboolean
scan_events (TsQueryStream *self,
             gboolean samples_only,
             GError **error)
{
  TsQuery *query = self->query;
  g_autofree TsEvent *events = g_new (TsEvent, 4096);
  TsEventFilter filter;
  guint64 row;

  if (!_ts_event_filter_init (&filter, query->recording, query->options, error))
    return FALSE;

  _ts_query_stream_begin_rows (self, filter.end_row - filter.first_row);
  for (row = filter.first_row; row < filter.end_row;)
    {
      guint n = 0;

      if (!ts_recording_read_events (query->recording, row,
                                     (guint) MIN (filter.end_row - row, 4096), events, &n,
                                     &self->error)
          || n == 0)
        break;
      for (guint i = 0; i < n; i++)
        {
          const TsEvent *event = &events[i];

          self->done++;
          if (!_ts_event_filter_matches (&filter, event))
            continue;
          if (samples_only
              && (!is_sample (event)
                  || (self->wanted != NULL
                      && !g_hash_table_contains (self->wanted, GUINT_TO_POINTER (event->object)))))
            continue;
          if (samples_only)
            write_sample (self, event);
          else
            write_event (self, row + i, event);
          self->n++;
        }
      /* Counted in whole batches, so that the judgement comes at a multiple of them. */
      self->done = row + n - filter.first_row;
      if (!_ts_query_stream_may_go_on (self) || self->error != NULL)
        break;
      row += n;
    }
  _ts_event_filter_clear (&filter);
  return TRUE;
}

static gboolean
stream_events (TsQueryStream *self,
               GError **error)
{
  return scan_events (self, FALSE, error);
}

/* --channels by name. */
static gboolean
stream_samples (TsQueryStream *self,
                GError **error)
{
  const char *const *channels = self->query->options->channels;
  g_autoptr (GHashTable) wanted = NULL;

  if (channels != NULL && channels[0] != NULL)
    {
      wanted = g_hash_table_new (NULL, NULL);
      for (guint k = 0; channels[k] != NULL; k++)
        {
          gboolean found = FALSE;

          for (guint id = 1; id <= ts_recording_get_n_objects (self->query->recording); id++)
            {
              const TsObject *object = ts_recording_get_object (self->query->recording, id);

              if (object != NULL && strcmp (object->name, channels[k]) == 0)
                {
                  g_hash_table_add (wanted, GUINT_TO_POINTER (id));
                  found = TRUE;
                }
            }
          if (!found)
            {
              g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                           _("--channels: the recording has no channel “%s”."), channels[k]);
              return FALSE;
            }
        }
    }
  self->wanted = wanted;
  return scan_events (self, TRUE, error);
}

/* ---- slices ---- */

static gboolean
is_wanted_lane (TsQueryStream *self,
                const TsLaneInfo *lane)
{
  const char *const *lanes = self->query->options->lanes;
  const char *task = self->query->options->task;

  if (lane->kind != TS_LANE_TASK && lane->kind != TS_LANE_ISR && lane->kind != TS_LANE_SPAN
      && lane->kind != TS_LANE_RTOS)
    return FALSE;
  if (task != NULL)
    return strcmp (task, lane->name) == 0;
  if (lanes == NULL || lanes[0] == NULL)
    return TRUE;
  return g_strv_contains (lanes, lane->name);
}

static void
write_slice (TsQueryStream *self,
             const TsLaneInfo *lane,
             const TsSlice *slice,
             TsInterruptTime *interrupts)
{
  TsJsonWriter *writer = &self->writer;
  gint64 ticks = slice->end - slice->begin;
  const TsObject *waits_for
      = slice->state == TS_STATE_BLOCKED
            ? ts_recording_get_object (self->query->recording, slice->arg)
            : NULL;

  _ts_json_writer_row (writer);
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_text (writer, "name", lane->name);
  write_time (self, "t_start_us", slice->begin);
  write_time (self, "t_end_us", slice->end);
  write_time (self, "duration_us", ticks);
  _ts_json_writer_text (writer, "state", _ts_query_state_name (slice->state));
  if (interrupts != NULL)
    {
      gint64 taken = slice->state == TS_STATE_RUNNING && lane->kind == TS_LANE_TASK
                         ? _ts_interrupt_time_within (interrupts, slice->begin, slice->end)
                         : 0;

      _ts_json_writer_text (writer, "type",
                            lane->kind == TS_LANE_RTOS ? "rtos"
                                                       : ts_object_type_get_name (lane->type));
      _ts_json_writer_int (writer, "core", lane->core);
      if (lane->priority != TS_OBJECT_UNKNOWN)
        _ts_json_writer_int (writer, "priority", lane->priority);
      _ts_json_writer_int (writer, "depth", slice->depth);
      write_time (self, "interrupted_us", taken);
      write_time (self, "net_us", ticks - taken);
      if (slice->state == TS_STATE_BLOCKED)
        _ts_json_writer_text (writer, "waits_for", waits_for != NULL ? waits_for->name : NULL);
      _ts_json_writer_bool (writer, "open", (slice->kind & TS_SLICE_OPEN) != 0);
    }
  _ts_json_writer_end (writer, '}');
}

static gboolean
check_lanes (TsQueryStream *self,
             GError **error)
{
  const char *const *names = self->query->options->lanes;
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->query->recording, &n_lanes);

  for (guint k = 0; names != NULL && names[k] != NULL; k++)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < n_lanes && !found; i++)
        found = strcmp (lanes[i].name, names[k]) == 0;
      if (!found)
        {
          g_set_error (
              error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
              _("--lanes: the recording has no lane “%s”; names are those of va_task_stats."),
              names[k]);
          return FALSE;
        }
    }
  return TRUE;
}

/* In order of ends: then nothing must be held back. */
static gboolean
scan_slices (TsQueryStream *self,
             gboolean has_details,
             GError **error)
{
  TsQuery *query = self->query;
  gint64 max_slices = query->options->max_slices;
  TsSliceMerge *merge;
  TsInterruptTime interrupts[8];
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (query->recording, &n_lanes);
  const TsLaneInfo *lane;
  const TsSlice *slice;
  guint64 total = 0;
  gint64 step;
  gint64 begin;
  gint64 end;

  if (!check_lanes (self, error))
    return FALSE;
  _ts_query_get_range (query, &begin, &end);
  merge = _ts_slice_merge_new (query->recording, begin, end);
  for (guint i = 0; i < n_lanes; i++)
    {
      if (!is_wanted_lane (self, &lanes[i]))
        continue;
      _ts_slice_merge_add (merge, lanes[i].id);
      total += _ts_analysis_count_slices (query->recording, lanes[i].id, begin, end);
    }
  if (max_slices >= 0)
    total = MIN (total, (guint64) max_slices);
  for (guint i = 0; i < G_N_ELEMENTS (interrupts); i++)
    _ts_interrupt_time_init (&interrupts[i], query->recording, i);

  /* Interrupts are read for a stretch of time that holds some thousand slices. */
  step = MAX ((end - begin) / (gint64) (total / 4096 + 1), 1);
  _ts_query_stream_begin_rows (self, total);
  while ((slice = _ts_slice_merge_next (merge, &lane)) != NULL)
    {
      TsInterruptTime *own = &interrupts[lane->core % G_N_ELEMENTS (interrupts)];

      if (max_slices >= 0 && self->n >= (guint64) max_slices)
        {
          self->is_truncated = TRUE;
          break;
        }
      own->core = lane->core;
      if (has_details && slice->end > own->end)
        _ts_interrupt_time_set_range (own, MAX (slice->end - step, 0), slice->end + step);
      write_slice (self, lane, slice, has_details ? own : NULL);
      self->n++;
      self->done++;
      if (!_ts_query_stream_may_go_on (self))
        break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (interrupts); i++)
    _ts_interrupt_time_clear (&interrupts[i]);
  _ts_slice_merge_free (merge);
  return TRUE;
}

static gboolean
stream_slices (TsQueryStream *self,
               GError **error)
{
  return scan_slices (self, FALSE, error);
}

static gboolean
stream_slice_details (TsQueryStream *self,
                      GError **error)
{
  return scan_slices (self, TRUE, error);
}

/* ---- all of them ---- */

/* Verbs whose answers have no bound, or one that memory has no room for. @rows: the array that @run
 * writes the elements of; NULL: it writes all members itself. Source: viewalyzer-host.md
 * section 3.7. Shapes are ours. */
static const struct
{
  const char *verb;
  const char *rows;
  gboolean has_tiers;
  gboolean (*run) (TsQueryStream *self,
                   GError **error);
} verbs[] = {
  { "timeline", NULL, TRUE, _ts_query_timeline },
  { "events-all", "events", FALSE, stream_events },
  { "user-traces-all", "samples", FALSE, stream_samples },
  { "slices", "slices", FALSE, stream_slices },
  { "slice-details", "slices", FALSE, stream_slice_details },
};

/**
 * ts_query_is_stream:
 * @verb: a verb of `query`
 *
 * Thread: safe
 *
 * Returns: whether ts_query_stream() answers it
 */
gboolean
ts_query_is_stream (const char *verb)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (g_strcmp0 (verbs[i].verb, verb) == 0)
      return TRUE;
  return FALSE;
}

/* All of the answer but its last bracket. */
static gboolean
write_answer (TsQueryStream *self,
              guint verb,
              GError **error)
{
  TsJsonWriter *writer = &self->writer;
  const char *rows = verbs[verb].rows;

  self->begin_us = g_get_monotonic_time ();
  _ts_json_writer_begin (writer, '{');
  _ts_json_writer_members (writer, self->query->answer);
  if (rows != NULL)
    {
      _ts_json_writer_key (writer, rows);
      _ts_json_writer_begin (writer, '[');
    }
  if (!verbs[verb].run (self, error))
    return FALSE;
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return FALSE;
    }
  if (!_ts_query_check_cancelled (self->query->cancellable, error))
    return FALSE;
  if (rows != NULL)
    {
      _ts_json_writer_end (writer, ']');
      _ts_json_writer_int (writer, "count", (gint64) self->n);
      _ts_json_writer_bool (writer, "truncated", self->is_truncated);
    }
  return TRUE;
}

/**
 * ts_query_stream:
 * @recording: a recording
 * @verb: timeline, events-all, user-traces-all, slices or slice-details
 * @options: (nullable): the flags
 * @stream: where the answer goes
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Writes a large answer row by row: one JSON object with the rows as an array. Slices come in order
 * of their ends, cards of the timeline in order of lanes, all else in order of time.
 *
 * Memory does not grow with the answer. An error before the first byte has left leaves @stream
 * untouched; one that comes later (the disk, the reader of a pipe) leaves half an answer.
 *
 * Cost: about a microsecond a row, a card 10
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_WINDOW_TOO_WIDE if the answer would take
 *   too long for clients that wait 30 s or is over budget, %TS_MODEL_ERROR_CANCELLED, those of the
 *   stream
 * Source: viewalyzer-host.md section 3.7
 */
gboolean
ts_query_stream (TsRecording *recording,
                 const char *verb,
                 const TsQueryOptions *options,
                 GOutputStream *stream,
                 GCancellable *cancellable,
                 GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autoptr (JsonObject) head = json_object_new ();
  TsQuery query = { .recording = recording,
                    .options = options != NULL ? options : &defaults,
                    .cancellable = cancellable,
                    .answer = head };
  TsQueryStream self = { .query = &query };
  GError *reason = NULL;
  gboolean ok;
  guint i = 0;

  g_return_val_if_fail (TS_IS_RECORDING (recording), FALSE);

  while (i < G_N_ELEMENTS (verbs) && g_strcmp0 (verbs[i].verb, verb) != 0)
    i++;
  if (i == G_N_ELEMENTS (verbs))
    {
      g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
                   _("There is no query “%s”."), verb != NULL ? verb : "");
      return FALSE;
    }
  if (!_ts_query_begin (&query, verb, verbs[i].has_tiers, TRUE, error))
    return FALSE;

  _ts_json_writer_init (&self.writer, stream, query.options->is_pretty, cancellable);
  ok = write_answer (&self, i, &reason);
  if (ok)
    {
      _ts_json_writer_end (&self.writer, '}');
      ok = _ts_json_writer_finish (&self.writer, &reason);
    }
  /* Half an answer has left: what is said of it begins on a line of its own, for clients that read
   * the last one. */
  if (!ok && self.writer.is_started)
    g_output_stream_write_all (stream, "\n", 1, NULL, NULL, NULL);
  if (!ok)
    _ts_query_explain (&query, reason, error);
  _ts_json_writer_clear (&self.writer);
  return ok;
}
