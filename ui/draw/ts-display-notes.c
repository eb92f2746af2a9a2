/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-notes.c: findings, hits of a search, marks and the second cursor over the picture. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ts-display-list-private.h"

/* One finding is never narrower than this: it has to be seen. */
#define MIN_FINDING_PX 3

/* Hatched in the lane; of a crowd in the same pixels only the first is drawn. */
static void
draw_findings (TsBuild *build,
               int bottom)
{
  guint n;
  const TsViewSpan *spans = ts_view_state_get_findings (build->view, &n);
  guint32 lane = 0;
  gboolean is_seen = FALSE;
  int y = 0, height = 0;
  double last = -1e9;

  if (n == 0)
    return;
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, build->plot_x, build->lanes_y,
                build->n_columns, MAX (bottom - build->lanes_y, 0));
  for (guint i = 0; i < n; i++)
    {
      double x0, x1;

      if (spans[i].lane == 0 || spans[i].end < build->begin ||
          spans[i].begin > build->begin + build->span)
        continue;
      if (lane != spans[i].lane)
        {
          lane = spans[i].lane;
          is_seen = _ts_build_find_row (build, lane, &y, &height);
          last = -1e9;
        }
      if (!is_seen)
        continue;
      x0 = floor (_ts_build_x (build, spans[i].begin));
      x1 = MAX (floor (_ts_build_x (build, spans[i].end)), x0 + MIN_FINDING_PX);
      x0 = MAX (x0, -4);
      x1 = MIN (x1, build->n_columns + 4);
      if (x1 <= last)
        continue;
      last = x1;
      _ts_list_add (build->list, TS_ITEM_HATCH, TS_INK_LOSS, 0, build->plot_x + x0, y + 2, x1 - x0,
                    MAX (height - 5, 1));
    }
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, 0, 0, 0);
}

static void
draw_mark_lines (TsBuild *build,
                 int bottom)
{
  guint n;
  const gint64 *marks = ts_view_state_get_marks (build->view, &n);
  const TsDisplayOptions *options = build->options;
  int size = MAX (options->line_height, 8);

  for (guint i = 0; i < n; i++)
    {
      double x = floor (_ts_build_x (build, marks[i]));
      char number[12];
      TsItem *item;

      if (x < 0 || x >= build->n_columns)
        continue;
      item = _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_ACCENT, 0, build->plot_x + x,
                           options->overview_height, 1, bottom - options->overview_height);
      item->flags = TS_ITEM_GLASS;
      g_snprintf (number, sizeof number, "%u", i + 1);
      if (options->ruler_height > 0)
        _ts_list_add_text (build->list, TS_ITEM_PILL, TS_INK_ACCENT, 1, TS_ITEM_SMALL,
                           build->plot_x + x - size / 2, options->overview_height + 1, size,
                           MAX (size * 3 / 4, 6), number);
    }
}

/* The second cursor, and between the two what they measure: time, frequency, ticks. */
static void
draw_second_cursor (TsBuild *build,
                    int bottom)
{
  const TsDisplayOptions *options = build->options;
  gint64 first = ts_view_state_get_cursor (build->view);
  gint64 second = ts_view_state_get_second_cursor (build->view);
  guint64 hz = ts_recording_get_clock_hz (build->recording);
  int top = options->overview_height;
  g_autoptr (GString) text = NULL;
  gint64 delta;
  double x, y, width;

  if (second < 0)
    return;
  x = floor (_ts_build_x (build, second));
  if (x >= 0 && x < build->n_columns)
    {
      _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_CURSOR, 0, build->plot_x + x, top, 1,
                    bottom - top);
      _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_CURSOR, 0, build->plot_x + x - 2, top, 5, 4);
    }
  if (first < 0 || first == second)
    return;
  delta = second - first;
  text = g_string_new ("Δ ");
  _ts_format_short_duration (text, build->recording, delta);
  if (hz != 0)
    {
      g_string_append (text, " · ");
      _ts_format_value (text, (double) hz / (double) ABS (delta), 6, "Hz");
      g_string_append (text, " · ");
      _ts_format_decimal (text, delta, 0);
      g_string_append_printf (text, "\302\240%s", _("ticks"));
    }
  width = MIN (_ts_text_width (options, text->str, TS_ITEM_BOLD) + options->line_height,
               build->n_columns);
  x = (CLAMP (x, 0, build->n_columns) +
       CLAMP (_ts_build_x (build, first), 0, build->n_columns) - width) / 2;
  x = floor (CLAMP (x, 0, build->n_columns - width));
  y = build->lanes_y + 2;
  _ts_list_add_text (build->list, TS_ITEM_PILL, TS_INK_CURSOR, 1, TS_ITEM_BOLD | TS_ITEM_TABULAR,
                     build->plot_x + x, y, width, options->line_height * 5 / 4, text->str);
}

/*
 * _ts_draw_notes: findings, marks and the second cursor over the lanes.
 */
void
_ts_draw_notes (TsBuild *build,
                int bottom)
{
  draw_findings (build, bottom);
  draw_mark_lines (build, bottom);
  draw_second_cursor (build, bottom);
}

/* Ticks at @y of the overview, one per pixel at most. */
static void
draw_ticks (TsBuild *whole,
            const gint64 *times,
            guint n,
            gsize stride,
            TsInk ink,
            int y,
            int height)
{
  int last = -2;

  for (guint i = 0; i < n; i++)
    {
      gint64 time = *(const gint64 *) ((const char *) times + i * stride);
      int x = (int) floor (CLAMP (_ts_build_x (whole, time), 0, whole->n_columns - 1));

      if (x <= last + 1 && x >= last)
        continue;
      last = x;
      _ts_list_add (whole->list, TS_ITEM_RECT, ink, 0, whole->plot_x + x, y, 2, height);
    }
}

/*
 * _ts_draw_overview_notes:
 * @whole: the build of the whole recording
 *
 * Hits along the bottom of the overview, findings along its top, marks through it.
 */
void
_ts_draw_overview_notes (TsBuild *whole,
                         int top,
                         int height)
{
  int part = MAX (height / 4, 3);
  guint n;
  const gint64 *times = ts_view_state_get_hits (whole->view, &n);
  const TsViewSpan *spans;

  draw_ticks (whole, times, n, sizeof *times, TS_INK_CURSOR, top + height - part, part);
  spans = ts_view_state_get_findings (whole->view, &n);
  if (n > 0)
    draw_ticks (whole, &spans->begin, n, sizeof *spans, TS_INK_LOSS, top, part);
  times = ts_view_state_get_marks (whole->view, &n);
  draw_ticks (whole, times, n, sizeof *times, TS_INK_ACCENT, top, height);
}
