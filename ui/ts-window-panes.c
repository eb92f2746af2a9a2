/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-window-panes.c: the tabs below the timeline, and how they lead to places on it. */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-window-private.h"

/* Names of the tabs, as the action win.show-tab takes them. */
static const char * const report_names[TS_N_REPORTS] = { "statistics", "findings",
                                                         "communication" };

/* A place in the first timeline. */
void
_ts_window_go_to (TsWindow *self,
                  guint32 lane,
                  gint64 begin,
                  gint64 end)
{
  ts_timeline_go_to (self->timeline, lane, begin, end);
}

/* A row of the event list was chosen: the timeline goes there. */
static void
on_event_selected (TsEventList *list,
                   gint64 tick,
                   guint object,
                   TsWindow *self)
{
  _ts_window_go_to (self, object, tick, tick);
}

static void
on_filter (TsEventList *list,
           const char *filter,
           TsWindow *self)
{
  ts_search_bar_add_filter (self->search_bar, filter);
}

static void
on_notice (TsEventList *list,
           const char *text,
           TsWindow *self)
{
  _ts_window_show_toast (self, text);
}

static void
on_report_go_to (TsReport *report,
                 guint lane,
                 gint64 begin,
                 gint64 end,
                 TsWindow *self)
{
  _ts_window_go_to (self, lane, begin, end);
}

static void
on_hit (TsSearchBar *bar,
        guint lane,
        gint64 begin,
        gint64 end,
        TsWindow *self)
{
  _ts_window_go_to (self, lane, begin, end);
}

static void
on_filtered (TsSearchBar *bar,
             TsWindow *self)
{
  ts_event_list_set_rows (self->event_list, ts_search_bar_get_rows (bar));
}

static void
on_lane_chosen (TsLaneFinder *finder,
                guint lane,
                TsWindow *self)
{
  _ts_window_go_to (self, lane, -1, -1);
  gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
}

/* The tab says how many findings there are. */
static void
on_findings (TsReport *report,
             TsWindow *self)
{
  GtkStackPage *page = gtk_stack_get_page (self->bottom_stack, GTK_WIDGET (report));
  guint n = ts_report_get_n_findings (report);
  g_autofree char *title = NULL;

  title = n > 0 ? g_strdup_printf (_ ("Findings %u"), n) : g_strdup (_ ("Findings"));
  gtk_stack_page_set_title (page, title);
}

void
_ts_window_add_page (TsWindow *self,
                     GtkWidget *page,
                     const char *name,
                     const char *title,
                     GtkWidget *status)
{
  /* the status follows the page: it has to be there first */
  gtk_stack_add_named (self->status_stack, status, name);
  gtk_stack_add_titled (self->bottom_stack, page, name, title);
}

void
_ts_window_init_panes (TsWindow *self)
{
  const char *titles[TS_N_REPORTS] = { _ ("Statistics"), _ ("Findings"), _ ("Communication") };

  self->event_list = TS_EVENT_LIST (ts_event_list_new ());
  ts_event_list_set_view (self->event_list, self->view);
  _ts_window_add_page (self, GTK_WIDGET (self->event_list), "events", _ ("Events"),
                       ts_event_list_get_status (self->event_list));
  g_signal_connect_object (self->event_list, "event-selected", G_CALLBACK (on_event_selected),
                           self, 0);
  g_signal_connect_object (self->event_list, "filter", G_CALLBACK (on_filter), self, 0);
  g_signal_connect_object (self->event_list, "notice", G_CALLBACK (on_notice), self, 0);
  for (guint i = 0; i < TS_N_REPORTS; i++)
    {
      self->reports[i] = TS_REPORT (ts_report_new (i));
      ts_report_set_view (self->reports[i], self->view);
      _ts_window_add_page (self, GTK_WIDGET (self->reports[i]), report_names[i], titles[i],
                           ts_report_get_status (self->reports[i]));
      g_signal_connect_object (self->reports[i], "go-to", G_CALLBACK (on_report_go_to), self, 0);
    }
  self->lane_finder = ts_lane_finder_new ();
  gtk_widget_set_parent (self->lane_finder, GTK_WIDGET (self->search_bar));
  g_signal_connect_object (self->lane_finder, "chosen", G_CALLBACK (on_lane_chosen), self, 0);
  ts_search_bar_set_view (self->search_bar, self->view);
  g_signal_connect_object (self->search_bar, "go-to", G_CALLBACK (on_hit), self, 0);
  g_signal_connect_object (self->search_bar, "filtered", G_CALLBACK (on_filtered), self, 0);
  g_signal_connect_object (self->reports[TS_REPORT_FINDINGS], "updated",
                           G_CALLBACK (on_findings), self, 0);
}

/* New data has come. */
void
_ts_window_refresh_panes (TsWindow *self)
{
  ts_event_list_refresh (self->event_list);
  ts_search_bar_refresh (self->search_bar);
  for (guint i = 0; i < TS_N_REPORTS; i++)
    ts_report_refresh (self->reports[i]);
}

static void
show_tab_action (GtkWidget *widget,
                 const char *name,
                 GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);
  const char *tab = g_variant_get_string (parameter, NULL);

  if (gtk_stack_get_child_by_name (self->bottom_stack, tab) == NULL)
    return;
  g_object_set (self, "show-events", TRUE, NULL);
  gtk_stack_set_visible_child_name (self->bottom_stack, tab);
}

static void
search_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  TsWindow *self = TS_WINDOW (widget);

  if (ts_view_state_get_recording (self->view) == NULL)
    return;
  if (g_str_equal (name, "win.search"))
    ts_search_bar_open (self->search_bar);
  else if (g_str_equal (name, "win.next-hit"))
    ts_search_bar_step (self->search_bar, 1);
  else if (g_str_equal (name, "win.previous-hit"))
    ts_search_bar_step (self->search_bar, -1);
  else if (g_str_equal (name, "win.filter-by-search"))
    ts_search_bar_add_filter (self->search_bar, "");
  else if (g_str_equal (name, "win.find-lane"))
    ts_lane_finder_open (TS_LANE_FINDER (self->lane_finder), self->view);
  else if (g_str_equal (name, "win.clear-filters"))
    {
      ts_search_bar_clear_filters (self->search_bar);
      ts_view_state_show_all_lanes (self->view);
    }
  else
    {
      ts_search_bar_close (self->search_bar);
      gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
    }
}

void
_ts_window_install_panes (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.show-tab", "s", show_tab_action);
  gtk_widget_class_install_action (widget_class, "win.search", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.find-lane", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.next-hit", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.previous-hit", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.filter-by-search", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.clear-filters", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "win.close-search", NULL, search_action);
}
