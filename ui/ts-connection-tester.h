/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-tester.h: a button that tries a connection, and what came of it, step by step. */
#pragma once

#include <gtk/gtk.h>

#include "capture/ts-connection.h"
#include "ui/ts-checklist.h"

G_BEGIN_DECLS

#define TS_TYPE_CONNECTION_TESTER (ts_connection_tester_get_type ())
G_DECLARE_FINAL_TYPE (TsConnectionTester, ts_connection_tester, TS, CONNECTION_TESTER, GtkBox)

/* Signals: "requested": the user wants a test: call ts_connection_tester_run(); "target" (connection,
 * text): what is behind the probe of a connection that is tested. */
GtkWidget *ts_connection_tester_new (void);
void ts_connection_tester_run (TsConnectionTester *self,
                               TsConnection *connection);
void ts_connection_tester_cancel (TsConnectionTester *self);
void ts_connection_tester_clear (TsConnectionTester *self);
gboolean ts_connection_tester_is_running (TsConnectionTester *self);
TsChecklist *ts_connection_tester_get_checklist (TsConnectionTester *self);

G_END_DECLS
