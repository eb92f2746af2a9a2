/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-ask.h: searches on a thread: all hits, or the next one from a place; no GTK. */
#pragma once

#include "model/ts-search.h"

#include "ui/ts-worker.h"

G_BEGIN_DECLS

void ts_search_ask_all (TsWorker *worker,
                        const char *text,
                        guint max_hits,
                        gboolean with_rows,
                        TsWorkerDone done,
                        gpointer user_data);
void ts_search_ask_next (TsWorker *worker,
                         const char *text,
                         gint64 time,
                         int direction,
                         TsWorkerDone done,
                         gpointer user_data);

G_END_DECLS
