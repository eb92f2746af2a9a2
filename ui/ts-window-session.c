/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-window-session.c: the state of a recording kept between runs, and the user's marks. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

/* Columns of the marks. */
enum
{
  MARK_NUMBER,
  MARK_TIME,
  MARK_DELTA,
  MARK_NOTE,
  MARK_N
};

static void
show_marks (TsWindow *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = self->session_state != NULL ? ts_session_get_n_marks (self->session_state) : 0;

  for (guint i = 0; i < n; i++)
    {
      const TsMark *mark = ts_session_get_mark (self->session_state, i);
      TsTableRow *row = ts_table_row_new (MARK_N, 0, mark->time, mark->time);

      ts_table_row_set_number (row, MARK_NUMBER, g_strdup_printf ("%u", i + 1), i);
      ts_table_row_set_number (row, MARK_TIME, ts_view_state_format_time (self->view, mark->time),
                               (double) mark->time);
      if (i > 0)
        {
          gint64 delta = mark->time - ts_session_get_mark (self->session_state, i - 1)->time;

          ts_table_row_set_number (row, MARK_DELTA, ts_format_duration (recording, delta),
                                   (double) delta);
        }
      ts_table_row_set_text (row, MARK_NOTE, g_strdup (mark->note));
      g_ptr_array_add (rows, row);
    }
  ts_table_set_rows (TS_TABLE (self->marks_table), rows);
  if (self->session_state != NULL)
    ts_session_show_marks (self->session_state, self->view);
}

static void
save (TsWindow *self)
{
  g_autoptr (GError) error = NULL;

  if (self->session_state != NULL && !ts_session_save (self->session_state, &error))
    ts_window_show_error (self, error->message);
}

/* Takes down how the recording is looked at; when another one comes, and when the window goes. */
void
_ts_window_save_session (TsWindow *self)
{
  if (self->session_state == NULL || ts_view_state_get_recording (self->view) == NULL)
    return;
  ts_session_take_view (self->session_state, self->view);
  ts_session_set_filters (self->session_state, ts_search_bar_get_filters (self->search_bar));
  ts_session_set_lane_percent (self->session_state, ts_timeline_get_lane_percent (self->timeline));
  save (self);
}

/* The recording of the view is another one; with @keep_view it is the same once more. */
void
_ts_window_load_session (TsWindow *self,
                         gboolean keep_view)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);

  if (keep_view && self->session_state != NULL && recording != NULL)
    {
      show_marks (self);
      return;
    }
  g_clear_pointer (&self->session_state, ts_session_free);
  if (recording == NULL)
    return;
  self->session_state = ts_session_new (recording);
  ts_search_bar_clear_filters (self->search_bar);
  if (ts_session_load (self->session_state) &&
      ts_settings_get_bool (self->settings, "restore-session", TRUE))
    {
      const char * const *filters = ts_session_get_filters (self->session_state);

      ts_timeline_set_lane_percent (self->timeline,
                                    ts_session_get_lane_percent (self->session_state));
      ts_session_apply_view (self->session_state, self->view);
      for (guint i = 0; filters[i] != NULL; i++)
        ts_search_bar_add_filter (self->search_bar, filters[i]);
    }
  show_marks (self);
}

void
_ts_window_clear_session (TsWindow *self)
{
  g_clear_pointer (&self->session_state, ts_session_free);
}

/* --- marks ------------------------------------------------------------------------------------ */

static void
on_note (GtkEntry *entry,
         TsWindow *self)
{
  const char *note = gtk_editable_get_text (GTK_EDITABLE (entry));

  if (self->session_state != NULL)
    {
      ts_session_add_mark (self->session_state, self->mark_time, note);
      save (self);
      show_marks (self);
    }
  gtk_popover_popdown (GTK_POPOVER (self->note_popover));
  gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
}

static void
mark_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (self->session_state == NULL)
    return;
  /* the pointer goes elsewhere while the note is written */
  self->mark_time = ts_timeline_get_place (self->timeline);
  gtk_editable_set_text (GTK_EDITABLE (self->note_entry), "");
  gtk_popover_popup (GTK_POPOVER (self->note_popover));
  gtk_widget_grab_focus (self->note_entry);
}

/* The same without asking, for scripts and tests. */
static void
mark_as_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (self->session_state == NULL)
    return;
  ts_session_add_mark (self->session_state, ts_timeline_get_place (self->timeline),
                       g_variant_get_string (parameter, NULL));
  save (self);
  show_marks (self);
}

static void
remove_mark_action (GtkWidget *widget,
                    const char *name,
                    GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (self->session_state == NULL ||
      !ts_session_remove_mark (self->session_state, ts_timeline_find_mark (self->timeline)))
    return;
  save (self);
  show_marks (self);
}

/* The next or previous mark, seen from the cursor. */
static void
step_mark_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  gint64 cursor = ts_view_state_get_cursor (self->view);
  gint64 to = -1;
  guint n;
  const gint64 *marks = ts_view_state_get_marks (self->view, &n);

  for (guint i = 0; i < n; i++)
    {
      if (g_str_equal (name, "win.next-mark") && marks[i] > cursor && to < 0)
        to = marks[i];
      if (g_str_equal (name, "win.previous-mark") && marks[i] < cursor)
        to = marks[i];
    }
  if (to >= 0)
    _ts_window_go_to (self, 0, to, to);
}

static void
on_mark_go_to (TsTable *table,
               guint lane,
               gint64 begin,
               gint64 end,
               TsWindow *self)
{
  _ts_window_go_to (self, lane, begin, end);
}

void
_ts_window_init_session (TsWindow *self)
{
  GtkWidget *hint = gtk_label_new (
      _ ("M sets a mark at the cursor, or at the pointer where no cursor is seen; Shift+M removes it"));

  gtk_widget_add_css_class (hint, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (hint), 1);
  gtk_label_set_ellipsize (GTK_LABEL (hint), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (hint, gtk_label_get_text (GTK_LABEL (hint)));
  self->marks_table = ts_table_new (_ ("Marks"));
  ts_table_add_column (TS_TABLE (self->marks_table), "#", 48, TRUE);
  ts_table_add_column (TS_TABLE (self->marks_table), _ ("Time"), 148, TRUE);
  ts_table_add_column (TS_TABLE (self->marks_table), _ ("Δ"), 132, TRUE);
  ts_table_add_column (TS_TABLE (self->marks_table), _ ("Note"), 0, FALSE);
  ts_table_set_time_column (TS_TABLE (self->marks_table), MARK_TIME, self->view);
  g_signal_connect_object (self->marks_table, "go-to", G_CALLBACK (on_mark_go_to), self, 0);
  _ts_window_add_page (self, self->marks_table, "marks", _ ("Marks"), hint);
  self->note_popover = gtk_popover_new ();
  self->note_entry = gtk_entry_new ();
  g_object_set (self->note_entry, "placeholder-text", _ ("Note for this mark"), "width-chars", 28,
                NULL);
  g_signal_connect_object (self->note_entry, "activate", G_CALLBACK (on_note), self, 0);
  gtk_popover_set_child (GTK_POPOVER (self->note_popover), self->note_entry);
  gtk_popover_set_has_arrow (GTK_POPOVER (self->note_popover), FALSE);
  gtk_widget_set_parent (self->note_popover, GTK_WIDGET (self->search_bar));
}

void
_ts_window_install_session (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.mark", NULL, mark_action);
  gtk_widget_class_install_action (widget_class, "win.mark-as", "s", mark_as_action);
  gtk_widget_class_install_action (widget_class, "win.remove-mark", NULL, remove_mark_action);
  gtk_widget_class_install_action (widget_class, "win.next-mark", NULL, step_mark_action);
  gtk_widget_class_install_action (widget_class, "win.previous-mark", NULL, step_mark_action);
}
