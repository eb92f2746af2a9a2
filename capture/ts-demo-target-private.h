/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-demo-target-private.h: what the kernel of the demo target (ts-demo-target.c) and its firmware
 * (ts-demo-firmware.c) share.
 *
 * The kernel knows tasks, interrupts, time and the order of packets; the firmware is a table of
 * tasks whose scripts call the kernel.
 */
#pragma once

#include "decode/ts-va-encoder.h"

#include "ts-demo-target.h"

G_BEGIN_DECLS

#define TS_DEMO_N_TASKS 10
#define TS_DEMO_N_IRQS 4
#define TS_DEMO_TICKS_PER_US (TS_DEMO_TARGET_HZ / 1000000)

/* Task states of packet 1C. Source: viewalyzer-wire.md section 7 */
typedef enum
{
  TS_DEMO_ABSENT = 0,
  TS_DEMO_READY = 1,
  TS_DEMO_BLOCKED = 3,
  TS_DEMO_SLEEPING = 4,
  TS_DEMO_DELETED = 6,
} TsDemoState;

/* Wait reasons of packet 1C. Source: viewalyzer-wire.md section 7 */
typedef enum
{
  TS_DEMO_WAIT_MUTEX = 1,
  TS_DEMO_WAIT_SEMAPHORE = 2,
  TS_DEMO_WAIT_QUEUE = 4,
  TS_DEMO_WAIT_NOTIFICATION = 5,
  TS_DEMO_WAIT_FLAGS = 6,
  TS_DEMO_WAIT_TIMER = 13,
} TsDemoWait;

/* Tasks by urgency: an index is also the bit in the masks of the kernel. */
enum
{
  TS_DEMO_CONTROL,
  TS_DEMO_TIMERS,
  TS_DEMO_SENSOR,
  TS_DEMO_COMMS,
  TS_DEMO_UI,
  TS_DEMO_CALIB,
  TS_DEMO_LOGGER,
  TS_DEMO_SHELL,
  TS_DEMO_STORAGE,
  TS_DEMO_IDLE,
};

/* Interrupts by urgency. */
enum
{
  TS_DEMO_IRQ_ADC,
  TS_DEMO_IRQ_TIM,
  TS_DEMO_IRQ_UART,
  TS_DEMO_IRQ_SYSTICK,
};

/* Ids of synchronisation objects on the wire. */
enum
{
  TS_DEMO_BUS_MUTEX = 1,
  TS_DEMO_RX_SEM,
  TS_DEMO_LOG_QUEUE,
  TS_DEMO_CMD_QUEUE,
  TS_DEMO_SYS_EVENTS,
  TS_DEMO_LED_TIMER,
  TS_DEMO_WDG_TIMER,
  TS_DEMO_HEAP,
};

typedef struct _TsDemoTask TsDemoTask;
typedef struct _TsDemoIrq TsDemoIrq;

/**
 * TsDemoStep:
 *
 * One step of a task's script, at the task's current place (@pc).
 *
 * Returns: ticks the task computes before its next step; 0 when it blocked, went to sleep or ended
 */
typedef gint64 (*TsDemoStep) (TsDemoTarget *self,
                              TsDemoTask *task);

struct _TsDemoTask
{
  guint8 index;
  guint8 id;
  guint8 state;
  guint8 wait_object;
  gint32 priority;
  guint pc;
  guint round;
  guint n_notified;
  gboolean tells_sleep_end;
  gint64 remaining;
  gint64 wake_at;
  gint64 told_stack_at;
  TsDemoStep step;
};

struct _TsDemoIrq
{
  guint8 index;
  guint8 id;
  gint64 fire;
  gint64 period;
  gint64 duration;
  guint n_left;
  void (*handler) (TsDemoTarget *self,
                   TsDemoIrq *irq);
};

struct _TsDemoTarget
{
  TsVaEncoder encoder;
  GByteArray *pending;
  guint64 random;
  guint rate;
  gint64 unit;            /* ticks of one nominal microsecond, in 1/256 */
  gint64 now;
  gint64 reached;         /* target time that run() was told to reach and did */
  gint64 next_bundle;
  gint64 piece;           /* longest computing without extra activity */
  gint64 credit;          /* events due, in ticks times rate */
  gint64 credit_at;
  guint64 credit_events;
  gint64 event_ticks;     /* cost of one event */
  gboolean has_begun;

  TsDemoTask tasks[TS_DEMO_N_TASKS];
  TsDemoTask *current;
  guint32 ready;          /* masks by task index */
  guint32 timed;
  TsDemoIrq irqs[TS_DEMO_N_IRQS];
  guint isr_depth;

  /* the firmware's own data */
  gint bus_owner;         /* task index, -1: free */
  gint64 bus_wanted_at;
  guint bus_round;        /* round of Control in which it next needs the bus */
  guint rx_count;
  guint log_count;
  guint log_kind[8];
  gint log_arg[8];
  guint cmd_count;
  guint flags;
  guint32 heap_used;
  guint32 rx_bytes;
  guint32 samples;
  guint sensor_divider;
  gint64 sensor_run;
  guint extra_turn;
  gint64 led_at;
  gint64 save_at;
  gboolean led;
  gboolean pin;
  gboolean calib_made;
  guint frames;
  guint n_late;
  gint16 sine[256];
  TsVaTask setup_tasks[TS_DEMO_N_TASKS];
};

/* kernel (ts-demo-target.c) */
gint64 _ts_demo_us (TsDemoTarget *self,
                    gint64 us);
guint32 _ts_demo_random (TsDemoTarget *self,
                         guint32 below);
gint64 _ts_demo_between (TsDemoTarget *self,
                         gint64 from_us,
                         gint64 to_us);
guint64 _ts_demo_tick (TsDemoTarget *self);
void _ts_demo_wake (TsDemoTarget *self,
                    guint index);
void _ts_demo_block (TsDemoTarget *self,
                     TsDemoTask *task,
                     TsDemoWait reason,
                     guint8 object,
                     guint32 detail);
void _ts_demo_block_until (TsDemoTarget *self,
                           TsDemoTask *task,
                           gint64 wake_at);
void _ts_demo_sleep (TsDemoTarget *self,
                     TsDemoTask *task,
                     gint64 us);
void _ts_demo_start_task (TsDemoTarget *self,
                          guint index);
void _ts_demo_end_task (TsDemoTarget *self,
                        TsDemoTask *task);
guint _ts_demo_take_credit (TsDemoTarget *self,
                            guint limit);

/* firmware (ts-demo-firmware.c) */
void _ts_demo_firmware_init (TsDemoTarget *self);
void _ts_demo_firmware_announce (TsDemoTarget *self);
void _ts_demo_firmware_get_setup (TsDemoTarget *self,
                                  TsVaSetup *setup);
void _ts_demo_firmware_extra (TsDemoTarget *self,
                              guint n_events);

G_END_DECLS
