/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who has no mouse, does not see, or sees little: everything is reached by keys, has a role and a name,
 * and grows with the text.
 */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/draw/ts-painter.h"
#include "ui/ts-capture-panel.h"
#include "ui/ts-choice-list.h"
#include "ui/ts-event-list.h"
#include "ui/ts-export-dialog.h"
#include "ui/ts-inspector.h"
#include "ui/ts-numbers.h"
#include "ui/ts-preferences.h"
#include "ui/ts-progress.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

static TsWindow *
new_window (const char *data_name)
{
  TsWindow *window = ts_window_new (window_fixture_get_application ());

  gtk_window_set_default_size (GTK_WINDOW (window), 1270, 780);
  gtk_window_present (GTK_WINDOW (window));
  if (data_name != NULL)
    {
      g_autofree char *path = gui_test_make_recording (data_name);
      g_autoptr (GFile) file = g_file_new_for_path (path);

      ts_window_open (window, file);
      gui_test_wait (window_fixture_has_recording, window);
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-capture", NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  gui_test_iterate (100);
  return window;
}

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
         GTK_IS_CHECK_BUTTON (widget) || GTK_IS_RANGE (widget) || TS_IS_TIMELINE (widget) || GTK_IS_COLUMN_VIEW (widget);
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

static char *
describe (GtkWidget *widget)
{
  GString *text = g_string_new (G_OBJECT_TYPE_NAME (widget));
  const char *tooltip = gtk_widget_get_tooltip_text (widget);
  GtkWidget *label = gui_test_find (widget, GTK_TYPE_LABEL);

  if (tooltip != NULL || label != NULL)
    g_string_append_printf (text, " \"%s\"",
                            tooltip != NULL ? tooltip : gtk_label_get_text (GTK_LABEL (label)));
  g_string_append_printf (text, " in %s", G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)));
  return g_string_free (text, FALSE);
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
          g_autofree char *text = describe (focus);

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
      text = describe (widget);
      g_string_append_printf (missing, "not reached: %s; ", text);
    }
  g_assert_cmpstr (missing->str, ==, "");
  return g_hash_table_size (met);
}

static void
test_walk_empty (void)
{
  TsWindow *window = new_window (NULL);

  g_assert_cmpuint (walk (GTK_WINDOW (window)), >=, 12);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_walk_recording (void)
{
  static const char * const tabs[] = { "events", "statistics", "findings", "communication",
                                       "marks" };
  TsWindow *window = new_window ("m4_short.cobs");

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
  TsWindow *window = new_window ("m4_short.cobs");
  GtkWindow *dialog;
  GtkWidget *list;

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
  gtk_window_destroy (dialog);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- panes ------------------------------------------------------------------------------------ */

static GType
get_pane (TsWindow *window)
{
  const GType panes[] = { ADW_TYPE_HEADER_BAR, TS_TYPE_CAPTURE_PANEL, TS_TYPE_TIMELINE,
                          TS_TYPE_INSPECTOR };
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  for (guint i = 0; i < G_N_ELEMENTS (panes); i++)
    if (focus != NULL && gtk_widget_get_ancestor (focus, panes[i]) != NULL)
      return panes[i];
  return focus != NULL && gtk_widget_get_ancestor (focus, GTK_TYPE_PANED) != NULL ? GTK_TYPE_PANED
                                                                                  : G_TYPE_INVALID;
}

/* F6 goes round: header, capture panel, timeline, lists, inspector; Shift+F6 the other way. */
static void
test_panes (void)
{
  TsWindow *window = new_window ("m4_short.cobs");
  GType order[6];
  g_auto (GStrv) next = gtk_application_get_accels_for_action (window_fixture_get_application (),
                                                               "win.next-pane");
  guint n = 0;

  g_assert_cmpstr (next[0], ==, "F6");
  gtk_widget_grab_focus (gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE));
  do
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.next-pane", NULL);
      order[n++] = get_pane (window);
      g_assert_true (gtk_window_get_focus_visible (GTK_WINDOW (window)));
    }
  while (n < 6 && order[n - 1] != TS_TYPE_TIMELINE);
  g_assert_cmpuint (n, ==, 5);
  g_assert_true (order[0] == GTK_TYPE_PANED);
  g_assert_true (order[1] == TS_TYPE_INSPECTOR);
  g_assert_true (order[2] == ADW_TYPE_HEADER_BAR);
  g_assert_true (order[3] == TS_TYPE_CAPTURE_PANEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-pane", NULL);
  g_assert_true (get_pane (window) == TS_TYPE_CAPTURE_PANEL);
  /* a pane that is not seen is left out */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-events", NULL);
  gtk_widget_grab_focus (gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-pane", NULL);
  g_assert_true (get_pane (window) == TS_TYPE_INSPECTOR);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- every action has a key, a menu or a control ---------------------------------------------- */

static void
list_actions_of_menu (GMenuModel *menu,
                      GHashTable *found)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autofree char *action = NULL;
      g_autoptr (GMenuLinkIter) links = g_menu_model_iterate_item_links (menu, i);

      if (g_menu_model_get_item_attribute (menu, i, "action", "s", &action))
        g_hash_table_add (found, g_steal_pointer (&action));
      while (g_menu_link_iter_next (links))
        {
          g_autoptr (GMenuModel) inner = g_menu_link_iter_get_value (links);

          list_actions_of_menu (inner, found);
        }
    }
}

/* Keys of a widget alone, such as the timeline's. */
static void
list_actions_of_keys (GtkWidget *widget,
                      GHashTable *found)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      for (guint j = 0; GTK_IS_SHORTCUT_CONTROLLER (controller) &&
                        j < g_list_model_get_n_items (G_LIST_MODEL (controller));
           j++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), j);
          GtkShortcutAction *action = gtk_shortcut_get_action (shortcut);

          if (GTK_IS_NAMED_ACTION (action))
            g_hash_table_add (
                found, g_strdup (gtk_named_action_get_action_name (GTK_NAMED_ACTION (action))));
        }
    }
}

static void
list_actions (GtkWidget *widget,
              GHashTable *found)
{
  GtkWidget *child;

  list_actions_of_keys (widget, found);

  if (GTK_IS_ACTIONABLE (widget) &&
      gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)) != NULL)
    g_hash_table_add (found,
                      g_strdup (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget))));
  if (GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)))
    list_actions_of_menu (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (widget)), found);
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_actions (child, found);
}

static void
test_actions (void)
{
  /* with a parameter that only the program knows, or made for tests */
  static const char * const inner[] = { "win.open-uri", "win.export-to",    "win.mark-as",
                                        "win.nothing",  "win.show-tab",     "win.align",
                                        "win.compare-with", NULL };
  TsWindow *window = new_window ("m4_short.cobs");
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) missing = g_string_new (NULL);
  g_auto (GStrv) with_keys = gtk_application_list_action_descriptions (
      window_fixture_get_application ());
  guint n = 0;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.search", NULL);
  list_actions (GTK_WIDGET (window), found);
  for (guint i = 0; with_keys[i] != NULL; i++)
    g_hash_table_add (found, g_strdup (with_keys[i]));
  for (guint i = 0;; i++)
    {
      GType owner;
      const char *name;
      const GVariantType *type;
      const char *property;

      if (!gtk_widget_class_query_action (GTK_WIDGET_GET_CLASS (window), i, &owner, &name, &type,
                                          &property))
        break;
      if (!g_str_has_prefix (name, "win.") || g_strv_contains (inner, name))
        continue;
      n++;
      if (!g_hash_table_contains (found, name))
        g_string_append_printf (missing, "%s ", name);
    }
  g_assert_cmpstr (missing->str, ==, "");
  g_assert_cmpuint (n, >, 20);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- the timeline for a screen reader --------------------------------------------------------- */

static guint
count_lanes (GtkWidget *timeline)
{
  GtkWidget *child = gtk_widget_get_first_child (timeline);
  guint n = 0;

  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    n += gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (child)) ==
         GTK_ACCESSIBLE_ROLE_LIST_ITEM;
  return n;
}

static gboolean
has_lanes (gpointer timeline)
{
  return count_lanes (timeline) > 0;
}

static void
test_lanes (void)
{
  TsWindow *window = new_window ("m4_short.cobs");
  TsViewState *view = ts_window_get_view (window);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  TsRecording *recording = ts_view_state_get_recording (view);
  GtkWidget *child;
  const TsViewRow *rows;
  guint n_rows;
  guint n_lanes = 0;
  guint32 ctrl = 0;
  gboolean is_found = FALSE;

  gui_test_wait (has_lanes, timeline);
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (timeline), GTK_ACCESSIBLE_ROLE_LIST);
  rows = ts_view_state_get_rows (view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      const TsLaneInfo *lane = ts_recording_get_lane (recording, rows[i].lane);

      n_lanes += rows[i].is_header ? 0 : 1;
      if (!rows[i].is_header && g_strcmp0 (lane->name, "Ctrl") == 0)
        ctrl = lane->id;
    }
  g_assert_cmpuint (count_lanes (timeline), ==, n_lanes);
  /* m4_short: "Ctrl" is a task of priority 5 */
  g_assert_cmpuint (ctrl, !=, 0);
  ts_view_state_select_lane (view, ctrl);
  gui_test_iterate (700);
  for (child = gtk_widget_get_first_child (timeline); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      g_autofree char *wrong = NULL;

      if (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (child)) !=
          GTK_ACCESSIBLE_ROLE_LIST_ITEM)
        continue;
      wrong = gtk_test_accessible_check_property (GTK_ACCESSIBLE (child),
                                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                                  "Ctrl, Task, priority 5");
      if (wrong != NULL)
        continue;
      is_found = TRUE;
      gtk_test_accessible_assert_state (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_STATE_SELECTED,
                                        TRUE);
      g_assert_cmpint (gtk_widget_get_height (child), >, 4);
      g_assert_false (gtk_widget_get_can_target (child));
    }
  g_assert_true (is_found);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- large text ------------------------------------------------------------------------------- */

static int
get_row_height (TsWindow *window)
{
  guint n;
  const TsViewRow *rows = ts_view_state_get_rows (ts_window_get_view (window), &n);

  for (guint i = 0; i < n; i++)
    if (!rows[i].is_header)
      return rows[i].height;
  return 0;
}

typedef struct
{
  TsWindow *window;
  int height;
} RowHeight;

static gboolean
has_row_height (gpointer wanted)
{
  return get_row_height (((RowHeight *) wanted)->window) >= ((RowHeight *) wanted)->height;
}

static void
check_clipped (GtkWidget *widget,
               GString *clipped)
{
  GtkWidget *child;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_child_visible (widget))
    return;
  if (GTK_IS_LABEL (widget) && gtk_widget_get_ancestor (widget, GTK_TYPE_COLUMN_VIEW) == NULL)
    {
      int minimum;
      int least;

      gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL,
                          MAX (gtk_widget_get_width (widget), least), &minimum, NULL, NULL, NULL);
      if (gtk_widget_get_height (widget) < minimum - 1)
        {
          g_autofree char *text = describe (widget);

          g_string_append_printf (clipped, "%s: %d for %d; ", text, gtk_widget_get_height (widget),
                                  minimum);
        }
    }
  for (child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_clipped (child, clipped);
}

/* Text of twice the size: rows of the timeline follow, and no text is cut. */
/* Widths of all columns of all tables, in their order. */
static GArray *
get_column_widths (GtkWidget *widget,
                   GArray *widths)
{
  if (GTK_IS_COLUMN_VIEW (widget))
    {
      GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (widget));

      for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
        {
          g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
          int width = gtk_column_view_column_get_fixed_width (column);

          g_array_append_val (widths, width);
        }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    get_column_widths (child, widths);
  return widths;
}

/* Figures in columns stay readable: their columns grow as the text does, and shrink again. */
static void
check_column_widths (const GArray *before,
                     const GArray *after,
                     int times)
{
  g_assert_cmpuint (before->len, >, 10);
  g_assert_cmpuint (before->len, ==, after->len);
  for (guint i = 0; i < before->len; i++)
    {
      int width = g_array_index (before, int, i);

      /* widths are whole pixels before and after */
      g_assert_cmpint (ABS (g_array_index (after, int, i) - (width > 0 ? width * times : width)), <=,
                       times);
    }
}

static void
test_large_text (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  TsWindow *window = new_window ("m4_short.cobs");
  g_autoptr (GString) clipped = g_string_new (NULL);
  int before = get_row_height (window);
  RowHeight wanted = { window, 0 };
  g_autoptr (GArray) usual = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) large = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) again = g_array_new (FALSE, FALSE, sizeof (int));
  int dpi;
  int width;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  get_column_widths (GTK_WIDGET (window), usual);
  g_assert_cmpint (before, >, 0);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  wanted.height = 2 * before - 3;
  gui_test_wait (has_row_height, &wanted);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                      NULL);
  g_test_message ("smallest width of the window at 200 %%: %d", width);
  g_assert_cmpint (width, <=, 1366);
  check_clipped (GTK_WIDGET (window), clipped);
  g_assert_cmpstr (clipped->str, ==, "");
  check_column_widths (usual, get_column_widths (GTK_WIDGET (window), large), 2);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
  gui_test_iterate (100);
  check_column_widths (usual, get_column_widths (GTK_WIDGET (window), again), 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* --- right to left ---------------------------------------------------------------------------- */

static double
get_x (GtkWidget *widget,
       TsWindow *window)
{
  graphene_point_t point;

  g_assert_true (gtk_widget_compute_point (widget, GTK_WIDGET (window),
                                           &GRAPHENE_POINT_INIT (0, 0), &point));
  return point.x;
}

/* What stands for a lane comes within half a second. */
static GtkWidget *
find_lane (GtkWidget *timeline)
{
  GtkWidget *lane = gtk_widget_get_first_child (timeline);

  while (lane != NULL && strcmp (gtk_widget_get_css_name (lane), "lane") != 0)
    lane = gtk_widget_get_next_sibling (lane);
  return lane;
}

static gboolean
has_lane (gpointer timeline)
{
  GtkWidget *lane = find_lane (timeline);

  return lane != NULL && gtk_widget_get_height (lane) > 4;
}

/* A press where the headers are in languages from right to left selects the lane; one on the other
 * side does not. */
static void
check_header_side (GtkWidget *timeline,
                   TsViewState *view)
{
  GtkEventController *drag = gui_test_find_controller (timeline, GTK_TYPE_GESTURE_DRAG, 1);
  graphene_rect_t bounds;
  double y;

  gui_test_wait (has_lane, timeline);
  g_assert_true (gtk_widget_compute_bounds (find_lane (timeline), timeline, &bounds));
  y = bounds.origin.y + bounds.size.height / 2;
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), ==, 0);
  g_signal_emit_by_name (drag, "drag-begin", 12.0, y);
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), ==, 0);
  g_signal_emit_by_name (drag, "drag-begin", (double) gtk_widget_get_width (timeline) - 12, y);
  g_assert_cmpuint (ts_view_state_get_selected_lane (view), !=, 0);
}

/* The layout is mirrored; time runs from left to right all the same. */
static void
test_right_to_left (void)
{
  TsWindow *window;
  TsViewState *view;
  GtkWidget *timeline;
  double capture_x;
  double timeline_x;
  double inspector_x;
  gint64 begin;

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  window = new_window ("m4_short.cobs");
  view = ts_window_get_view (window);
  timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-capture", NULL);
  g_object_set (window, "show-capture", TRUE, "show-inspector", TRUE, NULL);
  gui_test_iterate (300);
  capture_x = get_x (gui_test_find (GTK_WIDGET (window), TS_TYPE_CAPTURE_PANEL), window);
  timeline_x = get_x (timeline, window);
  inspector_x = get_x (gui_test_find (GTK_WIDGET (window), TS_TYPE_INSPECTOR), window);
  g_test_message ("inspector %g, timeline %g, capture panel %g", inspector_x, timeline_x,
                  capture_x);
  g_assert_cmpfloat (inspector_x, <, timeline_x);
  g_assert_cmpfloat (timeline_x, <, capture_x);
  g_assert_cmpfloat (ts_view_state_tick_to_x (view, ts_view_state_get_begin (view), 1000), <,
                     ts_view_state_tick_to_x (view,
                                              ts_view_state_get_begin (view) +
                                                  ts_view_state_get_span (view) / 2,
                                              1000));
  /* headers of lanes are on the right: a click there selects the lane and no time */
  check_header_side (timeline, view);
  /* keys go by time, not by text: D and Page Down lead to later times */
  gtk_widget_activate_action (timeline, "timeline.zoom-in", NULL);
  begin = ts_view_state_get_begin (view);
  gtk_widget_activate_action (timeline, "timeline.pan", "d", 0.25);
  g_assert_cmpint (ts_view_state_get_begin (view), >, begin);
  gtk_window_destroy (GTK_WINDOW (window));
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

/* Groups of digits keep their order in a text that runs from right to left. */
static void
test_numbers (void)
{
  g_autofree char *plain = NULL;
  g_autofree char *mirrored = NULL;

  plain = ts_format_count (1234567);
  g_assert_cmpstr (plain, ==, "1\xe2\x80\x89" "234\xe2\x80\x89" "567");
  ts_format_use_locale (TRUE);
  mirrored = ts_format_count (1234567);
  ts_format_use_locale (FALSE);
  /* NARROW NO-BREAK SPACE, U+202F: bidirectional class CS */
  g_assert_cmpstr (mirrored, ==, "1\xe2\x80\xaf" "234\xe2\x80\xaf" "567");
}

/* --- high contrast ---------------------------------------------------------------------------- */

/* Ready is a tint elsewhere: in high contrast it has stripes of the text's colour. */
static void
test_high_contrast (void)
{
  static const gboolean contrasts[] = { FALSE, TRUE };
  g_autofree char *path = gui_test_make_demo (20000);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsRecording) recording = ts_recording_open (path, &error);
  g_autoptr (TsViewState) view = ts_view_state_new ();
  TsDisplayList *list = ts_display_list_new ();
  TsPainter *painter = ts_painter_new ();
  TsDisplayOptions options = { 0 };
  guint dark[2] = { 0, 0 };
  guint n_items;
  const TsItem *items;
  const TsItem *ready = NULL;

  g_assert_no_error (error);
  ts_view_state_set_recording (view, recording);
  ts_view_state_zoom (view, 40, 0.5);
  options.width = 1200;
  options.height = 700;
  options.line_height = ts_painter_get_line_height (painter);
  options.label_width = 150;
  options.pointer_x = options.pointer_y = -1;
  ts_view_state_set_row_height (view, 26, 20, 40);
  ts_display_list_build (list, view, &options);
  items = ts_display_list_get_items (list, &n_items);
  for (guint i = 0; i < n_items && ready == NULL; i++)
    if (items[i].type == TS_ITEM_RECT && items[i].ink == TS_INK_LANE_TINT && items[i].width >= 12 &&
        items[i].height >= 4 && items[i].x > 160 && items[i].x + items[i].width < 1190)
      ready = &items[i];
  g_assert_nonnull (ready);
  for (guint c = 0; c < G_N_ELEMENTS (contrasts); c++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1200, 700);
      cairo_t *cr = cairo_create (surface);

      ts_painter_set_palette (painter, ts_palette_get_default (FALSE, contrasts[c]));
      ts_painter_paint (painter, list, cr, FALSE);
      cairo_destroy (cr);
      cairo_surface_flush (surface);
      for (int y = (int) ready->y + 1; y < (int) (ready->y + ready->height) - 1; y++)
        {
          const guint32 *row = (const guint32 *) (const void *) (
              cairo_image_surface_get_data (surface) +
              (gsize) y * (gsize) cairo_image_surface_get_stride (surface));

          for (int x = (int) ready->x + 1; x < (int) (ready->x + ready->width) - 1; x++)
            dark[c] += (row[x] & 0xff) < 100 && ((row[x] >> 8) & 0xff) < 100;
        }
      cairo_surface_destroy (surface);
    }
  g_test_message ("dark pixels in a ready block: %u, in high contrast %u", dark[0], dark[1]);
  g_assert_cmpuint (dark[1], >, dark[0] + 4);
  ts_painter_free (painter);
  ts_display_list_free (list);
}

/* --- reduced motion --------------------------------------------------------------------------- */

static gboolean
has_class_inside (GtkWidget *widget,
                  const char *name)
{
  if (gtk_widget_has_css_class (widget, name))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_class_inside (child, name))
      return TRUE;
  return FALSE;
}

/* Work of unknown length moves to and fro, unless the desktop asks for reduced motion; and nothing of
 * the window waits for an animation then. */
static void
test_reduced_motion (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWidget *bar = gtk_progress_bar_new ();
  GtkWindow *place = gui_test_show (bar, 200, 40);
  TsWindow *window;
  GtkWidget *panel;
  gboolean before;

  g_object_get (settings, "gtk-enable-animations", &before, NULL);
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  ts_progress_show (GTK_PROGRESS_BAR (bar), -1.0);
  g_assert_true (has_class_inside (bar, "pulse"));
  ts_progress_show (GTK_PROGRESS_BAR (bar), 0.25);
  g_assert_false (has_class_inside (bar, "pulse"));
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (GTK_PROGRESS_BAR (bar)), ==, 0.25);

  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  ts_progress_show (GTK_PROGRESS_BAR (bar), -1.0);
  g_assert_false (has_class_inside (bar, "pulse"));
  gtk_window_destroy (place);

  window = new_window ("m4_short.cobs");
  panel = gui_test_find (GTK_WIDGET (window), TS_TYPE_CAPTURE_PANEL);
  g_object_set (window, "show-capture", FALSE, NULL);
  g_assert_false (gtk_widget_get_child_visible (panel));
  g_object_set (window, "show-capture", TRUE, NULL);
  g_assert_true (gtk_widget_get_child_visible (panel));
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_set (settings, "gtk-enable-animations", before, NULL);
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/access/walk-empty", test_walk_empty);
  g_test_add_func ("/gui/access/walk-recording", test_walk_recording);
  g_test_add_func ("/gui/access/walk-export", test_walk_export);
  g_test_add_func ("/gui/access/panes", test_panes);
  g_test_add_func ("/gui/access/actions", test_actions);
  g_test_add_func ("/gui/access/lanes", test_lanes);
  g_test_add_func ("/gui/access/large-text", test_large_text);
  g_test_add_func ("/gui/access/reduced-motion", test_reduced_motion);
  g_test_add_func ("/gui/access/right-to-left", test_right_to_left);
  g_test_add_func ("/gui/access/numbers", test_numbers);
  g_test_add_func ("/gui/access/high-contrast", test_high_contrast);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
