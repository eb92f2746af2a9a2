/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-timeline-private.h: what the drawing half (ts-timeline.c) and the input half
 * (ts-timeline-input.c, ts-timeline-keys.c, ts-timeline-step.c, ts-timeline-links.c,
 * ts-timeline-snap.c) of the timeline share.
 */
#pragma once

#include "ui/draw/ts-painter.h"

#include "ui/ts-timeline.h"
#include "ui/ts-worker.h"

G_BEGIN_DECLS

/** What a drag that began somewhere does. */
typedef enum
{
  TS_DRAG_NONE,
  TS_DRAG_PENDING, /* pressed in the lanes, not moved yet: a click until it moves */
  TS_DRAG_RANGE,
  TS_DRAG_PAN,
  TS_DRAG_OVERVIEW,
  TS_DRAG_LANE,    /* a lane is moved by its header */
} TsDragMode;

/** What the timeline waits for, until the recording's worker has it. */
typedef enum
{
  TS_AWAIT_NOTHING,
  TS_AWAIT_SLICE, /* the slice at the cursor is to be selected */
  TS_AWAIT_CLICK, /* the slice under the pointer when it was pressed is to be selected */
  TS_AWAIT_MOVE,  /* the first of the moves is to be made */
} TsAwait;

/** What a key does that needs to know what is there. */
typedef enum
{
  TS_MOVE_EVENT, /* to the next event of the selected lane, of all if none is */
  TS_MOVE_SLICE, /* to the next slice of the selected lane */
  TS_MOVE_GROW,  /* the range grows by a state */
  TS_MOVE_LINK,  /* to the cause or the effect */
} TsMoveKind;

/**
 * TsMove:
 * @direction: 1 or -1
 */
typedef struct
{
  TsMoveKind kind;
  int direction;
} TsMove;

/** What has been set to a time that may not be that of an edge yet. */
typedef enum
{
  TS_SNAP_NOTHING, /* only to be known soon */
  TS_SNAP_CURSOR,
  TS_SNAP_SECOND_CURSOR,
  TS_SNAP_ANCHOR, /* the fixed edge of a range */
  TS_SNAP_EDGE,   /* the other one */
  TS_SNAP_N
} TsSnapWhat;

/**
 * TsSnap:
 * @lane: whose edges catch; 0: nothing is to come
 * @tick: where it is now
 * @reach: ticks
 */
typedef struct
{
  guint32 lane;
  gint64 tick;
  gint64 reach;
} TsSnap;

/**
 * TsTimeline:
 * @fetching: (nullable): the recording whose worker tells this timeline
 * @surfaces: the two pictures painted in turn; GTK may still hold the other one in the last frame
 * @is_dirty: the picture no longer shows the view state
 * @is_font_dirty: the font has to be looked up again
 * @n_coarse: rebuilds in a row that had to use coarser data
 * @arrival_us: when the oldest data not shown yet arrived, 0 if everything is shown
 * @pointer_x, @pointer_y: in widget coordinates, negative when the pointer is elsewhere
 * @drag_x, @drag_y: where the drag began, in widget coordinates
 * @drag_tick: the fixed edge of a range, or the tick grabbed in the overview
 * @drag_begin: visible begin when a pan began
 * @drag_lane: the lane that is moved
 * @drag_pans: a plain drag over the lanes pans, with Shift it selects a range
 * @linker: finds what belongs together, see ts-timeline-links.c
 * @stepper: finds the next event of all
 * @await, @await_lane, @await_tick: see ts-timeline-step.c; dropped once lane or cursor are others
 * @await_x, @await_y: where was pressed
 * @moves: (element-type TsMove): still to be made; what the first one needs is being found
 * @n_moves: how many of them one answer is about
 * @is_moving: what is selected is so by a move
 * @snaps: edges that are to come, see ts-timeline-snap.c
 * @describer: finds what lanes are doing at the cursor
 * @states, @states_tick: (nullable) (element-type TsSlice): that, by lane, and where
 * @asked_tick: where it is to be found now
 * @is_card_pending: the card says more when it has come
 * @lane_percent: height of lanes, 100: as the font says
 * @items_id, @next_item_row: what stands for lanes is brought up to date in portions; row of the next
 * @are_items_stale: and that from the first one on again, when the last one is reached
 */
struct _TsTimeline
{
  GtkWidget parent_instance;

  TsViewState *view;
  GSignalGroup *view_signals;
  TsRecording *fetching;
  TsDisplayList *list;
  TsPainter *painter;
  TsDisplayOptions options;
  cairo_surface_t *surfaces[2];
  guint current;
  gboolean is_dirty;
  gboolean is_font_dirty;
  guint n_coarse;
  guint tick_id;
  guint describe_id;
  guint items_id;
  guint next_item_row;
  gboolean are_items_stale;
  guint card_id;

  GtkAdjustment *vadjustment;
  gboolean is_updating_adjustment;

  GtkWidget *card;
  char *card_text;
  double pointer_x;
  double pointer_y;

  GtkGesture *drag;
  GtkGesture *pan;
  TsDragMode drag_mode;
  gboolean drag_was_following;
  double drag_x;
  double drag_y;
  gint64 drag_tick;
  gint64 drag_begin;
  double pinch_scale;
  double lane_percent;
  gboolean drag_pans;
  guint32 drag_lane;

  TsWorker *linker;
  TsWorker *stepper;
  TsAwait await;
  guint32 await_lane;
  gint64 await_tick;
  double await_x;
  double await_y;
  GArray *moves;
  guint n_moves;
  gboolean is_moving;
  TsSnap snaps[TS_SNAP_N];
  TsWorker *describer;
  GHashTable *states;
  gint64 states_tick;
  gint64 asked_tick;
  gboolean is_card_pending;

  TsFrameStats *frame_stats;
  TsFrameStats *latency_stats;
  gint64 arrival_us;
};

void _ts_timeline_install_input (GtkWidgetClass *widget_class);
void _ts_timeline_init_input (TsTimeline *self);
void _ts_timeline_update_card (TsTimeline *self);
void _ts_timeline_hit (TsTimeline *self,
                       double x,
                       double y,
                       TsHit *hit);
void _ts_timeline_install_keys (GtkWidgetClass *widget_class);
void _ts_timeline_init_keys (TsTimeline *self);
void _ts_timeline_land_on (TsTimeline *self,
                           guint32 lane,
                           gint64 tick);
void _ts_timeline_move (TsTimeline *self,
                        TsMoveKind kind,
                        int direction);
void _ts_timeline_forget_moves (TsTimeline *self);
void _ts_timeline_find_link (TsTimeline *self,
                             int direction);
void _ts_timeline_finish_move (TsTimeline *self,
                               gboolean is_found,
                               guint32 lane,
                               gint64 tick);
void _ts_timeline_select_at (TsTimeline *self,
                             guint32 lane,
                             gint64 tick);
void _ts_timeline_select_hit (TsTimeline *self,
                              const TsHit *hit,
                              double x,
                              double y);
void _ts_timeline_resume (TsTimeline *self);
void _ts_timeline_update_rows (TsTimeline *self);
void _ts_timeline_zoom_lanes (TsTimeline *self,
                              double steps);
gint64 _ts_timeline_snap (TsTimeline *self,
                          TsSnapWhat what,
                          guint32 lane,
                          gint64 tick);
void _ts_timeline_resume_snaps (TsTimeline *self);
void _ts_timeline_forget_states (TsTimeline *self);
int _ts_timeline_get_lanes_width (TsTimeline *self);
double _ts_timeline_get_scale (TsTimeline *self);
double _ts_timeline_get_plot_x (TsTimeline *self,
                                double x);
double _ts_timeline_get_plot_left (TsTimeline *self);
void _ts_timeline_update_items (TsTimeline *self);
void _ts_timeline_allocate_items (TsTimeline *self,
                                  int width);
char *_ts_timeline_dup_description (TsTimeline *self);

G_END_DECLS
