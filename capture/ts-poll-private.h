/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-poll-private.h: variables of the firmware, read out of target memory at a rate while it runs;
 * inside capture only.
 */
#pragma once

#include "ts-poll.h"
#include "ts-probe.h"
#include "ts-source.h"

G_BEGIN_DECLS

typedef struct _TsPoller TsPoller;

gboolean _ts_poller_new_for (TsConnection *connection,
                             TsPoller **poller,
                             GError **error);
TsPoller *_ts_poller_new (GArray *symbols,
                          guint hz,
                          guint pc_hz);
void _ts_poller_set_pc_hz (TsPoller *self,
                           guint hz);
void _ts_poller_free (TsPoller *self);
gint64 _ts_poller_get_due_us (TsPoller *self);
gboolean _ts_poller_step (TsPoller *self,
                          TsProbe *probe,
                          gint64 now_us,
                          TsSourceEmit emit,
                          gpointer user_data,
                          GError **error);
void _ts_poller_tell_figures (TsPoller *self,
                              TsSource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPoller, _ts_poller_free)

G_END_DECLS
