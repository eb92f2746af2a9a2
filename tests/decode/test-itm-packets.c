/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-itm-packets.c: packets of ITM and DWT, formatter frames, real captures. */
#include "config.h"

#include <string.h>

#include "decode/ts-packets.h"

#include "collect-sink.h"

/* Names of packets in order, and their fields as told by one line each. */
static void
add_line (guint id, const char *line, gpointer user_data)
{
  GString *all = user_data;

  g_string_append_printf (all, "%u:%s\n", id, line);
}

static char *
dup_lines (const char *format, const char *sync, const guint8 *bytes, gsize n_bytes, gsize slice)
{
  GString *all = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsPackets) packets = ts_packets_new (format, sync, add_line, all, &error);

  g_assert_no_error (error);
  for (gsize at = 0; at < n_bytes; at += slice)
    ts_packets_push (packets, bytes + at, MIN (slice, n_bytes - at));
  ts_packets_finish (packets);
  return g_string_free (all, FALSE);
}

static void
test_examples (void)
{
  /* Source: itm-dwt.md section 5, worked examples, by number */
  static const struct
  {
    const char *hex;
    const char *lines;
  } examples[] = {
    { "000000000080", "0:0 6 sync\n" },
    { "0000000000000080", "0:0 8 sync\n" },
    { "70", "0:0 1 overflow\n" },
    { "20", "0:0 1 lts2 tc=0 ticks=2\n" },
    { "C078", "0:0 2 lts1 tc=0 ticks=120\n" },
    { "D00D", "0:0 2 lts1 tc=1 ticks=13\n" },
    { "E0C226", "0:0 3 lts1 tc=2 ticks=4930\n" },
    { "F0DEFED03A", "0:0 5 lts1 tc=3 ticks=122961758\n" },
    { "C0F7C904", "0:0 4 lts1 tc=0 ticks=74999\n" },
    { "C0BBDF74", "0:0 4 lts1 tc=0 ticks=1912763\n" },
    { "C0FFFFFF7F", "0:0 5 lts1 tc=0 ticks=268435455\n" },
    { "947A", "0:0 2 gts1 value=122\n" },
    { "94924E", "0:0 3 gts1 value=10002\n" },
    { "94D6E8C807", "0:0 5 gts1 value=15873110\n" },
    { "9482CFFA77", "0:0 5 gts1 value=50243458 wrap clock-change\n" },
    { "B4969A9200", "0:0 5 gts2 value=298262\n" },
    { "B49398A0A08000", "0:0 7 gts2 value=67636243\n" },
    { "28524523", "0:0 1 extension value=0x02\n0:1 3 swit port=74 value=0x2345\n" },
    { "0852FE32", "0:0 1 extension value=0x00\n0:1 3 swit port=10 value=0x32fe\n" },
    { "0141", "0:0 2 swit port=0 value=0x41\n" },
    { "0348656C6C026F0A",
      "0:0 5 swit port=0 value=0x6c6c6548\n0:5 3 swit port=0 value=0x0a6f\n" },
    { "F900", "0:0 2 swit port=31 value=0x00\n" },
    { "0515", "0:0 2 event_counter value=0x15\n" },
    { "0E0F10", "0:0 3 exception_entered number=15\n" },
    { "0E0F20", "0:0 3 exception_exited number=15\n" },
    { "0E0030", "0:0 3 exception_returned number=0\n" },
    { "0E2321", "0:0 3 exception_exited number=291\n" },
    { "1734120008", "0:0 5 pc_sample value=0x08001234\n" },
    { "1500", "0:0 2 pc_sleep\n" },
    { "15FF", "0:0 2 pc_prohibited\n" },
    { "1D81", "0:0 2 pmu_overflow value=0x81\n" },
    { "47AAB800088FC2000000C0F7C904",
      "0:0 5 data_pc comparator=0 value=0x0800b8aa\n"
      "0:5 5 data_value_write comparator=0 value=0x000000c2\n"
      "0:10 4 lts1 tc=0 ticks=74999\n" },
    { "4E24008D2A", "0:0 3 data_address comparator=0 value=0x0024\n"
                    "0:3 2 data_value_write comparator=0 value=0x2a\n" },
    { "9E3322", "0:0 3 data_value_write comparator=1 value=0x2233\n" },
    { "AF77665544", "0:0 5 data_value_write comparator=2 value=0x44556677\n" },
    { "B507", "0:0 2 data_value_read comparator=3 value=0x07\n" },
    { "4501", "0:0 2 data_match comparator=0\n" },
    { "7501", "0:0 2 data_match comparator=3\n" },
    { "4534", "0:0 2 data_pc comparator=0 value=0x34\n" },
    { "567856", "0:0 3 data_pc comparator=1 value=0x5678\n" },
    { "6D56", "0:0 2 data_address comparator=2 value=0x56\n" },
    { "7E5878", "0:0 3 data_address comparator=3 value=0x7858\n" },
    { "2E2203", "0:0 3 hw_reserved_disc discriminator=5\n" },
    { "04", "0:0 1 reserved header=0x04\n" },
    { "C080808080", "0:0 5 bad_sequence\n" },
    { "00000080", "0:0 3 bad_sequence\n0:3 1 reserved header=0x80\n" },
    { "17341200", "0:0 4 incomplete\n" },
    { "0000000000", "0:0 5 incomplete\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autoptr (GBytes) bytes = bytes_from_hex (examples[i].hex);
      gsize n_bytes;
      const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
      g_autofree char *lines = dup_lines ("itm", "aligned", data, n_bytes, n_bytes);

      g_assert_cmpstr (lines, ==, examples[i].lines);
    }
}

static void
test_strict (void)
{
  /* a loss inside a packet: example 50, between two synchronisation packets */
  g_autoptr (GBytes) bytes
      = bytes_from_hex ("AABB" "000000000080" "47AA47AAB80008" "8F" "41" "000000000080" "20");
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  g_autofree char *lines = dup_lines ("itm", "strict", data, n_bytes, n_bytes);

  g_assert_cmpstr (lines, ==,
                   "0:0 2 unsynced\n0:2 6 sync\n0:8 5 data_pc comparator=0 value=0xb8aa47aa\n"
                   "0:13 2 bad_sequence\n0:15 2 unsynced\n0:17 6 sync\n0:23 1 lts2 tc=0 ticks=2\n");
}

static void
test_frames (void)
{
  /* Source: itm-dwt.md section 7.3 */
  g_autoptr (GBytes) bytes = bytes_from_hex ("03000000000005800000000000803008"
                                             "C0171668AA000308C0824817A80B102E");
  gsize n_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &n_bytes);
  g_autofree char *lines = dup_lines ("tpiu", "strict", data, n_bytes, n_bytes);

  g_assert_cmpstr (lines, ==,
                   "1:0 6 sync\n2:0 6 sync\n2:6 1 lts2 tc=0 ticks=3\n2:7 2 lts1 tc=0 ticks=23\n"
                   "2:9 5 pc_sample value=0x0800ab68\n1:6 3 lts1 tc=0 ticks=9346\n"
                   "1:9 4 incomplete\n");
}

/* ---- captures with expectations ---- */

static char *
dup_shared (const char *name)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");

  return g_build_filename (shared != NULL ? shared : "../shared", "data", name, NULL);
}

static gboolean
is_missing (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
    g_error ("%s is missing", path);
  g_test_skip ("the captures are not there");
  return TRUE;
}

static gint64
count_of (JsonObject *counts, const char *name)
{
  return json_object_get_int_member_with_default (counts, name, 0);
}

/* Policies of the expectations: exact, or within 2 % where they depend on the error rule. */
static void
check_stream (TsPackets *packets,
              const char *file,
              const TsPacketsStream *stream,
              JsonObject *expected)
{
  JsonObject *counts = json_object_get_object_member (expected, "packets");
  gboolean is_loose = json_object_has_member (expected, "informative");

  for (guint i = 0; i < stream->n_types; i++)
    {
      const char *name = ts_packets_get_type_name (packets, i);
      gint64 want = count_of (counts, name);
      gint64 difference = ABS ((gint64) stream->counts[i] - want);

      if (difference > (is_loose ? MAX (3, want / 50) : 0))
        g_error ("%s, stream %u: %s %" G_GUINT64_FORMAT " for %" G_GINT64_FORMAT, file, stream->id,
                 name, stream->counts[i], want);
    }
  g_assert_cmpint (stream->unsynced_bytes, ==,
                   json_object_get_int_member (expected, "unsynced_bytes"));
}

static void
check_policy (const char *path, JsonObject *entry, const char *key, const char *sync)
{
  gboolean is_framed = json_object_has_member (entry, "streams");
  g_autoptr (GError) error = NULL;
  g_autoptr (TsPackets) packets
      = ts_packets_new (is_framed ? "tpiu" : "itm", sync, NULL, NULL, &error);
  g_autofree char *contents = NULL;
  gsize n_bytes;

  g_assert_no_error (error);
  g_file_get_contents (path, &contents, &n_bytes, &error);
  g_assert_no_error (error);
  ts_packets_push (packets, (const guint8 *) contents, n_bytes);
  ts_packets_finish (packets);
  for (guint i = 0; i < ts_packets_get_n_streams (packets); i++)
    {
      JsonObject *expected = entry;
      TsPacketsStream stream;

      ts_packets_get_stream (packets, i, &stream);
      if (is_framed)
        {
          g_autofree char *id = g_strdup_printf ("%u", stream.id);
          JsonObject *streams = json_object_get_object_member (entry, "streams");

          g_assert_true (json_object_has_member (streams, id));
          expected = json_object_get_object_member (streams, id);
          g_assert_cmpint (stream.bytes, ==,
                           json_object_get_int_member (expected, "payload_bytes"));
          if (!json_object_has_member (expected, "itm"))
            continue;
          expected = json_object_get_object_member (expected, "itm");
        }
      if (json_object_has_member (expected, key))
        check_stream (packets, path, &stream,
                      json_object_get_object_member (expected, key));
    }
}

static void
test_captures (gconstpointer data)
{
  const char *folder = data;
  g_autofree char *expected_path = g_strconcat (folder, "/expected.json", NULL);
  g_autofree char *path = dup_shared (expected_path);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GList) names = NULL;
  JsonObject *files;
  guint n_checked = 0;

  if (is_missing (path))
    return;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  files = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                         "files");
  names = json_object_get_members (files);
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonObject *entry = json_object_get_object_member (files, l->data);
      const char *framing = json_object_get_string_member_with_default (entry, "framing", "");
      g_autofree char *name = g_strconcat (folder, "/", (const char *) l->data, NULL);
      g_autofree char *file = dup_shared (name);

      if (strcmp (framing, "itm") != 0 && !g_str_has_prefix (framing, "tpiu"))
        continue;
      check_policy (file, entry, "sync_required", "strict");
      check_policy (file, entry, "assume_aligned", "aligned");
      n_checked++;
    }
  g_assert_cmpuint (n_checked, >=, 6);
}

static void
test_slices (gconstpointer data)
{
  static const gsize slices[] = { 1, 2, 3, 5, 7, 15, 16, 17, 63, 4096 };
  static const char *const syncs[] = { "strict", "aligned", "auto" };
  g_auto (GStrv) words = g_strsplit (data, " ", 2);
  g_autofree char *path = dup_shared (words[1]);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize n_bytes;

  if (is_missing (path))
    return;
  g_file_get_contents (path, &contents, &n_bytes, &error);
  g_assert_no_error (error);
  for (gsize s = 0; s < G_N_ELEMENTS (syncs); s++)
    {
      const guint8 *bytes = (const guint8 *) contents;
      g_autofree char *whole = dup_lines (words[0], syncs[s], bytes, n_bytes, n_bytes);

      for (gsize i = 0; i < G_N_ELEMENTS (slices); i++)
        {
          g_autofree char *sliced = dup_lines (words[0], syncs[s], bytes, n_bytes, slices[i]);

          g_assert_true (strcmp (whole, sliced) == 0);
        }
    }
}

/* A packet was cut, and what is read in its place takes the first zeros of a synchronisation packet:
 * only the automatic policy sees that. */
static void
test_swallowed (void)
{
  static const guint8 bytes[] = { 0x17, 0x34, 0, 0, 0, 0, 0, 0x80, 0x01, 'A' };
  static const char *const syncs[] = { "auto", "aligned" };

  for (guint i = 0; i < G_N_ELEMENTS (syncs); i++)
    for (guint slice = 1; slice <= sizeof bytes; slice++)
      {
        g_autoptr (TsPackets) packets = ts_packets_new ("itm", syncs[i], NULL, NULL, NULL);
        TsPacketsStream stream;

        for (guint at = 0; at < sizeof bytes; at += slice)
          ts_packets_push (packets, bytes + at, MIN (slice, sizeof bytes - at));
        ts_packets_finish (packets);
        ts_packets_get_stream (packets, 0, &stream);
        g_assert_cmpuint (stream.counts[0], ==, i == 0);
        g_assert_cmpuint (stream.errors > 0, ==, i == 1);
      }
}

/* Number of packets of a type. */
static guint64
count_type (TsPackets *packets, const TsPacketsStream *stream, const char *name)
{
  for (guint i = 0; i < stream->n_types; i++)
    if (strcmp (ts_packets_get_type_name (packets, i), name) == 0)
      return stream->counts[i];
  return 0;
}

/* After an error what comes is believed once a few packets in a row are such as the target sends.
 * Source: itm-dwt.md sections 8.3 and 8.4 */
static void
test_plausible (void)
{
  /* a character, its time, a write with its PC, their time: 18 bytes */
  static const char good[] = "0141" "C078" "47AAB80008" "8FC2000000" "C0F7C904";
  /* nothing of it is sent by that target: time stamps in a row, an exception, a counter, ports */
  static const char damage[] = "04" "2020" "0EFFFF" "05" "1337" "BEEF";
  g_autoptr (GString) hex = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data;
  gsize n_bytes;

  for (guint i = 0; i < 16; i++)
    g_string_append (hex, good);
  g_string_append (hex, damage);
  for (guint i = 0; i < 4; i++)
    g_string_append (hex, good);
  bytes = bytes_from_hex (hex->str);
  data = g_bytes_get_data (bytes, &n_bytes);
  for (gsize slice = 1; slice <= 40; slice++)
    {
      g_autoptr (TsPackets) packets = ts_packets_new ("itm", "auto", NULL, NULL, NULL);
      TsPacketsStream stream;

      for (gsize at = 0; at < n_bytes; at += slice)
        ts_packets_push (packets, data + at, MIN (slice, n_bytes - at));
      ts_packets_finish (packets);
      ts_packets_get_stream (packets, 0, &stream);
      g_assert_cmpuint (count_type (packets, &stream, "swit"), ==, 20);
      g_assert_cmpuint (count_type (packets, &stream, "lts1"), ==, 40);
      g_assert_cmpuint (count_type (packets, &stream, "data_pc"), ==, 20);
      g_assert_cmpuint (count_type (packets, &stream, "data_value_write"), ==, 20);
      g_assert_cmpuint (count_type (packets, &stream, "lts2"), ==, 0);
      g_assert_cmpuint (stream.errors, ==, 1);
      g_assert_cmpuint (stream.unsynced_bytes, ==, 10);
    }
}

/* One damaged byte in a regular stream, and what is read from there on is never an error: 7F 05 20 C0
 * FF is a packet of its own. It is not such as the target sends. */
static void
test_out_of_step (void)
{
  static const char good[] = "0520" "C0FF7F";
  g_autoptr (GString) hex = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data;
  gsize n_bytes;

  for (guint i = 0; i < 600; i++)
    g_string_append (hex, i == 300 ? "0520" "C1FF7F" : good);
  bytes = bytes_from_hex (hex->str);
  data = g_bytes_get_data (bytes, &n_bytes);
  for (gsize slice = 1; slice <= 40; slice++)
    {
      g_autoptr (TsPackets) packets = ts_packets_new ("itm", "auto", NULL, NULL, NULL);
      TsPacketsStream stream;

      for (gsize at = 0; at < n_bytes; at += slice)
        ts_packets_push (packets, data + at, MIN (slice, n_bytes - at));
      ts_packets_finish (packets);
      ts_packets_get_stream (packets, 0, &stream);
      /* the damaged one is a byte on port 24; a few that follow are taken wrong */
      g_assert_cmpuint (count_type (packets, &stream, "swit"), ==, 1);
      g_assert_cmpuint (count_type (packets, &stream, "event_counter"), >=, 600 - 5);
      g_assert_cmpuint (count_type (packets, &stream, "data_address"), <=, 4);
      g_assert_cmpuint (stream.unsynced_bytes, >, 0);
      g_assert_cmpuint (stream.unsynced_bytes, <=, 8);
    }
}

/* Something new after a long time is not damage: nothing of it is lost. */
static void
test_new_kind (void)
{
  g_autoptr (GString) hex = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TsPackets) packets = ts_packets_new ("itm", "auto", NULL, NULL, NULL);
  TsPacketsStream stream;
  const guint8 *data;
  gsize n_bytes;

  for (guint i = 0; i < 600; i++)
    g_string_append (hex, "0520" "C0FF7F");
  /* words on port 5, one after the other */
  for (guint i = 0; i < 100; i++)
    g_string_append (hex, "2B48656C6C");
  bytes = bytes_from_hex (hex->str);
  data = g_bytes_get_data (bytes, &n_bytes);
  ts_packets_push (packets, data, n_bytes);
  ts_packets_finish (packets);
  ts_packets_get_stream (packets, 0, &stream);
  g_assert_cmpuint (count_type (packets, &stream, "event_counter"), ==, 600);
  g_assert_cmpuint (count_type (packets, &stream, "swit"), ==, 100);
  g_assert_cmpuint (stream.unsynced_bytes, ==, 0);
  g_assert_cmpuint (stream.errors, ==, 0);
}

/* Nothing but rubbish, as a wrong rate gives: no more than a few packets are taken for good, and
 * every byte is in something. */
static void
test_rubbish (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint8 bytes[20000];
  g_autoptr (TsPackets) packets = ts_packets_new ("itm", "auto", NULL, NULL, NULL);
  TsPacketsStream stream;

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) g_rand_int (rand);
  ts_packets_push (packets, bytes, sizeof bytes);
  ts_packets_finish (packets);
  ts_packets_get_stream (packets, 0, &stream);
  g_assert_cmpuint (stream.errors, >, 0);
  g_assert_cmpuint (stream.unsynced_bytes, >, 0);
  g_assert_cmpuint (stream.unsynced_bytes, <, sizeof bytes);
}

/* A capture without enough synchronisation packets: all its packets come. Source: itm-dwt.md sections
 * 8.3 (876 writes where strict decoding finds 527) and 9 (26125 counters after the noise of a
 * reset) */
static void
test_tentative (void)
{
  static const struct
  {
    const char *name;
    const char *type;
    guint64 least;
    guint64 most;
  } captures[] = {
    { "ctrace/Blinky+Arm/Blinky+Arm.SWO.raw", "data_value_write", 876, 876 },
    { "ctrace/Arm-reset/Arm.SWO.raw", "event_counter", 26125, 26132 },
    { "ctrace/Arm-reset/Arm.SWO.raw", "data_value_write", 60, 60 },
    { "ctrace/Arm-reset/Arm.SWO.raw", "data_value_read", 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (captures); i++)
    {
      g_autofree char *path = dup_shared (captures[i].name);
      g_autofree char *contents = NULL;
      g_autoptr (TsPackets) packets = ts_packets_new ("itm", "auto", NULL, NULL, NULL);
      TsPacketsStream stream;
      gsize n_bytes;

      if (is_missing (path))
        return;
      g_assert_true (g_file_get_contents (path, &contents, &n_bytes, NULL));
      ts_packets_push (packets, (const guint8 *) contents, n_bytes);
      ts_packets_finish (packets);
      ts_packets_get_stream (packets, 0, &stream);
      g_assert_cmpuint (count_type (packets, &stream, captures[i].type), >=, captures[i].least);
      g_assert_cmpuint (count_type (packets, &stream, captures[i].type), <=, captures[i].most);
      g_assert_cmpuint (stream.unsynced_bytes, <, 200);
    }
}

/* Every prefix: no packet but the last few differs from the whole. */
static void
test_prefixes (void)
{
  g_autofree char *path = dup_shared ("itm/opencsd-itm_testdata.bin");
  g_autofree char *contents = NULL;
  g_autofree char *whole = NULL;
  gsize n_bytes;

  if (is_missing (path))
    return;
  g_assert_true (g_file_get_contents (path, &contents, &n_bytes, NULL));
  whole = dup_lines ("itm", "strict", (const guint8 *) contents, n_bytes, n_bytes);
  for (gsize n = 0; n <= n_bytes; n++)
    {
      g_autofree char *lines = dup_lines ("itm", "strict", (const guint8 *) contents, n, MAX (n, 1));
      char *tail = strstr (lines, " incomplete");

      if (tail == NULL)
        tail = strstr (lines, " unsynced\n");
      if (tail != NULL && tail[strcspn (tail, "\n") + 1] == '\0')
        {
          while (tail > lines && tail[-1] != '\n')
            tail--;
          *tail = '\0';
        }
      g_assert_true (g_str_has_prefix (whole, lines));
    }
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (ts_packets_new ("itm", "sometimes", NULL, NULL, &error));
  g_assert_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT);
  g_clear_error (&error);
  g_assert_null (ts_packets_new ("mtb", "strict", NULL, NULL, &error));
  g_assert_error (error, TS_DECODE_ERROR, TS_DECODE_ERROR_UNKNOWN_FORMAT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/itm-packets/examples", test_examples);
  g_test_add_func ("/decode/itm-packets/strict", test_strict);
  g_test_add_func ("/decode/itm-packets/frames", test_frames);
  g_test_add_data_func ("/decode/itm-packets/captures/itm", "itm", test_captures);
  g_test_add_data_func ("/decode/itm-packets/captures/ctrace", "ctrace", test_captures);
  g_test_add_data_func ("/decode/itm-packets/slices/itm", "itm ctrace/Blinky+Arm/Blinky+Arm.SWO.raw",
                        test_slices);
  g_test_add_data_func ("/decode/itm-packets/slices/memory",
                        "tpiu itm/sigrok-stm32f105-trace_example.tpiu.bin", test_slices);
  g_test_add_data_func ("/decode/itm-packets/slices/port", "tpiu itm/orbuculum-fastitm.tpiu.bin",
                        test_slices);
  g_test_add_func ("/decode/itm-packets/swallowed", test_swallowed);
  g_test_add_func ("/decode/itm-packets/plausible", test_plausible);
  g_test_add_func ("/decode/itm-packets/out-of-step", test_out_of_step);
  g_test_add_func ("/decode/itm-packets/new-kind", test_new_kind);
  g_test_add_func ("/decode/itm-packets/rubbish", test_rubbish);
  g_test_add_func ("/decode/itm-packets/tentative", test_tentative);
  g_test_add_func ("/decode/itm-packets/prefixes", test_prefixes);
  g_test_add_func ("/decode/itm-packets/unknown", test_unknown);
  return g_test_run ();
}
