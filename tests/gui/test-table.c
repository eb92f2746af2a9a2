/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-table.c: tables of any number of rows. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/ts-column-title.h"
#include "ui/ts-table-model.h"
#include "ui/ts-table.h"

#include "window-fixture.h"

static TsTableRow *
make_row (guint32 lane,
          const char *name,
          int number)
{
  TsTableRow *row = ts_table_row_new (2, lane, -1, -1);

  ts_table_row_set_text (row, 0, g_strdup (name));
  ts_table_row_set_number (row, 1, g_strdup_printf ("%d", number), number);
  return row;
}

static GPtrArray *
make_rows (int first_number,
           guint n)
{
  static const char *const names[] = { "ctrl", "sensor", "logger" };
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (rows, make_row (i + 1, names[i], i == 0 ? first_number : (int) i * 10));
  return rows;
}

static void
count_changes (GListModel *model,
               guint position,
               guint n_removed,
               guint n_added,
               guint *n_changes)
{
  *n_changes += n_removed + n_added;
}

/* Figures made anew: a row about the same lane stays, and so do its widgets; the order follows. Of
 * a table that nobody sees no widget is made. */
static void
test_stays (void)
{
  GtkWidget *widget = ts_table_new ("test");
  TsTable *table = TS_TABLE (widget);
  g_autoptr (GPtrArray) rows = make_rows (5, 2);
  g_autoptr (GPtrArray) later = make_rows (15, 2);
  g_autoptr (GPtrArray) more = make_rows (15, 3);
  GListModel *shown;
  GtkWindow *window;
  guint n_changes = 0;

  ts_table_add_column (table, "Lane", 100, FALSE);
  ts_table_add_column (table, "Runs", 0, TRUE);
  shown = G_LIST_MODEL (gtk_column_view_get_model (
      GTK_COLUMN_VIEW (gui_test_find (widget, GTK_TYPE_COLUMN_VIEW))));
  ts_table_set_rows (table, rows);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, 0);
  window = gui_test_show (widget, 400, 300);
  gui_test_iterate (20);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, 2);
  ts_table_sort (table, 1, GTK_SORT_ASCENDING);
  g_assert_cmpstr (gui_test_get_cell (table, 0, 0), ==, "ctrl");

  g_signal_connect (shown, "items-changed", G_CALLBACK (count_changes), &n_changes);
  ts_table_set_rows (table, rows);
  g_assert_cmpuint (n_changes, ==, 0);
  ts_table_set_rows (table, later);
  g_assert_cmpstr (gui_test_get_cell (table, 0, 0), ==, "sensor");
  g_assert_cmpstr (gui_test_get_cell (table, 1, 1), ==, "15");
  /* what the table was given is not its to change */
  g_assert_cmpstr (ts_table_row_get_text (rows->pdata[0], 1), ==, "5");
  n_changes = 0;
  ts_table_set_rows (table, more);
  g_assert_cmpuint (n_changes, ==, 1);
  g_assert_cmpuint (ts_table_get_n_rows (table), ==, 3);
  ts_table_set_rows (table, rows);
  g_assert_cmpuint (ts_table_get_n_rows (table), ==, 2);
  g_assert_cmpstr (gui_test_get_cell (table, 0, 1), ==, "5");
  gtk_window_destroy (window);
}

/* Many rows that are only numbers: row i is about lane i + 1, and says i % 7 as text and some hash
 * of i as a number. */
#define N_MANY 100000

static guint
get_hash (guint row)
{
  return row * 2654435761u % 1000;
}

static void
many_get_place (gconstpointer data,
                guint row,
                TsTablePlace *place)
{
  *place = (TsTablePlace) { row + 1, row * 10, row * 10 + 5 };
}

static double
many_get_key (gconstpointer data,
              guint row,
              guint column)
{
  return get_hash (row);
}

static const char *
many_get_text (gconstpointer data,
               guint row,
               guint column)
{
  static const char *const texts[] = { "delta", "alpha", "echo", "bravo", "golf", "charlie", "foxtrot" };

  return texts[row % G_N_ELEMENTS (texts)];
}

/* @data: how many were filled */
static void
many_fill (gconstpointer data,
           guint row,
           TsTableRow *into)
{
  (*(guint *) (gpointer) data)++;
  ts_table_row_set_text (into, 0, g_strdup (many_get_text (data, row, 0)));
  ts_table_row_set_number (into, 1, g_strdup_printf ("%u", get_hash (row)), get_hash (row));
}

static const TsTableRowsFuncs many = { many_get_place, many_get_key, many_get_text, many_fill };

static guint
get_number (TsTable *table,
            guint row)
{
  return gui_test_get_place (table, row).lane - 1;
}

/* Rows are objects where somebody looks, and only there: however many there are, whatever they are
 * sorted by, and when others come. What is selected stays so, wherever it goes. */
static void
test_on_demand (void)
{
  GtkWidget *widget = ts_table_new ("test");
  TsTable *table = TS_TABLE (widget);
  guint n_filled = 0;
  g_autoptr (TsTableRows) rows = ts_table_rows_new (&many, N_MANY, 2, &n_filled, NULL);
  g_autoptr (TsTableRows) fewer = ts_table_rows_new (&many, N_MANY / 2, 2, &n_filled, NULL);
  g_autoptr (TsTableRow) selected = NULL;
  g_autoptr (TsTableRow) again = NULL;
  GtkSingleSelection *selection;
  GtkWindow *window;
  guint n_bound;

  ts_table_add_column (table, "Text", 100, FALSE);
  ts_table_add_column (table, "Number", 0, TRUE);
  selection = ts_table_get_selection (table);
  ts_table_set_row_set (table, rows);
  g_assert_cmpuint (ts_table_get_n_made (table), ==, 0);
  window = gui_test_show (widget, 400, 300);
  gui_test_iterate (20);
  g_assert_cmpuint (ts_table_get_n_rows (table), ==, N_MANY);
  n_bound = ts_table_get_n_made (table);
  g_assert_cmpuint (n_bound, >, 0);
  g_assert_cmpuint (n_bound, <, 40);
  g_assert_cmpuint (n_filled, <, 200);
  gtk_single_selection_set_selected (selection, 3);
  selected = g_object_ref (gtk_single_selection_get_selected_item (selection));

  ts_table_sort (table, 1, GTK_SORT_DESCENDING);
  for (guint i = 1; i < N_MANY; i += 97)
    g_assert_cmpuint (get_hash (get_number (table, i - 1)), >=, get_hash (get_number (table, i)));
  ts_table_sort (table, 0, GTK_SORT_ASCENDING);
  g_assert_cmpstr (gui_test_get_cell (table, 0, 0), ==, "alpha");
  g_assert_cmpuint (get_number (table, 0), ==, 1);
  g_assert_cmpstr (gui_test_get_cell (table, N_MANY - 1, 0), ==, "golf");
  for (guint i = 1; i < N_MANY; i += 97)
    {
      guint a = get_number (table, i - 1);
      guint b = get_number (table, i);
      int order = strcmp (many_get_text (NULL, a, 0), many_get_text (NULL, b, 0));

      g_assert_cmpint (order, <=, 0);
      if (order == 0)
        g_assert_cmpuint (a, <, b);
    }
  g_assert_true (gtk_single_selection_get_selected_item (selection) == (gpointer) selected);
  g_assert_cmpuint (gtk_single_selection_get_selected (selection), !=, 3);
  g_assert_cmpuint (get_number (table, gtk_single_selection_get_selected (selection)), ==, 3);
  gui_test_iterate (20);
  g_assert_cmpuint (ts_table_get_n_made (table), <, 1000);

  /* the same again, and half of it */
  ts_table_set_row_set (table, fewer);
  g_assert_cmpuint (ts_table_get_n_rows (table), ==, N_MANY / 2);
  g_assert_true (gtk_single_selection_get_selected_item (selection) == (gpointer) selected);
  again = ts_table_get_row (table, gtk_single_selection_get_selected (selection));
  g_assert_true (again == selected);
  gui_test_iterate (20);
  g_assert_cmpuint (ts_table_get_n_made (table), <, 1000);
  g_assert_cmpuint (n_filled, <, 10000);
  gtk_window_destroy (window);
}

static void
note_place (TsTable *table,
            guint lane,
            gint64 begin,
            gint64 end,
            guint *seen)
{
  *seen = lane - 1;
}

static guint
get_n_widgets (GtkWidget *list)
{
  guint n = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    n++;
  return n;
}

static void
press_key (GtkColumnView *view,
           guint keyval)
{
  GtkEventController *keys
      = gui_test_find_controller (GTK_WIDGET (view), GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  gboolean is_handled = FALSE;

  g_signal_emit_by_name (keys, "key-pressed", keyval, 0u, 0, &is_handled);
  g_assert_true (is_handled);
}

/* The first row on screen. */
static guint
get_first (GtkColumnView *view)
{
  g_autoptr (TsTableRow) row
      = g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (view)), 0);

  return ts_table_row_get_lane (row) - 1;
}

/* There are widgets for the rows on screen only, keys reach all rows, and a row that is activated is
 * the one that stands there. */
static void
test_window (void)
{
  GtkWidget *widget = ts_table_new ("test");
  TsTable *table = TS_TABLE (widget);
  guint n_filled = 0;
  g_autoptr (TsTableRows) rows = ts_table_rows_new (&many, N_MANY, 2, &n_filled, NULL);
  GtkColumnView *view = GTK_COLUMN_VIEW (gui_test_find (widget, GTK_TYPE_COLUMN_VIEW));
  GtkSingleSelection *selection = ts_table_get_selection (table);
  GtkWindow *window;
  GtkWidget *list;
  guint seen = G_MAXUINT;
  guint page;

  ts_table_add_column (table, "Text", 100, FALSE);
  ts_table_add_column (table, "Number", 0, TRUE);
  ts_table_set_row_set (table, rows);
  window = gui_test_show (widget, 400, 300);
  g_signal_connect (table, "go-to", G_CALLBACK (note_place), &seen);
  list = ts_column_view_get_list (view);
  gui_test_iterate (20);
  page = get_n_widgets (list);
  g_assert_cmpuint (page, >, 4);
  g_assert_cmpuint (page, <, 30);
  gtk_widget_grab_focus (gtk_widget_get_first_child (list));

  press_key (view, GDK_KEY_End);
  gui_test_iterate (20);
  g_assert_cmpuint (gtk_single_selection_get_selected (selection), ==, N_MANY - 1);
  g_assert_cmpuint (get_first (view), >, N_MANY - 30);
  g_assert_cmpuint (get_n_widgets (list), <=, page);
  g_signal_emit_by_name (view, "activate", 0);
  g_assert_cmpuint (seen, ==, get_first (view));

  press_key (view, GDK_KEY_KP_Up);
  g_assert_cmpuint (gtk_single_selection_get_selected (selection), ==, N_MANY - 2);
  press_key (view, GDK_KEY_Page_Up);
  press_key (view, GDK_KEY_Page_Up);
  g_assert_cmpuint (gtk_single_selection_get_selected (selection), <, N_MANY - 2 - page);
  g_assert_cmpuint (get_first (view), ==, gtk_single_selection_get_selected (selection));
  press_key (view, GDK_KEY_Home);
  gui_test_iterate (20);
  g_assert_cmpuint (get_first (view), ==, 0);
  g_assert_true (gtk_selection_model_is_selected (gtk_column_view_get_model (view), 0));
  press_key (view, GDK_KEY_KP_Down);
  g_assert_true (gtk_selection_model_is_selected (gtk_column_view_get_model (view), 1));
  g_assert_false (gtk_selection_model_is_selected (gtk_column_view_get_model (view), 0));
  gtk_window_destroy (window);
}

static guint
get_number_of (TsTableModel *model,
               guint position)
{
  g_autoptr (TsTableRow) row = g_list_model_get_item (G_LIST_MODEL (model), position);

  return ts_table_row_get_lane (row) - 1;
}

/* By the text, and of the same text by the number, and of the same number as they were given. */
static void
test_order (void)
{
  g_autoptr (TsTableModel) model = ts_table_model_new ();
  g_autoptr (TsTableRows) rows = ts_table_rows_new (&many, 20000, 2, NULL, NULL);
  const TsTableOrder orders[] = { { 0, FALSE, TRUE }, { 1, TRUE, FALSE } };
  guint n_changes = 0;

  ts_table_model_set_rows (model, rows);
  ts_table_model_set_order (model, orders, G_N_ELEMENTS (orders));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, 20000);
  for (guint i = 1; i < 20000; i++)
    {
      guint a = get_number_of (model, i - 1);
      guint b = get_number_of (model, i);
      int order = strcmp (many_get_text (NULL, a, 0), many_get_text (NULL, b, 0));

      g_assert_cmpint (order, >=, 0);
      if (order == 0 && get_hash (a) == get_hash (b))
        g_assert_cmpuint (a, <, b);
      else if (order == 0)
        g_assert_cmpuint (get_hash (a), <, get_hash (b));
    }
  g_assert_cmpuint (ts_table_model_get_n_made (model), ==, 0);
  g_signal_connect (model, "items-changed", G_CALLBACK (count_changes), &n_changes);
  ts_table_model_set_rows (model, rows);
  g_assert_cmpuint (n_changes, ==, 0);
  ts_table_model_set_order (model, NULL, 0);
  for (guint i = 0; i < 20000; i += 97)
    g_assert_cmpuint (get_number_of (model, i), ==, i);
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/table/stays", test_stays);
  g_test_add_func ("/gui/table/on-demand", test_on_demand);
  g_test_add_func ("/gui/table/window", test_window);
  g_test_add_func ("/gui/table/order", test_order);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
