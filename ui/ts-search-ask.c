/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-search-ask.h"

/**
 * Request:
 * @text: what was typed
 * @max_hits: of a search for all
 * @with_rows: of all of them the rows are wanted
 * @time, @direction: of one for the next, as of ts_search_find()
 */
typedef struct
{
  char *text;
  guint max_hits;
  gboolean with_rows;
  gint64 time;
  int direction;
} Request;

static Request *
request_new (const char *text)
{
  Request *request = g_new0 (Request, 1);

  request->text = g_strdup (text);
  return request;
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->text);
  g_free (request);
}

static gpointer
all_thread (TsRecording *recording,
            gpointer data,
            GCancellable *cancellable,
            GError **error)
{
  const Request *request = data;
  g_autoptr (TsSearch) search = ts_search_new (request->text, error);
  TsSearchResult *result;

  if (search == NULL)
    return NULL;
  result = ts_search_run (search, recording, request->max_hits, cancellable, error);
  for (guint i = 0; result != NULL && request->with_rows && i < result->hits->len
                    && !g_cancellable_is_cancelled (cancellable); i++)
    {
      TsSearchHit *hit = &g_array_index (result->hits, TsSearchHit, i);

      if (hit->row == 0)
        hit->row = ts_recording_row_at_time (recording, hit->begin);
    }
  return result;
}

static gpointer
next_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  const Request *request = data;
  g_autoptr (TsSearch) search = ts_search_new (request->text, error);
  TsSearchHit hit;

  if (search == NULL || !ts_search_find (search, recording, request->time, request->direction, &hit,
                                         cancellable, error))
    return NULL;
  return g_memdup2 (&hit, sizeof hit);
}

/**
 * ts_search_ask_all:
 * @worker: a worker with a recording
 * @text: what was typed
 * @max_hits: places more than these are only counted
 * @with_rows: the row of each hit is wanted: of a slice the first that is not before its begin
 * @done: gets a #TsSearchResult, freed by ts_search_result_free(), or %NULL
 * @user_data: for @done
 *
 * Thread: main
 */
void
ts_search_ask_all (TsWorker *worker,
                   const char *text,
                   guint max_hits,
                   gboolean with_rows,
                   TsWorkerDone done,
                   gpointer user_data)
{
  Request *request = request_new (text);

  request->max_hits = max_hits;
  request->with_rows = with_rows;
  ts_worker_ask (worker, all_thread, request, request_free,
                 (GDestroyNotify) ts_search_result_free, done, user_data);
}

/**
 * ts_search_ask_next:
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
ts_search_ask_next (TsWorker *worker,
                    const char *text,
                    gint64 time,
                    int direction,
                    TsWorkerDone done,
                    gpointer user_data)
{
  Request *request = request_new (text);

  request->time = time;
  request->direction = direction;
  ts_worker_ask (worker, next_thread, request, request_free, g_free, done, user_data);
}
