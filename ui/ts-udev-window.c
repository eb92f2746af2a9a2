/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-udev-window.h"

#define RULE_PATH "/io/github/taskscope/Taskscope/70-taskscope.rules"

struct _TsUdevWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toasts;
  GtkLabel *sandbox_label;
  GtkTextView *rule_view;
};

G_DEFINE_FINAL_TYPE (TsUdevWindow, ts_udev_window, ADW_TYPE_WINDOW)

/**
 * ts_udev_is_sandboxed:
 *
 * Thread: any
 *
 * Returns: whether the program runs in a Flatpak, which cannot install rules for udev
 */
gboolean
ts_udev_is_sandboxed (void)
{
  return g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS);
}

/**
 * ts_udev_dup_rule:
 *
 * Thread: any
 *
 * Returns: (transfer full): the rule's text, data/70-taskscope.rules
 */
char *
ts_udev_dup_rule (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (RULE_PATH, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  gconstpointer data;
  gsize size;

  if (bytes == NULL)
    return g_strdup ("");
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data, size);
}

/**
 * ts_udev_dup_command:
 *
 * Thread: any
 *
 * Returns: (transfer full): shell commands that write the rule and make it known, for a terminal of
 *   the host
 */
char *
ts_udev_dup_command (void)
{
  g_autofree char *rule = ts_udev_dup_rule ();

  return g_strdup_printf ("sudo tee /etc/udev/rules.d/70-taskscope.rules >/dev/null <<'RULE'\n"
                          "%sRULE\n"
                          "sudo udevadm control --reload\n"
                          "sudo udevadm trigger\n",
                          rule);
}

static void
copy_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsUdevWindow *self = TS_UDEV_WINDOW (widget);
  g_autofree char *text = g_str_equal (name, "udev.copy-rule") ? ts_udev_dup_rule ()
                                                               : ts_udev_dup_command ();

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  adw_toast_overlay_add_toast (self->toasts, adw_toast_new (_ ("Copied")));
}

static void
ts_udev_window_class_init (TsUdevWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/taskscope/Taskscope/ts-udev-window.ui");
  gtk_widget_class_bind_template_child (widget_class, TsUdevWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, TsUdevWindow, sandbox_label);
  gtk_widget_class_bind_template_child (widget_class, TsUdevWindow, rule_view);
  gtk_widget_class_install_action (widget_class, "udev.copy-rule", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "udev.copy-command", NULL, copy_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
ts_udev_window_init (TsUdevWindow *self)
{
  g_autofree char *rule = ts_udev_dup_rule ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self->sandbox_label), ts_udev_is_sandboxed ());
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->rule_view), rule, -1);
}

/**
 * ts_udev_window_show:
 * @parent: (nullable): the window it belongs to
 *
 * Thread: main
 *
 * Returns: (transfer none): the window, owned by GTK
 */
GtkWindow *
ts_udev_window_show (GtkWindow *parent)
{
  GtkWindow *window = g_object_new (TS_TYPE_UDEV_WINDOW, "transient-for", parent, "modal", TRUE,
                                    NULL);

  gtk_window_present (window);
  return window;
}
