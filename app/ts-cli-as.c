/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-as.c: the form of an answer: `--as`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>

#include "ts-cli.h"

/**
 * ts_cli_as_check:
 * @args: arguments
 * @verb: verb of the query
 * @error: return location
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS for a form that does not exist, or not for this query
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_as_check (TsCliArgs *args,
                 const char *verb,
                 GError **error)
{
  static const char *const forms[] = { "json", "ndjson", "table", "md", "html", "junit", NULL };
  const char *form = ts_cli_args_get (args, "as");

  if (form == NULL)
    return TRUE;
  if (!g_strv_contains (forms, form))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--as is “%s”; it can be json, ndjson or table, and for compare md, html or "
                     "junit."),
                   form);
      return FALSE;
    }
  if (!g_str_equal (verb, "compare")
      && (g_str_equal (form, "md") || g_str_equal (form, "html") || g_str_equal (form, "junit")))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("--as %s is a report of “compare”, not of “%s”."), form, verb);
      return FALSE;
    }
  return TRUE;
}

/**
 * ts_cli_as_print:
 * @args: arguments
 * @answer: (transfer none): answer of a query
 * @recording: what it is about
 *
 * Prints an answer in the form that --as tells: one JSON object, its rows as lines of JSON or as a
 * table, or a report.
 */
void
ts_cli_as_print (TsCliArgs *args,
                 JsonObject *answer,
                 TsRecording *recording)
{
  const char *form = ts_cli_args_get (args, "as");

  if (form == NULL || g_str_equal (form, "json"))
    ts_cli_envelope_print (args, answer);
  else if (g_str_equal (form, "ndjson"))
    ts_cli_rows_print (answer, FALSE);
  else if (g_str_equal (form, "table"))
    ts_cli_rows_print (answer, TRUE);
  else if (g_str_equal (form, "md"))
    ts_cli_report_print_md (answer, recording);
  else if (g_str_equal (form, "html"))
    ts_cli_report_print_html (answer, recording);
  else
    ts_cli_report_print_junit (answer);
}
