/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-export.c: the recording made by hand as CSV and as a listing. */
#include "config.h"

#include "model/ts-export.h"

#include "open-fixture.h"

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture_init (fixture, "e.csv");
  fixture_write (fixture->path);
  fixture_open (fixture);
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
note_progress (double fraction,
               gpointer user_data)
{
  double *last = user_data;

  g_assert_cmpfloat (fraction, >=, *last);
  *last = fraction;
}

static void
test_csv (Fixture *fixture,
          gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  double progress = 0.0;
  guint64 n = 0;

  g_assert_true (ts_export_csv (fixture->recording, fixture->output, NULL, FALSE, note_progress,
                                 &progress, NULL, &n, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, FIXTURE_N_ROWS);
  g_assert_cmpfloat (progress, ==, 1.0);
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "id,t_cycles,time_us,kind,start,object,core,value,detail,text,flags\n"
                   "1,0,0.000,session_start,,,0,,,,4\n"
                   "2,0,0.000,task_switch,1,IDLE,0,,,,0\n"
                   "3,100,10.000,task_switch,0,IDLE,0,,,,0\n"
                   "4,100,10.000,task_switch,1,Ctrl,0,,,,0\n"
                   "5,150,15.000,isr,1,SysTick,0,,,,0\n"
                   "6,170,17.000,isr,0,SysTick,0,,,,0\n"
                   "7,200,20.000,mutex,0,BusMtx,0,,,,0\n"
                   "8,210,21.000,float_trace,,motor_current,0,1.5,,,0\n"
                   "9,220,22.000,string,,log,0,7,,\"hello, \"\"world\"\"\",2\n"
                   "10,230,23.000,float_trace,,motor_current,0,2.5,,,0\n"
                   "11,240,24.000,task_priority,,Ctrl,0,6,5,inherited,0\n"
                   "12,300,30.000,task_switch,0,Ctrl,0,,,,0\n"
                   "13,310,31.000,task_switch,1,IDLE,0,,,,0\n"
                   "14,40,40.000,poll_trace,,motor_current,0,-3,,,0\n"
                   "15,500,50.000,isr,1,SysTick,0,,,,0\n"
                   "16,520,52.000,isr,0,SysTick,0,,,,0\n"
                   "17,1000,100.000,task_switch,0,IDLE,0,,,,0\n"
                   "18,1000,100.000,capture_end,,,0,,,stopped,4\n");
  g_assert_cmpuint (count_files (fixture->dir), ==, 2);
}

static void
test_csv_filters (Fixture *fixture,
                  gconstpointer data)
{
  static const char * const kinds[] = { "isr", "task_in", NULL };
  static const char * const lanes[] = { "ISR:SysTick", "Ctrl", NULL };
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autofree char *text = NULL;
  guint64 n = 0;

  options.kinds = kinds;
  options.lanes = lanes;
  options.t_start_us = 10;
  options.t_end_us = 50;
  g_assert_true (
      ts_export_csv (fixture->recording, fixture->output, &options, FALSE, NULL, NULL, NULL, &n,
                     NULL));
  g_assert_cmpuint (n, ==, 4);
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "id,t_cycles,time_us,kind,start,object,core,value,detail,text,flags\n"
                   "4,100,10.000,task_switch,1,Ctrl,0,,,,0\n"
                   "5,150,15.000,isr,1,SysTick,0,,,,0\n"
                   "6,170,17.000,isr,0,SysTick,0,,,,0\n"
                   "15,500,50.000,isr,1,SysTick,0,,,,0\n");

  /* the same, counted from the begin of the range */
  g_clear_pointer (&text, g_free);
  g_assert_true (ts_export_csv (fixture->recording, fixture->output, &options, TRUE, NULL, NULL,
                                NULL, &n, NULL));
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "id,t_cycles,time_us,kind,start,object,core,value,detail,text,flags\n"
                   "4,0,0.000,task_switch,1,Ctrl,0,,,,0\n"
                   "5,50,5.000,isr,1,SysTick,0,,,,0\n"
                   "6,70,7.000,isr,0,SysTick,0,,,,0\n"
                   "15,400,40.000,isr,1,SysTick,0,,,,0\n");
}

/* A target that exists stays as it was until all is written, and after a failure. */
static void
test_csv_failures (Fixture *fixture,
                   gconstpointer data)
{
  static const char * const bad[] = { "nonsense", NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *nowhere = g_build_filename (fixture->dir, "no", "folder.csv", NULL);
  g_autofree char *text = NULL;
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;

  g_assert_true (g_file_set_contents (fixture->output, "before", -1, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_false (ts_export_csv (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL,
                                 cancellable, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  g_clear_error (&error);

  options.kinds = bad;
  g_assert_false (ts_export_csv (fixture->recording, fixture->output, &options, FALSE, NULL, NULL,
                                 NULL, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS);
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "before");
  g_assert_cmpuint (count_files (fixture->dir), ==, 2);

  g_assert_false (
      ts_export_csv (fixture->recording, nowhere, NULL, FALSE, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "folder.csv"));
  g_clear_error (&error);
  g_assert_false (
      ts_export_csv (fixture->recording, fixture->dir, NULL, FALSE, NULL, NULL, NULL, NULL,
                     &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
}

static void
test_print (Fixture *fixture,
            gconstpointer data)
{
  static const char * const kinds[] = { "mutex", "string", "float_trace", "capture_end", NULL };
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  guint64 n = 0;

  options.kinds = kinds;
  g_assert_true (ts_export_print (fixture->recording, stream, &options, NULL, &n, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, 5);
  text = g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)),
                    g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)));
  g_assert_cmpstr (text, ==,
                   "0.000020000  0  BusMtx            mutex             take BusMtx\n"
                   "0.000021000  0  motor_current     float_trace       motor_current = 1.5 A\n"
                   "0.000022000  0  log               string            hello, \"world\"\n"
                   "0.000023000  0  motor_current     float_trace       motor_current = 2.5 A\n"
                   "0.000100000  0  -                 capture_end       capture ended: stopped\n");
}

/* Numbers come back as they were; texts stay on their line in a listing, and whole in a CSV field.
 */
static void
test_odd_values (Fixture *fixture,
                 gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->dir, "odd.vadb", NULL);
  TsRecordingWriter *writer = ts_recording_writer_new (path, NULL, NULL);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autofree char *text = NULL;
  const char *listing;
  TsEvent events[4];
  guint64 n = 0;

  fixture_define (sink);
  events[0] = fixture_float (0, 3.412f);
  events[1] = fixture_float (1, 0.1);
  events[2] = fixture_float (2, 1e-300);
  events[3] = fixture_event (3, TS_EVENT_STRING, OBJECT_LOG, TS_EVENT_FLAG_TEXT);
  events[3].detail = (gint64) sink->iface->intern (sink, "two\nlines,\x01 \"quoted\"", -1) << 32;
  sink->iface->events (sink, events, 4);
  g_assert_true (ts_recording_writer_close (writer, NULL, NULL));
  ts_recording_writer_free (writer);

  recording = ts_recording_open (path, NULL);
  g_assert_true (ts_export_csv (recording, fixture->output, NULL, FALSE, NULL, NULL, NULL, &n,
                                NULL));
  g_assert_true (g_file_get_contents (fixture->output, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, ",3.412,"));
  g_assert_nonnull (strstr (text, ",0.1,"));
  g_assert_nonnull (strstr (text, ",1e-300,"));
  g_assert_nonnull (strstr (text, ",\"two\nlines,\x01 \"\"quoted\"\"\",0\n"));

  g_assert_true (ts_export_print (recording, stream, NULL, NULL, &n, NULL));
  g_assert_cmpuint (n, ==, 4);
  g_assert_true (g_output_stream_write_all (stream, "", 1, NULL, NULL, NULL));
  listing = g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream));
  g_assert_nonnull (strstr (listing, "two\\nlines,\\x01 \"quoted\"\n"));
  for (n = 0; *listing != '\0'; listing++)
    n += *listing == '\n';
  g_assert_cmpuint (n, ==, 4);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);

#define ADD(name, function)                                                                        \
  g_test_add ("/model/export/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("csv", test_csv);
  ADD ("csv-filters", test_csv_filters);
  ADD ("csv-failures", test_csv_failures);
  ADD ("print", test_print);
  ADD ("odd-values", test_odd_values);
#undef ADD

  return g_test_run ();
}
