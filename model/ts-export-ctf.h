/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export-ctf.h: a recording as a CTF 1.8 trace. */
#pragma once

#include "ts-export.h"

G_BEGIN_DECLS

gboolean ts_export_ctf (TsRecording *recording,
                        const char *path,
                        const TsQueryOptions *options,
                        gboolean rebase,
                        TsExportProgress progress,
                        gpointer user_data,
                        GCancellable *cancellable,
                        guint64 *n_events,
                        GError **error);

G_END_DECLS
