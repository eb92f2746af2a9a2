/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-lanes.c: a recording with very many lanes: how long it takes to be written and finished,
 * and how much memory that needs.
 *
 * The target restarts every few hundred events, and has tasks with other handles each time: no
 * lane lives long, all stay in the recording.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "model/ts-recording-writer.h"

#define N_LANES 80000
#define EVENTS_PER_LANE 64
#define LANES_PER_START 8
#define CLOSE_S 15
#define MEMORY_MB 400

static double
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static double
peak_mb (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) usage.ru_maxrss / 1024;
}

/* Eight tasks of their own, that take turns and wait for each other. */
static void
run_target (TsEventSink *sink,
            GRand *rand,
            guint n_events,
            gint64 *time)
{
  guint32 tasks[LANES_PER_START];
  guint running = 0;

  for (guint i = 0; i < LANES_PER_START; i++)
    {
      g_autofree char *name = g_strdup_printf ("task %u", i);
      TsObject object = TS_OBJECT_INIT;

      object.type = TS_OBJECT_TASK;
      object.name = name;
      object.wire_id = (gint32) i;
      object.priority = i;
      tasks[i] = sink->iface->define_object (sink, &object);
    }
  for (guint i = 0; i < n_events; i += 2)
    {
      guint step = (guint) g_rand_int_range (rand, 1, LANES_PER_START);
      guint next = (running + step) % LANES_PER_START;
      TsEvent events[2];

      *time += g_rand_int_range (rand, 200, 6000);
      events[0] = (TsEvent){ .time = *time,
                             .kind = TS_EVENT_TASK_SWITCH,
                             .object = tasks[running],
                             .flags = TS_EVENT_FLAG_END };
      *time += 100;
      events[1] = (TsEvent){ .time = *time,
                             .kind = TS_EVENT_TASK_SWITCH,
                             .object = tasks[next],
                             .flags = TS_EVENT_FLAG_START };
      sink->iface->events (sink, events, 2);
      running = next;
    }
}

int
main (int argc,
      char **argv)
{
  guint n_lanes = argc > 1 ? (guint) atoi (argv[1]) : N_LANES;
  const char *path = argc > 2 ? argv[2] : "bench-lanes.vadb";
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GError) error = NULL;
  TsWriterOptions options = { 0 };
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink;
  gint64 time = 0;
  double begin = thread_time ();
  double written;
  gint64 closing;

  if (writer == NULL)
    g_error ("%s", error->message);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, 168000000);
  for (guint i = 0; i < n_lanes; i += LANES_PER_START)
    {
      run_target (sink, rand, LANES_PER_START * EVENTS_PER_LANE, &time);
      if (!ts_recording_writer_tick (writer, FALSE, &error))
        g_error ("%s", error->message);
    }

  written = thread_time ();
  closing = g_get_monotonic_time ();
  if (!ts_recording_writer_close (writer, "end", &error))
    g_error ("%s", error->message);
  printf ("lanes, written\t%.2f\ts CPU\t\t%u lanes\n", written - begin, n_lanes);
  printf ("lanes, finished\t%.2f\ts\t<= %d\t%.2f s CPU\n",
          (double) (g_get_monotonic_time () - closing) / 1e6, CLOSE_S, thread_time () - written);
  ts_recording_writer_free (writer);
  printf ("lanes, memory\t%.0f\tMB\t< %d\n", peak_mb (), MEMORY_MB);
  if (argc <= 2)
    g_unlink (path);
  return 0;
}
