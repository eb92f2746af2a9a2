/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of values: their styles, and several in one row. */
#include "config.h"

#include <locale.h>

#include "fake-recording.h"
#include "ui/draw/ts-display-list.h"

/* 1000 pixels of plot for 1000 ticks, rows of 43: plots are 34 high (inset 43 / 9 = 4). */
#define ROW 43
#define PLOT 34

static const TsDisplayOptions options = {
  .width = 1100,
  .height = 400,
  .label_width = 100,
  .line_height = 14,
  .pointer_x = -1,
  .pointer_y = -1,
};

typedef struct
{
  TsRecording *recording;
  TsViewState *view;
  TsDisplayList *list;
  guint32 speed;
  guint32 target;
  guint32 current;
} Fixture;

static void
add (TsRecording *recording,
     guint32 lane,
     gint64 begin,
     gint64 end,
     double value)
{
  TsSlice slice = { .begin = begin, .end = end, .value = value, .state = TS_STATE_RUNNING };

  fake_recording_add_slice (recording, lane, &slice);
}

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  TsRecording *recording = fake_recording_new (1000000, 1000);

  fixture->recording = recording;
  fixture->speed = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_USER_TRACE, "speed",
                                            TS_OBJECT_UNKNOWN);
  fixture->target = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_USER_TRACE,
                                             "target", TS_OBJECT_UNKNOWN);
  fixture->current = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_USER_TRACE,
                                              "current", TS_OBJECT_UNKNOWN);
  fake_recording_set_unit (recording, fixture->speed, "rpm");
  fake_recording_set_unit (recording, fixture->target, "rpm");
  fake_recording_set_unit (recording, fixture->current, "A");
  add (recording, fixture->speed, 0, 250, 0);
  add (recording, fixture->speed, 250, 500, 4);
  add (recording, fixture->speed, 500, 1000, 10);
  add (recording, fixture->target, 0, 1000, 20);
  add (recording, fixture->current, 0, 500, 1);
  add (recording, fixture->current, 500, 1000, 2);
  fixture->view = ts_view_state_new ();
  ts_view_state_set_row_height (fixture->view, 20, 16, ROW);
  ts_view_state_set_recording (fixture->view, recording);
  fixture->list = ts_display_list_new ();
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  ts_display_list_free (fixture->list);
  g_object_unref (fixture->view);
  g_object_unref (fixture->recording);
}

static int
get_row_y (Fixture *fixture,
           guint32 lane)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (fixture->view, &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      return rows[i].y;
  return -1;
}

/* The plot number @index in the row of a lane. */
static const TsItem *
get_line (Fixture *fixture,
          guint32 lane,
          guint index)
{
  int y = get_row_y (fixture, lane);
  guint n;
  const TsItem *items;

  ts_display_list_build (fixture->list, fixture->view, &options);
  items = ts_display_list_get_items (fixture->list, &n);
  for (guint i = 0; i < n; i++)
    if (items[i].type == TS_ITEM_POLYLINE && items[i].y >= y && items[i].y < y + ROW &&
        index-- == 0)
      return &items[i];
  return NULL;
}

/* Where a level from 0 to 1 is drawn: on a whole pixel of the plot, the line 1.5 pixels thick. */
static void
assert_level (Fixture *fixture,
              guint32 lane,
              const TsPaintPoint *point,
              double level)
{
  double top = get_row_y (fixture, lane) + ROW / 9;

  g_assert_cmpfloat_with_epsilon (point->y_min, top + (PLOT - 2) * (1 - level) + 0.75, 1.0);
}

static void
test_styles (Fixture *fixture,
             gconstpointer data)
{
  const TsItem *line = get_line (fixture, fixture->speed, 0);
  const TsPaintPoint *points;

  g_assert_cmpint (ts_view_state_get_plot_style (fixture->view, fixture->speed), ==,
                   TS_PLOT_STEP);
  /* two ends of three steps */
  g_assert_nonnull (line);
  g_assert_cmpuint (line->n, ==, 6);
  points = ts_display_list_get_points (fixture->list) + line->first;
  assert_level (fixture, fixture->speed, &points[1], 0);
  assert_level (fixture, fixture->speed, &points[2], 0.4);
  assert_level (fixture, fixture->speed, &points[5], 1);

  /* three samples joined, the last one held to its end */
  ts_view_state_set_plot_style (fixture->view, fixture->speed, TS_PLOT_LINE);
  line = get_line (fixture, fixture->speed, 0);
  g_assert_cmpuint (line->n, ==, 4);
  points = ts_display_list_get_points (fixture->list) + line->first;
  g_assert_cmpfloat_with_epsilon (points[1].x, 100 + 250, 1.0);
  assert_level (fixture, fixture->speed, &points[1], 0.4);
  g_assert_cmpfloat_with_epsilon (points[2].x, 100 + 500, 1.0);
  assert_level (fixture, fixture->speed, &points[2], 1);

  /* 4 of 0 to 10 is low */
  ts_view_state_set_plot_style (fixture->view, fixture->speed, TS_PLOT_TOGGLE);
  line = get_line (fixture, fixture->speed, 0);
  points = ts_display_list_get_points (fixture->list) + line->first;
  assert_level (fixture, fixture->speed, &points[2], 0);
  assert_level (fixture, fixture->speed, &points[5], 1);
}

/* 0 for a quarter, 4 for a quarter, 10 for half of the time: the longest bar is at the top. */
static void
test_distribution (Fixture *fixture,
                   gconstpointer data)
{
  int y;
  guint n;
  guint n_bars = 0;
  const TsItem *items;
  double widest = 0;
  double widest_y = 0;
  double narrowest = 1000;

  ts_view_state_set_plot_style (fixture->view, fixture->speed, TS_PLOT_HISTOGRAM);
  y = get_row_y (fixture, fixture->speed);
  get_line (fixture, fixture->speed, 0);
  items = ts_display_list_get_items (fixture->list, &n);
  for (guint i = 0; i < n; i++)
    {
      if (items[i].type != TS_ITEM_RECT || items[i].ink != TS_INK_LANE_TINT || items[i].y < y ||
          items[i].y >= y + ROW)
        continue;
      n_bars++;
      g_assert_cmpfloat (items[i].x + items[i].width, ==, 1100);
      narrowest = MIN (narrowest, items[i].width);
      if (items[i].width > widest)
        {
          widest = items[i].width;
          widest_y = items[i].y;
        }
    }
  g_assert_cmpuint (n_bars, ==, 3);
  g_assert_cmpfloat_with_epsilon (narrowest, widest / 2, 1.0);
  g_assert_cmpfloat (widest_y, <, y + ROW / 3);
}

/* Of one unit they share the range; of another one they do not; hidden hosts give guests back. */
static void
test_shared_row (Fixture *fixture,
                 gconstpointer data)
{
  const TsItem *line;
  const TsPaintPoint *points;
  g_autoptr (GArray) guests = NULL;

  g_assert_true (
      ts_view_state_set_plot_host (fixture->view, fixture->target, fixture->speed));
  g_assert_true (
      ts_view_state_set_plot_host (fixture->view, fixture->current, fixture->target));
  g_assert_false (ts_view_state_set_plot_host (fixture->view, fixture->speed, fixture->speed));
  /* the guest of a guest is one of the host */
  g_assert_cmpuint (ts_view_state_get_plot_host (fixture->view, fixture->current), ==,
                    fixture->speed);
  g_assert_cmpint (get_row_y (fixture, fixture->target), ==, -1);
  g_assert_cmpint (get_row_y (fixture, fixture->current), ==, -1);

  /* 10 of 0 to 20 */
  line = get_line (fixture, fixture->speed, 0);
  points = ts_display_list_get_points (fixture->list) + line->first;
  assert_level (fixture, fixture->speed, &points[5], 0.5);
  line = get_line (fixture, fixture->speed, 1);
  points = ts_display_list_get_points (fixture->list) + line->first;
  assert_level (fixture, fixture->speed, &points[0], 1);
  /* 1 to 2 A have a range of their own */
  line = get_line (fixture, fixture->speed, 2);
  points = ts_display_list_get_points (fixture->list) + line->first;
  assert_level (fixture, fixture->speed, &points[0], 0);
  assert_level (fixture, fixture->speed, &points[3], 1);

  guests = ts_view_state_get_plot_guests (fixture->view, fixture->speed);
  g_assert_cmpuint (guests->len, ==, 2);
  ts_view_state_set_lane_hidden (fixture->view, fixture->speed, TRUE);
  g_assert_cmpint (get_row_y (fixture, fixture->target), >=, 0);
  ts_view_state_set_lane_hidden (fixture->view, fixture->speed, FALSE);
  ts_view_state_set_plot_host (fixture->view, fixture->target, 0);
  g_assert_cmpint (get_row_y (fixture, fixture->target), >=, 0);
  g_assert_cmpint (get_row_y (fixture, fixture->current), ==, -1);
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add ("/draw/plots/styles", Fixture, NULL, set_up, test_styles, tear_down);
  g_test_add ("/draw/plots/distribution", Fixture, NULL, set_up, test_distribution, tear_down);
  g_test_add ("/draw/plots/shared-row", Fixture, NULL, set_up, test_shared_row, tear_down);
  return g_test_run ();
}
