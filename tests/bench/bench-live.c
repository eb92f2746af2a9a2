/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-live.c: the demo target in real time through ring, decoder and writer, watched by a live
 * reader as a window would.
 *
 *     bench-live [SECONDS]     10 by default; memory is compared after the first third (at most 10
 * s) and at the end
 */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/ts-capture-session.h"
#include "model/ts-recording.h"

#define DEFAULT_SECONDS 10
#define SETTLE_MAX_S 10
#define SAMPLE_MS 100
#define TARGET_RATE 300000
#define GOAL_RATE 500000

typedef struct
{
  TsCaptureSession *session;
  TsRecording *recording;
  GMainLoop *loop;
  gint64 begin_us;
  gint64 settle_us;
  gsize settled_bytes;
  gsize most_bytes;
  double decode_seconds;  /* processor time of the decode thread */
  GArray *ages_us;        /* how old the newest visible event was, at each refresh */
} Live;

static gsize
get_resident_bytes (void)
{
  g_autofree char *text = NULL;
  unsigned long size = 0, resident = 0;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      || sscanf (text, "%lu %lu", &size, &resident) != 2)
    return 0;

  return (gsize) resident * (gsize) sysconf (_SC_PAGESIZE);
}

/* Processor time of the thread of that name, seconds. */
static double
get_thread_seconds (const char *name)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  const char *id;
  double seconds = 0.0;

  while (dir != NULL && (id = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/task/%s/stat", id);
      g_autofree char *text = NULL;
      unsigned long user = 0, system = 0;
      const char *open, *close;

      if (!g_file_get_contents (path, &text, NULL, NULL))
        continue;
      open = strchr (text, '(');
      close = strrchr (text, ')');
      if (open == NULL || close == NULL || strncmp (open + 1, name, strlen (name)) != 0)
        continue;
      if (sscanf (close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system)
          == 2)
        seconds += (double) (user + system) / (double) sysconf (_SC_CLK_TCK);
    }

  return seconds;
}

static gboolean
on_sample (gpointer user_data)
{
  Live *self = user_data;
  gsize resident = get_resident_bytes ();
  double seconds = get_thread_seconds ("ts-decode");

  if (seconds > 0.0)
    self->decode_seconds = seconds;
  if (g_get_monotonic_time () - self->begin_us < self->settle_us)
    self->settled_bytes = resident;
  self->most_bytes = MAX (self->most_bytes, resident);

  return G_SOURCE_CONTINUE;
}

static void
on_data (TsCaptureSession *session,
         gpointer user_data)
{
  Live *self = user_data;
  gint64 newest_us, age_us;

  if (self->recording == NULL)
    self->recording = ts_capture_session_dup_recording (session, NULL);
  if (self->recording == NULL)
    return;

  ts_recording_refresh (self->recording);
  /* the demo target's time runs with the clock of this machine, from a little after our start: ages
   * are rather too large than too small */
  newest_us
      = ts_recording_ticks_to_us (self->recording, ts_recording_get_duration (self->recording));
  age_us = g_get_monotonic_time () - self->begin_us - newest_us;
  g_array_append_val (self->ages_us, age_us);
}

static void
on_ended (TsCaptureSession *session,
          gpointer user_data)
{
  g_main_loop_quit (((Live *) user_data)->loop);
}

static int
compare_int64 (gconstpointer a,
               gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static double
percentile_ms (GArray *values,
               double share)
{
  if (values->len == 0)
    return 0.0;

  return (double) g_array_index (values, gint64, (guint) (share * (values->len - 1))) / 1000.0;
}

static gboolean
measure (guint rate,
         guint seconds,
         const char *folder,
         gboolean is_goal)
{
  g_autofree char *output = g_strdup_printf ("%s/live-%u.vadb", folder, rate);
  g_autofree char *rate_text = g_strdup_printf ("%u", rate);
  g_autoptr (TsConnection) connection = ts_connection_new ();
  TsCaptureOptions options
      = { .output = output, .keep_raw_log = TRUE, .duration_ms = (gint64) seconds * 1000 };
  Live live = { .settle_us = MIN (seconds / 3.0, SETTLE_MAX_S) * G_USEC_PER_SEC };
  g_autoptr (GError) error = NULL;
  TsCaptureStats stats;
  double growth_mb;
  guint timer, k = rate / 1000;
  gint64 stop_us;

  ts_connection_set_from_text (connection, "transport", "demo", NULL);
  ts_connection_set_from_text (connection, "demo-rate", rate_text, NULL);
  live.session = ts_capture_session_new (connection, &options);
  live.loop = g_main_loop_new (NULL, FALSE);
  live.ages_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_signal_connect (live.session, "data", G_CALLBACK (on_data), &live);
  g_signal_connect (live.session, "ended", G_CALLBACK (on_ended), &live);
  timer = g_timeout_add (SAMPLE_MS, on_sample, &live);

  live.begin_us = g_get_monotonic_time ();
  if (!ts_capture_session_start (live.session, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }
  g_main_loop_run (live.loop);
  stop_us = g_get_monotonic_time ();
  g_source_remove (timer);
  ts_capture_session_get_stats (live.session, &stats);
  if (ts_capture_session_get_state (live.session) != TS_CAPTURE_STOPPED)
    {
      fprintf (stderr, "%s\n", ts_capture_session_get_message (live.session));
      return FALSE;
    }

  g_array_sort (live.ages_us, compare_int64);
  growth_mb = live.most_bytes > live.settled_bytes
                  ? (double) (live.most_bytes - live.settled_bytes) / 1e6
                  : 0.0;
  printf ("live %u k: share of the rate reached\t%.3f\tratio\t%s\t%.0f events/s asked for, %.0f "
          "recorded\n",
          k, (double) stats.events / ((double) rate * (double) stats.elapsed_us / 1e6),
          is_goal ? "" : ">= 0.95", (double) rate,
          (double) stats.events * 1e6 / (double) stats.elapsed_us);
  printf ("live %u k: events lost\t%" G_GINT64_FORMAT "\tevents\t<= 0\t\n", k, stats.lost_events);
  printf ("live %u k: bytes dropped by the ring\t%" G_GUINT64_FORMAT "\tbytes\t<= 0\t\n", k,
          stats.ring_dropped_bytes);
  printf ("live %u k: ring high water\t%.1f\t%%\t\t\n", k, 100.0 * stats.high_water);
  printf ("live %u k: decode thread\t%.2f\tcores\t\t\n", k,
          live.decode_seconds * 1e6 / (double) stats.elapsed_us);
  printf ("live %u k: memory growth\t%.1f\tMB\t%s\tafter %.1f of %u s\n", k, growth_mb,
          is_goal ? "" : "<= 20", (double) live.settle_us / 1e6, seconds);
  printf (
      "live %u k: newest visible event, age p50\t%.1f\tms\t%s\t5 ms steps of the target included\n",
      k, percentile_ms (live.ages_us, 0.50), is_goal ? "" : "<= 40");
  printf ("live %u k: newest visible event, age p99\t%.1f\tms\t%s\t%u refreshes\n", k,
          percentile_ms (live.ages_us, 0.99), is_goal ? "" : "<= 80", live.ages_us->len);
  printf ("live %u k: end of data to file closed\t%.0f\tms\t<= 2000\t\n", k,
          (double) (stop_us - live.begin_us - (gint64) seconds * G_USEC_PER_SEC) / 1000.0);
  fflush (stdout);

  g_clear_object (&live.recording);
  g_clear_object (&live.session);
  g_main_loop_unref (live.loop);
  g_array_unref (live.ages_us);
  g_unlink (output);

  return TRUE;
}

int
main (int argc,
      char **argv)
{
  guint seconds = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : DEFAULT_SECONDS;
  g_autofree char *folder = g_dir_make_tmp ("ts-bench-live-XXXXXX", NULL);
  gboolean is_ok;

  if (seconds < 1 || folder == NULL)
    {
      fprintf (stderr, "bench-live [SECONDS]\n");
      return 1;
    }

  is_ok
      = measure (TARGET_RATE, seconds, folder, FALSE) && measure (GOAL_RATE, seconds, folder, TRUE);
  g_rmdir (folder);

  return is_ok ? 0 : 1;
}
