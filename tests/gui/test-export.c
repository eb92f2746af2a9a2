/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialog of exports: what is chosen there is what is written, and nothing else. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "ui/ts-choice-list.h"
#include "ui/ts-export-dialog.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

/* A range of m4_short.cobs, ticks of 25 MHz: 0.8 s to 1 s. */
#define BEGIN 20000000
#define END 25000000

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

static char *
make_path (const char *name)
{
  char *path = g_build_filename (g_get_user_data_dir (), name, NULL);

  g_unlink (path);
  return path;
}

static GtkWidget *
find_row (GtkWidget *root,
          const char *title)
{
  GtkWidget *child;

  if (ADW_IS_PREFERENCES_ROW (root)
      && g_strcmp0 (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (root)), title) == 0)
    return root;
  for (child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
choose (TsExportDialog *dialog,
        const char *title,
        guint selected)
{
  GtkWidget *row = find_row (GTK_WIDGET (dialog), title);

  g_assert_true (ADW_IS_COMBO_ROW (row));
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), selected);
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (row)), ==, selected);
}

/* The list below a row of choices. */
static TsChoiceList *
find_list (TsExportDialog *dialog,
           const char *title)
{
  GtkWidget *row = find_row (GTK_WIDGET (dialog), title);
  GtkWidget *group = gtk_widget_get_ancestor (row, ADW_TYPE_PREFERENCES_GROUP);

  return TS_CHOICE_LIST (gtk_widget_get_next_sibling (group));
}

static TsExportDialog *
open_dialog (TsWindow *window,
             const char *action)
{
  GListModel *windows = gtk_window_get_toplevels ();

  gtk_widget_activate_action (GTK_WIDGET (window), action, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) toplevel = g_list_model_get_item (windows, i);

      if (TS_IS_EXPORT_DIALOG (toplevel) && gtk_widget_get_visible (GTK_WIDGET (toplevel)))
        return TS_EXPORT_DIALOG (toplevel);
    }
  g_assert_not_reached ();
}

static void
save (TsWindow *window,
      TsExportDialog *dialog,
      const char *path)
{
  Written written = { window, path };

  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.save-to", "s", path);
  gui_test_wait (is_written, &written);
}

/* Rows of @kind about @object in the range, counted one by one. */
static guint
count_rows (TsRecording *recording,
            gint64 begin,
            gint64 end,
            TsEventKind kind,
            const char *object)
{
  guint64 n_rows = ts_recording_get_n_rows (recording);
  g_autofree TsEvent *events = g_new (TsEvent, n_rows);
  guint n_read = 0;
  guint n = 0;

  g_assert_true (ts_recording_read_events (recording, 1, (guint) n_rows, events, &n_read, NULL));
  for (guint i = 0; i < n_read; i++)
    {
      const TsObject *about = ts_recording_get_object (recording, events[i].object);

      n += events[i].time >= begin && events[i].time <= end
           && (events[i].flags & TS_EVENT_FLAG_SYNTHETIC) == 0
           && (kind == TS_EVENT_INVALID || events[i].kind == kind)
           && (object == NULL || (about != NULL && strcmp (about->name, object) == 0));
    }
  return n;
}

/* Kinds, lanes and times from zero, as a recording. */
static void
test_recording (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *part = make_path ("chosen.vadb");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  g_autoptr (TsRecording) result = NULL;
  g_autoptr (GError) error = NULL;
  TsExportDialog *dialog;
  TsChoiceList *list;
  guint wanted;

  ts_view_state_set_range (view, BEGIN, END);
  dialog = open_dialog (window, "win.export");
  choose (dialog, "_Kinds of Events", 1);
  list = find_list (dialog, "_Kinds of Events");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (list)));
  /* only what occurs can be ticked */
  g_assert_false (ts_choice_list_choose (list, "process", TRUE));
  g_assert_true (ts_choice_list_choose (list, "task_switch", TRUE));
  choose (dialog, "_Lanes", 2);
  list = find_list (dialog, "_Lanes");
  gtk_widget_activate_action (GTK_WIDGET (list), "choice.none", NULL);
  g_assert_true (ts_choice_list_choose (list, "Ctrl", TRUE));
  gtk_switch_set_active (GTK_SWITCH (gui_test_find (
                             find_row (GTK_WIDGET (dialog), "_Times From Zero"), GTK_TYPE_SWITCH)),
                         TRUE);
  save (window, dialog, part);
  result = ts_recording_open (part, &error);
  g_assert_no_error (error);
  wanted = count_rows (recording, BEGIN, END, TS_EVENT_TASK_SWITCH, "Ctrl");
  g_assert_cmpuint (wanted, >, 10);
  g_assert_cmpuint (ts_recording_get_n_events (result), ==, wanted);
  g_assert_cmpuint (count_rows (result, 0, END - BEGIN, TS_EVENT_TASK_SWITCH, "Ctrl"), ==, wanted);
  g_assert_cmpint (ts_recording_get_duration (result), <=, END - BEGIN + 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The other formats of events: the same rows, times as the original's or from zero. */
static void
test_events (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  guint wanted;

  ts_view_state_set_range (view, BEGIN, END);
  wanted = count_rows (ts_view_state_get_recording (view), BEGIN, END, TS_EVENT_ISR, NULL);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *target = make_path (i < 2 ? "chosen.csv" : i == 2 ? "a.json" : "a.ctf");
      g_autofree char *text = NULL;
      TsExportDialog *dialog = open_dialog (window, "win.export-csv");
      g_auto (GStrv) lines = NULL;

      if (i >= 2)
        choose (dialog, "_Format", i == 2 ? TS_EXPORT_PERFETTO : TS_EXPORT_CTF);
      choose (dialog, "_Kinds of Events", 1);
      ts_choice_list_choose (find_list (dialog, "_Kinds of Events"), "isr", TRUE);
      gtk_switch_set_active (
          GTK_SWITCH (gui_test_find (find_row (GTK_WIDGET (dialog), "_Times From Zero"),
                                     GTK_TYPE_SWITCH)),
          i == 1);
      save (window, dialog, target);
      if (i >= 2)
        continue;
      g_assert_true (g_file_get_contents (target, &text, NULL, NULL));
      lines = g_strsplit (text, "\n", -1);
      /* a line of names, and nothing behind the last end of line */
      g_assert_cmpuint (g_strv_length (lines), ==, wanted + 2);
      for (guint j = 1; j <= wanted; j++)
        {
          g_auto (GStrv) fields = g_strsplit (lines[j], ",", -1);
          gint64 time = g_ascii_strtoll (fields[1], NULL, 10);

          g_assert_cmpstr (fields[3], ==, "isr");
          g_assert_cmpint (time, >=, i == 1 ? 0 : BEGIN);
          g_assert_cmpint (time, <=, i == 1 ? END - BEGIN : END);
        }
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Pictures are of what is on the screen: nothing else is offered, and no pixels are in them. */
static void
test_pictures (void)
{
  static const TsExportFormat kinds[] = { TS_EXPORT_PNG, TS_EXPORT_SVG, TS_EXPORT_PDF };
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *base
          = g_strconcat ("shown.", ts_export_format_get_suffix (kinds[i]), NULL);
      g_autofree char *target = make_path (base);
      g_autofree char *content = NULL;
      TsExportDialog *dialog = open_dialog (window, "win.export-picture");
      gsize n = 0;

      choose (dialog, "_Format", kinds[i]);
      g_assert_false (gtk_widget_get_visible (find_row (GTK_WIDGET (dialog), "_Times From Zero")));
      g_assert_false (gtk_widget_get_mapped (find_row (GTK_WIDGET (dialog), "_Lanes")));
      g_assert_false (gtk_widget_get_mapped (find_row (GTK_WIDGET (dialog), "_Kinds of Events")));
      save (window, dialog, target);
      g_assert_true (g_file_get_contents (target, &content, &n, NULL));
      if (kinds[i] == TS_EXPORT_PNG)
        continue;
      g_assert_null (g_strstr_len (content, (gssize) n, "<image"));
      g_assert_null (g_strstr_len (content, (gssize) n, "/Subtype /Image"));
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
can_save (TsExportDialog *dialog)
{
  GtkWidget *button = gtk_window_get_default_widget (GTK_WINDOW (dialog));

  return gtk_widget_get_sensitive (button);
}

typedef struct
{
  guint n_saved;
  guint n_refused;
  char *path;
} Answers;

static void
on_save (TsExportDialog *dialog,
         const char *path,
         Answers *answers)
{
  answers->n_saved++;
  g_free (answers->path);
  answers->path = g_strdup (path);
}

static void
on_refused (TsExportDialog *dialog,
            const char *text,
            Answers *answers)
{
  answers->n_refused++;
  g_assert_nonnull (strstr (text, "exists.csv"));
}

/* Nothing ticked is not everything; a name gets its suffix, but nothing is replaced unasked. */
static void
test_dialog (void)
{
  static const char * const filters[] = { "lane:Ctrl", "kind:mutex dur>5", "kind:nonsense", NULL };
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autofree char *plain = make_path ("exists");
  g_autofree char *whole = make_path ("exists.csv");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsExportDialog *dialog = ts_export_dialog_new (GTK_WINDOW (window), view, TS_EXPORT_CSV, filters);
  TsExportChoice choice;
  Answers answers = { 0 };

  gtk_window_present (GTK_WINDOW (dialog));
  /* the kinds of the filters */
  ts_export_dialog_get_choice (dialog, &choice);
  g_assert_cmpuint (g_strv_length (choice.kinds), ==, 1);
  g_assert_cmpstr (choice.kinds[0], ==, "mutex");
  g_assert_null (choice.lanes);
  g_assert_cmpint (choice.part, ==, TS_EXPORT_ALL);
  g_assert_false (choice.is_rebased);
  ts_export_choice_clear (&choice);
  g_assert_true (can_save (dialog));
  ts_choice_list_choose (find_list (dialog, "_Kinds of Events"), "mutex", FALSE);
  g_assert_false (can_save (dialog));
  choose (dialog, "_Kinds of Events", 0);
  g_assert_true (can_save (dialog));
  choose (dialog, "_Lanes", 2);
  g_assert_true (can_save (dialog));
  gtk_widget_activate_action (GTK_WIDGET (find_list (dialog, "_Lanes")), "choice.none", NULL);
  g_assert_false (can_save (dialog));
  choose (dialog, "_Format", TS_EXPORT_SVG);
  g_assert_true (can_save (dialog));
  choose (dialog, "_Format", TS_EXPORT_CSV);
  g_assert_false (can_save (dialog));

  g_signal_connect (dialog, "save", G_CALLBACK (on_save), &answers);
  g_signal_connect (dialog, "refused", G_CALLBACK (on_refused), &answers);
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.save-to", "s", plain);
  g_assert_cmpuint (answers.n_saved, ==, 1);
  g_assert_cmpstr (answers.path, ==, whole);
  g_assert_true (g_file_set_contents (whole, "before", -1, NULL));
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.save-to", "s", plain);
  g_assert_cmpuint (answers.n_saved, ==, 1);
  g_assert_cmpuint (answers.n_refused, ==, 1);
  gtk_widget_activate_action (GTK_WIDGET (dialog), "export.save-to", "s", whole);
  g_assert_cmpuint (answers.n_saved, ==, 2);
  g_free (answers.path);
  g_unlink (whole);
  gtk_window_destroy (GTK_WINDOW (dialog));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Lanes that are shown: of what is hidden nothing is written. */
static void
test_shown_lanes (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  TsWindow *window = window_fixture_open (path);
  TsViewState *view = ts_window_get_view (window);
  TsRecording *recording = ts_view_state_get_recording (view);
  TsExportDialog *dialog;
  TsExportChoice choice;
  guint n_lanes;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  for (guint i = 0; i < n_lanes; i++)
    if (strcmp (lanes[i].name, "Ctrl") == 0)
      ts_view_state_set_lane_hidden (view, lanes[i].id, TRUE);
  dialog = ts_export_dialog_new (GTK_WINDOW (window), view, TS_EXPORT_CSV, NULL);
  choose (dialog, "_Lanes", 1);
  ts_export_dialog_get_choice (dialog, &choice);
  g_assert_cmpuint (g_strv_length (choice.lanes), >, 3);
  g_assert_false (g_strv_contains ((const char * const *) choice.lanes, "Ctrl"));
  ts_export_choice_clear (&choice);
  ts_view_state_show_all_lanes (view);
  ts_export_dialog_get_choice (dialog, &choice);
  g_assert_true (g_strv_contains ((const char * const *) choice.lanes, "Ctrl"));
  ts_export_choice_clear (&choice);
  gtk_window_destroy (GTK_WINDOW (dialog));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/export/recording", test_recording);
  g_test_add_func ("/gui/export/events", test_events);
  g_test_add_func ("/gui/export/pictures", test_pictures);
  g_test_add_func ("/gui/export/dialog", test_dialog);
  g_test_add_func ("/gui/export/shown-lanes", test_shown_lanes);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
