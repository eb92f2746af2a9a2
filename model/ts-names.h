/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-names.h: names that the target does not send: symbols and lines of its firmware (ELF),
 * interrupts of its chip (SVD), watches of the set-up, tables of an older connection file.
 *
 * A book of names is laid between a decoder and a recording as a sink of its own: what goes into
 * the recording has its names, so lanes, queries, exports and live lines show them alike.
 */
#pragma once

#include <glib-object.h>

#include "ts-event-sink.h"
#include "ts-model-error.h"

G_BEGIN_DECLS

#define TS_TYPE_NAMES (ts_names_get_type ())
G_DECLARE_FINAL_TYPE (TsNames, ts_names, TS, NAMES, GObject)

TsNames *ts_names_new (void);
gboolean ts_names_add_elf (TsNames *self,
                           const char *path,
                           GError **error);
gboolean ts_names_add_svd (TsNames *self,
                           const char *path,
                           GError **error);
void ts_names_set_watch (TsNames *self,
                         guint comparator,
                         const char *name,
                         gint64 address);
void ts_names_set_name (TsNames *self,
                        TsObjectType type,
                        gint32 wire_id,
                        const char *name);
const char *ts_names_get_elf_path (TsNames *self);
const char *ts_names_get_svd_path (TsNames *self);
void ts_names_set_schema_path (TsNames *self,
                               const char *path);
const char *ts_names_get_schema_path (TsNames *self);
gboolean ts_names_is_of_files (TsNames *self);

TsEventSink *ts_names_sink_new (TsNames *self,
                                TsEventSink *next);
void ts_names_sink_free (TsEventSink *sink);

G_END_DECLS
