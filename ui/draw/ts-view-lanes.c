/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-lanes.c: what the user made of the lanes: pinned, hidden, moved, sorted, found. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include <string.h>

#include "ts-view-state-private.h"

void
_ts_view_lanes_init (TsViewLanes *lanes)
{
  lanes->pinned = g_hash_table_new (NULL, NULL);
  lanes->rank = g_hash_table_new (NULL, NULL);
  lanes->shares = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  lanes->plots = g_hash_table_new (NULL, NULL);
  lanes->hosts = g_hash_table_new (NULL, NULL);
}

void
_ts_view_lanes_clear (TsViewLanes *lanes)
{
  g_clear_pointer (&lanes->pinned, g_hash_table_unref);
  g_clear_pointer (&lanes->rank, g_hash_table_unref);
  g_clear_pointer (&lanes->shares, g_hash_table_unref);
  g_clear_pointer (&lanes->only, g_hash_table_unref);
  g_clear_pointer (&lanes->plots, g_hash_table_unref);
  g_clear_pointer (&lanes->hosts, g_hash_table_unref);
}

/* Another recording: ids mean something else. */
void
_ts_view_lanes_reset (TsViewLanes *lanes)
{
  g_hash_table_remove_all (lanes->pinned);
  g_hash_table_remove_all (lanes->rank);
  g_hash_table_remove_all (lanes->shares);
  g_hash_table_remove_all (lanes->plots);
  g_hash_table_remove_all (lanes->hosts);
  g_clear_pointer (&lanes->only, g_hash_table_unref);
  lanes->sort = TS_LANE_SORT_PRIORITY;
}

typedef struct
{
  TsViewState *view;
  GHashTable *places; /* lane id -> place + 1 in the usual order */
} Sorting;

static int
compare_int (gint64 a,
             gint64 b)
{
  return (a > b) - (a < b);
}

static int
compare_by (TsViewState *self,
            const TsLaneInfo *a,
            const TsLaneInfo *b)
{
  const gint64 *x;
  const gint64 *y;

  switch (self->lanes.sort)
    {
    case TS_LANE_SORT_NAME:
      return g_strcmp0 (a->name, b->name);
    case TS_LANE_SORT_FIRST_SEEN:
      return compare_int (a->first_seen, b->first_seen);
    case TS_LANE_SORT_SHARE:
      x = g_hash_table_lookup (self->lanes.shares, GUINT_TO_POINTER (a->id));
      y = g_hash_table_lookup (self->lanes.shares, GUINT_TO_POINTER (b->id));
      return compare_int (y != NULL ? *y : 0, x != NULL ? *x : 0);
    case TS_LANE_SORT_PRIORITY:
    case TS_LANE_N_SORTS:
    default:
      return 0;
    }
}

static int
compare_lanes (gconstpointer pa,
               gconstpointer pb,
               gpointer user_data)
{
  const Sorting *sorting = user_data;
  TsViewState *self = sorting->view;
  gpointer ka = GUINT_TO_POINTER (*(const guint32 *) pa);
  gpointer kb = GUINT_TO_POINTER (*(const guint32 *) pb);
  const TsLaneInfo *a = ts_recording_get_lane (self->recording, GPOINTER_TO_UINT (ka));
  const TsLaneInfo *b = ts_recording_get_lane (self->recording, GPOINTER_TO_UINT (kb));
  gint64 ra = GPOINTER_TO_INT (g_hash_table_lookup (self->lanes.rank, ka));
  gint64 rb = GPOINTER_TO_INT (g_hash_table_lookup (self->lanes.rank, kb));
  int order = _ts_view_compare_groups (a, b);

  /* a lane the user has not placed comes after those that were */
  if (order == 0 && (ra != 0 || rb != 0))
    order = compare_int (ra != 0 ? ra : G_MAXINT32, rb != 0 ? rb : G_MAXINT32);
  if (order == 0)
    order = compare_by (self, a, b);
  if (order == 0)
    order = compare_int (GPOINTER_TO_INT (g_hash_table_lookup (sorting->places, ka)),
                         GPOINTER_TO_INT (g_hash_table_lookup (sorting->places, kb)));
  return order;
}

/* Time each lane was running, once for a sort by it. The window goes far beyond the end: where it cuts
 * nothing, the coarsest nodes tell, and nothing is read. */
static void
measure_shares (TsViewState *self)
{
  guint n_lanes = 0;
  const TsLaneInfo *lanes = ts_recording_get_lanes (self->recording, &n_lanes);
  gint64 end = 4 * CLAMP (ts_recording_get_duration (self->recording), 1, G_MAXINT64 / 16);
  g_autoptr (GArray) slices = g_array_new (FALSE, FALSE, sizeof (TsSlice));

  g_hash_table_remove_all (self->lanes.shares);
  for (guint i = 0; i < n_lanes; i++)
    {
      gint64 *share = g_new0 (gint64, 1);
      TsColumn column;
      TsLaneDetail detail;

      g_array_set_size (slices, 0);
      detail = ts_recording_query_lane (self->recording, lanes[i].id, 0, end, 1, &column, slices, 0,
                                        NULL);
      if (detail == TS_LANE_DETAIL_COLUMNS)
        *share = column.ticks[TS_STATE_RUNNING];
      for (guint j = 0; detail == TS_LANE_DETAIL_SLICES && j < slices->len; j++)
        {
          const TsSlice *slice = &g_array_index (slices, TsSlice, j);

          if (slice->state == TS_STATE_RUNNING)
            *share += slice->end - slice->begin;
        }
      g_hash_table_insert (self->lanes.shares, GUINT_TO_POINTER (lanes[i].id), share);
    }
}

/*
 * _ts_view_lanes_order:
 * @order: (element-type guint32): lanes in the usual order; put in the user's
 */
void
_ts_view_lanes_order (TsViewState *self,
                      GArray *order)
{
  Sorting sorting = { self, NULL };

  if (self->lanes.sort == TS_LANE_SORT_PRIORITY && g_hash_table_size (self->lanes.rank) == 0)
    return;
  if (self->lanes.sort == TS_LANE_SORT_SHARE && g_hash_table_size (self->lanes.shares) == 0)
    measure_shares (self);
  sorting.places = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < order->len; i++)
    g_hash_table_insert (sorting.places, GUINT_TO_POINTER (g_array_index (order, guint32, i)),
                         GINT_TO_POINTER ((int) i + 1));
  g_array_sort_with_data (order, compare_lanes, &sorting);
  g_hash_table_unref (sorting.places);
}

/**
 * ts_view_state_set_lane_pinned:
 * @self: a view state
 * @lane: a lane
 * @pinned: whether it stands above all groups
 *
 * Thread: owner
 */
void
ts_view_state_set_lane_pinned (TsViewState *self,
                               guint32 lane,
                               gboolean pinned)
{
  gboolean has_changed;

  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (pinned)
    has_changed = g_hash_table_add (self->lanes.pinned, GUINT_TO_POINTER (lane));
  else
    has_changed = g_hash_table_remove (self->lanes.pinned, GUINT_TO_POINTER (lane));
  if (has_changed)
    _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_is_lane_pinned:
 * @self: a view state
 * @lane: a lane
 *
 * Thread: owner
 *
 * Returns: whether it stands above all groups
 */
gboolean
ts_view_state_is_lane_pinned (TsViewState *self,
                              guint32 lane)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return g_hash_table_contains (self->lanes.pinned, GUINT_TO_POINTER (lane));
}

/**
 * ts_view_state_set_lane_hidden:
 * @self: a view state
 * @lane: a lane
 * @hidden: whether it has no row
 *
 * Thread: owner
 */
void
ts_view_state_set_lane_hidden (TsViewState *self,
                               guint32 lane,
                               gboolean hidden)
{
  gboolean has_changed;

  g_return_if_fail (TS_IS_VIEW_STATE (self));

  if (hidden)
    has_changed = g_hash_table_add (self->hidden, GUINT_TO_POINTER (lane));
  else
    has_changed = g_hash_table_remove (self->hidden, GUINT_TO_POINTER (lane));
  if (has_changed)
    _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_set_lane_filter:
 * @self: a view state
 * @lane_names: (nullable) (array zero-terminated=1): only these lanes have rows: lane names, object
 * names or `type:name`; %NULL: all
 *
 * Thread: owner
 * Source: events.md section 4, `--lanes`
 */
void
ts_view_state_set_lane_filter (TsViewState *self,
                               const char *const *lane_names)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));

  g_strfreev (self->filter);
  self->filter
      = lane_names != NULL && lane_names[0] != NULL ? g_strdupv ((char **) lane_names) : NULL;
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_is_lane_hidden:
 * @self: a view state
 * @lane: a lane
 *
 * Thread: owner
 *
 * Returns: whether it was hidden by ts_view_state_set_lane_hidden()
 */
gboolean
ts_view_state_is_lane_hidden (TsViewState *self,
                              guint32 lane)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return g_hash_table_contains (self->hidden, GUINT_TO_POINTER (lane));
}

/**
 * ts_view_state_get_n_hidden:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: how many lanes were hidden
 */
guint
ts_view_state_get_n_hidden (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  return g_hash_table_size (self->hidden);
}

/**
 * ts_view_state_show_all_lanes:
 * @self: a view state
 *
 * Nothing is hidden any more.
 *
 * Thread: owner
 */
void
ts_view_state_show_all_lanes (TsViewState *self)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (g_hash_table_size (self->hidden) == 0)
    return;
  g_hash_table_remove_all (self->hidden);
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_set_only_lanes:
 * @self: a view state
 * @lanes: (array length=n_lanes) (nullable): the only lanes that have rows, %NULL: all
 * @n_lanes: how many; CPU load stays in any case
 *
 * A filter that comes and goes, beside what is hidden.
 *
 * Thread: owner
 */
void
ts_view_state_set_only_lanes (TsViewState *self,
                              const guint32 *lanes,
                              guint n_lanes)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  if (lanes == NULL && self->lanes.only == NULL)
    return;
  g_clear_pointer (&self->lanes.only, g_hash_table_unref);
  if (lanes != NULL)
    self->lanes.only = g_hash_table_new (NULL, NULL);
  for (guint i = 0; lanes != NULL && i < n_lanes; i++)
    g_hash_table_add (self->lanes.only, GUINT_TO_POINTER (lanes[i]));
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_set_lane_sort:
 * @self: a view state
 * @sort: what lanes are sorted by within their group
 *
 * Places the user gave to lanes are forgotten.
 *
 * Thread: owner
 */
void
ts_view_state_set_lane_sort (TsViewState *self,
                             TsLaneSort sort)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (sort < TS_LANE_N_SORTS);
  self->lanes.sort = sort;
  g_hash_table_remove_all (self->lanes.rank);
  g_hash_table_remove_all (self->lanes.shares);
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_get_lane_sort:
 * @self: a view state
 *
 * Thread: owner
 *
 * Returns: what lanes are sorted by
 */
TsLaneSort
ts_view_state_get_lane_sort (TsViewState *self)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), TS_LANE_SORT_PRIORITY);
  return self->lanes.sort;
}

/**
 * ts_view_state_move_lane:
 * @self: a view state
 * @lane: a lane
 * @before: the lane it goes in front of, 0: to the end of its group; of another group: nothing
 *   happens
 *
 * Thread: owner
 *
 * Returns: whether it moved
 */
gboolean
ts_view_state_move_lane (TsViewState *self,
                         guint32 lane,
                         guint32 before)
{
  const TsLaneInfo *info;
  const TsLaneInfo *other;
  const guint32 *order;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean is_placed = FALSE;
  guint n;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  info = self->recording != NULL ? ts_recording_get_lane (self->recording, lane) : NULL;
  other = info != NULL && before != 0 ? ts_recording_get_lane (self->recording, before) : NULL;
  if (info == NULL || lane == before ||
      (before != 0 && (other == NULL || _ts_view_compare_groups (other, info) != 0)))
    return FALSE;
  order = _ts_view_state_get_lane_order (self, &n);
  for (guint i = 0; i < n; i++)
    {
      const TsLaneInfo *it = ts_recording_get_lane (self->recording, order[i]);

      if (order[i] == lane || it == NULL ||
          _ts_view_compare_groups (it, info) != 0)
        continue;
      if (order[i] == before)
        {
          g_array_append_val (places, lane);
          is_placed = TRUE;
        }
      g_array_append_val (places, order[i]);
    }
  if (!is_placed)
    g_array_append_val (places, lane);
  for (guint i = 0; i < places->len; i++)
    g_hash_table_insert (self->lanes.rank,
                         GUINT_TO_POINTER (g_array_index (places, guint32, i)),
                         GINT_TO_POINTER ((int) i + 1));
  _ts_view_state_invalidate_rows (self);
  return TRUE;
}

/**
 * ts_view_state_shift_lane:
 * @self: a view state
 * @lane: a lane
 * @direction: -1 up, 1 down
 *
 * Changes places with the next lane of its group that has a row.
 *
 * Thread: owner
 *
 * Returns: whether it moved
 */
gboolean
ts_view_state_shift_lane (TsViewState *self,
                          guint32 lane,
                          int direction)
{
  const TsViewRow *rows;
  guint n;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  rows = ts_view_state_get_rows (self, &n);
  for (guint i = 0; i < n; i++)
    {
      if (rows[i].is_header || rows[i].lane != lane)
        continue;
      if (direction < 0)
        return i > 0 && !rows[i - 1].is_header &&
               ts_view_state_move_lane (self, lane, rows[i - 1].lane);
      if (i + 1 >= n || rows[i + 1].is_header || rows[i + 1].group != rows[i].group)
        return FALSE;
      return ts_view_state_move_lane (self, rows[i + 1].lane, lane);
    }
  return FALSE;
}

/**
 * ts_view_state_get_lane_places:
 * @self: a view state
 *
 * What ts_view_state_move_lane() made, to be given to ts_view_state_set_lane_places() when the
 * recording is opened again.
 *
 * Thread: owner
 *
 * Returns: (transfer full) (element-type guint32): lanes the user placed, in order; maybe empty
 */
GArray *
ts_view_state_get_lane_places (TsViewState *self)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (guint32));
  const guint32 *order;
  guint n;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), places);
  order = _ts_view_state_get_lane_order (self, &n);
  for (guint i = 0; i < n; i++)
    if (g_hash_table_contains (self->lanes.rank, GUINT_TO_POINTER (order[i])))
      g_array_append_val (places, order[i]);
  return places;
}

/**
 * ts_view_state_set_lane_places:
 * @self: a view state
 * @lanes: (array length=n_lanes): lanes in order
 * @n_lanes: how many
 *
 * Thread: owner
 */
void
ts_view_state_set_lane_places (TsViewState *self,
                               const guint32 *lanes,
                               guint n_lanes)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_hash_table_remove_all (self->lanes.rank);
  for (guint i = 0; i < n_lanes; i++)
    g_hash_table_insert (self->lanes.rank, GUINT_TO_POINTER (lanes[i]),
                         GINT_TO_POINTER ((int) i + 1));
  _ts_view_state_invalidate_rows (self);
}

/**
 * ts_view_state_unfold_lane:
 * @self: a view state
 * @lane: a lane
 *
 * Gives it a row if it has none because its group is folded, or because it was hidden.
 *
 * Thread: owner
 */
void
ts_view_state_unfold_lane (TsViewState *self,
                           guint32 lane)
{
  const TsLaneInfo *info;
  int group;

  g_return_if_fail (TS_IS_VIEW_STATE (self));
  info = self->recording != NULL ? ts_recording_get_lane (self->recording, lane) : NULL;
  group = info != NULL ? _ts_view_group_of_lane (info) : -1;
  if (group < 0)
    return;
  ts_view_state_set_lane_hidden (self, lane, FALSE);
  ts_view_state_set_group_folded (self, (guint) group, FALSE);
}
