/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-row-blocks.c: counts rows by kind and object, block by block. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <string.h>

#include "ts-lane-node-private.h"
#include "ts-row-blocks-private.h"

#define VERSION 1
/* Twice the number of rows, so that the table never fills up. */
#define TABLE_SIZE (2 * TS_ROW_BLOCK)
/* What most blocks need: beyond it, the whole table is cleared. */
#define MAX_USED 4096

/**
 * TsRowCounter:
 * @table: open addressing; a count of 0 is free
 * @used: places of the first groups in use, in order of appearance
 */
struct _TsRowCounter
{
  TsRowGroup table[TABLE_SIZE];
  guint16 used[MAX_USED];
  guint n_groups;
  guint n_rows;
};

TsRowCounter *
_ts_row_counter_new (void)
{
  return g_new0 (TsRowCounter, 1);
}

void
_ts_row_counter_free (TsRowCounter *self)
{
  g_free (self);
}

/**
 * _ts_row_counter_add:
 * @self: a counter
 * @key: the next row's, see _ts_row_group_key()
 *
 * Cost: some 3 ns
 *
 * Returns: %TRUE when the block is full: it has to be taken before the next row
 */
gboolean
_ts_row_counter_add (TsRowCounter *self,
                     guint64 key)
{
  guint at = (guint) ((key * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) >> 49) % TABLE_SIZE;

  while (self->table[at].count != 0 && self->table[at].key != key)
    at = (at + 1) % TABLE_SIZE;

  if (self->table[at].count++ == 0)
    {
      self->table[at].key = key;
      if (self->n_groups < MAX_USED)
        self->used[self->n_groups] = (guint16) at;
      self->n_groups++;
    }
  return ++self->n_rows == TS_ROW_BLOCK;
}

static int
compare_groups (gconstpointer a,
                gconstpointer b)
{
  guint64 left = ((const TsRowGroup *) a)->key;
  guint64 right = ((const TsRowGroup *) b)->key;

  return left < right ? -1 : left > right;
}

/**
 * _ts_row_counter_take:
 * @self: a counter
 *
 * Takes what was counted; the next block begins.
 *
 * Returns: (transfer full): the block as bytes
 */
GBytes *
_ts_row_counter_take (TsRowCounter *self)
{
  g_autofree TsRowGroup *groups = g_new (TsRowGroup, MAX (self->n_groups, 1));
  g_autofree guint64 *run = g_new (guint64, MAX (self->n_groups, 1));
  TsPackWriter writer = { g_byte_array_sized_new (256), 0, 0 };
  guint64 before = 0;
  guint n = 0;

  if (self->n_groups <= MAX_USED)
    {
      for (guint i = 0; i < self->n_groups; i++)
        {
          groups[n++] = self->table[self->used[i]];
          self->table[self->used[i]].count = 0;
        }
    }
  else
    {
      for (guint i = 0; i < TABLE_SIZE; i++)
        if (self->table[i].count != 0)
          groups[n++] = self->table[i];
      memset (self->table, 0, sizeof self->table);
    }
  self->n_groups = 0;
  self->n_rows = 0;

  qsort (groups, n, sizeof *groups, compare_groups);
  _ts_pack_uint (&writer, VERSION);
  _ts_pack_uint (&writer, n);
  for (guint i = 0; i < n; i++)
    {
      run[i] = groups[i].key - before;
      before = groups[i].key;
    }
  _ts_pack_run (&writer, run, n);
  for (guint i = 0; i < n; i++)
    run[i] = groups[i].count;
  _ts_pack_run (&writer, run, n);
  _ts_pack_finish (&writer);
  return g_byte_array_free_to_bytes (writer.bytes);
}

/**
 * _ts_row_block_decode:
 * @data: any bytes
 * @n_bytes: how many
 * @groups: (out caller-allocates) (array fixed-size=16384): room for TS_ROW_BLOCK
 *
 * Returns: number of groups; 0 if the bytes are damaged: then nothing is known about the block
 */
guint
_ts_row_block_decode (gconstpointer data,
                      gsize n_bytes,
                      TsRowGroup *groups)
{
  TsPackReader reader = { data, (const guint8 *) data + n_bytes, 0, 0, FALSE };
  guint64 run[TS_ROW_BLOCK];
  guint64 sum = 0;
  guint64 key = 0;
  guint64 n;

  if (n_bytes == 0 || _ts_unpack_uint (&reader) != VERSION)
    return 0;
  n = _ts_unpack_uint (&reader);
  if (reader.is_bad || n == 0 || n > TS_ROW_BLOCK)
    return 0;

  if (_ts_unpack_run (&reader, run, (guint) n) != n)
    return 0;
  for (guint i = 0; i < n; i++)
    groups[i].key = key += run[i];
  if (_ts_unpack_run (&reader, run, (guint) n) != n)
    return 0;
  for (guint i = 0; i < n; i++)
    {
      if (run[i] == 0 || run[i] > TS_ROW_BLOCK)
        return 0;
      groups[i].count = run[i];
      sum += run[i];
    }
  return sum == TS_ROW_BLOCK ? (guint) n : 0;
}
