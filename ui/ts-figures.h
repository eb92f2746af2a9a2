/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-figures.h: the statistics of a recording or a range of it, worked out on a thread of their own.
 */
#pragma once

#include <gio/gio.h>

#include "model/ts-statistics.h"

G_BEGIN_DECLS

void ts_figures_load_async (const char *path,
                            gint64 begin,
                            gint64 end,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
TsStatistics *ts_figures_load_finish (GAsyncResult *result,
                                      GError **error);

G_END_DECLS
