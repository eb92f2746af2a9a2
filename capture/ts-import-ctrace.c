/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-import-ctrace.c: a CMSIS trace run as an import: which capture it has, and how to read it. */
#define G_LOG_DOMAIN "ts-capture"
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ts-capture-session.h"
#include "ts-ctrace-run.h"
#include "ts-import-private.h"

static void
append_name (GString *format,
             const char *prefix,
             guint number,
             const TsCtraceSource *source)
{
  g_autofree char *name = NULL;

  if (source == NULL || source->label == NULL)
    return;
  name = g_uri_escape_string (source->label, NULL, FALSE);
  g_string_append_printf (format, ",%s%u=%s", prefix, number, name);
}

/* What the configuration says of the streams as parameters of a format. */
static char *
dup_format (TsCtraceConfig *config,
            gboolean is_formatted)
{
  GString *format = g_string_new (is_formatted ? "tpiu:sync=auto" : "itm:sync=auto");
  guint first = is_formatted ? 1 : TS_CTRACE_UNFORMATTED;
  guint last = is_formatted ? TS_CTRACE_LAST_STREAM : TS_CTRACE_UNFORMATTED;
  const TsCtraceSource *watches[TS_CTRACE_N_COMPARATORS] = { NULL };
  const TsCtraceSource *ports[TS_CTRACE_N_PORTS] = { NULL };
  guint64 clock_hz = 0;

  for (guint id = first; id <= last; id++)
    {
      const TsCtraceStream *stream = ts_ctrace_config_get_stream (config, id);

      clock_hz = MAX (clock_hz, stream->clock_hz);
      for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
        if (watches[i] == NULL)
          watches[i] = stream->comparators[i];
      for (guint i = 0; i < TS_CTRACE_N_PORTS; i++)
        if (ports[i] == NULL)
          ports[i] = stream->ports[i];
      if (!is_formatted)
        g_string_append_printf (format, ",prescaler=%u", stream->prescaler);
      else if (stream->has_route)
        {
          g_string_append_printf (format, ",prescaler.%u=%u", id, stream->prescaler);
          for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
            {
              g_autofree char *prefix = g_strdup_printf ("watch.%u.", id);

              append_name (format, prefix, i, stream->comparators[i]);
            }
          for (guint i = 0; i < TS_CTRACE_N_PORTS; i++)
            {
              g_autofree char *prefix = g_strdup_printf ("port.%u.", id);

              append_name (format, prefix, i, stream->ports[i]);
            }
          if (stream->clock_hz != 0)
            g_string_append_printf (format, ",clock.%u=%" G_GUINT64_FORMAT, id, stream->clock_hz);
        }
    }
  if (clock_hz != 0)
    g_string_append_printf (format, ",clock=%" G_GUINT64_FORMAT, clock_hz);
  for (guint i = 0; i < TS_CTRACE_N_COMPARATORS; i++)
    append_name (format, "watch", i, watches[i]);
  for (guint i = 0; i < TS_CTRACE_N_PORTS; i++)
    append_name (format, "port", i, ports[i]);
  return g_string_free (format, FALSE);
}

/**
 * ts_import_list_captures:
 * @path: the configuration of a trace run
 *
 * Thread: any; reads the configuration and its folder
 *
 * Returns: (transfer full) (array zero-terminated=1): the paths of the captures beside it, each a
 *   recording of its own: SWO, then trace buffers; none where the configuration cannot be read
 */
char **
ts_import_list_captures (const char *path)
{
  g_autoptr (TsCtraceConfig) config = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  GPtrArray *paths = g_ptr_array_new ();

  g_return_val_if_fail (path != NULL, NULL);

  config = ts_ctrace_load (path, NULL, NULL, NULL);
  if (config != NULL)
    inputs = ts_ctrace_find_inputs (path, config, 3, NULL, NULL);
  for (guint i = 0; inputs != NULL && i < inputs->len; i++)
    g_ptr_array_add (paths,
                     g_strdup (((const TsCtraceInput *) g_ptr_array_index (inputs, i))->path));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

/*
 * _ts_import_dup_capture_format:
 * @path: any file
 *
 * Returns: (transfer full) (nullable): how to decode it, where it is a capture of a trace run whose
 *   configuration lies beside it; else %NULL
 */
char *
_ts_import_dup_capture_format (const char *path)
{
  g_autoptr (TsCtraceConfig) config = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autofree char *stem = NULL;
  g_autofree char *config_path = NULL;
  char *dot;

  if (!g_str_has_suffix (path, ".raw"))
    return NULL;
  stem = g_strndup (path, strlen (path) - strlen (".raw"));
  dot = strrchr (stem, '.');
  if (dot == NULL || strchr (dot, G_DIR_SEPARATOR) != NULL)
    return NULL;
  *dot = '\0';
  config_path = g_strconcat (stem, TS_CTRACE_RUN_SUFFIX, NULL);
  config = ts_ctrace_load (config_path, NULL, NULL, NULL);
  if (config == NULL)
    return NULL;
  inputs = ts_ctrace_find_inputs (config_path, config, 3, NULL, NULL);
  for (guint i = 0; i < inputs->len; i++)
    {
      const TsCtraceInput *input = g_ptr_array_index (inputs, i);

      if (strcmp (input->channel, dot + 1) == 0)
        return dup_format (config, input->is_formatted);
    }
  return NULL;
}

/*
 * _ts_import_find_trace_run:
 * @path: the configuration of a trace run
 * @format: (out) (transfer full): format to decode the capture with
 * @error: return location
 *
 * Errors: %TS_CAPTURE_ERROR_BAD_CONFIG for the configuration, %TS_CAPTURE_ERROR_CONNECT where there
 *   is no capture beside it
 *
 * Returns: (transfer full): path of the capture: SWO, else the first trace buffer; or %NULL with
 *   @error set
 */
char *
_ts_import_find_trace_run (const char *path,
                           char **format,
                           GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (TsCtraceConfig) config = ts_ctrace_load (path, NULL, NULL, &reason);
  g_autoptr (GPtrArray) inputs = NULL;
  const TsCtraceInput *input;

  if (config == NULL)
    {
      g_set_error_literal (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_BAD_CONFIG, reason->message);
      return NULL;
    }
  inputs = ts_ctrace_find_inputs (path, config, 3, NULL, NULL);
  if (inputs->len == 0)
    {
      g_autofree char *name = g_filename_display_name (path);

      g_set_error (error, TS_CAPTURE_ERROR, TS_CAPTURE_ERROR_CONNECT,
                   _("There is no capture beside “%s”: expected a file .SWO.raw or .TB.raw of the "
                     "same name."),
                   name);
      return NULL;
    }
  /* byte order puts SWO before TB */
  input = g_ptr_array_index (inputs, 0);
  *format = dup_format (config, input->is_formatted);
  return g_strdup (input->path);
}
