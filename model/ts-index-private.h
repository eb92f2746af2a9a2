/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-index-private.h: finding an index, and making one. Private to the model. */
#pragma once

#include "ts-index.h"
#include "ts-recording-private.h"

G_BEGIN_DECLS

/**
 * TsIndexWork: what an index is made for, and whom to tell.
 * @recording: rows and objects
 * @progress, @user_data: (nullable): told how far it is
 * @cancellable: (nullable): ends it
 */
typedef struct
{
  TsRecording *recording;
  TsExportProgress progress;
  gpointer user_data;
  GCancellable *cancellable;
} TsIndexWork;

gboolean _ts_index_attach (TsRecording *recording);

gboolean _ts_index_write_foreign (TsIndexWork *work,
                                  const char *path,
                                  GError **error);
gboolean _ts_index_write_lanes (TsIndexWork *work,
                                const char *path,
                                GError **error);
gboolean _ts_index_rewrite_tables (TsIndexWork *work,
                                   guint64 *n_events,
                                   GError **error);

G_END_DECLS
