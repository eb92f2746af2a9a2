/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stack-watch.h"

#define PERIOD_NS 500000
#define MAX_FRAMES 256
#define MAX_SAMPLES 256
/* Of the longest loops the stacks are kept. */
#define N_WORST 12

typedef struct
{
  gint64 own_us;
  gboolean is_ours;
  int n_frames;
  void *frames[MAX_FRAMES];
} Sample;

/**
 * Loop:
 * @name: what was done
 * @ours_us: of it in code of ours
 */
typedef struct
{
  char name[32];
  gint64 ours_us;
  guint n_samples;
  Sample samples[MAX_SAMPLES];
} Loop;

/**
 * StackWatch:
 * @base, @n_base: the stack of the poll, its innermost function first
 * @last: when the last sample was taken
 * @is_paused: what runs is neither ours nor a library's: the test's, or another process
 */
typedef struct
{
  timer_t timer;
  gboolean has_timer;
  volatile sig_atomic_t is_paused;
  volatile sig_atomic_t is_in_loop;
  void *base[MAX_FRAMES];
  int n_base;
  char name[32];
  LoopMoment last;
  Loop loop;
  Loop worst[N_WORST];
} StackWatch;

static StackWatch stack_watch;

/* Bounds of this program, by the linker. */
extern char __executable_start;
extern char etext;

static gboolean
is_program (const void *address)
{
  return (const char *) address >= &__executable_start && (const char *) address < &etext;
}

/* Whether anything of ours was called by the main loop, or called instead of it. */
static gboolean
is_ours (const Sample *sample)
{
  int n_common = 0;

  while (n_common < sample->n_frames && n_common < stack_watch.n_base
         && sample->frames[sample->n_frames - 1 - n_common]
                == stack_watch.base[stack_watch.n_base - 1 - n_common])
    n_common++;
  /* the innermost are this handler and the kernel's return from it */
  for (int i = 2; i < sample->n_frames - n_common; i++)
    if (is_program (sample->frames[i]))
      return TRUE;
  return FALSE;
}

static void
on_timer (int signal_number)
{
  Loop *loop = &stack_watch.loop;
  int error = errno;
  LoopMoment now;
  Sample *sample;

  if (stack_watch.is_in_loop)
    {
      now = loop_watch_get_moment ();
      sample = &loop->samples[MIN (loop->n_samples, MAX_SAMPLES - 1)];
      sample->n_frames = backtrace (sample->frames, MAX_FRAMES);
      sample->is_ours = !stack_watch.is_paused && is_ours (sample);
      sample->own_us = now.own_us - stack_watch.last.own_us;
      if (sample->is_ours)
        loop->ours_us += sample->own_us;
      loop->n_samples = MIN (loop->n_samples + 1, MAX_SAMPLES);
      stack_watch.last = now;
    }
  errno = error;
}

static void
set_timer (gboolean is_on)
{
  struct itimerspec times = { { 0, is_on ? PERIOD_NS : 0 }, { 0, is_on ? PERIOD_NS : 0 } };

  if (stack_watch.has_timer)
    timer_settime (stack_watch.timer, 0, &times, NULL);
}

/* Of the thread that calls, from now on. */
void
stack_watch_begin (void)
{
  struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };

  memset (&stack_watch, 0, sizeof stack_watch);
  /* the first time it loads a library */
  stack_watch.n_base = backtrace (stack_watch.base, MAX_FRAMES);
  event._sigev_un._tid = (pid_t) syscall (SYS_gettid);
  sigaction (SIGPROF, &action, NULL);
  stack_watch.has_timer = timer_create (CLOCK_MONOTONIC, &event, &stack_watch.timer) == 0;
}

void
stack_watch_end (void)
{
  if (stack_watch.has_timer)
    timer_delete (stack_watch.timer);
  signal (SIGPROF, SIG_IGN);
  stack_watch.has_timer = FALSE;
}

/* A poll has returned; called by the function that stands in place of it. */
void
stack_watch_loop_begin (void)
{
  stack_watch.n_base = backtrace (stack_watch.base, MAX_FRAMES);
  stack_watch.loop.ours_us = 0;
  stack_watch.loop.n_samples = 0;
  stack_watch.last = loop_watch_get_moment ();
  stack_watch.is_in_loop = TRUE;
  set_timer (TRUE);
}

/* The next poll is about to begin; the loop took @loop_us. Returns how much of it was ours. */
gint64
stack_watch_loop_end (gint64 loop_us)
{
  Loop *loop = &stack_watch.loop;

  set_timer (FALSE);
  stack_watch.is_in_loop = FALSE;
  if (!stack_watch.has_timer || loop->n_samples == 0)
    return loop_us;
  /* what came after the last sample is of the same */
  if (loop->samples[loop->n_samples - 1].is_ours)
    loop->ours_us += loop_watch_get_moment ().own_us - stack_watch.last.own_us;
  loop->ours_us = MIN (loop->ours_us, loop_us);
  for (guint i = 0; i < N_WORST; i++)
    if (loop->ours_us > stack_watch.worst[i].ours_us)
      {
        g_strlcpy (loop->name, stack_watch.name, sizeof loop->name);
        memmove (&stack_watch.worst[i + 1], &stack_watch.worst[i],
                 (N_WORST - 1 - i) * sizeof stack_watch.worst[0]);
        stack_watch.worst[i] = *loop;
        break;
      }
  return loop->ours_us;
}

/* What is done from now on, for the list of the longest. */
void
stack_watch_set_name (const char *name)
{
  g_strlcpy (stack_watch.name, name, sizeof stack_watch.name);
}

void
stack_watch_set_paused (gboolean is_paused)
{
  stack_watch.is_paused = is_paused;
}

/* The stacks of the longest loops, for `addr2line -f -e`. */
void
stack_watch_print (void)
{
  for (guint i = 0; i < N_WORST; i++)
    {
      const Loop *loop = &stack_watch.worst[i];

      g_printerr ("loop with %.2f ms of ours: %s\n", (double) loop->ours_us / 1000.0, loop->name);
      for (guint k = 0; k < loop->n_samples; k++)
        {
          const Sample *sample = &loop->samples[k];

          if (!sample->is_ours)
            continue;
          g_printerr ("  %.2f ms\n", (double) sample->own_us / 1000.0);
          backtrace_symbols_fd (sample->frames + 2, sample->n_frames - 2, STDERR_FILENO);
        }
    }
}
