/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-pyramid.c: what states and the timeline pyramid cost, and what a frame's queries cost.
 *
 * Synthetic events of a busy target (tasks of several priorities, nested interrupts, queue,
 * mutex, semaphore, values, spans, messages) go through the tracker into a lane store; the blobs
 * stay in memory. Then a scripted storm of zooms and pans asks for 32 lanes of 1920 columns.
 * Usage: bench-pyramid [EVENTS [track]]: with a second argument without the storm
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/ts-event-sink.h"
#include "model/ts-recording.h"
#include "model/ts-tracker-private.h"

#define N_LANES 32
#define N_COLUMNS 1920
#define BLOCK 65536

enum
{
  FIRST_TASK = 1,
  N_TASKS = 12,
  FIRST_ISR = 13,
  N_ISRS = 4,
  FIRST_SYNC = 17,
  N_SYNCS = 6,
  FIRST_VALUE = 23,
  N_VALUES = 5,
  FIRST_SPAN = 28,
  N_SPANS = 3,
  TOGGLE = 31,
  MESSAGES = 32,
  N_OBJECTS = 32,
};

/* Time that this thread had the CPU, in nanoseconds: other programs do not count. */
static gint64
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A simulated target that writes events. */
typedef struct
{
  GRand *rand;
  gint64 time;
  guint running;
  gint64 next_tick;
  gint64 next_burst;
  gint burst;
  double value[N_VALUES];
  gboolean span_open[N_SPANS];
  gboolean level;
  TsEvent *out;
  gsize n_out;
} Target;

static void
emit (Target *self,
      guint kind,
      guint32 object,
      guint flags,
      gint64 value,
      gint64 detail)
{
  self->out[self->n_out++] = (TsEvent){ .time = self->time,
                                        .object = object,
                                        .kind = (guint16) kind,
                                        .flags = (guint8) flags,
                                        .value = value,
                                        .detail = detail };
}

static gint64
around (Target *self,
        gint32 ticks)
{
  return g_rand_int_range (self->rand, ticks / 4, ticks * 2);
}

static void
interrupt (Target *self,
           guint isr)
{
  emit (self, TS_EVENT_ISR, FIRST_ISR + isr, TS_EVENT_FLAG_START, 0, 0);
  self->time += around (self, 200);
  if (isr > 0 && g_rand_int_range (self->rand, 0, 8) == 0)
    interrupt (self, isr - 1);
  if (isr == 2)
    emit (self, TS_EVENT_SEMAPHORE, FIRST_SYNC + 1, TS_EVENT_FLAG_START, 0, 0);
  self->time += around (self, 100);
  emit (self, TS_EVENT_ISR, FIRST_ISR + isr, TS_EVENT_FLAG_END, 0, 0);
}

static void
switch_to (Target *self,
           guint task)
{
  emit (self, TS_EVENT_TASK_SWITCH, FIRST_TASK + self->running, TS_EVENT_FLAG_END, 0, 0);
  self->time += g_rand_int_range (self->rand, 60, 90);
  emit (self, TS_EVENT_TASK_SWITCH, FIRST_TASK + task, TS_EVENT_FLAG_START, 0, 0);
  self->running = task;
  self->time += g_rand_int_range (self->rand, 30, 60);
}

static void
act (Target *self)
{
  guint what = (guint) g_rand_int_range (self->rand, 0, 100);
  guint sync = (guint) g_rand_int_range (self->rand, 0, N_SYNCS);
  guint channel = (guint) g_rand_int_range (self->rand, 0, N_VALUES);
  guint span = (guint) g_rand_int_range (self->rand, 0, N_SPANS);

  if (what < 50)
    {
      static const guint16 kinds[N_SYNCS]
          = { TS_EVENT_QUEUE, TS_EVENT_SEMAPHORE, TS_EVENT_MUTEX,
              TS_EVENT_QUEUE, TS_EVENT_MUTEX,     TS_EVENT_EVENT_FLAG };

      emit (self, kinds[sync], FIRST_SYNC + sync,
            g_rand_boolean (self->rand) ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END, 0, 0);
    }
  else if (what < 72)
    {
      self->value[channel] += g_rand_int_range (self->rand, -20, 21);
      emit (self, TS_EVENT_USER_TRACE, FIRST_VALUE + channel, 0, (gint64) self->value[channel], 0);
    }
  else if (what < 95)
    {
      self->span_open[span] = !self->span_open[span];
      emit (self, TS_EVENT_USER_EVENT, FIRST_SPAN + span,
            self->span_open[span] ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END, 0, 0);
    }
  else if (what < 98)
    {
      self->level = !self->level;
      emit (self, TS_EVENT_USER_TOGGLE, TOGGLE, 0, self->level, 0);
    }
  else
    {
      emit (self, TS_EVENT_STRING, MESSAGES, TS_EVENT_FLAG_TEXT, 1,
            (gint64) ((guint64) g_rand_int_range (self->rand, 1, 400) << 32));
    }
}

/* Fills self->out with about @n events. */
static void
run_target (Target *self,
            gsize n)
{
  while (self->n_out + 40 < n)
    {
      if (self->time >= self->next_tick)
        {
          self->next_tick += 100000;
          interrupt (self, 0);
        }
      if (self->burst > 0)
        {
          self->burst--;
          self->time += around (self, 300);
          interrupt (self, (guint) g_rand_int_range (self->rand, 1, N_ISRS));
        }
      else if (self->time >= self->next_burst)
        {
          self->next_burst = self->time + around (self, 20000000);
          self->burst = g_rand_int_range (self->rand, 1, 200);
        }

      switch_to (self,
                 (self->running + (guint) g_rand_int_range (self->rand, 1, N_TASKS)) % N_TASKS);
      for (gint i = g_rand_int_range (self->rand, 0, 5); i > 0; i--)
        {
          self->time += around (self, 1500);
          act (self);
        }
      self->time += around (self, self->running == 0 ? 20000 : 4000);
      if (g_rand_int_range (self->rand, 0, 4) == 0)
        emit (self, TS_EVENT_SLEEP, FIRST_TASK + self->running, TS_EVENT_FLAG_START, 0, 0);
    }
}

static void
define_objects (TsTracker *tracker)
{
  for (guint32 id = 1; id <= N_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;
      g_autofree char *name = g_strdup_printf ("object %u", id);

      object.id = id;
      object.name = name;
      object.type = id < FIRST_ISR    ? TS_OBJECT_TASK
                    : id < FIRST_SYNC ? TS_OBJECT_ISR
                    : id < FIRST_VALUE ? TS_OBJECT_QUEUE
                    : id < FIRST_SPAN  ? TS_OBJECT_USER_TRACE
                    : id < TOGGLE      ? TS_OBJECT_USER_EVENT
                    : id < MESSAGES    ? TS_OBJECT_USER_TOGGLE
                                       : TS_OBJECT_STRING_CHANNEL;
      object.is_idle = id == FIRST_TASK;
      object.priority = object.type == TS_OBJECT_TASK ? id : TS_OBJECT_UNKNOWN;
      ts_tracker_set_object (tracker, &object);
    }
}

static GPtrArray *blobs;

static GBytes *
load (gint64 blob,
      gpointer user_data)
{
  guint64 *n_loads = user_data;

  (*n_loads)++;
  return g_bytes_ref (blobs->pdata[blob - 1]);
}

static gint
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* One frame: all lanes of a window. Returns microseconds. */
static double
query_frame (TsLaneReader *reader,
             const TsLaneInfo *lanes,
             guint n_lanes,
             gint64 begin,
             gint64 end,
             gint64 deadline_us,
             TsColumn *columns,
             GArray *slices,
             guint64 *n_coarse)
{
  gint64 start = now_ns ();
  gint64 deadline = deadline_us != 0 ? g_get_monotonic_time () + deadline_us : 0;

  for (guint i = 0; i < n_lanes; i++)
    {
      gboolean is_coarse;

      ts_lane_reader_query (reader, lanes[i].id, begin, end, N_COLUMNS, columns, slices,
                            deadline, &is_coarse);
      *n_coarse += is_coarse != FALSE;
    }
  return (double) (now_ns () - start) / 1000;
}

/* Zoom in about a point in steps, pan, zoom out, jump. */
static void
storm (TsLaneReader *reader,
       gint64 duration,
       guint64 *n_loads,
       gint64 deadline_us,
       const char *name)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (GArray) cold = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) warm = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  g_autofree TsColumn *columns = g_new (TsColumn, N_COLUMNS);
  guint n_lanes;
  const TsLaneInfo *lanes = ts_lane_reader_get_lanes (reader, &n_lanes);
  gint64 begin = 0;
  gint64 span = duration;
  guint64 n_coarse = 0;

  n_lanes = MIN (n_lanes, N_LANES);
  for (guint step = 0; step < 1500; step++)
    {
      gint64 focus = begin + (gint64) (g_rand_double (rand) * (double) span);
      guint phase = step / 60 % 4;
      double us;

      if (phase == 0)
        span = MAX (span * 4 / 5, 2000);
      else if (phase == 2)
        span = MIN (span * 5 / 4, duration);
      if (phase == 0 || phase == 2)
        begin = focus - span / 2;
      else
        begin += span / 40;
      if (step % 240 == 239)
        begin = (gint64) (g_rand_double (rand) * (double) duration);
      begin = CLAMP (begin, 0, duration - span);

      us = query_frame (reader, lanes, n_lanes, begin, begin + span, deadline_us, columns, slices,
                        &n_coarse);
      g_array_append_val (cold, us);
      /* The best of three: other programs also disturb by what they do to the caches. */
      us = G_MAXDOUBLE;
      for (guint again = 0; again < 3; again++)
        {
          double again_us = query_frame (reader, lanes, n_lanes, begin, begin + span, deadline_us,
                                         columns, slices, &n_coarse);

          us = MIN (us, again_us);
        }
      g_array_append_val (warm, us);
    }

  g_array_sort (cold, compare_doubles);
  g_array_sort (warm, compare_doubles);
#define AT(array, permille)                                                                        \
  g_array_index ((array), double, (array)->len *(permille) / 1000) / 1000.0
  printf ("pyramid.%s.first.p50\t%.2f\tms\t\tframe of %u lanes, new window\n", name, AT (cold, 500),
          n_lanes);
  printf ("pyramid.%s.first.p99\t%.2f\tms\n", name, AT (cold, 990));
  printf ("pyramid.%s.again.p50\t%.2f\tms\t\tsame window again\n", name, AT (warm, 500));
  printf ("pyramid.%s.again.p99\t%.2f\tms\t<= 4\n", name, AT (warm, 990));
  printf ("pyramid.%s.loads\t%.1f\tnodes/frame\n", name, (double) *n_loads / 1500);
  printf ("pyramid.%s.coarse\t%.1f\tlanes/frame\n", name, (double) n_coarse / 6000);
#undef AT
}

int
main (int argc,
      char *argv[])
{
  gsize n_events = argc > 1 ? (gsize) strtoull (argv[1], NULL, 10) : 10000000;
  TsLaneStore *store = ts_lane_store_new ();
  TsTracker *tracker = ts_tracker_new (store);
  g_autofree TsEvent *copy = g_new (TsEvent, BLOCK);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (TsNodeInfo));
  Target target = { .rand = g_rand_new_with_seed (1), .out = g_new (TsEvent, BLOCK) };
  gint64 track_ns = 0;
  gint64 copy_ns = 0;
  gsize n_done = 0;
  gsize n_bytes = 0;
  gsize n_upper = 0;
  guint64 n_slices = 0;
  guint64 n_loads = 0;
  guint n_lanes;
  const TsLaneInfo *lanes;
  TsLaneReader *reader;
  TsNodeInfo info;
  GBytes *blob;
  gint64 start;

  blobs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  define_objects (tracker);
  memset (copy, 0, BLOCK * sizeof *copy);

  while (n_done < n_events)
    {
      target.n_out = 0;
      run_target (&target, MIN (BLOCK, n_events - n_done + 100));

      start = now_ns ();
      for (guint i = 0; i < 10; i++)
        {
          memcpy (copy, target.out, target.n_out * sizeof *copy);
          __asm__ volatile ("" : : "r" (copy) : "memory");
        }
      copy_ns += now_ns () - start;

      start = now_ns ();
      ts_tracker_events (tracker, target.out, target.n_out);
      ts_tracker_publish_open (tracker);
      ts_lane_store_publish (store, target.time);
      if (n_done + target.n_out >= n_events)
        {
          ts_tracker_finish (tracker, target.time);
          ts_lane_store_seal_all (store);
        }
      while (ts_lane_store_next_unsaved (store, &info, &blob))
        {
          g_ptr_array_add (blobs, blob);
          info.blob = blobs->len;
          g_array_append_val (nodes, info);
          ts_lane_store_set_blob (store, &info, info.blob);
          n_bytes += g_bytes_get_size (blob);
          if (info.level > 0)
            n_upper += g_bytes_get_size (blob);
        }
      ts_lane_store_committed (store);
      track_ns += now_ns () - start;
      n_done += target.n_out;
    }

  lanes = ts_lane_store_get_lanes (store, &n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    n_slices += lanes[i].n_slices;

  printf ("pyramid.cost\t%.1f\tns/event\t<= 150\ttracker and pyramid, %zu events\n",
          (double) track_ns / (double) n_done, n_done);
  printf ("pyramid.memcpy\t%.2f\tns/event\t\tcopy of the same events\n",
          (double) copy_ns / 10 / (double) n_done);
  printf ("pyramid.ratio\t%.1f\ttimes memcpy\n", (double) track_ns * 10 / (double) copy_ns);
  printf (
      "pyramid.bytes\t%.2f\tbytes/event\t<= 4\t%.2f slices an event, %.2f bytes above level 0\n",
      (double) n_bytes / (double) n_done, (double) n_slices / (double) n_done,
      (double) n_upper / (double) n_done);

  start = now_ns ();
  reader = ts_lane_reader_new (lanes, n_lanes, (const TsNodeInfo *) (gpointer) nodes->data,
                               nodes->len, target.time, load, &n_loads);
  printf ("pyramid.open\t%.2f\tms\t\t%u nodes\n", (double) (now_ns () - start) / 1000000,
          nodes->len);
  if (argc <= 2)
    storm (reader, target.time, &n_loads, 4000, "deadline");
  ts_lane_reader_free (reader);

  n_loads = 0;
  reader = ts_lane_reader_new (lanes, n_lanes, (const TsNodeInfo *) (gpointer) nodes->data,
                               nodes->len, target.time, load, &n_loads);
  if (argc <= 2)
    storm (reader, target.time, &n_loads, 0, "exact");
  ts_lane_reader_free (reader);

  ts_tracker_free (tracker);
  ts_lane_store_unref (store);
  g_ptr_array_unref (blobs);
  g_rand_free (target.rand);
  g_free (target.out);
  return 0;
}
