/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-inspector-parts.h: what the inspector reads from a recording, found by a worker. */
#pragma once

#include "ui/ts-worker.h"

G_BEGIN_DECLS

/**
 * TsInspectorWanted:
 * @lane: the selected lane; 0: none
 * @cursor: the cursor; -1: there is none
 * @has_state: its state there is wanted
 * @has_column: sums over the whole of it are wanted
 * @row: the chosen event; 0: none, then one is looked for
 * @object, @slice_begin: it may be at the cursor or at the begin of the chosen slice, about the
 *   object of the lane; -1: no slice
 * @has_recording: what is told of the recording as a whole is wanted
 * @has_range, @begin, @end: the chosen range
 * @n_rows: rows of a recording that grows
 */
typedef struct
{
  guint32 lane;
  gint64 cursor;
  gboolean has_state;
  gboolean has_column;
  guint64 row;
  guint32 object;
  gint64 slice_begin;
  gboolean has_recording;
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
 * @has_event, @row, @event: the chosen event, or the one that stands at the place chosen
 * @os, @lost, @corrupt, @source, @end_reason: (nullable): of the recording, as it holds them
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
  guint64 row;
  TsEvent event;
  char *os;
  char *lost;
  char *corrupt;
  char *source;
  char *end_reason;
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
