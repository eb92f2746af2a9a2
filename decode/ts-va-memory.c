/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-memory.c: the recorder's structures in target memory, read from bytes at hand. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-va-memory.h"
#include "ts-va-wire-private.h"

/* Source: viewalyzer-wire.md sections 12.1, 12.2, 12.4: 14 letters and two NULs each, which the
 * arrays hold by being larger than the text. */
static const char magics[][TS_VA_MAGIC_LEN] = {
  [TS_VA_BLOCK_LIVE] = "ViewAlyzerRB01",
  [TS_VA_BLOCK_POST_MORTEM] = "ViewAlyzerPM01",
  [TS_VA_BLOCK_METADATA] = "ViewAlyzerMD01",
};

/* Live ring. Source: viewalyzer-wire.md section 12.1 */
#define LIVE_FLAG_BLOCK 1u
#define LIVE_FLAG_METADATA 0x100u
/* Post-mortem ring. Source: viewalyzer-wire.md section 12.2 */
#define PM_FLAG_FROZEN 1u
#define PM_FLAG_WRAPPED 2u
#define PM_MAX_FRAME 255
/* Names areas are at most this large in any build known. */
#define MAX_NAMES 65536
/* Marker, head of an INFO packet, and a text of at most 14 characters. */
#define PREFACE_LEN 40
/* Source: viewalyzer-wire.md section 12.4 */
#define METADATA_MIN 128
#define METADATA_MAX 65536

/**
 * ts_va_block_has_magic:
 * @kind: which block
 * @bytes: (array length=n_bytes): memory
 * @n_bytes: how many
 *
 * Thread: any
 *
 * Returns: whether all 16 bytes of the magic stand at @bytes
 */
gboolean
ts_va_block_has_magic (TsVaBlockKind kind,
                       const guint8 *bytes,
                       gsize n_bytes)
{
  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (magics), FALSE);

  return n_bytes >= TS_VA_MAGIC_LEN && memcmp (bytes, magics[kind], TS_VA_MAGIC_LEN) == 0;
}

/* Whether [start, start + n) is a range of the 32-bit address space. */
static gboolean
is_range (guint32 start,
          guint32 n)
{
  return (guint64) start + n <= G_GUINT64_CONSTANT (0x100000000);
}

static gboolean
is_known_wire (guint wire_version,
               guint ts_bytes)
{
  return wire_version >= 1 && wire_version <= 3 && ts_bytes == 4;
}

/**
 * ts_va_block_parse:
 * @address: where the block lies in the target
 * @bytes: (array length=n_bytes): the block and what follows it
 * @n_bytes: how many
 * @block: (out caller-allocates): what it says
 *
 * Reads the control block of a ring. A block is believed only when every field makes sense: copies
 * of the magic lie in flash, too, and memory may hold anything.
 *
 * Thread: any
 * Source: viewalyzer-wire.md sections 12.1 and 12.2
 *
 * Returns: whether it is a sane block
 */
gboolean
ts_va_block_parse (guint32 address,
                   const guint8 *bytes,
                   gsize n_bytes,
                   TsVaBlock *block)
{
  gboolean is_live = ts_va_block_has_magic (TS_VA_BLOCK_LIVE, bytes, n_bytes);

  memset (block, 0, sizeof *block);
  if (!is_live && !ts_va_block_has_magic (TS_VA_BLOCK_POST_MORTEM, bytes, n_bytes))
    return FALSE;
  if (n_bytes < (is_live ? TS_VA_OLD_LIVE_BLOCK_LEN : TS_VA_POST_MORTEM_BLOCK_LEN))
    return FALSE;

  block->kind = is_live ? TS_VA_BLOCK_LIVE : TS_VA_BLOCK_POST_MORTEM;
  block->address = address;
  block->buffer = _ts_va_u32 (bytes + 16);
  block->size = _ts_va_u32 (bytes + 20);
  block->write_offset = _ts_va_u32 (bytes + TS_VA_BLOCK_WRITE_OFFSET_AT);
  block->read_offset = _ts_va_u32 (bytes + TS_VA_BLOCK_READ_OFFSET_AT);
  block->dropped = _ts_va_u32 (bytes + 32);
  block->flags = _ts_va_u32 (bytes + 36);
  if (block->size < TS_VA_MIN_RING || block->size > TS_VA_MAX_RING || block->buffer == 0
      || !is_range (block->buffer, block->size) || block->write_offset >= block->size
      || block->read_offset >= block->size)
    return FALSE;

  if (is_live)
    {
      if ((block->flags & ~(LIVE_FLAG_BLOCK | LIVE_FLAG_METADATA)) != 0)
        return FALSE;
      block->is_blocking = (block->flags & LIVE_FLAG_BLOCK) != 0;
      block->has_metadata = (block->flags & LIVE_FLAG_METADATA) != 0;
      /* the block of older recorders ends here, and anything may follow */
      if (n_bytes < TS_VA_LIVE_BLOCK_LEN || bytes[44] != 1 || bytes[45] != 4)
        return TRUE;
    }
  else
    {
      block->is_frozen = (block->flags & PM_FLAG_FROZEN) != 0;
      block->has_wrapped = (block->flags & PM_FLAG_WRAPPED) != 0;
      block->names = _ts_va_u32 (bytes + 48);
      block->n_names = _ts_va_u32 (bytes + 52);
      if ((block->flags & ~(PM_FLAG_FROZEN | PM_FLAG_WRAPPED)) != 0
          || !is_known_wire (bytes[44], bytes[45]) || block->n_names > MAX_NAMES
          || !is_range (block->names, block->n_names))
        return FALSE;
      if (block->names == 0)
        block->n_names = 0;
    }
  block->clock_hz = _ts_va_u32 (bytes + 40);
  block->wire_version = bytes[44];
  block->version = _ts_va_u16 (bytes + 46);

  return TRUE;
}

/**
 * ts_va_metadata_parse:
 * @address: where the block lies in the target
 * @bytes: (array length=n_bytes): the block
 * @n_bytes: how many
 * @metadata: (out caller-allocates): what it says
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.4
 *
 * Returns: whether it is a sane block of version 1
 */
gboolean
ts_va_metadata_parse (guint32 address,
                      const guint8 *bytes,
                      gsize n_bytes,
                      TsVaMetadata *metadata)
{
  memset (metadata, 0, sizeof *metadata);
  if (n_bytes < TS_VA_METADATA_BLOCK_LEN
      || !ts_va_block_has_magic (TS_VA_BLOCK_METADATA, bytes, n_bytes)
      || _ts_va_u32 (bytes + 16) != 1)
    return FALSE;

  metadata->address = address;
  metadata->table = _ts_va_u32 (bytes + 20);
  metadata->capacity = _ts_va_u32 (bytes + 24);
  metadata->used = _ts_va_u32 (bytes + 28);
  metadata->generation = _ts_va_u32 (bytes + 32);
  metadata->is_overflowed = (_ts_va_u32 (bytes + 36) & 1) != 0;
  metadata->request = _ts_va_u32 (bytes + 40);
  metadata->request_generation = _ts_va_u32 (bytes + 44);
  metadata->ack = _ts_va_u32 (bytes + 48);
  metadata->ack_generation = _ts_va_u32 (bytes + 52);
  metadata->ack_sequence = _ts_va_u32 (bytes + 56);
  metadata->ack_status = _ts_va_u32 (bytes + 60);

  return metadata->capacity >= METADATA_MIN && metadata->capacity <= METADATA_MAX
         && metadata->used <= metadata->capacity && metadata->table != 0
         && is_range (metadata->table, metadata->capacity);
}

/**
 * ts_va_image_find:
 * @image: a copy of memory
 * @offset: (inout): where to begin; where a magic was found
 * @kind: (out): whose
 *
 * Looks for the next magic at an address divisible by four. What follows it is not looked at.
 *
 * Thread: any
 * Source: probes.md section 3, step 1
 *
 * Returns: whether there is one
 */
gboolean
ts_va_image_find (const TsVaImage *image,
                  gsize *offset,
                  TsVaBlockKind *kind)
{
  gsize skew = (4 - image->base % 4) % 4;

  for (gsize at = *offset; at < image->n_bytes; at++)
    {
      const guint8 *v = memchr (image->bytes + at, 'V', image->n_bytes - at);

      if (v == NULL)
        return FALSE;
      at = (gsize) (v - image->bytes);
      if (at % 4 != skew)
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (magics); i++)
        if (ts_va_block_has_magic ((TsVaBlockKind) i, v, image->n_bytes - at))
          {
            *offset = at;
            *kind = (TsVaBlockKind) i;
            return TRUE;
          }
    }

  return FALSE;
}

/**
 * ts_va_image_get:
 * @image: a copy of memory
 * @address: target address
 * @n_bytes: how many bytes are wanted
 *
 * Thread: any
 *
 * Returns: (transfer none) (nullable): the bytes at @address, %NULL if the image does not hold all
 * of them
 */
const guint8 *
ts_va_image_get (const TsVaImage *image,
                 guint32 address,
                 gsize n_bytes)
{
  gsize at;

  if (address < image->base)
    return NULL;
  at = address - image->base;
  if (at > image->n_bytes || n_bytes > image->n_bytes - at)
    return NULL;

  return image->bytes + at;
}

/**
 * ts_va_block_get_used:
 * @block: a sane control block
 *
 * Returns: bytes in use in its ring
 */
gsize
ts_va_block_get_used (const TsVaBlock *block)
{
  return block->write_offset >= block->read_offset
             ? block->write_offset - block->read_offset
             : (gsize) block->size - block->read_offset + block->write_offset;
}

/**
 * ts_va_ring_copy:
 * @block: a sane control block
 * @ring: (array): its @block->size bytes
 *
 * Thread: any
 *
 * Returns: (transfer full): the bytes in use, oldest first, in one piece
 */
GByteArray *
ts_va_ring_copy (const TsVaBlock *block,
                 const guint8 *ring)
{
  gsize n_used = ts_va_block_get_used (block);
  gsize n_first = MIN (n_used, (gsize) block->size - block->read_offset);
  GByteArray *window = g_byte_array_sized_new ((guint) n_used);

  g_byte_array_append (window, ring + block->read_offset, (guint) n_first);
  g_byte_array_append (window, ring, (guint) (n_used - n_first));

  return window;
}

/* ---- packets ---- */

/* Layout of the packets of a block. What the version byte means for the oldest ones is told in
 * viewalyzer-wire.md section 12.2. */
static const TsVaLayout *
get_layout (const TsVaBlock *block)
{
  return _ts_va_layout_get (block->wire_version == 1   ? TS_VA_WIRE_1
                            : block->wire_version == 2 ? TS_VA_WIRE_V2
                                                       : TS_VA_WIRE_V3);
}

/* Bytes of the packet or marker at @bytes, 0 if there is none or it is not whole. */
static gsize
measure_whole (const TsVaLayout *layout,
               const guint8 *bytes,
               gsize n_bytes)
{
  int n;

  if (n_bytes >= TS_VA_MARKER_LEN && _ts_va_marker_at (bytes, n_bytes) > 0)
    return TS_VA_MARKER_LEN;
  n = _ts_va_measure (layout, 16, bytes, n_bytes);

  return n > 0 && (gsize) n <= n_bytes ? (gsize) n : 0;
}

/* Appends @bytes as one frame of a COBS stream. */
static void
append_cobs (GByteArray *out,
             const guint8 *bytes,
             gsize n_bytes)
{
  static const guint8 zero = 0;
  gsize at = 0;
  gboolean is_open = TRUE; /* the last block ends with a zero that the next block stands for */

  while (is_open)
    {
      gsize n = 0;
      guint8 code;

      while (at + n < n_bytes && n < 254 && bytes[at + n] != 0)
        n++;
      code = (guint8) (n + 1);
      g_byte_array_append (out, &code, 1);
      g_byte_array_append (out, bytes + at, (guint) n);
      at += n;
      is_open = at < n_bytes;
      if (n < 254 && is_open)
        at++;
    }
  g_byte_array_append (out, &zero, 1);
}

/* What a bundle would begin with, made from the control block: a marker and the clock, numbered
 * before packet @next. It settles the dialect, which the first packets of a ring need not do.
 * Source: viewalyzer-wire.md sections 2.2, 6.2 */
static gsize
make_preface (const TsVaBlock *block,
              guint next,
              guint8 *preface)
{
  static const guint8 marker[TS_VA_MARKER_LEN] = {
    'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55,
  };
  char text[20];
  int n;

  if (block->wire_version != 1 || block->clock_hz == 0)
    return 0;
  n = g_snprintf (text, sizeof text, "CLK:%" G_GUINT32_FORMAT, block->clock_hz);
  memcpy (preface, marker, sizeof marker);
  preface += sizeof marker;
  preface[0] = TS_VA_CODE_INFO;
  preface[1] = (guint8) (next - 1);
  preface[2] = 0;
  preface[3] = (guint8) n;
  memcpy (preface + 4, text, (gsize) n);

  return sizeof marker + 4 + (gsize) n;
}

/* Packets of the names area, one frame each, numbered so that the one with number @next follows
 * them: their own numbers are those of the time they were sent. */
static void
names_to_cobs (const TsVaLayout *layout,
               const guint8 *names,
               gsize n_names,
               guint next,
               GByteArray *out,
               TsVaWalk *walk)
{
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize at = 0;
  guint n_numbered = 0;

  while (at < n_names)
    {
      gsize n = measure_whole (layout, names + at, n_names - at);

      if (n == 0)
        break;
      n_numbered += names[at] >= TS_VA_CODE_SETUP && names[at] <= TS_VA_CODE_INFO;
      g_array_append_val (lengths, n);
      at += n;
    }
  walk->n_names_damaged = n_names - at;

  at = 0;
  for (guint i = 0; i < lengths->len; i++)
    {
      gsize n = g_array_index (lengths, gsize, i);
      guint8 packet[TS_VA_MAX_PACKET];

      memcpy (packet, names + at, n);
      at += n;
      if (packet[0] >= TS_VA_CODE_SETUP && packet[0] <= TS_VA_CODE_INFO)
        {
          if (layout->has_seq)
            packet[1] = (guint8) (next - n_numbered);
          n_numbered--;
          walk->n_names++;
        }
      else if (_ts_va_marker_at (packet, n) <= 0)
        continue; /* not of this area: it must not count */
      append_cobs (out, packet, n);
    }
}

/* For every position of the window: whether a chain of whole frames leads from it to the end.
 * Source: viewalyzer-wire.md section 12.2, "Walk". */
static guint8 *
find_chains (const TsVaLayout *layout,
             const guint8 *window,
             gsize n_window)
{
  guint8 *leads = g_malloc0 (n_window + 1);

  leads[n_window] = 1;
  for (gsize at = n_window; at-- > 0;)
    {
      gsize n = window[at];

      if (n > 0 && n <= n_window - at - 1 && leads[at + 1 + n] != 0)
        leads[at] = measure_whole (layout, window + at + 1, n) == n;
    }

  return leads;
}

/* A frame with a code that is not assigned yet stands when what follows it does. */
static gboolean
is_of_a_newer_recorder (const TsVaLayout *layout,
                        const guint8 *packet,
                        gsize n_packet)
{
  return layout->dialect == TS_VA_WIRE_1 && !layout->known[packet[0]]
         && n_packet >= (gsize) layout->body_at;
}

/**
 * ts_va_post_mortem_to_cobs:
 * @block: control block of a post-mortem ring
 * @ring: (array): the @block->size bytes of the ring
 * @names: (array) (nullable): the @block->n_names bytes of the names area
 * @out: where to append
 * @walk: (out caller-allocates): what was found
 *
 * Turns a post-mortem ring into a COBS stream: first the packets of the names area, then the frames
 * from the oldest on. The packets of the names area are numbered so that no gap is seen before the
 * first frame. Bytes that are no frame stay in place as a frame that decodes to nothing, so that a
 * decoder counts and shows them.
 *
 * Thread: any
 * Source: viewalyzer-wire.md sections 12.2 and 12.3
 */
void
ts_va_post_mortem_to_cobs (const TsVaBlock *block,
                           const guint8 *ring,
                           const guint8 *names,
                           GByteArray *out,
                           TsVaWalk *walk)
{
  static const guint8 zero = 0;
  const TsVaLayout *layout = get_layout (block);
  g_autoptr (GByteArray) window = ts_va_ring_copy (block, ring);
  g_autoptr (GByteArray) frames = g_byte_array_new ();
  g_autofree guint8 *leads = find_chains (layout, window->data, window->len);
  guint next = 0;
  gboolean has_next = FALSE;
  gsize at = 0;

  memset (walk, 0, sizeof *walk);
  walk->n_window = window->len;
  while (at < window->len)
    {
      gsize n = window->data[at];
      const guint8 *packet = window->data + at + 1;

      if (n > 0 && n <= window->len - at - 1
          && (measure_whole (layout, packet, n) == n
              || (is_of_a_newer_recorder (layout, packet, n) && leads[at + 1 + n] != 0)))
        {
          if (!has_next && layout->has_seq && _ts_va_marker_at (packet, n) <= 0)
            {
              next = packet[1];
              has_next = TRUE;
            }
          append_cobs (frames, packet, n);
          walk->n_frames++;
          at += 1 + n;
        }
      else
        {
          gsize resume = at + 1;

          while (resume < window->len && leads[resume] == 0)
            resume++;
          walk->n_damaged += resume - at;
          for (gsize i = at; i < resume; i++)
            if (window->data[i] != 0)
              g_byte_array_append (frames, window->data + i, 1);
          g_byte_array_append (frames, &zero, 1);
          at = resume;
        }
    }

  if (names != NULL)
    names_to_cobs (layout, names, block->n_names, next, out, walk);
  if (walk->n_names == 0)
    {
      guint8 preface[PREFACE_LEN];
      gsize n = make_preface (block, next, preface);

      if (n > 0)
        {
          append_cobs (out, preface, TS_VA_MARKER_LEN);
          append_cobs (out, preface + TS_VA_MARKER_LEN, n - TS_VA_MARKER_LEN);
        }
    }
  g_byte_array_append (out, frames->data, frames->len);
}

/**
 * ts_va_live_measure:
 * @block: control block of a live ring
 * @window: (array length=n_window): bytes in use, oldest first
 * @n_window: how many
 * @n_packets: (out): whole packets and markers among them
 *
 * Every read and write offset of a live ring lies on a boundary of packets, so a sound ring is a
 * chain of packets from its first byte to its last.
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.1
 *
 * Returns: bytes of the chain that begins at the first byte; @n_window if all is well
 */
gsize
ts_va_live_measure (const TsVaBlock *block,
                    const guint8 *window,
                    gsize n_window,
                    guint *n_packets)
{
  const TsVaLayout *layout = get_layout (block);
  gsize at = 0;

  *n_packets = 0;
  while (at < n_window)
    {
      gsize n = measure_whole (layout, window + at, n_window - at);

      if (n == 0)
        break;
      at += n;
      (*n_packets)++;
    }

  return at;
}

/**
 * ts_va_live_to_raw:
 * @block: control block of a live ring
 * @window: (array length=n_window): bytes in use, oldest first
 * @n_window: how many
 * @out: where to append
 *
 * Turns a live ring into a raw stream. If it begins in the middle of a run, a marker and the clock
 * of the control block come first, so that the dialect and the rate are known.
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.1
 */
void
ts_va_live_to_raw (const TsVaBlock *block,
                   const guint8 *window,
                   gsize n_window,
                   GByteArray *out)
{
  guint8 preface[PREFACE_LEN];

  if (n_window >= 2 && _ts_va_marker_at (window, n_window) == TS_VA_INVALID)
    {
      gsize n = make_preface (block, window[1], preface);

      g_byte_array_append (out, preface, (guint) n);
    }
  g_byte_array_append (out, window, (guint) n_window);
}

/* Bytes of the record's packet at @at of the table, 0 at its end or where it is not sound. */
static gsize
measure_record (const TsVaLayout *layout,
                const guint8 *table,
                gsize n_table,
                gsize at)
{
  gsize n = at + 2 <= n_table ? _ts_va_u16 (table + at) : 0;

  if (n == 0 || n > n_table - at - 2 || n > TS_VA_MAX_PACKET
      || measure_whole (layout, table + at + 2, n) != n)
    return 0;

  return n;
}

/**
 * ts_va_metadata_table_to_raw:
 * @table: (array length=n_table): bytes of a metadata table, read under one generation
 * @n_table: how many
 * @next: number of the packet that will follow the table's in the stream
 * @ticks: (nullable): time of that packet
 * @out: where to append
 * @n_packets: (out): packets appended
 *
 * Turns a table into a marker and the table's packets, one after the other as a raw stream. They
 * carry neither numbers nor times of their own: they are numbered so that the packet @next follows
 * them without a gap, and the one kind that has a time gets @ticks, or is left out where no time is
 * known.
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.4, "Table"
 *
 * Returns: whether the table is sound; packets before the first bad record are appended in any case
 */
gboolean
ts_va_metadata_table_to_raw (const guint8 *table,
                             gsize n_table,
                             guint next,
                             const guint32 *ticks,
                             GByteArray *out,
                             guint *n_packets)
{
  static const guint8 marker[TS_VA_MARKER_LEN] = {
    'V', 'A', 'Z', 1, 'S', 'Y', 'N', 'C', '0', '1', 0xAA, 0x55,
  };
  const TsVaLayout *layout = _ts_va_layout_get (TS_VA_WIRE_1);
  guint number = next;
  gsize at = 0, n;

  for (; (n = measure_record (layout, table, n_table, at)) > 0; at += 2 + n)
    number -= table[at + 2] != TS_VA_CODE_TASK_CREATE || ticks != NULL;

  *n_packets = 0;
  g_byte_array_append (out, marker, sizeof marker);
  for (at = 0; (n = measure_record (layout, table, n_table, at)) > 0; at += 2 + n)
    {
      guint8 packet[TS_VA_MAX_PACKET];

      memcpy (packet, table + at + 2, n);
      if (packet[0] == TS_VA_CODE_TASK_CREATE)
        {
          guint32 word;

          if (ticks == NULL)
            continue;
          word = GUINT32_TO_LE (*ticks);
          memcpy (packet + 3, &word, sizeof word);
        }
      packet[1] = (guint8) number++;
      g_byte_array_append (out, packet, (guint) n);
      (*n_packets)++;
    }

  return at == n_table;
}

/**
 * ts_va_metadata_find_answer:
 * @bytes: (array length=n_bytes): a stream in which the target answered a request
 * @n_bytes: how many
 * @number: `ackSequence` of the answer
 * @offset: (out): where the answer's marker begins
 * @ticks: (out): time of its checkpoint
 *
 * Looks for the marker and the checkpoint with absolute number @number that the target published.
 *
 * Thread: any
 * Source: viewalyzer-wire.md section 12.4, "Attach protocol", step 6
 *
 * Returns: whether they are there
 */
gboolean
ts_va_metadata_find_answer (const guint8 *bytes,
                            gsize n_bytes,
                            guint32 number,
                            gsize *offset,
                            guint32 *ticks)
{
  /* from the end: the answer is the last marker there can be */
  for (gsize at = n_bytes; at-- > 0;)
    {
      const guint8 *checkpoint = bytes + at + TS_VA_MARKER_LEN;

      if (bytes[at] != 'V' || n_bytes - at < TS_VA_MARKER_LEN + TS_VA_CHECKPOINT_LEN
          || _ts_va_marker_at (bytes + at, n_bytes - at) <= 0
          || checkpoint[0] != TS_VA_CODE_CHECKPOINT || checkpoint[1] != (guint8) number
          || _ts_va_u32 (checkpoint + 7) != number)
        continue;
      *offset = at;
      *ticks = _ts_va_u32 (checkpoint + 3);
      return TRUE;
    }

  return FALSE;
}
