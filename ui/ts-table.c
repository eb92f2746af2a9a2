/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include "ui/ts-column-title.h"
#include "ui/ts-list-keys.h"
#include "ui/ts-table-model.h"
#include "ui/ts-table-window.h"
#include "ui/ts-table.h"
#include "ui/ts-text-scale.h"
#include "ui/ts-tip.h"

/* Before a row has been seen. */
#define ROW_HEIGHT 24

/**
 * TsTable:
 * @model, @selection: all rows
 * @window: those that are seen
 * @place: how many rows are above them
 * @wheel_rest: what was scrolled of a row
 * @pending: (nullable): what it shows once it is seen
 * @is_number: (element-type gboolean): of each column
 * @asked: while the sorter is asked what it sorts by: the column that says it differs
 * @answered: and those that were asked about, in order
 * @view: (nullable): how times are told in @time_column: those of the rows' places
 * @time_serial: what they were written with
 */
struct _TsTable
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkWidget *scrolled;
  GtkWidget *bar;
  GtkColumnView *column_view;
  TsTableModel *model;
  GtkSingleSelection *selection;
  TsTableWindow *window;
  GtkAdjustment *place;
  int row_height;
  double wheel_rest;
  guint layout_id;
  TsTableRows *pending;
  GArray *is_number;
  guint asked;
  GArray *answered;
  TsViewState *view;
  GSignalGroup *view_signals;
  guint time_column;
  guint time_serial;
};

enum
{
  SIGNAL_GO_TO,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsTable, ts_table, GTK_TYPE_WIDGET)

static void
go_to (TsTable *self,
       TsTableRow *row,
       int column)
{
  gint64 begin;
  gint64 end;

  if (column < 0 || !ts_table_row_get_link (row, (guint) column, &begin, &end))
    ts_table_row_get_place (row, &begin, &end);
  g_signal_emit (self, signals[SIGNAL_GO_TO], 0, ts_table_row_get_lane (row), begin, end);
}

static gboolean
on_link (GtkLabel *label,
         const char *uri,
         GtkListItem *item)
{
  TsTableRow *row = gtk_list_item_get_item (item);
  TsTable *self = g_object_get_data (G_OBJECT (label), "table");

  if (row != NULL)
    go_to (self, row, (int) g_ascii_strtoll (uri, NULL, 10));
  return TRUE;
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          TsTable *self)
{
  GtkWidget *label = gtk_label_new (NULL);
  gboolean is_number = g_object_get_data (G_OBJECT (factory), "is-number") != NULL;

  gtk_label_set_xalign (GTK_LABEL (label), is_number ? 1.0 : 0.0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_set_data (G_OBJECT (label), "table", self);
  g_object_set_data (G_OBJECT (label), "column",
                     g_object_get_data (G_OBJECT (factory), "column"));
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), item);
  gtk_list_item_set_child (item, label);
}

static void
write_cell (GtkListItem *item,
            TsTableRow *row)
{
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));
  TsTable *self = g_object_get_data (G_OBJECT (label), "table");
  guint column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "column"));
  const char *text = ts_table_row_get_text (row, column);
  g_autofree char *time = NULL;
  gint64 begin;
  gint64 end;

  if (self->view != NULL && column == self->time_column &&
      ts_table_row_get_place (row, &begin, &end) &&
      ts_view_state_get_recording (self->view) != NULL)
    text = time = ts_view_state_format_time (self->view, begin);
  if (*text != '\0' && ts_table_row_get_link (row, column, &begin, &end))
    {
      g_autofree char *markup = g_markup_printf_escaped ("<a href=\"%u\">%s</a>", column, text);

      gtk_label_set_markup (label, markup);
    }
  else
    {
      gtk_label_set_text (label, text);
    }
  ts_tip_set (GTK_WIDGET (label), g_utf8_strlen (text, -1) > 24 ? text : NULL);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *item,
         TsTable *self)
{
  TsTableRow *row = gtk_list_item_get_item (item);

  g_signal_connect_object (row, "changed", G_CALLBACK (write_cell), item, G_CONNECT_SWAPPED);
  write_cell (item, row);
}

static void
on_unbind (GtkSignalListItemFactory *factory,
           GtkListItem *item,
           TsTable *self)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), write_cell, item);
}

/*
 * GTK keeps by which columns the user sorts, and tells only how two rows compare. Rows are sorted
 * here, by number, so its sorter is asked about two that stand for all: every column is equal but
 * the one that is asked for.
 */
static int
compare_probes (gconstpointer a,
                gconstpointer b,
                gpointer user_data)
{
  GtkColumnViewColumn *column = user_data;
  TsTable *self = g_object_get_data (G_OBJECT (column), "table");
  guint number = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (column), "column"));

  if (self->answered == NULL)
    return 0;
  g_array_append_val (self->answered, number);
  return number == self->asked ? 1 : 0;
}

/* Until restore_choice() nothing is chosen: GTK would look for it by making every row. */
static TsTableRow *
suspend_choice (TsTable *self)
{
  TsTableRow *chosen = gtk_single_selection_get_selected_item (self->selection);

  if (chosen == NULL)
    return NULL;
  g_object_ref (chosen);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  return chosen;
}

/* What was chosen stays so, wherever it has gone. @chosen: (transfer full) (nullable) */
static void
restore_choice (TsTable *self,
                TsTableRow *chosen)
{
  if (chosen == NULL)
    return;
  gtk_single_selection_set_selected (self->selection, ts_table_model_find (self->model, chosen));
  g_object_unref (chosen);
}

static void
on_sorter_changed (TsTable *self)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->column_view);
  g_autoptr (GArray) orders = g_array_new (FALSE, FALSE, sizeof (TsTableOrder));
  g_autoptr (TsTableRow) a = ts_table_row_new (0, 0, -1, -1);
  g_autoptr (TsTableRow) b = ts_table_row_new (0, 0, -1, -1);
  g_autoptr (GArray) columns = NULL;
  TsTableRow *chosen;

  self->answered = g_array_new (FALSE, FALSE, sizeof (guint));
  self->asked = G_MAXUINT;
  gtk_sorter_compare (sorter, a, b);
  columns = g_steal_pointer (&self->answered);
  self->answered = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < columns->len; i++)
    {
      TsTableOrder order = { g_array_index (columns, guint, i), FALSE, FALSE };

      self->asked = order.column;
      order.is_number = g_array_index (self->is_number, gboolean, order.column);
      order.is_descending = gtk_sorter_compare (sorter, a, b) == GTK_ORDERING_SMALLER;
      g_array_append_val (orders, order);
    }
  g_clear_pointer (&self->answered, g_array_unref);
  chosen = suspend_choice (self);
  ts_table_model_set_order (self->model, (const TsTableOrder *) (gpointer) orders->data,
                            orders->len);
  restore_choice (self, chosen);
}

/* --- the window of rows ----------------------------------------------------------------------- */

static guint
get_n_all (TsTable *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->selection));
}

static int
get_row_height (TsTable *self)
{
  self->row_height
      = ts_list_get_row_height (ts_column_view_get_list (self->column_view), self->row_height);
  return self->row_height;
}

/* Rows that fit completely. */
static guint
get_n_full (TsTable *self)
{
  GtkWidget *list = ts_column_view_get_list (self->column_view);
  int height = list != NULL ? gtk_widget_get_allocated_height (list) : 0;

  return MAX (1, (guint) (height / get_row_height (self)));
}

static void
apply_place (TsTable *self)
{
  guint offset = (guint) CLAMP (round (gtk_adjustment_get_value (self->place)), 0.0, 4294967294.0);

  ts_table_window_move (self->window, offset, get_n_full (self) + 1);
  gtk_adjustment_set_value (
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled)), 0);
}

/* Fits the window and the scroll bar to the size and to the number of rows. */
static void
update_layout (TsTable *self)
{
  guint n_all = get_n_all (self);
  guint n_full = get_n_full (self);
  double most = n_all > n_full ? (double) (n_all - n_full) : 0.0;

  gtk_adjustment_configure (self->place, CLAMP (gtk_adjustment_get_value (self->place), 0.0, most),
                            0, MAX (n_all, n_full), 1, n_full, n_full);
  gtk_widget_set_visible (self->bar, most > 0);
  apply_place (self);
}

static gboolean
on_layout_idle (gpointer user_data)
{
  TsTable *self = user_data;

  self->layout_id = 0;
  update_layout (self);
  return G_SOURCE_REMOVE;
}

static void
queue_layout (TsTable *self)
{
  if (self->layout_id == 0)
    self->layout_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_layout_idle, self, NULL);
}

/* As little as needed to have a row in full. */
static void
scroll_to (TsTable *self,
           guint row)
{
  double first = gtk_adjustment_get_value (self->place);
  double page = gtk_adjustment_get_page_size (self->place);

  if (row < first)
    gtk_adjustment_set_value (self->place, row);
  else if (row >= first + page)
    gtk_adjustment_set_value (self->place, row - page + 1);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller,
           double dx,
           double dy,
           TsTable *self)
{
  GdkModifierType state
      = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  double whole;

  /* with Shift it is sideways */
  if (dy == 0.0 || (state & GDK_SHIFT_MASK) != 0)
    return GDK_EVENT_PROPAGATE;
  whole = ts_list_wheel_move (controller, dy, get_row_height (self), &self->wheel_rest);
  gtk_adjustment_set_value (self->place, gtk_adjustment_get_value (self->place) + whole);
  return GDK_EVENT_STOP;
}

static void
focus_row (TsTable *self,
           guint row)
{
  GtkWidget *list = ts_column_view_get_list (self->column_view);
  GtkWidget *child = list != NULL ? gtk_widget_get_first_child (list) : NULL;

  for (guint i = ts_table_window_get_offset (self->window); child != NULL && i < row; i++)
    child = gtk_widget_get_next_sibling (child);
  if (child != NULL)
    gtk_widget_grab_focus (child);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        TsTable *self)
{
  gint64 n_all = get_n_all (self);
  gint64 row = gtk_single_selection_get_selected (self->selection);

  if (n_all == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (row == GTK_INVALID_LIST_POSITION)
    row = ts_table_window_get_offset (self->window)
          - (gint64) (keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down);
  if (!ts_list_key_move (keyval, n_all, get_n_full (self), &row))
    return GDK_EVENT_PROPAGATE;
  gtk_single_selection_set_selected (self->selection, (guint) row);
  scroll_to (self, (guint) row);
  focus_row (self, (guint) row);
  return GDK_EVENT_STOP;
}

/*
 * Shows what was given last. GTK makes all widgets of a row anew for every new item: rows that tell of
 * the same thing as before stay and say something else, and only the others, in the middle, are
 * exchanged.
 */
static void
flush (TsTable *self)
{
  g_autoptr (TsTableRows) rows = g_steal_pointer (&self->pending);
  TsTableRow *chosen;

  if (rows == NULL)
    return;
  chosen = suspend_choice (self);
  ts_table_model_set_rows (self->model, rows);
  restore_choice (self, chosen);
  queue_layout (self);
}

static void
ts_table_map (GtkWidget *widget)
{
  flush (TS_TABLE (widget));
  GTK_WIDGET_CLASS (ts_table_parent_class)->map (widget);
  queue_layout (TS_TABLE (widget));
}

static void
on_activate (GtkColumnView *view,
             guint position,
             TsTable *self)
{
  ts_table_activate (self, ts_table_window_get_offset (self->window) + position, -1);
}

static void
ts_table_dispose (GObject *object)
{
  TsTable *self = TS_TABLE (object);

  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  g_clear_handle_id (&self->layout_id, g_source_remove);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->place);
  g_clear_object (&self->window);
  g_clear_object (&self->selection);
  g_clear_object (&self->model);
  g_clear_pointer (&self->pending, ts_table_rows_unref);
  g_clear_pointer (&self->is_number, g_array_unref);
  G_OBJECT_CLASS (ts_table_parent_class)->dispose (object);
}

static void
ts_table_class_init (TsTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_table_dispose;
  GTK_WIDGET_CLASS (klass)->map = ts_table_map;
  signals[SIGNAL_GO_TO] =
      g_signal_new ("go-to", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_UINT, G_TYPE_INT64, G_TYPE_INT64);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "datatable");
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
init_scrolling (TsTable *self)
{
  GtkEventController *controller;

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_EXTERNAL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled),
                                 GTK_WIDGET (self->column_view));
  gtk_widget_set_vexpand (self->scrolled, TRUE);
  gtk_widget_set_hexpand (self->scrolled, TRUE);
  self->place = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  g_signal_connect_object (self->place, "value-changed", G_CALLBACK (apply_place), self,
                           G_CONNECT_SWAPPED);
  self->bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, self->place);
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_box_append (GTK_BOX (self->box), self->scrolled);
  gtk_box_append (GTK_BOX (self->box), self->bar);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_object (
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled)),
      "notify::page-size", G_CALLBACK (queue_layout), self, G_CONNECT_SWAPPED);
  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_object (controller, "scroll", G_CALLBACK (on_scroll), self, 0);
  gtk_widget_add_controller (self->scrolled, controller);
  controller = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_object (controller, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self->column_view), controller);
}

static void
ts_table_init (TsTable *self)
{
  self->row_height = ROW_HEIGHT;
  self->model = ts_table_model_new ();
  self->is_number = g_array_new (FALSE, FALSE, sizeof (gboolean));
  self->column_view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->column_view), "event-table");
  gtk_column_view_set_single_click_activate (self->column_view, TRUE);
  g_signal_connect_object (gtk_column_view_get_sorter (self->column_view), "changed",
                           G_CALLBACK (on_sorter_changed), self, G_CONNECT_SWAPPED);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->model)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  self->window = ts_table_window_new (GTK_SELECTION_MODEL (self->selection));
  gtk_column_view_set_model (self->column_view, GTK_SELECTION_MODEL (self->window));
  g_signal_connect_object (self->column_view, "activate", G_CALLBACK (on_activate), self, 0);
  init_scrolling (self);
}

/**
 * ts_table_new:
 * @name: what it is, for those who cannot see it
 *
 * Thread: main
 *
 * Returns: (transfer floating): a table without columns
 */
GtkWidget *
ts_table_new (const char *name)
{
  TsTable *self = g_object_new (TS_TYPE_TABLE, NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->column_view),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return GTK_WIDGET (self);
}

/**
 * ts_table_add_column:
 * @self: a table
 * @title: its title
 * @width: pixels at the usual size of text, 0: what is left
 * @is_number: aligned to the end and sorted by the cells' keys
 *
 * Thread: main
 */
void
ts_table_add_column (TsTable *self,
                     const char *title,
                     int width,
                     gboolean is_number)
{
  GtkListItemFactory *factory;
  GtkColumnViewColumn *column;
  GtkSorter *sorter;
  guint number;

  g_return_if_fail (TS_IS_TABLE (self));
  number = self->is_number->len;
  g_array_append_val (self->is_number, is_number);
  factory = gtk_signal_list_item_factory_new ();
  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (number));
  g_object_set_data (G_OBJECT (factory), "is-number", GINT_TO_POINTER (is_number));
  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  if (width > 0)
    ts_text_scale_set_column_width (column, width);
  else
    gtk_column_view_column_set_expand (column, TRUE);
  g_object_set_data (G_OBJECT (column), "table", self);
  g_object_set_data (G_OBJECT (column), "column", GUINT_TO_POINTER (number));
  sorter = GTK_SORTER (gtk_custom_sorter_new (compare_probes, column, NULL));
  gtk_column_view_column_set_sorter (column, sorter);
  g_object_unref (sorter);
  gtk_column_view_append_column (self->column_view, column);
  g_object_unref (column);
  if (is_number)
    ts_column_title_align_end (self->column_view, number);
}

/**
 * ts_table_expand_column:
 * @self: a table
 * @column: a column with a width
 *
 * Gives it what the others leave of a wide table. Where no column has that, there is nothing behind
 * the last one, not even a row, and GTK draws what is at the end of a list that was pulled too far.
 *
 * Thread: main
 */
void
ts_table_expand_column (TsTable *self,
                        guint column)
{
  g_autoptr (GtkColumnViewColumn) found = NULL;

  g_return_if_fail (TS_IS_TABLE (self));
  found = g_list_model_get_item (gtk_column_view_get_columns (self->column_view), column);
  if (found != NULL)
    gtk_column_view_column_set_expand (found, TRUE);
}

static void
rewrite_row (gpointer row,
             gpointer user_data)
{
  g_signal_emit_by_name (row, "changed");
}

/* Times are told another way: cells are written anew. */
static void
on_view_changed (TsTable *self)
{
  if (self->time_serial == ts_view_state_get_time_serial (self->view))
    return;
  self->time_serial = ts_view_state_get_time_serial (self->view);
  ts_table_model_for_each_made (self->model, rewrite_row, NULL);
}

/**
 * ts_table_set_time_column:
 * @self: a table
 * @column: a column
 * @view: (nullable): tells the begins of the rows' places there as the user wants times told
 *
 * Thread: main
 */
void
ts_table_set_time_column (TsTable *self,
                          guint column,
                          TsViewState *view)
{
  g_return_if_fail (TS_IS_TABLE (self));
  self->time_column = column;
  if (!g_set_object (&self->view, view))
    return;
  if (self->view_signals == NULL)
    {
      self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
      g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                      self);
    }
  g_signal_group_set_target (self->view_signals, view);
}

/**
 * ts_table_set_rows:
 * @self: a table
 * @rows: (element-type TsTableRow): rows with a cell for each column
 *
 * Shows other rows; the order the user chose stays. A row about the same lane and place as the one
 * that stood there before takes its place. A table that is not seen shows them once it is.
 *
 * Thread: main
 */
void
ts_table_set_rows (TsTable *self,
                   GPtrArray *rows)
{
  g_autoptr (TsTableRows) set = NULL;

  g_return_if_fail (TS_IS_TABLE (self));
  g_return_if_fail (rows != NULL);
  set = ts_table_rows_new_from_array (rows);
  ts_table_set_row_set (self, set);
}

/**
 * ts_table_set_row_set:
 * @self: a table
 * @rows: rows with a cell for each column
 *
 * The same for many rows, which are made when they are looked at.
 *
 * Thread: main
 */
void
ts_table_set_row_set (TsTable *self,
                      TsTableRows *rows)
{
  g_return_if_fail (TS_IS_TABLE (self));
  g_return_if_fail (rows != NULL);
  g_clear_pointer (&self->pending, ts_table_rows_unref);
  self->pending = ts_table_rows_ref (rows);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    flush (self);
}

/**
 * ts_table_get_n_rows:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: how many rows it shows
 */
guint
ts_table_get_n_rows (TsTable *self)
{
  g_return_val_if_fail (TS_IS_TABLE (self), 0);
  flush (self);
  return g_list_model_get_n_items (G_LIST_MODEL (self->selection));
}

/**
 * ts_table_get_row:
 * @self: a table
 * @position: a place, from the top
 *
 * Thread: main
 *
 * Returns: (transfer full) (nullable): the row
 */
TsTableRow *
ts_table_get_row (TsTable *self,
                  guint position)
{
  g_return_val_if_fail (TS_IS_TABLE (self), NULL);
  flush (self);
  return g_list_model_get_item (G_LIST_MODEL (self->selection), position);
}

/**
 * ts_table_sort:
 * @self: a table
 * @column: a column
 * @direction: up or down
 *
 * Thread: main
 */
void
ts_table_sort (TsTable *self,
               guint column,
               GtkSortType direction)
{
  g_autoptr (GtkColumnViewColumn) found = NULL;

  g_return_if_fail (TS_IS_TABLE (self));
  found = g_list_model_get_item (gtk_column_view_get_columns (self->column_view), column);
  if (found != NULL)
    gtk_column_view_sort_by_column (self->column_view, found, direction);
}

/**
 * ts_table_activate:
 * @self: a table
 * @position: a row, from the top
 * @column: a link, -1: the row itself
 *
 * What a click does.
 *
 * Thread: main
 */
void
ts_table_activate (TsTable *self,
                   guint position,
                   int column)
{
  g_autoptr (TsTableRow) row = NULL;

  g_return_if_fail (TS_IS_TABLE (self));
  row = ts_table_get_row (self, position);
  if (row != NULL)
    go_to (self, row, column);
}

/**
 * ts_table_get_selection:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: (transfer none): all its rows, seen or not, and which of them is chosen
 */
GtkSingleSelection *
ts_table_get_selection (TsTable *self)
{
  g_return_val_if_fail (TS_IS_TABLE (self), NULL);
  return self->selection;
}

/**
 * ts_table_get_n_made:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: how many of its rows are objects now: those that are shown, and some beside
 */
guint
ts_table_get_n_made (TsTable *self)
{
  g_return_val_if_fail (TS_IS_TABLE (self), 0);
  return ts_table_model_get_n_made (self->model);
}
