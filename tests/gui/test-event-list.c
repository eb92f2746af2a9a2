/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include "ui/ts-event-list.h"

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
      g_autoptr (TsEventItem) item = g_list_model_get_item (G_LIST_MODEL (model), i);

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

      g_assert_true (ts_event_model_read (model, row, &event));
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

static GtkSingleSelection *
get_selection (Fixture *fixture)
{
  GtkWidget *view = gui_test_find (fixture->list, GTK_TYPE_COLUMN_VIEW);

  return GTK_SINGLE_SELECTION (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));
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

static void
test_list_to_view (Fixture *fixture,
                   gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  TsEvent event;

  ts_event_list_show_row (list, 20000, FALSE);
  gtk_single_selection_set_selected (get_selection (fixture), 3);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==,
                    ts_event_list_get_first_row (list) + 3);
  g_assert_true (ts_event_model_read (ts_event_list_get_model (list),
                                      ts_event_list_get_selected_row (list), &event));
  g_assert_cmpint (fixture->chosen_tick, ==, event.time);
  g_assert_cmpint (ts_view_state_get_cursor (fixture->view), ==, event.time);
  g_assert_cmpuint (gtk_single_selection_get_selected (get_selection (fixture)), ==, 3);
}

static void
test_view_to_list (Fixture *fixture,
                   gconstpointer data)
{
  TsEventList *list = TS_EVENT_LIST (fixture->list);
  guint64 first;
  TsEvent event;

  g_assert_true (ts_event_model_read (ts_event_list_get_model (list), 45678, &event));
  ts_view_state_set_cursor (fixture->view, event.time);
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
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_Home, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), ==, 1);
  g_assert_cmpuint (ts_event_list_get_first_row (list), ==, 1);
  g_signal_emit_by_name (keys, "key-pressed", (guint) GDK_KEY_Page_Down, 0u, 0, &is_handled);
  g_assert_cmpuint (ts_event_list_get_selected_row (list), >, 4);
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
  g_test_add ("/gui/event-list/list-to-view", Fixture, NULL, set_up, test_list_to_view, tear_down);
  g_test_add ("/gui/event-list/view-to-list", Fixture, NULL, set_up, test_view_to_list, tear_down);
  g_test_add ("/gui/event-list/keys", Fixture, NULL, set_up, test_keys, tear_down);
  return g_test_run ();
}
