/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-help-page.h"
#include "ui/ts-help-text.h"
#include "ui/ts-help-window.h"

#define HELP_PATH "/io/github/taskscope/Taskscope/help"

/* The order of the contents; the first one is where F1 leads. */
static const char * const names[] = { "index",           "lanes",    "connect", "firmware", "no-recorder",
                                      "nothing-arrives", "trigger", "findings", "formats", "keyboard", NULL };

struct _TsHelpWindow
{
  AdwWindow parent_instance;

  AdwFlap *flap;
  GtkListBox *contents;
  GtkSearchEntry *search_entry;
  GtkScrolledWindow *scroller;
  TsHelpPage *page;

  GPtrArray *history; /* names of pages, the one that is shown last */
  char *texts[G_N_ELEMENTS (names)];
  gboolean is_selecting;
};

G_DEFINE_FINAL_TYPE (TsHelpWindow, ts_help_window, ADW_TYPE_WINDOW)

static int
find_page (const char *name)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_strcmp0 (names[i], name) == 0)
      return i;
  return -1;
}

/* The page in the user's language if there is one, else in English. */
static char *
load_page (const char *name)
{
  const char * const *languages = g_get_language_names ();
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  gsize size;

  for (guint i = 0; languages[i] != NULL && bytes == NULL; i++)
    {
      g_autofree char *path = g_strdup_printf (HELP_PATH "/%s/%s.md", languages[i], name);

      bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    }
  if (bytes == NULL)
    {
      g_autofree char *path = g_strdup_printf (HELP_PATH "/%s.md", name);

      bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    }
  if (bytes == NULL)
    return g_strdup ("");
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data, size);
}

/* --- showing ---------------------------------------------------------------------------------- */

static void
show (TsHelpWindow *self,
      int index)
{
  g_autofree char *title = ts_help_text_dup_title (self->texts[index]);
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->contents, index);

  ts_help_page_set_text (self->page, self->texts[index], HELP_PATH);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->page), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  self->is_selecting = TRUE;
  gtk_list_box_select_row (self->contents, row);
  self->is_selecting = FALSE;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.back", self->history->len > 1);
  if (adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap, FALSE);
}

/**
 * ts_help_window_show_page:
 * @self: the manual
 * @name: a page, as in data/help, without its ending
 *
 * Thread: main
 *
 * Returns: whether there is such a page
 */
gboolean
ts_help_window_show_page (TsHelpWindow *self,
                          const char *name)
{
  int index;

  g_return_val_if_fail (TS_IS_HELP_WINDOW (self), FALSE);
  index = find_page (name);
  if (index < 0)
    return FALSE;
  if (g_strcmp0 (ts_help_window_get_page (self), name) != 0)
    g_ptr_array_add (self->history, g_strdup (name));
  show (self, index);
  return TRUE;
}

/**
 * ts_help_window_get_page:
 * @self: the manual
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): name of the page that is shown
 */
const char *
ts_help_window_get_page (TsHelpWindow *self)
{
  g_return_val_if_fail (TS_IS_HELP_WINDOW (self), NULL);
  return self->history->len > 0 ? g_ptr_array_index (self->history, self->history->len - 1) : NULL;
}

/**
 * ts_help_window_get_page_names:
 *
 * Thread: any
 *
 * Returns: (transfer none) (array zero-terminated=1): names of all pages
 */
const char * const *
ts_help_window_get_page_names (void)
{
  return names;
}

/* --- what people do --------------------------------------------------------------------------- */

/* Pages open here; everything else is the desktop's business. */
static gboolean
on_link (TsHelpPage *page,
         const char *target,
         TsHelpWindow *self)
{
  g_autofree char *name = NULL;

  if (!g_str_has_suffix (target, ".md"))
    return FALSE;
  name = g_strndup (target, strlen (target) - strlen (".md"));
  return ts_help_window_show_page (self, name);
}

static void
on_row_selected (GtkListBox *contents,
                 GtkListBoxRow *row,
                 TsHelpWindow *self)
{
  if (row != NULL && !self->is_selecting)
    ts_help_window_show_page (self, names[gtk_list_box_row_get_index (row)]);
}

/* A page stays in the contents while it holds all the words. */
static gboolean
is_found (GtkListBoxRow *row,
          gpointer user_data)
{
  TsHelpWindow *self = user_data;
  const char *text = self->texts[gtk_list_box_row_get_index (row)];
  g_autofree char *folded = g_utf8_casefold (text, -1);
  g_autofree char *wanted = g_utf8_casefold (
      gtk_editable_get_text (GTK_EDITABLE (self->search_entry)), -1);
  g_auto (GStrv) words = g_strsplit (wanted, " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (folded, words[i]) == NULL)
      return FALSE;
  return TRUE;
}

static void
on_search_changed (GtkSearchEntry *entry,
                   TsHelpWindow *self)
{
  gtk_list_box_invalidate_filter (self->contents);
}

static void
back_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  TsHelpWindow *self = TS_HELP_WINDOW (widget);

  if (self->history->len < 2)
    return;
  g_ptr_array_remove_index (self->history, self->history->len - 1);
  show (self, find_page (ts_help_window_get_page (self)));
}

static void
search_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsHelpWindow *self = TS_HELP_WINDOW (widget);

  adw_flap_set_reveal_flap (self->flap, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_help_window_finalize (GObject *object)
{
  TsHelpWindow *self = TS_HELP_WINDOW (object);

  for (guint i = 0; i < G_N_ELEMENTS (self->texts); i++)
    g_free (self->texts[i]);
  g_ptr_array_unref (self->history);
  G_OBJECT_CLASS (ts_help_window_parent_class)->finalize (object);
}

static void
ts_help_window_class_init (TsHelpWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = ts_help_window_finalize;
  g_type_ensure (TS_TYPE_HELP_PAGE);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/taskscope/Taskscope/ts-help-window.ui");
  gtk_widget_class_bind_template_child (widget_class, TsHelpWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, TsHelpWindow, contents);
  gtk_widget_class_bind_template_child (widget_class, TsHelpWindow, search_entry);
  gtk_widget_class_bind_template_child (widget_class, TsHelpWindow, scroller);
  gtk_widget_class_bind_template_child (widget_class, TsHelpWindow, page);
  gtk_widget_class_install_action (widget_class, "help.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "help.search", NULL, search_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, GDK_ALT_MASK, "help.back", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "help.search",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
ts_help_window_init (TsHelpWindow *self)
{
  self->history = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *title = NULL;
      GtkWidget *label;

      self->texts[i] = load_page (names[i]);
      title = ts_help_text_dup_title (self->texts[i]);
      label = gtk_label_new (title);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_list_box_append (self->contents, label);
    }
  gtk_list_box_set_filter_func (self->contents, is_found, self, NULL);
  g_signal_connect (self->contents, "row-selected", G_CALLBACK (on_row_selected), self);
  g_signal_connect (self->search_entry, "search-changed", G_CALLBACK (on_search_changed), self);
  g_signal_connect (self->page, "link", G_CALLBACK (on_link), self);
  ts_help_window_show_page (self, names[0]);
}

/**
 * ts_help_window_new:
 * @application: the program
 *
 * Thread: main
 *
 * Returns: (transfer none): the manual at its first page, owned by GTK
 */
TsHelpWindow *
ts_help_window_new (GtkApplication *application)
{
  return g_object_new (TS_TYPE_HELP_WINDOW, "application", application, NULL);
}
