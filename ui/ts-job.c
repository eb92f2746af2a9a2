/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-job.h"

/* Progress crosses the threads as one atomic integer. */
#define FRACTION_STEPS 10000

struct _TsJob
{
  GObject parent_instance;

  char *title;
  GCancellable *cancellable;
  gint fraction;
};

typedef struct
{
  TsJobFunc func;
  gpointer data;
  GDestroyNotify data_free;
  GDestroyNotify result_free;
} Work;

G_DEFINE_FINAL_TYPE (TsJob, ts_job, G_TYPE_OBJECT)

static void
work_free (Work *work)
{
  if (work->data_free != NULL)
    work->data_free (work->data);
  g_free (work);
}

static void
run_thread (GTask *task,
            gpointer source,
            gpointer data,
            GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  gpointer result = work->func (source, work->data, cancellable, &error);

  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, result, work->result_free);
}

static void
ts_job_finalize (GObject *object)
{
  TsJob *self = TS_JOB (object);

  g_clear_pointer (&self->title, g_free);
  g_clear_object (&self->cancellable);
  G_OBJECT_CLASS (ts_job_parent_class)->finalize (object);
}

static void
ts_job_class_init (TsJobClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_job_finalize;
}

static void
ts_job_init (TsJob *self)
{
  self->cancellable = g_cancellable_new ();
  self->fraction = -1;
}

/**
 * ts_job_new:
 * @title: what is done, for people
 *
 * Thread: main
 *
 * Returns: (transfer full): a job that has not begun
 */
TsJob *
ts_job_new (const char *title)
{
  TsJob *self = g_object_new (TS_TYPE_JOB, NULL);

  self->title = g_strdup (title);
  return self;
}

/**
 * ts_job_get_title:
 * @self: a job
 *
 * Thread: any
 *
 * Returns: (transfer none): what is done
 */
const char *
ts_job_get_title (TsJob *self)
{
  g_return_val_if_fail (TS_IS_JOB (self), NULL);
  return self->title;
}

/**
 * ts_job_set_fraction:
 * @self: a job
 * @fraction: how much is done, 0 to 1
 *
 * Thread: any
 */
void
ts_job_set_fraction (TsJob *self,
                     double fraction)
{
  g_return_if_fail (TS_IS_JOB (self));
  g_atomic_int_set (&self->fraction, (gint) (CLAMP (fraction, 0.0, 1.0) * FRACTION_STEPS));
}

/**
 * ts_job_get_fraction:
 * @self: a job
 *
 * Thread: any
 *
 * Returns: how much is done, 0 to 1; negative while it is not known
 */
double
ts_job_get_fraction (TsJob *self)
{
  gint fraction;

  g_return_val_if_fail (TS_IS_JOB (self), -1.0);
  fraction = g_atomic_int_get (&self->fraction);
  return fraction < 0 ? -1.0 : (double) fraction / FRACTION_STEPS;
}

/**
 * ts_job_cancel:
 * @self: a job
 *
 * Asks it to stop; it ends with %G_IO_ERROR_CANCELLED soon, or has just ended.
 *
 * Thread: any
 */
void
ts_job_cancel (TsJob *self)
{
  g_return_if_fail (TS_IS_JOB (self));
  g_cancellable_cancel (self->cancellable);
}

/**
 * ts_job_run_async:
 * @self: a job
 * @func: does the work
 * @data: (transfer full): for @func; nothing of GTK
 * @data_free: (nullable): frees @data
 * @result_free: (nullable): frees a result nobody takes
 * @callback: called when it ended
 * @user_data: for @callback
 *
 * Thread: main
 */
void
ts_job_run_async (TsJob *self,
                  TsJobFunc func,
                  gpointer data,
                  GDestroyNotify data_free,
                  GDestroyNotify result_free,
                  GAsyncReadyCallback callback,
                  gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  Work *work;

  g_return_if_fail (TS_IS_JOB (self));
  g_return_if_fail (func != NULL);
  work = g_new0 (Work, 1);
  work->func = func;
  work->data = data;
  work->data_free = data_free;
  work->result_free = result_free;
  task = g_task_new (self, self->cancellable, callback, user_data);
  g_task_set_source_tag (task, ts_job_run_async);
  g_task_set_name (task, "[ts-ui] job");
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, work, (GDestroyNotify) work_free);
  g_task_run_in_thread (task, run_thread);
}

/**
 * ts_job_run_finish:
 * @self: a job
 * @result: what the callback got
 * @error: return location
 *
 * Thread: main
 * Errors: those of the function that did the work
 *
 * Returns: (transfer full) (nullable): its result
 */
gpointer
ts_job_run_finish (TsJob *self,
                   GAsyncResult *result,
                   GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}
