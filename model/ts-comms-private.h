/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-comms-private.h: operations that no lane of an object tells, as ts-comms.c takes them. */
#pragma once

#include "ts-analysis-private.h"
#include "ts-comms.h"

G_BEGIN_DECLS

/**
 * TsOperation:
 * @time: when
 * @object: the object; of a notification the receiving task
 * @actor: task or interrupt; 0 not known
 * @is_notification: a notification
 * @is_give: give, send, set; else take, receive, wait satisfied
 * @is_failed: it did not happen
 */
typedef struct
{
  gint64 time;
  guint32 object;
  guint32 actor;
  gboolean is_notification;
  gboolean is_give;
  gboolean is_failed;
} TsOperation;

typedef void (*TsTransferFunc) (const TsTransfer *transfer,
                                gpointer user_data);

GArray *_ts_comms_read_operations (TsRecording *recording,
                                   gint64 begin,
                                   gint64 end,
                                   GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
