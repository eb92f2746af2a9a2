/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-words.c: what people call transports and keys of a connection. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-connection-words-private.h"

static const struct
{
  const char *name;
  const char *title;
} transport_titles[] = {
  { "demo", N_ ("Demo target") },
  { "serial", N_ ("Serial port") },
  { "udp", N_ ("UDP") },
  { "tcp", N_ ("TCP") },
  { "file", N_ ("Replay of a file") },
  { "stlink-rambuf", N_ ("ST-LINK, RAM buffer") },
  { "stlink-swo", N_ ("ST-LINK, SWO") },
  { "stlink-rtt", N_ ("ST-LINK, RTT") },
  { "jlink-rtt", N_ ("J-Link, RTT") },
  { "jlink-rambuf", N_ ("J-Link, RAM buffer") },
  { "jlink-swo", N_ ("J-Link, SWO") },
  { "cmsis-dap-rambuf", N_ ("CMSIS-DAP, RAM buffer") },
  { "cmsis-dap-rtt", N_ ("CMSIS-DAP, RTT") },
  { "cmsis-dap-swo", N_ ("CMSIS-DAP, SWO") },
  { "swo-tcp", N_ ("SWO over TCP") },
};

static const struct
{
  const char *key;
  const char *title;
} key_titles[] = {
  { "udp-ip", N_ ("Listen on address") },
  { "udp-port", N_ ("Port") },
  { "serial-port", N_ ("Port") },
  { "baud", N_ ("Baud rate") },
  { "cobs", N_ ("COBS frames") },
  { "tcp-host", N_ ("Host") },
  { "tcp-port", N_ ("Port") },
  { "swo-tcp-host", N_ ("Host") },
  { "swo-tcp-port", N_ ("Port") },
  { "file-path", N_ ("File") },
  { "file-format", N_ ("Format") },
  { "file-pace", N_ ("Pace") },
  { "demo-seed", N_ ("Seed") },
  { "demo-rate", N_ ("Events per second") },
  { "cpu-clock-hz", N_ ("Core clock in Hz") },
  { "trace-clock-hz", N_ ("Trace clock in Hz") },
  { "swo-freq-hz", N_ ("SWO rate in Hz") },
  { "itm-port", N_ ("Stimulus port") },
  { "speed-khz", N_ ("Debug clock in kHz") },
  { "target-device", N_ ("Target device") },
  { "no-reset", N_ ("Reset target") },
  { "connect-under-reset", N_ ("Connect under reset") },
  { "stlink-serial", N_ ("Probe (serial number)") },
  { "jlink-serial", N_ ("Probe (serial number)") },
  { "stlink-apid", N_ ("Access port") },
  { "rambuf-address", N_ ("Address of the ring") },
  { "rambuf-scan-start", N_ ("RAM begins at") },
  { "rambuf-scan-size", N_ ("RAM to search, bytes") },
  { "rambuf-poll-ms", N_ ("Read every, ms") },
  { "rtt-address", N_ ("Address of the RTT block") },
  { "rtt-channel", N_ ("RTT channel") },
  { "init-swo", N_ ("Set up the trace pin") },
};

/**
 * ts_connection_form_get_transport_title:
 * @transport: name of a transport, as in a connection file
 *
 * Thread: main
 *
 * Returns: (transfer none): what people call it
 */
const char *
ts_connection_form_get_transport_title (const char *transport)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (transport_titles); i++)
    if (g_strcmp0 (transport_titles[i].name, transport) == 0)
      return _ (transport_titles[i].title);
  return transport;
}

/* "rambuf-poll-ms" without a title of its own is "Rambuf poll ms": readable, and still findable in
 * the documentation. */
char *
_ts_connection_dup_key_title (const char *key)
{
  char *title;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (key_titles); i++)
    if (g_str_equal (key_titles[i].key, key))
      return g_strdup (_ (key_titles[i].title));
  title = g_strdelimit (g_strdup (key), "-_", ' ');
  title[0] = g_ascii_toupper (title[0]);
  return title;
}

/* Keys that hardly anybody changes: they lie folded away. */
gboolean
_ts_connection_key_is_seldom (const char *key)
{
  static const char *const keys[] = {
    "target-device",    "interface",      "speed-khz",   "stlink-apid", "rambuf-scan-start",
    "rambuf-scan-size", "rambuf-poll-ms", "rtt-channel", "itm-port",    "connect-under-reset",
    NULL,
  };

  return g_strv_contains (keys, key);
}
