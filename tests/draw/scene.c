/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include <math.h>

#include "scene.h"

#define SECOND 1000000

static void
add (TsRecording *recording,
     guint32 lane,
     TsLaneState state,
     gint64 begin_us,
     gint64 end_us,
     guint32 arg)
{
  TsSlice slice = { .begin = scene_ticks (begin_us),
                    .end = scene_ticks (end_us),
                    .state = (guint8) state,
                    .arg = arg };

  if (end_us > begin_us)
    fake_recording_add_slice (recording, lane, &slice);
}

/* A task that every @period runs for about @run, ready for a while before, waiting for @object in
 * between. */
static void
add_task (TsRecording *recording,
          guint32 lane,
          TsLaneState wait,
          guint32 object,
          gint64 period,
          gint64 offset,
          gint64 run)
{
  GRand *random = g_rand_new_with_seed (lane);
  gint64 last = 0;

  for (gint64 t = offset; t + period < SECOND; t += period)
    {
      gint64 ready = t + g_rand_int_range (random, 0, (gint32) (period / 5));
      gint64 begin = ready + g_rand_int_range (random, 20, (gint32) MAX (period / 10, 21));
      gint64 end = begin + run * g_rand_int_range (random, 70, 130) / 100;

      add (recording, lane, wait, last, ready, object);
      add (recording, lane, TS_STATE_READY, ready, begin, 0);
      add (recording, lane, TS_STATE_RUNNING, begin, end, 0);
      last = end;
    }
  add (recording, lane, wait, last, SECOND, object);
  g_rand_free (random);
}

static void
add_interrupts (TsRecording *recording,
                const Scene *scene)
{
  TsSlice nested = { .begin = scene_ticks (501000),
                     .end = scene_ticks (501040),
                     .state = TS_STATE_RUNNING,
                     .depth = 1 };
  TsSlice outer
      = { .begin = scene_ticks (500990), .end = scene_ticks (501090), .state = TS_STATE_RUNNING };

  for (gint64 t = 100; t < SECOND; t += 540)
    add (recording, scene->adc, TS_STATE_RUNNING, t, t + 42, 0);
  for (gint64 t = 160; t < SECOND; t += 1080)
    add (recording, scene->tim, TS_STATE_RUNNING, t, t + 70, 0);
  for (gint64 t = 300; t < 500000; t += 1000)
    add (recording, scene->systick, TS_STATE_RUNNING, t, t + 8, 0);
  fake_recording_add_slice (recording, scene->systick, &nested);
  fake_recording_add_slice (recording, scene->systick, &outer);
  for (gint64 t = 502300; t < SECOND; t += 1000)
    add (recording, scene->systick, TS_STATE_RUNNING, t, t + 8, 0);
}

static void
add_values (TsRecording *recording,
            const Scene *scene)
{
  GRand *random = g_rand_new_with_seed (7);
  guint32 texts[3];
  guint n = 0;

  for (gint64 t = 0; t < SECOND; t += 100)
    {
      TsSlice slice
          = { .begin = scene_ticks (t), .end = scene_ticks (t + 100), .state = TS_STATE_RUNNING };

      slice.value = 4.5 * sin ((double) t / 1000.0) + g_rand_double_range (random, -0.3, 0.3);
      fake_recording_add_slice (recording, scene->current, &slice);
    }
  for (gint64 t = 0; t < SECOND; t += 1700)
    {
      TsSlice slice = { .begin = scene_ticks (t),
                        .end = scene_ticks (MIN (t + 1700, SECOND)),
                        .value = (double) (n++ % 12) };

      fake_recording_add_slice (recording, scene->count, &slice);
    }
  for (gint64 t = 0; t < SECOND; t += 3500)
    {
      gint64 next = MIN (t + 3500, SECOND);

      add (recording, scene->toggle, (t / 3500) % 2 == 0 ? TS_STATE_RUNNING : TS_STATE_LOW, t, next,
           0);
    }
  texts[0] = fake_recording_add_string (recording, "flush n=4");
  texts[1] = fake_recording_add_string (recording, "rx overrun");
  texts[2] = fake_recording_add_string (recording, "log batch 21");
  for (gint64 t = 1050; t < SECOND; t += 5700)
    {
      TsSlice slice = { .begin = scene_ticks (t),
                        .end = scene_ticks (t),
                        .state = TS_STATE_POINT,
                        .arg = texts[n++ % 3] };

      fake_recording_add_slice (recording, scene->log, &slice);
    }
  for (gint64 t = 400; t < SECOND; t += 777)
    {
      TsSlice slice = { .begin = scene_ticks (t),
                        .end = scene_ticks (t),
                        .state = TS_STATE_POINT,
                        .kind = TS_EVENT_MUTEX };

      n++;
      slice.arg = n % 4 < 2 ? scene->control : scene->sensor;
      slice.kind |= n % 2 == 0 ? TS_SLICE_START : 0;
      fake_recording_add_slice (recording, scene->mutex, &slice);
    }
  for (gint64 t = 900; t < SECOND; t += 6100)
    {
      TsSlice inner = { .begin = scene_ticks (t + 500),
                        .end = scene_ticks (t + 1500),
                        .state = TS_STATE_RUNNING,
                        .depth = 1 };
      TsSlice outer
          = { .begin = scene_ticks (t), .end = scene_ticks (t + 3900), .state = TS_STATE_RUNNING };

      if (t > SECOND / 2)
        fake_recording_add_slice (recording, scene->span, &inner);
      fake_recording_add_slice (recording, scene->span, &outer);
    }
  g_rand_free (random);
}

TsRecording *
scene_new (Scene *scene)
{
  TsRecording *recording = fake_recording_new (SCENE_HZ, scene_ticks (SECOND));
  const gint64 none = TS_OBJECT_UNKNOWN;
  guint32 density, loss;

  fake_recording_set_meta (recording, "va_os", "FreeRTOS");
  fake_recording_set_meta (recording, "lost_events", "93");
  scene->control = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "control", 7);
  scene->comms = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "comms", 6);
  scene->sensor = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "sensor", 5);
  scene->logger = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "logger", 3);
  scene->shell = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "shell", 2);
  scene->idle = fake_recording_add_lane (recording, TS_LANE_TASK, TS_OBJECT_TASK, "IDLE", 0);
  fake_recording_set_idle (recording, scene->idle);
  scene->adc = fake_recording_add_lane (recording, TS_LANE_ISR, TS_OBJECT_ISR, "ISR:ADC1_2", none);
  scene->tim = fake_recording_add_lane (recording, TS_LANE_ISR, TS_OBJECT_ISR, "ISR:TIM1_UP", none);
  scene->systick
      = fake_recording_add_lane (recording, TS_LANE_ISR, TS_OBJECT_ISR, "ISR:SysTick", none);
  scene->mutex
      = fake_recording_add_lane (recording, TS_LANE_OBJECT, TS_OBJECT_MUTEX, "BusMtx", none);
  scene->span
      = fake_recording_add_lane (recording, TS_LANE_SPAN, TS_OBJECT_USER_EVENT, "Fn:bulk", none);
  scene->toggle = fake_recording_add_lane (recording, TS_LANE_TOGGLE, TS_OBJECT_USER_TOGGLE,
                                           "gate_enable", none);
  scene->current = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_USER_TRACE,
                                            "motor_current", none);
  fake_recording_set_unit (recording, scene->current, "A");
  scene->count
      = fake_recording_add_lane (recording, TS_LANE_VALUE, TS_OBJECT_COUNTER, "queue_fill", none);
  scene->log
      = fake_recording_add_lane (recording, TS_LANE_MESSAGE, TS_OBJECT_STRING_CHANNEL, "log", none);
  scene->cpu = fake_recording_add_lane (recording, TS_LANE_CPU, TS_OBJECT_CORE, "Load", none);
  loss = fake_recording_add_lane (recording, TS_LANE_LOSS, TS_OBJECT_NONE, "loss", none);
  density = fake_recording_add_lane (recording, TS_LANE_DENSITY, TS_OBJECT_NONE, "density", none);

  add_task (recording, scene->control, TS_STATE_BLOCKED, scene->mutex, 2000, 0, 430);
  add_task (recording, scene->comms, TS_STATE_BLOCKED, 0, 5200, 700, 400);
  add_task (recording, scene->sensor, TS_STATE_BLOCKED, scene->mutex, 2400, 300, 420);
  add_task (recording, scene->logger, TS_STATE_SLEEPING, 0, 4400, 2500, 580);
  add (recording, scene->shell, TS_STATE_SUSPENDED, 0, SECOND, 0);
  add_task (recording, scene->idle, TS_STATE_NONE, 0, 1300, 900, 260);
  add_interrupts (recording, scene);
  add_values (recording, scene);
  for (gint64 t = 0; t < SECOND; t += 1000)
    add (recording, scene->cpu, TS_STATE_RUNNING, t, t + 640 + t / 7 % 300, 0);
  add (recording, loss, TS_STATE_LOSS, 14600, 14640, 93);
  add (recording, loss, TS_STATE_CORRUPT, 700000, 712000, 410);
  for (gint64 t = 0; t < SECOND; t += 61)
    add (recording, density, TS_STATE_POINT, t, t + 1 + (t / 977) % 60, 0);
  return recording;
}
