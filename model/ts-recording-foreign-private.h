/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-recording-foreign-private.h: reading the va_events of recordings that somebody else wrote.
 * Private to the model.
 */
#pragma once

#include "ts-recording-private.h"

G_BEGIN_DECLS

/** Ids of objects above this one are cut to it: who loops over them must not loop for ever. */
#define TS_FOREIGN_MAX_OBJECT_ID (1 << 20)

/**
 * TsForeign: rows being read.
 * @stmt: selects all columns of va_events
 * @id, @time ...: columns by name, -1 where there is none
 */
typedef struct
{
  sqlite3_stmt *stmt;
  int id;
  int time;
  int kind;
  int start;
  int object_id;
  int object;
  int core;
  int value;
  int detail;
  int text;
  int flags;
} TsForeign;

gboolean _ts_foreign_begin (TsForeign *self,
                            sqlite3 *db,
                            gboolean with_row,
                            const char *rest);
int _ts_foreign_next (TsForeign *self,
                      TsEvent *event,
                      char **text);
TsObject *_ts_foreign_make_object (TsForeign *self,
                                   const TsEvent *event);
void _ts_foreign_end (TsForeign *self);

TsRebuilt *_ts_foreign_sample (TsRecording *recording);

/* ts-recording-foreign-rows.c */
gboolean _ts_foreign_read_rows (TsRecording *self,
                                guint64 first_row,
                                guint n,
                                TsEvent *events,
                                GError **error);
guint64 _ts_foreign_row_at_time (TsRecording *self,
                                 gint64 time,
                                 gint64 limit_us);

G_END_DECLS
