/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop-watch.h: how long our own code keeps the main thread, from one poll to the next.
 *
 * stack-watch.h tells our code apart from GTK's. Time in which the thread could run and was not let run, because others had the processors, is not
 * our code's: the kernel counts it (schedstat) and it is left out. So is GTK's waiting for answers of
 * the X server, a process of its own: poll() stands here in place of the C library's and knows.
 * Waiting for locks and for the disk stays in. The time on the clock is kept beside it.
 */
#pragma once

#include "ui/ts-frame-stats.h"
#include "ui/ts-timeline.h"

G_BEGIN_DECLS

/**
 * LoopMoment:
 * @wall_us: on the clock
 * @own_us: the same without the time in which the thread waited for a processor
 */
typedef struct
{
  gint64 wall_us;
  gint64 own_us;
} LoopMoment;

/**
 * LoopFigures: what was measured of each time between two polls.
 * @ours: in code of ours, see stack-watch.h
 * @loops: all of it but GTK's rendering and waits for the X server: ours, and what GTK does besides
 *   (it lays out, shapes text, recycles rows)
 * @walls: all, on the clock
 * @knows_waits: waits for a processor are left out of @ours and @loops
 */
typedef struct
{
  TsFrameStats ours;
  TsFrameStats loops;
  TsFrameStats walls;
  gboolean knows_waits;
} LoopFigures;

LoopMoment loop_watch_get_moment (void);
void loop_watch_begin (TsTimeline *timeline);
const LoopFigures *loop_watch_end (void);
void loop_watch_print (const LoopFigures *figures,
                       const char *what,
                       const char *note);
/** What is done until loop_watch_resume() is the test's, not ours. */
LoopMoment loop_watch_pause (void);
void loop_watch_resume (LoopMoment since);
gboolean loop_watch_is_on (void);

G_END_DECLS
