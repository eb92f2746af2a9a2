/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-connection-form.h: the settings of a connection as rows to fill in.
 *
 * Made from the table of connection keys: a transport and only the keys that apply to it.
 */
#pragma once

#include <adwaita.h>

#include "capture/ts-connection.h"

G_BEGIN_DECLS

#define TS_TYPE_CONNECTION_FORM (ts_connection_form_get_type ())
G_DECLARE_FINAL_TYPE (TsConnectionForm, ts_connection_form, TS, CONNECTION_FORM, GtkBox)

/* Signal "changed": the user changed something. */
GtkWidget *ts_connection_form_new (void);
void ts_connection_form_set_connection (TsConnectionForm *self,
                                        TsConnection *connection);
TsConnection *ts_connection_form_dup_connection (TsConnectionForm *self,
                                                 GError **error);
const char *ts_connection_form_get_transport (TsConnectionForm *self);
void ts_connection_form_set_transport (TsConnectionForm *self,
                                       const char *transport);
const char *ts_connection_form_get_transport_title (const char *transport);
GtkWidget *ts_connection_form_get_row (TsConnectionForm *self,
                                       const char *key);

G_END_DECLS
