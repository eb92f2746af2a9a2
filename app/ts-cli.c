/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli.c: the table of verbs, the help, and one run from arguments to exit status. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>

#include "ts-cli.h"

static const TsCliVerb verbs[] = {
  { "capture", ts_cli_capture, 0,
    N_("capture from a target: --config F or --transport T ..., --output R.vadb, --duration S, "
        "--stop-file F") },
  { "demo", ts_cli_demo, 0,
    N_("record the built-in demo target: --output R.vadb, --duration S or --events N, --seed N, "
        "--rate N, --shape demo | mixed") },
  { "decode", ts_cli_decode, G_MAXUINT,
    N_("bytes of files to a recording: FILE..., --format F, --output R.vadb, --clock-hz N, "
        "--no-raw-log") },
  { "poll", ts_cli_poll, 0,
    N_("variables of a running firmware through a probe: --elf F, --symbols a,b:u16, --poll-hz N, "
        "--duration-s S, --config F or --transport T, --output R.vadb") },
  { "snapshot", ts_cli_snapshot, 0,
    N_("the recorder's ring out of memory: --config F or --transport T, --output R.vadb; "
        "--image FILE@ADDRESS") },
  { "reset", ts_cli_reset, 0, N_("reset the target behind a probe: --config F or --transport T") },
  { "query", ts_cli_query, 2,
    N_("summary | timeline | events | user-traces | cpu | timers | comms | series | inversions | "
        "slices | sql | fingerprint | compare ...: --recording R, --tier T ...") },
  { "print", ts_cli_print, 1,
    N_("one line per event: --recording R, --kinds a,b, --lanes a,b, --t-start-us N, --t-end-us "
        "N") },
  { "export", ts_cli_export, 1,
    N_("--recording R, --to vadb | csv | perfetto | ctf | png | svg | pdf, --output O, "
        "--t-start-us N, --t-end-us N, --lanes a,b, --kinds a,b, --rebase, --width N, --height N") },
  { "render", ts_cli_export, 1, N_("the same as export --to png") },
  { "ctrace", ts_cli_ctrace, G_MAXUINT,
    N_("CMSIS trace runs to CSV, CTF, XML: DIR, --csv, --ctf, --all, -t NAME, --type T ..., "
        "--stream N ..., --output-dir D, --generation 1 | 2 | 3, --verbose") },
  { "packets", ts_cli_packets, 1,
    N_("count the packets of a file: FILE, --format itm | tpiu | va | va-cobs, --sync strict | "
        "aligned, --list") },
  { "symbols", ts_cli_symbols, 1, N_("symbols of a firmware: --elf F, --filter TEXT") },
  { "memory", ts_cli_memory, 1, N_("memory that a firmware needs: --elf F, --map F") },
  { "hwtrace", ts_cli_hwtrace, 0,
    N_("registers of a hardware trace: --dry-run, --arch v6m | v7m | v8m, --cpu-clock-hz N, "
        "--hardware-trace JSON, --dwt-exc, --dwt-pc N, --dwt-watch LIST ...") },
  { "domains", ts_cli_domains, 0,
    N_("Trace Domains there are; --parse-trace-domain F checks one") },
  { "recordings", ts_cli_recordings, 0,
    N_("list what was captured; --delete-recording R, --delete-all-recordings") },
  { "load", ts_cli_load, 1,
    N_("check a recording and tell what is in it: FILE or --recording R") },
  { "import", ts_cli_import, 1,
    N_("an instrument's series into a recording: FILE, --series F.ndjson, --max-resid-us N, "
        "--output O.vadb; or a CTF trace: FOLDER, --output O.vadb") },
  { "reindex", ts_cli_reindex, 1,
    N_("make lanes and statistics again from the events: --recording R") },
  { "cache", ts_cli_cache, 1,
    N_("list | clear: lanes kept for recordings that bring none") },
  { "ports", ts_cli_ports, 0, N_("list serial ports") },
  { "probes", ts_cli_probes, 0, N_("list debug probes") },
  { "targets", ts_cli_targets, 0, N_("list chips: --filter TEXT") },
  { "doctor", ts_cli_doctor, 0, N_("check what this machine has") },
  { "license", ts_cli_license, 2, N_("get: there is nothing to buy") },
  { "version", ts_cli_version, 0, N_("version of this program") },
  { "completion", ts_cli_completion, 1, N_("completion for a shell: bash, zsh or fish") },
  { "help", ts_cli_help, G_MAXUINT, N_("this text") },
  /* Verbs of the contract and of our own plan that this version does not have yet. */
  { "kev", NULL, G_MAXUINT, NULL },
  { "rtic", NULL, G_MAXUINT, NULL },
};

/**
 * ts_cli_list_verbs:
 * @n_verbs: (out): how many
 *
 * Returns: (transfer none) (array length=n_verbs): all verbs
 */
const TsCliVerb *
ts_cli_list_verbs (guint *n_verbs)
{
  *n_verbs = G_N_ELEMENTS (verbs);
  return verbs;
}

/**
 * ts_cli_find_verb:
 * @name: a word
 *
 * Returns: (transfer none) (nullable): the verb of that name
 */
const TsCliVerb *
ts_cli_find_verb (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (g_str_equal (verbs[i].name, name))
      return &verbs[i];
  return NULL;
}

/**
 * ts_cli_help:
 * @args: arguments
 * @error: return location, never set
 *
 * Prints one screen of help, the only answer that is not JSON besides `print`.
 *
 * Returns: exit status
 */
int
ts_cli_help (TsCliArgs *args,
             GError **error)
{
  ts_cli_print_line ("%s", _("taskscope-cli VERB [--flag VALUE] ...    an oscilloscope for "
                              "firmware, on the command line"));
  ts_cli_print_line ("%s", "");
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (verbs[i].help != NULL)
      ts_cli_print_line ("  %-11s %s", verbs[i].name, _(verbs[i].help));
  ts_cli_print_line ("%s", "");
  ts_cli_print_line (
      "%s",
      _("Every key of a connection file (.vacf) is a flag of capture; flags win over the file."));
  ts_cli_print_line ("%s", _("R is a path or the 12 hexadecimal digits that a capture tells. "
                              "--pretty indents the JSON."));
  ts_cli_print_line (
      "%s", _("Answers are one JSON object; a failure has the key “error”, and exit status 1."));
  return 0;
}

/* Whether a verb takes its end from signals: it lets them in when it is ready for them. */
static gboolean
handles_signals (const TsCliVerb *verb)
{
  static const char *const names[] = { "capture", "demo",   "decode",  "query", "print", "export",
                                       "render",  "reindex", "load", "import", NULL };

  return g_strv_contains (names, verb->name);
}

/* The failure of some verbs has a line for its text too: that of a capture before the envelope; that
 * of a poll or snapshot aside, since older clients take all of standard output for the envelope.
 * Source: viewalyzer-host.md sections 3.3 and 3.11 */
static void
tell_error_line (const char *verb,
                 const char *message)
{
  g_autofree char *line = ts_cli_dup_printable (message);

  if (g_strcmp0 (verb, "capture") == 0)
    ts_cli_print_line ("[headless] ERROR: %s", line);
  else if (g_strcmp0 (verb, "poll") == 0 || g_strcmp0 (verb, "snapshot") == 0)
    ts_cli_remark ("[headless] ERROR: %s", line);
}

/* Of the environment's schema what is not known is left out, as before there was one. */
static gboolean
check_schema (TsCliArgs *args,
              GError **error)
{
  const char *schema = ts_cli_args_get (args, "schema");

  if (schema == NULL || g_str_equal (schema, "1") || g_str_equal (schema, "2"))
    return TRUE;
  g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
               _("--schema is “%s”; it can be 1 or 2."), schema);
  return FALSE;
}

/**
 * ts_cli_run:
 * @argc: number of arguments
 * @argv: arguments, the program's name first
 *
 * Does what the arguments say.
 *
 * Source: viewalyzer-host.md sections 3.1, 3.3 and 3.4
 *
 * Returns: exit status
 */
int
ts_cli_run (int argc,
            char **argv)
{
  g_autoptr (TsCliArgs) args = ts_cli_args_new ();
  g_autoptr (GError) error = NULL;
  const TsCliVerb *verb = NULL;
  int status = 1;

  if (ts_cli_args_parse (args, argc, argv, &error) && check_schema (args, &error))
    {
      verb = ts_cli_find_verb (args->verb != NULL ? args->verb : "help");
      g_assert (verb != NULL);
      if (handles_signals (verb))
        ts_cli_hold_signals ();
      if (verb->run != NULL)
        status = verb->run (args, &error);
      else
        g_set_error (&error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                     _("“%s” is not built yet in this version."), verb->name);
    }
  if (error == NULL)
    return status;

  tell_error_line (args->verb, error->message);
  ts_cli_envelope_print_error (args, error);
  return 1;
}
