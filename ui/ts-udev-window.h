/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-udev-window.h: the rule that lets people use debug probes, with buttons that copy it. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define TS_TYPE_UDEV_WINDOW (ts_udev_window_get_type ())
G_DECLARE_FINAL_TYPE (TsUdevWindow, ts_udev_window, TS, UDEV_WINDOW, AdwWindow)

GtkWindow *ts_udev_window_show (GtkWindow *parent);
char *ts_udev_dup_rule (void);
char *ts_udev_dup_command (void);
gboolean ts_udev_is_sandboxed (void);

G_END_DECLS
