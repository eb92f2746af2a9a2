/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-export.c: events as text: CSV files and the linear listing. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "ts-export-private.h"

#define FLUSH_BYTES (128 * 1024)

typedef struct
{
  TsRecording *recording;
  GString *text;
  guint64 n_events;
  gint64 zero; /* tick that times count from */
  guint64 first_row;
  guint64 end_row;
  GHashTable *lane_names; /* object id to name */
  TsExportProgress progress;
  gpointer user_data;
  TsExportFile *file;    /* CSV */
  GOutputStream *stream; /* print */
  GCancellable *cancellable;
  GError *error;
} Export;

/* The shortest digits that give the number back; numbers that came as 32-bit floats as such. */
static void
append_real (GString *text,
             double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean is_float = (double) (float) value == value;

  if (!isfinite (value))
    {
      g_string_append (text, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
      return;
    }

  for (int precision = is_float ? 6 : 15; precision <= 17; precision++)
    {
      char format[8];
      double back;

      g_snprintf (format, sizeof format, "%%.%dg", precision);
      g_ascii_formatd (digits, sizeof digits, format, value);
      back = g_ascii_strtod (digits, NULL);
      if (is_float ? (float) back == (float) value : back == value)
        break;
    }

  g_string_append (text, digits);
}

/* Source: RFC 4180 section 2 */
static void
append_field (GString *text,
              const char *field)
{
  if (strpbrk (field, ",\"\r\n") == NULL)
    {
      g_string_append (text, field);
      return;
    }

  g_string_append_c (text, '"');
  for (const char *c = field; *c != '\0'; c++)
    {
      if (*c == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *c);
    }
  g_string_append_c (text, '"');
}

/* One line whatever the text holds. */
static void
append_line (GString *text,
             const char *words)
{
  for (const char *c = words; *c != '\0'; c++)
    {
      if (*c == '\n')
        g_string_append (text, "\\n");
      else if (*c == '\r')
        g_string_append (text, "\\r");
      else if ((guchar) *c < 0x20 || *c == 0x7F)
        g_string_append_printf (text, "\\x%02x", (guint) (guchar) *c);
      else
        g_string_append_c (text, *c);
    }
}

/* A whole and a fraction of @digits digits, exact: no floating point. */
static void
append_fixed (GString *text,
              gint64 value,
              gint64 unit,
              int digits)
{
  g_string_append_printf (text, "%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT, value / unit, digits,
                          value % unit);
}

static void
append_csv_row (Export *self,
                guint64 row,
                const TsEvent *event)
{
  const TsObject *object = ts_recording_get_object (self->recording, event->object);
  const char *words = ts_recording_get_string (self->recording, ts_event_get_text_id (event));
  const char *kind = ts_event_kind_get_name (event->kind);
  guint n_operands = ts_event_kind_get_n_operands (event->kind);
  gint64 time = event->time - self->zero;
  GString *text = self->text;

  g_string_append_printf (text, "%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",", row,
                          event->kind == TS_EVENT_POLL_TRACE
                              ? ts_recording_ticks_to_us (self->recording, time)
                              : time);
  append_fixed (text, ts_recording_ticks_to_ns (self->recording, time), 1000, 3);
  g_string_append_c (text, ',');
  g_string_append (text, kind != NULL ? kind : "");
  g_string_append_c (text, ',');
  if ((event->flags & (TS_EVENT_FLAG_START | TS_EVENT_FLAG_END)) != 0)
    g_string_append_c (text, (event->flags & TS_EVENT_FLAG_START) != 0 ? '1' : '0');
  g_string_append_c (text, ',');
  if (object != NULL)
    append_field (text, object->name);
  g_string_append_printf (text, ",%u,", event->core);
  if (n_operands > 0 && (event->flags & TS_EVENT_FLAG_FLOAT) != 0)
    append_real (text, ts_event_get_double (event));
  else if (n_operands > 0)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, event->value);
  g_string_append_c (text, ',');
  if (n_operands > 1)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, ts_event_get_detail (event));
  g_string_append_c (text, ',');
  if (words != NULL)
    append_field (text, words);
  g_string_append_printf (text, ",%u\n", event->flags & TS_EVENT_FLAGS_PUBLIC);
}

static const char *
get_lane_name (Export *self,
               guint32 id)
{
  gpointer key = GUINT_TO_POINTER (id);
  char *name = g_hash_table_lookup (self->lane_names, key);
  const TsObject *object;

  if (name != NULL)
    return name;

  object = ts_recording_get_object (self->recording, id);
  name = object != NULL ? ts_object_dup_lane_name (object) : g_strdup ("-");
  g_hash_table_insert (self->lane_names, key, name);
  return name;
}

static void
append_print_row (Export *self,
                  const TsEvent *event)
{
  g_autofree char *what = ts_recording_describe_event (self->recording, event);
  const char *kind = ts_event_kind_get_name (event->kind);
  const char *lane = get_lane_name (self, event->object);
  glong width = g_utf8_strlen (lane, -1);

  append_fixed (self->text, ts_recording_ticks_to_ns (self->recording, event->time), 1000000000, 9);
  g_string_append_printf (self->text, "  %u  ", event->core);
  append_line (self->text, lane);
  for (; width < 16; width++)
    g_string_append_c (self->text, ' ');
  g_string_append_printf (self->text, "  %-16s  ", kind != NULL ? kind : "?");
  append_line (self->text, what);
  g_string_append_c (self->text, '\n');
}

static gboolean
flush_file (Export *self)
{
  if (!_ts_export_file_write (self->file, self->text->str, self->text->len, &self->error))
    return FALSE;

  g_string_truncate (self->text, 0);
  return TRUE;
}

static gboolean
flush_stream (Export *self)
{
  g_autoptr (GError) error = NULL;

  if (!g_output_stream_write_all (self->stream, self->text->str, self->text->len, NULL,
                                  self->cancellable, &error))
    {
      gboolean is_cancelled = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

      g_set_error_literal (&self->error, TS_MODEL_ERROR,
                           is_cancelled ? TS_MODEL_ERROR_CANCELLED : TS_MODEL_ERROR_WRITE,
                           error->message);
      return FALSE;
    }

  g_string_truncate (self->text, 0);
  return TRUE;
}

static gboolean
flush (Export *self)
{
  return self->stream != NULL ? flush_stream (self) : flush_file (self);
}

static gboolean
export_event (guint64 row,
              const TsEvent *event,
              gpointer user_data)
{
  Export *self = user_data;

  if (self->stream != NULL)
    append_print_row (self, event);
  else
    append_csv_row (self, row, event);
  self->n_events++;

  if (self->text->len < FLUSH_BYTES)
    return TRUE;

  if (self->progress != NULL)
    self->progress ((double) (row - self->first_row) / (double) (self->end_row - self->first_row),
                    self->user_data);
  return flush (self);
}

/**
 * _ts_export_filter_init:
 * @filter: (out caller-allocates): _ts_event_filter_clear()
 * @recording: a recording
 * @options: kinds, lanes and times
 * @error: return location
 *
 * What is to be written. A range that begins behind the end of the recording is a mistake: it would
 * put a file of nothing in the place of what was there.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_BAD_ARGUMENTS
 */
gboolean
_ts_export_filter_init (TsEventFilter *filter,
                        TsRecording *recording,
                        const TsQueryOptions *options,
                        GError **error)
{
  gint64 end = ts_recording_get_duration (recording);

  if (!_ts_event_filter_init (filter, recording, options, error))
    return FALSE;
  if (filter->begin_ticks <= end)
    return TRUE;

  _ts_event_filter_clear (filter);
  g_set_error (error, TS_MODEL_ERROR, TS_MODEL_ERROR_BAD_ARGUMENTS,
               _("The range begins at %" PRId64 " µs, but the recording ends at %" PRId64 " µs."),
               options->t_start_us, ts_recording_ticks_to_us (recording, end));
  return FALSE;
}

/* Everything but where it goes. */
static gboolean
run_export (Export *self,
            const TsQueryOptions *options,
            gboolean rebase,
            guint64 *n_events,
            GError **error)
{
  static const TsQueryOptions defaults = TS_QUERY_OPTIONS_INIT;
  g_autoptr (GString) text = g_string_sized_new (FLUSH_BYTES + 4096);
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  TsEventFilter filter;
  gboolean ok;

  if (options == NULL)
    options = &defaults;
  if (!(self->stream != NULL ? _ts_event_filter_init : _ts_export_filter_init) (
          &filter, self->recording, options, error))
    return FALSE;

  self->text = text;
  self->lane_names = names;
  self->first_row = filter.first_row;
  self->end_row = filter.end_row;
  self->zero = rebase ? filter.begin_ticks : 0;
  if (self->stream == NULL)
    g_string_append (text, "id,t_cycles,time_us,kind,start,object,core,value,detail,text,flags\n");

  ok = _ts_event_filter_scan (&filter, self->recording, 0, export_event, self, self->cancellable,
                              error);
  _ts_event_filter_clear (&filter);
  if (ok && self->error == NULL)
    flush (self);
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      ok = FALSE;
    }

  if (n_events != NULL)
    *n_events = self->n_events;
  return ok;
}

/**
 * ts_export_csv:
 * @recording: a recording
 * @path: file to make; replaced at the end only, when all went well
 * @options: (nullable): kinds, lanes and times (both ends inclusive)
 * @rebase: times begin at the begin of the range; else they stay as they are
 * @progress: (nullable) (scope call): told how far it is
 * @user_data: for @progress
 * @cancellable: (nullable): ends it; nothing is left
 * @n_events: (out) (optional): rows written
 * @error: return location
 *
 * Writes events as CSV: id, t_cycles, time_us, kind, start, object, core, value, detail, text,
 * flags; quoted as RFC 4180 says, lines end with a line feed.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_CANCELLED,
 * %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
ts_export_csv (TsRecording *recording,
               const char *path,
               const TsQueryOptions *options,
               gboolean rebase,
               TsExportProgress progress,
               gpointer user_data,
               GCancellable *cancellable,
               guint64 *n_events,
               GError **error)
{
  TsExportFile file = { .fd = -1 };
  Export self = { .recording = recording, .progress = progress, .user_data = user_data,
                  .cancellable = cancellable, .file = &file };
  gboolean ok;

  ok = _ts_export_file_open (&file, recording, path, error)
       && run_export (&self, options, rebase, n_events, error)
       && _ts_export_file_finish (&file, error);
  _ts_export_file_clear (&file);
  if (ok && progress != NULL)
    progress (1.0, user_data);
  return ok;
}

/**
 * ts_export_print:
 * @recording: a recording
 * @stream: where to
 * @options: (nullable): kinds, lanes and times (both ends inclusive)
 * @cancellable: (nullable): ends it
 * @n_events: (out) (optional): lines written
 * @error: return location
 *
 * Writes one line per event, in order of time: seconds, core, lane, kind, and what happened.
 *
 * Thread: owner of @recording
 * Errors: %TS_MODEL_ERROR_WRITE, %TS_MODEL_ERROR_BAD_ARGUMENTS, %TS_MODEL_ERROR_CANCELLED,
 * %TS_MODEL_ERROR_BAD_RECORDING
 */
gboolean
ts_export_print (TsRecording *recording,
                 GOutputStream *stream,
                 const TsQueryOptions *options,
                 GCancellable *cancellable,
                 guint64 *n_events,
                 GError **error)
{
  Export self = { .recording = recording, .stream = stream, .cancellable = cancellable };

  return run_export (&self, options, FALSE, n_events, error);
}
