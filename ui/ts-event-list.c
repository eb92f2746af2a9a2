/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <math.h>

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"

#include "ui/ts-column-title.h"
#include "ui/ts-event-list-private.h"
#include "ui/ts-kind-words.h"
#include "ui/ts-list-keys.h"
#include "ui/ts-text-scale.h"
#include "ui/ts-tip.h"

/* While a capture runs the table follows at this pace; the timeline follows at every frame. */
#define FOLLOW_INTERVAL_MS 100

enum
{
  SIGNAL_EVENT_SELECTED,
  SIGNAL_FILTER,
  SIGNAL_NOTICE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsEventList, ts_event_list, GTK_TYPE_BOX)

/* --- cells ------------------------------------------------------------------------------------ */

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *list_item,
          TsEventList *self)
{
  GtkWidget *cell = gtk_inscription_new (NULL);

  gtk_inscription_set_text_overflow (GTK_INSCRIPTION (cell),
                                     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_nat_lines (GTK_INSCRIPTION (cell), 1);
  gtk_inscription_set_min_chars (GTK_INSCRIPTION (cell), 1);
  gtk_widget_set_hexpand (cell, TRUE);
  if (g_object_get_data (G_OBJECT (factory), "is-dim") != NULL)
    gtk_widget_add_css_class (cell, "dim-label");
  if (g_object_get_data (G_OBJECT (factory), "is-end") != NULL)
    gtk_inscription_set_xalign (GTK_INSCRIPTION (cell), 1.0);
  g_object_set_data (G_OBJECT (cell), "is-end", g_object_get_data (G_OBJECT (factory), "is-end"));
  g_object_set_data (G_OBJECT (cell), "list", self);
  g_object_set_data (G_OBJECT (cell), "column", g_object_get_data (G_OBJECT (factory), "column"));
  gtk_list_item_set_child (list_item, cell);
}

/* By its first letter, as paragraphs are set. */
static gboolean
is_right_to_left (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);

      if (g_unichar_isalpha (c))
        switch (g_unichar_get_script (c))
          {
          case G_UNICODE_SCRIPT_ARABIC:
          case G_UNICODE_SCRIPT_HEBREW:
          case G_UNICODE_SCRIPT_SYRIAC:
          case G_UNICODE_SCRIPT_THAANA:
          case G_UNICODE_SCRIPT_NKO:
            return TRUE;
          default:
            return FALSE;
          }
    }
  return FALSE;
}

/* Where lines begin on the right, names and figures from left to right do so, too. */
static void
align_cell (GtkWidget *cell,
            const char *text)
{
  gboolean is_end = g_object_get_data (G_OBJECT (cell), "is-end") != NULL;

  if (gtk_widget_get_direction (cell) != GTK_TEXT_DIR_RTL)
    return;
  if (text != NULL && !is_right_to_left (text))
    is_end = !is_end;
  gtk_inscription_set_xalign (GTK_INSCRIPTION (cell), is_end ? 1.0f : 0.0f);
}

/* Writes a cell anew: its line shows another event, or it is to be written in another way. */
static void
write_cell (GtkListItem *list_item,
            TsEventItem *item)
{
  GtkWidget *child = gtk_list_item_get_child (list_item);
  TsEventList *self = g_object_get_data (G_OBJECT (child), "list");
  TsEventColumn column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (child), "column"));
  gboolean is_blank = ts_event_item_get_event (item)->kind == TS_EVENT_INVALID;
  g_autofree char *text = NULL;

  /* what is written stays until the event comes, or until that takes long */
  if (ts_event_item_is_pending (item) && !is_blank
      && gtk_inscription_get_text (GTK_INSCRIPTION (child)) != NULL)
    return;
  if (ts_event_item_is_pending (item))
    text = column == TS_EVENT_COLUMN_TIME ? g_strdup ("…") : NULL;
  else if (self->view != NULL && ts_view_state_get_recording (self->view) != NULL && !is_blank)
    {
      TsEventCell cell = { self->view, ts_event_item_get_row (item),
                           ts_event_item_get_event (item), ts_event_item_get_delta (item),
                           ts_view_state_get_cursor (self->view) };

      text = ts_event_column_format (column, &cell);
    }
  gtk_inscription_set_text (GTK_INSCRIPTION (child), text);
  if (column == TS_EVENT_COLUMN_KIND)
    ts_tip_set (child, text != NULL ? ts_kind_describe (ts_event_item_get_event (item)->kind) : NULL);
  align_cell (child, text);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *list_item,
         TsEventList *self)
{
  TsEventItem *item = gtk_list_item_get_item (list_item);

  g_signal_connect_object (item, "changed", G_CALLBACK (write_cell), list_item,
                           G_CONNECT_SWAPPED);
  gtk_inscription_set_text (GTK_INSCRIPTION (gtk_list_item_get_child (list_item)), NULL);
  write_cell (list_item, item);
}

static void
on_unbind (GtkSignalListItemFactory *factory,
           GtkListItem *list_item,
           TsEventList *self)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (list_item), write_cell,
                                        list_item);
}

static void
add_column (TsEventList *self,
            TsEventColumn id)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column;
  gboolean is_dim = id == TS_EVENT_COLUMN_DELTA || id == TS_EVENT_COLUMN_KIND ||
                    id == TS_EVENT_COLUMN_ROW || id == TS_EVENT_COLUMN_RELATIVE;
  int width = ts_event_column_get_width (id);

  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (id));
  g_object_set_data (G_OBJECT (factory), "is-dim", GINT_TO_POINTER (is_dim));
  g_object_set_data (G_OBJECT (factory), "is-end",
                     GINT_TO_POINTER (ts_event_column_is_number (id)));
  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  column = gtk_column_view_column_new (ts_event_column_get_title (id), factory);
  gtk_column_view_column_set_resizable (column, TRUE);
  if (width > 0)
    ts_text_scale_set_column_width (column, width);
  else
    gtk_column_view_column_set_expand (column, TRUE);
  if (ts_event_column_can_sort (id))
    {
      g_autoptr (GtkSorter) sorter = _ts_event_list_new_sorter (self, id);

      gtk_column_view_column_set_sorter (column, sorter);
    }
  gtk_column_view_append_column (GTK_COLUMN_VIEW (self->column_view), column);
  if (ts_event_column_is_number (id))
    ts_column_title_align_end (GTK_COLUMN_VIEW (self->column_view), self->n_columns);
  self->n_columns++;
  self->columns[id] = column;
  g_object_unref (column);
}

/* --- the window of rows ----------------------------------------------------------------------- */

static int
get_row_height (TsEventList *self)
{
  self->row_height
      = ts_list_get_row_height (_ts_event_list_get_lines (self), self->row_height);
  return self->row_height;
}

static double
get_viewport_height (TsEventList *self)
{
  GtkWidget *list = _ts_event_list_get_lines (self);

  return list != NULL ? gtk_widget_get_allocated_height (list) : 0;
}

/* Rows that fit completely. */
static guint
get_n_full (TsEventList *self)
{
  return MAX (1, (guint) (get_viewport_height (self) / get_row_height (self)));
}

static void
show_selection (TsEventList *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->window));
  guint64 first = ts_event_window_get_offset (self->window) + (guint64) 1;
  guint64 low = self->selected_row;
  guint64 high = self->selected_row;
  g_autoptr (GtkBitset) selected = gtk_bitset_new_empty ();
  g_autoptr (GtkBitset) mask = gtk_bitset_new_range (0, n);

  if (self->anchor_row != 0)
    {
      low = MIN (low, self->anchor_row);
      high = MAX (high, self->anchor_row);
    }
  low = MAX (low, first);
  if (self->selected_row != 0 && high >= low && low < first + n)
    gtk_bitset_add_range (selected, (guint) (low - first),
                          (guint) (MIN (high, first + n - 1) - low + 1));
  self->is_syncing = TRUE;
  gtk_selection_model_set_selection (GTK_SELECTION_MODEL (self->selection), selected, mask);
  self->is_syncing = FALSE;
}

/* Cells on screen depend on more than their event: the cursor, the format of times. */
void
_ts_event_list_rewrite (TsEventList *self)
{
  ts_event_window_rewrite (self->window);
}

static void
apply_offset (TsEventList *self)
{
  GtkAdjustment *inner;
  guint offset = (guint) CLAMP (round (gtk_adjustment_get_value (self->rows)), 0.0, 4294967294.0);

  if (offset == ts_event_window_get_offset (self->window))
    return;
  self->is_syncing = TRUE;
  ts_event_window_set_offset (self->window, offset);
  self->is_syncing = FALSE;
  inner = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
  gtk_adjustment_set_value (inner, 0);
  show_selection (self);
}

/* Fits the window of rows and the scroll bar to the size and to the number of rows. */
static void
update_layout (TsEventList *self)
{
  guint n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  guint n_full = get_n_full (self);
  guint size = n_full + 1;
  double value = gtk_adjustment_get_value (self->rows);

  _ts_event_list_update_columns (self);
  if (ts_event_window_get_size (self->window) != size)
    {
      self->is_syncing = TRUE;
      ts_event_window_set_size (self->window, size);
      self->is_syncing = FALSE;
      show_selection (self);
    }
  value = CLAMP (value, 0.0, n_rows > n_full ? (double) (n_rows - n_full) : 0.0);
  gtk_adjustment_configure (self->rows, value, 0, MAX (n_rows, n_full), 1, n_full, n_full);
  apply_offset (self);
}

/* --- in step with the view -------------------------------------------------------------------- */

static gboolean
on_layout_idle (gpointer user_data)
{
  TsEventList *self = user_data;

  self->layout_id = 0;
  update_layout (self);
  if (self->view != NULL && ts_event_model_get_recording (self->model) != NULL)
    _ts_event_list_follow_view (self);
  return G_SOURCE_REMOVE;
}

static void
queue_layout (TsEventList *self)
{
  if (self->layout_id == 0)
    self->layout_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_layout_idle, self, NULL);
}

/* A capture that ended is opened again as a file: its rows are the same, and so is the place. */
static gboolean
is_same_file (TsRecording *a,
              TsRecording *b)
{
  return a != NULL && b != NULL &&
         g_strcmp0 (ts_recording_get_path (a), ts_recording_get_path (b)) == 0;
}

static void
on_view_changed (TsEventList *self)
{
  TsRecording *recording = ts_view_state_get_recording (self->view);

  if (recording != ts_event_model_get_recording (self->model))
    {
      gboolean is_same = is_same_file (recording, ts_event_model_get_recording (self->model));

      self->selected_row =
          is_same ? ts_event_model_get_row (self->model, self->selected_row) : 0;
      self->anchor_row = 0;
      _ts_event_list_forget (self);
      ts_worker_set_recording (self->finder, recording);
      ts_worker_set_recording (self->copier, recording);
      ts_worker_set_recording (self->sorter, recording);
      self->seen_cursor = ts_view_state_get_cursor (self->view);
      self->seen_slice_begin = -1;
      self->seen_lane = 0;
      self->seen_event = 0;
      self->is_syncing = TRUE;
      ts_event_model_set_recording (self->model, recording);
      self->is_syncing = FALSE;
      /* after that: lines that move are read from the recording that is shown */
      if (!is_same)
        gtk_adjustment_set_value (self->rows, 0);
      show_selection (self);
      _ts_event_list_update_count (self);
      queue_layout (self);
      _ts_event_list_resort (self);
    }
  if (recording != NULL && !self->is_syncing)
    _ts_event_list_follow_view (self);
  if (self->shown_serial != ts_view_state_get_time_serial (self->view) ||
      (self->shown_cursor != ts_view_state_get_cursor (self->view) &&
       (_ts_event_list_get_columns (self) & (1u << TS_EVENT_COLUMN_RELATIVE)) != 0))
    {
      self->shown_serial = ts_view_state_get_time_serial (self->view);
      self->shown_cursor = ts_view_state_get_cursor (self->view);
      _ts_event_list_rewrite (self);
    }
}

static gboolean
on_follow (gpointer user_data)
{
  TsEventList *self = user_data;
  double end;

  self->follow_id = 0;
  self->is_syncing = TRUE;
  ts_event_model_refresh (self->model);
  self->is_syncing = FALSE;
  _ts_event_list_update_count (self);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      update_layout (self);
      end = gtk_adjustment_get_upper (self->rows) - gtk_adjustment_get_page_size (self->rows);
      if (self->view != NULL && ts_view_state_is_following (self->view) &&
          !ts_event_model_has_order (self->model))
        gtk_adjustment_set_value (self->rows, end);
    }
  return G_SOURCE_REMOVE;
}

/* One line is chosen, or several: GTK knows of those on screen only, the rest is between the ends. */
static void
on_selected (GtkSelectionModel *selection,
             guint position,
             guint n_items,
             TsEventList *self)
{
  g_autoptr (GtkBitset) selected = NULL;
  guint64 first = ts_event_window_get_offset (self->window) + (guint64) 1;
  guint64 low;
  guint64 high;

  if (self->is_syncing)
    return;
  selected = gtk_selection_model_get_selection (selection);
  if (gtk_bitset_is_empty (selected))
    return;
  low = first + gtk_bitset_get_minimum (selected);
  high = first + gtk_bitset_get_maximum (selected);
  if (low == high)
    {
      self->anchor_row = 0;
      _ts_event_list_choose (self, low);
      return;
    }
  /* the end that stays is the one chosen first */
  if (self->anchor_row == 0)
    self->anchor_row = self->selected_row != 0 ? self->selected_row : low;
  self->selected_row = self->anchor_row <= low ? high : low;
  show_selection (self);
}

/* --- input ------------------------------------------------------------------------------------ */

static gboolean
on_scroll (GtkEventControllerScroll *controller,
           double dx,
           double dy,
           TsEventList *self)
{
  double whole;

  if (dy == 0.0)
    return GDK_EVENT_PROPAGATE;
  whole = ts_list_wheel_move (controller, dy, get_row_height (self), &self->wheel_rest);
  if (dy < 0.0 && self->view != NULL)
    ts_view_state_set_following (self->view, FALSE);
  gtk_adjustment_set_value (self->rows, gtk_adjustment_get_value (self->rows) + whole);
  return GDK_EVENT_STOP;
}

/* As little as needed, keeping a little of what is around in sight. */
static void
scroll_to (TsEventList *self,
           guint64 line)
{
  double target = (double) line - 1.0;
  double first = gtk_adjustment_get_value (self->rows);
  double page = gtk_adjustment_get_page_size (self->rows);
  double margin = MIN (2.0, floor (page / 4));

  if (target < first - page || target >= first + 2 * page)
    gtk_adjustment_set_value (self->rows, target - floor (page / 3));
  else if (target < first + margin)
    gtk_adjustment_set_value (self->rows, target - margin);
  else if (target >= first + page - margin)
    gtk_adjustment_set_value (self->rows, target - page + 1 + margin);
}

/* Moves the choice as a key says. FALSE: it is none that moves. */
gboolean
_ts_event_list_move (TsEventList *self,
                     guint keyval,
                     GdkModifierType state)
{
  guint64 n_rows = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  gint64 row = (gint64) self->selected_row - 1;

  if (row < 0)
    row = ts_event_window_get_offset (self->window);
  if (!ts_list_key_move (keyval, (gint64) n_rows, get_n_full (self), &row))
    return FALSE;
  if (_ts_event_list_defer_key (self, keyval, state))
    return TRUE;
  row++;
  if ((state & GDK_SHIFT_MASK) != 0)
    {
      if (self->anchor_row == 0)
        self->anchor_row = MAX (self->selected_row, 1);
      self->selected_row = (guint64) row;
      scroll_to (self, (guint64) row);
      show_selection (self);
      return TRUE;
    }
  self->anchor_row = 0;
  _ts_event_list_choose (self, (guint64) row);
  ts_event_list_show_row (self, (guint64) row, TRUE);
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        TsEventList *self)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->model)) == 0
      || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0
      || !_ts_event_list_move (self, keyval, state))
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

/* --- life ------------------------------------------------------------------------------------- */

static void
ts_event_list_dispose (GObject *object)
{
  TsEventList *self = TS_EVENT_LIST (object);

  g_clear_handle_id (&self->follow_id, g_source_remove);
  g_clear_handle_id (&self->layout_id, g_source_remove);
  if (self->view_signals != NULL)
    g_signal_group_set_target (self->view_signals, NULL);
  g_clear_object (&self->view_signals);
  g_clear_object (&self->view);
  g_clear_object (&self->selection);
  g_clear_object (&self->window);
  g_clear_object (&self->model);
  g_clear_object (&self->rows);
  g_clear_object (&self->status);
  _ts_event_list_clear_places (self);
  _ts_event_list_clear_actions (self);
  G_OBJECT_CLASS (ts_event_list_parent_class)->dispose (object);
}

static void
ts_event_list_class_init (TsEventListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_event_list_dispose;
  signals[SIGNAL_EVENT_SELECTED] =
      g_signal_new ("event-selected", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_UINT);
  signals[SIGNAL_FILTER] =
      g_signal_new ("filter", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_NOTICE] =
      g_signal_new ("notice", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "eventlist");
  _ts_event_list_install_actions (GTK_WIDGET_CLASS (klass));
}

void
_ts_event_list_emit_selected (TsEventList *self,
                              const TsEvent *event)
{
  g_signal_emit (self, signals[SIGNAL_EVENT_SELECTED], 0, event->time, event->object);
}

void
_ts_event_list_notice (TsEventList *self,
                       const char *text)
{
  g_signal_emit (self, signals[SIGNAL_NOTICE], 0, text);
}

void
_ts_event_list_filter (TsEventList *self,
                       const char *filter)
{
  g_signal_emit (self, signals[SIGNAL_FILTER], 0, filter);
}

static void
init_table (TsEventList *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *bar;
  GtkEventController *controller;
  GtkAdjustment *inner;

  self->column_view =
      gtk_column_view_new (GTK_SELECTION_MODEL (g_object_ref (self->selection)));
  gtk_widget_add_css_class (self->column_view, "event-table");
  gtk_widget_set_hexpand (self->column_view, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->column_view),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Events"), -1);
  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    add_column (self, i);

  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scrolled), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_EXTERNAL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->column_view);
  gtk_widget_set_hexpand (self->scrolled, TRUE);
  gtk_widget_set_vexpand (self->scrolled, TRUE);
  bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, self->rows);
  gtk_box_append (GTK_BOX (box), self->scrolled);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (self), box);

  inner = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
  g_signal_connect_object (inner, "notify::page-size", G_CALLBACK (queue_layout), self,
                           G_CONNECT_SWAPPED);
  inner = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->scrolled));
  g_signal_connect_object (inner, "notify::page-size", G_CALLBACK (queue_layout), self,
                           G_CONNECT_SWAPPED);
  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_object (controller, "scroll", G_CALLBACK (on_scroll), self, 0);
  gtk_widget_add_controller (self->scrolled, controller);
  controller = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_object (controller, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (self->column_view, controller);
}

static void
ts_event_list_init (TsEventList *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->row_height = 24;
  self->seen_cursor = self->seen_slice_begin = -1;
  g_signal_connect (self, "map", G_CALLBACK (queue_layout), NULL);
  self->model = ts_event_model_new ();
  self->window = ts_event_window_new (self->model);
  _ts_event_list_init_places (self);
  self->selection = gtk_multi_selection_new (G_LIST_MODEL (g_object_ref (self->window)));
  g_signal_connect_object (self->selection, "selection-changed", G_CALLBACK (on_selected), self,
                           0);
  self->rows = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  g_signal_connect_object (self->rows, "value-changed", G_CALLBACK (apply_offset), self,
                           G_CONNECT_SWAPPED);
  self->view_signals = g_signal_group_new (TS_TYPE_VIEW_STATE);
  g_signal_group_connect_swapped (self->view_signals, "changed", G_CALLBACK (on_view_changed),
                                  self);
  init_table (self);
  _ts_event_list_init_actions (self);
}

/**
 * ts_event_list_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): an empty table
 */
GtkWidget *
ts_event_list_new (void)
{
  return g_object_new (TS_TYPE_EVENT_LIST, NULL);
}

/**
 * ts_event_list_set_view:
 * @self: a table
 * @view: (nullable): the view to be in step with
 *
 * Thread: main
 */
void
ts_event_list_set_view (TsEventList *self,
                        TsViewState *view)
{
  g_return_if_fail (TS_IS_EVENT_LIST (self));
  if (!g_set_object (&self->view, view))
    return;
  g_signal_group_set_target (self->view_signals, view);
  if (view != NULL)
    on_view_changed (self);
}

/**
 * ts_event_list_refresh:
 * @self: a table
 *
 * New rows may have come: they are shown within a tenth of a second.
 *
 * Thread: main
 */
void
ts_event_list_refresh (TsEventList *self)
{
  g_return_if_fail (TS_IS_EVENT_LIST (self));
  if (self->follow_id == 0)
    self->follow_id = g_timeout_add (FOLLOW_INTERVAL_MS, on_follow, self);
}

/**
 * ts_event_list_set_rows:
 * @self: a table
 * @rows: (nullable) (element-type guint64): the only rows it has, ascending; %NULL: all
 *
 * Thread: main
 */
void
ts_event_list_set_rows (TsEventList *self,
                        GArray *rows)
{
  g_return_if_fail (TS_IS_EVENT_LIST (self));
  _ts_event_list_forget (self);
  self->is_syncing = TRUE;
  ts_event_model_set_rows (self->model, rows);
  self->is_syncing = FALSE;
  self->selected_row = self->anchor_row = 0;
  _ts_event_list_update_count (self);
  update_layout (self);
  _ts_event_list_resort (self);
  if (self->view != NULL && g_list_model_get_n_items (G_LIST_MODEL (self->model)) > 0)
    _ts_event_list_show_cursor (self);
}

/**
 * ts_event_list_get_model:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: (transfer none): all its rows
 */
TsEventModel *
ts_event_list_get_model (TsEventList *self)
{
  g_return_val_if_fail (TS_IS_EVENT_LIST (self), NULL);
  return self->model;
}

/**
 * ts_event_list_get_status:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: (transfer none): how many rows there are, and the choice of columns, to be put beside
 *   the tabs
 */
GtkWidget *
ts_event_list_get_status (TsEventList *self)
{
  g_return_val_if_fail (TS_IS_EVENT_LIST (self), NULL);
  return self->status;
}

/**
 * ts_event_list_get_first_row:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: row id of the first row on screen, from 1
 */
guint64
ts_event_list_get_first_row (TsEventList *self)
{
  g_return_val_if_fail (TS_IS_EVENT_LIST (self), 0);
  return ts_event_window_get_offset (self->window) + (guint64) 1;
}

/**
 * ts_event_list_get_selected_row:
 * @self: a table
 *
 * Thread: main
 *
 * Returns: row id of the chosen row, 0 if there is none
 */
guint64
ts_event_list_get_selected_row (TsEventList *self)
{
  g_return_val_if_fail (TS_IS_EVENT_LIST (self), 0);
  return self->selected_row;
}

/**
 * ts_event_list_show_row:
 * @self: a table
 * @row: row id, from 1
 * @select: choose it as well
 *
 * Scrolls as little as needed, keeping a little of what is around in sight; a row far away comes
 * to the upper third.
 *
 * Thread: main
 */
void
ts_event_list_show_row (TsEventList *self,
                        guint64 row,
                        gboolean select)
{
  g_return_if_fail (TS_IS_EVENT_LIST (self));
  g_return_if_fail (row > 0);
  update_layout (self);
  if (select && row != self->selected_row)
    {
      self->selected_row = row;
      self->anchor_row = 0;
    }
  scroll_to (self, row);
  show_selection (self);
}
