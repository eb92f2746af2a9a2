/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-view-state.h: what part of a recording is seen, and how: the one object that ruler, lanes,
 * overview and lists observe.
 *
 * No GTK. All times are ticks of the recording. Changes emit "changed" once per setter; visible
 * begin/end are integers, and zoom keeps the tick under the pointer where it is.
 */
#pragma once

#include <glib-object.h>

#include "model/ts-recording.h"

G_BEGIN_DECLS

#define TS_TYPE_VIEW_STATE (ts_view_state_get_type ())
G_DECLARE_FINAL_TYPE (TsViewState, ts_view_state, TS, VIEW_STATE, GObject)

/**
 * TsViewRow:
 * @is_header: group header row
 * @group: group the row belongs to (index into the fixed groups: see
 * ts_view_state_get_group_name())
 * @lane: lane id, 0 for headers
 * @y: top, pixels from the top of the first row
 * @height: pixels
 */
typedef struct
{
  gboolean is_header;
  guint group;
  guint32 lane;
  int y;
  int height;
} TsViewRow;

TsViewState *ts_view_state_new (void);
TsViewState *ts_view_state_copy (TsViewState *self);
void ts_view_state_set_recording (TsViewState *self,
                                  TsRecording *recording);
TsRecording *ts_view_state_get_recording (TsViewState *self);
void ts_view_state_refresh (TsViewState *self);

/* visible span, in ticks: [begin, begin + span). Zoom: @factor 2 makes everything twice as large
 * (half the span), 0.5 twice as much seen; @anchor is the place that stays, as a share of the width
 * (0 left, 1 right). Pan: screens to later times, negative: earlier. */
gint64 ts_view_state_get_begin (TsViewState *self);
gint64 ts_view_state_get_span (TsViewState *self);
void ts_view_state_set_visible (TsViewState *self,
                                gint64 begin,
                                gint64 span);
void ts_view_state_set_unbounded (TsViewState *self,
                                  gboolean unbounded);
void ts_view_state_zoom (TsViewState *self,
                         double factor,
                         double anchor);
void ts_view_state_pan (TsViewState *self,
                        double screens);
void ts_view_state_fit (TsViewState *self);
gboolean ts_view_state_undo (TsViewState *self);
gboolean ts_view_state_redo (TsViewState *self);
gint64 ts_view_state_x_to_tick (TsViewState *self,
                                double x,
                                int width);
double ts_view_state_tick_to_x (TsViewState *self,
                                gint64 tick,
                                int width);

/* live following: the right edge stays at the live end; a pan or zoom away from it ends it,
 * reaching it again resumes it */
void ts_view_state_set_following (TsViewState *self,
                                  gboolean following);
gboolean ts_view_state_is_following (TsViewState *self);
void ts_view_state_set_follow_resume (TsViewState *self,
                                      gboolean resume);
gboolean ts_view_state_can_resume (TsViewState *self);

/* selection: a lane (0: none), a slice in it, a range, a cursor (-1: none), an event at the cursor */
void ts_view_state_select_lane (TsViewState *self,
                                guint32 lane);
guint32 ts_view_state_get_selected_lane (TsViewState *self);
void ts_view_state_select_slice (TsViewState *self,
                                 guint32 lane,
                                 const TsSlice *slice);
gboolean ts_view_state_get_selected_slice (TsViewState *self,
                                           TsSlice *slice);
void ts_view_state_set_range (TsViewState *self,
                              gint64 begin,
                              gint64 end);
gboolean ts_view_state_get_range (TsViewState *self,
                                  gint64 *begin,
                                  gint64 *end);
void ts_view_state_clear_range (TsViewState *self);
void ts_view_state_set_event (TsViewState *self,
                              guint64 row,
                              gint64 tick);
guint64 ts_view_state_get_event (TsViewState *self);
void ts_view_state_set_cursor (TsViewState *self,
                               gint64 tick);
gint64 ts_view_state_get_cursor (TsViewState *self);

/**
 * TsViewSpan:
 * @lane: a lane, 0 for none
 * @begin: first tick
 * @end: tick after the last
 */
typedef struct
{
  guint32 lane;
  gint64 begin;
  gint64 end;
} TsViewSpan;

/* written over the view: findings (hatched in their lanes), hits of a search (in the overview),
 * marks, a second cursor (-1: none); all of them are lost with the recording */
void ts_view_state_set_findings (TsViewState *self,
                                 const TsViewSpan *spans,
                                 guint n_spans);
const TsViewSpan *ts_view_state_get_findings (TsViewState *self,
                                              guint *n_spans);
void ts_view_state_set_hits (TsViewState *self,
                             const gint64 *times,
                             guint n_times);
const gint64 *ts_view_state_get_hits (TsViewState *self,
                                      guint *n_times);
void ts_view_state_set_marks (TsViewState *self,
                              const gint64 *times,
                              guint n_times);
const gint64 *ts_view_state_get_marks (TsViewState *self,
                                       guint *n_times);
void ts_view_state_set_second_cursor (TsViewState *self,
                                      gint64 tick);
gint64 ts_view_state_get_second_cursor (TsViewState *self);

/**
 * TsTimeStyle: what times are counted from
 * @TS_TIME_SINCE_BEGIN: the begin of the recording
 * @TS_TIME_SINCE_ZERO: the place the user chose, see ts_view_state_set_time_zero()
 * @TS_TIME_OF_DAY: midnight, where the recording says when it was made
 */
typedef enum
{
  TS_TIME_SINCE_BEGIN,
  TS_TIME_SINCE_ZERO,
  TS_TIME_OF_DAY,
  TS_TIME_N_STYLES
} TsTimeStyle;

/** Units of times; automatic: seconds in lists, what suits the zoom on the ruler. */
typedef enum
{
  TS_TIME_UNIT_AUTO,
  TS_TIME_UNIT_S,
  TS_TIME_UNIT_MS,
  TS_TIME_UNIT_US,
  TS_TIME_UNIT_TICKS,
  TS_TIME_N_UNITS
} TsTimeUnit;

/* how times are told and states are coloured */
void ts_view_state_set_time_format (TsViewState *self,
                                    TsTimeStyle style,
                                    TsTimeUnit unit);
TsTimeStyle ts_view_state_get_time_style (TsViewState *self);
TsTimeUnit ts_view_state_get_time_unit (TsViewState *self);
void ts_view_state_set_time_zero (TsViewState *self,
                                  gint64 tick);
gint64 ts_view_state_get_time_zero (TsViewState *self);
guint ts_view_state_get_time_serial (TsViewState *self);
char *ts_view_state_format_time (TsViewState *self,
                                 gint64 tick);
void ts_view_state_set_color_by_state (TsViewState *self,
                                       gboolean by_state);
gboolean ts_view_state_is_color_by_state (TsViewState *self);
void ts_view_state_set_state_labels (TsViewState *self,
                                     gboolean labels);
gboolean ts_view_state_has_state_labels (TsViewState *self);

/* rows: groups CPU, Interrupts, Tasks, Objects, Events, Values, Messages; losses are drawn over all
 * lanes */
guint ts_view_state_get_n_groups (TsViewState *self);
const char *ts_view_state_get_group_name (TsViewState *self,
                                          guint group);
void ts_view_state_set_group_folded (TsViewState *self,
                                     guint group,
                                     gboolean folded);
gboolean ts_view_state_is_group_folded (TsViewState *self,
                                        guint group);

/** What lanes are sorted by within their group. */
typedef enum
{
  TS_LANE_SORT_PRIORITY,
  TS_LANE_SORT_NAME,
  TS_LANE_SORT_SHARE, /* time it ran, most first */
  TS_LANE_SORT_FIRST_SEEN,
  TS_LANE_N_SORTS
} TsLaneSort;

/* what the user makes of the lanes; forgotten with the recording */
void ts_view_state_set_lane_pinned (TsViewState *self,
                                    guint32 lane,
                                    gboolean pinned);
gboolean ts_view_state_is_lane_pinned (TsViewState *self,
                                       guint32 lane);
gboolean ts_view_state_is_lane_hidden (TsViewState *self,
                                       guint32 lane);
guint ts_view_state_get_n_hidden (TsViewState *self);
void ts_view_state_show_all_lanes (TsViewState *self);
void ts_view_state_set_only_lanes (TsViewState *self,
                                   const guint32 *lanes,
                                   guint n_lanes);
void ts_view_state_set_lane_sort (TsViewState *self,
                                  TsLaneSort sort);
TsLaneSort ts_view_state_get_lane_sort (TsViewState *self);
gboolean ts_view_state_move_lane (TsViewState *self,
                                  guint32 lane,
                                  guint32 before);
gboolean ts_view_state_shift_lane (TsViewState *self,
                                   guint32 lane,
                                   int direction);
GArray *ts_view_state_get_lane_places (TsViewState *self);
void ts_view_state_set_lane_places (TsViewState *self,
                                    const guint32 *lanes,
                                    guint n_lanes);
void ts_view_state_unfold_lane (TsViewState *self,
                                guint32 lane);
void ts_view_state_set_lane_hidden (TsViewState *self,
                                    guint32 lane,
                                    gboolean hidden);
void ts_view_state_set_lane_filter (TsViewState *self,
                                    const char * const *lane_names);
/**
 * TsPlotStyle: how the values of a lane are drawn
 * @TS_PLOT_STEP: each holds until the next
 * @TS_PLOT_LINE: joined by straight lines
 * @TS_PLOT_TOGGLE: high or low, above or below the middle of the range
 * @TS_PLOT_HISTOGRAM: steps, and at the right edge how long which values held in what is seen
 */
typedef enum
{
  TS_PLOT_STEP,
  TS_PLOT_LINE,
  TS_PLOT_TOGGLE,
  TS_PLOT_HISTOGRAM,
  TS_PLOT_N_STYLES
} TsPlotStyle;

/* plots: their style (what the target asked for, if the user chose none), and several in one row */
void ts_view_state_set_plot_style (TsViewState *self,
                                   guint32 lane,
                                   TsPlotStyle style);
TsPlotStyle ts_view_state_get_plot_style (TsViewState *self,
                                          guint32 lane);
gboolean ts_view_state_has_plot_style (TsViewState *self,
                                       guint32 lane);
gboolean ts_view_state_set_plot_host (TsViewState *self,
                                      guint32 lane,
                                      guint32 host);
guint32 ts_view_state_get_plot_host (TsViewState *self,
                                     guint32 lane);
GArray *ts_view_state_get_plot_guests (TsViewState *self,
                                       guint32 host);
void ts_view_state_set_row_height (TsViewState *self,
                                   int lane_px,
                                   int header_px,
                                   int plot_px);
const TsViewRow *ts_view_state_get_rows (TsViewState *self,
                                         guint *n_rows);
int ts_view_state_get_rows_height (TsViewState *self);
int ts_view_state_get_fixed_height (TsViewState *self,
                                    int page);
int ts_view_state_get_row_y (TsViewState *self,
                             const TsViewRow *row,
                             int page);
void ts_view_state_set_scroll_y (TsViewState *self,
                                 int y);
int ts_view_state_get_scroll_y (TsViewState *self);

G_END_DECLS
