/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-event-facts.h: all there is to say about one event, as rows of a name and a value. */
#pragma once

#include "ui/draw/ts-view-state.h"

#include "ui/ts-fact-list.h"

G_BEGIN_DECLS

void ts_event_facts_add (TsFactList *list,
                         TsViewState *view,
                         guint64 row,
                         const TsEvent *event);

G_END_DECLS
