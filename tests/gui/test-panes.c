/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "model/ts-comms.h"

#include "ui/ts-event-list.h"
#include "ui/ts-lane-finder.h"
#include "ui/ts-report.h"
#include "ui/ts-search-ask.h"
#include "ui/ts-search-bar.h"
#include "ui/ts-session.h"
#include "ui/ts-table.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

/* The page of the tab shown. */
static TsReport *
get_report (TsWindow *window)
{
  GtkWidget *stack = gui_test_find (GTK_WIDGET (window), GTK_TYPE_STACK_SWITCHER);

  stack = GTK_WIDGET (gtk_stack_switcher_get_stack (GTK_STACK_SWITCHER (stack)));
  return TS_REPORT (gtk_stack_get_visible_child (GTK_STACK (stack)));
}

static gboolean
is_idle (gpointer report)
{
  return !ts_report_is_busy (report);
}

static TsReport *
show_report (TsWindow *window,
             const char *tab)
{
  TsReport *report;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-tab", "s", tab);
  report = get_report (window);
  gui_test_wait (is_idle, report);
  return report;
}

static guint
find_row (TsTable *table,
          guint column,
          const char *text)
{
  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    if (g_str_equal (gui_test_get_cell (table, i, column), text))
      return i;
  g_assert_not_reached ();
}

/* It may come from the file. */
static gboolean
has_slice (gpointer view)
{
  TsSlice slice;

  return ts_view_state_get_selected_slice (view, &slice);
}

/* Statistics come, follow the range, sort, and a maximum leads to its run. */
static void
test_statistics (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsReport *report = show_report (window, "statistics");
  TsTable *table = ts_report_get_table (report);
  TsSlice slice;
  guint n = ts_table_get_n_rows (table);
  guint row;
  g_autofree char *runs = NULL;

  g_assert_cmpuint (n, >=, 5);
  row = find_row (table, 0, "Ctrl");
  runs = g_strdup (gui_test_get_cell (table, row, 3));
  g_assert_cmpstr (runs, !=, "");
  /* five figures of its run, five of its response, and the period */
  for (guint i = 4; i < 16; i++)
    g_assert_cmpstr (gui_test_get_cell (table, row, i), !=, "");

  /* its longest run: in view, selected, running */
  ts_table_activate (table, row, 8);
  gui_test_wait (has_slice, view);
  g_assert_true (ts_view_state_get_selected_slice (view, &slice));
  g_assert_cmpint (slice.state, ==, TS_STATE_RUNNING);
  g_assert_cmpint (ts_view_state_get_selected_lane (view), ==,
                   gui_test_get_place (table, row).lane);
  g_assert_cmpint (slice.begin, >=, ts_view_state_get_begin (view));
  g_assert_cmpint (slice.end, <=,
                   ts_view_state_get_begin (view) + ts_view_state_get_span (view));

  /* a tenth of the time: fewer runs */
  ts_view_state_set_range (view, 20000000, 25000000);
  g_assert_true (ts_report_is_busy (report));
  gui_test_wait (is_idle, report);
  row = find_row (table, 0, "Ctrl");
  g_assert_cmpstr (gui_test_get_cell (table, row, 3), !=, runs);

  /* by name */
  ts_table_sort (table, 0, GTK_SORT_ASCENDING);
  for (guint i = 1; i < ts_table_get_n_rows (table); i++)
    g_assert_cmpint (g_utf8_collate (gui_test_get_cell (table, i - 1, 0),
                                     gui_test_get_cell (table, i, 0)),
                     <=, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_communication (void)
{
  g_autofree char *path = gui_test_make_demo (20000);
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsTable *table = ts_report_get_table (show_report (window, "communication"));

  g_assert_cmpuint (ts_table_get_n_rows (table), >, 0);
  ts_table_activate (table, 0, -1);
  g_assert_cmpint (ts_view_state_get_cursor (view), >=, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_findings (gpointer report)
{
  return !ts_report_is_busy (report) && ts_report_get_n_findings (report) > 0;
}

/* The tab says how many there are before anybody has looked; a range shows only its own. */
static void
test_findings_badge (void)
{
  g_autofree char *path = gui_test_make_demo (200000);
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  GtkWidget *switcher = gui_test_find (GTK_WIDGET (window), GTK_TYPE_STACK_SWITCHER);
  GtkStack *stack = gtk_stack_switcher_get_stack (GTK_STACK_SWITCHER (switcher));
  TsReport *report = TS_REPORT (gtk_stack_get_child_by_name (stack, "findings"));
  GtkStackPage *page = gtk_stack_get_page (stack, GTK_WIDGET (report));
  g_autofree char *title = NULL;
  guint n;
  guint n_inside = 0;
  gint64 begin;

  gui_test_wait (has_findings, report);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (report)));
  n = ts_report_get_n_findings (report);
  title = g_strdup_printf ("Findings %u", n);
  g_assert_cmpstr (gtk_stack_page_get_title (page), ==, title);
  g_assert_cmpuint (ts_table_get_n_rows (ts_report_get_table (report)), ==, n);

  begin = gui_test_get_place (ts_report_get_table (report), 0).begin;
  g_assert_cmpint (begin, >=, 0);
  for (guint i = 0; i < n; i++)
    {
      TsTablePlace other = gui_test_get_place (ts_report_get_table (report), i);

      n_inside += other.begin < begin + 10 && MAX (other.end, other.begin + 1) > begin;
    }
  ts_view_state_set_range (view, begin, begin + 10);
  g_assert_cmpuint (ts_table_get_n_rows (ts_report_get_table (report)), ==, n_inside);
  g_assert_cmpuint (ts_report_get_n_findings (report), ==, n);
  gtk_window_destroy (GTK_WINDOW (window));
}

typedef struct
{
  TsViewState *view;
  gint64 tick;
} Arrival;

static gboolean
has_arrived (gpointer user_data)
{
  Arrival *arrival = user_data;

  return ts_view_state_get_cursor (arrival->view) == arrival->tick;
}

/* From a give to its take and back, as the model pairs them; from the take to the task that took. */
static void
test_links (void)
{
  g_autofree char *path = gui_test_make_demo (60000);
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  g_autoptr (TsComms) comms = ts_comms_new (recording, 0, G_MAXINT64, 0, NULL, NULL);
  const TsPath *found = NULL;
  Arrival arrival = { view, 0 };

  /* the slowest transfer through a queue or semaphore that is a lane */
  for (guint i = 0; i < comms->paths->len && found == NULL; i++)
    {
      const TsPath *it = &g_array_index (comms->paths, TsPath, i);
      const TsLaneInfo *lane = ts_recording_get_lane (recording, it->resource);
      TsObjectType type = ts_recording_get_object (recording, it->resource)->type;

      if (!it->is_notification && it->max > 0 && it->producer != 0 && lane != NULL &&
          lane->kind == TS_LANE_OBJECT && (type == TS_OBJECT_QUEUE || type == TS_OBJECT_BINARY_SEM ||
                                           type == TS_OBJECT_COUNTING_SEM))
        found = it;
    }
  g_assert_nonnull (found);
  ts_view_state_select_lane (view, found->resource);
  ts_view_state_set_cursor (view, found->max_begin);
  gtk_widget_activate_action (timeline, "timeline.link", "i", 1);
  arrival.tick = found->max_end;
  gui_test_wait (has_arrived, &arrival);
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), ==, found->resource);
  gtk_widget_activate_action (timeline, "timeline.link", "i", -1);
  arrival.tick = found->max_begin;
  gui_test_wait (has_arrived, &arrival);
  ts_view_state_select_lane (view, found->resource);
  ts_view_state_set_cursor (view, found->max_end);
  gtk_widget_activate_action (timeline, "timeline.link", "i", 1);
  gui_test_settle (timeline);
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), ==, found->consumer);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Each has a place and a reason, a click goes there, and it is hatched on the timeline. */
static void
test_findings (void)
{
  g_autofree char *path = gui_test_make_demo (200000);
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsTable *table = ts_report_get_table (show_report (window, "findings"));
  guint n_spans;
  gint64 begin;
  gint64 end;

  g_assert_cmpuint (ts_table_get_n_rows (table), >, 0);
  for (guint i = 0; i < ts_table_get_n_rows (table); i++)
    {
      g_autoptr (TsTableRow) row = ts_table_get_row (table, i);

      g_test_message ("%s: %s", ts_table_row_get_text (row, 1), ts_table_row_get_text (row, 4));
      g_assert_true (ts_table_row_get_place (row, &begin, &end));
      g_assert_cmpint (end, >=, begin);
      g_assert_cmpstr (ts_table_row_get_text (row, 4), !=, "");
    }
  ts_view_state_get_findings (view, &n_spans);
  g_assert_cmpuint (n_spans, >, 0);
  ts_table_activate (table, 0, -1);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, gui_test_get_place (table, 0).begin);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_found (gpointer bar)
{
  return !ts_search_bar_is_busy (bar);
}

/* Hits are counted as brute force counts them, stepped through, and turned into a filter. */
static void
keep_filtered (gpointer result,
               const GError *error,
               gpointer user_data)
{
  *(TsFiltered **) user_data = result;
}

static gboolean
has_filtered (gpointer filtered)
{
  return *(TsFiltered **) filtered != NULL;
}

/* Of more than can be listed the first ones are, the rest is counted, and no lane counts as one
 * without a hit. */
static void
test_filtered_part (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (TsRecording) recording = ts_recording_open (path, NULL);
  g_autoptr (TsWorker) worker = ts_worker_new ("test");
  guint64 n_rows = ts_recording_get_n_rows (recording);
  g_autofree TsEvent *events = g_new (TsEvent, n_rows);
  const guint most[] = { 7, G_MAXINT32 };
  guint n_read;

  ts_worker_set_recording (worker, recording);
  g_assert_true (ts_recording_read_events (recording, 1, (guint) n_rows, events, &n_read, NULL));
  for (guint k = 0; k < G_N_ELEMENTS (most); k++)
    {
      TsFiltered *filtered = NULL;
      guint n = 0;

      ts_search_ask_filtered (worker, "kind:task_switch", most[k], keep_filtered, &filtered);
      gui_test_wait (has_filtered, &filtered);
      for (guint i = 0; i < n_read; i++)
        if (events[i].kind == TS_EVENT_TASK_SWITCH)
          {
            if (n < most[k])
              g_assert_cmpuint (g_array_index (filtered->rows, guint64, n), ==, i + 1);
            n++;
          }
      g_assert_cmpuint (n, >, 100);
      g_assert_cmpuint (filtered->n_found, ==, n);
      g_assert_cmpuint (filtered->rows->len, ==, MIN (n, most[k]));
      g_assert_true ((filtered->lanes != NULL) == (n <= most[k]));
      ts_filtered_free (filtered);
    }
}

static void
test_search (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  TsSearchBar *bar = TS_SEARCH_BAR (gui_test_find (GTK_WIDGET (window), TS_TYPE_SEARCH_BAR));
  TsEventList *list = TS_EVENT_LIST (gui_test_find (GTK_WIDGET (window), TS_TYPE_EVENT_LIST));
  GListModel *model = G_LIST_MODEL (ts_event_list_get_model (list));
  guint64 n_rows = ts_recording_get_n_rows (recording);
  g_autofree TsEvent *events = g_new (TsEvent, n_rows);
  const TsViewRow *rows;
  gint64 first = -1;
  gint64 second = -1;
  guint64 n = 0;
  guint n_read;
  guint n_hits;
  Arrival arrival = { view, 0 };

  g_assert_true (ts_recording_read_events (recording, 1, (guint) n_rows, events, &n_read, NULL));
  for (guint i = 0; i < n_read; i++)
    {
      const TsObject *object = ts_recording_get_object (recording, events[i].object);

      if (object == NULL || !g_str_equal (object->name, "Ctrl") ||
          events[i].kind != TS_EVENT_TASK_SWITCH)
        continue;
      n++;
      if (first < 0)
        first = events[i].time;
      else if (second < 0)
        second = events[i].time;
    }
  g_assert_cmpuint (n, >, 10);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.search", NULL);
  ts_search_bar_set_text (bar, "lane:ctrl kind:task_switch");
  /* the first one is there before all of them are */
  g_assert_true (ts_search_bar_is_busy (bar));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-hit", NULL);
  arrival.tick = first;
  gui_test_wait (has_arrived, &arrival);
  ts_view_state_set_cursor (view, -1);
  gui_test_wait (is_found, bar);
  g_assert_cmpuint (ts_search_bar_get_n_found (bar), ==, n);
  ts_view_state_get_hits (view, &n_hits);
  g_assert_cmpuint (n_hits, >, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-hit", NULL);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, first);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-hit", NULL);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, second);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-hit", NULL);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, first);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.filter-by-search", NULL);
  gui_test_wait (is_found, bar);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n);
  rows = ts_view_state_get_rows (view, &n_hits);
  for (guint i = 0; i < n_hits; i++)
    if (!rows[i].is_header)
      {
        const TsLaneInfo *lane = ts_recording_get_lane (recording, rows[i].lane);

        g_assert_true (lane->kind == TS_LANE_CPU || g_str_equal (lane->name, "Ctrl"));
      }
  /* for one of the two only */
  ts_search_bar_set_scope (bar, TS_FILTER_LIST);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n);
  ts_view_state_get_rows (view, &n_read);
  g_assert_cmpuint (n_read, >, n_hits);
  ts_search_bar_set_scope (bar, TS_FILTER_TIMELINE);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n_rows);
  ts_view_state_get_rows (view, &n_read);
  g_assert_cmpuint (n_read, ==, n_hits);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.clear-filters", NULL);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, n_rows);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Slices by their length, and what cannot be understood is said. */
static void
test_search_conditions (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  g_autoptr (TsSearch) search = ts_search_new ("lane:Ctrl dur>=100us", &error);
  g_autoptr (TsSearchResult) result = NULL;
  const TsLaneInfo *lanes;
  TsSlice slice;
  gint64 time = -1;
  guint n_lanes;
  guint n = 0;
  guint32 ctrl = 0;

  g_assert_no_error (error);
  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    if (g_str_equal (lanes[i].name, "Ctrl"))
      ctrl = lanes[i].id;
  while (ts_recording_next_slice (recording, ctrl, time, 1, &slice) && slice.begin > time)
    {
      time = slice.begin;
      /* 100 us of 25 MHz */
      if (slice.state == TS_STATE_RUNNING && slice.end - slice.begin >= 2500)
        n++;
    }
  result = ts_search_run (search, recording, 1000000, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (result->are_slices);
  g_assert_cmpuint (result->n_found, ==, n);
  g_assert_null (ts_search_new ("dur>long", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
}

static void
test_lane_finder (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  GtkWidget *finder = gui_test_find (GTK_WIDGET (window), TS_TYPE_LANE_FINDER);
  const TsLaneInfo *lane;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.find-lane", NULL);
  ts_lane_finder_set_text (TS_LANE_FINDER (finder), "ctr");
  ts_lane_finder_choose (TS_LANE_FINDER (finder));
  lane = ts_recording_get_lane (recording, ts_view_state_get_selected_lane (view));
  g_assert_nonnull (lane);
  g_assert_cmpstr (lane->name, ==, "Ctrl");

  /* Return right after the last letter is about all of them */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.find-lane", NULL);
  gtk_editable_set_text (GTK_EDITABLE (gui_test_find (finder, GTK_TYPE_SEARCH_ENTRY)), "hog");
  ts_lane_finder_choose (TS_LANE_FINDER (finder));
  lane = ts_recording_get_lane (recording, ts_view_state_get_selected_lane (view));
  g_assert_cmpstr (lane->name, ==, "Hog");
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_gone (gpointer user_data)
{
  return *(gpointer *) user_data == NULL;
}

/* What was seen, hidden, marked and filtered is there again when the recording is opened again. */
static void
test_session (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsSearchBar *bar = TS_SEARCH_BAR (gui_test_find (GTK_WIDGET (window), TS_TYPE_SEARCH_BAR));
  gpointer alive = window;
  const TsLaneInfo *lanes;
  const gint64 *marks;
  guint n;
  gint64 begin;
  gint64 end;

  ts_view_state_set_visible (view, 10000000, 5000000);
  ts_view_state_set_range (view, 11000000, 12000000);
  ts_view_state_set_second_cursor (view, 11100000);
  lanes = ts_recording_get_lanes (ts_view_state_get_recording (view), &n);
  ts_view_state_set_lane_hidden (view, lanes[n - 1].id, TRUE);
  ts_view_state_set_cursor (view, 13000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "here it stalls");
  ts_view_state_set_cursor (view, 12500000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "");
  ts_search_bar_add_filter (bar, "kind:task_switch");
  ts_search_bar_add_filter (bar, " kind:task_switch"); /* once is enough */
  gui_test_wait (is_found, bar);
  g_object_add_weak_pointer (G_OBJECT (window), &alive);
  gtk_window_close (GTK_WINDOW (window));
  gui_test_wait (is_gone, &alive);

  window = window_fixture_open (path);
  view = ts_window_get_view (window);
  bar = TS_SEARCH_BAR (gui_test_find (GTK_WIDGET (window), TS_TYPE_SEARCH_BAR));
  g_assert_cmpint (ts_view_state_get_begin (view), ==, 10000000);
  g_assert_cmpint (ts_view_state_get_span (view), ==, 5000000);
  g_assert_true (ts_view_state_get_range (view, &begin, &end));
  g_assert_cmpint (begin, ==, 11000000);
  g_assert_cmpint (end, ==, 12000000);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 12500000);
  g_assert_cmpint (ts_view_state_get_second_cursor (view), ==, 11100000);
  g_assert_cmpuint (ts_view_state_get_n_hidden (view), ==, 1);
  marks = ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (marks[0], ==, 12500000);
  g_assert_cmpint (marks[1], ==, 13000000);
  g_assert_cmpstr (ts_search_bar_get_filters (bar)[0], ==, "kind:task_switch");
  g_assert_null (ts_search_bar_get_filters (bar)[1]);
  gui_test_wait (is_found, bar);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-mark", NULL);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 13000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.remove-mark", NULL);
  ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

typedef struct
{
  TsEventList *list;
  guint64 row;
} Choice;

static gboolean
is_chosen (gpointer user_data)
{
  Choice *choice = user_data;

  return ts_event_list_get_selected_row (choice->list) == choice->row;
}

static void
close_window (TsWindow *window)
{
  gpointer alive = window;

  g_object_add_weak_pointer (G_OBJECT (window), &alive);
  gtk_window_close (GTK_WINDOW (window));
  gui_test_wait (is_gone, &alive);
}

/* The event that was chosen is chosen again, also where several have its tick. The main thread reads
 * nothing for that. */
static void
test_session_event (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  guint64 row = 2;
  TsEvent events[2] = { 0 };
  guint64 n_reads;
  Choice choice;
  guint n;

  do
    g_assert_true (ts_recording_read_events (recording, ++row, 2, events, &n, NULL) && n == 2);
  while (events[0].time != events[1].time || events[0].time == 0);
  ts_view_state_set_cursor (view, events[0].time);
  ts_view_state_set_event (view, row, events[0].time);
  close_window (window);

  n_reads = gui_test_count_opening_reads (path);
  for (guint i = 0; i < 2; i++)
    {
      window = window_fixture_open (path);
      recording = ts_view_state_get_recording (ts_window_get_view (window));
      /* the window has read nothing by itself since the worker that opens gave it the recording */
      g_assert_cmpuint (ts_recording_get_n_reads (recording), ==, n_reads);
      g_assert_cmpuint (ts_view_state_get_event (ts_window_get_view (window)), ==, 0);
      /* a window that goes before the event has come forgets nothing */
      if (i == 0)
        close_window (window);
    }
  choice.list = TS_EVENT_LIST (gui_test_find (GTK_WIDGET (window), TS_TYPE_EVENT_LIST));
  choice.row = row;
  gui_test_wait (is_chosen, &choice);
  g_assert_cmpuint (ts_view_state_get_event (ts_window_get_view (window)), ==, row);
  g_assert_cmpuint (ts_recording_get_n_reads (recording), ==, n_reads);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A mark goes where the user looks: to the cursor only while that is seen. */
static void
test_mark_place (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  gint64 duration = ts_recording_get_duration (ts_view_state_get_recording (view));
  GtkEventController *motion;
  const gint64 *marks;
  gint64 begin;
  guint n;

  gtk_test_widget_wait_for_draw (timeline);
  motion = gui_test_find_controller (timeline, GTK_TYPE_EVENT_CONTROLLER_MOTION, 0);
  g_signal_emit_by_name (motion, "leave");
  ts_view_state_set_visible (view, 1000000, 100000);
  ts_view_state_set_cursor (view, 1030000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "at the cursor");
  /* the last 100000 ticks: the cursor is far outside, the middle 50000 before the end */
  gtk_widget_activate_action (timeline, "timeline.to-end", NULL);
  g_assert_cmpint (ts_view_state_get_begin (view), ==, duration - 100000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "in the middle");
  marks = ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (marks[0], ==, 1030000);
  g_assert_cmpint (marks[1], ==, duration - 50000);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 1030000);

  /* on the ruler, at the right edge: less than a pixel of some hundreds before the end */
  ts_view_state_set_visible (view, 3000000, 100000);
  begin = ts_view_state_get_begin (view);
  ts_view_state_select_lane (view, 0);
  g_signal_emit_by_name (motion, "motion", gtk_widget_get_width (timeline) - 1.0, 50.0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.mark-as", "s", "at the pointer");
  marks = ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpint (marks[1], >, begin + 99000);
  g_assert_cmpint (marks[1], <, begin + 100000);

  /* the one that is pointed at goes, though no cursor is there; away from all nothing goes; then
   * the one beside the cursor, which is a few pixels off */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.remove-mark", NULL);
  marks = ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (marks[1], ==, duration - 50000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.remove-mark", NULL);
  ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 2);
  g_signal_emit_by_name (motion, "leave");
  ts_view_state_set_visible (view, 1000000, 100000);
  ts_view_state_set_cursor (view, 1030200);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.remove-mark", NULL);
  marks = ts_view_state_get_marks (view, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (marks[0], ==, duration - 50000);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/panes/statistics", test_statistics);
  g_test_add_func ("/gui/panes/communication", test_communication);
  g_test_add_func ("/gui/panes/findings", test_findings);
  g_test_add_func ("/gui/panes/links", test_links);
  g_test_add_func ("/gui/panes/findings-badge", test_findings_badge);
  g_test_add_func ("/gui/panes/search", test_search);
  g_test_add_func ("/gui/panes/filtered-part", test_filtered_part);
  g_test_add_func ("/gui/search/conditions", test_search_conditions);
  g_test_add_func ("/gui/panes/lane-finder", test_lane_finder);
  g_test_add_func ("/gui/panes/session", test_session);
  g_test_add_func ("/gui/panes/session-event", test_session_event);
  g_test_add_func ("/gui/panes/mark-place", test_mark_place);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
