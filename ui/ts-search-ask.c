/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-search-ask.h"

/**
 * Request:
 * @text: what was typed
 * @max_hits: of a search for all
 * @time, @direction: of one for the next, as of ts_search_find()
 */
typedef struct
{
  char *text;
  guint max_hits;
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

  if (search == NULL)
    return NULL;
  return ts_search_run (search, recording, request->max_hits, cancellable, error);
}

/* Of a slice the first row that is not before its begin. */
static TsFiltered *
filter (TsRecording *recording,
        const TsSearchResult *result,
        GCancellable *cancellable)
{
  TsFiltered *filtered = g_new0 (TsFiltered, 1);
  g_autoptr (GHashTable) lanes = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  guint64 last = 0;
  gpointer key;

  filtered->n_found = result->n_found;
  filtered->rows = g_array_sized_new (FALSE, FALSE, sizeof (guint64), result->hits->len);
  for (guint i = 0; i < result->hits->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const TsSearchHit *hit = &g_array_index (result->hits, TsSearchHit, i);
      guint64 row
          = hit->row != 0 ? hit->row : ts_recording_row_at_time (recording, hit->begin);

      if (hit->lane != 0)
        g_hash_table_add (lanes, GUINT_TO_POINTER (hit->lane));
      if (row > last)
        g_array_append_val (filtered->rows, row);
      last = MAX (last, row);
    }
  if (result->n_found > result->hits->len)
    return filtered;
  filtered->lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_hash_table_iter_init (&iter, lanes);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint32 lane = GPOINTER_TO_UINT (key);

      g_array_append_val (filtered->lanes, lane);
    }
  return filtered;
}

static gpointer
filter_thread (TsRecording *recording,
               gpointer data,
               GCancellable *cancellable,
               GError **error)
{
  g_autoptr (TsSearchResult) result = all_thread (recording, data, cancellable, error);

  return result != NULL ? filter (recording, result, cancellable) : NULL;
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
 * @done: gets a #TsSearchResult, freed by ts_search_result_free(), or %NULL
 * @user_data: for @done
 *
 * Thread: main
 */
void
ts_search_ask_all (TsWorker *worker,
                   const char *text,
                   guint max_hits,
                   TsWorkerDone done,
                   gpointer user_data)
{
  Request *request = request_new (text);

  request->max_hits = max_hits;
  ts_worker_ask (worker, all_thread, request, request_free,
                 (GDestroyNotify) ts_search_result_free, done, user_data);
}

/**
 * ts_filtered_free:
 * @self: (nullable) (transfer full): what passes a filter
 *
 * Thread: any
 */
void
ts_filtered_free (TsFiltered *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->rows);
  g_clear_pointer (&self->lanes, g_array_unref);
  g_free (self);
}

/**
 * ts_search_ask_filtered:
 * @worker: a worker with a recording
 * @text: filters, side by side
 * @max_rows: of more hits than these the rest is only counted
 * @done: gets a #TsFiltered, freed by ts_filtered_free(), or %NULL
 * @user_data: for @done
 *
 * Thread: main
 */
void
ts_search_ask_filtered (TsWorker *worker,
                        const char *text,
                        guint max_rows,
                        TsWorkerDone done,
                        gpointer user_data)
{
  Request *request = request_new (text);

  request->max_hits = max_rows;
  ts_worker_ask (worker, filter_thread, request, request_free, (GDestroyNotify) ts_filtered_free,
                 done, user_data);
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
