/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * roam.c: a person who goes everywhere in a recording that is on the disk only: hovers, clicks, drags
 * ranges, goes from event to event, follows links, grows the range, jumps about in the event list.
 *
 * As a test: the recording of the window, which the main thread uses, reads nothing from its file
 * meanwhile. With --bench [FILE] the file is dropped from the page cache before every round, and
 * figures are printed for ./dev bench: how long our own code keeps the main thread (see
 * loop-watch.h). The seed is printed, and is the argument after FILE.
 */
#define G_LOG_DOMAIN "ts-bench"

#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ui/ts-event-list.h"
#include "ui/ts-timeline.h"

#include "loop-watch.h"
#include "window-fixture.h"

#define N_ROUNDS 40
/* Longer than anything here may take; what is not there by then is gone on from. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)

/**
 * Roam:
 * @is_cold: nothing of the lanes is in memory when a step begins: what reads on the main thread
 *   cannot but read
 */
typedef struct
{
  TsWindow *window;
  TsTimeline *timeline;
  TsEventList *list;
  TsViewState *view;
  TsRecording *recording;
  GRand *rand;
  char *path;
  gboolean is_cold;
  guint n_late;
} Roam;

static void
drop_from_cache (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return;
  posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
  close (fd);
}

static gboolean
is_settled (Roam *self)
{
  TsEventModel *model = ts_event_list_get_model (self->list);
  guint64 line = ts_event_list_get_first_row (self->list);

  return gui_test_is_settled (GTK_WIDGET (self->timeline))
         && !ts_event_model_is_pending (model, line);
}

static gboolean
on_pulse (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

/* Lets the window work until all has come that the last step needs. */
static void
settle (Roam *self)
{
  gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  guint pulse = g_timeout_add (5, on_pulse, NULL);

  do
    g_main_context_iteration (NULL, TRUE);
  while (!is_settled (self) && g_get_monotonic_time () < end_us);
  self->n_late += !is_settled (self);
  g_source_remove (pulse);
}

static void
begin_step (Roam *self)
{
  if (self->is_cold)
    ts_recording_trim (self->recording, 0);
}

static gint64
random_tick (Roam *self)
{
  return (gint64) (g_rand_double (self->rand)
                   * (double) ts_recording_get_duration (self->recording));
}

/* A lane on screen, and where. */
static gboolean
pick_lane (Roam *self,
           guint32 *lane,
           double *y)
{
  GtkWidget *widget = GTK_WIDGET (self->timeline);
  GtkAdjustment *adjustment = ts_timeline_get_vadjustment (self->timeline);
  double header = gtk_widget_get_height (widget) - gtk_adjustment_get_page_size (adjustment);
  const TsViewRow *rows;
  guint n_rows;

  rows = ts_view_state_get_rows (self->view, &n_rows);
  for (guint tries = 0; tries < 50 && n_rows > 0; tries++)
    {
      const TsViewRow *row = &rows[g_rand_int_range (self->rand, 0, (gint32) n_rows)];

      *y = header + row->y - ts_view_state_get_scroll_y (self->view) + row->height / 2.0;
      *lane = row->lane;
      if (!row->is_header && *y > header && *y < gtk_widget_get_height (widget))
        return TRUE;
    }
  return FALSE;
}

static void
activate (Roam *self,
          const char *action,
          int direction,
          guint n)
{
  begin_step (self);
  for (guint i = 0; i < n; i++)
    gtk_widget_activate_action (GTK_WIDGET (self->timeline), action, "i", direction);
  settle (self);
}

static void
press (Roam *self,
       guint keyval,
       GdkModifierType state,
       guint n)
{
  GtkWidget *table = gui_test_find (GTK_WIDGET (self->list), GTK_TYPE_COLUMN_VIEW);
  GtkEventController *keys
      = gui_test_find_controller (table, GTK_TYPE_EVENT_CONTROLLER_KEY, 0);
  gboolean is_handled;

  begin_step (self);
  for (guint i = 0; i < n; i++)
    g_signal_emit_by_name (keys, "key-pressed", keyval, 0u, state, &is_handled);
  settle (self);
}

/* On the timeline. */
static void
roam_lanes (Roam *self)
{
  GtkEventController *motion = gui_test_find_controller (
      GTK_WIDGET (self->timeline), GTK_TYPE_EVENT_CONTROLLER_MOTION, 0);
  int width = gtk_widget_get_width (GTK_WIDGET (self->timeline));
  double x = g_rand_double_range (self->rand, width / 3.0, width * 0.8);
  guint32 lane;
  double y;

  ts_view_state_set_visible (self->view, random_tick (self),
                             MAX (ts_recording_get_duration (self->recording)
                                      >> g_rand_int_range (self->rand, 4, 20),
                                  1000));
  settle (self);
  if (!pick_lane (self, &lane, &y))
    return;
  for (guint i = 0; i < 3; i++)
    {
      begin_step (self);
      g_signal_emit_by_name (motion, "motion", x + 7.0 * i, y);
      settle (self);
    }
  begin_step (self);
  gui_test_drag (GTK_WIDGET (self->timeline), GDK_BUTTON_PRIMARY, x, y, 0, 0);
  settle (self);
  begin_step (self);
  gui_test_drag (GTK_WIDGET (self->timeline), GDK_BUTTON_PRIMARY, x, y, 90, 0);
  settle (self);
  activate (self, "timeline.event", 1, 5);
  activate (self, "timeline.event", -1, 2);
  activate (self, "timeline.grow", 1, 4);
  activate (self, "timeline.grow", -1, 2);
  activate (self, "timeline.step", 1, 3);
  activate (self, "timeline.link", 1, 2);
  activate (self, "timeline.link", -1, 2);
  begin_step (self);
  gtk_widget_activate_action (GTK_WIDGET (self->timeline), "timeline.sort", "s",
                              g_rand_boolean (self->rand) ? "share" : "priority");
  settle (self);
  ts_view_state_select_slice (self->view, 0, NULL);
  ts_view_state_select_lane (self->view, 0);
  ts_view_state_set_cursor (self->view, random_tick (self));
  settle (self);
  activate (self, "timeline.event", 1, 5);
  activate (self, "timeline.event", -1, 3);
}

static void
roam_list (Roam *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (ts_event_list_get_model (self->list)));
  guint64 line = (guint64) (g_rand_double (self->rand) * (n - 1)) + 1;

  ts_event_list_show_row (self->list, line, FALSE);
  settle (self);
  for (guint i = 0; i < 10; i++)
    {
      begin_step (self);
      ts_event_list_show_row (self->list, MIN (line + 30u * i, n), TRUE);
      settle (self);
    }
  press (self, GDK_KEY_Down, 0, 5);
  press (self, GDK_KEY_Page_Up, 0, 3);
  press (self, GDK_KEY_Down, GDK_SHIFT_MASK, 3);
  press (self, g_rand_boolean (self->rand) ? GDK_KEY_End : GDK_KEY_Home, 0, 1);
}

static gboolean
is_open (gpointer user_data)
{
  Roam *self = user_data;

  return ts_event_list_get_model (self->list) != NULL
         && g_list_model_get_n_items (G_LIST_MODEL (ts_event_list_get_model (self->list))) > 0
         && gtk_widget_get_mapped (GTK_WIDGET (self->list));
}

static void
roam_open (Roam *self,
           const char *path,
           guint32 seed)
{
  self->path = g_strdup (path);
  self->rand = g_rand_new_with_seed (seed);
  self->window = window_fixture_show (NULL);
  window_fixture_load (self->window, path);
  gui_test_wait (window_fixture_has_recording, self->window);
  self->view = ts_window_get_view (self->window);
  self->recording = ts_view_state_get_recording (self->view);
  self->timeline = TS_TIMELINE (gui_test_find (GTK_WIDGET (self->window), TS_TYPE_TIMELINE));
  self->list = TS_EVENT_LIST (gui_test_find (GTK_WIDGET (self->window), TS_TYPE_EVENT_LIST));
  gui_test_wait (is_open, self);
  gui_test_iterate (300);
}

static void
roam_close (Roam *self)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_rand_free (self->rand);
  g_free (self->path);
}

/* From when the window has the recording, whatever a person does, the main thread reads nothing from
 * the file. */
static void
test_still (void)
{
  g_autofree char *path = gui_test_make_demo (300000);
  guint32 seed = (guint32) g_test_rand_int ();
  guint64 n_reads;
  Roam roam = { 0 };

  g_test_message ("seed %u", seed);
  n_reads = gui_test_count_opening_reads (path);
  roam_open (&roam, path, seed);
  g_assert_cmpuint (ts_recording_get_n_reads (roam.recording), ==, n_reads);
  roam.is_cold = TRUE;
  for (guint i = 0; i < 4; i++)
    {
      roam_lanes (&roam);
      g_assert_cmpuint (ts_recording_get_n_reads (roam.recording), ==, n_reads);
      roam_list (&roam);
      g_assert_cmpuint (ts_recording_get_n_reads (roam.recording), ==, n_reads);
    }
  roam_close (&roam);
}

static const char *bench_path;
static guint32 bench_seed;

static void
bench (void)
{
  const LoopFigures *figures;
  g_autofree char *note = NULL;
  guint64 n_reads;
  Roam roam = { 0 };

  roam_open (&roam, bench_path, bench_seed);
  n_reads = ts_recording_get_n_reads (roam.recording);
  loop_watch_begin (roam.timeline);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      LoopMoment now = loop_watch_pause ();

      drop_from_cache (roam.path);
      loop_watch_resume (now);
      roam_lanes (&roam);
      roam_list (&roam);
    }
  figures = loop_watch_end ();
  note = g_strdup_printf (", seed %u", bench_seed);
  n_reads = ts_recording_get_n_reads (roam.recording) - n_reads;
  loop_watch_print (figures, "roam", note);
  g_print ("roam: reads of the file on the main thread\t%u\t\t<= 0\t%u steps took over %u s\n",
           (guint) n_reads, roam.n_late, (guint) (PATIENCE_US / G_USEC_PER_SEC));
  roam_close (&roam);
}

static void
add_tests (void)
{
  if (bench_path != NULL)
    bench ();
  else
    g_test_add_func ("/gui/roam/still", test_still);
}

int
main (int argc,
      char **argv)
{
  g_autofree char *made = NULL;

  if (argc > 1 && g_str_equal (argv[1], "--bench"))
    {
      bench_path = argc > 2 ? argv[2] : (made = gui_test_make_demo (2000000));
      bench_seed = argc > 3 ? (guint32) strtoul (argv[3], NULL, 10) : 1;
      argc = 1;
    }
  return window_fixture_run (argc, argv, add_tests);
}
