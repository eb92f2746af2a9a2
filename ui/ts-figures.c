/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-figures.h"

typedef struct
{
  char *path;
  gint64 begin;
  gint64 end;
} Request;

static void
request_free (Request *request)
{
  g_free (request->path);
  g_free (request);
}

/* Its own reading of the file: nothing of the window's recording is touched. */
static void
load_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  Request *request = data;
  g_autoptr (TsRecording) recording = NULL;
  TsStatistics *statistics;
  GError *error = NULL;
  gint64 end = request->end;

  recording = ts_recording_open (request->path, &error);
  if (recording == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  if (end < 0)
    end = ts_recording_get_duration (recording) + 1;
  statistics = ts_statistics_new (recording, request->begin, end, 0, cancellable, &error);
  if (statistics == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, statistics, (GDestroyNotify) ts_statistics_free);
}

/**
 * ts_figures_load_async:
 * @path: a recording
 * @begin: first tick
 * @end: tick after the last, -1 for the end of the recording
 * @cancellable: (nullable): gives up
 * @callback: called when it is done
 * @user_data: for @callback
 *
 * Thread: main
 */
void
ts_figures_load_async (const char *path,
                       gint64 begin,
                       gint64 end,
                       GCancellable *cancellable,
                       GAsyncReadyCallback callback,
                       gpointer user_data)
{
  Request *request;
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (path != NULL);
  request = g_new0 (Request, 1);
  request->path = g_strdup (path);
  request->begin = begin;
  request->end = end;
  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, ts_figures_load_async);
  g_task_set_name (task, "[ts-ui] figures of lanes");
  g_task_set_task_data (task, request, (GDestroyNotify) request_free);
  g_task_run_in_thread (task, load_thread);
}

/**
 * ts_figures_load_finish:
 * @result: what the callback got
 * @error: return location
 *
 * Thread: main
 * Errors: those of ts_recording_open() and ts_statistics_new()
 *
 * Returns: (transfer full): the statistics
 */
TsStatistics *
ts_figures_load_finish (GAsyncResult *result,
                        GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
