/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-painter.h: paints a display list with Cairo: into a kept image surface (window), PNG, SVG.
 */
#pragma once

#include <cairo.h>

#include "model/ts-export.h"

#include "ts-display-list.h"

G_BEGIN_DECLS

/**
 * TsPalette:
 * @ink: colour of each ink as 0xRRGGBB
 * @lane: colours of lanes (index modulo @n_lane)
 * @n_lane: how many
 * @is_high_contrast: patterns and outlines beside colour
 * @isr: colours of interrupts (index modulo 4)
 *
 * Tints and lines of lanes are mixed from @lane and the background.
 */
typedef struct
{
  guint32 ink[TS_N_INKS];
  guint32 lane[16];
  guint n_lane;
  gboolean is_high_contrast;
  gboolean is_dark;
  guint32 isr[4];
} TsPalette;

typedef struct _TsPainter TsPainter;

const TsPalette *ts_palette_get_default (gboolean dark,
                                         gboolean high_contrast);
TsPainter *ts_painter_new (void);
void ts_painter_free (TsPainter *self);
void ts_painter_set_palette (TsPainter *self,
                             const TsPalette *palette);
void ts_painter_set_font (TsPainter *self,
                          const char *pango_font_description);
int ts_painter_get_line_height (TsPainter *self);
/* @vector: paths only, for SVG and PDF; else dense lanes are written straight into an image surface
 */
void ts_painter_paint (TsPainter *self,
                       TsDisplayList *list,
                       cairo_t *cr,
                       gboolean vector);

/**
 * TsPictureOptions: a picture without a display, of the whole recording or a range of it.
 * @format: "png", "svg" or "pdf"
 * @width: pixels; 0: 1600
 * @height: pixels; 0: as high as the lanes need; negative: 900
 * @t_start_us, @t_end_us: microseconds; -1: begin and end of the recording
 * @lanes: (nullable): only these lanes, see ts_view_state_set_lane_filter()
 * @dark: dark palette
 * @high_contrast: palette of high contrast
 * @view: (nullable): drawn as it is; range, lanes, their order and heights are then its own, and
 *   @height is that of the timeline: title and legend are added
 * @progress: (nullable): of ts_picture_export(), told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): of ts_picture_export(), ends it; nothing is left
 */
typedef struct
{
  const char *format;  /* "png", "svg" or "pdf" */
  int width;
  int height;
  gint64 t_start_us;   /* -1: begin */
  gint64 t_end_us;     /* -1: end */
  const char * const *lanes;
  gboolean dark;
  gboolean high_contrast;
  TsViewState *view;
  TsExportProgress progress;
  gpointer user_data;
  GCancellable *cancellable;
} TsPictureOptions;

typedef struct _TsPicture TsPicture;

TsPicture *ts_picture_new (TsRecording *recording,
                           const char *path,
                           const TsPictureOptions *options,
                           GError **error);
gboolean ts_picture_write (TsPicture *self,
                           TsExportProgress progress,
                           gpointer user_data,
                           GCancellable *cancellable,
                           GError **error);
void ts_picture_free (TsPicture *self);
gboolean ts_picture_export (TsRecording *recording,
                            const char *path,
                            const TsPictureOptions *options,
                            GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPicture, ts_picture_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsPainter, ts_painter_free)

G_END_DECLS
