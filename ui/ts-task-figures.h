/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-task-figures.h: the figures of all lanes of a recording, worked out on a thread of their own.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

void ts_task_figures_load_async (const char *path,
                                 gint64 begin_us,
                                 gint64 end_us,
                                 GCancellable *cancellable,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data);
JsonNode *ts_task_figures_load_finish (GAsyncResult *result,
                                       GError **error);
JsonObject *ts_task_figures_find (JsonNode *figures,
                                  const char *lane_name);
gboolean ts_task_figures_get (JsonObject *card,
                              const char *member,
                              double *value);

G_END_DECLS
