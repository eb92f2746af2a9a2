/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-inspector-parts.h: what the inspector reads from a recording, found by a worker. */
#pragma once

#include "ui/ts-worker.h"

G_BEGIN_DECLS

/**
 * TsInspectorWanted:
 * @lane: the selected lane; 0: none
 * @cursor: where its state is wanted; -1: nowhere
 * @has_column: sums over the whole of it are wanted
 * @row: the chosen event; 0: none
 * @has_range, @begin, @end: the chosen range
 * @n_rows: rows of a recording that grows
 */
typedef struct
{
  guint32 lane;
  gint64 cursor;
  gboolean has_column;
  guint64 row;
  gboolean has_range;
  gint64 begin;
  gint64 end;
  guint64 n_rows;
} TsInspectorWanted;

/**
 * TsInspectorParts:
 * @wanted: what it is about
 * @has_slice, @slice: the state at the cursor
 * @has_column, @column: sums over the whole lane
 * @has_event, @event: the chosen event
 * @first_row, @row_after: of the range; 0: not known yet
 * @n_cores, @busy: lanes of processors, and ticks they were busy in the range
 * @n_lost: packets lost in the range; -1: not known
 */
typedef struct
{
  TsInspectorWanted wanted;
  gboolean has_slice;
  TsSlice slice;
  gboolean has_column;
  TsColumn column;
  gboolean has_event;
  TsEvent event;
  guint64 first_row;
  guint64 row_after;
  guint n_cores;
  gint64 busy;
  gint64 n_lost;
} TsInspectorParts;

typedef struct _TsInspectorAsker TsInspectorAsker;

TsInspectorAsker *ts_inspector_parts_new (void (*changed) (gpointer user_data),
                                          gpointer user_data);
void ts_inspector_parts_free (TsInspectorAsker *self);
const TsInspectorParts *ts_inspector_parts_ask (TsInspectorAsker *self,
                                                TsRecording *recording,
                                                const TsInspectorWanted *wanted);

G_END_DECLS
