/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-list-actions.c: columns, order, copying and the menu of the event list. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-column-title.h"
#include "ui/ts-event-list-private.h"
#include "ui/ts-numbers.h"
#include "ui/ts-settings.h"
#include "ui/ts-text-scale.h"

/* A table narrower than this shows fewer columns. */
#define NARROW_WIDTH 620
/* More lines than these are not sorted: a filter first. */
#define MAX_SORTED 2000000
/* More lines than these go to a file, not to the clipboard. */
#define MAX_COPIED 200000

/* The list inside of the table; its children are the lines on screen. */
GtkWidget *
_ts_event_list_get_lines (TsEventList *self)
{
  return ts_column_view_get_list (GTK_COLUMN_VIEW (self->column_view));
}

/* Lines, and what of them the title of the window counts: events of the target. */
void
_ts_event_list_update_count (TsEventList *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  TsRecording *recording = ts_event_model_get_recording (self->model);
  guint64 n_events = recording != NULL ? ts_recording_get_n_events (recording) : 0;
  g_autofree char *count = ts_format_count (n);
  g_autofree char *text = n > 0 ? g_strdup_printf (ngettext ("%s row", "%s rows", n), count) : NULL;
  g_autofree char *tooltip = NULL;

  if (recording != NULL && ts_recording_get_n_rows (recording) >= n_events)
    {
      g_autofree char *events = ts_format_count (n_events);
      g_autofree char *added
          = ts_format_count (ts_recording_get_n_rows (recording) - n_events);

      /* translators: how many events came from the target, and how many rows Taskscope made */
      tooltip = g_strdup_printf (_ ("The recording has %s events of the target, and %s rows that "
                                    "tell of begins, ends, losses and marks"),
                                 events, added);
    }
  gtk_label_set_text (GTK_LABEL (self->count_label), text != NULL ? text : "");
  gtk_widget_set_tooltip_text (self->count_label, tooltip);
}

/* --- columns ---------------------------------------------------------------------------------- */

guint
_ts_event_list_get_columns (TsEventList *self)
{
  guint columns = 0;

  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    if (self->column_checks[i] != NULL &&
        gtk_check_button_get_active (GTK_CHECK_BUTTON (self->column_checks[i])))
      columns |= 1u << i;
  return columns;
}

void
_ts_event_list_update_columns (TsEventList *self)
{
  guint columns = _ts_event_list_get_columns (self);

  /* what a narrow table can do without: the text says it, too */
  if (gtk_widget_get_width (self->scrolled) < NARROW_WIDTH * ts_text_scale_get ())
    columns &= ~(1u << TS_EVENT_COLUMN_KIND);
  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    {
      gboolean is_visible = (columns & (1u << i)) != 0;
      int width = ts_text_scale_get_column_width (self->columns[i]);

      if (gtk_column_view_column_get_visible (self->columns[i]) == is_visible)
        continue;
      /* GTK counts the width of columns nobody sees: theirs is kept here meanwhile */
      if (!is_visible)
        {
          self->widths[i] = width;
          ts_text_scale_set_column_width (self->columns[i], -1);
        }
      else if (self->widths[i] > 0)
        ts_text_scale_set_column_width (self->columns[i], self->widths[i]);
      gtk_column_view_column_set_visible (self->columns[i], is_visible);
    }
}

/* A column came or went. */
static void
on_column_toggled (TsEventList *self)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  guint columns = _ts_event_list_get_columns (self);

  if (self->is_syncing)
    return;
  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    if ((columns & (1u << i)) != 0)
      g_ptr_array_add (ids, (gpointer) ts_event_column_get_id (i));
  g_ptr_array_add (ids, NULL);
  ts_settings_set_strings (self->settings, "event-columns", (const char * const *) ids->pdata);
  _ts_event_list_update_columns (self);
}

/* The choice of columns is one for all windows. */
static void
on_columns_setting (TsEventList *self)
{
  static const char * const usual[] = { "time", "delta", "lane", "kind", "what", NULL };
  g_auto (GStrv) ids = ts_settings_dup_strings (self->settings, "event-columns");
  const char * const *chosen = ids != NULL ? (const char * const *) ids : usual;
  gboolean was_syncing = self->is_syncing;

  self->is_syncing = TRUE;
  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    gtk_check_button_set_active (GTK_CHECK_BUTTON (self->column_checks[i]),
                                 g_strv_contains (chosen, ts_event_column_get_id (i)));
  self->is_syncing = was_syncing;
  _ts_event_list_update_columns (self);
}

/* How many rows there are and which columns: shown by the window beside the tabs. */
static void
init_status (TsEventList *self)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  self->status = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  self->count_label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->count_label), 1);
  gtk_widget_set_hexpand (self->count_label, TRUE);
  gtk_widget_add_css_class (self->count_label, "dim-label");
  gtk_widget_add_css_class (self->count_label, "numeric");
  for (guint i = 0; i < TS_EVENT_N_COLUMNS; i++)
    {
      self->column_checks[i] = gtk_check_button_new_with_label (ts_event_column_get_title (i));
      g_signal_connect_object (self->column_checks[i], "toggled", G_CALLBACK (on_column_toggled),
                               self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (box), self->column_checks[i]);
    }
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("Columns"));
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Columns"), -1);
  gtk_box_append (GTK_BOX (self->status), self->count_label);
  gtk_box_append (GTK_BOX (self->status), button);
}

/* --- order ------------------------------------------------------------------------------------ */

/* GTK 4.8 does not tell which column its sorter goes by: the sorter asks the column's first, and
 * that one leaves its number. */
static int
probe (gconstpointer a,
       gconstpointer b,
       gpointer user_data)
{
  GtkSorter *sorter = *(GtkSorter **) user_data;
  TsEventList *self = g_object_get_data (G_OBJECT (sorter), "list");

  if (self->probed < 0)
    self->probed = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (sorter), "column"));
  return -1;
}

GtkSorter *
_ts_event_list_new_sorter (TsEventList *self,
                           TsEventColumn column)
{
  GtkSorter **place = g_new0 (GtkSorter *, 1);

  *place = GTK_SORTER (gtk_custom_sorter_new (probe, place, g_free));
  g_object_set_data (G_OBJECT (*place), "list", self);
  g_object_set_data (G_OBJECT (*place), "column", GUINT_TO_POINTER (column));
  return *place;
}

typedef struct
{
  TsEventRows lines;
  TsEventColumn column;
  gboolean is_descending;
} SortRequest;

static void
sort_request_free (gpointer data)
{
  SortRequest *request = data;

  g_clear_pointer (&request->lines.rows, g_array_unref);
  g_free (request);
}

static gpointer
sort_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  SortRequest *request = data;

  /* while a capture runs the window may know of rows that this copy of the recording has not got */
  if (request->lines.rows == NULL)
    request->lines.n = MIN (request->lines.n, ts_recording_get_n_rows (recording));
  return ts_event_rows_sort (recording, &request->lines, request->column, request->is_descending,
                             cancellable, error);
}

static void
unsort (TsEventList *self)
{
  self->sort_column = TS_EVENT_N_COLUMNS;
  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (self->column_view), NULL, GTK_SORT_ASCENDING);
}

/* What is chosen stays chosen, wherever it stands now. */
static void
set_order (TsEventList *self,
           GArray *order)
{
  guint64 row = ts_event_model_get_row (self->model, self->selected_row);

  _ts_event_list_forget (self);
  self->is_syncing = TRUE;
  ts_event_model_set_order (self->model, order);
  self->is_syncing = FALSE;
  self->anchor_row = 0;
  self->selected_row = 0;
  if (row != 0)
    ts_event_list_show_row (self, ts_event_model_find (self->model, row), TRUE);
  else
    gtk_adjustment_set_value (self->rows, 0);
}

static void
on_sorted (gpointer result,
           const GError *error,
           gpointer user_data)
{
  TsEventList *self = user_data;
  g_autoptr (GArray) order = result;

  if (order != NULL)
    {
      set_order (self, order);
      return;
    }
  unsort (self);
  _ts_event_list_notice (self, error->message);
}

void
_ts_event_list_resort (TsEventList *self)
{
  TsRecording *recording = ts_event_model_get_recording (self->model);
  GArray *rows = ts_event_model_get_rows (self->model);
  guint64 n = g_list_model_get_n_items (G_LIST_MODEL (self->model));
  SortRequest *request;

  ts_worker_cancel (self->sorter);
  if (recording == NULL || self->sort_column >= TS_EVENT_N_COLUMNS ||
      (self->sort_column == TS_EVENT_COLUMN_TIME && !self->is_descending))
    {
      if (ts_event_model_has_order (self->model))
        set_order (self, NULL);
      return;
    }
  if (n > MAX_SORTED)
    {
      g_autofree char *most = ts_format_count (MAX_SORTED);
      g_autofree char *text = NULL;

      text = g_strdup_printf (_ ("Up to %s rows can be sorted: set a filter first."), most);
      _ts_event_list_notice (self, text);
      unsort (self);
      return;
    }
  request = g_new0 (SortRequest, 1);
  request->lines.rows = rows != NULL ? g_array_ref (rows) : NULL;
  request->lines.first = 1;
  request->lines.n = n;
  request->column = self->sort_column;
  request->is_descending = self->is_descending;
  ts_worker_ask (self->sorter, sort_thread, request, sort_request_free,
                 (GDestroyNotify) g_array_unref, on_sorted, self);
}

static void
on_sorter_changed (GtkSorter *sorter,
                   GtkSorterChange change,
                   TsEventList *self)
{
  TsRecording *recording;
  GtkOrdering order;

  /* the table goes after the model */
  if (self->model == NULL)
    return;
  recording = ts_event_model_get_recording (self->model);
  self->probed = -1;
  /* any two objects that differ */
  order = gtk_sorter_compare (sorter, self, self->model);
  self->sort_column = self->probed >= 0 ? (TsEventColumn) self->probed : TS_EVENT_N_COLUMNS;
  self->is_descending = order == GTK_ORDERING_LARGER;
  _ts_event_list_resort (self);
  if (recording != NULL && ts_recording_is_live (recording) && ts_worker_is_busy (self->sorter))
    _ts_event_list_notice (self, _ ("Sorted are the rows so far: later ones join when the capture "
                                    "ends, or when sorted by time."));
}

/* --- copying ---------------------------------------------------------------------------------- */

/* Times as the view tells them, on a thread that has no view. */
typedef struct
{
  TsEventRows lines;
  guint columns;
  gboolean is_csv;
  gint64 cursor;
  TsTimeStyle style;
  TsTimeUnit unit;
  gint64 zero;
} CopyRequest;

static void
copy_request_free (gpointer data)
{
  CopyRequest *request = data;

  g_clear_pointer (&request->lines.rows, g_array_unref);
  g_free (request);
}

static gpointer
copy_thread (TsRecording *recording,
             gpointer data,
             GCancellable *cancellable,
             GError **error)
{
  CopyRequest *request = data;
  g_autoptr (TsViewState) view = ts_view_state_new ();

  ts_view_state_set_recording (view, recording);
  ts_view_state_set_time_format (view, request->style, request->unit);
  ts_view_state_set_time_zero (view, request->zero);
  return ts_event_rows_to_text (view, &request->lines, request->columns, request->is_csv,
                                request->cursor, cancellable, error);
}

static void
on_copied (gpointer result,
           const GError *error,
           gpointer user_data)
{
  TsEventList *self = user_data;
  g_autofree char *text = result;

  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  _ts_event_list_notice (self, text != NULL ? _ ("Copied") : error->message);
}

/* The lines that are chosen. */
static void
copy (TsEventList *self,
      gboolean is_csv)
{
  guint64 low = self->selected_row;
  guint64 high = self->selected_row;
  GArray *rows = ts_event_model_dup_lines (self->model);
  CopyRequest *request;

  if (self->anchor_row != 0)
    {
      low = MIN (low, self->anchor_row);
      high = MAX (high, self->anchor_row);
    }
  if (low == 0 || self->view == NULL || ts_event_model_get_recording (self->model) == NULL)
    {
      g_clear_pointer (&rows, g_array_unref);
      return;
    }
  if (high - low >= MAX_COPIED)
    {
      g_autofree char *most = ts_format_count (MAX_COPIED);
      g_autofree char *text = g_strdup_printf (
          _ ("Up to %s rows can be copied: export the range to a file instead."), most);

      g_clear_pointer (&rows, g_array_unref);
      _ts_event_list_notice (self, text);
      return;
    }
  request = g_new0 (CopyRequest, 1);
  request->lines.rows = rows;
  request->lines.first = low;
  request->lines.n = high - low + 1;
  request->columns = _ts_event_list_get_columns (self);
  request->is_csv = is_csv;
  request->cursor = ts_view_state_get_cursor (self->view);
  request->style = ts_view_state_get_time_style (self->view);
  request->unit = ts_view_state_get_time_unit (self->view);
  request->zero = ts_view_state_get_time_zero (self->view);
  ts_worker_ask (self->copier, copy_thread, request, copy_request_free, g_free, on_copied, self);
}

static void
copy_action (GtkWidget *widget,
             const char *name,
             GVariant *parameter)
{
  copy (TS_EVENT_LIST (widget), g_str_equal (name, "events.copy-csv"));
}

/* --- the menu --------------------------------------------------------------------------------- */

static void
filter_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  _ts_event_list_filter_like (TS_EVENT_LIST (widget), g_str_equal (name, "events.filter-kind")
                                                          ? TS_EVENT_AWAIT_KIND
                                                          : TS_EVENT_AWAIT_LANE);
}

static void
go_action (GtkWidget *widget,
           const char *name,
           GVariant *parameter)
{
  TsEventList *self = TS_EVENT_LIST (widget);

  if (self->selected_row != 0)
    _ts_event_list_choose (self, self->selected_row);
}

static void
on_menu_closed (GtkPopover *popover)
{
  /* not before the chosen action has run */
  g_idle_add_once ((GSourceOnceFunc) gtk_widget_unparent, popover);
}

static void
on_secondary (GtkGestureClick *gesture,
              int n_press,
              double x,
              double y,
              TsEventList *self)
{
  GtkWidget *list = _ts_event_list_get_lines (self);
  g_autoptr (GMenu) menu = g_menu_new ();
  guint64 line;
  GtkWidget *popover;
  double list_x;
  double list_y;

  if (list == NULL ||
      !gtk_widget_translate_coordinates (self->scrolled, list, x, y, &list_x, &list_y) ||
      list_y < 0 || self->row_height <= 0)
    return;
  line = ts_event_window_get_offset (self->window) + (guint64) (list_y / self->row_height) + 1;
  if (line > g_list_model_get_n_items (G_LIST_MODEL (self->model)))
    return;
  /* within several chosen lines the menu is about all of them */
  if (self->anchor_row == 0 || line < MIN (self->anchor_row, self->selected_row) ||
      line > MAX (self->anchor_row, self->selected_row))
    {
      self->anchor_row = 0;
      _ts_event_list_choose (self, line);
      ts_event_list_show_row (self, line, TRUE);
    }
  g_menu_append (menu, _ ("_Copy"), "events.copy");
  g_menu_append (menu, _ ("Copy as CS_V"), "events.copy-csv");
  g_menu_append (menu, _ ("_Go to on the Timeline"), "events.go");
  g_menu_append (menu, _ ("Only This _Lane"), "events.filter-lane");
  g_menu_append (menu, _ ("Only This _Kind"), "events.filter-kind");
  popover = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_widget_set_parent (popover, GTK_WIDGET (self));
  g_signal_connect (popover, "closed", G_CALLBACK (on_menu_closed), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
}

void
_ts_event_list_install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "events.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "events.copy-csv", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "events.go", NULL, go_action);
  gtk_widget_class_install_action (widget_class, "events.filter-lane", NULL, filter_action);
  gtk_widget_class_install_action (widget_class, "events.filter-kind", NULL, filter_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "events.copy",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Return, 0, "events.go", NULL);
}

void
_ts_event_list_init_actions (TsEventList *self)
{
  GtkGesture *gesture = gtk_gesture_click_new ();
  GtkSorter *sorter = gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->column_view));

  self->sort_column = TS_EVENT_N_COLUMNS;
  self->copier = ts_worker_new ("[ts-ui] copy of events");
  self->sorter = ts_worker_new ("[ts-ui] order of events");
  self->settings = ts_settings_new ();
  init_status (self);
  on_columns_setting (self);
  if (self->settings != NULL)
    g_signal_connect_object (self->settings, "changed::event-columns",
                             G_CALLBACK (on_columns_setting), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (sorter, "changed", G_CALLBACK (on_sorter_changed), self, 0);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect_object (gesture, "pressed", G_CALLBACK (on_secondary), self, 0);
  gtk_widget_add_controller (self->scrolled, GTK_EVENT_CONTROLLER (gesture));
}

void
_ts_event_list_clear_actions (TsEventList *self)
{
  if (self->copier != NULL)
    ts_worker_cancel (self->copier);
  if (self->sorter != NULL)
    ts_worker_cancel (self->sorter);
  g_clear_object (&self->copier);
  g_clear_object (&self->sorter);
  g_clear_object (&self->settings);
}
