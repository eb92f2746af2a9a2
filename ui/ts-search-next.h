/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-next.h: the next hit of a search from a place, on a thread; no GTK. */
#pragma once

#include "model/ts-search.h"

#include "ui/ts-worker.h"

G_BEGIN_DECLS

void ts_search_next_ask (TsWorker *worker,
                         const char *text,
                         gint64 time,
                         int direction,
                         TsWorkerDone done,
                         gpointer user_data);

G_END_DECLS
