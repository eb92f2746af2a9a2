/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-search-next.h"

/**
 * Request:
 * @time, @direction: as of ts_search_find()
 */
typedef struct
{
  char *text;
  gint64 time;
  int direction;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->text);
  g_free (request);
}

static gpointer
find_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  Request *request = data;
  g_autoptr (TsSearch) search = ts_search_new (request->text, error);
  TsSearchHit hit;

  if (search == NULL || !ts_search_find (search, recording, request->time, request->direction, &hit,
                                         cancellable, error))
    return NULL;
  return g_memdup2 (&hit, sizeof hit);
}

/**
 * ts_search_next_ask:
 * @worker: a worker with a recording
 * @text: what was typed
 * @time: from this tick on
 * @direction: +1: the first hit at @time or later; -1: the last one before it
 * @done: gets a #TsSearchHit, freed by g_free(), or %NULL; without an error there is no hit
 * @user_data: for @done
 *
 * Thread: main
 */
void
ts_search_next_ask (TsWorker *worker,
                    const char *text,
                    gint64 time,
                    int direction,
                    TsWorkerDone done,
                    gpointer user_data)
{
  Request *request = g_new0 (Request, 1);

  request->text = g_strdup (text);
  request->time = time;
  request->direction = direction;
  ts_worker_ask (worker, find_thread, request, request_free, g_free, done, user_data);
}
