/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-display-list.h: "recording + view state" as a list of primitives, testable as data.
 *
 * Never longer than pixels times visible lanes. Dense lanes are one column item (an array of pixel
 * columns), sparse lanes are rectangles; labels are strings with a place. The painter
 * (ts-painter.h) knows no recording.
 */
#pragma once

#include "ts-view-state.h"

G_BEGIN_DECLS

/** What an item looks like; the palette (ts-painter.h) gives it a colour. */
typedef enum
{
  TS_INK_BACKGROUND,
  TS_INK_HEADER_BACKGROUND,
  TS_INK_GRID,
  TS_INK_TEXT,
  TS_INK_DIM_TEXT,
  TS_INK_LANE,        /* coloured by item.color: running, span, plot line ... */
  TS_INK_LANE_TINT,   /* ready, sleeping: a tint of the lane's colour */
  TS_INK_LANE_LINE,   /* blocked: thin line of the lane's colour */
  TS_INK_IDLE,
  TS_INK_ISR,
  TS_INK_LOSS,
  TS_INK_SELECTION,
  TS_INK_ACCENT,
  TS_INK_CURSOR,
  TS_INK_ISR_TINT,    /* a dense interrupt lane: something happened here */
  TS_INK_BORDER,      /* lines between areas */
  TS_INK_PILL,        /* ground of quiet pills (priority) */
  TS_INK_OVERVIEW,    /* event density */
  TS_INK_HOVER,       /* what is under the pointer */
  TS_INK_LANE_FAINT,  /* ground of a dense lane where something happened */
  TS_INK_OTHER,       /* CPU time of none of the lanes: scheduler, unknown */
  TS_INK_STATE_RUNNING, /* tasks coloured by state */
  TS_INK_STATE_READY,
  TS_INK_STATE_BLOCKED,
  TS_INK_STATE_SLEEPING,
  TS_INK_LABEL_GROUND, /* under a word on a tint: that tint; in high contrast no tint, no stripes */
  TS_N_INKS
} TsInk;

typedef enum
{
  TS_ITEM_RECT,    /* filled rectangle */
  TS_ITEM_HATCH,   /* hatched rectangle with an outline */
  TS_ITEM_OUTLINE, /* rectangle outline */
  TS_ITEM_LINE,    /* from x,y to x+width,y+height, one pixel */
  TS_ITEM_TEXT, /* text in the rectangle, ellipsized; align in color: 0 start, 1 centre, 2 end; ink
                 * %TS_INK_LANE, %TS_INK_IDLE, %TS_INK_STATE_RUNNING: text that can be read on that
                 * colour (of a lane: color), at the start */
  TS_ITEM_PILL, /* rounded rectangle with text */
  TS_ITEM_COLUMNS,  /* n_columns TsPaintColumn from first: dense lane */
  TS_ITEM_POLYLINE, /* n_columns TsPaintPoint from first */
  TS_ITEM_MARKER,   /* an instant: tick or diamond, centred on x */
  TS_ITEM_TRIANGLE, /* fold arrow of a group header; color 1: folded */
  TS_ITEM_CLIP,     /* what follows is seen inside this rectangle only; width 0: everywhere again */
} TsItemType;

/**
 * TsItemFlags:
 * @TS_ITEM_BOLD, @TS_ITEM_SMALL, @TS_ITEM_TABULAR: text: weight, size, figures of one width
 * @TS_ITEM_SOFT: rectangle with softened corners (where it is large enough)
 * @TS_ITEM_DOTTED: rectangle drawn as a row of dots
 * @TS_ITEM_SMOOTH: columns whose edges are smoothed (plots); else they lie on whole pixels
 * @TS_ITEM_GLASS: translucent; a loss of color 1 more so
 * @TS_ITEM_MIRRORED: a folded triangle points to the left
 */
typedef enum
{
  TS_ITEM_BOLD = 1 << 0,
  TS_ITEM_SMALL = 1 << 1,
  TS_ITEM_TABULAR = 1 << 2,
  TS_ITEM_SOFT = 1 << 3,
  TS_ITEM_DOTTED = 1 << 4,
  TS_ITEM_SMOOTH = 1 << 5,
  TS_ITEM_GLASS = 1 << 6,
  TS_ITEM_MIRRORED = 1 << 7,
} TsItemFlags;

/**
 * TsPaintColumn: one pixel column of a dense lane: a stack of up to 4 parts from the bottom,
 * heights in 1/255 of the lane. A part of ink %TS_INK_BACKGROUND leaves its height free.
 */
typedef struct
{
  guint8 height[4];
  guint8 ink[4];
  guint8 color[4];
} TsPaintColumn;

typedef struct
{
  float x;
  float y_min;
  float y_max;
} TsPaintPoint;

typedef struct
{
  guint8 type;      /* TsItemType */
  guint8 ink;       /* TsInk */
  guint8 color;     /* index of a lane colour */
  guint8 flags;
  float x;
  float y;
  float width;
  float height;
  guint32 first;    /* columns, points: index; text: offset in the text pool */
  guint32 n;        /* columns, points: number; text: length in bytes */
} TsItem;

typedef struct _TsDisplayList TsDisplayList;

/**
 * TS_DISPLAY_DEADLINE_US:
 *
 * What a frame on screen should give the recording: then the longest frame over a large recording
 * stays near that over a small one, and what was coarse is whole a frame or two later.
 */
#define TS_DISPLAY_DEADLINE_US 1000

/**
 * TsDisplayOptions:
 * @width, @height: size of the whole picture in pixels
 * @label_width: width of the lane header column
 * @overview_height, @ruler_height: 0 leaves them out
 * @line_height: height of a line of text in pixels (from the font)
 * @deadline_us: microseconds this build may take from the recording before coarser data is used; 0:
 * no limit
 * @pointer_x, @pointer_y: hover position, negative for none
 * @is_mirrored: the lane headers stand on the right; time runs from left to right all the same
 */
typedef struct
{
  int width;
  int height;
  int label_width;
  int overview_height;
  int ruler_height;
  int line_height;
  gint64 deadline_us;
  double pointer_x;
  double pointer_y;
  gboolean is_mirrored;
} TsDisplayOptions;

double ts_display_options_unmirror (const TsDisplayOptions *options,
                                    double x);

TsDisplayList *ts_display_list_new (void);
void ts_display_list_free (TsDisplayList *self);
/* TRUE: complete. FALSE: coarser data was used to keep the deadline, build again soon. */
gboolean ts_display_list_build (TsDisplayList *self,
                                TsViewState *view,
                                const TsDisplayOptions *options);
const TsItem *ts_display_list_get_items (TsDisplayList *self,
                                         guint *n_items);
const TsPaintColumn *ts_display_list_get_columns (TsDisplayList *self);
const TsPaintPoint *ts_display_list_get_points (TsDisplayList *self);
const char *ts_display_list_get_text (TsDisplayList *self,
                                      const TsItem *item);
gboolean ts_display_list_is_coarse (TsDisplayList *self);

/**
 * TsHit:
 * @lane: lane under the point, 0 none; %TS_LANE_ID_LOSS on the bar of a loss
 * @group: group of a header, -1 none
 * @part: 0 nothing, 1 overview, 2 ruler, 3 lane header, 4 lane, 5 group header
 * @time: tick under the point
 * @has_slice: @slice is the slice under (or within 3 px of) the point
 * @is_pending: what is there has to come from the disk: see ts_recording_end_look()
 * @has_coarse: meanwhile @coarse is known of what is round the point
 */
typedef struct
{
  guint32 lane;
  int group;
  int part;
  gint64 time;
  gboolean has_slice;
  TsSlice slice;
  gboolean is_pending;
  gboolean has_coarse;
  TsColumn coarse;
} TsHit;

void ts_display_list_hit (TsDisplayList *self,
                          TsViewState *view,
                          const TsDisplayOptions *options,
                          double x,
                          double y,
                          TsHit *hit);
/* Text of the hover card for a hit: lines separated by \n; (transfer full) (nullable). */
char *ts_display_list_describe_hit (TsViewState *view,
                                    const TsHit *hit);
/* 12.304 118 412 s and 2.413 118 ms: exact, grouped by thin spaces (U+2009). */
void ts_format_use_locale (gboolean is_rtl);
const char *ts_format_get_group_space (void);
char *ts_format_localize (char *text);
char *ts_format_value (double value,
                       const char *unit);
char *ts_format_time (TsRecording *recording,
                      gint64 ticks);
char *ts_format_duration (TsRecording *recording,
                          gint64 ticks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsDisplayList, ts_display_list_free)

G_END_DECLS
