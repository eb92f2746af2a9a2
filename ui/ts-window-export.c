/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-export.h"
#include "ui/draw/ts-painter.h"

#include "ui/ts-numbers.h"
#include "ui/ts-window-private.h"

/**
 * Export:
 * @source: the recording
 * @target: the file to write
 * @is_picture: a picture, else a table
 * @begin_us, @end_us: the part, -1 for the whole
 * @lanes: (nullable): lanes on screen
 * @n_events: (out): rows written
 */
typedef struct
{
  char *source;
  char *target;
  gboolean is_picture;
  gint64 begin_us;
  gint64 end_us;
  int width;
  int height;
  gboolean is_dark;
  guint64 n_events;
} Export;

static void
export_free (Export *export)
{
  g_free (export->source);
  g_free (export->target);
  g_free (export);
}

static void
on_progress (double fraction,
             gpointer user_data)
{
  ts_job_set_fraction (user_data, fraction);
}

/* Reads the recording for itself, so that the window can go on with its own. */
static gpointer
export_thread (TsJob *job,
               gpointer data,
               GCancellable *cancellable,
               GError **error)
{
  Export *export = data;
  g_autoptr (TsRecording) recording = ts_recording_open (export->source, error);
  gboolean is_done;

  if (recording == NULL)
    return NULL;
  if (export->is_picture)
    {
      TsPictureOptions options = {
        .format = g_str_has_suffix (export->target, ".svg") ? "svg" : "png",
        .width = export->width,
        .height = export->height,
        .t_start_us = export->begin_us,
        .t_end_us = export->end_us,
        .dark = export->is_dark,
      };

      is_done = ts_picture_export (recording, export->target, &options, error);
    }
  else
    {
      TsQueryOptions options = TS_QUERY_OPTIONS_INIT;

      options.t_start_us = export->begin_us;
      options.t_end_us = export->end_us;
      is_done = ts_export_csv (recording, export->target, &options, on_progress, job, cancellable,
                               &export->n_events, error);
    }
  if (!is_done)
    return NULL;
  if (export->is_picture)
    return g_strdup ("");
  return ts_format_count (export->n_events);
}

static void
on_exported (GObject *source,
             GAsyncResult *result,
             gpointer user_data)
{
  g_autoptr (TsWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *count = ts_job_run_finish (TS_JOB (source), result, &error);
  g_autofree char *text = NULL;

  _ts_window_end_job (self);
  if (gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  if (count == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        ts_window_show_error (self, error->message);
      return;
    }
  if (*count == '\0')
    text = g_strdup (_ ("Picture saved"));
  else
    text = g_strdup_printf (_ ("%s events saved"), count);
  _ts_window_show_toast (self, text);
}

/* The selected range; else what is visible (pictures) or everything (tables). */
static void
choose_range (TsWindow *self,
              TsRecording *recording,
              Export *export)
{
  gint64 begin;
  gint64 end;

  export->begin_us = -1;
  export->end_us = -1;
  if (!ts_view_state_get_range (self->view, &begin, &end))
    {
      if (!export->is_picture)
        return;
      begin = ts_view_state_get_begin (self->view);
      end = begin + ts_view_state_get_span (self->view);
    }
  export->begin_us = ts_recording_ticks_to_us (recording, MAX (begin, 0));
  export->end_us = ts_recording_ticks_to_us (recording, MAX (end, 1));
  if (export->end_us <= export->begin_us)
    export->end_us = export->begin_us + 1;
}

static void
start_export (TsWindow *self,
              const char *target,
              gboolean is_picture)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *base = g_path_get_basename (target);
  g_autofree char *title = g_strdup_printf (_ ("Writing %s"), base);
  g_autoptr (TsJob) job = ts_job_new (title);
  Export *export;

  if (recording == NULL || !_ts_window_begin_job (self, job))
    return;
  export = g_new0 (Export, 1);
  export->source = g_strdup (ts_recording_get_path (recording));
  export->target = g_strdup (target);
  export->is_picture = is_picture;
  export->width = MAX (1280, gtk_widget_get_width (GTK_WIDGET (self->timeline)));
  export->height = MAX (400, gtk_widget_get_height (GTK_WIDGET (self->timeline)));
  export->is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  choose_range (self, recording, export);
  ts_job_run_async (job, export_thread, export, (GDestroyNotify) export_free, g_free, on_exported,
                    g_object_ref (self));
}

static void
on_response (GtkNativeDialog *dialog,
             int response,
             TsWindow *self)
{
  gboolean is_picture = g_object_get_data (G_OBJECT (dialog), "is-picture") != NULL;
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    path = g_file_get_path (file);
  g_object_unref (dialog);
  if (path != NULL)
    start_export (self, path, is_picture);
}

static void
export_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gboolean is_picture = g_str_equal (name, "win.export-picture");
  g_autofree char *base = NULL;
  g_autofree char *suggestion = NULL;
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  GtkFileChooserNative *dialog;

  if (recording == NULL)
    return;
  base = g_path_get_basename (ts_recording_get_path (recording));
  if (g_str_has_suffix (base, ".vadb"))
    base[strlen (base) - 5] = '\0';
  suggestion = g_strconcat (base, is_picture ? ".png" : ".csv", NULL);
  dialog = gtk_file_chooser_native_new (is_picture ? _ ("Export Picture") : _ ("Export Events"),
                                        GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, NULL,
                                        NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  if (is_picture)
    {
      gtk_file_filter_set_name (filter, _ ("Pictures (PNG, SVG)"));
      gtk_file_filter_add_suffix (filter, "png");
      gtk_file_filter_add_suffix (filter, "svg");
    }
  else
    {
      gtk_file_filter_set_name (filter, _ ("Tables (CSV)"));
      gtk_file_filter_add_suffix (filter, "csv");
    }
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), suggestion);
  g_object_set_data (G_OBJECT (dialog), "is-picture", GINT_TO_POINTER (is_picture));
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The same without a dialog, for scripts and tests: the parameter is the path to write. */
static void
export_to_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  const char *path = g_variant_get_string (parameter, NULL);

  start_export (TS_WINDOW (widget), path, !g_str_has_suffix (path, ".csv"));
}

void
_ts_window_install_export (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.export-picture", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "win.export-csv", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "win.export-to", "s", export_to_action);
}
