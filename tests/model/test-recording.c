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

#include "recording-files.h"

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

/* What trace hardware tells. */
static void
test_hardware_words (TsRecording *recording)
{
  static const struct
  {
    TsEventKind kind;
    gint64 value;
    gint64 detail;
    const char *words;
  } cases[] = {
    { TS_EVENT_DWT_EXC, 15, 1, "enter" },
    { TS_EVENT_DWT_EXC, 15, 2, "exit" },
    { TS_EVENT_DWT_EXC, 0, 3, "return to it" },
    { TS_EVENT_DWT_COUNTERS, 0x21, 0, "CPI, CYC" },
    { TS_EVENT_ITM_DATA, 70000, 4, "BusMtx = 70000 (0x00011170)" },
    { TS_EVENT_ITM_DATA, 7, 1, "BusMtx = 7 (0x07)" },
    { TS_EVENT_ITM_OVERFLOW, 0, 0, "packets were lost on the chip" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TsEvent event = { .kind = cases[i].kind, .object = OBJECT_BUS, .value = cases[i].value,
                        .detail = cases[i].detail };
      g_autofree char *words = ts_recording_describe_event (recording, &event);

      g_assert_cmpstr (words, ==, cases[i].words);
    }
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

  {
    TsEvent sample = { .kind = TS_EVENT_DWT_PC, .value = 0x08000218 };
    TsEvent write = { .kind = TS_EVENT_DWT_DATA, .object = OBJECT_BUS, .value = 194,
                      .detail = 0x0800B8AA, .flags = TS_EVENT_FLAG_START };
    g_autofree char *where = ts_recording_describe_event (recording, &sample);
    g_autofree char *what = ts_recording_describe_event (recording, &write);

    g_assert_cmpstr (where, ==, "0x08000218");
    g_assert_cmpstr (what, ==, "BusMtx = 194 (0x0800B8AA)");
  }
  test_hardware_words (recording);

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

/* What a live recording tells of itself is what was committed, and nobody reads the file for it. */
static void
test_live_keys (Fixture *fixture,
                gconstpointer data)
{
  TsWriterOptions options = { .live = TRUE, .capture_source = "a test" };
  TsRecordingWriter *writer = ts_recording_writer_new (fixture->path, &options, NULL);
  g_autoptr (TsRecording) live = ts_recording_open_live (writer, NULL);
  g_autoptr (TsRecording) copy = ts_recording_reopen (live, NULL);
  guint64 n_reads = ts_recording_get_n_reads (live);

  for (guint round = 0; round < 3; round++)
    {
      g_autofree char *lost = g_strdup_printf ("%u", round * 7);
      g_autofree char *system = g_strdup_printf ("system %u", round);
      g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);

      g_ptr_array_add (values, ts_recording_dup_meta (live, "capture_source"));
      g_assert_cmpstr (values->pdata[0], ==, "a test");
      if (round < 2)
        {
          ts_recording_writer_set_meta (writer, "va_os", system);
          ts_recording_writer_set_health (writer, "seq_present", "1");
          ts_recording_writer_set_health (writer, "lost_events", lost);
          fixture_events (ts_recording_writer_get_sink (writer));
          g_assert_true (ts_recording_writer_tick (writer, TRUE, NULL));
        }
      else
        g_assert_true (ts_recording_writer_close (writer, "stopped", NULL));
      g_ptr_array_add (values, ts_recording_dup_meta (live, "va_os"));
      g_ptr_array_add (values, ts_recording_dup_health (copy, "lost_events"));
      g_ptr_array_add (values, ts_recording_dup_summary (live, "lost_events"));
      g_ptr_array_add (values, ts_recording_dup_health (live, "end_reason"));
      g_assert_cmpstr (values->pdata[1], ==, round == 0 ? "system 0" : "system 1");
      g_assert_cmpstr (values->pdata[2], ==, round == 0 ? "0" : "7");
      g_assert_cmpstr (values->pdata[3], ==, round == 0 ? "0" : "7");
      g_assert_cmpstr (values->pdata[4], ==, round == 2 ? "stopped" : "not closed");
      assert_sql (fixture->path, "SELECT value FROM meta WHERE key='va_os'", values->pdata[1]);
      assert_sql (fixture->path, "SELECT value FROM health WHERE key='lost_events'",
                  values->pdata[2]);
    }
  g_assert_cmpuint (ts_recording_get_n_reads (live), ==, n_reads);
  ts_recording_writer_free (writer);
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
  ADD ("live", test_live);
  ADD ("live-keys", test_live_keys);
  ADD ("foreign-reader", test_foreign_reader);
  ADD ("strings", test_strings);
  ADD ("reserve-large", test_reserve_large);
  ADD ("raw-log", test_raw_log);
#undef ADD

  return g_test_run ();
}
