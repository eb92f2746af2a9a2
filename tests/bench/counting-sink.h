/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counting-sink.h: a sink that only counts, so that a decoder alone is measured. */
#pragma once

#include "model/ts-event-sink.h"

typedef struct
{
  TsEventSink parent;
  guint64 n_events;
  guint32 n_objects;
} CountingSink;

static inline void
count_events (TsEventSink *sink, const TsEvent *events, gsize n_events)
{
  ((CountingSink *) sink)->n_events += n_events;
}

static inline guint32
count_object (TsEventSink *sink, const TsObject *object)
{
  return ++((CountingSink *) sink)->n_objects;
}

static inline void
ignore_object (TsEventSink *sink, const TsObject *object)
{
}

static inline guint32
ignore_text (TsEventSink *sink, const char *text, gssize len)
{
  return 1;
}

static inline void
ignore_clock (TsEventSink *sink, guint64 hz)
{
}

static inline void
ignore_info (TsEventSink *sink, const char *key, const char *value)
{
}

static const TsEventSinkInterface counting_iface = {
  count_events, count_object, ignore_object, ignore_text, ignore_clock, ignore_info,
};
