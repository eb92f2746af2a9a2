/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-walk.c: who has no mouse reaches every control of the window and of its dialogs by Tab and the
 * arrow keys, and each has a name.
 */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include "ui/ts-choice-list.h"
#include "ui/ts-export-dialog.h"
#include "ui/ts-preferences.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

/* --- names ------------------------------------------------------------------------------------ */

static gboolean
has_text_inside (GtkWidget *widget)
{
  GtkWidget *label = gui_test_find (widget, GTK_TYPE_LABEL);

  return label != NULL && *gtk_label_get_text (GTK_LABEL (label)) != '\0';
}

/* A name of its own, a text inside, a label that names it, or what stands around it does so. */
static gboolean
has_name (GtkWidget *widget)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  if (gtk_test_accessible_has_property (accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) ||
      gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY) ||
      gtk_widget_get_tooltip_text (widget) != NULL)
    return TRUE;
  return has_text_inside (widget);
}

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_SWITCH (widget) || GTK_IS_EDITABLE (widget) ||
         GTK_IS_DROP_DOWN (widget) || GTK_IS_LIST_BASE (widget) || GTK_IS_LIST_BOX_ROW (widget) ||
         GTK_IS_CHECK_BUTTON (widget) || GTK_IS_RANGE (widget) || TS_IS_TIMELINE (widget) ||
         GTK_IS_COLUMN_VIEW (widget);
}

static gboolean
is_named (GtkWidget *widget)
{
  int i;

  /* inner parts (the text of an entry, the button of a drop down, the switch of a row) have the
   * name of what holds them */
  for (i = 0; widget != NULL && i < 6; i++, widget = gtk_widget_get_parent (widget))
    if (has_name (widget))
      return TRUE;
  return FALSE;
}

static gboolean
is_in (GtkWidget *widget,
       GType type)
{
  return gtk_widget_get_ancestor (widget, type) != NULL;
}

static void
list_controls (GtkWidget *widget,
               GHashTable *controls)
{
  GtkWidget *child;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_sensitive (widget))
    return;
  if (gtk_widget_get_focusable (widget) && gtk_widget_get_can_focus (widget) &&
      is_control (widget) && !is_in (widget, GTK_TYPE_COLUMN_VIEW) &&
      !GTK_IS_WINDOW_CONTROLS (gtk_widget_get_parent (widget)))
    g_hash_table_add (controls, widget);
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_controls (child, controls);
}

/*
 * Presses Tab as often as it takes: every control that can have the focus gets it, by Tab or by the
 * arrow keys within its group, is named, and the focus is seen. Returns how many were met.
 */
static guint
walk (GtkWindow *window)
{
  g_autoptr (GHashTable) controls = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) missing = g_string_new (NULL);
  static const GtkDirectionType directions[] = { GTK_DIR_RIGHT, GTK_DIR_DOWN };
  GHashTableIter iter;
  gpointer key;
  GtkWidget *first = NULL;
  guint n;

  list_controls (GTK_WIDGET (window), controls);
  gtk_window_set_focus (window, NULL);
  for (n = 0; n < 400; n++)
    {
      GtkWidget *focus;

      gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD);
      focus = gtk_window_get_focus (window);
      if (focus == NULL)
        continue;
      if (focus == first)
        break;
      if (first == NULL)
        first = focus;
      g_hash_table_add (met, focus);
      if (is_control (focus) && !is_named (focus))
        {
          g_autofree char *text = gui_test_describe (focus);

          g_string_append_printf (missing, "no name: %s; ", text);
        }
      /* along a group of buttons or rows */
      for (guint i = 0; i < G_N_ELEMENTS (directions); i++)
        {
          GtkWidget *parent = gtk_widget_get_parent (focus);
          guint steps = 0;

          if (!GTK_IS_STACK_SWITCHER (parent) && !GTK_IS_LIST_BOX_ROW (focus))
            break;
          while (steps++ < 40 && gtk_widget_child_focus (parent, directions[i]))
            g_hash_table_add (met, gtk_window_get_focus (window));
          gtk_widget_grab_focus (focus);
        }
    }
  g_assert_cmpuint (n, <, 400);
  g_hash_table_iter_init (&iter, controls);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      GtkWidget *widget = key;
      gboolean is_met = g_hash_table_contains (met, widget);
      g_autofree char *text = NULL;
      GHashTableIter inner;
      gpointer other;

      /* a control in a control that was met, or around one: one stop for both */
      g_hash_table_iter_init (&inner, met);
      while (!is_met && g_hash_table_iter_next (&inner, &other, NULL))
        is_met = gtk_widget_is_ancestor (widget, other) || gtk_widget_is_ancestor (other, widget);
      /* rows of a list: one stop, then the arrow keys */
      if (!is_met && gtk_widget_get_ancestor (widget, GTK_TYPE_LIST_BOX) != NULL)
        {
          GtkWidget *list = gtk_widget_get_ancestor (widget, GTK_TYPE_LIST_BOX);

          g_hash_table_iter_init (&inner, met);
          while (!is_met && g_hash_table_iter_next (&inner, &other, NULL))
            is_met = gtk_widget_is_ancestor (other, list);
        }
      if (is_met)
        continue;
      text = gui_test_describe (widget);
      g_string_append_printf (missing, "not reached: %s; ", text);
    }
  g_assert_cmpstr (missing->str, ==, "");
  return g_hash_table_size (met);
}

/* Each switch and number has a role and the name of its row. */
static void
check_roles (GtkWidget *widget,
             guint *n)
{
  GtkAccessibleRole role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget));
  GtkWidget *child;

  /* such as the switches that rows which unfold could have */
  if (!gtk_widget_get_visible (widget))
    return;
  if (GTK_IS_SWITCH (widget) || GTK_IS_SPIN_BUTTON (widget))
    {
      GtkWidget *row = gtk_widget_get_ancestor (widget, ADW_TYPE_PREFERENCES_ROW);
      g_autoptr (GString) name = g_string_new (NULL);

      ++*n;
      g_test_message ("%s", adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)));
      g_assert_cmpint (role, ==, GTK_IS_SWITCH (widget) ? GTK_ACCESSIBLE_ROLE_SWITCH
                                                        : GTK_ACCESSIBLE_ROLE_SPIN_BUTTON);
      g_string_append (name, adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)));
      if (adw_preferences_row_get_use_underline (ADW_PREFERENCES_ROW (row)))
        g_string_replace (name, "_", "", 0);
      g_assert_cmpstr (name->str, !=, "");
      gtk_test_accessible_assert_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                           name->str);
    }
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_roles (child, n);
}

static void
test_walk_empty (void)
{
  TsWindow *window = window_fixture_show (NULL);
  guint n = 0;

  g_assert_cmpuint (walk (GTK_WINDOW (window)), >=, 12);
  /* of the capture panel */
  check_roles (GTK_WIDGET (window), &n);
  g_assert_cmpuint (n, >=, 2);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_walk_recording (void)
{
  static const char * const tabs[] = { "events", "statistics", "findings", "communication",
                                       "marks" };
  TsWindow *window = window_fixture_show ("m4_short.cobs");

  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++)
    {
      g_test_message ("with the tab %s", tabs[i]);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.show-tab", "s", tabs[i]);
      gui_test_iterate (100);
      g_assert_cmpuint (walk (GTK_WINDOW (window)), >=, 15);
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.search", NULL);
  gui_test_iterate (100);
  g_assert_cmpuint (walk (GTK_WINDOW (window)), >=, 15);
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkWindow *
find_dialog (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (G_OBJECT_TYPE (window) == type)
        return window;
    }
  g_assert_not_reached ();
}

/* The last choice of each row: lists are shown. */
static void
set_rows (GtkWidget *widget)
{
  GtkWidget *child;

  if (ADW_IS_COMBO_ROW (widget) &&
      !g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), "_Format"))
    {
      GListModel *model = adw_combo_row_get_model (ADW_COMBO_ROW (widget));

      adw_combo_row_set_selected (ADW_COMBO_ROW (widget), g_list_model_get_n_items (model) - 1);
      return;
    }
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    set_rows (child);
}

/* The dialog of exports, with both its lists; Escape leaves it. */
static void
test_walk_export (void)
{
  TsWindow *window = window_fixture_show ("m4_short.cobs");
  GtkWindow *dialog;
  GtkWidget *list;
  guint n = 0;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.export", NULL);
  dialog = find_dialog (TS_TYPE_EXPORT_DIALOG);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (dialog));
  g_assert_cmpuint (walk (dialog), >=, 7);
  set_rows (GTK_WIDGET (dialog));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (dialog));
  gui_test_iterate (100);
  g_assert_cmpuint (walk (dialog), >=, 13);
  list = gui_test_find (gui_test_find (GTK_WIDGET (dialog), TS_TYPE_CHOICE_LIST),
                        GTK_TYPE_LIST_VIEW);
  gtk_test_accessible_assert_property (list, GTK_ACCESSIBLE_PROPERTY_LABEL, "Lanes");
  g_assert_nonnull (gui_test_find (list, GTK_TYPE_CHECK_BUTTON));
  check_roles (GTK_WIDGET (dialog), &n);
  g_assert_cmpuint (n, ==, 1);
  gtk_window_destroy (dialog);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_walk_preferences (void)
{
  TsWindow *window = window_fixture_show (NULL);
  GtkWindow *preferences = ts_preferences_show (GTK_WINDOW (window));
  guint n = 0;

  gtk_test_widget_wait_for_draw (GTK_WIDGET (preferences));
  gui_test_iterate (100);
  /* four choices, seven switches, a size with its two buttons, one to clear */
  g_assert_cmpuint (walk (preferences), >=, 15);
  check_roles (GTK_WIDGET (preferences), &n);
  g_assert_cmpuint (n, ==, 8);
  gtk_window_destroy (preferences);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Names of any length make no list wider; the whole name is told all the same. */
static void
test_long_names (void)
{
  GtkWidget *list = g_object_new (TS_TYPE_CHOICE_LIST, NULL);
  g_autofree char *name = g_strnfill (400, 'm');
  g_autofree char *detail = g_strnfill (200, 'w');
  GtkWindow *window;
  GtkWidget *check;
  int width;

  ts_choice_list_add (TS_CHOICE_LIST (list), "key", name, detail, TRUE);
  window = gui_test_show (list, 480, 300);
  gtk_widget_measure (list, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 480);
  g_assert_cmpint (gtk_widget_get_width (list), ==, 480);
  check = gui_test_find (list, GTK_TYPE_CHECK_BUTTON);
  g_assert_true (gtk_check_button_get_active (GTK_CHECK_BUTTON (check)));
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  gtk_window_destroy (window);
}

/* No text that is seen in @widget is cut. */
static void
check_uncut (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (GTK_IS_LABEL (widget)
      && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    g_error ("“%s” is cut", gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_uncut (child);
}

/* With text of twice the size a dialog begins twice as large, as far as its window is. */
static void
test_large_dialogs (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  TsWindow *window = window_fixture_show ("m4_short.cobs");
  int dpi;
  int most_width = gtk_widget_get_width (GTK_WIDGET (window));
  int most_height = gtk_widget_get_height (GTK_WIDGET (window));
  GtkWindow *dialog;
  int width;
  int height;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.export", NULL);
  dialog = find_dialog (TS_TYPE_EXPORT_DIALOG);
  gtk_window_get_default_size (dialog, &width, &height);
  g_assert_cmpint (width, >, 1000);
  g_assert_cmpint (width, <=, most_width);
  g_assert_cmpint (height, ==, MAX (most_height, 640));
  /* the first choice has the focus */
  g_assert_true (ADW_IS_COMBO_ROW (gtk_window_get_focus (dialog)));
  /* and whatever is chosen there can be read */
  for (guint i = 0; i < TS_EXPORT_N_FORMATS; i++)
    {
      adw_combo_row_set_selected (ADW_COMBO_ROW (gtk_window_get_focus (dialog)), i);
      gui_test_iterate (50);
      check_uncut (GTK_WIDGET (gtk_window_get_focus (dialog)));
    }
  gtk_window_destroy (dialog);
  dialog = ts_preferences_show (GTK_WINDOW (window));
  gtk_window_get_default_size (dialog, &width, &height);
  g_assert_cmpint (width, >, 1000);
  g_assert_cmpint (width, <=, most_width);
  gtk_window_destroy (dialog);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/walk/empty", test_walk_empty);
  g_test_add_func ("/gui/walk/recording", test_walk_recording);
  g_test_add_func ("/gui/walk/export", test_walk_export);
  g_test_add_func ("/gui/walk/preferences", test_walk_preferences);
  g_test_add_func ("/gui/walk/long-names", test_long_names);
  g_test_add_func ("/gui/walk/large-dialogs", test_large_dialogs);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
