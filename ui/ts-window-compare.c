/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-window-compare.c: a second recording below the first. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-window-private.h"

static const char * const alignments[TS_N_ALIGNMENTS] = { "begin", "mark", "cursor", "hand" };

static void
align (TsWindow *self,
       TsAlignment alignment)
{
  if (ts_compare_align (TS_COMPARE (self->compare), alignment, self->session_state))
    return;
  _ts_window_show_toast (self, alignment == TS_ALIGN_MARK
                                   ? _ ("Both recordings need a mark: set them with M.")
                                   : _ ("Set the cursor in both timelines first."));
}

static void
on_align (TsCompare *compare,
          guint alignment,
          TsWindow *self)
{
  align (self, MIN (alignment, TS_N_ALIGNMENTS - 1));
}

static void
on_go_to (TsCompare *compare,
          guint lane,
          gint64 begin,
          gint64 end,
          TsWindow *self)
{
  _ts_window_go_to (self, lane, begin, end);
}

static void
show_in_inspector (TsWindow *self,
                   TsViewState *view,
                   const char *mark)
{
  ts_inspector_set_view (self->inspector, view);
  ts_inspector_set_mark (self->inspector, mark);
  _ts_window_update_actions (self);
}

/* The inspector shows what is selected in the timeline that was last used. */
static void
on_first_entered (TsWindow *self)
{
  if (self->compare != NULL)
    show_in_inspector (self, self->view, "①");
}

static void
on_second_entered (TsWindow *self)
{
  if (self->compare != NULL)
    show_in_inspector (self, ts_compare_get_view (TS_COMPARE (self->compare)), "②");
}

static void
watch_focus (TsWindow *self,
             TsTimeline *timeline,
             GCallback callback)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();

  g_signal_connect_object (focus, "enter", callback, self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (timeline), focus);
}

/*
 * _ts_window_get_used_timeline: the timeline whose selection the inspector shows.
 */
TsTimeline *
_ts_window_get_used_timeline (TsWindow *self)
{
  TsCompare *compare = TS_COMPARE (self->compare);

  if (compare != NULL &&
      ts_inspector_get_view (self->inspector) == ts_compare_get_view (compare))
    return ts_compare_get_timeline (compare);
  return self->timeline;
}

void
_ts_window_end_compare (TsWindow *self)
{
  TsCompare *compare = TS_COMPARE (self->compare);

  if (compare == NULL)
    return;
  self->compare = NULL;
  show_in_inspector (self, self->view, NULL);
  gtk_stack_remove (self->bottom_stack, GTK_WIDGET (ts_compare_get_table (compare)));
  gtk_stack_remove (self->status_stack, ts_compare_get_status (compare));
  gtk_stack_remove (self->bottom_stack, GTK_WIDGET (ts_compare_get_findings (compare)));
  gtk_stack_remove (self->status_stack, ts_compare_get_findings_status (compare));
  gtk_paned_set_end_child (self->compare_paned, NULL);
  _ts_window_update_actions (self);
}

/* Shows @second below what is shown. */
void
_ts_window_begin_compare (TsWindow *self,
                          TsRecording *second)
{
  TsCompare *compare;

  if (ts_view_state_get_recording (self->view) == NULL)
    return;
  _ts_window_end_compare (self);
  self->compare = ts_compare_new (self->view, second);
  compare = TS_COMPARE (self->compare);
  g_signal_connect_object (compare, "align", G_CALLBACK (on_align), self, 0);
  g_signal_connect_object (compare, "go-to", G_CALLBACK (on_go_to), self, 0);
  _ts_window_apply_settings (self, ts_compare_get_view (compare),
                             ts_compare_get_timeline (compare));
  gtk_paned_set_end_child (self->compare_paned, self->compare);
  gtk_paned_set_position (self->compare_paned,
                          gtk_widget_get_height (GTK_WIDGET (self->compare_paned)) / 2);
  _ts_window_add_page (self, GTK_WIDGET (ts_compare_get_table (compare)), "compare",
                       _ ("Comparison"), ts_compare_get_status (compare));
  _ts_window_add_page (self, GTK_WIDGET (ts_compare_get_findings (compare)), "compare-findings",
                       /* translators: tab: findings of both recordings side by side */
                       _ ("Findings ①②"), ts_compare_get_findings_status (compare));
  gtk_stack_set_visible_child_name (self->bottom_stack, "compare");
  if (!self->is_watching_focus)
    watch_focus (self, self->timeline, G_CALLBACK (on_first_entered));
  self->is_watching_focus = TRUE;
  watch_focus (self, ts_compare_get_timeline (compare), G_CALLBACK (on_second_entered));
  g_signal_connect_object (ts_compare_get_view (compare), "changed",
                           G_CALLBACK (_ts_window_update_range_action), self, G_CONNECT_SWAPPED);
  show_in_inspector (self, self->view, "①");
  _ts_window_update_actions (self);
}

static void
compare_with_action (GtkWidget *widget,
                     const char *name,
                     GVariant *parameter)
{
  _ts_window_compare_path (TS_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
on_chosen (GtkNativeDialog *dialog,
           int response,
           TsWindow *self)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    _ts_window_compare_path (self, path);
  g_object_unref (dialog);
}

static void
compare_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *folder = NULL;
  g_autoptr (GFile) file = NULL;
  GtkFileChooserNative *dialog;

  if (recording == NULL)
    return;
  folder = g_path_get_dirname (ts_recording_get_path (recording));
  file = g_file_new_for_path (folder);
  dialog = gtk_file_chooser_native_new (_ ("Compare With"), GTK_WINDOW (self),
                                        GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), file, NULL);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
close_compare_action (GtkWidget *widget,
                      const char *name,
                      GVariant *parameter)
{
  _ts_window_end_compare (TS_WINDOW (widget));
}

static void
align_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  const char *alignment = g_variant_get_string (parameter, NULL);

  for (guint i = 0; i < TS_N_ALIGNMENTS && self->compare != NULL; i++)
    if (g_str_equal (alignment, alignments[i]))
      align (self, i);
}

void
_ts_window_install_compare (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.compare", NULL, compare_action);
  gtk_widget_class_install_action (widget_class, "win.compare-with", "s", compare_with_action);
  gtk_widget_class_install_action (widget_class, "win.close-compare", NULL, close_compare_action);
  gtk_widget_class_install_action (widget_class, "win.align", "s", align_action);
}
