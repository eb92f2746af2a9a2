/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-run.c: finds the trace runs of a folder and converts them. */
#define G_LOG_DOMAIN "ts-capture"

#include "config.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "ts-ctrace-output-private.h"
#include "ts-ctrace-run.h"

#define CHUNK 65536
#define MAX_CONFIG (16 * 1024 * 1024)
#define FRAME 16

/**
 * Run:
 * @set: name of the solution set at work
 * @lanes: (element-type TsCtraceLane): streams of the CTF bundles of the set
 */
typedef struct
{
  const TsCtraceRunOptions *options;
  TsCtraceOptions convert;
  const char *output;
  const char *set;
  GPtrArray *lanes;
  gboolean has_failed;

  GString *csv;
  TsCtraceCtf *ctf;
} Run;

static void
diagnose (TsCtraceLevel level,
          const char *message,
          gpointer user_data)
{
  Run *run = user_data;

  run->has_failed |= level == TS_CTRACE_FAILURE;
  if (run->options->func != NULL)
    run->options->func (level, message, run->options->user_data);
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

/* Regular files, and where captures are meant FIFOs: a program that captures may still write. */
static gboolean
is_file (const char *path,
         gboolean is_capture)
{
  GStatBuf status;

  return g_stat (path, &status) == 0
         && (S_ISREG (status.st_mode) || (is_capture && S_ISFIFO (status.st_mode)));
}

/* Names of files in the folder with the given beginning and end, in byte order. */
static GPtrArray *
list_files (const char *folder,
            const char *prefix,
            const char *suffix,
            gboolean is_capture)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (strlen (name) > strlen (suffix) && g_str_has_suffix (name, suffix)
          && g_str_has_prefix (name, prefix) && is_file (path, is_capture))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_sort (names, compare_names);
  return names;
}

/**
 * ts_ctrace_is_target:
 * @name: a word
 *
 * Thread: any
 * Source: ctrace.md section 2
 *
 * Returns: whether it can be the name of a solution set: a plain file name everywhere
 */
gboolean
ts_ctrace_is_target (const char *name)
{
  static const char *const devices[] = { "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", NULL };
  gsize n = strlen (name);
  g_autofree char *stem = g_ascii_strup (name, (gssize) strcspn (name, "."));

  if (n == 0 || strcmp (name, ".") == 0 || strcmp (name, "..") == 0 || name[n - 1] == '.'
      || name[n - 1] == ' ')
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if ((guchar) name[i] < 0x20 || name[i] == 0x7F || strchr ("<>:\"/\\|?*", name[i]) != NULL)
      return FALSE;
  if (strlen (stem) == 4 && (g_str_has_prefix (stem, "COM") || g_str_has_prefix (stem, "LPT"))
      && stem[3] >= '1' && stem[3] <= '9')
    return FALSE;
  return !g_strv_contains (devices, stem);
}

/* ---- what belongs to a configuration ---- */

/**
 * ts_ctrace_load:
 * @path: a configuration
 * @func: (nullable): takes messages that it carries
 * @user_data: for @func
 * @error: return location
 *
 * Thread: any
 * Errors: %TS_CTRACE_ERROR_CONFIG; %G_FILE_ERROR
 *
 * Returns: (transfer full): it, or %NULL with @error set
 */
TsCtraceConfig *
ts_ctrace_load (const char *path,
                TsCtraceDiagnosticFunc func,
                gpointer user_data,
                GError **error)
{
  g_autofree char *text = NULL;
  GStatBuf info;
  gsize n_text;

  if (g_stat (path, &info) == 0 && info.st_size > MAX_CONFIG)
    {
      g_set_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG,
                   _("“%s” is too large for a configuration"), path);
      return NULL;
    }
  if (!g_file_get_contents (path, &text, &n_text, error))
    return NULL;
  return ts_ctrace_config_new (path, text, n_text, func, user_data, error);
}

static void
input_free (gpointer data)
{
  TsCtraceInput *input = data;

  g_free (input->path);
  g_free (input->channel);
  g_free (input);
}

/* Whether the channel of a raw file is one that is decoded. Source: ctrace.md section 2 */
static gboolean
is_channel (const char *channel,
            guint generation,
            TsCtraceFormat format)
{
  gboolean is_swo = strcmp (channel, "SWO") == 0;
  gboolean is_buffer = strcmp (channel, "TB") == 0
                       || (g_str_has_prefix (channel, "TB_") && channel[3] != '\0');

  if (generation == 1 || (generation == 2 && format == TS_CTRACE_FORMAT_UNSET))
    return is_swo;
  return is_swo || is_buffer;
}

/**
 * ts_ctrace_find_inputs:
 * @path: of the configuration
 * @config: it
 * @generation: 1, 2 or 3
 * @func: (nullable): told of captures that are passed over
 * @user_data: for @func
 *
 * Thread: any
 * Source: ctrace.md section 2
 *
 * Returns: (transfer full) (element-type TsCtraceInput): captures beside the configuration, in
 *   byte order
 */
GPtrArray *
ts_ctrace_find_inputs (const char *path,
                       TsCtraceConfig *config,
                       guint generation,
                       TsCtraceDiagnosticFunc func,
                       gpointer user_data)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (input_free);
  TsCtraceFormat format = ts_ctrace_config_get_format (config);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *set = g_strndup (base, strlen (base) - strlen (TS_CTRACE_RUN_SUFFIX));
  g_autofree char *prefix = g_strconcat (set, ".", NULL);
  g_autoptr (GPtrArray) names = list_files (folder, prefix, ".raw", TRUE);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      gsize n_channel = strlen (name) - MIN (strlen (name), strlen (prefix) + strlen (".raw"));
      g_autofree char *channel = g_strndup (name + strlen (prefix), n_channel);
      TsCtraceInput *input;

      if (*channel == '\0' || strchr (channel, '.') != NULL)
        continue;
      if (!is_channel (channel, generation, format))
        {
          g_autofree char *message = g_strdup_printf (_("“%s” is not decoded"), name);

          if (func != NULL)
            func (TS_CTRACE_WARNING, message, user_data);
          continue;
        }
      input = g_new0 (TsCtraceInput, 1);
      input->path = g_build_filename (folder, name, NULL);
      input->channel = g_steal_pointer (&channel);
      input->is_formatted = format == TS_CTRACE_FORMAT_FORMATTED
                            || (format == TS_CTRACE_FORMAT_UNSET
                                && g_str_has_prefix (input->channel, "TB"));
      g_ptr_array_add (inputs, input);
    }
  return inputs;
}

/* ---- one input ---- */

static void
take_event (const TsCtraceEvent *event,
            gpointer user_data)
{
  Run *run = user_data;

  if (run->options->wants_csv)
    ts_ctrace_csv_append (run->csv, event, &run->convert);
  if (run->ctf != NULL)
    _ts_ctrace_ctf_add (run->ctf, event);
}

static gboolean
write_csv (Run *run,
           FILE *file,
           const char *path)
{
  if (file != NULL && run->csv->len > 0
      && (fwrite (run->csv->str, 1, run->csv->len, file) != run->csv->len || fflush (file) != 0))
    {
      report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
      return FALSE;
    }
  g_string_truncate (run->csv, 0);
  return TRUE;
}

/* Reads all of the input. FALSE: it could not be read or its rows not be written, as was told. */
static gboolean
read_input (Run *run,
            TsCtrace *ctrace,
            const char *input,
            FILE *file,
            const char *path,
            guint64 *n_bytes)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  int fd = open (input, O_RDONLY | O_CLOEXEC);
  gssize n = -1;

  while (fd >= 0)
    {
      n = read (fd, buffer, CHUNK);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      *n_bytes += (guint64) n;
      ts_ctrace_push (ctrace, buffer, (gsize) n);
      if (!write_csv (run, file, path))
        {
          close (fd);
          return FALSE;
        }
    }
  if (n < 0)
    report (run, TS_CTRACE_FAILURE, _("cannot read “%s”: %s"), input, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return n == 0;
}

/* FALSE: fatal, the outputs are not whole. */
static gboolean
convert (Run *run,
         TsCtrace *ctrace,
         const char *input,
         FILE *file,
         const char *path)
{
  gint64 begin_us = g_get_monotonic_time ();
  guint64 n_bytes = 0;
  gboolean is_ok = read_input (run, ctrace, input, file, path, &n_bytes);
  double seconds;

  ts_ctrace_finish (ctrace);
  if (is_ok && run->convert.is_formatted && n_bytes % FRAME != 0)
    {
      report (run, TS_CTRACE_FAILURE,
              _("the size of “%s” is not a multiple of 16: it is cut, or no formatter frames"),
              input);
      is_ok = FALSE;
    }
  if (!is_ok)
    ts_ctrace_abort (ctrace);
  is_ok = write_csv (run, file, path) && is_ok;
  seconds = (double) (g_get_monotonic_time () - begin_us) / 1e6;
  report (run, TS_CTRACE_INFO,
          _("decoded %" PRIu64 " events from %" PRIu64
            " bytes in %.3f s (%.2f MiB/s)"),
          ts_ctrace_get_n_events (ctrace), n_bytes, seconds,
          seconds > 0 ? (double) n_bytes / 1048576.0 / seconds : 0.0);
  return is_ok;
}

/* Opens the CSV; NULL after telling why not. */
static FILE *
open_csv (Run *run,
          const char *path)
{
  FILE *file = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    report (run, TS_CTRACE_FAILURE, _("“%s” is in the way of the output"), path);
  else if ((file = g_fopen (path, "wbe")) == NULL)
    report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
  return file;
}

/* One raw file of a set. */
static void
run_input (Run *run,
           TsCtraceConfig *config,
           const TsCtraceInput *input)
{
  g_autofree char *csv_name = g_strdup_printf ("%s.%s.csv", run->set, input->channel);
  g_autofree char *ctf_name = run->convert.generation < 3
                                  ? g_strdup_printf ("%s.ctf", run->set)
                                  : g_strdup_printf ("%s.%s.ctf", run->set, input->channel);
  g_autofree char *path = g_build_filename (run->output, csv_name, NULL);
  g_autofree char *bundle = g_build_filename (run->output, ctf_name, NULL);
  g_autoptr (TsCtrace) ctrace = NULL;
  FILE *file = NULL;
  gboolean is_ok;

  run->convert.is_formatted = input->is_formatted;
  if (run->options->wants_csv && (file = open_csv (run, path)) == NULL)
    return;
  if (run->options->wants_ctf)
    run->ctf = _ts_ctrace_ctf_new (config, &run->convert, input->channel, bundle, diagnose, run);
  g_string_assign (run->csv, run->options->wants_csv
                                 ? ts_ctrace_csv_header (run->convert.generation)
                                 : "");
  ctrace = ts_ctrace_new (config, &run->convert, take_event, diagnose, run);
  is_ok = convert (run, ctrace, input->path, file, path);
  if (file != NULL && fclose (file) != 0 && is_ok)
    {
      report (run, TS_CTRACE_FAILURE, _("cannot write “%s”: %s"), path, g_strerror (errno));
      is_ok = FALSE;
    }
  if (file != NULL && !is_ok && run->convert.generation < 3)
    (void) g_unlink (path);
  if (is_ok && run->ctf != NULL)
    _ts_ctrace_ctf_finish (run->ctf, run->lanes);
  g_clear_pointer (&run->ctf, _ts_ctrace_ctf_free);
}

/* ---- one set ---- */

static gboolean
has_several_clocks (GPtrArray *lanes)
{
  for (guint i = 1; i < lanes->len; i++)
    if (strcmp (((TsCtraceLane *) g_ptr_array_index (lanes, 0))->clock,
                ((TsCtraceLane *) g_ptr_array_index (lanes, i))->clock)
        != 0)
      return TRUE;
  return FALSE;
}

/* The analysis of what was written. Source: ctrace.md section 9 */
static void
write_xml (Run *run)
{
  const TsCtraceLane *first = run->lanes->len > 0 ? g_ptr_array_index (run->lanes, 0) : NULL;
  g_autofree char *text = NULL;
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  if (first == NULL)
    return;
  name = run->convert.generation < 3
             ? g_strdup_printf ("%s.%s.traceanalysis.xml", run->set, first->channel)
             : g_strdup_printf ("%s.traceanalysis.xml", run->set);
  path = g_build_filename (run->output, name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      report (run, TS_CTRACE_FAILURE, _("“%s” is in the way of the output"), path);
      return;
    }
  if (run->convert.generation < 3 && has_several_clocks (run->lanes))
    report (run, TS_CTRACE_WARNING,
            _("the streams have several clocks: no analysis for Trace Compass is written: set=%s"),
            run->set);
  else
    text = _ts_ctrace_xml_dup (run->convert.generation, run->set, run->lanes);
  if (text == NULL)
    (void) g_unlink (path);
  else if (!g_file_set_contents (path, text, -1, &error))
    diagnose (TS_CTRACE_FAILURE, error->message, run);
}

static void
run_set (Run *run,
         const char *folder,
         const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *set = g_strndup (name, strlen (name) - strlen (TS_CTRACE_RUN_SUFFIX));
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) lanes = g_ptr_array_new_with_free_func (_ts_ctrace_lane_free);
  g_autoptr (TsCtraceConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  config = ts_ctrace_load (path, diagnose, run, &error);
  if (config == NULL)
    {
      diagnose (TS_CTRACE_FAILURE, error->message, run);
      return;
    }
  run->set = set;
  run->lanes = lanes;
  inputs = ts_ctrace_find_inputs (path, config, run->convert.generation, diagnose, run);
  if (inputs->len == 0)
    report (run, TS_CTRACE_FAILURE, _("there is no capture for “%s”: expected “%s.SWO.raw”"), name,
            set);
  else if (inputs->len > 1 && run->convert.generation == 2)
    report (run, TS_CTRACE_FAILURE,
            _("there are %u captures for “%s”: expected one of SWO, TB and TB_NAME"), inputs->len,
            name);
  else
    for (guint i = 0; i < inputs->len; i++)
      run_input (run, config, g_ptr_array_index (inputs, i));
  if (run->options->wants_ctf)
    write_xml (run);
}

/**
 * ts_ctrace_run:
 * @folder: a folder with trace runs
 * @options: what to do with them
 *
 * Converts the trace runs of a folder. What goes wrong is told, and the others go on.
 *
 * Thread: any; takes as long as it takes
 * Source: ctrace.md sections 1 and 2
 *
 * Returns: whether nothing failed
 */
gboolean
ts_ctrace_run (const char *folder,
               const TsCtraceRunOptions *options)
{
  g_autoptr (GPtrArray) names = list_files (folder, "", TS_CTRACE_RUN_SUFFIX, FALSE);
  g_autoptr (GString) csv = g_string_new (NULL);
  Run run = { .options = options, .convert = options->convert, .csv = csv,
              .output = options->output != NULL ? options->output : folder };
  guint n_sets = 0;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      gsize n = strlen (name) - strlen (TS_CTRACE_RUN_SUFFIX);

      if (options->target != NULL
          && (strlen (options->target) != n || strncmp (options->target, name, n) != 0))
        continue;
      run_set (&run, folder, name);
      n_sets++;
    }
  if (n_sets == 0)
    report (&run, TS_CTRACE_FAILURE, _("there is no %s%s in “%s”"),
            options->target != NULL ? options->target : "*", TS_CTRACE_RUN_SUFFIX, folder);
  return !run.has_failed;
}
