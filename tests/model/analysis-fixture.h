/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analysis-fixture.h: random recordings of which every tick is known, to compute any figure by
 * counting ticks.
 *
 * A scheduler with tasks that tell their states (recorder 1.2), nested interrupts, semaphores,
 * queues, mutexes and event flags. No object has more than one waiter.
 */
#pragma once

#include <glib/gstdio.h>
#include <string.h>

#include "model/ts-recording-writer-private.h"
#include "model/ts-recording.h"

#define SIM_HZ 10000000
#define SIM_TICKS 6000
#define SIM_TASKS 6   /* the last one is idle */
#define SIM_ISRS 3
#define SIM_OBJECTS 6 /* semaphore, queue, counting, mutex, event flag, binary */

/* Object ids: tasks 1..SIM_TASKS, interrupts after them, then objects. */
#define SIM_ISR(i) (SIM_TASKS + 1 + (guint32) (i))
#define SIM_OBJECT(i) (SIM_TASKS + SIM_ISRS + 1 + (guint32) (i))
#define SIM_IDLE SIM_TASKS
#define SIM_RTOS 0xFFFF0200u
#define SIM_NOBODY 0

typedef struct
{
  guint32 lane;
  gint64 begin;
  gint64 end;
  gboolean is_open;
} SimRun;

typedef struct
{
  guint32 task;
  gint64 ready; /* -1: it ran first, without a wait before */
  gint64 run;
  gint64 end;   /* -1: not known */
} SimActivation;

typedef struct
{
  guint32 task;
  guint32 object; /* 0: asleep */
  gint64 begin;
  gint64 end;     /* -1: still waits */
} SimWait;

typedef struct
{
  gint64 time;
  guint32 object;
  guint32 actor;
  gboolean is_give;
  gboolean is_failed;
  gboolean is_blocked; /* the actor waited for it just before */
} SimOperation;

typedef struct
{
  gint64 time;
  guint32 task;
} SimMark;

typedef struct
{
  guint32 owner[SIM_TICKS + 1]; /* who has the processor in the tick */
  guint8 state[SIM_TASKS + 1][SIM_TICKS + 1];
  GArray *runs;        /* SimRun of tasks, interrupts, scheduler */
  GArray *activations; /* SimActivation */
  GArray *waits;       /* SimWait */
  GArray *operations;  /* SimOperation */
  GArray *preemptions; /* SimMark */
  GArray *events;      /* TsEvent */
  gint64 first;        /* first switch-in */
  gint64 end;

  GRand *rand;
  gint64 now;
  guint32 running;
  guint32 waits_for[SIM_TASKS + 1];
  gint open_wait[SIM_TASKS + 1];  /* index in waits, -1 */
  gint activation[SIM_TASKS + 1]; /* index in activations, -1 */
  gint open_run;
  guint32 last_wait[SIM_TASKS + 1]; /* object of the last finished wait, until an operation on it */
  guint32 isrs[4];
  gint isr_runs[4];
  guint n_isrs;
} Sim;

static const TsObjectType sim_types[SIM_OBJECTS]
    = { TS_OBJECT_SEMAPHORE, TS_OBJECT_QUEUE,      TS_OBJECT_COUNTING_SEM,
        TS_OBJECT_MUTEX,     TS_OBJECT_EVENT_FLAG, TS_OBJECT_BINARY_SEM };

static inline void
sim_event (Sim *sim,
           TsEventKind kind,
           guint32 object,
           guint flags,
           gint64 value,
           gint64 detail)
{
  TsEvent event = { .time = sim->now,
                    .object = object,
                    .kind = (guint16) kind,
                    .flags = (guint8) flags,
                    .value = value,
                    .detail = detail };

  g_array_append_val (sim->events, event);
}

static inline guint
sim_random (Sim *sim,
            guint n)
{
  return (guint) g_rand_int_range (sim->rand, 0, (gint32) n);
}

/* Time goes on: whoever has the processor keeps it. */
static inline void
sim_advance (Sim *sim,
             gint64 ticks,
             guint32 owner)
{
  for (gint64 i = 0; i < ticks && sim->now < SIM_TICKS; i++, sim->now++)
    sim->owner[sim->now] = owner;
}

static inline guint32
sim_owner (const Sim *sim)
{
  return sim->n_isrs > 0 ? sim->isrs[sim->n_isrs - 1] : sim->running;
}

static inline void
sim_end_run (Sim *sim,
             gint run,
             gboolean is_open)
{
  SimRun *entry = &g_array_index (sim->runs, SimRun, run);

  entry->end = sim->now;
  entry->is_open = is_open;
}

static inline gint
sim_begin_run (Sim *sim,
               guint32 lane)
{
  SimRun run = { lane, sim->now, -1, TRUE };

  g_array_append_val (sim->runs, run);
  return (gint) sim->runs->len - 1;
}

/* Wakes a task that waits; it is ready from now on. */
static inline void
sim_wake (Sim *sim,
          guint32 task)
{
  SimActivation activation = { task, sim->now, -1, -1 };

  sim_event (sim, TS_EVENT_TASK_STATE, task, 0, 1, 0);
  g_array_index (sim->waits, SimWait, sim->open_wait[task]).end = sim->now;
  sim->last_wait[task] = g_array_index (sim->waits, SimWait, sim->open_wait[task]).object;
  sim->open_wait[task] = -1;
  g_array_append_val (sim->activations, activation);
  sim->activation[task] = (gint) sim->activations->len - 1;
}

static inline gboolean
sim_is_lock (guint32 object)
{
  return object >= SIM_OBJECT (0) && sim_types[object - SIM_OBJECT (0)] == TS_OBJECT_MUTEX;
}

static inline void
sim_switch_in (Sim *sim,
               guint32 task)
{
  SimActivation *activation;

  sim_event (sim, TS_EVENT_TASK_SWITCH, task, TS_EVENT_FLAG_START, 0, 0);
  sim->running = task;
  sim->open_run = sim_begin_run (sim, task);
  if (sim->first < 0)
    sim->first = sim->now;
  if (sim->activation[task] < 0)
    {
      SimActivation fresh = { task, -1, sim->now, -1 };

      g_array_append_val (sim->activations, fresh);
      sim->activation[task] = (gint) sim->activations->len - 1;
      return;
    }
  activation = &g_array_index (sim->activations, SimActivation, sim->activation[task]);
  if (activation->run < 0)
    activation->run = sim->now;
}

/* The running task leaves: for a wait (@object; 0: sleep), or preempted. */
static inline void
sim_switch (Sim *sim,
            gboolean is_wait,
            guint32 object)
{
  guint32 old = sim->running;
  guint32 next;
  gint run;

  if (is_wait)
    {
      SimWait wait = { old, object, -1, -1 };

      /* A give in the tick in which the wait begins might be what it waits for. */
      sim_advance (sim, 1, old);
      wait.begin = sim->now;
      sim_event (sim, TS_EVENT_TASK_STATE, old, 0, object != 0 ? 3 : 4, object);
      g_array_append_val (sim->waits, wait);
      sim->open_wait[old] = (gint) sim->waits->len - 1;
      g_array_index (sim->activations, SimActivation, sim->activation[old]).end = sim->now;
    }
  sim_end_run (sim, sim->open_run, FALSE);
  sim_event (sim, TS_EVENT_TASK_SWITCH, old, TS_EVENT_FLAG_END, 0, 0);
  if (!is_wait)
    {
      SimMark mark = { sim->now, old };

      sim_event (sim, TS_EVENT_TASK_STATE, old, 0, 1, 0);
      g_array_append_val (sim->preemptions, mark);
    }

  run = sim_begin_run (sim, SIM_RTOS);
  sim->running = SIM_NOBODY;
  sim_advance (sim, 1 + sim_random (sim, 3), SIM_RTOS);
  sim_end_run (sim, run, FALSE);
  do
    next = 1 + sim_random (sim, SIM_TASKS);
  while (next == old || sim->open_wait[next] >= 0);
  sim_switch_in (sim, next);
}

static inline gboolean
sim_has_waiter (const Sim *sim,
                guint32 object,
                guint32 *waiter)
{
  for (guint32 task = 1; task < SIM_TASKS; task++)
    if (sim->open_wait[task] >= 0
        && g_array_index (sim->waits, SimWait, sim->open_wait[task]).object == object)
      {
        *waiter = task;
        return TRUE;
      }
  return FALSE;
}

static inline void
sim_operate (Sim *sim)
{
  guint which = sim_random (sim, SIM_OBJECTS);
  guint32 object = SIM_OBJECT (which);
  guint32 actor = sim_owner (sim);
  gboolean is_give = sim_random (sim, 2) == 0;
  gboolean is_failed = sim_random (sim, 8) == 0;
  TsEventKind kind = is_failed                                     ? TS_EVENT_OP_FAILED
                     : sim_types[which] == TS_OBJECT_QUEUE      ? TS_EVENT_QUEUE
                     : sim_types[which] == TS_OBJECT_MUTEX      ? TS_EVENT_MUTEX
                     : sim_types[which] == TS_OBJECT_EVENT_FLAG ? TS_EVENT_EVENT_FLAG
                                                                : TS_EVENT_SEMAPHORE;
  SimOperation operation = { sim->now, object, actor, is_give, is_failed, FALSE };
  guint32 waiter;

  if (actor <= SIM_TASKS && sim->last_wait[actor] == object)
    {
      operation.is_blocked = TRUE;
      sim->last_wait[actor] = 0;
    }
  sim_event (sim, kind, object, is_give ? TS_EVENT_FLAG_START : TS_EVENT_FLAG_END, 0, 0);
  g_array_append_val (sim->operations, operation);
  if (is_give && !is_failed && sim_has_waiter (sim, object, &waiter))
    sim_wake (sim, waiter);
}

/* A task asleep wakes up, or one waits long enough. */
static inline void
sim_wake_any (Sim *sim)
{
  guint32 task = 1 + sim_random (sim, SIM_TASKS - 1);

  if (sim->open_wait[task] >= 0
      && g_array_index (sim->waits, SimWait, sim->open_wait[task]).object == 0)
    sim_wake (sim, task);
}

/* Whether anybody else could run. */
static inline gboolean
sim_has_other (const Sim *sim)
{
  for (guint32 task = 1; task <= SIM_TASKS; task++)
    if (task != sim->running && sim->open_wait[task] < 0)
      return TRUE;
  return FALSE;
}

static inline void
sim_step (Sim *sim)
{
  guint32 waiter;

  sim_advance (sim, sim_random (sim, 12), sim_owner (sim));
  switch (sim_random (sim, 8))
    {
    case 0:
      if (sim->n_isrs < G_N_ELEMENTS (sim->isrs))
        {
          guint32 isr = SIM_ISR (sim_random (sim, SIM_ISRS));

          /* Two that begin and end together could be told apart by nobody. */
          sim_advance (sim, 1, sim_owner (sim));
          sim_event (sim, TS_EVENT_ISR, isr, TS_EVENT_FLAG_START, 0, 0);
          sim->isr_runs[sim->n_isrs] = sim_begin_run (sim, isr);
          sim->isrs[sim->n_isrs++] = isr;
        }
      break;

    case 1:
    case 2:
      if (sim->n_isrs > 0)
        {
          sim->n_isrs--;
          sim_event (sim, TS_EVENT_ISR, sim->isrs[sim->n_isrs], TS_EVENT_FLAG_END, 0, 0);
          sim_end_run (sim, sim->isr_runs[sim->n_isrs], FALSE);
        }
      break;

    case 3:
      if (sim->n_isrs == 0 && sim->running != SIM_IDLE)
        {
          guint32 object
              = sim_random (sim, 3) == 0 ? 0 : SIM_OBJECT (sim_random (sim, SIM_OBJECTS));

          if (object == 0 || !sim_has_waiter (sim, object, &waiter))
            sim_switch (sim, TRUE, object);
        }
      break;

    case 4:
      if (sim->n_isrs == 0 && sim_has_other (sim))
        sim_switch (sim, FALSE, 0);
      break;

    case 5:
      sim_wake_any (sim);
      break;

    default:
      sim_operate (sim);
      break;
    }
}

static inline void
sim_define (TsEventSink *sink)
{
  for (guint32 id = 1; id <= SIM_TASKS + SIM_ISRS + SIM_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;
      g_autofree char *name = NULL;

      if (id <= SIM_TASKS)
        {
          object.type = TS_OBJECT_TASK;
          object.priority = id == SIM_IDLE ? 0 : (gint64) id;
          name = id == SIM_IDLE ? g_strdup ("IDLE") : g_strdup_printf ("Task%u", id);
        }
      else if (id < SIM_OBJECT (0))
        {
          object.type = TS_OBJECT_ISR;
          name = g_strdup_printf ("Isr%u", id);
        }
      else
        {
          object.type = sim_types[id - SIM_OBJECT (0)];
          name = g_strdup_printf ("Object%u", id);
        }
      object.base_priority = object.priority;
      object.wire_id = (gint32) id;
      object.name = name;
      object.is_named = TRUE;
      object.is_idle = id == SIM_IDLE;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
    }
}

static inline void
sim_close (Sim *sim)
{
  sim->end = sim->now;
  /* The last event of the target, so that the recording ends now. */
  sim_event (sim, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  for (guint i = 0; i < sim->runs->len; i++)
    if (g_array_index (sim->runs, SimRun, i).end < 0)
      sim_end_run (sim, (gint) i, TRUE);
}

static inline Sim *
sim_new (guint32 seed)
{
  Sim *sim = g_new0 (Sim, 1);

  sim->rand = g_rand_new_with_seed (seed);
  sim->runs = g_array_new (FALSE, FALSE, sizeof (SimRun));
  sim->activations = g_array_new (FALSE, FALSE, sizeof (SimActivation));
  sim->waits = g_array_new (FALSE, FALSE, sizeof (SimWait));
  sim->operations = g_array_new (FALSE, FALSE, sizeof (SimOperation));
  sim->preemptions = g_array_new (FALSE, FALSE, sizeof (SimMark));
  sim->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  sim->first = -1;
  for (guint i = 0; i <= SIM_TASKS; i++)
    sim->open_wait[i] = sim->activation[i] = -1;
  sim_switch_in (sim, 1);
  while (sim->now < SIM_TICKS - 60)
    sim_step (sim);
  sim_close (sim);
  return sim;
}

static inline void
sim_free (Sim *sim)
{
  g_array_unref (sim->runs);
  g_array_unref (sim->activations);
  g_array_unref (sim->waits);
  g_array_unref (sim->operations);
  g_array_unref (sim->preemptions);
  g_array_unref (sim->events);
  g_rand_free (sim->rand);
  g_free (sim);
}

/* Writes a recording of it and opens it. The file is unlinked: nothing stays behind.
 * @chunk_steps: acts after which a chunk of ts_comms ends; 0: as usual */
static inline TsRecording *
sim_record_in_chunks (Sim *sim,
                      guint chunk_steps)
{
  g_autofree char *dir = g_dir_make_tmp ("ts-analysis-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  TsWriterOptions options = { .raw_format = "va-cobs", .capture_source = "file" };
  GError *error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsRecording *recording;
  TsEventSink *sink;

  g_assert_no_error (error);
  if (chunk_steps > 0)
    _ts_comms_feed_set_chunk_steps (ts_tracker_get_comms (writer->tracker), chunk_steps);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, SIM_HZ);
  sink->iface->set_info (sink, "os", "FreeRTOS");
  sim_define (sink);
  sink->iface->events (sink, (const TsEvent *) (gpointer) sim->events->data, sim->events->len);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (dir);
  return recording;
}

static inline TsRecording *
sim_record (Sim *sim)
{
  return sim_record_in_chunks (sim, 0);
}

static inline gint64
sim_count_owner (const Sim *sim,
                 guint32 owner,
                 gint64 begin,
                 gint64 end)
{
  gint64 n = 0;

  for (gint64 t = MAX (begin, 0); t < MIN (end, sim->end); t++)
    n += sim->owner[t] == owner;
  return n;
}

/* Many short recordings one behind the other, so that each lane has several nodes. */
static inline void
sim_write_long (const char *path,
                guint n_parts)
{
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, &error);
  TsEventSink *sink;
  gint64 offset = 0;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, SIM_HZ);
  sim_define (sink);
  for (guint part = 0; part < n_parts; part++)
    {
      Sim *sim = sim_new (g_test_rand_int ());
      TsEvent *events = (TsEvent *) (gpointer) sim->events->data;
      TsEvent between = { .time = offset, .flags = TS_EVENT_FLAG_SYNTHETIC };

      between.kind = part % 9 == 4 ? TS_EVENT_DATA_LOSS : TS_EVENT_SESSION_START;
      if (part % 3 == 1)
        sink->iface->events (sink, &between, 1);
      for (guint i = 0; i < sim->events->len; i++)
        events[i].time += offset;
      sink->iface->events (sink, events, sim->events->len);
      /* Sometimes without a gap. */
      offset += sim->end + (part % 2 == 0 ? g_test_rand_int_range (1, 500) : 0);
      sim_free (sim);
    }
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
}
