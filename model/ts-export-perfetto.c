/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-export-perfetto.c: a recording as trace events in JSON.
 *
 * One process for each group of lanes, one thread for each lane: slices of tasks, processors,
 * interrupts and spans, counters for values and levels, instants for operations and messages,
 * arrows from a give to the take it served. Written lane by lane from the pyramid's slices: readers
 * sort by time, and memory stays flat.
 *
 * Source: Trace Event Format (Google, 2016), sections "Complete Events", "Counter Events", "Instant
 * Events", "Flow Events", "Metadata Events".
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include <gio/gunixoutputstream.h>
#include <glib/gi18n-lib.h>

#include "ts-analysis-private.h"
#include "ts-export-perfetto.h"
#include "ts-export-private.h"
#include "ts-json-writer-private.h"

/* Slices between two looks at the clock, the cancellable and the cache of texts. */
#define STEP 4096
/* Gives of one object that wait for their take. */
#define MAX_PENDING 256

/* Processes: groups of lanes. */
enum
{
  PID_CPU = 1,
  PID_TASKS,
  PID_INTERRUPTS,
  PID_SPANS,
  PID_VALUES,
  PID_OBJECTS,
  PID_MESSAGES,
  PID_LOSS,
  N_PIDS
};

typedef struct
{
  TsRecording *recording;
  const TsQueryOptions *options;
  TsEventFilter filter;
  TsJsonWriter json;
  gint64 begin;
  gint64 end;             /* first tick behind the range */
  gint64 offset_ns;
  gboolean mutex_start_takes;
  gboolean has_process[N_PIDS];
  GHashTable *counters;   /* names in use */
  guint64 n_events;
  guint64 n_flows;
  guint64 n_done;         /* slices */
  guint64 n_total;
  TsExportProgress progress;
  gpointer user_data;
  GCancellable *cancellable;
} Perfetto;

typedef struct
{
  gint64 time;
  guint32 actor;
} Give;

/* ---- what is chosen ---- */

static gboolean
has_kind (Perfetto *self,
          TsEventKind kind)
{
  return !self->filter.has_kinds || self->filter.kinds[kind] != 0;
}

static gboolean
is_lane_chosen (Perfetto *self,
                const TsLaneInfo *lane)
{
  if (lane->kind == TS_LANE_LOSS || self->filter.objects == NULL)
    return TRUE;
  if (lane->object != 0)
    return g_hash_table_contains (self->filter.objects, GUINT_TO_POINTER (lane->object));

  for (guint i = 0; self->options->lanes[i] != NULL; i++)
    if (g_str_equal (self->options->lanes[i], lane->name))
      return TRUE;
  return FALSE;
}

/* Kinds of events that lanes are made of, where the type of their object says it. Source: events.md
 * sections 2, 3 */
static const struct
{
  TsObjectType type;
  TsEventKind kinds[4];
} lane_kinds[] = {
  { TS_OBJECT_TASK, { TS_EVENT_TASK_SWITCH, TS_EVENT_TASK_STATE } },
  { TS_OBJECT_ISR, { TS_EVENT_ISR } },
  { TS_OBJECT_EXCEPTION, { TS_EVENT_DWT_EXC } },
  { TS_OBJECT_USER_EVENT, { TS_EVENT_USER_EVENT } },
  { TS_OBJECT_FUNCTION, { TS_EVENT_DWT_PC } },
  { TS_OBJECT_USER_TRACE,
    { TS_EVENT_USER_TRACE, TS_EVENT_FLOAT_TRACE, TS_EVENT_USER_TOGGLE, TS_EVENT_EXTERNAL_TRACE } },
  { TS_OBJECT_USER_TOGGLE, { TS_EVENT_USER_TOGGLE, TS_EVENT_USER_TRACE } },
  { TS_OBJECT_GPIO, { TS_EVENT_GPIO } },
  { TS_OBJECT_COUNTER, { TS_EVENT_COUNTER } },
  { TS_OBJECT_HEAP, { TS_EVENT_HEAP, TS_EVENT_HEAP_SYNC } },
  { TS_OBJECT_HEAP_GAUGE, { TS_EVENT_HEAP, TS_EVENT_HEAP_SYNC } },
  { TS_OBJECT_WATCH, { TS_EVENT_DWT_DATA } },
  { TS_OBJECT_ITM_PORT, { TS_EVENT_ITM_DATA, TS_EVENT_ITM_TEXT } },
  { TS_OBJECT_POLLED, { TS_EVENT_POLL_TRACE } },
  { TS_OBJECT_STRING_CHANNEL, { TS_EVENT_STRING } },
  { TS_OBJECT_THREAD, { TS_EVENT_TASK_SWITCH, TS_EVENT_TASK_STATE } },
};

/* Lanes without an object are made of counters and of what the host has measured. */
static gboolean
are_kinds_chosen (Perfetto *self,
                  const TsLaneInfo *lane)
{
  gboolean is_chosen = FALSE;
  guint i;

  if (lane->kind == TS_LANE_OBJECT || lane->kind == TS_LANE_LOSS || !self->filter.has_kinds)
    return lane->kind != TS_LANE_CPU && lane->kind != TS_LANE_DENSITY;
  if (lane->kind == TS_LANE_RTOS)
    return has_kind (self, TS_EVENT_TASK_SWITCH);
  if (lane->object == 0)
    return lane->kind == TS_LANE_VALUE
           && (has_kind (self, TS_EVENT_DWT_COUNTERS) || has_kind (self, TS_EVENT_SWO_LOAD));

  for (i = 0; i < G_N_ELEMENTS (lane_kinds) && lane_kinds[i].type != lane->type; i++)
    ;
  for (guint k = 0; i < G_N_ELEMENTS (lane_kinds) && k < G_N_ELEMENTS (lane_kinds[i].kinds); k++)
    is_chosen = is_chosen || (lane_kinds[i].kinds[k] != TS_EVENT_INVALID
                              && has_kind (self, lane_kinds[i].kinds[k]));
  return is_chosen;
}

/* Whether a point of an object's lane is wanted. */
static gboolean
is_point_chosen (Perfetto *self,
                 const TsLaneInfo *lane,
                 const TsSlice *slice)
{
  TsEvent event = { .kind = slice->kind & TS_SLICE_KIND_MASK,
                    .object = lane->object,
                    .flags = (slice->kind & TS_SLICE_START) != 0 ? TS_EVENT_FLAG_START
                                                                 : TS_EVENT_FLAG_END };

  if (_ts_event_filter_matches (&self->filter, &event))
    return TRUE;
  event.flags = 0;
  return _ts_event_filter_matches (&self->filter, &event);
}

/* ---- writing ---- */

/* Nanoseconds as microseconds with three decimals. */
static void
write_time (Perfetto *self,
            const char *key,
            gint64 ns)
{
  guint64 left = ns < 0 ? 0 - (guint64) ns : (guint64) ns;

  _ts_json_writer_key (&self->json, key);
  g_string_append_printf (self->json.text, "%s%" G_GUINT64_FORMAT ".%03u", ns < 0 ? "-" : "",
                          left / 1000, (guint) (left % 1000));
  self->json.needs_comma = TRUE;
}

static gint64
get_ns (Perfetto *self,
        gint64 ticks)
{
  return ts_recording_ticks_to_ns (self->recording, ticks) - self->offset_ns;
}

static void
begin_event (Perfetto *self,
             const char *phase,
             guint pid,
             guint32 tid)
{
  _ts_json_writer_row (&self->json);
  _ts_json_writer_begin (&self->json, '{');
  _ts_json_writer_text (&self->json, "ph", phase);
  _ts_json_writer_int (&self->json, "pid", pid);
  _ts_json_writer_int (&self->json, "tid", tid);
}

static void
end_event (Perfetto *self)
{
  _ts_json_writer_end (&self->json, '}');
  self->n_events++;
}

static void
begin_args (Perfetto *self)
{
  _ts_json_writer_key (&self->json, "args");
  _ts_json_writer_begin (&self->json, '{');
}

static void
end_args (Perfetto *self)
{
  _ts_json_writer_end (&self->json, '}');
}

static void
write_metadata (Perfetto *self,
                const char *what,
                guint pid,
                guint32 tid,
                const char *name,
                gint64 index)
{
  begin_event (self, "M", pid, tid);
  _ts_json_writer_text (&self->json, "name", what);
  begin_args (self);
  if (name != NULL)
    _ts_json_writer_text (&self->json, "name", name);
  else
    _ts_json_writer_int (&self->json, "sort_index", index);
  end_args (self);
  end_event (self);
  self->n_events--;
}

static void
name_track (Perfetto *self,
            guint pid,
            guint32 tid,
            const char *name,
            gint64 index)
{
  const char * const processes[N_PIDS]
      = { NULL,           _("Processors"), _("Tasks"),    _("Interrupts"), _("Spans"),
          _("Values"), _("Objects"),    _("Messages"), _("Data loss") };

  if (!self->has_process[pid])
    {
      self->has_process[pid] = TRUE;
      write_metadata (self, "process_name", pid, 0, processes[pid], 0);
      write_metadata (self, "process_sort_index", pid, 0, NULL, pid);
    }
  if (name == NULL)
    return;
  write_metadata (self, "thread_name", pid, tid, name, 0);
  write_metadata (self, "thread_sort_index", pid, tid, NULL, index);
}

/* A slice, cut at the ends of the range. The caller adds arguments and ends it. */
static void
begin_slice (Perfetto *self,
             guint pid,
             guint32 tid,
             const char *name,
             const TsSlice *slice)
{
  gint64 begin = get_ns (self, MAX (slice->begin, self->begin));
  gint64 end = get_ns (self, MIN (slice->end, self->end));

  begin_event (self, "X", pid, tid);
  _ts_json_writer_text (&self->json, "name", name);
  write_time (self, "ts", begin);
  write_time (self, "dur", MAX (end - begin, 0));
}

static void
write_slice (Perfetto *self,
             guint pid,
             guint32 tid,
             const char *name,
             const TsSlice *slice)
{
  begin_slice (self, pid, tid, name, slice);
  end_event (self);
}

static void
begin_instant (Perfetto *self,
               guint pid,
               guint32 tid,
               const char *name,
               gint64 time)
{
  begin_event (self, "i", pid, tid);
  _ts_json_writer_text (&self->json, "name", name);
  write_time (self, "ts", get_ns (self, time));
  _ts_json_writer_text (&self->json, "s", "t");
}

static const char *
get_name (Perfetto *self,
          guint32 id)
{
  const TsObject *object = ts_recording_get_object (self->recording, id);

  return object != NULL ? object->name : NULL;
}

/* ---- lanes ---- */

static void
write_state (Perfetto *self,
             const TsLaneInfo *lane,
             const TsSlice *slice)
{
  static const char * const names[TS_N_STATES]
      = { NULL, "Running", "Ready", "Blocked", "Sleeping", "Suspended" };
  const char *waits_for = slice->state == TS_STATE_BLOCKED ? get_name (self, slice->arg) : NULL;

  if (slice->state >= TS_N_STATES || names[slice->state] == NULL)
    return;

  begin_slice (self, PID_TASKS, lane->id, names[slice->state], slice);
  if (waits_for != NULL)
    {
      begin_args (self);
      _ts_json_writer_text (&self->json, "waits for", waits_for);
      end_args (self);
    }
  end_event (self);
  if (slice->state == TS_STATE_RUNNING)
    write_slice (self, PID_CPU, lane->core + 1u, lane->name, slice);
}

static void
write_value (Perfetto *self,
             const TsLaneInfo *lane,
             const TsSlice *slice,
             const char *unit,
             gboolean is_ambiguous)
{
  double value = lane->kind == TS_LANE_TOGGLE ? slice->state == TS_STATE_RUNNING : slice->value;

  if (!isfinite (value))
    return;

  begin_event (self, "C", PID_VALUES, 0);
  _ts_json_writer_text (&self->json, "name", lane->name);
  if (is_ambiguous)
    _ts_json_writer_int (&self->json, "id", lane->id);
  write_time (self, "ts", get_ns (self, MAX (slice->begin, self->begin)));
  begin_args (self);
  _ts_json_writer_real (&self->json, unit, value);
  end_args (self);
  end_event (self);
}

/* Whether the point is a give, a take, or neither (-1).
 * Source: viewalyzer-wire.md sections 3.6, 5.1 */
static int
get_direction (Perfetto *self,
               const TsSlice *slice)
{
  gboolean is_start = (slice->kind & TS_SLICE_START) != 0;

  switch (slice->kind & TS_SLICE_KIND_MASK)
    {
    case TS_EVENT_QUEUE:
    case TS_EVENT_SEMAPHORE:
    case TS_EVENT_EVENT_FLAG:
      return is_start;
    case TS_EVENT_MUTEX:
      return is_start != self->mutex_start_takes;
    default:
      return -1;
    }
}

static gboolean
find_track (Perfetto *self,
            guint32 actor,
            guint *pid)
{
  const TsLaneInfo *lane = actor != 0 ? ts_recording_get_lane (self->recording, actor) : NULL;

  if (lane == NULL || !is_lane_chosen (self, lane) || !are_kinds_chosen (self, lane))
    return FALSE;
  if (lane->kind != TS_LANE_TASK && lane->kind != TS_LANE_ISR)
    return FALSE;
  *pid = lane->kind == TS_LANE_TASK ? PID_TASKS : PID_INTERRUPTS;
  return TRUE;
}

static void
write_arrow (Perfetto *self,
             const TsLaneInfo *lane,
             const Give *give,
             const TsSlice *take)
{
  guint from;
  guint to;

  if (give->actor == take->arg || !find_track (self, give->actor, &from)
      || !find_track (self, take->arg, &to))
    return;

  self->n_flows++;
  for (guint i = 0; i < 2; i++)
    {
      begin_event (self, i == 0 ? "s" : "f", i == 0 ? from : to, i == 0 ? give->actor : take->arg);
      _ts_json_writer_text (&self->json, "name", lane->name);
      _ts_json_writer_text (&self->json, "cat", "object");
      _ts_json_writer_int (&self->json, "id", (gint64) self->n_flows);
      write_time (self, "ts", get_ns (self, i == 0 ? give->time : take->begin));
      if (i == 1)
        _ts_json_writer_text (&self->json, "bp", "e");
      end_event (self);
    }
}

/* An operation, and an arrow from the give that a take was served by: what queues and counting
 * semaphores hold comes out in order, the others hold one. */
static void
write_operation (Perfetto *self,
                 const TsLaneInfo *lane,
                 const TsSlice *slice,
                 GQueue *pending)
{
  TsEventKind kind = slice->kind & TS_SLICE_KIND_MASK;
  gboolean holds_many = lane->type == TS_OBJECT_QUEUE || lane->type == TS_OBJECT_COUNTING_SEM
                        || lane->type == TS_OBJECT_SEMAPHORE;
  const char *name = ts_event_kind_get_name (kind);
  int direction = get_direction (self, slice);
  const char *actor = get_name (self, slice->arg);

  if (direction >= 0)
    name = kind == TS_EVENT_QUEUE ? (direction == 1 ? "send" : "receive")
                                  : (direction == 1 ? "give" : "take");

  begin_instant (self, PID_OBJECTS, lane->id, name != NULL ? name : "?", slice->begin);
  if (actor != NULL)
    {
      begin_args (self);
      _ts_json_writer_text (&self->json, "by", actor);
      end_args (self);
    }
  end_event (self);

  if (direction == 1)
    {
      Give *give = !holds_many || g_queue_get_length (pending) == MAX_PENDING
                     ? g_queue_pop_head (pending) : NULL;

      if (give == NULL)
        give = g_new (Give, 1);
      *give = (Give) { slice->begin, slice->arg };
      g_queue_push_tail (pending, give);
    }
  else if (direction == 0)
    {
      g_autofree Give *give = g_queue_pop_head (pending);

      if (give != NULL)
        write_arrow (self, lane, give, slice);
    }
}

static void
write_loss (Perfetto *self,
            const TsSlice *slice)
{
  begin_slice (self, PID_LOSS, 1, slice->state == TS_STATE_CORRUPT ? "corrupt" : "data_loss",
               slice);
  if (slice->arg != G_MAXUINT32)
    {
      begin_args (self);
      _ts_json_writer_int (&self->json, slice->state == TS_STATE_CORRUPT ? "bytes" : "packets",
                           slice->arg);
      end_args (self);
    }
  end_event (self);
}

static void
write_lane_slice (Perfetto *self,
                  const TsLaneInfo *lane,
                  const TsSlice *slice,
                  const char *unit,
                  gboolean is_ambiguous,
                  GQueue *pending)
{
  const char *text;

  switch (lane->kind)
    {
    case TS_LANE_TASK:
      write_state (self, lane, slice);
      break;

    case TS_LANE_RTOS:
      write_slice (self, PID_CPU, lane->core + 0x100u, lane->name, slice);
      break;

    case TS_LANE_ISR:
      write_slice (self, PID_INTERRUPTS, lane->id, lane->name, slice);
      break;

    case TS_LANE_SPAN:
      write_slice (self, PID_SPANS, lane->id, lane->name, slice);
      break;

    case TS_LANE_TOGGLE:
    case TS_LANE_VALUE:
      write_value (self, lane, slice, unit, is_ambiguous);
      break;

    case TS_LANE_OBJECT:
      if (is_point_chosen (self, lane, slice))
        write_operation (self, lane, slice, pending);
      break;

    case TS_LANE_MESSAGE:
      text = ts_recording_get_string (self->recording, slice->arg);
      begin_instant (self, PID_MESSAGES, lane->id, text != NULL ? text : "", slice->begin);
      end_event (self);
      break;

    default:
      write_loss (self, slice);
      break;
    }
}

static void
name_lane (Perfetto *self,
           const TsLaneInfo *lane,
           gint64 index)
{
  g_autofree char *cpu = NULL;

  switch (lane->kind)
    {
    case TS_LANE_TASK:
      name_track (self, PID_TASKS, lane->id, lane->name, index);
      cpu = g_strdup_printf ("CPU %u", lane->core);
      name_track (self, PID_CPU, lane->core + 1u, cpu, lane->core);
      break;
    case TS_LANE_RTOS:
      name_track (self, PID_CPU, lane->core + 0x100u, lane->name, lane->core + 0x100);
      break;
    case TS_LANE_ISR:
      name_track (self, PID_INTERRUPTS, lane->id, lane->name, index);
      break;
    case TS_LANE_SPAN:
      name_track (self, PID_SPANS, lane->id, lane->name, index);
      break;
    case TS_LANE_OBJECT:
      name_track (self, PID_OBJECTS, lane->id, lane->name, index);
      break;
    case TS_LANE_MESSAGE:
      name_track (self, PID_MESSAGES, lane->id, lane->name, index);
      break;
    case TS_LANE_LOSS:
      name_track (self, PID_LOSS, 1, lane->name, 0);
      break;
    default:
      name_track (self, PID_VALUES, 0, NULL, 0);
      break;
    }
}

/* Every few thousand slices. */
static gboolean
note_progress (Perfetto *self,
               GError **error)
{
  if (!_ts_query_check_cancelled (self->cancellable, error))
    return FALSE;
  if (self->json.error != NULL)
    return FALSE;
  if (self->progress != NULL && self->n_total > 0)
    self->progress (MIN ((double) self->n_done / (double) self->n_total, 1.0), self->user_data);
  /* Forgets texts; a live recording must not change here. */
  if (self->recording->live == NULL)
    ts_recording_refresh (self->recording);
  return TRUE;
}

static gboolean
write_lane (Perfetto *self,
            const TsLaneInfo *lane,
            gint64 index,
            GError **error)
{
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsObject *object = ts_recording_get_object (self->recording, lane->object);
  const char *unit
      = object != NULL && object->unit != NULL && *object->unit != '\0' ? object->unit : "value";
  GQueue pending = G_QUEUE_INIT;
  gboolean is_ambiguous = FALSE;
  gboolean ok = TRUE;
  const TsSlice *slice;

  if (lane->kind == TS_LANE_VALUE || lane->kind == TS_LANE_TOGGLE)
    is_ambiguous = !g_hash_table_add (self->counters, lane->name);
  name_lane (self, lane, index);

  _ts_slice_cursor_init (cursor, self->recording, lane->id, self->begin, self->end);
  while (ok && (slice = _ts_slice_cursor_next (cursor)) != NULL)
    {
      write_lane_slice (self, lane, slice, unit, is_ambiguous, &pending);
      if (++self->n_done % STEP == 0)
        ok = note_progress (self, error);
    }
  g_queue_clear_full (&pending, g_free);
  return ok;
}

static gboolean
write_trace (Perfetto *self,
             GError **error)
{
  g_autofree char *os = ts_recording_dup_meta (self->recording, "va_os");
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (is_lane_chosen (self, &lanes[i]) && are_kinds_chosen (self, &lanes[i]))
      self->n_total += _ts_analysis_count_slices (self->recording, lanes[i].id, self->begin,
                                                  self->end);

  _ts_json_writer_start (&self->json);
  _ts_json_writer_begin (&self->json, '{');
  _ts_json_writer_text (&self->json, "displayTimeUnit", "ns");
  _ts_json_writer_key (&self->json, "otherData");
  _ts_json_writer_begin (&self->json, '{');
  _ts_json_writer_text (&self->json, "recording", ts_recording_get_id (self->recording));
  _ts_json_writer_int (&self->json, "clock_hz",
                       (gint64) ts_recording_get_clock_hz (self->recording));
  if (os != NULL)
    _ts_json_writer_text (&self->json, "os", os);
  _ts_json_writer_end (&self->json, '}');
  _ts_json_writer_key (&self->json, "traceEvents");
  _ts_json_writer_begin (&self->json, '[');

  for (guint i = 0; i < n_lanes; i++)
    if (is_lane_chosen (self, &lanes[i]) && are_kinds_chosen (self, &lanes[i])
        && !write_lane (self, &lanes[i], i, error))
      return FALSE;

  _ts_json_writer_end (&self->json, ']');
  _ts_json_writer_end (&self->json, '}');
  return _ts_query_check_cancelled (self->cancellable, error);
}

/**
 * ts_export_perfetto:
 * @recording: a recording
 * @path: file to make; replaced at the end only, when all went well
 * @options: (nullable): kinds, lanes and times (both ends inclusive)
 * @rebase: times begin at the begin of the range; else they stay as they are
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @n_events: (out) (optional): trace events written, names not counted
 * @error: return location
 *
 * Writes a recording as trace events in JSON, which ui.perfetto.dev and chrome://tracing open.
 * Times are microseconds with three decimals.
 *
 * Cost: about a microsecond and 100 bytes a slice; memory does not grow with the recording
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_CANCELLED
 */
gboolean
ts_export_perfetto (TsRecording *recording,
                    const char *path,
                    const TsQueryOptions *options,
                    gboolean rebase,
                    TsExportProgress progress,
                    gpointer user_data,
                    GCancellable *cancellable,
                    guint64 *n_events,
                    GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autoptr (GHashTable) counters = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) reason = NULL;
  Perfetto self = { .recording = recording,
                    .options = options != NULL ? options : &defaults,
                    .counters = counters,
                    .progress = progress,
                    .user_data = user_data,
                    .cancellable = cancellable };
  TsExportFile file = { .fd = -1 };
  gboolean ok = FALSE;

  g_return_val_if_fail (TS_IS_RECORDING (recording) && path != NULL, FALSE);

  if (!_ts_export_filter_init (&self.filter, recording, self.options, error))
    return FALSE;

  self.begin = self.filter.begin_ticks;
  self.end = MIN (self.filter.end_ticks, ts_recording_get_duration (recording)) + 1;
  self.offset_ns = rebase ? ts_recording_ticks_to_ns (recording, self.begin) : 0;
  self.mutex_start_takes = _ts_analysis_mutex_start_takes (recording);
  if (_ts_export_file_open (&file, recording, path, error))
    {
      g_autoptr (GOutputStream) stream = g_unix_output_stream_new (file.fd, FALSE);

      _ts_json_writer_init (&self.json, stream, TRUE, NULL);
      ok = write_trace (&self, error) && _ts_json_writer_finish (&self.json, &reason);
      if (reason == NULL)
        reason = g_steal_pointer (&self.json.error);
      if (reason != NULL)
        g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, _("Cannot write %s: %s."),
                     file.display_name, reason->message);
      _ts_json_writer_clear (&self.json);
      ok = ok && _ts_export_file_finish (&file, error);
    }

  _ts_export_file_clear (&file);
  _ts_event_filter_clear (&self.filter);
  if (n_events != NULL)
    *n_events = self.n_events;
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}
