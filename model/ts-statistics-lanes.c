/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-statistics-lanes.c: the figures of all lanes, one by one, on some threads: more than there are
 * processors, because they wait for the disk.
 *
 * Lanes have nothing to do with each other but interrupts, which are looked up under a lock. Each
 * thread unpacks into memory of its own, through a connection of its own. What comes out does not
 * depend on who did what.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-lane-figures-private.h"

/* Lanes with no more slices than this are looked at in full whatever the range holds. */
#define RARE 2048
/* Lanes with more slices are worth being begun with. */
#define LONG 500000
/* Fewer slices than this are done before a thread has begun. */
#define N_WORTH_THREADS 30000
#define MAX_THREADS 4
/* While one waits for the disk another works. */
#define THREADS_PER_PROCESSOR 2
#define N_CORES 256

/**
 * Work:
 * @counts: (array): about how many slices a lane has in the range
 * @order: (array length=n_lanes): lanes, those with most to do before others
 * @next: place in @order that nobody has taken; atomic
 * @lock: protects the recording where @interrupts look something up
 * @interrupts: (array fixed-size=256): by processor
 */
typedef struct
{
  TsStatistics *statistics;
  guint64 *counts;
  guint *order;
  guint n_lanes;
  gint next;
  gboolean is_exact;
  guint64 rare;
  const GByteArray *locks;
  const GArray *losses;
  GMutex lock;
  TsInterruptTime *interrupts;
  GCancellable *cancellable;
} Work;

/** What one thread works with. */
typedef struct
{
  Work *work;
  TsLaneAccess *access;
  TsBuckets *buckets;
  TsSliceCursor cursor;
  GThread *thread;
} Worker;

/* One lane's figures: from all its slices, percentiles included; or from what nodes keep. */
static void
fill_lane (Worker *self,
           guint i)
{
  Work *work = self->work;
  TsStatistics *statistics = work->statistics;
  TsLaneStatistics *lane = &statistics->lanes[i];
  gboolean is_exact = work->is_exact || work->counts[i] <= work->rare;
  gboolean may_nest = lane->kind == TS_LANE_ISR || lane->kind == TS_LANE_SPAN;
  g_autoptr (GArray) begins = NULL;
  TsLaneWalk walk = { .statistics = lane,
                      .begin = statistics->begin,
                      .end = statistics->end,
                      .with_totals = TRUE,
                      .wants_net = TRUE,
                      .locks = work->locks,
                      .interrupts = &work->interrupts[lane->core],
                      .losses = work->losses };

  if (!is_exact && _ts_lane_walk_nodes (&walk, self->access, self->buckets, work->cancellable))
    {
      lane->is_exact = FALSE;
      for (guint m = 0; m < TS_N_MEASURES; m++)
        {
          statistics->buckets[i * TS_N_MEASURES + m] = _ts_buckets_pack (&self->buckets[m]);
          _ts_buckets_clear (&self->buckets[m]);
        }
      _ts_statistics_finish_lane (statistics, i);
      return;
    }

  walk.buckets = NULL;
  walk.samples = &statistics->samples[i * TS_N_MEASURES];
  if (may_nest)
    walk.begins = begins = g_array_new (FALSE, FALSE, sizeof (gint64));
  _ts_slice_cursor_init_apart (&self->cursor, self->access, lane->lane, walk.begin, walk.end);
  _ts_lane_walk_run (&walk, &self->cursor);
  _ts_statistics_finish_lane (statistics, i);
}

static gpointer
fill_some (gpointer data)
{
  Worker *self = data;
  Work *work = self->work;

  while (!g_cancellable_is_cancelled (work->cancellable))
    {
      guint place = (guint) g_atomic_int_add (&work->next, 1);

      if (place >= work->n_lanes)
        break;
      fill_lane (self, work->order[place]);
    }
  return NULL;
}

static void
run (Work *work,
     TsRecording *recording,
     guint n_threads)
{
  g_autofree Worker *workers = g_new0 (Worker, n_threads);

  for (guint i = 0; i < n_threads; i++)
    {
      workers[i].work = work;
      workers[i].access = _ts_lane_access_new (recording, i > 0);
      if (workers[i].access == NULL)
        break;
      workers[i].buckets = g_new0 (TsBuckets, TS_N_MEASURES);
      /* Without a thread the others do its part. */
      if (i > 0)
        workers[i].thread = g_thread_try_new ("ts-figures", fill_some, &workers[i], NULL);
    }
  fill_some (&workers[0]);
  for (guint i = 0; i < n_threads; i++)
    {
      g_clear_pointer (&workers[i].thread, g_thread_join);
      _ts_lane_access_free (workers[i].access);
      g_free (workers[i].buckets);
    }
}

/* Long lanes first, the longest before the others, so that no thread is left with one in the end;
 * the rest as they lie in the file. */
static int
compare_work (gconstpointer a,
              gconstpointer b,
              gpointer user_data)
{
  const Work *work = user_data;
  guint left = *(const guint *) a;
  guint right = *(const guint *) b;
  guint64 left_count = work->counts[left] > LONG ? work->counts[left] : 0;
  guint64 right_count = work->counts[right] > LONG ? work->counts[right] : 0;

  if (left_count != right_count)
    return left_count > right_count ? -1 : 1;
  return left < right ? -1 : left > right;
}

/* Lanes of processors that have a load. */
static void
list_work (Work *self,
           TsRecording *recording)
{
  TsStatistics *statistics = self->statistics;
  gboolean is_loaded[N_CORES] = { FALSE };

  for (guint i = 0; i < statistics->n_loads; i++)
    is_loaded[statistics->loads[i].core] = TRUE;
  for (guint i = 0; i < statistics->n_lanes; i++)
    {
      self->counts[i] = _ts_analysis_count_slices (recording, statistics->lanes[i].lane,
                                                   statistics->begin, statistics->end);
      if (is_loaded[statistics->lanes[i].core])
        self->order[self->n_lanes++] = i;
    }
  if (self->n_lanes > 0)
    g_qsort_with_data (self->order, (gint) self->n_lanes, sizeof self->order[0], compare_work,
                       self);
}

/**
 * _ts_statistics_fill_lanes:
 * @self: figures: lanes and loads are listed
 * @recording: a recording
 * @max_exact: slices up to which all are looked at
 * @losses: (element-type gint64): begins of the losses in the range, ordered
 * @cancellable: (nullable): ends it early
 *
 * Fills the figures of the lanes, on up to four threads.
 *
 * Thread: owner of @recording
 */
void
_ts_statistics_fill_lanes (TsStatistics *self,
                           TsRecording *recording,
                           guint64 max_exact,
                           const GArray *losses,
                           GCancellable *cancellable)
{
  g_autoptr (GByteArray) locks = _ts_analysis_list_locks (recording);
  g_autofree TsInterruptTime *interrupts = g_new (TsInterruptTime, N_CORES);
  g_autofree guint64 *counts = g_new0 (guint64, self->n_lanes + 1);
  g_autofree guint *order = g_new0 (guint, self->n_lanes + 1);
  Work work = { .statistics = self,
                .counts = counts,
                .order = order,
                .rare = MIN (max_exact, RARE),
                .locks = locks,
                .losses = losses,
                .interrupts = interrupts,
                .cancellable = cancellable };
  guint64 total = 0;
  guint n_threads = 1;

  list_work (&work, recording);
  for (guint i = 0; i < self->n_lanes; i++)
    total += counts[i];
  work.is_exact = total <= max_exact;
  if (total >= N_WORTH_THREADS)
    n_threads = CLAMP (MIN (THREADS_PER_PROCESSOR * g_get_num_processors (), work.n_lanes), 1,
                       MAX_THREADS);

  g_mutex_init (&work.lock);
  for (guint i = 0; i < N_CORES; i++)
    {
      _ts_interrupt_time_init (&interrupts[i], recording, i);
      interrupts[i].lock = &work.lock;
    }
  run (&work, recording, n_threads);
  for (guint i = 0; i < N_CORES; i++)
    _ts_interrupt_time_clear (&interrupts[i]);
  g_mutex_clear (&work.lock);
}
