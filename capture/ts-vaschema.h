/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-vaschema.h: `.vaschema` files, which connection files have taken the place of: a transport,
 * and names for firmware that sends none. */
#pragma once

#include "model/ts-names.h"

#include "ts-connection.h"

G_BEGIN_DECLS

gboolean ts_vaschema_load (const char *path,
                           TsConnection *connection,
                           TsNames *names,
                           GError **error);

G_END_DECLS
