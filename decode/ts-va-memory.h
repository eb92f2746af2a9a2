/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-va-memory.h: the recorder's structures in target memory: control blocks of its rings, the
 * frames of the post-mortem ring, the names area, the metadata table.
 *
 * Pure functions on bytes that somebody else read; no I/O and no state. Target memory is foreign:
 * every address, offset and length is checked before it is used, and nothing outside the bytes at
 * hand is touched.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Bytes of the magic at the beginning of each block. */
#define TS_VA_MAGIC_LEN 16
/** Bytes of the blocks. */
#define TS_VA_LIVE_BLOCK_LEN 48
#define TS_VA_OLD_LIVE_BLOCK_LEN 40
#define TS_VA_POST_MORTEM_BLOCK_LEN 56
#define TS_VA_METADATA_BLOCK_LEN 64
/** Offsets of words that hosts read or write by themselves. */
#define TS_VA_BLOCK_WRITE_OFFSET_AT 24
#define TS_VA_BLOCK_READ_OFFSET_AT 28
/** Rings outside these sizes are not believed. */
#define TS_VA_MIN_RING 32
#define TS_VA_MAX_RING (16 * 1024 * 1024)

/**
 * TsVaBlockKind:
 * @TS_VA_BLOCK_LIVE: control block `_VA_RAMBUF` of the live ring
 * @TS_VA_BLOCK_POST_MORTEM: control block `_VA_PMBUF` of the post-mortem ring
 * @TS_VA_BLOCK_METADATA: block `_VA_METADATA`
 */
typedef enum
{
  TS_VA_BLOCK_LIVE,
  TS_VA_BLOCK_POST_MORTEM,
  TS_VA_BLOCK_METADATA,
} TsVaBlockKind;

/**
 * TsVaBlock:
 * @kind: which block
 * @address: where it lies in the target
 * @buffer: address of the ring
 * @size: bytes of the ring
 * @write_offset: next write offset, below @size
 * @read_offset: next read offset or oldest frame, below @size
 * @dropped: packets dropped (live) or frames overwritten (post-mortem) since initialisation
 * @flags: as in memory
 * @clock_hz: ticks per second, 0: not known
 * @wire_version: 1; 2 or 3 of older recorders, 0: not told
 * @version: `major << 8 | minor` of the recorder, 0: not told
 * @is_blocking: live: the target waits for the host
 * @has_metadata: live: names lie in the metadata table
 * @is_frozen: post-mortem: nothing is written any more
 * @has_wrapped: post-mortem: older frames were overwritten
 * @names: post-mortem: address of the names area, 0: none
 * @n_names: post-mortem: its bytes
 */
typedef struct
{
  TsVaBlockKind kind;
  guint32 address;
  guint32 buffer;
  guint32 size;
  guint32 write_offset;
  guint32 read_offset;
  guint32 dropped;
  guint32 flags;
  guint32 clock_hz;
  guint wire_version;
  guint version;
  gboolean is_blocking;
  gboolean has_metadata;
  gboolean is_frozen;
  gboolean has_wrapped;
  guint32 names;
  guint32 n_names;
} TsVaBlock;

/**
 * TsVaMetadata:
 * @address: where the block lies in the target
 * @table: address of the table
 * @capacity: its size
 * @used: bytes in use, at most @capacity
 * @generation: even while nothing changes, odd during a change, never 0
 * @is_overflowed: the table is incomplete
 * @request: last number a host wrote
 * @request_generation: 0: the target restarted since
 * @ack: last request answered
 * @ack_generation: generation the target compared
 * @ack_sequence: absolute number of the checkpoint it sent
 * @ack_status: 0 done, 1 generation differs, 2 table overflowed
 */
typedef struct
{
  guint32 address;
  guint32 table;
  guint32 capacity;
  guint32 used;
  guint32 generation;
  gboolean is_overflowed;
  guint32 request;
  guint32 request_generation;
  guint32 ack;
  guint32 ack_generation;
  guint32 ack_sequence;
  guint32 ack_status;
} TsVaMetadata;

/**
 * TsVaImage:
 * @base: target address of the first byte
 * @bytes: a copy of target memory; borrowed
 * @n_bytes: how many
 */
typedef struct
{
  guint32 base;
  const guint8 *bytes;
  gsize n_bytes;
} TsVaImage;

/**
 * TsVaWalk:
 * @n_window: bytes of the ring that were in use
 * @n_frames: whole frames among them
 * @n_damaged: bytes that are no frame
 * @n_names: packets of the names area
 * @n_names_damaged: bytes of the names area that are no packet
 */
typedef struct
{
  gsize n_window;
  guint n_frames;
  gsize n_damaged;
  guint n_names;
  gsize n_names_damaged;
} TsVaWalk;

gboolean ts_va_block_parse (guint32 address,
                            const guint8 *bytes,
                            gsize n_bytes,
                            TsVaBlock *block);
gboolean ts_va_metadata_parse (guint32 address,
                               const guint8 *bytes,
                               gsize n_bytes,
                               TsVaMetadata *metadata);
gboolean ts_va_block_has_magic (TsVaBlockKind kind,
                                const guint8 *bytes,
                                gsize n_bytes);
gboolean ts_va_image_find (const TsVaImage *image,
                           gsize *offset,
                           TsVaBlockKind *kind);
const guint8 *ts_va_image_get (const TsVaImage *image,
                               guint32 address,
                               gsize n_bytes);
gsize ts_va_block_get_used (const TsVaBlock *block);
GByteArray *ts_va_ring_copy (const TsVaBlock *block,
                             const guint8 *ring);
void ts_va_post_mortem_to_cobs (const TsVaBlock *block,
                                const guint8 *ring,
                                const guint8 *names,
                                GByteArray *out,
                                TsVaWalk *walk);
gsize ts_va_live_measure (const TsVaBlock *block,
                          const guint8 *window,
                          gsize n_window,
                          guint *n_packets);
void ts_va_live_to_raw (const TsVaBlock *block,
                        const guint8 *window,
                        gsize n_window,
                        GByteArray *out);
gboolean ts_va_metadata_table_to_raw (const guint8 *table,
                                      gsize n_table,
                                      guint next,
                                      const guint32 *ticks,
                                      GByteArray *out,
                                      guint *n_packets);
gboolean ts_va_metadata_find_answer (const guint8 *bytes,
                                     gsize n_bytes,
                                     guint32 number,
                                     gsize *offset,
                                     guint32 *ticks);

G_END_DECLS
