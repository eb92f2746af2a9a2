/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.c: runs a fuzz target over files: the arguments, or all files in a folder among them.
 *
 * So the inputs that were found once are tests for ever, with any compiler. Each input is also
 * tried cut at every byte, and with every byte inverted in turn; of a large one, as the time grows
 * with the square, at every few bytes.
 */
#include "config.h"

#include <gio/gio.h>

#include "fuzz-target.h"

/* Bytes of an input that is tried at every one of them. */
#define SMALL 1500

static void
replay_file (const char *path)
{
  g_autofree char *bytes = NULL;
  g_autofree guint8 *copy = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;
  gsize step;

  g_file_get_contents (path, &bytes, &n, &error);
  g_assert_no_error (error);
  LLVMFuzzerTestOneInput ((const uint8_t *) bytes, n);
  step = 1 + n / SMALL;
  for (gsize cut = 0; cut < n; cut += step)
    {
      copy = g_memdup2 (bytes, cut + 1); /* of exactly that size, for the sanitizer */
      LLVMFuzzerTestOneInput (copy, cut);
      g_clear_pointer (&copy, g_free);
    }
  copy = g_memdup2 (bytes, n);
  for (gsize at = 0; at < n; at += step)
    {
      copy[at] ^= 0xFF;
      LLVMFuzzerTestOneInput (copy, n);
      copy[at] ^= 0xFF;
    }
}

static guint
replay (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL)
    {
      replay_file (path);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      n += replay (file);
    }
  return n;
}

int
main (int argc, char **argv)
{
  guint n = 0;

  g_print ("TAP version 13\n1..1\n");
  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_assert_cmpuint (n, >, 0);
  g_print ("ok 1 %u inputs\n", n);
  return 0;
}
