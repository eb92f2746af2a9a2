/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-slice-feed.c: what came to the lanes since the last look. */
#define G_LOG_DOMAIN "ts-model"

#include "config.h"

#include "ts-analysis-private.h"
#include "ts-slice-feed.h"

/* Place in a lane: slices before it have been told. A chunk that is sealed becomes the node of
 * the same place. */
typedef struct
{
  guint node;
  guint at;
} Place;

struct _TsSliceFeed
{
  guint kinds;
  GHashTable *places; /* lane to Place */
};

/**
 * ts_slice_feed_new:
 * @kinds: bits (1 << kind) of the lanes that are wanted
 *
 * Returns: (transfer full): ts_slice_feed_free()
 */
TsSliceFeed *
ts_slice_feed_new (guint kinds)
{
  TsSliceFeed *self = g_new0 (TsSliceFeed, 1);

  self->kinds = kinds;
  self->places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

/**
 * ts_slice_feed_free:
 * @self: (nullable) (transfer full): a feed
 */
void
ts_slice_feed_free (TsSliceFeed *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->places);
  g_free (self);
}

static void
append (GArray *out,
        guint32 lane,
        const TsSlice *slices,
        guint n)
{
  for (guint i = 0; i < n; i++)
    {
      TsFedSlice fed = { lane, slices[i] };

      g_array_append_val (out, fed);
    }
}

static void
read_lane (TsLaneReader *reader,
           const TsReaderLane *lane,
           Place *place,
           gboolean is_final,
           guint max_slices,
           GArray *out)
{
  guint n_nodes = _ts_reader_lane_n_nodes (lane, 0);

  while (place->node < n_nodes && out->len < max_slices)
    {
      TsReaderNode *node = _ts_reader_lane_node (lane, 0, place->node);
      guint n_slices = 0;
      const TsSlice *slices = _ts_lane_reader_get_slices (reader, node, &n_slices);

      /* What a capture that is just ending cannot give any more, its file can: also in the moments
       * after its end, when the recording is no longer live and not opened anew. */
      if (slices == NULL && !is_final)
        return;
      if (slices != NULL && place->at < n_slices)
        append (out, lane->info.id, slices + place->at, n_slices - place->at);
      place->node++;
      place->at = 0;
    }
  if (place->node == n_nodes && lane->chunk != NULL && place->at < lane->n_chunk)
    {
      append (out, lane->info.id, lane->chunk->slices + place->at, lane->n_chunk - place->at);
      place->at = lane->n_chunk;
    }
}

static int
compare_ends (gconstpointer a,
              gconstpointer b)
{
  const TsFedSlice *left = a;
  const TsFedSlice *right = b;

  if (left->slice.end != right->slice.end)
    return left->slice.end < right->slice.end ? -1 : 1;
  return left->lane < right->lane ? -1 : left->lane > right->lane;
}

/**
 * ts_slice_feed_read:
 * @self: a feed
 * @recording: the recording: always the same one, live, reopened, or closed in the end
 * @max_slices: about how many are wanted; what is left comes next time
 * @slices: (element-type TsFedSlice): set to the slices completed since the last call
 *
 * Every slice comes once. Within one call they are in order of their ends; one whose meaning
 * became known late (a wait) may come after later ones of the call before.
 *
 * Thread: owner of @recording
 */
void
ts_slice_feed_read (TsSliceFeed *self,
                    TsRecording *recording,
                    guint max_slices,
                    GArray *slices)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (recording, &n_lanes);

  g_array_set_size (slices, 0);
  for (guint i = 0; i < n_lanes && slices->len < max_slices; i++)
    {
      gpointer key = GUINT_TO_POINTER (lanes[i].id);
      TsReaderLane *lane;
      Place *place;

      if (lanes[i].kind >= TS_LANE_N_KINDS || (self->kinds & 1u << lanes[i].kind) == 0)
        continue;
      lane = _ts_lane_reader_find_lane (recording->lanes, lanes[i].id);
      place = g_hash_table_lookup (self->places, key);
      if (place == NULL)
        {
          place = g_new0 (Place, 1);
          g_hash_table_insert (self->places, key, place);
        }
      if (lane != NULL)
        read_lane (recording->lanes, lane, place, recording->live == NULL, max_slices, slices);
    }
  g_array_sort (slices, compare_ends);
}
