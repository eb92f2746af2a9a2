/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-ui"

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "ui/draw/ts-display-list.h"
#include "ui/ts-numbers.h"

/* THIN SPACE between groups of digits and before units. */
#define THIN "\xe2\x80\x89"

/**
 * ts_format_count:
 * @count: a number
 *
 * Thread: any
 *
 * Returns: (transfer full): `641 280`
 */
char *
ts_format_count (guint64 count)
{
  GString *text = g_string_new (NULL);
  gssize i;

  g_string_printf (text, "%" G_GUINT64_FORMAT, count);
  for (i = (gssize) text->len - 3; i > 0; i -= 3)
    g_string_insert (text, i, ts_format_get_group_space ());
  return g_string_free (text, FALSE);
}

/* Three significant digits, and the largest prefix that keeps the number at 1 or above. */
static char *
format_scaled (double value,
               double step,
               const char * const *units,
               guint n_units)
{
  guint unit = 0;
  int digits;

  while (value >= step * 0.9995 && unit + 1 < n_units)
    {
      value /= step;
      unit++;
    }
  digits = unit == 0 || value >= 100.0 ? 0 : value >= 10.0 ? 1 : 2;
  return ts_format_localize (g_strdup_printf ("%.*f" THIN "%s", digits, value, units[unit]));
}

/**
 * ts_format_bytes:
 * @bytes: a number of bytes
 *
 * Thread: any
 *
 * Returns: (transfer full): `412 KiB`
 */
char *
ts_format_bytes (guint64 bytes)
{
  const char *units[] = { _ ("bytes"), "KiB", "MiB", "GiB", "TiB" };

  return format_scaled ((double) bytes, 1024.0, units, G_N_ELEMENTS (units));
}

/**
 * ts_format_bytes_per_s:
 * @rate: bytes per second
 *
 * Thread: any
 *
 * Returns: (transfer full): `412 KiB/s`
 */
char *
ts_format_bytes_per_s (double rate)
{
  static const char * const units[] = { "B/s", "KiB/s", "MiB/s", "GiB/s" };

  return format_scaled (MAX (rate, 0.0), 1024.0, units, G_N_ELEMENTS (units));
}

/**
 * ts_format_per_s:
 * @rate: things per second
 *
 * Thread: any
 *
 * Returns: (transfer full): `38 400/s`
 */
char *
ts_format_per_s (double rate)
{
  g_autofree char *count = NULL;

  if (rate > 0.0 && rate < 100.0)
    return ts_format_localize (g_strdup_printf ("%.1f" THIN "/s", rate));
  count = ts_format_count ((guint64) (CLAMP (rate, 0.0, 1e18) + 0.5));
  return g_strconcat (count, THIN "/s", NULL);
}

/**
 * ts_format_hz:
 * @hz: a frequency
 *
 * Thread: any
 *
 * Returns: (transfer full): `170 MHz`
 */
char *
ts_format_hz (guint64 hz)
{
  static const char * const units[] = { "Hz", "kHz", "MHz", "GHz" };
  guint64 step = 1;
  guint unit = 0;

  while (hz / step >= 1000 && unit + 1 < G_N_ELEMENTS (units))
    {
      step *= 1000;
      unit++;
    }
  if (hz % step == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT THIN "%s", hz / step, units[unit]);
  return format_scaled ((double) hz, 1000.0, units, G_N_ELEMENTS (units));
}

/**
 * ts_format_seconds:
 * @us: a duration in microseconds
 *
 * Thread: any
 *
 * Returns: (transfer full): `12.418 s`
 */
char *
ts_format_seconds (gint64 us)
{
  gint64 seconds = us / G_USEC_PER_SEC;

  if (seconds >= 3600)
    /* translators: hours, minutes, seconds */
    return g_strdup_printf (_ ("%d h %02d min %02d s"), (int) (seconds / 3600),
                            (int) (seconds / 60 % 60), (int) (seconds % 60));
  if (seconds >= 60)
    /* translators: minutes, seconds */
    return g_strdup_printf (_ ("%d min %02d s"), (int) (seconds / 60), (int) (seconds % 60));
  return ts_format_localize (
      g_strdup_printf ("%d.%03d" THIN "s", (int) seconds, (int) (us % G_USEC_PER_SEC / 1000)));
}

/**
 * ts_format_ns:
 * @ns: a duration in nanoseconds
 *
 * A figure to compare, with four significant digits; exact durations come from
 * ts_format_duration().
 *
 * Thread: any
 *
 * Returns: (transfer full): `66.02 µs`
 */
char *
ts_format_ns (gint64 ns)
{
  static const char * const units[] = { "ns", "µs", "ms", "s" };
  double value = (double) ns;
  guint unit = 0;
  int digits;

  while (value >= 999.95 && unit + 1 < G_N_ELEMENTS (units))
    {
      value /= 1000.0;
      unit++;
    }
  if (value >= 999.95)
    {
      g_autofree char *count = ts_format_count ((guint64) (value + 0.5));

      return g_strconcat (count, THIN, units[unit], NULL);
    }
  digits = unit == 0 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return ts_format_localize (g_strdup_printf ("%.*f" THIN "%s", digits, value, units[unit]));
}

/**
 * ts_format_percent:
 * @part: part of it
 * @whole: all of it
 *
 * Thread: any
 *
 * Returns: (transfer full): `30.7 %`; a dash if there is no whole
 */
char *
ts_format_percent (gint64 part,
                   gint64 whole)
{
  if (whole <= 0)
    return g_strdup ("–");
  return ts_format_localize (
      g_strdup_printf ("%.1f" THIN "%%", 100.0 * (double) part / (double) whole));
}
