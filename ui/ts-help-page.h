/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-help-page.h: one page of the manual as widgets. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_HELP_PAGE (ts_help_page_get_type ())
G_DECLARE_FINAL_TYPE (TsHelpPage, ts_help_page, TS, HELP_PAGE, GtkWidget)

GtkWidget *ts_help_page_new (void);
void ts_help_page_set_text (TsHelpPage *self,
                            const char *text,
                            const char *picture_path);

G_END_DECLS
