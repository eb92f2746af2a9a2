/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-window-desktop.c: what the desktop is told: a running capture keeps the machine awake, a long one
 * says when it has ended. And the ways between the panes.
 */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-udev-window.h"
#include "ui/ts-window-private.h"

/* A capture this long is one people turn away from. */
#define LONG_CAPTURE_US (60 * G_USEC_PER_SEC)
/* Nobody is looking: tell sooner. */
#define UNSEEN_CAPTURE_US (5 * G_USEC_PER_SEC)

/* --- a running capture ------------------------------------------------------------------------ */

/*
 * _ts_window_keep_awake:
 * @is_on: a capture runs
 *
 * While a capture runs the machine does not suspend by itself.
 */
void
_ts_window_keep_awake (TsWindow *self,
                       gboolean is_on)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  if (is_on && self->awake_cookie == 0 && application != NULL)
    {
      self->capture_begin_us = g_get_monotonic_time ();
      self->awake_cookie = gtk_application_inhibit (application, GTK_WINDOW (self),
                                                    GTK_APPLICATION_INHIBIT_SUSPEND,
                                                    _ ("A capture is running"));
    }
  else if (is_on && self->capture_begin_us == 0)
    {
      self->capture_begin_us = g_get_monotonic_time ();
    }
  else if (!is_on && self->awake_cookie != 0)
    {
      if (application != NULL)
        gtk_application_uninhibit (application, self->awake_cookie);
      self->awake_cookie = 0;
    }
}

/*
 * _ts_window_tell_ended:
 * @title: what happened
 * @body: (nullable): more of it
 *
 * A capture has ended. Whoever turned away is told; whoever looks on has seen it.
 */
void
_ts_window_tell_ended (TsWindow *self,
                       const char *title,
                       const char *body)
{
  GApplication *application = G_APPLICATION (gtk_window_get_application (GTK_WINDOW (self)));
  gint64 length = self->capture_begin_us > 0 ? g_get_monotonic_time () - self->capture_begin_us : 0;
  gboolean is_seen = gtk_window_is_active (GTK_WINDOW (self));
  g_autoptr (GNotification) notification = NULL;

  self->capture_begin_us = 0;
  if (application == NULL || length < (is_seen ? LONG_CAPTURE_US : UNSEEN_CAPTURE_US))
    return;
  notification = g_notification_new (title);
  if (body != NULL)
    g_notification_set_body (notification, body);
  g_notification_set_default_action (notification, "app.show");
  g_application_send_notification (application, "capture-ended", notification);
}

/* --- from pane to pane ------------------------------------------------------------------------ */

#define N_PANES 5

/* The panes in reading order; those that are not seen are left out. */
static guint
list_panes (TsWindow *self,
            GtkWidget **panes)
{
  GtkWidget *all[N_PANES] = { gtk_widget_get_ancestor (GTK_WIDGET (self->window_title),
                                                       ADW_TYPE_HEADER_BAR),
                              GTK_WIDGET (self->capture_panel), NULL, self->bottom_pane,
                              GTK_WIDGET (self->inspector) };
  guint n = 0;

  all[2] = gtk_widget_get_mapped (GTK_WIDGET (self->timeline)) ? GTK_WIDGET (self->timeline)
                                                               : GTK_WIDGET (self->pages);
  for (guint i = 0; i < N_PANES; i++)
    if (all[i] != NULL && gtk_widget_get_mapped (all[i]) && gtk_widget_get_child_visible (all[i]))
      panes[n++] = all[i];
  return n;
}

static void
next_pane_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *panes[N_PANES];
  guint n = list_panes (self, panes);
  gboolean is_back = g_str_equal (name, "win.previous-pane");
  guint at = is_back ? 0 : n - 1;

  if (n == 0)
    return;
  for (guint i = 0; i < n && focus != NULL; i++)
    if (focus == panes[i] || gtk_widget_is_ancestor (focus, panes[i]))
      at = i;
  for (guint i = 0; i < n; i++)
    {
      at = (at + (is_back ? n - 1 : 1)) % n;
      if (gtk_widget_get_focusable (panes[at])
              ? gtk_widget_grab_focus (panes[at])
              : gtk_widget_child_focus (panes[at], GTK_DIR_TAB_FORWARD))
        {
          gtk_window_set_focus_visible (GTK_WINDOW (self), TRUE);
          return;
        }
    }
}

static void
udev_rule_action (GtkWidget *widget,
                  const char *name,
                  GVariant *parameter)
{
  ts_udev_window_show (GTK_WINDOW (widget));
}

void
_ts_window_install_desktop (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.next-pane", NULL, next_pane_action);
  gtk_widget_class_install_action (widget_class, "win.previous-pane", NULL, next_pane_action);
  gtk_widget_class_install_action (widget_class, "win.udev-rule", NULL, udev_rule_action);
}
