/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collect-sink.h: a sink that keeps everything, and the files tests read.
 *
 * It checks what every sink may rely on: events in order of time, none before 0, objects and texts
 * defined before they are used.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "decode/ts-decoder.h"

typedef struct
{
  TsEventSink parent;
  GArray *events;     /* TsEvent */
  GPtrArray *objects; /* TsObject, by id - 1 */
  GPtrArray *texts;   /* char, by id - 1 */
  GPtrArray *infos;   /* "key=value", in order */
  GHashTable *text_ids;
  guint64 hz;
  guint n_clocks;
} CollectSink;

CollectSink *collect_sink_new (void);
void collect_sink_free (CollectSink *self);
const TsObject *collect_sink_object (CollectSink *self, guint32 id);
const TsObject *collect_sink_find (CollectSink *self, TsObjectType type, const char *name);
const char *collect_sink_text (CollectSink *self, const TsEvent *event);
const char *collect_sink_info (CollectSink *self, const char *key);
guint collect_sink_count (CollectSink *self, TsEventKind kind);
const TsEvent *collect_sink_nth (CollectSink *self, guint n);
void collect_sink_assert_equal (CollectSink *a, CollectSink *b);

GBytes *read_capture (const char *name);
JsonNode *read_expected (const char *name);
GBytes *bytes_from_hex (const char *hex);
CollectSink *
decode_bytes (const char *format, const guint8 *bytes, gsize n_bytes, TsDecodeCounters *counters);
CollectSink *decode_hex (const char *format, const char *hex, TsDecodeCounters *counters);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CollectSink, collect_sink_free)
