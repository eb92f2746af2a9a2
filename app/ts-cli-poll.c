/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-cli-poll.c: variables of the firmware, read at a rate through a debug probe: `poll`. */
#define G_LOG_DOMAIN "ts-app"

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capture/ts-poll.h"
#include "capture/ts-probe.h"

#include "ts-cli.h"

/* With no transport named, the one probe that is plugged in is meant. */
static gboolean
choose_probe (TsCliArgs *args,
              GError **error)
{
  g_autoptr (GPtrArray) warnings = NULL;
  g_autoptr (GPtrArray) probes = NULL;
  TsCliFlag flag = { 0 };

  if (ts_cli_args_has (args, "transport") || ts_cli_args_has (args, "config"))
    return TRUE;
  warnings = g_ptr_array_new_with_free_func (g_free);
  probes = ts_probe_list (warnings);
  if (probes->len != 1)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           probes->len == 0
                               ? _("“poll” needs a debug probe, and none is plugged in: connect "
                                   "one, or name a --config or --transport.")
                               : _("“poll” needs to know which probe: name a --config, or "
                                   "--transport with --stlink-serial or --jlink-serial."));
      return FALSE;
    }
  flag.name = g_strdup ("transport");
  flag.value
      = g_strdup_printf ("%s-rambuf", ((TsProbeInfo *) g_ptr_array_index (probes, 0))->type);
  g_array_append_val (args->flags, flag);
  return TRUE;
}

/* Without an output: beside the firmware's file. */
static char *
make_path (TsCliArgs *args)
{
  const char *output = ts_cli_args_get (args, "output");
  const char *elf = ts_cli_args_get (args, "elf");
  const char *base, *dot;
  g_autofree char *stem = NULL;

  if (output != NULL && *output != '\0')
    return ts_cli_dup_vadb_path (output);
  base = strrchr (elf, G_DIR_SEPARATOR);
  base = base != NULL ? base + 1 : elf;
  dot = strrchr (base, '.');
  stem = g_strndup (elf, dot != NULL && dot > base ? (gsize) (dot - elf) : strlen (elf));
  return g_strconcat (stem, ".poll.vadb", NULL);
}

/* One line for each variable, and the headline; on standard error, as all of a poll but its envelope.
 * Source: viewalyzer-host.md sections 3.3 and 3.11 */
static char *
tell_symbols (TsConnection *connection,
              GError **error)
{
  g_autoptr (GArray) symbols = ts_poll_symbols_of_connection (connection, error);

  if (symbols == NULL)
    return NULL;
  for (guint i = 0; i < symbols->len; i++)
    {
      const TsPollSymbol *symbol = &g_array_index (symbols, TsPollSymbol, i);

      ts_cli_remark ("[poll] %s @ 0x%08X (%s, %u bytes)", symbol->name, symbol->address,
                     ts_poll_type_get_name (symbol->type), ts_poll_type_get_size (symbol->type));
    }
  return g_strdup_printf ("[headless] Poll: %u symbol(s) at %u Hz via %s", symbols->len,
                          ts_connection_get_poll_hz (connection),
                          ts_connection_get_transport (connection));
}

/**
 * ts_cli_poll:
 * @args: arguments
 * @error: return location
 *
 * Polls variables of a running firmware into a recording; the target is never reset or halted.
 *
 * Errors: %TS_CLI_ERROR_BAD_ARGUMENTS, %TS_CLI_ERROR_FILE_NOT_FOUND,
 *   %TS_CAPTURE_ERROR_BAD_CONFIG for a transport without a probe, %TS_CAPTURE_ERROR_NO_SYMBOL; those
 *   of ts_cli_record()
 * Source: viewalyzer-host.md sections 3.2 and 3.5, `poll`
 *
 * Returns: exit status
 */
int
ts_cli_poll (TsCliArgs *args,
             GError **error)
{
  const char *symbols = ts_cli_args_get (args, "symbols");
  const char *elf = ts_cli_args_get (args, "elf");
  g_autoptr (TsConnection) connection = NULL;
  g_autofree char *path = NULL;
  g_autofree char *headline = NULL;
  TsCaptureOptions options = { .keep_raw_log = TRUE };
  gint64 hz;

  if (symbols == NULL || *symbols == '\0' || elf == NULL || *elf == '\0')
    {
      g_set_error_literal (error, TS_CLI_ERROR, TS_CLI_ERROR_BAD_ARGUMENTS,
                           _("“poll” needs --elf with the firmware's ELF file and --symbols with "
                             "names of variables."));
      return 1;
    }
  if (!g_file_test (elf, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, TS_CLI_ERROR, TS_CLI_ERROR_FILE_NOT_FOUND, _("There is no file “%s”."),
                   elf);
      return 1;
    }
  if (!ts_cli_args_get_int (args, "poll-hz", 1, TS_POLL_MAX_HZ, TS_POLL_DEFAULT_HZ, &hz, error)
      || !ts_cli_args_get_duration_ms (args,
                                       ts_cli_args_has (args, "duration-s") ? "duration-s"
                                                                            : "duration",
                                       &options.duration_ms, error)
      || !choose_probe (args, error))
    return 1;
  connection = ts_cli_make_connection (args, error);
  if (connection == NULL)
    return 1;
  if (ts_probe_type_of_transport (ts_connection_get_transport (connection)) == NULL)
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                   _("Polling reads target memory: the transport is stlink-... or jlink-..., not "
                     "“%s”."),
                   ts_connection_get_transport (connection));
      return 1;
    }
  ts_connection_set_polling (connection, symbols, (guint) hz, TRUE);
  headline = tell_symbols (connection, error);
  if (headline == NULL)
    return 1;
  path = make_path (args);
  options.output = path;
  return ts_cli_record (args, connection, &options, headline, error);
}
