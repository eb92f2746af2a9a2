/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-swo.c: a big file of SWO bytes becomes a recording: how fast, and does memory stay flat?
 *
 * The file (64 MB, or as many as the first argument says: 1000 is the gigabyte of the books) lies
 * beside the build and is removed at the end, as is the recording. Memory is looked at whenever the
 * import tells how far it is: what is resident after a tenth of the file is compared with the most
 * there ever is after it.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/ts-capture-session.h"

#include "itm-mixture.h"

#define N_MB 64
#define PORTION (4 * 1024 * 1024)
#define CLOCK_HZ 168000000
#define GROWTH_MB 20

/* ---- memory ---- */

/** Resident memory on the way, in MB. */
typedef struct
{
  double early;
  double late;
  double last_told;
} Memory;

static double
get_resident_mb (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, "VmRSS:");
  return line != NULL ? (double) g_ascii_strtoll (line + 6, NULL, 10) / 1024.0 : 0;
}

static void
look (double fraction, gpointer user_data)
{
  Memory *memory = user_data;
  double now = get_resident_mb ();

  if (fraction < 0.1)
    memory->early = MAX (memory->early, now);
  else
    memory->late = MAX (memory->late, now);
  if (fraction - memory->last_told >= 0.1)
    {
      memory->last_told = fraction;
      g_debug ("%3.0f %%: %.1f MB", fraction * 100, now);
    }
}

/* ---- the file ---- */

static void
write_file (const char *path, guint64 n_bytes)
{
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (PORTION + 64);
  ItmMixture mixture = { 0 };
  FILE *file = g_fopen (path, "wb");
  guint64 n_written = 0;

  g_assert_nonnull (file);
  while (n_written < n_bytes)
    {
      g_byte_array_set_size (bytes, 0);
      itm_mixture_append (&mixture, bytes, PORTION);
      g_assert_cmpuint (fwrite (bytes->data, 1, bytes->len, file), ==, bytes->len);
      n_written += bytes->len;
    }
  g_assert_cmpint (fclose (file), ==, 0);
}

static guint64
get_size (const char *path)
{
  GStatBuf status;

  g_assert_cmpint (g_stat (path, &status), ==, 0);
  return (guint64) status.st_size;
}

int
main (int argc, char **argv)
{
  guint64 n_mb = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : N_MB;
  const char *paths[] = { "bench-swo.swo", NULL };
  const char *output = "bench-swo.vadb";
  TsRecordingSummary summary = { 0 };
  g_autoptr (GError) error = NULL;
  Memory memory = { 0 };
  gint64 begin_us;
  double seconds;
  double n_bytes;

  write_file (paths[0], n_mb * 1000000);
  n_bytes = (double) get_size (paths[0]);
  begin_us = g_get_monotonic_time ();
  if (!ts_import_files (paths, "itm", CLOCK_HZ, FALSE, output, look, &memory, NULL, &summary, NULL,
                        &error))
    g_error ("%s", error->message);
  seconds = (double) (g_get_monotonic_time () - begin_us) / 1e6;

  printf ("swo, a file to a recording\t%.1f\tMB/s\t\t%.0f MB, %.2f M events, %.1f s\n",
          n_bytes / 1e6 / seconds, n_bytes / 1e6, (double) summary.events / 1e6, seconds);
  printf ("swo, memory after a tenth\t%.1f\tMB\n", memory.early);
  printf ("swo, growth from there to the end\t%.1f\tMB\t<= %d\t%.1f MB at most\n",
          MAX (memory.late - memory.early, 0), GROWTH_MB, memory.late);
  printf ("swo, bytes of the recording\t%.2f\tper event\t\t%.2f times the file\n",
          (double) get_size (output) / (double) summary.events,
          (double) get_size (output) / n_bytes);

  ts_recording_summary_clear (&summary);
  g_unlink (paths[0]);
  g_unlink (output);
  return 0;
}
