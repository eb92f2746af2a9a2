/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of the timeline, as the X server sends them to the real window, also of a keyboard with
 * French letters; and what preferences make of a window. */
#define G_LOG_DOMAIN "ts-test"

#include "config.h"

#include <string.h>

#include "ui/ts-lane-finder.h"
#include "ui/ts-search-bar.h"
#include "ui/ts-timeline.h"

#include "window-fixture.h"

#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

/* What is shown before each key. */
#define BEGIN 25000000
#define SPAN 4000000

/** What a key is to do, seen from how things were before. */
typedef enum
{
  ZOOMED_IN,
  ZOOMED_OUT,
  EARLIER,
  LATER,
  WHOLE,
  AT_BEGIN,
  AT_END,
  CURSOR_LATER,
  CURSOR_EARLIER,
  RANGE_LONGER,
  RANGE_SHORTER,
  AS_RANGE,
  AS_BEFORE,
  AS_AFTER,
  FOCUSED,
} Effect;

typedef struct
{
  TsWindow *window;
  TsViewState *view;
  GtkWidget *timeline;
  guint32 lane;
  gboolean has_focus;
  Effect effect;
  gint64 begin;
  gint64 span;
  gint64 cursor;
  gint64 range;
  gint64 after_begin;
  gint64 after_span;
} Keys;

static gint64
get_range (TsViewState *view)
{
  gint64 begin, end;

  return ts_view_state_get_range (view, &begin, &end) ? end - begin : 0;
}

static void
take_down (Keys *self)
{
  self->begin = ts_view_state_get_begin (self->view);
  self->span = ts_view_state_get_span (self->view);
  self->cursor = ts_view_state_get_cursor (self->view);
  self->range = get_range (self->view);
}

static gboolean
has_effect (gpointer user_data)
{
  Keys *self = user_data;
  gint64 begin = ts_view_state_get_begin (self->view);
  gint64 span = ts_view_state_get_span (self->view);
  gint64 cursor = ts_view_state_get_cursor (self->view);
  gint64 duration = ts_recording_get_duration (ts_view_state_get_recording (self->view));

  switch (self->effect)
    {
    case ZOOMED_IN:
      return span < self->span && begin >= self->begin;
    case ZOOMED_OUT:
      return span > self->span && span < duration;
    case EARLIER:
      return begin < self->begin && span == self->span;
    case LATER:
      return begin > self->begin && span == self->span;
    case WHOLE:
      return begin <= 0 && begin + span >= duration;
    case AT_BEGIN:
      return begin == 0 && span == self->span;
    case AT_END:
      return begin + span == duration && span == self->span;
    case CURSOR_LATER:
      return cursor > self->cursor && cursor < self->cursor + SPAN;
    case CURSOR_EARLIER:
      return cursor < self->cursor && cursor > self->cursor - SPAN;
    case RANGE_LONGER:
      return get_range (self->view) > self->range;
    case RANGE_SHORTER:
      return get_range (self->view) < self->range;
    case AS_RANGE:
      /* with a little room on both sides */
      return span >= self->range && span < self->range * 3 / 2;
    case AS_BEFORE:
      return begin == BEGIN && span == SPAN;
    case AS_AFTER:
      return begin == self->after_begin && span == self->after_span;
    case FOCUSED:
      return span != self->span && span < duration;
    }
  return FALSE;
}

/* One key, as xdotool names it; a number: by its place. */
static void
press (Keys *self,
       const char *key)
{
#ifdef GDK_WINDOWING_X11
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (self->window));
  g_autofree char *window = g_strdup_printf ("%lu", gdk_x11_surface_get_xid (surface));
  const char *const focus[] = { "xdotool", "windowfocus", window, NULL };
  const char *const arguments[] = { "xdotool", "key", key, NULL };

  g_test_message ("%s", key);
  /* without a window manager nobody else does; once: a popover would be left */
  if (!self->has_focus)
    gui_test_run (focus);
  self->has_focus = TRUE;
  gui_test_run (arguments);
#endif
}

static void
check (Keys *self,
       const char *key,
       Effect effect)
{
  take_down (self);
  self->effect = effect;
  press (self, key);
  gui_test_wait (has_effect, self);
}

static void
start (Keys *self)
{
  gtk_widget_grab_focus (self->timeline);
  ts_view_state_clear_range (self->view);
  ts_view_state_select_slice (self->view, 0, NULL);
  ts_view_state_select_lane (self->view, self->lane);
  ts_view_state_set_cursor (self->view, BEGIN + SPAN / 2);
  ts_view_state_set_visible (self->view, BEGIN, SPAN);
}

static gboolean
set_up (Keys *self)
{
  g_autofree char *program = g_find_program_in_path ("xdotool");
  g_autofree char *path = NULL;

  memset (self, 0, sizeof *self);
#ifdef GDK_WINDOWING_X11
  if (program == NULL || !GDK_IS_X11_DISPLAY (gdk_display_get_default ()))
#endif
    {
      g_test_skip ("there is no xdotool: ./dev deps installs it");
      return FALSE;
    }
  path = gui_test_make_recording ("m4_short.cobs");
  self->window = window_fixture_open (path);
  self->view = ts_window_get_view (self->window);
  self->timeline = gui_test_find (GTK_WIDGET (self->window), TS_TYPE_TIMELINE);
  gtk_test_widget_wait_for_draw (self->timeline);
  gui_test_find_row_y (self->timeline, self->view, "Ctrl", &self->lane);
  start (self);
  return TRUE;
}

static void
check_moves (Keys *self)
{
  static const struct
  {
    const char *key;
    Effect effect;
  } keys[] = {
    { "25", ZOOMED_IN },  { "39", ZOOMED_OUT },          { "38", EARLIER },
    { "40", LATER },      { "plus", ZOOMED_IN },         { "minus", ZOOMED_OUT },
    { "0", WHOLE },       { "Home", AT_BEGIN },          { "End", AT_END },
    { "period", CURSOR_LATER }, { "comma", CURSOR_EARLIER }, { "shift+Right", RANGE_LONGER },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      start (self);
      check (self, keys[i].key, keys[i].effect);
    }
  check (self, "shift+Right", RANGE_LONGER);
  check (self, "shift+Left", RANGE_SHORTER);
  check (self, "z", AS_RANGE);
  self->after_begin = ts_view_state_get_begin (self->view);
  self->after_span = ts_view_state_get_span (self->view);
  check (self, "alt+Left", AS_BEFORE);
  check (self, "alt+Right", AS_AFTER);
}

/* Where W S A D stand nothing depends on the letters; where the letters are, Z is Z. */
static void
test_moves (void)
{
  const char *const french[] = { "setxkbmap", "fr", NULL };
  const char *const english[] = { "setxkbmap", "us", NULL };
  g_autofree char *program = g_find_program_in_path ("setxkbmap");
  Keys self;

  if (!set_up (&self))
    return;
  check_moves (&self);

  if (program != NULL)
    {
      gui_test_run (french);
      start (&self);
      check (&self, "25", ZOOMED_IN);
      start (&self);
      check (&self, "39", ZOOMED_OUT);
      start (&self);
      check (&self, "38", EARLIER);
      start (&self);
      check (&self, "40", LATER);
      start (&self);
      check (&self, "shift+19", WHOLE);
      start (&self);
      check (&self, "shift+59", CURSOR_LATER);
      start (&self);
      check (&self, "58", CURSOR_EARLIER);
      start (&self);
      check (&self, "shift+Right", RANGE_LONGER);
      check (&self, "52", AS_RANGE);
      gui_test_run (english);
    }
  gtk_window_destroy (GTK_WINDOW (self.window));
}

/* F shows what is selected, and again the whole. */
static void
test_focus (void)
{
  Keys self;
  TsSlice slice;

  if (!set_up (&self))
    return;
  g_assert_true (ts_recording_next_slice (ts_view_state_get_recording (self.view), self.lane, BEGIN,
                                          1, &slice));
  ts_view_state_select_slice (self.view, self.lane, &slice);
  check (&self, "f", FOCUSED);
  check (&self, "f", WHOLE);
  gtk_window_destroy (GTK_WINDOW (self.window));
}

/* From a task that is ready to its run, and back. */
static void
test_links (void)
{
  Keys self;
  TsSlice slice = { .end = BEGIN };

  if (!set_up (&self))
    return;
  do
    g_assert_true (ts_recording_next_slice (ts_view_state_get_recording (self.view), self.lane,
                                            slice.begin == 0 ? BEGIN : slice.begin, 1, &slice));
  while (slice.state != TS_STATE_READY);
  ts_view_state_set_cursor (self.view, slice.begin);
  check (&self, "bracketright", CURSOR_LATER);
  g_assert_cmpint (ts_view_state_get_cursor (self.view), ==, slice.end);
  check (&self, "bracketleft", CURSOR_EARLIER);
  g_assert_cmpint (ts_view_state_get_cursor (self.view), ==, slice.begin);
  gtk_window_destroy (GTK_WINDOW (self.window));
}

static gboolean
has_finder (gpointer user_data)
{
  Keys *self = user_data;
  GtkWidget *finder = gui_test_find (GTK_WIDGET (self->window), TS_TYPE_LANE_FINDER);

  return finder != NULL && gtk_widget_get_mapped (finder);
}

static gboolean
has_no_finder (gpointer user_data)
{
  return !has_finder (user_data);
}

static gboolean
has_search (gpointer user_data)
{
  Keys *self = user_data;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window));
  GtkWidget *bar = gui_test_find (GTK_WIDGET (self->window), TS_TYPE_SEARCH_BAR);

  return focus != NULL && bar != NULL && gtk_widget_is_ancestor (focus, bar);
}

static gboolean
has_filter (gpointer user_data)
{
  Keys *self = user_data;
  GtkWidget *bar = gui_test_find (GTK_WIDGET (self->window), TS_TYPE_SEARCH_BAR);
  const char *const *filters = ts_search_bar_get_filters (TS_SEARCH_BAR (bar));

  return filters[0] != NULL && filters[1] == NULL && g_str_equal (filters[0], "mutex");
}

static GtkWidget *
find_shortcuts (void)
{
  g_autoptr (GListModel) toplevels = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (GTK_IS_SHORTCUTS_WINDOW (toplevel))
        return toplevel;
    }
  return NULL;
}

static gboolean
has_shortcuts (gpointer user_data)
{
  GtkWidget *shortcuts = find_shortcuts ();

  return shortcuts != NULL && gtk_widget_get_mapped (shortcuts);
}

/* The help on keys is shown, without a word on the standard error: the test would end there. */
static void
test_help (void)
{
  Keys self;

  if (!set_up (&self))
    return;
  press (&self, "ctrl+question");
  gui_test_wait (has_shortcuts, NULL);
  gtk_test_widget_wait_for_draw (find_shortcuts ());
  gtk_window_destroy (GTK_WINDOW (find_shortcuts ()));
  gtk_window_destroy (GTK_WINDOW (self.window));
}

/* The finder of lanes, a search that becomes a filter, the help on keys. */
static void
test_tools (void)
{
  static const char *const letters[] = { "m", "u", "t", "e", "x" };
  g_auto (GStrv) helps = NULL;
  Keys self;

  if (!set_up (&self))
    return;
  press (&self, "ctrl+l");
  gui_test_wait (has_finder, &self);
  press (&self, "Escape");
  gui_test_wait (has_no_finder, &self);
  press (&self, "ctrl+f");
  gui_test_wait (has_search, &self);
  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    press (&self, letters[i]);
  press (&self, "ctrl+Return");
  gui_test_wait (has_filter, &self);
  helps = gtk_application_get_actions_for_accel (window_fixture_get_application (),
                                                 "<Control>question");
  g_assert_cmpstr (helps[0], ==, "win.show-help-overlay");
  gtk_window_destroy (GTK_WINDOW (self.window));
}

static gboolean
is_gone (gpointer user_data)
{
  return *(gpointer *) user_data == NULL;
}

static void
close_window (TsWindow *window)
{
  gpointer alive = window;

  g_object_add_weak_pointer (G_OBJECT (window), &alive);
  gtk_window_close (GTK_WINDOW (window));
  gui_test_wait (is_gone, &alive);
}

static gboolean
has_stopped (gpointer window)
{
  return !ts_window_is_capturing (window);
}

/* A recording is shown as it was left, or as a whole, as the preference says. */
static void
test_restore (void)
{
  g_autoptr (GSettings) settings = g_settings_new (TS_APP_ID);
  g_autofree char *path = gui_test_make_recording ("m4_short.cobs");

  for (guint i = 0; i < 2; i++)
    {
      TsWindow *window = window_fixture_open (path);
      TsViewState *view = ts_window_get_view (window);

      ts_view_state_set_visible (view, BEGIN, SPAN);
      close_window (window);
      g_settings_set_boolean (settings, "restore-session", i == 0);
      window = window_fixture_open (path);
      view = ts_window_get_view (window);
      if (i == 0)
        g_assert_cmpint (ts_view_state_get_begin (view), ==, BEGIN);
      else
        g_assert_cmpint (ts_view_state_get_begin (view), <=, 0);
      if (i == 0)
        g_assert_cmpint (ts_view_state_get_span (view), ==, SPAN);
      else
        g_assert_cmpint (ts_view_state_get_span (view), >=,
                         ts_recording_get_duration (ts_view_state_get_recording (view)));
      close_window (window);
    }
  g_settings_reset (settings, "restore-session");
}

/* What is recorded is followed from its begin, or not. */
static void
test_follow_new (void)
{
  g_autoptr (GSettings) settings = g_settings_new (TS_APP_ID);

  for (guint i = 0; i < 2; i++)
    {
      TsWindow *window = window_fixture_new ();

      g_settings_set_boolean (settings, "follow-new", i == 0);
      ts_window_start_demo (window);
      gui_test_wait (window_fixture_has_recording, window);
      g_assert_cmpint (ts_view_state_is_following (ts_window_get_view (window)), ==, i == 0);
      ts_window_stop (window);
      gui_test_wait (has_stopped, window);
      close_window (window);
    }
  g_settings_reset (settings, "follow-new");
}

static void
add_tests (void)
{
  g_test_add_func ("/gui/keys/moves", test_moves);
  g_test_add_func ("/gui/keys/focus", test_focus);
  g_test_add_func ("/gui/keys/links", test_links);
  g_test_add_func ("/gui/keys/tools", test_tools);
  g_test_add_func ("/gui/keys/help", test_help);
  g_test_add_func ("/gui/preferences/restore-session", test_restore);
  g_test_add_func ("/gui/preferences/follow-new", test_follow_new);
}

int
main (int argc,
      char **argv)
{
  return window_fixture_run (argc, argv, add_tests);
}
