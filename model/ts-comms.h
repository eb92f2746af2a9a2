/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-comms.h: who gives what to whom: semaphores, queues, buffers, notifications, event flags, and
 * mutexes handed over.
 */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TsPath:
 * @producer: object id of the task or interrupt that gave; 0 not known (as what was there at the
 *   begin)
 * @resource: object id; of a notification the receiving task
 * @is_notification: the resource is a task's notification
 * @consumer: object id of the task or interrupt that took
 * @count: transfers
 * @n_blocked: transfers that the consumer waited for
 * @p50, @p99, @max: ticks from give to take; -1 if none is known
 * @max_begin, @max_end: the slowest transfer
 * @first, @last: time of the first and last take
 *
 * One way from a giver through an object to a taker.
 *
 * A take belongs to the oldest give that was not taken yet (semaphores, queues, buffers), or to
 * the last one (event flags, notifications). A mutex is handed over when another task takes it
 * than the one that gave it; its latency counts only if the taker was waiting when it was given.
 */
typedef struct
{
  guint32 producer;
  guint32 resource;
  guint32 consumer;
  gboolean is_notification;
  guint64 count;
  guint64 n_blocked;
  gint64 p50;
  gint64 p99;
  gint64 max;
  gint64 max_begin;
  gint64 max_end;
  gint64 first;
  gint64 last;
} TsPath;

/**
 * TsResource:
 * @object: object id; of a notification the receiving task
 * @is_notification: it is a task's notification
 * @given, @taken: operations that succeeded
 * @failed_gives, @failed_takes: operations that failed: full, empty, timeout
 * @blocked_gives, @blocked_takes: operations that somebody waited for
 * @has_depth: @pending and @max_depth mean something (what is given stays until it is taken)
 * @pending: given and not taken at the end of the range; what was there at the begin of the recording
 *   counts as far as takes without a give show it
 * @max_depth, @max_depth_time: the most that was pending, and when
 * @depths: (nullable) (array): with buckets: the most that was pending in each
 */
typedef struct
{
  guint32 object;
  gboolean is_notification;
  gboolean has_depth;
  guint64 given;
  guint64 taken;
  guint64 failed_gives;
  guint64 failed_takes;
  guint64 blocked_gives;
  guint64 blocked_takes;
  gint64 pending;
  gint64 max_depth;
  gint64 max_depth_time;
  gint64 *depths;
} TsResource;

/**
 * TsComms:
 * @begin, @end: the range
 * @bucket: ticks per bucket of @depths; 0: none
 * @n_buckets: how many
 * @is_exact: percentiles are those of all transfers; else within 1 %. All else is exact always
 * @paths: (element-type TsPath): most used first
 * @resources: (element-type TsResource): in order of object ids, those of notifications last
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  gint64 bucket;
  guint n_buckets;
  gboolean is_exact;
  GArray *paths;
  GArray *resources;
} TsComms;

/**
 * TsTransfer: one give and its take.
 * @producer, @resource, @consumer, @is_notification: as in #TsPath
 * @give_time: when it was given; -1: not known
 * @take_time: when it was taken
 */
typedef struct
{
  guint32 producer;
  guint32 resource;
  guint32 consumer;
  gboolean is_notification;
  gint64 give_time;
  gint64 take_time;
} TsTransfer;

gboolean ts_comms_find_transfer (TsRecording *recording,
                                 guint32 object,
                                 guint32 consumer,
                                 gint64 time,
                                 gboolean is_give,
                                 TsTransfer *transfer,
                                 GCancellable *cancellable,
                                 GError **error);
TsComms *ts_comms_new (TsRecording *recording,
                       gint64 begin,
                       gint64 end,
                       gint64 bucket,
                       GCancellable *cancellable,
                       GError **error);
void ts_comms_free (TsComms *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsComms, ts_comms_free)

G_END_DECLS
