/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-window-index.c: lanes of long recordings of other programs, made in the background. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "model/ts-index.h"

#include "ui/ts-progress.h"
#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

#define PROGRESS_INTERVAL_MS 100

typedef struct
{
  TsRecording *source;
  guint64 max_bytes;
} Indexing;

static void
indexing_free (gpointer data)
{
  Indexing *indexing = data;

  g_object_unref (indexing->source);
  g_free (indexing);
}

static void
on_progress (double fraction,
             gpointer user_data)
{
  ts_job_set_fraction (user_data, fraction);
}

/* The result is the recording once more, which now finds its lanes. */
static gpointer
index_thread (TsJob *job,
              gpointer data,
              GCancellable *cancellable,
              GError **error)
{
  Indexing *indexing = data;
  g_autoptr (TsRecording) own = ts_recording_reopen (indexing->source, error);

  if (own == NULL ||
      !ts_index_build (own, indexing->max_bytes, on_progress, job, cancellable, error))
    return NULL;
  return _ts_window_read_recording (ts_recording_get_path (own), error);
}

static void
stop_showing (TsWindow *self)
{
  g_clear_handle_id (&self->index_timer_id, g_source_remove);
  g_clear_object (&self->index_job);
  if (!gtk_widget_in_destruction (GTK_WIDGET (self)))
    gtk_revealer_set_reveal_child (self->index_revealer, FALSE);
}

static void
on_indexed (GObject *source,
            GAsyncResult *result,
            gpointer user_data)
{
  g_autoptr (TsWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_job_run_finish (TS_JOB (source), result, &error);
  TsRecording *shown;

  if ((gpointer) self->index_job != (gpointer) source)
    return;
  stop_showing (self);
  if (gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  shown = ts_view_state_get_recording (self->view);
  if (recording != NULL && shown != NULL &&
      g_strcmp0 (ts_recording_get_path (shown), ts_recording_get_path (recording)) == 0)
    _ts_window_set_recording (self, recording, TRUE);
  else if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) &&
           !g_error_matches (error, TS_MODEL_ERROR, TS_MODEL_ERROR_CANCELLED))
    ts_window_show_error (self, error->message);
}

static gboolean
on_timer (gpointer user_data)
{
  TsWindow *self = user_data;

  ts_progress_show (self->index_progress, ts_job_get_fraction (self->index_job));
  return G_SOURCE_CONTINUE;
}

/* The recording is shown from samples: the rest is made beside it, once. */
void
_ts_window_begin_index (TsWindow *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autofree char *base = NULL;
  g_autofree char *title = NULL;
  Indexing *indexing;

  _ts_window_cancel_index (self);
  if (recording == NULL || ts_recording_is_live (recording) || !ts_index_is_needed (recording))
    return;
  base = g_path_get_basename (ts_recording_get_path (recording));
  /* translators: %s is the name of a file */
  title = g_strdup_printf (_ ("A first picture from samples; reading all of %s"), base);
  self->index_job = ts_job_new (title);
  gtk_label_set_text (self->index_label, title);
  gtk_progress_bar_set_fraction (self->index_progress, 0.0);
  gtk_revealer_set_reveal_child (self->index_revealer, TRUE);
  self->index_timer_id = g_timeout_add (PROGRESS_INTERVAL_MS, on_timer, self);
  indexing = g_new0 (Indexing, 1);
  indexing->source = g_object_ref (recording);
  indexing->max_bytes =
      (guint64) MAX (ts_settings_get_int (self->settings, "cache-gigabytes", 8), 1) << 30;
  ts_job_run_async (self->index_job, index_thread, indexing, indexing_free, g_object_unref,
                    on_indexed, g_object_ref (self));
}

void
_ts_window_cancel_index (TsWindow *self)
{
  if (self->index_job == NULL)
    return;
  ts_job_cancel (self->index_job);
  stop_showing (self);
}

static void
cancel_index_action (GtkWidget *widget,
                     const char *name,
                     GVariant *parameter)
{
  _ts_window_cancel_index (TS_WINDOW (widget));
}

void
_ts_window_install_index (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.cancel-index", NULL, cancel_index_action);
}
