/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-query-swo.c: what a trace stream took of its line. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ts-analysis-private.h"
#include "ts-counters-private.h"
#include "ts-query-private.h"

static gboolean
note_overflow (guint64 row,
               const TsEvent *event,
               gpointer user_data)
{
  (*(gint64 *) user_data)++;
  return TRUE;
}

/* @begin: what is asked for begins there; @bytes: of what the streams told, from @first to @last */
typedef struct
{
  gint64 begin;
  gint64 bytes;
  gint64 first;
  gint64 last;
} Load;

static gboolean
note_load (guint64 row,
           const TsEvent *event,
           gpointer user_data)
{
  Load *load = user_data;
  gint64 first = event->time - ts_event_get_detail (event);

  if (first < load->begin)
    return TRUE;
  load->bytes += event->value;
  load->first = MIN (load->first, first);
  load->last = event->time;
  return TRUE;
}

/* Most bytes a second of a stream, as its lane tells; @line_hz: see ts_tracker_set_line_rate(). */
static double
get_peak (TsRecording *recording,
          gint64 begin,
          gint64 end,
          double line_hz)
{
  double peak = NAN;

  for (guint i = 0; i < 256; i++)
    {
      const TsLaneInfo *lane = ts_recording_get_lane (recording, TS_LANE_ID_LOAD (i));
      TsColumn column = { 0 };
      double value;

      if (lane == NULL)
        continue;
      _ts_analysis_fill_columns (recording, lane->id, begin, end, 1, &column);
      if (column.count == 0 && !column.has_value)
        continue;
      value = strchr (lane->name, '%') != NULL ? column.max * line_hz / 1000 : column.max * 1000;
      peak = isnan (peak) ? value : MAX (peak, value);
    }
  return peak;
}

/* Of the whole recording all bytes that came; of a part what the streams told in it. An NRZ byte
 * costs ten bits of the line. */
gboolean
_ts_query_swo (TsQuery *query,
               JsonObject *data,
               gint64 begin,
               gint64 end,
               GError **error)
{
  static const TsEventKind kinds[] = { TS_EVENT_ITM_OVERFLOW, TS_EVENT_SWO_LOAD };
  gint64 duration = ts_recording_get_duration (query->recording);
  double clock_hz = (double) ts_recording_get_clock_hz (query->recording);
  Load load = { .begin = begin, .first = G_MAXINT64 };
  gint64 n_overflows = 0;
  double peak;
  g_autofree char *source = ts_recording_dup_meta (query->recording, "capture_source");
  g_autofree char *format = ts_recording_dup_meta (query->recording, "ts_raw_format");
  g_autofree char *raw = ts_recording_dup_health (query->recording, "raw_bytes");
  double seconds = (double) duration / clock_hz;
  double bytes = raw != NULL ? g_ascii_strtod (raw, NULL) : 0.0;
  double hz = (double) _ts_recording_get_line_rate (query->recording);

  if ((source == NULL || strstr (source, "swo") == NULL)
      && (format == NULL || (strstr (format, "itm") == NULL && strstr (format, "tpiu") == NULL)))
    return _ts_query_no_rows (_("SWO stream"), "--transport stlink-swo, jlink-swo or swo-tcp", error);
  if (!_ts_analysis_scan (query->recording, kinds, 1, begin, end, note_overflow, &n_overflows,
                          query->cancellable, error))
    return FALSE;
  if (begin > 0 || end < duration)
    {
      if (!_ts_analysis_scan (query->recording, kinds + 1, 1, begin, end, note_load, &load,
                              query->cancellable, error))
        return FALSE;
      bytes = (double) load.bytes;
      seconds = load.bytes > 0 ? (double) (load.last - load.first) / clock_hz : 0;
    }
  peak = get_peak (query->recording, begin, end, hz);

  json_object_set_int_member (data, "bytes", (gint64) bytes);
  _ts_json_set_real (data, "seconds", seconds);
  _ts_json_set_real (data, "bytes_per_s", seconds > 0 ? bytes / seconds : NAN);
  if (hz > 0)
    json_object_set_int_member (data, "swo_hz", (gint64) hz);
  else
    json_object_set_null_member (data, "swo_hz");
  _ts_json_set_real (data, "share_pct",
                     hz > 0 && seconds > 0 ? 1000.0 * bytes / seconds / hz : NAN);
  json_object_set_int_member (data, "overflows", n_overflows);
  _ts_json_set_real (data, "peak_bytes_per_s", peak);
  _ts_json_set_real (data, "peak_share_pct", hz > 0 ? MIN (1000.0 * peak / hz, 100.0) : NAN);
  return TRUE;
}
