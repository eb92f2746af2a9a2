/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-recording-hold.c: recordings that join a running target, before its tasks have names. */
#include "config.h"

#include "model/ts-query.h"
#include "model/ts-recording-writer-private.h"

#include "open-fixture.h"

enum
{
  LOW = 1,
  HIGH,
  N_ROUNDS = 50,
};

typedef enum
{
  NAMED_FIRST,
  NAMED_LATE,
  NAMED_LATE_APART,
  NAMED_WITHOUT_PRIORITY,
  NAMED_NEVER,
} Naming;

static void
name_task (TsEventSink *sink,
           guint32 id,
           gboolean has_name,
           gboolean has_priority,
           gboolean is_new)
{
  static const char *const names[] = { "low", "high" };
  TsObject object = TS_OBJECT_INIT;

  object.id = id;
  object.type = TS_OBJECT_TASK;
  object.wire_id = (gint32) id;
  object.name = (char *) (has_name ? names[id - LOW] : "Task");
  object.is_named = has_name;
  object.priority = has_priority ? (gint64) id : TS_OBJECT_UNKNOWN;
  if (is_new)
    g_assert_cmpuint (sink->iface->define_object (sink, &object), ==, id);
  else
    sink->iface->update_object (sink, &object);
}

static void
add_switch (TsEventSink *sink,
            gint64 time,
            guint32 out,
            guint32 in)
{
  TsEvent event = fixture_event (time, TS_EVENT_TASK_SWITCH, out, TS_EVENT_FLAG_END);

  sink->iface->events (sink, &event, 1);
  event = fixture_event (time + 1, TS_EVENT_TASK_SWITCH, in, TS_EVENT_FLAG_START);
  sink->iface->events (sink, &event, 1);
}

/* The more urgent task takes the processor from the other one and gives it back, in each round
 * once: so many times is the low one preempted. Names come behind @named_at rounds. */
static void
write_rounds (const char *path,
              Naming naming,
              guint n_rounds,
              guint named_at)
{
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  gboolean is_first = naming == NAMED_FIRST;
  g_autoptr (GError) error = NULL;

  sink->iface->set_clock (sink, FIXTURE_HZ);
  for (guint32 id = LOW; id <= HIGH; id++)
    name_task (sink, id, is_first, is_first, TRUE);
  for (guint i = 0; i < n_rounds; i++)
    {
      gint64 time = (gint64) i * 1000;

      add_switch (sink, time, i > 0 ? HIGH : LOW, LOW);
      add_switch (sink, time + 500, LOW, HIGH);
      if (i == named_at && naming != NAMED_NEVER && !is_first)
        for (guint32 id = LOW; id <= HIGH; id++)
          name_task (sink, id, TRUE, naming == NAMED_LATE, FALSE);
      if (i == named_at + 3 && naming == NAMED_LATE_APART)
        for (guint32 id = LOW; id <= HIGH; id++)
          name_task (sink, id, TRUE, TRUE, FALSE);
    }
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
}

static gint64
get_preemptions (const char *path,
                 guint *n_slices)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  g_autofree char *text = NULL;
  guint n_lanes = 0;
  const TsLaneInfo *lanes;

  g_assert_no_error (error);
  lanes = ts_recording_get_lanes (recording, &n_lanes);
  *n_slices = 0;
  for (guint i = 0; i < n_lanes; i++)
    if (lanes[i].kind == TS_LANE_TASK)
      *n_slices += (guint) lanes[i].n_slices;
  text = ts_recording_dup_summary (recording, "preemptions");
  return g_ascii_strtoll (text, NULL, 10);
}

/* Figures do not depend on when names and priorities came, as long as they came in time; and
 * nothing is left out where they never do. */
static void
test_late_names (void)
{
  static const struct
  {
    Naming naming;
    guint n_rounds;
    guint named_at;
    gint64 preemptions;
  } cases[] = {
    { NAMED_FIRST, N_ROUNDS, 0, N_ROUNDS },
    { NAMED_LATE, N_ROUNDS, 0, N_ROUNDS },
    { NAMED_LATE, N_ROUNDS, 20, N_ROUNDS },
    { NAMED_LATE, N_ROUNDS, N_ROUNDS - 1, N_ROUNDS },
    { NAMED_LATE_APART, N_ROUNDS, 20, N_ROUNDS },
    /* Behind the names no more than 2048 events wait, four in a round. */
    { NAMED_WITHOUT_PRIORITY, N_ROUNDS, 20, 0 },
    { NAMED_WITHOUT_PRIORITY, 1000, 20, 0 },
    { NAMED_NEVER, N_ROUNDS, 0, 0 },
    /* More than can wait: what came before the names is as it was seen. */
    { NAMED_LATE, 70000, 69000, 1000 - 1 },
  };
  g_autofree char *dir = fixture_dir ();
  g_autofree char *path = g_build_filename (dir, "late.vadb", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint n_slices = 0;
      gint64 preemptions;

      write_rounds (path, cases[i].naming, cases[i].n_rounds, cases[i].named_at);
      preemptions = get_preemptions (path, &n_slices);
      g_test_message ("case %u: %" G_GINT64_FORMAT, i, preemptions);
      g_assert_cmpint (ABS (preemptions - cases[i].preemptions), <=, 1);
      /* Each runs and waits in every round. */
      g_assert_cmpuint (n_slices, >=, 4 * cases[i].n_rounds - 4);
      g_assert_cmpuint (n_slices, <=, 4 * cases[i].n_rounds + 4);
    }
  fixture_remove_dir (dir);
}

/* What waits for names is shown in time, also when the target says nothing more. */
static void
test_quiet (void)
{
  g_autofree char *dir = fixture_dir ();
  g_autofree char *path = g_build_filename (dir, "quiet.vadb", NULL);
  TsWriterOptions options = { .live = TRUE };
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (GError) error = NULL;

  for (guint32 id = LOW; id <= HIGH; id++)
    name_task (sink, id, FALSE, FALSE, TRUE);
  add_switch (sink, 0, LOW, HIGH);
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  g_assert_true (_ts_hold_is_waiting (&writer->hold));
  /* as long ago as if it had waited */
  writer->hold.begin_us -= G_USEC_PER_SEC * 60;
  g_assert_true (ts_recording_writer_tick (writer, FALSE, &error));
  g_assert_false (_ts_hold_is_waiting (&writer->hold));
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
  fixture_remove_dir (dir);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/model/recording-hold/late-names", test_late_names);
  g_test_add_func ("/model/recording-hold/quiet", test_quiet);
  return g_test_run ();
}
