/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-cli-completion.c: completion of the command line in a shell, out of the table of verbs and
 * flags: `completion`.
 *
 * bash and zsh run the same lines between a beginning and an end of their own; fish has another
 * grammar for the same choices.
 */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ts-cli.h"

/* Values of flags that have a few; a flag that is not here takes a file or a number. */
static const struct
{
  const char *flags; /* alternatives between bars */
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

static char *
join (const char *const *words)
{
  return g_strjoinv (" ", (char **) words);
}

static char *
join_verbs (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const TsCliVerb *verbs;
  guint n_verbs;

  verbs = ts_cli_list_verbs (&n_verbs);
  for (guint i = 0; i < n_verbs; i++)
    if (verbs[i].run != NULL)
      g_ptr_array_add (names, (gpointer) verbs[i].name);
  g_ptr_array_add (names, NULL);
  return join ((const char *const *) names->pdata);
}

/* The flags of a verb with their dashes; of %NULL: those of any verb that take a value. */
static char *
join_flags (const char *verb)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *text = g_string_new (NULL);
  const TsCliVerb *verbs;
  guint n_verbs;

  verbs = ts_cli_list_verbs (&n_verbs);
  for (guint v = 0; v < n_verbs; v++)
    {
      g_auto (GStrv) flags = NULL;

      if (verbs[v].run == NULL || (verb != NULL && !g_str_equal (verbs[v].name, verb)))
        continue;
      flags = ts_cli_flag_list_for (verbs[v].name);
      for (gsize i = 0; flags[i] != NULL; i++)
        if ((verb != NULL || ts_cli_flag_get_kind (flags[i]) == TS_CLI_FLAG_VALUE)
            && g_hash_table_add (seen, g_strdup (flags[i])))
          g_string_append_printf (text, "%s--%s", text->len > 0 ? " " : "", flags[i]);
    }
  return g_string_free (text, FALSE);
}

/* One choice: what the shell compares with, and the variable that is set then. */
static void
append_case (GString *script,
             gboolean is_fish,
             const char *patterns,
             const char *variable,
             const char *words)
{
  g_auto (GStrv) parts = g_strsplit (patterns, "|", -1);
  g_autofree char *spaced = g_strjoinv (" ", parts);

  if (is_fish)
    g_string_append_printf (script, "    case %s\n      set %s %s\n", spaced, variable, words);
  else
    g_string_append_printf (script, "    %s) %s=\"%s\" ;;\n", patterns, variable, words);
}

static void
append_values (GString *script,
               gboolean is_fish)
{
  g_autofree char *transports = join (ts_connection_list_transports ());

  append_case (script, is_fish, "--transport", "words", transports);
  for (gsize i = 0; i < G_N_ELEMENTS (known_values); i++)
    append_case (script, is_fish, known_values[i].flags, "words", known_values[i].values);
}

static void
append_verb_flags (GString *script,
                   gboolean is_fish)
{
  const TsCliVerb *verbs;
  guint n_verbs;

  verbs = ts_cli_list_verbs (&n_verbs);
  for (guint i = 0; i < n_verbs; i++)
    if (verbs[i].run != NULL)
      {
        g_autofree char *flags = join_flags (verbs[i].name);

        append_case (script, is_fish, verbs[i].name, "flags", flags);
      }
}

static void
append_verb_words (GString *script,
                   gboolean is_fish)
{
  g_autofree char *queries = join (ts_cli_list_queries ());

  append_case (script, is_fish, "query", "words", queries);
  append_case (script, is_fish, "cache", "words", "list clear");
  append_case (script, is_fish, "license", "words", "get activate validate deactivate");
  append_case (script, is_fish, "completion", "words", "bash zsh fish");
}

/* The common part for bash and zsh: from the words `line`, of which `current` is to be completed, to
 * `words`, empty for files. */
static void
append_choices (GString *script)
{
  g_autofree char *verbs = join_verbs ();
  g_autofree char *valued = join_flags (NULL);

  g_string_append_printf (script,
                          "  local verb= flags= words= n=0 word before= verbs=\"%s\"\n"
                          "  local valued=\" %s \"\n"
                          "  for word in \"${line[@]}\"; do\n"
                          "    case $valued in\n"
                          "      *\" $before \"*) before= ; continue ;;\n"
                          "    esac\n"
                          "    before=$word\n"
                          "    case $word in\n"
                          "      -*) ;;\n"
                          "      *) if [ -z \"$verb\" ]; then verb=$word; else n=$((n + 1)); fi ;;\n"
                          "    esac\n"
                          "  done\n"
                          "  case $before in\n",
                          verbs, valued);
  append_values (script, FALSE);
  g_string_append (script, "  esac\n  case $verb in\n");
  append_verb_flags (script, FALSE);
  g_string_append (script,
                   "  esac\n"
                   "  if [ -n \"$words\" ]; then :\n"
                   "  elif [ -n \"$before\" ] && [ \"${valued#* $before }\" != \"$valued\" ]; then :\n"
                   "  elif [ -z \"$verb\" ]; then words=\"$verbs --headless --version --help\"\n"
                   "  elif [ \"${current#-}\" != \"$current\" ]; then words=$flags\n"
                   "  elif [ \"$n\" = 0 ]; then\n"
                   "    case $verb in\n");
  append_verb_words (script, FALSE);
  g_string_append (script, "    esac\n  fi\n");
}

/* Source: bash(1), "Programmable Completion" */
static char *
make_bash (void)
{
  GString *script = g_string_new ("# bash completion of taskscope-cli; made by "
                                  "\"taskscope-cli completion bash\"\n"
                                  "_taskscope_cli ()\n"
                                  "{\n"
                                  "  local current=${COMP_WORDS[COMP_CWORD]} line\n"
                                  "  line=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n");

  append_choices (script);
  g_string_append (script,
                   "  if [ -n \"$words\" ]; then\n"
                   "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                   "  else\n"
                   "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
                   "  fi\n"
                   "}\n"
                   "complete -o filenames -F _taskscope_cli taskscope-cli");
  return g_string_free (script, FALSE);
}

/* As a file in $fpath it is the function itself, sourced it installs it. Source: zshcompsys(1);
 * zshcompwid(1) for the variables. */
static char *
make_zsh (void)
{
  GString *script = g_string_new ("#compdef taskscope-cli\n"
                                  "# zsh completion; made by \"taskscope-cli completion zsh\"\n"
                                  "_taskscope_cli ()\n"
                                  "{\n"
                                  "  local current=\"${words[CURRENT]}\"\n"
                                  "  local -a line\n"
                                  "  line=(\"${(@)words[2,CURRENT-1]}\")\n");

  append_choices (script);
  g_string_append (script,
                   "  if [ -n \"$words\" ]; then\n"
                   "    compadd -- ${=words}\n"
                   "  else\n"
                   "    _files\n"
                   "  fi\n"
                   "}\n"
                   "if [ \"$funcstack[1]\" = _taskscope-cli ]; then _taskscope_cli \"$@\"\n"
                   "else compdef _taskscope_cli taskscope-cli; fi");
  return g_string_free (script, FALSE);
}

/* Source: fish's manual, `complete` and `commandline` */
static char *
make_fish (void)
{
  g_autofree char *verbs = join_verbs ();
  g_autofree char *valued = join_flags (NULL);
  GString *script = g_string_new ("# fish completion of taskscope-cli; made by "
                                  "\"taskscope-cli completion fish\"\n");

  g_string_append_printf (script,
                          "function __taskscope_cli\n"
                          "  set -l line (commandline -opc)\n"
                          "  set -l current (commandline -ct)\n"
                          "  set -l valued %s\n"
                          "  set -l verb\n"
                          "  set -l n 0\n"
                          "  set -l before\n"
                          "  set -l words\n"
                          "  set -l flags\n"
                          "  for word in $line[2..-1]\n"
                          "    if contains -- \"$before\" $valued\n"
                          "      set before\n"
                          "      continue\n"
                          "    end\n"
                          "    set before $word\n"
                          "    if not string match -q -- '-*' $word\n"
                          "      if test -z \"$verb\"\n"
                          "        set verb $word\n"
                          "      else\n"
                          "        set n (math $n + 1)\n"
                          "      end\n"
                          "    end\n"
                          "  end\n"
                          "  switch \"$before\"\n",
                          valued);
  append_values (script, TRUE);
  g_string_append (script, "  end\n  switch \"$verb\"\n");
  append_verb_flags (script, TRUE);
  g_string_append_printf (script,
                          "  end\n"
                          "  if test -n \"$words\"\n"
                          "  else if contains -- \"$before\" $valued\n"
                          "  else if test -z \"$verb\"\n"
                          "    set words %s --headless --version --help\n"
                          "  else if string match -q -- '-*' $current\n"
                          "    set words $flags\n"
                          "  else if test $n = 0\n"
                          "    switch \"$verb\"\n",
                          verbs);
  append_verb_words (script, TRUE);
  g_string_append (script,
                   "    end\n"
                   "  end\n"
                   "  if test -n \"$words\"\n"
                   "    printf '%s\\n' $words\n"
                   "  else\n"
                   "    __fish_complete_path $current\n"
                   "  end\n"
                   "end\n"
                   "complete -c taskscope-cli -f -a '(__taskscope_cli)'");
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
  static const struct
  {
    const char *name;
    char *(*make) (void);
  } shells[] = { { "bash", make_bash }, { "zsh", make_zsh }, { "fish", make_fish } };
  const char *shell = ts_cli_args_get_positional (args, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (shells); i++)
    if (shell == NULL || g_str_equal (shell, shells[i].name))
      {
        g_autofree char *script = shells[i].make ();

        ts_cli_print_line ("%s", script);
        return 0;
      }
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
               _("There is no completion for “%s”; there are bash, zsh and fish."), shell);
  return 1;
}
