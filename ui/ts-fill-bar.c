/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include "ui/ts-fill-bar.h"

#define BAR_HEIGHT 8
/* Above this share the buffer is about to lose data. */
#define CRITICAL_FILL 0.9
#define WARNING_FILL 0.7

struct _TsFillBar
{
  GtkWidget parent_instance;

  double fill;
  double high_water;
  gboolean is_goal;
};

G_DEFINE_FINAL_TYPE (TsFillBar, ts_fill_bar, GTK_TYPE_WIDGET)

static void
look_up (GtkWidget *widget,
         const char *name,
         GdkRGBA *color)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);

  if (!gtk_style_context_lookup_color (context, name, color))
    gtk_style_context_get_color (context, color);
}

static void
ts_fill_bar_snapshot (GtkWidget *widget,
                      GtkSnapshot *snapshot)
{
  TsFillBar *self = TS_FILL_BAR (widget);
  int width = gtk_widget_get_width (widget);
  int y = (gtk_widget_get_height (widget) - BAR_HEIGHT) / 2;
  double share = CLAMP (self->fill, 0.0, 1.0);
  double high = CLAMP (self->high_water, 0.0, 1.0);
  GskRoundedRect shape;
  GdkRGBA color;
  GdkRGBA text;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &text);
  color = text;
  color.alpha *= 0.15;
  gsk_rounded_rect_init_from_rect (&shape, &GRAPHENE_RECT_INIT (0, y, width, BAR_HEIGHT),
                                   BAR_HEIGHT / 2.0);
  gtk_snapshot_push_rounded_clip (snapshot, &shape);
  gtk_snapshot_append_color (snapshot, &color, &shape.bounds);
  look_up (widget,
           self->is_goal           ? "accent_bg_color"
           : share >= CRITICAL_FILL ? "error_bg_color"
           : share >= WARNING_FILL ? "warning_bg_color"
                                   : "success_bg_color",
           &color);
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT (0, y, (float) (width * share), BAR_HEIGHT));
  gtk_snapshot_pop (snapshot);
  if (high > 0.0)
    {
      text.alpha *= 0.7;
      gtk_snapshot_append_color (
          snapshot, &text,
          &GRAPHENE_RECT_INIT ((float) MIN (width - 1, (int) (width * high)), y - 3, 1,
                               BAR_HEIGHT + 6));
    }
}

static void
ts_fill_bar_measure (GtkWidget *widget,
                     GtkOrientation orientation,
                     int for_size,
                     int *minimum,
                     int *natural,
                     int *minimum_baseline,
                     int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 60 : BAR_HEIGHT + 8;
}

static void
ts_fill_bar_class_init (TsFillBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = ts_fill_bar_snapshot;
  widget_class->measure = ts_fill_bar_measure;
  gtk_widget_class_set_css_name (widget_class, "fillbar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_METER);
}

static void
ts_fill_bar_init (TsFillBar *self)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, 0.0, -1);
}

/**
 * ts_fill_bar_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty bar
 */
GtkWidget *
ts_fill_bar_new (void)
{
  return g_object_new (TS_TYPE_FILL_BAR, NULL);
}

/**
 * ts_fill_bar_set:
 * @self: a bar
 * @fill: share in use, 0 to 1
 * @high_water: largest share so far, 0 to 1
 *
 * Thread: main
 */
void
ts_fill_bar_set (TsFillBar *self,
                 double fill,
                 double high_water)
{
  g_return_if_fail (TS_IS_FILL_BAR (self));
  if (self->fill == fill && self->high_water == high_water)
    return;
  self->fill = fill;
  self->high_water = high_water;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, fill,
                                  -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * ts_fill_bar_set_is_goal:
 * @self: a bar
 * @is_goal: being full is what is wanted, not a danger
 *
 * Thread: main
 */
void
ts_fill_bar_set_is_goal (TsFillBar *self,
                         gboolean is_goal)
{
  g_return_if_fail (TS_IS_FILL_BAR (self));
  self->is_goal = is_goal;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
