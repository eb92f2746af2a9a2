/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storm.c: a person out of control: random zooms and pans at every frame while a capture runs.
 *
 * As a test it is short: no frame without anything in it, no main loop that stands still. With
 * --bench it lasts 30 s at 100 000 events/s and prints figures for ./dev bench.
 *
 * What is measured is our own code on the main thread: the time from one poll to the next, without
 * what GTK takes to render, but with our part of that (building and painting the timeline). Time in
 * which the thread could run and was not let run, because others had the processors, is not our
 * code's: the kernel counts it (schedstat) and it is left out. So is GTK's waiting for answers of
 * the X server, a process of its own: poll() stands here in place of the C library's and knows.
 * Waiting for locks and for the disk stays in. The time on the clock is printed beside it. The seed
 * is printed, and is the argument after --bench.
 */
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

#include "ui/ts-frame-stats.h"
#include "ui/ts-timeline.h"
#include "ui/ts-window.h"

#include "gui-test-util.h"

/* Every so many frames the picture is looked at, and that so often at least, however slow all is. */
#define LOOK_EVERY 5
#define LEAST_LOOKS 3
#define PATIENCE_US (60 * G_USEC_PER_SEC)

/**
 * Moment:
 * @wall_us: on the clock
 * @own_us: the same without the time in which the thread waited for a processor
 */
typedef struct
{
  gint64 wall_us;
  gint64 own_us;
} Moment;

/**
 * Storm:
 * @schedstat_fd: what the kernel tells of this thread; -1: it does not
 * @x_fd: where the X server answers, -1 there is none
 * @polled: when the last poll returned
 * @other: what GTK took to render since then, and the test itself
 * @layout: when the layout of this frame was done; 0: it was not
 * @snapshot: what the timeline took of this frame
 * @loops: our own time between two polls
 * @walls: the same on the clock
 */
typedef struct
{
  TsWindow *window;
  TsTimeline *timeline;
  GRand *rand;
  gint64 end_us;
  int schedstat_fd;
  int x_fd;
  Moment polled;
  Moment other;
  Moment layout;
  Moment snapshot;
  void (*take_snapshot) (GtkWidget *widget, GtkSnapshot *snapshot);
  guint64 n_snapshots;
  guint n_frames;
  guint n_looks;
  guint n_blank;
  gboolean is_measuring;
  TsFrameStats loops;
  TsFrameStats walls;
} Storm;

static Storm storm;

static Moment
get_moment (void)
{
  Moment moment = { g_get_monotonic_time (), 0 };
  char text[96] = "";
  char *end = text;
  gint64 waited_ns = 0;

  /* nanoseconds run, nanoseconds waited for a processor, times run */
  if (storm.schedstat_fd >= 0 && pread (storm.schedstat_fd, text, sizeof text - 1, 0) > 0)
    {
      g_ascii_strtoull (text, &end, 10);
      waited_ns = (gint64) g_ascii_strtoull (end, NULL, 10);
    }
  moment.own_us = moment.wall_us - waited_ns / 1000;
  return moment;
}

/* Adds to @sum the time since @begin. */
static void
add_since (Moment *sum,
           Moment begin)
{
  Moment now = get_moment ();

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
  gboolean is_x = storm.is_measuring && n_fds == 1 && fds[0].fd == storm.x_fd;
  struct timespec limit = { timeout / 1000, timeout % 1000 * 1000000L };
  Moment begin = is_x ? get_moment () : (Moment) { 0, 0 };
  int n = ppoll (fds, n_fds, timeout >= 0 ? &limit : NULL, NULL);
  int error = errno;

  if (is_x)
    add_since (&storm.other, begin);
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
  Moment loop = { -storm.other.wall_us, -storm.other.own_us };
  gint n;

  add_since (&loop, storm.polled);
  if (storm.polled.wall_us != 0 && storm.is_measuring)
    {
      ts_frame_stats_add (&storm.loops, MAX (loop.own_us, 0));
      ts_frame_stats_add (&storm.walls, MAX (loop.wall_us, 0));
    }
  n = g_poll (fds, n_fds, timeout);
  storm.polled = get_moment ();
  storm.other = (Moment) { 0, 0 };
  return n;
}

/* In place of the timeline's own: how long that takes. */
static void
measured_snapshot (GtkWidget *widget,
                   GtkSnapshot *snapshot)
{
  Moment begin = get_moment ();

  storm.take_snapshot (widget, snapshot);
  add_since (&storm.snapshot, begin);
}

/* Colourful pixels right of the lane headers: bars and lines of lanes; grounds, grid and text are
 * grey. */
static gboolean
is_blank (GdkTexture *texture)
{
  int width = gdk_texture_get_width (texture);
  int height = gdk_texture_get_height (texture);
  gsize stride = (gsize) width * 4;
  g_autofree guint8 *pixels = g_malloc (stride * (gsize) height);
  guint n = 0;

  gdk_texture_download (texture, pixels, stride);
  for (int y = height / 5; y < height; y++)
    for (int x = width / 4; x < width; x++)
      {
        const guint8 *p = pixels + (gsize) y * stride + (gsize) x * 4;
        guint most = MAX (MAX (p[0], p[1]), p[2]);
        guint least = MIN (MIN (p[0], p[1]), p[2]);

        n += most - least > 40;
      }
  return n < 100;
}

static void
on_layout (GdkFrameClock *clock)
{
  storm.layout = get_moment ();
  storm.snapshot = (Moment) { 0, 0 };
}

static void
on_after_paint (GdkFrameClock *clock)
{
  const TsFrameStats *frames = ts_timeline_get_frame_stats (storm.timeline);
  Moment begin = get_moment ();

  if (storm.layout.wall_us != 0)
    {
      add_since (&storm.other, storm.layout);
      /* of that the snapshot of the timeline is ours */
      storm.other.wall_us -= storm.snapshot.wall_us;
      storm.other.own_us -= storm.snapshot.own_us;
    }
  storm.layout.wall_us = 0;
  if (frames->n_total == storm.n_snapshots || !storm.is_measuring)
    return;
  storm.n_snapshots = frames->n_total;
  if (storm.n_frames++ % LOOK_EVERY == 0)
    {
      g_autoptr (GdkTexture) texture = ts_timeline_dup_texture (storm.timeline);

      storm.n_looks++;
      storm.n_blank += texture == NULL || is_blank (texture);
    }
  add_since (&storm.other, begin);
}

/* One random move, inside of what was recorded. */
static gboolean
on_tick (GtkWidget *widget,
         GdkFrameClock *clock,
         gpointer user_data)
{
  TsViewState *view = ts_window_get_view (storm.window);
  TsRecording *recording = ts_view_state_get_recording (view);
  gint64 duration = recording != NULL ? ts_recording_get_duration (recording) : 0;
  gint64 begin;
  gint64 span;

  if (duration <= 0)
    return G_SOURCE_CONTINUE;
  switch (g_rand_int_range (storm.rand, 0, 4))
    {
    case 0:
      ts_view_state_zoom (view, g_rand_double_range (storm.rand, 0.25, 4.0),
                          g_rand_double (storm.rand));
      break;
    case 1:
      ts_view_state_pan (view, g_rand_double_range (storm.rand, -1.5, 1.5));
      break;
    case 2:
      span = (gint64) (g_rand_double (storm.rand) * (double) duration);
      ts_view_state_set_visible (view, (gint64) (g_rand_double (storm.rand) * (double) duration),
                                 MAX (span, 100000));
      break;
    default:
      ts_view_state_set_following (view, TRUE);
      break;
    }
  begin = ts_view_state_get_begin (view);
  span = ts_view_state_get_span (view);
  /* close up there may truly be nothing but waits; outside there is nothing at all */
  if (span < 100000 || begin < 0 || begin + span > duration)
    ts_view_state_set_visible (view, CLAMP (begin, 0, MAX (duration - span, 0)),
                               CLAMP (span, 100000, MAX (duration, 100000)));
  return G_SOURCE_CONTINUE;
}

static gboolean
is_recording (gpointer user_data)
{
  TsRecording *recording = ts_view_state_get_recording (ts_window_get_view (storm.window));

  return recording != NULL && ts_recording_get_n_rows (recording) > 10000;
}

static gboolean
is_over (gpointer user_data)
{
  gint64 now = g_get_monotonic_time ();

  return now >= storm.end_us
         && (storm.n_looks >= LEAST_LOOKS || now >= storm.end_us + PATIENCE_US);
}

static gboolean
has_stopped (gpointer user_data)
{
  return !ts_window_is_capturing (storm.window);
}

/* Seconds of storm over a capture of so many events a second. */
static gboolean
run (guint seconds,
     guint rate,
     guint32 seed)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  g_autofree char *rate_text = g_strdup_printf ("%u", rate);
  GdkFrameClock *clock;
  guint tick;

  storm.rand = g_rand_new_with_seed (seed);
  storm.x_fd = get_x_fd ();
  storm.schedstat_fd = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  ts_connection_set_from_text (connection, "transport", "demo", NULL);
  ts_connection_set_from_text (connection, "demo-rate", rate_text, NULL);
  gtk_window_present (GTK_WINDOW (storm.window));
  if (!ts_window_start (storm.window, connection))
    return FALSE;
  gui_test_wait (is_recording, NULL);
  storm.timeline = TS_TIMELINE (gui_test_find (GTK_WIDGET (storm.window), TS_TYPE_TIMELINE));
  storm.n_snapshots = ts_timeline_get_frame_stats (storm.timeline)->n_total;
  storm.take_snapshot = GTK_WIDGET_GET_CLASS (storm.timeline)->snapshot;
  GTK_WIDGET_GET_CLASS (storm.timeline)->snapshot = measured_snapshot;
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (storm.window));
  g_signal_connect_after (clock, "layout", G_CALLBACK (on_layout), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_after_paint), NULL);
  g_main_context_set_poll_func (NULL, measured_poll);
  tick = gtk_widget_add_tick_callback (GTK_WIDGET (storm.timeline), on_tick, NULL, NULL);
  storm.end_us = g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC;
  storm.is_measuring = TRUE;
  while (!is_over (NULL))
    g_main_context_iteration (NULL, TRUE);
  storm.is_measuring = FALSE;
  g_main_context_set_poll_func (NULL, g_poll);
  gtk_widget_remove_tick_callback (GTK_WIDGET (storm.timeline), tick);
  g_signal_handlers_disconnect_by_func (clock, on_layout, NULL);
  g_signal_handlers_disconnect_by_func (clock, on_after_paint, NULL);
  ts_window_stop (storm.window);
  gui_test_wait (has_stopped, NULL);
  g_clear_pointer (&storm.rand, g_rand_free);
  if (storm.schedstat_fd >= 0)
    close (storm.schedstat_fd);
  return TRUE;
}

static void
test_storm (void)
{
  guint32 seed = (guint32) g_test_rand_int ();

  g_test_message ("seed %u", seed);
  g_assert_true (run (4, 50000, seed));
  g_test_message ("%u frames, %u looked at, own code between polls p99 %.1f ms, most %.1f ms",
                  storm.n_frames, storm.n_looks,
                  ts_frame_stats_get_percentile (&storm.loops, 99) / 1000.0,
                  storm.loops.max_us / 1000.0);
  g_assert_cmpuint (storm.n_looks, >=, LEAST_LOOKS);
  g_assert_cmpuint (storm.n_blank, ==, 0);
}

static int
bench (guint32 seed)
{
  if (!run (30, 100000, seed))
    return 1;
  g_print ("storm: own code between two polls, p99\t%.2f\tms\t<= 8\t%u frames, seed %u\n",
           ts_frame_stats_get_percentile (&storm.loops, 99) / 1000.0, storm.n_frames, seed);
  g_print ("storm: own code between two polls, most\t%.2f\tms\t<= 16\t%s%.2f ms\n",
           storm.loops.max_us / 1000.0,
           storm.schedstat_fd >= 0 ? "waiting for a processor or the X server left out; with it "
                                   : "on the clock ",
           storm.walls.max_us / 1000.0);
  g_print ("storm: frames without anything in them\t%u\t\t<= 0\t%u looked at\n", storm.n_blank,
           storm.n_looks);
  return 0;
}

int
main (int argc,
      char **argv)
{
  g_autoptr (AdwApplication) application = NULL;
  gboolean is_bench = argc > 1 && g_str_equal (argv[1], "--bench");
  guint32 seed = is_bench && argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  int status;

  if (!gui_test_init (&argc, &argv))
    return 0;
  application = ADW_APPLICATION (g_object_new (ADW_TYPE_APPLICATION, "application-id", TS_APP_ID,
                                               "flags", G_APPLICATION_NON_UNIQUE,
                                               "resource-base-path",
                                               "/io/github/taskscope/Taskscope", NULL));
  if (!g_application_register (G_APPLICATION (application), NULL, NULL))
    return 77;
  storm.window = ts_window_new (GTK_APPLICATION (application));
  g_test_add_func ("/gui/storm", test_storm);
  status = is_bench ? bench (seed) : g_test_run ();
  gtk_window_destroy (GTK_WINDOW (storm.window));
  return status;
}
