/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-demo-firmware.c: the motor controller that the demo target runs: its tasks, interrupts,
 * objects and channels.
 *
 * Control (7) closes the current loop every 2 ms and now and then needs the sensor bus; Storage (1)
 * holds that bus for milliseconds while it writes flash. The mutex does not lend priority, so UI
 * (3) or Comms (4) may run while Control waits for Storage: the priority inversion that the demo is
 * there to show.
 */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <string.h>

#include "ts-demo-target-private.h"

#define HEAP_BYTES 24576
#define LOG_SLOTS 8
#define CMD_SLOTS 4
#define FLAG_SAVE 1u
/* Longest wait for the bus that Control takes without a word, nominal microseconds. */
#define LATE_US 1500

/* Channels, spans, pins, gauges and text channels on the wire. */
enum
{
  TRACE_CURRENT = 1,
  TRACE_SPEED,
  TRACE_ANGLE,
  TRACE_TEMPERATURE,
  TRACE_LED,
  TRACE_VALVE,
  TRACE_RX_BYTES,
  TRACE_SAMPLES,
  TRACE_PHASE_V,
  TRACE_PHASE_W,
  TRACE_DUTY,
};
enum { SPAN_PID = 1, SPAN_FILTER, SPAN_PARSE, SPAN_DRAW, SPAN_BLIT, SPAN_FLASH, SPAN_FORMAT };
enum { PIN_CS = 1, PIN_LED, PIN_DEBUG };
enum { GAUGE_FRAMES = 1 };
enum { TEXT_LOG = 1, TEXT_SHELL };
enum { ISR_SYSTICK = 1, ISR_ADC = 34, ISR_TIM2 = 44, ISR_USART1 = 53 };

typedef enum
{
  LOG_RX,
  LOG_FRAME,
  LOG_FLASH,
  LOG_LATE,
} LogKind;

/* The order of this table is that of the task enumeration: by urgency. Stack sizes in words, as
 * FreeRTOS tells them. Columns: id, name, priority, base, stack size, stack used, stack total. */
static const TsVaTask task_table[TS_DEMO_N_TASKS] = {
  { 1, "Control", 7, 7, 255, 312, 1020 },
  { 9, "Tmr Svc", 6, 6, 255, 204, 1020 },
  { 2, "Sensor", 5, 5, 255, 388, 1020 },
  { 3, "Comms", 4, 4, 511, 640, 2044 },
  { 4, "UI", 3, 3, 1023, 1480, 4092 },
  { 10, "Calib", 3, 3, 127, 96, 508 },
  { 5, "Logger", 2, 2, 511, 720, 2044 },
  { 6, "Shell", 2, 2, 511, 512, 2044 },
  { 7, "Storage", 1, 1, 511, 580, 2044 },
  { 8, "IDLE", 0, 0, 127, 72, 508 },
};

static const TsVaSyncObject object_table[] = {
  { TS_VA_MUTEX_MAP, TS_DEMO_BUS_MUTEX, "BusMtx", 1, -1, -1, 0x20001040, 0 },
  { TS_VA_SEMAPHORE_MAP, TS_DEMO_RX_SEM, "RxSem", 3, -1, -1, 0x20001090, 0 },
  { TS_VA_QUEUE_MAP, TS_DEMO_LOG_QUEUE, "LogQueue", 0, LOG_SLOTS, 64, 0x200010E0, 0 },
  { TS_VA_QUEUE_MAP, TS_DEMO_CMD_QUEUE, "CmdQueue", 0, CMD_SLOTS, 16, 0x20001130, 0 },
  { TS_VA_QUEUE_MAP, TS_DEMO_SYS_EVENTS, "SysEvents", 8, -1, -1, 0x20001180, 0 },
  { TS_VA_TIMER_MAP, TS_DEMO_LED_TIMER, "LedTimer", 5, -1, -1, 0x200011A8, 0 },
  { TS_VA_TIMER_MAP, TS_DEMO_WDG_TIMER, "WdgTimer", 5, -1, -1, 0x200011D4, 0 },
  { TS_VA_HEAP_MAP, TS_DEMO_HEAP, "FreeRTOSHeap", 6, -1, -1, 0x20002000, HEAP_BYTES },
};

/* Display types: 0 graph, 1 bar, 2 gauge, 3 counter, 6 toggle.
 * Source: viewalyzer-wire.md section 7 */
static const TsVaUserName name_table[] = {
  { TS_VA_USER_TRACE_MAP, TRACE_CURRENT, "motor_current", 0 },
  { TS_VA_USER_TRACE_MAP, TRACE_SPEED, "speed_rpm", 0 },
  { TS_VA_USER_TRACE_MAP, TRACE_ANGLE, "rotor_angle", 0 },
  { TS_VA_USER_TRACE_MAP, TRACE_TEMPERATURE, "temperature", 2 },
  { TS_VA_USER_TRACE_MAP, TRACE_LED, "led", 6 },
  { TS_VA_USER_TRACE_MAP, TRACE_VALVE, "valve", 6 },
  { TS_VA_USER_TRACE_MAP, TRACE_RX_BYTES, "rx_bytes", 3 },
  { TS_VA_USER_TRACE_MAP, TRACE_SAMPLES, "adc_samples", 3 },
  { TS_VA_USER_TRACE_MAP, TRACE_PHASE_V, "phase_v", 0 },
  { TS_VA_USER_TRACE_MAP, TRACE_PHASE_W, "phase_w", 0 },
  { TS_VA_USER_TRACE_MAP, TRACE_DUTY, "pwm_duty", 1 },
  { TS_VA_ISR_MAP, ISR_SYSTICK, "SysTick", 0 },
  { TS_VA_ISR_MAP, ISR_ADC, "ADC", 0 },
  { TS_VA_ISR_MAP, ISR_TIM2, "TIM2", 0 },
  { TS_VA_ISR_MAP, ISR_USART1, "USART1", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_PID, "pid", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_FILTER, "filter", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_PARSE, "parse", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_DRAW, "draw", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_BLIT, "blit", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_FLASH, "flash_write", 0 },
  { TS_VA_USER_EVENT_MAP, SPAN_FORMAT, "format", 0 },
  { TS_VA_GPIO_MAP, PIN_CS, "PA4_CS", 0 },
  { TS_VA_GPIO_MAP, PIN_LED, "PC13_LED", 0 },
  { TS_VA_GPIO_MAP, PIN_DEBUG, "PB1_DEBUG", 0 },
  { TS_VA_HEAP_INFO, GAUGE_FRAMES, "frame_pool", 8192 },
};

/* ---- small verbs of the firmware ---- */

static void
emit (TsDemoTarget *self,
      guint8 type,
      guint8 id)
{
  ts_va_encoder_event (&self->encoder, type, id, _ts_demo_tick (self));
}

static void
emit_value (TsDemoTarget *self,
            guint8 type,
            guint8 id,
            guint32 value)
{
  ts_va_encoder_event_u32 (&self->encoder, type, id, _ts_demo_tick (self), value);
}

/* @thousandths: the value times 1000, so that every machine makes the same float of it. */
static void
emit_float (TsDemoTarget *self,
            guint8 id,
            gint thousandths)
{
  ts_va_encoder_event_f32 (&self->encoder, TS_VA_FLOAT_TRACE, id, _ts_demo_tick (self),
                           (float) thousandths / 1000.0f);
}

static void
span_begin (TsDemoTarget *self,
            guint8 span)
{
  emit (self, TS_VA_USER_EVENT | TS_VA_START, span);
}

static void
span_end (TsDemoTarget *self,
          guint8 span)
{
  emit (self, TS_VA_USER_EVENT, span);
}

/* Where in its turn the motor is, 0 .. @steps - 1. */
static guint
turn_phase (TsDemoTarget *self,
            guint steps)
{
  gint64 period = _ts_demo_us (self, 160000);

  return (guint) ((self->now % period) * steps / period);
}

/* Sine of the motor's turning, -1000 .. 1000; @phase in 1/256 turns. */
static gint
turn_sine (TsDemoTarget *self,
           guint phase)
{
  return self->sine[(turn_phase (self, 256) + phase) & 255];
}

static guint32
turn_degrees (TsDemoTarget *self)
{
  return turn_phase (self, 360);
}

/* Load of the motor, 0 .. 1000: a slow trapezoid, 6 s long. */
static gint
motor_load (TsDemoTarget *self)
{
  gint64 second = _ts_demo_us (self, 1000000);
  gint64 t = self->now % (6 * second);

  if (t < 2 * second)
    return (gint) (t * 1000 / (2 * second));
  if (t < 4 * second)
    return 1000;
  return (gint) ((6 * second - t) * 1000 / (2 * second));
}

static void
emit_current (TsDemoTarget *self,
              guint8 id,
              guint phase)
{
  gint milliamps = (1500 + 6 * motor_load (self)) * turn_sine (self, phase) / 1000;

  emit_float (self, id, milliamps + (gint) _ts_demo_random (self, 240) - 120);
}

static void
notify (TsDemoTarget *self,
        guint index)
{
  TsDemoTask *task = &self->tasks[index];

  task->n_notified++;
  ts_va_encoder_notify (&self->encoder, TRUE, 0, task->id, _ts_demo_tick (self), task->n_notified);
  if (task->state == TS_DEMO_BLOCKED && task->wait_object == 0)
    _ts_demo_wake (self, index);
}

/* Takes a notification; %FALSE when the task had to block. */
static gboolean
take_notification (TsDemoTarget *self,
                   TsDemoTask *task)
{
  if (task->n_notified == 0)
    {
      _ts_demo_block (self, task, TS_DEMO_WAIT_NOTIFICATION, 0, 0);
      return FALSE;
    }
  ts_va_encoder_notify (&self->encoder, FALSE, task->id, 0, _ts_demo_tick (self), task->n_notified);
  task->n_notified = 0;
  return TRUE;
}

static void
wake_waiter (TsDemoTarget *self,
             guint index,
             guint8 object)
{
  TsDemoTask *task = &self->tasks[index];

  if (task->state == TS_DEMO_BLOCKED && task->wait_object == object)
    _ts_demo_wake (self, index);
}

/* Takes the bus; %FALSE when somebody holds it and the task had to block. */
static gboolean
take_bus (TsDemoTarget *self,
          TsDemoTask *task)
{
  if (self->bus_owner >= 0)
    {
      _ts_demo_block (self, task, TS_DEMO_WAIT_MUTEX, TS_DEMO_BUS_MUTEX, 0);
      ts_va_encoder_contention (&self->encoder, TS_DEMO_BUS_MUTEX, task->id,
                                self->tasks[self->bus_owner].id, _ts_demo_tick (self));
      return FALSE;
    }
  self->bus_owner = task->index;
  emit (self, TS_VA_MUTEX, TS_DEMO_BUS_MUTEX);
  return TRUE;
}

static void
give_bus (TsDemoTarget *self)
{
  self->bus_owner = -1;
  emit (self, TS_VA_MUTEX | TS_VA_START, TS_DEMO_BUS_MUTEX);
  wake_waiter (self, TS_DEMO_CONTROL, TS_DEMO_BUS_MUTEX);
  wake_waiter (self, TS_DEMO_STORAGE, TS_DEMO_BUS_MUTEX);
}

static void
send_log (TsDemoTarget *self,
          LogKind kind,
          gint arg)
{
  if (self->log_count == LOG_SLOTS)
    {
      emit_value (self, TS_VA_OP_FAILED | TS_VA_START, TS_DEMO_LOG_QUEUE, 0);
      return;
    }
  self->log_kind[self->log_count] = kind;
  self->log_arg[self->log_count] = arg;
  self->log_count++;
  emit (self, TS_VA_QUEUE | TS_VA_START, TS_DEMO_LOG_QUEUE);
  wake_waiter (self, TS_DEMO_LOGGER, TS_DEMO_LOG_QUEUE);
}

static void
allocate (TsDemoTarget *self,
          guint32 n_bytes)
{
  if (self->heap_used + n_bytes > HEAP_BYTES)
    {
      emit_value (self, TS_VA_HEAP_FAIL, TS_DEMO_HEAP, n_bytes);
      return;
    }
  self->heap_used += n_bytes;
  emit_value (self, TS_VA_HEAP_SYNC | TS_VA_START, TS_DEMO_HEAP, self->heap_used);
}

static void
release (TsDemoTarget *self,
         guint32 n_bytes)
{
  self->heap_used -= MIN (self->heap_used, n_bytes);
  emit_value (self, TS_VA_HEAP_SYNC, TS_DEMO_HEAP, self->heap_used);
}

/* ---- tasks ---- */

static gint64
control_step (TsDemoTarget *self,
              TsDemoTask *task)
{
  switch (task->pc)
    {
    case 0:
      if (!take_notification (self, task))
        return 0;
      span_begin (self, SPAN_PID);
      task->pc = 1;
      return _ts_demo_between (self, 130, 230);

    case 1:
      task->round++;
      emit_value (self, TS_VA_USER_TRACE, TRACE_SPEED,
                  (guint32) (240 + 3 * motor_load (self) + (gint) _ts_demo_random (self, 24)));
      self->bus_wanted_at = self->now;
      task->pc = 4;
      if (task->round >= self->bus_round)
        {
          self->bus_round = task->round + 14 + _ts_demo_random (self, 13);
          task->pc = 2;
        }
      return _ts_demo_us (self, 12);

    case 2: /* reads the encoder over the bus */
      if (!take_bus (self, task))
        return 0;
      task->pc = 3;
      return _ts_demo_between (self, 40, 90);

    case 3:
      give_bus (self);
      emit_value (self, TS_VA_USER_TRACE, TRACE_ANGLE, turn_degrees (self));
      if (self->now - self->bus_wanted_at > _ts_demo_us (self, LATE_US))
        {
          self->n_late++;
          send_log (self, LOG_LATE,
                    (gint) ((self->now - self->bus_wanted_at) / TS_DEMO_TICKS_PER_US));
        }
      task->pc = 4;
      return _ts_demo_us (self, 10);

    default:
      span_end (self, SPAN_PID);
      task->pc = 0;
      return _ts_demo_us (self, 6);
    }
}

static gint64
timers_step (TsDemoTarget *self,
             TsDemoTask *task)
{
  if (task->pc == 0)
    {
      task->pc = 1;
      _ts_demo_block_until (self, task, self->led_at);
      return 0;
    }
  task->pc = 0;
  emit (self, TS_VA_TIMER, TS_DEMO_LED_TIMER);
  self->led_at += _ts_demo_us (self, 125000);
  self->led = !self->led;
  ts_va_encoder_event_u8 (&self->encoder, TS_VA_USER_TOGGLE, TRACE_LED, _ts_demo_tick (self),
                          self->led);
  emit_value (self, TS_VA_GPIO, PIN_LED, self->led);
  return _ts_demo_between (self, 60, 110);
}

static gint64
sensor_step (TsDemoTarget *self,
             TsDemoTask *task)
{
  if (task->pc == 0)
    {
      if (!take_notification (self, task))
        return 0;
      span_begin (self, SPAN_FILTER);
      task->pc = 1;
      return self->sensor_run - (self->sensor_run >> 2)
             + _ts_demo_random (self, (guint32) (self->sensor_run >> 1) + 1);
    }
  task->pc = 0;
  task->round++;
  span_end (self, SPAN_FILTER);
  if (task->round % 8 == 0)
    emit_float (self, TRACE_TEMPERATURE,
                31000 + 18 * motor_load (self) + (gint) _ts_demo_random (self, 300));
  if (self->now >= self->save_at)
    {
      /* Every 125 ms there is something worth saving. */
      self->save_at = self->now + _ts_demo_us (self, 125000);
      self->flags |= FLAG_SAVE;
      emit_value (self, TS_VA_EVENTFLAG | TS_VA_START, TS_DEMO_SYS_EVENTS, FLAG_SAVE);
      wake_waiter (self, TS_DEMO_STORAGE, TS_DEMO_SYS_EVENTS);
    }
  return _ts_demo_us (self, 5);
}

static gint64
comms_step (TsDemoTarget *self,
            TsDemoTask *task)
{
  switch (task->pc)
    {
    case 0:
      if (self->rx_count == 0)
        {
          _ts_demo_block (self, task, TS_DEMO_WAIT_SEMAPHORE, TS_DEMO_RX_SEM, 0);
          return 0;
        }
      self->rx_count--;
      emit (self, TS_VA_SEMAPHORE, TS_DEMO_RX_SEM);
      span_begin (self, SPAN_PARSE);
      allocate (self, 96);
      task->pc = 1;
      return _ts_demo_between (self, 350, 1300);

    case 1:
      task->round++;
      emit_value (self, TS_VA_COUNTER, TRACE_RX_BYTES, self->rx_bytes);
      span_end (self, SPAN_PARSE);
      if (task->round % 4 == 0)
        {
          if (self->cmd_count < CMD_SLOTS)
            {
              self->cmd_count++;
              emit (self, TS_VA_QUEUE | TS_VA_START, TS_DEMO_CMD_QUEUE);
              wake_waiter (self, TS_DEMO_SHELL, TS_DEMO_CMD_QUEUE);
            }
          else
            emit_value (self, TS_VA_OP_FAILED | TS_VA_START, TS_DEMO_CMD_QUEUE, 0);
        }
      if (task->round % 6 == 0)
        send_log (self, LOG_RX, (gint) task->round);
      task->pc = 2;
      return _ts_demo_between (self, 60, 160);

    default:
      release (self, 96);
      task->pc = 0;
      return _ts_demo_us (self, 15);
    }
}

static gint64
ui_step (TsDemoTarget *self,
         TsDemoTask *task)
{
  switch (task->pc)
    {
    case 0:
      span_begin (self, SPAN_DRAW);
      task->pc = 1;
      return _ts_demo_between (self, 900, 1800);

    case 1:
    case 3:
    case 5:
      span_begin (self, SPAN_BLIT);
      task->pc++;
      return _ts_demo_between (self, 700, 1700);

    case 2:
    case 4:
      span_end (self, SPAN_BLIT);
      task->pc++;
      return _ts_demo_between (self, 100, 400);

    default:
      span_end (self, SPAN_BLIT);
      span_end (self, SPAN_DRAW);
      self->frames++;
      emit_value (self, TS_VA_HEAP, GAUGE_FRAMES,
                  1024 + 512 * (self->frames % 7) + 16 * _ts_demo_random (self, 32));
      if (self->frames % 10 == 0)
        {
          ts_va_encoder_event_u8 (&self->encoder, TS_VA_USER_TOGGLE, TRACE_VALVE,
                                  _ts_demo_tick (self), self->frames / 10 & 1);
          /* The watchdog timer is set back before it can expire. */
          emit (self, TS_VA_TIMER | TS_VA_START, TS_DEMO_WDG_TIMER);
          ts_va_encoder_event_2u32 (&self->encoder, TS_VA_TIMER_ARM, TS_DEMO_WDG_TIMER,
                                    _ts_demo_tick (self), 1000, 0);
        }
      if (self->frames % 40 == 0)
        send_log (self, LOG_FRAME, (gint) self->frames);
      task->pc = 0;
      _ts_demo_sleep (self, task, 15000);
      return 0;
    }
}

/* Made once by the shell, calibrates for a while, ends. */
static gint64
calib_step (TsDemoTarget *self,
            TsDemoTask *task)
{
  if (task->pc == 0)
    {
      task->pc = 1;
      return _ts_demo_between (self, 2500, 5000);
    }
  task->pc = 0;
  if (++task->round == 24)
    _ts_demo_end_task (self, task);
  else
    _ts_demo_sleep (self, task, 60000);
  return 0;
}

static void
write_log (TsDemoTarget *self)
{
  char text[80];
  gint arg = self->log_arg[0];
  int n;

  switch ((LogKind) self->log_kind[0])
    {
    case LOG_RX:
      n = g_snprintf (text, sizeof text, "comms: %d frames, %u bytes", arg, self->rx_bytes);
      break;
    case LOG_FRAME:
      n = g_snprintf (text, sizeof text, "ui: frame %d, heap %u bytes", arg, self->heap_used);
      break;
    case LOG_FLASH:
      n = g_snprintf (text, sizeof text, "storage: page %d written", arg);
      break;
    case LOG_LATE:
    default:
      n = g_snprintf (text, sizeof text, "control: bus after %d us (late %u times)", arg,
                      self->n_late);
      break;
    }
  ts_va_encoder_string (&self->encoder, TEXT_LOG, _ts_demo_tick (self), text, n);
}

static gint64
logger_step (TsDemoTarget *self,
             TsDemoTask *task)
{
  switch (task->pc)
    {
    case 0:
      if (self->log_count == 0)
        {
          _ts_demo_block (self, task, TS_DEMO_WAIT_QUEUE, TS_DEMO_LOG_QUEUE, 0);
          return 0;
        }
      emit (self, TS_VA_QUEUE, TS_DEMO_LOG_QUEUE);
      allocate (self, 160);
      span_begin (self, SPAN_FORMAT);
      task->pc = 1;
      return _ts_demo_between (self, 400, 1100);

    default:
      span_end (self, SPAN_FORMAT);
      write_log (self);
      self->log_count--;
      memmove (self->log_kind, self->log_kind + 1, sizeof self->log_kind[0] * self->log_count);
      memmove (self->log_arg, self->log_arg + 1, sizeof self->log_arg[0] * self->log_count);
      release (self, 160);
      task->pc = 0;
      return _ts_demo_us (self, 20);
    }
}

static gint64
shell_step (TsDemoTarget *self,
            TsDemoTask *task)
{
  char text[64];
  int n;

  switch (task->pc)
    {
    case 0:
      if (self->cmd_count == 0)
        {
          _ts_demo_block (self, task, TS_DEMO_WAIT_QUEUE, TS_DEMO_CMD_QUEUE, 0);
          return 0;
        }
      self->cmd_count--;
      emit (self, TS_VA_QUEUE, TS_DEMO_CMD_QUEUE);
      task->pc = 1;
      return _ts_demo_between (self, 500, 1600);

    default:
      task->round++;
      emit_value (self, TS_VA_USER_TRACE, TRACE_DUTY,
                  (guint32) (20 + motor_load (self) * 65 / 1000));
      if (task->round % 12 == 0)
        {
          n = g_snprintf (text, sizeof text, "> status: load %d.%d %%, %u late",
                          motor_load (self) / 10, motor_load (self) % 10, self->n_late);
          ts_va_encoder_string (&self->encoder, TEXT_SHELL, _ts_demo_tick (self), text, n);
        }
      if (task->round % 50 == 25)
        allocate (self, 32768);
      if (task->round == 12 && !self->calib_made)
        {
          self->calib_made = TRUE;
          _ts_demo_start_task (self, TS_DEMO_CALIB);
        }
      task->pc = 0;
      return _ts_demo_us (self, 30);
    }
}

static gint64
storage_step (TsDemoTarget *self,
              TsDemoTask *task)
{
  switch (task->pc)
    {
    case 0:
      if ((self->flags & FLAG_SAVE) == 0)
        {
          _ts_demo_block (self, task, TS_DEMO_WAIT_FLAGS, TS_DEMO_SYS_EVENTS, FLAG_SAVE);
          return 0;
        }
      self->flags &= ~FLAG_SAVE;
      emit_value (self, TS_VA_EVENTFLAG, TS_DEMO_SYS_EVENTS, FLAG_SAVE);
      allocate (self, 2048);
      task->pc = 1;
      return _ts_demo_between (self, 300, 700);

    case 1:
      if (!take_bus (self, task))
        return 0;
      span_begin (self, SPAN_FLASH);
      emit_value (self, TS_VA_GPIO, PIN_CS, 0);
      task->pc = 2;
      return _ts_demo_between (self, 3200, 6200);

    case 2:
      emit_value (self, TS_VA_GPIO, PIN_CS, 1);
      span_end (self, SPAN_FLASH);
      give_bus (self);
      task->pc = 3;
      return _ts_demo_between (self, 100, 300);

    default:
      release (self, 2048);
      if (++task->round % 8 == 0)
        send_log (self, LOG_FLASH, (gint) task->round);
      task->pc = 0;
      return _ts_demo_us (self, 20);
    }
}

static gint64
idle_step (TsDemoTarget *self,
           TsDemoTask *task)
{
  return (gint64) TS_DEMO_TARGET_HZ * 3600;
}

/* ---- interrupts ---- */

static void
adc_handler (TsDemoTarget *self,
             TsDemoIrq *irq)
{
  guint due;

  self->samples++;
  emit_current (self, TRACE_CURRENT, 0);
  due = _ts_demo_take_credit (self, 12);
  if (due > 0)
    _ts_demo_firmware_extra (self, due);
  if (self->samples % self->sensor_divider == 0)
    notify (self, TS_DEMO_SENSOR);
}

static void
tim_handler (TsDemoTarget *self,
             TsDemoIrq *irq)
{
  notify (self, TS_DEMO_CONTROL);
}

/* Bytes of a frame come one after the other; the last one wakes the receiver. */
static void
uart_handler (TsDemoTarget *self,
              TsDemoIrq *irq)
{
  self->rx_bytes++;
  if (irq->n_left > 0)
    {
      irq->n_left--;
      irq->fire = self->now + _ts_demo_us (self, 87);
      return;
    }
  irq->n_left = 3 + _ts_demo_random (self, 9);
  irq->fire = self->now + _ts_demo_between (self, 6000, 18000);
  self->rx_count++;
  emit (self, TS_VA_SEMAPHORE | TS_VA_START, TS_DEMO_RX_SEM);
  wake_waiter (self, TS_DEMO_COMMS, TS_DEMO_RX_SEM);
}

static void
systick_handler (TsDemoTarget *self,
                 TsDemoIrq *irq)
{
  guint32 timed = self->timed;

  while (timed != 0)
    {
      guint index = (guint) g_bit_nth_lsf (timed, -1);

      timed &= timed - 1;
      if (self->tasks[index].wake_at <= self->now)
        _ts_demo_wake (self, index);
    }
}

/* ---- what the kernel asks for ---- */

/* Activity that fills up to the wanted rate: further samples, counters, a pin, short spans. */
void
_ts_demo_firmware_extra (TsDemoTarget *self,
                         guint n_events)
{
  gint64 ticks = self->event_ticks;

  /* Mostly bare stores: cheaper than a call with arguments to format. */
  self->event_ticks = MIN (ticks, 16);
  while (n_events-- > 0)
    switch (self->extra_turn++ % 6)
      {
      case 0:
        emit_current (self, TRACE_PHASE_V, 85);
        break;
      case 1:
        emit_current (self, TRACE_PHASE_W, 171);
        break;
      case 2:
        emit_value (self, TS_VA_COUNTER, TRACE_SAMPLES, self->samples);
        break;
      case 3:
        emit_value (self, TS_VA_USER_TRACE, TRACE_ANGLE, turn_degrees (self));
        break;
      case 4:
        self->pin = !self->pin;
        emit_value (self, TS_VA_GPIO, PIN_DEBUG, self->pin);
        break;
      default:
        emit_float (self, TRACE_TEMPERATURE,
                    31000 + 18 * motor_load (self) + (gint) _ts_demo_random (self, 300));
        break;
      }
  self->event_ticks = ticks;
}

void
_ts_demo_firmware_get_setup (TsDemoTarget *self,
                             TsVaSetup *setup)
{
  memset (setup, 0, sizeof *setup);
  setup->clock_hz = TS_DEMO_TARGET_HZ;
  setup->os = "FreeRTOS";
  setup->categories = 0x0007FFFF;
  setup->build_flags = 1u << 2;
  setup->version = 0x00010200;
  setup->has_isrs = TRUE;
  setup->tasks = self->setup_tasks;
  setup->n_tasks = TS_DEMO_N_TASKS;
  setup->objects = object_table;
  setup->n_objects = G_N_ELEMENTS (object_table);
  setup->names = name_table;
  setup->n_names = G_N_ELEMENTS (name_table);
}

/* What the firmware registers after the prelude, up to the start of the scheduler. */
void
_ts_demo_firmware_announce (TsDemoTarget *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (name_table); i++)
    ts_va_encoder_register_name (&self->encoder, &name_table[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (object_table); i++)
    ts_va_encoder_register_object (&self->encoder, &object_table[i]);
  emit (self, TS_VA_MUTEX | TS_VA_START, TS_DEMO_BUS_MUTEX);
  for (guint i = 0; i < TS_DEMO_N_TASKS; i++)
    if (i != TS_DEMO_CALIB)
      _ts_demo_start_task (self, i);
  emit (self, TS_VA_TIMER | TS_VA_START, TS_DEMO_LED_TIMER);
  ts_va_encoder_event_2u32 (&self->encoder, TS_VA_TIMER_ARM, TS_DEMO_LED_TIMER,
                            _ts_demo_tick (self), 125, 125);
  emit (self, TS_VA_TIMER | TS_VA_START, TS_DEMO_WDG_TIMER);
  ts_va_encoder_event_2u32 (&self->encoder, TS_VA_TIMER_ARM, TS_DEMO_WDG_TIMER,
                            _ts_demo_tick (self), 1000, 0);
  self->current = &self->tasks[TS_DEMO_CONTROL];
  emit (self, TS_VA_TASK_SWITCH | TS_VA_START, self->current->id);
}

static void
set_irq (TsDemoTarget *self,
         guint index,
         guint8 id,
         gint64 duration,
         gint64 period,
         void (*handler) (TsDemoTarget *self,
                          TsDemoIrq *irq))
{
  TsDemoIrq *irq = &self->irqs[index];

  irq->index = (guint8) index;
  irq->id = id;
  irq->duration = duration;
  irq->period = period;
  irq->handler = handler;
  irq->fire = period / 2 + _ts_demo_random (self, (guint32) MIN (period / 2, G_MAXINT32));
}

void
_ts_demo_firmware_init (TsDemoTarget *self)
{
  static const TsDemoStep steps[TS_DEMO_N_TASKS] = {
    control_step, timers_step, sensor_step, comms_step,   ui_step,
    calib_step,   logger_step, shell_step,  storage_step, idle_step,
  };
  gint64 adc_hz = MIN (1000 * (gint64) MAX (self->rate, 20000) / 20000, 25000);
  gint64 sensor_hz = MIN (adc_hz / 5, 4000);

  memcpy (self->setup_tasks, task_table, sizeof task_table);
  for (guint i = 0; i < TS_DEMO_N_TASKS; i++)
    {
      TsDemoTask *task = &self->tasks[i];

      task->index = (guint8) i;
      task->id = task_table[i].id;
      task->priority = task_table[i].priority;
      task->step = steps[i];
      task->told_stack_at
          = (gint64) _ts_demo_random (self, TS_DEMO_TARGET_HZ / 2) - TS_DEMO_TARGET_HZ / 2;
    }
  self->bus_owner = -1;
  self->heap_used = 9728;
  self->led_at = _ts_demo_us (self, 125000);

  /* Sine of 256 steps by Bhaskara's fraction, in integers, so that every machine makes the same
   * bytes. */
  for (gint i = 0; i < 256; i++)
    {
      gint64 half = (i & 127) * (gint64) (128 - (i & 127));
      gint64 sine = 16 * half * 1000 / (5 * 128 * 128 - 4 * half);

      self->sine[i] = (gint16) (i < 128 ? sine : -sine);
    }

  self->sensor_divider = (guint) (adc_hz / sensor_hz);
  self->sensor_run = _ts_demo_us (self, 84000 / sensor_hz);
  set_irq (self, TS_DEMO_IRQ_ADC, ISR_ADC, CLAMP (_ts_demo_us (self, 5000) / adc_hz, 60, 500),
           _ts_demo_us (self, 1000000) / adc_hz, adc_handler);
  set_irq (self, TS_DEMO_IRQ_TIM, ISR_TIM2, 350, _ts_demo_us (self, 2000), tim_handler);
  set_irq (self, TS_DEMO_IRQ_UART, ISR_USART1, _ts_demo_us (self, 9), _ts_demo_us (self, 12000),
           uart_handler);
  set_irq (self, TS_DEMO_IRQ_SYSTICK, ISR_SYSTICK, 420, _ts_demo_us (self, 1000), systick_handler);
  self->irqs[TS_DEMO_IRQ_UART].n_left = 4;
}
