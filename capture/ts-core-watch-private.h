/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-core-watch-private.h: why a core says nothing, and whether it is the one that was meant; inside
 * capture only. */
#pragma once

#include "ts-probe.h"

G_BEGIN_DECLS

const char *_ts_core_explain_silence (TsProbe *probe);
char *_ts_core_dup_mismatch (TsProbe *probe,
                             TsConnection *connection);

G_END_DECLS
