/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-perfetto.h: a recording as trace events in JSON, for ui.perfetto.dev and Chrome. */
#pragma once

#include "ts-export.h"

G_BEGIN_DECLS

gboolean ts_export_perfetto (TsRecording *recording,
                             const char *path,
                             const TsQueryOptions *options,
                             gboolean rebase,
                             TsExportProgress progress,
                             gpointer user_data,
                             GCancellable *cancellable,
                             guint64 *n_events,
                             GError **error);

G_END_DECLS
