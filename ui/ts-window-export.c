/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-export-ctf.h"
#include "model/ts-export-perfetto.h"
#include "model/ts-export-vadb.h"
#include "model/ts-export.h"
#include "ui/draw/ts-painter.h"

#include "ui/ts-numbers.h"
#include "ui/ts-window-private.h"

/** What is written; told by the name of the file. */
typedef enum
{
  FORMAT_RECORDING,
  FORMAT_CSV,
  FORMAT_PERFETTO,
  FORMAT_CTF,
  FORMAT_PNG,
  FORMAT_SVG,
  FORMAT_PDF,
  N_FORMATS
} Format;

static const struct
{
  const char *suffix;
  const char *name;
} formats[N_FORMATS] = {
  { "vadb", N_ ("Recording") },     { "csv", N_ ("Table (CSV)") },
  { "json", N_ ("Perfetto trace") }, { "ctf", N_ ("CTF trace (folder)") },
  { "png", N_ ("Picture (PNG)") },   { "svg", N_ ("Picture (SVG)") },
  { "pdf", N_ ("Picture (PDF)") },
};

/** Which part. */
typedef enum
{
  PART_DEFAULT, /* the selected range, else what is seen (pictures) or everything */
  PART_ALL,
  PART_VISIBLE,
  PART_RANGE,
} Part;

/**
 * Export:
 * @source: the recording, for the thread
 * @target: the file to write
 * @begin_us, @end_us: the part, -1 for the whole
 * @lanes: (nullable): only these lanes
 * @picture: (nullable): what is written if it is one; it was drawn before
 * @n_events: (out): rows written
 */
typedef struct
{
  TsRecording *source;
  char *target;
  Format format;
  gint64 begin_us;
  gint64 end_us;
  char **lanes;
  TsPicture *picture;
  guint64 n_events;
} Export;

static void
export_free (Export *export)
{
  g_clear_object (&export->source);
  g_free (export->target);
  g_strfreev (export->lanes);
  ts_picture_free (export->picture);
  g_free (export);
}

static gboolean
is_picture (Format format)
{
  return format >= FORMAT_PNG;
}

static Format
get_format (const char *path)
{
  for (guint i = 0; i < N_FORMATS; i++)
    if (g_str_has_suffix (path, formats[i].suffix))
      return i;
  return FORMAT_CSV;
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
  options.lanes = (const char * const *) export->lanes;
  if (is_picture (export->format))
    return ts_picture_write (export->picture, error) ? g_strdup ("") : NULL;
  own = ts_recording_reopen (export->source, error);
  if (own == NULL)
    return NULL;
  if (export->format == FORMAT_RECORDING)
    is_done = ts_export_vadb (own, export->target, &options, FALSE, on_progress, job,
                              cancellable, &export->n_events, error);
  else if (export->format == FORMAT_PERFETTO)
    is_done = ts_export_perfetto (own, export->target, &options, FALSE, on_progress,
                                  job, cancellable, &export->n_events, error);
  else if (export->format == FORMAT_CTF)
    is_done = ts_export_ctf (own, export->target, &options, on_progress, job,
                             cancellable, &export->n_events, error);
  else
    is_done = ts_export_csv (own, export->target, &options, on_progress, job,
                             cancellable, &export->n_events, error);
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

static void
choose_part (TsWindow *self,
             Part part,
             Export *export)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 end = begin + ts_view_state_get_span (self->view);
  gboolean has_range = ts_view_state_get_range (self->view, &begin, &end);

  export->begin_us = -1;
  export->end_us = -1;
  if (part == PART_ALL || (part == PART_DEFAULT && !has_range && !is_picture (export->format)))
    return;
  if (part == PART_VISIBLE || !has_range)
    {
      begin = ts_view_state_get_begin (self->view);
      end = begin + ts_view_state_get_span (self->view);
    }
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
              Format format,
              Part part,
              GError **error)
{
  g_autoptr (TsViewState) view = ts_view_state_copy (self->view);
  TsRecording *recording = ts_view_state_get_recording (view);
  AdwStyleManager *style = adw_style_manager_get_default ();
  TsPictureOptions options = {
    .format = formats[format].suffix,
    .width = MAX (400, gtk_widget_get_width (GTK_WIDGET (self->timeline))),
    .height = MAX (300, gtk_widget_get_height (GTK_WIDGET (self->timeline))),
    .dark = adw_style_manager_get_dark (style),
    .high_contrast = adw_style_manager_get_high_contrast (style),
    .view = view,
  };
  gint64 begin, end;

  if (part == PART_ALL)
    ts_view_state_set_visible (view, 0, MAX (ts_recording_get_duration (recording), 1));
  else if (part != PART_VISIBLE && ts_view_state_get_range (view, &begin, &end))
    ts_view_state_set_visible (view, begin, MAX (end - begin, 1));
  return ts_picture_new (recording, target, &options, error);
}

/* Names of the lanes that have rows. */
static char **
dup_shown_lanes (TsWindow *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (self->view, &n);

  for (guint i = 0; i < n; i++)
    {
      const TsLaneInfo *lane =
          rows[i].is_header ? NULL : ts_recording_get_lane (recording, rows[i].lane);

      if (lane != NULL)
        g_ptr_array_add (names, g_strdup (lane->name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static void
start_export (TsWindow *self,
              const char *target,
              Part part,
              gboolean shown_lanes_only)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *base = g_path_get_basename (target);
  g_autofree char *title = g_strdup_printf (_ ("Writing %s"), base);
  g_autoptr (TsJob) job = ts_job_new (title);
  g_autoptr (TsPicture) picture = NULL;
  g_autoptr (GError) error = NULL;
  Format format = get_format (target);
  Export *export;

  if (recording == NULL)
    return;
  if (is_picture (format))
    {
      picture = draw_picture (self, target, format, part, &error);
      if (picture == NULL)
        {
          ts_window_show_error (self, error->message);
          return;
        }
    }
  if (!_ts_window_begin_job (self, job))
    return;
  export = g_new0 (Export, 1);
  export->picture = g_steal_pointer (&picture);
  export->source = g_object_ref (recording);
  export->target = g_strdup (target);
  export->format = format;
  if (shown_lanes_only)
    export->lanes = dup_shown_lanes (self);
  choose_part (self, part, export);
  ts_job_run_async (job, export_thread, export, (GDestroyNotify) export_free, g_free, on_exported,
                    g_object_ref (self));
}

/* --- the dialog ------------------------------------------------------------------------------- */

/* A name without a suffix gets that of the kind chosen in the dialog. */
static char *
complete_name (GtkFileChooser *chooser,
               GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  GtkFileFilter *filter = gtk_file_chooser_get_filter (chooser);
  guint i;

  if (path == NULL)
    return NULL;
  for (i = 0; i < N_FORMATS; i++)
    {
      g_autofree char *suffix = g_strconcat (".", formats[i].suffix, NULL);

      if (g_str_has_suffix (path, suffix))
        return g_steal_pointer (&path);
    }
  for (i = 0; filter != NULL && i < N_FORMATS; i++)
    if (g_strcmp0 (gtk_file_filter_get_name (filter), _ (formats[i].name)) == 0)
      return g_strconcat (path, ".", formats[i].suffix, NULL);
  return g_strconcat (path, ".csv", NULL);
}

static void
on_response (GtkNativeDialog *dialog,
             int response,
             TsWindow *self)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (dialog);
  const char *part = gtk_file_chooser_get_choice (chooser, "part");
  const char *lanes = gtk_file_chooser_get_choice (chooser, "lanes");
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;
  Part chosen = PART_DEFAULT;
  gboolean is_filtered = g_strcmp0 (lanes, "true") == 0;

  if (g_strcmp0 (part, "all") == 0)
    chosen = PART_ALL;
  else if (g_strcmp0 (part, "visible") == 0)
    chosen = PART_VISIBLE;
  else if (g_strcmp0 (part, "range") == 0)
    chosen = PART_RANGE;
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (chooser);
  if (file != NULL)
    path = complete_name (chooser, file);
  g_object_unref (dialog);
  if (path != NULL)
    start_export (self, path, chosen, is_filtered);
}

static void
add_choices (TsWindow *self,
             GtkFileChooser *chooser,
             Format first)
{
  const char *parts[] = { "all", "visible", "range", NULL };
  const char *labels[] = { _ ("Everything"), _ ("What Is Seen"), _ ("Selected Range"), NULL };
  gboolean has_range = ts_view_state_get_range (self->view, NULL, NULL);

  if (!has_range)
    parts[2] = labels[2] = NULL;
  gtk_file_chooser_add_choice (chooser, "part", _ ("Part"), parts, labels);
  gtk_file_chooser_set_choice (chooser, "part",
                               has_range ? "range" : is_picture (first) ? "visible" : "all");
  gtk_file_chooser_add_choice (chooser, "lanes", _ ("Only Lanes That Are Shown"), NULL, NULL);
  gtk_file_chooser_set_choice (chooser, "lanes", "false");
}

static void
export_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  TsRecording *recording = ts_view_state_get_recording (self->view);
  Format first = g_str_equal (name, "win.export-picture") ? FORMAT_PNG
                 : g_str_equal (name, "win.export-csv")   ? FORMAT_CSV
                                                          : FORMAT_RECORDING;
  g_autofree char *base = NULL;
  g_autofree char *suggestion = NULL;
  GtkFileChooserNative *dialog;

  if (recording == NULL)
    return;
  base = g_path_get_basename (ts_recording_get_path (recording));
  if (g_str_has_suffix (base, ".vadb"))
    base[strlen (base) - 5] = '\0';
  suggestion = g_strconcat (base, first == FORMAT_RECORDING ? "-part." : ".",
                            formats[first].suffix, NULL);
  dialog = gtk_file_chooser_native_new (_ ("Export"), GTK_WINDOW (self),
                                        GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  for (guint i = 0; i < N_FORMATS; i++)
    {
      g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

      gtk_file_filter_set_name (filter, _ (formats[i].name));
      gtk_file_filter_add_suffix (filter, formats[i].suffix);
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
      if (i == first)
        gtk_file_chooser_set_filter (GTK_FILE_CHOOSER (dialog), filter);
    }
  add_choices (self, GTK_FILE_CHOOSER (dialog), first);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), suggestion);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The same without a dialog, for scripts and tests: the parameter is the path to write. */
static void
export_to_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  start_export (TS_WINDOW (widget), g_variant_get_string (parameter, NULL), PART_DEFAULT, FALSE);
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
