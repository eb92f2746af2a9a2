/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-firmware-row.h: the firmware's ELF file, what it told, and the variables to read beside a
 * capture. */
#pragma once

#include <adwaita.h>

#include "ui/ts-connection-form.h"

G_BEGIN_DECLS

#define TS_TYPE_FIRMWARE_ROW (ts_firmware_row_get_type ())
G_DECLARE_FINAL_TYPE (TsFirmwareRow, ts_firmware_row, TS, FIRMWARE_ROW, AdwExpanderRow)

/* Signals: "changed": the user changed something; "chosen" (GFile *file): this one. */
GtkWidget *ts_firmware_row_new (void);
void ts_firmware_row_choose (TsFirmwareRow *self);
void ts_firmware_row_set_transport (TsFirmwareRow *self,
                                    const char *transport);
gboolean ts_firmware_row_load (TsFirmwareRow *self,
                               TsConnectionForm *form,
                               const char *path,
                               GError **error);
gboolean ts_firmware_row_store (TsFirmwareRow *self,
                                TsConnection *connection,
                                GError **error);
GtkWidget *ts_firmware_row_get_variables (TsFirmwareRow *self);

G_END_DECLS
