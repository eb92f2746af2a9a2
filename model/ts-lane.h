/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane.h: what a lane is made of: slices, buckets and columns.
 *
 * Plain structs shared by the tracker (which makes slices), the pyramid (which stores them), the
 * reader (which answers the timeline) and the painter.
 */
#pragma once

#include <glib.h>

#include "ts-object.h"

G_BEGIN_DECLS

/**
 * TsLaneKind:
 * @TS_LANE_CPU: busy (not idle) intervals of one processor
 * @TS_LANE_TASK: states of one task, never overlapping
 * @TS_LANE_RTOS: scheduler time between switch-out and switch-in of one processor (`_RTOS_`)
 * @TS_LANE_ISR: one interrupt; nested instances of the same id overlap
 * @TS_LANE_SPAN: user event spans (`Fn:<name>`); may overlap (depth tells)
 * @TS_LANE_TOGGLE: low/high of a toggle or pin
 * @TS_LANE_VALUE: a plot: user trace, counter, heap, heap gauge
 * @TS_LANE_OBJECT: operations on a kernel object (points): queue, mutex, semaphore, timer, event
 *   flags ...
 * @TS_LANE_MESSAGE: text messages (points; arg is the string id)
 * @TS_LANE_LOSS: losses and corruption of the whole recording (intervals from last good to first
 *   good event)
 * @TS_LANE_DENSITY: number of events per time, for the overview; has no slices
 */
typedef enum
{
  TS_LANE_CPU,
  TS_LANE_TASK,
  TS_LANE_RTOS,
  TS_LANE_ISR,
  TS_LANE_SPAN,
  TS_LANE_TOGGLE,
  TS_LANE_VALUE,
  TS_LANE_OBJECT,
  TS_LANE_MESSAGE,
  TS_LANE_LOSS,
  TS_LANE_DENSITY,
  TS_LANE_N_KINDS
} TsLaneKind;

/**
 * TsLaneState:
 *
 * What a slice says. Persisted in slice blobs: append-only.
 */
typedef enum
{
  TS_STATE_NONE = 0, /* nothing known (before the first event, after a loss, deleted) */
  TS_STATE_RUNNING
  = 1, /* task on the CPU, interrupt in its handler, span active, CPU busy, toggle high */
  TS_STATE_READY = 2, /* wants the CPU */
  TS_STATE_BLOCKED
  = 3, /* waits; arg: object id it waits for (its own id: a notification), 0 unknown */
  TS_STATE_SLEEPING = 4,
  TS_STATE_SUSPENDED = 5,
  TS_STATE_INTERRUPTED
  = 6,                   /* only as ticks in buckets: running but an interrupt is in its handler */
  TS_STATE_LOW = 7,      /* toggle low */
  TS_STATE_POINT = 8,    /* an instant: begin == end */
  TS_STATE_LOSS = 9,     /* data loss; arg: packets lost (capped), 0xFFFFFFFF unknown */
  TS_STATE_CORRUPT = 10, /* undecodable bytes; arg: bytes (capped) */
  TS_N_STATES = 11
} TsLaneState;

/** States that buckets keep a time sum for: states 0 to 7. */
#define TS_N_TIMED_STATES 8

/**
 * TsSlice:
 * @begin: first tick
 * @end: tick after the last; equal to @begin for an instant
 * @value: value lanes: the value from @begin on (held until @end); else 0
 * @arg: blocked: the object waited for; message: string id; object lane: acting task's object id;
 *   loss: count; span: see @depth; running (tasks, interrupts, scheduler): ticks that interrupts
 *   inside it took, %TS_SLICE_MANY_TICKS: more than fits; ready: %TS_SLICE_CHOSEN_AGAIN or 0
 * @state: #TsLaneState
 * @depth: nesting depth among overlapping slices of its lane, 0 outermost
 * @kind: the event kind of an instant (object lanes), else 0; TS_SLICE_START bit tells the START
 *   side
 *
 * In one lane, slices are ordered by @end.
 */
typedef struct
{
  gint64 begin;
  gint64 end;
  double value;
  guint32 arg;
  guint8 state;
  guint8 depth;
  guint16 kind;
} TsSlice;

/** Set in TsSlice.kind when the event had its START side. */
#define TS_SLICE_START 0x8000
/** Set in TsSlice.kind for a slice whose end is not known yet (still open at the live end, or at
 * the end of the recording). */
#define TS_SLICE_OPEN 0x4000
#define TS_SLICE_KIND_MASK 0x0FFF
/** TsSlice.arg of a running slice that was interrupted for longer than it can tell. */
#define TS_SLICE_MANY_TICKS G_MAXUINT32
/** TsSlice.arg of a ready slice in which the scheduler chose the same task again: no preemption. */
#define TS_SLICE_CHOSEN_AGAIN 1

/**
 * TsColumn:
 * @count: slices or instants that begin (value lanes: samples that lie) in the column
 * @ticks: time spent in each timed state within the column (state lanes). RUNNING is gross:
 *   INTERRUPTED says how much of it went to interrupts, and does not add to the sum. Overlapping
 *   slices (nested spans) each count
 * @min: smallest value (value lanes; meaningless if @count is 0 and @has_value is not set)
 * @max: largest value
 * @last: value at the column's end
 * @has_value: the lane has a value here (a sample in the column, or one held from before: then
 *   min == max == last)
 * @top_state: state with most time (INTERRUPTED left out), or TS_STATE_POINT (only instants) /
 *   TS_STATE_NONE
 * @n_lost: loss lanes: packets lost
 *
 * One pixel column of a lane.
 */
typedef struct
{
  guint32 count;
  guint8 top_state;
  guint8 has_value;
  guint16 reserved;
  gint64 ticks[TS_N_TIMED_STATES];
  double min;
  double max;
  double last;
  gint64 n_lost;
} TsColumn;

/**
 * TsLaneInfo:
 * @id: lane id: the object's id, or a number from %TS_LANE_ID_SPECIAL on for lanes without an
 *   object
 * @kind: what it shows
 * @core: processor
 * @object: id of the object, 0 if none
 * @name: lane name as in `va_task_stats` (`Ctrl`, `ISR:SysTick`, `Fn:bulk`, `_RTOS_`), else the
 *   object's name
 * @priority: for tasks, else %TS_OBJECT_UNKNOWN
 * @is_idle: idle task
 * @type: type of the object
 * @color: index of a stable colour (0, 1, 2 ...), by order of appearance within its kind
 * @first_seen: tick of the first slice or event
 * @n_slices: number of slices so far
 */
typedef struct
{
  guint32 id;
  TsLaneKind kind;
  guint8 core;
  guint32 object;
  char *name;
  gint64 priority;
  gboolean is_idle;
  TsObjectType type;
  guint color;
  gint64 first_seen;
  guint64 n_slices;
} TsLaneInfo;

#define TS_LANE_ID_SPECIAL 0xFFFF0000u
/** Lane of losses; of event density; CPU and scheduler lane of a core; rate of one of its event
 * counters (0 to 5). */
#define TS_LANE_ID_LOSS 0xFFFF0000u
#define TS_LANE_ID_DENSITY 0xFFFF0001u
#define TS_LANE_ID_CPU(core) (0xFFFF0100u + (core))
#define TS_LANE_ID_RTOS(core) (0xFFFF0200u + (core))
#define TS_LANE_ID_COUNTER(core, counter) (0xFFFF0300u + 8u * (core) + (counter))
/** What a trace stream takes of its line; where the target's trace hardware lost packets of it. */
#define TS_LANE_ID_LOAD(core) (0xFFFF0C00u + (core))
#define TS_LANE_ID_OVERFLOW(core) (0xFFFF0D00u + (core))

/** The core whose stream's load lane @id shows, -1: it shows something else. */
static inline int
ts_lane_id_get_load_core (guint32 id)
{
  return id >= TS_LANE_ID_LOAD (0) && id < TS_LANE_ID_LOAD (256) ? (int) (id - TS_LANE_ID_LOAD (0))
                                                                 : -1;
}

G_END_DECLS
