/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-painter-private.h: what the files of the painter share: colours, the raster target, the
 * layouts. */
#pragma once

#include <pango/pangocairo.h>

#include "ts-painter.h"

G_BEGIN_DECLS

/** Colour tables, 0xFFRRGGBB, mixed when the palette is set. */
typedef struct
{
  guint32 ink[TS_N_INKS];
  guint32 lane[16];
  guint32 lane_tint[16];
  guint32 lane_line[16];
  guint32 lane_faint[16];
  guint32 isr[4];
  guint32 isr_tint[4];
  guint n_lane;
  gboolean is_high_contrast;
} TsColors;

void _ts_colors_init (TsColors *colors,
                      const TsPalette *palette);
guint32 _ts_colors_mix (guint32 below,
                        guint32 above,
                        double share);

static inline guint32
_ts_colors_get (const TsColors *colors,
                guint ink,
                guint color)
{
  switch (ink)
    {
    case TS_INK_LANE:
      return colors->lane[color % colors->n_lane];
    case TS_INK_LANE_TINT:
      return colors->lane_tint[color % colors->n_lane];
    case TS_INK_LANE_LINE:
      return colors->lane_line[color % colors->n_lane];
    case TS_INK_LANE_FAINT:
      return colors->lane_faint[color % colors->n_lane];
    case TS_INK_LABEL_GROUND:
      return colors->is_high_contrast ? colors->ink[TS_INK_BACKGROUND]
                                      : colors->lane_tint[color % colors->n_lane];
    case TS_INK_ISR:
      return colors->isr[color % 4];
    case TS_INK_ISR_TINT:
      return colors->isr_tint[color % 4];
    default:
      return colors->ink[ink < TS_N_INKS ? ink : TS_INK_TEXT];
    }
}

/* High contrast: what is told by a tint elsewhere has stripes and an edge, not so strong that a
 * line of text beside it is less. */
#define TS_STRIPES_STEP 7
#define TS_STRIPES_ALPHA 0.6

static inline gboolean
_ts_colors_has_stripes (const TsColors *colors,
                        const TsItem *item)
{
  return colors->is_high_contrast && item->type == TS_ITEM_RECT &&
         item->ink == TS_INK_LANE_TINT && item->width >= 4;
}

/**
 * TsRaster: an image surface that pixels are written into directly.
 * @clip_x0, @clip_y0, @clip_x1, @clip_y1: device pixels that may be written
 * @scale_x, @scale_y, @offset_x, @offset_y: user to device
 */
typedef struct
{
  cairo_surface_t *surface;
  guint32 *pixels;
  int stride;
  int clip_x0;
  int clip_y0;
  int clip_x1;
  int clip_y1;
  int bound_x0;
  int bound_y0;
  int bound_x1;
  int bound_y1;
  double scale_x;
  double scale_y;
  double offset_x;
  double offset_y;
} TsRaster;

gboolean _ts_raster_begin (TsRaster *raster,
                           cairo_t *cr);
void _ts_raster_paint (TsRaster *raster,
                       TsDisplayList *list,
                       const TsColors *colors);
void _ts_raster_end (TsRaster *raster);

/** Text: a cache of layouts. */
typedef struct _TsTextCache TsTextCache;

TsTextCache *_ts_text_cache_new (void);
void _ts_text_cache_free (TsTextCache *self);
void _ts_text_cache_set_font (TsTextCache *self,
                              const char *description);
int _ts_text_cache_get_line_height (TsTextCache *self);
guint _ts_text_cache_get_n_misses (TsTextCache *self);
/** Layout of @text in at most @width pixels; borrowed until the next call. */
PangoLayout *_ts_text_cache_get (TsTextCache *self,
                                 const char *text,
                                 guint flags,
                                 int width,
                                 int *text_width,
                                 int *text_height);

G_END_DECLS
