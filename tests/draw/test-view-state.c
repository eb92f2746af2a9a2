/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic, following, undo and rows of the view state. */
#include "config.h"

#include <locale.h>

#include "fake-recording.h"
#include "ui/draw/ts-view-state.h"

#define WIDTH 1537

static void
count_change (TsViewState *view,
              gpointer user_data)
{
  (*(guint *) user_data)++;
}

/* The tick under the pointer is the same before and after, over a thousand zooms at random places.
 */
static void
test_anchor (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (100000000, G_GINT64_CONSTANT (1) << 40);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  guint n_moved = 0;

  ts_view_state_set_recording (view, recording);
  for (guint i = 0; i < 1000; i++)
    {
      double x = g_test_rand_double_range (0, WIDTH);
      gint64 span = ts_view_state_get_span (view);
      double factor = span < 1000                            ? 0.3
                      : span > (G_GINT64_CONSTANT (1) << 36) ? 3
                                                             : g_test_rand_double_range (0.4, 2.4);
      gint64 before, after;

      if (i % 10 == 0 || ts_view_state_get_begin (view) < 0)
        ts_view_state_set_visible (
            view, g_test_rand_int_range (1 << 28, 1 << 30) * G_GINT64_CONSTANT (500), 1 << 24);
      before = ts_view_state_x_to_tick (view, x, WIDTH);
      ts_view_state_zoom (view, factor, x / WIDTH);
      after = ts_view_state_x_to_tick (view, x, WIDTH);
      g_assert_cmpint (after, ==, before);
      n_moved += ts_view_state_get_span (view) != span;
    }
  g_assert_cmpuint (n_moved, >, 900);
}

static void
test_zoom_factor (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (1000000, 1000000);
  g_autoptr (TsViewState) view = ts_view_state_new ();

  ts_view_state_set_recording (view, recording);
  ts_view_state_set_visible (view, 400000, 1000);
  ts_view_state_zoom (view, 2, 0.5);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 500);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 400250);
  ts_view_state_zoom (view, 0.5, 0);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1000);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 400250);
  ts_view_state_zoom (view, 2, 1);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 400750);

  /* never narrower than 16 ticks, never wider than the whole and an eighth */
  for (guint i = 0; i < 100; i++)
    ts_view_state_zoom (view, 1.7, 0.5);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 16);
  for (guint i = 0; i < 100; i++)
    ts_view_state_zoom (view, 0.7, 0.5);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1125000);
}

/* Every tick counts, also where a double could no longer tell them apart. */
static void
test_exact (void)
{
  const gint64 end = G_GINT64_CONSTANT (1) << 60;
  g_autoptr (TsRecording) recording = fake_recording_new (1000000000, end);
  g_autoptr (TsViewState) view = ts_view_state_new ();

  ts_view_state_set_recording (view, recording);
  g_assert_cmpint (ts_view_state_get_span (view), ==, end);
  ts_view_state_set_visible (view, end - 1001, 64);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, end - 1001);
  for (int i = 0; i < 64; i++)
    {
      g_assert_cmpint (ts_view_state_x_to_tick (view, i * 16, 1024), ==, end - 1001 + i);
      g_assert_cmpfloat (ts_view_state_tick_to_x (view, end - 1001 + i, 1024), ==, i * 16);
    }
  ts_view_state_pan (view, 0.5);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, end - 1001 + 32);
  ts_view_state_pan (view, -0.25);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, end - 1001 + 16);
  ts_view_state_zoom (view, 4, 0.5);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, end - 1001 + 16 + 32 - 8);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 16);

  /* a far away zoom out and back does not overflow */
  for (guint i = 0; i < 200; i++)
    ts_view_state_zoom (view, 0.5, 0.999);
  g_assert_cmpint (ts_view_state_get_span (view), ==, end + end / 8);
}

static void
test_undo (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (1000000, 1000000);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  guint n_changes = 0;

  ts_view_state_set_recording (view, recording);
  g_signal_connect (view, "changed", G_CALLBACK (count_change), &n_changes);
  g_assert_false (ts_view_state_undo (view));
  ts_view_state_set_visible (view, 1000, 1000);
  ts_view_state_set_visible (view, 5000, 100);
  g_assert_cmpuint (n_changes, ==, 2);
  ts_view_state_set_visible (view, 5000, 100);
  g_assert_cmpuint (n_changes, ==, 2);
  /* a run of small steps is one step back */
  for (guint i = 0; i < 5; i++)
    ts_view_state_pan (view, 0.05);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 5025);
  g_assert_true (ts_view_state_undo (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 5000);
  g_assert_true (ts_view_state_undo (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 1000);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1000);
  g_assert_true (ts_view_state_undo (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 0);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 1000000);
  g_assert_false (ts_view_state_undo (view));
}

static void
test_following (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (1000, 0);
  g_autoptr (TsViewState) view = ts_view_state_new ();

  fake_recording_set_live (recording, TRUE);
  ts_view_state_set_recording (view, recording);
  g_assert_true (ts_view_state_is_following (view));
  fake_recording_set_duration (recording, 5000);
  ts_view_state_refresh (view);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 2000);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 3000);

  /* back from the end: left */
  ts_view_state_pan (view, -0.5);
  g_assert_false (ts_view_state_is_following (view));
  fake_recording_set_duration (recording, 6000);
  ts_view_state_refresh (view);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 2000);

  /* at the end again: resumed, right edge at the end */
  ts_view_state_pan (view, 0.5);
  g_assert_false (ts_view_state_is_following (view));
  ts_view_state_pan (view, 0.6);
  g_assert_true (ts_view_state_is_following (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 4000);
  fake_recording_set_duration (recording, 6100);
  ts_view_state_refresh (view);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 4100);

  /* zooming about the right edge stays, about the middle leaves */
  ts_view_state_zoom (view, 2, 1);
  g_assert_true (ts_view_state_is_following (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 5100);
  ts_view_state_zoom (view, 2, 0.5);
  g_assert_false (ts_view_state_is_following (view));
  ts_view_state_set_following (view, TRUE);
  g_assert_true (ts_view_state_is_following (view));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 5600);

  /* a recording that ended cannot be followed */
  fake_recording_set_live (recording, FALSE);
  ts_view_state_set_following (view, FALSE);
  ts_view_state_set_following (view, TRUE);
  g_assert_false (ts_view_state_is_following (view));
}

static void
test_selection (void)
{
  g_autoptr (TsViewState) view = ts_view_state_new ();
  TsSlice slice = { .begin = 5, .end = 9, .state = TS_STATE_RUNNING };
  TsSlice got = { 0 };
  guint n_changes = 0;
  gint64 begin, end;

  g_signal_connect (view, "changed", G_CALLBACK (count_change), &n_changes);
  ts_view_state_set_range (view, 90, 40);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (begin, ==, 40);
  g_assert_cmpint (end, ==, 90);
  ts_view_state_set_range (view, 40, 90);
  g_assert_cmpuint (n_changes, ==, 1);
  ts_view_state_set_range (view, 90, -40);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (begin, ==, 0);
  g_assert_cmpint (end, ==, 90);
  ts_view_state_clear_range (view);
  g_assert_false (ts_view_state_get_range (view, NULL, NULL));
  ts_view_state_select_slice (view, 3, &slice);
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), ==, 3);
  g_assert_true (ts_view_state_get_selected_slice (view, &got));
  g_assert_cmpint (got.end, ==, 9);
  ts_view_state_select_lane (view, 4);
  g_assert_false (ts_view_state_get_selected_slice (view, NULL));
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, -1);
  ts_view_state_set_cursor (view, 77);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 77);
  g_assert_cmpuint (n_changes, ==, 6);
}

/* Names of the rows, headers as "Group:". */
static char *
list_rows (TsViewState *view)
{
  GString *out = g_string_new (NULL);
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (view, &n);
  int y = 0;

  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (rows[i].y, ==, y);
      y += rows[i].height;
      if (rows[i].is_header)
        g_string_append_printf (out, "%s:", ts_view_state_get_group_name (view, rows[i].group));
      else
        g_string_append_printf (
            out, "%s",
            ts_recording_get_lane (ts_view_state_get_recording (view), rows[i].lane)->name);
      g_string_append_c (out, ' ');
    }
  g_assert_cmpint (ts_view_state_get_rows_height (view), ==, y);
  return g_string_free (out, FALSE);
}

static TsRecording *
make_rows (void)
{
  TsRecording *recording = fake_recording_new (1000, 1000);
  TsSlice slice = { .begin = 1, .end = 2, .state = TS_STATE_RUNNING };
  guint32 ids[12];

  ids[0] = fake_recording_add_lane (recording, TS_LANE_MESSAGE, TS_OBJECT_STRING_CHANNEL, "log",
                                    TS_OBJECT_UNKNOWN);
  ids[1] = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "IDLE", 0);
  ids[2] = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "low", 2);
  ids[3] = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "high", 7);
  ids[4] = fake_recording_add_lane (recording, TS_LANE_ISR, TS_OBJECT_ISR, "ISR:SysTick",
                                    TS_OBJECT_UNKNOWN);
  ids[5] = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_USER_TRACE, "speed",
                                    TS_OBJECT_UNKNOWN);
  ids[6] = fake_recording_add_lane (recording, TS_LANE_TOGGLE, TS_OBJECT_GPIO, "pin",
                                    TS_OBJECT_UNKNOWN);
  ids[7] = fake_recording_add_lane (recording, TS_LANE_SPAN, TS_OBJECT_USER_EVENT, "Fn:bulk",
                                    TS_OBJECT_UNKNOWN);
  ids[8] = fake_recording_add_lane (recording, TS_LANE_OBJECT, TS_OBJECT_QUEUE, "high",
                                    TS_OBJECT_UNKNOWN);
  ids[9]
      = fake_recording_add_lane (recording, TS_LANE_CPU, TS_OBJECT_CORE, "CPU", TS_OBJECT_UNKNOWN);
  ids[10] = fake_recording_add_lane (recording, TS_LANE_DENSITY, TS_OBJECT_NONE, "density",
                                     TS_OBJECT_UNKNOWN);
  ids[11]
      = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "new", TS_OBJECT_UNKNOWN);
  fake_recording_add_lane (recording, TS_LANE_OBJECT, TS_OBJECT_MUTEX, "unused", TS_OBJECT_UNKNOWN);
  fake_recording_set_idle (recording, ids[1]);
  for (guint i = 0; i < 11; i++)
    fake_recording_add_slice (recording, ids[i], &slice);
  return recording;
}

static void
test_rows (void)
{
  g_autoptr (TsRecording) recording = make_rows ();
  g_autoptr (TsViewState) view = ts_view_state_new ();
  const char *filter[] = { "queue:high", "ISR:SysTick", "bulk", NULL };
  g_autofree char *all = NULL;
  g_autofree char *folded = NULL;
  g_autofree char *hidden = NULL;
  g_autofree char *filtered = NULL;

  ts_view_state_set_row_height (view, 20, 16, 40);
  ts_view_state_set_recording (view, recording);
  all = list_rows (view);
  g_assert_cmpstr (
      all, ==,
      "CPU: CPU Interrupts: ISR:SysTick Tasks: high low new IDLE Objects: high Events: Fn:bulk pin "
      "Values: speed Messages: log ");
  /* 7 headers, 9 lanes, CPU load between a lane and a plot, one plot */
  g_assert_cmpint (ts_view_state_get_rows_height (view), ==, 7 * 16 + 9 * 20 + 30 + 40);

  ts_view_state_set_group_folded (view, 2, TRUE);
  g_assert_true (ts_view_state_is_group_folded (view, 2));
  folded = list_rows (view);
  g_assert_cmpstr (
      folded, ==,
      "CPU: CPU Interrupts: ISR:SysTick Tasks: Objects: high Events: Fn:bulk pin Values: speed "
      "Messages: log ");
  ts_view_state_set_group_folded (view, 2, FALSE);
  ts_view_state_set_lane_hidden (view, 1, TRUE);
  ts_view_state_set_lane_hidden (view, 3, TRUE);
  hidden = list_rows (view);
  g_assert_cmpstr (
      hidden, ==,
      "CPU: CPU Interrupts: ISR:SysTick Tasks: high new IDLE Objects: high Events: Fn:bulk pin "
      "Values: speed ");
  ts_view_state_set_lane_filter (view, filter);
  filtered = list_rows (view);
  g_assert_cmpstr (filtered, ==, "Interrupts: ISR:SysTick Objects: high Events: Fn:bulk ");
}

/* Functions that samples of the program counter tell of stand between tasks and objects, and apart
 * from the firmware's own events. */
static void
test_rows_functions (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (1000, 1000);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  TsSlice slice = { .begin = 1, .end = 2, .state = TS_STATE_RUNNING };
  const char *filter[] = { "main", NULL };
  g_autofree char *all = NULL;
  g_autofree char *folded = NULL;
  g_autofree char *filtered = NULL;
  guint32 ids[5];

  ids[0] = fake_recording_add_lane (recording, TS_LANE_SPAN, TS_OBJECT_USER_EVENT, "sent",
                                    TS_OBJECT_UNKNOWN);
  ids[1] = fake_recording_add_lane (recording, TS_LANE_SPAN, TS_OBJECT_FUNCTION, "main",
                                    TS_OBJECT_UNKNOWN);
  ids[2] = fake_recording_add_lane (recording, TS_LANE_OBJECT, TS_OBJECT_QUEUE, "bulk",
                                    TS_OBJECT_UNKNOWN);
  ids[3] = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "high", 7);
  ids[4] = fake_recording_add_lane (recording, TS_LANE_ISR, TS_OBJECT_EXCEPTION, "SysTick",
                                    TS_OBJECT_UNKNOWN);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    fake_recording_add_slice (recording, ids[i], &slice);

  ts_view_state_set_row_height (view, 20, 16, 40);
  ts_view_state_set_recording (view, recording);
  all = list_rows (view);
  g_assert_cmpstr (
      all, ==, "Interrupts: SysTick Tasks: high Functions: main Objects: bulk Events: sent ");
  ts_view_state_set_group_folded (view, 8, TRUE);
  folded = list_rows (view);
  g_assert_cmpstr (
      folded, ==, "Interrupts: SysTick Tasks: high Functions: Objects: bulk Events: sent ");
  ts_view_state_set_group_folded (view, 8, FALSE);
  ts_view_state_set_lane_filter (view, filter);
  filtered = list_rows (view);
  g_assert_cmpstr (filtered, ==, "Functions: main ");
}

/* Zephyr counts the other way. */
static void
test_rows_zephyr (void)
{
  g_autoptr (TsRecording) recording = make_rows ();
  g_autoptr (TsViewState) view = ts_view_state_new ();
  const char *filter[] = { "task:IDLE", "task:low", "task:high", NULL };
  g_autofree char *rows = NULL;

  fake_recording_set_meta (recording, "va_os", "Zephyr");
  ts_view_state_set_recording (view, recording);
  ts_view_state_set_lane_filter (view, filter);
  rows = list_rows (view);
  g_assert_cmpstr (rows, ==, "Tasks: low high IDLE ");
}

static void
test_scroll (void)
{
  g_autoptr (TsRecording) recording = make_rows ();
  g_autoptr (TsViewState) view = ts_view_state_new ();

  ts_view_state_set_recording (view, recording);
  ts_view_state_set_scroll_y (view, -5);
  g_assert_cmpint (ts_view_state_get_scroll_y (view), ==, 0);
  ts_view_state_set_scroll_y (view, 33);
  g_assert_cmpint (ts_view_state_get_scroll_y (view), ==, 33);
  ts_view_state_set_scroll_y (view, G_MAXINT);
  g_assert_cmpint (ts_view_state_get_scroll_y (view), ==, ts_view_state_get_rows_height (view));
}

/* Pinned lanes stay while the others scroll, unless they would leave too little room. */
static void
test_pinned (void)
{
  g_autoptr (TsRecording) recording = make_rows ();
  g_autoptr (TsViewState) view = ts_view_state_new ();
  const TsViewRow *rows;
  guint n_rows;

  ts_view_state_set_recording (view, recording);
  ts_view_state_set_row_height (view, 20, 10, 40);
  g_assert_cmpint (ts_view_state_get_fixed_height (view, 200), ==, 0);
  ts_view_state_set_lane_pinned (view, 1, TRUE);
  ts_view_state_set_scroll_y (view, 50);
  /* a header and a lane */
  g_assert_cmpint (ts_view_state_get_fixed_height (view, 200), ==, 30);
  rows = ts_view_state_get_rows (view, &n_rows);
  g_assert_cmpint (ts_view_state_get_row_y (view, &rows[0], 200), ==, 0);
  g_assert_cmpint (ts_view_state_get_row_y (view, &rows[1], 200), ==, 10);
  g_assert_cmpint (ts_view_state_get_row_y (view, &rows[2], 200), ==, 30 - 50);
  /* of 40 pixels they would take more than two thirds */
  g_assert_cmpint (ts_view_state_get_fixed_height (view, 40), ==, 0);
  g_assert_cmpint (ts_view_state_get_row_y (view, &rows[0], 40), ==, -50);
}

/* Times as the user wants them told: thin spaces between groups, a true minus. */
static void
test_time_format (void)
{
  g_autoptr (TsRecording) recording = fake_recording_new (1000000, 10000000);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  static const struct
  {
    TsTimeStyle style;
    TsTimeUnit unit;
    const char *text;
  } cases[] = {
    { TS_TIME_SINCE_BEGIN, TS_TIME_UNIT_AUTO, "1.234\342\200\211567\302\240s" },
    { TS_TIME_SINCE_BEGIN, TS_TIME_UNIT_MS,
      "1\342\200\211234.567\342\200\211000\302\240ms" },
    { TS_TIME_SINCE_BEGIN, TS_TIME_UNIT_TICKS,
      "1\342\200\211234\342\200\211567\302\240ticks" },
    { TS_TIME_SINCE_ZERO, TS_TIME_UNIT_US,
      "\342\210\222765\342\200\211433.000\302\240µs" },
    { TS_TIME_OF_DAY, TS_TIME_UNIT_AUTO, "00:00:00.234\342\200\211567\342\200\211000" },
  };

  fake_recording_set_meta (recording, "created_utc", "2026-01-31T23:59:59Z");
  ts_view_state_set_recording (view, recording);
  ts_view_state_set_time_zero (view, 2000000);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = NULL;
      guint serial = ts_view_state_get_time_serial (view);

      ts_view_state_set_time_format (view, cases[i].style, cases[i].unit);
      text = ts_view_state_format_time (view, 1234567);
      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_true (i == 0 || ts_view_state_get_time_serial (view) != serial);
    }
}

/* Nothing to look at is no error. */
static void
test_empty (void)
{
  g_autoptr (TsViewState) view = ts_view_state_new ();
  guint n_rows;

  ts_view_state_get_rows (view, &n_rows);
  g_assert_cmpuint (n_rows, ==, 0);
  ts_view_state_fit (view);
  ts_view_state_zoom (view, 2, 0.5);
  ts_view_state_pan (view, 1);
  ts_view_state_refresh (view);
  ts_view_state_set_following (view, TRUE);
  g_assert_false (ts_view_state_is_following (view));
  g_assert_null (ts_view_state_get_recording (view));
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/draw/view-state/anchor", test_anchor);
  g_test_add_func ("/draw/view-state/zoom-factor", test_zoom_factor);
  g_test_add_func ("/draw/view-state/exact", test_exact);
  g_test_add_func ("/draw/view-state/undo", test_undo);
  g_test_add_func ("/draw/view-state/following", test_following);
  g_test_add_func ("/draw/view-state/selection", test_selection);
  g_test_add_func ("/draw/view-state/rows", test_rows);
  g_test_add_func ("/draw/view-state/rows-functions", test_rows_functions);
  g_test_add_func ("/draw/view-state/rows-zephyr", test_rows_zephyr);
  g_test_add_func ("/draw/view-state/scroll", test_scroll);
  g_test_add_func ("/draw/view-state/pinned", test_pinned);
  g_test_add_func ("/draw/view-state/time-format", test_time_format);
  g_test_add_func ("/draw/view-state/empty", test_empty);
  return g_test_run ();
}
