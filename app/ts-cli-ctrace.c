/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-ctrace.c: the trace runs of a directory as CSV, CTF and XML, as the program ctrace does it. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capture/ts-ctrace-run.h"

#include "ts-cli.h"

/* One run of the verb. */
typedef struct
{
  TsCtraceRunOptions options;
  GPtrArray *types;
} Run;

static void
diagnose (TsCtraceLevel level,
          const char *message,
          gpointer user_data)
{
  static const char *const words[] = { "info", "warning", "error", "error" };

  ts_cli_remark ("[%s] %s", words[level], message);
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
      g_array_append_val (run->options.convert.streams, stream);
    }
  if (run->types->len > 0)
    {
      g_ptr_array_add (run->types, NULL);
      run->options.convert.types = (const char *const *) run->types->pdata;
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
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND
 * Source: ctrace.md sections 1 and 2; events.md section 4
 *
 * Returns: 0, or 1 if anything failed
 */
int
ts_cli_ctrace (TsCliArgs *args,
               GError **error)
{
  const char *target = ts_cli_args_get (args, "target");
  gboolean wants_all = ts_cli_args_has (args, "all");
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  g_autoptr (GArray) streams = g_array_new (FALSE, FALSE, sizeof (guint));
  Run run = { .types = types, .options = { .convert = { .streams = streams }, .func = diagnose } };
  const char *folder;
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
  folder = ts_cli_args_get_positional (args, 0);
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND,
                   _("There is no directory “%s”."), folder);
      return 1;
    }
  if (target != NULL && !ts_ctrace_is_target (target))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("“%s” cannot be the name of a solution set."), target);
      return 1;
    }
  run.options.output = ts_cli_args_get (args, "output-dir");
  run.options.target = target;
  run.options.wants_csv = wants_all || ts_cli_args_has (args, "csv");
  run.options.wants_ctf = wants_all || ts_cli_args_has (args, "ctf");
  run.options.convert.generation = (guint) generation;
  run.options.convert.is_verbose = ts_cli_args_has (args, "verbose");
  return ts_ctrace_run (folder, &run.options) ? 0 : 1;
}
