/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-snapshot.c: memory images to recordings, sound ones and damaged ones. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include "capture-test-util.h"
#include "capture/ts-snapshot.h"

/* A memory image and what it is known to hold. */
typedef struct
{
  GBytes *bytes;
  JsonParser *parser;
  JsonObject *expected;
  guint32 base;
} Image;

static gboolean
image_load (Image *self,
            const char *name)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");
  g_autofree char *folder
      = g_build_filename (shared != NULL ? shared : "", "data", "viewalyzer", NULL);
  g_autofree char *memory_name = g_strconcat (name, ".ram.bin", NULL);
  g_autofree char *expected_name = g_strconcat (name, ".expected.json", NULL);
  g_autofree char *memory = g_build_filename (folder, memory_name, NULL);
  g_autofree char *expected = g_build_filename (folder, expected_name, NULL);
  g_autoptr (GError) error = NULL;
  char *data = NULL;
  gsize length = 0;

  if (!g_file_test (memory, G_FILE_TEST_EXISTS))
    {
      if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
        g_error ("no %s", memory);
      g_test_skip ("the memory images are not here");
      return FALSE;
    }
  g_file_get_contents (memory, &data, &length, &error);
  g_assert_no_error (error);
  self->bytes = g_bytes_new_take (data, length);
  self->parser = json_parser_new ();
  json_parser_load_from_file (self->parser, expected, &error);
  g_assert_no_error (error);
  self->expected = json_node_get_object (json_parser_get_root (self->parser));
  self->base = (guint32) json_object_get_int_member (self->expected, "image_base");

  return TRUE;
}

static void
image_clear (Image *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_object (&self->parser);
}

static gboolean
take (const guint8 *bytes,
      gsize n_bytes,
      guint32 base,
      const char *folder,
      TsSnapshotFigures *figures,
      TsRecordingSummary *summary,
      GError **error)
{
  g_autofree char *file = g_build_filename (folder, "ram.bin", NULL);
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  TsSnapshotOptions options = { .output = output, .capture_source = "stlink-rambuf" };

  g_assert_true (g_file_set_contents (file, (const char *) bytes, (gssize) n_bytes, NULL));

  return ts_snapshot_take_image (file, base, &options, figures, summary, error);
}

static gint64
cb (Image *image,
    const char *member)
{
  return json_object_get_int_member (
      json_object_get_object_member (image->expected, "control_block"), member);
}

static void
test_known_image (gconstpointer data)
{
  char *folder = test_folder_new ();
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  TsSnapshotFigures figures;
  TsRecordingSummary summary = { 0 };
  Image image = { 0 };
  JsonObject *window, *counts;
  JsonObjectIter iter;
  JsonNode *node;
  const char *code;
  gint64 n_events = 0;
  guint by_code[256] = { 0 };
  gboolean is_post_mortem;
  gsize n_bytes;

  if (image_load (&image, data))
    {
      const guint8 *bytes = g_bytes_get_data (image.bytes, &n_bytes);

      g_assert_true (take (bytes, n_bytes, image.base, folder, &figures, &summary, &error));
      g_assert_no_error (error);

      is_post_mortem = json_object_has_member (image.expected, "window");
      g_assert_cmpint (figures.block.kind, ==,
                       is_post_mortem ? TS_VA_BLOCK_POST_MORTEM : TS_VA_BLOCK_LIVE);
      g_assert_cmpint (figures.block.address, ==, cb (&image, "address"));
      g_assert_cmpint (figures.block.buffer, ==, cb (&image, "bufferAddr"));
      g_assert_cmpint (figures.block.size, ==, cb (&image, "bufferSize"));
      g_assert_cmpint (figures.block.write_offset, ==, cb (&image, "wrOff"));
      g_assert_cmpint (figures.block.read_offset, ==, cb (&image, "rdOff"));
      g_assert_cmpint (figures.block.flags, ==, cb (&image, "flags"));
      g_assert_cmpint (figures.block.clock_hz, ==, cb (&image, "tick_hz"));
      g_assert_cmpint (figures.block.version, ==, cb (&image, "recorderVersion"));
      g_assert_cmpint (figures.block.dropped, ==,
                       cb (&image, is_post_mortem ? "discarded" : "droppedPackets"));
      g_assert_cmpint ((gint64) figures.walk.n_window, ==,
                       (cb (&image, "wrOff") - cb (&image, "rdOff") + cb (&image, "bufferSize"))
                           % cb (&image, "bufferSize"));
      g_assert_cmpuint (figures.walk.n_damaged, ==, 0);
      g_assert_cmpuint (figures.walk.n_names_damaged, ==, 0);
      if (is_post_mortem)
        {
          g_assert_cmpint (figures.walk.n_frames, ==,
                           json_object_get_int_member (image.expected, "frames_in_ring"));
          /* the marker in front of the names is none */
          g_assert_cmpint (figures.walk.n_names + 1, ==,
                           json_object_get_int_member (image.expected, "names_area_packets"));
        }

      recording = ts_recording_open (output, &error);
      g_assert_no_error (error);
      rows = test_rows (recording);
      for (guint i = 0; i < rows->len; i++)
        {
          const TsEvent *event = &g_array_index (rows, TsEvent, i);

          if (ts_event_is_counted (event))
            by_code[event->kind | ((event->flags & TS_EVENT_FLAG_START) != 0 ? 0x80 : 0)]++;
        }
      window = json_object_get_object_member (image.expected,
                                              is_post_mortem ? "window" : "decoded");
      counts = json_object_get_object_member (window, "events_by_code");
      json_object_iter_init (&iter, counts);
      while (json_object_iter_next (&iter, &code, &node))
        {
          g_assert_cmpuint (by_code[g_ascii_strtoull (code, NULL, 16) & 0xFF], ==,
                            json_node_get_int (node));
          n_events += json_node_get_int (node);
        }
      g_assert_cmpint ((gint64) summary.events, ==, n_events);
      g_assert_cmpint (summary.lost_events, ==, 0);
      g_assert_cmpint ((gint64) summary.corrupt_bytes, ==, 0);
      g_assert_cmpint (test_health (recording, "ring_discarded"), ==, figures.block.dropped);
    }

  ts_recording_summary_clear (&summary);
  image_clear (&image);
  g_clear_object (&recording);
  test_folder_free (folder);
}

/* Every byte of the control block and some of the ring, spoilt one after the other: a recording or
 * one sentence, and no file where there is no recording. */
static void
test_damage_walk (void)
{
  char *folder = test_folder_new ();
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  Image image = { 0 };

  if (image_load (&image, "ring_wrap_frozen"))
    {
      gsize n_bytes;
      const guint8 *bytes = g_bytes_get_data (image.bytes, &n_bytes);
      g_autofree guint8 *copy = g_memdup2 (bytes, n_bytes);
      gsize block = (gsize) cb (&image, "address") - image.base;
      gsize ring = (gsize) cb (&image, "bufferAddr") - image.base;
      guint n_good = 0, n_bad = 0;

      for (gsize i = 0; i < TS_VA_POST_MORTEM_BLOCK_LEN + 40; i++)
        {
          gsize at = i < TS_VA_POST_MORTEM_BLOCK_LEN
                         ? block + i
                         : ring + (i - TS_VA_POST_MORTEM_BLOCK_LEN) * 199;
          g_autoptr (GError) error = NULL;
          TsSnapshotFigures figures;
          TsRecordingSummary summary = { 0 };

          g_unlink (output);
          copy[at] ^= 0xA5;
          if (take (copy, n_bytes, image.base, folder, &figures, &summary, &error))
            {
              g_assert_no_error (error);
              g_assert_cmpuint (summary.events, >, 0);
              n_good++;
              if (i >= TS_VA_POST_MORTEM_BLOCK_LEN)
                g_assert_cmpuint (summary.events, >=, 933 - 3);
            }
          else
            {
              g_assert_nonnull (error);
              g_assert_cmpint (error->domain, ==, TS_CAPTURE_ERROR);
              g_assert_false (g_file_test (output, G_FILE_TEST_EXISTS));
              n_bad++;
            }
          ts_recording_summary_clear (&summary);
          copy[at] ^= 0xA5;
        }
      g_assert_cmpuint (n_good, >=, 40);
      g_assert_cmpuint (n_bad, >=, 16); /* the magic alone */
    }
  image_clear (&image);
  test_folder_free (folder);
}

static void
test_failures (void)
{
  char *folder = test_folder_new ();
  g_autofree char *output = g_build_filename (folder, "out.vadb", NULL);
  guint8 memory[512] = { 0 };
  TsSnapshotFigures figures;
  TsRecordingSummary summary = { 0 };
  g_autoptr (GError) error = NULL;

  /* no block at all */
  g_assert_false (take (memory, sizeof memory, 0x20000000, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT);
  g_clear_error (&error);

  /* an empty ring */
  memcpy (memory + 64, "ViewAlyzerRB01", 15);
  memcpy (memory + 64 + 16, "\x00\x01\x00\x20\x00\x01\x00\x00", 8);
  g_assert_false (take (memory, sizeof memory, 0x20000000, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);
  g_assert_false (g_file_test (output, G_FILE_TEST_EXISTS));
  g_clear_error (&error);

  /* a ring outside the image */
  g_assert_false (take (memory, 300, 0x20000000, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT);
  g_assert_nonnull (strstr (error->message, "0x20000040"));
  g_clear_error (&error);

  /* offsets that make no sense */
  memcpy (memory + 64 + 24, "\xFF\xFF\xFF\xFF", 4);
  g_assert_false (take (memory, sizeof memory, 0x20000000, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT);
  g_clear_error (&error);

  /* memory beyond the address space, and none */
  g_assert_false (take (memory, sizeof memory, 0xFFFFFFF0, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);
  g_assert_false (take (memory, 0, 0x20000000, folder, &figures, &summary, &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_EMPTY);

  test_folder_free (folder);
}

static void
test_image_name (void)
{
  static const char *const bad[] = { "ram.bin", "@0x20000000", "ram.bin@", "ram.bin@0x",
                                     "ram.bin@x",
                                     "ram.bin@0x100000000", "ram.bin@-1", "" };
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  guint32 base = 0;

  g_assert_true (ts_snapshot_parse_image_name ("a@b/ram.bin@0x2000ABCD", &path, &base, &error));
  g_assert_cmpstr (path, ==, "a@b/ram.bin");
  g_assert_cmphex (base, ==, 0x2000ABCD);
  g_clear_pointer (&path, g_free);
  g_assert_true (ts_snapshot_parse_image_name ("r@536870912", &path, &base, &error));
  g_assert_cmphex (base, ==, 0x20000000);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      char *none = NULL;

      g_assert_false (ts_snapshot_parse_image_name (bad[i], &none, &base, &error));
      g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
      g_assert_null (none);
      g_clear_error (&error);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/capture/snapshot/wrap-frozen", "ring_wrap_frozen", test_known_image);
  g_test_add_data_func ("/capture/snapshot/wrap-running", "ring_wrap_running", test_known_image);
  g_test_add_data_func ("/capture/snapshot/drop-full", "ring_drop_full", test_known_image);
  g_test_add_data_func ("/capture/snapshot/tee", "ring_snapshot", test_known_image);
  g_test_add_func ("/capture/snapshot/damage-walk", test_damage_walk);
  g_test_add_func ("/capture/snapshot/failures", test_failures);
  g_test_add_func ("/capture/snapshot/image-name", test_image_name);

  return g_test_run ();
}
