/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-connection-words-private.h: what people call transports and keys of a connection. */
#pragma once

#include "ui/ts-connection-form.h"

G_BEGIN_DECLS

char *_ts_connection_dup_key_title (const char *key);
gboolean _ts_connection_key_is_seldom (const char *key);

G_END_DECLS
