/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-memory.c: any bytes as target memory.
 *
 * The first eight bytes are a control block's write offset and read offset, so that rings of all
 * shapes come up; the rest is memory: looked through for blocks, walked as a ring, as a names area
 * and as a metadata table.
 */
#include "config.h"

#include <string.h>

#include "decode/ts-rtt-memory.h"
#include "decode/ts-va-memory.h"
#include "fuzz-target.h"

static void
walk (const TsVaBlock *block, const guint8 *ring, const guint8 *names)
{
  GByteArray *out = g_byte_array_new ();
  GByteArray *window = ts_va_ring_copy (block, ring);
  guint n_packets;
  TsVaWalk found;

  g_assert (window->len == ts_va_block_get_used (block));
  g_assert (ts_va_live_measure (block, window->data, window->len, &n_packets) <= window->len);
  ts_va_post_mortem_to_cobs (block, ring, names, out, &found);
  g_assert (found.n_window == window->len);
  g_assert (found.n_damaged <= found.n_window);
  g_assert (found.n_names_damaged <= block->n_names);
  g_byte_array_unref (window);
  g_byte_array_unref (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  TsVaImage image = { 0x20000000, data, size };
  TsVaBlock block = { .kind = TS_VA_BLOCK_POST_MORTEM };
  TsVaMetadata metadata;
  TsVaBlockKind kind;
  GByteArray *out;
  gsize at = 0;
  guint n;
  guint32 offsets[2];

  for (; ts_va_image_find (&image, &at, &kind); at += TS_VA_MAGIC_LEN)
    {
      if (ts_va_block_parse (image.base + (guint32) at, data + at, size - at, &block))
        {
          const guint8 *ring = ts_va_image_get (&image, block.buffer, block.size);
          const guint8 *names = ts_va_image_get (&image, block.names, block.n_names);

          if (ring != NULL)
            walk (&block, ring, names);
        }
      (void) ts_va_metadata_parse (image.base + (guint32) at, data + at, size - at, &metadata);
    }

  for (at = 0; ts_rtt_find (image.base, data, size, &at); at += TS_RTT_ID_LEN)
    {
      TsRttBlock rtt;
      TsRttChannel channel;

      if (ts_rtt_block_parse (image.base + (guint32) at, data + at, size - at, &rtt))
        for (gsize i = at + TS_RTT_HEAD_LEN; i <= size && rtt.n_up-- > 0; i += TS_RTT_CHANNEL_LEN)
          if (ts_rtt_channel_parse (data + i, size - i, &channel))
            g_assert (channel.write_offset < channel.size && channel.read_offset < channel.size);
      g_free (ts_rtt_dup_name (data + at, size - at));
    }
  {
    guint32 ticks;

    if (size > 0 && ts_va_metadata_find_answer (data, size, data[0], &at, &ticks))
      g_assert (at + 23 <= size);
  }

  if (size < 8 + TS_VA_MIN_RING)
    return 0;
  memcpy (offsets, data, sizeof offsets);
  memset (&block, 0, sizeof block);
  block.kind = TS_VA_BLOCK_POST_MORTEM;
  block.size = (guint32) size - 8;
  block.write_offset = offsets[0] % block.size;
  block.read_offset = offsets[1] % block.size;
  block.wire_version = 1 + offsets[0] / block.size % 3;
  block.n_names = block.size;
  walk (&block, data + 8, data + 8);

  out = g_byte_array_new ();
  (void) ts_va_metadata_table_to_raw (data + 8, size - 8, 0, NULL, out, &n);
  g_byte_array_unref (out);
  return 0;
}
