/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-lane-books.c: figures of the nodes of one lane, one behind the other.
 *
 * While a recording is written, figures go to table `ts_figures` as nodes are sealed: those of a
 * lane are all over the file, and each costs a search and a look at the disk. Whoever wants figures
 * of a range wants some of many nodes of every lane. So at the end they move to table `ts_books`,
 * lane by lane; a row, a chapter, holds those of the four nodes of level 0 that are below one node,
 * or of one node of level 3, 6, 9, 12, and of those of two levels below it. A recording whose end
 * nobody wrote has none, and its figures are where they were.
 *
 * Layout of a chapter (numbers and runs as ts-lane-pack.c writes them): version; for each level, the
 * lowest first, number of nodes; run of the numbers of bytes of each, 0: it has none; in whole bytes
 * the bytes of each.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-lane-books-private.h"

#define VERSION 1

/* 16 + 4 + 1. */
G_STATIC_ASSERT (TS_NODE_FANOUT == 4 && TS_BOOK_LEVELS == 3 && TS_BOOK_MAX_NODES == 21);
G_STATIC_ASSERT (_TS_BOOK_PART (TS_NODE_MAX_LEVEL) < TS_BOOK_PARTS && TS_BOOK_PARTS <= 16);

/* How often, in powers of four, a level has the nodes of the highest one of its chapter. */
static guint
get_depth (guint level)
{
  return level == 0 ? 1 : _TS_BOOK_PART (level) * TS_BOOK_LEVELS - level;
}

/* Its place among the levels of a chapter. */
static guint
get_place (guint level)
{
  return level == 0 ? 0 : TS_BOOK_LEVELS - 1 - get_depth (level);
}

/**
 * _ts_book_get_key:
 * @info: a node
 *
 * Returns: the key of the chapter that its figures are in; persisted
 */
gint64
_ts_book_get_key (const TsNodeInfo *info)
{
  return (gint64) ((guint64) info->lane << 32 | (guint64) _TS_BOOK_PART (info->level) << 28
                   | info->seq >> 2 * get_depth (info->level));
}

void
_ts_book_clear (TsBook *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
}

/**
 * _ts_book_read:
 * @self: a chapter; what it held goes
 * @key: its key
 * @bytes: (transfer full) (nullable): what is stored; %NULL: there is none
 * @may_come: one that is not there may come: the recording is being written
 *
 * Cost: some 0.3 us
 */
void
_ts_book_read (TsBook *self,
               gint64 key,
               GBytes *bytes,
               gboolean may_come)
{
  gsize size = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  TsPackReader reader;
  guint64 sizes[TS_BOOK_MAX_NODES];
  guint n = 0;
  gsize at;

  _ts_book_clear (self);
  self->key = key;
  self->is_read = bytes != NULL || !may_come;
  self->bytes = bytes;
  memset (self->n_nodes, 0, sizeof self->n_nodes);
  if (bytes == NULL)
    return;

  reader = (TsPackReader){ data, data + size, 0, 0, FALSE };
  if (size == 0 || _ts_unpack_uint (&reader) != VERSION)
    reader.is_bad = TRUE;
  for (guint level = 0; level < TS_BOOK_LEVELS && !reader.is_bad; level++)
    {
      guint64 n_nodes = _ts_unpack_uint (&reader);

      if (n_nodes > 16u >> 2 * level)
        reader.is_bad = TRUE;
      else
        self->n_nodes[level] = (guint8) n_nodes;
      n += self->n_nodes[level];
    }
  if (reader.is_bad || _ts_unpack_run (&reader, sizes, n) != n)
    {
      _ts_book_clear (self);
      return;
    }
  at = size - _ts_unpack_get_left (&reader);
  for (guint i = 0; i < n; i++)
    {
      self->stops[i] = (guint32) at;
      if (sizes[i] > size - at)
        {
          _ts_book_clear (self);
          return;
        }
      at += sizes[i];
    }
  self->stops[n] = (guint32) at;
}

/**
 * _ts_book_dup_figures:
 * @self: a chapter that was read
 * @info: a node in it, see _ts_book_get_key()
 *
 * Returns: (transfer full) (nullable): its figures
 */
GBytes *
_ts_book_dup_figures (const TsBook *self,
                      const TsNodeInfo *info)
{
  guint level = get_place (info->level);
  guint i = info->seq & ((1u << 2 * get_depth (info->level)) - 1);

  if (self->bytes == NULL || i >= self->n_nodes[level])
    return NULL;
  for (guint below = 0; below < level; below++)
    i += self->n_nodes[below];
  if (self->stops[i + 1] == self->stops[i])
    return NULL;
  return g_bytes_new_from_bytes (self->bytes, self->stops[i],
                                 self->stops[i + 1] - self->stops[i]);
}

/* ---- writing ---- */

/** A node that has been stored. */
typedef struct
{
  gint64 key;
  guint32 seq;
  guint8 level;
  gint64 blob;
} Entry;

/** A chapter that is put together. */
typedef struct
{
  GByteArray *bytes;
  guint64 sizes[TS_BOOK_MAX_NODES];
  guint n_nodes[TS_BOOK_LEVELS];
  guint n;
} Chapter;

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const Entry *left = a;
  const Entry *right = b;

  if (left->key != right->key)
    return left->key < right->key ? -1 : 1;
  if (left->level != right->level)
    return left->level < right->level ? -1 : 1;
  return left->seq < right->seq ? -1 : left->seq > right->seq;
}

static int
list_entries (sqlite3 *db,
              GArray *entries)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2 (db, "SELECT lane,level,seq,blob FROM ts_nodes", -1, &stmt, NULL);

  while (rc == SQLITE_OK && (rc = sqlite3_step (stmt)) == SQLITE_ROW)
    {
      TsNodeInfo info = { .lane = (guint32) sqlite3_column_int64 (stmt, 0),
                          .level = (guint8) sqlite3_column_int (stmt, 1),
                          .seq = (guint32) sqlite3_column_int64 (stmt, 2) };
      Entry entry = { .key = _ts_book_get_key (&info),
                      .seq = info.seq,
                      .level = info.level,
                      .blob = sqlite3_column_int64 (stmt, 3) };

      g_array_append_val (entries, entry);
      rc = SQLITE_OK;
    }
  sqlite3_finalize (stmt);
  g_array_sort (entries, compare_entries);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Adds the figures of a node, the next one of its level. */
static int
add_figures (Chapter *self,
             const Entry *entry,
             sqlite3_stmt *stmt)
{
  int rc;

  sqlite3_bind_int64 (stmt, 1, entry->blob);
  rc = sqlite3_step (stmt);
  if (rc == SQLITE_ROW)
    {
      self->sizes[self->n] = (guint64) sqlite3_column_bytes (stmt, 0);
      g_byte_array_append (self->bytes, sqlite3_column_blob (stmt, 0),
                           (guint) sqlite3_column_bytes (stmt, 0));
    }
  else
    self->sizes[self->n] = 0;
  self->n++;
  self->n_nodes[get_place (entry->level)]++;
  sqlite3_reset (stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
write_chapter (Chapter *self,
               gint64 key,
               sqlite3_stmt *stmt)
{
  TsPackWriter writer = { g_byte_array_sized_new (self->bytes->len + 256), 0, 0 };
  int rc = SQLITE_DONE;

  if (self->bytes->len > 0)
    {
      _ts_pack_uint (&writer, VERSION);
      for (guint level = 0; level < TS_BOOK_LEVELS; level++)
        _ts_pack_uint (&writer, self->n_nodes[level]);
      _ts_pack_run (&writer, self->sizes, self->n);
      _ts_pack_finish (&writer);
      g_byte_array_append (writer.bytes, self->bytes->data, self->bytes->len);
      sqlite3_bind_int64 (stmt, 1, key);
      sqlite3_bind_blob64 (stmt, 2, writer.bytes->data, writer.bytes->len, SQLITE_STATIC);
      rc = sqlite3_step (stmt);
      sqlite3_reset (stmt);
      sqlite3_clear_bindings (stmt);
    }
  g_byte_array_unref (writer.bytes);
  g_byte_array_set_size (self->bytes, 0);
  memset (self->n_nodes, 0, sizeof self->n_nodes);
  self->n = 0;
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int
write_chapters (sqlite3 *db,
                const GArray *entries,
                gint64 deadline_us)
{
  Chapter chapter = { .bytes = g_byte_array_sized_new (1 << 16) };
  sqlite3_stmt *select = NULL;
  sqlite3_stmt *insert = NULL;
  int rc = sqlite3_prepare_v2 (db, "SELECT data FROM ts_figures WHERE id=?1", -1, &select, NULL);

  if (rc == SQLITE_OK)
    rc = sqlite3_prepare_v2 (db, "INSERT INTO ts_books VALUES(?1,?2)", -1, &insert, NULL);
  for (guint i = 0; i < entries->len && rc == SQLITE_OK; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      gboolean is_last
          = i + 1 == entries->len || g_array_index (entries, Entry, i + 1).key != entry->key;

      if (chapter.n < TS_BOOK_MAX_NODES)
        rc = add_figures (&chapter, entry, select);
      if (is_last && rc == SQLITE_OK)
        rc = write_chapter (&chapter, entry->key, insert);
      if (is_last && rc == SQLITE_OK && g_get_monotonic_time () > deadline_us)
        rc = SQLITE_INTERRUPT;
    }
  sqlite3_finalize (select);
  sqlite3_finalize (insert);
  g_byte_array_unref (chapter.bytes);
  return rc;
}

/* Without a journal nothing can be taken back, and what was begun would stay. */
static gboolean
has_journal (sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;
  gboolean has = sqlite3_prepare_v2 (db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK
                 && sqlite3_step (stmt) == SQLITE_ROW
                 && g_strcmp0 ((const char *) sqlite3_column_text (stmt, 0), "off") != 0;

  sqlite3_finalize (stmt);
  return has;
}

/**
 * _ts_books_write:
 * @db: a recording all of whose nodes are stored, in a transaction; one without a journal stays as
 *   it is
 * @limit_us: how long it may take
 *
 * Moves figures from where they were written as they came to where they lie lane by lane. If it
 * cannot be done, or not in time, nothing is changed: on a slow disk, figures are not worth a wait.
 *
 * Cost: some 5 us a node
 * Thread: that of @db
 *
 * Returns: whether it was done
 */
gboolean
_ts_books_write (sqlite3 *db,
                 gint64 limit_us)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  gint64 deadline_us = g_get_monotonic_time () + limit_us;
  int rc;

  if (!has_journal (db) || sqlite3_exec (db, "SAVEPOINT ts_books", NULL, NULL, NULL) != SQLITE_OK)
    return FALSE;
  rc = list_entries (db, entries);
  if (rc == SQLITE_OK)
    rc = write_chapters (db, entries, deadline_us);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec (db, "DELETE FROM ts_figures", NULL, NULL, NULL);
  if (rc != SQLITE_OK)
    sqlite3_exec (db, "ROLLBACK TO ts_books", NULL, NULL, NULL);
  sqlite3_exec (db, "RELEASE ts_books", NULL, NULL, NULL);
  return rc == SQLITE_OK;
}
