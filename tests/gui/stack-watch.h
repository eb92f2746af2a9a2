/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stack-watch.h: whose code the main thread is in between two polls, looked at every half millisecond.
 *
 * A timer of the kernel interrupts the thread, and the time since it did so last goes to who is on the
 * stack then: to us, if any function of this program is above the main loop (a callback of ours and
 * all that it calls, in whatever library), else to the libraries (GTK lays out, shapes text, paints).
 * How exact it is: half a millisecond on each side of a change. What is shorter than that is all ours.
 */
#pragma once

#include "loop-watch.h"

G_BEGIN_DECLS

void stack_watch_begin (void);
void stack_watch_end (void);
void stack_watch_loop_begin (void);
gint64 stack_watch_loop_end (gint64 loop_us);
void stack_watch_set_name (const char *name);
void stack_watch_set_paused (gboolean is_paused);
void stack_watch_print (void);

G_END_DECLS
