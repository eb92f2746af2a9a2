/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/ts-event-columns.h"
#include "ui/ts-event-list.h"
#include "ui/ts-kind-words.h"
#include "ui/ts-numbers.h"

#include "gui-test-util.h"

/* Rows of the list as the model of the recording gives them, by one unpaged read. */
static TsEvent *
read_all (TsRecording *recording,
          guint *n_rows)
{
  guint n = (guint) ts_recording_get_n_rows (recording);
  TsEvent *events = g_new0 (TsEvent, n);
  g_autoptr (GError) error = NULL;

  ts_recording_read_events (recording, 1, n, events, n_rows, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (*n_rows, ==, n);
  return events;
}

static TsRecording *
open (const char *path)
{
  g_autoptr (GError) error = NULL;
  TsRecording *recording = ts_recording_open (path, &error);

  g_assert_no_error (error);
  return recording;
}

static void
test_model (void)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (TsRecording) recording = open (path);
  g_autoptr (TsEventModel) model = ts_event_model_new ();
  g_autofree TsEvent *events = NULL;
  guint n_rows;
  guint i;

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, 0);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (model), 0));
  ts_event_model_set_recording (model, recording);
  events = read_all (recording, &n_rows);
  /* m4_short.expected.json: 9896 packets, 136 of them set-up; the host adds rows of its own */
  g_assert_cmpuint (n_rows, >=, 9760);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, n_rows);
  for (i = 0; i < n_rows; i++)
    {
      g_autoptr (TsEventItem) item = NULL;
      TsEvent event;

      gui_test_read_line (model, i + 1, &event);
      item = g_list_model_get_item (G_LIST_MODEL (model), i);
      g_assert_false (ts_event_item_is_pending (item));
      g_assert_cmpuint (ts_event_item_get_row (item), ==, i + 1);
      g_assert_cmpmem (ts_event_item_get_event (item), sizeof (TsEvent), &events[i],
                       sizeof (TsEvent));
      g_assert_cmpint (ts_event_item_get_delta (item), ==,
                       i > 0 ? events[i].time - events[i - 1].time : -1);
    }
  /* in order: every page was read once */
  g_assert_cmpuint (ts_event_model_get_n_reads (model), ==,
                    (n_rows + TS_EVENT_MODEL_PAGE_ROWS - 1) / TS_EVENT_MODEL_PAGE_ROWS);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (model), n_rows));
}

static void
test_random_access (void)
{
  g_autofree char *path = gui_test_make_demo (60000);
  g_autoptr (TsRecording) recording = open (path);
  g_autoptr (TsEventModel) model = ts_event_model_new ();
  g_autofree TsEvent *events = NULL;
  guint32 seed = g_test_rand_int_range (0, G_MAXINT32);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint n_rows;
  guint i;

  g_test_message ("seed %u", seed);
  ts_event_model_set_recording (model, recording);
  events = read_all (recording, &n_rows);
  for (i = 0; i < 2000; i++)
    {
      guint row = (guint) g_rand_int_range (rand, 1, (gint32) n_rows + 1);
      TsEvent event;

      gui_test_read_line (model, row, &event);
      g_assert_cmpmem (&event, sizeof event, &events[row - 1], sizeof event);
    }
  g_assert_cmpuint (ts_event_model_get_n_reads (model), <=, 2000);
}

typedef struct
{
  TsRecording *recording;
  TsViewState *view;
  GtkWidget *list;
  GtkWindow *window;
  gint64 chosen_tick;
} Fixture;

static void
on_event_selected (TsEventList *list,
                   gint64 tick,
                   guint object,
                   Fixture *fixture)
{
  fixture->chosen_tick = tick;
  ts_view_state_set_cursor (fixture->view, tick);
}

static gboolean
has_rows (gpointer user_data)
{
  GtkWidget *list = gui_test_find (user_data, GTK_TYPE_LIST_VIEW);
  GtkWidget *row = list != NULL ? gtk_widget_get_first_child (list) : NULL;

  return row != NULL && gtk_widget_get_height (row) > 0;
}

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autofree char *path = gui_test_make_demo (60000);

  fixture->recording = open (path);
  fixture->view = ts_view_state_new ();
  fixture->list = ts_event_list_new ();
  fixture->chosen_tick = -1;
  ts_event_list_set_view (TS_EVENT_LIST (fixture->list), fixture->view);
  g_signal_connect (fixture->list, "event-selected", G_CALLBACK (on_event_selected), fixture);
  ts_view_state_set_recording (fixture->view, fixture->recording);
  fixture->window = gui_test_show (fixture->list, 800, 300);
  gui_test_wait (has_rows, fixture->list);
  gui_test_iterate (50);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  gtk_window_destroy (fixture->window);
  g_clear_object (&fixture->view);
  g_clear_object (&fixture->recording);
}

static GtkSelectionModel *
get_selection (Fixture *fixture)
{
  GtkWidget *view = gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW);

  return GTK_SELECTION_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));
}

/* However many rows there are, the GTK list holds no more than fit on the screen. */
static void
test_window_of_rows (Fixture *fixture,
                     gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  guint64 n_rows = ts_recording_get_n_rows (fixture->recording);
  guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (get_selection (fixture)));

  g_assert_cmpuint (n_rows, >=, 60000);
  g_assert_cmpuint (n_shown, >=, 5);
  g_assert_cmpuint (n_shown, <=, 40);
  g_assert_cmpuint (ts_event_list_get_first_row (list), ==, 1);
  ts_event_list_show_row (list, n_rows, TRUE);
  g_assert_cmpuint (ts_event_list_get_first_row (list), >, n_rows - n_shown);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, n_rows);
  ts_event_list_show_row (list, 30000, TRUE);
  g_assert_cmpuint (ts_event_list_get_first_row (list), <=, 30000);
  g_assert_cmpuint (ts_event_list_get_first_row (list) + n_shown, >, 30000);
}

static const char *
get_first_time (Fixture *fixture)
{
  GtkWidget *lines = gui_test_find (fixture->list, GTK_TYPE_LIST_VIEW);
  GtkWidget *cell = gui_test_find (gtk_widget_get_first_child (lines), GTK_TYPE_INSCRIPTION);

  while (gtk_inscription_get_text (GTK_INSCRIPTION (cell)) == NULL)
    cell = gui_test_find (gtk_widget_get_next_sibling (gtk_widget_get_parent (cell)),
                          GTK_TYPE_INSCRIPTION);
  return gtk_inscription_get_text (GTK_INSCRIPTION (cell));
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

/* Wherever the table goes, its lines on screen stay the same ones and say something else: GTK makes
 * all cells of a new item anew, which a capture would ask for several times a second. */
static void
test_lines_stay (Fixture *fixture,
                 gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  GtkWidget *lines = gui_test_find (fixture->list, GTK_TYPE_LIST_VIEW);
  GtkWidget *first = gtk_widget_get_first_child (lines);
  g_autofree char *before = g_strdup (get_first_time (fixture));
  guint n_changes = 0;
  TsEvent event;
  guint64 row;

  g_signal_connect (get_selection (fixture), "items-changed", G_CALLBACK (count_changes),
                    &n_changes);
  ts_event_list_show_row (list, 30000, FALSE);
  ts_event_list_show_row (list, 20000, FALSE);
  g_assert_cmpuint (n_changes, ==, 0);
  g_assert_true (gtk_widget_get_first_child (lines) == first);
  row = ts_event_list_get_first_row (list);
  gui_test_read_line (ts_event_list_get_model (list), row, &event);
  {
    g_autofree char *time = ts_view_state_format_time (fixture->view, event.time);

    g_assert_cmpstr (get_first_time (fixture), ==, time);
    g_assert_cmpstr (time, !=, before);
  }
  g_signal_handlers_disconnect_by_func (get_selection (fixture), count_changes, &n_changes);
}

/* A recording goes, or another comes, while the table is far down: as when a capture begins. */
static void
test_recording_goes (Fixture *fixture,
                     gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  g_autofree char *path = gui_test_make_demo (1000);
  g_autoptr (TsRecording) other = open (path);

  ts_event_list_show_row (list, 30000, TRUE);
  ts_view_state_set_recording (fixture->view, NULL);
  gui_test_iterate (20);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (get_selection (fixture))), ==, 0);

  ts_view_state_set_recording (fixture->view, fixture->recording);
  gui_test_wait (has_rows, fixture->list);
  ts_event_list_show_row (list, 30000, TRUE);
  ts_view_state_set_recording (fixture->view, other);
  gui_test_iterate (20);
  g_assert_cmpuint (ts_event_list_get_first_row (list), ==, 1);
  g_assert_true (ts_event_model_get_recording (ts_event_list_get_model (list)) == other);
  ts_view_state_set_recording (fixture->view, NULL);
}

static void
test_list_to_view (Fixture *fixture,
                   gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  TsEvent event;

  ts_event_list_show_row (list, 20000, FALSE);
  gtk_selection_model_select_item (get_selection (fixture), 3, TRUE);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==,
                    ts_event_list_get_first_row (list) + 3);
  gui_test_read_line (ts_event_list_get_model (list), ts_event_list_get_selected_row (list),
                      &event);
  g_assert_cmpint (fixture->chosen_tick, ==, event.time);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, event.time);
  g_assert_true (gtk_selection_model_is_selected (get_selection (fixture), 3));
}

static gboolean
has_choice (gpointer list)
{
  return ts_event_list_get_selected_row (list) != 0;
}

static void
test_view_to_list (Fixture *fixture,
                   gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  guint64 first;
  TsEvent event;

  gui_test_read_line (ts_event_list_get_model (list), 45678, &event);
  ts_view_state_set_cursor (fixture->view, event.time);
  gui_test_wait (has_choice, list);
  first = ts_event_list_get_first_row (list);
  g_assert_cmpuint (first, <=, 45678);
  g_assert_cmpuint (first + g_list_model_get_n_items (G_LIST_MODEL (get_selection (fixture))), >,
                    45678);
  g_assert_cmpint (fixture->chosen_tick, ==, -1);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), >=, 45678);
}

static void
test_keys (Fixture *fixture,
           gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  GtkWidget *view = gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW);
  guint64 n_rows = ts_recording_get_n_rows (fixture->recording);
  GtkEventController *keys;
  gboolean is_handled;

  keys = gui_test_find_controller (view, GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  g_assert_nonnull (keys);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_End, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, n_rows);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_Up, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, n_rows - 1);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_KP_Home, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, 1);
  g_assert_cmpuint (ts_event_list_get_first_row (list), ==, 1);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_KP_Page_Down, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), >, 4);
}

static gboolean
is_past_20000 (gpointer list)
{
  guint64 row = ts_event_list_get_selected_row (list);

  return row > 20000 && row < 20064;
}

/* Lines say nothing wrong while their events are to come, and what was scrolled past is not read. */
static void
test_superseded (Fixture *fixture,
                 gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  TsEventModel *model = ts_event_list_get_model (list);
  guint64 n_reads = ts_event_model_get_n_reads (model);
  g_autoptr (TsEventItem) item = NULL;
  TsEvent event;
  guint64 row = 0;

  for (guint i = 0; i < 50; i++)
    ts_event_list_show_row (list, 1000 * (i + 3), TRUE);
  row = ts_event_list_get_first_row (list);
  item = g_list_model_get_item (G_LIST_MODEL (get_selection (fixture)), 0);
  g_assert_true (ts_event_item_is_pending (item));
  g_assert_cmpuint (ts_event_item_get_row (item), ==, row);
  gui_test_read_line (model, row, &event);
  g_assert_false (ts_event_item_is_pending (item));
  g_assert_cmpint (ts_event_item_get_event (item)->time, ==, event.time);
  gui_test_iterate (50);
  /* the first place, the last one, and what lies round it: of 50 places */
  g_assert_cmpuint (ts_event_model_get_n_reads (model) - n_reads, <=,
                    2 * 2 + 2 + TS_EVENT_MODEL_AHEAD + 2);
  /* those were read ahead: no line of the next screen is to come */
  ts_event_list_show_row (list, row + TS_EVENT_MODEL_PAGE_ROWS, FALSE);
  g_assert_false (ts_event_item_is_pending (item));
}

/* Keys that come quicker than the file is read end where slow ones do. */
static void
test_quick_keys (Fixture *fixture,
                 gconstpointer data)
{
  static const guint keys[] = { GDK_KEY_End,  GDK_KEY_Page_Up, GDK_KEY_Page_Up, GDK_KEY_Up,
                                GDK_KEY_Down, GDK_KEY_Page_Up, GDK_KEY_Up };
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  GtkWidget *view = gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW);
  GtkEventController *controller
      = gui_test_find_controller (view, GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  guint64 row;
  gboolean is_handled;
  TsEvent event;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_signal_emit_by_name (controller, "key-pressed", keys[i], 0u, 0, &is_handled);
  row = ts_event_list_get_selected_row (list);
  gui_test_read_line (ts_event_list_get_model (list), row, &event);
  g_assert_cmpint (fixture->chosen_tick, ==, event.time);
  g_assert_cmpuint (ts_view_state_get_event (fixture->view), ==, row);

  /* a key that comes before the list has followed the view goes on from where it will be then */
  gui_test_read_line (ts_event_list_get_model (list), 20000, &event);
  ts_view_state_set_cursor (fixture->view, event.time);
  g_signal_emit_by_name (controller, "key-pressed", (guint) GDK_KEY_Down, 0u, 0, &is_handled);
  gui_test_wait (is_past_20000, list);
  row = ts_event_list_get_selected_row (list);
  gui_test_read_line (ts_event_list_get_model (list), row, &event);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, event.time);
}

static gboolean
is_sorted (gpointer list)
{
  return ts_event_model_has_order (ts_event_list_get_model (list));
}

/* By value, the largest first: as brute force sorts them; and back to the order of time. */
static void
test_sort (Fixture *fixture,
           gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  TsEventModel *model = ts_event_list_get_model (list);
  GtkColumnView *table =
      GTK_COLUMN_VIEW (gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW));
  GListModel *columns = gtk_column_view_get_columns (table);
  g_autoptr (GtkColumnViewColumn) value =
      g_list_model_get_item (columns, TS_EVENT_COLUMN_VALUE);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (model));
  g_autofree TsEvent *events = NULL;
  guint n_rows;
  double largest = -G_MAXDOUBLE;
  double last = G_MAXDOUBLE;
  TsEvent event;

  events = read_all (fixture->recording, &n_rows);
  for (guint i = 0; i < n_rows; i++)
    if (ts_event_kind_get_n_operands (events[i].kind) > 0)
      largest = MAX (largest, ts_event_get_double (&events[i]));
  ts_event_list_show_row (list, 5000, TRUE);
  gtk_column_view_sort_by_column (table, value, GTK_SORT_DESCENDING);
  gui_test_wait (is_sorted, list);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==, n);
  for (guint i = 1; i <= n; i++)
    {
      double now;

      gui_test_read_line (model, i, &event);
      now = ts_event_kind_get_n_operands (event.kind) > 0 ? ts_event_get_double (&event)
                                                          : -G_MAXDOUBLE;
      if (i == 1)
        g_assert_cmpfloat (now, ==, largest);
      g_assert_cmpfloat (now, <=, last);
      last = now;
    }
  /* what was chosen still is */
  g_assert_cmpuint (ts_event_model_get_row (model, ts_event_list_get_selected_row (list)), ==,
                    5000);
  gtk_column_view_sort_by_column (table, NULL, GTK_SORT_ASCENDING);
  g_assert_false (ts_event_model_has_order (model));
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, 5000);
}

static char *copied;

static void
on_text (GObject *source,
         GAsyncResult *result,
         gpointer user_data)
{
  copied = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
}

static void
on_notice (TsEventList *list,
           const char *text,
           gboolean *is_told)
{
  *is_told = TRUE;
}

static gboolean
is_true (gpointer flag)
{
  return *(gboolean *) flag;
}

static gboolean
has_text (gpointer user_data)
{
  return copied != NULL;
}

/* Three lines, chosen with Shift, as CSV: the names, then times in seconds as the clock says. */
static void
test_copy (Fixture *fixture,
           gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  GtkWidget *view = gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW);
  GtkEventController *keys =
      gui_test_find_controller (view, GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  g_auto (GStrv) lines = NULL;
  g_autofree char *time = NULL;
  gboolean is_told = FALSE;
  gboolean is_handled;
  TsEvent event;
  gint64 ns;

  g_signal_connect (list, "notice", G_CALLBACK (on_notice), &is_told);
  ts_event_list_show_row (list, 1000, TRUE);
  for (guint i = 0; i < 2; i++)
    g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_Down, 0u, GDK_SHIFT_MASK,
                           &is_handled);
  gtk_widget_activate_action (fixture->list, "events.copy-csv", NULL);
  gui_test_wait (is_true, &is_told);
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (fixture->list), NULL, on_text, NULL);
  gui_test_wait (has_text, NULL);
  lines = g_strsplit (copied, "\n", -1);
  g_clear_pointer (&copied, g_free);
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  g_assert_cmpstr (lines[0], ==, "time,delta,lane,kind,what");
  for (guint i = 0; i < 3; i++)
    {
      gui_test_read_line (ts_event_list_get_model (list), 1000 + i, &event);
      ns = ts_recording_ticks_to_ns (fixture->recording, event.time);
      g_clear_pointer (&time, g_free);
      time = g_strdup_printf ("%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT ",", ns / 1000000000,
                              ns % 1000000000);
      g_assert_true (g_str_has_prefix (lines[i + 1], time));
      g_assert_nonnull (strstr (lines[i + 1], ts_event_kind_get_name (event.kind)));
    }
  g_assert_cmpstr (lines[4], ==, "");
}

static gboolean
is_at_4000 (gpointer list)
{
  return ts_event_list_get_selected_row (list) == 4000;
}

static GtkWidget *
find_label (GtkWidget *root,
            const char *text)
{
  GtkWidget *child;

  if (GTK_IS_LABEL (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text))
    return root;
  for (child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* How many lines there are is not how many events there are: both are told. Titles stand over their
 * figures, and identifiers of kinds have words beside them. */
static void
test_words (Fixture *fixture,
            gconstpointer data)
{
  GtkWidget *status = ts_event_list_get_status (TS_EVENT_LIST (fixture->list));
  GtkWidget *label = gui_test_find (status, GTK_TYPE_LABEL);
  g_autofree char *rows = ts_format_count (ts_recording_get_n_rows (fixture->recording));
  g_autofree char *events = ts_format_count (ts_recording_get_n_events (fixture->recording));
  g_autofree char *text = g_strconcat (rows, " rows", NULL);
  GtkWidget *title;

  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, text);
  g_assert_cmpstr (rows, !=, events);
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (label), events));

  title = find_label (fixture->list, "Time");
  g_assert_nonnull (title);
  g_assert_cmpint (gtk_widget_get_halign (gtk_widget_get_parent (title)), ==, GTK_ALIGN_FILL);
  title = find_label (fixture->list, "Value");
  g_assert_nonnull (title);
  g_assert_cmpint (gtk_widget_get_halign (gtk_widget_get_parent (title)), ==, GTK_ALIGN_END);

  g_assert_cmpstr (ts_kind_describe (TS_EVENT_TASK_SWITCH), ==, "Task switch");
  g_assert_cmpstr (ts_kind_describe (TS_EVENT_EXTERNAL_TRACE), ==, "Sample of an instrument");
  g_assert_cmpstr (ts_kind_describe (TS_EVENT_MARK), ==, "Mark");
  g_assert_cmpstr (ts_kind_describe (0x7FFF), ==, "");
  /* each kind has words of its own: none was forgotten when one was added */
  for (guint kind = 1; kind < 0x400; kind++)
    if (ts_event_kind_get_name (kind) != NULL)
      g_assert_cmpstr (ts_kind_describe (kind), !=, ts_event_kind_get_name (kind));
}

/* What the view chose while the list was not seen is chosen in it afterwards. */
static void
test_hidden (Fixture *fixture,
             gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  TsEvent event;

  gui_test_read_line (ts_event_list_get_model (list), 4000, &event);
  gtk_widget_set_visible (fixture->list, FALSE);
  ts_view_state_set_cursor (fixture->view, event.time);
  ts_view_state_set_event (fixture->view, 4000, event.time);
  gui_test_iterate (50);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), !=, 4000);
  gtk_widget_set_visible (fixture->list, TRUE);
  gui_test_wait (is_at_4000, list);
}

int
main (int argc,
      char **argv)
{
  if (!gui_test_init (&argc, &argv))
    return 0;
  g_test_add_func ("/gui/event-model/all-rows", test_model);
  g_test_add_func ("/gui/event-model/random-access", test_random_access);
  g_test_add ("/gui/event-list/window-of-rows", Fixture, NULL, set_up, test_window_of_rows,
              tear_down);
  g_test_add ("/gui/event-list/lines-stay", Fixture, NULL, set_up, test_lines_stay, tear_down);
  g_test_add ("/gui/event-list/recording-goes", Fixture, NULL, set_up, test_recording_goes,
              tear_down);
  g_test_add ("/gui/event-list/list-to-view", Fixture, NULL, set_up, test_list_to_view, tear_down);
  g_test_add ("/gui/event-list/view-to-list", Fixture, NULL, set_up, test_view_to_list, tear_down);
  g_test_add ("/gui/event-list/superseded", Fixture, NULL, set_up, test_superseded, tear_down);
  g_test_add ("/gui/event-list/quick-keys", Fixture, NULL, set_up, test_quick_keys, tear_down);
  g_test_add ("/gui/event-list/keys", Fixture, NULL, set_up, test_keys, tear_down);
  g_test_add ("/gui/event-list/sort", Fixture, NULL, set_up, test_sort, tear_down);
  g_test_add ("/gui/event-list/copy", Fixture, NULL, set_up, test_copy, tear_down);
  g_test_add ("/gui/event-list/words", Fixture, NULL, set_up, test_words, tear_down);
  g_test_add ("/gui/event-list/hidden", Fixture, NULL, set_up, test_hidden, tear_down);
  return g_test_run ();
}
