/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <string.h>

#include "ts-demo-target-private.h"

/* Rate at which the firmware runs at its nominal speed; below it everything is slowed down, above
 * it activity is added. */
#define NOMINAL_RATE 20000
/* Events per second that the firmware makes by itself at nominal speed: 17 570 to 17 960 over 20
 * seeds, rounded up so that a slowed-down one stays below the rate asked for. */
#define NATURAL_RATE 18400
#define MIN_RATE 100
#define MAX_RATE 2000000
#define BUNDLE_TICKS (2 * (gint64) TS_DEMO_TARGET_HZ)
#define STACK_TICKS (TS_DEMO_TARGET_HZ / 2)
#define NEVER G_MAXINT64
/* Room that run() keeps in its output for the largest single step (a bundle). */
#define STEP_BYTES 4096

/* ---- time and chance ---- */

/* Ticks of @us nominal microseconds. */
gint64
_ts_demo_us (TsDemoTarget *self,
             gint64 us)
{
  return (us * self->unit) >> 8;
}

/* A number in [0, below): xorshift64*, upper half. */
guint32
_ts_demo_random (TsDemoTarget *self,
                 guint32 below)
{
  guint64 x = self->random;

  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  self->random = x;
  x *= G_GUINT64_CONSTANT (0x2545F4914F6CDD1D);
  return (guint32) (((x >> 32) * below) >> 32);
}

/* Ticks of a duration between two nominal times. */
gint64
_ts_demo_between (TsDemoTarget *self,
                  gint64 from_us,
                  gint64 to_us)
{
  gint64 from = _ts_demo_us (self, from_us);
  gint64 span = _ts_demo_us (self, to_us) - from;

  return from + ((span * _ts_demo_random (self, 1 << 16)) >> 16);
}

/* Time of the next event: tracing costs a few ticks. */
guint64
_ts_demo_tick (TsDemoTarget *self)
{
  self->now += self->event_ticks;
  return (guint64) self->now;
}

/* ---- tasks ---- */

void
_ts_demo_wake (TsDemoTarget *self,
               guint index)
{
  TsDemoTask *task = &self->tasks[index];

  if (task->state != TS_DEMO_BLOCKED && task->state != TS_DEMO_SLEEPING)
    return;
  task->state = TS_DEMO_READY;
  task->wait_object = 0;
  task->wake_at = NEVER;
  self->timed &= ~(1u << index);
  self->ready |= 1u << index;
  ts_va_encoder_task_state (&self->encoder, task->id, _ts_demo_tick (self), TS_DEMO_READY, 0, 0, 0);
}

void
_ts_demo_block (TsDemoTarget *self,
                TsDemoTask *task,
                TsDemoWait reason,
                guint8 object,
                guint32 detail)
{
  task->state = TS_DEMO_BLOCKED;
  task->wait_object = object;
  self->ready &= ~(1u << task->index);
  ts_va_encoder_task_state (&self->encoder, task->id, _ts_demo_tick (self), TS_DEMO_BLOCKED, reason,
                            object, detail);
}

/* Blocked until a point of time, as the timer service is. */
void
_ts_demo_block_until (TsDemoTarget *self,
                      TsDemoTask *task,
                      gint64 wake_at)
{
  task->wake_at = wake_at;
  self->timed |= 1u << task->index;
  _ts_demo_block (self, task, TS_DEMO_WAIT_TIMER, 0, 0);
}

void
_ts_demo_sleep (TsDemoTarget *self,
                TsDemoTask *task,
                gint64 us)
{
  ts_va_encoder_event (&self->encoder, TS_VA_SLEEP | TS_VA_START, task->id, _ts_demo_tick (self));
  task->state = TS_DEMO_SLEEPING;
  task->tells_sleep_end = TRUE;
  task->wake_at = self->now + _ts_demo_us (self, us);
  self->timed |= 1u << task->index;
  self->ready &= ~(1u << task->index);
  ts_va_encoder_task_state (&self->encoder, task->id, _ts_demo_tick (self), TS_DEMO_SLEEPING, 0, 0,
                            0);
}

void
_ts_demo_start_task (TsDemoTarget *self,
                     guint index)
{
  TsDemoTask *task = &self->tasks[index];

  task->state = TS_DEMO_READY;
  self->ready |= 1u << index;
  ts_va_encoder_register_task (&self->encoder, &self->setup_tasks[index], _ts_demo_tick (self));
  ts_va_encoder_task_state (&self->encoder, task->id, _ts_demo_tick (self), TS_DEMO_READY, 0, 0, 0);
}

void
_ts_demo_end_task (TsDemoTarget *self,
                   TsDemoTask *task)
{
  task->state = TS_DEMO_DELETED;
  self->ready &= ~(1u << task->index);
  self->timed &= ~(1u << task->index);
  ts_va_encoder_task_state (&self->encoder, task->id, _ts_demo_tick (self), TS_DEMO_DELETED, 0, 0,
                            0);
}

static void
tell_stack (TsDemoTarget *self,
            TsDemoTask *task)
{
  TsVaTask *setup = &self->setup_tasks[task->index];

  if (self->now - task->told_stack_at < STACK_TICKS)
    return;
  task->told_stack_at = self->now;
  /* A high-water mark: it only grows, quickly at first. */
  if (setup->stack_used < setup->stack_total * 3 / 4 && _ts_demo_random (self, 4) == 0)
    setup->stack_used += 4 + 4 * _ts_demo_random (self, 6);
  ts_va_encoder_event_2u32 (&self->encoder, TS_VA_STACK_USAGE, task->id, (guint64) self->now,
                            setup->stack_used, setup->stack_total);
}

/* Out of the current task, into @next, with the packets and in the order of the recorder. Source:
 * viewalyzer-wire.md 13.1, 13.7 */
static void
switch_to (TsDemoTarget *self,
           TsDemoTask *next)
{
  TsDemoTask *old = self->current;

  if (old != NULL)
    {
      self->now += 24;
      ts_va_encoder_event (&self->encoder, TS_VA_TASK_SWITCH, old->id, _ts_demo_tick (self));
      tell_stack (self, old);
      if (old->state == TS_DEMO_READY)
        ts_va_encoder_task_state (&self->encoder, old->id, _ts_demo_tick (self), TS_DEMO_READY, 0,
                                  0, 0);
    }
  self->now += 70 + _ts_demo_random (self, 40);
  if (next->tells_sleep_end)
    {
      next->tells_sleep_end = FALSE;
      ts_va_encoder_event (&self->encoder, TS_VA_SLEEP, next->id, _ts_demo_tick (self));
    }
  ts_va_encoder_event (&self->encoder, TS_VA_TASK_SWITCH | TS_VA_START, next->id,
                       _ts_demo_tick (self));
  self->current = next;
}

/* The most urgent ready task runs; among equals the one that runs already. */
static void
reschedule (TsDemoTarget *self)
{
  TsDemoTask *next = &self->tasks[g_bit_nth_lsf (self->ready, -1)];
  TsDemoTask *current = self->current;

  if (next == current)
    return;
  if (current != NULL && current->state == TS_DEMO_READY && current->priority >= next->priority)
    return;
  switch_to (self, next);
}

/* ---- interrupts ---- */

/* The first interrupt to come; among those that are due, the most urgent. */
static TsDemoIrq *
next_irq (TsDemoTarget *self,
          guint below)
{
  TsDemoIrq *best = NULL;

  for (guint i = 0; i < below; i++)
    {
      gint64 fire = MAX (self->irqs[i].fire, self->now);

      if (best == NULL || fire < MAX (best->fire, self->now))
        best = &self->irqs[i];
    }
  return best;
}

/* One interrupt from enter to exit; more urgent ones that come meanwhile nest inside it. */
static void
run_irq (TsDemoTarget *self,
         TsDemoIrq *irq)
{
  gint64 end;

  irq->fire += irq->period;
  if (irq->fire <= self->now)
    irq->fire = self->now + irq->period;
  self->now += 12;
  ts_va_encoder_event (&self->encoder, TS_VA_ISR | TS_VA_START, irq->id, _ts_demo_tick (self));
  end = self->now + irq->duration - (irq->duration >> 3)
        + _ts_demo_random (self, (guint32) (irq->duration >> 2) + 1);
  self->isr_depth++;
  irq->handler (self, irq);
  for (;;)
    {
      TsDemoIrq *inner = next_irq (self, irq->index);
      gint64 begin;

      if (inner == NULL || inner->fire >= end)
        break;
      self->now = MAX (self->now, inner->fire);
      begin = self->now;
      run_irq (self, inner);
      end += self->now - begin;
    }
  self->isr_depth--;
  self->now = MAX (self->now, end);
  ts_va_encoder_event (&self->encoder, TS_VA_ISR, irq->id, _ts_demo_tick (self));
}

/* ---- pace ---- */

/* How many events are missing to the wanted rate, at most @limit. */
guint
_ts_demo_take_credit (TsDemoTarget *self,
                      guint limit)
{
  gint64 most = (gint64) TS_DEMO_TARGET_HZ * MAX (self->rate / 100, 64);
  guint64 n_events = self->encoder.n_events;
  gint64 due;

  self->credit += (self->now - self->credit_at) * self->rate;
  self->credit -= (gint64) (n_events - self->credit_events) * TS_DEMO_TARGET_HZ;
  self->credit = CLAMP (self->credit, -most, most);
  self->credit_at = self->now;
  self->credit_events = n_events;
  due = self->credit / TS_DEMO_TARGET_HZ;
  return due > 0 ? (guint) MIN (due, limit) : 0;
}

static void
send_bundle (TsDemoTarget *self)
{
  TsVaTask tasks[TS_DEMO_N_TASKS];
  TsVaSetup setup;
  guint n = 0;

  _ts_demo_firmware_get_setup (self, &setup);
  for (guint i = 0; i < TS_DEMO_N_TASKS; i++)
    if (self->tasks[i].state != TS_DEMO_ABSENT && self->tasks[i].state != TS_DEMO_DELETED)
      tasks[n++] = self->setup_tasks[i];
  setup.tasks = tasks;
  setup.n_tasks = n;
  ts_va_encoder_bundle (&self->encoder, &setup, _ts_demo_tick (self));
  self->next_bundle += BUNDLE_TICKS;
}

static void
begin (TsDemoTarget *self)
{
  TsVaSetup setup;

  self->has_begun = TRUE;
  self->now = 320;
  _ts_demo_firmware_get_setup (self, &setup);
  ts_va_encoder_prelude (&self->encoder, &setup, (guint64) self->now);
  _ts_demo_firmware_announce (self);
  self->next_bundle = self->now + BUNDLE_TICKS;
}

/* When the next thing happens. */
static gint64
peek (TsDemoTarget *self,
      TsDemoIrq **irq)
{
  TsDemoTask *task = self->current;
  gint64 run = task->index == TS_DEMO_IDLE ? task->remaining : MIN (task->remaining, self->piece);
  TsDemoIrq *first = next_irq (self, TS_DEMO_N_IRQS);
  gint64 fire = MAX (first->fire, self->now);

  *irq = fire <= self->now + run ? first : NULL;
  return *irq != NULL ? fire : self->now + run;
}

/* One thing happens: an interrupt, a piece of computing, or a step of the running task's script. */
static void
step (TsDemoTarget *self,
      TsDemoIrq *irq,
      gint64 time)
{
  TsDemoTask *task = self->current;

  if (self->now >= self->next_bundle)
    send_bundle (self);
  if (time > self->now)
    {
      task->remaining -= time - self->now;
      self->now = time;
    }
  if (irq != NULL)
    run_irq (self, irq);
  else if (task->remaining > 0)
    {
      guint due = _ts_demo_take_credit (self, 4);

      if (due > 0)
        _ts_demo_firmware_extra (self, due);
    }
  else
    task->remaining = task->step (self, task);
  reschedule (self);
}

/* Moves what the last step left over; %FALSE when it does not fit. */
static gboolean
flush_pending (TsDemoTarget *self,
               gsize room,
               GByteArray *out)
{
  if (self->pending->len > room)
    return FALSE;
  g_byte_array_append (out, self->pending->data, self->pending->len);
  g_byte_array_set_size (self->pending, 0);
  return TRUE;
}

/**
 * ts_demo_target_new:
 * @seed: seed of everything random; the same seed and rate give the same bytes
 * @rate: events per second of target time, 100 to 2 000 000; 0: 20 000
 * @cobs: frame each packet by COBS, as on a serial line; else raw packets
 *
 * Makes a board that is about to boot.
 *
 * Thread: owner
 *
 * Returns: (transfer full): a demo target; free with ts_demo_target_free()
 */
TsDemoTarget *
ts_demo_target_new (guint32 seed,
                    guint rate,
                    gboolean cobs)
{
  TsDemoTarget *self = g_new0 (TsDemoTarget, 1);

  self->rate = rate == 0 ? NOMINAL_RATE : CLAMP (rate, MIN_RATE, MAX_RATE);
  self->random
      = (seed + G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9)
        | 1;
  self->unit = TS_DEMO_TICKS_PER_US * 256;
  if (self->rate < NOMINAL_RATE)
    self->unit = self->unit * NATURAL_RATE / (self->rate * 92 / 100);
  self->event_ticks = self->rate > 10 * NOMINAL_RATE ? 12 : 22;
  self->piece = self->rate <= NOMINAL_RATE ? _ts_demo_us (self, 400)
                                           : MAX (TS_DEMO_TARGET_HZ / (gint64) self->rate * 6, 200);
  self->pending = g_byte_array_sized_new (STEP_BYTES);
  ts_va_encoder_init (&self->encoder, self->pending, TS_VA_DIALECT_WIRE1,
                      cobs ? TS_VA_FRAMING_COBS : TS_VA_FRAMING_RAW);
  for (guint i = 0; i < 8; i++)
    _ts_demo_random (self, 2);
  _ts_demo_firmware_init (self);
  return self;
}

/**
 * ts_demo_target_free:
 * @self: (nullable) (transfer full): a demo target
 *
 * Thread: owner
 */
void
ts_demo_target_free (TsDemoTarget *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->pending);
  g_free (self);
}

/**
 * ts_demo_target_run:
 * @self: a demo target
 * @until_us: target time to reach, microseconds since boot
 * @max_bytes: most bytes to append
 * @out: where they go
 *
 * Lets the target run until @until_us or until its next packets would not fit into @max_bytes. Only
 * whole packets are appended. What one step of the simulation makes (at most a few kilobytes: the
 * prelude) is never divided: when @max_bytes is smaller than that, one step is appended
 * nevertheless, so that a call always gets on.
 *
 * Units: target time runs from 0 at the first call; 100 ticks are a microsecond
 * Thread: owner
 *
 * Returns: number of bytes appended
 */
gsize
ts_demo_target_run (TsDemoTarget *self,
                    gint64 until_us,
                    gsize max_bytes,
                    GByteArray *out)
{
  gint64 until = CLAMP (until_us, 0, G_MAXINT64 / 1000) * TS_DEMO_TICKS_PER_US;
  guint start;

  g_return_val_if_fail (self != NULL && out != NULL, 0);

  start = out->len;
  max_bytes = MIN (max_bytes, G_MAXUINT / 4);
  if (!self->has_begun)
    begin (self);
  if (!flush_pending (self, MAX (max_bytes, self->pending->len), out))
    return 0;

  /* With room for any step the bytes go straight to the caller; near the limit they take the way by
   * @pending. */
  for (;;)
    {
      gsize used = out->len - start;
      gboolean is_direct = used + STEP_BYTES <= max_bytes;
      TsDemoIrq *irq;
      gint64 time = peek (self, &irq);

      if (time > until)
        {
          self->reached = MAX (self->reached, until);
          break;
        }
      if (used >= max_bytes)
        break;
      self->encoder.out = is_direct ? out : self->pending;
      step (self, irq, time);
      self->encoder.out = self->pending;
      if (!is_direct && !flush_pending (self, used == 0 ? G_MAXUINT : max_bytes - used, out))
        break;
    }
  return out->len - start;
}

/**
 * ts_demo_target_get_time_us:
 * @self: a demo target
 *
 * Thread: owner
 *
 * Returns: target time in microseconds since boot that the bytes so far cover
 */
gint64
ts_demo_target_get_time_us (TsDemoTarget *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return MAX (self->now, self->reached) / TS_DEMO_TICKS_PER_US;
}

/**
 * ts_demo_target_get_n_events:
 * @self: a demo target
 *
 * Thread: owner
 *
 * Returns: number of event packets (codes 01 to 25, setup packets not counted) made so far
 */
guint64
ts_demo_target_get_n_events (TsDemoTarget *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->encoder.n_events;
}
