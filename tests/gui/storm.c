/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storm.c: a person out of control: random zooms and pans at every frame while a capture runs.
 *
 * As a test it is short: no frame without anything in it, no main loop that stands still. With
 * --bench it lasts 30 s at 100 000 events/s and prints figures for ./dev bench.
 *
 * What is measured is our own code on the main thread, see loop-watch.h. The time on the clock is
 * printed beside it. The seed
 * is printed, and is the argument after --bench.
 */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include <stdlib.h>

#include "ui/ts-frame-stats.h"
#include "ui/ts-timeline.h"
#include "ui/ts-window.h"

#include "gui-test-util.h"
#include "loop-watch.h"

/* Every so many frames the picture is looked at, and that so often at least, however slow all is. */
#define LOOK_EVERY 5
#define LEAST_LOOKS 3
#define PATIENCE_US (60 * G_USEC_PER_SEC)

typedef struct
{
  TsWindow *window;
  TsTimeline *timeline;
  GRand *rand;
  gint64 end_us;
  guint64 n_snapshots;
  guint n_frames;
  guint n_looks;
  guint n_blank;
  const LoopFigures *figures;
} Storm;

static Storm storm;

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
on_after_paint (GdkFrameClock *clock)
{
  const TsFrameStats *frames = ts_timeline_get_frame_stats (storm.timeline);
  LoopMoment begin = loop_watch_pause ();

  if (frames->n_total == storm.n_snapshots || !loop_watch_is_on ())
    return;
  storm.n_snapshots = frames->n_total;
  if (storm.n_frames++ % LOOK_EVERY == 0)
    {
      g_autoptr (GdkTexture) texture = ts_timeline_dup_texture (storm.timeline);

      storm.n_looks++;
      storm.n_blank += texture == NULL || is_blank (texture);
    }
  loop_watch_resume (begin);
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
  ts_connection_set_from_text (connection, "transport", "demo", NULL);
  ts_connection_set_from_text (connection, "demo-rate", rate_text, NULL);
  gtk_window_present (GTK_WINDOW (storm.window));
  if (!ts_window_start (storm.window, connection))
    return FALSE;
  gui_test_wait (is_recording, NULL);
  storm.timeline = TS_TIMELINE (gui_test_find (GTK_WIDGET (storm.window), TS_TYPE_TIMELINE));
  storm.n_snapshots = ts_timeline_get_frame_stats (storm.timeline)->n_total;
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (storm.window));
  loop_watch_begin (storm.timeline);
  /* after the watch's own: what is done there is left out */
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_after_paint), NULL);
  tick = gtk_widget_add_tick_callback (GTK_WIDGET (storm.timeline), on_tick, NULL, NULL);
  storm.end_us = g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC;
  while (!is_over (NULL))
    g_main_context_iteration (NULL, TRUE);
  storm.figures = loop_watch_end ();
  gtk_widget_remove_tick_callback (GTK_WIDGET (storm.timeline), tick);
  g_signal_handlers_disconnect_by_func (clock, on_after_paint, NULL);
  ts_window_stop (storm.window);
  gui_test_wait (has_stopped, NULL);
  g_clear_pointer (&storm.rand, g_rand_free);
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
                  ts_frame_stats_get_percentile (&storm.figures->ours, 99) / 1000.0,
                  storm.figures->ours.max_us / 1000.0);
  g_assert_cmpuint (storm.n_looks, >=, LEAST_LOOKS);
  g_assert_cmpuint (storm.n_blank, ==, 0);
}

static int
bench (guint32 seed)
{
  g_autofree char *note = NULL;

  if (!run (30, 100000, seed))
    return 1;
  note = g_strdup_printf (", %u frames, seed %u", storm.n_frames, seed);
  loop_watch_print (storm.figures, "storm", note);
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
