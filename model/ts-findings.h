/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-findings.h: what a person should look at: places in a recording, each with its reason. */
#pragma once

#include "ts-recording.h"

G_BEGIN_DECLS

/**
 * TsFindingKind:
 * @TS_FINDING_INVERSION: a task waited for a mutex that a less urgent one held; with a third task
 *   that ran meanwhile, if there was one
 * @TS_FINDING_LOCK_INVERSION: the same with a semaphore used as a lock (it is given by the one
 *   that took it): there no kernel helps
 * @TS_FINDING_STARVATION: a task was ready and did not run for 100 ms or more
 * @TS_FINDING_TIMER_LATE: a timer fired more than 500 us late
 * @TS_FINDING_TIMER_MISSED: a timer did not fire for a period or more
 * @TS_FINDING_PERIOD: an otherwise regular task or interrupt came much too late; a pause between
 *   bursts of one (a hundred periods and more, of what keeps its rhythm for less than a tenth of
 *   the time) is none
 * @TS_FINDING_OPERATION_FAILED: receives, takes or waits failed
 * @TS_FINDING_QUEUE_OVERFLOW: sends or gives failed
 * @TS_FINDING_STACK: a stack is 90 % used or more
 * @TS_FINDING_INTERRUPT_STORM: an interrupt came far more often than it does, and took a fifth of
 *   the processor or more, for 10 ms
 * @TS_FINDING_HEAP_GROWTH: a heap grew through the whole range and never gave back
 * @TS_FINDING_HEAP_FAIL: an allocation failed
 * @TS_FINDING_DATA_LOSS: events were lost on the way
 * @TS_FINDING_CORRUPT: bytes could not be decoded
 */
typedef enum
{
  TS_FINDING_INVERSION,
  TS_FINDING_LOCK_INVERSION,
  TS_FINDING_STARVATION,
  TS_FINDING_TIMER_LATE,
  TS_FINDING_TIMER_MISSED,
  TS_FINDING_PERIOD,
  TS_FINDING_OPERATION_FAILED,
  TS_FINDING_QUEUE_OVERFLOW,
  TS_FINDING_STACK,
  TS_FINDING_INTERRUPT_STORM,
  TS_FINDING_HEAP_GROWTH,
  TS_FINDING_HEAP_FAIL,
  TS_FINDING_DATA_LOSS,
  TS_FINDING_CORRUPT,
  TS_FINDING_N_KINDS
} TsFindingKind;

/**
 * TsSeverity:
 * @TS_SEVERITY_INFO: may be as it should
 * @TS_SEVERITY_WARNING: rarely as it should
 * @TS_SEVERITY_ERROR: something is wrong, or the recording is
 */
typedef enum
{
  TS_SEVERITY_INFO,
  TS_SEVERITY_WARNING,
  TS_SEVERITY_ERROR,
} TsSeverity;

#define TS_FINDING_MAX_LANES 4

/**
 * TsFinding:
 * @kind: what
 * @severity: how bad
 * @begin, @end: the place, in ticks; equal for an instant
 * @lanes: (array length=n_lanes): lanes it is about, the most important one first
 * @count: how many such events it stands for
 * @weight: for comparing findings of one kind: ticks, bytes or events
 * @text: one sentence, in the user's language
 */
typedef struct
{
  TsFindingKind kind;
  TsSeverity severity;
  gint64 begin;
  gint64 end;
  guint32 lanes[TS_FINDING_MAX_LANES];
  guint n_lanes;
  guint64 count;
  gint64 weight;
  char *text;
} TsFinding;

GPtrArray *ts_findings_list (TsRecording *recording,
                             gint64 begin,
                             gint64 end,
                             GCancellable *cancellable,
                             GError **error);
void ts_finding_free (TsFinding *self);
const char *ts_finding_kind_get_name (TsFindingKind kind);
const char *ts_severity_get_name (TsSeverity severity);

G_END_DECLS
