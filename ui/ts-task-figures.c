/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "model/ts-query.h"

#include "ui/ts-task-figures.h"

typedef struct
{
  char *path;
  gint64 begin_us;
  gint64 end_us;
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
  TsQueryOptions options = TS_QUERY_OPTIONS_INIT;
  g_autoptr (TsRecording) recording = NULL;
  g_autoptr (JsonNode) node = NULL;
  GError *error = NULL;

  recording = ts_recording_open (request->path, &error);
  if (recording == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  options.t_start_us = request->begin_us;
  options.t_end_us = request->end_us;
  node = ts_query_run (recording, "timeline", &options, cancellable, &error);
  if (node == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&node), (GDestroyNotify) json_node_unref);
}

/**
 * ts_task_figures_load_async:
 * @path: a recording
 * @begin_us: begin of the part asked about, -1 for the whole
 * @end_us: end of it, -1 for the whole
 * @cancellable: (nullable): gives up
 * @callback: called when it is done
 * @user_data: for @callback
 *
 * Thread: main
 */
void
ts_task_figures_load_async (const char *path,
                            gint64 begin_us,
                            gint64 end_us,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data)
{
  Request *request;
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (path != NULL);
  request = g_new0 (Request, 1);
  request->path = g_strdup (path);
  request->begin_us = begin_us;
  request->end_us = end_us;
  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, ts_task_figures_load_async);
  g_task_set_name (task, "[ts-ui] figures of lanes");
  g_task_set_task_data (task, request, (GDestroyNotify) request_free);
  g_task_run_in_thread (task, load_thread);
}

/**
 * ts_task_figures_load_finish:
 * @result: what the callback got
 * @error: return location
 *
 * Thread: main
 * Errors: those of ts_recording_open() and ts_query_run()
 *
 * Returns: (transfer full): the answer of `query timeline`
 */
JsonNode *
ts_task_figures_load_finish (GAsyncResult *result,
                             GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * ts_task_figures_find:
 * @figures: (nullable): an answer of `query timeline`
 * @lane_name: name of a lane as in `va_task_stats`
 *
 * Thread: any
 * Source: viewalyzer-host.md section 3.7
 *
 * Returns: (transfer none) (nullable): the card of that lane
 */
JsonObject *
ts_task_figures_find (JsonNode *figures,
                      const char *lane_name)
{
  JsonObject *root;
  JsonArray *tasks;
  guint i;

  if (figures == NULL || !JSON_NODE_HOLDS_OBJECT (figures) || lane_name == NULL)
    return NULL;
  root = json_node_get_object (figures);
  if (!json_object_has_member (root, "tasks") ||
      !JSON_NODE_HOLDS_ARRAY (json_object_get_member (root, "tasks")))
    return NULL;
  tasks = json_object_get_array_member (root, "tasks");
  for (i = 0; i < json_array_get_length (tasks); i++)
    {
      JsonNode *node = json_array_get_element (tasks, i);
      JsonObject *card = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

      if (card != NULL &&
          g_strcmp0 (json_object_get_string_member_with_default (card, "name", NULL),
                     lane_name) == 0)
        return card;
    }
  return NULL;
}

/**
 * ts_task_figures_get:
 * @card: (nullable): a card from ts_task_figures_find()
 * @member: name of a figure
 * @value: (out): the figure
 *
 * Thread: any
 *
 * Returns: %FALSE if the card does not have it
 */
gboolean
ts_task_figures_get (JsonObject *card,
                     const char *member,
                     double *value)
{
  JsonNode *node = card != NULL ? json_object_get_member (card, member) : NULL;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  *value = json_node_get_double (node);
  return TRUE;
}
