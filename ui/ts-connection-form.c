/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-source.h"

#include "ui/ts-connection-form.h"
#include "ui/ts-connection-words-private.h"
#include "ui/ts-row-control.h"

/**
 * TsConnectionForm:
 * @base: what was loaded; keys that have no row are kept from here
 * @rows: key name (static) to its row, for the chosen transport
 * @details: (nullable): rows that hardly anybody changes
 * @is_loading: rows change by us, not by the user
 */
struct _TsConnectionForm
{
  GtkBox parent_instance;

  TsConnection *base;
  GPtrArray *transports;
  char *transport;
  GHashTable *rows;
  GtkWidget *transport_row;
  GtkWidget *group;
  GtkWidget *details;
  GCancellable *cancellable;
  gboolean is_loading;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsConnectionForm, ts_connection_form, GTK_TYPE_BOX)

/* --- words for people ------------------------------------------------------------------------- */

/* Texts with a fixed set of values are chosen, not typed. */
static const struct
{
  const char *key;
  const char *values[8];
  const char *titles[8];
} choices[] = {
  { "file-format",
    { "auto", "va", "va-cobs", "va-udprec", NULL },
    { N_ ("Find out"), N_ ("Recorder packets"), N_ ("Recorder, COBS frames"),
      N_ ("Recorded datagrams"), NULL } },
  { "file-pace",
    { "whole", "recorded", NULL },
    { N_ ("As fast as it goes"), N_ ("As it once arrived"), NULL } },
};

static int
find_choice (const char *key)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (choices); i++)
    if (g_str_equal (choices[i].key, key))
      return (int) i;
  return -1;
}

static gboolean
key_has_row (const TsConnectionKey *key,
             const char *transport)
{
  if (key->type == TS_KEY_OBJECT || key->type == TS_KEY_IGNORED)
    return FALSE;
  if (g_str_equal (key->name, "transport") || g_str_equal (key->name, "comment"))
    return FALSE;
  /* these have a row of their own: TsTriggerRow */
  if (g_str_has_prefix (key->name, "trigger"))
    return FALSE;
  /* the demo target tells its clock, and has nothing to gain from another framing */
  if (g_str_equal (transport, "demo") && key->transports == NULL)
    return FALSE;
  if (g_str_equal (transport, "demo") && g_str_equal (key->name, "cobs"))
    return FALSE;
  return ts_connection_key_applies (key, transport);
}

static void
emit_changed (TsConnectionForm *self)
{
  if (!self->is_loading)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Switches that say the opposite of their key: “reset target” for “no-reset”. */
static gboolean
is_turned (const TsConnectionKey *key)
{
  return g_str_equal (key->name, "no-reset");
}

static char *
dup_row_text (GtkWidget *row,
              const TsConnectionKey *key)
{
  int choice = find_choice (key->name);
  GtkWidget *toggle;

  if (choice >= 0)
    {
      guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (row));

      return g_strdup (selected < G_N_ELEMENTS (choices[choice].values)
                           ? choices[choice].values[selected]
                           : NULL);
    }
  if (key->type == TS_KEY_BOOL)
    {
      toggle = adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row));
      return g_strdup (gtk_switch_get_active (GTK_SWITCH (toggle)) != is_turned (key) ? "true"
                                                                                     : "false");
    }
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));
}

static void
set_row_text (GtkWidget *row,
              const TsConnectionKey *key,
              const char *text)
{
  int choice = find_choice (key->name);
  guint i;

  if (choice >= 0)
    {
      for (i = 0; choices[choice].values[i] != NULL; i++)
        if (g_strcmp0 (choices[choice].values[i], text) == 0)
          adw_combo_row_set_selected (ADW_COMBO_ROW (row), i);
    }
  else if (key->type == TS_KEY_BOOL)
    gtk_switch_set_active (
        GTK_SWITCH (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row))),
        (g_strcmp0 (text, "true") == 0) != is_turned (key));
  else
    gtk_editable_set_text (GTK_EDITABLE (row), text != NULL ? text : "");
}

/* A value that cannot be right is marked while it is typed; the reason is in the tooltip. */
static void
on_text_changed (GtkWidget *row,
                 TsConnectionForm *self)
{
  const TsConnectionKey *key = g_object_get_data (G_OBJECT (row), "key");
  g_autoptr (TsConnection) scratch = ts_connection_new ();
  g_autofree char *text = dup_row_text (row, key);
  g_autoptr (GError) error = NULL;

  if (*text != '\0' && !ts_connection_set_from_text (scratch, key->name, text, &error))
    {
      gtk_widget_add_css_class (row, "error");
      gtk_widget_set_tooltip_text (row, error->message);
    }
  else
    {
      gtk_widget_remove_css_class (row, "error");
      gtk_widget_set_tooltip_text (row, key->help != NULL ? _ (key->help) : NULL);
    }
  emit_changed (self);
}

static void
on_choice_changed (GtkWidget *row,
                   GParamSpec *pspec,
                   TsConnectionForm *self)
{
  emit_changed (self);
}

static GtkWidget *
new_choice_row (TsConnectionForm *self,
                int choice)
{
  GtkWidget *row = adw_combo_row_new ();
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint i;

  for (i = 0; choices[choice].titles[i] != NULL; i++)
    gtk_string_list_append (titles, _ (choices[choice].titles[i]));
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (titles));
  g_signal_connect_object (row, "notify::selected", G_CALLBACK (on_choice_changed), self, 0);
  return row;
}

static GtkWidget *
new_switch_row (TsConnectionForm *self)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *toggle = gtk_switch_new ();

  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  ts_row_control_take_name (toggle, ADW_PREFERENCES_ROW (row));
  g_signal_connect_object (toggle, "notify::active", G_CALLBACK (on_choice_changed), self, 0);
  return row;
}

/* --- serial ports ----------------------------------------------------------------------------- */

static void
list_ports_thread (GTask *task,
                   gpointer source,
                   gpointer data,
                   GCancellable *cancellable)
{
  g_task_return_pointer (task, ts_source_list_serial_ports (), (GDestroyNotify) g_strfreev);
}

static void
on_port_chosen (GtkButton *button,
                GtkEditable *row)
{
  GtkWidget *popover = gtk_widget_get_ancestor (GTK_WIDGET (button), GTK_TYPE_POPOVER);

  gtk_editable_set_text (row, g_object_get_data (G_OBJECT (button), "port"));
  if (popover != NULL)
    gtk_popover_popdown (GTK_POPOVER (popover));
}

static void search_ports (TsConnectionForm *self,
                          GtkWidget *row);

static void
on_search_again (GtkButton *button,
                 GtkWidget *row)
{
  search_ports (g_object_get_data (G_OBJECT (row), "form"), row);
}

static GtkWidget *
new_menu_item (const char *text)
{
  GtkWidget *button = gtk_button_new_with_label (text);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_halign (gtk_button_get_child (GTK_BUTTON (button)), GTK_ALIGN_START);
  return button;
}

static void
on_ports_listed (GObject *source,
                 GAsyncResult *result,
                 gpointer user_data)
{
  g_autoptr (GtkWidget) row = GTK_WIDGET (user_data);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) ports = g_task_propagate_pointer (G_TASK (result), &error);
  GtkWidget *box = g_object_get_data (G_OBJECT (row), "ports");
  GtkWidget *child;
  GtkWidget *item;
  guint i;

  if (box == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  while ((child = gtk_widget_get_first_child (box)) != NULL)
    gtk_box_remove (GTK_BOX (box), child);
  for (i = 0; ports != NULL && ports[i] != NULL; i++)
    {
      item = new_menu_item (ports[i]);
      g_object_set_data_full (G_OBJECT (item), "port", g_strdup (ports[i]), g_free);
      g_signal_connect_object (item, "clicked", G_CALLBACK (on_port_chosen), row, 0);
      gtk_box_append (GTK_BOX (box), item);
    }
  if (i == 0)
    {
      item = gtk_label_new (_ ("No serial port found"));
      gtk_widget_add_css_class (item, "dim-label");
      gtk_widget_set_margin_top (item, 6);
      gtk_widget_set_margin_bottom (item, 6);
      gtk_box_append (GTK_BOX (box), item);
    }
  else if (*gtk_editable_get_text (GTK_EDITABLE (row)) == '\0')
    gtk_editable_set_text (GTK_EDITABLE (row), ports[0]);
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  item = new_menu_item (_ ("Search Again"));
  g_signal_connect_object (item, "clicked", G_CALLBACK (on_search_again), row, 0);
  gtk_box_append (GTK_BOX (box), item);
}

static void
search_ports (TsConnectionForm *self,
              GtkWidget *row)
{
  g_autoptr (GTask) task = NULL;

  task = g_task_new (NULL, self->cancellable, on_ports_listed, g_object_ref (row));
  g_task_set_source_tag (task, search_ports);
  g_task_run_in_thread (task, list_ports_thread);
}

static void
add_port_menu (TsConnectionForm *self,
               GtkWidget *row)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "pan-down-symbolic");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Ports found"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Ports found"), -1);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), button);
  g_object_set_data (G_OBJECT (row), "ports", box);
  g_object_set_data (G_OBJECT (row), "form", self);
  search_ports (self, row);
}

/* --- a file ----------------------------------------------------------------------------------- */

static void
on_file_response (GtkNativeDialog *dialog,
                  int response,
                  GtkEditable *row)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL)
    path = g_file_get_path (file);
  if (path != NULL)
    gtk_editable_set_text (row, path);
  g_object_unref (dialog);
}

static void
on_browse (GtkButton *button,
           GtkEditable *row)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (button), GTK_TYPE_WINDOW);
  GtkFileChooserNative *dialog;

  dialog = gtk_file_chooser_native_new (_ ("Replay a File"), GTK_WINDOW (window),
                                        GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_response), row, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
add_browse_button (GtkWidget *row)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("document-open-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Choose a File"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Choose a File"), -1);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), button);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_browse), row, 0);
}

/* --- the form --------------------------------------------------------------------------------- */

static void
add_row (TsConnectionForm *self,
         const TsConnectionKey *key)
{
  g_autofree char *title = _ts_connection_dup_key_title (key->name);
  int choice = find_choice (key->name);
  GtkWidget *row;

  if (choice >= 0)
    row = new_choice_row (self, choice);
  else if (key->type == TS_KEY_BOOL)
    row = new_switch_row (self);
  else
    {
      row = adw_entry_row_new ();
      if (key->type == TS_KEY_INT)
        adw_entry_row_set_input_purpose (ADW_ENTRY_ROW (row), GTK_INPUT_PURPOSE_DIGITS);
      adw_entry_row_set_input_hints (ADW_ENTRY_ROW (row), GTK_INPUT_HINT_NO_SPELLCHECK);
    }
  g_object_set_data (G_OBJECT (row), "key", (gpointer) key);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_widget_set_tooltip_text (row, is_turned (key) ? _ ("Off: attach to the target as it runs")
                                    : key->help != NULL ? _ (key->help)
                                                        : NULL);
  if (ADW_IS_ENTRY_ROW (row))
    g_signal_connect_object (row, "changed", G_CALLBACK (on_text_changed), self, 0);
  if (_ts_connection_key_is_seldom (key->name))
    {
      if (self->details == NULL)
        {
          self->details = g_object_ref_sink (adw_expander_row_new ());
          adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->details), _ ("Details"));
        }
      adw_expander_row_add_row (ADW_EXPANDER_ROW (self->details), row);
    }
  else
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), row);
  g_hash_table_insert (self->rows, (gpointer) key->name, row);
  if (g_str_equal (key->name, "serial-port"))
    add_port_menu (self, row);
  else if (g_str_equal (key->name, "file-path"))
    add_browse_button (row);
}

static char *
dup_base_text (TsConnectionForm *self,
               const TsConnectionKey *key)
{
  if (!ts_connection_has (self->base, key->name))
    return g_strdup (key->default_value);
  switch (key->type)
    {
    case TS_KEY_INT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, ts_connection_get_int (self->base, key->name));
    case TS_KEY_ADDRESS:
      return g_strdup_printf ("0x%" G_GINT64_MODIFIER "X",
                              ts_connection_get_int (self->base, key->name));
    case TS_KEY_BOOL:
      return g_strdup (ts_connection_get_bool (self->base, key->name) ? "true" : "false");
    case TS_KEY_STRING:
    case TS_KEY_OBJECT:
    case TS_KEY_IGNORED:
    default:
      return g_strdup (ts_connection_get_string (self->base, key->name));
    }
}

/* Order of the rows: what makes the connection, how it is spoken, what all transports have. */
#define N_RANKS 3

static guint
get_rank (const TsConnectionKey *key)
{
  if (key->transports == NULL)
    return 2;
  return key->type == TS_KEY_BOOL ? 1 : 0;
}

static void
rebuild_rows (TsConnectionForm *self)
{
  const TsConnectionKey *keys;
  GHashTableIter iter;
  gpointer row;
  guint n_keys;
  guint i;

  self->is_loading = TRUE;
  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    {
      g_object_set_data (G_OBJECT (row), "ports", NULL);
      if (self->details == NULL || !gtk_widget_is_ancestor (row, self->details))
        adw_preferences_group_remove (ADW_PREFERENCES_GROUP (self->group), row);
    }
  g_hash_table_remove_all (self->rows);
  if (self->details != NULL)
    adw_preferences_group_remove (ADW_PREFERENCES_GROUP (self->group), self->details);
  g_clear_object (&self->details);
  keys = ts_connection_list_keys (&n_keys);
  for (i = 0; i < N_RANKS * n_keys; i++)
    {
      const TsConnectionKey *key = &keys[i % n_keys];
      g_autofree char *text = NULL;

      if (!key_has_row (key, self->transport) || get_rank (key) != i / n_keys)
        continue;
      add_row (self, key);
      text = dup_base_text (self, key);
      set_row_text (g_hash_table_lookup (self->rows, key->name), key, text);
    }
  if (self->details != NULL)
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), self->details);
  self->is_loading = FALSE;
}

/* --- the transport ---------------------------------------------------------------------------- */

static void
on_transport_setup (GtkSignalListItemFactory *factory,
                    GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = gtk_label_new (NULL);
  GtkWidget *reason = gtk_label_new (_ ("needs a probe (not built yet)"));

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_xalign (GTK_LABEL (reason), 0);
  gtk_widget_add_css_class (reason, "caption");
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), reason);
  gtk_list_item_set_child (item, box);
}

static void
on_transport_bind (GtkSignalListItemFactory *factory,
                   GtkListItem *item)
{
  const char *name = gtk_string_object_get_string (gtk_list_item_get_item (item));
  gboolean is_built = ts_connection_transport_is_built (name);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *title = gtk_widget_get_first_child (box);

  gtk_label_set_text (GTK_LABEL (title), ts_connection_form_get_transport_title (name));
  gtk_widget_set_visible (gtk_widget_get_next_sibling (title), !is_built);
  gtk_widget_set_sensitive (box, is_built);
  gtk_list_item_set_activatable (item, is_built);
  gtk_list_item_set_selectable (item, is_built);
}

static void
on_chosen_setup (GtkSignalListItemFactory *factory,
                 GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

static void
on_chosen_bind (GtkSignalListItemFactory *factory,
                GtkListItem *item)
{
  const char *name = gtk_string_object_get_string (gtk_list_item_get_item (item));

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      ts_connection_form_get_transport_title (name));
}

static guint
find_transport (TsConnectionForm *self,
                const char *transport)
{
  guint i;

  for (i = 0; i < self->transports->len; i++)
    if (g_strcmp0 (g_ptr_array_index (self->transports, i), transport) == 0)
      return i;
  return GTK_INVALID_LIST_POSITION;
}

static void
on_transport_selected (GtkWidget *row,
                       GParamSpec *pspec,
                       TsConnectionForm *self)
{
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (row));
  const char *name;

  if (selected >= self->transports->len)
    return;
  name = g_ptr_array_index (self->transports, selected);
  if (g_strcmp0 (name, self->transport) == 0)
    return;
  /* the keyboard can reach what the pointer cannot */
  if (!ts_connection_transport_is_built (name) && !self->is_loading)
    {
      adw_combo_row_set_selected (ADW_COMBO_ROW (row), find_transport (self, self->transport));
      return;
    }
  g_free (self->transport);
  self->transport = g_strdup (name);
  rebuild_rows (self);
  emit_changed (self);
}

static void
init_transport_row (TsConnectionForm *self)
{
  const char * const *names = ts_connection_list_transports ();
  g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);
  g_autoptr (GtkListItemFactory) list_factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  guint pass;
  guint i;

  /* what works stands first */
  for (pass = 0; pass < 2; pass++)
    for (i = 0; names[i] != NULL; i++)
      if (ts_connection_transport_is_built (names[i]) == (pass == 0))
        {
          g_ptr_array_add (self->transports, g_strdup (names[i]));
          gtk_string_list_append (model, names[i]);
        }
  g_signal_connect (list_factory, "setup", G_CALLBACK (on_transport_setup), NULL);
  g_signal_connect (list_factory, "bind", G_CALLBACK (on_transport_bind), NULL);
  g_signal_connect (factory, "setup", G_CALLBACK (on_chosen_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_chosen_bind), NULL);
  self->transport_row = adw_combo_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->transport_row), _ ("Transport"));
  adw_combo_row_set_factory (ADW_COMBO_ROW (self->transport_row), factory);
  adw_combo_row_set_list_factory (ADW_COMBO_ROW (self->transport_row), list_factory);
  adw_combo_row_set_model (ADW_COMBO_ROW (self->transport_row), G_LIST_MODEL (model));
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), self->transport_row);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_connection_form_dispose (GObject *object)
{
  TsConnectionForm *self = TS_CONNECTION_FORM (object);

  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->base);
  g_clear_object (&self->details);
  G_OBJECT_CLASS (ts_connection_form_parent_class)->dispose (object);
}

static void
ts_connection_form_finalize (GObject *object)
{
  TsConnectionForm *self = TS_CONNECTION_FORM (object);

  g_clear_pointer (&self->rows, g_hash_table_unref);
  g_clear_pointer (&self->transports, g_ptr_array_unref);
  g_clear_pointer (&self->transport, g_free);
  G_OBJECT_CLASS (ts_connection_form_parent_class)->finalize (object);
}

static void
ts_connection_form_class_init (TsConnectionFormClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = ts_connection_form_dispose;
  object_class->finalize = ts_connection_form_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_connection_form_init (TsConnectionForm *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->base = ts_connection_new ();
  self->cancellable = g_cancellable_new ();
  self->transports = g_ptr_array_new_with_free_func (g_free);
  self->rows = g_hash_table_new (g_str_hash, g_str_equal);
  self->transport = g_strdup ("demo");
  self->group = adw_preferences_group_new ();
  gtk_box_append (GTK_BOX (self), self->group);
  self->is_loading = TRUE;
  init_transport_row (self);
  adw_combo_row_set_selected (ADW_COMBO_ROW (self->transport_row),
                              find_transport (self, self->transport));
  g_signal_connect_object (self->transport_row, "notify::selected",
                           G_CALLBACK (on_transport_selected), self, 0);
  rebuild_rows (self);
}

/**
 * ts_connection_form_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a form for the demo target
 */
GtkWidget *
ts_connection_form_new (void)
{
  return g_object_new (TS_TYPE_CONNECTION_FORM, NULL);
}

/**
 * ts_connection_form_set_connection:
 * @self: a form
 * @connection: a connection
 *
 * Fills the form in. Keys that have no row here are kept for later.
 *
 * Thread: main
 */
void
ts_connection_form_set_connection (TsConnectionForm *self,
                                   TsConnection *connection)
{
  const char *transport;

  g_return_if_fail (TS_IS_CONNECTION_FORM (self));
  g_return_if_fail (TS_IS_CONNECTION (connection));

  g_set_object (&self->base, connection);
  transport = ts_connection_get_transport (connection);
  if (transport != NULL && find_transport (self, transport) != GTK_INVALID_LIST_POSITION)
    {
      g_free (self->transport);
      self->transport = g_strdup (transport);
    }
  self->is_loading = TRUE;
  adw_combo_row_set_selected (ADW_COMBO_ROW (self->transport_row),
                              find_transport (self, self->transport));
  rebuild_rows (self);
}

/**
 * ts_connection_form_dup_connection:
 * @self: a form
 * @error: return location
 *
 * What the form says, checked.
 *
 * Thread: main
 * Errors: those of ts_connection_set_from_text() and ts_connection_validate()
 *
 * Returns: (transfer full): a connection of its own
 */
TsConnection *
ts_connection_form_dup_connection (TsConnectionForm *self,
                                   GError **error)
{
  g_autoptr (TsConnection) connection = ts_connection_new ();
  const TsConnectionKey *keys;
  guint n_keys;
  guint i;

  g_return_val_if_fail (TS_IS_CONNECTION_FORM (self), NULL);

  if (ts_connection_get_transport (self->base) != NULL)
    {
      g_autoptr (JsonNode) node = ts_connection_to_json (self->base);
      g_autofree char *json = json_to_string (node, FALSE);

      if (!ts_connection_load_data (connection, json, -1, _ ("the connection"), TRUE, error))
        return NULL;
    }
  if (!ts_connection_set_from_text (connection, "transport", self->transport, error))
    return NULL;
  keys = ts_connection_list_keys (&n_keys);
  for (i = 0; i < n_keys; i++)
    {
      GtkWidget *row = g_hash_table_lookup (self->rows, keys[i].name);
      g_autofree char *text = row != NULL ? dup_row_text (row, &keys[i]) : NULL;

      if (row == NULL)
        {
          if (!ts_connection_key_applies (&keys[i], self->transport))
            ts_connection_unset (connection, keys[i].name);
          continue;
        }
      ts_connection_unset (connection, keys[i].name);
      if (text == NULL || *text == '\0' || g_strcmp0 (text, keys[i].default_value) == 0)
        continue;
      if (!ts_connection_set_from_text (connection, keys[i].name, text, error))
        return NULL;
    }
  if (!ts_connection_validate (connection, error))
    return NULL;
  return g_steal_pointer (&connection);
}

/**
 * ts_connection_form_get_transport:
 * @self: a form
 *
 * Thread: main
 *
 * Returns: (transfer none): name of the chosen transport
 */
const char *
ts_connection_form_get_transport (TsConnectionForm *self)
{
  g_return_val_if_fail (TS_IS_CONNECTION_FORM (self), NULL);
  return self->transport;
}

/**
 * ts_connection_form_set_transport:
 * @self: a form
 * @transport: name of a transport that is built
 *
 * Thread: main
 */
void
ts_connection_form_set_transport (TsConnectionForm *self,
                                  const char *transport)
{
  guint position;

  g_return_if_fail (TS_IS_CONNECTION_FORM (self));
  position = find_transport (self, transport);
  if (position != GTK_INVALID_LIST_POSITION)
    adw_combo_row_set_selected (ADW_COMBO_ROW (self->transport_row), position);
}

/**
 * ts_connection_form_get_row:
 * @self: a form
 * @key: name of a key
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): the key's row, %NULL if it does not apply to the transport
 */
GtkWidget *
ts_connection_form_get_row (TsConnectionForm *self,
                            const char *key)
{
  g_return_val_if_fail (TS_IS_CONNECTION_FORM (self), NULL);
  return g_hash_table_lookup (self->rows, key);
}
