/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-display-load.c: the CPU lane: how much of each pixel column went to which task, and to
 * interrupts.
 *
 * The figures come from the task and interrupt lanes, which the picture asks for anyway; those that
 * have no visible row are asked for the sake of the load alone. The height of a column is the CPU
 * lane's own busy time, so that it is right even where the parts are not known apart.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-display-list-private.h"

/** Parts of a column told apart; the rest of the tasks share one. */
#define MAX_PARTS 64
#define PARTS_PER_ITEM 3
/** Bins are this wide, up to twice as wide. */
#define LEAST_BIN_PX 4

static gboolean
is_cpu_visible (TsBuild *build)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);

  for (guint i = 0; i < n_rows; i++)
    {
      const TsLaneInfo *lane =
          rows[i].is_header ? NULL : ts_recording_get_lane (build->recording, rows[i].lane);
      int y = _ts_build_row_y (build, &rows[i]);

      if (lane != NULL && lane->kind == TS_LANE_CPU && y < build->options->height &&
          y + rows[i].height > build->lanes_y)
        return TRUE;
    }
  return FALSE;
}

/*
 * _ts_load_prepare: one part for each task that is not idle (the most urgent first), then one for
 * each interrupt.
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
    g_array_index (list->load, TsLoadPart, i).share
        = list->load_shares + (gsize) i * (gsize) build->n_columns;
}

/* The shares of a part straight from the last answer's columns. */
static void
feed_columns (const TsBuild *build,
              float *share)
{
  const float scale = (float) (build->n_asked / (double) build->span);
  int i = 0;

  for (int j = 0; j < build->n_asked; j++)
    {
      const TsColumn *column = &build->list->model_columns[j];
      gint64 ticks = column->ticks[TS_STATE_RUNNING] - column->ticks[TS_STATE_INTERRUPTED];
      float value = MAX ((float) ticks * scale, 0);

      /* column j covers pixels [j * n_columns / n_asked, (j + 1) * ...) */
      for (; i < build->n_columns && i * build->n_asked / build->n_columns <= j; i++)
        share[i] = value;
    }
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
      if (build->detail == TS_LANE_DETAIL_COLUMNS && !build->has_cells)
        {
          feed_columns (build, part->share);
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
      _ts_build_query_rough (build, part->lane, LEAST_BIN_PX);
      _ts_load_feed (build, part->lane);
    }
}

/** The stack of one bin while it is put together: edges in 1/255 of the lane. */
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

static double
sum_columns (const float *share,
             guint first,
             guint last)
{
  double sum = 0;

  for (guint i = first; i < last; i++)
    sum += share[i];
  return sum;
}

/* Stacks what columns @first to @last did; @known: columns of it that lie in the recording. */
static void
stack_bin (TsBuild *build,
           guint8 core,
           guint first,
           guint last,
           double known,
           double busy,
           Stack *stack)
{
  const GArray *load = build->list->load;
  double shares[MAX_PARTS];
  double tasks = 0, interrupts = 0, sum = 0;
  double task_scale = 1, isr_scale = 1;
  guint edge = 0;

  stack->n = 0;
  for (guint i = 0; i < load->len; i++)
    {
      const TsLoadPart *part = &g_array_index (load, TsLoadPart, i);

      shares[i] = part->core == core ? sum_columns (part->share, first, last) / known : 0;
      if (part->is_isr)
        interrupts += shares[i];
      else
        tasks += shares[i];
    }
  /* nested interrupts count twice; running slices include the interrupts in them: the CPU lane
   * knows the sum */
  if (interrupts > busy)
    isr_scale = busy / interrupts;
  interrupts *= isr_scale;
  if (tasks > busy - interrupts)
    task_scale = MAX (busy - interrupts, 0) / tasks;
  for (guint i = 0; i < load->len; i++)
    {
      const TsLoadPart *part = &g_array_index (load, TsLoadPart, i);
      guint next;

      if (shares[i] <= 0)
        continue;
      sum += shares[i] * (part->is_isr ? isr_scale : task_scale);
      next = (guint) CLAMP (sum * 255 + 0.5, 0, 255);
      push_part (stack, edge, next, part->ink, part->color);
      edge = MAX (edge, next);
    }
  push_part (stack, edge, (guint) CLAMP (busy * 255 + 0.5, 0, 255), TS_INK_OTHER, 0);
}

/**
 * Layers: a paint column holds a few parts only; the next ones go to a further item above.
 */
typedef struct
{
  TsBuild *build;
  int y;
  int height;
  guint n_layers;
} Layers;

static void
paint_stack (Layers *layers,
             const Stack *stack,
             guint first,
             guint last)
{
  GArray *columns = layers->build->list->columns;
  guint n = (guint) layers->build->n_columns;
  guint below = 0;
  guint k = 0;

  for (guint layer = 0; k < stack->n; layer++)
    {
      guint first_part = layer == 0 ? 0 : 1;
      TsPaintColumn *to;
      TsPaintColumn column = { 0 };

      if (layer == layers->n_layers)
        {
          _ts_list_add_columns (layers->build->list, layers->build->plot_x, layers->y, n,
                                layers->height, 0);
          layers->n_layers++;
        }
      if (layer > 0)
        {
          column.height[0] = (guint8) below;
          column.ink[0] = TS_INK_BACKGROUND;
        }
      for (guint j = first_part; j < first_part + PARTS_PER_ITEM && k < stack->n; j++, k++)
        {
          column.height[j] = stack->height[k];
          column.ink[j] = stack->ink[k];
          column.color[j] = stack->color[k];
          below += stack->height[k];
        }
      to = &g_array_index (columns, TsPaintColumn, columns->len - (layers->n_layers - layer) * n);
      for (guint i = first; i < last; i++)
        to[i] = column;
    }
}

/*
 * _ts_load_draw:
 *
 * Draws the CPU lane of a processor: stacked shares of time, in bins some pixels wide.
 *
 * Returns: busy share of what is visible of the recording and not lost, -1 if nothing is known
 */
double
_ts_load_draw (TsBuild *build,
               const TsLaneInfo *lane,
               int y,
               int height)
{
  TsDisplayList *list = build->list;
  double begin_x = MAX (_ts_build_x (build, 0), 0);
  double end_x = MIN (_ts_build_x (build, build->end), build->n_columns);
  guint shift = _ts_build_bin_shift (build, LEAST_BIN_PX);
  guint n = (guint) build->n_columns;
  Layers layers = { build, y + 2, height - 4, 0 };
  double busy_pixels = 0;
  guint first = 0;

  if (_ts_build_query (build, lane->id) == TS_LANE_DETAIL_FAILED)
    return -1;
  _ts_build_cells (build);
  for (gint64 bin = build->begin >> shift; first < n; bin++)
    {
      gint64 bin_end = (bin + 1) * ((gint64) 1 << shift);
      guint last = (guint) CLAMP (_ts_build_x (build, bin_end) + 0.5, 0, n);
      double known = MIN (last, end_x) - MAX (first, begin_x);
      double busy = 0;
      Stack stack;

      if (last <= first)
        continue;
      for (guint i = first; i < last; i++)
        busy += MIN (list->cells[i].run, 1);
      busy_pixels += busy;
      if (busy > 0)
        {
          known = MAX (known, busy);
          stack_bin (build, lane->core, first, last, known, busy / known, &stack);
          paint_stack (&layers, &stack, first, last);
        }
      first = last;
    }
  end_x -= build->lost_px;
  return end_x > begin_x ? MIN (busy_pixels / (end_x - begin_x), 1) : -1;
}
