/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include "ui/ts-text-scale.h"

/* What widths in pixels are thought for: 11 points at 96 dots per inch. */
#define USUAL_PIXELS (11.0 * 96.0 / 72.0)
#define DPI_UNITS 1024.0

/**
 * ts_text_scale_get:
 *
 * How large text is, as the desktop's font and its text size say.
 *
 * Thread: main
 *
 * Returns: 1.0 for 11 points at 96 dots per inch, 2.0 for text of twice the size
 */
double
ts_text_scale_get (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autofree char *name = NULL;
  PangoFontDescription *font;
  int dpi = 0;
  double size;

  if (settings == NULL)
    return 1.0;
  g_object_get (settings, "gtk-font-name", &name, "gtk-xft-dpi", &dpi, NULL);
  font = pango_font_description_from_string (name != NULL ? name : "");
  size = pango_font_description_get_size (font) / (double) PANGO_SCALE;
  if (!pango_font_description_get_size_is_absolute (font))
    size *= (dpi > 0 ? dpi / DPI_UNITS : 96.0) / 72.0;
  pango_font_description_free (font);
  return size > 0.0 ? CLAMP (size / USUAL_PIXELS, 0.5, 4.0) : 1.0;
}

/**
 * ts_text_scale_set_window_size:
 * @window: a dialog, not shown yet
 * @width, @height: how large it begins, in pixels, for text of the usual size
 *
 * Larger with larger text, as far as the window that it belongs to is larger.
 *
 * Thread: main
 */
void
ts_text_scale_set_window_size (GtkWindow *window,
                               int width,
                               int height)
{
  GtkWindow *parent;
  double scale = MAX (ts_text_scale_get (), 1.0);
  int most_width = 0;
  int most_height = 0;

  g_return_if_fail (GTK_IS_WINDOW (window));

  parent = gtk_window_get_transient_for (window);
  if (parent != NULL)
    {
      most_width = gtk_widget_get_width (GTK_WIDGET (parent));
      most_height = gtk_widget_get_height (GTK_WIDGET (parent));
    }
  gtk_window_set_default_size (window, MIN ((int) (width * scale), MAX (most_width, width)),
                               MIN ((int) (height * scale), MAX (most_height, height)));
}

static double
get_scale_of (GtkColumnViewColumn *column)
{
  const double *scale = g_object_get_data (G_OBJECT (column), "text-scale");

  return scale != NULL ? *scale : 1.0;
}

static void
set_scale_of (GtkColumnViewColumn *column,
              double scale)
{
  g_object_set_data_full (G_OBJECT (column), "text-scale", g_memdup2 (&scale, sizeof scale), g_free);
}

/* A column that the user made wider stays wider. */
static void
on_text_changed (GtkColumnViewColumn *column)
{
  int width = ts_text_scale_get_column_width (column);

  if (ts_text_scale_get () != get_scale_of (column))
    ts_text_scale_set_column_width (column, width);
}

/**
 * ts_text_scale_set_column_width:
 * @column: a column
 * @width: pixels at the usual size of text; -1: whatever its content needs
 *
 * Makes it as wide as that is with the text's size of today, and keeps it so when that changes.
 *
 * Thread: main
 */
void
ts_text_scale_set_column_width (GtkColumnViewColumn *column,
                                int width)
{
  GtkSettings *settings = gtk_settings_get_default ();
  double scale = ts_text_scale_get ();

  g_return_if_fail (GTK_IS_COLUMN_VIEW_COLUMN (column));

  if (settings != NULL && g_object_get_data (G_OBJECT (column), "text-scale") == NULL)
    {
      g_signal_connect_object (settings, "notify::gtk-font-name", G_CALLBACK (on_text_changed),
                               column, G_CONNECT_SWAPPED);
      g_signal_connect_object (settings, "notify::gtk-xft-dpi", G_CALLBACK (on_text_changed),
                               column, G_CONNECT_SWAPPED);
    }
  set_scale_of (column, scale);
  gtk_column_view_column_set_fixed_width (column, width < 0 ? -1 : (int) lround (width * scale));
}

/**
 * ts_text_scale_get_column_width:
 * @column: a column
 *
 * Thread: main
 *
 * Returns: its width in pixels at the usual size of text; -1: whatever its content needs
 */
int
ts_text_scale_get_column_width (GtkColumnViewColumn *column)
{
  int width;

  g_return_val_if_fail (GTK_IS_COLUMN_VIEW_COLUMN (column), -1);

  width = gtk_column_view_column_get_fixed_width (column);
  return width < 0 ? -1 : (int) lround (width / get_scale_of (column));
}
