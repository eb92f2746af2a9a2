/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ring-drain.c: the recorder's live ring, drained through a probe. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <string.h>

#include "ts-ring-drain-private.h"

#define SCAN_CHUNK 4096

/* Peripherals and core registers: reading there may change something. Source: the Arm memory map
 * of probes.md section 2 */
static gboolean
is_peripheral (guint32 address,
               guint32 n_bytes)
{
  guint64 end = (guint64) address + n_bytes;

  return (address < 0x60000000u && end > 0x40000000u) || end > 0xE0000000u;
}

/* Nothing is read outside the stated RAM. */
static gboolean
is_buffer_in_ram (TsRingDrain *self,
                  const TsVaBlock *block)
{
  guint64 end = (guint64) block->buffer + block->size;

  if (is_peripheral (block->buffer, block->size))
    return FALSE;

  return self->is_given
         || (block->buffer >= self->scan_start
             && end <= (guint64) self->scan_start + self->scan_size);
}

/* Reads the block at @address. @is_sane: it is a live ring in RAM. */
static gboolean
read_block (TsRingDrain *self,
            guint32 address,
            TsVaBlock *block,
            gboolean *is_sane,
            GError **error)
{
  guint8 bytes[TS_VA_LIVE_BLOCK_LEN];

  self->n_polls++;
  if (!ts_probe_read (self->probe, address, bytes, sizeof bytes, error))
    return FALSE;
  *is_sane = ts_va_block_parse (address, bytes, sizeof bytes, block)
             && block->kind == TS_VA_BLOCK_LIVE && is_buffer_in_ram (self, block);

  return TRUE;
}

/*
 * _ts_ring_drain_find:
 * @self: where to look
 * @is_found: (out): whether there is a ring
 * @error: return location
 *
 * Looks once for the control block: where it is said to lie, else through the RAM that was stated.
 *
 * Errors: those of the probe
 * Source: probes.md section 3, step 1
 *
 * Returns: %FALSE when the target cannot be read
 */
gboolean
_ts_ring_drain_find (TsRingDrain *self,
                     gboolean *is_found,
                     GError **error)
{
  guint8 memory[SCAN_CHUNK + TS_VA_MAGIC_LEN];
  TsVaBlock block;

  *is_found = FALSE;
  if (self->address != 0)
    {
      if (!read_block (self, self->address, &block, is_found, error))
        return FALSE;
      self->block = block;
      self->is_found = *is_found;
      return TRUE;
    }

  for (gsize at = 0; at < self->scan_size; at += SCAN_CHUNK)
    {
      gsize n = MIN (sizeof memory, self->scan_size - at);
      TsVaImage image = { self->scan_start + (guint32) at, memory, n };
      TsVaBlockKind kind;
      gsize offset = 0;

      if (!ts_probe_read (self->probe, image.base, memory, n, error))
        return FALSE;
      for (; ts_va_image_find (&image, &offset, &kind); offset += TS_VA_MAGIC_LEN)
        {
          if (kind != TS_VA_BLOCK_LIVE)
            continue;
          if (!read_block (self, image.base + (guint32) offset, &block, is_found, error))
            return FALSE;
          if (*is_found)
            {
              self->block = block;
              self->address = block.address;
              self->is_found = TRUE;
              return TRUE;
            }
        }
    }

  return TRUE;
}

/* Appends @n bytes at @offset of the ring. */
static gboolean
read_piece (TsRingDrain *self,
            guint32 offset,
            gsize n,
            GByteArray *out,
            GError **error)
{
  guint at = out->len;

  g_byte_array_set_size (out, (guint) (at + n));

  return ts_probe_read (self->probe, self->block.buffer + offset, out->data + at, n, error);
}

/*
 * _ts_ring_drain_step:
 * @self: a ring that was found
 * @out: where to append
 * @result: (out): what there was
 * @error: return location
 *
 * Reads the block, checks that it is the one of the last time, and reads what is new. The target
 * keeps the bytes until _ts_ring_drain_release().
 *
 * Errors: those of the probe
 * Source: viewalyzer-wire.md section 12.1, "Rules" and "Attach"; probes.md section 3
 *
 * Returns: %FALSE when the target cannot be read; @out is then as it was
 */
gboolean
_ts_ring_drain_step (TsRingDrain *self,
                     GByteArray *out,
                     TsDrainResult *result,
                     GError **error)
{
  guint before = out->len;
  gboolean is_sane, has_restarted;
  TsVaBlock block;
  gsize n_used, n_first;

  if (!read_block (self, self->address, &block, &is_sane, error))
    return FALSE;
  if (!is_sane)
    {
      self->is_restarting = TRUE;
      self->has_written = FALSE;
      *result = TS_DRAIN_RESTARTING;
      return TRUE;
    }

  has_restarted = self->is_restarting
                  || (self->has_written && block.read_offset != self->read_offset)
                  || block.buffer != self->block.buffer || block.size != self->block.size;
  self->is_restarting = FALSE;
  self->has_written = FALSE;
  self->block = block;
  if (has_restarted)
    {
      self->n_restarts++;
      *result = TS_DRAIN_RESTARTED;
      return TRUE;
    }

  n_used = ts_va_block_get_used (&block);
  if (n_used == 0)
    {
      self->read_offset = block.read_offset;
      self->has_written = TRUE;
      *result = TS_DRAIN_EMPTY;
      return TRUE;
    }
  n_first = MIN (n_used, (gsize) block.size - block.read_offset);
  if (!read_piece (self, block.read_offset, n_first, out, error)
      || (n_used > n_first && !read_piece (self, 0, n_used - n_first, out, error)))
    {
      g_byte_array_set_size (out, before);
      return FALSE;
    }
  self->n_bytes += n_used;
  *result = TS_DRAIN_BYTES;

  return TRUE;
}

/*
 * _ts_ring_drain_release:
 * @self: a ring of which a step gave bytes that are safe now
 * @error: return location
 *
 * Tells the target that it may overwrite them: one aligned store, the only thing ever written.
 *
 * Errors: those of the probe
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
_ts_ring_drain_release (TsRingDrain *self,
                        GError **error)
{
  if (!ts_probe_write_word (self->probe, self->address + TS_VA_BLOCK_READ_OFFSET_AT,
                            self->block.write_offset, error))
    return FALSE;
  self->read_offset = self->block.write_offset;
  self->has_written = TRUE;

  return TRUE;
}
