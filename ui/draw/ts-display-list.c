/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-list.c: walks the visible rows and collects what is to be painted. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-display-list-private.h"

/** Widest plot: keeps the arrays of columns bounded whatever the caller asks for. */
#define MAX_COLUMNS 32768
/** Pixels per column for lanes that are asked after the deadline. */
#define LATE_COLUMN_PX 8
/** A picture that rests may take longer, so that it gets whole: 2^n times the deadline. */
#define MAX_PATIENCE 3

/**
 * ts_display_list_new:
 *
 * Thread: any
 *
 * Returns: (transfer full): an empty list; free with ts_display_list_free()
 */
TsDisplayList *
ts_display_list_new (void)
{
  TsDisplayList *self = g_new0 (TsDisplayList, 1);

  self->items = g_array_sized_new (FALSE, TRUE, sizeof (TsItem), 4096);
  self->columns = g_array_sized_new (FALSE, FALSE, sizeof (TsPaintColumn), 16384);
  self->points = g_array_new (FALSE, FALSE, sizeof (TsPaintPoint));
  self->slices = g_array_sized_new (FALSE, FALSE, sizeof (TsSlice), 4096);
  self->text = g_string_sized_new (4096);
  self->load = g_array_new (FALSE, TRUE, sizeof (TsLoadPart));
  self->grid = g_array_new (FALSE, FALSE, sizeof (int));
  self->losses = g_array_new (FALSE, FALSE, sizeof (TsLossRun));
  for (guint i = 0; i < TS_N_BINS; i++)
    self->bins[i].edges = g_array_new (FALSE, FALSE, sizeof (int));
  self->depths = g_hash_table_new (NULL, NULL);
  return self;
}

/**
 * ts_display_list_free:
 * @self: (transfer full): a list
 *
 * Thread: owner
 */
void
ts_display_list_free (TsDisplayList *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->items);
  g_array_unref (self->columns);
  g_array_unref (self->points);
  g_array_unref (self->slices);
  g_string_free (self->text, TRUE);
  g_array_unref (self->load);
  g_array_unref (self->grid);
  g_array_unref (self->losses);
  for (guint i = 0; i < TS_N_BINS; i++)
    g_array_unref (self->bins[i].edges);
  g_hash_table_unref (self->depths);
  g_free (self->model_columns);
  g_free (self->cells);
  g_free (self->crowds);
  g_free (self->load_busy);
  g_free (self->load_shares);
  g_free (self);
}

TsItem *
_ts_list_add (TsDisplayList *list,
              TsItemType type,
              TsInk ink,
              guint color,
              double x,
              double y,
              double width,
              double height)
{
  TsItem *item;

  g_array_set_size (list->items, list->items->len + 1);
  item = &g_array_index (list->items, TsItem, list->items->len - 1);
  item->type = (guint8) type;
  item->ink = (guint8) ink;
  item->color = (guint8) color;
  item->flags = 0;
  item->x = (float) x;
  item->y = (float) y;
  item->width = (float) width;
  item->height = (float) height;
  item->first = 0;
  item->n = 0;
  return item;
}

void
_ts_list_add_text (TsDisplayList *list,
                   TsItemType type,
                   TsInk ink,
                   guint align,
                   guint flags,
                   double x,
                   double y,
                   double width,
                   double height,
                   const char *text)
{
  TsItem *item = _ts_list_add (list, type, ink, align, x, y, width, height);
  g_autofree char *valid = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    text = valid = g_utf8_make_valid (text, -1);
  item->flags = (guint8) flags;
  item->first = (guint32) list->text->len;
  item->n = (guint32) strlen (text);
  g_string_append_len (list->text, text, (gssize) item->n + 1);
}

TsPaintColumn *
_ts_list_add_columns (TsDisplayList *list,
                      double x,
                      double y,
                      guint n,
                      double height,
                      guint flags)
{
  TsItem *item = _ts_list_add (list, TS_ITEM_COLUMNS, TS_INK_LANE, 0, x, y, n, height);
  guint first = list->columns->len;

  item->flags = (guint8) flags;
  item->first = first;
  item->n = n;
  g_array_set_size (list->columns, first + n);
  memset (&g_array_index (list->columns, TsPaintColumn, first), 0, n * sizeof (TsPaintColumn));
  return &g_array_index (list->columns, TsPaintColumn, first);
}

/*
 * _ts_text_width: about how wide a text is, from the height of a line alone. The list knows no
 * font; the painter cuts what does not fit.
 */
double
_ts_text_width (const TsDisplayOptions *options,
                const char *text,
                guint flags)
{
  double size = (flags & TS_ITEM_SMALL) != 0 ? 0.40 : 0.46;
  guint n = 0;

  /* bytes that begin a character: safe also where a file holds no UTF-8 */
  for (const char *c = text; *c != '\0'; c++)
    n += ((guint8) *c & 0xC0) != 0x80;
  return (double) n * options->line_height * size;
}

guint
_ts_build_depth (TsBuild *build,
                 guint32 lane,
                 guint deepest_seen)
{
  gpointer key = GUINT_TO_POINTER (lane);
  guint depth = GPOINTER_TO_UINT (g_hash_table_lookup (build->list->depths, key));

  /* never shallower than before: rows inside a lane do not jump while panning */
  if (deepest_seen > depth)
    {
      depth = MIN (deepest_seen, 3);
      g_hash_table_insert (build->list->depths, key, GUINT_TO_POINTER (depth));
    }
  return depth;
}

guint8
_ts_build_lane_color (const TsLaneInfo *lane)
{
  guint offset = 0;

  /* kinds that stand below one another start at different colours */
  if (lane->kind == TS_LANE_TOGGLE)
    offset = 1;
  else if (lane->kind == TS_LANE_OBJECT)
    offset = 8;
  else if (lane->kind == TS_LANE_SPAN)
    offset = 4;
  return (guint8) ((lane->color + offset) & 0xFF);
}

/*
 * _ts_build_get_bins: the bins of a width, listed once in a build.
 */
const TsBins *
_ts_build_get_bins (TsBuild *build,
                    TsBinWidth width)
{
  TsBins *bins = &build->list->bins[width];
  double least_px = 2 << width;
  gint64 end;
  int edge;

  if ((build->has_bins & 1u << width) != 0)
    return bins;
  build->has_bins |= 1u << width;
  bins->shift = 0;
  while (bins->shift < 60
         && (double) (G_GINT64_CONSTANT (1) << bins->shift) * build->scale < least_px)
    bins->shift++;
  bins->first = build->begin >> bins->shift;
  end = (build->begin + build->span - 1) >> bins->shift;
  bins->n = (guint) (end - bins->first + 1);
  g_array_set_size (bins->edges, 0);
  for (guint i = 0; i <= bins->n; i++)
    {
      gint64 tick = (bins->first + i) * (G_GINT64_CONSTANT (1) << bins->shift);

      edge = (int) CLAMP (_ts_build_x (build, tick) + 0.5, 0, build->n_columns);
      g_array_append_val (bins->edges, edge);
    }
  return bins;
}

static TsLaneDetail
query_window (TsBuild *build,
              guint32 lane,
              gint64 begin,
              gint64 end)
{
  TsDisplayList *list = build->list;
  gboolean is_coarse = FALSE;

  g_array_set_size (list->slices, 0);
  build->has_cells = FALSE;
  build->detail = ts_recording_query_lane (build->recording, lane, begin, end,
                                           (guint) build->n_asked, list->model_columns,
                                           list->slices, build->deadline, &is_coarse);
  build->is_answer_coarse = is_coarse || build->detail == TS_LANE_DETAIL_FAILED;
  if (build->is_answer_coarse)
    list->is_coarse = TRUE;
  return build->detail;
}

/* In columns of so many pixels. */
static TsLaneDetail
query (TsBuild *build,
       guint32 lane,
       int column_px)
{
  build->bins = NULL;
  build->n_asked = (build->n_columns + column_px - 1) / column_px;
  query_window (build, lane, build->begin, build->begin + build->span);
  if (build->detail == TS_LANE_DETAIL_COLUMNS && column_px == LATE_COLUMN_PX)
    build->list->is_coarse = TRUE;
  return build->detail;
}

static gboolean
is_late (const TsBuild *build)
{
  return build->deadline != 0 && g_get_monotonic_time () >= build->deadline;
}

/*
 * _ts_build_query_bins: what a lane did, bin by bin, where it is not few slices; coarser once the
 * deadline has passed.
 */
TsLaneDetail
_ts_build_query_bins (TsBuild *build,
                      guint32 lane,
                      TsBinWidth width)
{
  const TsBins *bins;

  if (is_late (build))
    width = TS_BINS_LATE;
  bins = _ts_build_get_bins (build, width);
  build->bins = bins;
  build->n_asked = (int) bins->n;
  query_window (build, lane, bins->first * (G_GINT64_CONSTANT (1) << bins->shift),
                (bins->first + bins->n) * (G_GINT64_CONSTANT (1) << bins->shift));
  if (build->detail == TS_LANE_DETAIL_COLUMNS && width == TS_BINS_LATE)
    build->list->is_coarse = TRUE;
  return build->detail;
}

/* Whether the lane's answer holds more than half as many slices as there are pixels. */
static gboolean
is_answer_dense (const TsBuild *build)
{
  guint64 sum = 0;

  for (int i = 0; i < build->n_asked; i++)
    sum += build->list->model_columns[i].count;
  return sum > (guint64) build->n_columns / 2;
}

/*
 * _ts_build_query: asks for what a lane did in the view. A lane that does not exist (no loss so
 * far) did nothing.
 *
 * State lanes are asked for bins, which is how dense ones are drawn, and only for pixels where they
 * turn out to be few slices after all. Once the deadline has passed a lane is asked for far fewer
 * columns, which costs as much less: what is left of the frame stays short however many lanes are
 * left.
 */
TsLaneDetail
_ts_build_query (TsBuild *build,
                 guint32 lane)
{
  const TsLaneInfo *info = ts_recording_get_lane (build->recording, lane);

  g_array_set_size (build->list->slices, 0);
  build->has_cells = FALSE;
  build->bins = NULL;
  build->n_asked = build->n_columns;
  build->detail = TS_LANE_DETAIL_SLICES;
  if (info == NULL)
    return build->detail;
  if (info->kind != TS_LANE_TASK && info->kind != TS_LANE_ISR && info->kind != TS_LANE_RTOS &&
      info->kind != TS_LANE_SPAN)
    return query (build, lane,
                  is_late (build) ? LATE_COLUMN_PX : info->kind == TS_LANE_DENSITY ? 2 : 1);

  _ts_build_query_bins (build, lane, TS_BINS_DENSE);
  if (build->detail == TS_LANE_DETAIL_COLUMNS && !build->is_answer_coarse && !is_late (build)
      && !is_answer_dense (build))
    query (build, lane, 1);
  return build->detail;
}

static void
add_share (TsCell *cell,
           guint state,
           float share)
{
  switch (state)
    {
    case TS_STATE_RUNNING:
      cell->run += share;
      break;
    case TS_STATE_READY:
      cell->ready += share;
      break;
    case TS_STATE_BLOCKED:
    case TS_STATE_LOW:
      cell->wait += share;
      break;
    case TS_STATE_SLEEPING:
      cell->sleep += share;
      break;
    default:
      break;
    }
}

static void
add_slice (TsBuild *build,
           const TsSlice *slice)
{
  TsCell *cells = build->list->cells;
  double begin = MAX (_ts_build_x (build, slice->begin), 0);
  double end = MIN (_ts_build_x (build, slice->end), build->n_columns);
  int first = (int) begin;
  int last = (int) end;

  if (slice->end < build->begin || begin >= build->n_columns)
    return;
  if (slice->begin >= build->begin)
    cells[first].count++;
  if (end <= begin)
    return;
  if (first == last)
    {
      add_share (&cells[first], slice->state, (float) (end - begin));
      return;
    }
  add_share (&cells[first], slice->state, (float) (first + 1 - begin));
  for (int i = first + 1; i < last; i++)
    add_share (&cells[i], slice->state, 1);
  if (last < build->n_columns)
    add_share (&cells[last], slice->state, (float) (end - last));
}

/*
 * _ts_build_cells: the last query's answer as cells, whichever form it came in.
 */
void
_ts_build_cells (TsBuild *build)
{
  TsDisplayList *list = build->list;
  float share = (float) (build->n_asked / (double) build->span);

  if (build->has_cells)
    return;
  build->has_cells = TRUE;
  if (build->detail != TS_LANE_DETAIL_COLUMNS)
    memset (list->cells, 0, (gsize) build->n_columns * sizeof (TsCell));
  if (build->detail == TS_LANE_DETAIL_SLICES)
    {
      for (guint i = 0; i < list->slices->len; i++)
        add_slice (build, &g_array_index (list->slices, TsSlice, i));
    }
  else if (build->detail == TS_LANE_DETAIL_COLUMNS)
    {
      int j = 0, rest = 0;

      /* column j of n_asked covers pixels [j * n_columns / n_asked, (j + 1) * ...) */
      for (int i = 0; i < build->n_columns; i++)
        {
          _ts_build_fill_cell (&list->model_columns[j], share, &list->cells[i]);
          for (rest += build->n_asked; rest >= build->n_columns; rest -= build->n_columns)
            j++;
        }
    }
}

static void
draw_lane (TsBuild *build,
           const TsLaneInfo *lane,
           int y,
           int height)
{
  TsDisplayList *list = build->list;

  if (_ts_build_query (build, lane->id) == TS_LANE_DETAIL_FAILED)
    {
      _ts_list_add_text (list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0, TS_ITEM_SMALL, build->plot_x + 6,
                         y, build->n_columns - 12, height, "…");
      return;
    }
  switch (lane->kind)
    {
    case TS_LANE_TASK:
    case TS_LANE_ISR:
      _ts_load_feed (build, lane->id);
      _ts_draw_state_lane (build, lane, y, height);
      break;
    case TS_LANE_RTOS:
      _ts_draw_state_lane (build, lane, y, height);
      break;
    case TS_LANE_SPAN:
      _ts_draw_span_lane (build, lane, y, height);
      break;
    case TS_LANE_TOGGLE:
      _ts_draw_toggle_lane (build, lane, y, height);
      break;
    case TS_LANE_VALUE:
      _ts_draw_value_lane (build, lane, y, height);
      break;
    case TS_LANE_OBJECT:
    case TS_LANE_MESSAGE:
      _ts_draw_point_lane (build, lane, y, height);
      break;
    case TS_LANE_CPU:
    case TS_LANE_LOSS:
    case TS_LANE_DENSITY:
    case TS_LANE_N_KINDS:
      break;
    }
}

static void
highlight_row (TsBuild *build,
               const TsLaneInfo *lane,
               int y,
               int height)
{
  const TsDisplayOptions *options = build->options;
  TsItem *item;

  if (ts_view_state_get_selected_lane (build->view) == lane->id)
    {
      item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_SELECTION, 0, 0, y, build->plot_x,
                           height - 1);
      item->flags = TS_ITEM_GLASS;
      _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_ACCENT, 0, 0, y, 3, height - 1);
    }
  if (options->pointer_x >= 0 && options->pointer_x < options->width && options->pointer_y >= y &&
      options->pointer_y < y + height && options->pointer_y >= build->lanes_y)
    {
      item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_HOVER, 0, 0, y, build->plot_x,
                           height - 1);
      item->flags = TS_ITEM_GLASS;
    }
}

/*
 * _ts_build_find_row:
 *
 * Returns: whether @lane has a row that is seen; @y: its top, not above what is fixed if it scrolls
 */
gboolean
_ts_build_find_row (const TsBuild *build,
                    guint32 lane,
                    int *y,
                    int *height)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);

  for (guint i = 0; i < n_rows; i++)
    {
      int top = build->lanes_y;
      int bottom;

      if (rows[i].is_header || rows[i].lane != lane)
        continue;
      if (rows[i].group != TS_GROUP_PINNED)
        top += build->fixed;
      *y = _ts_build_row_y (build, &rows[i]);
      bottom = *y + rows[i].height;
      *y = MAX (*y, top);
      *height = bottom - *y;
      return *height > 2 && *y < build->options->height;
    }
  return FALSE;
}

/* Where the rows that scroll come out: below what is fixed, and below the header that stays. Texts
 * and rectangles are painted apart, so a header does not hide a text by lying above it. */
static int
get_scrolled_top (const TsBuild *build)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);
  int row = _ts_view_state_get_sticky_row (build->view, build->fixed);
  int top = build->fixed;

  if (row >= 0)
    top = MAX (top, _ts_view_state_get_sticky_y (build->view, row, build->fixed) +
                        rows[row].height);
  return build->lanes_y + top;
}

/* Rows that scroll, or those that do not. */
static void
draw_rows (TsBuild *build,
           gboolean want_cpu,
           gboolean want_fixed)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);
  int top = want_fixed ? build->lanes_y : get_scrolled_top (build);

  if (want_fixed && build->fixed == 0)
    return;
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, top, build->options->width,
                MAX (build->options->height - top, 0));
  for (guint i = 0; i < n_rows; i++)
    {
      const TsViewRow *row = &rows[i];
      const TsLaneInfo *lane = NULL;
      int y = _ts_build_row_y (build, row);
      double load = -1;
      gboolean is_cpu;

      if (y + row->height <= top || y >= build->options->height ||
          (build->fixed > 0 && row->group == TS_GROUP_PINNED) != want_fixed)
        continue;
      if (!row->is_header)
        lane = ts_recording_get_lane (build->recording, row->lane);
      is_cpu = lane != NULL && lane->kind == TS_LANE_CPU;
      if (is_cpu != want_cpu)
        continue;
      if (row->is_header)
        {
          _ts_draw_group_header (build, row, y);
          continue;
        }
      if (lane == NULL)
        continue;
      _ts_draw_ground (build, y, row->height - 1);
      highlight_row (build, lane, y, row->height);
      _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_GRID, 0, 0, y + row->height - 1,
                    build->options->width, 1);
      if (is_cpu)
        load = _ts_load_draw (build, lane, y, row->height);
      else
        draw_lane (build, lane, y, row->height);
      _ts_draw_lane_header (build, lane, y, row->height, load);
    }
}

/* The group that the topmost lanes belong to stays named when its header has scrolled away. */
static void
draw_sticky_header (TsBuild *build)
{
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);
  int row = _ts_view_state_get_sticky_row (build->view, build->fixed);
  int y;

  if (row < 0)
    return;
  y = _ts_view_state_get_sticky_y (build->view, row, build->fixed);
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, build->lanes_y + build->fixed,
                build->options->width, MAX (build->page - build->fixed, 0));
  _ts_draw_group_header (build, &rows[row], build->lanes_y + y);
  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BORDER, 0, 0,
                build->lanes_y + y + rows[row].height - 1, build->options->width, 1);
}

/* Has the worker make ready what a pan by a screen to either side will show; what this picture waits
 * for comes first. */
static void
fetch_around (TsBuild *build)
{
  static const int places[] = { 0, 1, -1 };
  guint n_rows;
  const TsViewRow *rows = ts_view_state_get_rows (build->view, &n_rows);
  int offset = build->lanes_y - ts_view_state_get_scroll_y (build->view);

  for (guint place = 0; place < G_N_ELEMENTS (places); place++)
    for (guint i = 0; i < n_rows; i++)
      {
        int y = rows[i].y + offset;
        gint64 begin = build->begin + places[place] * build->span;

        if (!rows[i].is_header && y + rows[i].height > build->lanes_y
            && y < build->options->height && begin < build->end && begin + build->span > 0)
          ts_recording_fetch_lane (build->recording, rows[i].lane, begin, begin + build->span,
                                   (guint) build->n_columns);
      }
  ts_recording_send_fetches (build->recording);
}

/* How often in a row the same view came out coarse. */
static guint
get_patience (TsDisplayList *self,
              const TsBuild *build)
{
  if (self->is_coarse && self->last_begin == build->begin && self->last_span == build->span)
    self->patience = MIN (self->patience + 1, MAX_PATIENCE);
  else
    self->patience = 0;
  self->last_begin = build->begin;
  self->last_span = build->span;
  return self->patience;
}

static void
allocate (TsDisplayList *self,
          guint n_columns)
{
  g_array_set_size (self->items, 0);
  g_array_set_size (self->columns, 0);
  g_array_set_size (self->points, 0);
  g_string_truncate (self->text, 0);
  self->is_coarse = FALSE;
  if (n_columns + 1 > self->n_allocated)
    {
      self->n_allocated = n_columns + 1;
      self->model_columns = g_renew (TsColumn, self->model_columns, self->n_allocated);
      self->cells = g_renew (TsCell, self->cells, self->n_allocated);
      self->crowds = g_renew (guint8, self->crowds, self->n_allocated);
    }
}

/**
 * ts_display_list_build:
 * @self: a list; what it held is dropped
 * @view: what to show
 * @options: sizes, pointer, deadline
 *
 * Turns what @view shows into items, from back to front.
 *
 * Units: pixels; heights of rows are those of @view
 * Cost: O(visible lanes x width), whatever the recording holds
 * Thread: owner of @view
 *
 * Returns: %TRUE if complete, %FALSE if coarser data was used to keep the deadline
 */
gboolean
ts_display_list_build (TsDisplayList *self,
                       TsViewState *view,
                       const TsDisplayOptions *options)
{
  TsBuild build = { 0 };
  int bottom;

  g_return_val_if_fail (self != NULL && options != NULL, TRUE);
  g_return_val_if_fail (TS_IS_VIEW_STATE (view), TRUE);

  build.list = self;
  build.view = view;
  build.recording = ts_view_state_get_recording (view);
  build.options = options;
  build.begin = ts_view_state_get_begin (view);
  build.span = ts_view_state_get_span (view);
  build.plot_x = CLAMP (options->label_width, 0, MAX (options->width - 1, 0));
  build.n_columns = CLAMP (options->width - build.plot_x, 1, MAX_COLUMNS);
  build.scale = build.n_columns / (double) build.span;
  build.lanes_y = options->overview_height + options->ruler_height;
  build.page = MAX (options->height - build.lanes_y, 0);
  build.fixed = ts_view_state_get_fixed_height (view, build.page);
  if (options->deadline_us > 0)
    build.deadline
        = g_get_monotonic_time () + (options->deadline_us << get_patience (self, &build));

  allocate (self, (guint) build.n_columns);
  if (build.recording == NULL)
    {
      _ts_list_add (self, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, 0, 0, options->width,
                    options->height);
      return TRUE;
    }
  if (options->deadline_us > 0)
    ts_recording_take_fetched (build.recording);
  build.end = ts_recording_get_duration (build.recording);
  bottom = build.lanes_y + ts_view_state_get_rows_height (view) - ts_view_state_get_scroll_y (view);
  bottom = MIN (MAX (bottom, build.lanes_y + build.fixed), options->height);

  _ts_list_add (self, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, build.lanes_y, options->width,
                MAX (options->height - build.lanes_y, 0));
  _ts_prepare_grid (&build);
  _ts_prepare_loss (&build);
  _ts_draw_ground (&build, bottom, options->height - bottom);
  _ts_load_prepare (&build);
  draw_rows (&build, FALSE, FALSE);
  draw_rows (&build, FALSE, TRUE);
  _ts_load_complete (&build);
  draw_rows (&build, TRUE, FALSE);
  draw_sticky_header (&build);
  draw_rows (&build, TRUE, TRUE);
  if (build.fixed > 0)
    _ts_list_add (self, TS_ITEM_RECT, TS_INK_BORDER, 0, 0, build.lanes_y + build.fixed - 1,
                  options->width, 1);
  _ts_draw_loss (&build, build.lanes_y, bottom);
  _ts_list_add (self, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, 0, 0, 0);

  if (options->ruler_height > 0)
    _ts_draw_ruler (&build);
  if (options->overview_height > 0)
    _ts_draw_overview (&build);
  _ts_draw_notes (&build, bottom);
  _ts_draw_marks (&build, bottom);
  if (options->is_mirrored)
    _ts_mirror_list (&build);
  if (options->deadline_us > 0)
    fetch_around (&build);
  return !self->is_coarse;
}

/**
 * ts_display_list_get_items:
 * @self: a list
 * @n_items: (out): how many
 *
 * Thread: owner
 *
 * Returns: (array length=n_items) (transfer none): items from back to front, until the next build
 */
const TsItem *
ts_display_list_get_items (TsDisplayList *self,
                           guint *n_items)
{
  g_return_val_if_fail (self != NULL && n_items != NULL, NULL);

  *n_items = self->items->len;
  return (const TsItem *) self->items->data;
}

/**
 * ts_display_list_get_columns:
 * @self: a list
 *
 * Thread: owner
 *
 * Returns: (transfer none): the pixel columns that items of type %TS_ITEM_COLUMNS index
 */
const TsPaintColumn *
ts_display_list_get_columns (TsDisplayList *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return (const TsPaintColumn *) self->columns->data;
}

/**
 * ts_display_list_get_points:
 * @self: a list
 *
 * Thread: owner
 *
 * Returns: (transfer none): the points that items of type %TS_ITEM_POLYLINE index
 */
const TsPaintPoint *
ts_display_list_get_points (TsDisplayList *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return (const TsPaintPoint *) self->points->data;
}

/**
 * ts_display_list_get_text:
 * @self: a list
 * @item: one of its items
 *
 * Thread: owner
 *
 * Returns: (transfer none): text of a text or pill item, else ""
 */
const char *
ts_display_list_get_text (TsDisplayList *self,
                          const TsItem *item)
{
  g_return_val_if_fail (self != NULL && item != NULL, "");

  if (item->type != TS_ITEM_TEXT && item->type != TS_ITEM_PILL)
    return "";
  return self->text->str + item->first;
}

/**
 * ts_display_list_is_coarse:
 * @self: a list
 *
 * Thread: owner
 *
 * Returns: whether something finer can be had by building again
 */
gboolean
ts_display_list_is_coarse (TsDisplayList *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->is_coarse;
}
