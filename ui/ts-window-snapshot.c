/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <errno.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "capture/ts-snapshot.h"

#include "ui/ts-window-private.h"

/* Where the RAM of an Arm core begins, most often. */
#define USUAL_ADDRESS "0x20000000"

/**
 * Snapshot:
 * @connection: (nullable): the target; else @image
 * @image: (nullable): a copy of memory that begins at @base
 * @folder: where the recording goes
 */
typedef struct
{
  TsConnection *connection;
  char *image;
  guint32 base;
  char *folder;
} Snapshot;

static void
snapshot_free (Snapshot *snapshot)
{
  g_clear_object (&snapshot->connection);
  g_free (snapshot->image);
  g_free (snapshot->folder);
  g_free (snapshot);
}

/* A name that sorts by time and does not exist yet. */
static char *
dup_output (const Snapshot *snapshot,
            GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format (now, "%Y-%m-%d-%H%M%S");
  char *path = NULL;

  if (g_mkdir_with_parents (snapshot->folder, 0755) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   _ ("Cannot make the folder “%s” for recordings: %s. Choose another one under "
                      "“Record to”."),
                   snapshot->folder, g_strerror (errno));
      return NULL;
    }
  for (guint n = 1; path == NULL || g_file_test (path, G_FILE_TEST_EXISTS); n++)
    {
      g_autofree char *base = n == 1 ? g_strdup_printf ("snapshot-%s.vadb", stamp)
                                     : g_strdup_printf ("snapshot-%s-%u.vadb", stamp, n);

      g_free (path);
      path = g_build_filename (snapshot->folder, base, NULL);
    }
  return path;
}

static gpointer
snapshot_thread (TsJob *job,
                 gpointer data,
                 GCancellable *cancellable,
                 GError **error)
{
  Snapshot *snapshot = data;
  g_autofree char *path = dup_output (snapshot, error);
  TsSnapshotOptions options = { .output = path, .keep_raw_log = TRUE, .capture_source = "file" };
  TsSnapshotFigures figures;
  TsRecordingSummary summary = { 0 };
  gboolean is_taken;

  if (path == NULL)
    return NULL;
  if (snapshot->connection != NULL)
    {
      options.capture_source = ts_connection_get_transport (snapshot->connection);
      is_taken = ts_snapshot_take_probe (snapshot->connection, &options, &figures, &summary, error);
    }
  else
    is_taken = ts_snapshot_take_image (snapshot->image, snapshot->base, &options, &figures,
                                       &summary, error);
  ts_recording_summary_clear (&summary);
  return is_taken ? g_steal_pointer (&path) : NULL;
}

static void
on_taken (GObject *source,
          GAsyncResult *result,
          gpointer user_data)
{
  g_autoptr (TsWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = ts_job_run_finish (TS_JOB (source), result, &error);

  _ts_window_end_job (self);
  if (gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  if (path != NULL)
    _ts_window_open_path (self, path, FALSE);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ts_window_show_error (self, error->message);
}

static void
take (TsWindow *self,
      Snapshot *snapshot)
{
  g_autoptr (TsJob) job = ts_job_new (_ ("Taking a snapshot"));

  if (!_ts_window_begin_job (self, job))
    {
      snapshot_free (snapshot);
      return;
    }
  snapshot->folder = ts_capture_panel_dup_folder (self->capture_panel);
  ts_job_run_async (job, snapshot_thread, snapshot, (GDestroyNotify) snapshot_free, g_free,
                    on_taken, g_object_ref (self));
}

/**
 * ts_window_take_image:
 * @self: a window
 * @path: a copy of target memory
 * @base: target address of its first byte
 *
 * Makes a recording of what the image holds of its recorder, and opens it.
 *
 * Thread: main
 */
void
ts_window_take_image (TsWindow *self,
                      const char *path,
                      guint32 base)
{
  Snapshot *snapshot;

  g_return_if_fail (TS_IS_WINDOW (self));
  g_return_if_fail (path != NULL);

  snapshot = g_new0 (Snapshot, 1);
  snapshot->image = g_strdup (path);
  snapshot->base = base;
  take (self, snapshot);
}

/* --- actions ---------------------------------------------------------------------------------- */

static void
snapshot_action (GtkWidget *widget,
                 const char *name,
                 GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsConnection) connection
      = ts_capture_panel_dup_connection (self->capture_panel, &error);
  Snapshot *snapshot;

  if (connection != NULL
      && !g_str_has_suffix (ts_connection_get_transport (connection), "-rambuf"))
    g_set_error_literal (&error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                         _ ("A snapshot reads target memory through a probe: choose a transport "
                            "“RAM buffer” first."));
  if (error != NULL)
    {
      ts_capture_panel_show_problem (self->capture_panel, error->message);
      _ts_window_reveal (self->capture_flap, TRUE);
      return;
    }
  snapshot = g_new0 (Snapshot, 1);
  snapshot->connection = g_steal_pointer (&connection);
  take (self, snapshot);
}

typedef struct
{
  TsWindow *window;
  char *path;
  GtkWidget *entry;
} Question;

static void
on_address_response (AdwMessageDialog *dialog,
                     const char *response,
                     Question *question)
{
  g_autoptr (TsWindow) window = question->window;
  g_autofree char *path = question->path;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (question->entry));
  g_autofree char *image = g_strdup_printf ("%s@%s", path, text);
  g_autofree char *file = NULL;
  g_autoptr (GError) error = NULL;
  guint32 base = 0;

  if (g_str_equal (response, "take"))
    {
      if (ts_snapshot_parse_image_name (image, &file, &base, &error))
        ts_window_take_image (window, file, base);
      else
        ts_window_show_error (window, error->message);
    }
  g_free (question);
}

/* A copy of memory does not say where it lay. */
static void
ask_address (TsWindow *self,
             const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), _ ("Where Does It Lie?"), NULL);
  Question *question = g_new0 (Question, 1);

  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  _ ("The target address of the first byte of “%s”."), base);
  question->window = g_object_ref (self);
  question->path = g_strdup (path);
  question->entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (question->entry), USUAL_ADDRESS);
  gtk_entry_set_activates_default (GTK_ENTRY (question->entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (question->entry),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Address"), -1);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), question->entry);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"), "take",
                                    _ ("_Open"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "take",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "take");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect (dialog, "response", G_CALLBACK (on_address_response), question);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_image_response (GtkNativeDialog *dialog,
                   int response,
                   TsWindow *self)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  path = file != NULL ? g_file_get_path (file) : NULL;
  g_object_unref (dialog);
  if (path != NULL)
    ask_address (self, path);
}

static void
open_image_action (GtkWidget *widget,
                   const char *name,
                   GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  GtkFileChooserNative *dialog;

  dialog = gtk_file_chooser_native_new (_ ("Memory Image"), GTK_WINDOW (self),
                                        GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_image_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
_ts_window_install_snapshot (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.snapshot", NULL, snapshot_action);
  gtk_widget_class_install_action (widget_class, "win.open-image", NULL, open_image_action);
}
