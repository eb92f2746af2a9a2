/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-plots.c: how value lanes are plotted, and which of them share a row. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include "ts-view-state-private.h"

static const TsLaneInfo *
get_value_lane (TsViewState *self,
                guint32 lane)
{
  const TsLaneInfo *info =
      self->recording != NULL && lane != 0 ? ts_recording_get_lane (self->recording, lane) : NULL;

  return info != NULL && info->kind == TS_LANE_VALUE ? info : NULL;
}

/**
 * ts_view_state_set_plot_style:
 * @self: a view state
 * @lane: a value lane
 * @style: how it is drawn from now on
 *
 * Thread: owner
 */
void
ts_view_state_set_plot_style (TsViewState *self,
                              guint32 lane,
                              TsPlotStyle style)
{
  g_return_if_fail (TS_IS_VIEW_STATE (self));
  g_return_if_fail (style < TS_PLOT_N_STYLES);
  if (get_value_lane (self, lane) == NULL)
    return;
  g_hash_table_insert (self->lanes.plots, GUINT_TO_POINTER (lane),
                       GUINT_TO_POINTER ((guint) style + 1));
  _ts_view_state_emit_changed (self);
}

/**
 * ts_view_state_get_plot_style:
 * @self: a view state
 * @lane: a value lane
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 7, user trace display type
 *
 * Returns: what the user chose, else what the target asked for
 */
TsPlotStyle
ts_view_state_get_plot_style (TsViewState *self,
                              guint32 lane)
{
  const TsLaneInfo *info;
  const TsObject *object;
  guint chosen;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), TS_PLOT_STEP);
  chosen = GPOINTER_TO_UINT (g_hash_table_lookup (self->lanes.plots, GUINT_TO_POINTER (lane)));
  if (chosen != 0)
    return (TsPlotStyle) (chosen - 1);
  info = get_value_lane (self, lane);
  object = info != NULL && info->object != 0 ? ts_recording_get_object (self->recording, info->object)
                                             : NULL;
  if (object == NULL || object->display == NULL)
    return TS_PLOT_STEP;
  if (g_str_equal (object->display, "toggle"))
    return TS_PLOT_TOGGLE;
  return g_str_equal (object->display, "histogram") ? TS_PLOT_HISTOGRAM : TS_PLOT_STEP;
}

/**
 * ts_view_state_has_plot_style:
 * @self: a view state
 * @lane: a value lane
 *
 * Thread: owner
 *
 * Returns: whether the user chose a style for it
 */
gboolean
ts_view_state_has_plot_style (TsViewState *self,
                              guint32 lane)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  return g_hash_table_contains (self->lanes.plots, GUINT_TO_POINTER (lane));
}

/**
 * ts_view_state_set_plot_host:
 * @self: a view state
 * @lane: a value lane
 * @host: the value lane in whose row it is drawn as well, 0: it has its own row
 *
 * A lane that is a host is no guest: its guests go along with it.
 *
 * Thread: owner
 *
 * Returns: whether that is possible
 */
gboolean
ts_view_state_set_plot_host (TsViewState *self,
                             guint32 lane,
                             guint32 host)
{
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), FALSE);
  if (get_value_lane (self, lane) == NULL || lane == host)
    return FALSE;
  if (host == 0)
    {
      if (g_hash_table_remove (self->lanes.hosts, GUINT_TO_POINTER (lane)))
        _ts_view_state_invalidate_rows (self);
      return TRUE;
    }
  /* the host's own host takes it in */
  if (ts_view_state_get_plot_host (self, host) != 0)
    host = ts_view_state_get_plot_host (self, host);
  if (get_value_lane (self, host) == NULL || lane == host)
    return FALSE;
  g_hash_table_iter_init (&iter, self->lanes.hosts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (GPOINTER_TO_UINT (value) == lane)
      g_hash_table_iter_replace (&iter, GUINT_TO_POINTER (host));
  g_hash_table_insert (self->lanes.hosts, GUINT_TO_POINTER (lane), GUINT_TO_POINTER (host));
  _ts_view_state_invalidate_rows (self);
  return TRUE;
}

/**
 * ts_view_state_get_plot_host:
 * @self: a view state
 * @lane: a value lane
 *
 * Thread: owner
 *
 * Returns: the lane in whose row it is drawn, 0: its own
 */
guint32
ts_view_state_get_plot_host (TsViewState *self,
                             guint32 lane)
{
  g_return_val_if_fail (TS_IS_VIEW_STATE (self), 0);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->lanes.hosts, GUINT_TO_POINTER (lane)));
}

static int
compare_ids (gconstpointer pa,
             gconstpointer pb)
{
  guint32 a = *(const guint32 *) pa;
  guint32 b = *(const guint32 *) pb;

  return (a > b) - (a < b);
}

/**
 * ts_view_state_get_plot_guests:
 * @self: a view state
 * @host: a value lane
 *
 * Thread: owner
 *
 * Returns: (transfer full) (nullable) (element-type guint32): lanes drawn in its row beside it,
 *   %NULL if there are none
 */
GArray *
ts_view_state_get_plot_guests (TsViewState *self,
                               guint32 host)
{
  GArray *guests = NULL;
  GHashTableIter iter;
  gpointer key;
  gpointer value;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);
  g_hash_table_iter_init (&iter, self->lanes.hosts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      guint32 lane = GPOINTER_TO_UINT (key);

      if (GPOINTER_TO_UINT (value) != host ||
          ts_view_state_is_lane_hidden (self, lane))
        continue;
      if (guests == NULL)
        guests = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (guests, lane);
    }
  if (guests != NULL)
    g_array_sort (guests, compare_ids);
  return guests;
}

gboolean
_ts_view_state_is_guest (TsViewState *self,
                         guint32 lane)
{
  guint32 host = ts_view_state_get_plot_host (self, lane);

  return host != 0 && get_value_lane (self, host) != NULL &&
         !ts_view_state_is_lane_hidden (self, host);
}
