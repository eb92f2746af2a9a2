/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-state-private.h: what the display list needs of the view state beyond its public face. */
#pragma once

#include "ts-view-state.h"

G_BEGIN_DECLS

/** Groups of rows; the numbers are kept in files. Their order: _ts_view_compare_groups(). */
typedef enum
{
  TS_GROUP_CPU,
  TS_GROUP_INTERRUPTS,
  TS_GROUP_TASKS,
  TS_GROUP_OBJECTS,
  TS_GROUP_EVENTS,
  TS_GROUP_VALUES,
  TS_GROUP_MESSAGES,
  TS_GROUP_PINNED,    /* shown first */
  TS_GROUP_FUNCTIONS, /* stands before the objects */
  TS_N_GROUPS
} TsGroup;

/** Fewest ticks a view can be wide. */
#define TS_VIEW_MIN_SPAN 16

typedef struct
{
  gint64 begin;
  gint64 span;
} TsView;

/**
 * TsViewNotes: what is written over a view.
 * @findings: (element-type TsViewSpan)
 * @hits, @marks: (element-type gint64): ascending
 */
typedef struct
{
  GArray *findings;
  GArray *hits;
  GArray *marks;
  gint64 second_cursor;
} TsViewNotes;

/**
 * TsViewLanes: what the user made of the lanes.
 * @pinned: lane ids that stand above all groups
 * @rank: lane id -> place from 1, of lanes the user has moved
 * @shares: lane id -> gint64*: ticks it ran, for a sort by them
 * @only: (nullable): the only lanes that have rows
 * @plots: lane id -> style + 1, of value lanes the user chose one for
 * @hosts: lane id -> id of the value lane in whose row it is drawn
 */
typedef struct
{
  GHashTable *pinned;
  GHashTable *rank;
  GHashTable *shares;
  GHashTable *only;
  GHashTable *plots;
  GHashTable *hosts;
  TsLaneSort sort;
} TsViewLanes;

/**
 * TsViewLook: how times are told and states are drawn.
 * @zero: tick that times count from, with %TS_TIME_SINCE_ZERO
 * @day_ns: nanoseconds from midnight UTC to tick 0; -1: not known, not looked up: -2
 * @serial: counts changes of what times look like
 */
typedef struct
{
  TsTimeStyle style;
  TsTimeUnit unit;
  gint64 zero;
  gint64 day_ns;
  guint serial;
  gboolean is_by_state;
  gboolean has_labels;
} TsViewLook;

struct _TsViewState
{
  GObject parent_instance;

  TsRecording *recording;
  TsView view;
  gboolean is_following;
  gboolean is_unbounded;
  gboolean no_resume; /* coming back to the live end does not take up following */
  GArray *undo;
  GArray *redo;

  guint32 selected_lane;
  gboolean has_slice;
  TsSlice slice;
  gboolean has_range;
  gint64 range_begin;
  gint64 range_end;
  gint64 cursor;
  guint64 event_row;
  gint64 event_tick;
  TsViewNotes notes;

  guint folded;
  GHashTable *hidden;
  TsViewLanes lanes;
  TsViewLook look;
  char **filter;
  char *os;

  int lane_px;
  int header_px;
  int plot_px;
  int scroll_y;

  GArray *order;
  GArray *rows;
  int rows_height;
  gboolean rows_are_valid;
};

/** Index of the header row that stays below what is fixed because it has scrolled away, -1 for
 * none; @fixed: ts_view_state_get_fixed_height(). */
int _ts_view_state_get_sticky_row (TsViewState *self,
                                   int fixed);
/** Where it stands: @fixed, or above when the next header pushes it out. */
int _ts_view_state_get_sticky_y (TsViewState *self,
                                 int row,
                                 int fixed);
void _ts_view_state_invalidate_rows (TsViewState *self);
void _ts_view_lanes_init (TsViewLanes *lanes);
void _ts_view_lanes_clear (TsViewLanes *lanes);
void _ts_view_lanes_reset (TsViewLanes *lanes);
void _ts_view_lanes_order (TsViewState *self,
                           GArray *order);
void _ts_view_notes_init (TsViewNotes *notes);
void _ts_view_notes_clear (TsViewNotes *notes);
void _ts_view_notes_reset (TsViewNotes *notes);
/** Tick that the ruler counts from. */
gint64 _ts_view_state_get_origin (TsViewState *self);
/** Another recording: what was said of its times is forgotten. */
void _ts_view_look_reset (TsViewLook *look);
/** Whether a value lane is drawn in the row of another one, which is there. */
gboolean _ts_view_state_is_guest (TsViewState *self,
                                  guint32 lane);
/** Emits "changed". */
void _ts_view_state_emit_changed (TsViewState *self);
/** Group of a lane kind, -1 for lanes that have no row (losses, density). */
int _ts_view_group_of_lane (const TsLaneInfo *lane);
int _ts_view_compare_groups (const TsLaneInfo *a,
                             const TsLaneInfo *b);
/** Sorts ids of @lanes in row order: by group, tasks by urgency, idle last. Returns a new array of
 * guint32. */
GArray *_ts_view_sort_lanes (const TsLaneInfo *lanes,
                             guint n_lanes,
                             gboolean smaller_is_more_urgent);
/** Ids of all lanes in row order, hidden, folded and filtered ones too; borrowed until the next
 * change. */
const guint32 *_ts_view_state_get_lane_order (TsViewState *self,
                                              guint *n_lanes);
/** Whether @filter (a lane name, an object name, or `type:name`) means the lane. */
gboolean _ts_view_lane_matches (TsRecording *recording,
                                const TsLaneInfo *lane,
                                const char *filter);

G_END_DECLS
