/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole way down: events through the recording writer, the display list of what comes back,
 * live and closed.
 *
 * Each period of 1000 ticks (1 ms): High runs 200, Low runs 400 with an interrupt of 20 in it, then
 * idle.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

#include "ui/draw/ts-painter.h"

#define N_PERIODS 5000
#define START TS_EVENT_FLAG_START
#define END TS_EVENT_FLAG_END

static const TsDisplayOptions options = {
  .width = 1100,
  .height = 600,
  .label_width = 100,
  .overview_height = 50,
  .ruler_height = 30,
  .line_height = 14,
  .pointer_x = -1,
  .pointer_y = -1,
};

typedef struct
{
  guint32 high;
  guint32 low;
  guint32 idle;
  guint32 isr;
  guint32 value;
} Ids;

static guint32
define (TsEventSink *sink,
        TsObjectType type,
        const char *name,
        gint64 priority,
        int wire_id)
{
  g_autofree char *copy = g_strdup (name);
  TsObject object = TS_OBJECT_INIT;

  object.type = type;
  object.name = copy;
  object.priority = object.base_priority = priority;
  object.wire_id = wire_id;
  object.is_named = TRUE;
  object.is_idle = strcmp (name, "IDLE") == 0;
  return sink->iface->define_object (sink, &object);
}

static void
push_period (TsEventSink *sink,
             const Ids *ids,
             gint64 t)
{
  union { double d; gint64 i; } value = { .d = (double) (t / 1000 % 10) };
  const TsEvent events[] = {
    { t, ids->high, TS_EVENT_TASK_SWITCH, 0, START, 0, 0 },
    { t + 100, ids->value, TS_EVENT_FLOAT_TRACE, 0, TS_EVENT_FLAG_FLOAT, value.i, 0 },
    { t + 200, ids->high, TS_EVENT_TASK_SWITCH, 0, END, 0, 0 },
    { t + 200, ids->low, TS_EVENT_TASK_SWITCH, 0, START, 0, 0 },
    { t + 300, ids->isr, TS_EVENT_ISR, 0, START, 0, 0 },
    { t + 320, ids->isr, TS_EVENT_ISR, 0, END, 0, 0 },
    { t + 600, ids->low, TS_EVENT_TASK_SWITCH, 0, END, 0, 0 },
    { t + 600, ids->idle, TS_EVENT_TASK_SWITCH, 0, START, 0, 0 },
    { t + 1000, ids->idle, TS_EVENT_TASK_SWITCH, 0, END, 0, 0 },
  };

  sink->iface->events (sink, events, G_N_ELEMENTS (events));
}

static void
define_all (TsEventSink *sink,
            Ids *ids)
{
  sink->iface->set_clock (sink, 1000000);
  sink->iface->set_info (sink, "os", "FreeRTOS");
  ids->high = define (sink, TS_OBJECT_TASK, "High", 6, 1);
  ids->low = define (sink, TS_OBJECT_TASK, "Low", 2, 2);
  ids->idle = define (sink, TS_OBJECT_TASK, "IDLE", 0, 3);
  ids->isr = define (sink, TS_OBJECT_ISR, "SysTick", TS_OBJECT_UNKNOWN, 15);
  ids->value = define (sink, TS_OBJECT_USER_TRACE, "speed", TS_OBJECT_UNKNOWN, 1);
}

static guint32
find_lane (TsRecording *recording,
           const char *name)
{
  guint n;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n);

  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (lanes[i].name, name) == 0)
      return lanes[i].id;
  g_error ("no lane %s", name);
}

/* Top and bottom of a lane's row. */
static void
find_row (TsViewState *view,
          guint32 lane,
          int *top,
          int *bottom)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (view, &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header && rows[i].lane == lane)
      {
        *top = rows[i].y + options.overview_height + options.ruler_height;
        *bottom = *top + rows[i].height;
        return;
      }
  g_error ("no row of lane %u", lane);
}

static const TsItem *
find_item (TsDisplayList *list,
           TsViewState *view,
           guint32 lane,
           TsItemType type,
           TsInk ink,
           guint place)
{
  int top, bottom;
  guint n;
  const TsItem *items = ts_display_list_get_items (list, &n);

  find_row (view, lane, &top, &bottom);
  for (guint i = 0; i < n; i++)
    if (items[i].type == type && items[i].ink == ink && items[i].y >= top
        && items[i].y + items[i].height <= bottom && place-- == 0)
      return &items[i];
  return NULL;
}

static gboolean
has_text (TsDisplayList *list,
          const char *text)
{
  guint n;
  const TsItem *items = ts_display_list_get_items (list, &n);

  for (guint i = 0; i < n; i++)
    if (strcmp (ts_display_list_get_text (list, &items[i]), text) == 0)
      return TRUE;
  return FALSE;
}

/* One pixel is one tick. */
static void
check_close_up (TsRecording *recording,
                TsViewState *view,
                TsDisplayList *list,
                gint64 begin)
{
  const TsItem *item;

  ts_view_state_set_visible (view, begin, 1000);
  g_assert_true (ts_display_list_build (list, view, &options));
  item = find_item (list, view, find_lane (recording, "High"), TS_ITEM_RECT, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  g_assert_cmpfloat (item->x, ==, 100);
  g_assert_cmpfloat (item->width, ==, 200);
  item = find_item (list, view, find_lane (recording, "Low"), TS_ITEM_RECT, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  g_assert_cmpfloat (item->x, ==, 300);
  g_assert_cmpfloat (item->width, ==, 400);
  item = find_item (list, view, find_lane (recording, "ISR:SysTick"), TS_ITEM_RECT, TS_INK_ISR, 0);
  g_assert_nonnull (item);
  g_assert_cmpfloat (item->x, ==, 400);
  g_assert_cmpfloat (item->width, ==, 20);
  g_assert_nonnull (
      find_item (list, view, find_lane (recording, "speed"), TS_ITEM_POLYLINE, TS_INK_LANE, 0));
  g_assert_true (has_text (list, "CPU 0  60.0\302\240%"));
}

static void
check_whole (TsRecording *recording,
             TsViewState *view,
             TsDisplayList *list)
{
  const TsPaintColumn *high, *low, *load;
  const TsItem *item;
  int top, bottom;

  ts_view_state_set_visible (view, 0, N_PERIODS * 1000);
  /* twice: a lane known to be dense is asked in another way, for the same picture */
  ts_display_list_build (list, view, &options);
  g_assert_true (ts_display_list_build (list, view, &options));
  item = find_item (list, view, find_lane (recording, "High"), TS_ITEM_COLUMNS, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  high = ts_display_list_get_columns (list) + item->first;
  item = find_item (list, view, find_lane (recording, "Low"), TS_ITEM_COLUMNS, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  low = ts_display_list_get_columns (list) + item->first;
  find_row (view, find_lane (recording, "CPU 0"), &top, &bottom);
  item = find_item (list, view, find_lane (recording, "CPU 0"), TS_ITEM_COLUMNS, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  load = ts_display_list_get_columns (list) + item->first;
  for (guint i = 5; i < 995; i++)
    {
      /* 0.2 and 0.4 of 255 */
      g_assert_cmpint (ABS (high[i].height[0] - 51), <=, 4);
      g_assert_cmpint (ABS (low[i].height[0] - 102), <=, 4);
      /* High, Low net of the interrupt, the interrupt: 0.2, 0.38, 0.02 */
      g_assert_cmpint (ABS (load[i].height[0] - 51), <=, 4);
      g_assert_cmpint (ABS (load[i].height[1] - 97), <=, 5);
      g_assert_cmpint (ABS (load[i].height[2] - 5), <=, 2);
      g_assert_cmpuint (load[i].ink[2], ==, TS_INK_ISR);
    }
  g_assert_true (has_text (list, "CPU 0  60.0\302\240%"));
}

static void
test_both (void)
{
  g_autofree char *folder = g_dir_make_tmp ("draw-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.vadb", NULL);
  g_autofree char *picture_path = g_build_filename (folder, "a.png", NULL);
  const TsWriterOptions writer_options = { .live = TRUE };
  const TsPictureOptions picture = { .format = "png", .t_start_us = -1, .t_end_us = -1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (path, &writer_options, &error);
  g_autoptr (TsRecording) live = NULL;
  g_autoptr (TsRecording) closed = NULL;
  g_autoptr (TsViewState) view = ts_view_state_new ();
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  TsEventSink *sink;
  Ids ids;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  define_all (sink, &ids);
  live = ts_recording_open_live (writer, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < N_PERIODS; i++)
    push_period (sink, &ids, i * 1000);
  g_assert_true (ts_recording_writer_tick (writer, TRUE, &error));
  ts_recording_refresh (live);
  ts_view_state_set_recording (view, live);
  g_assert_true (ts_view_state_is_following (view));
  check_close_up (live, view, list, 7000);
  check_close_up (live, view, list, (N_PERIODS - 2) * 1000);
  check_whole (live, view, list);

  g_assert_true (ts_recording_writer_close (writer, "test", &error));
  g_assert_no_error (error);
  closed = ts_recording_open (path, &error);
  g_assert_no_error (error);
  ts_view_state_set_recording (view, closed);
  g_assert_false (ts_view_state_is_following (view));
  check_close_up (closed, view, list, 7000);
  check_whole (closed, view, list);
  g_assert_true (ts_picture_export (closed, picture_path, &picture, &error));
  g_assert_no_error (error);
  g_unlink (picture_path);
  g_unlink (path);
  g_rmdir (folder);
}

static void
make_closed (const char *path,
             guint n_periods)
{
  const TsWriterOptions writer_options = { .live = FALSE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecordingWriter) writer = ts_recording_writer_new (path, &writer_options, &error);
  TsEventSink *sink;
  Ids ids;

  g_assert_no_error (error);
  sink = ts_recording_writer_get_sink (writer);
  define_all (sink, &ids);
  for (gint64 i = 0; i < n_periods; i++)
    push_period (sink, &ids, i * 1000);
  g_assert_true (ts_recording_writer_close (writer, "test", &error));
  g_assert_no_error (error);
}

static void
wait_for_worker (TsRecording *recording)
{
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (ts_recording_is_fetching (recording))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      ts_recording_take_fetched (recording);
      g_thread_yield ();
    }
}

/* Shows a part until it is whole, and what the worker does ahead is done. */
static void
show_whole (TsRecording *recording,
            TsViewState *view,
            TsDisplayList *list,
            const TsDisplayOptions *patient,
            gint64 begin,
            gint64 span)
{
  guint n_builds = 0;

  ts_view_state_set_visible (view, begin, span);
  while (!ts_display_list_build (list, view, patient))
    {
      g_assert_cmpuint (n_builds++, <, 20);
      wait_for_worker (recording);
    }
  wait_for_worker (recording);
}

/* A screen to either side is there before it is asked for; a place further away is shown coarse at
 * once, with something in all of it, and whole soon. The time of a frame has no part in it: a frame
 * reads nothing. */
static void
test_ahead (void)
{
  const gint64 span = 600 * 1000;
  g_autofree char *folder = g_dir_make_tmp ("draw-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "ahead.vadb", NULL);
  TsDisplayOptions patient = options;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (TsViewState) view = ts_view_state_new ();
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  const TsPaintColumn *columns;
  const TsItem *item;

  patient.deadline_us = 60 * G_USEC_PER_SEC;
  make_closed (path, 60000);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  ts_recording_read_coarse (recording);
  ts_recording_start_fetching (recording, NULL, NULL);
  ts_view_state_set_recording (view, recording);

  show_whole (recording, view, list, &patient, 10 * 1000 * 1000, span);
  ts_view_state_set_visible (view, 10 * 1000 * 1000 + span, span);
  g_assert_true (ts_display_list_build (list, view, &patient));
  show_whole (recording, view, list, &patient, 30 * 1000 * 1000, span);
  ts_view_state_set_visible (view, 30 * 1000 * 1000 - span, span);
  g_assert_true (ts_display_list_build (list, view, &patient));

  ts_view_state_set_visible (view, 50 * 1000 * 1000, span);
  g_assert_false (ts_display_list_build (list, view, &patient));
  item = find_item (list, view, find_lane (recording, "High"), TS_ITEM_COLUMNS, TS_INK_LANE, 0);
  g_assert_nonnull (item);
  columns = ts_display_list_get_columns (list) + item->first;
  for (guint i = 0; i < item->n; i++)
    g_assert_cmpuint (columns[i].height[0], >, 0);
  show_whole (recording, view, list, &patient, 50 * 1000 * 1000, span);
  ts_recording_stop_fetching (recording);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/draw/recorded/live-and-closed", test_both);
  g_test_add_func ("/draw/recorded/ahead", test_ahead);
  return g_test_run ();
}
