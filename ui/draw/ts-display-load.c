/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-display-load.c: the CPU lane: how much of each pixel column went to which task, and to interrupts.
 *
 * The figures come from the task and interrupt lanes, which the picture asks for anyway; those that have no visible row are asked
 * for the sake of the load alone. The height of a column is the CPU lane's own busy time, so that it is right even where the
 * parts are not known apart.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-display-list-private.h"

/** Parts of a column told apart; the rest of the tasks share one. */
#define MAX_PARTS 64
#define PARTS_PER_ITEM 3

static gboolean
is_cpu_visible (TsBuild *build)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);
  int offset = build->lanes_y - ts_view_state_get_scroll_y (build->view);

  for (guint i = 0; i < n_rows && rows[i].group == TS_GROUP_CPU; i++)
    {
      int y = rows[i].y + offset;

      if (!rows[i].is_header && y + rows[i].height > build->lanes_y && y < build->options->height)
        return TRUE;
    }
  return FALSE;
}

/*
 * _ts_load_prepare: one part for each task that is not idle (the most urgent first), then one for each interrupt.
 */
void
_ts_load_prepare (TsBuild *build)
{
  TsDisplayList *list = build->list;
  const guint32 *order;
  gsize n_shares;
  guint n;

  g_array_set_size (list->load, 0);
  if (!is_cpu_visible (build))
    return;
  order = _ts_view_state_get_lane_order (build->view, &n);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n && list->load->len < MAX_PARTS; i++)
      {
        const TsLaneInfo *lane = ts_recording_get_lane (build->recording, order[i]);
        gboolean is_isr = lane != NULL && lane->kind == TS_LANE_ISR;
        gboolean is_task = lane != NULL && lane->kind == TS_LANE_TASK && !lane->is_idle;
        TsLoadPart part = { 0 };

        if (pass == 0 ? !is_task : !is_isr)
          continue;
        part.lane = lane->id;
        part.core = lane->core;
        part.is_isr = is_isr;
        part.ink = is_isr ? TS_INK_ISR : TS_INK_LANE;
        part.color = _ts_build_lane_color (lane);
        g_array_append_val (list->load, part);
      }
  n_shares = (gsize) list->load->len * (gsize) build->n_columns;
  if (n_shares > list->n_load_shares)
    {
      list->n_load_shares = n_shares;
      list->load_shares = g_renew (float, list->load_shares, n_shares);
    }
  for (guint i = 0; i < list->load->len; i++)
    g_array_index (list->load, TsLoadPart, i).share = list->load_shares + (gsize) i * (gsize) build->n_columns;
}

/*
 * _ts_load_feed: the last query was for @lane: keep its share of each column.
 */
void
_ts_load_feed (TsBuild *build,
               guint32 lane)
{
  TsDisplayList *list = build->list;

  for (guint i = 0; i < list->load->len; i++)
    {
      TsLoadPart *part = &g_array_index (list->load, TsLoadPart, i);

      if (part->lane != lane || part->is_known)
        continue;
      part->is_known = TRUE;
      if (build->detail == TS_LANE_DETAIL_SLICES && list->slices->len == 0)
        {
          memset (part->share, 0, (gsize) build->n_columns * sizeof (float));
          return;
        }
      _ts_build_cells (build);
      for (int j = 0; j < build->n_columns; j++)
        part->share[j] = MAX (list->cells[j].run - list->cells[j].interrupted, 0);
      return;
    }
}

/*
 * _ts_load_complete: asks for the lanes that had no visible row.
 */
void
_ts_load_complete (TsBuild *build)
{
  for (guint i = 0; i < build->list->load->len; i++)
    {
      const TsLoadPart *part = &g_array_index (build->list->load, TsLoadPart, i);

      if (part->is_known)
        continue;
      _ts_build_query (build, part->lane);
      _ts_load_feed (build, part->lane);
    }
}

/** The stack of one column while it is put together: edges in 1/255 of the lane. */
typedef struct
{
  guint n;
  guint8 height[MAX_PARTS + 1];
  guint8 ink[MAX_PARTS + 1];
  guint8 color[MAX_PARTS + 1];
} Stack;

static void
push_part (Stack *stack,
           guint from,
           guint to,
           guint8 ink,
           guint8 color)
{
  if (to <= from)
    return;
  stack->height[stack->n] = (guint8) (to - from);
  stack->ink[stack->n] = ink;
  stack->color[stack->n] = color;
  stack->n++;
}

static void
stack_column (TsBuild *build,
              guint8 core,
              int column,
              double busy,
              Stack *stack)
{
  const GArray *load = build->list->load;
  double tasks = 0, interrupts = 0, sum = 0;
  double task_scale = 1, isr_scale = 1;
  guint edge = 0;

  stack->n = 0;
  for (guint i = 0; i < load->len; i++)
    {
      const TsLoadPart *part = &g_array_index (load, TsLoadPart, i);

      if (part->core != core)
        continue;
      if (part->is_isr)
        interrupts += part->share[column];
      else
        tasks += part->share[column];
    }
  /* nested interrupts count twice; running slices include the interrupts in them: the CPU lane knows the sum */
  if (interrupts > busy)
    isr_scale = busy / interrupts;
  interrupts *= isr_scale;
  if (tasks > busy - interrupts)
    task_scale = tasks > 0 ? MAX (busy - interrupts, 0) / tasks : 0;
  for (guint i = 0; i < load->len; i++)
    {
      const TsLoadPart *part = &g_array_index (load, TsLoadPart, i);
      guint next;

      if (part->core != core || part->share[column] <= 0)
        continue;
      sum += part->share[column] * (part->is_isr ? isr_scale : task_scale);
      next = (guint) CLAMP (sum * 255 + 0.5, 0, 255);
      push_part (stack, edge, next, part->ink, part->color);
      edge = MAX (edge, next);
    }
  push_part (stack, edge, (guint) CLAMP (busy * 255 + 0.5, 0, 255), TS_INK_OTHER, 0);
}

/*
 * _ts_load_draw:
 *
 * Draws the CPU lane of a processor: stacked shares per column.
 *
 * Returns: busy share of the visible part of the recording, -1 if not known
 */
double
_ts_load_draw (TsBuild *build,
               const TsLaneInfo *lane,
               int y,
               int height)
{
  TsDisplayList *list = build->list;
  guint n = (guint) build->n_columns;
  gint64 begin = MAX (build->begin, 0);
  gint64 end = MIN (build->begin + build->span, build->end);
  guint n_layers = 0;
  double busy_pixels = 0;

  if (_ts_build_query (build, lane->id) == TS_LANE_DETAIL_FAILED)
    return -1;
  _ts_build_cells (build);
  for (guint i = 0; i < n; i++)
    {
      double busy = MIN (list->cells[i].run, 1);
      guint layer = 0;
      Stack stack;
      guint k = 0;

      busy_pixels += busy;
      if (busy <= 0)
        continue;
      stack_column (build, lane->core, (int) i, busy, &stack);
      /* a column holds a few parts: the next ones go to a further layer, above what is there */
      for (guint below = 0; k < stack.n; layer++)
        {
          TsPaintColumn *column;
          guint first = layer == 0 ? 0 : 1;

          if (layer == n_layers)
            {
              _ts_list_add_columns (list, build->plot_x, y + 2, n, height - 4, 0);
              n_layers++;
            }
          column = &g_array_index (list->columns, TsPaintColumn, list->columns->len - (n_layers - layer) * n + i);
          if (first == 1)
            {
              column->height[0] = (guint8) below;
              column->ink[0] = TS_INK_BACKGROUND;
            }
          for (guint j = first; j < first + PARTS_PER_ITEM && k < stack.n; j++, k++)
            {
              column->height[j] = stack.height[k];
              column->ink[j] = stack.ink[k];
              column->color[j] = stack.color[k];
              below += stack.height[k];
            }
        }
    }
  return end > begin ? busy_pixels / ((double) (end - begin) * build->scale) : -1;
}
