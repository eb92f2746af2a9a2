/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-help-window.h: the manual, shown by the program itself: a sandbox need not have a help viewer. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define TS_TYPE_HELP_WINDOW (ts_help_window_get_type ())
G_DECLARE_FINAL_TYPE (TsHelpWindow, ts_help_window, TS, HELP_WINDOW, AdwWindow)

TsHelpWindow *ts_help_window_new (GtkApplication *application);
gboolean ts_help_window_show_page (TsHelpWindow *self,
                                   const char *name);
const char *ts_help_window_get_page (TsHelpWindow *self);
const char * const *ts_help_window_get_page_names (void);

G_END_DECLS
