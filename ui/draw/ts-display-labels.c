/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-labels.c: states of tasks in words, where there is room: no meaning by colour alone. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-display-list-private.h"

/* A letter where the word has no room. */
static const char *
get_letter (guint state)
{
  switch (state)
    {
    case TS_STATE_RUNNING:
      /* translators: one letter for the state "running" */
      return C_ ("state", "R");
    case TS_STATE_READY:
      /* translators: one letter for the state "ready" */
      return C_ ("state", "r");
    case TS_STATE_BLOCKED:
      /* translators: one letter for the state "blocked" */
      return C_ ("state", "B");
    case TS_STATE_SLEEPING:
      /* translators: one letter for the state "sleeping" */
      return C_ ("state", "S");
    default:
      return "";
    }
}

static void
append_words (GString *text,
              TsBuild *build,
              const TsSlice *slice)
{
  const TsObject *object;

  switch (slice->state)
    {
    case TS_STATE_RUNNING:
      _ts_format_short_duration (text, build->recording, slice->end - slice->begin);
      break;
    case TS_STATE_READY:
      g_string_append (text, _ ("ready"));
      break;
    case TS_STATE_BLOCKED:
      object = slice->arg != 0 ? ts_recording_get_object (build->recording, slice->arg) : NULL;
      if (object != NULL && object->name != NULL)
        g_string_append (text, object->name);
      else if (ts_view_state_is_color_by_state (build->view))
        g_string_append (text, _ ("blocked"));
      break;
    case TS_STATE_SLEEPING:
      /* a dotted line says it */
      if (ts_view_state_is_color_by_state (build->view))
        g_string_append (text, _ ("sleeping"));
      break;
    default:
      break;
    }
}

/* On a bar: in what can be read on it. On a line or a tint: on a ground of its own, which cuts the
 * line and the stripes. */
static void
add_label (TsBuild *build,
           const TsLaneInfo *lane,
           const TsSlice *slice,
           const char *text,
           double x,
           double width,
           int top,
           int height)
{
  gboolean is_bar = slice->state == TS_STATE_RUNNING;
  TsInk ink = TS_INK_DIM_TEXT;
  guint color = 0;

  if (is_bar && lane->is_idle)
    ink = TS_INK_IDLE;
  else if (is_bar && ts_view_state_is_color_by_state (build->view))
    ink = TS_INK_STATE_RUNNING;
  else if (is_bar)
    {
      ink = TS_INK_LANE;
      color = _ts_build_lane_color (lane);
    }
  if (slice->state == TS_STATE_BLOCKED || slice->state == TS_STATE_SLEEPING ||
      (slice->state == TS_STATE_READY && ts_view_state_is_color_by_state (build->view)))
    _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, build->plot_x + x - 3, top,
                  width + 6, height);
  else if (slice->state == TS_STATE_READY)
    {
      int ready_height = _ts_build_ready_height (height);

      _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_LABEL_GROUND, _ts_build_lane_color (lane),
                    build->plot_x + x - 2, top + (height - ready_height) / 2, width + 4,
                    ready_height);
    }
  _ts_list_add_text (build->list, TS_ITEM_TEXT, ink, color, TS_ITEM_SMALL, build->plot_x + x, top,
                     width + 2, height, text);
}

/*
 * _ts_draw_state_labels: how long it ran, what it waits for, or what it does; a letter where that
 * does not fit. Never more labels than fit into the width.
 */
void
_ts_draw_state_labels (TsBuild *build,
                       const TsLaneInfo *lane,
                       int top,
                       int height)
{
  const GArray *slices = build->list->slices;
  const TsDisplayOptions *options = build->options;
  g_autoptr (GString) text = g_string_new (NULL);
  double pad = options->line_height * 0.3;
  double least = options->line_height * 0.9;

  if (height < options->line_height * 0.7)
    return;
  for (guint i = 0; i < slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (slices, TsSlice, i);
      double x0 = MAX (floor (_ts_build_x (build, slice->begin)), 0);
      double x1 = MIN (floor (_ts_build_x (build, slice->end)), build->n_columns);
      double room = x1 - x0 - 2 * pad;
      double width;

      if (room < least || (lane->is_idle && slice->state != TS_STATE_RUNNING))
        continue;
      g_string_truncate (text, 0);
      append_words (text, build, slice);
      if (text->len == 0)
        continue;
      width = _ts_text_width (options, text->str, TS_ITEM_SMALL) * 1.12;
      if (width > room)
        {
          /* the shape says it already; a letter only where colour is for states */
          if (!ts_view_state_is_color_by_state (build->view))
            continue;
          g_string_assign (text, get_letter (slice->state));
          width = _ts_text_width (options, text->str, TS_ITEM_SMALL);
        }
      else if (slice->state == TS_STATE_BLOCKED || slice->state == TS_STATE_SLEEPING)
        {
          /* a line stays a line: a label of a long wait stands at its begin */
          if (room < width + 3 * options->line_height)
            continue;
          x0 += options->line_height;
        }
      add_label (build, lane, slice, text->str, x0 + pad, width, top, height);
    }
}
