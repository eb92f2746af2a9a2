/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-filter-line.h: what is hidden, as chips with a cross each, and one button to clear them all.
 * Seen whenever anything is hidden, and only then.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_FILTER_LINE (ts_filter_line_get_type ())
G_DECLARE_FINAL_TYPE (TsFilterLine, ts_filter_line, TS, FILTER_LINE, GtkWidget)

/* Signals: "remove" (text): this filter is not wanted any more; "show-lanes": nor that lanes are
 * hidden; "clear": nothing of all that. */
GtkWidget *ts_filter_line_new (void);
void ts_filter_line_update (TsFilterLine *self,
                            const char *scope,
                            const char * const *filters,
                            const char *note,
                            guint n_hidden);

G_END_DECLS
