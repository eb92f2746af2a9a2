/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-export-ctf.h"
#include "model/ts-export-perfetto.h"
#include "model/ts-export-vadb.h"
#include "model/ts-export.h"
#include "ui/draw/ts-painter.h"

#include "ui/ts-export-dialog.h"
#include "ui/ts-numbers.h"
#include "ui/ts-window-private.h"

/**
 * Export:
 * @source: the recording, for the thread
 * @target: the file to write
 * @begin_us, @end_us: the part, -1 for the whole
 * @choice: format, lanes, kinds, times
 * @picture: (nullable): what is written if it is one; it was drawn before
 * @n_events: (out): rows written
 */
typedef struct
{
  TsRecording *source;
  char *target;
  TsExportChoice choice;
  gint64 begin_us;
  gint64 end_us;
  TsPicture *picture;
  guint64 n_events;
} Export;

static void
export_free (Export *export)
{
  g_clear_object (&export->source);
  g_free (export->target);
  ts_export_choice_clear (&export->choice);
  ts_picture_free (export->picture);
  g_free (export);
}

static void
on_progress (double fraction,
             gpointer user_data)
{
  ts_job_set_fraction (user_data, fraction);
}

/* Has the recording once more for itself, so that the window can go on with its own; a picture was
 * drawn from that. */
static gpointer
export_thread (TsJob *job,
               gpointer data,
               GCancellable *cancellable,
               GError **error)
{
  Export *export = data;
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) own = NULL;
  gboolean is_done;

  options.t_start_us = export->begin_us;
  options.t_end_us = export->end_us;
  options.lanes = (const char * const *) export->choice.lanes;
  options.kinds = (const char * const *) export->choice.kinds;
  if (export->picture != NULL)
    return ts_picture_write (export->picture, on_progress, job, cancellable, error)
               ? g_strdup ("")
               : NULL;
  own = ts_recording_reopen (export->source, error);
  if (own == NULL)
    return NULL;
  switch (export->choice.format)
    {
    case TS_EXPORT_RECORDING:
      is_done = ts_export_vadb (own, export->target, &options, export->choice.is_rebased,
                                on_progress, job, cancellable, &export->n_events, error);
      break;
    case TS_EXPORT_PERFETTO:
      is_done = ts_export_perfetto (own, export->target, &options, export->choice.is_rebased,
                                    on_progress, job, cancellable, &export->n_events, error);
      break;
    case TS_EXPORT_CTF:
      is_done = ts_export_ctf (own, export->target, &options, export->choice.is_rebased,
                               on_progress, job, cancellable, &export->n_events, error);
      break;
    default:
      is_done = ts_export_csv (own, export->target, &options, export->choice.is_rebased,
                               on_progress, job, cancellable, &export->n_events, error);
      break;
    }
  if (!is_done)
    return NULL;
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

/* The part as times for the thread. */
static void
choose_part (TsWindow *self,
             Export *export)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 end = begin + ts_view_state_get_span (self->view);

  export->begin_us = -1;
  export->end_us = -1;
  if (export->choice.part == TS_EXPORT_ALL)
    return;
  if (export->choice.part == TS_EXPORT_RANGE)
    ts_view_state_get_range (self->view, &begin, &end);
  export->begin_us = ts_recording_ticks_to_us (recording, MAX (begin, 0));
  export->end_us = ts_recording_ticks_to_us (recording, MAX (end, 1));
  if (export->end_us <= export->begin_us)
    export->end_us = export->begin_us + 1;
}

/*
 * What is on the screen, in a part of time: the lanes that are shown, their order, colours, marks. Drawn
 * here, in no more than the time of a frame, since it is this thread that reads the recording.
 */
static TsPicture *
draw_picture (TsWindow *self,
              const char *target,
              const TsExportChoice *choice,
              GError **error)
{
  g_autoptr (TsViewState) view = ts_view_state_copy (self->view);
  TsRecording *recording = ts_view_state_get_recording (view);
  AdwStyleManager *style = adw_style_manager_get_default ();
  TsPictureOptions options = {
    .format = ts_export_format_get_suffix (choice->format),
    .width = MAX (400, gtk_widget_get_width (GTK_WIDGET (self->timeline))),
    .height = MAX (300, gtk_widget_get_height (GTK_WIDGET (self->timeline))),
    .dark = adw_style_manager_get_dark (style),
    .high_contrast = adw_style_manager_get_high_contrast (style),
    .view = view,
  };
  gint64 begin, end;

  if (choice->part == TS_EXPORT_ALL)
    ts_view_state_set_visible (view, 0, MAX (ts_recording_get_duration (recording), 1));
  else if (choice->part == TS_EXPORT_RANGE && ts_view_state_get_range (view, &begin, &end))
    ts_view_state_set_visible (view, begin, MAX (end - begin, 1));
  return ts_picture_new (recording, target, &options, error);
}

/* @choice: (transfer full): its contents */
static void
start_export (TsWindow *self,
              const char *target,
              TsExportChoice *choice)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *base = g_filename_display_basename (target);
  g_autofree char *title = g_strdup_printf (_ ("Writing %s"), base);
  g_autoptr (TsJob) job = ts_job_new (title);
  g_autoptr (GError) error = NULL;
  Export *export = g_new0 (Export, 1);

  export->choice = *choice;
  export->target = g_strdup (target);
  g_set_object (&export->source, recording);
  if (recording != NULL && ts_export_format_is_picture (choice->format))
    export->picture = draw_picture (self, target, choice, &error);
  if (error != NULL)
    ts_window_show_error (self, error->message);
  if (recording == NULL || error != NULL || !_ts_window_begin_job (self, job))
    {
      export_free (export);
      return;
    }
  choose_part (self, export);
  ts_job_run_async (job, export_thread, export, (GDestroyNotify) export_free, g_free, on_exported,
                    g_object_ref (self));
}

/* --- the dialog ------------------------------------------------------------------------------- */

static void
on_save (TsExportDialog *dialog,
         const char *path,
         TsWindow *self)
{
  TsExportChoice choice;

  ts_export_dialog_get_choice (dialog, &choice);
  start_export (self, path, &choice);
  gtk_window_close (GTK_WINDOW (dialog));
}

static void
on_refused (TsExportDialog *dialog,
            const char *text,
            TsWindow *self)
{
  ts_window_show_error (self, text);
}

static void
export_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  TsExportFormat first = g_str_equal (name, "win.export-picture") ? TS_EXPORT_PNG
                         : g_str_equal (name, "win.export-csv")   ? TS_EXPORT_CSV
                                                                  : TS_EXPORT_RECORDING;
  TsExportDialog *dialog;

  if (ts_view_state_get_recording (self->view) == NULL)
    return;
  dialog = ts_export_dialog_new (GTK_WINDOW (self), self->view, first,
                                 ts_search_bar_get_filters (self->search_bar));
  g_signal_connect_object (dialog, "save", G_CALLBACK (on_save), self, 0);
  g_signal_connect_object (dialog, "refused", G_CALLBACK (on_refused), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* The same without a dialog, for scripts and tests: the parameter is the path to write. */
static void
export_to_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  const char *path = g_variant_get_string (parameter, NULL);
  TsExportChoice choice = { .format = ts_export_format_of_name (path) };

  if (choice.format == TS_EXPORT_N_FORMATS)
    choice.format = TS_EXPORT_CSV;
  if (ts_view_state_get_range (self->view, NULL, NULL))
    choice.part = TS_EXPORT_RANGE;
  else if (ts_export_format_is_picture (choice.format))
    choice.part = TS_EXPORT_VISIBLE;
  start_export (self, path, &choice);
}

/* What the timeline shows, to be pasted elsewhere. */
static void
copy_picture_action (GtkWidget *widget,
                     const char *name,
                     GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  g_autoptr (GdkTexture) texture = ts_timeline_dup_texture (self->timeline);

  if (texture == NULL)
    return;
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
  _ts_window_show_toast (self, _ ("Picture copied"));
}

void
_ts_window_install_export (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.export-picture", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "win.export-csv", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "win.export", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "win.copy-picture", NULL, copy_picture_action);
  gtk_widget_class_install_action (widget_class, "win.export-to", "s", export_to_action);
}
