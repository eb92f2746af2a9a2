/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gui-test-util.h: what the window tests share. */
#pragma once

#include <adwaita.h>

#include "ui/draw/ts-view-state.h"
#include "ui/ts-event-model.h"
#include "ui/ts-table.h"

G_BEGIN_DECLS

/** How long anything may take before a test gives up, seconds. */
#define GUI_TEST_DEADLINE_S 30

typedef gboolean (*GuiTestCondition) (gpointer user_data);

gboolean gui_test_init (int *argc,
                        char ***argv);
void gui_test_wait (GuiTestCondition condition,
                    gpointer user_data);
void gui_test_run (const char *const *arguments);
void gui_test_iterate (guint ms);
char *gui_test_data (const char *name);
char *gui_test_make_recording (const char *data_name);
char *gui_test_make_demo (guint64 n_events);
GtkWindow *gui_test_show (GtkWidget *child,
                          int width,
                          int height);
GtkWidget *gui_test_find (GtkWidget *root,
                          GType type);
GtkEventController *gui_test_find_controller (GtkWidget *widget,
                                              GType type,
                                              guint button);
void gui_test_drag (GtkWidget *timeline,
                    guint button,
                    double x,
                    double y,
                    double dx,
                    double dy);
const char *gui_test_get_cell (TsTable *table,
                               guint row,
                               guint column);
TsTablePlace gui_test_get_place (TsTable *table,
                                 guint row);
char *gui_test_describe (GtkWidget *widget);
gboolean gui_test_is_settled (GtkWidget *timeline);
void gui_test_settle (GtkWidget *timeline);
guint64 gui_test_count_opening_reads (const char *path);
void gui_test_read_line (TsEventModel *model,
                         guint64 line,
                         TsEvent *event);
double gui_test_find_row_y (GtkWidget *timeline,
                            TsViewState *view,
                            const char *name,
                            guint32 *lane);

G_END_DECLS
