/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ring-drain-private.h: drains a ring in target RAM through a probe while the target runs: the
 * recorder's own, or an RTT up-channel, which differ in their control block alone.
 *
 * No thread and no clock of its own: the source decides when to look again. Inside capture only.
 */
#pragma once

#include "decode/ts-rtt-memory.h"
#include "decode/ts-va-memory.h"

#include "ts-target-memory-private.h"

G_BEGIN_DECLS

typedef enum
{
  TS_RING_RAMBUF, /* viewalyzer-wire.md section 12.1 */
  TS_RING_RTT,    /* viewalyzer-wire.md section 12.6 */
} TsRingKind;

/** Bytes of a control block that tell one life of it from another. */
#define TS_RING_HEAD_LEN 48

/**
 * TsTargetRing:
 * @block: address of the control block
 * @offsets_at: address of the write offset; the read offset follows
 * @buffer: address of the ring
 * @size: its bytes
 * @write_offset: below @size
 * @read_offset: below @size
 * @dropped: packets that the target dropped, where it tells
 * @is_blocking: the target waits for the host
 * @va: the recorder's control block
 * @head: first bytes of the control block
 *
 * A ring as last read.
 */
typedef struct
{
  guint32 block;
  guint32 offsets_at;
  guint32 buffer;
  guint32 size;
  guint32 write_offset;
  guint32 read_offset;
  guint32 dropped;
  gboolean is_blocking;
  TsVaBlock va;
  guint8 head[TS_RING_HEAD_LEN];
} TsTargetRing;

/**
 * TsRingDrain:
 * @memory: borrowed
 * @kind: what the control block looks like
 * @channel: RTT: up-channel to take if none is named ViewAlyzer
 * @ring: the ring as last read, once it was chosen
 * @is_found: @ring means something
 * @has_written: a read offset was written, @read_offset
 * @is_restarting: the magic is gone: the target boots
 * @n_restarts: how often the target began anew
 * @n_looks: control blocks read
 * @n_bytes: bytes of the ring read
 * @most_used: most bytes in the ring at once
 */
typedef struct
{
  TsTargetMemory *memory;
  TsRingKind kind;
  guint channel;
  TsTargetRing ring;
  gboolean is_found;
  gboolean has_written;
  guint32 read_offset;
  gboolean is_restarting;
  gboolean is_release_pending;
  guint32 released;
  guint n_restarts;
  guint64 n_looks;
  guint64 n_bytes;
  guint32 most_used;
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

gboolean _ts_ring_look (TsRingDrain *self,
                        guint32 address,
                        TsTargetRing *ring,
                        gboolean *is_sane,
                        GError **error);
gboolean _ts_ring_parse_rambuf (TsRingDrain *self,
                                TsTargetRing *ring);
GArray *_ts_ring_scan (TsRingDrain *self,
                       GError **error);
gsize _ts_ring_get_used (const TsTargetRing *ring);
void _ts_ring_drain_choose (TsRingDrain *self,
                            const TsTargetRing *ring);
gboolean _ts_ring_drain_step (TsRingDrain *self,
                              GByteArray *out,
                              TsDrainResult *result,
                              GError **error);
gboolean _ts_ring_drain_release (TsRingDrain *self,
                                 gboolean is_busy,
                                 GError **error);

G_END_DECLS
