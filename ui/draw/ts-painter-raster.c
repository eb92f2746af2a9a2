/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-painter-raster.c: rectangles and dense lanes written straight into an image surface.
 *
 * Columns are filled from left to right: neighbours share cache lines, so that a lane of twenty
 * rows stays in the first-level cache.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-painter-private.h"

/** Boxes as wide as that are filled two pixels at a time; wider ones are the compiler's. */
#define MAX_NARROW 16

/*
 * _ts_raster_begin:
 *
 * Returns: %FALSE when the target is no image surface, is turned, or is clipped to more than one
 * rectangle: paint through Cairo then
 */
gboolean
_ts_raster_begin (TsRaster *raster,
                  cairo_t *cr)
{
  cairo_surface_t *surface = cairo_get_group_target (cr);
  cairo_rectangle_list_t *clip;
  cairo_matrix_t matrix;
  double scale_x, scale_y, offset_x, offset_y;
  cairo_format_t format;
  gboolean is_simple;

  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE)
    return FALSE;
  format = cairo_image_surface_get_format (surface);
  if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)
    return FALSE;
  cairo_get_matrix (cr, &matrix);
  if (matrix.xy != 0 || matrix.yx != 0 || matrix.xx <= 0 || matrix.yy <= 0)
    return FALSE;
  clip = cairo_copy_clip_rectangle_list (cr);
  is_simple = clip->status == CAIRO_STATUS_SUCCESS && clip->num_rectangles <= 1;
  if (is_simple)
    {
      cairo_surface_get_device_scale (surface, &scale_x, &scale_y);
      cairo_surface_get_device_offset (surface, &offset_x, &offset_y);
      raster->surface = surface;
      raster->scale_x = matrix.xx * scale_x;
      raster->scale_y = matrix.yy * scale_y;
      raster->offset_x = matrix.x0 * scale_x + offset_x;
      raster->offset_y = matrix.y0 * scale_y + offset_y;
      raster->bound_x0 = raster->bound_y0 = raster->bound_x1 = raster->bound_y1 = 0;
      if (clip->num_rectangles == 1)
        {
          const cairo_rectangle_t *r = &clip->rectangles[0];

          raster->bound_x0 = (int) floor (r->x * raster->scale_x + raster->offset_x + 0.5);
          raster->bound_y0 = (int) floor (r->y * raster->scale_y + raster->offset_y + 0.5);
          raster->bound_x1
              = (int) floor ((r->x + r->width) * raster->scale_x + raster->offset_x + 0.5);
          raster->bound_y1
              = (int) floor ((r->y + r->height) * raster->scale_y + raster->offset_y + 0.5);
        }
    }
  cairo_rectangle_list_destroy (clip);
  if (!is_simple)
    return FALSE;

  cairo_surface_flush (surface);
  raster->pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (surface);
  raster->stride = cairo_image_surface_get_stride (surface) / 4;
  if (raster->pixels == NULL)
    return FALSE;
  raster->bound_x0 = MAX (raster->bound_x0, 0);
  raster->bound_y0 = MAX (raster->bound_y0, 0);
  raster->bound_x1 = MIN (raster->bound_x1, cairo_image_surface_get_width (surface));
  raster->bound_y1 = MIN (raster->bound_y1, cairo_image_surface_get_height (surface));
  return TRUE;
}

static int
to_device_x (const TsRaster *raster,
             double x)
{
  return (int) floor (CLAMP (x * raster->scale_x + raster->offset_x, -1e6, 1e6) + 0.5);
}

static int
to_device_y (const TsRaster *raster,
             double y)
{
  return (int) floor (CLAMP (y * raster->scale_y + raster->offset_y, -1e6, 1e6) + 0.5);
}

static void
set_clip (TsRaster *raster,
          const TsItem *item)
{
  raster->clip_x0 = raster->bound_x0;
  raster->clip_y0 = raster->bound_y0;
  raster->clip_x1 = raster->bound_x1;
  raster->clip_y1 = raster->bound_y1;
  if (item == NULL || !(item->width > 0))
    return;
  raster->clip_x0 = MAX (raster->clip_x0, to_device_x (raster, item->x));
  raster->clip_y0 = MAX (raster->clip_y0, to_device_y (raster, item->y));
  raster->clip_x1 = MIN (raster->clip_x1, to_device_x (raster, item->x + item->width));
  raster->clip_y1 = MIN (raster->clip_y1, to_device_y (raster, item->y + item->height));
}

static inline guint32
mix_half (guint32 a,
          guint32 b)
{
  return ((a >> 1) & 0x7f7f7f7f) + ((b >> 1) & 0x7f7f7f7f) + (a & b & 0x01010101);
}

/* share: 0 to 256 */
static inline guint32
mix_pixel (guint32 below,
           guint32 above,
           guint share)
{
  guint32 rb = (below & 0xff00ff) * (256 - share) + (above & 0xff00ff) * share;
  guint32 g = (below & 0x00ff00) * (256 - share) + (above & 0x00ff00) * share;

  return 0xff000000 | ((rb >> 8) & 0xff00ff) | ((g >> 8) & 0x00ff00);
}

static void
soften_corner (TsRaster *raster,
               int x,
               int y,
               guint32 before)
{
  guint32 *pixel;

  if (x < raster->clip_x0 || x >= raster->clip_x1 || y < raster->clip_y0 || y >= raster->clip_y1)
    return;
  pixel = raster->pixels + (gsize) y * (gsize) raster->stride + x;
  *pixel = mix_half (*pixel, before);
}

/* Fills a rectangle that is inside the clip. Most are bins of a dense lane, some pixels wide: two
 * pixels at a time, the last two perhaps over again. */
static inline void
fill_box (TsRaster *raster,
          int x0,
          int y0,
          int x1,
          int y1,
          guint32 color)
{
  guint32 *row = raster->pixels + (gsize) y0 * (gsize) raster->stride;
  guint64 pair = (guint64) color << 32 | color;
  int width = x1 - x0;

  if (width == 1)
    {
      for (int y = y0; y < y1; y++, row += raster->stride)
        row[x0] = color;
      return;
    }
  if (width <= MAX_NARROW)
    {
      for (int y = y0; y < y1; y++, row += raster->stride)
        {
          for (int x = x0; x < x1 - 2; x += 2)
            memcpy (&row[x], &pair, sizeof pair);
          memcpy (&row[x1 - 2], &pair, sizeof pair);
        }
      return;
    }
  for (int y = y0; y < y1; y++, row += raster->stride)
    for (int x = x0; x < x1; x++)
      row[x] = color;
}

static void
fill_rect (TsRaster *raster,
           const TsItem *item,
           guint32 color,
           guint32 ground)
{
  int left = to_device_x (raster, item->x);
  int top = to_device_y (raster, item->y);
  int right = MAX (to_device_x (raster, item->x + item->width), left + (item->width > 0));
  int bottom = MAX (to_device_y (raster, item->y + item->height), top + (item->height > 0));
  int x0 = MAX (left, raster->clip_x0);
  int y0 = MAX (top, raster->clip_y0);
  int x1 = MIN (right, raster->clip_x1);
  int y1 = MIN (bottom, raster->clip_y1);
  gboolean is_dotted = (item->flags & TS_ITEM_DOTTED) != 0;

  if (x0 >= x1 || y0 >= y1)
    return;
  if (!is_dotted)
    fill_box (raster, x0, y0, x1, y1, color);
  for (int y = y0; is_dotted && y < y1; y++)
    {
      guint32 *row = raster->pixels + (gsize) y * (gsize) raster->stride;

      for (int x = x0; x < x1; x++)
        if ((x & 3) < 2)
          row[x] = color;
    }
  if ((item->flags & TS_ITEM_SOFT) != 0 && right - left >= 4 && bottom - top >= 5)
    {
      soften_corner (raster, left, top, ground);
      soften_corner (raster, right - 1, top, ground);
      soften_corner (raster, left, bottom - 1, ground);
      soften_corner (raster, right - 1, bottom - 1, ground);
    }
}

/* Stripes and an edge on a rectangle, before what lies above it in the list is filled. */
static void
stripe_rect (TsRaster *raster,
             const TsItem *item,
             guint32 color)
{
  int left = to_device_x (raster, item->x);
  int top = to_device_y (raster, item->y);
  int right = to_device_x (raster, item->x + item->width);
  int bottom = to_device_y (raster, item->y + item->height);
  int x0 = MAX (left, raster->clip_x0);
  int x1 = MIN (right, raster->clip_x1);
  int step = MAX ((int) (TS_STRIPES_STEP * raster->scale_x + 0.5), 3);
  int weight = MAX ((int) (raster->scale_x + 0.5), 1);
  guint share = (guint) (TS_STRIPES_ALPHA * 256);

  for (int y = MAX (top, raster->clip_y0); y < MIN (bottom, raster->clip_y1); y++)
    {
      guint32 *row = raster->pixels + (gsize) y * (gsize) raster->stride;
      gboolean is_edge = y < top + weight || y >= bottom - weight;
      /* up and to the right, wherever the rectangle begins: neighbours have stripes in a line */
      int phase = (x0 + y - bottom + 1 - (int) raster->offset_x) % step;

      if (phase < 0)
        phase += step;
      for (int x = x0; x < x1; x++)
        {
          if (is_edge || x < left + weight || x >= right - weight || phase < weight)
            row[x] = mix_pixel (row[x], color, share);
          if (++phase == step)
            phase = 0;
        }
    }
}

/* Columns on whole pixels: edges are rounded from the bottom up, so parts neither overlap nor leave
 * a gap. */
static void
fill_column (TsRaster *raster,
             const TsPaintColumn *column,
             const TsColors *colors,
             int x0,
             int x1,
             const int *edges)
{
  guint sum = 0;
  int below = MIN (edges[0], raster->clip_y1);

  for (guint i = 0; i < 4; i++)
    {
      int above;

      if (column->height[i] == 0)
        continue;
      sum += column->height[i];
      above = MAX (edges[MIN (sum, 255)], raster->clip_y0);
      if (column->ink[i] != TS_INK_BACKGROUND && above < below)
        fill_box (raster, x0, above, x1, below,
                  _ts_colors_get (colors, column->ink[i], column->color[i]));
      below = MIN (above, raster->clip_y1);
    }
}

static void
mix_row (TsRaster *raster,
         int x0,
         int x1,
         int y,
         guint32 color,
         double cover)
{
  guint32 *row;
  guint share = (guint) (CLAMP (cover, 0, 1) * 256);

  if (y < raster->clip_y0 || y >= raster->clip_y1)
    return;
  row = raster->pixels + (gsize) y * (gsize) raster->stride;
  for (int x = x0; x < x1; x++)
    row[x] = mix_pixel (row[x], color, share);
}

/* The same with edges mixed by how much of the pixel they cover. */
static void
fill_smooth_column (TsRaster *raster,
                    const TsPaintColumn *column,
                    const TsColors *colors,
                    int x0,
                    int x1,
                    double top,
                    double height)
{
  guint sum = 0;
  double below = top + height;

  for (guint i = 0; i < 4; i++)
    {
      double above;
      guint32 color;
      int first, last;

      if (column->height[i] == 0)
        continue;
      sum += column->height[i];
      above = top + height - sum * height / 255.0;
      if (column->ink[i] == TS_INK_BACKGROUND)
        {
          below = above;
          continue;
        }
      color = _ts_colors_get (colors, column->ink[i], column->color[i]);
      /* whole pixels from first to last, a share of one more at either end */
      first = (int) ceil (above);
      last = (int) floor (below);
      if (first > last)
        {
          mix_row (raster, x0, x1, last, color, below - above);
        }
      else
        {
          if (first - above > 0)
            mix_row (raster, x0, x1, first - 1, color, first - above);
          if (below - last > 0)
            mix_row (raster, x0, x1, last, color, below - last);
          first = MAX (first, raster->clip_y0);
          last = MIN (last, raster->clip_y1);
          if (first < last)
            fill_box (raster, x0, first, x1, last, color);
        }
      below = above;
    }
}

static inline gboolean
is_same (const TsPaintColumn *a,
         const TsPaintColumn *b)
{
  guint32 first[3], second[3];

  G_STATIC_ASSERT (sizeof first == sizeof *a);
  memcpy (first, a, sizeof first);
  memcpy (second, b, sizeof second);
  return ((first[0] ^ second[0]) | (first[1] ^ second[1]) | (first[2] ^ second[2])) == 0;
}

static gboolean
is_empty (const TsPaintColumn *column)
{
  return (column->height[0] | column->height[1] | column->height[2] | column->height[3]) == 0;
}

static void
fill_columns (TsRaster *raster,
              const TsItem *item,
              const TsPaintColumn *columns,
              const TsColors *colors)
{
  const TsPaintColumn *all = &columns[item->first];
  double top = item->y * raster->scale_y + raster->offset_y;
  double height = item->height * raster->scale_y;
  gboolean is_smooth = (item->flags & TS_ITEM_SMOOTH) != 0;
  int edges[256];
  guint next;

  if (top >= raster->clip_y1 || top + height <= raster->clip_y0)
    return;
  for (guint i = 0; i < 256; i++)
    edges[i] = (int) floor (top + height - i * height / 255.0 + 0.5);
  for (guint i = 0; i < item->n; i = next)
    {
      int x0, x1;

      /* neighbours of the same look are one */
      for (next = i + 1; next < item->n && is_same (&all[i], &all[next]);)
        next++;
      if (is_empty (&all[i]))
        continue;
      x0 = MAX (to_device_x (raster, item->x + (double) i), raster->clip_x0);
      x1 = MIN (to_device_x (raster, item->x + (double) next), raster->clip_x1);
      if (x0 >= x1)
        continue;
      if (is_smooth)
        fill_smooth_column (raster, &all[i], colors, x0, x1, top, height);
      else
        fill_column (raster, &all[i], colors, x0, x1, edges);
    }
}

/*
 * _ts_raster_paint: rectangles that are not translucent, and columns; everything else is Cairo's.
 */
void
_ts_raster_paint (TsRaster *raster,
                  TsDisplayList *list,
                  const TsColors *colors)
{
  const TsPaintColumn *columns = ts_display_list_get_columns (list);
  const TsItem *items;
  guint n;

  items = ts_display_list_get_items (list, &n);
  set_clip (raster, NULL);
  for (guint i = 0; i < n; i++)
    {
      const TsItem *item = &items[i];

      if (item->type == TS_ITEM_CLIP)
        set_clip (raster, item);
      else if (item->type == TS_ITEM_RECT && (item->flags & TS_ITEM_GLASS) == 0)
        {
          fill_rect (raster, item, _ts_colors_get (colors, item->ink, item->color),
                     colors->ink[TS_INK_BACKGROUND]);
          if (_ts_colors_has_stripes (colors, item))
            stripe_rect (raster, item, colors->ink[TS_INK_TEXT]);
        }
      else if (item->type == TS_ITEM_COLUMNS)
        fill_columns (raster, item, columns, colors);
    }
}

void
_ts_raster_end (TsRaster *raster)
{
  cairo_surface_mark_dirty (raster->surface);
}
