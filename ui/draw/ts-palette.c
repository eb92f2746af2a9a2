/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-palette.c: the colours of the timeline: quiet grounds, one accent, colour for tasks. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include "ts-painter-private.h"

#define LANE_COLORS \
  { 0x1c71d8, 0x26a269, 0xe5a50a, 0xc64600, 0x2aa1b3, 0xd56199, \
    0x986a44, 0x7d8f2f, 0x6f6bdb, 0x16806f, 0xe0905f, 0x62a0ea }

static const TsPalette palettes[2][2] = {
  /* light */
  {
    {
      .ink = {
        [TS_INK_BACKGROUND] = 0xffffff, [TS_INK_HEADER_BACKGROUND] = 0xf4f4f4,
        [TS_INK_GRID] = 0xebebeb,
        [TS_INK_TEXT] = 0x1c1c1c, [TS_INK_DIM_TEXT] = 0x6a6a6a, [TS_INK_LANE] = 0x1c71d8,
        [TS_INK_LANE_TINT] = 0xbdd5f4, [TS_INK_LANE_LINE] = 0x99bfed, [TS_INK_IDLE] = 0x9a9996,
        [TS_INK_ISR] = 0x9141ac, [TS_INK_LOSS] = 0xe01b24, [TS_INK_SELECTION] = 0x3584e4,
        [TS_INK_ACCENT] = 0x3584e4, [TS_INK_CURSOR] = 0x1c1c1c, [TS_INK_BORDER] = 0xd0d0d0,
        [TS_INK_PILL] = 0xd9d9d9, [TS_INK_OVERVIEW] = 0xb4d1f5,
        [TS_INK_HOVER] = 0x1c1c1c, [TS_INK_OTHER] = 0xc0bfbc,
        [TS_INK_STATE_RUNNING] = 0x2ec27e, [TS_INK_STATE_READY] = 0xf5c211,
        [TS_INK_STATE_BLOCKED] = 0xe66100, [TS_INK_STATE_SLEEPING] = 0x77767b,
      },
      .lane = LANE_COLORS, .n_lane = 12, .is_high_contrast = FALSE, .is_dark = FALSE,
      .isr = { 0x9141ac, 0xc061cb, 0x813d9c, 0xa0508c },
    },
    {
      .ink = {
        [TS_INK_BACKGROUND] = 0xffffff, [TS_INK_HEADER_BACKGROUND] = 0xe6e6e6,
        [TS_INK_GRID] = 0xb8b8b8,
        [TS_INK_TEXT] = 0x000000, [TS_INK_DIM_TEXT] = 0x2e2e2e, [TS_INK_LANE] = 0x0b4ea2,
        [TS_INK_LANE_TINT] = 0x85a6d0, [TS_INK_LANE_LINE] = 0x0b4ea2, [TS_INK_IDLE] = 0x6a6a6a,
        [TS_INK_ISR] = 0x613583, [TS_INK_LOSS] = 0xc01c28, [TS_INK_SELECTION] = 0x1a5fb4,
        [TS_INK_ACCENT] = 0x1a5fb4, [TS_INK_CURSOR] = 0x000000, [TS_INK_BORDER] = 0x6a6a6a,
        [TS_INK_PILL] = 0xc8c8c8, [TS_INK_OVERVIEW] = 0x4a7fc4,
        [TS_INK_HOVER] = 0x000000, [TS_INK_OTHER] = 0x8a8a8a,
        [TS_INK_STATE_RUNNING] = 0x0f6b41, [TS_INK_STATE_READY] = 0x8f6400,
        [TS_INK_STATE_BLOCKED] = 0x9a3400, [TS_INK_STATE_SLEEPING] = 0x5e5c64,
      },
      .lane = { 0x0b4ea2, 0x0f6b41, 0x8f6400, 0x9a3400, 0x0d6a78, 0xa02c62,
                0x63452c, 0x55631a, 0x4a45b0, 0x0b574b, 0xa2552a, 0x2a6cb8 },
      .n_lane = 12, .is_high_contrast = TRUE, .is_dark = FALSE,
      .isr = { 0x613583, 0x8a2f97, 0x4f2a70, 0x7b2f66 },
    },
  },
  /* dark */
  {
    {
      .ink = {
        [TS_INK_BACKGROUND] = 0x1e1e1e, [TS_INK_HEADER_BACKGROUND] = 0x2a2a2a,
        [TS_INK_GRID] = 0x2f2f2f,
        [TS_INK_TEXT] = 0xeeeeee, [TS_INK_DIM_TEXT] = 0x9a9a9a, [TS_INK_LANE] = 0x1c71d8,
        [TS_INK_LANE_TINT] = 0x1d3857, [TS_INK_LANE_LINE] = 0x1d4571, [TS_INK_IDLE] = 0x9a9996,
        [TS_INK_ISR] = 0x9141ac, [TS_INK_LOSS] = 0xe01b24, [TS_INK_SELECTION] = 0x3584e4,
        [TS_INK_ACCENT] = 0x3584e4, [TS_INK_CURSOR] = 0xeeeeee, [TS_INK_BORDER] = 0x484848,
        [TS_INK_PILL] = 0x3d3d3d, [TS_INK_OVERVIEW] = 0x264263,
        [TS_INK_HOVER] = 0xffffff, [TS_INK_OTHER] = 0x5e5c64,
        [TS_INK_STATE_RUNNING] = 0x2ec27e, [TS_INK_STATE_READY] = 0xe5a50a,
        [TS_INK_STATE_BLOCKED] = 0xe66100, [TS_INK_STATE_SLEEPING] = 0x9a9996,
      },
      .lane = LANE_COLORS, .n_lane = 12, .is_high_contrast = FALSE, .is_dark = TRUE,
      .isr = { 0x9141ac, 0xc061cb, 0x813d9c, 0xa0508c },
    },
    {
      .ink = {
        [TS_INK_BACKGROUND] = 0x000000, [TS_INK_HEADER_BACKGROUND] = 0x1c1c1c,
        [TS_INK_GRID] = 0x484848,
        [TS_INK_TEXT] = 0xffffff, [TS_INK_DIM_TEXT] = 0xd8d8d8, [TS_INK_LANE] = 0x62a0ea,
        [TS_INK_LANE_TINT] = 0x315075, [TS_INK_LANE_LINE] = 0x62a0ea, [TS_INK_IDLE] = 0xb8b8b8,
        [TS_INK_ISR] = 0xdc8add, [TS_INK_LOSS] = 0xff5c62, [TS_INK_SELECTION] = 0x62a0ea,
        [TS_INK_ACCENT] = 0x62a0ea, [TS_INK_CURSOR] = 0xffffff, [TS_INK_BORDER] = 0x9a9a9a,
        [TS_INK_PILL] = 0x4a4a4a, [TS_INK_OVERVIEW] = 0x4a7fc4,
        [TS_INK_HOVER] = 0xffffff, [TS_INK_OTHER] = 0x8a8a8a,
        [TS_INK_STATE_RUNNING] = 0x57e389, [TS_INK_STATE_READY] = 0xf8e45c,
        [TS_INK_STATE_BLOCKED] = 0xffa348, [TS_INK_STATE_SLEEPING] = 0xc0bfbc,
      },
      .lane = { 0x62a0ea, 0x57e389, 0xf8e45c, 0xffa348, 0x5bd6e6, 0xff9ac4,
                0xd2a679, 0xc3d65c, 0xaaa7ff, 0x52cdb8, 0xffbe98, 0x99c1f1 },
      .n_lane = 12, .is_high_contrast = TRUE, .is_dark = TRUE,
      .isr = { 0xdc8add, 0xe9aef0, 0xc67ad8, 0xe58ac4 },
    },
  },
};

/**
 * ts_palette_get_default:
 * @dark: for a dark window
 * @high_contrast: for people who need more contrast
 *
 * Thread: any
 *
 * Returns: (transfer none): colours that go with the desktop's style
 */
const TsPalette *
ts_palette_get_default (gboolean dark,
                        gboolean high_contrast)
{
  return &palettes[!!dark][!!high_contrast];
}

guint32
_ts_colors_mix (guint32 below,
                guint32 above,
                double share)
{
  guint32 color = 0xff000000;

  for (guint shift = 0; shift < 24; shift += 8)
    {
      double a = (below >> shift) & 0xff;
      double b = (above >> shift) & 0xff;

      color |= (guint32) (a + (b - a) * share + 0.5) << shift;
    }
  return color;
}

void
_ts_colors_init (TsColors *colors,
                 const TsPalette *palette)
{
  guint32 ground = palette->ink[TS_INK_BACKGROUND];
  double tint = palette->is_high_contrast ? 0.5 : 0.32;
  double line = palette->is_high_contrast ? 1.0 : 0.5;

  colors->is_high_contrast = palette->is_high_contrast;
  colors->n_lane = CLAMP (palette->n_lane, 1, 16);
  for (guint i = 0; i < TS_N_INKS; i++)
    colors->ink[i] = 0xff000000 | palette->ink[i];
  for (guint i = 0; i < colors->n_lane; i++)
    {
      colors->lane[i] = 0xff000000 | palette->lane[i];
      colors->lane_tint[i] = _ts_colors_mix (ground, palette->lane[i], tint);
      colors->lane_line[i] = _ts_colors_mix (ground, palette->lane[i], line);
      colors->lane_faint[i] = _ts_colors_mix (ground, palette->lane[i], tint * 0.45);
    }
  for (guint i = 0; i < 4; i++)
    {
      colors->isr[i] = 0xff000000 | palette->isr[i];
      colors->isr_tint[i] = _ts_colors_mix (ground, palette->isr[i], tint * 0.7);
    }
}
