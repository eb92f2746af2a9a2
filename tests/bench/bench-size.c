/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-size.c: what a big recording costs: bytes, the first picture, looking around, figures.
 *
 * A recording of ten million events of mixed shapes (or as many as the first argument says) is made
 * beside the build; the name of one that is there is taken as well, and it stays. A fresh process
 * then opens it with nothing of it in the page cache, paints, and looks around; it tells its
 * figures, which are printed with baselines of the same run: a scan of all row ids, a memcpy of the
 * frame. Times of the first picture, and others called cold, are the wall's: waiting for the disk
 * counts; so are those of figures, which several threads make. All others are CPU time of the
 * thread, so that what else the machine does stays out.
 *
 * Then the same events as another program would write them, in the public tables alone: the first
 * picture of that, its rows, and how long the rest takes in the background. Of a recording that was
 * given this is left out when it is long (making it takes a minute for ten million); one without
 * our tables can be given itself.
 */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "capture/ts-demo-shape.h"
#include "model/ts-index.h"
#include "model/ts-search.h"
#include "model/ts-statistics.h"
#include "ui/draw/ts-painter.h"

#define N_EVENTS 10000000
/* Room on the disk that is asked for. */
#define BYTES_PER_EVENT 30
#define WIDTH 1920
#define HEIGHT 1000
#define N_COLD 5
#define N_LOOKS 2000
#define N_FRAMES 400
#define N_SHARPER 200
#define N_RANGES 25
#define N_SEARCHES 40
#define N_PAGES 300
#define PAGE_ROWS 256
#define MAX_FOREIGN 20000000

/* ---- measuring ---- */

static double
get_ms_since (gint64 begin_us)
{
  return (double) (g_get_monotonic_time () - begin_us) / 1e3;
}

static double
get_clock_ms (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* CPU time of this thread in milliseconds. */
static double
get_cpu_ms (void)
{
  return get_clock_ms (CLOCK_THREAD_CPUTIME_ID);
}

static int
compare_doubles (const void *a,
                 const void *b)
{
  double left = *(const double *) a;
  double right = *(const double *) b;

  return (left > right) - (left < right);
}

static double
get_quantile (GArray *times,
              double share)
{
  if (times->len == 0)
    return 0;
  qsort (times->data, times->len, sizeof (double), compare_doubles);
  return g_array_index (times, double, MIN ((guint) (times->len * share), times->len - 1));
}

/** Where a time begins: on the wall, and of the thread. */
typedef struct
{
  gint64 wall_us;
  double cpu_ms;
} Begin;

static Begin
begin_time (void)
{
  return (Begin) { g_get_monotonic_time (), get_cpu_ms () };
}

static void
add_time (GArray *times,
          Begin begin,
          gboolean is_cold)
{
  double ms = is_cold ? get_ms_since (begin.wall_us) : get_cpu_ms () - begin.cpu_ms;

  g_array_append_val (times, ms);
}

/* Resident memory in MB; @key as in /proc/self/status. */
static double
get_memory_mb (const char *key)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, key);
  return line != NULL ? (double) g_ascii_strtoll (line + strlen (key) + 1, NULL, 10) / 1024.0 : 0;
}

/* ---- the page cache ---- */

/* Drops the file from the page cache; returns the share that stayed. */
static double
drop_from_cache (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gsize n_bytes = (gsize) lseek (fd, 0, SEEK_END);
  gsize n_pages = (n_bytes + 4095) / 4096;
  g_autofree guint8 *resident = g_malloc0 (n_pages);
  gsize n_resident = 0;
  void *map;

  fsync (fd);
  posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
  map = mmap (NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED && mincore (map, n_bytes, resident) == 0)
    for (gsize i = 0; i < n_pages; i++)
      n_resident += resident[i] & 1;
  if (map != MAP_FAILED)
    munmap (map, n_bytes);
  close (fd);
  return (double) n_resident / (double) n_pages;
}

/* ---- the fresh process ---- */

typedef struct
{
  TsRecording *recording;
  TsViewState *view;
  TsDisplayList *list;
  TsPainter *painter;
  cairo_surface_t *surface;
  cairo_t *cr;
  TsDisplayOptions options;
} Screen;

static void
paint (Screen *self)
{
  ts_display_list_build (self->list, self->view, &self->options);
  ts_painter_paint (self->painter, self->list, self->cr, FALSE);
  cairo_surface_flush (self->surface);
}

static void
tell (const char *key,
      double value)
{
  printf ("%s %.4f\n", key, value);
}

static void
tell_times (const char *key,
            GArray *times)
{
  printf ("%s %.4f\n%s-max %.4f\n", key, get_quantile (times, 0.99), key, get_quantile (times, 1));
}

static void
tell_look (gboolean is_cold,
           const char *what,
           GArray *times)
{
  g_autofree char *key = g_strconcat (is_cold ? "cold-" : "", what, NULL);

  tell_times (key, times);
}

static GArray *
new_times (void)
{
  return g_array_new (FALSE, FALSE, sizeof (double));
}

/** A question about a lane: what is at a time, or the event after or before it. */
typedef struct
{
  guint32 lane;
  gint64 time;
  gint64 tolerance;
  int direction; /* 0: what is there */
} Question;

/* Asks until the answer is there. @asked: what each time took the thread that asks, which does not
 * wait for the disk; @answered: how long it was to the answer. */
static void
ask_slice (Screen *self,
           const Question *question,
           gboolean is_cold,
           GArray *asked,
           GArray *answered)
{
  Begin first = begin_time ();
  gboolean is_missing;
  TsSlice slice;

  do
    {
      Begin begin;

      while (ts_recording_is_fetching (self->recording))
        g_usleep (20);
      begin = begin_time ();
      ts_recording_begin_look (self->recording, TS_LOOK_POINTER);
      if (question->direction == 0)
        ts_recording_find_slice (self->recording, question->lane, question->time,
                                 question->tolerance, &slice);
      else
        ts_recording_next_slice (self->recording, question->lane, question->time,
                                 question->direction, &slice);
      is_missing = ts_recording_end_look (self->recording);
      add_time (asked, begin, is_cold);
    }
  while (is_missing);
  add_time (answered, first, TRUE);
}

/* What is under the pointer, and the events before and after it, at random places: the first time
 * much of it comes from the disk. */
static void
look_around (Screen *self,
             GRand *random,
             gboolean is_cold)
{
  g_autoptr (GArray) hover = new_times ();
  g_autoptr (GArray) step = new_times ();
  g_autoptr (GArray) row = new_times ();
  g_autoptr (GArray) hover_answer = new_times ();
  g_autoptr (GArray) step_answer = new_times ();
  gint64 duration = ts_recording_get_duration (self->recording);
  guint64 n_rows = ts_recording_get_n_rows (self->recording);
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);

  for (guint i = 0; i < N_LOOKS; i++)
    {
      const TsLaneInfo *lane = &lanes[g_rand_int_range (random, 0, (gint32) n_lanes)];
      gint64 time = (gint64) (g_rand_double (random) * (double) duration);
      Question question;
      TsEvent event;
      guint n = 0;
      Begin begin;

      /* Half of the places where something happens, half anywhere. */
      if (i % 2 == 0
          && ts_recording_read_events (self->recording,
                                       1 + (guint64) (g_rand_double (random) * (double) n_rows), 1,
                                       &event, &n, NULL)
          && n == 1)
        time = event.time;

      question = (Question) { .lane = lane->id, .time = time, .tolerance = duration / 2000 };
      ask_slice (self, &question, is_cold, hover, hover_answer);
      question.direction = 1;
      ask_slice (self, &question, is_cold, step, step_answer);
      question.direction = -1;
      ask_slice (self, &question, is_cold, step, step_answer);
      begin = begin_time ();
      ts_recording_read_events (self->recording, ts_recording_row_at_time (self->recording, time),
                                1, &event, &n, NULL);
      add_time (row, begin, is_cold);
    }
  tell_look (is_cold, "hover", hover);
  tell_look (is_cold, "step", step);
  tell_look (is_cold, "row", row);
  tell_look (is_cold, "hover-answer", hover_answer);
  tell_look (is_cold, "step-answer", step_answer);
}

static void
storm (Screen *self,
       GRand *random)
{
  g_autoptr (GArray) frames = new_times ();

  self->options.deadline_us = TS_DISPLAY_DEADLINE_US;
  for (guint i = 0; i < N_FRAMES; i++)
    {
      Begin begin;

      if (i % 50 == 0)
        ts_view_state_fit (self->view);
      else if (i % 50 < 26)
        ts_view_state_zoom (self->view, g_rand_double_range (random, 1.3, 2.2),
                            g_rand_double_range (random, 0.1, 0.9));
      else
        ts_view_state_pan (self->view, g_rand_double_range (random, -0.5, 0.5));
      begin = begin_time ();
      paint (self);
      add_time (frames, begin, FALSE);
    }
  tell_times ("frame", frames);
}

/* Figures of random ranges; @is_cold: nothing of the file is in the page cache before each. */
static void
measure_ranges (Screen *self,
                const char *path,
                GRand *random,
                gboolean is_cold)
{
  g_autoptr (GArray) times = new_times ();
  g_autoptr (GArray) cpu = new_times ();
  const char *key = is_cold ? "cold-statistics" : "statistics";
  gint64 duration = ts_recording_get_duration (self->recording);

  for (guint i = 0; i < N_RANGES; i++)
    {
      gint64 begin = (gint64) (g_rand_double (random) * (double) duration);
      gint64 end = begin + 1 + (gint64) (g_rand_double (random) * (double) (duration - begin));
      double all_ms;
      Begin from;

      if (is_cold)
        drop_from_cache (path);
      all_ms = get_clock_ms (CLOCK_PROCESS_CPUTIME_ID);
      from = begin_time ();
      ts_statistics_free (ts_statistics_new (self->recording, begin, end, 0, NULL, NULL));
      add_time (times, from, TRUE);
      all_ms = get_clock_ms (CLOCK_PROCESS_CPUTIME_ID) - all_ms;
      g_array_append_val (cpu, all_ms);
    }
  printf ("%s %.4f\n%s-max %.4f\n", key, get_quantile (times, 0.5), key, get_quantile (times, 1));
  printf ("%s-cpu %.4f\n%s-cpu-max %.4f\n", key, get_quantile (cpu, 0.5), key,
          get_quantile (cpu, 1));
}

static void
measure_statistics (Screen *self,
                    const char *path,
                    GRand *random)
{
  gint64 duration = ts_recording_get_duration (self->recording);
  Begin from;

  drop_from_cache (path);
  from = begin_time ();
  ts_statistics_free (ts_statistics_new (self->recording, 0, duration + 1, 0, NULL, NULL));
  tell ("statistics-whole", get_ms_since (from.wall_us));
  measure_ranges (self, path, random, TRUE);
  measure_ranges (self, path, random, FALSE);
}

/* The first thing of a kind that a task did, from the begin and from the end; kinds that it never
 * does are looked for through all of the recording. */
static void
measure_search (Screen *self)
{
  static const char *const kinds[] = { "mutex", "queue", "task_switch", "timer" };
  g_autoptr (GArray) times = new_times ();
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  gint64 end = ts_recording_get_duration (self->recording) + 1;
  guint n_searches = 0;

  for (guint i = 0; i < n_lanes && n_searches < N_SEARCHES; i++)
    {
      g_autofree char *text = NULL;
      g_autoptr (TsSearch) search = NULL;
      TsSearchHit hit;
      Begin begin;

      if (lanes[i].kind != TS_LANE_TASK || i % 5 != 0)
        continue;
      text = g_strdup_printf ("\"task:%s\" kind:%s", lanes[i].name,
                              kinds[n_searches % G_N_ELEMENTS (kinds)]);
      search = ts_search_new (text, NULL);
      begin = begin_time ();
      ts_search_find (search, self->recording, n_searches % 3 == 2 ? end : 0,
                      n_searches % 3 == 2 ? -1 : 1, &hit, NULL, NULL);
      add_time (times, begin, FALSE);
      n_searches++;
    }
  tell_times ("search", times);
}

/* Opens a recording and paints it. */
static void
open_screen (Screen *self,
             const char *path,
             gint64 begin_us)
{
  g_autoptr (GError) error = NULL;

  *self = (Screen) { .options = { .width = WIDTH, .height = HEIGHT, .label_width = 150,
                                  .overview_height = 36, .ruler_height = 26, .pointer_x = -1,
                                  .pointer_y = -1 } };
  tell ("start", get_ms_since (begin_us));
  self->recording = ts_recording_open (path, &error);
  if (self->recording == NULL)
    g_error ("%s", error->message);
  ts_recording_read_coarse (self->recording);
  tell ("open", get_ms_since (begin_us));
  ts_recording_start_fetching (self->recording, NULL, NULL);
  self->view = ts_view_state_new ();
  self->list = ts_display_list_new ();
  self->painter = ts_painter_new ();
  self->surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  self->cr = cairo_create (self->surface);
  self->options.line_height = ts_painter_get_line_height (self->painter);
  self->options.deadline_us = TS_DISPLAY_DEADLINE_US;
  ts_view_state_set_recording (self->view, self->recording);
  ts_view_state_fit (self->view);
  paint (self);
  tell ("first", get_ms_since (begin_us));
}

/* A recording without tables of ours. */
static int
run_foreign_child (const char *path,
                   gint64 begin_us,
                   gboolean is_long)
{
  Screen self;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GArray) pages = new_times ();
  g_autoptr (GError) error = NULL;
  g_autofree TsEvent *events = g_new (TsEvent, PAGE_ROWS);
  guint64 n_rows;
  guint n = 0;

  open_screen (&self, path, begin_us);
  n_rows = ts_recording_get_n_listed_rows (self.recording);
  tell ("rows", (double) n_rows);
  if (n_rows > 0)
    ts_recording_read_events (self.recording, 1, PAGE_ROWS, events, &n, NULL);
  tell ("list", get_ms_since (begin_us));
  if (!is_long)
    return 0;

  for (guint i = 0; i < N_PAGES && n_rows > 0; i++)
    {
      guint64 row = 1 + (guint64) (g_rand_double (random) * (double) n_rows);
      Begin begin = begin_time ();

      ts_recording_read_events (self.recording, row, PAGE_ROWS, events, &n, NULL);
      add_time (pages, begin, TRUE);
    }
  tell_times ("page", pages);
  begin_us = g_get_monotonic_time ();
  if (ts_index_is_needed (self.recording)
      && !ts_index_build (self.recording, TS_INDEX_DEFAULT_BYTES, NULL, NULL, NULL, &error))
    g_error ("%s", error->message);
  tell ("index", get_ms_since (begin_us));
  tell ("memory-peak", get_memory_mb ("VmHWM:"));
  return 0;
}

static int
run_child (const char *path,
           gint64 begin_us,
           gboolean is_long)
{
  Screen self;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint n_frames = 0;

  open_screen (&self, path, begin_us);
  while (ts_display_list_is_coarse (self.list) && n_frames < N_SHARPER)
    {
      paint (&self);
      n_frames++;
    }
  tell ("complete", get_ms_since (begin_us));
  tell ("frames", n_frames);
  tell ("memory-first", get_memory_mb ("VmRSS:"));
  if (!is_long)
    return 0;

  self.options.deadline_us = 0;
  paint (&self);
  {
    double begin = get_cpu_ms ();

    paint (&self);
    tell ("whole-frame", get_cpu_ms () - begin);
  }
  look_around (&self, random, TRUE);
  g_rand_set_seed (random, 1);
  look_around (&self, random, FALSE);
  storm (&self, random);
  tell ("memory-storm", get_memory_mb ("VmRSS:"));
  measure_search (&self);
  measure_statistics (&self, path, random);
  tell ("memory-peak", get_memory_mb ("VmHWM:"));
  return 0;
}

/* Nothing but figures. */
static int
run_figures_child (const char *path,
                   gint64 begin_us)
{
  Screen self;
  g_autoptr (GRand) random = g_rand_new_with_seed (2);

  open_screen (&self, path, begin_us);
  measure_statistics (&self, path, random);
  return 0;
}

/* ---- the process that asks ---- */

/* Figures that a fresh process tells. */
static GHashTable *
ask_child (const char *self,
           const char *mode,
           const char *path)
{
  GHashTable *figures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, g_get_monotonic_time ());
  const char *argv[] = { self, mode, path, begin, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  g_auto (GStrv) lines = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                     &error)
      || !g_spawn_check_wait_status (status, &error))
    g_error ("%s", error->message);
  lines = g_strsplit (out, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *space = strchr (lines[i], ' ');
      double value = space != NULL ? g_ascii_strtod (space + 1, NULL) : 0;

      if (space != NULL)
        g_hash_table_insert (figures, g_strndup (lines[i], (gsize) (space - lines[i])),
                             g_memdup2 (&value, sizeof value));
    }
  return figures;
}

static double
get_figure (GHashTable *figures,
            const char *key)
{
  const double *value = g_hash_table_lookup (figures, key);

  return value != NULL ? *value : -1;
}

static double
query_number (const char *path,
              const char *sql)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  double value = 0;

  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
      && sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL) == SQLITE_OK
      && sqlite3_step (stmt) == SQLITE_ROW)
    value = sqlite3_column_double (stmt, 0);
  sqlite3_finalize (stmt);
  sqlite3_close (db);
  return value;
}

static double
time_copy (void)
{
  const gsize n = (gsize) WIDTH * HEIGHT * 4;
  g_autofree guint8 *from = g_malloc (n);
  g_autofree guint8 *to = g_malloc (n);
  double best = G_MAXDOUBLE;

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

static void
print_sizes (const char *path,
             double n)
{
  GStatBuf buf;

  g_assert_cmpint (g_stat (path, &buf), ==, 0);
  printf ("file\t%.1f\tbytes/event\t\t%.0f MB\n", (double) buf.st_size / n,
          (double) buf.st_size / 1e6);
  printf ("public rows\t%.1f\tbytes/event\t<= 22\n",
          query_number (path, "SELECT sum(pgsize) FROM dbstat WHERE name='ts_events'") / n);
  printf ("tiles and slices\t%.2f\tbytes/event\t<= 4\n",
          query_number (path, "SELECT sum(pgsize) FROM dbstat WHERE name='ts_blobs'") / n);
  printf ("histograms, and what rows hold\t%.2f\tbytes/event\n",
          query_number (path, "SELECT sum(pgsize) FROM dbstat WHERE name IN "
                              "('ts_figures','ts_sections','ts_books','ts_row_blocks')")
              / n);
}

static void
print_looks (GHashTable *looks,
             double copy,
             double scan)
{
  static const struct
  {
    const char *key;
    const char *name;
  } rows[] = { { "hover", "hover" }, { "step", "next and previous event" },
               { "row", "row at a time, read and waited for" },
               { "hover-answer", "hover, until the answer" },
               { "step-answer", "next and previous event, until the answer" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *max = g_strconcat (rows[i].key, "-max", NULL);
      g_autofree char *cold = g_strconcat ("cold-", rows[i].key, NULL);
      g_autofree char *cold_max = g_strconcat ("cold-", max, NULL);

      printf ("%s, p99\t%.3f\tms\t%s\tlongest %.2f ms; from the disk %.2f, longest %.2f ms\n",
              rows[i].name, get_figure (looks, rows[i].key), i < 2 ? "<= 2" : "",
              get_figure (looks, max),
              get_figure (looks, cold), get_figure (looks, cold_max));
    }
  printf ("frame of the whole, no deadline\t%.2f\tms\n", get_figure (looks, "whole-frame"));
  printf ("frame in a storm, p99\t%.2f\tms\t<= 8\t%.1f times the memcpy; longest %.1f ms\n",
          get_figure (looks, "frame"), get_figure (looks, "frame") / copy,
          get_figure (looks, "frame-max"));
  printf ("first hit by kind and task, p99\t%.1f\tms\t<= 100\tfound or not; longest %.1f ms\n",
          get_figure (looks, "search"), get_figure (looks, "search-max"));
  printf ("figures of the whole\t%.0f\tms\t<= 100\t%.2f times the scan; from the disk\n",
          get_figure (looks, "statistics-whole"), get_figure (looks, "statistics-whole") / scan);
  printf ("figures of any range, from the disk, p50\t%.0f\tms\t<= 100\tlongest %.0f ms; of the "
          "processors %.0f, at most %.0f ms\n",
          get_figure (looks, "cold-statistics"), get_figure (looks, "cold-statistics-max"),
          get_figure (looks, "cold-statistics-cpu"), get_figure (looks, "cold-statistics-cpu-max"));
  printf ("figures of any range, p50\t%.0f\tms\t<= 100\tlongest %.0f ms; of the processors %.0f, "
          "at most %.0f ms\n",
          get_figure (looks, "statistics"), get_figure (looks, "statistics-max"),
          get_figure (looks, "statistics-cpu"), get_figure (looks, "statistics-cpu-max"));
  printf ("memory after the first picture\t%.0f\tMB\n", get_figure (looks, "memory-first"));
  printf ("memory after the storm\t%.0f\tMB\t<= 300\tpeak with all figures: %.0f MB\n",
          get_figure (looks, "memory-storm"), get_figure (looks, "memory-peak"));
}

static void
measure (const char *self,
         const char *path,
         guint64 n_events)
{
  g_autoptr (GArray) first = new_times ();
  g_autoptr (GArray) complete = new_times ();
  g_autoptr (GArray) open_times = new_times ();
  g_autoptr (GHashTable) looks = NULL;
  double stayed = 0;
  double copy = time_copy ();
  double scan;
  double begin_ms;

  print_sizes (path, (double) n_events);
  for (guint i = 0; i < N_COLD; i++)
    {
      g_autoptr (GHashTable) figures = NULL;
      double ms;

      stayed = MAX (stayed, drop_from_cache (path));
      figures = ask_child (self, "--paint", path);
      ms = get_figure (figures, "first");
      g_array_append_val (first, ms);
      ms = get_figure (figures, "complete");
      g_array_append_val (complete, ms);
      ms = get_figure (figures, "open");
      g_array_append_val (open_times, ms);
    }
  drop_from_cache (path);
  looks = ask_child (self, "--look", path);

  query_number (path, "SELECT sum(rowid) FROM ts_events");
  begin_ms = get_cpu_ms ();
  query_number (path, "SELECT sum(rowid) FROM ts_events");
  scan = get_cpu_ms () - begin_ms;

  printf ("scan of all row ids\t%.0f\tms\t\tpage cache warm\n", scan);
  printf ("memcpy of a frame, %d x %d\t%.2f\tms\n", WIDTH, HEIGHT, copy);
  printf ("opened, cold\t%.0f\tms\n", get_quantile (open_times, 0.5));
  printf ("first picture, cold\t%.0f\tms\t<= 500\tfresh process, %.1f %% of the file in the page "
          "cache; %.2f times the scan\n", get_quantile (first, 0.5), stayed * 100,
          get_quantile (first, 0.5) / scan);
  printf ("sharp picture, cold\t%.0f\tms\t\tlongest of %d: %.0f ms; %.0f further frames%s\n",
          get_quantile (complete, 0.5), N_COLD, get_quantile (complete, 1),
          get_figure (looks, "frames"),
          get_figure (looks, "frames") < N_SHARPER ? "" : ", still not sharp");
  print_looks (looks, copy, scan);
}

/* What another program would write: the public tables alone. */
static void
make_foreign (const char *path,
              const char *foreign)
{
  g_autofree char *sql = g_strdup_printf (
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; ATTACH '%s' AS m;"
      "CREATE TABLE meta(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO meta SELECT key,value FROM m.meta WHERE key IN "
      "('format','va_cpu_hz','va_os','has_va');"
      "CREATE TABLE va_summary(key TEXT PRIMARY KEY,value TEXT);"
      "INSERT INTO va_summary SELECT key,value FROM m.va_summary;"
      "CREATE TABLE va_objects AS SELECT id,type,wire_id,name,priority FROM m.va_objects;"
      "CREATE TABLE va_events(id INTEGER PRIMARY KEY,t_cycles INTEGER,kind TEXT,start INTEGER,"
      "object_id INTEGER,object TEXT,value NUMERIC,detail NUMERIC,text TEXT);"
      "INSERT INTO va_events SELECT id,t_cycles,kind,start,object_id,object,value,detail,text "
      "FROM m.va_events ORDER BY id;",
      path);
  sqlite3 *db = NULL;
  char *message = NULL;

  if (sqlite3_open (foreign, &db) != SQLITE_OK
      || sqlite3_exec (db, sql, NULL, NULL, &message) != SQLITE_OK)
    g_error ("%s", message != NULL ? message : sqlite3_errmsg (db));
  sqlite3_close (db);
}

static void
measure_foreign (const char *self,
                 const char *path)
{
  g_autofree char *folder = g_get_current_dir ();
  g_autofree char *cache = g_strdup_printf ("%s/bench-size-cache-%d", folder, (int) getpid ());
  g_autofree char *indexes = g_build_filename (cache, "taskscope", "indexes", NULL);
  g_autofree char *parent = g_path_get_dirname (indexes);
  g_autoptr (GArray) first = new_times ();
  g_autoptr (GArray) list = new_times ();
  g_autoptr (GHashTable) warm = NULL;
  g_autoptr (GHashTable) rest = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  for (guint i = 0; i < N_COLD; i++)
    {
      g_autoptr (GHashTable) figures = NULL;
      double ms;

      drop_from_cache (path);
      figures = ask_child (self, "--foreign", path);
      ms = get_figure (figures, "first");
      g_array_append_val (first, ms);
      ms = get_figure (figures, "list");
      g_array_append_val (list, ms);
    }
  warm = ask_child (self, "--foreign", path);
  drop_from_cache (path);
  rest = ask_child (self, "--foreign-whole", path);
  printf ("foreign: first picture, cold\t%.0f\tms\t<= 2000\tfrom samples; longest of %d: %.0f ms; "
          "warm %.0f ms\n", get_quantile (first, 0.5), N_COLD, get_quantile (first, 1),
          get_figure (warm, "first"));
  printf ("foreign: first rows of the list, cold\t%.0f\tms\t\t%.0f rows\n",
          get_quantile (list, 0.5), get_figure (warm, "rows"));
  printf ("foreign: %d rows anywhere, cold, p99\t%.1f\tms\t\tlongest %.1f ms\n", PAGE_ROWS,
          get_figure (rest, "page"), get_figure (rest, "page-max"));
  printf ("foreign: all of it, in the background\t%.1f\ts\t\tmemory %.0f MB\n",
          get_figure (rest, "index") / 1000, get_figure (rest, "memory-peak"));

  dir = g_dir_open (indexes, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (indexes, name, NULL);

      g_unlink (file);
    }
  g_rmdir (indexes);
  g_rmdir (parent);
  g_rmdir (cache);
}

static void
measure_made_foreign (const char *self,
                      const char *path)
{
  g_autofree char *folder = g_get_current_dir ();
  g_autofree char *foreign
      = g_strdup_printf ("%s/bench-size-foreign-%d.vadb", folder, (int) getpid ());

  make_foreign (path, foreign);
  measure_foreign (self, foreign);
  g_unlink (foreign);
}

int
main (int argc,
      char **argv)
{
  guint64 n_events = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 0;
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GError) error = NULL;
  struct statvfs disk;
  gint64 begin_us;

  setlocale (LC_ALL, "C.UTF-8");
  if (argc == 4 && g_str_has_prefix (argv[1], "--foreign"))
    return run_foreign_child (argv[2], g_ascii_strtoll (argv[3], NULL, 10),
                              g_str_equal (argv[1], "--foreign-whole"));
  if (argc == 4 && g_str_equal (argv[1], "--figures"))
    return run_figures_child (argv[2], g_ascii_strtoll (argv[3], NULL, 10));
  if (argc == 4)
    return run_child (argv[2], g_ascii_strtoll (argv[3], NULL, 10),
                      g_str_equal (argv[1], "--look"));

  if (argc == 2 && g_file_test (argv[1], G_FILE_TEST_IS_REGULAR))
    {
      n_events = (guint64) query_number (argv[1], "SELECT max(rowid) FROM ts_events");
      if (n_events == 0)
        {
          measure_foreign (self != NULL ? self : argv[0], argv[1]);
          return 0;
        }
      measure (self != NULL ? self : argv[0], argv[1], n_events);
      if (n_events <= MAX_FOREIGN)
        measure_made_foreign (self != NULL ? self : argv[0], argv[1]);
      return 0;
    }
  n_events = n_events > 0 ? n_events : N_EVENTS;
  /* Not in a folder of its own in /tmp: that may be memory, where nothing is ever cold. */
  folder = g_get_current_dir ();
  path = g_strdup_printf ("%s/bench-size-%d.vadb", folder, (int) getpid ());
  if (statvfs (folder, &disk) == 0
      && (guint64) disk.f_bavail * disk.f_frsize < n_events * BYTES_PER_EVENT)
    {
      printf ("There is no room for %" G_GUINT64_FORMAT " events in %s.\n", n_events, folder);
      return 77;
    }
  begin_us = g_get_monotonic_time ();
  if (!ts_demo_shape_record (path, n_events, 1, NULL, NULL, NULL, NULL, &error))
    {
      printf ("%s\n", error->message);
      return 77;
    }
  printf ("made\t%.2f\tM events/s\n",
          (double) n_events / (double) (g_get_monotonic_time () - begin_us));
  measure (self != NULL ? self : argv[0], path, n_events);
  if (n_events <= MAX_FOREIGN)
    measure_made_foreign (self != NULL ? self : argv[0], path);
  g_unlink (path);
  return 0;
}
