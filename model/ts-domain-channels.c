/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-domain-channels.c: the channels that a domain speaks of: of the recording, and derived ones.
 */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include <math.h>
#include <string.h>

#include "ts-analysis-private.h"
#include "ts-domain-private.h"

#define MAX_DEPTH 8

typedef struct
{
  TsRecording *recording;
  const char *name;
  GArray *points;
} PollReader;

static gboolean
note_poll (guint64 row,
           const TsEvent *event,
           gpointer user_data)
{
  PollReader *reader = user_data;
  const TsObject *object = ts_recording_get_object (reader->recording, event->object);

  if (object != NULL && strcmp (object->name, reader->name) == 0)
    {
      TsPoint point = { event->time, ts_event_get_double (event) };

      g_array_append_val (reader->points, point);
    }
  return TRUE;
}

/* Samples of a channel of the recording: a lane's, else polled ones. */
static GArray *
read_recorded (TsRecording *recording,
               const char *name,
               gint64 end)
{
  static const TsEventKind kinds[] = { TS_EVENT_POLL_TRACE };
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);
  PollReader reader = { recording, name, NULL };

  for (guint i = 0; i < n_lanes; i++)
    if ((lanes[i].kind == TS_LANE_VALUE || lanes[i].kind == TS_LANE_TOGGLE)
        && strcmp (lanes[i].name, name) == 0)
      return ts_series_values (recording, lanes[i].id, 0, end);

  reader.points = g_array_new (FALSE, FALSE, sizeof (TsPoint));
  _ts_analysis_scan (recording, kinds, 1, 0, end, note_poll, &reader, NULL, NULL);
  return reader.points;
}

/* How far a counter counts before it begins at 0 again; 0: it does not. */
double
_ts_domain_wrap (TsDomain *self,
                 const char *channel)
{
  JsonObject *sampled = _ts_domain_get_object (ts_domain_get_json (self), "sampled_state");
  JsonObject *definition = _ts_domain_find (self, sampled, "channels", channel);
  const char *type = _ts_domain_get_text (definition, "ty");

  if (g_strcmp0 (_ts_domain_get_text (definition, "counter"), "wrapping") != 0)
    return 0;
  if (g_strcmp0 (type, "u8") == 0)
    return 256.0;
  if (g_strcmp0 (type, "u16") == 0)
    return 65536.0;
  return 4294967296.0;
}

static void
derive_rate (TsDomain *self,
             GArray *points,
             const char *source,
             double hz)
{
  double wrap = _ts_domain_wrap (self, source);

  for (guint i = points->len; i-- > 1;)
    {
      TsPoint *point = &g_array_index (points, TsPoint, i);
      const TsPoint *before = &g_array_index (points, TsPoint, i - 1);
      double change = point->value - before->value;

      if (change < 0)
        change += wrap;
      point->value
          = point->time > before->time ? change * hz / (double) (point->time - before->time) : 0.0;
    }
  if (points->len > 0)
    g_array_remove_index (points, 0);
}

static void
derive_field (GArray *points,
              JsonObject *definition)
{
  double shift = 0;
  double mask = 4294967295.0;

  _ts_domain_get_number (definition, "shift", &shift);
  _ts_domain_get_number (definition, "mask", &mask);
  for (guint i = 0; i < points->len; i++)
    {
      TsPoint *point = &g_array_index (points, TsPoint, i);
      guint64 value = isfinite (point->value) && fabs (point->value) < 9e18
                          ? (guint64) (gint64) point->value
                          : 0;

      point->value = (double) (value >> (guint) CLAMP (shift, 0, 63)
                               & (guint64) CLAMP (mask, 0, 9e18));
    }
}

/* Values that the table does not hold give no point. */
static void
derive_map (GArray *points,
            JsonObject *definition)
{
  JsonObject *table = _ts_domain_get_object (definition, "table");
  guint n = 0;

  for (guint i = 0; i < points->len; i++)
    {
      TsPoint point = g_array_index (points, TsPoint, i);
      char key[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (key, sizeof key, "%.15g", point.value);
      if (_ts_domain_get_number (table, key, &point.value))
        g_array_index (points, TsPoint, n++) = point;
    }
  g_array_set_size (points, n);
}

static GArray *
read_channel (TsDomain *self,
              TsRecording *recording,
              const char *name,
              gint64 end,
              guint depth)
{
  JsonObject *definition = _ts_domain_find (self, ts_domain_get_json (self), "derived", name);
  const char *type = _ts_domain_get_text (definition, "type");
  const char *source = _ts_domain_get_text (definition, "source");
  GArray *points;

  if (definition == NULL || source == NULL || depth == MAX_DEPTH)
    return read_recorded (recording, name, end);

  points = read_channel (self, recording, source, end, depth + 1);
  if (g_strcmp0 (type, "rate") == 0)
    derive_rate (self, points, source, (double) ts_recording_get_clock_hz (recording));
  else if (g_strcmp0 (type, "field") == 0)
    derive_field (points, definition);
  else if (g_strcmp0 (type, "map") == 0)
    derive_map (points, definition);
  return points;
}

/* Samples of a channel, recorded or derived, from the begin of the recording to @end. */
GArray *
_ts_domain_read_channel (TsDomain *self,
                         TsRecording *recording,
                         const char *name,
                         gint64 end)
{
  return read_channel (self, recording, name, end, 0);
}

/* What the domain calls a value of a channel; NULL if nothing. */
char *
_ts_domain_dup_label (TsDomain *self,
                      const char *channel,
                      double value)
{
  JsonObject *root = ts_domain_get_json (self);
  JsonObject *definition = _ts_domain_find (self, root, "derived", channel);
  JsonObject *names = _ts_domain_get_object (definition, "values");
  JsonArray *channels = _ts_domain_get_array (root, "channels");
  char key[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; names == NULL && channels != NULL && i < json_array_get_length (channels); i++)
    {
      JsonObject *element = _ts_domain_get_element (channels, i);
      JsonObject *match = _ts_domain_get_object (element, "match");
      const char *prefix = _ts_domain_get_text (match, "name_prefix");

      if (g_strcmp0 (_ts_domain_get_text (match, "name"), channel) == 0
          || (prefix != NULL && g_str_has_prefix (channel, prefix)))
        names = _ts_domain_get_object (element, "names");
    }
  g_ascii_formatd (key, sizeof key, "%.15g", value);
  return g_strdup (_ts_domain_get_text (names, key));
}
