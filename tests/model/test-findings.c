/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-findings.c: findings, contention and timers of small recordings made by hand. One tick is a
 * microsecond. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "model/ts-contention.h"
#include "model/ts-findings.h"
#include "model/ts-recording-writer.h"
#include "model/ts-timers.h"

#define MS 1000

enum
{
  IDLE = 1, /* priority 0 */
  LOW,      /* 2, stack of 1000 bytes */
  MID,      /* 4 */
  HIGH,     /* 6 */
  TICK,
  QUEUE,
  MUTEX,
  SEM,
  TIMER,
  HEAP,
  N_OBJECTS
};

#define START TS_EVENT_FLAG_START
#define END TS_EVENT_FLAG_END

typedef struct
{
  GArray *events;
  TsRecording *recording;
} Scene;

static void
set_up (Scene *scene,
        gconstpointer data)
{
  scene->events = g_array_new (FALSE, FALSE, sizeof (TsEvent));
  scene->recording = NULL;
}

static void
tear_down (Scene *scene,
           gconstpointer data)
{
  g_array_unref (scene->events);
  g_clear_object (&scene->recording);
}

static void
event (Scene *scene,
       gint64 time,
       TsEventKind kind,
       guint32 object,
       guint flags,
       gint64 value,
       gint64 detail)
{
  TsEvent entry = { .time = time,
                    .object = object,
                    .kind = (guint16) kind,
                    .flags = (guint8) flags,
                    .value = value,
                    .detail = detail };

  g_array_append_val (scene->events, entry);
}

static void
change (Scene *scene,
        gint64 time,
        guint32 from,
        guint32 to)
{
  event (scene, time, TS_EVENT_TASK_SWITCH, from, END, 0, 0);
  event (scene, time, TS_EVENT_TASK_SWITCH, to, START, 0, 0);
}

/* States as recorder 1.2 tells them: 1 ready, 3 blocked, 4 asleep. */
static void
state (Scene *scene,
       gint64 time,
       guint32 task,
       gint64 value,
       guint32 object)
{
  event (scene, time, TS_EVENT_TASK_STATE, task, 0, value, object);
}

static void
record (Scene *scene)
{
  static const struct
  {
    TsObjectType type;
    const char *name;
    gint64 priority;
  } objects[N_OBJECTS] = {
    [IDLE] = { TS_OBJECT_TASK, "IDLE", 0 },
    [LOW] = { TS_OBJECT_TASK, "Low", 2 },
    [MID] = { TS_OBJECT_TASK, "Mid", 4 },
    [HIGH] = { TS_OBJECT_TASK, "High", 6 },
    [TICK] = { TS_OBJECT_ISR, "Tick", TS_OBJECT_UNKNOWN },
    [QUEUE] = { TS_OBJECT_QUEUE, "Q", TS_OBJECT_UNKNOWN },
    [MUTEX] = { TS_OBJECT_MUTEX, "M", TS_OBJECT_UNKNOWN },
    [SEM] = { TS_OBJECT_BINARY_SEM, "S", TS_OBJECT_UNKNOWN },
    [TIMER] = { TS_OBJECT_TIMER, "T", TS_OBJECT_UNKNOWN },
    [HEAP] = { TS_OBJECT_HEAP, "Heap", TS_OBJECT_UNKNOWN },
  };
  g_autofree char *dir = g_dir_make_tmp ("ts-findings-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "r.vadb", NULL);
  TsWriterOptions options = { .raw_format = "va-cobs", .capture_source = "file" };
  GError *error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, 1000000);
  sink->iface->set_info (sink, "os", "FreeRTOS");
  for (guint32 id = 1; id < N_OBJECTS; id++)
    {
      TsObject object = TS_OBJECT_INIT;

      object.type = objects[id].type;
      object.name = (char *) objects[id].name;
      object.priority = object.base_priority = objects[id].priority;
      object.wire_id = (gint32) id;
      object.is_named = TRUE;
      object.is_idle = id == IDLE;
      if (id == LOW)
        object.stack_bytes = 1000;
      g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
    }
  sink->iface->events (sink, (const TsEvent *) (gpointer) scene->events->data, scene->events->len);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  ts_recording_writer_free (writer);
  scene->recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (dir);
}

/* The only finding of a kind; all others would be wrong. */
static TsFinding *
find_one (GPtrArray *findings,
          TsFindingKind kind)
{
  g_assert_cmpuint (findings->len, ==, 1);
  g_assert_cmpint (((TsFinding *) g_ptr_array_index (findings, 0))->kind, ==, kind);
  return g_ptr_array_index (findings, 0);
}

static GPtrArray *
list (Scene *scene)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *findings = ts_findings_list (scene->recording, 0, G_MAXINT64, NULL, &error);

  g_assert_no_error (error);
  return findings;
}

/* High waits for the mutex that Low holds; Mid runs for 3 ms meanwhile. */
static void
put_inversion (Scene *scene)
{
  event (scene, 0, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  event (scene, 100, TS_EVENT_MUTEX, MUTEX, END, 0, 0);
  state (scene, 200, HIGH, 1, 0);
  event (scene, 200, TS_EVENT_TASK_SWITCH, LOW, END, 0, 0);
  state (scene, 200, LOW, 1, 0);
  event (scene, 200, TS_EVENT_TASK_SWITCH, HIGH, START, 0, 0);
  event (scene, 300, TS_EVENT_MUTEX_CONTENTION, MUTEX, 0, HIGH, LOW);
  state (scene, 300, HIGH, 3, MUTEX);
  change (scene, 310, HIGH, LOW);
  state (scene, 1000, MID, 1, 0);
  event (scene, 1000, TS_EVENT_TASK_SWITCH, LOW, END, 0, 0);
  state (scene, 1000, LOW, 1, 0);
  event (scene, 1000, TS_EVENT_TASK_SWITCH, MID, START, 0, 0);
  state (scene, 4000, MID, 4, 0);
  change (scene, 4000, MID, LOW);
  event (scene, 4500, TS_EVENT_MUTEX, MUTEX, START, 0, 0);
  state (scene, 4500, HIGH, 1, 0);
  event (scene, 4500, TS_EVENT_TASK_SWITCH, LOW, END, 0, 0);
  state (scene, 4500, LOW, 1, 0);
  event (scene, 4500, TS_EVENT_TASK_SWITCH, HIGH, START, 0, 0);
  event (scene, 4600, TS_EVENT_MUTEX, MUTEX, END, 0, 0);
  event (scene, 4700, TS_EVENT_MUTEX, MUTEX, START, 0, 0);
  state (scene, 4800, HIGH, 4, 0);
  change (scene, 4800, HIGH, LOW);
  event (scene, 5000, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
}

static void
test_inversion (Scene *scene,
                gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  g_autoptr (GArray) contentions = NULL;
  const TsContention *contention;
  const TsFinding *finding;

  put_inversion (scene);
  record (scene);
  contentions = ts_contention_list (scene->recording, 0, G_MAXINT64, NULL, NULL);
  g_assert_cmpuint (contentions->len, ==, 1);
  contention = &g_array_index (contentions, TsContention, 0);
  g_assert_true (contention->is_inversion);
  g_assert_cmpint (contention->begin, ==, 300);
  g_assert_cmpint (contention->end, ==, 4500);
  g_assert_cmpuint (contention->waiter, ==, HIGH);
  g_assert_cmpuint (contention->holder, ==, LOW);
  g_assert_cmpuint (contention->third, ==, MID);
  g_assert_cmpint (contention->third_ticks, ==, 3000);
  g_assert_cmpint (contention->third_priority, ==, 4);

  findings = list (scene);
  finding = find_one (findings, TS_FINDING_INVERSION);
  g_assert_cmpint (finding->severity, ==, TS_SEVERITY_WARNING);
  g_assert_cmpuint (finding->n_lanes, ==, 4);
  g_assert_cmpuint (finding->lanes[0], ==, HIGH);
  g_assert_cmpuint (finding->lanes[1], ==, LOW);
  g_assert_cmpuint (finding->lanes[2], ==, MID);
  g_assert_cmpstr (
      finding->text, ==,
      "High waited 4.20 ms for M, held by the less urgent Low, while Mid ran for 3.00 ms.");

  /* What begins before a range is not in it. */
  g_clear_pointer (&contentions, g_array_unref);
  contentions = ts_contention_list (scene->recording, 301, G_MAXINT64, NULL, NULL);
  g_assert_cmpuint (contentions->len, ==, 0);
}

/* A less urgent task that waits for a more urgent one is no inversion. */
static void
test_contention (Scene *scene,
                 gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  g_autoptr (GArray) contentions = NULL;

  event (scene, 0, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  event (scene, 300, TS_EVENT_MUTEX_CONTENTION, MUTEX, 0, LOW, HIGH);
  state (scene, 300, LOW, 3, MUTEX);
  change (scene, 310, LOW, HIGH);
  event (scene, 1000, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  record (scene);
  contentions = ts_contention_list (scene->recording, 0, G_MAXINT64, NULL, NULL);
  g_assert_cmpuint (contentions->len, ==, 1);
  g_assert_false (g_array_index (contentions, TsContention, 0).is_inversion);
  g_assert_true (g_array_index (contentions, TsContention, 0).is_open);
  g_assert_cmpint (g_array_index (contentions, TsContention, 0).end, ==, 1000);
  findings = list (scene);
  g_assert_cmpuint (findings->len, ==, 0);
}

/* A timer of 10 ms: the third fire is 800 us late because High runs; the seventh does not come. */
static void
test_timer (Scene *scene,
            gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  g_autoptr (GPtrArray) timers = NULL;
  const TsTimer *timer;
  const TsTimerFire *late;
  guint n_missed = 0;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  event (scene, 100, TS_EVENT_TIMER, TIMER, START, 0, 0);
  event (scene, 100, TS_EVENT_TIMER_ARM, TIMER, 0, 10, 10);
  for (guint i = 1; i <= 10; i++)
    {
      gint64 time = 50 + i * 10 * MS;

      if (i == 7)
        continue;
      if (i == 3)
        {
          change (scene, time - 300, IDLE, HIGH);
          time += 800;
          state (scene, time, HIGH, 4, 0);
          change (scene, time, HIGH, IDLE);
        }
      event (scene, time, TS_EVENT_TIMER, TIMER, END, 0, 0);
    }
  record (scene);
  timers = ts_timers_list (scene->recording, 0, G_MAXINT64, 500, NULL, NULL);
  g_assert_cmpuint (timers->len, ==, 1);
  timer = g_ptr_array_index (timers, 0);
  g_assert_cmpint (timer->period, ==, 10 * MS);
  g_assert_false (timer->is_period_observed);
  g_assert_cmpuint (timer->fires->len, ==, 9);
  g_assert_cmpuint (timer->n_starts, ==, 1);
  g_assert_cmpuint (timer->n_stops, ==, 0);
  g_assert_cmpuint (timer->n_missed, ==, 1);
  g_assert_cmpuint (timer->n_violations, ==, 1);
  g_assert_cmpint (timer->lateness.max, ==, 800);
  g_assert_cmpint (timer->lateness.p50, ==, 0);
  late = &g_array_index (timer->fires, TsTimerFire, 2);
  g_assert_true (late->is_violation);
  g_assert_cmpint (late->expected, ==, 50 + 30 * MS);
  g_assert_cmpuint (late->culprit, ==, HIGH);
  g_assert_cmpint (late->culprit_ticks, ==, 800);

  findings = list (scene);
  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);

      n_missed += finding->kind == TS_FINDING_TIMER_MISSED;
      if (finding->kind == TS_FINDING_TIMER_LATE)
        g_assert_cmpstr (finding->text, ==, "Timer T fired 800.0 µs late; High had the processor.");
    }
  g_assert_cmpuint (n_missed, ==, 1);
  g_assert_cmpuint (findings->len, ==, 2);
}

/* A kernel that tells of no expiries: they are predicted, and measure nothing. */
static void
test_predicted_timer (Scene *scene,
                      gconstpointer data)
{
  g_autoptr (GPtrArray) timers = NULL;
  const TsTimer *work = NULL;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  event (scene, 100, TS_EVENT_WORK, 0, START, 0x08000145, 30);
  event (scene, 20 * MS, TS_EVENT_WORK, 0, START, 0x08000145, 5);
  event (scene, 60 * MS, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  record (scene);
  timers = ts_timers_list (scene->recording, 0, G_MAXINT64, 500, NULL, NULL);
  g_assert_cmpuint (timers->len, ==, 1);
  work = g_ptr_array_index (timers, 0);
  g_assert_true (work->is_work);
  g_assert_true (work->is_predicted);
  g_assert_cmpint (work->handler, ==, 0x08000145);
  g_assert_cmpuint (work->n_starts, ==, 2);
  /* The first one was scheduled anew before it came. */
  g_assert_cmpuint (work->fires->len, ==, 1);
  g_assert_cmpint (g_array_index (work->fires, TsTimerFire, 0).time, ==, 25 * MS);
  g_assert_cmpuint (work->lateness.count, ==, 0);
}

static void
test_starvation (Scene *scene,
                 gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *finding;

  event (scene, 0, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  state (scene, 10 * MS, HIGH, 1, 0);
  event (scene, 10 * MS, TS_EVENT_TASK_SWITCH, LOW, END, 0, 0);
  state (scene, 10 * MS, LOW, 1, 0);
  event (scene, 10 * MS, TS_EVENT_TASK_SWITCH, HIGH, START, 0, 0);
  state (scene, 230 * MS, HIGH, 4, 0);
  change (scene, 230 * MS, HIGH, LOW);
  event (scene, 300 * MS, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  record (scene);
  findings = list (scene);
  finding = find_one (findings, TS_FINDING_STARVATION);
  g_assert_cmpint (finding->begin, ==, 10 * MS);
  g_assert_cmpint (finding->end, ==, 230 * MS);
  g_assert_cmpint (finding->severity, ==, TS_SEVERITY_WARNING);
  g_assert_cmpuint (finding->lanes[0], ==, LOW);
  g_assert_cmpuint (finding->lanes[1], ==, HIGH);
}

/* Every 5 ms for 2 s, and at 1 s a hundred times within 10 ms, 50 us each. */
/* Bursts of an interrupt every 10 ms, in one of them one comes late; a minute between the bursts is
 * no finding. What is regular all the time and stays away for a minute once is. */
static void
test_bursts (Scene *scene,
             gconstpointer data)
{
  const gint64 minute = 60000 * MS;
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *finding;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  for (guint burst = 0; burst < 4; burst++)
    for (guint i = 0; i < 40; i++)
      {
        gint64 time = burst * minute + i * 10 * MS + (burst == 2 && i >= 20 ? 30 * MS : 0);

        event (scene, time, TS_EVENT_ISR, TICK, START, 0, 0);
        event (scene, time + 50, TS_EVENT_ISR, TICK, END, 0, 0);
      }
  record (scene);
  findings = list (scene);
  finding = find_one (findings, TS_FINDING_PERIOD);
  g_assert_cmpint (finding->begin, ==, 2 * minute + 190 * MS);
  g_assert_cmpint (finding->end, ==, 2 * minute + 230 * MS);
}

static void
test_gap (Scene *scene,
          gconstpointer data)
{
  const gint64 minute = 60000 * MS;
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *finding;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  for (guint i = 0; i < 2000; i++)
    {
      gint64 time = i * 10 * MS + (i >= 1000 ? minute : 0);

      event (scene, time, TS_EVENT_ISR, TICK, START, 0, 0);
      event (scene, time + 50, TS_EVENT_ISR, TICK, END, 0, 0);
    }
  record (scene);
  findings = list (scene);
  finding = find_one (findings, TS_FINDING_PERIOD);
  g_assert_cmpint (finding->begin, ==, 9990 * MS);
  g_assert_cmpint (finding->end, ==, 10000 * MS + minute);
}

static void
test_storm (Scene *scene,
            gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *finding;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  for (gint64 time = 5 * MS; time < 2000 * MS;
       time += time >= 1000 * MS && time < 1010 * MS ? 100 : 5 * MS)
    {
      event (scene, time, TS_EVENT_ISR, TICK, START, 0, 0);
      event (scene, time + 50, TS_EVENT_ISR, TICK, END, 0, 0);
    }
  record (scene);
  findings = list (scene);
  finding = find_one (findings, TS_FINDING_INTERRUPT_STORM);
  g_assert_cmpuint (finding->lanes[0], ==, TICK);
  g_assert_cmpint (finding->end, >=, 1005 * MS);
  g_assert_cmpint (finding->end, <, 1020 * MS);
  /* The first of those that were counted. */
  g_assert_cmpint (finding->begin, ==, 995 * MS);
}

/* A storm that the recording begins with begins no sooner than it. */
static void
test_storm_at_once (Scene *scene,
                    gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *finding;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  for (gint64 time = 1 * MS; time < 2000 * MS; time += time < 9 * MS ? 100 : 5 * MS)
    {
      event (scene, time, TS_EVENT_ISR, TICK, START, 0, 0);
      event (scene, time + 50, TS_EVENT_ISR, TICK, END, 0, 0);
    }
  record (scene);
  findings = list (scene);
  finding = find_one (findings, TS_FINDING_INTERRUPT_STORM);
  g_assert_cmpint (finding->begin, ==, 1 * MS);
  g_assert_cmpint (finding->end, >=, 9 * MS);
}

static void
test_memory (Scene *scene,
             gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  gboolean seen[TS_FINDING_N_KINDS] = { FALSE };

  event (scene, 0, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  for (guint i = 0; i < 64; i++)
    {
      event (scene, i * MS, TS_EVENT_HEAP_SYNC, HEAP, START, 1000 + i * 100, 0);
      event (scene, i * MS + 500, TS_EVENT_HEAP_SYNC, HEAP, END, 1000 + i * 100 - 60, 0);
    }
  event (scene, 64 * MS, TS_EVENT_STACK_USAGE, LOW, 0, 700, 1000);
  event (scene, 65 * MS, TS_EVENT_STACK_USAGE, LOW, 0, 950, 1000);
  event (scene, 66 * MS, TS_EVENT_HEAP_FAIL, HEAP, 0, 5000, 0);
  record (scene);
  findings = list (scene);
  for (guint i = 0; i < findings->len; i++)
    {
      const TsFinding *finding = g_ptr_array_index (findings, i);

      g_assert_false (seen[finding->kind]);
      seen[finding->kind] = TRUE;
      if (finding->kind == TS_FINDING_STACK)
        {
          g_assert_cmpint (finding->begin, ==, 65 * MS);
          g_assert_cmpstr (finding->text, ==, "Low has used 950 of 1000 bytes of its stack.");
        }
    }
  g_assert_true (seen[TS_FINDING_STACK]);
  g_assert_true (seen[TS_FINDING_HEAP_GROWTH]);
  g_assert_true (seen[TS_FINDING_HEAP_FAIL]);
  g_assert_cmpuint (findings->len, ==, 3);
}

static void
test_loss_and_overflow (Scene *scene,
                        gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  const TsFinding *loss;
  const TsFinding *overflow;

  event (scene, 0, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  event (scene, 100, TS_EVENT_OP_FAILED, QUEUE, START, 0, 0);
  event (scene, 150, TS_EVENT_OP_FAILED, QUEUE, START, 0, 0);
  event (scene, 300, TS_EVENT_DATA_LOSS, 0, TS_EVENT_FLAG_SYNTHETIC, 12, 100);
  event (scene, 400, TS_EVENT_TASK_SWITCH, LOW, START, 0, 0);
  event (scene, 500, TS_EVENT_SEQ_CHECKPOINT, 0, 0, 1, 0);
  record (scene);
  findings = list (scene);
  g_assert_cmpuint (findings->len, ==, 2);
  /* The worst first. */
  loss = g_ptr_array_index (findings, 0);
  overflow = g_ptr_array_index (findings, 1);
  g_assert_cmpint (loss->kind, ==, TS_FINDING_DATA_LOSS);
  g_assert_cmpint (loss->begin, ==, 150);
  g_assert_cmpint (loss->end, ==, 400);
  g_assert_cmpuint (loss->count, ==, 12);
  g_assert_cmpint (overflow->kind, ==, TS_FINDING_QUEUE_OVERFLOW);
  g_assert_cmpuint (overflow->count, ==, 2);
  g_assert_cmpuint (overflow->lanes[0], ==, QUEUE);
  g_assert_cmpuint (overflow->lanes[1], ==, LOW);
  g_assert_cmpstr (overflow->text, ==, "Low could not put anything more into Q, 2 times.");
}

/* Nothing to find, and nothing found; also in an empty range. */
static void
test_quiet (Scene *scene,
            gconstpointer data)
{
  g_autoptr (GPtrArray) findings = NULL;
  g_autoptr (GPtrArray) none = NULL;

  event (scene, 0, TS_EVENT_TASK_SWITCH, IDLE, START, 0, 0);
  for (gint64 time = 10 * MS; time < 1000 * MS; time += 10 * MS)
    {
      state (scene, time, HIGH, 1, 0);
      change (scene, time, IDLE, HIGH);
      state (scene, time + MS, HIGH, 4, 0);
      change (scene, time + MS, HIGH, IDLE);
    }
  record (scene);
  findings = list (scene);
  g_assert_cmpuint (findings->len, ==, 0);
  none = ts_findings_list (scene->recording, 500, 500, NULL, NULL);
  g_assert_cmpuint (none->len, ==, 0);
  for (TsFindingKind kind = 0; kind < TS_FINDING_N_KINDS; kind++)
    g_assert_nonnull (ts_finding_kind_get_name (kind));
}

static void
test_cancel (Scene *scene,
             gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  put_inversion (scene);
  record (scene);
  g_cancellable_cancel (cancellable);
  g_assert_null (ts_findings_list (scene->recording, 0, G_MAXINT64, cancellable, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
}

int
main (int argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (Scene *scene, gconstpointer data);
  } tests[] = {
    { "inversion-names-three", test_inversion },  { "contention", test_contention },
    { "late-and-missed-timer", test_timer },      { "predicted", test_predicted_timer },
    { "starvation", test_starvation },            { "interrupt-storm", test_storm },
    { "interrupt-storm-at-once", test_storm_at_once },
    { "bursts", test_bursts },                    { "long-gap", test_gap },
    { "stack-and-heap", test_memory },            { "loss-and-overflow", test_loss_and_overflow },
    { "nothing-where-nothing-is", test_quiet },   { "cancelled", test_cancel },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/model/findings/", tests[i].name, NULL);

      g_test_add (path, Scene, NULL, set_up, tests[i].func, tear_down);
    }
  return g_test_run ();
}
