/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-marks.c: what lies over all lanes: losses, the selected range, the selected slice,
 * cursor, pointer. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-display-list-private.h"

/** From this width on a loss is an area and no bar. */
#define WIDE_LOSS_PX 6

/* A narrow loss is a bar; a wide one is tinted, so that what is known beside it can be read, with
 * bars at its ends. */
static void
add_loss (TsBuild *build,
          int first,
          int last,
          int top,
          int bottom)
{
  TsDisplayList *list = build->list;
  gboolean is_wide = last - first >= WIDE_LOSS_PX;
  TsItem *item = _ts_list_add (list, TS_ITEM_RECT, TS_INK_LOSS, is_wide, build->plot_x + first, top,
                               last - first, bottom - top);

  item->flags = TS_ITEM_GLASS;
  if (!is_wide)
    return;
  item = _ts_list_add (list, TS_ITEM_RECT, TS_INK_LOSS, 0, build->plot_x + first, top, 1,
                       bottom - top);
  item->flags = TS_ITEM_GLASS;
  item = _ts_list_add (list, TS_ITEM_RECT, TS_INK_LOSS, 0, build->plot_x + last - 1, top, 1,
                       bottom - top);
  item->flags = TS_ITEM_GLASS;
}

static void
keep_loss (TsBuild *build,
           int first,
           int last,
           gboolean is_corrupt)
{
  TsLossRun run = { first, last, is_corrupt };

  g_array_append_val (build->list->losses, run);
}

/*
 * _ts_prepare_loss: finds the losses in view, as pixels; the CPU lane must know of them before they
 * are drawn.
 */
void
_ts_prepare_loss (TsBuild *build)
{
  TsDisplayList *list = build->list;
  int last_end = 0;

  g_array_set_size (list->losses, 0);
  build->lost_px = 0;
  _ts_build_query (build, TS_LANE_ID_LOSS);
  if (build->detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < list->slices->len; i++)
        {
          const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
          double begin = _ts_build_x (build, slice->begin);
          double end = _ts_build_x (build, slice->end);
          int x = MAX ((int) floor (begin), last_end);
          int last = MIN (MAX ((int) floor (end), (int) floor (begin) + 2), build->n_columns);

          if (slice->state == TS_STATE_LOSS)
            build->lost_px += MAX (MIN (end, build->n_columns) - MAX (begin, 0), 0);
          if (last <= x)
            continue;
          last_end = last;
          keep_loss (build, x, last, slice->state == TS_STATE_CORRUPT);
        }
    }
  else if (build->detail == TS_LANE_DETAIL_COLUMNS)
    {
      for (int i = 0; i < build->n_columns; i++)
        {
          int first = i;

          while (i < build->n_columns && _ts_build_column (build, i)->count > 0)
            i++;
          if (i > first)
            keep_loss (build, first, MAX (i, first + 2), FALSE);
        }
    }
}

/*
 * _ts_draw_loss: a bar through all lanes for every loss; hatched where bytes arrived that could not
 * be decoded.
 */
void
_ts_draw_loss (TsBuild *build,
               int top,
               int bottom)
{
  const GArray *losses = build->list->losses;

  for (guint i = 0; i < losses->len; i++)
    {
      const TsLossRun *run = &g_array_index (losses, TsLossRun, i);

      if (run->is_corrupt && run->last - run->first >= WIDE_LOSS_PX)
        _ts_list_add (build->list, TS_ITEM_HATCH, TS_INK_LOSS, 0, build->plot_x + run->first, top,
                      run->last - run->first, bottom - top);
      else
        add_loss (build, run->first, run->last, top, bottom);
    }
}

/* Labels of the ruler that would look out from under what stands over them, cut, are not drawn. */
static void
clear_labels (TsBuild *build,
              int top,
              double x0,
              double x1)
{
  const TsDisplayOptions *options = build->options;
  GArray *items = build->list->items;

  for (guint i = 0; i < items->len; i++)
    {
      TsItem *item = &g_array_index (items, TsItem, i);
      double right;

      if (item->type != TS_ITEM_TEXT || item->y < top || item->y >= top + options->ruler_height
          || item->x < build->plot_x)
        continue;
      right = item->x
              + _ts_text_width (options, build->list->text->str + item->first, item->flags);
      if (item->x < x1 && right > x0)
        item->width = 0;
    }
}

static void
draw_range (TsBuild *build,
            int top,
            int bottom)
{
  const TsDisplayOptions *options = build->options;
  g_autoptr (GString) text = NULL;
  gint64 begin, end;
  double x0, x1, width, x;
  TsItem *item;

  if (!ts_view_state_get_range (build->view, &begin, &end))
    return;
  x0 = floor (_ts_build_x (build, begin));
  x1 = MAX (floor (_ts_build_x (build, end)), x0 + 1);
  if (x1 < 0 || x0 >= build->n_columns)
    return;
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, build->plot_x, top,
                build->n_columns, bottom - top);
  item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_SELECTION, 0, build->plot_x + MAX (x0, -2),
                       build->lanes_y, MIN (x1, build->n_columns + 2) - MAX (x0, -2),
                       bottom - build->lanes_y);
  item->flags = TS_ITEM_GLASS;
  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_ACCENT, 0, build->plot_x + x0, top, 1,
                bottom - top);
  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_ACCENT, 0, build->plot_x + x1 - 1, top, 1,
                bottom - top);

  if (options->ruler_height > 0)
    {
      text = g_string_new ("Δ ");
      _ts_format_short_duration (text, build->recording, end - begin);
      if (ts_recording_get_clock_hz (build->recording) != 0)
        {
          g_string_append (text, " · ");
          _ts_format_decimal (text, end - begin, 0);
          g_string_append_printf (text, "\302\240%s", _("ticks"));
        }
      width = _ts_text_width (options, text->str, TS_ITEM_BOLD) + options->line_height;
      width = MIN (width, build->n_columns);
      x = (MAX (x0, 0) + MIN (x1, build->n_columns) - width) / 2;
      x = floor (CLAMP (x, 0, build->n_columns - width));
      clear_labels (build, top, build->plot_x + x, build->plot_x + x + width);
      _ts_list_add_text (build->list, TS_ITEM_PILL, TS_INK_ACCENT, 1,
                         TS_ITEM_BOLD | TS_ITEM_TABULAR, build->plot_x + x, top + 2, width,
                         MAX (options->ruler_height - 5, options->line_height), text->str);
    }
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, 0, 0, 0);
}

static void
outline_slice (TsBuild *build,
               guint32 lane,
               const TsSlice *slice,
               TsInk ink)
{
  int y, height;
  double x0 = floor (_ts_build_x (build, slice->begin));
  double x1 = MAX (floor (_ts_build_x (build, slice->end)), x0 + 2);
  TsItem *item;

  if (x1 < 0 || x0 >= build->n_columns || !_ts_build_find_row (build, lane, &y, &height))
    return;
  x0 = MAX (x0 - 1, -4);
  x1 = MIN (x1 + 1, build->n_columns + 4);
  item = _ts_list_add (build->list, TS_ITEM_OUTLINE, ink, 0, build->plot_x + x0, y + 1, x1 - x0,
                       height - 3);
  item->flags = ink == TS_INK_HOVER ? TS_ITEM_GLASS : 0;
}

static void
draw_pointer (TsBuild *build,
              int top,
              int bottom)
{
  const TsDisplayOptions *options = build->options;
  TsItem *item;
  TsHit hit;

  if (options->pointer_x < build->plot_x || options->pointer_x >= options->width
      || options->pointer_y < top || options->pointer_y >= options->height)
    return;
  item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_DIM_TEXT, 0, floor (options->pointer_x),
                       top, 1, bottom - top);
  item->flags = TS_ITEM_GLASS;
  ts_display_list_hit (build->list, build->view, options, options->pointer_x, options->pointer_y,
                       &hit);
  if (hit.has_slice && hit.lane != TS_LANE_ID_LOSS)
    outline_slice (build, hit.lane, &hit.slice, TS_INK_HOVER);
}

/*
 * _ts_draw_marks: hover, selected slice, selected range with its length, cursor.
 */
void
_ts_draw_marks (TsBuild *build,
                int bottom)
{
  int top = build->options->overview_height;
  gint64 cursor = ts_view_state_get_cursor (build->view);
  TsSlice slice;

  draw_range (build, top, bottom);
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, build->plot_x, build->lanes_y,
                build->n_columns, MAX (bottom - build->lanes_y, 0));
  draw_pointer (build, top, bottom);
  if (ts_view_state_get_selected_slice (build->view, &slice))
    outline_slice (build, ts_view_state_get_selected_lane (build->view), &slice, TS_INK_ACCENT);
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, 0, 0, 0);
  if (cursor >= 0)
    {
      double x = floor (_ts_build_x (build, cursor));

      if (x >= 0 && x < build->n_columns)
        _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_CURSOR, 0, build->plot_x + x, top, 1,
                      bottom - top);
    }
}
