/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-recording-feed.c: events as rows: the virtual table that stores them, and reading them back.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>

#include "ts-model-error.h"
#include "ts-recording-schema.h"

#define N_KINDS 0x400

typedef struct
{
  TsFeed *feed;
  guint8 n_operands[N_KINDS];
} FeedModule;

typedef struct
{
  sqlite3_vtab base;
  FeedModule *module;
} FeedTable;

typedef struct
{
  sqlite3_vtab_cursor base;
  const TsEvent *event;
  const TsEvent *end;
  const guint8 *n_operands;
} FeedCursor;

static int
feed_connect (sqlite3 *db,
              void *data,
              int argc,
              const char * const *argv,
              sqlite3_vtab **vtab,
              char **message)
{
  FeedTable *table;
  int rc = sqlite3_declare_vtab (db, "CREATE TABLE x(t,x,v,d)");

  if (rc != SQLITE_OK)
    return rc;

  table = g_new0 (FeedTable, 1);
  table->module = data;
  *vtab = &table->base;
  return SQLITE_OK;
}

static int
feed_disconnect (sqlite3_vtab *vtab)
{
  g_free (vtab);
  return SQLITE_OK;
}

static int
feed_best_index (sqlite3_vtab *vtab,
                 sqlite3_index_info *info)
{
  info->estimatedCost = 1;
  return SQLITE_OK;
}

static int
feed_open (sqlite3_vtab *vtab,
           sqlite3_vtab_cursor **cursor)
{
  *cursor = (sqlite3_vtab_cursor *) g_new0 (FeedCursor, 1);
  return SQLITE_OK;
}

static int
feed_close (sqlite3_vtab_cursor *cursor)
{
  g_free (cursor);
  return SQLITE_OK;
}

static int
feed_filter (sqlite3_vtab_cursor *base,
             int number,
             const char *text,
             int argc,
             sqlite3_value **argv)
{
  FeedCursor *cursor = (FeedCursor *) base;
  FeedModule *module = ((FeedTable *) base->pVtab)->module;

  cursor->event = module->feed->events;
  cursor->end = module->feed->events + module->feed->n_events;
  cursor->n_operands = module->n_operands;
  return SQLITE_OK;
}

static int
feed_next (sqlite3_vtab_cursor *base)
{
  ((FeedCursor *) base)->event++;
  return SQLITE_OK;
}

static int
feed_eof (sqlite3_vtab_cursor *base)
{
  FeedCursor *cursor = (FeedCursor *) base;

  return cursor->event >= cursor->end;
}

/* Operands are kept without loss; those that the kind does not show are stored only where they say
 * something. */
static int
feed_column (sqlite3_vtab_cursor *base,
             sqlite3_context *context,
             int column)
{
  FeedCursor *cursor = (FeedCursor *) base;
  const TsEvent *event = cursor->event;
  guint n_operands = event->kind < N_KINDS ? cursor->n_operands[event->kind] : 2;

  switch (column)
    {
    case 0:
      sqlite3_result_int64 (context, event->time);
      break;

    case 1:
      sqlite3_result_int64 (context, _ts_row_pack (event, n_operands));
      break;

    case 2:
      if ((event->flags & TS_EVENT_FLAG_FLOAT) != 0)
        sqlite3_result_double (context, ts_event_get_double (event));
      else if (n_operands > 0 || event->value != 0)
        sqlite3_result_int64 (context, event->value);
      break;

    case 3:
      if ((event->flags & TS_EVENT_FLAG_TEXT) != 0 && n_operands < 2
          && (guint32) event->detail == 0)
        sqlite3_result_int64 (context, -(gint64) ts_event_get_text_id (event));
      else if (n_operands > 1 || event->detail != 0)
        sqlite3_result_int64 (context, event->detail);
      break;

    default:
      break;
    }

  return SQLITE_OK;
}

static int
feed_rowid (sqlite3_vtab_cursor *base,
            sqlite3_int64 *rowid)
{
  *rowid = 0;
  return SQLITE_OK;
}

static const sqlite3_module feed_module = {
  .iVersion = 0,
  .xCreate = NULL,
  .xConnect = feed_connect,
  .xBestIndex = feed_best_index,
  .xDisconnect = feed_disconnect,
  .xOpen = feed_open,
  .xClose = feed_close,
  .xFilter = feed_filter,
  .xNext = feed_next,
  .xEof = feed_eof,
  .xColumn = feed_column,
  .xRowid = feed_rowid,
};

/**
 * _ts_feed_register:
 * @db: the writer's connection
 * @feed: what %TS_FEED_INSERT_SQL reads each time it runs; outlives @db
 * @error: return location
 *
 * Thread: owner of @db
 */
gboolean
_ts_feed_register (sqlite3 *db,
                   TsFeed *feed,
                   GError **error)
{
  FeedModule *module = g_new0 (FeedModule, 1);

  module->feed = feed;
  for (guint kind = 0; kind < N_KINDS; kind++)
    module->n_operands[kind] = (guint8) ts_event_kind_get_n_operands (kind);

  if (sqlite3_create_module_v2 (db, "ts_feed", &feed_module, module, g_free) == SQLITE_OK)
    return TRUE;

  g_set_error_literal (error, TS_MODEL_ERROR, TS_MODEL_ERROR_WRITE, sqlite3_errmsg (db));
  return FALSE;
}

/**
 * _ts_row_read:
 * @stmt: a statement that stands on a row with t, x, v, d from @column on
 * @column: column of t
 * @event: (out caller-allocates): the event
 *
 * The reverse of storing. Whatever the columns hold, @event is well formed.
 *
 * Thread: owner of @stmt
 */
void
_ts_row_read (sqlite3_stmt *stmt,
              int column,
              TsEvent *event)
{
  gint64 detail = sqlite3_column_int64 (stmt, column + 3);
  gint64 time = sqlite3_column_int64 (stmt, column);

  event->time = MAX (time, 0);
  _ts_row_unpack (sqlite3_column_int64 (stmt, column + 1), event);

  switch (sqlite3_column_type (stmt, column + 2))
    {
    case SQLITE_FLOAT:
      {
        union
        {
          gint64 i;
          double d;
        } u = { .d = sqlite3_column_double (stmt, column + 2) };

        event->value = u.i;
        event->flags |= TS_EVENT_FLAG_FLOAT;
      }
      break;

    case SQLITE_NULL:
      event->value = 0;
      if (event->kind == TS_EVENT_FLOAT_TRACE || event->kind == TS_EVENT_DWT_DATA)
        {
          union
          {
            gint64 i;
            double d;
          } u = { .d = NAN }; /* SQLite keeps no NaN */

          event->value = u.i;
          event->flags |= TS_EVENT_FLAG_FLOAT;
        }
      break;

    default:
      event->value = sqlite3_column_int64 (stmt, column + 2);
      break;
    }

  if ((event->flags & TS_EVENT_FLAG_TEXT) != 0 && detail < 0)
    detail = (gint64) ((guint64) (0 - (guint64) detail) << 32);
  event->detail = detail;
}
