/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-snapshot-probe.c: a snapshot of a target behind a probe, which is halted meanwhile and never
 * reset. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-probe.h"
#include "ts-snapshot.h"

static gboolean
read_from_probe (guint32 address,
                 guint8 *bytes,
                 gsize n_bytes,
                 gpointer user_data,
                 GError **error)
{
  /* peripherals and core registers: reading there may change something */
  if ((guint64) address + n_bytes > 0xE0000000u
      || (address < 0x60000000u && (guint64) address + n_bytes > 0x40000000u))
    {
      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("0x%08x is no address in RAM."), address);
      return FALSE;
    }

  return ts_probe_read (user_data, address, bytes, n_bytes, error);
}

/* The ring that will be read, found while the core runs: looking takes longer than reading. */
static gboolean
find_while_running (TsProbe *probe,
                    TsSnapshotOptions *options,
                    gboolean *is_frozen,
                    GError **error)
{
  TsVaBlock block;

  if (!ts_snapshot_find (read_from_probe, probe, options, &block, error))
    return FALSE;
  options->address = block.address;
  *is_frozen = block.is_frozen;

  return TRUE;
}

/**
 * ts_snapshot_take_probe:
 * @connection: a connection of transport stlink-rambuf or jlink-rambuf
 * @options: where to write the recording; where to look is taken from @connection
 * @figures: (out caller-allocates): control block, what the ring held
 * @summary: (out): figures of the recording; ts_recording_summary_clear()
 * @error: return location
 *
 * ts_snapshot_take() through a probe. The target is never reset; unless its ring is frozen the core
 * stands while the ring is read, and runs on afterwards if it ran before.
 *
 * Thread: any; takes as long as the probe does
 * Errors: as ts_snapshot_take(); those of ts_probe_open()
 * Source: viewalyzer-wire.md section 12.2; probes.md section 3
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_snapshot_take_probe (TsConnection *connection,
                        const TsSnapshotOptions *options,
                        TsSnapshotFigures *figures,
                        TsRecordingSummary *summary,
                        GError **error)
{
  g_autoptr (TsProbe) probe = NULL;
  TsSnapshotOptions where = *options;
  gboolean was_running = FALSE, is_frozen = FALSE, is_ok;

  where.start = (guint32) ts_connection_get_int (connection, "rambuf-scan-start");
  where.size = (gsize) MIN ((guint64) ts_connection_get_int (connection, "rambuf-scan-size"),
                            G_GUINT64_CONSTANT (0x100000000) - where.start);
  where.address = ts_connection_has (connection, "rambuf-address")
                      ? (guint32) ts_connection_get_int (connection, "rambuf-address")
                      : 0;
  probe = ts_probe_open_connection (connection, error);
  if (probe == NULL || !find_while_running (probe, &where, &is_frozen, error)
      || (!is_frozen && !ts_probe_halt (probe, &was_running, error)))
    return FALSE;

  is_ok = ts_snapshot_take (read_from_probe, probe, &where, figures, summary, error);
  /* what was read counts, even if the core cannot be told to go on */
  if (was_running && !ts_probe_resume (probe, NULL))
    g_debug ("the core does not resume");

  return is_ok;
}
