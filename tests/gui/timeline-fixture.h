/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline-fixture.h: a timeline of 1000 x 700 that shows m4_short.cobs. */
#pragma once

#include "gui-test-util.h"

#include "ui/ts-timeline.h"

typedef struct
{
  TsRecording *recording;
  TsViewState *view;
  GtkWidget *timeline;
  GtkWindow *window;
} Fixture;

static inline void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");
  g_autoptr (GError) error = NULL;

  fixture->recording = ts_recording_open (path, &error);
  g_assert_no_error (error);
  fixture->view = ts_view_state_new ();
  ts_view_state_set_recording (fixture->view, fixture->recording);
  fixture->timeline = ts_timeline_new ();
  ts_timeline_set_view (TS_TIMELINE (fixture->timeline), fixture->view);
  fixture->window = gui_test_show (fixture->timeline, 1000, 700);
}

static inline gboolean
is_gone (gpointer object)
{
  return *(gpointer *) object == NULL;
}

/* Lets go of @object, and waits until everybody has: what a worker was asked keeps it until then. */
static inline void
let_go (gpointer object)
{
  g_object_add_weak_pointer (object, &object);
  g_object_unref (object);
  gui_test_wait (is_gone, &object);
}

static inline void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  gtk_window_destroy (fixture->window);
  let_go (fixture->view);
  let_go (fixture->recording);
}
