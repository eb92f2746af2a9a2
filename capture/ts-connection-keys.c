/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-keys.c: the one table of connection keys and transports, and the nearest name to a
 * mistyped one. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-connection-private.h"
#include "ts-probe.h"

#define SWO "stlink-swo jlink-swo cmsis-dap-swo swo-tcp"
#define RAMBUF "stlink-rambuf jlink-rambuf cmsis-dap-rambuf"
#define RTT "stlink-rtt jlink-rtt cmsis-dap-rtt"
#define STLINK "stlink-swo stlink-rambuf stlink-rtt"
#define JLINK "jlink-swo jlink-rtt jlink-rambuf"
#define CMSIS_DAP "cmsis-dap-swo cmsis-dap-rtt cmsis-dap-rambuf"
#define PROBES STLINK " " JLINK " " CMSIS_DAP

/* Names, types and defaults: viewalyzer-host.md section 2.2, viewalyzer-wire.md section 14.1; our
 * own: events.md section 5. Where the contract publishes no default, the value of the public
 * examples stands here. */
static const TsConnectionKey keys[] = {
  { "transport", TS_KEY_STRING, NULL, NULL, N_("How the bytes of the target get here.") },
  { "target-device", TS_KEY_STRING, NULL, PROBES, 
    N_("Name of the chip, such as STM32G474RE: a core that cannot be that chip's is told.") },
  { "interface", TS_KEY_STRING, "SWD", PROBES, N_("Debug interface of the chip.") },
  { "speed-khz", TS_KEY_INT, "4000", PROBES, N_("Clock of the debug interface in kHz.") },
  { "no-reset", TS_KEY_BOOL, "false", PROBES,
    N_("Attach to the running target without resetting it.") },
  { "connect-under-reset", TS_KEY_BOOL, "false", PROBES,
    N_("Attach while the reset line is held, for firmware that switches the debug pins off or "
       "sleeps too deep; the line has to be wired.") },
  { "stlink-serial", TS_KEY_STRING, NULL, STLINK,
    N_("Serial number of the ST-LINK to use when several are attached.") },
  { "stlink-apid", TS_KEY_INT, "0", STLINK,
    N_("Index of the access port of the core, 1 on STM32H5.") },
  { "jlink-serial", TS_KEY_STRING, NULL, JLINK,
    N_("Serial number of the J-Link to use when several are attached.") },
  { "cmsis-dap-serial", TS_KEY_STRING, NULL, CMSIS_DAP,
    N_("Serial number of the CMSIS-DAP probe to use when several are attached.") },
  { "cpu-clock-hz", TS_KEY_INT, NULL, NULL,
    N_("Clock of the core in Hz, needed for SWO and where the stream does not tell it.") },
  { "trace-clock-hz", TS_KEY_INT, NULL, SWO,
    N_("Clock that feeds the SWO divider in Hz, when it is not the core clock.") },
  { "swo-freq-hz", TS_KEY_INT, "2000000", SWO,
    N_("Rate of the SWO pin in Hz; it must match the firmware.") },
  { "itm-port", TS_KEY_INT, "1", SWO,
    N_("Stimulus port of the recorder; port 0 stays free for text.") },
  { "init-swo", TS_KEY_BOOL, "true", "stlink-swo jlink-swo cmsis-dap-swo",
    N_("Set up ITM, TPIU and trace clock from here when connecting.") },
  { "rambuf-scan-start", TS_KEY_ADDRESS, "0x20000000", RAMBUF,
    N_("Address at which the search for the trace buffer begins.") },
  { "rambuf-scan-size", TS_KEY_INT, "131072", RAMBUF,
    N_("Bytes of RAM to search for the trace buffer.") },
  { "rambuf-address", TS_KEY_ADDRESS, NULL, RAMBUF,
    N_("Address of _VA_RAMBUF; nothing is searched then.") },
  { "rambuf-poll-ms", TS_KEY_INT, "5", RAMBUF,
    N_("Time between two readings of the trace buffer in milliseconds.") },
  { "rtt-channel", TS_KEY_INT, "1", RTT,
    N_("RTT up-channel to read if none is named ViewAlyzer.") },
  { "rtt-address", TS_KEY_ADDRESS, NULL, RTT,
    N_("Address of _SEGGER_RTT; nothing is searched then.") },
  { "udp-ip", TS_KEY_STRING, "0.0.0.0", "udp", N_("Address of this machine to listen on.") },
  { "udp-port", TS_KEY_INT, "17200", "udp", N_("UDP port to listen on.") },
  { "serial-port", TS_KEY_STRING, NULL, "serial",
    N_("Serial port, as the list of ports names it, or any path of a terminal or FIFO.") },
  { "baud", TS_KEY_INT, "921600", "serial file",
    N_("Baud rate of the serial port; for a file also its pace when it is played as recorded.") },
  { "cobs", TS_KEY_BOOL, "true", "udp serial tcp demo", N_("Packets come in COBS frames.") },
  { "tcp-host", TS_KEY_STRING, NULL, "tcp",
    N_("Host name or address of the server that sends the bytes.") },
  { "tcp-port", TS_KEY_INT, NULL, "tcp", N_("TCP port of that server.") },
  { "swo-tcp-host", TS_KEY_STRING, "127.0.0.1", "swo-tcp",
    N_("Host name or address of the server that sends raw SWO bytes.") },
  { "swo-tcp-port", TS_KEY_INT, NULL, "swo-tcp", N_("TCP port of that server.") },
  { "file-path", TS_KEY_STRING, NULL, "file", N_("File with captured bytes.") },
  { "file-format", TS_KEY_STRING, "auto", "file", N_("Format of the file, auto to find out.") },
  { "file-pace", TS_KEY_STRING, "whole", "file",
    N_("whole: as fast as it goes; recorded: as it once arrived.") },
  { "demo-seed", TS_KEY_INT, "1", "demo",
    N_("Seed of the demo target: the same seed gives the same run.") },
  { "demo-rate", TS_KEY_INT, "20000", "demo", N_("Events per second of the demo target.") },
  { "hardware-trace", TS_KEY_OBJECT, NULL, PROBES " swo-tcp file",
    N_("Settings of ITM, DWT and the trace port.") },
  { "trigger", TS_KEY_STRING, NULL, NULL,
    N_("What the capture waits for, such as “lane:Ctrl dur>5ms”; see taskscope-cli(1), "
       "TRIGGERS.") },
  { "trigger-before-ms", TS_KEY_INT, "1000", NULL,
    N_("How much is kept of the time before the trigger, in milliseconds.") },
  { "trigger-after-ms", TS_KEY_INT, "1000", NULL,
    N_("How much is recorded after the trigger, in milliseconds.") },
  { "trigger-action", TS_KEY_STRING, "stop", NULL,
    N_("What follows the time after the trigger: stop, rearm (wait again), or mark (record "
       "everything and only set marks).") },
  { "comment", TS_KEY_STRING, NULL, NULL, N_("A note for people.") },
  { "_comment", TS_KEY_IGNORED, NULL, NULL, N_("A note for people.") },
  { "$schema", TS_KEY_IGNORED, NULL, NULL, N_("Name of a JSON schema for editors.") },
  { "stlink-gdb-port", TS_KEY_IGNORED, "61234", NULL,
    N_("Key of an older program, without effect.") },
  { "stlink-swo-port", TS_KEY_IGNORED, "61235", NULL,
    N_("Key of an older program, without effect.") },
  { "jlink-gdb-port", TS_KEY_IGNORED, "2331", NULL,
    N_("Key of an older program, without effect.") },
  { "jlink-swo-port", TS_KEY_IGNORED, "2332", NULL,
    N_("Key of an older program, without effect.") },
  { "jlink-telnet-port", TS_KEY_IGNORED, "2333", NULL,
    N_("Key of an older program, without effect.") },
  { "rtt-port", TS_KEY_IGNORED, "19021", NULL, N_("Key of an older program, without effect.") },
  { "jlink", TS_KEY_IGNORED, NULL, NULL,
    N_("Path of a tool of an older program, without effect.") },
  { "stlink", TS_KEY_IGNORED, NULL, NULL,
    N_("Path of a tool of an older program, without effect.") },
  { "cube-programmer", TS_KEY_IGNORED, NULL, NULL,
    N_("Path of a tool of an older program, without effect.") },
  { "arm-gdb", TS_KEY_IGNORED, NULL, NULL,
    N_("Path of a tool of an older program, without effect.") },
  { "target-init", TS_KEY_IGNORED, NULL, NULL, N_("Key of an older program, without effect.") },
  { "rambuf-driver", TS_KEY_IGNORED, NULL, NULL, N_("Key of an older program, without effect.") },
};

static const struct
{
  const char *name;
  gint64 minimum;
  gint64 maximum;
} ranges[] = {
  { "speed-khz", 1, 200000 },
  { "stlink-apid", 0, 255 },
  { "cpu-clock-hz", 1, G_GINT64_CONSTANT (100000000000) },
  { "trace-clock-hz", 1, G_GINT64_CONSTANT (100000000000) },
  { "swo-freq-hz", 1, 1000000000 },
  { "itm-port", 0, 31 },
  { "rambuf-scan-start", 0, G_MAXUINT32 },
  { "rambuf-scan-size", 16, G_MAXUINT32 },
  { "rambuf-address", 0, G_MAXUINT32 },
  { "rambuf-poll-ms", 1, 60000 },
  { "rtt-channel", 0, 255 },
  { "rtt-address", 0, G_MAXUINT32 },
  { "udp-port", 1, 65535 },
  { "baud", 1, 100000000 },
  { "tcp-port", 1, 65535 },
  { "swo-tcp-port", 1, 65535 },
  { "demo-seed", 0, G_MAXUINT32 },
  { "demo-rate", 1, 1000000 },
  { "trigger-before-ms", 0, 3600000 },
  { "trigger-after-ms", 0, 86400000 },
};

static const char * const transports[] = {
  "stlink-rambuf", "stlink-swo", "stlink-rtt",
  "jlink-rtt", "jlink-rambuf", "jlink-swo",
  "cmsis-dap-rambuf", "cmsis-dap-swo", "cmsis-dap-rtt",
  "serial", "udp", "tcp", "swo-tcp", "file", "demo",
  NULL,
};

static const struct
{
  const char *transport;
  const char *key;
} required[] = {
  { "serial", "serial-port" },
  { "tcp", "tcp-host" },
  { "tcp", "tcp-port" },
  { "file", "file-path" },
  { "swo-tcp", "swo-tcp-port" },
  { "stlink-swo", "cpu-clock-hz" },
  { "jlink-swo", "cpu-clock-hz" },
  { "cmsis-dap-swo", "cpu-clock-hz" },
};

static const char * const action_choices[] = { "stop", "rearm", "mark", NULL };
static const char * const pace_choices[] = { "whole", "recorded", NULL };
/* events.md section 4, `decode --format` */
static const char *const format_choices[] = {
  "auto", "va",   "va-cobs", "va-udprec", "va-itm",   "va-tpiu",
  "itm",  "tpiu", "poll",    "rtic",      "kev",     "snapshot", NULL,
};

/* Distance with insertions, deletions, changes and swaps of neighbours; names longer than the
 * buffer count as far away. */
static guint
edit_distance (const char *a,
               const char *b)
{
  guint rows[3][64];
  gsize n_a = strlen (a), n_b = strlen (b);

  if (n_a >= G_N_ELEMENTS (rows[0]) || n_b >= G_N_ELEMENTS (rows[0]))
    return G_MAXUINT;

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint) j;

  for (gsize i = 1; i <= n_a; i++)
    {
      guint *before = rows[(i + 1) % 3];
      guint *previous = rows[(i - 1) % 3];
      guint *row = rows[i % 3];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n_b; j++)
        {
          gboolean same = g_ascii_tolower (a[i - 1]) == g_ascii_tolower (b[j - 1]);
          guint best = previous[j - 1] + (same ? 0 : 1);

          best = MIN (best, MIN (previous[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            best = MIN (best, before[j - 2] + 1);
          row[j] = best;
        }
    }

  return rows[n_a % 3][n_b];
}

/*
 * _ts_connection_find_nearest:
 * @name: what somebody wrote
 * @candidates: %NULL-terminated names that exist
 *
 * Thread: any
 *
 * Returns: (nullable): the candidate with the smallest edit distance; %NULL when all are longer
 * than any name of ours
 */
const char *
_ts_connection_find_nearest (const char *name,
                             const char * const *candidates)
{
  const char *nearest = NULL;
  guint best = G_MAXUINT;

  for (gsize i = 0; candidates[i] != NULL; i++)
    {
      guint distance = edit_distance (name, candidates[i]);

      if (distance < best)
        {
          best = distance;
          nearest = candidates[i];
        }
    }

  return nearest;
}

/* The nearest key that has an effect; older programs' keys are not worth proposing. */
const char *
_ts_connection_find_nearest_key (const char *name)
{
  const char *names[G_N_ELEMENTS (keys) + 1];
  gsize n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].type != TS_KEY_IGNORED)
      names[n++] = keys[i].name;
  names[n] = NULL;

  return _ts_connection_find_nearest (name, names);
}

const char *
_ts_connection_find_nearest_transport (const char *name)
{
  return _ts_connection_find_nearest (name, transports);
}

/* Both bounds are allowed values. FALSE: any 64-bit number. */
gboolean
_ts_connection_key_get_range (const TsConnectionKey *key,
                              gint64 *minimum,
                              gint64 *maximum)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (strcmp (ranges[i].name, key->name) == 0)
      {
        *minimum = ranges[i].minimum;
        *maximum = ranges[i].maximum;
        return TRUE;
      }

  return FALSE;
}

/* Keys that are meant to have no effect, so that nobody needs to be told. */
gboolean
_ts_connection_key_has_no_meaning (const TsConnectionKey *key)
{
  return strcmp (key->name, "_comment") == 0 || strcmp (key->name, "$schema") == 0;
}

/* The values a string key may have; NULL: any. */
const char * const *
_ts_connection_key_list_choices (const TsConnectionKey *key)
{
  if (strcmp (key->name, "transport") == 0)
    return transports;
  if (strcmp (key->name, "file-pace") == 0)
    return pace_choices;
  if (strcmp (key->name, "trigger-action") == 0)
    return action_choices;
  if (strcmp (key->name, "file-format") == 0)
    return format_choices;

  return NULL;
}

/* The first key that @transport cannot do without and that is not set, or NULL. */
const char *
_ts_connection_find_missing_key (TsConnection *self,
                                 const char *transport)
{
  for (gsize i = 0; i < G_N_ELEMENTS (required); i++)
    if (strcmp (required[i].transport, transport) == 0
        && !ts_connection_has (self, required[i].key))
      return required[i].key;

  return NULL;
}

/**
 * ts_connection_list_keys:
 * @n_keys: (out): number of keys
 *
 * Every key a connection file may have, those without effect (%TS_KEY_IGNORED) at the end.
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.2, viewalyzer-wire.md section 14.1, events.md section 5
 *
 * Returns: (transfer none) (array length=n_keys): the table
 */
const TsConnectionKey *
ts_connection_list_keys (guint *n_keys)
{
  g_return_val_if_fail (n_keys != NULL, NULL);

  *n_keys = G_N_ELEMENTS (keys);

  return keys;
}

/**
 * ts_connection_find_key:
 * @name: a name, without dashes before it
 *
 * Thread: any
 *
 * Returns: (nullable) (transfer none): its row of the table, %NULL if there is none
 */
const TsConnectionKey *
ts_connection_find_key (const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (keys[i].name, name) == 0)
      return &keys[i];

  return NULL;
}

/**
 * ts_connection_key_applies:
 * @key: a row of the table
 * @transport: name of a transport
 *
 * Whether @key is a setting of @transport; keys without effect are settings of none.
 *
 * Thread: any
 *
 * Returns: %TRUE if it is
 */
gboolean
ts_connection_key_applies (const TsConnectionKey *key,
                           const char *transport)
{
  gsize n;

  g_return_val_if_fail (key != NULL, FALSE);
  g_return_val_if_fail (transport != NULL, FALSE);

  if (key->type == TS_KEY_IGNORED)
    return FALSE;
  if (key->transports == NULL)
    return TRUE;

  n = strlen (transport);
  if (n == 0)
    return FALSE;
  for (const char *p = strstr (key->transports, transport); p != NULL;
       p = strstr (p + 1, transport))
    if ((p == key->transports || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
      return TRUE;

  return FALSE;
}

/**
 * ts_connection_list_transports:
 *
 * All transports of the contract and our own.
 *
 * Thread: any
 * Source: viewalyzer-host.md section 2.1, events.md section 5
 *
 * Returns: (transfer none) (array zero-terminated=1): names
 */
const char * const *
ts_connection_list_transports (void)
{
  return transports;
}

/**
 * ts_connection_transport_is_built:
 * @transport: a name
 *
 * Whether this version can capture through @transport.
 *
 * Thread: any
 *
 * Returns: %TRUE if it can
 */
gboolean
ts_connection_transport_is_built (const char *transport)
{
  g_return_val_if_fail (transport != NULL, FALSE);

  if (ts_probe_type_of_transport (transport) != NULL)
    return ts_probe_is_built (ts_probe_type_of_transport (transport));

  return g_strv_contains (transports, transport);
}
