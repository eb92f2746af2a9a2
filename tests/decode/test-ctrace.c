/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-ctrace.c: trace runs against the published and the computed CSV files. */
#include "config.h"

#include <string.h>

#include "decode/ts-ctrace.h"

#include "collect-sink.h"

static char *
dup_path (const char *name)
{
  const char *shared = g_getenv ("TASKSCOPE_SHARED");

  return g_build_filename (shared != NULL ? shared : "../shared", "data", "ctrace", name, NULL);
}

static char *
read_file (const char *name, gsize *n)
{
  g_autofree char *path = dup_path (name);
  g_autoptr (GError) error = NULL;
  char *contents = NULL;

  g_file_get_contents (path, &contents, n, &error);
  g_assert_no_error (error);
  return contents;
}

static gboolean
is_missing (void)
{
  g_autofree char *path = dup_path ("expected.json");

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  if (g_strcmp0 (g_getenv ("CI"), "true") == 0)
    g_error ("%s is missing", path);
  g_test_skip ("the captures are not there");
  return TRUE;
}

typedef struct
{
  GString *csv;
  TsCtraceOptions options;
} Rows;

static void
add_row (const TsCtraceEvent *event, gpointer user_data)
{
  Rows *rows = user_data;

  ts_ctrace_csv_append (rows->csv, event, &rows->options);
}

static char *
convert_bytes (TsCtraceConfig *config,
               const guint8 *bytes,
               gsize n_bytes,
               gsize slice,
               gboolean is_formatted)
{
  Rows rows = { .csv = g_string_new (NULL),
                .options = { .generation = 3, .is_formatted = is_formatted } };
  g_autoptr (TsCtrace) ctrace = ts_ctrace_new (config, &rows.options, add_row, NULL, &rows);

  for (gsize at = 0; at < n_bytes; at += slice)
    ts_ctrace_push (ctrace, bytes + at, MIN (slice, n_bytes - at));
  ts_ctrace_finish (ctrace);
  return g_string_free (rows.csv, FALSE);
}

static char *
convert (const char *yml, const char *raw, guint generation, gboolean is_formatted, gsize slice)
{
  gsize n_text;
  gsize n_raw;
  g_autofree char *text = read_file (yml, &n_text);
  g_autofree char *bytes = read_file (raw, &n_raw);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsCtraceConfig) config
      = ts_ctrace_config_new (yml, text, n_text, NULL, NULL, &error);
  Rows rows = { .options = { .generation = generation, .is_formatted = is_formatted } };
  g_autoptr (TsCtrace) ctrace = NULL;

  g_assert_no_error (error);
  rows.csv = g_string_new (ts_ctrace_csv_header (generation));
  ctrace = ts_ctrace_new (config, &rows.options, add_row, NULL, &rows);
  for (gsize at = 0; at < n_raw; at += slice)
    ts_ctrace_push (ctrace, (const guint8 *) bytes + at, MIN (slice, n_raw - at));
  ts_ctrace_finish (ctrace);
  return g_string_free (rows.csv, FALSE);
}

/* The header and the rows of one stream. */
static char *
select_stream (const char *csv, guint stream)
{
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  GString *all = g_string_new (NULL);
  g_autofree char *id = g_strdup_printf ("%u", stream);

  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ",", 3);

      if (i == 0 || strcmp (fields[1], id) == 0)
        g_string_append_printf (all, "%s\n", lines[i]);
    }
  return g_string_free (all, FALSE);
}

typedef struct
{
  const char *yml;
  const char *raw;
  guint generation;
  guint stream; /* 0: not formatted */
  const char *csv;
} Golden;

static const Golden goldens[] = {
  { "Blinky+Arm/Blinky+Arm.ctrace-run.yml", "Blinky+Arm/Blinky+Arm.SWO.raw", 1, 0,
    "Blinky+Arm/Blinky+Arm.SWO.csv" },
  { "Blinky+Arm/Blinky+Arm.ctrace-run.yml", "Blinky+Arm/Blinky+Arm.SWO.raw", 2, 0,
    "expected-newer/Blinky+Arm.SWO.G2.csv" },
  { "newer-yml/Blinky+Arm.ctrace-run.yml", "Blinky+Arm/Blinky+Arm.SWO.raw", 3, 0,
    "expected-newer/Blinky+Arm.SWO.G3.csv" },
  { "Arm-reset/Arm.ctrace-run.yml", "Arm-reset/Arm.SWO.raw", 1, 0,
    "Arm-reset/computed.Arm.SWO.csv" },
  { "trace-match/trace-match.ctrace-run.yml", "trace-match/trace-match.raw", 3, 0,
    "trace-match/computed.trace-match.SWO.csv" },
  { "trace-pc-sample/trace-pc-sample.ctrace-run.yml", "trace-pc-sample/trace-pc-sample.raw", 3, 0,
    "trace-pc-sample/computed.trace-pc-sample.SWO.csv" },
  { "trace-compressed-dwt/trace-compressed-dwt.ctrace-run.yml",
    "trace-compressed-dwt/trace-compressed-dwt.raw", 3, 0,
    "trace-compressed-dwt/computed.trace-compressed-dwt.SWO.csv" },
  { "TB-Trace/Blinky+Arm.ctrace-run.yml", "TB-Trace/Blinky+Arm.TB.raw", 2, 1,
    "TB-Trace/computed.stream-1.csv" },
  { "TB-Trace/Blinky+Arm.ctrace-run.yml", "TB-Trace/Blinky+Arm.TB.raw", 2, 2,
    "TB-Trace/computed.stream-2.csv" },
  { "formatted-synthetic/Synthetic.ctrace-run.yml", "formatted-synthetic/Synthetic.TB.raw", 2, 1,
    "formatted-synthetic/computed.stream-1.csv" },
  { "formatted-synthetic/Synthetic.ctrace-run.yml", "formatted-synthetic/Synthetic.TB.raw", 2, 2,
    "formatted-synthetic/computed.stream-2.csv" },
};

static void
test_golden (gconstpointer data)
{
  static const gsize slices[] = { G_MAXINT32, 4096, 61, 7, 1 };
  const Golden *golden = data;
  g_autofree char *expected = NULL;
  gsize n;

  if (is_missing ())
    return;
  expected = read_file (golden->csv, &n);
  for (gsize i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      g_autofree char *csv = convert (golden->yml, golden->raw, golden->generation,
                                      golden->stream != 0, slices[i]);
      g_autofree char *rows = golden->stream != 0 ? select_stream (csv, golden->stream)
                                                  : g_strdup (csv);

      g_assert_cmpstr (rows, ==, expected);
    }
}

static void
count_text (TsCtraceLevel level, const char *message, gpointer user_data)
{
  g_ptr_array_add (user_data, g_strdup_printf ("%d %s", level, message));
}

static void
test_messages (void)
{
  static const char text[] = "ctrace-run:\n"
                             "  ctrace-refs:\n"
                             "  - ref: data#0\n"
                             "    type: dwt\n"
                             "    warning: [one, two]\n"
                             "    error:\n"
                             "    stream: 200\n";
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (TsCtraceConfig) config
      = ts_ctrace_config_new ("a.yml", text, strlen (text), count_text, messages, &error);

  g_assert_no_error (error);
  g_assert_nonnull (config);
  g_assert_cmpuint (messages->len, ==, 3);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (messages, 0), "1 one: config=a.yml"));
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *text;
    const char *message;
  } refusals[] = {
    { "ctrace-run: [", "a.yml(2," },
    { "", "a.yml(1): there is no map ctrace-run" },
    { "other: 1\n", "a.yml(1): there is no map ctrace-run" },
    { "ctrace-run:\n  a: 1\n", "a.yml(2): there is no list ctrace-refs" },
    { "ctrace-run:\n  ctrace-refs:\n  - type: dwt\n", "a.yml(3): a reference needs a path" },
    { "ctrace-run:\n  ctrace-refs:\n  - ref: x\n", "a.yml(3): a reference needs a type" },
    { "ctrace-run:\n  ctrace-refs:\n  - ref: data#0\n    type: dwt\n    stream: 112\n",
      "a.yml(5): a stream must be between 1 and 111" },
    { "ctrace-run:\n  ctrace-refs:\n  - ref: itm\n    type: itm\n    index: [1, 1]\n",
      "a.yml(5): a source number is there twice" },
    { "ctrace-run:\n  ctrace-refs:\n  - ref: itm\n    type: itm\n    index: 32\n",
      "a.yml(5): an ITM port must be between 0 and 31" },
    { "ctrace-run:\n  ctrace-setup:\n  - timestamps:\n      itm-prescaler: 3\n",
      "a.yml(4): itm-prescaler must be 1, 4, 16 or 64" },
    { "ctrace-run:\n  ctrace-setup: 1\n", "a.yml(2): ctrace-setup must be a list" },
    { "ctrace-run:\n  ctrace-setup:\n  - timestamps:\n  - timestamps:\n",
      "a.yml(3): with several processors each entry needs a pname" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ts_ctrace_config_new ("a.yml", refusals[i].text, strlen (refusals[i].text),
                                           NULL, NULL, &error));
      g_assert_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG);
      if (strstr (error->message, refusals[i].message) == NULL)
        g_error ("“%s” for “%s”", error->message, refusals[i].message);
    }
}

/* Cuts, single damaged bytes and splices of the published captures: no harm, and the same rows however
 * the bytes are cut. Every place of the first 512 bytes, and places all over the rest. */
static void
test_damage (void)
{
  static const char text[] = "ctrace-run:\n  ctrace-refs:\n  - ref: a/itm\n    type: itm\n"
                             "    stream: 1\n  - ref: b/itm\n    type: itm\n    stream: 2\n";
  static const char *const names[]
      = { "Blinky+Arm/Blinky+Arm.SWO.raw", "TB-Trace/Blinky+Arm.TB.raw",
          "formatted-synthetic/Synthetic.TB.raw", "trace-match/trace-match.raw",
          "trace-pc-sample/trace-pc-sample.raw", "trace-compressed-dwt/trace-compressed-dwt.raw",
          "Arm-reset/Arm.SWO.raw" };
  g_autoptr (TsCtraceConfig) config = NULL;

  if (is_missing ())
    return;
  config = ts_ctrace_config_new ("a.yml", text, strlen (text), NULL, NULL, NULL);
  g_assert_nonnull (config);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gboolean is_formatted = i == 1 || i == 2;
      gsize n_file;
      g_autofree char *file = read_file (names[i], &n_file);
      gsize n_dense = MIN (n_file, 512);

      for (gsize i_place = 0; i_place < n_dense + 100; i_place++)
        {
          gsize place = i_place < n_dense ? i_place
                                          : (gsize) g_test_rand_int_range (0, (gint32) n_file);
          /* a window of a few synchronisation packets is enough, but all of a cut file */
          gsize begin = place > 4096 ? (place - 4096) & ~(gsize) 15 : 0;
          gsize n = MIN (n_file - begin, i_place < n_dense ? 1024 : 8192);

          for (guint kind = 0; kind < 3; kind++)
            {
              g_autofree guint8 *bytes = g_memdup2 (file + begin, n);
              gsize at = place - begin;
              gsize n_used = kind == 0 ? at : n;
              g_autofree char *whole = NULL;
              g_autofree char *sliced = NULL;

              if (kind == 1)
                bytes[at] ^= (guint8) (1u << g_test_rand_int_range (0, 8));
              else if (kind == 2)
                {
                  gsize from = (gsize) g_test_rand_int_range (0, (gint32) n_file);

                  memcpy (bytes + at, file + from, MIN (MIN (n_file - from, n - at), 64));
                }
              whole = convert_bytes (config, bytes, n_used, G_MAXINT32, is_formatted);
              sliced = convert_bytes (config, bytes, n_used, 1 + place % 61, is_formatted);
              g_assert_cmpstr (whole, ==, sliced);
            }
        }
    }
}

/* A reference that stands for itself must not be followed for ever. */
static void
test_loops (void)
{
  static const char text[] = "ctrace-run: &a\n  ctrace-refs: &b\n  - *b\n";
  g_autoptr (GError) error = NULL;

  g_assert_null (ts_ctrace_config_new ("a.yml", text, strlen (text), NULL, NULL, &error));
  g_assert_error (error, TS_CTRACE_ERROR, TS_CTRACE_ERROR_CONFIG);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      g_autofree char *base = g_path_get_basename (goldens[i].csv);
      g_autofree char *path = g_strdup_printf ("/decode/ctrace/golden/%" G_GSIZE_FORMAT "-%s", i,
                                               base);

      g_test_add_data_func (path, &goldens[i], test_golden);
    }
  g_test_add_func ("/decode/ctrace/messages", test_messages);
  g_test_add_func ("/decode/ctrace/refusals", test_refusals);
  g_test_add_func ("/decode/ctrace/loops", test_loops);
  g_test_add_func ("/decode/ctrace/damage", test_damage);
  return g_test_run ();
}
