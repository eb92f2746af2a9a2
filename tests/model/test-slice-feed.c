/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-slice-feed.c: every slice of a capture comes once, also when it is read while the writer
 * closes the file. */
#include "config.h"

#include "recording-fixture.h"

#include "model/ts-recording-live.h"
#include "model/ts-slice-feed.h"

#define N_SLICES 20000

static void
read_all (TsSliceFeed *feed,
          TsRecording *recording,
          guint batch,
          GArray *all)
{
  g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (TsFedSlice));

  ts_recording_refresh (recording);
  do
    {
      ts_slice_feed_read (feed, recording, batch, some);
      g_array_append_vals (all, some->data, some->len);
    }
  while (some->len >= batch);
}

static void
add_slices (TsEventSink *sink,
            guint begin,
            guint end)
{
  for (guint i = begin; i < end; i++)
    {
      TsEvent events[2] = {
        fixture_event (i * 10, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_START),
        fixture_event (i * 10 + 5, TS_EVENT_ISR, OBJECT_SYSTICK, TS_EVENT_FLAG_END),
      };

      sink->iface->events (sink, events, 2);
    }
}

/* What the interrupt's slices must be: 0 to 5, 10 to 15 ... */
static void
assert_each_once (GArray *all)
{
  guint n = 0;

  for (guint i = 0; i < all->len; i++)
    {
      const TsFedSlice *fed = &g_array_index (all, TsFedSlice, i);

      if (fed->lane != OBJECT_SYSTICK)
        continue;
      g_assert_cmpint (fed->slice.begin, ==, n * 10);
      g_assert_cmpint (fed->slice.end, ==, n * 10 + 5);
      n++;
    }
  g_assert_cmpuint (n, ==, N_SLICES);
}

/* At the end the writer closes the readers' connections for a moment: nodes that are in the file
 * and no longer in memory cannot be read then, and can be afterwards. */
static void
test_read_while_closing (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-feed-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "feed.vadb", NULL);
  g_autoptr (TsSliceFeed) feed = ts_slice_feed_new (TS_SLICE_FEED_RUNNING);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (TsFedSlice));
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) live = NULL;
  g_autoptr (TsRecording) closed = NULL;
  TsWriterOptions options = { .live = TRUE };
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  TsLive *shared = _ts_recording_writer_get_live (writer);
  guint n_before;

  g_assert_no_error (error);
  fixture_define (sink);
  live = ts_recording_open_live (writer, &error);
  add_slices (sink, 0, N_SLICES / 2);
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  read_all (feed, live, 1000, all);
  n_before = all->len;
  g_assert_cmpuint (n_before, >=, N_SLICES / 4);

  /* Sealed, committed and gone from memory, not told yet; the reader comes while it is shut out. */
  add_slices (sink, N_SLICES / 2, N_SLICES);
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  _ts_live_begin_close (shared);
  read_all (feed, live, 1000, all);
  _ts_live_end_close (shared);
  read_all (feed, live, 1000, all);
  g_assert_cmpuint (all->len, >, n_before);

  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  g_assert_no_error (error);
  ts_recording_writer_free (writer);
  read_all (feed, live, 1000, all);
  closed = ts_recording_open (path, &error);
  g_assert_no_error (error);
  read_all (feed, closed, 1000, all);
  assert_each_once (all);

  g_clear_object (&live);
  g_clear_object (&closed);
  g_unlink (path);
  g_rmdir (folder);
}

/* The same moment in the eyes of the window: what could not be drawn then can be drawn later. */
static void
test_view_while_closing (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ts-feed-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "feed.vadb", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) live = NULL;
  TsWriterOptions options = { .live = TRUE };
  TsRecordingWriter *writer = ts_recording_writer_new (path, &options, &error);
  TsEventSink *sink = ts_recording_writer_get_sink (writer);
  TsLive *shared = _ts_recording_writer_get_live (writer);
  TsSlice slice;

  g_assert_no_error (error);
  fixture_define (sink);
  live = ts_recording_open_live (writer, &error);
  add_slices (sink, 0, N_SLICES);
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  _ts_live_begin_close (shared);
  ts_recording_refresh (live);
  g_assert_false (ts_recording_find_slice (live, OBJECT_SYSTICK, 12, 0, &slice));
  _ts_live_end_close (shared);
  ts_recording_refresh (live);
  g_assert_true (ts_recording_find_slice (live, OBJECT_SYSTICK, 12, 0, &slice));
  g_assert_cmpint (slice.begin, ==, 10);

  g_assert_true (ts_recording_writer_close (writer, "stopped", &error));
  ts_recording_writer_free (writer);
  g_clear_object (&live);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/slice-feed/read-while-closing", test_read_while_closing);
  g_test_add_func ("/model/slice-feed/view-while-closing", test_view_while_closing);
  return g_test_run ();
}
