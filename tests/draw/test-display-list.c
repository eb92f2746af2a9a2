/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The display list as data: what is where, how much of it, and what a point hits. */
#include "config.h"

#include <locale.h>
#include <string.h>

#include "scene.h"
#include "ui/draw/ts-display-list.h"

#define THIN "\342\200\211"
#define NBSP "\302\240"

/* 1000 pixels of plot, 50 overview, 30 ruler, rows of 20. */
static const TsDisplayOptions options = {
  .width = 1100,
  .height = 800,
  .label_width = 100,
  .overview_height = 50,
  .ruler_height = 30,
  .line_height = 14,
  .pointer_x = -1,
  .pointer_y = -1,
};

typedef struct
{
  Scene scene;
  TsRecording *recording;
  TsViewState *view;
  TsDisplayList *list;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->recording = scene_new (&fixture->scene);
  fixture->view = ts_view_state_new ();
  ts_view_state_set_row_height (fixture->view, 20, 16, 40);
  ts_view_state_set_recording (fixture->view, fixture->recording);
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
      return rows[i].y + options.overview_height + options.ruler_height;
  g_assert_not_reached ();
}

/* The first item of a type and ink in the row of a lane that covers x; NULL: none. */
static const TsItem *
find_item (Fixture *fixture,
           guint32 lane,
           TsItemType type,
           TsInk ink,
           double x)
{
  int y = get_row_y (fixture, lane);
  guint n;
  const TsItem *items = ts_display_list_get_items (fixture->list, &n);

  for (guint i = 0; i < n; i++)
    if (items[i].type == type && items[i].ink == ink && items[i].y >= y && items[i].y < y + 40
        && items[i].x <= x && items[i].x + items[i].width > x
        && items[i].y + items[i].height <= y + 41)
      return &items[i];
  return NULL;
}

static gboolean
has_text (Fixture *fixture,
          const char *text)
{
  guint n;
  const TsItem *items = ts_display_list_get_items (fixture->list, &n);

  for (guint i = 0; i < n; i++)
    if (strcmp (ts_display_list_get_text (fixture->list, &items[i]), text) == 0)
      return TRUE;
  return FALSE;
}

static guint
count_inks (Fixture *fixture,
            TsItemType type,
            TsInk ink,
            guint flags)
{
  guint n, found = 0;
  const TsItem *items = ts_display_list_get_items (fixture->list, &n);

  for (guint i = 0; i < n; i++)
    found += items[i].type == type && items[i].ink == ink && (items[i].flags & flags) == flags;
  return found;
}

static TsRecording *
make_states (guint32 *lane)
{
  static const struct
  {
    gint64 begin;
    gint64 end;
    TsLaneState state;
  } slices[] = {
    { 0, 100, TS_STATE_BLOCKED },     { 100, 150, TS_STATE_READY },
    { 150, 300, TS_STATE_RUNNING },   { 300, 500, TS_STATE_SLEEPING },
    { 500, 700, TS_STATE_SUSPENDED }, { 700, 701, TS_STATE_RUNNING },
  };
  TsRecording *recording = fake_recording_new (1000000, 1000);

  *lane = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "task", 3);
  for (guint i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      TsSlice slice
          = { .begin = slices[i].begin, .end = slices[i].end, .state = (guint8) slices[i].state };

      fake_recording_add_slice (recording, *lane, &slice);
    }
  return recording;
}

/* One tick is one pixel here: every state has its place and its shape. */
static void
test_shapes (void)
{
  Fixture fixture = { 0 };
  guint32 lane;
  const TsItem *running, *ready, *blocked, *sleeping;

  fixture.recording = make_states (&lane);
  fixture.view = ts_view_state_new ();
  fixture.list = ts_display_list_new ();
  ts_view_state_set_recording (fixture.view, fixture.recording);
  g_assert_true (ts_display_list_build (fixture.list, fixture.view, &options));

  running = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE, 350);
  g_assert_nonnull (running);
  g_assert_cmpfloat (running->x, ==, 250);
  g_assert_cmpfloat (running->width, ==, 150);
  ready = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE_TINT, 220);
  g_assert_nonnull (ready);
  g_assert_cmpfloat (ready->x, ==, 200);
  g_assert_cmpfloat (ready->width, ==, 50);
  g_assert_cmpfloat (ready->height, <, running->height);
  g_assert_cmpfloat (ready->y, >, running->y);
  blocked = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE_LINE, 150);
  g_assert_nonnull (blocked);
  g_assert_cmpfloat (blocked->height, <, ready->height);
  g_assert_cmpuint (blocked->flags & TS_ITEM_DOTTED, ==, 0);
  sleeping = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE_LINE, 450);
  g_assert_nonnull (sleeping);
  g_assert_cmpuint (sleeping->flags & TS_ITEM_DOTTED, !=, 0);
  g_assert_null (find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE_LINE, 700));
  g_assert_null (find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE, 700));

  /* one tick of 700 */
  running = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE, 800);
  g_assert_nonnull (running);
  g_assert_cmpfloat (running->width, ==, 1);
  tear_down (&fixture, NULL);
}

/* One tick in a second is a pixel, whether the answer came as slices or as columns. */
static void
test_one_tick (void)
{
  TsSlice slice = { .begin = 612345678, .end = 612345679, .state = TS_STATE_RUNNING };
  Fixture fixture = { 0 };
  const TsPaintColumn *columns;
  const TsItem *item;
  guint32 lane, task;
  guint n_lit = 0;

  fixture.recording = fake_recording_new (1000000000, 1000000000);
  lane = fake_recording_add_lane (fixture.recording, TS_LANE_ISR, TS_OBJECT_ISR, "ISR:rare",
                                  TS_OBJECT_UNKNOWN);
  task = fake_recording_add_lane (fixture.recording, TS_LANE_TASK, TS_OBJECT_TASK, "rare", 1);
  fake_recording_add_slice (fixture.recording, lane, &slice);
  fake_recording_add_slice (fixture.recording, task, &slice);
  fixture.view = ts_view_state_new ();
  fixture.list = ts_display_list_new ();
  ts_view_state_set_recording (fixture.view, fixture.recording);
  ts_display_list_build (fixture.list, fixture.view, &options);
  item = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_ISR, 712);
  g_assert_nonnull (item);
  g_assert_cmpfloat (item->x, ==, 712);
  item = find_item (&fixture, task, TS_ITEM_RECT, TS_INK_LANE, 712);
  g_assert_nonnull (item);

  fake_recording_set_max_slices (fixture.recording, 0);
  ts_display_list_build (fixture.list, fixture.view, &options);
  item = find_item (&fixture, task, TS_ITEM_COLUMNS, TS_INK_LANE, 712);
  g_assert_nonnull (item);
  columns = ts_display_list_get_columns (fixture.list) + item->first;
  g_assert_cmpuint (columns[612].height[0], >, 0);
  g_assert_cmpuint (columns[612].ink[0], ==, TS_INK_LANE);
  /* at least one pixel high, and nowhere far from where it was */
  g_assert_cmpfloat (columns[612].height[0] * item->height / 255, >=, 1);
  for (guint i = 0; i < item->n; i++)
    if (columns[i].height[0] > 0)
      {
        g_assert_cmpuint (ABS ((int) i - 612), <=, 4);
        n_lit++;
      }
  g_assert_cmpuint (n_lit, >=, 1);
  tear_down (&fixture, NULL);
}

/* A thousand ticks a pixel. A lane with 200 runs in two thousand ticks and one long one is sparse,
 * but the 200 are not one bar: half of the time they do not run, and more is there than pixels. */
static void
test_crowd (void)
{
  Fixture fixture = { 0 };
  const TsPaintColumn *columns;
  const TsItem *item;
  guint32 lane;

  fixture.recording = fake_recording_new (1000000, 1000000);
  lane = fake_recording_add_lane (fixture.recording, TS_LANE_TASK, TS_OBJECT_TASK, "task", 1);
  for (guint i = 0; i < 200; i++)
    {
      TsSlice slice = { .begin = 499712 + 10 * i, .end = 499712 + 10 * i + 5,
                        .state = TS_STATE_RUNNING };

      fake_recording_add_slice (fixture.recording, lane, &slice);
    }
  fake_recording_add_slice (fixture.recording, lane,
                            &(TsSlice) { .begin = 700000, .end = 800000,
                                         .state = TS_STATE_RUNNING });
  fixture.view = ts_view_state_new ();
  fixture.list = ts_display_list_new ();
  ts_view_state_set_recording (fixture.view, fixture.recording);
  ts_display_list_build (fixture.list, fixture.view, &options);

  /* a bin is 2048 ticks, from 499712 on: all 200 are in it */
  g_assert_null (find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE, 600.5));
  item = find_item (&fixture, lane, TS_ITEM_COLUMNS, TS_INK_LANE, 600.5);
  g_assert_nonnull (item);
  columns = ts_display_list_get_columns (fixture.list) + item->first;
  for (guint i = 500; i < 502; i++)
    {
      /* 1000 of 2048 ticks */
      g_assert_cmpint (ABS (columns[i].height[0] - 125), <=, 8);
      g_assert_cmpuint (columns[i].ink[0], ==, TS_INK_LANE);
      g_assert_cmpuint (columns[i].ink[2], ==, TS_INK_LANE_FAINT);
    }
  g_assert_cmpuint (columns[498].height[0] + columns[503].height[0], ==, 0);
  item = find_item (&fixture, lane, TS_ITEM_RECT, TS_INK_LANE, 850);
  g_assert_nonnull (item);
  g_assert_cmpfloat (item->width, ==, 100);
  tear_down (&fixture, NULL);
}

/* However much there is to show, the list is as long as the screen is wide. */
static void
test_bounds (Fixture *fixture,
             gconstpointer data)
{
  static const gint64 spans[] = { 3, 100, 2000, 17250, 250000, 1000000 };
  guint n_rows;

  fake_recording_set_max_slices (fixture->recording, GPOINTER_TO_UINT (data));
  ts_view_state_get_rows (fixture->view, &n_rows);
  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    for (gint64 begin = 0; begin + spans[i] <= 1000000 && begin < 500000; begin += 123456)
      {
        guint n_items, n_columns = 0;
        const TsItem *items;

        ts_view_state_set_visible (fixture->view, scene_ticks (begin), scene_ticks (spans[i]));
        ts_display_list_build (fixture->list, fixture->view, &options);
        items = ts_display_list_get_items (fixture->list, &n_items);
        g_assert_cmpuint (n_items, <=, n_rows * 1000 * 2 + 500);
        for (guint j = 0; j < n_items; j++)
          {
            if (items[j].type == TS_ITEM_COLUMNS)
              n_columns += items[j].n;
            /* labels of the ruler are whole: of the smallest text a letter is five pixels wide */
            if (items[j].type == TS_ITEM_TEXT && (items[j].flags & TS_ITEM_TABULAR) != 0
                && items[j].y >= 50 && items[j].y < 80 && items[j].x > 110)
              {
                const char *text = ts_display_list_get_text (fixture->list, &items[j]);

                g_assert_cmpfloat (items[j].x + 5.0 * (double) g_utf8_strlen (text, -1), <=,
                                   options.width);
              }
            if (items[j].type == TS_ITEM_RECT && items[j].width > 0)
              {
                g_assert_cmpfloat (items[j].x, >=, -8);
                g_assert_cmpfloat (items[j].x + items[j].width, <=, options.width + 8);
              }
          }
        /* the load lane is made of layers, every other lane of one item */
        g_assert_cmpuint (n_columns, <=, (n_rows + 8) * 1000);
      }
}

/* Every lane is asked once, also for the sake of the CPU load; overview and losses are asked
 * beside. */
static void
test_queries (Fixture *fixture,
              gconstpointer data)
{
  guint before = fake_recording_get_n_queries (fixture->recording);

  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_cmpuint (fake_recording_get_n_queries (fixture->recording) - before, ==, 16 + 3);

  /* tasks folded: their lanes are asked for the load alone, the idle one is not */
  ts_view_state_set_group_folded (fixture->view, 2, TRUE);
  before = fake_recording_get_n_queries (fixture->recording);
  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_cmpuint (fake_recording_get_n_queries (fixture->recording) - before, ==, 15 + 3);
}

static void
test_coarse (Fixture *fixture,
             gconstpointer data)
{
  g_assert_true (ts_display_list_build (fixture->list, fixture->view, &options));
  g_assert_false (ts_display_list_is_coarse (fixture->list));
  fake_recording_set_coarse (fixture->recording, TRUE);
  g_assert_false (ts_display_list_build (fixture->list, fixture->view, &options));
  g_assert_true (ts_display_list_is_coarse (fixture->list));
}

/* Too late for all lanes: they are asked for less, and the list says so. */
static void
test_late (Fixture *fixture,
           gconstpointer data)
{
  TsDisplayOptions late = options;
  const TsPaintColumn *columns;
  const TsItem *item;
  guint n_lit = 0;

  late.deadline_us = 1;
  fake_recording_set_max_slices (fixture->recording, 0);
  g_assert_false (ts_display_list_build (fixture->list, fixture->view, &late));
  item = find_item (fixture, fixture->scene.log, TS_ITEM_COLUMNS, TS_INK_LANE, 300);
  g_assert_nonnull (item);
  g_assert_cmpuint (item->n, ==, 1000);
  columns = ts_display_list_get_columns (fixture->list) + item->first;
  for (guint i = 0; i < item->n; i++)
    n_lit += columns[i].height[1] > 0;
  /* a message each 5.7 ms, columns of 8 ms: each column lit. The load is 640 to 939 of each 1000
   * µs, summed over the scene 0.7827 */
  g_assert_cmpuint (n_lit, ==, 1000);
  g_assert_true (has_text (fixture, "Load  78.3" NBSP "%"));
  g_assert_true (ts_display_list_build (fixture->list, fixture->view, &options));
  g_assert_true (has_text (fixture, "Load  78.3" NBSP "%"));
}

static void
test_texts (Fixture *fixture,
            gconstpointer data)
{
  ts_view_state_set_visible (fixture->view, scene_ticks (12000), scene_ticks (17250));
  ts_view_state_set_range (fixture->view, scene_ticks (20000), scene_ticks (22413));
  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_true (has_text (fixture, "control"));
  g_assert_true (has_text (fixture, "7"));
  g_assert_true (has_text (fixture, "ADC1_2"));
  g_assert_true (has_text (fixture, "motor_current [A]"));
  g_assert_true (has_text (fixture, "Interrupts"));
  g_assert_true (has_text (fixture, "Overview"));
  g_assert_true (has_text (fixture, "14" NBSP "ms"));
  g_assert_true (has_text (fixture, "28" NBSP "ms"));
  /* 2413 µs x 170 */
  g_assert_true (has_text (fixture, "Δ 2.413" NBSP "ms · 410" THIN "210" NBSP "ticks"));
  g_assert_true (has_text (fixture, "bulk · 3.900" NBSP "ms"));
  g_assert_true (has_text (fixture, "rx overrun"));

  ts_view_state_set_visible (fixture->view, scene_ticks (512300), scene_ticks (17250));
  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_true (has_text (fixture, "0.500 s +"));
  g_assert_true (has_text (fixture, "14" NBSP "ms"));
}

/* A priority that no system has, of a damaged file, leaves the name its room. */
static void
test_wide_priority (Fixture *fixture,
                    gconstpointer data)
{
  guint32 lane = fake_recording_add_lane (fixture->recording, TS_LANE_TASK, TS_OBJECT_TASK, "greedy",
                                          G_MAXINT64);
  const TsItem *items;
  const TsItem *name;
  guint n;

  ts_view_state_set_recording (fixture->view, NULL);
  ts_view_state_set_recording (fixture->view, fixture->recording);
  ts_display_list_build (fixture->list, fixture->view, &options);
  name = find_item (fixture, lane, TS_ITEM_TEXT, TS_INK_TEXT, 20);
  g_assert_nonnull (name);
  g_assert_cmpstr (ts_display_list_get_text (fixture->list, name), ==, "greedy");
  g_assert_cmpfloat (name->width, >, options.label_width / 2);
  items = ts_display_list_get_items (fixture->list, &n);
  for (guint i = 0; i < n; i++)
    if (items[i].type == TS_ITEM_PILL && items[i].ink == TS_INK_PILL)
      g_assert_cmpfloat (items[i].width, <, options.label_width / 2);
  g_assert_nonnull (find_item (fixture, fixture->scene.control, TS_ITEM_PILL, TS_INK_PILL, 80));
}

/* Rows so low that their pills are narrow still show whole numbers; no label of the ruler looks out
 * from under the length of the range. */
static void
test_room (Fixture *fixture,
           gconstpointer data)
{
  const TsItem *items;
  const TsItem *range = NULL;
  guint n_items = 0;
  guint n_pills = 0;
  guint n_labels = 0;

  ts_view_state_set_row_height (fixture->view, 12, 12, 20);
  ts_view_state_set_visible (fixture->view, scene_ticks (12000), scene_ticks (17250));
  ts_view_state_set_range (fixture->view, scene_ticks (19000), scene_ticks (21413));
  ts_display_list_build (fixture->list, fixture->view, &options);
  items = ts_display_list_get_items (fixture->list, &n_items);
  for (guint i = 0; i < n_items; i++)
    {
      const char *text = ts_display_list_get_text (fixture->list, &items[i]);

      if (items[i].type != TS_ITEM_PILL)
        continue;
      if (items[i].ink == TS_INK_ACCENT)
        range = &items[i];
      if (items[i].ink != TS_INK_PILL)
        continue;
      /* figures are about two fifths of a line wide; the painter keeps four pixels on either side */
      g_assert_cmpfloat (items[i].width - 8, >, strlen (text) * options.line_height * 0.4);
      n_pills++;
    }
  g_assert_cmpuint (n_pills, >, 0);
  g_assert_nonnull (range);
  for (guint i = 0; i < n_items; i++)
    {
      const char *text = ts_display_list_get_text (fixture->list, &items[i]);

      if (items[i].type != TS_ITEM_TEXT || items[i].width < 1 || items[i].x < options.label_width
          || items[i].y < options.overview_height
          || items[i].y >= options.overview_height + options.ruler_height)
        continue;
      n_labels++;
      g_assert_true (items[i].x >= range->x + range->width
                     || items[i].x + strlen (text) * options.line_height * 0.3 <= range->x);
    }
  g_assert_cmpuint (n_labels, >, 0);
}

static void
test_losses (Fixture *fixture,
             gconstpointer data)
{
  ts_view_state_set_visible (fixture->view, 0, scene_ticks (20000));
  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_RECT, TS_INK_LOSS, TS_ITEM_GLASS), ==, 1);
  /* two of them in the overview */
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_RECT, TS_INK_LOSS, 0), ==, 3);
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_HATCH, TS_INK_LOSS, 0), ==, 0);
  ts_view_state_fit (fixture->view);
  ts_display_list_build (fixture->list, fixture->view, &options);
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_HATCH, TS_INK_LOSS, 0), ==, 1);
}

static void
test_selection (Fixture *fixture,
                gconstpointer data)
{
  TsSlice slice;

  ts_view_state_set_visible (fixture->view, 0, scene_ticks (10000));
  g_assert_true (ts_recording_find_slice (fixture->recording, fixture->scene.span,
                                          scene_ticks (1000), 0, &slice));
  g_assert_cmpint (slice.begin, ==, scene_ticks (900));
  ts_view_state_select_slice (fixture->view, fixture->scene.span, &slice);
  ts_view_state_set_cursor (fixture->view, scene_ticks (5000));
  ts_display_list_build (fixture->list, fixture->view, &options);
  /* the slice, and the frame of the view in the overview */
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_OUTLINE, TS_INK_ACCENT, 0), ==, 2);
  g_assert_cmpuint (count_inks (fixture, TS_ITEM_RECT, TS_INK_CURSOR, 0), ==, 1);
}

static void
hit (Fixture *fixture,
     double x,
     double y,
     TsHit *result)
{
  ts_display_list_hit (fixture->list, fixture->view, &options, x, y, result);
}

static void
test_hit (Fixture *fixture,
          gconstpointer data)
{
  guint32 control = fixture->scene.control;
  g_autofree char *text = NULL;
  g_autofree char *loss = NULL;
  g_autofree char *value = NULL;
  TsHit result;
  TsSlice slice;

  /* 10 µs per pixel */
  ts_view_state_set_visible (fixture->view, 0, scene_ticks (10000));
  ts_display_list_build (fixture->list, fixture->view, &options);
  hit (fixture, 300, 10, &result);
  g_assert_cmpint (result.part, ==, 1);
  g_assert_cmpint (result.time, ==, scene_ticks (200000));
  hit (fixture, 300, 60, &result);
  g_assert_cmpint (result.part, ==, 2);
  g_assert_cmpint (result.time, ==, scene_ticks (2000));
  hit (fixture, 50, 85, &result);
  g_assert_cmpint (result.part, ==, 5);
  g_assert_cmpint (result.group, ==, 0);
  hit (fixture, 50, get_row_y (fixture, control) + 10, &result);
  g_assert_cmpint (result.part, ==, 3);
  g_assert_cmpuint (result.lane, ==, control);

  g_assert_true (
      ts_recording_find_slice (fixture->recording, control, scene_ticks (1500), 0, &slice));
  g_assert_cmpint (slice.state, ==, TS_STATE_BLOCKED);
  hit (fixture, 250, get_row_y (fixture, control) + 10, &result);
  g_assert_cmpint (result.part, ==, 4);
  g_assert_cmpuint (result.lane, ==, control);
  g_assert_true (result.has_slice);
  g_assert_cmpint (result.slice.begin, ==, slice.begin);
  g_assert_cmpint (result.slice.end, ==, slice.end);
  text = ts_display_list_describe_hit (fixture->view, &result);
  g_assert_true (g_str_has_prefix (text, "control — blocked\nwaits for BusMtx\nat 0.000" THIN));
  g_assert_nonnull (strstr (text, NBSP "ticks"));

  /* the point of a mutex is caught from two pixels away: 40 px */
  hit (fixture, 142, get_row_y (fixture, fixture->scene.mutex) + 10, &result);
  g_assert_true (result.has_slice);
  g_assert_cmpint (result.slice.begin, ==, scene_ticks (400));
  hit (fixture, 146, get_row_y (fixture, fixture->scene.mutex) + 10, &result);
  g_assert_false (result.has_slice);

  ts_view_state_set_visible (fixture->view, scene_ticks (10000), scene_ticks (10000));
  hit (fixture, 563, get_row_y (fixture, control) + 10, &result);
  g_assert_cmpuint (result.lane, ==, TS_LANE_ID_LOSS);
  loss = ts_display_list_describe_hit (fixture->view, &result);
  g_assert_true (g_str_has_prefix (loss, "Packets lost: 93\n"));

  hit (fixture, 800, get_row_y (fixture, fixture->scene.count) + 10, &result);
  value = ts_display_list_describe_hit (fixture->view, &result);
  /* sample 10 of 1700 µs each lies at 17 ms */
  g_assert_true (g_str_has_prefix (value, "queue_fill = 10\n"));

  hit (fixture, 5, 799, &result);
  g_assert_cmpint (result.part, ==, 0);
  hit (fixture, -5, 20, &result);
  g_assert_cmpint (result.part, ==, 0);
  g_assert_null (ts_display_list_describe_hit (fixture->view, &result));
}

/* Headers on the right: what is in the plot moves by the headers' width and keeps its order, headers are
 * mirrored, and a point hits what is drawn there. */
static void
test_mirrored (Fixture *fixture,
               gconstpointer data)
{
  TsDisplayOptions mirrored = options;
  g_autofree TsItem *plain = NULL;
  guint32 control = fixture->scene.control;
  int y = get_row_y (fixture, control) + 10;
  const TsItem *items;
  TsHit expected;
  TsHit result;
  guint n_plain;
  guint n;
  guint n_names = 0;

  mirrored.is_mirrored = TRUE;
  ts_view_state_set_visible (fixture->view, 0, scene_ticks (10000));
  ts_display_list_build (fixture->list, fixture->view, &options);
  items = ts_display_list_get_items (fixture->list, &n_plain);
  plain = g_memdup2 (items, n_plain * sizeof *plain);
  ts_display_list_build (fixture->list, fixture->view, &mirrored);
  items = ts_display_list_get_items (fixture->list, &n);
  g_assert_cmpuint (n, ==, n_plain);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (items[i].type, ==, plain[i].type);
      g_assert_cmpfloat (items[i].y, ==, plain[i].y);
      g_assert_cmpfloat (items[i].width, ==, plain[i].width);
      if (plain[i].type == TS_ITEM_COLUMNS)
        g_assert_cmpfloat (items[i].x, ==, plain[i].x - 100);
      if (items[i].type == TS_ITEM_TEXT &&
          g_str_equal (ts_display_list_get_text (fixture->list, &items[i]), "control") &&
          plain[i].x < 100)
        {
          g_assert_cmpfloat (items[i].x + items[i].width, ==, 1100 - plain[i].x);
          g_assert_cmpint (plain[i].color, ==, 0);
          g_assert_cmpint (items[i].color, ==, 2);
          n_names++;
        }
    }
  g_assert_cmpuint (n_names, ==, 1);

  hit (fixture, 250, y, &expected);
  ts_display_list_hit (fixture->list, fixture->view, &mirrored, 150, y, &result);
  g_assert_cmpint (result.part, ==, 4);
  g_assert_cmpint (result.time, ==, expected.time);
  g_assert_cmpint (result.slice.begin, ==, expected.slice.begin);
  ts_display_list_hit (fixture->list, fixture->view, &mirrored, 1050, y, &result);
  g_assert_cmpint (result.part, ==, 3);
  g_assert_cmpuint (result.lane, ==, control);
  ts_display_list_hit (fixture->list, fixture->view, &mirrored, 200, 10, &result);
  g_assert_cmpint (result.part, ==, 1);
  g_assert_cmpint (result.time, ==, scene_ticks (200000));
}

/* Nested slices are hit in the row they are drawn in. */
static void
test_hit_nested (Fixture *fixture,
                 gconstpointer data)
{
  int y = get_row_y (fixture, fixture->scene.systick);
  TsHit result;

  ts_view_state_set_visible (fixture->view, scene_ticks (500900), scene_ticks (1000));
  ts_display_list_build (fixture->list, fixture->view, &options);
  hit (fixture, 215, y + 3, &result);
  g_assert_true (result.has_slice);
  g_assert_cmpuint (result.slice.depth, ==, 0);
  g_assert_cmpint (result.slice.begin, ==, scene_ticks (500990));
  hit (fixture, 215, y + 17, &result);
  g_assert_true (result.has_slice);
  g_assert_cmpuint (result.slice.depth, ==, 1);
  g_assert_cmpint (result.slice.begin, ==, scene_ticks (501000));
}

/* Scrolled rows end below the ruler, and what is drawn is what is hit. */
static void
test_scrolled (Fixture *fixture,
               gconstpointer data)
{
  TsHit result;

  ts_view_state_set_scroll_y (fixture->view, 100);
  ts_display_list_build (fixture->list, fixture->view, &options);
  hit (fixture, 50, get_row_y (fixture, fixture->scene.control) - 100 + 5, &result);
  g_assert_cmpuint (result.lane, ==, fixture->scene.control);
  hit (fixture, 300, 20, &result);
  g_assert_cmpint (result.part, ==, 1);
}

/* A header that has scrolled away stays on top until the next one pushes it out. */
static void
test_header_stays (Fixture *fixture,
                   gconstpointer data)
{
  const int top = options.overview_height + options.ruler_height;
  const TsViewRow *rows;
  const TsViewRow *first = NULL;
  const TsViewRow *second = NULL;
  TsHit result;
  guint n;

  rows = ts_view_state_get_rows (fixture->view, &n);
  for (guint i = 1; i < n && second == NULL; i++)
    if (rows[i].is_header)
      {
        second = first != NULL ? &rows[i] : NULL;
        first = first != NULL ? first : &rows[i];
      }
  g_assert_nonnull (second);
  g_assert_cmpint (first->height, ==, 16);
  g_assert_cmpuint (first->group, !=, second->group);
  for (int scrolled = first->y; scrolled < second->y; scrolled++)
    {
      /* its full height as long as there is room above the next */
      int left = MIN (second->y - scrolled, 16);

      ts_view_state_set_scroll_y (fixture->view, scrolled);
      ts_display_list_build (fixture->list, fixture->view, &options);
      hit (fixture, 50, top, &result);
      g_assert_cmpint (result.part, ==, 5);
      g_assert_cmpint (result.group, ==, (int) first->group);
      hit (fixture, 50, top + left - 1, &result);
      g_assert_cmpint (result.group, ==, (int) first->group);
      hit (fixture, 50, top + left, &result);
      if (left < 16)
        g_assert_cmpint (result.group, ==, (int) second->group);
      else
        g_assert_true (result.part == 3 || result.group == (int) second->group);
    }
  ts_view_state_set_scroll_y (fixture->view, second->y);
  ts_display_list_build (fixture->list, fixture->view, &options);
  hit (fixture, 50, top, &result);
  g_assert_cmpint (result.group, ==, (int) second->group);
}

/* Nothing there, nothing wide: no crash, no items beyond the ground. */
static void
test_degenerate (void)
{
  g_autoptr (TsViewState) view = ts_view_state_new ();
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  g_autoptr (TsRecording) empty = fake_recording_new (0, 0);
  TsDisplayOptions tiny = { .width = 1, .height = 1, .label_width = 100, .line_height = 1 };
  TsDisplayOptions none = { 0 };
  TsHit result;
  guint n;

  g_assert_true (ts_display_list_build (list, view, &options));
  ts_display_list_get_items (list, &n);
  g_assert_cmpuint (n, ==, 1);
  ts_display_list_hit (list, view, &options, 300, 300, &result);
  g_assert_cmpint (result.part, ==, 0);
  ts_view_state_set_recording (view, empty);
  ts_display_list_build (list, view, &options);
  ts_display_list_build (list, view, &tiny);
  ts_display_list_build (list, view, &none);
  ts_display_list_hit (list, view, &tiny, 0, 0, &result);
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/draw/display-list/shapes", test_shapes);
  g_test_add_func ("/draw/display-list/one-tick", test_one_tick);
  g_test_add_func ("/draw/display-list/crowd", test_crowd);
#define ADD(path, data, function) g_test_add (path, Fixture, data, set_up, function, tear_down)
  ADD ("/draw/display-list/bounds/slices", GUINT_TO_POINTER (G_MAXUINT), test_bounds);
  ADD ("/draw/display-list/bounds/some", GUINT_TO_POINTER (1000), test_bounds);
  ADD ("/draw/display-list/bounds/columns", GUINT_TO_POINTER (0), test_bounds);
  ADD ("/draw/display-list/queries", NULL, test_queries);
  ADD ("/draw/display-list/coarse", NULL, test_coarse);
  ADD ("/draw/display-list/late", NULL, test_late);
  ADD ("/draw/display-list/texts", NULL, test_texts);
  ADD ("/draw/display-list/room", NULL, test_room);
  ADD ("/draw/display-list/wide-priority", NULL, test_wide_priority);
  ADD ("/draw/display-list/losses", NULL, test_losses);
  ADD ("/draw/display-list/selection", NULL, test_selection);
  ADD ("/draw/display-list/hit", NULL, test_hit);
  ADD ("/draw/display-list/mirrored", NULL, test_mirrored);
  ADD ("/draw/display-list/hit-nested", NULL, test_hit_nested);
  ADD ("/draw/display-list/scrolled", NULL, test_scrolled);
  ADD ("/draw/display-list/header-stays", NULL, test_header_stays);
  g_test_add_func ("/draw/display-list/degenerate", test_degenerate);
  return g_test_run ();
}
