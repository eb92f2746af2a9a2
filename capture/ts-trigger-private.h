/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-trigger-private.h: a trigger's expression as it was read, and the gate that holds events until
 * it fires; inside capture only. */
#pragma once

#include "model/ts-recording-writer.h"

#include "ts-trigger.h"

G_BEGIN_DECLS

/** Most alternatives, and most names of one condition. */
#define TS_TRIGGER_MAX_ALTERNATIVES 16
/** Kinds that can be asked for. */
#define TS_TRIGGER_N_KINDS 0x400

/**
 * TsTriggerCompare: how a value is compared; the first four fire where they become true
 */
typedef enum
{
  TS_COMPARE_NONE,
  TS_COMPARE_ABOVE,
  TS_COMPARE_AT_LEAST,
  TS_COMPARE_BELOW,
  TS_COMPARE_AT_MOST,
  TS_COMPARE_EQUAL,
  TS_COMPARE_DIFFERENT,
} TsTriggerCompare;

/**
 * TsTriggerType: what an alternative waits for
 * @TS_TRIGGER_EVENT: one event
 * @TS_TRIGGER_DURATION: a slice that lasts
 * @TS_TRIGGER_SILENCE: nothing
 */
typedef enum
{
  TS_TRIGGER_EVENT,
  TS_TRIGGER_DURATION,
  TS_TRIGGER_SILENCE,
} TsTriggerType;

/**
 * TsTriggerTerm: one alternative
 * @type: what it waits for
 * @text: as written, for the mark
 * @kinds: (nullable): per kind, which sides are meant: bit 0 without side, 1 START, 2 END
 * @lane: (nullable): name of a lane
 * @words: (nullable): case-folded, part of the text
 * @core: processor, -1: any
 * @compare, @number: the value
 * @wait_ns: how long a slice lasts, or nothing is heard
 * @or_equal: exactly so long is enough
 */
typedef struct
{
  TsTriggerType type;
  char *text;
  guint8 *kinds;
  char *lane;
  char *words;
  int core;
  TsTriggerCompare compare;
  double number;
  gint64 wait_ns;
  gboolean or_equal;
} TsTriggerTerm;

GPtrArray *_ts_trigger_parse (const char *expression,
                              GError **error);

/**
 * TsTriggerOptions:
 * @expression: what to wait for
 * @action: what then
 * @before_ms, @after_ms: how much of the target's time is kept
 * @keep_raw_log: hold raw bytes too
 */
typedef struct
{
  const char *expression;
  TsTriggerAction action;
  gint64 before_ms;
  gint64 after_ms;
  gboolean keep_raw_log;
} TsTriggerOptions;

/**
 * TsTriggerFigures:
 * @state: how far it is
 * @n_fired: times it has fired
 * @n_held: events that are held
 * @held_us, @wanted_us: time that is held, or recorded after it; and how much is wanted
 * @n_left_out: events that were not recorded
 * @lost, @gaps, @corrupt_bytes: losses among what was not recorded
 */
typedef struct
{
  TsTriggerState state;
  guint64 n_fired;
  guint64 n_held;
  gint64 held_us;
  gint64 wanted_us;
  guint64 n_left_out;
  guint64 lost;
  guint64 gaps;
  guint64 corrupt_bytes;
} TsTriggerFigures;

typedef struct _TsTriggerGate TsTriggerGate;

TsTriggerGate *_ts_trigger_gate_new (const TsTriggerOptions *options,
                                     TsRecordingWriter *writer,
                                     GError **error);
void _ts_trigger_gate_free (TsTriggerGate *self);
TsEventSink *_ts_trigger_gate_get_sink (TsTriggerGate *self);
void _ts_trigger_gate_push_raw (TsTriggerGate *self,
                                gint64 host_us,
                                guint32 source,
                                const guint8 *bytes,
                                gsize n_bytes);
void _ts_trigger_gate_idle (TsTriggerGate *self,
                            gint64 now_us);
void _ts_trigger_gate_finish (TsTriggerGate *self);
void _ts_trigger_gate_get_figures (TsTriggerGate *self,
                                   TsTriggerFigures *figures);

G_END_DECLS
