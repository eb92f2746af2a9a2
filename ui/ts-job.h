/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-job.h: one long piece of work on a thread of its own, with progress and a way to stop it.
 *
 * The function that does the work sees the job (for progress) and its own data, and nothing of the
 * window; the window watches the job from the main thread.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define TS_TYPE_JOB (ts_job_get_type ())
G_DECLARE_FINAL_TYPE (TsJob, ts_job, TS, JOB, GObject)

/**
 * TsJobFunc:
 * @job: the job; only ts_job_set_fraction() may be called on it
 * @data: what was given to ts_job_run_async()
 * @cancellable: set when the user stops it
 * @error: return location
 *
 * Thread: the job's own
 *
 * Returns: (transfer full) (nullable): the result, %NULL with @error set
 */
typedef gpointer (*TsJobFunc) (TsJob *job,
                               gpointer data,
                               GCancellable *cancellable,
                               GError **error);

TsJob *ts_job_new (const char *title);
const char *ts_job_get_title (TsJob *self);
void ts_job_set_fraction (TsJob *self,
                          double fraction);
double ts_job_get_fraction (TsJob *self);
void ts_job_cancel (TsJob *self);
void ts_job_run_async (TsJob *self,
                       TsJobFunc func,
                       gpointer data,
                       GDestroyNotify data_free,
                       GDestroyNotify result_free,
                       GAsyncReadyCallback callback,
                       gpointer user_data);
gpointer ts_job_run_finish (TsJob *self,
                            GAsyncResult *result,
                            GError **error);

G_END_DECLS
