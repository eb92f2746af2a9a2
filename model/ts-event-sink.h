/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-event-sink.h: where a decoder puts what it found.
 *
 * A sink is a table of functions. The recording writer is one; a counting sink for benchmarks and a collecting sink for tests
 * are others. All functions are called on the thread that pushes bytes into the decoder, and must not call back into it.
 */
#pragma once

#include "ts-event.h"
#include "ts-object.h"

G_BEGIN_DECLS

typedef struct _TsEventSink TsEventSink;

/**
 * TsEventSinkInterface:
 * @events: takes @n events in order of time; borrowed for the call
 * @define_object: a new object (copied); returns its id (1, 2, 3 ...), to be used in events from now on
 * @update_object: @object->id names an object defined before; all fields replace the old ones (copied)
 * @intern: returns an id (>= 1) for @text (@len bytes of valid UTF-8, or -1 for a terminated string); equal texts may get equal ids
 * @set_clock: ticks per second of event times; called before the first event where the stream tells it, and when it changes
 * @set_info: a fact about the stream: "os", "recorder_version", "dialect", "categories", "build_flags", "error" (a text
 *   such as "ERR:TS_DEAD"; may come several times), "t0_ticks" (raw 64-bit value of time 0) ...; decimal numbers as text
 */
typedef struct
{
  void (*events) (TsEventSink *sink,
                  const TsEvent *events,
                  gsize n_events);
  guint32 (*define_object) (TsEventSink *sink,
                            const TsObject *object);
  void (*update_object) (TsEventSink *sink,
                         const TsObject *object);
  guint32 (*intern) (TsEventSink *sink,
                     const char *text,
                     gssize len);
  void (*set_clock) (TsEventSink *sink,
                     guint64 hz);
  void (*set_info) (TsEventSink *sink,
                    const char *key,
                    const char *value);
} TsEventSinkInterface;

struct _TsEventSink
{
  const TsEventSinkInterface *iface;
};

G_END_DECLS
