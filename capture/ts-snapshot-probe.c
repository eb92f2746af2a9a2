/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-snapshot-probe.c: a snapshot of a target behind a probe, which is halted meanwhile and never
 * reset. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include "ts-probe.h"
#include "ts-snapshot.h"
#include "ts-target-memory-private.h"

static gboolean
read_from_target (guint32 address,
                  guint8 *bytes,
                  gsize n_bytes,
                  gpointer user_data,
                  GError **error)
{
  g_autoptr (GError) local_error = NULL;

  if (_ts_target_memory_read (user_data, address, bytes, n_bytes, &local_error))
    return TRUE;
  g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT, local_error->message);

  return FALSE;
}

/* A control block where the firmware's file says that one lies: what a crash left before what nobody
 * drained. */
static guint32
find_by_symbol (TsTargetMemory *memory)
{
  static const struct
  {
    const char *name;
    gsize n_bytes;
  } symbols[] = { { "_VA_PMBUF", TS_VA_POST_MORTEM_BLOCK_LEN },
                  { "_VA_RAMBUF", TS_VA_OLD_LIVE_BLOCK_LEN } };

  for (gsize i = 0; i < G_N_ELEMENTS (symbols); i++)
    {
      guint8 bytes[TS_VA_POST_MORTEM_BLOCK_LEN];
      g_autofree char *problem = NULL;
      guint32 address;
      TsVaBlock block;

      if (_ts_target_memory_find_symbol (memory, symbols[i].name, symbols[i].n_bytes, &address,
                                         &problem)
          && _ts_target_memory_read (memory, address, bytes, symbols[i].n_bytes, NULL)
          && ts_va_block_parse (address, bytes, symbols[i].n_bytes, &block))
        return address;
    }

  return 0;
}

/* The ring that will be read, found while the core runs: looking takes longer than reading. */
static gboolean
find_while_running (TsTargetMemory *memory,
                    TsSnapshotOptions *options,
                    gboolean *is_frozen,
                    GError **error)
{
  TsVaBlock block;

  if (!ts_snapshot_find (read_from_target, memory, options, &block, error))
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
  TsTargetMemory memory;
  TsSnapshotOptions where = *options;
  gboolean was_running = FALSE, is_frozen = FALSE, is_ok;

  if (!_ts_target_memory_init (&memory, connection, error))
    return FALSE;
  where.start = memory.scan_start;
  where.size = (gsize) memory.scan_size;
  where.address = ts_connection_has (connection, "rambuf-address")
                      ? (guint32) ts_connection_get_int (connection, "rambuf-address")
                      : 0;
  probe = memory.probe = ts_probe_open_connection (connection, error);
  if (probe != NULL && where.address == 0)
    where.address = find_by_symbol (&memory);
  is_ok = probe != NULL && find_while_running (&memory, &where, &is_frozen, error)
          && (is_frozen || ts_probe_halt (probe, &was_running, error))
          && ts_snapshot_take (read_from_target, &memory, &where, figures, summary, error);
  _ts_target_memory_clear (&memory);
  /* what was read counts, even if the core cannot be told to go on */
  if (was_running && !ts_probe_resume (probe, NULL))
    g_debug ("the core does not resume");

  return is_ok;
}
