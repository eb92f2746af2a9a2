/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gdk/gdk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

#include "loop-watch.h"
#include "stack-watch.h"

/**
 * Watch:
 * @schedstat_fd: what the kernel tells of this thread; -1: it does not
 * @x_fd: where the X server answers, -1 there is none
 * @polled: when the last poll returned
 * @other: what GTK took to render since then, and the test itself
 * @layout: when the layout of this frame was done; 0: it was not
 * @snapshot: what the timeline took of this frame
 */
typedef struct
{
  TsTimeline *timeline;
  int schedstat_fd;
  int x_fd;
  LoopMoment polled;
  LoopMoment other;
  LoopMoment layout;
  LoopMoment snapshot;
  void (*take_snapshot) (GtkWidget *widget, GtkSnapshot *snapshot);
  gboolean is_measuring;
  LoopFigures figures;
} Watch;

static Watch watch;

/* Nanoseconds that the thread waited for a processor. */
static gint64
get_waited_ns (void)
{
  char text[96] = "";
  char *end = text;

  /* nanoseconds run, nanoseconds waited for a processor, times run */
  if (watch.schedstat_fd < 0 || pread (watch.schedstat_fd, text, sizeof text - 1, 0) <= 0)
    return 0;
  g_ascii_strtoull (text, &end, 10);
  return (gint64) g_ascii_strtoull (end, NULL, 10);
}

/* Now; may be called by who has interrupted the thread. */
LoopMoment
loop_watch_get_moment (void)
{
  LoopMoment moment = { 0, 0 };
  gint64 waited_ns;
  guint tries = 0;

  /* both of the same moment: not with a wait between them */
  do
    {
      waited_ns = get_waited_ns ();
      moment.wall_us = g_get_monotonic_time ();
    }
  while (get_waited_ns () != waited_ns && ++tries < 5);
  moment.own_us = moment.wall_us - waited_ns / 1000;
  return moment;
}

/* Adds to @sum the time since @begin. */
static void
add_since (LoopMoment *sum,
           LoopMoment begin)
{
  LoopMoment now = loop_watch_get_moment ();

  sum->wall_us += now.wall_us - begin.wall_us;
  sum->own_us += now.own_us - begin.own_us;
}

/* poll() in place of the C library's, for all libraries: Xlib waits here for an answer. */
int server_poll (struct pollfd *fds,
                 nfds_t n_fds,
                 int timeout) __asm__ ("poll");

int
server_poll (struct pollfd *fds,
             nfds_t n_fds,
             int timeout)
{
  gboolean is_x = watch.is_measuring && n_fds == 1 && fds[0].fd == watch.x_fd;
  struct timespec limit = { timeout / 1000, timeout % 1000 * 1000000L };
  LoopMoment begin = is_x ? loop_watch_get_moment () : (LoopMoment) { 0, 0 };
  int error;
  int n;

  if (is_x)
    stack_watch_set_paused (TRUE);
  n = ppoll (fds, n_fds, timeout >= 0 ? &limit : NULL, NULL);
  error = errno;
  if (is_x)
    {
      stack_watch_set_paused (FALSE);
      add_since (&watch.other, begin);
    }
  errno = error;
  return n;
}

static int
get_x_fd (void)
{
#ifdef GDK_WINDOWING_X11
  GdkDisplay *display = gdk_display_get_default ();

  if (GDK_IS_X11_DISPLAY (display))
    return ConnectionNumber (gdk_x11_display_get_xdisplay (display));
#endif
  return -1;
}

static gint
measured_poll (GPollFD *fds,
               guint n_fds,
               gint timeout)
{
  LoopMoment loop = { -watch.other.wall_us, -watch.other.own_us };
  LoopMoment whole = { 0, 0 };
  gint n;

  add_since (&whole, watch.polled);
  if (watch.polled.wall_us != 0 && watch.is_measuring)
    {
      loop.wall_us += whole.wall_us;
      loop.own_us += whole.own_us;
      ts_frame_stats_add (&watch.figures.ours, stack_watch_loop_end (whole.own_us));
      ts_frame_stats_add (&watch.figures.loops, MAX (loop.own_us, 0));
      ts_frame_stats_add (&watch.figures.walls, MAX (whole.wall_us, 0));
    }
  n = g_poll (fds, n_fds, timeout);
  watch.polled = loop_watch_get_moment ();
  stack_watch_loop_begin ();
  watch.other = (LoopMoment) { 0, 0 };
  return n;
}

/* In place of the timeline's own: how long that takes. */
static void
measured_snapshot (GtkWidget *widget,
                   GtkSnapshot *snapshot)
{
  LoopMoment begin = loop_watch_get_moment ();

  watch.take_snapshot (widget, snapshot);
  add_since (&watch.snapshot, begin);
}

static void
on_layout (GdkFrameClock *clock)
{
  watch.layout = loop_watch_get_moment ();
  watch.snapshot = (LoopMoment) { 0, 0 };
}

static void
on_after_paint (GdkFrameClock *clock)
{
  if (watch.layout.wall_us != 0)
    {
      add_since (&watch.other, watch.layout);
      /* of that the snapshot of the timeline is ours */
      watch.other.wall_us -= watch.snapshot.wall_us;
      watch.other.own_us -= watch.snapshot.own_us;
    }
  watch.layout.wall_us = 0;
}

/* Measures from now on; @timeline is in a window that is shown. */
void
loop_watch_begin (TsTimeline *timeline)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (timeline));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (root));

  watch = (Watch) { .timeline = timeline };
  watch.x_fd = get_x_fd ();
  watch.schedstat_fd = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  watch.figures.knows_waits = watch.schedstat_fd >= 0;
  watch.take_snapshot = GTK_WIDGET_GET_CLASS (timeline)->snapshot;
  GTK_WIDGET_GET_CLASS (timeline)->snapshot = measured_snapshot;
  g_signal_connect_after (clock, "layout", G_CALLBACK (on_layout), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_after_paint), NULL);
  g_main_context_set_poll_func (NULL, measured_poll);
  stack_watch_begin ();
  watch.is_measuring = TRUE;
}

const LoopFigures *
loop_watch_end (void)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (watch.timeline));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (root));

  watch.is_measuring = FALSE;
  stack_watch_end ();
  g_main_context_set_poll_func (NULL, g_poll);
  GTK_WIDGET_GET_CLASS (watch.timeline)->snapshot = watch.take_snapshot;
  g_signal_handlers_disconnect_by_func (clock, on_layout, NULL);
  g_signal_handlers_disconnect_by_func (clock, on_after_paint, NULL);
  if (watch.schedstat_fd >= 0)
    close (watch.schedstat_fd);
  return &watch.figures;
}

LoopMoment
loop_watch_pause (void)
{
  stack_watch_set_paused (TRUE);
  return loop_watch_get_moment ();
}

void
loop_watch_resume (LoopMoment since)
{
  add_since (&watch.other, since);
  stack_watch_set_paused (FALSE);
}

gboolean
loop_watch_is_on (void)
{
  return watch.is_measuring;
}

/* Figures for ./dev bench; where it was at its longest, if TASKSCOPE_STACKS is set. */
void
loop_watch_print (const LoopFigures *figures,
                  const char *what,
                  const char *note)
{
  g_print ("%s: own code between two polls, p99\t%.2f\tms\t<= 8\t%u polls%s\n", what,
           ts_frame_stats_get_percentile (&figures->ours, 99) / 1000.0,
           (guint) figures->ours.n_total, note);
  g_print ("%s: own code between two polls, most\t%.2f\tms\t<= 16\t%s\n", what,
           figures->ours.max_us / 1000.0,
           figures->knows_waits ? "waiting for a processor left out" : "on the clock");
  g_print ("%s: with what GTK does but render, p99\t%.2f\tms\t\tmost %.2f ms; on the clock %.2f\n",
           what, ts_frame_stats_get_percentile (&figures->loops, 99) / 1000.0,
           figures->loops.max_us / 1000.0, figures->walls.max_us / 1000.0);
  if (g_getenv ("TASKSCOPE_STACKS") != NULL)
    stack_watch_print ();
}
