/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-row-blocks-private.h: which kinds and objects a block of consecutive rows holds, and how often.
 *
 * Table `ts_row_blocks`: block i is about rows i * TS_ROW_BLOCK + 1 to (i + 1) * TS_ROW_BLOCK. A
 * search reads only blocks that can hold what it looks for. The newest rows are in none yet.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Rows of a block. Persisted. */
#define TS_ROW_BLOCK 16384

/**
 * TsRowGroup:
 * @key: kind, whether there is a text, processor, object; see _ts_row_group_key()
 * @count: rows of this kind
 */
typedef struct
{
  guint64 key;
  guint64 count;
} TsRowGroup;

/* Persisted: kind 14 bits, text 1, core 8 from bit 16, object from bit 32. */
static inline guint64
_ts_row_group_key (guint kind,
                   gboolean has_text,
                   guint core,
                   guint32 object)
{
  return (kind & 0x3FFF) | (guint64) (has_text != FALSE) << 14 | (guint64) (core & 0xFF) << 16
         | (guint64) object << 32;
}

#define TS_ROW_GROUP_KIND(key) ((guint) ((key) & 0x3FFF))
#define TS_ROW_GROUP_HAS_TEXT(key) (((key) >> 14 & 1) != 0)
#define TS_ROW_GROUP_CORE(key) ((guint) ((key) >> 16 & 0xFF))
#define TS_ROW_GROUP_OBJECT(key) ((guint32) ((key) >> 32))

typedef struct _TsRowCounter TsRowCounter;

TsRowCounter *_ts_row_counter_new (void);
void _ts_row_counter_free (TsRowCounter *self);
gboolean _ts_row_counter_add (TsRowCounter *self,
                              guint64 key);
GBytes *_ts_row_counter_take (TsRowCounter *self);
guint _ts_row_block_decode (gconstpointer data,
                            gsize n_bytes,
                            TsRowGroup *groups);

G_END_DECLS
