/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-tracker-exceptions.c: exceptions that the core's trace hardware tells about, on lanes of
 * interrupts.
 *
 * They have a stack of their own: in a recording where the firmware also tells about its handlers
 * the two stand beside each other, and neither counts for the other.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-tracker-state-private.h"

/* Functions of an exception packet. Source: itm-dwt.md section 2.7 */
#define ENTERED 1
#define EXITED 2
#define RETURNED 3

/* Ends all exceptions whose exits never came. */
void
_ts_tracker_close_exceptions (TsTracker *self,
                              TsCore *core,
                              gint64 time,
                              guint kind_flags)
{
  while (core->n_exceptions > 0)
    _ts_tracker_pop_open (self, core->exceptions, &core->n_exceptions, time, FALSE, kind_flags);
}

/* Where the exception lies in the stack, counted from 1; 0: it is not there. */
static guint
find_exception (const TsCore *core,
                const TsEntry *entry)
{
  guint at = core->n_exceptions;

  while (at > 0 && core->exceptions[at - 1].entry != entry)
    at--;
  return at;
}

/* Ends what is above @depth. The innermost one's end was told, the others' were not. */
static void
pop_to (TsTracker *self,
        TsCore *core,
        guint depth)
{
  gboolean is_complete = TRUE;

  while (core->n_exceptions > depth)
    {
      _ts_tracker_pop_open (self, core->exceptions, &core->n_exceptions, self->now, is_complete, 0);
      is_complete = FALSE;
    }
}

/* Entered, exited, returned to: some targets leave out "exited", so a return ends what is above the
 * place that it returns to. Source: itm-dwt.md section 2.7; ctrace.md section 8.4 */
void
_ts_tracker_exception (TsTracker *self,
                       TsCore *core,
                       const TsEvent *event)
{
  TsEntry *entry = _ts_tracker_entry (self, event->object);
  gboolean is_thread_mode = event->value == 0;
  guint at;

  if (entry == NULL)
    return;
  at = find_exception (core, entry);
  switch (ts_event_get_detail (event))
    {
    case ENTERED:
      if (!is_thread_mode)
        _ts_tracker_push_open (self, entry, core->exceptions, &core->n_exceptions,
                               (event->flags & TS_EVENT_FLAG_SYNTHETIC) != 0);
      break;

    case EXITED:
      if (at == 0)
        break;
      while (core->n_exceptions >= at)
        _ts_tracker_pop_open (self, core->exceptions, &core->n_exceptions, self->now,
                              core->n_exceptions == at, 0);
      break;

    case RETURNED:
      pop_to (self, core, at);
      if (at == 0 && !is_thread_mode)
        _ts_tracker_push_open (self, entry, core->exceptions, &core->n_exceptions, TRUE);
      break;

    default:
      break;
    }
}

/* Shows live readers the exceptions that are open. */
void
_ts_tracker_publish_exceptions (TsTracker *self,
                                const TsCore *core)
{
  for (guint i = 0; i < core->n_exceptions; i++)
    {
      const TsEntry *entry = core->exceptions[i].entry;
      TsSlice open[TS_LANE_MAX_OPEN] = { { 0 } };
      guint n_open = 0;

      for (guint k = 0; k < core->n_exceptions && n_open < TS_LANE_MAX_OPEN; k++)
        if (core->exceptions[k].entry == entry)
          open[n_open++] = (TsSlice){ .begin = core->exceptions[k].begin,
                                      .end = G_MAXINT64,
                                      .state = TS_STATE_RUNNING,
                                      .depth = (guint8) core->exceptions[k].depth };
      ts_lane_store_set_open_slices (self->store, entry->id, open, n_open);
    }
}
