/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-choice-list.h: a list to tick things in, with a line to look for them. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_CHOICE_LIST (ts_choice_list_get_type ())
G_DECLARE_FINAL_TYPE (TsChoiceList, ts_choice_list, TS, CHOICE_LIST, GtkWidget)

/* Signals: "changed": others are chosen. */
void ts_choice_list_set_name (TsChoiceList *self,
                              const char *name);
void ts_choice_list_add (TsChoiceList *self,
                         const char *key,
                         const char *title,
                         const char *detail,
                         gboolean is_chosen);
gboolean ts_choice_list_choose (TsChoiceList *self,
                                const char *key,
                                gboolean is_chosen);
guint ts_choice_list_get_n_chosen (TsChoiceList *self);
guint ts_choice_list_get_n_items (TsChoiceList *self);
char **ts_choice_list_dup_chosen (TsChoiceList *self);

G_END_DECLS
