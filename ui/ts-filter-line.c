/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-filter-line.h"

struct _TsFilterLine
{
  GtkWidget parent_instance;

  GtkWidget *revealer;
  GtkWidget *chips;
};

enum
{
  SIGNAL_REMOVE,
  SIGNAL_SHOW_LANES,
  SIGNAL_CLEAR,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsFilterLine, ts_filter_line, GTK_TYPE_WIDGET)

static void
on_chip (GtkButton *button,
         TsFilterLine *self)
{
  const char *text = g_object_get_data (G_OBJECT (button), "filter");
  g_autofree char *copy = g_strdup (text);

  /* the chip may be gone before the signal is over */
  if (copy != NULL)
    g_signal_emit (self, signals[SIGNAL_REMOVE], 0, copy);
  else
    g_signal_emit (self, signals[SIGNAL_SHOW_LANES], 0);
}

static void
on_clear (TsFilterLine *self)
{
  g_signal_emit (self, signals[SIGNAL_CLEAR], 0);
}

static void
add_chip (TsFilterLine *self,
          const char *label,
          const char *filter,
          const char *tooltip)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_box_append (GTK_BOX (box), gtk_label_new (label));
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("window-close-symbolic"));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "chip");
  gtk_widget_set_tooltip_text (button, tooltip);
  if (filter != NULL)
    g_object_set_data_full (G_OBJECT (button), "filter", g_strdup (filter), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_chip), self, 0);
  gtk_box_append (GTK_BOX (self->chips), button);
}

static void
add_label (TsFilterLine *self,
           const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_widget_add_css_class (label, "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, text);
  gtk_box_append (GTK_BOX (self->chips), label);
}

static void
ts_filter_line_dispose (GObject *object)
{
  g_clear_pointer (&TS_FILTER_LINE (object)->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (ts_filter_line_parent_class)->dispose (object);
}

static void
ts_filter_line_class_init (TsFilterLineClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_filter_line_dispose;
  signals[SIGNAL_REMOVE] =
      g_signal_new ("remove", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_SHOW_LANES] = g_signal_new ("show-lanes", G_TYPE_FROM_CLASS (klass),
                                             G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CLEAR] = g_signal_new ("clear", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
ts_filter_line_init (TsFilterLine *self)
{
  self->chips = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_add_css_class (self->chips, "filter-line");
  self->revealer = gtk_revealer_new ();
  gtk_revealer_set_child (GTK_REVEALER (self->revealer), self->chips);
  gtk_widget_set_visible (self->revealer, FALSE);
  gtk_widget_set_parent (self->revealer, GTK_WIDGET (self));
}

/**
 * ts_filter_line_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a line of nothing
 */
GtkWidget *
ts_filter_line_new (void)
{
  return g_object_new (TS_TYPE_FILTER_LINE, NULL);
}

/**
 * ts_filter_line_update:
 * @self: a line
 * @scope: (nullable): what the filters hold for, if not for everything
 * @filters: (array zero-terminated=1): texts of the filters
 * @note: (nullable): what else is to be known of them
 * @n_hidden: how many lanes are hidden besides
 *
 * Thread: main
 */
void
ts_filter_line_update (TsFilterLine *self,
                       const char *scope,
                       const char * const *filters,
                       const char *note,
                       guint n_hidden)
{
  gboolean has_any = filters[0] != NULL || n_hidden > 0;
  GtkWidget *child;

  g_return_if_fail (TS_IS_FILTER_LINE (self));
  while ((child = gtk_widget_get_first_child (self->chips)) != NULL)
    gtk_box_remove (GTK_BOX (self->chips), child);
  if (filters[0] != NULL && scope != NULL)
    add_label (self, scope);
  for (guint i = 0; filters[i] != NULL; i++)
    add_chip (self, filters[i], filters[i], _ ("Remove this Filter"));
  if (note != NULL)
    add_label (self, note);
  if (n_hidden > 0)
    {
      g_autofree char *text =
          g_strdup_printf (ngettext ("%u lane hidden", "%u lanes hidden", n_hidden), n_hidden);

      add_chip (self, text, NULL, _ ("Show All Lanes"));
    }
  if (has_any)
    {
      GtkWidget *clear = gtk_button_new_with_label (_ ("Clear All"));

      gtk_widget_add_css_class (clear, "flat");
      g_signal_connect_object (clear, "clicked", G_CALLBACK (on_clear), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (self->chips), clear);
    }
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), has_any);
  gtk_widget_set_visible (self->revealer, has_any);
}
