/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session-trigger.c: captures that wait for a trigger: what is kept is compared with the same
 * bytes recorded whole. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <unistd.h>

#include "session-fixture.h"

#define FILE_NAME "m4_short.cobs"
#define UDP_NAME "m4_short_udp.udprec"

/* All rows of the whole file, to compare with. */
static GArray *
read_whole (const char *name,
            const char *format,
            TsRecording **whole)
{
  char *folder = test_folder_new ();
  g_autofree char *input = test_data_path (name);
  g_autofree char *output = g_build_filename (folder, "whole.vadb", NULL);
  const char *const paths[] = { input, NULL };
  g_autoptr (GError) error = NULL;
  GArray *rows;

  ts_import_files (paths, format, 0, FALSE, output, NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  *whole = ts_recording_open (output, &error);
  g_assert_no_error (error);
  rows = test_rows (*whole);
  test_folder_free (folder);

  return rows;
}

static char *
file_config (const char *trigger)
{
  g_autofree char *path = test_data_path (FILE_NAME);

  return g_strdup_printf ("{\"transport\": \"file\", \"file-path\": \"%s\", %s}", path, trigger);
}

static gint64
ms (TsRecording *recording,
    gint64 n)
{
  return n * (gint64) ts_recording_get_clock_hz (recording) / 1000;
}

/* However often it fires or leaves out, its texts are in the table of strings once: how many stands in
 * the values. */
static void
assert_texts (GArray *rows)
{
  gint64 mark = 0, gap = 0, n_fired = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const TsEvent *event = &g_array_index (rows, TsEvent, i);
      gint64 *text = event->kind == TS_EVENT_MARK ? &mark
                     : event->kind == TS_EVENT_DATA_LOSS
                             && (event->flags & TS_EVENT_FLAG_TEXT) != 0
                         ? &gap
                         : NULL;

      if (text == NULL)
        continue;
      if (event->kind == TS_EVENT_MARK)
        g_assert_cmpint (event->value, ==, ++n_fired);
      else
        g_assert_cmpint (event->value, >, 0);
      g_assert_cmpint (event->detail >> 32, >, 0);
      g_assert_true (*text == 0 || *text == event->detail >> 32);
      *text = event->detail >> 32;
    }
}

/* The rows of a recording without what the host made: marks, losses, the end. */
static GArray *
kept_rows (TsRecording *recording,
           guint *n_marks,
           guint *n_gaps)
{
  GArray *rows = test_rows (recording);

  *n_marks = test_count_kind (rows, TS_EVENT_MARK);
  *n_gaps = test_count_kind (rows, TS_EVENT_DATA_LOSS);
  assert_texts (rows);
  for (guint i = rows->len; i > 0; i--)
    if (!ts_event_is_counted (&g_array_index (rows, TsEvent, i - 1)))
      g_array_remove_index (rows, i - 1);

  return rows;
}

/* Whether @event is of @kind and about the object of that name. */
static gboolean
is_wanted (TsRecording *recording,
           const TsEvent *event,
           TsEventKind kind,
           const char *name)
{
  const TsObject *object = ts_recording_get_object (recording, event->object);

  return event->kind == kind && object != NULL && g_strcmp0 (object->name, name) == 0;
}

/* @kept are the counted rows of @rows between two times, moved so that they begin at 0. */
static void
assert_window (GArray *kept,
               GArray *rows,
               gint64 begin,
               gint64 end)
{
  gint64 origin = -1;
  guint n = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      TsEvent event = g_array_index (rows, TsEvent, i);

      if (event.time < begin || event.time > end)
        continue;
      if (origin < 0)
        origin = event.time;
      if (!ts_event_is_counted (&event))
        continue;
      g_assert_cmpuint (n, <, kept->len);
      event.time -= origin;
      g_assert_cmpint (g_array_index (kept, TsEvent, n).time, ==, event.time);
      g_assert_cmpuint (g_array_index (kept, TsEvent, n).kind, ==, event.kind);
      g_assert_cmpuint (g_array_index (kept, TsEvent, n).object, ==, event.object);
      g_assert_cmpint (g_array_index (kept, TsEvent, n).value, ==, event.value);
      n++;
    }
  g_assert_cmpuint (n, ==, kept->len);
  g_assert_cmpuint (n, >, 0);
}

static void
test_stop (void)
{
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (GArray) rows = read_whole (FILE_NAME, "auto", &whole);
  g_autofree char *config
      = file_config ("\"trigger\": \"lane:\\\"Once\\\" kind:timer\", "
                     "\"trigger-before-ms\": 50, \"trigger-after-ms\": 30");
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) kept = NULL;
  g_autoptr (GArray) all = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *t0_whole = ts_recording_dup_meta (whole, "ts_t0_ticks");
  g_autofree char *t0 = NULL;
  g_autofree char *ticks = NULL;
  TsCaptureStats stats;
  guint n_marks = 0, n_gaps = 0;
  gint64 origin = -1, fired = -1;

  /* half a second into the file: a timer that expires once */
  for (guint i = 0; fired < 0; i++)
    if (is_wanted (whole, &g_array_index (rows, TsEvent, i), TS_EVENT_TIMER, "Once"))
      fired = g_array_index (rows, TsEvent, i).time;
  g_assert_cmpint (fired, >, ms (whole, 400));

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  ts_capture_session_get_stats (self->session, &stats);
  g_assert_cmpint (stats.trigger_state, ==, TS_TRIGGER_DONE);
  g_assert_cmpuint (stats.trigger_fired, ==, 1);

  recording = ts_recording_open (self->output, NULL);
  kept = kept_rows (recording, &n_marks, &n_gaps);
  g_test_message ("%u of %u rows kept", kept->len, rows->len);
  assert_window (kept, rows, fired - ms (whole, 50), fired + ms (whole, 30));
  g_assert_cmpuint (stats.events, ==, kept->len);
  g_assert_cmpuint (n_marks, ==, 1);
  g_assert_cmpuint (n_gaps, ==, 0);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "trigger");
  g_assert_cmpint (test_health (recording, "trigger_fired"), ==, 1);

  /* the raw ticks of time 0 are those of the first row that is kept */
  for (guint i = 0; origin < 0; i++)
    if (g_array_index (rows, TsEvent, i).time >= fired - ms (whole, 50))
      origin = g_array_index (rows, TsEvent, i).time;
  t0 = ts_recording_dup_meta (recording, "ts_t0_ticks");
  g_assert_cmpint (g_ascii_strtoll (t0, NULL, 10), ==,
                   g_ascii_strtoll (t0_whole, NULL, 10) + origin);

  /* the mark stands right behind the event that fired, names it, and says what was waited for */
  ticks = ts_recording_dup_meta (recording, "ts_trigger_ticks");
  g_assert_cmpint (g_ascii_strtoll (ticks, NULL, 10), ==, fired - origin);
  all = test_rows (recording);
  for (guint i = 1; i < all->len; i++)
    {
      const TsEvent *mark = &g_array_index (all, TsEvent, i);

      if (mark->kind != TS_EVENT_MARK)
        continue;
      g_assert_cmpint (mark->time, ==, fired - origin);
      g_assert_true (is_wanted (recording, mark - 1, TS_EVENT_TIMER, "Once"));
      g_assert_cmpuint (mark->object, ==, mark[-1].object);
      g_assert_nonnull (strstr (
          ts_recording_get_string (recording, ts_event_get_text_id (mark)), "lane:Once kind:timer"));
    }
  g_clear_object (&recording);
  fixture_free (self);
}

/* Armed again and again: each window is whole, and each gap between two is marked. */
static void
test_rearm (void)
{
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (GArray) rows = read_whole (FILE_NAME, "auto", &whole);
  guint n_fired = 0, n_kept = 0, n_marks = 0, n_gaps = 0, n_breaks = 0;
  g_autofree char *config = file_config (
      "\"trigger\": \"lane:Filter kind:task_notify\", \"trigger-before-ms\": 2, "
      "\"trigger-after-ms\": 3, \"trigger-action\": \"rearm\"");
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) kept = NULL;
  gint64 origin = -1, window_end = G_MININT64;
  guint last = 0;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  recording = ts_recording_open (self->output, NULL);
  kept = kept_rows (recording, &n_marks, &n_gaps);

  /* the same, worked out row by row */
  for (guint i = 0; i < rows->len; i++)
    {
      const TsEvent *event = &g_array_index (rows, TsEvent, i);
      guint first = i;

      if (event->time <= window_end || !is_wanted (whole, event, TS_EVENT_TASK_NOTIFY, "Filter"))
        continue;
      n_fired++;
      while (first > last
             && g_array_index (rows, TsEvent, first - 1).time >= event->time - ms (whole, 2))
        first--;
      if (origin < 0)
        origin = g_array_index (rows, TsEvent, first).time;
      n_breaks += n_fired > 1 && first > last;
      window_end = event->time + ms (whole, 3);
      for (last = first;
           last < rows->len && g_array_index (rows, TsEvent, last).time <= window_end; last++)
        {
          const TsEvent *expected = &g_array_index (rows, TsEvent, last);

          if (!ts_event_is_counted (expected))
            continue;
          g_assert_cmpuint (n_kept, <, kept->len);
          g_assert_cmpint (g_array_index (kept, TsEvent, n_kept).time, ==,
                           expected->time - origin);
          g_assert_cmpuint (g_array_index (kept, TsEvent, n_kept).kind, ==, expected->kind);
          n_kept++;
        }
    }
  g_test_message ("%u windows, %u gaps, %u of %u rows", n_fired, n_gaps, n_kept, rows->len);
  g_assert_cmpuint (n_fired, >, 2);
  g_assert_cmpuint (n_breaks, >, 1);
  g_assert_cmpuint (n_marks, ==, n_fired);
  g_assert_cmpint (test_health (recording, "trigger_fired"), ==, n_fired);
  /* the stream ended while it waited: its last 2 ms are kept too */
  for (gboolean is_first = TRUE; last < rows->len; last++)
    {
      const TsEvent *expected = &g_array_index (rows, TsEvent, last);
      gint64 end = g_array_index (rows, TsEvent, rows->len - 2).time;

      if (!ts_event_is_counted (expected))
        continue;
      if (expected->time < end - ms (whole, 2))
        {
          n_breaks += is_first;
          is_first = FALSE;
          continue;
        }
      n_kept++;
    }
  g_assert_cmpuint (n_gaps, ==, n_breaks);
  g_assert_cmpuint (kept->len, ==, n_kept);
  g_clear_object (&recording);
  fixture_free (self);
}

/* Only marks: everything is recorded, times and all. */
static void
test_mark (void)
{
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (GArray) rows = read_whole (FILE_NAME, "auto", &whole);
  guint n_marks = 0, n_gaps = 0, n_fired = 0;
  g_autofree char *config = file_config (
      "\"trigger\": \"lane:Filter kind:task_notify\", \"trigger-after-ms\": 100, "
      "\"trigger-action\": \"mark\"");
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) kept = NULL;
  gint64 quiet_until = G_MININT64;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  recording = ts_recording_open (self->output, NULL);
  kept = kept_rows (recording, &n_marks, &n_gaps);
  assert_window (kept, rows, 0, G_MAXINT64);
  for (guint i = 0; i < rows->len; i++)
    {
      const TsEvent *event = &g_array_index (rows, TsEvent, i);

      if (event->time <= quiet_until || !is_wanted (whole, event, TS_EVENT_TASK_NOTIFY, "Filter"))
        continue;
      n_fired++;
      quiet_until = event->time + ms (whole, 100);
    }
  g_assert_cmpuint (n_fired, >, 2);
  g_assert_cmpuint (n_marks, ==, n_fired);
  g_assert_cmpuint (n_gaps, ==, 0);
  g_clear_object (&recording);
  fixture_free (self);
}

/* It never fires: the last of the stream is kept, as of a flight recorder. */
static void
test_never (void)
{
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (GArray) rows = read_whole (FILE_NAME, "auto", &whole);
  g_autofree char *config = file_config ("\"trigger\": \"lane:nobody\", "
                                         "\"trigger-before-ms\": 40");
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) kept = NULL;
  gint64 end = 0;
  guint n_marks = 0, n_gaps = 0;

  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, TsEvent, i).kind != TS_EVENT_CAPTURE_END)
      end = g_array_index (rows, TsEvent, i).time;
  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  recording = ts_recording_open (self->output, NULL);
  kept = kept_rows (recording, &n_marks, &n_gaps);
  assert_window (kept, rows, end - ms (whole, 40), G_MAXINT64);
  g_assert_cmpuint (n_marks, ==, 0);
  g_assert_cmpint (test_health (recording, "trigger_fired"), ==, 0);
  g_clear_object (&recording);
  fixture_free (self);
}

/* ---- live ---- */

static gboolean
is_waiting_with_events (Fixture *self)
{
  TsCaptureStats stats;

  ts_capture_session_get_stats (self->session, &stats);
  return (stats.trigger_state == TS_TRIGGER_WAITING && stats.events > 100) || self->n_ended > 0;
}

/* Datagrams: while it waits, the fill is told and the recording is empty; the target falls silent,
 * which fires without another byte. */
static void
test_udp_silence (void)
{
  guint16 port = find_free_port ();
  g_autofree char *config = g_strdup_printf (
      "{\"transport\": \"udp\", \"udp-ip\": \"127.0.0.1\", \"udp-port\": %u, "
      "\"trigger\": \"lane:nobody value>1 or lane:Ctrl silent>1500ms\", "
      "\"trigger-before-ms\": 300, \"trigger-after-ms\": 50}",
      port);
  Fixture *self = fixture_new (config, NULL);
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (GArray) rows = read_whole (UDP_NAME, "va-udprec", &whole);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) kept = NULL;
  g_autofree char *reason = NULL;
  guint n_marks = 0, n_gaps = 0;
  TsCaptureStats stats;
  gint64 end;
  int fd;

  fixture_start (self);
  WAIT (self, is_capturing);
  fd = make_sender (port);
  send_records (self, UDP_NAME, &fd, 1, TRUE);
  WAIT (self, is_waiting_with_events);
  ts_capture_session_get_stats (self->session, &stats);
  if (stats.trigger_state == TS_TRIGGER_WAITING)
    {
      g_assert_cmpint (stats.trigger_wanted_us, ==, 300000);
      g_assert_cmpint (stats.trigger_held_us, >, 0);
      g_assert_cmpint (stats.trigger_held_us, <=, 300000);
    }
  WAIT (self, has_ended);
  assert_stopped (self);

  recording = ts_recording_open (self->output, NULL);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "trigger");
  kept = kept_rows (recording, &n_marks, &n_gaps);
  g_assert_cmpuint (n_marks, ==, 1);
  end = g_array_index (rows, TsEvent, rows->len - 1).time;
  if (g_array_index (rows, TsEvent, rows->len - 1).kind == TS_EVENT_CAPTURE_END)
    end = g_array_index (rows, TsEvent, rows->len - 2).time;
  assert_window (kept, rows, end - ms (whole, 300), G_MAXINT64);
  g_clear_object (&recording);
  close (fd);
  fixture_free (self);
}

/* The demo target, paced: a value rises above, the capture ends by itself. */
static void
test_demo (void)
{
  Fixture *self = fixture_new (
      "{\"transport\": \"demo\", \"trigger\": \"lane:Control dur>1ms or kind:mutex_contention or "
      "kind:user_trace\", \"trigger-before-ms\": 100, \"trigger-after-ms\": 200}",
      &(TsCaptureOptions){ .keep_raw_log = FALSE, .duration_ms = 30000 });
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) rows = NULL;
  g_autofree char *reason = NULL;
  gint64 us;

  fixture_start (self);
  WAIT (self, has_ended);
  assert_stopped (self);
  recording = ts_recording_open (self->output, NULL);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "trigger");
  us = ts_recording_ticks_to_us (recording, ts_recording_get_duration (recording));
  g_assert_cmpint (us, >, 150000);
  g_assert_cmpint (us, <=, 300000);
  rows = test_rows (recording);
  g_assert_cmpuint (test_count_kind (rows, TS_EVENT_MARK), ==, 1);
  g_clear_object (&recording);
  fixture_free (self);
}

/* What cannot be read is refused before anything is touched. */
static void
test_bad_expression (void)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (ts_connection_load_data (
      connection, "{\"transport\": \"demo\", \"trigger\": \"lane:Ctrl vlaue>3\"}", -1, "x.vacf",
      FALSE, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_assert_nonnull (strstr (error->message, "x.vacf"));
  g_assert_nonnull (strstr (error->message, "character 11"));
  g_clear_error (&error);
  g_assert_false (ts_connection_set_from_text (connection, "trigger", "dur>5ms", &error));
  g_assert_nonnull (strstr (error->message, "lane"));
  g_clear_error (&error);
  g_assert_false (ts_connection_set_from_text (connection, "trigger-action", "halt", &error));
  g_assert_nonnull (strstr (error->message, "stop, rearm, mark"));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capture/session-trigger/stop", test_stop);
  g_test_add_func ("/capture/session-trigger/rearm", test_rearm);
  g_test_add_func ("/capture/session-trigger/mark", test_mark);
  g_test_add_func ("/capture/session-trigger/never", test_never);
  g_test_add_func ("/capture/session-trigger/udp-silence", test_udp_silence);
  g_test_add_func ("/capture/session-trigger/demo", test_demo);
  g_test_add_func ("/capture/session-trigger/bad-expression", test_bad_expression);

  return g_test_run ();
}
