/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-flags.c: the one table of flags, and the keys of connection files as flags. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <string.h>

#include "capture/ts-hardware-trace.h"
#include "capture/ts-vaschema.h"

#include "ts-cli.h"

#define READERS "query print export render"
#define MAKERS "capture poll snapshot demo decode import"

/* Source: viewalyzer-host.md sections 3.2 and 3.7; our own: events.md section 4 */
static const struct
{
  const char *name;
  TsCliFlagKind kind;
  const char *verbs;    /* that it belongs to; NULL: all */
  const char *selects;  /* verb that it stands for in the flag form */
} flags[] = {
  { "headless", TS_CLI_FLAG_SWITCH, NULL, NULL },
  { "pretty", TS_CLI_FLAG_SWITCH, NULL, NULL },
  { "schema", TS_CLI_FLAG_VALUE, NULL, NULL },
  { "help", TS_CLI_FLAG_SWITCH, NULL, "help" },
  { "version", TS_CLI_FLAG_SWITCH, "version", "version" },
  { "doctor", TS_CLI_FLAG_SWITCH, "doctor", "doctor" },
  { "list-probes", TS_CLI_FLAG_SWITCH, "probes", "probes" },
  { "list-ports", TS_CLI_FLAG_SWITCH, "ports", "ports" },
  { "list-targets", TS_CLI_FLAG_SWITCH, "targets", "targets" },
  { "list-symbols", TS_CLI_FLAG_SWITCH, "symbols", "symbols" },
  { "analyze-memory", TS_CLI_FLAG_SWITCH, "memory", "memory" },
  { "get-license", TS_CLI_FLAG_SWITCH, "license", "license" },
  { "activate-license", TS_CLI_FLAG_VALUE, "license", "license" },
  { "validate-license", TS_CLI_FLAG_SWITCH, "license", "license" },
  { "deactivate-license", TS_CLI_FLAG_SWITCH, "license", "license" },
  { "list-recordings", TS_CLI_FLAG_SWITCH, "recordings", "recordings" },
  { "delete-recording", TS_CLI_FLAG_VALUE, "recordings", "recordings" },
  { "delete-all-recordings", TS_CLI_FLAG_SWITCH, "recordings", "recordings" },
  { "query", TS_CLI_FLAG_VALUE, "query", "query" },
  { "record-polls", TS_CLI_FLAG_SWITCH, "poll", "poll" },
  { "snapshot", TS_CLI_FLAG_SWITCH, "snapshot", "snapshot" },
  { "parse-trace-domain", TS_CLI_FLAG_VALUE, "domains", "domains" },
  { "replay", TS_CLI_FLAG_VALUE, "load", "load" },

  { "config", TS_CLI_FLAG_VALUE, "capture poll snapshot hwtrace reset", NULL },
  { "lenient-config", TS_CLI_FLAG_SWITCH, "capture poll snapshot hwtrace reset", NULL },
  { "output", TS_CLI_FLAG_VALUE, MAKERS " export render", NULL },
  { "record", TS_CLI_FLAG_VALUE, "capture", NULL },
  { "duration", TS_CLI_FLAG_VALUE, "capture demo poll", NULL },
  { "duration-s", TS_CLI_FLAG_VALUE, "capture poll", NULL },
  { "stop-file", TS_CLI_FLAG_VALUE, "capture demo poll", NULL },
  { "no-register", TS_CLI_FLAG_SWITCH, MAKERS, NULL },
  { "keep-va", TS_CLI_FLAG_SWITCH, "capture", NULL },
  { "no-raw-log", TS_CLI_FLAG_SWITCH, "capture decode snapshot", NULL },
  { "ring", TS_CLI_FLAG_VALUE, "capture", NULL },
  { "high-water", TS_CLI_FLAG_VALUE, "capture", NULL },
  { "verbose", TS_CLI_FLAG_SWITCH, NULL, NULL },
  { "log", TS_CLI_FLAG_VALUE, "capture poll", NULL },
  { "stream", TS_CLI_FLAG_SWITCH, "capture poll ctrace", NULL },
  { "symbols", TS_CLI_FLAG_VALUE, "capture poll", NULL },
  { "poll-hz", TS_CLI_FLAG_VALUE, "capture poll", NULL },
  { "instrument-cmd", TS_CLI_FLAG_VALUE, "capture", NULL },
  { "instrument-series", TS_CLI_FLAG_VALUE, "capture", NULL },
  { "elf", TS_CLI_FLAG_VALUE, NULL, NULL },
  { "svd", TS_CLI_FLAG_VALUE, "capture decode query", NULL },
  { "vaschema", TS_CLI_FLAG_VALUE, "capture decode", NULL },
  { "series", TS_CLI_FLAG_VALUE, "import", NULL },
  { "max-resid-us", TS_CLI_FLAG_VALUE, "import capture", NULL },

  { "image", TS_CLI_FLAG_VALUE, "snapshot", NULL },
  { "format", TS_CLI_FLAG_VALUE, "decode packets", NULL },
  { "clock-hz", TS_CLI_FLAG_VALUE, "decode", NULL },
  { "trace-id", TS_CLI_FLAG_VALUE, "decode packets", NULL },
  { "sync", TS_CLI_FLAG_VALUE, "decode packets", NULL },
  { "list", TS_CLI_FLAG_SWITCH, "packets", NULL },
  { "target", TS_CLI_FLAG_VALUE, "ctrace", NULL },
  { "csv", TS_CLI_FLAG_SWITCH, "ctrace", NULL },
  { "ctf", TS_CLI_FLAG_SWITCH, "ctrace", NULL },
  { "all", TS_CLI_FLAG_SWITCH, "ctrace", NULL },
  { "type", TS_CLI_FLAG_VALUE, "ctrace", NULL },
  { "generation", TS_CLI_FLAG_VALUE, "ctrace", NULL },
  { "output-dir", TS_CLI_FLAG_VALUE, "ctrace", NULL },
  { "events", TS_CLI_FLAG_VALUE, "demo", NULL },
  { "seed", TS_CLI_FLAG_VALUE, "demo", NULL },
  { "rate", TS_CLI_FLAG_VALUE, "demo", NULL },
  { "shape", TS_CLI_FLAG_VALUE, "demo", NULL },

  { "recording", TS_CLI_FLAG_VALUE, READERS " reindex load import", NULL },
  { "t-start-us", TS_CLI_FLAG_VALUE, READERS, NULL },
  { "t-end-us", TS_CLI_FLAG_VALUE, READERS, NULL },
  { "kinds", TS_CLI_FLAG_VALUE, READERS, NULL },
  { "lanes", TS_CLI_FLAG_VALUE, READERS, NULL },
  { "to", TS_CLI_FLAG_VALUE, "export render", NULL },
  { "width", TS_CLI_FLAG_VALUE, "export render", NULL },
  { "height", TS_CLI_FLAG_VALUE, "export render", NULL },
  { "dark", TS_CLI_FLAG_SWITCH, "export render", NULL },
  { "rebase", TS_CLI_FLAG_SWITCH, "export", NULL },
  { "tier", TS_CLI_FLAG_VALUE, "query", NULL },
  { "budget", TS_CLI_FLAG_VALUE, "query", NULL },
  { "bucket-us", TS_CLI_FLAG_VALUE, "query", NULL },
  { "max-slices", TS_CLI_FLAG_VALUE, "query", NULL },
  { "sql", TS_CLI_FLAG_VALUE, "query", NULL },
  { "channels", TS_CLI_FLAG_VALUE, "query", NULL },
  { "threshold-us", TS_CLI_FLAG_VALUE, "query", NULL },
  { "port", TS_CLI_FLAG_VALUE, "query", NULL },
  { "kind", TS_CLI_FLAG_VALUE, "query", NULL },
  { "task", TS_CLI_FLAG_VALUE, "query", NULL },
  { "metric", TS_CLI_FLAG_VALUE, "query", NULL },
  { "from", TS_CLI_FLAG_VALUE, "query", NULL },
  { "runs", TS_CLI_FLAG_VALUE, "query", NULL },
  { "sections", TS_CLI_FLAG_VALUE, "query", NULL },
  { "tolerance-pct", TS_CLI_FLAG_VALUE, "query", NULL },
  { "warn-pct", TS_CLI_FLAG_VALUE, "query", NULL },
  { "out", TS_CLI_FLAG_VALUE, "query", NULL },
  { "baseline", TS_CLI_FLAG_VALUE, "query", NULL },
  { "as", TS_CLI_FLAG_VALUE, "query", NULL },
  { "to", TS_CLI_FLAG_VALUE, "query", NULL },
  { "dry-run", TS_CLI_FLAG_SWITCH, "hwtrace", NULL },
  { "arch", TS_CLI_FLAG_VALUE, "hwtrace", NULL },
  { "caps", TS_CLI_FLAG_VALUE, "hwtrace", NULL },
  { "filter", TS_CLI_FLAG_VALUE, "targets symbols", NULL },
  { "map", TS_CLI_FLAG_VALUE, "memory", NULL },
};

/* Verbs whose flags include the keys of a connection file. */
#define CONNECTING "capture poll snapshot hwtrace reset"

static gboolean
has_word (const char *words,
          const char *word)
{
  gsize n = strlen (word);

  for (const char *p = words; p != NULL && *p != '\0';)
    {
      const char *end = strchrnul (p, ' ');

      if ((gsize) (end - p) == n && strncmp (p, word, n) == 0)
        return TRUE;
      p = *end == ' ' ? end + 1 : end;
    }
  return FALSE;
}

/* The key behind a flag: its own name, or what follows `no-` for a switch. */
static const TsConnectionKey *
find_key (const char *name)
{
  const TsConnectionKey *key = ts_connection_find_key (name);

  if (key == NULL && g_str_has_prefix (name, "no-"))
    {
      key = ts_connection_find_key (name + 3);
      if (key != NULL && key->type != TS_KEY_BOOL)
        key = NULL;
    }
  return key;
}

/**
 * ts_cli_flag_get_kind:
 * @name: a flag without dashes
 *
 * Returns: whether it is a switch, takes a value, or does not exist
 */
TsCliFlagKind
ts_cli_flag_get_kind (const char *name)
{
  const TsConnectionKey *key;

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (g_str_equal (flags[i].name, name))
      return flags[i].kind;
  if (ts_hardware_trace_is_override (name))
    return ts_hardware_trace_override_is_switch (name) ? TS_CLI_FLAG_SWITCH : TS_CLI_FLAG_VALUE;
  key = find_key (name);
  if (key == NULL)
    return TS_CLI_FLAG_UNKNOWN;
  return key->type == TS_KEY_BOOL ? TS_CLI_FLAG_SWITCH : TS_CLI_FLAG_VALUE;
}

/**
 * ts_cli_flag_is_for:
 * @name: a flag without dashes
 * @verb: a verb
 *
 * Returns: whether @verb takes it
 */
gboolean
ts_cli_flag_is_for (const char *name,
                    const char *verb)
{
  const TsConnectionKey *key;

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (g_str_equal (flags[i].name, name)
        && (flags[i].verbs == NULL || has_word (flags[i].verbs, verb)))
      return TRUE;
  if (ts_hardware_trace_is_override (name))
    return has_word (CONNECTING, verb);
  key = find_key (name);
  if (key == NULL)
    return FALSE;
  /* Paths of other tools are accepted without effect wherever old scripts pass them. */
  return key->type == TS_KEY_IGNORED || has_word (CONNECTING, verb)
         || (g_str_equal (name, "itm-port") && g_str_equal (verb, "decode"));
}

/**
 * ts_cli_flag_get_verb:
 * @name: a flag without dashes
 *
 * Returns: (nullable): the verb it stands for in the flag form
 */
const char *
ts_cli_flag_get_verb (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (g_str_equal (flags[i].name, name) && flags[i].selects != NULL)
      return flags[i].selects;
  return NULL;
}

/**
 * ts_cli_flag_list_for:
 * @verb: a verb
 *
 * Returns: (transfer full) (array zero-terminated=1): the flags of @verb, for a hint at a mistyped
 * one
 */
char **
ts_cli_flag_list_for (const char *verb)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *const *overrides = ts_hardware_trace_list_overrides ();
  const TsConnectionKey *keys;
  guint n_keys;

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (flags[i].verbs == NULL || has_word (flags[i].verbs, verb))
      g_ptr_array_add (names, g_strdup (flags[i].name));
  for (gsize i = 0; overrides[i] != NULL; i++)
    if (ts_cli_flag_is_for (overrides[i], verb))
      g_ptr_array_add (names, g_strdup (overrides[i]));
  keys = ts_connection_list_keys (&n_keys);
  for (guint i = 0; i < n_keys; i++)
    if (keys[i].type != TS_KEY_IGNORED && ts_cli_flag_is_for (keys[i].name, verb))
      g_ptr_array_add (names, g_strdup (keys[i].name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}

/* One flag to the connection. Flags that are no settings of it are left alone. */
static gboolean
set_key (TsConnection *connection,
         const TsCliFlag *flag,
         gboolean is_override_turn,
         GError **error)
{
  const char *name = flag->name;
  const char *value = flag->value;

  if (ts_hardware_trace_is_override (name))
    return !is_override_turn
           || ts_connection_override_hardware_trace (connection, name, value, error);
  if (is_override_turn)
    return TRUE;

  if (ts_connection_find_key (name) == NULL)
    {
      if (find_key (name) == NULL)
        return TRUE;
      name += strlen ("no-");
      value = g_strcmp0 (value, "false") == 0 ? "true" : "false";
    }
  return ts_connection_set_from_text (connection, name, value != NULL ? value : "true", error);
}

/**
 * ts_cli_set_keys:
 * @args: arguments
 * @connection: gets what flags say
 * @reasons: (nullable) (element-type utf8): gets a reason for each flag that is refused, its name
 * first; %NULL: the first one ends it
 * @error: return location, for @reasons %NULL
 *
 * Sets the keys that are given as flags; the flags of single settings of `hardware-trace` have
 * their say after the whole of it.
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md sections 2.1 and 2.4
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_set_keys (TsCliArgs *args,
                 TsConnection *connection,
                 GPtrArray *reasons,
                 GError **error)
{
  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; i < args->flags->len; i++)
      {
        const TsCliFlag *flag = &g_array_index (args->flags, TsCliFlag, i);
        g_autoptr (GError) refusal = NULL;

        if (set_key (connection, flag, turn == 1, &refusal))
          continue;
        if (reasons == NULL)
          {
            g_propagate_error (error, g_steal_pointer (&refusal));
            return FALSE;
          }
        if (g_str_has_prefix (refusal->message, "--"))
          g_ptr_array_add (reasons, g_strdup (refusal->message));
        else
          g_ptr_array_add (reasons, g_strdup_printf ("--%s: %s", flag->name, refusal->message));
      }
  return TRUE;
}

/**
 * ts_cli_load_config:
 * @args: arguments
 * @connection: gets what the file of --config says, if one is given
 * @error: return location
 *
 * Reads a connection file, or what came before it: the transport of a `.vaschema`.
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG
 * Source: viewalyzer-host.md sections 2.1 and 3.13
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_cli_load_config (TsCliArgs *args,
                    TsConnection *connection,
                    GError **error)
{
  const char *config = ts_cli_args_get (args, "config");

  if (config == NULL)
    return TRUE;
  if (g_str_has_suffix (config, ".vaschema"))
    return ts_vaschema_load (config, connection, NULL, error);
  return ts_connection_load_file (connection, config, ts_cli_args_has (args, "lenient-config"),
                                  error);
}
