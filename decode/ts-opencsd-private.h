/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-opencsd-private.h: the decode tree of OpenCSD, with decoders of our own at its sources.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _TsOpencsd TsOpencsd;

/** Bytes of source @id, in order; must not call back. */
typedef void (*TsOpencsdFunc) (guint id, const guint8 *bytes, gsize n_bytes, gpointer user_data);

/** Source of a tree without a formatter: the library wants an id that is one. */
#define TS_OPENCSD_RAW 1

TsOpencsd *_ts_opencsd_new (gboolean is_framed, TsOpencsdFunc func, gpointer user_data);
void _ts_opencsd_free (TsOpencsd *self);
void _ts_opencsd_push (TsOpencsd *self, const guint8 *bytes, gsize n_bytes);
void _ts_opencsd_reset (TsOpencsd *self);
void _ts_opencsd_finish (TsOpencsd *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsOpencsd, _ts_opencsd_free)

G_END_DECLS
