/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-trigger-row.h: what a capture waits for, how much is kept around it, and what follows. */
#pragma once

#include <adwaita.h>

#include "capture/ts-connection.h"

G_BEGIN_DECLS

#define TS_TYPE_TRIGGER_ROW (ts_trigger_row_get_type ())
G_DECLARE_FINAL_TYPE (TsTriggerRow, ts_trigger_row, TS, TRIGGER_ROW, AdwExpanderRow)

/* Signals: "changed": the user changed something. */
GtkWidget *ts_trigger_row_new (void);
void ts_trigger_row_load (TsTriggerRow *self,
                          TsConnection *connection);
gboolean ts_trigger_row_store (TsTriggerRow *self,
                               TsConnection *connection,
                               GError **error);
GtkWidget *ts_trigger_row_get_row (TsTriggerRow *self,
                                   const char *key);

G_END_DECLS
