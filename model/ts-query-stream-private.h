/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-query-stream-private.h: an answer that leaves row by row, in flat memory.
 *
 * Until it is clear that the whole answer comes within the time that clients wait, nothing leaves:
 * then it can still be an error. Private to the model.
 */
#pragma once

#include "ts-json-writer-private.h"
#include "ts-query-private.h"

G_BEGIN_DECLS

/**
 * TsQueryStream:
 * @query: the question
 * @writer: where the answer goes
 * @total: rows that will be looked at; 0: not known
 * @done: rows looked at
 * @n: rows written
 * @begin_us: monotonic time of the begin
 * @rows_us: monotonic time of the first row, after what took long before it
 * @rows_at: bytes before the first row
 * @is_truncated: there are more rows than were asked for
 * @wanted: (nullable): ids of objects
 * @error: (nullable): why it ended early
 */
typedef struct
{
  TsQuery *query;
  TsJsonWriter writer;
  guint64 total;
  guint64 done;
  guint64 n;
  gint64 begin_us;
  gint64 rows_us;
  gsize rows_at;
  gboolean is_truncated;
  GHashTable *wanted;
  GError *error;
} TsQueryStream;

void _ts_query_stream_begin_rows (TsQueryStream *self,
                                  guint64 total);
gboolean _ts_query_stream_may_go_on (TsQueryStream *self);

gboolean _ts_query_timeline (TsQueryStream *stream,
                             GError **error);

/* A column of a small table by its own type. */
void _ts_json_writer_column (TsJsonWriter *self,
                             const char *key,
                             sqlite3_stmt *stmt,
                             int column);

/* Names of the states of slices, as answers tell them. */
const char *_ts_query_state_name (guint state);

G_END_DECLS
