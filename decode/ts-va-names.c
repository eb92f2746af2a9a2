/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-names.c: names that a live ring dropped, put back into the gap that they left. */
#define G_LOG_DOMAIN "ts-decode"
#include "config.h"

#include <string.h>

#include "ts-va-memory.h"
#include "ts-va-names.h"
#include "ts-va-wire-private.h"

#define SESSION_TEXT "SES:"
#define SESSION_TEXT_AT 4
#define TIME_AT 3
#define TIME_LEN 4

/**
 * ts_va_names_init:
 * @self: (out caller-allocates): to be cleared with ts_va_names_clear()
 *
 * Thread: owner
 */
void
ts_va_names_init (TsVaNames *self)
{
  self->told = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                      (GDestroyNotify) g_bytes_unref, NULL);
  self->expected = -1;
}

/**
 * ts_va_names_clear:
 * @self: state to be freed
 *
 * Thread: owner
 */
void
ts_va_names_clear (TsVaNames *self)
{
  g_clear_pointer (&self->told, g_hash_table_unref);
}

/**
 * ts_va_names_restart:
 * @self: state
 *
 * The target began anew: nothing was told yet.
 *
 * Thread: owner
 */
void
ts_va_names_restart (TsVaNames *self)
{
  g_hash_table_remove_all (self->told);
  self->expected = -1;
}

/* Bytes of the packet or marker at @bytes, 0: there is none. */
static gsize
measure (const guint8 *bytes,
         gsize n_bytes,
         gboolean *is_marker)
{
  int n;

  *is_marker = n_bytes >= TS_VA_MARKER_LEN && _ts_va_marker_at (bytes, n_bytes) > 0;
  if (*is_marker)
    return TS_VA_MARKER_LEN;
  n = _ts_va_measure (_ts_va_layout_get (TS_VA_WIRE_1), 16, bytes, n_bytes);

  return n > 0 && (gsize) n <= n_bytes ? (gsize) n : 0;
}

static gboolean
is_session (const guint8 *packet,
            gsize n)
{
  return packet[0] == TS_VA_CODE_INFO && n >= SESSION_TEXT_AT + strlen (SESSION_TEXT)
         && memcmp (packet + SESSION_TEXT_AT, SESSION_TEXT, strlen (SESSION_TEXT)) == 0;
}

/* Whether a table would keep it. Source: viewalyzer-wire.md section 12.4, "Table" */
static gboolean
is_name (const guint8 *packet,
         gsize n)
{
  return packet[0] == TS_VA_CODE_TASK_CREATE
         || (packet[0] >= TS_VA_CODE_SETUP && packet[0] <= TS_VA_CODE_INFO
             && !is_session (packet, n));
}

/* As a table keeps it: without a number, and without the time of the one kind that has one. */
static GBytes *
make_key (const guint8 *packet,
          gsize n)
{
  guint8 *copy = g_memdup2 (packet, n);

  copy[1] = 0;
  if (copy[0] == TS_VA_CODE_TASK_CREATE && n >= TIME_AT + TIME_LEN)
    memset (copy + TIME_AT, 0, TIME_LEN);

  return g_bytes_new_take (copy, n);
}

/**
 * ts_va_names_take:
 * @self: state
 * @bytes: (array length=n_bytes): whole packets, as they are told
 * @n_bytes: how many bytes
 *
 * Keeps in mind what names are told.
 *
 * Thread: owner
 */
void
ts_va_names_take (TsVaNames *self,
                  const guint8 *bytes,
                  gsize n_bytes)
{
  gboolean is_marker;
  gsize n;

  for (gsize at = 0; at < n_bytes; at += n)
    {
      const guint8 *packet = bytes + at;

      n = measure (packet, n_bytes - at, &is_marker);
      if (n == 0)
        {
          self->expected = -1;
          return;
        }
      if (is_marker)
        continue;
      self->expected = (guint8) (packet[1] + 1);
      if (is_name (packet, n))
        g_hash_table_add (self->told, make_key (packet, n));
    }
}

/**
 * ts_va_names_take_table:
 * @self: state
 * @table: (array length=n_table): a metadata table that was told
 * @n_table: its bytes
 *
 * Keeps in mind what names are told by another way.
 *
 * Thread: owner
 */
void
ts_va_names_take_table (TsVaNames *self,
                        const guint8 *table,
                        gsize n_table)
{
  gsize n;

  for (gsize at = 0; at + 2 < n_table && (n = _ts_va_u16 (table + at)) > 1 && n <= n_table - at - 2;
       at += 2 + n)
    g_hash_table_add (self->told, make_key (table + at + 2, n));
}

/* Records of @table that were not told yet. */
static GByteArray *
filter (TsVaNames *self,
        const guint8 *table,
        gsize n_table)
{
  GByteArray *rest = g_byte_array_new ();
  gsize n;

  for (gsize at = 0; at + 2 < n_table && (n = _ts_va_u16 (table + at)) > 1 && n <= n_table - at - 2;
       at += 2 + n)
    {
      g_autoptr (GBytes) key = make_key (table + at + 2, n);

      if (!g_hash_table_contains (self->told, key))
        g_byte_array_append (rest, table + at, (guint) (2 + n));
    }

  return rest;
}

/* How many packets are missing before the one at hand, as far as its number tells: true is that or 256
 * more, once or several times. @expected: of it; afterwards of the next. */
static guint
count_missing (const guint8 *packet,
               gsize n,
               int *expected)
{
  guint missing = *expected < 0 ? 0 : (packet[1] - (guint) *expected) & 0xFF;

  *expected = (guint8) (packet[1] + 1);

  return is_session (packet, n) ? 0 : missing;
}

static guint
count_gaps (const guint8 *stream,
            gsize n_stream,
            int expected)
{
  guint n_gaps = 0;
  gboolean is_marker;
  gsize n;

  for (gsize at = 0; at < n_stream && (n = measure (stream + at, n_stream - at, &is_marker)) > 0;
       at += n)
    n_gaps += !is_marker && count_missing (stream + at, n, &expected) > 0;

  return n_gaps;
}

/* Time of the first packet of @stream that has one. */
static gboolean
find_ticks (const guint8 *stream,
            gsize n_stream,
            guint32 *ticks)
{
  const TsVaLayout *layout = _ts_va_layout_get (TS_VA_WIRE_1);
  gboolean is_marker;
  gsize n;

  for (gsize at = 0; at < n_stream && (n = measure (stream + at, n_stream - at, &is_marker)) > 0;
       at += n)
    {
      gint64 time = is_marker ? -1 : _ts_va_packet_time (layout, stream + at, n);

      *ticks = (guint32) MAX (time, 0);
      if (time >= 0)
        return TRUE;
    }

  return FALSE;
}

/* Puts at most @most records from @at of @table on before the packet with number @next; @at moves on. */
static guint
put_records (TsVaNames *self,
             const GByteArray *table,
             gsize *at,
             guint most,
             guint next,
             const guint32 *ticks,
             GByteArray *out)
{
  gsize begin = *at;
  guint n_names = 0;

  for (guint i = 0; i < most && *at < table->len; i++)
    *at += 2 + _ts_va_u16 (table->data + *at);
  (void) ts_va_metadata_table_to_raw (table->data + begin, *at - begin, next, ticks, out, &n_names);
  ts_va_names_take_table (self, table->data + begin, *at - begin);

  return n_names;
}

/**
 * ts_va_names_put_back:
 * @self: state
 * @stream: (array length=n_stream): whole packets that are not told yet
 * @n_stream: their bytes
 * @table: (array length=n_table): the recorder's table, read after them
 * @n_table: its bytes
 * @n_dropped: packets that were dropped among or before @stream
 * @out: where to append
 * @n_names: (out): names that were put back
 *
 * Gives out @stream, with the names of the table that nobody has told in the gaps that dropped
 * packets left. They take numbers of those, so that what is still missing is counted as before: a name
 * that is put back is no longer lost.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 9.1 and 12.4
 *
 * Returns: whether no name is missing any more
 */
gboolean
ts_va_names_put_back (TsVaNames *self,
                      const guint8 *stream,
                      gsize n_stream,
                      const guint8 *table,
                      gsize n_table,
                      guint32 n_dropped,
                      GByteArray *out,
                      guint *n_names)
{
  g_autoptr (GByteArray) missing = NULL;
  int expected = self->expected;
  gboolean is_only = count_gaps (stream, n_stream, expected) == 1;
  gsize record_at = 0, n;
  gboolean is_marker;

  *n_names = 0;
  ts_va_names_take (self, stream, n_stream);
  missing = filter (self, table, n_table);
  for (gsize at = 0; at < n_stream; at += n)
    {
      guint room;

      n = measure (stream + at, n_stream - at, &is_marker);
      if (n == 0)
        n = n_stream - at; /* no packets any more */
      else if (!is_marker && (room = count_missing (stream + at, n, &expected)) > 0
               && record_at < missing->len)
        {
          guint32 ticks;
          gboolean has_ticks = find_ticks (stream + at, n_stream - at, &ticks);

          /* of the only one it is known how large it is */
          *n_names += put_records (self, missing, &record_at, is_only ? n_dropped : room,
                                   stream[at + 1], has_ticks ? &ticks : NULL, out);
        }
      g_byte_array_append (out, stream + at, (guint) n);
    }

  return record_at == missing->len;
}
