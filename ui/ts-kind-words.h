/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-kind-words.h: kinds of events in words: for people who do not know their identifiers. */
#pragma once

#include "model/ts-event.h"

G_BEGIN_DECLS

const char *ts_kind_describe (TsEventKind kind);

G_END_DECLS
