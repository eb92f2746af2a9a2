/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "capture/ts-trigger.h"

#include "ui/ts-row-control.h"
#include "ui/ts-trigger-row.h"

/**
 * TsTriggerRow:
 * @problem: why the condition cannot be read, with the place
 * @is_loading: rows change by us, not by the user
 */
struct _TsTriggerRow
{
  AdwExpanderRow parent_instance;

  GtkWidget *condition;
  GtkWidget *problem;
  GtkWidget *before;
  GtkWidget *after;
  GtkWidget *action;
  gboolean is_loading;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsTriggerRow, ts_trigger_row, ADW_TYPE_EXPANDER_ROW)

/* In the order of TsTriggerAction. */
static const char *const action_titles[] = { N_ ("Stop"), N_ ("Wait again"), N_ ("Only set marks") };

static void
show_problem (TsTriggerRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->condition));
  gboolean is_on = adw_expander_row_get_enable_expansion (ADW_EXPANDER_ROW (self));
  g_autoptr (TsTrigger) trigger = NULL;
  g_autoptr (GError) error = NULL;

  if (is_on && *text != '\0')
    trigger = ts_trigger_new (text, &error);
  gtk_widget_set_visible (gtk_widget_get_ancestor (self->problem, GTK_TYPE_LIST_BOX_ROW),
                          error != NULL);
  gtk_label_set_text (GTK_LABEL (self->problem), error != NULL ? error->message : "");
  if (error != NULL)
    gtk_widget_add_css_class (self->condition, "error");
  else
    gtk_widget_remove_css_class (self->condition, "error");
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), "");
}

static void
on_changed (TsTriggerRow *self)
{
  show_problem (self);
  if (!self->is_loading)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* An entry for whole numbers. */
static GtkWidget *
add_number (TsTriggerRow *self,
            const char *title,
            const char *key)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_entry_row_set_input_purpose (ADW_ENTRY_ROW (row), GTK_INPUT_PURPOSE_DIGITS);
  gtk_widget_set_tooltip_text (row, _ (ts_connection_find_key (key)->help));
  gtk_editable_set_text (GTK_EDITABLE (row), ts_connection_find_key (key)->default_value);
  g_signal_connect_object (row, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
  return row;
}

static void
add_condition (TsTriggerRow *self)
{
  GtkWidget *row = gtk_list_box_row_new ();

  self->condition = adw_entry_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->condition), _ ("Condition"));
  adw_entry_row_set_input_hints (ADW_ENTRY_ROW (self->condition), GTK_INPUT_HINT_NO_SPELLCHECK);
  gtk_widget_set_tooltip_text (
      self->condition,
      /* translators: the words before a colon or a sign, and “or”, are not translated */
      _ ("kind:heap_fail — an event of that kind\n"
         "lane:Ctrl — an event of that task, interrupt, object\n"
         "text:overrun — an event whose text has it\n"
         "lane:temp value>80 — a value rises above\n"
         "lane:Ctrl dur>5ms — it has lasted longer\n"
         "lane:Ctrl silent>100ms — nothing heard of it\n"
         "loss — lost or damaged data\n"
         "… or … — one of several"));
  g_signal_connect_object (self->condition, "changed", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), self->condition);

  self->problem = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->problem), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_widget_add_css_class (self->problem, "error");
  gtk_widget_add_css_class (self->problem, "caption");
  gtk_widget_add_css_class (self->problem, "row-note");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), self->problem);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE);
  gtk_widget_set_visible (row, FALSE);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
}

static void
add_action (TsTriggerRow *self)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (action_titles); i++)
    gtk_string_list_append (titles, _ (action_titles[i]));
  self->action = adw_combo_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->action), _ ("Then"));
  gtk_widget_set_tooltip_text (self->action,
                               _ (ts_connection_find_key ("trigger-action")->help));
  adw_combo_row_set_model (ADW_COMBO_ROW (self->action), G_LIST_MODEL (titles));
  g_signal_connect_object (self->action, "notify::selected", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), self->action);
}

static void
ts_trigger_row_class_init (TsTriggerRowClass *klass)
{
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ts_trigger_row_init (TsTriggerRow *self)
{
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Trigger"));
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (self),
      _ ("Keeps what happened before and after something, instead of everything"));
  adw_expander_row_set_show_enable_switch (ADW_EXPANDER_ROW (self), TRUE);
  adw_expander_row_set_enable_expansion (ADW_EXPANDER_ROW (self), FALSE);
  ts_row_control_name_switch (ADW_EXPANDER_ROW (self));
  add_condition (self);
  /* translators: milliseconds of a recording, before and after something happened */
  self->before = add_number (self, _ ("Keep before, ms"), "trigger-before-ms");
  self->after = add_number (self, _ ("Record after, ms"), "trigger-after-ms");
  add_action (self);
  g_signal_connect_object (self, "notify::enable-expansion", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
}

/**
 * ts_trigger_row_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a row without a trigger
 */
GtkWidget *
ts_trigger_row_new (void)
{
  return g_object_new (TS_TYPE_TRIGGER_ROW, NULL);
}

static void
set_number (GtkWidget *row,
            TsConnection *connection,
            const char *key)
{
  g_autofree char *text
      = g_strdup_printf ("%" G_GINT64_FORMAT, ts_connection_get_int (connection, key));

  gtk_editable_set_text (GTK_EDITABLE (row), text);
}

/**
 * ts_trigger_row_load:
 * @self: a row
 * @connection: a connection
 *
 * Shows the trigger of @connection.
 *
 * Thread: main
 */
void
ts_trigger_row_load (TsTriggerRow *self,
                     TsConnection *connection)
{
  const char *text;
  TsTriggerAction action = TS_TRIGGER_STOP;

  g_return_if_fail (TS_IS_TRIGGER_ROW (self));
  g_return_if_fail (TS_IS_CONNECTION (connection));

  text = ts_connection_get_string (connection, "trigger");
  ts_trigger_action_from_name (ts_connection_get_string (connection, "trigger-action"), &action);
  self->is_loading = TRUE;
  gtk_editable_set_text (GTK_EDITABLE (self->condition), text != NULL ? text : "");
  set_number (self->before, connection, "trigger-before-ms");
  set_number (self->after, connection, "trigger-after-ms");
  adw_combo_row_set_selected (ADW_COMBO_ROW (self->action), action);
  adw_expander_row_set_enable_expansion (ADW_EXPANDER_ROW (self), text != NULL);
  self->is_loading = FALSE;
}

static gboolean
store_number (GtkWidget *row,
              TsConnection *connection,
              const char *key,
              GError **error)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));

  if (*text == '\0' || g_strcmp0 (text, ts_connection_find_key (key)->default_value) == 0)
    return TRUE;
  return ts_connection_set_from_text (connection, key, text, error);
}

/**
 * ts_trigger_row_store:
 * @self: a row
 * @connection: a connection
 * @error: return location
 *
 * Sets the trigger of @connection, or removes it.
 *
 * Thread: main
 * Errors: those of ts_connection_set_from_text(); a condition that is missing
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
ts_trigger_row_store (TsTriggerRow *self,
                      TsConnection *connection,
                      GError **error)
{
  static const char *const keys[]
      = { "trigger", "trigger-before-ms", "trigger-after-ms", "trigger-action" };
  g_autofree char *text = NULL;
  TsTriggerAction action;

  g_return_val_if_fail (TS_IS_TRIGGER_ROW (self), FALSE);
  g_return_val_if_fail (TS_IS_CONNECTION (connection), FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    ts_connection_unset (connection, keys[i]);
  if (!adw_expander_row_get_enable_expansion (ADW_EXPANDER_ROW (self)))
    return TRUE;

  text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->condition))));
  if (*text == '\0')
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG,
                           _ ("The trigger has no condition: write one such as kind:heap_fail, or "
                              "switch it off."));
      return FALSE;
    }
  action = (TsTriggerAction) adw_combo_row_get_selected (ADW_COMBO_ROW (self->action));
  return ts_connection_set_from_text (connection, "trigger", text, error) &&
         store_number (self->before, connection, "trigger-before-ms", error) &&
         store_number (self->after, connection, "trigger-after-ms", error) &&
         (action == TS_TRIGGER_STOP ||
          ts_connection_set_from_text (connection, "trigger-action",
                                       ts_trigger_action_get_name (action), error));
}

/**
 * ts_trigger_row_get_row:
 * @self: a row
 * @key: "trigger", "trigger-before-ms", "trigger-after-ms" or "trigger-action"
 *
 * Thread: main
 *
 * Returns: (transfer none) (nullable): the row of @key
 */
GtkWidget *
ts_trigger_row_get_row (TsTriggerRow *self,
                        const char *key)
{
  g_return_val_if_fail (TS_IS_TRIGGER_ROW (self), NULL);
  return g_str_equal (key, "trigger")             ? self->condition
         : g_str_equal (key, "trigger-before-ms") ? self->before
         : g_str_equal (key, "trigger-after-ms")  ? self->after
         : g_str_equal (key, "trigger-action")    ? self->action
                                                  : NULL;
}
