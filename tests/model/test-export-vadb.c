/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-export-vadb.c: parts of a real recording as recordings of their own.
 *
 * The expected state at the cut is worked out here by walking through all events before it; the
 * lanes of the part are held against those of the whole.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "model/ts-analysis-private.h"
#include "model/ts-export-vadb.h"
#include "model/ts-statistics.h"

#include "capture-fixture.h"
#include "open-fixture.h"

#define N_CUTS 25
#define MAX_OBJECTS 256

/* Functions of an exception packet. Source: itm-dwt.md section 2.7 */
#define ENTERED 1
#define EXITED 2
#define RETURNED 3

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "part.vadb");
  fixture_decode (data, "va-cobs", fixture->path);
  fixture_open (fixture);
}

static TsRecording *
cut (Fixture *fixture,
     const TsQueryOptions *options,
     gboolean rebase,
     guint64 *n_events)
{
  g_autoptr (GError) error = NULL;
  TsRecording *part;

  ts_export_vadb (fixture->recording, fixture->output, options, rebase, NULL, NULL, NULL, n_events,
                  &error);
  g_assert_no_error (error);
  part = ts_recording_open (fixture->output, &error);
  g_assert_no_error (error);
  return part;
}

static TsEvent *
read_all (TsRecording *recording,
          guint *n)
{
  guint64 n_rows = ts_recording_get_n_rows (recording);
  TsEvent *events = g_new0 (TsEvent, n_rows + 1);
  guint n_read = 0;

  g_assert_true (ts_recording_read_events (recording, 1, (guint) n_rows, events, &n_read, NULL));
  g_assert_cmpuint (n_read, ==, n_rows);
  *n = n_read;
  return events;
}

static void
check_event (TsRecording *whole,
             const TsEvent *expected,
             TsRecording *part,
             const TsEvent *got,
             gint64 offset)
{
  g_assert_cmpint (got->time, ==, expected->time - offset);
  g_assert_cmpint (got->kind, ==, expected->kind);
  g_assert_cmpuint (got->core, ==, expected->core);
  g_assert_cmpuint (got->flags, ==, expected->flags);
  g_assert_cmpint (got->value, ==, expected->value);
  g_assert_cmpint (ts_event_get_detail (got), ==, ts_event_get_detail (expected));
  g_assert_cmpuint (got->object, ==, expected->object);
  g_assert_cmpstr (ts_recording_get_string (part, ts_event_get_text_id (got)), ==,
                   ts_recording_get_string (whole, ts_event_get_text_id (expected)));
}

/* ---- the state at the cut, from the events before it ---- */

typedef struct
{
  guint32 running;
  gboolean is_switching;
  guint32 stack[64];  /* interrupts */
  guint n_stack;
  guint32 exceptions[64];
  guint n_exceptions;
  guint32 sampled;    /* function */
  guint n_spans[MAX_OBJECTS];
  TsEvent samples[MAX_OBJECTS];
  gboolean has_sample[MAX_OBJECTS];
  gint64 priority[MAX_OBJECTS];
  gboolean has_priority[MAX_OBJECTS];
} Walk;

/* What trace hardware tells. */
static void
walk_exception (Walk *walk,
                const TsEvent *event)
{
  guint at = walk->n_exceptions;

  while (at > 0 && walk->exceptions[at - 1] != event->object)
    at--;
  if (event->detail == EXITED && at > 0)
    walk->n_exceptions = at - 1;
  if (event->detail == RETURNED)
    walk->n_exceptions = at;
  if (event->detail == ENTERED || (event->detail == RETURNED && at == 0 && event->value != 0))
    walk->exceptions[walk->n_exceptions++] = event->object;
}

static void
walk_event (Walk *walk,
            const TsEvent *event)
{
  gboolean is_start = (event->flags & TS_EVENT_FLAG_START) != 0;
  guint i;

  g_assert_cmpuint (event->object, <, MAX_OBJECTS);
  switch (event->kind)
    {
    case TS_EVENT_TASK_SWITCH:
      walk->running = is_start ? event->object : 0;
      walk->is_switching = !is_start;
      walk->n_stack = 0;
      break;

    case TS_EVENT_ISR:
      if (is_start)
        {
          walk->stack[walk->n_stack++] = event->object;
          break;
        }
      for (i = walk->n_stack; i > 0 && walk->stack[i - 1] != event->object; i--)
        ;
      if (i > 0)
        walk->n_stack = i - 1;
      break;

    case TS_EVENT_USER_EVENT:
      if (is_start)
        walk->n_spans[event->object]++;
      else if (walk->n_spans[event->object] > 0)
        walk->n_spans[event->object]--;
      break;

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
      walk->samples[event->object] = *event;
      walk->has_sample[event->object] = TRUE;
      break;

    case TS_EVENT_TASK_PRIORITY:
      walk->priority[event->object] = event->value;
      walk->has_priority[event->object] = TRUE;
      break;

    case TS_EVENT_DWT_EXC:
      walk_exception (walk, event);
      break;

    case TS_EVENT_DWT_PC:
      walk->sampled = event->object;
      break;

    case TS_EVENT_ITM_OVERFLOW:
      walk->n_exceptions = 0;
      walk->sampled = 0;
      break;

    case TS_EVENT_DATA_LOSS:
    case TS_EVENT_SESSION_START:
      /* From here on nothing is known. */
      walk->running = 0;
      walk->is_switching = FALSE;
      walk->n_stack = 0;
      memset (walk->n_spans, 0, sizeof walk->n_spans);
      break;

    default:
      break;
    }
}

/* The carried events say what the walk found, and nothing else. */
static void
check_carried (Walk *walk,
               const TsEvent *carried,
               guint n_carried,
               gboolean has_loss)
{
  guint32 running = 0;
  gboolean is_switching = FALSE;
  guint n_stack = 0;
  guint n_exceptions = 0;
  guint32 sampled = 0;
  guint n_samples = 0;
  guint n_spans = 0;

  for (guint i = 0; i < n_carried; i++)
    {
      const TsEvent *event = &carried[i];

      g_assert_cmpint (event->time, ==, carried[0].time);
      switch (event->kind)
        {
        case TS_EVENT_TASK_SWITCH:
          g_assert_cmpuint (running, ==, 0);
          g_assert_false (is_switching);
          if ((event->flags & TS_EVENT_FLAG_START) != 0)
            running = event->object;
          else
            is_switching = TRUE;
          break;

        case TS_EVENT_ISR:
          g_assert_cmpuint (n_stack, <, walk->n_stack);
          g_assert_cmpuint (event->object, ==, walk->stack[n_stack++]);
          g_assert_true ((event->flags & TS_EVENT_FLAG_START) != 0);
          break;

        case TS_EVENT_DWT_EXC:
          g_assert_cmpuint (n_exceptions, <, walk->n_exceptions);
          g_assert_cmpuint (event->object, ==, walk->exceptions[n_exceptions++]);
          break;

        case TS_EVENT_DWT_PC:
          g_assert_cmpuint (sampled, ==, 0);
          sampled = event->object;
          break;

        case TS_EVENT_USER_EVENT:
          g_assert_cmpuint (walk->n_spans[event->object], >, 0);
          walk->n_spans[event->object]--;
          n_spans++;
          break;

        case TS_EVENT_TASK_STATE:
          break;

        case TS_EVENT_TASK_PRIORITY:
          g_assert_true (walk->has_priority[event->object]);
          g_assert_cmpint (walk->priority[event->object], ==, event->value);
          walk->has_priority[event->object] = FALSE;
          break;

        default:
          g_assert_true (walk->has_sample[event->object]);
          g_assert_cmpint (walk->samples[event->object].kind, ==, event->kind);
          g_assert_cmpint (walk->samples[event->object].value, ==, event->value);
          walk->has_sample[event->object] = FALSE;
          n_samples++;
          break;
        }
    }

  g_assert_cmpuint (running, ==, walk->running);
  /* A switch that a loss cut off is on no lane. */
  g_assert_true (is_switching == walk->is_switching || (has_loss && walk->is_switching));
  g_assert_cmpuint (n_stack, ==, walk->n_stack);
  g_assert_cmpuint (n_exceptions, ==, walk->n_exceptions);
  g_assert_cmpuint (sampled, ==, walk->sampled);
  for (guint i = 0; i < MAX_OBJECTS; i++)
    {
      g_assert_false (walk->has_sample[i]);
      g_assert_false (walk->has_priority[i]);
      g_assert_cmpuint (walk->n_spans[i], ==, 0);
    }
}

/* ---- lanes ---- */

static GArray *
read_slices (TsRecording *recording,
             guint32 lane,
             gint64 begin,
             gint64 end,
             gint64 offset,
             gboolean only_runs)
{
  GArray *slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  g_autofree TsSliceCursor *cursor = g_new (TsSliceCursor, 1);
  const TsLaneInfo *info = ts_recording_get_lane (recording, lane);
  gboolean is_point = info != NULL && info->kind == TS_LANE_OBJECT;
  const TsSlice *next;

  _ts_slice_cursor_init (cursor, recording, lane, begin - offset, end + 1 - offset);
  while ((next = _ts_slice_cursor_next (cursor)) != NULL)
    {
      TsSlice slice = *next;

      if (only_runs && slice.state != TS_STATE_RUNNING)
        continue;
      slice.begin = MAX (slice.begin + offset, begin);
      slice.end = MIN (slice.end + offset, end);
      /* What ended just as the part begins is an instant there. */
      if (slice.end > slice.begin || is_point || slice.begin > begin)
        g_array_append_val (slices, slice);
    }
  return slices;
}

/* Between its ends the part shows the states that the whole shows. A wait that lasts to the end of
 * the part, or to a run that does, is left out: what it was the whole learns from what comes after.
 */
static guint
check_lanes (TsRecording *whole,
             TsRecording *part,
             gint64 begin,
             gint64 end,
             gint64 offset)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (whole, &n_lanes);
  gboolean has_loss = ts_recording_get_lane (whole, TS_LANE_ID_LOSS) != NULL;
  guint n_compared = 0;

  for (guint i = 0; i < n_lanes; i++)
    {
      const TsLaneInfo *lane = &lanes[i];
      g_autoptr (GArray) expected = NULL;
      g_autoptr (GArray) got = NULL;
      gboolean only_runs;
      gint64 until = end;

      if (lane->kind == TS_LANE_MESSAGE || lane->kind == TS_LANE_DENSITY
          || lane->kind == TS_LANE_LOSS)
        continue;
      /* What was given and never seen taken, because the packet was lost, is not carried: it may
       * change what a wait was. */
      only_runs = has_loss && lane->kind == TS_LANE_TASK;
      expected = read_slices (whole, lane->id, begin, end, 0, only_runs);
      got = read_slices (part, lane->id, begin, end, offset, only_runs);

      if (lane->kind == TS_LANE_TASK)
        {
          /* Everything up to the begin of the last run but one. */
          gint64 last = begin;

          until = begin;
          for (guint k = 0; k < expected->len; k++)
            if (g_array_index (expected, TsSlice, k).state == TS_STATE_RUNNING)
              {
                until = last;
                last = g_array_index (expected, TsSlice, k).begin;
              }
        }

      for (guint k = 0; k < expected->len; k++)
        {
          const TsSlice *left = &g_array_index (expected, TsSlice, k);
          const TsSlice *right = &g_array_index (got, TsSlice, k);

          if (left->end > until || left->end == end)
            break;
          g_assert_cmpuint (k, <, got->len);
          if (left->begin != right->begin || left->end != right->end || left->state != right->state
              || (left->arg != right->arg && lane->kind != TS_LANE_OBJECT
                  /* What interrupts took of a run before the part began is not in it. */
                  && (left->state != TS_STATE_RUNNING || left->begin > begin)))
            g_error ("%s: %ld to %ld: state %u (%u), not %u (%u) %ld to %ld in the part of %ld to "
                     "%ld", lane->name, (long) left->begin, (long) left->end, left->state,
                     left->arg, right->state, right->arg, (long) right->begin, (long) right->end,
                     (long) begin, (long) end);
          g_assert_cmpfloat (left->value, ==, right->value);
          g_assert_cmpuint (left->depth, ==, right->depth);
          n_compared++;
        }
    }
  return n_compared;
}

/* ---- tests ---- */

/* How many slices of a part were compared. */
static guint
check_cut (Fixture *fixture,
           const TsEvent *whole,
           guint n_whole,
           gint64 begin_us,
           gint64 end_us,
           gboolean rebase)
{
  gint64 duration = ts_recording_get_duration (fixture->recording);
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) part = NULL;
  g_autofree TsEvent *got = NULL;
  g_autofree Walk *walk = g_new0 (Walk, 1);
  gint64 begin, end, offset;
  guint64 n_events = 0;
  guint n_got = 0;
  guint n_carried = 0;
  guint n_counted = 0;
  guint at = 0;

  options.t_start_us = begin_us;
  options.t_end_us = end_us;
  part = cut (fixture, &options, rebase, &n_events);
  got = read_all (part, &n_got);
  begin = ts_recording_us_to_ticks (fixture->recording, begin_us);
  end = MIN (end_us * (gint64) ts_recording_get_clock_hz (fixture->recording) / 1000000,
             duration);
  offset = rebase ? begin : 0;

  for (; at < n_whole && whole[at].time < begin; at++)
    walk_event (walk, &whole[at]);
  while (n_carried < n_got && (got[n_carried].flags & TS_EVENT_FLAG_SYNTHETIC) != 0
         && got[n_carried].kind < TS_EVENT_DATA_LOSS)
    n_carried++;
  if (n_carried > 0)
    g_assert_cmpint (got[0].time, ==, begin - offset);
  check_carried (walk, got, n_carried,
                 ts_recording_get_lane (fixture->recording, TS_LANE_ID_LOSS) != NULL);

  for (guint i = n_carried; i < n_got; i++)
    {
      if (at == n_whole || whole[at].time > end)
        {
          g_assert_cmpint (got[i].kind, ==, TS_EVENT_CAPTURE_END);
          g_assert_cmpuint (i, ==, n_got - 1);
          break;
        }
      check_event (fixture->recording, &whole[at++], part, &got[i], offset);
      n_counted += ts_event_is_counted (&got[i]) ? 1 : 0;
    }
  g_assert_true (at == n_whole || whole[at].time > end);
  g_assert_cmpuint (n_events, ==, n_counted);
  g_assert_cmpuint (ts_recording_get_n_events (part), ==, n_counted);
  return check_lanes (fixture->recording, part, begin, end, offset);
}

static void
test_random_cuts (Fixture *fixture,
                  gconstpointer data)
{
  guint n_whole = 0;
  g_autofree TsEvent *whole = read_all (fixture->recording, &n_whole);
  guint n_compared = 0;
  gint64 duration = ts_recording_get_duration (fixture->recording);
  gint64 duration_us = ts_recording_ticks_to_us (fixture->recording, duration);

  for (guint round = 0; round < N_CUTS; round++)
    {
      gint64 begin_us = g_test_rand_int_range (0, (gint32) duration_us);
      gint64 end_us = g_test_rand_int_range ((gint32) begin_us, (gint32) duration_us + 1000);

      n_compared += check_cut (fixture, whole, n_whole, begin_us, end_us, g_test_rand_bit ());
    }
  g_assert_cmpuint (n_compared, >, n_whole);
}

/* ---- trace hardware ---- */

/* Objects of a recording of trace hardware, from 1 on: three of a kind. */
enum
{
  FIRST_EXCEPTION = 1,
  FIRST_FUNCTION = 4,
  FIRST_VALUE = 7,
  LAST_VALUE = 10,
  THREAD_MODE = 11
};

static void
define_hardware (TsEventSink *sink)
{
  static const TsObjectType types[]
      = { TS_OBJECT_EXCEPTION, TS_OBJECT_EXCEPTION, TS_OBJECT_EXCEPTION, TS_OBJECT_FUNCTION,
          TS_OBJECT_FUNCTION,  TS_OBJECT_FUNCTION,  TS_OBJECT_WATCH,     TS_OBJECT_ITM_PORT,
          TS_OBJECT_POLLED,    TS_OBJECT_USER_TRACE, TS_OBJECT_EXCEPTION };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *name = g_strdup_printf ("object %u", i + 1);
      TsObject object = TS_OBJECT_INIT;

      object.type = types[i];
      object.name = name;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, i + 1);
    }
}

static TsEvent
make_hardware_event (gint64 time,
                     guint32 *entered)
{
  static const TsEventKind values[]
      = { TS_EVENT_DWT_DATA, TS_EVENT_ITM_DATA, TS_EVENT_POLL_TRACE, TS_EVENT_EXTERNAL_TRACE };
  TsEvent event = { .time = time };
  guint choice = (guint) g_test_rand_int_range (0, 100);

  if (choice == 0)
    {
      event.kind = TS_EVENT_ITM_OVERFLOW;
      *entered = 0;
    }
  else if (choice < 30)
    {
      event.kind = TS_EVENT_DWT_PC;
      event.object = FIRST_FUNCTION + (guint32) g_test_rand_int_range (0, 3);
    }
  else if (choice < 60)
    {
      guint n = (guint) g_test_rand_int_range (0, 4);

      event.kind = values[n];
      event.object = FIRST_VALUE + n;
      event.value = g_test_rand_int_range (-100, 100);
    }
  else
    {
      /* entered, exited, and returned to what was entered before, or to thread mode */
      event.kind = TS_EVENT_DWT_EXC;
      event.detail = *entered == 0 ? ENTERED : g_test_rand_int_range (ENTERED, RETURNED + 1);
      event.object = FIRST_EXCEPTION + (guint32) g_test_rand_int_range (0, 3);
      if (event.detail == RETURNED && g_test_rand_bit ())
        event.object = THREAD_MODE;
      event.value = event.object == THREAD_MODE ? 0 : event.object + 15;
      event.flags = event.detail == ENTERED ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END;
      *entered = event.detail == ENTERED ? event.object : *entered;
    }
  return event;
}

static void
set_up_hardware (Fixture *fixture,
                 gconstpointer data)
{
  TsRecordingWriter *writer;
  TsEventSink *sink;
  gint64 time = 0;
  guint32 entered = 0;

  fixture_init (fixture, "part.vadb");
  writer = ts_recording_writer_new (fixture->path, NULL, NULL);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, FIXTURE_HZ);
  define_hardware (sink);
  for (guint i = 0; i < 3000; i++)
    {
      TsEvent event = make_hardware_event (time, &entered);
      gint step = g_test_rand_int_range (-300, 600);

      sink->iface->events (sink, &event, 1);
      time += MAX (step, 0);
    }
  g_assert_true (ts_recording_writer_close (writer, "end of file", NULL));
  ts_recording_writer_free (writer);
  fixture_open (fixture);
}

/* Where the part begins a task has left, and the coming of the next one was lost. */
static void
test_lost_switch (Fixture *fixture,
                  gconstpointer data)
{
  guint n_whole = 0;
  g_autofree TsEvent *whole = read_all (fixture->recording, &n_whole);

  g_assert_cmpuint (check_cut (fixture, whole, n_whole, 1862365, 1997113, FALSE), >, 0);
}

/* Carried states are no events: figures count what arrived. */
static void
test_figures (Fixture *fixture,
              gconstpointer data)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) part = NULL;
  g_autofree char *text = NULL;

  options.t_start_us = 500000;
  options.t_end_us = 900000;
  part = cut (fixture, &options, FALSE, NULL);

  text = fixture_sql (fixture->output,
                      "SELECT count(*) FROM va_task_stats s WHERE type='task' AND run_count<>"
                      "(SELECT count(*) FROM va_events e WHERE e.object_id=s.object_id AND "
                      "kind='task_switch' AND start=1 AND flags&4=0)");
  g_assert_cmpstr (text, ==, "0");
  g_clear_pointer (&text, g_free);
  text = fixture_sql (fixture->output,
                      "SELECT count(*) FROM va_trace_stats s WHERE count<>(SELECT count(*) FROM "
                      "va_events e WHERE e.object_id=s.object_id AND flags&4=0)");
  g_assert_cmpstr (text, ==, "0");
  g_clear_pointer (&text, g_free);

  /* The recorder sends no task states here: one that was carried must not turn guesses off. */
  text = fixture_sql (fixture->output, "SELECT count(*) FROM va_events WHERE kind='task_state' AND "
                                       "flags&4=0");
  g_assert_cmpstr (text, ==, "0");
  g_clear_pointer (&text, g_free);
  text = fixture_sql (fixture->output, "SELECT value FROM meta WHERE key='ts_cut_of'");
  g_assert_cmpstr (text, ==, ts_recording_get_id (fixture->recording));
  g_assert_cmpstr (ts_recording_get_id (part), !=, ts_recording_get_id (fixture->recording));
}

static void
test_chosen (Fixture *fixture,
             gconstpointer data)
{
  static const char * const lanes[] = { "Ctrl", "ISR:TIM1_Sample", NULL };
  static const char * const kinds[] = { "task_switch", "isr_enter", NULL };
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) part = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *got = NULL;
  guint64 n_events = 0;

  options.t_start_us = 500000;
  options.lanes = lanes;
  options.kinds = kinds;
  part = cut (fixture, &options, FALSE, &n_events);

  expected = fixture_sql (fixture->path,
                          "SELECT kind,start,object,t_cycles FROM va_events WHERE "
                          "t_cycles>=12500000 AND ((object='Ctrl' AND kind='task_switch') OR "
                          "(object='TIM1_Sample' AND kind='isr' AND start=1))");
  got = fixture_sql (fixture->output, "SELECT kind,start,object,t_cycles FROM va_events WHERE "
                                      "flags&4=0");
  g_assert_cmpstr (got, ==, expected);
  g_assert_cmpuint (n_events, >, 100);
  g_clear_pointer (&got, g_free);
  got = fixture_sql (fixture->output, "SELECT DISTINCT object FROM va_events WHERE flags&4 AND "
                                      "object NOT NULL");
  g_assert_cmpstr (got, ==, "Ctrl\nTIM1_Sample");
  g_clear_pointer (&got, g_free);
  got = fixture_sql (fixture->output, "SELECT count(*) FROM va_objects WHERE name='Sensor'");
  g_assert_cmpstr (got, ==, "1");
}

/* A part of a part is the part of the whole. */
static void
test_twice (Fixture *fixture,
            gconstpointer data)
{
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autofree char *second = g_build_filename (fixture->dir, "second.vadb", NULL);
  g_autoptr (TsRecording) part = NULL;
  g_autofree char *direct = NULL;
  g_autofree char *again = NULL;
  const char *sql = "SELECT t_cycles,kind,start,object,core,value,detail,text,flags FROM va_events";

  options.t_start_us = 700000;
  options.t_end_us = 800000;
  g_clear_object (&part);
  part = cut (fixture, &options, FALSE, NULL);
  direct = fixture_sql (fixture->output, sql);
  g_clear_object (&part);

  options.t_start_us = 400000;
  options.t_end_us = 1200000;
  part = cut (fixture, &options, FALSE, NULL);
  options.t_start_us = 700000;
  options.t_end_us = 800000;
  g_assert_true (ts_export_vadb (part, second, &options, FALSE, NULL, NULL, NULL, NULL, NULL));
  again = fixture_sql (second, sql);
  g_assert_cmpstr (again, ==, direct);
}

static guint
count_files (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
cancel_soon (double fraction,
             gpointer user_data)
{
  g_assert_cmpfloat (fraction, <, 1.0);
  g_cancellable_cancel (user_data);
}

static void
test_failures (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *wal = g_strconcat (fixture->output, "-wal", NULL);

  g_assert_true (g_file_set_contents (fixture->output, "before", -1, NULL));
  g_assert_false (ts_export_vadb (fixture->recording, fixture->output, NULL, FALSE, cancel_soon,
                                  cancellable, cancellable, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "before");
  g_assert_cmpuint (count_files (fixture->dir), ==, 2);

  /* Never over the recording itself. */
  g_assert_false (ts_export_vadb (fixture->recording, fixture->path, NULL, FALSE, NULL, NULL, NULL,
                                  NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_clear_error (&error);

  /* What an older recording left beside it would be taken for the new one's. */
  g_assert_true (g_file_set_contents (wal, "stale", -1, NULL));
  g_assert_true (ts_export_vadb (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL, NULL,
                                 NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_files (fixture->dir), ==, 2);
}

/* Where only some tasks are, others may run in between: the load is that of those that are there, also
 * when the lanes are made again, and when the part is cut out once more. */
static void
test_load_of_lanes (Fixture *fixture,
                    gconstpointer data)
{
  static const char * const lanes[] = { "Ctrl", NULL };
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) part = NULL;
  g_autoptr (TsStatistics) statistics = NULL;
  g_autofree char *load = NULL;
  g_autofree char *scheduler = NULL;
  g_autofree TsEvent *events = NULL;
  gint64 ran = 0;
  gint64 since = -1;
  guint n;

  options.lanes = lanes;
  part = cut (fixture, &options, FALSE, NULL);
  events = read_all (part, &n);
  for (guint i = 0; i < n; i++)
    if (events[i].kind == TS_EVENT_TASK_SWITCH)
      {
        if ((events[i].flags & TS_EVENT_FLAG_START) != 0)
          since = events[i].time;
        else if (since >= 0)
          ran += events[i].time - since;
      }
  g_assert_cmpint (ran, >, 0);
  load = ts_recording_dup_summary (part, "cpu_load_percent");
  g_assert_cmpfloat_with_epsilon (g_ascii_strtod (load, NULL),
                                  100.0 * (double) ran
                                      / (double) ts_recording_get_duration (part),
                                  0.01);
  /* figures of a range say the same as the summary */
  statistics = ts_statistics_new (part, 0, G_MAXINT64, 0, NULL, NULL);
  g_assert_cmpuint (statistics->n_loads, ==, 1);
  g_assert_cmpfloat_with_epsilon (statistics->loads[0].percent, g_ascii_strtod (load, NULL), 0.1);
  scheduler = fixture_sql (fixture->output, "SELECT count(*) FROM ts_lanes WHERE name='_RTOS_'");
  g_assert_cmpstr (scheduler, ==, "0");

  /* the part of the part */
  {
    g_autofree char *second = g_build_filename (fixture->dir, "second.vadb", NULL);
    g_autoptr (TsRecording) again = NULL;
    g_autofree char *same = NULL;

    g_assert_true (ts_export_vadb (part, second, NULL, FALSE, NULL, NULL, NULL, NULL, NULL));
    again = ts_recording_open (second, NULL);
    same = ts_recording_dup_summary (again, "cpu_load_percent");
    g_assert_cmpstr (same, ==, load);
    g_unlink (second);
  }
}

/* All of it: the same events, figures and lanes. */
static void
test_whole (Fixture *fixture,
            gconstpointer data)
{
  static const char * const sql[] = {
    "SELECT * FROM va_events", "SELECT * FROM va_objects", "SELECT * FROM va_task_stats",
    "SELECT * FROM va_trace_stats", "SELECT * FROM ts_lanes",
    "SELECT lane,level,seq,n_slices,begin,end FROM ts_nodes ORDER BY 1,2,3",
    "SELECT * FROM va_summary WHERE key NOT LIKE 'bytes%' ORDER BY key",
  };
  g_autoptr (TsRecording) part = cut (fixture, NULL, TRUE, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sql); i++)
    {
      g_autofree char *expected = fixture_sql (fixture->path, sql[i]);
      g_autofree char *got = fixture_sql (fixture->output, sql[i]);

      g_assert_cmpstr (got, ==, expected);
    }
  g_assert_nonnull (part);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/export-vadb/" name, Fixture, "m4_short.cobs", set_up, function, tear_down)
  ADD ("whole", test_whole);
  ADD ("figures", test_figures);
  ADD ("chosen", test_chosen);
  ADD ("load-of-lanes", test_load_of_lanes);
  ADD ("twice", test_twice);
  ADD ("failures", test_failures);
#undef ADD
  g_test_add ("/model/export-vadb/lost-switch", Fixture, "m4_noisy.cobs", set_up, test_lost_switch,
              tear_down);
#define ADD(name, capture)                                                                         \
  g_test_add ("/model/export-vadb/random-cuts/" name, Fixture, capture, set_up, test_random_cuts,  \
              tear_down)
  ADD ("wire-1", "m4_short.cobs");
  ADD ("bare-metal", "m3_baremetal.cobs");
  ADD ("noisy", "m4_noisy.cobs");
  ADD ("legacy", "legacy_u16.cobs");
  ADD ("v2", "v2_100.cobs");
  ADD ("v3", "v3_130.cobs");
#undef ADD
  g_test_add ("/model/export-vadb/random-cuts/hardware", Fixture, NULL, set_up_hardware,
              test_random_cuts, tear_down);

  return g_test_run ();
}
