/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-demo-shape.h: big recordings of realistic shape, made as events rather than bytes: as fast as
 * they can be stored.
 */
#pragma once

#include <gio/gio.h>

#include "model/ts-recording-writer.h"

G_BEGIN_DECLS

/** Ticks per second of the target. */
#define TS_DEMO_SHAPE_HZ 100000000
/** Tasks of the target, the idle one included. */
#define TS_DEMO_SHAPE_TASKS 200

typedef struct _TsDemoShape TsDemoShape;

TsDemoShape *ts_demo_shape_new (guint32 seed,
                                TsEventSink *sink);
void ts_demo_shape_free (TsDemoShape *self);
void ts_demo_shape_run (TsDemoShape *self,
                        guint64 n_events);
guint64 ts_demo_shape_get_n_events (TsDemoShape *self);
guint64 ts_demo_shape_get_n_lost (TsDemoShape *self,
                                  guint64 *n_gaps);

gboolean ts_demo_shape_record (const char *path,
                               guint64 n_events,
                               guint32 seed,
                               void (*progress) (double fraction,
                                                 gpointer user_data),
                               gpointer user_data,
                               GCancellable *cancellable,
                               TsRecordingSummary *summary,
                               GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDemoShape, ts_demo_shape_free)

G_END_DECLS
