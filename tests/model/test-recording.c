/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-recording.c: what the writer writes and the reader reads, against values worked out by hand.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/ts-recording-writer-private.h"

#include "recording-fixture.h"

typedef struct
{
  char *dir;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->dir = fixture_dir ();
  fixture->path = g_build_filename (fixture->dir, "r.vadb", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  fixture_remove_dir (fixture->dir);
  g_free (fixture->dir);
  g_free (fixture->path);
}

static void
assert_sql (const char *path,
            const char *sql,
            const char *expected)
{
  g_autofree char *got = fixture_sql (path, sql);

  g_assert_cmpstr (got, ==, expected);
}

static void
assert_no_side_files (const char *path)
{
  static const char * const suffixes[] = { "-wal", "-shm", "-journal" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *name = g_strconcat (path, suffixes[i], NULL);

      g_assert_false (g_file_test (name, G_FILE_TEST_EXISTS));
    }
}

static void
test_events_view (Fixture *fixture,
                  gconstpointer data)
{
  fixture_write (fixture->path);
  assert_no_side_files (fixture->path);

  assert_sql (fixture->path, "SELECT * FROM va_events ORDER BY id",
              "1|0|session_start|-|-|-|0|-|-|-|4\n"
              "2|0|task_switch|1|2|IDLE|0|-|-|-|0\n"
              "3|100|task_switch|0|2|IDLE|0|-|-|-|0\n"
              "4|100|task_switch|1|1|Ctrl|0|-|-|-|0\n"
              "5|150|isr|1|3|SysTick|0|-|-|-|0\n"
              "6|170|isr|0|3|SysTick|0|-|-|-|0\n"
              "7|200|mutex|0|4|BusMtx|0|-|-|-|0\n"
              "8|210|float_trace|-|5|motor_current|0|1.5|-|-|0\n"
              "9|220|string|-|7|log|0|7|-|hello, \"world\"|2\n"
              "10|230|float_trace|-|5|motor_current|0|2.5|-|-|0\n"
              "11|240|task_priority|-|1|Ctrl|0|6|5|inherited|0\n"
              "12|300|task_switch|0|1|Ctrl|0|-|-|-|0\n"
              "13|310|task_switch|1|2|IDLE|0|-|-|-|0\n"
              "14|40|poll_trace|-|5|motor_current|0|-3|-|-|0\n" /* 400 ticks of 0.1 us */
              "15|500|isr|1|3|SysTick|0|-|-|-|0\n"
              "16|520|isr|0|3|SysTick|0|-|-|-|0\n"
              "17|1000|task_switch|0|2|IDLE|0|-|-|-|0\n"
              "18|1000|capture_end|-|-|-|0|-|-|stopped|4");
  assert_sql (fixture->path, "SELECT group_concat(name,',') FROM pragma_table_info('va_events')",
              "id,t_cycles,kind,start,object_id,object,core,value,detail,text,flags");
  assert_sql (fixture->path, "SELECT typeof(value) FROM va_events WHERE id IN (8,9,7)",
              "null\nreal\ninteger");
  assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events WHERE flags IS NULL", "0");
  assert_sql (fixture->path,
              "SELECT kind, COUNT(*) n FROM va_events GROUP BY kind ORDER BY n DESC, kind LIMIT 3",
              "task_switch|6\nisr|4\nfloat_trace|2");
}

static void
test_key_tables (Fixture *fixture,
                 gconstpointer data)
{
  fixture_write (fixture->path);

  assert_sql (
      fixture->path,
      "SELECT value FROM meta WHERE key IN ('capture_source','format','has_va','taskscope_schema',"
      "'ts_raw_format','ts_t0_ticks','va_cpu_hz','va_os','va_recorder_version') ORDER BY key",
      "file\nva-recording\n1\n1\nva-cobs\n5635\n10000000\nFreeRTOS\n1.0.5");
  assert_sql (fixture->path, "SELECT key, value FROM health ORDER BY key",
              "corrupt_bytes|9\nend_reason|stopped\nlost_events|4\nraw_bytes|6\nseq_gaps|2\nseq_"
              "present|1\nsessions|1\n"
              "total_events|16");
  /* 6 bytes in 100 us. */
  assert_sql (
      fixture->path,
      "SELECT key, value FROM va_summary WHERE key NOT LIKE 'cpu%' AND key NOT LIKE 'context%'"
      " AND key <> 'preemptions' ORDER BY key",
      "bytes_per_s_avg|60000.000000\nbytes_per_s_peak|60000.000000\ncorrupt_bytes|9\nlost_events|"
      "4\nseq_gaps|2\n"
      "seq_present|1\nspan_seconds|0.000100\ntotal_events|16");
  assert_sql (fixture->path,
              "SELECT COUNT(*) FROM meta WHERE key='ts_recording_id' AND length(value)=12"
              " AND value NOT GLOB '*[^0-9a-f]*'",
              "1");
  assert_sql (
      fixture->path,
      "SELECT COUNT(*) FROM meta WHERE key='created_utc' AND"
      " value GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z'",
      "1");
  assert_sql (fixture->path, "PRAGMA application_id", "1414755940"); /* 54 53 76 64: TSvd */
  assert_sql (fixture->path, "PRAGMA user_version", "1");
  assert_sql (fixture->path, "PRAGMA journal_mode", "delete");
  assert_sql (fixture->path, "PRAGMA page_size", "4096");
  assert_sql (fixture->path, "PRAGMA integrity_check", "ok");
}

static void
test_objects_and_raw (Fixture *fixture,
                      gconstpointer data)
{
  fixture_write (fixture->path);

  assert_sql (
      fixture->path,
      "SELECT id,type,wire_id,name,priority,base_priority,stack_bytes,capacity,address,unit,display"
      " FROM va_objects ORDER BY id",
      "1|task|1|Ctrl|5|5|-|-|-|-|-\n"
      "2|task|2|IDLE|0|0|-|-|-|-|-\n"
      "3|isr|1|SysTick|-|-|-|-|-|-|-\n"
      "4|mutex|3|BusMtx|-|-|-|-|-|-|-\n"
      "5|user_trace|4|motor_current|-|-|-|-|-|A|-\n"
      "6|user_event|5|bulk|-|-|-|-|-|-|-\n"
      "7|string_channel|7|log|-|-|-|-|-|-|-");
  assert_sql (fixture->path,
              "SELECT id,t_host_us,source,CAST(bytes AS TEXT) FROM raw_log ORDER BY id",
              "1|1000|0|abcde\n2|3000|1|f");
}

/* Shares of 1000 ticks: Ctrl 200 less 20 in the interrupt, IDLE 100 + 690 - 20, interrupt 2 x 20,
 * scheduler 10. */
static void
test_statistics (Fixture *fixture,
                 gconstpointer data)
{
  fixture_write (fixture->path);

  assert_sql (fixture->path,
              "SELECT name, printf('%.3f',cpu_percent), run_count, run_ticks, type, priority FROM "
              "va_task_stats"
              " WHERE name IN ('Ctrl','IDLE','ISR:SysTick') ORDER BY cpu_percent DESC",
              "IDLE|77.000|2|770|task|0\nCtrl|18.000|1|180|task|5\nISR:SysTick|4.000|2|40|isr|-");
  assert_sql (fixture->path,
              "SELECT printf('%.3f',cpu_percent) FROM va_task_stats WHERE name='_RTOS_'", "1.000");
  assert_sql (fixture->path,
              "SELECT printf('%.3f %.3f %.3f',min_us,avg_us,max_us) FROM va_task_stats"
              " WHERE name IN ('Ctrl','ISR:SysTick','IDLE') ORDER BY name",
              "18.000 18.000 18.000\n10.000 38.500 67.000\n2.000 2.000 2.000");
  /* Entered at 150 and 500: one period of 35 us. */
  assert_sql (
      fixture->path,
      "SELECT printf('%.3f %.3f %.3f',avg_period_us,min_jitter_us,max_jitter_us) FROM va_task_stats"
      " WHERE name='ISR:SysTick'",
      "35.000 0.000 0.000");
  assert_sql (fixture->path, "SELECT value FROM va_summary WHERE key='cpu_load_percent'",
              "23.000000");
}

/* 1.5 and 2.5, 2 us apart: mean 2, rms sqrt (4.25), standard deviation 0.5, 500 kHz. */
static void
test_trace_statistics (Fixture *fixture,
                       gconstpointer data)
{
  fixture_write (fixture->path);

  assert_sql (
      fixture->path,
      "SELECT object_id,name,type,unit,min,max,printf('%.6f',mean),printf('%.6f',rms),"
      "printf('%.6f',std_dev) FROM va_trace_stats WHERE count=3",
      /* 1.5, 2.5 and the polled -3: squares 17.5 / 3, less the mean's */
      "5|motor_current|user_trace|A|-3.0|2.5|0.333333|2.415229|2.392117");
}

static void
test_reader (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsRecording) again = NULL;
  TsEvent events[FIXTURE_N_ROWS];
  guint n = 0;
  g_autofree char *os = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *lost = NULL;
  g_autofree char *nothing = NULL;

  fixture_write (fixture->path);
  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (ts_recording_get_clock_hz (recording), ==, FIXTURE_HZ);
  g_assert_cmpint (ts_recording_get_duration (recording), ==, FIXTURE_END);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, FIXTURE_N_EVENTS);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, FIXTURE_N_ROWS);
  g_assert_cmpuint (strlen (ts_recording_get_id (recording)), ==, 12);
  g_assert_false (ts_recording_is_live (recording));
  g_assert_false (ts_recording_refresh (recording));
  os = ts_recording_dup_meta (recording, "va_os");
  g_assert_cmpstr (os, ==, "FreeRTOS");
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "stopped");
  lost = ts_recording_dup_summary (recording, "lost_events");
  g_assert_cmpstr (lost, ==, "4");
  nothing = ts_recording_dup_summary (recording, "no such key");
  g_assert_null (nothing);

  g_assert_cmpuint (ts_recording_get_n_objects (recording), ==, N_FIXTURE_OBJECTS);
  g_assert_cmpstr (ts_recording_get_object (recording, OBJECT_BUS)->name, ==, "BusMtx");
  g_assert_true (ts_recording_get_object (recording, OBJECT_IDLE)->is_idle);
  g_assert_null (ts_recording_get_object (recording, 99));

  g_assert_true (
      ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, FIXTURE_N_ROWS);
  g_assert_cmpuint (events[7].kind, ==, TS_EVENT_FLOAT_TRACE);
  g_assert_cmpfloat (ts_event_get_double (&events[7]), ==, 1.5);
  g_assert_cmpuint (events[7].flags, ==, TS_EVENT_FLAG_FLOAT);
  g_assert_cmpstr (ts_recording_get_string (recording, ts_event_get_text_id (&events[8])), ==,
                   FIXTURE_TEXT);
  g_assert_cmpint (ts_event_get_detail (&events[10]), ==, 5);
  g_assert_cmpint (events[13].value, ==, -3);
  g_assert_cmpint (events[13].time, ==, 400);

  g_assert_true (ts_recording_read_events (recording, 18, 5, events, &n, &error));
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (events[0].kind, ==, TS_EVENT_CAPTURE_END);
  g_assert_true (ts_recording_read_events (recording, 19, 5, events, &n, &error));
  g_assert_cmpuint (n, ==, 0);

  g_assert_cmpuint (ts_recording_row_at_time (recording, 0), ==, 1);
  g_assert_cmpuint (ts_recording_row_at_time (recording, 1), ==, 3);
  g_assert_cmpuint (ts_recording_row_at_time (recording, 100), ==, 3);
  g_assert_cmpuint (ts_recording_row_at_time (recording, 101), ==, 5);
  g_assert_cmpuint (ts_recording_row_at_time (recording, 1000), ==, 17);
  g_assert_cmpuint (ts_recording_row_at_time (recording, 1001), ==, 19);

  again = ts_recording_reopen (recording, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (again), ==, FIXTURE_N_ROWS);
  g_assert_cmpstr (ts_recording_get_id (again), ==, ts_recording_get_id (recording));
}

static void
test_time (Fixture *fixture,
           gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;

  fixture_write (fixture->path);
  recording = ts_recording_open (fixture->path, NULL);
  g_assert_nonnull (recording);

  g_assert_cmpint (ts_recording_ticks_to_us (recording, 1009), ==, 100);
  g_assert_cmpint (ts_recording_ticks_to_us (recording, -1), ==, -1);
  g_assert_cmpint (ts_recording_ticks_to_ns (recording, 7), ==, 700);
  g_assert_cmpint (ts_recording_us_to_ticks (recording, 3), ==, 30);
  /* 2^62 ticks of 0.1 us: 461168601842738790.4 us. */
  g_assert_cmpint (ts_recording_ticks_to_us (recording, G_GINT64_CONSTANT (1) << 62), ==,
                   G_GINT64_CONSTANT (461168601842738790));
  g_assert_cmpint (ts_recording_us_to_ticks (recording, G_MAXINT64), ==, G_MAXINT64);
}

static void
test_describe (Fixture *fixture,
               gconstpointer data)
{
  static const char * const expected[FIXTURE_N_ROWS] = {
    "recorder started",
    "in",
    "out",
    "in",
    "enter",
    "exit",
    "take BusMtx",
    "motor_current = 1.5 A",
    FIXTURE_TEXT,
    "motor_current = 2.5 A",
    "priority 6, base 5 (inherited)",
    "out",
    "in",
    "motor_current = -3 A",
    "enter",
    "exit",
    "out",
    "capture ended: stopped",
  };
  g_autoptr (TsRecording) recording = NULL;
  TsEvent events[FIXTURE_N_ROWS];
  TsEvent odd = { .kind = TS_EVENT_MUTEX,
                  .object = OBJECT_BUS,
                  .flags = TS_EVENT_FLAG_START | TS_EVENT_FLAG_START_TAKES };
  g_autofree char *taken = NULL;
  guint n = 0;

  fixture_write (fixture->path);
  recording = ts_recording_open (fixture->path, NULL);
  g_assert_true (ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, NULL));
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = ts_recording_describe_event (recording, &events[i]);

      g_assert_cmpstr (text, ==, expected[i]);
    }

  taken = ts_recording_describe_event (recording, &odd);
  g_assert_cmpstr (taken, ==, "take BusMtx");

  /* No event whatever brings it down. */
  for (guint i = 0; i < 20000; i++)
    {
      TsEvent event = { .kind = (guint16) (i % 0x300),
                        .object = g_test_rand_int () & 15,
                        .flags = (guint8) g_test_rand_int (),
                        .value = g_test_rand_int (),
                        .detail = g_test_rand_int () };
      g_autofree char *text = ts_recording_describe_event (recording, &event);

      g_assert_nonnull (text);
    }
}

/* Any event comes back as it went in, whatever its fields. */
static void
test_round_trip (Fixture *fixture,
                 gconstpointer data)
{
  enum
  {
    N = 20000
  };
  g_autofree TsEvent *in = g_new0 (TsEvent, N);
  g_autofree TsEvent *out = g_new0 (TsEvent, N);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, NULL, &error);
  TsEventSink *sink;
  guint n = 0;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  for (guint i = 0; i < N; i++)
    {
      TsEvent *event = &in[i];

      event->time = i > 0 ? in[i - 1].time + g_test_rand_int_range (0, 1 << (i % 24)) : 0;
      event->kind = (guint16) g_test_rand_int_range (0x100, 0x10B); /* kinds that keep no state */
      event->object
          = i % 7 == 0 ? (guint32) g_test_rand_int () : (guint32) g_test_rand_int_range (0, 300);
      event->core = (guint8) (i % 5 == 0 ? g_test_rand_int_range (0, 256) : 0);
      event->flags = (guint8) g_test_rand_int ();
      event->value = (gint64) ((guint64) (guint32) g_test_rand_int () << (i % 33)) - 1000;
      event->detail = (gint64) ((guint64) (guint32) g_test_rand_int () << (i % 32));
      if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
        {
          union
          {
            double d;
            gint64 i;
          } u = { .d = g_test_rand_double () * 1e9 };

          event->value = u.i;
        }
      if ((event->flags & TS_EVENT_FLAG_TEXT) != 0)
        event->detail = (gint64) g_test_rand_int_range (1, 1000) << 32
                        | (guint32) (i % 3 == 0 ? 0 : g_test_rand_int ());
    }
  sink->iface->events (sink, in, N);
  g_assert_true (ts_recording_writer_close (writer, NULL, &error));
  ts_recording_writer_free (writer);

  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_true (ts_recording_read_events (recording, 1, N, out, &n, &error));
  g_assert_cmpuint (n, ==, N);
  for (guint i = 0; i < N; i++)
    g_assert_cmpmem (&in[i], sizeof in[i], &out[i], sizeof out[i]);

  /* The first row that is not before a time, found by looking at all. */
  for (guint k = 0; k < 300; k++)
    {
      gint64 time = k % 2 == 0 ? in[g_test_rand_int_range (0, N)].time
                               : g_test_rand_int_range (0, 1 << 30) % MAX (in[N - 1].time + 2, 2);
      guint64 row = 1;

      while (row <= N && in[row - 1].time < time)
        row++;
      g_assert_cmpuint (ts_recording_row_at_time (recording, time), ==, row);
    }
}

static void
test_no_sequence (Fixture *fixture,
                  gconstpointer data)
{
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, NULL, NULL);
  TsRecordingSummary summary = { 0 };

  fixture_define (ts_recording_writer_get_sink (writer));
  fixture_events (ts_recording_writer_get_sink (writer));
  ts_recording_writer_set_health (writer, "seq_present", "0");
  ts_recording_writer_set_health (writer, "lost_events", "0");
  g_assert_true (ts_recording_writer_close (writer, "end of file", NULL));
  ts_recording_writer_get_summary (writer, &summary);
  g_assert_cmpuint (summary.events, ==, FIXTURE_N_EVENTS);
  g_assert_cmpint (summary.lost_events, ==, -1);
  g_assert_cmpint (summary.seq_gaps, ==, -1);
  ts_recording_summary_clear (&summary);
  ts_recording_writer_free (writer);

  assert_sql (
      fixture->path,
      "SELECT key,value FROM va_summary WHERE key IN ('seq_present','lost_events','seq_gaps')",
      "seq_present|0");
  assert_sql (fixture->path, "SELECT key FROM health WHERE key IN ('lost_events','seq_gaps')", "");
}

/* A second recording of the same name replaces the first and what lay beside it. */
static void
test_replace (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *wal = g_strconcat (fixture->path, "-wal", NULL);
  g_autofree char *journal = g_strconcat (fixture->path, "-journal", NULL);

  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  g_assert_true (g_file_set_contents (wal, "old", -1, NULL));
  g_assert_true (g_file_set_contents (journal, "old", -1, NULL));
  fixture_write (fixture->path);
  assert_no_side_files (fixture->path);
  assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "18");
  fixture_write (fixture->path);
  assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "18");
}

static TsRecordingWriter *
write_other (Fixture *fixture,
             gboolean has_events)
{
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, NULL, NULL);

  g_assert_nonnull (writer);
  if (has_events)
    {
      fixture_define (ts_recording_writer_get_sink (writer));
      ts_recording_writer_get_sink (writer)->iface->events (
          ts_recording_writer_get_sink (writer),
          &(TsEvent){ .time = 7, .object = 1, .kind = TS_EVENT_USER_TRACE }, 1);
      g_assert_true (ts_recording_writer_tick (writer, TRUE, NULL));
    }
  return writer;
}

/* An older recording of the same name goes when the new one is whole, and not before. */
static void
test_older (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *aside = g_strconcat (fixture->path, "~", NULL);
  g_autofree char *second = g_strconcat (fixture->path, "~2", NULL);
  TsRecordingWriter *writer;

  /* while it is written both are there; given up, the older one has its name again */
  fixture_write (fixture->path);
  for (guint has_events = 0; has_events < 2; has_events++)
    {
      writer = write_other (fixture, has_events);
      assert_sql (aside, "SELECT COUNT(*) FROM va_events", "18");
      if (has_events)
        assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "1");
      ts_recording_writer_discard (writer);
      ts_recording_writer_free (writer);
      g_assert_false (g_file_test (aside, G_FILE_TEST_EXISTS));
      assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "18");
    }

  /* ended badly: both stay, and a next one does not cost either of them */
  for (guint i = 0; i < 2; i++)
    {
      writer = write_other (fixture, TRUE);
      g_assert_cmpstr (ts_recording_writer_keep_older (writer), ==, i == 0 ? aside : second);
      g_assert_true (ts_recording_writer_close (writer, "unplugged", NULL));
      ts_recording_writer_free (writer);
      assert_sql (aside, "SELECT COUNT(*) FROM va_events", "18");
      assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "2");
    }
  assert_sql (second, "SELECT COUNT(*) FROM va_events", "2");

  /* ended well: it replaces the one whose name it has, and that one only */
  writer = write_other (fixture, TRUE);
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);
  assert_sql (fixture->path, "SELECT COUNT(*) FROM va_events", "1");
  assert_sql (aside, "SELECT COUNT(*) FROM va_events", "18");
  assert_sql (second, "SELECT COUNT(*) FROM va_events", "2");
  g_unlink (aside);
  g_unlink (second);
}

static void
assert_no_open (const char *path,
                int code,
                const char *words)
{
  g_autoptr (GError) error = NULL;
  TsRecording *recording = ts_recording_open (path, &error);

  g_assert_null (recording);
  g_assert_error (error, TS_MODEL_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", error->message, words);
}

static void
exec_sql (const char *path,
          const char *sql)
{
  sqlite3 *db = NULL;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, &message) != SQLITE_OK)
    g_error ("%s: %s", sql, message);
  sqlite3_close (db);
}

static void
test_bad_files (Fixture *fixture,
                gconstpointer data)
{
  g_autofree char *contents = NULL;
  gsize length = 0;
  int fd;

  assert_no_open (fixture->path, TS_MODEL_ERROR_NO_SUCH_RECORDING, fixture->path);
  assert_no_open (fixture->dir, TS_MODEL_ERROR_BAD_RECORDING, "folder");

  g_assert_true (g_file_set_contents (fixture->path, "", 0, NULL));
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "empty");
  g_assert_true (g_file_set_contents (fixture->path, "this is no database\n", -1, NULL));
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");

  fd = g_open (fixture->path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  g_assert_cmpint (ftruncate (fd, (off_t) 10 << 30), ==, 0);
  close (fd);
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");
  g_unlink (fixture->path);

  exec_sql (fixture->path, "CREATE TABLE t(a)");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "not a recording");
  g_unlink (fixture->path);

  fixture_write (fixture->path);
  exec_sql (fixture->path, "PRAGMA user_version=2");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "newer");
  exec_sql (fixture->path,
            "PRAGMA user_version=1; UPDATE meta SET value='7' WHERE key='taskscope_schema'");
  assert_no_open (fixture->path, TS_MODEL_ERROR_BAD_RECORDING, "newer");

  /* Cut off anywhere: an error or a reader, never a crash. */
  g_unlink (fixture->path);
  fixture_write (fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));
  for (gsize n = 16; n < length; n += 1777)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents_full (fixture->path, contents, (gssize) n,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));
      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
    }
}

/* Damage a byte here and there: an error or a reader whose functions all return. */
static void
test_damaged (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *contents = NULL;
  gsize length = 0;

  fixture_write (fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));

  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *bad = g_memdup2 (contents, length);
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 4; k++)
        bad[g_test_rand_int_range (16, (gint32) length)] = (char) g_test_rand_int ();
      g_assert_true (g_file_set_contents_full (fixture->path, bad, (gssize) length,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));

      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
      if (recording != NULL)
        {
          TsEvent events[32];
          guint n = 0;

          ts_recording_row_at_time (recording, 300);
          if (ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, NULL))
            {
              for (guint k = 0; k < n; k++)
                {
                  g_autofree char *text = ts_recording_describe_event (recording, &events[k]);

                  g_assert_nonnull (text);
                }
            }
        }
    }
}

static void
test_hostile_values (Fixture *fixture,
                     gconstpointer data)
{
  static const char * const attacks[] = {
    "UPDATE meta SET value=NULL WHERE key='va_cpu_hz'",
    "UPDATE meta SET value='-1' WHERE key='va_cpu_hz'",
    "UPDATE meta SET value=x'FFFE' WHERE key='va_cpu_hz'",
    "UPDATE meta SET value='99999999999999999999999' WHERE key='va_cpu_hz'",
    "UPDATE va_summary SET value='x'",
    "UPDATE va_objects SET name=NULL, type=7, priority='high'",
    "UPDATE va_objects SET name=CAST(x'FFFEFD' AS TEXT)",
    "UPDATE va_objects SET id=id+9223372036854775000",
    "UPDATE ts_events SET t='late', x='?', v=x'00', d='text'",
    "UPDATE ts_events SET t=-5",
    "UPDATE ts_events SET t=9223372036854775807, x=-1, v=9223372036854775807, "
    "d=-9223372036854775807-1",
    "UPDATE ts_strings SET text=NULL",
    "UPDATE ts_lanes SET kind=99",
    "UPDATE ts_lanes SET name=NULL, color=-1, first_seen='x', n_slices=-1",
    "UPDATE ts_nodes SET level=200, width_log2=99, blob=-1, begin=-1, end=-2",
    "UPDATE ts_nodes SET blob=1, n_slices=9223372036854775807",
    "UPDATE ts_blobs SET data=zeroblob(10)",
    "UPDATE ts_blobs SET data='text'",
    "UPDATE ts_blobs SET data=randomblob(length(data))",
    "DELETE FROM ts_nodes",
    "DELETE FROM ts_lanes",
    "DELETE FROM va_objects",
    "DELETE FROM ts_events WHERE rowid=5",
    "INSERT INTO ts_events(rowid,t) VALUES(9223372036854775807,1)",
    "UPDATE meta SET value='0' WHERE key='ts_complete'; INSERT INTO ts_events(rowid,t,x) "
    "VALUES(3000000,1,-1)",
    "UPDATE meta SET value='0' WHERE key='ts_complete'; UPDATE ts_events SET t=t*1000000000000, "
    "x=x|(x<<33)",
    "DROP VIEW va_events",
    "DROP TABLE ts_events",
    "DROP TABLE va_objects",
    "DROP TABLE meta",
    "DROP TABLE va_summary; CREATE VIEW va_summary AS WITH RECURSIVE r(key,value) AS (SELECT "
    "'a','b' UNION ALL SELECT"
    " key||'a',value FROM r LIMIT 100000) SELECT * FROM r",
  };

  for (guint i = 0; i < G_N_ELEMENTS (attacks); i++)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;
      const TsLaneInfo *lanes;
      TsEvent events[32];
      guint n = 0;
      guint n_lanes = 0;

      fixture_write (fixture->path);
      exec_sql (fixture->path, attacks[i]);
      recording = ts_recording_open (fixture->path, &error);
      g_assert_true ((recording == NULL) == (error != NULL));
      if (recording == NULL)
        continue;

      ts_recording_ticks_to_us (recording, G_MAXINT64);
      ts_recording_row_at_time (recording, 300);
      if (ts_recording_read_events (recording, 1, G_N_ELEMENTS (events), events, &n, NULL))
        {
          for (guint k = 0; k < n; k++)
            {
              g_autofree char *text = ts_recording_describe_event (recording, &events[k]);

              g_assert_cmpint (events[k].time, >=, 0);
              g_assert_nonnull (text);
            }
        }

      lanes = ts_recording_get_lanes (recording, &n_lanes);
      for (guint k = 0; k < n_lanes; k++)
        {
          g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
          TsColumn columns[16] = { 0 };
          TsSlice slice;
          gboolean is_coarse;

          g_assert_nonnull (lanes[k].name);
          ts_recording_query_lane (recording, lanes[k].id, 0, 1000, 16, columns, slices, 0,
                                   &is_coarse);
          ts_recording_find_slice (recording, lanes[k].id, 500, 100, &slice);
          ts_recording_next_slice (recording, lanes[k].id, 500, 1, &slice);
        }
    }
}

/* Somebody else's recording: public tables only. */
static void
test_foreign (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsRecording) again = NULL;
  g_autoptr (GError) error = NULL;
  TsEvent event;
  guint n = 0;

  exec_sql (
      fixture->path,
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
      "INSERT INTO meta VALUES('format','va-recording'),('va_cpu_hz','1000000'),('va_os','Zephyr');"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY, value TEXT); INSERT INTO va_summary "
      "VALUES('total_events','3');"
      "CREATE TABLE va_events(kind TEXT, object TEXT, object_id INTEGER, start INTEGER, t_cycles "
      "INTEGER, text TEXT);"
      "INSERT INTO va_events "
      "VALUES('task_switch','main',4,1,5000,NULL),('string','log',9,NULL,5100,'boot'),"
      "('task_switch','main',4,0,5200,NULL);");
  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 3);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 3);
  g_assert_cmpint (ts_recording_get_duration (recording), ==, 200);
  g_assert_cmpstr (ts_recording_get_object (recording, 4)->name, ==, "main");
  g_assert_cmpstr (ts_recording_get_id (recording), ==, "");
  g_assert_true (ts_recording_read_events (recording, 2, 1, &event, &n, &error));
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (event.time, ==, 100);
  g_assert_cmpstr (ts_recording_get_string (recording, ts_event_get_text_id (&event)), ==, "boot");
  g_assert_cmpuint (ts_recording_row_at_time (recording, 101), ==, 3);

  again = ts_recording_reopen (recording, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (again), ==, 3);
  g_assert_cmpstr (ts_recording_get_object (again, 9)->name, ==, "log");
}

/* Writes in a child that is killed between two commits. Returns the rows that were committed. */
static void
write_and_die (const char *path,
               guint n_commits,
               int ready_fd)
{
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);

  sink->iface->set_clock (sink, FIXTURE_HZ);
  fixture_define (sink);
  for (guint i = 0; i < n_commits * 1000; i++)
    {
      TsEvent events[2];

      events[0] = fixture_event (i * 10, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_START);
      events[1] = fixture_event (i * 10 + 4, TS_EVENT_TASK_SWITCH, OBJECT_CTRL, TS_EVENT_FLAG_END);
      sink->iface->events (sink, events, 2);
      if (i % 1000 == 999)
        ts_recording_writer_tick (writer, TRUE, NULL);
    }

  /* Uncommitted: lost. */
  {
    TsEvent more[3000];

    for (guint i = 0; i < G_N_ELEMENTS (more); i++)
      more[i] = fixture_event (n_commits * 10000 + i, TS_EVENT_ISR, OBJECT_SYSTICK,
                               i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);
    sink->iface->events (sink, more, G_N_ELEMENTS (more));
  }

  if (write (ready_fd, "x", 1) != 1)
    _exit (1);
  for (;;)
    pause ();
}

static void
test_killed (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  const TsLaneInfo *lane;
  TsSlice slice;
  char ready;
  int fds[2];
  pid_t child;

  g_assert_cmpint (pipe (fds), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    write_and_die (fixture->path, 5, fds[1]);

  g_assert_cmpint (read (fds[0], &ready, 1), ==, 1);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (fds[0]);
  close (fds[1]);

  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 10000);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 10000);
  g_assert_cmpint (ts_recording_get_duration (recording), ==, 49994);
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, ==, "not closed");

  lane = ts_recording_get_lane (recording, OBJECT_CTRL);
  g_assert_nonnull (lane);
  g_assert_cmpstr (lane->name, ==, "Ctrl");
  g_assert_true (ts_recording_find_slice (recording, OBJECT_CTRL, 49992, 0, &slice));
  g_assert_cmpint (slice.begin, ==, 49990);
  g_assert_cmpint (slice.end, ==, 49994);
}

/* A killed recording in a folder that cannot be written, opened by somebody who may not write
 * there. */
static void
test_killed_read_only (Fixture *fixture,
                       gconstpointer data)
{
  char ready;
  int fds[2];
  int status = 0;
  pid_t child;

  g_assert_cmpint (pipe (fds), ==, 0);
  child = fork ();
  if (child == 0)
    write_and_die (fixture->path, 3, fds[1]);
  g_assert_cmpint (read (fds[0], &ready, 1), ==, 1);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (fds[0]);
  close (fds[1]);

  for (guint round = 0; round < 2; round++)
    {
      if (round == 1)
        {
          g_autofree char *shm = g_strconcat (fixture->path, "-shm", NULL);

          g_chmod (fixture->dir, 0755);
          g_unlink (shm);
        }
      g_chmod (fixture->dir, 0555);

      child = fork ();
      g_assert_cmpint (child, >=, 0);
      if (child == 0)
        {
          g_autoptr (TsRecording) recording = NULL;

          if (geteuid () == 0 && setuid (65534) != 0)
            _exit (77);
          /* a sandbox may keep its folders for root alone */
          if (access (fixture->path, R_OK) != 0)
            _exit (77);
          recording = ts_recording_open (fixture->path, NULL);
          _exit (recording == NULL ? 1 : ts_recording_get_n_rows (recording) != 6000 ? 2 : 0);
        }

      waitpid (child, &status, 0);
      g_chmod (fixture->dir, 0755);
      g_assert_true (WIFEXITED (status));
      if (WEXITSTATUS (status) == 77)
        {
          g_test_skip ("cannot become an ordinary user here");
          return;
        }
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }
}

/* A closed recording in a read-only folder. */
static void
test_read_only_folder (Fixture *fixture,
                       gconstpointer data)
{
  int status = 0;
  pid_t child;

  fixture_write (fixture->path);
  g_chmod (fixture->dir, 0555);
  child = fork ();
  if (child == 0)
    {
      g_autoptr (TsRecording) recording = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *other = g_build_filename (fixture->dir, "new.vadb", NULL);

      if (geteuid () == 0 && setuid (65534) != 0)
        _exit (0);
      if (access (fixture->path, R_OK) != 0)
        _exit (0);
      recording = ts_recording_open (fixture->path, NULL);
      if (recording == NULL || ts_recording_get_n_rows (recording) != FIXTURE_N_ROWS)
        _exit (1);
      if (ts_recording_writer_new (other, NULL, &error) != NULL
          || !g_error_matches (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE)
          || strstr (error->message, "new.vadb") == NULL)
        _exit (2);
      _exit (0);
    }
  waitpid (child, &status, 0);
  g_chmod (fixture->dir, 0755);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_cannot_create (Fixture *fixture,
                    gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->dir, "no", "such", "folder.vadb", NULL);

  g_assert_null (ts_recording_writer_new (path, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "folder.vadb"));
  g_clear_error (&error);

  g_assert_null (ts_recording_writer_new (fixture->dir, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
}

/* Not root, which may write everywhere. */
static void
test_folder_read_only (Fixture *fixture,
                       gconstpointer data)
{
  int status = 0;
  pid_t child;

  g_assert_cmpint (g_chmod (fixture->dir, 0555), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;

      if (geteuid () == 0 && setresuid (65534, 65534, 65534) != 0)
        _exit (77);
      if (ts_recording_writer_new (fixture->path, NULL, &error) != NULL)
        _exit (1);
      _exit (strstr (error->message, g_strerror (EACCES)) != NULL ? 0 : 2);
    }
  waitpid (child, &status, 0);
  g_assert_cmpint (g_chmod (fixture->dir, 0755), ==, 0);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    g_test_skip ("cannot become another user");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

/* A name that is being written cannot be taken by a second writer, in this process or another. */
static void
test_written_already (Fixture *fixture,
                      gconstpointer data)
{
  g_autoptr (TsRecordingWriter) first = ts_recording_writer_new (fixture->path, NULL, NULL);
  g_autoptr (TsRecordingWriter) again = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      if (ts_recording_writer_new (fixture->path, NULL, &error) != NULL)
        _exit (1);
      _exit (strstr (error->message, "already") != NULL ? 0 : 2);
    }
  waitpid (child, &status, 0);
  g_assert_cmpint (status, ==, 0);

  fixture_define (ts_recording_writer_get_sink (first));
  fixture_events (ts_recording_writer_get_sink (first));
  g_assert_true (ts_recording_writer_close (first, "stopped", &error));
  g_assert_no_error (error);
  assert_sql (fixture->path, "SELECT COUNT(*) FROM ts_events", G_STRINGIFY (FIXTURE_N_ROWS));

  /* closed, it can be replaced */
  again = ts_recording_writer_new (fixture->path, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (again);
}

/* The file goes while it is being written: told at the next commit, and at the end. */
static void
test_deleted_while_written (Fixture *fixture,
                            gconstpointer data)
{
  g_autofree char *moved = g_strconcat (fixture->path, ".moved", NULL);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (fixture->path, NULL, NULL);
      g_autoptr (GError) error = NULL;
      g_autofree char *content = NULL;

      fixture_define (ts_recording_writer_get_sink (writer));
      fixture_events (ts_recording_writer_get_sink (writer));
      g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
      g_assert_cmpint (g_rename (fixture->path, moved), ==, 0);
      g_assert_true (g_file_set_contents (fixture->path, "another", -1, NULL));

      if (i == 0)
        {
          g_assert_false (ts_recording_writer_tick (writer, TRUE, &error));
          g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
          g_assert_nonnull (strstr (error->message, "moved or replaced"));
          g_clear_error (&error);
        }
      if (i == 2)
        ts_recording_writer_discard (writer);
      g_assert_false (ts_recording_writer_close (writer, "stopped", &error));
      g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);

      /* what took the name stays as it is; what was moved is whole */
      g_assert_true (g_file_get_contents (fixture->path, &content, NULL, NULL));
      g_assert_cmpstr (content, ==, "another");
      assert_sql (moved, "SELECT COUNT(*) > 16 FROM ts_events", "1");
      g_unlink (moved);
    }
}

/* The file may not grow beyond 2 MB: one sentence, and what was committed before opens again. */
static void
test_disk_full (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      struct rlimit limit = { 2 << 20, 2 << 20 };
      TsRecordingWriter *writer;
      TsEventSink *sink;
      g_autoptr (GError) failure = NULL;
      guint i;

      signal (SIGXFSZ, SIG_IGN);
      if (setrlimit (RLIMIT_FSIZE, &limit) != 0)
        _exit (1);
      writer = ts_recording_writer_new (fixture->path, NULL, NULL);
      sink = ts_recording_writer_get_sink (writer);
      sink->iface->set_clock (sink, FIXTURE_HZ);
      fixture_define (sink);
      for (i = 0; i < 1000000; i++)
        {
          TsEvent event = fixture_event (i * 10, TS_EVENT_ISR, OBJECT_SYSTICK,
                                         i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);

          sink->iface->events (sink, &event, 1);
          if (i % 5000 == 4999 && !ts_recording_writer_tick (writer, TRUE, &failure))
            break;
        }
      if (failure == NULL || i < 10000)
        _exit (2);
      if (!g_error_matches (failure, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE)
          || strstr (failure->message, "r.vadb") == NULL
          || strstr (failure->message, " s is kept") == NULL)
        _exit (3);
      if (ts_recording_writer_close (writer, "stopped", NULL))
        _exit (4);
      ts_recording_writer_free (writer);
      _exit (0);
    }

  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);

  recording = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), >=, 10000);
  g_assert_cmpuint (ts_recording_get_n_rows (recording) % 5000, ==, 0);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, ts_recording_get_n_rows (recording));
  reason = ts_recording_dup_health (recording, "end_reason");
  g_assert_cmpstr (reason, !=, "stopped");
}

/* In a child with a file system of its own of 12 MB: fills it, then looks at what is there. Returns
 * the exit status. */
static int
fill_small_disk (const char *dir,
                 const char *path)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autofree char *reason = NULL;
  TsWriterOptions options = { .keep_raw_log = TRUE };
  TsRecordingWriter *writer;
  TsEventSink *sink;
  guint8 raw[900] = { 0 };
  TsSlice slice;
  gint64 end;

  if (unshare (geteuid () == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0
      || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount ("tmpfs", dir, "tmpfs", 0, "size=12m") != 0)
    return 77;

  writer = ts_recording_writer_new (path, &options, NULL);
  if (writer == NULL)
    return 1;
  sink = ts_recording_writer_get_sink (writer);
  sink->iface->set_clock (sink, FIXTURE_HZ);
  fixture_define (sink);
  for (guint i = 0; i < 10000000 && failure == NULL; i += 100)
    {
      TsEvent events[100];

      for (guint k = 0; k < G_N_ELEMENTS (events); k++)
        events[k] = fixture_event ((i + k) * 10, TS_EVENT_ISR, OBJECT_SYSTICK,
                                   k % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);
      ts_recording_writer_push_raw (writer, i, 0, raw, sizeof raw);
      sink->iface->events (sink, events, G_N_ELEMENTS (events));
      ts_recording_writer_tick (writer, FALSE, &failure);
    }
  if (failure == NULL || strstr (failure->message, "full") == NULL
      || strstr (failure->message, "kept") == NULL)
    return 2;
  if (ts_recording_writer_close (writer, "stopped", NULL))
    return 3;
  ts_recording_writer_free (writer);

  /* Whole, in one piece, finished: at least half of the disk was used, and lanes reach the end. */
  assert_no_side_files (path);
  recording = ts_recording_open (path, NULL);
  if (recording == NULL || ts_recording_get_n_rows (recording) < 150000)
    return 4;
  reason = ts_recording_dup_health (recording, "end_reason");
  if (reason == NULL || strcmp (reason, failure->message) != 0)
    return 5;
  end = ts_recording_get_duration (recording);
  if (!ts_recording_find_slice (recording, OBJECT_SYSTICK, end, 10, &slice) || slice.end != end)
    return 6;
  assert_sql (path, "PRAGMA journal_mode", "delete");
  assert_sql (path, "PRAGMA integrity_check", "ok");
  assert_sql (path,
              "SELECT (SELECT value FROM va_summary WHERE key='total_events') -"
              " (SELECT COUNT(*) FROM va_events WHERE kind='isr')",
              "0");
  return 0;
}

static void
test_small_disk (Fixture *fixture,
                 gconstpointer data)
{
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    _exit (fill_small_disk (fixture->dir, fixture->path));

  waitpid (child, &status, 0);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    g_test_skip ("no file system of its own may be mounted here");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static gpointer
read_live (gpointer data)
{
  g_autoptr (TsRecording) recording = data;
  guint64 last = 0;
  guint rounds = 0;

  while (ts_recording_is_live (recording))
    {
      guint64 n_rows;
      TsEvent event;
      guint n = 0;

      ts_recording_refresh (recording);
      n_rows = ts_recording_get_n_rows (recording);
      g_assert_cmpuint (n_rows, >=, last);
      g_assert_cmpuint (ts_recording_get_n_events (recording), >=, n_rows > 0 ? n_rows - 1 : 0);
      if (n_rows > 0 && ts_recording_is_live (recording)
          && ts_recording_read_events (recording, n_rows, 1, &event, &n, NULL) && n == 1)
        {
          /* Row n was written at tick 10 (n - 1). */
          if (event.kind == TS_EVENT_ISR)
            g_assert_cmpint (event.time, ==, (gint64) (n_rows - 1) * 10);
          g_assert_cmpuint (ts_recording_row_at_time (recording, event.time), <=, n_rows);
        }
      last = n_rows;
      rounds++;
    }

  /* The writer has closed: the same reader goes on with the finished file. */
  ts_recording_refresh (recording);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, 200000);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), ==, 200001);
  {
    g_autofree char *reason = ts_recording_dup_health (recording, "end_reason");

    g_assert_cmpstr (reason, ==, "stopped");
  }
  return GUINT_TO_POINTER (rounds);
}

static void
test_live (Fixture *fixture,
           gconstpointer data)
{
  TsWriterOptions options = { .live = TRUE };
  g_autoptr (GError) error = NULL;
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, &options, &error);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (TsRecording) mine = NULL;
  GThread *threads[2];
  guint32 text;

  g_assert_no_error (error);
  fixture_define (sink);
  mine = ts_recording_open_live (writer, &error);
  g_assert_no_error (error);
  g_assert_true (ts_recording_is_live (mine));
  g_assert_cmpstr (ts_recording_get_object (mine, OBJECT_CTRL)->name, ==, "Ctrl");

  /* A text is readable before it is committed. */
  text = sink->iface->intern (sink, "fresh", -1);
  g_assert_cmpstr (ts_recording_get_string (mine, text), ==, "fresh");

  threads[0] = g_thread_new ("reader", read_live, ts_recording_reopen (mine, &error));
  threads[1] = g_thread_new ("reader", read_live, ts_recording_open_live (writer, &error));

  for (guint i = 0; i < 200000; i++)
    {
      TsEvent event = fixture_event (i * 10, TS_EVENT_ISR, OBJECT_SYSTICK,
                                     i % 2 ? TS_EVENT_FLAG_END : TS_EVENT_FLAG_START);

      sink->iface->events (sink, &event, 1);
      if (i % 10000 == 0)
        g_assert_true (ts_recording_writer_tick (writer, i % 20000 == 0, &error));
    }

  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  assert_no_side_files (fixture->path);
  ts_recording_writer_free (writer);
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);

  g_assert_true (ts_recording_refresh (mine));
  g_assert_false (ts_recording_is_live (mine));
  g_assert_cmpuint (ts_recording_get_n_rows (mine), ==, 200001);
  assert_sql (fixture->path, "PRAGMA journal_mode", "delete");
}

/* Another program reads while we write and while we close: the recording is whole all the same. */
static void
test_foreign_reader (Fixture *fixture,
                     gconstpointer data)
{
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, NULL, NULL);
  g_autoptr (TsRecording) other = NULL;
  g_autoptr (GError) error = NULL;

  fixture_define (ts_recording_writer_get_sink (writer));
  fixture_events (ts_recording_writer_get_sink (writer));
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  other = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (other), ==, 17);
  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  ts_recording_writer_free (writer);
  g_clear_object (&other);

  other = ts_recording_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (other), ==, 18);
}

/* Many texts: recent ones are shared, all are kept. */
static void
test_strings (Fixture *fixture,
              gconstpointer data)
{
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (TsRecording) recording = NULL;
  guint32 first = sink->iface->intern (sink, "abcdef", 3);

  g_assert_cmpuint (first, >=, 1);
  g_assert_cmpuint (sink->iface->intern (sink, "abc", -1), ==, first);
  for (guint i = 0; i < 100000; i++)
    {
      char text[32];

      g_snprintf (text, sizeof text, "text %u", i);
      g_assert_cmpuint (sink->iface->intern (sink, text, -1), ==, first + 1 + i);
    }
  fixture_events (sink);
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);

  recording = ts_recording_open (fixture->path, NULL);
  g_assert_cmpstr (ts_recording_get_string (recording, first), ==, "abc");
  g_assert_cmpstr (ts_recording_get_string (recording, first + 99999 + 1), ==, "text 99999");
  g_assert_null (ts_recording_get_string (recording, first + 200000));
}

/* The raw log is what arrived, in order, in pieces of at most 64 KiB. */
static void
test_raw_log (Fixture *fixture,
              gconstpointer data)
{
  TsWriterOptions options = { .keep_raw_log = TRUE };
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, &options, NULL);
  g_autoptr (GByteArray) all = g_byte_array_new ();
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  gsize at = 0;

  for (guint i = 0; i < 500; i++)
    {
      guint8 bytes[4096];
      gsize n = (gsize) g_test_rand_int_range (1, sizeof bytes);

      for (gsize k = 0; k < n; k++)
        bytes[k] = (guint8) g_test_rand_int ();
      ts_recording_writer_push_raw (writer, i, 0, bytes, n);
      g_byte_array_append (all, bytes, (guint) n);
      if (i % 100 == 0)
        ts_recording_writer_tick (writer, TRUE, NULL);
    }
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);

  g_assert_cmpint (sqlite3_open (fixture->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_prepare_v2 (db, "SELECT bytes FROM raw_log ORDER BY id", -1, &stmt, NULL), ==,
      SQLITE_OK);
  while (sqlite3_step (stmt) == SQLITE_ROW)
    {
      gsize n = (gsize) sqlite3_column_bytes (stmt, 0);

      g_assert_cmpuint (n, <=, 65536);
      g_assert_cmpmem (sqlite3_column_blob (stmt, 0), n, all->data + at, n);
      at += n;
    }
  g_assert_cmpuint (at, ==, all->len);
  sqlite3_finalize (stmt);
  sqlite3_close (db);
}

/* More may wait to be written than the usual reserve holds: that is no full disk. */
static void
test_reserve_large (Fixture *fixture,
                    gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->dir, "reserve", NULL);
  TsReserve reserve = { .fd = -1 };
  GStatBuf info;

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  _ts_reserve_open (&reserve, path);
  g_assert_true (_ts_reserve_advance (&reserve, 100 << 20));
  _ts_reserve_close (&reserve);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_size, ==, 0);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/recording/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("events-view", test_events_view);
  ADD ("key-tables", test_key_tables);
  ADD ("objects-and-raw", test_objects_and_raw);
  ADD ("statistics", test_statistics);
  ADD ("trace-statistics", test_trace_statistics);
  ADD ("reader", test_reader);
  ADD ("time", test_time);
  ADD ("describe", test_describe);
  ADD ("round-trip", test_round_trip);
  ADD ("no-sequence", test_no_sequence);
  ADD ("replace", test_replace);
  ADD ("older", test_older);
  ADD ("bad-files", test_bad_files);
  ADD ("damaged", test_damaged);
  ADD ("hostile-values", test_hostile_values);
  ADD ("foreign", test_foreign);
  ADD ("killed", test_killed);
  ADD ("killed-read-only", test_killed_read_only);
  ADD ("read-only-folder", test_read_only_folder);
  ADD ("cannot-create", test_cannot_create);
  ADD ("folder-read-only", test_folder_read_only);
  ADD ("written-already", test_written_already);
  ADD ("deleted-while-written", test_deleted_while_written);
  ADD ("disk-full", test_disk_full);
  ADD ("small-disk", test_small_disk);
  ADD ("live", test_live);
  ADD ("foreign-reader", test_foreign_reader);
  ADD ("strings", test_strings);
  ADD ("reserve-large", test_reserve_large);
  ADD ("raw-log", test_raw_log);
#undef ADD

  return g_test_run ();
}
