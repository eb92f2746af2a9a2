/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-ctf-import-private.h: events of a CTF trace, as libbabeltrace2 reads them, to our own.
 *
 * ts-import-ctf.c reads traces and writes the recording; ts-ctf-events.c knows what the events of
 * LTTng, Zephyr and our own export mean.
 */
#pragma once

#include <babeltrace2/babeltrace.h>

#include "model/ts-event-sink.h"

G_BEGIN_DECLS

typedef struct _TsCtfEvents TsCtfEvents;

TsCtfEvents *_ts_ctf_events_new (TsEventSink *sink);
void _ts_ctf_events_free (TsCtfEvents *self);
void _ts_ctf_events_take (TsCtfEvents *self, const bt_message *message);
void _ts_ctf_events_take_loss (TsCtfEvents *self, const bt_message *message);
void _ts_ctf_events_flush (TsCtfEvents *self);

G_END_DECLS
