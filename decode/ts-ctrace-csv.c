/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-ctrace-csv.c: events of a trace run as rows of CSV, in the words of each generation. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include <string.h>

#include "ts-ctrace.h"

/* Source: ctrace.md section 1 */
static const char *const type_names[TS_CTRACE_N_TYPES] = {
  "itm", "dwt", "exception", "pcsample", "event", "pmu", "global_ts", "overflow", "error", "info",
  NULL,
};

/**
 * ts_ctrace_type_get_name:
 * @type: a type of events
 *
 * Thread: safe
 *
 * Returns: (transfer none) (nullable): its name
 */
const char *
ts_ctrace_type_get_name (TsCtraceType type)
{
  g_return_val_if_fail (type < TS_CTRACE_N_TYPES, NULL);
  return type_names[type];
}

/**
 * ts_ctrace_is_type:
 * @name: a word
 *
 * Thread: safe
 *
 * Returns: whether it names a type of events that can be asked for
 */
gboolean
ts_ctrace_is_type (const char *name)
{
  for (guint i = 0; i <= TS_CTRACE_BAD; i++)
    if (strcmp (type_names[i], name) == 0)
      return TRUE;
  return FALSE;
}

/**
 * ts_ctrace_has_type:
 * @options: what to write
 * @type: a type
 *
 * Thread: safe
 *
 * Returns: whether events of the type are wanted
 */
gboolean
ts_ctrace_has_type (const TsCtraceOptions *options, TsCtraceType type)
{
  return options->types == NULL
         || (type_names[type] != NULL && g_strv_contains (options->types, type_names[type]));
}

/**
 * ts_ctrace_has_stream:
 * @options: what to write
 * @stream: a trace id
 *
 * Thread: safe
 *
 * Returns: whether events of the stream are wanted
 */
gboolean
ts_ctrace_has_stream (const TsCtraceOptions *options, guint stream)
{
  if (options->streams == NULL || options->streams->len == 0)
    return TRUE;
  for (guint i = 0; i < options->streams->len; i++)
    if (g_array_index (options->streams, guint, i) == stream)
      return TRUE;
  return FALSE;
}

/* Source: ctrace.md section 7, "Notes of errors" */
static const char *const short_notes[TS_CTRACE_N_NOTES] = {
  [TS_CTRACE_NOTE_SLEEPING] = "CPU Sleeping",
  [TS_CTRACE_NOTE_PROHIBITED] = "Trace prohibited",
  [TS_CTRACE_NOTE_OVERFLOW] = "Timestamp discontinuity",
  [TS_CTRACE_NOTE_BAD_SEQUENCE] = "Invalid ITM packet sequence",
  [TS_CTRACE_NOTE_BAD_HEADER] = "Invalid ITM packet header",
  [TS_CTRACE_NOTE_NEVER_SYNCED] = "No ITM SYNC before EOF",
  [TS_CTRACE_NOTE_CUT] = "Incomplete ITM packet at EOF",
  [TS_CTRACE_NOTE_BAD_EXCEPTION] = "Invalid exception action",
  [TS_CTRACE_NOTE_BAD_SAMPLE] = "Invalid PC sample",
  [TS_CTRACE_NOTE_BAD_COUNTER] = "Invalid DWT counter",
  [TS_CTRACE_NOTE_BAD_PMU] = "Invalid PMU counter",
  [TS_CTRACE_NOTE_BAD_SIZE] = "Invalid DWT payload size",
  [TS_CTRACE_NOTE_ABORTED] = "Decode aborted; trace incomplete",
};
static const char *const long_notes[TS_CTRACE_N_NOTES] = {
  [TS_CTRACE_NOTE_SLEEPING] = "CPU Sleeping",
  [TS_CTRACE_NOTE_PROHIBITED] = "Trace prohibited",
  [TS_CTRACE_NOTE_OVERFLOW]
  = "overflow: new timestamp segment; time across boundary may be unreliable",
  [TS_CTRACE_NOTE_CUT] = "incomplete ITM packet at end of input",
  [TS_CTRACE_NOTE_BAD_SAMPLE] = "invalid PC sample payload",
  [TS_CTRACE_NOTE_BAD_COUNTER] = "invalid DWT event counter payload",
  [TS_CTRACE_NOTE_BAD_PMU] = "invalid PMU overflow payload",
  [TS_CTRACE_NOTE_BAD_SIZE] = "unsupported DWT data trace payload size",
  [TS_CTRACE_NOTE_ABORTED] = "Decode aborted; trace incomplete",
};

/* Notes with a number in them that the newest generation writes. FALSE: none of those. */
static gboolean
append_short_number (GString *csv, const TsCtraceEvent *event, gboolean is_formatted)
{
  guint64 n = event->number;

  switch ((TsCtraceNote) event->note)
    {
    case TS_CTRACE_NOTE_LOSS:
      if (is_formatted)
        g_string_append_printf (csv, "ITM resynced; %" G_GUINT64_FORMAT " raw bytes affected", n);
      else
        g_string_append_printf (csv, "%" G_GUINT64_FORMAT " raw bytes without usable ITM packets",
                                n);
      return TRUE;
    case TS_CTRACE_NOTE_LOSS_TO_END:
      if (is_formatted)
        g_string_append_printf (
            csv, "No ITM resync before EOF; %" G_GUINT64_FORMAT " raw bytes affected", n);
      else
        g_string_append_printf (csv, "%" G_GUINT64_FORMAT " raw bytes without usable ITM packets",
                                n);
      return TRUE;
    case TS_CTRACE_NOTE_NEVER_SYNCED:
      if (is_formatted)
        return FALSE;
      g_string_append_printf (csv, "%" G_GUINT64_FORMAT " raw bytes without usable ITM packets", n);
      return TRUE;
    case TS_CTRACE_NOTE_NO_ROUTE:
      g_string_append_printf (csv, "%" G_GUINT64_FORMAT " bytes skipped: %s", n,
                              event->stream == TS_CTRACE_NO_STREAM ? "no source ID"
                              : event->stream == 0                 ? "null source ID"
                              : event->stream > TS_CTRACE_LAST_STREAM
                                  ? "reserved source ID"
                                  : "unconfigured source ID");
      return TRUE;
    case TS_CTRACE_NOTE_NO_SYNC:
      g_string_append_printf (csv, "%" G_GUINT64_FORMAT " bytes skipped: no SYNC", n);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
append_long_note (GString *csv, const TsCtraceEvent *event)
{
  switch ((TsCtraceNote) event->note)
    {
    case TS_CTRACE_NOTE_LOSS:
    case TS_CTRACE_NOTE_LOSS_TO_END:
    case TS_CTRACE_NOTE_NEVER_SYNCED:
      g_string_append_printf (csv,
                              "OpenCSD consumed %" G_GUINT64_FORMAT " raw bytes while waiting for "
                              "usable ITM trace packets; data loss until a later sync/recovery "
                              "point; timestamp %" G_GUINT64_FORMAT " .. ",
                              event->number, event->time);
      if (event->has_upto)
        g_string_append_printf (csv, "%" G_GUINT64_FORMAT ".", event->upto);
      else
        g_string_append (csv, "unknown.");
      break;
    case TS_CTRACE_NOTE_BAD_SEQUENCE:
    case TS_CTRACE_NOTE_BAD_HEADER:
      g_string_append_printf (csv,
                              "OpenCSD detected an invalid ITM packet %s at raw offset "
                              "%" G_GUINT64_FORMAT ".",
                              event->note == TS_CTRACE_NOTE_BAD_SEQUENCE ? "sequence" : "header",
                              event->offset);
      break;
    case TS_CTRACE_NOTE_BAD_EXCEPTION:
      g_string_append_printf (csv, "invalid exception action 0x0 for exception %" G_GUINT64_FORMAT,
                              event->number);
      break;
    default:
      if (long_notes[event->note] != NULL)
        g_string_append (csv, long_notes[event->note]);
      break;
    }
}

static void
append_field (GString *csv, const TsCtraceField *field, guint digits)
{
  if (field->size > 0)
    g_string_append_printf (csv, "0x%0*x", (int) (digits != 0 ? digits : 2u * field->size),
                            field->value);
}

/* Whether the event has a row at all. */
static gboolean
has_row (const TsCtraceEvent *event, const TsCtraceOptions *options)
{
  if (event->note == TS_CTRACE_NOTE_ABORTED)
    return TRUE;
  if (event->type == TS_CTRACE_SYNC)
    return FALSE;
  if (event->type == TS_CTRACE_ITM && (event->source == 0 || event->source >= TS_CTRACE_N_PORTS))
    return FALSE;
  if (options->generation == 1
      && (event->type == TS_CTRACE_PC || event->type == TS_CTRACE_COUNTER
          || event->type == TS_CTRACE_PMU || event->note == TS_CTRACE_NOTE_BAD_SAMPLE
          || event->note == TS_CTRACE_NOTE_BAD_COUNTER || event->note == TS_CTRACE_NOTE_BAD_PMU))
    return FALSE;
  if (options->generation < 3 && event->type == TS_CTRACE_SKIPPED)
    return FALSE;
  return ts_ctrace_has_type (options, (TsCtraceType) event->type)
         && (event->stream == TS_CTRACE_NO_STREAM
                 ? options->streams == NULL || options->streams->len == 0
                 : ts_ctrace_has_stream (options, event->stream));
}

/**
 * ts_ctrace_csv_header:
 * @generation: 1, 2 or 3
 *
 * Thread: safe
 * Source: ctrace.md section 7
 *
 * Returns: (transfer none): the first line, with its end
 */
const char *
ts_ctrace_csv_header (guint generation)
{
  return generation == 1 ? "cycles,stream,type,source,value,pc,offset,note\n"
                         : "cycles,stream,type,source,value,pc,address,note\n";
}

/**
 * ts_ctrace_csv_append:
 * @csv: where to
 * @event: an event
 * @options: what to write
 *
 * Appends the row of an event, if it has one. No field needs quotes: the notes hold none of the
 * characters that would.
 *
 * Thread: safe
 * Source: ctrace.md section 7
 */
void
ts_ctrace_csv_append (GString *csv, const TsCtraceEvent *event, const TsCtraceOptions *options)
{
  if (!has_row (event, options))
    return;
  if (event->type == TS_CTRACE_GLOBAL_TIME)
    g_string_append_printf (csv, "%" G_GUINT64_FORMAT, event->number);
  else if (event->has_time)
    g_string_append_printf (csv, "%" G_GUINT64_FORMAT, event->time);
  g_string_append_c (csv, ',');
  if (event->stream != TS_CTRACE_UNFORMATTED && event->stream != TS_CTRACE_NO_STREAM)
    g_string_append_printf (csv, "%u", event->stream);
  g_string_append_printf (csv, ",%s,", type_names[event->type]);
  if (event->source >= 0)
    g_string_append_printf (csv, "%d", event->source);
  g_string_append_c (csv, ',');
  append_field (csv, &event->value, event->type == TS_CTRACE_EXCEPTION ? 1 : 0);
  g_string_append_c (csv, ',');
  append_field (csv, &event->pc, 0);
  g_string_append_c (csv, ',');
  append_field (csv, &event->address, 0);
  g_string_append_c (csv, ',');
  if (options->generation < 3)
    append_long_note (csv, event);
  else if (!append_short_number (csv, event, options->is_formatted)
           && short_notes[event->note] != NULL)
    g_string_append (csv, short_notes[event->note]);
  g_string_append_c (csv, '\n');
}
