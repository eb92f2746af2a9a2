/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/ts-lane-finder.h"

/* Nobody reads more: type another letter. */
#define MAX_ROWS 200

struct _TsLaneFinder
{
  GtkPopover parent_instance;

  GtkWidget *entry;
  GtkListBox *list;
  TsViewState *view;
};

enum
{
  SIGNAL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TsLaneFinder, ts_lane_finder, GTK_TYPE_POPOVER)

static void
add_row (TsLaneFinder *self,
         const TsLaneInfo *lane)
{
  GtkWidget *label = gtk_label_new (lane->name);
  GtkWidget *row = gtk_list_box_row_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
  g_object_set_data (G_OBJECT (row), "lane", GUINT_TO_POINTER (lane->id));
  gtk_list_box_append (self->list, row);
}

/* Names that begin with what was typed come first. */
static void
fill (TsLaneFinder *self)
{
  TsRecording *recording = self->view != NULL ? ts_view_state_get_recording (self->view) : NULL;
  g_autofree char *word =
      g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  const TsLaneInfo *lanes;
  GtkWidget *child;
  guint n_lanes;
  guint n = 0;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
  if (recording == NULL)
    return;
  lanes = ts_recording_get_lanes (recording, &n_lanes);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n_lanes && n < MAX_ROWS; i++)
      {
        g_autofree char *name = g_utf8_casefold (lanes[i].name != NULL ? lanes[i].name : "", -1);
        const char *found = strstr (name, word);

        if (lanes[i].kind == TS_LANE_LOSS || lanes[i].kind == TS_LANE_DENSITY || found == NULL ||
            (found == name) != (pass == 0))
          continue;
        add_row (self, &lanes[i]);
        n++;
      }
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
}

static void
on_row (GtkListBox *list,
        GtkListBoxRow *row,
        TsLaneFinder *self)
{
  guint lane = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "lane"));

  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, lane);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        TsLaneFinder *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  int index = row != NULL ? gtk_list_box_row_get_index (row) : -1;

  if (keyval != GDK_KEY_Down && keyval != GDK_KEY_Up)
    return GDK_EVENT_PROPAGATE;
  row = gtk_list_box_get_row_at_index (self->list, MAX (index + (keyval == GDK_KEY_Down ? 1 : -1),
                                                        0));
  if (row != NULL)
    gtk_list_box_select_row (self->list, row);
  return GDK_EVENT_STOP;
}

static void
ts_lane_finder_dispose (GObject *object)
{
  g_clear_object (&TS_LANE_FINDER (object)->view);
  G_OBJECT_CLASS (ts_lane_finder_parent_class)->dispose (object);
}

static void
ts_lane_finder_class_init (TsLaneFinderClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = ts_lane_finder_dispose;
  signals[SIGNAL_CHOSEN] =
      g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
ts_lane_finder_init (TsLaneFinder *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->entry = gtk_search_entry_new ();
  /* the entry takes Escape for itself */
  g_signal_connect_object (self->entry, "stop-search", G_CALLBACK (gtk_popover_popdown), self,
                           G_CONNECT_SWAPPED);
  g_object_set (self->entry, "placeholder-text", _ ("Find a lane"), NULL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (self->entry, keys);
  /* at once: who knows the name has pressed Return before a search entry tells of the letters */
  g_signal_connect_object (self->entry, "changed", G_CALLBACK (fill), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (ts_lane_finder_choose), self,
                           G_CONNECT_SWAPPED);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row), self, 0);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->list));
  gtk_widget_set_size_request (scrolled, 260, 240);
  gtk_box_append (GTK_BOX (box), self->entry);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (self), box);
  gtk_popover_set_has_arrow (GTK_POPOVER (self), FALSE);
}

/**
 * ts_lane_finder_new:
 *
 * Thread: main
 *
 * Returns: (transfer floating): a popover to be given a parent
 */
GtkWidget *
ts_lane_finder_new (void)
{
  return g_object_new (TS_TYPE_LANE_FINDER, NULL);
}

/**
 * ts_lane_finder_open:
 * @self: a finder
 * @view: whose lanes
 *
 * Thread: main
 */
void
ts_lane_finder_open (TsLaneFinder *self,
                     TsViewState *view)
{
  g_return_if_fail (TS_IS_LANE_FINDER (self));
  g_set_object (&self->view, view);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  fill (self);
  gtk_popover_popup (GTK_POPOVER (self));
  gtk_widget_grab_focus (self->entry);
}

/**
 * ts_lane_finder_set_text:
 * @self: a finder
 * @text: a part of a name
 *
 * As if it was typed.
 *
 * Thread: main
 */
void
ts_lane_finder_set_text (TsLaneFinder *self,
                         const char *text)
{
  g_return_if_fail (TS_IS_LANE_FINDER (self));
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  fill (self);
}

/**
 * ts_lane_finder_choose:
 * @self: a finder
 *
 * What Return does: the selected lane is chosen.
 *
 * Thread: main
 */
void
ts_lane_finder_choose (TsLaneFinder *self)
{
  GtkListBoxRow *row;

  g_return_if_fail (TS_IS_LANE_FINDER (self));
  row = gtk_list_box_get_selected_row (self->list);
  if (row != NULL)
    on_row (self->list, row, self);
}
