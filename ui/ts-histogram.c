/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>
#include <string.h>

#include "ui/ts-histogram.h"

#define HEIGHT 56

struct _TsHistogram
{
  GtkWidget parent_instance;

  guint64 bins[TS_HISTOGRAM_BINS];
  guint n_bins;
  guint first_outlier;
};

G_DEFINE_FINAL_TYPE (TsHistogram, ts_histogram, GTK_TYPE_WIDGET)

static void
look_up (GtkWidget *widget,
         const char *name,
         GdkRGBA *color)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);

  if (!gtk_style_context_lookup_color (context, name, color))
    gtk_style_context_get_color (context, color);
}

/* Heights are square roots: a single outlier beside thousands is still a bar one can see. */
static void
ts_histogram_snapshot (GtkWidget *widget,
                       GtkSnapshot *snapshot)
{
  TsHistogram *self = TS_HISTOGRAM (widget);
  double width = gtk_widget_get_width (widget);
  double height = gtk_widget_get_height (widget);
  guint64 most = 0;
  GdkRGBA usual;
  GdkRGBA outlier;
  guint i;

  for (i = 0; i < self->n_bins; i++)
    most = MAX (most, self->bins[i]);
  if (most == 0)
    return;
  look_up (widget, "accent_bg_color", &usual);
  look_up (widget, "error_bg_color", &outlier);
  for (i = 0; i < self->n_bins; i++)
    {
      double left = floor (width * i / self->n_bins);
      double right = floor (width * (i + 1) / self->n_bins);
      double bar = self->bins[i] > 0
                       ? MAX (2.0, round (height * sqrt ((double) self->bins[i] / (double) most)))
                       : 1.0;
      GdkRGBA color = i >= self->first_outlier ? outlier : usual;

      if (self->bins[i] == 0)
        color.alpha = 0.3f;
      gtk_snapshot_append_color (snapshot, &color,
                                 &GRAPHENE_RECT_INIT ((float) left, (float) (height - bar),
                                                      (float) MAX (1.0, right - left - 1.0),
                                                      (float) bar));
    }
}

static void
ts_histogram_measure (GtkWidget *widget,
                      GtkOrientation orientation,
                      int for_size,
                      int *minimum,
                      int *natural,
                      int *minimum_baseline,
                      int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? TS_HISTOGRAM_BINS * 2 : HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? TS_HISTOGRAM_BINS * 6 : HEIGHT;
}

static void
ts_histogram_class_init (TsHistogramClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = ts_histogram_snapshot;
  widget_class->measure = ts_histogram_measure;
  gtk_widget_class_set_css_name (widget_class, "histogram");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
ts_histogram_init (TsHistogram *self)
{
}

/**
 * ts_histogram_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty histogram
 */
GtkWidget *
ts_histogram_new (void)
{
  return g_object_new (TS_TYPE_HISTOGRAM, NULL);
}

/**
 * ts_histogram_set:
 * @self: a histogram
 * @bins: (array length=n_bins): how many fall into each bin
 * @n_bins: at most %TS_HISTOGRAM_BINS
 * @first_outlier: bins from this one on are marked
 *
 * Thread: main
 */
void
ts_histogram_set (TsHistogram *self,
                  const guint64 *bins,
                  guint n_bins,
                  guint first_outlier)
{
  g_return_if_fail (TS_IS_HISTOGRAM (self));
  g_return_if_fail (n_bins <= TS_HISTOGRAM_BINS);
  if (self->n_bins == n_bins && self->first_outlier == first_outlier &&
      memcmp (self->bins, bins, n_bins * sizeof bins[0]) == 0)
    return;
  memcpy (self->bins, bins, n_bins * sizeof bins[0]);
  self->n_bins = n_bins;
  self->first_outlier = first_outlier;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
