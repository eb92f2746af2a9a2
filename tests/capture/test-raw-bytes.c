/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bytes an event was made of: against a capture taken apart by hand, and against its frames. */
#include "config.h"

#include <sqlite3.h>

#include "capture/ts-raw-bytes.h"
#include "capture/ts-raw-jump-private.h"

#include "capture-test-util.h"

/* @sql: (nullable): what is done to the recording before it is opened. */
static TsRecording *
import_changed (const char *name,
                gboolean keep_raw_log,
                const char *sql)
{
  g_autofree char *source = test_data_path (name);
  char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "r.vadb", NULL);
  const char *paths[] = { source, NULL };
  g_autoptr (GError) error = NULL;
  TsRecording *recording;

  g_assert_true (ts_import_files (paths, "auto", 0, keep_raw_log, path, NULL, NULL, NULL, NULL, NULL,
                                  &error));
  g_assert_no_error (error);
  if (sql != NULL)
    {
      sqlite3 *db;
      char *message = NULL;

      g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
      sqlite3_exec (db, sql, NULL, NULL, &message);
      g_assert_cmpstr (message, ==, NULL);
      sqlite3_close (db);
    }
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  /* open files stay */
  test_folder_free (folder);
  return recording;
}

static TsRecording *
import (const char *name,
        gboolean keep_raw_log)
{
  return import_changed (name, keep_raw_log, NULL);
}

static TsRawBytes *
find (TsRecording *recording,
      guint64 row)
{
  g_autoptr (GError) error = NULL;
  TsRawBytes *raw = ts_raw_bytes_find (recording, row, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (raw);
  return raw;
}

/* Taken apart by hand (viewalyzer-wire.md): the third event is a heap of 112 (0x70) bytes at 14339 ticks
 * after 5635, 0x4e06. */
static void
test_by_hand (void)
{
  static const guint8 heap[] = { 0x06, 0x94, 0x1d, 0x01, 0x06, 0x4e, 0x01,
                                 0x02, 0x70, 0x01, 0x01, 0x01, 0x00 };
  g_autoptr (TsRecording) recording = import ("m4_short.cobs", TRUE);
  g_autoptr (TsRawBytes) raw = find (recording, 3);

  g_assert_cmpmem (g_bytes_get_data (raw->bytes, NULL), g_bytes_get_size (raw->bytes), heap,
                   sizeof heap);
  g_assert_cmpuint (raw->offset, ==, 404);
  g_assert_cmpuint (raw->n_events, ==, 1);
}

/* One frame each, at increasing places, whatever portion it lies in; the bytes there are the file's. */
static void
test_frames (void)
{
  g_autoptr (TsRecording) recording = import ("m4_short.cobs", TRUE);
  g_autofree char *source = test_data_path ("m4_short.cobs");
  g_autofree char *contents = NULL;
  guint64 n_rows = ts_recording_get_n_rows (recording);
  guint64 after = 0;
  gsize length;

  g_assert_true (g_file_get_contents (source, &contents, &length, NULL));
  g_assert_cmpuint (n_rows, >, 9000);
  for (guint64 row = 3; row <= n_rows; row += n_rows / 23)
    {
      g_autoptr (TsRawBytes) raw = find (recording, row);
      gsize size;
      const guint8 *bytes = g_bytes_get_data (raw->bytes, &size);

      g_assert_cmpuint (raw->offset, >=, after);
      g_assert_cmpuint (size, >, 2);
      g_assert_cmpuint (raw->offset + size, <=, length);
      g_assert_cmpmem (bytes, size, contents + raw->offset, size);
      g_assert_true (memchr (bytes, 0, size) == bytes + size - 1);
      g_assert_cmpint (contents[raw->offset - 1], ==, 0);
      after = raw->offset + size;
    }
  g_assert_cmpuint (after, >, 65536);
}

/* The same capture without framing: an event's bytes are what its frame holds. */
static void
test_unframed (void)
{
  g_autoptr (TsRecording) framed = import ("m4_short.cobs", TRUE);
  g_autoptr (TsRecording) plain = import ("m4_short.raw", TRUE);
  guint64 n_rows = ts_recording_get_n_rows (framed);

  g_assert_cmpuint (ts_recording_get_n_rows (plain), ==, n_rows);
  for (guint64 row = 50; row <= n_rows; row += n_rows / 19)
    {
      g_autoptr (TsRawBytes) frame = find (framed, row);
      g_autoptr (TsRawBytes) packet = find (plain, row);
      gsize n_frame;
      const guint8 *bytes = g_bytes_get_data (frame->bytes, &n_frame);
      g_autoptr (GByteArray) inside = g_byte_array_new ();
      static const guint8 zero;

      /* COBS by its definition: a code, that many bytes less one, and a zero between blocks */
      for (gsize i = 0; i + 1 < n_frame; i += bytes[i])
        {
          g_assert_cmpuint (bytes[i], >, 0);
          if (i > 0)
            g_byte_array_append (inside, &zero, 1);
          g_byte_array_append (inside, bytes + i + 1, (guint) bytes[i] - 1);
        }
      g_assert_cmpmem (g_bytes_get_data (packet->bytes, NULL), g_bytes_get_size (packet->bytes),
                       inside->data, inside->len);
    }
}

/* Far inside a long stream only what is around the event is decoded: it gives the bytes that are there,
 * one after the other, each with its row's kind; and those that decoding all of it gives. */
static void
test_long (void)
{
  char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "long.vadb", NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };
  guint64 n_rows;
  guint64 after = 0;
  guint n_near = 0;
  guint n = 0;

  g_assert_true (ts_import_demo (700000, 5, 20000, path, NULL, NULL, NULL, &summary, &error));
  g_assert_no_error (error);
  ts_recording_summary_clear (&summary);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  n_rows = ts_recording_get_n_rows (recording);
  for (guint64 row = 1000; row < n_rows; row += n_rows / 13)
    {
      g_autoptr (TsRawBytes) raw = find (recording, row);
      g_autoptr (TsRawBytes) whole = _ts_raw_bytes_find_whole (recording, row, NULL, &error);

      g_assert_no_error (error);
      g_assert_false (whole->is_near);
      g_assert_true (g_bytes_equal (raw->bytes, whole->bytes));
      g_assert_cmpuint (raw->offset, ==, whole->offset);
      g_assert_cmpuint (raw->n_events, ==, whole->n_events);
      g_assert_cmpuint (raw->offset, >=, after);
      after = raw->offset + 1;
      n_near += raw->is_near;
      n++;
    }
  g_assert_cmpuint (n, >=, 13);
  g_assert_cmpuint (n_near, >=, n - 2);
  test_folder_free (folder);
}

/* Bytes that arrived damaged, here and there: what is whole around them is found all the same. */
static void
test_damaged (void)
{
  char *folder = test_folder_new ();
  g_autofree char *whole_path = g_build_filename (folder, "whole.vadb", NULL);
  g_autofree char *from = g_build_filename (folder, "damaged.cobs", NULL);
  g_autofree char *path = g_build_filename (folder, "damaged.vadb", NULL);
  const char *paths[] = { from, NULL };
  g_autoptr (TsRecording) whole = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) portion = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };
  guint32 source;
  gint64 id = 0;
  guint64 n_rows;
  guint n_near = 0;
  guint n_all = 0;
  guint n = 0;

  g_assert_true (ts_import_demo (700000, 5, 20000, whole_path, NULL, NULL, NULL, &summary, &error));
  g_assert_no_error (error);
  ts_recording_summary_clear (&summary);
  whole = ts_recording_open (whole_path, &error);
  g_assert_no_error (error);
  do
    {
      g_assert_true (ts_raw_log_read (whole, id, &id, &source, portion, NULL, NULL));
      g_byte_array_append (bytes, portion->data, portion->len);
    }
  while (id != 0);
  g_assert_cmpuint (bytes->len, >, 5 * 1024 * 1024);
  for (guint at = 300000; at + 64 < bytes->len; at += 3000 + at % 2000)
    bytes->data[at] ^= (guint8) (1 + at % 250);
  g_assert_true (g_file_set_contents (from, (const char *) bytes->data, bytes->len, NULL));
  g_assert_true (ts_import_files (paths, "auto", 0, TRUE, path, NULL, NULL, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  n_rows = ts_recording_get_n_rows (recording);
  for (guint64 row = n_rows / 3; row < n_rows; row += n_rows / 19)
    {
      g_autoptr (TsRawBytes) known = _ts_raw_bytes_find_whole (recording, row, NULL, NULL);
      g_autoptr (TsRawBytes) raw = ts_raw_bytes_find (recording, row, NULL, NULL);

      n_all++;
      /* close behind damage it is not certain which bytes they are */
      if (known == NULL)
        continue;
      g_assert_nonnull (raw);
      g_assert_cmpuint (raw->offset, ==, known->offset);
      g_assert_true (g_bytes_equal (raw->bytes, known->bytes));
      n_near += raw->is_near;
      n++;
    }
  g_test_message ("%u of %u without decoding all", n_near, n);
  g_assert_cmpuint (n_all, >=, 12);
  g_assert_cmpuint (n * 10, >=, n_all * 9);
  g_assert_cmpuint (n_near * 10, >=, n * 8);
  test_folder_free (folder);
}

/* A target that starts again and again does the same each time, to the tick: a place that looks like the
 * event's is not it. */
static void
test_restarts (void)
{
  char *folder = test_folder_new ();
  g_autofree char *from = g_build_filename (folder, "restarts.cobs", NULL);
  g_autofree char *path = g_build_filename (folder, "restarts.vadb", NULL);
  g_autofree char *once_path = test_data_path ("m4_short.cobs");
  const char *paths[] = { from, NULL };
  g_autofree char *once = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  g_assert_true (g_file_get_contents (once_path, &once, &n, NULL));
  while (bytes->len < 5 * 1024 * 1024)
    g_byte_array_append (bytes, (const guint8 *) once, (guint) n);
  g_assert_true (g_file_set_contents (from, (const char *) bytes->data, bytes->len, NULL));
  g_assert_true (ts_import_files (paths, "auto", 0, TRUE, path, NULL, NULL, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  for (guint64 row = 57632; row < 120000; row += 5000)
    {
      g_autoptr (TsRawBytes) raw = find (recording, row);
      g_autoptr (TsRawBytes) whole = _ts_raw_bytes_find_whole (recording, row, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (raw->offset, ==, whole->offset);
      g_assert_true (g_bytes_equal (raw->bytes, whole->bytes));
      g_assert_cmpuint (raw->n_events, ==, whole->n_events);
    }
  test_folder_free (folder);
}

static void
test_none (void)
{
  g_autoptr (TsRecording) without = import ("m4_short.cobs", FALSE);
  g_autoptr (TsRecording) recording = import ("m4_short.cobs", TRUE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (ts_raw_bytes_find (without, 100, NULL, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);
  g_clear_error (&error);
  g_assert_null (ts_raw_bytes_find (recording, 1000000, NULL, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_null (ts_raw_bytes_find (recording, 9000, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* A raw_log whose portions have no numbers that go up, and a time 0 from far away. */
static void
test_hostile (void)
{
#define ANOTHER_TABLE(type, id)                                                                    \
  "CREATE TABLE other(id " type ", source INT, bytes BLOB);"                                       \
  "INSERT INTO other SELECT " id ",source,bytes FROM raw_log;"                                     \
  "DROP TABLE raw_log; ALTER TABLE other RENAME TO raw_log"
  static const char *const changes[] = {
    ANOTHER_TABLE ("TEXT", "'portion'||id"),
    ANOTHER_TABLE ("BLOB", "zeroblob(id)"),
    ANOTHER_TABLE ("REAL", "id+0.5"),
    "INSERT OR REPLACE INTO meta VALUES('ts_t0_ticks','9223372036854775807')",
    "INSERT OR REPLACE INTO meta VALUES('ts_t0_ticks','9223372036854781443')",
    "UPDATE raw_log SET id=id+9223372036854775000",
    "UPDATE raw_log SET bytes='text'",
    "UPDATE raw_log SET source=-1",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (TsRecording) recording = import_changed ("m4_short.cobs", TRUE, changes[i]);
      g_autoptr (GError) error = NULL;
      TsRawBytes *raw = ts_raw_bytes_find (recording, 9000, NULL, &error);

      g_test_message ("%s: %s", changes[i], error != NULL ? error->message : "found");
      g_assert_true ((raw == NULL) == (error != NULL));
      if (i < 3)
        g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_RECORDING);
      ts_raw_bytes_free (raw);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/capture/raw-bytes/by-hand", test_by_hand);
  g_test_add_func ("/capture/raw-bytes/frames", test_frames);
  g_test_add_func ("/capture/raw-bytes/unframed", test_unframed);
  g_test_add_func ("/capture/raw-bytes/long", test_long);
  g_test_add_func ("/capture/raw-bytes/damaged", test_damaged);
  g_test_add_func ("/capture/raw-bytes/restarts", test_restarts);
  g_test_add_func ("/capture/raw-bytes/none", test_none);
  g_test_add_func ("/capture/raw-bytes/hostile", test_hostile);
  return g_test_run ();
}
