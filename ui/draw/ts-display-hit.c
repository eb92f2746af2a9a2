/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-hit.c: what lies under a point, and what there is to say about it. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-display-list-private.h"

/** Pixels a slice is caught from. */
#define REACH_PX 3

static gint64
get_tolerance (TsViewState *view,
               int width)
{
  return ts_view_state_get_span (view) / width * REACH_PX
         + ts_view_state_get_span (view) % width * REACH_PX / width;
}

/* The slice nearest to the point in the row of nested slices it is in. */
static gboolean
find_nested (TsDisplayList *self,
             TsRecording *recording,
             guint32 lane,
             gint64 time,
             gint64 tolerance,
             guint depth,
             TsSlice *found)
{
  gint64 best = G_MAXINT64;
  TsColumn columns[4];
  gboolean is_coarse;

  g_array_set_size (self->slices, 0);
  if (ts_recording_query_lane (recording, lane, time - tolerance, time + tolerance + 1,
                               G_N_ELEMENTS (columns), columns, self->slices, 0, &is_coarse)
      != TS_LANE_DETAIL_SLICES)
    return FALSE;
  for (guint i = 0; i < self->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (self->slices, TsSlice, i);
      gint64 distance = slice->begin > time  ? slice->begin - time
                        : slice->end <= time ? time - slice->end + 1
                                             : 0;

      if (slice->depth != depth || distance > tolerance || distance >= best)
        continue;
      best = distance;
      *found = *slice;
    }
  return best != G_MAXINT64;
}

static void
hit_lane (TsDisplayList *self,
          TsViewState *view,
          const TsViewRow *row,
          double y,
          int width,
          TsHit *hit)
{
  TsRecording *recording = ts_view_state_get_recording (view);
  gint64 tolerance = get_tolerance (view, width);
  guint deepest
      = GPOINTER_TO_UINT (g_hash_table_lookup (self->depths, GUINT_TO_POINTER (row->lane)));
  gboolean has_columns;
  gboolean is_coarse;
  TsSlice slice;

  ts_recording_begin_look (recording, TS_LOOK_POINTER);
  if (deepest > 0)
    {
      int depth = (int) ((y - row->y) * (deepest + 1) / row->height);

      hit->has_slice = find_nested (self, recording, row->lane, hit->time, tolerance,
                                    (guint) CLAMP (depth, 0, (int) deepest), &hit->slice);
    }
  if (!hit->has_slice)
    hit->has_slice
        = ts_recording_find_slice (recording, row->lane, hit->time, tolerance, &hit->slice);
  if (ts_recording_find_slice (recording, TS_LANE_ID_LOSS, hit->time, tolerance, &slice))
    {
      hit->lane = TS_LANE_ID_LOSS;
      hit->slice = slice;
      hit->has_slice = TRUE;
    }
  /* with a deadline: what is in memory */
  has_columns = ts_recording_query_lane (recording, row->lane, hit->time - tolerance,
                                         hit->time + tolerance + 1, 1, &hit->coarse, self->slices,
                                         1, &is_coarse)
                == TS_LANE_DETAIL_COLUMNS;
  hit->is_pending = ts_recording_end_look (recording);
  if (!hit->is_pending)
    return;
  hit->has_slice = FALSE;
  hit->lane = row->lane;
  hit->has_coarse = has_columns && hit->coarse.count > 0;
}

/* Pinned rows come first. */
static guint
count_pinned (const TsViewRow *rows,
              guint n_rows)
{
  guint n = 0;

  while (n < n_rows && rows[n].group == TS_GROUP_PINNED)
    n++;
  return n;
}

/**
 * ts_display_list_hit:
 * @self: a list
 * @view: what was built
 * @options: as it was built
 * @x: pixels from the left
 * @y: pixels from the top
 * @hit: (out caller-allocates): what is there
 *
 * Finds what lies under a point. In the overview the time is that of the whole recording, elsewhere
 * that of the view.
 *
 * Thread: owner of @view
 */
void
ts_display_list_hit (TsDisplayList *self,
                     TsViewState *view,
                     const TsDisplayOptions *options,
                     double x,
                     double y,
                     TsHit *hit)
{
  const TsViewRow *rows;
  TsRecording *recording;
  guint n_rows;
  int label_width, width, lanes_y, sticky, page, fixed;

  g_return_if_fail (self != NULL && options != NULL && hit != NULL);
  g_return_if_fail (TS_IS_VIEW_STATE (view));

  *hit = (TsHit) { .group = -1 };
  recording = ts_view_state_get_recording (view);
  if (recording == NULL || x < 0 || y < 0 || x >= options->width || y >= options->height)
    return;
  x = ts_display_options_unmirror (options, x);
  label_width = CLAMP (options->label_width, 0, MAX (options->width - 1, 0));
  width = MAX (options->width - label_width, 1);
  lanes_y = options->overview_height + options->ruler_height;
  hit->time = ts_view_state_x_to_tick (view, x - label_width, width);
  if (y < options->overview_height)
    {
      double share = CLAMP ((x - label_width) / width, 0.0, 1.0);

      hit->part = 1;
      hit->time = (gint64) (((__int128) ts_recording_get_duration (recording)
                             * (gint64) ceil (share * 4294967296.0))
                            >> 32);
      return;
    }
  if (y < lanes_y)
    {
      hit->part = 2;
      return;
    }
  rows = ts_view_state_get_rows (view, &n_rows);
  page = options->height - lanes_y;
  fixed = ts_view_state_get_fixed_height (view, page);
  sticky = _ts_view_state_get_sticky_row (view, fixed);
  y -= lanes_y;
  if (sticky >= 0 && y >= fixed &&
      y < _ts_view_state_get_sticky_y (view, sticky, fixed) + rows[sticky].height)
    {
      hit->part = 5;
      hit->group = (int) rows[sticky].group;
      return;
    }
  if (y >= fixed)
    y += ts_view_state_get_scroll_y (view);
  else
    n_rows = MIN (n_rows, count_pinned (rows, n_rows));
  for (guint i = 0; i < n_rows; i++)
    {
      const TsViewRow *row = &rows[i];

      if (y < row->y || y >= row->y + row->height)
        continue;
      hit->lane = row->lane;
      if (row->is_header)
        {
          hit->part = 5;
          hit->group = (int) row->group;
        }
      else if (x < label_width)
        {
          hit->part = 3;
        }
      else
        {
          hit->part = 4;
          hit_lane (self, view, row, y, width, hit);
        }
      return;
    }
}

static const char *
get_state_text (const TsLaneInfo *lane,
                const TsSlice *slice)
{
  switch (slice->state)
    {
    case TS_STATE_RUNNING:
      if (lane->kind == TS_LANE_TOGGLE)
        return _("high");
      if (lane->kind == TS_LANE_ISR)
        return _("in handler");
      if (lane->kind == TS_LANE_SPAN)
        return _("active");
      return lane->kind == TS_LANE_CPU ? _("busy") : _("running");
    case TS_STATE_READY:
      return _("ready");
    case TS_STATE_BLOCKED:
      return _("blocked");
    case TS_STATE_SLEEPING:
      return _("sleeping");
    case TS_STATE_SUSPENDED:
      return _("suspended");
    case TS_STATE_LOW:
      return _("low");
    default:
      return NULL;
    }
}

static const char *
get_object_name (TsRecording *recording,
                 guint32 id)
{
  const TsObject *object = id != 0 ? ts_recording_get_object (recording, id) : NULL;

  return object != NULL ? object->name : NULL;
}

static void
append_time_lines (GString *out,
                   TsViewState *view,
                   const TsSlice *slice)
{
  TsRecording *recording = ts_view_state_get_recording (view);
  g_autofree char *begin = ts_view_state_format_time (view, slice->begin);

  /* Translators: followed by a time */
  g_string_append_printf (out, "\n%s %s", _("at"), begin);
  if (slice->end > slice->begin)
    {
      g_autofree char *length = ts_format_duration (recording, slice->end - slice->begin);

      /* Translators: followed by a duration */
      g_string_append_printf (
          out, "\n%s %s", (slice->kind & TS_SLICE_OPEN) != 0 ? _("so far")
                                                               : C_("followed by a duration", "for"),
          length);
      if (ts_recording_get_clock_hz (recording) != 0)
        {
          g_string_append (out, " · ");
          _ts_format_decimal (out, slice->end - slice->begin, 0);
          g_string_append_printf (out, "\302\240%s", _("ticks"));
        }
    }
}

static char *
describe_loss (TsViewState *view,
               const TsSlice *slice)
{
  GString *out = g_string_new (NULL);

  if (slice->state == TS_STATE_CORRUPT)
    {
      g_string_append (out, _("Bytes that could not be decoded"));
      g_string_append (out, ": ");
      _ts_format_decimal (out, slice->arg, 0);
    }
  else
    {
      g_string_append (out, _("Packets lost"));
      g_string_append (out, ": ");
      if (slice->arg == G_MAXUINT32)
        g_string_append (out, _("number not known"));
      else
        _ts_format_decimal (out, slice->arg, 0);
    }
  append_time_lines (out, view, slice);
  return g_string_free (out, FALSE);
}

/* What the coarser level knows of a place whose slices are still to come. */
static void
append_coarse (GString *out,
               TsRecording *recording,
               const TsLaneInfo *lane,
               const TsColumn *column)
{
  const TsObject *object
      = lane->object != 0 ? ts_recording_get_object (recording, lane->object) : NULL;
  const TsSlice slice = { .state = column->top_state };
  const char *state = get_state_text (lane, &slice);

  if (lane->kind == TS_LANE_VALUE && column->has_value)
    {
      const char *unit = object != NULL ? object->unit : NULL;

      g_string_append (out, " = ");
      _ts_format_value (out, column->min, 9, unit);
      g_string_append (out, " … ");
      _ts_format_value (out, column->max, 9, unit);
    }
  else if (lane->kind != TS_LANE_VALUE && state != NULL)
    {
      g_string_append (out, " — ");
      /* Translators: the state of a task round a place, such as "mostly running" */
      g_string_append_printf (out, _("mostly %s"), state);
    }
}

static void
append_what (GString *out,
             TsRecording *recording,
             const TsLaneInfo *lane,
             const TsSlice *slice)
{
  const TsObject *object
      = lane->object != 0 ? ts_recording_get_object (recording, lane->object) : NULL;
  const char *state = get_state_text (lane, slice);
  const char *name;

  if (lane->kind == TS_LANE_VALUE)
    {
      g_string_append (out, " = ");
      _ts_format_value (out, slice->value, 9, object != NULL ? object->unit : NULL);
      return;
    }
  if (lane->kind == TS_LANE_MESSAGE)
    {
      const char *text = slice->arg != 0 ? ts_recording_get_string (recording, slice->arg) : NULL;

      g_string_append_printf (out, ": %s", text != NULL ? text : "");
      return;
    }
  if (slice->state == TS_STATE_POINT)
    {
      name = ts_event_kind_get_name ((TsEventKind) (slice->kind & TS_SLICE_KIND_MASK));
      if (name != NULL)
        g_string_append_printf (out, " — %s", name);
      g_string_append_printf (out, " (%s)",
                              (slice->kind & TS_SLICE_START) != 0 ? _("give") : _("take"));
      name = get_object_name (recording, slice->arg);
      if (name != NULL)
        g_string_append_printf (out, "\n%s %s", _("by"), name);
      return;
    }
  if (state != NULL)
    g_string_append_printf (out, " — %s", state);
  name = slice->state == TS_STATE_BLOCKED ? get_object_name (recording, slice->arg) : NULL;
  if (name != NULL && slice->arg == lane->object)
    name = _("a notification");
  if (name != NULL)
    g_string_append_printf (out, "\n%s %s", _("waits for"), name);
  if (slice->depth > 0)
    g_string_append_printf (out, "\n%s %u", _("nested, depth"), slice->depth);
}

/**
 * ts_display_list_describe_hit:
 * @view: a view state
 * @hit: what ts_display_list_hit() found
 *
 * Says what is under the pointer with exact figures: lane, state or value, begin, duration in time
 * and ticks, what it waits for.
 *
 * Thread: owner of @view
 *
 * Returns: (transfer full) (nullable): lines separated by newlines, %NULL where there is nothing to
 * say
 */
char *
ts_display_list_describe_hit (TsViewState *view,
                              const TsHit *hit)
{
  TsRecording *recording;
  const TsLaneInfo *lane;
  g_autoptr (GString) out = NULL;

  g_return_val_if_fail (TS_IS_VIEW_STATE (view), NULL);
  g_return_val_if_fail (hit != NULL, NULL);

  recording = ts_view_state_get_recording (view);
  if (recording == NULL || hit->part == 0)
    return NULL;
  if (hit->lane == TS_LANE_ID_LOSS && hit->has_slice)
    return describe_loss (view, &hit->slice);
  if (hit->part == 1 || hit->part == 2)
    return ts_view_state_format_time (view, hit->time);
  lane = hit->lane != 0 ? ts_recording_get_lane (recording, hit->lane) : NULL;
  if (lane == NULL)
    return NULL;
  out = g_string_new (_ts_lane_title (lane));
  if (hit->has_slice)
    {
      append_what (out, recording, lane, &hit->slice);
      append_time_lines (out, view, &hit->slice);
    }
  else if (hit->part == 4)
    {
      g_autofree char *time = ts_view_state_format_time (view, hit->time);

      if (hit->has_coarse)
        append_coarse (out, recording, lane, &hit->coarse);
      g_string_append_printf (out, "\n%s %s", _("at"), time);
      if (hit->is_pending)
        g_string_append (out, "\n…");
    }
  else if (lane->kind == TS_LANE_TASK && lane->priority != TS_OBJECT_UNKNOWN)
    {
      g_string_append_printf (out, "\n%s ", _("priority"));
      _ts_format_decimal (out, lane->priority, 0);
    }
  if (!g_utf8_validate (out->str, -1, NULL))
    return g_utf8_make_valid (out->str, -1);
  return g_string_free (g_steal_pointer (&out), FALSE);
}
