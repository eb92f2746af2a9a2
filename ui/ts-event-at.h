/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-at.h: which event stands at a point in time; on a worker. */
#pragma once

#include "model/ts-recording.h"

G_BEGIN_DECLS

guint64 ts_event_at_find (TsRecording *recording,
                          GArray *rows,
                          guint64 n_rows,
                          gint64 tick,
                          guint32 object,
                          GCancellable *cancellable);

G_END_DECLS
