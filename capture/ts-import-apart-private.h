/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-import-apart-private.h: an import in a process of its own. */
#pragma once

#include <gio/gio.h>

#include "model/ts-names.h"
#include "model/ts-recording-writer.h"
#include "ts-capture-session.h"

G_BEGIN_DECLS

char *_ts_apart_find_program (TsNames *names);
char **_ts_apart_dup_folders (void);
void _ts_apart_tell (double fraction);
gboolean _ts_apart_import (const char *program,
                           const char *path,
                           char **folders,
                           TsNames *names,
                           const char *output,
                           TsImportProgress progress,
                           gpointer user_data,
                           GCancellable *cancellable,
                           TsRecordingSummary *summary,
                           GError **error);

G_END_DECLS
