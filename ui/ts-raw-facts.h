/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-raw-facts.h: the bytes of an event as facts, looked for beside the window.
 */
#pragma once

#include "model/ts-recording.h"

#include "ui/ts-fact-list.h"

G_BEGIN_DECLS

typedef struct _TsRawFacts TsRawFacts;

TsRawFacts *ts_raw_facts_new (GCallback changed,
                              gpointer user_data);
void ts_raw_facts_free (TsRawFacts *self);
void ts_raw_facts_add (TsRawFacts *self,
                       TsFactList *list,
                       TsRecording *recording,
                       guint64 row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsRawFacts, ts_raw_facts_free)

G_END_DECLS
