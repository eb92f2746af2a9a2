/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-values.c: lanes of values (plots) and lanes of instants: kernel objects, messages. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>

#include "ts-display-list-private.h"

/* Most bars of a distribution. */
#define MAX_BINS 32

typedef struct
{
  double min;
  double max;
  gboolean is_known;
} Range;

static void
add_to_range (Range *range,
              double value)
{
  if (!isfinite (value))
    return;
  range->min = range->is_known ? MIN (range->min, value) : value;
  range->max = range->is_known ? MAX (range->max, value) : value;
  range->is_known = TRUE;
}

static Range
get_range (TsBuild *build)
{
  TsDisplayList *list = build->list;
  Range range = { 0 };

  if (build->detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < list->slices->len; i++)
        {
          const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);

          if (slice->end >= build->begin && slice->begin < build->begin + build->span)
            add_to_range (&range, slice->value);
        }
      return range;
    }
  for (int i = 0; i < build->n_columns; i++)
    {
      const TsColumn *column = _ts_build_column (build, i);

      if (column->count == 0 && !column->has_value)
        continue;
      add_to_range (&range, column->min);
      add_to_range (&range, column->max);
    }
  return range;
}

/* Height of a value above the plot's bottom, 0 to 1. */
static double
get_level (const Range *range,
           double value)
{
  double size = range->max - range->min;

  if (!isfinite (value))
    return 0;
  if (!(size > 0))
    return 0.5;
  return CLAMP ((value - range->min) / size, 0, 1);
}

/* Two levels only, where that is asked for. */
static double
get_plot_level (const Range *range,
                TsPlotStyle style,
                double value)
{
  double level = get_level (range, value);

  return style == TS_PLOT_TOGGLE ? (level > 0.5 ? 1 : 0) : level;
}

static void
draw_sparse_values (TsBuild *build,
                    const TsLaneInfo *lane,
                    const Range *range,
                    TsPlotStyle style,
                    int top,
                    int height)
{
  TsDisplayList *list = build->list;
  guint first = list->points->len;
  gint64 last_end = G_MININT64;
  TsItem *item = NULL;

  for (guint i = 0; i < list->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
      double x0 = MAX (floor (_ts_build_x (build, slice->begin)) + 0.75, 0);
      double x1 = MIN (floor (_ts_build_x (build, slice->end)) + 0.75, build->n_columns);
      /* the line is 1.5 pixels thick: one of them full */
      double y =
          floor (top + (height - 2) * (1 - get_plot_level (range, style, slice->value))) + 0.75;
      /* a line goes from value to value; the last one holds as far as it is known to */
      gboolean is_joined = style == TS_PLOT_LINE && i + 1 < list->slices->len &&
                           g_array_index (list->slices, TsSlice, i + 1).begin <= slice->end;
      TsPaintPoint points[2] = {
        { (float) (build->plot_x + x0), (float) y, (float) y },
        { (float) (build->plot_x + x1), (float) y, (float) y },
      };

      if (slice->end < build->begin || x0 >= build->n_columns || !isfinite (slice->value))
        continue;
      /* a gap (loss, restart) breaks the line */
      if (item == NULL || slice->begin > last_end)
        {
          first = list->points->len;
          item = _ts_list_add (list, TS_ITEM_POLYLINE, TS_INK_LANE, _ts_build_lane_color (lane),
                               build->plot_x, top, build->n_columns, height);
          item->first = first;
        }
      last_end = slice->end;
      if (style == TS_PLOT_LINE && slice->begin < build->begin)
        points[0].x = (float) (build->plot_x + _ts_build_x (build, slice->begin));
      g_array_append_vals (list->points, points, is_joined ? 1 : 2);
      item = &g_array_index (list->items, TsItem, list->items->len - 1);
      item->n = list->points->len - first;
    }
}

/* One column per pixel: the band from smallest to largest in a tint, in it the line that joins the
 * last values. */
static void
draw_dense_values (TsBuild *build,
                   const TsLaneInfo *lane,
                   const Range *range,
                   TsPlotStyle style,
                   int top,
                   int height)
{
  TsDisplayList *list = build->list;
  guint8 color = _ts_build_lane_color (lane);
  double thickness = 1.5 / height;
  double last = NAN;
  TsPaintColumn *paint = _ts_list_add_columns (list, build->plot_x, top, (guint) build->n_columns,
                                               height, TS_ITEM_SMOOTH);

  for (int i = 0; i < build->n_columns; i++)
    {
      const TsColumn *column = _ts_build_column (build, i);
      TsPaintColumn *out = &paint[i];
      double low, high, line_low, line_high, level;
      double edges[5];

      if (column->count == 0 && !column->has_value)
        {
          last = NAN;
          continue;
        }
      level = get_plot_level (range, style, column->last);
      line_low = isnan (last) ? level : MIN (level, last);
      line_high = isnan (last) ? level : MAX (level, last);
      if (line_high - line_low < thickness)
        {
          double middle = CLAMP ((line_high + line_low) / 2, thickness / 2, 1 - thickness / 2);

          line_low = middle - thickness / 2;
          line_high = middle + thickness / 2;
        }
      low = MIN (get_plot_level (range, style, column->min), line_low);
      high = MAX (get_plot_level (range, style, column->max), line_high);
      edges[0] = 0;
      edges[1] = low * 255;
      edges[2] = line_low * 255;
      edges[3] = line_high * 255;
      edges[4] = high * 255;
      for (guint j = 0; j < 4; j++)
        {
          out->height[j] = (guint8) (floor (edges[j + 1] + 0.5) - floor (edges[j] + 0.5));
          out->color[j] = color;
        }
      out->ink[0] = TS_INK_BACKGROUND;
      out->ink[1] = TS_INK_LANE_TINT;
      out->ink[2] = TS_INK_LANE;
      out->ink[3] = TS_INK_LANE_TINT;
      last = level;
    }
}

static void
draw_range_label (TsBuild *build,
                  const char *text,
                  double y)
{
  double width = _ts_text_width (build->options, text, TS_ITEM_SMALL) + 6;
  TsItem *item;

  width = MIN (width, build->n_columns / 2);
  item
      = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0,
                      build->options->width - width - 6, y, width + 6, build->options->line_height);
  item->flags = TS_ITEM_GLASS;
  _ts_list_add_text (build->list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 2,
                     TS_ITEM_SMALL | TS_ITEM_TABULAR, build->options->width - width - 6, y, width,
                     build->options->line_height, text);
}

/* Largest value at the top, smallest at the bottom; in one line where there is room for one only.
 */
static void
draw_range_labels (TsBuild *build,
                   const Range *range,
                   int y,
                   int height)
{
  int line = build->options->line_height;
  g_autoptr (GString) low = g_string_new (NULL);
  g_autoptr (GString) high = g_string_new (NULL);

  _ts_format_value (low, range->min, 4, NULL);
  _ts_format_value (high, range->max, 4, NULL);
  if (!(range->max > range->min))
    {
      draw_range_label (build, high->str, y + (height - line) / 2);
    }
  else if (height >= 2 * line)
    {
      draw_range_label (build, high->str, y + 1);
      draw_range_label (build, low->str, y + height - 2 - line);
    }
  else
    {
      g_string_append_printf (low, " … %s", high->str);
      draw_range_label (build, low->str, y + (height - line) / 2);
    }
}

/* At the right edge, lying on its side: how long the value was where, of what is seen. */
static void
draw_distribution (TsBuild *build,
                   const TsLaneInfo *lane,
                   const Range *range,
                   int top,
                   int height)
{
  TsDisplayList *list = build->list;
  double weights[MAX_BINS] = { 0 };
  guint n_bins = (guint) CLAMP (height / 3, 1, MAX_BINS);
  double room = MIN (build->n_columns / 5.0, build->options->line_height * 6.0);
  double most = 0;

  for (guint i = 0; build->detail == TS_LANE_DETAIL_SLICES && i < list->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
      double x0 = MAX (_ts_build_x (build, slice->begin), 0);
      double x1 = MIN (_ts_build_x (build, slice->end), build->n_columns);

      if (x1 > x0 && isfinite (slice->value))
        weights[MIN ((guint) (get_level (range, slice->value) * n_bins), n_bins - 1)] += x1 - x0;
    }
  for (int i = 0; build->detail == TS_LANE_DETAIL_COLUMNS && i < build->n_columns; i++)
    {
      const TsColumn *column = _ts_build_column (build, i);

      if (column->count > 0 || column->has_value)
        weights[MIN ((guint) (get_level (range, column->last) * n_bins), n_bins - 1)] += 1;
    }
  for (guint i = 0; i < n_bins; i++)
    most = MAX (most, weights[i]);
  for (guint i = 0; i < n_bins && most > 0; i++)
    {
      double width = ceil (room * weights[i] / most);
      int y0 = top + height - (int) ((i + 1) * (guint) height / n_bins);
      int y1 = top + height - (int) (i * (guint) height / n_bins);

      if (width > 0)
        _ts_list_add (list, TS_ITEM_RECT, TS_INK_LANE_TINT, _ts_build_lane_color (lane),
                      build->plot_x + build->n_columns - width, y0, width, MAX (y1 - y0 - 1, 1));
    }
}

static const char *
get_unit (TsBuild *build,
          const TsLaneInfo *lane)
{
  const TsObject *object =
      lane->object != 0 ? ts_recording_get_object (build->recording, lane->object) : NULL;

  return object != NULL && object->unit != NULL ? object->unit : "";
}

static void draw_plot (TsBuild *build,
                       const TsLaneInfo *lane,
                       const Range *range,
                       int y,
                       int height);

static void
add_overflow (TsBuild *build,
              int x,
              int y,
              int height)
{
  TsItem *item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_LOSS, 0, build->plot_x + x, y + 1, 2,
                               height - 2);

  item->flags = TS_ITEM_GLASS;
}

/* A mark wherever the target lost packets because the line was full. */
static void
draw_overflows (TsBuild *build,
                guint core,
                int y,
                int height)
{
  const TsDisplayList *list = build->list;
  int last = -1;

  if (ts_recording_get_lane (build->recording, TS_LANE_ID_OVERFLOW (core)) == NULL)
    return;
  _ts_build_query (build, TS_LANE_ID_OVERFLOW (core));
  if (build->detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < list->slices->len; i++)
        {
          double x = floor (_ts_build_x (build, g_array_index (list->slices, TsSlice, i).end));

          if (x < 0 || x >= build->n_columns || (int) x == last)
            continue;
          last = (int) x;
          add_overflow (build, last, y, height);
        }
    }
  else if (build->detail == TS_LANE_DETAIL_COLUMNS)
    {
      for (int i = 0; i < build->n_columns; i++)
        if (_ts_build_column (build, i)->count > 0)
          add_overflow (build, i, y, height);
    }
}

/*
 * _ts_draw_value_lane: a plot with its own range, and with it those that share its row. Plots of one
 * unit share the range, too, so that they can be compared; others have their own.
 */
void
_ts_draw_value_lane (TsBuild *build,
                     const TsLaneInfo *lane,
                     int y,
                     int height)
{
  g_autoptr (GArray) guests = ts_view_state_get_plot_guests (build->view, lane->id);
  Range range = get_range (build);
  int load_core = ts_lane_id_get_load_core (lane->id);

  for (guint i = 0; guests != NULL && i < guests->len; i++)
    {
      guint32 id = g_array_index (guests, guint32, i);
      const TsLaneInfo *guest = ts_recording_get_lane (build->recording, id);
      Range other;

      if (guest == NULL || !g_str_equal (get_unit (build, guest), get_unit (build, lane)))
        continue;
      _ts_build_query (build, id);
      other = get_range (build);
      if (other.is_known)
        {
          add_to_range (&range, other.min);
          add_to_range (&range, other.max);
        }
    }
  if (guests != NULL)
    _ts_build_query (build, lane->id);
  if (load_core >= 0 && range.is_known)
    add_to_range (&range, 0);
  if (range.is_known)
    draw_plot (build, lane, &range, y, height);
  if (load_core >= 0)
    draw_overflows (build, (guint) load_core, y, height);
  for (guint i = 0; guests != NULL && i < guests->len; i++)
    {
      guint32 id = g_array_index (guests, guint32, i);
      const TsLaneInfo *guest = ts_recording_get_lane (build->recording, id);
      Range own;

      if (guest == NULL)
        continue;
      _ts_build_query (build, id);
      own = g_str_equal (get_unit (build, guest), get_unit (build, lane)) ? range
                                                                          : get_range (build);
      if (own.is_known)
        draw_plot (build, guest, &own, y, height);
    }
  if (range.is_known)
    draw_range_labels (build, &range, y, height);
}

static void
draw_plot (TsBuild *build,
           const TsLaneInfo *lane,
           const Range *range,
           int y,
           int height)
{
  int inset = MAX (height / 9, 2);
  int top = y + inset;
  int plot_height = MAX (height - 1 - 2 * inset, 4);
  TsPlotStyle style = ts_view_state_get_plot_style (build->view, lane->id);

  if (style == TS_PLOT_HISTOGRAM)
    draw_distribution (build, lane, range, top, plot_height);
  if (build->detail == TS_LANE_DETAIL_SLICES
      && build->list->slices->len <= (guint) build->n_columns / 4)
    {
      draw_sparse_values (build, lane, range, style, top, plot_height);
    }
  else
    {
      if (build->detail == TS_LANE_DETAIL_SLICES)
        {
          TsColumn *columns = build->list->model_columns;

          build->n_asked = build->n_columns;

          /* too many for lines, few enough to have come one by one: make the columns here */
          for (int i = 0; i < build->n_columns; i++)
            columns[i] = (TsColumn) { 0 };
          for (guint i = 0; i < build->list->slices->len; i++)
            {
              const TsSlice *slice = &g_array_index (build->list->slices, TsSlice, i);
              double begin = floor (_ts_build_x (build, slice->begin));
              double end = floor (_ts_build_x (build, slice->end));

              for (int j = (int) MAX (begin, 0); j <= (int) MIN (end, build->n_columns - 1); j++)
                {
                  gboolean is_first = !columns[j].has_value;

                  columns[j].has_value = TRUE;
                  columns[j].min = is_first ? slice->value : MIN (columns[j].min, slice->value);
                  columns[j].max = is_first ? slice->value : MAX (columns[j].max, slice->value);
                  columns[j].last = slice->value;
                }
            }
        }
      draw_dense_values (build, lane, range, style, top, plot_height);
    }
}

static guint
get_actor_color (TsBuild *build,
                 const TsLaneInfo *lane,
                 const TsSlice *slice)
{
  const TsLaneInfo *actor
      = slice->arg != 0 ? ts_recording_get_lane (build->recording, slice->arg) : NULL;

  return actor != NULL && actor->kind == TS_LANE_TASK ? _ts_build_lane_color (actor)
                                                      : _ts_build_lane_color (lane);
}

static void
draw_dense_points (TsBuild *build,
                   const TsLaneInfo *lane,
                   int top,
                   int height)
{
  TsDisplayList *list = build->list;
  gboolean is_message = lane->kind == TS_LANE_MESSAGE;
  guint8 color = _ts_build_lane_color (lane);
  TsPaintColumn *paint;

  _ts_build_cells (build);
  paint = _ts_list_add_columns (list, build->plot_x, top, (guint) build->n_columns, height, 0);
  for (int i = 0; i < build->n_columns; i++)
    {
      guint32 count = list->cells[i].count;
      guint size;

      if (count == 0)
        continue;
      /* one is half the lane, twice as many an eighth more */
      size = MIN (88 + 32 * g_bit_storage (count), 255);
      paint[i].height[0] = (guint8) ((255 - size) / 2);
      paint[i].ink[0] = TS_INK_BACKGROUND;
      paint[i].height[1] = (guint8) size;
      paint[i].ink[1] = is_message ? TS_INK_TEXT : TS_INK_LANE;
      paint[i].color[1] = color;
    }
}

static void
draw_messages (TsBuild *build,
               int y,
               int height,
               int top,
               int bar_height)
{
  TsDisplayList *list = build->list;
  const TsDisplayOptions *options = build->options;
  int last_x = -1;

  for (guint i = 0; i < list->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
      double x = floor (_ts_build_x (build, slice->begin));
      double room = build->n_columns - x - 5;
      const char *text;

      /* a message from before the left edge still has its text in view */
      if (x >= build->n_columns || slice->begin < build->begin || (int) x == last_x)
        continue;
      last_x = (int) x;
      _ts_list_add (list, TS_ITEM_RECT, TS_INK_TEXT, 0, build->plot_x + x, top, 2, bar_height);
      if (i + 1 < list->slices->len)
        room = MIN (room, _ts_build_x (build, g_array_index (list->slices, TsSlice, i + 1).begin)
                              - x - 8);
      text = slice->arg != 0 ? ts_recording_get_string (build->recording, slice->arg) : NULL;
      if (text == NULL || room < 2 * options->line_height)
        continue;
      if (_ts_text_width (options, text, TS_ITEM_SMALL) * 0.75 > room
          && room < 6 * options->line_height)
        continue;
      _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_TEXT, 0, TS_ITEM_SMALL, build->plot_x + x + 5,
                         y, room, height - 1, text);
    }
}

static void
draw_operations (TsBuild *build,
                 const TsLaneInfo *lane,
                 int top,
                 int bar_height)
{
  TsDisplayList *list = build->list;
  int middle = top + bar_height / 2;
  int last_x[2] = { -1, -1 };

  _ts_list_add (list, TS_ITEM_RECT, TS_INK_LANE_LINE, _ts_build_lane_color (lane), build->plot_x,
                middle, build->n_columns, 1);
  for (guint i = 0; i < list->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
      gboolean is_start = (slice->kind & TS_SLICE_START) != 0;
      double x = floor (_ts_build_x (build, slice->begin));
      guint color = get_actor_color (build, lane, slice);

      if (slice->begin < build->begin || x >= build->n_columns || (int) x == last_x[is_start])
        continue;
      last_x[is_start] = (int) x;
      /* give points up, take points down */
      if (is_start)
        _ts_list_add (list, TS_ITEM_RECT, TS_INK_LANE, color, build->plot_x + x, top, 2,
                      middle - top);
      else
        _ts_list_add (list, TS_ITEM_RECT, TS_INK_LANE, color, build->plot_x + x, middle + 1, 2,
                      top + bar_height - middle - 1);
    }
}

/*
 * _ts_draw_point_lane: operations on a kernel object (give up, take down), or messages with their
 * text where it fits.
 */
void
_ts_draw_point_lane (TsBuild *build,
                     const TsLaneInfo *lane,
                     int y,
                     int height)
{
  int bar_height = MAX ((height - 1) * 2 / 3, 3);
  int top = y + (height - 1 - bar_height) / 2;

  if (build->detail == TS_LANE_DETAIL_COLUMNS
      || build->list->slices->len > (guint) build->n_columns / 3)
    draw_dense_points (build, lane, top, bar_height);
  else if (lane->kind == TS_LANE_MESSAGE)
    draw_messages (build, y, height, top, bar_height);
  else
    draw_operations (build, lane, top, bar_height);
}
