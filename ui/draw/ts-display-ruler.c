/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-display-ruler.c: the ruler's marks at 1, 2 or 5 of a unit, their labels, and the grid under
 * the lanes. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>

#include "ts-display-list-private.h"

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)

static __int128
floor_divide (__int128 a,
              __int128 b)
{
  __int128 q = a / b;

  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/*
 * _ts_ruler_ticks:
 * @ticks: (out caller-allocates): where the marks are
 * @begin: first visible tick
 * @span: visible ticks
 * @clock_hz: ticks per second; 0: not known, the ruler counts ticks
 * @width: pixels
 * @min_step_px: labels are at least so far apart
 *
 * Chooses 1, 2 or 5 times a power of ten for the step, and the origin that keeps labels short.
 *
 * Units: nanoseconds, never rounded: mark n is n * step
 */
void
_ts_ruler_ticks (TsRulerTicks *ticks,
                 gint64 begin,
                 gint64 span,
                 guint64 clock_hz,
                 int width,
                 int min_step_px)
{
  __int128 hz = clock_hz != 0 ? (__int128) clock_hz : NS_PER_SECOND;
  __int128 span_ns = (__int128) span * NS_PER_SECOND / hz;
  __int128 begin_ns = floor_divide ((__int128) begin * NS_PER_SECOND, hz);
  __int128 least = (span_ns * min_step_px + width - 1) / MAX (width, 1);
  gint64 power = 1;
  gint64 origin_step = 1;
  guint factor = 1;

  while (power * 10 <= least && power < G_MAXINT64 / 100)
    power *= 10;
  if (power < least)
    factor = 2 * power >= least ? 2 : 5 * power >= least ? 5 : 10;
  ticks->step = power * factor;
  ticks->minor = ticks->step / (factor == 2 ? 4 : 5);
  if (ticks->minor * (factor == 2 ? 4 : 5) != ticks->step)
    ticks->minor = 0;
  ticks->first = floor_divide (begin_ns, ticks->step) * ticks->step;

  while (origin_step < span_ns && origin_step < G_MAXINT64 / 100)
    origin_step *= 10;
  ticks->origin = begin_ns > 0 ? begin_ns / origin_step * origin_step : 0;

  ticks->unit = 1;
  while (ticks->unit < NS_PER_SECOND && span_ns >= 2000 * (__int128) ticks->unit)
    ticks->unit *= 1000;
  if (clock_hz == 0)
    ticks->unit = 1;
  ticks->n_decimals = 0;
  for (gint64 unit = ticks->unit; unit > 1 && ticks->step % unit != 0; unit /= 10)
    ticks->n_decimals++;
}

static const char *
get_unit_name (const TsRulerTicks *ticks,
               guint64 clock_hz)
{
  if (clock_hz == 0)
    return _("ticks");
  if (ticks->unit == 1)
    return "ns";
  if (ticks->unit == 1000)
    return "µs";
  return ticks->unit == 1000000 ? "ms" : "s";
}

/* First visible tick as the ruler counts. */
static gint64
get_begin (const TsBuild *build)
{
  return build->begin - _ts_view_state_get_origin (build->view);
}

/* Marks as the user wants them told; @hz: 0 where they count ticks. */
static void
get_ticks (const TsBuild *build,
           int min_step_px,
           TsRulerTicks *ticks,
           guint64 *hz)
{
  TsTimeUnit unit = ts_view_state_get_time_unit (build->view);

  *hz = unit == TS_TIME_UNIT_TICKS ? 0 : ts_recording_get_clock_hz (build->recording);
  _ts_ruler_ticks (ticks, get_begin (build), build->span, *hz, build->n_columns, min_step_px);
  if (*hz == 0 || unit == TS_TIME_UNIT_AUTO)
    return;
  ticks->unit = unit == TS_TIME_UNIT_S ? NS_PER_SECOND : unit == TS_TIME_UNIT_MS ? 1000000 : 1000;
  ticks->n_decimals = 0;
  for (gint64 rest = ticks->unit; rest > 1 && ticks->step % rest != 0; rest /= 10)
    ticks->n_decimals++;
}

/* x of a time in nanoseconds, relative to the plot: products are exact, only pixels are floating */
static double
get_mark_x (const TsBuild *build,
            __int128 ns,
            guint64 clock_hz)
{
  __int128 hz = clock_hz != 0 ? (__int128) clock_hz : NS_PER_SECOND;
  __int128 distance = ns * hz - (__int128) get_begin (build) * NS_PER_SECOND;

  return (double) distance * build->n_columns / ((double) NS_PER_SECOND * (double) build->span);
}

static int
get_min_step (const TsBuild *build)
{
  return MAX (build->options->line_height * 5, 40);
}

/*
 * _ts_prepare_grid: finds where the grid lines are: one at each labelled mark of the ruler.
 */
void
_ts_prepare_grid (TsBuild *build)
{
  guint64 hz;
  TsRulerTicks ticks;

  g_array_set_size (build->list->grid, 0);
  get_ticks (build, get_min_step (build), &ticks, &hz);
  for (int i = 0; i < build->n_columns; i++)
    {
      double x = get_mark_x (build, ticks.first + (__int128) i * ticks.step, hz);
      int line = build->plot_x + (int) x;

      if (x >= build->n_columns)
        break;
      if (x >= 0)
        g_array_append_val (build->list->grid, line);
    }
}

/*
 * _ts_draw_ground: background and grid of one row. Row by row, so that its pixels are still in the
 * cache when its bars come.
 */
void
_ts_draw_ground (TsBuild *build,
                 int y,
                 int height)
{
  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BACKGROUND, 0, 0, y, build->options->width,
                height);
  for (guint i = 0; i < build->list->grid->len; i++)
    _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_GRID, 0,
                  g_array_index (build->list->grid, int, i), y, 1, height);
}

static void
draw_origin (TsBuild *build,
             const TsRulerTicks *ticks,
             guint64 clock_hz,
             int top)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_decimals = 0;

  if (ts_view_state_get_time_style (build->view) == TS_TIME_OF_DAY && clock_hz != 0)
    {
      g_autofree char *day = ts_view_state_format_time (
          build->view, ts_recording_us_to_ticks (build->recording, (gint64) (ticks->origin / 1000)));

      g_string_append_printf (text, "%s +", day);
    }
  else if (ticks->origin == 0)
    g_string_append (text, _("Time"));
  else if (clock_hz == 0)
    {
      _ts_format_decimal (text, (gint64) ticks->origin, 0);
      g_string_append (text, " +");
    }
  else
    {
      __int128 value = ticks->origin;

      /* as many groups of decimals as the origin needs */
      for (n_decimals = 9; n_decimals > 0 && value % 1000 == 0; n_decimals -= 3)
        value /= 1000;
      _ts_format_decimal (text, (gint64) value, n_decimals);
      g_string_append (text, " s +");
    }
  _ts_list_add_text (build->list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0, TS_ITEM_TABULAR, 10, top,
                     build->plot_x - 14, build->options->ruler_height, text->str);
}

/*
 * _ts_draw_ruler: ground, marks with labels, small marks between them, the origin in the header
 * column.
 */
void
_ts_draw_ruler (TsBuild *build)
{
  const TsDisplayOptions *options = build->options;
  guint64 hz;
  g_autoptr (GString) text = g_string_new (NULL);
  int top = options->overview_height;
  int bottom = top + options->ruler_height;
  int mark = MAX (options->ruler_height / 3, 4);
  TsRulerTicks ticks;
  double minor_px;

  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_HEADER_BACKGROUND, 0, 0, top, options->width,
                options->ruler_height);
  _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BORDER, 0, 0, top, options->width, 1);
  get_ticks (build, get_min_step (build), &ticks, &hz);
  draw_origin (build, &ticks, hz, top);

  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, build->plot_x, top,
                build->n_columns, options->ruler_height);
  minor_px
      = get_mark_x (build, ticks.first + ticks.minor, hz) - get_mark_x (build, ticks.first, hz);
  for (int i = 0; ticks.minor > 0 && minor_px >= 4 && i < build->n_columns; i++)
    {
      double x = get_mark_x (build, ticks.first + (__int128) i * ticks.minor, hz);

      if (x >= build->n_columns)
        break;
      if (x >= 0)
        _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_BORDER, 0, build->plot_x + (int) x,
                      bottom - mark / 2, 1, mark / 2);
    }
  for (int i = 0; i < build->n_columns; i++)
    {
      __int128 ns = ticks.first + (__int128) i * ticks.step;
      double x = get_mark_x (build, ns, hz);
      gint64 divisor = ticks.unit;

      if (x >= build->n_columns)
        break;
      if (x >= 0)
        _ts_list_add (build->list, TS_ITEM_RECT, TS_INK_DIM_TEXT, 0, build->plot_x + (int) x,
                      bottom - mark, 1, mark);
      for (guint j = 0; j < ticks.n_decimals; j++)
        divisor /= 10;
      /* half a label says nothing */
      if (x < -4)
        continue;
      g_string_truncate (text, 0);
      _ts_format_decimal (text, (gint64) ((ns - ticks.origin) / divisor), ticks.n_decimals);
      g_string_append_printf (text, "\302\240%s", get_unit_name (&ticks, hz));
      if (i > 0
          && x + 4 + _ts_text_width (options, text->str, TS_ITEM_SMALL | TS_ITEM_TABULAR)
                 > build->n_columns)
        continue;
      _ts_list_add_text (build->list, TS_ITEM_TEXT, TS_INK_DIM_TEXT, 0,
                         TS_ITEM_SMALL | TS_ITEM_TABULAR, build->plot_x + (int) x + 4, top + 1,
                         get_min_step (build) - 6, options->ruler_height - mark / 2, text->str);
    }
  _ts_list_add (build->list, TS_ITEM_CLIP, TS_INK_BACKGROUND, 0, 0, 0, 0, 0);
}
