/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "ui/ts-worker.h"

/* What a copy of a recording keeps unpacked while it works, half of what is the rule: several work at
 * once, beside the one that is drawn from. */
#define WORK_BYTES (32u << 20)
/* What it keeps unpacked between two pieces of work: there may be four of them. */
#define IDLE_BYTES (1u << 20)
/* Work that took as long is not asked for again at once. */
#define LONG_US 250000
/* Copies of a recording that are kept: so many workers are seldom busy at once. */
#define MAX_IDLE 4

/**
 * Work:
 * @source: the window's recording: only opened once more, never used
 * @own: (nullable): a copy of it, lent by it; made by the work if there is none
 * @serial: which recording it is about
 */
typedef struct
{
  TsWorkerFunc func;
  gpointer data;
  GDestroyNotify data_free;
  GDestroyNotify result_free;
  TsWorkerDone done;
  gpointer user_data;
  TsRecording *source;
  TsRecording *own;
  guint serial;
} Work;

/**
 * TsWorker:
 * @recording: the window's
 * @running: (nullable): what the thread does
 * @next: (nullable): what comes after it
 * @is_given_up: what runs is of no use any more
 */
struct _TsWorker
{
  GObject parent_instance;

  char *name;
  TsRecording *recording;
  guint serial;
  Work *running;
  Work *next;
  gboolean is_given_up;
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (TsWorker, ts_worker, G_TYPE_OBJECT)

/**
 * Leaving:
 * @recordings: copies that are freed
 * @application: (nullable): does not end before
 */
typedef struct
{
  GPtrArray *recordings;
  GApplication *application;
} Leaving;

static gboolean
on_let_go (gpointer user_data)
{
  g_autoptr (GApplication) application = user_data;

  g_application_release (application);
  return G_SOURCE_REMOVE;
}

static gpointer
let_go_thread (gpointer data)
{
  Leaving *leaving = data;

  g_ptr_array_unref (leaving->recordings);
  if (leaving->application != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, on_let_go, leaving->application, NULL);
  g_free (leaving);
  return NULL;
}

/* Frees copies of a recording on a thread of its own: what one has unpacked are some ten thousand
 * pieces, which other threads allocated. The program does not end meanwhile: a copy may have to
 * remove what it has put aside. */
static void
let_go (gpointer recordings)
{
  g_autoptr (GThread) thread = NULL;
  GPtrArray *array = recordings;
  GApplication *application = g_application_get_default ();
  Leaving *leaving;

  if (array->len == 0 || !g_main_context_is_owner (NULL))
    {
      g_ptr_array_unref (array);
      return;
    }
  leaving = g_new0 (Leaving, 1);
  leaving->recordings = array;
  if (application != NULL)
    {
      leaving->application = g_object_ref (application);
      g_application_hold (application);
    }
  thread = g_thread_try_new ("ts-free", let_go_thread, leaving, NULL);
  if (thread == NULL)
    let_go_thread (leaving);
}

/*
 * Copies of a recording that no thread uses, the last used one last. They belong to the recording:
 * whatever worker is asked next takes one, and there are only as many as were busy at once.
 */
static GPtrArray *
get_idle (TsRecording *source)
{
  static const char key[] = "ts-worker-idle";
  GPtrArray *idle = g_object_get_data (G_OBJECT (source), key);

  if (idle == NULL)
    {
      idle = g_ptr_array_new_with_free_func (g_object_unref);
      g_object_set_data_full (G_OBJECT (source), key, idle, let_go);
    }
  return idle;
}

static TsRecording *
take_idle (TsRecording *source)
{
  GPtrArray *idle = get_idle (source);

  return idle->len > 0 ? g_ptr_array_steal_index (idle, idle->len - 1) : NULL;
}

/* @own: (transfer full): a copy */
static void
give_idle (TsRecording *source,
           TsRecording *own)
{
  GPtrArray *idle = get_idle (source);
  GPtrArray *surplus;

  if (idle->len < MAX_IDLE)
    {
      g_ptr_array_add (idle, own);
      return;
    }
  surplus = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (surplus, own);
  let_go (surplus);
}

/* On the main thread only: the last reference of a recording of the window may go with it. */
static void
work_free (Work *work)
{
  if (work->data_free != NULL)
    work->data_free (work->data);
  g_clear_object (&work->source);
  g_clear_object (&work->own);
  g_free (work);
}

/* What is asked for at every step is answered sooner with what was unpacked for the last one; pages
 * of the file are as near in the system's memory. What took long took memory, a hundred MB or more,
 * and others shall have it. */
static void
give_back (TsRecording *own,
           gint64 took_us)
{
  ts_recording_trim (own, took_us < LONG_US ? IDLE_BYTES : 0);
#ifdef __GLIBC__
  if (took_us >= LONG_US)
    malloc_trim (0);
#endif
}

static void
work_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  gpointer result = NULL;
  gint64 began = g_get_monotonic_time ();

  if (g_task_return_error_if_cancelled (task))
    return;
  if (work->own == NULL)
    {
      work->own = ts_recording_reopen (work->source, &error);
      if (work->own != NULL)
        ts_recording_limit_cache (work->own, WORK_BYTES);
    }
  if (work->own != NULL)
    {
      ts_recording_refresh (work->own);
      result = work->func (work->own, work->data, cancellable, &error);
      give_back (work->own, g_get_monotonic_time () - began);
    }
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, result, work->result_free);
}

static void start (TsWorker *self,
                   Work *work);

static void
on_done (GObject *source,
         GAsyncResult *task,
         gpointer user_data)
{
  g_autoptr (TsWorker) self = user_data;
  g_autoptr (GError) error = NULL;
  Work *work = g_steal_pointer (&self->running);
  gpointer result = g_task_propagate_pointer (G_TASK (task), &error);
  gboolean is_wanted = !self->is_given_up && work->serial == self->serial &&
                       !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  if (work->own != NULL)
    give_idle (work->source, g_steal_pointer (&work->own));
  self->is_given_up = FALSE;
  if (self->next != NULL)
    start (self, g_steal_pointer (&self->next));
  if (is_wanted)
    work->done (g_steal_pointer (&result), error, work->user_data);
  else if (result != NULL && work->result_free != NULL)
    work->result_free (result);
  work_free (work);
}

static void
start (TsWorker *self,
       Work *work)
{
  g_autoptr (GTask) task = NULL;

  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  self->running = work;
  work->own = take_idle (work->source);
  task = g_task_new (NULL, self->cancellable, on_done, g_object_ref (self));
  g_task_set_source_tag (task, start);
  g_task_set_name (task, self->name);
  /* a result that came before it was cancelled is freed by on_done(), as is the work */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, work, NULL);
  g_task_run_in_thread (task, work_thread);
}

static void
ts_worker_dispose (GObject *object)
{
  TsWorker *self = TS_WORKER (object);

  ts_worker_cancel (self);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->recording);
  G_OBJECT_CLASS (ts_worker_parent_class)->dispose (object);
}

static void
ts_worker_finalize (GObject *object)
{
  g_free (TS_WORKER (object)->name);
  G_OBJECT_CLASS (ts_worker_parent_class)->finalize (object);
}

static void
ts_worker_class_init (TsWorkerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_worker_dispose;
  G_OBJECT_CLASS (klass)->finalize = ts_worker_finalize;
}

static void
ts_worker_init (TsWorker *self)
{
}

/**
 * ts_worker_new:
 * @name: what the thread is called in profilers
 *
 * Thread: main
 *
 * Returns: (transfer full): a worker without a recording
 */
TsWorker *
ts_worker_new (const char *name)
{
  TsWorker *self = g_object_new (TS_TYPE_WORKER, NULL);

  self->name = g_strdup (name);
  return self;
}

/**
 * ts_worker_set_recording:
 * @self: a worker
 * @recording: (nullable): what it works on from now on; work on another one is given up
 *
 * Thread: main
 */
void
ts_worker_set_recording (TsWorker *self,
                         TsRecording *recording)
{
  g_return_if_fail (TS_IS_WORKER (self));
  if (!g_set_object (&self->recording, recording))
    return;
  ts_worker_cancel (self);
  self->serial++;
}

/**
 * ts_worker_ask:
 * @self: a worker with a recording
 * @func: what to do
 * @data: (transfer full): for @func
 * @data_free: (nullable): frees it, on the main thread
 * @result_free: (nullable): frees a result that nobody wants any more
 * @done: called with the result; the caller sees to it that @user_data lives until then, or calls
 *   ts_worker_cancel()
 * @user_data: for @done
 *
 * Thread: main
 */
void
ts_worker_ask (TsWorker *self,
               TsWorkerFunc func,
               gpointer data,
               GDestroyNotify data_free,
               GDestroyNotify result_free,
               TsWorkerDone done,
               gpointer user_data)
{
  Work *work;

  g_return_if_fail (TS_IS_WORKER (self));
  g_return_if_fail (self->recording != NULL && func != NULL && done != NULL);
  work = g_new0 (Work, 1);
  work->func = func;
  work->data = data;
  work->data_free = data_free;
  work->result_free = result_free;
  work->done = done;
  work->user_data = user_data;
  work->source = g_object_ref (self->recording);
  work->serial = self->serial;
  if (self->running == NULL)
    {
      start (self, work);
      return;
    }
  ts_worker_cancel (self);
  self->next = work;
}

/**
 * ts_worker_cancel:
 * @self: a worker
 *
 * Gives up what runs and what waits: nobody hears of it again.
 *
 * Thread: main
 */
void
ts_worker_cancel (TsWorker *self)
{
  g_return_if_fail (TS_IS_WORKER (self));
  g_clear_pointer (&self->next, work_free);
  if (self->running == NULL)
    return;
  self->is_given_up = TRUE;
  g_cancellable_cancel (self->cancellable);
}

/**
 * ts_worker_is_busy:
 * @self: a worker
 *
 * Thread: main
 *
 * Returns: whether a result is to come
 */
gboolean
ts_worker_is_busy (TsWorker *self)
{
  g_return_val_if_fail (TS_IS_WORKER (self), FALSE);
  return self->next != NULL || (self->running != NULL && !self->is_given_up);
}
