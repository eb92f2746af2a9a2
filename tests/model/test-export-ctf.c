/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-export-ctf.c: packets of CTF byte for byte, a real recording as a trace, and what happens to
 * a folder that is in the way. (That babeltrace2 reads it is tested from the command line.)
 */
#include "config.h"

#include "model/ts-ctf-packets.h"
#include "model/ts-export-ctf.h"

#include "capture-fixture.h"

typedef struct
{
  char *dir;
  char *output;
  TsRecording *recording;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autofree char *path = NULL;
  GError *error = NULL;

  fixture->dir = fixture_dir ();
  path = g_build_filename (fixture->dir, "whole.vadb", NULL);
  fixture->output = g_build_filename (fixture->dir, "trace", NULL);
  fixture_decode ("m4_short.cobs", "va-cobs", path);
  fixture->recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
}

static void
remove_trace (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_unlink (file);
    }
  g_rmdir (path);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_clear_object (&fixture->recording);
  remove_trace (fixture->output);
  fixture_remove_dir (fixture->dir);
  g_free (fixture->dir);
  g_free (fixture->output);
}

static guint64
get_number (const guint8 *bytes,
            guint n)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    value |= (guint64) bytes[i] << (8 * i);
  return value;
}

/* The layout of ctrace.md section 8.2, by hand: 56 bytes of header and context, then events of 12
 * bytes and their payload. */
static void
test_packets (void)
{
  TsCtfPacketsOptions options = { .uuid = { 1, 2, 3 }, .stream = 7, .packet_bytes = 128,
                                  .is_padded = TRUE };
  g_autoptr (TsCtfPackets) packets = ts_ctf_packets_new (&options);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  const guint8 *bytes;

  ts_ctf_append_number (payload, 0x0102030405060708u, 8);
  /* 56 + 3 * 20 = 116 bytes; a fourth event does not fit into 128 */
  g_assert_cmpuint (ts_ctf_packets_add (packets, 9, 100, payload), ==, 100);
  g_assert_cmpuint (ts_ctf_packets_add (packets, 9, 90, payload), ==, 100);
  g_assert_cmpuint (ts_ctf_packets_add (packets, 9, 110, payload), ==, 110);
  g_assert_cmpuint (ts_ctf_packets_get_output (packets)->len, ==, 0);
  ts_ctf_packets_add (packets, 5, 120, payload);
  g_assert_cmpuint (ts_ctf_packets_get_output (packets)->len, ==, 128);
  ts_ctf_packets_finish (packets);
  ts_ctf_packets_finish (packets);
  g_assert_cmpuint (ts_ctf_packets_get_output (packets)->len, ==, 256);

  bytes = ts_ctf_packets_get_output (packets)->data;
  g_assert_cmpuint (get_number (bytes, 4), ==, 0xC1FC1FC1);
  g_assert_cmpmem (bytes + 4, 16, options.uuid, 16);
  g_assert_cmpuint (get_number (bytes + 20, 4), ==, 7);
  g_assert_cmpuint (get_number (bytes + 24, 4), ==, 128 * 8);
  g_assert_cmpuint (get_number (bytes + 28, 4), ==, 116 * 8);
  g_assert_cmpuint (get_number (bytes + 32, 8), ==, 100);
  g_assert_cmpuint (get_number (bytes + 40, 8), ==, 110);
  g_assert_cmpuint (get_number (bytes + 48, 4), ==, 0);
  g_assert_cmpuint (get_number (bytes + 52, 4), ==, 0);
  g_assert_cmpuint (get_number (bytes + 56, 4), ==, 9);
  g_assert_cmpuint (get_number (bytes + 60, 8), ==, 100);
  g_assert_cmpuint (get_number (bytes + 68, 8), ==, 0x0102030405060708u);
  g_assert_cmpuint (get_number (bytes + 116, 8), ==, 0);
  g_assert_cmpuint (get_number (bytes + 128 + 28, 4), ==, 76 * 8);
  g_assert_cmpuint (get_number (bytes + 128 + 32, 8), ==, 120);
  g_assert_cmpuint (get_number (bytes + 128 + 52, 4), ==, 1);
  g_assert_cmpuint (get_number (bytes + 128 + 56, 4), ==, 5);
}

static void
test_quoting (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  ts_ctf_append_quoted (text, "a\"b\\c\nd\re\tf\001\177g\303\244");
  g_assert_cmpstr (text->str, ==, "\"a\\\"b\\\\c\\nd\\re\\tf\\x01\\x7Fg\303\244\"");
}

static void
test_uuid (void)
{
  guint8 uuid[TS_CTF_UUID_BYTES];
  guint8 other[TS_CTF_UUID_BYTES];
  g_autofree char *text = NULL;

  ts_ctf_make_uuid (uuid);
  ts_ctf_make_uuid (other);
  text = ts_ctf_dup_uuid (uuid);
  g_assert_true (g_uuid_string_is_valid (text));
  g_assert_cmpuint (uuid[6] >> 4, ==, 4);
  g_assert_true (memcmp (uuid, other, sizeof uuid) != 0);
}

/* Every event is there, in packets whose times go on. */
static void
test_whole (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->output, "core_0", NULL);
  g_autofree char *metadata = g_build_filename (fixture->output, "metadata", NULL);
  g_autofree char *bytes = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  guint64 n_events = 0;
  guint64 before = 0;
  guint64 n_packets = 0;
  gsize n_bytes;
  gsize at = 0;

  ts_export_ctf (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL, NULL, &n_events,
                 &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n_events, ==, ts_recording_get_n_rows (fixture->recording));
  g_assert_true (g_file_get_contents (metadata, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "/* CTF 1.8 */"));
  g_assert_nonnull (strstr (text, "freq = 25000000;"));
  g_assert_nonnull (strstr (text, "name = \"task_switch\";"));

  g_assert_true (g_file_get_contents (file, &bytes, &n_bytes, NULL));
  while (at < n_bytes)
    {
      const guint8 *packet = (const guint8 *) bytes + at;
      guint64 n = get_number (packet + 24, 4) / 8;

      g_assert_cmpuint (get_number (packet, 4), ==, 0xC1FC1FC1);
      g_assert_cmpuint (n, >, 60);
      g_assert_cmpuint (n, ==, get_number (packet + 28, 4) / 8);
      g_assert_cmpuint (at + n, <=, n_bytes);
      g_assert_cmpuint (get_number (packet + 32, 8), >=, before);
      before = get_number (packet + 40, 8);
      g_assert_cmpuint (get_number (packet + 52, 4), ==, n_packets++);
      at += n;
    }
  g_assert_cmpuint (n_packets, >, 1);
}

/* Times from zero: 25 ticks are a microsecond. */
static void
test_rebased (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->output, "core_0", NULL);
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  guint64 begins[2];

  options.t_start_us = 1000000;
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *bytes = NULL;
      gsize n_bytes;

      g_assert_true (ts_export_ctf (fixture->recording, fixture->output, &options, i == 1, NULL,
                                    NULL, NULL, NULL, NULL));
      g_assert_true (g_file_get_contents (file, &bytes, &n_bytes, NULL));
      g_assert_cmpuint (n_bytes, >, 40);
      begins[i] = get_number ((const guint8 *) bytes + 32, 8);
    }
  g_assert_cmpuint (begins[0], >=, 25000000);
  g_assert_cmpuint (begins[1], ==, begins[0] - 25000000);
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  guint n = 0;

  g_assert_nonnull (folder);
  while (g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/* What is there is replaced as a whole or not at all, and only if it is a trace. */
static void
test_replacement (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *mine = g_build_filename (fixture->output, "mine.txt", NULL);
  g_autofree char *metadata = g_build_filename (fixture->output, "metadata", NULL);
  g_autofree char *slashed = g_strconcat (fixture->output, "/", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint n_before;

  /* a folder with somebody's files in it */
  g_assert_cmpint (g_mkdir (fixture->output, 0700), ==, 0);
  g_assert_true (g_file_set_contents (mine, "mine", -1, NULL));
  n_before = count_entries (fixture->dir);
  g_assert_false (ts_export_ctf (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL,
                                 NULL, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_assert_true (g_file_test (mine, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpuint (count_entries (fixture->dir), ==, n_before);
  g_clear_error (&error);
  g_unlink (mine);

  /* an empty one, then a trace, with a stroke behind the name */
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (ts_export_ctf (fixture->recording, i == 0 ? fixture->output : slashed, NULL,
                                    FALSE, NULL, NULL, NULL, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (count_entries (fixture->output), ==, 2);
      g_assert_cmpuint (count_entries (fixture->dir), ==, n_before);
    }

  /* cancelled: the older one stays */
  g_assert_true (g_file_set_contents (metadata, "before", -1, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_false (ts_export_ctf (fixture->recording, fixture->output, NULL, FALSE, NULL, NULL,
                                 cancellable, NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_cmpuint (count_entries (fixture->dir), ==, n_before);
  {
    g_autofree char *text = NULL;

    g_assert_true (g_file_get_contents (metadata, &text, NULL, NULL));
    g_assert_cmpstr (text, ==, "before");
  }

  /* no folder */
  g_assert_false (ts_export_ctf (fixture->recording, metadata, NULL, FALSE, NULL, NULL, NULL, NULL,
                                 &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
  g_clear_error (&error);
  g_assert_false (ts_export_ctf (fixture->recording, "/dev/full/x", NULL, FALSE, NULL, NULL, NULL,
                                 NULL, &error));
  g_assert_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/model/export-ctf/packets", test_packets);
  g_test_add_func ("/model/export-ctf/quoting", test_quoting);
  g_test_add_func ("/model/export-ctf/uuid", test_uuid);
  g_test_add ("/model/export-ctf/whole", Fixture, NULL, set_up, test_whole, tear_down);
  g_test_add ("/model/export-ctf/rebased", Fixture, NULL, set_up, test_rebased, tear_down);
  g_test_add ("/model/export-ctf/replacement", Fixture, NULL, set_up, test_replacement, tear_down);
  return g_test_run ();
}
