/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-import-private.h: files that stand for captures beside them. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

char *_ts_import_find_trace_run (const char *path,
                                 char **format,
                                 GError **error);
char *_ts_import_dup_capture_format (const char *path);

G_END_DECLS
