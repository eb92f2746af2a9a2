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

/** Parts of a column told apart; the rest of the tasks share one, and so do the rest of the
 * interrupts, which have so many places however many tasks there are. */
#define MAX_PARTS 64
#define ISR_PARTS 16
#define PARTS_PER_ITEM 3

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
  guint n_isrs = 0;
  guint n_bins;
  guint n;

  g_array_set_size (list->load, 0);
  if (!is_cpu_visible (build))
    return;
  n_bins = _ts_build_get_bins (build, TS_BINS_LOAD)->n;
  order = _ts_view_state_get_lane_order (build->view, &n);
  for (guint i = 0; i < n; i++)
    {
      const TsLaneInfo *lane = ts_recording_get_lane (build->recording, order[i]);

      n_isrs += lane != NULL && lane->kind == TS_LANE_ISR;
    }
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++)
      {
        const TsLaneInfo *lane = ts_recording_get_lane (build->recording, order[i]);
        gboolean is_isr = lane != NULL && lane->kind == TS_LANE_ISR;
        gboolean is_task = lane != NULL && lane->kind == TS_LANE_TASK && !lane->is_idle;
        TsLoadPart part = { 0 };

        if (pass == 0 ? !is_task : !is_isr)
          continue;
        if (list->load->len >= MAX_PARTS - (pass == 0 ? MIN (n_isrs, ISR_PARTS) : 0))
          break;
        part.lane = lane->id;
        part.core = lane->core;
        part.is_isr = is_isr;
        part.ink = is_isr ? TS_INK_ISR : TS_INK_LANE;
        part.color = _ts_build_lane_color (lane);
        g_array_append_val (list->load, part);
      }
  n_shares = (gsize) list->load->len * n_bins;
  if (n_shares > list->n_load_shares)
    {
      list->n_load_shares = n_shares;
      list->load_shares = g_renew (float, list->load_shares, n_shares);
    }
  list->load_busy = g_renew (float, list->load_busy, n_bins);
  for (guint i = 0; i < list->load->len; i++)
    g_array_index (list->load, TsLoadPart, i).share = list->load_shares + (gsize) i * n_bins;
}

/* Pixels of a bin that lie in the recording. */
static double
get_known_px (const TsBuild *build,
              const TsBins *bins,
              guint bin)
{
  double begin = MAX (_ts_bins_get_edge (bins, bin), _ts_build_x (build, 0));
  double end = MIN (_ts_bins_get_edge (bins, bin + 1), _ts_build_x (build, build->end));

  return MAX (end - begin, 0);
}

/* Pixels for each tick of @bin, of width 1 << @shift. What the view cuts of a bin is taken to be as
 * the rest of it. */
static float
get_px_per_tick (const TsBuild *build,
                 gint64 bin,
                 guint shift,
                 double known_px)
{
  gint64 width = G_GINT64_CONSTANT (1) << shift;
  gint64 known = MIN ((bin + 1) * width, build->end) - MAX (bin * width, 0);

  return known > 0 ? (float) (known_px / (double) known) : 0;
}

/* The last answer's columns, which are bins, narrower or wider ones. */
static void
add_bins (const TsBuild *build,
          const TsBins *bins,
          float *share)
{
  const TsBins *from = build->bins;
  guint finer = from->shift < bins->shift ? bins->shift - from->shift : 0;
  guint coarser = from->shift > bins->shift ? from->shift - bins->shift : 0;

  for (guint i = 0; i < bins->n; i++)
    {
      gint64 bin = bins->first + i;
      gint64 first = MAX ((bin >> coarser) * (1 << finer), from->first);
      gint64 last = MIN (((bin >> coarser) + 1) * (1 << finer), from->first + from->n);
      gint64 ticks = 0;

      for (gint64 k = first - from->first; k < last - from->first; k++)
        {
          const TsColumn *column = &build->list->model_columns[k];

          ticks += MAX (column->ticks[TS_STATE_RUNNING] - column->ticks[TS_STATE_INTERRUPTED], 0);
        }
      if (ticks > 0)
        share[i] = (float) ticks
                   * get_px_per_tick (build, bin >> coarser, bins->shift + coarser,
                                      get_known_px (build, bins, i));
    }
}

/* The last answer's columns of a pixel each. */
static void
add_pixels (const TsBuild *build,
            const TsBins *bins,
            float *share)
{
  for (guint bin = 0; bin < bins->n; bin++)
    for (int i = _ts_bins_get_edge (bins, bin); i < _ts_bins_get_edge (bins, bin + 1); i++)
      {
        const TsColumn *column = _ts_build_column (build, i);
        gint64 ticks = column->ticks[TS_STATE_RUNNING] - column->ticks[TS_STATE_INTERRUPTED];

        if (ticks > 0)
          share[bin] += (float) ((double) ticks * build->n_asked / (double) build->span);
      }
}

/* The last answer's slices that run. */
static void
add_slices (const TsBuild *build,
            const TsBins *bins,
            float *share)
{
  const GArray *slices = build->list->slices;

  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);
      double begin = MAX (_ts_build_x (build, slice->begin), 0);
      double end = MIN (_ts_build_x (build, slice->end), build->n_columns);
      gint64 bin = (MAX (slice->begin, build->begin) >> bins->shift) - bins->first;

      if (slice->state != TS_STATE_RUNNING || end <= begin)
        continue;
      for (; bin < bins->n && begin < end; bin++)
        {
          double edge = _ts_bins_get_edge (bins, (guint) bin + 1);

          if (edge <= begin)
            continue;
          edge = MIN (end, edge);
          share[bin] += (float) (edge - begin);
          begin = edge;
        }
    }
}

/* How much of each bin of the CPU lane the last answer's lane ran, in pixels, net of interrupts. */
static void
fill_share (TsBuild *build,
            float *share)
{
  const TsBins *bins = _ts_build_get_bins (build, TS_BINS_LOAD);

  memset (share, 0, bins->n * sizeof (float));
  if (build->detail == TS_LANE_DETAIL_SLICES)
    add_slices (build, bins, share);
  else if (build->detail == TS_LANE_DETAIL_COLUMNS && build->bins != NULL)
    add_bins (build, bins, share);
  else if (build->detail == TS_LANE_DETAIL_COLUMNS)
    add_pixels (build, bins, share);
}

/*
 * _ts_load_feed: the last query was for @lane: keep its share of each bin.
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
      fill_share (build, part->share);
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
      _ts_build_query_bins (build, part->lane, TS_BINS_LOAD);
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

/* Stacks what a bin holds; @known: pixels of it that lie in the recording. */
static void
stack_bin (TsBuild *build,
           guint8 core,
           guint bin,
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

      shares[i] = part->core == core ? part->share[bin] / known : 0;
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
  const TsBins *bins = _ts_build_get_bins (build, TS_BINS_LOAD);
  Layers layers = { build, y + 2, height - 4, 0 };
  double busy_pixels = 0;

  if (_ts_build_query_bins (build, lane->id, TS_BINS_LOAD) == TS_LANE_DETAIL_FAILED)
    return -1;
  fill_share (build, list->load_busy);
  for (guint bin = 0; bin < bins->n; bin++)
    {
      guint first = (guint) _ts_bins_get_edge (bins, bin);
      guint last = (guint) _ts_bins_get_edge (bins, bin + 1);
      double known = MIN (last, end_x) - MAX (first, begin_x);
      double busy = MIN (list->load_busy[bin], (float) (last - first));
      Stack stack;

      busy_pixels += busy;
      if (busy > 0)
        {
          known = MAX (known, busy);
          stack_bin (build, lane->core, bin, known, busy / known, &stack);
          paint_stack (&layers, &stack, first, last);
        }
    }
  end_x -= build->lost_px;
  return end_x > begin_x ? MIN (busy_pixels / (end_x - begin_x), 1) : -1;
}
