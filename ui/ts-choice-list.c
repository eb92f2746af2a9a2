/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-choice-list.h"
#include "ui/ts-tip.h"

/* --- what can be chosen ----------------------------------------------------------------------- */

#define TS_TYPE_CHOICE (ts_choice_get_type ())
G_DECLARE_FINAL_TYPE (TsChoice, ts_choice, TS, CHOICE, GObject)

/**
 * TsChoice:
 * @key: what it is for programs
 * @title: what it is for people
 * @detail: (nullable): written beside it
 * @folded: both, to look in
 */
struct _TsChoice
{
  GObject parent_instance;

  char *key;
  char *title;
  char *detail;
  char *folded;
  gboolean is_chosen;
};

enum
{
  PROP_CHOSEN = 1,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TsChoice, ts_choice, G_TYPE_OBJECT)

static void
ts_choice_get_property (GObject *object,
                        guint id,
                        GValue *value,
                        GParamSpec *pspec)
{
  g_value_set_boolean (value, TS_CHOICE (object)->is_chosen);
}

static void
ts_choice_set_property (GObject *object,
                        guint id,
                        const GValue *value,
                        GParamSpec *pspec)
{
  TsChoice *self = TS_CHOICE (object);

  if (self->is_chosen == g_value_get_boolean (value))
    return;
  self->is_chosen = g_value_get_boolean (value);
  g_object_notify_by_pspec (object, pspec);
}

static void
ts_choice_finalize (GObject *object)
{
  TsChoice *self = TS_CHOICE (object);

  g_free (self->key);
  g_free (self->title);
  g_free (self->detail);
  g_free (self->folded);
  G_OBJECT_CLASS (ts_choice_parent_class)->finalize (object);
}

static void
ts_choice_class_init (TsChoiceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = ts_choice_get_property;
  object_class->set_property = ts_choice_set_property;
  object_class->finalize = ts_choice_finalize;
  props[PROP_CHOSEN] = g_param_spec_boolean ("chosen", NULL, NULL, FALSE,
                                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY |
                                                 G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
ts_choice_init (TsChoice *self)
{
}

/* --- the list --------------------------------------------------------------------------------- */

struct _TsChoiceList
{
  GtkWidget parent_instance;

  GtkEditable *entry;
  GtkListView *list;
  GListStore *store;
  GtkCustomFilter *filter;
  GtkFilterListModel *shown;
  char *word;
  gboolean is_busy;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsChoiceList, ts_choice_list, GTK_TYPE_WIDGET)

static void
on_chosen (TsChoiceList *self)
{
  if (!self->is_busy)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static gboolean
passes (gpointer item,
        gpointer user_data)
{
  TsChoiceList *self = user_data;

  return self->word == NULL || strstr (TS_CHOICE (item)->folded, self->word) != NULL;
}

static void
on_search (TsChoiceList *self)
{
  g_free (self->word);
  self->word = g_utf8_casefold (gtk_editable_get_text (self->entry), -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
on_activate (TsChoiceList *self,
             guint position)
{
  g_autoptr (TsChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->shown), position);

  if (choice != NULL)
    g_object_set (choice, "chosen", !choice->is_chosen, NULL);
}

/* Those that are seen: with a word to look for, only what has it. */
static void
choose_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsChoiceList *self = TS_CHOICE_LIST (widget);
  gboolean is_all = g_str_equal (name, "choice.all");

  self->is_busy = TRUE;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->shown)); i++)
    {
      g_autoptr (TsChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->shown), i);

      g_object_set (choice, "chosen", is_all, NULL);
    }
  self->is_busy = FALSE;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
on_setup (GtkListItemFactory *factory,
          GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *check = gtk_check_button_new ();
  GtkWidget *title = gtk_label_new (NULL);
  GtkWidget *detail = gtk_label_new (NULL);

  /* names may be of any length: the list does not get wider for them */
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (GTK_LABEL (detail), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (title), 0.0f);
  gtk_check_button_set_child (GTK_CHECK_BUTTON (check), title);
  gtk_widget_set_hexpand (check, TRUE);
  gtk_widget_set_margin_end (detail, 6);
  gtk_label_set_xalign (GTK_LABEL (detail), 1.0f);
  gtk_widget_add_css_class (detail, "dim-label");
  gtk_box_append (GTK_BOX (box), check);
  gtk_box_append (GTK_BOX (box), detail);
  gtk_list_item_set_selectable (item, FALSE);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkListItemFactory *factory,
         GtkListItem *item)
{
  TsChoice *choice = TS_CHOICE (gtk_list_item_get_item (item));
  GtkWidget *check = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *detail = gtk_widget_get_last_child (gtk_list_item_get_child (item));

  gtk_label_set_text (GTK_LABEL (gtk_check_button_get_child (GTK_CHECK_BUTTON (check))),
                      choice->title);
  ts_tip_set (check, choice->title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  choice->title, -1);
  gtk_label_set_text (GTK_LABEL (detail), choice->detail != NULL ? choice->detail : "");
  g_object_set_data_full (G_OBJECT (item), "binding",
                          g_object_ref (g_object_bind_property (
                              choice, "chosen", check, "active",
                              G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE)),
                          g_object_unref);
}

static void
on_unbind (GtkListItemFactory *factory,
           GtkListItem *item)
{
  GBinding *binding = g_object_get_data (G_OBJECT (item), "binding");

  if (binding != NULL)
    g_binding_unbind (binding);
  g_object_set_data (G_OBJECT (item), "binding", NULL);
}

/* GTK makes the rows of a list that nobody sees, and one more at each that is added. */
static void
ts_choice_list_map (GtkWidget *widget)
{
  TsChoiceList *self = TS_CHOICE_LIST (widget);

  if (gtk_list_view_get_model (self->list) == NULL)
    {
      g_autoptr (GtkNoSelection) selection
          = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->shown)));

      gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
    }
  GTK_WIDGET_CLASS (ts_choice_list_parent_class)->map (widget);
}

static void
ts_choice_list_dispose (GObject *object)
{
  TsChoiceList *self = TS_CHOICE_LIST (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->shown);
  g_clear_object (&self->store);
  g_clear_pointer (&self->word, g_free);
  G_OBJECT_CLASS (ts_choice_list_parent_class)->dispose (object);
}

static void
ts_choice_list_class_init (TsChoiceListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ts_choice_list_dispose;
  widget_class->map = ts_choice_list_map;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/taskscope/Taskscope/ts-choice-list.ui");
  gtk_widget_class_bind_template_child (widget_class, TsChoiceList, entry);
  gtk_widget_class_bind_template_child (widget_class, TsChoiceList, list);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_install_action (widget_class, "choice.all", NULL, choose_action);
  gtk_widget_class_install_action (widget_class, "choice.none", NULL, choose_action);
}

static void
ts_choice_list_init (TsChoiceList *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  self->store = g_list_store_new (TS_TYPE_CHOICE);
  self->filter = gtk_custom_filter_new (passes, self, NULL);
  self->shown = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->store)),
                                           GTK_FILTER (self->filter));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (self->list, factory);
}

/**
 * ts_choice_list_set_name:
 * @self: a list
 * @name: what is chosen here, for a screen reader
 *
 * Thread: main
 */
void
ts_choice_list_set_name (TsChoiceList *self,
                         const char *name)
{
  g_return_if_fail (TS_IS_CHOICE_LIST (self));

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
}

/**
 * ts_choice_list_add:
 * @self: a list
 * @key: what it is for programs
 * @title: what it is for people
 * @detail: (nullable): written beside it
 * @is_chosen: whether it is ticked
 *
 * Thread: main
 */
void
ts_choice_list_add (TsChoiceList *self,
                    const char *key,
                    const char *title,
                    const char *detail,
                    gboolean is_chosen)
{
  g_autoptr (TsChoice) choice = NULL;
  g_autofree char *both = NULL;

  g_return_if_fail (TS_IS_CHOICE_LIST (self));
  g_return_if_fail (key != NULL && title != NULL);

  choice = g_object_new (TS_TYPE_CHOICE, NULL);
  both = g_strconcat (title, " ", detail, NULL);
  choice->key = g_strdup (key);
  choice->title = g_strdup (title);
  choice->detail = g_strdup (detail);
  choice->folded = g_utf8_casefold (both, -1);
  choice->is_chosen = is_chosen;
  g_signal_connect_object (choice, "notify::chosen", G_CALLBACK (on_chosen), self,
                           G_CONNECT_SWAPPED);
  g_list_store_append (self->store, choice);
}

/**
 * ts_choice_list_choose:
 * @self: a list
 * @key: of what was added
 * @is_chosen: whether it is to be ticked
 *
 * Thread: main
 *
 * Returns: whether it is in the list
 */
gboolean
ts_choice_list_choose (TsChoiceList *self,
                       const char *key,
                       gboolean is_chosen)
{
  g_return_val_if_fail (TS_IS_CHOICE_LIST (self), FALSE);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->store)); i++)
    {
      g_autoptr (TsChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->store), i);

      if (!g_str_equal (choice->key, key))
        continue;
      g_object_set (choice, "chosen", is_chosen, NULL);
      return TRUE;
    }
  return FALSE;
}

/**
 * ts_choice_list_dup_chosen:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: (transfer full) (array zero-terminated=1): keys of what is ticked, also where it is not
 *   seen at the moment
 */
char **
ts_choice_list_dup_chosen (TsChoiceList *self)
{
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();

  g_return_val_if_fail (TS_IS_CHOICE_LIST (self), NULL);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->store)); i++)
    {
      g_autoptr (TsChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->store), i);

      if (choice->is_chosen)
        g_strv_builder_add (keys, choice->key);
    }
  return g_strv_builder_end (keys);
}

/**
 * ts_choice_list_get_n_chosen:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: how many are ticked
 */
guint
ts_choice_list_get_n_chosen (TsChoiceList *self)
{
  g_auto (GStrv) keys = ts_choice_list_dup_chosen (self);

  return keys != NULL ? g_strv_length (keys) : 0;
}

/**
 * ts_choice_list_get_n_items:
 * @self: a list
 *
 * Thread: main
 *
 * Returns: how many can be ticked
 */
guint
ts_choice_list_get_n_items (TsChoiceList *self)
{
  g_return_val_if_fail (TS_IS_CHOICE_LIST (self), 0);

  return g_list_model_get_n_items (G_LIST_MODEL (self->store));
}
