/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-painter.c: a display list on a Cairo context.
 *
 * On an image surface rectangles and dense lanes are written as pixels (ts-painter-raster.c) and
 * Cairo paints what is left: text, pills, outlines, glass. Anywhere else everything is a path.
 */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <math.h>

#include "ts-painter-private.h"

/** Shapes of pills that are kept: those of one row height have a few widths. */
#define MAX_PILLS 32

/** PillShape: what of each pixel a pill covers. */
typedef struct
{
  int width;
  int height;
  cairo_surface_t *mask;
} PillShape;

struct _TsPainter
{
  TsColors colors;
  TsTextCache *texts;
  PillShape pills[MAX_PILLS];
  guint next_pill;
};

/**
 * ts_painter_new:
 *
 * Makes a painter with the light palette and a font of 12 pixels.
 *
 * Thread: the painter stays on the thread that made it
 *
 * Returns: (transfer full): a painter; free with ts_painter_free()
 */
TsPainter *
ts_painter_new (void)
{
  TsPainter *self = g_new0 (TsPainter, 1);

  self->texts = _ts_text_cache_new ();
  _ts_colors_init (&self->colors, ts_palette_get_default (FALSE, FALSE));
  return self;
}

/**
 * ts_painter_free:
 * @self: (transfer full) (nullable): a painter
 *
 * Thread: owner
 */
void
ts_painter_free (TsPainter *self)
{
  if (self == NULL)
    return;
  _ts_text_cache_free (self->texts);
  for (guint i = 0; i < MAX_PILLS; i++)
    g_clear_pointer (&self->pills[i].mask, cairo_surface_destroy);
  g_free (self);
}

/**
 * ts_painter_set_palette:
 * @self: a painter
 * @palette: colours; copied
 *
 * Thread: owner
 */
void
ts_painter_set_palette (TsPainter *self,
                        const TsPalette *palette)
{
  g_return_if_fail (self != NULL && palette != NULL);

  _ts_colors_init (&self->colors, palette);
}

/**
 * ts_painter_set_font:
 * @self: a painter
 * @pango_font_description: such as "Cantarell 11"; sizes in points are for 96 dots per inch
 *
 * Thread: owner
 */
void
ts_painter_set_font (TsPainter *self,
                     const char *pango_font_description)
{
  g_return_if_fail (self != NULL && pango_font_description != NULL);

  _ts_text_cache_set_font (self->texts, pango_font_description);
}

/**
 * ts_painter_get_line_height:
 * @self: a painter
 *
 * Thread: owner
 *
 * Returns: height of a line of text in pixels, for #TsDisplayOptions and row heights
 */
int
ts_painter_get_line_height (TsPainter *self)
{
  g_return_val_if_fail (self != NULL, 16);

  return _ts_text_cache_get_line_height (self->texts);
}

static void
set_source (cairo_t *cr,
            guint32 color,
            double alpha)
{
  cairo_set_source_rgba (cr, ((color >> 16) & 0xff) / 255.0, ((color >> 8) & 0xff) / 255.0,
                         (color & 0xff) / 255.0, alpha);
}

static double
get_glass_alpha (guint ink,
                 guint color)
{
  switch (ink)
    {
    case TS_INK_LOSS:
      return color != 0 ? 0.25 : 0.6;
    case TS_INK_HOVER:
      return 0.08;
    case TS_INK_DIM_TEXT:
      return 0.5;
    case TS_INK_BACKGROUND:
      return 0.7;
    default:
      return 0.2;
    }
}

/* Rectangles of one colour become one path, in the order of the list. */
typedef struct
{
  cairo_t *cr;
  guint32 color;
  gboolean is_open;
  gboolean is_clipped;
} Batch;

static void
flush_batch (Batch *batch)
{
  if (!batch->is_open)
    return;
  batch->is_open = FALSE;
  cairo_set_antialias (batch->cr, CAIRO_ANTIALIAS_NONE);
  set_source (batch->cr, batch->color, 1);
  cairo_fill (batch->cr);
}

static void
add_to_batch (Batch *batch,
              guint32 color,
              double x,
              double y,
              double width,
              double height)
{
  if (batch->is_open && batch->color != color)
    flush_batch (batch);
  batch->is_open = TRUE;
  batch->color = color;
  cairo_rectangle (batch->cr, x, y, width, height);
}

static void
rounded_rectangle (cairo_t *cr,
                   double x,
                   double y,
                   double width,
                   double height,
                   double radius)
{
  radius = MIN (radius, MIN (width, height) / 2);
  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - radius, y + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, x + width - radius, y + height - radius, radius, 0, G_PI_2);
  cairo_arc (cr, x + radius, y + height - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static void
paint_text (TsPainter *self,
            cairo_t *cr,
            const TsItem *item,
            const char *text,
            guint align,
            guint32 color)
{
  int text_width, text_height;
  PangoLayout *layout;
  double x = item->x;

  if (item->width < 1 || text[0] == '\0')
    return;
  layout = _ts_text_cache_get (self->texts, text, item->flags, (int) item->width, &text_width,
                               &text_height);
  if (align == 1)
    x += floor ((item->width - text_width) / 2);
  else if (align == 2)
    x += item->width - text_width;
  set_source (cr, color, 1);
  cairo_move_to (cr, x, item->y + floor ((item->height - text_height) / 2));
  pango_cairo_show_layout (cr, layout);
  cairo_new_path (cr);
}

/* Black or white, whichever can be read on a colour (relative luminance as in WCAG 2, coarse). */
static guint32
get_contrast (guint32 color)
{
  double luminance = 0.2126 * pow (((color >> 16) & 0xff) / 255.0, 2.2)
                     + 0.7152 * pow (((color >> 8) & 0xff) / 255.0, 2.2)
                     + 0.0722 * pow ((color & 0xff) / 255.0, 2.2);

  return luminance > 0.3 ? 0xff1c1c1c : 0xffffffff;
}

/* The shape of a pill of whole pixels, made once. */
static cairo_surface_t *
get_pill_mask (TsPainter *self,
               int width,
               int height)
{
  PillShape *shape = NULL;
  cairo_t *cr;

  for (guint i = 0; i < MAX_PILLS; i++)
    if (self->pills[i].mask != NULL && self->pills[i].width == width
        && self->pills[i].height == height)
      return self->pills[i].mask;
  shape = &self->pills[self->next_pill];
  self->next_pill = (self->next_pill + 1) % MAX_PILLS;
  g_clear_pointer (&shape->mask, cairo_surface_destroy);
  shape->width = width;
  shape->height = height;
  shape->mask = cairo_image_surface_create (CAIRO_FORMAT_A8, width, height);
  cr = cairo_create (shape->mask);
  rounded_rectangle (cr, 0, 0, width, height, height / 2.0);
  cairo_fill (cr);
  cairo_destroy (cr);
  return shape->mask;
}

/* @is_raster: on whole pixels of an image, with a shape that is kept: a tenth of a path's cost. */
static void
paint_pill (TsPainter *self,
            cairo_t *cr,
            const TsItem *item,
            const char *text,
            gboolean is_raster)
{
  guint32 color = _ts_colors_get (&self->colors, item->ink, 0);
  TsItem label = *item;

  set_source (cr, color, 1);
  if (is_raster && item->width >= 1 && item->height >= 1)
    {
      label.width = ceilf (item->width);
      label.height = ceilf (item->height);
      label.x = floorf (item->x);
      label.y = floorf (item->y);
      cairo_mask_surface (cr, get_pill_mask (self, (int) label.width, (int) label.height), label.x,
                          label.y);
    }
  else
    {
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
      rounded_rectangle (cr, item->x, item->y, item->width, item->height, item->height / 2);
      cairo_fill (cr);
    }
  label.x += 4;
  label.width -= 8;
  paint_text (self, cr, &label, text, 1,
              item->ink == TS_INK_PILL ? self->colors.ink[TS_INK_DIM_TEXT] : get_contrast (color));
}

static void
paint_hatch (TsPainter *self,
             cairo_t *cr,
             const TsItem *item)
{
  guint32 color = _ts_colors_get (&self->colors, item->ink, item->color);

  cairo_save (cr);
  cairo_rectangle (cr, item->x, item->y, item->width, item->height);
  cairo_clip (cr);
  set_source (cr, color, 0.2);
  cairo_paint (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_line_width (cr, 2);
  for (double x = floor ((item->x - item->height) / 8) * 8; x < item->x + item->width; x += 8)
    {
      cairo_move_to (cr, x, item->y + item->height);
      cairo_line_to (cr, x + item->height, item->y);
    }
  set_source (cr, color, 0.7);
  cairo_stroke (cr);
  cairo_rectangle (cr, item->x + 0.5, item->y + 0.5, item->width - 1, item->height - 1);
  cairo_set_line_width (cr, 1);
  set_source (cr, color, 1);
  cairo_stroke (cr);
  cairo_restore (cr);
}

/* As the raster does it, in paths. */
static void
paint_stripes (TsPainter *self,
               cairo_t *cr,
               const TsItem *item)
{
  cairo_save (cr);
  cairo_rectangle (cr, item->x, item->y, item->width, item->height);
  cairo_clip (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_line_width (cr, 1);
  set_source (cr, self->colors.ink[TS_INK_TEXT], TS_STRIPES_ALPHA);
  for (double x = floor ((item->x - item->height) / TS_STRIPES_STEP) * TS_STRIPES_STEP;
       x < item->x + item->width; x += TS_STRIPES_STEP)
    {
      cairo_move_to (cr, x, item->y + item->height);
      cairo_line_to (cr, x + item->height, item->y);
    }
  cairo_rectangle (cr, item->x + 0.5, item->y + 0.5, MAX (item->width - 1, 0.5),
                   MAX (item->height - 1, 0.5));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
paint_polyline (TsPainter *self,
                cairo_t *cr,
                const TsItem *item,
                const TsPaintPoint *points)
{
  cairo_new_path (cr);
  for (guint i = 0; i < item->n; i++)
    {
      const TsPaintPoint *point = &points[item->first + i];

      cairo_line_to (cr, point->x, point->y_min);
      if (point->y_max > point->y_min)
        cairo_line_to (cr, point->x, point->y_max);
    }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_line_width (cr, 1.5);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  set_source (cr, _ts_colors_get (&self->colors, item->ink, item->color), 1);
  cairo_stroke (cr);
}

static void
paint_shape (TsPainter *self,
             cairo_t *cr,
             const TsItem *item)
{
  double x = item->x, y = item->y, width = item->width, height = item->height;

  cairo_new_path (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  set_source (cr, _ts_colors_get (&self->colors, item->ink, item->color),
              (item->flags & TS_ITEM_GLASS) != 0 ? 0.5 : 1);
  switch (item->type)
    {
    case TS_ITEM_OUTLINE:
      rounded_rectangle (cr, x + 0.75, y + 0.75, MAX (width - 1.5, 0.5), MAX (height - 1.5, 0.5),
                         2.5);
      cairo_set_line_width (cr, 1.5);
      cairo_stroke (cr);
      break;
    case TS_ITEM_LINE:
      cairo_move_to (cr, x + 0.5, y + 0.5);
      cairo_line_to (cr, x + width + 0.5, y + height + 0.5);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      break;
    case TS_ITEM_MARKER:
      cairo_move_to (cr, x, y);
      cairo_line_to (cr, x + width / 2, y + height / 2);
      cairo_line_to (cr, x, y + height);
      cairo_line_to (cr, x - width / 2, y + height / 2);
      cairo_close_path (cr);
      cairo_fill (cr);
      break;
    case TS_ITEM_TRIANGLE:
      if (item->color != 0 && (item->flags & TS_ITEM_MIRRORED) != 0)
        {
          cairo_move_to (cr, x + width * 0.8, y);
          cairo_line_to (cr, x + width * 0.1, y + height / 2);
          cairo_line_to (cr, x + width * 0.8, y + height);
        }
      else if (item->color != 0)
        {
          cairo_move_to (cr, x + width * 0.2, y);
          cairo_line_to (cr, x + width * 0.9, y + height / 2);
          cairo_line_to (cr, x + width * 0.2, y + height);
        }
      else
        {
          cairo_move_to (cr, x, y + height * 0.2);
          cairo_line_to (cr, x + width, y + height * 0.2);
          cairo_line_to (cr, x + width / 2, y + height * 0.9);
        }
      cairo_close_path (cr);
      cairo_fill (cr);
      break;
    default:
      break;
    }
}

/* Columns as rectangles: neighbours of the same look are one. */
static void
paint_columns (TsPainter *self,
               Batch *batch,
               const TsItem *item,
               const TsPaintColumn *columns)
{
  for (guint part = 0; part < 4; part++)
    {
      guint32 color = 0;
      guint first = 0, low = 0, high = 0;

      for (guint i = 0; i <= item->n; i++)
        {
          guint next_low = 0, next_high = 0;
          guint32 next_color = 0;

          if (i < item->n)
            {
              const TsPaintColumn *column = &columns[item->first + i];

              for (guint j = 0; j < part; j++)
                next_low += column->height[j];
              next_high = next_low + column->height[part];
              next_color = _ts_colors_get (&self->colors, column->ink[part], column->color[part]);
              if (column->ink[part] == TS_INK_BACKGROUND || column->height[part] == 0)
                next_low = next_high = next_color = 0;
            }
          if (next_low == low && next_high == high && next_color == color)
            continue;
          if (high > low)
            add_to_batch (batch, color, item->x + first,
                          item->y + item->height * (1 - high / 255.0), i - first,
                          item->height * (high - low) / 255.0);
          first = i;
          low = next_low;
          high = next_high;
          color = next_color;
        }
    }
}

static void
paint_rect (TsPainter *self,
            Batch *batch,
            const TsItem *item)
{
  guint32 color = _ts_colors_get (&self->colors, item->ink, item->color);

  if ((item->flags & TS_ITEM_GLASS) != 0)
    {
      flush_batch (batch);
      cairo_set_antialias (batch->cr, CAIRO_ANTIALIAS_NONE);
      cairo_rectangle (batch->cr, item->x, item->y, item->width, item->height);
      set_source (batch->cr, color, get_glass_alpha (item->ink, item->color));
      cairo_fill (batch->cr);
    }
  else if ((item->flags & TS_ITEM_DOTTED) != 0)
    {
      double dashes[] = { 2, 2 };

      flush_batch (batch);
      cairo_save (batch->cr);
      cairo_set_antialias (batch->cr, CAIRO_ANTIALIAS_NONE);
      cairo_set_dash (batch->cr, dashes, 2, fmod (item->x, 4));
      cairo_set_line_width (batch->cr, item->height);
      cairo_move_to (batch->cr, item->x, item->y + item->height / 2);
      cairo_line_to (batch->cr, item->x + item->width, item->y + item->height / 2);
      set_source (batch->cr, color, 1);
      cairo_stroke (batch->cr);
      cairo_restore (batch->cr);
    }
  else
    {
      add_to_batch (batch, color, item->x, item->y, item->width, item->height);
    }
}

static void
paint_clip (Batch *batch,
            const TsItem *item)
{
  flush_batch (batch);
  if (batch->is_clipped)
    cairo_restore (batch->cr);
  batch->is_clipped = item != NULL && item->width > 0;
  if (!batch->is_clipped)
    return;
  cairo_save (batch->cr);
  cairo_rectangle (batch->cr, item->x, item->y, item->width, item->height);
  cairo_clip (batch->cr);
}

/**
 * ts_painter_paint:
 * @self: a painter
 * @list: what to paint
 * @cr: where to; scaled and moved as the caller likes
 * @vector: %TRUE: paths only (SVG, PDF); %FALSE: as fast as the target allows
 *
 * Paints a display list.
 *
 * Cost: about a memory copy of the picture, and some microseconds per text
 * Thread: owner
 */
void
ts_painter_paint (TsPainter *self,
                  TsDisplayList *list,
                  cairo_t *cr,
                  gboolean vector)
{
  const TsPaintColumn *columns;
  const TsPaintPoint *points;
  const TsItem *items;
  gboolean is_raster = FALSE;
  Batch batch = { cr, 0, FALSE, FALSE };
  TsRaster raster;
  guint n;

  g_return_if_fail (self != NULL && list != NULL && cr != NULL);

  if (!vector && _ts_raster_begin (&raster, cr))
    {
      is_raster = TRUE;
      _ts_raster_paint (&raster, list, &self->colors);
      _ts_raster_end (&raster);
    }
  cairo_save (cr);
  cairo_new_path (cr);
  items = ts_display_list_get_items (list, &n);
  columns = ts_display_list_get_columns (list);
  points = ts_display_list_get_points (list);
  for (guint i = 0; i < n; i++)
    {
      const TsItem *item = &items[i];
      const char *text;

      if (is_raster && (item->type == TS_ITEM_COLUMNS ||
                        (item->type == TS_ITEM_RECT && (item->flags & TS_ITEM_GLASS) == 0)))
        continue;
      if (_ts_colors_has_stripes (&self->colors, item))
        {
          paint_rect (self, &batch, item);
          flush_batch (&batch);
          paint_stripes (self, cr, item);
          continue;
        }
      if (item->type != TS_ITEM_RECT && item->type != TS_ITEM_COLUMNS)
        flush_batch (&batch);
      switch ((TsItemType) item->type)
        {
        case TS_ITEM_RECT:
          paint_rect (self, &batch, item);
          break;
        case TS_ITEM_COLUMNS:
          paint_columns (self, &batch, item, columns);
          break;
        case TS_ITEM_CLIP:
          paint_clip (&batch, item);
          break;
        case TS_ITEM_TEXT:
          text = ts_display_list_get_text (list, item);
          if (item->ink == TS_INK_LANE || item->ink == TS_INK_IDLE ||
              item->ink == TS_INK_STATE_RUNNING)
            paint_text (self, cr, item, text, 0,
                        get_contrast (_ts_colors_get (&self->colors, item->ink, item->color)));
          else
            paint_text (self, cr, item, text, item->color,
                        _ts_colors_get (&self->colors, item->ink, 0));
          break;
        case TS_ITEM_PILL:
          paint_pill (self, cr, item, ts_display_list_get_text (list, item),
                      is_raster && raster.scale_x == 1 && raster.scale_y == 1);
          break;
        case TS_ITEM_HATCH:
          paint_hatch (self, cr, item);
          break;
        case TS_ITEM_POLYLINE:
          paint_polyline (self, cr, item, points);
          break;
        case TS_ITEM_OUTLINE:
        case TS_ITEM_LINE:
        case TS_ITEM_MARKER:
        case TS_ITEM_TRIANGLE:
          paint_shape (self, cr, item);
          break;
        }
    }
  paint_clip (&batch, NULL);
  cairo_restore (cr);
}
