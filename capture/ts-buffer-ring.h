/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-buffer-ring.h: the bounded ring of slots between the I/O thread and the decode thread.
 *
 * Single producer, single consumer, C11 atomics, no GLib locks (so that a thread sanitizer can
 * prove it); the only wait is the consumer's, on a futex-like primitive (mutex + condition). Linear
 * mode: a full ring drops new bytes and counts them. Ring mode: the oldest slot is overwritten and
 * counted (flight recorder).
 *
 * Each slot has one atomic word: its number in the stream and its state (empty, writing, full,
 * reading). Whoever moves a full slot to "writing" (producer, to overwrite the oldest) or "reading"
 * (consumer) by compare-and-swap owns its bytes alone. In ring mode the consumer copies the slot
 * out while it owns it, so that it never holds up the producer for longer than one copy of a slot.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TS_RING_LINEAR,
  TS_RING_OVERWRITE,
} TsRingMode;

/**
 * TsRingCounters:
 * @bytes_in: bytes offered
 * @bytes_dropped: bytes dropped or overwritten
 * @overruns: bursts of drops
 * @high_water: largest number of used slots so far
 * @n_slots: slots in all
 * @used: slots in use now
 */
typedef struct
{
  guint64 bytes_in;
  guint64 bytes_dropped;
  guint64 overruns;
  guint high_water;
  guint n_slots;
  guint used;
} TsRingCounters;

/**
 * TsRingSlot:
 * @source: sender number
 * @host_us: monotonic time of arrival, microseconds
 * @lost_before: bytes of this sender lost since its slot before (a loss to be marked in place)
 * @gap_before: the producer noted a break of unknown size before this slot (a connection was lost
 * and made again)
 * @n_bytes: bytes used
 * @bytes: the bytes
 */
typedef struct
{
  guint32 source;
  gint64 host_us;
  guint64 lost_before;
  gboolean gap_before;
  gsize n_bytes;
  const guint8 *bytes;
} TsRingSlot;

/** Senders whose losses are kept apart; further ones share. */
#define TS_RING_SOURCES 64

typedef struct _TsBufferRing TsBufferRing;

TsBufferRing *ts_buffer_ring_new (TsRingMode mode,
                                  guint n_slots,
                                  gsize slot_bytes,
                                  guint high_water_percent);
void ts_buffer_ring_free (TsBufferRing *self);
/* producer */
gboolean ts_buffer_ring_push (TsBufferRing *self,
                              guint32 source,
                              gint64 host_us,
                              const guint8 *bytes,
                              gsize n_bytes);
void ts_buffer_ring_note_gap (TsBufferRing *self);
gboolean ts_buffer_ring_has_room (TsBufferRing *self,
                                  gsize n_bytes);
void ts_buffer_ring_close (TsBufferRing *self);
/* consumer */
gboolean ts_buffer_ring_wait (TsBufferRing *self,
                              guint timeout_ms);
gboolean ts_buffer_ring_peek (TsBufferRing *self,
                              TsRingSlot *slot);
void ts_buffer_ring_release (TsBufferRing *self);
gboolean ts_buffer_ring_is_closed (TsBufferRing *self);
guint64 ts_buffer_ring_get_trailing_loss (TsBufferRing *self,
                                          guint32 source);
/* any */
void ts_buffer_ring_get_counters (TsBufferRing *self,
                                  TsRingCounters *counters);

G_END_DECLS
