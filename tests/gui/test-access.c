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
#include "ui/ts-event-list.h"
#include "ui/ts-inspector.h"
#include "ui/ts-numbers.h"
#include "ui/ts-progress.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

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
  TsWindow *window = window_fixture_show ("m4_short.cobs");
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
  TsWindow *window = window_fixture_show ("m4_short.cobs");
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

/**
 * LaneItems:
 * @n: how many lanes there are
 * @label: what one of them says
 */
typedef struct
{
  GtkWidget *timeline;
  guint n;
  const char *label;
} LaneItems;

/* They are brought up to date in portions. */
static gboolean
has_lanes (gpointer user_data)
{
  const LaneItems *items = user_data;

  return count_lanes (items->timeline) == items->n;
}

static gboolean
has_label (gpointer user_data)
{
  const LaneItems *items = user_data;

  for (GtkWidget *child = gtk_widget_get_first_child (items->timeline); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      g_autofree char *wrong = NULL;

      if (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (child)) !=
          GTK_ACCESSIBLE_ROLE_LIST_ITEM)
        continue;
      wrong = gtk_test_accessible_check_property (
          GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, items->label);
      if (wrong == NULL)
        return TRUE;
    }
  return FALSE;
}

static void
test_lanes (void)
{
  TsWindow *window = window_fixture_show ("m4_short.cobs");
  TsViewState *view = ts_window_get_view (window);
  GtkWidget *timeline = gui_test_find (GTK_WIDGET (window), TS_TYPE_TIMELINE);
  TsRecording *recording = ts_view_state_get_recording (view);
  GtkWidget *child;
  const TsViewRow *rows;
  guint n_rows;
  guint n_lanes = 0;
  guint32 ctrl = 0;
  gboolean is_found = FALSE;
  LaneItems items = { timeline, 0, "Ctrl, Task, priority 5" };

  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (timeline), GTK_ACCESSIBLE_ROLE_LIST);
  rows = ts_view_state_get_rows (view, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    {
      const TsLaneInfo *lane = ts_recording_get_lane (recording, rows[i].lane);

      n_lanes += rows[i].is_header ? 0 : 1;
      if (!rows[i].is_header && g_strcmp0 (lane->name, "Ctrl") == 0)
        ctrl = lane->id;
    }
  items.n = n_lanes;
  gui_test_wait (has_lanes, &items);
  /* m4_short: "Ctrl" is a task of priority 5 */
  g_assert_cmpuint (ctrl, !=, 0);
  gui_test_wait (has_label, &items);
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

  /* the cursor moves while the items are brought up to date: they say what holds at the end; Ctrl runs
   * from 4.127160 ms on for 29.32 us, at 25 MHz */
  ts_view_state_set_cursor (view, 25000000);
  gui_test_iterate (20);
  ts_view_state_set_cursor (view, 103200);
  items.label = "Ctrl, Task, priority 5; at the cursor running for 29.320\xc2\xa0µs";
  gui_test_wait (has_label, &items);
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
          g_autofree char *text = gui_test_describe (widget);

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

/* The list has its place: time, difference, lane, kind and text; one that is still narrow has no kind. */
static gboolean
has_all_columns (gpointer window)
{
  GtkWidget *table = gui_test_find (gui_test_find (window, TS_TYPE_EVENT_LIST),
                                    GTK_TYPE_COLUMN_VIEW);
  GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (table));
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      n += gtk_column_view_column_get_visible (column);
    }
  return n == 5;
}

static void
test_large_text (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  TsWindow *window = window_fixture_show ("m4_short.cobs");
  g_autoptr (GString) clipped = g_string_new (NULL);
  int before = get_row_height (window);
  RowHeight wanted = { window, 0 };
  g_autoptr (GArray) usual = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) large = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) again = g_array_new (FALSE, FALSE, sizeof (int));
  int dpi;
  int width;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  gui_test_wait (has_all_columns, window);
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
  window = window_fixture_show ("m4_short.cobs");
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

  window = window_fixture_show ("m4_short.cobs");
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
