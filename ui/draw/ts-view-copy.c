/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-view-copy.c: a view once more, to be changed and drawn while the first stays as it is. */
#define G_LOG_DOMAIN "ts-draw"
#include "config.h"

#include "ts-view-state-private.h"

static void
copy_table (GHashTable *to,
            GHashTable *from)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to, key, value);
}

static void
copy_array (GArray *to,
            GArray *from)
{
  if (from->len > 0)
    g_array_append_vals (to, from->data, from->len);
}

static void
copy_lanes (TsViewLanes *to,
            const TsViewLanes *from)
{
  GHashTableIter iter;
  gpointer key, value;

  copy_table (to->pinned, from->pinned);
  copy_table (to->rank, from->rank);
  copy_table (to->plots, from->plots);
  copy_table (to->hosts, from->hosts);
  g_hash_table_iter_init (&iter, from->shares);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to->shares, key, g_memdup2 (value, sizeof (gint64)));
  if (from->only != NULL)
    {
      to->only = g_hash_table_new (NULL, NULL);
      copy_table (to->only, from->only);
    }
  to->sort = from->sort;
}

/**
 * ts_view_state_copy:
 * @self: a view state
 *
 * The same view of the same recording: time, lanes, colours, selection, notes. It does not follow a
 * live end, and has nothing to undo.
 *
 * Thread: owner
 *
 * Returns: (transfer full): a view of its own
 */
TsViewState *
ts_view_state_copy (TsViewState *self)
{
  TsViewState *copy;

  g_return_val_if_fail (TS_IS_VIEW_STATE (self), NULL);

  copy = ts_view_state_new ();
  g_set_object (&copy->recording, self->recording);
  copy->view = self->view;
  copy->is_unbounded = self->is_unbounded;
  copy->no_resume = TRUE;
  copy->selected_lane = self->selected_lane;
  copy->has_slice = self->has_slice;
  copy->slice = self->slice;
  copy->has_range = self->has_range;
  copy->range_begin = self->range_begin;
  copy->range_end = self->range_end;
  copy->cursor = self->cursor;
  copy->event_row = self->event_row;
  copy->event_tick = self->event_tick;
  copy_array (copy->notes.findings, self->notes.findings);
  copy_array (copy->notes.hits, self->notes.hits);
  copy_array (copy->notes.marks, self->notes.marks);
  copy->notes.second_cursor = self->notes.second_cursor;
  copy->folded = self->folded;
  copy_table (copy->hidden, self->hidden);
  copy_lanes (&copy->lanes, &self->lanes);
  copy->look = self->look;
  copy->filter = g_strdupv (self->filter);
  copy->os = g_strdup (self->os);
  copy->lane_px = self->lane_px;
  copy->header_px = self->header_px;
  copy->plot_px = self->plot_px;
  copy->scroll_y = self->scroll_y;
  _ts_view_state_invalidate_rows (copy);
  return copy;
}
