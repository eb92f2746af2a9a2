/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ring-drain-private.h: drains the recorder's live ring through a probe while the target runs.
 *
 * No thread and no clock of its own: the source decides when to look again. Inside capture only.
 */
#pragma once

#include "decode/ts-va-memory.h"

#include "ts-probe.h"

G_BEGIN_DECLS

/**
 * TsRingDrain:
 * @probe: borrowed
 * @scan_start: where to look for the control block
 * @scan_size: how far
 * @address: where the block lies; 0: not known, look for it
 * @is_given: @address came from the user, and the buffer may lie anywhere in RAM
 * @block: the block as last read
 * @is_found: @block means something
 * @has_written: a read offset was written, @read_offset
 * @is_restarting: the magic is gone: the target boots
 * @n_restarts: how often the target began anew
 * @n_polls: blocks read
 * @n_bytes: bytes of the ring read
 */
typedef struct
{
  TsProbe *probe;
  guint32 scan_start;
  gsize scan_size;
  guint32 address;
  gboolean is_given;
  TsVaBlock block;
  gboolean is_found;
  gboolean has_written;
  guint32 read_offset;
  gboolean is_restarting;
  guint n_restarts;
  guint64 n_polls;
  guint64 n_bytes;
} TsRingDrain;

/**
 * TsDrainResult:
 * @TS_DRAIN_EMPTY: nothing new
 * @TS_DRAIN_BYTES: bytes were appended; call _ts_ring_drain_release() when they are safe
 * @TS_DRAIN_RESTARTING: the target boots: no valid block at the moment
 * @TS_DRAIN_RESTARTED: as %TS_DRAIN_EMPTY; the target has begun anew since the last time
 */
typedef enum
{
  TS_DRAIN_EMPTY,
  TS_DRAIN_BYTES,
  TS_DRAIN_RESTARTING,
  TS_DRAIN_RESTARTED,
} TsDrainResult;

gboolean _ts_ring_drain_find (TsRingDrain *self,
                              gboolean *is_found,
                              GError **error);
gboolean _ts_ring_drain_step (TsRingDrain *self,
                              GByteArray *out,
                              TsDrainResult *result,
                              GError **error);
gboolean _ts_ring_drain_release (TsRingDrain *self,
                                 GError **error);

G_END_DECLS
