/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-search-ask.h: searches on a thread: all hits, or the next one from a place; no GTK. */
#pragma once

#include "model/ts-search.h"

#include "ui/ts-worker.h"

G_BEGIN_DECLS

/**
 * TsFiltered: what passes a filter.
 * @rows: (element-type guint64): rows of the first hits, ascending
 * @lanes: (nullable) (element-type guint32): lanes with hits; %NULL if they are not known, because
 *   there are more hits than were kept
 * @n_found: how many there are in all
 */
typedef struct
{
  GArray *rows;
  GArray *lanes;
  guint64 n_found;
} TsFiltered;

void ts_filtered_free (TsFiltered *self);

void ts_search_ask_all (TsWorker *worker,
                        const char *text,
                        guint max_hits,
                        TsWorkerDone done,
                        gpointer user_data);
void ts_search_ask_filtered (TsWorker *worker,
                             const char *text,
                             guint max_rows,
                             TsWorkerDone done,
                             gpointer user_data);
void ts_search_ask_next (TsWorker *worker,
                         const char *text,
                         gint64 time,
                         int direction,
                         TsWorkerDone done,
                         gpointer user_data);

G_END_DECLS
