/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scene.h: a motor controller for 1 second, made by hand: every kind of lane, every state. */
#pragma once

#include "fake-recording.h"

G_BEGIN_DECLS

/** Ticks per second of the scene. */
#define SCENE_HZ 170000000

typedef struct
{
  guint32 cpu;
  guint32 adc;
  guint32 tim;
  guint32 systick;
  guint32 control;
  guint32 comms;
  guint32 sensor;
  guint32 logger;
  guint32 shell;
  guint32 idle;
  guint32 mutex;
  guint32 span;
  guint32 toggle;
  guint32 current;
  guint32 count;
  guint32 log;
} Scene;

TsRecording *scene_new (Scene *scene);

/** Ticks of @us microseconds. */
static inline gint64
scene_ticks (gint64 us)
{
  return us * (SCENE_HZ / 1000000);
}

G_END_DECLS
