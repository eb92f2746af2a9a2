/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks of the ruler, and times as text. */
#include "config.h"

#include <locale.h>

#include "fake-recording.h"
#include "ui/draw/ts-display-list-private.h"

#define MS G_GINT64_CONSTANT (1000000)
#define THIN "\342\200\211"
#define NBSP "\302\240"

/* 17.25 ms over 662 pixels, labels at least 75 pixels apart: 1.95 ms at least, so 2 ms; counted
 * from 12.3 s. */
static void
test_steps (void)
{
  TsRulerTicks ticks;

  _ts_ruler_ticks (&ticks, 12300 * MS, 17250000, 1000000000, 662, 75);
  g_assert_cmpint (ticks.step, ==, 2 * MS);
  g_assert_cmpint (ticks.minor, ==, MS / 2);
  g_assert_cmpint ((gint64) ticks.first, ==, 12300 * MS);
  g_assert_cmpint ((gint64) ticks.origin, ==, 12300 * MS);
  g_assert_cmpint (ticks.unit, ==, MS);
  g_assert_cmpuint (ticks.n_decimals, ==, 0);

  /* the same at 170 MHz: the clock's rate does not shift the marks */
  _ts_ruler_ticks (&ticks, 12300 * MS * 17 / 100, 17250000 * G_GINT64_CONSTANT (17) / 100,
                   170000000, 662, 75);
  g_assert_cmpint (ticks.step, ==, 2 * MS);
  g_assert_cmpint ((gint64) ticks.first, ==, 12300 * MS);

  /* 1.6 ms over 800 px: at least 0.15 ms, so 0.2; unit µs */
  _ts_ruler_ticks (&ticks, 0, 1600000, 1000000000, 800, 75);
  g_assert_cmpint (ticks.step, ==, 200000);
  g_assert_cmpint (ticks.unit, ==, 1000);
  g_assert_cmpint ((gint64) ticks.origin, ==, 0);

  /* 4 s over 1000 px: 0.3 s at least, so 0.5 s, one decimal */
  _ts_ruler_ticks (&ticks, 100, 4000 * MS, 1000000000, 1000, 75);
  g_assert_cmpint (ticks.step, ==, 500 * MS);
  g_assert_cmpint (ticks.unit, ==, 1000 * MS);
  g_assert_cmpuint (ticks.n_decimals, ==, 1);
  g_assert_cmpint (ticks.minor, ==, 100 * MS);

  /* before the begin: marks are multiples of the step, counted from zero */
  _ts_ruler_ticks (&ticks, -5 * MS, 20 * MS, 1000000000, 800, 75);
  g_assert_cmpint (ticks.step, ==, 2 * MS);
  g_assert_cmpint ((gint64) ticks.first, ==, -6 * MS);
  g_assert_cmpint ((gint64) ticks.origin, ==, 0);
}

/* Whatever is shown: the step is 1, 2 or 5 times a power of ten, wide enough and not wider than it
 * must be. */
static void
test_any (void)
{
  for (guint i = 0; i < 5000; i++)
    {
      gint64 span = G_GINT64_CONSTANT (16) << g_test_rand_int_range (8, 40);
      guint64 hz = (guint64) g_test_rand_int_range (1000000, G_MAXINT32);
      int width = g_test_rand_int_range (50, 4000);
      gint64 begin
          = g_test_rand_int_range (0, G_MAXINT32) * (gint64) g_test_rand_int_range (0, 1 << 28);
      TsRulerTicks ticks;
      gint64 step;
      double pixels;

      _ts_ruler_ticks (&ticks, begin, span, hz, width, 75);
      step = ticks.step;
      g_assert_cmpint (step, >, 0);
      while (step % 10 == 0)
        step /= 10;
      g_assert_true (step == 1 || step == 2 || step == 5);
      g_assert_true (ticks.first % ticks.step == 0);
      pixels = (double) ticks.step * hz / 1e9 * width / (double) span;
      g_assert_cmpfloat (pixels, >=, 74.9);
      if (ticks.step > 1)
        g_assert_cmpfloat (pixels, <=, 75 * 2.6);
      g_assert_true (ticks.first <= (__int128) begin * 1000000000 / hz);
      g_assert_true (ticks.first + ticks.step > (__int128) begin * 1000000000 / hz);
    }
}

static void
test_decimal (void)
{
  static const struct
  {
    gint64 value;
    guint n_decimals;
    const char *text;
  } cases[] = {
    { 0, 0, "0" },
    { 7, 0, "7" },
    { 1234, 0, "1" THIN "234" },
    { 641280, 0, "641" THIN "280" },
    { 1000000, 0, "1" THIN "000" THIN "000" },
    { 12304118412, 9, "12.304" THIN "118" THIN "412" },
    { 5, 3, "0.005" },
    { -1500, 3, "\342\210\2221.500" },
    { G_MININT64, 0,
      "\342\210\2229" THIN "223" THIN "372" THIN "036" THIN "854" THIN "775" THIN "808" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      _ts_format_decimal (text, cases[i].value, cases[i].n_decimals);
      g_assert_cmpstr (text->str, ==, cases[i].text);
    }
}

static void
check_duration (TsRecording *recording,
                gint64 ticks,
                const char *expected)
{
  g_autofree char *text = ts_format_duration (recording, ticks);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_times (void)
{
  g_autoptr (TsRecording) fast = fake_recording_new (1000000000, 1);
  g_autoptr (TsRecording) target = fake_recording_new (170000000, 1);
  g_autoptr (TsRecording) slow = fake_recording_new (32768, 1);
  g_autofree char *time = ts_format_time (fast, G_GINT64_CONSTANT (12304118412));
  g_autofree char *slow_time = ts_format_time (slow, 32768 + 1);
  g_autoptr (GString) short_text = g_string_new (NULL);

  g_assert_cmpstr (time, ==, "12.304" THIN "118" THIN "412" NBSP "s");
  /* one tick of 32 768 Hz is 30.518 µs: the clock tells no nanoseconds apart */
  g_assert_cmpstr (slow_time, ==, "1.000" THIN "031" NBSP "s");
  check_duration (fast, 812, "812" NBSP "ns");
  check_duration (fast, 12345, "12.345" NBSP "µs");
  check_duration (fast, 2413118, "2.413" THIN "118" NBSP "ms");
  check_duration (fast, 2000000, "2" NBSP "ms");
  check_duration (fast, G_GINT64_CONSTANT (1500000000), "1.500" NBSP "s");
  check_duration (fast, 0, "0" NBSP "ns");
  check_duration (fast, -2500, "\342\210\2222.500" NBSP "µs");
  /* 410 210 ticks of 170 MHz = 2 413 000 ns */
  check_duration (target, 410210, "2.413" NBSP "ms");
  check_duration (slow, 1, "30.518" NBSP "µs");
  _ts_format_short_duration (short_text, fast, 2413118);
  g_assert_cmpstr (short_text->str, ==, "2.413" NBSP "ms");
  g_string_truncate (short_text, 0);
  _ts_format_short_duration (short_text, fast, 41237);
  g_assert_cmpstr (short_text->str, ==, "41.24" NBSP "µs");
}

static void
test_values (void)
{
  static const struct
  {
    double value;
    const char *unit;
    const char *text;
  } cases[] = {
    { 3.412, "A", "3.412" NBSP "A" },   { -4.6, NULL, "\342\210\2224.6" },
    { 12000, NULL, "12" THIN "000" },   { 0, "V", "0" NBSP "V" },
    { 1e-9, NULL, "1e\342\210\22209" }, { 0.1234567, NULL, "0.123457" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      _ts_format_value (text, cases[i].value, 6, cases[i].unit);
      g_assert_cmpstr (text->str, ==, cases[i].text);
    }
}

/* Values as everywhere: groups of three digits, a true minus, the unit behind. */
static void
test_value (void)
{
  static const struct
  {
    double value;
    const char *unit;
    const char *text;
  } values[] = {
    { 51200, NULL, "51\u2009200" },
    { -1234567, "mV", "\u22121\u2009234\u2009567\u00a0mV" },
    { 0.125, "", "0.125" },
    { 800, "%", "800\u00a0%" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = ts_format_value (values[i].value, values[i].unit);

      g_assert_cmpstr (text, ==, values[i].text);
    }
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func ("/draw/ruler/value", test_value);
  g_test_add_func ("/draw/ruler/steps", test_steps);
  g_test_add_func ("/draw/ruler/any", test_any);
  g_test_add_func ("/draw/format/decimal", test_decimal);
  g_test_add_func ("/draw/format/times", test_times);
  g_test_add_func ("/draw/format/values", test_values);
  return g_test_run ();
}
