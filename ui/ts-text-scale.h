/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-text-scale.h: widths that grow with the text. Style sheets say them in em; columns of tables have
 * theirs in pixels.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

double ts_text_scale_get (void);
void ts_text_scale_set_window_size (GtkWindow *window,
                                    int width,
                                    int height);
void ts_text_scale_set_column_width (GtkColumnViewColumn *column,
                                     int width);
int ts_text_scale_get_column_width (GtkColumnViewColumn *column);

G_END_DECLS
