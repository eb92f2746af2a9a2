/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-frame.c: one frame of the timeline, display list and raster, over a scripted storm of zooms
 * and pans.
 *
 * The same storm goes over a recording of ten million events and one of a hundred thousand, made
 * here by the demo target; a memcpy of the frame's pixels stands beside. Times are CPU time of the
 * thread, so that what else the machine does stays out; the wall's stand beside. A number of events
 * as argument replaces the ten million.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/ts-capture-session.h"
#include "ui/draw/ts-painter.h"

#define WIDTH 1920
#define HEIGHT 800
#define N_LANES 32
#define N_FRAMES 1200
#define SMALL_EVENTS 100000
#define LARGE_EVENTS 10000000
#define TARGET_MS 8

typedef struct
{
  double build[N_FRAMES];
  double paint[N_FRAMES];
  double sum[N_FRAMES];
  double wall[N_FRAMES];
  guint n_coarse;
  guint n_lanes;
  guint n_items;
  gint64 duration_us;
} Result;

static int
compare_doubles (const void *a,
                 const void *b)
{
  double first = *(const double *) a;
  double second = *(const double *) b;

  return (first > second) - (first < second);
}

/* CPU time of this thread in milliseconds. */
static double
get_cpu_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* Sorts the times and returns one of them, in milliseconds. */
static double
get_quantile (double *times,
              double share)
{
  qsort (times, N_FRAMES, sizeof *times, compare_doubles);
  return times[MIN ((guint) (N_FRAMES * share), N_FRAMES - 1)];
}

/* Shows the first 32 lanes and hides the rest. */
static guint
keep_lanes (TsViewState *view)
{
  g_autoptr (GArray) lanes = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (view, &n_rows);

  for (guint i = 0; i < n_rows; i++)
    if (!rows[i].is_header)
      g_array_append_val (lanes, rows[i].lane);
  for (guint i = N_LANES; i < lanes->len; i++)
    ts_view_state_set_lane_hidden (view, g_array_index (lanes, guint32, i), TRUE);
  return MIN (lanes->len, N_LANES);
}

/* One step of the storm: zooms in and out about wandering places, pans, jumps; the same for every
 * recording. */
static void
take_step (TsViewState *view,
           GRand *random,
           guint frame)
{
  guint phase = frame % 60;

  if (phase == 0)
    ts_view_state_fit (view);
  else if (phase < 28)
    ts_view_state_zoom (view, g_rand_double_range (random, 1.3, 1.9),
                        g_rand_double_range (random, 0.1, 0.9));
  else if (phase < 44)
    ts_view_state_pan (view, g_rand_double_range (random, -0.4, 0.4));
  else
    ts_view_state_zoom (view, g_rand_double_range (random, 0.5, 0.8),
                        g_rand_double_range (random, 0.1, 0.9));
}

static void
run_storm (const char *path,
           Result *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  g_autoptr (TsDisplayList) list = ts_display_list_new ();
  g_autoptr (TsPainter) painter = ts_painter_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  TsDisplayOptions options = {
    .width = WIDTH,
    .height = HEIGHT,
    .label_width = 150,
    .overview_height = 36,
    .ruler_height = 26,
    .line_height = ts_painter_get_line_height (painter),
    .deadline_us = TS_DISPLAY_DEADLINE_US,
    .pointer_x = 900,
    .pointer_y = 300,
  };

  if (recording == NULL)
    g_error ("%s", error->message);
  ts_recording_start_fetching (recording, NULL, NULL);
  ts_view_state_set_recording (view, recording);
  result->n_lanes = keep_lanes (view);
  ts_view_state_set_row_height (view, 18, 16, 24);
  result->duration_us = ts_recording_ticks_to_us (recording, ts_recording_get_duration (recording));
  for (guint i = 0; i < N_FRAMES; i++)
    {
      double begin, middle;
      gint64 wall;
      guint n_items;

      take_step (view, random, i);
      wall = g_get_monotonic_time ();
      begin = get_cpu_ms ();
      ts_display_list_build (list, view, &options);
      middle = get_cpu_ms ();
      ts_painter_paint (painter, list, cr, FALSE);
      cairo_surface_flush (surface);
      result->sum[i] = get_cpu_ms () - begin;
      result->wall[i] = (double) (g_get_monotonic_time () - wall) / 1000.0;
      result->build[i] = middle - begin;
      result->paint[i] = result->sum[i] - result->build[i];
      result->n_coarse += ts_display_list_is_coarse (list);
      ts_display_list_get_items (list, &n_items);
      result->n_items = MAX (result->n_items, n_items);
    }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static double
time_copy (void)
{
  const gsize n = (gsize) WIDTH * HEIGHT * 4;
  g_autofree guint8 *from = g_malloc (n);
  g_autofree guint8 *to = g_malloc (n);
  double best = G_MAXDOUBLE;

  /* pages of their own, not the one of zeros */
  memset (from, 1, n);
  memset (to, 2, n);
  for (guint i = 0; i < 50; i++)
    {
      double begin = get_cpu_ms ();

      memcpy (to, from, n);
      __asm__ volatile ("" : : "r" (to) : "memory");
      best = MIN (best, get_cpu_ms () - begin);
    }
  return best;
}

static char *
make_recording (const char *folder,
                guint64 n_events)
{
  g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT ".vadb", n_events);
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  if (!ts_import_demo (n_events, 1, 20000, path, NULL, NULL, NULL, NULL, &error))
    g_error ("%s", error->message);
  return path;
}

static void
print_result (const char *name,
              Result *result,
              gboolean has_target)
{
  double p50 = get_quantile (result->sum, 0.5);
  double p99 = get_quantile (result->sum, 0.99);

  printf ("%s, frame p50\t%.2f\tms\n", name, p50);
  printf ("%s, frame p99\t%.2f\tms\t%s\tlist %.2f + raster %.2f ms p99, wall %.2f, %u lanes, %.1f "
          "s, at most %u items, "
          "%u of %d coarse\n",
          name, p99, has_target ? "<= " G_STRINGIFY (TARGET_MS) : "",
          get_quantile (result->build, 0.99), get_quantile (result->paint, 0.99),
          get_quantile (result->wall, 0.99), result->n_lanes, result->duration_us / 1e6,
          result->n_items, result->n_coarse, N_FRAMES);
}

int
main (int argc,
      char **argv)
{
  guint64 n_large = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : LARGE_EVENTS;
  g_autofree char *folder = g_dir_make_tmp ("bench-frame-XXXXXX", NULL);
  g_autofree char *large = NULL;
  g_autofree char *small = NULL;
  g_autofree Result *large_result = g_new0 (Result, 1);
  g_autofree Result *small_result = g_new0 (Result, 1);
  double copy;

  setlocale (LC_ALL, "C.UTF-8");
  if (folder == NULL)
    {
      printf ("no folder for recordings\n");
      return 77;
    }
  small = make_recording (folder, SMALL_EVENTS);
  large = make_recording (folder, n_large);
  copy = time_copy ();
  run_storm (small, small_result);
  run_storm (large, large_result);
  printf ("memcpy of a frame, %d x %d\t%.2f\tms\n", WIDTH, HEIGHT, copy);
  print_result ("100 k events", small_result, FALSE);
  print_result ("10 M events", large_result, TRUE);
  printf (
      "10 M against 100 k events, p99\t%.2f\tx\t<= 1.5\tp50 %.2f x; p99 %.1f times the memcpy\n",
      get_quantile (large_result->sum, 0.99) / get_quantile (small_result->sum, 0.99),
      get_quantile (large_result->sum, 0.5) / get_quantile (small_result->sum, 0.5),
      get_quantile (large_result->sum, 0.99) / copy);
  g_unlink (small);
  g_unlink (large);
  g_rmdir (folder);
  return 0;
}
