/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-lanes.c: lane headers, and lanes made of states: tasks, interrupts, scheduler, spans,
 * toggles. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-display-list-private.h"

/* Share of a row that a bar fills; the rest keeps lanes apart. */
#define BAR_SHARE 0.68
/** So many slices in a bin of two to four pixels are a crowd. */
#define CROWD 4

/*
 * _ts_draw_group_header: name of a group with its fold arrow.
 */
void
_ts_draw_group_header (TsBuild *build,
                       const TsViewRow *row,
                       int y)
{
  TsDisplayList *list = build->list;
  const TsDisplayOptions *options = build->options;
  double size = MAX (options->line_height * 0.5, 5);
  TsItem *item;

  _ts_list_add (list, TS_ITEM_RECT, TS_INK_HEADER_BACKGROUND, 0, 0, y, options->width, row->height);
  _ts_list_add (list, TS_ITEM_TRIANGLE, TS_INK_DIM_TEXT,
                ts_view_state_is_group_folded (build->view, row->group), 10,
                y + (row->height - size) / 2, size, size);
  _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0, TS_ITEM_BOLD, 10 + size + 5, y,
                     MAX (build->plot_x - 10 - size - 9, 0), row->height,
                     ts_view_state_get_group_name (build->view, row->group));
  if (options->pointer_x >= 0 && options->pointer_x < build->plot_x && options->pointer_y >= y &&
      options->pointer_y < y + row->height && options->pointer_y >= build->lanes_y)
    {
      item = _ts_list_add (list, TS_ITEM_RECT, TS_INK_HOVER, 0, 0, y, build->plot_x, row->height);
      item->flags = TS_ITEM_GLASS;
    }
}

/*
 * _ts_draw_lane_header: name, unit or load, and the priority in a pill.
 */
void
_ts_draw_lane_header (TsBuild *build,
                      const TsLaneInfo *lane,
                      int y,
                      int height,
                      double load)
{
  TsDisplayList *list = build->list;
  const TsDisplayOptions *options = build->options;
  const TsObject *object
      = lane->object != 0 ? ts_recording_get_object (build->recording, lane->object) : NULL;
  g_autoptr (GString) text = g_string_new (_ts_lane_title (lane));
  g_autoptr (GArray) guests =
      lane->kind == TS_LANE_VALUE ? ts_view_state_get_plot_guests (build->view, lane->id) : NULL;
  double right = build->plot_x - 10;
  guint flags = 0;

  for (guint i = 0; guests != NULL && i < guests->len; i++)
    {
      const TsLaneInfo *guest =
          ts_recording_get_lane (build->recording, g_array_index (guests, guint32, i));

      if (guest != NULL)
        g_string_append_printf (text, ", %s", _ts_lane_title (guest));
    }
  /* which colour is whose, in the order of the names */
  for (guint i = 0; guests != NULL && i <= guests->len; i++)
    {
      const TsLaneInfo *owner =
          i == 0 ? lane
                 : ts_recording_get_lane (build->recording, g_array_index (guests, guint32, i - 1));

      if (owner != NULL)
        _ts_list_add (list, TS_ITEM_RECT, TS_INK_LANE, _ts_build_lane_color (owner), 16 + 14 * i,
                      y + height - 6, 10, 3);
    }

  if (lane->kind == TS_LANE_TASK && lane->priority != TS_OBJECT_UNKNOWN)
    {
      g_autoptr (GString) priority = g_string_new (NULL);
      double pill_height = MIN (options->line_height, height - 4);
      double width;

      _ts_format_decimal (priority, lane->priority, 0);
      /* a low row has a low pill, but its text is no narrower, and the painter keeps 8 pixels */
      width = MAX (_ts_text_width (options, priority->str, TS_ITEM_SMALL)
                       + MAX (pill_height * 0.7, 10),
                   pill_height * 1.35);
      /* one that no system has is told by the tip alone: the name needs the room */
      if (width < right / 2)
        {
          _ts_list_add_text (list, TS_ITEM_PILL, TS_INK_PILL, 1, TS_ITEM_SMALL | TS_ITEM_TABULAR,
                             right - width, y + floor ((height - pill_height) / 2), width,
                             pill_height, priority->str);
          right -= width + 4;
        }
    }
  else if (lane->kind == TS_LANE_VALUE && object != NULL && object->unit != NULL
           && object->unit[0] != '\0')
    {
      g_string_append_printf (text, " [%s]", object->unit);
    }
  else if (lane->kind == TS_LANE_CPU && load >= 0)
    {
      g_autofree char *share = ts_format_localize (g_strdup_printf ("%.1f", load * 100));

      g_string_append_printf (text, "  %s\302\240%%", share);
      flags = TS_ITEM_TABULAR;
    }
  _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_TEXT, 0, flags, 16, y, MAX (right - 16, 0), height,
                     text->str);
}

/* Where bars of a lane stand in its row. */
static void
get_bar (int y,
         int height,
         int *top,
         int *bar_height)
{
  *bar_height = MAX ((int) floor ((height - 1) * BAR_SHARE + 0.5), 3);
  *top = y + (height - 1 - *bar_height) / 2;
}

/* Pixels a slice covers, relative to the plot; at least @least; FALSE: outside. */
static gboolean
get_extent (const TsBuild *build,
            const TsSlice *slice,
            int least,
            int *first,
            int *last)
{
  double begin = floor (_ts_build_x (build, slice->begin));
  double end = floor (_ts_build_x (build, slice->end));

  end = MAX (end, begin + least);
  if (end <= 0 || begin >= build->n_columns)
    return FALSE;
  *first = (int) MAX (begin, 0);
  *last = (int) MIN (end, build->n_columns);
  return *last > *first;
}

/**
 * Run: bars of one look that touch become one, so that a lane never has more of them than pixels.
 * @item: index of the last bar, -1 none
 */
typedef struct
{
  TsInk ink;
  guint color;
  guint flags;
  int y;
  int height;
  int item;
  int end;
} Run;

static void
extend_run (TsBuild *build,
            Run *run,
            int first,
            int last)
{
  TsItem *item;

  if (run->item >= 0 && first < run->end)
    {
      item = &g_array_index (build->list->items, TsItem, (guint) run->item);
      if (build->plot_x + first < item->x)
        {
          /* deeper than the rows there are: slices come in order of their end, not of their begin
           */
          item->width += item->x - (float) (build->plot_x + first);
          item->x = (float) (build->plot_x + first);
        }
      if (last > run->end)
        {
          item->width += (float) (last - run->end);
          run->end = last;
        }
      return;
    }
  run->item = (int) build->list->items->len;
  run->end = last;
  item = _ts_list_add (build->list, TS_ITEM_RECT, run->ink, run->color, build->plot_x + first,
                       run->y, last - first, run->height);
  item->flags = (guint8) run->flags;
}

static gboolean
is_by_state (const TsBuild *build,
             const TsLaneInfo *lane)
{
  return lane->kind == TS_LANE_TASK && ts_view_state_is_color_by_state (build->view);
}

static void
get_inks (const TsBuild *build,
          const TsLaneInfo *lane,
          TsInk *ink,
          TsInk *tint,
          guint *color)
{
  *color = _ts_build_lane_color (lane);
  *ink = TS_INK_LANE;
  *tint = TS_INK_LANE_TINT;
  if (lane->kind == TS_LANE_ISR)
    {
      *ink = TS_INK_ISR;
      *tint = TS_INK_ISR_TINT;
    }
  else if (lane->is_idle || lane->kind == TS_LANE_RTOS)
    {
      *ink = TS_INK_IDLE;
      *tint = TS_INK_PILL;
    }
  else if (is_by_state (build, lane))
    {
      *ink = TS_INK_STATE_RUNNING;
      *tint = TS_INK_STATE_READY;
    }
}

/* What the last query's answer says of a bin. */
static void
get_average (TsBuild *build,
             const TsBins *bins,
             guint bin,
             TsCell *mean)
{
  int first = _ts_bins_get_edge (bins, bin);
  int last = _ts_bins_get_edge (bins, bin + 1);
  float share;

  if (build->bins == bins && build->detail == TS_LANE_DETAIL_COLUMNS)
    {
      _ts_build_fill_cell (&build->list->model_columns[bin],
                           1.0f / (float) (G_GUINT64_CONSTANT (1) << bins->shift), mean);
      return;
    }
  *mean = (TsCell) { 0 };
  share = 1.0f / (float) (last - first);
  _ts_build_cells (build);
  for (int i = first; i < last; i++)
    {
      const TsCell *cell = &build->list->cells[i];

      mean->run += cell->run * share;
      mean->ready += cell->ready * share;
      mean->wait += cell->wait * share;
      mean->sleep += cell->sleep * share;
      mean->count += cell->count;
    }
}

/**
 * DenseLook: how columns of a dense lane look.
 * @pixel: the height of a pixel in 1/255 of the lane
 * @wait, @sleep: inks of the line of a task that waits
 */
typedef struct
{
  const TsLaneInfo *lane;
  guint pixel;
  guint color;
  TsInk ink;
  TsInk tint;
  TsInk ground;
  TsInk wait;
  TsInk sleep;
} DenseLook;

/* One column of a lane too dense to draw slice by slice. @is_gap: between the dots that mean
 * sleeping. */
static void
fill_dense_column (const DenseLook *look,
                   const TsCell *cell,
                   gboolean is_gap,
                   TsPaintColumn *column)
{
  guint line = MIN (2 * look->pixel, 255);
  guint run = (guint) MIN (cell->run * 255.0f + 0.5f, 255.0f);
  guint ready = (guint) MIN (cell->ready * 255.0f + 0.5f, 255.0f);

  *column = (TsPaintColumn) { .color = { (guint8) look->color, (guint8) look->color } };
  /* whatever happened is at least two pixels high */
  if (cell->run > 0 || (cell->count > 0 && look->lane->kind == TS_LANE_ISR))
    run = MAX (run, line);
  if (cell->ready > 0)
    ready = MAX (ready, look->pixel);
  /* idle always wants the CPU: that says nothing */
  if (look->lane->is_idle)
    ready = 0;
  ready = MIN (ready, 255 - run);
  if (look->lane->kind == TS_LANE_ISR && run > 0)
    {
      column->height[0] = (guint8) run;
      column->ink[0] = (guint8) look->ink;
      column->height[1] = (guint8) (255 - run);
      column->ink[1] = (guint8) look->tint;
    }
  else if (run + ready > 0)
    {
      column->height[0] = (guint8) run;
      column->ink[0] = (guint8) look->ink;
      column->height[1] = (guint8) ready;
      column->ink[1] = (guint8) look->tint;
      column->height[2] = (guint8) (255 - run - ready);
      column->ink[2] = (guint8) look->ground;
      column->color[2] = (guint8) look->color;
    }
  else if (cell->wait > 0 || (cell->sleep > 0 && !is_gap))
    {
      column->height[0] = (guint8) ((255 - line) / 2);
      column->ink[0] = TS_INK_BACKGROUND;
      column->height[1] = (guint8) line;
      column->ink[1] = (guint8) (cell->wait > 0 ? look->wait : look->sleep);
    }
}

static DenseLook
get_dense_look (const TsBuild *build,
                const TsLaneInfo *lane,
                int height)
{
  gboolean by_state = is_by_state (build, lane);
  DenseLook look = { .lane = lane,
                     .pixel = (guint) ceil (255.0 / height),
                     .wait = by_state ? TS_INK_STATE_BLOCKED : TS_INK_LANE_LINE,
                     .sleep = by_state ? TS_INK_STATE_SLEEPING : TS_INK_LANE_LINE };

  get_inks (build, lane, &look.ink, &look.tint, &look.color);
  look.ground = look.ink == TS_INK_LANE ? TS_INK_LANE_FAINT : TS_INK_HEADER_BACKGROUND;
  return look;
}

static void
fill_dense_bin (const DenseLook *look,
                const TsCell *cell,
                const TsBins *bins,
                guint bin,
                TsPaintColumn *paint)
{
  TsPaintColumn column, gap;

  fill_dense_column (look, cell, FALSE, &column);
  gap = column;
  if (cell->run + cell->ready + cell->wait <= 0)
    fill_dense_column (look, cell, TRUE, &gap);
  for (int i = _ts_bins_get_edge (bins, bin); i < _ts_bins_get_edge (bins, bin + 1); i++)
    paint[i] = i % 4 < 2 ? column : gap;
}

/* A lane too dense to draw slice by slice: time shares as heights, bin by bin. */
static void
draw_dense_states (TsBuild *build,
                   const TsLaneInfo *lane,
                   int top,
                   int height)
{
  const TsBins *bins
      = build->bins != NULL ? build->bins : _ts_build_get_bins (build, TS_BINS_DENSE);
  TsPaintColumn *paint = _ts_list_add_columns (build->list, build->plot_x, top,
                                               (guint) build->n_columns, height, 0);
  DenseLook look = get_dense_look (build, lane, height);

  for (guint bin = 0; bin < bins->n; bin++)
    {
      TsCell cell;

      if (_ts_bins_get_edge (bins, bin + 1) <= _ts_bins_get_edge (bins, bin))
        continue;
      get_average (build, bins, bin, &cell);
      fill_dense_bin (&look, &cell, bins, bin, paint);
    }
}

/* The bin that a tick lies in; FALSE: none of those in view. */
static gboolean
find_bin (const TsBins *bins,
          gint64 tick,
          guint *bin)
{
  gint64 i = (tick >> bins->shift) - bins->first;

  *bin = (guint) CLAMP (i, 0, (gint64) bins->n);
  return i >= 0 && i < bins->n;
}

/* Where more slices run than can be told apart, though the lane as a whole is sparse: FALSE if
 * nowhere. */
static gboolean
find_crowds (TsBuild *build,
             const TsBins *bins)
{
  const GArray *slices = build->list->slices;
  guint8 *crowds = build->list->crowds;
  gboolean has_any = FALSE;
  guint bin;

  if (slices->len < CROWD)
    return FALSE;
  memset (crowds, 0, bins->n);
  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);

      if (slice->state == TS_STATE_RUNNING && find_bin (bins, slice->begin, &bin)
          && crowds[bin] < CROWD)
        has_any |= ++crowds[bin] == CROWD;
    }
  return has_any;
}

/* Whether a slice lies in one bin, with many others. */
static gboolean
is_in_crowd (const TsBuild *build,
             const TsBins *bins,
             const TsSlice *slice)
{
  guint first, last;

  return find_bin (bins, slice->begin, &first) && find_bin (bins, slice->end, &last)
         && build->list->crowds[first] == CROWD && first == last;
}

/* The shares of crowded bins that a slice ran, or was ready. */
static void
add_to_crowds (const TsBuild *build,
               const TsBins *bins,
               const TsSlice *slice,
               TsCell *cells)
{
  gint64 width = G_GINT64_CONSTANT (1) << bins->shift;
  gint64 first = MAX ((slice->begin >> bins->shift) - bins->first, 0);
  gint64 last = MIN ((slice->end >> bins->shift) - bins->first, (gint64) bins->n - 1);

  for (gint64 bin = first; bin <= last; bin++)
    {
      gint64 begin = (bins->first + bin) * width;
      gint64 ticks = MIN (slice->end, begin + width) - MAX (slice->begin, begin);

      if (build->list->crowds[bin] != CROWD)
        continue;
      if (slice->state == TS_STATE_RUNNING)
        {
          cells[bin].run += (float) ticks / (float) width;
          cells[bin].count++;
        }
      else if (slice->state == TS_STATE_READY)
        cells[bin].ready += (float) ticks / (float) width;
    }
}

/* Crowded places of a sparse lane look as a dense one does: shares as heights, not one long bar. */
static void
draw_crowds (TsBuild *build,
             const TsLaneInfo *lane,
             const TsBins *bins,
             int top,
             int height)
{
  TsPaintColumn *paint = _ts_list_add_columns (build->list, build->plot_x, top,
                                               (guint) build->n_columns, height, 0);
  DenseLook look = get_dense_look (build, lane, height);
  TsCell *cells = build->list->cells;

  build->has_cells = FALSE;
  memset (cells, 0, bins->n * sizeof *cells);
  for (guint i = 0; i < build->list->slices->len; i++)
    add_to_crowds (build, bins, &g_array_index (build->list->slices, TsSlice, i), cells);
  for (guint bin = 0; bin < bins->n; bin++)
    if (build->list->crowds[bin] == CROWD)
      fill_dense_bin (&look, &cells[bin], bins, bin, paint);
}

static guint
get_deepest (const GArray *slices)
{
  guint deepest = 0;

  for (guint i = 0; i < slices->len; i++)
    deepest = MAX (deepest, g_array_index (slices, TsSlice, i).depth);
  return deepest;
}

static gboolean
is_dense (const TsBuild *build)
{
  return build->detail == TS_LANE_DETAIL_COLUMNS
         || build->list->slices->len > (guint) build->n_columns / 2;
}

static void
draw_waits (TsBuild *build,
            const TsLaneInfo *lane,
            int top,
            int height)
{
  const GArray *slices = build->list->slices;
  int middle = top + height / 2;
  int ready_height = _ts_build_ready_height (height);
  guint color;
  TsInk ink, tint;

  get_inks (build, lane, &ink, &tint, &color);
  {
    gboolean by_state = is_by_state (build, lane);
    Run line = { by_state ? TS_INK_STATE_BLOCKED : TS_INK_LANE_LINE, color, 0, middle - 1, 2, -1,
                 0 };
    Run dots = { by_state ? TS_INK_STATE_SLEEPING : TS_INK_LANE_LINE, color, TS_ITEM_DOTTED,
                 middle - 1, 2, -1, 0 };
    Run ready = { tint, color, 0, top + (height - ready_height) / 2, ready_height, -1, 0 };

    for (guint i = 0; i < slices->len; i++)
      {
        const TsSlice *slice = &g_array_index (slices, TsSlice, i);
        int first, last;

        if (!get_extent (build, slice, slice->state == TS_STATE_READY ? 1 : 0, &first, &last))
          continue;
        if (slice->state == TS_STATE_BLOCKED)
          extend_run (build, &line, first, last);
        else if (slice->state == TS_STATE_SLEEPING)
          extend_run (build, &dots, first, last);
        else if (slice->state == TS_STATE_READY && !lane->is_idle)
          extend_run (build, &ready, first, last);
      }
  }
}

/*
 * _ts_draw_state_lane: a task, an interrupt or the scheduler. State is shape, then colour: running
 * full bar, ready lower tinted block, blocked thin line, sleeping dotted line, suspended nothing.
 */
void
_ts_draw_state_lane (TsBuild *build,
                     const TsLaneInfo *lane,
                     int y,
                     int height)
{
  const GArray *slices = build->list->slices;
  const TsBins *bins;
  int top, bar_height;
  guint color, deepest;
  TsInk ink, tint;
  gboolean has_crowds;
  Run bars[4];

  get_bar (y, height, &top, &bar_height);
  if (is_dense (build))
    {
      draw_dense_states (build, lane, top, bar_height);
      return;
    }
  bins = _ts_build_get_bins (build, TS_BINS_DENSE);
  has_crowds = find_crowds (build, bins);
  get_inks (build, lane, &ink, &tint, &color);
  if (lane->kind == TS_LANE_TASK)
    draw_waits (build, lane, top, bar_height);

  if (has_crowds)
    draw_crowds (build, lane, bins, top, bar_height);

  /* nested instances stand in rows of their own, the outermost at the top */
  deepest = _ts_build_depth (build, lane->id, lane->kind == TS_LANE_ISR ? get_deepest (slices) : 0);
  for (guint i = 0; i <= deepest; i++)
    {
      int first_y = top + (int) i * bar_height / (int) (deepest + 1);
      int last_y = top + (int) (i + 1) * bar_height / (int) (deepest + 1);

      bars[i] = (Run) { ink, color, TS_ITEM_SOFT, first_y, last_y - first_y, -1, 0 };
    }
  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);
      int first, last;

      if (slice->state != TS_STATE_RUNNING || (has_crowds && is_in_crowd (build, bins, slice)))
        continue;
      if (get_extent (build, slice, lane->kind == TS_LANE_ISR ? 2 : 1, &first, &last))
        extend_run (build, &bars[MIN (slice->depth, deepest)], first, last);
    }
  if (lane->kind == TS_LANE_TASK && ts_view_state_has_state_labels (build->view))
    _ts_draw_state_labels (build, lane, top, bar_height);
}

static void
add_span_label (TsBuild *build,
                const TsLaneInfo *lane,
                const TsSlice *slice,
                const Run *run,
                int first,
                int last)
{
  const TsDisplayOptions *options = build->options;
  g_autoptr (GString) text = NULL;
  double room = last - first - 6;

  if (run->height < options->line_height * 0.7 ||
      _ts_text_width (options, _ts_lane_title (lane), TS_ITEM_SMALL) * 0.75 > room)
    return;
  text = g_string_new (_ts_lane_title (lane));
  g_string_append (text, " · ");
  _ts_format_short_duration (text, build->recording, slice->end - slice->begin);
  if (_ts_text_width (options, text->str, TS_ITEM_SMALL) > room)
    g_string_assign (text, _ts_lane_title (lane));
  _ts_list_add_text (build->list, TS_ITEM_TEXT, TS_INK_LANE, run->color, TS_ITEM_SMALL,
                     build->plot_x + first + 4, run->y, room + 1, run->height, text->str);
}

/*
 * _ts_draw_span_lane: user event spans, overlapping ones below one another, with their name where
 * it fits.
 */
void
_ts_draw_span_lane (TsBuild *build,
                    const TsLaneInfo *lane,
                    int y,
                    int height)
{
  const GArray *slices = build->list->slices;
  int top, bar_height;
  guint color, deepest;
  TsInk ink, tint;
  Run bars[4];

  get_bar (y, height, &top, &bar_height);
  if (is_dense (build))
    {
      draw_dense_states (build, lane, top, bar_height);
      return;
    }
  get_inks (build, lane, &ink, &tint, &color);
  deepest = _ts_build_depth (build, lane->id, get_deepest (slices));
  for (guint i = 0; i <= deepest; i++)
    {
      int first_y = top + (int) i * bar_height / (int) (deepest + 1);
      int last_y = top + (int) (i + 1) * bar_height / (int) (deepest + 1);

      bars[i] = (Run) { ink, color, TS_ITEM_SOFT, first_y, last_y - first_y, -1, 0 };
    }
  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);
      Run *run = &bars[MIN (slice->depth, deepest)];
      int first, last;

      if (!get_extent (build, slice, 2, &first, &last))
        continue;
      extend_run (build, run, first, last);
      add_span_label (build, lane, slice, run, first, last);
    }
}

static void
draw_dense_toggle (TsBuild *build,
                   const TsLaneInfo *lane,
                   int top,
                   int height)
{
  TsDisplayList *list = build->list;
  guint pixel = (guint) ceil (255.0 / height);
  guint8 color = _ts_build_lane_color (lane);
  TsPaintColumn *paint;

  _ts_build_cells (build);
  paint = _ts_list_add_columns (list, build->plot_x, top, (guint) build->n_columns, height, 0);
  for (int i = 0; i < build->n_columns; i++)
    {
      const TsCell *cell = &list->cells[i];
      TsPaintColumn *column = &paint[i];
      guint high = (guint) MIN (cell->run * 255.0f + 0.5f, 255.0f);

      if (cell->run <= 0 && cell->wait <= 0 && cell->count == 0)
        continue;
      for (guint j = 0; j < 4; j++)
        column->color[j] = color;
      if (cell->count > 0)
        {
          /* both levels occur: filled, the share of high darker */
          high = CLAMP (high, pixel, 255 - pixel);
          column->height[0] = (guint8) high;
          column->ink[0] = TS_INK_LANE;
          column->height[1] = (guint8) (255 - high);
          column->ink[1] = TS_INK_LANE_TINT;
        }
      else if (cell->run > cell->wait)
        {
          column->height[0] = (guint8) (255 - pixel);
          column->ink[0] = TS_INK_LANE_TINT;
          column->height[1] = (guint8) pixel;
          column->ink[1] = TS_INK_LANE;
        }
      else
        {
          column->height[0] = (guint8) pixel;
          column->ink[0] = TS_INK_LANE;
        }
    }
}

/*
 * _ts_draw_toggle_lane: a line that is high or low.
 */
void
_ts_draw_toggle_lane (TsBuild *build,
                      const TsLaneInfo *lane,
                      int y,
                      int height)
{
  const GArray *slices = build->list->slices;
  guint color = _ts_build_lane_color (lane);
  int top, bar_height;

  get_bar (y, height, &top, &bar_height);
  if (is_dense (build))
    {
      draw_dense_toggle (build, lane, top, bar_height);
      return;
    }
  {
    Run fill = { TS_INK_LANE_TINT, color, 0, top, bar_height, -1, 0 };
    Run high = { TS_INK_LANE, color, 0, top, 2, -1, 0 };
    Run low = { TS_INK_LANE, color, 0, top + bar_height - 2, 2, -1, 0 };
    Run edge = { TS_INK_LANE, color, 0, top, bar_height, -1, 0 };

    for (guint i = 0; i < slices->len; i++)
      {
        const TsSlice *slice = &g_array_index (slices, TsSlice, i);
        gboolean is_high = slice->state == TS_STATE_RUNNING;
        int first, last;

        if (!get_extent (build, slice, 1, &first, &last))
          continue;
        if (is_high)
          extend_run (build, &fill, first, last);
        extend_run (build, is_high ? &high : &low, first, last);
        if (slice->begin >= build->begin && (is_high || i > 0))
          extend_run (build, &edge, first, first + 1);
      }
  }
}
