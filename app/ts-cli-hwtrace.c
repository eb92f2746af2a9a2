/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-hwtrace.c: `hwtrace --dry-run`: the registers that a capture would write, without a
 * target. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capture/ts-hardware-trace.h"

#include "ts-cli.h"

/* What --caps holds: JSON, or @file with JSON. */
static JsonNode *
parse_object (const char *text,
              GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *data = NULL;
  JsonNode *root;

  if (*text == '@')
    {
      if (!g_file_get_contents (text + 1, &data, NULL, error))
        return NULL;
      text = data;
    }
  if (strlen (text) > 65536)
    g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                         _("more than 64 KiB is no such object"));
  else if (json_parser_load_from_data (parser, text, -1, error))
    {
      root = json_parser_get_root (parser);
      if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
        return json_parser_steal_root (parser);
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("it must be a JSON object"));
    }
  return NULL;
}

static void
add_reason (GPtrArray *reasons,
            const char *flag,
            const char *reason)
{
  g_autofree char *dashed = g_strconcat ("--", flag, NULL);

  if (g_str_has_prefix (reason, dashed))
    g_ptr_array_add (reasons, g_strdup (reason));
  else
    g_ptr_array_add (reasons, g_strdup_printf ("%s: %s", dashed, reason));
}

static void
read_arch (TsCliArgs *args,
           TsTraceArch *arch,
           GPtrArray *reasons)
{
  const char *name = ts_cli_args_get (args, "arch");

  if (name == NULL)
    add_reason (reasons, "arch", _("it is needed: v6m, v7m or v8m"));
  else if (!ts_trace_arch_parse (name, arch))
    add_reason (reasons, "arch", _("it is v6m, v7m or v8m"));
}

static void
read_caps (TsCliArgs *args,
           TsTraceCaps *caps,
           GPtrArray *reasons)
{
  const char *text = ts_cli_args_get (args, "caps");
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;

  ts_trace_caps_init (caps);
  if (text == NULL)
    return;
  node = parse_object (text, &error);
  if (node == NULL || !ts_trace_caps_read (caps, json_node_get_object (node), &error))
    add_reason (reasons, "caps", error->message);
}

/* The connection without a target: a file where one is given, and the flags. */
static TsConnection *
read_connection (TsCliArgs *args,
                 GPtrArray *reasons)
{
  TsConnection *connection = ts_connection_new ();
  g_autoptr (GError) error = NULL;

  if (!ts_cli_load_config (args, connection, &error))
    {
      add_reason (reasons, "config", error->message);
      g_clear_error (&error);
    }
  ts_cli_set_keys (args, connection, reasons, NULL);
  if (!ts_connection_has (connection, "cpu-clock-hz") && !ts_cli_args_has (args, "cpu-clock-hz"))
    add_reason (reasons, "cpu-clock-hz", _("it is needed: the clock of the core in Hz"));
  return connection;
}

/* Source: viewalyzer-host.md section 2.5: exit status 2, one bare object, no message */
static int
tell_reasons (TsCliArgs *args,
              GPtrArray *reasons)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autofree char *text = NULL;

  g_ptr_array_add (reasons, NULL);
  text = g_strjoinv ("; ", (char **) reasons->pdata);
  ts_cli_envelope_add_text (object, "error", text);
  ts_cli_envelope_print (args, object);
  return 2;
}

/**
 * ts_cli_hwtrace:
 * @args: arguments
 * @error: return location
 *
 * Prints the register image of a hardware trace, what of it the core cannot do, and what is in
 * force.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS without --dry-run; wrong settings are an answer of their own
 * (exit status 2, `error` with the reasons, no `message`)
 * Source: viewalyzer-host.md section 2.5
 *
 * Returns: exit status
 */
int
ts_cli_hwtrace (TsCliArgs *args,
                GError **error)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TsConnection) connection = NULL;
  g_autoptr (TsTraceImage) image = NULL;
  g_autoptr (JsonObject) object = NULL;
  JsonObject *block;
  TsTraceCaps caps;
  TsTraceArch arch = TS_TRACE_ARCH_V7M;

  if (!ts_cli_args_has (args, "dry-run"))
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“hwtrace” needs --dry-run: registers of a target are written by "
                             "“capture” alone."));
      return 1;
    }
  read_arch (args, &arch, reasons);
  read_caps (args, &caps, reasons);
  connection = read_connection (args, reasons);
  if (reasons->len > 0)
    return tell_reasons (args, reasons);
  ts_cli_remark_warnings (connection);

  image = ts_trace_image_new (arch, &caps, connection);
  object = ts_trace_image_to_json (image);
  block = ts_connection_get_object (connection, "hardware-trace");
  json_object_set_boolean_member (object, "init_swo",
                                  ts_connection_get_bool (connection, "init-swo"));
  if (block != NULL)
    json_object_set_object_member (object, "hardware_trace", json_object_ref (block));
  else
    json_object_set_null_member (object, "hardware_trace");
  if (ts_cli_args_has (args, "dwt-watch"))
    ts_cli_envelope_add_text (object, "dwt_watch", ts_cli_args_get (args, "dwt-watch"));
  else
    json_object_set_null_member (object, "dwt_watch");
  ts_cli_envelope_print (args, object);
  return 0;
}
