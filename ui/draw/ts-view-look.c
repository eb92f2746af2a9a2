/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-look.c: how a view tells times and colours states. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-display-list-private.h"
#include "ts-view-state-private.h"

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)
#define DAY_UNKNOWN (-1)
#define DAY_NOT_ASKED (-2)

void
_ts_view_look_reset (TsViewLook *look)
{
  look->zero = 0;
  look->day_ns = DAY_NOT_ASKED;
  look->serial++;
}

/* Nanoseconds from midnight, UTC, to the begin of the recording. */
static gint64
get_day_ns (TsViewState *self)
{
  g_autofree char *created = NULL;
  g_autoptr (GDateTime) begin = NULL;

  if (self->look.day_ns != DAY_NOT_ASKED)
    return self->look.day_ns;
  self->look.day_ns = DAY_UNKNOWN;
  created = ts_recording_dup_meta (self->recording, "created_utc");
  if (created != NULL)
    begin = g_date_time_new_from_iso8601 (created, NULL);
  if (begin != NULL)
    self->look.day_ns = (((gint64) g_date_time_get_hour (begin) * 60 +
                          g_date_time_get_minute (begin)) * 60 +
                         g_date_time_get_second (begin)) * NS_PER_SECOND;
  return self->look.day_ns;
}

/**
 * ts_view_state_set_time_format:
 * @self: a view state
 * @style: what times are counted from
 * @unit: in which unit
 *
 * Thread: owner
 */
void
ts_view_state_set_time_format (TsViewState *self,
                               TsTimeStyle style,
                               TsTimeUnit unit)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (style < TS_TIME_N_STYLES && unit < TS_TIME_N_UNITS);
  if (self->look.style == style && self->look.unit == unit)
    return;
  self->look.style = style;
  self->look.unit = unit;
  self->look.serial++;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_time_style:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: what times are counted from
 */
TsTimeStyle
ts_view_state_get_time_style (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), TS_TIME_SINCE_BEGIN);
  return self->look.style;
}

/**
 * ts_view_state_get_time_unit:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: the unit of times
 */
TsTimeUnit
ts_view_state_get_time_unit (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), TS_TIME_UNIT_AUTO);
  return self->look.unit;
}

/**
 * ts_view_state_set_time_zero:
 * @self: a view state
 * @tick: where %TS_TIME_SINCE_ZERO counts from
 *
 * Thread: owner
 */
void
ts_view_state_set_time_zero (TsViewState *self,
                             gint64 tick)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (self->look.zero == tick)
    return;
  self->look.zero = tick;
  self->look.serial++;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_time_zero:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: where %TS_TIME_SINCE_ZERO counts from
 */
gint64
ts_view_state_get_time_zero (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  return self->look.zero;
}

/**
 * ts_view_state_get_time_serial:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: another number whenever times have to be written anew
 */
guint
ts_view_state_get_time_serial (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  return self->look.serial;
}

gint64
_ts_view_state_get_origin (TsViewState *self)
{
  return self->look.style == TS_TIME_SINCE_ZERO ? self->look.zero : 0;
}

/* "14:03:22.004 118 412", without a date: recordings rarely last for days. */
static char *
format_day (TsViewState *self,
            gint64 day_ns,
            gint64 tick)
{
  __int128 ns = (__int128) day_ns + ts_recording_ticks_to_ns (self->recording, tick);
  gint64 seconds = (gint64) (ns / NS_PER_SECOND);
  gint64 rest = (gint64) (ns % NS_PER_SECOND);
  GString *out = g_string_sized_new (32);
  g_autoptr (GString) decimals = g_string_new (NULL);

  if (rest < 0)
    {
      rest += NS_PER_SECOND;
      seconds--;
    }
  seconds = (seconds % 86400 + 86400) % 86400;
  _ts_format_decimal (decimals, rest, 9);
  g_string_printf (out, "%02d:%02d:%02d%s", (int) (seconds / 3600), (int) (seconds / 60 % 60),
                   (int) (seconds % 60), decimals->str + 1);
  return g_string_free (out, FALSE);
}

/**
 * ts_view_state_format_time:
 * @self: a view state with a recording
 * @tick: a time
 *
 * A time as the user wants it told; a clock whose rate is not known counts ticks in any case.
 *
 * Thread: owner
 *
 * Returns: (transfer full): the text
 */
char *
ts_view_state_format_time (TsViewState *self,
                           gint64 tick)
{
  static const struct
  {
    const char *name;
    guint decimals;
  } units[TS_TIME_N_UNITS] = {
    [TS_TIME_UNIT_S] = { "s", 9 }, [TS_TIME_UNIT_MS] = { "ms", 6 }, [TS_TIME_UNIT_US] = { "µs", 3 },
  };
  GString *out;
  gint64 day_ns;
  TsTimeUnit unit;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  g_return_val_if_fail (self->recording != NULL, NULL);
  unit = self->look.unit;
  day_ns = self->look.style == TS_TIME_OF_DAY && unit != TS_TIME_UNIT_TICKS ? get_day_ns (self)
                                                                             : DAY_UNKNOWN;
  if (day_ns >= 0)
    return format_day (self, day_ns, tick);
  tick -= _ts_view_state_get_origin (self);
  if (unit == TS_TIME_UNIT_AUTO || ts_recording_get_clock_hz (self->recording) == 0)
    return ts_format_time (self->recording, tick);
  out = g_string_sized_new (32);
  if (unit == TS_TIME_UNIT_TICKS)
    {
      _ts_format_decimal (out, tick, 0);
      g_string_append_printf (out, "\302\240%s", _("ticks"));
      return g_string_free (out, FALSE);
    }
  _ts_format_decimal (out, ts_recording_ticks_to_ns (self->recording, tick),
                      units[unit].decimals);
  g_string_append_printf (out, "\302\240%s", units[unit].name);
  return g_string_free (out, FALSE);
}

/**
 * ts_view_state_set_color_by_state:
 * @self: a view state
 * @by_state: what a task does gives its colour; else every task has its own
 *
 * Thread: owner
 */
void
ts_view_state_set_color_by_state (TsViewState *self,
                                  gboolean by_state)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (self->look.is_by_state == !!by_state)
    return;
  self->look.is_by_state = !!by_state;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_is_color_by_state:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: whether what a task does gives its colour
 */
gboolean
ts_view_state_is_color_by_state (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return self->look.is_by_state;
}

/**
 * ts_view_state_set_state_labels:
 * @self: a view state
 * @labels: states of tasks are also written where there is room
 *
 * Thread: owner
 */
void
ts_view_state_set_state_labels (TsViewState *self,
                                gboolean labels)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (self->look.has_labels == !!labels)
    return;
  self->look.has_labels = !!labels;
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_has_state_labels:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: whether states of tasks are written where there is room
 */
gboolean
ts_view_state_has_state_labels (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return self->look.has_labels;
}

/**
 * ts_view_state_set_follow_resume:
 * @self: a view state
 * @resume: coming back to the live end takes up following; else only
 *   ts_view_state_set_following() does
 *
 * Thread: owner
 */
void
ts_view_state_set_follow_resume (TsViewState *self,
                                 gboolean resume)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  self->no_resume = !resume;
}

/**
 * ts_view_state_can_resume:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: whether coming back to the live end takes up following
 */
gboolean
ts_view_state_can_resume (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return !self->no_resume;
}

/**
 * ts_view_state_set_unbounded:
 * @self: a view state
 * @unbounded: what is seen may lie outside of the recording, as beside a longer one
 *
 * Thread: owner
 */
void
ts_view_state_set_unbounded (TsViewState *self,
                             gboolean unbounded)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  self->is_unbounded = !!unbounded;
}
