/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-export-state.c: what was running, waiting, open and held at a point in time, as events.
 *
 * Lanes know what held at the time, and since when; the event that began it is looked up and
 * carried along as it was. Only states of tasks off the CPU are put in words of our own, because no
 * single event may have told them. The cost hangs on the number of lanes, not on what lies before.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-export-private.h"

#define BATCH 256
/* Events of one tick, or of one run, that are looked through for the one that is wanted. */
#define MAX_LOOK_ROWS 200000

/* Value of a task_state event. Source: viewalyzer-wire.md section 7 */
enum
{
  WIRE_READY = 1,
  WIRE_BLOCKED = 3,
  WIRE_SLEEPING = 4,
  WIRE_SUSPENDED = 5,
};

/* Functions of an exception packet. Source: itm-dwt.md section 2.7 */
#define WIRE_ENTERED 1
#define WIRE_EXITED 2

/* Where in the order of carried events one belongs. Values and spans come before anybody runs: else
 * they would be the first acts of whoever does. */
enum
{
  RANK_PRIORITY,
  RANK_VALUE,
  RANK_SPAN,
  RANK_SWITCH,
  RANK_STATE,
  RANK_INTERRUPT,
};

typedef struct
{
  TsEvent event;
  guint64 row;
  guint rank;
} Carried;

typedef struct
{
  TsRecording *recording;
  const TsEventFilter *filter;
  gint64 time;
  guint64 end_row;  /* first row that is not before @time */
  GArray *carried;
  GHashTable *priorities; /* task to #TsEvent */
} State;

static void
carry (State *self,
       const TsEvent *event,
       guint64 row,
       guint rank)
{
  Carried carried = { *event, row, rank };

  carried.event.time = self->time;
  carried.event.flags &= (guint8) ~(TS_EVENT_FLAG_TIME_ESTIMATED | TS_EVENT_FLAG_AFTER_LOSS);
  carried.event.flags |= TS_EVENT_FLAG_SYNTHETIC;
  g_array_append_val (self->carried, carried);
}

/* The @nth last event at @time that @match accepts. */
static gboolean
find_event (State *self,
            gint64 time,
            gboolean (*match) (const TsEvent *event,
                               guint32 object),
            guint32 object,
            guint nth,
            TsEvent *found,
            guint64 *found_row)
{
  TsEvent events[BATCH];
  guint64 first = ts_recording_row_at_time (self->recording, time);
  guint n_found = 0;
  guint n = 0;

  /* Twice: they must be counted before it is known which one is the last but some. */
  for (guint pass = 0; pass < 2; pass++)
    {
      guint skip = pass == 0 ? G_MAXUINT : n_found > nth ? n_found - nth - 1 : G_MAXUINT;

      if (pass == 1 && skip == G_MAXUINT)
        return FALSE;
      for (guint64 row = first; row < self->end_row && row - first < MAX_LOOK_ROWS; row += n)
        {
          if (!ts_recording_read_events (self->recording, row, BATCH, events, &n, NULL) || n == 0)
            return FALSE;
          for (guint i = 0; i < n && events[i].time == time; i++)
            {
              if (!match (&events[i], object))
                continue;
              if (pass == 0)
                n_found++;
              else if (skip-- == 0)
                {
                  *found = events[i];
                  *found_row = row + i;
                  return TRUE;
                }
            }
          if (events[n - 1].time != time)
            break;
        }
    }
  return FALSE;
}

static gboolean
is_switch_in (const TsEvent *event,
              guint32 object)
{
  return event->kind == TS_EVENT_TASK_SWITCH && event->object == object
         && (event->flags & TS_EVENT_FLAG_START) != 0;
}

/* @core: a processor, not an object */
static gboolean
is_switch_out (const TsEvent *event,
               guint32 core)
{
  return event->kind == TS_EVENT_TASK_SWITCH && event->core == core
         && (event->flags & TS_EVENT_FLAG_START) == 0;
}

/* Handlers and spans begin by what firmware tells, or by what trace hardware saw. An exception that
 * is returned to may be the first that was heard of it. */
static gboolean
is_begin (const TsEvent *event,
          guint32 object)
{
  if (event->object != object)
    return FALSE;

  switch (event->kind)
    {
    case TS_EVENT_ISR:
    case TS_EVENT_USER_EVENT:
      return (event->flags & TS_EVENT_FLAG_START) != 0;
    case TS_EVENT_DWT_EXC:
      return ts_event_get_detail (event) != WIRE_EXITED;
    case TS_EVENT_DWT_PC:
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
is_sample (const TsEvent *event,
           guint32 object)
{
  if (event->object != object)
    return FALSE;

  switch (event->kind)
    {
    case TS_EVENT_USER_TRACE:
    case TS_EVENT_FLOAT_TRACE:
    case TS_EVENT_COUNTER:
    case TS_EVENT_HEAP:
    case TS_EVENT_HEAP_SYNC:
    case TS_EVENT_USER_TOGGLE:
    case TS_EVENT_GPIO:
    case TS_EVENT_DWT_DATA:
    case TS_EVENT_ITM_DATA:
    case TS_EVENT_POLL_TRACE:
    case TS_EVENT_EXTERNAL_TRACE:
      return TRUE;

    default:
      return FALSE;
    }
}

/* Slices of @lane that hold just before the time: those that end at it were ended by an event of
 * the range. */
static GArray *
get_held (State *self,
          guint32 lane)
{
  GArray *held = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsSlice *slice;

  _ts_slice_cursor_init (cursor, self->recording, lane, self->time - 1, self->time);
  while ((slice = _ts_slice_cursor_next (cursor)) != NULL)
    if (slice->begin < self->time
        && (slice->end >= self->time || (slice->kind & TS_SLICE_OPEN) != 0))
      g_array_append_vals (held, slice, 1);
  g_free (cursor);
  return held;
}

/* Whether states of @task were chosen. */
static gboolean
wants_state (State *self,
             guint32 task)
{
  TsEvent state = { .kind = TS_EVENT_TASK_STATE, .object = task };
  TsEvent in = { .kind = TS_EVENT_TASK_SWITCH, .object = task, .flags = TS_EVENT_FLAG_START };
  TsEvent out = { .kind = TS_EVENT_TASK_SWITCH, .object = task, .flags = TS_EVENT_FLAG_END };

  return _ts_event_filter_matches (self->filter, &state)
         || _ts_event_filter_matches (self->filter, &in)
         || _ts_event_filter_matches (self->filter, &out);
}

static void
carry_state (State *self,
             const TsLaneInfo *lane,
             guint8 core,
             guint state,
             guint32 arg)
{
  TsEvent event = { .kind = TS_EVENT_TASK_STATE, .object = lane->object, .core = core };

  switch (state)
    {
    case TS_STATE_READY:
      event.value = WIRE_READY;
      break;
    case TS_STATE_BLOCKED:
      event.value = WIRE_BLOCKED;
      event.detail = arg;
      break;
    case TS_STATE_SLEEPING:
      event.value = WIRE_SLEEPING;
      break;
    case TS_STATE_SUSPENDED:
      event.value = WIRE_SUSPENDED;
      break;
    default:
      return;
    }
  if (wants_state (self, lane->object))
    carry (self, &event, lane->object, RANK_STATE);
}

/* What the running task has told of the wait that it is about to begin, as a state.
 * Source: viewalyzer-wire.md sections 13.4, 13.7, 13.8 */
static void
follow_run (const TsEvent *event,
            guint32 task,
            gboolean in_interrupt,
            guint *next,
            guint32 *arg)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;

  switch (event->kind)
    {
    case TS_EVENT_SLEEP:
      if (event->object == task)
        *next = is_start ? TS_STATE_SLEEPING : TS_STATE_NONE;
      break;

    case TS_EVENT_MUTEX_CONTENTION:
      if (event->value == task)
        {
          *next = TS_STATE_BLOCKED;
          *arg = event->object;
        }
      break;

    case TS_EVENT_TASK_STATE:
      if (event->object != task)
        break;
      switch (event->value & 0xFF)
        {
        case WIRE_READY:
          *next = TS_STATE_READY;
          break;
        case WIRE_BLOCKED:
          if (*next == TS_STATE_SLEEPING || *next == TS_STATE_SUSPENDED)
            break;
          *next = TS_STATE_BLOCKED;
          *arg = (guint32) ts_event_get_detail (event);
          break;
        case WIRE_SLEEPING:
          *next = TS_STATE_SLEEPING;
          break;
        case WIRE_SUSPENDED:
          *next = TS_STATE_SUSPENDED;
          break;
        default:
          break;
        }
      break;

    case TS_EVENT_STACK_USAGE:
    case TS_EVENT_SEQ_CHECKPOINT:
    case TS_EVENT_TASK_CREATE:
    case TS_EVENT_TASK_PRIORITY:
    case TS_EVENT_TASK_SWITCH:
    case TS_EVENT_ISR:
      break;

    default:
      /* It went on without waiting. */
      if (event->kind < TS_EVENT_DWT_PC && !in_interrupt)
        *next = TS_STATE_NONE;
      break;
    }
}

/* The run since @row: carries what the task told of its next state. */
static void
carry_next_state (State *self,
                  const TsLaneInfo *lane,
                  const TsEvent *in,
                  guint64 row)
{
  TsEvent events[BATCH];
  guint next = TS_STATE_NONE;
  guint32 arg = 0;
  guint depth = 0;
  guint n = 0;

  if (self->end_row - row > MAX_LOOK_ROWS)
    return;

  for (row++; row < self->end_row; row += n)
    {
      if (!ts_recording_read_events (self->recording, row, (guint) MIN (BATCH, self->end_row - row),
                                     events, &n, NULL)
          || n == 0)
        return;
      for (guint i = 0; i < n; i++)
        {
          if (events[i].core != in->core)
            continue;
          if (events[i].kind == TS_EVENT_ISR)
            depth += (events[i].flags & TS_EVENT_FLAG_START) != 0 ? 1 : depth > 0 ? -1 : 0;
          else
            follow_run (&events[i], lane->object, depth > 0, &next, &arg);
        }
    }
  carry_state (self, lane, in->core, next, arg);
}

static void
add_task (State *self,
          const TsLaneInfo *lane)
{
  g_autoptr (GArray) held = get_held (self, lane->id);
  const TsSlice *slice;
  TsEvent event = { .kind = TS_EVENT_TASK_SWITCH, .object = lane->object, .core = lane->core,
                    .flags = TS_EVENT_FLAG_START };
  guint64 row = 0;
  gboolean is_found;

  if (held->len == 0)
    return;

  slice = &g_array_index (held, TsSlice, held->len - 1);
  if (slice->state != TS_STATE_RUNNING)
    {
      carry_state (self, lane, lane->core, slice->state, slice->arg);
      return;
    }

  is_found = find_event (self, slice->begin, is_switch_in, lane->object, 0, &event, &row);
  if (_ts_event_filter_matches (self->filter, &event))
    carry (self, &event, row, RANK_SWITCH);
  if (is_found)
    carry_next_state (self, lane, &event, row);
}

/* The last switch of a processor before the time. */
static gboolean
find_last_switch (State *self,
                  guint8 core,
                  TsEvent *found,
                  guint64 *found_row)
{
  TsEvent events[BATCH];
  guint64 end = self->end_row;
  guint64 stop = end > MAX_LOOK_ROWS ? end - MAX_LOOK_ROWS : 1;
  guint n = 0;

  while (end > stop)
    {
      guint64 row = end - stop > BATCH ? end - BATCH : stop;

      if (!ts_recording_read_events (self->recording, row, (guint) (end - row), events, &n, NULL))
        return FALSE;
      for (guint i = n; i-- > 0;)
        if (events[i].kind == TS_EVENT_TASK_SWITCH && events[i].core == core)
          {
            *found = events[i];
            *found_row = row + i;
            return TRUE;
          }
      end = row;
    }
  return FALSE;
}

/* A task has left, the next was never seen to come, and later one left again: there is no slice of
 * the scheduler, but the processor counts as busy. */
static gboolean
find_lost_switch (State *self,
                  guint8 core,
                  TsEvent *found,
                  guint64 *found_row)
{
  g_autoptr (GArray) busy = get_held (self, TS_LANE_ID_CPU (core));

  return busy->len > 0 && find_last_switch (self, core, found, found_row)
         && (found->flags & TS_EVENT_FLAG_START) == 0;
}

/* The scheduler is at work: a task has left and the next has not come. */
static void
add_scheduler (State *self,
               const TsLaneInfo *lane)
{
  g_autoptr (GArray) held = get_held (self, lane->id);
  TsEvent event;
  guint64 row;

  if (held->len == 0)
    {
      if (find_lost_switch (self, (guint8) lane->core, &event, &row)
          && _ts_event_filter_matches (self->filter, &event))
        carry (self, &event, row, RANK_SWITCH);
    }
  else if (find_event (self, g_array_index (held, TsSlice, held->len - 1).begin, is_switch_out,
                       lane->core, 0, &event, &row)
           && _ts_event_filter_matches (self->filter, &event))
    {
      carry (self, &event, row, RANK_SWITCH);
    }
}

/* Handlers and spans that are open. */
static void
add_open (State *self,
          const TsLaneInfo *lane)
{
  g_autoptr (GArray) held = get_held (self, lane->id);

  for (guint i = 0; i < held->len; i++)
    {
      const TsSlice *slice = &g_array_index (held, TsSlice, i);
      TsEvent event = { .kind = lane->kind == TS_LANE_ISR ? TS_EVENT_ISR : TS_EVENT_USER_EVENT,
                        .object = lane->object, .core = lane->core,
                        .flags = TS_EVENT_FLAG_START };
      guint64 row = 0;
      guint nth = 0;

      for (guint j = 0; j < held->len; j++)
        {
          const TsSlice *other = &g_array_index (held, TsSlice, j);

          if (other->begin == slice->begin && other->depth > slice->depth)
            nth++;
        }
      find_event (self, slice->begin, is_begin, lane->object, nth, &event, &row);
      if (event.kind == TS_EVENT_DWT_EXC)
        {
          /* A return ends what lies above it, and this one lies above others. */
          event.flags = TS_EVENT_FLAG_START;
          event.detail = WIRE_ENTERED;
        }
      if (_ts_event_filter_matches (self->filter, &event))
        carry (self, &event, row, lane->kind == TS_LANE_ISR ? RANK_INTERRUPT : RANK_SPAN);
    }
}

/* Levels and values. */
static void
add_value (State *self,
           const TsLaneInfo *lane)
{
  g_autoptr (GArray) held = get_held (self, lane->id);
  TsEvent event;
  guint64 row;

  /* a rate is worked out, not told */
  if (held->len > 0 && lane->object != 0
      && find_event (self, g_array_index (held, TsSlice, held->len - 1).begin, is_sample,
                     lane->object, 0, &event, &row)
      && _ts_event_filter_matches (self->filter, &event))
    carry (self, &event, row, RANK_VALUE);
}

static gboolean
note_priority (guint64 row,
               const TsEvent *event,
               gpointer user_data)
{
  State *self = user_data;

  g_hash_table_replace (self->priorities, GUINT_TO_POINTER (event->object),
                        g_memdup2 (event, sizeof *event));
  return TRUE;
}

/* The priorities that tasks had, where they ever changed. */
static gboolean
add_priorities (State *self,
                GCancellable *cancellable,
                GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_TASK_PRIORITY };
  g_autoptr (GError) reason = NULL;
  GHashTableIter iter;
  gpointer value;

  if (!_ts_analysis_scan (self->recording, kinds, 1, 0, self->time, note_priority, self,
                          cancellable, &reason)
      && !g_error_matches (reason, TS_MODEL_ERROR, TS_MODEL_ERROR_WINDOW_TOO_WIDE))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }

  g_hash_table_iter_init (&iter, self->priorities);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const TsEvent *event = value;

      if (_ts_event_filter_matches (self->filter, event))
        carry (self, event, event->object, RANK_PRIORITY);
    }
  return TRUE;
}

static int
compare_carried (gconstpointer a,
                 gconstpointer b)
{
  const Carried *left = a;
  const Carried *right = b;

  if (left->rank != right->rank)
    return left->rank < right->rank ? -1 : 1;
  return left->row < right->row ? -1 : left->row > right->row;
}

/**
 * _ts_export_add_state:
 * @recording: a recording
 * @time: tick
 * @filter: lanes and kinds that count
 * @events: (element-type TsEvent): the events are appended; all at @time, with
 *   %TS_EVENT_FLAG_SYNTHETIC
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Puts the state just before the events at @time into events: priorities that changed, the value of
 * each channel, the spans that are open, the task that runs on each processor (or the one that has
 * just left it), the states of the others, and the handlers that are open, outer ones first.
 *
 * Cost: some 100 us a lane; 100 ns a row before @time if priorities ever change
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_CANCELLED, %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
_ts_export_add_state (TsRecording *recording,
                      gint64 time,
                      const TsEventFilter *filter,
                      GArray *events,
                      GCancellable *cancellable,
                      GError **error)
{
  g_autoptr (GArray) carried = g_array_new (FALSE, FALSE, sizeof (Carried));
  g_autoptr (GHashTable) priorities = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  State self = { .recording = recording, .filter = filter, .time = time, .carried = carried,
                 .priorities = priorities };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  if (time <= 0)
    return TRUE;

  self.end_row = ts_recording_row_at_time (recording, time);
  if (!add_priorities (&self, cancellable, error))
    return FALSE;

  for (guint i = 0; i < n_lanes; i++)
    {
      if (!_ts_query_check_cancelled (cancellable, error))
        return FALSE;

      switch (lanes[i].kind)
        {
        case TS_LANE_TASK:
          add_task (&self, &lanes[i]);
          break;
        case TS_LANE_RTOS:
          add_scheduler (&self, &lanes[i]);
          break;
        case TS_LANE_ISR:
        case TS_LANE_SPAN:
          add_open (&self, &lanes[i]);
          break;
        case TS_LANE_TOGGLE:
        case TS_LANE_VALUE:
          add_value (&self, &lanes[i]);
          break;
        default:
          break;
        }
    }

  g_array_sort (carried, compare_carried);
  for (guint i = 0; i < carried->len; i++)
    g_array_append_val (events, g_array_index (carried, Carried, i).event);
  return TRUE;
}
