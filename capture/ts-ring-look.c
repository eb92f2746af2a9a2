/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-look.c: reads control blocks of rings, and looks for them through stated RAM. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-ring-drain-private.h"

/* More candidates than these are not looked at. */
#define MAX_CANDIDATES 16
#define CHANNEL_NAME "ViewAlyzer"

/* Bytes in use in a sane ring. */
gsize
_ts_ring_get_used (const TsTargetRing *ring)
{
  return ring->write_offset >= ring->read_offset
             ? ring->write_offset - ring->read_offset
             : (gsize) ring->size - ring->read_offset + ring->write_offset;
}

/* Takes the recorder's control block from @ring->head; whether its ring lies in stated RAM. */
gboolean
_ts_ring_parse_rambuf (TsRingDrain *self,
                       TsTargetRing *ring)
{
  TsVaBlock *va = &ring->va;
  gboolean is_sane = ts_va_block_parse (ring->block, ring->head, TS_VA_LIVE_BLOCK_LEN, va)
                     && va->kind == TS_VA_BLOCK_LIVE
                     && _ts_target_memory_holds (self->memory, va->buffer, va->size);

  ring->offsets_at = ring->block + TS_VA_BLOCK_WRITE_OFFSET_AT;
  ring->buffer = va->buffer;
  ring->size = va->size;
  ring->write_offset = va->write_offset;
  ring->read_offset = va->read_offset;
  ring->dropped = va->dropped;
  ring->is_blocking = va->is_blocking;

  return is_sane;
}

/* The up-channel named ViewAlyzer, else the one with the number. Source: viewalyzer-wire.md
 * section 3.3 */
static guint
choose_channel (TsRingDrain *self,
                const TsRttBlock *block,
                const guint8 *channels)
{
  for (guint i = 0; i < block->n_up; i++)
    {
      TsRttChannel channel;
      guint8 bytes[sizeof CHANNEL_NAME];
      g_autofree char *name = NULL;

      if (!ts_rtt_channel_parse (channels + TS_RTT_CHANNEL_LEN * i, TS_RTT_CHANNEL_LEN, &channel)
          || channel.name == 0
          || !_ts_target_memory_read_name (self->memory, channel.name, bytes, sizeof bytes))
        continue;
      name = ts_rtt_dup_name (bytes, sizeof bytes);
      if (g_strcmp0 (name, CHANNEL_NAME) == 0)
        return i;
    }

  return self->channel;
}

/* Reads an RTT control block, and one of its channels. */
static gboolean
look_rtt (TsRingDrain *self,
          guint32 address,
          TsTargetRing *ring,
          gboolean *is_sane,
          GError **error)
{
  guint8 bytes[TS_RTT_HEAD_LEN + TS_RTT_MAX_CHANNELS * TS_RTT_CHANNEL_LEN];
  gboolean is_known = self->is_found && address == self->ring.block;
  gsize n = TS_RTT_HEAD_LEN;
  TsRttBlock block;
  TsRttChannel channel;
  guint number;

  /* of a known block as much as its channel needs, in one piece */
  if (is_known)
    n = self->ring.offsets_at - TS_RTT_CHANNEL_WRITE_OFFSET_AT + TS_RTT_CHANNEL_LEN - address;
  *is_sane = FALSE;
  if (!_ts_target_memory_read (self->memory, address, bytes, n, error))
    return FALSE;
  memcpy (ring->head, bytes, MIN (n, sizeof ring->head));
  if (!ts_rtt_block_parse (address, bytes, n, &block))
    return TRUE;
  if (is_known)
    number = (guint) ((n - TS_RTT_HEAD_LEN) / TS_RTT_CHANNEL_LEN) - 1;
  else
    {
      n = TS_RTT_HEAD_LEN + TS_RTT_CHANNEL_LEN * (gsize) block.n_up;
      if (!_ts_target_memory_holds (self->memory, address, n))
        return TRUE;
      if (!_ts_target_memory_read (self->memory, address, bytes, n, error))
        return FALSE;
      if (!ts_rtt_block_parse (address, bytes, n, &block)
          || n < TS_RTT_HEAD_LEN + TS_RTT_CHANNEL_LEN * (gsize) block.n_up)
        return TRUE;
      memcpy (ring->head, bytes, MIN (n, sizeof ring->head));
      number = choose_channel (self, &block, bytes + TS_RTT_HEAD_LEN);
    }
  if (number >= block.n_up)
    return TRUE;

  *is_sane = ts_rtt_channel_parse (bytes + TS_RTT_HEAD_LEN + TS_RTT_CHANNEL_LEN * number,
                                   TS_RTT_CHANNEL_LEN, &channel)
             && _ts_target_memory_holds (self->memory, channel.buffer, channel.size);
  ring->offsets_at = address + TS_RTT_HEAD_LEN + TS_RTT_CHANNEL_LEN * number
                     + TS_RTT_CHANNEL_WRITE_OFFSET_AT;
  ring->buffer = channel.buffer;
  ring->size = channel.size;
  ring->write_offset = channel.write_offset;
  ring->read_offset = channel.read_offset;
  ring->is_blocking = channel.mode == 2;

  return TRUE;
}

/*
 * _ts_ring_look:
 * @self: what kind of ring, and where memory may be read
 * @address: of a control block
 * @ring: (out caller-allocates): what it says
 * @is_sane: (out): whether it is a control block whose ring lies in stated RAM
 * @error: return location
 *
 * Errors: those of the probe; %TS_CAPTURE_ERROR_LOST for an address outside of stated RAM
 * Source: viewalyzer-wire.md sections 12.1 and 12.6
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_ring_look (TsRingDrain *self,
               guint32 address,
               TsTargetRing *ring,
               gboolean *is_sane,
               GError **error)
{
  self->n_looks++;
  memset (ring, 0, sizeof *ring);
  ring->block = address;

  if (self->kind == TS_RING_RTT)
    return look_rtt (self, address, ring, is_sane, error);
  if (!_ts_target_memory_read (self->memory, address, ring->head, TS_VA_LIVE_BLOCK_LEN, error))
    return FALSE;
  *is_sane = _ts_ring_parse_rambuf (self, ring);

  return TRUE;
}

/* Finds the next magic in @memory. */
static gboolean
find_magic (TsRingDrain *self,
            guint32 base,
            const guint8 *memory,
            gsize n,
            gsize *offset)
{
  TsVaImage image = { base, memory, n };
  TsVaBlockKind kind;

  if (self->kind == TS_RING_RTT)
    return ts_rtt_find (base, memory, n, offset);
  for (; ts_va_image_find (&image, offset, &kind); *offset += TS_VA_MAGIC_LEN)
    if (kind == TS_VA_BLOCK_LIVE)
      return TRUE;

  return FALSE;
}

typedef struct
{
  TsRingDrain *drain;
  GArray *rings;
} Scan;

/* Takes the sane control blocks of one piece of RAM. */
static gboolean
scan_piece (TsTargetMemory *memory,
            guint32 base,
            const guint8 *bytes,
            gsize n_bytes,
            gsize n_own,
            gpointer user_data,
            GError **error)
{
  Scan *scan = user_data;
  gsize offset = 0;

  for (; find_magic (scan->drain, base, bytes, n_bytes, &offset); offset += TS_VA_MAGIC_LEN)
    {
      TsTargetRing ring;
      gboolean is_sane, is_fault;
      guint n_tries = 0;

      if (offset >= n_own || scan->rings->len >= MAX_CANDIDATES)
        break;
      if (!_ts_target_memory_holds (memory, base + (guint32) offset, TS_RING_HEAD_LEN))
        continue;
      while (!_ts_ring_look (scan->drain, base + (guint32) offset, &ring, &is_sane, error))
        {
          if (!_ts_target_memory_may_retry (memory, &n_tries, &is_fault))
            return FALSE;
          g_clear_error (error);
        }
      if (is_sane)
        g_array_append_val (scan->rings, ring);
    }

  return TRUE;
}

/*
 * _ts_ring_scan:
 * @self: what kind of ring, and where memory may be read
 * @error: return location
 *
 * Looks for sane control blocks through the scan window, and the firmware's RAM beside it.
 *
 * Errors: those of the probe
 * Source: probes.md section 3, step 1
 *
 * Returns: (transfer full) (element-type TsTargetRing): rings by address; %NULL with @error set
 */
GArray *
_ts_ring_scan (TsRingDrain *self,
               GError **error)
{
  g_autoptr (GArray) rings = g_array_new (FALSE, FALSE, sizeof (TsTargetRing));
  Scan scan = { self, rings };

  if (!_ts_target_memory_scan (self->memory, TS_VA_MAGIC_LEN, scan_piece, &scan, error))
    return NULL;

  return g_steal_pointer (&rings);
}
