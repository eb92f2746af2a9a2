/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-ctrace.c: any text as the configuration of a trace run, any bytes as its capture.
 *
 * Input: the configuration, a zero byte, the capture. The capture is converted in every generation,
 * with and without a formatter, whole and in slices: rows must be the same.
 */
#include <string.h>

#include "decode/ts-ctrace.h"

#include "fuzz-target.h"

typedef struct
{
  GString *csv;
  guint64 last;
  TsCtraceOptions options;
} Rows;

static void
add_row (const TsCtraceEvent *event, gpointer user_data)
{
  Rows *rows = user_data;

  g_assert (event->type < TS_CTRACE_N_TYPES);
  g_assert (event->note < TS_CTRACE_N_NOTES);
  ts_ctrace_csv_append (rows->csv, event, &rows->options);
}

static void
take_message (TsCtraceLevel level, const char *message, gpointer user_data)
{
  g_assert (*message != '\0');
}

static char *
convert (TsCtraceConfig *config,
         const guint8 *bytes,
         gsize n_bytes,
         gsize slice,
         guint generation,
         gboolean is_formatted)
{
  Rows rows = { .csv = g_string_new (NULL),
                .options = { .generation = generation, .is_formatted = is_formatted } };
  g_autoptr (TsCtrace) ctrace
      = ts_ctrace_new (config, &rows.options, add_row, take_message, &rows);

  for (gsize at = 0; at < n_bytes; at += slice)
    ts_ctrace_push (ctrace, bytes + at, MIN (slice, n_bytes - at));
  ts_ctrace_finish (ctrace);
  return g_string_free (rows.csv, FALSE);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char plain[] = "ctrace-run:\n  ctrace-refs: []\n";
  const guint8 *end = size > 0 ? memchr (data, 0, size) : NULL;
  gsize n_text = end != NULL ? (gsize) (end - data) : size;
  const guint8 *bytes = end != NULL ? end + 1 : data;
  gsize n_bytes = end != NULL ? size - n_text - 1 : size;
  g_autoptr (GError) error = NULL;
  g_autoptr (TsCtraceConfig) config
      = ts_ctrace_config_new ("a.yml", (const char *) data, n_text, take_message, NULL, &error);

  g_assert ((config == NULL) == (error != NULL));
  if (config == NULL)
    config = ts_ctrace_config_new ("a.yml", plain, strlen (plain), NULL, NULL, NULL);
  for (guint i = 0; i <= TS_CTRACE_LAST_STREAM; i++)
    {
      const TsCtraceStream *stream = ts_ctrace_config_get_stream (config, i);

      g_assert (stream->prescaler >= 1 && stream->prescaler <= 64);
      g_assert ((stream->clock_hz == 0) == (stream->clock_problem != NULL));
    }
  for (guint generation = 1; generation <= 3; generation++)
    for (gint is_formatted = 0; is_formatted < 2; is_formatted++)
      {
        g_autofree char *whole
            = convert (config, bytes, n_bytes, MAX (n_bytes, 1), generation, is_formatted);
        g_autofree char *sliced = convert (config, bytes, n_bytes, 1 + (n_text + n_bytes) % 31,
                                           generation, is_formatted);

        g_assert (strcmp (whole, sliced) == 0);
      }
  return 0;
}
