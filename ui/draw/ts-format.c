/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-format.c: times, durations and values as text: exact, with units, digits grouped by thin
 * spaces. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "ts-display-list-private.h"

#define THIN_SPACE "\342\200\211"
#define NARROW_SPACE "\342\200\257"
#define MINUS "\342\210\222"

/* Written once, before there are threads: see ts_format_use_locale(). */
static char decimal_point[16] = ".";
static const char *group_space = THIN_SPACE;

/**
 * ts_format_use_locale:
 * @is_rtl: text is written from right to left
 *
 * From now on times, durations and figures have the decimal point of the user's locale: for a program
 * with windows, which calls it once before anything else. Without it, and so on the command line, it
 * is a point everywhere. Numbers in files never go through these functions; LC_NUMERIC itself stays "C"
 * in both programs, so that nothing that is written depends on it.
 *
 * Thread: main, before any other is started
 */
void
ts_format_use_locale (gboolean is_rtl)
{
  locale_t locale = newlocale (LC_NUMERIC_MASK | LC_CTYPE_MASK, "", (locale_t) 0);

  /* a thin space between digits would turn their groups round; a narrow no-break space is a separator
   * within a number (bidirectional class CS) */
  group_space = is_rtl ? NARROW_SPACE : THIN_SPACE;
  if (locale == (locale_t) 0)
    return;
  if (*nl_langinfo_l (RADIXCHAR, locale) != '\0')
    g_strlcpy (decimal_point, nl_langinfo_l (RADIXCHAR, locale), sizeof decimal_point);
  freelocale (locale);
}

/**
 * ts_format_get_group_space:
 *
 * Thread: any
 *
 * Returns: (transfer none): what stands between groups of digits
 */
const char *
ts_format_get_group_space (void)
{
  return group_space;
}

/**
 * ts_format_localize:
 * @text: (transfer full): a text with figures, such as "4.84 ms"
 *
 * Thread: any
 *
 * Returns: (transfer full): the text with the decimal point of ts_format_use_locale()
 */
char *
ts_format_localize (char *text)
{
  GString *out;

  if (text == NULL || strcmp (decimal_point, ".") == 0 || strchr (text, '.') == NULL)
    return text;
  out = g_string_sized_new (strlen (text) + 8);
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '.' && p > text && g_ascii_isdigit (p[-1]) && g_ascii_isdigit (p[1]))
      g_string_append (out, decimal_point);
    else
      g_string_append_c (out, *p);
  g_free (text);
  return g_string_free (out, FALSE);
}

static const gint64 powers[] = {
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

/*
 * _ts_format_decimal:
 * @out: text is appended here
 * @value: a number in units of 10^-n_decimals
 * @n_decimals: 0 to 9
 *
 * Appends "12.304 118 412": groups of three on both sides of the point, thin spaces between them, a
 * true minus.
 */
void
_ts_format_decimal (GString *out,
                    gint64 value,
                    guint n_decimals)
{
  guint64 magnitude = value < 0 ? -(guint64) value : (guint64) value;
  guint64 whole, rest;
  char digits[24];
  int n;

  g_return_if_fail (n_decimals < G_N_ELEMENTS (powers));

  if (value < 0)
    g_string_append (out, MINUS);
  whole = magnitude / (guint64) powers[n_decimals];
  rest = magnitude % (guint64) powers[n_decimals];
  n = g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, whole);
  for (int i = 0; i < n; i++)
    {
      if (i > 0 && (n - i) % 3 == 0)
        g_string_append (out, group_space);
      g_string_append_c (out, digits[i]);
    }
  if (n_decimals == 0)
    return;
  g_string_append (out, decimal_point);
  g_snprintf (digits, sizeof digits, "%0*" G_GUINT64_FORMAT, (int) n_decimals, rest);
  for (guint i = 0; i < n_decimals; i++)
    {
      if (i > 0 && i % 3 == 0)
        g_string_append (out, group_space);
      g_string_append_c (out, digits[i]);
    }
}

/* Decimals of a second that the clock can tell apart, in groups of three. */
static guint
get_clock_decimals (TsRecording *recording)
{
  guint64 hz = ts_recording_get_clock_hz (recording);

  return hz > 1000000 ? 9 : hz > 1000 ? 6 : 3;
}

static gint64
divide_rounded (gint64 value,
                gint64 divisor)
{
  gint64 half = divisor / 2;

  return value < 0 ? -((-value + half) / divisor) : (value + half) / divisor;
}

static void
append_ticks (GString *out,
              gint64 ticks)
{
  _ts_format_decimal (out, ticks, 0);
  g_string_append_printf (out, "\302\240%s", _("ticks"));
}

/**
 * ts_format_time:
 * @recording: whose clock it is
 * @ticks: a time
 *
 * Formats a time as "12.304 118 412 s": as many groups of decimals as the clock can tell apart;
 * ticks where the clock's rate is not known.
 *
 * Thread: owner of @recording
 *
 * Returns: (transfer full): the text
 */
char *
ts_format_time (TsRecording *recording,
                gint64 ticks)
{
  GString *out = g_string_sized_new (32);
  guint decimals;

  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  if (ts_recording_get_clock_hz (recording) == 0)
    {
      append_ticks (out, ticks);
      return g_string_free (out, FALSE);
    }
  decimals = get_clock_decimals (recording);
  _ts_format_decimal (
      out, divide_rounded (ts_recording_ticks_to_ns (recording, ticks), powers[9 - decimals]),
      decimals);
  g_string_append (out, "\302\240s");
  return g_string_free (out, FALSE);
}

/**
 * ts_format_duration:
 * @recording: whose clock it is
 * @ticks: a length of time
 *
 * Formats a duration exactly, in the unit that suits it: "812 ns", "12.345 µs", "2.413 118 ms",
 * "1.5 s".
 *
 * Thread: owner of @recording
 *
 * Returns: (transfer full): the text
 */
char *
ts_format_duration (TsRecording *recording,
                    gint64 ticks)
{
  static const char *const units[] = { "ns", "µs", "ms", "s" };
  GString *out = g_string_sized_new (32);
  guint64 magnitude;
  gint64 ns;
  guint unit = 0;
  guint decimals;

  g_return_val_if_fail (TS_IS_RECORDING (recording), NULL);

  if (ts_recording_get_clock_hz (recording) == 0)
    {
      append_ticks (out, ticks);
      return g_string_free (out, FALSE);
    }
  ns = ts_recording_ticks_to_ns (recording, ticks);
  if (ns == 0 && ticks != 0)
    {
      g_string_append (out, "< 1\302\240ns");
      return g_string_free (out, FALSE);
    }
  magnitude = ns < 0 ? -(guint64) ns : (guint64) ns;
  while (unit < 3 && magnitude >= (guint64) powers[3 * (unit + 1)])
    unit++;
  decimals = 3 * unit;
  while (decimals >= 3 && ns % 1000 == 0)
    {
      ns /= 1000;
      decimals -= 3;
    }
  _ts_format_decimal (out, ns, decimals);
  g_string_append_printf (out, "\302\240%s", units[unit]);
  return g_string_free (out, FALSE);
}

/*
 * _ts_format_short_duration: a duration with about four figures, for labels in little room: "2.413
 * ms", "41.2 µs".
 */
void
_ts_format_short_duration (GString *out,
                           TsRecording *recording,
                           gint64 ticks)
{
  static const char *const units[] = { "ns", "µs", "ms", "s" };
  gint64 ns, size;
  guint unit = 0;
  guint decimals;

  if (ts_recording_get_clock_hz (recording) == 0)
    {
      append_ticks (out, ticks);
      return;
    }
  ns = ts_recording_ticks_to_ns (recording, ticks);
  size = ABS (ns);
  while (unit < 3 && size >= powers[3 * (unit + 1)])
    unit++;
  size /= powers[3 * unit];
  decimals = unit == 0 || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  _ts_format_decimal (out, divide_rounded (ns, powers[3 * unit - decimals]), decimals);
  g_string_append_printf (out, "\302\240%s", units[unit]);
}

/*
 * _ts_format_value: a value of a channel with its unit: whole numbers in full, others with some
 * figures.
 */
void
_ts_format_value (GString *out,
                  double value,
                  guint n_figures,
                  const char *unit)
{
  char format[8];
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_snprintf (format, sizeof format, "%%.%ug", MIN (n_figures, 17));
  if (isfinite (value) && value == floor (value) && fabs (value) < 1e15)
    {
      _ts_format_decimal (out, (gint64) value, 0);
    }
  else
    {
      const char *text = g_ascii_formatd (digits, sizeof digits, format, value);

      for (; *text != '\0'; text++)
        {
          if (*text == '-')
            g_string_append (out, MINUS);
          else if (*text == '.')
            g_string_append (out, decimal_point);
          else
            g_string_append_c (out, *text);
        }
    }
  if (unit != NULL && unit[0] != '\0')
    g_string_append_printf (out, "\302\240%s", unit);
}

/**
 * ts_format_value:
 * @value: a value of a channel
 * @unit: (nullable): its unit
 *
 * Thread: any
 *
 * Returns: (transfer full): `51 200 mV`, `0.123456789`
 */
char *
ts_format_value (double value,
                 const char *unit)
{
  GString *out = g_string_new (NULL);

  _ts_format_value (out, value, 9, unit);
  return g_string_free (out, FALSE);
}

/*
 * _ts_lane_title: the lane's name as its header shows it: the group says already that it is an
 * interrupt or a span.
 */
const char *
_ts_lane_title (const TsLaneInfo *lane)
{
  if (lane->name == NULL)
    return "";
  if (lane->kind == TS_LANE_ISR && g_str_has_prefix (lane->name, "ISR:") && lane->name[4] != '\0')
    return lane->name + 4;
  if (lane->kind == TS_LANE_SPAN && g_str_has_prefix (lane->name, "Fn:") && lane->name[3] != '\0')
    return lane->name + 3;
  return lane->name;
}
