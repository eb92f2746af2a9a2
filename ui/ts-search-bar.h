/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-search-bar.h: the line to search with, and the chips of the filters that are set.
 *
 * A search marks what it finds in the overview and leads from hit to hit; as a filter it leaves
 * only what it finds in the list, and only the lanes that have any on the timeline. Both are looked
 * for on a thread.
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/draw/ts-view-state.h"

#include "model/ts-search.h"

G_BEGIN_DECLS

#define TS_TYPE_SEARCH_BAR (ts_search_bar_get_type ())
G_DECLARE_FINAL_TYPE (TsSearchBar, ts_search_bar, TS, SEARCH_BAR, GtkWidget)

/* Signals: "go-to" (guint lane, gint64 begin, gint64 end); "filtered": other rows pass. */
/** What the filters hold for. */
typedef enum
{
  TS_FILTER_BOTH,
  TS_FILTER_TIMELINE,
  TS_FILTER_LIST,
} TsFilterScope;

GtkWidget *ts_search_bar_new (void);
void ts_search_bar_set_scope (TsSearchBar *self,
                              TsFilterScope scope);
void ts_search_bar_set_view (TsSearchBar *self,
                             TsViewState *view);
void ts_search_bar_open (TsSearchBar *self);
void ts_search_bar_close (TsSearchBar *self);
void ts_search_bar_set_text (TsSearchBar *self,
                             const char *text);
void ts_search_bar_step (TsSearchBar *self,
                         int direction);
guint64 ts_search_bar_get_n_found (TsSearchBar *self);
gboolean ts_search_bar_is_busy (TsSearchBar *self);
void ts_search_bar_add_filter (TsSearchBar *self,
                               const char *text);
void ts_search_bar_clear_filters (TsSearchBar *self);
const char * const *ts_search_bar_get_filters (TsSearchBar *self);
GArray *ts_search_bar_get_rows (TsSearchBar *self);
void ts_search_bar_refresh (TsSearchBar *self);

G_END_DECLS
