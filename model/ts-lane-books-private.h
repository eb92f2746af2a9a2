/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-lane-books-private.h: figures of many nodes of a lane side by side, table `ts_books`. */
#pragma once

#include <sqlite3.h>
#include <string.h>

#include "ts-lane-figures-private.h"

G_BEGIN_DECLS

#define TS_BOOK_LEVELS 3
#define TS_BOOK_MAX_NODES 21

/** Level 0 is one part of a lane, of the others three are one. */
#define TS_BOOK_PARTS 5
#define _TS_BOOK_PART(level) (((level) + TS_BOOK_LEVELS - 1) / TS_BOOK_LEVELS)

/** How long the end of a recording is kept waiting for them. */
#define TS_BOOKS_LIMIT_US (3 * G_USEC_PER_SEC)

/**
 * TsBook: a chapter that was read last.
 * @key: which
 * @is_read: there is one
 * @bytes: (nullable): %NULL: nothing is stored under @key
 * @n_nodes: nodes of each level
 * @stops: where their bytes begin, and where the last ones end
 */
typedef struct
{
  gint64 key;
  gboolean is_read;
  GBytes *bytes;
  guint8 n_nodes[TS_BOOK_LEVELS];
  guint32 stops[TS_BOOK_MAX_NODES + 1];
} TsBook;

static inline guint
_ts_book_get_part (const TsNodeInfo *info)
{
  return MIN (_TS_BOOK_PART (info->level), TS_BOOK_PARTS - 1);
}

/* Whether it is that chapter, be it that there is none. */
static inline gboolean
_ts_book_is (const TsBook *self,
             gint64 key)
{
  return self->is_read && self->key == key;
}

gint64 _ts_book_get_key (const TsNodeInfo *info);
void _ts_book_read (TsBook *self,
                    gint64 key,
                    GBytes *bytes,
                    gboolean may_come);
void _ts_book_clear (TsBook *self);
GBytes *_ts_book_dup_figures (const TsBook *self,
                              const TsNodeInfo *info);
gboolean _ts_books_write (sqlite3 *db,
                          gint64 limit_us);

G_END_DECLS
