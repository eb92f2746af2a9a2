/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-overview.c: the strip above the ruler: the whole recording, its losses, and the frame
 * of the view. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-display-list-private.h"

/* The whole recording as a build of its own: same width, another span. */
static TsBuild
get_whole (const TsBuild *build)
{
  TsBuild whole = *build;

  whole.begin = 0;
  whole.span = MAX (build->end, 1);
  whole.scale = build->n_columns / (double) whole.span;
  return whole;
}

static void
draw_density (TsBuild *whole,
              int top,
              int height)
{
  TsDisplayList *list = whole->list;
  TsPaintColumn *paint;
  guint32 most = 1;

  _ts_build_query (whole, TS_LANE_ID_DENSITY);
  if (whole->detail != TS_LANE_DETAIL_COLUMNS)
    return;
  for (int i = 0; i < whole->n_columns; i++)
    most = MAX (most, _ts_build_column (whole, i)->count);
  paint = _ts_list_add_columns (list, whole->plot_x, top, (guint) whole->n_columns, height, 0);
  for (int i = 0; i < whole->n_columns; i++)
    {
      guint32 count = _ts_build_column (whole, i)->count;

      if (count == 0)
        continue;
      /* by the root: quiet stretches stay visible beside bursts */
      paint[i].height[0] = (guint8) CLAMP (255 * sqrt ((double) count / most), 16, 255);
      paint[i].ink[0] = TS_INK_OVERVIEW;
    }
}

static void
draw_losses (TsBuild *whole,
             int top,
             int height)
{
  TsDisplayList *list = whole->list;
  int last_end = -1;

  _ts_build_query (whole, TS_LANE_ID_LOSS);
  _ts_build_cells (whole);
  if (whole->detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < list->slices->len; i++)
        {
          const TsSlice *slice = &g_array_index (list->slices, TsSlice, i);
          int x = (int) floor (_ts_build_x (whole, slice->begin));
          int end = MAX ((int) ceil (_ts_build_x (whole, slice->end)), x + 2);

          x = MAX (x, last_end);
          if (end <= x)
            continue;
          _ts_list_add (list, TS_ITEM_RECT, TS_INK_LOSS, 0, whole->plot_x + x, top, end - x,
                        height);
          last_end = end;
        }
      return;
    }
  if (whole->detail != TS_LANE_DETAIL_COLUMNS)
    return;
  for (int i = 0; i < whole->n_columns; i++)
    if (_ts_build_column (whole, i)->count > 0)
      _ts_list_add (list, TS_ITEM_RECT, TS_INK_LOSS, 0, whole->plot_x + i, top, 1, height);
}

static void
draw_span (TsBuild *whole,
           gint64 begin,
           gint64 end,
           int top,
           int height,
           gboolean has_frame)
{
  double x0 = CLAMP (_ts_build_x (whole, begin), 0, whole->n_columns);
  double x1 = CLAMP (_ts_build_x (whole, end), 0, whole->n_columns);
  TsItem *item;

  x0 = floor (x0);
  x1 = MAX (ceil (x1), x0 + 2);
  item = _ts_list_add (whole->list, TS_ITEM_RECT, TS_INK_SELECTION, 0, whole->plot_x + x0, top,
                       x1 - x0, height);
  item->flags = TS_ITEM_GLASS;
  if (has_frame)
    _ts_list_add (whole->list, TS_ITEM_OUTLINE, TS_INK_ACCENT, 0, whole->plot_x + x0, top, x1 - x0,
                  height);
}

/*
 * _ts_draw_overview: event density of the whole recording, losses, the selected range and the frame
 * of the view.
 */
void
_ts_draw_overview (TsBuild *build)
{
  int height = build->options->overview_height;
  int inset = MAX (height / 9, 2);
  TsBuild whole = get_whole (build);
  gint64 begin, end;

  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, 0, 0, build->options->width,
                height);
  _ts_list_add_text (build->list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0, 0, 10, 0, build->plot_x - 14,
                     height, _("Overview"));
  if (build->end <= 0)
    return;
  draw_density (&whole, inset + 2, height - 2 * inset - 4);
  draw_losses (&whole, inset, height - 2 * inset);
  _ts_draw_overview_notes (&whole, inset, height - 2 * inset);
  if (ts_view_state_get_range (build->view, &begin, &end))
    draw_span (&whole, begin, end, inset, height - 2 * inset, FALSE);
  draw_span (&whole, build->begin, build->begin + build->span, inset, height - 2 * inset, TRUE);
}
