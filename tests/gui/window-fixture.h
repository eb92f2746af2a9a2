/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window-fixture.h: what tests of whole windows share: an application, a window with a recording. */
#pragma once

#include "ui/ts-application.h"
#include "ui/ts-window.h"

#include "gui-test-util.h"

G_BEGIN_DECLS

int window_fixture_run (int argc,
                        char **argv,
                        void (*add_tests) (void));
GtkApplication *window_fixture_get_application (void);
TsWindow *window_fixture_new (void);
void window_fixture_load (TsWindow *window,
                          const char *path);
TsWindow *window_fixture_open (const char *path);
TsWindow *window_fixture_show (const char *data_name);
gboolean window_fixture_has_recording (gpointer window);

G_END_DECLS
