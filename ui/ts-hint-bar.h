/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-hint-bar.h: what people who are new here would like to know, one sentence at a time. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define TS_TYPE_HINT_BAR (ts_hint_bar_get_type ())
G_DECLARE_FINAL_TYPE (TsHintBar, ts_hint_bar, TS, HINT_BAR, GtkWidget)

/** How many hints there are. */
guint ts_hint_bar_get_n_hints (void);
GtkWidget *ts_hint_bar_new (void);

G_END_DECLS
