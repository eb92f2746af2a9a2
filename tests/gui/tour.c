/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tour.c: everything a person does with a window, one after the other, and for each how long our own
 * code keeps the main thread: opening, every panel, searching, filtering, sorting, ranges, groups,
 * marks, exporting, comparing, preferences, following a capture, closing.
 *
 * As a test: all of it works, whatever comes first. With --bench [FILE] figures are printed for
 * ./dev bench (see stack-watch.h); with TASKSCOPE_STACKS set, where it was at its longest.
 */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include "ui/ts-compare.h"
#include "ui/ts-report.h"
#include "ui/ts-search-bar.h"
#include "ui/ts-timeline.h"

#include "stack-watch.h"
#include "window-fixture.h"

/* A step lasts at least as long, for what begins a little later (as a test: not so long), */
#define LEAST_US 200000
#define LEAST_TEST_US 10000
/* and at most: figures of the whole of a big recording take their time. */
#define PATIENCE_US (20 * G_USEC_PER_SEC)

/**
 * Tour:
 * @n_late: steps that were gone on from before all had come
 */
typedef struct
{
  TsWindow *window;
  TsTimeline *timeline;
  TsSearchBar *search;
  TsCompare *compare;
  GtkStack *stack;
  char *path;
  gboolean is_measuring;
  guint n_late;
} Tour;

static TsViewState *
get_view (Tour *self)
{
  return ts_window_get_view (self->window);
}

static gint64
get_duration (Tour *self)
{
  return ts_recording_get_duration (ts_view_state_get_recording (get_view (self)));
}

static GtkWidget *
find (Tour *self,
      GType type)
{
  return gui_test_find (GTK_WIDGET (self->window), type);
}

static gboolean
is_settled (Tour *self)
{
  GtkWidget *page = gtk_stack_get_visible_child (self->stack);
  TsReport *report = TS_IS_REPORT (page) ? TS_REPORT (page) : NULL;
  TsCompare *compare = self->compare;

  return !ts_window_is_busy (self->window) && !ts_search_bar_is_busy (self->search)
         && gui_test_is_settled (GTK_WIDGET (self->timeline))
         && (report == NULL || !ts_report_is_busy (report))
         && (compare == NULL || !ts_compare_is_busy (compare));
}

static gboolean
on_pulse (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* Lets the window work until what the step began has come. */
static void
settle (Tour *self)
{
  gint64 begin_us = g_get_monotonic_time ();
  gint64 least_us = self->is_measuring ? LEAST_US : LEAST_TEST_US;
  guint pulse = g_timeout_add (5, on_pulse, NULL);

  while (g_get_monotonic_time () < begin_us + least_us
         || (!is_settled (self) && g_get_monotonic_time () < begin_us + PATIENCE_US))
    g_main_context_iteration (NULL, TRUE);
  self->n_late += !is_settled (self);
  g_source_remove (pulse);
}

static void
act (Tour *self,
     const char *action,
     const char *text)
{
  if (text != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self->window), action, "s", text);
  else
    gtk_widget_activate_action (GTK_WIDGET (self->window), action, NULL);
  settle (self);
}

/* What was done from here on is called so. */
static void
begin (Tour *self,
       const char *name)
{
  if (self->is_measuring)
    stack_watch_set_name (name);
  else
    g_test_message ("%s", name);
}

/* --- what a person does ----------------------------------------------------------------------- */

static void
tour_opening (Tour *self)
{
  begin (self, "opening");
  window_fixture_load (self->window, self->path);
  gui_test_wait (window_fixture_has_recording, self->window);
  settle (self);
}

static void
tour_panels (Tour *self)
{
  static const char *const tabs[] = { "statistics", "findings", "communication", "marks", "events" };

  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
      {
        begin (self, tabs[i]);
        act (self, "win.show-tab", tabs[i]);
      }
  begin (self, "side panels");
  for (guint i = 0; i < 2; i++)
    {
      act (self, "win.show-inspector", NULL);
      act (self, "win.show-capture", NULL);
      act (self, "win.show-events", NULL);
    }
}

static void
tour_sorting (Tour *self)
{
  static const char *const tabs[] = { "statistics", "findings", "communication" };

  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      g_autofree char *name = g_strdup_printf ("sorting %s", tabs[i]);
      GtkWidget *columns;
      TsTable *table;
      guint n;

      act (self, "win.show-tab", tabs[i]);
      begin (self, name);
      table = ts_report_get_table (TS_REPORT (gtk_stack_get_visible_child (self->stack)));
      columns = gui_test_find (GTK_WIDGET (table), GTK_TYPE_COLUMN_VIEW);
      n = g_list_model_get_n_items (gtk_column_view_get_columns (GTK_COLUMN_VIEW (columns)));
      for (guint k = 0; k < n; k++)
        {
          ts_table_sort (table, k, k % 2 == 0 ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
          settle (self);
        }
      begin (self, "a row of it chosen");
      for (guint k = 0; k < MIN (ts_table_get_n_rows (table), 4); k++)
        {
          ts_table_activate (table, k, -1);
          settle (self);
        }
    }
  begin (self, "sorting lanes");
  for (guint i = 0; i < TS_LANE_N_SORTS; i++)
    {
      ts_view_state_set_lane_sort (get_view (self), i);
      settle (self);
    }
  ts_view_state_set_lane_sort (get_view (self), 0);
  act (self, "win.fit", NULL);
}

static void
tour_ranges (Tour *self)
{
  static const char *const tabs[] = { "events", "statistics", "communication", "findings" };
  gint64 duration = get_duration (self);

  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      act (self, "win.show-tab", tabs[i]);
      begin (self, "range");
      for (guint k = 1; k < 12; k++)
        {
          ts_view_state_set_range (get_view (self), duration / 3, duration / 3 + (duration >> k));
          settle (self);
        }
      ts_view_state_clear_range (get_view (self));
    }
  begin (self, "lane chosen");
  for (guint i = 0; i < 8; i++)
    {
      const TsViewRow *rows;
      guint n;

      rows = ts_view_state_get_rows (get_view (self), &n);
      ts_timeline_go_to (self->timeline, rows[n * i / 8].lane, duration / 9 * i,
                         duration / 9 * i + 1000);
      settle (self);
    }
}

static void
tour_search (Tour *self)
{
  static const char typed[] = "kind:task_switch";

  act (self, "win.show-tab", "events");
  begin (self, "search");
  act (self, "win.search", NULL);
  for (guint i = 1; i < sizeof typed; i++)
    {
      g_autofree char *text = g_strndup (typed, i);

      ts_search_bar_set_text (self->search, text);
      settle (self);
    }
  begin (self, "next and previous hit");
  for (guint i = 0; i < 5; i++)
    act (self, "win.next-hit", NULL);
  act (self, "win.previous-hit", NULL);
  ts_search_bar_set_text (self->search, "duration>1ms");
  settle (self);
  begin (self, "filters");
  act (self, "win.filter-by-search", NULL);
  ts_search_bar_add_filter (self->search, "kind:task_switch");
  settle (self);
  act (self, "win.show-tab", "statistics");
  act (self, "win.show-tab", "events");
  act (self, "win.clear-filters", NULL);
  begin (self, "lane finder");
  act (self, "win.find-lane", NULL);
  act (self, "win.close-search", NULL);
}

static void
tour_lanes (Tour *self)
{
  TsViewState *view = get_view (self);

  for (guint round = 0; round < 2; round++)
    {
      begin (self, "groups folded and unfolded");
      for (guint i = 0; i < ts_view_state_get_n_groups (view); i++)
        {
          ts_view_state_set_group_folded (view, i, round == 0);
          settle (self);
        }
    }
  begin (self, "lanes hidden and pinned");
  for (guint i = 0; i < 4; i++)
    {
      const TsViewRow *rows;
      guint n;

      rows = ts_view_state_get_rows (view, &n);
      if (rows[n - 1 - i].lane == 0)
        continue;
      if (i % 2 == 0)
        ts_view_state_set_lane_hidden (view, rows[n - 1 - i].lane, TRUE);
      else
        ts_view_state_set_lane_pinned (view, rows[n - 1 - i].lane, TRUE);
      settle (self);
    }
  ts_view_state_show_all_lanes (view);
  settle (self);
  begin (self, "marks");
  for (guint i = 0; i < 8; i++)
    {
      ts_view_state_set_cursor (view, get_duration (self) / 9 * i);
      act (self, "win.mark-as", "a note");
      act (self, "win.next-mark", NULL);
    }
  act (self, "win.show-tab", "marks");
  for (guint i = 0; i < 8; i++)
    {
      act (self, "win.previous-mark", NULL);
      act (self, "win.remove-mark", NULL);
    }
}

/* Windows of ours but the first. */
static void
close_dialogs (Tour *self)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (window != GTK_WINDOW (self->window) && gtk_widget_get_visible (GTK_WIDGET (window)))
        gtk_window_close (window);
    }
}

static void
tour_dialogs (Tour *self)
{
  static const char *const dialogs[] = { "win.export", "win.export-csv", "win.preferences",
                                         "win.show-help-overlay", "app.help" };
  gint64 duration = get_duration (self);

  for (guint i = 0; i < G_N_ELEMENTS (dialogs); i++)
    {
      begin (self, dialogs[i]);
      act (self, dialogs[i], NULL);
      close_dialogs (self);
      settle (self);
    }
  begin (self, "exporting");
  ts_view_state_set_range (get_view (self), duration / 3, duration / 3 + duration / 2000);
  for (guint i = 0; i < 3; i++)
    {
      static const char *const names[] = { "tour.vadb", "tour.csv", "tour.svg" };
      g_autofree char *path = g_build_filename (g_get_user_data_dir (), names[i], NULL);

      act (self, "win.export-to", path);
    }
  act (self, "win.copy-picture", NULL);
  ts_view_state_clear_range (get_view (self));
}

static gboolean
has_compare (gpointer user_data)
{
  Tour *self = user_data;

  self->compare = (gpointer) find (self, TS_TYPE_COMPARE);
  return self->compare != NULL;
}

static void
tour_compare (Tour *self)
{
  begin (self, "compare");
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.compare-with", "s", self->path);
  gui_test_wait (has_compare, self);
  settle (self);
  act (self, "win.show-tab", "statistics");
  for (guint i = 1; i < 8; i++)
    {
      ts_view_state_set_visible (get_view (self), get_duration (self) / 5, get_duration (self) >> i);
      settle (self);
    }
  act (self, "win.align", "hand");
  begin (self, "compare ends");
  self->compare = NULL;
  act (self, "win.close-compare", NULL);
}

static gboolean
is_recording (gpointer window)
{
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (window));

  return recording != NULL && ts_recording_get_n_rows (recording) > 10000;
}

static gboolean
has_stopped (gpointer window)
{
  return !ts_window_is_capturing (window);
}

/* Follows a capture with each tab, chooses a lane and a range of it meanwhile. */
static void
tour_capture (Tour *self)
{
  static const char *const tabs[] = { "events", "statistics", "findings", "communication" };
  g_autoptr (TsConnection) connection = ts_connection_new ();
  const TsViewRow *rows;
  guint n;

  begin (self, "capture begins");
  ts_connection_set_from_text (connection, "transport", "demo", NULL);
  ts_connection_set_from_text (connection, "demo-rate", "100000", NULL);
  g_assert_true (ts_window_start (self->window, connection));
  gui_test_wait (is_recording, self->window);
  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      g_autofree char *name = g_strdup_printf ("capture, %s", tabs[i]);

      begin (self, name);
      gtk_widget_activate_action (GTK_WIDGET (self->window), "win.show-tab", "s", tabs[i]);
      gui_test_iterate (self->is_measuring ? 2000 : 300);
      rows = ts_view_state_get_rows (get_view (self), &n);
      ts_view_state_select_lane (get_view (self), rows[n / 2 + i].lane);
      gui_test_iterate (self->is_measuring ? 1000 : 200);
      ts_view_state_set_range (get_view (self), get_duration (self) / 4, get_duration (self) / 2);
      gui_test_iterate (self->is_measuring ? 1000 : 200);
      ts_view_state_clear_range (get_view (self));
    }
  begin (self, "capture ends");
  ts_window_stop (self->window);
  gui_test_wait (has_stopped, self->window);
  settle (self);
}

static void
tour_close (Tour *self)
{
  begin (self, "closing");
  gtk_window_close (GTK_WINDOW (self->window));
  gui_test_iterate (500);
}

static void
tour_begin (Tour *self,
            const char *path)
{
  self->path = g_strdup (path);
  self->window = window_fixture_show (NULL);
  self->timeline = TS_TIMELINE (find (self, TS_TYPE_TIMELINE));
  self->stack
      = gtk_stack_switcher_get_stack (GTK_STACK_SWITCHER (find (self, GTK_TYPE_STACK_SWITCHER)));
  self->search = TS_SEARCH_BAR (find (self, TS_TYPE_SEARCH_BAR));
}

static void
tour_all (Tour *self)
{
  tour_opening (self);
  tour_panels (self);
  tour_sorting (self);
  tour_ranges (self);
  tour_search (self);
  tour_lanes (self);
  tour_dialogs (self);
  tour_compare (self);
  tour_capture (self);
}

static void
test_tour (void)
{
  g_autofree char *path = gui_test_make_demo (100000);
  Tour tour = { 0 };

  tour_begin (&tour, path);
  tour_all (&tour);
  tour_close (&tour);
  g_assert_cmpuint (tour.n_late, ==, 0);
  g_free (tour.path);
}

static const char *bench_path;

static void
bench (void)
{
  const LoopFigures *figures;
  Tour tour = { .is_measuring = TRUE };

  tour_begin (&tour, bench_path);
  loop_watch_begin (tour.timeline);
  tour_all (&tour);
  figures = loop_watch_end ();
  loop_watch_print (figures, "tour", "");
  tour_close (&tour);
  g_free (tour.path);
}

static void
add_tests (void)
{
  if (bench_path != NULL)
    bench ();
  else
    g_test_add_func ("/gui/tour", test_tour);
}

int
main (int argc,
      char **argv)
{
  g_autofree char *made = NULL;

  if (argc > 1 && g_str_equal (argv[1], "--bench"))
    {
      bench_path = argc > 2 ? argv[2] : (made = gui_test_make_demo (2000000));
      argc = 1;
    }
  return window_fixture_run (argc, argv, add_tests);
}
