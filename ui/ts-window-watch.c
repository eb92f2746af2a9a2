/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-window-watch.c: whether the file of the recording that is shown is still what it was.
 *
 * A file that is removed, or replaced by another of its name, can still be read. One that is written
 * over where it is cannot: what is read from then on belongs to something else, and nothing about it
 * need look wrong.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-window-private.h"

#define ATTRIBUTES                                                                                 \
  G_FILE_ATTRIBUTE_UNIX_DEVICE "," G_FILE_ATTRIBUTE_UNIX_INODE "," G_FILE_ATTRIBUTE_STANDARD_SIZE  \
  "," G_FILE_ATTRIBUTE_TIME_MODIFIED "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC

static gboolean
is_same_file (GFileInfo *one,
              GFileInfo *other)
{
  return g_file_info_get_attribute_uint64 (one, G_FILE_ATTRIBUTE_UNIX_INODE) ==
             g_file_info_get_attribute_uint64 (other, G_FILE_ATTRIBUTE_UNIX_INODE) &&
         g_file_info_get_attribute_uint32 (one, G_FILE_ATTRIBUTE_UNIX_DEVICE) ==
             g_file_info_get_attribute_uint32 (other, G_FILE_ATTRIBUTE_UNIX_DEVICE);
}

static gboolean
is_unchanged (GFileInfo *one,
              GFileInfo *other)
{
  return g_file_info_get_size (one) == g_file_info_get_size (other) &&
         g_file_info_get_attribute_uint64 (one, G_FILE_ATTRIBUTE_TIME_MODIFIED) ==
             g_file_info_get_attribute_uint64 (other, G_FILE_ATTRIBUTE_TIME_MODIFIED) &&
         g_file_info_get_attribute_uint32 (one, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC) ==
             g_file_info_get_attribute_uint32 (other, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
}

/* The first answer is what the file was when it came. */
static void
on_info (GObject *source,
         GAsyncResult *result,
         gpointer user_data)
{
  TsWindow *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, &error);
  g_autofree char *path = NULL;
  g_autofree char *name = NULL;
  g_autofree char *message = NULL;

  /* cancelled: the window may be gone; else the file is, which is no harm */
  if (info == NULL)
    return;
  if (self->file_info == NULL)
    {
      self->file_info = g_steal_pointer (&info);
      return;
    }
  if (!is_same_file (info, self->file_info) || is_unchanged (info, self->file_info))
    return;

  path = g_file_get_path (G_FILE (source));
  name = g_filename_display_basename (path);
  /* translators: %s is the name of a file */
  message = g_strdup_printf (_ ("%s was written to since it was opened here, and what is shown may be "
                                "wrong: open it again."),
                             name);
  _ts_window_unwatch_file (self);
  ts_window_show_error (self, message);
}

static void
ask (TsWindow *self,
     GFile *file)
{
  g_file_query_info_async (file, ATTRIBUTES, G_FILE_QUERY_INFO_NONE, G_PRIORITY_DEFAULT,
                           self->file_cancellable, on_info, self);
}

static void
on_file_changed (GFileMonitor *monitor,
                 GFile *file,
                 GFile *other,
                 GFileMonitorEvent event,
                 TsWindow *self)
{
  if (event == G_FILE_MONITOR_EVENT_CHANGED || event == G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT)
    ask (self, file);
}

/* From here on the recording that is shown is looked after. One that is being written is not. */
void
_ts_window_watch_file (TsWindow *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);
  g_autoptr (GFile) file = NULL;

  _ts_window_unwatch_file (self);
  if (recording == NULL || ts_recording_is_live (recording))
    return;

  file = g_file_new_for_path (ts_recording_get_path (recording));
  self->file_monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->file_monitor == NULL)
    return;
  self->file_cancellable = g_cancellable_new ();
  g_signal_connect_object (self->file_monitor, "changed", G_CALLBACK (on_file_changed), self, 0);
  ask (self, file);
}

void
_ts_window_unwatch_file (TsWindow *self)
{
  if (self->file_cancellable != NULL)
    g_cancellable_cancel (self->file_cancellable);
  g_clear_object (&self->file_cancellable);
  if (self->file_monitor != NULL)
    g_signal_handlers_disconnect_by_data (self->file_monitor, self);
  g_clear_object (&self->file_monitor);
  g_clear_object (&self->file_info);
}
