/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-rtt-memory.h: SEGGER's RTT control block in target memory.
 *
 * Pure functions on bytes that somebody else read; no I/O and no state. Target memory is foreign:
 * every count, address and offset is checked before it is believed.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Bytes of the id, of the block before its channels, and of a channel. */
#define TS_RTT_ID_LEN 16
#define TS_RTT_HEAD_LEN 24
#define TS_RTT_CHANNEL_LEN 24
/** More channels than these in one direction are not believed. */
#define TS_RTT_MAX_CHANNELS 32
/** Offset of the write offset within a channel; the read offset follows it. */
#define TS_RTT_CHANNEL_WRITE_OFFSET_AT 12
/** Longest name of a channel, with its NUL. */
#define TS_RTT_MAX_NAME 64

/**
 * TsRttBlock:
 * @address: where it lies in the target
 * @n_up: channels to the host
 * @n_down: channels from the host
 */
typedef struct
{
  guint32 address;
  guint n_up;
  guint n_down;
} TsRttBlock;

/**
 * TsRttChannel:
 * @name: address of its name, 0: none
 * @buffer: address of its bytes
 * @size: how many
 * @write_offset: below @size
 * @read_offset: below @size
 * @mode: 0 skip, 1 trim, 2 block when full
 */
typedef struct
{
  guint32 name;
  guint32 buffer;
  guint32 size;
  guint32 write_offset;
  guint32 read_offset;
  guint mode;
} TsRttChannel;

gboolean ts_rtt_block_has_id (const guint8 *bytes,
                              gsize n_bytes);
gboolean ts_rtt_block_parse (guint32 address,
                             const guint8 *bytes,
                             gsize n_bytes,
                             TsRttBlock *block);
gboolean ts_rtt_channel_parse (const guint8 *bytes,
                               gsize n_bytes,
                               TsRttChannel *channel);
gboolean ts_rtt_find (guint32 base,
                      const guint8 *bytes,
                      gsize n_bytes,
                      gsize *offset);
char *ts_rtt_dup_name (const guint8 *bytes,
                       gsize n_bytes);

G_END_DECLS
