/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-rtt-memory.c: SEGGER's RTT control block, read from bytes at hand. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-rtt-memory.h"
#include "ts-va-wire-private.h"

/* Source: viewalyzer-wire.md section 12.6: ten letters and six NULs, which the array holds by being
 * larger than the text. */
static const char id[TS_RTT_ID_LEN] = "SEGGER RTT";

#define MODE_MASK 3u
#define MODE_BLOCK 2u
#define MAX_BUFFER (16u * 1024 * 1024)

/**
 * ts_rtt_block_has_id:
 * @bytes: (array length=n_bytes): memory
 * @n_bytes: how many
 *
 * Thread: any
 *
 * Returns: whether all 16 bytes of the id stand at @bytes
 */
gboolean
ts_rtt_block_has_id (const guint8 *bytes,
                     gsize n_bytes)
{
  return n_bytes >= TS_RTT_ID_LEN && memcmp (bytes, id, TS_RTT_ID_LEN) == 0;
}

/**
 * ts_rtt_block_parse:
 * @address: where the block lies in the target
 * @bytes: (array length=n_bytes): the block
 * @n_bytes: how many, at least %TS_RTT_HEAD_LEN
 * @block: (out caller-allocates): what it says
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.6; probes.md section 4 (what is sane)
 *
 * Returns: whether it is a sane block
 */
gboolean
ts_rtt_block_parse (guint32 address,
                    const guint8 *bytes,
                    gsize n_bytes,
                    TsRttBlock *block)
{
  memset (block, 0, sizeof *block);
  if (n_bytes < TS_RTT_HEAD_LEN || !ts_rtt_block_has_id (bytes, n_bytes))
    return FALSE;
  block->address = address;
  block->n_up = _ts_va_u32 (bytes + 16);
  block->n_down = _ts_va_u32 (bytes + 20);

  return block->n_up >= 1 && block->n_up <= TS_RTT_MAX_CHANNELS
         && block->n_down <= TS_RTT_MAX_CHANNELS
         && (guint64) address + TS_RTT_HEAD_LEN + TS_RTT_CHANNEL_LEN * (guint64) block->n_up
                <= G_GUINT64_CONSTANT (0x100000000);
}

/**
 * ts_rtt_channel_parse:
 * @bytes: (array length=n_bytes): an up-channel
 * @n_bytes: how many, at least %TS_RTT_CHANNEL_LEN
 * @channel: (out caller-allocates): what it says
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.6
 *
 * Returns: whether the channel is configured and sane
 */
gboolean
ts_rtt_channel_parse (const guint8 *bytes,
                      gsize n_bytes,
                      TsRttChannel *channel)
{
  guint32 flags;

  memset (channel, 0, sizeof *channel);
  if (n_bytes < TS_RTT_CHANNEL_LEN)
    return FALSE;
  channel->name = _ts_va_u32 (bytes);
  channel->buffer = _ts_va_u32 (bytes + 4);
  channel->size = _ts_va_u32 (bytes + 8);
  channel->write_offset = _ts_va_u32 (bytes + TS_RTT_CHANNEL_WRITE_OFFSET_AT);
  channel->read_offset = _ts_va_u32 (bytes + TS_RTT_CHANNEL_WRITE_OFFSET_AT + 4);
  flags = _ts_va_u32 (bytes + 20);
  channel->mode = flags & MODE_MASK;

  return channel->buffer != 0 && channel->size >= 2 && channel->size <= MAX_BUFFER
         && (guint64) channel->buffer + channel->size <= G_GUINT64_CONSTANT (0x100000000)
         && channel->write_offset < channel->size && channel->read_offset < channel->size
         && channel->mode <= MODE_BLOCK && flags >> 24 == 0;
}

/**
 * ts_rtt_find:
 * @base: target address of the first byte
 * @bytes: (array length=n_bytes): a copy of memory
 * @n_bytes: how many
 * @offset: (inout): where to begin; where an id was found
 *
 * Looks for the next id at an address divisible by four.
 *
 * Thread: any
 *
 * Returns: whether there is one
 */
gboolean
ts_rtt_find (guint32 base,
             const guint8 *bytes,
             gsize n_bytes,
             gsize *offset)
{
  for (gsize at = *offset; at + TS_RTT_ID_LEN <= n_bytes; at++)
    {
      const guint8 *s = memchr (bytes + at, id[0], n_bytes - at);

      if (s == NULL)
        return FALSE;
      at = (gsize) (s - bytes);
      if ((base + at) % 4 == 0 && ts_rtt_block_has_id (s, n_bytes - at))
        {
          *offset = at;
          return TRUE;
        }
    }

  return FALSE;
}

/**
 * ts_rtt_dup_name:
 * @bytes: (array length=n_bytes): memory at a channel's name
 * @n_bytes: how many
 *
 * Thread: any
 *
 * Returns: (transfer full) (nullable): the name; %NULL if there is no terminated ASCII text of at
 *   most %TS_RTT_MAX_NAME bytes
 */
char *
ts_rtt_dup_name (const guint8 *bytes,
                 gsize n_bytes)
{
  const guint8 *end = memchr (bytes, '\0', MIN (n_bytes, TS_RTT_MAX_NAME));

  if (end == NULL)
    return NULL;
  for (const guint8 *p = bytes; p < end; p++)
    if (!g_ascii_isprint ((char) *p))
      return NULL;

  return g_strndup ((const char *) bytes, (gsize) (end - bytes));
}
