/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-import-private.h: files that stand for captures beside them. */
#pragma once

#include <gio/gio.h>

#include "decode/ts-va-names.h"
#include "model/ts-names.h"
#include "model/ts-recording-writer.h"
#include "ts-capture-session.h"

G_BEGIN_DECLS

char *_ts_import_find_trace_run (const char *path,
                                 char **format,
                                 GError **error);
char *_ts_import_dup_capture_format (const char *path);
char **_ts_import_list_ctf_traces (const char *path);
gboolean _ts_import_ctf (const char *path,
                         char **folders,
                         TsNames *names,
                         const char *output,
                         TsImportProgress progress,
                         gpointer user_data,
                         GCancellable *cancellable,
                         TsRecordingSummary *summary,
                         GError **error);

G_END_DECLS
