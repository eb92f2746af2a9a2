/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-trigger.h: what a capture waits for, and finding it among events.
 *
 * An expression is one or more alternatives joined by `or`; an alternative is one or more
 * conditions, all of them about the same event. The grammar, for people, is in the manual page
 * taskscope-cli(1), section TRIGGERS:
 *
 *     kind:isr_enter        lane:Ctrl             text:overrun       core=1
 *     lane:temp value>80    lane:Ctrl dur>5ms     lane:Ctrl silent>100ms     loss
 *
 * `value` with < or > fires where it becomes true, not at every sample; `dur` as soon as a slice
 * has lasted that long; `silent` as soon as nothing was heard for that long.
 */
#pragma once

#include "model/ts-event-sink.h"

#include "ts-connection.h"

G_BEGIN_DECLS

typedef struct _TsTrigger TsTrigger;

/**
 * TsTriggerAction: what follows when the trigger has fired and the time after it is over
 * @TS_TRIGGER_STOP: the capture ends
 * @TS_TRIGGER_REARM: it waits for the next time
 * @TS_TRIGGER_MARK: everything is recorded anyway; each time gets a mark
 */
typedef enum
{
  TS_TRIGGER_STOP,
  TS_TRIGGER_REARM,
  TS_TRIGGER_MARK,
} TsTriggerAction;

/**
 * TsTriggerState: how far it is
 * @TS_TRIGGER_OFF: there is none
 * @TS_TRIGGER_WAITING: what arrives is held, the oldest makes room
 * @TS_TRIGGER_AFTER: it has fired; the time after it is recorded
 * @TS_TRIGGER_DONE: it has fired, and nothing more is recorded
 */
typedef enum
{
  TS_TRIGGER_OFF,
  TS_TRIGGER_WAITING,
  TS_TRIGGER_AFTER,
  TS_TRIGGER_DONE,
} TsTriggerState;

TsTrigger *ts_trigger_new (const char *expression,
                           GError **error);
void ts_trigger_free (TsTrigger *self);
void ts_trigger_set_clock (TsTrigger *self,
                           guint64 hz);
void ts_trigger_set_object (TsTrigger *self,
                            const TsObject *object);
void ts_trigger_set_string (TsTrigger *self,
                            guint32 id,
                            const char *text);
gsize ts_trigger_find (TsTrigger *self,
                       const TsEvent *events,
                       gsize n_events);
gboolean ts_trigger_wait (TsTrigger *self,
                          gint64 time);
const char *ts_trigger_get_reason (TsTrigger *self);
guint32 ts_trigger_get_object (TsTrigger *self);

const char *ts_trigger_action_get_name (TsTriggerAction action);
gboolean ts_trigger_action_from_name (const char *name,
                                      TsTriggerAction *action);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsTrigger, ts_trigger_free)

G_END_DECLS
