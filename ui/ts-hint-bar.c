/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-hint-bar.h"
#include "ui/ts-settings.h"

/* The setting that says that they are wanted. */
#define KEY "show-hints"

static const char * const hints[] = {
  N_ ("Ctrl with the mouse wheel zooms about the pointer, W A S D move and zoom; 0 shows everything."),
  N_ ("Drag over the lanes to measure a range; C sets a second cursor."),
  N_ ("Click a slice: the inspector tells what it was, [ and ] follow its cause."),
  N_ ("The tab Findings lists what looks wrong and leads to the place."),
  N_ ("F6 goes from pane to pane, Ctrl+? lists all keys, F1 opens the manual."),
};

struct _TsHintBar
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkLabel *hint_label;
  GSettings *settings;
  guint at;
};

G_DEFINE_FINAL_TYPE (TsHintBar, ts_hint_bar, GTK_TYPE_WIDGET)

static void
show (TsHintBar *self)
{
  gtk_label_set_text (self->hint_label, _ (hints[self->at]));
}

static void
update (TsHintBar *self)
{
  gtk_revealer_set_reveal_child (self->revealer,
                                 ts_settings_get_bool (self->settings, KEY, FALSE));
}

static void
next_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsHintBar *self = TS_HINT_BAR (widget);

  self->at = (self->at + 1) % G_N_ELEMENTS (hints);
  show (self);
}

static void
close_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  TsHintBar *self = TS_HINT_BAR (widget);

  ts_settings_set_bool (self->settings, KEY, FALSE);
  update (self);
}

static void
ts_hint_bar_dispose (GObject *object)
{
  TsHintBar *self = TS_HINT_BAR (object);

  g_clear_pointer ((GtkWidget **) &self->revealer, gtk_widget_unparent);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (ts_hint_bar_parent_class)->dispose (object);
}

static void
ts_hint_bar_class_init (TsHintBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ts_hint_bar_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/taskscope/Taskscope/ts-hint-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, TsHintBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, TsHintBar, hint_label);
  gtk_widget_class_install_action (widget_class, "hint.next", NULL, next_action);
  gtk_widget_class_install_action (widget_class, "hint.close", NULL, close_action);
}

static void
ts_hint_bar_init (TsHintBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->settings = ts_settings_new ();
  show (self);
  update (self);
  if (self->settings != NULL)
    g_signal_connect_object (self->settings, "changed", G_CALLBACK (update), self,
                             G_CONNECT_SWAPPED);
}

/**
 * ts_hint_bar_get_n_hints:
 *
 * Thread: any
 *
 * Returns: how many hints there are
 */
guint
ts_hint_bar_get_n_hints (void)
{
  return G_N_ELEMENTS (hints);
}

/**
 * ts_hint_bar_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a bar that is seen while the setting "show-hints" is on
 */
GtkWidget *
ts_hint_bar_new (void)
{
  return g_object_new (TS_TYPE_HINT_BAR, NULL);
}
