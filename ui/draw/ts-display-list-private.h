/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-display-list-private.h: what the files that build a display list share.
 *
 * A build walks the visible rows once. Everything it needs is kept in the list between builds, so
 * that a frame allocates nothing once the arrays have grown.
 */
#pragma once

#include "ts-display-list.h"
#include "ts-view-state-private.h"

G_BEGIN_DECLS

/**
 * TsCell: what a state lane did in one pixel column; times as a share of the column, 0 to 1.
 * @run, @ready, @wait, @sleep: share per state (sleep: sleeping)
 * @count: slices or instants that begin here
 */
typedef struct
{
  float run;
  float ready;
  float wait;
  float sleep;
  guint32 count;
} TsCell;

/**
 * TsLoadPart: CPU time of one task, or of one interrupt, per bin of the CPU lane.
 * @share: (array): time in the bin in pixels, net of interrupts for a task
 * @is_known: the lane was asked in this build
 */
typedef struct
{
  guint32 lane;
  guint8 core;
  guint8 ink;
  guint8 color;
  gboolean is_isr;
  gboolean is_known;
  float *share;
} TsLoadPart;

/**
 * TsBinWidth: how wide bins are: powers of two of time, at least so many pixels (and less than
 * twice that, unless a tick is wider), on absolute multiples: they are the same while panning.
 */
typedef enum
{
  TS_BINS_DENSE, /* 2: lanes of many short slices: a steady band and no noise */
  TS_BINS_LOAD,  /* 4: the CPU lane */
  TS_BINS_LATE,  /* 8: any lane when there is little time */
  TS_N_BINS
} TsBinWidth;

/**
 * TsBins: the bins that lie in the view.
 * @edges: (element-type int): pixels at which they begin, cut to the plot, and the end of the last
 * @shift: log2 of their width in ticks
 * @first: the first one: from @first << @shift on
 * @n: how many; the first and the last may have no pixel
 */
typedef struct
{
  GArray *edges;
  guint shift;
  gint64 first;
  guint n;
} TsBins;

/** TsLossRun: pixels of the plot that a loss covers. */
typedef struct
{
  int first;
  int last;
  gboolean is_corrupt;
} TsLossRun;

struct _TsDisplayList
{
  GArray *items;
  GArray *columns;
  GArray *points;
  GString *text;
  gboolean is_coarse;

  /* kept between builds */
  GArray *slices;
  TsColumn *model_columns;
  TsCell *cells;
  guint8 *crowds;         /* slices that begin in each bin of a lane, as far as they are counted */
  guint n_allocated;
  GArray *load;           /* TsLoadPart */
  float *load_busy;       /* time in each bin of the CPU lane in pixels */
  float *load_shares;
  gsize n_load_shares;
  GArray *grid;           /* int: x of grid lines */
  GArray *losses;         /* TsLossRun */
  TsBins bins[TS_N_BINS];
  gint64 last_begin;      /* view of the build before, and how often it stayed coarse */
  gint64 last_span;
  guint patience;
  GHashTable *depths;     /* lane id -> deepest nesting seen */
};

/**
 * TsBuild: one build.
 * @begin, @span: visible ticks
 * @end: live end, or duration of the recording
 * @scale: pixels per tick
 * @plot_x, @n_columns: left edge and width of the plot
 * @lanes_y: top of the first row at scroll position 0
 * @page: height of what is seen of the rows
 * @fixed: pixels from @lanes_y on that do not scroll
 * @lost_px: pixels of the plot in which data was lost
 * @detail: what the last query returned
 * @n_asked: columns the last query was for: fewer than @n_columns once the deadline has passed
 * @is_answer_coarse: the last query's answer is coarser than what was asked for
 * @bins: (nullable): the columns are those bins, and as many
 * @has_cells: list->cells hold the last query's answer
 * @has_bins: one bit for each of list->bins that is of this build
 */
typedef struct
{
  TsDisplayList *list;
  TsViewState *view;
  TsRecording *recording;
  const TsDisplayOptions *options;
  gint64 begin;
  gint64 span;
  gint64 end;
  double scale;
  int plot_x;
  int n_columns;
  int lanes_y;
  int page;
  int fixed;
  gint64 deadline;
  double lost_px;
  TsLaneDetail detail;
  int n_asked;
  gboolean is_answer_coarse;
  const TsBins *bins;
  gboolean has_cells;
  guint has_bins;
} TsBuild;

/* items */
TsItem *_ts_list_add (TsDisplayList *list,
                      TsItemType type,
                      TsInk ink,
                      guint color,
                      double x,
                      double y,
                      double width,
                      double height);
void _ts_list_add_text (TsDisplayList *list,
                        TsItemType type,
                        TsInk ink,
                        guint align,
                        guint flags,
                        double x,
                        double y,
                        double width,
                        double height,
                        const char *text);
TsPaintColumn *_ts_list_add_columns (TsDisplayList *list,
                                     double x,
                                     double y,
                                     guint n,
                                     double height,
                                     guint flags);
double _ts_text_width (const TsDisplayOptions *options,
                       const char *text,
                       guint flags);

/* building */
TsLaneDetail _ts_build_query (TsBuild *build,
                              guint32 lane);
TsLaneDetail _ts_build_query_bins (TsBuild *build,
                                   guint32 lane,
                                   TsBinWidth width);
void _ts_build_cells (TsBuild *build);
const TsBins *_ts_build_get_bins (TsBuild *build,
                                  TsBinWidth width);
/** Height of the block that means ready in a bar of @height. */
static inline int
_ts_build_ready_height (int height)
{
  return MAX (height * 2 / 5, 3);
}
guint8 _ts_build_lane_color (const TsLaneInfo *lane);
gboolean _ts_build_find_row (const TsBuild *build,
                             guint32 lane,
                             int *y,
                             int *height);
guint _ts_build_depth (TsBuild *build,
                       guint32 lane,
                       guint deepest_seen);

/** x of @tick relative to the plot's left edge, in pixels; far outside it is cut to what a float
 * can carry exactly. */
static inline double
_ts_build_x (const TsBuild *build,
             gint64 tick)
{
  /* multiplied first: an edge that lies on a pixel is exactly there */
  return CLAMP ((double) (tick - build->begin) * build->n_columns / (double) build->span, -1e6,
                1e6);
}

/** First pixel of a bin; of the one behind the last: the pixel behind it. */
static inline int
_ts_bins_get_edge (const TsBins *bins,
                   guint i)
{
  return g_array_index (bins->edges, int, i);
}

/** The column of the last query's answer that pixel @i lies in; not of bins. */
static inline const TsColumn *
_ts_build_column (const TsBuild *build,
                  int i)
{
  return &build->list->model_columns[build->n_asked == build->n_columns
                                       ? i
                                       : i * build->n_asked / build->n_columns];
}

/** Top of a row in the picture. */
static inline int
_ts_build_row_y (const TsBuild *build,
                 const TsViewRow *row)
{
  return build->lanes_y + ts_view_state_get_row_y (build->view, row, build->page);
}

/** A column as a cell; @share: a tick's share of it. */
static inline void
_ts_build_fill_cell (const TsColumn *column,
                     float share,
                     TsCell *cell)
{
  cell->count = column->count;
  cell->run = (float) column->ticks[TS_STATE_RUNNING] * share;
  cell->ready = (float) column->ticks[TS_STATE_READY] * share;
  cell->wait = (float) (column->ticks[TS_STATE_BLOCKED] + column->ticks[TS_STATE_LOW]) * share;
  cell->sleep = (float) column->ticks[TS_STATE_SLEEPING] * share;
}

/* parts of the picture */
void _ts_draw_overview (TsBuild *build);
void _ts_draw_ruler (TsBuild *build);
void _ts_prepare_grid (TsBuild *build);
void _ts_draw_ground (TsBuild *build,
                      int y,
                      int height);
void _ts_draw_group_header (TsBuild *build,
                            const TsViewRow *row,
                            int y);
void _ts_draw_lane_header (TsBuild *build,
                           const TsLaneInfo *lane,
                           int y,
                           int height,
                           double load);
void _ts_draw_state_lane (TsBuild *build,
                          const TsLaneInfo *lane,
                          int y,
                          int height);
void _ts_draw_state_labels (TsBuild *build,
                            const TsLaneInfo *lane,
                            int top,
                            int height);
void _ts_draw_span_lane (TsBuild *build,
                         const TsLaneInfo *lane,
                         int y,
                         int height);
void _ts_draw_toggle_lane (TsBuild *build,
                           const TsLaneInfo *lane,
                           int y,
                           int height);
void _ts_draw_value_lane (TsBuild *build,
                          const TsLaneInfo *lane,
                          int y,
                          int height);
void _ts_draw_point_lane (TsBuild *build,
                          const TsLaneInfo *lane,
                          int y,
                          int height);
void _ts_prepare_loss (TsBuild *build);
void _ts_draw_loss (TsBuild *build,
                    int top,
                    int bottom);
void _ts_mirror_list (TsBuild *build);
void _ts_draw_marks (TsBuild *build,
                     int bottom);
void _ts_draw_notes (TsBuild *build,
                     int bottom);
void _ts_draw_overview_notes (TsBuild *whole,
                              int top,
                              int height);

/* CPU load: prepared before the lanes, fed by them, drawn after them */
void _ts_load_prepare (TsBuild *build);
void _ts_load_feed (TsBuild *build,
                    guint32 lane);
void _ts_load_complete (TsBuild *build);
double _ts_load_draw (TsBuild *build,
                      const TsLaneInfo *lane,
                      int y,
                      int height);

/* numbers as text */
void _ts_format_decimal (GString *out,
                         gint64 value,
                         guint n_decimals);
void _ts_format_short_duration (GString *out,
                                TsRecording *recording,
                                gint64 ticks);
void _ts_format_value (GString *out,
                       double value,
                       guint n_figures,
                       const char *unit);
const char *_ts_lane_title (const TsLaneInfo *lane);

/**
 * TsRulerTicks: where the ruler has its marks; times in nanoseconds (ticks when the clock is not
 * known).
 * @step, @minor: distance of marks with and without text (minor 0: none)
 * @first: first mark at or before the left edge
 * @origin: time the labels count from
 * @unit: nanoseconds per unit of the labels
 * @n_decimals: decimals of the labels
 */
typedef struct
{
  gint64 step;
  gint64 minor;
  __int128 first;
  __int128 origin;
  gint64 unit;
  guint n_decimals;
} TsRulerTicks;

void _ts_ruler_ticks (TsRulerTicks *ticks,
                      gint64 begin,
                      gint64 span,
                      guint64 clock_hz,
                      int width,
                      int min_step_px);

G_END_DECLS
