/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-capture-panel.h: choose a connection, watch it come up, see its figures.
 */
#pragma once

#include <gtk/gtk.h>

#include "capture/ts-capture-session.h"

G_BEGIN_DECLS

#define TS_TYPE_CAPTURE_PANEL (ts_capture_panel_get_type ())
G_DECLARE_FINAL_TYPE (TsCapturePanel, ts_capture_panel, TS, CAPTURE_PANEL, GtkWidget)

/* Signal "failed" (char *message): loading or saving a connection did not work. */
GtkWidget *ts_capture_panel_new (void);
void ts_capture_panel_set_connection (TsCapturePanel *self,
                                      TsConnection *connection,
                                      const char *name);
TsConnection *ts_capture_panel_dup_connection (TsCapturePanel *self,
                                               GError **error);
void ts_capture_panel_set_transport (TsCapturePanel *self,
                                     const char *transport);
void ts_capture_panel_get_options (TsCapturePanel *self,
                                   TsCaptureOptions *options);
char *ts_capture_panel_dup_folder (TsCapturePanel *self);
void ts_capture_panel_set_folder (TsCapturePanel *self,
                                  const char *path);
void ts_capture_panel_set_session (TsCapturePanel *self,
                                   TsCaptureSession *session);
void ts_capture_panel_set_recording (TsCapturePanel *self,
                                     TsRecording *recording);
void ts_capture_panel_show_problem (TsCapturePanel *self,
                                    const char *message);
gboolean ts_capture_panel_has_problem (TsCapturePanel *self);
gboolean ts_capture_panel_load (TsCapturePanel *self,
                                GFile *file);

const char *ts_capture_panel_get_trigger (TsCapturePanel *self);
void ts_capture_panel_load_firmware (TsCapturePanel *self,
                                     GFile *file);

G_END_DECLS
