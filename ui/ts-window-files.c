/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "capture/ts-ctrace-run.h"
#include "capture/ts-firmware.h"

#include "ui/ts-settings.h"
#include "ui/ts-window-private.h"

#define MAX_RECENT 10
/* Stands for the folder of a CTF trace. */
#define TRACE "metadata"
#define RECORDING_TYPE "application/x-taskscope-recording"
/* What the window's copy of a recording keeps unpacked: many times what is in sight. */
#define CACHE_BYTES (40u << 20)

/* --- opening on a thread of its own ----------------------------------------------------------- */

/**
 * Opening:
 * @path: what to open
 * @folder: where a recording made from a raw capture goes
 */
typedef struct
{
  char *path;
  char *folder;
} Opening;

static void
opening_free (Opening *opening)
{
  g_free (opening->path);
  g_free (opening->folder);
  g_free (opening);
}

/* A recording is told by its name or by its first bytes; everything else is captured bytes. */
static gboolean
is_recording (const char *path)
{
  static const char magic[] = "SQLite format 3";
  char head[sizeof magic] = { 0 };
  FILE *file;
  gsize n;

  if (g_str_has_suffix (path, ".vadb"))
    return TRUE;
  file = g_fopen (path, "rbe");
  if (file == NULL)
    return FALSE;
  n = fread (head, 1, sizeof magic, file);
  fclose (file);
  return n == sizeof magic && memcmp (head, magic, sizeof magic) == 0;
}

static void
on_import_progress (double fraction,
                    gpointer user_data)
{
  ts_job_set_fraction (user_data, fraction);
}

/* What a recording of the capture is called: a CTF trace as its folder is. */
static char *
dup_base_name (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  char *name = g_path_get_basename (path);

  if (!g_str_equal (name, TRACE))
    return name;
  g_free (name);
  return g_path_get_basename (folder);
}

/* Bytes of a capture to a recording in the folder for recordings, under a name not taken yet. */
static char *
import (TsJob *job,
        Opening *opening,
        GCancellable *cancellable,
        GError **error)
{
  const char *paths[] = { opening->path, NULL };
  g_autofree char *base = dup_base_name (opening->path);
  g_autofree char *output = NULL;
  TsRecordingSummary summary = { 0 };
  gboolean is_done;
  guint n;

  if (g_mkdir_with_parents (opening->folder, 0755) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   _ ("Cannot make the folder “%s” for recordings: %s. Choose another one in the "
                      "capture panel."),
                   opening->folder, g_strerror (errno));
      return NULL;
    }
  for (n = 1; output == NULL; n++)
    {
      g_autofree char *name = n == 1 ? g_strconcat (base, ".vadb", NULL)
                                     : g_strdup_printf ("%s-%u.vadb", base, n);
      g_autofree char *candidate = g_build_filename (opening->folder, name, NULL);

      if (!g_file_test (candidate, G_FILE_TEST_EXISTS))
        output = g_steal_pointer (&candidate);
    }
  is_done = ts_import_files (paths, "auto", 0, TRUE, output, on_import_progress, job, cancellable,
                             &summary, NULL, error);
  ts_recording_summary_clear (&summary);
  /* what is left after a failure is what could be read: it is kept, as its message says */
  return is_done ? g_steal_pointer (&output) : NULL;
}

TsRecording *
_ts_window_read_recording (const char *path,
                           GError **error)
{
  TsRecording *recording = ts_recording_open (path, error);

  if (recording == NULL)
    return NULL;
  ts_recording_limit_cache (recording, CACHE_BYTES);
  ts_recording_read_coarse (recording);
  return recording;
}

static gpointer
open_thread (TsJob *job,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  Opening *opening = data;
  g_autofree char *imported = NULL;

  if (!g_file_test (opening->path, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                   _ ("There is no file “%s”. Was it moved or renamed?"), opening->path);
      return NULL;
    }
  if (!is_recording (opening->path))
    {
      imported = import (job, opening, cancellable, error);
      if (imported == NULL)
        return NULL;
    }
  return _ts_window_read_recording (imported != NULL ? imported : opening->path, error);
}

typedef struct
{
  TsWindow *window;
  gboolean keep_view;
  gboolean is_second;
} Opened;

static void
remember (TsWindow *self,
          const char *path)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  GtkRecentData data = {
    .mime_type = (char *) RECORDING_TYPE,
    .app_name = (char *) "Taskscope",
    .app_exec = (char *) "taskscope %f",
  };

  if (uri != NULL)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* What a capture waited for is where one wants to look first. */
static void
show_trigger (TsWindow *self,
              TsRecording *recording)
{
  g_autofree char *ticks = ts_recording_dup_meta (recording, "ts_trigger_ticks");

  if (ticks != NULL && ts_view_state_get_cursor (self->view) < 0)
    ts_view_state_set_cursor (self->view, g_ascii_strtoll (ticks, NULL, 10));
}

static void
on_opened (GObject *source,
           GAsyncResult *result,
           gpointer user_data)
{
  g_autofree Opened *opened = user_data;
  g_autoptr (TsWindow) self = opened->window;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_job_run_finish (TS_JOB (source), result, &error);

  _ts_window_end_job (self);
  if (gtk_widget_in_destruction (GTK_WIDGET (self)))
    return;
  if (recording != NULL && opened->is_second)
    {
      _ts_window_begin_compare (self, recording);
    }
  else if (recording != NULL)
    {
      gtk_revealer_set_reveal_child (self->error_revealer, FALSE);
      _ts_window_set_recording (self, recording, opened->keep_view);
      show_trigger (self, recording);
      remember (self, ts_recording_get_path (recording));
      _ts_window_begin_index (self);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      ts_window_show_error (self, error->message);
    }
  _ts_window_update_actions (self);
}

/* Opens or imports; the window stays alive and shows progress. */
static void
open_path (TsWindow *self,
           const char *path,
           gboolean keep_view,
           gboolean is_second)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *title = g_strdup_printf (_ ("Opening %s"), base);
  g_autoptr (TsJob) job = ts_job_new (title);
  Opening *opening;
  Opened *opened;

  if (!_ts_window_begin_job (self, job))
    return;
  opening = g_new0 (Opening, 1);
  opening->path = g_strdup (path);
  opening->folder = ts_capture_panel_dup_folder (self->capture_panel);
  opened = g_new0 (Opened, 1);
  opened->window = g_object_ref (self);
  opened->keep_view = keep_view;
  opened->is_second = is_second;
  ts_job_run_async (job, open_thread, opening, (GDestroyNotify) opening_free, g_object_unref,
                    on_opened, opened);
}

void
_ts_window_open_path (TsWindow *self,
                      const char *path,
                      gboolean keep_view)
{
  open_path (self, path, keep_view, FALSE);
}

/* Opens a recording to be seen below the one that is shown. */
void
_ts_window_compare_path (TsWindow *self,
                         const char *path)
{
  if (ts_view_state_get_recording (self->view) != NULL)
    open_path (self, path, FALSE, TRUE);
}

/* Opens all captures of a trace run. FALSE: there is no more than one, which stands for the run. */
static gboolean
open_captures (TsWindow *self,
               const char *path)
{
  g_auto (GStrv) captures = ts_import_list_captures (path);

  if (g_strv_length (captures) < 2)
    return FALSE;
  for (char **capture = captures; *capture != NULL; capture++)
    {
      g_autoptr (GFile) file = g_file_new_for_path (*capture);

      ts_window_open (self, file);
    }
  return TRUE;
}

/**
 * ts_window_open:
 * @self: a window
 * @file: a recording, a connection, a file of captured bytes, or the configuration of a trace run
 *
 * Opens a recording, imports captured bytes to one, or loads a connection into the capture panel.
 * A window that shows or does something stays as it is: another one opens, as for every further
 * capture of a trace run.
 *
 * Thread: main
 */
void
ts_window_open (TsWindow *self,
                GFile *file)
{
  g_autofree char *path = g_file_get_path (file);

  g_return_if_fail (TS_IS_WINDOW (self));
  if (path == NULL)
    {
      ts_window_show_error (self,
                            _ ("Only files on this machine can be opened; copy it here first."));
      return;
    }
  if (g_str_has_suffix (path, ".vacf") || g_str_has_suffix (path, ".vacfg.json"))
    {
      ts_window_load_connection (self, file);
      return;
    }
  if (g_str_has_suffix (path, TS_CTRACE_RUN_SUFFIX) && open_captures (self, path))
    return;
  if (ts_firmware_is_elf (path))
    {
      _ts_window_reveal (self->capture_flap, TRUE);
      ts_capture_panel_load_firmware (self->capture_panel, file);
      return;
    }
  /* what is shown stays: a second file gets a second window */
  if (!ts_window_is_empty (self))
    {
      TsWindow *other = ts_window_new (gtk_window_get_application (GTK_WINDOW (self)));

      gtk_window_present (GTK_WINDOW (other));
      ts_window_open (other, file);
      return;
    }
  _ts_window_open_path (self, path, FALSE);
}

/* --- choosing --------------------------------------------------------------------------------- */

static void
on_open_response (GtkNativeDialog *dialog,
                  int response,
                  TsWindow *self)
{
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    {
      gtk_revealer_set_reveal_child (self->error_revealer, FALSE);
      ts_window_open (self, file);
    }
  g_object_unref (dialog);
}

static void
add_filter (GtkFileChooserNative *dialog,
            const char *name,
            const char * const *suffixes)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  guint i;

  gtk_file_filter_set_name (filter, name);
  for (i = 0; suffixes[i] != NULL; i++)
    if (g_str_equal (suffixes[i], TRACE))
      gtk_file_filter_add_pattern (filter, TRACE);
    else
      gtk_file_filter_add_suffix (filter, suffixes[i]);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
}

static void
open_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  static const char * const all[] = { "vadb", "cobs", "raw", "bin", "udprec", "swo", "itm",
                                      "tpiu", "vacf", "ctrace-run.yml", TRACE, NULL };
  static const char * const recordings[] = { "vadb", NULL };
  static const char * const captures[] = { "cobs", "raw", "bin", "udprec", "swo", "itm",
                                           "tpiu", "ctrace-run.yml", TRACE, NULL };
  TsWindow *self = TS_WINDOW (widget);
  g_autoptr (GtkFileFilter) any = gtk_file_filter_new ();
  g_autofree char *folder = ts_capture_panel_dup_folder (self->capture_panel);
  g_autoptr (GFile) folder_file = g_file_new_for_path (folder);
  GtkFileChooserNative *dialog;

  dialog = gtk_file_chooser_native_new (_ ("Open"), GTK_WINDOW (self),
                                        GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  add_filter (dialog, _ ("Everything Taskscope opens"), all);
  add_filter (dialog, _ ("Recordings"), recordings);
  add_filter (dialog, _ ("Captured bytes"), captures);
  gtk_file_filter_set_name (any, _ ("All files"));
  gtk_file_filter_add_pattern (any, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), any);
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder_file, NULL);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_open_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
open_uri_action (GtkWidget *widget,
                 const char *name,
                 GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));

  ts_window_open (TS_WINDOW (widget), file);
}

static void
cancel_job_action (GtkWidget *widget,
                   const char *name,
                   GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (self->job != NULL)
    ts_job_cancel (self->job);
}

void
_ts_window_install_files (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "win.open-uri", "s", open_uri_action);
  gtk_widget_class_install_action (widget_class, "win.cancel-job", NULL, cancel_job_action);
}

/* --- recent files ----------------------------------------------------------------------------- */

static int
compare_recent (gconstpointer a,
                gconstpointer b)
{
  GDateTime *left = gtk_recent_info_get_modified ((GtkRecentInfo *) a);
  GDateTime *right = gtk_recent_info_get_modified ((GtkRecentInfo *) b);

  return g_date_time_compare (right, left);
}

/* Underscores are mnemonics in menus. */
static char *
escape_label (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "_", -1);

  return g_strjoinv ("__", parts);
}

static gboolean
update_recent (gpointer user_data)
{
  TsWindow *self = user_data;
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  GList *l;
  int n = 0;

  self->recent_id = 0;
  g_menu_remove_all (self->recent_menu);
  items = g_list_sort (items, compare_recent);
  for (l = items; l != NULL && n < MAX_RECENT; l = l->next)
    {
      const char *uri = gtk_recent_info_get_uri (l->data);
      g_autofree char *label = NULL;
      g_autoptr (GMenuItem) item = NULL;

      if (!g_str_has_suffix (uri, ".vadb") || !gtk_recent_info_exists (l->data))
        continue;
      label = escape_label (gtk_recent_info_get_display_name (l->data));
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "win.open-uri", "s", uri);
      g_menu_append_item (self->recent_menu, item);
      n++;
    }
  if (n == 0)
    g_menu_append (self->recent_menu, _ ("No recent recordings"), "win.nothing");
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  return G_SOURCE_REMOVE;
}

static void
on_recent_changed (TsWindow *self)
{
  if (self->recent_id == 0)
    self->recent_id = g_timeout_add (200, update_recent, self);
}

/* --- drag and drop ---------------------------------------------------------------------------- */

static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         TsWindow *self)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  gtk_revealer_set_reveal_child (self->error_revealer, FALSE);
  ts_window_open (self, files->data);
  return TRUE;
}

void
_ts_window_init_files (TsWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_object (target, "drop", G_CALLBACK (on_drop), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  self->recent_menu = g_menu_new ();
  adw_split_button_set_menu_model (self->open_button, G_MENU_MODEL (self->recent_menu));
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed",
                           G_CALLBACK (on_recent_changed), self, G_CONNECT_SWAPPED);
  on_recent_changed (self);
}

void
_ts_window_clear_files (TsWindow *self)
{
  g_clear_handle_id (&self->recent_id, g_source_remove);
  g_clear_object (&self->recent_menu);
  if (self->job != NULL)
    ts_job_cancel (self->job);
}
