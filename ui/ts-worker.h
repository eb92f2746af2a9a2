/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-worker.h: work on a recording beside the window: on a thread, with a recording of its own.
 *
 * The copy of the recording is opened on the thread as well and kept for the next piece of work, of
 * this worker or of another one.
 * One piece at a time: what is asked for while another runs cancels that one and comes after it; of
 * several that wait only the newest is done.
 */
#pragma once

#include "model/ts-recording.h"

G_BEGIN_DECLS

#define TS_TYPE_WORKER (ts_worker_get_type ())
G_DECLARE_FINAL_TYPE (TsWorker, ts_worker, TS, WORKER, GObject)

/**
 * TsWorkerFunc:
 * @recording: the worker's own, refreshed
 * @data: what was given to ts_worker_ask()
 * @cancellable: set when something newer was asked for
 * @error: return location
 *
 * Thread: the worker's
 *
 * Returns: (transfer full) (nullable): the result, %NULL with @error set
 */
typedef gpointer (*TsWorkerFunc) (TsRecording *recording,
                                  gpointer data,
                                  GCancellable *cancellable,
                                  GError **error);

/**
 * TsWorkerDone:
 * @result: (transfer full) (nullable): what the function returned
 * @error: (nullable): why it returned nothing
 * @user_data: what was given to ts_worker_ask()
 *
 * Never called for work that was given up.
 *
 * Thread: main
 */
typedef void (*TsWorkerDone) (gpointer result,
                              const GError *error,
                              gpointer user_data);

TsWorker *ts_worker_new (const char *name);
void ts_worker_set_recording (TsWorker *self,
                              TsRecording *recording);
void ts_worker_ask (TsWorker *self,
                    TsWorkerFunc func,
                    gpointer data,
                    GDestroyNotify data_free,
                    GDestroyNotify result_free,
                    TsWorkerDone done,
                    gpointer user_data);
void ts_worker_cancel (TsWorker *self);
gboolean ts_worker_is_busy (TsWorker *self);

G_END_DECLS
