/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-import.c: files and the demo target to recordings, and every way in which that fails. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture-test-util.h"
#include "capture/ts-demo-target.h"

static gboolean
import_one (const char *path,
            const char *format,
            const char *output,
            TsRecordingSummary *summary,
            char **used_format,
            GError **error)
{
  const char *const paths[] = { path, NULL };

  return ts_import_files (paths, format, 0, TRUE, output, NULL, NULL, NULL, summary, used_format,
                          error);
}

static void
test_known_file (gconstpointer data)
{
  const char *const *test = data; /* file, format, expected.json, member */
  char *folder = test_folder_new ();
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  g_autofree char *path = test_data_path (test[0]);
  g_autofree char *used = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = test_data_bytes (test[0]);
  TsRecordingSummary summary = { 0 };
  guint64 expected = test_expected_events (test[2], test[3]);

  g_assert_true (import_one (path, test[1], output, &summary, &used, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (summary.events, ==, expected);
  g_assert_cmpuint (summary.raw_bytes, ==, g_bytes_get_size (bytes));
  if (strcmp (test[1], "auto") != 0)
    g_assert_cmpstr (used, ==, test[1]);
  else
    g_assert_cmpstr (used, ==, "va-cobs");

  recording = ts_recording_open (output, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_events (recording), ==, expected);
  g_assert_cmpint (test_health (recording, "total_events"), ==, (gint64) expected);
  g_assert_cmpint (test_health (recording, "seq_present"), ==, 1);
  g_assert_cmpint (test_health (recording, "lost_events"), ==, 0);
  g_assert_cmpint (test_health (recording, "corrupt_bytes"), ==, 0);
  g_assert_cmpint (test_health (recording, "raw_bytes"), ==, (gint64) g_bytes_get_size (bytes));
  g_clear_object (&recording);

  /* one file, nothing beside it */
  g_assert_cmpuint (test_folder_count (folder), ==, 1);
  ts_recording_summary_clear (&summary);
  test_folder_free (folder);
}

static void
test_parts (void)
{
  char *folder = test_folder_new ();
  g_autofree char *whole = test_data_path ("m4_short.cobs");
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  g_autofree char *output_parts = g_build_filename (folder, "parts.vadb", NULL);
  g_autofree char *first = g_build_filename (folder, "1", NULL);
  g_autofree char *second = g_build_filename (folder, "2", NULL);
  const char *const paths[] = { first, second, NULL };
  g_autoptr (GBytes) bytes = test_data_bytes ("m4_short.cobs");
  const char *data = g_bytes_get_data (bytes, NULL);
  g_autoptr (TsRecording) a = NULL;
  g_autoptr (TsRecording) b = NULL;
  g_autoptr (GError) error = NULL;

  /* cut anywhere, most likely inside a frame */
  g_assert_true (g_file_set_contents (first, data, 31337, NULL));
  g_assert_true (
      g_file_set_contents (second, data + 31337, (gssize) g_bytes_get_size (bytes) - 31337, NULL));
  g_assert_true (import_one (whole, "va-cobs", output, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (ts_import_files (paths, "va-cobs", 0, FALSE, output_parts, NULL, NULL, NULL, NULL,
                                  NULL, &error));
  g_assert_no_error (error);

  a = ts_recording_open (output, &error);
  b = ts_recording_open (output_parts, &error);
  g_assert_no_error (error);
  test_assert_same_recordings (a, b);
  g_clear_object (&a);
  g_clear_object (&b);
  test_folder_free (folder);
}

static void
assert_fails (const char *path,
              const char *format,
              const char *output,
              TsCaptureError code,
              const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (import_one (path, format, output, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, TS_CAPTURE_ERROR, (gint) code);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_refusals (void)
{
  char *folder = test_folder_new ();
  g_autofree char *good = test_data_path ("m4_short.cobs");
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  g_autofree char *input = g_build_filename (folder, "input.bin", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "none", "out.vadb", NULL);
  g_autofree char *keep = NULL;
  gsize length = 0;

  /* what fails before the first byte does not touch an older file of that name */
  g_assert_true (g_file_set_contents (output, "older", -1, NULL));
  assert_fails (input, "auto", output, TS_CAPTURE_ERROR_CONNECT, "input.bin");
  assert_fails (folder, "auto", output, TS_CAPTURE_ERROR_CONNECT, "folder");
  assert_fails (good, "va-cbos", output, TS_CAPTURE_ERROR_BAD_CONFIG, "va-cobs");
  assert_fails (good, "kev", output, TS_CAPTURE_ERROR_NOT_BUILT, "kev");
  g_assert_true (g_file_set_contents (input, "", 0, NULL));
  assert_fails (input, "auto", output, TS_CAPTURE_ERROR_EMPTY, "empty");
  assert_fails (good, "va-cobs", good, TS_CAPTURE_ERROR_BAD_CONFIG, "both");
  g_assert_true (g_file_get_contents (output, &keep, &length, NULL));
  g_assert_cmpmem (keep, length, "older", 5);
  g_unlink (output);

  assert_fails (good, "va-cobs", nowhere, TS_CAPTURE_ERROR_WRITE, "out.vadb");

  /* nothing in it: no file stays */
  g_assert_true (
      g_file_set_contents (input, "The quick brown fox jumps over the lazy dog.\n", -1, NULL));
  assert_fails (input, "auto", output, TS_CAPTURE_ERROR_EMPTY, "input.bin");
  assert_fails (input, "va", output, TS_CAPTURE_ERROR_EMPTY, "input.bin");
  assert_fails (input, "va-cobs", output, TS_CAPTURE_ERROR_EMPTY, "va-cobs");
  g_assert_cmpuint (test_folder_count (folder), ==, 1);

  /* and an older one of that name keeps it */
  g_assert_true (g_file_set_contents (output, "older", -1, NULL));
  assert_fails (input, "auto", output, TS_CAPTURE_ERROR_EMPTY, "input.bin");
  assert_fails (input, "va", output, TS_CAPTURE_ERROR_EMPTY, "input.bin");
  g_assert_cmpuint (test_folder_count (folder), ==, 2);
  g_clear_pointer (&keep, g_free);
  g_assert_true (g_file_get_contents (output, &keep, &length, NULL));
  g_assert_cmpmem (keep, length, "older", 5);
  test_folder_free (folder);
}

static glong
get_max_rss_kib (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);

  return usage.ru_maxrss;
}

static void
cancel_when_told (double fraction,
                  gpointer user_data)
{
  g_assert_cmpfloat (fraction, >=, 0.0);
  g_assert_cmpfloat (fraction, <=, 1.0);
  g_cancellable_cancel (user_data);
}

/* A file of 10 GB that takes no room: real bytes at its start, nothing behind. */
static void
test_huge (void)
{
  char *folder = test_folder_new ();
  g_autofree char *input = g_build_filename (folder, "huge.bin", NULL);
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  const char *const paths[] = { input, NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GBytes) bytes = test_data_bytes ("m4_short.cobs");
  g_autoptr (GError) error = NULL;
  glong rss_before;
  gint64 begin;
  int fd;

  /* without one packet it is given up early, in every format */
  fd = open (input, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (ftruncate (fd, G_GINT64_CONSTANT (10737418240)) != 0)
    {
      g_test_skip ("no sparse files here");
      close (fd);
      test_folder_free (folder);
      return;
    }
  rss_before = get_max_rss_kib ();
  begin = g_get_monotonic_time ();
  assert_fails (input, "auto", output, TS_CAPTURE_ERROR_EMPTY, "huge.bin");
  assert_fails (input, "va", output, TS_CAPTURE_ERROR_EMPTY, "huge.bin");
  assert_fails (input, "va-cobs", output, TS_CAPTURE_ERROR_EMPTY, "huge.bin");
  assert_fails (input, "va-udprec", output, TS_CAPTURE_ERROR_EMPTY, "huge.bin");
  g_test_message ("given up in %.0f ms", (double) (g_get_monotonic_time () - begin) / 1000.0);

  /* with packets it goes on; a cancel ends it, and no output stays */
  g_assert_cmpint (pwrite (fd, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), 0), ==,
                   (gssize) g_bytes_get_size (bytes));
  close (fd);
  g_assert_false (ts_import_files (paths, "va-cobs", 0, FALSE, output, cancel_when_told,
                                   cancellable, cancellable, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_folder_count (folder), ==, 1);
#ifndef __SANITIZE_ADDRESS__ /* it keeps freed memory for a while */
  g_assert_cmpint (get_max_rss_kib () - rss_before, <, 100 * 1024);
#else
  g_test_message ("%ld KiB before, %ld KiB after", rss_before, get_max_rss_kib ());
#endif
  test_folder_free (folder);
}

/* In a child whose files may not grow beyond 3 MB: as on a full disk. */
static void
test_disk_full_child (void)
{
  const char *folder = g_getenv ("TASKSCOPE_TEST_OUTPUT");
  g_autofree char *input = g_build_filename (folder, "long.raw", NULL);
  g_autofree char *output = g_build_filename (folder, "decoded.vadb", NULL);
  g_autofree char *demo = g_build_filename (folder, "demo.vadb", NULL);
  struct rlimit limit = { 3 << 20, 3 << 20 };
  g_autoptr (GError) error = NULL;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);

  g_assert_false (import_one (input, "va", output, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "is kept"));
  g_clear_error (&error);

  g_assert_false (ts_import_demo (10000000, 1, 20000, demo, NULL, NULL, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_WRITE);
  g_assert_nonnull (strstr (error->message, "is kept"));
}

/* The sentence says what is kept: it is, and opens. */
static void
test_disk_full (void)
{
  static const char *const names[] = { "decoded.vadb", "demo.vadb" };
  char *folder = test_folder_new ();
  g_autofree char *input = g_build_filename (folder, "long.raw", NULL);
  g_autoptr (TsDemoTarget) target = ts_demo_target_new (1, 20000, FALSE);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  while (bytes->len < 8 << 20)
    ts_demo_target_run (target, ts_demo_target_get_time_us (target) + 20000, 65536, bytes);
  g_assert_true (g_file_set_contents (input, (char *) bytes->data, (gssize) bytes->len, NULL));

  g_setenv ("TASKSCOPE_TEST_OUTPUT", folder, TRUE);
  g_test_trap_subprocess ("/capture/import/disk-full/subprocess", 0,
                          G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();

  /* the input and two recordings, each in one piece */
  g_assert_cmpuint (test_folder_count (folder), ==, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
      g_autofree char *reason = NULL;

      g_assert_no_error (error);
      g_assert_cmpuint (ts_recording_get_n_events (recording), >, 1000);
      reason = ts_recording_dup_health (recording, "end_reason");
      g_assert_nonnull (strstr (reason, "is kept"));
    }
  test_folder_free (folder);
}

static void
test_demo (void)
{
  char *folder = test_folder_new ();
  g_autofree char *output_a = g_build_filename (folder, "a.vadb", NULL);
  g_autofree char *output_b = g_build_filename (folder, "b.vadb", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (TsRecording) a = NULL;
  g_autoptr (TsRecording) b = NULL;
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };

  g_assert_true (ts_import_demo (20000, 3, 20000, output_a, NULL, NULL, NULL, &summary, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (summary.events, >=, 20000);
  g_assert_cmpint (summary.lost_events, ==, 0);
  g_assert_cmpuint (summary.corrupt_bytes, ==, 0);
  /* 20 000 events at 20 000 a second */
  g_assert_cmpint (summary.duration_us, >, 500000);
  g_assert_cmpint (summary.duration_us, <, 2000000);
  ts_recording_summary_clear (&summary);

  /* the same seed gives the same recording */
  g_assert_true (ts_import_demo (20000, 3, 20000, output_b, NULL, NULL, NULL, NULL, &error));
  a = ts_recording_open (output_a, &error);
  b = ts_recording_open (output_b, &error);
  g_assert_no_error (error);
  test_assert_same_recordings (a, b);
  g_clear_object (&b);

  /* cancelled: the older recording of that name is there again, and nothing else is left */
  g_assert_false (ts_import_demo (100000000, 3, 20000, output_b, cancel_when_told, cancellable,
                                  cancellable, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_cmpuint (test_folder_count (folder), ==, 2);
  b = ts_recording_open (output_b, &error);
  g_assert_no_error (error);
  test_assert_same_recordings (a, b);
  test_folder_free (folder);
}

int
main (int argc,
      char **argv)
{
  static const char *const cobs[]
      = { "m4_short.cobs", "va-cobs", "m4_short.expected.json", "decoded" };
  static const char *const automatic[]
      = { "m4_short.cobs", "auto", "m4_short.expected.json", "decoded" };
  static const char *const raw[] = { "m4_short.raw", "va", "m4_short.expected.json", "decoded" };
  static const char *const udprec[]
      = { "m4_short_udp.udprec", "va-udprec", "m4_short_udp.expected.json", "decoded" };
  static const char *const baremetal[]
      = { "m3_baremetal.cobs", "va-cobs", "m3_baremetal.expected.json", "decoded" };

  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/capture/import/cobs", cobs, test_known_file);
  g_test_add_data_func ("/capture/import/auto", automatic, test_known_file);
  g_test_add_data_func ("/capture/import/raw", raw, test_known_file);
  g_test_add_data_func ("/capture/import/udprec", udprec, test_known_file);
  g_test_add_data_func ("/capture/import/baremetal", baremetal, test_known_file);
  g_test_add_func ("/capture/import/parts", test_parts);
  g_test_add_func ("/capture/import/refusals", test_refusals);
  g_test_add_func ("/capture/import/huge", test_huge);
  g_test_add_func ("/capture/import/disk-full", test_disk_full);
  g_test_add_func ("/capture/import/disk-full/subprocess", test_disk_full_child);
  g_test_add_func ("/capture/import/demo", test_demo);

  return g_test_run ();
}
