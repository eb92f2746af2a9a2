/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-picture-private.h: parts of a picture. Private to the drawing library. */
#pragma once

#include "ts-display-list-private.h"
#include "ts-painter.h"

G_BEGIN_DECLS

void _ts_picture_paint_legend (TsPainter *painter,
                               TsViewState *view,
                               cairo_t *cr,
                               int width,
                               int height,
                               int line_height,
                               gboolean vector);

G_END_DECLS
