/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-fact-list.h: a heading and rows of a name and a value, for a pane that changes often.
 *
 * The rows are written anew by begin, add ..., end; widgets are made once and only texts change.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_FACT_LIST (ts_fact_list_get_type ())
G_DECLARE_FINAL_TYPE (TsFactList, ts_fact_list, TS, FACT_LIST, GtkBox)

/* Signal "go-to" (gint64 begin, gint64 end): a value that leads to a place was activated. */
GtkWidget *ts_fact_list_new (const char *title);
void ts_fact_list_begin (TsFactList *self);
void ts_fact_list_add (TsFactList *self,
                       const char *name,
                       char *value);
void ts_fact_list_add_link (TsFactList *self,
                            const char *name,
                            char *value,
                            gint64 begin,
                            gint64 end);
void ts_fact_list_end (TsFactList *self);
guint ts_fact_list_get_n_rows (TsFactList *self);

G_END_DECLS
