/* SPDX-License-Identifier: GPL-3.0-or-later */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include "fake-recording.h"

typedef struct
{
  TsLaneInfo info;
  TsObject object;
  GArray *slices;
} Lane;

struct _TsRecording
{
  GObject parent_instance;

  guint64 clock_hz;
  gint64 duration;
  gboolean is_live;
  gboolean is_coarse;
  guint max_slices;
  guint n_queries;
  GPtrArray *lanes; /* Lane */
  GArray *infos;    /* TsLaneInfo, copies */
  GPtrArray *strings;
  GHashTable *meta;
};

G_DEFINE_FINAL_TYPE (TsRecording, ts_recording, G_TYPE_OBJECT)

static void
lane_free (gpointer data)
{
  Lane *lane = data;

  g_array_unref (lane->slices);
  g_free (lane->object.name);
  g_free (lane->object.unit);
  g_free (lane->info.name);
  g_free (lane);
}

static void
ts_recording_finalize (GObject *object)
{
  TsRecording *self = TS_RECORDING (object);

  g_ptr_array_unref (self->lanes);
  g_array_unref (self->infos);
  g_ptr_array_unref (self->strings);
  g_hash_table_unref (self->meta);
  G_OBJECT_CLASS (ts_recording_parent_class)->finalize (object);
}

static void
ts_recording_class_init (TsRecordingClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ts_recording_finalize;
}

static void
ts_recording_init (TsRecording *self)
{
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  self->infos = g_array_new (FALSE, TRUE, sizeof (TsLaneInfo));
  self->strings = g_ptr_array_new_with_free_func (g_free);
  self->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->max_slices = 1000;
}

static Lane *
find_lane (TsRecording *self,
           guint32 id)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      Lane *lane = g_ptr_array_index (self->lanes, i);

      if (lane->info.id == id)
        return lane;
    }
  return NULL;
}

TsRecording *
fake_recording_new (guint64 clock_hz,
                    gint64 duration)
{
  TsRecording *self = g_object_new (TS_TYPE_RECORDING, NULL);

  self->clock_hz = clock_hz;
  self->duration = duration;
  return self;
}

void
fake_recording_set_live (TsRecording *self,
                         gboolean is_live)
{
  self->is_live = is_live;
}

void
fake_recording_set_duration (TsRecording *self,
                             gint64 duration)
{
  self->duration = duration;
}

void
fake_recording_set_meta (TsRecording *self,
                         const char *key,
                         const char *value)
{
  g_hash_table_insert (self->meta, g_strdup (key), g_strdup (value));
}

void
fake_recording_set_max_slices (TsRecording *self,
                               guint max_slices)
{
  self->max_slices = max_slices;
}

guint32
fake_recording_add_lane (TsRecording *self,
                         TsLaneKind kind,
                         TsObjectType type,
                         const char *name,
                         gint64 priority)
{
  Lane *lane = g_new0 (Lane, 1);

  lane->info.id = self->lanes->len + 1;
  if (kind == TS_LANE_CPU)
    lane->info.id = TS_LANE_ID_CPU (0);
  else if (kind == TS_LANE_LOSS)
    lane->info.id = TS_LANE_ID_LOSS;
  else if (kind == TS_LANE_DENSITY)
    lane->info.id = TS_LANE_ID_DENSITY;
  lane->info.kind = kind;
  lane->info.object = lane->info.id < TS_LANE_ID_SPECIAL ? lane->info.id : 0;
  lane->info.name = g_strdup (name);
  lane->info.priority = priority;
  lane->info.type = type;
  for (guint i = 0; i < self->lanes->len; i++)
    if (((Lane *) g_ptr_array_index (self->lanes, i))->info.kind == kind)
      lane->info.color++;
  lane->object.id = lane->info.object;
  lane->object.type = type;
  lane->object.name = g_strdup (g_str_has_prefix (name, "ISR:")  ? name + 4
                                : g_str_has_prefix (name, "Fn:") ? name + 3
                                                                 : name);
  lane->slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));
  g_ptr_array_add (self->lanes, lane);
  return lane->info.id;
}

void
fake_recording_set_idle (TsRecording *self,
                         guint32 lane)
{
  find_lane (self, lane)->info.is_idle = TRUE;
}

void
fake_recording_set_unit (TsRecording *self,
                         guint32 lane,
                         const char *unit)
{
  find_lane (self, lane)->object.unit = g_strdup (unit);
}

guint32
fake_recording_add_string (TsRecording *self,
                           const char *text)
{
  g_ptr_array_add (self->strings, g_strdup (text));
  return self->strings->len;
}

void
fake_recording_add_slice (TsRecording *self,
                          guint32 lane,
                          const TsSlice *slice)
{
  Lane *found = find_lane (self, lane);

  g_array_append_vals (found->slices, slice, 1);
  found->info.n_slices++;
}

void
fake_recording_set_coarse (TsRecording *self,
                           gboolean is_coarse)
{
  self->is_coarse = is_coarse;
}

guint
fake_recording_get_n_queries (TsRecording *self)
{
  return self->n_queries;
}

gboolean
ts_recording_is_live (TsRecording *self)
{
  return self->is_live;
}

const char *
ts_recording_get_path (TsRecording *self)
{
  return "made-by-hand.vadb";
}

guint64
ts_recording_get_clock_hz (TsRecording *self)
{
  return self->clock_hz;
}

gint64
ts_recording_get_duration (TsRecording *self)
{
  return self->duration;
}

guint64
ts_recording_get_n_events (TsRecording *self)
{
  return 641280;
}

char *
ts_recording_dup_meta (TsRecording *self,
                       const char *key)
{
  return g_strdup (g_hash_table_lookup (self->meta, key));
}

char *
ts_recording_dup_health (TsRecording *self,
                         const char *key)
{
  return g_strdup (g_hash_table_lookup (self->meta, key));
}

static gint64
scale (gint64 value,
       gint64 to,
       gint64 from)
{
  return (gint64) (((__int128) value * to + (value < 0 ? -from / 2 : from / 2)) / from);
}

gint64
ts_recording_ticks_to_us (TsRecording *self,
                          gint64 ticks)
{
  return scale (ticks, 1000000, (gint64) self->clock_hz);
}

gint64
ts_recording_ticks_to_ns (TsRecording *self,
                          gint64 ticks)
{
  return scale (ticks, 1000000000, (gint64) self->clock_hz);
}

gint64
ts_recording_us_to_ticks (TsRecording *self,
                          gint64 us)
{
  return scale (us, (gint64) self->clock_hz, 1000000);
}

const TsObject *
ts_recording_get_object (TsRecording *self,
                         guint32 id)
{
  Lane *lane = find_lane (self, id);

  return lane != NULL ? &lane->object : NULL;
}

const char *
ts_recording_get_string (TsRecording *self,
                         guint32 id)
{
  return id >= 1 && id <= self->strings->len ? g_ptr_array_index (self->strings, id - 1) : NULL;
}

const TsLaneInfo *
ts_recording_get_lanes (TsRecording *self,
                        guint *n_lanes)
{
  g_array_set_size (self->infos, 0);
  for (guint i = 0; i < self->lanes->len; i++)
    g_array_append_vals (self->infos, &((Lane *) g_ptr_array_index (self->lanes, i))->info, 1);
  *n_lanes = self->infos->len;
  return (const TsLaneInfo *) self->infos->data;
}

const TsLaneInfo *
ts_recording_get_lane (TsRecording *self,
                       guint32 id)
{
  Lane *lane = find_lane (self, id);

  return lane != NULL ? &lane->info : NULL;
}

static void
fill_columns (const Lane *lane,
              gint64 begin,
              gint64 end,
              guint n,
              TsColumn *columns)
{
  gboolean may_overlap = lane->info.kind == TS_LANE_ISR || lane->info.kind == TS_LANE_SPAN;
  guint low = 0;

  for (guint i = 0; i < n; i++)
    {
      gint64 from = begin + scale (end - begin, i, n);
      gint64 to = begin + scale (end - begin, i + 1, n);

      columns[i] = (TsColumn) { 0 };
      /* slices come in the order of their ends */
      while (low < lane->slices->len && g_array_index (lane->slices, TsSlice, low).end < from)
        low++;
      for (guint j = low; j < lane->slices->len; j++)
        {
          const TsSlice *slice = &g_array_index (lane->slices, TsSlice, j);
          gint64 first = MAX (slice->begin, from);
          gint64 last = MIN (slice->end, to);
          gboolean begins_here = slice->begin >= from && slice->begin < to;

          if (slice->begin >= to && !may_overlap)
            break;
          if (begins_here)
            columns[i].count++;
          if (last > first && slice->state < TS_N_TIMED_STATES)
            columns[i].ticks[slice->state] += last - first;
          if (lane->info.kind != TS_LANE_VALUE || (last <= first && !begins_here))
            continue;
          columns[i].min = columns[i].has_value ? MIN (columns[i].min, slice->value) : slice->value;
          columns[i].max = columns[i].has_value ? MAX (columns[i].max, slice->value) : slice->value;
          columns[i].last = slice->value;
          columns[i].has_value = TRUE;
        }
    }
}

TsLaneDetail
ts_recording_query_lane (TsRecording *self,
                         guint32 id,
                         gint64 begin,
                         gint64 end,
                         guint n_columns,
                         TsColumn *columns,
                         GArray *slices,
                         gint64 deadline_us,
                         gboolean *is_coarse)
{
  Lane *lane = find_lane (self, id);
  guint n = 0;

  self->n_queries++;
  *is_coarse = self->is_coarse;
  if (lane == NULL)
    return TS_LANE_DETAIL_FAILED;
  for (guint i = 0; i < lane->slices->len; i++)
    {
      const TsSlice *slice = &g_array_index (lane->slices, TsSlice, i);

      if (slice->end >= begin && slice->begin < end)
        {
          n++;
          if (n <= self->max_slices)
            g_array_append_vals (slices, slice, 1);
        }
    }
  if (n <= self->max_slices && lane->info.kind != TS_LANE_DENSITY)
    return TS_LANE_DETAIL_SLICES;
  g_array_set_size (slices, 0);
  fill_columns (lane, begin, end, n_columns, columns);
  return TS_LANE_DETAIL_COLUMNS;
}

gboolean
ts_recording_find_slice (TsRecording *self,
                         guint32 id,
                         gint64 time,
                         gint64 tolerance,
                         TsSlice *slice)
{
  Lane *lane = find_lane (self, id);
  gint64 best = G_MAXINT64;

  for (guint i = 0; lane != NULL && i < lane->slices->len; i++)
    {
      const TsSlice *candidate = &g_array_index (lane->slices, TsSlice, i);
      gint64 distance = candidate->begin > time  ? candidate->begin - time
                        : candidate->end <= time ? time - candidate->end
                                                 : 0;

      if (candidate->begin <= time && time < candidate->end)
        distance = -1;
      if (distance <= tolerance && distance < best)
        {
          best = distance;
          *slice = *candidate;
        }
    }
  return best != G_MAXINT64;
}

void
ts_recording_begin_look (TsRecording *self,
                         TsLook look)
{
}

gboolean
ts_recording_end_look (TsRecording *self)
{
  return FALSE;
}

gboolean
ts_recording_take_fetched (TsRecording *self)
{
  return FALSE;
}

void
ts_recording_fetch_lane (TsRecording *self,
                         guint32 lane,
                         gint64 begin,
                         gint64 end,
                         guint n_columns)
{
}

void
ts_recording_send_fetches (TsRecording *self)
{
}
