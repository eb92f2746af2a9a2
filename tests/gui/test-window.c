/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "ui/ts-capture-figures.h"
#include "ui/ts-capture-panel.h"
#include "ui/ts-checklist.h"
#include "ui/ts-connection-form.h"
#include "ui/ts-event-columns.h"
#include "ui/ts-event-list.h"
#include "ui/ts-inspector.h"
#include "ui/ts-numbers.h"
#include "ui/ts-preferences.h"
#include "ui/ts-settings.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

static gboolean
has_closed_recording (gpointer window)
{
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (window));

  return recording != NULL && !ts_recording_is_live (recording);
}

static gboolean
shows_error (gpointer window)
{
  GtkWidget *revealer = gui_test_find (window, GTK_TYPE_REVEALER);

  return gtk_revealer_get_reveal_child (GTK_REVEALER (revealer));
}

static gboolean
shows_problem (gpointer window)
{
  GtkWidget *panel = gui_test_find (window, TS_TYPE_CAPTURE_PANEL);

  return ts_capture_panel_has_problem (TS_CAPTURE_PANEL (panel));
}

static gboolean
is_gone (gpointer user_data)
{
  return *(gpointer *) user_data == NULL;
}

static gboolean
has_label (GtkWidget *widget)
{
  return gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget),
                                           GTK_ACCESSIBLE_PROPERTY_LABEL);
}

/* Every control a person can reach has a name for those who cannot see it. */
static void
audit (GtkWidget *widget,
       GString *nameless)
{
  GtkWidget *child;

  /* GTK names these itself */
  if (GTK_IS_WINDOW_CONTROLS (widget))
    return;
  if (GTK_IS_BUTTON (widget) && gtk_widget_get_mapped (widget))
    {
      GtkWidget *parent = gtk_widget_get_parent (widget);
      gboolean has_text = gui_test_find (widget, GTK_TYPE_LABEL) != NULL;
      gboolean has_name = has_label (widget) || has_label (parent);

      /* the arrow of a split button is named by its tooltip only */
      if (ADW_IS_SPLIT_BUTTON (gtk_widget_get_parent (parent)))
        has_name = gtk_widget_get_tooltip_text (parent) != NULL;
      if (!has_text && !has_name)
        g_string_append_printf (nameless, "%s in %s; ", G_OBJECT_TYPE_NAME (widget),
                                G_OBJECT_TYPE_NAME (parent));
    }
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    audit (child, nameless);
}

static void
test_empty (void)
{
  TsWindow *window = window_fixture_new ();
  g_autoptr (GString) nameless = g_string_new (NULL);
  GtkWidget *way_in;

  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_true (ts_window_is_empty (window));
  way_in = gui_test_find (GTK_WIDGET (window), ADW_TYPE_STATUS_PAGE);
  way_in = gui_test_find (way_in, GTK_TYPE_BUTTON);
  g_assert_nonnull (way_in);
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (way_in)), ==, "win.open");
  audit (GTK_WIDGET (window), nameless);
  g_assert_cmpstr (nameless->str, ==, "");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A pane that is asked for before the first frame is there in it, as wide as it will be. */
static void
test_early_pane (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  gboolean is_animated = FALSE;

  g_object_get (settings, "gtk-enable-animations", &is_animated, NULL);
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  for (guint i = 0; i < 6; i++)
    {
      TsWindow *window = window_fixture_new ();
      GtkWidget *flap = gui_test_find (GTK_WIDGET (window), ADW_TYPE_FLAP);
      gboolean was_shown = adw_flap_get_reveal_flap (ADW_FLAP (flap));

      gtk_widget_activate_action (GTK_WIDGET (window), "win.show-capture", NULL);
      g_assert_true (adw_flap_get_reveal_flap (ADW_FLAP (flap)) != was_shown);
      g_assert_cmpfloat (adw_flap_get_reveal_progress (ADW_FLAP (flap)), ==, was_shown ? 0 : 1);
      gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
      gtk_window_destroy (GTK_WINDOW (window));
    }
  g_object_set (settings, "gtk-enable-animations", is_animated, NULL);
}

static void
test_open (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_new ();
  TsViewState *view = ts_window_get_view (window);
  g_autoptr (GString) nameless = g_string_new (NULL);
  GtkWidget *title;
  gint64 span;

  window_fixture_load (window, path);
  gui_test_wait (window_fixture_has_recording, window);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "gui-test-1.vadb");
  title = gui_test_find (GTK_WIDGET (window), ADW_TYPE_WINDOW_TITLE);
  g_test_message ("subtitle: %s", adw_window_title_get_subtitle (ADW_WINDOW_TITLE (title)));
  /* m4_short.expected.json: 9896 packets, 136 of them set-up; 50085292 ticks of 25 MHz */
  g_assert_nonnull (strstr (adw_window_title_get_subtitle (ADW_WINDOW_TITLE (title)),
                            "2.003\xe2\x80\x89" "s · 9\xe2\x80\x89" "760 events"));
  span = ts_view_state_get_span (view);
  gtk_widget_activate_action (gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE),
                              "timeline.zoom-in", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), <, span);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fit", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), ==, span);
  ts_view_state_set_range (view, span / 4, span / 2);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.zoom-range", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), <, span / 2);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo-view", NULL);
  g_assert_cmpint (ts_view_state_get_span (view), ==, span);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-events", NULL);
  g_assert_false (gtk_widget_is_visible (gui_test_find (GTK_WIDGET (window), TS_TYPE_EVENT_LIST)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-events", NULL);
  g_assert_true (gtk_widget_is_visible (gui_test_find (GTK_WIDGET (window), TS_TYPE_EVENT_LIST)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-capture", NULL);
  gui_test_iterate (100);
  audit (GTK_WIDGET (window), nameless);
  g_assert_cmpstr (nameless->str, ==, "");
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_text (GtkWidget *widget,
          const char *text)
{
  GtkWidget *child;

  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text))
    return TRUE;
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_text (child, text))
      return TRUE;
  return FALSE;
}

static gboolean
has_figures (gpointer window)
{
  return has_text (gui_test_find (window, TS_TYPE_INSPECTOR), "Activations");
}

static gboolean
has_range (gpointer window)
{
  return has_text (gui_test_find (window, TS_TYPE_INSPECTOR), "Selected range");
}

typedef struct
{
  GtkWidget *inspector;
  const char *text;
} Wanted;

static gboolean
has_value (gpointer user_data)
{
  const Wanted *wanted = user_data;

  return has_text (wanted->inspector, "Value") && has_text (wanted->inspector, wanted->text);
}

/* A task's figures come, a range's too, and a figure leads to its place. */
static void
test_inspector (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_new ();
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording;
  GtkWidget *inspector = gui_test_find (GTK_WIDGET (window), TS_TYPE_INSPECTOR);
  const TsLaneInfo *lanes;
  guint n_lanes;
  guint32 ctrl = 0;
  guint32 value = 0;
  g_autofree char *text = NULL;
  Wanted wanted = { inspector, NULL };
  const TsObject *object;
  TsSlice sample;
  guint i;
  gint64 begin;

  window_fixture_load (window, path);
  gui_test_wait (window_fixture_has_recording, window);
  recording = ts_view_state_get_recording (view);
  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (i = 0; i < n_lanes; i++)
    if (g_strcmp0 (lanes[i].name, "Ctrl") == 0)
      ctrl = lanes[i].id;
    else if (lanes[i].kind == TS_LANE_VALUE)
      value = lanes[i].id;
  g_assert_cmpuint (ctrl, !=, 0);
  ts_view_state_select_lane (view, ctrl);
  gui_test_wait (has_figures, window);
  g_assert_true (has_text (inspector, "Ctrl"));
  g_assert_true (has_text (inspector, "Task · priority 5"));

  /* 1 ms of 25 MHz */
  ts_view_state_set_range (view, 25000000, 25025000);
  gui_test_wait (has_range, window);
  g_assert_true (has_text (inspector, "25\xe2\x80\x89" "000"));
  gui_test_wait (has_figures, window);

  g_signal_emit_by_name (inspector, "go-to", (gint64) 40000000, (gint64) 40010000);
  begin = ts_view_state_get_begin (view);
  g_assert_cmpint (begin, <=, 40000000);
  g_assert_cmpint (begin + ts_view_state_get_span (view), >=, 40010000);
  g_assert_cmpint (ts_view_state_get_span (view), <, 100 * 10000);
  g_assert_cmpint (ts_view_state_get_cursor (view), ==, 40000000);

  /* a sample tells its value: one that is not the last, the smallest or the largest */
  g_assert_cmpuint (value, !=, 0);
  sample.begin = 0;
  for (i = 0; i < 5; i++)
    g_assert_true (ts_recording_next_slice (recording, value, sample.begin, 1, &sample));
  object = ts_recording_get_object (recording, ts_recording_get_lane (recording, value)->object);
  wanted.text = text = ts_format_value (sample.value, object->unit);
  ts_view_state_select_lane (view, value);
  ts_view_state_select_slice (view, value, &sample);
  gui_test_wait (has_value, &wanted);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The row of the last event of exactly that tick that is about the object: every row is read. */
static guint64
find_event (TsRecording *recording,
            gint64 tick,
            guint32 object)
{
  guint64 found = 0;

  for (guint64 row = 1; row <= ts_recording_get_n_rows (recording); row++)
    {
      TsEvent event;
      guint n = 0;

      g_assert_true (ts_recording_read_events (recording, row, 1, &event, &n, NULL));
      if (n == 1 && event.time == tick && event.object == object)
        found = row;
    }
  return found;
}

static gboolean
has_row (gpointer user_data)
{
  const Wanted *wanted = user_data;

  return has_text (wanted->inspector, "Selected event") && has_text (wanted->inspector, "Raw bytes")
         && has_text (wanted->inspector, wanted->text);
}

static gboolean
has_no_event (gpointer inspector)
{
  return !has_text (inspector, "Selected event");
}

/* The event at a slice that is clicked, and at the place that is stepped to, is told with all its
 * fields, though nobody chose it in the list; where there is none, none is. */
static void
test_event_at (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  g_autoptr (TsRecording) own = ts_recording_open (path, NULL);
  GtkWidget *inspector = gui_test_find (GTK_WIDGET (window), TS_TYPE_INSPECTOR);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  const TsLaneInfo *lanes;
  guint n_lanes;
  guint32 lane = 0;
  guint32 object = 0;
  gint64 cursor = 0;

  lanes = ts_recording_get_lanes (own, &n_lanes);
  for (guint i = 0; i < n_lanes; i++)
    if (g_strcmp0 (lanes[i].name, "Ctrl") == 0)
      {
        lane = lanes[i].id;
        object = lanes[i].object;
      }
  g_assert_cmpuint (object, !=, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-tab", "s", "statistics");
  ts_view_state_select_lane (view, lane);
  for (guint i = 0; i < 4; i++)
    {
      TsSlice slice;
      guint64 row = 0;
      g_autofree char *text = NULL;
      Wanted wanted = { inspector, NULL };

      /* the next slice that an event about the task begins; clicked somewhere in its middle */
      while (row == 0)
        {
          g_assert_true (ts_recording_next_slice (own, lane, cursor, 1, &slice));
          cursor = slice.begin;
          row = slice.end - slice.begin > 4 ? find_event (own, slice.begin, object) : 0;
        }
      wanted.text = text = ts_format_count (row);
      ts_view_state_set_cursor (view, slice.begin + (slice.end - slice.begin) / 2);
      ts_view_state_select_slice (view, lane, &slice);
      g_assert_cmpuint (ts_view_state_get_event (view), ==, 0);
      gui_test_wait (has_row, &wanted);
      cursor = slice.end;
    }
  for (guint i = 0; i < 3; i++)
    {
      guint64 row;
      g_autofree char *text = NULL;
      Wanted wanted = { inspector, NULL };

      gtk_widget_activate_action (timeline, "timeline.event", "i", 1);
      gui_test_settle (timeline);
      cursor = ts_view_state_get_cursor (view);
      row = find_event (own, cursor, object);
      if (row == 0)
        continue;
      wanted.text = text = ts_format_count (row);
      gui_test_wait (has_row, &wanted);
    }
  ts_view_state_select_slice (view, 0, NULL);
  ts_view_state_set_cursor (view, cursor + 1);
  g_assert_cmpuint (find_event (own, cursor + 1, object), ==, 0);
  gui_test_wait (has_no_event, inspector);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Captured bytes become a recording in the folder for recordings, which then opens. */
static void
test_import (void)
{
  g_autofree char *source = gui_test_data ("m4_short_udp.udprec");
  TsWindow *window = window_fixture_new ();
  TsRecording *recording;
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "taskscope", "recordings",
                                              NULL);

  window_fixture_load (window, source);
  gui_test_wait (window_fixture_has_recording, window);
  recording = ts_view_state_get_recording (ts_window_get_view (window));
  g_assert_true (g_str_has_prefix (ts_recording_get_path (recording), folder));
  g_assert_true (g_str_has_suffix (ts_recording_get_path (recording), "m4_short_udp.udprec.vadb"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A file of raw SWO opens as one of the recorder does. */
static void
test_import_trace (void)
{
  /* synchronisation; port 0 "Hi\n"; exception 15 entered; a local time stamp of 5; returned to 0; 5 */
  static const char trace[] = "\0\0\0\0\0\200\001H\001i\001\n\016\017\020\120\016\0\060\120";
  g_autofree char *source = g_build_filename (g_get_user_data_dir (), "board.swo", NULL);
  TsWindow *window = window_fixture_new ();
  g_autofree char *format = NULL;

  g_assert_true (g_file_set_contents (source, trace, sizeof trace - 1, NULL));
  window_fixture_load (window, source);
  gui_test_wait (window_fixture_has_recording, window);
  format = ts_recording_dup_meta (ts_view_state_get_recording (ts_window_get_view (window)),
                                  "ts_raw_format");
  g_assert_cmpstr (format, ==, "itm");
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_bytes (gpointer window)
{
  return has_text (gui_test_find (window, TS_TYPE_INSPECTOR),
                   "06 94 1d 01 06 4e\n01 02 70 01 01 01\n00");
}

static gboolean
has_no_bytes (gpointer window)
{
  return has_text (gui_test_find (window, TS_TYPE_INSPECTOR), "not kept");
}

/* The bytes of an event are those of the capture (taken apart by hand in test-raw-bytes.c); a recording
 * without them says so. */
static void
test_raw_bytes (void)
{
  g_autofree char *source = gui_test_data ("m4_short.cobs");
  g_autofree char *without = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_new ();

  window_fixture_load (window, source);
  gui_test_wait (window_fixture_has_recording, window);
  g_object_set (window, "show-inspector", TRUE, NULL);
  ts_view_state_set_cursor (ts_window_get_view (window), 14339);
  ts_view_state_set_event (ts_window_get_view (window), 3, 14339);
  gui_test_wait (has_bytes, window);
  g_assert_true (has_text (gui_test_find (GTK_WIDGET (window), TS_TYPE_INSPECTOR),
                           "13 bytes after 404"));
  gtk_window_destroy (GTK_WINDOW (window));

  window = window_fixture_new ();
  window_fixture_load (window, without);
  gui_test_wait (window_fixture_has_recording, window);
  g_object_set (window, "show-inspector", TRUE, NULL);
  ts_view_state_set_cursor (ts_window_get_view (window), 14339);
  ts_view_state_set_event (ts_window_get_view (window), 3, 14339);
  gui_test_wait (has_no_bytes, window);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_bad_files (void)
{
  TsWindow *window = window_fixture_new ();
  g_autofree char *text = g_build_filename (g_get_user_data_dir (), "notes.vadb", NULL);
  g_autofree char *absent = g_build_filename (g_get_user_data_dir (), "absent.vadb", NULL);

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  g_assert_true (g_file_set_contents (text, "This is a shopping list, not a recording.\n", -1,
                                      NULL));
  window_fixture_load (window, text);
  gui_test_wait (shows_error, window);
  g_assert_false (window_fixture_has_recording (window));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-error", NULL);
  g_assert_false (shows_error (window));
  window_fixture_load (window, absent);
  gui_test_wait (shows_error, window);
  g_assert_true (ts_window_is_empty (window));
  /* and it still works */
  {
    g_autofree char *path = gui_test_make_recording ("m4_short.cobs");

    window_fixture_load (window, path);
    gui_test_wait (window_fixture_has_recording, window);
    g_assert_false (shows_error (window));
  }
  gtk_window_destroy (GTK_WINDOW (window));
}

typedef struct
{
  TsWindow *window;
  const char *path;
} Written;

static gboolean
is_written (gpointer user_data)
{
  Written *written = user_data;

  return g_file_test (written->path, G_FILE_TEST_EXISTS) && !ts_window_is_busy (written->window);
}

static void
test_export (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *csv = g_build_filename (g_get_user_data_dir (), "out.csv", NULL);
  g_autofree char *png = g_build_filename (g_get_user_data_dir (), "out.png", NULL);
  g_autofree char *contents = NULL;
  TsWindow *window = window_fixture_new ();
  Written written = { window, csv };

  window_fixture_load (window, path);
  gui_test_wait (window_fixture_has_recording, window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.export-to", "s", csv);
  gui_test_wait (is_written, &written);
  g_assert_true (g_file_get_contents (csv, &contents, NULL, NULL));
  g_assert_nonnull (strchr (contents, '\n'));
  {
    g_autofree char *json = g_build_filename (g_get_user_data_dir (), "out.json", NULL);
    g_autofree char *part = g_build_filename (g_get_user_data_dir (), "out.vadb", NULL);
    g_autoptr (TsRecording) recording = NULL;
    g_autoptr (GError) error = NULL;

    ts_view_state_set_range (ts_window_get_view (window), 20000000, 25000000);
    written.path = json;
    gtk_widget_activate_action (GTK_WIDGET (window), "win.export-to", "s", json);
    gui_test_wait (is_written, &written);
    written.path = part;
    gtk_widget_activate_action (GTK_WIDGET (window), "win.export-to", "s", part);
    gui_test_wait (is_written, &written);
    recording = ts_recording_open (part, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (ts_recording_get_n_events (recording), >, 0);
    g_assert_cmpuint (ts_recording_get_n_events (recording), <, 9760 / 2);
  }
  written.path = png;
  gtk_widget_activate_action (GTK_WIDGET (window), "win.export-to", "s", png);
  gui_test_wait (is_written, &written);
  {
    /* what is on the clipboard is a picture of the timeline */
    GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
    GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
    g_auto (GValue) value = G_VALUE_INIT;

    gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-picture", NULL);
    g_value_init (&value, GDK_TYPE_TEXTURE);
    g_assert_true (gdk_content_provider_get_value (gdk_clipboard_get_content (clipboard), &value,
                                                   NULL));
    g_assert_cmpint (gdk_texture_get_width (g_value_get_object (&value)), >=,
                     gtk_widget_get_width (timeline));
  }
  gtk_window_destroy (GTK_WINDOW (window));
}

typedef struct
{
  TsWindow *window;
  guint64 n_rows;
} Growth;

static gboolean
has_grown (gpointer user_data)
{
  Growth *growth = user_data;
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (growth->window));

  return recording != NULL && ts_recording_get_n_rows (recording) > growth->n_rows;
}

/* The demo target: live, followed, stopped, and then a file like any other. */
static void
test_demo (void)
{
  TsWindow *window = window_fixture_new ();
  TsViewState *view = ts_window_get_view (window);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  GtkWidget *figures = gui_test_find (GTK_WIDGET (window), TS_TYPE_CAPTURE_FIGURES);
  GtkWidget *checklist = gui_test_find (gtk_widget_get_parent (figures), TS_TYPE_CHECKLIST);
  Growth growth = { window, 20000 };
  const TsFrameStats *stats;
  guint i;

  ts_window_start_demo (window);
  g_assert_true (ts_window_is_capturing (window));
  gui_test_wait (has_grown, &growth);
  g_assert_true (ts_view_state_is_following (view));
  g_assert_true (ts_recording_is_live (ts_view_state_get_recording (view)));
  gui_test_iterate (200);
  for (i = 0; i < 5; i++)
    g_assert_cmpint (ts_checklist_get_state (TS_CHECKLIST (checklist), i), ==, TS_CHECK_DONE);

  /* scrolling back leaves the live end, the end takes it up again */
  gtk_widget_activate_action (timeline, "timeline.pan", "d", -0.5);
  g_assert_false (ts_view_state_is_following (view));
  gtk_widget_activate_action (timeline, "timeline.to-end", NULL);
  g_assert_true (ts_view_state_is_following (view));
  growth.n_rows = ts_recording_get_n_rows (ts_view_state_get_recording (view)) + 5000;
  gui_test_wait (has_grown, &growth);

  stats = ts_timeline_get_latency_stats (TS_TIMELINE (timeline));
  g_assert_cmpuint (stats->n_total, >, 0);
  g_test_message ("published to shown: p50 %u us, p99 %u us",
                  ts_frame_stats_get_percentile (stats, 50),
                  ts_frame_stats_get_percentile (stats, 99));
  stats = ts_timeline_get_frame_stats (TS_TIMELINE (timeline));
  g_test_message ("frame: p50 %u us, p99 %u us", ts_frame_stats_get_percentile (stats, 50),
                  ts_frame_stats_get_percentile (stats, 99));

  ts_window_stop (window);
  gui_test_wait (has_closed_recording, window);
  g_assert_false (ts_window_is_capturing (window));
  g_assert_cmpuint (ts_recording_get_n_rows (ts_view_state_get_recording (view)), >=,
                    growth.n_rows);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_sorted (gpointer list)
{
  return ts_event_model_has_order (ts_event_list_get_model (list));
}

static guint
get_n_lines (TsEventList *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (ts_event_list_get_model (list)));
}

static gboolean
has_all_sorted (gpointer list)
{
  TsRecording *recording = ts_event_model_get_recording (ts_event_list_get_model (list));

  return is_sorted (list) && get_n_lines (list) == ts_recording_get_n_rows (recording);
}

/* Largest first, each row once. */
static void
check_sorted (TsEventModel *model)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (model));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint core = G_MAXUINT;
  gint64 time = G_MAXINT64;

  for (guint i = 1; i <= n; i++)
    {
      TsEvent event;

      gui_test_read_line (model, i, &event);
      g_assert_cmpint (event.time, <=, time);
      g_assert_cmpuint (event.core, <=, core);
      time = event.time;
      core = event.core;
      g_hash_table_add (seen, GSIZE_TO_POINTER (ts_event_model_get_row (model, i)));
    }
  g_assert_cmpuint (g_hash_table_size (seen), ==, n);
}

/* While a capture runs the rows so far are sorted and stay; by time the list follows again; when it
 * ends the others join. */
static void
test_sort_live (void)
{
  TsWindow *window = window_fixture_new ();
  TsViewState *view = ts_window_get_view (window);
  TsEventList *list = TS_EVENT_LIST (gui_test_find (GTK_WIDGET (window), TS_TYPE_EVENT_LIST));
  GtkColumnView *table =
      GTK_COLUMN_VIEW (gui_test_find (GTK_WIDGET (list), GTK_TYPE_COLUMN_VIEW));
  g_autoptr (GtkColumnViewColumn) time =
      g_list_model_get_item (gtk_column_view_get_columns (table), TS_EVENT_COLUMN_TIME);
  Growth growth = { window, 5000 };
  guint n;

  ts_window_start_demo (window);
  gui_test_wait (has_grown, &growth);
  gtk_column_view_sort_by_column (table, time, GTK_SORT_DESCENDING);
  gui_test_wait (is_sorted, list);
  n = get_n_lines (list);
  g_assert_cmpuint (n, >, 1000);
  check_sorted (ts_event_list_get_model (list));
  growth.n_rows = ts_recording_get_n_rows (ts_view_state_get_recording (view)) + 5000;
  gui_test_wait (has_grown, &growth);
  g_assert_cmpuint (get_n_lines (list), ==, n);
  g_assert_true (ts_view_state_is_following (view));
  g_assert_cmpuint (ts_event_list_get_first_row (list), ==, 1);

  gtk_column_view_sort_by_column (table, NULL, GTK_SORT_ASCENDING);
  g_assert_false (is_sorted (list));
  g_assert_cmpuint (get_n_lines (list), >=, growth.n_rows);

  gtk_column_view_sort_by_column (table, time, GTK_SORT_DESCENDING);
  gui_test_wait (is_sorted, list);
  ts_window_stop (window);
  gui_test_wait (has_closed_recording, window);
  gui_test_wait (has_all_sorted, list);
  check_sorted (ts_event_list_get_model (list));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Closing the window while it records keeps what was recorded. */
static void
test_close_while_capturing (void)
{
  TsWindow *window = window_fixture_new ();
  Growth growth = { window, 1000 };
  gpointer alive = window;
  g_autofree char *path = NULL;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (GError) error = NULL;

  ts_window_start_demo (window);
  gui_test_wait (has_grown, &growth);
  path = g_strdup (
      ts_recording_get_path (ts_view_state_get_recording (ts_window_get_view (window))));
  g_object_add_weak_pointer (G_OBJECT (window), &alive);
  gtk_window_close (GTK_WINDOW (window));
  gui_test_wait (is_gone, &alive);
  recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ts_recording_get_n_rows (recording), >, 1000);
}

static void
test_form (void)
{
  GtkWidget *form = g_object_ref_sink (ts_connection_form_new ());
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (TsConnection) loaded = ts_connection_new ();
  g_autoptr (GError) error = NULL;
  GtkWidget *row;

  ts_connection_form_set_transport (TS_CONNECTION_FORM (form), "udp");
  g_assert_cmpstr (ts_connection_form_get_transport (TS_CONNECTION_FORM (form)), ==, "udp");
  row = ts_connection_form_get_row (TS_CONNECTION_FORM (form), "udp-port");
  g_assert_nonnull (row);
  g_assert_null (ts_connection_form_get_row (TS_CONNECTION_FORM (form), "baud"));
  gtk_editable_set_text (GTK_EDITABLE (row), "17201");
  connection = ts_connection_form_dup_connection (TS_CONNECTION_FORM (form), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_transport (connection), ==, "udp");
  g_assert_cmpint (ts_connection_get_int (connection, "udp-port"), ==, 17201);
  g_clear_object (&connection);

  gtk_editable_set_text (GTK_EDITABLE (row), "seventeen");
  g_assert_true (gtk_widget_has_css_class (row, "error"));
  g_assert_null (ts_connection_form_dup_connection (TS_CONNECTION_FORM (form), &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);

  /* what is needed and not there is said */
  ts_connection_form_set_transport (TS_CONNECTION_FORM (form), "tcp");
  g_assert_null (ts_connection_form_dup_connection (TS_CONNECTION_FORM (form), &error));
  g_assert_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG);
  g_clear_error (&error);

  /* what this version does not have cannot be chosen */
  for (guint i = 0; ts_connection_list_transports ()[i] != NULL; i++)
    {
      const char *transport = ts_connection_list_transports ()[i];

      if (ts_connection_transport_is_built (transport))
        continue;
      ts_connection_form_set_transport (TS_CONNECTION_FORM (form), transport);
      g_assert_cmpstr (ts_connection_form_get_transport (TS_CONNECTION_FORM (form)), ==, "tcp");
    }

  /* keys without a row stay */
  ts_connection_load_data (loaded,
                           "{\"transport\":\"serial\",\"serial-port\":\"/dev/ttyACM9\","
                           "\"baud\":250000,\"comment\":\"bench\"}",
                           -1, "test", FALSE, &error);
  g_assert_no_error (error);
  ts_connection_form_set_connection (TS_CONNECTION_FORM (form), loaded);
  row = ts_connection_form_get_row (TS_CONNECTION_FORM (form), "baud");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "250000");
  connection = ts_connection_form_dup_connection (TS_CONNECTION_FORM (form), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (ts_connection_get_string (connection, "serial-port"), ==, "/dev/ttyACM9");
  g_assert_cmpstr (ts_connection_get_string (connection, "comment"), ==, "bench");
  g_object_unref (form);
}

/* A port that is taken: the reason in the panel, and the next try works. */
static void
test_failure (void)
{
  TsWindow *window = window_fixture_new ();
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) address = NULL;
  g_autofree char *port = NULL;
  g_autoptr (GError) error = NULL;
  Growth growth = { window, 1000 };

  socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP,
                         &error);
  g_assert_no_error (error);
  g_assert_true (g_socket_bind (socket, any, FALSE, &error));
  address = g_socket_get_local_address (socket, &error);
  port = g_strdup_printf ("%u",
                          g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address)));
  ts_connection_set_from_text (connection, "transport", "udp", &error);
  ts_connection_set_from_text (connection, "udp-ip", "127.0.0.1", &error);
  ts_connection_set_from_text (connection, "udp-port", port, &error);
  g_assert_no_error (error);
  ts_window_start (window, connection);
  gui_test_wait (shows_problem, window);
  g_assert_false (ts_window_is_capturing (window));
  g_assert_false (window_fixture_has_recording (window));
  ts_window_start_demo (window);
  g_assert_false (shows_problem (window));
  gui_test_wait (has_grown, &growth);
  ts_window_stop (window);
  gui_test_wait (has_closed_recording, window);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Every switch and choice below @widget, by the key it is about. */
static void
collect_controls (GtkWidget *widget,
                  GHashTable *controls)
{
  const char *key = g_object_get_data (G_OBJECT (widget), "key");

  if (key != NULL)
    g_hash_table_insert (controls, (gpointer) key, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_controls (child, controls);
}

/* Every control of the preferences is a setting, and what it says holds at once. */
/* What the next capture of a window does with the bytes. */
static gboolean
keeps_raw (TsWindow *window)
{
  GtkWidget *panel = gui_test_find (GTK_WIDGET (window), TS_TYPE_CAPTURE_PANEL);
  gpointer raw = gtk_widget_get_template_child (panel, TS_TYPE_CAPTURE_PANEL, "raw_switch");

  return gtk_switch_get_active (raw);
}

static void
test_preferences (void)
{
  static const char * const switches[] = { "drag-pans", "restore-session", "follow-new",
                                           "follow-resume", "keep-raw-log", "state-labels" };
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_new ();
  TsViewState *view = ts_window_get_view (window);
  g_autoptr (GSettings) settings = ts_settings_new ();
  g_autoptr (GHashTable) controls = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *ticks = NULL;
  GtkWindow *preferences;

  window_fixture_load (window, path);
  gui_test_wait (window_fixture_has_recording, window);
  preferences = ts_preferences_show (GTK_WINDOW (window));
  g_assert_nonnull (settings);
  collect_controls (GTK_WIDGET (preferences), controls);
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    {
      GtkSwitch *control = g_hash_table_lookup (controls, switches[i]);
      gboolean was_on = ts_settings_get_bool (settings, switches[i], FALSE);

      g_test_message ("%s", switches[i]);
      g_assert_nonnull (control);
      g_assert_true (gtk_switch_get_active (control) == was_on);
      gtk_switch_set_active (control, !was_on);
      g_assert_true (ts_settings_get_bool (settings, switches[i], was_on) == !was_on);
      if (g_str_equal (switches[i], "state-labels"))
        g_assert_false (ts_view_state_has_state_labels (view));
      if (g_str_equal (switches[i], "follow-resume"))
        g_assert_false (ts_view_state_can_resume (view));
      if (g_str_equal (switches[i], "keep-raw-log"))
        g_assert_true (keeps_raw (window) == !was_on);
      gtk_switch_set_active (control, was_on);
    }
  g_assert_false (ts_view_state_is_color_by_state (view));
  adw_combo_row_set_selected (g_hash_table_lookup (controls, "color-by"), 1);
  g_assert_true (ts_view_state_is_color_by_state (view));
  adw_combo_row_set_selected (g_hash_table_lookup (controls, "color-by"), 0);
  g_assert_false (ts_view_state_is_color_by_state (view));

  /* ticks, from a place of the user's */
  adw_combo_row_set_selected (g_hash_table_lookup (controls, "time-unit"), 4);
  ts_view_state_set_cursor (view, 1000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.time-zero", NULL);
  ticks = ts_view_state_format_time (view, 1234);
  g_assert_true (g_str_has_prefix (ticks, "234"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.time-zero", NULL);
  adw_combo_row_set_selected (g_hash_table_lookup (controls, "time-unit"), 0);
  g_assert_cmpint (ts_view_state_get_time_style (view), ==, TS_TIME_SINCE_BEGIN);
  gtk_window_destroy (preferences);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Another file does not take the place of what is seen: it gets a window of its own. */
static void
test_second_file (void)
{
  g_autofree char *first = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *second = gui_test_make_demo (2000);
  TsWindow *window = window_fixture_new ();
  GList *windows;
  GtkWindow *other = NULL;

  window_fixture_load (window, first);
  gui_test_wait (window_fixture_has_recording, window);
  window_fixture_load (window, second);
  windows = gtk_application_get_windows (window_fixture_get_application ());
  for (GList *l = windows; l != NULL; l = l->next)
    if (TS_IS_WINDOW (l->data) && l->data != (gpointer) window)
      other = l->data;
  g_assert_nonnull (other);
  gui_test_wait (window_fixture_has_recording, other);
  g_assert_cmpstr (ts_recording_get_path (
                       ts_view_state_get_recording (ts_window_get_view (window))),
                   ==, first);
  g_assert_cmpstr (ts_recording_get_path (
                       ts_view_state_get_recording (ts_window_get_view (TS_WINDOW (other)))),
                   ==, second);
  gtk_window_destroy (other);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A trace run with two captures: both are opened, each in a window, read as the configuration says. */
static void
test_trace_run (void)
{
  /* Source: itm-dwt.md sections 5 (example 36) and 7.3 (PC sample 08000218h from source 1) */
  static const char swo[] = "\x47\xAA\xB8\x00\x08\x8F\xC2\x00\x00\x00\xC0\xF7\xC9\x04";
  static const char buffer[] = "\x03\x17\x18\x02\x00\x08\x01\0\0\0\0\0\0\0\0";
  static const char config[] = "ctrace-run:\n"
                               "  ctrace-setup:\n"
                               "  - timestamps:\n"
                               "      clock: 2000000\n"
                               "  ctrace-refs: []\n";
  g_autofree char *folder = g_dir_make_tmp ("taskscope-run-XXXXXX", NULL);
  g_autofree char *config_path = g_build_filename (folder, "A.ctrace-run.yml", NULL);
  g_autofree char *swo_path = g_build_filename (folder, "A.SWO.raw", NULL);
  g_autofree char *buffer_path = g_build_filename (folder, "A.TB.raw", NULL);
  TsWindow *window = window_fixture_new ();
  GList *windows;
  GtkWindow *other = NULL;
  TsRecording *first;
  TsRecording *second;

  g_assert_true (g_file_set_contents (config_path, config, -1, NULL));
  g_assert_true (g_file_set_contents (swo_path, swo, sizeof swo - 1, NULL));
  g_assert_true (g_file_set_contents (buffer_path, buffer, sizeof buffer, NULL));
  window_fixture_load (window, config_path);
  windows = gtk_application_get_windows (window_fixture_get_application ());
  for (GList *l = windows; l != NULL; l = l->next)
    if (TS_IS_WINDOW (l->data) && l->data != (gpointer) window)
      other = l->data;
  g_assert_nonnull (other);
  gui_test_wait (window_fixture_has_recording, window);
  gui_test_wait (window_fixture_has_recording, other);
  first = ts_view_state_get_recording (ts_window_get_view (window));
  second = ts_view_state_get_recording (ts_window_get_view (TS_WINDOW (other)));
  g_assert_true (g_str_has_suffix (ts_recording_get_path (first), "A.SWO.raw.vadb"));
  g_assert_true (g_str_has_suffix (ts_recording_get_path (second), "A.TB.raw.vadb"));
  g_assert_cmpuint (ts_recording_get_clock_hz (first), ==, 2000000);
  g_assert_cmpuint (ts_recording_get_n_events (first), ==, 1);
  g_assert_cmpuint (ts_recording_get_n_events (second), ==, 1);
  gtk_window_destroy (other);
  gtk_window_destroy (GTK_WINDOW (window));
  g_unlink (config_path);
  g_unlink (swo_path);
  g_unlink (buffer_path);
  g_rmdir (folder);
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/window/early-pane", test_early_pane);
  g_test_add_func ("/gui/window/open", test_open);
  g_test_add_func ("/gui/window/empty", test_empty);
  g_test_add_func ("/gui/window/inspector", test_inspector);
  g_test_add_func ("/gui/window/event-at", test_event_at);
  g_test_add_func ("/gui/window/import", test_import);
  g_test_add_func ("/gui/window/import-trace", test_import_trace);
  g_test_add_func ("/gui/window/raw-bytes", test_raw_bytes);
  g_test_add_func ("/gui/window/bad-files", test_bad_files);
  g_test_add_func ("/gui/window/export", test_export);
  g_test_add_func ("/gui/window/demo", test_demo);
  g_test_add_func ("/gui/window/sort-live", test_sort_live);
  g_test_add_func ("/gui/window/close-while-capturing", test_close_while_capturing);
  g_test_add_func ("/gui/window/failure", test_failure);
  g_test_add_func ("/gui/window/preferences", test_preferences);
  g_test_add_func ("/gui/window/second-file", test_second_file);
  g_test_add_func ("/gui/window/trace-run", test_trace_run);
  g_test_add_func ("/gui/connection-form", test_form);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
