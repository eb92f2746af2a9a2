/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-schema.h: the tables of a `.vadb` as we write them, and how an event becomes a row.
 *
 * Private to the model. The public tables and views are those of viewalyzer-host.md section 1 and
 * events.md; all others begin with `ts_`. An event's row is ts_events (t, x, v, d) with the row id
 * as its place: `t` ticks, `x` everything small packed into one integer so that frequent rows need
 * two bytes, `v` and `d` the operands (no column affinity: integers and reals are stored as they
 * are).
 */
#pragma once

#include <sqlite3.h>

#include "ts-event-sink.h"

G_BEGIN_DECLS

/** Key of `meta`: the recording was cut out, and has the lanes of some tasks only. */
#define TS_META_CUT_LANES "ts_cut_lanes"

/** `PRAGMA application_id`: "TSvd". Persisted. */
#define TS_SCHEMA_APPLICATION_ID 0x54537664
/** `PRAGMA user_version` and `meta.taskscope_schema`. A higher one is refused. Persisted. */
#define TS_SCHEMA_VERSION 1

/** What older recordings of ours lack. */
#define TS_SCHEMA_SUMMARIES \
  "CREATE TABLE IF NOT EXISTS ts_row_blocks(first INTEGER PRIMARY KEY, data BLOB);" \
  "CREATE TABLE IF NOT EXISTS ts_figures(id INTEGER PRIMARY KEY, data BLOB);" \
  "CREATE TABLE IF NOT EXISTS ts_sections(id INTEGER PRIMARY KEY, data BLOB);" \
  "CREATE TABLE IF NOT EXISTS ts_books(id INTEGER PRIMARY KEY, data BLOB);" \
  "CREATE TABLE IF NOT EXISTS ts_comms(id INTEGER PRIMARY KEY, begin INTEGER, end INTEGER, " \
  "steps INTEGER, is_last INTEGER, data BLOB);"

/** Ticks per second assumed for a stream that does not tell its clock. */
#define TS_SCHEMA_DEFAULT_HZ 1000000

/* Layout of ts_events.x, from bit 0: side (2: 1 start, 2 end), kind low (5), object low (8), core
 * low (4), text (1), detail hidden (1), value hidden (1), start takes (1), public flags (3), kind
 * middle (5), core high (4), object high (24), kind high (4). An operand is hidden when its kind
 * shows none there (ts_event_kind_get_n_operands()) but carries one for our own use. Persisted. */
#define TS_ROW_TEXT (1 << 19)
#define TS_ROW_HIDDEN_DETAIL (1 << 20)
#define TS_ROW_HIDDEN_VALUE (1 << 21)

static inline gint64
_ts_row_pack (const TsEvent *event,
              guint n_operands)
{
  guint64 kind = event->kind;
  guint64 object = event->object;
  guint64 core = event->core;
  guint64 flags = event->flags;
  guint64 hides_detail = n_operands < 2 && ts_event_get_detail (event) != 0;
  guint64 hides_value = n_operands < 1 && event->value != 0;

  return (gint64) (((flags >> 3) & 3) | (kind & 31) << 2 | (object & 255) << 7 | (core & 15) << 15
                   | ((flags >> 7) & 1) << 19 | hides_detail << 20 | hides_value << 21
                   | ((flags >> 6) & 1) << 22 | (flags & 7) << 23 | ((kind >> 5) & 31) << 26
                   | (core >> 4) << 31 | (object >> 8) << 35 | ((kind >> 10) & 15) << 59);
}

/* The reverse, except %TS_EVENT_FLAG_FLOAT, which the type of `v` tells. Any integer gives some
 * event. */
static inline void
_ts_row_unpack (gint64 packed,
                TsEvent *event)
{
  guint64 x = (guint64) packed;

  event->kind = (guint16) (((x >> 2) & 31) | ((x >> 21) & 0x3E0) | ((x >> 49) & 0x3C00));
  event->object = (guint32) (((x >> 7) & 255) | ((x >> 27) & 0xFFFFFF00u));
  event->core = (guint8) (((x >> 15) & 15) | ((x >> 27) & 240));
  event->flags
      = (guint8) ((x & 3) << 3 | ((x >> 19) & 1) << 7 | ((x >> 22) & 1) << 6 | ((x >> 23) & 7));
}

/* The same as SQL expressions over a column x of a table e. */
#define TS_SQL_KIND "(((e.x>>2)&31)|((e.x>>21)&992)|((e.x>>49)&15360))"
#define TS_SQL_OBJECT "(((e.x>>7)&255)|((e.x>>27)&4294967040))"
#define TS_SQL_CORE "(((e.x>>15)&15)|((e.x>>27)&240))"
#define TS_SQL_FLAGS "((e.x>>23)&7)"
/* Kind 0x10B without taking it apart. */
#define TS_SQL_IS_POLL_TRACE "(e.x&8646911286631727228)=536870956"

/* Ticks to @per_second-ths of a second, rounded down, 128 bit inside; saturates. */
static inline gint64
_ts_scale_ticks (gint64 ticks,
                 gint64 per_second,
                 guint64 hz)
{
  __int128 scaled = (__int128) ticks * per_second;
  __int128 divisor = hz > 0 ? (__int128) hz : TS_SCHEMA_DEFAULT_HZ;
  __int128 result = scaled / divisor - (scaled % divisor < 0 ? 1 : 0);

  return result > G_MAXINT64 ? G_MAXINT64 : result < G_MININT64 ? G_MININT64 : (gint64) result;
}

/**
 * TsFeed:
 * @events: the events that `INSERT INTO ts_events SELECT * FROM temp.ts_feed` stores
 * @n_events: how many
 *
 * The eponymous virtual table that hands events to SQLite: one statement stores thousands of rows
 * without binding any. Measured here: 2.5 M rows/s against 0.9 M rows/s with one prepared INSERT
 * per row.
 */
typedef struct
{
  const TsEvent *events;
  gsize n_events;
} TsFeed;

gboolean _ts_feed_register (sqlite3 *db,
                            TsFeed *feed,
                            GError **error);
#define TS_FEED_INSERT_SQL "INSERT INTO ts_events(t,x,v,d) SELECT t,x,v,d FROM ts_feed"

void _ts_row_read (sqlite3_stmt *stmt,
                   int column,
                   TsEvent *event);

gboolean _ts_schema_create (sqlite3 *db,
                            GError **error);
gboolean _ts_db_exec (sqlite3 *db,
                      const char *sql,
                      GError **error);

G_END_DECLS
