/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <glib/gi18n.h>

#include "ui/ts-lane-words.h"

/**
 * ts_lane_describe_kind:
 * @lane: a lane
 *
 * Thread: any
 *
 * Returns: (transfer none): what it is, in the user's language; "" if there is no word for it
 */
const char *
ts_lane_describe_kind (const TsLaneInfo *lane)
{
  switch (lane->kind)
    {
    case TS_LANE_CPU:
      return _ ("CPU load");
    case TS_LANE_TASK:
      return lane->is_idle ? _ ("Idle task") : _ ("Task");
    case TS_LANE_RTOS:
      return _ ("Scheduler");
    case TS_LANE_ISR:
      return _ ("Interrupt");
    case TS_LANE_SPAN:
      return lane->type == TS_OBJECT_FUNCTION ? _ ("Function") : _ ("User event");
    case TS_LANE_TOGGLE:
      return _ ("Toggle");
    case TS_LANE_VALUE:
      return ts_lane_id_get_load_core (lane->id) >= 0 ? _ ("Trace pin load") : _ ("Value");
    case TS_LANE_OBJECT:
      return _ ("Kernel object");
    case TS_LANE_MESSAGE:
      return _ ("Messages");
    case TS_LANE_LOSS:
      return _ ("Data loss");
    case TS_LANE_DENSITY:
    case TS_LANE_N_KINDS:
    default:
      return "";
    }
}

/**
 * ts_lane_describe_state:
 * @recording: whose lane it is
 * @lane: a lane
 * @slice: a slice of it
 *
 * Thread: owner of @recording
 *
 * Returns: (transfer full) (nullable): what it did, in the user's language; %NULL if there is no word
 */
char *
ts_lane_describe_state (TsRecording *recording,
                        const TsLaneInfo *lane,
                        const TsSlice *slice)
{
  const TsObject *object;

  switch (slice->state)
    {
    case TS_STATE_RUNNING:
      if (lane->kind == TS_LANE_TOGGLE)
        return g_strdup (_ ("high"));
      if (lane->kind == TS_LANE_SPAN)
        return g_strdup (_ ("active"));
      if (lane->kind == TS_LANE_CPU)
        return g_strdup (_ ("busy"));
      return g_strdup (_ ("running"));
    case TS_STATE_READY:
      return g_strdup (_ ("ready"));
    case TS_STATE_BLOCKED:
      object = slice->arg != 0 ? ts_recording_get_object (recording, slice->arg) : NULL;
      /* translators: name of a queue, mutex ... a task waits for */
      return object != NULL ? g_strdup_printf (_ ("blocked on %s"), object->name)
                            : g_strdup (_ ("blocked"));
    case TS_STATE_SLEEPING:
      return g_strdup (_ ("sleeping"));
    case TS_STATE_SUSPENDED:
      return g_strdup (_ ("suspended"));
    case TS_STATE_INTERRUPTED:
      return g_strdup (_ ("interrupted"));
    case TS_STATE_LOW:
      return g_strdup (_ ("low"));
    case TS_STATE_LOSS:
      return g_strdup (_ ("data lost"));
    case TS_STATE_CORRUPT:
      return g_strdup (_ ("undecodable"));
    case TS_STATE_NONE:
    case TS_STATE_POINT:
    default:
      return NULL;
    }
}
