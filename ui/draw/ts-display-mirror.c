/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-mirror.c: lane headers on the right, for languages written from right to left. Time
 * runs from left to right everywhere; only what stands beside it changes sides. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include "ts-display-list-private.h"

/**
 * ts_display_options_unmirror:
 * @options: sizes
 * @x: pixels from the left of the picture
 *
 * Thread: any
 *
 * Returns: where that would be with the lane headers on the left; @x itself unless it is mirrored
 */
double
ts_display_options_unmirror (const TsDisplayOptions *options,
                             double x)
{
  int label_width;

  g_return_val_if_fail (options != NULL, x);

  if (!options->is_mirrored || x < 0)
    return x;
  label_width = CLAMP (options->label_width, 0, MAX (options->width - 1, 0));
  if (x < options->width - label_width)
    return x + label_width;
  return MAX (options->width - 1 - x, 0.0);
}

static void
mirror_text (TsItem *item)
{
  if (item->ink == TS_INK_LANE || item->ink == TS_INK_IDLE || item->ink == TS_INK_STATE_RUNNING)
    return;
  if (item->color != 1)
    item->color = item->color == 0 ? 2 : 0;
}

static void
shift_points (TsDisplayList *list,
              const TsItem *item,
              int by)
{
  for (guint i = 0; i < item->n; i++)
    g_array_index (list->points, TsPaintPoint, item->first + i).x -= (float) by;
}

/*
 * _ts_mirror_list: what was built with the headers on the left gets them on the right: items of the
 * headers, and those across the whole width, are mirrored; items of the plot move aside.
 */
void
_ts_mirror_list (TsBuild *build)
{
  TsDisplayList *list = build->list;
  /* nothing of a header begins this near to the plot; a marker of the plot may reach over its edge */
  double border = build->plot_x - build->options->line_height * 0.75;

  for (guint i = 0; i < list->items->len; i++)
    {
      TsItem *item = &g_array_index (list->items, TsItem, i);

      if (item->type == TS_ITEM_CLIP && item->width <= 0)
        continue;
      if (item->type == TS_ITEM_POLYLINE)
        shift_points (list, item, build->plot_x);
      if (item->type == TS_ITEM_POLYLINE || item->x >= border)
        {
          item->x -= (float) build->plot_x;
          continue;
        }
      item->x = (float) build->options->width - item->x - item->width;
      if (item->type == TS_ITEM_TEXT)
        mirror_text (item);
      else if (item->type == TS_ITEM_TRIANGLE && item->color != 0)
        item->flags |= TS_ITEM_MIRRORED;
    }
}
