/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-completion.c: completion of the command line in a shell, out of the table of verbs and
 * flags: `completion`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ts-cli.h"

/* Values of flags that have a few; a flag that is not here takes a file or a number. */
static const struct
{
  const char *flags; /* as a pattern of the shell */
  const char *values;
} known_values[] = {
  { "--to", "vadb csv perfetto ctf png svg pdf" },
  { "--tier", "summary bucketed raw" },
  { "--budget", "low med high" },
  { "--as", "ndjson table md html junit" },
  { "--kind", "cpu-load stack heap event-rate task-timing interval" },
  { "--metric", "exec period" },
  { "--sync", "strict aligned auto" },
  { "--ring", "linear ring" },
  { "--shape", "demo mixed" },
  { "--arch", "v6m v7m v8m" },
  { "--dwt-path", "auto poll swo" },
  { "--dwt-counters", "cpi exc sleep lsu fold cyc" },
  { "--itm-timestamps", "off 1 4 16 64" },
  { "--file-pace", "whole recorded" },
  { "--sections", "summary tasks traces timers comms health" },
  { "--format|--file-format", "auto va va-cobs va-udprec va-itm va-tpiu itm tpiu snapshot" },
};

static void
append_flags (GString *script,
              const char *verb)
{
  g_auto (GStrv) flags = ts_cli_flag_list_for (verb);

  g_string_append_printf (script, "    %s) flags=\"", verb);
  for (gsize i = 0; flags[i] != NULL; i++)
    g_string_append_printf (script, "%s--%s", i > 0 ? " " : "", flags[i]);
  g_string_append (script, "\" ;;\n");
}

static void
append_verbs (GString *script)
{
  const TsCliVerb *verbs;
  guint n_verbs;

  verbs = ts_cli_list_verbs (&n_verbs);
  g_string_append (script, "  verbs=\"");
  for (guint i = 0; i < n_verbs; i++)
    if (verbs[i].run != NULL)
      g_string_append_printf (script, "%s%s", i > 0 ? " " : "", verbs[i].name);
  g_string_append (script, "\"\n  case $verb in\n");
  for (guint i = 0; i < n_verbs; i++)
    if (verbs[i].run != NULL)
      append_flags (script, verbs[i].name);
  g_string_append (script, "  esac\n");
}

/* Source: bash(1), "Programmable Completion" */
static char *
make_bash (void)
{
  GString *script = g_string_new ("# bash completion of taskscope-cli; made by "
                                  "\"taskscope-cli completion bash\"\n"
                                  "_taskscope_cli ()\n"
                                  "{\n"
                                  "  local current=${COMP_WORDS[COMP_CWORD]} previous= verb= word\n"
                                  "  local verbs= flags= words= n=0 i\n"
                                  "  [ \"$COMP_CWORD\" -gt 0 ] && previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                                  "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                  "    word=${COMP_WORDS[i]}\n"
                                  "    case $word in\n"
                                  "      -*) ;;\n"
                                  "      *) if [ -z \"$verb\" ]; then verb=$word; else n=$((n + 1)); "
                                  "fi ;;\n"
                                  "    esac\n"
                                  "  done\n");
  g_autofree char *queries = g_strjoinv (" ", (char **) ts_cli_list_queries ());
  g_autofree char *transports = g_strjoinv (" ", (char **) ts_connection_list_transports ());

  append_verbs (script);
  g_string_append_printf (script, "  case $previous in\n    --transport) words=\"%s\" ;;\n",
                          transports);
  for (gsize i = 0; i < G_N_ELEMENTS (known_values); i++)
    g_string_append_printf (script, "    %s) words=\"%s\" ;;\n", known_values[i].flags,
                            known_values[i].values);
  g_string_append_printf (
      script,
      "  esac\n"
      "  if [ -n \"$words\" ]; then :\n"
      "  elif [ -z \"$verb\" ]; then words=\"$verbs --headless --version --help\"\n"
      "  elif [ \"${current#-}\" != \"$current\" ]; then words=$flags\n"
      "  elif [ \"$verb\" = query ] && [ \"$n\" = 0 ]; then words=\"%s\"\n"
      "  elif [ \"$verb\" = cache ] && [ \"$n\" = 0 ]; then words=\"list clear\"\n"
      "  elif [ \"$verb\" = license ] && [ \"$n\" = 0 ]; then words=\"get\"\n"
      "  elif [ \"$verb\" = completion ] && [ \"$n\" = 0 ]; then words=\"bash\"\n"
      "  fi\n"
      "  if [ -n \"$words\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _taskscope_cli taskscope-cli",
      queries);

  return g_string_free (script, FALSE);
}

/**
 * ts_cli_completion:
 * @args: arguments
 * @error: return location
 *
 * Prints a script that completes verbs, flags and values in a shell.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS
 *
 * Returns: exit status
 */
int
ts_cli_completion (TsCliArgs *args,
                   GError **error)
{
  const char *shell = ts_cli_args_get_positional (args, 0);
  g_autofree char *script = NULL;

  if (shell != NULL && !g_str_equal (shell, "bash"))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                   _("There is no completion for “%s”; there is one for bash."), shell);
      return 1;
    }
  script = make_bash ();
  ts_cli_print_line ("%s", script);
  return 0;
}
