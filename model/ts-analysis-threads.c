/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-analysis-threads.c: pieces of work that read lanes, on as many threads as there are processors
 * for. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"

#define MAX_THREADS 4

typedef struct
{
  TsAnalysisPieceFunc func;
  gpointer user_data;
  guint n_pieces;
  gint next; /* nobody has taken it; atomic */
} Work;

typedef struct
{
  Work *work;
  TsLaneAccess *access;
  GThread *thread;
} Worker;

static gpointer
work_some (gpointer data)
{
  Worker *self = data;
  Work *work = self->work;

  for (;;)
    {
      guint piece = (guint) g_atomic_int_add (&work->next, 1);

      if (piece >= work->n_pieces)
        return NULL;
      work->func (piece, self->access, work->user_data);
    }
}

/**
 * _ts_analysis_share_out:
 * @recording: a recording; nobody uses it meanwhile
 * @n_pieces: how many pieces there are
 * @is_worth_threads: there is more to do than beginning a thread takes
 * @func: does one; it reads lanes by what it is given only, and changes what belongs to its piece
 *   only
 * @user_data: for @func
 *
 * Does all pieces, the first ones first, on up to four threads.
 *
 * Thread: owner of @recording
 */
void
_ts_analysis_share_out (TsRecording *recording,
                        guint n_pieces,
                        gboolean is_worth_threads,
                        TsAnalysisPieceFunc func,
                        gpointer user_data)
{
  guint n_threads = is_worth_threads ? MIN (g_get_num_processors (), MAX_THREADS) : 1;
  Work work = { func, user_data, n_pieces, 0 };
  Worker workers[MAX_THREADS] = { 0 };

  n_threads = MIN (n_threads, n_pieces);
  for (guint i = 0; i < n_threads; i++)
    {
      workers[i].work = &work;
      workers[i].access = _ts_lane_access_new (recording, i > 0);
      if (workers[i].access == NULL)
        break;
      /* Without a thread the others do its part. */
      if (i > 0)
        workers[i].thread = g_thread_try_new ("ts-analysis", work_some, &workers[i], NULL);
    }
  if (n_threads > 0)
    work_some (&workers[0]);
  for (guint i = 0; i < n_threads; i++)
    {
      g_clear_pointer (&workers[i].thread, g_thread_join);
      _ts_lane_access_free (workers[i].access);
    }
}
