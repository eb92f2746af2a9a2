/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-form-firmware.h: fills a connection form in from the firmware's ELF file. */
#pragma once

#include "ui/ts-connection-form.h"

G_BEGIN_DECLS

char *ts_connection_form_use_firmware (TsConnectionForm *self,
                                       const char *path,
                                       GError **error);
void ts_connection_form_set_text (TsConnectionForm *self,
                                  const char *key,
                                  const char *text);

G_END_DECLS
