/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-contention.h: who waited for a mutex that who held, and who ran instead. */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TsContention:
 * @begin: when the waiter found the mutex held
 * @end: when it ran again: it got the mutex, or gave up; the end of the recording if @is_open
 * @is_open: it still waits at the end
 * @is_inversion: the waiter is more urgent than the holder
 * @mutex, @waiter, @holder: object ids; a @holder of 0 is not known
 * @third: the task that ran longest meanwhile of those that are less urgent than the waiter and
 *   do not hold the mutex: it made the wait longer than it had to be; 0 none
 * @third_ticks: how long it ran
 * @waiter_priority, @holder_priority, @third_priority: effective at @begin; %TS_OBJECT_UNKNOWN
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  gboolean is_open;
  gboolean is_inversion;
  guint32 mutex;
  guint32 waiter;
  guint32 holder;
  guint32 third;
  gint64 third_ticks;
  gint64 waiter_priority;
  gint64 holder_priority;
  gint64 third_priority;
} TsContention;

GArray *ts_contention_list (TsRecording *recording,
                            gint64 begin,
                            gint64 end,
                            GCancellable *cancellable,
                            GError **error);

G_END_DECLS
