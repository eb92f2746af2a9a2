/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-capture-figures.h"
#include "ui/ts-fill-bar.h"
#include "ui/ts-numbers.h"

typedef enum
{
  FIGURE_RATE,
  FIGURE_EVENTS,
  FIGURE_TOTAL,
  FIGURE_LOST,
  FIGURE_CORRUPT,
  FIGURE_TIME,
  N_FIGURES
} Figure;

static const char *const titles[N_FIGURES] = {
  N_ ("Rate"), N_ ("Event rate"), N_ ("Events"), N_ ("Lost"), N_ ("Corrupt"), N_ ("Duration"),
};

/**
 * TsCaptureFigures:
 * @trigger_box: shown while there is a trigger
 */
struct _TsCaptureFigures
{
  GtkBox parent_instance;

  GtkLabel *values[N_FIGURES];
  GtkWidget *fill_bar;
  GtkLabel *fill_label;
  GtkWidget *trigger_box;
  GtkLabel *trigger_label;
  GtkWidget *trigger_bar;
};

G_DEFINE_FINAL_TYPE (TsCaptureFigures, ts_capture_figures, GTK_TYPE_BOX)

static GtkWidget *
new_title (const char *text)
{
  GtkWidget *title = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "dim-label");
  return title;
}

static GtkWidget *
new_bar (const char *name)
{
  GtkWidget *bar = ts_fill_bar_new ();

  gtk_widget_set_hexpand (bar, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return bar;
}

static void
add_figure (TsCaptureFigures *self,
            GtkGrid *grid,
            Figure figure)
{
  GtkWidget *title = new_title (_ (titles[figure]));
  GtkWidget *value = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_set_hexpand (value, TRUE);
  gtk_grid_attach (grid, title, 0, (int) figure, 1, 1);
  gtk_grid_attach (grid, value, 1, (int) figure, 1, 1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  title, NULL, -1);
  self->values[figure] = GTK_LABEL (value);
}

static void
add_trigger (TsCaptureFigures *self)
{
  self->trigger_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  self->trigger_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->trigger_label, 0);
  gtk_label_set_wrap (self->trigger_label, TRUE);
  self->trigger_bar = new_bar (_ ("Trigger"));
  ts_fill_bar_set_is_goal (TS_FILL_BAR (self->trigger_bar), TRUE);
  gtk_box_append (GTK_BOX (self->trigger_box), GTK_WIDGET (self->trigger_label));
  gtk_box_append (GTK_BOX (self->trigger_box), self->trigger_bar);
  gtk_widget_set_visible (self->trigger_box, FALSE);
  gtk_box_append (GTK_BOX (self), self->trigger_box);
}

static void
ts_capture_figures_class_init (TsCaptureFiguresClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "figures");
}

static void
ts_capture_figures_init (TsCaptureFigures *self)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 9);
  add_trigger (self);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 5);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_box_append (GTK_BOX (self), grid);
  for (guint i = 0; i < N_FIGURES; i++)
    add_figure (self, GTK_GRID (grid), (Figure) i);
  self->fill_bar = new_bar (_ ("Buffer"));
  gtk_grid_attach (GTK_GRID (grid), new_title (_ ("Buffer")), 0, N_FIGURES, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), self->fill_bar, 1, N_FIGURES, 1, 1);
  self->fill_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->fill_label, 1);
  gtk_widget_add_css_class (GTK_WIDGET (self->fill_label), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->fill_label), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->fill_label), "numeric");
  gtk_grid_attach (GTK_GRID (grid), GTK_WIDGET (self->fill_label), 0, N_FIGURES + 1, 2, 1);
}

/**
 * ts_capture_figures_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): figures of nothing yet
 */
GtkWidget *
ts_capture_figures_new (void)
{
  return g_object_new (TS_TYPE_CAPTURE_FIGURES, NULL);
}

static void
set_figure (TsCaptureFigures *self,
            Figure figure,
            char *text,
            gboolean is_bad)
{
  GtkWidget *label = GTK_WIDGET (self->values[figure]);

  gtk_label_set_text (self->values[figure], text);
  if (is_bad)
    gtk_widget_add_css_class (label, "error");
  else
    gtk_widget_remove_css_class (label, "error");
  g_free (text);
}

static void
set_trigger (TsCaptureFigures *self,
             const TsCaptureStats *stats)
{
  g_autofree char *held = ts_format_seconds (stats->trigger_held_us);
  g_autofree char *wanted = ts_format_seconds (stats->trigger_wanted_us);
  g_autofree char *text = NULL;
  double share = stats->trigger_wanted_us > 0 ? (double) stats->trigger_held_us
                                                    / (double) stats->trigger_wanted_us
                                              : 1.0;

  gtk_widget_set_visible (self->trigger_box, stats->trigger_state != TS_TRIGGER_OFF);
  switch (stats->trigger_state)
    {
    case TS_TRIGGER_WAITING:
      /* translators: a time that is held before something happens, and how much of it is wanted */
      text = stats->trigger_wanted_us > 0
                 ? g_strdup_printf (_ ("Waiting for the trigger: %s of %s before it are held"), held,
                                    wanted)
                 : g_strdup (_ ("Waiting for the trigger"));
      break;
    case TS_TRIGGER_AFTER:
      /* translators: a time that was recorded since something happened, and how much is wanted */
      text = g_strdup_printf (_ ("Triggered: %s of %s after it are recorded"), held, wanted);
      break;
    case TS_TRIGGER_DONE:
      text = g_strdup (_ ("Triggered"));
      break;
    case TS_TRIGGER_OFF:
    default:
      break;
    }
  gtk_label_set_text (self->trigger_label, text != NULL ? text : "");
  ts_fill_bar_set (TS_FILL_BAR (self->trigger_bar), CLAMP (share, 0.0, 1.0), 0.0);
}

/**
 * ts_capture_figures_set:
 * @self: figures
 * @stats: of a capture
 *
 * Thread: main
 */
void
ts_capture_figures_set (TsCaptureFigures *self,
                        const TsCaptureStats *stats)
{
  g_autofree char *lost = NULL;
  g_autofree char *fill = NULL;
  gboolean has_loss;

  g_return_if_fail (TS_IS_CAPTURE_FIGURES (self));
  g_return_if_fail (stats != NULL);

  has_loss = stats->lost_events > 0 || stats->ring_dropped_bytes > 0;
  set_figure (self, FIGURE_RATE, ts_format_bytes_per_s (stats->bytes_per_s), FALSE);
  set_figure (self, FIGURE_EVENTS, ts_format_per_s (stats->events_per_s), FALSE);
  set_figure (self, FIGURE_TOTAL, ts_format_count (stats->events), FALSE);
  lost = stats->lost_events < 0 ? g_strdup (_ ("unknown")) : ts_format_count (stats->lost_events);
  if (stats->ring_dropped_bytes > 0)
    {
      g_autofree char *dropped = ts_format_bytes (stats->ring_dropped_bytes);

      /* translators: lost events, and bytes that the full buffer could not take */
      set_figure (self, FIGURE_LOST, g_strdup_printf (_ ("%s + %s"), lost, dropped), has_loss);
    }
  else
    set_figure (self, FIGURE_LOST, g_steal_pointer (&lost), has_loss);
  set_figure (self, FIGURE_CORRUPT, ts_format_bytes (stats->corrupt_bytes),
              stats->corrupt_bytes > 0);
  set_figure (self, FIGURE_TIME, ts_format_seconds (stats->elapsed_us), FALSE);
  ts_fill_bar_set (TS_FILL_BAR (self->fill_bar), stats->fill, stats->high_water);
  /* translators: how full the buffer is and was at most */
  fill = g_strdup_printf (_ ("%.0f %% · high water %.0f %%"), stats->fill * 100.0,
                          stats->high_water * 100.0);
  gtk_label_set_text (self->fill_label, fill);
  set_trigger (self, stats);
}

/**
 * ts_capture_figures_get_trigger:
 * @self: figures
 *
 * Thread: main
 *
 * Returns: (transfer none): what is said of the trigger; empty without one
 */
const char *
ts_capture_figures_get_trigger (TsCaptureFigures *self)
{
  g_return_val_if_fail (TS_IS_CAPTURE_FIGURES (self), NULL);
  return gtk_label_get_text (self->trigger_label);
}
