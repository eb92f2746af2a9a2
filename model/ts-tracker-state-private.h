/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tracker-state-private.h: what the tracker remembers: about each object, and about each
 * processor.
 *
 * Shared by the tracker's files: ts-tracker.c (dispatch, lanes), -cores.c (load, interrupts),
 * -tasks.c (switches, waits), -values.c (samples, spans, points, losses), -rates.c (event counters),
 * -load.c (the trace pin) and -stats.c (figures).
 */
#pragma once

#include "ts-tracker-private.h"

G_BEGIN_DECLS

/** Open interrupts of a processor, open spans of one user event that are kept apart. */
#define TS_MAX_NESTING 32

/**
 * TsEntry: one object and what is known about it now.
 * @object: copy of its definition
 * @has_lane, @kind: it has a lane, which shows this
 * @stats, @trace: index of its figures, -1: none
 * @state, @arg, @since, @value: the slice that is open now (tasks, toggles, values); state NONE:
 *   none
 * @is_guess: the task left the CPU and nothing told why; @state is a guess that its next act may
 *   correct
 * @was_preempted: it left for a more urgent task: what to believe if no act tells otherwise
 * @has_wait, @wait_begin, @wait_end: a guessed wait that is over and waits for the task's first act
 * @has_next, @next_state, @next_arg: the state that was told while it still runs
 * @is_partial: its run was carried in from a longer recording: when it began is not known
 * @n_partial: spans: how many of the outermost open ones were
 * @was_waiting: since it left the CPU it was blocked, asleep or suspended: its next switch-in is
 *   an activation
 * @on_core: processor that it runs on, -1: none
 * @interrupts_at_in: the core's interrupt time when it was switched in
 * @last_activation: of a task, interrupt or span; -1: none
 * @first_give: objects: first give, send or post since the last take; tasks: first notification
 *   since the last take; -1: none
 * @begins, @n_begins: spans: begins of the open ones; interrupts: only their number
 */
typedef struct
{
  TsObject *object;
  guint32 id;
  gint64 priority;
  gint stats;
  gint trace;
  guint8 has_lane;
  guint8 kind;
  guint8 core;
  guint8 state;
  guint8 is_idle;
  guint8 is_guess;
  guint8 was_preempted;
  guint8 has_wait;
  guint8 has_next;
  guint8 next_state;
  guint8 was_waiting;
  guint8 is_partial;
  gint16 on_core;
  guint color;
  guint32 arg;
  guint32 next_arg;
  guint n_begins;
  guint n_partial;
  gint64 since;
  gint64 wait_begin;
  gint64 wait_end;
  gint64 interrupts_at_in;
  gint64 last_activation;
  gint64 first_give;
  gint64 first_seen;
  double value;
  gint64 *begins;
} TsEntry;

/** An interrupt in its handler. @nested: time of interrupts inside it; @is_partial: see TsEntry. */
typedef struct
{
  TsEntry *entry;
  gint64 begin;
  gint64 nested;
  guint depth;
  gboolean is_partial;
} TsOpenInterrupt;

/** Time in which the CPU was busy, with a task or (@owner 0) with anything else. */
typedef struct
{
  gint64 begin;
  gint64 end;
  guint32 owner;
} TsPendingRun;

/**
 * TsCore: one processor.
 * @running: (nullable): the task on the CPU
 * @is_running: a task is on the CPU, perhaps one that is not known (@running is %NULL)
 * @is_switching, @switch_begin: between switch-out and switch-in
 * @last_out: (nullable): task that was switched out last, until the next switch-in
 * @is_watching: @running has a wait to explain or told its next state: look at its acts
 * @interrupts, @n_interrupts: stack of handlers; @n_ignored: enters beyond it
 * @interrupt_ticks: total time with any interrupt open
 * @busy_begin: the CPU is busy since then; -1: idle or not known
 * @known_begin: its state is known since then; -1: not known
 * @pending: (nullable) (element-type TsPendingRun): tasks run and none is known to be idle yet: who
 *   kept the CPU busy, until that is known
 * @pending_begin, @pending_owner, @is_pending_busy: what has not ended of it
 */
typedef struct
{
  TsEntry *running;
  TsEntry *last_out;
  guint8 index;
  gboolean is_running;
  gboolean is_switching;
  gboolean is_watching;
  gboolean has_cpu_lane;
  gboolean has_rtos_lane;
  gboolean has_switched;
  gint rtos_stats;
  gint64 switch_begin;
  gint64 switch_interrupts;
  guint n_interrupts;
  guint n_ignored;
  TsOpenInterrupt interrupts[TS_MAX_NESTING];
  guint n_exceptions; /* told by trace hardware; a stack beside that of the interrupts */
  TsOpenInterrupt exceptions[TS_MAX_NESTING];
  guint32 sampled; /* function that the last sample of the program counter was in; 0: none */
  gint64 interrupt_ticks;
  gint64 busy_begin;
  gint64 known_begin;
  GArray *pending;
  gint64 pending_begin;
  guint32 pending_owner;
  gboolean is_pending_busy;
  gint64 span_begin;      /* without a kernel: known since then; -1 */
  gint64 span_ticks;
  guint8 has_load_lane;   /* what its trace stream takes of the line */
  guint8 is_load_share;   /* in per cent */
  guint8 has_overflow_lane;
  gint64 load_end;
  TsCoreStats stats;
} TsCore;

/** A loss that ends with the next event of the target. */
typedef struct
{
  gint64 begin;
  guint32 arg;
  guint8 state;
} TsOpenLoss;

#define TS_MAX_OPEN_LOSSES 8

typedef struct _TsRates TsRates; /* ts-tracker-load.c */
void _ts_tracker_load (TsTracker *self,
                       TsCore *core,
                       const TsEvent *event);
void _ts_tracker_overflow (TsTracker *self,
                           TsCore *core,
                           gint64 before);

/* ts-tracker-rates.c */

struct _TsTracker
{
  TsLaneStore *store;
  TsCommsFeed *comms; /* nullable */
  GHashTable *tasks_by_name; /* nullable: made when asked for */
  GPtrArray *entries; /* TsEntry by object id; holes are NULL */
  GPtrArray *cores;   /* TsCore by number */
  GArray *task_stats;
  GArray *trace_stats;
  guint colors[TS_LANE_N_KINDS];
  gboolean smaller_is_urgent;
  gboolean has_idle; /* an idle task is known, or was */
  gboolean is_excerpt; /* others may run while no known task does */
  gboolean has_task_states;
  gboolean has_density_lane;
  gboolean has_loss_lane;
  gint64 now;         /* time of the newest event */
  guint64 clock_hz;
  guint64 line_hz;    /* bits per second of the trace pin; 0: not known */
  TsRates *rates;     /* nullable: no event counter was seen */
  gint64 rates_due;   /* the next event of the target from then on concerns them */
  TsOpenLoss losses[TS_MAX_OPEN_LOSSES];
  guint n_losses;
};

/* ts-tracker.c */
void _ts_tracker_define_lane (TsTracker *self,
                              TsEntry *entry,
                              TsLaneKind kind);
void _ts_tracker_define_special (TsTracker *self,
                                 guint32 id,
                                 TsLaneKind kind,
                                 guint8 core,
                                 const char *name);

/* What interrupts have taken of a processor until now, those that are still in their handler
 * included. */
static inline gint64
_ts_core_interrupt_ticks (const TsTracker *self,
                          const TsCore *core)
{
  return core->interrupt_ticks
         + (core->n_interrupts > 0 ? self->now - core->interrupts[0].begin : 0);
}

/* The same of an interrupt (or exception) in a stack of them. */
static inline gint64
_ts_open_nested_ticks (const TsTracker *self,
                       const TsOpenInterrupt *stack,
                       guint n,
                       guint i)
{
  return stack[i].nested + (i + 1 < n ? self->now - stack[i + 1].begin : 0);
}

/* Interrupted ticks as the argument of a running slice. */
static inline guint32
_ts_tracker_ticks_arg (gint64 ticks)
{
  return (guint32) CLAMP (ticks, 0, (gint64) TS_SLICE_MANY_TICKS);
}

static inline TsEntry *
_ts_tracker_entry (TsTracker *self,
                   guint32 id)
{
  return G_LIKELY (id < self->entries->len) ? self->entries->pdata[id] : NULL;
}

/* ts-tracker-cores.c */
TsCore *_ts_tracker_add_core (TsTracker *self,
                              guint core);
void _ts_tracker_update_busy (TsTracker *self,
                              TsCore *core,
                              gint64 time);
gboolean _ts_tracker_push_open (TsTracker *self,
                                TsEntry *entry,
                                TsOpenInterrupt *stack,
                                guint *n,
                                gboolean is_partial);
gint64 _ts_tracker_pop_open (TsTracker *self,
                             TsOpenInterrupt *stack,
                             guint *n,
                             gint64 time,
                             gboolean is_complete,
                             guint kind_flags);
void _ts_tracker_interrupt (TsTracker *self,
                            TsCore *core,
                            const TsEvent *event);
void _ts_tracker_close_interrupts (TsTracker *self,
                                   TsCore *core,
                                   gint64 time,
                                   guint kind_flags);
void _ts_tracker_finish_core (TsTracker *self,
                              TsCore *core,
                              gint64 end);
void _ts_tracker_publish_core (TsTracker *self,
                               const TsCore *core);

/* ts-tracker-exceptions.c */
void _ts_tracker_exception (TsTracker *self,
                            TsCore *core,
                            const TsEvent *event);
void _ts_tracker_close_exceptions (TsTracker *self,
                                   TsCore *core,
                                   gint64 time,
                                   guint kind_flags);
void _ts_tracker_publish_exceptions (TsTracker *self,
                                     const TsCore *core);

/* ts-tracker-tasks.c */
void _ts_tracker_task_switch (TsTracker *self,
                              TsCore *core,
                              const TsEvent *event);
void _ts_tracker_sleep (TsTracker *self,
                        TsCore *core,
                        const TsEvent *event);
void _ts_tracker_task_state (TsTracker *self,
                             TsCore *core,
                             const TsEvent *event);
void _ts_tracker_contention (TsTracker *self,
                             const TsEvent *event);
void _ts_tracker_notify (TsTracker *self,
                         const TsEvent *event);
void _ts_tracker_act (TsTracker *self,
                      TsCore *core,
                      const TsEvent *event);
void _ts_tracker_begin_pending (TsTracker *self,
                                TsCore *core,
                                gint64 time);
gboolean _ts_tracker_end_pending (TsTracker *self,
                                  TsCore *core,
                                  gint64 time,
                                  guint32 idle);
void _ts_tracker_set_idle (TsTracker *self,
                           TsEntry *task,
                           gboolean is_idle);
void _ts_tracker_forget_core (TsTracker *self,
                              TsCore *core,
                              gint64 time);
void _ts_tracker_finish_task (TsTracker *self,
                              TsEntry *task,
                              gint64 end);
void _ts_tracker_publish_task (TsTracker *self,
                               const TsEntry *task);

/* ts-tracker-values.c */
void _ts_tracker_sample (TsTracker *self,
                         const TsEvent *event);
void _ts_tracker_toggle (TsTracker *self,
                         const TsEvent *event);
void _ts_tracker_span (TsTracker *self,
                       const TsEvent *event);
void _ts_tracker_message (TsTracker *self,
                          const TsEvent *event);
void _ts_tracker_operation (TsTracker *self,
                            const TsCore *core,
                            const TsEvent *event);
void _ts_tracker_begin_loss (TsTracker *self,
                             const TsEvent *event,
                             gint64 begin);
void _ts_tracker_end_losses (TsTracker *self,
                             gint64 time);
void _ts_tracker_pc_sample (TsTracker *self,
                            TsCore *core,
                            const TsEvent *event);
void _ts_tracker_forget_sample (TsTracker *self,
                                TsCore *core,
                                gint64 time);
void _ts_tracker_close_spans (TsTracker *self,
                              TsEntry *entry,
                              gint64 time,
                              guint kind_flags);
void _ts_tracker_finish_value (TsTracker *self,
                               TsEntry *entry,
                               gint64 end);
void _ts_tracker_publish_value (TsTracker *self,
                                const TsEntry *entry);

/* ts-tracker-load.c */
void _ts_tracker_load (TsTracker *self,
                       TsCore *core,
                       const TsEvent *event);
void _ts_tracker_overflow (TsTracker *self,
                           TsCore *core,
                           gint64 before);

/* ts-tracker-rates.c */
void _ts_tracker_counters (TsTracker *self,
                           const TsCore *core,
                           const TsEvent *event);
void _ts_tracker_advance_rates (TsTracker *self);
void _ts_tracker_forget_rates (TsTracker *self);
void _ts_tracker_finish_rates (TsTracker *self,
                               gint64 end);
void _ts_tracker_free_rates (TsTracker *self);

/* ts-tracker-stats.c */
gint _ts_tracker_add_task_stats (TsTracker *self,
                                 guint32 lane,
                                 guint32 object);
void _ts_tracker_count_partial_run (TsTaskStats *stats,
                                    gint64 own_ticks);
void _ts_tracker_count_run (TsTaskStats *stats,
                            gint64 ticks,
                            gint64 own_ticks);
void _ts_tracker_count_activation (TsTaskStats *stats,
                                   gint64 *last_activation,
                                   gint64 time);
void _ts_tracker_count_sample (TsTracker *self,
                               TsEntry *entry,
                               gint64 time,
                               double value);

static inline TsTaskStats *
_ts_tracker_stats (TsTracker *self,
                   gint index)
{
  return &g_array_index (self->task_stats, TsTaskStats, index);
}

G_END_DECLS
