/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export.h: events of a recording as text: CSV files and the linear listing of `print`. */
#pragma once

#include "ts-query.h"

G_BEGIN_DECLS

/**
 * TsExportProgress:
 * @fraction: 0 to 1
 *
 * Called from time to time on the calling thread.
 */
typedef void (*TsExportProgress) (double fraction,
                                  gpointer user_data);

gboolean ts_export_csv (TsRecording *recording,
                        const char *path,
                        const TsQueryOptions *options,
                        gboolean rebase,
                        TsExportProgress progress,
                        gpointer user_data,
                        GCancellable *cancellable,
                        guint64 *n_events,
                        GError **error);
gboolean ts_export_print (TsRecording *recording,
                          GOutputStream *stream,
                          const TsQueryOptions *options,
                          GCancellable *cancellable,
                          guint64 *n_events,
                          GError **error);

G_END_DECLS
