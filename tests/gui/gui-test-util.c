/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <locale.h>

#include "capture/ts-capture-session.h"
#include "ui/ts-timeline-private.h"

#include "gui-test-util.h"

/* %FALSE: there is no display; a TAP line that says so was printed. */
gboolean
gui_test_init (int *argc,
               char ***argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (argc, argv, NULL);
  if (!gtk_init_check ())
    {
      puts ("1..0 # SKIP no display");
      return FALSE;
    }
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  return TRUE;
}

static gboolean
on_timeout (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Wakes the loop, so that the condition is looked at again. */
static gboolean
on_pulse (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* Runs the main loop until the condition holds; fails when it never does. */
void
gui_test_wait (GuiTestCondition condition,
               gpointer user_data)
{
  gboolean is_over = FALSE;
  guint id = g_timeout_add_seconds (GUI_TEST_DEADLINE_S, on_timeout, &is_over);
  guint tick = g_timeout_add (10, on_pulse, NULL);

  while (!condition (user_data) && !is_over)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (tick);
  g_assert_false (is_over);
  g_source_remove (id);
}

static gboolean
has_ended (gpointer process)
{
  return g_subprocess_get_identifier (process) == NULL;
}

static void
on_ended (GObject *process,
          GAsyncResult *result,
          gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  g_subprocess_wait_check_finish (G_SUBPROCESS (process), result, &error);
  g_assert_no_error (error);
}

/* Runs a program to its end while the main loop goes on; fails when the program does. */
void
gui_test_run (const char *const *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process
      = g_subprocess_newv (arguments, G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error);

  g_assert_no_error (error);
  g_subprocess_wait_check_async (process, NULL, on_ended, NULL);
  gui_test_wait (has_ended, process);
}

/* Runs the main loop for a while: for "nothing happens" only. */
void
gui_test_iterate (guint ms)
{
  gboolean is_over = FALSE;

  g_timeout_add (ms, on_timeout, &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}

char *
gui_test_data (const char *name)
{
  const char *folder = g_getenv ("TASKSCOPE_TEST_DATA");

  g_assert_nonnull (folder);
  return g_build_filename (folder, name, NULL);
}

static char *
new_path (void)
{
  static guint n;
  g_autofree char *base = g_strdup_printf ("gui-test-%u.vadb", ++n);

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  return g_build_filename (g_get_user_data_dir (), base, NULL);
}

/* A recording of a file of captured bytes. */
char *
gui_test_make_recording (const char *data_name)
{
  g_autofree char *source = gui_test_data (data_name);
  const char *paths[] = { source, NULL };
  g_autofree char *path = new_path ();
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };

  ts_import_files (paths, "auto", 0, FALSE, path, NULL, NULL, NULL, &summary, NULL, &error);
  g_assert_no_error (error);
  ts_recording_summary_clear (&summary);
  return g_steal_pointer (&path);
}

char *
gui_test_make_demo (guint64 n_events)
{
  g_autofree char *path = new_path ();
  g_autoptr (GError) error = NULL;
  TsRecordingSummary summary = { 0 };

  ts_import_demo (n_events, 1, 20000, path, NULL, NULL, NULL, &summary, &error);
  g_assert_no_error (error);
  ts_recording_summary_clear (&summary);
  return g_steal_pointer (&path);
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_get_width (widget) > 0;
}

GtkWindow *
gui_test_show (GtkWidget *child,
               int width,
               int height)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_child (GTK_WINDOW (window), child);
  gtk_window_present (GTK_WINDOW (window));
  gui_test_wait (is_mapped, child);
  gtk_test_widget_wait_for_draw (child);
  return GTK_WINDOW (window);
}

/* The first widget of a type below @root. */
GtkWidget *
gui_test_find (GtkWidget *root,
               GType type)
{
  GtkWidget *child;

  if (g_type_is_a (G_OBJECT_TYPE (root), type))
    return root;
  for (child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = gui_test_find (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* GTK 4 has no made-up events: tests emit the signals of a widget's controllers. */
GtkEventController *
gui_test_find_controller (GtkWidget *widget,
                          GType type,
                          guint button)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  guint i;

  for (i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_OBJECT_TYPE (controller) == type &&
          (button == 0 ||
           gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == button))
        return controller;
    }
  return NULL;
}

/* A press at a place of the timeline, a move if it is one, and the release. */
void
gui_test_drag (GtkWidget *timeline,
               guint button,
               double x,
               double y,
               double dx,
               double dy)
{
  GtkEventController *gesture;

  gesture = gui_test_find_controller (timeline, GTK_TYPE_GESTURE_DRAG, button);
  g_assert_nonnull (gesture);
  g_signal_emit_by_name (gesture, "drag-begin", x, y);
  if (dx != 0.0 || dy != 0.0)
    {
      g_signal_emit_by_name (gesture, "drag-update", dx / 2, dy / 2);
      g_signal_emit_by_name (gesture, "drag-update", dx, dy);
    }
  g_signal_emit_by_name (gesture, "drag-end", dx, dy);
  gui_test_settle (timeline);
}

/* Whether nothing waits for the file. */
gboolean
gui_test_is_settled (GtkWidget *timeline)
{
  const TsTimeline *self = TS_TIMELINE (timeline);

  for (guint i = 0; i < TS_SNAP_N; i++)
    if (i != TS_SNAP_NOTHING && self->snaps[i].lane != 0)
      return FALSE;
  return self->await == TS_AWAIT_NOTHING && self->moves->len == 0 && !self->is_card_pending;
}

static gboolean
has_settled (gpointer timeline)
{
  return gui_test_is_settled (timeline);
}

/* What was to be read from the file is there: the step is made, the slice selected, the card whole. */
void
gui_test_settle (GtkWidget *timeline)
{
  gui_test_wait (has_settled, timeline);
}

/* A place in the middle of the row of the lane named @name, in widget coordinates. */
double
gui_test_find_row_y (GtkWidget *timeline,
                     TsViewState *view,
                     const char *name,
                     guint32 *lane)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (view, &n_rows);
  int header = gtk_widget_get_height (timeline) -
               (int) gtk_adjustment_get_page_size (
                   ts_timeline_get_vadjustment (TS_TIMELINE (timeline)));
  guint i;

  for (i = 0; i < n_rows; i++)
    {
      const TsLaneInfo *info =
          rows[i].is_header
              ? NULL
              : ts_recording_get_lane (ts_view_state_get_recording (view), rows[i].lane);

      if (rows[i].is_header ? name == NULL : g_strcmp0 (info->name, name) == 0)
        {
          *lane = rows[i].lane;
          return header + rows[i].y + rows[i].height / 2.0;
        }
    }
  g_assert_not_reached ();
}

/* What a cell of a table says; stays for good. */
const char *
gui_test_get_cell (TsTable *table,
                   guint row,
                   guint column)
{
  g_autoptr (TsTableRow) found = ts_table_get_row (table, row);

  g_assert_nonnull (found);
  return g_intern_string (ts_table_row_get_text (found, column));
}

/* What a row of a table is about. */
TsTablePlace
gui_test_get_place (TsTable *table,
                    guint row)
{
  g_autoptr (TsTableRow) found = ts_table_get_row (table, row);
  TsTablePlace place = { 0 };

  g_assert_nonnull (found);
  place.lane = ts_table_row_get_lane (found);
  ts_table_row_get_place (found, &place.begin, &place.end);
  return place;
}

/* Which widget it is, for people. */
char *
gui_test_describe (GtkWidget *widget)
{
  GString *text = g_string_new (G_OBJECT_TYPE_NAME (widget));
  const char *tooltip = gtk_widget_get_tooltip_text (widget);
  GtkWidget *label = gui_test_find (widget, GTK_TYPE_LABEL);

  if (tooltip != NULL || label != NULL)
    g_string_append_printf (text, " \"%s\"",
                            tooltip != NULL ? tooltip : gtk_label_get_text (GTK_LABEL (label)));
  g_string_append_printf (text, " in %s", G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)));
  return g_string_free (text, FALSE);
}

typedef struct
{
  TsEventModel *model;
  guint64 line;
  TsEvent *event;
} Line;

static gboolean
is_line_read (gpointer user_data)
{
  Line *line = user_data;

  return ts_event_model_read (line->model, line->line, line->event);
}

/* The event of a line, waited for where it is not in memory. */
void
gui_test_read_line (TsEventModel *model,
                    guint64 line,
                    TsEvent *event)
{
  Line wanted = { model, line, event };

  if (!is_line_read (&wanted))
    gui_test_wait (is_line_read, &wanted);
}

/* How often the worker that opens a recording reads from it before the window has it. */
guint64
gui_test_count_opening_reads (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);

  g_assert_no_error (error);
  ts_recording_read_coarse (recording);
  return ts_recording_get_n_reads (recording);
}
