/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-ctrace.c: the trace runs of a directory as CSV, as the program ctrace does it. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/ts-ctrace.h"

#include "ts-cli.h"

#define SUFFIX ".ctrace-run.yml"
#define CHUNK 65536
#define MAX_CONFIG (16 * 1024 * 1024)

/* One run of the verb. */
typedef struct
{
  const char *folder;
  const char *output;
  gboolean wants_csv;
  TsCtraceOptions options;
  GPtrArray *types;
  gboolean has_failed;
} Run;

static void
diagnose (TsCtraceLevel level,
          const char *message,
          gpointer user_data)
{
  static const char *const words[] = { "info", "warning", "error", "error" };
  Run *run = user_data;

  ts_cli_remark ("[%s] %s", words[level], message);
  run->has_failed |= level == TS_CTRACE_FAILURE;
}

static void G_GNUC_PRINTF (3, 4)
report (Run *run,
        TsCtraceLevel level,
        const char *format,
        ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  diagnose (level, message, run);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Names of regular files in the folder with the given beginning and end, in byte order. */
static GPtrArray *
list_files (const char *folder,
            const char *prefix,
            const char *suffix)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (strlen (name) > strlen (suffix) && g_str_has_suffix (name, suffix)
          && g_str_has_prefix (name, prefix) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* A plain file name. Source: ctrace.md section 2 */
static gboolean
is_target_name (const char *name)
{
  static const char *const devices[] = { "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", NULL };
  gsize n = strlen (name);
  g_autofree char *stem = g_ascii_strup (name, (gssize) strcspn (name, "."));

  if (n == 0 || strcmp (name, ".") == 0 || strcmp (name, "..") == 0 || name[n - 1] == '.'
      || name[n - 1] == ' ')
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if ((guchar) name[i] < 0x20 || strchr ("<>:\"/\\|?*", name[i]) != NULL)
      return FALSE;
  if (strlen (stem) == 4 && (g_str_has_prefix (stem, "COM") || g_str_has_prefix (stem, "LPT"))
      && stem[3] >= '1' && stem[3] <= '9')
    return FALSE;
  return !g_strv_contains (devices, stem);
}

/* ---- one input ---- */

static gboolean
write_csv (Run *run,
           FILE *file,
           TsCtrace *ctrace,
           const char *path)
{
  GString *csv = ts_ctrace_get_csv (ctrace);

  if (file != NULL && csv->len > 0 && fwrite (csv->str, 1, csv->len, file) != csv->len)
    {
      report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
      return FALSE;
    }
  g_string_truncate (csv, 0);
  return TRUE;
}

static gboolean
convert (Run *run,
         TsCtrace *ctrace,
         const char *input,
         FILE *file,
         const char *path)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  gint64 begin_us = g_get_monotonic_time ();
  int fd = open (input, O_RDONLY | O_CLOEXEC);
  guint64 n_bytes = 0;
  double seconds;
  gboolean is_ok = fd >= 0;

  while (is_ok)
    {
      gssize n = read (fd, buffer, CHUNK);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          is_ok = n == 0;
          break;
        }
      n_bytes += (guint64) n;
      ts_ctrace_push (ctrace, buffer, (gsize) n);
      is_ok = write_csv (run, file, ctrace, path);
      if (!is_ok)
        {
          close (fd);
          return FALSE;
        }
    }
  if (!is_ok)
    report (run, TS_CTRACE_FAILURE, _("cannot read “%s”: %s"), input, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  ts_ctrace_finish (ctrace);
  is_ok &= write_csv (run, file, ctrace, path);
  if (run->options.is_formatted && n_bytes % 16 != 0)
    report (run, TS_CTRACE_FAILURE,
            _("the size of “%s” is not a multiple of 16: it is cut, or no formatter frames"), input);
  seconds = (double) (g_get_monotonic_time () - begin_us) / 1e6;
  report (run, TS_CTRACE_INFO,
          _("decoded %" G_GUINT64_FORMAT " events from %" G_GUINT64_FORMAT
            " bytes in %.3f s (%.2f MiB/s)"),
          ts_ctrace_get_n_events (ctrace), n_bytes, seconds,
          seconds > 0 ? (double) n_bytes / 1048576.0 / seconds : 0.0);
  return is_ok;
}

/* One raw file of a set. */
static void
run_input (Run *run,
           TsCtraceConfig *config,
           const char *name)
{
  g_autofree char *input = g_build_filename (run->folder, name, NULL);
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".raw"));
  g_autofree char *csv_name = g_strconcat (stem, ".csv", NULL);
  g_autofree char *path = g_build_filename (run->output, csv_name, NULL);
  g_autoptr (TsCtrace) ctrace = NULL;
  FILE *file = NULL;
  gboolean is_ok;

  if (run->wants_csv && g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      report (run, TS_CTRACE_FAILURE, _("“%s” is in the way of the output"), path);
      return;
    }
  if (run->wants_csv && (file = g_fopen (path, "wbe")) == NULL)
    {
      report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
      return;
    }
  ctrace = ts_ctrace_new (config, &run->options, diagnose, run);
  is_ok = convert (run, ctrace, input, file, path);
  if (file != NULL && fclose (file) != 0 && is_ok)
    {
      report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
      is_ok = FALSE;
    }
  if (file != NULL && !is_ok && run->options.generation < 3)
    (void) g_unlink (path);
}

/* ---- one set ---- */

/* Whether the channel of a raw file is one that is decoded. Source: ctrace.md section 2 */
static gboolean
is_channel (Run *run,
            const char *channel,
            TsCtraceFormat format)
{
  gboolean is_swo = strcmp (channel, "SWO") == 0;
  gboolean is_buffer = strcmp (channel, "TB") == 0 || g_str_has_prefix (channel, "TB_");

  if (run->options.generation == 1 || (run->options.generation == 2
                                       && format == TS_CTRACE_FORMAT_UNSET))
    return is_swo;
  return is_swo || is_buffer;
}

static void
run_set (Run *run,
         const char *name)
{
  g_autofree char *path = g_build_filename (run->folder, name, NULL);
  g_autofree char *set = g_strndup (name, strlen (name) - strlen (SUFFIX));
  g_autofree char *prefix = g_strconcat (set, ".", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (TsCtraceConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  guint n_inputs = 0;
  GStatBuf info;
  gsize n_text;

  if (g_stat (path, &info) == 0 && info.st_size > MAX_CONFIG)
    {
      report (run, TS_CTRACE_FAILURE, _("“%s” is too large for a configuration"), path);
      return;
    }
  if (!g_file_get_contents (path, &text, &n_text, &error))
    {
      diagnose (TS_CTRACE_FAILURE, error->message, run);
      return;
    }
  config = ts_ctrace_config_new (path, text, n_text, diagnose, run, &error);
  if (config == NULL)
    {
      diagnose (TS_CTRACE_FAILURE, error->message, run);
      return;
    }

  inputs = list_files (run->folder, prefix, ".raw");
  for (guint i = 0; i < inputs->len; i++)
    {
      const char *input = g_ptr_array_index (inputs, i);
      gsize n_channel = strlen (input) - strlen (prefix) - strlen (".raw");
      g_autofree char *channel = g_strndup (input + strlen (prefix), n_channel);
      TsCtraceFormat format = ts_ctrace_config_get_format (config);

      if (strchr (channel, '.') != NULL)
        continue;
      if (!is_channel (run, channel, format))
        {
          report (run, TS_CTRACE_WARNING, _("“%s” is not decoded"), input);
          continue;
        }
      run->options.is_formatted
          = format == TS_CTRACE_FORMAT_FORMATTED
            || (format == TS_CTRACE_FORMAT_UNSET && g_str_has_prefix (channel, "TB"));
      run_input (run, config, input);
      n_inputs++;
    }
  if (n_inputs == 0)
    report (run, TS_CTRACE_FAILURE, _("there is no capture for “%s”: expected “%sSWO.raw”"), name,
            prefix);
}

/* ---- arguments ---- */

/* Words behind --type and --stream. Source: ctrace.md section 1 */
static gboolean
read_filters (TsCliArgs *args,
              Run *run,
              GError **error)
{
  for (guint i = 0; i < args->flags->len + args->positional->len; i++)
    {
      const TsCliFlag *flag = i < args->flags->len ? &g_array_index (args->flags, TsCliFlag, i)
                                                   : NULL;
      const char *word = flag != NULL ? flag->value
                                      : g_ptr_array_index (args->positional, i - args->flags->len);
      guint64 number;
      guint stream;

      if (flag != NULL && strcmp (flag->name, "type") != 0 && strcmp (flag->name, "stream") != 0)
        continue;
      if (word == NULL || (flag == NULL && i == args->flags->len))
        continue;
      if (ts_ctrace_is_type (word))
        {
          g_ptr_array_add (run->types, (gpointer) word);
          continue;
        }
      if (!g_ascii_string_to_unsigned (word, 10, 0, TS_CTRACE_LAST_STREAM, &number, NULL))
        {
          g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                       _("“%s” is neither a type of events nor a stream from 0 to 111."), word);
          return FALSE;
        }
      stream = (guint) number;
      g_array_append_val (run->options.streams, stream);
    }
  if (run->types->len > 0)
    {
      g_ptr_array_add (run->types, NULL);
      run->options.types = (const char *const *) run->types->pdata;
    }
  return TRUE;
}

/**
 * ts_cli_ctrace:
 * @args: arguments
 * @error: return location
 *
 * Converts all trace runs of a directory. Diagnostics go to standard error, one line each.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND, %TS_CLI_ERROR_UNSUPPORTED
 * Source: ctrace.md sections 1 and 2; events.md section 4
 *
 * Returns: 0, or 1 if anything failed
 */
int
ts_cli_ctrace (TsCliArgs *args,
               GError **error)
{
  const char *target = ts_cli_args_get (args, "target");
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  g_autoptr (GArray) streams = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) names = NULL;
  Run run = { .types = types, .options = { .streams = streams } };
  gint64 generation;

  if (args->positional->len == 0)
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“ctrace” needs a directory."));
      return 1;
    }
  if (!ts_cli_args_get_int (args, "generation", 1, 3, 3, &generation, error)
      || !read_filters (args, &run, error))
    return 1;
  if (ts_cli_args_has (args, "ctf") || ts_cli_args_has (args, "all"))
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_UNSUPPORTED,
                           _("This version writes trace runs as CSV only: use --csv."));
      return 1;
    }
  run.folder = ts_cli_args_get_positional (args, 0);
  run.output = ts_cli_args_get (args, "output-dir");
  run.wants_csv = ts_cli_args_has (args, "csv");
  run.options.generation = (guint) generation;
  if (!g_file_test (run.folder, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND,
                   _("There is no directory “%s”."), run.folder);
      return 1;
    }
  if (run.output == NULL)
    run.output = run.folder;
  if (target != NULL && !is_target_name (target))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” cannot be the name of a solution set."), target);
      return 1;
    }
  names = list_files (run.folder, "", SUFFIX);
  for (guint i = 0; target != NULL && i < names->len;)
    {
      g_autofree char *wanted = g_strconcat (target, SUFFIX, NULL);

      if (strcmp (g_ptr_array_index (names, i), wanted) == 0)
        i++;
      else
        g_ptr_array_remove_index (names, i);
    }
  if (names->len == 0)
    report (&run, TS_CTRACE_FAILURE, _("there is no %s%s in “%s”"), target != NULL ? target : "*",
            SUFFIX, run.folder);
  for (guint i = 0; i < names->len; i++)
    run_set (&run, g_ptr_array_index (names, i));
  return run.has_failed ? 1 : 0;
}
